"""Text for people: differences in one line, values cut short, secrets never."""

from __future__ import annotations

import json

from holdfast.model.json import Json
from holdfast.model.kinds import Kind
from holdfast.model.verdicts import Verdict

HIDDEN = "(sensitive)"
MOST = 10


def listed(kind: Kind, verdicts: tuple[Verdict, ...]) -> str:
    """Each path with wanted and live value, ten at most."""
    parts = [one(kind, v) for v in verdicts[:MOST]]
    if len(verdicts) > MOST:
        parts.append(f"and {len(verdicts) - MOST} more")
    return "; ".join(parts)


def one(kind: Kind, v: Verdict) -> str:
    at, (desired, live) = shown_path(kind, v.path), v.shown
    if v.is_removal:
        return f"{at}: must be unset, live {value(kind, v.path, live)}"
    return f"{at}: wanted {value(kind, v.path, desired)}, live {value(kind, v.path, live)}"


def shown_path(kind: Kind, path: str) -> str:
    """Where the user has it: labels that go to the cloud stand in metadata."""
    is_label = kind.dialect.labels_are_tags and bool(kind.tag_path) and f"{path}.".startswith(f"{kind.tag_path}.")
    return f"metadata.{path}" if is_label else f"spec.{path}"


def value(kind: Kind, path: str, data: Json, most: int = 120) -> str:
    if data is None:
        return "(not set)"
    if kind.is_sensitive(path):
        return HIDDEN
    text = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return text if len(text) <= most else f"{text[:most]}…"


def data(kind: Kind, path: str, raw: Json, most: int = 1024) -> Json:
    """A value for status or JSON output: hidden if sensitive, cut if long."""
    if raw is not None and kind.is_sensitive(path):
        return HIDDEN
    if isinstance(raw, (str, list, dict)):
        text = raw if isinstance(raw, str) else json.dumps(raw, sort_keys=True, ensure_ascii=False)
        return f"{text[:most]}…" if len(text) > most else raw
    return raw
