"""Between a spec and the wire: every word of the schema in both directions, and both directions for every shipped kind."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.kinds.catalog import shipped
from holdfast.kinds.pack import document
from holdfast.model.json import get_path
from holdfast.providers.gcp.codec import (
    apply_patch,
    decode,
    encode,
    merge_patch,
    moment,
    pick,
    wire_paths,
    without_outputs,
)

TEXT, FLAG, WHOLE = {"type": "string"}, {"type": "boolean"}, {"type": "integer"}
NAMES = {"project": "p", "spec": {"resourceID": "r"}}
REF = {"type": "object", "properties": dict.fromkeys(("external", "name", "namespace"), TEXT), "x-ref": True}
SECRET = {"type": "object", "properties": {"value": TEXT}, "x-secret": True}
often = settings(max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


def an_object(properties: dict, **more) -> dict:
    return {"type": "object", "properties": properties, **more}


def listed(items: dict, **more) -> dict:
    return {"type": "array", "items": items, **more}


ITEM = an_object({"a": TEXT, "b": {**WHOLE, "x-text": True}})
# (schema, as the spec has it, as the wire has it)
BOTH_WAYS = [
    pytest.param({"a": TEXT, "b": FLAG, "c": WHOLE}, {"a": "x", "b": False, "c": 0}, {"a": "x", "b": False, "c": 0}, id="plain values, false and zero too"),
    pytest.param({"a": {**TEXT, "x-wire": "b"}}, {"a": "x"}, {"b": "x"}, id="wire: another name"),
    pytest.param({"a": {**TEXT, "x-wire": "b.c"}, "d": {**TEXT, "x-wire": "b.e"}}, {"a": "x", "d": "y"}, {"b": {"c": "x", "e": "y"}}, id="wire: deeper, beside another"),
    pytest.param({"g": an_object({"a": TEXT}, **{"x-wire": "."}), "b": TEXT}, {"g": {"a": "x"}, "b": "y"}, {"a": "x", "b": "y"}, id="wire: a group that is not there"),
    pytest.param({"o": an_object({"a": {**TEXT, "x-wire": "/b.c"}, "d": TEXT})}, {"o": {"a": "x", "d": "y"}}, {"b": {"c": "x"}, "o": {"d": "y"}}, id="wire: from the root"),
    pytest.param({"o": an_object({"a": {**TEXT, "x-wire": "/o.b.c"}})}, {"o": {"a": "x"}}, {"o": {"b": {"c": "x"}}}, id="wire: from the root, into what stands there"),
    pytest.param({"l": listed(ITEM)}, {"l": [{"a": "x", "b": 5}, {}]}, {"l": [{"a": "x", "b": "5"}, {}]}, id="a list"),
    pytest.param({"m": {"type": "object", "additionalProperties": {**WHOLE, "x-text": True}}}, {"m": {"a.b": 1}}, {"m": {"a.b": "1"}}, id="a map, with a dot in a key"),
    pytest.param({"n": {**WHOLE, "x-text": True}}, {"n": -5}, {"n": "-5"}, id="text: a number that travels as text"),
    pytest.param({"n": {**WHOLE, "x-text": True}}, {"n": 2**62}, {"n": str(2**62)}, id="text: a large one"),
    pytest.param({"v": {**TEXT, "x-values": {"ON": True, "OFF": False}}}, {"v": "OFF"}, {"v": False}, id="values"),
    pytest.param({"v": {**TEXT, "x-values": {"ON": True}}}, {"v": "NEW"}, {"v": "NEW"}, id="values: one that is not listed stays"),
    pytest.param({"v": {**TEXT, "x-values": {"ANY": None, "LIVE": True}}}, {"v": "ANY"}, {}, id="values: absence has a word"),
    pytest.param({"f": {**FLAG, "x-flag": True}}, {"f": True}, {"f": {}}, id="flag: an object that is there"),
    pytest.param({"k": listed(an_object({"id": {**TEXT, "x-wire": ""}, "a": TEXT}), **{"x-keyed": "id"})}, {"k": [{"id": "x", "a": "1"}, {"id": "y"}]}, {"k": {"x": {"a": "1"}, "y": {}}}, id="keyed"),
    pytest.param({"s": {**ITEM, "x-single": True}}, {"s": {"a": "x", "b": 1}}, {"s": [{"a": "x", "b": "1"}]}, id="single: a list of one"),
    pytest.param({"s": listed(ITEM, **{"x-listed": True})}, {"s": [{"a": "x", "b": 1}]}, {"s": {"a": "x", "b": "1"}}, id="listed: one thing as a list"),
    pytest.param({"j": {**TEXT, "x-json": True}}, {"j": '[{"name": "a"}]'}, {"j": [{"name": "a"}]}, id="json"),
    pytest.param({"r": {**REF, "x-wire": "key"}}, {"r": {"external": "projects/p/keys/k"}}, {"key": "projects/p/keys/k"}, id="a reference"),
    pytest.param({"r": listed(REF, **{"x-wire": "keys"})}, {"r": [{"external": "a"}, {"external": "b"}]}, {"keys": ["a", "b"]}, id="a list of references"),
    pytest.param({"l": listed(an_object({"r": {**REF, "x-wire": "."}}))}, {"l": [{"r": {"external": "a"}}]}, {"l": ["a"]}, id="references that are the items"),
    pytest.param({"l": listed(an_object({n: {**REF, "x-wire": ".", "x-has": f"{n}s"} for n in ("a", "b")}))}, {"l": [{"b": {"external": "p/bs/1"}}, {"a": {"external": "p/as/2"}}]},
                 {"l": ["p/bs/1", "p/as/2"]}, id="has: which of several references it is"),
    pytest.param({"o": {**an_object({"m": TEXT}), "x-means": {"o.on": True}}}, {"o": {"m": "x"}}, {"o": {"m": "x", "on": True}}, id="means: an object that switches on"),
    pytest.param({"h": {**an_object({"p": TEXT}), "x-means": {"type": "HTTP"}}, "t": {**an_object({"p": TEXT}), "x-means": {"type": "TCP"}}}, {"t": {"p": "x"}},
                 {"t": {"p": "x"}, "type": "TCP"}, id="means: which one is given"),
]


@pytest.mark.parametrize(("properties", "spec", "wire"), BOTH_WAYS)
def test_both_ways(properties, spec, wire):
    schema = an_object(properties)
    assert encode(schema, spec, NAMES) == wire
    assert decode(schema, wire) == spec


@pytest.mark.parametrize(("properties", "spec", "wire"), [
    pytest.param({"a": {**TEXT, "x-wire": ""}}, {"a": "x"}, {}, id="what is not on the wire"),
    pytest.param({"a": TEXT}, {"a": None, "b": "x"}, {}, id="null, and what the kind does not have"),
    pytest.param({"f": {**FLAG, "x-flag": True}}, {"f": False}, {}, id="a flag that is off"),
    pytest.param({"s": SECRET}, {"s": {"value": "hunter2"}}, {"s": "hunter2"}, id="a secret's value"),
    pytest.param({"s": SECRET}, {"s": {"valueFrom": {}}}, {}, id="a secret that is not resolved"),
    pytest.param({"r": REF}, {"r": {"name": "k"}}, {}, id="a reference that is not resolved"),
    pytest.param({"n": {**WHOLE, "x-text": True}}, {"n": 30.0}, {"n": "30"}, id="a whole number that YAML reads as a fraction"),
    pytest.param({"c": {**TEXT, "x-expand": "projects/{project}/configs/{value}"}}, {"c": "eu"}, {"c": "projects/p/configs/eu"}, id="expand: a short name"),
    pytest.param({"c": {**TEXT, "x-expand": "projects/{project}/configs/{value}"}}, {"c": "projects/q/configs/eu"}, {"c": "projects/q/configs/eu"}, id="expand: a whole name"),
    pytest.param({"r": {**REF, "x-expand": "gs://{value}"}}, {"r": {"external": "b"}}, {"r": "gs://b"}, id="expand: a reference"),
    pytest.param({"u": {**TEXT, "x-prefix": "https://x/v1/"}}, {"u": "projects/p"}, {"u": "https://x/v1/projects/p"}, id="prefix: a bare name"),
    pytest.param({"u": {**TEXT, "x-prefix": "https://x/v1/"}}, {"u": "https://x/v1/projects/p"}, {"u": "https://x/v1/projects/p"}, id="prefix: a URL"),
    pytest.param({"r": {**REF, "x-prefix": "https://x/v1/"}}, {"r": {"external": "projects/p"}}, {"r": "https://x/v1/projects/p"}, id="prefix: a reference"),
    pytest.param({"s": {**ITEM, "x-single": True}}, {"s": {}}, {"s": []}, id="single: an empty demand"),
    pytest.param({"o": {**an_object({"m": TEXT}), "x-means": {"o.on": True}}}, {"o": {}}, {"o": {}}, id="means: an empty object switches nothing on"),
    pytest.param({"l": listed(ITEM), "o": an_object({})}, {"l": [], "o": {}}, {"l": [], "o": {}}, id="empties are demands"),
])
def test_to_the_wire(properties, spec, wire):
    assert encode(an_object(properties), spec, NAMES) == wire


@pytest.mark.parametrize(("properties", "wire", "spec"), [
    pytest.param({"a": TEXT}, {"b": "x"}, {}, id="what the kind does not have"), pytest.param({"s": SECRET}, {"s": "hunter2"}, {}, id="a secret never comes back"),
    pytest.param({"r": REF}, {"r": ""}, {}, id="a reference to nothing"), pytest.param({"r": {**REF, "x-has": "as"}}, {"r": "p/bs/1"}, {}, id="a reference of another sort"),
    pytest.param({"f": {**FLAG, "x-flag": True}}, {}, {}, id="a flag that is not there"), pytest.param({"s": {**ITEM, "x-single": True}}, {"s": []}, {}, id="single: an empty list"),
    pytest.param({"n": {**WHOLE, "x-text": True}}, {"n": 5}, {"n": 5}, id="a number that came as one"), pytest.param({"n": {**WHOLE, "x-text": True}}, {"n": "many"}, {"n": "many"}, id="text that is no number"),
    pytest.param({"n": {**WHOLE, "x-text": True}}, {"n": "--5"}, {"n": "--5"}, id="text that is nearly one"),
    pytest.param({"k": listed(an_object({"a": TEXT}), **{"x-keyed": "id"})}, {"k": {"b": {}, "a": {}}}, {"k": [{"id": "a"}, {"id": "b"}]}, id="keyed: in the order of the keys"),
    pytest.param({"u": {**TEXT, "x-made": "gs://{name}", "x-wire": "."}}, {"name": "b"}, {"u": "gs://b"}, id="made of other fields"),
    pytest.param({"u": {**TEXT, "x-made": "gs://{name}", "x-wire": "."}}, {}, {}, id="made of fields that are not there"),
    pytest.param({"i": {**TEXT, "x-wire": "ips[].ip"}}, {"ips": [{"ip": "1"}, {"ip": "2"}]}, {"i": "1"}, id="the first of a list"),
    pytest.param({"i": {**TEXT, "x-wire": "ips[type=B].ip"}}, {"ips": [{"ip": "1"}, {"ip": "2", "type": "B"}]}, {"i": "2"}, id="the one of a list that has this"),
    pytest.param({"i": {**TEXT, "x-wire": "ips[type=C].ip"}}, {"ips": [{"ip": "1"}]}, {}, id="none of a list"), pytest.param({"i": {**TEXT, "x-wire": "ips[].ip"}}, {}, {}, id="no list"),
    pytest.param({"o": {**an_object({"m": TEXT}), "x-means": {"o.on": True}}}, {"o": {"m": "x"}}, {}, id="means: what is not switched on is not there"),
    pytest.param({"g": an_object({"a": TEXT}, **{"x-wire": "."})}, {"b": 1}, {}, id="a group of nothing"),
])
def test_from_the_wire(properties, wire, spec):
    assert decode(an_object(properties), wire) == spec


@pytest.mark.parametrize(("properties", "field", "paths"), [
    pytest.param({"a": TEXT}, "a", ["a"], id="a field"), pytest.param({"a": {**TEXT, "x-wire": "b.c"}}, "a", ["b.c"], id="one that stands elsewhere"),
    pytest.param({"a": {**TEXT, "x-wire": ""}}, "a", [], id="one that stands nowhere"),
    pytest.param({"g": an_object({"a": TEXT, "b": {**TEXT, "x-wire": "c.d"}}, **{"x-wire": "."})}, "g", ["a", "c.d"], id="a group"),
    pytest.param({"g": an_object({"a": {**TEXT, "x-wire": "/c.d"}}, **{"x-wire": "."})}, "g", ["c.d"], id="a group of what stands elsewhere"),
    pytest.param({"o": an_object({"a": {**TEXT, "x-wire": "b"}}, **{"x-wire": "p"})}, "o.a", ["p.b"], id="a part of a field"),
    pytest.param({"o": {**an_object({"m": TEXT}), "x-means": {"type": "X"}}}, "o", ["o", "type"], id="one that means something elsewhere"),
    pytest.param({"o": {**an_object({"m": TEXT}), "x-means": {"o.on": True}}}, "o", ["o"], id="one that means something inside"),
])
def test_where_a_field_stands(properties, field, paths):
    assert wire_paths(an_object(properties), field) == paths


# ---- every shipped kind ---------------------------------------------------------------------------------------------------


WORD = st.sampled_from(["a", "b-1", "x.y", "EU"])
PLAIN = {"string": WORD, "boolean": st.booleans(), "integer": st.sampled_from([0, 1, 2**40]), "number": st.sampled_from([0.5, 2.0])}


def rivals(properties: Mapping) -> list[set[str]]:
    """Fields of which one is said at a time: two names of one thing, and what means otherwise."""
    spots: dict[str, set[str]] = {}
    for name, node in properties.items():
        for spot in {node.get("x-wire", name), *(node.get("x-means") or {})} - {"", "."} if not node.get("x-has") else {"."}:
            spots.setdefault(spot, set()).add(name)
    inside = [{n, m} for n, node in properties.items() for m, other in properties.items() for p in other.get("x-means") or () if n != m and p == node.get("x-wire", n)]
    return [*(s for s in spots.values() if len(s) > 1), *inside]


@st.composite
def values(draw, node: Mapping):
    """A value that survives the wire: what a form cannot carry (false as a flag, a name that is expanded) is left out."""
    if node.get("x-ref"):
        return {"external": f"//x/v1/{node.get('x-has', 'things')}/{draw(WORD)}"}
    if "x-values" in node:
        return draw(st.sampled_from(sorted(node["x-values"])))
    if node.get("x-flag"):
        return True
    if node.get("x-json"):
        return json.dumps(draw(st.lists(st.fixed_dictionaries({"name": WORD}), max_size=2)))
    if "x-expand" in node:
        return f"whole/{draw(WORD)}"
    if "x-keyed" in node:
        return [{**draw(objects(node["items"])), node["x-keyed"]: k} for k in draw(st.lists(WORD, unique=True, max_size=2).map(sorted))]
    if node.get("x-listed"):
        return [draw(values(node["items"]))]
    if node["type"] == "array":
        return draw(st.lists(values(node["items"]), min_size=1, max_size=2))
    if "properties" in node:
        needs_one = node.get("x-wire") == "." or node.get("x-single") or node.get("x-means") or "." in [n.get("x-wire") for n in node["properties"].values()]
        return draw(objects(node, least=1 if needs_one else 0))
    if isinstance(node.get("additionalProperties"), Mapping):
        return draw(st.dictionaries(WORD, values(node["additionalProperties"]), max_size=2))
    return draw(PLAIN.get(node["type"], st.just({"free": [1]})))


def is_carried(node: Mapping) -> bool:
    if node.get("x-secret") or node.get("x-wire") == "":
        return False
    return node.get("x-wire") != "." or "properties" not in node or bool(node.get("x-ref")) or any(map(is_carried, node["properties"].values()))


@st.composite
def objects(draw, schema: Mapping, least: int = 0):
    names = sorted(n for n, node in schema["properties"].items() if is_carried(node) and not (least and node.get("type") == "object" and node.get("properties") == {}))
    chosen = draw(st.lists(st.sampled_from(names), unique=True, min_size=min(least, len(names)), max_size=4)) if names else []
    for group in rivals(schema["properties"]):
        chosen = [n for i, n in enumerate(chosen) if n not in group or not group & set(chosen[:i])]
    return {n: draw(values(schema["properties"][n])) for n in chosen}


def says(given, wanted, at="") -> list[str]:
    """Where `given` does not say what `wanted` says; it may say more."""
    if isinstance(wanted, Mapping) and isinstance(given, Mapping):
        return [d for k, v in wanted.items() for d in (says(given[k], v, f"{at}.{k}") if k in given else [f"{at}.{k} is lost"])]
    if isinstance(wanted, list) and isinstance(given, list) and len(wanted) == len(given):
        return [d for i, v in enumerate(wanted) for d in says(given[i], v, f"{at}[{i}]")]
    return [] if given == wanted and type(given) is type(wanted) else [f"{at}: {wanted!r} became {given!r}"]


def misfits(schemas: Mapping, node: Mapping, body, at="") -> list[str]:
    """Where a body does not fit the discovery document."""
    node = schemas[node["$ref"]] if "$ref" in node else node
    if "properties" in node:
        if not isinstance(body, dict):
            return [f"{at} is no object"]
        return [d for k, v in body.items() for d in (misfits(schemas, node["properties"][k], v, f"{at}.{k}") if k in node["properties"] else [f"{at}.{k} is unknown"])]
    if node.get("type") == "array":
        return [d for i, v in enumerate(body) for d in misfits(schemas, node["items"], v, f"{at}[{i}]")] if isinstance(body, list) else [f"{at} is no list"]
    if "additionalProperties" in node:
        return [d for k, v in body.items() for d in misfits(schemas, node["additionalProperties"], v, f"{at}{{{k}}}")] if isinstance(body, dict) else [f"{at} is no map"]
    kinds = {"string": str, "boolean": bool, "integer": int, "number": (int, float)}
    return [] if isinstance(body, kinds.get(node.get("type"), object)) else [f"{at}: {body!r} is no {node['type']}"]


KINDS = {k.name: k for k in shipped().all() if k.provider == "gcp"}


@pytest.mark.parametrize("name", KINDS)
def test_what_is_encoded_is_decoded(name):
    """For any spec that the form can carry: it comes back, sent again it is the same, and the API's document knows every field of it."""
    kind = KINDS[name]
    resource = shipped_resource(kind)

    @often
    @given(objects(kind.spec_schema))
    def check(spec):
        body = encode(kind.spec_schema, spec, NAMES)
        assert says(decode(kind.spec_schema, body), spec) == []
        assert encode(kind.spec_schema, decode(kind.spec_schema, body), NAMES) == body
        assert misfits(document(kind.service)["schemas"], {"$ref": resource}, body) == []

    check()


