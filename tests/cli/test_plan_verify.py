"""plan, verify and diff: what they say, in text and JSON, and that they neither store nor write."""

from __future__ import annotations

import pytest

from tests.cli.conftest import FORCE, Desk, queue

KEY = "apiVersion: kms.services.k8s.aws/v1alpha1\nkind: Key\nmetadata: {name: main}\nspec: {description: main}\n"
USES_KEY = queue("sealed") + "  kmsMasterKeyRef: {from: {name: main}}\n"
WORD, OTHER_WORD = "correct-horse", "battery-staple"
SECRETS = (f"apiVersion: v1\nkind: Secret\nmetadata: {{name: db}}\nstringData: {{password: {WORD}}}\n",
           "apiVersion: secretsmanager.services.k8s.aws/v1alpha1\nkind: Secret\nmetadata: {name: db}\nspec: {name: db, secretString: {name: db, key: password}}\n")
ACTIONS = {"create", "update", "adopt", "delete", "release", "none", "differs", "missing"}


def fields(done, name: str) -> dict[str, dict]:
    (found,) = [o for o in done.json["objects"] if o["name"] == name]
    return {f["path"]: f for f in found["fields"]}


def check_shape(document: dict) -> None:
    """The contract of `-o json`."""
    assert set(document) == {"summary", "objects"}
    assert set(document["summary"]) >= ACTIONS
    assert all(isinstance(n, int) for n in document["summary"].values())
    assert sum(document["summary"].values()) == len(document["objects"])
    for obj in document["objects"]:
        assert set(obj) >= {"apiVersion", "kind", "namespace", "name", "action", "ready", "reason", "message", "fields"}
        assert obj["action"] in document["summary"]
        assert isinstance(obj["ready"], bool)
        for field in obj["fields"]:
            assert set(field) == {"path", "verdict", "desired", "live"}
            assert field["path"].startswith("spec.")
            assert field["verdict"] in ("match", "mismatch", "override", "default", "immutable", "unverifiable", "unmanaged", "volatile")


# ---- with nothing stored --------------------------------------------------------------------------------------------------


def test_a_file_a_folder_stdin_and_f_mean_the_same(desk: Desk):
    desk.write("all/deep/q.yaml", queue())
    text = (desk.folder / "all/deep/q.yaml").read_text()
    said = [desk.run("plan", "all/deep/q.yaml"), desk.run("plan", "all"), desk.run("plan", "-", stdin=text), desk.run("plan", "-f", "all/deep/q.yaml"),
            desk.run("plan", "-f", "-", stdin=text), desk.run("plan", "--filename", "all")]
    assert {(d.code, d.out, d.err) for d in said} == {(2, said[0].out, "")}
    assert "+ Queue default/orders" in said[0].out
    assert '+ spec.queueName = "orders"' in said[0].out
    assert said[0].out.splitlines()[-1] == "1 to create"
    assert "\x1b[" not in said[0].out


@pytest.mark.parametrize("command", ["plan", "verify", "diff"])
def test_it_stores_nothing_and_writes_nothing_whatever_the_manifests_say(desk: Desk, command: str):
    desk.aws("sqs").create_queue(QueueName="theirs")
    before = len(desk.cloud.mutations)
    desk.write("all/a.yaml", queue("absent"), queue("theirs", delaySeconds="9"), KEY, USES_KEY, *SECRETS)
    desk.write("all/b.yaml", queue("forced", notes=FORCE))
    desk.write("all/c.yaml", queue("other").replace("Queue", "AdoptedResource").partition("spec:")[0] +
               "spec: {apiVersion: sqs.services.k8s.aws/v1alpha1, kind: Queue, identifier: {name: theirs}}\n")
    done = desk.run(command, "all", "-o", "json")
    assert done.code in (1, 2)
    assert desk.cloud.mutations[before:] == []
    assert desk.files == {"all"}
    check_shape(done.json)


