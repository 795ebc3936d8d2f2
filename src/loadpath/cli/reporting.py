"""`loadpath report`: what a robot carries over a motion, as one HTML file."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.markup import escape

import loadpath as lp
from loadpath.cli.commands import RobotName, app
from loadpath.cli.messages import busy, mistakes_told, tell_doubts, terminal
from loadpath.cli.robots import find
from loadpath.report import report as robot_report
from loadpath.whole_file import check_writable

SWING = "swing"
SAMPLES = 2001
READERS = {".csv": lp.Motion.from_csv, ".npz": lp.Motion.from_npz}


@app.command()
def report(
    robot: RobotName = "panda",
    *,
    motion: Annotated[
        str, typer.Option(help="A file with the motion (.csv, .npz), or 'swing': from rest to rest, in limits.")
    ] = SWING,
    payload: Annotated[float, typer.Option(help="Mass (kg) carried at the end of the arm.")] = 0.0,
    link: Annotated[str | None, typer.Option(help="Link that carries the payload, if not the last.")] = None,
    duration: Annotated[float | None, typer.Option(help="Duration of the swing (s).")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML file to write.")] = Path("report.html"),
) -> None:
    """Torques, joint wrenches and where they come from, over a motion, as one HTML file."""
    with mistakes_told():
        check_writable(output)
        named = find(robot)
        loaded = named.robot.with_payload(payload, link=link) if payload or link else named.robot
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", lp.ModelWarning)
            moving = _motion(loaded, motion, duration)
        doubts = [*named.doubts, *(str(warning.message) for warning in caught)]
        with busy(f"Compiling and examining {loaded.name} ..."):
            about = f"Carries {payload:g} kg of payload." if payload else ""
            made = robot_report(loaded, moving, about=about, notes=doubts)
            path = made.save(output)
    tell_doubts(list(made.sections[0].warnings))
    size = path.stat().st_size / 1e6
    terminal().print(f"Wrote [bold]{escape(str(path))}[/bold] ({size:.1f} MB): open it in a browser.", soft_wrap=True)


def _motion(robot: lp.Robot, name: str, duration: float | None) -> lp.Motion:
    if name == SWING:
        if duration is not None and not 0 < duration < np.inf:
            raise ValueError(f"duration is {duration:g} s: expected more than zero")
        return lp.Motion.swing(robot, SAMPLES, duration)
    if duration is not None:
        raise ValueError("--duration is of the swing; a motion from a file has its own")
    read = READERS.get(Path(name).suffix.lower())
    if read is None:
        raise ValueError(f"motion '{name}': expected 'swing' or a file ending in {' or '.join(READERS)}")
    return read(name, robot)
