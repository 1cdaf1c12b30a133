"""Every error a person can meet, in one table and one tree.

    HoldfastError            carries a code of the table, a message, and where it is
    ├── InputError           the manifest, directive or command is wrong     → its author acts
    ├── RefusedError         nothing is wrong, but going on would be unsafe  → its author acts
    ├── WaitError            something else must happen first                → nobody acts, it is woken
    ├── CloudError           the cloud said no, or did not answer            → see `retry`
    └── StoreError           the store said no                               → retried from a fresh read

`docs/errors.md` and `holdfast explain` are generated from CODES; a code is never reused for another meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Retry(Enum):
    """What the runtime does with an error."""

    WAIT = "wait"  # woken by a watch
    SOON = "retry with backoff"
    SLOWLY = "retry slowly"
    NEVER = "you must act"  # until the object, a reference or the day changes


@dataclass(frozen=True, slots=True)
class Code:
    """One row of the published table."""

    code: str
    title: str
    cause: str
    step: str
    who: str


def _table(*rows: tuple[str, str, str, str, str]) -> dict[str, Code]:
    return {row[0]: Code(*row) for row in rows}


AUTHOR, PLATFORM, NOBODY = "the author of the manifest", "the operator of Holdfast", "nobody: it is retried"

CODES = _table(
    # 1xx: what was handed in
    ("HF101", "Unreadable input", "The file is not valid YAML or JSON, or cannot be opened.",
     "Correct the line that the message names.", AUTHOR),
    ("HF102", "Not an object", "apiVersion, kind or metadata.name is missing or of the wrong type.",
     "Give the document apiVersion, kind and metadata.name.", AUTHOR),
    ("HF103", "Unknown kind", "No kind of that apiVersion and kind is known.",
     "Check spelling and apiVersion; `holdfast crds --list` prints the kinds.", AUTHOR),
    ("HF104", "Wrong value", "A field's value has the wrong type or form.",
     "Correct the field that the message names.", AUTHOR),
    ("HF105", "Unknown field", "The kind has no such field.",
     "Use the name that the message proposes, or remove the field.", AUTHOR),
    ("HF106", "Required field missing", "The kind needs this field.", "Add the field.", AUTHOR),
    ("HF107", "One-of violated", "Of a group of fields, at most (or exactly) one may be given.",
     "Keep one of the fields that the message names.", AUTHOR),
    ("HF108", "Immutable field changed", "The service cannot change this field after creation.",
     "Put the old value back; or make a new object; or, if the resource was changed outside, verify it with force-acquire.",
     AUTHOR),
    ("HF109", "Unknown path in a directive", "A directive names a field path that the kind does not have.",
     "Use the path that the message proposes.", AUTHOR),
    ("HF110", "Object given twice", "Two documents declare the same object.", "Remove one of them.", AUTHOR),
    ("HF111", "Ambiguous kind", "The word fits more than one kind.", "Write plural.group, as the message shows.", AUTHOR),
    # 2xx: directives
    ("HF201", "Unknown directive value", "A directive has a value that is not one of those it knows.",
     "Use exactly one of the values that the message lists.", AUTHOR),
    ("HF202", "Directive of another cloud", "A directive carries the prefix of another cloud, so it would have no effect.",
     "Use the prefix that the message names.", AUTHOR),
    ("HF203", "Misspelt directive", "An annotation looks like a directive but is none.",
     "Use the name that the message proposes, or remove the annotation.", AUTHOR),
    ("HF204", "Malformed adoption-fields", "adoption-fields is not a JSON object of strings, or names an unknown field.",
     "Write it as the message shows.", AUTHOR),
    # 3xx: adoption and ownership
    ("HF301", "Unknown target kind", "The AdoptedResource names a kind that is not installed.",
     "Correct spec.apiVersion and spec.kind.", AUTHOR),
    ("HF302", "Target object exists", "An object of that kind and name exists already.",
     "Choose another metadata.name, or remove the object.", AUTHOR),
    ("HF303", "Kind cannot be adopted", "Resources of this kind are one-time jobs or cannot be read back in full.",
     "Declare it as a new object instead.", AUTHOR),
    ("HF304", "Wrong identifier", "spec.identifier must hold exactly one of arn, name, id, of the sort the kind takes.",
     "Give the identifier that the message names.", AUTHOR),
    ("HF305", "Resource is held by another object", "Another object already manages this very resource.",
     "Remove one of the two objects.", AUTHOR),
    ("HF306", "Resource exists and is not ours", "A resource of that identity exists, and nothing says that this object may take it.",
     "Verify it first (force-acquire), or adopt it (adoption-policy, AdoptedResource).", AUTHOR),
    ("HF307", "Adopted resource is gone", "The resource was adopted, and the cloud now says that it does not exist.",
     "Restore it, delete the object, or set adoption-policy: adopt-or-create to have it made anew.", AUTHOR),
    ("HF308", "Adoption would change the resource", "adoption-policy: adopt takes a resource as it is, and the spec differs from it.",
     "Correct the fields that the message names, or use adopt-or-create to have them changed.", AUTHOR),
    # 4xx: references
    ("HF401", "Referenced object not found", "A reference names an object that does not exist.",
     "Create it, or correct the reference; this object is woken when it appears.", AUTHOR),
    ("HF402", "Referenced object not ready", "A reference names an object that is not Ready yet.",
     "Wait, or look at that object's status.", NOBODY),
    ("HF403", "Field and reference both given", "A field and its …Ref are both set.", "Keep one of the two.", AUTHOR),
    ("HF404", "Secret key not found", "A secret reference names a Secret or a key that does not exist.",
     "Create it, or correct the reference.", AUTHOR),
    ("HF405", "Malformed reference", "A reference gives neither external nor name, or both, or an external name of the wrong form.",
     "Write it as the message shows: {external: …}, or {name: …, namespace: …}.", AUTHOR),
    # 5xx: the cloud
    ("HF501", "No credentials", "No usable credentials were found.",
     "AWS: AWS_PROFILE, or AWS_ACCESS_KEY_ID and its secret, or `aws sso login`. Google: `gcloud auth application-default login`.", PLATFORM),
    ("HF502", "Access denied", "The credentials may not make this call.",
     "Grant the action that the message names to the role in use.", PLATFORM),
    ("HF503", "Throttled", "The cloud asks for fewer calls.", "Nothing: calls are slowed down and retried.", NOBODY),
    ("HF504", "Cloud unavailable", "The cloud did not answer, or answered with an internal error.",
     "Nothing: it is retried with backoff.", NOBODY),
    ("HF505", "Rejected by the service", "The service refused the request; the message has its own code and words.",
     "Correct the field that the service names.", AUTHOR),
    ("HF506", "Resource not found", "The object is verified only, and the cloud has no such resource.",
     "Correct the name, account or region; or remove force-acquire to have it created.", AUTHOR),
    ("HF507", "Resource differs from spec", "The object is verified only, and the live resource differs from the spec.",
     "Correct the spec (or the resource), field by field, as the message lists.", AUTHOR),
    ("HF508", "Drift detected", "This spec matched before, and the live resource has changed since.",
     "Revert the resource, or accept the change in the spec.", AUTHOR),
    ("HF509", "Verification incomplete", "A part of the resource that the spec speaks of could not be read.",
     "See the cause in the message; nothing of that part is written meanwhile.", PLATFORM),
    ("HF510", "Not converging", "An update was sent three times, and its effect was never seen.",
     "Compare the fields listed; unmanage them (default-to-aws-fields, default-to-gcp-fields) or correct the spec.", AUTHOR),
    ("HF511", "Other account, project or region", "The object's resource is in another account, project or region than the one in use.",
     "Use the one that status names.", PLATFORM),
    ("HF512", "Write refused", "A mutating call was attempted where none may be made. Nothing was sent.",
     "Nothing, under `plan`; elsewhere please report it.", PLATFORM),
    ("HF514", "Changed meanwhile", "Somebody changed the resource between our read and our write, and the service noticed. Nothing was written.",
     "Nothing: it is read and compared again.", NOBODY),
    ("HF513", "Unexpected answer", "The cloud answered with something that Holdfast cannot read.",
     "Please report it with the message.", PLATFORM),
    # 6xx: the store and the command
    ("HF601", "Conflict", "The object changed since it was read.", "Nothing: it is read again.", NOBODY),
    ("HF602", "Object not found", "No such object is stored.", "Check kind, name and namespace.", AUTHOR),
    ("HF603", "Object exists", "An object of that name is stored already.", "Use apply, or another name.", AUTHOR),
    ("HF604", "State file unusable", "The state file cannot be opened, is locked, or is from a newer Holdfast.",
     "Check the path and its permissions, or use --state FILE.", PLATFORM),
    ("HF605", "Not settled in time", "The object did not settle before --timeout.",
     "Look at its status; give more time with --timeout.", AUTHOR),
    ("HF606", "Wrong use", "The command was called in a way it does not know.", "See `holdfast COMMAND --help`.", AUTHOR),
    ("HF607", "Another controller runs", "Another process holds the lease on this state file.",
     "Stop it, or let it do the work.", PLATFORM),
    # 7xx: kind files
    ("HF701", "Bad kind file", "A kind's YAML is malformed or does not fit the vendor's model.",
     "Correct the line that the message names.", "the author of the kind"),
)


class HoldfastError(Exception):
    """An error with a code; `where` names file, line, object or field."""

    retry = Retry.NEVER

    def __init__(self, code: str, message: str, where: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.where = CODES[code].code, message, where

    def __str__(self) -> str:
        at = f"{self.where}: " if self.where else ""
        return f"{self.code} {at}{self.message}"


class InputError(HoldfastError):
    """Its author must correct what was handed in."""

    index = 0  # of several things handed in at once


class RefusedError(HoldfastError):
    """Going on would be unsafe; somebody must say what is meant."""


class WaitError(HoldfastError):
    """Something else must happen first; a watch wakes the object."""

    retry = Retry.WAIT


class StoreError(HoldfastError):
    """The store said no."""

    retry = Retry.SOON


class ConflictError(StoreError):
    """The object moved on since it was read."""


class CloudError(HoldfastError):
    """The cloud said no, or did not answer. `service_code` is the service's own word for it."""

    def __init__(self, code: str, message: str, *, service_code: str = "", retry: Retry = Retry.NEVER,
                 retry_after: float = 0.0, sent: bool = True) -> None:
        super().__init__(code, message)
        self.service_code, self.retry, self.retry_after = service_code, retry, retry_after
        self.sent = sent  # whether the request may have reached the cloud
        self.is_refused_create = False  # a definite no to the create itself: nothing was made
        self.ended_operation = False  # what a long-running operation of ours ended in


def did_you_mean(word: str, known: list[str]) -> str:
    """A hint for a misspelt word, or nothing."""
    from difflib import get_close_matches

    lowered = {k.lower(): k for k in known}
    close = get_close_matches(word.lower(), list(lowered), n=1, cutoff=0.6)
    return f"; did you mean {lowered[close[0]]!r}?" if close else ""
