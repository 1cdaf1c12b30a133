"""CRDs and the immutability policy, written from kinds. `deploy/crds` holds them; `make check` fails when they are stale."""

from __future__ import annotations

import re
from collections.abc import Mapping

from holdfast.core.directives import FORCE_ACQUIRE
from holdfast.model.json import Json, JsonMap
from holdfast.model.kinds import Kind

_TEXT: JsonMap = {"type": "string"}
_CONDITION: JsonMap = {
    "type": "object",
    "properties": {"lastTransitionTime": {"type": "string", "format": "date-time"}, "message": _TEXT, "reason": _TEXT, "status": _TEXT, "type": _TEXT},
}
_BY_NAME_OR_EXTERNAL: list[JsonMap] = [
    {"not": {"required": ["external"]}, "required": ["name"]},
    {"not": {"anyOf": [{"required": ["name"]}, {"required": ["namespace"]}]}, "required": ["external"]},
]
_FREE: JsonMap = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_FAMILY: dict[str, dict[str, Json]] = {  # what the status of each family has of its own, by the top of its identity_path
    "ackResourceMetadata": {
        "ackResourceMetadata": {"type": "object", "required": ["ownerAccountID", "region"],
                                "properties": {"arn": _TEXT, "ownerAccountID": _TEXT, "partition": _TEXT, "region": _TEXT}},
        "conditions": {"type": "array", "items": {**_CONDITION, "required": ["status", "type"]}}},
    "externalRef": {"externalRef": {"type": "string", "maxLength": 2048}},
}
_OWN_STATUS: dict[str, Json] = {
    "adopted": {"type": "boolean"},
    "appliedFields": {"type": "array", "items": _TEXT},
    "conditions": {"type": "array", "items": _CONDITION},
    "hold": _FREE, "intent": _FREE, "operation": _FREE, "settling": _FREE,
    "lastModifiedCookie": _TEXT,
    "observedGeneration": {"type": "integer", "format": "int64"},
    "sentFields": {"type": "object", "additionalProperties": _TEXT},
    "specOverrides": _FREE,
    "verification": _FREE,
}


def crd_of(kind: Kind) -> dict[str, Json]:
    spec, status = _clean(kind.spec_schema), _clean(kind.status_schema)
    family = _FAMILY[kind.dialect.identity_path.partition(".")[0]]
    status = {"type": "object", "properties": dict(sorted({**status["properties"], **_OWN_STATUS, **family}.items()))}
    for name in kind.identity_fields if kind.dialect.name_field else ():
        spec["properties"][name]["maxLength"] = 1024  # longer than any name; without a bound the API server refuses rules over it
    rules = [*_one_of_rules(kind)]
    if rules:
        spec["x-kubernetes-validations"] = rules
    root: dict[str, Json] = {
        "type": "object",
        "properties": {"apiVersion": _TEXT, "kind": _TEXT, "metadata": {"type": "object"}, "spec": spec, "status": status},
    }
    identity = _identity_rules(kind)
    if identity:
        root["x-kubernetes-validations"] = identity
    return _document(kind.group, kind.version, kind.name, kind.plural, root, kind.short_names)


def adopted_crd(group: str) -> dict[str, Json]:
    """AdoptedResource in a service's group: both documented shapes, so the schema leaves the choice open."""
    identifier = {"type": "object", "properties": {"arn": _TEXT, "name": _TEXT, "id": {"x-kubernetes-int-or-string": True}}}
    own = {"apiVersion": _TEXT, "kind": _TEXT, "identifier": identifier, "metadata": _FREE}
    aws = {"type": "object", "properties": {"arn": _TEXT, "nameOrID": _TEXT, "additionalKeys": {"type": "object", "additionalProperties": _TEXT}}}
    kubernetes = {"type": "object", "required": ["group", "kind"], "properties": {"group": _TEXT, "kind": _TEXT, "metadata": _FREE}}
    status = {"type": "object", "properties": {k: _OWN_STATUS[k] for k in ("conditions", "observedGeneration")}}
    root = {"type": "object", "properties": {
        "apiVersion": _TEXT, "kind": _TEXT, "metadata": {"type": "object"}, "status": status,
        "spec": {"type": "object", "properties": {**own, "aws": aws, "kubernetes": kubernetes}}}}
    return _document(group, "v1alpha1", "AdoptedResource", "adoptedresources", root, ())


