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

FORCE_ACQUIRE, ACTUATION, DELETION = "force-acquire", "actuation-mode", "deletion-policy"
INTERVAL = "reconcile-interval-in-seconds"
_VALUES: dict[str, tuple[str, ...]] = {
    FORCE_ACQUIRE: ("true", "false"),
    "read-only": ("true", "false"),
    "adopted": ("true", "false"),
    ACTUATION: ("Paused", "Reconciling"),
    DELETION: ("delete", "retain", "abandon"),
    "adoption-policy": ("adopt", "adopt-or-create"),
}
_FREE = ("adoption-fields", "region", "spec-overrides")
FOREIGN_PREFIXES = ("services.k8s.aws", "cnrm.cloud.google.com")


def known_names(dialect: Dialect) -> tuple[str, ...]:
    return (*_VALUES, *_FREE, *dialect.unmanaged_directives, *dialect.known_annotations)


def values_of(dialect: Dialect, name: str) -> tuple[str, ...]:
    """The values that a directive may have; () where anything goes."""
    return ("delete", dialect.release_word) if name == DELETION else _VALUES.get(name, ())


def parse_directives(kind: Kind, annotations: Mapping[str, object], namespace: Mapping[str, str],
                     labels: Mapping[str, object], *, retain_by_default: bool = False) -> Directives:
    """Raises InputError for the first annotation that is not exactly one we know."""
    check_annotations(kind.dialect, annotations, labels)

    d, service = kind.dialect, kind.group.partition(".")[0]

    def value(name: str) -> str:
        return str(annotations.get(d.annotation(name), ""))

    def inherited(name: str) -> str:
        return value(name) or namespace.get(f"{service}.{d.prefix}/{name}", "") or namespace.get(d.annotation(name), "")

    deletion = _known(d, DELETION, inherited(DELETION))
    return Directives(
        verify_only=value(FORCE_ACQUIRE) == "true",
        read_only=value("read-only") == "true",
        paused=_known(d, ACTUATION, inherited(ACTUATION)) == "Paused",
        retain=deletion == d.release_word if deletion else retain_by_default,
        adoption_policy=value("adoption-policy"),
        adoption_fields=_adoption_fields(kind, value("adoption-fields")),
        adopted=value("adopted") == "true",
        region=value("region") or namespace.get(d.annotation("default-region"), ""),
        account=value(d.account_annotation) or namespace.get(d.annotation(d.account_annotation), ""),
        unmanaged=_unmanaged(kind, value),
        interval=_interval(d, value(INTERVAL)),
    )


def _interval(dialect: Dialect, text: str) -> float | None:
    if text and not re.fullmatch(r"[0-9]{1,9}", text):
        key = dialect.annotation(INTERVAL)
        raise InputError("HF201", f"{key}: {text!r} is not a number of seconds, 0 or more", f"metadata.annotations[{key}]")
    return float(text) if text else None


def _known(dialect: Dialect, name: str, value: str) -> str:
    if value and value not in values_of(dialect, name):
        raise InputError("HF201", f"{name}: {value!r} on the namespace is not one of {', '.join(values_of(dialect, name))}")
    return value


def check_annotations(dialect: Dialect, annotations: Mapping[str, object], labels: Mapping[str, object]) -> None:
    for key, value in annotations.items():
        _check_key(dialect, key)
        if key.startswith(f"{dialect.prefix}/"):
            _check_value(dialect, key, key.partition("/")[2], value)
    for key in labels:
        name = _looks_like(_last_word(key), tuple(_VALUES))
        if name and (key.rpartition("/")[0] in (*FOREIGN_PREFIXES, "") or name == FORCE_ACQUIRE):
            raise InputError("HF203", f"{key} is a label here, and has no effect; make it the annotation {dialect.annotation(name)!r}",
                             f"metadata.labels[{key}]")


def check_namespace(dialects: tuple[Dialect, ...], annotations: Mapping[str, object]) -> None:
    """Directives on a Namespace, of any family: what looks like one must be one."""
    for key, value in annotations.items():
        prefix, _, name = key.rpartition("/")
        dialect = next((d for d in dialects if prefix == d.prefix or prefix.endswith(f".{d.prefix}")), None)
        if dialect is None:
            meant = _looks_like(_last_word(key), (ACTUATION, DELETION, FORCE_ACQUIRE))
            if meant == FORCE_ACQUIRE:
                raise InputError("HF203", f"{key} has no effect on a Namespace; set it on each object", f"metadata.annotations[{key}]")
            near = get_close_matches(prefix.lower(), FOREIGN_PREFIXES, 1, 0.85)
            if meant and (not prefix or near):
                right = next((d for d in dialects if d.prefix in near), dialects[0]).annotation(meant)
                raise InputError("HF203", f"{key} is not a directive; did you mean {right!r}?", f"metadata.annotations[{key}]")
            continue
        known = list(dialect.namespace_annotations)
        if name not in known:
            raise InputError("HF203", f"{key} is not a directive for a Namespace{did_you_mean(name, known)}", f"metadata.annotations[{key}]")
        _check_value(dialect, key, name, value)


def _check_value(dialect: Dialect, key: str, name: str, value: object) -> None:
    if not isinstance(value, str):
        raise InputError("HF201", f"{key} must be a string: write {json.dumps(str(value).lower())}, in quotes",
                         f"metadata.annotations[{key}]")
    allowed = values_of(dialect, name)
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
    paths = [(name, p.strip().removeprefix("spec.")) for name in kind.dialect.unmanaged_directives
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
