"""apply, delete, adopt and promote: the exit codes, what reaches the cloud, and what is stored."""

from __future__ import annotations

import pytest

from tests.cli.conftest import ACCOUNT, FORCE, Desk, queue

ARN = f"arn:aws:sqs:eu-west-1:{ACCOUNT}:orders"


def ready(desk: Desk, name: str = "orders") -> tuple[str, str]:
    obj = desk.run("get", "queue", name, "-o", "json").json
    (found,) = [c for c in obj["status"]["conditions"] if c["type"] == "Ready"]
    return found["status"], found["reason"]


def queues(desk: Desk) -> set[str]:
    return {u.rpartition("/")[2] for u in desk.aws("sqs").list_queues().get("QueueUrls", [])}


# ---- apply ----------------------------------------------------------------------------------------------------------------


def test_apply_creates_corrects_and_rests(desk: Desk):
    desk.write("all/a.yaml", queue(visibilityTimeout="45"))
    desk.write("all/b.yaml", queue("emails"))
    made = desk.run("apply", "all")
    assert made.code == 0, made.text
    assert made.out.splitlines()[-1] == "2 created"
    assert queues(desk) == {"orders", "emails"}
    assert ready(desk) == ("True", "UpToDate")
    assert desk.state.stat().st_mode & 0o777 == 0o600

    writes, stored = len(desk.cloud.mutations), desk.run("get", "queue", "-o", "json").out
    rested = desk.run("apply", "-f", "all")
    assert rested.code == 0
    assert rested.out.splitlines()[-1] == "2 as declared"
    assert len(desk.cloud.mutations) == writes
    assert desk.run("get", "queue", "-o", "json").out == stored

    desk.set_queue("orders", VisibilityTimeout="7")
    corrected = desk.run("apply", "-", stdin=queue(visibilityTimeout="45"))
    assert corrected.code == 0
    assert corrected.out.splitlines()[-1] == "1 updated"
    assert desk.queue_attribute("orders", "VisibilityTimeout") == "45"


def test_apply_from_a_cold_start(desk: Desk):
    """The program as a shell starts it."""
    desk.write("q.yaml", queue())
    done = desk.run_alone("apply", "q.yaml", "--state", "mine.db")
    assert (done.code, done.err) == (0, ""), done.text
    assert done.out.splitlines()[-1] == "1 created"
    assert (desk.folder / "mine.db").exists()
    assert not desk.state.exists()
    assert desk.run_alone("get", "queue", "orders", "-o", "name", "--state", "mine.db").out == "queue.sqs.services.k8s.aws/orders\n"
    assert desk.run_alone("verify", "q.yaml", "--state", "mine.db").code == 0
    assert desk.run_alone("verify", "nowhere.yaml").code == 1


def test_references_are_applied_in_any_order(desk: Desk):
    key = "apiVersion: kms.services.k8s.aws/v1alpha1\nkind: Key\nmetadata: {name: main}\nspec: {description: main}\n"
    desk.write("all.yaml", queue() + "  kmsMasterKeyRef: {from: {name: main}}\n", key)
    done = desk.run("apply", "all.yaml", "-o", "json")
    assert done.code == 0, done.text
    assert {o["name"]: o["action"] for o in done.json["objects"]} == {"orders": "create", "main": "create"}


def test_a_verify_only_object_that_differs_is_2_and_is_not_touched(desk: Desk):
    desk.aws("sqs").create_queue(QueueName="orders", Attributes={"VisibilityTimeout": "120"})
    writes = len(desk.cloud.mutations)
    desk.write("q.yaml", queue(notes=FORCE, visibilityTimeout="30"))
    differs = desk.run("apply", "q.yaml")
    assert differs.code == 2, differs.text
    assert "HF507" in differs.out
    assert ready(desk) == ("False", "UpdateFailed")
    desk.write("q.yaml", queue(notes=FORCE, visibilityTimeout="120"))
    assert desk.run("apply", "q.yaml").code == 0
    assert ready(desk) == ("True", "UpToDate")
    desk.write("m.yaml", queue("missing", notes=FORCE))
    assert desk.run("apply", "m.yaml").code == 2
    assert desk.cloud.mutations[writes:] == []


def test_what_is_refused_is_1_and_wins_over_2(desk: Desk):
    desk.aws("sqs").create_queue(QueueName="theirs")
    desk.write("theirs.yaml", queue("theirs"))
    desk.write("missing.yaml", queue("missing", notes=FORCE))
    writes = len(desk.cloud.mutations)
    both = desk.run("apply", "theirs.yaml", "missing.yaml", "-o", "json")
    assert both.code == 1
    assert {o["name"]: (o["action"], o["ready"]) for o in both.json["objects"]} == {"theirs": ("refused", False), "missing": ("missing", False)}
    assert "HF306" in desk.run("apply", "theirs.yaml").out
    assert desk.cloud.mutations[writes:] == []


