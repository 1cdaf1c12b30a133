"""The wire: requests and responses as bytes, the transport that carries them, and the gate that counts and refuses.

Everything above is deterministic. Replacing `Transport` replaces the cloud: by a simulation, a recording or a fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from holdfast.model.errors import CloudError, Retry
from holdfast.runtime.guard import writes_are_forbidden

if TYPE_CHECKING:
    import aiohttp

_READS = ("Get", "List", "Describe", "Head", "BatchGet")


def is_mutating(operation: str) -> bool:
    """By name, and in doubt yes: only operations that say that they read are reads. AWS: `GetQueueUrl`; Google: `pubsub.projects.topics.get`."""
    verb = operation.rpartition(".")[2] if " " not in operation else ""
    return not operation.startswith(_READS) and verb not in ("get", "list")


@dataclass(frozen=True, slots=True)
class WireRequest:
    service: str
    operation: str
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class WireResponse:
    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport(Protocol):
    """Carries bytes. Raises CloudError where no answer came; `sent` says whether the request may have arrived."""

    async def send(self, request: WireRequest) -> WireResponse: ...


class HttpTransport:
    """Real HTTP, one connection pool."""

    def __init__(self, timeout: float = 60.0) -> None:
        self._timeout = timeout
        self._open: aiohttp.ClientSession | None = None

    async def send(self, request: WireRequest) -> WireResponse:
        import aiohttp
        from yarl import URL

        if self._open is None:
            self._open = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=self._timeout, connect=10),
                                               auto_decompress=True, skip_auto_headers=("User-Agent", "Accept", "Content-Type"))
        try:
            async with self._open.request(request.method, URL(request.url, encoded=True), headers=dict(request.headers),
                                          data=request.body or None, allow_redirects=False) as answer:
                return WireResponse(answer.status, {k.lower(): v for k, v in answer.headers.items()}, await answer.read())
        except aiohttp.ClientConnectorError as error:
            host = URL(request.url).host
            raise CloudError("HF504", f"cannot connect to {host}: {error.os_error or error}", retry=Retry.SOON, sent=False) from None
        except (TimeoutError, aiohttp.ClientError) as error:
            raise CloudError("HF504", f"no answer to {request.operation}: {type(error).__name__} {error}", retry=Retry.SOON) from None

    async def close(self) -> None:
        if self._open is not None:
            await self._open.close()
            self._open = None


@dataclass(slots=True)
class Gate:
    """Stands before the transport. Counts every call, and lets a mutating one through only where writes are allowed: never in plan and
    verify, and never in the reconcile of an object that is only verified."""

    allows_writes: bool = True
    reads: int = 0
    writes: int = 0
    refused: list[str] = field(default_factory=list)

    def pass_through(self, service: str, operation: str) -> None:
        if not is_mutating(operation):
            self.reads += 1
        elif self.allows_writes and not writes_are_forbidden():
            self.writes += 1
        else:
            self.refused.append(f"{service}:{operation}")
            raise CloudError("HF512", f"{service}:{operation} was not sent: nothing may be written here", sent=False)
