"""The two families: each has its own words for directives, conditions and identities, and neither takes the other's."""

from __future__ import annotations

import pytest

from holdfast.core.decide import decide
from holdfast.core.directives import check_namespace, parse_directives, values_of
from holdfast.core.status import LONGEST, Outcome, compose, identity_status, read_memory, said
from holdfast.kinds.loader import dialects, load_dialect
from holdfast.model.errors import InputError
from holdfast.model.facts import Live, Memory, Operation, Place
from holdfast.model.plans import Release
from holdfast.model.reasons import Reason
from tests.core.sample import QUEUE, TOPIC, facts

AWS, GCP = "services.k8s.aws", "cnrm.cloud.google.com"
NAME = "projects/shop/topics/t"
KINDS = {"aws": QUEUE, "gcp": TOPIC}


def parse(kind, annotations=None, namespace=None):
    return parse_directives(kind, annotations or {}, namespace or {}, {})


def refused(work) -> str:
    with pytest.raises(InputError) as caught:
        work()
    return caught.value.code


# ---- directives -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "prefix", "word", "retains"), [
    pytest.param(QUEUE, AWS, "retain", True, id="AWS: retain"), pytest.param(QUEUE, AWS, "delete", False, id="AWS: delete"),
    pytest.param(TOPIC, GCP, "abandon", True, id="Google: abandon"), pytest.param(TOPIC, GCP, "delete", False, id="Google: delete"),
])
def test_the_word_that_lets_the_resource_be(kind, prefix, word, retains):
    assert parse(kind, {f"{prefix}/deletion-policy": word}).retain is retains
    assert parse(kind, {}, {f"{prefix}/deletion-policy": word}).retain is retains


@pytest.mark.parametrize(("kind", "prefix", "word"), [
    pytest.param(QUEUE, AWS, "abandon", id="AWS: abandon"), pytest.param(TOPIC, GCP, "retain", id="Google: retain"), pytest.param(TOPIC, GCP, "Abandon", id="in another case"),
])
def test_the_other_familys_word_is_refused(kind, prefix, word):
    assert refused(lambda: parse(kind, {f"{prefix}/deletion-policy": word})) == "HF201"
    assert refused(lambda: parse(kind, {}, {f"{prefix}/deletion-policy": word})) == "HF201"


def test_a_namespace_of_both_families_says_to_each_its_own():
    namespace = {f"{AWS}/deletion-policy": "retain", f"{GCP}/deletion-policy": "delete", f"{GCP}/actuation-mode": "Paused", f"{GCP}/project-id": "shop",
                 f"{AWS}/owner-account-id": "123456789012", f"{AWS}/default-region": "eu-west-1"}
    check_namespace(dialects(), namespace)
    aws, gcp = parse(QUEUE, {}, namespace), parse(TOPIC, {}, namespace)
    assert (aws.retain, aws.paused, aws.account, aws.region) == (True, False, "123456789012", "eu-west-1")
    assert (gcp.retain, gcp.paused, gcp.account, gcp.region) == (False, True, "shop", "")


@pytest.mark.parametrize(("annotations", "code"), [
    pytest.param({f"{AWS}/deletion-policy": "abandon"}, "HF201", id="AWS's key with Google's word"), pytest.param({f"{GCP}/deletion-policy": "retain"}, "HF201", id="Google's key with AWS's word"),
    pytest.param({f"pubsub.{GCP}/deletion-policy": "retain"}, "HF201", id="a service's key with AWS's word"), pytest.param({f"{GCP}/actuation-mode": "paused"}, "HF201", id="a mode in another case"),
    pytest.param({f"{GCP}/project-id": 5}, "HF201", id="a project that is a number"), pytest.param({f"{GCP}/force-acquire": "true"}, "HF203", id="a directive that is not for a namespace"),
    pytest.param({f"{GCP}/default-region": "eu-west-1"}, "HF203", id="AWS's name behind Google's prefix"), pytest.param({f"{AWS}/project-id": "shop"}, "HF203", id="Google's name behind AWS's prefix"),
    pytest.param({"cnrm.cloud.google.co/deletion-policy": "abandon"}, "HF203", id="a misspelt prefix"), pytest.param({"deletion-policy": "abandon"}, "HF203", id="no prefix"),
])
def test_a_namespaces_directive_must_be_one(annotations, code):
    assert refused(lambda: check_namespace(dialects(), annotations)) == code


