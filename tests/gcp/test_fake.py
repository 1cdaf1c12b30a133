"""The fake Google Cloud keeps the rules of each service, and misbehaves when told to."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest

from holdfast.providers.fake import serve
from holdfast.providers.gcp.fake import FakeGcp, GcpFault, project_number
from holdfast.providers.gcp.fake.spec import resources

P = "projects/proj"
L = f"{P}/locations/us-central1"
PUBSUB, STORAGE, SPANNER = "pubsub.googleapis.com/v1", "storage.googleapis.com/storage/v1", "spanner.googleapis.com/v1"
COMPUTE, IAM, BIGQUERY = "compute.googleapis.com/compute/v1", "iam.googleapis.com/v1", "bigquery.googleapis.com/bigquery/v2"
SECRETS, KMS, SQL = "secretmanager.googleapis.com/v1", "cloudkms.googleapis.com/v1", "sqladmin.googleapis.com/v1"
REGISTRY, LOGGING, DNS, RUN = "artifactregistry.googleapis.com/v1", "logging.googleapis.com/v2", "dns.googleapis.com/dns/v1", "run.googleapis.com/v2"
BUILD, SOURCES = "cloudbuild.googleapis.com/v1", "securesourcemanager.googleapis.com/v1"
NET = f"{COMPUTE}/{P}/global/networks"
SUB = f"{COMPUTE}/{P}/regions/us-west1/subnetworks"
ACCOUNT = "robot-1@proj.iam.gserviceaccount.com"
INSTANCE = {"config": f"{P}/instanceConfigs/regional-us-west1", "displayName": "An instance"}
JOB = {"template": {"template": {"containers": [{"image": "gcr.io/x/y"}]}}}
BACKEND = {"name": "bs-1", "protocol": "TCP", "healthChecks": [f"{P}/global/healthChecks/hc-1"]}


class Gcp:
    """A fake with a clock that stands still, and short words for requests."""

    def __init__(self):
        self.at = 1_700_000_000.5
        self.cloud = FakeGcp(now=lambda: self.at)

    def raw(self, method, url, body=None, **headers):
        given = {k.replace("_", "-"): v for k, v in headers.items()}
        return self.cloud.handle(method, f"https://{url}", given, b"" if body is None else json.dumps(body).encode())

    def ask(self, method, url, body=None, **headers):
        answer = self.raw(method, url, body, **headers)
        return answer.status, json.loads(answer.body) if answer.body else None

    def ok(self, method, url, body=None, **headers):
        status, given = self.ask(method, url, body, **headers)
        assert status in (200, 204), given
        return given

    def no(self, method, url, body=None, **headers):
        """The error of a request that is refused."""
        status, given = self.ask(method, url, body, **headers)
        assert status == given["error"]["code"] >= 400, given
        return given["error"]

    def poll(self, url, operation):
        """The operation once more."""
        name = urlsplit(operation["selfLink"]).path.split("/", 3)[3] if "selfLink" in operation else operation["name"]
        return self.ok("GET", f"{url}/{name}")


@pytest.fixture
def gcp():
    return Gcp()


@pytest.fixture
def network(gcp):
    gcp.ok("POST", NET, {"name": "net-1", "autoCreateSubnetworks": False})
    return f"{P}/global/networks/net-1"


@pytest.fixture
def proxy(gcp):
    gcp.ok("POST", f"{COMPUTE}/{P}/global/healthChecks", {"name": "hc-1", "type": "TCP"})
    gcp.ok("POST", f"{COMPUTE}/{P}/global/backendServices", BACKEND)
    gcp.ok("POST", f"{COMPUTE}/{P}/global/targetTcpProxies", {"name": "proxy-1", "service": f"{P}/global/backendServices/bs-1"})
    return f"{COMPUTE}/{P}/global/targetTcpProxies/proxy-1"


# collection: (how it is made, where it then is, what it needs first)
ROWS = {
    "pubsub.projects.topics": ("PUT", f"{PUBSUB}/{P}/topics/top", {}, f"{PUBSUB}/{P}/topics/top", ()),
    "pubsub.projects.schemas": ("POST", f"{PUBSUB}/{P}/schemas?schemaId=sch", {"type": "AVRO", "definition": "{}"}, f"{PUBSUB}/{P}/schemas/sch", ()),
    "pubsub.projects.subscriptions": ("PUT", f"{PUBSUB}/{P}/subscriptions/sub", {"topic": f"{P}/topics/top"}, f"{PUBSUB}/{P}/subscriptions/sub",
                                      ("pubsub.projects.topics",)),
    "storage.buckets": ("POST", f"{STORAGE}/b?project=proj", {"name": "bucket-1"}, f"{STORAGE}/b/bucket-1", ()),
    "spanner.projects.instances": ("POST", f"{SPANNER}/{P}/instances", {"instanceId": "inst-1", "instance": INSTANCE}, f"{SPANNER}/{P}/instances/inst-1", ()),
    "cloudbuild.projects.locations.workerPools": ("POST", f"{BUILD}/{L}/workerPools?workerPoolId=pool", {}, f"{BUILD}/{L}/workerPools/pool", ()),
    "securesourcemanager.projects.locations.instances": ("POST", f"{SOURCES}/{L}/instances?instanceId=src", {}, f"{SOURCES}/{L}/instances/src", ()),
    "compute.networks": ("POST", NET, {"name": "net-1"}, f"{NET}/net-1", ()),
    "compute.subnetworks": ("POST", SUB, {"name": "sub-1", "network": f"{P}/global/networks/net-1", "ipCidrRange": "10.0.0.0/24"},
                            f"{SUB}/sub-1", ("compute.networks",)),
    "compute.firewalls": ("POST", f"{COMPUTE}/{P}/global/firewalls", {"name": "fw-1", "network": "global/networks/net-1", "allowed": [{"IPProtocol": "tcp"}]},
                          f"{COMPUTE}/{P}/global/firewalls/fw-1", ("compute.networks",)),
    "compute.addresses": ("POST", f"{COMPUTE}/{P}/regions/us-west1/addresses", {"name": "a-1"}, f"{COMPUTE}/{P}/regions/us-west1/addresses/a-1", ()),
    "compute.globalAddresses": ("POST", f"{COMPUTE}/{P}/global/addresses", {"name": "ga-1"}, f"{COMPUTE}/{P}/global/addresses/ga-1", ()),
    "compute.healthChecks": ("POST", f"{COMPUTE}/{P}/global/healthChecks", {"name": "hc-1", "type": "HTTP"}, f"{COMPUTE}/{P}/global/healthChecks/hc-1", ()),
    "compute.regionHealthChecks": ("POST", f"{COMPUTE}/{P}/regions/r1/healthChecks", {"name": "hc-1", "type": "TCP"},
                                   f"{COMPUTE}/{P}/regions/r1/healthChecks/hc-1", ()),
    "compute.backendServices": ("POST", f"{COMPUTE}/{P}/global/backendServices", BACKEND,
                                f"{COMPUTE}/{P}/global/backendServices/bs-1", ("compute.healthChecks",)),
    "compute.regionBackendServices": ("POST", f"{COMPUTE}/{P}/regions/r1/backendServices", {"name": "rbs-1"},
                                      f"{COMPUTE}/{P}/regions/r1/backendServices/rbs-1", ()),
    "compute.targetTcpProxies": ("POST", f"{COMPUTE}/{P}/global/targetTcpProxies", {"name": "tp-1", "service": "global/backendServices/bs-1"},
                                 f"{COMPUTE}/{P}/global/targetTcpProxies/tp-1", ("compute.backendServices",)),
    "compute.regionTargetTcpProxies": ("POST", f"{COMPUTE}/{P}/regions/r1/targetTcpProxies", {"name": "tp-1", "service": "regions/r1/backendServices/rbs-1"},
                                       f"{COMPUTE}/{P}/regions/r1/targetTcpProxies/tp-1", ("compute.regionBackendServices",)),
    "iam.projects.serviceAccounts": ("POST", f"{IAM}/{P}/serviceAccounts", {"accountId": "robot-1"}, f"{IAM}/{P}/serviceAccounts/{ACCOUNT}", ()),
    "bigquery.datasets": ("POST", f"{BIGQUERY}/{P}/datasets", {"datasetReference": {"datasetId": "ds"}}, f"{BIGQUERY}/{P}/datasets/ds", ()),
    "bigquery.tables": ("POST", f"{BIGQUERY}/{P}/datasets/ds/tables", {"tableReference": {"tableId": "t"}},
                        f"{BIGQUERY}/{P}/datasets/ds/tables/t", ("bigquery.datasets",)),
    "secretmanager.projects.secrets": ("POST", f"{SECRETS}/{P}/secrets?secretId=sec", {"replication": {"automatic": {}}}, f"{SECRETS}/{P}/secrets/sec", ()),
    "cloudkms.projects.locations.keyRings": ("POST", f"{KMS}/{L}/keyRings?keyRingId=ring", {}, f"{KMS}/{L}/keyRings/ring", ()),
    "cloudkms.projects.locations.keyRings.cryptoKeys": ("POST", f"{KMS}/{L}/keyRings/ring/cryptoKeys?cryptoKeyId=key", {"purpose": "ENCRYPT_DECRYPT"},
                                                        f"{KMS}/{L}/keyRings/ring/cryptoKeys/key", ("cloudkms.projects.locations.keyRings",)),
    "sql.instances": ("POST", f"{SQL}/{P}/instances", {"name": "db-1", "settings": {"tier": "db-f1-micro"}}, f"{SQL}/{P}/instances/db-1", ()),
    "artifactregistry.projects.locations.repositories": ("POST", f"{REGISTRY}/{L}/repositories?repositoryId=repo", {"format": "DOCKER"},
                                                         f"{REGISTRY}/{L}/repositories/repo", ()),
    "logging.projects.metrics": ("POST", f"{LOGGING}/{P}/metrics", {"name": "errors/all", "filter": "severity>=ERROR"},
                                 f"{LOGGING}/{P}/metrics/errors%2Fall", ()),
    "dns.managedZones": ("POST", f"{DNS}/{P}/managedZones", {"name": "zone-1", "dnsName": "example.com.", "description": ""},
                         f"{DNS}/{P}/managedZones/zone-1", ()),
    "run.projects.locations.jobs": ("POST", f"{RUN}/{L}/jobs?jobId=job-1", JOB, f"{RUN}/{L}/jobs/job-1", ()),
}
NO_DELETE = {"cloudkms.projects.locations.keyRings", "cloudkms.projects.locations.keyRings.cryptoKeys"}


def make(gcp, collection):
    method, url, body, _, needs = ROWS[collection]
    for need in needs:
        make(gcp, need)
    return gcp.ok(method, url, body)


def parent_of(collection):
    method, url, _, at, _ = ROWS[collection]
    return (at.rpartition("/")[0] if method == "PUT" else url.partition("?")[0]) + ("?project=proj" if collection == "storage.buckets" else "")


def test_every_collection_has_a_row():
    assert set(ROWS) == set(resources())


@pytest.mark.parametrize("collection", ROWS)
class TestEveryCollection:
    def test_comes_is_read_is_listed_and_goes(self, gcp, collection):
        *_, at, needs = ROWS[collection]
        if not needs:
            assert gcp.no("GET", at)["code"] == 404
        make(gcp, collection)
        read = gcp.ok("GET", at)
        listed = [v for v in gcp.ok("GET", parent_of(collection)).values() if isinstance(v, list)]
        assert len(listed) == 1
        assert [i for i in listed[0] if i.items() <= read.items()]
        if collection not in NO_DELETE:
            gcp.ok("DELETE", at)
            assert gcp.no("GET", at)["code"] == 404
            assert gcp.no("DELETE", at)["code"] == 404

    def test_comes_only_once(self, gcp, collection):
        make(gcp, collection)
        method, url, body, *_ = ROWS[collection]
        error = gcp.no(method, url, body)
        assert error["code"] == 409
        assert ("status" in error) == (resources()[collection].service.errors != "old")
        assert ("errors" in error) == (resources()[collection].service.errors != "esf")

    def test_refuses_fields_that_it_does_not_have(self, gcp, collection):
        method, url, body, *_ = ROWS[collection]
        error = gcp.no(method, url, {**body, "colour": "red"})
        assert error["code"] == 400
        assert 'Invalid JSON payload received. Unknown name "colour"' in error["message"]

    def test_refuses_parameters_that_it_does_not_have(self, gcp, collection):
        *_, at, _ = ROWS[collection]
        assert "Cannot bind query parameter" in gcp.no("GET", f"{at}?colour=red")["message"]
        assert gcp.no("GET", f"{at}?alt=json&prettyPrint=false&key=k&quotaUser=u&%24alt=json")["code"] == 404

    def test_is_the_same_from_the_same_seed(self, gcp, collection):
        other = Gcp()
        make(gcp, collection)
        make(other, collection)
        assert gcp.ok("GET", ROWS[collection][3]) == other.ok("GET", ROWS[collection][3])

    def test_can_be_put_edited_and_removed_by_hand(self, gcp, collection):
        make(gcp, collection)
        host, last = resources()[collection].service.host, ROWS[collection][3].rpartition("/")[2]
        name = next(n for n in gcp.cloud.names() if n.startswith(host) and n.endswith(f"/{last}"))
        before = gcp.cloud.get(name)
        log = list(gcp.cloud.log)
        gcp.cloud.remove(name)
        assert gcp.cloud.get(name) is None
        gcp.cloud.put(name, before)
        assert gcp.cloud.get(name).keys() >= before.keys()
        if "labels" in resources()[collection].fields:
            gcp.cloud.edit(name, {"labels.by": "hand"})
            assert gcp.cloud.get(name)["labels"]["by"] == "hand"
            gcp.cloud.edit(name, {"labels": None})
            assert "labels" not in gcp.cloud.get(name)
        assert gcp.cloud.log == log


def test_urls_have_the_host_in_front_in_the_path_or_in_the_header(gcp):
    make(gcp, "pubsub.projects.topics")
    make(gcp, "compute.networks")
    seen = [
        gcp.cloud.handle("GET", f"http://127.0.0.1:1/{PUBSUB}/{P}/topics/top", {}, b""),
        gcp.cloud.handle("GET", f"http://127.0.0.1:1/v1/{P}/topics/top", {"Host": "pubsub.googleapis.com"}, b""),
        gcp.cloud.handle("GET", f"https://www.googleapis.com/compute/v1/{P}/global/networks/net-1", {}, b""),
        gcp.cloud.handle("GET", f"http://127.0.0.1:1/www.googleapis.com/compute/v1/{P}/global/networks/net-1", {}, b""),
    ]
    assert [s.status for s in seen] == [200] * 4


@pytest.mark.parametrize("url", [f"{PUBSUB}/{P}/toppings/t", f"nothing.googleapis.com/v1/{P}", f"{KMS}/{L}/keyRings/ring/x"])
def test_a_path_that_nobody_has_is_a_page(gcp, url):
    answer = gcp.raw("GET", url)
    assert (answer.status, answer.headers["content-type"]) == (404, "text/html; charset=UTF-8")


def test_key_rings_cannot_be_deleted(gcp):
    make(gcp, "cloudkms.projects.locations.keyRings")
    assert b"<html" in gcp.raw("DELETE", f"{KMS}/{L}/keyRings/ring").body
    assert gcp.ok("GET", f"{KMS}/{L}/keyRings/ring")


def test_methods_that_the_fake_does_not_have_say_so(gcp):
    assert gcp.no("POST", f"{PUBSUB}/{P}/topics/top:publish", {})["status"] == "UNIMPLEMENTED"


def test_a_number_names_a_project_as_its_id_does(gcp):
    make(gcp, "secretmanager.projects.secrets")
    number = project_number("proj")
    assert gcp.ok("GET", f"{SECRETS}/projects/{number}/secrets/sec")["name"] == f"projects/{number}/secrets/sec"


REFUSALS = {
    "a topic's retention": ("PUT", f"{PUBSUB}/{P}/topics/top", {"messageRetentionDuration": "60s"}, 400, "between 10 minutes and 31 days"),
    "a topic's labels": ("PUT", f"{PUBSUB}/{P}/topics/top", {"labels": {"Big": "x"}}, 400, "label"),
    "a topic's name": ("PUT", f"{PUBSUB}/{P}/topics/goog-x", {}, 400, "Invalid resource name"),
    "a topic's schema": ("PUT", f"{PUBSUB}/{P}/topics/top", {"schemaSettings": {"schema": f"{P}/schemas/no"}}, 404, "Resource not found"),
    "a wrong type": ("PUT", f"{PUBSUB}/{P}/topics/top", {"labels": {"a": 1}}, 400, "Invalid value at 'labels' (TYPE_STRING), 1"),
    "a wrong duration": ("PUT", f"{PUBSUB}/{P}/topics/top", {"messageRetentionDuration": "10m"}, 400, "duration must end with 's'"),
    "a subscription without a topic": ("PUT", f"{PUBSUB}/{P}/subscriptions/sub", {}, 400, "topic"),
    "a subscription on a missing topic": ("PUT", f"{PUBSUB}/{P}/subscriptions/sub", {"topic": f"{P}/topics/no"}, 404, "Resource not found (resource=no)."),
    "a schema without a type": ("POST", f"{PUBSUB}/{P}/schemas?schemaId=sch", {"definition": "x"}, 400, "type"),
    "an enum's value": ("POST", f"{PUBSUB}/{P}/schemas?schemaId=sch", {"type": "XML"}, 400, "Invalid value at 'schema.type'"),
    "an unknown field, deep": ("POST", f"{SPANNER}/{P}/instances", {"instanceId": "i-1", "instance": {"x": 1}}, 400,
                               "Unknown name \"x\" at 'instance': Cannot find field."),
    "a bucket's name": ("POST", f"{STORAGE}/b?project=proj", {"name": "A"}, 400, "Invalid bucket name"),
    "a bucket without a project": ("POST", f"{STORAGE}/b", {"name": "bucket-1"}, 400, "Required parameter: project"),
    "an instance without a config": ("POST", f"{SPANNER}/{P}/instances", {"instanceId": "inst-1", "instance": {"displayName": "Some"}}, 400, "config"),
    "an instance without an id": ("POST", f"{SPANNER}/{P}/instances", {"instance": INSTANCE}, 400, "instanceId"),
    "a network's name": ("POST", NET, {"name": "Net_1"}, 400, "Must be a match of regex"),
    "a network without a name": ("POST", NET, {}, 400, "Required field 'resource.name' not specified"),
    "a network's mtu": ("POST", NET, {"name": "net-1", "mtu": 9999}, 400, "resource.mtu"),
    "a subnetwork in a missing network": ("POST", SUB, {"name": "s", "network": f"{P}/global/networks/no", "ipCidrRange": "10.0.0.0/24"}, 404,
                                          "The resource 'projects/proj/global/networks/no' was not found"),
    "a malformed link": ("POST", SUB, {"name": "s", "network": "net", "ipCidrRange": "10.0.0.0/24"}, 400, "The URL is malformed"),
    "a backend without its check": ("POST", f"{COMPUTE}/{P}/global/backendServices", BACKEND, 404, "healthChecks/hc-1' was not found"),
    "a check that waits too long": ("POST", f"{COMPUTE}/{P}/global/healthChecks", {"name": "h", "type": "TCP", "timeoutSec": 9}, 400, "should be less"),
    "a rule that says nothing": ("POST", f"{COMPUTE}/{P}/global/firewalls", {"name": "f"}, 400, "allowed"),
    "an account's id": ("POST", f"{IAM}/{P}/serviceAccounts", {"accountId": "Bob"}, 400, "required form"),
    "a dataset's id": ("POST", f"{BIGQUERY}/{P}/datasets", {"datasetReference": {"datasetId": "a-b"}}, 400, "must be alphanumeric"),
    "a table in a missing dataset": ("POST", f"{BIGQUERY}/{P}/datasets/no/tables", {"tableReference": {"tableId": "t"}}, 404, "Not found: Dataset proj:no"),
    "a secret without replication": ("POST", f"{SECRETS}/{P}/secrets?secretId=s", {}, 400, "replication"),
    "a key in a missing ring": ("POST", f"{KMS}/{L}/keyRings/no/cryptoKeys?cryptoKeyId=k", {"purpose": "MAC"}, 404, f"KeyRing {L}/keyRings/no not found."),
    "a database without a tier": ("POST", f"{SQL}/{P}/instances", {"name": "db-1"}, 400, "settings.tier"),
    "a repository without a format": ("POST", f"{REGISTRY}/{L}/repositories?repositoryId=r", {}, 400, "format"),
    "a metric without a filter": ("POST", f"{LOGGING}/{P}/metrics", {"name": "m"}, 400, "filter"),
    "a zone without its dot": ("POST", f"{DNS}/{P}/managedZones", {"name": "z", "dnsName": "a.com", "description": ""}, 400, "dnsName"),
    "a job without an image": ("POST", f"{RUN}/{L}/jobs?jobId=j", {"template": {"template": {"containers": [{}]}}}, 400, "image"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_service_refuses(gcp, name):
    method, url, body, status, words = REFUSALS[name]
    error = gcp.no(method, url, body)
    assert error["code"] == status
    assert words in error["message"]
    assert gcp.cloud.names() == []


def test_output_fields_are_not_taken(gcp):
    gcp.ok("PUT", f"{PUBSUB}/{P}/topics/top", {"state": "INGESTION_RESOURCE_ERROR"})
    assert gcp.ok("GET", f"{PUBSUB}/{P}/topics/top") == {"name": f"{P}/topics/top"}
    made = gcp.ok("POST", f"{STORAGE}/b?project=proj", {"name": "bucket-1", "metageneration": "9", "etag": "x", "id": "y"})
    assert (made["metageneration"], made["id"]) == ("1", "bucket-1")


def test_both_spellings_and_64_bit_numbers_are_read(gcp):
    made = gcp.ok("PUT", f"{PUBSUB}/{P}/topics/top", {"message_retention_duration": "3600.0s"})
    assert made["messageRetentionDuration"] == "3600s"
    made = gcp.ok("POST", f"{STORAGE}/b?project=proj", {"name": "bucket-1", "retentionPolicy": {"retentionPeriod": 60}})
    assert made["retentionPolicy"]["retentionPeriod"] == "60"


class TestMasks:
    @pytest.fixture
    def topic(self, gcp):
        policy = {"allowedPersistenceRegions": ["r1"], "enforceInTransit": True}
        gcp.ok("PUT", f"{PUBSUB}/{P}/topics/top", {"labels": {"a": "1"}, "messageStoragePolicy": policy})
        return f"{PUBSUB}/{P}/topics/top"

    def patch(self, gcp, topic, mask, body):
        return gcp.ok("PATCH", topic, {"topic": body, "updateMask": mask})

    def test_only_masked_fields_change(self, gcp, topic):
        assert self.patch(gcp, topic, "labels", {"labels": {"b": "2"}, "messageRetentionDuration": "3600s"})["labels"] == {"b": "2"}
        assert "messageRetentionDuration" not in gcp.ok("GET", topic)

    def test_a_masked_field_that_is_not_given_is_cleared(self, gcp, topic):
        assert "labels" not in self.patch(gcp, topic, "labels", {})

    def test_nested_paths_in_either_spelling(self, gcp, topic):
        changed = self.patch(gcp, topic, "message_storage_policy.enforce_in_transit", {"messageStoragePolicy": {}})
        assert changed["messageStoragePolicy"] == {"allowedPersistenceRegions": ["r1"]}

    def test_in_the_query(self, gcp, topic):
        assert gcp.ok("PATCH", f"{topic}?updateMask=labels.b", {"topic": {"labels": {"b": "2"}}})["labels"] == {"a": "1", "b": "2"}

    def test_a_star_is_everything(self, gcp, topic):
        assert gcp.ok("PATCH", f"{topic}?updateMask=*", {"topic": {"labels": {"c": "3"}}}) == {"name": f"{P}/topics/top", "labels": {"c": "3"}}

    @pytest.mark.parametrize(("mask", "words"), [("", "must be set"), ("colour", "not a known Topic field"), ("name", "not mutable"), ("state", "not mutable")])
    def test_what_a_mask_cannot_have(self, gcp, topic, mask, words):
        error = gcp.no("PATCH", topic, {"topic": {}, "updateMask": mask})
        assert error["code"] == 400
        assert words in error["message"]

    def test_an_immutable_field(self, gcp):
        make(gcp, "pubsub.projects.subscriptions")
        error = gcp.no("PATCH", f"{PUBSUB}/{P}/subscriptions/sub", {"subscription": {"topic": "x"}, "updateMask": "topic"})
        assert "'topic' field in the Subscription is not mutable" in error["message"]

    def test_a_cleared_field_gets_its_default_back(self, gcp):
        make(gcp, "pubsub.projects.subscriptions")
        url = f"{PUBSUB}/{P}/subscriptions/sub"
        gcp.ok("PATCH", url, {"subscription": {"ackDeadlineSeconds": 60}, "updateMask": "ackDeadlineSeconds"})
        assert gcp.ok("PATCH", url, {"subscription": {}, "updateMask": "ackDeadlineSeconds"})["ackDeadlineSeconds"] == 10

    def test_without_a_mask_the_given_fields_change_where_the_service_allows_it(self, gcp):
        make(gcp, "artifactregistry.projects.locations.repositories")
        gcp.ok("GET", f"{REGISTRY}/{L}/repositories/repo")
        url = f"{REGISTRY}/{L}/repositories/repo"
        assert gcp.ok("PATCH", url, {"description": "d"})["description"] == "d"
        assert gcp.ok("PATCH", url, {"labels": {"a": "b"}})["description"] == "d"
        assert gcp.no("PATCH", url, {"format": "MAVEN"})["code"] == 400
        assert gcp.no("PATCH", f"{url}?updateMask=format", {"format": "MAVEN"})["code"] == 400

    def test_an_immutable_field_inside_a_masked_one(self, gcp):
        pool = f"{BUILD}/{L}/workerPools"
        network = {"networkConfig": {"peeredNetwork": "projects/1/global/networks/a"}}
        gcp.ok("POST", f"{pool}?workerPoolId=pool", {"privatePoolV1Config": network})
        gcp.ok("GET", f"{pool}/pool")
        body = {"privatePoolV1Config": {"networkConfig": {"peeredNetwork": "projects/1/global/networks/b"}}}
        assert "peeredNetwork" in gcp.no("PATCH", f"{pool}/pool?updateMask=privatePoolV1Config", body)["message"]


class TestMergesAndReplacements:
    def test_null_unsets_objects_merge_and_lists_replace(self, gcp):
        body = {"name": "bucket-1", "labels": {"a": "1", "b": "2"}, "cors": [{"origin": ["x"]}, {"origin": ["y"]}], "website": {"mainPageSuffix": "i"}}
        gcp.ok("POST", f"{STORAGE}/b?project=proj", body)
        changed = gcp.ok("PATCH", f"{STORAGE}/b/bucket-1", {"labels": {"a": None, "c": "3"}, "cors": [{"origin": ["z"]}], "website": None})
        assert (changed["labels"], changed["cors"], changed.get("website")) == ({"b": "2", "c": "3"}, [{"origin": ["z"]}], None)

    def test_put_replaces_and_keeps_what_only_the_service_writes(self, gcp):
        made = gcp.ok("POST", f"{STORAGE}/b?project=proj", {"name": "bucket-1", "labels": {"a": "1"}, "storageClass": "NEARLINE"})
        changed = gcp.ok("PUT", f"{STORAGE}/b/bucket-1", {"versioning": {"enabled": True}})
        assert "labels" not in changed
        assert (changed["storageClass"], changed["versioning"]) == ("STANDARD", {"enabled": True})
        assert (changed["timeCreated"], changed["location"], changed["metageneration"]) == (made["timeCreated"], "US", "2")

    def test_a_log_metric_is_replaced_or_made_by_put(self, gcp):
        made = gcp.ok("PUT", f"{LOGGING}/{P}/metrics/m", {"name": "m", "filter": "a", "description": "d"})
        assert made["metricDescriptor"]["type"] == "logging.googleapis.com/user/m"
        changed = gcp.ok("PUT", f"{LOGGING}/{P}/metrics/m", {"name": "m", "filter": "b"})
        assert (changed["filter"], "description" in changed, changed["createTime"]) == ("b", False, made["createTime"])

    def test_a_table_keeps_its_columns(self, gcp):
        make(gcp, "bigquery.datasets")
        columns = [{"name": "a", "type": "STRING"}, {"name": "b", "type": "STRING"}]
        gcp.ok("POST", f"{BIGQUERY}/{P}/datasets/ds/tables", {"tableReference": {"tableId": "t"}, "schema": {"fields": columns}})
        url = f"{BIGQUERY}/{P}/datasets/ds/tables/t"
        assert "Field b is missing in new schema" in gcp.no("PATCH", url, {"schema": {"fields": columns[:1]}})["message"]
        assert len(gcp.ok("PATCH", url, {"schema": {"fields": [*columns, {"name": "c", "type": "INTEGER"}]}})["schema"]["fields"]) == 3

    @pytest.mark.parametrize(("url", "make_it", "change"), [
        (f"{NET}/net-1", "compute.networks", {"autoCreateSubnetworks": True}),
        (f"{STORAGE}/b/bucket-1", "storage.buckets", {"location": "EU"}),
        (f"{BIGQUERY}/{P}/datasets/ds", "bigquery.datasets", {"location": "EU"}),
        (f"{SQL}/{P}/instances/db-1", "sql.instances", {"region": "europe-west1"}),
        (f"{DNS}/{P}/managedZones/zone-1", "dns.managedZones", {"dnsName": "other.com."}),
    ])
    def test_an_immutable_field_is_refused_and_its_own_value_is_not(self, gcp, url, make_it, change):
        make(gcp, make_it)
        before = gcp.ok("GET", url)
        assert gcp.no("PATCH", url, change)["code"] == 400
        assert gcp.ok("GET", url) == before
        gcp.ok("PATCH", url, {k: before[k] for k in change if k in before})

    def test_a_job_is_replaced(self, gcp):
        make(gcp, "run.projects.locations.jobs")
        url = f"{RUN}/{L}/jobs/job-1"
        gcp.ok("PATCH", url, {**JOB, "labels": {"a": "b"}})
        assert gcp.ok("GET", url)["generation"] == "2"
        gcp.ok("PATCH", url, JOB)
        assert "labels" not in gcp.ok("GET", url)


class TestFreshness:
    def test_a_buckets_metageneration(self, gcp):
        make(gcp, "storage.buckets")
        url = f"{STORAGE}/b/bucket-1"
        assert gcp.ok("PATCH", f"{url}?ifMetagenerationMatch=1", {"labels": {"a": "b"}})["metageneration"] == "2"
        error = gcp.no("PATCH", f"{url}?ifMetagenerationMatch=1", {"labels": {"a": "c"}})
        assert (error["code"], error["errors"][0]["reason"]) == (412, "conditionNotMet")
        assert gcp.no("DELETE", f"{url}?ifMetagenerationMatch=7")["code"] == 412

    def test_a_datasets_etag_in_the_header(self, gcp):
        make(gcp, "bigquery.datasets")
        url = f"{BIGQUERY}/{P}/datasets/ds"
        etag = gcp.ok("GET", url)["etag"]
        assert gcp.ok("PATCH", url, {"friendlyName": "f"}, If_Match=etag)["etag"] != etag
        assert gcp.no("PATCH", url, {"friendlyName": "g"}, If_Match=etag)["code"] == 412

    @pytest.mark.parametrize(("collection", "change"), [
        ("secretmanager.projects.secrets", ("?updateMask=labels", {"labels": {"a": "b"}})),
        ("cloudbuild.projects.locations.workerPools", ("?updateMask=displayName", {"displayName": "d"})),
        ("run.projects.locations.jobs", ("", JOB)),
    ])
    def test_an_etag_in_the_body(self, gcp, collection, change):
        make(gcp, collection)
        url, (query, body) = ROWS[collection][3], change
        etag = gcp.ok("GET", url)["etag"]
        gcp.ok("PATCH", f"{url}{query}", {**body, "etag": etag})
        gcp.ok("GET", url)
        error = gcp.no("PATCH", f"{url}{query}", {**body, "etag": etag})
        assert (error["code"], error["status"]) == (409, "ABORTED")

    def test_a_backends_fingerprint_is_needed(self, gcp, proxy):
        url = f"{COMPUTE}/{P}/global/backendServices/bs-1"
        mark = gcp.ok("GET", url)["fingerprint"]
        assert gcp.no("PATCH", url, {"timeoutSec": 60})["code"] == 412
        gcp.ok("PATCH", url, {"timeoutSec": 60, "fingerprint": mark})
        gcp.ok("GET", url)
        error = gcp.no("PATCH", url, {"timeoutSec": 70, "fingerprint": mark})
        assert (error["code"], error["errors"][0]["reason"], "status" in error) == (412, "conditionNotMet", False)

    def test_labels_are_set_with_their_fingerprint(self, gcp):
        make(gcp, "compute.addresses")
        url = ROWS["compute.addresses"][3]
        mark = gcp.ok("GET", url)["labelFingerprint"]
        gcp.ok("POST", f"{url}/setLabels", {"labels": {"a": "b"}, "labelFingerprint": mark})
        assert gcp.ok("GET", url)["labels"] == {"a": "b"}
        for stale in ({"labelFingerprint": mark}, {}):
            assert "Labels fingerprint" in gcp.no("POST", f"{url}/setLabels", {"labels": {"a": "c"}, **stale})["message"]

    def test_somebody_elses_edit_moves_it(self, gcp):
        make(gcp, "storage.buckets")
        make(gcp, "secretmanager.projects.secrets")
        etag = gcp.cloud.get("secretmanager.googleapis.com/projects/proj/secrets/sec")["etag"]
        gcp.cloud.edit("storage.googleapis.com/b/bucket-1", {"labels.a": "b"})
        gcp.cloud.edit("secretmanager.googleapis.com/projects/proj/secrets/sec", {"labels.a": "b"})
        assert gcp.no("PATCH", f"{STORAGE}/b/bucket-1?ifMetagenerationMatch=1", {})["code"] == 412
        assert gcp.no("DELETE", f"{SECRETS}/{P}/secrets/sec?etag={etag.replace('+', '%2B')}")["code"] == 409


class TestSettersAndSwitches:
    def test_a_proxys_service_and_header(self, gcp, proxy):
        gcp.ok("POST", f"{proxy}/setProxyHeader", {"proxyHeader": "PROXY_V1"})
        assert gcp.ok("GET", proxy)["proxyHeader"] == "PROXY_V1"
        assert gcp.no("POST", f"{proxy}/setBackendService", {"service": "global/backendServices/no"})["code"] == 404
        operation = gcp.ok("POST", f"{proxy}/setBackendService", {"service": "global/backendServices/bs-1"})
        assert operation["operationType"] == "TargetTcpProxySetBackendService"

    def test_an_account_is_disabled_and_enabled(self, gcp):
        make(gcp, "iam.projects.serviceAccounts")
        url = f"{IAM}/{P}/serviceAccounts/{ACCOUNT}"
        assert gcp.ok("POST", f"{url}:disable", {}) == {}
        assert gcp.ok("GET", url)["disabled"] is True
        gcp.ok("POST", f"{url}:enable", {})
        assert "disabled" not in gcp.ok("GET", url)
        assert gcp.ok("GET", f"{IAM}/projects/-/serviceAccounts/{ACCOUNT}")["email"] == ACCOUNT

    def test_a_subnetworks_range_only_grows(self, gcp):
        make(gcp, "compute.subnetworks")
        gcp.ok("POST", f"{SUB}/sub-1/expandIpCidrRange", {"ipCidrRange": "10.0.0.0/20"})
        assert gcp.ok("GET", f"{SUB}/sub-1")["ipCidrRange"] == "10.0.0.0/20"
        assert gcp.no("POST", f"{SUB}/sub-1/expandIpCidrRange", {"ipCidrRange": "10.0.0.0/24"})["code"] == 400
        gcp.ok("POST", f"{SUB}/sub-1/setPrivateIpGoogleAccess", {"privateIpGoogleAccess": True})
        assert gcp.ok("GET", f"{SUB}/sub-1")["privateIpGoogleAccess"] is True


class TestLists:
    def test_pages(self, gcp):
        for name in ("one", "two", "three"):
            gcp.ok("PUT", f"{PUBSUB}/{P}/topics/{name}", {})
        first = gcp.ok("GET", f"{PUBSUB}/{P}/topics?pageSize=2")
        second = gcp.ok("GET", f"{PUBSUB}/{P}/topics?pageSize=2&pageToken={first['nextPageToken']}")
        assert [t["name"].rpartition("/")[2] for t in first["topics"] + second["topics"]] == ["one", "three", "two"]
        assert "nextPageToken" not in second
        assert gcp.no("GET", f"{PUBSUB}/{P}/topics?pageSize=many")["code"] == 400

    def test_an_empty_page(self, gcp):
        assert gcp.ok("GET", f"{PUBSUB}/{P}/topics") == {}
        assert gcp.ok("GET", NET)["kind"] == "compute#networkList"

    def test_only_the_projects_own(self, gcp):
        make(gcp, "storage.buckets")
        make(gcp, "pubsub.projects.topics")
        assert "items" not in gcp.ok("GET", f"{STORAGE}/b?project=other")
        assert gcp.ok("GET", f"{PUBSUB}/projects/other/topics") == {}

    def test_all_scopes(self, gcp):
        make(gcp, "compute.addresses")
        make(gcp, "compute.globalAddresses")
        answer = gcp.ok("GET", f"{COMPUTE}/{P}/aggregated/addresses")
        assert {scope: [a["name"] for a in v["addresses"]] for scope, v in answer["items"].items()} == {"regions/us-west1": ["a-1"], "global": ["ga-1"]}

    def test_every_location(self, gcp):
        make(gcp, "run.projects.locations.jobs")
        assert len(gcp.ok("GET", f"{RUN}/{P}/locations/-/jobs")["jobs"]) == 1


class TestOperations:
    def test_first_it_runs_and_at_the_first_poll_it_is_done(self, gcp):
        operation = make(gcp, "spanner.projects.instances")
        assert "done" not in operation
        done = gcp.poll(SPANNER, operation)
        assert (done["done"], done["response"]["state"]) == (True, "READY")

    def test_it_runs_as_long_as_told_and_shows_it(self, gcp):
        gcp.cloud.operation_seconds = 60
        operation = make(gcp, "spanner.projects.instances")
        url = f"{SPANNER}/{P}/instances/inst-1"
        assert "done" not in gcp.poll(SPANNER, operation)
        assert gcp.ok("GET", url)["state"] == "CREATING"
        assert gcp.no("DELETE", url)["status"] == "FAILED_PRECONDITION"
        gcp.at += 60
        assert gcp.ok("GET", url)["state"] == "READY"
        assert gcp.poll(SPANNER, operation)["done"] is True

    def test_a_change_shows_when_it_is_done(self, gcp):
        make(gcp, "spanner.projects.instances")
        gcp.cloud.operation_seconds = 60
        gcp.at += 60
        url = f"{SPANNER}/{P}/instances/inst-1"
        gcp.ok("PATCH", url, {"instance": {"nodeCount": 3}, "fieldMask": "nodeCount"})
        assert gcp.ok("GET", url)["nodeCount"] == 1
        gcp.at += 60
        assert (gcp.ok("GET", url)["nodeCount"], gcp.ok("GET", url)["processingUnits"]) == (3, 3000)

    def test_what_somebody_else_changes_meanwhile_stays(self, gcp):
        make(gcp, "spanner.projects.instances")
        gcp.cloud.operation_seconds = 60
        gcp.at += 60
        url, name = f"{SPANNER}/{P}/instances/inst-1", f"spanner.googleapis.com/{P}/instances/inst-1"
        gcp.ok("PATCH", url, {"instance": {"nodeCount": 3}, "fieldMask": "nodeCount"})
        gcp.cloud.edit(name, {"labels": {"by": "hand"}})
        gcp.at += 60
        assert (gcp.ok("GET", url)["nodeCount"], gcp.ok("GET", url)["labels"]) == (3, {"by": "hand"})

    def test_compute(self, gcp):
        gcp.cloud.operation_seconds = 60
        operation = gcp.ok("POST", NET, {"name": "net-1"})
        assert (operation["status"], operation["targetLink"].rpartition("/")[2]) == ("RUNNING", "net-1")
        assert gcp.ok("GET", f"{NET}/net-1")["name"] == "net-1"
        assert gcp.no("DELETE", f"{NET}/net-1")["errors"][0]["reason"] == "resourceNotReady"
        gcp.at += 60
        done = gcp.ok("GET", f"{COMPUTE}/{P}/global/operations/{operation['name']}")
        assert (done["status"], done["progress"], "endTime" in done) == ("DONE", 100, True)

    def test_compute_in_a_region(self, gcp):
        make(gcp, "compute.networks")
        operation = gcp.ok("POST", SUB, ROWS["compute.subnetworks"][2])
        assert operation["region"].endswith("/regions/us-west1")
        assert gcp.ok("GET", f"{COMPUTE}/{P}/regions/us-west1/operations/{operation['name']}")["status"] == "DONE"

    def test_sql(self, gcp):
        gcp.cloud.operation_seconds = 60
        operation = make(gcp, "sql.instances")
        assert (operation["status"], operation["operationType"]) == ("PENDING", "CREATE")
        assert gcp.ok("GET", f"{SQL}/{P}/operations/{operation['name']}")["status"] == "RUNNING"
        assert gcp.ok("GET", f"{SQL}/{P}/instances/db-1")["state"] == "PENDING_CREATE"
        assert gcp.no("PATCH", f"{SQL}/{P}/instances/db-1", {})["errors"][0]["reason"] == "operationInProgress"
        gcp.at += 60
        assert gcp.ok("GET", f"{SQL}/{P}/operations/{operation['name']}")["status"] == "DONE"
        assert gcp.ok("GET", f"{SQL}/{P}/instances/db-1")["state"] == "RUNNABLE"

    @pytest.mark.parametrize("collection", ["spanner.projects.instances", "compute.networks", "sql.instances",
                                            "artifactregistry.projects.locations.repositories"])
    def test_one_that_fails_leaves_nothing(self, gcp, collection):
        gcp.cloud.misbehave(operation=r".*\.(create|insert)", operation_error=("RESOURCE_EXHAUSTED", "no room"))
        operation = make(gcp, collection)
        url = ROWS[collection][1].partition(f"/{P}")[0]
        if collection == "sql.instances":
            done = gcp.ok("GET", f"{SQL}/{P}/operations/{operation['name']}")
        else:
            done = gcp.ok("GET", f"{COMPUTE}/{P}/global/operations/{operation['name']}") if url == COMPUTE else gcp.ok("GET", f"{url}/{operation['name']}")
        assert "no room" in json.dumps(done["error"])
        assert "response" not in done
        assert gcp.no("GET", ROWS[collection][3])["code"] == 404

    def test_a_change_that_fails_changes_nothing(self, gcp):
        make(gcp, "spanner.projects.instances")
        url = f"{SPANNER}/{P}/instances/inst-1"
        before = gcp.ok("GET", url)
        gcp.cloud.misbehave(operation=r".*\.patch", operation_error=(8, "no room"))
        operation = gcp.ok("PATCH", url, {"instance": {"nodeCount": 3}, "fieldMask": "nodeCount"})
        assert gcp.poll(SPANNER, operation)["error"] == {"code": 8, "message": "no room"}
        assert gcp.ok("GET", url) == before

    def test_a_request_is_not_done_twice(self, gcp):
        one = gcp.ok("POST", f"{NET}?requestId=r1", {"name": "net-1"})
        two = gcp.ok("POST", f"{NET}?requestId=r1", {"name": "net-1"})
        assert one["name"] == two["name"]

    def test_one_that_nobody_started(self, gcp):
        assert gcp.no("GET", f"{COMPUTE}/{P}/global/operations/operation-1")["errors"][0]["reason"] == "notFound"
        assert gcp.no("GET", f"{SPANNER}/{P}/instances/i/operations/o")["status"] == "NOT_FOUND"


class TestDeleting:
    def test_a_network_with_subnetworks(self, gcp):
        make(gcp, "compute.subnetworks")
        gcp.ok("GET", f"{SUB}/sub-1")
        assert gcp.ok("GET", f"{NET}/net-1")["subnetworks"] == [f"https://www.googleapis.com/compute/v1/{P}/regions/us-west1/subnetworks/sub-1"]
        error = gcp.no("DELETE", f"{NET}/net-1")
        assert error["errors"][0]["reason"] == "resourceInUseByAnotherResource"
        gcp.ok("DELETE", f"{SUB}/sub-1")
        gcp.ok("DELETE", f"{NET}/net-1")

    def test_what_a_proxy_needs(self, gcp, proxy):
        gcp.ok("GET", proxy)
        assert "already being used by" in gcp.no("DELETE", f"{COMPUTE}/{P}/global/backendServices/bs-1")["message"]
        assert "already being used by" in gcp.no("DELETE", f"{COMPUTE}/{P}/global/healthChecks/hc-1")["message"]

    def test_a_dataset_with_tables(self, gcp):
        make(gcp, "bigquery.tables")
        url = f"{BIGQUERY}/{P}/datasets/ds"
        assert gcp.no("DELETE", url)["errors"][0]["reason"] == "resourceInUse"
        assert gcp.raw("DELETE", f"{url}?deleteContents=true").status == 204
        assert gcp.cloud.names() == []

    def test_a_protected_database(self, gcp):
        make(gcp, "sql.instances")
        url = f"{SQL}/{P}/instances/db-1"
        gcp.ok("PATCH", url, {"settings": {"deletionProtectionEnabled": True}})
        assert gcp.ok("GET", url)["settings"]["tier"] == "db-f1-micro"
        assert "The instance is protected" in gcp.no("DELETE", url)["message"]

    def test_a_topic_leaves_its_subscriptions(self, gcp):
        make(gcp, "pubsub.projects.subscriptions")
        gcp.ok("DELETE", f"{PUBSUB}/{P}/topics/top")
        assert gcp.ok("GET", f"{PUBSUB}/{P}/subscriptions/sub")["topic"] == "_deleted-topic_"

    def test_what_is_not_there_where_that_is_allowed(self, gcp):
        assert gcp.ok("DELETE", f"{BUILD}/{L}/workerPools/no?allowMissing=true")["done"] is True

    def test_subnetworks_do_not_overlap(self, gcp):
        make(gcp, "compute.subnetworks")
        error = gcp.no("POST", SUB, {"name": "sub-2", "network": "global/networks/net-1", "ipCidrRange": "10.0.0.0/25"})
        assert "conflicts with existing subnetwork 'sub-1'" in error["message"]


class TestFaults:
    TOPIC = f"{PUBSUB}/{P}/topics/top"

    def test_an_error_in_the_services_shape(self, gcp):
        gcp.cloud.misbehave(operation=".*", error=(429, "RESOURCE_EXHAUSTED"), times=2)
        answer = gcp.raw("PUT", self.TOPIC, {})
        assert (answer.status, answer.headers["retry-after"], json.loads(answer.body)["error"]["status"]) == (429, "1", "RESOURCE_EXHAUSTED")
        assert gcp.no("GET", f"{NET}/net-1")["errors"][0]["reason"] == "rateLimitExceeded"
        assert gcp.cloud.names() == []
        assert gcp.no("GET", self.TOPIC)["code"] == 404

    def test_an_old_reason_and_a_longer_wait(self, gcp):
        gcp.cloud.misbehave(operation=".*", error=(403, "quotaExceeded"), retry_after="30")
        answer = gcp.raw("GET", f"{NET}/net-1")
        assert (answer.headers["retry-after"], json.loads(answer.body)["error"]["errors"][0]["reason"]) == ("30", "quotaExceeded")

    def test_an_answer_that_is_lost(self, gcp):
        gcp.cloud.misbehave(operation=r"pubsub\.projects\.topics\.create", lost=True)
        assert gcp.raw("PUT", self.TOPIC, {}) is None
        assert gcp.ok("GET", self.TOPIC)

    def test_a_stale_read(self, gcp):
        gcp.ok("PUT", self.TOPIC, {"labels": {"a": "1"}})
        gcp.ok("PATCH", f"{self.TOPIC}?updateMask=labels", {"topic": {"labels": {"a": "2"}}})
        gcp.cloud.misbehave(operation=r".*\.(get|list)", stale=True, times=2)
        assert gcp.ok("GET", self.TOPIC)["labels"] == {"a": "1"}
        assert gcp.ok("GET", f"{PUBSUB}/{P}/topics")["topics"][0]["labels"] == {"a": "1"}
        assert gcp.ok("GET", self.TOPIC)["labels"] == {"a": "2"}

    def test_a_stale_read_after_an_operation(self, gcp):
        make(gcp, "spanner.projects.instances")
        url = f"{SPANNER}/{P}/instances/inst-1"
        gcp.ok("GET", url)
        gcp.cloud.misbehave(operation=r".*\.get", stale=True)
        assert gcp.no("GET", url)["code"] == 404

    def test_a_stale_read_after_a_delete(self, gcp):
        gcp.ok("PUT", self.TOPIC, {})
        gcp.ok("DELETE", self.TOPIC)
        gcp.cloud.misbehave(operation=r".*\.get", stale=True)
        assert gcp.ok("GET", self.TOPIC)
        assert gcp.no("GET", self.TOPIC)["code"] == 404

    def test_absent_right_after_it_was_made(self, gcp):
        gcp.cloud.misbehave(operation=r".*\.create", absent=True)
        gcp.ok("PUT", self.TOPIC, {})
        assert gcp.no("GET", self.TOPIC)["code"] == 404
        assert gcp.ok("GET", self.TOPIC)

    @pytest.mark.parametrize(("fault", "seen"), [
        ({"suffix": ("kmsKeyName", "/cryptoKeyVersions/1")}, {"kmsKeyName": "k/cryptoKeyVersions/1", "labels": {"a": "b"}}),
        ({"ignore": "labels"}, {"kmsKeyName": "k"}),
        ({"override": ("messageRetentionDuration", "600s")}, {"kmsKeyName": "k", "labels": {"a": "b"}, "messageRetentionDuration": "600s"}),
    ])
    def test_a_service_that_does_not_use_a_value_as_given(self, gcp, fault, seen):
        gcp.cloud.misbehave(operation=r".*\.create", **fault)
        gcp.ok("PUT", self.TOPIC, {"kmsKeyName": "k", "labels": {"a": "b"}})
        assert gcp.ok("GET", self.TOPIC) == {"name": f"{P}/topics/top", **seen}

    def test_a_change_that_is_ignored(self, gcp):
        gcp.ok("PUT", self.TOPIC, {"labels": {"a": "1"}})
        gcp.cloud.misbehave(operation=r".*\.patch", ignore="labels")
        gcp.ok("PATCH", f"{self.TOPIC}?updateMask=labels", {"topic": {"labels": {"a": "2"}}})
        assert gcp.ok("GET", self.TOPIC)["labels"] == {"a": "1"}

    def test_somebody_acts_first(self, gcp):
        name = f"pubsub.googleapis.com/{P}/topics/top"
        gcp.cloud.misbehave(operation=r".*\.create", before=lambda: gcp.cloud.put(name, {"labels": {"by": "other"}}))
        assert gcp.no("PUT", self.TOPIC, {})["code"] == 409
        assert gcp.cloud.get(name) == {"name": f"{P}/topics/top", "labels": {"by": "other"}}

    def test_a_slow_service(self, gcp):
        gcp.cloud.misbehave(operation=r".*\.get", latency=2.5)
        gcp.raw("GET", self.TOPIC)
        assert gcp.cloud.slept == [2.5]
        slept = []
        cloud = FakeGcp(sleep=slept.append)
        cloud.faults.append(GcpFault(operation=".*", latency=0.5))
        cloud.handle("GET", f"https://{self.TOPIC}", {}, b"")
        assert slept == [0.5]


def test_the_log_has_method_ids_and_the_calls_what_was_sent(gcp):
    gcp.ok("PUT", f"{PUBSUB}/{P}/topics/top", {"labels": {"a": "b"}})
    gcp.ok("GET", f"{PUBSUB}/{P}/topics/top?alt=json")
    assert gcp.cloud.log == ["pubsub.projects.topics.create", "pubsub.projects.topics.get"]
    assert gcp.cloud.mutations == ["pubsub.projects.topics.create"]
    made, read = gcp.cloud.calls
    assert (made.method, made.path, made.body) == ("PUT", f"{P}/topics/top", {"labels": {"a": "b"}})
    assert (read.operation, read.query, read.body) == ("pubsub.projects.topics.get", {"alt": "json"}, None)


def test_reset_leaves_nothing(gcp):
    make(gcp, "pubsub.projects.topics")
    gcp.cloud.misbehave(operation=".*", lost=True)
    gcp.cloud.reset()
    assert (gcp.cloud.log, gcp.cloud.calls, gcp.cloud.faults, gcp.cloud.names()) == ([], [], [], [])


def test_a_body_that_is_no_json_is_refused(gcp):
    answer = gcp.cloud.handle("PUT", f"https://{PUBSUB}/{P}/topics/top", {}, b"{not json")
    assert (answer.status, "Invalid JSON payload" in json.loads(answer.body)["error"]["message"]) == (400, True)


def test_it_can_be_served():
    cloud = FakeGcp()
    endpoint, stop = serve(cloud)
    try:
        ask = urllib.request.Request(f"{endpoint}/{PUBSUB}/{P}/topics/top?alt=json", b"{}", {"Content-Type": "application/json"}, method="PUT")
        with urllib.request.urlopen(ask) as answer:
            assert json.loads(answer.read()) == {"name": f"{P}/topics/top"}
        with pytest.raises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(f"{endpoint}/{PUBSUB}/{P}/topics/no")
        error.value.close()
        assert error.value.code == 404
    finally:
        stop()


def test_times_are_in_the_services_style(gcp):
    for collection in ("cloudkms.projects.locations.keyRings", "storage.buckets", "compute.networks", "bigquery.datasets"):
        make(gcp, collection)
    assert gcp.ok("GET", f"{KMS}/{L}/keyRings/ring")["createTime"] == "2023-11-14T22:13:20.500000Z"
    assert gcp.ok("GET", f"{STORAGE}/b/bucket-1")["timeCreated"] == "2023-11-14T22:13:20.500Z"
    assert gcp.ok("GET", f"{NET}/net-1")["creationTimestamp"] == "2023-11-14T15:13:20.500-07:00"
    assert gcp.ok("GET", f"{BIGQUERY}/{P}/datasets/ds")["creationTime"] == "1700000000500"


def test_a_secret_is_never_shown(gcp):
    make(gcp, "compute.healthChecks")
    gcp.ok("POST", f"{COMPUTE}/{P}/global/backendServices", {**BACKEND, "iap": {"enabled": True, "oauth2ClientId": "id", "oauth2ClientSecret": "hush"}})
    gcp.ok("POST", f"{SQL}/{P}/instances", {"name": "db-1", "settings": {"tier": "db-f1-micro"}, "rootPassword": "hush"})
    for url in (f"{COMPUTE}/{P}/global/backendServices/bs-1", f"{SQL}/{P}/instances/db-1"):
        assert "hush" not in json.dumps(gcp.ok("GET", url))


class TestWhatFollows:
    """Fields that a service works out from others."""

    def test_nodes_and_processing_units(self, gcp):
        body = {"instanceId": "inst-1", "instance": {**INSTANCE, "processingUnits": 500}}
        gcp.ok("POST", f"{SPANNER}/{P}/instances", body)
        url = f"{SPANNER}/{P}/instances/inst-1"
        assert (gcp.ok("GET", url)["processingUnits"], "nodeCount" in gcp.ok("GET", url)) == (500, False)
        gcp.ok("PATCH", url, {"instance": {"processingUnits": 2000}, "fieldMask": "processing_units"})
        assert gcp.ok("GET", url)["nodeCount"] == 2

    def test_a_topics_retention_at_its_subscriptions(self, gcp):
        gcp.ok("PUT", f"{PUBSUB}/{P}/topics/top", {"messageRetentionDuration": "3600s"})
        made = gcp.ok("PUT", f"{PUBSUB}/{P}/subscriptions/sub", {"topic": f"{P}/topics/top", "expirationPolicy": {}})
        assert (made["topicMessageRetentionDuration"], made["expirationPolicy"]) == ("3600s", {})

    def test_a_schemas_revisions(self, gcp):
        make(gcp, "pubsub.projects.schemas")
        url = f"{PUBSUB}/{P}/schemas/sch"
        before = gcp.ok("GET", url)
        after = gcp.ok("POST", f"{url}:commit", {"name": f"{P}/schemas/sch", "schema": {"type": "AVRO", "definition": "[]"}})
        assert (after["definition"], after["revisionId"] != before["revisionId"]) == ("[]", True)

    def test_a_buckets_place_and_access(self, gcp):
        body = {"name": "bucket-1", "location": "us-east1", "iamConfiguration": {"uniformBucketLevelAccess": {"enabled": True}}, "autoclass": {"enabled": True}}
        made = gcp.ok("POST", f"{STORAGE}/b?project=proj", body)
        assert (made["location"], made["locationType"], "rpo" in made) == ("US-EAST1", "region", False)
        assert "lockedTime" in made["iamConfiguration"]["uniformBucketLevelAccess"]
        assert made["autoclass"]["terminalStorageClass"] == "NEARLINE"
        assert "acl" not in gcp.ok("GET", f"{STORAGE}/b/bucket-1?projection=full")
        gcp.ok("PATCH", f"{STORAGE}/b/bucket-1", {"iamConfiguration": {"uniformBucketLevelAccess": {"enabled": False}}})
        assert len(gcp.ok("GET", f"{STORAGE}/b/bucket-1?projection=full")["acl"]) == 3
        assert "acl" not in gcp.ok("GET", f"{STORAGE}/b/bucket-1")

    def test_links_are_whole(self, gcp, proxy):
        assert gcp.ok("GET", proxy)["service"] == f"https://www.googleapis.com/compute/v1/{P}/global/backendServices/bs-1"

    def test_a_subnetworks_gateway_and_logs(self, gcp):
        make(gcp, "compute.subnetworks")
        made = gcp.ok("GET", f"{SUB}/sub-1")
        assert (made["gatewayAddress"], made["region"].rpartition("/")[2]) == ("10.0.0.1", "us-west1")
        gcp.ok("PATCH", f"{SUB}/sub-1", {"logConfig": {"enable": True}, "fingerprint": made["fingerprint"]})
        assert gcp.ok("GET", f"{SUB}/sub-1")["logConfig"]["flowSampling"] == 0.5
        assert gcp.no("PATCH", f"{SUB}/sub-1", {"privateIpGoogleAccess": True, "fingerprint": gcp.ok("GET", f"{SUB}/sub-1")["fingerprint"]})["code"] == 400

    def test_a_rule_is_for_everyone(self, gcp):
        make(gcp, "compute.firewalls")
        assert gcp.ok("GET", f"{COMPUTE}/{P}/global/firewalls/fw-1")["sourceRanges"] == ["0.0.0.0/0"]

    def test_a_health_checks_part(self, gcp):
        make(gcp, "compute.healthChecks")
        assert gcp.ok("GET", f"{COMPUTE}/{P}/global/healthChecks/hc-1")["httpHealthCheck"] == {"port": 80, "requestPath": "/", "proxyHeader": "NONE"}

    def test_a_secrets_expiry(self, gcp):
        made = gcp.ok("POST", f"{SECRETS}/{P}/secrets?secretId=sec", {"replication": {"automatic": {}}, "ttl": "3600s"})
        assert (made["expireTime"], "ttl" in made) == ("2023-11-14T23:13:20.500000Z", False)

    def test_a_keys_first_version(self, gcp):
        make(gcp, "cloudkms.projects.locations.keyRings.cryptoKeys")
        url = f"{KMS}/{L}/keyRings/ring/cryptoKeys"
        assert gcp.ok("GET", f"{url}/key")["primary"]["state"] == "ENABLED"
        assert gcp.no("DELETE", f"{url}/key")["status"] == "FAILED_PRECONDITION"
        assert "primary" not in gcp.ok("POST", f"{url}?cryptoKeyId=bare&skipInitialVersionCreation=true", {"purpose": "ENCRYPT_DECRYPT"})
        gcp.ok("DELETE", f"{url}/bare")
        error = gcp.no("PATCH", f"{url}/key?updateMask=rotationPeriod", {"rotationPeriod": "86400s"})
        assert "next_rotation_time" in error["message"]

    def test_a_database(self, gcp):
        make(gcp, "sql.instances")
        made = gcp.ok("GET", f"{SQL}/{P}/instances/db-1")
        assert (made["connectionName"], made["settings"]["settingsVersion"]) == ("proj:us-central1:db-1", "1")
        stale = {"settings": {"settingsVersion": "1"}}
        gcp.ok("PATCH", f"{SQL}/{P}/instances/db-1", stale)
        gcp.ok("GET", f"{SQL}/{P}/instances/db-1")
        assert gcp.no("PATCH", f"{SQL}/{P}/instances/db-1", stale)["code"] == 412

    def test_a_private_zone(self, gcp):
        made = gcp.ok("POST", f"{DNS}/{P}/managedZones", {"name": "z", "dnsName": "a.", "description": "", "visibility": "private"})
        assert made["nameServers"] == ["ns-gcp-private.googledomains.com."]
        assert gcp.ok("PATCH", f"{DNS}/{P}/managedZones/z", {"description": "d"})["status"] == "done"

    def test_a_jobs_defaults(self, gcp):
        make(gcp, "run.projects.locations.jobs")
        task = gcp.ok("GET", f"{RUN}/{L}/jobs/job-1")["template"]["template"]
        assert (task["maxRetries"], task["timeout"], task["containers"][0]["resources"]["limits"]["memory"]) == (3, "600s", "512Mi")

    def test_asking_whether_it_would_work(self, gcp):
        url = f"{RUN}/{L}/jobs?jobId=job-1&validateOnly=true"
        assert gcp.ok("POST", url, JOB)["done"] is True
        assert gcp.no("POST", url, {})["code"] == 400
        assert gcp.cloud.names() == []
