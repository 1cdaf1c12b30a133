"""Writes: create, change, delete, and the custom methods that set fields."""

from __future__ import annotations

import dataclasses
import functools
from urllib.parse import quote

from holdfast.model.json import Json, get_path, is_empty
from holdfast.providers.gcp.fake import checks
from holdfast.providers.gcp.fake.codec import behaving, without_output
from holdfast.providers.gcp.fake.commit import commit, finished, forget
from holdfast.providers.gcp.fake.errors import Refused
from holdfast.providers.gcp.fake.masks import apply_mask, find, merge_patch, read_mask, replace, set_path, spelled
from holdfast.providers.gcp.fake.reading import Answer
from holdfast.providers.gcp.fake.request import Request
from holdfast.providers.gcp.fake.spec import Resource, resources
from holdfast.providers.gcp.fake.store import Entry, Place, place_of
from holdfast.providers.gcp.fake.words import refusal
from holdfast.providers.gcp.fake.world import World


def create(world: World, request: Request) -> Answer:
    """A new resource, from what the request gives and the service's defaults."""
    place = _new_place(world, request)
    payload = _input(world, place, request.payload)
    checks.check_required(place, {**payload, **request.extras, "name": payload.get("name") or place.words["id"]})
    checks.check_parent(world, place)
    checks.check_values(world, place, payload)
    if f"{request.resource.service.host}/{place.path}" in world.store.entries:
        raise refusal(place, "exists")
    return commit(world, request, place, None, made(world, place, payload, request))


def made(world: World, place: Place, payload: dict[str, Json], request: Request | None = None) -> dict[str, Json]:
    """The resource as the service stores it first: as given, with defaults and what the service makes up."""
    body = dict(payload)
    for path, template in {**place.resource.generated, **place.resource.touch}.items():
        body = set_path(body, path, "1" if template == "<next>" else place.fill(template))
    return finished(world, place, {}, body, request)


def change(world: World, request: Request) -> Answer:
    """PATCH and PUT: by mask, by merging or by replacing, as the service does."""
    try:
        entry = world.find(request)
    except Refused:
        if request.resource.upserts:
            return create(world, dataclasses.replace(request, path=request.path.rpartition("/")[0]))
        raise
    place = place_of(entry, world.values)
    _check_fresh(place, entry, request)
    _check_idle(world, place, entry)
    payload = _input(world, place, request.payload)
    mode = "replace" if request.route.method["http"] == "PUT" else request.resource.update
    if mode == "mask":
        body = _masked(place, entry, payload, request)
    else:
        _check_immutable(place, entry, payload)
        body = merge_patch(entry.body, payload) if mode == "merge" else replace(entry.body, payload, _kept(entry.resource))
    if mode == "replace":
        checks.check_required(place, body)
    checks.check_values(world, place, body, entry.body)
    return commit(world, request, place, entry, touched(world, place, entry.body, body, request))


def touched(world: World, place: Place, old: dict[str, Json], body: dict[str, Json], request: Request | None = None) -> dict[str, Json]:
    """The changed resource with new times, etags and versions."""
    for path, template in place.resource.touch.items():
        value = str(int(get_path(old, path) or 0) + 1) if template == "<next>" else place.fill(template)
        body = set_path(body, path, value)
    return finished(world, place, old, body, request)


def delete(world: World, request: Request) -> Answer:
    """The resource goes, unless something holds it."""
    try:
        entry = world.find(request)
    except Refused:
        if request.flag("allowMissing"):
            return forget(world, request, world.place(request.resource, request.path), None)
        raise
    place = place_of(entry, world.values)
    _check_fresh(place, entry, request)
    _check_idle(world, place, entry)
    if entry.resource.protected and get_path(entry.body, entry.resource.protected):
        raise refusal(place, "protected")
    _check_unused(world, place, entry, request)
    return forget(world, request, place, entry)


def set_fields(world: World, request: Request) -> Answer:
    """A custom method that sets fields: those of its body, or those that the YAML says (`enable`, `setLabels`)."""
    settings = request.resource.methods[request.verb]
    entry = world.find(request)
    place = place_of(entry, world.values)
    given = {**request.payload, **request.extras}
    _check_fresh(place, entry, request)
    _check_idle(world, place, entry)
    body = dict(entry.body)
    for name, value in settings.get("sets", {}).items():
        body = set_path(body, name, value)
    for name, source in settings.get("takes", {}).items():
        if is_empty(given.get(source)) and settings.get("needs"):
            raise refusal(place, "required", field=source)
        body[name] = given.get(source)
    if "widens" in settings:
        checks.check_wider(place, str(settings["widens"]), entry.body, body)
    changes = _input(world, place, {k: v for k, v in body.items() if v is not None and v != entry.body.get(k)})
    checks.check_values(world, place, {**body, **changes}, entry.body)
    return commit(world, request, place, entry, touched(world, place, entry.body, {**body, **changes}, request))


def _new_place(world: World, request: Request) -> Place:
    """Where the new resource will be: the collection's path and the id, from where the service takes it."""
    resource, project = request.resource, request.query.get("project", "")
    if resource.id_from == "path":
        place = world.place(resource, request.path)
        checks.check_id(place)
        return place
    given = _given_id(request)
    if not given:
        raise refusal(world.place(resource, f"{request.path}/", project), "required", field=resource.id_from.partition(":")[2])
    place = world.place(resource, f"{request.path}/{quote(given, safe='@')}", project)
    checks.check_id(place)
    return world.place(resource, f"{request.path}/{place.fill(resource.id_is)}", project) if resource.id_is else place


