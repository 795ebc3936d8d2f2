"""Closed arms on wheels: the forces of loops are internal, so wheels carry what moments about the ground say."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp


@pytest.fixture(scope="module")
def rover():
    return lp.catalog.lau_rover().base.carrying(lp.catalog.four_bar(), at=(0.1, 0.0, 0.4))


def test_loops_stay(rover):
    robot = rover.robot
    assert isinstance(robot, lp.ClosedRobot)
    assert robot.mobility == 1
    assert robot.driven == ("crank_joint",)
    np.testing.assert_allclose(robot.home, lp.catalog.four_bar().home, atol=1e-12)
    twice = rover.carrying(lp.catalog.four_bar(), at=(-0.3, 0.0, 0.4)).carrying(lp.catalog.planar(1))
    assert twice.robot.mobility == 3
    assert twice.robot.loop_names == ("rocker_pin", "four_bar_rocker_pin")
    assert twice.robot.driven == ("crank_joint", "four_bar_crank_joint", "planar1_joint1")


def test_wheel_loads(rover):
    """The wheels carry the weight and the inertia of the linkage, by its center of mass, whatever its pins do."""
    bar = lp.catalog.four_bar()
    q = bar.home
    qd, qdd = bar.complete(q, {"crank_joint": 4.0}, {"crank_joint": 20.0})
    loads = rover.wheel_loads(q, qd, qdd)
    base = lp.catalog.lau_rover().base.carrying().wheel_loads()
    # The mass center along the motion, by differences.
    t = np.array([-1e-3, 0.0, 1e-3])
    path = bar.assemble({"crank_joint": q[0] + 4.0 * t + 10.0 * t**2}, path=False).q
    acceleration = np.diff(bar.center_of_mass(path)[:, 2], 2)[0] / 1e-6
    mass = sum(link.inertia.mass for link in bar.links)
    np.testing.assert_allclose(loads.normal.sum() - base.normal.sum(), mass * (9.81 + acceleration), rtol=1e-5)
    assert not rover.stability(q, qd, qdd).tips_over
    assert not rover.slip(q, qd, qdd).slips.any()


def test_what_is_refused(rover):
    q = rover.robot.home
    with pytest.raises(ValueError, match=r"loops of its robot are open, by 0.0\d+ m.*assemble"):
        rover.wheel_loads(q + np.array([0.1, 0, 0]))
