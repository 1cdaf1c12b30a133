"""One request, read: the method, the resource's path, the query and the body, or a refusal of what is not understood."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import orjson

from holdfast.model.json import Json, JsonMap
from holdfast.providers.fake import Fault
from holdfast.providers.gcp.fake.codec import Reader, refuse, snake
from holdfast.providers.gcp.fake.errors import Refused
from holdfast.providers.gcp.fake.router import Route, Target
from holdfast.providers.gcp.fake.spec import Resource

_ALWAYS = {"alt", "$alt", "prettyPrint", "$prettyPrint", "key", "quotaUser", "fields", "$fields", "access_token", "oauth_token", "callback", "$.xgafv",
           "upload_protocol", "uploadType", "userIp"}
_MERGES = ("PATCH",)


@dataclass(slots=True)
class GcpFault(Fault):
    """More ways to misbehave."""

    latency: float = 0.0  # seconds until the service acts
    absent: bool = False  # on a create: the next read answers 404. On a read: it answers 404
    override: tuple[str, Json] | None = None  # (field path, value): the service stores its own value
    retry_after: str = ""  # the header, with an error
    operation_error: tuple[int | str, str] | None = None  # the long-running operation fails: (code, message), and nothing has changed


@dataclass(frozen=True, slots=True)
class Request:
    """What the service was asked."""

    route: Route
    resource: Resource
    path: str  # of the resource, or of the collection for list and create; below the API's version
    query: dict[str, str]
    headers: dict[str, str]
    payload: dict[str, Json] = field(default_factory=dict)  # the resource in the body
    extras: dict[str, Json] = field(default_factory=dict)  # the other fields of a wrapping body
    fault: Fault | None = None

    @property
    def verb(self) -> str:
        return self.route.verb

    def flag(self, name: str) -> bool:
        return self.query.get(name, "").lower() == "true"


def parse_body(body: bytes) -> Json:
    """The body as JSON; None where there is none."""
    if not body.strip():
        return None
    try:
        return orjson.loads(body)
    except ValueError:
        raise Refused("Invalid JSON payload received. Expected a value.", reason="parseError") from None


def read_request(route: Route, resource: Resource, target: Target, path: str, headers: dict[str, str], body: Json, fault: Fault | None) -> Request:
    """The request against the document: unknown parameters and fields are refused."""
    _check_query(route, target.query)
    payload, extras = _read_body(route, resource, target, body)
    return Request(route, resource, path, target.query, headers, payload, extras, fault)


def _check_query(route: Route, query: dict[str, str]) -> None:
    known = {k: p for k, p in route.method["params"].items() if p["in"] == "query"}
    wrapped = _properties(route)
    for name, value in query.items():
        if name not in known and name not in _ALWAYS and name not in wrapped:
            text = f'Invalid JSON payload received. Unknown name "{name}": Cannot bind query parameter. Field \'{name}\' could not be found in request message.'
            refuse([("", text)])
        kind = known.get(name, {}).get("type")
        if kind == "integer" and not re.fullmatch(r"-?\d+", value):
            refuse([(snake(name), f"Invalid value at '{snake(name)}' (TYPE_INT32), \"{value}\"")])
        if kind == "boolean" and value.lower() not in ("true", "false"):
            refuse([(snake(name), f"Invalid value at '{snake(name)}' (TYPE_BOOL), \"{value}\"")])
    for name, param in known.items():
        if param.get("required") and name not in query:
            raise Refused(f"Required parameter: {name}", reason="required", location=name)


def _properties(route: Route) -> JsonMap:
    schema = route.method.get("request")
    return dict(route.service.schemas[schema].get("properties", {})) if schema else {}


def _read_body(route: Route, resource: Resource, target: Target, body: Json) -> tuple[dict[str, Json], dict[str, Json]]:
    """The resource in the body, and what stands beside it."""
    schema = route.method.get("request")
    if not schema:
        return {}, {}
    reader = Reader(route.service.schemas, keeps_null=route.method["http"] in _MERGES and resource.update == "merge",
                    refuses=route.service.unknown == "refuse")
    read = reader.message(schema, _without_path(route, {} if body is None else body), _root(route, resource, schema))
    refuse(reader.problems)
    if schema == resource.schema:
        return read, {}
    wrapper = next((k for k, s in _properties(route).items() if s.get("$ref") == resource.schema), "")
    extras = {k: v for k, v in target.query.items() if k in _properties(route)} | {k: v for k, v in read.items() if k != wrapper}
    return dict(read.get(wrapper) or {}), extras


def _without_path(route: Route, body: Json) -> Json:
    """A body that is the whole request message may repeat what stands in the path (`parent`)."""
    known = _properties(route)
    return {k: v for k, v in body.items() if k in known or k not in route.method["params"]} if isinstance(body, dict) else body


def _root(route: Route, resource: Resource, schema: str) -> str:
    """What the body is called in a refusal: its field of the request message, or nothing where it is the message."""
    if schema != resource.schema or route.method["http"] == "PUT":
        return ""
    return snake(re.sub(r"^Google\w*V\d+", "", schema)) if route.service.errors == "esf" else "resource"
