"""The states that a user asks about: a motion, or one state, as `--q 0.5,90deg,-1` or `--q elbow_joint=90deg`."""

from __future__ import annotations

import csv
import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import loadpath as lp
from loadpath.cli.guesses import agreed, read_log
from loadpath.cli.options import SWING, LogOptions, MotionAsked, StatesAsked
from loadpath.cli.robots import Named
from loadpath.errors import warn
from loadpath.files.assets import read_at_most
from loadpath.mobile.motions import BaseState
from loadpath.motion.checks import in_other_units
from loadpath.motion.with_units import THROUGH
from loadpath.parts.verdict.result import Verdict
from loadpath.project.document import meant
from loadpath.quantities.carriers import drive_names, is_closed
from loadpath.robot.units_of_text import in_si
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase
from loadpath.states.questions import questions_of_state

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
    (re.compile(r"\bunits= "), "--units "),
    (re.compile(r"\bunits=(?=[:;,. ]|$)"), "--units"),
)


def _reader_arguments(log: LogOptions, ending: str) -> dict[str, Any]:
    """For the reader of files with this ending."""
    if log.cutoff is not None and log.smooth is not None:
        raise ValueError("--cutoff smooths with a filter: leave out --smooth and --no-smooth")
    smooth = log.smooth if log.cutoff is None else lp.LowPass(log.cutoff)
    arguments: dict[str, Any] = {"degrees": bool(log.degrees), "smooth": smooth}
    if log.units:
        if ending == ".npz":
            raise ValueError("--units is of tables; of an NPZ file --degrees says what angles are in")
        arguments["units"] = dict(_unit(text) for text in log.units)
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


def _unit(text: str) -> tuple[str, str]:
    """A kind of numbers, or a column, and its unit.

    >>> _unit("t=ms")
    ('t', 'ms')
    """
    name, mark, unit = text.rpartition("=")
    if not mark or not name or not unit:
        raise ValueError(f"--units {text}: expected what it is of and a unit, like t=ms or q=deg")
    return name, unit


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
            raise ValueError("--degrees, --units, --columns, --smooth and --cutoff are of a motion from a file "
                             "(--motion)")
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
            found = read_log(read, name, robot, arguments, ending != ".npz", yes=asked.yes, degrees=asked.log.degrees)
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
            raise ValueError("--degrees, --units, --columns, --smooth and --cutoff are of --motion; those of a project "
                             "file are keys of its [motion]")
        return own
    if not one.robot.n and asked.motion is None:
        return None
    return motion(_moving(one), asked, SAMPLES)


def _moving(one: Named) -> lp.Robot:
    """What a motion is of: where wheels are on links, the rover, whose passive joints do not swing."""
    return one.rover if one.rover is not None and one.rover.base.on_links else one.robot


def motion_for(one: Named, asked: MotionAsked) -> lp.Motion:
    """The same where one motion is needed."""
    duty = duty_for(one, asked)
    if isinstance(duty, lp.DutySpectrum):
        raise ValueError("a project file with several cycles has no single motion to show: give --motion")
    return motion(_moving(one), asked, SAMPLES) if duty is None else duty


def verdict_on(
    one: Named,
    states: Any,
    *,
    hours: float | None = None,
    base: BaseState | None = None,
    standards: Sequence[lp.StandardTest] | None = None,
) -> Verdict:
    """Does everything hold of what a user names: of a rover the rover, on its moving base; with the life that is asked
    for, else that of the project file.
    """
    hours = one.hours if hours is None else hours
    if one.rover is not None:
        moving = one.base_state if base is None else base
        tests = one.standards if standards is None else standards
        return one.rover.verdict(states, hours=hours, standards=tests, **moving)
    return one.robot.verdict(states, hours=hours, external=one.external, exceptions=one.exceptions)


def motion_words(one: Named, asked: MotionAsked) -> str:
    """Where the motion comes from, in a few words."""
    if asked.motion is None and asked.duration is None and one.project is not None and one.project.motion is not None:
        return f"the motion of {one.project.path}"
    swings = asked.motion in (None, SWING)
    return "a swing from rest to rest within the limits" if swings else f"the motion of {asked.motion}"


# One state that a user types, as `--q 0.5,90deg,-1` or `--q elbow_joint=90deg`.


_MEASURED = {"--q": "through", "--qd": "velocity", "--qdd": "acceleration"}
"""The keys of a motion through points that have the units of positions, speeds and accelerations."""


class Given(NamedTuple):
    """States that a command is about: one, or those of a motion."""

    q: Floats
    qd: Floats
    qdd: Floats
    motion: lp.Motion | None
    words: str
    """What they are, for a line of text."""

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """Positions, speeds and accelerations, (n,) or (samples, n)."""
        return self.q, self.qd, self.qdd

    @property
    def states(self) -> tuple[Any, ...]:
        """As functions of the library take them: the motion, with its loads, or the arrays."""
        return self.arrays if self.motion is None else (self.motion,)


