"""What starts fast must not import what is slow; help, version, explain and crds need no cloud and no state."""

from __future__ import annotations

import subprocess
import sys

import pytest
import yaml

from holdfast.model.errors import CODES
from tests.cli.conftest import Desk

SLOW = ("botocore", "aiohttp", "yaml", "sqlite3", "jsonschema_rs", "orjson", "asyncio", "moto")
SCRIPT = f"""
import sys
{{}}
print(*[m for m in {SLOW!r} if m in sys.modules])
"""


def imported_by(desk: Desk, lines: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", SCRIPT.format(lines)], env=desk.env, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.splitlines()[-1].split() if done.stdout.strip() else []


def test_importing_the_program_imports_nothing_slow(desk: Desk):
    assert imported_by(desk, "import holdfast.cli.main") == []


@pytest.mark.parametrize("words", [["--help"], ["explain", "HF101"], ["explain"]], ids=" ".join)
def test_help_and_explain_import_nothing_slow(desk: Desk, words: list[str]):
    lines = f"from holdfast.cli.main import cli\ncli.main({words!r}, standalone_mode=False)"
    assert imported_by(desk, lines) == []


def test_help_lists_every_command_of_the_contract(desk: Desk):
    done = desk.run("--help")
    assert done.code == 0
    for name in ("plan", "apply", "verify", "get", "describe", "diff", "adopt", "delete", "explain", "crds", "run", "fake", "demo", "promote"):
        assert f"  {name} " in done.out, name


@pytest.mark.parametrize("command", ["plan", "apply", "verify", "diff", "get", "describe", "adopt", "promote", "delete", "explain", "crds", "run", "fake", "demo"])
def test_every_command_has_help(command: str):
    """In process: the text is click's, the import is ours."""
    from click.testing import CliRunner

    from holdfast.cli.main import cli

    done = CliRunner().invoke(cli, [command, "-h"])
    assert done.exit_code == 0
    assert "Usage:" in done.output
    assert command in done.output


def test_explain_knows_every_code_in_any_case(desk: Desk):
    table = desk.run("explain")
    assert table.code == 0
    assert [line.split()[0] for line in table.out.splitlines()] == list(CODES)
    one = desk.run("explain", "hf507")
    assert one.code == 0
    for text in ("HF507", CODES["HF507"].title, CODES["HF507"].cause, CODES["HF507"].step, CODES["HF507"].who):
        assert text in one.out


def test_crds_lists_and_prints_the_kinds_that_are_asked_for(desk: Desk):
    listed, some, one = desk.all(("crds", "--list"), ("crds", "--kinds", "sqs,SNS/Topic"), ("crds", "--kinds", "s3", "--list"))
    assert listed.code == some.code == one.code == 0
    names = [line.split()[1] for line in listed.out.splitlines()]
    assert {"queues.sqs.services.k8s.aws", "secrets.secretsmanager.services.k8s.aws", "buckets.s3.services.k8s.aws"} <= set(names)
    assert [line.split()[1] for line in one.out.splitlines()] == ["buckets.s3.services.k8s.aws"]
    documents = list(yaml.safe_load_all(some.out))
    crds = [d for d in documents if d["kind"] == "CustomResourceDefinition"]
    assert {d["metadata"]["name"] for d in crds} == {"queues.sqs.services.k8s.aws", "topics.sns.services.k8s.aws",
                                                     "adoptedresources.sqs.services.k8s.aws", "adoptedresources.sns.services.k8s.aws"}
    assert {d["kind"] for d in documents} >= {"CustomResourceDefinition", "ValidatingAdmissionPolicy"}


def test_one_kind_that_is_unknown_among_known_ones_is_an_error(desk: Desk):
    """A typo must not leave a CRD out unseen."""
    done = desk.run("crds", "--kinds", "sqs,snss")
    assert done.code == 1
    assert done.err.startswith("HF103 ")
    assert "snss" in done.err
