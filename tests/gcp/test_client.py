"""Calls: where they go, what they carry, whose credentials they use, and what comes of their answers."""

from __future__ import annotations

import json

import pytest
from google.auth import credentials, exceptions

from holdfast.model.errors import CloudError, Retry
from holdfast.providers.gcp.api import Method
from holdfast.providers.gcp.client import GcpClient
from holdfast.providers.wire import Gate
from holdfast.runtime.guard import forbidding_writes
from tests.gcp.wire import LOCAL, Wire, answer, refusal

P = "projects/p"
PATH = {"in": "path", "type": "string"}
GET = Method("pubsub.projects.topics.get", "GET", "v1/{+topic}", {"topic": PATH}, "", "Topic")
PATCH = Method("pubsub.projects.topics.patch", "PATCH", "v1/{+name}", {"name": PATH}, "Topic", "Topic")
ADDRESS = Method("compute.addresses.get", "GET", "compute/v1/projects/{project}/regions/{region}/addresses/{address}", dict.fromkeys(("project", "region", "address"), PATH), "", "Address")
INSTANCE = Method("sql.instances.get", "GET", "v1/projects/{project}/instances/{instance}", dict.fromkeys(("project", "instance"), PATH), "", "DatabaseInstance")
BUCKET = Method("storage.buckets.get", "GET", "storage/v1/b/{bucket}", {"bucket": PATH}, "", "Bucket")


class Credentials(credentials.Credentials):
    """Credentials whose token counts how often it was fetched."""

    def __init__(self, quota: str = "", broken: bool = False) -> None:
        super().__init__()
        self._quota_project_id, self.fetched, self.broken = quota, 0, broken

    def refresh(self, request) -> None:
        if self.broken:
            raise exceptions.RefreshError("the key is gone")
        self.fetched += 1
        self.token = f"token-{self.fetched}"


@pytest.fixture
def mine(monkeypatch):
    """Application default credentials."""
    found = Credentials("billing")
    monkeypatch.setattr("google.auth.default", lambda **_: (found, "p"))
    return found


@pytest.fixture
def nobody(monkeypatch):
    """Whoever asks for credentials here is wrong."""
    def refuse(**_):
        raise AssertionError("credentials were looked for")

    monkeypatch.setattr("google.auth.default", refuse)


async def call(wire: Wire, environment: dict, method: Method = GET, params: dict | None = None, gate: Gate | None = None, host: str = "", **more):
    service = {"sql": "sqladmin"}.get(method.id.partition(".")[0], method.id.partition(".")[0])
    client = GcpClient(wire, gate or Gate(), environment)
    return await client.call(host or f"{service}.googleapis.com", method, params or {"topic": f"{P}/topics/t", "name": f"{P}/topics/t"}, **more)


async def failed(*args, **more) -> CloudError:
    with pytest.raises(CloudError) as caught:
        await call(*args, **more)
    return caught.value


# ---- where they go --------------------------------------------------------------------------------------------------------


REGIONAL = {"project": "p", "region": "r1", "address": "a"}
OVERRIDE = "CLOUDSDK_API_ENDPOINT_OVERRIDES_"


