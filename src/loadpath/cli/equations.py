"""`loadpath equations` and `loadpath verify`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

import loadpath as lp
from loadpath.cli import tables
from loadpath.cli.commands import RobotName, app
from loadpath.cli.messages import busy, mistakes_told, show, tell_doubts, terminal
from loadpath.cli.robots import find

FEW = 3
"""Up to this many degrees of freedom, equations have symbols unless asked otherwise."""


class Parameters(StrEnum):
    """What stands for the constants of a robot."""

    numbers = "numbers"
    symbols = "symbols"


@app.command()
def equations(
    robot: RobotName = "two_link",
    *,
    formulation: Annotated[str, typer.Option(help="The method they are derived by.")] = "newton-euler",
    parameters: Annotated[
        Parameters | None,
        typer.Option(help=f"What stands for the constants; symbols if there are at most {FEW} degrees of freedom."),
    ] = None,
    latex: Annotated[bool, typer.Option("--latex", help="LaTeX instead of text.")] = False,
    digits: Annotated[int, typer.Option(min=1, max=15, help="Digits of decimal numbers.")] = 6,
) -> None:
    """Equations of motion of a robot, in symbols or with its numbers."""
    with mistakes_told():
        named = find(robot)
        tell_doubts(named.doubts)
        choice = parameters or (Parameters.symbols if named.robot.n <= FEW else Parameters.numbers)
        with busy(f"Deriving the equations of {named.robot.name} ..."):
            found = named.robot.equations(formulation, choice.value)
            text = found.latex(digits=digits) if latex else None
            lines = [] if latex else found.lines(digits=digits)
    if text is not None:
        typer.echo(text)
        return
    friction = " + F(qd)" if any(found.friction) else ""
    typer.echo(f"'{found.robot_name}' by {found.formulation}: tau = M(q) qdd + h(q, qd) + G(q){friction}")
    for name, entry in lines:
        typer.echo(f"{name} = {entry}")
    if found.parameters:
        typer.echo(", ".join(f"{symbol} = {value:.{digits}g}" for symbol, value in found.parameters.items()))


@app.command()
def verify(
    robot: RobotName = "puma560",
    *,
    states: Annotated[int, typer.Option(min=1, help="Random states to compare on.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Chooses the states.")] = 0,
) -> None:
    """Torques of a robot by all formulations, and how far each pair is apart; exit code 1 if one is off by 1e-12."""
    with mistakes_told():
        named = find(robot)
        tell_doubts(named.doubts)
        with busy(f"Running all formulations on {named.robot.name} ..."):
            result = lp.verify(named.robot, states, seed)
    console = terminal()
    show(console, tables.verification_table(result, console))
    for name, reason in result.refused.items():
        typer.echo(f"{name} refuses this robot: {reason}")
    words = "every pair agrees to" if result.agrees else "NOT every pair agrees to"
    typer.echo(f"largest difference {result.worst:.1e} of the largest drive force: {words} 1e-12")
    if not result.agrees:
        raise typer.Exit(1)
