"""Conditions at the tip: springs, surfaces with friction, against the equations written out here."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp

ARM = lp.catalog.planar(2, length=1.0)
TABLE = lp.TipOnSurface("tip", point=(0, 0, 0), normal=(0, 0, 1), friction=0.3)
ON_TABLE = np.array([np.pi / 6, -np.pi / 3])


def of_point(robot, q, qd, link, at):
    """Jacobian of a point and its bias acceleration, by differences of its position."""

    def position(q):
        pose = robot.link_poses(q)[robot.link_names.index(link)]
        return pose[:3, :3] @ at + pose[:3, 3]

    h = 1e-5
    unit = np.eye(robot.n)
    J = np.stack([(position(q + h * e) - position(q - h * e)) / (2 * h) for e in unit], axis=-1)
    bias = (position(q + h * qd) - 2 * position(q) + position(q - h * qd)) / h**2
    return J, bias


@pytest.mark.parametrize(("direction", "mu"), [(1.0, 0.3), (-1.0, 0.3), (1.0, 0.0)])
def test_a_sliding_tip_follows_the_equations_with_the_normal_force_as_unknown(direction, mu):
    table = lp.TipOnSurface("tip", point=(0, 0, 0), normal=(0, 0, 1), friction=mu)
    qd, tau = direction * np.array([1.0, -2.0]), np.array([2.0, -1.0])
    found = table.forward_dynamics(ARM, ON_TABLE, qd, tau)
    J, bias = of_point(ARM, ON_TABLE, qd, "tip", np.zeros(3))
    slides_to = np.sign((J @ qd)[0])
    M, h = ARM.mass_matrix(ON_TABLE), ARM.bias_forces(ON_TABLE, qd)
    force = J[2] - mu * slides_to * J[0]  # per newton of normal force
    system = np.block([[M, -force[:, None]], [J[2], np.zeros(1)]])
    *qdd, normal = np.linalg.solve(system, [*(tau - h), -bias[2]])
    np.testing.assert_allclose(found.qdd, qdd, rtol=1e-6)
    np.testing.assert_allclose(found.normal, normal, rtol=1e-6)
    np.testing.assert_allclose(found.friction, [-mu * slides_to * normal, 0, 0], rtol=1e-6, atol=1e-9)
    again = ARM.inverse_dynamics(ON_TABLE, qd, found.qdd, external=found.wrenches)
    np.testing.assert_allclose(again, tau, atol=1e-11)
    assert found.slides and not found.sticks and not found.lifts_off and not found.jams


def test_pressing_with_a_given_force_is_found_again_by_forward_dynamics():
    qd, qdd = np.array([1.0, -2.0]), np.array([0.4, 0.0])
    J, bias = of_point(ARM, ON_TABLE, qd, "tip", np.zeros(3))
    qdd[1] = -(bias[2] + J[2, 0] * qdd[0]) / J[2, 1]  # stays on the table
    tau = ARM.inverse_dynamics(ON_TABLE, qd, qdd, external=TABLE.wrenches(ARM, ON_TABLE, qd, force=50.0))
    found = TABLE.forward_dynamics(ARM, ON_TABLE, qd, tau)
    np.testing.assert_allclose(found.normal, 50.0, rtol=1e-6)
    np.testing.assert_allclose(found.qdd, qdd, rtol=1e-5)


def panda_on_table():
    """A Panda whose hand's point is on a tilted table, in a pose without special angles."""
    arm, q = lp.catalog.panda(), np.array([0.2, 0.4, -0.3, -1.9, 0.2, 2.1, 0.4])
    at = np.array([0.0, 0.02, 0.1])
    pose = arm.link_poses(q)[arm.link_names.index("panda_link8")]
    point = pose[:3, :3] @ at + pose[:3, 3]
    return arm, q, at, point


@pytest.mark.slow
def test_a_tip_at_rest_sticks_inside_the_friction_cone_and_starts_to_slide_outside():
    arm, q, at, point = panda_on_table()
    rest = np.zeros(7)
    J, _ = of_point(arm, q, rest, "panda_link8", at)
    n = np.array([0.2, -0.1, 1.0]) / np.linalg.norm([0.2, -0.1, 1.0])
    hold = arm.gravity_forces(q) - J.T @ (30.0 * n + np.array([8.0, 3.0, 0.0]))  # presses and pushes along
    held = lp.TipOnSurface("panda_link8", point, n, friction=0.6, at=at).forward_dynamics(arm, q, rest, hold)
    force = held.normal * n + held.friction
    assert held.sticks and not held.slides
    np.testing.assert_allclose(J @ held.qdd, 0.0, atol=1e-7)
    assert np.linalg.norm(held.friction) <= 0.6 * held.normal
    slippery = lp.TipOnSurface("panda_link8", point, n, friction=0.1, at=at).forward_dynamics(arm, q, rest, hold)
    acceleration = J @ slippery.qdd
    assert slippery.slides and not slippery.sticks
    np.testing.assert_allclose(acceleration @ n, 0.0, atol=1e-7)
    np.testing.assert_allclose(np.linalg.norm(slippery.friction), 0.1 * slippery.normal, rtol=1e-12)
    against = -slippery.friction / np.linalg.norm(slippery.friction)
    np.testing.assert_allclose(acceleration / np.linalg.norm(acceleration), against, atol=1e-6)
    assert force @ n > 0


