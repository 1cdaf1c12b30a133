"""The life of one reconcile: observe → decide → execute → commit, read top to bottom."""

from __future__ import annotations

from dataclasses import dataclass, replace

from holdfast.core.decide import decide
from holdfast.core.pace import delay
from holdfast.core.status import Outcome, compose, read_memory, said, spec_overrides_annotation
from holdfast.model.errors import CloudError, ConflictError, HoldfastError, InputError, RefusedError, Retry, WaitError
from holdfast.model.facts import Hold, Memory
from holdfast.model.kinds import Kind
from holdfast.model.objects import ObjectKey, StoredObject, condition
from holdfast.model.plans import Adopt, Create, Delete, Look, Plan, Update
from holdfast.model.reasons import Reason
from holdfast.runtime.adoption import reconcile_adopted
from holdfast.runtime.case import Case, bare_case, look, open_case, prepare
from holdfast.runtime.conclude import Done, claim
from holdfast.runtime.engine import Engine, log_step
from holdfast.runtime.execute import execute
from holdfast.runtime.guard import forbidding_writes
from holdfast.runtime.ports import EventNote


@dataclass(frozen=True, slots=True)
class Result:
    """How it went. `retry_in` None: only when something changes, or at the next resync."""

    key: ObjectKey
    plan: Plan | None = None
    case: Case | None = None
    outcome: Outcome | None = None
    retry_in: float | None = None
    is_gone: bool = False
    error: HoldfastError | None = None
    version: int = 0  # of the store, up to which this reconcile has seen the object


async def reconcile(engine: Engine, key: ObjectKey, attempt: int = 0) -> Result:
    obj = await engine.store.get(key)
    if obj is None:
        return Result(key, is_gone=True)
    if engine.kinds.is_adopted_resource(key.group, key.kind):
        try:
            outcome = await reconcile_adopted(engine, obj)
        except ConflictError:
            return Result(key, retry_in=0.0)
        last = await engine.store.get(key) or obj
        return Result(key, outcome=outcome, retry_in=outcome.retry_in if outcome else None, version=_version(last) if _is_same(last, obj) else 0)
    case: Case | None = None
    plan: Plan | None = None
    try:
        case = await open_case(engine, obj)
        with forbidding_writes(case.facts.directives.never_writes):
            plan = decide(case.facts)
            if isinstance(plan, Look):
                case = await prepare(engine, case)
                plan = decide(case.facts)
            if isinstance(plan, Look):
                case = await look(engine, case)
                plan = decide(case.facts)
            log_step("decided", key, plan=type(plan).__name__, reads=case.facts.live is not None)
            done = await execute(engine, case, plan)
        last = await commit(engine, case, done) if done.outcome is not None else obj
    except ConflictError:
        return Result(key, plan, case, retry_in=0.0)
    except HoldfastError as error:
        return await _fail(engine, obj, case, plan, error, attempt)
    if done.outcome is None:
        return Result(key, plan, case, is_gone=done.is_gone, version=_version(obj))
    return Result(key, plan, case, done.outcome, done.outcome.retry_in, version=_version(last))


def _version(obj: StoredObject) -> int:
    return int(obj.resource_version) if obj.resource_version.isdigit() else 0


def _is_same(now: StoredObject, before: StoredObject) -> bool:
    """Whether nobody but us has written to the object meanwhile."""
    parts = ("annotations", "labels", "deletionTimestamp", "generation")
    return all(now.metadata.get(p) == before.metadata.get(p) for p in parts)


async def commit(engine: Engine, case: Case, done: Done) -> StoredObject:
    """One status write, only if something in it changed; the annotation of overrides only when its content changed."""
    outcome = done.outcome
    assert outcome is not None
    obj = done.obj or case.obj
    now = engine.clock.now()
    references = True if case.has_references and outcome.references_resolved is None else outcome.references_resolved
    outcome = replace(outcome, references_resolved=references)
    before = read_memory(case.kind, case.obj.status, {})
    obj = await _publish_overrides(engine, case.kind, obj, before, done.memory)
    status = compose(case.kind, obj.status, done.memory, outcome, case.obj.generation, now)
    if status != obj.status:
        obj = await engine.store.write_status(obj, status)
        await _announce(engine, case.kind, case.obj, before, outcome)
        log_step("committed", case.obj.key, reason=outcome.reason.text)
    return obj


async def _publish_overrides(engine: Engine, kind: Kind, obj: StoredObject, before: Memory, after: Memory) -> StoredObject:
    if dict(before.overrides) == dict(after.overrides):
        return obj
    text = spec_overrides_annotation(after.overrides) if after.overrides else None
    return await engine.store.write_metadata(obj, obj.finalizers, {kind.dialect.annotation("spec-overrides"): text})


