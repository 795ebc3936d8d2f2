"""Laws of mechanics that need no peer: power, momentum, virtual work, invariance.

Derivatives in time are complex steps through the equations themselves, exact to rounding.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import loadpath as lp
from loadpath.algorithms import energy
from loadpath.formulations import newton_euler
from loadpath.mechanics import kinematics
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.robot.reduction import reduced, reframed
from on_scalars import applied, entries, on_arrays
from references.to_pinocchio import random_state

STEP = 1e-30


def geared(robot: RobotModel) -> RobotModel:
    """With its last joint of one degree of freedom following the first."""
    first, *_, last = [joint for joint in robot.joints if joint.motion.dof == 1]
    follow = replace(last, mimic=lp.Mimic(first.name, -2.0, 0.4))
    return replace(robot, joints=tuple(follow if joint is last else joint for joint in robot.joints))


ROBOTS = {
    "chain": lp.catalog.random_chain(11, 21, "all", general=True),
    "tree": lp.catalog.random_tree(14, 22, "all", general=True),
    "floating": lp.catalog.random_tree(6, 23, general=True).floating(),
    "with rotors": lp.catalog.random_tree(11, 24, "all", general=True, drives=True).without_friction(),
    "geared": geared(lp.catalog.random_tree(12, 25, "all", general=True, drives=True).without_friction()),
}


@pytest.fixture(params=ROBOTS)
def robot(request: pytest.FixtureRequest) -> RobotModel:
    return ROBOTS[request.param]


def coordinate_rate(robot: RobotModel, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    rate = np.zeros(robot.nq)
    for joint in robot.joints:
        if joint.mimic is None and joint.motion.dof:
            at, v = robot.q_slices[joint.name], robot.v_slices[joint.name]
            rate[at] = joint.motion.coordinate_rate(entries(q[at]), entries(qd[v])).astype(float)
    return rate


def moving(robot: RobotModel, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """q and qd with their rates in the imaginary part: the imaginary part of a result is its rate."""
    step = 1j * STEP
    return (q + step * coordinate_rate(robot, q, qd))[None], (qd + step * qdd)[None]


def rate(result: np.ndarray) -> np.ndarray:
    return result[0].imag / STEP


def test_power_balance(robot: RobotModel) -> None:
    """d(K + P)/dt = qd . tau."""
    q, qd, qdd = random_state(robot, np.random.default_rng(1))
    tau = on_arrays(newton_euler.inverse_dynamics, reduced(robot), q, qd, qdd)
    q_t, qd_t = moving(robot, q, qd, qdd)
    mechanism = plain(robot)
    kinetic = rate(on_arrays(energy.kinetic_energy, mechanism, q_t, qd_t))
    potential = rate(on_arrays(energy.potential_energy, mechanism, q_t))
    assert kinetic + potential == pytest.approx(qd @ tau, rel=1e-12)


def test_friction_takes_power_and_never_gives_it() -> None:
    robot = lp.catalog.random_tree(11, 24, "all", general=True, drives=True)
    rng = np.random.default_rng(2)
    for _ in range(5):
        q, qd, qdd = random_state(robot, rng)
        tau, without = (
            on_arrays(newton_euler.inverse_dynamics, reduced(r), q, qd, qdd) for r in (robot, robot.without_friction())
        )
        joints = [j for j in robot.joints if j.mimic is None]
        viscous = np.array([b for j in joints for b in j.viscous_friction])
        coulomb = np.array([c for j in joints for c in j.coulomb_friction])
        assert qd @ (tau - without) == pytest.approx(viscous @ qd**2 + coulomb @ np.abs(qd))


def momentum(robot: RobotModel, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each link, linear and angular about the world's origin, (batch, links, 3), from poses and jacobians alone."""
    mechanism = plain(robot)
    poses = on_arrays(kinematics.link_poses, mechanism, q)
    linear, angular = [], []
    for k, link in enumerate(robot.links):
        v, omega = np.split(
            np.einsum("bij,bj->bi", on_arrays(kinematics.jacobian, mechanism, q, link=link.name), qd), 2, 1
        )
        turn, origin = poses[:, k, :3, :3], poses[:, k, :3, 3]
        arm = turn @ np.array(link.inertia.center_of_mass)
        p = link.inertia.mass * (v + np.cross(omega, arm))
        spin = turn @ np.array(link.inertia.tensor) @ np.swapaxes(turn, 1, 2)
        linear.append(p)
        angular.append(np.cross(origin + arm, p) + np.einsum("bij,bj->bi", spin, omega))
    return np.stack(linear, 1), np.stack(angular, 1)


