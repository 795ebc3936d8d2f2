"""`loadpath verdict cell.toml`: does every part hold, for how long, and what limits it."""

from __future__ import annotations

import json
import math
import warnings
from typing import Any

import typer

import loadpath as lp
from loadpath.cli.messages import busy, errors_reported, print_notes, print_warnings
from loadpath.parts.verdict.table import write_csv

NOT_HOLDING = 1


def verdict(cell: str, *, as_json: bool, csv: str | None, unchecked: bool) -> None:
    """The verdict as a table, or as JSON; exit code 1 unless everything was checked and holds."""
    with errors_reported():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", lp.ModelWarning)
            read = lp.load_cell(cell)
            with busy(f"Compiling and examining {read.robot.name} ..."):
                found = read.verdict()
        if csv is not None:
            write_csv(found, csv)
        if as_json:
            rows = [_finite(row) for row in found.to_rows()]
            made = {"robot": read.robot.name, "holds": found.holds, "summary": found.summary, "hours": found.hours,
                    "states_that_are_not_numbers": found.unknown_count, "checks": rows}  # fmt: skip
            typer.echo(json.dumps(made, indent=1, allow_nan=False))
        else:
            typer.echo(str(found))
    print_warnings([str(warning.message) for warning in caught])
    held = not found.failing and not found.unknown_count and bool(found.ranked)
    if held and found.not_checked and not unchecked:
        print_notes(f"{len(found.not_checked)} checks could not be made, so nothing is claimed: give what they need, "
                    "or --allow-unchecked")  # fmt: skip
    if not (held if unchecked else found.holds):
        raise typer.Exit(NOT_HOLDING)


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    """A row for JSON, which has no infinite numbers: the text "Infinity" stands for them, as of a life without end."""
    return {name: f"{'-' if value < 0 else ''}Infinity" if isinstance(value, float) and math.isinf(value) else value
            for name, value in row.items()}  # fmt: skip
