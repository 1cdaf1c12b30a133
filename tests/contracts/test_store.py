"""What every store promises, whichever it is: the behaviour of a kube-apiserver, as far as Holdfast relies on it."""

from __future__ import annotations

import asyncio
import json

import pytest

from holdfast.model.errors import ConflictError, InputError, StoreError
from holdfast.model.objects import ObjectKey, key_of
from holdfast.runtime.ports import EventNote
from holdfast.stores.fields import ADOPTION

GROUP = "sqs.services.k8s.aws"
FINALIZER = "finalizers.sqs.services.k8s.aws/Queue"
FORCE = "services.k8s.aws/force-acquire"
ARN = "arn:aws:sqs:eu-west-1:123456789012:orders"
HELD = {"ackResourceMetadata": {"arn": ARN, "ownerAccountID": "123456789012", "region": "eu-west-1"}}


def queue(name: str = "orders", *, notes: dict | None = None, labels: dict | None = None, namespace: str = "default", **spec) -> dict:
    metadata = {"name": name, "namespace": namespace}
    if notes is not None:
        metadata["annotations"] = notes
    if labels is not None:
        metadata["labels"] = labels
    return {"apiVersion": f"{GROUP}/v1alpha1", "kind": "Queue", "metadata": metadata, "spec": {"queueName": name, **spec}}


def adopted(name: str = "taken", *, group: str = GROUP, kind: str = "Queue", identifier: dict | None = None, metadata: dict | None = None) -> dict:
    spec = {"apiVersion": f"{group}/v1alpha1", "kind": kind, "identifier": {"name": "orders"} if identifier is None else identifier}
    if metadata is not None:
        spec["metadata"] = metadata
    return {"apiVersion": f"{GROUP}/v1alpha1", "kind": "AdoptedResource", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


KEY = key_of(queue())


async def refusal(write, kind: type[Exception] = InputError) -> str:
    """The code with which a write is refused; one that hangs fails here, and not the whole run."""
    with pytest.raises(kind) as caught:
        async with asyncio.timeout(2):
            await write
    return caught.value.code


async def changes_since(store, since: int) -> list:
    """Everything that the watch delivers up to now."""
    last, out = await store.version(), []
    if last > since:
        async with asyncio.timeout(10):
            async for change in store.watch(since):
                out.append(change)
                if change.version >= last:
                    break
    return out


# ---- create and read ------------------------------------------------------------------------------------------------------


async def test_a_new_object_has_the_metadata_of_kubernetes(store):
    made = await store.create(queue(), "user")
    meta = made.metadata
    assert (meta["name"], meta["namespace"], meta["generation"]) == ("orders", "default", 1)
    assert meta["uid"]
    assert meta["creationTimestamp"]
    assert meta["resourceVersion"]
    assert (await store.get(KEY)).body == made.body


async def test_what_a_user_says_of_server_owned_metadata_is_ignored(store):
    body = queue()
    body["metadata"] |= {"uid": "mine", "generation": 7, "resourceVersion": "99", "deletionTimestamp": "2020-01-01T00:00:00Z", "managedFields": []}
    made = await store.create(body, "user")
    assert made.uid != "mine"
    assert made.generation == 1
    assert made.resource_version != "99"
    assert not made.is_deleting
    assert "managedFields" not in made.metadata


@pytest.mark.parametrize("write", ["create", "apply"])
async def test_a_status_in_a_new_manifest_is_not_stored(store, write):
    """Otherwise a manifest could say that a resource is ours: what status names is ours."""
    made = await getattr(store, write)({**queue(), "status": HELD}, "user")
    assert not made.status
    assert await store.holder_of(ARN) == []


async def test_creating_twice_is_refused_and_changes_nothing(store):
    made = await store.create(queue(delaySeconds="1"), "user")
    assert await refusal(store.create(queue(delaySeconds="2"), "user"), StoreError) == "HF603"
    assert (await store.get(KEY)).body == made.body


async def test_two_objects_of_one_name_in_two_namespaces_are_two(store):
    await store.apply(queue(), "user")
    await store.apply(queue(namespace="other"), "user")
    assert len(await store.list(GROUP, "Queue")) == 2
    assert [o.key.namespace for o in await store.list(namespace="other")] == ["other"]


async def test_list_narrows_by_group_kind_and_namespace(store):
    await store.apply(queue(), "user")
    await store.apply({"apiVersion": "sns.services.k8s.aws/v1alpha1", "kind": "Topic", "metadata": {"name": "news"}, "spec": {"name": "news"}}, "user")
    await store.apply({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "pass"}, "stringData": {"a": "b"}}, "user")
    assert {o.key.name for o in await store.list()} == {"orders", "news", "pass"}
    assert [o.key.name for o in await store.list("sns.services.k8s.aws")] == ["news"]
    assert [o.key.name for o in await store.list(kind="Secret")] == ["pass"]
    assert await store.list(namespace="elsewhere") == []


