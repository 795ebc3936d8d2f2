"""`loadpath equations`: its arguments and options."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from loadpath.cli.options import AsJson, RobotName

FEW = 3
"""Up to this many degrees of freedom, equations have symbols unless asked otherwise."""


class Parameters(StrEnum):
    """What stands for the constants of a robot."""

    numbers = "numbers"
    symbols = "symbols"


class SourceLetters(StrEnum):
    """Sources whose letters equations may have."""

    lau = "lau"
    angeles = "angeles"
    course = "course"
    lecture = "lecture"


class Languages(StrEnum):
    """Languages that equations are written in as functions."""

    python = "python"
    c = "c"
    matlab = "matlab"


def equations(
    robot: RobotName = "two_link",
    *,
    formulation: Annotated[str, typer.Option(help="The method they are derived by.")] = "newton-euler",
    parameters: Annotated[
        Parameters | None,
        typer.Option(help=f"What stands for the constants; symbols if there are at most {FEW} degrees of freedom."),
    ] = None,
    letters: Annotated[
        SourceLetters | None, typer.Option(help="Whose letters to use, for coordinates and speeds too.")
    ] = None,
    named: Annotated[
        list[str] | None,
        typer.Option("--object", help="Print this object, like joint_wrenches; may be given several times."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Print all objects.")] = False,
    latex: Annotated[
        bool, typer.Option("--latex", help="LaTeX instead of text; a whole document with --all or -o.")
    ] = False,
    code: Annotated[Languages | None, typer.Option(help="Functions in this language instead of text.")] = None,
    digits: Annotated[int, typer.Option(min=1, max=15, help="Digits of decimal numbers.")] = 6,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The file to write; '-' is standard output.")
    ] = "-",
    as_json: AsJson = False,
) -> None:
    """Equations of motion of a robot, in symbols or with its numbers: torques, poses, energies, joint wrenches."""
    from loadpath.cli import equations as work

    work.equations(
        robot, formulation, parameters, few=FEW, letters=letters, objects=named, everything=everything, latex=latex,
        code=code, digits=digits, output=output, as_json=as_json,
    )  # fmt: skip
