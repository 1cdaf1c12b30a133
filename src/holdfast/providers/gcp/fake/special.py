"""What follows from other fields, where no table can say it: named in the YAML under `finish`; and views of a resource that depend on the request."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from holdfast.model.json import Json
from holdfast.providers.gcp.fake.request import Request
from holdfast.providers.gcp.fake.special_compute import (
    address,
    backend_service,
    firewall,
    health_check,
    label_fingerprint,
    network,
    network_view,
    region_link,
    subnetwork,
)
from holdfast.providers.gcp.fake.store import Entry, Place
from holdfast.providers.gcp.fake.values import project_number

if TYPE_CHECKING:
    from holdfast.providers.gcp.fake.world import World

Body = dict[str, Json]
Finisher = Callable[["World", Place, Body, Body, Request | None], Body]


def spanner_capacity(_: World, __: Place, old: Body, body: Body, ___: Request | None) -> Body:
    """Nodes and processing units are one quantity; whichever was set decides."""
    units, nodes = body.get("processingUnits", 0), body.get("nodeCount", 0)
    if nodes and nodes != old.get("nodeCount"):
        units = nodes * 1000
    elif not units:
        units, nodes = 1000, 1
    nodes = units // 1000
    location = str(body.get("config", "")).rpartition("/")[2].removeprefix("regional-")
    size = {"nodeCount": nodes} if units % 1000 == 0 else {"processingUnits": units}
    return {**body, "processingUnits": units, "nodeCount": nodes, "replicaComputeCapacity": [{"replicaSelection": {"location": location}, **size}]}


def subscription_topic(world: World, place: Place, _: Body, body: Body, __: Request | None) -> Body:
    """The topic's own retention shows at its subscriptions."""
    topic = world.store.entries.get(f"{place.resource.service.host}/{body.get('topic', '')}")
    kept = topic.body.get("messageRetentionDuration") if topic else None
    return {**body, "topicMessageRetentionDuration": kept} if kept else {k: v for k, v in body.items() if k != "topicMessageRetentionDuration"}


def bucket(_: World, place: Place, old: Body, body: Body, __: Request | None) -> Body:
    """Location in capitals, its type, and the fields that Cloud Storage fills into what it is given."""
    body = {**body, "location": str(body.get("location") or "US").upper()}
    wide = "multi-region" if body["location"] in ("US", "EU", "ASIA") else ""
    body["locationType"] = wide or ("dual-region" if body["location"] in ("NAM4", "EUR4", "ASIA1") else "region")
    if body["locationType"] == "region":
        body.pop("rpo", None)
    access = dict(body.get("iamConfiguration") or {})
    level = dict(access.get("uniformBucketLevelAccess") or {"enabled": False})
    if level.get("enabled"):
        level.setdefault("lockedTime", place.values.time("millis", later=90 * 86400))
    else:
        level.pop("lockedTime", None)
    body["iamConfiguration"] = {"publicAccessPrevention": "inherited", **access, "uniformBucketLevelAccess": level, "bucketPolicyOnly": dict(level)}
    return _bucket_policies(place, old, body)


def _bucket_policies(place: Place, old: Body, body: Body) -> Body:
    soft = dict(body["softDeletePolicy"])
    if soft.get("retentionDurationSeconds") == "0":
        soft.pop("effectiveTime", None)
    elif soft != old.get("softDeletePolicy"):
        soft["effectiveTime"] = place.values.time("millis")
    body["softDeletePolicy"] = soft
    kept = body.get("retentionPolicy")
    if kept and kept.get("retentionPeriod") != (old.get("retentionPolicy") or {}).get("retentionPeriod"):
        body["retentionPolicy"] = {**kept, "effectiveTime": place.values.time("millis")}
    auto = body.get("autoclass") or {}
    if auto.get("enabled"):
        body["autoclass"] = {"terminalStorageClass": "NEARLINE", "toggleTime": place.values.time("millis"), **auto}
    gone = [k for k in ("lifecycle", "cors", "labels", "website", "logging", "encryption") if not body.get(k) or body[k] == {"rule": []}]
    return {k: v for k, v in body.items() if k not in gone}