async def test_what_is_not_stored_is_none(store):
    assert await store.get(KEY) is None


async def test_a_namespace_belongs_to_none(store):
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "namespace": "somewhere"}}
    await store.apply(body, "user")
    assert await store.get(ObjectKey("", "Namespace", "default", "shop")) is not None


# ---- conflicts ------------------------------------------------------------------------------------------------------------

STALE = {
    "status": lambda s, o: s.write_status(o, {"a": 1}),
    "metadata": lambda s, o: s.write_metadata(o, [FINALIZER], {}),
    "spec": lambda s, o: s.write_spec(o, {"delaySeconds": "1"}, ADOPTION),
}


@pytest.mark.parametrize("write", STALE.values(), ids=STALE)
async def test_a_stale_write_is_a_conflict_and_changes_nothing(store, write):
    old = await store.apply(queue(), "user")
    now = await store.apply(queue(delaySeconds="5"), "user")
    assert await refusal(write(store, old), ConflictError) == "HF601"
    assert (await store.get(KEY)).body == now.body


@pytest.mark.parametrize("write", STALE.values(), ids=STALE)
async def test_writing_to_what_is_gone_is_a_conflict(store, write):
    old = await store.apply(queue(), "user")
    await store.delete(KEY)
    assert await refusal(write(store, old), ConflictError) == "HF602"
    assert await store.get(KEY) is None


async def test_a_new_object_of_the_same_name_is_not_the_one_that_was_seen(store):
    old = await store.apply(queue(), "user")
    await store.delete(KEY)
    new = await store.apply(queue(), "user")
    assert new.uid != old.uid
    assert await refusal(store.write_status(old, {"a": 1}), ConflictError) == "HF601"


async def test_of_two_writers_that_saw_the_same_one_wins(store):
    seen = await store.apply(queue(), "user")
    done = await asyncio.gather(*(store.write_status(seen, {"n": n}) for n in range(5)), return_exceptions=True)
    assert sum(isinstance(d, ConflictError) for d in done) == 4
    (won,) = [d for d in done if not isinstance(d, Exception)]
    assert (await store.get(KEY)).status == won.status


# ---- generation and status ------------------------------------------------------------------------------------------------


async def test_generation_moves_with_spec_only(store):
    obj = await store.apply(queue(), "user")
    obj = await store.apply(queue(labels={"a": "b"}), "user")
    obj = await store.apply(queue(labels={"a": "b"}, notes={"c": "d"}), "user")
    obj = await store.write_status(obj, {"x": 1})
    obj = await store.write_metadata(obj, [FINALIZER], {"e": "f"})
    assert obj.generation == 1
    obj = await store.apply(queue(labels={"a": "b"}, notes={"c": "d"}, delaySeconds="5"), "user")
    assert obj.generation == 2
    obj = await store.write_spec(obj, {"visibilityTimeout": "30"}, ADOPTION)
    assert obj.generation == 3


