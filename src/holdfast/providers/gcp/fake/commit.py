"""How a decided change becomes state: meddled with by faults, at once or by an operation, visible at its start or at its end."""

from __future__ import annotations

from holdfast.model.json import Json, get_path
from holdfast.providers.fake import Fault
from holdfast.providers.gcp.fake.codec import camel
from holdfast.providers.gcp.fake.masks import apply_mask, find, read_mask, set_path
from holdfast.providers.gcp.fake.operations import Operation, begin
from holdfast.providers.gcp.fake.reading import Answer, viewed
from holdfast.providers.gcp.fake.request import GcpFault, Request
from holdfast.providers.gcp.fake.special import FINISHERS, GONE
from holdfast.providers.gcp.fake.store import Entry, Place
from holdfast.providers.gcp.fake.world import World

_CREATES = ("create", "insert")


def finished(world: World, place: Place, old: dict[str, Json], body: dict[str, Json], request: Request | None) -> dict[str, Json]:
    """The body with its defaults, and with what follows from other fields."""
    for path, template in place.resource.defaults.items():
        if not find(body, path)[0] or get_path(body, path) is None:
            body = set_path(body, path, place.fill(template))
    for name in place.resource.finish:
        body = FINISHERS[name](world, place, old, body, request)
    return body


def commit(world: World, request: Request, place: Place, old: Entry | None, body: dict[str, Json]) -> Answer:
    """Store the body, and answer as the method does."""
    body = _meddled(old.body if old else {}, body, request)
    new = Entry(place.resource, place.path, place.project, body)
    if request.flag("validateOnly"):
        return 200, {"done": True, "name": "", "response": viewed(world, request, new)}
    if old is None and isinstance(request.fault, GcpFault) and request.fault.absent:
        world.hidden.add(new.name)
    if _is_operation(request):
        return _operate(world, request, place, old, new)
    world.store.put(new)
    return 200, _answer(world, request, new)


def forget(world: World, request: Request, place: Place, entry: Entry | None) -> Answer:
    """The resource goes."""
    if _is_operation(request):
        return _operate(world, request, place, entry, None)
    if entry is not None:
        _drop(world, entry)
    return (200, {}) if request.route.method.get("response") else (204, None)


def _drop(world: World, entry: Entry) -> None:
    world.store.drop(entry.name)
    if entry.resource.collection in GONE:
        GONE[entry.resource.collection](world, entry)


def _is_operation(request: Request) -> bool:
    return str(request.route.method.get("response")).endswith("Operation")


def _answer(world: World, request: Request, entry: Entry) -> Json:
    """The resource as this method's answer shows it, with what the YAML adds or hides."""
    if str(request.route.method.get("response")).endswith("Empty"):
        return {}
    body = viewed(world, request, entry)
    rule = request.resource.answers.get(request.verb, {})
    for path in rule.get("hides", ()):
        body = set_path(body, path, None)
    for path, value in rule.get("adds", {}).items():
        body = set_path(body, path, value)
    if "only" in rule and request.extras.get("updateMask"):
        body = apply_mask({}, body, [*rule["only"], *(_camel_paths(str(request.extras["updateMask"])))])
    return body


def _camel_paths(mask: str) -> list[str]:
    return [camel(p) for p in read_mask(mask)]


def _operate(world: World, request: Request, place: Place, old: Entry | None, new: Entry | None) -> Answer:
    """Start an operation that brings `old` to `new`; None is a resource that is not there."""
    fault = request.fault if isinstance(request.fault, GcpFault) else None
    settings, name = place.resource.operations, f"{place.resource.service.host}/{place.path}"
    during = settings.get("during", {}).get(_kind(request), {})
    _begin_effect(world, request, old, new, during)

    def land() -> dict[str, Json] | None:
        if new is None:
            if old is not None:
                _drop(world, old)
            return world.show(old) if old else None
        current = world.store.entries.get(name)
        landed = _landed(current, None if _starts(request) else old, new, during) if current is not None else new
        world.store.put(landed)
        world.store.before[name] = old
        return world.show(landed)

    final = world.show(new) if new else (world.show(old) if old else {})
    operation = begin(place, request.verb, land, lambda: world.store.restore(name, old), final, fault.operation_error if fault else None)
    return 200, _started(world, request, operation)


def _landed(current: Entry, old: Entry | None, new: Entry, during: dict[str, Json]) -> Entry:
    """The resource as it now is, with what the operation changes; without `old`, its change was visible from the start.

    What somebody else has changed in the meantime stays."""
    changes = {*during, *(k for k in {*old.body, *new.body} if old.body.get(k) != new.body.get(k))} if old else {*during}
    body = {k: v for k, v in current.body.items() if k not in changes}
    return Entry(new.resource, new.path, new.project, {**body, **{k: v for k, v in new.body.items() if k in changes}})


def _started(world: World, request: Request, operation: Operation) -> Json:
    world.operations[f"{request.resource.service.host}/{operation.path}"] = operation
    world.running.append(operation)
    if request.query.get("requestId"):
        world.asked[(request.route.id, request.query["requestId"])] = operation
    at_once = request.verb in operation.settings.get("at_once", ())
    if at_once:
        operation.settle()
    return operation.body(at_once=at_once)


def _begin_effect(world: World, request: Request, old: Entry | None, new: Entry | None, during: dict[str, Json]) -> None:
    """What can be seen while the operation runs."""
    shown = new if new is not None and _starts(request) else old
    if shown is not None and (shown is new or during):
        world.store.put(Entry(shown.resource, shown.path, shown.project, {**shown.body, **during}))
        world.store.before[shown.name] = old


def _kind(request: Request) -> str:
    return "create" if request.verb in _CREATES else "delete" if request.verb == "delete" else "patch"


def _starts(request: Request) -> bool:
    """Whether the effect is visible from the start: creates are, unless the YAML says otherwise; changes are not."""
    default = "start" if request.verb in _CREATES else "end"
    return bool(request.resource.operations.get("effect", {}).get(_kind(request), default) == "start")


def _meddled(old: dict[str, Json], body: dict[str, Json], request: Request) -> dict[str, Json]:
    """The body after the faults: a field ignored, appended to, or overridden."""
    fault: Fault | None = request.fault
    if fault is None:
        return body
    if fault.ignore:
        body = set_path(body, fault.ignore, get_path(old, fault.ignore))
    if fault.suffix and isinstance(get_path(body, fault.suffix[0]), str) and find(request.payload, fault.suffix[0])[0]:
        body = set_path(body, fault.suffix[0], get_path(body, fault.suffix[0]) + fault.suffix[1])
    if isinstance(fault, GcpFault) and fault.override:
        body = set_path(body, *fault.override)
    return body
