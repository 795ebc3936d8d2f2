"""A base that moves as prescribed, against the same robot with its base as a free joint, and by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loadpath as lp
from formulation_checks import ROBOTS, deviation
from loadpath.algorithms import free_base, link_motion
from loadpath.formulations import newton_euler
from loadpath.mechanics import kinematics
from loadpath.robot.catalog.random_robots import random_inertia
from loadpath.robot.mechanism import Mechanism, plain
from loadpath.robot.model import RobotModel
from loadpath.robot.reduction import reduced, reframed
from loadpath.scalars import Counter, array
from on_scalars import applied, entries, on_arrays
from references.to_pinocchio import random_state

TOLERANCE = 1e-12
MAKERS = {"plain": plain, "reframed": reframed, "reduced": reduced}


def with_heavy_base(robot: RobotModel, seed: int = 3) -> RobotModel:
    """The base's own inertia must count too."""
    base = replace(robot.base, inertia=random_inertia(np.random.default_rng(seed)))
    return replace(robot, links=tuple(base if link.name == base.name else link for link in robot.links))


def base_states(rng: np.random.Generator, *batch: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=(*batch, 6)), rng.normal(size=(*batch, 6)) * 3


def as_free_joint(velocity: np.ndarray, acceleration: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Speeds of a free joint and their rates: components in turning axes, so a = vdot + omega x v."""
    rate = acceleration.copy()
    rate[..., :3] -= np.cross(velocity[..., 3:], velocity[..., :3])
    return velocity, rate


FREE = [name for name in ROBOTS if name != "floating"]


@pytest.mark.parametrize("frames", MAKERS)
@pytest.mark.parametrize("name", FREE)
def test_against_the_floating_robot(name: str, frames: str) -> None:
    make: Callable[[RobotModel], Mechanism] = MAKERS[frames]
    robot = with_heavy_base(ROBOTS[name])
    rng = np.random.default_rng(7)
    q, qd, qdd = random_state(robot, rng)
    velocity, acceleration = base_states(rng)
    motion = {"base_velocity": entries(velocity), "base_acceleration": entries(acceleration)}
    wrenches = {
        link: applied(*rng.normal(size=(2, 3)) * 20, in_world_axes=k % 2 == 0)
        for k, link in enumerate(robot.link_names)
    }

    free = lp.Robot(**vars_of(robot)).floating()
    speeds, rates = as_free_joint(velocity, acceleration)
    state = (np.array([0, 0, 0, 0, 0, 0, 1, *q]), np.array([*speeds, *qd]), np.array([*rates, *qdd]))
    for external in (None, wrenches):
        expected = on_arrays(newton_euler.inverse_dynamics, plain(free), *state, external=external)
        wanted = on_arrays(newton_euler.joint_wrenches, plain(free), *state, external=external)
        tau = on_arrays(newton_euler.inverse_dynamics, make(robot), q, qd, qdd, external=external, **motion)
        assert deviation(tau, expected[6:]) < TOLERANCE
        force, torque = on_arrays(newton_euler.base_wrench, make(robot), q, qd, qdd, external=external, **motion)
        assert deviation([force, torque], [wanted[0][0], wanted[1][0]]) < TOLERANCE
        assert deviation([*force, *torque], expected[:6]) < TOLERANCE
        if frames != "reduced":
            found = on_arrays(newton_euler.joint_wrenches, make(robot), q, qd, qdd, external=external, **motion)
            assert deviation(found, [part[1:] for part in wanted]) < TOLERANCE


def vars_of(robot: RobotModel) -> dict[str, object]:
    return {part.name: getattr(robot, part.name) for part in fields(robot)}


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 7))
def test_power_balance(seed: int, joints: int) -> None:
    """What base and drives deliver is what the energy of all links gains: checked without any floating robot."""
    made = lp.catalog.random_tree(joints, seed, ["revolute", "prismatic", "helical", "universal"], general=True)
    robot = replace(with_heavy_base(made, seed), gravity=(0.0, 0.0, 0.0))
    rng = np.random.default_rng(seed)
    q, qd, qdd = random_state(robot, rng)
    velocity, acceleration = base_states(rng)
    both = {"base_velocity": entries(velocity), "base_acceleration": entries(acceleration)}
    force, torque = on_arrays(newton_euler.base_wrench, reduced(robot), q, qd, qdd, **both)
    tau = on_arrays(newton_euler.inverse_dynamics, reduced(robot), q, qd, qdd, **both)
    delivered = np.array([force @ velocity[:3], torque @ velocity[3:], tau @ qd])

    # Body by body: m a_c . v_c + (I omegadot + omega x I omega) . omega, in world axes, from the motions of the links.
    mechanism = plain(robot)
    linear, angular = on_arrays(
        link_motion.link_velocities, mechanism, q, qd, base_velocity=both["base_velocity"]
    )
    rates, spins = on_arrays(link_motion.link_accelerations, mechanism, q, qd, qdd, **both)
    poses = on_arrays(kinematics.link_poses, mechanism, q)
    gained = []
    for k, link in enumerate(robot.links):
        R, omega, omegadot = poses[k, :3, :3], angular[k], spins[k]
        c, tensor = R @ np.array(link.inertia.center_of_mass), R @ np.array(link.inertia.tensor) @ R.T
        v = linear[k] + np.cross(omega, c)
        a = rates[k] + np.cross(omegadot, c) + np.cross(omega, np.cross(omega, c))
        gained.append(link.inertia.mass * a @ v + omegadot @ tensor @ omega)
    assert abs(delivered.sum() - sum(gained)) < 1e-11 * np.abs(delivered).sum()


def test_every_kind_of_scalar() -> None:
    """Batches and counting scalars give what floats give, of the wrench on the base and of the free base."""
    robot = with_heavy_base(lp.catalog.random_tree(4, 8, ["revolute", "spherical", "prismatic"], general=True))
    mechanism, rng = plain(robot), np.random.default_rng(3)
    states = [(*random_state(robot, rng), *base_states(rng)) for _ in range(3)]
    q, qd, qdd, velocity, acceleration = (np.array(part) for part in zip(*states, strict=True))
    motion = {"base_velocity": entries(velocity), "base_acceleration": entries(acceleration)}
    batch = on_arrays(newton_euler.base_wrench, mechanism, q, qd, qdd, **motion)
    free = on_arrays(free_base.free_base_motion, mechanism, q, qd, qdd)
    counter = Counter()
    for k, state in enumerate(states):
        numbers = [array([counter.scalar(x) for x in part]) for part in state]
        wrench = newton_euler.base_wrench(
            mechanism, *numbers[:3], base_velocity=numbers[3], base_acceleration=numbers[4]
        )
        assert deviation([part.astype(float) for part in wrench], [part[k] for part in batch]) < TOLERANCE
        found = free_base.free_base_motion(mechanism, *numbers[:3])
        assert deviation([part.astype(float) for part in found], [part[k] for part in free]) < TOLERANCE
    assert counter.multiplications > counter.additions > 0


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    robot = with_heavy_base(lp.catalog.random_chain(3, 51, ["revolute", "spherical", "prismatic"], general=True))
    assert isinstance(robot, lp.Robot)
    return robot


def test_compiled_in_batches(arm: lp.Robot) -> None:
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(5, 1, arm.nq)), rng.normal(size=(4, arm.n)), rng.normal(size=(5, 4, arm.n))
    q[..., 1:5] /= np.linalg.norm(q[..., 1:5], axis=-1, keepdims=True)
    velocity, acceleration = base_states(rng, 4)
    free = arm.floating()
    speeds, rates = as_free_joint(velocity, acceleration)
    full = [np.broadcast_to(x, (5, 4, x.shape[-1])) for x in (q, qd, qdd, speeds, rates)]
    place = np.broadcast_to([0.0, 0, 0, 0, 0, 0, 1], (5, 4, 7))
    state = [np.concatenate(pair, axis=-1) for pair in ((place, full[0]), (full[3], full[1]), (full[4], full[2]))]
    motion = {"base_velocity": velocity, "base_acceleration": acceleration}
    expected, wrenches = free.inverse_dynamics(*state), free.joint_wrenches(*state)

    assert deviation(arm.inverse_dynamics(q, qd, qdd, **motion), expected[..., 6:]) < TOLERANCE
    found = arm.joint_wrenches(q, qd, qdd, **motion)
    assert deviation(found.force, wrenches.force[..., 1:, :]) < TOLERANCE
    assert deviation(found.torque, wrenches.torque[..., 1:, :]) < TOLERANCE
    on_base = arm.base_wrench(q, qd, qdd, **motion)
    assert on_base.axes == "link"
    assert deviation(on_base.force, wrenches["floating_base"].force) < TOLERANCE
    assert deviation(on_base.torque, wrenches["floating_base"].torque) < TOLERANCE
    still = np.zeros(arm.n)
    bias = arm.inverse_dynamics(q, qd, still, **motion)
    assert deviation(arm.bias_forces(q, qd, **motion), bias) < TOLERANCE
    # One of the two alone: the other is zero.
    zero = np.zeros(6)
    assert deviation(
        arm.inverse_dynamics(q, qd, qdd, base_velocity=velocity),
        arm.inverse_dynamics(q, qd, qdd, base_velocity=velocity, base_acceleration=zero),
    ) < TOLERANCE
    at_rest = arm.inverse_dynamics(q, qd, qdd, base_velocity=zero, base_acceleration=zero)
    assert deviation(at_rest, arm.inverse_dynamics(q, qd, qdd)) < TOLERANCE


def test_forces_do_not_depend_on_steady_travel(arm: lp.Robot) -> None:
    rng = np.random.default_rng(2)
    q, qd, qdd = rng.normal(size=arm.nq), rng.normal(size=arm.n), rng.normal(size=arm.n)
    travel = arm.joint_wrenches(q, qd, qdd, base_velocity=[30.0, -20.0, 5.0, 0, 0, 0])
    rest = arm.joint_wrenches(q, qd, qdd)
    np.testing.assert_allclose(travel.force, rest.force, rtol=1e-13, atol=1e-13)


def test_a_braking_truck_by_hand() -> None:
    """A mast of 2 m with 3 kg at its top, 1.5 m ahead on a truck that brakes by 4 m/s^2 and turns at 0.5 rad/s."""
    mast = lp.Robot(
        "mast",
        (lp.Link("truck", lp.Inertia(10.0)), lp.Link("pole", lp.Inertia(3.0, (0.0, 0.0, 2.0)))),
        (lp.Joint("hinge", "truck", "pole", lp.Revolute((0.0, 1.0, 0.0)), lp.Pose(translation=(1.5, 0.0, 0.0))),),
    )
    motion = {"base_velocity": [8.0, 0, 0, 0, 0, 0.5], "base_acceleration": [-4.0, 8.0 * 0.5, 0, 0, 0, 0]}
    along = 3.0 * (-4.0 - 0.25 * 1.5)
    assert mast.inverse_dynamics([0.0], [0.0], [0.0], **motion)[0] == pytest.approx(2.0 * along)
    hinge = mast.joint_wrenches([0.0], [0.0], [0.0], **motion)["hinge"]
    np.testing.assert_allclose(hinge.force, [along, 12.0, 3.0 * 9.81], atol=1e-12)
    ground = mast.base_wrench([0.0], [0.0], [0.0], **motion)
    np.testing.assert_allclose(ground.force, [along - 40.0, 12.0 + 40.0, 13.0 * 9.81], atol=1e-12)
    np.testing.assert_allclose(
        ground.torque, [-2.0 * 12.0, 2.0 * along - 1.5 * 3.0 * 9.81, 1.5 * 12.0], atol=1e-12
    )


def test_a_robot_without_joints_has_a_base_wrench() -> None:
    box = lp.Robot("box", (lp.Link("box", lp.Inertia(3.0, (0.1, 0.0, 0.0))),), ())
    wrench = box.base_wrench([], [], [], base_acceleration=[0, 0, 9.81, 0, 0, 0])
    np.testing.assert_allclose(wrench.force, [0, 0, 2 * 3 * 9.81])
    np.testing.assert_allclose(wrench.torque, [0, -0.1 * 2 * 3 * 9.81, 0])


def test_a_nan_stays_in_its_row(arm: lp.Robot) -> None:
    acceleration = np.zeros((3, 6))
    acceleration[1, 2] = np.nan
    found = arm.inverse_dynamics(arm.neutral(), np.zeros(arm.n), np.zeros(arm.n), base_acceleration=acceleration)
    assert np.isnan(found[1]).any()
    assert not np.isnan(found[[0, 2]]).any()


def test_what_cannot_be_is_said(arm: lp.Robot) -> None:
    q, zero = arm.neutral(), np.zeros(arm.n)
    with pytest.raises(ValueError, match=r"'base_acceleration' has the shape \(3,\): expected \(..., 6\)"):
        arm.inverse_dynamics(q, zero, zero, base_acceleration=[0, 0, 1])
    with pytest.raises(TypeError, match="mass_matrix takes no 'base_velocity'; inverse_dynamics, joint_wrenches, "):
        arm.mass_matrix(q, base_velocity=np.zeros(6))


def test_a_base_at_rest_costs_what_it_did() -> None:
    count = lp.catalog.random_dh_arm(6, seed=1).operation_count()
    assert (count.multiplications, count.additions) == (386, 328)
