"""Compute kinds beyond one sample each: the other scope of those that are global or regional, fields that exclude those of the sample, and objects
that say something by being there."""

from __future__ import annotations

import pytest

from holdfast.model.errors import InputError
from tests.kinds.test_cycle import PROJECT, observe
from tests.world import World

NETWORK = ("ComputeNetwork", "main", {"autoCreateSubnetworks": False})
CHECK = ("ComputeHealthCheck", "tcp", {"location": "global", "tcpHealthCheck": {"port": 443}})
NEAR_CHECK = ("ComputeHealthCheck", "near", {"location": "us-central1", "tcpHealthCheck": {"port": 443}})
SERVICE = ("ComputeBackendService", "first", {"location": "global", "protocol": "TCP", "healthChecks": [{"healthCheckRef": {"name": "tcp"}}]})
NEAR_SERVICE = ("ComputeBackendService", "near", {
    "location": "us-central1", "protocol": "TCP", "loadBalancingScheme": "INTERNAL_MANAGED", "healthChecks": [{"healthCheckRef": {"name": "near"}}]})
OTHERS = {
    "global range": ([NETWORK], ("ComputeAddress", "range", {
        "addressType": "INTERNAL", "location": "global", "networkRef": {"name": "main"}, "prefixLength": 16, "purpose": "VPC_PEERING"})),
    "global address": ([], ("ComputeAddress", "ip", {"location": "global", "ipVersion": "IPV4", "networkTier": "PREMIUM"})),
    "address of version 6": ([], ("ComputeAddress", "ip6", {
        "location": "us-central1", "ipVersion": "IPV6", "ipv6EndpointType": "NETLB",
        "ipCollectionRef": {"external": f"projects/{PROJECT}/regions/us-central1/publicDelegatedPrefixes/ours"}})),
    "egress": ([NETWORK], ("ComputeFirewall", "out", {
        "deny": [{"protocol": "all"}], "destinationRanges": ["10.0.0.0/8"], "direction": "EGRESS", "networkRef": {"name": "main"},
        "targetServiceAccounts": [{"external": f"db@{PROJECT}.iam.gserviceaccount.com"}]})),
    "ingress by account": ([NETWORK], ("ComputeFirewall", "in", {
        "allow": [{"protocol": "tcp"}], "networkRef": {"name": "main"}, "sourceServiceAccounts": [{"external": f"web@{PROJECT}.iam.gserviceaccount.com"}]})),
    "global check": ([], ("ComputeHealthCheck", "tcp", {
        "location": "global", "checkIntervalSec": 30, "sourceRegions": ["us-central1", "europe-west1", "us-east1"], "tcpHealthCheck": {"port": 443}})),
    "internal service": ([NETWORK, NEAR_CHECK], ("ComputeBackendService", "db", {
        "location": "us-central1", "loadBalancingScheme": "INTERNAL", "protocol": "TCP", "networkRef": {"name": "main"},
        "healthChecks": [{"healthCheckRef": {"name": "near"}}], "subsetting": {"policy": "CONSISTENT_HASH_SUBSETTING"},
        "connectionTrackingPolicy": {"trackingMode": "PER_SESSION", "idleTimeoutSec": 600},
        "failoverPolicy": {"dropTrafficIfUnhealthy": True, "failoverRatio": 0.5}})),
    "regional proxy": ([NEAR_CHECK, NEAR_SERVICE], ("ComputeTargetTCPProxy", "near", {"location": "us-central1", "backendServiceRef": {"name": "near"}})),
    "proxy without a location": ([CHECK, SERVICE], ("ComputeTargetTCPProxy", "far", {"backendServiceRef": {"name": "first"}})),
}


def manifest(kind: str, name: str, spec: dict) -> dict:
    return {"apiVersion": "compute.cnrm.cloud.google.com/v1beta1", "kind": kind, "metadata": {"name": name, "namespace": PROJECT}, "spec": spec}


