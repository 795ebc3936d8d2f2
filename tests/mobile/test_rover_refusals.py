"""Bad bases, grounds and calls: errors that say what is wrong and what to do."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp

TRIANGLE = ((0.6, 0.0), (0.0, 0.3), (0.0, -0.3))


def base(points=TRIANGLE, at=(0.2, 0, 0.3), **options):
    usual = {"mass": 10, "center_of_mass": at, "wheels": [lp.FixedWheel(p, 0.1) for p in points]}
    return lp.WheeledBase(**(usual | options))


@pytest.mark.parametrize(("make", "said"), [
    (lambda: base(TRIANGLE[:2]), "has 2 contacts: expected three or more"),
    (lambda: base(((0, 0), (1, 1), (2, 2), (3, 3)), at=(1, 1, 0.3)), "lie in a line"),
    (lambda: base(at=(-0.1, 0, 0.3)), r"lies 0\.1 m outside the edge from 'wheel2' to 'wheel3'"),
    (lambda: lp.FixedWheel((0, 0), 0.0, name="hub"), "radius of fixed wheel 'hub' is 0.0: expected more than zero"),
    (lambda: lp.CasterWheel((0, 0), -0.1), "radius of a caster wheel is -0.1"),
    (lambda: lp.CasterWheel((0, 0), 0.1, trail=-0.1), "trail"),
    (lambda: lp.MecanumWheel((0, 0), 0.1, roller_angle=np.pi / 2), "roller angle"),
    (lambda: lp.FixedWheel((0, 0, 0), 0.1), "has 3 numbers"),
    (lambda: lp.FixedWheel((0, 0), 0.1, spin_inertia=-1), "spin inertia"),
    (lambda: lp.Support((0, 0), compliance=0), "compliance of a support is 0.0"),
    (lambda: lp.Support((0, 0), friction=0.5), "expected a WheelFriction"),
    (lambda: lp.WheelFriction(-0.1), "sliding friction is -0.1"),
    (lambda: lp.WheelFriction(0.5, rolling=-0.1), "rolling friction is -0.1"),
    (lambda: lp.WheelFriction(0.5, static=0.4), "static friction 0.4 is below the sliding friction 0.5"),
    (lambda: lp.WheelFriction("0,5"), "sliding of a WheelFriction is '0,5'"),
    (lambda: lp.Ground(slope=10), r"10.0 degrees are 0\.1745 rad"),
    (lambda: lp.Ground(slope=-0.1), "slope of the ground is -0.1"),
    (lambda: lp.Ground(gravity=-9.81), "strength"),
    (lambda: base(mass=-1), "base 'rover': mass is -1.0"),
    (lambda: base(mass="10 m"), "mass of a WheeledBase 'rover' is '10 m', a length: expected a mass"),
    (lambda: base(inertia=np.diag([1, 1, 3])), "triangle inequality"),
    (lambda: base(inertia=np.diag([1, 1, -1])), "negative principal moment"),
    (lambda: base(wheels=["wheel"]), "'wheel' among its wheels"),
    (lambda: base(wheels=[lp.FixedWheel(p, 0.1, name="one") for p in TRIANGLE]), "two contacts are named 'one'"),
    (lambda: base(friction=0.5), "friction of base 'rover' is 0.5"),
    (lambda: base(wheels=None), "wheels of base 'rover' are None"),
    (lambda: lp.FixedWheel((0, 0), 0.1, driven="no", name="hub"), "driven of fixed wheel 'hub' is 'no'"),
    (lambda: lp.SteeredWheel((0, 0), 0.1, driven=1), "driven of a steered wheel is 1"),
    (lambda: lp.FixedWheel((np.nan, 0), 0.1), "position of a fixed wheel is nan"),
])
def test_bad_models(make, said):
    with pytest.raises(lp.ModelError, match=said):
        make()


@pytest.mark.parametrize(("call", "said"), [
    (lambda r: r.wheel_loads([0, 0]), "expected"),
    (lambda r: r.wheel_loads([0, 0, 0], velocity=1.0), r"velocity of the base has the shape \(\)"),
    (lambda r: r.wheel_loads([0, 0, 0], velocity=[1, 2, 3, 4]), r"shape \(4,\)"),
    (lambda r: r.wheel_loads([0, 0, 0], acceleration=("a", 0)), "acceleration of the base is 'a': expected numbers"),
    (lambda r: r.wheel_loads([0, 0, 0], velocity=np.ones((4, 2)), acceleration=np.ones((3, 2))), "do not go together"),
    (lambda r: r.wheel_loads([0, 0, 0], split="even"), "split is 'even'"),
    (lambda r: r.wheel_loads([0, 0, 0], steering=[0.1, 0.2]), r"steering has the shape \(2,\): expected \(..., 1\)"),
    (lambda r: r.wheel_loads([0, 0, 0], external={"hand": lp.Wrench()}), "no link 'hand'"),
    (lambda r: r.base_motion([1.0]), "one for each of wheel2, wheel3"),
    (lambda r: r.base_motion([1.0], wheels=["wheel9"]), "no wheel 'wheel9'"),
    (lambda r: r.base_motion([1.0], wheels=["wheel1"]), "give its angle in steering="),
    (lambda r: r.base_motion([1.0], wheels=["wheel2"]), "do not determine how the base moves"),
    (lambda r: r.friction_of("hub"), "no contact 'hub'"),
    (lambda r: r.on("ice"), "expected an lp.Ground"),
    (lambda r: r.carrying(lp.catalog.lau_arm(), prefix=""), "give robot 'lau_arm' another prefix"),
    (lambda r: r.carrying("arm"), "'arm' is none"),
    (lambda r: r.base.carrying(at=(0, 0, 1)), "no robot to mount"),
    (lambda r: r.base.carrying(lp.catalog.two_link(), at=(0, 1)), r"at has the shape \(2,\)"),
    (lambda r: r.wheel_loads([0, 0, 0], heading="north"), "heading is 'north': expected numbers"),
    (lambda r: r.wheel_loads([0, 0, 0], steering={"wheel2": 0.1}), "steering names 'wheel2'; there are wheel1"),
    (lambda r: r.wheel_loads([0, 0, 0], steering={"wheel1": "left"}), "steering of 'wheel1' is 'left'"),
    (lambda r: r.forward_dynamics([0, 0, 0], None, wheel_torques={"wheel2": "full"}), "wheel_torques of 'wheel2'"),
    (lambda r: r.largest_acceleration([0, 0, 0], joints=[1.0]), r"joints has the shape \(1,\)"),
    (lambda r: r.roll(None), "expected an lp.Motion"),
    (lambda r: r.simulate([0, 0, 0.5], freedoms="yaw", velocity=(0, 0.5, 0), duration=1), "moves along 'y'"),
    (lambda r: r.wheel_loads(lp.Motion.swing(lp.catalog.puma560())), "the motion is of robot 'puma560'"),
    (lambda r: r.stability(lp.Motion.swing(lp.catalog.lau_arm()), [0, 0, 0]), "leave out 'qd'"),
])
def test_bad_calls(call, said):
    with pytest.raises(ValueError, match=said):
        call(lp.catalog.lau_rover())


def test_no_friction_known():
    rover = base().carrying()
    rover.wheel_loads([])
    with pytest.raises(lp.ModelError, match="no friction is known of contact 'wheel1'"):
        rover.slip([])


def test_friction_of_wheel_before_ground_before_base():
    one, two, three = (lp.WheelFriction(mu) for mu in (0.1, 0.2, 0.3))
    wheels = [lp.Support(TRIANGLE[0], friction=one), *(lp.Support(p) for p in TRIANGLE[1:])]
    rover = base(wheels=wheels, friction=three).carrying()
    assert rover.frictions["sliding"].tolist() == [0.1, 0.3, 0.3]
    assert rover.on(lp.Ground(friction=two)).frictions["sliding"].tolist() == [0.1, 0.2, 0.2]


def test_doubts_are_told():
    with pytest.warns(lp.ModelWarning, match="rather slide than roll"):
        lp.WheelFriction(0.1, rolling=0.2)
    with pytest.warns(lp.ModelWarning, match="on a rover that of the ground counts"):
        base().carrying(lp.catalog.two_link().with_gravity(1.62))
    with pytest.warns(lp.ModelWarning, match="below the ground"):
        base(at=(0.2, 0, -0.3))
    with pytest.warns(lp.ModelWarning, match=r"90.0 degrees are 1\.571 rad"):
        lp.FixedWheel((0, 0), 0.1, direction=90)
    with pytest.warns(lp.ModelWarning, match="in percent"):
        lp.WheelFriction(60)


def test_misspelt_motions_of_the_base_are_told():
    with pytest.raises(TypeError, match="'velocty': the motion of a base has velocity, acceleration"):
        lp.catalog.lau_rover().wheel_loads([0, 0, 0.5], velocty=(1, 0))


def test_rows_without_numbers_name_no_wheel():
    rover, rows = lp.catalog.lau_rover(), [[0, 0, 0.5], [np.nan, 0, 0.5]]
    assert rover.stability(rows).edge.tolist() == [["wheel1", "wheel2"], ["", ""]]
    assert rover.stability(rows[1]).edge == ("", "")
    assert rover.slip(rows).worst.tolist()[1] == "" == rover.slip(rows[1]).worst
    wheels = [lp.CasterWheel(TRIANGLE[0], 0.1, trail=0.05), *(lp.FixedWheel(p, 0.1) for p in TRIANGLE[1:])]
    swivelled = base(wheels=wheels).carrying().stability([], steering=[[0.1], [np.nan]])
    assert np.isnan(swivelled.margin).tolist() == [False, True]
    assert swivelled.edge.tolist()[1] == ["", ""]


def test_shapes_are_told_by_the_name_that_was_called():
    with pytest.raises(ValueError, match=r"^ground_wrench: 'q' has the shape \(2,\): expected \(\.\.\., 3\)"):
        lp.catalog.lau_rover().ground_wrench([0, 0])
