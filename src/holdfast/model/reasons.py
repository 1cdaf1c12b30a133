"""Every reason of the Ready condition, with what it means for Ready."""

from __future__ import annotations

from enum import Enum


class Reason(Enum):
    """value: the reason as conditions have it, and what it means for Ready."""

    UP_TO_DATE = ("UpToDate", "True")
    CREATING = ("Creating", "False")
    UPDATING = ("Updating", "False")
    SETTLING = ("Settling", "False")
    PAUSED = ("Paused", "False")
    DELETING = ("Deleting", "False")
    DELETE_FAILED = ("DeleteFailed", "False")
    NOT_FOUND = ("ResourceNotFound", "False")
    UPDATE_FAILED = ("UpdateFailed", "False")
    DRIFT = ("DriftDetected", "False")
    INCOMPLETE = ("VerificationIncomplete", "False")
    EXISTS = ("AlreadyExists", "False")
    HELD = ("HeldByAnotherObject", "False")
    IMMUTABLE = ("ImmutableFieldChanged", "False")
    NOT_CONVERGING = ("NotConverging", "False")
    INVALID = ("Invalid", "False")
    REFERENCE_WAIT = ("DependencyNotReady", "False")
    REFERENCE_MISSING = ("DependencyNotFound", "False")
    REFERENCE_INVALID = ("DependencyInvalid", "False")
    ADOPTION_MISMATCH = ("AdoptionMismatch", "False")
    REJECTED = ("Rejected", "False")
    RETRYING = ("Retrying", "False")
    ELSEWHERE = ("WrongPlace", "False")

    @property
    def text(self) -> str:
        return self.value[0]

    @property
    def ready(self) -> str:
        return self.value[1]
