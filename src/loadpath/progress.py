"""Progress of long work: its share done, and how long the rest may take. One room for the library and the commands.

Whoever wants to see it opens a view (`watched`: a bar at a terminal, or the caller's own function). What works inside
says what it is through: `part` of a whole, `each` of several things, `reporting` where a function has a `progress`
argument. Parts lie inside parts, so that a report that compiles a kernel shows the share of both. Where nobody looks,
nothing is counted.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from loadpath.printable import printable

if TYPE_CHECKING:
    from rich.console import Console

Report = Callable[[float], None]
Item = TypeVar("Item")

_STEP = 0.002
SOONEST = 0.5
"""s: before, and below this share, nobody knows how long the rest takes."""
LEAST_SHARE = 0.02


class _Scope:
    """A piece of work: where it lies in the whole, and how much of it is done."""

    def __init__(self, report: Report, begin: float, width: float) -> None:
        self.report, self.begin, self.width, self.done = report, begin, width, 0.0

    def tell(self, share: float) -> None:
        """The share of this piece that is done."""
        self.done = min(max(share, self.done), 1.0)
        self.report(self.begin + self.width * self.done)


_SCOPE: ContextVar[_Scope | None] = ContextVar("progress", default=None)
_HIDDEN: ContextVar[bool] = ContextVar("hidden", default=False)


@contextmanager
def watched(report: Report) -> Iterator[None]:
    """Tell a function the share done of what happens inside, as it grows.

    >>> seen = []
    >>> with watched(seen.append):
    ...     with part(0.5):
    ...         for _ in each("ab"):
    ...             pass
    ...     with part(0.5):
    ...         pass
    >>> seen
    [0.25, 0.5, 1.0]
    """
    with _inside(_Scope(_thinned(report), 0.0, 1.0)):
        yield


@contextmanager
def _inside(scope: _Scope | None) -> Iterator[None]:
    token = _SCOPE.set(scope)
    try:
        yield
    finally:
        with suppress(ValueError):  # a loop that was left, ended later and elsewhere
            _SCOPE.reset(token)


@contextmanager
def part(share: float) -> Iterator[None]:
    """The next part of the work that is being done, as a share of it; what happens inside divides it further."""
    outer = _SCOPE.get()
    if outer is None:
        yield
        return
    begin = outer.done
    width = min(share, 1.0 - begin)
    with _inside(_Scope(outer.report, outer.begin + outer.width * begin, outer.width * width)):
        yield
    outer.tell(begin + width)


@contextmanager
def part_of_rest(share: float) -> Iterator[None]:
    """The next part of work of which nobody knows how much it is: a share of what is left."""
    outer = _SCOPE.get()
    with part(0.0 if outer is None else share * (1.0 - outer.done)):
        yield


def each(items: Iterable[Item], weights: Sequence[float] | None = None) -> Iterator[Item]:
    """The items, one after the other, each a part of the work: as large as all others unless there are weights."""
    if _SCOPE.get() is None:
        yield from items
        return
    every = list(items)
    sizes = [1.0] * len(every) if weights is None else list(weights)
    whole = sum(sizes) or 1.0
    for item, size in zip(every, sizes, strict=True):
        with part(size / whole):
            yield item


@contextmanager
def reporting(progress: bool | Report, what: str) -> Iterator[Report]:
    """A function that takes the share done, from 0 to 1, and shows it when it has grown enough. Without a progress of
    its own the work is a part of what is watched, if anything is.

    >>> seen = []
    >>> with reporting(seen.append, "work") as report:
    ...     for share in (0.0001, 0.5, 0.50001, 1.0):
    ...         report(share)
    >>> seen
    [0.5, 1.0]
    """
    if progress is False:
        outer = _SCOPE.get()
        with _inside(None):  # what works inside is told by the function itself
            yield _silent if outer is None else outer.tell
    elif progress is True:
        with shown(what), reporting(False, what) as report:
            yield report
    elif callable(progress):
        with watched(progress), reporting(False, what) as report:
            yield report
    else:
        raise ValueError(f"progress is {progress!r}: expected True, False or a function of the share done")


@contextmanager
def hidden() -> Iterator[None]:
    """No bar inside, wherever the output goes."""
    token = _HIDDEN.set(True)
    try:
        yield
    finally:
        _HIDDEN.reset(token)


def is_watched() -> bool:
    """Whether somebody sees the progress of what is done here."""
    return _SCOPE.get() is not None


def is_hidden() -> bool:
    """Whether no progress is to be shown here."""
    return _HIDDEN.get()


@contextmanager
def shown(
    what: str, console: Console | None = None, beside: Callable[[float], str] | None = None, before: float = 0.0
) -> Iterator[None]:
    """A bar with the share done and the time left while somebody is at the terminal (or reads a notebook); nothing
    elsewhere. Until the first share is known it only moves. `beside` says more of a share, as a rate; the share
    `before` was done when it began.
    """
    if _HIDDEN.get():
        yield
        return
    if console is None:
        from rich.console import Console as Terminal

        console = Terminal(stderr="ipykernel" not in sys.modules)
    if not (console.is_terminal or console.is_jupyter):
        yield
        return
    from rich.progress import BarColumn, Progress, TextColumn

    columns = TextColumn("{task.description}", markup=False), BarColumn(bar_width=24), TextColumn("{task.fields[left]}")
    begun = time.monotonic()
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(printable(what), total=None, left="")

        def show(share: float) -> None:
            more = "" if beside is None else f", {beside(share)}"
            left = in_words(share, time.monotonic() - begun, before) + more
            bar.update(task, total=1.0, completed=share, left=left)

        if before:
            show(before)
        with watched(show):
            yield


def in_words(share: float, elapsed: float, before: float = 0.0) -> str:
    """The share done, and the time left (s) if the rest goes on as what was done since.

    >>> in_words(0.25, 10.0), in_words(0.5, 600.0), in_words(0.6, 60.0, 0.5), in_words(0.001, 1.0)
    ('25 %, 30 s left', '50 %, 10 min left', '60 %, 4.0 min left', '0 %')
    """
    percent = f"{100 * share:.0f} %"
    if elapsed < SOONEST or share - before < LEAST_SHARE:
        return percent
    left = elapsed * (1 - share) / (share - before)
    units = ((90.0, "s", 1.0), (5400.0, "min", 60.0), (float("inf"), "h", 3600.0))
    unit, size = next((unit, size) for most, unit, size in units if left < most)
    number = left / size
    return f"{percent}, {number:.{0 if number >= 10 or unit == 's' else 1}f} {unit} left"


def _silent(share: float) -> None:
    pass


def _thinned(report: Report) -> Report:
    shown_share = 0.0

    def grown(share: float) -> None:
        nonlocal shown_share
        if share - shown_share >= _STEP or (share >= 1.0 - 1e-12 > shown_share):
            shown_share = share
            report(min(share, 1.0) if share < 1.0 - 1e-12 else 1.0)

    return grown


def steps(count: int) -> Callable[[], None]:
    """A function to be called after each of so many steps; it does nothing where nobody looks.

    >>> seen = []
    >>> with watched(seen.append):
    ...     step = steps(2)
    ...     for _ in range(2):
    ...         step()
    >>> seen
    [0.5, 1.0]
    """
    scope = _SCOPE.get()
    if scope is None or count <= 0:
        return _nothing
    begin, number = scope.done, 0

    def step() -> None:
        nonlocal number
        number += 1
        scope.tell(begin + (1 - begin) * number / count)

    return step


def _nothing() -> None:
    pass
