"""`loadpath verify`: the torques of a robot by all formulations."""

from __future__ import annotations

import typer

import loadpath as lp
from loadpath.cli import tables
from loadpath.cli.messages import busy, errors_reported, print_notes, print_warnings, show, terminal
from loadpath.cli.robots import find
from loadpath.printable import printable


def verify(robot: str, states: int, seed: int) -> None:
    """Torques of a robot by all formulations, and how far each pair is apart; exit code 1 if one is off by 1e-12."""
    with errors_reported():
        named = find(robot)
        print_warnings(named.warnings)
        print_notes(named.on_standing_base("the torques are"), named.flexible("the torques are"))
        with busy(f"Running all formulations on {named.robot.name} ..."):
            result = lp.verify(named.robot, states, seed)
    console = terminal()
    show(console, tables.verification_table(result, console))
    for name, reason in result.refused.items():
        typer.echo(f"{name} refuses this robot: {printable(reason)}")
    words = "every pair agrees to" if result.agrees else "NOT every pair agrees to"
    typer.echo(f"largest difference {result.worst:.1e} of the largest drive force: {words} 1e-12")
    if not result.agrees:
        raise typer.Exit(1)
