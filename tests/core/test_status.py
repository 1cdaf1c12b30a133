"""Status, read and written: invariants, and what is remembered across a reconcile."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from holdfast.core.compare import compare
from holdfast.core.status import LONGEST, Outcome, compose, read_memory, spec_overrides_annotation
from holdfast.model.facts import Hold, Intent, Live, Memory, Place, Settling
from holdfast.model.objects import StoredObject
from holdfast.model.reasons import Reason
from holdfast.model.verdicts import Finding, Verdict
from tests.core.sample import ARN, BUCKET, QUEUE, SECRET, TEXT, comparison, toy
from tests.core.sample import listed as a_list
from tests.invariants import check_status

FIRST, LATER = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
HERE = Place("123456789012", "eu-west-1", "aws")
COOKIE = f"{'a' * 64}/{'b' * 64}"
FULL = Memory(
    cookie=COOKIE, applied=("queueName", "tags.a.b"), has_applied=True, overrides={"visibilityTimeout": {"userInput": "30", "serverOverride": "45"}}, identity=ARN,
    place=HERE, adopted=True, ready=False, ready_reason="Settling", observed_generation=3, intent=Intent("create", "t", FIRST, FIRST),
    settling=Settling(3, 2, FIRST, {"a": "1"}, {"a": "2"}), hold=Hold("HF505", "x", LATER))
LIVE = Live({"queueName": "q"}, {"queueURL": "http://q"}, ARN, HERE)


def made(before=None, memory=None, outcome=None, generation=3, now=FIRST, kind=QUEUE) -> dict:
    memory = Memory() if memory is None else memory
    outcome = Outcome(Reason.UP_TO_DATE, "The resource is as declared.") if outcome is None else outcome
    status = compose(kind, before or {}, memory, outcome, generation, now)
    check_status(StoredObject({"apiVersion": f"{kind.group}/v1alpha1", "kind": kind.name, "metadata": {"name": "x", "generation": generation}, "status": status}))
    return status


def condition(status: dict, type_: str = "Ready") -> dict:
    return next((c for c in status["conditions"] if c["type"] == type_), {})


@pytest.mark.parametrize("reason", [pytest.param(r, id=r.text) for r in Reason])
@pytest.mark.parametrize("changes", [
    pytest.param({}, id="as it is"), pytest.param({"is_verification": True}, id="verified"), pytest.param({"references_resolved": False}, id="without its references"),
    pytest.param({"references_resolved": True, "code": "HF505"}, id="with its references"), pytest.param({"message": "x" * 100_000}, id="at length"),
    pytest.param({"live": LIVE}, id="with what is live"),
])
def test_the_invariants_hold_for_every_reason(reason, changes):
    outcome = Outcome(**{"reason": reason, "message": "m", "is_terminal": reason is Reason.REJECTED, **changes})
    status = made(memory=Memory(cookie=COOKIE), outcome=outcome)
    assert condition(status)["status"] == reason.ready
    assert condition(status)["reason"] == reason.text
    assert status["observedGeneration"] == 3


OUTCOMES = [
    pytest.param(Outcome(Reason.UP_TO_DATE, "m", live=LIVE), Memory(cookie=COOKIE, applied=("queueName",), has_applied=True), id="all is right"),
    pytest.param(Outcome(Reason.REJECTED, "m", "HF505", is_terminal=True, references_resolved=True), Memory(hold=Hold("HF505", "x", LATER)), id="a permanent error"),
    pytest.param(Outcome(Reason.DRIFT, "m", "HF508", is_verification=True, verdicts=(Verdict("delaySeconds", Finding.MISMATCH, "1", "2"),)), Memory(cookie=COOKIE), id="drift"),
    pytest.param(Outcome(Reason.SETTLING, "m", live=LIVE), replace(FULL, hold=None, intent=None), id="an update under way"),
    pytest.param(Outcome(Reason.RETRYING, "m", "HF503"), Memory(), id="a passing error"),
    pytest.param(Outcome(Reason.REFERENCE_WAIT, "m", "HF402", references_resolved=False), Memory(), id="a missing reference"),
]


@pytest.mark.parametrize(("outcome", "memory"), OUTCOMES)
def test_an_unchanged_reconcile_composes_an_equal_status(outcome, memory):
    """So nothing is written, however often it is done."""
    status = made(memory=memory, outcome=outcome)
    again = made(before=json.loads(json.dumps(status)), memory=memory, outcome=outcome, now=LATER)
    assert json.dumps(again, sort_keys=True) == json.dumps(status, sort_keys=True)


@pytest.mark.parametrize(("outcome", "memory"), OUTCOMES)
def test_the_status_before_is_left_as_it_was(outcome, memory):
    before = made(memory=FULL, outcome=Outcome(Reason.SETTLING, "m"))
    text = json.dumps(before)
    made(before=before, memory=memory, outcome=outcome, now=LATER)
    assert json.dumps(before) == text


@pytest.mark.parametrize(("first", "then", "moved"), [
    pytest.param(Reason.UP_TO_DATE, Reason.DRIFT, True, id="Ready to not Ready"), pytest.param(Reason.DRIFT, Reason.UP_TO_DATE, True, id="not Ready to Ready"),
    pytest.param(Reason.DRIFT, Reason.UPDATING, False, id="another reason is no transition"), pytest.param(Reason.UP_TO_DATE, Reason.UP_TO_DATE, False, id="nothing happened"),
])
def test_a_transition_is_a_change_of_status(first, then, moved):
    before = made(outcome=Outcome(first, "one"))
    after = made(before=before, outcome=Outcome(then, "two"), now=LATER)
    assert condition(after)["lastTransitionTime"] == (LATER if moved else FIRST)
    assert condition(after, "ACK.ResourceSynced")["lastTransitionTime"] == (LATER if moved else FIRST)
    assert condition(after)["message"] == "two"


def test_a_condition_that_comes_back_has_a_new_time():
    terminal = Outcome(Reason.REJECTED, "no", "HF505", is_terminal=True)
    first = made(outcome=terminal)
    gone = made(before=first, now=LATER)
    assert condition(gone, "ACK.Terminal") == {}
    assert condition(made(before=gone, outcome=terminal, now="2026-01-03T00:00:00Z"), "ACK.Terminal")["lastTransitionTime"] == "2026-01-03T00:00:00Z"


@pytest.mark.parametrize(("outcome", "wanted"), [
    pytest.param(Outcome(Reason.UP_TO_DATE, "m"), {"Ready": "True", "ACK.ResourceSynced": "True"}, id="all is right"),
    pytest.param(Outcome(Reason.REJECTED, "m", "HF505", is_terminal=True), {"Ready": "False", "ACK.ResourceSynced": "False", "ACK.Terminal": "True"}, id="a permanent error"),
    pytest.param(Outcome(Reason.RETRYING, "m", "HF503"), {"Ready": "False", "ACK.ResourceSynced": "False", "ACK.Recoverable": "True"}, id="a passing error"),
    pytest.param(Outcome(Reason.UP_TO_DATE, "m", references_resolved=True), {"Ready": "True", "ACK.ResourceSynced": "True", "ACK.ReferencesResolved": "True"}, id="references resolved"),
    pytest.param(Outcome(Reason.REFERENCE_MISSING, "m", "HF401", references_resolved=False),
                 {"Ready": "False", "ACK.ResourceSynced": "False", "ACK.ReferencesResolved": "False"}, id="references missing"),
])
def test_upstreams_conditions(outcome, wanted):
    assert {c["type"]: c["status"] for c in made(outcome=outcome)["conditions"]} == wanted


def test_overrides_have_a_condition_as_documented():
    status = made(memory=Memory(overrides={"a": {"userInput": 1, "serverOverride": 2}}))
    assert condition(status, "ACK.ServerSideOverride")["reason"] == "ServerSideSpecOverride"
    assert "services.k8s.aws/spec-overrides" in condition(status, "ACK.ServerSideOverride")["message"]
    assert status["specOverrides"] == {"a": {"userInput": 1, "serverOverride": 2}}


def test_the_annotation_is_as_documented_and_stable():
    overrides = {"b": {"userInput": "ü", "serverOverride": None}, "a": {"userInput": 1, "serverOverride": 2}}
    assert spec_overrides_annotation(overrides) == '{"a":{"userInput":1,"serverOverride":2},"b":{"userInput":"ü","serverOverride":null}}'


def test_what_is_remembered_comes_back_as_it_was():
    status = made(memory=FULL, outcome=Outcome(Reason.SETTLING, "m", live=LIVE))
    memory = read_memory(QUEUE, json.loads(json.dumps(status)), {})
    assert replace(memory, conditions=()) == FULL


def test_what_is_forgotten_goes():
    status = made(before=made(memory=FULL, outcome=Outcome(Reason.SETTLING, "m")), memory=Memory())
    assert {"intent", "settling", "hold", "adopted", "specOverrides", "lastModifiedCookie"} & set(status) == set()


def test_applied_fields_may_be_none_and_known():
    """Adoption leaves the list empty, which is not the same as having lost it."""
    status = made(memory=Memory(applied=(), has_applied=True))
    assert status["appliedFields"] == []
    assert read_memory(QUEUE, status, {}).has_applied
    assert not read_memory(QUEUE, {}, {}).has_applied


def test_what_the_kind_does_not_know_is_kept():
    assert made(before={"theirs": {"a": 1}, "conditions": []})["theirs"] == {"a": 1}


def test_a_resource_is_named_once_and_not_forgotten_by_a_partial_answer():
    before = made(outcome=Outcome(Reason.UP_TO_DATE, "m", live=LIVE))
    assert before["ackResourceMetadata"] == {"arn": ARN, "ownerAccountID": HERE.account, "region": HERE.region, "partition": "aws"}
    after = made(before=before, outcome=Outcome(Reason.UP_TO_DATE, "m", live=replace(LIVE, identity="", status={})))
    assert after["ackResourceMetadata"]["arn"] == ARN
    assert after["queueURL"] == "http://q"


def verified(kind=QUEUE, spec=None, live=None, reason=Reason.UPDATE_FAILED) -> Outcome:
    return Outcome(reason, "m", is_verification=True, verdicts=compare(comparison(kind, spec or {}, live or {})))


def test_a_verification_is_kept_as_data():
    status = made(outcome=verified(spec={"queueName": "a", "delaySeconds": "5"}, live={"queueName": "a", "delaySeconds": "6"}))
    assert status["verification"] == {
        "generation": 3, "outcome": "UpdateFailed", "lastTransitionTime": FIRST, "differenceCount": 1,
        "differences": [{"path": "spec.delaySeconds", "desired": "5", "live": "6"}]}


@pytest.mark.parametrize(("then", "since"), [
    pytest.param(Reason.UPDATE_FAILED, FIRST, id="the same outcome keeps its time"), pytest.param(Reason.DRIFT, LATER, id="another outcome has a new one"),
])
def test_a_verification_says_when_its_outcome_last_changed(then, since):
    before = made(outcome=verified())
    assert made(before=before, outcome=verified(reason=then), generation=4, now=LATER)["verification"]["lastTransitionTime"] == since


def test_a_verification_shows_ten_and_counts_all():
    tags = {f"t{i}": "1" for i in range(25)}
    verification = made(outcome=verified(spec={"tags": tags}, live={"tags": dict.fromkeys(tags, "2")}))["verification"]
    assert (len(verification["differences"]), verification["differenceCount"]) == (10, 25)


def test_a_verification_counts_what_it_could_not_see():
    assert made(outcome=verified(BUCKET, {"acl": "private"}, {}), kind=BUCKET)["verification"]["unverifiable"] == 1


def test_a_verification_goes_with_the_mode():
    assert "verification" not in made(before=made(outcome=verified()))


HIDING = toy({"pins": a_list(TEXT), "users": a_list({"type": "object", "properties": {"password": TEXT}})},
             {"pins": {"sensitive": True}, "users[].password": {"sensitive": True}})


@pytest.mark.parametrize(("kind", "spec", "live"), [
    pytest.param(SECRET, {"secretString": "hunter2"}, {"secretString": "hunter3"}, id="a secret"),
    pytest.param(HIDING, {"pins": ["hunter2"]}, {"pins": ["hunter3"]}, id="an item of a sensitive list"),
    pytest.param(HIDING, {"users": [{"password": "hunter2"}]}, {"users": [{"password": "hunter3"}, {"password": "hunter4"}]}, id="a list that holds one"),
])
def test_no_sensitive_value_ever_enters(kind, spec, live):
    assert "hunter" not in json.dumps(made(outcome=verified(kind, spec, live), kind=kind))


@pytest.mark.parametrize(("spec", "live"), [
    pytest.param({"policy": json.dumps({"Statement": [{"Resource": f"arn:{i}"} for i in range(3000)]})}, {"policy": "{}"}, id="a long policy"),
    pytest.param({"redrivePolicy": json.dumps([f"item {i}" for i in range(9000)])}, {}, id="a long list"),
    pytest.param({"queueName": "x" * 100_000}, {}, id="a long text"),
])
def test_status_stays_small(spec, live):
    """Long lists are capped, long values cut: status is kept in etcd."""
    assert len(json.dumps(made(outcome=verified(spec=spec, live=live)))) < 8192


def test_a_long_message_is_cut():
    assert len(condition(made(outcome=Outcome(Reason.REJECTED, "x" * 100_000)))["message"]) <= LONGEST + 1


@pytest.mark.parametrize("status", [
    pytest.param({"intent": {"action": "create"}}, id="half an intent"), pytest.param({"intent": "create"}, id="an intent that is text"),
    pytest.param({"settling": {"generation": 1, "attempts": 1, "since": "x", "before": {}, "seen": {}, "more": 1}}, id="a settling with a part too many"),
    pytest.param({"hold": []}, id="a hold that is a list"), pytest.param({"lastModifiedCookie": None, "appliedFields": None, "conditions": None}, id="nulls"),
    pytest.param({"ackResourceMetadata": None}, id="no metadata"), pytest.param({"conditions": []}, id="no conditions"),
    pytest.param({"specOverrides": {"queueName": "x"}}, id="an override that is text"), pytest.param({"specOverrides": {"queueName": {"userInput": 1}}}, id="half an override"),
    pytest.param({"intent": {"action": "create", "token": "t", "time": 5}}, id="an intent whose time is a number"),
    pytest.param({"settling": {"generation": 1, "attempts": 1, "since": "x", "before": None, "seen": []}}, id="a settling whose parts are of other types"),
    pytest.param({"settling": {"generation": 1, "attempts": "1", "since": "x", "before": {}, "seen": {}}}, id="a settling whose count is text"),
])
def test_a_malformed_status_is_forgotten_and_stops_nothing(status):
    """Missing, malformed or of an older form costs one comparison, nothing else. What the CRD types (conditions, …) is not repeated here."""
    memory = read_memory(QUEUE, status, {})
    assert replace(memory, conditions=(), has_applied=False) == Memory()


def test_only_exactly_true_is_adopted():
    assert not read_memory(QUEUE, {"adopted": "true"}, {}).adopted
    assert read_memory(QUEUE, {"adopted": True}, {}).adopted
