"""A kind's YAML file → Kind. Errors point at file and line; the form of the file is `kind.schema.json` beside this module."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from holdfast.core.canonical import digest
from holdfast.core.policy import SEMANTICS
from holdfast.core.templates import holes
from holdfast.kinds.yamlfile import Document, load_documents
from holdfast.model.errors import InputError, did_you_mean
from holdfast.model.json import Json, JsonMap
from holdfast.model.kinds import Dialect, FieldRules, Kind, Reference, field_paths, schema_at

HERE = Path(__file__).parent
PROVIDERS = {"aws": "holdfast.kinds.schema", "gcp": "holdfast.kinds.discovery"}  # → what builds schemas from the vendor's models
_SUFFIX = ".schema.json"


def load_kind(path: Path) -> Kind:
    """Raises InputError HF701 (`file:line`) for anything that does not fit."""
    document = read_kind_file(path)
    schemas = _schemas(path, document)
    references = _references(document, schemas["spec"])
    rules = _rules(document, schemas["spec"], references)
    _check_names(document, schemas["spec"])
    return _kind(path, document.data, schemas, rules, references)


def read_kind_file(path: Path) -> Document:
    documents = load_documents(path.read_text(encoding="utf-8"), str(path))
    if len(documents) != 1:
        raise InputError("HF701", "a kind file holds exactly one document", str(path))
    provider = documents[0].data.get("provider") if isinstance(documents[0].data, dict) else ""
    if provider not in PROVIDERS:
        raise InputError("HF701", f"provider: {provider!r} is not one of {', '.join(PROVIDERS)}", documents[0].where(("provider",)))
    for error in _form(provider).iter_errors(documents[0].data):
        at = tuple(error.instance_path) + tuple(getattr(error.kind, "unexpected", [])[:1])
        raise InputError("HF701", f"{'.'.join(map(str, at)) or 'document'}: {error.message}", documents[0].where(at))
    return documents[0]


@lru_cache(maxsize=8)
def _form(provider: str) -> Any:
    """What every kind file has, and what this provider's have (`form.json` in its folder)."""
    import jsonschema_rs

    form, own = (json.loads(p.read_text(encoding="utf-8")) for p in (HERE / "kind.schema.json", HERE / provider / "form.json"))
    form["properties"] |= {**own["properties"], "group": {"type": "string", "pattern": f"^[a-z0-9]+{re.escape(load_dialect(provider).group_suffix)}$"}}
    form["$defs"] |= own["$defs"]
    return jsonschema_rs.Draft202012Validator(form)


@lru_cache(maxsize=8)
def load_dialect(name: str) -> Dialect:
    raw = load_documents((HERE / name / "dialect.yaml").read_text(encoding="utf-8"), f"{name}/dialect.yaml")[0].data
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in raw.items()}
    return Dialect(name=name, **fields)


def dialects() -> tuple[Dialect, ...]:
    return tuple(load_dialect(p) for p in PROVIDERS)


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
    try:
        spec, status = import_module(PROVIDERS[document.data["provider"]]).build(document.data, document.data["model"])
    except InputError as error:
        raise InputError(error.code, error.message, document.where((error.where or "schema",))) from None
    return {"spec": spec, "status": status}


def _rules(document: Document, spec: JsonMap, references: tuple[Reference, ...]) -> dict[str, FieldRules]:
    out = {path: FieldRules(path, immutable=True) for path in _frozen(spec, "")}
    for ref in (r for r in references if r.is_external and not r.to_secret):
        path = f"{ref.path}{'[]' if ref.is_list else ''}.external"
        out[path] = FieldRules(path, semantic="short-name" if ref.value.startswith("spec.resourceID|") else "resource-name")
    if "labels" in spec["properties"] and load_dialect(document.data["provider"]).labels_are_tags:
        out["labels"] = FieldRules("labels", tags=True)
    for path, raw in (document.data.get("fields") or {}).items():
        where = document.where(("fields", path))
        if schema_at(spec, path) is None:
            raise InputError("HF701", f"no field {path!r}{did_you_mean(path, field_paths(spec))}", where)
        if raw.get("semantic", "json") not in SEMANTICS:
            raise InputError("HF701", f"unknown semantic type {raw['semantic']!r}; known: {', '.join(SEMANTICS)}", where)
        known = {k: v for k, v in raw.items() if k in FieldRules.__dataclass_fields__}
        out[path] = replace(out.get(path) or FieldRules(path), **known)
    return out


