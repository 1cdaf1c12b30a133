"""Schemas of Google kinds from discovery documents, with Config Connector's names. Runs at build time (`make generate`), never at start-up.

Every node knows where the API has it while the tree is being shaped (`api`, a path from the resource); at the end that becomes `x-wire`,
relative to the parent: a dotted path, `.` for the parent itself, `/…` from the resource's root, "" for what is not on the wire at all.
`x-text` marks integers that travel as text, `x-ref` references, `x-immutable` what the document itself calls immutable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from holdfast.kinds.pack import document
from holdfast.model.errors import InputError
from holdfast.model.json import Json, JsonMap

Node = dict[str, Json]
_TEXT: JsonMap = {"type": "string"}
_TYPES: dict[str, JsonMap] = {"string": _TEXT, "boolean": {"type": "boolean"}, "integer": {"type": "integer"}, "number": {"type": "number"},
                              "text": {"type": "array", "items": _TEXT}, "map": {"type": "object", "additionalProperties": _TEXT}}
_SERVERS = ("name", "kind", "id", "etag", "selfLink", "fingerprint", "labelFingerprint", "labels")  # never in a spec under these names
_FREE: JsonMap = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def build(declared: JsonMap, api: str) -> tuple[Node, Node]:
    """(spec schema, status schema) of one kind file."""
    model, schema = Model(api), declared["schema"]
    root = model.tree(schema["resource"])
    spec: Node = {"type": "object", "api": "", "properties": {
        k: v for k, v in root["properties"].items() if k not in _SERVERS and (k in schema["keep"] if "keep" in schema else True)}}
    for path in schema.get("omit") or ():
        _take(spec, path)
    _drop_outputs(spec)
    for path, wanted in _spread(spec, schema.get("fields") or {}):
        _move(model, schema["resource"], spec, path, {"from": wanted} if isinstance(wanted, str) else wanted)
    for path, kind in (schema.get("add") or {}).items():
        _put(spec, path, dict(_TYPES[kind]))
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


class Model:
    """One API's packed document."""

    def __init__(self, api: str) -> None:
        self._schemas: JsonMap = document(api)["schemas"]

    def tree(self, name: str) -> Node:
        if name not in self._schemas:
            raise InputError("HF701", f"the API has no schema {name!r}", "schema")
        return self._node({"$ref": name}, "", ())

    def node(self, resource: str, path: str) -> Node:
        """The node at an API path (`a.b[].c`), output-only or not."""
        found = _find(self.tree(resource), path)
        if found is None:
            raise InputError("HF701", f"{resource} has no field {path!r} in the discovery document", "schema")
        return found

    def _node(self, raw: JsonMap, at: str, above: tuple[str, ...]) -> Node:
        words = set(raw.get("behaviours") or ())
        if "$ref" in raw:
            if raw["$ref"] in above:
                return {**_FREE, "api": at}
            made = self._node(self._schemas[raw["$ref"]], at, (*above, raw["$ref"]))
        elif "properties" in raw:
            inner = {k: self._node(v, f"{at}.{k}" if at else k, above) for k, v in raw["properties"].items()}
            made = {"type": "object", "properties": dict(sorted(inner.items())), "api": at}
        elif raw.get("type") == "array":
            made = {"type": "array", "items": self._node(raw["items"], f"{at}[]", above), "api": at}
        elif "additionalProperties" in raw:
            made = {"type": "object", "additionalProperties": self._node(raw["additionalProperties"], f"{at}{{}}", above), "api": at}
        else:
            made = {**_scalar(raw), "api": at}
        if "output" in words:
            made["x-output"] = True
        if "immutable" in words:
            made["x-immutable"] = True
        return made


def _scalar(raw: JsonMap) -> Node:
    kind, form = raw.get("type"), raw.get("format", "")
    if kind == "string" and form in ("int64", "uint64"):
        return {"type": "integer", "format": "int64", "x-text": True}
    if kind not in _TYPES:
        return dict(_FREE)
    return {**_TYPES[kind], **({"x-known": sorted(v for v in raw["enum"] if not v.endswith("_UNSPECIFIED"))} if raw.get("enum") else {})}


def _parts(path: str) -> list[str]:
    return re.sub(r"\[\]|\{\}", lambda m: f".{m.group(0)}", path).split(".")


def _step(node: Json, part: str) -> Json:
    if not isinstance(node, dict):
        return None
    if part == "[]":
        return node.get("items")
    if part == "{}":
        return node.get("additionalProperties")
    return (node.get("properties") or {}).get(part)


