"""From a URL to a method of an API: by host and path, as the discovery documents write them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import parse_qsl, unquote, urlsplit

from holdfast.model.json import JsonMap
from holdfast.providers.gcp.fake.spec import Resource, Service, resources, services

_VERSION = re.compile(r"^(?:[a-z]+/)?v\d+[a-z0-9]*/")
_OLD_HOST = "www.googleapis.com"
_OLD_PATHS = {"compute": "compute", "storage": "storage", "bigquery": "bigquery", "dns": "dns", "sql": "sqladmin"}
_COLLECTION_VERBS = ("list", "create", "insert", "aggregatedList")


@dataclass(frozen=True)
class Route:
    """One method: its id, its place in the document, and the pattern of its path."""

    id: str
    verb: str
    service: Service
    resource: Resource | None
    method: JsonMap
    pattern: re.Pattern[str]
    tail: str  # the literal end of a custom method's path: `:enable`, `/setLabels`


@dataclass(frozen=True, slots=True)
class Target:
    """What a URL names: the service, the path below the API's version, and the query."""

    service: Service
    whole: str
    query: dict[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        return below_version(self.whole)


def below_version(path: str) -> str:
    return _VERSION.sub("", path, count=1)


def read_url(url: str, headers: dict[str, str]) -> Target | None:
    """The service and the path: the host is the URL's, the first segment of the path, or the Host header."""
    parts = urlsplit(url)
    known = services()
    path = parts.path.lstrip("/")
    head, _, rest = path.partition("/")
    if head in known or head == _OLD_HOST:
        host, path = head, rest
    else:
        host = next((h for h in (parts.hostname or "", headers.get("host", "").partition(":")[0]) if h in known or h == _OLD_HOST), "")
    host, path = _modern(host, path)
    if host not in known:
        return None
    return Target(known[host], path, dict(parse_qsl(parts.query, keep_blank_values=True)))


def _modern(host: str, path: str) -> tuple[str, str]:
    """The older host and the older SQL path, in today's form."""
    if host == _OLD_HOST:
        host = f"{_OLD_PATHS.get(path.partition('/')[0], '')}.googleapis.com"
    return host, path.replace("sql/v1beta4/", "v1/", 1) if path.startswith("sql/v1beta4/") else path


def match(method: str, target: Target) -> tuple[Route, dict[str, str]] | None:
    """The method that the path names, and the parameters in the path."""
    for route in _table().get((target.service.host, method, target.whole.count("/")), ()):
        found = route.pattern.fullmatch(target.whole)
        if found:
            return route, {k: unquote(v) for k, v in found.groupdict().items()}
    return None


def resource_named(host: str, path: str) -> Resource | None:
    """The resource that a full name names: the one whose `get` has that path."""
    for (at, method, _), routes in _table().items():
        if at == host and method == "GET":
            for route in routes:
                whole = _VERSION.match(route.method["path"])
                if route.verb == "get" and whole and route.pattern.fullmatch(whole.group() + path):
                    return route.resource
    return None


@lru_cache(maxsize=1)
def _table() -> dict[tuple[str, str, int], list[Route]]:
    """Routes by host, HTTP method and number of slashes; those with a custom verb stand first."""
    table: dict[tuple[str, str, int], list[Route]] = {}
    for service in services().values():
        for name, method in service.document["methods"].items():
            route = _route(service, name, method)
            table.setdefault((service.host, method["http"], _slashes(method)), []).append(route)
    for routes in table.values():
        routes.sort(key=lambda r: (":" not in r.tail, -len(r.tail)))
    return table


def _route(service: Service, name: str, method: JsonMap) -> Route:
    collection, _, verb = name.rpartition(".")
    tail = str(method["path"]).rpartition("}")[2]
    return Route(name, verb, service, resources().get(collection), method, re.compile(_regex(method)),
                 tail if verb not in _COLLECTION_VERBS or ":" in tail else "")


def _inner(method: JsonMap, name: str) -> str:
    """The pattern of one parameter; only resource names (`{+name}`) have patterns with slashes."""
    pattern = str(method["params"][name].get("pattern") or "")
    return pattern.strip("^$") if pattern.startswith("^") else "[^/]+"


def _regex(method: JsonMap) -> str:
    pieces = re.split(r"\{\+?(\w+)\}", str(method["path"]))
    return "".join(re.escape(p) if i % 2 == 0 else f"(?P<{p}>{_inner(method, p)})" for i, p in enumerate(pieces))


def _slashes(method: JsonMap) -> int:
    pieces = re.split(r"\{\+?(\w+)\}", str(method["path"]))
    return sum((p if i % 2 == 0 else _inner(method, p).replace("[^/]", "")).count("/") for i, p in enumerate(pieces))
