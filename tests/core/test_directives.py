"""Directives: what is known is read, what is not exactly known is refused."""

from __future__ import annotations

import pytest

from holdfast.core.directives import namespace_directives, parse_directives
from holdfast.model.directives import Directives
from holdfast.model.errors import InputError
from tests.core.sample import BUCKET, QUEUE

P = "services.k8s.aws"


def parse(annotations=None, namespace=None, labels=None, kind=QUEUE, **more) -> Directives:
    return parse_directives(kind, annotations or {}, namespace or {}, labels or {}, **more)


@pytest.mark.parametrize(("annotations", "wanted"), [
    pytest.param({}, Directives(), id="none"),
    pytest.param({f"{P}/force-acquire": "true"}, Directives(verify_only=True), id="verify-only"),
    pytest.param({f"{P}/force-acquire": "false"}, Directives(), id="verify-only, switched off"),
    pytest.param({f"{P}/read-only": "true"}, Directives(read_only=True), id="read-only"),
    pytest.param({f"{P}/actuation-mode": "Paused"}, Directives(paused=True), id="paused"),
    pytest.param({f"{P}/actuation-mode": "Reconciling"}, Directives(), id="not paused"),
    pytest.param({f"{P}/deletion-policy": "retain"}, Directives(retain=True), id="retain"),
    pytest.param({f"{P}/adoption-policy": "adopt-or-create", f"{P}/adoption-fields": '{"queueName": "q"}'},
                 Directives(adoption_policy="adopt-or-create", adoption_fields={"queueName": "q"}), id="adoption"),
    pytest.param({f"{P}/adopted": "true"}, Directives(adopted=True), id="adopted"),
    pytest.param({f"{P}/region": "eu-west-3"}, Directives(region="eu-west-3"), id="a region"),
    pytest.param({f"{P}/default-to-aws-fields": " spec.policy, visibilityTimeout,,tags.a.b "}, Directives(unmanaged=("policy", "tags.a.b", "visibilityTimeout")),
                 id="unmanaged fields, with and without spec, a tag among them"),
    pytest.param({f"{P}/ignore-field-drift": "policy"}, Directives(unmanaged=("policy",)), id="upstream's word for unmanaged"),
    pytest.param({f"{P}/owner-account-id": "1", f"{P}/endpoint-url": "http://x"}, Directives(account="1"), id="keys that upstream knows"),
    pytest.param({"cnrm.cloud.google.com/project-id": "p"}, Directives(), id="another cloud's key that is no directive"),
    pytest.param({"kubectl.kubernetes.io/last-applied-configuration": "{}", "note": "x", "example.com/read": "x", "example.com/region": "x"}, Directives(),
                 id="other people's annotations"),
    pytest.param({"argocd.argoproj.io/sync-options": "Prune=false", "helm.sh/resource-policy": "keep"}, Directives(), id="GitOps tools' annotations"),
])
def test_what_is_known(annotations, wanted):
    assert parse(annotations) == wanted


