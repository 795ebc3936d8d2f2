"""The commands of `loadpath` and their options. Each command imports what it needs when it runs: help is quick."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from loadpath.cli.exits import Commands

ROBOTS = (
    "delta", "excavator", "five_bar", "four_bar", "generalized:N", "lau_arm", "lau_rover", "panda",
    "parallelogram_palletizer", "planar:N", "puma560", "random_chain:N:SEED", "random_dh_arm:N:SEED",
    "random_tree:N:SEED", "slider_crank", "stanford_arm", "stewart_platform", "two_link", "ur5",
)  # fmt: skip
"""The robots of the catalog as a user may name them; see `robots.names`."""

FEW = 3
"""Up to this many degrees of freedom, equations have symbols unless asked otherwise."""

SWING = "swing"
MOST_STATES = 100_000
"""States that `verify` compares on."""

app = typer.Typer(
    cls=Commands,
    help="Every force and torque in a robot, in every direction, at every joint.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

RobotName = Annotated[
    str,
    typer.Argument(
        metavar="[ROBOT]",
        help=f"A robot of the catalog ({', '.join(ROBOTS)}), the path of a URDF file, or that of a Python file that "
        "makes a robot or a rover (arm.py, or arm.py:name).",
    ),
]
Payload = Annotated[float, typer.Option(help="Mass (kg) carried at the end of the arm.")]
PayloadLink = Annotated[str | None, typer.Option(help="Link that carries the payload, if not the last.")]


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


class PaperSize(StrEnum):
    """Paper that a report is printed on."""

    a4 = "a4"
    letter = "letter"


def main() -> None:
    """What the shell calls."""
    app()


@app.callback(invoke_without_command=True)
def options(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    """Every force and torque in a robot, in every direction, at every joint."""
    if version:
        from loadpath._version import __version__

        typer.echo(f"loadpath {__version__}")
        raise typer.Exit()


@app.command()
def demo(
    robot: RobotName = "panda",
    *,
    samples: Annotated[int, typer.Option(min=2, max=50, help="Instants of the motion to show.")] = 6,
    payload: Payload = 0.0,
    link: PayloadLink = None,
    joint: Annotated[str | None, typer.Option(help="Joint to show in full, if not the most loaded.")] = None,
    duration: Annotated[float | None, typer.Option(help="Duration of the motion (s).")] = None,
) -> None:
    """Torques and joint wrenches of a robot over a short smooth motion."""
    from loadpath.cli import overview

    overview.demo(robot, samples=samples, payload=payload, link=link, joint=joint, duration=duration)


@app.command()
def info(robot: RobotName = "panda") -> None:
    """Links, joints, masses and limits of a robot, and warnings about them."""
    from loadpath.cli import overview

    overview.info(robot)


@app.command()
def count(
    robot: RobotName = "panda",
    *,
    function: Annotated[list[str] | None, typer.Option(help="Count this one only; may be given several times.")] = None,
) -> None:
    """Multiplications and additions of every function of a robot, and those that the sources print."""
    from loadpath.cli import overview

    overview.count(robot, function)


@app.command()
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
) -> None:
    """Equations of motion of a robot, in symbols or with its numbers: torques, poses, energies, joint wrenches."""
    from loadpath.cli import equations as derivation

    derivation.equations(
        robot, formulation, parameters, few=FEW, letters=letters, objects=named, everything=everything, latex=latex,
        code=code, digits=digits, output=output,
    )  # fmt: skip


@app.command()
def verify(
    robot: RobotName = "puma560",
    *,
    states: Annotated[int, typer.Option(min=1, max=MOST_STATES, help="Random states to compare on.")] = 20,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Chooses the states.")] = 0,
) -> None:
    """Torques of a robot by all formulations, and how far each pair is apart; exit code 1 if one is off by 1e-12."""
    from loadpath.cli import equations as derivation

    derivation.verify(robot, states, seed)


@app.command()
def report(
    robot: RobotName = "panda",
    *,
    motion: Annotated[
        str, typer.Option(help="A file with the motion (.csv, .npz), or 'swing': from rest to rest, in limits.")
    ] = SWING,
    payload: Payload = 0.0,
    link: PayloadLink = None,
    duration: Annotated[float | None, typer.Option(help="Duration of the swing (s).")] = None,
    joints: Annotated[str | None, typer.Option(help="Joints to show, by their names with commas between them.")] = None,
    sections: Annotated[
        str | None, typer.Option(help="Sections to write, as verdict,overview,basis,drives,joints,causes.")
    ] = None,
    hours: Annotated[float | None, typer.Option(help="Life (h) that the parts shall have.")] = None,
    paper: Annotated[PaperSize, typer.Option(help="Paper of a PDF.")] = PaperSize.a4,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The file to write, .html or .pdf; '-' is standard output (HTML).")
    ] = "report.html",
) -> None:
    """The verdict on a robot, its torques and joint wrenches and where they come from, over a motion, as one file."""
    from loadpath.cli import report as writing

    chosen = writing.Chosen(joints, sections, hours, paper.value)
    writing.report(robot, motion, payload=payload, link=link, duration=duration, output=output, chosen=chosen)


@app.command()
def compare(
    first: Annotated[
        str, typer.Argument(metavar="ROBOT", help="The one design: a robot as in report, or a cell.toml.")
    ],
    second: Annotated[str, typer.Argument(metavar="ROBOT", help="The other design.")],
    *,
    motion: Annotated[
        str | None, typer.Option(help="The motion of both: a file, or 'swing'; else that of the cells, or a swing.")
    ] = None,
    payload: Payload = 0.0,
    link: PayloadLink = None,
    duration: Annotated[float | None, typer.Option(help="Duration of the swing (s).")] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="An HTML or PDF file to write as well.")
    ] = None,
) -> None:
    """Two designs over one motion side by side: loads, utilisation, and the causes that changed."""
    from loadpath.cli import compare as comparing

    comparing.compare(first, second, motion, payload=payload, link=link, duration=duration, output=output)


@app.command()
def verdict(
    cell: Annotated[str, typer.Argument(help="A TOML file with robot, payload, drives, parts and motion.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of a table.")] = False,
    csv: Annotated[str | None, typer.Option(help="A CSV file to write, in addition.")] = None,
    unchecked: Annotated[
        bool, typer.Option("--allow-unchecked", help="Exit code 0 also if some checks could not be made.")
    ] = False,
) -> None:
    """Does every part hold over its motion, how long, what limits it; exit code 1 unless all was checked and holds."""
    from loadpath.cli import verdict as judging

    judging.verdict(cell, as_json=as_json, csv=csv, unchecked=unchecked)
