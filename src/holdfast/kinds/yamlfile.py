"""YAML as Kubernetes means it, with the line of every value, so that a message can point at it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import yaml

from holdfast.model.errors import InputError
from holdfast.model.json import Json

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Loader(_Base):  # type: ignore[misc]
    """No timestamps and no base-60 numbers: `2020-01-01` and `12:30:00` stay text."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in _Base.yaml_implicit_resolvers.items()
}
def _integer(loader: Any, node: Any) -> Json:
    text = loader.construct_scalar(node)
    return text if ":" in text else loader.construct_yaml_int(node)


Loader.add_constructor("tag:yaml.org,2002:int", _integer)


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML document: its data, where it stands, and the line of each path."""

    data: Json
    file: str
    line: int
    lines: dict[tuple[str | int, ...], int] = field(default_factory=dict)

    def where(self, path: tuple[str | int, ...] = ()) -> str:
        """`file:line`, of the path or the nearest parent that stands in the file."""
        while path and path not in self.lines:
            path = path[:-1]
        return f"{self.file}:{self.lines.get(path, self.line)}"


def load_documents(text: str, file: str) -> list[Document]:
    """Every document of a stream, empty ones left out. Raises InputError HF101 with file and line."""
    out = []
    try:
        for node in yaml.compose_all(text, Loader=Loader):
            if node is None:
                continue
            lines: dict[tuple[str | int, ...], int] = {}
            _lines(node, (), lines, file)
            loader = Loader("")
            data = loader.construct_document(node)
            if data is not None:
                out.append(Document(data, file, node.start_mark.line + 1, lines))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise InputError("HF101", f"not valid YAML: {getattr(error, 'problem', None) or error}", f"{file}{line}") from None
    return out


def _lines(node: Any, path: tuple[str | int, ...], out: dict[tuple[str | int, ...], int], file: str) -> None:
    out[path] = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in seen:
                raise InputError("HF101", f"the key {name!r} is given twice", f"{file}:{key.start_mark.line + 1}")
            seen.add(name)
            _lines(value, (*path, name), out, file)
            out[(*path, name)] = key.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode):
        for i, value in enumerate(node.value):
            _lines(value, (*path, i), out, file)