def _find(root: Node, path: str) -> Node | None:
    node: Json = root
    for part in _parts(path) if path else []:
        node = _step(node, part)
    return node if isinstance(node, dict) else None


def _take(root: Node, path: str) -> Node:
    """Remove the field at one of our paths, with parents that become empty, and give it."""
    *above, name = _parts(path)
    chain = [root]
    for part in above:
        chain.append(_step(chain[-1], part))
    holder = chain[-1]
    if not isinstance(holder, dict) or name not in (holder.get("properties") or {}):
        raise InputError("HF701", f"no field {path!r}", "schema")
    taken: Node = holder["properties"].pop(name)
    return taken


def _put(root: Node, path: str, made: Node) -> None:
    """Parents that are not there yet are made: they group fields, and are not on the wire."""
    node = root
    *above, name = _parts(path)
    for part in above:
        inner = _step(node, part)
        if inner is None:
            inner = {"type": "object", "properties": {}}
            node.setdefault("properties", {})[part] = inner
        node = inner
    if "properties" not in node:
        node.pop("x-known", None)
        node.update({"type": "object", "properties": {}})
    node["properties"][name] = made


def _walk(node: Node, path: str = "") -> Iterator[tuple[str, Node, Node]]:
    """Every field below a node: (path, node, the object that holds it)."""
    for name, inner in list((node.get("properties") or {}).items()):
        at = f"{path}.{name}" if path else name
        yield at, inner, node
        yield from _walk(inner, at)
    for key, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(node.get(key), dict):
            yield from _walk(node[key], f"{path}{mark}")


def _drop_outputs(spec: Node) -> None:
    for path, node, holder in list(_walk(spec)):
        if node.get("x-output"):
            holder["properties"].pop(path.rpartition(".")[2], None)


def _spread(spec: Node, fields: JsonMap) -> list[tuple[str, Json]]:
    """`a.*: a.b.*` is every field of a.b."""
    out: list[tuple[str, Json]] = []
    for path, wanted in fields.items():
        inner = (_find(spec, wanted[:-2]) or {}).get("properties") or {} if path.endswith(".*") else {"": None}
        out += [(path[:-1] + n, wanted[:-1] + n) if n else (path, wanted) for n in inner]
    return out


def _move(model: Model, resource: str, spec: Node, path: str, wanted: JsonMap) -> None:
    """A field that stands elsewhere, or otherwise, than the API has it."""
    if "from" in wanted:
        taken = None if wanted.get("alias") else _pull(spec, wanted["from"])
        node = taken or model.node(resource, wanted["from"])
        _drop_outputs(node)
        node.pop("x-output", None)
    else:
        node = _take(spec, path)
    if wanted.get("type"):
        node = {**_TYPES[wanted["type"]], "api": node["api"]}
    if "values" in wanted:
        node = {"type": "string", "api": node["api"], "x-values": dict(wanted["values"])}
    if wanted.get("json"):
        node = {"type": "string", "api": node["api"], "x-json": True}
    if wanted.get("flag"):
        node = {"type": "boolean", "api": node["api"], "x-flag": True}
    if wanted.get("alias"):
        node["x-alias"] = True
    if "keyed" in wanted:
        item = node["additionalProperties"]
        item["properties"][wanted["keyed"]] = dict(_TEXT)
        node = {"type": "array", "items": item, "api": node["api"], "x-keyed": wanted["keyed"]}
    if wanted.get("single"):
        node = {**node["items"], "api": node["api"], "x-single": True}
    if wanted.get("listed"):
        node = {"type": "array", "items": node, "api": node["api"], "x-listed": True}
    if "expand" in wanted:
        node["x-expand"] = wanted["expand"]
    if "prefix" in wanted:
        node["x-prefix"] = wanted["prefix"]
    if "means" in wanted:
        node["x-means"] = dict(wanted["means"])
    _put(spec, path, node)


def _pull(spec: Node, api: str) -> Node | None:
    """Take the node of an API path out of the tree, wherever it stands by now; emptied groups go with it."""
    for path, node, holder in _walk(spec):
        if node.get("api") == api:
            holder["properties"].pop(path.rpartition(".")[2])
            _prune(spec)
            return node
    return None


