"""What wheels hold and what their drives decide are two things: rollers mounted the wrong way leave a motion over."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import loadpath as lp

CORNERS = [(0.3, 0.3), (0.3, -0.3), (-0.3, 0.3), (-0.3, -0.3)]


def mecanum(*signs: int, driven: bool = True) -> lp.Rover:
    wheels = [lp.MecanumWheel(p, 0.1, roller_angle=s * np.pi / 4, driven=driven)
              for p, s in zip(CORNERS, signs, strict=True)]
    base = lp.WheeledBase(mass=40, center_of_mass=(0, 0, 0.2), inertia=np.diag([1.0, 1.0, 2.0]), wheels=wheels,
                          friction=lp.WheelFriction(0.8))
    return base.carrying(lp.catalog.planar(2), at=(0, 0, 0.3))


def test_rollers_as_they_should_be() -> None:
    rover = mecanum(-1, 1, 1, -1)
    axis = rover.rotation_axis()
    assert (int(axis.mobility), int(axis.driven)) == (3, 3)
    assert str(axis) == "no wheel holds the base: it can turn about any point"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.abs(rover.wheel_loads([0.1, 0.2], acceleration=(0.5, 0.5, 1.0)).unsupplied).max() < 1e-12


def test_rollers_the_wrong_way_round() -> None:
    rover = mecanum(1, -1, -1, 1)  # all roller axes meet in the middle: no moment about it
    axis = rover.rotation_axis()
    assert (int(axis.mobility), int(axis.driven)) == (3, 2)
    assert str(axis) == "no wheel holds the base, and no drive turns it about [0.0, 0.0]"
    with pytest.warns(lp.ModelWarning, match=r"^wheel_loads: .* N m about the vertical that no contact and no drive"):
        loads = rover.wheel_loads([0.1, 0.2], acceleration=(0.0, 0.0, 1.0))
    asked = rover.ground_wrench([0.1, 0.2], acceleration=(0.0, 0.0, 1.0)).torque[2]
    assert loads.unsupplied[2] == pytest.approx(asked, rel=1e-12)
    with pytest.warns(lp.ModelWarning, match=r"^slip: .*no drive turns it about"):
        rover.slip([[0.1, 0.2]] * 3, acceleration=(0.0, 0.0, 1.0))
    swing = lp.Motion.through(rover.robot, [[0, 0.2], [1, 0.5]], [0, 0.5], rate=20)
    notes = rover.report(swing, acceleration=(0.0, 0.0, 1.0)).sections[-2].warnings
    assert len(notes) == 1
    assert "N m about the vertical are missing (no drive turns it about [0.0, 0.0])" in notes[0]


def test_four_equal_rollers_cannot_be_driven_sideways() -> None:
    axis = mecanum(1, 1, 1, 1).rotation_axis()
    assert (int(axis.mobility), int(axis.driven)) == (3, 2)
    assert str(axis) == "no wheel holds the base, and no drive moves it along (-0.7071, 0.7071)"
    assert np.allclose(np.abs(axis.undriven), [np.sqrt(0.5), np.sqrt(0.5), 0.0])


def test_one_driven_wheel_of_two_and_none() -> None:
    def axis(left: bool, right: bool):
        wheels = [lp.FixedWheel((0, 0.3), 0.1, driven=left), lp.FixedWheel((0, -0.3), 0.1, driven=right),
                  lp.CasterWheel((0.5, 0), 0.1)]
        return lp.WheeledBase(mass=40, center_of_mass=(0.1, 0, 0.2), wheels=wheels).carrying().rotation_axis()

    assert str(axis(True, True)) == "it can turn about any point of a line"
    assert str(axis(True, False)) == "it can turn about any point of a line, but no drive turns it about [0.0, 0.3]"
    assert str(axis(False, False)) == "it can turn about any point of a line"  # pushed, not driven
    assert int(axis(False, False).driven) == 0
    assert str(mecanum(1, 1, 1, 1, driven=False).rotation_axis()).startswith("no wheel holds the base: it can turn")