def test_a_paused_object_is_not_ready_and_nothing_is_asked(desk: Desk):
    desk.write("q.yaml", queue(notes="services.k8s.aws/actuation-mode: Paused"))
    done = desk.run("apply", "q.yaml")
    assert done.code == 1, "all Ready is 0, and this one is not"
    assert "Paused" in done.out
    assert desk.cloud.log == []


def test_the_namespace_of_the_command_is_for_objects_without_one(desk: Desk):
    desk.write("all.yaml", queue("a"), queue("b").replace("  name: b\n", "  name: b\n  namespace: fixed\n"))
    assert desk.run("apply", "all.yaml", "-n", "shop").code == 0
    found = desk.run("get", "queue", "-A", "-o", "json").json["items"]
    assert [(o["metadata"]["namespace"], o["metadata"]["name"]) for o in found] == [("fixed", "b"), ("shop", "a")]


def test_what_another_installation_manages_is_refused(desk: Desk):
    desk.write("q.yaml", queue())
    assert desk.run("apply", "q.yaml").code == 0
    writes = len(desk.cloud.mutations)
    done = desk.run("apply", "q.yaml", "--state", "second.db")
    assert done.code == 1
    assert "HF306" in done.out
    assert desk.cloud.mutations[writes:] == []


def test_what_get_prints_gives_no_other_installation_the_right_to_write(desk: Desk):
    """`get -o yaml` has a status that names the resource; applied elsewhere, it must not make the resource theirs."""
    desk.write("q.yaml", queue(visibilityTimeout="45"))
    assert desk.run("apply", "q.yaml").code == 0
    writes = len(desk.cloud.mutations)
    text = desk.run("get", "queue", "orders", "-o", "yaml").out.replace("'45'", "'46'")
    done = desk.run("apply", "-", "--state", "second.db", stdin=text)
    assert done.code == 1, done.text
    assert desk.cloud.mutations[writes:] == []


# ---- delete ---------------------------------------------------------------------------------------------------------------


def test_delete_by_name_and_by_file(desk: Desk):
    desk.write("all/a.yaml", queue())
    desk.write("all/b.yaml", queue("emails"), queue("kept", notes="services.k8s.aws/deletion-policy: retain"))
    assert desk.run("apply", "all").code == 0
    by_name = desk.run("delete", "queues.sqs.services.k8s.aws", "orders")
    assert by_name.code == 0, by_name.text
    assert ARN in by_name.out
    assert queues(desk) == {"emails", "kept"}
    by_file = desk.run("delete", "-f", "all/b.yaml")
    assert by_file.code == 0, by_file.text
    assert queues(desk) == {"kept"}, "retained"
    assert desk.run("get", "queue", "-o", "json").json["items"] == []
    assert desk.run("delete", "queue", "orders").err.startswith("HF602 ")


def test_delete_by_file_of_which_a_part_is_not_stored_deletes_nothing(desk: Desk):
    desk.write("a.yaml", queue())
    desk.write("both.yaml", queue(), queue("never"))
    assert desk.run("apply", "a.yaml").code == 0
    done = desk.run("delete", "-f", "both.yaml")
    assert (done.code, done.err[:5]) == (1, "HF602")
    assert queues(desk) == {"orders"}


def test_deleting_a_verify_only_object_lets_the_resource_be(desk: Desk):
    desk.aws("sqs").create_queue(QueueName="orders")
    desk.write("q.yaml", queue(notes=FORCE))
    assert desk.run("apply", "q.yaml").code == 0
    writes, calls = len(desk.cloud.mutations), len(desk.cloud.log)
    assert desk.run("delete", "-f", "q.yaml").code == 0
    assert desk.cloud.mutations[writes:] == []
    assert desk.cloud.log[calls:] == [], "let go before any cloud call"
    assert queues(desk) == {"orders"}


def test_a_deletion_that_the_cloud_refuses_is_1_and_says_what_it_said(desk: Desk):
    desk.write("q.yaml", queue())
    assert desk.run("apply", "q.yaml").code == 0
    desk.cloud.misbehave(operation="DeleteQueue", times=None, error=(403, "AccessDenied"))
    done = desk.run("delete", "queue", "orders", "--timeout", "2")
    assert done.code == 1
    assert "made to fail" in done.out
    assert desk.run("get", "queue", "orders", "-o", "name").code == 0


# ---- adopt ----------------------------------------------------------------------------------------------------------------