async def test_every_write_moves_the_resource_version(store):
    seen = [await store.apply(queue(), "user")]
    seen.append(await store.write_status(seen[-1], {"x": 1}))
    seen.append(await store.write_metadata(seen[-1], [FINALIZER], {}))
    seen.append(await store.write_spec(seen[-1], {"delaySeconds": "1"}, ADOPTION))
    versions = [int(o.resource_version) for o in seen]
    assert versions == sorted(set(versions))


async def test_status_is_apart_from_spec(store):
    obj = await store.apply(queue(), "user")
    await store.write_status(obj, {"queueURL": "http://q"})
    after = await store.apply({**queue(delaySeconds="5"), "status": {"queueURL": "http://evil"}}, "user")
    assert after.status == {"queueURL": "http://q"}
    emptied = await store.write_status(after, {"other": True})
    assert emptied.status == {"other": True}
    assert emptied.spec == {"queueName": "orders", "delaySeconds": "5"}


async def test_a_write_to_spec_fills_and_never_shrinks(store):
    obj = await store.create(queue(visibilityTimeout="30"), ADOPTION)
    after = await store.write_spec(obj, {"delaySeconds": "5"}, ADOPTION)
    assert after.spec == {"queueName": "orders", "visibilityTimeout": "30", "delaySeconds": "5"}
    after = await store.write_spec(after, {"maximumMessageSize": "1024"}, ADOPTION)
    assert after.spec == {"queueName": "orders", "visibilityTimeout": "30", "delaySeconds": "5", "maximumMessageSize": "1024"}


# ---- finalizers and deletion ----------------------------------------------------------------------------------------------


async def test_without_finalizers_an_object_goes_at_once(store):
    await store.apply(queue(), "user")
    await store.delete(KEY)
    assert await store.get(KEY) is None
    assert await store.list() == []


async def test_with_a_finalizer_it_stays_until_the_last_is_taken_away(store):
    obj = await store.apply(queue(), "user")
    await store.write_metadata(obj, [FINALIZER, "other/one"], {})
    await store.delete(KEY)
    obj = await store.get(KEY)
    assert obj.is_deleting
    obj = await store.write_metadata(obj, ["other/one"], {})
    assert (await store.get(KEY)).is_deleting
    await store.write_metadata(obj, [], {})
    assert await store.get(KEY) is None


async def test_deleting_twice_does_not_move_the_time_of_deletion(store):
    obj = await store.apply(queue(), "user")
    await store.write_metadata(obj, [FINALIZER], {})
    await store.delete(KEY)
    first, version = await store.get(KEY), await store.version()
    await store.delete(KEY)
    assert (await store.get(KEY)).body == first.body
    assert await store.version() == version


async def test_deleting_what_is_not_there_says_so(store):
    assert await refusal(store.delete(KEY), StoreError) == "HF602"


async def test_an_apply_does_not_undo_a_deletion_nor_take_a_finalizer(store):
    obj = await store.apply(queue(), "user")
    await store.write_metadata(obj, [FINALIZER], {})
    await store.delete(KEY)
    after = await store.apply(queue(delaySeconds="1"), "user")
    assert after.is_deleting
    assert after.finalizers == [FINALIZER]


async def test_annotations_of_ours_are_set_and_removed_one_by_one(store):
    obj = await store.apply(queue(notes={"theirs": "1"}), "user")
    obj = await store.write_metadata(obj, [], {"ours": "2", "more": "3"})
    assert obj.annotations == {"theirs": "1", "ours": "2", "more": "3"}
    obj = await store.write_metadata(obj, [], {"ours": None})
    assert obj.annotations == {"theirs": "1", "more": "3"}


# ---- apply ----------------------------------------------------------------------------------------------------------------


