"""Running a formulation on CasADi symbols: out comes a program, with constants folded and repetition shared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi
import numpy as np

from loadpath.engine.program import Operand, Program
from loadpath.engine.tape import read_tape
from loadpath.scalars import Array, OperationCount
from loadpath.scalars.recording import column, entries


def trace(
    formulation: Callable[..., Array | tuple[Array, ...]],
    name: str,
    inputs: Sequence[Operand],
    outputs: Sequence[Operand],
) -> Program:
    """The program of a formulation; each input comes to it as an object array of the operand's shape, or as a scalar.

    >>> from loadpath.scalars import array
    >>> square = trace(lambda x: array([x[0] * x[0], x[0] * 1.0]), "square", [Operand("x", (1,))], [Operand("y", (2,))])
    >>> print(count(square))
    1 multiplications, 0 additions
    """
    columns = [casadi.SX.sym(operand.name, operand.size) for operand in inputs]
    arrays = [entries(c).reshape(operand.shape) for c, operand in zip(columns, inputs, strict=True)]
    results = formulation(*(values[()] for values in arrays))  # an array stays one, a lone scalar comes out of its own
    if not isinstance(results, tuple):
        results = (results,)
    flat = [_column(result, operand) for result, operand in zip(results, outputs, strict=True)]
    function = casadi.Function(name, columns, casadi.cse(flat))
    return Program(name, function, tuple(inputs), tuple(outputs))


def _column(result: Any, operand: Operand) -> Any:
    flat = [result] if operand.shape == () and not isinstance(result, np.ndarray) else np.ravel(result)
    if len(flat) != operand.size:
        raise ValueError(f"result '{operand.name}' has {len(flat)} entries, expected {operand.size}")
    return column(flat)


_KINDS = {"mul": 0, "sq": 0, "add": 1, "sub": 1, "twice": 1, "div": 2, "inv": 2}
_FREE = ("neg",)


def count(program: Program) -> OperationCount:
    """The operations of a program per state; sign changes are free, a sine is one function.

    An angle and its constant are one addition, as in the sources. The compiled code makes a turn of it, by four
    products and two sums, which keeps the digits of large angles.
    """
    tape = read_tape(program, as_traced=True)
    counts = [0, 0, 0, 0]
    for name, _ in tape.operations.values():
        if name not in _FREE:
            counts[_KINDS.get(name, 3)] += 1
    multiplications, additions, divisions, functions = counts
    return OperationCount(multiplications, additions, divisions, functions + 2 * len(tape.angles))
