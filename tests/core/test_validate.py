"""Validation: what a spec must be, and what of it may never change."""

from __future__ import annotations

import pytest

from holdfast.core.validate import check_immutable, check_spec, layer_of, unknown_values
from holdfast.kinds.catalog import shipped
from holdfast.model.kinds import Reference, field_paths
from tests.core.sample import BUCKET, FLAG, QUEUE, SECRET, TEXT, WHOLE, an_object, free_map, listed, toy

REF = an_object(**{"from": an_object(name=TEXT)})
KIND = toy(
    {"name": TEXT, "nick": TEXT, "class": TEXT, "parentID": TEXT, "parentRef": REF, "inner": an_object(a=TEXT, b=WHOLE), "fixed": an_object(a=TEXT, b=TEXT),
     "set": listed(TEXT), "items": listed(an_object(id=TEXT, size=WHOLE)), "password": TEXT, "pins": listed(TEXT), "flag": FLAG, "doc": TEXT, "free": free_map(WHOLE),
     "one": TEXT, "two": TEXT, "red": TEXT, "deep": an_object(blue=TEXT)},
    {"name": {"immutable": True}, "class": {"immutable": True, "semantic": "case-insensitive"}, "parentID": {"immutable": True}, "fixed": {"immutable": True},
     "set": {"immutable": True, "unordered": True}, "inner.a": {"immutable": True}, "items[].id": {"immutable": True}, "password": {"sensitive": True},
     "pins": {"sensitive": True}, "doc": {"immutable": True, "semantic": "json"}},
    required=("name",), references=(Reference("parentRef", "parentID", "toy.services.k8s.aws", "Toy", "status.toyID"),),
    one_of=(("one", "two"),), exactly_one=(("red", "deep.blue"),))
GOOD = {"name": "n", "red": "r"}


def codes(spec: dict, kind=KIND) -> list[str]:
    return [f"{e.code} {e.where}" for e in check_spec(kind, spec)]


@pytest.mark.parametrize(("spec", "found"), [
    pytest.param({}, [], id="nothing more"),
    pytest.param({"nik": "x"}, ["HF105 spec.nik"], id="an unknown field"),
    pytest.param({"nik": "x", "clas": "y"}, ["HF105 spec.nik", "HF105 spec.clas"], id="two unknown fields are two findings"),
    pytest.param({"inner": {"c": 1}}, ["HF105 spec.inner.c"], id="an unknown nested field"),
    pytest.param({"items": [{"id": "1"}, {"sise": 5}]}, ["HF105 spec.items[1].sise"], id="an unknown field of an item"),
    pytest.param({"nick": 5}, ["HF104 spec.nick"], id="a number for text"),
    pytest.param({"nick": None}, ["HF104 spec.nick"], id="null for text"),
    pytest.param({"inner": "x"}, ["HF104 spec.inner"], id="text for an object"),
    pytest.param({"inner": {"b": "5"}}, ["HF104 spec.inner.b"], id="text for a number"),
    pytest.param({"inner": {"b": 5.5}}, ["HF104 spec.inner.b"], id="a fraction for a whole number"),
    pytest.param({"inner": {"b": True}}, ["HF104 spec.inner.b"], id="true for a whole number"),
    pytest.param({"flag": "true"}, ["HF104 spec.flag"], id="text for a flag"),
    pytest.param({"set": "a"}, ["HF104 spec.set"], id="text for a list"),
    pytest.param({"set": {"a": "b"}}, ["HF104 spec.set"], id="an object for a list"),
    pytest.param({"set": ["a", 5]}, ["HF104 spec.set[1]"], id="a wrong item"),
    pytest.param({"free": {"x.y": "1"}}, ["HF104 spec.free.x.y"], id="a wrong value in a map"),
    pytest.param({"free": {"x.y": 1}}, [], id="any key in a map"),
    pytest.param({"one": "x", "two": "y"}, ["HF107 spec.two"], id="two of a group of which at most one may be given"),
    pytest.param({"one": "", "two": ""}, ["HF107 spec.two"], id="two of a group, both empty, are two"),
    pytest.param({"deep": {"blue": "x"}}, ["HF107 spec.deep.blue"], id="two of a group of which exactly one is needed"),
    pytest.param({"deep": {}}, [], id="a parent without its field is none"),
])
def test_findings(spec, found):
    assert codes({**GOOD, **spec}) == found


