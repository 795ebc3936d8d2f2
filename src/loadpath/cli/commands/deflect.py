"""`loadpath deflect`: its arguments and options."""

from __future__ import annotations

from typing import Annotated

import typer

from loadpath.cli.options import (
    Accelerations,
    AsJson,
    FlexibleName,
    InDegrees,
    LogColumns,
    LogCutoff,
    LogSmooth,
    MotionName,
    Payload,
    PayloadLink,
    Positions,
    Speeds,
    SwingDuration,
)


def deflect(
    robot: FlexibleName,
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
    modes: Annotated[int, typer.Option(min=1, max=100, help="How many natural frequencies to show.")] = 3,
    csv: Annotated[str | None, typer.Option(help="A CSV file to write, in addition: a row for each state.")] = None,
    as_json: AsJson = False,
) -> None:
    """How far a flexible arm bends, the stress of its beams, its buckling and its natural frequencies."""
    from loadpath.cli import deflect as work
    from loadpath.cli.motions import LogOptions
    from loadpath.cli.states import Asked

    log = LogOptions(degrees, tuple(columns or ()), smooth, cutoff)
    asked = Asked(q, qd, qdd, motion, duration, log)
    work.deflect(robot, asked, payload=payload, link=link, modes=modes, csv=csv, as_json=as_json)