def _given_id(request: Request) -> str:
    source, _, name = request.resource.id_from.partition(":")
    if source == "query":
        return request.query.get(name, "")
    return str(get_path({**request.payload, **request.extras}, name) or "")


def _input(world: World, place: Place, payload: dict[str, Json]) -> dict[str, Json]:
    """What a caller may write: without output fields, with references in the service's own form."""
    resource = place.resource
    body = without_output(resource.service.schemas, {"$ref": resource.schema}, payload)
    for path in (*resource.output, *(["name"] if resource.update == "mask" else [])):
        if find(body, path)[0]:
            body = set_path(body, path, None)
    for path in resource.links:
        there, value = find(body, path)
        if there and value:
            body = set_path(body, path, _linked(world, place, value))
    return dict(body)


def _linked(world: World, place: Place, value: Json) -> Json:
    if isinstance(value, list):
        return [_linked(world, place, v) for v in value]
    return f"https://www.googleapis.com/compute/v1/{world.target(value, place.project)}"


def _masked(place: Place, entry: Entry, payload: dict[str, Json], request: Request) -> dict[str, Json]:
    """The resource with the masked fields as the payload has them."""
    text = request.query.get("updateMask") or request.extras.get("updateMask") or request.extras.get("fieldMask") or ""
    if not text and request.resource.mask == "required":
        raise refusal(place, "mask_missing")
    fixed = immutables(entry.resource)
    if not text or text.strip() == "*":
        writable = [k for k in entry.resource.fields if not entry.resource.is_output(k) and k not in ("name", "etag")]
        paths = [k for k in writable if k in payload or (text and k not in fixed)]
    else:
        paths = [_mask_path(place, p, fixed) for p in read_mask(text)]
    body = apply_mask(entry.body, payload, paths)
    _check_immutable(place, entry, {k: v for k, v in body.items() if v != entry.body.get(k)})
    return body


def _mask_path(place: Place, given: str, fixed: list[str]) -> str:
    path = spelled(place.resource.service.schemas, place.resource.schema, given)
    if path is None:
        raise refusal(place, "mask_unknown", field=given)
    outputs = [*_stated(place.resource.collection, "output"), *place.resource.output]
    if any(path == f or path.startswith(f"{f}.") for f in (*fixed, *outputs, "name")):
        raise refusal(place, "mask_immutable", field=given)
    return path


@functools.lru_cache(maxsize=256)
def _stated(collection: str, behaviour: str) -> list[str]:
    """The fields with that behaviour in the document."""
    resource = resources()[collection]
    return behaving(resource.service.schemas, resource.schema, behaviour)


def immutables(resource: Resource) -> list[str]:
    """The fields that cannot be changed: by the document, and by the YAML."""
    stated = _stated(resource.collection, "immutable")
    return [p for p in (*stated, *resource.immutable) if p not in resource.mutable]


def _check_immutable(place: Place, entry: Entry, payload: dict[str, Json]) -> None:
    for path in immutables(entry.resource):
        there, value = find(payload, path)
        old = get_path(entry.body, path)
        if there and value != old and not (is_empty(value) and is_empty(old)):
            raise refusal(place, "immutable", field=path, value=value)


def _kept(resource: Resource) -> list[str]:
    """The fields that a replacement leaves as they are."""
    return [*_stated(resource.collection, "output"), *resource.output, *immutables(resource), *resource.generated, *resource.touch, *resource.hidden]


def _check_fresh(place: Place, entry: Entry, request: Request) -> None:
    """Etags, fingerprints and generations: what the caller last saw must be what there is."""
    rule, method = entry.resource.etag, request.resource.methods.get(request.verb, {})
    given, kind = {**request.payload, **request.extras}, str(method.get("stale", "stale"))
    for name in method.get("fresh", ()) if method else rule.get("body", ()):
        value = get_path(given, name)
        _compare(place, value, get_path(entry.body, name), kind)
        if value is None and (method or request.verb in rule.get("needed", ())):
            raise refusal(place, kind, given="", current=get_path(entry.body, name))
    for name, path in rule.get("query", {}).items():
        _compare(place, request.query.get(name), get_path(entry.body, path))
    if rule.get("header"):
        _compare(place, request.headers.get("if-match"), get_path(entry.body, rule["header"]))


def _compare(place: Place, given: Json, current: Json, kind: str = "stale") -> None:
    if given not in (None, "", "*") and str(given).strip('"') != str(current):
        raise refusal(place, kind, given=given, current=current)


def _check_idle(world: World, place: Place, entry: Entry) -> None:
    if "busy" in entry.resource.words and world.running_on(entry.name) is not None:
        raise refusal(place, "busy")


def _check_unused(world: World, place: Place, entry: Entry, request: Request) -> None:
    for rule in entry.resource.used_by:
        for user in world.users_of(entry, rule["by"], rule["field"]):
            raise refusal(place, "used", user=user.path)
    holds = entry.resource.holds
    inside = [n for n in world.store.entries if n.startswith(f"{entry.name}/")]
    if holds and inside:
        if not request.flag(str(holds.get("unless", ""))):
            raise refusal(place, "used", user=inside[0].partition("/")[2])
        for name in inside:
            world.store.drop(name)