def shipped_resource(kind) -> str:
    from holdfast.providers.gcp.api import api_of

    return api_of(kind).resource


@pytest.mark.parametrize("name", KINDS)
def test_every_field_has_its_place_on_the_wire(name):
    """Where a mask would name it, the document has it."""
    kind = KINDS[name]
    schemas = document(kind.service)["schemas"]
    for field in kind.spec_schema["properties"]:
        for path in wire_paths(kind.spec_schema, field):
            node = {"$ref": shipped_resource(kind)}
            for step in path.split("."):
                node = get_path(schemas, f"{node['$ref']}.properties.{step}") if "$ref" in node else get_path(node, f"properties.{step}")
                assert node is not None, (field, path)


# ---- patches --------------------------------------------------------------------------------------------------------------


LEAF = st.one_of(st.booleans(), st.integers(0, 3), st.sampled_from(["", "a", "b"]), st.lists(st.integers(0, 2), max_size=2))
BODY = st.recursive(st.dictionaries(st.sampled_from("abc"), LEAF, max_size=3), lambda inner: st.dictionaries(st.sampled_from("abc"), st.one_of(LEAF, inner), max_size=3), max_leaves=6)
laws = settings(often, max_examples=200)


@laws
@given(BODY, BODY)
def test_a_patch_turns_one_into_the_other(before, after):
    assert apply_patch(before, merge_patch(before, after)) == after


