"""Server-side apply: who gave which field. Lists are atomic; an object's leaves are its fields."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.model.json import Json, JsonMap, merge, walk_leaves

ADOPTION = "holdfast-adoption"  # gives up what another manager comes to own
Managers = dict[str, list[list[str]]]


def given_by(body: JsonMap) -> dict[str, Json]:
    """The part of a manifest that a manager may own."""
    meta = body.get("metadata") or {}
    kept = {k: meta[k] for k in ("labels", "annotations") if meta.get(k)}
    out: dict[str, Json] = {"metadata": kept} if kept else {}
    rest = {k: v for k, v in body.items() if k not in ("apiVersion", "kind", "metadata", "status")}
    return {**out, **rest}


def paths_of(given: JsonMap) -> set[tuple[str, ...]]:
    return {path for path, _ in walk_leaves(given) if path}


def apply_fields(old: JsonMap, given: JsonMap, managers: Managers, manager: str) -> tuple[dict[str, Json], Managers]:
    """The object after `manager` applied `given`, and who owns what then."""
    mine, now = {tuple(p) for p in managers.get(manager, [])}, paths_of(given)
    others = {tuple(p) for name, paths in managers.items() if name != manager for p in paths}
    body: Json = dict(old)
    for path in mine - now:
        if not any(o[: len(path)] == path for o in others) and not any(n[: len(path)] == path for n in now):
            body = _drop(body, path, {*others, *now})
    body = merge(body, given)
    after = {name: paths for name, paths in managers.items() if name != manager}
    if ADOPTION in after and manager != ADOPTION:
        after[ADOPTION] = [p for p in after[ADOPTION] if tuple(p) not in now]
    return body, {**after, manager: sorted(list(p) for p in now)}


def add_fields(old: JsonMap, given: JsonMap, managers: Managers, manager: str) -> tuple[dict[str, Json], Managers]:
    """`given` laid over the object, and owned by `manager` beside what it owns already. Takes nothing away."""
    owned = {tuple(p) for p in managers.get(manager, [])} | paths_of(given)
    return merge(dict(old), given), {**managers, manager: sorted(list(p) for p in owned)}


def _drop(data: Json, path: tuple[str, ...], kept: set[tuple[str, ...]], at: tuple[str, ...] = ()) -> Json:
    if not isinstance(data, Mapping) or path[0] not in data:
        return data
    copy = dict(data)
    if len(path) == 1:
        copy.pop(path[0])
        return copy
    here = (*at, path[0])
    inner = _drop(copy[path[0]], path[1:], kept, here)
    if inner or here in kept or (not at and path[0] in ("spec", "metadata")):
        copy[path[0]] = inner
    else:
        copy.pop(path[0])
    return copy
