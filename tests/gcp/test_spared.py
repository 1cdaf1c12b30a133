"""What our schema does not know, and what a spec does not speak of, survives an update."""

from __future__ import annotations

import pytest

from holdfast.providers.gcp.patches import emptied, grounded
from tests.world import World

PROJECT = "shop-prod"


@pytest.mark.parametrize(("patch", "before", "raw", "wholes", "wanted"), [
    pytest.param({"a": None}, {"a": {"x": 1}}, {"a": {"x": 1}}, (), {"a": None}, id="nothing else there: it goes"),
    pytest.param({"a": None}, {"a": {"x": 1}}, {"a": {"x": 1, "y": 2}}, (), {"a": {"x": None}}, id="something else there: only ours goes"),
    pytest.param({"a": None}, {"a": {"x": 1}}, {"a": {"x": 1, "y": 2}}, ("a",), {"a": None}, id="it goes as a whole"),
    pytest.param({"a": [{"x": 2}]}, {"a": [{"x": 1}]}, {"a": [{"x": 1, "y": 2}]}, (), {"a": [{"x": 2, "y": 2}]}, id="the only item"),
    pytest.param({"a": [{"name": "q", "x": 2}, {"name": "p", "x": 1}]}, {"a": [{"name": "p", "x": 1}, {"name": "q", "x": 1}]},
                 {"a": [{"name": "p", "x": 1, "y": 8}, {"name": "q", "x": 1, "y": 9}]}, (),
                 {"a": [{"name": "q", "x": 2, "y": 9}, {"name": "p", "x": 1, "y": 8}]}, id="items by name, in another order"),
    pytest.param({"a": [{"x": 1}, {"x": 3}]}, {"a": [{"x": 1}, {"x": 2}]}, {"a": [{"x": 1, "y": 8}, {"x": 2, "y": 9}]}, (),
                 {"a": [{"x": 1, "y": 8}, {"x": 3, "y": 9}]}, id="one of two, without names"),
    pytest.param({"a": [{"x": 3}, {"x": 4}]}, {"a": [{"x": 1}, {"x": 2}]}, {"a": [{"x": 1, "y": 8}, {"x": 2, "y": 9}]}, (),
                 {"a": [{"x": 3}, {"x": 4}]}, id="both of two: nobody knows which is which"),
    pytest.param({"a": [{"x": 1}]}, {"a": [{"x": 1, "z": 5}]}, {"a": [{"x": 1, "z": 5, "y": 9}]}, ("a",), {"a": [{"x": 1, "y": 9}]}, id="an exact list loses what the spec lost"),
])
def test_grounded(patch, before, raw, wholes, wanted):
    assert grounded(patch, before, raw, frozenset(wholes)) == wanted


def test_a_list_that_goes_is_emptied():
    assert emptied({"a": None, "b": {"c": None}, "d": None}, {"a": [1], "b": {"c": ["x"]}, "d": {"e": 1}}) == {"a": [], "b": {"c": []}, "d": None}


async def made(world: World, kind: str, group: str, name: str, spec: dict):
    body = {"apiVersion": f"{group}.cnrm.cloud.google.com/v1beta1", "kind": kind, "metadata": {"name": name, "namespace": PROJECT}, "spec": spec}
    key = await world.apply(body)
    await world.settle(key)
    assert (await world.condition(key))["status"] == "True", await world.condition(key)
    return key


async def test_a_firewall_whose_sources_are_taken_out_of_the_spec_is_not_opened():
    world = World()
    await made(world, "ComputeNetwork", "compute", "main", {"autoCreateSubnetworks": False})
    spec = {"networkRef": {"name": "main"}, "allow": [{"protocol": "tcp", "ports": ["22"]}], "sourceRanges": ["10.0.0.0/8"]}
    await made(world, "ComputeFirewall", "compute", "ssh", spec)
    key = await made(world, "ComputeFirewall", "compute", "ssh", {k: v for k, v in spec.items() if k != "sourceRanges"})
    assert world.gcp.get(f"compute.googleapis.com/projects/{PROJECT}/global/firewalls/ssh")["sourceRanges"] == ["10.0.0.0/8"]
    assert type((await world.step(key)).plan).__name__ == "Rest"


