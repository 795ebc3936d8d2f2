"""`loadpath new`: a commented project file for a robot, which can be used as it is."""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import STANDARD_OUTPUT, AsJson, RobotName

if will_run():
    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import busy, errors_reported, print_notes, print_warnings, wrote
    from loadpath.cli.robots import find
    from loadpath.errors import ModelError
    from loadpath.files.opening import is_description
    from loadpath.parts.verdict.result import Verdict
    from loadpath.printable import storable
    from loadpath.project.document import Document
    from loadpath.project.project import project_of
    from loadpath.project.schema import schema as project_schema
    from loadpath.project.sources import bare_robot
    from loadpath.project.template import Choice, beam_links, project_text
    from loadpath.whole_file import check_ending, check_writable, write_whole

TRIES = 10
"""Times that payload, speed, wheels and beams are changed until everything holds."""
WIDER = 1.5
SLOWEST = 20.0
"""Seconds of a swing, after which its speed is not what loads a robot."""


def new(
    robot: RobotName = "panda",
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The file to write, .toml; '-' is standard output.")
    ] = "project.toml",
    base: Annotated[bool, typer.Option("--base", help="Put the robot on a base with wheels.")] = False,
    beams: Annotated[bool, typer.Option("--beams", help="Give its links beams that bend.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of project files, for editors, and stop.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """A project file for a robot, of the catalog or from a file."""
    if schema:
        typer.echo(json.dumps(project_schema(), indent=1))
        return
    with errors_reported():
        if output not in STANDARD_OUTPUT:
            check_ending(output, (".toml",), "a project")
            check_writable(output)
            if Path(output).exists() and not force:
                raise ValueError(f"{output} is there already: --force replaces it, -o takes another name")
        named = find(robot)
        if named.project is not None or named.rover is not None or ".py" in Path(robot).suffix:
            raise ValueError(f"'{robot}': expected a robot of the catalog or a robot's file, as arm.urdf"
                             f"{'; it is a project file' if named.project is not None else ''}")
        if beams and not beam_links(named.robot):
            raise ValueError(f"robot '{named.robot.name}' has no link with a length that could bend: leave --beams out")
        source = _source(robot, output)
        with busy(f"Compiling and examining {named.robot.name} ..."):
            text, words, holds = _settled(named.robot, source, _first(named.robot, base=base, beams=beams), output)
        if output not in STANDARD_OUTPUT:
            write_whole(output, lambda file: file.write(text.encode()))
    if as_json:
        print_json(robot=named.robot.name, file=None if output in STANDARD_OUTPUT else output, text=text, holds=holds,
                   summary=words, warnings=named.warnings)
        return
    if output in STANDARD_OUTPUT:
        typer.echo(text, nl=False)
    else:
        outside = _names_what_is_outside(text, output)
        then = "rover" if base else "deflect" if beams else "report"
        wrote(output, f"; try: loadpath {then} {output}{' --trust' if outside else ''}")
        if outside:
            print_notes(f"a project file reads its robot from elsewhere, or downloads it, only with --trust; {output} "
                        "beside the robot's file needs none")
    print_notes(words)
    print_warnings(named.warnings)


def _names_what_is_outside(text: str, output: str) -> bool:
    """Whether a project file names a robot that it may read only if it is trusted."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lp.ModelWarning)
            bare_robot(Document(Path(output), text.encode()))
    except ModelError:
        return True
    return False


def _source(robot: str, output: str) -> list[str]:
    """Where the robot comes from, in the words of the file; paths are relative to its folder."""
    if not Path(robot).is_file():
        if is_description(robot):
            return [f'file = "{robot}"']
        head, _, inside = robot.rpartition(":")
        if not (head and Path(head).is_file()):
            return [f'catalog = "{robot}"']
        return [f"file = {json.dumps(f'{_relative(head, output)}:{inside}', ensure_ascii=False)}"]
    return [f"file = {json.dumps(_relative(robot, output), ensure_ascii=False)}"]


def _relative(path: str, output: str) -> str:
    folder = Path() if output in STANDARD_OUTPUT else Path(output).parent
    relative = Path(os.path.relpath(path, folder)).as_posix()
    if storable(relative) != relative:
        raise ValueError(f"the name '{relative}' is not in UTF-8, and a project file is: rename the file of the robot")
    return relative


def _first(robot: lp.Robot, *, base: bool, beams: bool) -> Choice:
    """What is tried first: a payload of 1 kg where it is clear where it goes."""
    link: str | None = None
    with warnings.catch_warnings():
        warnings.simplefilter("error", lp.ModelWarning)
        try:
            loaded = robot.with_payload(1.0)
            link = next(joint.parent for joint in loaded.joints if joint.name == "payload_joint")
        except (ValueError, lp.ModelWarning, StopIteration):
            link = None
    return Choice(None if link is None else 1.0, None, link, 0.3 if base else None, 1.0 if beams else None)


def _settled(robot: lp.Robot, source: list[str], choice: Choice, output: str) -> tuple[str, str, bool]:
    """The text, its verdict in words and whether it holds; numbers are changed until it does, or nothing helps."""
    path = Path("project.toml") if output in STANDARD_OUTPUT else Path(output)
    quick: tuple[str, str, bool] | None = None
    for _ in range(TRIES):
        text = project_text(robot, source, choice)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lp.ModelWarning)
            project = project_of(Document(path, text.encode(), trust=True))  # its user named the robot
            try:
                found = project.verdict()
            except ValueError as problem:  # without limits and parts there is nothing to judge
                return text, str(problem), False
        if not found.failing:
            return text, found.summary, found.holds
        if choice.duration is None:
            quick = text, found.summary, found.holds
        changed = _changed(choice, found, project.motion)
        if changed is None:
            break
        choice = changed
    return quick or (text, found.summary, found.holds)  # what holds at no speed is not made slow for nothing


def _changed(choice: Choice, found: Verdict, motion: object) -> Choice | None:
    """Another choice, for what fails: stiffer beams, wider wheels, less payload, a slower swing."""
    failing = {row.part for row in found.failing}
    if "beam" in failing and choice.beam_scale is not None:
        return replace(choice, beam_scale=WIDER * choice.beam_scale)
    if failing & {"base", "wheel"} and choice.half_width is not None:
        return replace(choice, half_width=WIDER * choice.half_width)
    if choice.payload is not None:
        return replace(choice, payload=0.1 if choice.payload > 0.1 else None)
    if isinstance(motion, lp.Motion) and (choice.duration is None or choice.duration < SLOWEST):
        return replace(choice, duration=2 * float(motion.t[-1]))
    return None
