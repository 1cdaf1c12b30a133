"""A kind's YAML file → Kind. Errors point at file and line; the form of the file is `kind.schema.json` beside this module."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from holdfast.core.canonical import digest
from holdfast.core.policy import SEMANTICS
from holdfast.kinds.yamlfile import Document, load_documents
from holdfast.model.errors import InputError, did_you_mean
from holdfast.model.json import Json, JsonMap
from holdfast.model.kinds import Dialect, FieldRules, Kind, Reference, field_paths, schema_at

HERE = Path(__file__).parent
_SUFFIX = ".schema.json"


def load_kind(path: Path) -> Kind:
    """Raises InputError HF701 (`file:line`) for anything that does not fit."""
    document = read_kind_file(path)
    schemas = _schemas(path, document)
    rules = _rules(document, schemas["spec"])
    references = _references(document)
    _check_names(document, schemas["spec"])
    return _kind(path, document.data, schemas, rules, references)


def read_kind_file(path: Path) -> Document:
    documents = load_documents(path.read_text(encoding="utf-8"), str(path))
    if len(documents) != 1:
        raise InputError("HF701", "a kind file holds exactly one document", str(path))
    for error in _form().iter_errors(documents[0].data):
        at = tuple(error.instance_path) + tuple(getattr(error.kind, "unexpected", [])[:1])
        raise InputError("HF701", f"{'.'.join(map(str, at)) or 'document'}: {error.message}", documents[0].where(at))
    return documents[0]


@lru_cache(maxsize=1)
def _form() -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(json.loads((HERE / "kind.schema.json").read_text(encoding="utf-8")))


@lru_cache(maxsize=8)
def load_dialect(name: str) -> Dialect:
    raw = load_documents((HERE / name / "dialect.yaml").read_text(encoding="utf-8"), f"{name}/dialect.yaml")[0].data
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in raw.items()}
    return Dialect(name=name, **fields)


def schema_file(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(".yaml") + _SUFFIX)


def _schemas(path: Path, document: Document) -> dict[str, Json]:
    """The generated file beside the YAML; a kind that has none yet (a new one) is built on the spot."""
    generated = schema_file(path)
    if generated.exists():
        import orjson

        return dict(orjson.loads(generated.read_bytes()))
    return build_schemas(document)


def build_schemas(document: Document) -> dict[str, Json]:
    from holdfast.kinds.schema import build

    try:
        spec, status = build(document.data, document.data["model"])
    except InputError as error:
        raise InputError(error.code, error.message, document.where((error.where or "schema",))) from None
    return {"spec": spec, "status": status}


def _rules(document: Document, spec: JsonMap) -> dict[str, FieldRules]:
    out = {}
    for path, raw in (document.data.get("fields") or {}).items():
        where = document.where(("fields", path))
        if schema_at(spec, path) is None:
            raise InputError("HF701", f"no field {path!r}{did_you_mean(path, field_paths(spec))}", where)
        if raw.get("semantic", "json") not in SEMANTICS:
            raise InputError("HF701", f"unknown semantic type {raw['semantic']!r}; known: {', '.join(SEMANTICS)}", where)
        known = {k: v for k, v in raw.items() if k in FieldRules.__dataclass_fields__}
        out[path] = FieldRules(path, **known)
    return out


def _check_names(document: Document, spec: JsonMap) -> None:
    """Whatever else names a field must name one that is there."""
    data = document.data
    named: list[tuple[tuple[str, ...], str]] = [(("identity",), p) for p in data.get("identity") or ()]
    named += [((key,), p) for key in ("one_of", "exactly_one") for group in data.get(key) or () for p in group]
    for path, raw in (data.get("references") or {}).items():
        parent = path.rpartition(".")[0]
        named.append((("references", path), f"{parent}.{raw['fills']}" if parent else raw["fills"]))
    for at, path in named:
        if schema_at(spec, path) is None:
            raise InputError("HF701", f"no field {path!r}{did_you_mean(path, field_paths(spec))}", document.where(at))


def _references(document: Document) -> tuple[Reference, ...]:
    out = []
    for path, raw in (document.data.get("references") or {}).items():
        group, _, kind = raw["kind"].partition("/")
        out.append(Reference(path, raw["fills"], f"{group}.services.k8s.aws", kind, raw.get("value", "status.ackResourceMetadata.arn"),
                             is_list=path.endswith("Refs")))
    for path, raw in (document.data.get("fields") or {}).items():
        if raw.get("secret"):
            out.append(Reference(path, path.rpartition(".")[2], "", "Secret", "", to_secret=True))
    return tuple(out)


def _kind(path: Path, data: JsonMap, schemas: Mapping[str, Json], rules: Mapping[str, FieldRules], references: tuple[Reference, ...]) -> Kind:
    compared = {"fields": data.get("fields"), "references": data.get("references"), "spec": _comparable(schemas["spec"])}
    return Kind(
        provider=data["provider"], service=data["model"], group=data["group"], version=data.get("version", "v1alpha1"),
        name=data["kind"], plural=data["plural"], dialect=load_dialect(data["provider"]),
        spec_schema=schemas["spec"], status_schema=schemas["status"], rules=rules, references=references,
        identity_fields=tuple(data.get("identity") or ()), identifiers=data.get("identifiers") or {},
        cannot_adopt=data.get("cannot_adopt", ""), settle_seconds=float(data.get("settle_seconds", 2)),
        marks_at_create=data.get("marks_at_create", True), short_names=tuple(data.get("short_names") or ()),
        one_of=tuple(map(tuple, data.get("one_of") or ())) + _field_or_reference(references),
        exactly_one=tuple(map(tuple, data.get("exactly_one") or ())),
        aliases=tuple(data.get("aliases") or ()), refresh=tuple(data.get("refresh") or ()), api=data["api"], digest=digest(compared), source=str(path),
    )


def _comparable(schema: Json) -> Json:
    """The part of a schema that a comparison depends on: vendors' lists of known values grow, and must not cost a comparison."""
    if isinstance(schema, Mapping):
        return {k: _comparable(v) for k, v in schema.items() if k != "x-known"}
    return schema


def _field_or_reference(references: tuple[Reference, ...]) -> tuple[tuple[str, ...], ...]:
    """A field and its reference exclude each other (inside lists the controller checks, see the CRD's cost limit)."""
    out = []
    for ref in references:
        parent = ref.path.rpartition(".")[0]
        if not ref.to_secret and not ref.is_list and "[]" not in ref.path:
            out.append((f"{parent}.{ref.target}" if parent else ref.target, ref.path))
    return tuple(out)


