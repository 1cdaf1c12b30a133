"""Results as people and scripts read them: Terraform's grammar on a terminal, a documented document in JSON."""

from __future__ import annotations

from dataclasses import dataclass, field

import click

from holdfast.core.messages import data, shown_path, value
from holdfast.core.validate import unknown_values
from holdfast.model.errors import CODES
from holdfast.model.json import Json, JsonMap
from holdfast.model.kinds import Kind
from holdfast.model.objects import ObjectKey
from holdfast.model.plans import Adopt, Create, Delete, Finish, Release, Report, Update
from holdfast.model.reasons import Reason
from holdfast.model.verdicts import Finding, Verdict
from holdfast.runtime.reconcile import Result
from holdfast.runtime.references import UNKNOWN

ACTIONS = ("create", "update", "adopt", "delete", "release", "none", "differs", "missing", "wait", "refused", "error")
_SYMBOLS = {"create": ("+", "green"), "update": ("~", "yellow"), "adopt": ("<", "cyan"), "delete": ("-", "red"), "release": ("x", "cyan"),
            "none": ("=", None), "differs": ("!", "yellow"), "missing": ("?", "yellow"), "wait": ("…", None), "refused": ("!", "red"), "error": ("!", "red")}
_CHANGES = {"create", "update", "adopt", "delete", "release", "differs", "missing"}
_FAILS = {"refused", "error", "wait"}


@dataclass(frozen=True)
class Line:
    """One object's result, ready to print."""

    api_version: str
    key: ObjectKey
    action: str
    ready: bool
    reason: str
    message: str
    code: str = ""
    kind: Kind | None = None
    verdicts: tuple[Verdict, ...] = field(default=())
    warnings: tuple[str, ...] = field(default=())


def line_of(result: Result, kind: Kind | None, api_version: str, *, is_plan: bool = True) -> Line:
    """What a result means for the person who asked."""
    outcome, plan = result.outcome, result.plan
    verdicts = outcome.verdicts if outcome and outcome.verdicts else result.case.facts.verdicts if result.case else ()
    if isinstance(plan, Create) and result.case is not None:
        verdicts = _creation(result)
    elif isinstance(plan, Update) and not is_plan:
        verdicts = plan.verdicts
    reason, message, code = (outcome.reason.text, outcome.message, outcome.code) if outcome else ("UpToDate", "The resource is as declared.", "")
    reason = kind.dialect.reasons.get(reason, reason) if kind else reason
    action = _action(result)
    if is_plan and action in ("create", "update", "adopt", "delete", "release"):
        reason, message = f"Would{action.title()}", _would(action)
        if action == "adopt" and any(v.is_difference for v in verdicts):
            message = "The resource would be adopted, then changed in the fields listed."
    ready = result.error is None and (outcome is None or outcome.reason.ready == "True") and action in ("none", "adopt", "create", "update")
    if is_plan and action in ("create", "update"):
        ready = False
    given = result.case.obj.spec if result.case and is_plan else {}
    warnings = tuple(unknown_values(kind, given)) if kind else ()
    return Line(api_version, result.key, action, ready, reason, message, code, kind, verdicts, warnings)


def _would(action: str) -> str:
    return {"create": "The resource does not exist and would be created.", "update": "The resource would be changed in the fields listed.",
            "adopt": "The resource would be adopted as it is.", "delete": "The resource would be deleted.",
            "release": "The object would go; the resource would stay as it is."}[action]


def _creation(result: Result) -> tuple[Verdict, ...]:
    assert result.case is not None
    given = result.case.subject.spec
    return tuple(Verdict(k, Finding.MISMATCH, given.get(k, v), None) for k, v in result.case.facts.desired.items())


def _action(result: Result) -> str:
    match result.plan:
        case Create() if result.error is None:
            return "create"
        case Update() if result.error is None:
            return "update"
        case Finish() if result.error is None and result.case is not None and result.case.ended is not None:
            return result.case.ended.action
        case Adopt() if result.error is None:
            return "adopt"
        case Delete() if result.error is None:
            return "delete"
        case Release():
            return "release"
        case _:
            return _reported(result)


def _reported(result: Result) -> str:
    if result.outcome is None or result.outcome.reason is Reason.UP_TO_DATE:
        return "adopt" if result.outcome is not None and result.outcome.action == "adopt" else "none"
    if result.outcome.reason in (Reason.REFERENCE_WAIT, Reason.REFERENCE_MISSING, Reason.CREATING, Reason.SETTLING, Reason.PAUSED):
        return "wait"
    if isinstance(result.plan, Report) and result.plan.is_verification:
        return {Reason.NOT_FOUND: "missing", Reason.INCOMPLETE: "error"}.get(result.plan.reason, "differs")
    return "error" if result.error is not None and result.error.code.startswith(("HF5", "HF6")) else "refused"


