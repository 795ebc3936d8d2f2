"""Equivalent loads of bearings as limits: by hand, and by the wrenches of joints between points."""

from __future__ import annotations

import math

import numpy as np
import pytest

import loadpath as lp
from loadpath.fastest import Fastest

G = 9.81


def mast(axis: tuple[float, float, float]) -> lp.Robot:
    """A slide along x with a mass on a bearing about an axis, which stands still on the way."""
    turn = lp.Joint("turn", "carriage", "load", lp.Revolute(axis))
    return lp.Robot("mast", [lp.Link("floor"), lp.Link("carriage"), lp.Link("load", lp.Inertia(5.0))],
                    [lp.Joint("x", "floor", "carriage", lp.Prismatic((1, 0, 0))), turn], gravity=(0, 0, -G))


@pytest.mark.parametrize("axis", [(1.0, 0, 0), (0, 0, 1.0), (0, 1.0, 0)])
def test_both_branches_by_hand(axis: tuple[float, float, float]) -> None:
    """Weight and m a are axial or radial as the axis lies: P = max(F_r, 0.5 F_r + 1.5 F_a)."""
    bearing = lp.EquivalentLoad(120.0, branches=((1.0, 0.0), (0.5, 1.5)))
    found = mast(axis).fastest([[0.0, 0.0], [1.0, 0.0]], {"speed": 100.0, "equivalent_load": {"turn": bearing}})
    weight = 5 * G
    if axis[0]:  # m a along the axis
        a = min((120.0 - 0.5 * weight) / 1.5, np.inf) / 5
    elif axis[2]:
        a = min(120.0, (120.0 - 1.5 * weight) / 0.5) / 5
    else:
        a = math.sqrt(120.0**2 - weight**2) / 5
    assert found.duration == pytest.approx(2 * math.sqrt(1.0 / a), rel=1e-5)


def test_crossed_rollers_of_an_arm_between_points() -> None:
    arm = lp.catalog.ur5()
    points = [[0, -1.2, 1.4, -0.3, 0.4, 0], [0.8, -0.9, 0.9, -0.1, 0.6, 0.5], [1.4, -1.4, 1.6, -0.5, 0.2, 1.0]]
    d, joint = 0.08, "shoulder_lift_joint"
    plain = arm.fastest(points)

    def used(found: Fastest) -> float:
        wrench = arm.joint_wrenches(*found.sampled(97))[joint]
        axis = np.array(next(each for each in arm.joints if each.name == joint).motion.axis_direction())
        along, around = np.abs(wrench.force @ axis), wrench.torque @ axis
        radial = np.linalg.norm(wrench.force - (wrench.force @ axis)[:, None] * axis, axis=1)
        tilt = np.linalg.norm(wrench.torque - around[:, None] * axis, axis=1)
        radial = radial + 2 * tilt / d
        return float(np.where(along <= 1.5 * radial, radial + 0.45 * along, 0.67 * (radial + along)).max())

    most = 0.85 * used(plain)
    bearing = lp.EquivalentLoad(most, branches=((1.0, 0.45), (0.67, 0.67)), pitch_diameter=d)
    found = arm.fastest(points, {"equivalent_load": {joint: bearing}})
    assert 0.999 < used(found) / most <= 1.000002
    assert found.certificate <= 1.0001
    assert found.duration > plain.duration


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="limit of an EquivalentLoad is 0"):
        lp.EquivalentLoad(0.0)
    with pytest.raises(ValueError, match=r"expected pairs \(X, Y\)"):
        lp.EquivalentLoad(1.0, branches=((0.0, 0.0),))
    with pytest.raises(ValueError, match=r"expected a dict from joints to lp\.EquivalentLoad"):
        lp.catalog.planar(2).fastest([[0, 0], [1, 1]], {"torque": 1e3, "equivalent_load": 3.0})
    with pytest.raises(ValueError, match="joint9"):
        lp.catalog.planar(2).fastest([[0, 0], [1, 1]], {"equivalent_load": {"joint9": lp.EquivalentLoad(1.0)}})