def test_in_verify_what_is_not_found_is_a_difference(desk: Desk):
    desk.write("q.yaml", queue())
    done = desk.run("verify", "q.yaml", "-o", "json")
    assert done.code == 2
    check_shape(done.json)
    (obj,) = done.json["objects"]
    assert (obj["action"], obj["ready"], obj["reason"]) == ("missing", False, "ResourceNotFound")
    assert done.json["summary"]["missing"] == 1


def test_verify_lists_every_field_with_its_verdict(desk: Desk):
    desk.aws("sqs").create_queue(QueueName="orders", Attributes={"VisibilityTimeout": "120"}, tags={"team": "a", "env": "b"})
    desk.write("q.yaml", queue(visibilityTimeout="30", messageRetentionPeriod="345600") + "  tags: {team: a}\n")
    done = desk.run("verify", "q.yaml", "-o", "json")
    assert done.code == 2
    check_shape(done.json)
    found = fields(done, "orders")
    assert found["spec.visibilityTimeout"] == {"path": "spec.visibilityTimeout", "verdict": "mismatch", "desired": "30", "live": "120"}
    assert found["spec.queueName"]["verdict"] == "match"
    assert found["spec.messageRetentionPeriod"]["verdict"] == "match"
    assert found["spec.delaySeconds"] == {"path": "spec.delaySeconds", "verdict": "default", "desired": None, "live": "0"}
    text = desk.run("verify", "q.yaml").out
    assert '! spec.visibilityTimeout: declared "30", live "120"' in text
    assert '= spec.queueName = "orders"' in text
    assert "(not declared; left alone)" in text
    only = desk.run("diff", "q.yaml")
    assert only.code == 2
    assert "spec.visibilityTimeout" in only.out
    assert "spec.queueName" not in only.out
    assert "spec.delaySeconds" not in only.out


def test_verify_of_what_is_as_declared_is_0_and_diff_says_nothing_of_it(desk: Desk):
    desk.aws("sqs").create_queue(QueueName="orders")
    desk.write("q.yaml", queue(visibilityTimeout="30"))
    verified, different = desk.run("verify", "q.yaml"), desk.run("diff", "q.yaml")
    assert (verified.code, different.code) == (0, 0)
    assert verified.out.splitlines()[-1] == "1 as declared"
    assert "orders" not in different.out


def test_plan_refuses_what_apply_would_refuse(desk: Desk):
    desk.aws("sqs").create_queue(QueueName="orders")
    desk.write("q.yaml", queue())
    done = desk.run("plan", "q.yaml")
    assert done.code == 1
    assert "HF306" in done.out


def test_an_error_wins_over_a_difference(desk: Desk):
    desk.write("all/a.yaml", queue("a"))
    desk.write("all/b.yaml", queue("b"))
    desk.cloud.misbehave(operation="GetQueueUrl", times=1, error=(403, "AccessDenied"))
    done = desk.run("verify", "all", "-o", "json")
    assert done.code == 1
    check_shape(done.json)
    assert {o["name"]: o["action"] for o in done.json["objects"]} == {"a": "error", "b": "missing"}


# ---- references and secrets -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("texts", [(KEY, USES_KEY), (USES_KEY, KEY)], ids=["in order", "the other way round"])
def test_what_a_planned_object_will_give_is_known_after_apply(desk: Desk, texts: tuple[str, str]):
    desk.write("all.yaml", *texts)
    done = desk.run("plan", "all.yaml", "-o", "json")
    assert done.code == 2, done.text
    check_shape(done.json)
    assert done.json["summary"]["create"] == 2
    assert fields(done, "sealed")["spec.kmsMasterKeyID"]["desired"] == "(known after apply)"
    assert "+ spec.kmsMasterKeyID = (known after apply)" in desk.run("plan", "all.yaml").out


