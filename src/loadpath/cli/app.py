"""The program `loadpath`: its commands, each in a module of `loadpath.cli.commands`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from loadpath.cli.commands.bench import bench
from loadpath.cli.commands.check import check
from loadpath.cli.commands.compare import compare
from loadpath.cli.commands.convert import convert
from loadpath.cli.commands.count import count
from loadpath.cli.commands.deflect import deflect
from loadpath.cli.commands.demo import demo
from loadpath.cli.commands.equations import equations
from loadpath.cli.commands.export import export
from loadpath.cli.commands.info import info
from loadpath.cli.commands.loads import loads
from loadpath.cli.commands.new import new
from loadpath.cli.commands.report import report
from loadpath.cli.commands.rover import rover
from loadpath.cli.commands.simulate import simulate
from loadpath.cli.commands.verdict import verdict
from loadpath.cli.commands.verify import verify
from loadpath.cli.commands.view import view
from loadpath.cli.exits import Commands, debugging
from loadpath.cli.loading_options import loading_options
from loadpath.cli.options import Debug, Trust, Xacro

COMMANDS: tuple[Callable[..., None], ...] = (
    new,
    info,
    check,
    convert,
    view,
    demo,
    loads,
    deflect,
    rover,
    simulate,
    report,
    compare,
    verdict,
    equations,
    count,
    verify,
    export,
    bench,
)
"""In the order of help."""

app = typer.Typer(
    cls=Commands,
    help="Every force and torque in a robot, in every direction, at every joint.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """What the shell calls."""
    app(prog_name="loadpath")


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Every force and torque in a robot, in every direction, at every joint."""
    if version:
        from loadpath._version import __version__

        typer.echo(f"loadpath {__version__}")
        raise typer.Exit()


def with_shared_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the option `--debug`, which all have, and `--xacro` and `--trust`, which those have that load a
    robot.
    """
    signature = inspect.signature(command, eval_str=True)
    loads_robots = not {"robot", "first"}.isdisjoint(signature.parameters)

    @functools.wraps(command)
    def run(
        *arguments: Any, debug: bool = False, xacro: list[str] | None = None, trust: bool = False, **others: Any
    ) -> None:
        with debugging(debug), loading_options(xacro or (), trust):
            command(*arguments, **others)

    shared = {"debug": (False, Debug), **({"xacro": (None, Xacro), "trust": (False, Trust)} if loads_robots else {})}
    last = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (default, annotation) in shared.items()
    ]
    shown = signature.replace(parameters=[*signature.parameters.values(), *last])
    run.__signature__ = shown  # type: ignore[attr-defined]
    run.__annotations__ = {name: part.annotation for name, part in shown.parameters.items()} | {"return": None}
    return run


for command in COMMANDS:
    app.command()(with_shared_options(command))
