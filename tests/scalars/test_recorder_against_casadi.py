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
from loadpath.algorithms.derivatives import tangents
from loadpath.engine.arguments import Variant
from loadpath.engine.quantity import Compiled, quantities_of
from loadpath.engine.trace import trace
from loadpath.robot.mechanism import plain

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


Derived = Callable[[list[casadi.SX], list[casadi.SX], casadi.SX], list[casadi.SX]]


def slopes(x: list[casadi.SX], y: list[casadi.SX], along: casadi.SX) -> list[casadi.SX]:
    """By q along the speeds, by the others as they are."""
    return [part for by in range(len(x)) for part in (
        casadi.jacobian(of, x[by]) @ along if by == 0 else casadi.jacobian(of, x[by]) for of in y)]


DERIVATIVES: dict[str, tuple[str, Derived]] = {
    "inverse_dynamics_derivatives": ("inverse_dynamics", slopes),
    "forward_dynamics_derivatives": ("forward_dynamics", slopes),
    "joint_wrench_derivatives": ("joint_wrenches", slopes),
    # CasADi's vectors are columns of rows here: entry by entry of J
    "jacobian_dot": ("jacobian", lambda x, y, along: [casadi.jacobian(y[0], x[0]) @ along @ x[1]]),
}
"""What CasADi is asked for instead, where equations record derivatives of their own."""


def compared(robot: lp.Robot, seed: int) -> dict[str, float]:
    """Of each quantity of a robot how far the two are apart, against its largest number (or one)."""
    rng, apart = np.random.default_rng(seed), {}
    for name, line in quantities_of(robot).items():
        choices = (("joint", robot.joint_names[-1]),) if "joint" in line.choices else ()
        variant = Variant(link=robot.link_names[-1] if line.takes_link else None, choices=choices)
        inputs, outputs = line.operands(robot, variant)
        arrays = [rng.uniform(-1, 1, operand.shape) for operand in inputs]
        for operand, array in zip(inputs, arrays, strict=True):
            for start in operand.quaternions:
                array[start : start + 4] /= np.linalg.norm(array[start : start + 4])
        of, derived = DERIVATIVES.get(name, (name, None))
        try:
            tape = trace(line.equations(robot, variant), name, inputs, outputs).tape
        except ValueError:  # there is no such thing of this robot; which these may be is asserted
            continue
        recorded = tape.run([float(x) for array in arrays for x in array.ravel()], FLOATS)
        quantity = quantities_of(robot)[of]
        columns, results = with_casadi(robot, quantity, variant)
        if derived is not None:
            if name == "jacobian_dot":
                columns.append(casadi.SX.sym("qd", robot.n))
            q = np.array([columns[0][k] for k in range(robot.nq)], dtype=object)
            along = casadi.vertcat(casadi.SX(0, robot.n), *(casadi.horzcat(*row) for row in tangents(plain(robot), q)))
            results = derived(columns, results, along)
        function = casadi.Function("f", columns, results)
        expected = np.concatenate([
            right.full().ravel() for right in function.call([casadi.DM(array.ravel().tolist()) for array in arrays])])
        size = np.abs(expected).max(initial=0.0)
        if name == "operational_space_inertia" and size > 1e6:
            continue  # the link cannot move in every direction
        # of derivatives what follows (the mass matrix) has its own row
        apart[name] = float(np.abs(np.array(recorded[: len(expected)]) - expected).max(initial=0.0) / max(1.0, size))
        assert apart[name] <= 1e-11, (name, seed)
    return apart


def test_every_quantity_of_a_small_arm() -> None:
    robot = lp.catalog.planar(1)
    assert len(set(quantities_of(robot)) - set(compared(robot, 1))) <= 3


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(ROBOTS))
def test_every_quantity(seed: int) -> None:
    robot = robot_of(seed)
    apart = compared(robot, seed)
    assert set(quantities_of(robot)) - set(apart) <= {"operational_space_inertia"}
    worst = max(apart, key=lambda name: apart[name])
    print(f"{len(apart)} quantities, at most {apart[worst]:.1e} ({worst})")
