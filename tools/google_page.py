"""docs/reference/google.md: for every field of every Google kind, what the discovery document says of it and what the kind's YAML adds."""

from collections.abc import Iterator

from holdfast.kinds.catalog import Catalog
from holdfast.kinds.loader import read_kind_file
from holdfast.kinds.tree import Model
from holdfast.model.errors import InputError
from holdfast.model.kinds import Kind


def page(catalog: Catalog, note: str) -> str:
    kinds = [k for k in catalog.all() if k.dialect.name_field]
    lines = [f"<!-- {note} -->", "# Google Cloud kinds: what comes from where", "",
             "API: where the resource has the field (`-`: only in the resource's name, a query, or nowhere). Document: what Google's discovery document says.",
             "YAML: what the kind's file adds.", ""]
    total = {"document": 0, "yaml": 0}
    for kind in kinds:
        rows = list(_rows(kind))
        total["document"] += sum(not yaml for _, _, _, yaml in rows)
        total["yaml"] += sum(bool(yaml) for _, _, _, yaml in rows)
        lines += [f"## {kind.name} ({kind.service}, `{kind.api['collection']}`)", "", f"Name: `{kind.api['name']}`", "",
                  "| field | API | document | YAML |", "|---|---|---|---|"]
        lines += [f"| `{path}` | {f'`{api}`' if api else '-'} | {document} | {yaml} |" for path, api, document, yaml in rows] + [""]
    lines.insert(5, f"{len(kinds)} kinds, {total['document'] + total['yaml']} fields: {total['document']} wholly from the document, {total['yaml']} with a word in the YAML.\n")
    return "\n".join(lines)


def _rows(kind: Kind) -> Iterator[tuple[str, str, str, str]]:
    from pathlib import Path

    declared, model = read_kind_file(Path(kind.source)).data, Model(kind.service)
    for path, api, node in _walk(kind.spec_schema, "", ""):
        try:
            found = model.node(declared["schema"]["resource"], api) if api else None
        except InputError:
            found = None
        says = [node.get("type", "object")] if found is not None else []
        says += ["immutable"] if found is not None and found.get("x-immutable") else []
        shown = "metadata.labels" if node.get("x-hidden") else path
        yield shown, api, ", ".join(says), ", ".join(_added(kind, declared, path, node, found))


def _walk(node: dict, path: str, base: str) -> Iterator[tuple[str, str, dict]]:
    for name, inner in (node.get("properties") or {}).items():
        at, wire = f"{path}.{name}" if path else name, inner.get("x-wire", name)
        api = "" if wire == "" else base if wire == "." else wire[1:] if wire.startswith("/") else f"{base}.{wire}" if base else wire
        yield at, api, inner
        deeper = inner
        while deeper.get("type") == "array":
            at, api, deeper = f"{at}[]", f"{api}{'{}' if 'x-keyed' in deeper else '[]'}", deeper["items"]
        if not deeper.get("x-ref") and not deeper.get("x-secret"):
            yield from _walk(deeper, at, api)


def _added(kind: Kind, declared: dict, path: str, node: dict, found: dict | None) -> list[str]:
    rule, ref = kind.rule(path), next((r for r in kind.references if r.path == path), None)
    moved = declared["schema"].get("fields") or {}
    out = ["name or form"] if path in moved else []
    if ref is not None and not ref.to_secret:
        out.append(f"reference to {ref.kind}")
    if _is_required(declared, path):
        out.append("required")
    if (rule.immutable or node.get("x-immutable")) and not (found or {}).get("x-immutable"):
        out.append("immutable")
    if not rule.immutable and (found or {}).get("x-immutable") and path in (declared.get("fields") or {}):
        out.append("mutable")
    out += [word for word in ("write_only", "sensitive", "unordered", "tags", "volatile", "immutable_by_service") if getattr(rule, word)]
    out += [f"compared as {rule.semantic}"] if rule.semantic else []
    out += [f"default `{rule.default}`"] if rule.default is not None else []
    return out or (["not in the document"] if found is None and not ref else [])


def _is_required(declared: dict, path: str) -> bool:
    return path in (declared["schema"].get("required") or ()) or bool(((declared.get("references") or {}).get(path) or {}).get("required"))
