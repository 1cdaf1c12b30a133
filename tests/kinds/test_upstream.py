"""Our kinds against upstream's CRDs: names, types and required fields are equal, or more. Each deliberate difference has its reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from holdfast.kinds.catalog import shipped
from holdfast.kinds.crd import crd_of

HERE = Path(__file__).parent
FACTS = json.loads((HERE / "upstream.json").read_text())
DIFFERENCES = yaml.safe_load((HERE / "differences.yaml").read_text()) or {}
KINDS = [k for k in FACTS if not k.startswith("services/")]


def flatten(schema: dict, path: str, out: dict, required: bool = False) -> None:
    out[path] = schema.get("type", "object") + (" required" if required else "")
    for name, node in (schema.get("properties") or {}).items():
        flatten(node, f"{path}.{name}", out, name in (schema.get("required") or ()))
    if schema.get("type") == "array":
        flatten(schema["items"], f"{path}[]", out)
    if isinstance(schema.get("additionalProperties"), dict):
        flatten(schema["additionalProperties"], f"{path}{{}}", out)


def find(service: str, kind: str):
    return shipped().find(f"{service}.services.k8s.aws", kind) or shipped().need(f"{service}.cnrm.cloud.google.com", kind)


def ours(name: str) -> tuple[dict, dict]:
    service, _, kind = name.partition("/")
    crd = crd_of(find(service, kind))
    out: dict = {}
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    flatten(schema["spec"], "spec", out)
    flatten(schema["status"], "status", out)
    return crd, out


@pytest.mark.parametrize("name", KINDS)
def test_fields_types_and_required_are_upstreams(name):
    crd, have = ours(name)
    facts, wrong = FACTS[name], {}
    known = DIFFERENCES.get(name) or {}
    for path, fact in facts["fields"].items():
        want = fact.replace(" immutable", "").replace("immutable ", "")
        if path in ("spec", "status"):
            continue
        if have.get(path) != want and path not in known:
            wrong[path] = f"upstream {want}, ours {have.get(path, 'missing')}"
    assert not wrong, wrong
    assert f"{crd['spec']['group']}/{crd['spec']['versions'][0]['name']}" == facts["apiVersion"]
    assert crd["spec"]["names"]["plural"] == facts["plural"]


@pytest.mark.parametrize("name", KINDS)
def test_required_fields_of_ours_are_upstreams_too(name):
    _, have = ours(name)
    known = DIFFERENCES.get(name) or {}
    extra = {p for p, t in have.items() if t.endswith("required") and "required" not in FACTS[name]["fields"].get(p, "") and p not in known}
    assert not extra, extra


@pytest.mark.parametrize("name", KINDS)
def test_what_upstream_marks_immutable_is_immutable(name):
    service, _, kind_name = name.partition("/")
    kind = find(service, kind_name)
    known = DIFFERENCES.get(name) or {}
    lax = [p for p, f in FACTS[name]["fields"].items() if "immutable" in f and not kind.rule(p.removeprefix("spec.")).immutable and p not in known]
    assert not lax, lax


def test_every_difference_has_a_reason_and_is_one():
    for name, reasons in DIFFERENCES.items():
        _, have = ours(name)
        for path, why in reasons.items():
            assert isinstance(why, str), (name, path)
            assert len(why) > 10, (name, path)
            fact = FACTS[name]["fields"].get(path, "")
            assert have.get(path) != fact, f"{name} {path} is no difference any more"
