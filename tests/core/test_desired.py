"""References filled in, and the target that an update sends."""

from __future__ import annotations

import pytest

from holdfast.core.desired import fill_references, references_in, shape_tags, target_spec, with_labels, with_name
from holdfast.model.kinds import Reference
from tests.core.sample import BUCKET, QUEUE, ROLE, SECRET, TEXT, an_object, comparison, findings, free_map, listed, toy

REF = an_object(**{"from": an_object(name=TEXT, namespace=TEXT)})
KIND = toy(
    {"keyID": TEXT, "keyRef": REF, "groupIDs": listed(TEXT), "groupRefs": listed(REF), "deep": an_object(keyID=TEXT, keyRef=REF),
     "items": listed(an_object(name=TEXT, keyID=TEXT, keyRef=REF, groupIDs=listed(TEXT), groupRefs=listed(REF))),
     "password": an_object(key=TEXT, name=TEXT), "free": free_map(), "level": TEXT, "inner": an_object(a=TEXT, b=an_object(c=TEXT, d=TEXT)),
     "doc": TEXT, "list": listed(an_object(id=TEXT, state=TEXT)), "tags": free_map()},
    {"level": {"default": "low"}, "tags": {"tags": True}, "password": {"sensitive": True}, "doc": {"semantic": "json"}},
    references=(
        Reference("keyRef", "keyID", "kms.services.k8s.aws", "Key", "status.keyID"),
        Reference("groupRefs", "groupIDs", "ec2.services.k8s.aws", "SecurityGroup", "status.id", is_list=True),
        Reference("deep.keyRef", "keyID", "kms.services.k8s.aws", "Key", "status.keyID"),
        Reference("items[].keyRef", "keyID", "kms.services.k8s.aws", "Key", "status.keyID"),
        Reference("items[].groupRefs", "groupIDs", "ec2.services.k8s.aws", "SecurityGroup", "status.id", is_list=True),
        Reference("password", "password", "", "Secret", "", to_secret=True)))


def ref(name: str) -> dict:
    return {"from": {"name": name}}


SPEC = {
    "keyRef": ref("k"), "groupRefs": [ref("g0"), ref("g1")], "deep": {"keyRef": ref("d")}, "password": {"name": "s", "key": "p"},
    "items": [{"name": "plain", "keyID": "x"}, {"name": "by reference", "keyRef": ref("i1"), "groupRefs": [ref("j0"), ref("j1")], "groupIDs": ["g"]}],
}


def test_every_reference_is_found_with_its_exact_place():
    found = {at: source.get("name") for _, at, source in references_in(KIND, SPEC)}
    assert found == {"keyRef": "k", "groupRefs[0]": "g0", "groupRefs[1]": "g1", "deep.keyRef": "d", "items[1].keyRef": "i1",
                     "items[1].groupRefs[0]": "j0", "items[1].groupRefs[1]": "j1", "password": "s"}


def test_references_are_filled_in_where_they_stand():
    resolved = {"keyRef": "K", "groupRefs[0]": "G0", "groupRefs[1]": "G1", "deep.keyRef": "D", "items[1].keyRef": "I1", "items[1].groupRefs[0]": "J0",
                "items[1].groupRefs[1]": "J1", "password": "hunter2"}
    assert fill_references(KIND, SPEC, resolved) == {
        "keyID": "K", "groupIDs": ["G0", "G1"], "deep": {"keyID": "D"}, "password": "hunter2",
        "items": [{"name": "plain", "keyID": "x"}, {"name": "by reference", "keyID": "I1", "groupIDs": ["g", "J0", "J1"]}]}


@pytest.mark.parametrize("spec", [
    pytest.param({}, id="an empty spec"), pytest.param({"keyID": "x", "groupIDs": ["a"]}, id="fields instead of references"),
    pytest.param({"items": [], "groupRefs": []}, id="empty lists"), pytest.param({"deep": {}}, id="an empty parent"),
    pytest.param({"items": None, "deep": None, "keyRef": None, "groupRefs": None}, id="nulls"),
    pytest.param({"keyRef": {}, "groupRefs": [{}, None]}, id="references that name nothing"),
])
def test_a_spec_without_references_has_none(spec):
    assert references_in(KIND, spec) == []


