"""Between AWS's names and shapes and the spec's, by the schema alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
