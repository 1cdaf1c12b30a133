"""The same day on Google Cloud: a topic, an instance whose writes are long-running operations, and a network that carries no mark."""

from __future__ import annotations

import asyncio

from holdfast.model.objects import ObjectKey
from holdfast.providers.gcp.fake import FakeGcp
from holdfast.providers.wire import WireRequest, is_mutating
from tests.simulation.sim import Sim

PROJECT = "shop-prod"
KINDS = {"events": ("pubsub", "PubSubTopic"), "audited": ("pubsub", "PubSubTopic"), "db-main": ("spanner", "SpannerInstance"), "net": ("compute", "ComputeNetwork")}
PATHS = {"events": f"pubsub.googleapis.com/projects/{PROJECT}/topics/events", "audited": f"pubsub.googleapis.com/projects/{PROJECT}/topics/audited",
         "db-main": f"spanner.googleapis.com/projects/{PROJECT}/instances/db-main", "net": f"compute.googleapis.com/projects/{PROJECT}/global/networks/net"}


async def simulate_google(loop, seed: int, seconds: float) -> list[str]:
    sim = GoogleSim(loop, seed)
    await sim.run(seconds)
    return sim.log


class GoogleSim(Sim):
    errors = ((500, "INTERNAL"), (503, "UNAVAILABLE"), (429, "RESOURCE_EXHAUSTED"), (403, "PERMISSION_DENIED"))
    force, overrides, version = "cnrm.cloud.google.com/force-acquire", "cnrm.cloud.google.com/spec-overrides", "v1beta1"
    names = ("events", "db-main", "net")

    def __init__(self, loop, seed: int) -> None:
        super().__init__(loop, seed)
        self.cloud = FakeGcp(now=lambda: 1_767_225_600 + loop.time(), seed=seed)
        self.cloud.operation_seconds = self.rng.choice([0.0, 7.0, 45.0])
        self.foreign: set[str] = set()

    def note_call(self, request: WireRequest) -> None:
        self.log.append(f"{self.loop.time():.3f} {request.operation}")
        if is_mutating(request.operation) and "/topics/audited" in request.url:
            self.audited_touched.append(request.operation)

    def first(self, name: str) -> dict:
        return {"events": {"messageRetentionDuration": "3600s"}, "db-main": {"config": "regional-us-west1", "displayName": "Main", "processingUnits": 1000},
                "net": {"autoCreateSubnetworks": False, "routingMode": "REGIONAL"}}[name]

    def edited(self, name: str, spec: dict) -> dict:
        if name == "events":
            kept = {k: v for k, v in spec.items() if k != "messageStoragePolicy"}
            more = {"messageStoragePolicy": {"allowedPersistenceRegions": ["us-central1"]}} if self.rng.random() < 0.4 else {}
            return {**kept, **more, "messageRetentionDuration": f"{self.rng.randint(1, 9) * 600}s"}
        if name == "db-main":
            return {**spec, "displayName": self.rng.choice(["Main", "Other", "Third"]), "processingUnits": self.rng.choice([1000, 2000, 3000])}
        return {**spec, "routingMode": self.rng.choice(["REGIONAL", "GLOBAL"])}

    async def somebody(self) -> None:
        """Edits live resources by hand, and puts a label of their own on them."""
        while True:
            await asyncio.sleep(self.rng.uniform(10, 80))
            name = self.rng.choice(self.names)
            changes = {"events": {"messageRetentionDuration": "30000s"}, "db-main": {"displayName": "by hand"}, "net": {"routingConfig.routingMode": "GLOBAL"}}[name]
            if name != "net" and self.rng.random() < 0.3:
                changes = {"labels.foreign": "yes"}
            if self.cloud.get(PATHS[name]) is not None:
                self.cloud.edit(PATHS[name], changes)
                if "labels.foreign" in changes:
                    self.foreign.add(name)
            if self.rng.random() < 0.1:
                self.cloud.edit(PATHS["audited"], {"messageRetentionDuration": f"{self.rng.randint(1, 9) * 700}s"})

    def key(self, name: str) -> ObjectKey:
        service, kind = KINDS[name]
        return ObjectKey(f"{service}.cnrm.cloud.google.com", kind, PROJECT, name)

    async def begin(self) -> None:
        self.cloud.put(PATHS["audited"], {"messageRetentionDuration": "7700s"})
        key = self.key("audited")
        await self.store.apply({"apiVersion": f"{key.group}/{self.version}", "kind": key.kind, "metadata": {"name": key.name, "namespace": PROJECT, "annotations": {self.force: "true"}},
                                "spec": {"messageRetentionDuration": "7000s", "messageStoragePolicy": {"allowedPersistenceRegions": ["asia-east1"]}}}, "user")

    async def check_live(self, name: str, obj) -> None:
        live, want = self.cloud.get(PATHS[name]), self.wanted[name]["spec"]
        assert live is not None, name
        shown = {"events": {"messageRetentionDuration": live.get("messageRetentionDuration")}, "net": {"routingMode": (live.get("routingConfig") or {}).get("routingMode")},
                 "db-main": {"displayName": live.get("displayName"), "processingUnits": live.get("processingUnits")}}[name]
        assert shown == {k: want[k] for k in shown}, (name, live, want)
        if name == "events" and name not in self.forgetful:
            assert ("messageStoragePolicy" in live) == ("messageStoragePolicy" in want), (live, want, obj.status.get("appliedFields"))
        assert "operation" not in obj.status

    async def check_keys(self) -> None:
        """What is deleted stays away, unless it was let go of while it was only verified."""
        for name in self.foreign - self.deleted:
            live = self.cloud.get(PATHS[name])
            assert live is None or name in self.deleted or (live.get("labels") or {}).get("foreign", "yes") == "yes", live
