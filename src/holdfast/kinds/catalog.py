"""All kinds, found by group and kind, by the words kubectl takes, or by alias. Loaded when asked for, each once."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from holdfast.core import adopted
from holdfast.kinds.loader import HERE, dialects, load_kind
from holdfast.kinds.yamlfile import load_documents
from holdfast.model.errors import InputError, did_you_mean
from holdfast.model.kinds import Dialect, Kind

ADOPTED_PLURAL = "adoptedresources"
CORE_KINDS = ("Namespace", "Secret", "ConfigMap")


class Catalog:
    """The kinds of one installation."""

    def __init__(self, folder: Path = HERE) -> None:
        self._index: dict[tuple[str, str], Path] = {}
        self._plurals: dict[tuple[str, str], str] = {}
        self._short: dict[tuple[str, str], list[str]] = {}
        self._loaded: dict[Path, Kind] = {}
        for path in sorted(folder.glob("*/*/*.yaml")):
            head = _head(path)
            for group, name in ((head["group"], head["kind"]), *(a.split("/") for a in head["aliases"])):
                self._index[group, name] = path
            self._plurals[head["group"], head["kind"]] = head["plural"]
            self._short[head["group"], head["kind"]] = head["short_names"]

    def find(self, group: str, kind: str) -> Kind | None:
        path = self._index.get((group, kind))
        return self._load(path) if path else None

    def _load(self, path: Path) -> Kind:
        if path not in self._loaded:
            self._loaded[path] = load_kind(path)
        return self._loaded[path]

    def all(self) -> list[Kind]:
        return [self._load(p) for p in sorted(set(self._index.values()))]

    def groups(self) -> list[str]:
        return sorted({g for g, _ in self._plurals})

    def is_adopted_resource(self, group: str, kind: str) -> bool:
        """Every service's group has an AdoptedResource, an alias's group too; so does ACK's common group."""
        common = {d.prefix for d in dialects()}
        return kind == adopted.KIND and (group in common or any(g == group for g, _ in self._index))

    def dialect_of(self, group: str) -> Dialect:
        return next(d for d in dialects() if f".{group}".endswith(d.group_suffix))

    def canonical(self, group: str, kind: str) -> tuple[str, str]:
        """The group and name under which objects of an alias are kept."""
        found = self.find(group, kind)
        return (found.group, found.name) if found else (group, kind)

    def need(self, group: str, kind: str, where: str = "") -> Kind:
        found = self.find(group, kind)
        if found is None:
            known = [f"{g}/{k}" for g, k in self._index]
            raise InputError("HF103", f"no kind {kind!r} in group {group!r}{did_you_mean(f'{group}/{kind}', known)}", where)
        return found

    def by_word(self, word: str) -> tuple[str, str]:
        """(group, kind) for kind, plural, short name or plural.group, as kubectl takes them."""
        wanted = word.lower()
        hits = set()
        for (group, name), plural in self._plurals.items():
            words = {name.lower(), plural, f"{plural}.{group}", f"{name.lower()}.{group}", f"{plural}.{group.partition('.')[0]}"}
            if wanted in words or wanted in self._short[group, name]:
                hits.add((group, name))
        if wanted in ("adoptedresource", ADOPTED_PLURAL):
            return ("*", adopted.KIND)
        if wanted.startswith((f"{ADOPTED_PLURAL}.", "adoptedresource.")):
            return (wanted.partition(".")[2], adopted.KIND)
        if len(hits) > 1:
            choices = ", ".join(sorted(f"{self._plurals[h]}.{h[0]}" for h in hits))
            raise InputError("HF111", f"{word!r} fits more than one kind: {choices}")
        if not hits:
            names = sorted({n for pair, p in self._plurals.items() for n in (pair[1].lower(), p)})
            raise InputError("HF103", f"no kind is called {word!r}{did_you_mean(word, names)}")
        return hits.pop()


def _head(path: Path) -> dict[str, Any]:
    """The first lines of a kind file, without building the kind: listing kinds must be cheap."""
    out: dict[str, Any] = {"aliases": [], "short_names": []}
    for line in path.read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(":")
        if key in ("group", "kind", "plural"):
            out[key] = value.strip()
        elif key in ("aliases", "short_names"):
            out[key] = load_documents(line, str(path))[0].data[key]
        elif key == "schema":
            break
    return out


@lru_cache(maxsize=1)
def shipped() -> Catalog:
    return Catalog()