@pytest.mark.parametrize(("key", "right"), [
    pytest.param("cnrm.cloud.google.co/actuation-mode", f"{GCP}/actuation-mode", id="Google's"), pytest.param("service.k8s.aws/actuation-mode", f"{AWS}/actuation-mode", id="AWS's"),
])
def test_a_misspelt_prefix_is_corrected_within_its_family(key, right):
    with pytest.raises(InputError, match=right):
        check_namespace(dialects(), {key: "Paused"})


def test_other_peoples_annotations_on_a_namespace_are_theirs():
    check_namespace(dialects(), {"kubernetes.io/metadata.name": "x", "example.com/deletion-policy": "whatever", "note": "y", f"pubsub.{GCP}/actuation-mode": "Paused"})


@pytest.mark.parametrize(("kind", "prefix", "name"), [
    pytest.param(TOPIC, GCP, "default-to-gcp-fields", id="Google: our own"), pytest.param(TOPIC, GCP, "unmanaged", id="Google: the other"),
    pytest.param(QUEUE, AWS, "default-to-aws-fields", id="AWS: our own"), pytest.param(QUEUE, AWS, "ignore-field-drift", id="AWS: upstream's"),
])
def test_fields_that_are_left_alone(kind, prefix, name):
    field = "messageRetentionDuration" if kind is TOPIC else "policy"
    assert parse(kind, {f"{prefix}/{name}": f" spec.{field}, "}).unmanaged == (field,)
    assert refused(lambda: parse(kind, {f"{prefix}/{name}": "nothing"})) == "HF109"


def test_both_words_for_fields_that_are_left_alone_add_up():
    notes = {f"{GCP}/unmanaged": "kmsKeyRef", f"{GCP}/default-to-gcp-fields": "schemaSettings.encoding,kmsKeyRef"}
    assert parse(TOPIC, notes).unmanaged == ("kmsKeyRef", "schemaSettings.encoding")


@pytest.mark.parametrize("name", ["default-to-aws-fields", "ignore-field-drift"])
def test_the_other_familys_word_for_them_is_no_directive(name):
    assert refused(lambda: parse(TOPIC, {f"{GCP}/{name}": "kmsKeyRef"})) == "HF203"


@pytest.mark.parametrize(("notes", "namespace", "account"), [
    pytest.param({f"{GCP}/project-id": "own"}, {f"{GCP}/project-id": "shop"}, "own", id="the object's project counts more"),
    pytest.param({}, {f"{GCP}/project-id": "shop"}, "shop", id="the namespace's"), pytest.param({}, {}, "", id="neither"),
])
def test_the_project(notes, namespace, account):
    assert parse(TOPIC, notes, namespace).account == account


@pytest.mark.parametrize("family", KINDS)
def test_what_was_released_says_the_familys_word(family):
    plan = decide(facts({}, kind=KINDS[family], is_deleting=True, directives={"retain": True}))
    assert isinstance(plan, Release)
    assert load_dialect(family).release_word in plan.message
    assert set(values_of(load_dialect(family), "deletion-policy")) == {"delete", load_dialect(family).release_word}


# ---- status ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("reason", "aws", "gcp"), [
    pytest.param(Reason.UP_TO_DATE, "UpToDate", "UpToDate", id="all is right"), pytest.param(Reason.REJECTED, "Rejected", "UpdateFailed", id="refused by the service"),
    pytest.param(Reason.RETRYING, "Retrying", "UpdateFailed", id="a passing error"), pytest.param(Reason.INVALID, "Invalid", "UpdateFailed", id="a wrong manifest"),
    pytest.param(Reason.IMMUTABLE, "ImmutableFieldChanged", "UpdateFailed", id="immutable"), pytest.param(Reason.HELD, "HeldByAnotherObject", "ManagementConflict", id="held twice"),
    pytest.param(Reason.SETTLING, "Settling", "Updating", id="settling"), pytest.param(Reason.DELETE_FAILED, "DeleteFailed", "DeleteFailed", id="not deleted"),
    pytest.param(Reason.REFERENCE_WAIT, "DependencyNotReady", "DependencyNotReady", id="a reference"), pytest.param(Reason.DRIFT, "DriftDetected", "DriftDetected", id="drift"),
])
def test_reasons_in_the_familys_words(reason, aws, gcp):
    assert [said(k, Outcome(reason, "m"))[0] for k in (QUEUE, TOPIC)] == [aws, gcp]


def test_every_word_that_a_family_replaces_is_one_of_ours():
    for d in dialects():
        assert set(d.reasons) <= {r.text for r in Reason}


