"""What each update style sends: method, path, query and body; and that it takes nothing away that the spec does not speak of."""

from __future__ import annotations

import pytest

from holdfast.core.desired import target_spec
from holdfast.model.errors import CloudError, Retry
from tests.gcp.wire import RUNNING, Wire, answer, refusal, seen, subject, writer
from tests.kinds.small import ADDRESS, FIREWALL, ROBOT, SECRET, TOPIC, small

OLD = {"name": "projects/p/topics/x", "kmsKeyName": "k", "messageRetentionDuration": "600s", "labels": {"theirs": "1"}, "schemaSettings": {"schema": "s", "encoding": "JSON", "new": {"a": 1}},
       "state": "ACTIVE"}


async def update(kind, before: dict, spec: dict, changed: set[str], *, removed: tuple[str, ...] = (), wire: Wire | None = None, **more) -> Wire:
    """The update that leads from a resource to a spec."""
    wire, spec = wire or Wire(), {"resourceID": "x", **spec}
    who = subject(kind, spec, **more)
    live = seen(who, before)
    wire.answered = await writer(wire).update(who, live, target_spec(kind, live.spec, spec, removed), frozenset(changed))
    return wire


# ---- by mask --------------------------------------------------------------------------------------------------------------


async def test_a_mask_in_the_query(tmp_path):
    kind = small(tmp_path, SECRET)
    wire = await update(kind, {"annotations": {"a": "1"}, "ttl": "1s"}, {"annotations": {"a": "2"}}, {"annotations"})
    assert wire.calls == ["PATCH v1/projects/p/secrets/x"]
    assert (wire.query, wire.body) == ({"updateMask": "annotations"}, {"annotations": {"a": "2"}})


async def test_a_mask_beside_the_resource(tmp_path):
    wire = await update(small(tmp_path, TOPIC), OLD, {"kmsKeyName": "l", "messageRetentionDuration": "700s"}, {"kmsKeyName", "messageRetentionDuration"})
    assert wire.calls == ["PATCH v1/projects/p/topics/x"]
    assert wire.query == {}
    assert wire.body == {"topic": {"kmsKeyName": "l", "messageRetentionDuration": "700s"}, "updateMask": "kmsKeyName,messageRetentionDuration"}


async def test_what_goes_stands_in_the_mask_alone(tmp_path):
    wire = await update(small(tmp_path, TOPIC), OLD, {}, {"kmsKeyName"}, removed=("kmsKeyName",))
    assert wire.body == {"topic": {}, "updateMask": "kmsKeyName"}


async def test_fields_of_a_masked_object_that_the_spec_does_not_have_survive(tmp_path):
    """The mask names the whole object: what stands in it goes back as it was read, even what our kind does not know."""
    wire = await update(small(tmp_path, TOPIC), OLD, {"schemaSettings": {"encoding": "BINARY"}}, {"schemaSettings"})
    assert wire.body == {"topic": {"schemaSettings": {"schema": "s", "encoding": "BINARY", "new": {"a": 1}}}, "updateMask": "schemaSettings"}


async def test_labels_of_others_survive(tmp_path):
    wire = await update(small(tmp_path, TOPIC), OLD, {"labels": {"ours": "2"}}, {"labels"})
    assert wire.body["topic"]["labels"] == {"ours": "2", "theirs": "1"}


async def test_marks_go_along_with_an_update(tmp_path):
    wire = await update(small(tmp_path, TOPIC), OLD, {"kmsKeyName": "l"}, {"kmsKeyName"}, marks={"mark": "m"})
    assert wire.body == {"topic": {"kmsKeyName": "l", "labels": {"theirs": "1", "mark": "m"}}, "updateMask": "kmsKeyName,labels"}


async def test_what_only_the_server_sets_is_not_sent_back(tmp_path):
    kind = small(tmp_path, SECRET)
    wire = await update(kind, {"rotation": {"rotationPeriod": "1s", "managedRotationStatus": {"state": "x"}}}, {"rotation": {"rotationPeriod": "2s"}}, {"rotation"})
    assert wire.body == {"rotation": {"rotationPeriod": "2s"}}


