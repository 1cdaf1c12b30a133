"""The controller loop: watch → queue → reconcile, with resync and jitter. A fixed number of workers, however many objects."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from holdfast.core.pace import backoff, jittered
from holdfast.model.objects import ObjectKey
from holdfast.runtime.engine import LOG, Engine
from holdfast.runtime.ports import Change
from holdfast.runtime.queue import Priority, WorkQueue
from holdfast.runtime.reconcile import Result, reconcile

_CORE = ("Namespace", "Secret", "ConfigMap")
OnResult = Callable[[Result], None]
SOON = 60.0  # a retry further off than this counts as settled: somebody must act


class Operator:
    """Runs until cancelled. `on_result` sees every reconcile, for people who wait on it."""

    def __init__(self, engine: Engine, on_result: OnResult | None = None, on_crash: Callable[[ObjectKey], None] | None = None) -> None:
        self._engine, self._on_result, self._on_crash = engine, on_result, on_crash or _log_crash
        self.queue = WorkQueue()
        self._attempts: dict[ObjectKey, int] = {}
        self._covered: dict[ObjectKey, int] = {}  # up to which version an object has been looked at
        self._moved: dict[ObjectKey, int] = {}  # changes that came while the object was being worked on
        self._busy: set[ObjectKey] = set()
        self.seen = 0  # the newest version of the store that has been looked at

    async def run(self, since: int, keys: list[ObjectKey] | None = None) -> None:
        """Reconcile `keys` (default: everything stored), then whatever changes after version `since`."""
        self.seen = since
        for key in keys if keys is not None else [o.key for o in await self._engine.store.list() if o.key.kind not in _CORE]:
            self.queue.add(key, Priority.RESYNC if keys is None else Priority.USER)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._watch(since))
            for _ in range(self._engine.settings.workers):
                group.create_task(self._work())

    async def _watch(self, since: int) -> None:
        async for change in self._engine.store.watch(since):
            await self._wake(change)
            self.seen = change.version

    async def _wake(self, change: Change) -> None:
        """The object itself, what refers to it, and (for a Namespace) everything in it."""
        key = change.key
        if key.kind == "Namespace" and not key.group:
            for obj in await self._engine.store.list(namespace=key.name):
                if obj.key.group:
                    self.queue.add(obj.key)
        elif key in self._busy:
            self._moved[key] = change.version
        elif (key.kind not in _CORE or key.group) and change.version > self._covered.get(key, 0):
            self.queue.add(key)
        for referrer in await self._engine.store.referrers_of(key):
            self.queue.add(referrer)

    async def _work(self) -> None:
        while True:
            key = await self.queue.take()
            self._busy.add(key)
            try:
                await self._one(key)
            finally:
                self._busy.discard(key)
                self.queue.finish(key)
                if self._moved.pop(key, 0) > self._covered.get(key, 0):
                    self.queue.add(key)

    async def _one(self, key: ObjectKey) -> None:
        attempt = self._attempts.get(key, 0)
        try:
            asked = await self._engine.store.asked(key)
            result = await reconcile(self._engine, key, attempt)
        except Exception:  # noqa: BLE001  (one object that we cannot handle must not stop the others)
            self._on_crash(key)
            self._attempts[key] = attempt + 1
            self.queue.add_later(key, backoff(attempt, self._engine.clock.fraction()))
            return
        self._schedule(result)
        if result.retry_in is None or result.retry_in >= SOON:
            await self._engine.store.answer(asked)
            if await self._engine.store.asked(key):  # somebody asked meanwhile, about a state that we may not have seen
                self.queue.add(key)
        if self._on_result is not None:
            self._on_result(result)

    def _schedule(self, result: Result) -> None:
        key = result.key
        self._covered[key] = max(result.version, self._covered.get(key, 0))
        if result.is_gone:
            self._covered.pop(key)
            self._attempts.pop(key, None)
            self.queue.forget(key)
            return
        self._attempts[key] = self._attempts.get(key, 0) + 1 if result.error is not None else 0
        if result.retry_in is not None:
            self.queue.add_later(key, result.retry_in)
        elif interval := self._interval(result):
            self.queue.add_later(key, jittered(interval, self._engine.clock.fraction()))
        if result.error is not None:
            LOG.debug("retry object=%s in=%s", key, result.retry_in)

    def _interval(self, result: Result) -> float:
        """The object's own word, else the setting; 0: it is looked at again only when it changes."""
        own = result.case.facts.directives.interval if result.case is not None else None
        return self._engine.settings.resync_seconds if own is None else own


def _log_crash(key: ObjectKey) -> None:
    LOG.exception("unforeseen object=%s: please report this", key)
