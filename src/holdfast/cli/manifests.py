"""Manifests from files, folders and standard input, checked before anything is stored. Every message names file and line."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from holdfast.core.admit import check_adopted_resource, check_core, check_envelope, check_object
from holdfast.kinds.catalog import CORE_KINDS, Catalog
from holdfast.kinds.loader import dialects
from holdfast.kinds.yamlfile import Document, load_documents
from holdfast.model.errors import InputError
from holdfast.model.json import Json, JsonMap
from holdfast.model.objects import ObjectKey, key_of

_SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True)
class Manifest:
    body: JsonMap
    document: Document
    at: tuple[str | int, ...] = ()  # inside a List

    @property
    def key(self) -> ObjectKey:
        return key_of(self.body)

    def where(self, path: str) -> str:
        """`file:line: path`, of the nearest place that stands in the file."""
        return f"{self.document.where((*self.at, *_steps(path)))}: {path}" if path else self.document.where(self.at)


def read_manifests(paths: list[str], namespace: str, catalog: Catalog) -> tuple[list[Manifest], list[InputError]]:
    """All objects, core ones first, and everything that is wrong with them."""
    found: list[Manifest] = []
    errors: list[InputError] = []
    for path in paths:
        for file, text in _texts(path):
            try:
                found.extend(m for d in load_documents(text, file) for m in _expand(d, namespace))
            except InputError as error:
                errors.append(error)
    errors += _twice(found)
    for manifest in found:
        errors += [InputError(e.code, e.message, manifest.where(e.where)) for e in check_manifest(manifest.body, catalog)]
    core = [m for m in found if not m.key.group]
    return [*core, *(m for m in found if m.key.group)], errors


def check_manifest(body: JsonMap, catalog: Catalog) -> list[InputError]:
    """Everything that can be said of one object without a store."""
    errors = check_envelope(body)
    if errors:
        return errors
    key = key_of(body)
    if not key.group and key.kind in CORE_KINDS:
        return check_core(dialects(), body)
    if catalog.is_adopted_resource(key.group, key.kind):
        return check_adopted_resource(None, body, catalog.find, lambda _: None)
    try:
        return check_object(catalog.need(key.group, key.kind, "kind"), None, body)
    except InputError as error:
        return [error]


def _texts(path: str) -> list[tuple[str, str]]:
    if path == "-":
        return [("<stdin>", sys.stdin.read())]
    root = Path(path)
    if root.is_dir():
        files = sorted(p for p in root.rglob("*") if p.suffix in _SUFFIXES and p.is_file())
        if not files:
            raise InputError("HF101", "the folder has no .yaml, .yml or .json file", path)
        return [pair for f in files for pair in _texts(str(f))]
    try:
        return [(path, root.read_text(encoding="utf-8"))]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("HF101", f"cannot be read: {getattr(error, 'strerror', None) or error}", path) from None


def _expand(document: Document, namespace: str) -> list[Manifest]:
    data = document.data
    if isinstance(data, dict) and data.get("kind") == "List" and isinstance(data.get("items"), list):
        return [Manifest(_placed(item, namespace), document, ("items", i)) for i, item in enumerate(data["items"])]
    if not isinstance(data, dict):
        raise InputError("HF102", "the document is not an object", document.where())
    return [Manifest(_placed(data, namespace), document)]


def _placed(body: Json, namespace: str) -> JsonMap:
    meta = body.get("metadata") if isinstance(body, dict) else None
    if not isinstance(meta, dict) or meta.get("namespace"):
        return body if isinstance(body, dict) else {}
    return {**body, "metadata": {**meta, "namespace": namespace}}


def _twice(found: list[Manifest]) -> list[InputError]:
    first: dict[ObjectKey, Manifest] = {}
    out = []
    for manifest in found:
        if manifest.key in first:
            out.append(InputError("HF110", f"{manifest.key} is also declared at {first[manifest.key].document.where(first[manifest.key].at)}",
                                  manifest.where("")))
        first.setdefault(manifest.key, manifest)
    return out


def _steps(path: str) -> tuple[str | int, ...]:
    """`spec.rules[0].id`, `metadata.annotations[a.b/c]` → steps."""
    steps: list[str | int] = []
    for word, inside in re.findall(r"([^.\[\]]+)|\[([^\]]+)\]", path):
        steps.append(word or (int(inside) if inside.isdigit() else inside))
    return tuple(steps)
