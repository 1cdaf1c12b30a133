"""What an update starts from and shall lead to, as the API has both: our marks among the labels, one form of everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from holdfast.core.normalise import is_foreign_tag
from holdfast.model.facts import Live
from holdfast.model.json import Json, JsonMap, get_path, with_path, without_path
from holdfast.model.kinds import top_field
from holdfast.providers.gcp.api import Action, Api
from holdfast.providers.gcp.codec import encode, wire_paths
from holdfast.providers.gcp.forms import leaving, one_form, switched_off
from holdfast.providers.gcp.names import name_of
from holdfast.providers.gcp.patches import grounded, merge_patch, without_outputs
from holdfast.runtime.ports import Subject


@dataclass(frozen=True)
class Change:
    """What an update starts from and shall lead to, as the API has both."""

    live: Live
    name: str
    context: JsonMap
    patch: dict[str, Json]  # from live to target
    target: dict[str, Json]
    before: dict[str, Json]


def prepare(subject: Subject, api: Api, live: Live, target: JsonMap, changed: frozenset[str], context: JsonMap) -> tuple[Change, frozenset[str], list[Action]]:
    """The change, the top-level fields that it concerns, and the actions that must come after everything else."""
    kind = subject.kind
    target, changed = marked(subject, _with_foreign(subject, live, target)), changed | marks_due(subject, live)
    gone = leaving(kind.spec_schema, subject.spec, target, changed)
    target, changed = one_form(kind.spec_schema, {k: v for k, v in target.items() if k not in gone}, subject.spec), changed | gone
    before, after = encode(kind.spec_schema, live.spec, context), encode(kind.spec_schema, target, context)
    after = switched_off(kind.spec_schema, gone, after, encode(kind.spec_schema, subject.spec, context)) if gone else after
    wholes = frozenset(w for p, r in kind.rules.items() if r.whole and "[]" not in p for w in wire_paths(kind.spec_schema, p))
    patch = grounded(merge_patch(before, after), before, without_outputs(api.schemas, api.resource, live.raw), wholes)
    change = Change(live, name_of(subject, api), context, patch, after, before)
    late = [a for a in api.actions if a.last and is_due(subject, a, change, changed)]
    change = replace(change, patch=less(change.patch, [p for a in late for f in a.fields for p in wire_paths(kind.spec_schema, f)]))
    return change, changed, late


def _with_foreign(subject: Subject, live: Live, target: JsonMap) -> JsonMap:
    """The cloud's and others' own labels stay: labels are written as a whole."""
    path = subject.kind.tag_path
    theirs = {k: v for k, v in live.tags.items() if is_foreign_tag(subject.kind, k)}
    return with_path(target, path, {**theirs, **(get_path(target, path) or {})}) if path and theirs else target


def marked(subject: Subject, spec: JsonMap) -> JsonMap:
    """The spec with our marks among its labels."""
    path = subject.kind.tag_path
    return with_path(spec, path, {**(get_path(spec, path) or {}), **subject.marks}) if path else spec


def marks_due(subject: Subject, live: Live) -> frozenset[str]:
    missing = bool(subject.kind.tag_path) and bool(subject.marks.items() - live.tags.items())
    return frozenset({subject.kind.tag_field}) if missing else frozenset()


def less(body: dict[str, Json], paths: list[str]) -> dict[str, Json]:
    for path in paths:
        body = without_path(body, path)
    return body


def is_due(subject: Subject, action: Action, change: Change, changed: frozenset[str]) -> bool:
    return any(top_field(f) in changed and speaks_of(subject, change, f) for f in action.fields)


def speaks_of(subject: Subject, change: Change, field: str) -> bool:
    """Whether the change has something at a field, or takes it away."""
    for path in wire_paths(subject.kind.spec_schema, field):
        above, _, name = path.rpartition(".")
        holder = get_path(change.patch, above) if above else change.patch
        if isinstance(holder, Mapping) and name in holder:
            return True
    return False
