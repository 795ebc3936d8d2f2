"""`loadpath count`: its arguments and options."""

from __future__ import annotations

from typing import Annotated

import typer

from loadpath.cli.options import AsJson, RobotName


def count(
    robot: RobotName = "panda",
    *,
    function: Annotated[list[str] | None, typer.Option(help="Count this one only; may be given several times.")] = None,
    as_json: AsJson = False,
) -> None:
    """Multiplications and additions of every function of a robot, and those that the sources print."""
    from loadpath.cli import count as work

    work.count(robot, function, as_json=as_json)
