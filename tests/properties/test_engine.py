"""Properties of the whole engine on the fake cloud: verify-only never writes, and a second reconcile rests, for any spec and any live state."""

from __future__ import annotations

import asyncio

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.model.errors import CloudError
from holdfast.providers.aws.client import AwsClient
from holdfast.providers.fake import FakeTransport
from holdfast.providers.wire import Gate
from tests.invariants import check_status
from tests.world import VENDOR, World

FORCE = "services.k8s.aws/force-acquire"
NUMBERS = {"delaySeconds": (0, 9), "visibilityTimeout": (0, 60), "messageRetentionPeriod": (60, 600), "receiveMessageWaitTimeSeconds": (0, 20)}
WIRE = {"delaySeconds": "DelaySeconds", "visibilityTimeout": "VisibilityTimeout", "messageRetentionPeriod": "MessageRetentionPeriod",
        "receiveMessageWaitTimeSeconds": "ReceiveMessageWaitTimeSeconds"}
POLICIES = ["", '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"sqs:SendMessage","Resource":"*"}]}',
            '{"Statement":{"Action":["SQS:SendMessage"],"Effect":"Allow","Principal":{"AWS":"*"},"Resource":["*"]},"Version":"2012-10-17"}']
texts = st.fixed_dictionaries({}, optional={k: st.integers(lo, hi).map(str) for k, (lo, hi) in NUMBERS.items()})
tags = st.dictionaries(st.sampled_from(["team", "env", "aws-like", "kubernetes.io/name"]), st.sampled_from(["", "a", "b"]), max_size=3)
specs = st.tuples(texts, st.none() | tags, st.none() | st.sampled_from(POLICIES)).map(
    lambda t: {**t[0], **({"tags": t[1]} if t[1] is not None else {}), **({"policy": t[2]} if t[2] is not None else {})})
lives = st.none() | st.tuples(texts, tags)
modes = st.sampled_from(["adopt-or-create", "plain"])


async def make_live(world: World, live) -> None:
    if live is not None:
        hand = AwsClient(FakeTransport(world.cloud), Gate(), VENDOR)
        await hand.call("sqs", "eu-west-1", "CreateQueue", {"QueueName": "it", "Attributes": {WIRE[k]: v for k, v in live[0].items()}, "tags": live[1]})
        world.cloud.log.clear()


def queue(spec: dict, **notes: str) -> dict:
    return {"apiVersion": "sqs.services.k8s.aws/v1alpha1", "kind": "Queue", "metadata": {"name": "it", "annotations": notes},
            "spec": {"queueName": "it", **spec}}


async def check_verify_only(spec: dict, live, drift: dict) -> None:
    world = World()
    await make_live(world, live)
    key = await world.apply(queue(spec, **{FORCE: "true"}))
    for _ in range(2):
        await world.step(key)
        check_status(await world.store.get(key))
    if live is not None and drift:
        hand = AwsClient(FakeTransport(world.cloud), Gate(), VENDOR)
        await hand.call("sqs", "eu-west-1", "SetQueueAttributes", {"QueueUrl": "http://127.0.0.1:9/123456789012/it",
                                                                   "Attributes": {WIRE[k]: v for k, v in drift.items()}})
        world.cloud.log.clear()
    await world.step(key)
    await world.store.delete(key)
    await world.settle(key)
    assert await world.get(key) is None
    assert world.cloud.mutations == []
    assert world.gate.writes == 0


async def check_rests(spec: dict, live, after: dict, mode: str) -> None:
    world = World()
    await make_live(world, live)
    notes = {"services.k8s.aws/adoption-policy": mode} if mode != "plain" else {}
    for wanted in (spec, after):
        key = await world.apply(queue(wanted, **notes))
        await world.settle(key)
        obj = await world.store.get(key)
        check_status(obj)
        writes, version = len(world.cloud.mutations), await world.store.version()
        for _ in range(2):
            await world.step(key)
        assert len(world.cloud.mutations) == writes
        assert await world.store.version() == version
    if live is not None and mode == "plain":
        assert world.cloud.mutations == [], "somebody's queue was touched by a plain apply"


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(spec=specs, live=lives, drift=texts)
def test_verify_only_sends_no_mutating_call_for_any_spec_and_live_state(spec, live, drift):
    asyncio.run(check_verify_only(spec, live, drift))


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(spec=specs, live=lives, after=specs, mode=modes)
def test_a_second_reconcile_rests_with_no_write_anywhere(spec, live, after, mode):
    asyncio.run(check_rests(spec, live, after, mode))


def test_the_fake_refuses_what_it_does_not_know():
    """An oracle must be able to say no."""
    async def ask() -> None:
        await AwsClient(FakeTransport(World().cloud), Gate(), VENDOR).call("sqs", "eu-west-1", "GetQueueUrl", {"QueueName": "nothing"})

    try:
        asyncio.run(ask())
    except CloudError as error:
        assert error.service_code in ("AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist")
    else:
        raise AssertionError("a queue that does not exist was found")
