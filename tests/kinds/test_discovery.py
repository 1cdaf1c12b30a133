"""The language of Google's kind files, word by word, on top of real discovery documents."""

from __future__ import annotations

import pytest

from holdfast.model.kinds import Reference, field_paths, schema_at
from tests.kinds.small import ADDRESS, FIREWALL, REPOSITORY, SECRET, SUBSCRIPTION, TOPIC, small

KEY = "kms/KMSCryptoKey"
GROUP = "kms.cnrm.cloud.google.com"


def fields(kind) -> set[str]:
    return set(kind.spec_schema["properties"])


def at(kind, path: str) -> dict:
    return schema_at(kind.spec_schema, path)


# ---- what stands in a spec ------------------------------------------------------------------------------------------------


def test_without_a_word_it_is_all_that_can_be_set(tmp_path):
    """Neither names, etags and links, nor what only the server sets; labels are there, hidden."""
    kind = small(tmp_path, TOPIC)
    assert fields(kind) == {"ingestionDataSourceSettings", "kmsKeyName", "labels", "messageRetentionDuration", "messageStoragePolicy", "messageTransforms", "resourceID",
                            "satisfiesPzs", "schemaSettings", "tags"}
    assert not [p for p in field_paths(small(tmp_path, SECRET).spec_schema) if p in ("name", "etag", "createTime", "rotation.managedRotationStatus")]


def test_keep(tmp_path):
    assert fields(small(tmp_path, TOPIC, {"keep": ["kmsKeyName"]})) == {"kmsKeyName", "labels", "resourceID"}
    assert fields(small(tmp_path, TOPIC, {"keep": []})) == {"labels", "resourceID"}


def test_omit(tmp_path):
    kind = small(tmp_path, TOPIC, {"keep": ["schemaSettings", "kmsKeyName"], "omit": ["schemaSettings.schema", "kmsKeyName"]})
    assert set(at(kind, "schemaSettings")["properties"]) == {"encoding", "firstRevisionId", "lastRevisionId"}
    assert "kmsKeyName" not in fields(kind)


def test_omit_inside_a_list(tmp_path):
    kind = small(tmp_path, FIREWALL, {"keep": ["allowed"], "omit": ["allowed[].ports"]})
    assert set(at(kind, "allowed[]")["properties"]) == {"IPProtocol"}


@pytest.mark.parametrize(("base", "path", "node"), [
    pytest.param(TOPIC, "kmsKeyName", {"type": "string"}, id="text"), pytest.param(TOPIC, "satisfiesPzs", {"type": "boolean"}, id="a flag"),
    pytest.param(SUBSCRIPTION, "ackDeadlineSeconds", {"type": "integer"}, id="a number"),
    pytest.param(TOPIC, "schemaSettings.encoding", {"type": "string", "x-known": ["BINARY", "JSON"]}, id="a value of a list, without the one that says nothing"),
    pytest.param(TOPIC, "messageStoragePolicy.allowedPersistenceRegions", {"type": "array", "items": {"type": "string"}}, id="a list"),
    pytest.param(TOPIC, "tags", {"type": "object", "additionalProperties": {"type": "string"}, "x-immutable": True}, id="a map, which the document calls immutable"),
    pytest.param(SECRET, "versionAliases{}", {"type": "integer", "format": "int64", "x-text": True}, id="a number that travels as text"),
])
def test_types(tmp_path, base, path, node):
    assert at(small(tmp_path, base), path) == node


def test_what_the_document_calls_immutable_is(tmp_path):
    kind = small(tmp_path, SECRET)
    assert kind.rule("replication").immutable
    assert not kind.rule("rotation").immutable


