"""ACK's names from AWS's: camel case with initialisms. `KmsMasterKeyId` → `kmsMasterKeyID`, `VpcId` → `vpcID`.

The table is ordered: a longer or more special word stands before a shorter one. It holds facts about names, not code, and is tested
against every field name of every kind that we ship.
"""

from __future__ import annotations

import re

# (as AWS writes it inside a word, as ACK writes it, as ACK writes it at the start of a field)
_RULES: tuple[tuple[str, str, str], ...] = (
    ("Ids", "IDs", "ids"), ("Id", "ID", "id"), ("Acls", "ACLs", "acls"), ("Acl", "ACL", "acl"), ("Acp", "ACP", "acp"),
    ("Api", "API", "api"), ("Arns", "ARNs", "arns"), ("Arn", "ARN", "arn"), ("Asn", "ASN", "asn"), ("Aws", "AWS", "aws"),
    ("Az", "AZ", "az"), ("Bgp", "BGP", "bgp"), ("Cidr", "CIDR", "cidr"), ("Cors", "CORS", "cors"), ("Cpu", "CPU", "cpu"),
    ("Csv", "CSV", "csv"), ("Db", "DB", "db"), ("Dhcp", "DHCP", "dhcp"), ("Dns64", "DNS64", "dns64"), ("Dns", "DNS", "dns"), ("Ebs", "EBS", "ebs"), ("Ec2", "EC2", "ec2"),
    ("Ecr", "ECR", "ecr"), ("Ecs", "ECS", "ecs"), ("Eks", "EKS", "eks"), ("Fifo", "FIFO", "fifo"), ("Http", "HTTP", "http"), ("Https", "HTTPS", "https"),
    ("Iam", "IAM", "iam"), ("Io", "IO", "io"), ("Ipam", "IPAM", "ipam"), ("Ipv4", "IPv4", "ipv4"), ("Ipv6", "IPv6", "ipv6"), ("Ip", "IP", "ip"),
    ("Json", "JSON", "json"), ("Jwt", "JWT", "jwt"), ("Kms", "KMS", "kms"), ("Mfa", "MFA", "mfa"), ("Mac", "MAC", "mac"), ("Nat", "NAT", "nat"),
    ("Orc", "ORC", "orc"), ("Oidc", "OIDC", "oidc"), ("Rds", "RDS", "rds"), ("S3", "S3", "s3"), ("Sql", "SQL", "sql"), ("Sqs", "SQS", "sqs"),
    ("Sns", "SNS", "sns"), ("Sse", "SSE", "sse"), ("Ssl", "SSL", "ssl"), ("Ssm", "SSM", "ssm"), ("Tcp", "TCP", "tcp"), ("Tls", "TLS", "tls"),
    ("Ttl", "TTL", "ttl"), ("Udp", "UDP", "udp"), ("Uri", "URI", "uri"), ("Url", "URL", "url"), ("Vpc", "VPC", "vpc"), ("Vpn", "VPN", "vpn"),
    ("Xml", "XML", "xml"),
)
_WORDS = {word: (inside, start) for word, inside, start in _RULES}
_SPLIT = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+|[0-9]+")
_KEYWORDS = {"type": "type_", "range": "range_", "func": "func_", "map": "map_", "package": "package_", "import": "import_"}


_ODD = {"URI": "uRI", "SSEKMS": "sseKMS"}  # as upstream has them


def words(name: str) -> list[str]:
    return _SPLIT.findall(name)


def field_name(wire: str) -> str:
    """The field name that ACK gives to a member of an AWS shape."""
    if wire in _ODD:
        return _ODD[wire]
    parts = words(wire[0].upper() + wire[1:])
    out = []
    for i, part in enumerate(parts):
        inside, start = _WORDS.get(part[0].upper() + part[1:].lower(), ("", ""))
        if inside:
            out.append(start if i == 0 else inside)
        elif i == 0:
            out.append(part.lower() if part.isupper() else part[0].lower() + part[1:])
        else:
            out.append(part[0].upper() + part[1:])
    name = "".join(out)
    return _KEYWORDS.get(name, name)
