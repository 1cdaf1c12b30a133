"""The few operations on plain data: none copies more than it must, none changes its input."""

from __future__ import annotations

import pytest

from holdfast.model.json import get_path, is_empty, merge, walk_leaves, with_path, without_path

DATA = {"a": {"b": {"c": 1}, "n": None}, "l": [{"x": 1}], "e": {}}


@pytest.mark.parametrize(("path", "value"), [
    pytest.param("a.b.c", 1, id="a leaf"), pytest.param("a.n", None, id="a null is there"), pytest.param("a.x", None, id="a missing leaf"),
    pytest.param("a.b.c.d", None, id="below a leaf"), pytest.param("l.x", None, id="below a list"), pytest.param("x.y.z", None, id="below nothing"),
])
def test_looking_up(path, value):
    assert get_path(DATA, path) == value


def test_with_and_without():
    assert with_path({}, "a.b", 1) == {"a": {"b": 1}}
    assert with_path({"a": None}, "a.b", 1) == {"a": {"b": 1}}
    assert without_path({"a": {"b": {"c": 1}}, "d": 2}, "a.b.c") == {"d": 2}
    assert without_path({"a": 5}, "a.b") == {"a": 5}
    assert DATA == {"a": {"b": {"c": 1}, "n": None}, "l": [{"x": 1}], "e": {}}


@pytest.mark.parametrize(("under", "over", "made"), [
    pytest.param({"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}, id="objects are merged"),
    pytest.param({"a": [1, 2]}, {"a": [3]}, {"a": [3]}, id="lists are replaced"), pytest.param({"a": {"b": 1}}, {"a": 5}, {"a": 5}, id="an object by a value"),
    pytest.param({"a": 5}, {"a": {"b": 1}}, {"a": {"b": 1}}, id="a value by an object"), pytest.param({"a": 1}, {"a": None}, {"a": None}, id="null is a value"),
])
def test_merging(under, over, made):
    assert merge(under, over) == made


@pytest.mark.parametrize(("value", "empty"), [
    *(pytest.param(v, True, id=f"{v!r} is empty") for v in (None, "", [], {})), *(pytest.param(v, False, id=f"{v!r} is not") for v in (0, False, 0.0, " ", [None], {"a": None})),
])
def test_emptiness(value, empty):
    assert is_empty(value) is empty


def test_lists_and_empty_objects_are_leaves():
    assert dict(walk_leaves(DATA)) == {("a", "b", "c"): 1, ("a", "n"): None, ("l",): [{"x": 1}], ("e",): {}}
