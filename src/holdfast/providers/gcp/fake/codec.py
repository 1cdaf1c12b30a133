"""JSON of requests and answers, by the document's schemas.

Reading accepts both spellings of names, numbers of enums and numbers for 64-bit strings, as Google's parser does, and collects what it
cannot accept. Showing leaves out what is zero, as proto3's JSON does, where the service does so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from holdfast.model.json import Json, JsonMap
from holdfast.providers.gcp.fake.errors import Refused

_BIG = ("int64", "uint64")
_ZERO = ("", 0, False, "0")
_DURATION = re.compile(r"(-?\d+)(?:\.(\d{1,9}))?s")
_TYPES = {"int32": "TYPE_INT32", "uint32": "TYPE_UINT32", "int64": "TYPE_INT64", "uint64": "TYPE_UINT64", "double": "TYPE_DOUBLE", "float": "TYPE_FLOAT",
          "string": "TYPE_STRING", "boolean": "TYPE_BOOL", "integer": "TYPE_INT32", "number": "TYPE_DOUBLE"}


def camel(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda m: m.group(1).upper(), name)


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


@dataclass(slots=True)
class Reader:
    """Reads one body; `problems` are (field, what is wrong)."""

    schemas: JsonMap
    keeps_null: bool = False
    refuses: bool = True
    problems: list[tuple[str, str]] = field(default_factory=list)

    def message(self, schema: str, body: Json, at: str) -> dict[str, Json]:
        """The body as the schema has it: known fields, in their own spelling."""
        if not isinstance(body, dict):
            self._bad(at, self.schemas[schema].get("id", schema), body)
            return {}
        return self._fields(self.schemas[schema].get("properties", {}), body, at)

    def _fields(self, known: JsonMap, body: JsonMap, at: str) -> dict[str, Json]:
        read: dict[str, Json] = {}
        for key, value in body.items():
            name = key if key in known else camel(key)
            if name not in known:
                self._unknown(key, at)
            elif value is not None:
                read[name] = self._value(known[name], value, f"{at}.{snake(name)}".lstrip("."))
            elif self.keeps_null:
                read[name] = None
        return read

    def _value(self, spec: JsonMap, value: Json, at: str) -> Json:
        if "$ref" in spec:
            return self.message(spec["$ref"], value, at)
        match spec.get("type"):
            case "array":
                return self._array(spec, value, at)
            case "object":
                return self._object(spec, value, at)
            case _:
                return self._scalar(spec, value, at)

    def _array(self, spec: JsonMap, value: Json, at: str) -> Json:
        values = value if isinstance(value, list) else [value]
        return [self._value(spec["items"], v, f"{at}[{i}]") for i, v in enumerate(values)]

    def _object(self, spec: JsonMap, value: Json, at: str) -> Json:
        if not isinstance(value, dict):
            self._bad(at, "Map", value)
            return {}
        if "properties" in spec:
            return self._fields(spec["properties"], value, at)
        inner = spec.get("additionalProperties")
        if not inner or inner.get("type") == "any":
            return value
        return {k: None if v is None else self._value(inner, v, at) for k, v in value.items() if v is not None or self.keeps_null}

    def _scalar(self, spec: JsonMap, value: Json, at: str) -> Json:
        kind, form = spec.get("type"), spec.get("format", "")
        if "enum" in spec:
            return self._enum(spec["enum"], value, at)
        if form in _BIG or kind == "integer":
            return self._integer(form or "int32", value, at)
        if kind == "number" and not isinstance(value, bool) and isinstance(value, (int, float)):
            return value
        if form == "google-duration" and isinstance(value, str):
            return self._duration(value, at)
        fits = {"string": str, "boolean": bool}.get(str(kind))
        if fits is not None and not isinstance(value, fits):
            self._bad(at, _TYPES[str(kind)], value)
        return value

    def _integer(self, form: str, value: Json, at: str) -> Json:
        if isinstance(value, bool) or not re.fullmatch(r"-?\d+", str(value)):
            self._bad(at, _TYPES.get(form, "TYPE_INT32"), value)
            return value
        return str(value) if form in _BIG else int(value)

    def _enum(self, names: list[str], value: Json, at: str) -> Json:
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(names):
            return names[value]
        if value not in names:
            self._bad(at, "TYPE_ENUM", value)
        return value

    def _duration(self, value: str, at: str) -> str:
        found = _DURATION.fullmatch(value)
        if not found:
            text = f"Invalid value at '{at}' (type.googleapis.com/google.protobuf.Duration), Field '{at}', Illegal duration format; duration must end with 's'"
            self.problems.append((at, text))
            return value
        rest = (found.group(2) or "").rstrip("0")
        return f"{int(found.group(1))}.{rest}s" if rest else f"{int(found.group(1))}s"

    def _bad(self, at: str, kind: str, value: Json) -> None:
        shown = f'"{value}"' if isinstance(value, str) else value
        self.problems.append((at, f"Invalid value at '{at}' ({kind}), {shown}"))

    def _unknown(self, key: str, at: str) -> None:
        if self.refuses:
            where = f" at '{at}'" if at else ""
            self.problems.append((at, f'Invalid JSON payload received. Unknown name "{key}"{where}: Cannot find field.'))


def refuse(problems: list[tuple[str, str]]) -> None:
    """All that is wrong with a body, in one refusal."""
    if problems:
        violations = [{"field": at, "description": text} if at else {"description": text} for at, text in problems]
        details = [{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": violations}]
        raise Refused("\n".join(text for _, text in problems), reason="badRequest" if "Unknown name" in problems[0][1] else "", details=details)


def shown(schemas: JsonMap, spec: JsonMap, value: Json, keeps: list[str], at: str = "") -> Json:
    """The value without its zeroes; an empty message stays, an empty list or map goes. `keeps` are paths with explicit presence."""
    known = schemas[spec["$ref"]].get("properties") if "$ref" in spec else spec.get("properties")
    if isinstance(value, list):
        return [shown(schemas, spec.get("items", {}), v, keeps, at) for v in value]
    if not isinstance(value, dict) or known is None:
        return value
    kept: dict[str, Json] = {}
    for name, item in value.items():
        below = known.get(name, {})
        path = f"{at}.{name}".lstrip(".")
        if path in keeps or not is_zero(below, item):
            kept[name] = shown(schemas, below, item, keeps, path)
    return kept


def is_zero(spec: JsonMap, value: Json) -> bool:
    """Whether proto3's JSON leaves it out."""
    if value is None or (isinstance(value, list) and not value):
        return True
    if isinstance(value, dict):
        return not value and "$ref" not in spec and "properties" not in spec
    if "enum" in spec and str(value).endswith("_UNSPECIFIED"):
        return True
    return not isinstance(value, list) and value in _ZERO and not (value == "0" and spec.get("format") not in _BIG)


def without_output(schemas: JsonMap, spec: JsonMap, value: Json) -> Json:
    """Without the fields that only the service writes, at every depth."""
    known = schemas[spec["$ref"]].get("properties") if "$ref" in spec else spec.get("properties")
    if isinstance(value, list):
        return [without_output(schemas, spec.get("items", {}), v) for v in value]
    if not isinstance(value, dict) or known is None:
        return value
    return {k: without_output(schemas, known.get(k, {}), v) for k, v in value.items() if "output" not in known.get(k, {}).get("behaviours", ())}


def behaving(schemas: JsonMap, schema: str, behaviour: str, at: str = "", depth: int = 3) -> list[str]:
    """The dotted paths of the fields with that behaviour, through messages but not through lists."""
    found: list[str] = []
    for name, spec in schemas[schema].get("properties", {}).items():
        path = f"{at}.{name}".lstrip(".")
        if behaviour in spec.get("behaviours", ()):
            found.append(path)
        elif "$ref" in spec and depth:
            found += behaving(schemas, spec["$ref"], behaviour, path, depth - 1)
    return found
