"""`loadpath view`: a robot or rover in the browser, until Ctrl-C; or its motion as a file."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import Carried, MotionAsked, RobotName

if will_run():
    from rich.text import Text

    from loadpath.cli.messages import busy, errors_reported, print_warnings, terminal, wrote
    from loadpath.cli.robots import find
    from loadpath.cli.states import motion_for
    from loadpath.printable import printable
    from loadpath.viewer.view import view as open_view
    from loadpath.whole_file import check_ending, check_writable


def view(
    robot: RobotName = "panda",
    *,
    asked: MotionAsked,
    carried: Carried,
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
    """Show a robot until it is interrupted, or write its motion as a file."""
    with errors_reported():
        if record is not None:
            check_ending(record, (".html", ".htm"), "a recording")
            check_writable(record)
        one = find(robot).with_payload(carried)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", lp.ModelWarning)
            moving = motion_for(one, asked) if one.robot.n else None
            case: dict[str, Any] = {"external": one.external} if one.rover is None else dict(one.base_state)
            with busy(f"Compiling {one.robot.name} ..."):
                viewer = open_view(
                    one.robot if one.rover is None else one.rover, motion=moving, meshes=meshes, host=host,
                    port=port, open_browser=False if record is not None else browser, hours=one.hours, **case,
                )
        print_warnings([*one.warnings, *(str(warning.message) for warning in caught)])
        with viewer:
            if record is not None:
                with busy("Recording ..."):
                    viewer.record(record)
                size = Path(record).stat().st_size / 1e6
                wrote(record, f" ({size:.1f} MB): open it in a browser")
                return
            at = Text.assemble(f"{printable(one.robot.name)} is shown at ", (viewer.url, "bold"), "; Ctrl-C ends it.")
            terminal().print(at, soft_wrap=True)
            viewer.wait()
