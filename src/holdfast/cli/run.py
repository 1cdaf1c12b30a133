"""`holdfast run`: the controller on the embedded store."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdfast.cli.options import acquire_option, state_option, state_path, verbose_option
from holdfast.runtime.settings import Settings

if TYPE_CHECKING:
    from holdfast.cli.live import Live
    from holdfast.runtime.operator import Operator


@click.command("run")
@state_option
@click.option("--resync", default=600.0, show_default=True, envvar="HOLDFAST_RESYNC", help="Seconds between looks at an object that rests.")
@click.option("--workers", default=8, show_default=True, envvar="HOLDFAST_WORKERS", help="Reconciles at once.")
@click.option("--deletion-policy", type=click.Choice(["delete", "retain"]), default="delete", show_default=True, envvar="HOLDFAST_DELETION_POLICY",
              help="Where neither object nor namespace says.")
@acquire_option
@verbose_option
def command(state: Path | None, resync: float, workers: int, deletion_policy: str, acquire: str) -> int:
    """Reconcile everything stored, now and whenever something changes, until stopped."""
    settings = Settings(resync_seconds=resync, workers=workers, retain_by_default=deletion_policy == "retain", refuse_acquire=acquire == "refuse")
    return asyncio.run(_run(state_path(state), settings))


async def _run(path: Path, settings: Settings) -> int:
    from holdfast.app import make_engine, open_store
    from holdfast.cli.live import LEASE, LEASE_SECONDS, Live
    from holdfast.model.errors import StoreError
    from holdfast.providers.wire import HttpTransport
    from holdfast.runtime.operator import Operator

    store, transport = open_store(path), HttpTransport()
    engine, gate, _ = make_engine(store, transport=transport, settings=settings)
    live, stop = Live(store, engine, gate), asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sign, stop.set)
    try:
        if not await store.take_lease(LEASE, live.holder, LEASE_SECONDS):
            raise StoreError("HF607", "another process reconciles this state file", str(path))
        click.echo(f"running on {path}; stop with Ctrl-C", err=True)
        task = asyncio.ensure_future(_lead(live, Operator(engine)))
        waiter = asyncio.ensure_future(stop.wait())
        await asyncio.wait({task, waiter}, return_when=asyncio.FIRST_COMPLETED)
        failed = task.done()
        task.cancel()
        waiter.cancel()
        done = await asyncio.gather(task, return_exceptions=True)
        if failed and isinstance(done[0], BaseException):
            raise done[0]
        await store.drop_lease(LEASE, live.holder)
        click.echo(f"stopped; {gate.reads} reads, {gate.writes} writes to the cloud", err=True)
    finally:
        await transport.close()
        store.close()
    return 0


async def _lead(live: Live, operator: Operator) -> None:
    """Work while the lease is ours; a lost lease stops everything at once."""
    from holdfast.cli.live import LEASE, LEASE_SECONDS
    from holdfast.model.errors import StoreError

    async def renew() -> None:
        while True:
            await asyncio.sleep(LEASE_SECONDS / 3)
            if not await live.store.take_lease(LEASE, live.holder, LEASE_SECONDS):
                raise StoreError("HF607", "the lease was lost to another process")

    async with asyncio.TaskGroup() as group:
        group.create_task(renew())
        group.create_task(operator.run(await live.store.version()))
