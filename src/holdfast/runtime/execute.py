"""The only place that interprets a plan. Intents before what cannot be undone, a fresh read before what can, and one outcome after."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from typing import assert_never

from holdfast.core.cookie import spec_half
from holdfast.core.desired import shape_tags, target_spec
from holdfast.core.messages import listed
from holdfast.core.normalise import own_tags
from holdfast.core.sent import seals
from holdfast.core.status import Outcome, identity_status
from holdfast.model.errors import CloudError, ConflictError, Retry
from holdfast.model.facts import Absent, Intent, Live
from holdfast.model.json import Json, JsonMap, get_path, with_path, without_path
from holdfast.model.kinds import Kind
from holdfast.model.objects import StoredObject
from holdfast.model.plans import Adopt, Create, Delete, Finish, Look, Plan, Release, Report, Rest, Update
from holdfast.model.reasons import Reason
from holdfast.model.verdicts import differences
from holdfast.runtime.case import Case, assess, namespace_key, waits_for_others
from holdfast.runtime.conclude import Done, Written, begun, conclude, hashes, remember
from holdfast.runtime.engine import Engine, log_step
from holdfast.runtime.ports import Answer, EventNote

ADOPTION_MANAGER = "holdfast-adoption"
CLOCK_SKEW = 300.0  # seconds by which the cloud's clock may be behind ours


async def execute(engine: Engine, case: Case, plan: Plan) -> Done:
    match plan:
        case Rest() | Look():
            return Done(None, case.facts.memory)
        case Report():
            return await _report(engine, case, plan)
        case Create():
            return await _create(engine, case)
        case Update():
            return await _update(engine, case, plan)
        case Finish():
            return await _finish(engine, case, plan)
        case Adopt():
            return await _adopt(engine, case, plan)
        case Delete():
            return await _delete(engine, case, plan)
        case Release():
            return await _release(engine, case, plan.message)
        case _:
            assert_never(plan)


async def _report(engine: Engine, case: Case, plan: Report) -> Done:
    facts, memory = case.facts, case.facts.memory
    live = facts.live if isinstance(facts.live, Live) and not facts.held_by else None
    if live is not None and not plan.remember and live.identity != memory.identity and not (live.mark and live.mark == facts.mark):
        live = None  # status must not name what is not ours, nor what was found wrong: its name may be the very mistake
    obj = case.obj
    if plan.overrides is not None:
        memory = replace(memory, overrides={**memory.overrides, **plan.overrides})
        case = assess(replace(case, facts=replace(facts, memory=memory)), facts.live or Absent(), engine)
        memory = case.facts.memory
    if plan.remember:
        memory = remember(case, memory, applied=plan.applied or _is_new_spec(case))
        if not facts.directives.never_writes:
            obj = await _hold_on(engine, case, obj)
    if plan.is_verification or plan.reason in (Reason.NOT_FOUND, Reason.INCOMPLETE, Reason.IMMUTABLE):
        memory = replace(memory, hold=None)
    outcome = Outcome(plan.reason, plan.message, plan.code, "report", plan.verdicts, is_verification=plan.is_verification,
                      is_terminal=plan.reason in (Reason.EXISTS, Reason.HELD, Reason.IMMUTABLE, Reason.NOT_CONVERGING, Reason.ADOPTION_MISMATCH),
                      live=live, seen=facts.live.identity if isinstance(facts.live, Live) else "", retry_in=plan.retry_in or None)
    return Done(outcome, memory, obj)


def _is_new_spec(case: Case) -> bool:
    """A spec that was never right before and now is counts as applied: its update's answer, or our status after it, may have been lost."""
    facts = case.facts
    untouched = (facts.directives.adopted or facts.memory.adopted) and not facts.memory.has_applied
    return spec_half(facts.memory.cookie) != spec_half(facts.cookie) and not facts.directives.never_writes and not untouched


async def _hold_on(engine: Engine, case: Case, obj: StoredObject) -> StoredObject:
    """The finalizer, before the first write and at promotion."""
    if case.kind.finalizer in obj.finalizers:
        return obj
    return await engine.store.write_metadata(obj, [*obj.finalizers, case.kind.finalizer], {})


