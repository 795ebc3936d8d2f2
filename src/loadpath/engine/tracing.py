"""Tracing, while nobody forks.

CasADi takes locks of its own when matrices and functions are made and when they go, and lets other threads run
meanwhile. A process that is forked then has its locks and not the thread that gives them back. So whoever calls CasADi
holds `lock`, for a whole trace, and so does whoever forks (see `kernels`).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loadpath.engine.program import Operand, Program

lock = threading.RLock()
"""Taken before that of LLVM, since a formulation may call what is compiled then."""
abandoned: deque[Any] = deque()
"""Things of CasADi's that nobody needs any more."""


def traced(
    formulation: Callable[..., Any], name: str, inputs: Sequence[Operand], outputs: Sequence[Operand]
) -> Program:
    """The program of a formulation (see `trace`). CasADi is imported here, and no fork comes in between."""
    with lock:
        from loadpath.engine.trace import trace

        program = trace(formulation, name, inputs, outputs)
        abandoned.clear()
        return program


def let_go(lock: threading.RLock = lock, abandoned: deque[Any] = abandoned) -> None:
    """Of what is abandoned; if somebody traces or forks just now, whoever traces does it at the end. Nobody waits: this
    may be called in the middle of anything, also at the end of the process, when the names of this module are gone.
    """
    if lock.acquire(blocking=False):
        try:
            abandoned.clear()
        finally:
            lock.release()


@contextmanager
def set_aside() -> Iterator[None]:
    """Without the lock while this thread waits for another one, which may need it: a formulation that is being traced
    may call what is compiled elsewhere.
    """
    depth = 0
    with suppress(RuntimeError):  # this thread has it no more
        while True:
            lock.release()
            depth += 1
    try:
        yield
    finally:
        for _ in range(depth):
            lock.acquire()
