"""`holdfast`: finds the command, turns errors into one clear line, and nothing more. Starts in well under 200 ms."""

from __future__ import annotations

import importlib
import sys

import click

from holdfast.model.errors import HoldfastError

COMMANDS = {
    "plan": "Show what apply would do; writes nothing.",
    "apply": "Store the objects and bring their resources in line.",
    "verify": "Compare manifests with the live resources; stores and writes nothing.",
    "diff": "Show only the fields in which declared and live differ.",
    "get": "List stored objects.",
    "describe": "Everything known of one object.",
    "adopt": "Make an object from a resource that exists.",
    "promote": "End verify-only, if the resource is as it was verified.",
    "delete": "Delete objects, and by their policy their resources.",
    "explain": "What an error code means, and what to do.",
    "crds": "Print the CRDs and policies.",
    "run": "The controller.",
    "fake": "Start a fake cloud on loopback.",
    "demo": "The whole story on a fake cloud, in under a minute.",
}


class Lazy(click.Group):
    """Commands are modules; a module is imported when its command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"holdfast.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="holdfast", message="holdfast %(version)s")
def cli() -> None:
    """Take hold of cloud resources that already exist: verify first, then manage.

    Exit codes: 0 nothing to do, all as declared; 2 differences; 1 an error.
    """


def main() -> None:
    try:
        code = cli.main(standalone_mode=False)
    except click.UsageError as error:
        hint = f" (try: {error.ctx.command_path} --help)" if error.ctx else ""
        click.echo(f"HF606 {error.format_message()}{hint}", err=True)
        code = 1
    except click.ClickException as error:
        click.echo(f"HF606 {error.format_message()}", err=True)
        code = 1
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped; nothing is lost: run the same command again", err=True)
        code = 130
    except HoldfastError as error:
        report(error)
        code = 1
    sys.exit(code if isinstance(code, int) else 0)


def report(error: HoldfastError) -> None:
    """One line: code, place, what is wrong, and where to read on."""
    click.echo(f"{click.style(error.code, fg='red', bold=True)} {error.where + ': ' if error.where else ''}{error.message}", err=True)
