"""`loadpath size`: which parts of tables to take at the joints, and why not others."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import AsJson, Carried, MotionAsked, RobotName

if will_run():
    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import busy, errors_reported, print_notes, print_warnings, show, terminal, wrote
    from loadpath.cli.robots import Named, find
    from loadpath.cli.states import duty_for
    from loadpath.cli.tables import Sheet, titled
    from loadpath.parts.sizing.result import Choice, Sizing
    from loadpath.printable import printable
    from loadpath.tables import Table, write_table
    from loadpath.whole_file import check_ending, check_writable

NONE = 1
"""The exit code where no combination holds."""
MOST_IN_JSON = 1000
LESS_IMPORTANT = ("not checked", "at least", "mass (kg)")


def size(
    robot: RobotName = "panda",
    *,
    asked: MotionAsked,
    carried: Carried,
    table: Annotated[
        list[str] | None,
        typer.Option(help="Parts to choose from at a joint, as joint2=gears.csv; several, or again for more joints."),
    ] = None,
    minimise: Annotated[
        str | None, typer.Option(help="What is to be small: mass, or columns of the tables, with commas.")
    ] = None,
    hours: Annotated[float | None, typer.Option(help="Life (h) that the parts shall have.")] = None,
    count: Annotated[int | None, typer.Option(min=1, help="How many of the best are shown.")] = None,
    exhaustive: Annotated[
        bool | None, typer.Option(help="Judge every combination, or search; else as many as there are.")
    ] = None,
    why: Annotated[bool, typer.Option("--why", help="Why parts are rejected: a table of all of them.")] = False,
    csv: Annotated[str | None, typer.Option(help="A CSV file to write: a row for each that holds.")] = None,
    as_json: AsJson = False,
) -> None:
    """Which parts of tables hold together, the lightest of them, and why others do not; exit code 1 if none does."""
    with errors_reported():
        if csv is not None:
            check_ending(csv, (".csv",), "a table of sizes")
            check_writable(csv)
        named = find(robot).with_payload(carried)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", lp.ModelWarning)
            options = {"minimise": None if minimise is None else tuple(_names(minimise)), "hours": hours,
                       "count": count, "exhaustive": exhaustive}
            moving = duty_for(named, asked)
            with busy(f"Choosing parts of {named.name} ..."):
                found = _found(named, moving, table or [], options)
        shown = found.front if len(found.aims) > 1 else found.feasible
        shown = shown[: 10 if count is None else count]
        if csv is not None:
            write_table(csv, _columns(found), [_row(found, choice) for choice in found.feasible])
    messages = [*named.warnings, *dict.fromkeys(str(warning.message) for warning in caught)]
    if as_json:
        _print_json(named, found, messages, csv)
    else:
        _print(found, shown, why=why)
        print_notes(named.carried_on(carried), _apart(named))
        print_warnings(messages)
        if csv is not None:
            wrote(csv)
    if found.best is None:
        raise typer.Exit(NONE)


def _found(named: Named, moving: Any, tables: list[str], options: dict[str, Any]) -> Sizing:
    """By the tables of options, else those of the project."""
    if named.rover is not None:
        raise ValueError(f"'{named.name}' is a rover: size takes robots without wheels")
    if moving is None:
        raise ValueError("no motion is given")
    if not tables:
        if named.project is None or named.project.asked_sizes is None:
            raise ValueError("nothing to choose from: expected --table joint2=gears.csv, or a project file with "
                             '[size.choices] joint2 = "gears.csv"')
        return replace(named.project, robot=named.robot).size(moving, **options)
    choices: dict[str, list[lp.PartTable]] = {}
    for text in tables:
        joint, mark, files = text.partition("=")
        if not mark or not files:
            raise ValueError(f"--table {text}: expected a joint and a file of parts, like joint2=gears.csv")
        choices.setdefault(joint.strip(), []).extend(lp.parts.read(name) for name in _names(files))
    given = {key: value for key, value in options.items() if value is not None}
    return named.robot.size(moving, choices, external=named.external, **{"hours": named.hours, **given})


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _apart(named: Named) -> str | None:
    """What of the project is not judged here."""
    count = len(named.exceptions)
    return f"{count} exceptional case{'s' if count > 1 else ''} of the project not counted here: loadpath verdict on " \
        "what you take judges them" if count else None


def _columns(found: Sizing) -> list[str]:
    return [*found.joints, *found.aims, "utilisation", "not_checked"]


def _row(found: Sizing, choice: Choice) -> dict[str, Any]:
    named = {joint: " + ".join(names) for joint, names in choice.names.items()}
    return {**named, **choice.aims, "utilisation": choice.utilisation, "not_checked": len(choice.unchecked)}


def _print(found: Sizing, shown: tuple[Choice, ...], *, why: bool) -> None:
    console = terminal()
    lines = str(found).splitlines()
    show(console, lines[0], "")
    if shown:
        rows = [[*(" + ".join(choice.names[joint]) for joint in found.joints),
                 *(f"{value:.6g}" for value in choice.aims.values()), f"{100 * choice.utilisation:.1f} %",
                 str(len(choice.unchecked))] for choice in shown]
        title = "None is better in all aims" if len(found.aims) > 1 else f"Least {found.aims[0]}"
        columns = [*found.joints, *found.aims, "used", "not checked"]
        show(console, titled(title, Sheet.of(Table(title, columns, rows, left=len(found.joints)), LESS_IMPORTANT)))
    else:
        show(console, *(printable(line) for line in lines[1:2]))
    for joint, smaller in found.smaller.items():
        label = next(option.label for option in smaller.options if option.joint == joint)
        show(console, printable(f"not {label} at {joint}: {smaller.words}"))
    if why or not shown:
        table = found.table()
        show(console, "", titled(table.title, Sheet.of(table, LESS_IMPORTANT)))


def _print_json(named: Named, found: Sizing, messages: list[str], csv: str | None) -> None:
    table = found.table()
    smaller = {joint: {"parts": next(option.label for option in one.options if option.joint == joint),
                       "words": one.words, "utilisation": one.utilisation} for joint, one in found.smaller.items()}
    print_json(robot=named.name, combinations=found.combinations, method=found.method, judged=found.judged,
               aims=list(found.aims), holding=found.count, known=found.known,
               best=None if found.best is None else _row(found, found.best),
               feasible=[_row(found, choice) for choice in found.feasible[:MOST_IN_JSON]],
               front=[_row(found, choice) for choice in found.front[:MOST_IN_JSON]], smaller=smaller,
               rejected=[dict(zip(table.columns, row, strict=True)) for row in table.rows],
               not_checked=list(found.notes), file=None if csv is None else str(Path(csv)), warnings=messages)
