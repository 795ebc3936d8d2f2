"""The motions that a user can ask for: a swing from rest to rest, one in a file, with options for logs, or that of a
project file; and the one verdict over it that all commands show.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import loadpath as lp
from loadpath.cli.options import SWING, LogOptions, MotionAsked
from loadpath.cli.robots import Named
from loadpath.mobile.motions import BaseState
from loadpath.parts.verdict.result import Verdict
from loadpath.progress import Report

SAMPLES = 2001
SHORTEST, LONGEST = 1e-6, 1e9
"""Durations of a swing (s) whose accelerations are numbers."""
READERS: dict[str, Callable[..., lp.Motion]] = {
    ".csv": lp.Motion.from_csv, ".tsv": lp.Motion.from_csv, ".txt": lp.Motion.from_csv, ".npz": lp.Motion.from_npz,
    ".parquet": lp.Motion.from_parquet,
}

_IN_OPTIONS = (
    (re.compile(r"smooth=lp\.LowPass\([^)]*\)"), "--cutoff HZ"),
    (re.compile(r"smooth=True(?=:)"), "--smooth"),
    (re.compile(r"smooth=LowPass\(cutoff=([\d.e+-]+)\)"), r"--cutoff \1"),
    (re.compile(r"smooth=False"), "--no-smooth"),
    (re.compile(r"smooth=True"), "--smooth"),
    (re.compile(r"columns=\{'([^']*)': '([^']*)'(?:, \.\.\.)?\}"), r"--columns '\1=\2'"),
    (re.compile(r"\bcolumns= "), "--columns "),
)


def _reader_arguments(log: LogOptions, ending: str) -> dict[str, Any]:
    """For the reader of files with this ending."""
    if log.cutoff is not None and log.smooth is not None:
        raise ValueError("--cutoff smooths with a filter: leave out --smooth and --no-smooth")
    smooth = log.smooth if log.cutoff is None else lp.LowPass(log.cutoff)
    arguments: dict[str, Any] = {"degrees": log.degrees, "smooth": smooth}
    if log.columns:
        if ending == ".npz":
            raise ValueError("--columns is of tables; an NPZ file has its names in coordinate_names and dof_names")
        arguments["columns"] = dict(_pair(text) for text in log.columns)
    return arguments


def _pair(text: str) -> tuple[str, str | None]:
    """A column and what it is; nothing if it does not matter.

    >>> _pair("actual_q_0=shoulder"), _pair("remark=")
    (('actual_q_0', 'shoulder'), ('remark', None))
    """
    column, mark, target = text.rpartition("=")
    if not mark or not column:
        raise ValueError(f"--columns {text}: expected a column and a joint, like actual_q_0=shoulder_pan_joint")
    return column, target or None


def swing(robot: lp.Robot, samples: int, duration: float | None) -> lp.Motion:
    """The swing of a robot, in so many seconds or as its limits allow."""
    if duration is not None and not SHORTEST <= duration <= LONGEST:
        raise ValueError(f"duration is {duration:g} s: expected {SHORTEST:g} to {LONGEST:g} s")
    return lp.Motion.swing(robot, samples, duration)


def motion(robot: lp.Robot, asked: MotionAsked, samples: int) -> lp.Motion:
    """The swing of a robot, unless the path of a file is given. Errors and warnings speak of options."""
    name = asked.motion
    if name in (None, SWING):
        if asked.log != LogOptions():
            raise ValueError("--degrees, --columns, --smooth and --cutoff are of a motion from a file (--motion)")
        return swing(robot, samples, asked.duration)
    if asked.duration is not None:
        raise ValueError("--duration is of the swing; a motion from a file has its own")
    ending = Path(name).suffix.lower()
    read = READERS.get(ending)
    if read is None:
        *others, last = READERS
        raise ValueError(f"motion '{name}': expected 'swing' or a file ending in {', '.join(others)} or {last}")
    arguments = _reader_arguments(asked.log, ending)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = read(name, robot, **arguments)
        except ValueError as problem:
            raise ValueError(in_options(str(problem))) from None
    for warning in caught:
        warnings.warn(in_options(str(warning.message)), warning.category, stacklevel=2)
    return found


def in_options(message: str) -> str:
    """Arguments of Python in a message about a log, as options.

    >>> in_options("smooth=False leaves them as they are; say which with columns={'A 1': 'elbow', ...}")
    "--no-smooth leaves them as they are; say which with --columns 'A 1=elbow'"
    """
    for pattern, option in _IN_OPTIONS:
        message = pattern.sub(option, message)
    return message


def duty_for(one: Named, asked: MotionAsked) -> lp.Motion | lp.DutySpectrum | None:
    """The motion that is asked for, its log read as the user says; else that of the project file, which may be a
    spectrum, else a swing. None of a base without robots, which needs none.
    """
    own = None if one.project is None else one.project.motion
    if asked.motion is None and asked.duration is None and own is not None:
        if asked.log != LogOptions():
            raise ValueError("--degrees, --columns, --smooth and --cutoff are of --motion; those of a project file are "
                             "keys of its [motion]")
        return own
    if not one.robot.n and asked.motion is None:
        return None
    return motion(one.robot, asked, SAMPLES)


def motion_for(one: Named, asked: MotionAsked) -> lp.Motion:
    """The same where one motion is needed."""
    duty = duty_for(one, asked)
    if isinstance(duty, lp.DutySpectrum):
        raise ValueError("a project file with several cycles has no single motion to show: give --motion")
    return motion(one.robot, asked, SAMPLES) if duty is None else duty


def verdict_on(
    one: Named,
    states: Any,
    *,
    hours: float | None = None,
    base: BaseState | None = None,
    progress: bool | Report = False,
) -> Verdict:
    """Does everything hold of what a user names: of a rover the rover, on its moving base; with the life that is asked
    for, else that of the project file.
    """
    hours = one.hours if hours is None else hours
    if one.rover is not None:
        return one.rover.verdict(states, hours=hours, progress=progress, **(one.base_state if base is None else base))
    return one.robot.verdict(states, hours=hours, external=one.external, progress=progress)


def motion_words(one: Named, asked: MotionAsked) -> str:
    """Where the motion comes from, in a few words."""
    if asked.motion is None and asked.duration is None and one.project is not None and one.project.motion is not None:
        return f"the motion of {one.project.path}"
    swings = asked.motion in (None, SWING)
    return "a swing from rest to rest within the limits" if swings else f"the motion of {asked.motion}"
