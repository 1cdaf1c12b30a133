"""A crash at any point of create, update, adopt and delete: before or after any call to the cloud or write to the store. Restarted, the
engine converges to exactly one resource, as declared. All points are tried, not a sample."""

from __future__ import annotations

import itertools

import pytest

from holdfast.model.objects import condition
from holdfast.providers.aws.client import AwsClient
from holdfast.providers.fake import FakeTransport
from holdfast.providers.wire import Gate
from tests.world import VENDOR, World


class Crash(BaseException):
    """The process is gone: nothing may catch this."""


class Fuse:
    """Burns down one step at every boundary, then the process is gone."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def burn(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise Crash


def with_fuse(world: World, fuse: Fuse) -> None:
    """Both boundaries: the wire, and the store's writes."""
    cloud = world.engine.clouds["aws"]
    transport = cloud._client._transport

    class Wire:
        async def send(self, request):
            fuse.burn()
            answer = await transport.send(request)
            fuse.burn()
            return answer

    cloud._client._transport = Wire()
    write = type(world.store)._write

    async def guarded(work):
        fuse.burn()
        result = await write(world.store, work)
        fuse.burn()
        return result

    world.store._write = guarded


async def crash_at(step: int, world: World, key) -> bool:
    """Reconcile until the fuse burns down; False when all was done before."""
    fuse = Fuse(step)
    with_fuse(world, fuse)
    burnt = False
    try:
        await world.settle(key)
    except* Crash:  # alone, or out of a group of reads
        burnt = True
    finally:
        del world.store._write
        world.restart()
    return burnt


QUEUE = {"apiVersion": "sqs.services.k8s.aws/v1alpha1", "kind": "Queue", "metadata": {"name": "it"},
         "spec": {"queueName": "it", "visibilityTimeout": "45", "delaySeconds": "3", "tags": {"team": "a"}}}
KEY = {"apiVersion": "kms.services.k8s.aws/v1alpha1", "kind": "Key", "metadata": {"name": "it"},
       "spec": {"description": "it", "enableKeyRotation": True, "tags": [{"tagKey": "team", "tagValue": "a"}]}}
BUCKET = {"apiVersion": "s3.services.k8s.aws/v1alpha1", "kind": "Bucket", "metadata": {"name": "it"},
          "spec": {"name": "it-bucket", "versioning": {"status": "Enabled"}, "tagging": {"tagSet": [{"key": "team", "value": "a"}]}}}
VPC = {"apiVersion": "ec2.services.k8s.aws/v1alpha1", "kind": "VPC", "metadata": {"name": "it"},
       "spec": {"cidrBlocks": ["10.9.0.0/16"], "enableDNSSupport": True, "tags": [{"key": "team", "value": "a"}]}}
ROLE = {"apiVersion": "iam.services.k8s.aws/v1alpha1", "kind": "Role", "metadata": {"name": "it"},
        "spec": {"name": "it", "description": "x", "tags": [{"key": "team", "value": "a"}],
                 "assumeRolePolicyDocument": '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"ec2.amazonaws.com"},"Action":"sts:AssumeRole"}]}'}}
CHANGED = {
    "Queue": {"visibilityTimeout": "50", "tags": {"team": "b"}},
    "Key": {"enableKeyRotation": False, "tags": [{"tagKey": "team", "tagValue": "b"}]},
    "Bucket": {"versioning": {"status": "Suspended"}, "tagging": {"tagSet": [{"key": "team", "value": "b"}]}},
    "VPC": {"enableDNSSupport": False, "tags": [{"key": "team", "value": "b"}]},
    "Role": {"description": "y", "tags": [{"key": "team", "value": "b"}]},
}
COUNT = {  # how many there are, as the cloud says
    "Queue": ("sqs", "ListQueues", {}, lambda a: len(a.get("QueueUrls") or [])),
    "Key": ("kms", "ListKeys", {}, lambda a: len(a["Keys"])),
    "Bucket": ("s3", "ListBuckets", {}, lambda a: len(a["Buckets"])),
    "VPC": ("ec2", "DescribeVpcs", {"Filters": [{"Name": "cidr", "Values": ["10.9.0.0/16"]}]}, lambda a: len(a["Vpcs"])),
    "Role": ("iam", "ListRoles", {}, lambda a: len(a["Roles"])),
}
ALL = [QUEUE, KEY, BUCKET, VPC, ROLE]


async def count(world: World, kind: str) -> int:
    service, operation, params, number = COUNT[kind]
    return number(await AwsClient(FakeTransport(world.cloud), Gate(), VENDOR).call(service, "eu-west-1", operation, params))


async def converged(world: World, key, kind: str, step: int) -> None:
    await world.settle(key)
    obj = await world.store.get(key)
    assert condition(obj.status).get("status") == "True", (step, condition(obj.status))
    assert "intent" not in obj.status
    assert await count(world, kind) == 1, f"crash at step {step} made {await count(world, kind)} of them"
    writes, version = len(world.cloud.mutations), await world.store.version()
    await world.step(key)
    assert len(world.cloud.mutations) == writes, f"after a crash at step {step} it does not rest"
    assert await world.store.version() == version


@pytest.mark.parametrize("body", ALL, ids=lambda b: b["kind"])
async def test_a_crash_at_any_point_of_create_makes_exactly_one(body):
    for step in itertools.count(1):
        world = World()
        key = await world.apply(body)
        crashed = await crash_at(step, world, key)
        await converged(world, key, body["kind"], step)
        if not crashed:
            assert step > 8, "the fuse never burnt"
            return


@pytest.mark.parametrize("body", ALL, ids=lambda b: b["kind"])
async def test_a_crash_at_any_point_of_update_converges(body):
    for step in itertools.count(1):
        world = World()
        key = await world.apply(body)
        await world.settle(key)
        await world.apply({**body, "spec": {**body["spec"], **CHANGED[body["kind"]]}})
        crashed = await crash_at(step, world, key)
        await converged(world, key, body["kind"], step)
        if not crashed:
            return


@pytest.mark.parametrize("body", ALL, ids=lambda b: b["kind"])
async def test_a_crash_at_any_point_of_adoption_converges(body):
    for step in itertools.count(1):
        maker = World()
        made = await maker.apply(body)
        await maker.settle(made)
        identity = (await maker.get(made))["status"]["ackResourceMetadata"]["arn"]
        world = maker.another()
        adopted = await world.apply({"apiVersion": body["apiVersion"], "kind": "AdoptedResource", "metadata": {"name": "it"},
                                     "spec": {"apiVersion": body["apiVersion"], "kind": body["kind"], "identifier": {"arn": identity}}})
        crashed = await crash_at(step, world, adopted)
        await world.settle(adopted)
        assert (await world.condition(adopted))["status"] == "True", step
        again = await crash_at(step, world, made)
        await converged(world, made, body["kind"], step)
        assert (await world.get(made))["status"]["adopted"] is True, step
        if not crashed and not again:
            return


@pytest.mark.parametrize("body", [b for b in ALL if b["kind"] != "Key"], ids=lambda b: b["kind"])
async def test_a_crash_at_any_point_of_deletion_leaves_nothing(body):
    for step in itertools.count(1):
        world = World()
        key = await world.apply(body)
        await world.settle(key)
        await world.store.delete(key)
        crashed = await crash_at(step, world, key)
        await world.settle(key)
        assert await world.get(key) is None, step
        assert await count(world, body["kind"]) == 0, step
        if not crashed:
            return
