"""`holdfast verify`."""

from __future__ import annotations

from typing import Any

import click

from holdfast.cli.options import dry_options


@click.command("verify")
@dry_options
def command(**given: Any) -> int:
    """Compare every manifest with the live resource. Stores nothing and writes nothing, whatever the manifests say.

    PATH is a file, a folder (read recursively), or - for standard input.
    Exit codes: 0 all as declared, 2 differences, 1 an error.
    """
    from holdfast.cli.dry import show

    return show(**given, verify_all=True, every_field=True)
