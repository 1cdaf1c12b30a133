"""Admission: what any store checks before it keeps an object."""

from __future__ import annotations

import pytest

from holdfast.core.admit import MADE_BY, check_adopted_resource, check_envelope, check_object, maker_of
from holdfast.kinds.catalog import shipped
from holdfast.model.objects import StoredObject
from tests.core.sample import ARN, QUEUE

P = "services.k8s.aws"
HELD = {"ackResourceMetadata": {"arn": ARN, "ownerAccountID": "1", "region": "eu-west-1"}}


def body(spec=None, annotations=None, status=None, **meta) -> dict:
    metadata = {"name": "jobs", **({"annotations": annotations} if annotations is not None else {}), **meta}
    out = {"apiVersion": "sqs.services.k8s.aws/v1alpha1", "kind": "Queue", "metadata": metadata, "spec": {"queueName": "q"} if spec is None else spec}
    return {**out, **({"status": status} if status else {})}


def found(errors) -> list[str]:
    return [f"{e.code} {e.where}" for e in errors]


@pytest.mark.parametrize(("document", "errors"), [
    pytest.param(body(), [], id="an object"),
    pytest.param({}, ["HF102 apiVersion", "HF102 kind", "HF102 metadata.name"], id="nothing"),
    pytest.param({**body(), "apiVersion": 1}, ["HF102 apiVersion"], id="an apiVersion that is a number"),
    pytest.param({**body(), "kind": ""}, ["HF102 kind"], id="an empty kind"),
    pytest.param({**body(), "metadata": []}, ["HF102 metadata.name", "HF104 metadata"], id="metadata that is a list"),
    pytest.param({**body(), "spec": "x"}, ["HF104 spec"], id="a spec that is text"),
    pytest.param({**body(), "spec": None}, [], id="a spec that is null"),
    pytest.param(body(annotations=["x"]), ["HF104 metadata.annotations"], id="annotations that are a list"),
    pytest.param(body(labels="x"), ["HF104 metadata.labels"], id="labels that are text"),
    pytest.param(body(namespace=5), ["HF104 metadata.namespace"], id="a namespace that is a number"),
    *(pytest.param(body(name=name), [], id=f"the name {name!r}") for name in ("a", "a-b.c", "0", "a" * 253)),
    *(pytest.param(body(name=name), ["HF104 metadata.name"], id=f"not the name {name[:20]!r}") for name in
      ("", "A", "a_b", "-a", "a-", ".a", "a.", "a b", "ä", "a\n", "a/b", "a..b", "a.-b", "a-.b", "a" * 254)),
    pytest.param(body(name=5), ["HF102 metadata.name"], id="a name that is a number"),
])
def test_the_envelope(document, errors):
    assert found(check_envelope(document)) == errors


@pytest.mark.parametrize(("new", "errors"), [
    pytest.param(body(), [], id="a good object"),
    pytest.param(body({"queuName": "x"}), ["HF105 spec.queuName", "HF106 spec.queueName"], id="schema findings, all of them"),
    pytest.param(body({}, {f"{P}/adoption-policy": "adopt"}), [], id="an object to be adopted needs no spec"),
    pytest.param(body({"delaySeconds": "5"}, {f"{P}/adoption-policy": "adopt"}), ["HF106 spec.queueName"], id="but a spec must be whole"),
    pytest.param(body(annotations={f"{P}/force-acquire": "True"}), [f"HF201 metadata.annotations[{P}/force-acquire]"], id="a directive that is not one"),
    pytest.param(body({"queuName": "x"}, {f"{P}/force-aquire": "true"}), [f"HF203 metadata.annotations[{P}/force-aquire]", "HF105 spec.queuName", "HF106 spec.queueName"],
                 id="directives and schema together"),
    pytest.param(body(labels={f"{P}/force-acquire": "true"}), [f"HF203 metadata.labels[{P}/force-acquire]"], id="a directive given as a label"),
])
def test_a_new_object(new, errors):
    assert found(check_object(QUEUE, None, new)) == errors


