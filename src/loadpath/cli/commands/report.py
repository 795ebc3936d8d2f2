"""`loadpath report`: what a robot carries over a motion, as one HTML or PDF file."""

from __future__ import annotations

import shlex
import sys
import warnings
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import STANDARD_OUTPUT, SWING, AsJson, Carried, MotionAsked, RobotName

if will_run():
    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import busy, errors_reported, print_notes, print_warnings, wrote
    from loadpath.cli.robots import Named, find, joint_of
    from loadpath.cli.states import duty_for, motion_for
    from loadpath.progress import part
    from loadpath.report import report as robot_report
    from loadpath.report.page import PDF
    from loadpath.report.record import files_in_words, mesh_files
    from loadpath.report.report import Report, check_name
    from loadpath.studies.uncertainty import uncertainty
    from loadpath.whole_file import check_writable, writes_through


SHARE_OF_SECTIONS = 0.4
"""Of the time of a report: all but what the page computes itself."""


class PaperSize(StrEnum):
    """Paper that a report is printed on."""

    a4 = "a4"
    letter = "letter"


def report(
    robot: RobotName = "panda",
    *,
    asked: MotionAsked,
    carried: Carried,
    joints: Annotated[str | None, typer.Option(help="Joints to show, by name or number, with commas.")] = None,
    sections: Annotated[
        str | None, typer.Option(help="Sections to write, with commas: verdict, overview, drives, joints, causes ...")
    ] = None,
    fastest: Annotated[
        bool, typer.Option("--fastest", help="With a section on the fastest motion on the same path.")
    ] = False,
    hours: Annotated[float | None, typer.Option(help="Life (h) that the parts shall have.")] = None,
    revision: Annotated[
        list[str] | None, typer.Option(help="A revision for the block of signatures: 'A; 2026-03-01; first; M. N.'")
    ] = None,
    uncertain: Annotated[
        bool, typer.Option("--uncertainty", help="A section on how far utilisations may be off, and by which inputs.")
    ] = False,
    paper: Annotated[PaperSize, typer.Option(help="Paper of a PDF.")] = PaperSize.a4,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The file to write, .html or .pdf; '-' is standard output (HTML).")
    ] = "report.html",
    as_json: AsJson = False,
) -> None:
    """The verdict on a robot, its torques and joint wrenches and where they come from, over a motion, as one file."""
    with errors_reported():
        if as_json and output in STANDARD_OUTPUT:
            raise ValueError("--json and a page on standard output: give -o a file")
        if output not in STANDARD_OUTPUT:
            check_name(output)
            check_writable(output)
        named = find(robot).with_payload(carried)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", lp.ModelWarning)
            moving = duty_for(named, asked) or motion_for(named, asked)
        messages = [*named.warnings, *(str(warning.message) for warning in caught)]
        words: dict[str, Any] = {
            "revisions": revisions_of(revision),
            "notes": messages,
            "sources": sources_of(robot, asked, named, moving),
            "joints": None if joints is None else [joint_of(named.robot, name) for name in names_in(joints) or ()],
            "only": names_in(sections),
            "fastest": fastest,
        }
        words["hours"] = named.hours if hours is None else hours
        with busy(f"Compiling and examining {named.robot.name} ..."):
            words |= {"external": named.external, "exceptions": named.exceptions} if named.rover is None else {
                **named.base_state, "standards": named.standards}
            if uncertain:
                words["uncertainty"] = uncertainty(_only_its_own(named), moving, hours=words["hours"])
            with part(SHARE_OF_SECTIONS):
                made = robot_report(named.robot if named.rover is None else named.rover, moving, **words)
            if output not in STANDARD_OUTPUT:
                with part(1.0):  # its kernels, which compute the page anew, take most of the time
                    made.save(output, paper=paper.value)
    if as_json:
        judged = None if made.verdict is None else made.verdict.as_dict()
        print_json(robot=named.robot.name, verdict=judged, title=made.title, file=output,
                   bytes=Path(output).stat().st_size,
                   sections=[section.title for section in made.sections], warnings=list(made.warnings))
        return
    if output in STANDARD_OUTPUT:
        print_page(made)
    print_notes(named.carried_on(carried), None if made.verdict is None else f"verdict: {made.verdict.summary}")
    print_warnings(list(made.warnings))
    if output not in STANDARD_OUTPUT:
        through = writes_through(output)
        how = "" if Path(output).suffix.lower() == PDF else ": open it in a browser"
        size = "" if through else f" ({Path(output).stat().st_size / 1e6:.1f} MB){how}"
        wrote(output, size)


def _only_its_own(named: Named) -> lp.Robot:
    """The robot whose numbers are uncertain; derivatives are of its own motion and weight."""
    if named.rover is not None or named.external:
        raise ValueError("--uncertainty is of robots without wheels and wrenches from outside")
    return named.robot


def names_in(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def revisions_of(texts: list[str] | None) -> list[list[str]]:
    """Rows for the block of signatures."""
    return [[part.strip() for part in text.split(";")] for text in texts or ()]


def sources_of(robot: str, asked: MotionAsked, named: Named, moving: Any) -> dict[str, Any]:
    """Where robot and motion come from, the hashes of their files, and the command that makes the page again."""
    has_own = named.project is not None and named.project.motion is not None
    own_motion = has_own and asked.motion is None and asked.duration is None
    sources: dict[str, Any] = _sources(robot, robot if own_motion else asked.motion or SWING)
    if named.project is not None:
        sources |= _inside(sources, named.project.robot_source, getattr(moving, "source", "") if own_motion else "")
    files = [name for name in (robot, asked.motion) if name and Path(name).is_file()]
    files += [] if named.project is None else [str(path) for path in named.project.files]
    files += mesh_files(named.robot)
    sources |= {"Files": files_in_words(files)} if files else {}
    sources["Made again by"] = shlex.join(["loadpath", *sys.argv[1:]])
    return sources


def _sources(robot: str, motion: str) -> dict[str, str]:
    """Where robot and motion come from, with the times of the files: an attachment outlives them."""
    where = {}
    for word, name in (("Robot from", robot), ("Motion from", motion)):
        path = Path(name.rpartition(":")[0] if ".py:" in name else name)
        if path.is_file():
            changed = datetime.fromtimestamp(path.stat().st_mtime).astimezone()
            where[word] = f"{name}, of {changed:%Y-%m-%d %H:%M}"
        elif word == "Robot from":
            where[word] = f"the catalog, {name}"
        else:
            where[word] = "a swing of every joint through its range, from rest to rest within the limits of speed"
    return where


def _inside(sources: dict[str, str], robot: str, motion: str) -> dict[str, str]:
    """The same with the files that a project file names."""
    names = {"Robot from": robot, "Motion from": motion}
    return {word: f"{names[word]}, by {text}" for word, text in sources.items() if names.get(word)}


def print_page(made: Report) -> None:
    """The page on standard output, as bytes, so that the terminal's encoding does not change it."""
    sys.stdout.flush()
    remaining = memoryview(made.html.encode())
    while remaining:  # with PYTHONUNBUFFERED, a part may be all that is written at a time
        remaining = remaining[sys.stdout.buffer.write(remaining) :]
    sys.stdout.buffer.flush()
