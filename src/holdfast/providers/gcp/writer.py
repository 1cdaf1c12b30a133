"""Changes things in Google Cloud, as each API wants it: by field mask, by merge patch, by replacing, or by a method of its own.

What a spec does not speak of is sent back as it was read: a mask over a whole object would wipe it. Etags and fingerprints of that read go
along, so that a change by somebody else in between is noticed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from holdfast.core.templates import fill_name
from holdfast.model.errors import CloudError, Retry
from holdfast.model.facts import Live
from holdfast.model.json import Json, JsonMap, get_path, merge
from holdfast.model.kinds import Kind, top_field
from holdfast.providers.gcp.api import Action, Api, Method, api_of
from holdfast.providers.gcp.bodies import body_of, filled_body, guard, guarding, mask_of, with_id, wrapper
from holdfast.providers.gcp.changes import Change, less, marked, marks_due, prepare, speaks_of
from holdfast.providers.gcp.client import GcpClient
from holdfast.providers.gcp.codec import encode, wire_paths
from holdfast.providers.gcp.errors import EXISTS, NOT_FOUND
from holdfast.providers.gcp.names import context_of, name_of, params_of
from holdfast.providers.gcp.patches import pick
from holdfast.providers.gcp.reader import answer_of, filled, operation_name, resource_answer
from holdfast.providers.secrets import without_secrets
from holdfast.runtime.ports import Answer, Clock, Subject


class GcpWriter:
    def __init__(self, client: GcpClient, clock: Clock) -> None:
        self._client, self._clock = client, clock

    async def create(self, subject: Subject) -> Answer:
        kind, api = subject.kind, api_of(subject.kind)
        name = name_of(subject, api)
        context = self._context(subject, name)
        _refuse(subject, api)
        if api.create.instead and get_path(subject.spec, api.create.instead["when"]) is not None:
            return await self._create_from(subject, api, name, context)
        method = _create_method(api, name)
        made = encode(kind.spec_schema, marked(subject, {**_start(kind, api, subject.spec), **subject.spec}), context)
        later = [p for p, others in api.create.later.items() if any(get_path(made, o) is not None for o in others)]
        made = less(made, later)
        body, query = with_id(api, method, merge(filled_body(api.create.body, context), made), name, subject)
        query |= filled(api.create.query, context)
        answer = await self._make(subject, api, method, params_of(api, method, name, context, "create"), query, body)
        return _silent_on(subject, later, _answer(subject, api, method, answer, name))

    async def _create_from(self, subject: Subject, api: Api, name: str, context: JsonMap) -> Answer:
        """By a method of another resource: what it cannot carry, the update after it does."""
        other = api.create.instead
        source = fill_name(other["of"], context)
        method = api.need(source, other["method"])
        answer = await self._make(subject, api, method, params_of(api, method, source, context, other["method"]), {}, filled_body(other["body"], context))
        return _answer(subject, api, method, answer, name)

    async def _call(self, subject: Subject, host: str, method: Method, params: Mapping[str, str], query: Mapping[str, str] | None = None,
                    body: JsonMap | None = None, headers: Mapping[str, str] | None = None) -> dict[str, Json]:
        try:
            return await self._client.call(host, method, params, query, body, headers)
        except CloudError as error:
            error.message = without_secrets(subject, error.message)
            raise

    async def _make(self, subject: Subject, api: Api, method: Method, params: Mapping[str, str], query: Mapping[str, str], body: JsonMap) -> JsonMap:
        try:
            return await self._call(subject, api.host, method, params, query, body)
        except CloudError as error:
            error.is_refused_create = error.retry is Retry.NEVER or error.service_code in EXISTS
            raise

    def _context(self, subject: Subject, name: str) -> dict[str, Json]:
        """What templates are filled from; `{later.x}` is the time after the duration x from now."""
        seconds = {k: re.fullmatch(r"([0-9]{1,10}(?:\.[0-9]{1,9})?)s", str(v)) for k, v in subject.spec.items()}
        later = {k: self._clock.later(float(m.group(1))) for k, m in seconds.items() if m}
        return {**context_of(subject, name), "later": later}

    async def update(self, subject: Subject, live: Live, target: JsonMap, changed: frozenset[str]) -> Answer:
        """One call: what needs another is still a difference, and goes out with the next pass, which reads directives and etag anew."""
        api = api_of(subject.kind)
        context = self._context(subject, name_of(subject, api))
        change, changed, late = prepare(subject, api, live, target, changed, context)
        for action in api.actions:
            if action.fields & changed:
                return replace(await self._act(subject, api, action, change), written=action.fields & changed)
        parts = {top_field(f) for a in late for f in a.fields}
        rest = changed - {f for f in parts if not speaks_of(subject, change, f)}
        if rest:
            return replace(await self._patch(subject, api, change, rest), written=rest)
        if late:
            return replace(await self._act(subject, api, late[0], change), written=frozenset(top_field(f) for f in late[0].fields))
        return Answer(written=frozenset())

    async def mark(self, subject: Subject, live: Live) -> Answer:
        return await self.update(subject, live, live.spec, frozenset()) if marks_due(subject, live) else Answer()

    async def delete(self, subject: Subject, live: Live) -> Answer:
        api = api_of(subject.kind)
        name, context = name_of(subject, api), context_of(subject, live.identity)
        method = api.need(name, api.delete.method or "delete")
        try:
            answer = await self._call(subject, api.host, method, params_of(api, method, name, context), filled(api.delete.query, context))
        except CloudError as error:
            if error.service_code == NOT_FOUND:
                return Answer()
            raise
        return Answer(operation=_answer(subject, api, method, answer, name).operation)

    async def _act(self, subject: Subject, api: Api, action: Action, change: Change) -> Answer:
        verb = action.method
        if isinstance(verb, Mapping):
            (field,) = action.fields
            word = str(bool(get_path(change.target, wire_paths(subject.kind.spec_schema, field)[0]))).lower()
            verb = verb.get(word, f"that makes {field} {word}")
        method = api.method(change.name, str(verb))
        if method is None:
            raise CloudError("HF505", f"{subject.kind.name} {change.name} cannot be updated so: the service has no method {verb} for it", sent=False)
        paths = [p for f in sorted(action.fields) for p in wire_paths(subject.kind.spec_schema, f)]
        body = {**pick(change.target, paths), **pick(change.live.raw, list(action.also)), **filled_body(action.body, {**change.context, "target": change.target})}
        known = set(get_path(api.schemas, f"{method.request}.properties") or {})
        query = {**filled(action.query, change.context), **guarding(api, method, change.live)}
        answer = await self._call(subject, api.host, method, params_of(api, method, change.name, change.context, str(verb)), query,
                                         {k: v for k, v in body.items() if k in known} if method.request else None)
        return _answer(subject, api, method, answer, change.name)

    async def _patch(self, subject: Subject, api: Api, change: Change, fields: frozenset[str]) -> Answer:
        method, style = _update_method(subject, api, change.name)
        paths = sorted({p for f in fields for p in mask_of(subject, api, change, f)})
        body = body_of(api, change, style, paths)
        query, headers = dict(filled(api.update.query, change.context)), dict[str, str]()
        guard(api, change.live, body, query, headers)
        wrapped = wrapper(api, method)
        if style == "mask":
            mask = ",".join(paths)
            if wrapped:
                body = {wrapped[0]: body, wrapped[1]: mask}
            else:
                query["updateMask"] = mask
        elif wrapped:
            body = {wrapped[0]: body}
        answer = await self._call(subject, api.host, method, params_of(api, method, change.name, change.context, method.id.rpartition(".")[2]), query, body,
                                         headers)
        return _answer(subject, api, method, answer, change.name)


def _refuse(subject: Subject, api: Api) -> None:
    """A promise that we cannot keep is refused, not ignored."""
    for field, why in api.create.refuse.items():
        if subject.spec.get(field):
            error = CloudError("HF505", f"spec.{field}: {subject.spec[field]!r} cannot be carried out: {why}. Nothing was sent", sent=False)
            error.is_refused_create = True
            raise error


def _start(kind: Kind, api: Api, spec: JsonMap) -> JsonMap:
    """What a create says of its own, unless the spec says it, or what excludes it."""
    barred = {f for group in kind.one_of if set(group) & set(spec) for f in group}
    return {f: v for f, v in api.create.start.items() if f not in barred}


def _silent_on(subject: Subject, paths: list[str], answer: Answer) -> Answer:
    """The answer, saying nothing of fields that were kept back: what the service has there instead is not its word on ours."""
    if not paths:
        return answer
    kept = {f for f in subject.spec for w in wire_paths(subject.kind.spec_schema, f) if any(p == w or p.startswith(f"{w}.") or w.startswith(f"{p}.") for p in paths)}
    return replace(answer, spec={k: v for k, v in answer.spec.items() if k not in kept}, written=frozenset(subject.spec) - kept)


def _create_method(api: Api, name: str) -> Method:
    found = api.method(name, api.create.method) if api.create.method else api.method(name, "create") or api.method(name, "insert")
    return found or api.need(name, "create")


def _update_method(subject: Subject, api: Api, name: str) -> tuple[Method, str]:
    named = api.update.method
    method = api.method(name, named) if named else api.method(name, "patch") or api.method(name, "update")
    if method is None or api.update.style == "none":
        raise CloudError("HF505", f"{subject.kind.name} cannot be updated: the service has no method for it", sent=False)
    wrapped = wrapper(api, method)
    by_mask = "updateMask" in method.query or bool(wrapped and wrapped[1])
    return method, api.update.style or ("mask" if by_mask else "replace" if method.http == "PUT" else "merge")


def _answer(subject: Subject, api: Api, method: Method, body: JsonMap, name: str) -> Answer:
    if api.is_operation(method):
        done = answer_of(subject, api, body)
        return done if done is not None else Answer(identity=name, operation=operation_name(body))
    if method.response == api.resource and body:
        return resource_answer(subject, api, body)
    return Answer(identity=name)
