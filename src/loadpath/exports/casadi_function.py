"""A quantity as a CasADi function, for optimal control: named arguments and results, matrices in their own shape."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from loadpath.engine.program import Operand
from loadpath.engine.tape import OPERATIONS
from loadpath.exports.request import Request

if TYPE_CHECKING:
    import casadi


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
    try:
        import casadi
    except ImportError as problem:
        raise ImportError("a function for CasADi needs it: pip install loadpath[casadi]") from problem
    name, program = request.name, request.program()
    arguments = [casadi.SX.sym(operand.name, *matrix_shape(operand)) for operand in program.inputs]
    entries = [casadi.vec(argument.T)[k] for argument in arguments for k in range(argument.numel())]  # in C order
    values = iter(program.tape.run(entries, functions()))
    results = []
    for operand in program.outputs:
        column = casadi.vertcat(casadi.SX(0, 1), *(next(values) for _ in range(operand.size)))
        results.append(casadi.reshape(column, *reversed(matrix_shape(operand))).T)
    names = [operand.name for operand in program.inputs], [operand.name for operand in program.outputs]
    return casadi.Function(name, arguments, results, *names)


def functions() -> dict[str, Callable[..., Any]]:
    """What CasADi does for each operation of a tape."""
    import casadi

    own = {"and": casadi.logic_and, "or": casadi.logic_or, "not": casadi.logic_not, "constpow": operator.pow}
    written: dict[str, Callable[..., Any]] = {
        **{name: getattr(operator, name) for name in ("add", "sub", "mul", "neg", "lt", "le", "eq", "ne", "pow")},
        "div": operator.truediv,
        "inv": lambda a: 1.0 / a,
        "sq": lambda a: a * a,
        "twice": lambda a: a + a,
        "if_else_zero": lambda a, b: casadi.if_else(a, b, 0),
    }
    return {**{name: getattr(casadi, name) for name in OPERATIONS if hasattr(casadi, name)}, **own, **written}


def matrix_shape(operand: Operand) -> tuple[int, int]:
    """Rows and columns that an array has as a CasADi matrix.

    >>> matrix_shape(Operand("poses", (3, 4, 4))), matrix_shape(Operand("q", (7,))), matrix_shape(Operand("energy", ()))
    ((12, 4), (7, 1), (1, 1))
    """
    if len(operand.shape) < 2:
        return operand.size, 1
    return math.prod(operand.shape[:-1]), operand.shape[-1]
