"""AdoptedResource in both of its shapes."""

from __future__ import annotations

import pytest

from holdfast.core.adopted import parse_request
from holdfast.kinds.catalog import shipped
from holdfast.model.errors import InputError
from tests.core.sample import TEXT, toy

KEY_ARN = "arn:aws:kms:eu-west-1:123456789012:key/abc"
JOB = toy({"name": TEXT}, cannot_adopt="it is a one-time job", identifiers={"name": "spec.name"})


def find(group: str, kind: str):
    return JOB if kind == "Toy" else shipped().find(group, kind)


def body(spec: dict, **meta) -> dict:
    return {"apiVersion": "sqs.services.k8s.aws/v1alpha1", "kind": "AdoptedResource", "metadata": {"name": "taken", **meta}, "spec": spec}


def one(kind="sqs.services.k8s.aws/v1alpha1 Queue", identifier=None, **more) -> dict:
    api_version, _, name = kind.partition(" ")
    return {"apiVersion": api_version, "kind": name, "identifier": {"name": "jobs"} if identifier is None else identifier, **more}


def two(aws=None, group="sqs.services.k8s.aws", kind="Queue", **metadata) -> dict:
    return {"aws": {"nameOrID": "jobs"} if aws is None else aws, "kubernetes": {"group": group, "kind": kind, **({"metadata": metadata} if metadata else {})}}


@pytest.mark.parametrize(("spec", "meta", "wanted"), [
    pytest.param(one(), {}, ("Queue default/taken", ("name", "jobs")), id="the document's shape; name and namespace are its own"),
    pytest.param(one(), {"namespace": "prod"}, ("Queue prod/taken", ("name", "jobs")), id="its own namespace"),
    pytest.param(one(metadata={"name": "q", "namespace": "other"}), {"namespace": "prod"}, ("Queue other/q", ("name", "jobs")), id="a name and namespace of its own choice"),
    pytest.param(one(identifier={"arn": "arn:aws:sqs:eu-west-1:1:jobs"}), {}, ("Queue default/taken", ("arn", "arn:aws:sqs:eu-west-1:1:jobs")), id="by ARN"),
    pytest.param(one(identifier={"id": 12}), {}, ("Queue default/taken", ("id", "12")), id="by a number"),
    pytest.param(one(identifier={"id": 0}), {}, ("Queue default/taken", ("id", "0")), id="by the number zero"),
    pytest.param(one("kms.services.k8s.aws/v1alpha1 Key", {"arn": KEY_ARN}), {}, ("Key default/taken", ("arn", KEY_ARN)), id="a kind of another group"),
    pytest.param(one("apigateway.services.k8s.aws/v1alpha1 Api", {"id": "abc"}), {}, ("API default/taken", ("id", "abc")), id="an alias is kept under its kind's own name"),
    pytest.param(two(), {}, ("Queue default/taken", ("id", "jobs")), id="ACK's shape; nameOrID is an id where the kind takes one"),
    pytest.param(two(kind="Bucket", group="s3.services.k8s.aws"), {}, ("Bucket default/taken", ("name", "jobs")), id="ACK's shape; nameOrID is a name elsewhere"),
    pytest.param(two({"arn": "arn:x"}, name="q", namespace="n"), {}, ("Queue n/q", ("arn", "arn:x")), id="ACK's shape, by ARN, under a name"),
])
def test_what_is_to_be_adopted(spec, meta, wanted):
    request = parse_request(body(spec, **meta), find)
    assert (str(request.key), request.identifier) == wanted
    assert request.key.group == request.kind.group


def test_additional_keys_are_passed_on():
    assert parse_request(body(two({"nameOrID": "a", "additionalKeys": {"region": "x"}})), find).extra == {"region": "x"}


def test_free_form_metadata_is_passed_on():
    metadata = {"name": "q", "labels": {"a": "b"}, "annotations": {"note": "x"}, "finalizers": ["f"]}
    assert parse_request(body(one(metadata=metadata)), find).metadata == metadata


