"""`loadpath datasheet`: what a maker prints of a robot, as one HTML or PDF file."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.commands.report import PaperSize
from loadpath.cli.options import STANDARD_OUTPUT, AsJson, MotionAsked, RobotName, mass

if will_run():
    from loadpath.cli.commands.report import names_in, print_page, revisions_of, sources_of
    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import busy, errors_reported, print_notes, print_warnings, wrote
    from loadpath.cli.robots import Named, find
    from loadpath.cli.states import duty_for, motion_for
    from loadpath.datasheet.sheet import Datasheet
    from loadpath.datasheet.sheet import datasheet as data_sheet
    from loadpath.progress import part
    from loadpath.report.page import PDF
    from loadpath.report.report import check_name
    from loadpath.whole_file import check_writable, writes_through


SHARE_OF_NUMBERS = 0.8
"""Of the time of a data sheet: all but writing it."""


def datasheet(
    robot: RobotName = "panda",
    *,
    asked: MotionAsked,
    payload: Annotated[
        float | None,
        typer.Option(parser=mass, metavar="MASS",
                     help="Rated payload: 5 (kg), 5kg, 800g; left out: what the robot carries."),
    ] = None,
    link: Annotated[str | None, typer.Option(help="The link that reaches and carries, if not the last.")] = None,
    hours: Annotated[float | None, typer.Option(help="Life (h) that the parts shall have.")] = None,
    sections: Annotated[
        str | None, typer.Option(help="Sections to compute, with commas: workspace, payload, stopping, foundation ...")
    ] = None,
    title: Annotated[str | None, typer.Option(help="The heading, if not the robot's name.")] = None,
    revision: Annotated[
        list[str] | None, typer.Option(help="A revision for the block of signatures: 'A; 2026-03-01; first; M. N.'")
    ] = None,
    paper: Annotated[PaperSize, typer.Option(help="Paper of a PDF.")] = PaperSize.a4,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The file to write, .html or .pdf; '-' is standard output (HTML).")
    ] = "datasheet.html",
    as_json: AsJson = False,
) -> None:
    """The data sheet of a robot: joints, masses, workspace, stopping times and distances, torque over speed of its
    drives, as one file."""
    with errors_reported():
        if as_json and output in STANDARD_OUTPUT:
            raise ValueError("--json and a page on standard output: give -o a file")
        if output not in STANDARD_OUTPUT:
            check_name(output)
            check_writable(output)
        named = find(robot)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", lp.ModelWarning)
            moving = duty_for(named, asked) or motion_for(named, asked)
        messages = [*named.warnings, *(str(warning.message) for warning in caught)]
        given = None if _is_swing(named, asked) else moving
        with busy(f"Computing the data sheet of {named.robot.name} ..."):
            with part(SHARE_OF_NUMBERS):
                made = data_sheet(named.robot, given, payload=payload, link=link, title=title, notes=messages,
                                  only=names_in(sections), hours=named.hours if hours is None else hours,
                                  sources=sources_of(robot, asked, named, moving), revisions=revisions_of(revision),
                                  external=named.external if named.rover is None else None)
            if output not in STANDARD_OUTPUT:
                with part(1.0):
                    made.save(output, paper=paper.value)
    if as_json:
        print_json(robot=named.robot.name, title=made.page.title, file=output, bytes=Path(output).stat().st_size,
                   sections=[section.title for section in made.page.sections], **_numbers(made),
                   left_out=list(made.left_out), warnings=list(made.page.warnings))
        return
    if output in STANDARD_OUTPUT:
        print_page(made.page)
    print_notes(named.on_standing_base("the numbers are"), *(f"left out: {text}" for text in made.left_out))
    print_warnings(list(made.page.warnings))
    if output not in STANDARD_OUTPUT:
        through = writes_through(output)
        how = "" if Path(output).suffix.lower() == PDF else ": open it in a browser"
        wrote(output, "" if through else f" ({Path(output).stat().st_size / 1e6:.1f} MB){how}")


def _is_swing(named: Named, asked: MotionAsked) -> bool:
    """Whether the motion is none of the user's."""
    own = named.project is not None and named.project.motion is not None
    return asked.motion is None and asked.duration is None and not own


def _numbers(made: Datasheet) -> dict[str, Any]:
    """What is on the sheet, for programs."""
    where, stops = made.workspace, made.stopping
    return {
        "payload": made.payload,
        "link": made.link,
        "workspace": None if where is None else {
            "axis": where.axis, "reach": where.reach, "nearest": where.nearest, "low": where.low.tolist(),
            "high": where.high.tolist()},
        "stopping": [] if stops is None else [
            {"joint": table.joint, "category": table.category, "speed": table.speed, "reach": table.reach,
             "extensions": list(table.extensions), "loads": list(table.loads), "speeds": list(table.speeds),
             "time": table.time.tolist(), "distance": table.distance.tolist()} for table in stops.tables],
        "drives": [
            {"drive": one.drive, "motor": one.motor, "at_motor": one.at_motor, "rms_torque": one.rms_torque,
             "largest_torque": float(abs(one.torque).max()), "largest_speed": float(abs(one.speed).max())}
            for one in made.drives],
    }
