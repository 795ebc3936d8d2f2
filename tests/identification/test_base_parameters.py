"""The minimal set of parameters: its number by the theorems, its groups by the literature, its torques by Pinocchio."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loadpath as lp
from loadpath.identification.base import base_parameters
from loadpath.identification.grouping import random_states
from loadpath.identification.parameters import DynamicParameters, Scale, frames_only
from references.to_pinocchio import random_state, to_pinocchio

# Numbers


@pytest.mark.parametrize(
    ("robot", "number"),
    [
        # 7 a revolute and 4 a prismatic joint, less 3, less 1 for a first revolute joint, less 2 if it is vertical:
        # the bound of Gautier and Khalil 1990, which these arms reach.
        (lp.catalog.puma560(), 36),
        (lp.catalog.ur5(), 36),
        (lp.catalog.panda(), 43),
        (lp.catalog.stanford_arm(), 33),
        (lp.catalog.random_dh_arm(6, 1), 7 * 6 - 6),
        (lp.catalog.random_dh_arm(6, 1).with_gravity((1.0, 2.0, -9.0)), 7 * 6 - 4),
        (lp.catalog.random_dh_arm(3, 2), 7 * 3 - 6),
        # In a plane only Izz, mx and my of each link count; without gravity, of the first only Izz.
        (lp.catalog.two_link(), 6),
        (lp.catalog.planar(4), 12),
        (lp.catalog.planar(4).with_gravity((0, 0, 0)), 10),
        # A free body: all ten. Without gravity as well.
        (lp.catalog.random_chain(1, 1, "free"), 10),
        (lp.catalog.random_chain(1, 1, "spherical"), 9),  # a point mass in its center loads nothing
        (lp.catalog.random_chain(1, 1, "prismatic"), 1),
        (lp.catalog.random_chain(1, 1, "translational"), 1),
    ],
    ids=str,
)
def test_number(robot, number):
    assert robot.base_parameters().number == number


def test_drives_add_two_frictions_each_and_rotors_that_do_not_group_with_links():
    robot = lp.catalog.puma560()
    assert robot.base_parameters(friction=True).number == 36 + 12
    base = robot.base_parameters(rotors=True)
    assert base.number == 36 + 4  # those of joints 1 and 2 act as moments of links 1 and 2 (Khalil and Dombre)
    grouped = [group for group in base.groups if group.endswith("+ Ia1") or group.endswith("+ Ia2")]
    assert [group.split()[0] for group in grouped] == ["Iyy1", "Izz2"]


def test_welded_links_and_frames_add_nothing():
    robot = lp.catalog.panda()
    loaded = robot.with_payload(2.0, (0, 0, 0.1), inertia=np.eye(3) * 0.01)
    assert loaded.base_parameters().number == robot.base_parameters().number
    assert "m9" in " ".join(loaded.base_parameters().groups)  # the payload's mass is in the groups
    assert "m8" not in " ".join(loaded.base_parameters().groups)  # the flange has none
    assert frames_only(loaded) == {"panda_link8"}


def test_a_follower_acts_through_the_joint_that_it_follows():
    base = lp.catalog.panda(hand=True).base_parameters()
    assert base.number == 48  # seven joints as ever, 43, and five of the fingers: their masses and relative moments
    assert "mx11 - mx12" in base.groups


def test_rotated_base_and_tilted_gravity_do_not_change_the_number_when_both_turn():
    robot = lp.catalog.puma560()
    tilt = lp.Pose.from_xyz_rpy(rpy=(0.3, -0.4, 0.5))
    first = replace(robot.joints[0], origin=tilt @ robot.joints[0].origin)
    turned = replace(robot, joints=(first, *robot.joints[1:]), gravity=tuple(tilt.R @ robot.gravity))
    assert turned.base_parameters().number == 36
    assert replace(turned, gravity=robot.gravity).base_parameters().number == 38


def test_right_angles_of_five_digits_count_as_right():
    rows = [
        {"d": 0.3, "alpha": 1.5708},
        {"a": 0.4, "alpha": 0.0},
        {"a": 0.2, "alpha": -1.5708},
        {"d": 0.4, "alpha": 1.5708},
    ]
    bodies = {"mass": 1.0, "center_of_mass": (0.1, 0.2, 0.3), "inertia": (0.1, 0.1, 0.1)}
    arm = lp.from_dh([row | bodies for row in rows])
    assert arm.base_parameters().number == 7 * 4 - 6
    assert arm.with_gravity((0, 3.6e-5, -9.81)).base_parameters().number == 7 * 4 - 6


def test_small_robots_group_as_large_ones():
    def arm(size):
        rows = [{"d": 0.3, "alpha": np.pi / 2}, {"a": 0.4}, {"joint": "prismatic", "d": 0.2, "alpha": 0.3}, {"a": 0.1}]
        for row in rows:
            row |= {key: size * row[key] for key in ("a", "d") if key in row}
        return lp.from_dh([row | {"mass": 1.0} for row in rows])

    kept = arm(1.0).base_parameters().names
    assert arm(1e-3).base_parameters().names == kept == arm(1e2).base_parameters().names


# Torques


@settings(max_examples=25)
@given(st.integers(1, 5), st.integers(0, 10_000), st.booleans(), st.booleans())
def test_base_parameters_give_the_torques_of_any_robot(n, seed, tree, general):
    make = lp.catalog.random_tree if tree else lp.catalog.random_chain
    robot = make(n, seed, "all", general=general, drives=True)
    if robot.n == 0:
        return
    base = base_parameters(robot, friction=True, rotors=True)
    rng = np.random.default_rng(seed)
    q, qd, qdd = (np.array(part) for part in zip(*(random_state(robot, rng) for _ in range(20)), strict=True))
    Y = base.parameters.regressor(q, qd, qdd)
    all_parameters = base.parameters.of(robot)
    tau = Y @ all_parameters
    scale = np.abs(tau).max()
    np.testing.assert_allclose(Y[..., base.independent] @ base.values, tau, rtol=0, atol=1e-9 * scale)
    # and no fewer would do: the kept columns are independent, on other states than those that they were chosen by
    p = base.parameters
    units = Scale.of(robot).of_parameters(p)[base.independent]
    fresh = p.regressor(*random_states(p, Scale.of(robot), 20 + len(p.names), seed=99))[..., base.independent] * units
    values = np.linalg.svd(fresh.reshape(-1, base.number), compute_uv=False)
    assert values[-1] > 1e-6 * values[0]


@pytest.mark.parametrize("robot", [lp.catalog.panda(hand=True), lp.catalog.stanford_arm()], ids=lambda r: r.name)
def test_the_compiled_base_regressor_gives_the_torques_of_pinocchio(robot):
    base = robot.base_parameters()
    q, qd, qdd = random_state(robot, np.random.default_rng(5))
    peer = to_pinocchio(robot)
    tau = peer.speeds.T @ pin.rnea(peer.model, peer.model.createData(), peer.q(q), peer.speeds @ qd, peer.speeds @ qdd)
    np.testing.assert_allclose(base.regressor(q, qd, qdd) @ base.values, tau, atol=1e-10)


def test_the_regressor_has_drives_and_batches():
    robot = lp.catalog.puma560()
    base = robot.base_parameters(friction=True, rotors=True)
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(3, 4, 5, 6))
    Y = base.regressor(q, qd, qdd)
    assert Y.shape == (4, 5, 6, base.number)
    np.testing.assert_allclose(Y @ base.values, robot.inverse_dynamics(q, qd, qdd), atol=1e-10)
    np.testing.assert_allclose(
        base.regressor(q, qd[0, 0], qdd), base.regressor(q, np.broadcast_to(qd[0, 0], qd.shape), qdd)
    )


def test_values_of_another_robot():
    robot = lp.catalog.puma560()
    other = robot.with_inertias({"link6": lp.Inertia.from_moments(1.0, (0.1, 0, 0.2), ixx=0.1, iyy=0.1, izz=0.1)})
    base = robot.base_parameters(friction=True, rotors=True)
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 6))
    np.testing.assert_allclose(base.regressor(q, qd, qdd) @ base.of(other), other.inverse_dynamics(q, qd, qdd))


def test_followers_with_drives_of_their_own():
    robot = lp.catalog.panda(hand=True)
    joints = [replace(j, viscous_friction=2.0, coulomb_friction=3.0, rotor_inertia=0.1) if "finger" in j.name else j
              for j in robot.joints]
    joints[-1] = replace(joints[-1], mimic=lp.Mimic("panda_finger_joint1", -0.7, 0.01))
    robot = replace(robot, joints=tuple(joints))
    parameters = DynamicParameters(robot, friction=True, rotors=True)
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(3, 9, 8))
    tau = parameters.regressor(q, qd, qdd) @ parameters.of(robot)
    np.testing.assert_allclose(tau, robot.inverse_dynamics(q, qd, qdd), atol=1e-11)


# Groups and printing


def test_a_table_of_all_groups():
    text = str(lp.catalog.puma560().base_parameters())
    assert text.startswith("36 base parameters of 'puma560', from the 70 inertial parameters of 7 links")
    assert "mx2 + 0.4318 (m2 + m3 + m4 + m5 + m6)" in text
    assert max(len(line) for line in text.splitlines()) <= 110


def test_what_has_no_influence_is_told():
    base = lp.catalog.planar(2).base_parameters()
    assert {"m0", "m1", "mz1", "Ixx1", "Iyy2"} <= set(base.without_influence)
    assert "m2" not in base.without_influence


def test_bad_calls():
    with pytest.raises(ValueError, match="tolerance is 0"):
        lp.catalog.planar(2).base_parameters(tolerance=0)
    still = lp.catalog.planar(1).locked({"joint1": 0.0})
    with pytest.raises(ValueError, match="no joint that moves"):
        still.base_parameters()
