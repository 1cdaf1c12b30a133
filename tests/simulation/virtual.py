"""Virtual time: an event loop whose clock jumps to the next thing that is due. Hours pass in seconds, and nothing ever sleeps."""

from __future__ import annotations

import asyncio
import random
import selectors
from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta

from holdfast.runtime.clock import age_at

START = datetime(2026, 1, 1, tzinfo=UTC)


class _Selector(selectors.SelectSelector):
    """Waiting is free: the time that the loop would wait is added to its clock."""

    loop: VirtualLoop

    def select(self, timeout=None):
        if timeout is None:
            raise RuntimeError("the simulation has nothing left to wait for")
        self.loop.now += max(timeout, 0)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.now = 0.0
        selector = _Selector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.now


class VirtualClock:
    """Wall clock, chance and ids, all from the loop and the seed."""

    def __init__(self, loop: VirtualLoop, rng: random.Random) -> None:
        self._loop, self._rng = loop, rng

    def _at(self) -> datetime:
        return START + timedelta(seconds=self._loop.now)

    def now(self) -> str:
        return self._at().strftime("%Y-%m-%dT%H:%M:%SZ")

    def later(self, seconds: float) -> str:
        return (self._at() + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def age(self, since: str) -> float:
        return age_at(self._at(), since)

    def fraction(self) -> float:
        return self._rng.random()

    def token(self) -> str:
        return f"{self._rng.getrandbits(32):08x}-0000-4000-8000-{self._rng.getrandbits(48):012x}"


def run_virtual(main, *args):
    """Run a coroutine function on a fresh virtual loop, which it is handed."""
    loop = VirtualLoop()
    try:
        coroutine: Coroutine = main(loop, *args)
        return loop.run_until_complete(coroutine)
    finally:
        loop.close()
