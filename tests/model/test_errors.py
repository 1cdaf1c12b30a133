"""The table of errors: complete, stable, and every code that is raised stands in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import holdfast
from holdfast.model.errors import (
    CODES,
    CloudError,
    ConflictError,
    HoldfastError,
    InputError,
    Retry,
    WaitError,
    did_you_mean,
)

SOURCE = Path(holdfast.__file__).parent


@pytest.mark.parametrize("row", [pytest.param(c, id=c.code) for c in CODES.values()])
def test_a_code_says_what_why_and_who(row):
    assert re.fullmatch(r"HF[1-7]\d\d", row.code)
    assert row.title
    assert row.cause.endswith(".")
    assert row.step.endswith(".")
    assert row.who


def test_every_code_in_the_source_is_in_the_table():
    used = {code for path in SOURCE.rglob("*.py") for code in re.findall(r"HF\d{3}", path.read_text(encoding="utf-8"))}
    assert used <= set(CODES)


def test_a_code_that_is_not_in_the_table_cannot_be_raised():
    with pytest.raises(KeyError):
        HoldfastError("HF999", "x")


def test_an_error_says_code_place_and_message():
    assert str(InputError("HF104", "must be a string", "spec.a")) == "HF104 spec.a: must be a string"
    assert str(InputError("HF104", "must be a string")) == "HF104 must be a string"


def test_who_retries():
    assert (InputError("HF104", "").retry, WaitError("HF402", "").retry, ConflictError("HF601", "").retry) == (Retry.NEVER, Retry.WAIT, Retry.SOON)
    assert CloudError("HF503", "", retry=Retry.SOON, retry_after=5).retry_after == 5


@pytest.mark.parametrize(("word", "known", "hint"), [
    pytest.param("quename", ["queueName", "policy"], "; did you mean 'queueName'?", id="a near miss, in another case"), pytest.param("xyz", ["queueName"], "", id="nothing near"),
    pytest.param("a", [], "", id="nothing known"), pytest.param("", ["a"], "", id="nothing given"),
])
def test_hints(word, known, hint):
    assert did_you_mean(word, known) == hint
