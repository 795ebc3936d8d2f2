"""The power of the supply: by hand, and by the robot's own torques and speeds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import loadpath as lp

ROD = lp.catalog.planar(1, gravity=0)  # 1/3 kg m^2


def test_one_joint_at_constant_power() -> None:
    """A torque up to the speed P / tau, then v^3 grows evenly with the angle, then the brake, which gives back."""
    J, tau, P, L = 1 / 3, 2.0, 3.0, 4.0
    v1 = P / tau
    s1, t1 = J * v1**2 / (2 * tau), J * v1 / tau

    def speed(s: float) -> float:
        return float((v1**3 + 3 * P * (s - s1) / J) ** (1 / 3))

    turn = brentq(lambda s: speed(s) - np.sqrt(2 * tau * (L - s) / J), s1, L)
    best = t1 + quad(lambda s: 1 / speed(s), s1, turn)[0] + J * speed(turn) / tau
    found = ROD.fastest([[0.0], [L]], {"torque": tau, "power": P})
    assert found.duration == pytest.approx(best, rel=5e-4)
    assert found.duration > best * (1 - 1e-6)
    assert found.certificate <= 1 + 2e-6
    assert [each.limit.split(" of ")[0] for each in found.rules if each.limit] == ["torque", "power", "torque"]


@pytest.mark.parametrize("rubs", [False, True])
def test_no_more_than_the_supply_gives(rubs: bool) -> None:
    arm = lp.catalog.ur5()
    if rubs:
        arm = arm.with_drives({"shoulder_lift_joint": lp.Drive(friction=lp.Friction(coulomb=3.0, viscous=6.0)),
                               "elbow_joint": lp.Drive(friction=lp.Friction(viscous=3.0))})
    points = [[0, -1.2, 1.4, -0.3, 0.4, 0], [0.8, -0.9, 0.9, -0.1, 0.6, 0.5], [1.4, -1.4, 1.6, -0.5, 0.2, 1.0]]
    free = arm.fastest(points, intervals=300)
    for more in ({}, {"torque_rate": 3000.0}):
        found = arm.fastest(points, {"power": 100.0, **more}, intervals=300 if not more else 120)
        q, qd, qdd = found.sampled(49)
        power = (arm.inverse_dynamics(q, qd, qdd) * qd).sum(axis=-1)
        assert 0.999 * 100.0 < power.max() <= 100.0 * found.certificate
        assert found.certificate <= 1 + 2e-5
        assert found.duration > free.duration * 1.02
        assert "power of 'the supply'" in found.costs


def test_wrong_power_is_named() -> None:
    with pytest.raises(ValueError, match="limit of power"):
        ROD.fastest([[0.0], [1.0]], {"torque": 1.0, "power": -3.0})
    with pytest.raises(ValueError, match="beside torques"):
        ROD.fastest([[0.0], [1.0]], {"power": 3.0})


def test_a_weak_supply_creeps() -> None:
    """Up against gravity at 1 mW: the work over the power, and what little it takes to move."""
    rod = lp.catalog.planar(1)
    found = rod.fastest([[0.0], [1.0]], {"torque": 6.0, "speed": 5.0, "power": 1e-3})
    best = 9.81 / 2 * np.sin(1.0) / 1e-3
    assert best < found.duration < 1.03 * best
