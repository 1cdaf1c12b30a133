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
    first: [(tag, regexp) for tag, regexp in resolvers if tag not in ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:value")]
    for first, resolvers in _Base.yaml_implicit_resolvers.items()
}
def _integer(loader: Any, node: Any) -> Json:
    text = loader.construct_scalar(node)
    return text if ":" in text else loader.construct_yaml_int(node)


def _float(loader: Any, node: Any) -> Json:
    text = loader.construct_scalar(node)
    return text if ":" in text else loader.construct_yaml_float(node)


def _refuse(loader: Any, node: Any) -> Json:
    del loader
    raise yaml.constructor.ConstructorError(None, None, f"{node.tag.rpartition(':')[2]} values are not for manifests", node.start_mark)


Loader.add_constructor("tag:yaml.org,2002:int", _integer)
Loader.add_constructor("tag:yaml.org,2002:float", _float)
Loader.add_constructor("tag:yaml.org,2002:binary", _refuse)
Loader.add_constructor("tag:yaml.org,2002:set", _refuse)


DEEPEST, MOST_NODES = 100, 200_000


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
            data = _with_text_keys(loader.construct_document(node))
            if data is not None:
                out.append(Document(data, file, node.start_mark.line + 1, lines))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise InputError("HF101", f"not valid YAML: {getattr(error, 'problem', None) or error}", f"{file}{line}") from None
    return out


def _with_text_keys(data: Json) -> Json:
    """Keys are text, as in JSON: `2024: x` and `on: x` too."""
    if isinstance(data, dict):
        return {_key(k): _with_text_keys(v) for k, v in data.items()}
    return [_with_text_keys(v) for v in data] if isinstance(data, list) else data


def _key(key: Json) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)


def _lines(node: Any, path: tuple[str | int, ...], out: dict[tuple[str | int, ...], int], file: str) -> None:
    if len(path) > DEEPEST:
        raise InputError("HF101", "the document is nested too deeply, or refers to itself", f"{file}:{node.start_mark.line + 1}")
    if len(out) > MOST_NODES:
        raise InputError("HF101", "the document expands to too many values", f"{file}:{node.start_mark.line + 1}")
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
