"""Operations that fail, or are lost: held until the spec changes, tried again, or seen by what they left."""

from __future__ import annotations

import pytest

from tests.runtime.slow import CREATE, DELETE, FIREWALL, INSTANCE, MORE, PATCH, Slow, both, changed


@pytest.fixture
def slow():
    return Slow()


# ---- failures -------------------------------------------------------------------------------------------------------------


@both
async def test_a_create_that_fails_is_held_until_the_spec_changes(slow, body):
    slow.gcp.misbehave(operation=rf".*\.{CREATE[body['kind']]}", operation_error=(9, "the quota is used up") if body is INSTANCE else ("INVALID_USAGE", "the quota is used up"))
    key = await slow.begin(body)
    await slow.over(key)
    status = await slow.status(key)
    assert "operation" not in status
    assert status["hold"]["code"] == "HF505"
    assert "the quota is used up" in (await slow.condition(key))["message"]
    assert (await slow.condition(key))["status"] == "False"
    for _ in range(3):
        slow.clock.advance(600)
        await slow.step(key)
    assert slow.verbs() == [CREATE[body["kind"]]], "not tried again"
    await slow.apply(changed(body))
    await slow.settle(key, most=150)
    assert (await slow.condition(key))["reason"] == "UpToDate"
    assert slow.verbs() == [CREATE[body["kind"]]] * 2


@both
async def test_a_failed_create_is_tried_again_after_a_day(slow, body):
    slow.gcp.misbehave(operation=rf".*\.{CREATE[body['kind']]}", operation_error=(9, "no") if body is INSTANCE else ("INVALID_USAGE", "no"))
    key = await slow.begin(body)
    await slow.over(key)
    slow.clock.advance(86_500)
    await slow.settle(key, most=150)
    assert (await slow.condition(key))["reason"] == "UpToDate"


@both
async def test_an_update_that_fails_is_held_and_the_next_edit_is_sent(slow, body):
    key = await slow.made(body)
    slow.gcp.misbehave(operation=r".*\.patch", operation_error=(3, "the value is wrong") if body is INSTANCE else ("INVALID_USAGE", "the value is wrong"))
    await slow.apply(changed(body))
    await slow.step(key)
    await slow.over(key)
    assert (await slow.status(key))["hold"]["code"] == "HF505"
    await slow.step(key)
    assert slow.verbs(PATCH) == [PATCH]
    await slow.apply(changed(body, **MORE[body["kind"]]))
    await slow.settle(key, most=150)
    assert (await slow.condition(key))["reason"] == "UpToDate"
    assert slow.verbs(PATCH) == [PATCH, PATCH]


@both
async def test_a_failure_that_passes_is_tried_again_soon(slow, body):
    slow.gcp.misbehave(operation=rf".*\.{CREATE[body['kind']]}", operation_error=(14, "busy") if body is INSTANCE else ("SERVER_ERROR", "busy"))
    key = await slow.begin(body)
    await slow.over(key)
    status = await slow.status(key)
    assert "operation" not in status
    assert "hold" not in status
    await slow.settle(key, most=150)
    assert (await slow.condition(key))["reason"] == "UpToDate"
    assert slow.verbs() == [CREATE[body["kind"]]] * 2


async def test_a_deletion_that_fails_is_said_and_sent_again(slow, body=FIREWALL):
    key = await slow.made(body)
    slow.gcp.misbehave(operation=r".*\.delete", operation_error=("SERVER_ERROR", "busy"))
    await slow.store.delete(key)
    await slow.step(key)
    await slow.over(key)
    assert (await slow.condition(key))["reason"] == "DeleteFailed"
    await slow.settle(key, most=150)
    assert await slow.get(key) is None
    assert slow.verbs(DELETE) == [DELETE, DELETE]


@pytest.mark.parametrize("error", [pytest.param((503, "UNAVAILABLE"), id="the cloud is away"), pytest.param((403, "PERMISSION_DENIED"), id="asking is not allowed"), pytest.param((429, "RESOURCE_EXHAUSTED"), id="too many calls")])
@both
async def test_a_failed_question_is_not_the_answer(slow, body, error):
    """Nothing is known of the operation: it stays in status, and nothing is written."""
    key = await slow.begin(body)
    slow.gcp.misbehave(operation=r".*perations\.get", error=error)
    result = await slow.step(key)
    assert result.retry_in
    assert (await slow.status(key))["operation"]["action"] == "create"
    assert slow.verbs() == [CREATE[body["kind"]]]


# ---- its loss -------------------------------------------------------------------------------------------------------------


@both
async def test_an_operation_lost_from_status_while_it_creates(slow, body):
    key = await slow.begin(body)
    await slow.lose(key, "operation")
    await slow.step(key)
    await slow.over(key)
    await slow.settle(key, most=150)
    assert (await slow.condition(key))["reason"] == "UpToDate"
    assert slow.verbs(CREATE[body["kind"]]) == [CREATE[body["kind"]]], "one was made"


@both
async def test_an_operation_lost_from_status_while_it_updates(slow, body):
    key = await slow.made(body)
    await slow.apply(changed(body))
    await slow.step(key)
    await slow.lose(key, "operation")
    await slow.step(key)
    await slow.over(key)
    await slow.settle(key, most=150)
    assert (await slow.condition(key))["reason"] == "UpToDate"
    assert "specOverrides" not in await slow.status(key)


async def test_an_operation_lost_from_status_while_it_deletes(slow, body=FIREWALL):
    key = await slow.made(body)
    await slow.store.delete(key)
    await slow.step(key)
    await slow.lose(key, "operation")
    await slow.step(key)
    await slow.over(key)
    await slow.settle(key, most=150)
    assert await slow.get(key) is None
    assert slow.live(body) is None


@both
async def test_a_whole_status_lost_while_it_creates_makes_no_second_one(slow, body):
    key = await slow.begin(body)
    obj = await slow.store.get(key)
    await slow.store.write_status(obj, {})
    await slow.step(key)
    await slow.over(key)
    await slow.settle(key, most=150)
    assert slow.verbs(CREATE[body["kind"]]) == [CREATE[body["kind"]]]
    assert (await slow.condition(key))["reason"] == "UpToDate"


@both
async def test_an_operation_that_the_cloud_has_forgotten(slow, body):
    """Long over: what came of it, the resource shows."""
    key = await slow.begin(body)
    slow.clock.advance(61)
    slow.gcp.misbehave(operation=r".*perations\.get", error=(404, "NOT_FOUND"))
    await slow.settle(key, most=150)
    assert (await slow.condition(key))["reason"] == "UpToDate"
    assert slow.verbs() == [CREATE[body["kind"]]]


@pytest.mark.parametrize("odd", [pytest.param({"name": "x"}, id="half of it"), pytest.param("operations/1", id="text"), pytest.param({}, id="nothing")])
async def test_a_malformed_operation_is_forgotten(slow, odd):
    key = await slow.made(FIREWALL)
    obj = await slow.store.get(key)
    await slow.store.write_status(obj, {**obj.status, "operation": odd})
    await slow.settle(key)
    assert (await slow.condition(key))["reason"] == "UpToDate"
    assert slow.verbs() == ["insert"]