def given_states(named: Named, asked: StatesAsked) -> Given:
    """The state that is typed, or the samples of the motion that is asked for."""
    if asked.one_state:
        moving = asked.moving
        if replace(moving, yes=False, log=replace(moving.log, degrees=None)) != MotionAsked():
            raise ValueError("--q, --qd and --qdd are one state, --motion is many: give one or the other")
        state = asked_state(named.robot, asked.q, asked.qd, asked.qdd, moving.log.degrees, moving.yes)
        return Given(*state, None, "one state")
    motion = motion_for(named, asked.moving)
    return Given(motion.q, motion.qd, motion.qdd, motion, motion_words(named, asked.moving))


def asked_state(
    robot: lp.Robot, q: str | None, qd: str | None, qdd: str | None, degrees: bool | None, yes: bool
) -> tuple[Floats, Floats, Floats]:
    """The state that is typed, in degrees where it can hardly be in radians and the user agrees."""
    state = state_of(robot, q, qd, qdd, degrees=bool(degrees))
    questions = questions_of_state(robot, *state[:2])
    if degrees is None and any(question.endswith("degrees?") for question in questions):
        turned = state_of(robot, q, qd, qdd, degrees=True)
        if not in_other_units(robot, *turned[:2]):
            more = f" (and {len(questions) - 1} more)" if len(questions) > 1 else ""
            agreed(yes, f"{questions[0].removesuffix(': degrees?')}{more}: that angles without a unit are in degrees",
                   "--radians, or a unit with each number (as 90deg),")
            return turned
    for question in questions:
        option = "--qd" if " moves at " in question else "--q"
        warn(f"{option}: {question} Numbers have units, as 90deg or 50mm")
    return state


def case_over(named: Named, motion: lp.Motion) -> dict[str, Any]:
    """What acts beside the motion of the robot, with the loads that it carries, as keywords of its functions."""
    return LoadCase(**named.load_case).with_motion_of(motion, named.robot, "motion").keywords


def state_of(
    robot: lp.Robot, q: str | None, qd: str | None, qdd: str | None, *, degrees: bool = False
) -> tuple[Floats, Floats, Floats]:
    """Positions, speeds and accelerations of one state. What is not named stays where the robot is unmoved, at rest;
    plain numbers of what turns are in radians, or in degrees.

    >>> arm = lp.catalog.planar(2)
    >>> [part.round(3).tolist() for part in state_of(arm, "joint2=90deg", "1, 0.5", None)]
    [[0.0, 1.571], [1.0, 0.5], [0.0, 0.0]]
    """
    if is_closed(robot):
        return _closed_state(robot, q, qd, qdd, degrees)
    turns = [turn for joint in robot.joints if joint.mimic is None for turn in joint.motion.angular]
    of_coordinates = turns if robot.nq == robot.n else [None] * robot.nq
    return (
        _values("--q", q, robot.coordinate_names, of_coordinates, robot.neutral(), degrees),
        _values("--qd", qd, robot.dof_names, turns, np.zeros(robot.n), degrees),
        _values("--qdd", qdd, robot.dof_names, turns, np.zeros(robot.n), degrees),
    )


def _closed_state(
    robot: Any, q: str | None, qd: str | None, qdd: str | None, degrees: bool
) -> tuple[Floats, Floats, Floats]:
    """Of a robot with loops the drives are given, and the others follow."""
    turns = [turn for joint in robot.joints if joint.mimic is None for turn in joint.motion.angular]
    of_drives = [turns[robot.dof_names.index(name)] for name in robot.driven]
    home = dict(zip(robot.coordinate_names, robot.home, strict=True))
    start = np.array([home.get(name, 0.0) for name in robot.driven])
    where = _values("--q", q, robot.driven, of_drives, start, degrees)
    closed = robot.home if q is None else robot.assemble(where).q
    still = np.zeros(len(robot.driven))
    rates = [_values(option, text, robot.driven, of_drives, still, degrees)
             for option, text in (("--qd", qd), ("--qdd", qdd))]
    done = robot.complete(closed, *rates)
    return np.asarray(closed), np.asarray(done.qd), np.asarray(done.qdd)


def _values(
    option: str, text: str | None, names: Sequence[str], turns: Sequence[bool | None], start: Floats,
    degrees: bool = False,
) -> Floats:
    """Numbers of an option, all in order or some by name."""
    result = np.array(start, dtype=float)
    if text is None:
        return result
    parts = [part.strip() for part in text.split(",")]
    named = [part for part in parts if "=" in part]
    if not named:
        if len(parts) != len(names):
            raise ValueError(f"{option} has {len(parts)} number{'s' if len(parts) > 1 else ''}: expected "
                             f"{len(names)}, of {', '.join(names)}, or some by name, as {names[0]}=0.5")
        return np.array([_number(option, part, turn, degrees) for part, turn in zip(parts, turns, strict=True)])
    for part in parts:
        name, mark, value = part.partition("=")
        if not mark:
            raise ValueError(f"{option} {text}: '{part}' has no name: give all values in order, or each by its name")
        if name.strip() not in names:
            raise ValueError(f"{option}: no joint '{name.strip()}'{meant(name.strip(), names)}")
        k = list(names).index(name.strip())
        result[k] = _number(option, value, turns[k], degrees)
    return result