def test_adopt_by_arn_and_by_name(desk: Desk):
    sqs = desk.aws("sqs")
    sqs.create_queue(QueueName="orders", Attributes={"VisibilityTimeout": "120"}, tags={"team": "a"})
    sqs.create_queue(QueueName="Emails_2")
    writes = len(desk.cloud.mutations)
    done = desk.run("adopt", "queue", "--arn", ARN)
    assert done.code == 0, done.text
    assert [line[:1] for line in done.text.splitlines() if " default/orders " in line] == ["<", "<"], "both lines say that it was adopted"
    obj = desk.run("get", "queue", "orders", "-o", "json").json
    assert obj["spec"]["visibilityTimeout"] == "120"
    assert obj["spec"]["tags"] == {"team": "a"}
    assert obj["metadata"]["annotations"]["services.k8s.aws/adopted"] == "true"
    assert obj["status"]["ackResourceMetadata"]["arn"] == ARN
    assert ready(desk) == ("True", "UpToDate")
    assert desk.cloud.mutations[writes:] == ["TagQueue"], "only our mark"
    assert desk.run("adopt", "queues", "--name", "Emails_2").code == 0
    assert ready(desk, "emails-2") == ("True", "UpToDate"), "a name that Kubernetes takes"
    again = desk.run("adopt", "queue", "--arn", ARN, "--as", "second")
    assert again.code == 1, again.text
    assert "HF305" in again.out


def test_adopt_for_verification_only_writes_nothing(desk: Desk):
    desk.aws("sqs").create_queue(QueueName="orders")
    writes = len(desk.cloud.mutations)
    assert desk.run("adopt", "queue", "--arn", ARN, "--as", "watched", "--verify-only").code == 0
    assert ready(desk, "watched") == ("True", "UpToDate")
    assert desk.cloud.mutations[writes:] == []


NOT_ADOPTED = {
    "not found": (("--name", "nowhere"), "HF506"),
    "no ARN": (("--arn", "nonsense"), "HF304"),
    "another account": (("--arn", ARN.replace(ACCOUNT, "999999999999")), "HF511"),
    "another region": (("--arn", ARN.replace("eu-west-1", "us-east-1")), "HF511"),
}


@pytest.mark.parametrize(("words", "code"), NOT_ADOPTED.values(), ids=NOT_ADOPTED)
def test_what_cannot_be_adopted_says_why_and_does_not_wait(desk: Desk, words: tuple[str, str], code: str):
    done = desk.run("adopt", "queue", *words, "--as", "x", "--timeout", "3")
    assert done.code == 1, done.text
    assert code in done.out + done.err, done.text
    assert desk.cloud.mutations == []


def test_adopt_does_not_take_the_place_of_an_object(desk: Desk):
    desk.write("q.yaml", queue())
    assert desk.run("apply", "q.yaml").code == 0
    before = desk.run("get", "queue", "orders", "-o", "json").out
    done = desk.run("adopt", "queue", "--name", "orders")
    assert (done.code, done.err[:5]) == (1, "HF302"), done.text
    assert desk.run("get", "queue", "orders", "-o", "json").out == before


# ---- promote --------------------------------------------------------------------------------------------------------------


def test_promote_is_refused_when_live_moved_and_writes_nothing_when_it_did_not(desk: Desk):
    desk.aws("sqs").create_queue(QueueName="orders", Attributes={"VisibilityTimeout": "120"})
    desk.write("q.yaml", queue(notes=FORCE, visibilityTimeout="120"))
    assert desk.run("apply", "q.yaml").code == 0
    desk.set_queue("orders", VisibilityTimeout="7")
    writes = len(desk.cloud.mutations)
    refused = desk.run("promote", "queue", "orders")
    assert refused.code == 1
    assert refused.err.startswith(("HF507 ", "HF508 ")), refused.text
    assert "spec.visibilityTimeout" in refused.err
    obj = desk.run("get", "queue", "orders", "-o", "json").json
    assert obj["metadata"]["annotations"]["services.k8s.aws/force-acquire"] == "true"
    assert desk.cloud.mutations[writes:] == []

    desk.set_queue("orders", VisibilityTimeout="120")
    writes = len(desk.cloud.mutations)
    assert desk.run("promote", "queue", "orders").code == 0
    obj = desk.run("get", "queue", "orders", "-o", "json").json
    assert "services.k8s.aws/force-acquire" not in obj["metadata"].get("annotations", {})
    assert obj["metadata"]["finalizers"]
    assert desk.cloud.mutations[writes:] == [], "promotion itself writes nothing"
    assert desk.run("promote", "queue", "orders").err.startswith("HF606 ")
