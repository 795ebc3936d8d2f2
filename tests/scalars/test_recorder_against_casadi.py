"""Every quantity as it is recorded, in floats, against the same equations on CasADi's symbols; derivatives against
those that CasADi makes of what they are of.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import casadi
import numpy as np
import pytest

import loadpath as lp
from loadpath.engine.arguments import Variant
from loadpath.engine.quantity import Compiled, quantities_of
from loadpath.engine.trace import trace

ROBOTS = 50
FLOATS: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "neg", "lt", "le", "eq", "ne")},
    **{name: getattr(math, name) for name in ("sin", "cos", "sqrt", "tan", "asin", "acos", "atan", "tanh", "exp", "log",
                                              "log1p", "expm1", "atan2", "hypot", "copysign", "fabs", "floor")},
    "div": operator.truediv, "inv": lambda a: 1.0 / a, "sq": lambda a: a * a, "twice": lambda a: a + a, "fmin": min,
    "fmax": max, "sign": lambda a: math.copysign(1.0, a) if a else 0.0, "not": lambda a: not a,
    "and": lambda a, b: bool(a) and bool(b), "or": lambda a, b: bool(a) or bool(b),
    "if_else_zero": lambda a, b: b if a else 0.0, "pow": operator.pow, "constpow": operator.pow,
}


def robot_of(seed: int) -> lp.Robot:
    """Trees and chains of all joints, with drives, gravity from anywhere and free bases in turn."""
    make = (lp.catalog.random_chain, lp.catalog.random_tree)[seed % 2]
    robot = make(2 + seed % 3, seed, "all", general=True, drives=seed % 3 == 0)
    return robot.floating() if seed % 5 == 4 else robot


def symbols(shape: tuple[int, ...], name: str) -> tuple[casadi.SX, np.ndarray]:
    """A column of symbols, and the array of them that an equation takes."""
    column = casadi.SX.sym(name, int(np.prod(shape, dtype=int)))
    entries = np.empty(column.numel(), dtype=object)
    for k in range(column.numel()):
        entries[k] = column[k]
    return column, entries.reshape(shape)


def with_casadi(robot: lp.Robot, line: Compiled, variant: Variant) -> tuple[list[casadi.SX], list[casadi.SX]]:
    """Columns of arguments and of results."""
    inputs, _ = line.operands(robot, variant)
    columns, arrays = zip(*(symbols(operand.shape, operand.name) for operand in inputs), strict=True)
    results = line.equations(robot, variant)(*(array[()] for array in arrays))
    parts = results if isinstance(results, tuple) else (results,)
    return list(columns), [casadi.vertcat(casadi.SX(0, 1), *np.ravel(np.asarray(part, dtype=object))) for part in parts]


DERIVATIVES: dict[str, tuple[str, Callable[[list[casadi.SX], list[casadi.SX]], list[casadi.SX]]]] = {
    "inverse_dynamics_derivatives": ("inverse_dynamics", lambda x, y: [casadi.jacobian(y[0], part) for part in x]),
    "forward_dynamics_derivatives": ("forward_dynamics", lambda x, y: [casadi.jacobian(y[0], part) for part in x]),
    "joint_wrench_derivatives": (
        "joint_wrenches", lambda x, y: [casadi.jacobian(part, by) for by in x for part in y]),
}
"""What CasADi is asked for instead, where equations record derivatives of their own."""


def compared(robot: lp.Robot, seed: int) -> list[str]:
    """The names of the quantities of a robot that agree; fails with those that do not."""
    rng, agree = np.random.default_rng(seed), []
    for name, line in quantities_of(robot).items():
        variant = Variant(link=robot.link_names[-1] if line.takes_link else None)
        inputs, outputs = line.operands(robot, variant)
        arrays = [rng.uniform(-1, 1, operand.shape) for operand in inputs]
        for operand, array in zip(inputs, arrays, strict=True):
            for start in operand.quaternions:
                array[start : start + 4] /= np.linalg.norm(array[start : start + 4])
        of, derived = DERIVATIVES.get(name, (name, None))
        if derived is not None and robot.nq != robot.n:
            continue  # theirs are by the entries of quaternions
        try:
            tape = trace(line.equations(robot, variant), name, inputs, outputs).tape
        except ValueError:  # there is no such thing of this robot
            continue
        recorded = tape.run([float(x) for array in arrays for x in array.ravel()], FLOATS)
        try:
            columns, results = with_casadi(robot, quantities_of(robot)[of], variant)
        except (TypeError, AttributeError, NotImplementedError):
            continue  # written on the recorder itself; how many remain is asserted
        if derived is not None:
            results = derived(columns, results)
        function = casadi.Function("f", columns, results)
        expected = np.concatenate([
            right.full().ravel() for right in function.call([casadi.DM(array.ravel().tolist()) for array in arrays])])
        size = np.abs(expected).max(initial=0.0)
        if name == "operational_space_inertia" and size > 1e6:
            continue  # the link cannot move in every direction
        # of derivatives what follows (the mass matrix) has its own row
        np.testing.assert_allclose(recorded[: len(expected)], expected, rtol=0, atol=1e-11 * max(1.0, size),
                                   err_msg=f"{name}, {seed}")
        agree.append(name)
    return agree


def test_every_quantity_of_a_small_arm() -> None:
    assert len(compared(lp.catalog.planar(1), 1)) >= 35


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(ROBOTS))
def test_every_quantity(seed: int) -> None:
    assert len(compared(robot_of(seed), seed)) >= 35
