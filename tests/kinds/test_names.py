"""ACK's names from AWS's, against every field name of every kind that upstream has."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import botocore.session
import pytest

from holdfast.kinds.catalog import shipped
from holdfast.kinds.loader import read_kind_file
from holdfast.kinds.names import field_name

UPSTREAM = json.loads((Path(__file__).parent / "upstream.json").read_text(encoding="utf-8"))
NAMES = [k for k, facts in UPSTREAM.items() if not k.startswith("services/") and ".services.k8s.aws/" in facts["apiVersion"]]
OWN = ("ackResourceMetadata", "conditions")  # ACK's own parts of status
REFERENCE = {"from", "name", "namespace", "key"}


@cache
def structures(service: str) -> dict[str, tuple[str, ...]]:
    model = botocore.session.get_session().get_service_model(service)
    shapes = {name: model.shape_for(name) for name in model.shape_names}
    return {name: tuple(shape.members) for name, shape in shapes.items() if shape.type_name == "structure"}


def declared(name: str) -> tuple[str, dict]:
    service, _, kind = name.partition("/")
    data = read_kind_file(Path(shipped().need(f"{service}.services.k8s.aws", kind).source)).data
    return data["model"], data["schema"]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_upstream_is_made_by_the_table_or_given_in_the_kind_file(name):
    service, schema = declared(name)
    status = schema.get("status") or {}
    made = {field_name(wire) for members in structures(service).values() for wire in members}
    made |= {field_name(wire) for wire in (*(schema.get("add") or {}), *(status.get("add") or {}))}
    made |= {*(schema.get("rename") or {}).values(), *(status.get("rename") or {}).values()}
    parts = {part for path in UPSTREAM[name]["fields"] if path.split(".")[1:2] and path.split(".")[1].rstrip("[]") not in OWN
             for part in re.split(r"[.\[\]{}]+", path)[1:] if part}
    assert {p for p in parts if not p.endswith(("Ref", "Refs"))} - made - REFERENCE == set()


@pytest.mark.parametrize("kind", [pytest.param(k, id=k.name) for k in shipped().all() if k.provider == "aws"])
def test_no_two_members_of_a_shape_get_one_name(kind):
    """Two fields with one name would be one field."""
    clashes = {shape: members for shape, members in structures(kind.service).items() if len({field_name(m) for m in members}) != len(members)}
    assert clashes == {}


@pytest.mark.parametrize(("wire", "name"), [pytest.param(w, n, id=f"{w} is {n}") for w, n in {
    "QueueName": "queueName", "KmsMasterKeyId": "kmsMasterKeyID", "SqsManagedSseEnabled": "sqsManagedSSEEnabled", "KMSMasterKeyID": "kmsMasterKeyID", "VpcId": "vpcID", "ARN": "arn",
    "Arn": "arn", "RoleARN": "roleARN", "Ids": "ids", "SecurityGroupIds": "securityGroupIDs", "SSEAlgorithm": "sseAlgorithm", "KeyId": "keyID", "KMSKeyArn": "kmsKeyARN",
    "EnableDnsHostnames": "enableDNSHostnames", "AssignIpv6AddressOnCreation": "assignIPv6AddressOnCreation", "CidrBlock": "cidrBlock", "HTTPFailureFeedbackRoleArn": "httpFailureFeedbackRoleARN",
    "EnableDns64": "enableDNS64", "FifoQueue": "fifoQueue", "Type": "type_", "URI": "uRI", "ApiEndpoint": "apiEndpoint", "DisableExecuteApiEndpoint": "disableExecuteAPIEndpoint",
    "retentionInDays": "retentionInDays", "logGroupName": "logGroupName", "kmsKeyId": "kmsKeyID", "AvailabilityZoneId": "availabilityZoneID", "MapPublicIpOnLaunch": "mapPublicIPOnLaunch",
    "Identity": "identity", "Idle": "idle", "Ipam": "ipam", "Apiary": "apiary", "Database": "database",
}.items()])
def test_names(wire, name):
    assert field_name(wire) == name
