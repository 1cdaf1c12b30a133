"""Layers one and two: what the API server's schema and policies check, and what the controller checks again.

The same functions stand behind the embedded store's admission, the controller and (later) the webhook. Messages carry path and code,
never values of sensitive fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from holdfast.core.desired import references_in
from holdfast.core.messages import value
from holdfast.core.normalise import normalise
from holdfast.core.paths import get_at, steps_of
from holdfast.model.errors import InputError, did_you_mean
from holdfast.model.json import Json, JsonMap, is_empty
from holdfast.model.kinds import Kind, plain_path, schema_at


def check_spec(kind: Kind, spec: JsonMap, *, spec_may_be_absent: bool = False) -> list[InputError]:
    """Types, required and unknown fields, one-of groups: all findings, in the order of the document."""
    if spec_may_be_absent and not spec:
        return []
    errors = [found for e in _validator(kind).iter_errors(spec) for found in _explain(kind, e)]
    return [*errors, *_one_of(kind, spec), *([] if errors else _malformed_references(kind, spec))]


def check_immutable(kind: Kind, old: JsonMap, new: JsonMap) -> list[InputError]:
    """An immutable field, optional ones too, may be set once, then neither changed nor removed. Items of lists are compared as a whole."""
    before, after = normalise(kind, old, live=False), normalise(kind, new, live=False)
    frozen = [p for p, r in kind.rules.items() if r.immutable and "[]" not in p]
    out = []
    for path in frozen:
        steps = steps_of(kind, path)
        was, now = get_at(before, steps), get_at(after, steps)
        if not is_empty(was) and was != now and not _is_referenced(kind, path, old, new):
            what = "removed" if is_empty(now) else "changed"
            out.append(InputError("HF108", f"the field is immutable and was {what}", f"spec.{path}"))
    return out


def _is_referenced(kind: Kind, path: str, old: JsonMap, new: JsonMap) -> bool:
    """A field given by reference is checked by the controller, on the resolved value."""
    parent = steps_of(kind, path)[:-1]
    refs = [r for r in kind.references if r.path.rpartition(".")[0] == ".".join(parent) and r.target == path.rpartition(".")[2]]
    if any(r.is_external for r in refs):
        before, after = (get_at(spec, tuple(path.split("."))) or {} for spec in (old, new))
        return bool(after) and not (before.get("external") and after.get("external"))
    return any(get_at(spec, tuple(r.path.split("."))) is not None for r in refs for spec in (old, new))


def _malformed_references(kind: Kind, spec: JsonMap) -> list[InputError]:
    """`{external}`, or `{name, namespace}`, with a kind where several fit; never both, never neither."""
    out = []
    for ref, at, source in references_in(kind, spec):
        if not ref.is_external or ref.to_secret:
            continue
        where, given = f"spec.{at}", {k for k, v in source.items() if v}
        if "external" in given and given & {"name", "namespace"}:
            out.append(InputError("HF405", "external stands alone: name and namespace belong to a reference by name", where))
        elif not given & {"external", "name"}:
            out.append(InputError("HF405", "a reference needs external, or name (and namespace)", where))
        kinds = [ref.kind, *(k for _, k, _ in ref.others)]
        if ref.others and "name" in given and source.get("kind") not in kinds:
            out.append(InputError("HF405", f"kind must be one of {', '.join(kinds)}", f"{where}.kind"))
    return out


def _one_of(kind: Kind, spec: JsonMap) -> list[InputError]:
    out = []
    for groups, needed in ((kind.one_of, False), (kind.exactly_one, True)):
        for group in groups:
            given = [p for p in group if get_at(spec, tuple(p.split("."))) is not None]
            names = ", ".join(f"spec.{p}" for p in group)
            if len(given) > 1:
                out.append(InputError("HF107", f"only one of {names} may be given", f"spec.{given[1]}"))
            elif needed and not given:
                out.append(InputError("HF106", f"one of {names} is required", f"spec.{group[0]}"))
    return out


@lru_cache(maxsize=512)
def _validator(kind: Kind) -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(closed(kind.spec_schema))


def closed(schema: Json) -> Json:
    """The schema with unknown fields forbidden, and null allowed nowhere it is not said."""
    if not isinstance(schema, Mapping):
        return schema
    out = {k: v for k, v in schema.items() if not k.startswith("x-") and k not in ("description", "format")}
    if "properties" in schema:
        out["properties"] = {k: closed(v) for k, v in schema["properties"].items() if not v.get("x-hidden")}
        out["additionalProperties"] = False
    if isinstance(schema.get("additionalProperties"), Mapping):
        out["additionalProperties"] = closed(schema["additionalProperties"])
    if "items" in schema:
        out["items"] = closed(schema["items"])
    return out


def _explain(kind: Kind, error: Any) -> list[InputError]:
    path = _path(error.instance_path)
    where, name = f"spec.{path}" if path else "spec", type(error.kind).__name__.rpartition("_")[2]
    if name == "AdditionalProperties":
        node = schema_at(kind.spec_schema, plain_path(path)) if path else kind.spec_schema
        known = list((node or {}).get("properties") or {})
        return [InputError("HF105", f"{kind.name} has no such field{did_you_mean(unknown, known)}", f"{where}.{unknown}")
                for unknown in error.kind.unexpected]
    if name == "Required":
        missing = error.kind.property
        return [InputError("HF106", "the field is required", f"{where}.{missing}")]
    if name == "Type":
        node = schema_at(kind.spec_schema, plain_path(path)) if path else kind.spec_schema
        wanted = (node or {}).get("type", "another type")
        shown = "a sensitive value" if kind.is_sensitive(path) else _described(error.instance)
        hint = _quoted(error.instance) if wanted == "string" and not kind.is_sensitive(path) else ""
        return [InputError("HF104", f"must be {article(wanted)}, is {shown}{hint}", where)]
    return [InputError("HF104", "a sensitive value is malformed" if kind.is_sensitive(path) else str(error.message), where)]


def _quoted(value: Json) -> str:
    """How to write a number or boolean where text is wanted."""
    if isinstance(value, bool):
        return f'; write "{str(value).lower()}", in quotes'
    return f'; write "{value}", in quotes' if isinstance(value, (int, float)) else ""


def _short(value: Json) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"{text[:60]}…"


def _described(value: Json) -> str:
    return "null" if value is None else f"{type_name(value)} {_short(value)}"


def article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def type_name(value: Json) -> str:
    names = {bool: "the boolean", int: "the integer", float: "the number", str: "the string", list: "a list", dict: "an object"}
    return names.get(type(value), "null")


def _path(parts: list[str | int]) -> str:
    out = ""
    for part in parts:
        out += f"[{part}]" if isinstance(part, int) else f".{part}" if out else part
    return out


def unknown_values(kind: Kind, spec: JsonMap) -> list[str]:
    """Values that the vendor's model does not list. Only worth a warning: vendors' values grow, and a closed list would be schema lag."""
    return [f"spec.{path}: {value(kind, path, given)} is not among the values that this release knows ({', '.join(known)}); the service decides"
            for path, given, known in _unlisted(kind.spec_schema, "", spec)]


def _unlisted(schema: JsonMap, path: str, given: Json) -> list[tuple[str, Json, list[str]]]:
    if isinstance(given, Mapping):
        nodes = schema.get("properties")
        pairs = [(nodes.get(k) or {} if nodes is not None else schema.get("additionalProperties") or {}, k, v) for k, v in given.items()]
        return [hit for node, k, v in pairs for hit in _unlisted(node, f"{path}.{k}" if path else k, v)]
    if isinstance(given, list):
        return [hit for i, v in enumerate(given) for hit in _unlisted(schema.get("items") or {}, f"{path}[{i}]", v)]
    known = schema.get("x-known") or []
    return [(path, given, known)] if known and isinstance(given, str) and given not in known else []


def layer_of(kind: Kind, path: str) -> str:
    """Which layer guards a field, for the published table: none is unguarded."""
    node, rule = schema_at(kind.spec_schema, path) or {}, kind.rule(path)
    layers = ["API server: type"]
    parent = schema_at(kind.spec_schema, path.rpartition(".")[0]) if "." in path else kind.spec_schema
    if path.rpartition(".")[2] in ((parent or {}).get("required") or []):
        layers.append("API server: required")
    if rule.immutable:
        layers.append("API server: identity rule" if path in kind.identity_fields else
                      "controller: immutable" if "[]" in path else "API server: immutable policy")
        layers.append("controller: immutable against live")
    if any(path in g for g in (*kind.one_of, *kind.exactly_one)):
        layers.append("API server: one-of rule")
    if any(r.path == path for r in kind.references):
        layers.append("controller: reference")
    if rule.immutable_by_service:
        layers.append("service: immutable")
    if node.get("type") in ("string", "integer", "number"):
        layers.append("service: value")
    return ", ".join(layers)
