"""The one alias for JSON-like data, and the few operations on it that every layer needs.

Spec and live state stay plain data; these helpers never copy more than they must and never mutate their input.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Json = Any  # plain data: None, bool, int, float, str, list, dict. A recursive alias buys nothing at these edges.
JsonMap = Mapping[str, Json]


def get_path(data: Json, path: str) -> Json:
    """The value at a dotted path, or None. Keys with dots cannot be reached: they are values of maps, not fields."""
    for part in path.split("."):
        if not isinstance(data, Mapping):
            return None
        data = data.get(part)
    return data


def put_at(data: JsonMap, steps: tuple[str, ...], value: Json) -> dict[str, Json]:
    """A copy of `data` with `value` there."""
    copy = dict(data)
    head, rest = steps[0], steps[1:]
    copy[head] = put_at(copy.get(head) or {}, rest, value) if rest else value
    return copy


def drop_at(data: JsonMap, steps: tuple[str, ...]) -> dict[str, Json]:
    """A copy of `data` without what stands there; parents that become empty go too."""
    copy = dict(data)
    head, rest = steps[0], steps[1:]
    if not rest:
        copy.pop(head, None)
    elif isinstance(copy.get(head), Mapping):
        inner = drop_at(copy[head], rest)
        if inner:
            copy[head] = inner
        else:
            copy.pop(head)
    return copy


def with_path(data: JsonMap, path: str, value: Json) -> dict[str, Json]:
    return put_at(data, tuple(path.split(".")), value)


def without_path(data: JsonMap, path: str) -> dict[str, Json]:
    return drop_at(data, tuple(path.split(".")))


def is_empty(value: Json) -> bool:
    """Absent, null, "", [] and {} all mean: nothing there."""
    return value is None or (isinstance(value, (str, list, dict)) and not value)


def merge(under: Json, over: Json) -> Json:
    """`over` laid on `under`: objects are merged, everything else is replaced."""
    if isinstance(under, Mapping) and isinstance(over, Mapping):
        return {**under, **{k: merge(under[k], v) if k in under else v for k, v in over.items()}}
    return over


def walk_leaves(data: Json, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Every leaf with its path; lists and empty objects are leaves."""
    if isinstance(data, Mapping) and data:
        for key, value in data.items():
            yield from walk_leaves(value, (*path, key))
    else:
        yield path, data
