"""From spec to what shall be: references filled in, and the target that an update sends.

The target is live with desired laid over it and removed fields taken out, so that a thin spec never wipes what it does not mention.
"""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.core.compare import strip_removed
from holdfast.core.items import is_itemised, named_items
from holdfast.core.normalise import is_foreign_tag, tag_map
from holdfast.core.paths import steps_of
from holdfast.model.json import Json, JsonMap, get_path, with_path, without_path
from holdfast.model.kinds import Kind, Reference, schema_at

Resolved = Mapping[str, Json]  # reference path (with list indexes) → value


def references_in(kind: Kind, spec: JsonMap) -> list[tuple[Reference, str, JsonMap]]:
    """Every reference that the spec gives: (which, where exactly, its `from`)."""
    out: list[tuple[Reference, str, JsonMap]] = []
    for ref in kind.references:
        for at, value in _values_at(spec, ref.path):
            items = value if isinstance(value, list) else [value]
            for i, item in enumerate(items):
                source = _source(ref, item)
                if source is not None:
                    out.append((ref, f"{at}[{i}]" if ref.is_list else at, source))
    return out


def _source(ref: Reference, item: Json) -> JsonMap | None:
    """What a reference says of its target."""
    found = item
    if ref.to_secret and ref.is_external:
        found = get_path(item, "valueFrom.secretKeyRef")
    elif not ref.to_secret and not ref.is_external:
        found = get_path(item, "from")
    return found if isinstance(found, Mapping) else None


def with_labels(kind: Kind, spec: JsonMap, labels: Mapping[str, str]) -> dict[str, Json]:
    """The object's own labels, where they go to the cloud; keys with a prefix (`a/b`) are Kubernetes' own."""
    if not kind.dialect.labels_are_tags or not kind.tag_path:
        return dict(spec)
    sent = {k: v for k, v in labels.items() if "/" not in k} | tag_map(get_path(spec, kind.tag_path))
    return with_path(spec, kind.tag_path, sent) if sent else dict(spec)


def with_name(kind: Kind, spec: JsonMap, name: str) -> dict[str, Json]:
    """The resource's name is the object's, where the spec does not give one."""
    field = kind.dialect.name_field
    return {**spec, field: spec.get(field) or name} if field else dict(spec)


def _values_at(data: Json, path: str, at: str = "") -> list[tuple[str, Json]]:
    """All values of a path with `[]` in it, each with its exact place."""
    head, dot, rest = path.partition(".")
    name, is_list = head.removesuffix("[]"), head.endswith("[]")
    value = data.get(name) if isinstance(data, Mapping) else None
    if value is None:
        return []
    here = f"{at}.{name}" if at else name
    spots = [(f"{here}[{i}]", v) for i, v in enumerate(value)] if is_list else [(here, value)]
    return [hit for spot, v in spots for hit in (_values_at(v, rest, spot) if dot else [(spot, v)])]


def fill_references(kind: Kind, spec: JsonMap, resolved: Resolved) -> dict[str, Json]:
    """The spec with every `…Ref` replaced by the field that it stands for."""
    out = dict(spec)
    for ref in kind.references:
        out = _fill(ref, ref.path, ref.target, out, resolved, "")
    return out


def _fill(ref: Reference, path: str, target: str, data: Json, resolved: Resolved, at: str) -> Json:
    if not isinstance(data, Mapping):
        return data
    head, dot, rest = path.partition(".")
    name, is_list = head.removesuffix("[]"), head.endswith("[]")
    if name not in data:
        return data
    here, out = f"{at}.{name}" if at else name, dict(data)
    if dot and is_list:
        out[name] = [_fill(ref, rest, target, v, resolved, f"{here}[{i}]") for i, v in enumerate(out[name] or [])]
    elif dot:
        out[name] = _fill(ref, rest, target, out[name], resolved, here)
    else:
        given = out.pop(name)
        if ref.is_list:
            found = [resolved[f"{here}[{i}]"] for i in range(len(given or [])) if f"{here}[{i}]" in resolved]
            out[target] = [*(out.get(target) or []), *found]
        elif here in resolved:
            out[target] = resolved[here]
        elif ref.is_external:
            out[name] = given
    return out


def target_spec(kind: Kind, live: JsonMap, desired: JsonMap, removed: tuple[str, ...]) -> dict[str, Json]:
    """What the resource shall be after an update."""
    base = strip_removed(kind, _drop_tags(kind, live), tuple(p for p in removed if not _is_tag(kind, p)))
    out: dict[str, Json] = _lay(kind, kind.spec_schema, "", base, _drop_tags(kind, desired))
    return _with_tags(kind, out, live, desired, removed)


def _lay(kind: Kind, schema: JsonMap, path: str, under: Json, over: Json) -> Json:
    if isinstance(under, list) and isinstance(over, list) and is_itemised(kind, schema, path):
        partners, names = dict(named_items(under)), {id(item): token for token, item in named_items(over)}
        return [_lay(kind, schema["items"], f"{path}[]", partners.get(names.get(id(item), "")), item) for item in over]
    by_key = isinstance(under, Mapping) and isinstance(over, Mapping) and "properties" in schema and not kind.rule(path).semantic
    if not by_key or (path and not over):
        return over
    out = dict(under)
    for k, v in over.items():
        at = f"{path}.{k}" if path else k
        out[k] = _lay(kind, schema["properties"].get(k) or {}, at, under[k], v) if k in under else v
    return out


def _is_tag(kind: Kind, path: str) -> bool:
    return bool(kind.tag_path) and path.startswith(f"{kind.tag_path}.")


def _drop_tags(kind: Kind, spec: JsonMap) -> dict[str, Json]:
    return without_path(spec, kind.tag_path) if kind.tag_path else dict(spec)


def _with_tags(kind: Kind, out: dict[str, Json], live: JsonMap, desired: JsonMap, removed: tuple[str, ...]) -> dict[str, Json]:
    """Tags are owned by key: live's, plus ours, minus those the user took out."""
    if not kind.tag_path:
        return out
    have = {k: v for k, v in tag_map(get_path(live, kind.tag_path)).items() if not is_foreign_tag(kind, k)}
    gone = {steps_of(kind, p)[-1] for p in removed if _is_tag(kind, p)}
    tags = {k: v for k, v in have.items() if k not in gone} | tag_map(get_path(desired, kind.tag_path))
    return with_path(out, kind.tag_path, shape_tags(kind, tags)) if tags or have else out


def shape_tags(kind: Kind, tags: Mapping[str, str]) -> Json:
    """A map of tags in the shape that the kind's spec has them."""
    node = schema_at(kind.spec_schema, kind.tag_path) or {}
    if node.get("type") != "array":
        return dict(sorted(tags.items()))
    names = list(node["items"]["properties"])
    key = next(n for n in names if n.lower().endswith("key"))
    val = next(n for n in names if n.lower().endswith("value"))
    return [{key: k, val: v} for k, v in sorted(tags.items())]