@laws
@given(BODY)
def test_nothing_to_change_is_an_empty_patch(body):
    assert merge_patch(body, body) == {}
    assert apply_patch(body, {}) == body


@laws
@given(BODY, BODY, BODY)
def test_a_patch_leaves_what_it_does_not_name(before, after, more):
    """What the service has and the spec does not know survives."""
    theirs = {f"their-{k}": v for k, v in more.items()}
    assert apply_patch({**before, **theirs}, merge_patch(before, after)) == {**after, **theirs}


@pytest.mark.parametrize(("before", "after", "patch"), [
    pytest.param({"a": 1, "b": 2}, {"a": 1}, {"b": None}, id="what goes is null"), pytest.param({"a": {"x": 1, "y": 2}}, {"a": {"x": 1}}, {"a": {"y": None}}, id="deep inside, too"),
    pytest.param({"a": [1, 2]}, {"a": [2]}, {"a": [2]}, id="a list is replaced"), pytest.param({"a": {"x": 1}}, {"a": {}}, {"a": {"x": None}}, id="an emptied object"),
    pytest.param({"a": 1}, {"a": {"x": 1}}, {"a": {"x": 1}}, id="a value becomes an object"), pytest.param({}, {"a": {}}, {"a": {}}, id="an empty object comes"),
])
def test_patches(before, after, patch):
    assert merge_patch(before, after) == patch


