"""Values that mean the same although they are written differently: IAM policies, JSON documents, ARNs, cases.

Each function maps a value to a form in which equal meaning is equal data. What cannot be parsed is returned as it is: the service, not
the comparison, is the judge of its validity.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from urllib.parse import unquote

from holdfast.core.canonical import canonical
from holdfast.core.templates import plain_name
from holdfast.model.json import Json

_LISTS = ("Action", "NotAction", "Resource", "NotResource")
_ROOT = re.compile(r"^arn:aws[a-z-]*:iam::(\d{12}):root$")


def _refuse(word: str) -> Json:
    raise ValueError(word)


def json_document(value: Json) -> Json:
    if not isinstance(value, str):
        return value
    for text in (value, unquote(value)):
        try:
            made = json.loads(text, parse_constant=_refuse)
        except ValueError:
            continue
        return made if isinstance(made, (dict, list)) else value
    return value


def iam_policy(value: Json) -> Json:
    document = json_document(value)
    if not isinstance(document, dict):
        return document
    statements = document.get("Statement", [])
    statements = statements if isinstance(statements, list) else [statements]
    rest = {k: v for k, v in document.items() if k not in ("Statement", "Version", "Id")}
    ids = {"Id": document["Id"]} if document.get("Id") else {}
    parts = sorted((_statement(s) for s in statements), key=canonical)
    return {"Version": document.get("Version", "2008-10-17"), **ids, **rest, "Statement": parts}


def _statement(statement: Json) -> Json:
    if not isinstance(statement, dict):
        return statement
    out = dict(statement)
    if out.get("Sid") == "":
        out.pop("Sid")
    for key in _LISTS:
        if key in out:
            lower = key.endswith("Action")
            out[key] = _unique([v.lower() if lower and isinstance(v, str) else v for v in _list(out[key])])
    for key in ("Principal", "NotPrincipal"):
        if key in out:
            out[key] = _principal(out[key])
    if "Condition" in out and isinstance(out["Condition"], dict):
        out["Condition"] = {op: _condition(keys) for op, keys in out["Condition"].items()}
    return out


def _unique(values: list[Json]) -> list[Json]:
    return [v for _, v in sorted({canonical(v): v for v in values}.items())]


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def _principal(value: Json) -> Json:
    if value == "*":
        return {"AWS": ["*"]}
    if not isinstance(value, dict):
        return value
    return {kind: _unique([_account(v) for v in _list(who)]) for kind, who in value.items()}


def _account(value: Json) -> Json:
    """An account's root ARN and its bare number name the same principal."""
    root = _ROOT.match(value) if isinstance(value, str) else None
    return root.group(1) if root else value


def _condition(keys: Json) -> Json:
    if not isinstance(keys, dict):
        return keys
    out: dict[str, list[str]] = {}
    for name, v in sorted(keys.items()):
        at = name.lower() if name.lower() not in out else name
        out[at] = sorted({_scalar(x) for x in _list(v)})
    return out


def _scalar(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def arn_or_name(value: Json) -> Json:
    """The part of an ARN that its bare name would be: `arn:aws:kms:eu-west-1:1:key/abc` and `abc`."""
    if isinstance(value, str) and value.startswith("arn:"):
        name = value.split(":", 5)[-1]
        return name if name.startswith("alias/") else name.rpartition("/")[2]
    return value


def same_name(one: Json, other: Json) -> bool:
    """An ARN and a bare name mean the same if the ARN ends in the name; two ARNs, or two names, only if they are equal."""
    mixed = isinstance(one, str) and isinstance(other, str) and one.startswith("arn:") != other.startswith("arn:")
    return one == other or (mixed and arn_or_name(one) == arn_or_name(other))


def resource_name(value: Json) -> Json:
    """Google's names, however they are written."""
    return re.sub(r"/cryptoKeyVersions/[0-9]+$", "", plain_name(value)) if isinstance(value, str) else value


def same_resource(one: Json, other: Json) -> bool:
    """Equal names; a project's number on one side and its id on the other say the same of the rest."""
    if one == other or not isinstance(one, str) or not isinstance(other, str):
        return bool(one == other)
    mine, theirs = one.split("/"), other.split("/")
    if len(mine) != len(theirs) or len(mine) < 3 or mine[0] != "projects":
        return False
    return mine[1].isdigit() != theirs[1].isdigit() and [mine[0], *mine[2:]] == [theirs[0], *theirs[2:]]


def growing(desired: Json, live: Json) -> bool:
    """What grows by itself and is never shrunk: live may have more than was asked for."""
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (desired, live))
    return bool(desired == live or (numbers and live >= desired))


