"""More drives than freedoms: least effort, weights, preload, and what cannot be."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import loadpath as lp


@cache
def bar(*driven: str) -> lp.ClosedRobot:
    return lp.catalog.four_bar().with_driven(*driven)


def case(robot: lp.ClosedRobot) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A motion of the four-bar, and its complement: all speeds per unit of the crank's."""
    q, T = robot.home, bar("crank_joint").complement(robot.home)
    qd = 2.0 * T[:, 0]
    return q, qd, bar("crank_joint").forward_dynamics(q, qd, [1.5, 0, 0]), T


BOTH = ("crank_joint", "rocker_joint")
ALL = ("crank_joint", "coupler_joint", "rocker_joint")


@pytest.mark.parametrize(
    ("weights", "preload"), [(None, None), ({"rocker_joint": 3.0}, {"crank_joint": -0.7, "rocker_joint": 2.0})]
)
def test_drives_do_the_work_with_the_least_effort_and_the_part_of_a_preload_that_does_none(weights, preload):
    robot = bar(*BOTH)
    q, qd, qdd, T = case(robot)
    tau = robot.inverse_dynamics(q, qd, qdd, weights=weights, preload=preload)
    needed = T.T @ robot.tree.inverse_dynamics(q, qd, qdd)
    W = np.diag([1.0, (weights or {}).get("rocker_joint", 1.0)])
    p = np.array([(preload or {}).get(name, 0.0) for name in BOTH])
    D = T[[0, 2]]
    expected = p + np.linalg.inv(W) @ np.linalg.pinv(D.T @ np.linalg.inv(W)) @ (needed - D.T @ p)
    np.testing.assert_allclose(tau[[0, 2]], expected, atol=1e-13)
    assert tau[1] == 0.0  # the coupler's joint has no drive
    np.testing.assert_allclose(T.T @ tau, needed, atol=1e-13)


def test_a_preload_of_a_loop_adds_its_wrench_and_does_no_work():
    robot = bar(*ALL)
    q, qd, qdd, T = case(robot)
    press = lp.Wrench(force=(0, 0, 30.0))  # world axes
    before, after = (robot.joint_wrenches(q, qd, qdd, preload=p) for p in (None, {"rocker_pin": press}))
    added = after["rocker_pin"].force - before["rocker_pin"].force
    turn = robot.link_poses(q)[robot.link_names.index("rocker"), :3, :3]
    np.testing.assert_allclose(turn @ added, [0, 0, 30.0], atol=1e-12)
    tau = [robot.inverse_dynamics(q, qd, qdd, preload=p) for p in (None, {"rocker_pin": press})]
    np.testing.assert_allclose(T.T @ (tau[1] - tau[0]), 0.0, atol=1e-13)
    # By virtual work on the rocker alone: its drive balances the pin's force about its pivot.
    lever = robot.loops[0].on.translation[0]
    np.testing.assert_allclose(tau[1][2] - tau[0][2], -lever * added[1], atol=1e-12)
    in_frame = lp.Wrench(force=turn.T @ press.force, axes="joint")
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd, preload={"rocker_pin": in_frame}), tau[1], atol=1e-13)


