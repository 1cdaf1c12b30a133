"""A world in which operations take a minute, and two kinds whose creates and updates are such."""

from __future__ import annotations

import pytest

from tests.invariants import check_status
from tests.world import World

FIREWALL = {"apiVersion": "compute.cnrm.cloud.google.com/v1beta1", "kind": "ComputeFirewall", "metadata": {"name": "it", "namespace": "shop"},
            "spec": {"networkRef": {"external": "projects/shop/global/networks/n"}, "allow": [{"protocol": "tcp"}], "priority": 5}}
INSTANCE = {"apiVersion": "spanner.cnrm.cloud.google.com/v1beta1", "kind": "SpannerInstance", "metadata": {"name": "it", "namespace": "shop"},
            "spec": {"config": "regional-eu", "displayName": "Data", "numNodes": 1}}
HOST = {"ComputeFirewall": "compute.googleapis.com/projects/shop/global/firewalls/it", "SpannerInstance": "spanner.googleapis.com/projects/shop/instances/it"}
CHANGES = {"ComputeFirewall": {"priority": 6}, "SpannerInstance": {"displayName": "More"}}
MORE = {"ComputeFirewall": {"priority": 7}, "SpannerInstance": {"displayName": "Most"}}
CREATE, PATCH, DELETE = {"ComputeFirewall": "insert", "SpannerInstance": "create"}, "patch", "delete"
both = pytest.mark.parametrize("body", [pytest.param(b, id=b["kind"]) for b in (FIREWALL, INSTANCE)])


def changed(body: dict, **spec) -> dict:
    return {**body, "spec": {**body["spec"], **(spec or CHANGES[body["kind"]])}}


def annotated(body: dict, **notes) -> dict:
    return {**body, "metadata": {**body["metadata"], "annotations": {f"cnrm.cloud.google.com/{k.replace('_', '-')}": v for k, v in notes.items()}}}


class Slow(World):
    """A world in which operations take a minute."""

    def __init__(self) -> None:
        super().__init__()
        self.gcp.put("compute.googleapis.com/projects/shop/global/networks/n", {"autoCreateSubnetworks": False})
        self.gcp.operation_seconds = 60

    async def status(self, key) -> dict:
        obj = await self.store.get(key)
        check_status(obj)
        return obj.status

    async def begin(self, body: dict):
        """The object, while its create is carried out."""
        key = await self.apply(body)
        await self.step(key)
        assert (await self.status(key))["operation"]["action"] == "create"
        return key

    async def made(self, body: dict):
        """The object, once it is as declared."""
        key = await self.apply(body)
        await self.settle(key, most=150)
        assert (await self.condition(key))["status"] == "True", await self.condition(key)
        return key

    async def over(self, key) -> None:
        """The minute passes."""
        self.clock.advance(61)
        await self.step(key)

    def verbs(self, *verbs: str) -> list[str]:
        return [m.rpartition(".")[2] for m in self.gcp.mutations if not verbs or m.rpartition(".")[2] in verbs]

    def live(self, body: dict) -> dict | None:
        return self.gcp.get(HOST[body["kind"]])

    async def lose(self, key, *parts: str) -> None:
        """Somebody takes parts of the status away."""
        obj = await self.store.get(key)
        await self.store.write_status(obj, {k: v for k, v in obj.status.items() if k not in parts})
