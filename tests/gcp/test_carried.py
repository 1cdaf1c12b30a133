"""Both directions for every shipped kind: what a spec says comes back from the wire, and the API's document knows all of it."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.kinds.catalog import shipped
from holdfast.kinds.pack import document
from holdfast.model.json import get_path
from holdfast.providers.gcp.api import api_of
from holdfast.providers.gcp.codec import decode, encode, wire_paths

NAMES = {"project": "p", "spec": {"resourceID": "r"}}
often = settings(max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
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
    resource = api_of(kind).resource

    @often
    @given(objects(kind.spec_schema))
    def check(spec):
        body = encode(kind.spec_schema, spec, NAMES)
        assert says(decode(kind.spec_schema, body), spec) == []
        assert encode(kind.spec_schema, decode(kind.spec_schema, body), NAMES) == body
        assert misfits(document(kind.service)["schemas"], {"$ref": resource}, body) == []

    check()


@pytest.mark.parametrize("name", KINDS)
def test_every_field_has_its_place_on_the_wire(name):
    """Where a mask would name it, the document has it."""
    kind = KINDS[name]
    schemas = document(kind.service)["schemas"]
    for field in kind.spec_schema["properties"]:
        for path in wire_paths(kind.spec_schema, field):
            node = {"$ref": api_of(kind).resource}
            for step in path.split("."):
                node = get_path(schemas, f"{node['$ref']}.properties.{step}") if "$ref" in node else get_path(node, f"properties.{step}")
                assert node is not None, (field, path)