def test_the_spec_is_left_as_it_was():
    spec = {"items": [{"keyRef": ref("a")}], "deep": {"keyRef": ref("b")}}
    fill_references(KIND, spec, {"items[0].keyRef": "A", "deep.keyRef": "B"})
    assert spec == {"items": [{"keyRef": ref("a")}], "deep": {"keyRef": ref("b")}}


def test_shipped_kinds_lists_of_references_and_secrets():
    spec = {"policies": ["arn:x"], "policyRefs": [ref("p")], "permissionsBoundaryRef": ref("b")}
    assert [at for _, at, _ in references_in(ROLE, spec)] == ["permissionsBoundaryRef", "policyRefs[0]"]
    assert fill_references(ROLE, spec, {"policyRefs[0]": "arn:p", "permissionsBoundaryRef": "arn:b"}) == {
        "policies": ["arn:x", "arn:p"], "permissionsBoundary": "arn:b"}
    assert [(r.to_secret, at) for r, at, _ in references_in(SECRET, {"secretString": {"name": "s", "key": "k"}})] == [(True, "secretString")]


@pytest.mark.parametrize(("live", "desired", "removed", "target"), [
    pytest.param({"level": "high", "inner": {"a": "x", "b": {"c": "y"}}}, {"inner": {"b": {"d": "z"}}}, (),
                 {"level": "high", "inner": {"a": "x", "b": {"c": "y", "d": "z"}}}, id="what the spec does not mention stays, at any depth"),
    pytest.param({"keyID": "x", "deep": {"keyID": "y"}}, {}, (), {"keyID": "x", "deep": {"keyID": "y"}}, id="a thin spec wipes nothing"),
    pytest.param({"keyID": "x", "level": "high"}, {}, ("keyID", "level"), {"level": "low"}, id="removed fields go, or back to their default"),
    pytest.param({"inner": {"a": "x", "b": {"c": "y"}}}, {"inner": {"a": "x"}}, ("inner.b.c",), {"inner": {"a": "x"}},
                 id="a removed leaf takes its empty parent along"),
    pytest.param({"list": [{"id": "1", "state": "on"}, {"id": "2"}]}, {"list": [{"id": "2"}]}, (), {"list": [{"id": "2"}]}, id="a list is what the spec says"),
    pytest.param({"list": [{"id": "1"}]}, {"list": []}, (), {"list": []}, id="an empty list is a demand"),
    pytest.param({"keyID": "x"}, {"keyID": ""}, (), {"keyID": ""}, id="empty text is a demand"),
    pytest.param({"inner": {"a": "x"}}, {"inner": {}}, (), {"inner": {}}, id="an empty object is a demand"),
    pytest.param({"free": {"a": "1", "b": "2"}}, {"free": {"a": "1"}}, (), {"free": {"a": "1"}}, id="a free-form map is what the spec says, as it is compared"),
    pytest.param({"free": {"a": "1"}}, {"free": {}}, (), {"free": {}}, id="an empty map is a demand"),
    pytest.param({"tags": {"theirs": "1", "ours": "old"}}, {"tags": {"ours": "new"}}, (), {"tags": {"ours": "new", "theirs": "1"}}, id="foreign tags stay"),
    pytest.param({"tags": {"theirs": "1", "a.b": "2", "a": "3"}}, {"tags": {}}, ("tags.a.b",), {"tags": {"a": "3", "theirs": "1"}},
                 id="a removed tag goes, dots and all"),
    pytest.param({"tags": {"a": "1"}}, {}, ("tags.a",), {"tags": {}}, id="the last tag goes"),
    pytest.param({"tags": {"aws:x": "1"}}, {"tags": {"a": "1"}}, (), {"tags": {"a": "1"}}, id="the cloud's own tags are not sent back"),
    pytest.param({"keyID": "x"}, {}, (), {"keyID": "x"}, id="no tags on either side"),
])
def test_what_the_resource_shall_be(live, desired, removed, target):
    assert target_spec(KIND, live, desired, removed) == target


