"""Every decision, as an ordered list of rules. `decide(facts)` is pure and total; the first rule that answers wins.

Before the resource was read only rules that need no reading are asked; the last of them says Look. Afterwards the order is:
deletion, what must never write, absence, ownership, adoption, then the comparison. Verify-only, plan and the real run share it.
"""

from __future__ import annotations

from collections.abc import Callable

from holdfast.core.cookie import spec_half
from holdfast.core.messages import listed
from holdfast.core.overrides import is_refilled, learn_from_reads
from holdfast.model.facts import Facts, Live
from holdfast.model.json import get_path
from holdfast.model.kinds import top_field
from holdfast.model.plans import Adopt, Create, Delete, Finish, Look, Plan, Release, Report, Rest, Update
from holdfast.model.reasons import Reason
from holdfast.model.verdicts import Finding, differences

Rule = Callable[[Facts], Plan | None]
ATTEMPTS = 3  # updates without effect before we stop: never loop against a cloud. The same other value after each is an override
RUNNING = {"create": Reason.CREATING, "update": Reason.UPDATING, "adopt": Reason.UPDATING, "delete": Reason.DELETING}  # by what an operation does


def decide(facts: Facts) -> Plan:
    for rule in AFTER_LOOKING if facts.live is not None else BEFORE_LOOKING:
        plan = rule(facts)
        if plan is not None:
            return plan
    return Look() if facts.live is None else Rest()


# ---- before the resource is read -------------------------------------------------------------------------------


def let_go_without_looking(f: Facts) -> Plan | None:
    """Retain, verify-only, read-only, or nothing was ever made: deleting the object needs no cloud."""
    if not f.is_deleting:
        return None
    if f.directives.retain:
        return Release(f"deletion-policy is {f.kind.dialect.release_word}: the resource stays as it is")
    if f.directives.never_writes:
        return Release("the object is verified only: the resource stays as it is")
    if not f.has_finalizer:
        return Release("nothing was held")
    if f.kind.cannot_delete:
        return Release(f"{f.kind.name} cannot be deleted: {f.kind.cannot_delete}. The object goes, the resource stays as it is")
    return None


def paused(f: Facts) -> Plan | None:
    """No cloud call at all; said once."""
    if not f.directives.paused:
        return None
    if f.use_fast_path and f.memory.ready_reason == Reason.PAUSED.text and f.memory.observed_generation == f.generation:
        return Rest()
    return Report(Reason.PAUSED, "Paused by actuation-mode: neither read nor written until it is taken away.")


def held_back(f: Facts) -> Plan | None:
    """A permanent error is not tried again until the object, a reference or the day changes."""
    return Rest() if f.memory.hold is not None and f.is_held else None


def under_way(f: Facts) -> Plan | None:
    """The cloud is still carrying out what we asked for: nothing is read or written until it has ended."""
    if not f.is_running or f.memory.operation is None:
        return None
    return Report(RUNNING[f.memory.operation.action], f"The cloud is carrying it out: {f.memory.operation.name}.", retry_in=max(f.kind.settle_seconds, 1.0))


# ---- after --------------------------------------------------------------------------------------------------------


def deletion(f: Facts) -> Plan | None:
    if not f.is_deleting:
        return None
    if not isinstance(f.live, Live) or f.live.gone:
        return unconfirmed_absence(f) or Release("the resource is gone")
    if f.live.leaving:
        return Report(Reason.DELETING, f"The service says {f.live.pending}.", retry_in=max(f.kind.settle_seconds, 1.0))
    if ownership_is_open(f, f.live):
        return unread_mark(f)
    if not is_ours(f, f.live):
        return Release("the resource is not ours: it stays as it is")
    return Delete(f.live)


def verification(f: Facts) -> Plan | None:
    """Look, compare, report; never write."""
    if not f.directives.never_writes:
        return None
    if not isinstance(f.live, Live) or f.live.gone:
        return Report(Reason.NOT_FOUND, not_found(f), "HF506", is_verification=True)
    found = differences(f.verdicts)
    if found:
        was_right = spec_half(f.memory.cookie) == spec_half(f.cookie)
        reason, code = (Reason.DRIFT, "HF508") if was_right else (Reason.UPDATE_FAILED, "HF507")
        return Report(reason, f"{listed(f.kind, found)}. Nothing was written: it was only compared.", code, f.verdicts,
                      is_verification=True)
    if unread(f):
        return Report(Reason.INCOMPLETE, failed_parts(f), "HF509", f.verdicts, is_verification=True)
    if rests(f):
        return Rest()
    return Report(Reason.UP_TO_DATE, matches(f), "", f.verdicts, remember=True, applied=True, is_verification=True)


