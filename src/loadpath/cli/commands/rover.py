"""`loadpath rover`: its arguments and options."""

from __future__ import annotations

from typing import Annotated

import typer

from loadpath.cli.options import (
    Accelerations,
    AsJson,
    InDegrees,
    LogColumns,
    LogCutoff,
    LogSmooth,
    MotionName,
    Payload,
    PayloadLink,
    Positions,
    RobotName,
    Speeds,
    SwingDuration,
)


def rover(
    robot: RobotName = "lau_rover",
    *,
    velocity: Annotated[
        str | None, typer.Option(help="Velocity of the base: v,w or vx,vy,w (m/s, rad/s), in its own axes.")
    ] = None,
    acceleration: Annotated[
        str | None, typer.Option(help="Acceleration of the base, like --velocity (m/s^2, rad/s^2).")
    ] = None,
    heading: Annotated[float | None, typer.Option(help="Angle (rad) of the base from uphill, on a slope.")] = None,
    q: Positions = None,
    qd: Speeds = None,
    qdd: Accelerations = None,
    motion: MotionName = None,
    duration: SwingDuration = None,
    degrees: InDegrees = False,
    columns: LogColumns = None,
    smooth: LogSmooth = None,
    cutoff: LogCutoff = None,
    payload: Payload = 0.0,
    link: PayloadLink = None,
    csv: Annotated[str | None, typer.Option(help="A CSV file to write, in addition: a row for each state.")] = None,
    as_json: AsJson = False,
) -> None:
    """Loads of the wheels of a rover, how far it is from tipping over, and how much of the friction it uses."""
    from loadpath.cli import rover as work
    from loadpath.cli.motions import LogOptions
    from loadpath.cli.states import Asked

    log = LogOptions(degrees, tuple(columns or ()), smooth, cutoff)
    asked = Asked(q, qd, qdd, motion, duration, log)
    base = work.BaseMotion(velocity, acceleration, heading)
    work.rover(robot, asked, base, payload=payload, link=link, csv=csv, as_json=as_json)
