"""Annotations → Directives. A user who thinks that they are safe must never be wrong: what is not exactly known is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches

from holdfast.model.directives import Directives
from holdfast.model.errors import InputError, did_you_mean
from holdfast.model.json import JsonMap
from holdfast.model.kinds import Dialect, Kind, field_paths, plain_path, schema_at

FORCE_ACQUIRE, ACTUATION = "force-acquire", "actuation-mode"
_VALUES: dict[str, tuple[str, ...]] = {
    FORCE_ACQUIRE: ("true", "false"),
    "read-only": ("true", "false"),
    "adopted": ("true", "false"),
    ACTUATION: ("Paused", "Reconciling"),
    "deletion-policy": ("delete", "retain"),
    "adoption-policy": ("adopt", "adopt-or-create"),
}
_FREE = ("adoption-fields", "region", "spec-overrides", "ignore-field-drift")
FOREIGN_PREFIXES = ("services.k8s.aws", "cnrm.cloud.google.com")


def known_names(dialect: Dialect) -> tuple[str, ...]:
    return (*_VALUES, *_FREE, dialect.unmanaged_directive, *dialect.known_annotations)


def parse_directives(kind: Kind, annotations: Mapping[str, object], namespace: Mapping[str, str],
                     labels: Mapping[str, object], *, retain_by_default: bool = False) -> Directives:
    """Raises InputError for the first annotation that is not exactly one we know."""
    check_annotations(kind.dialect, annotations, labels)

    def value(name: str) -> str:
        return str(annotations.get(kind.dialect.annotation(name), ""))

    service = kind.group.partition(".")[0]
    deletion = (value("deletion-policy") or namespace.get(f"{service}.{kind.dialect.prefix}/deletion-policy", "")
                or namespace.get(kind.dialect.annotation("deletion-policy"), ""))
    actuation = value(ACTUATION) or namespace.get(f"{service}.{kind.dialect.prefix}/{ACTUATION}", "") or namespace.get(kind.dialect.annotation(ACTUATION), "")
    return Directives(
        verify_only=value(FORCE_ACQUIRE) == "true",
        read_only=value("read-only") == "true",
        paused=_known(ACTUATION, actuation) == "Paused",
        retain=_known("deletion-policy", deletion) == "retain" if deletion else retain_by_default,
        adoption_policy=value("adoption-policy"),
        adoption_fields=_adoption_fields(kind, value("adoption-fields")),
        adopted=value("adopted") == "true",
        region=value("region") or namespace.get(kind.dialect.annotation("default-region"), ""),
        account=namespace.get(kind.dialect.annotation("owner-account-id"), ""),
        unmanaged=_unmanaged(kind, value),
    )


def _known(name: str, value: str) -> str:
    if value and value not in _VALUES[name]:
        raise InputError("HF201", f"{name}: {value!r} on the namespace is not one of {', '.join(_VALUES[name])}")
    return value


def check_annotations(dialect: Dialect, annotations: Mapping[str, object], labels: Mapping[str, object]) -> None:
    for key, value in annotations.items():
        _check_key(dialect, key)
        if key.startswith(f"{dialect.prefix}/"):
            _check_value(key, key.partition("/")[2], value)
    for key in labels:
        name = _looks_like(_last_word(key), tuple(_VALUES))
        if name and (key.rpartition("/")[0] in (*FOREIGN_PREFIXES, "") or name == FORCE_ACQUIRE):
            raise InputError("HF203", f"{key} is a label here, and has no effect; make it the annotation {dialect.annotation(name)!r}",
                             f"metadata.labels[{key}]")


def check_namespace(dialect: Dialect, annotations: Mapping[str, object]) -> None:
    """Directives on a Namespace: what looks like one must be one."""
    known = ("deletion-policy", ACTUATION, "default-region", "owner-account-id", "team-id", "endpoint-url")
    for key, value in annotations.items():
        prefix, _, name = key.rpartition("/")
        if prefix != dialect.prefix and not prefix.endswith(f".{dialect.prefix}"):
            meant = _looks_like(_last_word(key), (ACTUATION, "deletion-policy"))
            if meant and (not prefix or get_close_matches(prefix.lower(), FOREIGN_PREFIXES, 1, 0.85)):
                raise InputError("HF203", f"{key} is not a directive; did you mean {dialect.annotation(meant)!r}?", f"metadata.annotations[{key}]")
            continue
        if name not in known:
            raise InputError("HF203", f"{key} is not a directive for a Namespace{did_you_mean(name, list(known))}", f"metadata.annotations[{key}]")
        _check_value(key, name, value)


def _check_value(key: str, name: str, value: object) -> None:
    if not isinstance(value, str):
        raise InputError("HF201", f"{key} must be a string: write {json.dumps(str(value).lower())}, in quotes",
                         f"metadata.annotations[{key}]")
    allowed = _VALUES.get(name)
    if allowed and value not in allowed:
        raise InputError("HF201", f"{key}: {value!r} is not one of {', '.join(map(repr, allowed))}; nothing was written to the cloud",
                         f"metadata.annotations[{key}]")


def _check_key(dialect: Dialect, key: str) -> None:
    prefix, _, name = key.rpartition("/")
    known = known_names(dialect)
    where = f"metadata.annotations[{key}]"
    if prefix == dialect.prefix:
        if name not in known:
            raise InputError("HF203", f"{key} is not a directive{did_you_mean(name, list(known))}", where)
    elif prefix in FOREIGN_PREFIXES:
        if _looks_like(name, known):
            raise InputError("HF202", f"{key} has no effect on this kind; use {dialect.annotation(_looks_like(name, known))}", where)
    else:
        meant = _looks_like(_last_word(key), tuple(_VALUES))
        near = not prefix or get_close_matches(prefix.lower(), FOREIGN_PREFIXES, 1, 0.85)
        if meant and (near or meant == FORCE_ACQUIRE):  # whoever writes force-acquire thinks that they are safe, whatever stands before it
            raise InputError("HF203", f"{key} is not a directive; did you mean {dialect.annotation(meant)!r}?", where)


def _last_word(key: str) -> str:
    """The part of a key that could be meant as a directive's name, whatever separates it from a prefix."""
    key = key.rstrip("/.:-").lower()
    for prefix in FOREIGN_PREFIXES:
        if key.startswith(prefix):
            return key[len(prefix):].lstrip("/.:-")
    return re.split(r"[/:]", key)[-1]