def test_a_reference_to_what_is_neither_stored_nor_planned_is_an_error(desk: Desk):
    desk.write("q.yaml", USES_KEY)
    done = desk.run("plan", "q.yaml")
    assert done.code == 1
    assert "HF401" in done.out
    assert "spec.kmsMasterKeyRef" in done.out


def test_a_secret_is_never_printed(desk: Desk):
    desk.write("db.yaml", *SECRETS)
    said = [desk.run("plan", "db.yaml", "-o", "json")]
    assert fields(said[0], "db")["spec.secretString"]["desired"] == "(sensitive)"
    said += [desk.run("plan", "db.yaml"), desk.run("apply", "db.yaml", "-vv")]
    assert said[-1].code == 0, said[-1].text
    desk.aws("secretsmanager").put_secret_value(SecretId="db", SecretString=OTHER_WORD)
    said += [desk.run("verify", "db.yaml", "-o", "json")]
    assert said[-1].code == 2
    found = fields(said[-1], "db")["spec.secretString"]
    assert (found["verdict"], found["desired"], found["live"]) == ("mismatch", "(sensitive)", "(sensitive)")
    said += [desk.run("plan", "db.yaml", "-vv"), desk.run("diff", "db.yaml"), desk.run("apply", "db.yaml", "-o", "json")]
    assert said[-1].code == 0
    assert desk.aws("secretsmanager").get_secret_value(SecretId="db")["SecretString"] == WORD
    said += desk.all(("get", "secret", "-o", "yaml"), ("describe", "secret", "db"))
    for done in said:
        for word in (WORD, OTHER_WORD):
            assert word not in done.out + done.err, done.text


# ---- over what is stored --------------------------------------------------------------------------------------------------


def test_the_manifest_is_laid_over_the_stored_object(desk: Desk):
    """One story: applied, planned again, drifted, and a field taken out."""
    desk.write("q.yaml", queue(visibilityTimeout="45", delaySeconds="5"))
    assert desk.run("apply", "q.yaml").code == 0
    stored = desk.run("get", "queue", "-o", "json").out

    again = desk.run("plan", "q.yaml", "-o", "json")
    assert again.code == 0, again.text
    check_shape(again.json)
    found = fields(again, "orders")
    assert {found[f"spec.{n}"]["verdict"] for n in ("queueName", "visibilityTimeout", "delaySeconds")} == {"match"}, "never the fast path"
    assert found["spec.messageRetentionPeriod"]["verdict"] == "default"

    desk.set_queue("orders", VisibilityTimeout="7")
    writes = len(desk.cloud.mutations)
    drifted = desk.run("plan", "q.yaml")
    assert drifted.code == 2
    assert "~ Queue default/orders" in drifted.out
    assert '~ spec.visibilityTimeout: "7" → "45"' in drifted.out
    assert drifted.out.splitlines()[-1] == "1 to update"
    assert desk.run("verify", "q.yaml").code == 2

    desk.write("q.yaml", queue(visibilityTimeout="7"))
    removed = desk.run("plan", "q.yaml", "-o", "json")
    assert removed.code == 2
    assert removed.json["objects"][0]["action"] == "update"
    assert fields(removed, "orders")["spec.delaySeconds"]["live"] == "5"
    assert "spec.delaySeconds" in desk.run("plan", "q.yaml").out

    assert len(desk.cloud.mutations) == writes
    assert desk.run("get", "queue", "-o", "json").out == stored
    assert desk.queue_attribute("orders", "VisibilityTimeout") == "7"


def test_a_reference_to_what_is_stored_and_ready_is_resolved(desk: Desk):
    desk.write("key.yaml", KEY)
    assert desk.run("apply", "key.yaml").code == 0
    known = desk.run("get", "key", "main", "-o", "json").json["status"]["keyID"]
    desk.write("q.yaml", USES_KEY)
    done = desk.run("plan", "q.yaml", "-o", "json")
    assert done.code == 2
    assert fields(done, "sealed")["spec.kmsMasterKeyID"]["desired"] == known
