"""Between a spec and what the API takes. The schema's `x-` words say where a value stands on the wire (`x-wire`) and in which form.

A form is one entry of FORMS, with both ways; the first word that a node has decides. What has none is taken as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from holdfast.core.policy import json_document
from holdfast.core.templates import fill_name
from holdfast.model.json import Json, JsonMap, get_path, merge, with_path


def encode(schema: JsonMap, spec: JsonMap, names: JsonMap) -> dict[str, Json]:
    """The resource's body. `names` fills names that the API wants whole where the spec has them short."""
    root: dict[str, Json] = {}
    made = _encode_object(schema, spec, names, root)
    return dict(merge(made, root)) if isinstance(made, dict) else root


def _encode_object(schema: JsonMap, value: JsonMap, names: JsonMap, root: dict[str, Json]) -> Json:
    out: dict[str, Json] = {}
    for name, inner in value.items():
        node = (schema.get("properties") or {}).get(name)
        if node is None or inner is None:
            continue
        made, wire = _encode(node, inner, names, root), node.get("x-wire", name)
        for path, meant in (node.get("x-means") or {}).items() if inner else ():
            root.update(merge(root, with_path({}, path, meant)))
        if made is None or wire == "":
            continue
        if wire == ".":
            if not isinstance(made, dict):
                return made
            out = merge(out, made)
        elif wire.startswith("/"):
            root.update(merge(root, with_path({}, wire[1:], made)))
        else:
            out = merge(out, with_path({}, wire, made))
    return out


def _encode(node: JsonMap, value: Json, names: JsonMap, root: dict[str, Json]) -> Json:
    word = next((w for w in FORMS if w in node), "")
    if word:
        return FORMS[word].out(node, value, names)
    if isinstance(value, Mapping):
        return _encode_map(node, value, names, root)
    if isinstance(value, list):
        return [_encode(node.get("items") or {}, v, names, {}) for v in value]
    return _prefixed(node, value)


def _prefixed(node: JsonMap, value: Json) -> Json:
    """A bare name, where the API takes nothing but a URL."""
    return node["x-prefix"] + value if "x-prefix" in node and isinstance(value, str) and value.startswith("projects/") else value


def _expanded(node: JsonMap, value: Json, names: JsonMap) -> Json:
    """A short name, where the API takes whole ones."""
    return fill_name(node["x-expand"], {**names, "value": value}) if "x-expand" in node and isinstance(value, str) and "/" not in value else value


def _encode_map(node: JsonMap, value: JsonMap, names: JsonMap, root: dict[str, Json]) -> Json:
    if "properties" in node:
        return _encode_object(node, value, names, root)
    return {k: _encode(node.get("additionalProperties") or {}, v, names, {}) for k, v in value.items()}


def decode(schema: JsonMap, body: Json) -> dict[str, Json]:
    """The fields of a spec (or status) that a body has."""
    made = _decode_object(schema, body, body)
    return made if isinstance(made, dict) else {}


def _decode_object(schema: JsonMap, body: Json, root: Json) -> Json:
    out: dict[str, Json] = {}
    for name, node in schema["properties"].items():
        wire = node.get("x-wire", name)
        if wire == "" or any(get_path(root, p) != v for p, v in (node.get("x-means") or {}).items()):
            continue
        found = body if wire == "." else get_path(root, wire[1:]) if wire.startswith("/") else _chosen(body, wire)
        value = _decode(node, found, root)
        if value is not None and not (wire == "." and value == {}):
            out[name] = value
    return out


def _chosen(body: Json, path: str) -> Json:
    """The value at a path; `[]` is the first item of a list, `[type=PRIMARY]` the first that has this."""
    for part in re.split(r"(?=\[)|\.", path):
        if part.startswith("["):
            name, _, value = part[1:-1].partition("=")
            body = next((i for i in body if not name or i.get(name) == value), None) if isinstance(body, list) else None
        else:
            body = get_path(body, part)
    return body


def _decode(node: JsonMap, body: Json, root: Json) -> Json:
    word = next((w for w in FORMS if w in node), "")
    if word:
        return FORMS[word].back(node, body)
    if body is None:
        return None
    if "properties" in node:
        return _decode_object(node, body, root)
    if isinstance(body, dict):
        return {k: _decode(node.get("additionalProperties") or {}, v, v) for k, v in body.items()}
    return [_decode(node.get("items") or {}, v, v) for v in body] if isinstance(body, list) else body


