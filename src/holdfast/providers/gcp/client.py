"""Calls to Google Cloud: REST as the discovery documents describe it, over google-auth's asynchronous session around our own transport.

No retries, no jitter, no clock of its own: pacing is the runtime's. Where an endpoint is on loopback (a fake), nothing is signed.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from holdfast import __version__
from holdfast.model.errors import CloudError, Retry
from holdfast.model.json import Json, JsonMap
from holdfast.providers.budget import Budget
from holdfast.providers.gcp.api import Encoded, Method
from holdfast.providers.gcp.errors import translate
from holdfast.providers.wire import Gate, Transport, WireRequest, WireResponse, is_mutating

LOG = logging.getLogger("holdfast")
ENDPOINT, OVERRIDE, ACT_AS = "HOLDFAST_GCP_ENDPOINT", "CLOUDSDK_API_ENDPOINT_OVERRIDES_", "CLOUDSDK_AUTH_IMPERSONATE_SERVICE_ACCOUNT"
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
NO_CREDENTIALS = ("no Google Cloud credentials were found; run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS "
                  "to a credentials file")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_GCLOUD_NAMES = {"sqladmin": "SQL"}  # where gcloud calls a service otherwise


class GcpClient:
    """Calls with one set of credentials, through one transport and one gate."""

    def __init__(self, transport: Transport, gate: Gate, environment: Mapping[str, str] | None = None) -> None:
        self._transport, self.gate = transport, gate
        self._environment = os.environ if environment is None else environment
        self._budget, self._session = Budget(), _Session(transport)

    async def call(self, host: str, method: Method, params: Mapping[str, str], query: Mapping[str, str] | None = None, body: JsonMap | None = None,
                   headers: Mapping[str, str] | None = None) -> dict[str, Json]:
        """One call. Raises CloudError; a mutating method passes the gate or is never sent."""
        service = host.partition(".")[0]
        self.gate.pass_through(service, method.id)
        LOG.debug("call operation=%s", method.id)
        request = self._request(host, method, params, query or {}, body, headers or {})
        await self._budget.wait(service, "")
        response = await self._send(request)
        if response.status >= 300:
            error = translate(method.id, response.status, response.body, response.headers)
            if error.code == "HF503":
                self._budget.slow_down(service, "", error.retry_after)
            raise error
        self._budget.speed_up(service, "")
        return _parsed(method, response)

    def _request(self, host: str, method: Method, params: Mapping[str, str], query: Mapping[str, str], body: JsonMap | None,
                 headers: Mapping[str, str]) -> WireRequest:
        path = method.path
        for name, value in params.items():
            whole, part = (value, value) if isinstance(value, Encoded) else (quote(value, safe="/@:~+"), quote(value, safe="@:~"))
            path = path.replace(f"{{+{name}}}", whole).replace(f"{{{name}}}", part)
        url = self._url(host, path) + (f"?{urlencode(sorted(query.items()))}" if query else "")
        data = json.dumps(body, separators=(",", ":"), sort_keys=True).encode() if body is not None else b""
        head = {"accept": "application/json", "user-agent": f"holdfast/{__version__}", **headers}
        if data:
            head["content-type"] = "application/json"
        return WireRequest(host.partition(".")[0], method.id, method.http, url, head, data)

    def _url(self, host: str, path: str) -> str:
        everything, service = self._environment.get(ENDPOINT, ""), host.partition(".")[0]
        own = self._environment.get(OVERRIDE + service.upper()) or self._environment.get(OVERRIDE + _GCLOUD_NAMES.get(service, "\0"), "")
        base = own or (f"{everything.rstrip('/')}/{host}" if everything else f"https://{host}")
        parts = urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise CloudError("HF501", f"the endpoint {base!r} is not a URL", sent=False)
        if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
            raise CloudError("HF501", f"the endpoint {base!r} is plain HTTP and not on this machine; use https", sent=False)
        return f"{base.rstrip('/')}/{_beyond(parts.path, path)}"

    async def _send(self, request: WireRequest) -> WireResponse:
        host = urlsplit(request.url).hostname
        if request.url.startswith("http:") or (host in _LOOPBACK):
            return await self._transport.send(request)
        return await self._session.send(request, self._environment)


class _Session:
    """google-auth's session, made when first needed; it finds credentials, keeps them fresh, and adds them to each request."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._made: Any = None

    async def send(self, request: WireRequest, environment: Mapping[str, str]) -> WireResponse:
        from google.auth.exceptions import GoogleAuthError

        try:
            session = await self._session(environment)
            answer = await session.request(request.method, request.url, data=request.body or None, headers=dict(request.headers), total_attempts=1,
                                           wire=request)
        except GoogleAuthError as error:
            raise CloudError("HF501", f"{request.operation}: {error}", retry=Retry.SLOWLY, sent=False) from None
        found: WireResponse = answer.wire
        return found

    async def _session(self, environment: Mapping[str, str]) -> Any:
        if self._made is None:
            from google.auth.aio.transport.sessions import AsyncAuthorizedSession

            self._made = AsyncAuthorizedSession(await asyncio.to_thread(_credentials, environment.get(ACT_AS, "")), auth_request=_carry(self._transport))
        return self._made