def absence(f: Facts) -> Plan | None:
    if isinstance(f.live, Live) and not f.live.gone:
        return None
    waiting = unconfirmed_absence(f)
    if waiting is not None:
        return waiting
    recreate = f.directives.adoption_policy == "adopt-or-create"
    if (f.memory.adopted or f.directives.adopted) and not recreate:
        return Report(Reason.NOT_FOUND, "The adopted resource no longer exists; it is not made anew unless adoption-policy says "
                      "adopt-or-create.", "HF307")
    if f.directives.adoption_policy == "adopt":
        return Report(Reason.NOT_FOUND, "adoption-policy is adopt, and the cloud has no such resource.", "HF307")
    return Create()


def unconfirmed_absence(f: Facts) -> Plan | None:
    """With a create on record, "not found" must hold for the settle time before it is believed."""
    if f.memory.intent is None or f.memory.intent.action != "create" or f.is_settled:
        return None
    return Report(Reason.CREATING, "A create was under way; absence is being confirmed.", retry_in=f.kind.settle_seconds)


def another_holds_it(f: Facts) -> Plan | None:
    return Report(Reason.HELD, f"{f.held_by} already manages this resource.", "HF305") if f.held_by else None


def adoption(f: Facts) -> Plan | None:
    """`adopt` takes a resource as it is, or not at all; `adopt-or-create` may correct it afterwards."""
    assert isinstance(f.live, Live)
    by_request = f.directives.adopted and f.memory.identity == f.live.identity  # the annotation alone is anybody's word
    wanted = by_request or (f.directives.adoption_policy and not is_ours(f, f.live))
    if not wanted or f.memory.adopted:
        return None
    if f.kind.cannot_adopt:
        return Report(Reason.INVALID, f"{f.kind.name} cannot be adopted: {f.kind.cannot_adopt}", "HF303")
    found = differences(f.verdicts)
    stuck = tuple(v for v in found if v.finding is Finding.IMMUTABLE)
    if stuck and f.directives.adoption_policy:
        return Report(Reason.ADOPTION_MISMATCH, f"{listed(f.kind, stuck)}. These cannot be changed after creation; nothing was written.", "HF108", f.verdicts)
    if found and f.directives.adoption_policy == "adopt":
        return Report(Reason.ADOPTION_MISMATCH, f"{listed(f.kind, found)}. adoption-policy: adopt changes nothing.", "HF308", f.verdicts)
    return Adopt(f.live, f.verdicts)


def somebody_elses(f: Facts) -> Plan | None:
    """What exists already is refused, unless its family of kinds acquires (and settings allow it)."""
    assert isinstance(f.live, Live)
    if ownership_is_open(f, f.live):
        return unread_mark(f)
    if is_ours(f, f.live) or (f.may_acquire and not f.live.mark):
        return None
    d = f.kind.dialect
    return Report(
        Reason.EXISTS,
        f"The resource exists ({f.live.identity or 'same name'}) and is not ours. Verify it with "
        f'{d.annotation("force-acquire")}: "true", take it with {d.annotation("adoption-policy")}: adopt, or write an AdoptedResource.',
        "HF306", f.verdicts)


def not_settled_by_service(f: Facts) -> Plan | None:
    assert isinstance(f.live, Live)
    if not f.live.pending:
        return None
    return Report(Reason.SETTLING, f"The service says {f.live.pending}.", retry_in=f.kind.settle_seconds)


def ended(f: Facts) -> Plan | None:
    """An operation that was sent for this very spec has ended: what came of it is seen as after any other write."""
    return Finish(f.live) if f.is_finished and isinstance(f.live, Live) else None


def fast_path(f: Facts) -> Plan | None:
    """Both hashes as they were when all was right: no comparison matters."""
    if not f.use_fast_path or f.cookie != f.memory.cookie or unread(f):
        return None
    if rests(f):
        return Rest()
    return Report(Reason.UP_TO_DATE, matches(f), "", f.verdicts, remember=True)


def immutable(f: Facts) -> Plan | None:
    """An edit that cannot be carried out stops the whole object: half an update is worse than none."""
    stuck = tuple(v for v in differences(f.verdicts) if v.finding is Finding.IMMUTABLE)
    if not stuck:
        return None
    return Report(Reason.IMMUTABLE, f"{listed(f.kind, stuck)}. These cannot be changed after creation; nothing was written.", "HF108",
                  f.verdicts)


def settling(f: Facts) -> Plan | None:
    """An update of ours whose effect is not seen yet: wait, learn an override, or give up."""
    s, found = f.memory.settling, differences(f.verdicts)
    if s is None or s.generation != f.generation or not found:
        return None
    if not f.is_settled:
        return Report(Reason.SETTLING, f"Waiting to see our update: {listed(f.kind, found)}.", verdicts=f.verdicts,
                      retry_in=f.kind.settle_seconds)
    found = tuple(v for v in found if not is_refilled(v, s, f.key))
    if not found:
        return Report(Reason.UP_TO_DATE, matches(f), "", f.verdicts, remember=True, applied=True)
    learnt = learn_from_reads(f.kind, found, s, f.key)
    if all(v.path in learnt and (s.attempts >= ATTEMPTS or v.finding is Finding.IMMUTABLE) for v in found):
        return Report(Reason.UP_TO_DATE, matches(f), "", f.verdicts, remember=True, applied=True, overrides=learnt)
    if s.attempts >= ATTEMPTS and all(v.path in s.before or v.path in s.seen for v in found):
        return Report(Reason.NOT_CONVERGING, f"{listed(f.kind, found)}. Sent {s.attempts} times without effect; not sent again until "
                      "something changes.", "HF510", f.verdicts)
    return None


