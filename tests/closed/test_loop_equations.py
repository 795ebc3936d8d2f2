"""The equations of loops: rows against differences of residuals, factors, forces and accelerations."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from closed.random_loops import closed_at, motion_of, moved, random_configuration, random_tree
from loadpath.algorithms import energy, loops
from loadpath.algorithms.loops import forward_dynamics as forward
from loadpath.algorithms.loops import reactions
from loadpath.algorithms.loops.inverse_dynamics import closed_inverse_dynamics
from loadpath.algorithms.state_space import coordinate_rate
from loadpath.formulations import newton_euler
from loadpath.formulations.table import FORMULATIONS
from loadpath.mechanics.drives import friction_and_rotors
from loadpath.mechanics.kinematics import link_poses
from loadpath.mechanics.wrenches import Applied
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reduced, reframed
from loadpath.scalars import array, zeros
from loadpath.scalars.dual import Dual, partial_of

LOOP_TYPES = (lp.Revolute, lp.Prismatic, lp.Helical, lp.Cylindrical, lp.Universal, lp.Planar, lp.Translational,
              lp.Spherical, lp.Fixed, lp.PointOnLine, lp.PointOnPlane, lp.Generalized)
FRAMES = {"plain": plain, "reframed": reframed, "reduced": reduced}


def floats(of):
    return np.asarray(of).astype(float)


def given(values):
    return array(np.asarray(values, dtype=float).tolist())


@pytest.mark.parametrize("kind", LOOP_TYPES)
def test_rows_are_the_rate_of_the_residual_and_gamma_the_rate_of_the_rows(kind):
    rng = np.random.default_rng(LOOP_TYPES.index(kind))
    kinds = (lp.Revolute, lp.Spherical, lp.Prismatic, lp.Universal, lp.Fixed, lp.Free, lp.Planar)
    tree = random_tree(rng, kinds, mimic=True)
    q = random_configuration(tree, rng)
    motion = motion_of(kind, rng)
    robot = closed_at(tree, q, [("base", "m", motion), ("l2", "l5", motion), ("l6", "l1", motion)], rng)
    for make in FRAMES.values():
        mechanism = make(robot)
        assert np.abs(floats(loops.closure(mechanism, given(q)))).max() < 1e-13
        J = floats(loops.constraint_jacobian(mechanism, given(q)))
        assert J.shape == (3 * (6 - motion.dof), tree.n)
        v, h = rng.normal(size=tree.n), 1e-5
        there, back = (moved(mechanism, q, step * v) for step in (h, -h))
        ahead, behind = (floats(loops.closure(mechanism, given(x))) for x in (there, back))
        rate = (ahead - behind) / (2 * h)
        np.testing.assert_allclose(J @ v, rate, atol=1e-7)
        J_there, J_back = (floats(loops.constraint_jacobian(mechanism, given(x))) for x in (there, back))
        gamma = floats(loops.constraint_rate(mechanism, given(q), given(v)))
        np.testing.assert_allclose(gamma, (J_there - J_back) @ v / (2 * h), atol=1e-6)


# Forces


KINDS = (lp.Revolute, lp.Revolute, lp.Universal, lp.Revolute, lp.Prismatic, lp.Spherical, lp.Revolute)


def random_closed(seed, kind):
    """A robot with two loops, one of the given type, and a motion of it."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, KINDS, mimic=seed % 2 == 0, friction=True)
    q = random_configuration(tree, rng)
    loops_of = [("base", "l6", motion_of(kind, rng)), ("l2", "l4", motion_of(lp.PointOnPlane, rng))]
    robot = closed_at(tree, q, loops_of, rng)
    mechanism, f = reduced(robot), robot.mobility
    motion = loops.completion(mechanism, given(q), given(rng.normal(size=f)), given(rng.normal(size=f)))
    return robot, q, *(floats(x) for x in motion)


def of_drives(robot, q, qd, qdd, formulation="newton-euler", make=reduced, **options):
    equation = closed_inverse_dynamics(FORMULATIONS[formulation].inverse_dynamics)
    return (floats(x) for x in equation(make(robot), given(q), given(qd), given(qdd), **options))


