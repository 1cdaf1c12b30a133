"""Creates, marks and deletions: where the id goes, what goes along, and what an answer says."""

from __future__ import annotations

import pytest

from holdfast.model.errors import CloudError
from tests.gcp.wire import RUNNING, Wire, answer, refusal, seen, subject, writer
from tests.kinds.small import FIREWALL, INSTANCE, REPOSITORY, ROBOT, SECRET, TOPIC, small

TOKEN = "00000000-0000-4000-8000-000000000001"


@pytest.mark.parametrize(("base", "spec", "call", "query", "body"), [
    pytest.param(TOPIC, {}, "PUT v1/projects/p/topics/x", {}, {"kmsKeyName": "k"}, id="in the path"),
    pytest.param(SECRET, {}, "POST v1/projects/p/secrets", {"secretId": "x"}, {"ttl": "5s"}, id="in the query"),
    pytest.param(FIREWALL, {}, "POST compute/v1/projects/p/global/firewalls", {}, {"name": "x", "priority": 5}, id="in the body"),
    pytest.param(INSTANCE, {}, "POST v1/projects/p/instances", {}, {"instanceId": "x", "instance": {"nodeCount": 1}}, id="beside the resource"),
    pytest.param(ROBOT, {}, "POST v1/projects/p/serviceAccounts", {}, {"accountId": "x", "serviceAccount": {"displayName": "d"}}, id="beside the resource, under another name"),
    pytest.param(REPOSITORY, {"location": "eu"}, "POST v1/projects/p/locations/eu/repositories", {"repositoryId": "x"}, {"description": "d"}, id="in the query, below a location"),
])
async def test_where_the_id_goes(tmp_path, base, spec, call, query, body):
    own = {"Topic": {"kmsKeyName": "k"}, "Secret": {"ttl": "5s"}, "Firewall": {"priority": 5}, "Instance": {"nodeCount": 1}, "ServiceAccount": {"displayName": "d"}, "Repository": {"description": "d"}}
    wire = Wire()
    await writer(wire).create(subject(small(tmp_path, base, {"labels": "none"}), {"resourceID": "x", **spec, **own[base["schema"]["resource"]]}))
    assert (wire.calls, wire.query, wire.body) == ([call], query, body)


async def test_a_create_carries_marks_and_labels(tmp_path):
    wire = Wire()
    await writer(wire).create(subject(small(tmp_path, TOPIC), {"resourceID": "x", "labels": {"team": "a"}}, marks={"mark": "m"}))
    assert wire.body == {"labels": {"team": "a", "mark": "m"}}


async def test_a_creates_own_words(tmp_path):
    """`body` and `query` are templates, `start` stands where the spec says nothing of the sort, and the spec counts more than all."""
    own = {"create": {"body": {"config": "c-{project}", "edition": "{spec.nothing}"}, "query": {"q": "{spec.resourceID}", "no": "{spec.nothing}"}, "start": {"nodeCount": 1}}}
    kind = small(tmp_path, INSTANCE, {"labels": "none"}, own, one_of=[["nodeCount", "processingUnits"]])
    for spec, body in (({}, {"config": "c-p", "nodeCount": 1}), ({"config": "mine"}, {"config": "mine", "nodeCount": 1}), ({"nodeCount": 3}, {"config": "c-p", "nodeCount": 3}),
                       ({"processingUnits": 100}, {"config": "c-p", "processingUnits": 100})):
        wire = Wire()
        await writer(wire).create(subject(kind, {"resourceID": "x", **spec}))
        assert (wire.query, wire.body["instance"]) == ({"q": "x"}, body)


async def test_what_a_create_leaves_to_the_next_update(tmp_path):
    kind = small(tmp_path, TOPIC, {"labels": "none"}, {"create": {"later": {"schemaSettings.encoding": ["kmsKeyName"]}}})
    wire = Wire(answer(200, {"name": "projects/p/topics/x", "schemaSettings": {"schema": "s", "encoding": "JSON"}, "kmsKeyName": "k"}))
    told = await writer(wire).create(subject(kind, {"resourceID": "x", "kmsKeyName": "k", "schemaSettings": {"schema": "s", "encoding": "BINARY"}}))
    assert wire.body == {"kmsKeyName": "k", "schemaSettings": {"schema": "s"}}
    assert "schemaSettings" not in told.spec, "what the service has there instead is not its word on ours"
    assert "schemaSettings" not in told.written


async def test_a_create_by_a_method_of_another_resource(tmp_path):
    sql = {"model": "sqladmin/v1", "schema": {"resource": "DatabaseInstance", "keep": ["region"], "add": {"source": "string", "names": "text"}},
           "api": {"name": "projects/{project}/instances/{spec.resourceID}", "collection": "instances", "operations": ["operations"],
                   "create": {"instead": {"when": "source", "method": "clone", "of": "projects/{project}/instances/{spec.source:last}",
                                          "body": {"cloneContext": {"destinationInstanceName": "{spec.resourceID}", "databaseNames": "{spec.names}", "pointInTime": "{spec.time}"}}}}}}
    wire = Wire()
    await writer(wire).create(subject(small(tmp_path, sql), {"resourceID": "x", "source": "projects/p/instances/s", "names": ["a"]}))
    assert wire.calls == ["POST v1/projects/p/instances/s/clone"]
    assert wire.body == {"cloneContext": {"destinationInstanceName": "x", "databaseNames": ["a"]}}


