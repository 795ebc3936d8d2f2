"""The generalized manipulator: closed form, coefficients and both recursions against Newton-Euler and Pinocchio, on
chains and trees of every joint type; its reduction to ordinary robots; all kinds of scalars.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import sympy

import loadpath as lp
from loadpath.formulations import (
    generalized,
    generalized_coefficients,
    generalized_matrices,
    generalized_recursive,
    newton_euler,
)
from loadpath.robot.joints import Free
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.robot.reduction import reduced, reframed
from loadpath.scalars import Counter, array
from on_scalars import applied, entries, on_arrays, on_symbols
from references.lau_robots import assert_near, with_mimics
from references.to_pinocchio import random_state, to_pinocchio

FORCES: dict[str, Callable] = {
    "closed form": generalized.inverse_dynamics,
    "coefficients": generalized_coefficients.inverse_dynamics,
    "recursion in vectors": generalized_recursive.inverse_dynamics,
    "recursion in matrices": generalized_matrices.inverse_dynamics,
}
WRENCHES: dict[str, Callable] = {
    "closed form": generalized.joint_wrenches,
    "recursion in vectors": generalized_recursive.joint_wrenches,
    "recursion in matrices": generalized_matrices.joint_wrenches,
}


ROBOTS: dict[str, RobotModel] = {
    "chain": lp.catalog.random_chain(7, 1, "all", general=True, drives=True),
    "tree": lp.catalog.random_tree(12, 2, "all", general=True, drives=True),
    "tree with mimics": with_mimics(lp.catalog.random_tree(12, 4, "all", general=True, drives=True)),
    "floating": lp.catalog.random_tree(4, 5, ["universal", "prismatic", "planar"], general=True).floating(),
    "free joints": lp.catalog.random_chain(3, 6, "free", general=True),
    "generalized": lp.catalog.generalized(2),
    "puma560": lp.catalog.puma560(),
    "welds": lp.catalog.random_tree(4, 7, "fixed", general=True),
}


@pytest.fixture(scope="module", params=ROBOTS)
def case(request: pytest.FixtureRequest) -> tuple[RobotModel, tuple[np.ndarray, ...]]:
    robot = ROBOTS[request.param]
    return robot, random_state(robot, np.random.default_rng(3))


@pytest.mark.parametrize("form", FORCES)
def test_drive_forces(case: tuple, form: str) -> None:
    robot, state = case
    expected = on_arrays(newton_euler.inverse_dynamics, plain(robot), *state)
    assert_near(on_arrays(FORCES[form], plain(robot), *state), expected)


@pytest.mark.parametrize("form", WRENCHES)
def test_wrenches_at_all_joints(case: tuple, form: str) -> None:
    robot, state = case
    expected = on_arrays(newton_euler.joint_wrenches, plain(robot), *state)
    for found, wanted in zip(on_arrays(WRENCHES[form], plain(robot), *state), expected, strict=True):
        assert_near(found, wanted)


@pytest.mark.parametrize("in_world_axes", [True, False])
def test_external_wrenches(in_world_axes: bool) -> None:
    robot = ROBOTS["tree with mimics"]
    mechanism, rng = plain(robot), np.random.default_rng(8)
    state = random_state(robot, rng)
    external = {link: applied(*rng.normal(size=(2, 3)) * 20, in_world_axes) for link in robot.link_names[::2]}
    expected = on_arrays(newton_euler.inverse_dynamics, mechanism, *state, external=external)
    for formulation in FORCES.values():
        assert_near(on_arrays(formulation, mechanism, *state, external=external), expected)
    wrenches = on_arrays(newton_euler.joint_wrenches, mechanism, *state, external=external)
    for formulation in WRENCHES.values():
        for found, wanted in zip(on_arrays(formulation, mechanism, *state, external=external), wrenches, strict=True):
            assert_near(found, wanted)


@pytest.mark.parametrize("frames", [reframed, reduced])
def test_frames_may_lie_anyhow(frames: Callable) -> None:
    """Link frames are arbitrary: frames chosen for speed give the same forces."""
    robot = ROBOTS["tree"]
    state = random_state(robot, np.random.default_rng(2))
    expected = on_arrays(newton_euler.inverse_dynamics, plain(robot), *state)
    for formulation in FORCES.values():
        assert_near(on_arrays(formulation, frames(robot), *state), expected)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_all_6n_forces_of_the_generalized_manipulator(n: int) -> None:
    robot = lp.catalog.generalized(n, length=0.4, mass=1.5, radius=0.07)
    assert (robot.n, robot.nq) == (6 * n, 7 * n)
    state = random_state(robot, np.random.default_rng(n))
    expected = to_pinocchio(robot).inverse_dynamics(*state)
    assert_near(on_arrays(newton_euler.inverse_dynamics, plain(robot), *state), expected)
    for formulation in FORCES.values():
        assert_near(on_arrays(formulation, plain(robot), *state), expected)


def test_forces_of_a_generalized_joint_are_its_whole_wrench() -> None:
    robot = lp.catalog.generalized(2)
    state = random_state(robot, np.random.default_rng(0))
    tau = on_arrays(generalized.inverse_dynamics, plain(robot), *state)
    force, torque = on_arrays(newton_euler.joint_wrenches, plain(robot), *state)
    for k in range(2):
        assert_near(tau[6 * k : 6 * k + 3], force[k])
        assert_near(tau[6 * k + 3 : 6 * k + 6], torque[k])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_selection_vectors_reduce_it_to_the_ordinary_robot(seed: int) -> None:
    """Chapter 4: the ordinary robot is the generalized one whose joints move along their selection vectors only, and
    its forces are the components that these select."""
    robot = lp.catalog.random_chain(5, seed, ["revolute", "prismatic", "revolute"], general=True)
    freed = tuple(Joint(j.name, j.parent, j.child, Free(), j.origin, j.link_offset) for j in robot.joints)
    whole = replace(robot, joints=freed)
    q, qd, qdd = random_state(robot, np.random.default_rng(seed))
    position, speed, acceleration, selected = [], [], [], []
    for k, joint in enumerate(robot.joints):
        s = np.array(joint.motion.axis)
        turns = isinstance(joint.motion, lp.Revolute)
        quaternion = [*(np.sin(q[k] / 2) * s), np.cos(q[k] / 2)] if turns else [0, 0, 0, 1]
        position += [*(np.zeros(3) if turns else q[k] * s), *quaternion]
        selected.append(np.concatenate([np.zeros(3), s] if turns else [s, np.zeros(3)]))
        speed += list(qd[k] * selected[-1])
        acceleration += list(qdd[k] * selected[-1])
    state = tuple(np.array(part, dtype=float) for part in (position, speed, acceleration))
    expected = on_arrays(newton_euler.inverse_dynamics, plain(robot), q, qd, qdd)
    for name in ("closed form", "recursion in vectors", "recursion in matrices"):
        tau = on_arrays(FORCES[name], plain(whole), *state).reshape(5, 6)
        assert_near(np.sum(tau * selected, axis=1), expected)


def test_bad_sizes_of_the_generalized_manipulator_are_refused() -> None:
    with pytest.raises(lp.ModelError, match="number of links is 0"):
        lp.catalog.generalized(0)
    for what in ("length", "mass", "radius"):
        with pytest.raises(lp.ModelError, match=f"{what} is -1.0: expected more than zero"):
            lp.catalog.generalized(2, **{what: -1.0})


# All kinds of scalars


SMALL = lp.catalog.random_tree(3, 3, ["spherical", "universal", "prismatic"], general=True)


@pytest.mark.parametrize("form", [*FORCES, *(f"{form}, wrenches" for form in WRENCHES)])
def test_batches_and_symbols_give_what_floats_give(form: str) -> None:
    name, _, wrenches = form.partition(",")
    formulation = (WRENCHES if wrenches else FORCES)[name]
    mechanism, rng = plain(SMALL), np.random.default_rng(1)
    states = [random_state(SMALL, rng) for _ in range(3)]
    floats = [on_arrays(formulation, mechanism, *state) for state in states]
    flat = [np.concatenate([np.ravel(part) for part in f]) if wrenches else f for f in floats]
    batch = on_arrays(formulation, mechanism, *(np.array(part) for part in zip(*states, strict=True)))
    joined = np.concatenate([part.reshape(3, -1) for part in batch], axis=1) if wrenches else batch
    assert_near(joined, np.array(flat), 1e-14)
    assert_near(on_symbols(formulation, mechanism, *states[0]), flat[0])


@pytest.mark.parametrize("form", FORCES)
def test_sympy_and_counting_scalars(form: str) -> None:
    mechanism = plain(lp.catalog.lau_arm())
    names = [sympy.symbols([f"{x}{k}" for k in range(3)]) for x in ("q", "v", "a")]
    tau = FORCES[form](mechanism, *(array(part) for part in names))
    values = (0.3, -0.4, 1.2), (0.5, 0.6, -0.7), (1.1, 1.2, 1.3)
    numbers = {s: v for part, given in zip(names, values, strict=True) for s, v in zip(part, given, strict=True)}
    expected = on_arrays(newton_euler.inverse_dynamics, mechanism, *values)
    assert_near(np.array([float(entry.subs(numbers)) for entry in tau]), expected)
    counter = Counter()
    counted = FORCES[form](mechanism, *(array([counter.scalar(x) for x in part]) for part in values))
    assert_near(np.array([float(entry) for entry in counted]), expected)
    assert counter.count.multiplications > 0


@pytest.mark.parametrize("formulation", ["generalized", "generalized-recursive", "generalized-matrices"])
def test_selectable_by_name_and_compiled(formulation: str) -> None:
    robot = lp.catalog.random_tree(2, 9, ["universal", "prismatic"], general=True, drives=True)
    rng = np.random.default_rng(1)
    q, qd, qdd = (rng.normal(size=(4, size)) for size in (robot.nq, robot.n, robot.n))
    external = {robot.link_names[-1]: lp.Wrench(force=(1, 2, 3), torque=(4, 5, 6))}
    for given in ({}, {"external": external}):
        expected = robot.inverse_dynamics(q, qd, qdd, **given)
        assert_near(robot.inverse_dynamics(q, qd, qdd, formulation=formulation, **given), expected)
        wrenches = robot.joint_wrenches(q, qd, qdd, **given)
        found = robot.joint_wrenches(q, qd, qdd, formulation=formulation, **given)
        assert_near(found.force, wrenches.force)
        assert_near(found.torque, wrenches.torque)


def test_floats_are_plain() -> None:
    """Uncompiled floats come out as floats, not as arrays or symbols."""
    mechanism = plain(lp.catalog.planar(2))
    state = [entries(np.array([0.1, 0.2]))] * 3
    assert all(isinstance(tau, float) for tau in generalized.inverse_dynamics(mechanism, *state))
