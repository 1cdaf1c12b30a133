"""What a service makes up: times, ids, etags, addresses. All from the clock and the seed that were handed in."""

from __future__ import annotations

import base64
import hashlib
import random
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import orjson

from holdfast.model.json import Json

_PACIFIC = timezone(timedelta(hours=-7))
_NO_LABELS = "42WmSpB8rSM="  # compute's fingerprint of no labels


def project_number(project: str) -> str:
    """Every project has a number; here it is a function of its id."""
    return project if project.isdigit() else str(100_000_000_000 + zlib.crc32(project.encode()))


def fingerprint(value: Json) -> str:
    """A fingerprint of content: the same content, the same fingerprint."""
    if not value:
        return _NO_LABELS
    return base64.b64encode(hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).digest()[:8]).decode()


class Values:
    """The clock and the dice."""

    def __init__(self, now: Callable[[], float], seed: int) -> None:
        self.now = now
        self._dice = random.Random(seed)  # noqa: S311  (not a secret: the same seed must give the same ids)

    def time(self, style: str = "micros", later: float = 0) -> str:
        """Now, as the service writes a time."""
        moment = datetime.fromtimestamp(self.now() + later, tz=_PACIFIC if style == "pacific" else UTC)
        text = moment.isoformat(timespec="microseconds" if style == "micros" else "milliseconds")
        return text.replace("+00:00", "Z")

    def number(self, digits: int = 19) -> str:
        return str(self._dice.randrange(10 ** (digits - 1), 10**digits))

    def etag(self) -> str:
        return base64.b64encode(self._dice.randbytes(9)[:8]).decode()

    def uuid(self) -> str:
        return str(UUID(bytes=self._dice.randbytes(16), version=4))

    def hex(self, digits: int) -> str:
        return self._dice.randbytes(digits)[: digits // 2].hex()

    def address(self) -> str:
        return ".".join(["34", *(str(self._dice.randrange(1, 255)) for _ in range(3))])

    def made(self, word: str, style: str) -> Json:
        """The value of a placeholder such as `<now>`."""
        makers: dict[str, Callable[[], Json]] = {
            "<now>": lambda: self.time(style), "<ms>": lambda: str(int(self.now() * 1000)), "<etag>": self.etag, "<number>": self.number,
            "<account>": lambda: self.number(21), "<uuid>": self.uuid, "<hex8>": lambda: self.hex(8), "<address>": self.address,
        }
        return makers[word]()
