"""`holdfast promote`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from holdfast.cli.options import namespace_option, state_option, state_path, timeout_option, verbose_option


@click.command("promote")
@click.argument("kind")
@click.argument("name")
@namespace_option
@state_option
@timeout_option
@verbose_option
def command(kind: str, name: str, namespace: str, state: Path | None, timeout: float) -> int:
    """End verify-only for one object, and manage it from then on. Refused if the resource is not as it was verified."""
    return asyncio.run(_promote(kind, name, namespace, state_path(state), timeout))


async def _promote(word: str, name: str, namespace: str, path: Path, timeout: float) -> int:
    from holdfast.cli.apply import apply_exit, lines_after
    from holdfast.cli.live import open_live
    from holdfast.cli.report import code_in, print_line
    from holdfast.kinds.catalog import shipped
    from holdfast.model.errors import InputError, RefusedError
    from holdfast.model.objects import ObjectKey, condition

    kind = shipped().need(*shipped().by_word(word))
    key, note = ObjectKey(kind.group, kind.name, namespace, name), kind.dialect.annotation("force-acquire")
    async with open_live(path) as live:
        obj = await live.store.get(key)
        if obj is None:
            raise InputError("HF602", f"no {key} is stored")
        if obj.annotations.get(note) != "true":
            raise InputError("HF606", f"{key} is not verify-only")
        since = await live.store.version()
        await live.settle([key], since, timeout)
        fresh = await live.store.get(key)
        ready = condition(fresh.status if fresh else {})
        if fresh is None or ready.get("status") != "True":
            raise RefusedError("HF507", f"{key} stays verify-only: {code_in(str(ready.get('message') or 'it was never verified'))[1]}")
        since = await live.store.version()
        await live.store.write_metadata(fresh, fresh.finalizers, {note: None})
        lines = await lines_after(live, [key], since, timeout)
        for line in lines:
            print_line(line)
        click.echo(f"managed from now on; take {note} out of the manifest, or the next apply makes it verify-only again")
        return apply_exit(lines)