@pytest.mark.parametrize(("environment", "method", "params", "url"), [
    pytest.param({}, GET, None, f"https://pubsub.googleapis.com/v1/{P}/topics/t", id="the service's own"),
    pytest.param(LOCAL, GET, None, f"http://127.0.0.1:9/pubsub.googleapis.com/v1/{P}/topics/t", id="one for all, with the host in the path"),
    pytest.param({"HOLDFAST_GCP_ENDPOINT": "http://localhost:9/"}, GET, None, f"http://localhost:9/pubsub.googleapis.com/v1/{P}/topics/t", id="one for all, with a slash"),
    pytest.param({"HOLDFAST_GCP_ENDPOINT": "http://[::1]:9/below"}, GET, None, f"http://[::1]:9/below/pubsub.googleapis.com/v1/{P}/topics/t", id="one for all, below a path"),
    pytest.param({f"{OVERRIDE}PUBSUB": "https://pubsub.example.com/"}, GET, None, f"https://pubsub.example.com/v1/{P}/topics/t", id="gcloud's for one service"),
    pytest.param({f"{OVERRIDE}PUBSUB": "http://127.0.0.1:8085", **LOCAL}, GET, None, f"http://127.0.0.1:8085/v1/{P}/topics/t", id="gcloud's counts more than one for all"),
    pytest.param({f"{OVERRIDE}PUBSUB": "https://x.example.com/v1/"}, GET, None, f"https://x.example.com/v1/{P}/topics/t", id="gcloud's, which names the version already"),
    pytest.param({f"{OVERRIDE}COMPUTE": "https://x.example.com"}, GET, None, f"https://pubsub.googleapis.com/v1/{P}/topics/t", id="gcloud's for another service"),
    pytest.param({f"{OVERRIDE}COMPUTE": "https://x.example.com/compute/v1/"}, ADDRESS, REGIONAL, f"https://x.example.com/compute/v1/{P}/regions/r1/addresses/a", id="compute/v1 named already"),
    pytest.param({f"{OVERRIDE}COMPUTE": "https://x.example.com/compute/v1"}, ADDRESS, REGIONAL, f"https://x.example.com/compute/v1/{P}/regions/r1/addresses/a", id="compute/v1 named already, no slash"),
    pytest.param({f"{OVERRIDE}COMPUTE": "https://x.example.com/"}, ADDRESS, REGIONAL, f"https://x.example.com/compute/v1/{P}/regions/r1/addresses/a", id="compute/v1 not named"),
    pytest.param({f"{OVERRIDE}COMPUTE": "https://x.example.com/proxy/compute/v1/"}, ADDRESS, REGIONAL, f"https://x.example.com/proxy/compute/v1/{P}/regions/r1/addresses/a", id="below a proxy's path"),
    pytest.param({f"{OVERRIDE}STORAGE": "https://x.example.com/storage/v1/"}, BUCKET, {"bucket": "b"}, "https://x.example.com/storage/v1/b/b", id="storage/v1 named already"),
    pytest.param({f"{OVERRIDE}SQL": "https://x.example.com/"}, INSTANCE, {"project": "p", "instance": "i"}, f"https://x.example.com/v1/{P}/instances/i", id="SQL, as gcloud calls it"),
    pytest.param({f"{OVERRIDE}SQLADMIN": "https://x.example.com/"}, INSTANCE, {"project": "p", "instance": "i"}, f"https://x.example.com/v1/{P}/instances/i", id="SQL, by its host"),
])
async def test_where_a_call_goes(mine, environment, method, params, url):
    wire = Wire()
    await call(wire, environment, method, params)
    assert wire.urls == [url]


@pytest.mark.parametrize("base", ["http://pubsub.example.com", "http://localhost.example.com", "http://127.0.0.1@example.com", "HTTP://example.com", "http://127.0.0.2", "ftp://127.0.0.1", "127.0.0.1:9",
                                  "https://", "nonsense"])
async def test_an_endpoint_that_is_not_safe_is_refused(nobody, base):
    """Plain HTTP stays on this machine."""
    for environment in ({"HOLDFAST_GCP_ENDPOINT": base}, {f"{OVERRIDE}PUBSUB": base}):
        wire = Wire()
        error = await failed(wire, environment)
        assert (error.code, error.sent, wire.sent) == ("HF501", False, [])


@pytest.mark.parametrize(("method", "params", "url"), [
    pytest.param(GET, {"topic": f"{P}/topics/a b%"}, f"v1/{P}/topics/a%20b%25", id="a whole name keeps its slashes"),
    pytest.param(ADDRESS, {"project": "p", "region": "r", "address": "a/b"}, f"compute/v1/{P}/regions/r/addresses/a%2Fb", id="one word does not"),
    pytest.param(ADDRESS, {"project": "example.com:p", "region": "r", "address": "a?b#c"}, "compute/v1/projects/example.com:p/regions/r/addresses/a%3Fb%23c", id="a domain's project"),
    pytest.param(ADDRESS, {"project": "{region}", "region": "r", "address": "a"}, "compute/v1/projects/%7Bregion%7D/regions/r/addresses/a", id="a value that looks like a hole"),
])
async def test_names_in_a_path(method, params, url):
    wire = Wire()
    await call(wire, LOCAL, method, params, host="x.googleapis.com")
    assert wire.urls == [f"http://127.0.0.1:9/x.googleapis.com/{url}"]


# ---- what they carry ------------------------------------------------------------------------------------------------------


