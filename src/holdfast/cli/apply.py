"""`holdfast apply`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdfast.cli.options import (
    all_paths,
    files_arguments,
    namespace_option,
    output_option,
    state_option,
    state_path,
    timeout_option,
    verbose_option,
)
from holdfast.cli.report import Line, code_in
from holdfast.model.objects import ObjectKey, condition

if TYPE_CHECKING:
    from holdfast.cli.live import Live
    from holdfast.cli.manifests import Manifest
    from holdfast.runtime.reconcile import Result


@click.command("apply")
@files_arguments
@namespace_option
@state_option
@timeout_option
@output_option("text", "json")
@verbose_option
def command(paths: tuple[str, ...], filenames: tuple[str, ...], namespace: str, state: Path | None, timeout: float, output: str) -> int:
    """Store the objects and bring their resources in line; verify-only objects are only verified.

    All manifests are checked first: if one is wrong, none is stored.
    Exit codes: 0 all Ready, 2 a verify-only object differs, 1 anything else.
    """
    from holdfast.cli.dry import BadInputError
    from holdfast.cli.manifests import read_manifests
    from holdfast.cli.report import as_json, print_line, total
    from holdfast.kinds.catalog import shipped

    manifests, errors = read_manifests(all_paths(paths, filenames), namespace, shipped())
    if errors:
        raise BadInputError(errors)
    lines = asyncio.run(apply_all(manifests, state_path(state), timeout))
    if output == "json":
        click.echo(json.dumps(as_json(lines), indent=2))
    else:
        for line in lines:
            print_line(line)
        total(lines, is_plan=False)
        kept = sum(not m.key.group for m in manifests)
        if kept:
            click.echo(f"{kept} Namespace, Secret or ConfigMap stored")
    return apply_exit(lines)


def apply_exit(lines: list[Line]) -> int:
    if any(not line.ready and line.action not in ("differs", "missing") for line in lines):
        return 1
    return 2 if any(not line.ready for line in lines) else 0


async def apply_all(manifests: list[Manifest], path: Path, timeout: float) -> list[Line]:
    from holdfast.cli.live import open_live
    from holdfast.model.errors import InputError

    async with open_live(path) as live:
        since = await live.store.version()
        try:
            stored = await live.store.apply_all([m.body for m in manifests], "user")
        except InputError as error:
            raise InputError(error.code, error.message, manifests[error.index].where(error.where.rpartition(": ")[2])) from None
        return await lines_after(live, [o.key for o in stored], since, timeout)


def _progress(total: int) -> Callable[[Result], None] | None:
    """On a terminal, and only where there is something to wait for: which object is being looked at, and what it says."""
    if not sys.stderr.isatty():
        return None
    seen: set[ObjectKey] = set()

    def tell(result: Result) -> None:
        seen.add(result.key)
        said = result.outcome.reason.text if result.outcome else "as declared"
        click.echo(f"\r\033[K{min(len(seen), total)}/{total} {result.key}: {said}", nl=False, err=True)
        if len(seen) >= total:
            click.echo("\r\033[K", nl=False, err=True)

    return tell


def _action_of(reason: str) -> str:
    """From the words of a status that another process wrote."""
    return {"UpdateFailed": "differs", "DriftDetected": "differs", "ResourceNotFound": "missing", "Paused": "wait"}.get(reason, "refused")


async def _settled(live: Live, key: ObjectKey, last: Result | None, since: int, timeout: float) -> Result | None:
    """What the object came to; waited for where the last word on it was not the last."""
    from holdfast.runtime.operator import SOON

    if last is not None and (last.retry_in is None or last.retry_in >= SOON):
        return last
    return (await live.settle([key], since, timeout))[key]


async def lines_after(live: Live, keys: list[ObjectKey], since: int, timeout: float) -> list[Line]:
    """Reconcile, then one line per object, from what its status says."""
    from holdfast.core.adopted import KIND, parse_request

    results = await live.settle(keys, since, timeout, _progress(len(keys)))
    out = []
    for key in list(results):
        if key.kind == KIND and key in keys:
            obj = await live.store.get(key)
            target = parse_request(obj.body, live.engine.kinds.find).key if obj else None
            if target is not None and target not in keys and await live.store.get(target):
                results[target] = await _settled(live, target, results.get(target), since, timeout)
    for key, result in results.items():
        if key in keys or key.kind != KIND:
            out.append(await line_from_status(live, key, result))
    return out


async def line_from_status(live: Live, key: ObjectKey, result: Result | None) -> Line:
    from holdfast.cli.report import line_of
    from holdfast.runtime.reconcile import Result

    kind = live.engine.kinds.find(key.group, key.kind)
    obj = await live.store.get(key)
    if obj is None:
        return Line("", key, "delete", False, "Deleted", "The object was being deleted, and is gone now; apply it again to make it anew.", kind=kind)
    ready = condition(obj.status)
    line = line_of(result or Result(key), kind, obj.api_version, is_plan=False)
    is_ready = ready.get("status") == "True"
    if result is None:
        line = Line(obj.api_version, key, "none" if is_ready else "error", is_ready, str(ready.get("reason") or "Unknown"),
                    str(ready.get("message") or "") if is_ready else f"not settled in time; last said: {ready.get('message') or 'nothing yet'}",
                    "" if is_ready else "HF605", kind)
    if result is not None and not is_ready and result.outcome is None:
        line = replace(line, action=_action_of(str(ready.get("reason"))))
    action = line.action if not (is_ready and line.action in ("wait", "error")) else "none"
    terminal = str(condition(obj.status, live.engine.kinds.dialect_of(key.group).condition("Terminal")).get("reason") or "")
    code, message = code_in(str(ready.get("message") or line.message))
    if not is_ready and not line.code:
        line = replace(line, code=terminal if terminal.startswith("HF") else code)
    return Line(obj.api_version, key, action, is_ready, str(ready.get("reason") or line.reason), line.message if line.code == "HF605" else message,
                line.code, kind, line.verdicts)
