"""Changes things in Google Cloud, as each API wants it: by field mask, by merge patch, by replacing, or by a method of its own.

What a spec does not speak of is sent back as it was read: a mask over a whole object would wipe it. Etags and fingerprints of that read go
along, so that a change by somebody else in between is noticed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from holdfast.core.templates import fill_name, value_of
from holdfast.model.errors import CloudError, Retry
from holdfast.model.facts import Live
from holdfast.model.json import Json, JsonMap, get_path, merge, with_path, without_path
from holdfast.model.kinds import Kind, top_field
from holdfast.providers.gcp.api import Action, Api, Method, api_of
from holdfast.providers.gcp.client import GcpClient
from holdfast.providers.gcp.codec import apply_patch, encode, merge_patch, pick, wire_paths, without_outputs
from holdfast.providers.gcp.errors import NOT_FOUND
from holdfast.providers.gcp.forms import leaving, one_form, switched_off
from holdfast.providers.gcp.names import context_of, name_of, params_of
from holdfast.providers.gcp.reader import answer_of, filled, operation_name, resource_answer
from holdfast.runtime.ports import Answer, Clock, Subject


@dataclass(frozen=True)
class _Change:
    """What an update starts from and shall lead to, as the API has both."""

    live: Live
    name: str
    context: JsonMap
    patch: dict[str, Json]  # from live to target
    target: dict[str, Json]


class GcpWriter:
    def __init__(self, client: GcpClient, clock: Clock) -> None:
        self._client, self._clock = client, clock

    async def create(self, subject: Subject) -> Answer:
        kind, api = subject.kind, api_of(subject.kind)
        name = name_of(subject, api)
        context = self._context(subject, name)
        if api.create.instead and get_path(subject.spec, api.create.instead["when"]) is not None:
            return await self._create_from(subject, api, name, context)
        method = _create_method(api, name)
        made = encode(kind.spec_schema, _marked(subject, {**_start(kind, api, subject.spec), **subject.spec}), context)
        later = [p for p, others in api.create.later.items() if any(get_path(made, o) is not None for o in others)]
        made = _less(made, later)
        body, query = _with_id(api, method, merge(_filled_body(api.create.body, context), made), name, subject)
        query |= filled(api.create.query, context)
        answer = await self._make(api, method, params_of(api, method, name, context, "create"), query, body)
        return _silent_on(subject, later, _answer(subject, api, method, answer, name))

    async def _create_from(self, subject: Subject, api: Api, name: str, context: JsonMap) -> Answer:
        """By a method of another resource: what it cannot carry, the update after it does."""
        other = api.create.instead
        source = fill_name(other["of"], context)
        method = api.need(source, other["method"])
        answer = await self._make(api, method, params_of(api, method, source, context, other["method"]), {}, _filled_body(other["body"], context))
        return _answer(subject, api, method, answer, name)

    async def _make(self, api: Api, method: Method, params: Mapping[str, str], query: Mapping[str, str], body: JsonMap) -> JsonMap:
        try:
            return await self._client.call(api.host, method, params, query, body)
        except CloudError as error:
            error.is_refused_create = error.retry is Retry.NEVER
            raise

    def _context(self, subject: Subject, name: str) -> dict[str, Json]:
        """What templates are filled from; `{later.x}` is the time after the duration x from now."""
        seconds = {k: str(v)[:-1] for k, v in subject.spec.items() if isinstance(v, str) and v.endswith("s")}
        later = {k: self._clock.later(float(v)) for k, v in seconds.items() if v.replace(".", "", 1).isdigit()}
        return {**context_of(subject, name), "later": later}

    async def update(self, subject: Subject, live: Live, target: JsonMap, changed: frozenset[str]) -> Answer:
        kind, api = subject.kind, api_of(subject.kind)
        name = name_of(subject, api)
        context = self._context(subject, name)
        target, changed = _marked(subject, target), changed | _marks_due(subject, live)
        gone = leaving(kind.spec_schema, subject.spec, target, changed)
        target, changed = one_form(kind.spec_schema, {k: v for k, v in target.items() if k not in gone}, subject.spec), changed | gone
        before, after = encode(kind.spec_schema, live.spec, context), encode(kind.spec_schema, target, context)
        after = switched_off(kind.spec_schema, gone, after, encode(kind.spec_schema, subject.spec, context)) if gone else after
        change = _Change(live, name, context, merge_patch(before, after), after)
        late = [a for a in api.actions if a.last and _is_due(subject, a, change, changed)]
        change = replace(change, patch=_less(change.patch, [p for a in late for f in a.fields for p in wire_paths(kind.spec_schema, f)]))
        sent: set[str] = set()
        answer = Answer()
        for action in api.actions:
            fields = action.fields & changed
            if fields:
                answer = await self._act(subject, api, action, change)
                sent |= fields
                if answer.operation:
                    return Answer(operation=answer.operation, written=frozenset(sent))
        parts = {top_field(f) for a in late for f in a.fields}
        rest = changed - {f for a in api.actions for f in a.fields} - {f for f in parts if not _speaks_of(subject, change, f)}
        if rest:
            answer = await self._patch(subject, api, change, rest)
            sent |= rest
        elif late and not sent:
            answer = await self._act(subject, api, late[0], change)
            sent |= {top_field(f) for f in late[0].fields}
        return Answer(answer.spec, answer.status, answer.identity, frozenset(sent), answer.operation)

    async def mark(self, subject: Subject, live: Live) -> Answer:
        return await self.update(subject, live, live.spec, frozenset()) if _marks_due(subject, live) else Answer()

    async def delete(self, subject: Subject, live: Live) -> Answer:
        api = api_of(subject.kind)
        name, context = name_of(subject, api), context_of(subject, live.identity)
        method = api.need(name, api.delete.method or "delete")
        try:
            answer = await self._client.call(api.host, method, params_of(api, method, name, context), filled(api.delete.query, context))
        except CloudError as error:
            if error.service_code == NOT_FOUND:
                return Answer()
            raise
        return Answer(operation=_answer(subject, api, method, answer, name).operation)

    async def _act(self, subject: Subject, api: Api, action: Action, change: _Change) -> Answer:
        verb = action.method
        if isinstance(verb, Mapping):
            (field,) = action.fields
            word = str(bool(get_path(change.target, wire_paths(subject.kind.spec_schema, field)[0]))).lower()
            verb = verb.get(word, f"that makes {field} {word}")
        method = api.method(change.name, str(verb))
        if method is None:
            raise CloudError("HF505", f"{subject.kind.name} {change.name} cannot be updated so: the service has no method {verb} for it", sent=False)
        paths = [p for f in sorted(action.fields) for p in wire_paths(subject.kind.spec_schema, f)]
        body = {**pick(change.target, paths), **pick(change.live.raw, list(action.also)), **_filled_body(action.body, {**change.context, "target": change.target})}
        known = set(get_path(api.schemas, f"{method.request}.properties") or {})
        query = {**filled(action.query, change.context), **_guarding(api, method, change.live)}
        answer = await self._client.call(api.host, method, params_of(api, method, change.name, change.context, str(verb)), query,
                                         {k: v for k, v in body.items() if k in known} if method.request else None)
        return _answer(subject, api, method, answer, change.name)

    async def _patch(self, subject: Subject, api: Api, change: _Change, fields: frozenset[str]) -> Answer:
        method, style = _update_method(subject, api, change.name)
        paths = sorted({p for f in fields for p in _mask_of(subject, api, change, f)})
        body = _body(api, change, style, paths)
        query, headers = dict(filled(api.update.query, change.context)), dict[str, str]()
        _guard(api, change.live, body, query, headers)
        wrapped = _wrapper(api, method)
        if style == "mask":
            mask = ",".join(paths)
            if wrapped:
                body = {wrapped[0]: body, wrapped[1]: mask}
            else:
                query["updateMask"] = mask
        elif wrapped:
            body = {wrapped[0]: body}
        if "requestId" in method.query and subject.token:
            query["requestId"] = subject.token
        answer = await self._client.call(api.host, method, params_of(api, method, change.name, change.context, method.id.rpartition(".")[2]), query, body,
                                         headers)
        return _answer(subject, api, method, answer, change.name)


def _marked(subject: Subject, spec: JsonMap) -> JsonMap:
    """The spec with our marks among its labels."""
    path = subject.kind.tag_path
    return with_path(spec, path, {**(get_path(spec, path) or {}), **subject.marks}) if path else spec


def _marks_due(subject: Subject, live: Live) -> frozenset[str]:
    missing = bool(subject.kind.tag_path) and bool(subject.marks.items() - live.tags.items())
    return frozenset({subject.kind.tag_field}) if missing else frozenset()


def _start(kind: Kind, api: Api, spec: JsonMap) -> JsonMap:
    """What a create says of its own, unless the spec says it, or what excludes it."""
    barred = {f for group in kind.one_of if set(group) & set(spec) for f in group}
    return {f: v for f, v in api.create.start.items() if f not in barred}


def _less(body: dict[str, Json], paths: list[str]) -> dict[str, Json]:
    for path in paths:
        body = without_path(body, path)
    return body


def _silent_on(subject: Subject, paths: list[str], answer: Answer) -> Answer:
    """The answer, saying nothing of fields that were kept back: what the service has there instead is not its word on ours."""
    if not paths:
        return answer
    kept = {f for f in subject.spec for w in wire_paths(subject.kind.spec_schema, f) if any(p == w or p.startswith(f"{w}.") or w.startswith(f"{p}.") for p in paths)}
    return replace(answer, spec={k: v for k, v in answer.spec.items() if k not in kept}, written=frozenset(subject.spec) - kept)


def _is_due(subject: Subject, action: Action, change: _Change, changed: frozenset[str]) -> bool:
    return any(top_field(f) in changed and _speaks_of(subject, change, f) for f in action.fields)


def _speaks_of(subject: Subject, change: _Change, field: str) -> bool:
    """Whether the change has something at a field, or takes it away."""
    for path in wire_paths(subject.kind.spec_schema, field):
        above, _, name = path.rpartition(".")
        holder = get_path(change.patch, above) if above else change.patch
        if isinstance(holder, Mapping) and name in holder:
            return True
    return False


def _create_method(api: Api, name: str) -> Method:
    found = api.method(name, api.create.method) if api.create.method else api.method(name, "create") or api.method(name, "insert")
    return found or api.need(name, "create")


def _with_id(api: Api, method: Method, body: dict[str, Json], name: str, subject: Subject) -> tuple[dict[str, Json], dict[str, str]]:
    """The id where this API takes it: in the query, beside the resource, or as its name."""
    query: dict[str, str] = {"requestId": subject.token} if "requestId" in method.query and subject.token else {}
    if method.http == "PUT":
        return body, query
    own = name.rpartition("/")[2]
    if api.create.id:
        own = fill_name(api.create.id, context_of(subject))
    request = get_path(api.schemas, f"{method.request}.properties") or {}
    wrapped = _wrapper(api, method)
    if wrapped:
        id_name = next((n for n, p in request.items() if n.endswith("Id") and p.get("type") == "string"), "")
        return {wrapped[0]: body, **({id_name: own} if id_name else {})}, query
    in_query = [q for q in method.query if q.endswith("Id") and q not in ("requestId", "clientOperationId")]
    if in_query:
        return body, {**query, in_query[0]: own}
    return ({"name": own, **body} if "name" in request and "name" not in body else body), query


def _wrapper(api: Api, method: Method) -> tuple[str, str] | None:
    """(the property that holds the resource, the one that holds the mask), where a request is more than the resource itself."""
    if method.request == api.resource:
        return None
    properties = get_path(api.schemas, f"{method.request}.properties") or {}
    holder = next((n for n, p in properties.items() if p.get("$ref") == api.resource), "")
    mask = next((n for n, p in properties.items() if p.get("format") == "google-fieldmask"), "")
    return (holder, mask) if holder else None


def _update_method(subject: Subject, api: Api, name: str) -> tuple[Method, str]:
    named = api.update.method
    method = api.method(name, named) if named else api.method(name, "patch") or api.method(name, "update")
    if method is None or api.update.style == "none":
        raise CloudError("HF505", f"{subject.kind.name} cannot be updated: the service has no method for it", sent=False)
    wrapped = _wrapper(api, method)
    by_mask = "updateMask" in method.query or bool(wrapped and wrapped[1])
    return method, api.update.style or ("mask" if by_mask else "replace" if method.http == "PUT" else "merge")


def _mask_of(subject: Subject, api: Api, change: _Change, field: str) -> list[str]:
    paths = wire_paths(subject.kind.spec_schema, field)
    if field not in api.update.deep:
        return paths
    return [leaf for p in paths for leaf in _changed_leaves(api, p, get_path(change.patch, p))]


def _changed_leaves(api: Api, path: str, part: Json) -> list[str]:
    """The fields below a path that a patch changes; lists and maps are one field each."""
    node: JsonMap = {"$ref": api.resource}
    for step in path.split("."):
        node = get_path(api.schemas, f"{node['$ref']}.properties.{step}") or {} if "$ref" in node else {}
    if "$ref" not in node or not isinstance(part, Mapping) or not part:
        return [path]
    return [leaf for k, v in part.items() for leaf in _changed_leaves(api, f"{path}.{k}", v)]


def _body(api: Api, change: _Change, style: str, paths: list[str]) -> dict[str, Json]:
    """Mask: whole values of the masked paths. Merge: only what changes, null where it goes. Replace: the resource as read, changed."""
    if style == "merge":
        body = _only(change.patch, paths)
    else:
        whole = apply_patch(without_outputs(api.schemas, api.resource, change.live.raw), change.patch)
        body = dict(whole) if style == "replace" else pick(whole, paths)
    body = {**pick(change.live.raw, list(api.update.also)), **body, **_filled_body(api.update.body, change.context)}
    return {k: v for k, v in body.items() if k not in api.update.never}


def _only(patch: JsonMap, paths: list[str]) -> dict[str, Json]:
    """The part of a merge patch below some paths; what they lose is null there, or where a parent of theirs goes."""
    out: dict[str, Json] = {}
    for path in paths:
        steps = path.split(".")
        for i in range(1, len(steps) + 1):
            holder = get_path(patch, ".".join(steps[:i - 1])) if i > 1 else patch
            if not isinstance(holder, Mapping) or steps[i - 1] not in holder:
                break
            if holder[steps[i - 1]] is None or i == len(steps):
                out = with_path(out, ".".join(steps[:i]), holder[steps[i - 1]])
                break
    return out


def _guard(api: Api, live: Live, body: dict[str, Json], query: dict[str, str], headers: dict[str, str]) -> None:
    """The etag or fingerprint of the read that was decided on."""
    value = get_path(live.raw, api.guard.get("from", "")) if api.guard else None
    if value is None:
        return
    if "body" in api.guard:
        body.update(with_path(body, api.guard["body"], value))
    if "query" in api.guard:
        query[api.guard["query"]] = str(value)
    if "header" in api.guard:
        headers[api.guard["header"]] = str(value)


def _guarding(api: Api, method: Method, live: Live) -> dict[str, str]:
    """The same for a method of its own, where it takes it in the query."""
    value, name = get_path(live.raw, api.guard.get("from", "")) if api.guard else None, api.guard.get("query", "")
    return {name: str(value)} if value is not None and name in method.query else {}


def _filled_body(template: Json, context: JsonMap) -> dict[str, Json]:
    found = _fill(template, context)
    return found if isinstance(found, dict) else {}


def _fill(template: Json, context: JsonMap) -> Json:
    if isinstance(template, Mapping):
        pairs = {k: _fill(v, context) for k, v in template.items()}
        return {k: v for k, v in pairs.items() if v is not None and (v != {} or template[k] == {})}
    if isinstance(template, str) and "{" in template:
        whole = re.fullmatch(r"{([^}:]+)}", template)
        value = value_of(context, whole.group(1)) if whole else None
        return value if isinstance(value, (list, int)) else fill_name(template, context) or None
    return template


def _answer(subject: Subject, api: Api, method: Method, body: JsonMap, name: str) -> Answer:
    if api.is_operation(method):
        done = answer_of(subject, api, body)
        return done if done is not None else Answer(identity=name, operation=operation_name(body))
    if method.response == api.resource and body:
        return resource_answer(subject, api, body)
    return Answer(identity=name)
