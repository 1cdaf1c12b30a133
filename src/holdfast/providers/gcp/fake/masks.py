"""Three ways to change a resource: by field mask, by JSON merge patch, and by replacing it."""

from __future__ import annotations

from holdfast.model.json import Json, JsonMap, drop_at, put_at
from holdfast.providers.gcp.fake.codec import camel


def read_mask(text: str) -> list[str]:
    """The paths of a field mask, in camelCase; map keys after a known map keep their spelling by `spelled`."""
    return [part.strip() for part in text.split(",") if part.strip()]


def spelled(schemas: JsonMap, schema: str, path: str) -> str | None:
    """The path in the schema's spelling, or None where it is no field. Below a map, a step is a key."""
    steps, known, spelt = path.replace("`", "").split("."), schemas[schema].get("properties", {}), []
    for i, step in enumerate(steps):
        name = step if step in known else camel(step)
        if name not in known:
            return None
        spelt.append(name)
        spec, rest = known[name], steps[i + 1:]
        if "additionalProperties" in spec or not rest:
            return ".".join([*spelt, *rest])
        known = schemas[spec["$ref"]].get("properties", {}) if "$ref" in spec else spec.get("properties", {})
    return ".".join(spelt)


def find(data: Json, path: str) -> tuple[bool, Json]:
    """Whether something stands at the dotted path, and what."""
    for step in path.split("."):
        if not isinstance(data, dict) or step not in data:
            return False, None
        data = data[step]
    return True, data


def apply_mask(old: JsonMap, new: JsonMap, paths: list[str]) -> dict[str, Json]:
    """`old` with the paths as `new` has them; what `new` does not have is cleared."""
    changed = dict(old)
    for path in paths:
        there, value = find(new, path)
        steps = tuple(path.split("."))
        changed = put_at(changed, steps, value) if there else _cleared(changed, steps)
    return changed


def _cleared(data: JsonMap, steps: tuple[str, ...]) -> dict[str, Json]:
    """Without the field; its parents stay, empty."""
    copy = dict(data)
    if len(steps) == 1:
        copy.pop(steps[0], None)
    elif isinstance(copy.get(steps[0]), dict):
        copy[steps[0]] = _cleared(copy[steps[0]], steps[1:])
    return copy


def merge_patch(old: Json, patch: Json) -> Json:
    """RFC 7396: null unsets, objects merge, everything else replaces."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(old) if isinstance(old, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


def replace(old: JsonMap, new: JsonMap, keeps: list[str]) -> dict[str, Json]:
    """`new`, with the fields that a caller cannot write as `old` has them."""
    replaced: dict[str, Json] = dict(new)
    for path in keeps:
        there, value = find(old, path)
        has, _ = find(replaced, path)
        if there and not has:
            replaced = put_at(replaced, tuple(path.split(".")), value)
    return replaced


def set_path(data: JsonMap, path: str, value: Json) -> dict[str, Json]:
    """A copy with the value there; None removes it."""
    steps = tuple(path.split("."))
    return drop_at(data, steps) if value is None else put_at(data, steps, value)
