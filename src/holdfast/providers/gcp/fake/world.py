"""The state of the cloud: resources, operations, and what is hidden for a while; and how to find a resource in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from holdfast.model.json import Json
from holdfast.providers.gcp.fake.codec import shown
from holdfast.providers.gcp.fake.masks import set_path
from holdfast.providers.gcp.fake.operations import Operation
from holdfast.providers.gcp.fake.request import GcpFault, Request
from holdfast.providers.gcp.fake.spec import Resource
from holdfast.providers.gcp.fake.store import Entry, Place, Store, copied
from holdfast.providers.gcp.fake.values import Values
from holdfast.providers.gcp.fake.words import refusal

_LINK = re.compile(r"^(?:https?:)?//[^/]+/(?:(?:[a-z]+/)?(?:v\d+\w*|beta|alpha)/)?")


@dataclass(slots=True)
class World:
    """Everything that a request can see or change."""

    values: Values
    store: Store = field(default_factory=Store)
    operations: dict[str, Operation] = field(default_factory=dict)
    running: list[Operation] = field(default_factory=list)
    hidden: set[str] = field(default_factory=set)  # names whose next read answers 404
    asked: dict[tuple[str, str], Operation] = field(default_factory=dict)  # requests that must not be done twice
    seconds: float = 0.0

    def settle(self) -> None:
        """End the operations whose time has come."""
        for operation in self.running:
            if self.values.now() - operation.started >= self.seconds:
                operation.settle()
        self.running = [o for o in self.running if not o.done]

    def running_on(self, name: str) -> Operation | None:
        return next((o for o in self.running if not o.done and f"{o.place.resource.service.host}/{o.place.path}" == name), None)

    def place(self, resource: Resource, path: str, project: str = "") -> Place:
        steps = path.split("/")
        return Place(resource, path, project or (steps[1] if steps[0] == "projects" and len(steps) > 1 else ""), self.values)

    def find(self, request: Request) -> Entry:
        """The resource that the request names, or the service's refusal."""
        place = self.place(request.resource, request.path, _project_of(request))
        name = f"{request.resource.service.host}/{request.path}"
        reads = request.verb == "get"
        fault = request.fault
        entry = self.store.see(name, stale=reads and fault is not None and fault.stale) or self._by_alias(request)
        if reads and name in self.hidden:
            self.hidden.discard(name)
            entry = None
        if entry is None or (reads and isinstance(fault, GcpFault) and fault.absent):
            raise refusal(place, "absent")
        return entry

    def _by_alias(self, request: Request) -> Entry | None:
        """A resource by its number, or in any project or location (`-`)."""
        last = request.path.rpartition("/")[2]
        if not last.isdigit() and "/-/" not in request.path:
            return None
        for entry in self.store.of(request.resource.collection):
            same = matches(request.path, entry.path)
            if same or (matches(request.path.rpartition("/")[0], entry.path.rpartition("/")[0]) and last in (entry.body.get("id"), entry.body.get("uniqueId"))):
                return entry
        return None

    def show(self, entry: Entry) -> dict[str, Json]:
        """The resource as its `get` shows it, before what a method adds or leaves out."""
        body = copied(entry.body)
        for path in entry.resource.hidden:
            body = set_path(body, path, None)
        if entry.resource.service.zeroes == "drop":
            return dict(shown(entry.resource.service.schemas, {"$ref": entry.resource.schema}, body, entry.resource.keeps))
        return body

    def target(self, value: str, project: str) -> str:
        """The path that a reference names, in whichever form it is written."""
        path = _LINK.sub("", value)
        if path.startswith(("global/", "regions/", "zones/")):
            path = f"projects/{project}/{path}"
        return self.store.canonical(path)

    def users_of(self, entry: Entry, by: str, field_path: str) -> Iterator[Entry]:
        """The resources of a collection whose field names this one."""
        for other in self.store.of(by):
            if any(self.target(v, other.project) == entry.path for v in texts_at(other.body, field_path)):
                yield other


def texts_at(body: Json, path: str) -> list[str]:
    """The strings at a dotted path, through lists."""
    found: list[Json] = [body]
    for step in path.split("."):
        below = [f.get(step) for f in found if isinstance(f, dict)]
        found = [v for b in below for v in (b if isinstance(b, list) else [b])]
    return [v for v in found if isinstance(v, str) and v]


def matches(pattern: str, path: str) -> bool:
    """Whether a path is named, where `-` is any."""
    wanted, given = pattern.split("/"), path.split("/")
    return len(wanted) == len(given) and all(w in ("-", g) for w, g in zip(wanted, given, strict=True))


def _project_of(request: Request) -> str:
    return request.query.get("project") or request.query.get("userProject") or ""
