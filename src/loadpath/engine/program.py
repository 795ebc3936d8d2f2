"""A traced program: what the emitter turns into machine code.

Its inputs and outputs are the entries, in C order, of the arrays that they are for the caller.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

SINE_COSINE = ("sin", "cos")


@dataclass(frozen=True)
class Operand:
    """One array argument or result of a program: its name and its core shape (batch axes left out)."""

    name: str
    shape: tuple[int, ...]
    quaternions: tuple[int, ...] = field(default=(), repr=False)
    """Where quaternions begin in a vector of coordinates, which must not be zero."""
    pinned: bool = field(default=False, repr=False)
    """Whether all states of a batch mostly share it, as the numbers of a design: it is then read once for all of them,
    and what depends on such operands alone is computed once. It may vary from state to state all the same.
    """

    @property
    def size(self) -> int:
        """Number of scalars in one state's worth of this operand."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class Tape:
    """Values 0, 1, 2, ...: first every input scalar, then constants and results.

    A value is an input (less than `inputs`), a key of `constants` or `operations`, or one of a pair in
    `angles`. Arguments always have smaller numbers than results.
    """

    inputs: int
    constants: dict[int, float]
    operations: dict[int, tuple[str, tuple[int, ...]]]  # value -> its operation and the values it works on
    angles: dict[int, tuple[int, int]]  # value -> its sine, its cosine
    outputs: tuple[int, ...]  # the value of every output scalar

    def steps(self) -> list[tuple[int, str, tuple[int, ...]]]:
        """Values with their operations and arguments, in order, sines and cosines among them."""
        return sorted([
            *((value, name, arguments) for value, (name, arguments) in self.operations.items()),
            *((value, name, (angle,)) for angle, pair in self.angles.items()
              for name, value in zip(SINE_COSINE, pair, strict=True)),
        ])

    def run(self, entries: Sequence[Any], functions: Mapping[str, Callable[..., Any]]) -> list[Any]:
        """The outputs for entries of the inputs, of any kind that there are functions for.

        >>> Tape(1, {1: 2.0}, {2: ("mul", (0, 1))}, {}, (2, 1)).run([5.0], {"mul": lambda a, b: a * b})
        [10.0, 2.0]
        """
        values: dict[int, Any] = {**dict(enumerate(entries)), **self.constants}
        for value, name, arguments in self.steps():
            values[value] = functions[name](*(values[argument] for argument in arguments))
        return [values[value] for value in self.outputs]


@dataclass(frozen=True)
class Program:
    """A tape with its name and the operands that it reads and writes, in order."""

    name: str
    tape: Tape
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
