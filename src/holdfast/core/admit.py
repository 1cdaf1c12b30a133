"""Admission: what any store checks before it keeps an object. The rules of the CRDs and policies, in one pure function.

The embedded store calls it in its transaction; on Kubernetes the same rules are CEL in the CRD, a generated policy, and a webhook.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from holdfast.core.adopted import FindKind, parse_request
from holdfast.core.directives import FORCE_ACQUIRE, check_annotations, parse_directives
from holdfast.core.validate import check_immutable, check_spec
from holdfast.model.errors import InputError
from holdfast.model.json import JsonMap, get_path
from holdfast.model.kinds import Kind
from holdfast.model.objects import ObjectKey, StoredObject

Lookup = Callable[[ObjectKey], StoredObject | None]
_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
MADE_BY = "services.k8s.aws/adopted-by"


def check_envelope(body: JsonMap) -> list[InputError]:
    """apiVersion, kind and a name that Kubernetes would take."""
    out, meta = [], body.get("metadata")
    for name in ("apiVersion", "kind"):
        if not isinstance(body.get(name), str) or not body.get(name):
            out.append(InputError("HF102", "the field is required, and a string", name))
    if not isinstance(meta, Mapping) or not isinstance(meta.get("name"), str):
        out.append(InputError("HF102", "the field is required, and a string", "metadata.name"))
    elif not _NAME.fullmatch(meta["name"]) or len(meta["name"]) > 253:
        out.append(InputError("HF104", f"{meta['name']!r} must be lower-case letters, digits, '-' and '.', and start and end with a letter or digit",
                              "metadata.name"))
    for part in ("spec", "metadata"):
        if body.get(part) is not None and not isinstance(body[part], Mapping):
            out.append(InputError("HF104", "must be an object", part))
    return out


def check_object(kind: Kind, old: JsonMap | None, new: JsonMap) -> list[InputError]:
    """Schema, one-of, directives, immutability: all findings."""
    meta = new.get("metadata") or {}
    annotations, labels = meta.get("annotations") or {}, meta.get("labels") or {}
    errors = _directive_errors(kind, annotations, labels)
    adopting = bool(annotations.get(kind.dialect.annotation("adoption-policy")))
    errors += check_spec(kind, new.get("spec") or {}, spec_may_be_absent=adopting)
    if old is not None and not meta.get("deletionTimestamp"):
        errors += _immutable_errors(kind, old, new, annotations)
    return errors


def _directive_errors(kind: Kind, annotations: JsonMap, labels: JsonMap) -> list[InputError]:
    try:
        parse_directives(kind, annotations, {}, labels)
    except InputError as error:
        return [error]
    return []


def _immutable_errors(kind: Kind, old: JsonMap, new: JsonMap, annotations: JsonMap) -> list[InputError]:
    """Identity is fixed once status names a resource; other immutable fields give way to force-acquire, as the document wants."""
    is_held = bool(get_path(old.get("status") or {}, kind.dialect.identity_path))
    found = check_immutable(kind, old.get("spec") or {}, new.get("spec") or {})
    identity = {f"spec.{p}" for p in kind.identity_fields}
    forced = annotations.get(kind.dialect.annotation(FORCE_ACQUIRE)) == "true"
    return [e for e in found if (is_held if e.where in identity else not forced)]


def check_adopted_resource(old: JsonMap | None, new: JsonMap, find_kind: FindKind, lookup: Lookup) -> list[InputError]:
    """The three rejections, and the identifier."""
    try:
        request = parse_request(new, find_kind)
        check_annotations(request.kind.dialect, request.metadata.get("annotations") or {}, request.metadata.get("labels") or {})
    except InputError as error:
        return [error]
    if old is not None and old.get("spec") == new.get("spec"):
        return []
    target = lookup(request.key)
    if target is not None and target.annotations.get(MADE_BY) != maker_of(new):
        return [InputError("HF302", f"{request.key} exists already; nothing was changed", "spec.metadata")]
    return []


def maker_of(body: JsonMap) -> str:
    meta = body.get("metadata") or {}
    return f"{meta.get('namespace') or 'default'}/{meta.get('name')}"
