"""The natural orthogonal complement: its matrices, constraint wrenches, a free base, printed lines that are wrong."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import loadpath as lp
from formulation_checks import (
    ROBOTS,
    check_compiled,
    check_example_poses,
    check_forward_dynamics,
    check_gravity_forces,
    check_inverse_dynamics,
    check_joint_wrenches,
    check_mass_matrix,
    check_scalars,
    deviation,
    states,
)
from loadpath.formulations import lagrangian, newton_euler, noninertial_base
from loadpath.formulations import orthogonal_complement as noc
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.robot.reduction import reduced
from on_scalars import applied, entries, on_arrays
from references import complement_printed
from references.dh_chains import GRAVITY, as_robot, random_motion, random_rows
from references.to_pinocchio import to_pinocchio

MOVING = {name: robot for name, robot in ROBOTS.items() if robot.n}


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_inverse_dynamics_and_joint_wrenches(robot: RobotModel) -> None:
    check_inverse_dynamics(noc.inverse_dynamics, robot)
    check_joint_wrenches(noc.joint_wrenches, robot)


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_mass_matrix_gravity_and_forward_dynamics(robot: RobotModel) -> None:
    check_mass_matrix(noc.mass_matrix, robot)
    check_gravity_forces(noc.gravity_forces, robot)
    if robot.n and robot is not ROBOTS["massless links"]:
        check_forward_dynamics(noc.forward_dynamics, robot)


def test_on_all_scalars() -> None:
    check_scalars(noc.inverse_dynamics)


def test_compiled() -> None:
    check_compiled("natural-orthogonal-complement")


def test_example_poses() -> None:
    check_example_poses(noc.inverse_dynamics)


# The matrices


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_t_is_an_orthogonal_complement_of_k(robot: RobotModel) -> None:
    mechanism, q = plain(robot), entries(states(robot)[0][0])
    K = noc.K(mechanism, q).astype(float)
    size, freedoms = 6 * len(robot.joints), sum(joint.motion.dof for joint in robot.joints)
    assert K.shape == (size, size)
    singular = np.linalg.svd(K, compute_uv=False)
    assert int((singular > 1e-10).sum()) == size - freedoms
    if robot.n:
        assert np.abs(K @ noc.T(mechanism, q).astype(float)).max() < 1e-14 * 20


def test_rank_is_5n_for_revolute_and_prismatic_joints() -> None:
    robot = lp.catalog.random_chain(5, 3, ["prismatic", "revolute"], general=True)
    K = noc.K(plain(robot), entries(states(robot)[0][0])).astype(float)
    assert np.linalg.matrix_rank(K) == 25


@pytest.mark.parametrize("robot", MOVING.values(), ids=MOVING)
def test_tdot_is_the_rate_of_t(robot: RobotModel) -> None:
    mechanism = plain(robot)
    q, qd = (entries(part) for part in states(robot)[0][:2])
    _, slopes = lagrangian.differentiated(lambda x: noc.T(mechanism, x), mechanism, q)
    rate = sum(speed * slope.astype(float) for speed, slope in zip(qd, slopes, strict=True))
    assert deviation(noc.Tdot(mechanism, q, qd).astype(float), rate) < 1e-13


@pytest.mark.parametrize("robot", MOVING.values(), ids=MOVING)
def test_c_has_the_sign_of_the_source_and_di_minus_2c_is_skew(robot: RobotModel) -> None:
    mechanism, peer = plain(robot), to_pinocchio(robot)
    state = states(robot)[0]
    q, qd = (entries(part) for part in state[:2])
    C = noc.C(mechanism, q, qd).astype(float)
    velocity = peer.inverse_dynamics(*state[:2], np.zeros(robot.n), drives=False) - peer.gravity_forces(state[0])
    assert deviation(-C @ state[1], velocity) < 1e-11
    assert deviation(noc.coriolis_matrix(mechanism, q, qd).astype(float), -C) == 0
    _, slopes = lagrangian.differentiated(lambda x: noc.I(mechanism, x), mechanism, q)
    rate = sum(speed * slope.astype(float) for speed, slope in zip(state[1], slopes, strict=True))
    skew = rate + 2 * C
    assert np.abs(skew + skew.T).max() < 1e-12 * np.abs(rate).max(initial=1.0)


def test_delta_is_friction_against_the_motion() -> None:
    robot = ROBOTS["R and P, placed anyhow"]
    _, qd, _ = states(robot)[0]
    viscous = np.array([joint.viscous_friction[0] for joint in robot.joints])
    coulomb = np.array([joint.coulomb_friction[0] for joint in robot.joints])
    found = noc.delta(plain(robot), entries(qd)).astype(float)
    assert deviation(found, -viscous * qd - coulomb * np.sign(qd)) < 1e-14


# Constraint wrenches


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_constraint_wrenches_do_no_work_and_come_from_multipliers(robot: RobotModel) -> None:
    mechanism = plain(robot)
    state = [entries(part) for part in states(robot)[0]]
    wrench = {robot.link_names[-1]: applied([3.0, -2.0, 5.0], [1.0, 2.0, -1.0])}
    w = noc.constraint_wrenches(mechanism, *state, external=wrench).astype(float)
    size = np.abs(w).max()
    if robot.n:
        assert np.abs(noc.T(mechanism, state[0]).astype(float).T @ w).max() < 1e-12 * size
    K = noc.K(mechanism, state[0])
    multipliers = noc.multipliers(K, w)
    assert np.abs(K.astype(float).T @ multipliers - w).max() < 1e-12 * size


def test_constraint_wrenches_are_the_joint_wrenches_less_what_the_drives_transmit() -> None:
    """On the last link of a chain: f and n across the axis, moved to its mass center."""
    robot = lp.catalog.random_chain(4, 3, "revolute")
    mechanism, (q, qd, qdd) = plain(robot), states(robot)[0]
    w = on_arrays(noc.constraint_wrenches, mechanism, q, qd, qdd)[-6:]
    force, torque = (part[-1] for part in on_arrays(newton_euler.joint_wrenches, mechanism, q, qd, qdd))
    torque = torque * [1, 1, 0]  # z is the axis
    R = robot.link_poses(q)[-1, :3, :3]
    center = np.array(robot.links[-1].inertia.center_of_mass)
    assert deviation(w, [*(R @ (torque - np.cross(center, force))), *(R @ force)]) < 1e-12


def test_regrouped_inertias_are_refused_by_name() -> None:
    robot = lp.catalog.random_chain(3, 3, "revolute")
    with pytest.raises(ValueError, match="body 'link1' has a first moment but no mass"):
        noc.M(reduced(robot), entries([0.1, 0.2, 0.3]))


# A base that is not at rest

FREE = {
    "R and P": lp.catalog.random_chain(4, 2, ["revolute", "prismatic"], general=True).floating(),
    "P first": lp.catalog.random_chain(3, 2, ["prismatic", "revolute"], general=True).floating(),
    "tree": lp.catalog.random_tree(6, 4, ["revolute", "prismatic", "universal"], general=True, drives=True).floating(),
}


@pytest.mark.parametrize("robot", FREE.values(), ids=FREE)
def test_noninertial_base_against_the_free_flyer(robot: lp.Robot) -> None:
    """t_0 = B nu, with nu the free joint's speeds: I, forces and t agree with Pinocchio's free-flyer through B."""
    mechanism, peer = plain(robot), to_pinocchio(robot)
    q, qd, qdd = states(robot)[0]
    n = robot.n - 6
    B = np.eye(6 + n)
    B[:6, :6] = noninertial_base.base_twist(mechanism, entries(q)).astype(float)
    T = noninertial_base.noninertial_T(mechanism, entries(q)).astype(float)
    assert T.shape == (6 * (len(robot.joints)), 6 + n)
    assert deviation(T @ B, noc.T(mechanism, entries(q)).astype(float)) < 1e-13
    K = noninertial_base.noninertial_K(mechanism, entries(q)).astype(float)
    assert np.abs(K @ T).max() < 1e-13
    inertia = noninertial_base.noninertial_I(mechanism, entries(q)).astype(float)
    assert deviation(B.T @ inertia @ B, peer.mass_matrix(q, rotors=False)) < 1e-12

    # acceleration of the twist: t0dot = B nudot + Bdot nu, the second from the rate of T's first block
    Bdot = noc.Tdot(mechanism, entries(q), entries(qd)).astype(float)[:6, :6]
    t0dot = B[:6, :6] @ qdd[:6] + Bdot @ qd[:6]
    wrench = {robot.link_names[-1]: applied([3.0, -2.0, 5.0], [1.0, 2.0, -1.0])}
    found = noninertial_base.noninertial_inverse_dynamics(
        mechanism, entries(q), entries(qd), entries(t0dot), entries(qdd[6:]), external=wrench
    )
    expected = on_arrays(newton_euler.inverse_dynamics, mechanism, q, qd, qdd, external=wrench)
    w_0 = np.array([*found.base_moment, *found.base_force], dtype=float)
    assert deviation(np.array([*(B[:6, :6].T @ w_0), *found.tau], dtype=float), expected) < 1e-12

    # printed T = [[1, 0], [0, T']]: the base's motion would not move the arm
    printed = T.copy()
    printed[6:, :6] = 0
    mass = noc.M(mechanism, entries(q)).astype(float)
    assert deviation(B.T @ printed.T @ mass @ printed @ B, peer.mass_matrix(q, rotors=False)) > 0.1


def test_noninertial_tdot_is_the_rate_of_t() -> None:
    robot = FREE["R and P"]
    mechanism = plain(robot)
    q, qd = (entries(part) for part in states(robot)[0][:2])
    _, slopes = lagrangian.differentiated(lambda x: noninertial_base.noninertial_T(mechanism, x), mechanism, q)
    rate = sum(speed * slope.astype(float) for speed, slope in zip(qd, slopes, strict=True))
    assert deviation(noninertial_base.noninertial_Tdot(mechanism, q, qd).astype(float), rate) < 1e-13


def test_a_free_robot_left_to_itself_keeps_its_momentum() -> None:
    """No gravity, no wrench on the base: the mass center does not accelerate."""
    robot = lp.catalog.random_chain(3, 8, "revolute", general=True).with_gravity((0, 0, 0)).floating()
    peer = to_pinocchio(robot)
    q, qd, _ = states(robot)[0]
    tau = np.array([0.0] * 6 + [1.0, -2.0, 3.0])
    qdd = on_arrays(noc.forward_dynamics, plain(robot), q, qd, tau)
    pin.centerOfMass(peer.model, peer.data, peer.q(q), peer.v(qd), peer.v(qdd))
    assert np.abs(peer.data.acom[0]).max() < 1e-12


def test_a_base_at_rest_is_no_noninertial_base() -> None:
    robot = lp.catalog.random_chain(3, 8, "revolute")
    with pytest.raises(ValueError, match=r"robot\.floating\(\)"):
        noninertial_base.noninertial_T(plain(robot), entries([0.0, 0.0, 0.0]))


# Printed lines


@pytest.mark.parametrize("printed", ["tdot", "C first", "C", "t_ij", "r_ij", "tdot_ij", "rdot_ij"])
def test_the_corrected_lines_hold_and_the_printed_ones_do_not(printed: str) -> None:
    rows = random_rows("RPRP", 4)
    motion = random_motion(4, 5)
    tau = on_arrays(newton_euler.inverse_dynamics, plain(as_robot(rows)), *motion)
    assert deviation(complement_printed.inverse_dynamics(rows, *motion, GRAVITY), tau) < 1e-12
    assert deviation(complement_printed.inverse_dynamics(rows, *motion, GRAVITY, printed), tau) > 0.01
