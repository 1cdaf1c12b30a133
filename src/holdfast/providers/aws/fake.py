"""A fake AWS that can misbehave: moto's services behind a door that logs, fails, forgets, delays and meddles on demand.

It is moto's own WSGI application, called in process (no socket, for tests and the simulation) or served over HTTP (for the demo and
end-to-end tests).
"""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from holdfast.providers.fake import Fault
from holdfast.providers.wire import WireResponse, is_mutating

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


@dataclass(slots=True)
class FakeAws:
    """The cloud. `log` has every operation in order; `faults` are looked through in order, the first that meets is used."""

    log: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    _app: Wsgi | None = None
    _answers: dict[tuple[str, str, str, bytes], WireResponse] = field(default_factory=dict)
    _lock: Any = field(default_factory=threading.RLock)

    @property
    def mutations(self) -> list[str]:
        return [op for op in self.log if is_mutating(op)]

    def reset(self) -> None:
        """An empty cloud, with no faults and an empty log."""
        self._send_raw("POST", "http://fake/moto-api/reset", {}, b"")
        self.log.clear()
        self.faults.clear()
        self._answers.clear()

    def misbehave(self, **fault: Any) -> Fault:
        self.faults.append(Fault(**fault))
        return self.faults[-1]

    def seed(self, number: int) -> None:
        """The ids that moto draws become a function of the seed."""
        self._send_raw("POST", f"http://fake/moto-api/seed?a={number}", {}, b"")

    def handle(self, method: str, url: str, headers: dict[str, str], body: bytes, operation: str = "") -> WireResponse | None:
        """One request. None: it acted, and the answer is lost."""
        with self._lock:
            operation = operation or operation_of(method, url, headers, body)
            self.log.append(operation)
            fault = next((f for f in self.faults if f.meets(operation)), None)
            if fault is not None and fault.times is not None:
                fault.times -= 1
            return self._act(fault, method, url, headers, body, operation)

    def _act(self, fault: Fault | None, method: str, url: str, headers: dict[str, str], body: bytes, operation: str) -> WireResponse | None:
        key = (operation, method, urlsplit(url).path + "?" + urlsplit(url).query, body)
        if fault is not None and fault.before is not None:
            fault.before()
        if fault is not None and fault.error is not None:
            return _error(headers, *fault.error)
        if fault is not None and fault.stale and key in self._answers:
            return self._answers[key]
        if fault is not None and (fault.suffix or fault.ignore):
            body = _meddle(body, headers, fault)
        answer = self._send_raw(method, url, headers, body)
        if not is_mutating(operation) and answer.status < 300:
            self._answers[key] = answer
        return None if fault is not None and fault.lost else answer

    def _send_raw(self, method: str, url: str, headers: dict[str, str], body: bytes) -> WireResponse:
        from werkzeug.test import run_wsgi_app

        parts = urlsplit(url)
        lowered = {k.lower(): v for k, v in headers.items()}
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method, "SCRIPT_NAME": "", "PATH_INFO": _unquoted(parts.path) or "/", "RAW_URI": parts.path or "/",
            "REQUEST_URI": (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), "QUERY_STRING": parts.query,
            "SERVER_NAME": parts.hostname or "fake", "SERVER_PORT": str(parts.port or 80), "HTTP_HOST": parts.netloc,
            "SERVER_PROTOCOL": "HTTP/1.1", "wsgi.version": (1, 0), "wsgi.url_scheme": parts.scheme, "wsgi.input": io.BytesIO(body),
            "wsgi.errors": io.StringIO(), "wsgi.multithread": False, "wsgi.multiprocess": False, "wsgi.run_once": False,
            "CONTENT_LENGTH": str(len(body)), "CONTENT_TYPE": lowered.get("content-type", ""),
            **{f"HTTP_{k.upper().replace('-', '_')}": v for k, v in lowered.items() if k not in ("host", "content-type", "content-length")},
        }
        try:
            chunks, status, answered = run_wsgi_app(self._wsgi(), environ, buffered=True)
        except NotImplementedError:
            return _error(headers, 501, "NotImplemented")
        except Exception:  # noqa: BLE001  (whatever goes wrong inside moto is an internal error of the service)
            return _error(headers, 500, "InternalFailure")
        return WireResponse(int(status.split()[0]), {k.lower(): v for k, v in answered.items()}, b"".join(chunks))

    def _wsgi(self) -> Wsgi:
        if self._app is None:
            from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

            self._app = DomainDispatcherApplication(create_backend_app)
        return self._app


def operation_of(method: str, url: str, headers: dict[str, str], body: bytes) -> str:
    """The operation's name as the request tells it; REST requests are named by method and path."""
    lowered = {k.lower(): v for k, v in headers.items()}
    target = lowered.get("x-amz-target", "")
    if target:
        return target.rpartition(".")[2]
    if "urlencoded" in lowered.get("content-type", ""):
        action = dict(parse_qsl(body.decode(errors="replace"))).get("Action")
        if action:
            return action
    parts = urlsplit(url)
    verb = "Get" if method in ("GET", "HEAD") else method.title()
    return f"{verb} {parts.path}{'?' + parts.query if parts.query else ''}"


def _meddle(body: bytes, headers: dict[str, str], fault: Fault) -> bytes:
    """Change the request as a service would that does not use a value as it is given."""
    name, text = fault.suffix or (fault.ignore, "")
    if "urlencoded" in {k.lower(): v for k, v in headers.items()}.get("content-type", ""):
        return _meddle_form(body, name, text, drop=bool(fault.ignore))
    try:
        data = json.loads(body)
    except ValueError:
        return body
    for holder in (data, data.get("Attributes") or {}):
        if isinstance(holder.get(name), str):
            if fault.ignore:
                holder.pop(name)
            else:
                holder[name] += text
    return json.dumps(data).encode()


def _meddle_form(body: bytes, name: str, text: str, *, drop: bool) -> bytes:
    pairs = dict(parse_qsl(body.decode(), keep_blank_values=True))
    keys = [name] if name in pairs else [k[: -len("key")] + "value" for k, v in pairs.items() if v == name and k.endswith(".key")]
    if pairs.get("AttributeName") == name:
        keys.append("AttributeValue")
    for key in keys:
        if drop:
            pairs.pop(key)
        else:
            pairs[key] += text
    return urlencode(pairs).encode()


def _error(headers: dict[str, str], status: int, code: str) -> WireResponse:
    lowered = {k.lower(): v for k, v in headers.items()}
    extra = {"retry-after": "1"} if status == 429 else {}
    if "json" in lowered.get("content-type", "") or "x-amz-target" in lowered:
        body = json.dumps({"__type": code, "message": "made to fail"}).encode()
        return WireResponse(status, {"content-type": "application/x-amz-json-1.0", "x-amzn-errortype": code, **extra}, body)
    text = f"<ErrorResponse><Error><Code>{code}</Code><Message>made to fail</Message></Error><RequestId>0</RequestId></ErrorResponse>"
    if "urlencoded" not in lowered.get("content-type", ""):
        text = f"<Error><Code>{code}</Code><Message>made to fail</Message></Error>"
    return WireResponse(status, {"content-type": "text/xml", "x-amzn-errortype": code, **extra}, text.encode())


def _unquoted(path: str) -> str:
    from urllib.parse import unquote

    return unquote(path).encode().decode("latin-1")
