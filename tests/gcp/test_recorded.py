"""The fake answers as Google's services were seen to: every recorded call is replayed, and every field of its answer compared."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
import yaml

from holdfast.providers.gcp.fake import FakeGcp, project_number

RECORDED = yaml.safe_load((Path(__file__).parent / "recorded.yaml").read_text())
FORMS = {
    "<time>": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)",
    "<etag>": r"[A-Za-z0-9+/_-]+=*",
    "<number>": r"\d+",
    "<id>": r"\d+|[\w-]+:?\w+",
    "<ip>": r"\d+(\.\d+){3}",
    "<any>": r".*",
    "<op>": r"[\w-]+",
}


def differences(expected, given, at=""):
    """What the answer has otherwise than recorded, as lines; none where it fits."""
    if isinstance(expected, dict) and isinstance(given, dict):
        missing = [f"{at}.{k}: missing" for k in expected if k not in given]
        extra = [f"{at}.{k}: not recorded" for k in given if k not in expected]
        return missing + extra + [d for k in expected if k in given for d in differences(expected[k], given[k], f"{at}.{k}")]
    if isinstance(expected, list) and isinstance(given, list) and len(expected) == len(given):
        return [d for i, e in enumerate(expected) for d in differences(e, given[i], f"{at}[{i}]")]
    return [] if fits(expected, given) else [f"{at}: {expected!r} was recorded, {given!r} answered"]


def fits(expected, given):
    if expected == "<any>":
        return True
    if not isinstance(expected, str) or "<" not in expected:
        return expected == given
    if expected.startswith("<link "):
        return str(given).endswith(expected[len("<link "):-1])
    pieces = re.split(r"(<\w+>)", expected)
    return re.fullmatch("".join(f"({FORMS[p]})" if p in FORMS else re.escape(p) for p in pieces), str(given)) is not None


class Replay:
    """One kind's calls against a fresh fake; remembers what a later call refers to."""

    def __init__(self):
        self.cloud = FakeGcp(now=lambda: 1_711_974_896.123456)
        self.seen = {}
        self.operation = ""

    def filled(self, data, key=""):
        if isinstance(data, dict):
            return {k: self.filled(v, k) for k, v in data.items()}
        if isinstance(data, list):
            return [self.filled(v, key) for v in data]
        if data == "<seen>":
            return self.seen[key]
        return data.replace("{number}", project_number("proj")) if isinstance(data, str) else data

    def step(self, step):
        """Differences between the recorded answer and the fake's."""
        method, url = self.filled(step["at"]).split(" ", 1)
        url = url.replace("{op}", self.operation)
        if step.get("absent"):
            self.cloud.misbehave(operation=step["call"], absent=True)
        query = f"?{urlencode(step['query'])}" if "query" in step else ""
        body = json.dumps(self.filled(step["send"])).encode() if "send" in step else b""
        answer = self.cloud.handle(method, f"https://{url}{query}", {}, body)
        given = json.loads(answer.body) if answer.body else None
        self.remember(given or {}, url)
        expected = self.filled(step.get("answer"))
        for name in step.get("also", ()):
            expected[name] = "<any>"
        wrong = [] if self.cloud.log[-1] == step["call"] else [f"{self.cloud.log[-1]} was called, not {step['call']}"]
        wrong += [] if answer.status == step["status"] else [f"status {step['status']} was recorded, {answer.status} answered: {given}"]
        return wrong + differences(expected, given)

    def remember(self, given, url):
        self.seen |= {k: v for k, v in given.items() if k in ("etag", "labelFingerprint", "fingerprint")}
        if given.get("kind") == "compute#operation":
            self.operation = "compute/" + given["selfLink"].split("/compute/")[1]
        elif "/operations/" in str(given.get("name")):
            self.operation = f"v1/{given['name']}"


@pytest.mark.parametrize("kind", RECORDED)
def test_the_fake_answers_as_recorded(kind):
    replay = Replay()
    wrong = [f"{i} {step['call']} {d}" for i, step in enumerate(RECORDED[kind]) for d in replay.step(step)]
    assert not wrong, "\n".join(wrong)


def test_every_kind_was_seen_to_come_and_most_to_change_and_go():
    for kind, steps in RECORDED.items():
        verbs = {step["call"].rpartition(".")[2] for step in steps}
        assert verbs & {"create", "insert"}, kind
        assert {200, 404} <= {step["status"] for step in steps}, kind


@pytest.mark.parametrize(("name", "change"), [
    ("a default", {"answer": {"state": "PAUSED"}}),
    ("a field that is not there", {"answer": {"color": "red"}}),
    ("a status", {"status": 201}),
    ("a method", {"call": "pubsub.projects.topics.create"}),
    ("a form", {"answer": {"name": "<number>"}}),
])
def test_a_wrong_expectation_is_noticed(name, change):
    steps = json.loads(json.dumps(RECORDED["PubSubSubscription"]))
    at = next(i for i, s in enumerate(steps) if s["call"] == "pubsub.projects.subscriptions.create")
    steps[at] = {**steps[at], **change, "answer": {**steps[at]["answer"], **change.get("answer", {})}}
    replay = Replay()
    assert [replay.step(step) for step in steps][at], name


def test_a_field_that_was_not_recorded_is_noticed():
    steps = json.loads(json.dumps(RECORDED["PubSubSubscription"]))
    at = next(i for i, s in enumerate(steps) if s["call"] == "pubsub.projects.subscriptions.create")
    del steps[at]["answer"]["pushConfig"]
    replay = Replay()
    assert [replay.step(step) for step in steps][at] == [".pushConfig: not recorded"]
