"""Loops in space: drives, all six reactions everywhere, what is determinate, completion and forward dynamics against
Newton-Euler in maximal coordinates, to 1e-10; overconstrained mechanisms by the rule of the least sum of squares.
"""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from closed.cases import CATALOG, catalog, random_closed, reference, state, states

TOLERANCE = 1e-10
IN_CI = (0, 4, 8)


def compare(robot, seed, **how):
    """One state: everything that the reference gives."""
    model = reference(robot)
    q, qd, qdd = state(robot, seed, **how)
    own = list(robot.split.independent)
    expected = model.inverse(q, qd, qdd, robot.split.driven)
    assert expected.residual < 1e-10 * max(1.0, abs(expected.force).max())
    size = max(1.0, abs(expected.force).max(), abs(expected.torque).max())
    completed = robot.complete(q, qd[own], qdd[own])
    np.testing.assert_allclose(completed[0], qd, atol=TOLERANCE * max(1.0, abs(qd).max()))
    np.testing.assert_allclose(completed[1], qdd, atol=TOLERANCE * max(1.0, abs(qdd).max()))
    tau = robot.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(tau, expected.tau, atol=TOLERANCE * size)
    passive = [k for k in range(robot.n) if k not in robot.split.driven]
    assert not tau[passive].any()
    wrenches = robot.joint_wrenches(q, qd, qdd)
    np.testing.assert_allclose(wrenches.force, expected.force, atol=TOLERANCE * size)
    np.testing.assert_allclose(wrenches.torque, expected.torque, atol=TOLERANCE * size)
    np.testing.assert_array_equal(wrenches.determinate, expected.determinate)


def compare_forward(robot, seed, **how):
    q, qd, qdd = state(robot, seed, **how)
    tau = np.zeros(robot.n)
    tau[list(robot.split.driven)] = np.random.default_rng(seed).uniform(-5, 5, len(robot.split.driven))
    expected = reference(robot).forward(q, qd, tau)
    size = max(1.0, abs(expected.qdd).max())
    np.testing.assert_allclose(robot.forward_dynamics(q, qd, tau), expected.qdd, atol=TOLERANCE * size)


@pytest.mark.parametrize("seed", [seed if seed in IN_CI else pytest.param(seed, marks=pytest.mark.slow)
                                  for seed in range(20)])  # fmt: skip
def test_random_loops_of_mixed_joints(seed):
    robot = random_closed(seed)
    compare(robot, seed, spread=0.1)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 20))])
def test_forward_dynamics_of_random_loops(seed):
    compare_forward(random_closed(seed), seed, spread=0.1)


@pytest.mark.parametrize("name", CATALOG)
def test_mechanisms_of_the_catalog(name):
    for seed in range(2):
        compare(catalog(name), seed)


@pytest.mark.parametrize("name", ["four_bar", "delta", *(pytest.param(name, marks=pytest.mark.slow) for name in (
    "slider_crank", "five_bar", "parallelogram_palletizer", "excavator", "stewart_platform"))])  # fmt: skip
def test_forward_dynamics_of_the_catalog(name):
    for seed in range(2):
        compare_forward(catalog(name), seed)


def test_external_wrenches_and_a_moving_base():
    robot = catalog("four_bar")
    rng = np.random.default_rng(5)
    q, qd, qdd = state(robot, 1)
    moving = {"base_velocity": rng.normal(size=6), "base_acceleration": rng.normal(size=6)}
    push = {"coupler": (rng.normal(size=3), rng.normal(size=3)), "rocker": (rng.normal(size=3), rng.normal(size=3))}
    expected = reference(robot).inverse(q, qd, qdd, robot.split.driven, external=push, **moving)
    wrenches = {link: lp.Wrench(force=force, torque=torque) for link, (force, torque) in push.items()}
    found = robot.joint_wrenches(q, qd, qdd, external=wrenches, **moving)
    np.testing.assert_allclose(found.force, expected.force, atol=1e-11)
    np.testing.assert_allclose(found.torque, expected.torque, atol=1e-11)
    tau = robot.inverse_dynamics(q, qd, qdd, external=wrenches, **moving)
    np.testing.assert_allclose(tau, expected.tau, atol=1e-11)


def test_more_drives_than_freedoms_least_effort_weights_and_preload():
    robot = catalog("five_bar").with_driven("left_joint", "right_joint", "left_rod_joint")
    assert robot.mobility == 2
    q, qd, qdd = state(robot, 2)
    own = list(robot.split.driven)
    rng = np.random.default_rng(0)
    weights, preload = np.zeros(robot.n), np.zeros(robot.n)
    weights[own], preload[own] = rng.uniform(0.5, 2, 3), rng.uniform(-3, 3, 3)
    model = reference(robot)
    for given in ({}, {"weights": weights}, {"preload": preload}, {"weights": weights, "preload": preload}):
        expected = model.inverse(q, qd, qdd, own, **given)
        ours = {name: value[own] for name, value in given.items()}
        np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd, **ours), expected.tau, atol=1e-11)
        found = robot.joint_wrenches(q, qd, qdd, **ours)
        np.testing.assert_allclose(found.force, expected.force, atol=1e-11)
        np.testing.assert_allclose(found.torque, expected.torque, atol=1e-11)


def test_couplings_beside_loops_and_mimicking_joints():
    """A five-bar whose cranks are geared together: one freedom; a wrist that mimics, and a redundant coupling."""
    robot = catalog("five_bar").with_coupling({"left_joint": 1.0, "right_joint": 1.0}, offset=np.pi)
    robot = robot.with_driven("left_joint")
    assert robot.mobility == 1
    for case in (robot, robot.with_coupling({"left_joint": -2.0, "right_joint": -2.0}, offset=-2 * np.pi)):
        compare(case, 4)


def test_batches_are_the_single_states():
    robot = catalog("excavator")
    q, qd, qdd = states(robot, 5)
    together = robot.joint_wrenches(q, qd, qdd)
    for k in range(5):
        alone = robot.joint_wrenches(q[k], qd[k], qdd[k])
        np.testing.assert_array_equal(together.force[k], alone.force)
