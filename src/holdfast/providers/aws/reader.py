"""Looks at AWS. This class has no method that changes anything, and its `send` refuses operations that do."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field

from holdfast.core.normalise import tag_map
from holdfast.model.errors import CloudError, Retry
from holdfast.model.facts import Absent, Live
from holdfast.model.json import Json, JsonMap, get_path
from holdfast.providers.aws.api import Api, Call, Part, States, api_of
from holdfast.providers.aws.calls import Send, context_of, expand, read_fields, run
from holdfast.providers.aws.client import AwsClient
from holdfast.providers.aws.codec import bundle
from holdfast.providers.aws.expressions import render, search, unrender
from holdfast.providers.wire import is_mutating
from holdfast.runtime.ports import Answer, Subject


@dataclass(slots=True)
class _Found:
    """What the reads of one resource have gathered so far."""

    spec: dict[str, Json] = field(default_factory=dict)
    status: dict[str, Json] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


class AwsReader:
    def __init__(self, client: AwsClient) -> None:
        self._client = client

    async def observe(self, subject: Subject) -> Live | Absent:
        api, send = api_of(subject.kind), self._sender(subject)
        status = await self._find(subject, api, send)
        if status is None:
            return Absent()
        found = _Found(status=dict(status))
        if not await self._read_main(subject, api, found, send):
            return Absent()
        others = [p for p in api.parts[1:] if subject.wanted is None or set(p.fields) & subject.wanted]
        async with asyncio.TaskGroup() as group:
            for part in others:
                group.create_task(self._read_part(subject, api, part, found, send))
        return _live(subject, api, found)

    async def ask(self, subject: Subject, operation: str) -> Answer | None:
        """AWS has no operations by name: a resource's own state says what it is doing (`pending`)."""
        del subject, operation
        return Answer()

    def _sender(self, subject: Subject) -> Send:
        async def send(operation: str, params: dict[str, Json]) -> dict[str, Json]:
            if is_mutating(operation):
                raise CloudError("HF512", f"{operation} is not a read", sent=False)
            return await self._client.pages(subject.kind.service, subject.place.region, operation, params)

        return send

    async def _find(self, subject: Subject, api: Api, send: Send) -> JsonMap | None:
        """Ids by which the resource is read: those known already, or found by name or by mark."""
        gives = {t.removeprefix("status.") for c in api.find for t in c.out}
        if not api.find or all(get_path(subject.status, name) for name in gives):
            return subject.status
        context = context_of(subject, api)
        answers = await run(api.find, context, send, api.not_found)
        if not answers:
            raise CloudError("HF513", f"{subject.kind.name}: too little is known to look for it, so nothing is known", retry=Retry.SLOWLY, sent=False)
        for call, answer in answers:
            if answer is None or not call.out:
                continue
            for expression in call.out.values():
                _must_have(call, expression, answer)
            found = {t.removeprefix("status."): search(expand(e, context), answer) for t, e in call.out.items()}
            if all(v is not None for v in found.values()):
                return {**subject.status, **found}
        return None

    async def _read_main(self, subject: Subject, api: Api, found: _Found, send: Send) -> bool:
        context = context_of(subject, api, status=found.status)
        answers = await run(api.main.read, context, send, api.not_found)
        for i, (call, answer) in enumerate(answers):
            _must_have(call, call.base, answer)
            got = None if answer is None else read_fields(subject.kind, api.main.fields, call, answer, context)
            if got is None and i == 0:
                return False
            _keep(found, got)
        if not answers:
            raise CloudError("HF513", f"{subject.kind.name}: nothing was read, so nothing is known", retry=Retry.SLOWLY, sent=False)
        return True

    async def _read_part(self, subject: Subject, api: Api, part: Part, found: _Found, send: Send) -> None:
        context = context_of(subject, api, spec={**found.spec, **subject.spec}, status=found.status)
        try:
            for call, answer in await run(part.read, context, send, part.absent):
                _keep(found, None if answer is None else read_fields(subject.kind, part.fields, call, answer, context))
        except CloudError as error:
            found.failed.update(dict.fromkeys(part.fields, error.message))


def _must_have(call: Call, expression: str, answer: Json) -> None:
    """An answer without the member that it is asked for is no answer, and above all no "not found"."""
    root = re.match(r"[A-Za-z]\w*(?![\w(])", expression)
    if root and isinstance(answer, dict) and root.group() not in answer:
        raise CloudError("HF513", f"{call.op}: the answer has no {root.group()}", retry=Retry.SOON)


def _keep(found: _Found, got: tuple[dict[str, Json], dict[str, Json]] | None) -> None:
    if got is not None:
        found.spec.update({k: v for k, v in got[0].items() if v is not None})
        found.status.update(got[1])


def _live(subject: Subject, api: Api, found: _Found) -> Live:
    kind = subject.kind
    own = {k: v for k, v in found.status.items() if k in kind.status_schema["properties"]}
    context = context_of(subject, api, spec={**subject.spec, **found.spec}, status=found.status)
    _name_from_arn(subject, found, context["arn"])
    for name, bundles in ((f, p.bundles) for p in api.parts if p.bundles for f in p.fields if f in found.spec):
        found.spec[name] = bundle(found.spec[name], subject.spec.get(name), bundles)
    tags = tag_map(get_path(found.spec, kind.tag_path)) if kind.tag_path else {}
    return Live(
        spec=found.spec, status=own, identity=(render(api.arn, context) or context["arn"]).removesuffix(":*"), place=subject.place, mark=tags.get(kind.dialect.mark_tag, ""), tags=tags,
        failed=found.failed, created=str(search(api.created, context) or "") if api.created else "",
        pending=_state(api.pending, context), gone=bool(_state(api.gone, context)),
    )


def _name_from_arn(subject: Subject, found: _Found, arn: str) -> None:
    """Many reads do not repeat the name that they were asked by; the ARN has it."""
    template = subject.kind.identifiers.get("arn", "")
    for name, text in (unrender(template, arn) or {}).items() if arn and "{" in template else ():
        side, _, field_name = name.partition(".")
        if side == "spec":
            found.spec.setdefault(field_name, text)


def _state(states: States | None, context: JsonMap) -> str:
    value = str(search(states.at, context) or "") if states else ""
    return value if states and value in states.values else ""
