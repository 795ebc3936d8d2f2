"""`loadpath view`: its arguments and options."""

from __future__ import annotations

from typing import Annotated

import typer

from loadpath.cli.options import (
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


def view(
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
    meshes: Annotated[bool, typer.Option("--meshes/--no-meshes", help="Meshes, or lines between the joints.")] = True,
    record: Annotated[
        str | None, typer.Option(help="Write the motion as one HTML file that plays without a network, and end.")
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to serve at: this machine only, unless told otherwise (0.0.0.0: all).")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to serve at; the next one if it is taken.")] = 8080,
    browser: Annotated[
        bool | None, typer.Option("--browser/--no-browser", help="Open a browser; by default where there is a display.")
    ] = None,
) -> None:
    """The robot in the browser: move it, play its motion, and see what every joint carries and why."""
    from loadpath.cli import view as work
    from loadpath.cli.motions import LogOptions

    log = LogOptions(degrees, tuple(columns or ()), smooth, cutoff)
    work.view(
        robot,
        motion,
        payload=payload,
        link=link,
        duration=duration,
        log=log,
        record=record,
        shown=work.Shown(meshes, host, port, browser),
    )
