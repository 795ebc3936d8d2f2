"""`loadpath verify`: the torques of a robot by all formulations."""

from __future__ import annotations

from typing import Annotated

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import AsJson, RobotName

if will_run():
    from loadpath.cli import tables
    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import busy, errors_reported, print_notes, print_warnings, show, terminal
    from loadpath.cli.robots import find
    from loadpath.printable import printable

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
    with errors_reported():
        named = find(robot)
        if not as_json:
            print_warnings(named.warnings)
        print_notes(named.on_standing_base("the torques are"), named.flexible("the torques are"))
        with busy(f"Running all formulations on {named.robot.name} ..."):
            result = lp.verify(named.robot, states, seed)
    if as_json:
        print_json(robot=named.robot.name, states=result.states, seed=seed, agrees=bool(result.agrees),
                   largest_difference=result.worst, formulations=result.names, differences=result.differences,
                   refused=result.refused, warnings=named.warnings)
        raise typer.Exit(0 if result.agrees else 1)
    console = terminal()
    show(console, tables.verification_table(result, console))
    for name, reason in result.refused.items():
        show(console, f"{name} refuses this robot: {printable(reason)}")
    words = "every pair agrees to" if result.agrees else "NOT every pair agrees to"
    show(console, f"largest difference {result.worst:.1e} of the largest drive force: {words} 1e-12")
    if not result.agrees:
        raise typer.Exit(1)
