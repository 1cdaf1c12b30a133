"""The cookie: what moves its halves, and what must not."""

from __future__ import annotations

import re

import pytest

from holdfast.core.compare import compare
from holdfast.core.cookie import cookie, seal, spec_half
from tests.core.sample import KEY, QUEUE, SECRET, TEXT, an_object, comparison, listed, toy

SPEC = {"queueName": "jobs", "delaySeconds": "5", "tags": {"a": "1"}, "redrivePolicy": '{"maxReceiveCount": 3}'}
LIVE = {"queueName": "jobs", "delaySeconds": "5", "tags": {"a": "1", "theirs": "x"}, "redrivePolicy": '{"maxReceiveCount":3}', "visibilityTimeout": "30"}
HIDING = toy({"password": TEXT, "users": listed(an_object(name=TEXT, password=TEXT)), "text": TEXT},
             {"password": {"sensitive": True}, "users[].password": {"sensitive": True}})


def made(spec=SPEC, live=LIVE, overrides=None, labels=None, key=KEY, kind=QUEUE, **more) -> tuple[str, str]:
    spec_part, _, live_part = cookie(comparison(kind, spec, live, **more), overrides or {}, key).partition("/")
    return spec_part, live_part


def test_a_cookie_is_two_hashes():
    assert re.fullmatch(r"[0-9a-f]{64}/[0-9a-f]{64}", "/".join(made()))


@pytest.mark.parametrize("changes", [
    pytest.param({"spec": dict(reversed(SPEC.items()))}, id="key order"),
    pytest.param({"spec": {**SPEC, "policy": None}}, id="a null in the spec"),
    pytest.param({"spec": {**SPEC, "delaySeconds": "05"}}, id="a number spelt otherwise"),
    pytest.param({"live": {**LIVE, "redrivePolicy": '{ "maxReceiveCount" : 3.0 }'}}, id="white space in a document"),
    pytest.param({"live": {**LIVE, "visibilityTimeout": "60"}}, id="a live field of which the spec does not speak"),
    pytest.param({"live": {**LIVE, "tags": {"a": "1", "other": "y"}}}, id="a foreign tag"),
    pytest.param({"live": {**LIVE, "tags": {"a": "1", "services.k8s.aws/holdfast": "m", "aws:x": "y"}}}, id="marks and the cloud's own tags"),
    pytest.param({"key": b"another"}, id="the key, where nothing is sensitive"),
])
def test_what_does_not_matter_does_not_move_it(changes):
    assert made(**changes) == made()


@pytest.mark.parametrize("changes", [
    pytest.param({"spec": {**SPEC, "delaySeconds": "6"}}, id="a value of the spec"),
    pytest.param({"spec": {**SPEC, "policy": ""}}, id="an empty value, which is a demand"),
    pytest.param({"removed": ("visibilityTimeout",)}, id="a removed path"),
    pytest.param({"unmanaged": ("visibilityTimeout",)}, id="an unmanaged path"),
    pytest.param({"unread": frozenset({"tags"})}, id="a part that could not be read"),
    pytest.param({"overrides": {"delaySeconds": {"userInput": "5", "serverOverride": "6"}}}, id="a known override"),
])
def test_what_changes_the_meaning_of_the_spec_moves_the_first_half(changes):
    assert made(**changes)[0] != made()[0]


@pytest.mark.parametrize("live", [
    pytest.param({**LIVE, "delaySeconds": "6"}, id="a value"), pytest.param({**LIVE, "tags": {"a": "2"}}, id="our tag"),
    pytest.param({k: v for k, v in LIVE.items() if k != "tags"}, id="our tag, gone"), pytest.param({}, id="everything, gone"),
    pytest.param({**LIVE, "redrivePolicy": '{"maxReceiveCount": true}'}, id="a number that became true"),
])
def test_what_the_comparison_can_see_moves_the_second_half_only(live):
    assert made(live=live)[0] == made()[0]
    assert made(live=live)[1] != made()[1]


@pytest.mark.parametrize(("one", "other"), [
    pytest.param({**LIVE, "redrivePolicy": '{"maxReceiveCount": 3}'}, {**LIVE, "redrivePolicy": '{"maxReceiveCount": 3, "x": null}'},
                 id="a null inside a document"),
    pytest.param({**LIVE, "redrivePolicy": '{"maxReceiveCount": 3}'}, {**LIVE, "redrivePolicy": '[{"maxReceiveCount": 3}, null]'}, id="a null inside a list"),
    pytest.param({**LIVE, "redrivePolicy": "NaN"}, {**LIVE, "redrivePolicy": "Infinity"}, id="numbers that JSON does not have"),
])
def test_equal_cookies_mean_equal_verdicts(one, other):
    """The fast path rests on this: what the hash cannot tell apart, the comparison must not either."""
    verdicts = [[v.finding for v in compare(comparison(QUEUE, SPEC, live))] for live in (one, other)]
    assert made(live=one) != made(live=other) or verdicts[0] == verdicts[1]


def test_a_digest_of_the_kind_is_part_of_it():
    changed = toy(dict(QUEUE.spec_schema["properties"]), digest="another")
    assert made(spec={"queueName": "a"}, kind=changed)[0] != made(spec={"queueName": "a"}, kind=toy(dict(QUEUE.spec_schema["properties"])))[0]


def test_sensitive_values_enter_sealed_with_the_installations_key():
    spec = {"password": "hunter2", "users": [{"name": "a", "password": "hunter2"}], "text": "hunter2"}
    sealed = seal(HIDING, spec, KEY)
    assert sealed["text"] == "hunter2"
    assert sealed["password"] == sealed["users"][0]["password"]
    assert "hunter2" not in str({**sealed, "text": ""})
    assert made(spec=spec, live=spec, kind=HIDING) != made(spec=spec, live=spec, kind=HIDING, key=b"another")


def test_a_secret_that_changed_moves_the_cookie():
    one, other = ({"name": "s", "secretString": v} for v in ("hunter2", "hunter3"))
    assert made(spec=one, live=one, kind=SECRET)[1] != made(spec=one, live=other, kind=SECRET)[1]


@pytest.mark.parametrize(("text", "half"), [
    pytest.param("a/b", "a", id="two halves"), pytest.param("", "", id="none"), pytest.param("garbage", "garbage", id="an older form"),
])
def test_the_first_half_of_any_text(text, half):
    assert spec_half(text) == half
