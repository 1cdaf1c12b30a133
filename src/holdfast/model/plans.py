"""The value that says what to do next. Only runtime.execute interprets it, by match and assert_never."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdfast.model.facts import Live
from holdfast.model.json import JsonMap
from holdfast.model.reasons import Reason
from holdfast.model.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Rest:
    """All is as declared and status says so: nothing is written anywhere."""


@dataclass(frozen=True, slots=True)
class Look:
    """Nothing can be decided before the resource has been read."""


@dataclass(frozen=True, slots=True)
class Report:
    """Bring status up to date; no cloud write."""

    reason: Reason
    message: str
    code: str = ""
    verdicts: tuple[Verdict, ...] = ()
    remember: bool = False  # this state was found right: write the cookie
    applied: bool = False  # and the spec's paths are now known to be applied
    is_verification: bool = False
    retry_in: float = 0.0
    overrides: dict[str, JsonMap] | None = None  # learnt, or dropped


@dataclass(frozen=True, slots=True)
class Create:
    """Make it: intent first."""


@dataclass(frozen=True, slots=True)
class Update:
    """Bring these differences in line."""

    live: Live
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Finish:
    """An operation of ours has ended: see what came of it."""

    live: Live


@dataclass(frozen=True, slots=True)
class Adopt:
    """Take hold of what exists: marks on the resource, `adopted` on the object."""

    live: Live
    verdicts: tuple[Verdict, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove the resource, then let go."""

    live: Live


@dataclass(frozen=True, slots=True)
class Release:
    """Let go of the object; the resource stays as it is."""

    message: str


Plan = Rest | Look | Report | Create | Update | Finish | Adopt | Delete | Release
