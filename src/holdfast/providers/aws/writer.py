"""Changes AWS, part by part, as the kind file says. Only runtime.execute holds one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from holdfast.core.canonical import canonical
from holdfast.core.desired import shape_tags
from holdfast.core.normalise import tag_map
from holdfast.model.errors import CloudError, Retry
from holdfast.model.facts import Live
from holdfast.model.json import Json, JsonMap, get_path, is_empty, with_path, without_path
from holdfast.model.kinds import Kind
from holdfast.providers.aws.api import Call, Part, States, api_of
from holdfast.providers.aws.calls import Send, context_of, encode_fields, read_fields, run
from holdfast.providers.aws.client import AwsClient
from holdfast.providers.aws.codec import covers, encode, unbundle, wire_name
from holdfast.providers.aws.expressions import search
from holdfast.providers.secrets import without_secrets
from holdfast.providers.wire import is_mutating
from holdfast.runtime.ports import Answer, Subject


class _BusyError(Exception):
    """The service is at work on our last write. What is left to write is found as a difference once it is done."""


class AwsWriter:
    def __init__(self, client: AwsClient) -> None:
        self._client = client

    async def create(self, subject: Subject) -> Answer:
        """The create call, then the parts that it does not carry."""
        api, kind, send = api_of(subject.kind), subject.kind, self._sender(subject)
        target = _with_marks(kind, subject.spec, {}, subject.marks)
        carried = {k: v for k, v in target.items() if k in api.carries}
        context = {**context_of(subject, api, spec=carried), "whole": encode_fields(kind, target)}
        try:
            answered = await run((api.create,), context, send)
        except CloudError as error:
            error.is_refused_create = bool(error.service_code) and error.retry is Retry.NEVER
            raise
        spec, status = _answer(kind, api.create, answered, api.main.read[0], context)
        made = context_of(subject, api, spec=target, status={**subject.status, **status})
        written = set(carried)
        with suppress(_BusyError):
            for part in api.parts:
                fields = {f for f in part.fields if f not in api.carries and (not is_empty(target.get(f)) or (part.filled and f in target))}
                if fields:
                    have = await self._filled(subject, part, made, send) if part.filled else {}
                    await self._write_part(subject, part, have, target, fields, {**subject.status, **status}, send)
                    written |= fields
        return Answer({k: v for k, v in spec.items() if k in carried}, status, made["arn"], frozenset(written))

    async def _filled(self, subject: Subject, part: Part, context: dict[str, Json], send: Send) -> JsonMap:
        """What the service itself put into a part of a resource that we have just made."""
        found: dict[str, Json] = {}
        for call, answer in await run((*api_of(subject.kind).main.read, *part.read), context, send):
            got = read_fields(subject.kind, part.fields, call, answer, context)
            found.update(got[0] if got else {})
        return found

    async def update(self, subject: Subject, live: Live, target: JsonMap, changed: frozenset[str]) -> Answer:
        api, kind, send = api_of(subject.kind), subject.kind, self._sender(subject)
        have = _with_all_tags(kind, live.spec, live.tags)
        want = _with_marks(kind, target, live.tags, subject.marks)
        fields = set(changed) | _marks_field(subject, live)
        spec: dict[str, Json] = {}
        written: set[str] = set()
        with suppress(_BusyError):
            for part in api.parts:
                mine = fields & set(part.fields)
                if mine:
                    spec.update(await self._write_part(subject, part, have, want, mine, {**subject.status, **live.status}, send))
                    written |= mine
        return Answer(spec, {}, live.identity, frozenset(written))

    async def mark(self, subject: Subject, live: Live) -> Answer:
        kind = subject.kind
        if not kind.tag_path or not subject.marks.items() - live.tags.items():
            return Answer()
        _refuse_unread_tags(kind, live)
        return await self.update(subject, live, live.spec, frozenset({kind.tag_field}))

    async def delete(self, subject: Subject, live: Live) -> Answer:
        api = api_of(subject.kind)
        context = context_of(subject, api, spec={**subject.spec, **live.spec}, status={**subject.status, **live.status})
        await run(api.delete, context, self._sender(subject), api.not_found)
        return Answer()

    def _sender(self, subject: Subject) -> Send:
        pending, is_busy = api_of(subject.kind).pending, False

        async def send(operation: str, params: dict[str, Json]) -> dict[str, Json]:
            nonlocal is_busy
            if is_busy and is_mutating(operation):
                raise _BusyError
            try:
                answer = await self._client.pages(subject.kind.service, subject.place.region, operation, params)
            except CloudError as error:
                error.message = without_secrets(subject, error.message)
                raise
            is_busy = is_busy or _says_busy(pending, answer)
            return answer

        return send

    async def _write_part(self, subject: Subject, part: Part, have: JsonMap, want: JsonMap, fields: set[str], status: JsonMap,
                          send: Send) -> dict[str, Json]:
        """Bring `fields` of one part from `have` to `want`; gives back what the answers carried."""
        api, kind = api_of(subject.kind), subject.kind
        context = {**context_of(subject, api, spec=want, status=status), "live": encode_fields(kind, have)}
        if part.add or part.remove:
            for field in sorted(fields):
                await _write_members(kind, part, field, have.get(field), want.get(field), context, send)
            return {}
        if part.each:
            for field in sorted(fields):
                name, value = _wire(kind, field), _wire_value(kind, field, want)
                await run(part.each, {**context, "name": name, "value": value}, send)
            return {}
        is_cleared = all(_is_nothing(want.get(f)) for f in part.fields)
        calls = part.clear if part.clear and is_cleared else part.write
        if not calls:
            raise CloudError("HF505", f"{kind.name}: the service has no way to change {', '.join(sorted(fields))}", sent=False)
        changed = {_wire(kind, f): v for f in sorted(fields) if (v := _wire_value(kind, f, want)) is not None}
        answers = await run(calls, {**context, "changed": changed}, send)
        spec = _answer(kind, answers[-1][0], answers, api.main.read[0] if api.main.read else None, context)[0] if answers else {}
        return {k: v for k, v in spec.items() if k in fields}  # the rest of the answer may be from before another part's write


def _says_busy(pending: States | None, answer: JsonMap) -> bool:
    return pending is not None and bool(pending.answer) and search(pending.answer, answer) in pending.values


def _is_nothing(value: Json) -> bool:
    """Empty through and through: `{rules: []}` too."""
    if isinstance(value, Mapping):
        return all(_is_nothing(v) for v in value.values())
    return is_empty(value)


def _wire(kind: Kind, field: str) -> str:
    return wire_name(field, kind.spec_schema["properties"][field])


def _wire_value(kind: Kind, field: str, want: JsonMap) -> Json:
    """The value to send; a text field that must go is sent as "", which is how attribute APIs unset."""
    node, value = kind.spec_schema["properties"][field], want.get(field)
    if value is None:
        return "" if node.get("type") == "string" else None
    return encode(node, value)


def _answer(kind: Kind, call: Call, answers: list[tuple[Call, Json]], read: Call | None, context: JsonMap) -> tuple[dict[str, Json], dict[str, Json]]:
    """What the answer to a write says of the resource: only what it really carries."""
    body = next((a for c, a in reversed(answers) if c.op == call.op), None)
    spec: dict[str, Json] = {}
    status: dict[str, Json] = {}
    if not isinstance(body, dict):
        return spec, status
    if call.answer and read is not None:
        fields = tuple(kind.spec_schema["properties"])
        relative = Call(read.op, base=call.answer, out=read.out)
        got = read_fields(kind, fields, relative, body, context)
        spec, status = got or ({}, {})
    for target, expression in call.out.items():
        status[target.removeprefix("status.")] = search(expression, body)
    return spec, {k: v for k, v in status.items() if v is not None}


# ---- tags and members ------------------------------------------------------------------------------------------------


def _is_clouds(key: str) -> bool:
    return key.startswith("aws:")


def _marks_field(subject: Subject, live: Live) -> set[str]:
    """The tag field, if our marks are missing in it. Tags that were not read are left alone: a set that is replaced as a whole would
    lose the rest."""
    field = subject.kind.tag_field
    is_read = subject.wanted is None or field in subject.wanted or field in live.spec
    is_missing = bool(field) and bool(subject.marks.items() - live.tags.items())
    return {field} if is_missing and is_read and field not in live.failed else set()


def _refuse_unread_tags(kind: Kind, live: Live) -> None:
    field = kind.tag_field
    if field in live.failed:
        raise CloudError("HF509", f"{field} could not be read, so no mark was set: {live.failed[field]}", retry=Retry.SOON, sent=False)


def _with_all_tags(kind: Kind, spec: JsonMap, tags: Mapping[str, str]) -> JsonMap:
    if not kind.tag_path:
        return spec
    return with_path(spec, kind.tag_path, shape_tags(kind, {k: v for k, v in tags.items() if not _is_clouds(k)}))


def _with_marks(kind: Kind, spec: JsonMap, live_tags: Mapping[str, str], marks: Mapping[str, str]) -> dict[str, Json]:
    """The spec's own tags, the marks that are there already, and ours."""
    if not kind.tag_path:
        return dict(spec)
    kept = {k: v for k, v in live_tags.items() if k.startswith(kind.dialect.ignored_tag_prefixes) and not _is_clouds(k)}
    own = {k: v for k, v in tag_map(get_path(spec, kind.tag_path)).items() if not _is_clouds(k)}
    tags = {**kept, **own, **marks}
    return with_path(spec, kind.tag_path, shape_tags(kind, tags)) if tags else without_path(spec, kind.tag_path)


