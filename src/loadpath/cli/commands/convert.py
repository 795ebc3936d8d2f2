"""`loadpath convert`: its arguments and options."""

from __future__ import annotations

from typing import Annotated

import typer

from loadpath.cli.options import AsJson, RobotName


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
    """A robot's file in another format; what that format cannot say is reported."""
    from loadpath.cli import convert as work

    work.convert(robot, output, to=to, packages=packages or [], strict=strict, as_json=as_json)
