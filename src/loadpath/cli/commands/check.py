"""`loadpath check`: its arguments and options."""

from __future__ import annotations

from typing import Annotated

import typer

from loadpath.cli.options import AsJson, RobotName


def check(
    robot: RobotName,
    *,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what is safe: inertias that no body has, axes not of length 1.")
    ] = False,
    also: Annotated[
        list[str] | None,
        typer.Option("--also", help="Mend this too: massless, symmetry or estimate (with --density); several times."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="The file to write what is mended to: the URDF, else unchanged."),
    ] = None,
    density: Annotated[
        float | None,
        typer.Option("--density", help="kg/m^3, of links with a shape and no inertia, for --also estimate."),
    ] = None,
    meshes: Annotated[
        bool, typer.Option("--meshes/--no-meshes", help="Compare masses and inertias with shapes, which takes longest.")
    ] = True,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", help="A rule to leave out, as limits; several times.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """What is wrong or strange in a robot, and how to mend it; exit code 1 if there are errors or warnings."""
    from loadpath.cli import check as work

    work.check(
        robot,
        fix=fix,
        also=also or [],
        output=output,
        density=density,
        meshes=meshes,
        ignore=ignore or [],
        as_json=as_json,
    )
