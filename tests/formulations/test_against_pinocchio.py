"""Chains and trees of every joint type against Pinocchio: equations on many robots, compiled functions on a few."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp
from loadpath.algorithms import energy
from loadpath.formulations import newton_euler
from loadpath.mechanics import kinematics
from loadpath.robot.mechanism import BASE, plain
from loadpath.robot.model import RobotModel
from loadpath.robot.reduction import reduced, reframed
from on_scalars import applied, on_arrays
from references.to_pinocchio import Peer, random_state, to_pinocchio

STATES = 3
TOLERANCE = 1e-12


def with_mimics(robot: RobotModel) -> RobotModel:
    """The robot with its last joint of one degree of freedom following the first one, and one in between that last."""
    single = [joint for joint in robot.joints if joint.motion.dof == 1]
    first, *_, between, last = single
    follow = {
        last.name: lp.Mimic(first.name, -1.7, 0.3),
        between.name: lp.Mimic(last.name, 0.6, -0.2),
    }
    return replace(robot, joints=tuple(replace(j, mimic=follow.get(j.name, j.mimic)) for j in robot.joints))


def robots() -> dict[str, RobotModel]:
    found: dict[str, RobotModel] = {}
    for seed in range(4):
        found[f"chain {seed}"] = lp.catalog.random_chain(11, seed, "all", general=True, drives=True)
        found[f"tree {seed}"] = lp.catalog.random_tree(13, seed, "all", general=True, drives=True)
        found[f"DH chain {seed}"] = lp.catalog.random_chain(8, seed, drives=True)
    found["floating tree"] = lp.catalog.random_tree(8, 5, "all", general=True).floating()
    found["tree with mimics"] = with_mimics(lp.catalog.random_tree(14, 6, "all", general=True, drives=True))
    found["welds only"] = lp.catalog.random_tree(5, 7, "fixed", general=True)
    found["long welded chains"] = lp.catalog.random_chain(
        15, 8, ["fixed", "fixed", "fixed", "revolute", "fixed"], general=True
    )
    found["loaded panda"] = lp.catalog.panda(hand=True).with_payload(
        2.0, (0, 0.1, 0.2), link="panda_hand", inertia=np.diag([0.1, 0.2, 0.25])
    )
    found["puma560"] = lp.catalog.puma560()
    return found


ROBOTS = robots()


@pytest.fixture(scope="module", params=ROBOTS)
def case(request: pytest.FixtureRequest) -> tuple[RobotModel, Peer, list[tuple[np.ndarray, ...]]]:
    robot = ROBOTS[request.param]
    rng = np.random.default_rng(99)
    return robot, to_pinocchio(robot), [random_state(robot, rng) for _ in range(STATES)]


def columns(states: list[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    return tuple(np.array(part) for part in zip(*states, strict=True))


def assert_near(found: np.ndarray, expected: np.ndarray, tolerance: float = TOLERANCE) -> None:
    """Equal, relative to the largest entry."""
    expected = np.asarray(expected).reshape(found.shape)
    scale = float(np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * (scale or 1.0))


@pytest.mark.parametrize("mechanism", [plain, reframed, reduced])
def test_inverse_dynamics(case: tuple, mechanism: object) -> None:
    robot, peer, states = case
    found = on_arrays(newton_euler.inverse_dynamics, mechanism(robot), *columns(states))
    assert_near(found, [peer.inverse_dynamics(*state) for state in states])


@pytest.mark.parametrize("mechanism", [plain, reframed])
def test_joint_wrenches_at_all_joints(case: tuple, mechanism: object) -> None:
    robot, peer, states = case
    force, torque = on_arrays(newton_euler.joint_wrenches, mechanism(robot), *columns(states))
    expected = [peer.joint_wrenches(*state) for state in states]
    assert_near(force, [entry[0] for entry in expected])
    assert_near(torque, [entry[1] for entry in expected])


@pytest.mark.parametrize("in_world_axes", [True, False])
def test_external_wrenches_on_all_links(case: tuple, in_world_axes: bool) -> None:
    robot, peer, states = case
    rng = np.random.default_rng(5)
    states = states[:1]
    given, theirs = {}, {}
    poses = peer.link_poses(states[0][0])
    for link, pose in zip(robot.link_names[1:], poses[1:], strict=True):
        force, torque = rng.normal(size=(2, 3)) * 20
        given[link] = applied(force[None], torque[None], in_world_axes)
        turn = pose[:3, :3].T if in_world_axes else np.eye(3)
        theirs[link] = (turn @ force, turn @ torque)
    tau = on_arrays(newton_euler.inverse_dynamics, reduced(robot), *columns(states), external=given)
    assert_near(tau, [peer.inverse_dynamics(*states[0], theirs)])
    force, torque = on_arrays(newton_euler.joint_wrenches, reframed(robot), *columns(states), external=given)
    expected = peer.joint_wrenches(*states[0], theirs)
    assert_near(force, [expected[0]])
    assert_near(torque, [expected[1]])


@pytest.mark.parametrize("mechanism", [plain, reframed, reduced])
def test_gravity_forces_and_link_poses_and_jacobians(case: tuple, mechanism: object) -> None:
    robot, peer, states = case
    q = columns(states)[0]
    chosen = mechanism(robot)
    assert_near(on_arrays(newton_euler.gravity_forces, chosen, q), [peer.gravity_forces(s[0]) for s in states])
    assert_near(on_arrays(kinematics.link_poses, chosen, q), [peer.link_poses(s[0]) for s in states])
    for link in robot.link_names:
        assert_near(on_arrays(kinematics.jacobian, chosen, q[0], link=link), peer.jacobian(states[0][0], link))


def rotor_energy(robot: RobotModel, peer: Peer, qd: np.ndarray) -> float:
    v = peer.v(qd)
    return float(0.5 * peer._per_speed("reflected_inertia") @ (v * v))


def energy_of_what_is_welded_to_the_base(robot: RobotModel, peer: Peer) -> float:
    """Pinocchio's model counts it, we count links that can move."""
    mechanism = reframed(robot)
    moves = [False] * len(mechanism.bodies)
    total = 0.0
    poses = dict(zip(robot.link_names, peer.link_poses(robot.neutral()), strict=True))
    for i, body in enumerate(mechanism.bodies):
        moves[i] = body.motion.dof > 0 or (body.parent != BASE and moves[body.parent])
        if not moves[i]:
            link = robot.link(body.name)
            center = poses[body.name] @ np.array([*link.inertia.center_of_mass, 1.0])
            total -= link.inertia.mass * float(np.dot(robot.gravity, center[:3]))
    return total


