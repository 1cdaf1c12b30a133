"""The canonical form, by its published vectors, and the page that specifies it."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from holdfast.core.canonical import canonical, digest, sealed

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))
PAGE = (Path(__file__).parents[2] / "docs" / "canonical-form.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"### ([^\n]+)\n\n```text\nvalue {6}([^\n]*)\ncanonical {2}([^\n]*)\nsha256 {5}([0-9a-f]{64})\n```")


@pytest.mark.parametrize("vector", [pytest.param(v, id=v["name"]) for v in VECTORS])
def test_the_code_gives_the_published_form_and_hash(vector):
    assert canonical(vector["value"]).decode() == vector["canonical"]
    assert digest(vector["value"]) == vector["sha256"]


@pytest.mark.parametrize("vector", [pytest.param(v, id=v["name"]) for v in VECTORS])
def test_a_published_hash_is_that_of_the_published_form(vector):
    """Anyone with sha256sum can check the page, without our code."""
    assert hashlib.sha256(vector["canonical"].encode()).hexdigest() == vector["sha256"]


@pytest.mark.parametrize("vector", [pytest.param(v, id=v["name"]) for v in VECTORS])
def test_the_canonical_form_of_a_canonical_form_is_itself(vector):
    """Read back as JSON and written again, nothing moves."""
    assert canonical(json.loads(vector["canonical"])).decode() == vector["canonical"]


def test_the_page_and_the_vectors_agree():
    shown = [{"name": name, "value": json.loads(value), "canonical": text, "sha256": sha} for name, value, text, sha in _BLOCK.findall(PAGE)]
    assert [repr(v) for v in shown] == [repr(v) for v in VECTORS]


@pytest.mark.parametrize(("one", "other"), [
    pytest.param({"a": 1, "b": [{"c": 1, "d": 2}]}, {"b": [{"d": 2, "c": 1}], "a": 1}, id="key order does not matter, at any depth"),
    pytest.param({"a": 1, "b": None}, {"a": 1.0}, id="a null and a missing key are one, 1 and 1.0 too"),
    pytest.param([1, 2], (1, 2), id="a tuple is a list"),
    pytest.param(2**70, float(2**70), id="a big integer and the float that equals it are one"),
    pytest.param({"a": {"b": None}}, {"a": {}}, id="an object that held only null is an empty object"),
])
def test_values_that_mean_the_same_have_one_form(one, other):
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(("one", "other"), [
    pytest.param({"a": 1}, {"a": True}, id="one is not true"),
    pytest.param({"a": 0}, {"a": False}, id="zero is not false"),
    pytest.param({"a": "1"}, {"a": 1}, id="text is not a number"),
    pytest.param({"a": ""}, {}, id="empty text is not absence"),
    pytest.param({"a": []}, {"a": {}}, id="an empty list is not an empty object"),
    pytest.param([1, 2], [2, 1], id="a list has an order"),
    pytest.param(2**64, str(2**64), id="a big integer is not its digits"),
    pytest.param(2**53 + 1, float(2**53), id="an integer is not the nearest float"),
    pytest.param({"a": {"b": 1}}, {"a.b": 1}, id="a dotted key is not a path"),
    pytest.param("\u00e9", "e\u0301", id="composed is not decomposed"),
    pytest.param(float("nan"), None, id="not-a-number is not null"),
    pytest.param(float("inf"), float("nan"), id="infinity is not not-a-number"),
])
def test_values_that_differ_have_two_forms(one, other):
    assert canonical(one) != canonical(other)


def test_text_that_is_no_unicode_still_has_a_form():
    """JSON can spell half a surrogate pair, and a cloud may hand one back: that must not stop the comparison."""
    assert canonical(json.loads('"\\ud800"')) != canonical(json.loads('"\\ud801"'))


def test_the_input_is_left_as_it_was():
    value = {"b": [None, {"c": None}], "a": 2.0}
    canonical(value)
    assert repr(value) == "{'b': [None, {'c': None}], 'a': 2.0}"


def test_a_seal_depends_on_the_value_and_on_the_key():
    seals = {sealed(v, k) for v in ("hunter2", "hunter3", 1, "1") for k in (b"one", b"two")}
    assert len(seals) == 8
    assert all(re.fullmatch(r"hmac:[0-9a-f]{64}", s) for s in seals)


def test_a_seal_is_no_bare_hash_and_equal_values_seal_equally():
    assert sealed({"a": 1, "b": None}, b"k") == sealed({"a": 1.0}, b"k")
    assert sealed("x", b"") != f"hmac:{digest('x')}"
