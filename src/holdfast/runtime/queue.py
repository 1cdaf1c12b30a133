"""The work queue: each key once, users' changes before retries before resync. No task per object, one heap for what is due later."""

from __future__ import annotations

import asyncio
import heapq
from enum import IntEnum

from holdfast.model.objects import ObjectKey


class Priority(IntEnum):
    USER = 0
    RETRY = 1
    RESYNC = 2


class WorkQueue:
    """`add` and `add_later` put keys in; `take` gives the most urgent; `finish` lets the key be taken again."""

    def __init__(self) -> None:
        self._ready: list[tuple[int, int, ObjectKey]] = []
        self._due: list[tuple[float, int, ObjectKey]] = []
        self._waiting: dict[ObjectKey, int] = {}  # key → best priority in the ready heap
        self._at: dict[ObjectKey, float] = {}  # key → when it is due, the earliest wins
        self._busy: set[ObjectKey] = set()
        self._again: dict[ObjectKey, int] = {}
        self._count = 0
        self._wake = asyncio.Event()

    def add(self, key: ObjectKey, priority: Priority = Priority.USER) -> None:
        if key in self._busy:
            self._again[key] = min(priority, self._again.get(key, priority))
            return
        if self._waiting.get(key, 99) <= priority:
            return
        self._waiting[key] = int(priority)
        self._count += 1
        heapq.heappush(self._ready, (int(priority), self._count, key))
        self._wake.set()

    def add_later(self, key: ObjectKey, seconds: float) -> None:
        due = asyncio.get_running_loop().time() + seconds
        if self._at.get(key, float("inf")) <= due:
            return
        self._at[key] = due
        self._count += 1
        heapq.heappush(self._due, (due, self._count, key))
        self._wake.set()

    def forget(self, key: ObjectKey) -> None:
        self._at.pop(key, None)

    async def take(self) -> ObjectKey:
        while True:
            wait = self._move_due()
            while self._ready:
                priority, _, key = heapq.heappop(self._ready)
                if self._waiting.get(key) == priority:
                    del self._waiting[key]
                    self._busy.add(key)
                    return key
            self._wake.clear()
            try:
                async with asyncio.timeout(wait):
                    await self._wake.wait()
            except TimeoutError:
                continue

    def finish(self, key: ObjectKey) -> None:
        self._busy.discard(key)
        again = self._again.pop(key, None)
        if again is not None:
            self.add(key, Priority(again))

    def _move_due(self) -> float | None:
        """Everything due becomes ready; gives the seconds until the next."""
        now = asyncio.get_running_loop().time()
        while self._due:
            due, _, key = self._due[0]
            if self._at.get(key) != due:
                heapq.heappop(self._due)
            elif due <= now:
                heapq.heappop(self._due)
                del self._at[key]
                self.add(key, Priority.RETRY)
            else:
                return due - now
        return None

    def __len__(self) -> int:
        return len(self._waiting) + len(self._busy)