# ---- fields ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("base", "moves", "path", "node", "gone"), [
    pytest.param(TOPIC, {"key": "kmsKeyName"}, "key", {"type": "string", "x-wire": "kmsKeyName"}, "kmsKeyName", id="under another name"),
    pytest.param(TOPIC, {"encoding": "schemaSettings.encoding"}, "encoding", {"type": "string", "x-known": ["BINARY", "JSON"], "x-wire": "schemaSettings.encoding"},
                 "schemaSettings.encoding", id="out of an object"),
    pytest.param(TOPIC, {"group.key": "kmsKeyName"}, "group.key", {"type": "string", "x-wire": "kmsKeyName"}, "kmsKeyName", id="into a group that is not on the wire"),
    pytest.param(TOPIC, {"schemaSettings.key": "kmsKeyName"}, "schemaSettings.key", {"type": "string", "x-wire": "/kmsKeyName"}, "kmsKeyName", id="into an object that is"),
    pytest.param(TOPIC, {"state": "state"}, "state", {"type": "string", "x-known": ["ACTIVE", "INGESTION_RESOURCE_ERROR"]}, None, id="an output that upstream has in its spec"),
    pytest.param(FIREWALL, {"allowed[].protocol": "allowed[].IPProtocol"}, "allowed[].protocol", {"type": "string", "x-wire": "IPProtocol"}, "allowed[].IPProtocol", id="inside a list"),
    pytest.param(FIREWALL, {"allow": "allowed", "allow[].protocol": "allowed[].IPProtocol"}, "allow[].protocol", {"type": "string", "x-wire": "IPProtocol"}, "allowed",
                 id="inside a list that was moved itself"),
    pytest.param(FIREWALL, {"logging": {"from": "logConfig.enable", "values": {"ON": True, "OFF": False}}}, "logging",
                 {"type": "string", "x-values": {"ON": True, "OFF": False}, "x-wire": "logConfig.enable"}, "logConfig.enable", id="values"),
    pytest.param(SECRET, {"replication.automatic": {"flag": True}}, "replication.automatic", {"type": "boolean", "x-flag": True}, None, id="flag"),
    pytest.param(TOPIC, {"kmsKeyName": {"expand": "projects/{project}/keys/{value}"}}, "kmsKeyName", {"type": "string", "x-expand": "projects/{project}/keys/{value}"}, None, id="expand"),
    pytest.param(TOPIC, {"kmsKeyName": {"prefix": "https://x/"}}, "kmsKeyName", {"type": "string", "x-prefix": "https://x/"}, None, id="prefix"),
    pytest.param(SUBSCRIPTION, {"ackDeadlineSeconds": {"type": "string"}}, "ackDeadlineSeconds", {"type": "string"}, None, id="type"),
    pytest.param(SECRET, {"versionAliases": {"type": "map"}}, "versionAliases", {"type": "object", "additionalProperties": {"type": "string"}}, None, id="type map"),
    pytest.param(FIREWALL, {"rules": {"from": "allowed", "json": True}}, "rules", {"type": "string", "x-json": True, "x-wire": "allowed"}, "allowed", id="json"),
    pytest.param(FIREWALL, {"older": {"from": "disabled", "alias": True}}, "older", {"type": "boolean", "x-alias": True, "x-wire": "disabled"}, None, id="alias leaves the other where it is"),
    pytest.param(TOPIC, {"schemaSettings.encoding": {"means": {"satisfiesPzs": True}}}, "schemaSettings.encoding",
                 {"type": "string", "x-known": ["BINARY", "JSON"], "x-means": {"satisfiesPzs": True}}, None, id="means"),
])
def test_fields_that_stand_otherwise(tmp_path, base, moves, path, node, gone):
    kind = small(tmp_path, base, {"fields": moves})
    assert at(kind, path) == node
    assert gone is None or at(kind, gone) is None


def test_an_emptied_object_goes(tmp_path):
    assert "messageStoragePolicy" not in fields(small(tmp_path, TOPIC, {"omit": ["messageStoragePolicy.enforceInTransit"],
                                                                         "fields": {"regions": "messageStoragePolicy.allowedPersistenceRegions"}}))


def test_keyed(tmp_path):
    """A map on the wire is a list here, and its key a field of the items."""
    kind = small(tmp_path, REPOSITORY, {"keep": ["cleanupPolicies"], "fields": {"cleanupPolicies": {"keyed": "id"}}})
    node = at(kind, "cleanupPolicies")
    assert (node["type"], node["x-keyed"]) == ("array", "id")
    assert {"id", "action", "condition"} <= set(node["items"]["properties"])
    assert at(kind, "cleanupPolicies[].action") == {"type": "string", "x-known": ["DELETE", "KEEP"]}


