"""Items of lists of objects. An item is known by its id or name where it has one, so that it can be paired with its live partner: a thin
item keeps what it does not mention, and a field taken out of an item is unset. A list with one item on both sides needs no name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from holdfast.core.canonical import digest
from holdfast.model.json import Json, JsonMap, drop_at, put_at
from holdfast.model.kinds import Kind, plain_path

_NAMES = ("id", "name", "indexName", "filterName", "regionName", "region")
_PLAIN = re.compile(r"[\w-]{1,64}")
_PART = re.compile(r"([^.\[\]]+)|\[([^\]]+)\]")


def is_itemised(kind: Kind, schema: JsonMap, path: str) -> bool:
    """A list of objects that are not compared as a whole."""
    rule = kind.rule(plain_path(path))
    return "properties" in (schema.get("items") or {}) and not (rule.tags or rule.semantic or rule.whole)


def token_of(items: list[Json], index: int) -> str:
    """What names an item inside a path; "" where nothing does."""
    item = items[index]
    name = next((item[n] for n in _NAMES if isinstance(item.get(n), str) and item[n]), None) if isinstance(item, Mapping) else None
    if name is not None:
        return name if _PLAIN.fullmatch(name) and not name.isdigit() else f"#{digest(name)[:8]}"
    return "0" if len(items) == 1 else ""


def named_items(items: Json) -> Iterator[tuple[str, Json]]:
    """Items that have a name of their own, with it; a name that stands twice names nothing."""
    tokens = [token_of(items, i) for i in range(len(items))] if isinstance(items, list) else []
    for i, token in enumerate(tokens):
        if token and tokens.count(token) == 1:
            yield token, items[i]


def is_inside(kind: Kind, path: str) -> bool:
    """Whether a path leads into an item of a list."""
    return "[" in path and not (kind.tag_path and path.startswith(f"{kind.tag_path}."))


def item_prefix(path: str) -> str:
    return path[: path.rindex("]") + 1]


def get_inside(data: Json, path: str) -> Json:
    for name, token in _PART.findall(path):
        if name:
            data = data.get(name) if isinstance(data, Mapping) else None
        else:
            data = dict(named_items(data)).get(token)
    return data


def change_inside(data: JsonMap, path: str, value: Json = None) -> dict[str, Json]:
    """A copy with the value there, or without what stands there; untouched where the item is not found."""
    head, bracket, rest = path.partition("[")
    token, _, inner = rest.partition("].")
    steps = tuple(head.split("."))
    holder: Json = data
    for step in steps:
        holder = holder.get(step) if isinstance(holder, Mapping) else None
    partner = dict(named_items(holder)).get(token) if bracket else None
    if not isinstance(partner, Mapping):
        return dict(data)
    if "[" in inner:
        changed = change_inside(partner, inner, value)
    else:
        at = tuple(inner.split("."))
        changed = put_at(partner, at, value) if value is not None else drop_at(partner, at)
    return put_at(data, steps, [changed if item is partner else item for item in holder])