# ---- the forms -------------------------------------------------------------------------------------------------------------


class Form(NamedTuple):
    out: Callable[[JsonMap, Json, JsonMap], Json]  # (node, our value, names) → theirs
    back: Callable[[JsonMap, Json], Json]  # (node, their value) → ours; theirs may be None


def _reference_out(node: JsonMap, value: Json, names: JsonMap) -> Json:
    return _expanded(node, _prefixed(node, value.get("external")), names) if isinstance(value, Mapping) else None


def _reference_back(node: JsonMap, body: Json) -> Json:
    is_one = isinstance(body, str) and bool(body) and ("x-has" not in node or f"/{node['x-has']}/" in body)
    return {"external": body} if is_one else None


def _value_back(node: JsonMap, body: Json) -> Json:
    """`values: {OURS: null}`: what is not there means something."""
    return next((ours for ours, theirs in node["x-values"].items() if theirs == body), body)


def _keyed_out(node: JsonMap, value: Json, names: JsonMap) -> Json:
    key = node["x-keyed"]
    return {str(item.get(key)): _encode_object(node["items"], {k: v for k, v in item.items() if k != key}, names, {}) for item in value}


def _keyed_back(node: JsonMap, body: Json) -> Json:
    if not isinstance(body, dict):
        return None
    return [{node["x-keyed"]: key, **_decode_object(node["items"], item, item)} for key, item in sorted(body.items())]


def _single_back(node: JsonMap, body: Json) -> Json:
    return _decode_object(node, body[0], body[0]) if isinstance(body, list) and body else None


def _number_back(node: JsonMap, body: Json) -> Json:
    del node
    return int(body) if re.fullmatch(r"-?[0-9]{1,30}", str(body)) else body


FORMS: dict[str, Form] = {
    "x-flag": Form(lambda _, v, __: {} if v else None, lambda _, b: True if b is not None else None),
    "x-made": Form(lambda _, __, ___: None, lambda n, b: fill_name(n["x-made"], b) or None),
    "x-values": Form(lambda n, v, _: n["x-values"].get(v, v), _value_back),
    "x-secret": Form(lambda _, v, __: v.get("value") if isinstance(v, Mapping) else None, lambda _, __: None),
    "x-json": Form(lambda _, v, __: json_document(v), lambda _, b: json.dumps(b) if b is not None else None),
    "x-single": Form(lambda n, v, names: [_encode_object(n, v, names, {})] if v else [], _single_back),
    "x-listed": Form(lambda n, v, names: _encode(n["items"], v[0], names, {}) if v else None, lambda n, b: [_decode(n["items"], b, b)] if b is not None else None),
    "x-ref": Form(_reference_out, _reference_back),
    "x-keyed": Form(_keyed_out, _keyed_back),
    "x-expand": Form(_expanded, lambda _, b: b),
    "x-text": Form(lambda _, v, __: str(int(v)) if isinstance(v, float) and v.is_integer() else str(v), _number_back),
}


def wire_paths(schema: JsonMap, field: str) -> list[str]:
    """Where on the wire a field stands (`a`, or a part of one, `a.b`); a group that is not there itself stands where its members do."""
    field, _, part = field.partition(".")
    node = schema["properties"][field]
    if part:
        return [f"{node.get('x-wire', field)}.{p}" for p in wire_paths(node, part)]
    paths = _paths(node, node.get("x-wire", field), "")
    return [*paths, *(m for m in node.get("x-means") or () if not any(m.startswith(f"{p}.") for p in paths))]


def _paths(node: JsonMap, wire: str, base: str) -> list[str]:
    if wire == "":
        return []
    if wire.startswith("/"):
        return [wire[1:]]
    if wire != ".":
        return [f"{base}.{wire}" if base else wire]
    return [p for name, inner in (node.get("properties") or {}).items() for p in _paths(inner, inner.get("x-wire", name), base)]


def moment(text: Json) -> str:
    """A time of the cloud as the engine writes them (UTC, to the second); "" where it is none."""
    try:
        parsed = datetime.fromisoformat(str(text))
    except ValueError:
        return ""
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
