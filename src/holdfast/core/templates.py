"""Names with holes: `projects/{project}/topics/{spec.resourceID}`. Filled in, and read back.

A hole may say how its value is shortened: `{spec.datasetRef:last}` is the last word of a path, `{spec.location:scope}` is `global` or
`regions/<region>`, `{spec.resourceID:encoded}` is one word although it may have slashes. Google writes one name in several ways (`//host/…`, `https://host/compute/v1/…`); `plain_name` gives the bare one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import quote, unquote

from holdfast.model.json import Json, JsonMap, get_path, with_path

_HOLE = re.compile(r"{([^}:]+)(?::(\w+))?}")
_URL = re.compile(r"^(?:(?:https?:)?//[^/]+|[a-z0-9-]+\.googleapis\.com)/(?:(?:compute|storage|dns|bigquery|sql)/)?(?:(?:v\d\w*|alpha|beta)/)?")


def holes(template: str) -> list[str]:
    """The names of the values that a template takes."""
    return [m.group(1) for m in _HOLE.finditer(template)]


def fill_name(template: str, context: JsonMap) -> str:
    """The template filled in; "" where something is not known."""
    values = {m.group(0): _short(value_of(context, m.group(1)), m.group(2)) for m in _HOLE.finditer(template)}
    if any(v == "" for v in values.values()):
        return ""
    return _HOLE.sub(lambda m: values[m.group(0)], template)


def value_of(context: JsonMap, path: str) -> Json:
    """A value by path; a reference stands for what it refers to."""
    value = get_path(context, path)
    return value.get("external") if isinstance(value, Mapping) else value


def _short(value: Json, how: str | None) -> str:
    if how == "encoded":
        return quote(str(value or ""), safe="")
    text = "" if value is None else plain_name(str(value))
    if how == "last":
        return text.rpartition("/")[2]
    if how == "scope":
        return text if text in ("", "global") else f"regions/{text.rpartition('/')[2]}"
    return text


def project_of(name: str) -> str:
    """The project that a full name begins with; "" where it begins with none."""
    words = plain_name(name).split("/")
    return words[1] if words[0] == "projects" and len(words) > 1 else ""


@lru_cache(maxsize=256)
def _form_of(template: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """What a template's names look like, and what its holes are called, in order."""
    pattern, at = "", 0
    names: list[str] = []
    for m in _HOLE.finditer(template):
        inner = "global|regions/[^/]+" if m.group(2) == "scope" else ".+" if m.group(1).endswith("Ref") and not m.group(2) else "[^/]+"
        pattern += f"{re.escape(template[at:m.start()])}({inner})"
        names.append(m.group(1))
        at = m.end()
    return re.compile(pattern + re.escape(template[at:])), tuple(names)


def read_name(template: str, name: str) -> dict[str, str] | None:
    """The values that make `template` into `name`, or None where it does not fit."""
    pattern, names = _form_of(template)
    found = pattern.fullmatch(plain_name(name))
    if found is None:
        return None
    values: dict[str, str] = {}
    for n, v in zip(names, found.groups(), strict=True):
        value = unquote(v) if f"{{{n}:encoded}}" in template else v.removeprefix("regions/")
        if values.setdefault(n, value) != value:
            return None
    return values


def scope_of(template: str, name: str) -> str:
    """`global` or `regions`, where the template has a scope."""
    before, hole, _ = template.partition(":scope}")
    if not hole:
        return ""
    field = before.rpartition("{")[2]
    found = read_name(template, name)
    return "" if found is None else "global" if found.get(field) == "global" and "/regions/global/" not in name else "regions"


def plain_name(name: str) -> str:
    """`//pubsub.googleapis.com/projects/…` and `https://www.googleapis.com/compute/v1/projects/…` → `projects/…`."""
    return _URL.sub("", name)


def nested(values: Mapping[str, str]) -> dict[str, Json]:
    """`{"spec.location": "x"}` as a context that templates are filled from."""
    out: dict[str, Json] = {}
    for name, value in values.items():
        out = with_path(out, name, value)
    return out
