"""Runs the calls of a kind file in order, each with what the one before answered."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from holdfast.model.errors import CloudError
from holdfast.model.json import Json, JsonMap, get_path
from holdfast.model.kinds import Kind
from holdfast.providers.aws.api import Api, Call, Calls
from holdfast.providers.aws.codec import decode, encode, wire_name
from holdfast.providers.aws.expressions import fill, holds, render, search, unrender
from holdfast.runtime.ports import Subject

Send = Callable[[str, dict[str, Json]], Awaitable[dict[str, Json]]]  # (operation, params)
_HOLE = re.compile(r"{((?:spec|status|account|region|mark|key)(?:\.[A-Za-z0-9]+)*)}")


def context_of(subject: Subject, api: Api, spec: JsonMap | None = None, status: JsonMap | None = None) -> dict[str, Json]:
    """What expressions see. `spec` is keyed by our names, its values are as the API takes them."""
    kind, place = subject.kind, subject.place
    given = {**_named_by_arn(api, subject.status), **encode_fields(kind, subject.spec if spec is None else spec)}
    context: dict[str, Json] = {
        "spec": given, "status": dict(subject.status if status is None else status), "account": place.account, "region": place.region,
        "partition": place.partition, "token": subject.token, "mark": subject.mark,
        "part": {p.name: part_values(kind, p.fields, given) for p in api.parts},
    }
    context["arn"] = get_path(context["status"], "ackResourceMetadata.arn") or render(api.arn, context)
    return context


def _named_by_arn(api: Api, status: JsonMap) -> dict[str, str]:
    """Names that the known ARN holds. The spec may lack them: while an object is deleted its references are not looked up."""
    arn = get_path(status, "ackResourceMetadata.arn")
    names = unrender(api.arn, arn) if arn and not api.arn.startswith("$") else None
    return {name.removeprefix("spec."): text for name, text in (names or {}).items() if name.startswith("spec.")}


def encode_fields(kind: Kind, spec: JsonMap) -> dict[str, Json]:
    properties = kind.spec_schema["properties"]
    return {k: encode(properties.get(k) or {}, v) for k, v in spec.items() if v is not None}


def part_values(kind: Kind, fields: tuple[str, ...], encoded: JsonMap) -> dict[str, Json]:
    """A part's fields under the API's own names."""
    properties = kind.spec_schema["properties"]
    return {wire_name(f, properties.get(f) or {}): encoded[f] for f in fields if f in encoded}


async def run(calls: Calls, context: dict[str, Json], send: Send, absent: frozenset[str] = frozenset()) -> list[tuple[Call, Json]]:
    """Each call's answer (for `each` a list of answers, each with its `item`); a call that met one of its `absent` codes answers None."""
    out: list[tuple[Call, Json]] = []
    before: Json = None
    for call in calls:
        context = {**context, "before": before}
        if not holds(call.condition, context):
            continue
        if call.each:
            items = search(expand(call.each, context), before if before is not None else context) or []
            answers = [(item, await _one(call, {**context, "item": item}, send, absent)) for item in items]
            before = [{**a, "item": item} for item, a in answers if a is not None]
        else:
            before = await _one(call, context, send, absent)
        out.append((call, before))
    return out


async def _one(call: Call, context: dict[str, Json], send: Send, absent: frozenset[str]) -> Json:
    try:
        return await send(call.op, fill(call.params, context))
    except CloudError as error:
        if error.service_code in call.ignore:
            return {}
        if error.service_code in (call.absent | absent):
            return None
        raise


def expand(expression: str, context: JsonMap) -> str:
    """`{spec.name}` inside an expression, replaced by its (quoted where needed) value."""
    return _HOLE.sub(lambda m: str(get_path(context, m.group(1)) or "").replace("'", "\\'"), expression)


def read_fields(kind: Kind, fields: tuple[str, ...], call: Call, answer: Json, context: JsonMap) -> tuple[dict[str, Json], dict[str, Json]] | None:
    """(spec, status) that an answer gives, or None where it has nothing at its base."""
    base = search(expand(call.base, context), answer)
    if base is None:
        return None
    spec, status = _automatic(kind, fields, base)
    for target, expression in call.out.items():
        value = search(expand(expression, context), base)
        where, _, name = target.rpartition(".")
        node = kind.status_schema["properties"].get(name) if where == "status" else _spec_node(kind, name)
        (status if where == "status" else spec)[name] = decode(node or {"type": "string"}, value)
    return ({k: v for k, v in spec.items() if v is not None}, {k: v for k, v in status.items() if v is not None})


def _automatic(kind: Kind, fields: tuple[str, ...], base: Json) -> tuple[dict[str, Json], dict[str, Json]]:
    """Members of the answer whose names are those of fields."""
    if not isinstance(base, dict):
        return {}, {}
    spec_nodes, status_nodes = {f: node for f in fields if (node := _spec_node(kind, f))}, kind.status_schema["properties"]
    spec = {f: decode(node, base.get(wire_name(f, node))) for f, node in spec_nodes.items()}
    status = {n: decode(node, base.get(wire_name(n, node))) for n, node in status_nodes.items() if wire_name(n, node) in base}
    return spec, status


def _spec_node(kind: Kind, name: str) -> JsonMap | None:
    """A field's schema as the API has it: what is a reference to a Secret in the spec is text there."""
    node = kind.spec_schema["properties"].get(name)
    is_secret = any(r.to_secret and r.path == name for r in kind.references)
    return {"type": "string", "x-wire": wire_name(name, node or {})} if is_secret else node
