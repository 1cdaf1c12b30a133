"""The controller loop on a fake cloud: what wakes an object, and what does not."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import asynccontextmanager

import pytest

from holdfast.model.objects import ObjectKey
from holdfast.providers.aws.client import AwsClient
from holdfast.providers.fake import FakeTransport
from holdfast.providers.wire import Gate
from holdfast.runtime.operator import Operator
from tests.world import World

PAUSE = "services.k8s.aws/actuation-mode"
FORCE = "services.k8s.aws/force-acquire"


def queue(name: str = "orders", *, notes: dict | None = None, namespace: str = "default", **spec) -> dict:
    metadata = {"name": name, "namespace": namespace, **({"annotations": notes} if notes else {})}
    return {"apiVersion": "sqs.services.k8s.aws/v1alpha1", "kind": "Queue", "metadata": metadata, "spec": {"queueName": name, **spec}}


KMS_KEY = {"apiVersion": "kms.services.k8s.aws/v1alpha1", "kind": "Key", "metadata": {"name": "main"}, "spec": {"description": "d"}}


class Watched:
    """A running operator, and everything that it did."""

    def __init__(self, world: World) -> None:
        self.world, self.count, self._news = world, Counter(), asyncio.Event()
        self.operator = Operator(world.engine, self._seen)
        self.task: asyncio.Future | None = None

    def _seen(self, result) -> None:
        self.count[result.key.name] += 1
        self._news.set()

    async def until(self, check) -> None:
        """Until `check` holds, looked at after every reconcile."""
        while not await check():
            self._news.clear()
            news = asyncio.ensure_future(self._news.wait())
            await asyncio.wait({news, self.task}, return_when=asyncio.FIRST_COMPLETED)
            news.cancel()
            assert not self.task.done(), f"the controller stopped: {self.task.exception().exceptions}"

    async def until_ready(self, key: ObjectKey, reason: str = "UpToDate") -> None:
        async def check() -> bool:
            return await self.world.get(key) is not None and (await self.world.condition(key)).get("reason") == reason

        await self.until(check)

    async def until_calm(self) -> None:
        """Every change has been looked at, and nothing is queued."""
        while len(self.operator.queue) or self.operator.seen < await self.world.store.version():
            assert not self.task.done(), f"the controller stopped: {self.task.exception().exceptions}"
            await asyncio.sleep(0)


@asynccontextmanager
async def running(world: World):
    watched = Watched(world)
    async with asyncio.timeout(20):
        task = watched.task = asyncio.ensure_future(watched.operator.run(await world.store.version()))
        try:
            yield watched
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def by_hand(world: World, service: str, operation: str, **params):
    """Somebody else's hand in the cloud."""
    return await AwsClient(FakeTransport(world.cloud), Gate()).call(service, "eu-west-1", operation, params)


def url(name: str) -> str:
    return f"http://127.0.0.1:9/123456789012/{name}"


# ---- what wakes an object -------------------------------------------------------------------------------------------------


async def test_what_was_stored_before_the_start_is_reconciled(world):
    key = await world.apply(queue())
    async with running(world) as op:
        await op.until_ready(key)


async def test_what_is_stored_later_is_reconciled(world):
    async with running(world) as op:
        key = await world.apply(queue())
        await op.until_ready(key)


async def test_an_edit_is_carried_out(world):
    async with running(world) as op:
        key = await world.apply(queue(visibilityTimeout="30"))
        await op.until_ready(key)
        await world.apply(queue(visibilityTimeout="60"))

        async def done() -> bool:
            body = await world.get(key)
            return body["status"].get("observedGeneration") == 2 and (await world.condition(key))["status"] == "True"

        await op.until(done)
        live = await by_hand(world, "sqs", "GetQueueAttributes", QueueUrl=url("orders"), AttributeNames=["VisibilityTimeout"])
        assert live["Attributes"]["VisibilityTimeout"] == "60"


async def test_a_reference_that_becomes_ready_wakes_its_referrer(world):
    async with running(world) as op:
        key = await world.apply(queue(kmsMasterKeyRef={"from": {"name": "main"}}))
        await op.until_ready(key, "DependencyNotFound")
        assert world.cloud.mutations == []
        await world.apply(KMS_KEY)
        await op.until_ready(key)
        assert [m for m in world.cloud.mutations if m.startswith("Create")] == ["CreateKey", "CreateQueue"]


