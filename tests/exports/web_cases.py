"""What JavaScript and WebAssembly are tried on, and what CasADi itself computes for it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import casadi
import numpy as np
from export_cases import QUANTITIES, arguments, asked, mixed

import loadpath as lp
from engine.programs import BINARY, UNARY, apply, program, reference
from loadpath.engine.program import Program
from loadpath.exports.request import request

OF_LOOPS = ("inverse_dynamics", "joint_wrenches", "forward_dynamics", "gravity_forces", "load_terms", "closure")

Case = tuple[Program, list[np.ndarray]]


@functools.cache
def quantity(name: str) -> Case:
    """A quantity of a robot with a quaternion, a slide, friction and rotors; seven states."""
    asking = asked(mixed(), name)
    many = [np.stack(parts) for parts in zip(*(arguments(asking, seed) for seed in range(7)), strict=True)]
    return asking.program(), many


@functools.cache
def of_loops(name: str) -> Case:
    """A quantity of a four-bar, seven states on its loop."""
    bar = lp.catalog.four_bar()
    q = bar.assemble({"crank_joint": np.linspace(bar.home[0], bar.home[0] + 2, 7)}, path=True).q
    rng = np.random.default_rng(3)
    qd, qdd = bar.complete(q, rng.uniform(-2, 2, (7, 1)), rng.uniform(-2, 2, (7, 1)))
    given = {"q": q, "qd": qd, "qdd": qdd, "tau": np.tile([3.0, 0.0, 0.0], (7, 1))}
    made = request(bar, name).program()
    return made, [given[operand.name] for operand in made.inputs]


@functools.cache
def operations() -> Case:
    """Every operation that a tape can have, on numbers of all kinds."""

    def run(a: Any, b: Any) -> list[Any]:
        one = [apply(name, a[k % 3]) for k, name in enumerate(UNARY)]
        two = [apply(name, a[k % 3], b[k % 2]) for k, name in enumerate(BINARY)]
        return [casadi.vertcat(*one, *two, np.inf, -np.inf, np.nan, -0.0, 1e-300, 1 / 3)]

    count = len(UNARY) + len(BINARY) + 6
    made = program("operations", {"a": (3,), "b": (2,)}, {"y": (count,)}, run)
    numbers = [0.3, 0.7, -0.4, 1.0, 0.0, -0.0, -2.5, 5.0, 5.5, np.nan, np.inf, -np.inf, 1e5, 3e6, 1e300, -1.0]
    pairs = np.array([(x, y) for x in numbers for y in numbers])
    a = np.stack([pairs[:, 0], np.roll(pairs[:, 0], 5), np.roll(pairs[:, 1], 3)], axis=-1)
    return made, [a, pairs[:, ::-1].copy()]


CASES: dict[str, Callable[[], Case]] = {
    **{name: functools.partial(quantity, name) for name in QUANTITIES},
    **{f"{name} of a four-bar": functools.partial(of_loops, name) for name in OF_LOOPS},
}


@functools.cache
def wanted(name: str) -> list[np.ndarray]:
    """What CasADi computes for a case."""
    made, given = CASES[name]()
    return reference(made, *given)


def check(found: list[np.ndarray], expected: list[np.ndarray], bound: float = 1e-12) -> None:
    """All results equal, relative to the largest of each; NaN and infinities where they belong."""
    for result, right in zip(found, expected, strict=True):
        size = np.abs(right[np.isfinite(right)]).max(initial=1.0)
        np.testing.assert_allclose(result, right, rtol=bound, atol=bound * size)
