"""Arguments and options that several commands share, the values that they take, and sets of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from loadpath.cli import completion

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
        help="A project file (.toml), a file of a robot (as .urdf), a Python file that makes a robot or a rover "
        f"(arm.py, or arm.py:name), or a robot of the catalog: {', '.join(ROBOTS)}.",
        autocompletion=completion.robots,
    ),
]
FlexibleName = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="A project file with beams or compliant joints (.toml), or a Python file that makes a flexible arm "
        "(arm.py, or arm.py:name).",
        autocompletion=completion.robots,
    ),
]
Payload = Annotated[float, typer.Option("--payload", help="Mass (kg) carried at the end of the arm.")]
PayloadLink = Annotated[str | None, typer.Option("--link", help="Link that carries the payload, if not the last.")]
MotionName = Annotated[
    str | None,
    typer.Option(
        "--motion",
        help="The motion: a file (.csv, .tsv, .npz, .parquet), or 'swing', from rest to rest within the limits. Left "
        "out: that of the project file, else the swing.",
        autocompletion=completion.motions,
    ),
]

# One state; see `states.state_of`.
Positions = Annotated[
    str | None,
    typer.Option(
        "--q",
        help="Positions of one state, instead of a motion: all, as 0.5,90deg,-1, or some by name, as "
        "elbow=90deg,lift=20mm; in rad and m unless a unit is given.",
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
InDegrees = Annotated[bool, typer.Option("--degrees", help="Angles of the file without a unit are in degrees.")]
LogColumns = Annotated[
    list[str] | None,
    typer.Option("--columns", help="What a column of the file is, as actual_q_0=elbow; several times."),
]
LogSmooth = Annotated[
    bool | None,
    typer.Option("--smooth/--no-smooth", help="Smooth positions before they are differentiated; by default if noisy."),
]
LogCutoff = Annotated[float | None, typer.Option("--cutoff", help="Smooth with a filter of this cut-off (Hz).")]

# Sets of options, one parameter each; see `signatures`.


@dataclass(frozen=True)
class Carried:
    """A payload."""

    payload: Payload = 0.0
    link: PayloadLink = None


@dataclass(frozen=True)
class LogOptions:
    """How a file with a motion is to be read: options that a swing does not have."""

    degrees: InDegrees = False
    columns: LogColumns = None
    smooth: LogSmooth = None
    cutoff: LogCutoff = None


@dataclass(frozen=True)
class MotionAsked:
    """The motion that a user asks for."""

    motion: MotionName = None
    duration: SwingDuration = None
    log: LogOptions = LogOptions()


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
