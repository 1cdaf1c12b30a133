"""What is wrong is said in one clear line with a code, on stderr; exit code 1; nothing is stored and the cloud is not asked."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from tests.cli.conftest import PROGRAM, Desk, queue
from tests.cli.test_get import stored

ADOPTED = """\
apiVersion: sqs.services.k8s.aws/v1alpha1
kind: AdoptedResource
metadata: {name: a}
spec:
  apiVersion: sqs.services.k8s.aws/v1alpha1
  kind: Queue
"""
ROWS = {
    "YAML syntax": ("spec: [1, 2\nkind: x\n", "HF101", "m.yaml:2"),
    "key given twice": (queue() + "kind: Queue\n", "HF101", "m.yaml:7"),
    "unknown tag": (queue(policy="") + "  redrivePolicy: !Ref x\n", "HF101", "m.yaml:8"),
    "refers to itself": ("a: &a [*a]\n", "HF101", "m.yaml:1"),
    "not an object": ("- a\n- b\n", "HF102", "m.yaml:1"),
    "no kind": ("apiVersion: v1\nmetadata: {name: a}\n", "HF102", "kind"),
    "no name": ("apiVersion: sqs.services.k8s.aws/v1alpha1\nkind: Queue\nspec: {queueName: a}\n", "HF102", "metadata.name"),
    "unknown kind": (queue().replace("Queue", "Quue"), "HF103", "'sqs.services.k8s.aws/Queue'"),
    "unknown version": (queue().replace("v1alpha1", "v9"), "HF103", "v1alpha1"),
    "wrong type": (queue() + "  visibilityTimeout: 30\n", "HF104", "m.yaml:7: spec.visibilityTimeout: must be a string"),
    "bad name": (queue("Not_A_Name"), "HF104", "m.yaml:4: metadata.name"),
    "spec is a list": (queue().partition("spec:")[0] + "spec: [a]\n", "HF104", "m.yaml:5: spec"),
    "annotations are a list": (queue().replace("  name: orders\n", "  name: orders\n  annotations: [a]\n"), "HF104", "m.yaml:5: metadata.annotations"),
    "binary": (queue() + "  policy: !!binary aGVsbG8=\n", "HF101", "m.yaml"),
    "unknown field": (queue(visibilityTimeuot="30"), "HF105", "m.yaml:7: spec.visibilityTimeuot: Queue has no such field; did you mean 'visibilityTimeout'?"),
    "unknown field beside spec": (queue() + "sepc: {}\n", "HF105", "m.yaml:7: sepc"),
    "required field": (queue().replace("queueName", "delaySeconds"), "HF106", "spec.queueName"),
    "one of": (queue(kmsMasterKeyID="a") + "  kmsMasterKeyRef: {from: {name: b}}\n", "HF107", "spec.kmsMasterKeyRef"),
    "unknown path in a directive": (queue(notes="services.k8s.aws/default-to-aws-fields: tgas"), "HF109", "'tags'"),
    "object given twice": (queue() + "---\n" + queue(), "HF110", "m.yaml:1"),
    "directive's value": (queue(notes='services.k8s.aws/force-acquire: "yes"'), "HF201", "m.yaml:5"),
    "directive's value without quotes": (queue(notes="services.k8s.aws/force-acquire: true"), "HF201", "in quotes"),
    "directive of another cloud": (queue(notes='cnrm.cloud.google.com/force-acquire: "true"'), "HF202", "services.k8s.aws/force-acquire"),
    "misspelt directive": (queue(notes='services.k8s.aws/force-aquire: "true"'), "HF203", "'force-acquire'"),
    "adoption of an unknown kind": (ADOPTED.replace("kind: Queue", "kind: Quue"), "HF301", "m.yaml:6: spec.kind"),
    "adoption without identifier": (ADOPTED, "HF304", "spec.identifier"),
}


def assert_one_line(done, code: str) -> str:
    """One line on stderr that starts with the code; stdout is left to results."""
    assert done.code == 1, done.text
    assert done.out == "", done.text
    (line,) = done.err.splitlines() or [""]
    assert line.startswith(f"{code} "), done.text
    return line


@pytest.mark.parametrize(("text", "code", "says"), ROWS.values(), ids=ROWS)
def test_what_is_wrong_with_a_manifest(desk: Desk, text: str, code: str, says: str):
    desk.write("m.yaml", text)
    line = assert_one_line(desk.run("apply", "m.yaml"), code)
    assert "m.yaml" in line
    assert says in line, line
    assert not desk.state.exists()
    assert desk.cloud.log == []


def test_a_missing_file(desk: Desk):
    assert "nowhere.yaml" in assert_one_line(desk.run("plan", "nowhere.yaml"), "HF101")
    assert not desk.state.exists()


def test_a_folder_without_manifests(desk: Desk):
    (desk.folder / "empty").mkdir()
    desk.write("empty/notes.txt", "not: a manifest")
    assert "empty" in assert_one_line(desk.run("verify", "empty"), "HF101")
    assert not desk.state.exists()


def test_a_file_that_is_not_text(desk: Desk):
    (desk.folder / "m.yaml").write_bytes(b"\xff\xfe\x00binary")
    assert "m.yaml" in assert_one_line(desk.run("apply", "m.yaml"), "HF101")


def test_one_wrong_manifest_keeps_all_from_being_stored_and_each_error_has_its_line(desk: Desk):
    desk.write("all/good.yaml", queue("good"))
    desk.write("all/one.yaml", queue("one", visibilityTimeuot="1"))
    desk.write("all/two.yaml", queue("two") + "  visibilityTimeout: 1\n")
    desk.write("all/three.yaml", "a: [\n")
    done = desk.run("apply", "all")
    assert done.code == 1
    lines = sorted(done.err.splitlines())
    assert [line[:5] for line in lines] == ["HF101", "HF104", "HF105"], done.text
    assert all(re.search(r"all/\w+\.yaml:\d+: ", line) for line in lines), done.text
    assert not desk.state.exists()
    assert desk.cloud.log == []


def test_stdin_is_named_in_errors(desk: Desk):
    assert "<stdin>:7" in assert_one_line(desk.run("apply", "-", stdin=queue(visibilityTimeuot="1")), "HF105")


def test_what_only_the_stored_object_shows_stores_none_of_the_others(desk: Desk):
    """An edit that admission refuses comes second in the folder: the first object must not be stored either."""
    stored(desk, queue(fifoQueue="true"))
    desk.write("all/a.yaml", queue("another"))
    desk.write("all/b.yaml", queue(fifoQueue="false"))
    line = assert_one_line(desk.run("apply", "all"), "HF108")
    assert "all/b.yaml:7" in line
    assert desk.run("get", "queues", "-o", "name").out.split() == ["queue.sqs.services.k8s.aws/orders"]
    assert desk.cloud.log == []


def test_deleting_by_a_broken_file_deletes_nothing_and_says_so(desk: Desk):
    stored(desk, queue())
    desk.write("all/a.yaml", queue())
    desk.write("all/b.yaml", "a: [\n")
    assert "b.yaml:2" in assert_one_line(desk.run("delete", "-f", "all"), "HF101")
    assert desk.run("get", "queue", "orders", "-o", "name").code == 0


WRONG_USE = {
    "no path": (("plan",), "HF606"),
    "unknown command": (("paln", "x"), "HF606"),
    "unknown option": (("get", "queue", "--nope"), "HF606"),
    "unknown output": (("get", "queue", "-o", "xml"), "HF606"),
    "delete of nothing": (("delete",), "HF606"),
    "adopt without identifier": (("adopt", "queue"), "HF606"),
    "adopt with two identifiers": (("adopt", "queue", "--arn", "a", "--name", "b"), "HF606"),
    "adopt of an unknown kind": (("adopt", "quue", "--name", "b"), "HF103"),
    "explain of an unknown code": (("explain", "HF999"), "HF606"),
    "crds of an unknown kind": (("crds", "--kinds", "nope"), "HF103"),
    "get of an unknown kind": (("get", "quue"), "HF103"),
    "get of what is not stored": (("get", "queue", "orders"), "HF602"),
    "describe of what is not stored": (("describe", "queue", "orders"), "HF602"),
    "delete of what is not stored": (("delete", "queue", "orders"), "HF602"),
    "promote of what is not stored": (("promote", "queue", "orders"), "HF602"),
}


@pytest.mark.parametrize(("words", "code"), WRONG_USE.values(), ids=WRONG_USE)
def test_wrong_use(desk: Desk, words: tuple[str, ...], code: str):
    assert_one_line(desk.run(*words), code)
    assert desk.cloud.log == []


def test_a_state_file_that_cannot_be_used(desk: Desk):
    desk.write("m.yaml", queue())
    desk.write("notes.txt", "these are my notes\n" * 100)
    assert "notes.txt" in assert_one_line(desk.run("apply", "m.yaml", "--state", "notes.txt"), "HF604")
    assert "m.yaml/state.db" in assert_one_line(desk.run("apply", "m.yaml", "--state", "m.yaml/state.db"), "HF604")
    assert (desk.folder / "notes.txt").read_text().startswith("these are my notes")
    assert desk.cloud.log == []


# ---- the surroundings -----------------------------------------------------------------------------------------------------

SURROUNDINGS = {
    "no credentials": ({"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}, "HF501", "AWS_ACCESS_KEY_ID"),
    "no region": ({"AWS_REGION": None}, "HF501", "AWS_REGION"),
    "no such profile": ({"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None, "AWS_PROFILE": "nope"}, "HF501", "nope"),
    "endpoint down": ({"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, "HF504", "127.0.0.1"),
}


@pytest.mark.parametrize(("env", "code", "says"), SURROUNDINGS.values(), ids=SURROUNDINGS)
def test_what_is_wrong_around_us_is_one_clear_line(desk: Desk, env: dict, code: str, says: str):
    desk.write("m.yaml", queue())
    done = desk.run("verify", "m.yaml", env=env)
    assert done.code == 1, done.text
    (line,) = [text for text in (done.out + done.err).splitlines() if code in text]
    assert says in line, done.text
    assert desk.files == {"m.yaml"}
    assert desk.cloud.log == []


def test_apply_without_credentials_does_not_wait_for_them(desk: Desk):
    desk.write("m.yaml", queue())
    done = desk.run("apply", "m.yaml", "--timeout", "30", env={"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None})
    assert done.code == 1
    assert sum("HF501" in text for text in (done.out + done.err).splitlines()) == 1, done.text


def test_apply_on_a_cloud_that_is_down_ends_with_its_timeout(desk: Desk):
    desk.write("m.yaml", queue())
    done = desk.run("apply", "m.yaml", "--timeout", "1", env={"AWS_ENDPOINT_URL": "http://127.0.0.1:1"})
    assert done.code == 1
    assert "HF605" in done.out, done.text
    assert "cannot connect" in done.out, done.text


def test_a_pipe_that_closes_early_is_no_error(desk: Desk):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*PROGRAM, "crds"], env=desk.env, stdout=write, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(write)
    assert "Traceback" not in done.stderr
    assert done.returncode == 1, "as click has it"