def behind(robot: RobotModel, joint: lp.Joint) -> list[int]:
    """Numbers of the links that a joint carries."""
    carried = {joint.child}
    for other in robot.joints:  # parents first
        if other.parent in carried:
            carried.add(other.child)
    return [k for k, name in enumerate(robot.link_names) if name in carried]


def test_every_joint_wrench_is_the_rate_of_momentum_behind_it_minus_gravity(robot: RobotModel) -> None:
    q, qd, qdd = random_state(robot, np.random.default_rng(3))
    force, torque = on_arrays(newton_euler.joint_wrenches, reframed(robot), q, qd, qdd)
    linear, angular = (rate(part) for part in momentum(robot, *moving(robot, q, qd, qdd)))
    poses = on_arrays(kinematics.link_poses, plain(robot), q)
    masses = np.array([link.inertia.mass for link in robot.links])
    centers = np.array(
        [(pose @ [*link.inertia.center_of_mass, 1.0])[:3] for link, pose in zip(robot.links, poses, strict=True)]
    )
    weight = masses[:, None] * np.array(robot.gravity)
    scale = np.abs(force).max() + np.abs(torque).max()
    for k, joint in enumerate(robot.joints):
        links = behind(robot, joint)
        f = (linear - weight)[links].sum(0)
        n = (angular - np.cross(centers, weight))[links].sum(0)  # about the world's origin
        at = poses[robot.link_names.index(joint.child)] @ joint.link_offset.inverse().matrix  # the child's joint frame
        f_joint = at[:3, :3].T @ f
        n_joint = at[:3, :3].T @ (n - np.cross(at[:3, 3], f))
        np.testing.assert_allclose(force[k], f_joint, rtol=0, atol=1e-12 * scale)
        np.testing.assert_allclose(torque[k], n_joint, rtol=0, atol=1e-12 * scale)


def test_free_flight_keeps_momentum() -> None:
    """With no force on a free base and no gravity, the wrench at its joint is zero and momentum stays."""
    robot = lp.catalog.random_chain(3, 31, general=True).floating().with_gravity((0, 0, 0))
    rng = np.random.default_rng(4)
    q, qd, qdd = random_state(robot, rng)

    # Choose the base's acceleration so that its six forces vanish: they are affine in it.
    def root(base: np.ndarray) -> np.ndarray:
        return on_arrays(newton_euler.inverse_dynamics, reduced(robot), q, qd, np.concatenate([base, qdd[6:]]))[:6]

    bias = root(np.zeros(6))
    matrix = np.column_stack([root(column) - bias for column in np.eye(6)])
    qdd[:6] = np.linalg.solve(matrix, -bias)
    force, torque = on_arrays(newton_euler.joint_wrenches, reframed(robot), q, qd, qdd)
    linear, angular = (rate(part).sum(0) for part in momentum(robot, *moving(robot, q, qd, qdd)))
    for part in (force[0], torque[0], linear, angular):
        np.testing.assert_allclose(part, 0.0, atol=1e-11)
    assert np.abs(force[1]).max() > 1.0  # the arm does work hard