def _number(option: str, text: str, turns: bool | None, degrees: bool = False) -> float:
    try:
        value = float(text) * (math.pi / 180 if degrees and turns else 1.0)
    except ValueError:
        value = _with_unit(option, text.strip(), turns)
    if not math.isfinite(value):
        raise ValueError(f"{option}: '{text.strip()}' is not finite: expected a number")
    return value


def _with_unit(option: str, text: str, turns: bool | None) -> float:
    try:
        found = in_si(text, THROUGH[_MEASURED[option]], option, None if turns is None else not turns)
    except ValueError as problem:
        expected = str(problem).rpartition(": expected ")[2]
        raise ValueError(f"{option}: '{text}' is no number with a unit of this joint: expected {expected}") from None
    return float(found)  # type: ignore[arg-type]


def base_numbers(option: str, text: str | None) -> tuple[float, ...] | None:
    """Speeds or accelerations of a base, as v,w or vx,vy,w."""
    if text is None:
        return None
    parts = text.split(",")
    if not 2 <= len(parts) <= 3:
        raise ValueError(f"{option} {text}: expected v,w or vx,vy,w (m/s, rad/s)")
    return tuple(_plain(option, part) for part in parts)


def _plain(option: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{option}: '{text.strip()}' is no finite number")
    return value


def by_name(names: Sequence[str], values: Floats) -> Mapping[str, Any]:
    """Numbers by their names, for JSON."""
    return dict(zip(names, values.tolist(), strict=True))


# Forces of the drives from a CSV file: columns `t` and the names of the joints, as `loadpath loads --csv` writes.


ZERO, HOLD = "zero", "hold"
LONGEST_FILE = 200_000_000
"""Bytes of a file."""

_HEAD = re.compile(r"(?:tau\.|drive\.)?(.*?)(?:\s*\((?:N m|Nm|N)\))?")
_TIME = ("t", "time", "t (s)", "time (s)")


def torques_of(robot: lp.Robot, path: str, duration: float) -> tuple[Floats, Floats]:
    """Times (samples,) and forces (samples, n); drives that the file does not have give none."""
    if Path(path).suffix.lower() != ".csv":
        raise ValueError(f"--torque {path}: expected '{ZERO}', '{HOLD}', or a file ending in .csv with the columns t "
                         "and the names of the drives")
    data = read_at_most(Path(path), LONGEST_FILE)
    if data is None:
        raise ValueError(f"{path}: longer than {LONGEST_FILE // 1_000_000} MB")
    rows = list(csv.reader(data.decode("utf-8-sig", errors="replace").splitlines()))
    if len(rows) < 3:
        raise ValueError(f"{path}: expected a line of names and two lines of numbers or more")
    heads = [head.strip() for head in rows[0]]
    time = next((k for k, head in enumerate(heads) if head.lower() in _TIME), None)
    if time is None:
        raise ValueError(f"{path}, line 1: no column 't'; there are {', '.join(heads[:8])}")
    every, drives = list(robot.dof_names), drive_names(robot)
    plain = {k: found[1] for k, head in enumerate(heads) if k != time and (found := _HEAD.fullmatch(head))}
    columns = {k: every.index(name) for k, name in plain.items() if name in drives}
    if not columns:
        raise ValueError(f"{path}, line 1: no column is named after a drive of '{robot.name}': expected some of "
                         f"{', '.join(drives)}, or tau. before them")
    t, tau = np.empty(len(rows) - 1), np.zeros((len(rows) - 1, robot.n))
    for line, row in enumerate(rows[1:]):
        for k in (time, *columns):
            value = _entry(row, k, path, line + 2, heads[k])
            if k == time:
                t[line] = value
            else:
                tau[line, columns[k]] = value
    if (np.diff(t) <= 0).any():
        raise ValueError(f"{path}: times do not rise after line {int(np.argmax(np.diff(t) <= 0)) + 2}")
    if t[0] > 0 or t[-1] < duration * (1 - 1e-9):
        raise ValueError(f"{path} has forces from {t[0]:g} to {t[-1]:g} s: expected 0 to --duration {duration:g} s")
    return t, tau


def _entry(row: list[str], column: int, path: str, line: int, head: str) -> float:
    try:
        value = float(row[column])
    except (IndexError, ValueError):
        value = np.nan
    if not np.isfinite(value):
        given = row[column] if column < len(row) else ""
        raise ValueError(f"{path}, line {line}: '{head}' is '{given}', expected a number")
    return value
