"""Bodies as data: what turns one into another, what of one may be sent back, and parts of one."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.model.json import Json, JsonMap, get_path, merge, put_at


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


def grounded(patch: JsonMap, before: Json, raw: Json, wholes: frozenset[str], at: str = "") -> dict[str, Json]:
    """A patch that spares what our schema does not know: an object that goes loses only what we know of it (unless it goes as a whole), and
    items of a list keep the rest of their live partner."""
    out: dict[str, Json] = {}
    for key, value in patch.items():
        path = f"{at}.{key}" if at else key
        known, there = (side.get(key) if isinstance(side, Mapping) else None for side in (before, raw))
        if value is None and isinstance(known, Mapping) and isinstance(there, Mapping) and set(there) - set(known) and path not in wholes:
            out[key] = grounded(dict.fromkeys(known), known, there, wholes, path)
        elif isinstance(value, Mapping):
            out[key] = grounded(value, known, there, wholes, path)
        elif isinstance(value, list) and isinstance(known, list) and isinstance(there, list) and len(known) == len(there):
            out[key] = [_grounded_item(item, value, known, there, is_exact=path in wholes) for item in value]
        else:
            out[key] = value
    return out


_KEYS = ("id", "name", "key", "group", "value", "rangeName", "ipv4Address", "networkUrl", "location", "userByEmail", "groupByEmail", "specialGroup", "iamMember",
         "domain", "address")


def _grounded_item(item: Json, items: list[Json], known: list[Json], there: list[Json], *, is_exact: bool) -> Json:
    """An item over its live partner: the same, the one of the same name, or the only one that is left on both sides."""
    if not isinstance(item, Mapping):
        return item
    if item in known:
        return there[known.index(item)]
    named = next((i for i, k in enumerate(known) for n in _KEYS if isinstance(k, Mapping) and n in item and k.get(n) == item[n]), None)
    new, old = [i for i in items if i not in known], [i for i, k in enumerate(known) if k not in items]
    partner = named if named is not None else old[0] if len(new) == len(old) == 1 else None
    if partner is None:
        return item
    return apply_patch(there[partner], merge_patch(known[partner], item)) if is_exact else merge(there[partner], item)


def emptied(patch: JsonMap, before: Json) -> dict[str, Json]:
    """Lists that go are emptied: what null means for one is not everywhere the same."""
    out: dict[str, Json] = {}
    for key, value in patch.items():
        known = before.get(key) if isinstance(before, Mapping) else None
        out[key] = [] if value is None and isinstance(known, list) else emptied(value, known) if isinstance(value, Mapping) else value
    return out
