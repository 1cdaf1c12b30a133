"""Looks at Google Cloud. This class has no method that changes anything, and calls only methods that read."""

from __future__ import annotations

from urllib.parse import unquote

from holdfast.core.normalise import tag_map
from holdfast.core.templates import fill_name, holes, plain_name, read_name
from holdfast.model.errors import CloudError, Retry
from holdfast.model.facts import Absent, Live, Place
from holdfast.model.json import Json, JsonMap, get_path
from holdfast.model.kinds import Kind
from holdfast.providers.gcp.api import Api, Method, States, api_of
from holdfast.providers.gcp.client import GcpClient
from holdfast.providers.gcp.codec import decode, moment
from holdfast.providers.gcp.errors import NOT_FOUND, from_operation
from holdfast.providers.gcp.forms import last_applied, one_form
from holdfast.providers.gcp.names import context_of, name_of, params_of
from holdfast.providers.secrets import without_secrets
from holdfast.providers.wire import is_mutating
from holdfast.runtime.ports import Answer, Subject


class GcpReader:
    def __init__(self, client: GcpClient) -> None:
        self._client = client

    async def observe(self, subject: Subject) -> Live | Absent:
        api = api_of(subject.kind)
        name = name_of(subject, api)
        context, method = context_of(subject, name), api.need(name, api.get.method or "get")
        if is_mutating(method.id):
            raise CloudError("HF512", f"{method.id} is not a read", sent=False)
        try:
            body = await self._client.call(api.host, method, params_of(api, method, name, context), filled(_query(subject, api), context))
        except CloudError as error:
            if error.service_code == NOT_FOUND:
                return Absent()
            raise
        _must_be_it(subject, name, body)
        try:
            return live_of(subject, api, name, body)
        except (TypeError, AttributeError, ValueError, RecursionError) as error:
            raise CloudError("HF513", f"{method.id}: the answer has an unexpected form ({error})", retry=Retry.SLOWLY) from None

    async def ask(self, subject: Subject, operation: str) -> Answer | None:
        api = api_of(subject.kind)
        method, params = _operation_method(subject, api, operation)
        try:
            body = await self._client.call(api.host, method, params)
        except CloudError as error:
            if error.service_code == NOT_FOUND:  # long over, and forgotten: what came of it, the resource itself shows
                return Answer()
            raise
        return answer_of(subject, api, body)


def _must_be_it(subject: Subject, name: str, body: JsonMap) -> None:
    """An answer that does not name what was asked for is no answer: neither a resource without fields, nor another one."""
    wanted = unquote(name.rpartition("/")[2])
    inner = [v for k, v in body.items() if k.endswith("Reference") and isinstance(v, dict)]
    said = [str(v) for v in (body.get("name"), body.get("email"), *(i for r in inner for i in r.values())) if v]
    if not any(wanted in (s, s.rpartition("/")[2], unquote(s.rpartition("/")[2])) for s in said):
        shown = f"it names {said[0]!r}" if said else "it names nothing"
        raise CloudError("HF513", f"{subject.kind.name}: the answer is not the resource that was asked for ({wanted!r}): {shown}", retry=Retry.SLOWLY)


def _operation_method(subject: Subject, api: Api, operation: str) -> tuple[Method, dict[str, str]]:
    methods = api.operation_methods()
    for method in methods:
        params = method.params_of(operation)
        if params is not None:
            return method, params
    for method in methods:
        if method.below == "{+name}":  # names that the document's pattern does not foresee (Cloud Build's stand below the pool)
            return method, {"name": operation}
    raise CloudError("HF513", f"{subject.kind.name}: no method asks after the operation {operation!r}", sent=False)


def _query(subject: Subject, api: Api) -> dict[str, str]:
    """What some fields cost in permissions is asked for only where they are spoken of."""
    spoken = {*subject.spec, *(subject.wanted or ())}
    return {**api.get.query, **{k: v for field, more in api.get.when.items() if field in spoken for k, v in more.items()}}


def filled(templates: JsonMap, context: JsonMap) -> dict[str, str]:
    """Query parameters; one whose value is not known is left out."""
    made = {k: fill_name(str(t), context) for k, t in templates.items()}
    return {k: v for k, v in made.items() if v}


def answer_of(subject: Subject, api: Api, body: JsonMap) -> Answer | None:
    """An operation's answer: None while it runs. Raises where it failed."""
    is_done = body.get("done") is True or body.get("status") == "DONE"
    if not is_done:
        return None
    if body.get("error"):
        error = from_operation(f"{subject.kind.name}: {operation_name(body)}", body["error"])
        error.message = without_secrets(subject, error.message)
        raise error
    response = body.get("response")
    return Answer() if not isinstance(response, dict) or len(response) < 2 else resource_answer(subject, api, response)


def operation_name(body: JsonMap) -> str:
    """By which an operation is asked after: its own name where it is a whole one, else that of its link."""
    name = str(body.get("name") or "")
    return name if "/" in name or not body.get("selfLink") else plain_name(str(body["selfLink"]))


def resource_answer(subject: Subject, api: Api, body: JsonMap) -> Answer:
    live = live_of(subject, api, name_of(subject, api), body)
    carried = {k: v for k, v in live.spec.items() if k in decode(subject.kind.spec_schema, body)}
    return Answer(carried, live.status, live.identity)


def live_of(subject: Subject, api: Api, name: str, body: JsonMap) -> Live:
    kind = subject.kind
    shown = one_form(kind.spec_schema, decode(kind.spec_schema, body), subject.spec, last_applied(subject.status))
    spec = {**_without_derived(api, subject.spec, shown), **_named(kind, subject, name)}
    tags = tag_map(get_path(spec, kind.tag_path)) if kind.tag_path else {}
    project = (read_name(api.name, name) or {}).get("project") or subject.place.account
    return Live(spec, decode(kind.status_schema, body), name, Place(project, words=subject.place.words), tags.get(kind.dialect.mark_tag, ""), tags,
                created=moment(get_path(body, api.created)) if api.created else "", pending=_state(body, api.pending) or _state(body, api.gone), leaving=bool(_state(body, api.gone)), raw=body, is_whole=True)


def _without_derived(api: Api, wanted: JsonMap, spec: dict[str, Json]) -> dict[str, Json]:
    """A quantity that is shown in several fields is that field which the spec speaks of, else the one that the others follow from."""
    for field, others in api.derived.items():
        said = [o for o in others if o in wanted] or [o for o in others if o in spec]
        if said and field not in wanted:
            spec = {k: v for k, v in spec.items() if k != field}
    return spec


def _named(kind: Kind, subject: Subject, name: str) -> dict[str, Json]:
    """What the resource's name says of it. As the spec writes it, where it does: by that it was found."""
    parts = read_name(kind.api["name"], name) or {}
    fields = {h.removeprefix("spec.") for h in holes(kind.api["name"]) if h.startswith("spec.")} | ({"projectRef"} & set(kind.spec_schema["properties"]))
    out: dict[str, Json] = {}
    for field in fields:
        said = parts.get("project") if field == "projectRef" else parts.get(f"spec.{field}")
        text = {"external": said} if kind.spec_schema["properties"][field].get("x-ref") else said
        out[field] = subject.spec.get(field) or (text if said else None)
    out.setdefault(kind.dialect.name_field, parts.get(f"spec.{kind.dialect.name_field}"))
    return {k: v for k, v in out.items() if v}


def _state(body: JsonMap, states: States | None) -> str:
    value = str(get_path(body, states.at) or "") if states else ""
    return value if states and value in states.values else ""
