"""The `api` section of a kind file, typed: how AWS finds, reads, makes, changes and deletes one kind.

A kind is read in parts. The first part tells whether the resource exists; the others (S3's sub-resources, tags, policies) may be absent
or fail on their own. A part is written in one of four ways: whole (`write`, and `clear` where empty), field by field (`each`), or by
members (`add` and `remove`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from holdfast.model.json import Json, JsonMap
from holdfast.model.kinds import Kind

Calls = tuple["Call", ...]


@dataclass(frozen=True)
class Call:
    op: str
    params: JsonMap = field(default_factory=dict)
    base: str = "@"  # where in the answer the resource stands
    out: Mapping[str, str] = field(default_factory=dict)  # field → expression, relative to base
    condition: str = ""
    each: str = ""  # an expression over the previous answer: one call per item
    per_item: bool = False  # of added or removed members
    absent: frozenset[str] = frozenset()  # codes that mean: nothing there
    ignore: frozenset[str] = frozenset()  # codes that mean: already so
    answer: str = ""  # where in the answer to a write the resource stands, if it is there


@dataclass(frozen=True)
class Part:
    name: str
    fields: tuple[str, ...]
    read: Calls = ()
    write: Calls = ()
    clear: Calls = ()
    each: Calls = ()
    add: Calls = ()
    remove: Calls = ()
    key: str = ""
    removes_first: bool = False  # of members: what must go goes before what must come (limits, names)
    absent: frozenset[str] = frozenset()
    bundles: tuple[str, ...] = ()  # lists inside the items of the part's fields: how members are grouped into items means nothing
    filled: bool = False  # the service puts something there at creation


@dataclass(frozen=True)
class States:
    at: str
    values: frozenset[str]
    answer: str = ""  # where the answer to a write says it; once it does, no further write is sent in this pass


@dataclass(frozen=True)
class Api:
    arn: str
    create: Call
    carries: frozenset[str]  # spec fields that the create call takes
    parts: tuple[Part, ...]
    delete: Calls
    find: Calls = ()
    not_found: frozenset[str] = frozenset()
    created: str = ""
    pending: States | None = None
    gone: States | None = None

    @property
    def main(self) -> Part:
        return self.parts[0]


@lru_cache(maxsize=512)
def api_of(kind: Kind) -> Api:
    raw = kind.api
    named = {f for p in raw["parts"] if p["fields"] != "rest" for f in p["fields"]}
    rest = tuple(n for n in kind.spec_schema["properties"] if n not in named)
    parts = tuple(_part(p, rest) for p in raw["parts"])
    carried = raw["create"].get("carries")
    everything = frozenset(kind.spec_schema["properties"])
    return Api(
        arn=raw["arn"], create=_call(raw["create"]), parts=parts, delete=_calls(raw["delete"]), find=_calls(raw.get("find") or []),
        carries=everything if carried == "rest" else frozenset(carried or rest), not_found=frozenset(raw.get("not_found") or ()),
        created=raw.get("created", ""), pending=_states(raw.get("pending")), gone=_states(raw.get("gone")),
    )


def _part(raw: JsonMap, rest: tuple[str, ...]) -> Part:
    return Part(
        raw["name"], rest if raw["fields"] == "rest" else tuple(raw["fields"]), key=raw.get("key", ""),
        removes_first=raw.get("first") == "remove" or raw.get("key") == "whole",
        absent=frozenset(raw.get("absent") or ()), bundles=tuple(raw.get("bundles") or ()), filled=raw.get("filled", False),
        **{name: _calls(raw.get(name) or []) for name in ("read", "write", "clear", "each", "add", "remove")},
    )


def _calls(raw: Json) -> Calls:
    return tuple(_call(c) for c in (raw if isinstance(raw, list) else [raw]))


def _call(raw: JsonMap) -> Call:
    return Call(raw["op"], raw.get("with") or {}, raw.get("from", "@"), raw.get("out") or {}, raw.get("if", ""), raw.get("each", ""),
                raw.get("per") == "item", frozenset(raw.get("absent") or ()), frozenset(raw.get("ignore") or ()), raw.get("answer", ""))


def _states(raw: JsonMap | None) -> States | None:
    return States(raw["at"], frozenset(raw["values"]), raw.get("answer", "")) if raw else None