def test_single(tmp_path):
    """A list of one on the wire is an object here."""
    kind = small(tmp_path, FIREWALL, {"fields": {"allow": {"from": "allowed", "single": True}}})
    assert (at(kind, "allow")["type"], at(kind, "allow")["x-single"], at(kind, "allow")["x-wire"]) == ("object", True, "allowed")
    assert at(kind, "allow.IPProtocol") == {"type": "string"}


def test_listed(tmp_path):
    """And the other way round."""
    kind = small(tmp_path, TOPIC, {"fields": {"schemaSettings": {"listed": True}}})
    assert (at(kind, "schemaSettings")["type"], at(kind, "schemaSettings")["x-listed"]) == ("array", True)
    assert at(kind, "schemaSettings[].schema") == {"type": "string"}


def test_every_field_of_an_object(tmp_path):
    kind = small(tmp_path, TOPIC, {"keep": ["schemaSettings"], "fields": {"group.*": "schemaSettings.*"}})
    assert set(at(kind, "group")["properties"]) == {"encoding", "firstRevisionId", "lastRevisionId", "schema"}
    assert at(kind, "group.schema")["x-wire"] == "schemaSettings.schema"


def test_add(tmp_path):
    kind = small(tmp_path, TOPIC, {"keep": [], "add": {"flag": "boolean", "inner.count": "integer", "inner.words": "text", "map": "map"}})
    assert at(kind, "flag") == {"type": "boolean", "x-wire": ""}
    assert at(kind, "inner")["x-wire"] == "."
    assert at(kind, "inner.count") == {"type": "integer", "x-wire": ""}
    assert at(kind, "inner.words") == {"type": "array", "items": {"type": "string"}, "x-wire": ""}


def test_required(tmp_path):
    kind = small(tmp_path, FIREWALL, {"required": ["network", "allowed[].IPProtocol", "logConfig.metadata"]}, references={"peerRef": {"kind": KEY, "required": True}})
    assert kind.spec_schema["required"] == ["network", "peerRef"]
    assert at(kind, "allowed[]")["required"] == ["IPProtocol"]
    assert at(kind, "logConfig")["required"] == ["metadata"]


@pytest.mark.parametrize(("schema", "node"), [
    pytest.param({}, {"x-hidden": True}, id="where nothing is said they are there and hidden"), pytest.param({"labels": "spec"}, {}, id="in the spec"),
    pytest.param({"labels": "meta:tags"}, {"x-hidden": True, "x-wire": "tags"}, id="hidden, elsewhere on the wire"), pytest.param({"labels": "spec:tags"}, {"x-wire": "tags"}, id="in the spec, elsewhere on the wire"),
])
def test_labels(tmp_path, schema, node):
    kind = small(tmp_path, TOPIC, schema)
    assert at(kind, "labels") == {"type": "object", "additionalProperties": {"type": "string"}, **node}
    assert kind.rule("labels").tags
    assert kind.marks_at_create


def test_a_kind_without_labels_has_no_place_for_a_mark(tmp_path):
    for kind in (small(tmp_path, TOPIC, {"labels": "none"}), small(tmp_path, FIREWALL)):
        assert "labels" not in fields(kind)
        assert not kind.tag_path
        assert not kind.marks_at_create


# ---- identity -------------------------------------------------------------------------------------------------------------


def test_what_stands_in_the_name_is_a_field_that_never_changes(tmp_path):
    kind = small(tmp_path, ADDRESS)
    assert at(kind, "location") == {"type": "string", "x-immutable": True, "x-wire": ""}
    assert at(kind, "resourceID") == {"type": "string", "x-immutable": True, "x-wire": ""}
    assert kind.identity_fields == ("location", "resourceID")
    assert kind.identifiers == {"name": ADDRESS["api"]["name"]}


def test_a_parent_in_the_name_is_the_controllers_to_check(tmp_path):
    kind = small(tmp_path, TOPIC, references={"ringRef": {"kind": "kms/KMSKeyRing"}}, api={"name": "{spec.ringRef}/topics/{spec.resourceID}"})
    assert kind.identity_fields == ("resourceID",)
    assert kind.rule("ringRef").immutable


def test_the_project_never_changes(tmp_path):
    assert small(tmp_path, TOPIC, references={"projectRef": {"kind": "resourcemanager/Project"}}).rule("projectRef").immutable


