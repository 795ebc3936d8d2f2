"""Freedoms that no drive moves: rods between two balls, loads that swing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import loadpath as lp
from loadpath.algorithms.loops.residual import angular_speeds
from loadpath.closure.chain import size_of
from loadpath.robot.mechanism import plain

Array = np.ndarray


def linkage(lateral: float = 0.01, about_axis: float = 0.003) -> lp.Robot:
    """A crank moves a rocker by a rod with a ball at both ends, which spins as it likes."""
    links = [lp.Link("base"), lp.Link("crank", lp.Inertia(1.0, (0.1, 0.02, 0), np.diag([0.01, 0.02, 0.02]))),
             lp.Link("rod", lp.Inertia(0.7, (0.2, lateral, 0), np.diag([about_axis, 0.02, 0.02]))),
             lp.Link("rocker", lp.Inertia(1.2, (0.1, 0.1, 0), np.diag([0.01, 0.02, 0.02])))]
    joints = [lp.Joint("crank_joint", "base", "crank", lp.Revolute((0, 0, 1))),
              lp.Joint("near", "crank", "rod", lp.Spherical(), (0.2, 0, 0)),
              lp.Joint("rocker_joint", "base", "rocker", lp.Revolute((1, 0, 0)), (0.3, 0.2, 0.1))]
    tree = lp.Robot("linkage", tuple(links), tuple(joints))
    q = (0.4, 0.9, 0.1, 0.2, 0.3742, 0.3)
    return tree.with_loop("far", "rod", "rocker", motion=lp.Spherical(), at=(0.4, 0, 0), q=q).with_driven("crank_joint")


def state(robot: lp.Robot, spin: float = 5.0) -> tuple[Array, Array, Array]:
    names = robot.independent
    speeds, accelerations = dict(zip(names, (1.3, 0.7), strict=True)), dict(zip(names, (0.4, spin), strict=True))
    return robot.home, *robot.complete(robot.home, speeds, accelerations)


def by_kkt(robot: lp.Robot, q: Array, qd: Array, drive: float, qdd_drive: float) -> tuple[Array, float]:
    """All accelerations and the drive's force from one system: M qdd + h = e tau + J' lambda, J qdd = -gamma, and the
    drive's acceleration; gamma by differences of J along the motion.
    """
    tree, h, n = robot.tree, 1e-6, robot.n
    M, bias, J = tree.mass_matrix(q), tree.bias_forces(q, qd), robot.constraint_jacobian(q)
    ahead, behind = (robot.constraint_jacobian(tree.integrate(q, s * h * qd)) for s in (1, -1))
    gamma = (ahead - behind) @ qd / (2 * h)
    e = np.zeros((n, 1))
    e[0] = 1.0
    m = len(J)
    K = np.block([[M, -J.T, -e], [J, np.zeros((m, m + 1))], [e.T, np.zeros((1, m + 1))]])
    x = np.linalg.lstsq(K, np.concatenate([-bias, -gamma, [qdd_drive]]), rcond=None)[0]
    return x[:n], float(x[-1])


def test_forces_and_accelerations_are_those_of_one_system_by_hand() -> None:
    robot = linkage()
    assert robot.mobility == 2 and robot.independent[0] == "crank_joint"
    q, qd, qdd = state(robot)
    wanted, force = by_kkt(robot, q, qd, 0.0, 0.4)
    tau = robot.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(tau, [force, 0, 0, 0, 0], rtol=0, atol=1e-7)  # gamma is of differences
    np.testing.assert_allclose(robot.forward_dynamics(q, qd, tau), wanted, rtol=0, atol=1e-6)
    for spin in (-3.0, 40.0):  # whatever is said of the rod's spin
        np.testing.assert_allclose(robot.inverse_dynamics(*state(robot, spin)), tau, rtol=0, atol=1e-11)


def test_wrenches_are_those_of_the_motion_that_the_drive_makes() -> None:
    robot = linkage()
    q, qd, qdd = state(robot)
    tau = robot.inverse_dynamics(q, qd, qdd)
    made = robot.forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, made), tau, rtol=0, atol=1e-12)
    found = robot.joint_wrenches(q, qd, qdd)
    for other in (robot.joint_wrenches(q, qd, made),
                  robot.joint_wrenches(q, qd, qdd, formulation="natural-orthogonal-complement")):
        np.testing.assert_allclose(found.force, other.force, rtol=0, atol=1e-10)
        np.testing.assert_allclose(found.torque, other.torque, rtol=0, atol=1e-10)
    assert np.abs(found["near"].torque).max() < 1e-12  # a ball, which no drive turns
    parts = robot.load_breakdown(q, qd, qdd, compiled=False)
    for joint in ("near", "far", "crank_joint"):
        np.testing.assert_allclose(parts.total(joint).force, found[joint].force, rtol=0, atol=1e-10)
    # Power of the drive is the rate of the energy.
    h = 1e-5
    ahead, behind = (robot.step(q, qd, tau, s * h) for s in (1, -1))
    rate = sum(s * (robot.kinetic_energy(*x) + robot.potential_energy(x[0])) for s, x in ((1, ahead), (-1, behind)))
    assert abs(rate / (2 * h) - tau @ qd) < 1e-6


def test_a_simulation_has_its_forces_back() -> None:
    robot = linkage()
    q, qd, _ = state(robot)
    run = robot.simulate(q, qd, torque=lambda t, q, qd: np.array([3.0 * np.cos(9 * t), 0, 0, 0, 0]), duration=0.2)
    np.testing.assert_allclose(robot.inverse_dynamics(run), run.tau, rtol=0, atol=1e-10)


def test_a_balanced_rod_is_held_still_and_another_is_not() -> None:
    """Gravity does not turn it about its axis, so the drive holds all that it would hold of a driven robot."""
    robot = linkage(lateral=0.0)
    q = robot.home
    tau = robot.gravity_forces(q)
    tree, T = robot.tree.gravity_forces(q), robot.complement(q)
    np.testing.assert_allclose(tau[0], (T.T @ tree)[0], rtol=1e-12)
    assert robot.static_wrenches(q)["far"].force.shape == (3,)
    with pytest.raises(lp.ModelError, match="leave 1 of its 2 freedoms to themselves"):
        linkage(lateral=0.01).gravity_forces(q)


def test_an_open_chain_with_a_load_that_swings() -> None:
    arm = lp.catalog.planar(3, mass=2.0)
    swinging = arm.with_driven("joint1", "joint3")
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 4, 3))
    there = arm.mixed_dynamics(q, qd, accelerations={"joint1": qdd[:, 0], "joint3": qdd[:, 2]}, forces={"joint2": 0.0})
    np.testing.assert_allclose(swinging.inverse_dynamics(q, qd, qdd), there.tau, rtol=0, atol=1e-10)
    np.testing.assert_allclose(swinging.joint_wrenches(q, qd, qdd).force, arm.joint_wrenches(q, qd, there.qdd).force,
                               rtol=0, atol=1e-10)


def with_balls(robot: lp.Robot) -> lp.Robot:
    """A robot whose universal joints are balls: its rods and legs spin."""
    joints, near = [], []
    for joint in robot.joints:
        at = robot.home[robot.q_slices[joint.name]]
        if isinstance(joint.motion, lp.Universal):
            first, second = (Rotation.from_rotvec(np.array(axis) * angle)
                             for axis, angle in zip((joint.motion.first, joint.motion.second), at, strict=True))
            joints.append(lp.Joint(joint.name, joint.parent, joint.child, lp.Spherical(), joint.origin,
                                   joint.link_offset))
            near += [*(first * second).as_quat()]
        else:
            joints.append(joint)
            near += [*at]
    return replace(robot, joints=tuple(joints), near=tuple(near))


@pytest.mark.parametrize("name", ["stewart_platform", "delta"])
def test_platforms_whose_legs_have_a_ball_at_both_ends(name: str) -> None:
    """Drives alone determine all that anybody means. The spins are the least that go with the drives' speeds, as by
    least squares over all rows; forces are those of legs that do not spin, but for what spinning legs take.
    """
    robot, held = (make(getattr(lp.catalog, name)()) for make in (with_balls, lambda robot: robot))
    assert robot.mobility == held.mobility + 6
    rng = np.random.default_rng(5)
    speeds, rates = rng.normal(size=(2, 4, len(robot.driven))) * [[[0.1]], [[0.5]]]
    q = np.tile(robot.home, (4, 1))
    qd, qdd = robot.complete(q, speeds, rates)
    J, driven = robot.constraint_jacobian(robot.home), list(robot.split.driven)
    units = np.array([1.0 if turning else size_of(robot) for turning in angular_speeds(plain(robot))])
    rows = np.vstack([J, np.eye(robot.n)[driven]]) * units
    for k in range(4):
        wanted = np.linalg.lstsq(rows, np.concatenate([np.zeros(len(J)), speeds[k]]), rcond=None)[0]
        np.testing.assert_allclose(qd[k], units * wanted, atol=1e-12)
    tau = robot.inverse_dynamics(q, qd, qdd)  # which looks at speeds and accelerations
    np.testing.assert_allclose(tau[:, [k for k in range(robot.n) if k not in driven]], 0.0, atol=1e-9)
    there = held.inverse_dynamics(np.tile(held.home, (4, 1)), *held.complete(held.home, speeds, rates))
    np.testing.assert_allclose(tau[:, driven], there[:, list(held.split.driven)], rtol=1e-3)
    with pytest.raises(ValueError, match=f"does not determine the motion.*give '{robot.driven[1]}', .*too, by name"):
        robot.complete(robot.home, {robot.driven[0]: 1.0})


def test_a_motion_of_drives_moves_legs_with_balls() -> None:
    robot = with_balls(lp.catalog.delta())
    t = np.linspace(0, 1, 101)
    start = robot.home[[robot.coordinate_names.index(name) for name in robot.driven]]
    move = robot.motion(t, start - 0.2 * np.sin(2 * t)[:, None] * [1.0, 0.4, -0.2])
    assert robot.closure(move.q).max() < 1e-12
    there = lp.catalog.delta().motion(t, start - 0.2 * np.sin(2 * t)[:, None] * [1.0, 0.4, -0.2])
    np.testing.assert_allclose(robot.link_poses(move)[:, robot.link_names.index("platform")],
                               lp.catalog.delta().link_poses(there)[:, there.robot.link_names.index("platform")],
                               atol=1e-9)
    assert np.isfinite(robot.joint_wrenches(move).force).all()


def test_a_thin_rod_spins_no_matter_how() -> None:
    """Without a moment of inertia about its axis, and as the limit of rods that have one."""
    with pytest.warns(lp.ModelWarning, match="neither inertia nor a rotor resists joint 'near'"):
        thin = linkage(lateral=0.0, about_axis=0.0)
    q, qd, qdd = state(thin)
    tau = thin.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(tau, linkage(0.0, 1e-9).inverse_dynamics(q, qd, qdd), rtol=0, atol=1e-7)
    wrenches = thin.joint_wrenches(q, qd, qdd)
    np.testing.assert_allclose(wrenches.force, linkage(0.0, 1e-9).joint_wrenches(q, qd, qdd).force, rtol=0, atol=1e-7)
    assert np.abs(wrenches["near"].torque).max() < 1e-12


def test_what_has_no_inertia_at_all_is_refused_by_name() -> None:
    arm = lp.catalog.planar(2)
    links = tuple(link if link.name not in ("link2", "tip") else lp.Link(link.name) for link in arm.links)
    with pytest.warns(lp.ModelWarning):
        light = lp.Robot("light", links, arm.joints, arm.gravity).with_driven("joint1")
    with pytest.raises(lp.ModelError, match="no drive moves joint2, and one of them moves without inertia"):
        light.inverse_dynamics([0.1, 0.2], [0, 0], [0, 0])
