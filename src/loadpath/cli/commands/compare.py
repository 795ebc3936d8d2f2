"""`loadpath compare a b`: two designs over one motion, in the terminal and as a page."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import AsJson, Carried, MotionAsked, complete_robots

if will_run():
    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import busy, errors_reported, print_warnings, show, terminal, wrote
    from loadpath.cli.robots import find
    from loadpath.cli.states import duty_for, motion_for
    from loadpath.cli.tables import Sheet, titled
    from loadpath.printable import printable
    from loadpath.report.comparison import Design, compared
    from loadpath.report.report import check_name
    from loadpath.whole_file import check_writable

MOST_CAUSES = 3
"""Causes of each load in JSON, those that changed most."""


def compare(
    first: Annotated[
        str,
        typer.Argument(
            metavar="ROBOT",
            help="The one design: a project file, a robot's file, or a robot of the catalog.",
            autocompletion=complete_robots,
        ),
    ],
    second: Annotated[str, typer.Argument(metavar="ROBOT", help="The other design.", autocompletion=complete_robots)],
    *,
    asked: MotionAsked,
    carried: Carried,
    fastest: Annotated[bool, typer.Option("--fastest", help="With the fastest motions on the same path.")] = False,
    output: Annotated[str | None, typer.Option("--output", "-o", help="An HTML or PDF file to write as well.")] = None,
    as_json: AsJson = False,
) -> None:
    """Two designs side by side."""
    with errors_reported():
        if output is not None:
            check_name(output)
            check_writable(output)
        designs = [find(name).with_payload(carried) for name in (first, second)]
        kinds = [one.rover is not None for one in designs]
        if kinds[0] != kinds[1]:
            on, off = (first, second) if kinds[0] else (second, first)
            raise ValueError(f"'{on}' is a rover and '{off}' is a robot: compare takes two rovers, or two robots")
        if designs[0].external != designs[1].external:
            raise ValueError(f"{first} and {second} have different external wrenches: their loads cannot be compared; "
                             "give both the same")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", lp.ModelWarning)
            motions = [duty_for(one, asked) or motion_for(one, asked) for one in designs]
        if asked.motion is None and (designs[1].project is None or designs[1].project.motion is None):
            motions[1] = motions[0]  # of robots without a motion of their own both do the swing of the first
        hours = next((one.hours for one in designs if one.hours is not None), None)
        labels = _short(first, second)
        with busy(f"Compiling and comparing {labels[0]} and {labels[1]} ..."):
            both = [Design(one.robot, own, {"external": one.external}, one.exceptions) if one.rover is None else
                    Design(one.rover, own, one.base_state) for one, own in zip(designs, motions, strict=True)]
            found = compared(both[0], both[1], hours, labels, fastest)
            if output is not None:
                found.report().save(output)
    if as_json:
        _print_json(found, output)
        return
    console = terminal()
    show(console, *(printable(line) for line in found._verdict_lines()), "")
    for table in found._tables():
        show(console, titled(table.title, Sheet.of(table)))
    print_warnings(
        [*(text for one in designs for text in one.warnings), *(str(w.message) for w in caught), *found.warnings]
    )
    if output is not None:
        wrote(output)


def _print_json(found: lp.Comparison, output: str | None) -> None:
    loads = [{"name": row.name, "quantity": row.quantity, "unit": row.unit, "first": row.first, "second": row.second,
              "change": row.change, "causes": [part._asdict() for part in row.causes[:MOST_CAUSES]]}
             for row in found.rows]
    fastest = None if found.fastest is None else [getattr(each, "duration", None) for each in found.fastest]
    verdicts = [None if one is None else one.as_dict() for one in found.verdicts]
    print_json(designs=found.labels, verdicts=verdicts, loads=loads, checks=[check._asdict() for check in found.checks],
               only_first=found.only_first, only_second=found.only_second, fastest=fastest, file=output,
               warnings=list(found.warnings))


def _short(first: str, second: str) -> tuple[str, str]:
    """Names of files without what they have in common."""
    a, b = Path(first), Path(second)
    return (a.stem, b.stem) if a.stem != b.stem else (first, second)
