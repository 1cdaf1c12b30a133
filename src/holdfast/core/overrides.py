"""Server-side overrides: values that the server put in place of the user's, learnt only from our own writes.

An entry counts while the spec still says `userInput` and live still says `serverOverride`. Values of sensitive fields are sealed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from holdfast.core.canonical import digest, sealed
from holdfast.core.paths import get_at, steps_of
from holdfast.model.facts import Settling
from holdfast.model.json import Json, JsonMap
from holdfast.model.kinds import Kind
from holdfast.model.verdicts import Finding, Verdict

Overrides = Mapping[str, JsonMap]


def shown(kind: Kind, path: str, value: Json, key: bytes) -> Json:
    """A value as an override stores it."""
    return sealed(value, key) if kind.is_sensitive(path) else value


def entry(kind: Kind, verdict: Verdict, key: bytes) -> JsonMap:
    return {"userInput": shown(kind, verdict.path, verdict.desired, key),
            "serverOverride": shown(kind, verdict.path, verdict.live, key)}


def apply_overrides(kind: Kind, verdicts: tuple[Verdict, ...], known: Overrides, key: bytes) -> tuple[Verdict, ...]:
    """Differences that a known override explains become `override`."""
    return tuple(
        replace(v, finding=Finding.OVERRIDE) if v.is_difference and known.get(v.path) == entry(kind, v, key) else v
        for v in verdicts)


def still_wanted(kind: Kind, desired: JsonMap, known: Overrides, key: bytes) -> dict[str, JsonMap]:
    """Entries whose userInput the (normalised) spec still gives; the rest are dropped, and an update goes out."""
    return {path: e for path, e in known.items()
            if shown(kind, path, get_at(desired, steps_of(kind, path)), key) == e.get("userInput")}


def remembered(status: Json, annotation: str, has_status: bool) -> dict[str, JsonMap]:
    """Status wins; the annotation alone counts where status was lost (and then only if live agrees, as any entry)."""
    if has_status:
        return _well_formed(status)
    try:
        return _well_formed(json.loads(annotation) if annotation else {})
    except ValueError:
        return {}


def _well_formed(entries: Json) -> dict[str, JsonMap]:
    good = isinstance(entries, Mapping) and all(
        isinstance(e, Mapping) and set(e) == {"userInput", "serverOverride"} for e in entries.values())
    return dict(entries) if good else {}


def learn_from_answer(kind: Kind, answered: tuple[Verdict, ...], key: bytes) -> dict[str, JsonMap]:
    """What the answer to our own write carries and differs: silence teaches nothing."""
    return {v.path: entry(kind, v, key) for v in answered
            if v.is_difference and not v.is_removal and v.live is not None}


def learn_from_reads(kind: Kind, left: tuple[Verdict, ...], settling: Settling, key: bytes) -> dict[str, JsonMap]:
    """Differences that stand as they stood at the read before, and are not the value from before our write."""
    return {v.path: entry(kind, v, key) for v in left
            if not v.is_removal and v.live is not None
            and settling.seen.get(v.path) == value_hash(v.live, key)
            and settling.before.get(v.path) != value_hash(v.live, key)}


def is_refilled(verdict: Verdict, settling: Settling, key: bytes) -> bool:
    """A field that was to be unset, and has another value now: the service's own default."""
    before = settling.before.get(verdict.path)
    return verdict.is_removal and before is not None and before != value_hash(verdict.live, key)


def value_hash(value: Json, key: bytes) -> str:
    return digest(sealed(value, key))[:16]
