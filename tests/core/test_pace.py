"""How long to wait: bounds, growth, and what is never retried."""

from __future__ import annotations

import pytest

from holdfast.core.pace import backoff, delay, jittered
from holdfast.model.errors import Retry

FRACTIONS = (0.0, 0.25, 0.5, 0.999999)


@pytest.mark.parametrize(("attempt", "low", "high"), [
    pytest.param(0, 0.5, 1, id="the first try comes within a second"), pytest.param(1, 1, 2, id="then two"), pytest.param(5, 16, 32, id="then more"),
    pytest.param(9, 150, 300, id="five minutes at most"), pytest.param(10_000, 150, 300, id="however often, and without overflow"),
])
def test_backoff_is_between_half_and_the_whole_of_its_step(attempt, low, high):
    assert all(low <= backoff(attempt, f) <= high for f in FRACTIONS)


def test_backoff_never_shrinks_as_attempts_grow():
    for fraction in FRACTIONS:
        waits = [backoff(attempt, fraction) for attempt in range(40)]
        assert waits == sorted(waits)


@pytest.mark.parametrize("retry", [pytest.param(Retry.WAIT, id="something else must happen first"), pytest.param(Retry.NEVER, id="somebody must act")])
def test_what_is_woken_by_a_change_has_no_time(retry):
    assert delay(retry, 3, 0.5) is None
    assert delay(retry, 3, 0.5, at_least=60) is None


@pytest.mark.parametrize("retry", [pytest.param(Retry.SOON, id="soon"), pytest.param(Retry.SLOWLY, id="slowly")])
def test_the_clouds_retry_after_is_obeyed(retry):
    assert delay(retry, 0, 0.0, at_least=3600) == 3600


def test_slowly_is_slower_than_soon_ever_gets():
    assert min(delay(Retry.SLOWLY, 0, f) for f in FRACTIONS) > max(delay(Retry.SOON, 99, f) for f in FRACTIONS)


def test_every_way_to_retry_has_an_answer():
    assert {r: delay(r, 0, 0.5) is None for r in Retry} == {Retry.WAIT: True, Retry.NEVER: True, Retry.SOON: False, Retry.SLOWLY: False}


def test_a_fleet_comes_back_spread_over_a_fifth_of_the_interval():
    assert [round(jittered(100, f)) for f in (0.0, 0.5, 1.0)] == [90, 100, 110]