REFUSED = [
    *(pytest.param({f"{P}/force-acquire": value}, "HF201", id=f"force-acquire: {value!r}") for value in
      ("True", "TRUE", "yes", "1", "on", "t", "", " true", "true ", "true\n", '"true"', True, False, 1, None, ["true"])),
    pytest.param({f"{P}/read-only": "True"}, "HF201", id="read-only in another case"),
    pytest.param({f"{P}/actuation-mode": "paused"}, "HF201", id="a mode in another case"),
    pytest.param({f"{P}/actuation-mode": ""}, "HF201", id="an empty mode"),
    pytest.param({f"{P}/deletion-policy": "abandon"}, "HF201", id="another cloud's deletion policy"),
    pytest.param({f"{P}/deletion-policy": "Retain"}, "HF201", id="a deletion policy in another case"),
    pytest.param({f"{P}/adoption-policy": "adopt_or_create"}, "HF201", id="an adoption policy with underscores"),
    pytest.param({f"{P}/region": 5}, "HF201", id="a region that is a number"),
    pytest.param({"cnrm.cloud.google.com/force-acquire": "true"}, "HF202", id="the other cloud's prefix"),
    pytest.param({"cnrm.cloud.google.com/force-acquire": "false"}, "HF202", id="the other cloud's prefix, even to switch off"),
    pytest.param({"cnrm.cloud.google.com/force-aquire": "true"}, "HF202", id="the other cloud's prefix, misspelt"),
    pytest.param({"cnrm.cloud.google.com/deletion-policy": "abandon"}, "HF202", id="the other cloud's deletion policy"),
    pytest.param({"cnrm.cloud.google.com/actuation-mode": "Paused"}, "HF202", id="the other cloud's pause"),
    pytest.param({"cnrm.cloud.google.com/default-to-gcp-fields": "a"}, "HF202", id="the other cloud's unmanaged fields"),
    *(pytest.param({f"{P}/{name}": "true"}, "HF203", id=f"misspelt: {name}") for name in
      ("force-aquire", "forceacquire", "forceAcquire", "force_acquire", "Force-Acquire", "force-acquire ", "force-acquired", "acquire", "pause", "xyz", "")),
    *(pytest.param({key: "true"}, "HF203", id=f"prefix: {key!r}") for key in
      ("force-acquire", "Force-Acquire", "force-aquire", "Services.k8s.aws/force-acquire", "service.k8s.aws/force-acquire", "services.k8s.aws//force-acquire",
       " services.k8s.aws/force-acquire", "services.k8s.aws.com/force-acquire", "sqs.services.k8s.aws/force-acquire", "services.k8s.awz/force-aquire",
       "cnrm.cloud.google.co/force-acquire", "cloud.google.com/force-acquire", "k8s.aws/force-acquire", "aws.amazon.com/force-acquire",
       "holdfast/force-acquire", "services.k8s.aws.force-acquire", "services.k8s.aws-force-acquire", "services.k8s.aws/force-acquire/")),
    pytest.param({"actuation-mode": "Paused"}, "HF203", id="a pause without a prefix"),
    pytest.param({"deletion-policy": "retain"}, "HF203", id="a deletion policy without a prefix"),
    pytest.param({f"{P}/adoption-fields": "queueName: q"}, "HF204", id="adoption-fields that are no JSON"),
    pytest.param({f"{P}/adoption-fields": '["q"]'}, "HF204", id="adoption-fields that are a list"),
    pytest.param({f"{P}/adoption-fields": '{"queueName": 5}'}, "HF204", id="adoption-fields with a number"),
    pytest.param({f"{P}/adoption-fields": '{"queuName": "q"}'}, "HF204", id="adoption-fields with an unknown field"),
    pytest.param({f"{P}/default-to-aws-fields": "visibilityTimeOut"}, "HF109", id="an unmanaged field in another case"),
    pytest.param({f"{P}/default-to-aws-fields": "policy,nothing"}, "HF109", id="an unknown field beside a known one"),
    pytest.param({f"{P}/default-to-aws-fields": "spec"}, "HF109", id="the whole spec"),
    pytest.param({f"{P}/default-to-aws-fields": "spec."}, "HF109", id="nothing below spec"),
    pytest.param({f"{P}/default-to-aws-fields": "queueName.x"}, "HF109", id="a path below text"),
    pytest.param({f"{P}/default-to-aws-fields": "status.queueURL"}, "HF109", id="a path of status"),
]


@pytest.mark.parametrize(("annotations", "code"), REFUSED)
def test_what_is_not_exactly_known_is_refused(annotations, code):
    """A user who thinks that they are safe must never be wrong."""
    with pytest.raises(InputError) as caught:
        parse(annotations)
    assert caught.value.code == code


@pytest.mark.parametrize(("annotations", "words"), [
    pytest.param({f"{P}/force-acquire": "True"}, ["'True'", "'true'", "'false'"], id="a wrong value is named with the right ones"),
    pytest.param({f"{P}/force-aquire": "true"}, ["'force-acquire'"], id="a misspelt name with the right one"),
    pytest.param({"cnrm.cloud.google.com/force-acquire": "true"}, [f"{P}/force-acquire"], id="another cloud's prefix with the right one"),
    pytest.param({"force-acquire": "true"}, [f"'{P}/force-acquire'"], id="a missing prefix with the right one"),
    pytest.param({f"{P}/default-to-aws-fields": "visibilityTimout"}, ["'visibilityTimeout'"], id="an unknown path with the nearest one"),
    pytest.param({f"{P}/adoption-fields": '{"queuName": "q"}'}, ["'queueName'"], id="an unknown adoption field with the nearest one"),
    pytest.param({f"{P}/force-acquire": True}, ['write "true", in quotes'], id="a bare boolean with how to write it"),
])
def test_the_message_says_the_next_step(annotations, words):
    with pytest.raises(InputError) as caught:
        parse(annotations)
    assert all(word in caught.value.message for word in words), caught.value.message