async def test_a_field_that_its_manager_drops_goes(store):
    await store.apply(queue(delaySeconds="1", visibilityTimeout="30", tags={"a": "1", "b": "2"}), "user")
    after = await store.apply(queue(visibilityTimeout="30", tags={"b": "2"}), "user")
    assert after.spec == {"queueName": "orders", "visibilityTimeout": "30", "tags": {"b": "2"}}


async def test_a_map_goes_with_its_last_key(store):
    await store.apply(queue(labels={"x": "y"}, tags={"a": "1"}), "user")
    after = await store.apply(queue(), "user")
    assert after.spec == {"queueName": "orders"}
    assert not after.metadata.get("labels")


async def test_an_explicit_empty_value_is_kept(store):
    await store.apply(queue(tags={"a": "1"}), "user")
    after = await store.apply(queue(tags={}), "user")
    assert after.spec == {"queueName": "orders", "tags": {}}


async def test_what_another_manager_gave_stays(store):
    await store.apply(queue(delaySeconds="1", tags={"mine": "1"}), "user")
    await store.apply(queue(tags={"theirs": "2"}, visibilityTimeout="30"), "gitops")
    after = await store.apply(queue(), "user")
    assert after.spec == {"queueName": "orders", "tags": {"theirs": "2"}, "visibilityTimeout": "30"}


async def test_what_two_managers_gave_goes_with_the_second(store):
    await store.apply(queue(delaySeconds="1"), "user")
    await store.apply(queue(delaySeconds="1"), "gitops")
    assert (await store.apply(queue(), "user")).spec == {"queueName": "orders", "delaySeconds": "1"}
    assert (await store.apply(queue(), "gitops")).spec == {"queueName": "orders"}


async def test_lists_are_replaced_as_a_whole(store):
    def vpc(*blocks):
        return {"apiVersion": "ec2.services.k8s.aws/v1alpha1", "kind": "VPC", "metadata": {"name": "net"}, "spec": {"cidrBlocks": list(blocks)}}

    await store.apply(vpc("10.0.0.0/16", "10.1.0.0/16"), "user")
    assert (await store.apply(vpc("10.0.0.0/16"), "user")).spec["cidrBlocks"] == ["10.0.0.0/16"]


async def test_annotations_and_labels_are_owned_like_fields(store):
    await store.apply(queue(notes={"a": "1", FORCE: "true"}, labels={"x": "1"}), "user")
    obj = await store.apply(queue(notes={"g": "1"}), "gitops")
    obj = await store.write_metadata(obj, [], {"services.k8s.aws/adopted": "true"})
    after = await store.apply(queue(notes={"a": "2"}), "user")
    assert after.annotations == {"a": "2", "g": "1", "services.k8s.aws/adopted": "true"}
    assert not after.metadata.get("labels")


async def test_adoption_gives_up_what_a_user_comes_to_own(store):
    await store.create(queue(delaySeconds="1", visibilityTimeout="30"), ADOPTION)
    after = await store.apply(queue(delaySeconds="1"), "user")
    assert after.spec == {"queueName": "orders", "delaySeconds": "1", "visibilityTimeout": "30"}, "a thin manifest over an adopted object changes nothing"
    after = await store.apply(queue(), "user")
    assert after.spec == {"queueName": "orders", "visibilityTimeout": "30"}, "the user took it over, and took it out"


async def test_adoption_gives_up_even_when_the_apply_changes_nothing_else(store):
    """Who owns what is kept although nothing else is: the next apply depends on it."""
    await store.create(queue(delaySeconds="1"), ADOPTION)
    version = await store.version()
    await store.apply(queue(delaySeconds="1"), "user")
    assert await store.version() == version
    assert (await store.apply(queue(), "user")).spec == {"queueName": "orders"}


