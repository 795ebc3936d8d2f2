"""What every formulation must pass: the same robots, states and comparisons for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import sympy

import loadpath as lp
from loadpath.formulations import newton_euler
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.scalars import Counter, array
from on_scalars import applied, entries, on_arrays, on_symbols
from references.to_pinocchio import random_state, to_pinocchio

TOLERANCE = 1e-12


def with_mimic(robot: RobotModel) -> RobotModel:
    """The robot with its last joint of one degree of freedom following its first."""
    first, *_, last = (joint for joint in robot.joints if joint.motion.dof == 1)
    follow = {last.name: lp.Mimic(first.name, -1.7, 0.3)}
    return replace(robot, joints=tuple(replace(j, mimic=follow.get(j.name, j.mimic)) for j in robot.joints))


ROBOTS: dict[str, RobotModel] = {
    "DH arm": lp.catalog.random_dh_arm(5, 3),
    "DH frames, R and P": lp.catalog.random_chain(6, 2, drives=True),
    "R and P, placed anyhow": lp.catalog.random_chain(6, 4, ["revolute", "prismatic"], general=True, drives=True),
    "tree of R and P": lp.catalog.random_tree(7, 5, general=True, drives=True),
    "chain of all joints": lp.catalog.random_chain(11, 6, "all", general=True, drives=True),
    "tree of all joints": lp.catalog.random_tree(11, 7, "all", general=True, drives=True),
    "tree with a mimic": with_mimic(lp.catalog.random_tree(9, 8, "all", general=True, drives=True)),
    "chain with a mimic": with_mimic(lp.catalog.random_chain(4, 9, "revolute", general=True, drives=True)),
    "floating": lp.catalog.random_chain(4, 10, general=True).floating(),
    "massless links": lp.catalog.panda(hand=True),
    "welds only": lp.catalog.random_tree(3, 7, "fixed", general=True),
}


def states(robot: RobotModel, count: int = 2, seed: int = 11) -> list[tuple[np.ndarray, ...]]:
    rng = np.random.default_rng(seed)
    return [random_state(robot, rng) for _ in range(count)]


def columns(rows: list[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    return tuple(np.array(part) for part in zip(*rows, strict=True))


def deviation(found: Any, expected: Any) -> float:
    """Largest difference, relative to the largest entry."""
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape
    size = np.abs(expected).max(initial=0.0)
    return float(np.abs(found - expected).max(initial=0.0) / (size or 1.0))


def check_inverse_dynamics(formulation: Callable[..., Any], robot: RobotModel, **options: Any) -> None:
    """Against newton-euler and Pinocchio, in a batch, with and without external wrenches on all links."""
    mechanism, peer, given = plain(robot), to_pinocchio(robot), states(robot)
    found = on_arrays(formulation, mechanism, *columns(given), **options)
    assert deviation(found, on_arrays(newton_euler.inverse_dynamics, mechanism, *columns(given))) < TOLERANCE
    assert deviation(found, [peer.inverse_dynamics(*state) for state in given]) < TOLERANCE
    rng = np.random.default_rng(5)
    wrenches = {
        link: applied(*rng.normal(size=(2, 3)) * 20, in_world_axes=k % 2 == 0)
        for k, link in enumerate(robot.link_names)
    }
    found = on_arrays(formulation, mechanism, *given[0], external=wrenches, **options)
    expected = on_arrays(newton_euler.inverse_dynamics, mechanism, *given[0], external=wrenches)
    assert deviation(found, expected) < TOLERANCE


def check_joint_wrenches(formulation: Callable[..., Any], robot: RobotModel, **options: Any) -> None:
    """Against Pinocchio, and under external wrenches against newton-euler."""
    mechanism, peer = plain(robot), to_pinocchio(robot)
    state = states(robot)[0]
    found = on_arrays(formulation, mechanism, *state, **options)
    expected = peer.joint_wrenches(*state)
    assert max(deviation(a, b) for a, b in zip(found, expected, strict=True)) < TOLERANCE
    rng = np.random.default_rng(5)
    wrenches = {link: applied(*rng.normal(size=(2, 3)) * 20) for link in robot.link_names}
    found = on_arrays(formulation, mechanism, *state, external=wrenches, **options)
    expected = on_arrays(newton_euler.joint_wrenches, mechanism, *state, external=wrenches)
    assert max(deviation(a, b) for a, b in zip(found, expected, strict=True)) < TOLERANCE


def check_mass_matrix(formulation: Callable[..., Any], robot: RobotModel) -> None:
    q = states(robot)[0][0]
    assert deviation(on_arrays(formulation, plain(robot), q), to_pinocchio(robot).mass_matrix(q)) < TOLERANCE


def check_gravity_forces(formulation: Callable[..., Any], robot: RobotModel) -> None:
    q = states(robot)[0][0]
    assert deviation(on_arrays(formulation, plain(robot), q), to_pinocchio(robot).gravity_forces(q)) < TOLERANCE


def check_forward_dynamics(formulation: Callable[..., Any], robot: RobotModel) -> None:
    """Against the motion whose forces are given, under external wrenches."""
    mechanism = plain(robot)
    q, qd, qdd = states(robot)[0]
    rng = np.random.default_rng(5)
    wrenches = {link: applied(*rng.normal(size=(2, 3)) * 20) for link in robot.link_names}
    tau = on_arrays(newton_euler.inverse_dynamics, mechanism, q, qd, qdd, external=wrenches)
    found = on_arrays(formulation, mechanism, q, qd, tau, external=wrenches)
    assert deviation(found, qdd) < 1e-10  # what the condition of the mass matrix leaves of 1e-15


def check_scalars(formulation: Callable[..., Any]) -> None:
    """Floats, CasADi symbols, SymPy symbols and the counting scalar agree."""
    robot = lp.catalog.random_tree(5, 12, ["revolute", "prismatic", "universal", "spherical"], general=True)
    mechanism = plain(robot)
    state = states(robot)[0]
    expected = on_arrays(formulation, mechanism, *state)
    assert deviation(on_symbols(formulation, mechanism, *state), expected) < TOLERANCE
    counter = Counter()
    counted = formulation(mechanism, *(array([counter.scalar(x) for x in part]) for part in state))
    assert deviation(counted.astype(float), expected) < TOLERANCE
    assert counter.multiplications > counter.additions > 0

    small = plain(lp.catalog.two_link(m1=2, m2=3, l1=0.5, l2=0.25, distributed=True))
    values = dict(zip(sympy.symbols("q1 q2 v1 v2 a1 a2"), (0.3, -0.7, 1.1, 0.4, -2.0, 0.9), strict=True))
    symbols, numbers = list(values), list(values.values())
    on_sympy = formulation(small, *(array(symbols[k : k + 2]) for k in (0, 2, 4)))
    found = [float(sympy.sympify(expression).subs(values)) for expression in on_sympy]
    on_floats = formulation(small, *(entries(numbers[k : k + 2]) for k in (0, 2, 4)))
    assert deviation(found, on_floats) < TOLERANCE


def check_compiled(name: str) -> None:
    """Through the engine, by name: a batch, and external wrenches."""
    robot = lp.catalog.random_tree(4, 13, ["revolute", "prismatic", "spherical"], general=True, drives=True)
    given = columns(states(robot, count=5))
    found = robot.inverse_dynamics(*given, formulation=name)
    assert deviation(found, robot.inverse_dynamics(*given)) < TOLERANCE
    wrench = {"link3": lp.Wrench(force=[1.0, 2.0, 3.0], torque=[4.0, 5.0, 6.0])}
    found = robot.inverse_dynamics(*given, formulation=name, external=wrench)
    assert deviation(found, robot.inverse_dynamics(*given, external=wrench)) < TOLERANCE


# Course notes, section 1.3: q, qd, qdd and the printed torques of poses 1 and 2, with masses of 1 kg (printed 1 g)

POSES = [
    ((np.pi / 2, 0.0), (0.0, 0.0), (0.0, 0.0), (29.4, 9.8)),
    ((np.pi / 2, 0.0), (0.0, 0.0), (-19.6, 49.0), (29.4, 19.6)),
    ((np.pi / 2, 0.0), (0.0, 0.0), (0.0, 25.0), (79.4, 34.8)),
    ((np.pi / 2, np.pi / 2), (0.0, 0.0), (0.0, 0.0), (19.6, 0.0)),
    ((np.pi / 2, np.pi / 2), (0.0, 2.0), (0.0, 0.0), (15.6, 0.0)),
]


def check_example_poses(formulation: Callable[..., Any]) -> None:
    arm = plain(lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1))
    for q, qd, qdd, printed in POSES:
        np.testing.assert_allclose(on_arrays(formulation, arm, q, qd, qdd), printed, atol=1e-12)
