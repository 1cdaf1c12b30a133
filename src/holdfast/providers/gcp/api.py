"""The `api` section of a kind file, typed, together with the methods that the discovery document has for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from holdfast.core.templates import scope_of
from holdfast.kinds.pack import document
from holdfast.model.errors import InputError
from holdfast.model.json import Json, JsonMap
from holdfast.model.kinds import Kind

_HOLE = re.compile(r"{\+?(\w+)}")


class Encoded(str):
    """Part of a path that is as it must be already."""

    __slots__ = ()


@dataclass(frozen=True)
class Method:
    """One REST method. `below` is its path without the version in front, which is how resource names begin."""

    id: str
    http: str
    path: str
    params: JsonMap
    request: str
    response: str

    @property
    def prefix(self) -> str:
        first = self.path.index("{") if "{" in self.path else len(self.path)
        at = self.path.find("projects/")
        return self.path[:at] if 0 <= at < first else self.path[:first]

    @property
    def below(self) -> str:
        return self.path[len(self.prefix):]

    @cached_property
    def query(self) -> frozenset[str]:
        return frozenset(n for n, p in self.params.items() if p["in"] == "query")

    def params_of(self, name: str) -> dict[str, str] | None:
        """The path parameters that lead to a name, or None where the method's path does not fit it."""
        found = self._form.fullmatch(name)
        if found is None:
            return None
        values = dict(zip(self._holes, found.groups(), strict=True))
        fits = all("pattern" not in self.params[n] or not self._is_alone or re.search(self.params[n]["pattern"], v) for n, v in values.items())
        return values if fits else None

    @cached_property
    def _holes(self) -> list[str]:
        return _HOLE.findall(self.below)

    @property
    def _is_alone(self) -> bool:
        """One parameter that stands for a whole name."""
        return len(self._holes) == 1 and "{+" in self.below

    @cached_property
    def _form(self) -> re.Pattern[str]:
        literals = _HOLE.split(self.below)[::2]
        return re.compile(("(.+)" if self._is_alone else "([^/]+)").join(re.escape(text) for text in literals))


@dataclass(frozen=True)
class Call:
    method: str = ""
    id: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    body: JsonMap = field(default_factory=dict)
    when: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # of get: more of the query, where the spec speaks of a field
    refuse: Mapping[str, str] = field(default_factory=dict)  # of create: our fields that it cannot honour, and why
    start: JsonMap = field(default_factory=dict)  # of create: our fields that it sends where the spec gives neither them nor what excludes them
    later: Mapping[str, list[str]] = field(default_factory=dict)  # of create: wire fields that it leaves to the next update, where one of these others is given
    instead: JsonMap = field(default_factory=dict)  # of create: another method, on another resource, where a field is given (clone)


@dataclass(frozen=True)
class Action:
    """A method of its own for some fields: setBackendService, disable and enable."""

    fields: frozenset[str]
    method: Json  # a name, or names by the field's value
    also: tuple[str, ...] = ()  # wire fields that go along from what was read (labelFingerprint)
    body: JsonMap = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    last: bool = False  # waits until nothing else is left to write


@dataclass(frozen=True)
class Update:
    method: str = ""
    style: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    body: JsonMap = field(default_factory=dict)
    also: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    deep: frozenset[str] = frozenset()  # fields of which only the changed parts stand in the mask


@dataclass(frozen=True)
class States:
    at: str
    values: frozenset[str]


@dataclass(frozen=True)
class Api:
    service: str  # pubsub/v1
    host: str
    resource: str
    name: str
    collection: str
    collections: Mapping[str, str]
    methods: Mapping[str, Method]
    operations: tuple[str, ...]
    params: Mapping[str, str]
    get: Call
    create: Call
    delete: Call
    update: Update
    actions: tuple[Action, ...]
    guard: Mapping[str, str]
    derived: Mapping[str, list[str]]  # our fields that the service works out of others
    created: str
    pending: States | None
    gone: States | None
    schemas: JsonMap

    def method(self, name: str, verb: str) -> Method | None:
        """A method of the collection that a resource of this name is in."""
        where = self.collections.get(scope_of(self.name, name), self.collection)
        return self.methods.get(f"{_prefix(self.methods)}.{where}.{verb}")

    def need(self, name: str, verb: str) -> Method:
        found = self.method(name, verb)
        if found is None:
            raise InputError("HF701", f"{self.service} has no method {self.collection}.{verb}", "api")
        return found

    def is_operation(self, method: Method) -> bool:
        return method.response.endswith("Operation")

    def operation_methods(self) -> list[Method]:
        return [self.methods[i] for c in self.operations if (i := f"{_prefix(self.methods)}.{c}.get") in self.methods]


@lru_cache(maxsize=512)
def api_of(kind: Kind) -> Api:
    raw, doc = kind.api, document(kind.service)
    methods = {i: Method(i, m["http"], m["path"], m["params"], m.get("request", ""), m.get("response", "")) for i, m in doc["methods"].items()}
    update = raw.get("update") or {}
    resource = _resource_of(methods, kind)
    return Api(
        service=kind.service, host=doc["host"], resource=resource, name=raw["name"], collection=raw["collection"],
        collections=raw.get("collections") or {}, methods=methods, operations=tuple(raw.get("operations") or ()), params=raw.get("params") or {},
        get=_call(raw.get("get")), create=_call(raw.get("create")), delete=_call(raw.get("delete")),
        update=Update(update.get("method", ""), update.get("style", ""), update.get("query") or {}, update.get("body") or {}, tuple(update.get("with") or ()),
                      tuple(update.get("never") or ()), frozenset(update.get("deep") or ())),
        actions=tuple(Action(frozenset(a["fields"]), a["method"], tuple(a.get("with") or ()), a.get("body") or {}, a.get("query") or {}, a.get("last", False))
                      for a in raw.get("actions") or ()),
        guard=raw.get("guard") or {}, derived=raw.get("derived") or {}, created=raw.get("created", ""), pending=_states(raw.get("pending")), gone=_states(raw.get("gone")),
        schemas=doc["schemas"],
    )


def _prefix(methods: Mapping[str, Method]) -> str:
    """What method ids begin with: the API's name, except that sqladmin's begin with `sql`."""
    return next(iter(methods)).partition(".")[0]


def _resource_of(methods: Mapping[str, Method], kind: Kind) -> str:
    """The schema that get answers with."""
    found = methods.get(f"{_prefix(methods)}.{kind.api['collection']}.{(kind.api.get('get') or {}).get('method', 'get')}")
    if found is None:
        raise InputError("HF701", f"{kind.service} has no method {kind.api['collection']}.get", kind.source)
    return found.response


def _call(raw: JsonMap | None) -> Call:
    return Call(**raw) if raw else Call()


def _states(raw: JsonMap | None) -> States | None:
    return States(raw["at"], frozenset(raw["values"])) if raw else None
