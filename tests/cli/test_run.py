"""run: the controller as a process, and the commands beside it."""

from __future__ import annotations

import signal
import subprocess
import time
from contextlib import contextmanager

import pytest

from tests.cli.conftest import FORCE, Desk, queue, until


@contextmanager
def controller(desk: Desk, *words: str):
    """A running `run`, stopped at the end."""
    process = desk.start("run", *words)
    try:
        assert process.stderr.readline().startswith("running on")
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def condition(desk: Desk, name: str = "orders") -> dict:
    obj = desk.run("get", "queue", name, "-o", "json").json
    return next((c for c in (obj.get("status") or {}).get("conditions", []) if c["type"] == "Ready"), {})


def test_run_corrects_drift_and_an_apply_beside_it_stores_and_waits(desk: Desk):
    desk.write("q.yaml", queue(visibilityTimeout="45"))
    with controller(desk, "--resync", "0.3") as process:
        applied = desk.run("apply", "q.yaml", "--timeout", "20")
        assert applied.code == 0, applied.text
        assert desk.queue_attribute("orders", "VisibilityTimeout") == "45"
        assert desk.cloud.mutations == ["CreateQueue"], "made once, by the controller"

        desk.set_queue("orders", VisibilityTimeout="7")
        until(lambda: desk.queue_attribute("orders", "VisibilityTimeout") == "45", "the drift is corrected")

        second = desk.run("run")
        assert (second.code, second.err[:5]) == (1, "HF607"), second.text
        assert process.poll() is None

        deleted = desk.run("delete", "queue", "orders", "--timeout", "20")
        assert deleted.code == 0, deleted.text
        assert desk.aws("sqs").list_queues().get("QueueUrls", []) == []

        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=15)
        assert process.returncode == 0
        assert errors.startswith("stopped"), errors
        assert "Traceback" not in errors
    assert desk.run("apply", "q.yaml").code == 0, "the lease is free again"


def test_beside_a_controller_the_exit_codes_are_the_same(desk: Desk):
    """2 for a verify-only object that differs, 1 for what is refused."""
    desk.aws("sqs").create_queue(QueueName="orders", Attributes={"VisibilityTimeout": "120"})
    desk.write("q.yaml", queue(notes=FORCE, visibilityTimeout="30"))
    desk.write("theirs.yaml", queue("orders").replace("  name: orders", "  name: plain"))
    with controller(desk):
        differs = desk.run("apply", "q.yaml", "--timeout", "20")
        refused = desk.run("apply", "theirs.yaml", "--timeout", "20")
    assert differs.code == 2, differs.text
    assert refused.code == 1, refused.text


def test_beside_a_controller_an_apply_waits_for_its_own_change(desk: Desk):
    """Taking the annotation away moves no generation, and is a change all the same: the difference is corrected before apply ends."""
    desk.aws("sqs").create_queue(QueueName="orders", Attributes={"VisibilityTimeout": "120"})
    desk.write("q.yaml", queue(notes=FORCE, visibilityTimeout="30"))
    with controller(desk):
        desk.run("apply", "q.yaml", "--timeout", "20")
        assert condition(desk)["status"] == "False"
        desk.write("q.yaml", queue(visibilityTimeout="30"))
        desk.cloud.misbehave(operation="GetQueueAttributes", times=2, before=lambda: time.sleep(0.3))  # a slow cloud
        done = desk.run("apply", "q.yaml", "--timeout", "20")
        assert done.code == 0, done.text
        assert desk.queue_attribute("orders", "VisibilityTimeout") == "30"


def test_beside_a_controller_promote_still_looks_at_the_resource(desk: Desk):
    """What was verified an hour ago is not what is live now."""
    desk.aws("sqs").create_queue(QueueName="orders", Attributes={"VisibilityTimeout": "120"})
    desk.write("q.yaml", queue(notes=FORCE, visibilityTimeout="120"))
    with controller(desk, "--resync", "3600"):
        assert desk.run("apply", "q.yaml", "--timeout", "20").code == 0
        desk.set_queue("orders", VisibilityTimeout="7")
        done = desk.run("promote", "queue", "orders", "--timeout", "10")
        assert done.code == 1, done.text
        assert desk.queue_attribute("orders", "VisibilityTimeout") == "7", "nothing was overwritten unseen"


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_signal_stops_it_cleanly_in_the_middle_of_work(desk: Desk, sign: signal.Signals):
    desk.cloud.misbehave(operation="GetQueueUrl", times=None, error=(500, "InternalError"))
    with controller(desk, "--resync", "0.1") as process:
        desk.run("apply", "-", "--timeout", "0.2", stdin=queue())
        until(lambda: "GetQueueUrl" in desk.cloud.log, "the controller works")
        process.send_signal(sign)
        _, errors = process.communicate(timeout=15)
        assert process.returncode == 0, errors
        assert "Traceback" not in errors


def test_two_applies_at_once_both_end_well(desk: Desk):
    """The second finds the lease taken; when the first has gone, the rest is its own."""
    for side in ("a", "b"):
        desk.write(f"{side}.yaml", "---\n".join(queue(f"{side}{i}", visibilityTimeout="45") for i in range(6)))
    first, second = (desk.start("apply", f"{side}.yaml", "--timeout", "40") for side in ("a", "b"))
    for process in (first, second):
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 0, out + errors
    assert len(desk.aws("sqs").list_queues()["QueueUrls"]) == 12
    assert desk.cloud.mutations.count("CreateQueue") == 12
