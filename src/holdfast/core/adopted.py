"""AdoptedResource: both of its documented shapes, read into one value, and its three rejections.

Shape one is the design document's (`spec.apiVersion`, `kind`, `metadata`, `identifier`); shape two is the one ACK shipped
(`spec.kubernetes`, `spec.aws`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from holdfast.model.errors import InputError
from holdfast.model.json import Json, JsonMap
from holdfast.model.kinds import Kind
from holdfast.model.objects import ObjectKey, group_of

KIND = "AdoptedResource"
FindKind = Callable[[str, str], Kind | None]


@dataclass(frozen=True, slots=True)
class AdoptionRequest:
    """What is to be adopted, and under which name it shall be kept."""

    kind: Kind
    key: ObjectKey
    metadata: JsonMap
    identifier: tuple[str, str]  # (arn | name | id, value)
    extra: Mapping[str, str] = field(default_factory=dict)
    region: str = ""


def parse_request(body: JsonMap, find_kind: FindKind) -> AdoptionRequest:
    """Raises InputError: unknown kind (HF301), not adoptable (HF303), identifier (HF304)."""
    spec, meta = body.get("spec") or {}, body.get("metadata") or {}
    is_shape_two = "kubernetes" in spec or "aws" in spec
    group, name, target, identifier, extra = _shape_two(spec) if is_shape_two else _shape_one(spec)
    kind = find_kind(group, name)
    if kind is None:
        raise InputError("HF301", f"no kind {name!r} in group {group!r} is installed", f"{'spec.kubernetes' if is_shape_two else 'spec'}.kind")
    if kind.cannot_adopt:
        raise InputError("HF303", f"{kind.name} cannot be adopted: {kind.cannot_adopt}", "spec.kind")
    key = ObjectKey(kind.group, kind.name, str(target.get("namespace") or meta.get("namespace") or "default"),
                    str(target.get("name") or meta.get("name")))
    notes = {**(meta.get("annotations") or {}), **_mapping(target, "annotations", "spec.metadata")}
    region = str(notes.get(kind.dialect.annotation("region"), ""))
    return AdoptionRequest(kind, key, target, _identifier(kind, identifier, "spec.aws" if is_shape_two else "spec.identifier"), extra, region)


def _shape_one(spec: JsonMap) -> tuple[str, str, JsonMap, JsonMap, Mapping[str, str]]:
    group = group_of(_text(spec, "apiVersion"))
    return group, _text(spec, "kind"), _mapping(spec, "metadata"), _mapping(spec, "identifier"), {}


def _shape_two(spec: JsonMap) -> tuple[str, str, JsonMap, JsonMap, Mapping[str, str]]:
    target, aws = _mapping(spec, "kubernetes"), _mapping(spec, "aws")
    given = {k: v for k, v in (("arn", aws.get("arn")), ("nameOrID", aws.get("nameOrID"))) if v}
    return (_text(target, "group", "spec.kubernetes"), _text(target, "kind", "spec.kubernetes"), _mapping(target, "metadata", "spec.kubernetes"), given,
            _mapping(aws, "additionalKeys", "spec.aws"))


def _text(data: JsonMap, name: str, where: str = "spec") -> str:
    value = data.get(name)
    if not isinstance(value, str) or not value:
        raise InputError("HF106", "the field is required, and a string", f"{where}.{name}")
    return value


def _mapping(data: JsonMap, name: str, where: str = "spec") -> dict[str, Json]:
    value = data.get(name)
    if value is not None and not isinstance(value, Mapping):
        raise InputError("HF104", "must be an object", f"{where}.{name}")
    return dict(value or {})


def _identifier(kind: Kind, given: JsonMap, where: str) -> tuple[str, str]:
    given = {k: v for k, v in given.items() if v is not None}
    takes = ", ".join(kind.identifiers) or "none"
    if len(given) != 1:
        raise InputError("HF304", f"exactly one of arn, name, id is needed, {len(given)} given; {kind.name} takes: {takes}", where)
    (sort, value), = given.items()
    if not isinstance(value, (str, int)) or isinstance(value, bool) or value == "":
        raise InputError("HF304", f"{sort} must be a string or an integer", where)
    if sort == "nameOrID":
        sort = next((s for s in ("id", "name") if s in kind.identifiers), "name")
    if sort not in kind.identifiers:
        raise InputError("HF304", f"{kind.name} is not found by {sort}; it takes: {takes}", where)
    return sort, str(value)