async def test_an_apply_that_changes_nothing_saves_nothing(store):
    body = queue(delaySeconds="1", notes={"a": "b"}, labels={"c": "d"}, tags={"e": "f"})
    obj = await store.apply(body, "user")
    obj = await store.write_metadata(obj, [FINALIZER], {"services.k8s.aws/adopted": "true"})
    obj = await store.write_status(obj, HELD)
    version = await store.version()
    for manager in ("user", "gitops", "user"):
        again = await store.apply(body, manager)
        assert again.body == obj.body
    assert await store.version() == version


async def test_a_users_apply_never_touches_what_was_not_given(store):
    obj = await store.apply(queue(), "user")
    obj = await store.write_spec(obj, {"visibilityTimeout": "30"}, ADOPTION)
    after = await store.apply(queue(delaySeconds="1"), "user")
    assert after.spec == {"queueName": "orders", "visibilityTimeout": "30", "delaySeconds": "1"}


# ---- watch ----------------------------------------------------------------------------------------------------------------


async def test_the_watch_has_every_change_in_order_deletions_too(store):
    since = await store.version()
    obj = await store.apply(queue(), "user")
    obj = await store.write_status(obj, {"a": 1})
    await store.apply(queue("second"), "user")
    await store.write_metadata(obj, [FINALIZER], {})
    await store.delete(KEY)
    await store.write_metadata(await store.get(KEY), [], {})
    await store.delete(key_of(queue("second")))
    seen = await changes_since(store, since)
    assert [(c.key.name, c.is_gone) for c in seen] == [
        ("orders", False), ("orders", False), ("second", False), ("orders", False), ("orders", False), ("orders", True), ("second", True)]
    versions = [c.version for c in seen]
    assert versions == sorted(set(versions))


async def test_the_watch_starts_after_the_version_that_it_is_given(store):
    await store.apply(queue("before"), "user")
    since = await store.version()
    await store.apply(queue("after"), "user")
    assert [c.key.name for c in await changes_since(store, since)] == ["after"]


async def test_the_versions_of_a_watch_are_those_of_the_objects(store):
    since = await store.version()
    obj = await store.apply(queue(), "user")
    assert [str(c.version) for c in await changes_since(store, since)] == [obj.resource_version]


async def test_two_watchers_that_wait_both_see_what_comes(store):
    since, seen = await store.version(), {"a": [], "b": []}

    async def follow(name: str) -> None:
        async for change in store.watch(since):
            seen[name].append(change.key.name)
            if len(seen[name]) == 10:
                return

    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        for name in seen:
            group.create_task(follow(name))
        for n in range(10):
            await store.apply(queue(f"q{n}"), "user")
    assert seen["a"] == seen["b"] == [f"q{n}" for n in range(10)]


async def test_writes_at_once_reach_the_watch_once_each(store):
    since = await store.version()
    await asyncio.gather(*(store.apply(queue(f"q{n}"), "user") for n in range(50)))
    seen = await changes_since(store, since)
    assert sorted(c.key.name for c in seen) == sorted(f"q{n}" for n in range(50))


# ---- events ---------------------------------------------------------------------------------------------------------------


async def test_the_same_note_again_is_counted(store):
    await store.apply(queue(), "user")
    for _ in range(3):
        await store.record(EventNote(KEY, "Warning", "Failed", "no"))
    await store.record(EventNote(KEY, "Normal", "UpToDate", "yes"))
    events = await store.events(KEY)
    assert [(e["type"], e["reason"], e["note"], e["count"]) for e in events] == [("Warning", "Failed", "no", 3), ("Normal", "UpToDate", "yes", 1)]
    assert all(e["first"] <= e["last"] for e in events)


@pytest.mark.parametrize("text", ["x" * 3000, "é" * 3000, "x" + "€" * 3000, "😀" * 1000], ids=["ascii", "two bytes", "three bytes", "four bytes"])
async def test_a_note_is_cut_at_1024_bytes_and_stays_text(store, text):
    for _ in range(2):
        await store.record(EventNote(KEY, "Normal", "Long", text))
    (event,) = await store.events(KEY)
    assert 1020 < len(event["note"].encode()) <= 1024
    assert text.startswith(event["note"])
    assert event["count"] == 2


