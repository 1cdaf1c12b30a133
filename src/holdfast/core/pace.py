"""How long to wait. Pure: the attempt and a random fraction are handed in."""

from __future__ import annotations

from holdfast.model.errors import Retry

_FIRST, _MOST, _SLOW = 1.0, 300.0, 600.0


def backoff(attempt: int, fraction: float) -> float:
    """Exponential with full jitter between half and the whole of the step."""
    step = min(_MOST, _FIRST * 2.0 ** min(attempt, 12))
    return step * (0.5 + fraction / 2)


def delay(retry: Retry, attempt: int, fraction: float, at_least: float = 0.0) -> float | None:
    """Seconds until the next try; None means: only when something changes."""
    match retry:
        case Retry.SOON:
            return max(backoff(attempt, fraction), at_least)
        case Retry.SLOWLY:
            return max(_SLOW * (0.75 + fraction / 2), at_least)
        case Retry.WAIT | Retry.NEVER:
            return None


def jittered(interval: float, fraction: float) -> float:
    """Ten per cent either way, so that a fleet does not come back all at once."""
    return interval * (0.9 + fraction / 5)
