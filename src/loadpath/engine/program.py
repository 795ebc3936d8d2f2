"""A traced program: what the emitter turns into machine code.

A `Program` is a CasADi `Function` whose inputs and outputs are flat dense columns, with the names and the
core shapes of the arrays that they are for the caller (entries in C order).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from loadpath.engine import tracing


@dataclass(frozen=True)
class Operand:
    """One array argument or result of a program: its name and its core shape (batch axes left out)."""

    name: str
    shape: tuple[int, ...]
    quaternions: tuple[int, ...] = field(default=(), repr=False)
    """Where quaternions begin in a vector of coordinates, which must not be zero."""

    @property
    def size(self) -> int:
        """Number of scalars in one state's worth of this operand."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class Program:
    """A named CasADi function with the operands that it reads and writes, in order."""

    name: str
    function: Any  # casadi.Function: one flat column per operand
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]

    def __del__(
        self, abandoned: deque[Any] = tracing.abandoned, let_go: Callable[[], None] = tracing.let_go
    ) -> None:
        abandoned.append(self.__dict__.pop("function", None))  # else it would go after this, whoever forks then
        let_go()