def test_the_code_stands_where_the_family_has_room_for_it():
    """AWS's conditions carry it as the reason of Terminal; Google's have nothing but the message."""
    outcome = Outcome(Reason.REJECTED, "no", "HF505", is_terminal=True)
    assert said(QUEUE, outcome) == ("Rejected", "no")
    assert said(TOPIC, outcome) == ("UpdateFailed", "HF505 no")
    assert said(TOPIC, Outcome(Reason.UP_TO_DATE, "fine")) == ("UpToDate", "fine")
    assert len(said(TOPIC, Outcome(Reason.REJECTED, "x" * 9999, "HF505"))[1]) == LONGEST + 1


@pytest.mark.parametrize(("outcome", "memory"), [
    pytest.param(Outcome(Reason.UP_TO_DATE, "m", references_resolved=True), Memory(), id="all is right"),
    pytest.param(Outcome(Reason.REJECTED, "m", "HF505", is_terminal=True), Memory(), id="a permanent error"),
    pytest.param(Outcome(Reason.RETRYING, "m", "HF503"), Memory(), id="a passing error"),
])
def test_googles_objects_have_one_condition(outcome, memory):
    made = compose(TOPIC, {}, memory, outcome, 1, "2026-01-01T00:00:00Z")
    assert [c["type"] for c in made["conditions"]] == ["Ready"]


def test_googles_overrides_have_a_condition_without_aws_prefix():
    made = compose(TOPIC, {}, Memory(overrides={"a": {"userInput": 1, "serverOverride": 2}}), Outcome(Reason.UP_TO_DATE, "m"), 1, "2026-01-01T00:00:00Z")
    (note,) = [c for c in made["conditions"] if c["type"] == "ServerSideOverride"]
    assert f"{GCP}/spec-overrides" in note["message"]


def test_conditions_of_others_stay_on_googles_objects_too():
    before = {"conditions": [{"type": "Theirs", "status": "True", "reason": "r", "lastTransitionTime": "t"}]}
    made = compose(TOPIC, before, Memory(), Outcome(Reason.UP_TO_DATE, "m"), 1, "2026-01-01T00:00:00Z")
    assert [c["type"] for c in made["conditions"]] == ["Ready", "Theirs"]


def test_what_names_the_resource_stands_where_upstream_has_it():
    place = Place("123456789012", "eu-west-1")
    assert identity_status(TOPIC, Live({}, identity=NAME, place=Place("shop")), {}) == {"externalRef": NAME}
    assert identity_status(QUEUE, Live({}, identity="arn:q", place=place), {"ackResourceMetadata": {"x": 1}}) == {
        "ackResourceMetadata": {"x": 1, "arn": "arn:q", "ownerAccountID": "123456789012", "region": "eu-west-1", "partition": "aws"}}


def test_an_answer_without_a_name_does_not_forget_it():
    assert identity_status(TOPIC, Live({}), {"externalRef": NAME}) == {}
    made = compose(TOPIC, {"externalRef": NAME}, Memory(), Outcome(Reason.UP_TO_DATE, "m", live=Live({})), 1, "2026-01-01T00:00:00Z")
    assert made["externalRef"] == NAME
    assert read_memory(TOPIC, made, {}).identity == NAME


def test_an_operation_is_remembered_and_a_malformed_one_is_not():
    running = Operation(name="operations/1", action="create", generation=3, before={"a": "1"}, sent=["a"])
    made = compose(TOPIC, {}, Memory(operation=running), Outcome(Reason.CREATING, "m"), 3, "2026-01-01T00:00:00Z")
    assert read_memory(TOPIC, made, {}).operation == running
    assert "operation" not in compose(TOPIC, made, Memory(), Outcome(Reason.UP_TO_DATE, "m"), 3, "2026-01-01T00:00:00Z")
    for odd in ({"name": "x"}, {**made["operation"], "generation": "3"}, {**made["operation"], "more": 1}, "operations/1", []):
        assert read_memory(TOPIC, {"operation": odd}, {}).operation is None


@pytest.mark.parametrize(("text", "interval"), [pytest.param("", None, id="not given"), pytest.param("0", 0.0, id="never by itself"), pytest.param("3600", 3600.0, id="an hour")])
def test_how_often_to_look_is_the_objects_own_word(text, interval):
    notes = {f"{GCP}/reconcile-interval-in-seconds": text} if text else {}
    assert parse(TOPIC, notes).interval == interval


@pytest.mark.parametrize("text", ["-1", "1h", "ten", "1.5", "9" * 40])
def test_what_is_no_number_of_seconds_is_refused(text):
    assert refused(lambda: parse(TOPIC, {f"{GCP}/reconcile-interval-in-seconds": text})) == "HF201"
