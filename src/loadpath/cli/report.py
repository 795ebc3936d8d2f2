"""`loadpath report`: what a robot carries over a motion, as one HTML file."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from rich.markup import escape

import loadpath as lp
from loadpath.cli.app import SWING
from loadpath.cli.messages import busy, errors_reported, print_warnings, terminal
from loadpath.cli.robots import find
from loadpath.report import report as robot_report
from loadpath.whole_file import check_writable

SAMPLES = 2001
READERS = {".csv": lp.Motion.from_csv, ".npz": lp.Motion.from_npz}


def report(
    robot: str, motion: str, *, payload: float, link: str | None, duration: float | None, output: Path
) -> None:
    """Torques, joint wrenches and where they come from, over a motion, as one HTML file."""
    with errors_reported():
        check_writable(output)
        named = find(robot)
        loaded = named.robot.with_payload(payload, link=link) if payload or link else named.robot
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", lp.ModelWarning)
            moving = _motion(loaded, motion, duration)
        messages = [*named.warnings, *(str(warning.message) for warning in caught)]
        with busy(f"Compiling and examining {loaded.name} ..."):
            about = f"Carries {payload:g} kg of payload." if payload else ""
            made = robot_report(loaded, moving, about=about, notes=messages)
            path = made.save(output)
    print_warnings(list(made.sections[0].warnings))
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
