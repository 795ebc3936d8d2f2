"""`loadpath verify`: its arguments and options."""

from __future__ import annotations

from typing import Annotated

import typer

from loadpath.cli.options import AsJson, RobotName

MOST_STATES = 100_000
"""States that `verify` compares on."""


def verify(
    robot: RobotName = "puma560",
    *,
    states: Annotated[int, typer.Option(min=1, max=MOST_STATES, help="Random states to compare on.")] = 20,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Chooses the states.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Torques of a robot by all formulations, and how far each pair is apart; exit code 1 if one is off by 1e-12."""
    from loadpath.cli import verify as work

    work.verify(robot, states, seed, as_json=as_json)