async def test_a_buckets_unknown_encryption_settings_survive_the_removal_of_ours():
    world, name = World(), "storage.googleapis.com/b/acme-logs"
    key = {"kmsKeyRef": {"external": "projects/p/locations/eu/keyRings/r/cryptoKeys/k"}}
    await made(world, "StorageBucket", "storage", "acme-logs", {"location": "EU", "encryption": key})
    world.gcp.edit(name, {"encryption.googleManagedEncryptionEnforcementConfig": {"restrictionMode": "FullyRestricted"}})
    await made(world, "StorageBucket", "storage", "acme-logs", {"location": "EU"})
    left = world.gcp.get(name)["encryption"]
    assert left == {"googleManagedEncryptionEnforcementConfig": {"restrictionMode": "FullyRestricted"}}


async def test_what_needs_two_calls_takes_two_passes_and_a_directive_in_between_counts():
    world = World()
    robot = {"displayName": "Worker", "disabled": False}
    key = await made(world, "IAMServiceAccount", "iam", "worker", robot)
    before = len(world.gcp.mutations)
    await made(world, "IAMServiceAccount", "iam", "worker", {"displayName": "Robot", "disabled": True})
    assert world.gcp.mutations[before:] == ["iam.projects.serviceAccounts.disable", "iam.projects.serviceAccounts.patch"]

    def verify_only():
        obj = world.store._tables.get(key)
        world.store._tables.write_metadata(obj, obj.finalizers, {"cnrm.cloud.google.com/force-acquire": "true"})

    body = {"apiVersion": "iam.cnrm.cloud.google.com/v1beta1", "kind": "IAMServiceAccount", "metadata": {"name": "worker", "namespace": PROJECT}, "spec": robot}
    await world.apply(body)
    before = len(world.gcp.mutations)
    world.gcp.misbehave(operation="iam.projects.serviceAccounts.enable", before=verify_only)
    await world.settle(key)
    assert world.gcp.mutations[before:] == ["iam.projects.serviceAccounts.enable"]


async def test_a_reference_that_is_made_of_a_name_is_never_empty():
    """Config Connector's own sample: a subscription that delivers to a table, by its name."""
    world = World()
    await made(world, "BigQueryDataset", "bigquery", "orders", {"resourceID": "orders"})
    await made(world, "BigQueryTable", "bigquery", "rows", {"resourceID": "rows", "datasetRef": {"name": "orders"}})
    await made(world, "PubSubTopic", "pubsub", "events", {})
    await made(world, "PubSubSubscription", "pubsub", "to-table", {"topicRef": {"name": "events"}, "bigqueryConfig": {"tableRef": {"name": "rows"}}})
    assert world.gcp.get(f"pubsub.googleapis.com/projects/{PROJECT}/subscriptions/to-table")["bigqueryConfig"]["table"] == f"{PROJECT}.orders.rows"


async def test_a_field_that_never_takes_effect_does_not_hold_up_the_others():
    world, name = World(), f"spanner.googleapis.com/projects/{PROJECT}/instances/main-db"
    spec = {"config": "regional-us-west1", "displayName": "Main", "numNodes": 2}
    key = await made(world, "SpannerInstance", "spanner", "main-db", spec)
    body = {"apiVersion": "spanner.cnrm.cloud.google.com/v1beta1", "kind": "SpannerInstance", "metadata": {"name": "main-db", "namespace": PROJECT},
            "spec": {k: v for k, v in spec.items() if k != "numNodes"}}
    await world.apply(body)
    await world.settle(key)
    assert (await world.condition(key))["reason"] == "NotConverging"
    for _ in range(2):
        world.gcp.edit(name, {"displayName": "by hand"})
        await world.settle(key)
        assert world.gcp.get(name)["displayName"] == "Main"
        assert (await world.condition(key))["reason"] == "NotConverging"


async def test_a_create_that_is_never_shown_is_sent_ever_more_rarely():
    world = World()
    world.gcp.misbehave(operation="pubsub.projects.topics.get", times=None, error=(404, "NOT_FOUND"))
    key = await world.apply({"apiVersion": "pubsub.cnrm.cloud.google.com/v1beta1", "kind": "PubSubTopic", "metadata": {"name": "ghost", "namespace": PROJECT}, "spec": {}})
    began = world.clock.at
    for _ in range(60):
        result = await world.step(key)
        for name in world.gcp.names():
            world.gcp.remove(name)
        world.clock.advance(max(result.retry_in or 0, 0.001))
        if (world.clock.at - began).total_seconds() > 3600:
            break
    assert len(world.gcp.mutations) < 16
