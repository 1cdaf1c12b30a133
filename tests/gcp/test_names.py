"""Which resource is meant: by spec, by status, by an identifier; and how its name leads to a method's path."""

from __future__ import annotations

import pytest

from holdfast.kinds.catalog import shipped
from holdfast.model.directives import Directives
from holdfast.model.errors import CloudError, InputError
from holdfast.model.facts import Place
from holdfast.providers.gcp.api import api_of
from holdfast.providers.gcp.cloud import GcpCloud
from holdfast.providers.gcp.names import context_of, name_of, params_of
from holdfast.providers.gcp.reader import GcpReader
from tests.gcp.wire import Wire, answer, client, subject
from tests.world import TestClock


def kind(service: str, name: str):
    return shipped().need(f"{service}.cnrm.cloud.google.com", name)


TOPIC, SCHEMA, PROXY, KEY = kind("pubsub", "PubSubTopic"), kind("pubsub", "PubSubSchema"), kind("compute", "ComputeTargetTCPProxy"), kind("kms", "KMSCryptoKey")
ACCOUNT, BUCKET, METRIC, TABLE = kind("iam", "IAMServiceAccount"), kind("storage", "StorageBucket"), kind("logging", "LoggingLogMetric"), kind("bigquery", "BigQueryTable")
RING = "projects/keys/locations/eu/keyRings/r"
ROBOT = "projects/p/serviceAccounts/robot@p.iam.gserviceaccount.com"


def meant(what, spec: dict, held: str = "", project: str = "p") -> str:
    return name_of(subject(what, spec, {"externalRef": held} if held else {}, project=project), api_of(what))


# ---- the name -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("what", "spec", "name"), [
    pytest.param(TOPIC, {"resourceID": "t"}, "projects/p/topics/t", id="in its project"), pytest.param(ACCOUNT, {"resourceID": "robot"}, ROBOT, id="the project twice"),
    pytest.param(KEY, {"keyRingRef": {"external": RING}, "resourceID": "k"}, f"{RING}/cryptoKeys/k", id="below its parent, which may be in another project"),
    pytest.param(PROXY, {"resourceID": "x"}, "projects/p/global/targetTcpProxies/x", id="a location that has a default"),
    pytest.param(PROXY, {"location": "r1", "resourceID": "x"}, "projects/p/regions/r1/targetTcpProxies/x", id="a region"),
    pytest.param(BUCKET, {"resourceID": "b"}, "b", id="no project at all"),
])
def test_by_the_spec(what, spec, name):
    assert meant(what, spec) == name


@pytest.mark.parametrize(("what", "spec", "held"), [
    pytest.param(TOPIC, {"resourceID": "t"}, "projects/p/topics/t", id="as the spec has it"), pytest.param(TOPIC, {"resourceID": "t"}, "projects/123/topics/t", id="by the project's number"),
    pytest.param(KEY, {"resourceID": "k"}, f"{RING}/cryptoKeys/k", id="while its reference is not looked up"), pytest.param(TOPIC, {}, "projects/p/topics/t", id="where the spec says nothing"),
])
def test_by_what_is_held(what, spec, held):
    assert meant(what, spec, held) == held


@pytest.mark.parametrize("held", ["//pubsub.googleapis.com/projects/p/topics/t", "https://pubsub.googleapis.com/v1/projects/p/topics/t"])
def test_what_upstream_wrote_in_other_words_is_the_same(held):
    assert meant(TOPIC, {"resourceID": "t"}, held) == "projects/p/topics/t"


@pytest.mark.parametrize(("what", "spec", "held", "project", "where", "said"), [
    pytest.param(TOPIC, {"resourceID": "u"}, "projects/p/topics/t", "p", "spec.resourceID", "resourceID: wanted 'u', held 't'", id="another resourceID"),
    pytest.param(PROXY, {"location": "r2", "resourceID": "x"}, "projects/p/regions/r1/targetTcpProxies/x", "p", "spec.location", "location: wanted 'r2', held 'r1'", id="another region"),
    pytest.param(KEY, {"keyRingRef": {"external": RING.replace("eu", "us")}, "resourceID": "k"}, f"{RING}/cryptoKeys/k", "p", "spec.keyRingRef", "keyRingRef", id="another parent"),
    pytest.param(TOPIC, {"resourceID": "t"}, "projects/p/topics/t", "q", "cnrm.cloud.google.com/project-id", "project: wanted 'q', held 'p'", id="another project"),
    pytest.param(SCHEMA, {"resourceID": "t"}, "projects/p/schemas/t", "q", "spec.projectRef", "project: wanted 'q', held 'p'", id="another project, of a kind that names it"),
    pytest.param(BUCKET, {"resourceID": "c"}, "b", "p", "spec.resourceID", "resourceID: wanted 'c', held 'b'", id="another bucket"),
])
def test_what_names_a_resource_cannot_be_changed(what, spec, held, project, where, said):
    with pytest.raises(InputError) as caught:
        meant(what, spec, held, project)
    assert (caught.value.code, caught.value.where) == ("HF108", where)
    assert said in caught.value.message