@pytest.mark.parametrize("mechanism", [plain, reframed])
def test_energies(case: tuple, mechanism: object) -> None:
    robot, peer, states = case
    q, qd, _ = columns(states)
    kinetic = [peer.kinetic_energy(s[0], s[1]) + rotor_energy(robot, peer, s[1]) for s in states]
    assert_near(on_arrays(energy.kinetic_energy, mechanism(robot), q, qd), kinetic)
    still = energy_of_what_is_welded_to_the_base(robot, peer)
    assert_near(
        on_arrays(energy.potential_energy, mechanism(robot), q) + still, [peer.potential_energy(s[0]) for s in states]
    )


# The same through the public, compiled functions, on small robots that have everything between them

COMPILED = {
    "turns": lp.catalog.random_tree(
        6, 1, ["universal", "fixed", "spherical", "helical", "continuous"], general=True, drives=True
    ),
    "slides": lp.catalog.random_tree(5, 2, ["planar", "cylindrical", "translational", "prismatic"], general=True),
    "mimics": with_mimics(lp.catalog.random_tree(6, 3, ["revolute", "prismatic", "fixed"], general=True, drives=True)),
    "floating": lp.catalog.random_tree(3, 4, "revolute", general=True).floating(),
    "welds only": ROBOTS["welds only"],
}


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_functions(name: str) -> None:
    robot = COMPILED[name]
    peer, rng = to_pinocchio(robot), np.random.default_rng(4)
    states = [random_state(robot, rng) for _ in range(17)]  # a number that no vector width divides
    q, qd, qdd = columns(states)
    assert_near(robot.inverse_dynamics(q, qd, qdd), [peer.inverse_dynamics(*s) for s in states])
    assert_near(robot.gravity_forces(q), [peer.gravity_forces(s[0]) for s in states])
    assert_near(robot.link_poses(q), [peer.link_poses(s[0]) for s in states])
    link = robot.link_names[-1]
    assert_near(robot.jacobian(q, link), [peer.jacobian(s[0], link) for s in states])
    kinetic = [peer.kinetic_energy(s[0], s[1]) + rotor_energy(robot, peer, s[1]) for s in states]
    assert_near(robot.kinetic_energy(q, qd), kinetic)
    still = energy_of_what_is_welded_to_the_base(robot, peer)
    assert_near(robot.potential_energy(q) + still, [peer.potential_energy(s[0]) for s in states])
    wrenches = robot.joint_wrenches(q, qd, qdd)
    expected = [peer.joint_wrenches(*s) for s in states]
    assert_near(wrenches.force, [entry[0] for entry in expected])
    assert_near(wrenches.torque, [entry[1] for entry in expected])


@pytest.mark.parametrize("axes", ["world", "link"])
def test_compiled_functions_under_external_wrenches(axes: str) -> None:
    robot = COMPILED["turns"]
    peer, rng = to_pinocchio(robot), np.random.default_rng(4)
    states = [random_state(robot, rng) for _ in range(5)]
    links = [robot.link_names[k] for k in (3, 6)]
    wrenches = {link: lp.Wrench(rng.normal(size=(5, 3)), rng.normal(size=(5, 3)), axes) for link in links}
    expected = []
    for k, state in enumerate(states):
        poses = dict(zip(robot.link_names, peer.link_poses(state[0]), strict=True))
        turns = {link: poses[link][:3, :3].T if axes == "world" else np.eye(3) for link in links}
        given = {link: (turns[link] @ w.force[k], turns[link] @ w.torque[k]) for link, w in wrenches.items()}
        expected.append((peer.inverse_dynamics(*state, given), *peer.joint_wrenches(*state, given)))
    q, qd, qdd = columns(states)
    assert_near(robot.inverse_dynamics(q, qd, qdd, external=wrenches), [entry[0] for entry in expected])
    found = robot.joint_wrenches(q, qd, qdd, external=dict(reversed(wrenches.items())))
    assert_near(found.force, [entry[1] for entry in expected])
    assert_near(found.torque, [entry[2] for entry in expected])
