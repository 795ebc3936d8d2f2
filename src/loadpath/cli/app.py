"""The program `loadpath` and its commands."""

from __future__ import annotations

from typing import Annotated

import typer

from loadpath.cli.lazy import group_of

COMMANDS = {
    "new": "A commented project file for a robot, to start from: payload, drives, parts, motion, wheels, beams.",
    "info": "Links, joints, masses and limits of a robot, and warnings about them.",
    "check": "What is wrong or strange in a robot, and how to mend it; exit code 1 if there are errors or warnings.",
    "convert": "A robot's file in another format; what that format cannot say is reported.",
    "view": "The robot in the browser: move it, play its motion, and see what every joint carries and why.",
    "demo": "Torques and joint wrenches of a robot over a short smooth motion.",
    "loads": "All six components of the load at every joint, the forces of the drives, and what causes them.",
    "deflect": "How far a flexible arm bends, the stress of its beams, its buckling and its natural frequencies.",
    "rover": "Loads of the wheels of a rover, how far it is from tipping over, and how much of the friction it uses.",
    "simulate": "A robot, flexible arm or rover set free in a state: how it moves, where the energy goes, what "
    "happens.",
    "report": "The verdict on a robot, its torques and joint wrenches and where they come from, over a motion, as one "
    "file.",
    "compare": "Two designs over one motion side by side: loads, utilisation, and the causes that changed.",
    "verdict": "Does every part hold over its motion, how long, what limits it; exit code 1 unless all was checked and "
    "holds.",
    "equations": "Equations of motion of a robot, in symbols or with its numbers: torques, poses, energies, joint "
    "wrenches.",
    "count": "Multiplications and additions of every function of a robot, and those that the sources print.",
    "verify": "Torques of a robot by all formulations, and how far each pair is apart; exit code 1 if one is off by "
    "1e-12.",
    "export": "A quantity of a robot for other tools: C, a CasADi function, JavaScript, WebAssembly.",
    "bench": "How fast the functions of a robot are on this machine: states a second, and against Pinocchio if "
    "installed.",
}
"""What each does, in the order of help; its function is in the module of its name in `loadpath.cli.commands`."""

app = typer.Typer(
    cls=group_of(COMMANDS),
    help="Every force and torque in a robot, in every direction, at every joint.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """What the shell calls."""
    app(prog_name="loadpath")


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Every force and torque in a robot, in every direction, at every joint."""
    if version:
        from loadpath._version import __version__

        typer.echo(f"loadpath {__version__}")
        raise typer.Exit()
