"""A robot that nothing holds: momentum conserved, and the floating robot's own dynamics give the same motion back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import loadpath as lp
from formulation_checks import deviation
from loadpath.algorithms import articulated_body, free_base
from loadpath.formulations import newton_euler
from loadpath.robot.catalog.random_robots import random_inertia
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reduced, reframed
from on_scalars import applied, entries, on_arrays
from references.to_pinocchio import random_state

TOLERANCE = 1e-11
NEUTRAL = np.array([0.0, 0, 0, 0, 0, 0, 1])


def on_satellite(robot: lp.Robot, seed: int = 3) -> lp.Robot:
    base = replace(robot.base, inertia=random_inertia(np.random.default_rng(seed)))
    return replace(robot, links=(base, *robot.links[1:])).with_gravity((0, 0, 0))


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    return on_satellite(lp.catalog.random_chain(3, 14, ["revolute", "prismatic", "revolute"], general=True))


def states(robot: lp.Robot, count: int, seed: int = 1) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [np.array(part) for part in zip(*(random_state(robot, rng) for _ in range(count)), strict=True)]


def floating_state(free: lp.FreeBaseMotion, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> list[np.ndarray]:
    velocity, acceleration = free
    rates = acceleration.copy()
    rates[..., :3] -= np.cross(velocity[..., 3:], velocity[..., :3])
    place = np.broadcast_to(NEUTRAL, (*q.shape[:-1], 7))
    return [np.concatenate(pair, axis=-1) for pair in ((place, q), (velocity, qd), (rates, qdd))]


@pytest.mark.parametrize("with_momentum", [False, True])
def test_momentum_and_forward_dynamics_of_the_floating_robot(arm: lp.Robot, with_momentum: bool) -> None:
    q, qd, qdd = states(arm, 5)
    momentum = np.random.default_rng(2).normal(size=(5, 6)) if with_momentum else np.zeros((5, 6))
    free = arm.free_base_motion(q, qd, qdd, momentum=momentum if with_momentum else None)
    loose = arm.floating()
    x, v, a = floating_state(free, q, qd, qdd)
    kept = loose.momentum(x, v)
    np.testing.assert_allclose(np.concatenate(kept, axis=-1), momentum, atol=1e-12 * np.abs(qd).max() * 100)
    motion = {"base_velocity": free.velocity, "base_acceleration": free.acceleration}
    tau = arm.inverse_dynamics(q, qd, qdd, **motion)
    forces = np.concatenate([np.zeros((5, 6)), tau], axis=-1)
    assert deviation(loose.forward_dynamics(x, v, forces), a) < TOLERANCE
    held = arm.base_wrench(q, qd, qdd, **motion)
    size = np.abs(arm.base_wrench(q, qd, qdd).force).max()
    assert np.abs(held.force).max() < TOLERANCE * size
    assert np.abs(held.torque).max() < TOLERANCE * size


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_all_joints_and_all_frames(seed: int) -> None:
    """Frames and regrouping make no difference; trees of all joints, under gravity and external wrenches."""
    robot = replace(on_satellite(lp.catalog.random_tree(7, seed, "all", general=True)), gravity=(1.0, -2.0, -9.81))
    rng = np.random.default_rng(seed)
    q, qd, qdd = random_state(robot, rng)
    wrench = {robot.link_names[-1]: lp.Wrench(*rng.normal(size=(2, 3)) * 10)}
    external = {link: applied(w.force, w.torque) for link, w in wrench.items()}
    momentum = rng.normal(size=6)
    found = [
        on_arrays(free_base.free_base_motion, make(robot), q, qd, qdd, momentum=entries(momentum), external=external)
        for make in (plain, reframed, reduced)
    ]
    assert deviation(found[1], found[0]) < TOLERANCE
    assert deviation(found[2], found[0]) < TOLERANCE
    velocity, acceleration = found[0]
    x, v, a = floating_state(lp.FreeBaseMotion(velocity, acceleration), q, qd, qdd)
    tau = on_arrays(newton_euler.inverse_dynamics, plain(robot), q, qd, qdd, external=external,
                    base_velocity=entries(velocity), base_acceleration=entries(acceleration))
    forward = on_arrays(
        articulated_body.forward_dynamics, plain(robot.floating()), x, v, np.array([*np.zeros(6), *tau]),
        external=external,
    )
    assert deviation(forward, a) < 1e-9  # what the condition of the mass matrix leaves


def test_a_falling_robot_feels_nothing(arm: lp.Robot) -> None:
    q, qd, qdd = states(arm, 3)
    in_space, on_earth = arm.free_base_motion(q, qd, qdd), arm.with_gravity((0, 0, -9.81)).free_base_motion(q, qd, qdd)
    difference = on_earth.acceleration - in_space.acceleration
    np.testing.assert_allclose(difference, np.broadcast_to([0, 0, -9.81, 0, 0, 0], (3, 6)), atol=1e-10)


def test_the_generalized_jacobian(arm: lp.Robot) -> None:
    """Velocities of links on the base that gives way."""
    q, qd, _ = states(arm, 4)
    free = arm.free_base_motion(q, qd, np.zeros_like(qd))
    links = arm.link_velocities(q, qd, base_velocity=free.velocity)
    for link in arm.link_names:
        twist = np.einsum("kij,kj->ki", arm.generalized_jacobian(q, link), qd)
        expected = np.concatenate(links[link], axis=-1)
        assert deviation(twist, expected) < TOLERANCE
    root = np.einsum("kij,kj->ki", arm.generalized_jacobian(q, arm.base.name), qd)
    assert deviation(root, free.velocity) < TOLERANCE


def test_two_skaters_by_hand() -> None:
    """A slide pushes 1 kg away from 3 kg: the base goes back by a quarter."""
    tensor = np.eye(3).tolist()
    pair = lp.Robot(
        "pair",
        (lp.Link("heavy", lp.Inertia(3.0, tensor=tensor)), lp.Link("light", lp.Inertia(1.0, tensor=tensor))),
        (lp.Joint("slide", "heavy", "light", lp.Prismatic((1.0, 0.0, 0.0))),),
        gravity=(0.0, 0.0, 0.0),
    )
    free = pair.free_base_motion([0.5], [2.0], [8.0])
    np.testing.assert_allclose(free.velocity, [-0.5, 0, 0, 0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(free.acceleration, [-2.0, 0, 0, 0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(pair.generalized_jacobian([0.5])[:, 0], [0.75, 0, 0, 0, 0, 0], atol=1e-15)


def test_a_falling_cat_turns_without_momentum(arm: lp.Robot) -> None:
    """Joints go round a loop and the base ends up turned; integrating the base's velocity gives the pose that the
    floating robot's own dynamics reach under the torques found."""
    duration = 1.0
    rate = 2 * np.pi / duration

    def joints(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        phase = np.array([0.0, 0.7, 1.9]) + rate * t
        size = np.array([0.8, 0.3, 1.1])
        return size * np.sin(phase), size * rate * np.cos(phase), -size * rate**2 * np.sin(phase)

    # By kinematics alone: Runge-Kutta on the pose, at the momentum of zero.
    def pose_rate(t: float, x: np.ndarray) -> np.ndarray:
        q, qd, _ = joints(t)
        twist = arm.free_base_motion(q, qd, np.zeros(3)).velocity
        return loose.coordinate_rate(np.array([*x, *q]), np.array([*twist, *qd]))[:7]

    loose = arm.floating()
    steps = 200
    h = duration / steps
    x = NEUTRAL.copy()
    for k in range(steps):
        t = k * h
        a = pose_rate(t, x)
        b = pose_rate(t + h / 2, x + h / 2 * a)
        c = pose_rate(t + h / 2, x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + pose_rate(t + h, x + h * c))
        x[3:] /= np.linalg.norm(x[3:])
    turned = Rotation.from_quat(x[3:]).magnitude()
    assert turned > 0.01  # the joints are back where they were, the base is not

    # By dynamics: the torques that the motion needs, on the floating robot.
    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        state = joints(t)
        free = arm.free_base_motion(*state)
        tau = arm.inverse_dynamics(*state, base_velocity=free.velocity, base_acceleration=free.acceleration)
        return np.array([*np.zeros(6), *tau])

    q, qd, qdd = joints(0.0)
    start = floating_state(arm.free_base_motion(q, qd, qdd), q, qd, qdd)
    run = loose.simulate(start[0], start[1], torque=torque, duration=duration, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(run.q[-1][7:], joints(duration)[0], atol=1e-6)
    np.testing.assert_allclose(run.q[-1][:3], x[:3], atol=1e-6)
    assert (Rotation.from_quat(run.q[-1][3:7]).inv() * Rotation.from_quat(x[3:])).magnitude() < 1e-6
    kept = loose.momentum(run.q, run.qd)
    assert np.abs(kept.linear).max() < 1e-7
    assert np.abs(kept.angular).max() < 1e-7


def test_what_cannot_float_is_said() -> None:
    massless = lp.Robot("frame", (lp.Link("root"),), ())
    with pytest.raises(lp.ModelError, match="robot 'frame' cannot float: no link of it has mass"):
        massless.free_base_motion([], [], [])
    with pytest.raises(lp.ModelError, match="robot 'two_link' cannot float: turning all of it about some line"):
        lp.catalog.two_link().generalized_jacobian([0, 0])


# Links


def test_link_velocities_and_accelerations_against_jacobians(arm: lp.Robot) -> None:
    """On a base at rest; on a moving one against the floating robot's Jacobian and its rate."""
    q, qd, qdd = states(arm, 3)
    rng = np.random.default_rng(9)
    velocity, acceleration = rng.normal(size=(2, 3, 6))
    free = lp.FreeBaseMotion(velocity, acceleration)
    loose = arm.floating()
    x, v, a = floating_state(free, q, qd, qdd)
    found = arm.link_velocities(q, qd, base_velocity=velocity)
    rates = arm.link_accelerations(q, qd, qdd, base_velocity=velocity, base_acceleration=acceleration)
    still = arm.link_velocities(q, qd)
    for link in arm.link_names:
        J, Jdot = loose.jacobian(x, link), loose.jacobian_dot(x, v, link)
        expected = np.einsum("kij,kj->ki", J, v)
        assert deviation(np.concatenate(found[link], axis=-1), expected) < TOLERANCE
        expected = np.einsum("kij,kj->ki", J, a) + np.einsum("kij,kj->ki", Jdot, v)
        assert deviation(np.concatenate(rates[link], axis=-1), expected) < TOLERANCE
        expected = np.einsum("kij,kj->ki", arm.jacobian(q, link), qd)
        assert deviation(np.concatenate(still[link], axis=-1), expected) < TOLERANCE
    with pytest.raises(ValueError, match="no link 'elbow'"):
        _ = found["elbow"]
