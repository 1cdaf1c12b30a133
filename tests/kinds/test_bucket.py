"""StorageBucket's oddities: a field with two names, a policy that is locked by a call of its own, conditions that mean "any"."""

from __future__ import annotations

from holdfast.kinds.catalog import shipped
from tests.kinds.test_cycle import manifest
from tests.world import World

BUCKET = shipped().need("storage.cnrm.cloud.google.com", "StorageBucket")


async def settled(world: World, spec: dict):
    key = await world.apply(manifest(BUCKET, spec))
    await world.settle(key)
    return key, await world.condition(key)


async def adopted_spec(world: World) -> dict:
    fresh = world.another()
    await fresh.settle(await fresh.apply({
        "apiVersion": BUCKET.api_version, "kind": "AdoptedResource", "metadata": {"name": "sample", "namespace": "shop-prod"},
        "spec": {"apiVersion": BUCKET.api_version, "kind": BUCKET.name, "identifier": {"name": "sample"}}}))
    key = await world.apply(manifest(BUCKET, {}))
    return (await fresh.get(key))["spec"]


async def test_the_former_name_of_uniform_access_is_sent_under_the_new_one_and_not_adopted():
    world = World()
    key, ready = await settled(world, {"bucketPolicyOnly": True})
    assert ready["status"] == "True", ready
    (create,) = [c.body for c in world.gcp.calls if c.operation == "storage.buckets.insert"]
    assert create["iamConfiguration"] == {"uniformBucketLevelAccess": {"enabled": True}}
    assert type((await world.step(key)).plan).__name__ == "Rest"
    world.gcp.edit("storage.googleapis.com/b/sample", {"iamConfiguration.uniformBucketLevelAccess.enabled": False})
    _, ready = await settled(world, {"bucketPolicyOnly": True, "storageClass": "STANDARD"})
    assert ready["status"] == "True", ready
    assert world.gcp.get("storage.googleapis.com/b/sample")["iamConfiguration"]["uniformBucketLevelAccess"]["enabled"] is True
    spec = await adopted_spec(world)
    assert spec["uniformBucketLevelAccess"] is True
    assert "bucketPolicyOnly" not in spec


async def test_a_retention_policy_is_set_first_and_locked_by_itself():
    world = World()
    _, ready = await settled(world, {"retentionPolicy": {"retentionPeriod": 60, "isLocked": True}})
    assert ready["status"] == "True", ready
    assert world.gcp.mutations == ["storage.buckets.insert", "storage.buckets.lockRetentionPolicy"]
    assert world.gcp.calls[[c.operation for c in world.gcp.calls].index("storage.buckets.insert")].body["retentionPolicy"] == {"retentionPeriod": "60"}
    (lock,) = [c for c in world.gcp.calls if c.operation.endswith("lockRetentionPolicy")]
    assert lock.query == {"ifMetagenerationMatch": "1"}
    assert world.gcp.get("storage.googleapis.com/b/sample")["retentionPolicy"]["isLocked"] is True


async def test_a_longer_period_and_its_lock_are_two_calls_and_a_lock_is_never_undone():
    world = World()
    await settled(world, {"retentionPolicy": {"retentionPeriod": 60}})
    before = len(world.gcp.mutations)
    _, ready = await settled(world, {"retentionPolicy": {"retentionPeriod": 90, "isLocked": True}, "versioning": {"enabled": True}})
    assert ready["status"] == "True", ready
    assert world.gcp.mutations[before:] == ["storage.buckets.patch", "storage.buckets.lockRetentionPolicy"]
    before = len(world.gcp.mutations)
    _, ready = await settled(world, {"retentionPolicy": {"retentionPeriod": 90, "isLocked": False}, "versioning": {"enabled": True}})
    assert ready["status"] == "False"
    assert "retentionPolicy.isLocked" in ready["message"], ready
    assert len(world.gcp.mutations) == before


async def test_a_rule_for_objects_in_any_state_has_no_condition_on_it():
    world = World()
    key, ready = await settled(world, {"lifecycleRule": [{"action": {"type": "Delete"}, "condition": {"age": 7, "withState": "ANY"}}]})
    assert ready["status"] == "True", ready
    assert world.gcp.get("storage.googleapis.com/b/sample")["lifecycle"]["rule"] == [{"action": {"type": "Delete"}, "condition": {"age": 7}}]
    assert type((await world.step(key)).plan).__name__ == "Rest"
    assert (await world.get(key))["status"]["url"] == "gs://sample"
