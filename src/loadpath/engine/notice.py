"""Long compilations say what they do: one line on the terminal, gone when they are done."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from loadpath.progress import is_hidden, is_watched

PATIENCE = 2.0
"""Seconds before a line appears."""
SECONDS_PER_OPERATION = 5e-5
"""Time for one operation of a program, from its trace to machine code that is quickly made."""

Say = Callable[[str], None]


@contextmanager
def notice(doing: str) -> Iterator[Say]:
    """Show what is being done, once it has taken `PATIENCE`, and whatever it is changed to; only on a terminal
    that shows no progress already."""
    if is_watched() or is_hidden() or sys.stderr is None or not sys.stderr.isatty():
        yield _silent
        return
    line = _Line(doing)
    try:
        yield line.change
    finally:
        line.remove()


def compiling(name: str, operations: int) -> str:
    """What is said while a program of this length is compiled.

    >>> compiling("forward_dynamics_derivatives", 105_000)
    'compiling forward_dynamics_derivatives, 105,000 operations: about 5 s'
    >>> compiling("forward_dynamics_derivatives", 3_600_000)
    'compiling forward_dynamics_derivatives, 3,600,000 operations: about 3 minutes'
    """
    seconds = operations * SECONDS_PER_OPERATION
    if seconds < 10:
        time = f"{max(1.0, seconds):.0f} s"
    elif seconds < 90:
        time = f"{5 * round(seconds / 5)} s"
    else:
        time = f"{seconds / 60:.0f} minutes"
    return f"compiling {name}, {operations:,} operations: about {time}"


def _silent(doing: str) -> None:
    pass


class _Line:
    """A line on the terminal that appears after a while."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._shown = self._removed = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True
        with contextlib.suppress(RuntimeError):  # there is no thread to be had
            self._timer.start()

    def change(self, doing: str) -> None:
        with self._lock:
            self._doing = doing
            if self._shown and not self._removed:
                self._write()

    def remove(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._removed = True
            if self._shown:
                print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _show(self) -> None:
        with self._lock:
            if not self._removed:
                self._shown = True
                self._write()

    def _write(self) -> None:
        print(f"\r\x1b[Kloadpath: {self._doing} (once)", end="", file=sys.stderr, flush=True)
