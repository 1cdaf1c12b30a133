"""What a service refuses in a resource that it is given: missing fields, values outside their limits, references to what is not there."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable

from holdfast.model.json import Json, JsonMap, get_path, is_empty
from holdfast.providers.gcp.fake.errors import Refused
from holdfast.providers.gcp.fake.masks import find
from holdfast.providers.gcp.fake.spec import resources
from holdfast.providers.gcp.fake.store import Place
from holdfast.providers.gcp.fake.words import refusal, spoken
from holdfast.providers.gcp.fake.world import World, texts_at

_KEY = re.compile(r"[^\W\dA-Z_][\w-]{0,62}")
_VALUE = re.compile(r"[\w-]{0,63}")
Rule = dict[str, Json]


def check_id(place: Place) -> None:
    """The id against the service's pattern."""
    pattern = place.resource.id_pattern
    if not place.words["id"] or (pattern and not re.fullmatch(pattern, place.words["id"])):
        raise refusal(place, "id")


def check_required(place: Place, body: JsonMap) -> None:
    """What must be given; where zeroes are kept, an empty text is given too."""
    keeps = place.resource.service.zeroes == "keep"
    for path in place.resource.required:
        value = get_path(body, path)
        if value is None or (is_empty(value) and not keeps):
            raise refusal(place, "required", field=path)


def check_parent(world: World, place: Place) -> None:
    """The parent must be there where the service looks."""
    collection = place.resource.parent
    if not collection:
        return
    parent = resources()[collection]
    path = place.path.rsplit("/", 2)[0]
    if f"{parent.service.host}/{path}" not in world.store.entries:
        raise refusal(world.place(parent, path), "absent")


def check_values(world: World, place: Place, body: JsonMap, old: JsonMap | None = None) -> None:
    """Every rule of the resource's `checks` against the fields that are there, or that were changed."""
    changed = body if old is None else {k: v for k, v in body.items() if v != old.get(k)}
    for rule in place.resource.checks:
        if "any_of" in rule:
            _any_of(place, body, rule)
        elif "at_most" in rule or "with" in rule or "keeps" in rule:
            _compared(place, body, old or {}, rule)
        else:
            _check_value(world, place, changed, body, rule)


def _check_value(world: World, place: Place, changed: JsonMap, body: JsonMap, rule: Rule) -> None:
    there, value = find(changed, str(rule["field"]))
    if "apart" in rule:
        check_apart(world, place, body, rule)
    elif "refers" in rule:
        _refers(world, place, changed, rule)
    elif there and value is not None and not _passes(rule, value):
        raise _said(place, rule, value)


def _compared(place: Place, body: JsonMap, old: JsonMap, rule: Rule) -> None:
    """Rules between two fields, or between a field and what it was."""
    value = get_path(body, str(rule["field"]))
    limit = str(rule.get("at_most", ""))
    if limit and value is not None and value > (get_path(body, limit) or place.resource.defaults.get(limit, value)):
        raise _said(place, rule, value)
    if "with" in rule and not is_empty(value) and is_empty(get_path(body, str(rule["with"]))):
        raise _said(place, rule, value)
    if "keeps" in rule:
        now = {v.get(rule["keeps"]) for v in value or ()}
        for item in get_path(old, str(rule["field"])) or ():
            if item.get(rule["keeps"]) not in now:
                raise _said(place, rule, item.get(rule["keeps"]))


def check_wider(place: Place, path: str, old: JsonMap, new: JsonMap) -> None:
    """A range can only grow."""
    before, after = ipaddress.ip_network(get_path(old, path)), ipaddress.ip_network(get_path(new, path))
    if not before.subnet_of(after):  # type: ignore[arg-type]
        raise refusal(place, "invalid", field=path, value=str(after))


def check_apart(world: World, place: Place, body: JsonMap, rule: Rule) -> None:
    """A range does not overlap another one of the same collection with the same owner (the subnetworks of a network)."""
    mine, owner = get_path(body, str(rule["field"])), str(rule["apart"])
    for other in world.store.of(place.resource.collection) if mine else ():
        theirs = get_path(other.body, str(rule["field"]))
        if theirs and other.path != place.path and body.get(owner) == other.body.get(owner) and _overlap(mine, theirs):
            raise spoken(place, {"text": rule["says"]}, value=mine, user=other.path.rpartition("/")[2], field=rule["field"])


def _overlap(one: str, other: str) -> bool:
    return ipaddress.ip_network(one).overlaps(ipaddress.ip_network(other))


def _any_of(place: Place, body: JsonMap, rule: Rule) -> None:
    if not any(find(body, path)[0] for path in rule["any_of"]):
        raise _said(place, rule, "")


def _passes(rule: Rule, value: Json) -> bool:
    return all(test(value, rule[name]) for name, test in _TESTS.items() if name in rule)


def _said(place: Place, rule: Rule, value: Json) -> Refused:
    kind = "labels" if "labels" in rule else "invalid"
    if "says" not in rule:
        return refusal(place, kind, field=rule.get("field", ""), value=value)
    return spoken(place, {**_how(rule), "text": rule["says"]}, field=rule.get("field", ""), value=value)


def _how(rule: Rule) -> Rule:
    return {k: v for k, v in rule.items() if k in ("status", "http", "reason")}


def _in_range(value: Json, limits: Json) -> bool:
    return float(limits[0]) <= float(value) <= float(limits[1])


def _lasts(value: Json, limits: Json) -> bool:
    return bool(limits[0] <= float(str(value).rstrip("s")) <= limits[1])


def _fits(value: Json, pattern: Json) -> bool:
    return re.fullmatch(pattern, str(value)) is not None


def _one_of(value: Json, values: Json) -> bool:
    return value in values


def _labelled(value: Json, _: Json) -> bool:
    pairs = value.items() if isinstance(value, dict) else ()
    lower = all(str(k) == str(k).lower() and (v is None or v == str(v).lower()) for k, v in pairs)
    return lower and len(pairs) <= 64 and all(_KEY.fullmatch(k) and (v is None or _VALUE.fullmatch(v)) for k, v in pairs)


def _each_has(value: Json, name: Json) -> bool:
    return all(v.get(name) for v in value)


def _cidr(value: Json, _: Json) -> bool:
    try:
        ipaddress.ip_network(str(value))
    except ValueError:
        return False
    return True


_TESTS: dict[str, Callable[[Json, Json], bool]] = {
    "range": _in_range, "seconds": _lasts, "pattern": _fits, "labels": _labelled, "one_of": _one_of, "cidr": _cidr, "each": _each_has,
}


def _refers(world: World, place: Place, body: JsonMap, rule: Rule) -> None:
    """Every value of the field names a resource of one of the collections."""
    collections = rule["refers"] if isinstance(rule["refers"], list) else [rule["refers"]]
    for value in texts_at(body, str(rule["field"])):
        if value in rule.get("unless", ()):
            continue
        target = world.target(value, place.project)
        names = [f"{resources()[c].service.host}/{target}" for c in collections]
        if not any(n in world.store.entries for n in names):
            more = {"field": rule["field"], "value": value, "target": target, "target_id": target.rpartition("/")[2]}
            raise spoken(place, {**_how(rule), "text": rule["says"]}, **more) if "says" in rule else refusal(place, "reference", **more)
