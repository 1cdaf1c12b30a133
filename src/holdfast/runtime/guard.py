"""Forbids writes for the rest of a reconcile, down to the transport, whatever the code above it does.

A context variable, so that it holds for everything that the reconcile awaits and starts, and for nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_FORBIDDEN: ContextVar[bool] = ContextVar("writes_forbidden", default=False)


def writes_are_forbidden() -> bool:
    return _FORBIDDEN.get()


@contextmanager
def forbidding_writes(forbid: bool) -> Iterator[None]:
    token = _FORBIDDEN.set(forbid or _FORBIDDEN.get())
    try:
        yield
    finally:
        _FORBIDDEN.reset(token)
