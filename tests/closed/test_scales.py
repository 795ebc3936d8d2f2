"""Loops much smaller than the robot that carries them, and couplings of large ratios: judged by their own size."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp

HINGE = lp.Revolute((0, 1, 0))


def crane_with_gripper(boom: float, grip: float) -> lp.ClosedRobot:
    """A four-bar with a base of length `grip` at the tip of a boom."""
    small = lp.Inertia(0.01, (grip / 2, 0, 0), np.diag([1e-8, 1e-6 * grip, 1e-6 * grip]))
    links = (
        lp.Link("base"), lp.Link("boom", lp.Inertia(1000.0, (boom / 2, 0, 0), np.diag([1.0, 3e5, 3e5]))),
        lp.Link("crank", small), lp.Link("coupler", small), lp.Link("rocker", small),
    )
    joints = (
        lp.Joint("slew", "base", "boom", lp.Revolute((0, 0, 1)), (0, 0, boom / 10)),
        lp.Joint("a", "boom", "crank", HINGE, (boom, 0, 0)),
        lp.Joint("b", "crank", "coupler", HINGE, (0.3 * grip, 0, 0)),
        lp.Joint("d", "boom", "rocker", HINGE, (boom + grip, 0, 0)),
    )
    pin = {"at": (0.9 * grip, 0, 0), "on": (0.7 * grip, 0, 0)}
    return lp.Robot("crane", links, joints).with_loop("c", "coupler", "rocker", motion=HINGE, **pin).with_driven(
        "slew", "a"
    )


def test_a_gripper_on_a_crane_is_open_by_its_own_size():
    crane = crane_with_gripper(60.0, 0.05)
    ajar = crane.home + np.array([0, 0, 0.01, 0])  # by 0.45 mm of 50 mm
    for call in (lambda: crane.gravity_forces(ajar), lambda: crane.complete(ajar, [0.1, 1.0])):
        with pytest.raises(ValueError, match=r"open.* 'c' by 0.00045 m"):
            call()


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_a_tiny_linkage_on_a_crane_has_its_freedoms():
    crane = crane_with_gripper(60.0, 0.001)
    assert crane.mobility == 2
    assert crane.closure(crane.home).max() < 1e-9 * 0.001


def test_a_coupling_of_a_large_ratio_hides_no_loop():
    bar, rotor = lp.catalog.four_bar(), lp.Link("rotor", lp.Inertia(0.1, (0, 0, 0), np.diag([1e-5] * 3)))
    tree = lp.Robot("geared", (*bar.links, rotor), (*bar.joints, lp.Joint("motor", "base", "rotor", HINGE)))
    pin = bar.loops[0]
    closed = tree.with_loop(pin.name, pin.first, pin.second, motion=pin.motion, at=pin.at, on=pin.on)
    assert closed.with_coupling({"motor": 1.0, "crank_joint": -1e6}).with_driven("motor").mobility == 1
