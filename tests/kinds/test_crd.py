"""What the CRDs and the immutability policy say."""

from __future__ import annotations

import json

import pytest

from holdfast.kinds.catalog import shipped
from holdfast.kinds.crd import adopted_crd, crd_of, policy_of
from holdfast.model.kinds import Reference
from tests.core.sample import BUCKET, QUEUE, ROLE, SECRET, TEXT, an_object, listed, toy
from tests.kinds.test_schema import nodes

KINDS = [pytest.param(k, id=k.name) for k in shipped().all()]
REF = an_object(**{"from": an_object(name=TEXT)})
TOY = toy(
    {"a": TEXT, "b": TEXT, "deep": an_object(c=TEXT, d=TEXT), "namespace": TEXT, "parentID": TEXT, "parentRef": REF, "items": listed(an_object(id=TEXT))},
    {"a": {"immutable": True}, "deep.c": {"immutable": True}, "namespace": {"immutable": True}, "parentID": {"immutable": True}, "items[].id": {"immutable": True}},
    identity_fields=("a", "namespace"), one_of=(("a", "deep.c"), ("b", "namespace")), exactly_one=(("b", "deep.d"),), short_names=("ty",),
    references=(Reference("parentRef", "parentID", "toy.services.k8s.aws", "Toy", "status.toyID"),))


def root(crd: dict) -> dict:
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def rules(node: dict) -> dict[str, str]:
    return {r["message"]: r["rule"] for r in node.get("x-kubernetes-validations", ())}


def test_names_and_places():
    crd = crd_of(QUEUE)
    assert crd["metadata"]["name"] == "queues.sqs.services.k8s.aws"
    assert crd["spec"]["names"] == {"kind": "Queue", "listKind": "QueueList", "plural": "queues", "singular": "queue", "categories": ["holdfast"]}
    assert crd["spec"]["scope"] == "Namespaced"
    (version,) = crd["spec"]["versions"]
    assert (version["name"], version["served"], version["storage"], version["subresources"]) == ("v1alpha1", True, True, {"status": {}})
    assert crd_of(TOY)["spec"]["names"]["shortNames"] == ["ty"]


def test_one_of_rules_count_what_is_given():
    found = rules(root(crd_of(TOY))["properties"]["spec"])
    assert found == {
        "HF107: at most one of spec.a, spec.deep.c may be given": "(has(self.a) ? 1 : 0) + (has(self.deep) && has(self.deep.c) ? 1 : 0) <= 1",
        "HF107: at most one of spec.b, spec.namespace may be given": "(has(self.b) ? 1 : 0) + (has(self.__namespace__) ? 1 : 0) <= 1",
        "HF107: exactly one of spec.b, spec.deep.d may be given": "(has(self.b) ? 1 : 0) + (has(self.deep) && has(self.deep.d) ? 1 : 0) == 1"}


def test_a_field_and_its_reference_exclude_each_other_in_the_api_server_too():
    assert "HF107: at most one of spec.kmsMasterKeyID, spec.kmsMasterKeyRef may be given" in rules(root(crd_of(QUEUE))["properties"]["spec"])


def test_identity_is_fixed_from_the_moment_that_status_names_a_resource():
    found = rules(root(crd_of(QUEUE)))
    assert found == {"HF108: spec.queueName names the resource that is held, and cannot be changed":
                     "!has(oldSelf.status) || !has(oldSelf.status.ackResourceMetadata) || !has(oldSelf.status.ackResourceMetadata.arn)"
                     " || !has(oldSelf.spec) || !has(oldSelf.spec.queueName)"
                     " || (has(self.spec) && has(self.spec.queueName) && self.spec.queueName == oldSelf.spec.queueName)"}


def test_words_that_cel_keeps_for_itself_are_escaped():
    text = " ".join(rules(root(crd_of(TOY))).values())
    assert "self.spec.__namespace__ == oldSelf.spec.__namespace__" in text
    assert "spec.namespace" not in text


@pytest.mark.parametrize("kind", KINDS)
def test_every_rule_has_a_code_and_no_value(kind):
    crd = crd_of(kind)
    for node in (root(crd), root(crd)["properties"]["spec"]):
        assert all(message.startswith("HF10") for message in rules(node))


