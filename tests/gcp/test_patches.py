"""Merge patches and their laws; and what of a resource may be sent back."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.providers.gcp.codec import moment
from holdfast.providers.gcp.patches import apply_patch, merge_patch, pick, without_outputs

LEAF = st.one_of(st.booleans(), st.integers(0, 3), st.sampled_from(["", "a", "b"]), st.lists(st.integers(0, 2), max_size=2))
BODY = st.recursive(st.dictionaries(st.sampled_from("abc"), LEAF, max_size=3), lambda inner: st.dictionaries(st.sampled_from("abc"), st.one_of(LEAF, inner), max_size=3), max_leaves=6)
laws = settings(max_examples=200, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


@laws
@given(BODY, BODY)
def test_a_patch_turns_one_into_the_other(before, after):
    assert apply_patch(before, merge_patch(before, after)) == after


@laws
@given(BODY)
def test_nothing_to_change_is_an_empty_patch(body):
    assert merge_patch(body, body) == {}
    assert apply_patch(body, {}) == body


@laws
@given(BODY, BODY, BODY)
def test_a_patch_leaves_what_it_does_not_name(before, after, more):
    """What the service has and the spec does not know survives."""
    theirs = {f"their-{k}": v for k, v in more.items()}
    assert apply_patch({**before, **theirs}, merge_patch(before, after)) == {**after, **theirs}


@pytest.mark.parametrize(("before", "after", "patch"), [
    pytest.param({"a": 1, "b": 2}, {"a": 1}, {"b": None}, id="what goes is null"), pytest.param({"a": {"x": 1, "y": 2}}, {"a": {"x": 1}}, {"a": {"y": None}}, id="deep inside, too"),
    pytest.param({"a": [1, 2]}, {"a": [2]}, {"a": [2]}, id="a list is replaced"), pytest.param({"a": {"x": 1}}, {"a": {}}, {"a": {"x": None}}, id="an emptied object"),
    pytest.param({"a": 1}, {"a": {"x": 1}}, {"a": {"x": 1}}, id="a value becomes an object"), pytest.param({}, {"a": {}}, {"a": {}}, id="an empty object comes"),
])
def test_patches(before, after, patch):
    assert merge_patch(before, after) == patch


def test_a_patch_changes_neither_side():
    before, after = {"a": {"x": 1}}, {"a": {"y": [1]}}
    apply_patch(before, merge_patch(before, after))
    assert (before, after) == ({"a": {"x": 1}}, {"a": {"y": [1]}})


# ---- what is sent back ----------------------------------------------------------------------------------------------------


TEXT = {"type": "string"}


def an_object(properties: dict) -> dict:
    return {"type": "object", "properties": properties}


SCHEMAS = {"R": an_object({"a": TEXT, "out": {**TEXT, "behaviours": ["output"]}, "o": {"$ref": "O"}, "l": {"type": "array", "items": {"$ref": "O"}}, "m": {"type": "object", "additionalProperties": TEXT}}),
           "O": an_object({"b": TEXT, "out": {**TEXT, "behaviours": ["output", "optional"]}})}


def test_what_only_the_server_sets_is_left_out():
    body = {"a": "x", "out": "y", "new": {"z": 1}, "o": {"b": "x", "out": 1}, "l": [{"b": "x", "out": 1}], "m": {"out": "a user's key"}}
    assert without_outputs(SCHEMAS, "R", body) == {"a": "x", "new": {"z": 1}, "o": {"b": "x"}, "l": [{"b": "x"}], "m": {"out": "a user's key"}}


@pytest.mark.parametrize(("paths", "picked"), [
    pytest.param(["a"], {"a": 1}, id="a field"), pytest.param(["o.x", "a"], {"o": {"x": 0}, "a": 1}, id="deep, and zero"), pytest.param(["no", "o.no"], {}, id="what is not there"),
    pytest.param(["o.x", "o.y"], {"o": {"x": 0, "y": []}}, id="two of one object"), pytest.param([], {}, id="nothing"),
])
def test_picking(paths, picked):
    assert pick({"a": 1, "o": {"x": 0, "y": [], "z": 2}}, paths) == picked


@pytest.mark.parametrize(("text", "time"), [
    pytest.param("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", id="UTC"), pytest.param("2026-01-01T01:30:00.999+01:30", "2026-01-01T00:00:00Z", id="an offset and a fraction"),
    pytest.param("2025-12-31T16:00:00-08:00", "2026-01-01T00:00:00Z", id="compute's zone"), pytest.param("2026-01-01T00:00:00", "2026-01-01T00:00:00Z", id="no zone"),
    pytest.param("2026-01-01T00:00:00.123456789Z", "2026-01-01T00:00:00Z", id="nanoseconds"), pytest.param("", "", id="nothing"), pytest.param(None, "", id="null"), pytest.param("soon", "", id="a word"),
])
def test_times_of_the_cloud(text, time):
    assert moment(text) == time
