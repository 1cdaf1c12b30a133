"""Status, read and written: what it remembers (Memory), and the one new status that a reconcile commits.

Invariants, checked by tests on every scenario: Ready is always present; `lastTransitionTime` moves only when a condition's status does;
an unchanged reconcile composes an equal status, so nothing is written; no sensitive value ever enters.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from holdfast.core.messages import MOST, data, shown_path
from holdfast.core.overrides import remembered
from holdfast.model.facts import Hold, Intent, Live, Memory, Operation, Place, Settling
from holdfast.model.json import Json, JsonMap, get_path
from holdfast.model.kinds import Kind
from holdfast.model.objects import condition
from holdfast.model.reasons import Reason
from holdfast.model.verdicts import Finding, Verdict, differences

LONGEST = 4096  # of a message


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a reconcile ended, for status and for people."""

    reason: Reason
    message: str
    code: str = ""
    action: str = "rest"
    verdicts: tuple[Verdict, ...] = ()
    is_terminal: bool = False
    is_verification: bool = False
    references_resolved: bool | None = None
    retry_in: float | None = None
    live: Live | None = None
    seen: str = ""  # which resource was looked at
    was_never_made: bool = False  # what status named while it was being made


def read_memory(kind: Kind, status: JsonMap, annotations: Mapping[str, str]) -> Memory:
    meta = status.get("ackResourceMetadata") or {}
    conditions, ready = tuple(status.get("conditions") or ()), condition(status)
    return Memory(
        cookie=str(status.get("lastModifiedCookie") or ""),
        applied=tuple(p for p in status.get("appliedFields") or () if isinstance(p, str)),
        has_applied="appliedFields" in status,
        overrides=remembered(status.get("specOverrides"), annotations.get(kind.dialect.annotation("spec-overrides"), ""),
                             bool(status)),
        sent=status.get("sentFields") or {},
        identity=str(get_path(status, kind.dialect.identity_path) or "").removesuffix(":*"),  # as upstream keeps log groups
        place=Place(str(meta.get("ownerAccountID") or ""), str(meta.get("region") or ""), str(meta.get("partition") or "aws")),
        adopted=status.get("adopted") is True,
        verified=str(get_path(status, "verification.resource") or ""),
        ready=ready.get("status") == "True",
        ready_reason=str(ready.get("reason") or ""),
        observed_generation=int(status.get("observedGeneration") or 0),
        intent=_part(Intent, status.get("intent")),
        settling=_part(Settling, status.get("settling")),
        hold=_part(Hold, status.get("hold")),
        operation=_part(Operation, status.get("operation")),
        conditions=conditions,
    )


def _part(cls: type, value: Json) -> Json:
    """A remembered value, or None where it is missing or malformed: a lost memory costs a comparison, nothing else."""
    wanted = {"int": int, "str": str, "Mapping[str, str]": Mapping, "list[str]": list}
    fields = {name: wanted[str(f.type)] for name, f in cls.__dataclass_fields__.items()}  # type: ignore[attr-defined]
    good = isinstance(value, Mapping) and set(value) == set(fields) and all(isinstance(value[n], t) for n, t in fields.items())
    return cls(**value) if good else None


def compose(kind: Kind, before: JsonMap, memory: Memory, outcome: Outcome, generation: int, now: str) -> dict[str, Json]:
    """The new status. Everything that the kind does not know is kept as it was."""
    out = dict(before)
    if outcome.live is not None:
        out.update(outcome.live.status)
        out.update(identity_status(kind, outcome.live, before))
    if outcome.was_never_made:
        out.pop(kind.dialect.identity_path.partition(".")[0], None)
    out["observedGeneration"] = generation
    _put(out, "lastModifiedCookie", memory.cookie)
    if memory.has_applied:
        out["appliedFields"] = list(memory.applied)
    _put(out, "specOverrides", dict(memory.overrides))
    _put(out, "sentFields", dict(memory.sent))
    _put(out, "adopted", memory.adopted)
    for name, part in (("intent", memory.intent), ("settling", memory.settling), ("hold", memory.hold), ("operation", memory.operation)):
        _put(out, name, asdict(part) if part is not None else None)
    if outcome.is_verification:
        out["verification"] = _verification(kind, before.get("verification") or {}, outcome, generation, now)
    else:
        out.pop("verification", None)
    out["conditions"] = _conditions(kind, memory, outcome, before.get("conditions") or [], now)
    return out


