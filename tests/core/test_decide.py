"""Every rule of decide(), one row each: the facts, the plan, and the reason why in the row's name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.core.decide import AFTER_LOOKING, BEFORE_LOOKING, decide
from holdfast.core.overrides import value_hash
from holdfast.model.facts import Absent, Facts, Hold, Intent, Live, Operation, Settling
from holdfast.model.plans import Adopt, Delete, Plan, Release, Report, Update
from tests.core.sample import ARN, BUCKET, KEY, MARK, QUEUE, TEXT, facts, toy

SPEC = {"queueName": "jobs", "visibilityTimeout": "30"}
SAME, OTHER = dict(SPEC), {**SPEC, "visibilityTimeout": "60"}
FIFO, PLAIN = {**SPEC, "fifoQueue": "true"}, {**SPEC, "fifoQueue": "false"}
VERIFY, RETAIN, PAUSED = {"verify_only": True}, {"retain": True}, {"paused": True}
CREATE = Intent("create", "token", "2026-01-01T00:00:10Z", "2026-01-01T00:00:10Z")
NEVER = {"identity": ""}
UPDATE = Operation("operations/1", "update", 3, {}, [])
KEPT = toy({"queueName": TEXT, "visibilityTimeout": TEXT}, cannot_delete="key rings stay for ever")
JOB = toy({"queueName": TEXT, "visibilityTimeout": TEXT}, cannot_adopt="it is a one-time job")


def settling(seen="60", before="20", generation=3, attempts=1) -> Settling:
    return Settling(generation, attempts, "2026-01-01T00:00:00Z", {"visibilityTimeout": value_hash(before, KEY)}, {"visibilityTimeout": value_hash(seen, KEY)})


def short(plan: Plan) -> str:
    """`Report UpToDate`, `Report AlreadyExists HF306`, `Create`, …"""
    if isinstance(plan, Report):
        return f"Report {plan.reason.text} {plan.code}".strip()
    return type(plan).__name__


def row(wanted: str, name: str, *args, **kwargs):
    return pytest.param(facts(*args, **kwargs), wanted, id=name)


BEFORE = [
    row("Look", "nothing can be said before looking", SPEC),
    row("Release", "retain: deleting needs no cloud", SPEC, is_deleting=True, directives=RETAIN),
    row("Release", "verify-only: deleting needs no cloud", SPEC, is_deleting=True, directives=VERIFY),
    row("Release", "read-only: deleting needs no cloud", SPEC, is_deleting=True, directives={"read_only": True}),
    row("Release", "nothing was ever held", SPEC, is_deleting=True, has_finalizer=False),
    row("Release", "retain lets go although it is paused", SPEC, is_deleting=True, directives={**RETAIN, **PAUSED}),
    row("Release", "retain lets go although a permanent error stands", SPEC, is_deleting=True, directives=RETAIN, is_held=True, memory={"hold": Hold("HF505", "x", "y")}),
    row("Look", "deletion of what may be ours has to look", SPEC, is_deleting=True),
    row("Report Paused", "paused is said", SPEC, directives=PAUSED),
    row("Report Paused", "paused holds deletion up too", SPEC, directives=PAUSED, is_deleting=True),
    row("Rest", "paused is said once", SPEC, directives=PAUSED, memory={"ready_reason": "Paused", "observed_generation": 3}),
    row("Report Paused", "paused is said again for a new generation", SPEC, directives=PAUSED, memory={"ready_reason": "Paused", "observed_generation": 2}),
    row("Report Paused", "paused counts for verify-only too: no cloud call at all", SPEC, directives={**PAUSED, **VERIFY}),
    row("Rest", "a permanent error is not tried again", SPEC, is_held=True, memory={"hold": Hold("HF505", "x", "y")}),
    row("Look", "until something changes", SPEC, is_held=False, memory={"hold": Hold("HF505", "x", "y")}),
    row("Look", "no error stands", SPEC, is_held=True),
    row("Look", "an operation of ours has to be asked after", SPEC, memory={"operation": UPDATE}),
    row("Report Updating", "an operation that runs is waited for", SPEC, is_running=True, memory={"operation": UPDATE}),
    row("Report Deleting", "a deletion that runs is not sent again", SPEC, is_deleting=True, is_running=True, memory={"operation": replace(UPDATE, action="delete")}),
    row("Release", "what can never be deleted is let go, and stays", SPEC, is_deleting=True, kind=KEPT),
]
DELETION = [
    row("Release", "deleted, and the cloud has none", SPEC, Absent(), is_deleting=True),
    row("Release", "deleted, and it is on its way out already", SPEC, SAME, live_is={"gone": True}, is_deleting=True),
    row("Delete", "deleted, and status names it", SPEC, SAME, is_deleting=True),
    row("Delete", "deleted, and it carries our mark", SPEC, SAME, live_is={"mark": MARK}, memory=NEVER, is_deleting=True),
    row("Delete", "deleted, whatever differs", SPEC, OTHER, is_deleting=True),
    row("Delete", "deleted, although a part could not be read", SPEC, SAME, live_is={"failed": {"queueName": "denied"}}, is_deleting=True),
    row("Release", "deleted, but another made it", SPEC, SAME, live_is={"mark": "somebody"}, memory=NEVER, is_deleting=True),
    row("Release", "deleted, but nothing says that it is ours", SPEC, SAME, memory=NEVER, is_deleting=True),
    row("Release", "deleted, but status names another one", SPEC, SAME, memory={"identity": f"{ARN}-2"}, is_deleting=True),
    row("Release", "deleted under verify-only, looked at or not", SPEC, SAME, is_deleting=True, directives=VERIFY),
    row("Release", "deleted under read-only, looked at or not", SPEC, SAME, is_deleting=True, directives={"read_only": True}),
    row("Release", "deleted under retain, looked at or not", SPEC, SAME, is_deleting=True, directives=RETAIN),
]
VERIFICATION = [
    row("Report ResourceNotFound HF506", "verified, and there is none", SPEC, Absent(), directives=VERIFY),
    row("Report ResourceNotFound HF506", "verified, and it is on its way out", SPEC, SAME, live_is={"gone": True}, directives=VERIFY),
    row("Report UpdateFailed HF507", "verified, and it differs", SPEC, OTHER, directives=VERIFY),
    row("Report UpdateFailed HF507", "verified, and an immutable field differs", FIFO, PLAIN, directives=VERIFY),
    row("Report UpdateFailed HF507", "verified, and it differs, and another spec matched before", SPEC, OTHER, directives=VERIFY, memory={"cookie": "x/y"}),
    row("Report UpToDate", "verified, and it is as declared, whoever owns it", SPEC, SAME, directives=VERIFY, memory=NEVER, live_is={"mark": "somebody"}),
    row("Report UpToDate", "verified, though another object holds it", SPEC, SAME, directives=VERIFY, held_by="Queue a/b"),
    row("Report VerificationIncomplete HF509", "verified, but a part of it could not be read", SPEC, SAME, directives=VERIFY, live_is={"failed": {"visibilityTimeout": "denied"}}),
    row("Report UpToDate", "verified, and what could not be read is not in the spec", SPEC, SAME, directives=VERIFY, live_is={"failed": {"policy": "denied"}}),
    row("Report UpdateFailed HF507", "a difference says more than a part that could not be read", FIFO, OTHER, directives=VERIFY, live_is={"failed": {"fifoQueue": "denied"}}),
    row("Rest", "verified, and said before", SPEC, SAME, directives=VERIFY, was_right=True),
    row("Rest", "verified needs no finalizer to rest", SPEC, SAME, directives=VERIFY, was_right=True, has_finalizer=False),
    row("Report UpToDate", "read-only is verified too", SPEC, SAME, directives={"read_only": True}),
    row("Report UpdateFailed HF507", "read-only is never adopted", SPEC, OTHER, directives={"read_only": True, "adoption_policy": "adopt-or-create"}, memory=NEVER),
]
ABSENCE = [
    row("Create", "there is none, so one is made", SPEC, Absent(), memory=NEVER),
    row("Create", "what we made ourselves and vanished is made anew", SPEC, Absent()),
    row("Create", "what is on its way out is absent", SPEC, SAME, live_is={"gone": True}),
    row("Report Creating", "an open intent: absence is confirmed first", SPEC, Absent(), memory={**NEVER, "intent": CREATE}, is_settled=False),
    row("Create", "an open intent, and absence confirmed", SPEC, Absent(), memory={**NEVER, "intent": CREATE}),
    row("Report ResourceNotFound HF307", "what was adopted is not made anew", SPEC, Absent(), memory={"adopted": True}),
    row("Report ResourceNotFound HF307", "nor where only the annotation says adopted", SPEC, Absent(), directives={"adopted": True}),
    row("Create", "unless adopt-or-create says so", SPEC, Absent(), memory={"adopted": True}, directives={"adoption_policy": "adopt-or-create"}),
    row("Report ResourceNotFound HF307", "adopt never creates", SPEC, Absent(), memory=NEVER, directives={"adoption_policy": "adopt"}),
]
OWNERSHIP = [
    row("Report HeldByAnotherObject HF305", "two objects for one resource", SPEC, SAME, held_by="Queue a/b"),
    row("Report HeldByAnotherObject HF305", "nor by adoption", SPEC, SAME, held_by="Queue a/b", directives={"adoption_policy": "adopt"}, memory=NEVER),
    row("Adopt", "adopt takes what is as declared", SPEC, SAME, directives={"adoption_policy": "adopt"}, memory=NEVER),
    row("Report AdoptionMismatch HF308", "adopt takes nothing that differs", SPEC, OTHER, directives={"adoption_policy": "adopt"}, memory=NEVER),
    row("Adopt", "adopt-or-create takes what differs, and corrects it afterwards", SPEC, OTHER, directives={"adoption_policy": "adopt-or-create"}, memory=NEVER),
    row("Adopt", "somebody's mark does not gate adoption", SPEC, SAME, directives={"adoption_policy": "adopt"}, memory=NEVER, live_is={"mark": "somebody"}),
    row("Adopt", "the annotation of an AdoptedResource's target", SPEC, SAME, directives={"adopted": True}),
    row("Report Invalid HF303", "a kind that cannot be adopted", SPEC, SAME, kind=JOB, directives={"adoption_policy": "adopt"}, memory=NEVER),
    row("Update", "what was adopted is then like any other", SPEC, OTHER, directives={"adoption_policy": "adopt-or-create"}, memory={"adopted": True}),
    row("Report AlreadyExists HF306", "what exists and nothing says is ours", SPEC, SAME, memory=NEVER),
    row("Report AlreadyExists HF306", "what carries another's mark", SPEC, SAME, memory=NEVER, live_is={"mark": "somebody"}),
    row("Report AlreadyExists HF306", "what is not the one that status names", SPEC, SAME, memory={"identity": f"{ARN}-2"}),
    row("Report UpToDate", "what carries our mark, though status was lost", SPEC, SAME, memory=NEVER, live_is={"mark": MARK}),
    row("Report AlreadyExists HF306", "an open intent is no proof where a create carries the mark", SPEC, SAME, memory={**NEVER, "intent": CREATE}),
    row("Update", "it is, where a create cannot, and the resource is younger; then its mark is put on", {"name": "b"}, {"name": "b"}, kind=BUCKET, memory={**NEVER, "intent": CREATE},
        live_is={"created": "2026-01-01T00:00:11Z"}),
    row("Report AlreadyExists HF306", "but not for an older resource", {"name": "b"}, {"name": "b"}, kind=BUCKET, memory={**NEVER, "intent": CREATE},
        live_is={"created": "2025-12-31T00:00:00Z"}),
    row("Report AlreadyExists HF306", "nor for one with another's mark", {"name": "b"}, {"name": "b"}, kind=BUCKET, memory={**NEVER, "intent": CREATE},
        live_is={"created": "2026-01-01T00:00:11Z", "mark": "somebody"}),
    row("Report AlreadyExists HF306", "nor is an intent to delete", {"name": "b"}, {"name": "b"}, kind=BUCKET, memory={**NEVER, "intent": replace(CREATE, action="delete")}),
    row("Report UpToDate", "a create that was cut short after its mark lacks nothing", {"name": "b"}, {"name": "b"}, kind=BUCKET, memory={**NEVER, "intent": CREATE},
        live_is={"mark": MARK}),
    row("Report VerificationIncomplete HF509", "where tags cannot be read a missing mark says nothing", {"name": "b"}, {"name": "b"}, kind=BUCKET, memory={**NEVER, "intent": CREATE},
        live_is={"failed": {"tagging": "denied"}}),
    row("Update", "a family of kinds that acquires", SPEC, OTHER, memory=NEVER, may_acquire=True),
]
COMPARISON = [
    row("Report Settling", "the service has not settled", SPEC, OTHER, live_is={"pending": "UPDATING"}),
    row("Rest", "both hashes equal, and status says so", SPEC, SAME, was_right=True),
    row("Report UpToDate", "both hashes equal, but another generation", SPEC, SAME, was_right=True, memory={"observed_generation": 2}),
    row("Report UpToDate", "both hashes equal, but status says otherwise", SPEC, SAME, was_right=True, memory={"ready": False, "ready_reason": "DriftDetected"}),
    row("Report UpToDate", "both hashes equal, but status does not show what the kind wants shown", SPEC, SAME, was_right=True, is_current=False),
    row("Report UpToDate", "both hashes equal, but the finalizer is missing", SPEC, SAME, was_right=True, has_finalizer=False),
    row("Report UpToDate", "both hashes equal, but an intent is open", SPEC, SAME, was_right=True, memory={"intent": CREATE}),
    row("Report UpToDate", "both hashes equal, but an update is still awaited", SPEC, SAME, was_right=True, memory={"settling": settling()}),
    row("Report VerificationIncomplete HF509", "equal hashes do not excuse a part that could not be read", SPEC, SAME, was_right=True, live_is={"failed": {"visibilityTimeout": "denied"}}),
    row("Report UpToDate", "as declared, and no cookie yet", SPEC, SAME),
    row("Report UpToDate", "as declared, with a cookie of another form", SPEC, SAME, memory={"cookie": "garbage", "ready": True, "ready_reason": "UpToDate"}),
    row("Rest", "a full report that finds nothing", SPEC, SAME, was_right=True, use_fast_path=False),
    row("Update", "a full report trusts no cookie", SPEC, OTHER, was_right=True, use_fast_path=False),
    row("Report ImmutableFieldChanged HF108", "an immutable field differs", FIFO, PLAIN),
    row("Report ImmutableFieldChanged HF108", "and stops the whole object", FIFO, {**PLAIN, "visibilityTimeout": "60"}),
    row("Update", "a field differs", SPEC, OTHER),
    row("Update", "a field was removed", {"queueName": "jobs"}, OTHER, removed=("visibilityTimeout",)),
    row("Report UpToDate", "a known override is no difference", SPEC, OTHER, memory={"overrides": {"visibilityTimeout": {"userInput": "30", "serverOverride": "60"}}}),
    row("Update", "neither the user's value nor the override: drift", SPEC, {**SPEC, "visibilityTimeout": "61"},
        memory={"overrides": {"visibilityTimeout": {"userInput": "30", "serverOverride": "60"}}}),
    row("Update", "what can be read is corrected though another part cannot", FIFO, {**FIFO, "visibilityTimeout": "60"}, live_is={"failed": {"fifoQueue": "denied"}}),
    row("Report VerificationIncomplete HF509", "a part of which the spec speaks could not be read", SPEC, SAME, live_is={"failed": {"visibilityTimeout": "denied"}}),
    row("Report VerificationIncomplete HF509", "a part that was removed could not be read", {"queueName": "jobs"}, SAME, removed=("visibilityTimeout",), live_is={"failed": {"visibilityTimeout": "denied"}}),
    row("Report UpToDate", "a part of which nobody speaks could not be read", SPEC, SAME, live_is={"failed": {"policy": "denied"}}),
]
SETTLING = [
    row("Report Settling", "our update is awaited", SPEC, OTHER, memory={"settling": settling()}, is_settled=False),
    row("Update", "a value that stands in two reads after one write may be somebody's", SPEC, OTHER, memory={"settling": settling()}),
    row("Report UpToDate", "a value that three writes led to is an override", SPEC, OTHER, memory={"settling": settling(attempts=3)}),
    row("Update", "one that two led to may be somebody's edit", SPEC, OTHER, memory={"settling": settling(attempts=2)}),
    row("Update", "the value from before our write is not yet an answer", SPEC, OTHER, memory={"settling": settling(before="60")}),
    row("Update", "a value that has just moved is sent again", SPEC, OTHER, memory={"settling": settling(seen="59")}),
    row("Report NotConverging HF510", "three times without effect", SPEC, OTHER, memory={"settling": settling(before="60", attempts=3)}),
    row("Update", "two times are not three", SPEC, OTHER, memory={"settling": settling(before="60", attempts=2)}),
    row("Update", "a new generation starts anew", SPEC, OTHER, memory={"settling": settling(before="60", attempts=3, generation=2)}),
    row("Report UpToDate", "the effect is seen", SPEC, SAME, memory={"settling": settling(attempts=3)}),
    row("Update", "one override learnt of two differences is not enough", {**SPEC, "delaySeconds": "5"}, {**OTHER, "delaySeconds": "6"}, memory={"settling": settling()}),
    row("Report Settling", "an immutable field too is waited for", FIFO, {**PLAIN, "visibilityTimeout": "60"}, memory={"settling": settling()}, is_settled=False),
    row("Report ImmutableFieldChanged HF108", "once settled, an immutable field stops all", FIFO, {**PLAIN, "visibilityTimeout": "60"}, memory={"settling": settling()}),
    row("Finish", "an operation that was sent for this very spec has ended", SPEC, OTHER, is_finished=True),
    row("Finish", "its end is seen before the fast path", SPEC, SAME, is_finished=True),
    row("Report Settling", "the service itself is not done", SPEC, SAME, live_is={"pending": "CREATING"}, is_finished=True),
]


@pytest.mark.parametrize(("given", "wanted"), [*BEFORE, *DELETION, *VERIFICATION, *ABSENCE, *OWNERSHIP, *COMPARISON, *SETTLING])
def test_rules(given: Facts, wanted: str):
    assert short(decide(given)) == wanted


def test_every_rule_answers_in_some_row():
    """A rule that no row reaches would be a rule that nobody has tested."""
    answered = set()
    for param in (*BEFORE, *DELETION, *VERIFICATION, *ABSENCE, *OWNERSHIP, *COMPARISON, *SETTLING):
        given = param.values[0]
        rules = AFTER_LOOKING if given.live is not None else BEFORE_LOOKING
        answered.add(next((r for r in rules if r(given) is not None), None))
    assert {*BEFORE_LOOKING, *AFTER_LOOKING} <= answered


def test_drift_is_told_from_a_spec_that_never_matched():
    """The first half of the cookie says that this very spec was found right before."""
    right = facts(SPEC, SAME, directives=VERIFY)
    now = facts(SPEC, OTHER, directives=VERIFY, memory={"cookie": right.cookie})
    assert short(decide(now)) == "Report DriftDetected HF508"


def test_a_good_verification_writes_cookie_and_applied_fields():
    plan = decide(facts(SPEC, SAME, directives=VERIFY))
    assert isinstance(plan, Report)
    assert (plan.remember, plan.applied, plan.is_verification) == (True, True, True)


def test_a_failed_verification_remembers_nothing():
    for given in (facts(SPEC, OTHER, directives=VERIFY), facts(SPEC, Absent(), directives=VERIFY), facts(SPEC, SAME, directives=VERIFY, live_is={"failed": {"queueName": "x"}})):
        plan = decide(given)
        assert isinstance(plan, Report)
        assert (plan.remember, plan.applied, plan.is_verification) == (False, False, True)


def test_finding_nothing_writes_the_cookie_but_not_applied_fields():
    """A thin manifest over an adopted object must not come to own what it does not say."""
    plan = decide(facts(SPEC, SAME))
    assert isinstance(plan, Report)
    assert (plan.remember, plan.applied) == (True, False)


def test_an_update_carries_the_differences_and_only_those():
    plan = decide(facts({**SPEC, "delaySeconds": "5"}, {**OTHER, "delaySeconds": "5"}))
    assert isinstance(plan, Update)
    assert [v.path for v in plan.verdicts] == ["visibilityTimeout"]


def test_the_message_of_an_immutable_field_lists_only_what_is_stuck():
    plan = decide(facts(FIFO, {**PLAIN, "visibilityTimeout": "60"}))
    assert isinstance(plan, Report)
    assert "spec.fifoQueue" in plan.message
    assert "visibilityTimeout" not in plan.message


def test_what_exists_already_is_refused_with_the_three_ways_on():
    plan = decide(facts(SPEC, SAME, memory=NEVER))
    assert isinstance(plan, Report)
    assert all(word in plan.message for word in (ARN, 'services.k8s.aws/force-acquire: "true"', "services.k8s.aws/adoption-policy: adopt", "AdoptedResource"))


def test_what_cannot_be_verified_is_counted():
    plan = decide(facts({"name": "b", "acl": "private", "grantRead": "x"}, {"name": "b"}, kind=BUCKET, directives=VERIFY))
    assert isinstance(plan, Report)
    assert plan.reason.text == "UpToDate"
    assert "2 field(s) cannot be read back" in plan.message


def test_an_override_is_learnt_with_both_values():
    plan = decide(facts(SPEC, OTHER, memory={"settling": settling(attempts=3)}))
    assert isinstance(plan, Report)
    assert plan.overrides == {"visibilityTimeout": {"userInput": "30", "serverOverride": "60"}}
    assert (plan.remember, plan.applied) == (True, True)


def test_waiting_says_when_to_look_again():
    for given in (facts(SPEC, Absent(), memory={"intent": CREATE}, is_settled=False), facts(SPEC, OTHER, live_is={"pending": "UPDATING"}),
                  facts(SPEC, OTHER, memory={"settling": settling()}, is_settled=False)):
        plan = decide(given)
        assert isinstance(plan, Report)
        assert plan.retry_in == QUEUE.settle_seconds


def test_plans_carry_the_live_state_that_was_decided_on():
    live = Live(OTHER, identity=ARN)
    for given, sort in ((facts(SPEC, live), Update), (facts(SPEC, live, is_deleting=True), Delete), (facts(SPEC, live, directives={"adopted": True}), Adopt)):
        plan = decide(given)
        assert isinstance(plan, sort)
        assert plan.live is live


def test_letting_go_says_why():
    messages = [p.message for p in (decide(r.values[0]) for r in (*BEFORE, *DELETION)) if isinstance(p, Release)]
    assert all(messages)
    assert len(set(messages)) >= 5
