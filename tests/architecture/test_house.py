"""The house as promised: what must be true of the code by its shape."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from holdfast.core.validate import layer_of
from holdfast.kinds.catalog import shipped
from holdfast.model.kinds import field_paths
from holdfast.providers.aws.reader import AwsReader
from holdfast.providers.gcp.api import api_of
from holdfast.providers.gcp.reader import GcpReader
from holdfast.providers.wire import Gate, is_mutating
from holdfast.runtime import ports

SRC = Path(ports.__file__).parents[1]
LONG_KINDS = {"Bucket", "Table", "SQLInstance"}  # twenty sub-resources; one change at a time; ninety fields, most of them renamed


def test_the_reader_has_no_way_to_change_anything():
    for reader in (AwsReader, GcpReader):
        public = {name for name, _ in inspect.getmembers(reader, inspect.isfunction) if not name.startswith("_")}
        assert public == {"ask", "observe"}


def test_the_gate_refuses_and_counts_every_mutating_call():
    gate = Gate(allows_writes=False)
    gate.pass_through("sqs", "GetQueueUrl")
    gate.pass_through("pubsub", "pubsub.projects.topics.get")
    gate.pass_through("pubsub", "pubsub.projects.topics.list")
    refused = ("CreateQueue", "TagQueue", "SetQueueAttributes", "DeleteQueue", "AssumeRole", "Publish", "Put /shop.get", "pubsub.projects.topics.patch",
               "compute.addresses.setLabels", "storage.buckets.insert", "iam.projects.serviceAccounts.disable", "pubsub.projects.topics.getOrCreate")
    for operation in refused:
        with pytest.raises(Exception, match="HF512"):
            gate.pass_through("sqs", operation)
    assert (gate.reads, gate.writes, len(gate.refused)) == (3, 0, len(refused))


def test_every_operation_that_a_kind_reads_with_is_a_read():
    for kind in (k for k in shipped().all() if k.provider == "gcp"):
        api = api_of(kind)
        reads = [api.need(kind.api["name"], api.get.method or "get"), *api.operation_methods()]
        assert not [m.id for m in reads if is_mutating(m.id) or m.http != "GET"], kind.name
    for kind in (k for k in shipped().all() if k.provider == "aws"):
        for part in kind.api["parts"]:
            read = part.get("read") or []
            for call in read if isinstance(read, list) else [read]:
                assert not is_mutating(call["op"]), (kind.name, call["op"])
        for call in kind.api.get("find") or []:
            assert not is_mutating(call["op"]), (kind.name, call["op"])


@pytest.mark.parametrize("kind", shipped().all(), ids=lambda k: k.name)
def test_every_field_is_checked_by_some_layer(kind):
    unchecked = [p for p in field_paths(kind.spec_schema) if not layer_of(kind, p)]
    assert not unchecked


def test_a_kind_is_one_short_file():
    for path in (SRC / "kinds").glob("*/*/*.yaml"):
        assert path.stem in LONG_KINDS or path.read_text().count("\n") <= 80, path


def test_functions_are_short():
    long = []
    for path in SRC.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno - node.lineno >= 60:
                long.append(f"{path.name}:{node.name}")
    assert not long


def test_no_provider_or_kind_is_named_outside_its_place():
    """`if kind ==` or `if provider ==` outside providers/ is a defect."""
    for path in SRC.rglob("*.py"):
        if "providers" in path.parts or "cli" in path.parts:
            continue
        for word in ('provider == "', 'kind.name == "', "kind.provider =="):
            assert word not in path.read_text(), path


def test_protocols_are_small():
    for name, thing in inspect.getmembers(ports, inspect.isclass):
        if getattr(thing, "_is_protocol", False) and name != "Store":  # the sum of three
            own = [n for n, f in vars(thing).items() if not n.startswith("_") and (inspect.isfunction(f) or isinstance(f, property))]
            assert len(own) <= 5, (name, own)