def test_a_falling_robot_feels_no_gravity() -> None:
    """A base that accelerates with g: joint wrenches are those without gravity (noninertial base)."""
    arm = lp.catalog.random_chain(5, 32, general=True)
    falling, weightless = arm.floating(), arm.with_gravity((0, 0, 0))
    q, qd, qdd = random_state(arm, np.random.default_rng(5))
    turn = Rotation.random(random_state=6)
    base_q, rest = [0.3, 0.4, 0.5, *turn.as_quat()], np.zeros(3)
    fall = [*turn.inv().apply(arm.gravity), *rest]
    found = on_arrays(
        newton_euler.joint_wrenches, reframed(falling), np.r_[base_q, q], np.r_[np.zeros(6), qd], np.r_[fall, qdd]
    )
    expected = on_arrays(newton_euler.joint_wrenches, reframed(weightless), q, qd, qdd)
    for part, same in zip(found, expected, strict=True):
        np.testing.assert_allclose(part[1:], same, atol=1e-11)


def test_a_turning_base_gives_coriolis_and_centrifugal_forces() -> None:
    """A turntable under the arm is the same as a free base that turns like it."""
    arm = lp.catalog.random_chain(4, 33, general=True).with_gravity((0, 0, 0))
    links = (lp.Link("ground"), *arm.links)
    table = replace(arm, links=links, joints=(lp.Joint("table", "ground", "base", lp.Revolute()), *arm.joints))
    floating = arm.floating()
    q, qd, qdd = random_state(arm, np.random.default_rng(6))
    angle, speed, acceleration = 0.7, 1.9, -2.3
    quaternion = Rotation.from_euler("z", angle).as_quat()
    on_table = on_arrays(
        newton_euler.inverse_dynamics, reduced(table), np.r_[angle, q], np.r_[speed, qd], np.r_[acceleration, qdd]
    )
    free = on_arrays(
        newton_euler.inverse_dynamics,
        reduced(floating),
        np.r_[0, 0, 0, quaternion, q],
        np.r_[0, 0, 0, 0, 0, speed, qd],
        np.r_[0, 0, 0, 0, 0, acceleration, qdd],
    )
    np.testing.assert_allclose(free[6:], on_table[1:], atol=1e-11)
    assert free[5] == pytest.approx(on_table[0], abs=1e-11)


def test_nothing_changes_when_robot_and_gravity_turn_together(robot: RobotModel) -> None:
    turn = lp.Pose(Rotation.random(random_state=7).as_matrix().tolist(), (0.3, -2.0, 1.1))
    joints = tuple(
        replace(joint, origin=turn @ joint.origin) if joint.parent == robot.base.name else joint
        for joint in robot.joints
    )
    turned = replace(robot, joints=joints, gravity=(turn.R @ robot.gravity).tolist())
    state = random_state(robot, np.random.default_rng(8))
    tau, same = (on_arrays(newton_euler.inverse_dynamics, reduced(r), *state) for r in (robot, turned))
    np.testing.assert_allclose(same, tau, rtol=0, atol=1e-12 * np.abs(tau).max())
    wrenches, the_same = (on_arrays(newton_euler.joint_wrenches, reframed(r), *state) for r in (robot, turned))
    for part, equal in zip(wrenches, the_same, strict=True):
        np.testing.assert_allclose(equal, part, rtol=0, atol=1e-12 * np.abs(part).max())
    poses, there = (on_arrays(kinematics.link_poses, plain(r), state[0]) for r in (robot, turned))
    np.testing.assert_allclose(there[1:], turn.matrix @ poses[1:], atol=1e-13)


def test_inverse_dynamics_is_affine_in_the_accelerations(robot: RobotModel) -> None:
    rng = np.random.default_rng(9)
    q, qd, first = random_state(robot, rng)
    second = rng.normal(size=robot.n)

    def tau(qdd: np.ndarray) -> np.ndarray:
        return on_arrays(newton_euler.inverse_dynamics, reduced(robot), q, qd, qdd)

    combined = tau(2.0 * first - 3.0 * second)
    sum_of_parts = 2.0 * tau(first) - 3.0 * tau(second) + 2.0 * tau(np.zeros(robot.n))
    np.testing.assert_allclose(combined, sum_of_parts, rtol=0, atol=1e-12 * np.abs(combined).max())