def _put(out: dict[str, Json], name: str, value: Json) -> None:
    if value:
        out[name] = value
    else:
        out.pop(name, None)


def identity_status(kind: Kind, live: Live, before: JsonMap) -> dict[str, Json]:
    """What names the held resource: ACK's metadata, with the place, or Config Connector's externalRef, which has it inside."""
    holder, _, name = kind.dialect.identity_path.partition(".")
    if not name:
        return {holder: live.identity} if live.identity else {}
    meta = dict(before.get(holder) or {})
    meta |= {"ownerAccountID": live.place.account, "region": live.place.region, "partition": live.place.partition}
    if live.identity:
        meta[name] = live.identity
    return {holder: meta}


def _verification(kind: Kind, before: JsonMap, outcome: Outcome, generation: int, now: str) -> dict[str, Json]:
    found = differences(outcome.verdicts)
    shown = [{"path": shown_path(kind, v.path), "desired": data(kind, v.path, v.shown[0]), "live": data(kind, v.path, v.shown[1])} for v in found[:MOST]]
    same = before.get("outcome") == outcome.reason.text
    out: dict[str, Json] = {
        "generation": generation, "outcome": outcome.reason.text,
        "lastTransitionTime": before.get("lastTransitionTime", now) if same else now,
        "differences": shown, "differenceCount": len(found),
    }
    if outcome.seen:
        out["resource"] = outcome.seen
    hidden = sum(v.finding is Finding.UNVERIFIABLE for v in outcome.verdicts)
    return {**out, "unverifiable": hidden} if hidden else out


def _conditions(kind: Kind, memory: Memory, outcome: Outcome, before: list[JsonMap], now: str) -> list[JsonMap]:
    d, ready = kind.dialect, outcome.reason.ready
    reason, message = said(kind, outcome)
    wanted: list[tuple[str, str, str, str]] = [("Ready", ready, reason, message)]
    if d.synced_condition:
        wanted.append((d.synced_condition, ready, outcome.reason.text, message))
        if outcome.is_terminal:
            wanted.append((d.condition("Terminal"), "True", outcome.code or outcome.reason.text, message))
        elif ready == "False" and outcome.reason is Reason.RETRYING:
            wanted.append((d.condition("Recoverable"), "True", outcome.code or outcome.reason.text, message))
        if outcome.references_resolved is not None:
            text = "" if outcome.references_resolved else message
            wanted.append((d.condition("ReferencesResolved"), str(outcome.references_resolved), outcome.reason.text if text else "Resolved", text))
    if memory.overrides:
        wanted.append((d.condition("ServerSideOverride"), "True", "ServerSideSpecOverride",
                       f"Spec override values are present in {d.annotation('spec-overrides')} annotation"))
    old = {c.get("type"): c for c in before}
    ours = {"Ready", d.synced_condition, *(d.condition(n) for n in ("Terminal", "Recoverable", "ReferencesResolved", "ServerSideOverride"))}
    others = [c for c in before if c.get("type") not in ours]
    return [*(_condition(old.get(kind_), kind_, status, reason, text, now) for kind_, status, reason, text in wanted), *others]


def said(kind: Kind, outcome: Outcome) -> tuple[str, str]:
    """Reason and message of Ready, in the family's words. Where no other condition carries the code, the message begins with it."""
    text = f"{outcome.code} {outcome.message}" if outcome.code and not kind.dialect.synced_condition else outcome.message
    return kind.dialect.reasons.get(outcome.reason.text, outcome.reason.text), text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _condition(old: JsonMap | None, type_: str, status: str, reason: str, message: str, now: str) -> JsonMap:
    since = old.get("lastTransitionTime", now) if old and old.get("status") == status else now
    return {"type": type_, "status": status, "reason": reason, "message": message, "lastTransitionTime": since}


def spec_overrides_annotation(overrides: Mapping[str, JsonMap]) -> str:
    return json.dumps({k: dict(v) for k, v in sorted(overrides.items())}, separators=(",", ":"), ensure_ascii=False)