async def test_a_field_that_stands_elsewhere_is_masked_there(tmp_path):
    kind = small(tmp_path, TOPIC, {"fields": {"encoding": "schemaSettings.encoding"}})
    wire = await update(kind, OLD, {"encoding": "BINARY"}, {"encoding"})
    assert wire.body == {"topic": {"schemaSettings": {"encoding": "BINARY"}}, "updateMask": "schemaSettings.encoding"}


async def test_a_deep_mask_names_only_what_changes(tmp_path):
    kind = small(tmp_path, TOPIC, api={"update": {"deep": ["schemaSettings", "messageStoragePolicy"]}})
    spec = {"schemaSettings": {"encoding": "BINARY", "schema": "s"}, "messageStoragePolicy": {"allowedPersistenceRegions": ["eu"]}}
    wire = await update(kind, OLD, spec, {"schemaSettings", "messageStoragePolicy"})
    assert wire.body == {"topic": {"schemaSettings": {"encoding": "BINARY"}, "messageStoragePolicy": {"allowedPersistenceRegions": ["eu"]}},
                         "updateMask": "messageStoragePolicy.allowedPersistenceRegions,schemaSettings.encoding"}


# ---- by merge patch, by replacing -----------------------------------------------------------------------------------------


RULES = {"name": "x", "id": "5", "network": "n", "priority": 5, "description": "d", "allowed": [{"IPProtocol": "tcp"}], "logConfig": {"enable": True, "metadata": "M", "new": 1}, "theirs": 1,
         "selfLink": "https://x"}


async def test_a_merge_patch_has_only_what_changes_and_null_for_what_goes(tmp_path):
    kind = small(tmp_path, FIREWALL)
    spec = {"priority": 6, "allowed": [{"IPProtocol": "udp"}], "logConfig": {"enable": False}}
    wire = await update(kind, RULES, spec, {"priority", "allowed", "description", "logConfig"}, removed=("description",))
    assert wire.calls == ["PATCH compute/v1/projects/p/global/firewalls/x"]
    assert wire.body == {"priority": 6, "allowed": [{"IPProtocol": "udp"}], "description": None, "logConfig": {"enable": False}}


async def test_a_merge_patch_nulls_a_part_of_an_object(tmp_path):
    wire = await update(small(tmp_path, FIREWALL), RULES, {"logConfig": {"enable": True}}, {"logConfig"}, removed=("logConfig.metadata",))
    assert wire.body == {"logConfig": {"metadata": None}}


async def test_a_merge_patch_does_not_carry_other_differences(tmp_path):
    """Only the fields that were decided on."""
    wire = await update(small(tmp_path, FIREWALL), RULES, {"priority": 6, "description": "e"}, {"priority"})
    assert wire.body == {"priority": 6}


async def test_replacing_sends_all_of_it_as_it_was_read(tmp_path):
    kind = small(tmp_path, FIREWALL, api={"update": {"method": "update"}})
    wire = await update(kind, RULES, {"priority": 6}, {"priority"})
    assert wire.calls == ["PUT compute/v1/projects/p/global/firewalls/x"]
    assert wire.body == {"name": "x", "network": "n", "priority": 6, "description": "d", "allowed": [{"IPProtocol": "tcp"}], "logConfig": {"enable": True, "metadata": "M", "new": 1}, "theirs": 1}


async def test_replacing_leaves_out_what_goes(tmp_path):
    kind = small(tmp_path, FIREWALL, api={"update": {"style": "replace", "never": ["network"]}})
    wire = await update(kind, RULES, {}, {"description"}, removed=("description",))
    assert {"description", "network"} & set(wire.body) == set()
    assert wire.body["priority"] == 5


async def test_a_wrapped_resource_without_a_mask(tmp_path):
    schema = {"model": "pubsub/v1", "schema": {"resource": "Schema"}, "api": {"name": "projects/{project}/schemas/{spec.resourceID}", "collection": "projects.schemas",
                                                                              "update": {"method": "commit", "style": "replace"}}}
    wire = await update(small(tmp_path, schema), {"name": "projects/p/schemas/x", "type": "AVRO", "definition": "a"}, {"definition": "b"}, {"definition"})
    assert wire.calls == ["POST v1/projects/p/schemas/x:commit"]
    assert wire.body == {"schema": {"name": "projects/p/schemas/x", "type": "AVRO", "definition": "b"}}


