"""One simulated day in the life of an installation.

Actors: a controller that is killed at random; a user who edits, annotates and deletes; a GitOps tool that applies its manifests again and
strips what it does not know; somebody who changes the cloud by hand; and a cloud that is slow, throttles, fails, loses answers and shows
old values. Then everybody stops, the controller goes on, and the oracles look.
"""

from __future__ import annotations

import asyncio
import json
import random

from holdfast.app import make_engine, memory_store
from holdfast.model.errors import CloudError, HoldfastError, Retry
from holdfast.model.objects import condition
from holdfast.providers.aws.client import AwsClient
from holdfast.providers.aws.fake import FakeAws
from holdfast.providers.wire import Gate, WireRequest, WireResponse, is_mutating
from holdfast.runtime.operator import Operator
from holdfast.runtime.settings import Settings
from tests.invariants import check_status
from tests.simulation.virtual import VirtualClock, VirtualLoop
from tests.world import VENDOR

CLOUD = FakeAws()  # moto's state is global, so one is enough; each run resets it
FORCE = "services.k8s.aws/force-acquire"
URL = "http://127.0.0.1:9/123456789012"
ERRORS = ((500, "InternalFailure"), (503, "ServiceUnavailable"), (400, "ThrottlingException"), (403, "AccessDenied"))


def fail_loudly(key) -> None:
    raise AssertionError(f"unforeseen, at {key}")


class SimTransport:
    """Bytes in, bytes out, late, sometimes never, sometimes old."""

    def __init__(self, sim: Sim) -> None:
        self._sim = sim
        self._old: dict[tuple, tuple[float, WireResponse]] = {}

    async def send(self, request: WireRequest) -> WireResponse:
        sim, rng = self._sim, self._sim.rng
        await asyncio.sleep(rng.uniform(0.01, 0.4))
        fault = rng.random() if sim.is_stormy else 1.0
        if fault < 0.04:
            raise CloudError("HF504", "connection refused", retry=Retry.SOON, sent=False)
        if fault < 0.10:
            sim.cloud.misbehave(operation=".*", error=rng.choice(sim.errors))
        sim.note_call(request)
        key = (request.operation, request.url, request.body, request.method)
        fresh = sim.cloud.handle(request.method, request.url, dict(request.headers), request.body, request.operation)
        if not is_mutating(request.operation) and key in self._old and sim.is_stormy and 0.10 < fault < 0.16:
            seen, answer = self._old[key]
            if sim.loop.time() - seen < 1.5 and answer.status < 300:  # a replica that lags: never longer than the settle time
                fresh = answer
        else:
            self._old[key] = (sim.loop.time(), fresh)
        await asyncio.sleep(rng.uniform(0.01, 0.4))
        if is_mutating(request.operation) and fault > 0.94 and sim.is_stormy:
            raise CloudError("HF504", f"no answer to {request.operation}", retry=Retry.SOON)
        return fresh


