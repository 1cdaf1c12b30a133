"""The small language of kind files: `$expression` (JMESPath over a context) in requests, `{a.b}` in templates of ARNs.

A request template is plain data; a string that starts with `$` is replaced by what its expression finds, and what is not found is left
out of the request. A key `$name` is replaced likewise; the members of what a key `...` finds are spread into its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from holdfast.model.json import Json, JsonMap, get_path

_MISSING = object()


@lru_cache(maxsize=2048)
def _compiled(expression: str) -> Any:
    import jmespath

    return jmespath.compile(expression)


def search(expression: str, data: Json) -> Json:
    return _compiled(expression).search(data)


def fill(template: Json, context: JsonMap) -> Json:
    """The template with its expressions replaced."""
    found = _fill(template, context)
    return None if found is _MISSING else found


def _fill(template: Json, context: JsonMap) -> Json:
    if isinstance(template, str):
        if not template.startswith("$"):
            return template
        value = search(template[1:], context)
        return _MISSING if value is None else value
    if isinstance(template, Mapping):
        spread = _fill(template["..."], context) if "..." in template else {}
        pairs = ((_fill(k, context) if k.startswith("$") else k, _fill(v, context)) for k, v in template.items() if k != "...")
        return {**({} if spread is _MISSING else spread), **{k: v for k, v in pairs if k is not _MISSING and v is not _MISSING}}
    if isinstance(template, list):
        return [v for v in (_fill(item, context) for item in template) if v is not _MISSING]
    return template


def holds(condition: str, context: JsonMap) -> bool:
    return not condition or bool(search(condition.removeprefix("$"), context))


def render(template: str, context: JsonMap) -> str:
    """`arn:{partition}:sqs:{region}:{account}:{spec.queueName}`, or `$expression`; "" where something is not known yet."""
    if template.startswith("$"):
        return str(search(template[1:], context) or "")
    values = {name: get_path(context, name) for name in _names(template)}
    if any(v in (None, "") for name, v in values.items() if name not in ("region", "account")):
        return ""
    return re.sub(r"{([^}]+)}", lambda m: str(values[m.group(1)] or ""), template)


def unrender(template: str, text: str) -> dict[str, str] | None:
    """The values that make `template` into `text`, or None where they do not fit."""
    pattern, last = "", _names(template)[-1] if _names(template) else ""
    for literal, name in re.findall(r"([^{]*)(?:{([^}]+)})?", template):
        pattern += re.escape(literal)
        if name:
            pattern += f"(?P<{_group(name)}>{_fits(template, name, last)})"
    found = re.fullmatch(pattern, text)
    return {name: found.group(_group(name)) for name in _names(template)} if found else None


def _fits(template: str, name: str, last: str) -> str:
    if f"{{{name}}}{{" in template:  # a path right before a name: `{spec.path}{spec.name}`
        return "[^:]*/"
    return "[^:]*" if name != last and ":" in template else ".+"


def _names(template: str) -> list[str]:
    return re.findall(r"{([^}]+)}", template)


def _group(name: str) -> str:
    return name.replace(".", "__")
