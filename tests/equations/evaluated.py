"""Numbers from symbols: expressions of `robot.equations()` at a state, beside what the robot computes there."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
import sympy

import loadpath as lp

State = tuple[np.ndarray, np.ndarray, np.ndarray]

ROBOTS = {
    "two_link": lambda: lp.catalog.two_link(m1=1.2, m2=0.7, l1=0.9, l2=0.6),
    "lau_arm": lp.catalog.lau_arm,
    "stanford_arm": lp.catalog.stanford_arm,
    "puma560": lp.catalog.puma560,
    "tree": lambda: lp.catalog.random_tree(4, seed=2, joints=["revolute", "prismatic"], drives=True),
    "general frames": lambda: lp.catalog.random_chain(2, seed=3, general=True, drives=True),
    "standard DH": lambda: lp.catalog.random_dh_arm(2, seed=4),
    "several freedoms": lambda: lp.catalog.random_chain(2, seed=5, joints=["planar", "cylindrical"]),
    "quaternion": lambda: lp.catalog.random_chain(2, seed=6, joints=["revolute", "spherical"]),
    "floating": lambda: lp.catalog.random_chain(1, seed=8).floating(),
}


@cache
def robot_of(name: str) -> lp.Robot:
    return ROBOTS[name]()


@cache
def equations_of(name: str, parameters: str = "numbers") -> lp.equations.Equations:
    return robot_of(name).equations(parameters=parameters)


def state_of(robot: lp.Robot, seed: int = 7) -> State:
    rng = np.random.default_rng(seed)
    q = robot.integrate.uncompiled(robot.neutral(), rng.uniform(-1.2, 1.2, robot.n))
    return q, rng.uniform(-2, 2, robot.n), rng.uniform(-2, 2, robot.n)


def at(found: lp.equations.Equations, values: Iterable[sympy.Expr], state: State) -> np.ndarray:
    """The values of expressions at a state, with the robot's numbers for its parameters."""
    symbols = (*found.q, *found.qd, *found.qdd, *found.parameters)
    function = sympy.lambdify(symbols, list(values), "math")
    return np.array(function(*np.concatenate(state), *found.parameters.values()), dtype=float)


def same(found: np.ndarray, expected: np.ndarray, bound: float = 1e-11) -> None:
    expected = np.asarray(expected, dtype=float)
    apart = np.abs(np.reshape(found, expected.shape) - expected).max(initial=0.0)
    assert apart <= bound * max(1.0, np.abs(expected).max(initial=0.0)), apart