async def test_a_kind_without_an_update(tmp_path):
    kind = small(tmp_path, FIREWALL, api={"update": {"style": "none"}})
    wire = Wire()
    with pytest.raises(CloudError) as caught:
        await update(kind, RULES, {"priority": 6}, {"priority"}, wire=wire)
    assert (caught.value.code, caught.value.retry, caught.value.sent, wire.sent) == ("HF505", Retry.NEVER, False, [])


async def test_templates_and_fields_that_go_along(tmp_path):
    kind = small(tmp_path, TOPIC, api={"update": {"query": {"project": "{project}", "none": "{spec.nothing}"}, "with": ["state"], "body": {"kmsKeyName": "keys/{spec.resourceID}", "no": "{spec.nothing}"}}})
    wire = await update(kind, OLD, {"messageRetentionDuration": "700s"}, {"messageRetentionDuration"})
    assert wire.query == {"project": "p"}
    assert wire.body["topic"] == {"messageRetentionDuration": "700s", "state": "ACTIVE", "kmsKeyName": "keys/x"}


# ---- guards ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("guard", "body", "query", "header"), [
    pytest.param({"from": "etag", "body": "etag"}, {"annotations": {"a": "2"}, "etag": "e1"}, {}, None, id="in the body"),
    pytest.param({"from": "etag", "body": "deep.version"}, {"annotations": {"a": "2"}, "deep": {"version": "e1"}}, {}, None, id="deep in the body"),
    pytest.param({"from": "etag", "query": "ifMatch"}, {"annotations": {"a": "2"}}, {"ifMatch": "e1"}, None, id="in the query"),
    pytest.param({"from": "etag", "header": "If-Match"}, {"annotations": {"a": "2"}}, {}, "e1", id="as a header"),
    pytest.param({"from": "nothing", "body": "etag"}, {"annotations": {"a": "2"}}, {}, None, id="none, where the read had none"),
])
async def test_a_guard_is_what_the_read_had(tmp_path, guard, body, query, header):
    kind = small(tmp_path, SECRET, api={"guard": guard})
    wire = await update(kind, {"annotations": {"a": "1"}, "etag": "e1"}, {"annotations": {"a": "2"}}, {"annotations"})
    assert (wire.body, wire.query) == (body, {"updateMask": "annotations", **query})
    assert wire.sent[-1].headers.get("If-Match") == header


async def test_somebody_elses_change_in_between_is_noticed(tmp_path):
    kind = small(tmp_path, SECRET, api={"guard": {"from": "etag", "body": "etag"}})
    with pytest.raises(CloudError) as caught:
        await update(kind, {"etag": "e1"}, {"annotations": {"a": "2"}}, {"annotations"}, wire=Wire(refusal(409, "ABORTED")))
    assert (caught.value.code, caught.value.retry) == ("HF514", Retry.SOON)


# ---- methods of their own -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("before", "spec", "removed", "calls"), [
    pytest.param({}, {"disabled": True}, (), ["POST v1/projects/p/serviceAccounts/x:disable"], id="true"),
    pytest.param({"disabled": True}, {"disabled": False}, (), ["POST v1/projects/p/serviceAccounts/x:enable"], id="false"),
    pytest.param({"disabled": True}, {}, ("disabled",), ["POST v1/projects/p/serviceAccounts/x:enable"], id="taken away"),
])
async def test_a_method_by_the_fields_value(tmp_path, before, spec, removed, calls):
    wire = await update(small(tmp_path, ROBOT), before, spec, {"disabled"}, removed=removed)
    assert wire.calls == calls
    assert wire.body == {}


async def test_one_update_is_one_call_and_says_what_it_carried(tmp_path):
    """Between two calls a directive may appear, and our own first call moves the etag on."""
    wire = await update(small(tmp_path, ROBOT), {}, {"disabled": True, "displayName": "d"}, {"disabled", "displayName"})
    assert wire.calls == ["POST v1/projects/p/serviceAccounts/x:disable"]
    assert wire.answered.written == {"disabled"}


async def test_nothing_is_done_for_fields_that_did_not_change(tmp_path):
    wire = await update(small(tmp_path, ROBOT), {"disabled": True}, {"disabled": True, "displayName": "d"}, {"displayName"})
    assert wire.calls == ["PATCH v1/projects/p/serviceAccounts/x"]


LABELS = {"update": {"style": "none"}, "actions": [{"fields": ["labels"], "method": "setLabels", "with": ["labelFingerprint"]}]}