def _prune(spec: Node) -> None:
    for path, node, holder in reversed(list(_walk(spec))):
        if node.get("type") == "object" and node.get("properties") == {}:
            holder["properties"].pop(path.rpartition(".")[2], None)


def _reference(several: bool) -> Node:
    names = ("external", "kind", "name", "namespace") if several else ("external", "name", "namespace")
    return {"type": "object", "properties": {n: dict(_TEXT) for n in names}, "x-ref": True}


def _refer(spec: Node, path: str, raw: JsonMap) -> None:
    made, fills = _reference(isinstance(raw["kind"], Mapping)), raw.get("fills", "")
    made |= {f"x-{word}": raw[word] for word in ("expand", "prefix", "has") if word in raw}
    holder = _find(spec, path.rpartition(".")[0]) if "." in path else spec
    if fills and (fills.endswith("[]") or (holder or {}).get("api") == fills):
        _put(spec, path, {**made, "api": fills})
        return
    if fills:
        base = str((holder or {}).get("api") or "")
        if path.rpartition(".")[2] != fills:
            _put(spec, path, made)  # before the field goes: an object that holds nothing else stays one
        node = _pull(spec, f"{base}.{fills}" if base else fills) or _pull(spec, fills)
        if node is not None and raw.get("beside"):
            _put(spec, f"{path.rpartition('.')[0]}.{fills}".lstrip("."), node)
        if node is None:
            raise InputError("HF701", f"{path}: the API has no field {fills!r} beside it", "references")
        frozen = {"x-immutable": True} if node.get("x-immutable") else {}
        made = {**made, **frozen, "api": node["api"]} if node["type"] != "array" else {
            "type": "array", "items": {**made, "api": f"{node['api']}[]"}, "api": node["api"], **frozen}
    _put(spec, path, made)


def _add_identity(spec: Node, declared: JsonMap) -> None:
    """What stands in the resource's name and nowhere in its body."""
    spec["properties"].setdefault("resourceID", dict(_TEXT))
    for path in {"resourceID", *re.findall(r"{spec\.([A-Za-z0-9]+)", declared["api"]["name"]), *({"projectRef"} & set(spec["properties"]))}:
        spec["properties"].setdefault(path, dict(_TEXT))["x-immutable"] = True


def _add_labels(spec: Node, root: Node, where: str) -> None:
    """Labels come from the object's own; where upstream has them in the spec too, they are visible there."""
    if where == "none":
        return
    shown, _, at = where.partition(":")
    node = _find(root, at or "labels")
    if node is None:
        if where:
            raise InputError("HF701", f"the API has no field {at or 'labels'!r}", "schema")
        return
    _pull(spec, str(node["api"]))
    hidden = {} if shown == "spec" else {"x-hidden": True}
    spec["properties"]["labels"] = {"type": "object", "additionalProperties": dict(_TEXT), "api": node["api"], **hidden}


def _hide(spec: Node, path: str) -> None:
    """A secret, given as a value or by a key of a Secret, as upstream has it."""
    node = _find(spec, path)
    if node is None:
        raise InputError("HF701", f"no field {path!r}", "fields")
    key = {"type": "object", "required": ["key", "name"], "properties": {"key": dict(_TEXT), "name": dict(_TEXT)}}
    source = {"type": "object", "properties": {"secretKeyRef": key}}
    _put(spec, path, {"type": "object", "properties": {"value": dict(_TEXT), "valueFrom": source}, "x-secret": True, **{k: node[k] for k in ("api",) if k in node}})


def _require(spec: Node, path: str) -> None:
    holder = _find(spec, path.rpartition(".")[0]) if "." in path else spec
    name = path.rpartition(".")[2]
    if holder is None or name not in (holder.get("properties") or {}):
        raise InputError("HF701", f"required: no field {path!r}", "schema")
    holder["required"] = sorted({*(holder.get("required") or ()), name})


def _freeze(spec: Node, declared: JsonMap) -> None:
    """`mutable` names what can be changed; a kind without an update method has nothing that can."""
    is_fixed = (declared["api"].get("update") or {}).get("style") == "none" and not declared["api"].get("actions")
    if "mutable" not in declared and not is_fixed:
        return
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
        return {**_TEXT, "x-made": api, "x-wire": "."}
    node = model.node(resource, re.sub(r"\[[^]]*\]", "[]", api))
    made = dict(_TYPES[wanted["type"]]) if isinstance(wanted, Mapping) else _wired(node, str(node["api"]))
    return {**made, "x-wire": api}