@pytest.mark.parametrize(("kind", "live", "spec"), [
    pytest.param(ROLE, {"inlinePolicies": {"a": "{}", "b": "{}"}}, {"inlinePolicies": {"a": "{}"}}, id="a role with an inline policy too many"),
    pytest.param(BUCKET, {"cors": {"corsRules": [{"allowedMethods": ["GET"]}]}}, {"cors": {}}, id="a bucket that shall have no CORS"),
    pytest.param(QUEUE, {"visibilityTimeout": "30", "tags": {"x": "1"}}, {"visibilityTimeout": "60", "tags": {"y": ""}}, id="a queue"),
])
def test_an_update_to_the_target_ends_the_difference(kind, live, spec):
    """Otherwise it is sent three times, and then reported as not converging."""
    assert "mismatch" in findings(comparison(kind, spec, live)).values()
    assert "mismatch" not in findings(comparison(kind, spec, target_spec(kind, live, spec, ()))).values()


def test_tags_have_the_shape_that_the_kind_gives_them():
    assert shape_tags(QUEUE, {"b": "2", "a": "1"}) == {"a": "1", "b": "2"}
    assert shape_tags(BUCKET, {"b": "2", "a": "1"}) == [{"key": "a", "value": "1"}, {"key": "b", "value": "2"}]


def test_a_buckets_foreign_tags_stay():
    live = {"tagging": {"tagSet": [{"key": "theirs", "value": "1"}, {"key": "aws:x", "value": "2"}]}}
    assert target_spec(BUCKET, live, {"tagging": {"tagSet": [{"key": "ours", "value": "3"}]}}, ()) == {
        "tagging": {"tagSet": [{"key": "ours", "value": "3"}, {"key": "theirs", "value": "1"}]}}


def test_neither_side_is_changed():
    live, desired = {"inner": {"a": "x"}, "tags": {"a": "1"}}, {"inner": {"b": {"c": "y"}}, "tags": {"b": "2"}}
    target_spec(KIND, live, desired, ("inner.a", "tags.a"))
    assert (live, desired) == ({"inner": {"a": "x"}, "tags": {"a": "1"}}, {"inner": {"b": {"c": "y"}}, "tags": {"b": "2"}})


LABELLED = toy({"labels": free_map(), "resourceID": TEXT}, {"labels": {"tags": True}}, family="gcp")
DEEP = toy({"settings": an_object(userLabels=free_map())}, {"settings.userLabels": {"tags": True}}, family="gcp")


@pytest.mark.parametrize(("kind", "spec", "labels", "wanted"), [
    pytest.param(LABELLED, {}, {"team": "a"}, {"labels": {"team": "a"}}, id="the object's labels go to the cloud"),
    pytest.param(LABELLED, {"labels": {"team": "b", "x": "1"}}, {"team": "a", "y": "2"}, {"labels": {"team": "b", "x": "1", "y": "2"}}, id="the spec's labels count more"),
    pytest.param(LABELLED, {}, {"app.kubernetes.io/name": "x", "team": "a"}, {"labels": {"team": "a"}}, id="labels with a prefix are Kubernetes' own"),
    pytest.param(LABELLED, {}, {"app.kubernetes.io/name": "x"}, {}, id="only labels with a prefix"),
    pytest.param(LABELLED, {"labels": {}}, {}, {"labels": {}}, id="an empty map stays a demand"),
    pytest.param(DEEP, {"settings": {}}, {"team": "a"}, {"settings": {"userLabels": {"team": "a"}}}, id="labels deep in the spec"),
    pytest.param(toy({"resourceID": TEXT}, family="gcp"), {}, {"team": "a"}, {}, id="a kind without labels takes none"),
    pytest.param(KIND, {}, {"team": "a"}, {}, id="AWS: an object's labels are its own"),
])
def test_labels_of_the_object(kind, spec, labels, wanted):
    assert with_labels(kind, spec, labels) == wanted