def code_in(message: str) -> tuple[str, str]:
    """A code that a message begins with, and the rest."""
    head, _, rest = message.partition(" ")
    return (head, rest) if head in CODES else ("", message)


def exit_code(lines: list[Line]) -> int:
    """1 (an error) wins over 2 (differences)."""
    actions = {line.action for line in lines}
    return 1 if actions & _FAILS else 2 if actions & _CHANGES else 0


def as_json(lines: list[Line]) -> dict[str, Json]:
    return {"summary": {a: sum(line.action == a for line in lines) for a in ACTIONS}, "objects": [_object(line) for line in lines]}


def _object(line: Line) -> JsonMap:
    fields = [{"path": _path(line.kind, v), "verdict": v.finding.value, "desired": _data(line.kind, v, v.shown[0]), "live": _data(line.kind, v, v.shown[1])}
              for v in line.verdicts]
    return {"apiVersion": line.api_version, "kind": line.key.kind, "namespace": line.key.namespace, "name": line.key.name, "action": line.action,
            "ready": line.ready, "reason": line.reason, "message": line.message, "code": line.code, "warnings": list(line.warnings), "fields": fields}


def _data(kind: Kind | None, verdict: Verdict, raw: Json) -> Json:
    return data(kind, verdict.path, raw) if kind else raw


def print_lines(lines: list[Line], *, every_field: bool = False, only_changed: bool = False) -> None:
    for line in lines:
        if only_changed and line.action == "none":
            continue
        print_line(line, every_field=every_field)
    total(lines)


def print_line(line: Line, *, every_field: bool = False) -> None:
    symbol, colour = _SYMBOLS[line.action]
    click.echo(f"{click.style(symbol, fg=colour, bold=True)} {line.key.kind} {line.key.namespace}/{line.key.name}  {click.style(line.reason, fg=colour)}")
    for warning in line.warnings:
        click.echo(click.style(f"    warning: {warning}", fg="yellow"))
    hidden = 0
    for v in line.verdicts:
        if line.action == "create" or v.is_difference or v.finding is Finding.OVERRIDE or every_field:
            click.echo(f"    {_verdict(line, v)}")
        else:
            hidden += 1
    if hidden:
        click.echo(click.style(f"    ({hidden} other field{'s' if hidden > 1 else ''}: no change)", dim=True))
    if line.code or line.action in ("wait", "error", "refused", "differs", "missing"):
        click.echo(f"    {line.code + ' ' if line.code else ''}{line.message}")


def _path(kind: Kind | None, verdict: Verdict) -> str:
    return shown_path(kind, verdict.path) if kind else f"spec.{verdict.path}"


def _verdict(line: Line, v: Verdict) -> str:
    kind = line.kind
    desired, live = (value(kind, v.path, side) if kind else str(side) for side in v.shown)
    if desired.strip('"') == UNKNOWN:
        desired = UNKNOWN
    at = _path(kind, v)
    if line.action == "create":
        return click.style(f"+ {at} = {desired}", fg="green")
    match v.finding:
        case Finding.MISMATCH if v.is_removal:
            return click.style(f"- {at}: {live} → (not set)", fg="yellow")
        case Finding.MISMATCH if line.action == "differs":
            return click.style(f"! {at}: declared {desired}, live {live}", fg="yellow")
        case Finding.MISMATCH:
            return click.style(f"~ {at}: {live} → {desired}", fg="yellow")
        case Finding.IMMUTABLE:
            return click.style(f"! {at}: declared {desired}, live {live}  (immutable)", fg="red")
        case Finding.OVERRIDE:
            return f"* {at}: declared {desired}, the server keeps {live}  (override)"
        case Finding.MATCH:
            return f"= {at} = {live}"
        case _:
            note = "not declared; left alone" if v.finding is Finding.DEFAULT else v.finding.value
            return click.style(f"  {at} = {live}  ({note})", dim=True)


def total(lines: list[Line], *, is_plan: bool = True) -> None:
    names = {"none": "as declared", "differs": "differ", "missing": "not found", "wait": "waiting", "error": "with errors"}
    if not is_plan:
        names |= {"create": "created", "update": "updated", "adopt": "adopted", "delete": "deleted", "release": "released"}
    counts = [(a, sum(line.action == a for line in lines)) for a in ACTIONS]
    click.echo(", ".join(f"{n} {names.get(a, f'to {a}' if a in _CHANGES else a)}" for a, n in counts if n) or "nothing given")