def _credentials(act_as: str) -> Any:
    """Application default credentials, acting as another account where gcloud is told to."""
    import google.auth
    from google.auth import impersonated_credentials
    from google.auth.exceptions import DefaultCredentialsError

    try:
        found, _ = google.auth.default(scopes=[SCOPE])
    except DefaultCredentialsError:
        raise CloudError("HF501", NO_CREDENTIALS, retry=Retry.SLOWLY, sent=False) from None
    if not act_as:
        return found
    *through, last = [a.strip() for a in act_as.split(",") if a.strip()]
    return impersonated_credentials.Credentials(  # type: ignore[no-untyped-call]
        found, target_principal=last, delegates=through, target_scopes=[SCOPE],
        quota_project_id=getattr(found, "quota_project_id", None))


def _carry(transport: Transport) -> Any:
    """Our transport in the form in which google-auth takes one."""
    from google.auth.aio import transport as form

    class Answer(form.Response):
        def __init__(self, wire: WireResponse) -> None:
            self.wire = wire

        @property
        def status_code(self) -> int:
            return self.wire.status

        @property
        def headers(self) -> Mapping[str, str]:
            return self.wire.headers

        async def read(self) -> bytes:
            return self.wire.body

        async def content(self, chunk_size: int = 1024) -> Any:
            del chunk_size
            yield self.wire.body

        async def close(self) -> None:
            return

    class Request(form.Request):
        async def __call__(self, url: str, method: str, body: bytes | None, headers: Mapping[str, str] | None, timeout: float, **kwargs: Any) -> Answer:
            del body, timeout
            wire: WireRequest = kwargs["wire"]
            return Answer(await transport.send(WireRequest(wire.service, wire.operation, method, url, headers or {}, wire.body)))

        async def close(self) -> None:
            return

    return Request()


def _beyond(base: str, path: str) -> str:
    """A path below an endpoint that may name its beginning already, as gcloud's do: `…/compute/v1/` and `compute/v1/projects/…`."""
    have, want = [p for p in base.split("/") if p], path.split("/")
    for n in range(min(len(have), len(want)), 0, -1):
        if have[-n:] == want[:n]:
            return "/".join(want[n:])
    return path


def _parsed(method: Method, response: WireResponse) -> dict[str, Json]:
    if not response.body.strip():
        return {}
    try:
        found = json.loads(response.body)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        retry = Retry.SOON if is_mutating(method.id) else Retry.SLOWLY
        raise CloudError("HF513", f"{method.id}: the answer is not a JSON object", retry=retry)
    return found
