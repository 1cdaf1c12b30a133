"""Schemas built from the vendor's model."""

from __future__ import annotations

import pytest

from holdfast.kinds.catalog import shipped
from holdfast.kinds.names import field_name
from holdfast.kinds.schema import Model, build
from holdfast.model.errors import InputError
from holdfast.model.kinds import schema_at

KINDS = [pytest.param(k, id=k.name) for k in shipped().all()]


def nodes(schema, path=""):
    yield path, schema
    for name, node in (schema.get("properties") or {}).items():
        yield from nodes(node, f"{path}.{name}" if path else name)
    if "items" in schema:
        yield from nodes(schema["items"], f"{path}[]")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from nodes(schema["additionalProperties"], f"{path}{{}}")


def made(**schema) -> tuple[dict, dict]:
    references = schema.pop("references", {})
    fields = schema.pop("fields", {})
    return build({"schema": {"create": "CreateQueue", **schema}, "references": references, "fields": fields}, "sqs")


@pytest.mark.parametrize("kind", KINDS)
def test_every_node_is_structural(kind):
    """A type at every node, properties or a map but not both, required fields that exist: what a CRD needs."""
    for schema in (kind.spec_schema, kind.status_schema):
        for path, node in nodes(schema):
            assert node["type"] in ("object", "array", "string", "integer", "number", "boolean"), path
            assert not ("properties" in node and "additionalProperties" in node), path
            assert ("items" in node) == (node["type"] == "array"), path
            assert set(node.get("required", ())) <= set(node.get("properties", ())), path


@pytest.mark.parametrize("kind", KINDS)
def test_wire_names_are_kept_where_they_differ_and_only_there(kind):
    """A codec goes by them: within one object no wire name stands twice."""
    for path, node in nodes(kind.spec_schema):
        wires = [wire for name, inner in (node.get("properties") or {}).items() if (wire := inner.get("x-wire", name)) not in ("", ".")
                 and not (kind.provider == "gcp" and ("x-alias" in inner or "x-ref" in inner))]  # several forms of one thing: forms.py
        assert len(wires) == len(set(wires)), path
        assert all(inner.get("x-wire") != name for name, inner in (node.get("properties") or {}).items()), path


@pytest.mark.parametrize("kind", KINDS)
def test_properties_are_sorted(kind):
    """So that a generated file changes only where the model does."""
    for schema in (kind.spec_schema, kind.status_schema):
        assert list(schema["properties"]) == sorted(schema["properties"])


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_stands_in_both_spec_and_status_by_accident(kind):
    both = set(kind.spec_schema["properties"]) & set(kind.status_schema["properties"])
    for name in both:
        assert schema_at(kind.spec_schema, name) is not None


@pytest.mark.parametrize("kind", KINDS)
def test_building_twice_gives_the_same(kind):
    from pathlib import Path

    from holdfast.kinds.loader import build_schemas, read_kind_file

    document = read_kind_file(Path(kind.source))
    assert build_schemas(document) == build_schemas(document)


def test_members_keep_their_wire_names():
    spec, _ = made()
    assert spec["properties"]["queueName"] == {"type": "string", "x-wire": "QueueName"}
    assert spec["properties"]["attributes"]["additionalProperties"] == {"type": "string"}
    assert spec["required"] == ["queueName"]


def test_dropping_renaming_adding_and_requiring():
    spec, _ = made(drop=["Attributes"], rename={"QueueName": "name"}, add={"DelaySeconds": "string", "Names": ["string"], "Labels": {"map": "string"}}, required=["name", "delaySeconds"])
    assert spec["properties"] == {
        "delaySeconds": {"type": "string", "x-wire": "DelaySeconds"}, "labels": {"type": "object", "additionalProperties": {"type": "string"}, "x-wire": "Labels"},
        "name": {"type": "string", "x-wire": "QueueName"}, "names": {"type": "array", "items": {"type": "string"}, "x-wire": "Names"},
        "tags": {"type": "object", "additionalProperties": {"type": "string"}}}
    assert spec["required"] == ["delaySeconds", "name"]


def test_references_stand_beside_what_they_fill_and_make_it_optional():
    spec, _ = made(references={"queueRef": {"fills": "queueName"}, "queueRefs": {"fills": "queueNames"}})
    assert set(spec["properties"]["queueRef"]["properties"]["from"]["properties"]) == {"name", "namespace"}
    assert spec["properties"]["queueRefs"]["type"] == "array"
    assert "required" not in spec


def test_a_secret_is_a_reference_to_a_key():
    spec, _ = made(fields={"queueName": {"secret": True}})
    assert spec["properties"]["queueName"]["required"] == ["key"]
    assert spec["properties"]["queueName"]["x-wire"] == "QueueName"


def test_status_leaves_out_what_the_spec_has_unless_it_is_kept():
    _, status = made(status={"from": ["CreateQueue"], "rename": {"QueueUrl": "queueURL"}, "add": {"QueueARN": "string"}})
    assert status["properties"] == {"queueARN": {"type": "string", "x-wire": "QueueARN"}, "queueURL": {"type": "string", "x-wire": "QueueUrl"}}


def test_a_shape_that_holds_itself_ends():
    """DynamoDB's attribute values hold attribute values."""
    spec, _ = build({"schema": {"create": "PutItem"}}, "dynamodb")
    assert any("x-kubernetes-preserve-unknown-fields" in node for _, node in nodes(spec))


@pytest.mark.parametrize("path", [pytest.param("CreateQueue.Nothing", id="a member"), pytest.param("MakeQueue", id="an operation"), pytest.param("CreateQueue.QueueName.Deeper", id="below text")])
def test_what_the_model_does_not_have_is_an_error_of_the_kind_file(path):
    with pytest.raises(InputError) as caught:
        Model("sqs").shape(path)
    assert caught.value.code == "HF701"


def test_an_operation_is_known_or_not():
    assert Model("sqs").has_operation("CreateQueue")
    assert not Model("sqs").has_operation("MakeQueue")


def test_field_names_come_from_the_table():
    spec, _ = build({"schema": {"create": "CreateKey"}}, "kms")
    assert {field_name(n["x-wire"]) for n in spec["properties"].values() if "x-wire" in n} <= set(spec["properties"])
