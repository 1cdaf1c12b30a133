"""Schemas of Google kinds from discovery documents, with Config Connector's names. Runs at build time (`make generate`), never at start-up.

Every node knows where the API has it while the tree is being shaped (`api`, a path from the resource); at the end that becomes `x-wire`,
relative to the parent: a dotted path, `.` for the parent itself, `/…` from the resource's root, "" for what is not on the wire at all.
`x-text` marks integers that travel as text, `x-ref` references, `x-immutable` what the document itself calls immutable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from holdfast.kinds.tree import TEXT, Model, Node, drop_outputs, find, pull, put, take, type_named
from holdfast.model.errors import InputError, did_you_mean
from holdfast.model.json import Json, JsonMap

_SERVERS = ("name", "kind", "id", "etag", "selfLink", "fingerprint", "labelFingerprint", "labels")  # never in a spec under these names


def build(declared: JsonMap, api: str) -> tuple[Node, Node]:
    """(spec schema, status schema) of one kind file."""
    model, schema = Model(api), declared["schema"]
    root = model.tree(schema["resource"])
    for name in schema.get("keep") or ():
        if name not in root["properties"]:
            raise InputError("HF701", f"keep: {schema['resource']} has no field {name!r}{did_you_mean(name, list(root['properties']))}", "schema")
    spec: Node = {"type": "object", "api": "", "properties": {
        k: v for k, v in root["properties"].items() if k not in _SERVERS and (k in schema["keep"] if "keep" in schema else True)}}
    for path in schema.get("omit") or ():
        take(spec, path)
    drop_outputs(spec)
    for path, wanted in _spread(spec, schema.get("fields") or {}):
        _move(model, schema["resource"], spec, path, {"from": wanted} if isinstance(wanted, str) else wanted)
    for path, kind in (schema.get("add") or {}).items():
        put(spec, path, type_named(kind))
    for path, raw in (declared.get("references") or {}).items():
        _refer(spec, path, raw)
    _add_identity(spec, declared)
    _add_labels(spec, root, schema.get("labels", ""))
    for path, rule in (declared.get("fields") or {}).items():
        if rule.get("secret"):
            _hide(spec, path)
    for path in [*(schema.get("required") or ()), *(p for p, r in (declared.get("references") or {}).items() if r.get("required"))]:
        _require(spec, path)
    _freeze(spec, declared)
    return _wired(spec, ""), _status(model, schema)


def _spread(spec: Node, fields: JsonMap) -> list[tuple[str, Json]]:
    """`a.*: a.b.*` is every field of a.b."""
    out: list[tuple[str, Json]] = []
    for path, wanted in fields.items():
        inner = {"": None} if not path.endswith(".*") else (find(spec, wanted[:-2]) or {}).get("properties")
        if not inner:
            raise InputError("HF701", f"{path}: no field {wanted[:-2]!r} with fields of its own", "schema")
        out += [(path[:-1] + n, wanted[:-1] + n) if n else (path, wanted) for n in inner]
    return out


def _move(model: Model, resource: str, spec: Node, path: str, wanted: JsonMap) -> None:
    """A field that stands elsewhere, or otherwise, than the API has it."""
    if "from" in wanted:
        taken = None if wanted.get("alias") else pull(spec, wanted["from"])
        node = taken or model.node(resource, wanted["from"])
        drop_outputs(node)
        node.pop("x-output", None)
    else:
        node = take(spec, path)
    for word, shape in _SHAPES.items():
        if wanted.get(word) is not None:
            node = shape(path, node, wanted[word])
    put(spec, path, node)


def _keyed(path: str, node: Node, key: Json) -> Node:
    item = node.get("additionalProperties")
    if not isinstance(item, dict) or "properties" not in item:
        raise InputError("HF701", f"{path}: keyed is for a map of objects", "schema")
    item["properties"][key] = dict(TEXT)
    return {"type": "array", "items": item, "api": node["api"], "x-keyed": key}


def _single(path: str, node: Node, _: Json) -> Node:
    if not isinstance(node.get("items"), dict):
        raise InputError("HF701", f"{path}: single is for a list", "schema")
    return {**node["items"], "api": node["api"], "x-single": True}


# the words of `schema.fields`, in the order in which they are applied: (path, node, what the file says) → node
_SHAPES: dict[str, Callable[[str, Node, Json], Node]] = {
    "type": lambda _, node, kind: {**type_named(kind), "api": node["api"]},
    "values": lambda _, node, values: {"type": "string", "api": node["api"], "x-values": dict(values)},
    "json": lambda _, node, __: {"type": "string", "api": node["api"], "x-json": True},
    "flag": lambda _, node, __: {"type": "boolean", "api": node["api"], "x-flag": True},
    "alias": lambda _, node, __: {**node, "x-alias": True},
    "keyed": _keyed,
    "single": _single,
    "listed": lambda _, node, __: {"type": "array", "items": node, "api": node["api"], "x-listed": True},
    "expand": lambda _, node, form: {**node, "x-expand": form},
    "prefix": lambda _, node, text: {**node, "x-prefix": text},
    "means": lambda _, node, meant: {**node, "x-means": dict(meant)},
}


def _reference(several: bool) -> Node:
    names = ("external", "kind", "name", "namespace") if several else ("external", "name", "namespace")
    return {"type": "object", "properties": {n: dict(TEXT) for n in names}, "x-ref": True}


def _refer(spec: Node, path: str, raw: JsonMap) -> None:
    made, fills = _reference(isinstance(raw["kind"], Mapping)), raw.get("fills", "")
    made |= {f"x-{word}": raw[word] for word in ("expand", "prefix", "has") if word in raw}
    holder = find(spec, path.rpartition(".")[0]) if "." in path else spec
    if fills and (fills.endswith("[]") or (holder or {}).get("api") == fills):
        put(spec, path, {**made, "api": fills})
        return
    if fills:
        base = str((holder or {}).get("api") or "")
        if path.rpartition(".")[2] != fills:
            put(spec, path, made)  # before the field goes: an object that holds nothing else stays one
        node = pull(spec, f"{base}.{fills}" if base else fills) or pull(spec, fills)
        if node is not None and raw.get("beside"):
            put(spec, f"{path.rpartition('.')[0]}.{fills}".lstrip("."), node)
        if node is None:
            raise InputError("HF701", f"{path}: the API has no field {fills!r} beside it", "references")
        frozen = {"x-immutable": True} if node.get("x-immutable") else {}
        made = {**made, **frozen, "api": node["api"]} if node["type"] != "array" else {
            "type": "array", "items": {**made, "api": f"{node['api']}[]"}, "api": node["api"], **frozen}
    put(spec, path, made)


def _add_identity(spec: Node, declared: JsonMap) -> None:
    """What stands in the resource's name and nowhere in its body."""
    spec["properties"].setdefault("resourceID", dict(TEXT))
    for path in {"resourceID", *re.findall(r"{spec\.([A-Za-z0-9]+)", declared["api"]["name"]), *({"projectRef"} & set(spec["properties"]))}:
        spec["properties"].setdefault(path, dict(TEXT))["x-immutable"] = True


