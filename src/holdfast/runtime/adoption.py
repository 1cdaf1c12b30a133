"""AdoptedResource: read the resource in full, make the object that it asks for, and say so. Touches nothing in the cloud itself;
the marks are the target's own first step."""

from __future__ import annotations

from dataclasses import replace

from holdfast.core.admit import MADE_BY, maker_of
from holdfast.core.adopted import AdoptionRequest, parse_request
from holdfast.core.directives import check_annotations
from holdfast.core.status import Outcome, identity_status
from holdfast.model.directives import Directives
from holdfast.model.errors import CloudError, ConflictError, HoldfastError, InputError, RefusedError, Retry, StoreError
from holdfast.model.facts import Live, Place
from holdfast.model.json import Json, JsonMap, get_path
from holdfast.model.objects import StoredObject
from holdfast.model.reasons import Reason
from holdfast.runtime.engine import Engine, log_step
from holdfast.runtime.execute import ADOPTION_MANAGER, live_labels, live_spec
from holdfast.runtime.ports import EventNote, Subject

CONDITION = "Adopted"
HANDED_ON = ("force-acquire", "read-only", "actuation-mode", "deletion-policy", "region")  # what it says of itself, it says of its target


async def reconcile_adopted(engine: Engine, obj: StoredObject) -> Outcome | None:
    """Once adopted, it never looks again; until then every failure is in its status."""
    if any(str(c.get("type")).endswith(CONDITION) and c.get("status") == "True" for c in obj.status.get("conditions") or []) \
            and obj.status.get("observedGeneration") == obj.generation:
        return None
    try:
        message = await _adopt(engine, obj)
        outcome = Outcome(Reason.UP_TO_DATE, message, action="adopt")
    except ConflictError:
        raise
    except HoldfastError as error:
        text = f"{error.where}: {error.message}" if error.where else error.message
        retry_in = 60.0 if error.retry is not Retry.NEVER or error.code == "HF506" else None
        reason = Reason.NOT_FOUND if error.code == "HF506" else Reason.INVALID if isinstance(error, (InputError, RefusedError)) else Reason.RETRYING
        outcome = Outcome(reason, text, error.code, "error", retry_in=retry_in, is_terminal=retry_in is None)
    await _commit(engine, obj, outcome)
    return outcome


async def _adopt(engine: Engine, obj: StoredObject) -> str:
    request = parse_request(obj.body, engine.kinds.find)
    check_annotations(request.kind.dialect, obj.annotations, obj.metadata.get("labels") or {})
    log_step("adoption: reading", obj.key, target=request.key.name, by=request.identifier[0])
    existing = await engine.store.get(request.key)
    if existing is not None and existing.annotations.get(request.kind.dialect.annotation(MADE_BY)) != maker_of(obj.body):
        raise InputError("HF302", f"{request.key} exists already; nothing was changed", "spec.metadata")
    if existing is not None and get_path(existing.status, request.kind.dialect.identity_path):
        return f"Adopted as {request.key}"
    live, notes = await _read(engine, request)
    holders = [k for k in await engine.store.holder_of(live.identity) if k != request.key]
    if holders:
        raise RefusedError("HF305", f"{holders[0]} already manages {live.identity}")
    if existing is None:
        log_step("adoption: creating the object", obj.key, target=request.key.name)
        existing = await _make(engine, obj, request, live, notes)
    status = {**live.status, **identity_status(request.kind, live, {})}
    await engine.store.write_status(existing, status)
    await engine.store.record(EventNote(obj.key, "Normal", "Adopted", f"{live.identity} is now {request.key}"))
    return f"Adopted as {request.key}"


async def _read(engine: Engine, request: AdoptionRequest) -> tuple[Live, dict[str, str]]:
    cloud, kind = engine.cloud_of(request.kind), request.kind
    place = await cloud.locate(kind, Directives(region=request.region), {}, Place())
    found = cloud.identify(kind, place, *request.identifier)
    spec, status = found.spec, found.status
    spec.update({k: v for k, v in request.extra.items() if k in kind.spec_schema["properties"]})
    status.update({k: v for k, v in request.extra.items() if k in kind.status_schema["properties"]})
    live = await cloud.reader().observe(Subject(kind, place, spec, status, ""))
    if not isinstance(live, Live):
        raise CloudError("HF506", f"the cloud has no {kind.name} with {request.identifier[0]} {request.identifier[1]!r}")
    return replace(live, spec={**spec, **live.spec}), found.annotations


async def _make(engine: Engine, obj: StoredObject, request: AdoptionRequest, live: Live, notes: dict[str, str]) -> StoredObject:
    kind = request.kind
    handed_on = {k: v for k, v in obj.annotations.items() if k in {kind.dialect.annotation(n) for n in HANDED_ON}}
    annotations = {**notes, **handed_on, **(request.metadata.get("annotations") or {}), kind.dialect.annotation("adopted"): "true", kind.dialect.annotation(MADE_BY): maker_of(obj.body)}
    metadata: dict[str, Json] = {**{k: v for k, v in request.metadata.items() if k in ("labels", "ownerReferences")}, "name": request.key.name,
                                 "namespace": request.key.namespace, "annotations": annotations}
    labels = {**live_labels(kind, live), **(request.metadata.get("labels") or {})}
    if labels:
        metadata["labels"] = labels
    body: JsonMap = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": metadata, "spec": live_spec(kind, live)}
    try:
        return await engine.store.create(body, ADOPTION_MANAGER)
    except StoreError as error:
        raise InputError("HF302", error.message, "spec.metadata") from None


async def _commit(engine: Engine, obj: StoredObject, outcome: Outcome) -> None:
    old = {c.get("type"): c for c in obj.status.get("conditions") or []}
    now = engine.clock.now()

    def condition(type_: str) -> JsonMap:
        same = old.get(type_, {}).get("status") == outcome.reason.ready
        return {"type": type_, "status": outcome.reason.ready, "reason": outcome.reason.text, "message": outcome.message,
                "lastTransitionTime": old.get(type_, {}).get("lastTransitionTime", now) if same else now}

    prefix = engine.kinds.dialect_of(obj.key.group).condition_prefix
    conditions = [condition("Ready"), condition(f"{prefix}{CONDITION}")]
    if outcome.is_terminal and outcome.reason.ready == "False":
        conditions.append({"type": f"{prefix}Terminal", "status": "True", "reason": outcome.code, "message": outcome.message,
                           "lastTransitionTime": old.get(f"{prefix}Terminal", {}).get("lastTransitionTime", now)})
    status = {**obj.status, "observedGeneration": obj.generation, "conditions": conditions}
    if status != obj.status:
        await engine.store.write_status(obj, status)
        if outcome.code:
            await engine.store.record(EventNote(obj.key, "Warning", outcome.reason.text, f"{outcome.code} {outcome.message}"))