@pytest.mark.parametrize("key", [
    pytest.param(f"{P}/force-acquire", id="ours"), pytest.param(f"{P}/force-aquire", id="ours, misspelt"),
    pytest.param("cnrm.cloud.google.com/force-acquire", id="the other cloud's"), pytest.param("force-acquire", id="without a prefix"),
])
def test_a_directive_given_as_a_label_is_refused(key):
    with pytest.raises(InputError) as caught:
        parse(labels={key: "true"})
    assert caught.value.code in ("HF202", "HF203")
    assert caught.value.where == f"metadata.labels[{key}]"


@pytest.mark.parametrize(("annotation", "path"), [
    pytest.param("default-to-aws-fields", "polcy", id="our own"), pytest.param("ignore-field-drift", "polcy", id="upstream's"),
])
def test_an_unknown_path_is_placed_at_the_annotation_that_names_it(annotation, path):
    with pytest.raises(InputError) as caught:
        parse({f"{P}/{annotation}": path})
    assert caught.value.where == f"metadata.annotations[{P}/{annotation}]"


@pytest.mark.parametrize(("namespace", "annotations", "wanted"), [
    pytest.param({f"{P}/actuation-mode": "Paused"}, {}, {"paused": True}, id="a paused namespace pauses"),
    pytest.param({f"{P}/actuation-mode": "Paused"}, {f"{P}/actuation-mode": "Reconciling"}, {"paused": False}, id="the object's word counts more"),
    pytest.param({f"{P}/deletion-policy": "retain"}, {}, {"retain": True}, id="a namespace that retains"),
    pytest.param({f"sqs.{P}/deletion-policy": "retain", f"{P}/deletion-policy": "delete"}, {}, {"retain": True}, id="the service's policy counts more"),
    pytest.param({f"s3.{P}/deletion-policy": "retain"}, {}, {"retain": False}, id="another service's policy does not count"),
    pytest.param({f"{P}/deletion-policy": "retain"}, {f"{P}/deletion-policy": "delete"}, {"retain": False}, id="the object's policy counts most"),
    pytest.param({f"{P}/default-region": "eu-north-1"}, {}, {"region": "eu-north-1"}, id="a default region"),
    pytest.param({f"{P}/default-region": "eu-north-1"}, {f"{P}/region": "eu-west-1"}, {"region": "eu-west-1"}, id="the object's region counts more"),
])
def test_what_the_namespace_says(namespace, annotations, wanted):
    made = parse(annotations, namespace)
    assert {name: getattr(made, name) for name in wanted} == wanted


@pytest.mark.parametrize("namespace", [
    pytest.param({f"{P}/actuation-mode": "paused"}, id="a mode in another case"), pytest.param({f"{P}/deletion-policy": "keep"}, id="an unknown deletion policy"),
    pytest.param({f"sqs.{P}/deletion-policy": "Retain"}, id="a service's deletion policy in another case"),
])
def test_a_namespace_that_says_something_unknown_is_refused(namespace):
    with pytest.raises(InputError) as caught:
        parse({}, namespace)
    assert caught.value.code == "HF201"


def test_retain_by_default_gives_way_to_an_explicit_delete():
    assert parse(retain_by_default=True).retain
    assert not parse({f"{P}/deletion-policy": "delete"}, retain_by_default=True).retain
    assert not parse({}, {f"{P}/deletion-policy": "delete"}, retain_by_default=True).retain


@pytest.mark.parametrize("path", [
    pytest.param("encryption", id="a parent"), pytest.param("encryption.rules[].bucketKeyEnabled", id="inside a list"),
    pytest.param("encryption.rules[0].bucketKeyEnabled", id="one item of a list"), pytest.param("tagging.tagSet.team", id="one tag"),
    pytest.param("spec.versioning.status", id="with spec"),
])
def test_paths_of_a_deep_kind(path):
    assert parse({f"{P}/default-to-aws-fields": path}, kind=BUCKET).unmanaged == (path.removeprefix("spec."),)


def test_a_namespaces_annotations_are_text():
    assert namespace_directives({"annotations": {"a": True, "b": 1}}) == {"a": "True", "b": "1"}
    assert namespace_directives({}) == {}


@pytest.mark.parametrize("directives", [
    pytest.param(Directives(verify_only=True), id="verify-only"), pytest.param(Directives(read_only=True), id="read-only"),
])
def test_what_never_writes(directives):
    assert directives.never_writes
    assert not Directives(paused=True, retain=True, adopted=True).never_writes
