"""Loops in space: drives, all six reactions everywhere, what is determinate, completion and forward dynamics against
Newton-Euler in maximal coordinates, to 1e-10; overconstrained mechanisms by the rule of the least sum of squares.
"""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from closed.cases import CATALOG, ask, catalog, random_closed, reference, state, states, worn
from closed.classics import CLASSICS

TOLERANCE = 1e-10
DETERMINATE = 1e-11
WAYS = pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.slow)])
SEEDS = [(seed, compiled) if seed in (0, 4, 5, 8) and not compiled
         else pytest.param(seed, compiled, marks=pytest.mark.slow)
         for seed in range(20) for compiled in (False, True)]


def compare(robot, seed, compiled):
    """One state: drives, all reactions, and which are determinate."""
    q, qd, qdd = state(robot, seed)
    expected = reference(robot).inverse(q, qd, qdd, robot.split.driven)
    assert expected.residual < 1e-10 * max(1.0, abs(expected.force).max())
    size = max(1.0, abs(expected.force).max(), abs(expected.torque).max())
    tau = ask(robot, "inverse_dynamics", q, qd, qdd, compiled=compiled)
    np.testing.assert_allclose(tau, expected.tau, rtol=0, atol=TOLERANCE * size)
    passive = [k for k in range(robot.n) if k not in robot.split.driven]
    assert not tau[passive].any()
    wrenches = ask(robot, "joint_wrenches", q, qd, qdd, compiled=compiled)
    np.testing.assert_allclose(wrenches.force, expected.force, rtol=0, atol=TOLERANCE * size)
    np.testing.assert_allclose(wrenches.torque, expected.torque, rtol=0, atol=TOLERANCE * size)
    open_to = ask(robot, "reaction_leverages", q, compiled=compiled)
    np.testing.assert_array_equal(open_to < DETERMINATE, expected.determinate)
    if compiled:
        np.testing.assert_array_equal(wrenches.determinate, expected.determinate)


def compare_forward(robot, seed, compiled):
    """Accelerations for random forces of the drives."""
    q, qd, _ = state(robot, seed)
    tau = np.zeros(robot.n)
    tau[list(robot.split.driven)] = np.random.default_rng(seed).uniform(-5, 5, len(robot.split.driven))
    expected = reference(robot).forward(q, qd, tau)
    size = max(1.0, abs(expected.qdd).max())
    found = ask(robot, "forward_dynamics", q, qd, tau, compiled=compiled)
    np.testing.assert_allclose(found, expected.qdd, rtol=0, atol=TOLERANCE * size)


@pytest.mark.parametrize(("seed", "compiled"), SEEDS)
def test_random_loops_of_mixed_joints(seed, compiled):
    compare(random_closed(seed), 1, compiled)


@pytest.mark.parametrize(("seed", "compiled"), SEEDS)
def test_forward_dynamics_of_random_loops(seed, compiled):
    compare_forward(random_closed(seed), 1, compiled)


@pytest.mark.parametrize("seed", [seed if seed in (1, 5) else pytest.param(seed, marks=pytest.mark.slow)
                                  for seed in range(20)])
def test_friction_rotors_welds_mimics_couplings_and_more_drives_than_freedoms(seed):
    compare(worn(seed), 1, compiled=False)
    compare_forward(worn(seed), 1, compiled=False)


def test_a_free_base():
    compare(catalog("four_bar").floating(), 1, compiled=False)
    compare_forward(catalog("four_bar").floating(), 1, compiled=False)


@WAYS
@pytest.mark.parametrize("name", CATALOG)
def test_mechanisms_of_the_catalog(name, compiled):
    compare(catalog(name), 1, compiled)


@WAYS
@pytest.mark.parametrize("name", CATALOG)
def test_forward_dynamics_of_the_catalog(name, compiled):
    compare_forward(catalog(name), 1, compiled)


@WAYS
@pytest.mark.parametrize("name", CLASSICS)
def test_overconstrained_linkages_of_the_textbooks(name, compiled):
    """The count says that they cannot move; they do, and the rule gives their reactions."""
    robot = CLASSICS[name]()
    count = robot.n - sum(loop.rows for loop in robot.loops)
    assert count < robot.mobility == 1
    compare(robot, 1, compiled)
    compare_forward(robot, 1, compiled)


