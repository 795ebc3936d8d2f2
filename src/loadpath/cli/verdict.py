"""`loadpath verdict project.toml`: does every part hold, for how long, and what limits it."""

from __future__ import annotations

import warnings

import typer

import loadpath as lp
from loadpath.cli.json_output import print_json
from loadpath.cli.messages import errors_reported, print_notes, print_warnings, progress
from loadpath.parts.verdict.table import write_csv

NOT_HOLDING = 1


def verdict(cell: str, *, as_json: bool, csv: str | None, unchecked: bool) -> None:
    """The verdict as a table, or as JSON; exit code 1 unless everything was checked and holds."""
    with errors_reported():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", lp.ModelWarning)
            read = lp.load_cell(cell)
            with progress(f"Examining {read.robot.name}") as report:
                found = read.verdict(progress=report)
        if csv is not None:
            write_csv(found, csv)
        if as_json:
            print_json(robot=read.robot.name, holds=found.holds, summary=found.summary, hours=found.hours,
                       states_that_are_not_numbers=found.unknown_count, checks=found.to_rows(),
                       warnings=[str(warning.message) for warning in caught])  # fmt: skip
        else:
            typer.echo(str(found))
    if not as_json:
        print_warnings([str(warning.message) for warning in caught])
    held = not found.failing and not found.unknown_count and bool(found.ranked)
    if held and found.not_checked and not unchecked:
        print_notes(f"{len(found.not_checked)} checks could not be made, so nothing is claimed: give what they need, "
                    "or --allow-unchecked")  # fmt: skip
    if not (held if unchecked else found.holds):
        raise typer.Exit(NOT_HOLDING)