def test_a_plane_arm_at_rest_sticks_or_starts_to_slide():
    rest, J = np.zeros(2), of_point(ARM, ON_TABLE, np.zeros(2), "tip", np.zeros(3))[0]
    hold = ARM.gravity_forces(ON_TABLE) - J.T @ [10.0, 0, 30.0]  # pushes with a third of what it presses
    for mu, sticks in ((0.4, True), (0.2, False)):
        table = lp.TipOnSurface("tip", (0, 0, 0), (0, 0, 1), friction=mu)
        found = table.forward_dynamics(ARM, ON_TABLE, rest, hold)
        assert found.sticks == sticks and found.slides != sticks
        np.testing.assert_allclose((J @ found.qdd)[2], 0.0, atol=1e-9)
        if sticks:
            np.testing.assert_allclose([found.normal, found.friction[0]], [30.0, 10.0], rtol=1e-9)
        else:
            assert (J @ found.qdd)[0] < 0  # it goes where it is pushed, friction against it
            np.testing.assert_allclose(found.friction[0], mu * found.normal, rtol=1e-12)


def test_without_friction_it_is_the_loop_of_a_point_on_a_plane():
    table = lp.TipOnSurface("tip", (0, 0, 0), (0, 0, 1), one_sided=False)
    closed = table.closing(ARM, q=ON_TABLE)
    qd, tau = np.array([1.0, -2.0]), np.array([2.0, -1.0])
    found = table.forward_dynamics(ARM, ON_TABLE, qd, tau)
    np.testing.assert_allclose(found.qdd, closed.forward_dynamics(ON_TABLE, qd, tau), atol=1e-11)


@pytest.mark.slow
def test_a_sliding_tip_in_time_stays_on_the_table_until_it_stands():
    tau, contact = [1.0, -2.0], TABLE.sliding(ARM, [1.0, -2.0])
    on_table = TABLE.closing(ARM, q=ON_TABLE)
    run = on_table.simulate(ON_TABLE, [1.0, -2.0], tau, duration=1.0, external=contact.external, stop=contact.stop)
    assert run.stopped and np.abs(TABLE.gap(ARM, run.q)).max() < 1e-12
    speed = (ARM.jacobian(run.q, "tip") @ run.qd[..., None])[:, 0, 0]
    np.testing.assert_allclose([speed[0], speed[-1]], [-1.0, -1e-4], atol=1e-6)
    states = [TABLE.forward_dynamics(ARM, q, qd, tau) for q, qd in zip(run.q, run.qd, strict=True)]
    np.testing.assert_allclose(run.qdd, [state.qdd for state in states], atol=1e-9)
    heat = np.trapezoid([0.3 * state.normal for state in states] * np.abs(speed), run.times)
    np.testing.assert_allclose(
        -run.external_work[-1], heat, rtol=1e-3
    )  # friction takes it all; the rule is a coarse one
    assert run.energy_drift < 1e-7


def test_lifting_off_is_reported_and_the_arm_is_free():
    with pytest.warns(lp.ModelWarning, match="the tip 'tip' lifts off its surface in the state"):
        found = TABLE.forward_dynamics(ARM, ON_TABLE, [1.0, -2.0], [60.0, 30.0])
    assert found.lifts_off and found.normal == 0
    np.testing.assert_allclose(found.qdd, ARM.forward_dynamics(ON_TABLE, [1.0, -2.0], [60.0, 30.0]))
    glued = lp.TipOnSurface("tip", (0, 0, 0), (0, 0, 1), one_sided=False)
    pulled = glued.forward_dynamics(ARM, ON_TABLE, [1.0, -2.0], [60.0, 30.0])
    assert pulled.normal < 0 and not pulled.lifts_off