@pytest.mark.parametrize("text", ["999999999999999s", "9" * 400 + "s", "s", ".s", "١s"], ids=["a long time", "a longer one", "a letter", "a point", "another script"])
async def test_text_that_looks_like_a_time_is_the_services_to_refuse(tmp_path, text):
    wire = Wire()
    await writer(wire).create(subject(small(tmp_path, TOPIC, {"labels": "none"}), {"resourceID": "x", "messageRetentionDuration": text}))
    assert wire.body == {"messageRetentionDuration": text}


@pytest.mark.parametrize(("status", "word", "refused"), [
    pytest.param(400, "INVALID_ARGUMENT", True, id="a definite no"), pytest.param(409, "ALREADY_EXISTS", True, id="somebody was faster"), pytest.param(503, "UNAVAILABLE", False, id="no answer"),
])
async def test_only_a_definite_no_means_that_nothing_was_made(tmp_path, status, word, refused):
    with pytest.raises(CloudError) as caught:
        await writer(Wire(refusal(status, word))).create(subject(small(tmp_path, TOPIC), {"resourceID": "x"}))
    assert caught.value.is_refused_create is refused


@pytest.mark.parametrize(("token", "query"), [pytest.param(TOKEN, {"requestId": TOKEN}, id="with a token"), pytest.param("", {}, id="without one")])
async def test_a_request_id_where_the_method_takes_one(tmp_path, token, query):
    kind = small(tmp_path, FIREWALL)
    wire = Wire()
    await writer(wire).create(subject(kind, {"resourceID": "x"}, token=token))
    assert wire.query == query
    topic = Wire()
    await writer(topic).create(subject(small(tmp_path, TOPIC), {"resourceID": "x"}, token=token))
    assert topic.query == {}


# ---- answers --------------------------------------------------------------------------------------------------------------


async def test_an_answer_says_only_what_it_carried(tmp_path):
    wire = Wire(answer(200, {"name": "projects/p/topics/x", "kmsKeyName": "K"}))
    told = await writer(wire).create(subject(small(tmp_path, TOPIC, {"status": {"link": "name"}}), {"resourceID": "x", "kmsKeyName": "k", "messageRetentionDuration": "5s"}))
    assert (told.spec, told.status, told.identity, told.operation) == ({"kmsKeyName": "K"}, {"link": "projects/p/topics/x"}, "projects/p/topics/x", "")


@pytest.mark.parametrize(("base", "body", "operation"), [
    pytest.param(FIREWALL, RUNNING, "projects/p/global/operations/operation-1", id="by its link, where its name is short"),
    pytest.param(INSTANCE, {"name": "projects/p/instances/x/operations/1"}, "projects/p/instances/x/operations/1", id="by its own name"),
    pytest.param(FIREWALL, {**RUNNING, "status": "DONE"}, "", id="none, where it has ended at once"),
    pytest.param(INSTANCE, {"name": "o", "done": True, "response": {"@type": "t", "nodeCount": 2}}, "", id="none, where it has ended with an answer"),
])
async def test_an_operation_is_asked_after_by_its_whole_name(tmp_path, base, body, operation):
    told = await writer(Wire(answer(200, body))).create(subject(small(tmp_path, base), {"resourceID": "x"}))
    assert told.operation == operation
    assert told.spec == ({"nodeCount": 2} if "response" in body else {})


async def test_an_operation_that_failed_at_once(tmp_path):
    with pytest.raises(CloudError) as caught:
        await writer(Wire(answer(200, {"name": "o", "done": True, "error": {"code": 9, "message": "no"}}))).create(subject(small(tmp_path, INSTANCE), {"resourceID": "x"}))
    assert caught.value.ended_operation


# ---- marks and deletion ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("labels", "calls"), [
    pytest.param({"theirs": "1"}, 1, id="missing"), pytest.param({"theirs": "1", "mark": "other"}, 1, id="another's"), pytest.param({"mark": "m"}, 0, id="there already"),
])
async def test_marks(tmp_path, labels, calls):
    who, wire = subject(small(tmp_path, TOPIC), {"resourceID": "x"}, marks={"mark": "m"}), Wire()
    await writer(wire).mark(who, seen(who, {"labels": labels}))
    assert len(wire.sent) == calls
    if calls:
        assert wire.body == {"topic": {"labels": {**labels, "mark": "m"}}, "updateMask": "labels"}


async def test_a_kind_without_labels_is_left_unmarked(tmp_path):
    who, wire = subject(small(tmp_path, FIREWALL), {"resourceID": "x"}, marks={"mark": "m"}), Wire()
    await writer(wire).mark(who, seen(who, {"priority": 5}))
    assert wire.sent == []


@pytest.mark.parametrize(("base", "told", "operation"), [
    pytest.param(TOPIC, answer(), "", id="at once"), pytest.param(FIREWALL, answer(200, RUNNING), "projects/p/global/operations/operation-1", id="by an operation"),
    pytest.param(TOPIC, refusal(404, "NOT_FOUND"), "", id="gone already"),
])
async def test_deletion(tmp_path, base, told, operation):
    kind, wire = small(tmp_path, base, api={"delete": {"query": {"p": "{project}"}}}), Wire(told)
    who = subject(kind, {"resourceID": "x"})
    assert (await writer(wire).delete(who, seen(who, {}))).operation == operation
    assert wire.calls[0].startswith("DELETE ")
    assert (wire.query, wire.body) == ({"p": "p"}, None)


async def test_a_page_is_no_deletion(tmp_path):
    who = subject(small(tmp_path, TOPIC), {"resourceID": "x"})
    with pytest.raises(CloudError):
        await writer(Wire(answer(404, b"<html>"))).delete(who, seen(who, {}))
