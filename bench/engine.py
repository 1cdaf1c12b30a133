"""What one object costs: fast path, slow path, hashing, and an in-sync pass over many. Prints ratios; nothing here is a test.

    python bench/engine.py [OBJECTS]
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace

os.environ.update(AWS_ACCESS_KEY_ID="bench", AWS_SECRET_ACCESS_KEY="bench", AWS_REGION="eu-west-1", AWS_ENDPOINT_URL="http://127.0.0.1:9",
                  HOLDFAST_GCP_ENDPOINT="http://127.0.0.1:9")

from holdfast.app import make_engine, memory_store
from holdfast.core.canonical import canonical, digest
from holdfast.core.compare import Comparison, compare, describe_rest
from holdfast.core.cookie import cookie
from holdfast.core.decide import decide
from holdfast.core.normalise import normalise
from holdfast.kinds.catalog import shipped
from holdfast.model.directives import Directives
from holdfast.model.facts import Facts, Live, Memory
from holdfast.providers.wire import WireRequest, WireResponse
from holdfast.runtime.reconcile import reconcile

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000


def each(work: Callable[[], object], times: int) -> float:
    """Microseconds per call, the best of three rounds."""
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        for _ in range(times):
            work()
        best = min(best, time.perf_counter() - began)
    return best / times * 1e6


def pure() -> None:
    kind = shipped().need("sqs.services.k8s.aws", "Queue")
    policy = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS": "123456789012"}, "Action": ["sqs:SendMessage"],
                                                                "Resource": "*"}]})
    spec = {"queueName": "orders", "visibilityTimeout": "45", "delaySeconds": "5", "policy": policy, "tags": {f"k{i}": "v" for i in range(8)}}
    seen = {**spec, "maximumMessageSize": "262144", "receiveMessageWaitTimeSeconds": "0"}
    key = b"k" * 32
    desired, live = normalise(kind, spec, live=False), normalise(kind, seen, live=True)
    c = Comparison(kind, desired, live)
    now = cookie(c, {}, key)
    memory = Memory(cookie=now, ready=True, ready_reason="UpToDate", observed_generation=1, identity="arn")
    facts = Facts(kind, Directives(), memory, 1, False, True, "m", live=Live(seen, identity="arn"), desired=desired, cookie=now)
    rounds = max(COUNT // 5, 200)
    costs = {
        "normalise both sides": each(lambda: (normalise(kind, spec, live=False), normalise(kind, seen, live=True)), rounds),
        "hash both sides (cookie)": each(lambda: cookie(c, {}, key), rounds),
        "full comparison with verdicts": each(lambda: describe_rest(c, compare(c)), rounds),
        "decide, fast path": each(lambda: decide(facts), rounds),
        "decide, slow path": each(lambda: decide(replace(facts, use_fast_path=False, verdicts=compare(c))), rounds),
        "canonical form": each(lambda: canonical(desired), rounds),
        "sha256 of it": each(lambda: digest(desired), rounds),
    }
    fast = costs["normalise both sides"] + costs["hash both sides (cookie)"] + costs["decide, fast path"]
    slow = fast + costs["full comparison with verdicts"] + costs["decide, slow path"]
    for name, cost in costs.items():
        print(f"  {name:<32}{cost:>9.1f} us")
    print(f"  {'fast path, whole':<32}{fast:>9.1f} us")
    print(f"  {'slow path, whole':<32}{slow:>9.1f} us")
    print(f"  ratio slow : fast = {slow / fast:.2f}; hashing is {costs['hash both sides (cookie)'] / fast:.0%} of the fast path")


class Canned:
    """A cloud that answers from a table, so that what is measured is us."""

    def __init__(self) -> None:
        self.reads = self.writes = 0
        self.queues: dict[str, dict] = {}

    async def send(self, request: WireRequest) -> WireResponse:
        body = json.loads(request.body) if request.body.startswith(b"{") else {}
        name = body.get("QueueName") or body.get("QueueUrl", "").rpartition("/")[2]
        made = getattr(self, request.operation)(name, body)
        self.writes += request.operation in ("CreateQueue", "SetQueueAttributes", "TagQueue")
        self.reads += request.operation not in ("CreateQueue", "SetQueueAttributes", "TagQueue")
        if isinstance(made, WireResponse):
            return made
        return WireResponse(200, {"content-type": "application/x-amz-json-1.0"}, json.dumps(made).encode())

    def GetCallerIdentity(self, name: str, body: dict) -> WireResponse:  # noqa: N802
        del name, body
        return WireResponse(200, {}, b"<R><GetCallerIdentityResult><Account>123456789012</Account></GetCallerIdentityResult></R>")

    def GetQueueUrl(self, name: str, body: dict) -> object:  # noqa: N802
        del body
        if name not in self.queues:
            return WireResponse(400, {"content-type": "application/x-amz-json-1.0"}, b'{"__type": "com.amazonaws.sqs#QueueDoesNotExist"}')
        return {"QueueUrl": f"http://127.0.0.1:9/1/{name}"}

    def CreateQueue(self, name: str, body: dict) -> object:  # noqa: N802
        self.queues[name] = body
        return {"QueueUrl": f"http://127.0.0.1:9/1/{name}"}

    def GetQueueAttributes(self, name: str, body: dict) -> object:  # noqa: N802
        del body
        return {"Attributes": {**self.queues[name]["Attributes"], "QueueArn": f"arn:aws:sqs:eu-west-1:123456789012:{name}"}}

    def ListQueueTags(self, name: str, body: dict) -> object:  # noqa: N802
        del body
        return {"Tags": self.queues[name].get("tags") or {}}


class CannedGoogle:
    """The same for Google: topics, as Pub/Sub answers them."""

    def __init__(self) -> None:
        self.reads = self.writes = 0
        self.topics: dict[str, bytes] = {}

    async def send(self, request: WireRequest) -> WireResponse:
        name = request.url.partition("/v1/")[2]
        if request.method == "PUT":
            self.writes += 1
            self.topics[name] = json.dumps({**json.loads(request.body), "name": name}).encode()
        else:
            self.reads += 1
        if name not in self.topics:
            return WireResponse(404, {}, b'{"error": {"code": 404, "message": "Resource not found", "status": "NOT_FOUND"}}')
        return WireResponse(200, {}, self.topics[name])


def queue(i: int) -> dict:
    return {"apiVersion": "sqs.services.k8s.aws/v1alpha1", "kind": "Queue", "metadata": {"name": f"q{i}"},
            "spec": {"queueName": f"q{i}", "visibilityTimeout": "45", "tags": {"team": "a"}}}


def topic(i: int) -> dict:
    return {"apiVersion": "pubsub.cnrm.cloud.google.com/v1beta1", "kind": "PubSubTopic", "metadata": {"name": f"topic-{i}", "namespace": "shop", "labels": {"team": "a"}},
            "spec": {"messageRetentionDuration": "3600s", "messageStoragePolicy": {"allowedPersistenceRegions": ["europe-west1"]}}}


async def whole(count: int, cloud: Canned | CannedGoogle, body_of: Callable[[int], dict]) -> None:
    store = memory_store()
    engine, _, _ = make_engine(store, transport=cloud)
    keys = [(await store.apply(body_of(i), "bench")).key for i in range(count)]
    began = time.process_time()
    for key in keys:
        await reconcile(engine, key)
    create, version = time.process_time() - began, await store.version()
    calls, writes = cloud.reads + cloud.writes, cloud.writes
    cloud.reads = cloud.writes = 0
    began = time.process_time()
    for key in keys:
        await reconcile(engine, key)
    rest = time.process_time() - began
    print(f"  create: {create / count * 1e3:.2f} ms of CPU, {calls / count:.1f} cloud calls ({writes / count:.1f} writing), {version / count:.1f} store writes each")
    print(f"  in-sync pass: {rest / count * 1e3:.2f} ms of CPU, {cloud.reads / count:.1f} cloud calls each; cloud writes {cloud.writes}, "
          f"store writes {await store.version() - version}")
    print(f"  ratio create : in-sync = {create / rest:.2f}")


print("pure, per object:")
pure()
for title, cloud, body_of in (("AWS queues", Canned(), queue), ("Google topics", CannedGoogle(), topic)):
    print(f"{COUNT} {title}, store in memory, canned cloud:")
    asyncio.run(whole(COUNT, cloud, body_of))
