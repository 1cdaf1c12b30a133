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
    return _compiled(expression).search(data, _options())


@lru_cache(maxsize=1)
def _options() -> Any:
    """JMESPath with two functions more: `document(text, free)`, see `_document`, and `also_in(items, others, name)`: the items whose member
    `name` one of the others has too."""
    import jmespath
    from jmespath import functions

    class Functions(functions.Functions):  # type: ignore[misc]
        @functions.signature({"types": ["string", "null"]}, {"types": ["array"]})  # type: ignore[untyped-decorator]
        def _func_document(self, text: str | None, free: list[str]) -> Json:
            return _document(text, free)

        @functions.signature({"types": ["array", "null"]}, {"types": ["array", "null"]}, {"types": ["string"]})  # type: ignore[untyped-decorator]
        def _func_also_in(self, items: list[Json] | None, others: list[Json] | None, name: str) -> Json:
            known = [o.get(name) for o in others or []]
            return [i for i in items or [] if i.get(name) in known]

    return jmespath.Options(custom_functions=Functions())


def _document(text: str | None, free: list[str]) -> Json:
    """YAML or JSON in a text field, as data. Keys begin with a small letter, as JSON APIs have them, but for what members called `free` hold."""
    from holdfast.kinds.yamlfile import load_documents

    found = load_documents(text or "", "document")
    return _small_keys(found[0].data, frozenset(free)) if found else None


def _small_keys(data: Json, free: frozenset[str]) -> Json:
    if isinstance(data, list):
        return [_small_keys(v, free) for v in data]
    if not isinstance(data, Mapping):
        return data
    named = {f"{k[:1].lower()}{k[1:]}": v for k, v in data.items() if v is not None}
    return {k: v if k in free else _small_keys(v, free) for k, v in named.items()}


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
