"""`holdfast get`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import click

from holdfast.cli.options import namespace_option, output_option, state_option, state_path
from holdfast.model.json import Json
from holdfast.model.objects import StoredObject, condition


@click.command("get")
@click.argument("kind")
@click.argument("name", required=False)
@namespace_option
@click.option("-A", "--all-namespaces", is_flag=True)
@state_option
@output_option("table", "yaml", "json", "name", default="table")
def command(kind: str, name: str | None, namespace: str, all_namespaces: bool, state: Path | None, output: str) -> int:
    """List stored objects of KIND (kind, plural, short name or plural.group), or one by NAME."""
    from holdfast.model.errors import InputError

    found = asyncio.run(_find(kind, "" if all_namespaces else namespace, state_path(state)))
    if name is not None:
        if all_namespaces:
            raise click.UsageError("a NAME is looked for in one namespace: give -n, not -A")
        found = [o for o in found if o.key.name == name]
        if not found:
            raise InputError("HF602", f"no {kind} {name!r} in namespace {namespace!r}")
    body: Json = dict(found[0].body) if name is not None else {"apiVersion": "v1", "kind": "List", "items": [dict(o.body) for o in found]}
    if output == "json":
        click.echo(json.dumps(body, indent=2))
    elif output == "yaml":
        import yaml

        click.echo(yaml.safe_dump(body, sort_keys=False, width=140), nl=False)
    elif output == "name":
        for obj in found:
            click.echo(f"{obj.key.kind.lower()}.{obj.key.group}/{obj.key.name}")
    else:
        _table(found, with_namespace=all_namespaces)
    return 0


async def _find(word: str, namespace: str, path: Path) -> list[StoredObject]:
    from holdfast.app import open_store
    from holdfast.kinds.catalog import shipped

    group, kind = shipped().by_word(word)
    if not path.exists():
        return []
    store = open_store(path)
    try:
        return await store.list("" if group == "*" else group, kind, namespace)
    finally:
        store.close()


def _table(objects: list[StoredObject], *, with_namespace: bool) -> None:
    from holdfast.runtime.clock import SystemClock

    clock = SystemClock()
    if not objects:
        click.echo("no objects", err=True)
        return
    rows = [["NAMESPACE"] * with_namespace + ["NAME", "READY", "REASON", "AGE"]]
    for obj in objects:
        ready = condition(obj.status)
        age = clock.age(str(obj.metadata.get("creationTimestamp")))
        rows.append([obj.key.namespace] * with_namespace + [obj.key.name, str(ready.get("status", "Unknown")), str(ready.get("reason", "")), short_age(age)])
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    for row in rows:
        click.echo("   ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip())


def short_age(seconds: float) -> str:
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= size:
            return f"{int(seconds // size)}{unit}"
    return f"{max(int(seconds), 0)}s"
