"""Between a spec and the wire: every word of the schema in both directions."""

from __future__ import annotations

import pytest

from holdfast.providers.gcp.codec import decode, encode, wire_paths

TEXT, FLAG, WHOLE = {"type": "string"}, {"type": "boolean"}, {"type": "integer"}
NAMES = {"project": "p", "spec": {"resourceID": "r"}}
REF = {"type": "object", "properties": dict.fromkeys(("external", "name", "namespace"), TEXT), "x-ref": True}
SECRET = {"type": "object", "properties": {"value": TEXT}, "x-secret": True}


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
