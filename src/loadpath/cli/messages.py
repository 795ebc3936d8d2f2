"""What the commands print: tables on the terminal; warnings and errors on stderr, one line each."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console, RenderableType
from rich.markup import escape

import loadpath as lp
from loadpath.errors import ModelWarning

MOST_WARNINGS = 6
WIDEST = 110


def terminal(stderr: bool = False) -> Console:
    console = Console(stderr=stderr, highlight=False, soft_wrap=False)
    console.width = min(console.width, WIDEST)
    return console


def show(console: Console, *parts: RenderableType) -> None:
    for part in parts:
        console.print(part)


def heading(robot: lp.Robot, payload: float = 0.0) -> str:
    mass = sum(link.inertia.mass for link in robot.links)
    text = f"[bold]{escape(robot.name)}[/bold]: {robot.n} degrees of freedom, {len(robot.joints)} joints, {mass:.4g} kg"
    return f"{text}, of which {payload:.4g} kg are payload" if payload else text


def print_warnings(messages: list[str], most: int = MOST_WARNINGS) -> None:
    console = terminal(stderr=True)
    for message in messages[:most]:
        console.print(f"[yellow]warning:[/yellow] {escape(message)}", soft_wrap=True)
    if len(messages) > most:
        console.print(f"[yellow]warning:[/yellow] {len(messages) - most} more; see loadpath info", soft_wrap=True)


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Shows in a terminal that work is being done; silent elsewhere."""
    with terminal(stderr=True).status(what):
        yield


@contextmanager
def errors_reported() -> Iterator[None]:
    """Turns what is wrong with a robot or a request into one line and exit code 2."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            yield
    except BrokenPipeError:
        raise
    except (ValueError, OSError) as problem:  # ModelError is a ValueError
        message = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
        file = f": {problem.filename}" if isinstance(problem, OSError) and problem.filename else ""
        line = "; ".join(part.strip() for part in f"{message}{file}".splitlines() if part.strip())
        terminal(stderr=True).print(f"[red]loadpath:[/red] {escape(line)}", soft_wrap=True)
        raise typer.Exit(2) from None