def test_the_preload_for_a_given_wrench_gives_exactly_that():
    robot = bar(*ALL)
    q, qd, qdd, _ = case(robot)
    wanted = lp.Wrench(force=(12.0, 0, -40.0))
    preload = robot.preload_for({"rocker_pin": wanted}, q, qd, qdd, weights={"crank_joint": 2.0})
    found = robot.joint_wrenches(q, qd, qdd, preload=preload, weights={"crank_joint": 2.0})["rocker_pin"]
    turn = robot.link_poses(q)[robot.link_names.index("rocker"), :3, :3]
    np.testing.assert_allclose(turn @ found.force, wanted.force, atol=1e-11)
    # One component given, the other by least effort: less effort than with any other value of it.
    partly = lp.Wrench(force=(12.0, np.nan, np.nan), torque=(np.nan, np.nan, np.nan))
    preload = robot.preload_for({"rocker_pin": partly}, q, qd, qdd)
    found = robot.joint_wrenches(q, qd, qdd, preload=preload)["rocker_pin"]
    np.testing.assert_allclose((turn @ found.force)[0], 12.0, atol=1e-11)
    many = [np.array([q, q]), np.array([qd, 0 * qd]), np.array([qdd, 0 * qdd])]
    both = robot.preload_for({"rocker_pin": wanted}, *many)
    unknown = robot.preload_for({"rocker_pin": wanted}, np.array([q, q * np.nan]), qd, qdd)["rocker_pin"].force
    assert np.isfinite(unknown[0]).all() and np.isnan(unknown[1]).any()                # NaN stays in its state
    turned = robot.joint_wrenches(*many, preload=both)["rocker_pin"].force @ turn.T
    np.testing.assert_allclose(turned, np.broadcast_to(wanted.force, (2, 3)), atol=1e-11)


def test_peaks_are_those_with_the_preload_of_each_state():
    robot = bar(*ALL)
    q, qd, qdd, _ = case(robot)
    many = [np.array([q, q]), np.array([qd, 0 * qd]), np.array([qdd, 0 * qdd])]
    preload = {"rocker_pin": lp.Wrench(force=[(0, 0, 30.0), (0, 0, 300.0)])}
    peaks = robot.peak_loads(*many, preload=preload)
    tau = robot.inverse_dynamics(*many, preload=preload)
    assert peaks["crank_joint", "drive"].peak.sample == 1
    np.testing.assert_allclose(peaks["crank_joint", "drive"].magnitude, np.abs(tau[:, 0]).max())


def test_what_cannot_be_preloaded_is_refused_by_name():
    q, qd, qdd, _ = case(bar(*ALL))
    three, two, one = bar(*ALL), bar(*BOTH), bar("crank_joint")
    with pytest.raises(ValueError, match="has a force z of -3, which no joint moves and no drive can give"):
        three.inverse_dynamics(q, qd, qdd, preload={"rocker_pin": lp.Wrench(force=(0, 3, 0))})
    with pytest.raises(ValueError, match="has a torque z of -3, which its joint does not hold"):
        three.inverse_dynamics(q, qd, qdd, preload={"rocker_pin": lp.Wrench(torque=(0, 3, 0))})
    with pytest.raises(ValueError, match="would have to be held by 'coupler_joint', which has no drive"):
        two.inverse_dynamics(q, qd, qdd, preload={"rocker_pin": lp.Wrench(force=(3, 0, 0))})
    with pytest.raises(ValueError, match="'preload' has 'coupler_joint', but 'coupler_joint' is passive: the"):
        two.inverse_dynamics(q, qd, qdd, preload={"coupler_joint": 1.0})
    with pytest.raises(ValueError, match="'weights' has 'crnk', but there is no 'crnk': the drives are crank_joint"):
        two.inverse_dynamics(q, qd, qdd, weights={"crnk": 1.0})
    with pytest.raises(ValueError, match="the weight of 'crank_joint' is 0: expected more than zero"):
        two.inverse_dynamics(q, qd, qdd, weights={"crank_joint": 0})
    with pytest.raises(ValueError, match="1 freedoms and 1 drives, so there is nothing to choose"):
        one.inverse_dynamics(q, qd, qdd, preload={"crank_joint": 1.0})
    with pytest.raises(ValueError, match="there is no loop 'pin'; there are rocker_pin"):
        three.preload_for({"pin": lp.Wrench()}, q, qd, qdd)
    with pytest.raises(ValueError, match="the drives cannot make 'rocker_pin' carry a force"):
        two.preload_for({"rocker_pin": lp.Wrench(force=(100.0, 0, 0))}, q, qd, qdd)


def test_too_few_drives_are_refused_with_what_they_do_not_hold():
    five = lp.catalog.five_bar().with_driven("left_joint")
    with pytest.raises(lp.ModelError, match="its drives left_joint leave 1 of its 2 freedoms to themselves"):
        five.gravity_forces(five.home)
