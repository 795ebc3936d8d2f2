"""`loadpath report`: its arguments and options."""

from __future__ import annotations

from enum import StrEnum
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


class PaperSize(StrEnum):
    """Paper that a report is printed on."""

    a4 = "a4"
    letter = "letter"


def report(
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
    joints: Annotated[str | None, typer.Option(help="Joints to show, by their names with commas between them.")] = None,
    sections: Annotated[
        str | None, typer.Option(help="Sections to write, with commas: verdict, overview, drives, joints, causes ...")
    ] = None,
    hours: Annotated[float | None, typer.Option(help="Life (h) that the parts shall have.")] = None,
    paper: Annotated[PaperSize, typer.Option(help="Paper of a PDF.")] = PaperSize.a4,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The file to write, .html or .pdf; '-' is standard output (HTML).")
    ] = "report.html",
    as_json: AsJson = False,
) -> None:
    """The verdict on a robot, its torques and joint wrenches and where they come from, over a motion, as one file."""
    from loadpath.cli import report as work
    from loadpath.cli.motions import LogOptions

    chosen = work.Chosen(joints, sections, hours, paper.value)
    log = LogOptions(degrees, tuple(columns or ()), smooth, cutoff)
    work.report(
        robot, motion, payload=payload, link=link, duration=duration, output=output, chosen=chosen, log=log,
        as_json=as_json,
    )  # fmt: skip