def _document(group: str, version: str, name: str, plural: str, root: JsonMap, short: tuple[str, ...]) -> dict[str, Json]:
    names: dict[str, Json] = {"kind": name, "listKind": f"{name}List", "plural": plural, "singular": name.lower(), "categories": ["holdfast"]}
    if short:
        names["shortNames"] = list(short)
    return {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group, "names": names, "scope": "Namespaced",
            "versions": [{"name": version, "served": True, "storage": True, "subresources": {"status": {}},
                          "additionalPrinterColumns": [
                              {"name": "Ready", "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].status'},
                              {"name": "Reason", "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].reason'},
                              {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}],
                          "schema": {"openAPIV3Schema": root}}],
        },
    }


def _clean(schema: Json) -> Json:
    """The schema without what is only for our codecs."""
    if not isinstance(schema, Mapping):
        return schema
    out = {k: v for k, v in schema.items() if not k.startswith("x-") or k.startswith("x-kubernetes-")}
    if "properties" in schema:
        out["properties"] = {k: _clean(v) for k, v in schema["properties"].items() if not v.get("x-hidden")}
    for key in ("items", "additionalProperties"):
        if key in schema:
            out[key] = _clean(schema[key])
    return {**out, "oneOf": _BY_NAME_OR_EXTERNAL} if schema.get("x-ref") else out


def _one_of_rules(kind: Kind) -> list[JsonMap]:
    out: list[JsonMap] = []
    for groups, needed in ((kind.one_of, False), (kind.exactly_one, True)):
        for group in groups:
            count = " + ".join(f"({_has('self', p)} ? 1 : 0)" for p in group)
            names = ", ".join(f"spec.{p}" for p in group)
            out.append({"rule": f"{count} {'==' if needed else '<='} 1",
                        "message": f"HF107: {'exactly' if needed else 'at most'} one of {names} may be given"})
    return out


def _has(root: str, path: str) -> str:
    parts, tests = path.split("."), []
    for i in range(1, len(parts) + 1):
        tests.append(f"has({'.'.join([root, *map(_escape, parts[:i])])})")
    return " && ".join(tests)


def _escape(name: str) -> str:
    """CEL keeps a few words for itself."""
    return f"__{name}__" if name in ("namespace", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
                                     "loop", "package", "return", "var", "void", "while") else name


def _identity_rules(kind: Kind) -> list[JsonMap]:
    """A wrong name can be corrected until something is held; from then on it is fixed."""
    steps = kind.dialect.identity_path.split(".")
    held = " || ".join(f"!has(oldSelf.{'.'.join(('status', *steps)[:i + 1])})" for i in range(len(steps) + 1))
    out: list[JsonMap] = []
    if kind.dialect.name_field:
        return [_named_rule(kind, path, held) for path in kind.identity_fields]
    for path in kind.identity_fields:
        field = ".".join(_escape(p) for p in path.split("."))
        same = f"has(self.spec) && has(self.spec.{field}) && self.spec.{field} == oldSelf.spec.{field}"
        out.append({"rule": f"{held} || !has(oldSelf.spec) || !has(oldSelf.spec.{field}) || ({same})",
                    "message": f"HF108: spec.{path} names the resource that is held, and cannot be changed"})
    return out


def _named_rule(kind: Kind, path: str, held: str) -> JsonMap:
    """What the spec says must stand in the held resource's name, between what stands around it there."""
    template, hole = f"#{kind.identifiers['name']}#", re.search(rf"{{spec\.{path}(?::(\w+))?}}", f"#{kind.identifiers['name']}#")
    assert hole is not None
    left, right = template[:hole.start()].rpartition("}")[2], template[hole.end():].partition("{")[0]
    given = f"self.spec.{_escape(path)}"
    text = f"({given} == 'global' ? {given} : 'regions/' + {given})" if hole.group(1) == "scope" else given
    named = f"('#' + oldSelf.status.{kind.dialect.identity_path} + '#').contains('{left}' + {{}} + '{right}')"
    is_given = f"has(self.spec) && has({given})"
    # left out, it is the object's name, which has no bound that the API server knows of: only what is cheap may be asked of it
    by_name = path == kind.dialect.name_field and right == "#"
    otherwise = f"('#' + oldSelf.status.{kind.dialect.identity_path}).endsWith('{left}' + self.metadata.name)" if by_name else "true"
    return {"rule": f"{held} || ({is_given} ? {named.format(text)} : {otherwise})",
            "message": f"HF108: spec.{path} names the resource that is held, and cannot be changed"}


def policy_of(kind: Kind) -> list[dict[str, Json]]:
    """The ValidatingAdmissionPolicy for a kind's other immutable fields, and its binding; empty where there are none."""
    fields = [p for p, r in kind.rules.items() if r.immutable and "[]" not in p and p not in kind.identity_fields]
    if not fields:
        return []
    name = f"immutable.{kind.plural}.{kind.group}"
    note = kind.dialect.annotation(FORCE_ACQUIRE)
    policy = {
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": name},
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": {"resourceRules": [{"apiGroups": [kind.group], "apiVersions": [kind.version], "operations": ["UPDATE"],
                                                    "resources": [kind.plural]}]},
            "matchConditions": [
                {"name": "not-verified-only",
                 "expression": f"!(has(object.metadata.annotations) && '{note}' in object.metadata.annotations && object.metadata.annotations['{note}'] == 'true')"},
                {"name": "not-being-deleted", "expression": "!has(object.metadata.deletionTimestamp)"},
                {"name": "spec-changed", "expression": "!has(object.spec) || !has(oldObject.spec) || object.spec != oldObject.spec"}],
            "variables": [{"name": "old", "expression": "has(oldObject.spec) ? oldObject.spec : {}"},
                          {"name": "new", "expression": "has(object.spec) ? object.spec : {}"}],
            "validations": [_immutable_rule(kind, p) for p in fields],
        },
    }
    binding = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": name},
               "spec": {"policyName": name, "validationActions": ["Deny"]}}
    return [policy, binding]


