"""The services as data: `services/*.yaml`, one file per service, a section per collection.

The discovery document says what the methods and fields are; these files say what the service does that the document does not:
where an id comes from, defaults, made-up fields, limits, words of refusal, long-running operations.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import yaml

from holdfast.kinds.pack import document
from holdfast.model.json import Json, JsonMap

HERE = Path(__file__).parent / "services"


@dataclass(frozen=True)
class Service:
    """One API: the shape of its errors and the habits of its front end."""

    api: str
    name: str
    errors: str = "esf"  # the shape of errors: esf, old, both
    unknown: str = "refuse"  # unknown body fields: refuse or ignore
    zeroes: str = "drop"  # whether an answer has fields that are zero, as proto3's JSON does not
    times: str = "micros"  # micros, millis or pacific
    project: str = "id"  # how names show the project: id or number

    @cached_property
    def document(self) -> JsonMap:
        return document(self.api)

    @property
    def host(self) -> str:
        return str(self.document["host"])

    @cached_property
    def schemas(self) -> JsonMap:
        return dict(self.document["schemas"])


@dataclass(frozen=True)
class Resource:
    """One collection: everything that its section says. See the comments at the top of `services/pubsub.yaml`."""

    service: Service
    collection: str
    schema: str
    noun: str = ""
    id_from: str = "body:name"
    id_is: str = ""
    id_pattern: str = ""
    required: list[str] = field(default_factory=list)
    checks: list[dict[str, Json]] = field(default_factory=list)
    defaults: dict[str, Json] = field(default_factory=dict)
    generated: dict[str, Json] = field(default_factory=dict)
    touch: dict[str, Json] = field(default_factory=dict)
    finish: list[str] = field(default_factory=list)
    output: list[str] = field(default_factory=list)
    immutable: list[str] = field(default_factory=list)
    mutable: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    keeps: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    update: str = "mask"  # mask, merge or replace
    mask: str = "optional"  # or required
    etag: dict[str, Json] = field(default_factory=dict)
    words: dict[str, Json] = field(default_factory=dict)
    upserts: bool = False  # PUT of what is not there creates it
    parent: str = ""
    used_by: list[dict[str, Json]] = field(default_factory=list)
    holds: dict[str, Json] = field(default_factory=dict)
    protected: str = ""
    without: list[str] = field(default_factory=list)
    operations: dict[str, Json] = field(default_factory=dict)
    methods: dict[str, dict[str, Json]] = field(default_factory=dict)
    answers: dict[str, dict[str, Json]] = field(default_factory=dict)
    listed: list[str] = field(default_factory=list)

    @cached_property
    def fields(self) -> JsonMap:
        return dict(self.service.schemas[self.schema]["properties"])

    def is_output(self, name: str) -> bool:
        return name in self.output or "output" in self.fields.get(name, {}).get("behaviours", ())


@lru_cache(maxsize=1)
def resources() -> dict[str, Resource]:
    """Every collection that the fake has, by the prefix of its method ids (`pubsub.projects.topics`)."""
    found: dict[str, Resource] = {}
    for path in sorted(HERE.glob("*.yaml")):
        for resource in _load(yaml.safe_load(path.read_text())):
            found[resource.collection] = resource
    return found


@lru_cache(maxsize=1)
def services() -> dict[str, Service]:
    """The services, by host."""
    return {r.service.host: r.service for r in resources().values()}


def _load(data: dict[str, Any]) -> list[Resource]:
    service = Service(**{k: data[k] for k in (f.name for f in fields(Service)) if k in data})
    shared = data.get("every", {})
    return [_resource(service, name, shared, section) for name, section in data["resources"].items()]


def _resource(service: Service, name: str, shared: dict[str, Any], section: dict[str, Any]) -> Resource:
    """A section on top of what every section of the service shares; maps are merged one level deep."""
    merged = dict(shared)
    for key, value in section.items():
        below = merged.get(key)
        merged[key] = {**below, **value} if isinstance(below, dict) and isinstance(value, dict) else value
    return Resource(service=service, collection=f"{service.name}.{name}", **merged)
