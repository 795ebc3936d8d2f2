"""Derivatives against central differences in forty digits: nothing of what they share with the equations in floats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
import pytest

import loadpath as lp
from loadpath.algorithms import state_space
from loadpath.algorithms.inverse_dynamics_slopes import slopes
from loadpath.formulations import newton_euler
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reduced
from loadpath.scalars import array
from references.to_pinocchio import random_state

DIGITS, STEP = 40, mpmath.mpf(10) ** -12


@pytest.fixture(autouse=True)
def scalars_of_forty_digits(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Equations ask a scalar itself for its sine."""
    for name in ("sin", "cos", "sqrt", "exp", "sign"):
        function = getattr(mpmath, name)
        monkeypatch.setattr(mpmath.mpf, name, lambda x, function=function: function(x), raising=False)
    with mpmath.workdps(DIGITS):
        yield


def robot() -> lp.Robot:
    """Joints of several kinds on a free base, with drives."""
    return lp.catalog.random_tree(3, 3, ["revolute", "spherical", "universal"], general=True, drives=True).floating()


def exact(values: np.ndarray) -> np.ndarray:
    return array([mpmath.mpf(float(x)) for x in values])


def differences(
    of: Callable[..., Sequence[Any]], mechanism: Any, state: list[np.ndarray], which: int
) -> list[np.ndarray]:
    """By motions of q, or by one of the others, in the last axis."""
    columns, n = [], len(state[1])
    for k in range(n):
        unit = exact(np.eye(n)[k])
        by = state_space.coordinate_rate(mechanism, state[0], unit) if which == 0 else unit
        ends = [of(mechanism, *(part + side * STEP * by if number == which else part
                                for number, part in enumerate(state))) for side in (1, -1)]
        columns.append([(a - b) / (2 * STEP) for a, b in zip(*ends, strict=True)])
    return [np.stack(parts, axis=-1).astype(float) for parts in zip(*columns, strict=True)]


def agree(found: np.ndarray, expected: np.ndarray) -> None:
    assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()


def test_of_inverse_dynamics_and_joint_wrenches() -> None:
    on = robot()
    state = random_state(on, np.random.default_rng(2))
    numbers = [exact(part) for part in state]
    of_forces, of_wrenches = on.inverse_dynamics_derivatives(*state), on.joint_wrench_derivatives(*state)
    for which in range(3):
        (tau,) = differences(lambda *a: [newton_euler.inverse_dynamics(*a)], plain(on), numbers, which)
        agree(of_forces[which], tau)
        force, torque = differences(newton_euler.joint_wrenches, plain(on), numbers, which)
        agree(of_wrenches[which].force, force)
        agree(of_wrenches[which].torque, torque)


def test_second_derivatives() -> None:
    """Of the first ones in as many digits."""
    on = lp.catalog.random_tree(3, 3, ["revolute", "prismatic", "spherical"], general=True, drives=True)
    state = random_state(on, np.random.default_rng(2))
    numbers = [exact(part) for part in state]
    found = on.inverse_dynamics_second_derivatives(*state, packed=False)
    by_q, by_qd = (differences(lambda *a: slopes(*a)[:2], reduced(on), numbers, which) for which in (0, 1))
    by_qdd = differences(lambda *a: slopes(*a)[:1], reduced(on), numbers, 2)
    for one, expected in ((found.q_q, by_q[0]), (found.q_qd, by_qd[0]), (found.qd_qd, by_qd[1]),
                          (found.q_qdd, by_qdd[0])):
        agree(one, expected)


def test_of_forward_dynamics() -> None:
    on = lp.catalog.random_tree(4, 3, ["revolute", "prismatic", "spherical"], general=True, drives=True)
    state = random_state(on, np.random.default_rng(2))
    found = on.forward_dynamics_derivatives(*state)
    for which in range(3):
        (qdd,) = differences(lambda *a: [state_space.forward_dynamics(*a)], plain(on), [exact(p) for p in state], which)
        assert np.abs(found[which] - qdd).max() < 1e-10 * np.abs(qdd).max()  # the mass matrix is solved with, in floats
