"""plan, verify and diff: the same reconcile on a copy of the store and a transport that refuses writes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdfast.cli.manifests import Manifest, read_manifests
from holdfast.cli.options import all_paths, must_not_acquire, state_path
from holdfast.cli.report import Line, as_json, exit_code, line_of, print_lines
from holdfast.model.errors import InputError
from holdfast.model.objects import ObjectKey

if TYPE_CHECKING:
    from holdfast.kinds.catalog import Catalog
    from holdfast.runtime.engine import Engine


def show(paths: tuple[str, ...], filenames: tuple[str, ...], namespace: str, state: Path | None, output: str, *, verify_all: bool, every_field: bool) -> int:
    """Rehearse, print, and give the exit code."""
    lines = rehearse(all_paths(paths, filenames), namespace, state_path(state), verify_all=verify_all)
    if output == "json":
        click.echo(json.dumps(as_json(lines), indent=2))
    else:
        print_lines(lines, every_field=every_field, only_changed=not every_field)
    return exit_code(lines)


def rehearse(paths: list[str], namespace: str, state: Path, *, verify_all: bool) -> list[Line]:
    """Every object's line. Raises after printing nothing if the input is wrong."""
    from holdfast.kinds.catalog import shipped

    manifests, errors = read_manifests(paths, namespace, shipped())
    if errors:
        raise BadInputError(errors)
    return asyncio.run(_rehearse(manifests, state, verify_all=verify_all))


class BadInputError(InputError):
    """Several things are wrong at once: each is printed on a line of its own."""

    def __init__(self, errors: list[InputError]) -> None:
        first, rest = errors[0], errors[1:]
        super().__init__(first.code, first.message, first.where)
        more = "".join(f"\n{e}" for e in rest)
        self.message = f"{first.message}{more}"


async def _rehearse(manifests: list[Manifest], state: Path, *, verify_all: bool) -> list[Line]:
    from holdfast.app import copy_of, make_engine, memory_store, open_store
    from holdfast.kinds.catalog import shipped
    from holdfast.providers.wire import Gate, HttpTransport
    from holdfast.runtime.settings import Settings

    if state.exists():
        stored = open_store(state)
        copy = copy_of(stored, await stored.dump())
        stored.close()
    else:
        copy = memory_store()
    transport, catalog = HttpTransport(), shipped()
    engine, _, _ = make_engine(copy, transport=transport, gate=Gate(allows_writes=False),
                               settings=Settings(is_dry=True, full_report=True, verify_all=verify_all, refuse_acquire=must_not_acquire()))
    try:
        keys: list[tuple[Manifest, ObjectKey]] = []
        for manifest in manifests:
            try:
                obj = await copy.apply(manifest.body, "user")
            except InputError as error:
                path = error.where.rpartition(": ")[2]
                raise InputError(error.code, error.message, manifest.where(path)) from None
            if obj.key.group:
                keys.append((manifest, obj.key))
        return [await _line(engine, manifest, key, catalog) for manifest, key in keys]
    finally:
        await transport.close()
        copy.close()


async def _line(engine: Engine, manifest: Manifest, key: ObjectKey, catalog: Catalog) -> Line:
    from holdfast.runtime.reconcile import reconcile

    result = await reconcile(engine, key)
    if result.retry_in == 0.0:
        result = await reconcile(engine, key)
    return line_of(result, catalog.find(key.group, key.kind), str(manifest.body["apiVersion"]))
