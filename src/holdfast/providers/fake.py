"""What every fake cloud has: faults on demand, a transport that needs no socket, and a server for those who do.

Faults are rules; each says which operations it meets and how often.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from holdfast.model.errors import CloudError, Retry
from holdfast.providers.wire import WireRequest, WireResponse


@dataclass(slots=True)
class Fault:
    """One way to misbehave. `times` None: for ever. Exactly one of the others is given."""

    operation: str  # a regular expression over operation names
    times: int | None = 1
    error: tuple[int, str] | None = None  # status and code, instead of acting
    lost: bool = False  # acts, and the answer never arrives
    stale: bool = False  # a read answers what it answered before the last write
    suffix: tuple[str, str] | None = None  # (field, text): the service appends text to the field that it is given
    ignore: str = ""  # the service says yes, and leaves this field as it was
    before: Callable[[], None] | None = None  # somebody else acts first

    def meets(self, operation: str) -> bool:
        return self.times != 0 and re.fullmatch(self.operation, operation) is not None


class FakeCloud(Protocol):
    def handle(self, method: str, url: str, headers: dict[str, str], body: bytes, operation: str = "") -> WireResponse | None:
        """One request. None: it acted, and the answer is lost."""
        ...


class FakeTransport:
    """The fake in place of the network: bytes in, bytes out, in process."""

    def __init__(self, cloud: FakeCloud) -> None:
        self._cloud = cloud

    async def send(self, request: WireRequest) -> WireResponse:
        answer = self._cloud.handle(request.method, request.url, dict(request.headers), request.body, request.operation)
        if answer is None:
            raise CloudError("HF504", f"no answer to {request.operation}: connection lost", retry=Retry.SOON)
        return answer


def serve(cloud: FakeCloud, port: int = 0) -> tuple[str, Callable[[], None]]:
    """Over HTTP on loopback: (endpoint URL, stop)."""
    import logging

    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)

    def app(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        headers = {k[5:].replace("_", "-").lower(): str(v) for k, v in environ.items() if k.startswith("HTTP_")}
        headers |= {"content-type": str(environ.get("CONTENT_TYPE") or "")}
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        path = str(environ.get("RAW_URI") or environ.get("REQUEST_URI") or environ["PATH_INFO"])
        url = f"http://{environ['HTTP_HOST']}{path}" if path.startswith("/") else path
        answer = cloud.handle(environ["REQUEST_METHOD"], url, headers, body)
        if answer is None:
            answer = WireResponse(500, {"content-type": "text/plain"}, b"the answer was lost")
        start(f"{answer.status} X", [(k, v) for k, v in answer.headers.items() if k not in ("content-length", "connection", "server", "date")])
        return [answer.body]

    server = make_server("127.0.0.1", port, app, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True, name="fake-cloud").start()
    return f"http://127.0.0.1:{server.server_port}", server.shutdown
