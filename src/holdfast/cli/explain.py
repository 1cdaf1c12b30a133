"""`holdfast explain CODE`."""

from __future__ import annotations

import click

from holdfast.model.errors import CODES, InputError, did_you_mean


@click.command("explain")
@click.argument("code", required=False)
def command(code: str | None) -> int:
    """What an error code means, why it appears, what to do, and who must act. Without CODE: the whole table."""
    if code is None:
        for row in CODES.values():
            click.echo(f"{row.code}  {row.title}")
        return 0
    found = CODES.get(code.upper())
    if found is None:
        raise InputError("HF606", f"no error has the code {code!r}{did_you_mean(code, list(CODES))}")
    click.echo(f"{click.style(found.code, bold=True)}  {found.title}\n")
    click.echo(f"  cause  {found.cause}\n  next   {found.step}\n  who    {found.who}")
    return 0