def wrenches_of(robot, q, qd, qdd, **options):
    found = reactions.joint_wrenches(reframed(robot), given(q), given(qd), given(qdd), **options)
    return (floats(x) for x in found)


def cut_loops(robot, q, force, torque):
    """The wrenches of the loops as external ones on the links that they join, in world axes."""
    poses = dict(zip(robot.link_names, floats(link_poses(plain(robot), given(q))), strict=True))
    sums = {}
    for k, loop in enumerate(robot.loops, start=len(robot.joints)):
        on = poses[loop.second] @ loop.on.matrix
        f, n = on[:3, :3] @ force[k], on[:3, :3] @ torque[k]
        for link, sign in ((loop.second, 1.0), (loop.first, -1.0)):
            arm = on[:3, 3] - poses[link][:3, 3]
            sums[link] = sums.get(link, np.zeros(6)) + sign * np.concatenate([f, n + np.cross(arm, f)])
    return {link: Applied(given(w[:3]), given(w[3:])) for link, w in sums.items()}


@pytest.mark.parametrize(("seed", "kind"), [*enumerate((lp.Spherical, lp.Universal, lp.Revolute))])
def test_a_cut_loop_held_by_its_wrench_takes_the_same_forces(seed, kind):
    robot, q, qd, qdd = random_closed(seed, kind)
    tau, status = of_drives(robot, q, qd, qdd)
    force, torque, _ = wrenches_of(robot, q, qd, qdd)
    external = cut_loops(robot, q, force, torque)
    size = max(1.0, np.abs(force).max())
    opened = floats(newton_euler.inverse_dynamics(plain(robot), given(q), given(qd), given(qdd), external))
    np.testing.assert_allclose(opened, tau, atol=1e-11 * size)
    for found, closed in zip(newton_euler.joint_wrenches(plain(robot), given(q), given(qd), given(qdd), external),
                             (force, torque), strict=True):
        np.testing.assert_allclose(floats(found), closed[: len(robot.joints)], atol=1e-11 * size)
    passive = [robot.dof_names.index(name) for name in robot.passive]
    assert (tau[passive] == 0.0).all()
    assert max(status[:2]) < 1e-12
    assert status[2] <= 1e-12 * status[3]
    assert status[4] <= 1e-12 * status[5]


def test_all_formulations_agree():
    robot, q, qd, qdd = random_closed(1, lp.Universal)
    expected, _ = of_drives(robot, q, qd, qdd)
    for name in FORMULATIONS:
        tau, _ = of_drives(robot, q, qd, qdd, name, plain)
        np.testing.assert_allclose(tau, expected, atol=1e-10, err_msg=name)


@pytest.mark.parametrize("seed", range(2))
def test_drives_do_the_work_of_the_motion(seed):
    """Power of the drives is the rate of energy, differentiated exactly, plus what friction takes."""
    robot, q, qd, qdd = random_closed(seed, lp.Spherical)
    tau, _ = of_drives(robot, q, qd, qdd)
    mechanism = plain(robot)
    rates = coordinate_rate(mechanism, given(q), given(qd))
    there = array([Dual(x, {0: rate}) for x, rate in zip(q.tolist(), rates, strict=True)])
    speeds = array([Dual(x, {0: rate}) for x, rate in zip(qd.tolist(), qdd.tolist(), strict=True)])
    rate = partial_of(energy.kinetic_energy(mechanism, there, speeds) + energy.potential_energy(mechanism, there), 0)
    friction = floats(friction_and_rotors(mechanism, given(qd), zeros(robot.n))) @ qd
    assert tau @ qd == pytest.approx(rate + friction, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize(("seed", "kind"), [(1, lp.Universal), (3, lp.Fixed)])
def test_forward_dynamics_is_the_inverse_both_ways(seed, kind):
    robot, q, qd, qdd = random_closed(seed, kind)
    tau, _ = of_drives(robot, q, qd, qdd)
    for way in (forward.forward_dynamics, forward.by_complement):
        found, _ = way(reduced(robot), given(q), given(qd), given(tau))
        np.testing.assert_allclose(floats(found), qdd, atol=1e-9 * max(1.0, np.abs(qdd).max()))
