"""Field paths as steps. The keys of free-form maps and tags may hold dots: once the schema says map, the rest is one key."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.model.json import Json, JsonMap, drop_at, put_at
from holdfast.model.kinds import Kind, plain_path

Steps = tuple[str, ...]
__all__ = ["Steps", "covers", "drop_at", "get_at", "put_at", "steps_of"]


def steps_of(kind: Kind, path: str) -> Steps:
    node: JsonMap = kind.spec_schema
    out: list[str] = []
    rest = path
    while rest:
        if kind.rule(plain_path(".".join(out))).tags or "properties" not in node:
            return (*out, rest)
        head, _, rest = rest.partition(".")
        out.append(head)
        node = node["properties"].get(head.partition("[")[0]) or {}
        if rest and node.get("type") == "array" and not kind.rule(plain_path(".".join(out))).tags:
            node = node.get("items") or {}
    return tuple(out)


def get_at(data: Json, steps: Steps) -> Json:
    for step in steps:
        if isinstance(data, Mapping) and step in data:
            data = data[step]
            continue
        name, *indexes = step.replace("]", "").split("[")
        data = data.get(name) if isinstance(data, Mapping) else None
        for index in indexes:
            data = data[int(index)] if index.isdigit() and isinstance(data, list) and int(index) < len(data) else None
    return data


def covers(parent: str, path: str) -> bool:
    """Whether `parent` names `path` itself or something that it stands in."""
    return path == parent or path.startswith((f"{parent}.", f"{parent}["))
