"""`loadpath verdict`: its arguments and options."""

from __future__ import annotations

from typing import Annotated

import typer

from loadpath.cli.options import (
    AsJson,
    InDegrees,
    LogColumns,
    LogCutoff,
    LogSmooth,
    MotionName,
    Payload,
    PayloadLink,
    RobotName,
    SwingDuration,
)


def verdict(
    robot: RobotName = "panda",
    *,
    motion: MotionName = None,
    degrees: InDegrees = False,
    columns: LogColumns = None,
    smooth: LogSmooth = None,
    cutoff: LogCutoff = None,
    payload: Payload = 0.0,
    link: PayloadLink = None,
    duration: SwingDuration = None,
    hours: Annotated[float | None, typer.Option(help="Life (h) that the parts shall have.")] = None,
    as_json: AsJson = False,
    csv: Annotated[str | None, typer.Option(help="A CSV file to write, in addition.")] = None,
    unchecked: Annotated[
        bool, typer.Option("--allow-unchecked", help="Exit code 0 also if some checks could not be made.")
    ] = False,
) -> None:
    """Does every part hold over its motion, how long, what limits it; exit code 1 unless all was checked and holds."""
    from loadpath.cli import verdict as work
    from loadpath.cli.motions import LogOptions

    log = LogOptions(degrees, tuple(columns or ()), smooth, cutoff)
    work.verdict(
        robot, motion, payload=payload, link=link, duration=duration, hours=hours, log=log, as_json=as_json, csv=csv,
        unchecked=unchecked,
    )  # fmt: skip