@pytest.mark.parametrize(("spec", "found"), [
    pytest.param({"red": "r"}, ["HF106 spec.name"], id="a required field"),
    pytest.param({"name": "n"}, ["HF106 spec.red"], id="one of a group of which exactly one is needed"),
    pytest.param({"name": "n", "deep": {"blue": "b"}}, [], id="the other of the group"),
    pytest.param({}, ["HF106 spec.name", "HF106 spec.red"], id="all at once"),
])
def test_what_is_missing(spec, found):
    assert codes(spec) == found


def test_a_spec_may_be_absent_only_where_it_is_adopted():
    assert check_spec(KIND, {}, spec_may_be_absent=True) == []
    assert [e.code for e in check_spec(KIND, {"nik": "x"}, spec_may_be_absent=True)] == ["HF105", "HF106", "HF106"]


@pytest.mark.parametrize(("kind", "spec", "words"), [
    pytest.param(KIND, {**GOOD, "nik": "x"}, ["'nick'"], id="an unknown field with the nearest"),
    pytest.param(KIND, {**GOOD, "Nick": "x"}, ["'nick'"], id="a field in another case"),
    pytest.param(KIND, {**GOOD, "items": [{"sise": 5}]}, ["'size'"], id="the nearest inside a list"),
    pytest.param(QUEUE, {"queueName": "q", "kmsMasterKeyId": "x"}, ["'kmsMasterKeyID'"], id="AWS's name for ACK's"),
    pytest.param(KIND, {**GOOD, "nick": 5}, ["a string", "integer 5", 'write "5", in quotes'], id="a number for text, with how to write it"),
    pytest.param(QUEUE, {"queueName": "q", "fifoQueue": True}, ['write "true", in quotes'], id="a boolean for text, as the service wants it written"),
    pytest.param(KIND, {**GOOD, "set": "a"}, ["an array", "string 'a'"], id="what it must be and what it is"),
    pytest.param(KIND, {**GOOD, "nick": None}, ["a string", "null"], id="null is called null, once"),
])
def test_messages(kind, spec, words):
    message = check_spec(kind, spec)[0].message
    assert all(word in message for word in words), message
    assert "None" not in message


@pytest.mark.parametrize(("kind", "spec"), [
    pytest.param(KIND, {**GOOD, "password": 31337}, id="a number for a password"),
    pytest.param(KIND, {**GOOD, "password": ["31337"]}, id="a list for a password"),
    pytest.param(KIND, {**GOOD, "pins": "31337"}, id="text for a list of pins"),
    pytest.param(KIND, {**GOOD, "pins": ["1", 31337]}, id="a number in a list of pins"),
    pytest.param(SECRET, {"name": "s", "secretString": "31337"}, id="a secret in plain text where a reference belongs"),
    pytest.param(SECRET, {"name": "s", "secretString": {"key": 31337}}, id="a number below a sensitive field"),
    pytest.param(SECRET, {"name": "s", "secretString": ["31337"]}, id="a list where a reference belongs"),
])
def test_a_sensitive_value_is_never_printed(kind, spec):
    errors = check_spec(kind, spec)
    assert errors
    assert not [str(e) for e in errors if "31337" in str(e)]


@pytest.mark.parametrize(("old", "new", "found"), [
    pytest.param({"name": "a"}, {"name": "b"}, ["spec.name changed"], id="changed"),
    pytest.param({"name": "a"}, {}, ["spec.name removed"], id="removed"),
    pytest.param({"name": "a"}, {"name": None}, ["spec.name removed"], id="set to null"),
    pytest.param({"name": "a"}, {"name": ""}, ["spec.name removed"], id="set to nothing"),
    pytest.param({}, {"name": "a"}, [], id="an optional field set once"),
    pytest.param({"name": ""}, {"name": "a"}, [], id="an empty field set once"),
    pytest.param({"nick": "a"}, {"nick": "b"}, [], id="a field that may change"),
    pytest.param({"class": "Big"}, {"class": "BIG"}, [], id="the same in another spelling"),
    pytest.param({"doc": '{"a": 1, "b": 2}'}, {"doc": '{"b":2,"a":1}'}, [], id="the same document"),
    pytest.param({"set": ["a", "b"]}, {"set": ["b", "a"]}, [], id="the same set"),
    pytest.param({"set": ["a"]}, {"set": ["a", "b"]}, ["spec.set changed"], id="one more in a set"),
    pytest.param({"fixed": {"a": "x"}}, {"fixed": {"a": "y"}}, ["spec.fixed changed"], id="a part of an immutable object"),
    pytest.param({"inner": {"a": "x", "b": 1}}, {"inner": {"a": "x", "b": 2}}, [], id="beside an immutable part"),
    pytest.param({"inner": {"a": "x"}}, {}, ["spec.inner.a removed"], id="an immutable part with its parent"),
    pytest.param({"items": [{"id": "1"}]}, {"items": [{"id": "2"}]}, [], id="parts of items are the controller's to check"),
    pytest.param({"parentRef": {"from": {"name": "a"}}}, {"parentRef": {"from": {"name": "b"}}}, [], id="a reference is checked on the resolved value"),
    pytest.param({"parentID": "p"}, {"parentRef": {"from": {"name": "a"}}}, [], id="a field given by reference from now on"),
    pytest.param({"parentID": "p"}, {"parentID": "q"}, ["spec.parentID changed"], id="a parent given by value"),
    pytest.param({"parentID": "p"}, {}, ["spec.parentID removed"], id="a parent, removed"),
    pytest.param({"name": "a", "fixed": {"a": "x"}}, {"name": "b"}, ["spec.name changed", "spec.fixed removed"], id="several at once"),
])
def test_immutability(old, new, found):
    errors = check_immutable(KIND, old, new)
    assert [f"{e.where} {e.message.rpartition(' ')[2]}" for e in errors] == found
    assert {e.code for e in errors} <= {"HF108"}


