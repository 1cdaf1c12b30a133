"""What an operator may set. One value, handed in at the top."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    resync_seconds: float = 600.0
    workers: int = 8
    retain_by_default: bool = False
    refuse_acquire: bool = False  # as strict on every cloud as on AWS
    hold_seconds: float = 86_400.0  # a permanent error is tried again after a day
    is_dry: bool = False  # plan and verify: nothing is written anywhere that lasts
    verify_all: bool = False  # treat every object as verify-only
    full_report: bool = False  # read and list every field; never take the fast path