@pytest.mark.parametrize("kind", KINDS)
def test_a_crd_is_structural_and_speaks_no_dialect_of_ours(kind):
    crd = crd_of(kind)
    assert "x-wire" not in json.dumps(crd)
    for path, node in nodes(root(crd)):
        assert "type" in node, path
        assert set(node) <= {"type", "format", "properties", "items", "additionalProperties", "required", "oneOf", "maxLength", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations"}, path
        assert "enum" not in node, path


@pytest.mark.parametrize("kind", KINDS)
def test_all_that_status_remembers_has_a_place_in_the_crd(kind):
    """Otherwise the API server would prune it, and it would be lost at once."""
    have = set(root(crd_of(kind))["properties"]["status"]["properties"])
    assert {kind.dialect.identity_path.partition(".")[0], "adopted", "appliedFields", "conditions", "hold", "intent", "lastModifiedCookie", "observedGeneration", "operation", "sentFields", "settling",
            "specOverrides", "verification"} <= have


@pytest.mark.parametrize("kind", KINDS)
def test_an_object_before_its_first_status_fits_the_crd(kind):
    assert "required" not in root(crd_of(kind))
    assert "required" not in root(crd_of(kind))["properties"]["status"]


def test_the_kind_itself_is_left_as_it_was():
    before = json.dumps(BUCKET.spec_schema)
    crd_of(BUCKET)
    assert json.dumps(BUCKET.spec_schema) == before


def expressions(kind) -> dict[str, str]:
    policy, _ = policy_of(kind)
    return {v["message"].partition(" is immutable")[0]: v["expression"] for v in policy["spec"]["validations"]}


def test_the_policy_holds_every_immutable_field_but_identity_and_parts_of_items():
    assert expressions(TOY) == {
        "HF108: spec.deep.c": "!variables.old[?'deep'][?'c'].hasValue() || variables.new[?'deep'][?'c'] == variables.old[?'deep'][?'c']",
        "HF108: spec.parentID": "!variables.old[?'parentID'].hasValue() || variables.new[?'parentID'] == variables.old[?'parentID'] || variables.new[?'parentRef'].hasValue()"}


def test_the_policy_of_a_queue():
    assert list(expressions(QUEUE)) == ["HF108: spec.fifoQueue"]


def test_the_policy_steps_aside():
    policy, binding = policy_of(QUEUE)
    conditions = {c["name"]: c["expression"] for c in policy["spec"]["matchConditions"]}
    assert conditions == {
        "not-verified-only": "!(has(object.metadata.annotations) && 'services.k8s.aws/force-acquire' in object.metadata.annotations"
                             " && object.metadata.annotations['services.k8s.aws/force-acquire'] == 'true')",
        "not-being-deleted": "!has(object.metadata.deletionTimestamp)",
        "spec-changed": "!has(object.spec) || !has(oldObject.spec) || object.spec != oldObject.spec"}
    assert policy["spec"]["matchConstraints"]["resourceRules"] == [
        {"apiGroups": ["sqs.services.k8s.aws"], "apiVersions": ["v1alpha1"], "operations": ["UPDATE"], "resources": ["queues"]}]
    assert binding["spec"] == {"policyName": policy["metadata"]["name"], "validationActions": ["Deny"]}


def test_a_kind_whose_only_immutable_field_is_its_name_needs_no_policy():
    assert policy_of(SECRET) == []
    assert [v.partition(": ")[2] for v in expressions(ROLE)] == ["spec.path"]


def test_the_crd_of_adopted_resources_takes_both_shapes():
    spec = root(adopted_crd("sqs.services.k8s.aws"))["properties"]["spec"]
    assert {"apiVersion", "kind", "identifier", "metadata", "aws", "kubernetes"} == set(spec["properties"])
    assert spec["properties"]["identifier"]["properties"]["id"] == {"x-kubernetes-int-or-string": True}
    assert adopted_crd("sqs.services.k8s.aws")["metadata"]["name"] == "adoptedresources.sqs.services.k8s.aws"
