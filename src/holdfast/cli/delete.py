"""`holdfast delete`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdfast.cli.options import namespace_option, state_option, state_path, timeout_option, verbose_option
from holdfast.model.objects import ObjectKey, condition

if TYPE_CHECKING:
    from holdfast.cli.live import Live


@click.command("delete")
@click.argument("kind", required=False)
@click.argument("name", required=False)
@click.option("-f", "--filename", "filenames", multiple=True, help="Delete the objects of these manifests.")
@namespace_option
@state_option
@timeout_option
@verbose_option
def command(kind: str | None, name: str | None, filenames: tuple[str, ...], namespace: str, state: Path | None, timeout: float) -> int:
    """Delete objects. Their resources go too, unless deletion-policy says retain or the object is verify-only."""
    return asyncio.run(_delete(_keys(kind, name, filenames, namespace), state_path(state), timeout))


def _keys(kind: str | None, name: str | None, filenames: tuple[str, ...], namespace: str) -> list[ObjectKey]:
    from holdfast.cli.dry import BadInputError
    from holdfast.cli.manifests import read_manifests
    from holdfast.kinds.catalog import shipped

    if filenames:
        manifests, errors = read_manifests(list(filenames), namespace, shipped())
        unreadable = [e for e in errors if e.code in ("HF101", "HF102", "HF103")]  # what is wrong inside a spec does not matter here
        if unreadable:
            raise BadInputError(unreadable)
        keys = [m.key for m in reversed(manifests)]
        return [ObjectKey(*shipped().canonical(k.group, k.kind), k.namespace, k.name) for k in keys]
    if not kind or not name:
        raise click.UsageError("give KIND and NAME, or -f PATH")
    group, found = shipped().by_word(kind)
    return [ObjectKey(group, found, namespace, name)]


async def _delete(keys: list[ObjectKey], path: Path, timeout: float) -> int:
    from holdfast.cli.live import open_live
    from holdfast.model.errors import InputError

    async with open_live(path) as live:
        since, found = await live.store.version(), []
        for key in keys:
            stored = [o.key for o in await live.store.list("" if key.group == "*" else key.group, key.kind, key.namespace) if o.key.name == key.name]
            if not stored:
                raise InputError("HF602", f"no {key} is stored")
            if len(stored) > 1:
                raise InputError("HF111", f"{key.name!r} is in more than one group: {', '.join(f'adoptedresources.{k.group}' for k in stored)}")
            found.append(stored[0])
        for wave in await _waves(live, found):
            for key in wave:
                await live.store.delete(key)
            await live.settle(wave, since, timeout)
        failed = 0
        for key in found:
            obj = await live.store.get(key)
            if obj is None:
                released = [e["note"] for e in await live.store.events(key) if e["reason"] == "Released"]
                click.echo(f"- {key}  {released[-1] if released else 'the object is gone; no resource was touched'}")
                continue
            failed = 1
            ready = condition(obj.status)
            click.echo(f"! {key}  {ready.get('reason', 'Deleting')}: {ready.get('message', '')}")
        return failed


async def _waves(live: Live, keys: list[ObjectKey]) -> list[list[ObjectKey]]:
    """What refers to others goes before them; Namespaces, Secrets and ConfigMaps last, for their directives and values are still needed."""
    core, left, out = [k for k in keys if not k.group], [k for k in keys if k.group], []
    while left:
        referred = {k for k in left if set(await live.store.referrers_of(k)) & (set(left) - {k})}
        wave = [k for k in left if k not in referred] or left
        out.append(wave)
        left = [k for k in left if k not in wave]
    return [*out, core] if core else out
