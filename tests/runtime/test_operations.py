"""What the cloud carries out for minutes: it stands in status, is asked after, and survives restarts, edits and directives."""

from __future__ import annotations

import pytest

from tests.runtime.slow import CHANGES, CREATE, DELETE, FIREWALL, HOST, MORE, PATCH, Slow, annotated, both, changed


@pytest.fixture
def slow():
    return Slow()


# ---- its life -------------------------------------------------------------------------------------------------------------


@both
async def test_what_was_begun_stands_in_status(slow, body):
    key = await slow.apply(body)
    result = await slow.step(key)
    status = await slow.status(key)
    assert {k: status["operation"][k] for k in ("action", "generation", "before")} == {"action": "create", "generation": 1, "before": {}}
    assert status["intent"]["action"] == "create"
    assert (await slow.condition(key))["reason"] == "Creating"
    assert status["operation"]["name"] in (await slow.condition(key))["message"]
    assert 1.0 <= result.retry_in <= 60.0


@both
async def test_while_it_runs_it_is_only_asked_after(slow, body):
    key = await slow.begin(body)
    log, version = len(slow.gcp.log), await slow.store.version()
    for _ in range(5):
        result = await slow.step(key)
        assert result.retry_in
    assert [c.rpartition(".")[2] for c in slow.gcp.log[log:]] == ["get"] * 5
    assert all("perations" in c for c in slow.gcp.log[log:])
    assert await slow.store.version() == version, "and nothing is written"


@both
async def test_when_it_has_ended_all_is_as_declared(slow, body):
    key = await slow.begin(body)
    await slow.over(key)
    assert (await slow.condition(key))["reason"] == "UpToDate"
    assert not {"operation", "intent", "settling"} & set(await slow.status(key))
    assert [e for e in await slow.events(key) if "Created" in e] == [f"Normal Created: Created {HOST[body['kind']].partition('/')[2]}"]
    log = len(slow.gcp.mutations)
    result = await slow.step(key)
    assert (result.retry_in, len(slow.gcp.mutations)) == (None, log)


@both
async def test_an_update_is_carried_out_the_same_way(slow, body):
    key = await slow.made(body)
    await slow.apply(changed(body))
    await slow.step(key)
    status = await slow.status(key)
    assert (status["operation"]["action"], status["operation"]["generation"], list(status["operation"]["before"])) == ("update", 2, list(CHANGES[body["kind"]]))
    assert (await slow.condition(key))["reason"] == "Updating"
    await slow.step(key)
    await slow.over(key)
    assert (await slow.condition(key))["reason"] == "UpToDate"
    assert slow.verbs() == [CREATE[body["kind"]], PATCH]


async def test_a_deletion_is_sent_once(slow, body=FIREWALL):
    key = await slow.made(body)
    await slow.store.delete(key)
    for _ in range(4):
        await slow.step(key)
        assert (await slow.status(key))["operation"]["action"] == "delete"
        assert (await slow.condition(key))["reason"] == "Deleting"
    slow.restart()
    await slow.step(key)
    await slow.over(key)
    assert await slow.get(key) is None
    assert slow.live(body) is None
    assert slow.verbs(DELETE) == [DELETE]


# ---- restarts -------------------------------------------------------------------------------------------------------------


@both
async def test_a_restart_in_the_middle_of_a_create(slow, body):
    key = await slow.begin(body)
    slow.restart()
    await slow.step(key)
    slow.restart()
    await slow.over(key)
    assert (await slow.condition(key))["reason"] == "UpToDate"
    assert slow.verbs() == [CREATE[body["kind"]]]


@both
async def test_a_restart_in_the_middle_of_an_update(slow, body):
    key = await slow.made(body)
    await slow.apply(changed(body))
    await slow.step(key)
    slow.restart()
    await slow.step(key)
    await slow.over(key)
    assert (await slow.condition(key))["reason"] == "UpToDate"
    assert slow.verbs(PATCH) == [PATCH]


# ---- edits while it runs --------------------------------------------------------------------------------------------------


@both
async def test_an_edit_while_it_runs_is_carried_out_afterwards(slow, body):
    key = await slow.begin(body)
    await slow.apply(changed(body))
    await slow.step(key)
    assert slow.verbs() == [CREATE[body["kind"]]], "not while it runs"
    await slow.over(key)
    assert slow.verbs() == [CREATE[body["kind"]], PATCH], "but at once then: the edit is not what was waited for"
    assert "settling" not in await slow.status(key)
    await slow.settle(key, most=150)
    assert (await slow.condition(key))["reason"] == "UpToDate"
    assert "specOverrides" not in await slow.status(key)
    assert slow.verbs() == [CREATE[body["kind"]], PATCH]
    wire = {"priority": 6, "displayName": "More"}
    assert all(slow.live(body)[k] == wire[k] for k in CHANGES[body["kind"]])


@both
async def test_an_edit_back_while_it_runs_needs_no_second_write(slow, body):
    key = await slow.made(body)
    await slow.apply(changed(body))
    await slow.step(key)
    await slow.apply(changed(body, **MORE[body["kind"]]))
    await slow.apply(changed(body))
    await slow.settle(key, most=150)
    assert (await slow.condition(key))["reason"] == "UpToDate"
    assert slow.verbs(PATCH) == [PATCH]


