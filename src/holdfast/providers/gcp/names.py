"""A resource's full name: what identifies it, in the API's paths and in `status.externalRef`."""

from __future__ import annotations

import re

from holdfast.core.policy import same_resource
from holdfast.core.templates import fill_name, holes, nested, plain_name, project_of, read_name, value_of
from holdfast.model.errors import CloudError, InputError
from holdfast.model.json import Json, JsonMap, get_path
from holdfast.model.kinds import Kind
from holdfast.providers.gcp.api import Api, Encoded, Method
from holdfast.runtime.ports import Subject

_ODD_PROJECT = re.compile(r"[^a-z0-9.:-]")
_ODD = re.compile(r"[\s?#\\\x00-\x1f]")


def context_of(subject: Subject, name: str = "") -> dict[str, Json]:
    """What templates are filled from. What the name says comes first: while an object is deleted, its references are not looked up."""
    given = {k: str(v).lower() if isinstance(v, bool) else v for k, v in subject.spec.items()}
    project = project_of(name) or subject.place.account  # a parent may be in another project
    found: dict[str, Json] = {"project": project, "spec": given, "token": subject.token}
    parts = nested(read_name(subject.kind.api["name"], name) or {}) if name else {}
    return {**found, **{k: v for k, v in parts.items() if k != "spec"}, "spec": {**_defaults(subject.kind), **(parts.get("spec") or {}), **found["spec"]}}


def _defaults(kind: Kind) -> dict[str, Json]:
    """Fields of the name that have a default (a location that is global where none is given)."""
    fields = [h.removeprefix("spec.") for h in holes(kind.api["name"]) if h.startswith("spec.")]
    return {f: kind.rule(f).default for f in fields if kind.rule(f).default is not None}


def name_of(subject: Subject, api: Api) -> str:
    """The name of the resource that is meant. Raises where spec and status name two."""
    held = plain_name(str(get_path(subject.status, subject.kind.dialect.identity_path) or ""))
    context = context_of(subject)
    _check_parts(api, context)
    meant = fill_name(api.name, context)
    if held and any(_leads_out(w, _ODD) for w in held.split("/")):
        raise InputError("HF104", f"{held!r} is no resource's name", f"status.{subject.kind.dialect.identity_path}")
    if held and meant and not same_resource(held, meant):
        raise _moved(subject.kind, api, held, meant)
    if not held and not meant:
        missing = ", ".join(h.removeprefix("spec.") for h in holes(api.name))
        raise CloudError("HF513", f"{subject.kind.name}: too little is known to name it (needed: {missing})", sent=False)
    return held or meant


def _check_parts(api: Api, context: JsonMap) -> None:
    """What goes into a name must not lead out of it: `a/../b`, `x?y` and the like name something else, or nothing."""
    for hole in holes(api.name):
        value = value_of(context, hole)
        text, is_path = str(value or ""), hole.endswith("Ref") or f"{{{hole}:encoded}}" in api.name
        words = plain_name(text).split("/") if is_path else [text]
        odd = _ODD_PROJECT if hole == "project" else _ODD
        if text and any(_leads_out(w, odd) or ("/" in w) or (":" in w and not is_path and hole != "project") for w in words):
            raise InputError("HF104", f"{text!r} cannot be part of a resource's name", hole if hole.startswith("spec.") else "project")


def _leads_out(word: str, odd: re.Pattern[str]) -> bool:
    return word in ("", ".", "..") or odd.search(word) is not None


def _moved(kind: Kind, api: Api, held: str, meant: str) -> InputError:
    """Which part of the name differs: project, location, parent or resourceID."""
    before, after = read_name(api.name, held) or {}, read_name(api.name, meant) or {}
    changed = [n for n in after if before.get(n) != after[n]]
    shown = "; ".join(f"{n.removeprefix('spec.')}: wanted {after[n]!r}, held {before.get(n)!r}" for n in changed) or f"wanted {meant!r}, held {held!r}"
    where = next((n for n in changed if n.startswith("spec.")), "")
    where = "spec.projectRef" if not where and "projectRef" in kind.spec_schema["properties"] else where or kind.dialect.annotation(kind.dialect.account_annotation)
    return InputError("HF108", f"{kind.name} {held} is held, and the object now names {meant}: {shown}. What names a resource cannot be changed; "
                      "put it back, or make a new object", where)


def params_of(api: Api, method: Method, name: str, context: JsonMap, verb: str = "") -> dict[str, str]:
    """Path parameters, by what the path says a resource's name is, or as the kind file has them."""
    if api.params:
        named = {p: fill_name(api.params[p], context) for p, d in method.params.items() if d["in"] == "path" and p in api.params}
        if all(p in named for p, d in method.params.items() if d["in"] == "path"):
            return named
    for candidate in (name, f"{name}:{verb}", f"{name}/{verb}", name.rpartition("/")[0]):
        found = method.params_of(candidate)
        if found is not None:
            return {k: Encoded(v) for k, v in found.items()} if ":encoded}" in api.name else found
    raise InputError("HF701", f"{method.id}: its path does not fit {name!r}; say params in the kind file", "api")
