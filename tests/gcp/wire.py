"""A transport that keeps what it is given and answers from a list, and short words for what was sent."""

from __future__ import annotations

import json
from urllib.parse import parse_qsl, urlsplit

from holdfast.model.facts import Live, Place
from holdfast.model.kinds import Kind
from holdfast.providers.gcp.api import api_of
from holdfast.providers.gcp.client import GcpClient
from holdfast.providers.gcp.names import name_of
from holdfast.providers.gcp.reader import live_of
from holdfast.providers.gcp.writer import GcpWriter
from holdfast.providers.wire import Gate, WireResponse
from holdfast.runtime.ports import Subject
from tests.world import TestClock

LOCAL = {"HOLDFAST_GCP_ENDPOINT": "http://127.0.0.1:9"}
RUNNING = {"name": "operation-1", "status": "RUNNING", "selfLink": "https://www.googleapis.com/compute/v1/projects/p/global/operations/operation-1"}


def answer(status: int = 200, body: object = None, **headers: str) -> WireResponse:
    return WireResponse(status, {k.replace("_", "-"): v for k, v in headers.items()}, body if isinstance(body, bytes) else json.dumps(body or {}).encode())


def refusal(status: int, word: str, **headers: str) -> WireResponse:
    return answer(status, {"error": {"code": status, "status": word, "message": "m"}}, **headers)


class Wire:
    """Answers with what it was given, in order; then with {}."""

    def __init__(self, *answers: WireResponse | Exception) -> None:
        self.answers, self.sent = list(answers), []

    async def send(self, request):
        self.sent.append(request)
        found = self.answers.pop(0) if self.answers else answer()
        if isinstance(found, Exception):
            raise found
        return found

    @property
    def urls(self) -> list[str]:
        return [r.url for r in self.sent]

    @property
    def calls(self) -> list[str]:
        """Each as `PATCH v1/projects/…`."""
        return [f"{r.method} {urlsplit(r.url).path.split('/', 2)[2]}" for r in self.sent]

    @property
    def query(self) -> dict[str, str]:
        """Of the last request."""
        return dict(parse_qsl(urlsplit(self.sent[-1].url).query))

    @property
    def body(self):
        """Of the last request."""
        return json.loads(self.sent[-1].body) if self.sent[-1].body else None


def client(wire: Wire) -> GcpClient:
    return GcpClient(wire, Gate(), LOCAL)


def writer(wire: Wire) -> GcpWriter:
    return GcpWriter(client(wire), TestClock())


def subject(kind: Kind, spec: dict, status: dict | None = None, marks: dict | None = None, token: str = "", project: str = "p") -> Subject:
    return Subject(kind, Place(project), spec, status or {}, "mark", marks or {}, token)


def seen(who: Subject, body: dict) -> Live:
    """The resource as a read would give it."""
    api = api_of(who.kind)
    return live_of(who, api, name_of(who, api), body)
