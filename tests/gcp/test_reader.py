"""What a look at a resource, or at an operation, says."""

from __future__ import annotations

import pytest

from holdfast.model.errors import CloudError
from holdfast.model.facts import Absent, Live
from holdfast.providers.gcp.reader import GcpReader
from holdfast.runtime.ports import Answer
from tests.gcp.wire import RUNNING, Wire, answer, client, refusal, subject
from tests.kinds.small import ADDRESS, FIREWALL, INSTANCE, TOPIC, small

LINK = "projects/p/global/operations/operation-1"


NAMED = answer(200, {"name": "x"})


async def look(kind, *answers, spec: dict | None = None, **more) -> Live | Absent:
    return await GcpReader(client(Wire(*answers))).observe(subject(kind, {"resourceID": "x", **(spec or {})}, **more))


async def ask(kind, operation: str, *answers) -> tuple[Answer | None, Wire]:
    wire = Wire(*answers)
    return await GcpReader(client(wire)).ask(subject(kind, {"resourceID": "x"}), operation), wire


# ---- a resource -----------------------------------------------------------------------------------------------------------


async def test_a_resource(tmp_path):
    kind = small(tmp_path, TOPIC, {"status": {"state": "state"}}, {"created": "made"})
    body = {"name": "projects/p/topics/x", "kmsKeyName": "k", "labels": {"team": "a", "holdfast-object": "m"}, "state": "ACTIVE", "made": "2026-01-01T01:00:00+01:00", "new": 1}
    live = await look(kind, answer(200, body))
    assert live.spec == {"kmsKeyName": "k", "labels": {"team": "a", "holdfast-object": "m"}, "resourceID": "x"}
    assert (live.status, live.identity, live.place.account) == ({"state": "ACTIVE"}, "projects/p/topics/x", "p")
    assert (live.mark, live.created, live.pending, live.gone, live.failed) == ("m", "2026-01-01T00:00:00Z", "", False, {})
    assert live.raw == body, "as the cloud gave it, for what goes back"


async def test_what_the_name_says_is_as_the_spec_writes_it(tmp_path):
    kind = small(tmp_path, ADDRESS)
    assert (await look(kind, NAMED, spec={"location": "r1"})).spec["location"] == "r1"
    held = {"externalRef": "projects/p/regions/r1/addresses/x"}
    assert (await GcpReader(client(Wire(NAMED))).observe(subject(kind, {}, held))).spec == {"location": "r1", "resourceID": "x"}


@pytest.mark.parametrize(("state", "pending", "leaving"), [pytest.param("CREATING", "CREATING", False, id="not ready"), pytest.param("DELETING", "DELETING", True, id="going"), pytest.param("READY", "", False, id="there")])
async def test_states(tmp_path, state, pending, leaving):
    kind = small(tmp_path, INSTANCE, api={"pending": {"at": "state", "values": ["CREATING"]}, "gone": {"at": "state", "values": ["DELETING"]}})
    live = await look(kind, answer(200, {"name": "x", "state": state}))
    assert (live.pending, live.leaving, live.gone) == (pending, leaving, False)


@pytest.mark.parametrize(("spec", "shown"), [
    pytest.param({"nodeCount": 1}, {"nodeCount": 1}, id="as the spec has it"), pytest.param({"processingUnits": 1000}, {"processingUnits": 1000}, id="in the other unit"),
    pytest.param({"nodeCount": 1, "processingUnits": 1000}, {"nodeCount": 1, "processingUnits": 1000}, id="both, where the spec has both"),
])
async def test_one_quantity_in_two_fields(tmp_path, spec, shown):
    kind = small(tmp_path, INSTANCE, api={"derived": {"processingUnits": ["nodeCount"], "nodeCount": ["processingUnits"]}})
    live = await look(kind, answer(200, {"name": "x", "nodeCount": 1, "processingUnits": 1000}), spec=spec)
    assert {k: v for k, v in live.spec.items() if k in ("nodeCount", "processingUnits")} == shown


async def test_only_the_apis_not_found_is_absence(tmp_path):
    kind = small(tmp_path, TOPIC)
    assert await look(kind, refusal(404, "NOT_FOUND")) == Absent()
    for other in (answer(404, b"<html>"), refusal(403, "PERMISSION_DENIED"), refusal(500, "INTERNAL"), answer(200, b"<html>")):
        with pytest.raises(CloudError):
            await look(kind, other)


@pytest.mark.parametrize("body", [b"", b"{}", {"error": {"code": 500}}, {"name": "projects/p/topics/other"}, {"name": "projects/p/topics/x", "labels": "text"}, {"labels": {"team": "a"}}])
async def test_an_answer_that_is_not_the_resource_is_no_answer(tmp_path, body):
    """Above all it is no resource without fields: that would be filled, and what was there wiped."""
    with pytest.raises(CloudError) as caught:
        await look(small(tmp_path, TOPIC), answer(200, body))
    assert caught.value.code == "HF513"