async def test_what_a_call_carries():
    wire = Wire()
    await call(wire, LOCAL, PATCH, query={"updateMask": "b,a", "alt": "json"}, body={"b": "é", "a": None}, headers={"If-Match": "e"})
    (sent,) = wire.sent
    assert (sent.method, sent.service, sent.operation) == ("PATCH", "pubsub", PATCH.id)
    assert sent.url.endswith("?alt=json&updateMask=b%2Ca")
    assert json.loads(sent.body) == {"a": None, "b": "é"}
    assert (sent.headers["content-type"], sent.headers["If-Match"], sent.headers["accept"]) == ("application/json", "e", "application/json")
    assert sent.headers["user-agent"].startswith("holdfast/")


@pytest.mark.parametrize(("body", "data"), [pytest.param(None, b"", id="none"), pytest.param({}, b"{}", id="an empty one")])
async def test_a_body(body, data):
    wire = Wire()
    await call(wire, LOCAL, PATCH, body=body)
    assert wire.sent[0].body == data
    assert ("content-type" in wire.sent[0].headers) is bool(data)


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:9", "http://localhost:9", "http://[::1]:9", "https://127.0.0.1:9", "https://localhost"])
async def test_a_fake_on_this_machine_is_told_no_secrets(nobody, endpoint):
    wire = Wire()
    await call(wire, {"HOLDFAST_GCP_ENDPOINT": endpoint, "CLOUDSDK_AUTH_IMPERSONATE_SERVICE_ACCOUNT": "robot@p"})
    assert not {"authorization", "x-goog-user-project"} & {h.lower() for h in wire.sent[0].headers}


# ---- whose credentials ----------------------------------------------------------------------------------------------------


async def test_credentials_and_the_project_that_pays(mine):
    wire = Wire()
    await call(wire, {}, PATCH, body={"a": 1})
    (sent,) = wire.sent
    assert (sent.headers["authorization"], sent.headers["x-goog-user-project"]) == ("Bearer token-1", "billing")
    assert json.loads(sent.body) == {"a": 1}
    assert sent.headers["content-type"] == "application/json"


async def test_credentials_are_found_and_fetched_once(mine, monkeypatch):
    looked = []
    monkeypatch.setattr("google.auth.default", lambda **more: looked.append(more["scopes"]) or (mine, "p"))
    wire = Wire()
    client = GcpClient(wire, Gate(), {})
    for _ in range(3):
        await client.call("pubsub.googleapis.com", GET, {"topic": f"{P}/topics/t"})
    assert looked == [["https://www.googleapis.com/auth/cloud-platform"]]
    assert {s.headers["authorization"] for s in wire.sent} == {"Bearer token-1"}


@pytest.mark.parametrize(("given", "token"), [
    pytest.param("robot@p", "robot@p through []", id="one account"), pytest.param("first@p, second@p ,robot@p", "robot@p through ['first@p', 'second@p']", id="through others"),
])
async def test_acting_as_another_account(mine, monkeypatch, given, token):
    class Acting(Credentials):
        def __init__(self, source, target_principal, delegates, target_scopes, quota_project_id) -> None:
            super().__init__()
            assert (source, target_scopes, quota_project_id) == (mine, ["https://www.googleapis.com/auth/cloud-platform"], mine.quota_project_id)
            self._says = f"{target_principal} through {delegates}"

        def refresh(self, request) -> None:
            self.token = self._says

    monkeypatch.setattr("google.auth.impersonated_credentials.Credentials", Acting)
    wire = Wire()
    await call(wire, {"CLOUDSDK_AUTH_IMPERSONATE_SERVICE_ACCOUNT": given})
    assert wire.sent[0].headers["authorization"] == f"Bearer {token}"


async def test_a_refused_token_is_fetched_anew(mine):
    wire = Wire(refusal(401, "UNAUTHENTICATED"), answer(200, {"name": "t"}))
    assert await call(wire, {}, PATCH, body={"a": 1}) == {"name": "t"}
    assert [(s.headers["authorization"], s.body) for s in wire.sent] == [("Bearer token-1", b'{"a":1}'), ("Bearer token-2", b'{"a":1}')]


async def test_a_token_that_is_refused_for_good_is_said(mine):
    wire = Wire(*[refusal(401, "UNAUTHENTICATED")] * 9)
    error = await failed(wire, {})
    assert (error.code, error.retry) == ("HF501", Retry.SLOWLY)
    assert len(wire.sent) <= 3


