"""Fields that the cloud never gives back. What was sent is remembered as a seal, so that an edit is noticed and sent, and nothing else is.

Where nothing is on record (adopted, verified, status lost) the value is unverifiable and left alone, unless the spec has changed since
it was last right, or a create of ours was cut short: then it was meant to be sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from holdfast.core.canonical import sealed
from holdfast.core.cookie import spec_half
from holdfast.model.facts import Memory
from holdfast.model.verdicts import Finding, Verdict


def seals(verdicts: tuple[Verdict, ...], key: bytes) -> dict[str, str]:
    """What is to be remembered of the write-only fields that the spec gives."""
    return {v.path: sealed(v.desired, key) for v in verdicts if _is_blind(v)}


def notice_edits(verdicts: tuple[Verdict, ...], memory: Memory, cookie: str, key: bytes) -> tuple[Verdict, ...]:
    """Write-only fields that must be sent become a mismatch; what was there before is not known."""
    was_right_before = bool(memory.cookie) and spec_half(memory.cookie) != spec_half(cookie)
    is_cut_short = memory.intent is not None and memory.intent.action == "create"
    return tuple(replace(v, finding=Finding.IMMUTABLE if v.is_fixed else Finding.MISMATCH)
                 if _is_blind(v) and _must_go(v, memory.sent, key, was_right_before or is_cut_short) else v for v in verdicts)


def _is_blind(v: Verdict) -> bool:
    return v.finding is Finding.UNVERIFIABLE


def _must_go(v: Verdict, sent: Mapping[str, str], key: bytes, is_new: bool) -> bool:
    return sent[v.path] != sealed(v.desired, key) if v.path in sent else is_new and not v.is_fixed
