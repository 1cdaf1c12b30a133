"""After our own write: what the answer taught, whether the effect is seen, and what is remembered of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from holdfast.core.compare import applied_paths, compare
from holdfast.core.cookie import cookie
from holdfast.core.decide import RUNNING, failed_parts, unread
from holdfast.core.messages import listed
from holdfast.core.normalise import normalise
from holdfast.core.overrides import learn_from_answer, value_hash
from holdfast.core.sent import seals
from holdfast.core.status import Outcome
from holdfast.model.facts import Live, Memory, Operation, Settling
from holdfast.model.kinds import top_field
from holdfast.model.objects import StoredObject
from holdfast.model.reasons import Reason
from holdfast.model.verdicts import Verdict, differences
from holdfast.runtime.case import Case, assess, comparison
from holdfast.runtime.engine import Engine
from holdfast.runtime.ports import Answer


@dataclass(frozen=True, slots=True)
class Done:
    """What is to be committed: an outcome (None: nothing), what to remember, and the object as our own writes left it."""

    outcome: Outcome | None
    memory: Memory
    obj: StoredObject | None = None
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """A write of ours: what it was to change, as live was before, and what the cloud answered."""

    action: str  # create | update
    answer: Answer
    before: Mapping[str, str] = field(default_factory=dict)  # path → hash


def conclude(engine: Engine, case: Case, live: Live, written: Written) -> Done:
    """Learn overrides from the answer, and see whether the effect is there."""
    answered = _answered(case, written.answer)
    memory = case.facts.memory
    over = {v.path for v in answered if not v.is_difference}  # the server took our value: what it once put in its place is no longer known
    kept = {path: entry for path, entry in memory.overrides.items() if path not in over}
    ours = tuple(v for v in answered if written.action == "create" or v.path in written.before)  # of the rest, others may have had their say
    memory = replace(memory, overrides={**kept, **learn_from_answer(case.kind, ours, case.facts.key)},
                     sent={**memory.sent, **_sent_now(case, written.answer)})
    case = assess(replace(case, facts=replace(case.facts, memory=memory)), live, engine)
    if live.pending:
        outcome = Outcome(Reason.SETTLING, f"The service says {live.pending}.", action=written.action, live=live, retry_in=case.kind.settle_seconds)
        return Done(outcome, claim(case, case.facts.memory), case.obj)
    if differences(case.facts.verdicts):
        return _not_seen_yet(engine, case, live, written, answered)
    return _seen(case, live, written.action)


def _seen(case: Case, live: Live, action: str) -> Done:
    memory, verdicts = remember(case, case.facts.memory, applied=True), case.facts.verdicts
    if unread(case.facts):
        return Done(Outcome(Reason.INCOMPLETE, failed_parts(case.facts), "HF509", action, verdicts, live=live), replace(memory, cookie=""), case.obj)
    return Done(Outcome(Reason.UP_TO_DATE, "The resource is as declared.", action=action, verdicts=verdicts, live=live), memory, case.obj)


def _not_seen_yet(engine: Engine, case: Case, live: Live, written: Written, answered: tuple[Verdict, ...]) -> Done:
    """Remember, as hashes, what was there before our first try and what is there now: see core.decide.settling."""
    key, left, old = case.facts.key, differences(case.facts.verdicts), case.facts.memory.settling
    same = old if old is not None and old.generation == case.facts.generation else None
    seen = hashes(left, key)
    before = {**written.before, **hashes(_not_ours(left, written.answer, answered), key)}
    was = {path: text for path, text in before.items() if same is None or path not in same.seen}
    settling = Settling(case.facts.generation, (same.attempts if same else 0) + 1, engine.clock.now(), {p: h for p, h in {**was, **(same.before if same else {})}.items() if p in seen},
                        {p: h for p, h in seen.items() if same is None or same.seen.get(p) == h})
    outcome = Outcome(Reason.SETTLING, f"Waiting to see our update: {listed(case.kind, left)}.", action=written.action, verdicts=case.facts.verdicts,
                      live=live, retry_in=case.kind.settle_seconds)
    return Done(outcome, replace(claim(case, case.facts.memory), settling=settling, hold=None), case.obj)


def hashes(verdicts: tuple[Verdict, ...], key: bytes) -> dict[str, str]:
    """What live had at each path, as hashes."""
    return {v.path: value_hash(v.live, key) for v in verdicts}


def begun(case: Case, action: str, answer: Answer, before: tuple[Verdict, ...] = ()) -> Done:
    """The cloud has begun: what it is doing stands in status, and the queue asks after it."""
    reason = RUNNING[action]
    sent = sorted(case.kind.spec_schema["properties"] if answer.written is None else answer.written)
    operation = Operation(answer.operation, action, case.facts.generation, hashes(before, case.facts.key), sent)
    memory = replace(case.facts.memory, operation=operation, hold=None)
    if action in ("create", "update"):
        memory = replace(claim(case, memory), sent={**memory.sent, **_sent_now(case, answer)})
    named = Live({}, {}, answer.identity, case.subject.place) if answer.identity and action == "create" else None  # so that no other object takes it meanwhile
    outcome = Outcome(reason, f"The cloud is carrying it out: {answer.operation}.", action=action, live=named, retry_in=max(case.kind.settle_seconds, 1.0))
    return Done(outcome, memory, case.obj)


def _not_ours(left: tuple[Verdict, ...], answer: Answer, answered: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """Differences that our write cannot have led to: it did not carry the field, or the answer had our value and somebody changed it since."""
    taken = {v.path for v in answered if not v.is_difference}
    return tuple(v for v in left if v.path in taken or (answer.written is not None and v.field not in answer.written))


def _sent_now(case: Case, answer: Answer) -> dict[str, str]:
    """Seals of the write-only fields that this write carried."""
    desired = normalise(case.kind, case.subject.spec, live=False)
    blind = compare(replace(comparison(case, desired, Live({})), removed=()))
    return {p: s for p, s in seals(blind, case.facts.key).items() if answer.written is None or top_field(p) in answer.written}


def _answered(case: Case, answer: Answer) -> tuple[Verdict, ...]:
    """Desired against what the answer carried, for the fields that it carried."""
    desired = {k: v for k, v in normalise(case.kind, case.subject.spec, live=False).items() if k in answer.spec}
    live = Live(answer.spec)
    return compare(replace(comparison(case, desired, live), removed=()))


def claim(case: Case, memory: Memory) -> Memory:
    """What we sent counts as applied, although its effect is not seen yet: removed from the spec meanwhile, it must still be unset."""
    paths = {*memory.applied, *applied_paths(case.kind, normalise(case.kind, case.subject.spec, live=False))}
    return replace(memory, applied=tuple(sorted(paths)), has_applied=True)


def remember(case: Case, memory: Memory, *, applied: bool) -> Memory:
    paths = (*applied_paths(case.kind, case.facts.desired), *_still_to_unset(case)) if applied else memory.applied
    kept = replace(memory, intent=None, settling=None, hold=None, operation=None, applied=paths, has_applied=memory.has_applied or applied)
    if applied:
        kept = replace(kept, sent=seals(case.facts.verdicts, case.facts.key))
    if not applied:
        return replace(kept, cookie=case.facts.cookie)
    # what was removed is gone by now, so the cookie is that of a spec without removals
    calm = replace(case.facts, memory=kept)
    return replace(kept, cookie=_cookie_of(replace(case, facts=calm)))


def _still_to_unset(case: Case) -> tuple[str, ...]:
    """Removed fields whose part could not be read: whether they are gone is not known, so they stay on the list."""
    live = case.facts.live
    return tuple(p for p in case.facts.removed if isinstance(live, Live) and top_field(p) in live.failed)


def _cookie_of(case: Case) -> str:
    facts = case.facts
    assert isinstance(facts.live, Live)
    c = comparison(case, facts.desired, facts.live)
    return cookie(c, facts.memory.overrides, facts.key)
