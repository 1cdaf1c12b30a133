"""What a request carries: the id where an API takes it, masks, whole or partial bodies, etags and fingerprints."""

from __future__ import annotations

import re
from collections.abc import Mapping

from holdfast.core.templates import fill_name, value_of
from holdfast.model.facts import Live
from holdfast.model.json import Json, JsonMap, get_path, with_path
from holdfast.providers.gcp.api import Api, Method
from holdfast.providers.gcp.changes import Change
from holdfast.providers.gcp.codec import wire_paths
from holdfast.providers.gcp.names import context_of
from holdfast.providers.gcp.patches import apply_patch, emptied, pick, without_outputs
from holdfast.runtime.ports import Subject


def with_id(api: Api, method: Method, body: dict[str, Json], name: str, subject: Subject) -> tuple[dict[str, Json], dict[str, str]]:
    """The id where this API takes it: in the query, beside the resource, or as its name."""
    query: dict[str, str] = {"requestId": subject.token} if "requestId" in method.query and subject.token else {}
    if method.http == "PUT":
        return body, query
    own = name.rpartition("/")[2]
    if api.create.id:
        own = fill_name(api.create.id, context_of(subject))
    request = get_path(api.schemas, f"{method.request}.properties") or {}
    wrapped = wrapper(api, method)
    if wrapped:
        id_name = next((n for n, p in request.items() if n.endswith("Id") and p.get("type") == "string"), "")
        return {wrapped[0]: body, **({id_name: own} if id_name else {})}, query
    in_query = [q for q in method.query if q.endswith("Id") and q not in ("requestId", "clientOperationId")]
    if in_query:
        return body, {**query, in_query[0]: own}
    return ({"name": own, **body} if "name" in request and "name" not in body else body), query


def wrapper(api: Api, method: Method) -> tuple[str, str] | None:
    """(the property that holds the resource, the one that holds the mask), where a request is more than the resource itself."""
    if method.request == api.resource:
        return None
    properties = get_path(api.schemas, f"{method.request}.properties") or {}
    holder = next((n for n, p in properties.items() if p.get("$ref") == api.resource), "")
    mask = next((n for n, p in properties.items() if p.get("format") == "google-fieldmask"), "")
    return (holder, mask) if holder else None


def mask_of(subject: Subject, api: Api, change: Change, field: str) -> list[str]:
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


def body_of(api: Api, change: Change, style: str, paths: list[str]) -> dict[str, Json]:
    """Mask: whole values of the masked paths. Merge: only what changes, null where it goes. Replace: the resource as read, changed."""
    if style == "merge":
        body = emptied(_only(change.patch, paths), change.before)
    else:
        whole = apply_patch(without_outputs(api.schemas, api.resource, change.live.raw), change.patch)
        body = dict(whole) if style == "replace" else pick(whole, paths)
    body = {**pick(change.live.raw, list(api.update.also)), **body, **filled_body(api.update.body, change.context)}
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


def guard(api: Api, live: Live, body: dict[str, Json], query: dict[str, str], headers: dict[str, str]) -> None:
    """The etag or fingerprint of the read that was decided on."""
    value = _seen(api, live)
    if value is None:
        return
    if "body" in api.guard:
        body.update(with_path(body, api.guard["body"], value))
    if "query" in api.guard:
        query[api.guard["query"]] = str(value)
    if "header" in api.guard:
        headers[api.guard["header"]] = str(value)


def guarding(api: Api, method: Method, live: Live) -> dict[str, str]:
    """The same for a method of its own, where it takes it in the query."""
    value, name = _seen(api, live), api.guard.get("query", "")
    return {name: str(value)} if value is not None and name in method.query else {}


def _seen(api: Api, live: Live) -> Json:
    return get_path(live.raw, api.guard["from"]) if api.guard else None


def filled_body(template: Json, context: JsonMap) -> dict[str, Json]:
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
