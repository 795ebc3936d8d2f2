"""What may be handed to a rover: tables of torques and velocities, names, nothing for bare carts; units."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import loadpath as lp

WHEELS = [lp.FixedWheel((x, y), 0.1) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]


def base(**parts) -> lp.WheeledBase:
    body = {"mass": 40, "center_of_mass": (0, 0, 0.2), "inertia": np.diag([1.0, 2.0, 2.0]), "wheels": WHEELS}
    return lp.WheeledBase(**body | parts)


def test_tables_of_torques_steering_and_velocities() -> None:
    rover = lp.catalog.lau_rover(driven=True, friction=lp.WheelFriction(0.8))
    q = [0, 0, 0.5]
    by_dict = rover.forward_dynamics(q, wheel_torques={"wheel3": 0.2, "wheel2": 0.5}).acceleration
    series = pd.Series({"wheel3": 0.2, "wheel2": 0.5})
    assert np.array_equal(rover.forward_dynamics(q, wheel_torques=series).acceleration, by_dict)
    table = pd.DataFrame({"wheel3": [0.2, 0.0], "wheel2": [0.5, 0.0]})
    assert np.array_equal(rover.forward_dynamics(q, wheel_torques=table).acceleration[0], by_dict)
    assert np.array_equal(rover.simulate(q, duration=0.01, wheel_torques=series).pose,
                          rover.simulate(q, duration=0.01, wheel_torques=series.to_dict()).pose)
    with pytest.raises(ValueError, match=r"no wheel 'wheel9'; there are wheel1"):
        rover.forward_dynamics(q, wheel_torques=pd.Series({"wheel9": 1.0}))
    loads = rover.wheel_loads(q, velocity=(0.3, 0.1), steering={"wheel1": 0.2}).force
    named = {"velocity": pd.Series({"w": 0.1, "v": 0.3}), "steering": pd.Series({"wheel1": 0.2})}
    assert np.array_equal(rover.wheel_loads(q, **named).force, loads)
    assert np.array_equal(rover.wheel_loads(q, velocity={"v_x": 0.3, "v_y": 0.0, "w": 0.1},
                                            steering={"wheel1": 0.2}).force, loads)


@pytest.mark.parametrize(("velocity", "words"), [
    (pd.Series({"a": 1.0, "b": 0.0}), r"^velocity of the base has the names 'a', 'b': expected 'v' and 'w', or 'v_x'"),
    (np.ma.masked_array([1.0, 0.0], [False, True]), r"^velocity of the base has 1 masked value, the first at \(1,\)"),
    (([1, 2], [1, 2, 3]), r"^velocity of the base has components of the shapes \(2,\), \(3,\), which do not go"),
    ("fast", r"^velocity of the base is 'fast': expected numbers"),
    ((1.0, "x"), r"^velocity of the base is 'x': expected numbers"),
])
def test_what_is_wrong_with_a_velocity(velocity, words) -> None:
    with pytest.raises(ValueError, match=words):
        lp.catalog.lau_rover().wheel_loads([0, 0, 0.5], velocity=velocity)


def test_a_bare_cart_needs_no_coordinates() -> None:
    cart = base(friction=lp.WheelFriction(0.8)).carrying()
    assert cart.wheel_loads(acceleration=(1.0, 0.0)).normal.sum() == pytest.approx(40 * 9.81)
    assert cart.forward_dynamics(wheel_torques={"wheel1": 1.0, "wheel2": 1.0}).acceleration[0] == pytest.approx(0.5)
    assert cart.base_acceleration().acceleration.shape == (3,)
    assert cart.mass_matrix()[0, 0] == 40.0
    with pytest.raises(TypeError, match="carries 3 coordinates: q is needed"):
        lp.catalog.lau_rover().forward_dynamics()


def test_names_of_freedoms() -> None:
    cart = base(friction=lp.WheelFriction(0.8)).carrying()
    start = {"duration": 0.02, "external": {"rover": lp.Wrench(force=(10.0, 3.0, 0.0), torque=(0.0, 0.0, 5.0))}}
    assert np.array_equal(cart.simulate(freedoms={"yaw": False}, **start).pose,
                          cart.simulate(freedoms=("x", "y"), **start).pose)
    with pytest.raises(ValueError, match=r"'freedoms': 'z' is no freedom of a base: there are 'x', 'y', 'yaw'"):
        cart.simulate(freedoms={"z": False}, duration=0.1)
    with pytest.raises(ValueError, match=r"'freedoms' has 0 for 'yaw': expected True or False"):
        cart.simulate(freedoms={"yaw": 0}, duration=0.1)


def test_rolling_resistance_holds_what_stands() -> None:
    cart = base(friction=lp.WheelFriction(0.8, rolling=0.02)).carrying()
    held = cart.forward_dynamics(wheel_torques={"wheel1": 0.1})
    assert not held.acceleration.any() and held.longitudinal.sum() == pytest.approx(0.0, abs=1e-12)
    pushed = cart.forward_dynamics(wheel_torques={"wheel1": 2.0})
    radius = cart.base.wheels[0].radius
    assert pushed.acceleration[0] == pytest.approx((2.0 / radius - 0.02 * 40 * 9.81) / 40)
    noise = [[0.0, 0.0, 0.0], [-1.8e-18, -4.6e-18, -3.1e-17]]  # of a simulation of a base that stands
    found = cart.forward_dynamics(velocity=noise, wheel_torques={"wheel1": 0.1})
    assert np.array_equal(found.acceleration[0], found.acceleration[1])


def test_no_inertia_may_be_none() -> None:
    bare = base(inertia=None, friction=lp.WheelFriction(0.8))
    assert not np.any(bare.inertia)
    for ask in (lambda: bare.carrying().forward_dynamics(), lambda: bare.carrying().forward_dynamics(
            velocity=np.zeros((2, 2))), lambda: bare.carrying().simulate(duration=0.1)):
        with pytest.raises(lp.ModelError, match=r"singular: nothing resists some acceleration\. Give the base"):
            ask()


@pytest.mark.parametrize(("parts", "words"), [
    ({"wheels": [lp.FixedWheel((x, y), 100) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]},
     r"the radius of 'wheel1' is 100 m, the contacts lie up to 1 m apart: is it in millimetres\?"),
    ({"wheels": [lp.FixedWheel((x, y), 100) for x in (-400, 400) for y in (-300, 300)]},
     r"its contacts lie up to 1000 m apart: are they in millimetres\?; the radius of 'wheel1'"),
    ({"mass": 40_000}, r"its mass is 4e\+04 kg, the contacts lie up to 1 m apart: is it in grams\?"),
    ({"center_of_mass": (0, 0, 200)}, r"its mass center lies 200 m high, .* is it in millimetres\?"),
])
def test_units_are_asked_about(parts, words) -> None:
    with pytest.warns(lp.ModelWarning, match=words):
        base(**parts)


def test_a_mass_center_far_outside_is_asked_about() -> None:
    with pytest.raises(lp.ModelError, match=r"lies 199.6 m outside .* it cannot stand; is it in millimetres\?"):
        base(center_of_mass=(200, 0, 100))


def test_real_machines_raise_no_question() -> None:
    def on_four(length: float, width: float, **parts) -> lp.WheeledBase:
        radius = parts.pop("radius")
        wheels = [lp.FixedWheel((x * length / 2, y * width / 2), radius) for x in (-1, 1) for y in (-1, 1)]
        return lp.WheeledBase(wheels=wheels, **parts)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        on_four(6.35, 7.0, radius=2.0, mass=290_000, center_of_mass=(0, 0, 3.0))  # the largest dump truck, empty
        on_four(35.0, 30.0, radius=1.0, mass=2.7e6, center_of_mass=(0, 0, 3.0))  # a crawler transporter
        on_four(50.0, 40.0, radius=1.5, mass=14e6, center_of_mass=(0, 0, 30.0))  # the largest excavator
        on_four(12.0, 12.0, radius=0.4, mass=4e5, center_of_mass=(0, 0, 35.0))  # a tower crane of 80 m on rails
        on_four(0.004, 0.003, radius=0.001, mass=2e-6, center_of_mass=(0, 0, 0.001))  # a robot of millimetres
        on_four(0.2, 0.15, radius=0.15, mass=1.0, center_of_mass=(0, 0, 0.1))  # a toy on large wheels
        on_four(0.6, 0.5, radius=0.1, mass=200.0, center_of_mass=(0, 0, 1.5))  # a tall one
        on_four(1.2, 1.0, radius=0.2, mass=6000.0, center_of_mass=(0, 0, 0.4))  # a tug full of steel


def test_a_mount_in_millimetres() -> None:
    arm = lp.catalog.lau_arm()
    with pytest.warns(lp.ModelWarning, match=r"'lau_arm' is mounted 412.3 m from the origin .* in millimetres\?"):
        base().carrying(arm, at=(100, 0, 400))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rover = base().carrying(arm, at=(0.1, 0, 4.0))
    with pytest.warns(lp.ModelWarning, match="in millimetres"):
        rover.carrying(arm, at=(0, 0, 400))


def test_a_robot_that_hangs_otherwise_than_it_is_mounted() -> None:
    wall = lp.catalog.lau_arm().with_gravity((9.81, 0, 0))
    upright = lp.Pose.from_xyz_rpy((0.1, 0, 0.4), (0, np.pi / 2, 0))  # its x axis points down
    with pytest.warns(lp.ModelWarning, match=r"gravity of \(9.81, 0, 0\) m/s\^2 .* and \(0, 0, -9.81\) as it is"):
        base().carrying(wall, at=(0.1, 0, 0.4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rover = base().carrying(wall, at=upright)
        base().carrying(lp.catalog.lau_arm(), at=upright)  # as robots come: nothing was said about it
    q = [0.1, 0.2, 0.5]
    np.testing.assert_allclose(rover.robot.gravity_forces(q), wall.gravity_forces(q), atol=1e-12)


def test_the_report_says_where_the_rover_stands_and_how_it_moves() -> None:
    rover = lp.catalog.lau_rover()
    swing = lp.Motion.swing(rover.robot)
    assert rover.report(swing).subtitle.endswith("On level ground, the base standing.")
    ramp = rover.on(lp.Ground(slope=0.1))
    moved = ramp.report(swing, heading=0.7, velocity=(0.2, 0.1), acceleration=np.zeros((len(swing), 2)))
    assert moved.subtitle.endswith("On a slope of 0.1 rad, heading 0.7 rad from uphill, the base moving: velocity "
                                   "(0.2, 0, 0.1) m/s, rad/s.")
    changing = rover.report(swing, acceleration=np.linspace(0, 1, len(swing))[:, None] * [1.0, 0.0])
    assert changing.subtitle.endswith("the base moving: acceleration changing with time.")


@pytest.mark.parametrize("name", ["lau_arm", "puma560"])
def test_the_second_robot_of_a_kind_gives_no_warning_that_the_first_did_not(name: str) -> None:
    robot = getattr(lp.catalog, name)()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        twins = base().carrying(robot, at=(0.1, 0, 0.4)).carrying(robot, at=(-0.1, 0, 0.4)).carrying(robot, prefix="c_")
    assert twins.n == 3 * robot.n


def test_no_report_of_a_single_sample() -> None:
    rover = lp.catalog.lau_rover()
    over = rover.simulate([0, 0, 0.5], duration=0.3, freedoms=("x", "y", "yaw"), method="LSODA",
                          external={"rover": lp.Wrench(torque=(0, 400, 0))})
    assert over.tipped and len(over.times) == 1  # this method does not follow it off the plane
    with pytest.raises(ValueError, match=r"the simulation has 1 samples \(it tips over at the start\): expected two"):
        rover.report(over)
