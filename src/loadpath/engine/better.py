"""Quickly compiled code now, optimised code a little later: the first takes a third of the time or less, the second
takes over while the first is in use.

In quickly compiled code the loop begins with a look at where the optimised one is, as soon as there is one. Both
compute the same bits, since nothing is left to LLVM that changes a number (see `llvm.arithmetic`). So nobody notices
but by the time. Calls that are in the middle end where they began.

Optimised code is made in the background, one after the other and the newest first, that of long programs with low
priority where the system has it. At the end of the process it gets a moment more, so that the disk has the code
of short programs; of longer ones it has the modules that are done. The child of a fork makes what its parent had not
made, or finds it on the disk.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence

from loadpath.engine import jit

MOST_WAITING = 16
"""Programs that wait to be optimised; of more the oldest stay as they are."""
AT_EXIT = 1.0
"""Seconds that the end of the process waits for what is being optimised."""
AFTER, IN_CHILD = 0.1, 1.0
"""Seconds before it begins: whoever asked goes on first; after a fork the parent may be done with it."""
NICE = 5
"""How much it stands back with a long program, in the system's own measure."""


class Better:
    """A loop of quickly compiled code, and what makes the optimised one: a library with the same symbols."""

    def __init__(self, quick: jit.Library, loop: str, make: Callable[[], jit.Library], *, long: bool = False) -> None:
        self._quick: jit.Library | None = quick
        self._loop, self._make = loop, make
        self.long = long
        """Whether it takes so long that others go first."""
        self._library: jit.Library | None = None

    def take_over(self) -> None:
        """Make it and use it from now on."""
        quick = self._quick
        if quick is not None:
            library = self._make()
            self._library = library  # whoever holds this holds the code
            ctypes.c_void_p.from_address(quick.address(better_symbol(self._loop))).value = library.address(self._loop)
            self._quick = None


def better_symbol(loop: str) -> str:
    """Where the address of the optimised loop is."""
    return f"{loop}_better"


def with_place_for_better(texts: Sequence[str], loop: str) -> list[str]:
    """LLVM texts whose loop goes to the optimised one as soon as there is one."""
    first, *others = texts
    beginning = f'define void @"{loop}"('
    assert beginning in first
    first = first.replace(beginning, f'define internal void @"{loop}_quick"(')
    arguments = "ptr %args, ptr %dimensions, ptr %steps, ptr %data"
    first += f"""
@"{better_symbol(loop)}" = global ptr null
define void @"{loop}"({arguments}) nounwind {{
begin:
  %better = load atomic ptr, ptr @"{better_symbol(loop)}" acquire, align 8
  %missing = icmp eq ptr %better, null
  br i1 %missing, label %quick, label %run
run:
  call void %better({arguments})
  ret void
quick:
  call void @"{loop}_quick"({arguments})
  ret void
}}
"""
    return [first, *others]


class _Optimizer:
    """The thread in the background and what it has to do."""

    def __init__(self) -> None:
        self.waiting: list[Better] = []
        self.running: Better | None = None
        self.lock = threading.RLock()
        self.idle = threading.Event()
        self.idle.set()

    def add(self, better: Better) -> None:
        with self.lock:
            self.waiting = [*self.waiting, better][-MOST_WAITING:]
            if self.idle.is_set():
                self._start(AFTER)

    def _start(self, delay: float) -> None:
        self.idle.clear()
        try:
            threading.Thread(target=self._work, args=(delay,), name="loadpath optimizer", daemon=True).start()
        except RuntimeError:  # there is no thread to be had
            self.idle.set()

    def _work(self, delay: float) -> None:
        jit.ending.wait(delay)
        with self.lock:
            self.running = self.waiting.pop() if self.waiting and not jit.ending.is_set() else None
        if self.running is not None:
            if self.running.long:
                _stand_back()
            with contextlib.suppress(Exception):  # then the quick code stays
                self.running.take_over()
        with self.lock:
            self.running = None
            if self.waiting and not jit.ending.is_set():
                self._start(0.0)  # in another thread: this one may have given up its priority for good
            else:
                self.idle.set()

    def in_child(self) -> None:
        """After a fork: the thread is not in the child."""
        self.waiting += [self.running] if self.running is not None else []
        self.running = None
        was_idle = self.idle.is_set()
        self.idle = threading.Event()
        self.idle.set()
        if not was_idle and self.waiting:
            self._start(IN_CHILD)


_optimizer = _Optimizer()
better_lock = _optimizer.lock
"""To be held while forking."""


def optimize_later(better: Better) -> None:
    """In the background."""
    _optimizer.add(better)


def settle(seconds: float = 600.0) -> bool:
    """Wait until nothing is left to optimise; whether it is so."""
    end = time.monotonic() + seconds
    while not _optimizer.idle.wait(min(0.5, max(0.0, end - time.monotonic()))):
        if time.monotonic() >= end:
            return False
    return True


@atexit.register
def _finish() -> None:
    """Before `jit` waits for LLVM. Ctrl-C goes on at once."""
    with contextlib.suppress(KeyboardInterrupt):
        settle(AT_EXIT)
    jit.ending.set()


def _stand_back() -> None:
    if sys.platform.startswith("linux"):  # elsewhere it would be the whole process
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_optimizer.in_child)
