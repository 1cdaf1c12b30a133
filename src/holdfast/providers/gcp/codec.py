"""Between a spec and what the API takes. The schema's `x-` words say where a value stands on the wire and in which form."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from holdfast.core.policy import json_document
from holdfast.core.templates import fill_name
from holdfast.model.json import Json, JsonMap, get_path, merge, put_at, with_path


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
    if node.get("x-ref"):
        return _expanded(node, _prefixed(node, value.get("external")), names) if isinstance(value, Mapping) else None
    if node.get("x-secret"):
        return value.get("value") if isinstance(value, Mapping) else None
    if "x-values" in node:
        return node["x-values"].get(value, value)
    if node.get("x-flag"):
        return {} if value else None
    if node.get("x-json"):
        return json_document(value)
    if "x-expand" in node and isinstance(value, str):
        return _expanded(node, value, names)
    if "x-keyed" in node:
        key = node["x-keyed"]
        return {str(item.get(key)): _encode_object(node["items"], {k: v for k, v in item.items() if k != key}, names, {}) for item in value}
    if node.get("x-single"):
        return [_encode_object(node, value, names, {})] if value else []
    if node.get("x-listed"):
        return _encode(node["items"], value[0], names, {}) if value else None
    if isinstance(value, Mapping):
        return _encode_map(node, value, names, root)
    if isinstance(value, list):
        return [_encode(node.get("items") or {}, v, names, {}) for v in value]
    return str(value) if node.get("x-text") else _prefixed(node, value)


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
    if node.get("x-flag"):
        return True if body is not None else None
    if "x-made" in node:
        return fill_name(node["x-made"], body) or None
    if body is None:  # `values: {OURS: null}`: what is not there means something
        return next((ours for ours, theirs in (node.get("x-values") or {}).items() if theirs is None), None)
    if node.get("x-secret"):
        return None
    if node.get("x-json"):
        return json.dumps(body)
    if node.get("x-single"):
        return _decode_object(node, body[0], body[0]) if isinstance(body, list) and body else None
    if node.get("x-listed"):
        return [_decode(node["items"], body, body)]
    if node.get("x-ref"):
        return {"external": body} if isinstance(body, str) and body and ("x-has" not in node or f"/{node['x-has']}/" in body) else None
    if "x-values" in node:
        return next((ours for ours, theirs in node["x-values"].items() if theirs == body), body)
    if "x-keyed" in node:
        return [{node["x-keyed"]: key, **_decode_object(node["items"], item, item)} for key, item in sorted(body.items())] if isinstance(body, dict) else None
    if "properties" in node:
        return _decode_object(node, body, root)
    if isinstance(body, dict):
        return {k: _decode(node.get("additionalProperties") or {}, v, v) for k, v in body.items()}
    if isinstance(body, list):
        return [_decode(node.get("items") or {}, v, v) for v in body]
    return int(body) if node.get("x-text") and str(body).lstrip("-").isdigit() else body


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


def merge_patch(before: Json, after: Json) -> Json:
    """RFC 7396: what turns one into the other. Lists are replaced as a whole."""
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return after
    gone = {k: None for k in before if k not in after}
    return gone | {k: merge_patch(before.get(k), v) for k, v in after.items() if k not in before or before[k] != v}


def apply_patch(body: Json, patch: Json) -> Json:
    if not isinstance(patch, Mapping):
        return patch
    out = dict(body) if isinstance(body, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            out.pop(key, None)
        else:
            out[key] = apply_patch(out.get(key), value)
    return out


def without_outputs(schemas: JsonMap, name: str, body: Json) -> Json:
    """A body as it may be sent back: what only the server sets is left out."""
    return _inputs(schemas, {"$ref": name}, body)


def _inputs(schemas: JsonMap, node: JsonMap, body: Json) -> Json:
    node = schemas.get(node["$ref"], {}) if "$ref" in node else node
    if isinstance(body, Mapping) and "properties" in node:
        known = node["properties"]
        return {k: _inputs(schemas, known.get(k) or {}, v) for k, v in body.items() if "output" not in (known.get(k) or {}).get("behaviours", ())}
    if isinstance(body, list):
        return [_inputs(schemas, node.get("items") or {}, v) for v in body]
    return body


def pick(body: JsonMap, paths: list[str]) -> dict[str, Json]:
    """Only what stands at these paths."""
    out: dict[str, Json] = {}
    for path in paths:
        value = get_path(body, path)
        if value is not None:
            out = put_at(out, tuple(path.split(".")), value)
    return out


def moment(text: Json) -> str:
    """A time of the cloud as the engine writes them (UTC, to the second); "" where it is none."""
    try:
        parsed = datetime.fromisoformat(str(text))
    except ValueError:
        return ""
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
