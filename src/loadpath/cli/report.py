"""`loadpath report`: what a robot carries over a motion, as one HTML file."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from rich.text import Text

import loadpath as lp
from loadpath.cli.messages import busy, errors_reported, print_warnings, terminal
from loadpath.cli.motions import LogOptions
from loadpath.cli.motions import motion as motion_of
from loadpath.cli.robots import find
from loadpath.mobile.report import rover_report
from loadpath.printable import printable
from loadpath.report import report as robot_report
from loadpath.report.report import Report, check_name
from loadpath.whole_file import check_writable, writes_through

SAMPLES = 2001
STANDARD_OUTPUT = ("-", "/dev/stdout")


def report(
    robot: str, motion: str, *, payload: float, link: str | None, duration: float | None, output: str,
    log: LogOptions | None = None,
) -> None:  # fmt: skip
    """Torques, joint wrenches and where they come from, over a motion, as one HTML file."""
    with errors_reported():
        if output not in STANDARD_OUTPUT:
            check_name(output)
            check_writable(output)
        named = find(robot).with_payload(payload, link)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", lp.ModelWarning)
            moving = motion_of(named.robot, motion, SAMPLES, duration, log)
        messages = [*named.warnings, *(str(warning.message) for warning in caught)]
        about = f"Carries {payload:g} kg of payload." if payload else ""
        with busy(f"Compiling and examining {named.robot.name} ..."):
            if named.rover is None:
                made = robot_report(named.robot, moving, about=about, notes=messages)
            else:
                made = rover_report(named.rover, moving, about=about, notes=messages)
            if output not in STANDARD_OUTPUT:
                made.save(output)
    if output in STANDARD_OUTPUT:
        _print(made)
    print_warnings(list(made.sections[0].warnings))
    if output not in STANDARD_OUTPUT:
        through = writes_through(output)
        size = "" if through else f" ({Path(output).stat().st_size / 1e6:.1f} MB): open it in a browser"
        terminal().print(Text.assemble("Wrote ", (printable(output), "bold"), f"{size}."), soft_wrap=True)


def _print(made: Report) -> None:
    """The page on standard output, as bytes, so that the terminal's encoding does not change it."""
    sys.stdout.flush()
    remaining = memoryview(made.html.encode())
    while remaining:  # with PYTHONUNBUFFERED, a part may be all that is written at a time
        remaining = remaining[sys.stdout.buffer.write(remaining) :]
    sys.stdout.buffer.flush()
