"""Arguments and options that several commands share, and the values that they take."""

from __future__ import annotations

from typing import Annotated

import typer

ROBOTS = (
    "delta", "excavator", "five_bar", "four_bar", "generalized:N", "lau_arm", "lau_rover", "panda",
    "parallelogram_palletizer", "planar:N", "puma560", "random_chain:N:SEED", "random_dh_arm:N:SEED",
    "random_tree:N:SEED", "slider_crank", "stanford_arm", "stewart_platform", "two_link", "ur5",
)  # fmt: skip
"""The robots of the catalog as a user may name them; see `robots.names`."""

SWING = "swing"
"""The motion of robots that are given none."""

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

SwingDuration = Annotated[float | None, typer.Option("--duration", help="Duration of the swing (s).")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON instead of a table.")]

# How a file with a motion is read; see `motions.LogOptions`.
InDegrees = Annotated[bool, typer.Option("--degrees", help="Angles of the file without a unit are in degrees.")]
LogColumns = Annotated[
    list[str] | None,
    typer.Option("--columns", help="What a column of the file is, as actual_q_0=shoulder_pan_joint; several times."),
]
LogSmooth = Annotated[
    bool | None,
    typer.Option("--smooth/--no-smooth", help="Smooth positions before they are differentiated; by default if noisy."),
]
LogCutoff = Annotated[float | None, typer.Option("--cutoff", help="Smooth with a filter of this cut-off (Hz).")]