def _immutable_rule(kind: Kind, path: str) -> JsonMap:
    at = "".join(f"[?'{p}']" for p in path.split("."))
    if any(r.path == path and r.is_external for r in kind.references):
        return _immutable_reference(path, at)
    by_reference = [r.path for r in kind.references if r.target == path.rpartition(".")[2] and r.path.rpartition(".")[0] == path.rpartition(".")[0]]
    steps_aside = "".join(f" || variables.new{''.join(f'[?{chr(39)}{p}{chr(39)}]' for p in r.split('.'))}.hasValue()" for r in by_reference)
    return {"expression": f"!variables.old{at}.hasValue() || variables.new{at} == variables.old{at}{steps_aside}",
            "message": f"HF108: spec.{path} is immutable: it may be set once, then neither changed nor removed"}


def _immutable_reference(path: str, at: str) -> JsonMap:
    """It stays, and an external name stays the same; what a name refers to is the controller's to see."""
    both = f"!variables.old{at}[?'external'].hasValue() || !variables.new{at}[?'external'].hasValue()"
    same = f"variables.new{at}[?'external'] == variables.old{at}[?'external']"
    return {"expression": f"!variables.old{at}.hasValue() || (variables.new{at}.hasValue() && ({both} || {same}))",
            "message": f"HF108: spec.{path} is immutable: it may be set once, then neither changed nor removed"}