async def make(world: World, *objects: tuple[str, str, dict]):
    """All of them, Ready; gives the last one's key."""
    for kind, name, spec in objects:
        key = await world.apply(manifest(kind, name, spec))
        await world.settle(key)
        ready = await world.condition(key)
        assert ready.get("status") == "True", (kind, name, ready)
    return key


@pytest.mark.parametrize("case", OTHERS)
async def test_it_is_made_rests_and_goes(case):
    world, (before, made) = World(), OTHERS[case]
    key = await make(world, *before, made)
    mutations = len(world.gcp.mutations)
    assert type((await world.step(key)).plan).__name__ == "Rest"
    assert len(world.gcp.mutations) == mutations
    scope = made[2].get("location", "global")
    assert f"/{scope if scope == 'global' else f'regions/{scope}'}/" in (await world.get(key))["status"]["externalRef"]
    await world.store.delete(key)
    await world.settle(key)
    assert await world.get(key) is None


async def test_a_location_that_is_not_given_is_global_and_can_be_written_but_not_moved():
    world = World()
    key = await make(world, CHECK, SERVICE, ("ComputeTargetTCPProxy", "far", {"backendServiceRef": {"name": "first"}}))
    await make(world, ("ComputeTargetTCPProxy", "far", {"backendServiceRef": {"name": "first"}, "location": "global"}))
    with pytest.raises(InputError, match="immutable"):
        await world.apply(manifest("ComputeTargetTCPProxy", "far", {"backendServiceRef": {"name": "first"}, "location": "us-central1"}))
    assert key.name == "far"


async def test_a_regional_proxy_says_that_it_cannot_be_changed():
    world = World()
    other = ("ComputeBackendService", "other", NEAR_SERVICE[2])
    key = await make(world, NEAR_CHECK, NEAR_SERVICE, other, ("ComputeTargetTCPProxy", "near", {"location": "us-central1", "backendServiceRef": {"name": "near"}}))
    await world.apply(manifest("ComputeTargetTCPProxy", "near", {"location": "us-central1", "backendServiceRef": {"name": "other"}}))
    await world.settle(key)
    ready = await world.condition(key)
    assert ready["status"] == "False"
    assert "no method setBackendService" in ready["message"]


async def test_a_health_check_changes_its_type():
    world = World()
    await make(world, ("ComputeHealthCheck", "web", {"location": "global", "httpHealthCheck": {"port": 80}}))
    key = await make(world, ("ComputeHealthCheck", "web", {"location": "global", "tcpHealthCheck": {"port": 443}}))
    _, live = await observe(world, key)
    assert live.raw["type"] == "TCP"
    assert "httpHealthCheck" not in live.raw
    assert (await world.get(key))["status"]["type"] == "TCP"


@pytest.mark.parametrize(("kind", "spec", "logs"), [
    ("ComputeSubnetwork", {"ipCidrRange": "10.2.0.0/16", "networkRef": {"name": "main"}, "region": "us-central1"}, {"flowSampling": 0.7}),
    ("ComputeFirewall", {"allow": [{"protocol": "tcp"}], "networkRef": {"name": "main"}}, {"metadata": "EXCLUDE_ALL_METADATA"}),
])
async def test_logs_are_on_while_there_is_a_log_config(kind, spec, logs):
    world = World()
    key = await make(world, NETWORK, (kind, "web", spec))
    for given, switch in (({"logConfig": logs}, True), ({}, False), ({"logConfig": logs}, True), ({"logConfig": {}} if kind == "ComputeSubnetwork" else {}, False)):
        await make(world, (kind, "web", {**spec, **given}))
        _, live = await observe(world, key)
        assert bool(live.raw.get("logConfig", {}).get("enable")) is switch, given
        assert ("logConfig" in live.spec) is switch