@both
async def test_edits_during_every_operation_all_arrive(slow, body):
    key = await slow.begin(body)
    for spec in (CHANGES, MORE, CHANGES, MORE):
        await slow.apply(changed(body, **spec[body["kind"]]))
        await slow.over(key)
    await slow.settle(key, most=150)
    assert (await slow.condition(key))["reason"] == "UpToDate", await slow.condition(key)
    assert "specOverrides" not in await slow.status(key)
    wire = {"priority": 7, "displayName": "Most"}
    assert all(slow.live(body)[k] == wire[k] for k in MORE[body["kind"]])


async def test_a_request_id_names_one_request(slow):
    """The create's own must not stand in the updates after it: the service would take them for repetitions, and do nothing."""
    key = await slow.begin(FIREWALL)
    for spec in (CHANGES, MORE):
        await slow.apply(changed(FIREWALL, **spec["ComputeFirewall"]))
        await slow.over(key)
    ids = [c.query["requestId"] for c in slow.gcp.calls if "requestId" in c.query]
    assert len(ids) == len(set(ids)), [(c.operation, c.query, c.body) for c in slow.gcp.calls if "requestId" in c.query]


OVERRIDE = {"ComputeFirewall": ("priority", 99), "SpannerInstance": ("displayName", "Theirs")}


@both
async def test_no_override_is_learnt_from_the_answer_to_an_older_spec(slow, body):
    """The service put its own value in place of the first spec's; what it says to the second is not known yet."""
    key = await slow.made(body)
    slow.gcp.misbehave(operation=r".*\.patch", override=OVERRIDE[body["kind"]])
    await slow.apply(changed(body))
    await slow.step(key)
    await slow.apply(changed(body, **MORE[body["kind"]]))
    await slow.over(key)
    assert "specOverrides" not in await slow.status(key)
    await slow.settle(key, most=150)
    assert (await slow.condition(key))["reason"] == "UpToDate"
    assert slow.verbs(PATCH) == [PATCH, PATCH]
    wire = {"priority": 7, "displayName": "Most"}
    assert all(slow.live(body)[k] == wire[k] for k in MORE[body["kind"]])


@both
async def test_somebody_elses_edit_while_it_runs_is_no_override(slow, body):
    key = await slow.begin(body)
    slow.gcp.misbehave(operation=r".*perations\.get", before=lambda: slow.gcp.edit(HOST[body["kind"]], dict([OVERRIDE[body["kind"]]])))
    slow.clock.advance(61)
    await slow.settle(key, most=150)
    assert (await slow.condition(key))["reason"] == "UpToDate"
    assert "specOverrides" not in await slow.status(key)
    wire = {"priority": 5, "displayName": "Data"}
    field = OVERRIDE[body["kind"]][0]
    assert slow.live(body)[field] == wire[field]


async def test_a_service_that_always_has_its_own_value_is_an_override_in_the_end(slow):
    slow.gcp.misbehave(operation=r".*\.(insert|patch)", override=("priority", 99), times=None)
    key = await slow.apply(FIREWALL)
    await slow.settle(key, most=150)
    assert (await slow.status(key))["specOverrides"] == {"priority": {"userInput": 5, "serverOverride": 99}}
    assert (await slow.condition(key))["status"] == "True"


# ---- directives while it runs ---------------------------------------------------------------------------------------------


@both
async def test_a_pause_while_it_runs_asks_nothing(slow, body):
    key = await slow.begin(body)
    await slow.apply(annotated(body, actuation_mode="Paused"))
    log = len(slow.gcp.log)
    await slow.over(key)
    assert len(slow.gcp.log) == log
    await slow.apply(annotated(body, actuation_mode="Reconciling"))
    await slow.settle(key, most=150)
    assert (await slow.condition(key))["reason"] == "UpToDate"
    assert slow.verbs() == [CREATE[body["kind"]]]


@both
async def test_verify_only_while_it_runs_writes_nothing(slow, body):
    key = await slow.begin(body)
    await slow.apply(annotated(changed(body), force_acquire="true"))
    await slow.step(key)
    await slow.over(key)
    await slow.settle(key, most=150)
    assert slow.verbs() == [CREATE[body["kind"]]]
    assert (await slow.condition(key))["reason"] == "UpdateFailed"


@both
async def test_a_deletion_while_the_create_runs_removes_what_it_made(slow, body):
    key = await slow.begin(body)
    await slow.store.delete(key)
    await slow.step(key)
    assert slow.verbs(DELETE) == [], "not while it runs"
    await slow.settle(key, most=150)
    assert await slow.get(key) is None
    assert slow.live(body) is None
    assert slow.verbs(DELETE) == [DELETE]


@both
async def test_a_deletion_that_lets_the_resource_be_does_not_wait_for_it(slow, body):
    key = await slow.begin(body)
    await slow.apply(annotated(body, deletion_policy="abandon"))
    await slow.store.delete(key)
    await slow.step(key)
    assert await slow.get(key) is None
    slow.clock.advance(61)
    assert slow.live(body) is not None