@pytest.mark.parametrize("name", ["four_bar", *(pytest.param(name, marks=pytest.mark.slow) for name in CATALOG[1:])])
def test_speeds_and_accelerations_are_completed(name):
    robot = catalog(name)
    q, qd, qdd = state(robot, 1)
    own = {dof: robot.dof_names.index(dof) for dof in robot.independent}
    found = robot.complete(q, {dof: qd[k] for dof, k in own.items()}, {dof: qdd[k] for dof, k in own.items()})
    np.testing.assert_allclose(found[0], qd, rtol=0, atol=1e-11 * max(1.0, abs(qd).max()))
    np.testing.assert_allclose(found[1], qdd, rtol=0, atol=1e-11 * max(1.0, abs(qdd).max()))


def test_external_wrenches_and_a_moving_base():
    robot = catalog("four_bar")
    rng = np.random.default_rng(5)
    q, qd, qdd = state(robot, 1)
    moving = {"base_velocity": rng.normal(size=6), "base_acceleration": rng.normal(size=6)}
    push = {"coupler": (rng.normal(size=3), rng.normal(size=3)), "rocker": (rng.normal(size=3), rng.normal(size=3))}
    expected = reference(robot).inverse(q, qd, qdd, robot.split.driven, external=push, **moving)
    wrenches = {link: lp.Wrench(force=force, torque=torque) for link, (force, torque) in push.items()}
    found = ask(robot, "joint_wrenches", q, qd, qdd, external=wrenches, **moving)
    np.testing.assert_allclose(found.force, expected.force, atol=1e-11)
    np.testing.assert_allclose(found.torque, expected.torque, atol=1e-11)
    tau = ask(robot, "inverse_dynamics", q, qd, qdd, external=wrenches, **moving)
    np.testing.assert_allclose(tau, expected.tau, atol=1e-11)


def test_more_drives_than_freedoms_least_effort_weights_and_preload():
    robot = catalog("five_bar").with_driven("left_joint", "right_joint", "left_rod_joint")
    assert robot.mobility == 2
    q, qd, qdd = state(robot, 1)
    own = list(robot.split.driven)
    rng = np.random.default_rng(0)
    weights, preload = np.zeros(robot.n), np.zeros(robot.n)
    weights[own], preload[own] = rng.uniform(0.5, 2, 3), rng.uniform(-3, 3, 3)
    model = reference(robot)
    for given in ({}, {"weights": weights}, {"preload": preload}, {"weights": weights, "preload": preload}):
        expected = model.inverse(q, qd, qdd, own, **given)
        ours = {name: value[own] for name, value in given.items()}
        tau = ask(robot, "inverse_dynamics", q, qd, qdd, **ours)
        np.testing.assert_allclose(tau, expected.tau, atol=1e-11)
        found = ask(robot, "joint_wrenches", q, qd, qdd, **ours)
        np.testing.assert_allclose(found.force, expected.force, atol=1e-11)
        np.testing.assert_allclose(found.torque, expected.torque, atol=1e-11)


def test_weights_and_compliances_that_cannot_be_are_refused():
    robot = catalog("five_bar").with_driven("left_joint", "right_joint", "left_rod_joint")
    still = np.zeros(4)
    for wrong in ([1, 0, 1.0], [1, np.inf, 1], [[1, 1, 1], [1, -2, 1]]):
        with pytest.raises(ValueError, match=r"the weight of 'right_joint' is .*: expected more than zero"):
            ask(robot, "inverse_dynamics", robot.home, still, still, weights=wrong)
    for wrong in ({"end_pin": "soft"}, {"end_pin": (1, 2)}, [1, 2]):
        with pytest.raises(ValueError, match=r"compliances .*: expected"):
            ask(robot, "joint_wrenches", robot.home, still, still, compliances=wrong)
    one, six = (ask(robot, "joint_wrenches", robot.home, still, still, compliances={"end_pin": given})
                for given in (np.float32(2), np.full(6, 2)))
    np.testing.assert_array_equal(one.force, six.force)


def test_couplings_and_loops():
    """A five-bar whose cranks are geared together, once and twice: one freedom."""
    robot = catalog("five_bar").with_coupling({"left_joint": 1.0, "right_joint": 1.0}, offset=np.pi)
    robot = robot.with_driven("left_joint")
    assert robot.mobility == 1
    for case in (robot, robot.with_coupling({"left_joint": -2.0, "right_joint": -2.0}, offset=-2 * np.pi)):
        compare(case, 1, compiled=False)
        compare_forward(case, 1, compiled=False)


@pytest.mark.slow
def test_batches_are_the_single_states():
    robot = catalog("excavator")
    q, qd, qdd = states(robot, 5)
    together = robot.joint_wrenches(q, qd, qdd)
    for k in range(5):
        alone = robot.joint_wrenches(q[k], qd[k], qdd[k])
        np.testing.assert_array_equal(together.force[k], alone.force)
