"""`holdfast diff`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from holdfast.cli.options import (
    all_paths,
    files_arguments,
    namespace_option,
    output_option,
    state_option,
    state_path,
    verbose_option,
)


@click.command("diff")
@files_arguments
@namespace_option
@state_option
@output_option("text", "json")
@verbose_option
def command(paths: tuple[str, ...], filenames: tuple[str, ...], namespace: str, state: Path | None, output: str) -> int:
    """Like verify, but only the fields that differ.

    PATH is a file, a folder (read recursively), or - for standard input.
    Exit codes: 0 all as declared, 2 differences, 1 an error.
    """
    from holdfast.cli.dry import rehearse
    from holdfast.cli.report import as_json, exit_code, print_lines

    lines = rehearse(all_paths(paths, filenames), namespace, state_path(state), verify_all=True)
    if output == "json":
        click.echo(json.dumps(as_json(lines), indent=2))
    else:
        print_lines(lines, only_changed=True)
    return exit_code(lines)
