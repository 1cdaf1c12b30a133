"""Schemas of AWS kinds from botocore's models, with ACK's names. Runs at build time (`make generate`), never at start-up.

Each property carries `x-wire`, the vendor's own name, where it is not the field's; codecs go by it. `x-known` has the values that the
model lists for a field: never a rule, only a warning in `plan`. What a model cannot say stands in the kind's YAML.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.kinds.names import field_name
from holdfast.model.errors import InputError
from holdfast.model.json import Json, JsonMap

_SCALARS: dict[str, dict[str, Json]] = {
    "string": {"type": "string"}, "character": {"type": "string"}, "boolean": {"type": "boolean"},
    "integer": {"type": "integer", "format": "int64"}, "long": {"type": "integer", "format": "int64"},
    "float": {"type": "number"}, "double": {"type": "number"},
    "timestamp": {"type": "string", "format": "date-time"}, "blob": {"type": "string", "format": "byte"},
}
_REFERENCE = {"type": "object", "properties": {"from": {"type": "object", "properties": {
    "name": {"type": "string"}, "namespace": {"type": "string"}}}}}
_SECRET = {"type": "object", "required": ["key"], "properties": {
    "key": {"type": "string"}, "name": {"type": "string"}, "namespace": {"type": "string"}}}


class Model:
    """One service's botocore model."""

    def __init__(self, service: str) -> None:
        import botocore.session
        from botocore.exceptions import BotoCoreError

        try:
            self._model: Any = botocore.session.get_session().get_service_model(service)
        except BotoCoreError:
            raise InputError("HF701", f"the vendor has no service {service!r}", "model") from None

    def shape(self, path: str, *, output: bool = False) -> Any:
        """The shape at `Operation.Member.Member`; a list's items are entered silently."""
        operation, *members = path.split(".")
        if not self.has_operation(operation):
            raise InputError("HF701", f"the service has no operation {operation!r}")
        model = self._model.operation_model(operation)
        shape = model.output_shape if output else model.input_shape
        for name in members:
            while shape.type_name == "list":
                shape = shape.member
            if name not in getattr(shape, "members", {}):
                raise InputError("HF701", f"{operation} has no member {name!r} at {path!r}")
            shape = shape.members[name]
        return shape

    def has_operation(self, name: str) -> bool:
        return name in self._model.operation_names


def build(declared: JsonMap, service: str) -> tuple[dict[str, Json], dict[str, Json]]:
    """(spec schema, status schema) of one kind file."""
    model, schema = Model(service), declared.get("schema") or {}
    renames: Mapping[str, str] = schema.get("rename") or {}
    created = model.shape(schema["create"])
    dropped = set(schema.get("drop") or ())
    _must_know("schema.drop", dropped, created.members)
    spec = _members(created, renames, dropped)
    spec |= {_name(k, renames): _added(model, k, v, renames) for k, v in (schema.get("add") or {}).items()}
    _add_references(spec, declared.get("references") or {})
    for path, rule in (declared.get("fields") or {}).items():
        if rule.get("secret"):
            spec[path] = {**_SECRET, **{k: v for k, v in (spec.get(path) or {}).items() if k == "x-wire"}}
    required = schema.get("required")
    if required is None:
        filled = {r["fills"] for r in (declared.get("references") or {}).values()}
        required = [n for n in (_name(m, renames) for m in created.required_members) if n in spec and n not in filled]
    _must_know("schema.required", required, spec)
    _drop_paths(spec, schema.get("omit") or ())
    _rename_paths(spec, renames)
    return _object(spec, required), _object(_status(model, schema, spec, renames), ())


def _must_know(what: str, names: Iterable[str], known: Iterable[str]) -> None:
    for name in sorted(set(names) - set(known)):
        raise InputError("HF701", f"{what}: there is no {name!r}")


def _status(model: Model, schema: JsonMap, spec: JsonMap, renames: Mapping[str, str]) -> dict[str, Json]:
    wanted = schema.get("status") or {}
    out: dict[str, Json] = {}
    for source in wanted.get("from") or ():
        members = _members(model.shape(source, output=True), {**renames, **(wanted.get("rename") or {})}, set(wanted.get("drop") or ()))
        out |= {k: v for k, v in members.items() if k not in spec or k in (wanted.get("keep") or ())}
    for name, kind in (wanted.get("add") or {}).items():
        out[_name(name, wanted.get("rename") or {})] = _added(model, name, kind, renames, output=True)
    return out


