"""What the cloud carries out for minutes: it stands in status, is asked after, and survives restarts, edits, failures and its own loss."""

from __future__ import annotations

import pytest

from tests.invariants import check_status
from tests.world import World

FIREWALL = {"apiVersion": "compute.cnrm.cloud.google.com/v1beta1", "kind": "ComputeFirewall", "metadata": {"name": "it", "namespace": "shop"},
            "spec": {"networkRef": {"external": "projects/shop/global/networks/n"}, "allow": [{"protocol": "tcp"}], "priority": 5}}
INSTANCE = {"apiVersion": "spanner.cnrm.cloud.google.com/v1beta1", "kind": "SpannerInstance", "metadata": {"name": "it", "namespace": "shop"},
            "spec": {"config": "regional-eu", "displayName": "Data", "numNodes": 1}}
HOST = {"ComputeFirewall": "compute.googleapis.com/projects/shop/global/firewalls/it", "SpannerInstance": "spanner.googleapis.com/projects/shop/instances/it"}
CHANGES = {"ComputeFirewall": {"priority": 6}, "SpannerInstance": {"displayName": "More"}}
MORE = {"ComputeFirewall": {"priority": 7}, "SpannerInstance": {"displayName": "Most"}}
CREATE, PATCH, DELETE = {"ComputeFirewall": "insert", "SpannerInstance": "create"}, "patch", "delete"
both = pytest.mark.parametrize("body", [pytest.param(b, id=b["kind"]) for b in (FIREWALL, INSTANCE)])


def changed(body: dict, **spec) -> dict:
    return {**body, "spec": {**body["spec"], **(spec or CHANGES[body["kind"]])}}


def annotated(body: dict, **notes) -> dict:
    return {**body, "metadata": {**body["metadata"], "annotations": {f"cnrm.cloud.google.com/{k.replace('_', '-')}": v for k, v in notes.items()}}}


class Slow(World):
    """A world in which operations take a minute."""

    def __init__(self) -> None:
        super().__init__()
        self.gcp.put("compute.googleapis.com/projects/shop/global/networks/n", {"autoCreateSubnetworks": False})
        self.gcp.operation_seconds = 60

    async def status(self, key) -> dict:
        obj = await self.store.get(key)
        check_status(obj)
        return obj.status

    async def begin(self, body: dict):
        """The object, while its create is carried out."""
        key = await self.apply(body)
        await self.step(key)
        assert (await self.status(key))["operation"]["action"] == "create"
        return key

    async def made(self, body: dict):
        """The object, once it is as declared."""
        key = await self.apply(body)
        await self.settle(key, most=150)
        assert (await self.condition(key))["status"] == "True", await self.condition(key)
        return key

    async def over(self, key) -> None:
        """The minute passes."""
        self.clock.advance(61)
        await self.step(key)

    def verbs(self, *verbs: str) -> list[str]:
        return [m.rpartition(".")[2] for m in self.gcp.mutations if not verbs or m.rpartition(".")[2] in verbs]

    def live(self, body: dict) -> dict | None:
        return self.gcp.get(HOST[body["kind"]])

    async def lose(self, key, *parts: str) -> None:
        """Somebody takes parts of the status away."""
        obj = await self.store.get(key)
        await self.store.write_status(obj, {k: v for k, v in obj.status.items() if k not in parts})


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
