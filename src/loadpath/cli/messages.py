"""What the commands print: tables on the terminal; warnings and errors on stderr, one line each.

Names from files are printed as they are, without markup, and what a terminal would obey is written out.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import typer
from rich.console import Console, RenderableType
from rich.text import Text

import loadpath as lp
from loadpath.cli.app import complain, print_traceback
from loadpath.digits import number
from loadpath.errors import IntegrationError, ModelWarning
from loadpath.printable import message_of, printable, printable_lines
from loadpath.progress import shown
from loadpath.report.closed import counts
from loadpath.report.collecting import one_a_kind

MOST_KINDS = 20
"""Kinds of warnings that are shown."""
WIDEST = 110

_KEYS = {
    "with_parts": "[parts]", "with_drives": "[drives]", "with_limits": "[limits]", "with_beams": "[beams]",
    "with_gravity": "gravity under [robot]", "with_pedigree": "[pedigree]",
}
"""What methods of a robot do, as tables of a project file."""
_ENTRY = {"with_parts": "[[parts.{}]]", "with_drives": "[drives.{}]", "with_limits": "[limits.{}]",
          "with_beams": "[beams.{}]"}
"""The same of one joint or link."""
_METHOD = re.compile(r"(?:robot|arm|rover)\.(with_[a-z]+)\((?:\{+'([^']+)'|[^()]*)?(?:[^()]|\([^()]*\))*\)")
_KEYWORD = re.compile(r"\b(link|joint|duration|payload|motion)=(?:'([^']*)'|([\w.+-]+))")


class _Terminal(Console):
    """A console that leaves it to the program how to end when its reader has left."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def terminal(stderr: bool = False) -> Console:
    console = _Terminal(stderr=stderr, highlight=False, soft_wrap=False, markup=False, emoji=False)
    console.width = min(console.width, WIDEST)
    return console


def show(console: Console, *parts: RenderableType) -> None:
    for part in parts:
        console.print(printable_lines(part) if isinstance(part, str) else part)


def heading(robot: lp.Robot, payload: float = 0.0) -> Text:
    mass = sum(link.inertia.mass for link in robot.links)
    text = Text(printable(robot.name), style="bold")
    text.append(f": {counts(robot)}, {number(mass)} kg", style="not bold")
    return text.append(f", of which {number(payload)} kg are payload", style="not bold") if payload else text


def print_warnings(messages: Sequence[str]) -> None:
    """Each kind of warning in one line, with the names it is about; limits that are exceeded come first."""
    kinds = one_a_kind(messages)
    _print_lines(kinds[:MOST_KINDS])
    if len(kinds) > MOST_KINDS:
        _print_lines([f"and {len(kinds) - MOST_KINDS} more kinds of warnings"])


def print_all_warnings(messages: Sequence[str]) -> None:
    """Each warning in a line of its own."""
    _print_lines(messages)


def print_notes(*notes: str | None) -> None:
    """What a command takes a robot for, where that is not obvious."""
    console = terminal(stderr=True)
    for note in notes:
        if note is not None:
            console.print(f"note: {printable(as_keys(note))}", soft_wrap=True)


def _print_lines(messages: Sequence[str]) -> None:
    console = terminal(stderr=True)
    for message in messages:
        text = message_of(printable(as_keys(message)))
        console.print(Text.assemble(("warning:", "yellow"), f" {text}"), soft_wrap=True)


def wrote(path: str, more: str = "") -> None:
    """A line that says which file was written."""
    terminal().print(Text.assemble("Wrote ", (printable(path), "bold"), f"{more}."), soft_wrap=True)


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Shows at a terminal how much of some work is done, as what works says it (`loadpath.progress`), and the time
    left; silent elsewhere, and with --no-progress.
    """
    with shown(what, terminal(stderr=True)):
        yield


@contextmanager
def errors_reported() -> Iterator[None]:
    """Turns what is wrong with a robot or a request into one line and exit code 2."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            yield
    except (ValueError, OSError, IntegrationError) as problem:  # ModelError is a ValueError
        if isinstance(problem, BrokenPipeError) and problem.filename is None:
            raise
        print_traceback()
        message = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
        file = f": {problem.filename}" if isinstance(problem, OSError) and problem.filename else ""
        raise typer.Exit(complain(_as_options("; ".join(f"{message}{file}".split("\n  "))))) from None
    except ImportError as problem:  # of a library that is not installed
        print_traceback()
        raise typer.Exit(complain(str(problem))) from None


def _as_options(message: str) -> str:
    """Arguments of Python as options of the command line.

    >>> _as_options("several ends: say which, like link='tool0'")
    'several ends: say which, like --link tool0'
    """
    return _KEYWORD.sub(lambda found: f"--{found[1]} {found[2] or found[3]}", as_keys(message))


def as_keys(message: str) -> str:
    """Methods of Python that a message advises, as what a user of commands writes: tables of a project file.

    >>> as_keys("give it parts, robot.with_parts({'joint1': [...]})")
    'give it parts, [[parts.joint1]] in a project file'
    >>> as_keys("it is rigid: robot.with_beams(...)")
    'it is rigid: [beams] in a project file'
    """
    return _METHOD.sub(_table_for, message)


def _table_for(found: re.Match[str]) -> str:
    method, name = found[1], found[2]
    if method == "with_payload":
        return "--payload"
    if method not in _KEYS:
        return found[0]
    table = _ENTRY[method].format(name) if name and method in _ENTRY else _KEYS[method]
    return f"{table} in a project file"
