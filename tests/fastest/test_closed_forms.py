"""Fastest motions whose duration is known: by hand, by energy, by another optimiser on the same rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from ipopt_rows import ipopt_duration
from scipy.integrate import quad
from scipy.optimize import brentq

import loadpath as lp
from loadpath.fastest.controllable import solve
from loadpath.fastest.limits import Rows

G = 9.81


def test_one_joint_between_two_torques() -> None:
    """Inertia m l^2 / 3 under a torque: 2 sqrt(angle inertia / torque)."""
    rod = lp.catalog.planar(1, gravity=0)
    found = rod.fastest([[0.2], [1.7]], limits={"torque": 2.5})
    assert found.duration == pytest.approx(2 * math.sqrt(1.5 / 3 / 2.5), rel=1e-6)
    assert found.certificate <= 1 + 2e-6
    assert [stretch.limit for stretch in found.rules] == ["torque of 'joint1'"]
    assert found.motion.q[-1] == pytest.approx(1.7)


def test_double_integrator_with_a_speed_limit() -> None:
    """L / v + v / a."""
    rod = lp.catalog.planar(1, gravity=0)
    found = rod.fastest([[0.0], [3.0]], limits={"acceleration": 2.0, "speed": 1.5})
    assert found.duration == pytest.approx(3 / 1.5 + 1.5 / 2, rel=1e-5)
    assert {stretch.limit for stretch in found.rules} == {"speed of 'joint1'", "acceleration of 'joint1'"}


def test_from_speed_to_speed() -> None:
    """Ends that are not at rest: (v1 - v0) / a where the acceleration suffices; at any speed, the limit of it."""
    rod = lp.catalog.planar(1, gravity=0)
    limits = {"acceleration": 2.0, "speed": 4.0}
    found = rod.fastest([[0.0], [3.0]], limits=limits, start=2.0, end="any")
    assert found.duration == pytest.approx((4.0 - 2.0) / 2, rel=1e-5)
    assert rod.fastest([[0.0], [3.0]], limits=limits, start="any", end="any").duration == pytest.approx(0.75)
    with pytest.raises(lp.NoMotionError, match="speed at the beginning"):
        rod.fastest([[0.0], [0.5]], limits=limits, start=3.0)


def test_pendulum_by_its_energy() -> None:
    """Up against gravity with one torque, then braked with the other; the time by quadrature of dq / sqrt(2 E / J)."""
    rod, tau, q0, q1 = lp.catalog.planar(1), 6.0, -0.4, 1.2
    J = 1 / 3

    def work(sign: float, a: float, b: float) -> float:  # of torque and weight
        return sign * tau * (b - a) - G / 2 * (math.sin(b) - math.sin(a))

    turn = brentq(lambda q: work(1, q0, q) + work(-1, q, q1), q0 + 1e-9, q1 - 1e-9)
    up = quad(lambda r: 2 * r / math.sqrt(2 / J * work(1, q0, q0 + r * r)), 0, math.sqrt(turn - q0))[0]
    down = quad(lambda r: 2 * r / math.sqrt(-2 / J * work(-1, q1 - r * r, q1)), 0, math.sqrt(q1 - turn))[0]
    found = rod.fastest([[q0], [q1]], limits={"torque": tau}, intervals=1000)
    assert found.duration == pytest.approx(up + down, rel=3e-4)
    assert found.duration > up + down - 1e-9
    assert found.certificate <= 1 + 2e-6


def test_friction_by_hand() -> None:
    """Coulomb friction takes from the torque that accelerates and adds to the one that brakes."""
    slow = lp.Drive(friction=lp.Friction(coulomb=0.5))
    rod = lp.catalog.planar(1, gravity=0).with_drives({"joint1": slow})
    found = rod.fastest([[0.0], [1.0]], limits={"torque": 2.0})
    up, down = 1.5 * 3, 2.5 * 3
    peak = math.sqrt(2 / (1 / up + 1 / down))
    assert found.duration == pytest.approx(peak / up + peak / down, rel=1e-3)
    back = rod.fastest([[1.0], [0.0]], limits={"torque": 2.0})
    assert back.duration == pytest.approx(found.duration, rel=1e-6)


def test_viscous_friction_reaches_its_last_speed() -> None:
    """J dw/dt = tau - b w from rest: w = tau / b (1 - exp(-b t / J))."""
    rod = lp.catalog.planar(1, gravity=0).with_drives({"joint1": lp.Drive(friction=lp.Friction(viscous=0.8))})
    found = rod.fastest([[0.0], [6.0]], limits={"torque": 2.0}, end="any", intervals=1000)
    k, last = 0.8 * 3, 2.0 / 0.8

    def angle(t: float) -> float:
        return last * (t - (1 - math.exp(-k * t)) / k)

    assert found.duration == pytest.approx(brentq(lambda t: angle(t) - 6.0, 0, 10), rel=5e-4)
    _, qd, qdd = found.sampled(33)
    assert np.abs(qdd / 3 + 0.8 * qd).max() <= 2.0 * (1 + 2e-6)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_same_rows_by_ipopt(seed: int) -> None:
    """The whole problem at once, with the rows of the search: Ipopt finds no shorter time."""
    pytest.importorskip("casadi")
    rng = np.random.default_rng(seed)
    arm = lp.catalog.ur5()
    points = np.array([0, -1.2, 1.4, -0.3, 0.4, 0]) + rng.uniform(-0.6, 0.6, (4, 6))
    found = arm.fastest(points, factor={"torque": 0.6}, intervals=60).found
    rows, grid = found.rows, found.grid
    left = rows.gamma - rows.alpha * found.solution.u[:, None] - rows.beta * found.solution.x[:-1, None]
    near = left.min(axis=0) < 0.5  # fewer rows than there are can only be quicker
    best = ipopt_duration(Rows(*(part[:, near] for part in rows)), grid.h, found.problem.top(grid))
    assert found.duration == pytest.approx(best, rel=1e-4)
    assert found.duration >= best * (1 - 1e-7)


def test_sets_of_random_rows_by_linear_programming() -> None:
    """Ends of the first set against HiGHS over all of u and x."""
    from scipy.optimize import linprog

    rng = np.random.default_rng(5)
    for _ in range(40):
        count, each = 4, 7
        alpha, beta = rng.normal(size=(2, count, each))
        alpha *= rng.random((count, each)) > 0.15
        gamma, h = rng.uniform(-0.05, 1.5, (count, each)), rng.uniform(0.1, 1, count)
        top = np.append(rng.uniform(0.5, 4, count), rng.choice([0.0, 3.0]))
        found = solve(alpha, beta, gamma, h, np.inf, top)
        size = 2 * count + 1  # x, then u
        inequality, right = np.zeros((count * each, size)), gamma.ravel()
        equality = np.zeros((count, size))
        for i in range(count):
            inequality[i * each : (i + 1) * each, i] = beta[i]
            inequality[i * each : (i + 1) * each, count + 1 + i] = alpha[i]
            equality[i, [i, i + 1, count + 1 + i]] = 1, -1, 2 * h[i]
        bounds = [(0, float(t)) for t in top] + [(None, None)] * count
        cost = np.zeros(size)
        cost[0] = -1
        best = linprog(cost, inequality, right, equality, np.zeros(count), bounds)
        assert (best.status == 0) == (found.failed < 0)
        if best.status == 0:
            assert found.high[0] == pytest.approx(-best.fun, rel=1e-7, abs=1e-9)
            least = linprog(-cost, inequality, right, equality, np.zeros(count), bounds)
            assert found.low[0] == pytest.approx(least.fun, rel=1e-7, abs=1e-9)
