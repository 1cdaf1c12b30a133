"""Desired against live, field by field, giving verdicts. Only what the spec speaks of, or was last applied, is compared.

`project` says which part of live the comparison can see at all; the cookie hashes exactly that. Both take normalised data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from holdfast.core.canonical import canonical
from holdfast.core.items import change_inside, get_inside, is_inside, is_itemised, item_prefix, named_items
from holdfast.core.normalise import normalise
from holdfast.core.paths import covers, drop_at, get_at, put_at, steps_of
from holdfast.core.policy import PAIRWISE
from holdfast.model.json import Json, JsonMap, is_empty
from holdfast.model.kinds import Kind, plain_path, schema_at
from holdfast.model.verdicts import Finding, Verdict


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both sides, normalised, and what narrows the comparison."""

    kind: Kind
    desired: JsonMap
    live: JsonMap
    removed: tuple[str, ...] = ()
    unmanaged: tuple[str, ...] = ()
    unread: frozenset[str] = field(default_factory=frozenset)  # top-level fields whose read failed


def applied_paths(kind: Kind, desired: JsonMap) -> tuple[str, ...]:
    """The leaf paths of a normalised spec: what `status.appliedFields` keeps."""
    return tuple(sorted(path for path, _ in _leaves(kind, kind.spec_schema, "", desired, inside=True) if path))


def removed_paths(kind: Kind, desired: JsonMap, applied: tuple[str, ...], unmanaged: tuple[str, ...]) -> tuple[str, ...]:
    """Paths last applied that the spec no longer has, less the ones the user wants left alone."""
    now = applied_paths(kind, desired)
    tags = f"{kind.tag_path}." if kind.tag_path else "\0"  # owned by key: an empty map speaks of none of them
    gone = [p for p in applied if p not in now and (p.startswith(tags) or _is_gone(kind, p, now))]
    if not gone:
        return ()
    for whole in (p for p, r in kind.rules.items() if r.whole and not any(covers(p, n) or covers(n, p) for n in now)):
        inside = [p for p in gone if covers(whole, p)]
        gone = [p for p in gone if p not in inside] + ([whole] if inside else [])
    kept = [p for p, r in kind.rules.items() if r.kept]
    return tuple(p for p in gone if not any(covers(u, plain_path(p)) or covers(u, p) for u in (*unmanaged, *kept)))


def _is_gone(kind: Kind, path: str, now: tuple[str, ...]) -> bool:
    """A field of an item counts while the item itself is still declared; whole items are the list's own matter."""
    if not is_inside(kind, path):
        return not any(covers(path, n) or covers(n, path) for n in now)
    prefix = item_prefix(path)
    return any(covers(prefix, n) for n in now) and not any(covers(path, n) or (covers(n, path) and n.startswith(prefix)) for n in now)


def compare(c: Comparison) -> tuple[Verdict, ...]:
    found = [v for key, value in c.desired.items() if key not in c.unread
             for v in _compare(c.kind, c.kind.spec_schema["properties"].get(key) or {}, key, value, c.live.get(key), False)]
    found.extend(v for path in c.removed if (v := _removal(c, path)))
    return tuple(found)


def as_written(kind: Kind, verdicts: tuple[Verdict, ...], desired: JsonMap, live: JsonMap) -> tuple[Verdict, ...]:
    """Verdicts that show values as they were given: compared in lower case, a bucket's `EU` is still `EU` to people."""
    return tuple(replace(v, written=(get_at(desired, steps_of(kind, v.path)), get_at(live, steps_of(kind, v.path))))
                 if kind.rule(v.path).semantic == "case-insensitive" else v for v in verdicts)


