"""The program `loadpath`: its commands, each in a module of `loadpath.cli.commands`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from loadpath.cli.commands.compare import compare
from loadpath.cli.commands.count import count
from loadpath.cli.commands.demo import demo
from loadpath.cli.commands.equations import equations
from loadpath.cli.commands.info import info
from loadpath.cli.commands.report import report
from loadpath.cli.commands.verdict import verdict
from loadpath.cli.commands.verify import verify
from loadpath.cli.exits import Commands

COMMANDS: tuple[Callable[..., None], ...] = (
    demo,
    info,
    count,
    equations,
    verify,
    report,
    compare,
    verdict,
)
"""In the order of help."""

app = typer.Typer(
    cls=Commands,
    help="Every force and torque in a robot, in every direction, at every joint.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """What the shell calls."""
    app()


@app.callback(invoke_without_command=True)
def options(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    """Every force and torque in a robot, in every direction, at every joint."""
    if version:
        from loadpath._version import __version__

        typer.echo(f"loadpath {__version__}")
        raise typer.Exit()


for command in COMMANDS:
    app.command()(command)