@pytest.mark.parametrize(("spec", "code", "where"), [
    pytest.param(one("sqs.services.k8s.aws/v1alpha1 Qeue"), "HF301", "spec.kind", id="an unknown kind"),
    pytest.param(one("nosuch.services.k8s.aws/v1alpha1 Queue"), "HF301", "spec.kind", id="an unknown group"),
    pytest.param(two(kind="Nothing"), "HF301", "spec.kubernetes.kind", id="an unknown kind in ACK's shape"),
    pytest.param(one("toy.services.k8s.aws/v1alpha1 Toy"), "HF303", "spec.kind", id="a kind that cannot be adopted"),
    pytest.param(one(identifier={}), "HF304", "spec.identifier", id="no identifier"),
    pytest.param({k: v for k, v in one().items() if k != "identifier"}, "HF304", "spec.identifier", id="the identifier left out"),
    pytest.param(one(identifier={"name": "a", "arn": "b"}), "HF304", "spec.identifier", id="two identifiers"),
    pytest.param(one(identifier={"ARN": "a"}), "HF304", "spec.identifier", id="an identifier in another case"),
    pytest.param(one("s3.services.k8s.aws/v1alpha1 Bucket", {"id": "b"}), "HF304", "spec.identifier", id="an identifier that the kind does not take"),
    pytest.param(one("kms.services.k8s.aws/v1alpha1 Key", {"name": "k"}), "HF304", "spec.identifier", id="a name for a kind without names"),
    pytest.param(one(identifier={"name": ""}), "HF304", "spec.identifier", id="an empty identifier"),
    pytest.param(one(identifier={"name": None}), "HF304", "spec.identifier", id="a null identifier"),
    pytest.param(one(identifier={"id": True}), "HF304", "spec.identifier", id="a boolean identifier"),
    pytest.param(one(identifier={"id": 1.5}), "HF304", "spec.identifier", id="a fraction"),
    pytest.param(one(identifier={"name": ["a"]}), "HF304", "spec.identifier", id="a list"),
    pytest.param(one(identifier="jobs"), "HF104", "spec.identifier", id="text where an object belongs"),
    pytest.param(one(metadata=["x"]), "HF104", "spec.metadata", id="a list where metadata belongs"),
    pytest.param({"kind": "Queue", "identifier": {"name": "a"}}, "HF106", "spec.apiVersion", id="no apiVersion"),
    pytest.param({"apiVersion": "sqs.services.k8s.aws/v1alpha1", "identifier": {"name": "a"}}, "HF106", "spec.kind", id="no kind"),
    pytest.param({"apiVersion": 1, "kind": "Queue"}, "HF106", "spec.apiVersion", id="an apiVersion that is a number"),
    pytest.param({}, "HF106", "spec.apiVersion", id="nothing at all"),
    pytest.param({"aws": {"nameOrID": "a"}, "kubernetes": {"kind": "Queue"}}, "HF106", "spec.kubernetes.group", id="ACK's shape without its group"),
    pytest.param({"aws": {"nameOrID": "a"}}, "HF106", "spec.kubernetes.group", id="ACK's shape without its object"),
    pytest.param({"kubernetes": {"group": "sqs.services.k8s.aws", "kind": "Queue"}}, "HF304", "spec.aws", id="ACK's shape without its identifier"),
    pytest.param(two({"arn": "a", "nameOrID": "b"}), "HF304", "spec.aws", id="ACK's shape with both identifiers"),
    pytest.param(two({"nameOrID": "a", "additionalKeys": "x"}), "HF104", "spec.aws.additionalKeys", id="ACK's shape with keys that are text"),
])
def test_what_is_refused(spec, code, where):
    with pytest.raises(InputError) as caught:
        parse_request(body(spec), find)
    assert (caught.value.code, caught.value.where) == (code, where)


def test_a_null_beside_the_identifier_is_not_a_second_one():
    """Kubernetes drops nulls; `arn:` left empty in YAML is one."""
    assert parse_request(body(one(identifier={"name": "jobs", "arn": None})), find).identifier == ("name", "jobs")


def test_the_message_names_what_the_kind_takes():
    with pytest.raises(InputError, match="arn, name, id"):
        parse_request(body(one(identifier={"url": "x"})), find)
