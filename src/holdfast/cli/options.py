"""Options that several commands share, and the logging that -v turns on."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def state_option(command: F) -> F:
    return click.option("--state", envvar="HOLDFAST_STATE", type=click.Path(path_type=Path, dir_okay=False),
                        help="The state file (HOLDFAST_STATE); default: in the user's data directory.")(command)


def namespace_option(command: F) -> F:
    return click.option("-n", "--namespace", default="default", show_default=True, help="The namespace where none is given.")(command)


def verbose_option(command: F) -> F:
    return click.option("-v", "--verbose", count=True, help="A line per step; -vv also the calls.", callback=_set_level, expose_value=False)(command)


def files_arguments(command: F) -> F:
    command = click.option("-f", "--filename", "filenames", multiple=True, help="The same as PATH.")(command)
    return click.argument("paths", nargs=-1)(command)


def output_option(*choices: str, default: str = "text") -> Callable[[F], F]:
    return click.option("-o", "--output", type=click.Choice(choices), default=default, show_default=True)


def dry_options(command: F) -> F:
    """What plan, verify and diff take."""
    for option in (verbose_option, output_option("text", "json"), state_option, namespace_option, files_arguments):
        command = option(command)
    return command


def timeout_option(command: F) -> F:
    return click.option("--timeout", default=300.0, show_default=True, help="Seconds to wait until everything has settled.")(command)


def acquire_option(command: F) -> F:
    return click.option("--acquire", envvar="HOLDFAST_ACQUIRE", type=click.Choice(["allow", "refuse"]), default="allow", show_default=True,
                        help="What exists already, on Google Cloud kinds: taken after an event with the differences, or refused as on AWS kinds.")(command)


def must_not_acquire() -> bool:
    """HOLDFAST_ACQUIRE, for commands without the option."""
    from holdfast.model.errors import InputError

    word = os.environ.get("HOLDFAST_ACQUIRE", "allow")
    if word not in ("allow", "refuse"):
        raise InputError("HF606", f"HOLDFAST_ACQUIRE: {word!r} is neither allow nor refuse")
    return word == "refuse"


def state_path(given: Path | None) -> Path:
    if given is not None:
        return given
    from holdfast.stores.embedded import default_path

    return default_path()


def all_paths(paths: tuple[str, ...], filenames: tuple[str, ...]) -> list[str]:
    found = [*paths, *filenames]
    if not found:
        raise click.UsageError("give at least one PATH (a file, a folder, or - for standard input)")
    return found


def _set_level(ctx: click.Context, param: click.Parameter, value: int) -> None:
    del ctx, param
    level = (logging.WARNING, logging.INFO, logging.DEBUG)[min(value, 2)]
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s level=%(levelname)s %(message)s", datefmt="%H:%M:%S")
    logging.getLogger("holdfast").setLevel(level)
    os.environ.setdefault("AWS_EC2_METADATA_SERVICE_NUM_ATTEMPTS", "1")