async def _write_members(kind: Kind, part: Part, field: str, have: Json, want: Json, context: dict[str, Json], send: Send) -> None:
    node = kind.spec_schema["properties"][field]
    is_tags = kind.rule(field).tags
    old, new = _members(part, have, is_tags), _members(part, want, is_tags)
    if part.key == "whole":
        added = {k: v for k, v in new.items() if not any(covers(there, v) for there in old.values())}
        removed = {k: v for k, v in old.items() if not any(covers(v, given) for given in new.values())}
    else:
        added = {k: v for k, v in new.items() if k not in old or not covers(old[k], v)}
        removed = {k: v for k, v in old.items() if k not in new}
    schema = node.get("items") or node.get("additionalProperties") or {}
    context = {**context, "olds": {k: encode(schema, v) for k, v in old.items()}}
    steps = [(part.add, added), (part.remove, removed)]
    for calls, items in reversed(steps) if part.removes_first else steps:
        for call in calls if items else ():
            await _send_members(kind, node, call, items, is_tags, context, send)


async def _send_members(kind: Kind, node: JsonMap, call: Call, items: dict[str, Json], is_tags: bool, context: dict[str, Json], send: Send) -> None:
    if call.per_item:
        for key, value in items.items():
            item = encode(node.get("items") or node.get("additionalProperties") or {}, value)
            await run((call,), {**context, "item": item, "key": key, "value": item, "old": context["olds"].get(key)}, send)
        return
    shaped = shape_tags(kind, items) if is_tags else items if node.get("type") == "object" else list(items.values())
    encoded = encode(node, shaped)
    await run((call,), {**context, "added": encoded, "removed": encoded, "removed_keys": list(items)}, send)


def _members(part: Part, value: Json, is_tags: bool) -> dict[str, Json]:
    if is_tags:
        return dict(tag_map(value))
    if isinstance(value, Mapping):
        return dict(value)
    if part.bundles:
        value = unbundle(value, part.bundles)
    key = part.key if part.key != "whole" else ""
    return {str(v.get(key)) if key and isinstance(v, Mapping) else v if isinstance(v, str) else canonical(v).decode(): v for v in value or []}


