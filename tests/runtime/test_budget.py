"""One throttling answer slows every caller of that service and region down, and nobody else."""

from __future__ import annotations

import asyncio

import pytest

from holdfast.model.errors import CloudError
from holdfast.providers.budget import Budget
from tests.simulation.virtual import run_virtual


async def scenario(loop) -> list[float]:
    budget, times = Budget(), []

    async def call(service: str) -> None:
        await budget.wait(service, "eu-west-1")
        times.append(loop.time())

    budget.slow_down("sqs", "eu-west-1", 0.0)
    await asyncio.gather(call("sqs"), call("sqs"), call("s3"))
    budget.slow_down("sqs", "eu-west-1", 0.0)
    await call("sqs")
    budget.slow_down("sqs", "eu-west-1", 7.0)
    with pytest.raises(CloudError, match="HF503") as told:  # too long to hold a worker up
        await call("sqs")
    assert told.value.retry_after == 7.0
    await asyncio.sleep(7.0)
    await call("sqs")
    budget.speed_up("sqs", "eu-west-1")
    budget.slow_down("sqs", "eu-west-1", 0.0)
    await call("sqs")
    return times


def test_a_throttled_service_is_left_alone_by_all():
    s3, first, second, third, told, fresh = run_virtual(scenario)
    assert s3 == 0.0, "another service is not held up"
    assert first == second == 0.5
    assert third == 1.5, "the pause doubles"
    assert told == 8.5, "Retry-After is obeyed"
    assert fresh == 9.0, "a good answer makes it short again"
