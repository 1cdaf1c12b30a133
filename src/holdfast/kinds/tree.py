"""A discovery document's schema as a tree that can be shaped: every node knows where the API has it (`api`, a path from the resource)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from holdfast.kinds.pack import document
from holdfast.model.errors import InputError
from holdfast.model.json import Json, JsonMap

Node = dict[str, Json]
TEXT: JsonMap = {"type": "string"}
TYPES: dict[str, JsonMap] = {"string": TEXT, "boolean": {"type": "boolean"}, "integer": {"type": "integer"}, "number": {"type": "number"},
                              "text": {"type": "array", "items": TEXT}, "map": {"type": "object", "additionalProperties": TEXT}}
FREE: JsonMap = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def type_named(word: str) -> Node:
    if word not in TYPES:
        raise InputError("HF701", f"{word!r} is no type; known: {', '.join(TYPES)}", "schema")
    return dict(TYPES[word])


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
        found = find(self.tree(resource), path)
        if found is None:
            raise InputError("HF701", f"{resource} has no field {path!r} in the discovery document", "schema")
        return found

    def _node(self, raw: JsonMap, at: str, above: tuple[str, ...]) -> Node:
        words = set(raw.get("behaviours") or ())
        if "$ref" in raw:
            if raw["$ref"] in above:
                return {**FREE, "api": at}
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
    if kind not in TYPES:
        return dict(FREE)
    return {**TYPES[kind], **({"x-known": sorted(v for v in raw["enum"] if not v.endswith("_UNSPECIFIED"))} if raw.get("enum") else {})}


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


def find(root: Node, path: str) -> Node | None:
    node: Json = root
    for part in _parts(path) if path else []:
        node = _step(node, part)
    return node if isinstance(node, dict) else None


def take(root: Node, path: str) -> Node:
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


def put(root: Node, path: str, made: Node) -> None:
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


def walk(node: Node, path: str = "") -> Iterator[tuple[str, Node, Node]]:
    """Every field below a node: (path, node, the object that holds it)."""
    for name, inner in list((node.get("properties") or {}).items()):
        at = f"{path}.{name}" if path else name
        yield at, inner, node
        yield from walk(inner, at)
    for key, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(node.get(key), dict):
            yield from walk(node[key], f"{path}{mark}")


def drop_outputs(spec: Node) -> None:
    for path, node, holder in list(walk(spec)):
        if node.get("x-output"):
            holder["properties"].pop(path.rpartition(".")[2], None)


def pull(spec: Node, api: str) -> Node | None:
    """Take the node of an API path out of the tree, wherever it stands by now; emptied groups go with it."""
    for path, node, holder in walk(spec):
        if node.get("api") == api:
            holder["properties"].pop(path.rpartition(".")[2])
            _prune(spec)
            return node
    return None


def _prune(spec: Node) -> None:
    for path, node, holder in reversed(list(walk(spec))):
        if node.get("type") == "object" and node.get("properties") == {}:
            holder["properties"].pop(path.rpartition(".")[2], None)