async def _announce(engine: Engine, kind: Kind, obj: StoredObject, before: Memory, outcome: Outcome) -> None:
    """Once per change of what Ready says."""
    ready, (reason, message) = condition({"conditions": before.conditions}), said(kind, outcome)
    if (ready.get("reason"), ready.get("message")) != (reason, message):
        type_ = "Normal" if outcome.reason.ready == "True" or not outcome.code else "Warning"
        text = f"{outcome.code} {outcome.message}" if outcome.code else outcome.message
        await engine.store.record(EventNote(obj.key, type_, reason, text))


# ---- what an error becomes ---------------------------------------------------------------------------------------------


async def _fail(engine: Engine, obj: StoredObject, case: Case | None, plan: Plan | None, error: HoldfastError, attempt: int) -> Result:
    """The error reaches status with its code, and is classified: wait, retry, or you must act."""
    if error.code == "HF512" and engine.settings.is_dry:
        return Result(obj.key, plan, case, Outcome(Reason.UPDATING, "planned", live=None), error=None)
    if case is None:
        case = bare_case(engine, obj)
    after = error.retry_after if isinstance(error, CloudError) else 0.0
    retry_in = delay(error.retry, attempt, engine.clock.fraction(), after)
    outcome = replace(outcome_of(error, obj, retry_in), was_never_made=_is_failed_create(case, error))
    memory = _with_hold(engine, case, plan, error)
    if isinstance(plan, (Create, Update)) and isinstance(error, CloudError) and error.sent and error.retry is not Retry.NEVER:
        memory = claim(case, memory)
    fresh = await engine.store.get(obj.key)
    if fresh is None:
        return Result(obj.key, plan, case, is_gone=True)
    try:
        last = await commit(engine, replace(case, obj=fresh), Done(outcome, _keep_intent(engine, fresh, case, memory, error), fresh))
    except ConflictError:
        return Result(obj.key, plan, case, outcome, 0.0)
    log_step("failed", obj.key, code=error.code)
    return Result(obj.key, plan, case, outcome, retry_in, error=error, version=_version(last) if _is_same(fresh, obj) else 0)


def _is_failed_create(case: Case, error: HoldfastError) -> bool:
    """A create that was carried out for a while, and then was not: a definite no. Nothing was made, so nothing is ours."""
    operation = case.facts.memory.operation
    return _ended_operation(error) and operation is not None and operation.action == "create"


def _ended_operation(error: HoldfastError) -> bool:
    return isinstance(error, CloudError) and error.ended_operation


def _keep_intent(engine: Engine, fresh: StoredObject, case: Case, memory: Memory, error: HoldfastError) -> Memory:
    """An intent that was written during this very reconcile stays open while it is not known whether the cloud acted; a definite no to a
    first try closes it, for what is found later is somebody else's."""
    now = read_memory(case.kind, fresh.status, fresh.annotations)
    intent = now.intent
    if intent is not None and intent.action == "create" and isinstance(error, CloudError):
        is_closed = error.ended_operation or (error.is_refused_create and case.facts.memory.intent is None)
        intent = None if is_closed else replace(intent, tried=engine.clock.now())
    return replace(memory, intent=intent, settling=now.settling, overrides=now.overrides)


def _with_hold(engine: Engine, case: Case, plan: Plan | None, error: HoldfastError) -> Memory:
    """Only what a write of ours was told is held: a look that failed may succeed the next time."""
    memory = case.facts.memory
    if _ended_operation(error):
        memory = replace(memory, operation=None)
    if _is_failed_create(case, error):
        memory = replace(memory, applied=(), has_applied=False)
    is_write = isinstance(plan, (Create, Update, Adopt, Delete)) or _ended_operation(error)
    if is_write and isinstance(error, CloudError) and error.retry is Retry.NEVER and case.inputs:
        until = engine.clock.later(engine.settings.hold_seconds)
        return replace(memory, hold=Hold(error.code, case.inputs, until))
    return replace(memory, hold=None)


_REASONS = {"HF108": Reason.IMMUTABLE, "HF401": Reason.REFERENCE_MISSING, "HF404": Reason.REFERENCE_MISSING, "HF402": Reason.REFERENCE_WAIT, "HF405": Reason.REFERENCE_INVALID, "HF511": Reason.ELSEWHERE}


def outcome_of(error: HoldfastError, obj: StoredObject, retry_in: float | None) -> Outcome:
    reason = _REASONS.get(error.code)
    if reason is None:
        if obj.is_deleting and isinstance(error, CloudError):
            reason = Reason.DELETE_FAILED
        elif isinstance(error, (InputError, RefusedError)):
            reason = Reason.INVALID
        elif error.retry is Retry.NEVER:
            reason = Reason.REJECTED
        else:
            reason = Reason.RETRYING
    text = f"{error.where}: {error.message}" if error.where else error.message
    waits = isinstance(error, WaitError)
    return Outcome(reason, text, error.code, action="error", is_terminal=error.retry is Retry.NEVER,
                   references_resolved=False if waits else None, retry_in=retry_in)