async def test_a_secret_that_changes_wakes_its_referrer(world):
    def plain(text: str) -> dict:
        return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db"}, "stringData": {"password": text}}

    body = {"apiVersion": "secretsmanager.services.k8s.aws/v1alpha1", "kind": "Secret", "metadata": {"name": "db"},
            "spec": {"name": "db", "secretString": {"name": "db", "key": "password"}}}
    async with running(world) as op:
        key = await world.apply(body)
        await op.until(lambda: _said(world, key))
        assert world.cloud.mutations == []
        await world.apply(plain("one"))
        await op.until_ready(key)
        await world.apply(plain("two"))

        async def changed() -> bool:
            return (await by_hand(world, "secretsmanager", "GetSecretValue", SecretId="db"))["SecretString"] == "two"

        await op.until(changed)


async def _said(world: World, key: ObjectKey) -> bool:
    return bool((await world.condition(key)).get("reason"))


async def test_an_edit_of_the_namespace_wakes_its_objects_and_no_others(world):
    def namespace(mode: str) -> dict:
        return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "annotations": {PAUSE: mode}}}

    async with running(world) as op:
        inside, outside = await world.apply(queue("inside", namespace="shop")), await world.apply(queue("outside"))
        await op.until_ready(inside)
        await op.until_ready(outside)
        await op.until_calm()
        others, calls = op.count["outside"], len(world.cloud.log)
        await world.apply(namespace("Paused"))
        await op.until_ready(inside, "Paused")
        assert len(world.cloud.log) == calls, "paused: no cloud call at all"
        await world.apply(namespace("Reconciling"))
        await op.until_ready(inside)
        assert op.count["outside"] == others


async def test_a_namespace_that_goes_wakes_its_objects(world):
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "annotations": {PAUSE: "Paused"}}}
    async with running(world) as op:
        await world.apply(space)
        key = await world.apply(queue(namespace="shop"))
        await op.until_ready(key, "Paused")
        await world.store.delete(ObjectKey("", "Namespace", "default", "shop"))
        await op.until_ready(key)


async def test_a_deletion_is_carried_out(world):
    async with running(world) as op:
        key = await world.apply(queue())
        await op.until_ready(key)
        await world.store.delete(key)

        async def gone() -> bool:
            return await world.get(key) is None

        await op.until(gone)
        assert world.cloud.mutations[-1] == "DeleteQueue"


async def test_drift_is_corrected_at_the_next_resync(world):
    world.restart(resync_seconds=0.05)
    async with running(world) as op:
        key = await world.apply(queue(visibilityTimeout="30"))
        await op.until_ready(key)
        await by_hand(world, "sqs", "SetQueueAttributes", QueueUrl=url("orders"), Attributes={"VisibilityTimeout": "7"})

        async def corrected() -> bool:
            live = await by_hand(world, "sqs", "GetQueueAttributes", QueueUrl=url("orders"), AttributeNames=["VisibilityTimeout"])
            return live["Attributes"]["VisibilityTimeout"] == "30"

        await op.until(corrected)


async def test_a_resync_that_finds_nothing_writes_nothing(world):
    world.restart(resync_seconds=0.02)
    async with running(world) as op:
        key = await world.apply(queue())
        await op.until_ready(key)
        await op.until_calm()
        version, writes, seen = await world.store.version(), len(world.cloud.mutations), op.count["orders"]

        async def five_more() -> bool:
            return op.count["orders"] >= seen + 5

        await op.until(five_more)
        assert await world.store.version() == version
        assert len(world.cloud.mutations) == writes


# ---- what does not --------------------------------------------------------------------------------------------------------


async def _plain(world: World) -> ObjectKey:
    return await world.apply(queue())


async def _differs(world: World) -> ObjectKey:
    await by_hand(world, "sqs", "CreateQueue", QueueName="orders")
    return await world.apply(queue(notes={FORCE: "true"}, delaySeconds="5"))


async def _missing(world: World) -> ObjectKey:
    return await world.apply(queue(notes={FORCE: "true"}))


async def _refused(world: World) -> ObjectKey:
    await by_hand(world, "sqs", "CreateQueue", QueueName="orders")
    return await world.apply(queue())


async def _denied(world: World) -> ObjectKey:
    world.cloud.misbehave(operation="CreateQueue", times=None, error=(403, "AccessDenied"))
    return await world.apply(queue())