def test_the_matrix_in_front_of_the_accelerations_is_symmetric_and_positive(robot: RobotModel) -> None:
    q, qd, _ = random_state(robot, np.random.default_rng(10))
    n = robot.n
    rows = np.vstack([np.zeros(n), np.eye(n)])
    states = np.broadcast_to(q, (n + 1, robot.nq)), np.broadcast_to(qd, (n + 1, n)), rows
    tau = on_arrays(newton_euler.inverse_dynamics, reduced(robot), *states)
    matrix = tau[1:] - tau[0]
    np.testing.assert_allclose(matrix, matrix.T, rtol=0, atol=1e-12 * np.abs(tau).max())
    assert np.linalg.eigvalsh((matrix + matrix.T) / 2).min() > 0
    kinetic = on_arrays(energy.kinetic_energy, reframed(robot), q, qd)
    assert 0.5 * qd @ matrix @ qd == pytest.approx(float(kinetic), rel=1e-11)


def test_gravity_forces_are_the_gradient_of_the_potential_energy(robot: RobotModel) -> None:
    q, _, _ = random_state(robot, np.random.default_rng(11))
    mechanism = plain(robot)
    found = []
    for direction in np.eye(robot.n):
        q_t = (q + 1j * STEP * coordinate_rate(robot, q, direction))[None]
        found.append(rate(on_arrays(energy.potential_energy, mechanism, q_t)))
    tau = on_arrays(newton_euler.gravity_forces, reduced(robot), q)
    np.testing.assert_allclose(tau, found, rtol=0, atol=1e-12 * np.abs(tau).max())


def test_a_jacobian_times_the_speeds_is_the_rate_of_the_pose(robot: RobotModel) -> None:
    q, qd, qdd = random_state(robot, np.random.default_rng(12))
    q_t, _ = moving(robot, q, qd, qdd)
    mechanism = plain(robot)
    moved = on_arrays(kinematics.link_poses, mechanism, q_t)[0]
    for link, pose, velocity in zip(robot.link_names, moved.real, moved.imag / STEP, strict=True):
        linear, angular = np.split(on_arrays(kinematics.jacobian, mechanism, q, link=link) @ qd, 2)
        np.testing.assert_allclose(velocity[:3, 3], linear, atol=1e-12)
        np.testing.assert_allclose(velocity[:3, :3], np.cross(angular, pose[:3, :3], axisb=0, axisc=0), atol=1e-12)
        assert not velocity[3].any()


def test_external_wrenches_load_the_drives_by_the_transposed_jacobian(robot: RobotModel) -> None:
    rng = np.random.default_rng(13)
    state = random_state(robot, rng)
    free = on_arrays(newton_euler.inverse_dynamics, reduced(robot), *state)
    for link in robot.link_names:
        wrench = rng.normal(size=6) * 10
        loaded = on_arrays(
            newton_euler.inverse_dynamics, reduced(robot), *state, external={link: applied(wrench[:3], wrench[3:])}
        )
        jacobian = on_arrays(kinematics.jacobian, plain(robot), state[0], link=link)
        np.testing.assert_allclose(loaded - free, -jacobian.T @ wrench, rtol=0, atol=1e-12 * np.abs(free).max())


def test_friction_and_rotors_do_not_enter_the_joint_wrenches() -> None:
    robot = lp.catalog.random_tree(11, 24, "all", general=True, drives=True)
    state = random_state(robot, np.random.default_rng(14))
    bare = robot.without_friction().without_rotors()
    for found, expected in zip(
        *(on_arrays(newton_euler.joint_wrenches, reframed(r), *state) for r in (robot, bare)), strict=True
    ):
        np.testing.assert_array_equal(found, expected)


# Coordinates

