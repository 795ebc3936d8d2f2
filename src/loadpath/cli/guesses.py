"""What a log or a typed state does not say is guessed, shown, and read so only if the user agrees: at the terminal by
an answer, elsewhere by `--yes`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import typer
from rich.table import Table
from rich.text import Text

import loadpath as lp
from loadpath.cli.messages import show, terminal
from loadpath.motion.logs.guess import IN_ORDER, Meaning, guessed_columns, guessed_units, meanings
from loadpath.motion.logs.log import HowToRead
from loadpath.printable import printable

MOST_SHOWN = 16
"""Columns of a log that are shown."""
_IN_ORDER_NOTE = "numbered columns were taken in the order"
_CERTAIN_STEMS = ("actual_q", "target_q")  # UR's, which counts from the base


def at_terminal() -> bool:
    """Whether somebody is there who can answer."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def agreed(yes: bool, guess: str, instead: str) -> None:
    """Go on if the user takes a guess, which is a sentence; an error otherwise, which says what to type."""
    if yes:
        return
    if not at_terminal():
        raise ValueError(f"{guess} is a guess, and nobody can confirm it here: --yes takes it; {instead} says it")
    if not typer.confirm(f"{guess}. Is that right?", default=True, err=True):
        raise ValueError(f"say what is right with {instead}")


def read_log(
    read: Callable[..., lp.Motion], name: str, robot: lp.Robot, arguments: Mapping[str, Any], table: bool, *,
    yes: bool, degrees: bool | None,
) -> lp.Motion:
    """A motion from a file (a `table`, or arrays), read as it says itself and as the user says; what neither says is
    guessed and shown.
    """
    said = dict(arguments)
    why: dict[str, str] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = read(name, robot, **said)
        except ValueError as problem:
            guess = guessed_columns(name, robot) if table and not said.get("columns") else None
            if guess is None:
                raise
            said["columns"] = {column: label for column, (label, _) in guess.items()}
            why = {column: reason for column, (_, reason) in guess.items()}
            caught.clear()
            try:
                found = read(name, robot, **said)
            except ValueError:
                raise problem from None
        if "columns" not in said and any(text.startswith(_IN_ORDER_NOTE) for text in found.notes):
            why |= {one.column: IN_ORDER for one in meanings(name, robot, _how(said))
                    if f"'{one.column}' is {one.label}" in " ".join(found.notes) and not _is_certain(one.column)}
        units: dict[str, str] = {}
        for _ in range(2):  # once the time is right, speeds are
            more = _other_units(robot, found, said, degrees, table)
            if not more:
                break
            units |= more.pop("why")
            said |= more
            caught.clear()
            found = read(name, robot, **said)
    if why or units:
        columns = meanings(name, robot, _how(said)) if table else []
        if table:
            _show_table(name, columns, why, units)
        else:
            show(terminal(stderr=True), f"{name} says no units; {', '.join(f'{k}: {v}' for k, v in units.items())}")
        agreed(yes, f"{name} read as above", _instead(list(why), units, columns))
    for warning in caught:
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return found


def _how(said: Mapping[str, Any]) -> HowToRead:
    return HowToRead(bool(said.get("degrees")), said.get("units") or {}, said.get("columns"))


def _is_certain(column: str) -> bool:
    return column.lower().startswith(_CERTAIN_STEMS)


def _other_units(
    robot: lp.Robot, found: lp.Motion, said: Mapping[str, Any], degrees: bool | None, table: bool
) -> dict[str, Any]:
    """Arguments by which a log whose units nobody says would fit the robot; none where it does."""
    guessed = guessed_units(robot, found.t, found.q, found.qd)
    units = dict(said.get("units") or {})
    more: dict[str, Any] = {}
    why: dict[str, str] = {}
    if degrees is None and not said.get("degrees") and "q" in guessed and "q" not in units:
        more["degrees"], why["angles without a unit in degrees"] = True, guessed["q"][1]
    if table and "q (m)" in guessed and "q" not in units:
        units |= {"q": "mm", "qd": "mm/s", "qdd": "mm/s^2"}
        why["lengths without a unit in mm"] = guessed["q (m)"][1]
    if table and "t" in guessed and "t" not in units:
        units["t"] = guessed["t"][0]
        why[f"times in {units['t']}"] = guessed["t"][1]
    if units != (said.get("units") or {}):
        more["units"] = units
    return {**more, "why": why} if more else {}


def _show_table(name: str, columns: Sequence[Meaning], why: Mapping[str, str], units: Mapping[str, str]) -> None:
    """The columns as they are taken, with their first rows."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for title in ("column", "taken as", "unit", "first rows", "because"):
        table.add_column(title, overflow="fold")
    for one in columns[:MOST_SHOWN]:
        table.add_row(*(Text(printable(text)) for text in (
            one.column, one.label, one.unit, ", ".join(map(_short, one.first)), why.get(one.column, "it says so"))))
    console = terminal(stderr=True)
    show(console, f"{name} does not say everything. What it may mean:", "", table)
    if len(columns) > MOST_SHOWN:
        show(console, f"and {len(columns) - MOST_SHOWN} more columns")
    show(console, *(f"{unit}: {reason}" for unit, reason in units.items()), "")


def _short(cell: str) -> str:
    """A number in few digits, a text in few letters.

    >>> _short("-0.0000698"), _short("2026-05-04T12:30:00")
    ('-6.98e-05', '2026-05-04T12:30:00')
    """
    try:
        return f"{float(cell.replace(',', '.')) + 0.0:.4g}"
    except ValueError:
        return cell[:32]


def _instead(why: Sequence[str], units: Mapping[str, str], columns: Sequence[Meaning]) -> str:
    """Options that say what was guessed, or deny it."""
    options = []
    if why:
        one = next(one for one in columns if one.column in why)
        options.append(f"--columns '{one.column}={one.label.removeprefix('q.')}'{' and so on' if len(why) > 1 else ''}")
    if any("degrees" in text for text in units):
        options.append("--radians")
    if any("times" in text for text in units):
        options.append("--units t=s")
    if any("lengths" in text for text in units):
        options.append("--units q=m")
    return " or ".join(options)