def secret_expiry(_: World, place: Place, __: Body, body: Body, ___: Request | None) -> Body:
    """A time to live becomes a time of expiry, and is not shown itself."""
    if "ttl" not in body:
        return body
    seconds = float(str(body["ttl"]).rstrip("s"))
    return {**{k: v for k, v in body.items() if k != "ttl"}, "expireTime": place.values.time("micros", later=seconds)}


def crypto_key(_: World, place: Place, old: Body, body: Body, request: Request | None) -> Body:
    """A symmetric key has a first version, which is its primary."""
    template = {"protectionLevel": "SOFTWARE", "algorithm": "GOOGLE_SYMMETRIC_ENCRYPTION", **(body.get("versionTemplate") or {})}
    body = {**body, "versionTemplate": template}
    if old or body.get("purpose") != "ENCRYPT_DECRYPT" or (request is not None and request.flag("skipInitialVersionCreation")):
        return body
    now = place.values.time("micros")
    return {**body, "primary": {"name": f"{place.path}/cryptoKeyVersions/1", "state": "ENABLED", "createTime": now, "generateTime": now, **template}}


def repository(_: World, place: Place, __: Body, body: Body, ___: Request | None) -> Body:
    """Where the packages are; images are scanned where that API is on, which it is not here."""
    kind = str(body.get("format", "")).lower()
    body = {**body, "registryUri": f"{place.words['location']}-{kind}.pkg.dev/{place.project}/{place.words['id']}"}
    if kind != "docker":
        return body
    scans = {"enablementState": "SCANNING_DISABLED", "enablementStateReason": "API containerscanning.googleapis.com is not enabled."}
    return {**body, "vulnerabilityScanningConfig": {**(body.get("vulnerabilityScanningConfig") or {}), **scans}}


def table(world: World, place: Place, _: Body, body: Body, __: Request | None) -> Body:
    """A table is where its dataset is; what it is follows from its definition."""
    kinds = {"view": "VIEW", "materializedView": "MATERIALIZED_VIEW", "externalDataConfiguration": "EXTERNAL"}
    dataset = world.store.entries.get(f"{place.resource.service.host}/{place.path.rsplit('/', 2)[0]}")
    kind = next((word for name, word in kinds.items() if body.get(name)), "TABLE")
    return {**body, "type": kind, "location": dataset.body["location"] if dataset else "US"}


def database(_: World, place: Place, old: Body, body: Body, __: Request | None) -> Body:
    """Names and places that follow from the region."""
    region, settings = body["region"], body["settings"]
    settings = {**settings, "locationPreference": {"kind": "sql#locationPreference", "zone": f"{region}-a", **(settings.get("locationPreference") or {})}}
    settings = _with_kinds(settings)
    body = {**body, "settings": settings, "connectionName": f"{place.project}:{region}:{place.words['id']}", "gceZone": settings["locationPreference"]["zone"]}
    if not old:
        public = settings["ipConfiguration"].get("ipv4Enabled")
        body["ipAddresses"] = [{"type": "PRIMARY", "ipAddress": place.values.address()}] if public else []
    return body


def _with_kinds(settings: Body) -> Body:
    """SQL's messages say what they are."""
    access = settings["ipConfiguration"]
    if access.get("authorizedNetworks"):
        named = [{"kind": "sql#aclEntry", **n} for n in access["authorizedNetworks"]]
        settings = {**settings, "ipConfiguration": {**access, "authorizedNetworks": named}}
    if settings.get("maintenanceWindow"):
        settings = {**settings, "maintenanceWindow": {"kind": "sql#maintenanceWindow", **settings["maintenanceWindow"]}}
    return settings


def zone(_: World, __: Place, ___: Body, body: Body, ____: Request | None) -> Body:
    """A private zone has one name server; the parts of a zone say what they are."""
    if body["visibility"] == "private":
        body = {**body, "nameServers": ["ns-gcp-private.googledomains.com."]}
    parts = {"dnssecConfig": "DnsSecConfig", "privateVisibilityConfig": "PrivateVisibilityConfig", "peeringConfig": "PeeringConfig",
             "forwardingConfig": "ForwardingConfig", "cloudLoggingConfig": "CloudLoggingConfig"}
    return {**body, **{k: {"kind": f"dns#managedZone{kind}", **body[k]} for k, kind in parts.items() if body.get(k)}}


