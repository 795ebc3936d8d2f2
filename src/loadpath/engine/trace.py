"""Running a formulation on CasADi symbols: out comes a program, with constants folded and repetition shared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi
import numpy as np

from loadpath.engine.program import Operand, Program
from loadpath.engine.traced import column, entries
from loadpath.scalars import Array, OperationCount


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


def _argument(symbols: Any, operand: Operand) -> Any:
    return entries(symbols).reshape(operand.shape) if operand.shape else entries(symbols)[0]


def _column(result: Any, operand: Operand) -> Any:
    flat = [result] if operand.shape == () and not isinstance(result, np.ndarray) else np.ravel(result)
    if len(flat) != operand.size:
        raise ValueError(f"result '{operand.name}' has {len(flat)} entries, expected {operand.size}")
    return column(flat)


_MULTIPLICATIONS = (casadi.OP_MUL, casadi.OP_SQ)
_ADDITIONS = (casadi.OP_ADD, casadi.OP_SUB, casadi.OP_TWICE)
_DIVISIONS = (casadi.OP_DIV, casadi.OP_INV)
_FREE = (casadi.OP_INPUT, casadi.OP_OUTPUT, casadi.OP_CONST, casadi.OP_ASSIGN, casadi.OP_NEG, casadi.OP_PARAMETER)


def count(program: Program) -> OperationCount:
    """The operations that a program executes per state; sign changes are free, a sine is one function."""
    function = program.function
    kinds = [function.instruction_id(k) for k in range(function.n_instructions())]
    multiplications = sum(kind in _MULTIPLICATIONS for kind in kinds)
    additions = sum(kind in _ADDITIONS for kind in kinds)
    divisions = sum(kind in _DIVISIONS for kind in kinds)
    functions = len(kinds) - multiplications - additions - divisions - sum(kind in _FREE for kind in kinds)
    return OperationCount(multiplications, additions, divisions, functions)
