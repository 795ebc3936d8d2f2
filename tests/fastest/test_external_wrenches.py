"""Fastest motions under wrenches of the surroundings: by hand, and by the robot's own equations under them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import loadpath as lp


def test_a_slide_that_is_held_back_by_hand() -> None:
    """F - P forward, F + P to stop: bang-bang between two accelerations."""
    cart = lp.Robot("cart", [lp.Link("floor"), lp.Link("tray", lp.Inertia(2.0))],
                    [lp.Joint("slide", "floor", "tray", lp.Prismatic((1, 0, 0)))])
    found = cart.fastest([[0.0], [1.5]], {"torque": 10.0}, external={"tray": lp.Wrench(force=(-4.0, 0, 0))})
    a, b = (10.0 - 4.0) / 2, (10.0 + 4.0) / 2
    assert found.duration == pytest.approx(math.sqrt(2 * 1.5 * (1 / a + 1 / b)), rel=1e-6)


@pytest.mark.parametrize("axes", ["world", "link"])
def test_an_arm_that_presses(axes: str) -> None:
    """Torques and a tilting moment between points, with a wrench in world axes and one that turns with the link."""
    arm = lp.catalog.ur5()
    push = {"link6": lp.Wrench(force=(15.0, -20.0, 45.0), torque=(1.0, 0.5, -2.0), axes=axes),
            "link3": lp.Wrench(force=(0.0, 5.0, -10.0))}
    points = np.array([0, -1.2, 1.4, -0.3, 0.4, 0]) + np.random.default_rng(4).uniform(-0.6, 0.6, (4, 6))
    limits = {"torque": [100.0, 110.0, 80.0, 16.0, 16.0, 16.0], "speed": 2.5, "tilting_moment": {"wrist_1_joint": 26.0}}
    found = arm.fastest(points, limits, external=push)
    assert found.certificate <= 1 + 2e-6
    states = found.sampled(97)
    used = np.abs(arm.inverse_dynamics(*states, external=push)) / limits["torque"]
    assert 0.999 < used.max() <= 1.000002
    torque = arm.joint_wrenches(*states, external=push)["wrist_1_joint"].torque
    assert np.linalg.norm(torque[:, :2], axis=1).max() <= 26.0 * 1.000002
    assert np.abs(arm.inverse_dynamics(*arm.fastest(points, limits).sampled(9), external=push)
                  / limits["torque"]).max() > 1.02  # it matters


def test_a_closed_robot_that_presses() -> None:
    bar = lp.catalog.four_bar()
    push = {bar.links[2].name: lp.Wrench(force=(3.0, 2.0, 0.0))}
    start = bar.home[0]
    found = bar.fastest([[start], [start + 1.5]], {"torque": 3.0, "speed": 8.0}, external=push)
    assert found.certificate <= 1.0001
    tau = np.asarray(bar.inverse_dynamics(*found.sampled(33), external=push))
    assert 0.99 < np.abs(tau).max() / 3.0 <= 1.000002


def test_what_is_refused() -> None:
    arm = lp.catalog.planar(2)
    points = [[0, 0.5], [1, 0.2]]
    limits = {"torque": 60.0, "speed": 3.0}
    with pytest.raises(ValueError, match=r"one lp\.Wrench of finite numbers for each link"):
        arm.fastest(points, limits, external={"link2": lp.Wrench(force=np.ones((5, 3)))})
    with pytest.raises(TypeError, match=r"fastest takes no 'gravity': robot\.with_gravity"):
        arm.fastest(points, limits, gravity=(0, 0, -1.6))
    with pytest.raises(TypeError, match="fastest takes no 'base_velocity'"):
        arm.fastest(points, limits, base_velocity=[0] * 6)
    with pytest.raises(TypeError, match="unexpected keyword argument 'speed'"):
        arm.fastest(points, limits, speed=3)
