"""`loadpath check`: what is wrong with a robot, and its file mended."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import AsJson, RobotName

if will_run():
    from rich.console import RenderableType
    from rich.padding import Padding
    from rich.text import Text

    from loadpath.cli.messages import busy, errors_reported, print_notes, show, terminal
    from loadpath.cli.options import xacro_options
    from loadpath.cli.robots import find, is_robot_file
    from loadpath.doctor.finding import SAFE, InertiaFix
    from loadpath.errors import ModelWarning
    from loadpath.printable import printable

UNSOUND = 1
_COLORS = {"error": "bold red", "warning": "yellow", "note": "dim"}
_INDENTED = (0, 0, 0, 9)


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
    """The findings as a table, or as JSON; exit code 1 if there are errors or warnings, in what is mended if it is."""
    kinds = (*(also or ()), *(SAFE if fix or also else ()))  # what is asked for by name comes first
    with errors_reported():
        if kinds and output is None:
            raise ValueError("to mend it, give the file to write: --output fixed.urdf")
        if output is not None and not kinds:
            raise ValueError("--output is given, but nothing is to be mended: give --fix")
        if "estimate" in kinds and density is None:
            raise ValueError("to estimate inertias from shapes, give a density: --density 1300")
        with busy(f"Examining {robot} ..."):
            found = _examined(robot, density, meshes, ignore or [])
        mended = found
        if output is not None:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", ModelWarning)
                found.write_fixed(output, kinds)
            print_notes(*(str(entry.message) for entry in caught), _changes(found, kinds, output))
            mended = _examined(output, density, meshes, ignore or [], near=robot)
    if as_json:
        typer.echo(mended.to_json())
    else:
        show(terminal(), _heading(mended), *_listed(mended))
    if not mended.sound:
        raise typer.Exit(UNSOUND)


def _examined(robot: str, density: float | None, meshes: bool, ignore: list[str], near: str = "") -> lp.Checkup:
    """The findings; packages of a file are looked for around the file that it was made from, too."""
    examined = robot if is_robot_file(robot) and not xacro_options() else find(robot).robot
    around = Path(near).absolute().parents if near else ()
    return lp.check(examined, density=density, meshes=meshes, ignore=ignore, package_paths=around)


def _changes(found: lp.Checkup, kinds: tuple[str, ...], output: str) -> str:
    """What was mended, in a line."""
    fixes = found.fixes(kinds)
    links = [fix.link for fix in fixes if isinstance(fix, InertiaFix)]
    joints = len(fixes) - len(links)
    said = [f"inertias of {len(links)} links ({', '.join(links[:4])}{', ...' if links[4:] else ''})"] if links else []
    said += [f"axes of {joints} joints"] if joints else []
    return f"{output}: {' and '.join(said) or 'nothing'} mended; what is left follows"


def _heading(found: lp.Checkup) -> Text:
    text = Text(printable(found.subject), style="bold")
    return text.append(f": {found.summary}", style="not bold")


def _listed(found: lp.Checkup) -> Iterator[RenderableType]:
    """Each finding under its severity, link or joint and rule: what is wrong, and what to do."""
    for finding in found.findings:
        head = Text(f"{finding.severity:<8} ", style=_COLORS[finding.severity])
        yield Text.assemble("\n", head, (printable(finding.where), "bold"), f"  {finding.rule}")
        yield Padding(Text(printable(finding.message)), _INDENTED, expand=False)
        asked = "" if finding.fix is None else _option(finding.fix.kind)
        if finding.remedy or asked:
            yield Padding(Text(f"-> {printable(finding.remedy)}{asked}", style="dim"), _INDENTED, expand=False)


def _option(kind: str) -> str:
    return " [--fix]" if kind in SAFE else f" [--also {kind}]"