def test_too_little_to_name_it():
    with pytest.raises(CloudError) as caught:
        meant(KEY, {"resourceID": "k"})
    assert (caught.value.code, caught.value.sent) == ("HF513", False)
    assert "keyRingRef, resourceID" in caught.value.message


def test_what_templates_are_filled_from():
    who = subject(KEY, {"resourceID": "k", "importOnly": True}, token="t")
    made = context_of(who, f"{RING}/cryptoKeys/k")
    assert (made["project"], made["token"]) == ("keys", "t")
    assert made["spec"] == {"keyRingRef": RING, "resourceID": "k", "importOnly": "true"}
    assert context_of(who)["project"] == "p"
    assert context_of(subject(KEY, {"purpose": "x"}))["spec"] == {"purpose": "x"}


# ---- by an identifier -----------------------------------------------------------------------------------------------------


def identified(what, value: str, sort: str = "name"):
    return GcpCloud(client(Wire()), TestClock()).identify(what, Place(), sort, value)


PROJECT_ID = "cnrm.cloud.google.com/project-id"


@pytest.mark.parametrize(("what", "value", "spec", "held", "notes"), [
    pytest.param(TOPIC, "//pubsub.googleapis.com/projects/shop/topics/t", {"resourceID": "t"}, "projects/shop/topics/t", {PROJECT_ID: "shop"}, id="a topic, with the service in front"),
    pytest.param(SCHEMA, "projects/shop/schemas/s", {"resourceID": "s", "projectRef": {"external": "shop"}}, "projects/shop/schemas/s", {}, id="a kind that names its project"),
    pytest.param(KEY, f"{RING}/cryptoKeys/k", {"keyRingRef": {"external": RING}, "resourceID": "k"}, f"{RING}/cryptoKeys/k", {}, id="a key, by its ring"),
    pytest.param(PROXY, "https://www.googleapis.com/compute/v1/projects/p/regions/r1/targetTcpProxies/x", {"location": "r1", "resourceID": "x"},
                 "projects/p/regions/r1/targetTcpProxies/x", {PROJECT_ID: "p"}, id="a link"),
    pytest.param(BUCKET, "b", {"resourceID": "b"}, "b", {}, id="a bucket"),
    pytest.param(ACCOUNT, ROBOT, {"resourceID": "robot"}, ROBOT, {PROJECT_ID: "p"}, id="an account"),
])
def test_an_identifier_gives_spec_status_and_project(what, value, spec, held, notes):
    found = identified(what, value)
    assert (found.spec, found.status, found.annotations) == (spec, {"externalRef": held}, notes)


@pytest.mark.parametrize(("what", "value", "sort", "word"), [
    pytest.param(TOPIC, "t", "name", "projects/{project}/topics/{resourceID}", id="a bare id"), pytest.param(TOPIC, "projects/p/schemas/t", "name", "topics", id="another kind's"),
    pytest.param(TOPIC, "arn:aws:sqs:::q", "arn", "name", id="a sort that there is not"), pytest.param(TOPIC, "", "name", "topics", id="nothing"),
])
def test_an_identifier_that_names_nothing(what, value, sort, word):
    with pytest.raises(InputError, match=word.replace("{", r"\{")) as caught:
        identified(what, value, sort)
    assert caught.value.code == "HF304"


@pytest.mark.parametrize(("account", "spec", "project"), [
    pytest.param("shop", {}, "shop", id="the annotation's or the namespace's"), pytest.param("shop", {"projectRef": {"external": "own"}}, "own", id="the spec's counts more"),
    pytest.param("shop", {"projectRef": {"external": "projects/own"}}, "own", id="with its collection"),
    pytest.param("shop", {"projectRef": {"external": "//cloudresourcemanager.googleapis.com/projects/own"}}, "own", id="with the service in front"),
    pytest.param("", {}, "", id="none"),
])
async def test_the_project(account, spec, project):
    place = await GcpCloud(client(Wire()), TestClock()).locate(SCHEMA, Directives(account=account), spec, Place())
    assert (place.account, place.words) == (project, f"in project {project}" if project else "")


