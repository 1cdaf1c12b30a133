"""Every kind, the whole way: create in full, adopt into a fresh store, verify, drift each mutable field, refuse each immutable one."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from holdfast.core.desired import target_spec
from holdfast.core.paths import put_at, steps_of
from holdfast.kinds.catalog import shipped
from holdfast.model.directives import Directives
from holdfast.model.errors import InputError
from holdfast.model.facts import Live, Place
from holdfast.runtime.execute import live_spec
from holdfast.runtime.ports import Subject
from tests.world import World

SAMPLES = sorted((Path(__file__).parent / "samples").glob("*.yaml"))
PROJECT = "shop-prod"


def load(path: Path) -> tuple:
    service, _, name = path.stem.partition("-")
    kind = shipped().find(f"{service}.services.k8s.aws", name) or shipped().need(f"{service}.cnrm.cloud.google.com", name)
    return kind, yaml.safe_load(path.read_text())


def manifest(kind, spec, **annotations):
    """Labels, where they come from metadata, stand in samples as if they were fields."""
    notes = {kind.dialect.annotation(k.replace("_", "-")): v for k, v in annotations.items()}
    meta = {"name": "sample", "namespace": PROJECT, "annotations": notes}
    if is_from_metadata(kind) and "labels" in spec:
        meta["labels"], spec = spec["labels"], {k: v for k, v in spec.items() if k != "labels"}
    return {"apiVersion": kind.api_version, "kind": kind.name, "spec": spec, "metadata": meta}


def is_from_metadata(kind) -> bool:
    return (kind.spec_schema["properties"].get("labels") or {}).get("x-hidden", False)


def there(body: dict) -> dict:
    return {**body, "metadata": {"namespace": PROJECT, **body["metadata"]}}


async def build(world: World, sample: dict, kind):
    """Prerequisites (other objects), then the object itself, all Ready."""
    for body in sample.get("before", []):
        key = await world.apply(there(body))
        if body["kind"] not in ("Secret", "Namespace", "ConfigMap"):
            result = await world.settle(key)
            assert result.outcome is None or result.outcome.reason.text == "UpToDate", (key, result.outcome)
    key = await world.apply(manifest(kind, sample["spec"]))
    await world.settle(key)
    ready = await world.condition(key)
    assert ready.get("status") == "True", ready
    return key


async def observe(world: World, key) -> tuple[Subject, Live]:
    """The resource as it is, read in full, apart from any reconcile."""
    kind, obj = world.engine.kind_of(key), await world.store.get(key)
    cloud = world.engine.cloud_of(kind)
    from holdfast.core.desired import fill_references, with_labels, with_name
    from holdfast.runtime.references import resolve

    spec = fill_references(kind, obj.spec, await resolve(world.engine, kind, obj, need_ready=False))
    spec = with_labels(kind, with_name(kind, spec, obj.key.name), obj.metadata.get("labels") or {})
    place = await cloud.locate(kind, Directives(account=PROJECT if kind.provider == "gcp" else ""), spec, Place())
    subject = Subject(kind, place, spec, obj.status, "")
    live = await cloud.reader().observe(subject)
    assert isinstance(live, Live)
    return subject, live


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
async def test_create_rests_and_is_deleted(path):
    kind, sample = load(path)
    world = World()
    key = await build(world, sample, kind)
    cloud = world.cloud_of(kind)
    before = len(cloud.mutations)
    version = await world.store.version()
    result = await world.step(key)
    assert type(result.plan).__name__ == "Rest", (result.plan, result.outcome)
    assert len(cloud.mutations) == before, "a second reconcile writes nothing to the cloud"
    assert await world.store.version() == version, "and nothing to the store"
    await world.store.delete(key)
    await world.settle(key)
    assert await world.get(key) is None


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
async def test_adopted_into_a_fresh_store_it_verifies_without_a_difference(path):
    kind, sample = load(path)
    if kind.cannot_adopt:
        return
    world = World()
    key = await build(world, sample, kind)
    _, live = await observe(world, key)
    for sort in kind.identifiers:
        fresh = world.another()
        for body in sample.get("before", []):
            if body["kind"] in ("Secret", "Namespace", "ConfigMap"):
                await fresh.apply(there(body))
        value = {"arn": live.identity, "name": None, "id": None}[sort] or identifier(kind, sort, live)
        adopted = await fresh.apply({"apiVersion": kind.api_version, "kind": "AdoptedResource", "metadata": {"name": "sample", "namespace": PROJECT},
                                     "spec": {"apiVersion": kind.api_version, "kind": kind.name, "identifier": {sort: value}}})
        await fresh.settle(adopted)
        assert (await fresh.condition(adopted)).get("status") == "True", (sort, await fresh.condition(adopted))
        cloud = world.cloud_of(kind)
        mutations = len(cloud.mutations)
        target = await fresh.settle(key)
        ready = await fresh.condition(key)
        assert ready.get("status") == "True", (sort, ready, target.outcome)
        marked = cloud.mutations[mutations:]
        assert all("tag" in op.lower() for op in marked) or (kind.provider == "gcp" and bool(kind.tag_path) and len(marked) <= 1), marked
        again = await fresh.step(key)
        assert type(again.plan).__name__ == "Rest"
        await check_full_verification(world, kind, sample, await fresh.get(key))


def identifier(kind, sort: str, live: Live) -> str:
    if kind.dialect.name_field:
        return live.identity
    side, _, name = kind.identifiers[sort].partition(".")
    return (live.spec if side == "spec" else live.status)[name]


async def check_full_verification(world: World, kind, sample: dict, adopted: dict):
    """The adopted spec, and the spec it was made from, both verify in a third installation with no mutating call."""
    labels = adopted["metadata"].get("labels")
    for spec in ({**adopted["spec"], **({"labels": labels} if labels else {})}, sample["spec"]):
        third = world.another()
        third.store.borrow_identity(world.store.name, world.store.key)  # so that it finds the prerequisites by their mark
        for body in sample.get("before", []):
            key = await third.apply(there(body))
            await third.settle(key) if body["kind"] not in ("Secret", "Namespace", "ConfigMap") else None
        cloud = world.cloud_of(kind)
        mutations = len(cloud.mutations)
        body = manifest(kind, spec, force_acquire="true")
        key = await third.apply(body)
        ids = {k: v for k, v in adopted["status"].items() if k in kind.status_schema["properties"] or k in ("ackResourceMetadata", "externalRef")}
        await third.store.write_status(await third.store.get(key), ids)
        await third.step(key)
        ready = await third.condition(key)
        waits = ready.get("reason", "").startswith("Dependency")
        assert ready.get("status") == "True" or waits, ready
        assert len(cloud.mutations) == mutations


def cases(section: str):
    out = []
    for path in SAMPLES:
        for field in yaml.safe_load(path.read_text()).get(section) or {}:
            out.append(pytest.param(path, field, id=f"{path.stem}-{field}"))
    return out


@pytest.mark.parametrize(("path", "field"), cases("changes"))
async def test_drift_of_a_field_is_reported_with_its_path_and_corrected(path, field):
    kind, sample = load(path)
    world = World()
    key = await build(world, sample, kind)
    subject, live = await observe(world, key)
    changed = put_at({}, steps_of(kind, field), sample["changes"][field])
    top = field.partition(".")[0].partition("[")[0]
    if kind.rule(kind.tag_path).tags and field.startswith(f"{kind.tag_path}."):
        from holdfast.core.desired import shape_tags

        changed = put_at({}, tuple(kind.tag_path.split(".")), shape_tags(kind, {field.removeprefix(f"{kind.tag_path}."): sample["changes"][field]}))
    target = target_spec(kind, live.spec, changed, ())
    cloud = world.cloud_of(kind)
    answer = await world.engine.cloud_of(kind).writer().update(subject, live, target, frozenset({top}))
    while answer.operation and await world.engine.cloud_of(kind).reader().ask(subject, answer.operation) is None:
        world.clock.advance(10)
    # verify-only: reported, nothing written
    body = await world.get(key)
    spec = {**body["spec"], **({"labels": sample["spec"]["labels"]} if is_from_metadata(kind) and "labels" in sample["spec"] else {})}
    await world.apply(manifest(kind, spec, force_acquire="true"))
    mutations = len(cloud.mutations)
    await world.step(key)
    ready = await world.condition(key)
    assert ready["reason"] == "DriftDetected", ready
    assert f"spec.{top}" in ready["message"] or f"metadata.{top}" in ready["message"], ready
    assert len(cloud.mutations) == mutations
    # managed: corrected
    await world.apply(manifest(kind, spec))
    await world.settle(key)
    ready = await world.condition(key)
    assert ready["status"] == "True", ready
    assert len(cloud.mutations) > mutations
    assert type((await world.step(key)).plan).__name__ == "Rest"


@pytest.mark.parametrize(("path", "field"), cases("immutable"))
async def test_an_immutable_field_is_refused_with_its_code(path, field):
    kind, sample = load(path)
    world = World()
    key = await build(world, sample, kind)
    spec = put_at(dict(sample["spec"]), steps_of(kind, field), sample["immutable"][field])
    with pytest.raises(InputError) as refused:
        await world.apply(manifest(kind, spec))
    assert refused.value.code == "HF108"
    assert f"spec.{field}" in refused.value.where
    del key


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
def test_the_sample_accounts_for_every_field(path):
    kind, sample = load(path)
    spoken = set(sample["spec"]) | set(sample.get("uncovered") or {})
    by_reference = {r.path for r in kind.references if not r.to_secret and not r.is_external}
    missing = set(kind.spec_schema["properties"]) - spoken - by_reference - {"resourceID", "projectRef"}
    assert not missing, f"fields that no test speaks of: {sorted(missing)}"
    changed = {f.partition(".")[0].partition("[")[0] for f in (*(sample.get("changes") or {}), *(sample.get("immutable") or {}))}
    silent = set(sample["spec"]) - changed - set(sample.get("uncovered") or {}) - {"projectRef"}
    assert not silent, f"fields that are neither changed nor immutable: {sorted(silent)}"


def test_every_kind_has_a_sample():
    have = {p.stem for p in SAMPLES}
    want = {f"{k.group.partition('.')[0]}-{k.name}" for k in shipped().all()}
    assert want <= have, want - have


async def test_a_live_resource_becomes_a_spec_without_marks():
    kind, sample = load(next(p for p in SAMPLES if p.stem == "sqs-Queue"))
    world = World()
    key = await build(world, sample, kind)
    _, live = await observe(world, key)
    assert live_spec(kind, live)["tags"] == sample["spec"]["tags"]
