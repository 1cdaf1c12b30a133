"""Refusals in the service's own words: a kind of refusal, and the text that the service's YAML gives it."""

from __future__ import annotations

from holdfast.model.json import Json
from holdfast.providers.gcp.fake.errors import Refused
from holdfast.providers.gcp.fake.store import Place

# kind: what it is where the YAML says nothing
_DEFAULTS: dict[str, dict[str, Json]] = {
    "absent": {"status": "NOT_FOUND", "text": "Resource '{path}' was not found"},
    "exists": {"status": "ALREADY_EXISTS", "text": "Resource '{path}' already exists"},
    "required": {"reason": "required", "text": "Request field {field} is required."},
    "invalid": {"text": "Invalid value for field '{field}': '{value}'."},
    "id": {"text": "Invalid resource id '{id}'."},
    "labels": {"text": "Invalid label '{value}': keys and values may have lowercase letters, digits, underscores and dashes, and at most 63 characters."},
    "reference": {"status": "NOT_FOUND", "text": "Resource '{target}' was not found"},
    "immutable": {"text": "Field '{field}' is immutable and cannot be changed."},
    "mask_missing": {"text": "Field mask is required and must not be empty."},
    "mask_unknown": {"text": "Invalid field mask: '{field}' is not a field of {schema}."},
    "mask_immutable": {"text": "Invalid field mask: the field '{field}' cannot be updated."},
    "stale": {"status": "ABORTED", "text": "There were concurrent changes to '{path}': the etag does not match the current one."},
    "stale_labels": {"http": 412, "status": "FAILED_PRECONDITION", "reason": "conditionNotMet", "location": "If-Match",
                     "text": "Labels fingerprint either invalid or resource labels have changed"},
    "busy": {"status": "FAILED_PRECONDITION", "reason": "resourceNotReady", "text": "The resource '{path}' is not ready"},
    "used": {"status": "FAILED_PRECONDITION", "reason": "resourceInUseByAnotherResource", "text": "The resource '{path}' is in use by '{user}'"},
    "protected": {"status": "FAILED_PRECONDITION", "text": "The resource '{path}' is protected against deletion."},
}


def refusal(place: Place, kind: str, **more: Json) -> Refused:
    """The refusal of that kind: the YAML's words, over the defaults."""
    given = place.resource.words.get(kind) or {}
    said = {**_DEFAULTS[kind], **({"text": given} if isinstance(given, str) else given)}
    return spoken(place, said, **more)


def spoken(place: Place, said: dict[str, Json], **more: Json) -> Refused:
    """A refusal from {text, status, http, reason, location}."""
    text = str(said["text"]).format_map({**place.words, "schema": place.resource.schema, **more})
    return Refused(text, said.get("status", "INVALID_ARGUMENT"), said.get("http", 0), said.get("reason", ""), location=said.get("location", ""))