def describe_rest(c: Comparison, spoken: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """Verdicts for what live has and the spec does not speak of: server defaults, and unmanaged fields."""
    known = {v.path for v in spoken}
    rest = []
    for path, value in _leaves(c.kind, c.kind.spec_schema, "", c.live):
        if not path or any(covers(k, path) or covers(path, k) for k in known):
            continue
        unmanaged = any(covers(u, path) for u in c.unmanaged)
        rest.append(Verdict(path, Finding.UNMANAGED if unmanaged else Finding.DEFAULT, None, value))
    return tuple(rest)


def project(c: Comparison) -> dict[str, Json]:
    """The part of live that `compare` can see: a function of it alone, so equal projections give equal verdicts."""
    seen = {k: _project(c.kind, k, v, c.live.get(k)) for k, v in c.desired.items() if k not in c.unread}
    for path in c.removed:
        if is_inside(c.kind, path):
            seen = {**seen, f"removed:{path}": get_inside(c.live, path)}
            continue
        steps = steps_of(c.kind, path)
        value = get_at(c.live, steps)
        if value is not None:
            seen = put_at(seen, steps, value) if _has_room(seen, steps) else {**seen, f"removed:{path}": value}
    return {k: v for k, v in seen.items() if v is not None}


def _has_room(data: JsonMap, steps: tuple[str, ...]) -> bool:
    return all(isinstance(get_at(data, steps[:i]), (Mapping, type(None))) for i in range(1, len(steps)))


def _project(kind: Kind, path: str, desired: Json, live: Json) -> Json:
    if isinstance(desired, Mapping) and desired and isinstance(live, Mapping) and _is_by_key(kind, path):
        inner = {k: _project(kind, f"{path}.{k}", v, live.get(k)) for k, v in desired.items()}
        return {k: v for k, v in inner.items() if v is not None}
    if kind.rule(path).tags:
        return {} if isinstance(live, Mapping) else live
    return live


def _is_by_key(kind: Kind, path: str) -> bool:
    """Objects and tags are compared by what the spec gives; free-form maps as a whole."""
    rule = kind.rule(plain_path(path))
    if rule.tags:
        return True
    node = schema_at(kind.spec_schema, plain_path(path)) or {}
    return "properties" in node and not rule.semantic


def _compare(kind: Kind, schema: JsonMap, path: str, desired: Json, live: Json, frozen: bool) -> Iterator[Verdict]:
    rule = kind.rule(plain_path(path))
    frozen = frozen or rule.immutable
    if rule.write_only:
        yield Verdict(path, Finding.UNVERIFIABLE, desired, None, is_fixed=frozen)
    elif rule.whole and live is None and isinstance(desired, Mapping):
        yield Verdict(path, _differs(frozen), desired, None)
    elif rule.tags and isinstance(desired, Mapping):
        have = live if isinstance(live, Mapping) else {}
        yield from (_judged(f"{path}.{key}", value, have.get(key), have.get(key) == value, frozen) for key, value in desired.items())
    elif isinstance(desired, Mapping) and desired and "properties" in schema and not rule.semantic:
        for key, value in desired.items():
            inner = live.get(key) if isinstance(live, Mapping) else None
            yield from _compare(kind, schema["properties"].get(key) or {}, f"{path}.{key}", value, inner, frozen)
    elif isinstance(desired, list) and (isinstance(live, list) or rule.whole):
        yield from _compare_list(kind, schema, path, desired, live or [], frozen)
    elif rule.semantic in PAIRWISE and PAIRWISE[rule.semantic](desired, live):
        yield Verdict(path, Finding.MATCH, desired, live)
    else:
        yield _leaf(kind, path, desired, live, frozen, rule.default)


def _compare_list(kind: Kind, schema: JsonMap, path: str, desired: list[Json], live: list[Json], frozen: bool) -> Iterator[Verdict]:
    """As a whole where items say all there is to say, as a set where order means nothing, else item by item."""
    rule, items = kind.rule(plain_path(path)), schema.get("items") or {}
    if rule.whole:
        same = canonical(_telling(kind, path, desired)) == canonical(_telling(kind, path, live))
        yield _judged(path, desired, live, same, frozen)
    elif rule.unordered:
        yield _judged(path, desired, live, _same_set(kind, items, path, desired, live), frozen)
    elif desired and len(desired) == len(live):
        for i, (want, have) in enumerate(zip(desired, live, strict=True)):
            yield from _compare(kind, items, f"{path}[{i}]", want, have, frozen)
    else:
        yield _leaf(kind, path, desired, live, frozen, rule.default)


def _judged(path: str, desired: Json, live: Json, same: bool, frozen: bool) -> Verdict:
    return Verdict(path, Finding.MATCH if same else _differs(frozen), desired, live)


def _leaf(kind: Kind, path: str, desired: Json, live: Json, frozen: bool, default: Json) -> Verdict:
    same = canonical(desired) == canonical(live)
    same = same or (is_empty(live) and (is_empty(desired) if default is not None else says_nothing(kind, desired)))
    if not same and default is not None:  # what the cloud does not show has its default
        same = (is_empty(live) and desired == default) or (is_empty(desired) and live == default)
    return _judged(path, desired, live, same, frozen)


def says_nothing(kind: Kind, value: Json) -> bool:
    """Empty; and where the family's answers leave out false and zero, those too."""
    return is_empty(value) or (kind.dialect.omits_zero and (value is False or (value == 0 and not isinstance(value, bool))))


def _telling(kind: Kind, path: str, value: Json) -> Json:
    """A value without what says nothing, and without defaults: so that two lists whose items are compared whole are equal as data."""
    if isinstance(value, list):
        return [_telling(kind, f"{path}[]", v) for v in value]
    if isinstance(value, Mapping):
        made = {k: _telling(kind, f"{path}.{k}", v) for k, v in value.items()}
        return {k: v for k, v in made.items() if not (is_empty(v) or v is False) and v != kind.rule(plain_path(f"{path}.{k}")).default}
    return value


def _differs(frozen: bool) -> Finding:
    return Finding.IMMUTABLE if frozen else Finding.MISMATCH


def _same_set(kind: Kind, schema: JsonMap, path: str, desired: list[Json], live: list[Json]) -> bool:
    """Every desired item is found in live (which may say more about it), and nothing is left over."""
    if len(desired) != len(live):
        return False
    fits = [[i for i, have in enumerate(live) if _fits(kind, schema, f"{path}[]", want, have)] for want in desired]
    taken: dict[int, int] = {}
    return all(_place(w, fits, taken, set()) for w in range(len(desired)))


def _place(want: int, fits: list[list[int]], taken: dict[int, int], tried: set[int]) -> bool:
    for i in fits[want]:
        if i not in tried:
            tried.add(i)
            if i not in taken or _place(taken[i], fits, taken, tried):
                taken[i] = want
                return True
    return False


def _fits(kind: Kind, schema: JsonMap, path: str, want: Json, have: Json) -> bool:
    if canonical(want) == canonical(have):
        return True
    return isinstance(want, Mapping) and not any(
        v.is_difference for v in _compare(kind, schema, path, want, have, False))


def _removal(c: Comparison, path: str) -> Verdict | None:
    """A field that the user took out must go, unless it is gone or has its default already."""
    inside = is_inside(c.kind, path)
    steps = tuple(path.split(".")) if inside else steps_of(c.kind, path)
    live, rule = get_inside(c.live, path) if inside else get_at(c.live, steps), c.kind.rule(plain_path(path))
    is_tag = bool(c.kind.tag_path) and path.startswith(f"{c.kind.tag_path}.")
    is_nothing = live is None if is_tag else is_empty(live) if rule.default is not None else says_nothing(c.kind, live)
    if steps[0].partition("[")[0] in c.unread or rule.write_only or is_nothing:
        return None
    if rule.default is not None and live == (rule.default if inside else normalised_default(c.kind, path)):
        return None
    frozen = any(c.kind.rule(plain_path(".".join(steps[:i]))).immutable for i in range(1, len(steps) + 1))
    return Verdict(path, _differs(frozen), None, live, is_removal=True)


def normalised_default(kind: Kind, path: str) -> Json:
    steps = steps_of(kind, path)
    made = normalise(kind, put_at({}, steps, kind.rule(plain_path(path)).default), live=True)
    return get_at(made, steps)


def _leaves(kind: Kind, schema: JsonMap, path: str, value: Json, *, inside: bool = False) -> Iterator[tuple[str, Json]]:
    by_key = isinstance(value, Mapping) and bool(value) and (
        kind.rule(plain_path(path)).tags or ("properties" in schema and not kind.rule(plain_path(path)).semantic))
    if not by_key:
        yield path, value
        if inside and is_itemised(kind, schema, path):
            for token, item in named_items(value):
                yield from _leaves(kind, schema["items"], f"{path}[{token}]", item, inside=True)
        return
    for key, inner in value.items():
        node = (schema.get("properties") or {}).get(key) or {}
        yield from _leaves(kind, node, f"{path}.{key}" if path else key, inner, inside=inside)


def strip_removed(kind: Kind, spec: JsonMap, removed: tuple[str, ...]) -> dict[str, Json]:
    """`spec` with removed paths taken out, or put back to their default."""
    out = dict(spec)
    for path in removed:
        rule = kind.rule(plain_path(path))
        if is_inside(kind, path):
            out = change_inside(out, path, rule.default)
            continue
        steps = steps_of(kind, path)
        if rule.default is not None:
            out = put_at(out, steps, rule.default)
        else:
            out = drop_at(out, steps)
    return out
