"""`loadpath new`: its arguments and options."""

from __future__ import annotations

from typing import Annotated

import typer

from loadpath.cli.options import AsJson, RobotName


def new(
    robot: RobotName = "panda",
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The file to write, .toml; '-' is standard output.")
    ] = "project.toml",
    base: Annotated[bool, typer.Option("--base", help="Put the robot on a base with wheels.")] = False,
    beams: Annotated[bool, typer.Option("--beams", help="Give its links beams that bend.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of project files, for editors, and stop.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """A commented project file for a robot, to start from: payload, drives, parts, motion, wheels, beams."""
    from loadpath.cli import new as work

    if schema:
        work.print_schema()
        return
    work.new(robot, output=output, base=base, beams=beams, force=force, as_json=as_json)
