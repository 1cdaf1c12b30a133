"""`holdfast adopt`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from holdfast.cli.options import namespace_option, state_option, state_path, timeout_option, verbose_option
from holdfast.model.json import Json


@click.command("adopt")
@click.argument("kind")
@click.option("--arn", help="The resource's ARN.")
@click.option("--name", help="The resource's name; on Google Cloud its full name (projects/…).")
@click.option("--id", "id_", help="The resource's id.")
@click.option("--as", "object_name", help="The name of the object to make; default: from the identifier.")
@click.option("--verify-only", is_flag=True, help="Only verify it from then on (force-acquire).")
@click.option("--region", help="Where it is, if not in the region in use.")
@namespace_option
@state_option
@timeout_option
@verbose_option
def command(kind: str, arn: str | None, name: str | None, id_: str | None, object_name: str | None, verify_only: bool, region: str | None, namespace: str,
            state: Path | None, timeout: float) -> int:
    """Make an object of KIND from a resource that exists, with spec and status as the cloud has them.

    Give exactly one of --arn, --name, --id. The same as applying an AdoptedResource.
    """
    given = {k: v for k, v in (("arn", arn), ("name", name), ("id", id_)) if v}
    if len(given) != 1:
        raise click.UsageError("give exactly one of --arn, --name, --id")
    (value,) = given.values()
    body = _request(kind, given, object_name or _object_name(value), namespace, verify_only=verify_only, region=region)
    return asyncio.run(_adopt(body, state_path(state), timeout))


def _object_name(identifier: str) -> str:
    import re

    last = re.split(r"[:/]", identifier)[-1].lower()
    return re.sub(r"[^a-z0-9.-]+", "-", last).strip("-.") or "adopted"


def _request(word: str, identifier: dict[str, str], name: str, namespace: str, *, verify_only: bool, region: str | None) -> dict[str, Json]:
    from holdfast.kinds.catalog import shipped

    group, kind_name = shipped().by_word(word)
    kind = shipped().need(group, kind_name)
    notes = {kind.dialect.annotation("force-acquire"): "true"} if verify_only else {}
    if region:
        notes[kind.dialect.annotation("region")] = region
    spec: dict[str, Json] = {"apiVersion": kind.api_version, "kind": kind.name, "identifier": identifier}
    if notes:
        spec["metadata"] = {"annotations": notes}
    return {"apiVersion": kind.api_version, "kind": "AdoptedResource", "metadata": {"name": name, "namespace": namespace}, "spec": spec}


async def _adopt(body: dict[str, Json], path: Path, timeout: float) -> int:
    from holdfast.cli.apply import apply_exit, lines_after
    from holdfast.cli.live import open_live
    from holdfast.cli.report import print_line

    async with open_live(path) as live:
        since = await live.store.version()
        obj = await live.store.apply(body, "user")
        lines = await lines_after(live, [obj.key], since, timeout)
        for line in lines:
            print_line(line)
        return apply_exit(lines)
