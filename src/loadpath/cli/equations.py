"""`loadpath equations` and `loadpath verify`."""

from __future__ import annotations

import typer

import loadpath as lp
from loadpath.cli import tables
from loadpath.cli.app import Parameters
from loadpath.cli.messages import busy, errors_reported, print_notes, print_warnings, show, terminal
from loadpath.cli.robots import find
from loadpath.printable import printable


def equations(
    robot: str, formulation: str, parameters: Parameters | None, *, few: int, latex: bool, digits: int
) -> None:
    """Equations of motion of a robot, in symbols or with its numbers."""
    with errors_reported():
        named = find(robot)
        print_warnings(named.warnings)
        print_notes(named.on_standing_base("the equations are"), named.flexible("the equations are"))
        if not named.robot.n:
            raise ValueError(f"robot '{named.robot.name}' has no moving joints: it has no equations of motion")
        choice = parameters or (Parameters.symbols if named.robot.n <= few else Parameters.numbers)
        with busy(f"Deriving the equations of {named.robot.name} ..."):
            found = named.robot.equations(formulation, choice.value)
            text = found.latex(digits=digits) if latex else None
            lines = [] if latex else found.lines(digits=digits)
    if text is not None:
        typer.echo(text)
        return
    typer.echo(f"'{printable(found.robot_name)}' by {found.formulation}: {found.heading}")
    for name, entry in lines:
        typer.echo(f"{name} = {entry}")
    for note in found.notes():
        typer.echo(printable(note))
    if found.parameters:
        typer.echo(", ".join(f"{symbol} = {value:.{digits}g}" for symbol, value in found.parameters.items()))


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