def test_an_immutable_fields_message_has_no_values():
    (error,) = check_immutable(KIND, {"name": "before"}, {"name": "after"})
    assert "before" not in str(error)
    assert "after" not in str(error)


def test_a_bucket_keeps_its_place():
    old = {"name": "b", "createBucketConfiguration": {"locationConstraint": "eu-west-1"}}
    new = {"name": "b", "createBucketConfiguration": {"locationConstraint": "eu-west-2"}}
    assert [e.where for e in check_immutable(BUCKET, old, new)] == ["spec.createBucketConfiguration"]


def test_a_field_and_its_reference_exclude_each_other():
    assert codes({"queueName": "q", "kmsMasterKeyID": "k", "kmsMasterKeyRef": {"from": {"name": "k"}}}, QUEUE) == ["HF107 spec.kmsMasterKeyRef"]


@pytest.mark.parametrize("kind", [pytest.param(k, id=k.name) for k in shipped().all()])
def test_no_field_is_unchecked(kind):
    """Every path of every kind has a layer, and every immutable one has one that guards it."""
    for path in field_paths(kind.spec_schema):
        layers = layer_of(kind, path)
        assert layers.startswith("API server: type")
        if kind.rule(path).immutable:
            assert "immutable against live" in layers, path


def test_the_layers_of_a_few_fields():
    assert layer_of(QUEUE, "queueName") == ("API server: type, API server: required, API server: identity rule, controller: immutable against live, service: value")
    assert "API server: immutable policy" in layer_of(QUEUE, "fifoQueue")
    assert "controller: reference" in layer_of(QUEUE, "kmsMasterKeyRef")
    assert "service: immutable" in layer_of(BUCKET, "objectLockEnabledForBucket")
    assert "controller: immutable" in layer_of(KIND, "items[].id")


def test_a_value_that_the_vendor_does_not_list_is_a_warning_and_no_error():
    """Vendors' values grow: a closed list would be schema lag."""
    bucket = shipped().need("s3.services.k8s.aws", "Bucket")
    spec = {"name": "b", "versioning": {"status": "Enabeld"}, "lifecycle": {"rules": [{"status": "Enabled", "transitions": [{"storageClass": "NEW_CLASS"}]}]}}
    assert check_spec(bucket, spec) == []
    warnings = unknown_values(bucket, spec)
    assert [w.partition(":")[0] for w in warnings] == ["spec.versioning.status", "spec.lifecycle.rules[0].transitions[0].storageClass"]
    assert "Enabled, Suspended" in warnings[0]
    assert unknown_values(bucket, {"versioning": {"status": "Enabled"}}) == []