async def _waits(world: World) -> ObjectKey:
    return await world.apply(queue(kmsMasterKeyRef={"from": {"name": "main"}}))


async def _adopts_in_place(world: World) -> ObjectKey:
    await by_hand(world, "sqs", "CreateQueue", QueueName="orders")
    return await world.apply(queue(notes={"services.k8s.aws/adoption-policy": "adopt"}))


async def _adopted_resource(world: World) -> ObjectKey:
    await by_hand(world, "sqs", "CreateQueue", QueueName="orders")
    spec = {"apiVersion": "sqs.services.k8s.aws/v1alpha1", "kind": "Queue", "identifier": {"name": "orders"}, "metadata": {"name": "target"}}
    return await world.apply({"apiVersion": "sqs.services.k8s.aws/v1alpha1", "kind": "AdoptedResource", "metadata": {"name": "orders"}, "spec": spec})


STARTS = {"created": _plain, "verified and different": _differs, "verified and missing": _missing, "refused": _refused, "denied by the cloud": _denied,
          "waiting for a reference": _waits, "adopted in place": _adopts_in_place, "AdoptedResource": _adopted_resource}


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
async def test_our_own_writes_cause_no_reconcile(world, start):
    """One change by a user, one reconcile: finalizer, intent and status are ours, and news to nobody."""
    async with running(world) as op:
        key = await start(world)
        await op.until(lambda: _said(world, key))
        await op.until_calm()
        assert op.count["orders"] == 1


async def test_a_users_edit_in_the_middle_of_a_reconcile_is_not_missed(world):
    """It is between our own writes, and still news."""
    edited = queue(visibilityTimeout="60")

    def edit() -> None:
        world.store._tables.apply(edited, "user")

    async with running(world) as op:
        world.cloud.misbehave(operation="CreateQueue", times=1, before=edit)
        key = await world.apply(queue(visibilityTimeout="30"))

        async def done() -> bool:
            body = await world.get(key)
            return (body.get("status") or {}).get("observedGeneration") == 2 and (await world.condition(key)).get("status") == "True"

        await op.until(done)
        live = await by_hand(world, "sqs", "GetQueueAttributes", QueueUrl=url("orders"), AttributeNames=["VisibilityTimeout"])
        assert live["Attributes"]["VisibilityTimeout"] == "60"


async def test_a_referrer_is_not_woken_for_ever_by_what_it_refers_to(world):
    async with running(world) as op:
        await world.apply(KMS_KEY)
        key = await world.apply(queue(kmsMasterKeyRef={"from": {"name": "main"}}))
        await op.until_ready(key)
        await op.until_calm()
        assert op.count["orders"] <= 6, op.count


# ---- what goes wrong ------------------------------------------------------------------------------------------------------


async def test_an_error_of_one_object_does_not_hold_up_another(world):
    async with running(world) as op:
        world.cloud.misbehave(operation="GetQueueUrl", times=1, error=(500, "InternalError"))
        first = await world.apply(queue("first"))
        await op.until(lambda: _said(world, first))
        second = await world.apply(queue("second"))
        await op.until_ready(second)


async def test_an_unforeseen_failure_of_one_object_does_not_stop_the_controller(world):
    """A fault in our own code is that object's trouble: the others are still looked after."""

    def explode() -> None:
        raise ZeroDivisionError("a fault of ours")

    async with running(world) as op:
        world.cloud.misbehave(operation="GetQueueUrl", times=1, before=explode)
        await world.apply(queue("poison"))
        await op.until_calm()
        key = await world.apply(queue("orders"))
        await op.until_ready(key)


async def test_an_interval_of_zero_means_no_resync(world):
    """Config Connector's word: drift is then seen only when the object changes."""
    world.restart(resync_seconds=0.02)
    body = {"apiVersion": "pubsub.cnrm.cloud.google.com/v1beta1", "kind": "PubSubTopic",
            "metadata": {"name": "orders", "namespace": "shop", "annotations": {"cnrm.cloud.google.com/reconcile-interval-in-seconds": "0"}}, "spec": {}}
    key = await world.apply(body)
    operator = Operator(world.engine)
    task = asyncio.ensure_future(operator.run(await world.store.version(), [key]))
    await asyncio.sleep(0.3)
    looks = len(world.gcp.log)
    await asyncio.sleep(0.3)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert looks == len(world.gcp.log) == 3  # look, create, look
