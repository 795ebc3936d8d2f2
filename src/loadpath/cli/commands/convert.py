"""`loadpath convert`: a robot's file in another format, with what is lost on the way."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import STANDARD_OUTPUT, AsJson, RobotName

if will_run():

    from loadpath.api.loading import read, robot_of
    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import errors_reported, print_notes, print_warnings, wrote
    from loadpath.cli.options import xacro_options
    from loadpath.cli.robots import Named, find, is_robot_file, lines_of
    from loadpath.files.formats import Format, format_named, format_of_ending, formats
    from loadpath.whole_file import check_writable, write_whole, writes_through


def convert(
    robot: RobotName,
    output: Annotated[
        str,
        typer.Argument(
            metavar="OUTPUT",
            help="The file to write, whose ending says the format: .urdf, .xml or .mjcf (MJCF), .sdf; '-' is standard "
            "output.",
        ),
    ],
    *,
    to: Annotated[str | None, typer.Option("--to", help="The format: urdf, mjcf or sdf; by default by ending.")] = None,
    packages: Annotated[
        list[str] | None, typer.Option("--packages", help="A folder with packages of package://; several times.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse a robot with warnings about it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Read a robot, write it in another format, and report what is lost."""
    printed = output in STANDARD_OUTPUT
    with errors_reported():
        target = _format(output, to)
        if not printed:
            _refuse_itself(robot, output)
            check_writable(output)
        elif as_json:
            raise ValueError("--json and the robot would both go to standard output: name a file to write")
        named, left_out = _found(robot, packages or (), strict)
        if named.rover is not None:
            raise lp.ModelError(f"'{robot}' is a rover: no robot file has a word for its base and wheels; write its "
                                "robots from Python, rover.robot.to_urdf('arm.urdf')")
        written = target.write(named.robot)
        if not printed:
            write_whole(output, lambda file: file.write(written.text.encode()))
    if printed:
        sys.stdout.write(written.text)
    elif as_json:
        print_json(robot=named.robot.name, format=target.name, file=output, lost=list(written.lost), left_out=left_out,
                   warnings=named.warnings)
    else:
        size = "" if writes_through(output) else f" ({Path(output).stat().st_size / 1e3:.1f} kB)"
        wrote(output, f", {target.name}{size}")
    if not as_json:
        print_warnings([*named.warnings, *(f"lost: {sentence}" for sentence in written.lost)])
        print_notes(*(f"not read: {sentence}" for sentence in left_out))


def _refuse_itself(robot: str, output: str) -> None:
    """A file written over itself would lose its comments and all that is not read."""
    read, written = Path(robot), Path(output)
    try:
        same = read.is_file() and written.is_file() and read.samefile(written)
    except OSError:
        return
    if same:
        raise ValueError(f"'{output}' is the file that is read: what is not read of it, and comments, would be gone; "
                         "name another one")


def _format(output: str, to: str | None) -> Format:
    """The format to write: the one that is named, or the one of the ending."""
    found = format_of_ending(Path(output).suffix)
    if to is not None:
        if found is not None and found != format_named(to):
            raise ValueError(f"'{output}' ends as files of {found.name} do, and --to is {to}: take one of the two")
        return format_named(to)
    if found is None:
        written = (row for row in formats() if row.writer and row.endings)
        endings = ", ".join(f"{' or '.join(row.endings)} ({row.name})" for row in written)
        raise ValueError(f"'{output}' does not say its format: expected a name that ends in {endings}, or --to")
    return found


def _found(robot: str, packages: Sequence[str], strict: bool) -> tuple[Named, list[str]]:
    """The robot, and what of its file is left out and changes no motion."""
    asked = xacro_options()
    if not (is_robot_file(robot) or asked or packages or strict):
        return find(robot), []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", lp.ModelWarning)
        given = read(robot, strict=strict, package_paths=list(packages), **asked)
        loaded = robot_of(given, robot)
    return Named(loaded, [line for warning in caught for line in lines_of(str(warning.message))]), list(given.notes)
