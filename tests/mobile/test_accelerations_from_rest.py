"""Accelerations of rovers at rest: what rolling resistance and dry friction of joints hold, one state and many."""

import numpy as np
import pytest

import loadpath as lp


def rover(coulomb=4.0, rolling=0.02, wheels=None, **ground):
    arm = lp.catalog.planar(2)
    arm = arm.with_drives({name: lp.Drive(friction=lp.Friction(coulomb=coulomb)) for name in arm.dof_names})
    wheels = wheels or [lp.FixedWheel((x, y), 0.1, spin_inertia=0.01) for x in (0.3, -0.3) for y in (0.3, -0.3)]
    base = lp.WheeledBase(mass=60, center_of_mass=(0.02, 0, 0.2), inertia=np.diag([3.0, 4.0, 5.0]), wheels=wheels,
                          friction=lp.WheelFriction(0.9, rolling=rolling))
    return base.carrying(arm, at=(0, 0, 0.4), ground=lp.Ground(**ground))


def states(rng, count):
    q = rng.uniform(-0.5, 0.5, (count, 2)) - (np.pi / 2, 0.0)
    return q, rng.uniform(-12, 12, (count, 2)), rng.uniform(-1.5, 1.5, (count, 4))


def test_joints_and_wheels_at_rest_do_what_the_first_moment_of_a_simulation_does():
    rng = np.random.default_rng(1)
    cart = rover()
    q, tau, torques = states(rng, 12)
    found = cart.forward_dynamics(q, np.zeros((12, 2)), tau, wheel_torques=torques)
    names = cart.contact_names
    for k in range(12):
        first = cart.simulate(q[k], [0.0, 0.0], torque=tau[k], wheel_torques=dict(zip(names, torques[k], strict=True)),
                              duration=0.0)
        np.testing.assert_allclose(found.qdd[k], first.qdd[0], atol=1e-8)
        np.testing.assert_allclose(found.acceleration[k], first.acceleration[0], atol=1e-9)
        np.testing.assert_allclose(found.normal[k], first.normal[0], atol=1e-6)
    stuck = np.abs(found.qdd) < 1e-9
    assert stuck.any() and not stuck.all()
    np.testing.assert_array_equal(found.tau, tau)


def test_many_states_are_as_one():
    rng = np.random.default_rng(2)
    cart = rover(slope=0.03)
    q, tau, torques = states(rng, 30)
    qd = np.where(rng.random((30, 2)) < 0.5, 0.0, rng.normal(size=(30, 2)))
    heading = rng.uniform(-3, 3, 30)
    velocity = np.where(rng.random((30, 1)) < 0.5, 0.0, [[0.3, 0.0, 0.0]])
    many = cart.forward_dynamics(q, qd, tau, wheel_torques=torques, heading=heading, velocity=velocity)
    for k in range(30):
        one = cart.forward_dynamics(q[k], qd[k], tau[k], wheel_torques=torques[k], heading=heading[k],
                                    velocity=velocity[k])
        np.testing.assert_allclose(one.qdd, many.qdd[k], atol=1e-9)
        np.testing.assert_allclose(one.acceleration, many.acceleration[k], atol=1e-10)
        np.testing.assert_allclose(one.longitudinal, many.longitudinal[k], atol=1e-7)


def test_a_joint_at_rest_by_hand():
    """An arm on a base that its rolling resistance holds: each joint stays while less than 4 N m push it."""
    cart = rover(coulomb=4.0, rolling=0.5)
    gravity = cart.robot.gravity_forces([0.0, 0.0])
    held = cart.forward_dynamics([0.0, 0.0], [0.0, 0.0], gravity + np.array([3.9, -3.9]))
    np.testing.assert_allclose(held.qdd, 0.0, atol=1e-10)
    moved = cart.forward_dynamics([0.0, 0.0], [0.0, 0.0], gravity + np.array([4.5, 0.0]))
    M = cart.robot.mass_matrix([0.0, 0.0])
    assert moved.qdd[0] == pytest.approx(0.5 / M[0, 0], rel=1e-9) and abs(moved.qdd[1]) < 1e-10
    assert abs((M @ moved.qdd)[1]) < 4.0  # what the second joint's friction holds


def test_what_a_motion_takes_has_the_friction_of_joints_that_move():
    cart, q, qd, qdd = rover(rolling=0.5), [-1.0, 0.3], [0.5, -0.2], [1.0, 2.0]
    taken = cart.base_acceleration(q, qd, qdd)
    np.testing.assert_allclose(taken.tau, cart.robot.inverse_dynamics(q, qd, qdd), rtol=1e-10)
    back = cart.forward_dynamics(q, qd, taken.tau)
    np.testing.assert_allclose(back.qdd, qdd, rtol=1e-9)


def test_steering_that_is_not_a_number_is_unknown_and_says_what_it_counts_as():
    """All that is known of such a state is NaN, `tips_over` is true there, and the others are untouched."""
    wheels = [lp.FixedWheel((-0.3, y), 0.1) for y in (0.3, -0.3)] + [lp.SteeredWheel((0.4, 0.0), 0.1, name="front")]
    cart = rover(wheels=wheels)
    q, rest = np.tile([-1.5, 0.1], (3, 1)), np.zeros((3, 2))
    angles = np.array([[0.1], [np.nan], [0.1]])
    with pytest.warns(lp.ModelWarning, match="NaN there, and counted as tipping over: see its unknown"):
        found = cart.forward_dynamics(q, rest, rest, wheel_torques={"front": 1.0}, steering=angles)
    assert found.tips_over.tolist() == found.unknown.tolist() == [False, True, False]
    assert np.isnan(found.acceleration[1]).all() and np.isnan(found.normal[1]).all() and np.isnan(found.qdd[1]).all()
    np.testing.assert_array_equal(found.acceleration[0], found.acceleration[2])
    for quantity in (cart.wheel_loads, cart.stability):
        with pytest.warns(lp.ModelWarning, match="NaN there, and counted as tipping over"):
            assert quantity(q, steering=angles).tips_over.tolist() == [False, True, False]
    with pytest.raises(ValueError, match="finite"):
        cart.simulate(q[0], rest[0], torque=[0, 0], steering=[np.nan], duration=0.1)
    with pytest.raises(ValueError, match="finite"):
        cart.simulate(q[0], rest[0], torque=[0, 0], steering={"front": lambda t: np.nan}, duration=0.1)
