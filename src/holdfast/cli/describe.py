"""`holdfast describe`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from holdfast.cli.options import namespace_option, state_option, state_path
from holdfast.model.json import Json, get_path
from holdfast.model.objects import ObjectKey, StoredObject


@click.command("describe")
@click.argument("kind")
@click.argument("name")
@namespace_option
@state_option
def command(kind: str, name: str, namespace: str, state: Path | None) -> int:
    """Conditions, verification, overrides, cookie and events of one object, in order."""
    obj, events = asyncio.run(_load(kind, name, namespace, state_path(state)))
    _head(obj)
    _conditions(obj)
    _verification(obj)
    _memory(obj)
    _events(events)
    return 0


async def _load(word: str, name: str, namespace: str, path: Path) -> tuple[StoredObject, list[dict[str, Json]]]:
    from holdfast.app import open_store
    from holdfast.kinds.catalog import shipped
    from holdfast.model.errors import InputError

    group, kind = shipped().by_word(word)
    if not path.exists():
        raise InputError("HF602", f"nothing is stored in {path}")
    store = open_store(path)
    try:
        groups = [group] if group != "*" else [o.key.group for o in await store.list(kind=kind, namespace=namespace) if o.key.name == name]
        if len(groups) > 1:
            raise InputError("HF111", f"{name!r} is in more than one group: {', '.join(f'adoptedresources.{g}' for g in groups)}")
        for candidate in groups:
            obj = await store.get(ObjectKey(candidate, kind, namespace, name))
            if obj is not None:
                return obj, await store.events(obj.key)
        raise InputError("HF602", f"no {kind} {name!r} in namespace {namespace!r}")
    finally:
        store.close()


def _section(title: str) -> None:
    click.echo(f"\n{click.style(title, bold=True)}")


def _head(obj: StoredObject) -> None:
    import yaml

    from holdfast.kinds.catalog import shipped

    meta, dialect = obj.metadata, shipped().dialect_of(obj.key.group)
    rows = {"Name": obj.key.name, "Namespace": obj.key.namespace, "Kind": f"{obj.key.kind} ({obj.api_version})", "Created": meta.get("creationTimestamp"),
            "Generation": obj.generation, "Resource": get_path(obj.status, dialect.identity_path) or "(none yet)"}
    for name, value in rows.items():
        click.echo(f"{name + ':':<12} {value}")
    for name in ("annotations", "labels", "finalizers"):
        if meta.get(name):
            _section(name.title())
            click.echo(_indent(yaml.safe_dump(meta[name], sort_keys=False, width=140)))
    _section("Spec")
    click.echo(_indent(yaml.safe_dump(dict(obj.spec), sort_keys=False, width=140)))


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.rstrip().splitlines())


def _conditions(obj: StoredObject) -> None:
    _section("Conditions")
    for c in obj.status.get("conditions") or []:
        click.echo(f"  {c['type']:<24} {c['status']:<6} {c.get('reason', ''):<24} since {c.get('lastTransitionTime', '')}")
        if c.get("message") and c["type"] == "Ready":
            click.echo(f"    {c['message']}")


def _verification(obj: StoredObject) -> None:
    found = obj.status.get("verification")
    if not found:
        return
    _section("Verification")
    click.echo(f"  {found['outcome']} (generation {found['generation']}, since {found['lastTransitionTime']}), {found['differenceCount']} difference(s)")
    for d in found["differences"]:
        click.echo(f"    {d['path']}: declared {d['desired']!r}, live {d['live']!r}")


def _memory(obj: StoredObject) -> None:
    status = obj.status
    if status.get("specOverrides"):
        _section("Overrides")
        for path, entry in status["specOverrides"].items():
            click.echo(f"  spec.{path}: you gave {entry['userInput']!r}, the server keeps {entry['serverOverride']!r}")
    if status.get("appliedFields"):
        _section("Applied fields")
        click.echo(f"  {', '.join(status['appliedFields'])}")
    _section("Cookie")
    click.echo(f"  {status.get('lastModifiedCookie', '(none)')}")


def _events(events: list[dict[str, Json]]) -> None:
    _section("Events")
    for e in events:
        times = f" (x{e['count']})" if e["count"] > 1 else ""
        click.echo(f"  {e['last']}  {e['type']:<8} {e['reason']:<24} {e['note']}{times}")
    if not events:
        click.echo("  none")
