"""Every real robot of example-robot-data against Pinocchio: the equations of all, compiled code of the smaller ones."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import loadpath as lp
from loadpath.algorithms import energy
from loadpath.formulations import newton_euler
from loadpath.mechanics import kinematics
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reduced, reframed
from on_scalars import on_arrays
from real_robots import REAL_ROBOTS, REFUSED
from references.to_pinocchio import random_state, to_pinocchio

READABLE = sorted(REAL_ROBOTS.keys() - REFUSED.keys())
COMPILED_UP_TO = 8  # degrees of freedom; what larger ones add is compile time
STATES = 3
TOLERANCE = 1e-11


def load(name: str) -> lp.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        return lp.load(REAL_ROBOTS[name])


def assert_near(found: np.ndarray, expected: object) -> None:
    expected = np.asarray(expected, dtype=float).reshape(found.shape)
    scale = float(np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE * max(scale, 1e-3))


@pytest.mark.parametrize("name", READABLE)
def test_agrees_with_pinocchio(name: str) -> None:
    robot = load(name)
    peer, rng = to_pinocchio(robot), np.random.default_rng(8)
    states = [random_state(robot, rng) for _ in range(STATES)]
    q, qd, qdd = (np.array(part) for part in zip(*states, strict=True))

    tau = [peer.inverse_dynamics(*state) for state in states]
    assert_near(on_arrays(newton_euler.inverse_dynamics, reduced(robot), q, qd, qdd), tau)
    if robot.n <= COMPILED_UP_TO:
        assert_near(robot.inverse_dynamics(q, qd, qdd), tau)

    frames = reframed(robot)
    force, torque = on_arrays(newton_euler.joint_wrenches, frames, q, qd, qdd)
    wrenches = [peer.joint_wrenches(*state) for state in states]
    assert_near(force, [entry[0] for entry in wrenches])
    assert_near(torque, [entry[1] for entry in wrenches])

    own_frames = plain(robot)
    assert_near(on_arrays(kinematics.link_poses, own_frames, q), [peer.link_poses(s[0]) for s in states])
    link = robot.link_names[-1]
    assert_near(on_arrays(kinematics.jacobian, own_frames, q, link=link), [peer.jacobian(s[0], link) for s in states])

    kinetic = [peer.kinetic_energy(s[0], s[1]) for s in states]
    bare = reframed(robot.without_rotors())
    assert_near(on_arrays(energy.kinetic_energy, bare, q, qd), kinetic)
    # What is welded to the base counts in Pinocchio's model and not in ours, so differences are compared.
    potential = on_arrays(energy.potential_energy, frames, q)
    assert_near(np.diff(potential), np.diff([peer.potential_energy(s[0]) for s in states]))


def test_a_humanoid_compiled() -> None:
    robot = load("talos_data/talos_full_v2")
    peer, rng = to_pinocchio(robot), np.random.default_rng(8)
    states = [random_state(robot, rng) for _ in range(STATES)]
    q, qd, qdd = (np.array(part) for part in zip(*states, strict=True))
    assert_near(robot.inverse_dynamics(q, qd, qdd), [peer.inverse_dynamics(*state) for state in states])


def test_there_are_as_many_as_ever() -> None:
    assert len(READABLE) >= 67
