"""Arguments and options that several commands share, the values that they take, and sets of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from loadpath import plugins
from loadpath.in_room import function_in_room

# What the shell completes: names of the catalog and files of robots, motions and projects.


ROBOT_FILES = (".toml", ".urdf", ".xacro", ".xml", ".mjcf", ".sdf", ".py", ".gz", ".zip")
MOTION_FILES = (".csv", ".tsv", ".txt", ".npz", ".parquet")
MOST_FILES = 200
"""Files that are offered."""


def complete_robots(incomplete: str) -> list[str]:
    """Robots of the catalog, and files and folders, that begin so."""
    names = [name.partition(":")[0] + ":" * (":" in name) for name in (*ROBOTS, *robots_of_plugins())]
    return [name for name in names if name.startswith(incomplete)] + _files(incomplete, ROBOT_FILES)


def robots_of_plugins() -> list[str]:
    """What plugins add to the catalog."""
    return sorted(plugins.offered("catalog", (name.partition(":")[0] for name in ROBOTS)))


def complete_motions(incomplete: str) -> list[str]:
    """The swing, and files of motions that begin so."""
    return [name for name in ("swing",) if name.startswith(incomplete)] + _files(incomplete, MOTION_FILES)


def complete_projects(incomplete: str) -> list[str]:
    """Project files."""
    return _files(incomplete, (".toml",))


def _files(incomplete: str, endings: tuple[str, ...]) -> list[str]:
    folder, _, begun = incomplete.rpartition(os.sep)
    inside = Path(folder or (os.sep if incomplete.startswith(os.sep) else ".")).expanduser()
    before = incomplete[: len(incomplete) - len(begun)]
    found = []
    try:
        entries = sorted(entry for entry in inside.iterdir() if entry.name.startswith(begun))
    except OSError:
        return []
    for path in entries[:MOST_FILES]:
        if path.is_dir():
            found.append(f"{before}{path.name}{os.sep}")
        elif path.suffix.lower() in endings:
            found.append(f"{before}{path.name}")
    return found


ROBOTS = (
    "delta", "excavator", "five_bar", "four_bar", "generalized:N", "lau_arm", "lau_rover", "panda",
    "parallelogram_palletizer", "planar:N", "puma560", "random_chain:N:SEED", "random_dh_arm:N:SEED",
    "random_tree:N:SEED", "slider_crank", "stanford_arm", "stewart_platform", "two_link", "ur5",
)
"""The robots of the catalog as a user may name them; see `catalog_robots.names`."""

SWING = "swing"
"""The motion of robots that are given none."""
STANDARD_OUTPUT = ("-", "/dev/stdout")
"""Names of files that are none."""

RobotName = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="A robot's file (as .urdf), a project file (.toml), a Python file that makes a robot or a rover (arm.py, "
        "or arm.py:name), or a robot of the catalog (as ur5; 'loadpath --help' lists them).",
        autocompletion=complete_robots,
    ),
]
FlexibleName = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="A project file with beams or compliant joints (.toml), or a Python file that makes a flexible arm "
        "(arm.py, or arm.py:name).",
        autocompletion=complete_robots,
    ),
]


_in_si = function_in_room("loadpath.robot.units_of_text", "in_si")


def mass(text: str | float) -> float:
    """A mass as it is typed, in kg unless it has a unit.

    >>> mass("5"), mass("5 kg"), mass("5000g")
    (5.0, 5.0, 5.0)
    """
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return float(_in_si(str(text).strip(), ("mass",), "mass"))
    except ValueError:
        raise typer.BadParameter(f"'{text}' is no mass: expected a number of kg, or with a unit, as 5kg or 5000g"
                                 ) from None


Payload = Annotated[
    float,
    typer.Option("--payload", parser=mass, metavar="MASS", help="Mass carried at the end: 5 (kg), 5kg, 800g."),
]
PayloadLink = Annotated[str | None, typer.Option("--link", help="Link that carries the payload, if not the last.")]
MotionName = Annotated[
    str | None,
    typer.Option(
        "--motion",
        help="The motion: a file (.csv, .tsv, .npz, .parquet), or 'swing', from rest to rest within the limits. Left "
        "out: that of the project file, else the swing.",
        autocompletion=complete_motions,
    ),
]

# One state; see `states.state_of`.
Positions = Annotated[
    str | None,
    typer.Option(
        "--q",
        help="Positions of one state, instead of a motion: all, as 0.5,90deg,-1, or some by name, as "
        "elbow=90deg; in rad and m unless a unit is given.",
    ),
]
Speeds = Annotated[
    str | None, typer.Option("--qd", help="Speeds of the state, like --q (rad/s, m/s); left out: at rest.")
]
Accelerations = Annotated[
    str | None, typer.Option("--qdd", help="Accelerations of the state, like --q (rad/s^2, m/s^2); left out: none.")
]

SwingDuration = Annotated[float | None, typer.Option("--duration", help="Duration of the swing (s).")]
Debug = Annotated[bool, typer.Option("--debug", help="Print the traceback of what goes wrong.")]
NoProgress = Annotated[bool, typer.Option("--no-progress", help="Show no bar while it computes.")]
Xacro = Annotated[
    list[str] | None,
    typer.Option(
        "--xacro",
        help="Evaluate xacro in a robot's file that does not end in .xacro: 'yes', or what an argument of it is to be, "
        "as prefix=left_; several times.",
    ),
]
Trust = Annotated[
    bool,
    typer.Option(
        "--trust",
        help="Read what a project file names wherever it is, and download the robots that it names: not for those of "
        "strangers.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="JSON instead of a table.")]

# How a file with a motion is read.
InDegrees = Annotated[
    bool | None,
    typer.Option(
        "--degrees/--radians",
        help="What angles without a unit are in; left out: radians, unless the joints' limits say that they can hardly "
        "be, which is asked about.",
    ),
]
LogColumns = Annotated[
    list[str] | None,
    typer.Option("--columns", help="What a column of the file is, as actual_q_0=elbow; several times."),
]
LogSmooth = Annotated[
    bool | None,
    typer.Option("--smooth/--no-smooth", help="Smooth positions before they are differentiated; by default if noisy."),
]
LogCutoff = Annotated[float | None, typer.Option("--cutoff", help="Smooth with a filter of this cut-off (Hz).")]

LogUnits = Annotated[
    list[str] | None,
    typer.Option("--units", help="Unit of times (t), positions (q) or a column without one, as t=ms; several times."),
]
TakeGuess = Annotated[
    bool,
    typer.Option("--yes", "-y", help="Take what is guessed about a log or a state that does not say it, unasked."),
]

# Sets of options, one parameter each; see `lazy`.


@dataclass(frozen=True)
class Carried:
    """A payload."""

    payload: Payload = 0.0
    link: PayloadLink = None


@dataclass(frozen=True)
class LogOptions:
    """How a file with a motion is to be read: options that a swing does not have."""

    degrees: InDegrees = None
    units: LogUnits = None
    columns: LogColumns = None
    smooth: LogSmooth = None
    cutoff: LogCutoff = None


@dataclass(frozen=True)
class MotionAsked:
    """The motion that a user asks for."""

    motion: MotionName = None
    duration: SwingDuration = None
    log: LogOptions = LogOptions()
    yes: TakeGuess = False


@dataclass(frozen=True)
class StatesAsked:
    """A state, a motion, or neither."""

    q: Positions = None
    qd: Speeds = None
    qdd: Accelerations = None
    moving: MotionAsked = MotionAsked()

    @property
    def one_state(self) -> bool:
        """Whether it is one state."""
        return any(part is not None for part in (self.q, self.qd, self.qdd))


# What the user of a command says of the files that it loads, as the loading of robots needs to know it: whether to
# evaluate xacro, whether to trust a project file.


_XACRO: ContextVar[tuple[str, ...]] = ContextVar("xacro", default=())
_TRUST: ContextVar[bool] = ContextVar("trust", default=False)
_WITHOUT_ARGUMENTS = "yes"


@contextmanager
def loading_options(xacro: Sequence[str] = (), trust: bool = False) -> Iterator[None]:
    """What the options `--xacro` and `--trust` say, as long as a command runs."""
    before = _XACRO.set(tuple(xacro)), _TRUST.set(trust)
    try:
        yield
    finally:
        _XACRO.reset(before[0])
        _TRUST.reset(before[1])


def is_trusted() -> bool:
    """Whether project files are to be trusted."""
    return _TRUST.get()


def xacro_options() -> dict[str, Any]:
    """The arguments for `lp.load` that the option stands for.

    >>> with loading_options(xacro=["prefix=left_"]):
    ...     xacro_options()
    {'xacro': True, 'xacro_arguments': {'prefix': 'left_'}}
    """
    entries = _XACRO.get()
    if not entries:
        return {}
    pairs = dict(_pair(entry) for entry in entries if entry != _WITHOUT_ARGUMENTS)
    return {"xacro": True, "xacro_arguments": pairs or None}


def _pair(entry: str) -> tuple[str, str]:
    name, sign, value = entry.partition("=")
    if not sign or not name:
        raise ValueError(f"--xacro {entry}: expected 'yes', or a name and a value, like prefix=left_")
    return name.removesuffix(":"), value  # as xacro itself writes it, prefix:=left_