@pytest.mark.parametrize(("location", "path"), [
    pytest.param("r1", "regions/r1", id="of a region"), pytest.param("global", "global", id="global, in a collection of its own"),
])
async def test_what_goes_along_from_the_read(tmp_path, location, path):
    kind = small(tmp_path, ADDRESS, {"labels": "spec"}, LABELS)
    wire = await update(kind, {"labels": {"theirs": "1"}, "labelFingerprint": "f1", "address": "1.2.3.4"}, {"location": location, "labels": {"ours": "2"}}, {"labels"})
    assert wire.calls == [f"POST compute/v1/projects/p/{path}/addresses/x/setLabels"]
    assert wire.body == {"labels": {"ours": "2", "theirs": "1"}, "labelFingerprint": "f1"}


async def test_a_method_that_the_collection_does_not_have(tmp_path):
    kind = small(tmp_path, ADDRESS, {"labels": "spec"}, {"actions": [{"fields": ["labels"], "method": "setColour"}]})
    wire = Wire()
    with pytest.raises(CloudError, match="setColour") as caught:
        await update(kind, {}, {"location": "r1", "labels": {"a": "1"}}, {"labels"}, wire=wire)
    assert (caught.value.code, caught.value.sent, wire.sent) == ("HF505", False, [])


async def test_the_first_operation_is_waited_for_before_the_next_write(tmp_path):
    """What is left is found at the next look; the answer says what was really sent."""
    kind = small(tmp_path, ADDRESS, {"labels": "spec"}, {"actions": LABELS["actions"]})
    wire = await update(kind, {}, {"location": "global", "labels": {"a": "1"}, "description": "d"}, {"labels", "description"}, wire=Wire(answer(200, RUNNING)))
    assert wire.calls == ["POST compute/v1/projects/p/global/addresses/x/setLabels"]
    assert wire.answered.operation == "projects/p/global/operations/operation-1"
    assert wire.answered.written == {"labels"}


async def test_an_actions_own_body_and_query(tmp_path):
    period = {"fields": ["messageRetentionDuration"], "method": "patch", "query": {"mask": "a,{spec.resourceID}"}, "body": {"updateMask": "{later.messageRetentionDuration}", "no": 1}}
    kind = small(tmp_path, TOPIC, api={"actions": [period]})
    wire = await update(kind, OLD, {"messageRetentionDuration": "3600s"}, {"messageRetentionDuration"})
    assert wire.query == {"mask": "a,x"}
    assert wire.body == {"updateMask": "2026-01-01T01:00:00Z"}, "an hour from now; and nothing that the request does not know"


LOCKED = {"model": "storage/v1", "schema": {"resource": "Bucket", "keep": ["retentionPolicy", "versioning"]},
          "api": {"name": "{spec.resourceID}", "collection": "buckets", "params": {"bucket": "{spec.resourceID}"}, "guard": {"from": "metageneration", "query": "ifMetagenerationMatch"},
                  "actions": [{"fields": ["retentionPolicy.isLocked"], "method": {"true": "lockRetentionPolicy"}, "last": True}]}}
POLICY = {"retentionPolicy": {"retentionPeriod": "5"}, "metageneration": "7"}


async def test_a_last_method_waits_for_all_the_others(tmp_path):
    kind = small(tmp_path, LOCKED)
    both = await update(kind, POLICY, {"retentionPolicy": {"retentionPeriod": 6, "isLocked": True}}, {"retentionPolicy"})
    assert (both.calls, both.body) == (["PATCH storage/v1/b/x"], {"retentionPolicy": {"retentionPeriod": "6"}})
    alone = await update(kind, POLICY, {"retentionPolicy": {"retentionPeriod": 5, "isLocked": True}}, {"retentionPolicy"})
    assert alone.calls == ["POST storage/v1/b/x/lockRetentionPolicy"]
    assert alone.query == {"ifMetagenerationMatch": "7"}


async def test_a_value_that_no_method_makes(tmp_path):
    with pytest.raises(CloudError) as caught:
        await update(small(tmp_path, LOCKED), {"retentionPolicy": {"retentionPeriod": "5", "isLocked": True}}, {"retentionPolicy": {"isLocked": False}}, {"retentionPolicy"})
    assert (caught.value.code, caught.value.sent) == ("HF505", False)
