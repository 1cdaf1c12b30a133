"""Real time and real chance."""

from __future__ import annotations

import random
import uuid
from datetime import UTC, datetime, timedelta

_FORM = "%Y-%m-%dT%H:%M:%SZ"


class SystemClock:
    def now(self) -> str:
        return datetime.now(UTC).strftime(_FORM)

    def later(self, seconds: float) -> str:
        return (datetime.now(UTC) + timedelta(seconds=seconds)).strftime(_FORM)

    def age(self, since: str) -> float:
        return age_at(datetime.now(UTC), since)

    def fraction(self) -> float:
        return random.random()  # noqa: S311

    def token(self) -> str:
        return str(uuid.uuid4())


def age_at(now: datetime, since: str) -> float:
    """Seconds; a time that cannot be read is long ago."""
    try:
        return (now - datetime.strptime(since, _FORM).replace(tzinfo=UTC)).total_seconds()
    except ValueError:
        return float("inf")
