"""Between AWS's names and shapes and the spec's, by the schema alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdfast.core.canonical import canonical
from holdfast.model.json import Json, JsonMap


def wire_name(name: str, node: JsonMap) -> str:
    return str(node.get("x-wire") or name)


def encode(node: JsonMap, value: Json) -> Json:
    """A spec value as the API takes it."""
    if isinstance(value, Mapping):
        if "properties" not in node:
            inner = node.get("additionalProperties") or {}
            return {k: encode(inner if isinstance(inner, Mapping) else {}, v) for k, v in value.items() if v is not None}
        return {wire_name(k, node["properties"].get(k) or {}): encode(node["properties"].get(k) or {}, v)
                for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [encode(node.get("items") or {}, v) for v in value]
    return value


def decode(node: JsonMap, value: Json) -> Json:
    """An answer's value as the spec has it; members that the schema does not know are left out."""
    if value is None:
        return None
    kind = node.get("type")
    if kind == "array":
        items = [value] if not isinstance(value, list) else value
        return [decode(node.get("items") or {}, v) for v in items]
    if kind == "object" and "properties" in node:
        if not isinstance(value, Mapping):
            return None
        found = {k: decode(n, value.get(wire_name(k, n))) for k, n in node["properties"].items() if wire_name(k, n) in value}
        return {k: v for k, v in found.items() if v is not None}
    if kind == "object":
        return _map(node, value)
    return _scalar(kind, value)


def _map(node: JsonMap, value: Json) -> Json:
    """A map may come as a list of [key, value] pairs (see `each` in kind files)."""
    pairs = value.items() if isinstance(value, Mapping) else [tuple(p) for p in value]
    inner = node.get("additionalProperties")
    return {str(k): decode(inner if isinstance(inner, Mapping) else {}, v) for k, v in pairs}


def _scalar(kind: Any, value: Json) -> Json:
    if hasattr(value, "isoformat"):
        return value.strftime("%Y-%m-%dT%H:%M:%SZ")
    if kind == "string" and isinstance(value, bool):
        return str(value).lower()
    if kind == "string" and isinstance(value, (dict, list)):
        import json

        return json.dumps(value)
    if kind == "string":
        return value if isinstance(value, str) else str(value)
    if kind == "boolean" and isinstance(value, str):
        return value.lower() == "true"
    if kind == "integer" and isinstance(value, str) and value.lstrip("-").isdigit():
        return int(value)
    return value


def covers(have: Json, want: Json) -> bool:
    """The same, or the same and more: what the service adds to an item by itself is no reason to write it again."""
    if isinstance(have, Mapping) and isinstance(want, Mapping):
        return all(k in have and covers(have[k], v) for k, v in want.items())
    if isinstance(have, list) and isinstance(want, list):
        return len(have) == len(want) and all(map(covers, have, want))
    return canonical(have) == canonical(want)


# ---- items that bundle others (a firewall rule with many ranges) -----------------------------------------------------


def unbundle(items: Json, bundles: tuple[str, ...]) -> list[dict[str, Json]]:
    """Each item taken apart: one for each member of its bundles."""
    out: list[dict[str, Json]] = []
    for item in items or []:
        rest = {k: v for k, v in item.items() if k not in bundles}
        out.extend([{**rest, name: [member]} for name in bundles for member in item.get(name) or []] or [rest])
    return out


def bundle(live: Json, wanted: Json, bundles: tuple[str, ...]) -> list[dict[str, Json]]:
    """Live's members put together as `wanted` has them; the others by what they have in common."""
    groups: dict[tuple[int, bytes], dict[str, Json]] = {}
    shapes = [unbundle([item], bundles) for item in wanted or []]
    for one in unbundle(live, bundles):
        rest = {k: v for k, v in one.items() if k not in bundles}
        for place in [i for i, shape in enumerate(shapes) if any(covers(one, w) for w in shape)] or [len(shapes)]:
            group = groups.setdefault((place, canonical(rest)), dict(rest))
            for name in one.keys() & set(bundles):
                group[name] = [*group.get(name, []), *one[name]]
    return [groups[key] for key in sorted(groups)]