# ---- create ---------------------------------------------------------------------------------------------------------------


async def _create(engine: Engine, case: Case) -> Done:
    await _still_the_same(engine, case)
    if engine.settings.is_dry and waits_for_others(case):
        raise CloudError("HF512", "what it refers to is only planned", sent=False)
    obj = await _hold_on(engine, case, case.obj)
    intent = _create_intent(engine, case.facts.memory.intent)
    obj = await engine.store.write_status(obj, {**obj.status, "intent": asdict(intent)})
    log_step("creating", obj.key)
    subject = replace(case.subject, token=intent.token)
    answer = await engine.cloud_of(case.kind).writer().create(subject)
    memory = replace(case.facts.memory, intent=intent, hold=None)
    case = replace(case, obj=obj, subject=replace(subject, status={**subject.status, **answer.status}), facts=replace(case.facts, memory=memory))
    if answer.operation:
        return begun(case, "create", answer)
    wanted = frozenset({*case.subject.spec, case.kind.tag_field})
    seen = await engine.cloud_of(case.kind).reader().observe(replace(case.subject, wanted=wanted))
    if isinstance(seen, Live) and seen.mark and seen.mark != case.facts.mark:
        text = f"{seen.identity} was made by somebody else at the same moment; it is not ours."
        return Done(Outcome(Reason.EXISTS, text, "HF306", action="create", is_terminal=True), replace(memory, intent=None), obj)
    if isinstance(seen, Live) and _lacks_mark(case, seen):
        text = "Created, or found: our mark is not seen on it yet, so whose it is will be seen."
        return Done(Outcome(Reason.CREATING, text, action="create", retry_in=case.kind.settle_seconds), memory, obj)
    await engine.store.record(EventNote(obj.key, "Normal", "Created", f"Created {answer.identity or 'the resource'}"))
    if not isinstance(seen, Live):
        named = Live({}, answer.status, answer.identity, case.subject.place)
        waited = engine.clock.age(intent.time) - CLOCK_SKEW  # doubled each time: a service that says yes and shows nothing is not asked for ever
        return Done(Outcome(Reason.CREATING, "Created; waiting for the service to show it.", action="create", live=named,
                            retry_in=max(case.kind.settle_seconds, min(waited, 3600.0))), memory, obj)
    return conclude(engine, case, seen, Written("create", answer))


def _lacks_mark(case: Case, live: Live) -> bool:
    """A create that answers "yes" to what exists already leaves it without our mark."""
    tags = case.kind.tag_field
    return case.kind.marks_at_create and bool(tags) and tags not in live.failed and not live.mark


def _create_intent(engine: Engine, before: Intent | None) -> Intent:
    """A create that is tried again keeps its token, so that a service which knows it makes nothing twice."""
    now = engine.clock.now()
    if before is not None and before.action == "create":
        return replace(before, tried=now)
    return Intent("create", engine.clock.token(), engine.clock.later(-CLOCK_SKEW), now)


# ---- update ---------------------------------------------------------------------------------------------------------------


async def _update(engine: Engine, case: Case, plan: Update) -> Done:
    await _still_the_same(engine, case)
    kind, facts = case.kind, case.facts
    obj = await _hold_on(engine, case, case.obj)
    await engine.store.record(EventNote(obj.key, "Normal", "Correcting", f"Differences to correct: {listed(kind, plan.verdicts)}"))
    case, live = await _with_tags_read(engine, replace(case, obj=obj), plan.live)
    target = target_spec(kind, live.spec, case.subject.spec, tuple(v.path for v in plan.verdicts if v.is_removal))
    changed = frozenset(v.field for v in plan.verdicts)
    cloud = engine.cloud_of(kind)
    log_step("updating", obj.key, fields=",".join(sorted(changed)))
    await _still_the_same(engine, case)
    answer = await cloud.writer().update(case.subject, live, target, changed)
    if answer.operation:
        return begun(case, "update", answer, plan.verdicts)
    seen = await cloud.reader().observe(case.subject)
    if not isinstance(seen, Live):
        return Done(Outcome(Reason.SETTLING, "The resource vanished during the update.", action="update", retry_in=kind.settle_seconds),
                    facts.memory, obj)
    return conclude(engine, case, seen, Written("update", answer, hashes(plan.verdicts, facts.key)))