EXTERNAL, ANY = an_object(external=TEXT, name=TEXT, namespace=TEXT), an_object(external=TEXT, kind=TEXT, name=TEXT, namespace=TEXT)
KEYS = {"is_external": True, "group": "kms.cnrm.cloud.google.com", "kind": "KMSCryptoKey", "value": "status.externalRef"}
GOOGLE = toy(
    {"keyRef": EXTERNAL, "accounts": listed(EXTERNAL), "items": listed(an_object(keyRef=EXTERNAL)), "ownerRef": ANY,
     "password": an_object(value=TEXT, valueFrom=an_object(secretKeyRef=an_object(name=TEXT, key=TEXT)))},
    {"keyRef": {"immutable": True}},
    references=(
        Reference("keyRef", "keyRef", **KEYS), Reference("accounts", "accounts", is_list=True, **KEYS), Reference("items[].keyRef", "keyRef", **KEYS),
        Reference("ownerRef", "ownerRef", others=(("kms.cnrm.cloud.google.com", "KMSKeyRing", "status.externalRef"),), **KEYS),
        Reference("password", "password", "", "Secret", "", to_secret=True, is_external=True)), family="gcp")


@pytest.mark.parametrize(("spec", "found"), [
    pytest.param({"keyRef": {"external": "x"}}, [], id="a value"), pytest.param({"keyRef": {"name": "k"}}, [], id="a name"),
    pytest.param({"keyRef": {"name": "k", "namespace": "n"}}, [], id="a name and its namespace"),
    pytest.param({"keyRef": {"external": "x", "name": ""}}, [], id="an empty name is none"),
    pytest.param({"keyRef": {"external": "x", "name": "k"}}, ["HF405 spec.keyRef"], id="both a value and a name"),
    pytest.param({"keyRef": {"external": "x", "namespace": "n"}}, ["HF405 spec.keyRef"], id="a value and a namespace"),
    pytest.param({"keyRef": {}}, ["HF405 spec.keyRef"], id="neither"), pytest.param({"keyRef": {"namespace": "n"}}, ["HF405 spec.keyRef"], id="a namespace alone"),
    pytest.param({"keyRef": {"external": ""}}, ["HF405 spec.keyRef"], id="an empty value"),
    pytest.param({"accounts": [{"name": "a"}, {}]}, ["HF405 spec.accounts[1]"], id="one of a list"),
    pytest.param({"items": [{}, {"keyRef": {"external": "x", "name": "k"}}]}, ["HF405 spec.items[1].keyRef"], id="inside an item"),
    pytest.param({"ownerRef": {"kind": "KMSKeyRing", "name": "r"}}, [], id="one of several kinds"), pytest.param({"ownerRef": {"external": "x"}}, [], id="a value needs no kind"),
    pytest.param({"ownerRef": {"name": "r"}}, ["HF405 spec.ownerRef.kind"], id="several kinds, and none is named"),
    pytest.param({"ownerRef": {"kind": "KeyRing", "name": "r"}}, ["HF405 spec.ownerRef.kind"], id="a kind that is none of them"),
    pytest.param({"password": {"value": "hunter2"}}, [], id="a secret's value is no reference"), pytest.param({"password": {"valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}}, [], id="a secret"),
    pytest.param({"keyRef": "x"}, ["HF104 spec.keyRef"], id="text is said once, by the schema"),
    pytest.param({"keyRef": {"from": {"name": "k"}}}, ["HF105 spec.keyRef.from"], id="AWS's form is said once, by the schema"),
])
def test_malformed_references(spec, found):
    assert codes(spec, GOOGLE) == found


def test_an_unknown_kind_of_a_reference_is_said_with_those_that_fit():
    (error,) = check_spec(GOOGLE, {"ownerRef": {"kind": "Ring", "name": "r"}})
    assert "KMSCryptoKey, KMSKeyRing" in error.message


@pytest.mark.parametrize(("old", "new", "found"), [
    pytest.param({"external": "x"}, {"external": "y"}, ["spec.keyRef"], id="two values"), pytest.param({"external": "x"}, {"name": "k"}, [], id="by name from now on: the controller sees"),
    pytest.param({"name": "k"}, {"name": "l"}, [], id="two names: the controller sees"), pytest.param({"name": "k"}, {"external": "x"}, [], id="by value from now on: the controller sees"),
    pytest.param({"external": "x"}, None, ["spec.keyRef"], id="removed"), pytest.param({"name": "k"}, None, ["spec.keyRef"], id="removed, by name"),
])
def test_an_immutable_reference(old, new, found):
    assert [e.where for e in check_immutable(GOOGLE, {"keyRef": old}, {"keyRef": new} if new else {})] == found


def test_what_is_hidden_in_a_schema_cannot_be_given():
    """Labels of a Google kind are the object's own."""
    hidden = toy({"labels": {**free_map(), "x-hidden": True}}, {"labels": {"tags": True}}, family="gcp")
    assert codes({"labels": {"a": "1"}}, hidden) == ["HF105 spec.labels"]