async def test_events_are_of_one_object(store):
    await store.record(EventNote(KEY, "Normal", "A", "a"))
    assert await store.events(key_of(queue("other"))) == []


async def test_an_event_is_no_change(store):
    await store.apply(queue(), "user")
    version = await store.version()
    await store.record(EventNote(KEY, "Normal", "A", "a"))
    assert await store.version() == version


# ---- admission ------------------------------------------------------------------------------------------------------------

REFUSED = {
    "unknown field": (queue(visibilityTimeuot="1"), "HF105"),
    "wrong type": (queue(visibilityTimeout=30), "HF104"),
    "required field": ({**queue(), "spec": {}}, "HF106"),
    "no spec": ({k: v for k, v in queue().items() if k != "spec"}, "HF106"),
    "one of": (queue(kmsMasterKeyID="a", kmsMasterKeyRef={"from": {"name": "b"}}), "HF107"),
    "unknown kind": ({**queue(), "kind": "Quue"}, "HF103"),
    "unknown version": ({**queue(), "apiVersion": f"{GROUP}/v9"}, "HF103"),
    "bad name": (queue("Not_A_Name"), "HF104"),
    "directive's value": (queue(notes={FORCE: "True"}), "HF201"),
    "directive's name": (queue(notes={"services.k8s.aws/force-aquire": "true"}), "HF203"),
    "directive of another cloud": (queue(notes={"cnrm.cloud.google.com/force-acquire": "true"}), "HF202"),
    "directive as label": (queue(labels={FORCE: "true"}), "HF203"),
    "directive's path": (queue(notes={"services.k8s.aws/default-to-aws-fields": "visibilityTimeuot"}), "HF109"),
    "annotations are no map": (queue(notes=["a"]), "HF104"),
    "labels are no map": (queue(labels="a"), "HF104"),
    "a label is no text": (queue(labels={"a": 1}), "HF104"),
    "an annotation is no text": (queue(notes={"a": 1}), "HF104"),
}


