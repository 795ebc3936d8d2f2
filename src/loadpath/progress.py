"""Progress of a long computation: a bar in the terminal, or the caller's own function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from loadpath.printable import printable

Report = Callable[[float], None]

_STEP = 0.002


@contextmanager
def reporting(progress: bool | Report, what: str) -> Iterator[Report]:
    """A function that takes the share done, from 0 to 1, and shows it when it has grown enough.

    >>> seen = []
    >>> with reporting(seen.append, "work") as report:
    ...     for share in (0.0001, 0.5, 0.50001, 1.0):
    ...         report(share)
    >>> seen
    [0.5, 1.0]
    """
    if progress is False:
        yield _silent
    elif progress is True:
        from rich.markup import escape
        from rich.progress import Progress

        with Progress(transient=True) as bar:
            task = bar.add_task(escape(printable(what)), total=1.0)
            yield _thinned(lambda share: bar.update(task, completed=share))
    elif callable(progress):
        yield _thinned(progress)
    else:
        raise ValueError(f"progress is {progress!r}: expected True, False or a function of the share done")


def _silent(share: float) -> None:
    pass


def _thinned(report: Report) -> Report:
    shown = 0.0

    def grown(share: float) -> None:
        nonlocal shown
        if share - shown >= _STEP or (share >= 1.0 > shown):
            shown = share
            report(share)

    return grown
