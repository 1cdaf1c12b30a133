"""Field paths as steps, where keys may hold dots."""

from __future__ import annotations

import pytest

from holdfast.core.paths import covers, drop_at, get_at, put_at, steps_of
from tests.core.sample import BUCKET, QUEUE, ROLE


@pytest.mark.parametrize(("kind", "path", "steps"), [
    pytest.param(QUEUE, "queueName", ("queueName",), id="a field"), pytest.param(BUCKET, "versioning.status", ("versioning", "status"), id="a nested field"),
    pytest.param(QUEUE, "tags.a.b/c.d", ("tags", "a.b/c.d"), id="a tag with dots is one key"), pytest.param(QUEUE, "tags", ("tags",), id="all tags"),
    pytest.param(BUCKET, "tagging.tagSet.a.b", ("tagging", "tagSet", "a.b"), id="a tag of a list of pairs"),
    pytest.param(ROLE, "inlinePolicies.my.policy", ("inlinePolicies", "my.policy"), id="a key of a free-form map"), pytest.param(QUEUE, "", (), id="nothing"),
])
def test_steps(kind, path, steps):
    assert steps_of(kind, path) == steps


def test_getting_putting_and_dropping_leave_the_input_alone():
    data = {"a": {"b": 1, "c": {"d": 2}}}
    assert get_at(data, ("a", "c", "d")) == 2
    assert get_at(data, ("a", "b", "x")) is None
    assert put_at(data, ("a", "c", "e"), 3) == {"a": {"b": 1, "c": {"d": 2, "e": 3}}}
    assert drop_at(data, ("a", "c", "d")) == {"a": {"b": 1}}
    assert drop_at(data, ("a", "x", "y")) == data
    assert data == {"a": {"b": 1, "c": {"d": 2}}}


@pytest.mark.parametrize(("parent", "path", "yes"), [
    pytest.param("a", "a", True, id="itself"), pytest.param("a", "a.b", True, id="what stands in it"), pytest.param("a", "a[0].b", True, id="an item of it"),
    pytest.param("a", "ab", False, id="what only begins alike"), pytest.param("a.b", "a", False, id="its parent"),
])
def test_covering(parent, path, yes):
    assert covers(parent, path) is yes
