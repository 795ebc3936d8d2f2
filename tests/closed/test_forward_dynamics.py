"""Forward dynamics of closed chains against Pinocchio's `constraintDynamics`, and where that has no answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp
from closed.random_loops import closed_at, moved, random_configuration, random_tree
from closed.references import one_freedom
from closed.references.pinocchio_loops import ClosedPeer
from loadpath.algorithms.loops.forward_dynamics import forward_dynamics
from loadpath.algorithms.loops.residual import closure
from loadpath.algorithms.loops.rows import constraint_jacobian
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reduced
from loadpath.scalars import array

NAMES = ("four_bar", "five_bar", "parallelogram_palletizer", "delta", "stewart_platform")


def states(robot, count, seed=1, spread=0.15):
    """Closed states near home with random speeds and drive forces, by Newton's method on plain numbers."""
    rng, mechanism = np.random.default_rng(seed), plain(robot)
    found = []
    for _ in range(count):
        q = moved(mechanism, robot.home, free_motions(robot, robot.home) @ rng.uniform(-spread, spread, robot.mobility))
        for _ in range(6):
            off = closure(mechanism, array(q.tolist())).astype(float)
            q = moved(mechanism, q, -np.linalg.lstsq(rows_of(robot, q), off, rcond=1e-9)[0])
        found.append(q)
    q = np.array(found)
    qd = np.array([free_motions(robot, row) @ rng.normal(size=robot.mobility) for row in q])
    tau = np.zeros((count, robot.n))
    tau[:, list(robot.split.driven)] = 5 * rng.normal(size=(count, len(robot.driven)))
    return q, qd, tau


def rows_of(robot, q):
    return constraint_jacobian(plain(robot), array(q.tolist())).astype(float)


def free_motions(robot, q):
    """(n, f): speeds that the loops allow."""
    return np.linalg.svd(rows_of(robot, q))[2][robot.n - robot.mobility :].T


def agree(found, expected, within=1e-8):
    np.testing.assert_allclose(found, expected, rtol=0, atol=within * np.abs(expected).max())


def accelerations(robot, q, qd, tau):
    """By the formula itself on plain numbers, which takes no compiling."""
    mechanism = reduced(robot)
    found = []
    for state in zip(*(np.atleast_2d(part) for part in (q, qd, tau)), strict=True):
        found.append(forward_dynamics(mechanism, *(array(part.tolist()) for part in state))[0].astype(float))
    return np.array(found)


@pytest.mark.parametrize("name", NAMES)
def test_catalog_against_pinocchio(name):
    robot = getattr(lp.catalog, name)().without_friction()
    q, qd, tau = states(robot, 4)
    peer = ClosedPeer(robot)
    expected = np.array([peer.forward_dynamics(*state) for state in zip(q, qd, tau, strict=True)])
    agree(accelerations(robot, q, qd, tau), expected)
    if name in ("four_bar", "five_bar"):
        agree(robot.forward_dynamics(q, qd, tau), expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["delta", "stewart_platform"])
def test_compiled_against_pinocchio(name):
    robot = getattr(lp.catalog, name)().without_friction()
    q, qd, tau = states(robot, 20, spread=0.3)
    peer = ClosedPeer(robot)
    expected = np.array([peer.forward_dynamics(*state) for state in zip(q, qd, tau, strict=True)])
    agree(robot.forward_dynamics(q, qd, tau), expected)


def skew_four_bar(seed):
    """A plane linkage with all link frames, and the plane itself, in skew axes: no zero of it is exact."""
    rng = np.random.default_rng(seed)

    def axes():
        Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        return Q * np.sign(np.linalg.det(Q))

    plane = axes()
    along, normal = plane[:, 0], plane[:, 2]
    frames, places = [np.eye(3), axes(), axes(), axes()], (0.0, 0.0, 0.2, 0.7)
    links, joints = [lp.Link("base")], []
    for k, length in enumerate((0.2, 0.5, 0.4), start=1):
        before, own = frames[k - 1], frames[k]
        origin = lp.Pose((before.T @ own).tolist(), (before.T @ along * (places[k] - places[k - 1])).tolist())
        body = lp.Inertia(1.0, (own.T @ along * length / 2).tolist(), (0.01 * np.eye(3)).tolist())
        links.append(lp.Link(f"link{k}", body))
        axis = tuple((own.T @ normal).tolist())
        joints.append(lp.Joint(f"joint{k}", links[k - 1].name, f"link{k}", lp.Revolute(axis), origin))
    last = frames[3]
    return lp.Robot("skew", tuple(links), tuple(joints)).with_loop(
        "pin", "base", "link3", motion=lp.Revolute(tuple((last.T @ normal).tolist())),
        at=lp.Pose(last.tolist(), (0.5 * along).tolist()), on=lp.Pose(translation=(last.T @ along * 0.4).tolist()),
    ).with_home((0.5, 0.6, -2.5))


