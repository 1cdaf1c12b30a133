"""Bodies as data: what turns one into another, what of one may be sent back, and parts of one."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.model.json import Json, JsonMap, get_path, put_at


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
