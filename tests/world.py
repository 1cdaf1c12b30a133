"""A small world for tests: both fake clouds in process, a store in memory, a clock that only moves when told."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

from holdfast.app import make_engine, memory_store
from holdfast.model.objects import ObjectKey, key_of
from holdfast.providers.aws.client import Vendor
from holdfast.providers.aws.fake import FakeAws
from holdfast.providers.fake import FakeTransport
from holdfast.providers.gcp.fake import FakeGcp
from holdfast.providers.wire import Gate, WireRequest, WireResponse
from holdfast.runtime.clock import age_at
from holdfast.runtime.reconcile import Result, reconcile
from holdfast.runtime.settings import Settings

VENDOR = Vendor()  # one for all worlds: making botocore's clients is what takes time
START = datetime(2026, 1, 1, tzinfo=UTC)


class TestClock:
    """Stands still; `advance` moves it. Tokens count up."""

    __test__ = False

    def __init__(self) -> None:
        self.at = START
        self._tokens = itertools.count(1)

    def advance(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)

    def timestamp(self) -> float:
        return self.at.timestamp()

    def now(self) -> str:
        return self.at.strftime("%Y-%m-%dT%H:%M:%SZ")

    def later(self, seconds: float) -> str:
        return (self.at + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def age(self, since: str) -> float:
        return age_at(self.at, since)

    def fraction(self) -> float:
        return 0.5

    def token(self) -> str:
        return f"00000000-0000-4000-8000-{next(self._tokens):012d}"


class BothClouds:
    """One transport to both fakes, by where a request goes."""

    def __init__(self, aws: FakeAws, gcp: FakeGcp) -> None:
        self._aws, self._gcp = FakeTransport(aws), FakeTransport(gcp)

    async def send(self, request: WireRequest) -> WireResponse:
        return await (self._gcp if ".googleapis.com" in request.url else self._aws).send(request)


class World:
    """One installation on both fake clouds. `another` is a second installation on the same clouds."""

    def __init__(self, cloud: FakeAws | None = None, clock: TestClock | None = None, store=None, catalog=None, gcp: FakeGcp | None = None,
                 **settings) -> None:
        self.cloud = cloud or FakeAws()
        if cloud is None:
            self.cloud.reset()
            self.cloud.seed(1)
        self.clock = clock or TestClock()
        self.gcp = gcp or FakeGcp(now=self.clock.timestamp)
        self.gate = Gate()
        self.catalog = catalog
        self.store = store or memory_store(catalog, self.clock)
        self.restart(**settings)

    def restart(self, **settings) -> None:
        """A new process on the same store: everything in memory is forgotten."""
        self.engine, self.gate, _ = make_engine(self.store, transport=BothClouds(self.cloud, self.gcp), gate=Gate(), clock=self.clock,
                                                settings=Settings(**settings), catalog=self.catalog, vendor=VENDOR)

    def another(self, **settings) -> World:
        return World(self.cloud, self.clock, catalog=self.catalog, gcp=self.gcp, **settings)

    def cloud_of(self, kind):
        """The fake that a kind's resources are in."""
        return {"aws": self.cloud, "gcp": self.gcp}[kind.provider]

    async def apply(self, body: dict, manager: str = "user") -> ObjectKey:
        return (await self.store.apply(body, manager)).key

    async def step(self, key: ObjectKey) -> Result:
        return await reconcile(self.engine, key)

    async def settle(self, key: ObjectKey, most: int = 20) -> Result:
        """Reconcile until nothing more is due soon; waits are skipped by moving the clock."""
        for _ in range(most):
            result = await self.step(key)
            if result.is_gone or result.retry_in is None or (result.error is not None and result.retry_in > 60):
                return result
            self.clock.advance(max(result.retry_in, 0.001))
        return result

    async def get(self, key: ObjectKey):
        obj = await self.store.get(key)
        return obj.body if obj else None

    async def condition(self, key: ObjectKey, type_: str = "Ready") -> dict:
        body = await self.get(key)
        return next((c for c in (body.get("status") or {}).get("conditions", []) if c["type"] == type_), {})

    async def events(self, key: ObjectKey) -> list[str]:
        return [f"{e['type']} {e['reason']}: {e['note']}" for e in await self.store.events(key)]


def key(body: dict) -> ObjectKey:
    return key_of(body)
