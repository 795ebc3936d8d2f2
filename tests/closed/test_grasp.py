"""Two arms that hold one box: its equilibrium by hand, the joint torques by virtual work."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import loadpath as lp

G = 9.81
REST = np.zeros(6)


@cache
def planar_pair() -> lp.ClosedRobot:
    """Two plane arms of three links, 1.2 m apart and face to face, with a box of 2 kg and 0.2 m between their tips."""
    arm, at = lp.catalog.planar(3, length=0.5), [2 * np.pi / 3, -np.pi / 3, -np.pi / 3]
    across = lp.Pose.from_xyz_rpy((1.2, 0, 0), (0, 0, np.pi))
    return lp.grasp(
        {
            "left": lp.Hold(arm, grip=(-0.1, 0, 0)),
            "right": lp.Hold(arm, base=across, grip=lp.Pose.from_xyz_rpy((0.1, 0, 0), (0, np.pi, 0))),
        },
        lp.Inertia(2.0, tensor=np.diag([0.01, 0.01, 0.01])),
        q={"left": at, "right": at},
    )


def in_world(robot: lp.Robot, q: np.ndarray, hand: str, vector: np.ndarray) -> np.ndarray:
    return robot.link_poses(q)[robot.link_names.index(hand), :3, :3] @ vector


def test_a_box_between_two_plane_arms_with_an_internal_force_of_50_newton():
    pair = planar_pair()
    q = pair.home
    assert (pair.mobility, len(pair.driven)) == (3, 6)
    squeeze = lp.Wrench(force=(-50.0, 0, 1.0 * G))  # the right hand presses on the box and carries half of it
    preload = pair.preload_for({"right_grip": squeeze}, q, REST, REST)
    w = pair.joint_wrenches(q, REST, REST, preload=preload)
    right, left = (in_world(pair, q, f"{arm}_tip", w[f"{arm}_grip"].force) for arm in ("right", "left"))
    np.testing.assert_allclose(right, [-50.0, 0, G], atol=1e-10)
    np.testing.assert_allclose(left, [50.0, 0, G], atol=1e-10)  # the box is in equilibrium
    np.testing.assert_allclose(w["left_grip"].torque, 0.0, atol=1e-10)  # and by symmetry without a moment
    # Virtual work: each arm alone, with the box's force on its tip, in the axes of its own base.
    tau = pair.inverse_dynamics(q, REST, REST, preload=preload)
    arm, still = lp.catalog.planar(3, length=0.5), np.zeros(3)
    alone = arm.inverse_dynamics(q[:3], still, still, external={"tip": lp.Wrench(force=(-50.0, 0, -G))})
    np.testing.assert_allclose(tau, [*alone, *alone], atol=1e-10)


@pytest.mark.slow
def test_moving_arms_share_the_weight_and_the_inertia_of_the_box():
    pair = planar_pair()
    q = pair.home
    T = pair.complement(q)
    qd = T @ [0.3, -0.2, 0.4]
    qdd = pair.forward_dynamics(q, qd, [3.0, 1.0, -2.0, 4.0, 2.0, 1.0])
    w = pair.joint_wrenches(q, qd, qdd)
    # Newton and Euler for the box, about its center: hands, weight, and how it accelerates.
    k = pair.link_names.index("object")
    pose = pair.link_poses(q)[k]
    twist = np.concatenate([pair.jacobian(q, "object") @ qdd + pair.jacobian_dot(q, qd, "object") @ qd])
    force, moment = np.array([0, 0, -2.0 * G]), np.zeros(3)
    for arm in ("left", "right"):
        hand = pair.link_poses(q)[pair.link_names.index(f"{arm}_tip")]
        f, n = hand[:3, :3] @ w[f"{arm}_grip"].force, hand[:3, :3] @ w[f"{arm}_grip"].torque
        force, moment = force + f, moment + n + np.cross(hand[:3, 3] - pose[:3, 3], f)
    np.testing.assert_allclose(force, 2.0 * twist[:3], atol=1e-10)
    np.testing.assert_allclose(moment, 0.01 * twist[3:], atol=1e-10)
    np.testing.assert_allclose(pair.inverse_dynamics(q, qd, qdd), pair.inverse_dynamics(q, qd, qdd, weights=[1.0] * 6))


def test_arms_of_a_grasp_are_asked_about():
    arm = lp.catalog.planar(3)
    inertia = lp.Inertia(1.0)
    with pytest.raises(lp.ModelError, match="a grasp is by two arms or more, not by 1"):
        lp.grasp({"left": lp.Hold(arm)}, inertia)
    with pytest.raises(lp.ModelError, match=r"'right' is a Robot: expected an lp\.Hold"):
        lp.grasp({"left": lp.Hold(arm), "right": arm}, inertia)
    with pytest.raises(lp.ModelError, match="gravity of 'right' is"):
        lp.grasp({"left": lp.Hold(arm), "right": lp.Hold(arm.with_gravity((0, 0, 0)))}, inertia)
    with pytest.raises(lp.ModelError, match=r"q of 'left' has the shape \(2,\): expected \(3,\)"):
        lp.grasp({"left": lp.Hold(arm), "right": lp.Hold(arm)}, inertia, q={"left": [0, 0]})
    with pytest.raises(lp.ModelError, match="q has 'lft', which is none of the arms left, right"):
        lp.grasp({"left": lp.Hold(arm), "right": lp.Hold(arm)}, inertia, q={"lft": [0, 0, 0]})


@pytest.mark.slow
def test_two_pandas_hold_a_box_with_an_internal_force_of_50_newton():
    panda, at = lp.catalog.panda(), np.array([0, 0.3, 0, -1.8, 0, 2.1, 0.785])
    tip = lp.Pose.from_matrix(panda.link_poses(at)[-1])
    center = tip @ lp.Pose(translation=(0, 0, 0.1))
    across = lp.Pose.from_xyz_rpy((2 * center.p[0], 2 * center.p[1], 0), (0, 0, np.pi))
    grips = {"left": center.inverse() @ tip, "right": center.inverse() @ across @ tip}
    pair = lp.grasp(
        {"left": lp.Hold(panda, grip=grips["left"]), "right": lp.Hold(panda, across, grips["right"])},
        lp.Inertia(3.0, tensor=np.diag([0.02, 0.02, 0.02])),
        q={"left": at, "right": at},
    )
    q, rest = pair.home, np.zeros(14)
    assert (pair.mobility, len(pair.driven)) == (8, 14)
    preload = pair.preload_for({"right_grip": lp.Wrench(force=(-50.0, 0, 1.5 * G))}, q, rest, rest)
    w = pair.joint_wrenches(q, rest, rest, preload=preload)
    right, left = (in_world(pair, q, f"{arm}_panda_link8", w[f"{arm}_grip"].force) for arm in ("right", "left"))
    np.testing.assert_allclose(right, [-50.0, 0, 1.5 * G], atol=1e-9)
    np.testing.assert_allclose(left, [50.0, 0, 1.5 * G], atol=1e-9)
    tau = pair.inverse_dynamics(q, rest, rest, preload=preload)
    J = panda.jacobian(at)
    # The box pushes back on the left hand by -left, with the moment that the left grip carries.
    n = in_world(pair, q, "left_panda_link8", w["left_grip"].torque)
    np.testing.assert_allclose(tau[:7], panda.gravity_forces(at) + J.T @ [*left, *n], atol=1e-9)
