"""Calls to AWS: botocore's serializer, endpoint rules, signer and parser around our own transport.

No retries, no jitter, no clock of its own: pacing is the runtime's. The steps are those of botocore's own client (which takes them
behind a blocking socket); docs/adr/0002 has the measurement that made us take them ourselves.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from typing import Any

from holdfast import __version__
from holdfast.model.errors import CloudError, Retry
from holdfast.model.json import Json
from holdfast.providers.aws.errors import translate
from holdfast.providers.budget import Budget
from holdfast.providers.wire import Gate, Transport, WireRequest, WireResponse, is_mutating

LOG = logging.getLogger("holdfast")
# how listings page that the vendor's models do not describe (S3's per-bucket configurations)
_CONTINUED: dict[str, Any] = {"input_token": "ContinuationToken", "output_token": "NextContinuationToken", "more_results": "IsTruncated", "result_key": []}
NO_REGION = "no region is set; set AWS_REGION, or region in ~/.aws/config, or the annotation services.k8s.aws/region"
NO_CREDENTIALS = ("no AWS credentials were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, "
                  "or log in with `aws sso login`")


class Vendor:
    """botocore's session, with its credentials, and its clients per service and region, made when first needed. They hold no state of
    ours, so processes that make many engines (tests) share one."""

    def __init__(self) -> None:
        self._session: Any = None
        self.credentials: Any = None
        self.clients: dict[tuple[str, str], Any] = {}

    @property
    def session(self) -> Any:
        if self._session is None:
            import botocore.session

            self._session = botocore.session.get_session()
        return self._session


    def find_credentials(self) -> Any:
        return self._asked(self.session.get_credentials)

    def region(self) -> str:
        return os.environ.get("AWS_REGION") or self._asked(lambda: self.session.get_config_variable("region")) or ""

    def _asked(self, question: Callable[[], Any]) -> Any:
        """A profile that does not exist, or a config file that cannot be read, is one clear line."""
        from botocore.exceptions import BotoCoreError

        try:
            return question()
        except BotoCoreError as error:
            raise CloudError("HF501", str(error), retry=Retry.SLOWLY, sent=False) from None


class AwsClient:
    """Calls with one set of credentials, through one transport and one gate."""

    def __init__(self, transport: Transport, gate: Gate, vendor: Vendor | None = None) -> None:
        self._transport, self.gate = transport, gate
        self._vendor, self._budget = vendor or Vendor(), Budget()

    def region(self) -> str:
        return self._vendor.region()

    async def call(self, service: str, region: str, operation: str, params: dict[str, Json]) -> dict[str, Json]:
        """One call. Raises CloudError; mutating operations pass the gate or are never serialized."""
        self.gate.pass_through(service, operation)
        LOG.debug("call service=%s region=%s operation=%s", service, region, operation)
        await self._refresh_credentials()
        client = self._client(service, region)
        request, context = _prepare(client, service, operation, params)
        await self._budget.wait(service, region)
        response = await self._transport.send(request)
        try:
            answer = _parse(client, operation, response, context)
        except CloudError as error:
            if error.code == "HF503":
                self._budget.slow_down(service, region, error.retry_after)
            raise
        self._budget.speed_up(service, region)
        return answer

    async def pages(self, service: str, region: str, operation: str, params: dict[str, Json]) -> dict[str, Json]:
        """All pages of a listing as one answer; an operation without pages is called once."""
        config = None if is_mutating(operation) else _page_config(self._vendor.session, service, operation)
        if config is None:
            config = _CONTINUED
        merged: dict[str, Json] = {}
        while True:
            page = await self.call(service, region, operation, params)
            _merge_page(merged, page, config)
            token = _next_token(page, config)
            if not token:
                return merged or page
            params = {**params, **token}

    async def _refresh_credentials(self) -> None:
        """Credentials may be fetched over the network, so never on the event loop."""
        if self._vendor.credentials is None:
            plain = bool(os.environ.get("AWS_ACCESS_KEY_ID"))
            look = self._vendor.find_credentials
            found = look() if plain else await asyncio.to_thread(look)
            if found is None:
                raise CloudError("HF501", NO_CREDENTIALS, retry=Retry.SLOWLY, sent=False)
            self._vendor.credentials = found
        needed = getattr(self._vendor.credentials, "refresh_needed", None)
        if needed is not None and needed():
            await asyncio.to_thread(self._vendor.credentials.get_frozen_credentials)

    def _client(self, service: str, region: str) -> Any:
        if not region:
            raise CloudError("HF501", NO_REGION, retry=Retry.SLOWLY, sent=False)
        if (service, region) not in self._vendor.clients:
            from botocore.config import Config
            from botocore.exceptions import BotoCoreError

            try:
                self._vendor.clients[service, region] = self._vendor.session.create_client(
                    service, region_name=region, config=Config(retries={"total_max_attempts": 1}, user_agent=f"holdfast/{__version__}"))
            except (BotoCoreError, ValueError) as error:
                raise CloudError("HF501", str(error), retry=Retry.SLOWLY, sent=False) from None
        return self._vendor.clients[service, region]


def _prepare(client: Any, service: str, operation: str, params: dict[str, Json]) -> tuple[WireRequest, dict[str, Any]]:
    """What botocore does between a method call and the socket."""
    from botocore.exceptions import BotoCoreError
    from botocore.httpchecksum import apply_request_checksum, resolve_checksum_context

    model = client.meta.service_model.operation_model(operation)
    context: dict[str, Any] = {
        "client_region": client.meta.region_name, "client_config": client.meta.config, "has_streaming_input": model.has_streaming_input,
        "auth_type": model.resolved_auth_type, "unsigned_payload": model.unsigned_payload,
        "auth_options": client.meta.service_model.metadata.get("auth"),
    }
    try:
        params = client._emit_api_params(params, model, context)  # noqa: SLF001
        url, headers, properties = client._resolve_endpoint_ruleset(model, params, context)  # noqa: SLF001
        if properties:
            context["endpoint_properties"] = properties
        made = client._convert_to_request_dict(params, model, url, context, headers)  # noqa: SLF001
        resolve_checksum_context(made, model, params)
        client.meta.events.emit(f"before-call.{_service_id(client)}.{operation}", model=model, params=made,
                                request_signer=client._request_signer, context=context)  # noqa: SLF001
        apply_request_checksum(made)
        prepared = client._endpoint.create_request(made, model)  # noqa: SLF001
    except BotoCoreError as error:
        raise CloudError("HF505", f"{operation}: {error}", sent=False) from None
    head = {k: v.decode() if isinstance(v, bytes) else str(v) for k, v in prepared.headers.items()}
    return WireRequest(service, operation, prepared.method, prepared.url, head, _bytes(prepared.body)), context


def _parse(client: Any, operation: str, response: WireResponse, context: dict[str, Any]) -> dict[str, Json]:
    """What botocore does between the socket and the method's result."""
    from botocore.awsrequest import AWSResponse, HeadersDict
    from botocore.parsers import ResponseParserError

    model = client.meta.service_model.operation_model(operation)
    headers = HeadersDict(response.headers)
    http = AWSResponse("", response.status, headers, None)
    http._content = response.body  # noqa: SLF001
    raw = {"headers": headers, "status_code": response.status, "context": {"operation_name": operation}, "body": response.body}
    events, custom = client.meta.events, dict[str, Any]()
    events.emit(f"before-parse.{_service_id(client)}.{operation}", operation_model=model, response_dict=raw, customized_response_dict=custom)
    parser = client._endpoint._response_parser_factory.create_parser(model.service_model.resolved_protocol)  # noqa: SLF001
    try:
        parsed: dict[str, Any] = {**parser.parse(raw, model.output_shape), **custom}
    except ResponseParserError as error:
        code, retry = ("HF504", Retry.SOON) if response.status >= 500 else ("HF513", Retry.SLOWLY)
        raise CloudError(code, f"{operation}: {error}", retry=retry) from None
    events.emit(f"after-call.{_service_id(client)}.{operation}", http_response=http, parsed=parsed, model=model, context=context)
    if response.status >= 300:
        raise _error(operation, response, parsed)
    parsed.pop("ResponseMetadata", None)
    return parsed