def _frozen(schema: JsonMap, path: str) -> list[str]:
    """What the vendor's model itself calls immutable."""
    out = [path] if schema.get("x-immutable") else []
    for name, node in (schema.get("properties") or {}).items():
        out += _frozen(node, f"{path}.{name}" if path else name)
    return out + (_frozen(schema["items"], f"{path}[]") if "items" in schema else [])


def _check_names(document: Document, spec: JsonMap) -> None:
    """Whatever else names a field must name one that is there."""
    data, is_external = document.data, bool(load_dialect(document.data["provider"]).name_field)
    named: list[tuple[tuple[str, ...], str]] = [(("identity",), p) for p in data.get("identity") or ()]
    named += [((key,), p) for key in ("one_of", "exactly_one") for group in data.get(key) or () for p in group]
    for path, raw in (data.get("references") or {}).items():
        parent, beside = path.rpartition(".")[0], raw.get("fills", path)
        named.append((("references", path), path if is_external else f"{parent}.{beside}" if parent else beside))
    for at, path in named:
        if schema_at(spec, path) is None:
            raise InputError("HF701", f"no field {path!r}{did_you_mean(path, field_paths(spec))}", document.where(at))


def _references(document: Document, spec: JsonMap) -> tuple[Reference, ...]:
    out, d = [], load_dialect(document.data["provider"])
    for path, raw in (document.data.get("references") or {}).items():
        several = raw["kind"] if isinstance(raw["kind"], Mapping) else {raw["kind"]: raw.get("value") or d.reference_value}
        (group, kind, value), *others = [(f"{k.partition('/')[0]}{d.group_suffix}", k.partition("/")[2], v or d.reference_value) for k, v in several.items()]
        node = schema_at(spec, path) or {}
        is_external = "x-ref" in (node.get("items") or node)
        out.append(Reference(path, path.rpartition(".")[2] if is_external else raw["fills"], group, kind, value, is_list=node.get("type") == "array",
                             is_external=is_external, others=tuple(others)))
    for path, raw in (document.data.get("fields") or {}).items():
        if raw.get("secret"):
            is_external = "x-secret" in (schema_at(spec, path) or {})
            out.append(Reference(path, path.rpartition(".")[2], "", "Secret", "", to_secret=True, is_external=is_external))
    return tuple(out)


def _kind(path: Path, data: JsonMap, schemas: Mapping[str, Json], rules: Mapping[str, FieldRules], references: tuple[Reference, ...]) -> Kind:
    compared = {"fields": data.get("fields"), "references": data.get("references"), "spec": _comparable(schemas["spec"])}
    return Kind(
        provider=data["provider"], service=data["model"], group=data["group"], version=data.get("version") or load_dialect(data["provider"]).default_version,
        name=data["kind"], plural=data["plural"], dialect=load_dialect(data["provider"]),
        spec_schema=schemas["spec"], status_schema=schemas["status"], rules=rules, references=references,
        identity_fields=tuple(data.get("identity") or _named_by(data, schemas["spec"])), identifiers=data.get("identifiers") or {"name": data["api"].get("name", "")},
        cannot_adopt=data.get("cannot_adopt", ""), cannot_delete=data.get("cannot_delete", ""), settle_seconds=float(data.get("settle_seconds", 2)),
        marks_at_create=data.get("marks_at_create", not load_dialect(data["provider"]).labels_are_tags or "labels" in schemas["spec"]["properties"]), short_names=tuple(data.get("short_names") or ()),
        one_of=tuple(map(tuple, data.get("one_of") or ())) + _field_or_reference(references),
        exactly_one=tuple(map(tuple, data.get("exactly_one") or ())),
        aliases=tuple(data.get("aliases") or ()), refresh=tuple(data.get("refresh") or ()), api=data["api"], digest=digest(compared), source=str(path),
    )


def _named_by(data: JsonMap, spec: JsonMap) -> list[str]:
    """The plain fields that stand in the resource's name; references among them are the controller's to check."""
    found = [h.removeprefix("spec.") for h in holes(data["api"].get("name", "")) if h.startswith("spec.")]
    return [f for f in found if spec["properties"][f].get("type") == "string"]


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
        if not (ref.to_secret or ref.is_external or ref.is_list or "[]" in ref.path):
            out.append((f"{parent}.{ref.target}" if parent else ref.target, ref.path))
    return tuple(out)