def unfinished_create(f: Facts) -> Plan | None:
    """A create that was cut short before its marks: the one time that they alone are a reason to write."""
    if f.memory.intent is None or f.memory.intent.action != "create" or not isinstance(f.live, Live):
        return None
    tags = f.kind.tag_field
    if not tags or f.live.mark or tags in f.live.failed:
        return None
    return Update(f.live, differences(f.verdicts))


def correction(f: Facts) -> Plan | None:
    found = differences(f.verdicts)
    return Update(f.live, found) if found and isinstance(f.live, Live) else None


def incomplete(f: Facts) -> Plan | None:
    return Report(Reason.INCOMPLETE, failed_parts(f), "HF509", f.verdicts) if unread(f) else None


def as_declared(f: Facts) -> Plan:
    if rests(f) and f.memory.cookie == f.cookie:
        return Rest()
    return Report(Reason.UP_TO_DATE, matches(f), "", f.verdicts, remember=True)


BEFORE_LOOKING: tuple[Rule, ...] = (let_go_without_looking, paused, held_back, under_way)
AFTER_LOOKING: tuple[Rule, ...] = (
    let_go_without_looking, deletion, verification, absence, another_holds_it, adoption, somebody_elses, not_settled_by_service,
    ended, fast_path, settling, immutable, unfinished_create, correction, incomplete, as_declared,
)


# ---- what the rules ask ---------------------------------------------------------------------------------------------


def is_ours(f: Facts, live: Live) -> bool:
    """What status names, what carries our mark, what an open intent of ours made (where a create cannot carry the mark)."""
    if live.mark and live.mark != f.mark and f.kind.dialect.may_acquire:
        return live.identity == f.memory.verified  # a name that was used again, or another installation's
    if live.identity and live.identity in (f.memory.identity, f.memory.verified):  # verified: taking force-acquire away is the user's word
        return True
    if live.mark:
        return live.mark == f.mark
    intent = f.memory.intent
    made_by_us = intent is not None and intent.action == "create" and not f.kind.marks_at_create
    return made_by_us and (not live.created or not intent or live.created >= intent.time)


def ownership_is_open(f: Facts, live: Live) -> bool:
    """Status does not name it, and the tags, of which one may be our mark, could not be read."""
    tags = f.kind.tag_field
    named = bool(f.memory.identity) and f.memory.identity == live.identity
    return bool(tags) and tags in live.failed and not named


def unread_mark(f: Facts) -> Report:
    assert isinstance(f.live, Live)
    why = f.live.failed[f.kind.tag_field]
    return Report(Reason.INCOMPLETE, f"whether the resource is ours is not known: its tags could not be read: {why}", "HF509", retry_in=30.0)


def not_found(f: Facts) -> str:
    """Where it was looked for; and, for a kind without names, how to say which one is meant."""
    where = f"no such {f.kind.name} {f.place.words or 'there'}"
    if not f.memory.identity and not f.directives.adoption_fields and "id" in f.kind.identifiers and "name" not in f.kind.identifiers:
        hint = f"""{f.kind.dialect.annotation("adoption-fields")}: '{{"id": "…"}}'"""
        return f"There is {where} with our mark. A {f.kind.name} is found by its id, not by its fields: add {hint}. It is only verified, so none is created."
    return f"There is {where}. It is only verified, so none is created."


def rests(f: Facts) -> bool:
    """Whether status already says all that could be said."""
    held = f.has_finalizer or f.directives.never_writes
    return (f.is_current and f.memory.ready and f.memory.observed_generation == f.generation and f.memory.ready_reason == Reason.UP_TO_DATE.text
            and f.memory.cookie == f.cookie and f.memory.intent is None and f.memory.settling is None and held)


def unread(f: Facts) -> dict[str, str]:
    """Parts of which the spec speaks and that could not be read."""
    if not isinstance(f.live, Live):
        return {}
    spoken = {*f.desired, *(top_field(p) for p in f.removed)}
    return {name: why for name, why in f.live.failed.items() if name in spoken}


def failed_parts(f: Facts) -> str:
    return "; ".join(f"{name} could not be read: {why}" for name, why in sorted(unread(f).items()))


def matches(f: Facts) -> str:
    hidden = sum(get_path(f.desired, path) is not None for path, rule in f.kind.rules.items() if rule.write_only)
    note = f" {hidden} field(s) cannot be read back and were not compared." if hidden else ""
    return f"The resource is as declared.{note}"


