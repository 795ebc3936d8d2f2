"""Steps of fixed length of closed chains: on the loops, of fourth order, and where `simulate` goes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp
from closed.cases import catalog, state

Array = np.ndarray


def energy(robot: lp.Robot, run: lp.Rollout) -> Array:
    found: Array = robot.kinetic_energy(run.q, run.qd) + robot.potential_energy(run.q)
    return found


@pytest.mark.parametrize("name", [
    "four_bar", "slider_crank", "five_bar",
    "parallelogram_palletizer",  # bars too many: rows that depend on each other only where the loops are closed
    pytest.param("delta", marks=pytest.mark.slow),  # balls
    pytest.param("stewart_platform", marks=pytest.mark.slow),
])
def test_steps_keep_loops_and_energy_and_are_of_fourth_order(name: str) -> None:
    robot, duration = catalog(name), 0.2
    q, qd, _ = state(robot, 2)
    wanted = robot.simulate(q, qd, duration=duration, rtol=1e-11, atol=1e-13)
    errors, losses = [], []
    for steps in (40, 80):
        run = robot.rollout(q, qd, step=duration / steps, steps=steps)
        assert robot.closure(run.q).max() < 1e-10  # seen: 1e-15
        rates = np.einsum("tij,tj->ti", robot.constraint_jacobian(run.q), run.qd)
        assert np.abs(rates).max() < 1e-12 * max(1.0, np.abs(run.qd).max())
        errors.append(np.abs(run.q[-1] - wanted.q[-1]).max())
        losses.append(np.abs(energy(robot, run) - energy(robot, run)[0]).max())
    assert 10 < errors[0] / errors[1] < 40 or errors[1] < 1e-11
    assert 10 < losses[0] / losses[1] < 40 or losses[1] < 1e-11


def test_a_coupling_steps_as_the_tree_in_which_the_joint_mimics() -> None:
    arm = lp.catalog.planar(3, mass=2.0)
    rubbed = tuple(replace(joint, coulomb_friction=(0.5,)) if joint.motion.dof else joint for joint in arm.joints)
    arm = replace(arm, joints=rubbed)
    last = replace(arm.joints[2], mimic=lp.Mimic("joint1", -1.5, 0.0))
    mimicking = replace(arm, joints=(*arm.joints[:2], last, *arm.joints[3:]))
    coupled = arm.with_coupling({"joint1": 1.5, "joint3": 1.0}).with_driven("joint1", "joint2")
    along = np.array([[1.0, 0.0], [0.0, 1.0], [-1.5, 0.0]])
    rng = np.random.default_rng(1)
    q, qd, tau = rng.normal(size=(3, 4, 2))
    there = mimicking.rollout(q, qd, tau, step=0.01, steps=20)
    found = coupled.rollout(q @ along.T, qd @ along.T, np.column_stack([tau, np.zeros(4)]), step=0.01, steps=20)
    np.testing.assert_allclose(found.q, there.q @ along.T, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.qd, there.qd @ along.T, rtol=0, atol=1e-7)
    push = {"tip": lp.Wrench(force=(1.0, 2.0, 0.0))}
    one = coupled.step(q @ along.T, qd @ along.T, np.zeros(3), 0.01, external=push)
    for found_, wanted in zip(one, mimicking.step(q, qd, np.zeros(2), 0.01, external=push), strict=True):
        np.testing.assert_allclose(found_, wanted @ along.T, rtol=0, atol=1e-8)


def test_dead_points_are_passed() -> None:
    """A slider's drive at the end of its stroke says nothing of the crank; momentum does."""
    crank = catalog("slider_crank").with_driven("slider_joint").with_gravity((0, 0, 0))
    q = crank.assemble({"crank_joint": -0.3}, near=crank.home).q
    qd, _ = crank.complete(q, {"crank_joint": 8.0})
    run = crank.rollout(q, qd, step=1e-3, steps=80)
    place = crank.coordinate_names.index("crank_joint")
    assert run.q[0, place] < 0 < run.q[-1, place]
    assert np.ptp(energy(crank, run)) < 1e-6 * energy(crank, run)[0]
    assert crank.closure(run.q).max() < 1e-12


def test_a_linkage_that_friction_holds_stays_and_one_in_motion_stops() -> None:
    bar = catalog("four_bar")
    joints = tuple(replace(joint, coulomb_friction=(3.0,)) for joint in bar.joints)  # three rub, one freedom
    rough = replace(bar, joints=joints)
    rest = rough.rollout(rough.home, np.zeros(3), step=2e-3, steps=100)
    assert np.abs(rest.q - rough.home).max() < 1e-9
    qd, _ = rough.complete(rough.home, {"crank_joint": 4.0})
    run = rough.rollout(rough.home, qd, step=5e-4, steps=400)
    wanted = rough.simulate(rough.home, qd, duration=0.2)
    assert np.abs(run.qd[-1]).max() < 1e-8 and np.abs(wanted.qd[-1]).max() < 1e-8
    np.testing.assert_allclose(run.q[-1], wanted.q[-1], rtol=0, atol=2e-3)  # first order in the step that stops


def test_states_that_are_none_are_refused_and_long_steps_are_told() -> None:
    bar = catalog("four_bar")
    with pytest.raises(ValueError, match="the loops of 'four_bar' are open at this state"):
        bar.rollout(bar.home + 0.1, np.zeros(3), step=1e-3, steps=2)
    with pytest.raises(ValueError, match="qd is no motion of the closed robot 'four_bar'"):
        bar.step(bar.home, [1.0, 0, 0], np.zeros(3), 1e-3)
    qd, _ = bar.complete(bar.home, {"crank_joint": 20.0})
    with pytest.warns(lp.ModelWarning, match=r"are open at the end in 1 of 1 states: a shorter step than 0.2 s"):
        bar.rollout(bar.home, qd, step=0.2, steps=1)
    with pytest.raises(lp.ModelError, match="cannot move: its loops leave no freedom"):
        lp.catalog.planar(1).with_coupling({"joint1": 1.0}).step([0.0], [0.0], [0.0], 0.1)


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "parallelogram_palletizer"])
def test_accelerations_per_force_are_the_inverse_among_allowed_motions(name: str) -> None:
    robot = catalog(name)
    q, qd, _ = state(robot, 4)
    found = robot.mass_matrix_inverse(q)
    inverse, J = np.linalg.inv(robot.mass_matrix(q)), robot.constraint_jacobian(q)
    held = inverse @ J.T @ np.linalg.pinv(J @ inverse @ J.T, rcond=1e-9) @ J @ inverse
    np.testing.assert_allclose(found, inverse - held, rtol=0, atol=1e-9 * np.abs(found).max())
    tau = np.random.default_rng(3).normal(size=robot.n)
    change = robot.forward_dynamics(q, qd, tau) - robot.forward_dynamics(q, qd, 0 * tau)
    np.testing.assert_allclose(found @ tau, change, rtol=0, atol=1e-10 * np.abs(change).max())