def _error(operation: str, response: WireResponse, parsed: dict[str, Any]) -> CloudError:
    info = parsed.get("Error") or {}
    after = response.headers.get("retry-after", "")
    error = translate(operation, response.status, str(info.get("Code") or response.status), str(info.get("Message") or ""),
                      float(after) if after.replace(".", "", 1).isdigit() else 0.0)
    region = response.headers.get("x-amz-bucket-region")
    if error.code == "HF511" and region:
        error.message += f" (the bucket is in {region}; set services.k8s.aws/region)"
    return error


def _service_id(client: Any) -> str:
    return str(client.meta.service_model.service_id.hyphenize())


def _bytes(body: Any) -> bytes:
    if body is None:
        return b""
    if hasattr(body, "read"):
        return bytes(body.read())
    return body.encode() if isinstance(body, str) else bytes(body)


def _page_config(session: Any, service: str, operation: str) -> dict[str, Any] | None:
    """The vendor's own description of how an operation pages."""
    from botocore.exceptions import DataNotFoundError

    try:
        pages = session.get_component("data_loader").load_service_model(service, "paginators-1")["pagination"]
    except DataNotFoundError:
        return None
    found: dict[str, Any] | None = pages.get(operation)
    return found


def _merge_page(merged: dict[str, Json], page: dict[str, Json], config: dict[str, Any]) -> None:
    keys = config["result_key"] if isinstance(config["result_key"], list) else [config["result_key"]]
    for name, value in page.items():
        if (name in keys and isinstance(merged.get(name), list) and isinstance(value, list)) or (isinstance(merged.get(name), list) and isinstance(value, list) and not keys):
            merged[name] = [*merged[name], *value]
        elif name not in merged:
            merged[name] = value


def _next_token(page: dict[str, Json], config: dict[str, Any]) -> dict[str, Json]:
    import jmespath

    if config.get("more_results") and not jmespath.search(config["more_results"], page):
        return {}
    outs = config["output_token"] if isinstance(config["output_token"], list) else [config["output_token"]]
    ins = config["input_token"] if isinstance(config["input_token"], list) else [config["input_token"]]
    found = {i: jmespath.search(o, page) for i, o in zip(ins, outs, strict=True)}
    return {k: v for k, v in found.items() if v}
