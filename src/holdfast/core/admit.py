"""Admission: what any store checks before it keeps an object. The rules of the CRDs and policies, in one pure function.

The embedded store calls it in its transaction; on Kubernetes the same rules are CEL in the CRD, a generated policy, and a webhook.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from holdfast.core.adopted import AdoptionRequest, FindKind, parse_request
from holdfast.core.directives import (
    FORCE_ACQUIRE,
    FOREIGN_PREFIXES,
    check_annotations,
    check_namespace,
    parse_directives,
)
from holdfast.core.templates import plain_name, read_name
from holdfast.core.validate import check_immutable, check_spec
from holdfast.model.errors import InputError, did_you_mean
from holdfast.model.json import JsonMap, get_path
from holdfast.model.kinds import Dialect, Kind
from holdfast.model.objects import ObjectKey, StoredObject

Lookup = Callable[[ObjectKey], StoredObject | None]
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_NAME = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_TOP = ("apiVersion", "kind", "metadata", "spec", "status")
_METADATA = ("name", "namespace", "annotations", "labels", "finalizers", "ownerReferences", "generateName", "uid", "resourceVersion", "generation",
             "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields", "selfLink")
_CORE_TOP = (*_TOP, "data", "stringData", "binaryData", "type", "immutable")
MADE_BY = "adopted-by"  # annotation of an object that an AdoptedResource made


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
    out += _metadata_errors(meta, "metadata") if isinstance(meta, Mapping) else []
    known = _TOP if "/" in str(body.get("apiVersion")) else _CORE_TOP
    out += [InputError("HF105", f"an object has no such field{did_you_mean(str(k), list(known))}", str(k)) for k in body if k not in known]
    return out


def _metadata_errors(meta: JsonMap, where: str) -> list[InputError]:
    """Annotations and labels are maps of text; a namespace is text."""
    out = []
    for name in ("annotations", "labels"):
        given = meta.get(name)
        if given is not None and not isinstance(given, Mapping):
            out.append(InputError("HF104", "must be an object", f"{where}.{name}"))
        elif name == "labels":
            out += [InputError("HF104", "must be a string: write it in quotes", f"{where}.labels[{k}]") for k, v in (given or {}).items()
                    if not isinstance(v, str)]
        else:
            out += [InputError("HF104", "must be a string: write it in quotes", f"{where}.annotations[{k}]") for k, v in (given or {}).items()
                    if not isinstance(v, str) and not _is_directive(str(k))]
    out += [InputError("HF105", f"metadata has no such field{did_you_mean(str(k), list(_METADATA))}", f"{where}.{k}") for k in meta if k not in _METADATA]
    if meta.get("namespace") is not None and not isinstance(meta["namespace"], str):
        out.append(InputError("HF104", "must be a string: write it in quotes", f"{where}.namespace"))
    return out


def _is_directive(key: str) -> bool:
    """Those have a message of their own, which says what value is meant."""
    return key.startswith(tuple(f"{p}/" for p in FOREIGN_PREFIXES))


def check_core(dialects: tuple[Dialect, ...], body: JsonMap) -> list[InputError]:
    """Namespaces carry directives; Secrets and ConfigMaps are kept as they are."""
    if body.get("kind") != "Namespace":
        return []
    try:
        check_namespace(dialects, (body.get("metadata") or {}).get("annotations") or {})
    except InputError as error:
        return [error]
    return []


def check_object(kind: Kind, old: JsonMap | None, new: JsonMap) -> list[InputError]:
    """Version, schema, one-of, directives, immutability: all findings."""
    version = str(new.get("apiVersion")).rpartition("/")[2]
    if version != kind.version:
        return [InputError("HF103", f"{kind.name} has no version {version!r}; it has {kind.version}", "apiVersion")]
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
    held = str(get_path(old.get("status") or {}, kind.dialect.identity_path) or "")
    found = check_immutable(kind, old.get("spec") or {}, new.get("spec") or {})
    identity = {f"spec.{p}" for p in kind.identity_fields}
    forced = annotations.get(kind.dialect.annotation(FORCE_ACQUIRE)) == "true"
    others = [e for e in found if e.where not in identity and not forced]
    if not kind.dialect.name_field:
        return [e for e in found if e.where in identity and held] + others
    return [*_identity_errors(kind, held, new), *others]


def _identity_errors(kind: Kind, held: str, new: JsonMap) -> list[InputError]:
    """Where the held resource's name says it all: what the spec gives of it must say the same, however it came to be given."""
    names, spec, out = read_name(kind.identifiers["name"], held) or {}, new.get("spec") or {}, []
    for field in kind.identity_fields:
        said = spec.get(field) or ((new.get("metadata") or {}).get("name") if field == kind.dialect.name_field else None)
        if said and f"spec.{field}" in names and plain_name(str(said)).rpartition("/")[2] != names[f"spec.{field}"]:
            what = f"says {said!r}, and {held} is held"
            out.append(InputError("HF108", f"the field is immutable: it {what}", f"spec.{field}"))
    return out


def check_adopted_resource(old: JsonMap | None, new: JsonMap, find_kind: FindKind, lookup: Lookup) -> list[InputError]:
    """The three rejections, and the identifier."""
    try:
        request = parse_request(new, find_kind)
        wrong = _target_errors(request.metadata, request.key.name)
        if wrong:
            return wrong
        own = new.get("metadata") or {}
        check_annotations(request.kind.dialect, own.get("annotations") or {}, own.get("labels") or {})
        check_annotations(request.kind.dialect, request.metadata.get("annotations") or {}, request.metadata.get("labels") or {})
    except InputError as error:
        return [error]
    if old is not None and old.get("spec") == new.get("spec"):
        return []
    target = lookup(request.key)
    if target is not None and target.annotations.get(request.kind.dialect.annotation(MADE_BY)) != maker_of(new):
        return [InputError("HF302", f"{request.key} exists already; nothing was changed", "spec.metadata")]
    if old is not None and target is not None and _is_for_another(old, request, find_kind):
        return [InputError("HF302", f"this AdoptedResource made {request.key} from another resource; use another name", "spec.identifier")]
    return []


def _is_for_another(old: JsonMap, request: AdoptionRequest, find_kind: FindKind) -> bool:
    try:
        before = parse_request(old, find_kind)
    except InputError:
        return False
    return (before.kind, before.identifier) != (request.kind, request.identifier)


def _target_errors(metadata: JsonMap, name: str) -> list[InputError]:
    """The target's metadata must be as good as an object's own."""
    out = _metadata_errors(metadata, "spec.metadata")
    if metadata.get("name") is not None and (not isinstance(metadata["name"], str) or not _NAME.fullmatch(name)):
        out.append(InputError("HF104", f"{name!r} must be lower-case letters, digits, '-' and '.'", "spec.metadata.name"))
    return out


def maker_of(body: JsonMap) -> str:
    meta = body.get("metadata") or {}
    return f"{meta.get('namespace') or 'default'}/{meta.get('name')}"
