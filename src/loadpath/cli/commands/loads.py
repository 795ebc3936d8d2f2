"""`loadpath loads`: its arguments and options."""

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


def loads(
    robot: RobotName = "panda",
    *,
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
    joint: Annotated[str | None, typer.Option(help="Show this joint only, with all its causes and their sum.")] = None,
    causes: Annotated[
        int | None,
        typer.Option(
            min=0, max=1000, help="How many causes to show, the largest first, and the rest; left out: two of every "
            "joint, all of --joint.",
        ),
    ] = None,
    csv: Annotated[
        str | None,
        typer.Option(help="A CSV file to write: of a motion all wrenches and drives over time, of a state by cause."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """All six components of the load at every joint, the forces of the drives, and what causes them."""
    from loadpath.cli import loads as work
    from loadpath.cli.motions import LogOptions
    from loadpath.cli.states import Asked

    log = LogOptions(degrees, tuple(columns or ()), smooth, cutoff)
    asked = Asked(q, qd, qdd, motion, duration, log)
    work.loads(robot, asked, payload=payload, link=link, joint=joint, causes=causes, csv=csv, as_json=as_json)
