"""A quantity as a CasADi function, for optimal control: named arguments and results, matrices in their own shape."""

from __future__ import annotations

import math

import casadi

from loadpath.engine import tracing
from loadpath.engine.program import Operand, Program
from loadpath.exports.request import Request


def casadi_function(request: Request) -> casadi.Function:
    """The `casadi.Function`; it takes and gives SX, MX or numbers, and has derivatives of every order.

    An array of one axis is a column, one of two axes a matrix of that shape. Poses (links, 4, 4) stand below each
    other in a matrix (4 links, 4): link k has the rows from 4 k to 4 k + 3. External wrenches are one argument
    `external` with a row for each link: force, then torque.

    >>> import loadpath as lp
    >>> from loadpath.exports.request import request
    >>> casadi_function(request(lp.catalog.two_link(), "inverse_dynamics"))
    Function(inverse_dynamics:(q[2],qd[2],qdd[2])->(tau[2]) SXFunction)
    """
    with tracing.lock:
        return _of_matrices(request.name, request.program())


def _of_matrices(name: str, program: Program) -> casadi.Function:
    arguments = [casadi.SX.sym(operand.name, *matrix_shape(operand)) for operand in program.inputs]
    columns = [casadi.vec(argument.T) for argument in arguments]  # entries in C order
    results = [
        casadi.reshape(column, *reversed(matrix_shape(operand))).T
        for column, operand in zip(program.function.call(columns), program.outputs, strict=True)
    ]
    names = [operand.name for operand in program.inputs], [operand.name for operand in program.outputs]
    return casadi.Function(name, arguments, results, *names)


def matrix_shape(operand: Operand) -> tuple[int, int]:
    """Rows and columns that an array has as a CasADi matrix.

    >>> matrix_shape(Operand("poses", (3, 4, 4))), matrix_shape(Operand("q", (7,))), matrix_shape(Operand("energy", ()))
    ((12, 4), (7, 1), (1, 1))
    """
    if len(operand.shape) < 2:
        return operand.size, 1
    return math.prod(operand.shape[:-1]), operand.shape[-1]