def _looks_like(name: str, known: tuple[str, ...]) -> str:
    close = get_close_matches(name.lower(), known, 1, 0.8)
    return close[0] if close else ""


def _adoption_fields(kind: Kind, text: str) -> Mapping[str, str]:
    if not text:
        return {}
    example = '{"name": "my-resource"}'
    try:
        parsed = json.loads(text)
    except ValueError:
        raise InputError("HF204", f"adoption-fields is not JSON; write it as {example}") from None
    if not isinstance(parsed, dict) or not all(isinstance(v, str) for v in parsed.values()):
        raise InputError("HF204", f"adoption-fields must be an object of strings, as {example}")
    known = ["arn", "name", "id", *kind.spec_schema["properties"], *kind.status_schema["properties"]]
    for name in parsed:
        if name not in known:
            raise InputError("HF204", f"adoption-fields: {kind.name} has no field {name!r}{did_you_mean(name, known)}")
    return parsed


def _unmanaged(kind: Kind, value: Callable[[str], str]) -> tuple[str, ...]:
    paths = [(name, p.strip().removeprefix("spec.")) for name in (kind.dialect.unmanaged_directive, "ignore-field-drift")
             for p in value(name).split(",") if p.strip()]
    for name, path in paths:
        if not has_field(kind, path):
            raise InputError("HF109", f"{kind.name} has no field {path!r}{did_you_mean(path, field_paths(kind.spec_schema))}",
                             f"metadata.annotations[{kind.dialect.annotation(name)}]")
    return tuple(sorted({path for _, path in paths}))


def has_field(kind: Kind, path: str) -> bool:
    tags = kind.tag_path
    if tags and path.startswith(f"{tags}."):
        return True
    return schema_at(kind.spec_schema, plain_path(path)) is not None


def namespace_directives(metadata: JsonMap) -> dict[str, str]:
    return {str(k): str(v) for k, v in (metadata.get("annotations") or {}).items()}