# ---- references -----------------------------------------------------------------------------------------------------------


def test_a_reference_stands_for_the_field_that_it_fills(tmp_path):
    kind = small(tmp_path, TOPIC, references={"kmsKeyRef": {"fills": "kmsKeyName", "kind": KEY}})
    assert at(kind, "kmsKeyRef") == {"type": "object", "properties": {n: {"type": "string"} for n in ("external", "name", "namespace")}, "x-ref": True, "x-wire": "kmsKeyName"}
    assert "kmsKeyName" not in fields(kind)
    assert kind.references == (Reference("kmsKeyRef", "kmsKeyRef", GROUP, "KMSCryptoKey", "status.externalRef", is_external=True),)
    assert kind.rule("kmsKeyRef.external").semantic == "resource-name"


def test_a_reference_inside_an_object_and_with_a_value_of_its_own(tmp_path):
    kind = small(tmp_path, TOPIC, references={"schemaSettings.schemaRef": {"fills": "schema", "kind": "pubsub/PubSubSchema", "value": "status.x", "required": True}})
    assert at(kind, "schemaSettings.schemaRef")["x-wire"] == "schema"
    assert at(kind, "schemaSettings")["required"] == ["schemaRef"]
    assert kind.references[0].value == "status.x"


def test_a_list_of_references(tmp_path):
    kind = small(tmp_path, FIREWALL, references={"accounts": {"fills": "sourceServiceAccounts", "kind": "iam/IAMServiceAccount", "value": "status.email"}})
    node = at(kind, "accounts")
    assert (node["type"], node["x-wire"], node["items"]["x-ref"]) == ("array", "sourceServiceAccounts", True)
    assert kind.references[0].is_list


def test_a_reference_under_the_name_of_the_field(tmp_path):
    kind = small(tmp_path, FIREWALL, references={"sourceServiceAccounts": {"fills": "sourceServiceAccounts", "kind": "iam/IAMServiceAccount"}})
    assert at(kind, "sourceServiceAccounts")["items"]["x-ref"]
    assert "x-wire" not in at(kind, "sourceServiceAccounts")


def test_a_reference_in_the_items_of_a_list(tmp_path):
    kind = small(tmp_path, SECRET, references={"topics[].topicRef": {"fills": "name", "kind": "pubsub/PubSubTopic"}})
    assert at(kind, "topics[].topicRef")["x-wire"] == "name"
    assert "name" not in at(kind, "topics[]")["properties"]


def test_references_as_the_items_of_a_list_of_several_sorts(tmp_path):
    """`fills: list[]`: each item is one of several references; `has` tells them apart."""
    sorts = {"sourceTags[].aRef": {"fills": "sourceTags[]", "has": "as", "kind": KEY}, "sourceTags[].bRef": {"fills": "sourceTags[]", "has": "bs", "kind": "kms/KMSKeyRing"}}
    kind = small(tmp_path, FIREWALL, references=sorts)
    assert [(at(kind, f"sourceTags[].{n}")["x-has"], at(kind, f"sourceTags[].{n}")["x-wire"]) for n in ("aRef", "bRef")] == [("as", "."), ("bs", ".")]


def test_a_reference_to_several_kinds(tmp_path):
    kind = small(tmp_path, TOPIC, references={"kmsKeyRef": {"fills": "kmsKeyName", "kind": {"kms/KMSCryptoKey": "status.x", "kms/KMSKeyRing": ""}}})
    (ref,) = kind.references
    assert (ref.kind, ref.value, ref.others) == ("KMSCryptoKey", "status.x", ((GROUP, "KMSKeyRing", "status.externalRef"),))
    assert set(at(kind, "kmsKeyRef")["properties"]) == {"external", "kind", "name", "namespace"}


def test_a_reference_that_stands_nowhere_in_the_body(tmp_path):
    kind = small(tmp_path, TOPIC, references={"ringRef": {"kind": KEY, "expand": "rings/{value}", "prefix": "https://x/"}})
    node = at(kind, "ringRef")
    assert (node["x-wire"], node["x-expand"], node["x-prefix"]) == ("", "rings/{value}", "https://x/")