def test_rows_that_are_rounding_hold_nothing():
    """What a plane linkage in skew axes holds across its plane is 1e-17 of everything, not a constraint."""
    robot = skew_four_bar(1)
    assert robot.mobility == 1
    q, qd, tau = robot.home, free_motions(robot, robot.home)[:, 0], np.array([3.0, 0.0, 0.0])
    agree(accelerations(robot, q, qd, tau)[0], ClosedPeer(robot).forward_dynamics(q, qd, tau))


@pytest.mark.parametrize("tilt", [1e-9, 1e-7])
def test_axes_rounded_in_a_file_hold_nothing_more(tilt):
    """A hinge a little out of parallel makes an overconstrained linkage stiff only to whoever takes digits at their
    word."""
    exact = lp.catalog.four_bar()
    joints = list(exact.joints)
    joints[1] = replace(joints[1], motion=lp.Revolute((tilt, 0.3 * tilt, 1.0)))
    rounded = replace(exact, joints=tuple(joints))
    q = exact.home
    qd, tau = free_motions(exact, q)[:, 0], np.array([1.0, 0.0, 0.0])
    agree(accelerations(rounded, q, qd, tau), accelerations(exact, q, qd, tau), 1e-5)


@pytest.mark.parametrize(("seed", "motions"), [(3, (lp.Spherical(),)), (4, (lp.Fixed(),)), (5, (lp.Spherical(),) * 2)])
def test_random_loops_against_pinocchio(seed, motions):
    rng = np.random.default_rng(seed)
    kinds = (lp.Revolute, lp.Universal, lp.Prismatic, lp.Spherical, lp.Revolute, lp.Cylindrical, lp.Revolute)
    tree = random_tree(rng, kinds, friction=False)
    q = random_configuration(tree, rng)
    ends = [("base", "l6"), ("l2", "l5")]
    robot = closed_at(tree, q, [(*end, motion) for end, motion in zip(ends, motions, strict=False)], rng)
    qd, tau = free_motions(robot, robot.home) @ rng.normal(size=robot.mobility), rng.normal(size=robot.n)
    agree(accelerations(robot, robot.home, qd, tau)[0], ClosedPeer(robot).forward_dynamics(robot.home, qd, tau))


def test_massless_rod():
    """A rod without mass has a singular mass matrix in the tree, but not in the loop: the equation of one freedom."""
    engine = lp.catalog.slider_crank()
    links = tuple(replace(link, inertia=lp.Inertia()) if link.name == "rod" else link for link in engine.links)
    light = replace(engine, links=links)
    q, qd, tau = states(engine, 3)
    masses = (one_freedom.MASSES[0], 0.0, one_freedom.MASSES[2])
    expected = one_freedom.acceleration(q[:, 0], qd[:, 0], tau[:, 0], masses)
    agree(light.forward_dynamics(q, qd, tau)[:, 0], expected, 1e-11)
    agree(light.forward_dynamics(q, qd, tau, formulation="natural-orthogonal-complement")[:, 0], expected, 1e-11)


def test_forces_come_back():
    """Inverse dynamics of the accelerations gives the drives' forces; external wrenches and base motion included."""
    robot = lp.catalog.five_bar()
    q, qd, tau = states(robot, 3)
    case = {"external": {"tip": lp.Wrench(force=(1.0, 2.0, 3.0))}, "base_acceleration": (1.0, 0, 2.0, 0, 0, 0)}
    qdd = robot.forward_dynamics(q, qd, tau, **case)
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd, **case), tau, atol=1e-10)