class Sim:
    errors, force, overrides = ERRORS, FORCE, "services.k8s.aws/spec-overrides"
    names: tuple[str, ...] = ("jobs", "mail", "key")
    version = "v1alpha1"

    def __init__(self, loop: VirtualLoop, seed: int) -> None:
        self.cloud = CLOUD
        self.loop, self.seed, self.rng = loop, seed, random.Random(seed)
        self.is_stormy = True
        self.clock = VirtualClock(loop, random.Random(seed + 1))
        self.store = memory_store(clock=self.clock)
        self.transport = SimTransport(self)
        self.log: list[str] = []
        self.wanted: dict[str, dict] = {}
        self.deleted: set[str] = set()
        self.forgetful: set[str] = set()  # objects whose status, and with it appliedFields, was lost once
        self.audited_touched: list[str] = []
        self.hand = AwsClient(_Direct(), Gate(), VENDOR)

    def note_call(self, request: WireRequest) -> None:
        self.log.append(f"{self.loop.time():.3f} {request.operation}")
        if is_mutating(request.operation) and b"audited" in request.body:
            self.audited_touched.append(request.operation)

    # ---- the actors

    async def controller(self) -> None:
        """Killed at random moments, restarted after a while; nothing but the store survives."""
        while True:
            engine, _, _ = make_engine(self.store, transport=self.transport, clock=self.clock, vendor=VENDOR, settings=Settings(resync_seconds=120.0, workers=3))
            task = asyncio.ensure_future(Operator(engine, None, fail_loudly).run(await self.store.version(), None))
            try:
                await asyncio.sleep(self.rng.uniform(3, 90) if self.is_stormy else 10_000)
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            self.log.append(f"{self.loop.time():.3f} killed")
            await asyncio.sleep(self.rng.uniform(0, 5))

    async def user(self) -> None:
        for name in self.names:
            await self.apply(name, self.first(name))
            await asyncio.sleep(self.rng.uniform(0, 10))
        while True:
            await asyncio.sleep(self.rng.uniform(5, 60))
            await self.edit()

    def first(self, name: str) -> dict:
        if name == "key":
            return {"description": "sim", "tags": [{"tagKey": "team", "tagValue": "a"}]}
        return {"queueName": name, "visibilityTimeout": "30", "tags": {"team": "a"}}

    async def edit(self) -> None:
        name = self.rng.choice(self.names)
        if name in self.deleted:
            if await self.store.get(self.key(name)) is None:
                self.deleted.discard(name)
                await self.apply(name, self.first(name))
            return
        what = self.rng.random()
        spec = dict(self.wanted[name]["spec"])
        if what < 0.08:
            await self.delete(name)
        elif what < 0.14:
            await self.lose_status(name)
        elif what < 0.3 and name != "key":
            await self.annotate(name, {self.force: "true"})
            await asyncio.sleep(self.rng.uniform(1, 40))
            await self.annotate(name, {self.force: None})
        else:
            await self.apply(name, self.edited(name, spec))

    def edited(self, name: str, spec: dict) -> dict:
        if name == "key":
            return {**spec, "tags": [{"tagKey": "team", "tagValue": self.rng.choice("abc")}]}
        if self.rng.random() < 0.4:
            return {k: v for k, v in spec.items() if k != "delaySeconds"} | ({} if self.rng.random() < 0.5 else {"delaySeconds": str(self.rng.randint(1, 9))})
        return {**spec, "visibilityTimeout": str(self.rng.randint(30, 40))}

    async def gitops(self) -> None:
        """Applies every manifest again, and strips annotations that are not in it."""
        while True:
            await asyncio.sleep(self.rng.uniform(20, 60))
            for name, body in list(self.wanted.items()):
                if name not in self.deleted:
                    await self.quietly(self.store.apply(body, "user"))
                    if self.rng.random() < 0.3:
                        await self.annotate(name, {self.overrides: None})

    async def somebody(self) -> None:
        """Changes the live queues by hand, and puts a tag of their own on them."""
        while True:
            await asyncio.sleep(self.rng.uniform(10, 80))
            name = self.rng.choice(["jobs", "mail"])
            try:
                if self.rng.random() < 0.3:
                    await self.hand.call("sqs", "eu-west-1", "TagQueue", {"QueueUrl": f"{URL}/{name}", "Tags": {"foreign": "yes"}})
                else:
                    await self.hand.call("sqs", "eu-west-1", "SetQueueAttributes",
                                         {"QueueUrl": f"{URL}/{name}", "Attributes": {"VisibilityTimeout": str(self.rng.randint(50, 60))}})
            except CloudError:
                continue

    # ---- their hands

    def key(self, name: str):
        from holdfast.model.objects import ObjectKey

        return ObjectKey("kms.services.k8s.aws", "Key", "default", name) if name == "key" else ObjectKey("sqs.services.k8s.aws", "Queue", "default", name)

    async def apply(self, name: str, spec: dict) -> None:
        key = self.key(name)
        self.wanted[name] = {"apiVersion": f"{key.group}/{self.version}", "kind": key.kind, "metadata": {"name": name, "namespace": key.namespace}, "spec": spec}
        await self.quietly(self.store.apply(self.wanted[name], "user"))

    async def quietly(self, work) -> None:
        """The user's tools retry conflicts; a refusal is the user's own business."""
        try:
            await work
        except HoldfastError:
            return

    async def annotate(self, name: str, notes: dict) -> None:
        for _ in range(5):
            obj = await self.store.get(self.key(name))
            if obj is None:
                return
            try:
                await self.store.write_metadata(obj, obj.finalizers, notes)
                return
            except HoldfastError:
                continue

    async def delete(self, name: str) -> None:
        self.deleted.add(name)
        await self.quietly(self.store.delete(self.key(name)))

    async def lose_status(self, name: str) -> None:
        """A restore that brings back spec and finalizers, not status. A key has no name, so only its mark can find it."""
        obj = await self.store.get(self.key(name))
        if obj is not None and not obj.is_deleting and condition(obj.status).get("status") == "True":
            self.forgetful.add(name)
            await self.quietly(self.store.write_status(obj, {}))

    # ---- the run

    async def run(self, seconds: float) -> None:
        await self.begin()
        controller = asyncio.ensure_future(self.controller())
        actors = [asyncio.ensure_future(a()) for a in (self.user, self.gitops, self.somebody)]
        await asyncio.sleep(seconds)
        for actor in actors:
            actor.cancel()
        await asyncio.gather(*actors, return_exceptions=True)
        self.is_stormy = False
        self.cloud.faults.clear()
        await self.calm_down(controller)
        try:
            await self.check()
        finally:
            if not controller.done():
                controller.cancel()
            await asyncio.gather(controller, return_exceptions=True)
            self.store.close()

    async def begin(self) -> None:
        """An empty cloud with one resource in it that is only ever verified."""
        CLOUD.reset()
        CLOUD.seed(self.seed)
        await self.hand.call("sqs", "eu-west-1", "CreateQueue", {"QueueName": "audited", "Attributes": {"VisibilityTimeout": "77"}})
        await self.store.apply({"apiVersion": "sqs.services.k8s.aws/v1alpha1", "kind": "Queue", "metadata": {"name": "audited", "annotations": {FORCE: "true"}},
                                "spec": {"queueName": "audited", "visibilityTimeout": "70"}}, "user")

    async def calm_down(self, controller: asyncio.Future) -> None:
        """Verify-only ends; the controller gets ten quiet minutes."""
        for name in self.wanted:
            await self.annotate(name, {self.force: None})
            if name not in self.deleted:
                await self.quietly(self.store.apply(self.wanted[name], "user"))
        await asyncio.sleep(900)
        if controller.done():
            controller.result()

    # ---- the oracles

    async def check(self) -> None:
        writes, version = [x for x in self.log if is_mutating(x.split(" ")[1])], await self.store.version()
        await asyncio.sleep(400)  # three resyncs
        after = [x for x in self.log if is_mutating(x.split(" ")[1])]
        assert after == writes, f"at rest the cloud was written to: {after[len(writes):]}"
        moved = list(self.store._tables.changes(version))
        assert not moved, f"at rest the store was written to: {moved}"
        assert not self.audited_touched, f"a verify-only resource was touched: {self.audited_touched}"
        for obj in await self.store.list():
            check_status(obj)
        audited = await self.store.get(self.key("audited"))
        assert condition(audited.status)["reason"] in ("UpdateFailed", "DriftDetected"), audited.status
        for name in self.wanted:
            await self.check_object(name)
        await self.check_keys()

    async def check_object(self, name: str) -> None:
        obj = await self.store.get(self.key(name))
        if name in self.deleted:
            assert obj is None, f"{name} was deleted and is still there: {obj.status}"
            return
        assert obj is not None, name
        ready = condition(obj.status)
        assert ready.get("status") == "True", f"{name}: {json.dumps(obj.status)}"
        assert "intent" not in obj.status
        await self.check_live(name, obj)

    async def check_live(self, name: str, obj) -> None:
        if name != "key":
            live = await self.hand.call("sqs", "eu-west-1", "GetQueueAttributes", {"QueueUrl": f"{URL}/{name}", "AttributeNames": ["All"]})
            want = self.wanted[name]["spec"]
            assert live["Attributes"]["VisibilityTimeout"] == want["visibilityTimeout"], name
            if name in self.forgetful and "delaySeconds" not in want:
                return  # which field was ours to unset went with the status
            assert live["Attributes"]["DelaySeconds"] == want.get("delaySeconds", "0"), (name, want, obj.status.get("appliedFields"))

    async def check_keys(self) -> None:
        """Exactly one live key for the object, however often the create's answer was lost; none once it was deleted."""
        keys = (await self.hand.call("kms", "eu-west-1", "ListKeys", {}))["Keys"]
        states = [(await self.hand.call("kms", "eu-west-1", "DescribeKey", {"KeyId": k["KeyId"]}))["KeyMetadata"]["KeyState"] for k in keys]
        alive = [s for s in states if s != "PendingDeletion"]
        assert len(alive) == (0 if "key" in self.deleted else 1), states


class _Direct:
    """The cloud without weather: for the oracles, and for somebody's hand."""

    async def send(self, request: WireRequest) -> WireResponse:
        answer = CLOUD._act(None, request.method, request.url, dict(request.headers), request.body, request.operation)
        assert answer is not None
        return answer


async def simulate(loop: VirtualLoop, seed: int, seconds: float) -> list[str]:
    sim = Sim(loop, seed)
    await sim.run(seconds)
    return sim.log