def test_a_reference_beside_the_field_that_it_fills(tmp_path):
    kind = small(tmp_path, TOPIC, references={"kmsKeyRef": {"fills": "kmsKeyName", "beside": True, "kind": KEY}})
    assert at(kind, "kmsKeyName") == {"type": "string"}
    assert at(kind, "kmsKeyRef")["x-wire"] == "kmsKeyName"


def test_a_reference_that_fills_what_is_immutable_is(tmp_path):
    kind = small(tmp_path, SECRET, references={"typeRef": {"fills": "secretType", "kind": KEY}})
    assert kind.rule("typeRef").immutable


def test_a_secret(tmp_path):
    kind = small(tmp_path, TOPIC, fields={"kmsKeyName": {"secret": True, "sensitive": True, "write_only": True}})
    node = at(kind, "kmsKeyName")
    assert (node["x-secret"], "x-wire" in node) == (True, False)
    assert node["properties"]["valueFrom"]["properties"]["secretKeyRef"]["required"] == ["key", "name"]
    assert kind.references == (Reference("kmsKeyName", "kmsKeyName", "", "Secret", "", to_secret=True, is_external=True),)


# ---- what can be changed --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("parts", "frozen"), [
    pytest.param({}, {"resourceID", "replication", "secretType", "tags"}, id="where nothing is said, what the document says"),
    pytest.param({"mutable": ["replication"]}, {"annotations", "customerManagedEncryption", "expireTime", "resourceID", "rotation", "secretType", "tags", "topics", "ttl", "versionAliases",
                                                "versionDestroyTtl"}, id="nothing but what is named, and labels"),
    pytest.param({"mutable": []}, {"annotations", "customerManagedEncryption", "expireTime", "replication", "resourceID", "rotation", "secretType", "tags", "topics", "ttl",
                                   "versionAliases", "versionDestroyTtl"}, id="nothing but labels"),
])
def test_mutable(tmp_path, parts, frozen):
    kind = small(tmp_path, SECRET, **parts)
    assert {n for n in fields(kind) if kind.rule(n).immutable} == frozen


def test_without_an_update_nothing_can_be_changed_unless_methods_of_their_own_do(tmp_path):
    fixed = small(tmp_path, FIREWALL, api={"update": {"style": "none"}})
    assert all(fixed.rule(n).immutable for n in fields(fixed))
    by_action = small(tmp_path, FIREWALL, api={"update": {"style": "none"}, "actions": [{"fields": ["disabled"], "method": "patch"}]})
    assert not by_action.rule("priority").immutable


# ---- status ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("schema", "path", "node"), [
    pytest.param({"status": {"made": "createTime"}}, "made", {"type": "string", "x-wire": "createTime"}, id="under another name"),
    pytest.param({"status": {"size": "sizeBytes"}}, "size", {"type": "integer", "format": "int64", "x-text": True, "x-wire": "sizeBytes"}, id="with its type"),
    pytest.param({"status": {"size": {"from": "sizeBytes", "type": "string"}}}, "size", {"type": "string", "x-wire": "sizeBytes"}, id="with a type of its own"),
    pytest.param({"status": {"uri": "https://{name}"}}, "uri", {"type": "string", "x-made": "https://{name}", "x-wire": "."}, id="made of other fields"),
    pytest.param({"status": {"group.made": "createTime"}}, "group.made", {"type": "string", "x-wire": "createTime"}, id="in a group"),
    pytest.param({"observed": {"made": "createTime"}}, "observedState.made", {"type": "string", "x-wire": "createTime"}, id="observed"),
    pytest.param({"status": {"first": "virtualRepositoryConfig.upstreamPolicies[].id"}}, "first", {"type": "string", "x-wire": "virtualRepositoryConfig.upstreamPolicies[].id"}, id="the first of a list"),
    pytest.param({"status": {"one": "virtualRepositoryConfig.upstreamPolicies[id=a].repository"}}, "one",
                 {"type": "string", "x-wire": "virtualRepositoryConfig.upstreamPolicies[id=a].repository"}, id="one of a list"),
    pytest.param({"status": {"made[]": "createTime"}}, "made", {"type": "array", "items": {"type": "string"}, "x-listed": True, "x-wire": "createTime"}, id="one thing as a list"),
])
def test_status(tmp_path, schema, path, node):
    assert schema_at(small(tmp_path, REPOSITORY, schema).status_schema, path) == node
