"""References → values. What is missing or not ready is a wait with its own reason; the store's watch wakes the object."""

from __future__ import annotations

import base64
import binascii
import re

from holdfast.core.desired import references_in
from holdfast.core.templates import fill_name, nested, project_of, read_name
from holdfast.model.errors import InputError, WaitError
from holdfast.model.json import Json, JsonMap, get_path
from holdfast.model.kinds import Kind, Reference
from holdfast.model.objects import ObjectKey, StoredObject
from holdfast.runtime.engine import Engine

UNKNOWN = "(known after apply)"


def targets_of(kind: Kind, body: JsonMap) -> list[ObjectKey]:
    """The objects that a spec refers to, for the store's index."""
    namespace = str((body.get("metadata") or {}).get("namespace") or "default")
    return [_key(ref, source, namespace) for ref, _, source in references_in(kind, body.get("spec") or {}) if source.get("name")]


def _key(ref: Reference, source: JsonMap, namespace: str) -> ObjectKey:
    group, kind, _ = _meant(ref, source)
    return ObjectKey(group, kind, str(source.get("namespace") or namespace), str(source.get("name") or ""))


def _meant(ref: Reference, source: JsonMap) -> tuple[str, str, str]:
    """Group, kind and value of the target; `kind` says which, where several fit."""
    return next((t for t in ref.others if t[1] == source.get("kind")), (ref.group, ref.kind, ref.value))


async def resolve(engine: Engine, kind: Kind, obj: StoredObject, *, need_ready: bool) -> dict[str, Json]:
    """Exact path of each reference → its value. Raises WaitError (HF401, HF402, HF404) or InputError (HF403)."""
    found: dict[str, Json] = {}
    for ref, at, source in references_in(kind, obj.spec):
        _check_alone(ref, at, obj.spec)
        if source.get("external"):
            found[at] = {"external": _checked_name(engine, ref, str(source["external"]), at)}
            continue
        key = _key(ref, source, obj.key.namespace)
        if not key.name:
            raise InputError("HF104", "a reference needs from.name", f"spec.{at}")
        if ref.is_external and not ref.to_secret and engine.kinds.find(key.group, key.kind) is None:
            raise InputError("HF405", f"no kind {key.kind!r} in group {key.group!r} is installed, so it cannot be referred to by name; use external", f"spec.{at}")
        target = await engine.store.get(key)
        value = _secret(target, source, key, at) if ref.to_secret else _value(engine, target, _meant(ref, source)[2], key, at, need_ready)
        found[at] = {"value" if ref.to_secret else "external": value} if ref.is_external else value
    return found


def _checked_name(engine: Engine, ref: Reference, name: str, at: str) -> str:
    """A name given outright must look like one, where we know how they look."""
    target = engine.kinds.find(ref.group, ref.kind)
    form = target.identifiers.get("name", "") if target and not ref.others and ref.value == target.dialect.reference_value else ""
    if form and read_name(form, name) is None:
        shown = re.sub(r"{(?:spec\.)?([^}:]+)(?::\w+)?}", r"{\1}", form)
        raise InputError("HF405", f"external {name!r} is not the name of a {ref.kind}; it looks like {shown}", f"spec.{at}.external")
    return name


def _check_alone(ref: Reference, at: str, spec: JsonMap) -> None:
    """Inside lists the API server cannot check this, so we do."""
    if "[" in at and not (ref.is_list or ref.to_secret or ref.is_external):
        parent, _, _ = at.rpartition(".")
        holder = _at(spec, parent)
        if isinstance(holder, dict) and holder.get(ref.target) is not None:
            raise InputError("HF403", f"{ref.target} and its reference are both given", f"spec.{at}")


def _at(data: Json, path: str) -> Json:
    for part in path.replace("[", ".[").split("."):
        if part.startswith("["):
            data = data[int(part[1:-1])]
        else:
            data = data.get(part) if isinstance(data, dict) else None
    return data


def _value(engine: Engine, target: StoredObject | None, path: str, key: ObjectKey, at: str, need_ready: bool) -> Json:
    if target is None:
        raise WaitError("HF401", f"{key} does not exist yet", f"spec.{at}")
    kind = engine.kind_of(key)
    value = _made_of_name(kind, target, path) if "{" in path else next((v for p in path.split("|") if (v := get_path(target.body, p)) is not None), None)
    if value is None and engine.settings.is_dry:
        return UNKNOWN
    if value is None or (need_ready and not is_ready(kind, target) and not engine.settings.is_dry):
        raise WaitError("HF402", f"{key} is not ready yet", f"spec.{at}")
    return value


def _made_of_name(kind: Kind, target: StoredObject, form: str) -> Json:
    """A value that is put together of the parts of the target's name."""
    name = get_path(target.status, kind.dialect.identity_path)
    parts = read_name(kind.identifiers["name"], str(name)) if name else None
    if not parts:
        return None
    return fill_name(form, {"project": project_of(str(name)), **nested(parts)}) or None


def is_ready(kind: Kind, obj: StoredObject) -> bool:
    """By our own condition, or by upstream's where the object was theirs until today."""
    states = {c.get("type"): c.get("status") for c in obj.status.get("conditions") or []}
    return states.get("Ready", states.get(kind.dialect.synced_condition)) == "True"


def _secret(target: StoredObject | None, source: JsonMap, key: ObjectKey, at: str) -> Json:
    wanted = str(source.get("key") or "")
    if target is None:
        raise WaitError("HF404", f"{key} does not exist yet", f"spec.{at}")
    plain, coded = (target.body.get("stringData") or {}).get(wanted), (target.body.get("data") or {}).get(wanted)
    if plain is not None:
        return str(plain)
    if coded is None:
        raise WaitError("HF404", f"{key} has no key {wanted!r}", f"spec.{at}")
    try:
        return base64.b64decode(coded, validate=True).decode()
    except (binascii.Error, ValueError):
        raise InputError("HF404", f"key {wanted!r} of {key} is not base64 text", f"spec.{at}") from None