async def test_no_credentials(monkeypatch):
    def none(**_):
        raise exceptions.DefaultCredentialsError("nothing found")

    monkeypatch.setattr("google.auth.default", none)
    wire = Wire()
    error = await failed(wire, {})
    assert (error.code, error.retry, error.sent, wire.sent) == ("HF501", Retry.SLOWLY, False, [])
    assert "gcloud auth application-default login" in error.message


async def test_credentials_that_cannot_be_fetched(mine):
    mine.broken = True
    wire = Wire()
    error = await failed(wire, {})
    assert (error.code, error.retry, error.sent, wire.sent) == ("HF501", Retry.SLOWLY, False, [])
    assert "the key is gone" in error.message


# ---- what comes of their answers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 500, 502, 503, 504])
@pytest.mark.parametrize("environment", [pytest.param({}, id="signed"), pytest.param(LOCAL, id="on this machine")])
async def test_nothing_is_tried_twice(mine, environment, status):
    """Pacing is the runtime's."""
    wire = Wire(refusal(status, "UNAVAILABLE"), answer())
    error = await failed(wire, environment, PATCH, body={})
    assert (error.code, error.retry) == ("HF504", Retry.SOON)
    assert len(wire.sent) == 1


@pytest.mark.parametrize("environment", [pytest.param({}, id="signed"), pytest.param(LOCAL, id="on this machine")])
async def test_a_lost_answer_is_passed_on_as_it_is(mine, environment):
    lost = CloudError("HF504", "connection lost", retry=Retry.SOON)
    assert await failed(Wire(lost), environment) is lost


async def test_a_page_is_not_absence(mine):
    error = await failed(Wire(answer(404, b"<html><title>404", content_type="text/html")), {})
    assert (error.code, error.service_code) == ("HF513", "")


async def test_the_apis_own_not_found_is():
    assert (await failed(Wire(refusal(404, "NOT_FOUND")), LOCAL)).service_code == "NOT_FOUND"


@pytest.mark.parametrize(("body", "made"), [pytest.param(b"", {}, id="nothing"), pytest.param(b" \n", {}, id="white space"), pytest.param(b'{"a": 1}', {"a": 1}, id="an object")])
async def test_answers(body, made):
    assert await call(Wire(answer(200, body)), LOCAL) == made


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'"x"', b"{", b"null"])
async def test_an_answer_that_is_no_object(body):
    assert [(e.code, e.retry, e.sent) for e in [await failed(Wire(answer(200, body)), LOCAL, m) for m in (GET, PATCH)]] == [
        ("HF513", Retry.SLOWLY, True), ("HF513", Retry.SOON, True)]


async def test_a_redirect_is_not_followed(mine):
    wire = Wire(answer(302, b"", location="https://elsewhere.example.com"))
    assert (await failed(wire, {})).code == "HF513"
    assert len(wire.sent) == 1


async def test_a_service_that_asks_for_fewer_calls_is_left_alone():
    wire = Wire(refusal(429, "RESOURCE_EXHAUSTED", retry_after="30"))
    client = GcpClient(wire, Gate(), LOCAL)
    with pytest.raises(CloudError) as told:
        await client.call("pubsub.googleapis.com", GET, {"topic": "t"})
    assert (told.value.code, told.value.retry_after) == ("HF503", 30.0)
    with pytest.raises(CloudError) as again:
        await client.call("pubsub.googleapis.com", GET, {"topic": "t"})
    assert (again.value.code, again.value.sent) == ("HF503", False)
    await client.call("spanner.googleapis.com", GET, {"topic": "t"})
    assert len(wire.sent) == 2


# ---- the gate -------------------------------------------------------------------------------------------------------------


async def test_the_gate_refuses_before_anything_is_sent(nobody):
    wire, gate = Wire(), Gate(allows_writes=False)
    error = await failed(wire, {}, PATCH, gate=gate, body={})
    assert (error.code, error.sent, wire.sent, gate.refused) == ("HF512", False, [], [f"pubsub:{PATCH.id}"])


async def test_a_reconcile_that_only_verifies_writes_nothing(nobody):
    wire = Wire()
    with forbidding_writes(True):
        assert (await failed(wire, {}, PATCH, body={})).code == "HF512"
    assert wire.sent == []


async def test_the_gate_counts():
    gate = Gate()
    await call(Wire(), LOCAL, GET, gate=gate)
    await call(Wire(), LOCAL, PATCH, gate=gate, body={})
    assert (gate.reads, gate.writes, gate.refused) == (1, 1, [])