_ROLES = {"roles/bigquery.dataOwner": "OWNER", "roles/bigquery.dataEditor": "WRITER", "roles/bigquery.dataViewer": "READER"}
_COLUMN_TYPES = {"INT64": "INTEGER", "FLOAT64": "FLOAT", "BOOL": "BOOLEAN", "STRUCT": "RECORD", "DECIMAL": "NUMERIC", "BIGDECIMAL": "BIGNUMERIC"}


def dataset_role(value: Json) -> Json:
    """BigQuery keeps three roles under their old names."""
    return _ROLES.get(value, value) if isinstance(value, str) else value


def table_schema(value: Json) -> Json:
    """Columns by what they are: types have two names, a missing mode is NULLABLE, the order of columns means nothing."""
    found = json_document(value)
    columns = found.get("fields") if isinstance(found, dict) else found
    return sorted((_column(c) for c in columns), key=canonical) if isinstance(columns, list) else found


def _column(column: Json) -> Json:
    if not isinstance(column, dict):
        return column
    kind = str(column.get("type") or "").upper()
    out = {k: v for k, v in column.items() if v not in (None, "", [], {})}
    out |= {"type": _COLUMN_TYPES.get(kind, kind), "mode": str(column.get("mode") or "NULLABLE").upper()}
    out |= {k: str(out[k]) for k in ("precision", "scale", "maxLength") if k in out}
    return {**out, "fields": table_schema(column["fields"])} if column.get("fields") else out


def short_name(value: Json) -> Json:
    """`projects/p/instanceConfigs/regional-europe-west1` and `regional-europe-west1` are one."""
    return value.rpartition("/")[2] if isinstance(value, str) else value


def duration(value: Json) -> Json:
    """`3600s`, `3600.0s` and `3600.000s`."""
    found = re.fullmatch(r"([0-9]{1,30})(?:\.([0-9]+))?s", value) if isinstance(value, str) else None
    if not found:
        return value
    return f"{int(found.group(1))}{_fraction(found.group(2))}s"


def timestamp(value: Json) -> Json:
    """The same moment, with or without a fraction of zeros, as `Z` or `+00:00`."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(?:Z|\+00:00)", value) if isinstance(value, str) else None
    if not found:
        return value
    return f"{found.group(1)}{_fraction(found.group(2))}Z"


def _fraction(digits: str | None) -> str:
    told = (digits or "").rstrip("0")
    return f".{told}" if told else ""


def case_insensitive(value: Json) -> Json:
    return value.lower() if isinstance(value, str) else value


def number_text(value: Json) -> Json:
    """Numbers that an API takes as text: `030`, ` 30` and `30` are one."""
    text = str(value).strip()
    return str(int(text)) if re.fullmatch(r"-?[0-9]{1,100}", text) else value


SEMANTICS: dict[str, Callable[[Json], Json]] = {
    "json": json_document,
    "policy": iam_policy,
    "arn-or-name": lambda value: value,
    "case-insensitive": case_insensitive,
    "number": number_text,
    "resource-name": resource_name,
    "grows": lambda value: value,
    "dataset-role": dataset_role,
    "table-schema": table_schema,
    "short-name": short_name,
    "duration": duration,
    "timestamp": timestamp,
}
PAIRWISE: dict[str, Callable[[Json, Json], bool]] = {"arn-or-name": same_name, "resource-name": same_resource, "grows": growing}  # no form of one value says it
