"""A fake Google Cloud that can misbehave: the control planes of the packed APIs, over one store, with faults on demand.

It is written as the services are documented and were seen to answer. It knows nothing of our kinds, our client or our decisions.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from holdfast.model.json import Json
from holdfast.providers.fake import Fault
from holdfast.providers.gcp.fake import reading, writing
from holdfast.providers.gcp.fake.errors import Refused, answer, from_fault, no_such_page, response
from holdfast.providers.gcp.fake.masks import set_path
from holdfast.providers.gcp.fake.operations import Operation
from holdfast.providers.gcp.fake.request import GcpFault, Request, parse_body, read_request
from holdfast.providers.gcp.fake.router import Route, Target, match, read_url, resource_named
from holdfast.providers.gcp.fake.store import Entry, place_of
from holdfast.providers.gcp.fake.values import Values
from holdfast.providers.gcp.fake.world import World
from holdfast.providers.wire import WireResponse, is_mutating

_VERBS: dict[str, Callable[[World, Request], tuple[int, Json]]] = {
    "get": reading.read_one, "list": reading.read_list, "aggregatedList": reading.read_aggregated, "create": writing.create, "insert": writing.create,
    "patch": writing.change, "update": writing.change, "delete": writing.delete,
}


@dataclass(frozen=True, slots=True)
class Call:
    """One request, as it came."""

    operation: str
    method: str
    path: str
    query: dict[str, str]
    body: Json


class FakeGcp:
    """The cloud. `log` has every method id in order; `faults` are looked through in order, the first that meets is used."""

    def __init__(self, now: Callable[[], float] = time.time, seed: int = 0, sleep: Callable[[float], None] | None = None) -> None:
        self.log: list[str] = []
        self.calls: list[Call] = []
        self.faults: list[Fault] = []
        self.operation_seconds = 0.0
        self.slept: list[float] = []  # latencies, where no `sleep` was handed in
        self._now, self._seed, self._sleep = now, seed, sleep or self.slept.append
        self._lock = threading.RLock()
        self._world = World(Values(now, seed))

    @property
    def mutations(self) -> list[str]:
        return [op for op in self.log if is_mutating(op)]

    def reset(self) -> None:
        """An empty cloud, with no faults and an empty log."""
        for seen in (self.log, self.calls, self.faults, self.slept):
            seen.clear()
        self._world = World(Values(self._now, self._seed))

    def misbehave(self, **fault: Any) -> Fault:
        self.faults.append(GcpFault(**fault))
        return self.faults[-1]

    def handle(self, method: str, url: str, headers: dict[str, str], body: bytes, operation: str = "") -> WireResponse | None:
        """One request. None: it acted, and the answer is lost."""
        del operation
        lowered = {k.lower(): v for k, v in headers.items()}
        target = read_url(url, lowered)
        found = match(method, target) if target else None
        if target is None or (found is None and self._operation_at(target) is None) or (found and _lacks(found[0])):
            self._note(f"{'Get' if method == 'GET' else method.title()} {urlsplit(url).path}", method, target, body)
            return no_such_page(urlsplit(url).path)
        name = found[0].id if found else next(m for m in target.service.document["methods"] if m.endswith("perations.get"))
        with self._lock:
            self._note(name, method, target, body)
            fault = self._fault(name)
        if isinstance(fault, GcpFault) and fault.latency:
            self._sleep(fault.latency)
        with self._lock:
            given = self._act(found[0] if found else None, target, lowered, body, fault)
        return None if fault is not None and fault.lost else given

    def _note(self, name: str, method: str, target: Target | None, body: bytes) -> None:
        try:
            parsed = parse_body(body)
        except Refused:
            parsed = None
        self.log.append(name)
        self.calls.append(Call(name, method, target.path if target else "", dict(target.query) if target else {}, parsed))

    def _fault(self, name: str) -> Fault | None:
        fault = next((f for f in self.faults if f.meets(name)), None)
        if fault is not None and fault.times is not None:
            fault.times -= 1
        return fault

    def _act(self, route: Route | None, target: Target, headers: dict[str, str], body: bytes, fault: Fault | None) -> WireResponse:
        self._settle()
        if fault is not None and fault.before is not None:
            fault.before()
        try:
            if fault is not None and fault.error is not None:
                raise from_fault(*fault.error, fault.retry_after if isinstance(fault, GcpFault) else "")
            status, given = self._answer(route, target, headers, parse_body(body), fault)
        except Refused as refused:
            return response(refused, target.service.errors)
        return answer(status, _partial(given, target.query.get("fields", "")))

    def _answer(self, route: Route | None, target: Target, headers: dict[str, str], body: Json, fault: Fault | None) -> tuple[int, Json]:
        running = self._operation_at(target)
        if route is None or ".operations." in route.id.lower() or "Operations." in route.id:
            return _poll(running, route, target)
        if route.resource is None:
            raise Refused(f"{route.id} is not implemented by the fake.", "UNIMPLEMENTED")
        path = self._world.store.canonical(target.path.removesuffix(route.tail) if route.tail else target.path)
        again = self._world.asked.get((route.id, target.query.get("requestId", "")))
        if again is not None:
            return 200, again.body()
        request = read_request(route, route.resource, target, path, headers, body, fault)
        act = writing.set_fields if route.verb in route.resource.methods else _VERBS.get(route.verb)
        if act is None:
            raise Refused(f"{route.id} is not implemented by the fake.", "UNIMPLEMENTED")
        return act(self._world, request)

    def _operation_at(self, target: Target) -> Operation | None:
        path = self._world.store.canonical(target.path.removesuffix(":wait").removesuffix("/wait").removesuffix(":cancel").removesuffix("/cancel"))
        return self._world.operations.get(f"{target.service.host}/{path}")

    def get(self, name: str) -> dict[str, Json] | None:
        """The stored resource as its `get` would show it; unlogged."""
        with self._lock:
            self._settle()
            entry = self._world.store.entries.get(self._full(name))
            return reading.viewed(self._world, None, entry) if entry else None

    def names(self) -> list[str]:
        with self._lock:
            self._settle()
            return sorted(self._world.store.entries)

    def _settle(self) -> None:
        self._world.seconds = self.operation_seconds
        self._world.settle()

    def put(self, name: str, body: dict[str, Json]) -> None:
        """A resource made by hand, with the service's defaults; unlogged and unchecked."""
        with self._lock:
            host, _, path = self._full(name).partition("/")
            resource = resource_named(host, path)
            if resource is None:
                raise KeyError(name)
            project = self._world.store.projects.get(str(body.get("projectNumber")), "project")
            place = self._world.place(resource, path, "" if path.startswith("projects/") else project)
            given = {k: v for k, v in body.items() if k in resource.fields}
            made = writing.made(self._world, place, given)
            chosen = {k: v for k, v in given.items() if resource.is_output(k) and k != "name"}
            self._world.store.put(Entry(resource, path, place.project, {**made, **chosen}))

    def edit(self, name: str, changes: dict[str, Json]) -> None:
        """Somebody else's edit: dotted paths to values, None removes; unlogged. Etags, versions and times move as by a real edit."""
        with self._lock:
            entry = self._world.store.entries[self._full(name)]
            body = dict(entry.body)
            for path, value in changes.items():
                body = set_path(body, path, value)
            body = writing.touched(self._world, place_of(entry, self._world.values), entry.body, body)
            self._world.store.put(Entry(entry.resource, entry.path, entry.project, body))

    def remove(self, name: str) -> None:
        with self._lock:
            self._world.store.drop(self._full(name))

    def _full(self, name: str) -> str:
        host, _, path = name.partition("/")
        return f"{host}/{self._world.store.canonical(path)}"


def _lacks(route: Route) -> bool:
    return route.resource is not None and route.verb in route.resource.without


def _poll(operation: Operation | None, route: Route | None, target: Target) -> tuple[int, Json]:
    """GET, wait, cancel or delete of an operation; those that are over stay readable."""
    if route is not None and route.verb not in ("get", "wait", "cancel"):
        raise Refused(f"{route.id} is not implemented by the fake.", "UNIMPLEMENTED")
    if operation is None:
        raise Refused(f"Operation not found: {target.path}" if target.service.errors == "esf" else f"The resource '{target.path}' was not found", "NOT_FOUND")
    if route is not None and route.verb == "cancel":
        return 200, {}
    return 200, operation.body()


def _partial(body: Json, fields: str) -> Json:
    """A partial answer: `fields=name,labels`; deeper selections are not looked at."""
    if not fields or fields == "*" or not isinstance(body, dict):
        return body
    wanted = {f.partition("/")[0].partition("(")[0].partition(".")[0] for f in fields.split(",")}
    return {k: v for k, v in body.items() if k in wanted}
