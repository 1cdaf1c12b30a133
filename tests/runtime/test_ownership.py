"""Whose a resource is: what was made twice, borrowed or forged must never count as ours."""

from __future__ import annotations

from holdfast.providers.aws.client import AwsClient
from holdfast.providers.fake import FakeTransport
from holdfast.providers.wire import Gate
from tests.world import VENDOR, World

TRUST = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"ec2.amazonaws.com"},"Action":"sts:AssumeRole"}]}'
ROLE = {"apiVersion": "iam.services.k8s.aws/v1alpha1", "kind": "Role", "metadata": {"name": "x"},
        "spec": {"name": "x", "path": "/a/", "assumeRolePolicyDocument": TRUST}}
KEY = {"apiVersion": "kms.services.k8s.aws/v1alpha1", "kind": "Key", "metadata": {"name": "k"}, "spec": {"description": "it"}}
BUCKET = {"apiVersion": "s3.services.k8s.aws/v1alpha1", "kind": "Bucket", "metadata": {"name": "b"}, "spec": {"name": "skewed"}}
QUEUE = {"apiVersion": "sqs.services.k8s.aws/v1alpha1", "kind": "Queue", "metadata": {"name": "q"}, "spec": {"queueName": "q", "visibilityTimeout": "60"}}


def hand(world: World) -> AwsClient:
    return AwsClient(FakeTransport(world.cloud), Gate(), VENDOR)


async def test_a_role_made_anew_under_another_path_is_not_the_one_that_status_names(world):
    key = await world.apply(ROLE)
    await world.settle(key)
    iam = hand(world)
    await iam.call("iam", "eu-west-1", "DeleteRole", {"RoleName": "x"})
    await iam.call("iam", "eu-west-1", "CreateRole", {"RoleName": "x", "Path": "/b/", "AssumeRolePolicyDocument": TRUST})
    await world.settle(key)
    assert (await world.condition(key))["reason"] == "AlreadyExists"
    await world.store.delete(key)
    before = len(world.cloud.mutations)
    await world.settle(key)
    assert await world.get(key) is None
    assert world.cloud.mutations[before:] == [], "somebody else's role was touched"


async def test_a_create_that_takes_a_minute_and_loses_its_answer_makes_one_key(world):
    key = await world.apply(KEY)
    world.cloud.misbehave(operation="CreateKey", lost=True, before=lambda: world.clock.advance(60))
    await world.step(key)
    world.cloud.misbehave(operation="ListKeys", stale=True)  # the list does not show it yet
    await world.settle(key)
    assert (await world.condition(key))["status"] == "True"
    assert len((await hand(world).call("kms", "eu-west-1", "ListKeys", {}))["Keys"]) == 1
    assert world.cloud.mutations.count("CreateKey") == 1


async def test_a_retried_create_keeps_its_token(world):
    key = await world.apply(KEY)
    world.cloud.misbehave(operation="CreateKey", error=(500, "InternalFailure"), times=2)
    tokens = set()
    for _ in range(2):
        await world.step(key)
        tokens.add((await world.get(key))["status"]["intent"]["token"])
        world.clock.advance(60)
    assert len(tokens) == 1


async def test_a_clock_that_runs_ahead_does_not_lose_a_bucket_that_we_made(world):
    from datetime import UTC, datetime, timedelta

    world.clock.at = datetime.now(UTC) + timedelta(seconds=60)
    key = await world.apply(BUCKET)
    world.cloud.misbehave(operation="CreateBucket", lost=True)
    await world.step(key)
    await world.settle(key)
    assert (await world.condition(key))["status"] == "True"


async def test_a_forged_override_on_a_new_object_counts_for_nothing(world):
    await hand(world).call("sqs", "eu-west-1", "CreateQueue", {"QueueName": "q", "Attributes": {"VisibilityTimeout": "30"}})
    notes = {"services.k8s.aws/force-acquire": "true",
             "services.k8s.aws/spec-overrides": '{"visibilityTimeout":{"userInput":"60","serverOverride":"30"}}'}
    key = await world.apply({**QUEUE, "metadata": {"name": "q", "annotations": notes}})
    await world.step(key)
    assert (await world.condition(key))["reason"] == "UpdateFailed"


async def test_the_adopted_annotation_alone_takes_nothing(world):
    await hand(world).call("sqs", "eu-west-1", "CreateQueue", {"QueueName": "q", "Attributes": {"VisibilityTimeout": "30"}})
    before = len(world.cloud.mutations)
    key = await world.apply({**QUEUE, "metadata": {"name": "q", "annotations": {"services.k8s.aws/adopted": "true"}}})
    await world.settle(key)
    assert (await world.condition(key))["reason"] == "AlreadyExists"
    assert world.cloud.mutations[before:] == []


async def test_an_ask_that_comes_during_a_reconcile_is_answered(world):
    """Otherwise `apply` beside `run` would wait for ever."""
    import asyncio

    from holdfast.runtime.operator import Operator

    key = await world.apply(QUEUE)
    asked: list[int] = []
    world.cloud.misbehave(operation="CreateQueue", before=lambda: asked.append(world.store._tables.ask(key)))
    task = asyncio.ensure_future(Operator(world.engine).run(await world.store.version(), [key]))
    try:
        async with asyncio.timeout(10):
            while not (asked and await world.store.is_answered(asked[0])):  # noqa: ASYNC110  (another process could only poll, too)
                await asyncio.sleep(0.01)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert asked