def _add_labels(spec: Node, root: Node, where: str) -> None:
    """Labels come from the object's own; where upstream has them in the spec too, they are visible there."""
    if where == "none":
        return
    shown, _, at = where.partition(":")
    node = find(root, at or "labels")
    if node is None:
        if where:
            raise InputError("HF701", f"the API has no field {at or 'labels'!r}", "schema")
        return
    pull(spec, str(node["api"]))
    hidden = {} if shown == "spec" else {"x-hidden": True}
    spec["properties"]["labels"] = {"type": "object", "additionalProperties": dict(TEXT), "api": node["api"], **hidden}


def _hide(spec: Node, path: str) -> None:
    """A secret, given as a value or by a key of a Secret, as upstream has it."""
    node = find(spec, path)
    if node is None:
        raise InputError("HF701", f"no field {path!r}", "fields")
    key = {"type": "object", "required": ["key", "name"], "properties": {"key": dict(TEXT), "name": dict(TEXT)}}
    source = {"type": "object", "properties": {"secretKeyRef": key}}
    put(spec, path, {"type": "object", "properties": {"value": dict(TEXT), "valueFrom": source}, "x-secret": True, **{k: node[k] for k in ("api",) if k in node}})


def _require(spec: Node, path: str) -> None:
    holder = find(spec, path.rpartition(".")[0]) if "." in path else spec
    name = path.rpartition(".")[2]
    if holder is None or name not in (holder.get("properties") or {}):
        raise InputError("HF701", f"required: no field {path!r}", "schema")
    holder["required"] = sorted({*(holder.get("required") or ()), name})


