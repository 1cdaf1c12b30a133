"""Reads: get, list and compute's aggregated list."""

from __future__ import annotations

import base64

from holdfast.model.json import Json
from holdfast.providers.gcp.fake.codec import camel
from holdfast.providers.gcp.fake.errors import Refused
from holdfast.providers.gcp.fake.masks import apply_mask, read_mask
from holdfast.providers.gcp.fake.request import Request
from holdfast.providers.gcp.fake.special import VIEWS
from holdfast.providers.gcp.fake.store import Entry
from holdfast.providers.gcp.fake.world import World, matches

_SIZES = ("pageSize", "maxResults")
Answer = tuple[int, Json]


def read_one(world: World, request: Request) -> Answer:
    """GET of one resource."""
    entry = world.find(request)
    body = viewed(world, request, entry)
    if request.query.get("fieldMask"):
        body = apply_mask({}, body, [camel(p) for p in read_mask(request.query["fieldMask"])])
    return 200, body


def viewed(world: World, request: Request | None, entry: Entry) -> dict[str, Json]:
    """The resource as a `get` without a request shows it, or as this request's answer does."""
    body = world.show(entry)
    view = VIEWS.get(entry.resource.collection)
    return view(world, body, request, entry) if view else body


def read_list(world: World, request: Request) -> Answer:
    """A page of a collection, in order of name."""
    found = [e for e in _seen(world, request) if _is_in(world, request, e)]
    page, token = _page(found, request)
    body = _envelope(request)
    items = [_listed(viewed(world, request, e), e) for e in page]
    if items:
        body[_array(request)] = items
    if token:
        body["nextPageToken"] = token
    return 200, body


def read_aggregated(world: World, request: Request) -> Answer:
    """All scopes of a collection: `global` and `regions/r`."""
    kind = request.path.rpartition("/")[2]
    found = [e for e in _seen_all(world, request) if e.path.split("/")[-2] == kind and e.project == _project(world, request)]
    page, token = _page(found, request)
    scopes: dict[str, Json] = {}
    for entry in page:
        scope = "/".join(entry.path.split("/")[2:-2])
        scopes.setdefault(scope, {}).setdefault(kind, []).append(viewed(world, request, entry))
    return 200, {**_envelope(request), "items": scopes, **({"nextPageToken": token} if token else {})}


def _seen(world: World, request: Request) -> list[Entry]:
    return [e for e in _seen_all(world, request) if e.resource.collection == request.resource.collection]


def _seen_all(world: World, request: Request) -> list[Entry]:
    """The entries of the service, as they were before their last write where the read is stale."""
    stale = request.fault is not None and request.fault.stale
    names = sorted({*world.store.entries, *(world.store.before if stale else ())})
    seen = (world.store.see(n, stale=stale) for n in names)
    return [e for e in seen if e is not None and e.resource.service is request.resource.service]


def _is_in(world: World, request: Request, entry: Entry) -> bool:
    if not matches(request.path, entry.path.rpartition("/")[0]):
        return False
    project = request.query.get("project")
    return project is None or world.store.projects.get(project, project) == entry.project


def _project(world: World, request: Request) -> str:
    return world.store.canonical(request.path).split("/")[1]


def _page(entries: list[Entry], request: Request) -> tuple[list[Entry], str]:
    """The entries after the token, as many as asked for, and the token of the next page."""
    size = int(next((request.query[s] for s in _SIZES if request.query.get(s)), "0")) or 500
    after = _read_token(request.query.get("pageToken", ""))
    rest = [e for e in entries if e.name > after]
    page = rest[:size]
    token = base64.urlsafe_b64encode(page[-1].name.encode()).decode() if len(rest) > size else ""
    return page, token


def _read_token(token: str) -> str:
    try:
        return base64.urlsafe_b64decode(token).decode()
    except ValueError:
        raise Refused("The page token is invalid.", location="pageToken") from None


def _envelope(request: Request) -> dict[str, Json]:
    """What a list says besides its items."""
    known = request.route.service.schemas[request.route.method["response"]]["properties"]
    body: dict[str, Json] = {"kind": known["kind"]["default"]} if known.get("kind", {}).get("default") else {}
    if "selfLink" in known:
        body |= {"id": request.path, "selfLink": f"https://www.googleapis.com/compute/v1/{request.path}"}
    return body


def _array(request: Request) -> str:
    """The field of the list's answer that has the items."""
    known = request.route.service.schemas[request.route.method["response"]]["properties"]
    arrays: list[str] = [k for k, s in known.items() if s.get("type") == "array"]
    exact = [k for k in arrays if known[k]["items"].get("$ref") == request.resource.schema]
    return (exact or [k for k in arrays if k not in ("unreachable", "unreachables", "warnings")])[0]


def _listed(body: dict[str, Json], entry: Entry) -> dict[str, Json]:
    """A list may show less than a get."""
    fields = entry.resource.listed
    return {k: v for k, v in body.items() if k in fields} if fields else body
