"""Throttling, shared: when a service asks for fewer calls, every caller of it in that region waits, not only the one that was told."""

from __future__ import annotations

import asyncio

from holdfast.model.errors import CloudError, Retry

_FIRST, _MOST, _PATIENCE = 0.5, 20.0, 1.0


class Budget:
    """Per service and region: no call before a moment, which a throttling answer moves on and a good answer brings back."""

    def __init__(self) -> None:
        self._not_before: dict[tuple[str, str], float] = {}
        self._pause: dict[tuple[str, str], float] = {}

    async def wait(self, service: str, region: str) -> None:
        """A short pause is waited for; a long one is a throttling answer of its own, so that no worker is held up by it."""
        due = self._not_before.get((service, region), 0.0) - asyncio.get_running_loop().time()
        if due > _PATIENCE:
            raise CloudError("HF503", f"{service} asked for fewer calls; waiting {due:.0f} s", retry=Retry.SOON, retry_after=due, sent=False)
        if due > 0:
            await asyncio.sleep(due)

    def slow_down(self, service: str, region: str, at_least: float) -> None:
        key = (service, region)
        pause = max(min(self._pause.get(key, _FIRST / 2) * 2, _MOST), at_least)
        self._pause[key] = pause
        self._not_before[key] = asyncio.get_running_loop().time() + pause

    def speed_up(self, service: str, region: str) -> None:
        self._pause.pop((service, region), None)