@pytest.mark.parametrize(("kind", "spec", "wanted"), [
    pytest.param(LABELLED, {}, {"resourceID": "obj"}, id="the object's name"), pytest.param(LABELLED, {"resourceID": "own"}, {"resourceID": "own"}, id="the spec's own"),
    pytest.param(LABELLED, {"resourceID": ""}, {"resourceID": "obj"}, id="an empty one is none"), pytest.param(KIND, {}, {}, id="AWS: each kind has its own"),
])
def test_the_name_of_the_resource(kind, spec, wanted):
    assert with_name(kind, spec, "obj") == wanted


EXTERNAL = an_object(external=TEXT, name=TEXT, namespace=TEXT, kind=TEXT)
GOOGLE = toy(
    {"keyRef": EXTERNAL, "accounts": listed(EXTERNAL), "items": listed(an_object(keyRef=EXTERNAL, name=TEXT)),
     "password": an_object(value=TEXT, valueFrom=an_object(secretKeyRef=an_object(name=TEXT, key=TEXT)))},
    references=(
        Reference("keyRef", "keyRef", "kms.cnrm.cloud.google.com", "KMSCryptoKey", "status.externalRef", is_external=True),
        Reference("accounts", "accounts", "iam.cnrm.cloud.google.com", "IAMServiceAccount", "status.email", is_list=True, is_external=True),
        Reference("items[].keyRef", "keyRef", "kms.cnrm.cloud.google.com", "KMSCryptoKey", "status.externalRef", is_external=True),
        Reference("password", "password", "", "Secret", "", to_secret=True, is_external=True)), family="gcp")


def test_references_that_may_give_the_value_themselves_are_found_in_their_place():
    spec = {"keyRef": {"external": "x"}, "accounts": [{"name": "a"}, {"external": "b"}], "items": [{"name": "none"}, {"keyRef": {"name": "c"}}],
            "password": {"valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}}
    assert {at: dict(source) for _, at, source in references_in(GOOGLE, spec)} == {
        "keyRef": {"external": "x"}, "accounts[0]": {"name": "a"}, "accounts[1]": {"external": "b"}, "items[1].keyRef": {"name": "c"}, "password": {"name": "s", "key": "k"}}


@pytest.mark.parametrize("spec", [
    pytest.param({"password": {"value": "plain"}}, id="a secret given as a value"), pytest.param({"password": {"valueFrom": {}}}, id="a secret from nowhere"),
    pytest.param({"keyRef": None, "accounts": [], "items": [{}]}, id="nothing"),
])
def test_a_google_spec_without_references_has_none(spec):
    assert references_in(GOOGLE, spec) == []


def test_a_google_reference_is_filled_in_where_it_stands():
    spec = {"keyRef": {"name": "k"}, "accounts": [{"name": "a"}, {"external": "b"}], "items": [{"keyRef": {"name": "c"}, "name": "n"}],
            "password": {"valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}}
    resolved = {at: {"value": "hunter2"} if at == "password" else {"external": at.upper()} for _, at, _ in references_in(GOOGLE, spec)}
    assert fill_references(GOOGLE, spec, resolved) == {
        "keyRef": {"external": "KEYREF"}, "accounts": [{"external": "ACCOUNTS[0]"}, {"external": "ACCOUNTS[1]"}],
        "items": [{"keyRef": {"external": "ITEMS[0].KEYREF"}, "name": "n"}], "password": {"value": "hunter2"}}


def test_a_secret_given_as_a_value_is_filled_in_as_it_is():
    assert fill_references(GOOGLE, {"password": {"value": "plain"}}, {}) == {"password": {"value": "plain"}}
