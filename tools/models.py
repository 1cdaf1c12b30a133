"""What the vendor's models say about our kinds, compared with the kinds' YAML: mutability first. `make models`.

Reads CloudFormation's resource schemas (from the cfn-lint in the environment, which the fake cloud brings along), botocore's models, and the
packed discovery documents (`tools/discovery.py` packs newer ones, and says what changed in them).
It reports, people decide. A test knows what is expected today (one: KMS lets a key's description be changed, and upstream does not).
"""

import json
import sys
from pathlib import Path

import cfnlint

from holdfast.kinds.catalog import shipped
from holdfast.kinds.discovery import build as discovery_schema
from holdfast.kinds.loader import build_schemas, read_kind_file, schema_file
from holdfast.kinds.names import field_name
from holdfast.model.kinds import Kind, field_paths, schema_at

TYPES = {
    "apigatewayv2/API": "AWS::ApiGatewayV2::Api", "cloudwatchlogs/LogGroup": "AWS::Logs::LogGroup", "dynamodb/Table": "AWS::DynamoDB::Table",
    "ec2/SecurityGroup": "AWS::EC2::SecurityGroup", "ec2/Subnet": "AWS::EC2::Subnet", "ec2/VPC": "AWS::EC2::VPC", "ecr/Repository": "AWS::ECR::Repository",
    "emrcontainers/VirtualCluster": "AWS::EMRContainers::VirtualCluster", "iam/Policy": "AWS::IAM::ManagedPolicy", "iam/Role": "AWS::IAM::Role",
    "kms/Key": "AWS::KMS::Key", "s3/Bucket": "AWS::S3::Bucket", "secretsmanager/Secret": "AWS::SecretsManager::Secret",
    "sns/Subscription": "AWS::SNS::Subscription", "sns/Topic": "AWS::SNS::Topic", "sqs/Queue": "AWS::SQS::Queue",
}
# where CloudFormation calls a field otherwise than the API does
NAMES = {
    "sns/Topic": {"topicName": "name"}, "s3/Bucket": {"bucketName": "name"}, "iam/Role": {"roleName": "name"},
    "iam/Policy": {"managedPolicyName": "name"}, "ecr/Repository": {"repositoryName": "name"}, "cloudwatchlogs/LogGroup": {"logGroupName": "name"},
    "ec2/SecurityGroup": {"groupName": "name", "groupDescription": "description"}, "dynamodb/Table": {},
}
# settled by reading the service's own documentation; the CloudFormation schema says less or other than the API does
KNOWN = {
    "cloudwatchlogs/LogGroup": {"logGroupClass": "the API has no call to change it"},
    "dynamodb/Table": {"keySchema": "CloudFormation replaces the table", "localSecondaryIndexes": "CloudFormation replaces the table"},
    "ec2/VPC": {"cidrBlocks": "CloudFormation has the first block only; the API associates and disassociates others"},
    "iam/Policy": {"description": "the API has no call to change it; CloudFormation replaces the policy"},
    "kms/Key": {"customKeyStoreID": "not in CloudFormation; fixed at creation", "multiRegion": "CloudFormation fails the update instead of declaring it",
                "origin": "CloudFormation fails the update instead of declaring it", "keyUsage": "CloudFormation fails the update instead of declaring it",
                "keySpec": "CloudFormation fails the update instead of declaring it"},
}


def cloudformation() -> dict[str, dict]:
    """typeName → schema, for one region."""
    root = Path(cfnlint.__file__).parent / "data" / "schemas"
    found = {}
    for path in sorted((root / "resources").rglob("*.json")) if (root / "resources").exists() else sorted(root.rglob("*.json")):
        try:
            schema = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            continue
        if isinstance(schema, dict) and schema.get("typeName") in TYPES.values():
            found[schema["typeName"]] = schema
    return found


def mutability(name: str, kind: Kind, schema: dict) -> list[str]:
    """Top-level fields whose mutability differs between the vendor's model and our YAML."""
    rename = NAMES.get(name, {})

    def ours(pointer: str) -> str:
        plain = field_name(pointer.removeprefix("/properties/").split("/")[0])
        return rename.get(plain, plain)

    fixed = {ours(p) for p in schema.get("createOnlyProperties", []) if p.count("/") == 2}
    perhaps = {ours(p) for p in schema.get("conditionalCreateOnlyProperties", []) if p.count("/") == 2}  # either is right
    known = {ours(f"/properties/{p}") for p in schema.get("properties", {})}
    out = []
    for field in sorted(known & set(kind.spec_schema["properties"])):
        immutable = kind.rule(field).immutable
        if field in fixed and not immutable and field not in KNOWN.get(name, {}):
            out.append(f"{name}: spec.{field}: the vendor's model says create-only, our kind says mutable")
        if field not in fixed | perhaps and immutable and field not in KNOWN.get(name, {}):
            out.append(f"{name}: spec.{field}: the vendor's model says mutable, our kind says immutable")
    return out


def new_members(kind: Kind) -> list[str]:
    """Fields that a newer botocore has and the committed schema has not, or the other way round."""
    path = Path(kind.source)
    fresh, committed = build_schemas(read_kind_file(path)), json.loads(schema_file(path).read_text(encoding="utf-8"))
    new = set(fresh["spec"]["properties"]) - set(committed["spec"]["properties"])
    gone = set(committed["spec"]["properties"]) - set(fresh["spec"]["properties"])
    label = f"{kind.group.partition('.')[0]}/{kind.name}"
    return [f"{label}: spec.{f} is new in the API's model" for f in sorted(new)] + [f"{label}: spec.{f} is gone from the API's model" for f in sorted(gone)]


def documented(name: str, kind: Kind) -> list[str]:
    """Fields of a Google kind that the discovery document calls immutable and the kind's YAML does not."""
    declared = read_kind_file(Path(kind.source)).data
    plain = {**declared, "fields": {p: {k: v for k, v in r.items() if k != "immutable"} for p, r in (declared.get("fields") or {}).items()}}
    plain.pop("mutable", None)
    spec, _ = discovery_schema(plain, kind.service)
    return [f"{name}: spec.{p}: the discovery document says immutable, our kind says mutable"
            for p in field_paths(spec) if (schema_at(spec, p) or {}).get("x-immutable") and not kind.rule(p).immutable]


def main() -> int:
    schemas = cloudformation()
    findings: list[str] = []
    for kind in shipped().all():
        name = f"{kind.group.partition('.')[0]}/{kind.name}"
        findings += new_members(kind)
        if kind.dialect.name_field:
            findings += documented(name, kind)
            continue
        schema = schemas.get(TYPES.get(name, ""))
        if schema is None:
            print(f"{name}: no CloudFormation schema to compare with")
        else:
            findings += mutability(name, kind, schema)
        for field in KNOWN.get(name, {}):
            assert schema_at(kind.spec_schema, field) is not None, (name, field)
    print(f"{len(schemas)} vendor schemas read, {len(findings)} difference(s)")
    for finding in findings:
        print(f"  {finding}")
    return 0


sys.exit(main())