async def test_a_look_has_its_own_query(tmp_path):
    wire = Wire(NAMED)
    kind = small(tmp_path, TOPIC, api={"get": {"query": {"view": "{project}-full", "no": "{spec.nothing}"}}})
    await GcpReader(client(wire)).observe(subject(kind, {"resourceID": "x"}))
    assert (wire.calls, wire.query) == (["GET v1/projects/p/topics/x"], {"view": "p-full"})


@pytest.mark.parametrize(("spec", "query"), [pytest.param({}, {"a": "1"}, id="not spoken of"), pytest.param({"kmsKeyName": "k"}, {"a": "1", "view": "full"}, id="spoken of")])
async def test_what_is_asked_for_only_where_it_is_spoken_of(tmp_path, spec, query):
    wire = Wire(NAMED)
    kind = small(tmp_path, TOPIC, api={"get": {"query": {"a": "1"}, "when": {"kmsKeyName": {"view": "full"}}}})
    await GcpReader(client(wire)).observe(subject(kind, {"resourceID": "x", **spec}))
    assert wire.query == query


async def test_a_look_is_always_a_read(tmp_path):
    schema = {"model": "pubsub/v1", "schema": {"resource": "Topic"}, "api": {"name": "projects/{project}/topics/{spec.resourceID}", "collection": "projects.topics", "get": {"method": "patch"}}}
    wire = Wire()
    with pytest.raises(CloudError) as caught:
        await GcpReader(client(wire)).observe(subject(small(tmp_path, schema), {"resourceID": "x"}))
    assert (caught.value.code, wire.sent) == ("HF512", [])


# ---- an operation ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("base", "operation", "body", "call"), [
    pytest.param(FIREWALL, LINK, RUNNING, f"GET compute/v1/{LINK}", id="compute, global"),
    pytest.param(ADDRESS, "projects/p/regions/r1/operations/o", {**RUNNING, "status": "PENDING"}, "GET compute/v1/projects/p/regions/r1/operations/o", id="compute, of a region"),
    pytest.param(INSTANCE, "projects/p/instances/x/operations/1", {"name": "o"}, "GET v1/projects/p/instances/x/operations/1", id="long-running"),
    pytest.param(INSTANCE, "projects/p/instances/x/operations/1", {"name": "o", "done": False}, "GET v1/projects/p/instances/x/operations/1", id="long-running, and it says so"),
])
async def test_an_operation_that_runs(tmp_path, base, operation, body, call):
    told, wire = await ask(small(tmp_path, base), operation, answer(200, body))
    assert told is None
    assert wire.calls == [call]


@pytest.mark.parametrize(("base", "operation", "body", "spec"), [
    pytest.param(FIREWALL, LINK, {**RUNNING, "status": "DONE"}, {}, id="compute"),
    pytest.param(INSTANCE, "projects/p/instances/x/operations/1", {"name": "o", "done": True, "response": {"@type": "t", "nodeCount": 2}}, {"nodeCount": 2}, id="with the resource"),
    pytest.param(INSTANCE, "projects/p/instances/x/operations/1", {"name": "o", "done": True, "response": {"@type": "Empty"}}, {}, id="with nothing"),
])
async def test_an_operation_that_has_ended(tmp_path, base, operation, body, spec):
    told, _ = await ask(small(tmp_path, base), operation, answer(200, body))
    assert told.spec == spec


@pytest.mark.parametrize(("base", "operation", "error"), [
    pytest.param(FIREWALL, LINK, {"errors": [{"code": "QUOTA_EXCEEDED", "message": "no room"}]}, id="compute"),
    pytest.param(INSTANCE, "projects/p/instances/x/operations/1", {"code": 8, "message": "no room"}, id="long-running"),
])
async def test_an_operation_that_has_failed(tmp_path, base, operation, error):
    with pytest.raises(CloudError, match="no room") as caught:
        await ask(small(tmp_path, base), operation, answer(200, {**RUNNING, "status": "DONE", "done": True, "error": error}))
    assert caught.value.ended_operation


async def test_an_operation_that_is_forgotten_is_over(tmp_path):
    told, _ = await ask(small(tmp_path, FIREWALL), LINK, refusal(404, "NOT_FOUND"))
    assert told == Answer()


@pytest.mark.parametrize("error", [refusal(403, "PERMISSION_DENIED"), refusal(500, "INTERNAL"), answer(404, b"<html>")], ids=["denied", "away", "a page"])
async def test_a_question_that_fails_says_nothing_of_the_operation(tmp_path, error):
    with pytest.raises(CloudError) as caught:
        await ask(small(tmp_path, FIREWALL), LINK, error)
    assert not caught.value.ended_operation


async def test_an_operation_that_no_method_asks_after(tmp_path):
    with pytest.raises(CloudError) as caught:
        await ask(small(tmp_path, FIREWALL), "somewhere/else", answer())
    assert (caught.value.code, caught.value.sent) == ("HF513", False)
