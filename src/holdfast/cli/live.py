"""apply, delete, adopt and promote: store first, then reconcile until everything has settled, or watch another process do it."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from holdfast.app import make_engine, open_store
from holdfast.cli.options import must_not_acquire
from holdfast.kinds.catalog import CORE_KINDS
from holdfast.model.errors import StoreError
from holdfast.model.objects import ObjectKey
from holdfast.providers.wire import Gate, HttpTransport
from holdfast.runtime.engine import Engine
from holdfast.runtime.operator import SOON, Operator
from holdfast.runtime.reconcile import Result
from holdfast.runtime.settings import Settings
from holdfast.stores.embedded import EmbeddedStore

LEASE, LEASE_SECONDS = "reconciler", 15.0


@dataclass
class Live:
    """An open store, and the engine on it."""

    store: EmbeddedStore
    engine: Engine
    gate: Gate
    lost_lease: bool = False
    holder: str = field(default_factory=lambda: f"{os.getpid()}-{os.urandom(4).hex()}")

    async def settle(self, keys: list[ObjectKey], since: int, timeout: float, tell: Callable[[Result], None] | None = None) -> dict[ObjectKey, Result | None]:
        """Until every key has settled or time is up; None for one that did not settle here."""
        wanted = [k for k in keys if k.kind not in CORE_KINDS or k.group]
        await self._forget_holds(wanted)
        if await self.store.take_lease(LEASE, self.holder, LEASE_SECONDS):
            return await self._work(wanted, since, timeout, tell)
        return await self._watch(wanted, since, timeout, tell)

    async def _forget_holds(self, keys: list[ObjectKey]) -> None:
        """Whoever asks by hand may have mended something that we cannot see: a permanent error is tried once more."""
        for key in keys:
            obj = await self.store.get(key)
            if obj is not None and obj.status.get("hold"):
                await self.store.write_status(obj, {k: v for k, v in obj.status.items() if k != "hold"})

    async def _work(self, keys: list[ObjectKey], since: int, timeout: float, tell: Callable[[Result], None] | None) -> dict[ObjectKey, Result | None]:
        results: dict[ObjectKey, Result | None] = dict.fromkeys(keys)
        settled: set[ObjectKey] = set()
        calm = asyncio.Event()

        def seen(result: Result) -> None:
            if not _is_rest_after_news(results.get(result.key), result):
                results[result.key] = result
            if result.is_gone or result.retry_in is None or result.retry_in >= SOON:
                settled.add(result.key)
            else:
                settled.discard(result.key)
            if tell is not None:
                tell(result)
            calm.set()

        operator = Operator(self.engine, seen)
        try:
            async with asyncio.timeout(timeout), self._leading():
                task = asyncio.ensure_future(operator.run(since, keys))
                try:
                    await self._until_calm(operator, keys, settled, calm, task)
                finally:
                    task.cancel()
                    await asyncio.gather(task, return_exceptions=True)
        except TimeoutError:
            pass
        except asyncio.CancelledError:
            if not self.lost_lease:
                raise
            raise StoreError("HF607", "the lease was lost to another process; run the command again") from None
        return {k: results.get(k) if k in settled else None for k in results}

    async def _until_calm(self, operator: Operator, keys: list[ObjectKey], settled: set[ObjectKey], calm: asyncio.Event, task: asyncio.Future[None]) -> None:
        """Settled, nothing queued, and every change that we made has been looked at."""
        while not (set(keys) <= settled and not len(operator.queue) and operator.seen >= await self.store.version()):
            if task.done():
                task.result()
            calm.clear()
            try:
                async with asyncio.timeout(0.05):
                    await calm.wait()
            except TimeoutError:
                continue

    @asynccontextmanager
    async def _leading(self) -> AsyncIterator[None]:
        owner = asyncio.current_task()
        assert owner is not None

        async def renew() -> None:
            while True:
                await asyncio.sleep(LEASE_SECONDS / 3)
                if not await self.store.take_lease(LEASE, self.holder, LEASE_SECONDS):
                    self.lost_lease = True
                    owner.cancel()  # no write goes out after it
                    return

        task = asyncio.ensure_future(renew())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await self.store.drop_lease(LEASE, self.holder)

    async def _watch(self, keys: list[ObjectKey], since: int, timeout: float, tell: Callable[[Result], None] | None) -> dict[ObjectKey, Result | None]:
        """Another process reconciles already: it is asked to look, and does the work. Should it end before, the rest is ours."""
        out: dict[ObjectKey, Result | None] = dict.fromkeys(keys)
        asked = {key: await self.store.ask(key) for key in keys}
        try:
            async with asyncio.timeout(timeout):
                for turn in itertools.count():
                    for key in [k for k, r in out.items() if r is None]:
                        if await self.store.is_answered(asked[key]):
                            out[key] = Result(key, is_gone=await self.store.get(key) is None)
                    left = [k for k, r in out.items() if r is None]
                    if not left:
                        break
                    if turn % 10 == 9 and await self.store.take_lease(LEASE, self.holder, LEASE_SECONDS):
                        return {**out, **await self._work(left, since, timeout, tell)}
                    await asyncio.sleep(0.05)
        except TimeoutError:
            pass
        return out


def _is_rest_after_news(before: Result | None, now: Result) -> bool:
    """A rest that follows what we did says nothing new: the person wants to know what was done."""
    return before is not None and now.outcome is None and not now.is_gone and now.error is None and before.outcome is not None \
        and before.outcome.reason.ready == "True"


@asynccontextmanager
async def open_live(path: Path) -> AsyncIterator[Live]:
    store, transport = open_store(path), HttpTransport()
    try:
        retain = os.environ.get("HOLDFAST_DELETION_POLICY") == "retain"
        engine, gate, _ = make_engine(store, transport=transport, settings=Settings(retain_by_default=retain, refuse_acquire=must_not_acquire()))
        yield Live(store, engine, gate)
    finally:
        await transport.close()
        store.close()