@pytest.mark.parametrize(("old", "new", "errors"), [
    pytest.param(body({"queueName": "q"}), body({"queueName": "r"}), [], id="a wrong name may be corrected until something is held"),
    pytest.param(body({"queueName": "q"}, status=HELD), body({"queueName": "r"}), ["HF108 spec.queueName"], id="identity is fixed once something is held"),
    pytest.param(body({"queueName": "q"}, status=HELD), body({"queueName": "r"}, {f"{P}/force-acquire": "true"}), ["HF108 spec.queueName"],
                 id="identity does not give way to force-acquire"),
    pytest.param(body({"queueName": "q", "fifoQueue": "true"}), body({"queueName": "q", "fifoQueue": "false"}), ["HF108 spec.fifoQueue"],
                 id="another immutable field is fixed at once"),
    pytest.param(body({"queueName": "q", "fifoQueue": "true"}, status=HELD), body({"queueName": "q"}), ["HF108 spec.fifoQueue"], id="and cannot be removed"),
    pytest.param(body({"queueName": "q"}, status=HELD), body({"queueName": "q", "fifoQueue": "true"}), [], id="but may be set once"),
    pytest.param(body({"queueName": "q", "fifoQueue": "true"}), body({"queueName": "q", "fifoQueue": "false"}, {f"{P}/force-acquire": "true"}), [],
                 id="it gives way to force-acquire"),
    pytest.param(body({"queueName": "q", "fifoQueue": "true"}, {f"{P}/force-acquire": "true"}), body({"queueName": "q", "fifoQueue": "false"}), ["HF108 spec.fifoQueue"],
                 id="but not to a force-acquire that this very edit takes away"),
    pytest.param(body({"queueName": "q", "fifoQueue": "true"}), body({"queueName": "q", "fifoQueue": "false"}, {f"{P}/force-acquire": "false"}), ["HF108 spec.fifoQueue"],
                 id="nor to one that is switched off"),
    pytest.param(body({"queueName": "q", "fifoQueue": "true"}, status=HELD), body({"queueName": "r"}, deletionTimestamp="2026-01-01T00:00:00Z"), [],
                 id="an object being deleted can always be let go"),
    pytest.param(body({"queueName": "q", "fifoQueue": "true"}, status=HELD), body({"queueName": "q", "fifoQueue": "TRUE"}), [], id="another spelling is no change"),
])
def test_an_edit(old, new, errors):
    assert found(check_object(QUEUE, old, new)) == errors


def adopting(identifier=None, **metadata) -> dict:
    return {"apiVersion": "sqs.services.k8s.aws/v1alpha1", "kind": "AdoptedResource", "metadata": {"name": "taken", "namespace": "prod"},
            "spec": {"apiVersion": "sqs.services.k8s.aws/v1alpha1", "kind": "Queue", "identifier": identifier or {"name": "jobs"}, "metadata": metadata}}


def stored(*objects: dict):
    by_key = {(o.key.namespace, o.key.name): o for o in map(StoredObject, objects)}
    return lambda key: by_key.get((key.namespace, key.name))


MINE = body(name="taken", namespace="prod", annotations={f"{P}/{MADE_BY}": "prod/taken"})
THEIRS = body(name="taken", namespace="prod")


@pytest.mark.parametrize(("old", "new", "there", "errors"), [
    pytest.param(None, adopting(), [], [], id="a new target"),
    pytest.param(None, adopting(), [THEIRS], ["HF302 spec.metadata"], id="a target that exists"),
    pytest.param(None, adopting(), [MINE], [], id="a target made by this very AdoptedResource, re-applied by GitOps"),
    pytest.param(None, adopting(), [body(name="taken", namespace="prod", annotations={f"{P}/{MADE_BY}": "other/taken"})], ["HF302 spec.metadata"],
                 id="a target made by one of another namespace"),
    pytest.param(adopting(), adopting(), [THEIRS], [], id="an unchanged spec is not checked again"),
    pytest.param(adopting(), adopting({"name": "other"}), [THEIRS], ["HF302 spec.metadata"], id="a changed spec is"),
    pytest.param(None, adopting(name="taken", namespace="dev"), [THEIRS], [], id="the same name elsewhere"),
    pytest.param(None, adopting({"url": "x"}), [], ["HF304 spec.identifier"], id="a wrong identifier"),
    pytest.param(None, adopting(annotations={f"{P}/force-acquire": "yes"}), [], [f"HF201 metadata.annotations[{P}/force-acquire]"],
                 id="a directive for the target that is not one"),
    pytest.param(None, adopting(annotations=["x"]), [], ["HF104 spec.metadata.annotations"], id="annotations for the target that are a list"),
])
def test_an_adopted_resource(old, new, there, errors):
    assert found(check_adopted_resource(old, new, shipped().find, stored(*there))) == errors


def test_a_maker_is_named_with_its_namespace():
    assert maker_of({"metadata": {"name": "a"}}) == "default/a"
    assert maker_of({"metadata": {"name": "a", "namespace": "n"}}) == "n/a"
