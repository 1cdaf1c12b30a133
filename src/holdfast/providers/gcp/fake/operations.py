"""Long-running operations: google.longrunning, and the shapes that compute, SQL and DNS had before it.

An operation runs for `seconds` of the handed-in clock, and at least until the next request. It lands once: its effect, or nothing where it fails.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from holdfast.model.json import Json
from holdfast.providers.gcp.fake.errors import rpc_code
from holdfast.providers.gcp.fake.store import Place

_HTTP = {"QUOTA_EXCEEDED": 403, "RESOURCE_NOT_FOUND": 404, "INTERNAL_ERROR": 503}  # compute's codes; others are 400
_SAID = {400: "BAD REQUEST", 403: "FORBIDDEN", 404: "NOT FOUND", 503: "SERVICE UNAVAILABLE"}
Show = Callable[[], dict[str, Json] | None]


@dataclass(slots=True)
class Operation:
    """One operation. `land` makes its effect and gives the resource as it then is; `undo` takes back what was visible at the start."""

    place: Place
    verb: str
    id: str
    path: str
    started: float
    land: Show
    undo: Callable[[], None]
    error: tuple[int | str, str] | None
    start: dict[str, Json] = field(default_factory=dict)  # what its first answer says
    done: bool = False
    result: dict[str, Json] | None = None
    end: str = ""
    answers: int = 0

    def settle(self) -> None:
        """It ends now."""
        self.done, self.end = True, self.place.values.time(self.place.resource.service.times)
        if self.error is None:
            self.result = self.land()
        else:
            self.undo()

    @property
    def settings(self) -> dict[str, Json]:
        return self.place.resource.operations

    def body(self, *, at_once: bool = False) -> dict[str, Json]:
        """As its `get` shows it."""
        self.answers += 1
        style = {"lro": _longrunning, "compute": _compute, "sql": _sql, "dns": _dns}[str(self.settings["style"])]
        return style(self, at_once)


def begin(place: Place, verb: str, land: Show, undo: Callable[[], None], final: dict[str, Json], error: tuple[int | str, str] | None) -> Operation:
    """A new operation on the resource at that place; `final` is the resource as it will be."""
    settings, values = place.resource.operations, place.values
    made = str(place.fill(settings.get("id", "<uuid>")))
    name = str(settings.get("name", "{scope}/operations/{op}")).format_map({**place.words, "scope": place.path.rsplit("/", 2)[0], "op": made})
    operation = Operation(place, verb, made, name, values.now(), land, undo, error)
    operation.start = {"compute": _compute_start, "sql": _sql_start}.get(str(settings["style"]), _lro_start)(operation, final)
    return operation


def _with_resource(template: Json, final: dict[str, Json], verb: str) -> Json:
    if isinstance(template, dict):
        return {k: _with_resource(v, final, verb) for k, v in template.items()}
    if template == "<resource>":
        return final
    return template.replace("{verb}", verb) if isinstance(template, str) else template


def _lro_start(op: Operation, final: dict[str, Json]) -> dict[str, Json]:
    first = {k: v for k, v in final.items() if k not in op.settings.get("not_yet", {}).get(op.verb, ())}
    metadata = {**op.settings.get("metadata", {}).get("every", {}), **op.settings.get("metadata", {}).get(op.verb, {})}
    return {k: v if v is first else op.place.fill(v) for k, v in _with_resource(metadata, first, op.verb).items()}


def _shown_name(op: Operation) -> str:
    words = op.place.words
    return op.path.replace(words["path"], words["name"], 1) if op.path.startswith(words["path"]) else op.path


def _longrunning(op: Operation, at_once: bool) -> dict[str, Json]:
    body: dict[str, Json] = {"name": _shown_name(op), "metadata": dict(op.start)}
    if not op.done:
        return body
    body["done"] = True
    body["metadata"] |= op.place.fill(op.settings.get("done_at_once" if at_once else "done", {}))
    for key, value in _metadata_resource(op).items():
        body["metadata"][key] = op.result if op.result is not None else value
    if op.error is not None:
        return {**body, "error": {"code": rpc_code(op.error[0]), "message": op.error[1]}}
    kind = op.settings.get("deleted" if op.verb == "delete" else "response", "type.googleapis.com/google.protobuf.Empty")
    return {**body, "response": {"@type": kind, **((op.result or {}) if op.verb != "delete" or op.settings.get("shows_deleted") else {})}}


def _metadata_resource(op: Operation) -> dict[str, Json]:
    """The field of the metadata that shows the resource, where there is one."""
    template = op.settings.get("metadata", {}).get(op.verb, {})
    return {k: op.start[k] for k, v in template.items() if v == "<resource>"}


def _compute_start(op: Operation, final: dict[str, Json]) -> dict[str, Json]:
    root, now = "https://www.googleapis.com/compute/v1", op.place.values.time("pacific")
    scope = {"region": f"{root}/projects/{op.place.project}/regions/{op.place.words['region']}"} if op.place.words["region"] else {}
    return {"kind": "compute#operation", "id": op.place.values.number(), "name": op.id, **scope, "insertTime": now, "startTime": now, "progress": 0,
            "operationType": op.settings.get("types", {}).get(op.verb, op.verb), "status": "RUNNING", "user": "user@example.com",
            "targetId": final.get("id", "0"), "targetLink": f"{root}/{op.place.path}", "selfLink": f"{root}/{op.path}"}


def _compute(op: Operation, _: bool) -> dict[str, Json]:
    if not op.done:
        return dict(op.start)
    body = {**op.start, "status": "DONE", "progress": 100, "endTime": op.end}
    if op.error is not None:
        code, message = op.error
        http = code if isinstance(code, int) else _HTTP.get(code, 400)
        body |= {"httpErrorStatusCode": http, "httpErrorMessage": _SAID.get(http, "ERROR"),
                 "error": {"errors": [{"code": str(code), "message": message}]}}
    return body


def _sql_start(op: Operation, _: dict[str, Json]) -> dict[str, Json]:
    root, words, now = "https://sqladmin.googleapis.com/sql/v1beta4", op.place.words, op.place.values.time("millis")
    return {"kind": "sql#operation", "name": op.id, "operationType": op.settings.get("types", {}).get(op.verb, "UPDATE"), "status": "PENDING",
            "insertTime": now, "user": "user@example.com", "targetId": words["id"], "targetProject": words["project"],
            "targetLink": f"{root}/{words['path']}", "selfLink": f"{root}/{op.path}"}


def _sql(op: Operation, _: bool) -> dict[str, Json]:
    if not op.done:
        return {**op.start, **({"status": "RUNNING", "startTime": op.start["insertTime"]} if op.answers > 1 else {})}
    body = {**op.start, "status": "DONE", "startTime": op.start["insertTime"], "endTime": op.end}
    if op.error is not None:
        error = {"kind": "sql#operationError", "code": str(op.error[0]), "message": op.error[1]}
        body["error"] = {"kind": "sql#operationErrors", "errors": [error]}
    return body


def _dns(op: Operation, _: bool) -> dict[str, Json]:
    return {"kind": "dns#operation", "id": op.id, "startTime": op.place.values.time("millis"), "status": "done" if op.done else "pending", "type": "update",
            "user": "user@example.com", "zoneContext": {"newValue": op.result} if op.result else {}}
