"""Kinds and facts for tests of the core: the shipped kinds, small kinds made to measure, and Facts from a spec and a live state."""

from __future__ import annotations

from holdfast.core.compare import Comparison, compare
from holdfast.core.cookie import cookie
from holdfast.core.normalise import normalise
from holdfast.core.overrides import apply_overrides
from holdfast.kinds.catalog import shipped
from holdfast.kinds.loader import load_dialect
from holdfast.model.directives import Directives
from holdfast.model.facts import Absent, Facts, Live, Memory
from holdfast.model.kinds import FieldRules, Kind, Reference

QUEUE = shipped().need("sqs.services.k8s.aws", "Queue")
BUCKET = shipped().need("s3.services.k8s.aws", "Bucket")
ROLE = shipped().need("iam.services.k8s.aws", "Role")
SECRET = shipped().need("secretsmanager.services.k8s.aws", "Secret")
TOPIC = shipped().need("pubsub.cnrm.cloud.google.com", "PubSubTopic")

ARN = "arn:aws:sqs:eu-west-1:123456789012:jobs"
MARK = "installation/sqs.services.k8s.aws/Queue/default/jobs"
KEY = b"installation key"
TEXT, FLAG, WHOLE = {"type": "string"}, {"type": "boolean"}, {"type": "integer", "format": "int64"}


def listed(items: dict) -> dict:
    return {"type": "array", "items": items}


def an_object(**properties: dict) -> dict:
    return {"type": "object", "properties": properties}


def free_map(values: dict = TEXT) -> dict:
    return {"type": "object", "additionalProperties": values}


def toy(properties: dict, rules: dict | None = None, *, required: tuple = (), references: tuple[Reference, ...] = (), family: str = "aws", **more) -> Kind:
    """A kind made to measure, in the dialect of its family."""
    d = load_dialect(family)
    return Kind(
        provider=family, service="toy", group=f"toy{d.group_suffix}", version=d.default_version, name="Toy", plural="toys", dialect=d,
        spec_schema={"type": "object", "properties": properties, **({"required": list(required)} if required else {})},
        status_schema={"type": "object", "properties": {"toyID": TEXT}},
        rules={path: FieldRules(path, **raw) for path, raw in (rules or {}).items()}, references=references, **more)


def comparison(kind: Kind, spec: dict, live: dict, **more) -> Comparison:
    return Comparison(kind, normalise(kind, spec, live=False), normalise(kind, live, live=True), **more)


def findings(c: Comparison) -> dict[str, str]:
    return {v.path: v.finding.value for v in compare(c)}


def facts(spec: dict | None = None, live: dict | Live | Absent | None = None, *, kind: Kind = QUEUE, directives: dict | None = None,
          memory: dict | None = None, live_is: dict | None = None, removed: tuple[str, ...] = (), was_right: bool = False, **more) -> Facts:
    """Facts of an object with `spec` over a resource with `live` (its spec); `live_is` says more of the resource.

    `was_right` remembers the very cookie of this state, and status that says so.
    """
    spec = {"queueName": "jobs"} if spec is None else spec
    remembered = {"identity": ARN, **(memory or {})}
    if isinstance(live, dict):
        live = Live(**{"spec": live, "identity": ARN, **(live_is or {})})
    base = {"kind": kind, "directives": Directives(**(directives or {})), "generation": 3, "is_deleting": False, "has_finalizer": True,
            "mark": MARK, "live": live, "desired": normalise(kind, spec, live=False), "removed": removed, "key": KEY}
    if isinstance(live, Live):
        c = comparison(kind, spec, live.spec, removed=removed, unread=frozenset(live.failed))
        known = remembered.get("overrides", {})
        base["verdicts"] = apply_overrides(kind, compare(c), known, KEY)
        base["cookie"] = cookie(c, known, KEY)
    if was_right:
        remembered = {"cookie": base["cookie"], "ready": True, "ready_reason": "UpToDate", "observed_generation": 3, **remembered}
    return Facts(**{**base, "memory": Memory(**remembered), **more})
