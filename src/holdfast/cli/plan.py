"""`holdfast plan`."""

from __future__ import annotations

from typing import Any

import click

from holdfast.cli.options import dry_options


@click.command("plan")
@dry_options
def command(**given: Any) -> int:
    """What apply would do, field by field. Writes nothing, stores nothing.

    PATH is a file, a folder (read recursively), or - for standard input.
    Exit codes: 0 all as declared, 2 differences, 1 an error.
    """
    from holdfast.cli.dry import show

    return show(**given, verify_all=False, every_field=True)
