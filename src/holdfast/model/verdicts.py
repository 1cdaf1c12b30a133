"""What the comparison says of one field."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from holdfast.model.json import Json
from holdfast.model.kinds import top_field


class Finding(Enum):
    MATCH = "match"
    MISMATCH = "mismatch"
    OVERRIDE = "override"  # differs, and the server is known to put this value in its place
    DEFAULT = "default"  # live has it, the spec does not speak of it
    IMMUTABLE = "immutable"  # differs, and cannot be changed
    UNVERIFIABLE = "unverifiable"  # the cloud does not give it back
    UNMANAGED = "unmanaged"  # the user said to leave it as it is
    VOLATILE = "volatile"  # changes by itself


@dataclass(frozen=True, slots=True)
class Verdict:
    """A path without `spec.`, and both sides; `desired` is None where the field must go."""

    path: str
    finding: Finding
    desired: Json = None
    live: Json = None
    is_removal: bool = False
    written: tuple[Json, Json] | None = None  # both sides as they were given, where they are compared in another form
    is_fixed: bool = False  # of what cannot be verified: it could not be changed either

    @property
    def is_difference(self) -> bool:
        return self.finding in (Finding.MISMATCH, Finding.IMMUTABLE)

    @property
    def shown(self) -> tuple[Json, Json]:
        """Both sides for people."""
        return self.written or (self.desired, self.live)

    @property
    def field(self) -> str:
        """The top-level field it belongs to."""
        return top_field(self.path)


def differences(verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    return tuple(v for v in verdicts if v.is_difference)
