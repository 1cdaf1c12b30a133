"""The composition root: which store, which clouds, which clock. No logic."""

from __future__ import annotations

from pathlib import Path

from holdfast.core.admit import check_adopted_resource, check_core, check_envelope, check_object
from holdfast.kinds.catalog import CORE_KINDS, Catalog, shipped
from holdfast.kinds.loader import dialects
from holdfast.model.errors import InputError
from holdfast.model.json import JsonMap, get_path
from holdfast.model.objects import ObjectKey, key_of
from holdfast.providers.aws.client import AwsClient, Vendor
from holdfast.providers.aws.cloud import AwsCloud
from holdfast.providers.gcp.client import GcpClient
from holdfast.providers.gcp.cloud import GcpCloud
from holdfast.providers.wire import Gate, HttpTransport, Transport
from holdfast.runtime.clock import SystemClock
from holdfast.runtime.engine import Engine
from holdfast.runtime.ports import Clock, Cloud, Store
from holdfast.runtime.references import targets_of
from holdfast.runtime.settings import Settings
from holdfast.stores.embedded import EmbeddedStore, InlineStore
from holdfast.stores.tables import Dump, Rules


def rules_of(catalog: Catalog) -> Rules:
    """What the embedded store asks of the kinds."""

    def admit(old: JsonMap | None, new: JsonMap, lookup: object) -> list[InputError]:
        errors = check_envelope(new)
        key = key_of(new)
        if errors:
            return errors
        if not key.group and key.kind in CORE_KINDS:
            return check_core(dialects(), new)
        if catalog.is_adopted_resource(key.group, key.kind):
            return check_adopted_resource(old, new, catalog.find, lookup)  # type: ignore[arg-type]
        return check_object(catalog.need(key.group, key.kind), old, new)

    def references(body: JsonMap) -> list[ObjectKey]:
        kind = catalog.find(key_of(body).group, key_of(body).kind)
        return targets_of(kind, body) if kind else []

    def identity(body: JsonMap) -> str:
        kind = catalog.find(key_of(body).group, key_of(body).kind)
        return str(get_path(body.get("status") or {}, kind.dialect.identity_path) or "").removesuffix(":*") if kind else ""

    def canonical(body: JsonMap) -> JsonMap:
        key = key_of(body)
        if not key.group and key.kind == "Namespace":
            return {**body, "metadata": {**body["metadata"], "namespace": "default"}}
        kind = catalog.find(key.group, key.kind)
        return {**body, "apiVersion": kind.api_version, "kind": kind.name} if kind and kind.group != key.group else body

    return Rules(admit, references, identity, canonical)


def open_store(path: Path, catalog: Catalog | None = None, clock: Clock | None = None) -> EmbeddedStore:
    return EmbeddedStore(path, rules_of(catalog or shipped()), clock or SystemClock())


def memory_store(catalog: Catalog | None = None, clock: Clock | None = None) -> InlineStore:
    return InlineStore(rules_of(catalog or shipped()), clock or SystemClock())


def make_engine(store: Store, *, transport: Transport | None = None, gate: Gate | None = None, clock: Clock | None = None,
                settings: Settings | None = None, catalog: Catalog | None = None, vendor: Vendor | None = None) -> tuple[Engine, Gate, Transport]:
    """An engine on both clouds. `plan` and `verify` hand in a gate that allows no writes."""
    gate, transport, clock = gate or Gate(), transport or HttpTransport(), clock or SystemClock()
    clouds: dict[str, Cloud] = {"aws": AwsCloud(AwsClient(transport, gate, vendor)), "gcp": GcpCloud(GcpClient(transport, gate), clock)}
    engine = Engine(catalog or shipped(), store, clouds, clock, settings or Settings())
    return engine, gate, transport


def copy_of(store: EmbeddedStore, objects: Dump, clock: Clock | None = None) -> InlineStore:
    """A copy in memory that acts as the same installation: what happens there is never stored."""
    copy = memory_store(clock=clock)
    copy.borrow_identity(store.name, store.key)
    copy.load(objects)
    return copy
