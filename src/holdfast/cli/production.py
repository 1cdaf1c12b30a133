"""A small "production" made by hand, for the demo: what a team finds in its account, with real settings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.providers.gcp.fake import FakeGcp

_TRUST = json.dumps({"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}]})


def build(endpoint: str) -> int:
    """Makes everything with plain AWS calls, as somebody did years ago; gives the number of resources."""
    import botocore.session

    session = botocore.session.get_session()

    def client(service: str) -> Any:
        return session.create_client(service, region_name="eu-west-1", endpoint_url=endpoint, aws_access_key_id="fake", aws_secret_access_key="fake")  # noqa: S106

    return _queues(client("sqs")) + _buckets(client("s3")) + _others(client)


def _queues(sqs: Any) -> int:
    sqs.create_queue(QueueName="orders-dlq", Attributes={"MessageRetentionPeriod": "1209600"}, tags={"team": "payments"})
    sqs.create_queue(QueueName="orders", tags={"team": "payments", "env": "prod"}, Attributes={
        "VisibilityTimeout": "120", "MessageRetentionPeriod": "345600", "ReceiveMessageWaitTimeSeconds": "20",
        "RedrivePolicy": json.dumps({"deadLetterTargetArn": "arn:aws:sqs:eu-west-1:123456789012:orders-dlq", "maxReceiveCount": "5"})})
    sqs.create_queue(QueueName="emails", Attributes={"VisibilityTimeout": "30"})
    return 3


def _buckets(s3: Any) -> int:
    for name in ("acme-invoices", "acme-logs"):
        s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
        s3.put_public_access_block(Bucket=name, PublicAccessBlockConfiguration={
            "BlockPublicAcls": True, "IgnorePublicAcls": True, "BlockPublicPolicy": True, "RestrictPublicBuckets": True})
    s3.put_bucket_versioning(Bucket="acme-invoices", VersioningConfiguration={"Status": "Enabled"})
    s3.put_bucket_encryption(Bucket="acme-invoices", ServerSideEncryptionConfiguration={"Rules": [
        {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]})
    s3.put_bucket_lifecycle_configuration(Bucket="acme-invoices", LifecycleConfiguration={"Rules": [
        {"ID": "archive", "Status": "Enabled", "Filter": {"Prefix": "old/"}, "Transitions": [{"Days": 90, "StorageClass": "GLACIER"}]}]})
    s3.put_bucket_tagging(Bucket="acme-invoices", Tagging={"TagSet": [{"Key": "team", "Value": "billing"}, {"Key": "retention", "Value": "7y"}]})
    return 2


def _others(client: Any) -> int:
    client("sns").create_topic(Name="order-events", Attributes={"DisplayName": "Orders"}, Tags=[{"Key": "team", "Value": "payments"}])
    client("dynamodb").create_table(
        TableName="customers", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}], Tags=[{"Key": "team", "Value": "crm"}])
    client("iam").create_role(RoleName="order-worker", AssumeRolePolicyDocument=_TRUST, Description="Runs the order worker", MaxSessionDuration=7200)
    client("ecr").create_repository(repositoryName="shop/web", imageTagMutability="IMMUTABLE", imageScanningConfiguration={"scanOnPush": True})
    client("logs").create_log_group(logGroupName="/shop/web", tags={"team": "web"})
    client("logs").put_retention_policy(logGroupName="/shop/web", retentionInDays=30)
    client("kms").create_key(Description="invoices", Tags=[{"TagKey": "team", "TagValue": "billing"}])
    client("ec2").create_vpc(CidrBlock="10.20.0.0/16", TagSpecifications=[{"ResourceType": "vpc", "Tags": [{"Key": "Name", "Value": "shop"}]}])
    client("secretsmanager").create_secret(Name="shop/db", SecretString="not-shown", Description="Database of the shop")
    return 8


PROJECT = "acme-shop"


def build_gcp(cloud: FakeGcp) -> int:
    """The same team's Google Cloud project: made in the console, years ago."""
    resources: dict[str, dict[str, Any]] = {
        f"pubsub.googleapis.com/projects/{PROJECT}/topics/order-events": {"messageRetentionDuration": "86400s", "labels": {"team": "payments"}},
        f"pubsub.googleapis.com/projects/{PROJECT}/topics/invoices": {"labels": {"team": "billing"}},
        "storage.googleapis.com/b/acme-exports": {
            "location": "EU", "storageClass": "NEARLINE", "labels": {"team": "billing"}, "versioning": {"enabled": True},
            "lifecycle": {"rule": [{"action": {"type": "Delete"}, "condition": {"age": 400}}]}},
        f"compute.googleapis.com/projects/{PROJECT}/global/networks/shop": {"autoCreateSubnetworks": False},
    }
    for name, body in resources.items():
        cloud.put(name, body)
    return len(resources)
