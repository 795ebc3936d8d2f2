"""Whether an error is a refusal of ours, written for the user, or something that broke deep inside."""

from __future__ import annotations

import ast
import linecache
from functools import cache
from pathlib import Path
from types import FrameType, TracebackType

import loadpath

OURS = str(Path(loadpath.__file__).parent)


def innermost(problem: BaseException) -> tuple[FrameType, int]:
    """The frame that raised it, and the line."""
    trace: TracebackType | None = problem.__traceback__
    assert trace is not None
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame, trace.tb_lineno


def place(problem: BaseException) -> str:
    """The innermost line of the library that it came through, like "robot/dh.py:120"."""
    found, trace = "outside", problem.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith(OURS):
            found = f"{file.removeprefix(OURS).lstrip('/')}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found


def is_refusal(problem: BaseException) -> bool:
    """Whether a `raise` in the library made it: not NumPy, not the interpreter on a line of ours."""
    frame, line = innermost(problem)
    file = frame.f_code.co_filename
    return file.startswith(OURS) and any(first <= line <= last for first, last in _raises(file))


@cache
def _raises(file: str) -> list[tuple[int, int]]:
    """First and last lines of the statements that raise."""
    tree = ast.parse("".join(linecache.getlines(file)))
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    return [(node.lineno, node.end_lineno or node.lineno) for node in statements]
