"""Robots at rest: by hand, by virtual work, and against the joint wrenches of no motion; reactions in any direction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import loadpath as lp
from formulation_checks import ROBOTS, deviation
from loadpath.algorithms import directed_reaction as reaction
from loadpath.formulations import generalized_coefficients, newton_euler
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reframed
from on_scalars import applied, entries, on_arrays
from references.to_pinocchio import random_state

TOLERANCE = 1e-12


def test_a_crane_by_hand() -> None:
    """A jib of 2 m and 10 kg, stretched out, with 50 kg at its tip: shear, and bending at the root."""
    jib = lp.Robot(
        "crane",
        (lp.Link("mast"), lp.Link("jib", lp.Inertia(10.0, (1.0, 0.0, 0.0))), lp.Link("hook")),
        (
            lp.Joint("hinge", "mast", "jib", lp.Revolute((0.0, 0.0, 1.0)), lp.Pose(translation=(0.0, 0.0, 3.0))),
            lp.Joint("end", "jib", "hook", lp.Fixed(), lp.Pose(translation=(2.0, 0.0, 0.0))),
        ),
    )
    load = {"hook": lp.Wrench(force=(0, 0, -50 * 9.81))}
    found = jib.static_wrenches([0.7], external=load)
    assert_allclose(found["end"].force, [0, 0, 490.5], atol=1e-12)
    assert_allclose(found["hinge"].force, [0, 0, 60 * 9.81], atol=1e-12)
    assert_allclose(found["hinge"].torque, [0, -(10 * 1 + 50 * 2) * 9.81, 0], atol=1e-11)
    ground = jib.base_wrench([0.7], [0], [0], external=load)
    assert_allclose(ground.force, [0, 0, 60 * 9.81], atol=1e-12)
    reach = np.array([np.cos(0.7), np.sin(0.7), 0])
    assert_allclose(ground.torque, np.cross(reach, [0, 0, 110 * 9.81]), atol=1e-11)


@pytest.fixture(scope="module")
def tree() -> lp.Robot:
    return lp.catalog.random_tree(5, 21, ["revolute", "prismatic", "spherical", "fixed"], general=True)


def random_external(robot: lp.Robot, rng: np.random.Generator, batch: tuple[int, ...] = ()) -> dict[str, lp.Wrench]:
    return {link: lp.Wrench(*rng.normal(size=(2, *batch, 3)) * 20) for link in robot.link_names[1::2]}


def test_virtual_work(tree: lp.Robot) -> None:
    """tau = g(q) - sum of J^T w: what the drives hold is what gravity and the wrenches would do."""
    rng = np.random.default_rng(1)
    q = np.array([random_state(tree, rng)[0] for _ in range(4)])
    still = np.zeros(tree.n)
    external = random_external(tree, rng, (4,))
    expected = tree.gravity_forces(q)
    for link, wrench in external.items():
        both = np.concatenate([wrench.force, wrench.torque], axis=-1)
        expected = expected - np.einsum("kij,ki->kj", tree.jacobian(q, link), both)
    assert deviation(tree.inverse_dynamics(q, still, still, external=external), expected) < TOLERANCE
    wrenches = tree.static_wrenches(q, external=external)
    moving = tree.joint_wrenches(q, still, still, external=external)
    assert deviation(wrenches.force, moving.force) < TOLERANCE
    assert deviation(wrenches.torque, moving.torque) < TOLERANCE
    # Along a joint's own freedom the wrench is the drive's force.
    for name, where in tree.v_slices.items():
        motion = tree.joint(name).motion
        if isinstance(motion, (lp.Revolute, lp.Prismatic)):
            part = wrenches[name].torque if isinstance(motion, lp.Revolute) else wrenches[name].force
            assert deviation(part @ np.array(motion.axis), expected[:, where.start]) < TOLERANCE


def test_nothing_weighs_without_gravity(tree: lp.Robot) -> None:
    q = random_state(tree, np.random.default_rng(2))[0]
    assert not tree.with_gravity((0, 0, 0)).static_wrenches(q).force.any()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000))
def test_the_whole_weight_arrives_at_the_base(seed: int) -> None:
    robot = lp.catalog.random_tree(6, seed, "all", general=True)
    rng = np.random.default_rng(seed)
    q = random_state(robot, rng)[0]
    still = np.zeros(robot.n)
    force, _ = on_arrays(newton_euler.base_wrench, plain(robot), q, still, still)
    mass = sum(link.inertia.mass for link in robot.links)
    weight = -mass * np.array(robot.gravity)
    assert_allclose(force, weight, rtol=0, atol=1e-12 * np.linalg.norm(weight))


# Reactions in any direction


def random_direction(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=3) * rng.uniform(0.1, 10)


@pytest.mark.parametrize("name", ["tree of all joints", "tree with a mimic", "floating", "massless links"])
def test_any_direction_against_the_closed_form(name: str) -> None:
    """The projected wrench of Newton and Euler is the coefficient of a virtual joint in that direction."""
    robot, rng = ROBOTS[name], np.random.default_rng(4)
    state = random_state(robot, rng)
    external = {link: applied(*rng.normal(size=(2, 3)) * 20) for link in robot.link_names[1::3]}
    for joint in (robot.joint_names[0], robot.joint_names[len(robot.joints) // 2], robot.joint_names[-1]):
        direction, point = random_direction(rng), rng.normal(size=3)
        unit = direction / np.linalg.norm(direction)
        found, _ = on_arrays(reaction.force_along, reframed(robot), *state, direction, joint=joint, external=external)
        expected = generalized_coefficients.reaction_component(
            plain(robot), *map(entries, state), joint, unit, external=external
        )
        turned, _ = on_arrays(
            reaction.torque_about, reframed(robot), *state, direction, joint=joint, external=external,
            point=entries(point),
        )
        wanted = generalized_coefficients.reaction_component(
            plain(robot), *map(entries, state), joint, unit, "torque", point=point, external=external
        )
        scale = abs(expected) + abs(wanted) + 1.0
        assert abs(found - expected) < 1e-11 * scale
        assert abs(turned - wanted) < 1e-11 * scale


def test_any_direction_compiled_in_batches(tree: lp.Robot) -> None:
    rng = np.random.default_rng(5)
    q, qd, qdd = (np.array(part) for part in zip(*(random_state(tree, rng) for _ in range(3)), strict=True))
    joint = tree.joint_names[-1]
    directions = rng.normal(size=(7, 1, 3))
    units = directions / np.linalg.norm(directions, axis=-1, keepdims=True)
    point = rng.normal(size=3)
    options: dict[str, Any] = {"base_acceleration": rng.normal(size=6), "external": random_external(tree, rng)}
    wrench = tree.joint_wrenches(q, qd, qdd, **options)[joint]
    force = tree.force_along(q, qd, qdd, directions, joint=joint, **options)
    assert force.shape == (7, 3)
    assert deviation(force, (units * wrench.force).sum(axis=-1)) < TOLERANCE
    torque = tree.torque_about(q, qd, qdd, directions, joint=joint, point=point, **options)
    assert deviation(torque, (units * wrench.at(point).torque).sum(axis=-1)) < TOLERANCE
    # In world axes: the joint frame's turn is that of the child link's frame, but for the constant link offset.
    child = tree.joint(joint).child
    frames = tree.link_poses(q)[:, tree.link_names.index(child), :3, :3] @ tree.joint(joint).link_offset.R.T
    in_world = np.einsum("kij,kj->ki", frames, wrench.force)
    force = tree.force_along(q, qd, qdd, directions, joint=joint, axes="world", **options)
    assert deviation(force, (units * in_world).sum(axis=-1)) < TOLERANCE


def test_bad_questions_about_directions() -> None:
    arm, still = lp.catalog.two_link(), [0, 0]
    with pytest.raises(ValueError, match=r"name the joint, joint=...; there are joint1, joint2"):
        arm.force_along(still, still, still, [1, 0, 0])
    with pytest.raises(ValueError, match="there is no joint 'elbow'; there are joint1, joint2"):
        arm.torque_about(still, still, still, [1, 0, 0], joint="elbow")
    with pytest.raises(ValueError, match="axes are 'link1': expected 'joint' or 'world'"):
        arm.force_along(still, still, still, [1, 0, 0], joint="joint1", axes="link1")
    with pytest.raises(ValueError, match=r"'direction' has the shape \(2,\): expected \(..., 3\)"):
        arm.force_along(still, still, still, [1, 0], joint="joint1")
    warned = pytest.warns(RuntimeWarning, match="divide by zero encountered in force_along")
    with warned, np.errstate(invalid="ignore"):
        nowhere = arm.force_along(still, still, still, [[1, 0, 0], [0, 0, 0]], joint="joint1")
    assert np.isfinite(nowhere[0])
    assert np.isnan(nowhere[1])
