"""Kinds as values: paths, schemas and what is sensitive."""

from __future__ import annotations

import pytest

from holdfast.kinds.catalog import shipped
from holdfast.model.kinds import field_paths, plain_path, schema_at
from tests.core.sample import BUCKET, QUEUE, ROLE, TEXT, an_object, free_map, listed, toy

KIND = toy(
    {"a": TEXT, "ab": TEXT, "inner": an_object(secret=TEXT, open=TEXT), "users": listed(an_object(name=TEXT, password=TEXT)), "pins": listed(TEXT),
     "vault": an_object(x=an_object(y=TEXT)), "grid": listed(listed(TEXT)), "free": free_map()},
    {"a": {"sensitive": True}, "inner.secret": {"sensitive": True}, "users[].password": {"sensitive": True}, "pins": {"sensitive": True}, "vault": {"sensitive": True},
     "grid": {"sensitive": True}, "free": {"sensitive": True}})


@pytest.mark.parametrize(("path", "yes"), [
    pytest.param("a", True, id="the field"), pytest.param("ab", False, id="one that begins alike"), pytest.param("inner", True, id="what holds one"),
    pytest.param("inner.open", False, id="what stands beside one"), pytest.param("vault.x.y", True, id="what stands in one"),
    pytest.param("users[3].password", True, id="a field of an item"), pytest.param("users[3].name", False, id="beside it"),
    pytest.param("users[3]", True, id="an item that holds one"), pytest.param("users", True, id="a list of items that hold one"),
    pytest.param("pins[0]", True, id="an item of a sensitive list"), pytest.param("grid[0][1]", True, id="an item of an item"), pytest.param("free.k.l", True, id="a key of a sensitive map"),
])
def test_what_is_sensitive(path, yes):
    assert KIND.is_sensitive(path) is yes


@pytest.mark.parametrize(("path", "plain"), [
    pytest.param("a.b", "a.b", id="no index"), pytest.param("a[3].b[12]", "a[].b[]", id="indexes"), pytest.param("a[].b", "a[].b", id="plain already"), pytest.param("", "", id="nothing"),
])
def test_plain_paths(path, plain):
    assert plain_path(path) == plain


@pytest.mark.parametrize(("kind", "path", "type_"), [
    pytest.param(QUEUE, "queueName", "string", id="a field"), pytest.param(BUCKET, "encryption.rules", "array", id="a list"),
    pytest.param(BUCKET, "encryption.rules[].bucketKeyEnabled", "boolean", id="a field of an item"), pytest.param(BUCKET, "encryption.rules[]", "object", id="an item"),
    pytest.param(QUEUE, "tags.any", "string", id="a key of a map"), pytest.param(ROLE, "inlinePolicies{}", "string", id="any value of a map"),
    pytest.param(KIND, "grid[][]", "string", id="an item of an item"), pytest.param(QUEUE, "nothing", None, id="no field"), pytest.param(QUEUE, "queueName.x", None, id="below text"),
    pytest.param(BUCKET, "encryption.rules.bucketKeyEnabled", None, id="a list without its brackets"), pytest.param(QUEUE, "queueName[]", None, id="an item of text"),
])
def test_the_schema_of_a_path(kind, path, type_):
    node = schema_at(kind.spec_schema, path)
    assert (node["type"] if node else None) == type_


@pytest.mark.parametrize("kind", [pytest.param(k, id=k.name) for k in shipped().all()])
def test_every_field_path_has_a_schema_and_every_rule_a_field(kind):
    assert all(schema_at(kind.spec_schema, p) is not None for p in field_paths(kind.spec_schema))
    assert all(schema_at(kind.spec_schema, p) is not None for p in kind.rules)