def _freeze(spec: Node, declared: JsonMap) -> None:
    """`mutable` names what can be changed; a kind without an update method has nothing that can."""
    is_fixed = (declared["api"].get("update") or {}).get("style") == "none" and not declared["api"].get("actions")
    if "mutable" not in declared and not is_fixed:
        return
    for name in declared.get("mutable") or ():
        if name not in spec["properties"]:
            raise InputError("HF701", f"mutable: no field {name!r}{did_you_mean(name, list(spec['properties']))}", "mutable")
    for name, node in spec["properties"].items():
        if name not in (declared.get("mutable") or ()) and name != "labels":
            node["x-immutable"] = True
        else:
            node.pop("x-immutable", None)


def _wired(node: Node, base: str) -> Node:
    """Where the API has each node, relative to its parent."""
    out = {k: v for k, v in node.items() if k not in ("api", "properties", "items", "additionalProperties", "x-output")}
    here = str(node.get("api", base)) + ("[]" if node.get("x-single") else "")
    if "properties" in node:
        out["properties"] = {}
        for name, inner in sorted(node["properties"].items()):
            made = _wired(inner, here)
            wire = name if node.get("x-ref") or node.get("x-secret") else _relative(inner, here)
            out["properties"][name] = made if wire == name else {**made, "x-wire": wire}
    if isinstance(node.get("items"), dict):
        inside = "{}" if "x-keyed" in node else "" if node.get("x-listed") else "[]"
        out["items"] = _wired(node["items"], f"{here}{inside}")
    if isinstance(node.get("additionalProperties"), dict):
        out["additionalProperties"] = _wired(node["additionalProperties"], f"{here}{{}}")
    return out


def _relative(node: Node, base: str) -> str:
    if "api" not in node:
        return "." if "properties" in node and not node.get("x-ref") and not node.get("x-secret") else ""
    api = str(node["api"])
    if api == base:
        return "."
    if not base:
        return api
    return api[len(base) + 1:] if api.startswith(f"{base}.") else f"/{api}"


def _status(model: Model, schema: JsonMap) -> Node:
    """Fields of status, and of status.observedState, with where the answer has them."""
    shown = {**(schema.get("status") or {}), **{f"observedState.{name}": api for name, api in (schema.get("observed") or {}).items()}}
    root: Node = {"type": "object", "properties": {}}
    for path, api in sorted(shown.items()):
        *groups, name = path.split(".")  # `metricDescriptor.type`: in a group that is not on the wire
        holder = root
        for group in groups:
            holder = holder["properties"].setdefault(group, {"type": "object", "properties": {}, "x-wire": "."})
        made = _shown(model, schema["resource"], api)
        is_list = name.endswith("[]")  # `terminalCondition[]`: a list of the one thing that the API has
        holder["properties"][name.removesuffix("[]")] = {"type": "array", "items": made, "x-listed": True, "x-wire": made.pop("x-wire")} if is_list else made
    return root


def _shown(model: Model, resource: str, wanted: Json) -> Node:
    """By a path, which may choose among the items of a list (`ipAddresses[type=PRIMARY].ipAddress`); or a text made of other fields."""
    api = wanted["from"] if isinstance(wanted, Mapping) else str(wanted)
    if "{" in api:
        return {**TEXT, "x-made": api, "x-wire": "."}
    node = model.node(resource, re.sub(r"\[[^]]*\]", "[]", api))
    made = type_named(wanted["type"]) if isinstance(wanted, Mapping) else _wired(node, str(node["api"]))
    return {**made, "x-wire": api}