def test_a_patch_changes_neither_side():
    before, after = {"a": {"x": 1}}, {"a": {"y": [1]}}
    apply_patch(before, merge_patch(before, after))
    assert (before, after) == ({"a": {"x": 1}}, {"a": {"y": [1]}})


# ---- what is sent back ----------------------------------------------------------------------------------------------------


SCHEMAS = {"R": an_object({"a": TEXT, "out": {**TEXT, "behaviours": ["output"]}, "o": {"$ref": "O"}, "l": listed({"$ref": "O"}), "m": {"type": "object", "additionalProperties": TEXT}}),
           "O": an_object({"b": TEXT, "out": {**WHOLE, "behaviours": ["output", "optional"]}})}


def test_what_only_the_server_sets_is_left_out():
    body = {"a": "x", "out": "y", "new": {"z": 1}, "o": {"b": "x", "out": 1}, "l": [{"b": "x", "out": 1}], "m": {"out": "a user's key"}}
    assert without_outputs(SCHEMAS, "R", body) == {"a": "x", "new": {"z": 1}, "o": {"b": "x"}, "l": [{"b": "x"}], "m": {"out": "a user's key"}}


@pytest.mark.parametrize(("paths", "picked"), [
    pytest.param(["a"], {"a": 1}, id="a field"), pytest.param(["o.x", "a"], {"o": {"x": 0}, "a": 1}, id="deep, and zero"), pytest.param(["no", "o.no"], {}, id="what is not there"),
    pytest.param(["o.x", "o.y"], {"o": {"x": 0, "y": []}}, id="two of one object"), pytest.param([], {}, id="nothing"),
])
def test_picking(paths, picked):
    assert pick({"a": 1, "o": {"x": 0, "y": [], "z": 2}}, paths) == picked


@pytest.mark.parametrize(("text", "time"), [
    pytest.param("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", id="UTC"), pytest.param("2026-01-01T01:30:00.999+01:30", "2026-01-01T00:00:00Z", id="an offset and a fraction"),
    pytest.param("2025-12-31T16:00:00-08:00", "2026-01-01T00:00:00Z", id="compute's zone"), pytest.param("2026-01-01T00:00:00", "2026-01-01T00:00:00Z", id="no zone"),
    pytest.param("2026-01-01T00:00:00.123456789Z", "2026-01-01T00:00:00Z", id="nanoseconds"), pytest.param("", "", id="nothing"), pytest.param(None, "", id="null"), pytest.param("soon", "", id="a word"),
])
def test_times_of_the_cloud(text, time):
    assert moment(text) == time