async def _with_tags_read(engine: Engine, case: Case, live: Live) -> tuple[Case, Live]:
    """Marks go along with an update, so the tags must be known, even where the spec does not speak of them."""
    tags = case.kind.tag_field
    if not tags or live.is_whole or case.subject.wanted is None or tags in case.subject.wanted:
        return case, live
    case = replace(case, subject=replace(case.subject, wanted=case.subject.wanted | {tags}))
    seen = await engine.cloud_of(case.kind).reader().observe(case.subject)
    if not isinstance(seen, Live):
        raise ConflictError("HF601", f"the resource of {case.obj.key} vanished")
    return case, seen


async def _still_the_same(engine: Engine, case: Case) -> None:
    """A directive that appeared meanwhile must stop the write."""
    fresh = await engine.store.get(case.obj.key)
    namespace = await engine.store.get(namespace_key(case.obj.key))
    moved = (namespace.resource_version if namespace else "") != case.namespace_version
    if fresh is None or fresh.resource_version != case.obj.resource_version or moved:
        raise ConflictError("HF601", f"{case.obj.key} or its namespace changed since it was decided on")


async def _finish(engine: Engine, case: Case, plan: Finish) -> Done:
    """What an operation ended with is no answer to our write alone: others had all its time to write, too. So overrides are learnt as from reads."""
    assert case.ended is not None
    if case.ended.action == "create":
        await engine.store.record(EventNote(case.obj.key, "Normal", "Created", f"Created {plan.live.identity}"))
    return conclude(engine, case, plan.live, Written(case.ended.action, Answer(written=frozenset(case.ended.sent)), case.ended.before))


# ---- adopt, delete, release -----------------------------------------------------------------------------------------------


async def _adopt(engine: Engine, case: Case, plan: Adopt) -> Done:
    await _still_the_same(engine, case)
    kind = case.kind
    log_step("adopting", case.obj.key, resource=plan.live.identity)
    obj = await _hold_on(engine, case, case.obj)
    note = kind.dialect.annotation("adopted")
    if obj.annotations.get(note) != "true":
        obj = await engine.store.write_metadata(obj, obj.finalizers, {note: "true"})
    if case.facts.directives.adoption_policy == "adopt":
        obj = await _fill_spec(engine, kind, obj, plan.live)
    answer = await _mark(engine, case, plan.live)
    await engine.store.record(EventNote(obj.key, "Normal", "Adopted", f"Adopted {plan.live.identity}"))
    memory = replace(case.facts.memory, adopted=True, intent=None, hold=None)
    if answer.operation:
        return begun(replace(case, obj=obj, facts=replace(case.facts, memory=memory)), "adopt", answer)
    left = differences(plan.verdicts)
    if left:
        return Done(Outcome(Reason.UPDATING, f"Adopted; to be corrected: {listed(kind, left)}.", action="adopt", verdicts=plan.verdicts,
                            live=plan.live, retry_in=0.0), memory, obj)
    case = replace(case, obj=obj, subject=replace(case.subject, spec=_merged_spec(case, obj)))
    case = assess(replace(case, facts=replace(case.facts, memory=memory)), plan.live, engine)
    memory = replace(case.facts.memory, cookie=case.facts.cookie, sent=seals(case.facts.verdicts, case.facts.key))
    return Done(Outcome(Reason.UP_TO_DATE, "Adopted; the resource is as declared.", action="adopt", verdicts=plan.verdicts, live=plan.live), memory, obj)


async def _mark(engine: Engine, case: Case, live: Live) -> Answer:
    """Marks are put on wherever possible; a service that will not take them is no reason not to adopt."""
    try:
        return await engine.cloud_of(case.kind).writer().mark(case.subject, live)
    except CloudError as error:
        if error.retry is Retry.SOON or error.code in ("HF509", "HF512"):
            raise
        await engine.store.record(EventNote(case.obj.key, "Warning", "NotMarked", f"{error.code} the marks could not be written: {error.message}"))
        return Answer()