@pytest.mark.parametrize(("body", "code"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("write", ["apply", "create"])
async def test_what_is_wrong_is_refused_and_not_stored(store, write, body, code):
    version = await store.version()
    assert await refusal(getattr(store, write)(body, "user")) == code
    assert await store.list() == []
    assert await store.version() == version


EDITS = {name: row for name, row in REFUSED.items() if name.startswith(("unknown field", "wrong", "one of", "directive"))}


@pytest.mark.parametrize(("body", "code"), EDITS.values(), ids=EDITS)
async def test_a_bad_edit_leaves_the_object_as_it_was(store, body, code):
    before = await store.apply(queue(delaySeconds="1"), "user")
    assert await refusal(store.apply(body, "user")) == code
    assert (await store.get(KEY)).body == before.body


async def test_the_refusal_names_the_object_and_the_field(store):
    with pytest.raises(InputError) as caught:
        await store.apply(queue(visibilityTimeuot="1"), "user")
    assert "Queue default/orders" in str(caught.value)
    assert "spec.visibilityTimeuot" in str(caught.value)
    assert "'visibilityTimeout'" in str(caught.value)


async def test_the_name_of_the_resource_may_be_corrected_until_one_is_held(store):
    obj = await store.apply(queue(), "user")
    obj = await store.apply({**queue(), "spec": {"queueName": "orders-2"}}, "user")
    await store.write_status(obj, HELD)
    assert await refusal(store.apply({**queue(), "spec": {"queueName": "orders-3"}}, "user")) == "HF108"
    assert (await store.get(KEY)).spec["queueName"] == "orders-2"


async def test_force_acquire_does_not_free_the_name_of_what_is_held(store):
    await store.write_status(await store.apply(queue(), "user"), HELD)
    assert await refusal(store.apply({**queue(notes={FORCE: "true"}), "spec": {"queueName": "other"}}, "user")) == "HF108"


async def test_an_immutable_field_is_set_once(store):
    await store.write_status(await store.apply(queue(), "user"), HELD)
    await store.apply(queue(fifoQueue="true"), "user")
    assert await refusal(store.apply(queue(fifoQueue="false"), "user")) == "HF108", "changed"
    assert await refusal(store.apply(queue(), "user")) == "HF108", "removed"


async def test_force_acquire_allows_the_edit_of_an_immutable_field(store):
    await store.write_status(await store.apply(queue(fifoQueue="true"), "user"), HELD)
    after = await store.apply(queue(fifoQueue="false", notes={FORCE: "true"}), "user")
    assert after.spec["fifoQueue"] == "false"


async def test_an_equal_value_in_other_words_is_no_change_of_an_immutable_field(store):
    await store.write_status(await store.apply(queue(fifoQueue="true"), "user"), HELD)
    assert (await store.apply(queue(fifoQueue="True"), "user")).spec["fifoQueue"] == "True"


async def test_immutability_steps_aside_for_an_object_being_deleted(store):
    obj = await store.apply(queue(fifoQueue="true"), "user")
    await store.write_metadata(await store.write_status(obj, HELD), [FINALIZER], {})
    await store.delete(KEY)
    await store.apply({**queue(fifoQueue="false"), "spec": {"queueName": "other", "fifoQueue": "false"}}, "user")


async def test_adopted_resource_is_refused_for_an_unknown_kind(store):
    assert await refusal(store.apply(adopted(kind="Quue"), "user")) == "HF301"


async def test_adopted_resource_is_refused_where_the_target_exists(store):
    await store.apply(queue("taken"), "user")
    assert await refusal(store.apply(adopted(), "user")) == "HF302"
    await store.apply(adopted(metadata={"name": "free"}), "user")
    assert await refusal(store.apply(adopted(metadata={"name": "taken"}), "user")) == "HF302", "checked when the spec changes, too"


async def test_adopted_resource_is_refused_for_a_kind_that_cannot_be_adopted(store):
    assert await refusal(store.apply(adopted(group="oddjobs.services.k8s.aws", kind="OddJob"), "user")) == "HF303"


IDENTIFIERS = {"none": {}, "two": {"arn": ARN, "name": "orders"}, "unknown sort": {"url": "x"}, "empty": {"name": ""}, "boolean": {"name": True},
               "list": {"name": ["a"]}}


@pytest.mark.parametrize("identifier", IDENTIFIERS.values(), ids=IDENTIFIERS)
async def test_adopted_resource_takes_exactly_one_identifier(store, identifier):
    assert await refusal(store.apply(adopted(identifier=identifier), "user")) == "HF304"
    assert await store.list() == []


async def test_the_target_that_an_adopted_resource_made_itself_is_no_conflict(store):
    await store.apply(adopted(), "user")
    await store.create(queue("taken", notes={"services.k8s.aws/adopted-by": "default/taken", "services.k8s.aws/adopted": "true"}), ADOPTION)
    await store.apply(adopted(), "user")
    assert await refusal(store.apply(adopted(identifier={"name": "other"}), "user")) == "HF302", "it was made from another resource"


async def test_metadata_of_the_target_is_checked_as_its_own(store):
    assert await refusal(store.apply(adopted(metadata={"annotations": {"services.k8s.aws/force-aquire": "true"}}), "user")) == "HF203"
    assert await refusal(store.apply(adopted(metadata={"annotations": "a"}), "user")) == "HF104"
    assert await refusal(store.apply(adopted(metadata={"name": "Not_A_Name"}), "user")) == "HF104"


async def test_aliases_are_kept_as_the_kind_that_they_mean(store):
    body = {"apiVersion": "apigateway.services.k8s.aws/v1alpha1", "kind": "Api", "metadata": {"name": "shop", "namespace": "default"},
            "spec": {"name": "shop", "protocolType": "HTTP"}}
    made = await store.apply(body, "user")
    assert (made.api_version, made.key.kind) == ("apigatewayv2.services.k8s.aws/v1alpha1", "API")
    version = await store.version()
    await store.apply({**body, "apiVersion": "apigatewayv2.services.k8s.aws/v1alpha1", "kind": "API"}, "user")
    assert await store.version() == version
    assert len(await store.list()) == 1


# ---- indexes --------------------------------------------------------------------------------------------------------------


async def test_holder_of_is_who_names_the_resource_in_status(store):
    obj = await store.write_status(await store.apply(queue(), "user"), HELD)
    assert await store.holder_of(ARN) == [KEY]
    second = await store.apply(queue("second"), "user")
    with pytest.raises(ConflictError, match="HF305"):  # one resource, one object: whoever comes first
        await store.write_status(second, HELD)
    await store.write_status(obj, {})
    assert await store.holder_of(ARN) == []


async def test_nobody_holds_what_has_no_identity(store):
    await store.apply(queue(), "user")
    assert await store.holder_of("") == []


async def test_referrers_of_follows_the_spec(store):
    target = ObjectKey("kms.services.k8s.aws", "Key", "default", "main")
    assert await store.referrers_of(target) == []
    await store.apply(queue(kmsMasterKeyRef={"from": {"name": "main"}}), "user")
    await store.apply(queue("far", kmsMasterKeyRef={"from": {"name": "main", "namespace": "security"}}), "user")
    assert await store.referrers_of(target) == [KEY]
    assert [k.name for k in await store.referrers_of(ObjectKey(target.group, target.kind, "security", "main"))] == ["far"]
    await store.apply(queue(), "user")
    assert await store.referrers_of(target) == []


async def test_referrers_of_forgets_what_is_deleted(store):
    await store.apply(queue(kmsMasterKeyRef={"from": {"name": "main"}}), "user")
    await store.delete(KEY)
    assert await store.referrers_of(ObjectKey("kms.services.k8s.aws", "Key", "default", "main")) == []


async def test_referrers_of_a_secret(store):
    body = {"apiVersion": "secretsmanager.services.k8s.aws/v1alpha1", "kind": "Secret", "metadata": {"name": "db"},
            "spec": {"name": "db", "secretString": {"name": "pass", "key": "word"}}}
    made = await store.apply(body, "user")
    assert await store.referrers_of(ObjectKey("", "Secret", "default", "pass")) == [made.key]


# ---- identity and lease ---------------------------------------------------------------------------------------------------


async def test_an_installation_has_a_name_and_a_key(store):
    assert store.name
    assert len(store.key) >= 32


async def test_a_lease_has_one_holder(store):
    assert await store.take_lease("work", "a", 60)
    assert not await store.take_lease("work", "b", 60)
    assert await store.take_lease("work", "a", 60), "renewed"
    assert await store.take_lease("other", "b", 60), "another lease"
    await store.drop_lease("work", "b")
    assert not await store.take_lease("work", "b", 60), "only its holder can drop it"
    await store.drop_lease("work", "a")
    assert await store.take_lease("work", "b", 60)


async def test_a_lease_that_ran_out_is_free(store):
    assert await store.take_lease("work", "a", -1)
    assert await store.take_lease("work", "b", 60)


async def test_objects_come_back_as_they_were_given(store):
    """Unicode, long text and every JSON type that a schema allows."""
    policy = json.dumps({"Statement": [{"Sid": "ü€😀", "n": 1.5, "t": True}]})
    made = await store.apply(queue(policy=policy, tags={"a/b.c": "ü€😀", "long": "x" * 10_000}), "user")
    assert (await store.get(KEY)).body == made.body
    assert made.spec["policy"] == policy
