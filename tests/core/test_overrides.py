"""Server-side overrides: when they are learnt, when they count, when they are dropped."""

from __future__ import annotations

import json

import pytest

from holdfast.core.compare import compare
from holdfast.core.normalise import normalise
from holdfast.core.overrides import (
    apply_overrides,
    learn_from_answer,
    learn_from_reads,
    remembered,
    still_wanted,
    value_hash,
)
from holdfast.model.facts import Settling
from tests.core.sample import BUCKET, KEY, QUEUE, TEXT, an_object, comparison, listed, toy

KNOWN = {"visibilityTimeout": {"userInput": "30", "serverOverride": "45"}}
HIDING = toy({"password": TEXT, "users": listed(an_object(password=TEXT)), "tokens": listed(TEXT)},
             {"password": {"sensitive": True}, "users[].password": {"sensitive": True}, "tokens": {"sensitive": True}})


@pytest.mark.parametrize(("spec", "live", "finding"), [
    pytest.param("30", "45", "override", id="spec says userInput and live says serverOverride"),
    pytest.param("030", " 45", "override", id="the same, spelt otherwise"),
    pytest.param("30", "60", "mismatch", id="live is neither: drift"),
    pytest.param("31", "45", "mismatch", id="the spec changed"),
    pytest.param("30", "30", "match", id="the server took it after all"),
    pytest.param("45", "30", "mismatch", id="the values the other way round"),
])
def test_an_override_counts_while_both_sides_stand(spec, live, finding):
    verdicts = compare(comparison(QUEUE, {"visibilityTimeout": spec}, {"visibilityTimeout": live}))
    assert [v.finding.value for v in apply_overrides(QUEUE, verdicts, KNOWN, KEY)] == [finding]


@pytest.mark.parametrize(("spec", "kept"), [
    pytest.param({"visibilityTimeout": "30"}, ["visibilityTimeout"], id="the spec still gives it"),
    pytest.param({"visibilityTimeout": "31"}, [], id="the spec gives another value"),
    pytest.param({}, [], id="the spec no longer speaks of it"),
])
def test_an_entry_is_dropped_when_the_spec_changes(spec, kept):
    assert list(still_wanted(QUEUE, normalise(QUEUE, spec, live=False), KNOWN, KEY)) == kept


ENCRYPTION = "encryption.rules[0].applyServerSideEncryptionByDefault.kmsMasterKeyID"


def encrypted(key: str) -> dict:
    return {"encryption": {"rules": [{"applyServerSideEncryptionByDefault": {"kmsMasterKeyID": key}}]}}


@pytest.mark.parametrize(("kind", "spec", "live", "path"), [
    pytest.param(QUEUE, {"tags": {"a.b": "1"}}, {"tags": {"a.b": "2"}}, "tags.a.b", id="a tag with a dot"),
    pytest.param(BUCKET, {"versioning": {"status": "Enabled"}}, {"versioning": {"status": "Suspended"}}, "versioning.status", id="a nested field"),
    pytest.param(BUCKET, encrypted("a"), encrypted("b"), ENCRYPTION, id="a field inside a list"),
    pytest.param(QUEUE, {"redrivePolicy": '{"a": 1}'}, {"redrivePolicy": '{"a": 2}'}, "redrivePolicy", id="a document"),
    pytest.param(HIDING, {"password": "x"}, {"password": "y"}, "password", id="a sensitive field"),
    pytest.param(HIDING, {"users": [{"password": "x"}]}, {"users": [{"password": "y"}]}, "users[0].password", id="a sensitive field inside a list"),
])
def test_what_was_learnt_is_still_known_at_the_next_look(kind, spec, live, path):
    """Otherwise the same update would go out again, for ever. Through JSON, as status keeps it."""
    c = comparison(kind, spec, live)
    learnt = json.loads(json.dumps(learn_from_answer(kind, compare(c), KEY)))
    assert list(learnt) == [path]
    known = still_wanted(kind, c.desired, learnt, KEY)
    assert [v.finding.value for v in apply_overrides(kind, compare(c), known, KEY)] == ["override"]


@pytest.mark.parametrize(("spec", "live"), [
    pytest.param({"password": "hunter2"}, {"password": "hunter3"}, id="a field"),
    pytest.param({"users": [{"password": "hunter2"}]}, {"users": [{"password": "hunter3"}]}, id="a field of an item"),
    pytest.param({"users": [{"password": "hunter2"}]}, {"users": [{"password": "hunter3"}, {"password": "hunter4"}]}, id="a list that holds one"),
    pytest.param({"tokens": ["hunter2"]}, {"tokens": ["hunter3"]}, id="an item of a sensitive list"),
])
def test_sensitive_values_are_kept_sealed(spec, live):
    learnt = learn_from_answer(HIDING, compare(comparison(HIDING, spec, live)), KEY)
    assert learnt
    assert "hunter" not in json.dumps(learnt)


def test_silence_and_removals_teach_nothing():
    c = comparison(QUEUE, {"visibilityTimeout": "31", "delaySeconds": "5", "maximumMessageSize": "1024"}, {"delaySeconds": "5", "policy": "{}", "maximumMessageSize": "2048"},
                   removed=("policy",))
    assert learn_from_answer(QUEUE, compare(c), KEY) == {"maximumMessageSize": {"userInput": "1024", "serverOverride": "2048"}}


def settling(before: str, seen: str) -> Settling:
    def hashed(value: str) -> dict[str, str]:
        return {"visibilityTimeout": value_hash(value, KEY)} if value else {}

    return Settling(1, 1, "2026-01-01T00:00:00Z", hashed(before), hashed(seen))


@pytest.mark.parametrize(("before", "seen", "learnt"), [
    pytest.param("20", "45", True, id="the same in two reads, and not the value from before"),
    pytest.param("45", "45", False, id="the value from before our write: not yet there"),
    pytest.param("20", "20", False, id="it has only just moved"),
    pytest.param("20", "", False, id="the first read"),
    pytest.param("", "45", True, id="nothing was there before"),
])
def test_learning_from_reads(before, seen, learnt):
    verdicts = compare(comparison(QUEUE, {"visibilityTimeout": "30"}, {"visibilityTimeout": "45"}))
    assert learn_from_reads(QUEUE, verdicts, settling(before, seen), KEY) == (KNOWN if learnt else {})


@pytest.mark.parametrize(("status", "annotation", "has_status", "known"), [
    pytest.param(KNOWN, "", True, KNOWN, id="status without the annotation: a stripped annotation changes nothing"),
    pytest.param({}, json.dumps(KNOWN), True, {}, id="status wins where they differ"),
    pytest.param({}, json.dumps(KNOWN), False, KNOWN, id="the annotation alone counts where status was lost"),
    pytest.param({}, "", False, {}, id="neither"),
    pytest.param({}, "{not json", False, {}, id="an annotation that is no JSON"),
    pytest.param({}, "[1]", False, {}, id="an annotation of another shape"),
    pytest.param({}, '{"a": {"userInput": 1}}', False, {}, id="an entry with one half"),
    pytest.param({}, '{"a": {"userInput": 1, "serverOverride": 2, "x": 3}}', False, {}, id="an entry with a third part"),
    pytest.param({}, '{"a": 5}', False, {}, id="an entry that is none"),
])
def test_what_is_remembered(status, annotation, has_status, known):
    assert remembered(status, annotation, has_status) == known