def _object(properties: dict[str, Json], required: Any) -> dict[str, Json]:
    out: dict[str, Json] = {"type": "object", "properties": dict(sorted(properties.items()))}
    return {**out, "required": sorted(required)} if required else out


def _name(wire: str, renames: Mapping[str, str]) -> str:
    return renames.get(wire) or field_name(wire)


def _members(shape: Any, renames: Mapping[str, str], dropped: set[str]) -> dict[str, Json]:
    out = {}
    while shape is not None and shape.type_name == "list":
        shape = shape.member
    for wire, member in (shape.members if shape is not None else {}).items():
        if wire not in dropped:
            out[_name(wire, renames)] = _wired(_name(wire, renames), wire, _shape(member, renames, ()))
    return out


def _wired(name: str, wire: str, node: dict[str, Json]) -> dict[str, Json]:
    return {**node, "x-wire": wire} if wire != name else node


def _added(model: Model, wire: str, kind: Json, renames: Mapping[str, str], *, output: bool = False) -> dict[str, Json]:
    """A field that Create does not have: a type, `[type]`, `{type}` (a map), or `Operation.Path` (`>` in front: of its output)."""
    name = _name(wire, renames)
    if isinstance(kind, list):
        return _wired(name, wire, {"type": "array", "items": _added(model, "x", kind[0], renames, output=output)})
    if isinstance(kind, dict):
        return _wired(name, wire, {"type": "object", "additionalProperties": dict(_SCALARS[kind["map"]])})
    if kind in _SCALARS:
        return _wired(name, wire, dict(_SCALARS[kind]))
    if "." not in kind and not model.has_operation(kind.lstrip("<>")):
        raise InputError("HF701", f"{wire}: {kind!r} is neither a type ({', '.join(_SCALARS)}) nor Operation.Path")
    from_output = kind.startswith(">") or (output and not kind.startswith("<"))
    return _wired(name, wire, _shape(model.shape(kind.lstrip("<>"), output=from_output), renames, ()))


def _shape(shape: Any, renames: Mapping[str, str], above: tuple[str, ...]) -> dict[str, Json]:
    if shape.name in above:
        return {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    inner = (*above, shape.name)
    match shape.type_name:
        case "structure":
            fields = {field_name(w): _wired(field_name(w), w, _shape(m, renames, inner)) for w, m in shape.members.items()}
            return {"type": "object", "properties": dict(sorted(fields.items()))}
        case "list":
            return {"type": "array", "items": _shape(shape.member, renames, inner)}
        case "map":
            return {"type": "object", "additionalProperties": _shape(shape.value, renames, inner)}
        case scalar:
            known = {"x-known": sorted(shape.enum)} if getattr(shape, "enum", None) else {}
            return {**_SCALARS[scalar], **known}


def _holder(spec: dict[str, Json], path: str) -> tuple[dict[str, Json], str]:
    """The properties that hold the last field of a path (`a.b[].c`), and its name."""
    *parents, name = path.split(".")
    properties = spec
    for parent in parents:
        node = properties.get(parent.removesuffix("[]")) or {}
        inner = node.get("items") or {} if parent.endswith("[]") else node
        if "properties" not in inner:
            raise InputError("HF701", f"{path!r} stands in {parent!r}, which is not there or has no fields")
        properties = inner["properties"]
    return properties, name


def _add_references(spec: dict[str, Json], references: Mapping[str, JsonMap]) -> None:
    for path in references:
        properties, name = _holder(spec, path)
        properties[name] = {"type": "array", "items": _REFERENCE} if name.endswith("Refs") else dict(_REFERENCE)


def _drop_paths(spec: dict[str, Json], paths: Any) -> None:
    """Take out nested fields that upstream does not have (`a.b[].c`)."""
    for path in paths:
        properties, name = _holder(spec, path)
        if name not in properties:
            raise InputError("HF701", f"schema.omit: no field {path!r}")
        del properties[name]


def _rename_paths(spec: dict[str, Json], renames: Mapping[str, str]) -> None:
    """Nested fields that upstream names against its own rule (`a.b.type_: type`)."""
    for path, new in renames.items():
        if "." not in path:
            continue
        properties, name = _holder(spec, path)
        if name not in properties:
            raise InputError("HF701", f"schema.rename: no field {path!r}")
        node = properties.pop(name)
        properties[new] = {"x-wire": name, **node}
