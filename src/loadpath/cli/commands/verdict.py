"""`loadpath verdict`: does every part hold, for how long, and what limits it."""

from __future__ import annotations

import warnings
from typing import Annotated

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import AsJson, Carried, MotionAsked, RobotName

if will_run():
    from rich.text import Text

    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import as_keys, busy, errors_reported, print_notes, print_warnings, show, terminal
    from loadpath.cli.robots import find
    from loadpath.cli.states import duty_for, verdict_on
    from loadpath.cli.tables import Sheet
    from loadpath.parts.verdict.result import Verdict
    from loadpath.parts.verdict.table import exception_words, open_words, write_csv
    from loadpath.parts.verdict.table import table as verdict_table
    from loadpath.printable import printable
    from loadpath.whole_file import check_ending, check_writable

NOT_HOLDING = 1
LESS_IMPORTANT = ("mostly by", "at", "part", "life (h)", "capacity", "demand", "unit")
"""Columns that are left out where the terminal is too narrow for all, in this order."""


def verdict(
    robot: RobotName = "panda",
    *,
    asked: MotionAsked,
    carried: Carried,
    hours: Annotated[float | None, typer.Option(help="Life (h) that the parts shall have.")] = None,
    as_json: AsJson = False,
    csv: Annotated[str | None, typer.Option(help="A CSV file to write, in addition.")] = None,
    unchecked: Annotated[
        bool, typer.Option("--allow-unchecked", help="Exit code 0 also if some checks could not be made.")
    ] = False,
) -> None:
    """The verdict as a table, or as JSON; exit code 1 unless everything was checked and holds."""
    with errors_reported():
        if csv is not None:
            check_ending(csv, (".csv",), "a table of checks")
            check_writable(csv)
        named = find(robot).with_payload(carried)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", lp.ModelWarning)
            moving = duty_for(named, asked)
            with busy(f"Examining {named.name} ..."):
                found = verdict_on(named, moving, hours=hours)
        if csv is not None:
            write_csv(found, csv)
    messages = [*named.warnings, *(str(warning.message) for warning in caught)]
    if as_json:
        print_json(**found.as_dict(), warnings=messages)
    else:
        print_verdict(found)
        print_notes(named.carried_on(carried))
        print_warnings(messages)
    held = not found.failing and not found.unknown_count and bool(found.ranked)
    if held and found.open_count and not unchecked:
        count = found.open_count
        print_notes(f"{count} check{'s' if count > 1 else ''} could not be made, so nothing is claimed: give what "
                    f"{'they need' if count > 1 else 'it needs'}, or --allow-unchecked")
    if not (held if unchecked else found.holds):
        raise typer.Exit(NOT_HOLDING)


def print_verdict(found: Verdict) -> None:
    """The sentence, a table of all rows as wide as the terminal lets it be, and why checks were not made."""
    console = terminal()
    table = verdict_table(found)
    show(console, Text(table.title, style="bold"), "", Sheet.of(table, LESS_IMPORTANT))
    for line in [*open_words(found), *exception_words(found)]:
        show(console, printable(as_keys(line)))
    if found.tip_error is not None:
        show(console, f"Twist of gears: {repr(found.tip_error)[1:-1]}")
