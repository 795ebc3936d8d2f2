"""`loadpath bench`: its arguments and options."""

from __future__ import annotations

from typing import Annotated

import typer

from loadpath.cli.options import AsJson, RobotName


def bench(
    robot: RobotName = "panda",
    *,
    states: Annotated[int, typer.Option(min=1, max=1_000_000, help="States of a batch.")] = 10_000,
    as_json: AsJson = False,
) -> None:
    """How fast the functions of a robot are on this machine: states a second, and against Pinocchio if installed."""
    from loadpath.cli import bench as work

    work.bench(robot, states=states, as_json=as_json)
