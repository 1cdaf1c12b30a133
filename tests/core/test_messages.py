"""Text for people: secrets never, ten at most, long values cut."""

from __future__ import annotations

import json

import pytest

from holdfast.core.compare import compare
from holdfast.core.messages import HIDDEN, MOST, data, listed, one, value
from holdfast.model.verdicts import Finding, Verdict
from tests.core.sample import QUEUE, SECRET, TEXT, an_object, comparison, free_map, toy
from tests.core.sample import listed as a_list

HIDING = toy(
    {"password": TEXT, "inner": an_object(password=TEXT, name=TEXT), "users": a_list(an_object(name=TEXT, password=TEXT)), "pins": a_list(TEXT),
     "set": a_list(an_object(name=TEXT, password=TEXT)), "vault": an_object(a=TEXT, b=an_object(c=TEXT)), "safe": free_map()},
    {"password": {"sensitive": True}, "inner.password": {"sensitive": True}, "users[].password": {"sensitive": True}, "pins": {"sensitive": True},
     "set": {"unordered": True}, "set[].password": {"sensitive": True}, "vault": {"sensitive": True}, "safe": {"sensitive": True}})


def verdicts(count: int) -> tuple[Verdict, ...]:
    return tuple(Verdict(f"f{i}", Finding.MISMATCH, i, i + 1) for i in range(count))


@pytest.mark.parametrize(("spec", "live"), [
    pytest.param({"password": "hunter2"}, {"password": "hunter3"}, id="a field"),
    pytest.param({"inner": {"password": "hunter2", "name": "a"}}, {"inner": {"password": "hunter3"}}, id="a nested field"),
    pytest.param({"users": [{"password": "hunter2"}]}, {"users": [{"password": "hunter3"}]}, id="a field of an item"),
    pytest.param({"users": [{"password": "hunter2"}]}, {"users": [{"password": "hunter3"}, {"password": "hunter4"}]}, id="a list that holds one"),
    pytest.param({"set": [{"password": "hunter2"}]}, {"set": [{"password": "hunter3"}]}, id="a set that holds one"),
    pytest.param({"inner": {}}, {"inner": {"password": "hunter3"}}, id="an object that holds one"),
    pytest.param({"pins": ["hunter2"]}, {"pins": ["hunter3"]}, id="an item of a sensitive list"),
    pytest.param({"pins": ["hunter2"]}, {"pins": ["hunter3", "hunter4"]}, id="a sensitive list"),
    pytest.param({"vault": {"a": "hunter2", "b": {"c": "hunter2"}}}, {"vault": {"a": "hunter3", "b": {"c": "hunter4"}}}, id="what stands in a sensitive object"),
    pytest.param({"safe": {"hunter2": "hunter2"}}, {"safe": {"hunter3": "hunter3"}}, id="a sensitive map"),
])
def test_a_sensitive_value_is_never_printed(spec, live):
    found = tuple(v for v in compare(comparison(HIDING, spec, live)) if v.is_difference)
    assert found
    removals = tuple(Verdict(v.path, v.finding, None, v.live, is_removal=True) for v in found)
    shown = [listed(HIDING, found), listed(HIDING, removals), *(json.dumps(data(HIDING, v.path, side)) for v in found for side in (v.desired, v.live))]
    assert not [text for text in shown if "hunter" in text]


def test_the_value_of_a_secret_is_hidden_on_both_sides():
    (verdict,) = compare(comparison(SECRET, {"secretString": "hunter2"}, {"secretString": "hunter3"}))
    assert one(SECRET, verdict) == f"spec.secretString: wanted {HIDDEN}, live {HIDDEN}"


@pytest.mark.parametrize(("count", "ending"), [
    pytest.param(1, "f0: wanted 0, live 1", id="one"), pytest.param(MOST, "f9: wanted 9, live 10", id="ten are all shown"),
    pytest.param(MOST + 1, "; and 1 more", id="the eleventh is counted"), pytest.param(300, "; and 290 more", id="three hundred"),
])
def test_ten_at_most(count, ending):
    text = listed(QUEUE, verdicts(count))
    assert text.endswith(ending)
    assert text.count("wanted") == min(count, MOST)


@pytest.mark.parametrize(("verdict", "text"), [
    pytest.param(Verdict("delaySeconds", Finding.MISMATCH, "5", None), 'spec.delaySeconds: wanted "5", live (not set)', id="absent in live"),
    pytest.param(Verdict("delaySeconds", Finding.MISMATCH, "", "5"), 'spec.delaySeconds: wanted "", live "5"', id="empty is not absent"),
    pytest.param(Verdict("tags.a.b", Finding.MISMATCH, None, "5", is_removal=True), 'spec.tags.a.b: must be unset, live "5"', id="a removal"),
    pytest.param(Verdict("policy", Finding.MISMATCH, {"b": 1, "a": "é"}, [True, None]), 'spec.policy: wanted {"a": "é", "b": 1}, live [true, null]',
                 id="as JSON, with sorted keys, as people write"),
])
def test_one_difference(verdict, text):
    assert one(QUEUE, verdict) == text


def test_long_values_are_cut():
    assert value(QUEUE, "policy", "x" * 5000) == f'"{"x" * 119}…'
    assert data(QUEUE, "policy", "x" * 5000) == f"{'x' * 1024}…"


def test_short_values_stay_what_they_are():
    for raw in (None, True, 0, 1.5, "", "x", [], {}, {"a": [1]}):
        assert data(QUEUE, "policy", raw) == raw