# ---- paths ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("what", "verb", "name", "params"), [
    pytest.param(TOPIC, "get", "projects/p/topics/t", {"topic": "projects/p/topics/t"}, id="a whole name"),
    pytest.param(SCHEMA, "create", "projects/p/schemas/s", {"parent": "projects/p"}, id="the parent, for a create"),
    pytest.param(SCHEMA, "commit", "projects/p/schemas/s", {"name": "projects/p/schemas/s"}, id="a method of its own"),
    pytest.param(PROXY, "setBackendService", "projects/p/global/targetTcpProxies/x", {"project": "p", "targetTcpProxy": "x"}, id="word by word, with a verb behind"),
    pytest.param(PROXY, "get", "projects/p/regions/r1/targetTcpProxies/x", {"project": "p", "region": "r1", "targetTcpProxy": "x"}, id="of a region"),
    pytest.param(PROXY, "insert", "projects/p/regions/r1/targetTcpProxies/x", {"project": "p", "region": "r1"}, id="the collection, for an insert"),
    pytest.param(ACCOUNT, "disable", ROBOT, {"name": ROBOT}, id="an address in a name"),
    pytest.param(BUCKET, "get", "b", {"bucket": "b"}, id="as the kind file says"), pytest.param(BUCKET, "insert", "b", {}, id="no parameter at all"),
    pytest.param(TABLE, "get", "projects/p/datasets/d/tables/t", {"projectId": "p", "datasetId": "d", "tableId": "t"}, id="an older API"),
])
def test_the_parameters_of_a_path(what, verb, name, params):
    api = api_of(what)
    method = api.need(name, verb)
    assert params_of(api, method, name, {"project": "p", "spec": {"resourceID": name.rpartition("/")[2]}}, verb) == params


def test_a_method_whose_path_does_not_fit():
    api = api_of(TOPIC)
    with pytest.raises(InputError) as caught:
        params_of(api, api.need("projects/p/topics/t", "get"), "projects/p/schemas/t", {})
    assert caught.value.code == "HF701"


@pytest.mark.parametrize(("name", "where"), [
    pytest.param("projects/p/global/targetTcpProxies/x", "compute.targetTcpProxies.get", id="global"), pytest.param("projects/p/regions/r/targetTcpProxies/x", "compute.regionTargetTcpProxies.get", id="of a region"),
    pytest.param("projects/p/regions/r/targetTcpProxies/global", "compute.regionTargetTcpProxies.get", id="of a region, and called global"),
    pytest.param("projects/global/regions/r/targetTcpProxies/x", "compute.regionTargetTcpProxies.get", id="of a project called global"),
])
def test_the_collection_follows_from_the_name(name, where):
    assert api_of(PROXY).need(name, "get").id == where


@pytest.mark.parametrize("what", [pytest.param(k, id=k.name) for k in shipped().all() if k.provider == "gcp"])
def test_every_kinds_name_leads_to_its_methods(what):
    """Get, create and delete, and every method that is named in the kind file, take the parameters that a name gives."""
    api = api_of(what)
    words = {"location": "global" if ":scope}" in api.name else "eu", "region": "eu", "resourceID": "my-thing", "datasetRef": {"external": "projects/p/datasets/d"}, "keyRingRef": {"external": RING}}
    who = subject(what, {k: v for k, v in words.items() if k in what.spec_schema["properties"]})
    name = name_of(who, api)
    actions = [v for a in api.actions for v in (a.method.values() if isinstance(a.method, dict) else [a.method])]
    verbs = ["get", api.create.method or ("create" if api.method(name, "create") else "insert"), *([] if what.cannot_delete else ["delete"]), *actions]
    for verb in verbs:
        method = api.need(name, verb)
        params = params_of(api, method, name, context_of(who, name), verb)
        assert set(params) == {n for n, p in method.params.items() if p["in"] == "path"}, method.id
        assert all(params.values()), method.id


@pytest.mark.parametrize(("what", "spec", "verb"), [
    *(pytest.param(TOPIC, {"resourceID": "victim/x"}, verb, id=f"a topic: {verb}") for verb in ("get", "patch", "delete")),
    pytest.param(KEY, {"keyRingRef": {"external": RING}, "resourceID": "victim/x"}, "patch", id="a key"), pytest.param(SCHEMA, {"resourceID": "victim/x"}, "commit", id="a method of its own"),
    pytest.param(PROXY, {"resourceID": "victim/x"}, "setBackendService", id="word by word"),
])
def test_an_id_with_a_slash_never_leads_to_another_resource(what, spec, verb):
    """`projects/p/topics/victim/x` is no topic, and above all not the topic `victim`."""
    who, api = subject(what, spec), api_of(what)
    with pytest.raises(InputError):
        params_of(api, api.need("projects/p/global/x", verb), name_of(who, api), context_of(who), verb)


async def test_a_metrics_id_may_have_slashes():
    """As the service documents it: `nginx/requests`, which stands as one word in a path."""
    wire = Wire(answer(200, {"name": "nginx/requests", "filter": "x"}))
    await GcpReader(client(wire)).observe(subject(METRIC, {"resourceID": "nginx/requests", "filter": "x"}))
    assert wire.calls == ["GET v2/projects/p/metrics/nginx%2Frequests"]