QUATERNIONS = lp.catalog.random_chain(4, 41, ["spherical", "revolute", "free"], general=True)


@pytest.mark.parametrize("length", [-1.0, 0.01, 3.0, -250.0])
def test_only_the_direction_of_a_quaternion_counts(length: float) -> None:
    """Any length gives the same; so does the opposite quaternion, which is the same rotation."""
    robot = QUATERNIONS
    q, qd, qdd = random_state(robot, np.random.default_rng(15))
    scaled = q.copy()
    for name, where in robot.q_slices.items():
        if robot.joint(name).motion.coordinates > robot.joint(name).motion.dof:
            scaled[where.stop - 4 : where.stop] *= length
    mechanisms = plain(robot), reframed(robot), reduced(robot)
    for formulation, mechanism, rest in (
        (newton_euler.inverse_dynamics, mechanisms[2], (qd, qdd)),
        (kinematics.link_poses, mechanisms[0], ()),
        (energy.kinetic_energy, mechanisms[1], (qd,)),
        (energy.potential_energy, mechanisms[1], ()),
    ):
        expected = on_arrays(formulation, mechanism, q, *rest)
        found = on_arrays(formulation, mechanism, scaled, *rest)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


@pytest.mark.parametrize("turns", [1, -3, 1000])
def test_whole_turns_change_nothing(turns: int) -> None:
    robot = lp.catalog.random_chain(3, 42, "continuous", general=True)
    q, qd, qdd = random_state(robot, np.random.default_rng(16))
    expected = on_arrays(newton_euler.inverse_dynamics, reduced(robot), q, qd, qdd)
    found = on_arrays(newton_euler.inverse_dynamics, reduced(robot), q + turns * math.tau, qd, qdd)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15 * (10 + 10 * abs(turns)) * np.abs(expected).max())


def test_the_unmoved_robot_has_its_joints_at_their_origins() -> None:
    robot = lp.catalog.random_tree(11, 43, "all", general=True)
    poses = dict(zip(robot.link_names, on_arrays(kinematics.link_poses, plain(robot), robot.neutral()), strict=True))
    for joint in robot.joints:
        expected = poses[joint.parent] @ joint.origin.matrix @ joint.link_offset.matrix
        np.testing.assert_allclose(poses[joint.child], expected, atol=1e-14)


# Robots made from others


def test_locked_joints_carry_what_the_moving_ones_would() -> None:
    robot = lp.catalog.random_chain(6, 44, ["revolute", "prismatic", "spherical"], general=True)
    rng = np.random.default_rng(17)
    q, qd, qdd = random_state(robot, rng)
    held = {name: q[robot.q_slices[name]] for name in ("joint2", "joint3", "joint5")}
    still = np.ones(robot.n)
    keep_q = np.ones(robot.nq, dtype=bool)
    for name in held:
        still[robot.v_slices[name]] = 0.0
        keep_q[robot.q_slices[name]] = False
    locked = robot.locked({name: float(v[0]) if len(v) == 1 else v for name, v in held.items()})
    moving_ones = still.astype(bool)
    whole = on_arrays(newton_euler.joint_wrenches, reframed(robot), q, qd * still, qdd * still)
    part = on_arrays(newton_euler.joint_wrenches, reframed(locked), q[keep_q], qd[moving_ones], qdd[moving_ones])
    for k, joint in enumerate(robot.joints):
        if joint.name not in held:  # a locked joint's frame is that of the weld
            np.testing.assert_allclose(part[0][k], whole[0][k], atol=1e-11)
            np.testing.assert_allclose(part[1][k], whole[1][k], atol=1e-11)
    forces = [on_arrays(newton_euler.inverse_dynamics, reduced(robot), q, qd * still, qdd * still)[moving_ones]]
    forces.append(
        on_arrays(newton_euler.inverse_dynamics, reduced(locked), q[keep_q], qd[moving_ones], qdd[moving_ones])
    )
    np.testing.assert_allclose(*forces, atol=1e-11)