async def test_the_older_switch_of_a_firewall_works_alone_and_outlives_the_log_config():
    world, spec = World(), {"allow": [{"protocol": "tcp"}], "networkRef": {"name": "main"}}
    key = await make(world, NETWORK, ("ComputeFirewall", "web", {**spec, "enableLogging": True}))
    for given, switch in (({"enableLogging": False}, False), ({"enableLogging": True, "logConfig": {"metadata": "EXCLUDE_ALL_METADATA"}}, True),
                          ({"enableLogging": True}, True)):
        await make(world, ("ComputeFirewall", "web", {**spec, **given}))
        _, live = await observe(world, key)
        assert live.raw["logConfig"]["enable"] is switch, given


async def test_a_subnetworks_range_grows():
    world, spec = World(), {"ipCidrRange": "10.2.0.0/24", "networkRef": {"name": "main"}, "region": "us-central1"}
    await make(world, NETWORK, ("ComputeSubnetwork", "web", spec))
    key = await make(world, ("ComputeSubnetwork", "web", {**spec, "ipCidrRange": "10.2.0.0/16", "privateIpGoogleAccess": True, "role": "ACTIVE"}))
    _, live = await observe(world, key)
    assert (live.raw["ipCidrRange"], live.raw["privateIpGoogleAccess"]) == ("10.2.0.0/16", True)


async def test_a_backends_group_and_a_policy_change_their_form():
    world, zone = World(), f"projects/{PROJECT}/zones/us-central1-a"
    groups = {"instanceGroupRef": {"external": f"{zone}/instanceGroups/a"}}, {"networkEndpointGroupRef": {"external": f"{zone}/networkEndpointGroups/b"}}
    policies = {"securityPolicy": f"projects/{PROJECT}/global/securityPolicies/a"}, {"securityPolicyRef": {"external": f"projects/{PROJECT}/global/securityPolicies/b"}}
    for group, policy in zip(groups, policies, strict=True):
        key = await make(world, CHECK, (*SERVICE[:2], {**SERVICE[2], "backend": [{"group": group}], **policy}))
        _, live = await observe(world, key)
        assert live.raw["backends"][0]["group"] == next(iter(group.values()))["external"]
        assert live.spec["backend"][0]["group"] == group
        assert {k for k in live.spec if k.startswith("securityPolicy")} == set(policy)
    for policy in policies:
        await make(world, (*SERVICE[:2], {**SERVICE[2], **policy}))
        await make(world, SERVICE)
        _, live = await observe(world, key)
        assert not live.raw.get("securityPolicy")


async def test_iap_is_on_while_it_is_there():
    world = World()
    given = {"iap": {"oauth2ClientId": "orders", "oauth2ClientSecret": {"value": "hush"}}}
    for more, switch in (({}, None), (given, True), ({}, False)):
        key = await make(world, CHECK, (*SERVICE[:2], {**SERVICE[2], **more}))
        _, live = await observe(world, key)
        assert (live.raw.get("iap") or {}).get("enabled") is switch, more
        assert "hush" not in str(live.raw)


async def test_a_network_whose_routes_shall_go_is_refused_rather_than_made_with_them():
    """Upstream deletes the routes after the create. What we would not do, we do not pretend to; one that exists may say so in peace."""
    world = World()
    spec = {"autoCreateSubnetworks": False, "deleteDefaultRoutesOnCreate": True}
    key = await world.apply(manifest("ComputeNetwork", "lone", spec))
    await world.settle(key)
    ready = await world.condition(key)
    assert ready["reason"] == "UpdateFailed"
    assert "HF505 spec.deleteDefaultRoutesOnCreate" in ready["message"]
    assert world.gcp.mutations == []
    world.gcp.put(f"compute.googleapis.com/projects/{PROJECT}/global/networks/there", {"autoCreateSubnetworks": False})
    there = await make(world, ("ComputeNetwork", "there", spec))
    assert type((await world.step(there)).plan).__name__ == "Rest"
