"""`loadpath verdict`: its arguments and options."""

from __future__ import annotations

from typing import Annotated

import typer

from loadpath.cli import completion
from loadpath.cli.options import AsJson


def verdict(
    cell: Annotated[
        str,
        typer.Argument(
            metavar="PROJECT",
            help="A project file (.toml) with a robot or rover, its drives, parts and motion.",
            autocompletion=completion.projects,
        ),
    ],
    *,
    as_json: AsJson = False,
    csv: Annotated[str | None, typer.Option(help="A CSV file to write, in addition.")] = None,
    unchecked: Annotated[
        bool, typer.Option("--allow-unchecked", help="Exit code 0 also if some checks could not be made.")
    ] = False,
) -> None:
    """Does every part hold over its motion, how long, what limits it; exit code 1 unless all was checked and holds."""
    from loadpath.cli import verdict as work

    work.verdict(cell, as_json=as_json, csv=csv, unchecked=unchecked)