def test_a_tip_that_friction_wedges_has_no_force():
    q, qd = np.array([0.9, -0.5]), np.array([1.0, -1.0 - np.cos(0.9) / np.cos(0.4)])
    mobility = ARM.operational_space_mobility(q, "tip")
    mu = 1.2 * mobility[2, 2] / abs(mobility[0, 2])  # more than lets the normal force push the tip away at all
    table = lp.TipOnSurface("tip", (0, 0, np.sin(0.9) + np.sin(0.4)), (0, 0, 1), friction=mu)
    with pytest.warns(lp.ModelWarning, match="the tip 'tip' jams on its surface in the state"):
        found = table.forward_dynamics(ARM, q, qd, [0.0, 0.0])
    assert found.jams and found.unknown and found.lifts_off and np.isnan(found.qdd).all()
    away = table.forward_dynamics(ARM, q, -qd, [0.0, 0.0])  # the other way it does not
    assert not away.jams and np.isfinite(away.qdd).all()


def test_what_cannot_be_is_refused_by_name():
    with pytest.raises(ValueError, match=r"the tip 'tip' is 0.1 m from its surface in 1 of 2 states \(1\)"):
        above = np.array([ON_TABLE, [np.arcsin(0.05), 0.0]])
        TABLE.wrenches(ARM, above, [0.0, 0.0], force=1.0)
    with pytest.raises(ValueError, match=r"moves .* m/s along the normal of its surface"):
        TABLE.wrenches(ARM, ON_TABLE, [1.0, 0.0], force=1.0)
    with pytest.raises(ValueError, match="'force' is -5 N, and the surface under 'tip' pushes only"):
        TABLE.wrenches(ARM, ON_TABLE, [1.0, -2.0], force=-5.0)
    with pytest.warns(lp.ModelWarning, match="stands on its surface in the state: its friction there is anything"):
        TABLE.wrenches(ARM, ON_TABLE, [0.0, 0.0], force=5.0)
    with pytest.raises(lp.ModelError, match="no link 'hand'"):
        lp.TipOnSurface("hand", (0, 0, 0), (0, 0, 1)).gap(ARM, ON_TABLE)
    with pytest.raises(lp.ModelError, match="friction of the surface under 'tip' is -1"):
        lp.TipOnSurface("tip", (0, 0, 0), (0, 0, 1), friction=-1)


def test_a_state_that_is_no_number_is_no_verdict():
    q = np.array([ON_TABLE, [np.nan, 0.0]])
    with pytest.warns(lp.ModelWarning, match="1 of 2 states is not a number"):
        found = TABLE.forward_dynamics(ARM, q, [1.0, -2.0], [0.0, 0.0])
    assert found.unknown.tolist() == [False, True]
    assert found.lifts_off.tolist() == [False, True]
    assert np.isfinite(found.qdd[0]).all() and np.isnan(found.qdd[1]).all()


def test_a_spring_keeps_the_energy_and_a_damper_takes_what_it_does_work_on():
    rest = lp.Pose(translation=(1.5, 0, 0.2))
    spring = lp.TipSpring("tip", rest, stiffness=(300.0, 0.0, 150.0), torsional_stiffness=4.0)
    run = ARM.simulate([0.4, -0.9], [0.0, 0.0], duration=0.5, external=spring.during(ARM), rtol=1e-10)
    total = run.kinetic + run.potential + spring.energy(ARM, run.q)
    np.testing.assert_allclose(total, total[0], atol=1e-7 * np.abs(total).max())
    again = ARM.inverse_dynamics(run.q, run.qd, run.qdd, external=spring.wrenches(ARM, run.q, run.qd))
    np.testing.assert_allclose(again, 0.0, atol=1e-9)
    damped = lp.TipSpring("tip", (1.5, 0, 0.2), stiffness=300.0, damping=20.0)
    wrench = damped.wrenches(ARM, run.q, run.qd)["tip"]
    velocity = (ARM.jacobian(run.q, "tip") @ run.qd[..., None])[..., :3, 0]
    pose = ARM.link_poses(run.q)[:, -1, :3, 3]
    np.testing.assert_allclose(wrench.force, 300.0 * ([1.5, 0, 0.2] - pose) - 20.0 * velocity, atol=1e-11)


def test_a_spring_of_wrong_numbers_is_refused():
    with pytest.raises(lp.ModelError, match="stiffness of the spring at 'tip' is -3 in some direction"):
        lp.TipSpring("tip", (0, 0, 0), (1.0, -3.0, 1.0))
    with pytest.raises(lp.ModelError, match="damping of the spring at 'tip' has the shape"):
        lp.TipSpring("tip", (0, 0, 0), 1.0, damping=(1.0, 2.0))
