"""Motions and simulations handed to rovers, and simulations of rovers to the robots on them: the base moves along."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from handed_in import frame

import loadpath as lp


@pytest.fixture(scope="module")
def rover() -> lp.Rover:
    return lp.catalog.lau_rover(driven=True, friction=lp.WheelFriction(0.8))


@pytest.fixture(scope="module")
def driven(rover: lp.Rover) -> lp.RoverSimulation:
    """The arm swings while the base drives a curve and speeds up."""
    return rover.simulate(
        [0, 0, 0.5], [1, 0.3, 0], velocity=(0.2, 0.5), duration=0.1, wheel_torques={"wheel2": 0.5, "wheel3": 0.2}
    )


def test_a_simulation_brings_the_motion_of_its_base(rover: lp.Rover, driven: lp.RoverSimulation) -> None:
    """What the simulation found by integrating forces, the loads find again from its motion."""
    loads = rover.wheel_loads(driven)
    for name in ("normal", "longitudinal"):
        np.testing.assert_allclose(getattr(loads, name), getattr(driven, name), atol=1e-6)
    # How two wheels on one axle share the force along it is an assumption; their sum is not.
    np.testing.assert_allclose(loads.lateral.sum(axis=1), driven.lateral.sum(axis=1), atol=1e-6)
    standing = rover.stability(driven)
    np.testing.assert_allclose(standing.margin, driven.margin, atol=1e-8)
    np.testing.assert_allclose(rover.ground_wrench(driven).force[:, 2], driven.normal.sum(axis=1), atol=1e-6)
    explicit = rover.wheel_loads(
        driven.q, driven.qd, driven.qdd, velocity=driven.velocity, acceleration=driven.acceleration,
        heading=driven.pose[:, 2], steering=driven.steering,
    )
    np.testing.assert_array_equal(loads.normal, explicit.normal)
    with_base = {"velocity": driven.velocity, "acceleration": driven.acceleration, "steering": driven.steering}
    for run in (
        lambda *s, **b: rover.largest_payload(*s, link="rod", **b),
        lambda *s, **b: rover.largest_acceleration(*s, direction=(1, 0), **b),
        lambda *s, **b: rover.largest_acceleration(*s, joints=[1, 0, 0], **b),
        lambda *s, **b: rover.slip(*s, **b).ratio,
    ):
        np.testing.assert_allclose(run(driven), run(driven.q, driven.qd, driven.qdd, **with_base), rtol=1e-12)


def test_the_same_on_a_slope(rover: lp.Rover) -> None:
    up = rover.on(lp.Ground(slope=0.1))
    rolled = up.simulate([0, 0, 0.5], [1, 0.3, 0], velocity=(0.1, 0.6), duration=0.05)
    np.testing.assert_allclose(up.wheel_loads(rolled).normal, rolled.normal, atol=1e-6)
    np.testing.assert_allclose(up.robot.inverse_dynamics(rolled), rolled.tau, atol=1e-6)
    np.testing.assert_array_equal(up.robot.inverse_dynamics(rolled), up.inverse_dynamics(rolled))
    np.testing.assert_array_equal(up.robot.joint_wrenches(rolled).force, up.joint_wrenches(rolled).force)
    assert up.peak_loads(rolled).to_table().startswith(up.robot.peak_loads(rolled).to_table())  # and then the wheels
    assert rolled.gravity[:, 2] == pytest.approx(-9.81 * np.cos(0.1)) and rolled.gravity.std(axis=0)[1] > 0
    with pytest.raises(ValueError, match="the simulation moves 'rover', the base of a rover, and the base of robot"):
        lp.catalog.lau_arm().inverse_dynamics(rolled)
    np.testing.assert_array_equal(up.robot.mass_matrix(rolled), up.robot.mass_matrix(rolled.q))
    assert not any("heading" in words for words in up.report(rolled).sections[0].warnings)  # gravity is gravity


def test_the_dynamics_of_the_rover_take_it_too(rover: lp.Rover, driven: lp.RoverSimulation) -> None:
    torques = driven.wheel_torques
    again = rover.forward_dynamics(driven, driven.tau, wheel_torques=torques)
    np.testing.assert_allclose(again.qdd, driven.qdd, atol=1e-6)
    np.testing.assert_allclose(again.acceleration, driven.acceleration, atol=1e-6)
    given = rover.base_acceleration(driven, wheel_torques=torques)
    np.testing.assert_allclose(given.acceleration, driven.acceleration, atol=1e-6)
    np.testing.assert_allclose(given.tau, driven.tau, atol=1e-6)
    np.testing.assert_array_equal(rover.mass_matrix(driven), rover.mass_matrix(driven.q))


def test_tables_for_the_dynamics_of_a_rover(rover: lp.Rover, driven: lp.RoverSimulation) -> None:
    names = rover.robot.dof_names
    q, qd, qdd = (frame(part, names) for part in (driven.q, driven.qd, driven.qdd))
    still: dict[str, Any] = {"velocity": (0.1, 0.2)}
    expected = rover.base_acceleration(driven.q, driven.qd, driven.qdd, **still).acceleration
    np.testing.assert_array_equal(rover.base_acceleration(q, qd, qdd, **still).acceleration, expected)
    expected = rover.forward_dynamics(driven.q, driven.qd, driven.tau, **still).qdd
    found = rover.forward_dynamics(q, qd, frame(driven.tau, names), **still).qdd
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(rover.mass_matrix(q), rover.mass_matrix(driven.q))
    more = rover.largest_acceleration(driven.q[0], joints=pd.Series({"d2": 1.0, "theta1": 2.0, "theta2": 0.0}))
    np.testing.assert_array_equal(more, rover.largest_acceleration(driven.q[0], joints=[2.0, 0.0, 1.0]))
    with pytest.raises(ValueError, match="forward_dynamics: a motion has its own qd"):
        rover.forward_dynamics(driven, driven.qd, driven.tau)


def test_what_is_given_takes_the_place_of_what_a_simulation_brings(
    rover: lp.Rover, driven: lp.RoverSimulation
) -> None:
    still = {"velocity": (0.0, 0.0), "acceleration": (0.0, 0.0)}
    states = driven.q, driven.qd, driven.qdd
    np.testing.assert_allclose(rover.wheel_loads(driven, **still).normal, rover.wheel_loads(*states).normal)
    np.testing.assert_allclose(rover.ground_wrench(driven, **still).force, rover.ground_wrench(*states).force)
    base = driven.base_motion
    faster = {"base_velocity": 2 * base["base_velocity"]}
    expected = rover.robot.inverse_dynamics(*states, **(base | faster))
    np.testing.assert_array_equal(rover.robot.inverse_dynamics(driven, **faster), expected)
    none = {name: np.zeros(6) for name in base}
    drives = rover.robot.peak_loads(driven, **none).drive.magnitude
    np.testing.assert_allclose(drives, rover.robot.peak_loads(driven.motion).drive.magnitude)


def test_the_robot_on_a_moving_base_carries_what_the_simulation_says(
    rover: lp.Rover, driven: lp.RoverSimulation
) -> None:
    robot = rover.robot
    np.testing.assert_allclose(robot.inverse_dynamics(driven), driven.tau, atol=1e-6)
    turning = robot.link_velocities(driven)["base"].angular
    np.testing.assert_allclose(turning[:, 2], driven.velocity[:, 2])
    largest = np.abs(driven.tau).max(axis=0)
    np.testing.assert_allclose(robot.peak_loads(driven).drive.magnitude, largest, atol=1e-6)
    breakdown = robot.load_breakdown(driven)
    total = breakdown.total("theta1").torque
    np.testing.assert_allclose(total, robot.joint_wrenches(driven)["theta1"].torque, atol=1e-12)
    reduced = robot.reduce_loads(driven, lp.LoadExtremes()).largest.total("theta1")
    np.testing.assert_allclose(reduced[3:], total.max(axis=0), atol=1e-12)
    assert "Wheels" in repr(rover.report(driven))
    assert robot.report(driven).subtitle == robot.report(driven.motion).subtitle


def test_where_a_moving_base_cannot_be_taken_into_account(rover: lp.Rover, driven: lp.RoverSimulation) -> None:
    robot = rover.robot
    for run in (lambda s: lp.identify(robot, s), lambda s: lp.excitation(robot, s)):
        with pytest.raises(ValueError, match=r"takes no motion of the base, .* give simulation\.motion"):
            run(driven)
    np.testing.assert_allclose(robot.forward_dynamics(driven), driven.qdd, atol=1e-8)  # which takes it
    parked = rover.simulate([0, 0, 0.5], [0, 0, 0], torque=rover.robot.gravity_forces([0, 0, 0.5]), duration=0.02)
    assert parked.base_motion == {}
    np.testing.assert_allclose(robot.forward_dynamics(parked), parked.qdd, atol=1e-8)


def test_a_robot_that_a_moving_rover_carries_has_another_base(driven: lp.RoverSimulation) -> None:
    arm = lp.catalog.lau_arm()
    for run in (arm.inverse_dynamics, arm.peak_loads, arm.joint_wrenches, arm.load_breakdown, arm.report):
        with pytest.raises(ValueError, match=r"moves 'rover', .* 'lau_arm' is 'base': use rover\.robot, or simulation"):
            run(driven)
    assert arm.inverse_dynamics(driven.motion).shape == driven.q.shape


def test_the_simulation_of_a_rover_with_other_joints_is_refused(driven: lp.RoverSimulation) -> None:
    other = lp.catalog.planar(3)
    with pytest.raises(ValueError, match="the simulation is of a robot with theta1, theta2, d2; robot 'planar3' has"):
        other.mass_matrix(driven)
    rover = lp.catalog.lau_rover().base.carrying(other, at=(0, 0, 0.3))
    with pytest.raises(ValueError, match="the simulation is of a robot with theta1, theta2, d2; robot 'rover' has"):
        rover.wheel_loads(driven)


def test_a_base_without_robots_needs_no_states() -> None:
    cart = lp.catalog.lau_rover(driven=True).base.carrying()
    for run in (cart.wheel_loads, cart.stability, cart.slip, cart.ground_wrench):
        assert type(run(acceleration=(1.0, 0.0))) is type(run([], acceleration=(1.0, 0.0)))
    np.testing.assert_array_equal(
        cart.wheel_loads(acceleration=(1.0, 0.0)).normal, cart.wheel_loads([], acceleration=(1.0, 0.0)).normal
    )
    with pytest.raises(TypeError, match="rover 'rover' carries 3 coordinates: q is needed, or a motion"):
        lp.catalog.lau_rover().wheel_loads(acceleration=(1.0, 0.0))
