"""References → values. What is missing or not ready is a wait with its own reason; the store's watch wakes the object."""

from __future__ import annotations

import base64
import binascii

from holdfast.core.desired import references_in
from holdfast.model.errors import InputError, WaitError
from holdfast.model.json import Json, JsonMap, get_path
from holdfast.model.kinds import Kind, Reference
from holdfast.model.objects import ObjectKey, StoredObject
from holdfast.runtime.engine import Engine

UNKNOWN = "(known after apply)"


def targets_of(kind: Kind, body: JsonMap) -> list[ObjectKey]:
    """The objects that a spec refers to, for the store's index."""
    namespace = str((body.get("metadata") or {}).get("namespace") or "default")
    return [_key(ref, source, namespace) for ref, _, source in references_in(kind, body.get("spec") or {})]


def _key(ref: Reference, source: JsonMap, namespace: str) -> ObjectKey:
    return ObjectKey(ref.group, ref.kind, str(source.get("namespace") or namespace), str(source.get("name") or ""))


async def resolve(engine: Engine, kind: Kind, obj: StoredObject, *, need_ready: bool) -> dict[str, Json]:
    """Exact path of each reference → its value. Raises WaitError (HF401, HF402, HF404) or InputError (HF403)."""
    found: dict[str, Json] = {}
    for ref, at, source in references_in(kind, obj.spec):
        _check_alone(ref, at, obj.spec)
        key = _key(ref, source, obj.key.namespace)
        if not key.name:
            raise InputError("HF104", "a reference needs from.name", f"spec.{at}")
        target = await engine.store.get(key)
        found[at] = _secret(target, source, key, at) if ref.to_secret else _value(engine, target, ref, key, at, need_ready)
    return found


def _check_alone(ref: Reference, at: str, spec: JsonMap) -> None:
    """Inside lists the API server cannot check this, so we do."""
    if "[" in at and not ref.is_list and not ref.to_secret:
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


def _value(engine: Engine, target: StoredObject | None, ref: Reference, key: ObjectKey, at: str, need_ready: bool) -> Json:
    if target is None:
        raise WaitError("HF401", f"{key} does not exist yet", f"spec.{at}")
    value = get_path(target.body, ref.value)
    if value is None and engine.settings.is_dry:
        return UNKNOWN
    if value is None or (need_ready and not is_ready(target) and not engine.settings.is_dry):
        raise WaitError("HF402", f"{key} is not ready yet", f"spec.{at}")
    return value


def is_ready(obj: StoredObject) -> bool:
    """By our own condition, or by upstream's where the object was theirs until today."""
    states = {c.get("type"): c.get("status") for c in obj.status.get("conditions") or []}
    return states.get("Ready", states.get("ACK.ResourceSynced")) == "True"


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
