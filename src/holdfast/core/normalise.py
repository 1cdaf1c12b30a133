"""Desired or live made comparable: equivalent values equal, unordered lists sorted, tags a map, volatile fields gone.

What is compared and what is hashed both start here, so that they can never disagree.
"""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.core.canonical import canonical, plain
from holdfast.core.policy import SEMANTICS
from holdfast.model.json import Json, JsonMap, is_empty
from holdfast.model.kinds import Kind

_DROP = object()


def normalise(kind: Kind, spec: JsonMap, *, live: bool) -> dict[str, Json]:
    """`live` also drops empties: the cloud's "" and [] say nothing, while the user's are a demand."""
    out = _node(kind, kind.spec_schema, "", spec, live)
    return out if isinstance(out, dict) else {}


def tag_map(value: Json) -> dict[str, str]:
    """Tags as a map, whether the API has them as a map or as a list of pairs."""
    if isinstance(value, Mapping):
        return {str(k): str(v) for k, v in value.items()}
    out: dict[str, str] = {}
    for item in value or []:
        names = {k.lower(): v for k, v in item.items()}
        key = names.get("key", names.get("tagkey"))
        if key is not None:
            out[str(key)] = str(names.get("value", names.get("tagvalue")) or "")
    return out


def own_tags(kind: Kind, value: Json) -> dict[str, str]:
    """Tags without the cloud's and without marks."""
    return {k: v for k, v in tag_map(value).items() if not is_foreign_tag(kind, k)}


def is_foreign_tag(kind: Kind, key: str) -> bool:
    return key.startswith(kind.dialect.ignored_tag_prefixes)


def _node(kind: Kind, schema: JsonMap, path: str, value: Json, live: bool) -> Json:
    rule = kind.rule(path)
    if value is None or rule.read_only or rule.volatile:
        return _DROP
    if rule.tags:
        value = own_tags(kind, value)
    elif rule.semantic and not is_empty(value):
        value = plain(SEMANTICS[rule.semantic](value)) if not isinstance(value, list) else [
            plain(SEMANTICS[rule.semantic](v)) for v in value]
    elif isinstance(value, Mapping):
        value = _object(kind, schema, path, value, live)
    elif isinstance(value, list):
        items = (_node(kind, schema.get("items") or {}, f"{path}[]", v, live) for v in value)
        value = [v for v in items if v is not _DROP]
    elif isinstance(value, float) and value.is_integer():
        value = int(value)
    if rule.unordered and isinstance(value, list):
        value = sorted(value, key=canonical)
    return _DROP if live and is_empty(value) and path and not rule.whole and not path.endswith(("[]", "{}")) else value


def _object(kind: Kind, schema: JsonMap, path: str, value: Mapping[str, Json], live: bool) -> dict[str, Json]:
    properties, out = schema.get("properties"), {}
    for key, inner in value.items():
        if properties is None:
            node, at = schema.get("additionalProperties") or {}, f"{path}{{}}"
        else:
            node, at = properties.get(key) or {}, f"{path}.{key}" if path else key
        made = _node(kind, node if isinstance(node, Mapping) else {}, at, inner, live)
        if made is not _DROP:
            out[key] = made
    return out
