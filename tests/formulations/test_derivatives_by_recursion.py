"""Derivatives by recursion against the chain rule over the recorded Newton-Euler equations, to the last digits: every
joint type, drives, springs, a moving base, external wrenches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import loadpath as lp
from loadpath.algorithms import state_space
from loadpath.algorithms.derivatives import (
    forward_dynamics_derivatives,
    forward_dynamics_second_derivatives,
    tangents,
)
from loadpath.algorithms.inverse_dynamics_second_slopes import second_slopes
from loadpath.algorithms.inverse_dynamics_slopes import slopes
from loadpath.algorithms.joint_wrench_slopes import joint_wrench_slopes
from loadpath.formulations import newton_euler
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reduced, reframed
from loadpath.scalars import array, identity
from loadpath.scalars.derivative import along
from loadpath.scalars.recording import Recording, replaced
from on_scalars import applied, on_arrays
from references.to_pinocchio import random_state


def with_springs_and_mimic(robot: lp.Robot) -> lp.Robot:
    """Springs in and across joints, a Stribeck curve, and a joint that follows another."""
    single = [joint for joint in robot.joints if joint.motion.dof == 1]
    first, second, third, *_, last = single
    line = lp.LineSpring((0.1, 0.2, 0.3), (0.2, -0.1, 0.1), stiffness=40.0, free_length=0.1)
    with_mimic = tuple(replace(j, mimic=lp.Mimic(first.name, -1.4, 0.2)) if j is last else j for j in robot.joints)
    return replace(robot, joints=with_mimic).with_drives({
        first.name: lp.Drive(spring=lp.TorsionSpring(stiffness=3.0, rest=0.2, preload=0.4)),
        second.name: lp.Drive(spring=line),
        third.name: lp.Drive(friction=lp.Friction(viscous=0.3, coulomb=0.5, static=0.9, stribeck_speed=0.4)),
    })


ROBOTS = {
    "every joint in a tree": lp.catalog.random_tree(16, 1, "all", general=True, drives=True),
    "free base, springs, mimic": with_springs_and_mimic(
        lp.catalog.random_tree(9, 6, general=True, drives=True)).floating(),
    "points on a line and a plane": lp.catalog.random_chain(
        5, 2, ["pointonline", "universal", "pointonplane", "generalized", "planar"], general=True),
}


class Recorded:
    """The inputs of a recording, and what was recorded of them at a state of a robot."""

    def __init__(self, robot: lp.Robot, state: tuple[np.ndarray, ...]) -> None:
        recording = Recording()
        self.q, self.qd, self.qdd = self.inputs = [array(recording.inputs(len(part))) for part in state]
        self.along_q, self.state = tangents(plain(robot), self.q), state

    def by_q(self, of: np.ndarray) -> np.ndarray:
        return along(of.ravel(), self.q, self.along_q).reshape(*of.shape, -1)

    def by(self, of: np.ndarray, x: np.ndarray) -> np.ndarray:
        return along(of.ravel(), x, identity(len(x))).reshape(*of.shape, -1)

    def at(self, of: np.ndarray) -> np.ndarray:
        inputs, values = np.concatenate(self.inputs), np.concatenate(self.state).tolist()
        return array(replaced(of.ravel(), inputs, values)).reshape(of.shape).astype(float)


def loads(robot: lp.Robot, rng: np.random.Generator) -> dict[str, Any]:
    """A base that moves, a wrench in world axes and one that goes along."""
    link, other = robot.link_names[-1], robot.link_names[len(robot.link_names) // 2]
    return {
        "external": {link: applied(array([3.0, -2.0, 5.0]), array([0.4, 0.6, -0.3])),
                     other: applied(array([1.0, 4.0, -2.0]), array([0.1, 0.2, 0.5]), in_world_axes=False)},
        "base_velocity": array(rng.normal(size=6).tolist()),
        "base_acceleration": array(rng.normal(size=6).tolist()),
    }


def agree(found: Any, expected: Any) -> None:
    for one, other in zip(found, expected, strict=True):
        assert np.abs(one.astype(float) - other).max() < 1e-13 * np.abs(other).max()


@pytest.mark.parametrize("name", ROBOTS)
def test_first_derivatives(name: str) -> None:
    robot = ROBOTS[name]
    rng = np.random.default_rng(3)
    state, acting = random_state(robot, rng), loads(robot, rng)
    numbers = [array(part.tolist()) for part in state]
    x = Recorded(robot, state)
    tau = newton_euler.inverse_dynamics(plain(robot), *x.inputs, **acting)
    agree(slopes(reduced(robot), *numbers, **acting), map(x.at, (x.by_q(tau), x.by(tau, x.qd), x.by(tau, x.qdd))))
    force, torque = newton_euler.joint_wrenches(plain(robot), *x.inputs, **acting)
    expected = [x.by_q(force), x.by_q(torque), x.by(force, x.qd), x.by(torque, x.qd), x.by(force, x.qdd)]
    agree(joint_wrench_slopes(reframed(robot), *numbers, **acting), map(x.at, [*expected, x.by(torque, x.qdd)]))


@pytest.mark.parametrize("name", ["springs, mimic", "balls on a free base", "points on a line and a plane"])
def test_second_derivatives(name: str) -> None:
    """Also of joints in whose place the recorder differentiates, by the chain rule over Newton-Euler as well."""
    small = {
        "springs, mimic": with_springs_and_mimic(lp.catalog.random_tree(6, 6, general=True, drives=True)),
        "balls on a free base": lp.catalog.random_tree(3, 3, ["revolute", "spherical"], general=True).floating(),
        "points on a line and a plane": lp.catalog.random_chain(2, 2, ["pointonline", "universal"], general=True),
    }
    robot = small[name]
    rng = np.random.default_rng(3)
    state, acting = random_state(robot, rng), loads(robot, rng)
    x = Recorded(robot, state)
    tau = newton_euler.inverse_dynamics(plain(robot), *x.inputs, **acting)
    by_q, by_qd = x.by_q(tau), x.by(tau, x.qd)
    expected = x.by_q(by_q), x.by(by_q, x.qd), x.by(by_qd, x.qd), x.by(by_q, x.qdd)
    found = second_slopes(reduced(robot), *(array(part.tolist()) for part in state), **acting)
    agree(found, map(x.at, expected))


def test_second_derivatives_of_forward_dynamics() -> None:
    """Against complex steps of the first ones: exact to rounding, since nothing is subtracted."""
    robot = lp.catalog.random_tree(3, 3, ["revolute", "spherical"], general=True)
    mechanism, (q, qd, tau) = reduced(robot), random_state(robot, np.random.default_rng(4))
    given = [array(part.tolist()) for part in (q, qd, tau)]
    found = [part.astype(float) for part in forward_dynamics_second_derivatives(mechanism, *given)]
    step = 1e-30
    expected = [np.zeros_like(part) for part in found]
    for k in range(robot.n):
        unit = np.eye(robot.n)[k]
        moved = q + 1j * step * state_space.coordinate_rate(mechanism, given[0], array(unit.tolist())).astype(float)
        for part, state in ((0, (moved, qd, tau)), (1, (q, qd + 1j * step * unit, tau)),
                            (3, (q, qd, tau + 1j * step * unit))):
            first = on_arrays(forward_dynamics_derivatives, mechanism, *(np.asarray(x)[None] for x in state))
            expected[part][:, :, k] = first[0][0].imag / step
            if part == 1:
                expected[2][:, :, k] = first[1][0].imag / step
    for one, other in zip(found, expected, strict=True):
        assert np.abs(one - other).max() < 1e-11 * np.abs(other).max()


def test_forward_dynamics_off_the_branch() -> None:
    """Joints of other branches follow the base: by the inverse of the mass matrix as a whole."""
    robot = lp.catalog.random_tree(8, 4, general=True, drives=True).floating()
    mechanism = reduced(robot)
    q, qd, tau = (array(part.tolist()) for part in random_state(robot, np.random.default_rng(5)))
    by_q, by_qd, by_tau = (part.astype(float) for part in forward_dynamics_derivatives(mechanism, q, qd, tau))
    qdd = state_space.forward_dynamics(mechanism, q, qd, tau)
    needed = [part.astype(float) for part in slopes(mechanism, q, qd, qdd)]
    inverse = np.linalg.inv(needed[2])
    for found, expected in ((by_q, -inverse @ needed[0]), (by_qd, -inverse @ needed[1]), (by_tau, inverse)):
        assert np.abs(found - expected).max() < 1e-11 * np.abs(expected).max()
