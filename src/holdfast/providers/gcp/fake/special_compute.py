"""What follows from other fields of compute's resources."""

from __future__ import annotations

import hashlib
import ipaddress
from typing import TYPE_CHECKING

from holdfast.model.json import Json
from holdfast.providers.gcp.fake.request import Request
from holdfast.providers.gcp.fake.store import Entry, Place
from holdfast.providers.gcp.fake.values import fingerprint

if TYPE_CHECKING:
    from holdfast.providers.gcp.fake.world import World

Body = dict[str, Json]
_ROOT = "https://www.googleapis.com/compute/v1"


def label_fingerprint(_: World, __: Place, ___: Body, body: Body, ____: Request | None) -> Body:
    return {**{k: v for k, v in body.items() if k != "labels" or v}, "labelFingerprint": fingerprint(body.get("labels"))}


def network(_: World, place: Place, __: Body, body: Body, ___: Request | None) -> Body:
    """A routing configuration always says how it selects paths; a network names its subnetworks."""
    if "routingConfig" in body:
        body = {**body, "routingConfig": {"bgpBestPathSelectionMode": "LEGACY", **body["routingConfig"]}}
    if "selfLinkWithId" not in body:
        body = {**body, "selfLinkWithId": f"https://www.googleapis.com/compute/v1/projects/{place.project}/global/networks/{body['id']}"}
    return body


def subnetwork(_: World, __: Place, ___: Body, body: Body, ____: Request | None) -> Body:
    """The gateway is the first address of the range; a secondary range or a log configuration has its own defaults."""
    if body.get("ipCidrRange"):
        body = {**body, "gatewayAddress": str(ipaddress.ip_network(str(body["ipCidrRange"])).network_address + 1)}
    logs = body.get("logConfig") or ({"enable": True} if body.get("enableFlowLogs") else None)
    if logs and logs.get("enable"):
        filled = {"aggregationInterval": "INTERVAL_5_SEC", "flowSampling": 0.5, "metadata": "INCLUDE_ALL_METADATA", "filterExpr": "true"}
        body = {**body, "logConfig": {**filled, **logs}}
    body = {**_range_linked(body), "enableFlowLogs": bool((body.get("logConfig") or {}).get("enable"))}
    return {**body, "secondaryIpRanges": [_range_linked(r) for r in body["secondaryIpRanges"]]} if body.get("secondaryIpRanges") else body


def _range_linked(body: Body) -> Body:
    """A reserved range is given with its service in front, and shown as a URL."""
    host, _, path = str(body.get("reservedInternalRange", "")).partition("/")
    return {**body, "reservedInternalRange": f"https://{host}/v1/{path}"} if host == "networkconnectivity.googleapis.com" else body


def backend_service(_: World, place: Place, __: Body, body: Body, ___: Request | None) -> Body:
    """An HTTP service has a port and says whether it caches; the client's secret is never shown, its hash is."""
    if str(body.get("protocol")).startswith("HTTP") and not place.words["region"]:
        body = {"port": 80, "portName": "http", "enableCDN": False, **body}
    if body.get("backends"):
        body = {**body, "backends": [{"balancingMode": "UTILIZATION", "capacityScaler": 1, **b} for b in body["backends"]]}
    return _secret_hashed(body)


def _secret_hashed(body: Body) -> Body:
    iap = body.get("iap")
    if not iap or "oauth2ClientSecret" not in iap:
        return body
    digest = hashlib.sha256(str(iap["oauth2ClientSecret"]).encode()).hexdigest()
    return {**body, "iap": {**{k: v for k, v in iap.items() if k != "oauth2ClientSecret"}, "oauth2ClientSecretSha256": digest}}


def address(_: World, place: Place, __: Body, body: Body, ___: Request | None) -> Body:
    """An external address has a tier; all but global internal ranges say that they are reserved."""
    external = body["addressType"] == "EXTERNAL"
    if external:
        body = {**body, "networkTier": body.get("networkTier", "PREMIUM")}
    if external and not place.words["region"]:
        body = {"ipVersion": "IPV4", **body}
    return {"status": "RESERVED", **body} if external or place.words["region"] else body


def region_link(_: World, place: Place, __: Body, body: Body, ___: Request | None) -> Body:
    """A regional resource names its region."""
    return {**body, "region": f"{_ROOT}/projects/{place.project}/regions/{place.words['region']}"} if place.words["region"] else body


def health_check(_: World, __: Place, ___: Body, body: Body, ____: Request | None) -> Body:
    """The part that its type names has its own defaults; the parts of other types go."""
    parts = {"HTTP": ("httpHealthCheck", 80), "HTTPS": ("httpsHealthCheck", 443), "HTTP2": ("http2HealthCheck", 443), "TCP": ("tcpHealthCheck", 80),
             "SSL": ("sslHealthCheck", 443), "GRPC": ("grpcHealthCheck", 0)}
    mine, port = parts.get(str(body.get("type")), ("", 0))
    body = {k: v for k, v in body.items() if k == mine or k not in {name for name, _ in parts.values()}}
    if not mine or mine == "grpcHealthCheck":
        return body
    given = body.get(mine) or {}
    ported = {} if "portName" in given or "portSpecification" in given else {"port": port}
    return {**body, mine: {"proxyHeader": "NONE", **({"requestPath": "/"} if "ttp" in mine else {}), **ported, **given}}


def firewall(_: World, place: Place, __: Body, body: Body, ___: Request | None) -> Body:
    """Without a source or a destination a rule is for everyone; without a network, for the default one."""
    ends = ("destinationRanges",) if body["direction"] == "EGRESS" else ("sourceRanges", "sourceTags", "sourceServiceAccounts")
    if not any(body.get(e) for e in ends):
        body = {**body, ends[0]: ["0.0.0.0/0"]}
    return {"network": f"{_ROOT}/projects/{place.project}/global/networks/default", **body}


def network_view(world: World, body: Body, _: Request | None, entry: Entry) -> Body:
    """A network names its subnetworks."""
    inside = [f"{_ROOT}/{e.path}" for e in world.users_of(entry, "compute.subnetworks", "network")] if "subnetworks" in entry.resource.fields else []
    return {**body, "subnetworks": inside} if inside else body