def job(_: World, place: Place, __: Body, body: Body, ___: Request | None) -> Body:
    """Every container has limits; a job that was taken is ready."""
    task = body["template"]["template"]
    limits = {"cpu": "1000m", "memory": "512Mi"}
    sized = [(c, c.get("resources") or {}) for c in task["containers"]]
    containers = [{**c, "resources": {**r, "limits": {**limits, **(r.get("limits") or {})}}} for c, r in sized]
    ready = {"type": "Ready", "state": "CONDITION_SUCCEEDED", "lastTransitionTime": place.values.time("micros")}
    return {**body, "template": {**body["template"], "template": {**task, "containers": containers}}, "observedGeneration": body["generation"],
            "terminalCondition": ready, "conditions": [{**ready, "type": "ResourcesAvailable"}]}


def metric(_: World, place: Place, __: Body, body: Body, ___: Request | None) -> Body:
    """The metric's descriptor, named after it."""
    kind = f"logging.googleapis.com/user/{place.words['id']}"
    named = {"name": f"projects/{place.project}/metricDescriptors/{kind}", "type": kind}
    return {**body, "metricDescriptor": {"metricKind": "DELTA", "valueType": "INT64", "unit": "1", **(body.get("metricDescriptor") or {}), **named}}


FINISHERS: dict[str, Finisher] = {
    f.__name__: f
    for f in (spanner_capacity, subscription_topic, bucket, secret_expiry, crypto_key, repository, table, database, zone, job, metric,
              label_fingerprint, network, subnetwork, backend_service, address, region_link, health_check, firewall)
}


def bucket_view(_: World, body: Body, request: Request | None, entry: Entry) -> Body:
    """Access lists only show where they are asked for, and after a patch or an update, whose projection is full."""
    fine_grained = not body["iamConfiguration"]["uniformBucketLevelAccess"]["enabled"]
    default = "full" if request and request.verb in ("patch", "update") else "noAcl"
    if (request.query.get("projection", default) if request else default) != "full" or not fine_grained:
        return {k: v for k, v in body.items() if k not in ("acl", "defaultObjectAcl")}
    number, name, teams = project_number(entry.project), body["name"], (("owners", "OWNER"), ("editors", "OWNER"), ("viewers", "READER"))
    shared = [{"entity": f"project-{t}-{number}", "projectTeam": {"projectNumber": number, "team": t}, "role": r, "etag": "CAE="} for t, r in teams]
    acl = [{"kind": "storage#bucketAccessControl", "id": f"{name}/{a['entity']}", "bucket": name,
            "selfLink": f"https://www.googleapis.com/storage/v1/b/{name}/acl/{a['entity']}", **a} for a in shared]
    return {**body, "acl": body.get("acl") or acl, "owner": {"entity": f"project-owners-{number}"},
            "defaultObjectAcl": body.get("defaultObjectAcl") or [{"kind": "storage#objectAccessControl", **a} for a in shared]}


VIEWS: dict[str, Callable[[World, Body, Request | None, Entry], Body]] = {"storage.buckets": bucket_view, "compute.networks": network_view}


def topic_gone(world: World, entry: Entry) -> None:
    """The subscriptions of a deleted topic stay, and say so."""
    for user in list(world.users_of(entry, "pubsub.projects.subscriptions", "topic")):
        world.store.put(Entry(user.resource, user.path, user.project, {**user.body, "topic": "_deleted-topic_"}))


def schema_gone(world: World, entry: Entry) -> None:
    """The topics of a deleted schema stay, and say so."""
    for user in list(world.users_of(entry, "pubsub.projects.topics", "schemaSettings.schema")):
        settings = {**user.body["schemaSettings"], "schema": "_deleted-schema_"}
        world.store.put(Entry(user.resource, user.path, user.project, {**user.body, "schemaSettings": settings}))


GONE: dict[str, Callable[[World, Entry], None]] = {"pubsub.projects.topics": topic_gone, "pubsub.projects.schemas": schema_gone}