def _merged_spec(case: Case, obj: StoredObject) -> JsonMap:
    filled = {k: v for k, v in obj.spec.items() if k not in case.obj.spec}
    return {**filled, **case.subject.spec}


async def _fill_spec(engine: Engine, kind: Kind, obj: StoredObject, live: Live) -> StoredObject:
    """Under `adopt`, fields that the spec does not have come from live; what it has stays."""
    missing = {k: v for k, v in live_spec(kind, live).items() if k not in obj.spec and not _given_by_reference(kind, obj.spec, k)}
    return await engine.store.write_spec(obj, missing, ADOPTION_MANAGER) if missing else obj


def _given_by_reference(kind: Kind, spec: JsonMap, field: str) -> bool:
    return any(r.target == field and r.path in spec for r in kind.references)


def live_spec(kind: Kind, live: Live) -> dict[str, Json]:
    """A resource as a spec: without marks, empties and what cannot be set."""
    spec = dict(live.spec)
    if kind.tag_path and get_path(spec, kind.tag_path) is not None:
        tags = own_tags(kind, get_path(spec, kind.tag_path))
        spec = with_path(spec, kind.tag_path, shape_tags(kind, tags)) if tags else without_path(spec, kind.tag_path)
    hidden = {p for p, r in kind.rules.items() if r.read_only or r.volatile or r.sensitive or r.write_only}
    hidden |= {r.path for r in kind.references if r.to_secret} | {n for n, node in kind.spec_schema["properties"].items() if node.get("x-hidden")}
    return {k: v for k, v in spec.items() if k in kind.spec_schema["properties"] and k not in hidden and v not in (None, "", [], {})}


_LABEL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")


def live_labels(kind: Kind, live: Live) -> dict[str, str]:
    """A resource's labels as an object's own, where that is their place; Kubernetes does not take every text that a cloud takes."""
    if not (kind.spec_schema["properties"].get(kind.tag_field) or {}).get("x-hidden"):
        return {}
    return {k: v for k, v in own_tags(kind, live.spec.get(kind.tag_field)).items() if _LABEL.fullmatch(k) and (not v or _LABEL.fullmatch(v))}


async def _delete(engine: Engine, case: Case, plan: Delete) -> Done:
    await _still_the_same(engine, case)
    intent = Intent("delete", engine.clock.token(), engine.clock.now(), engine.clock.now())
    held = identity_status(case.kind, plan.live, case.obj.status)  # named, it is ours also where only an open create said so until now
    obj = await engine.store.write_status(case.obj, {**case.obj.status, **held, "intent": asdict(intent)})
    log_step("deleting", obj.key, resource=plan.live.identity)
    answer = await engine.cloud_of(case.kind).writer().delete(case.subject, plan.live)
    if answer.operation:
        memory = replace(case.facts.memory, intent=intent)
        return begun(replace(case, obj=obj, facts=replace(case.facts, memory=memory)), "delete", answer)
    seen = await engine.cloud_of(case.kind).reader().observe(replace(case.subject, wanted=frozenset()))
    if isinstance(seen, Live) and not seen.gone:
        outcome = Outcome(Reason.DELETING, "Deleted; waiting for the service to let go of it.", action="delete", live=seen,
                          retry_in=case.kind.settle_seconds)
        return Done(outcome, replace(case.facts.memory, intent=intent), obj)
    return await _release(engine, replace(case, obj=obj), f"Deleted {plan.live.identity}")


async def _release(engine: Engine, case: Case, message: str) -> Done:
    obj = case.obj
    await engine.store.record(EventNote(obj.key, "Normal", "Released", message))
    log_step("released", obj.key)
    rest = [f for f in obj.finalizers if f not in case.kind.finalizers]
    await engine.store.write_metadata(obj, rest, {})
    return Done(None, case.facts.memory, is_gone=True)
