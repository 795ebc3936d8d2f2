"""Every formulation on a base that moves: against Newton-Euler, and against the robot on a free joint."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from loadpath.engine.arguments import Variant
from loadpath.errors import UncompiledWarning

ROBOTS = {
    "chain": lp.catalog.random_chain(3, 1, general=True),
    "tree": lp.catalog.random_tree(4, 3),
    "arm": lp.catalog.stanford_arm().with_payload(2.0),
}
MOTIONS = {"both": ("base_velocity", "base_acceleration"), "velocity": ("base_velocity",),
           "acceleration": ("base_acceleration",)}
QUANTITIES = ("inverse_dynamics", "joint_wrenches", "bias_forces", "forward_dynamics")
# Of the arm with six joints the inverse dynamics alone: the others take seconds by some formulations.
CASES = [(kind, name, formulation) for kind in ROBOTS for name in QUANTITIES
         for formulation in getattr(lp.Robot, name).formulations
         if kind != "arm" or name == "inverse_dynamics"]


def states(robot: lp.Robot) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(4)
    turns, qd, qdd = rng.uniform(-1, 1, (3, 6, robot.n))
    return robot.integrate(robot.neutral(), turns), qd, qdd


def external(robot: lp.Robot) -> tuple[tuple[str, bool], ...]:
    return (robot.link_names[0], True), (robot.link_names[-1], True), (robot.link_names[-2], False)


@pytest.mark.parametrize(("kind", "name", "formulation"), CASES)
def test_every_formulation_agrees_with_newton_euler(kind: str, name: str, formulation: str) -> None:
    robot = ROBOTS[kind]
    quantity = getattr(lp.Robot, name)
    arrays = states(robot)[: len(quantity.argument_names)]
    wrenches = np.random.default_rng(5).normal(size=(6, 3, 6))
    base = np.random.default_rng(6).normal(size=(2, 6, 6))
    for given in MOTIONS.values():
        motion = [base[list(MOTIONS["both"]).index(part)] for part in given]
        run = [
            quantity.uncompiled(robot, Variant(by, external=external(robot), given=given))(*arrays, *motion, wrenches)
            for by in ("newton-euler", formulation)
        ]
        for expected, found in zip(*(part if isinstance(part, tuple) else (part,) for part in run), strict=True):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("formulation", lp.Robot.inverse_dynamics.formulations)
def test_compiled_it_is_the_robot_on_a_free_joint(formulation: str) -> None:
    robot = lp.catalog.random_chain(2, 5, general=True)
    q, qd, qdd = states(robot)
    v, a = np.random.default_rng(7).normal(size=(2, 6, 6))
    found = robot.inverse_dynamics(q, qd, qdd, base_velocity=v, base_acceleration=a, formulation=formulation)
    free = robot.floating()
    rates = a - np.concatenate([np.cross(v[:, 3:], v[:, :3]), np.zeros((6, 3))], axis=1)
    unturned = np.broadcast_to([0, 0, 0, 0, 0, 0, 1], (6, 7))
    whole = free.inverse_dynamics(*(np.concatenate(pair, axis=1) for pair in ((unturned, q), (v, qd), (rates, qdd))))
    np.testing.assert_allclose(found, whole[:, 6:], rtol=0, atol=1e-12 * np.abs(whole).max())


def test_the_joint_of_the_base_counts_in_what_is_compiled() -> None:
    robot, zero = lp.catalog.random_dh_arm(7, seed=1), np.zeros(7)
    with pytest.warns(UncompiledWarning, match="has 7 degrees of freedom and its base 3, .* compiled up to 8"):
        robot.inverse_dynamics(zero, zero, zero, base_velocity=np.ones(6), formulation="lagrangian")
    assert robot.inverse_dynamics.quantity.compiles(robot, Variant("lagrangian"))


@pytest.mark.parametrize("name", ["inverse_dynamics_derivatives", "forward_dynamics_derivatives"])
def test_derivatives_on_a_moving_base_by_differences(name: str) -> None:
    robot = lp.catalog.random_chain(2, 5, general=True)
    q, qd, last = (array[0] for array in states(robot))
    v, a = np.random.default_rng(8).normal(size=(2, 6))
    loads = {"base_velocity": v, "base_acceleration": a, "external": {"link2": lp.Wrench(force=(3, 2, 1))}}
    of = getattr(robot, name.removesuffix("_derivatives"))
    found = getattr(robot, name)(q, qd, last, **loads)
    steps = 1e-6 * np.eye(robot.n)
    for k, part in enumerate(found):
        ahead, back = (
            of(
                robot.integrate(q, s * steps * (k == 0)),
                qd + s * steps * (k == 1),
                last + s * steps * (k == 2),
                **loads,
            )
            for s in (1, -1)
        )
        np.testing.assert_allclose(part, (ahead - back).T / 2e-6, atol=1e-6 * max(1, np.abs(part).max()))


def test_the_regressor_on_a_moving_base_times_the_parameters() -> None:
    robot = lp.catalog.random_tree(4, 3).without_friction().without_rotors()
    q, qd, qdd = states(robot)
    v, a = np.random.default_rng(9).normal(size=(2, 6))
    motion = {"base_velocity": v, "base_acceleration": a}
    heavier = robot.with_inertias({robot.link_names[-1]: lp.Inertia(3.0, (0.1, 0.2, 0.3))})
    more = robot.inverse_dynamics(q, qd, qdd, **motion)
    Y = robot.regressor(q, qd, qdd, **motion)
    difference = np.zeros(Y.shape[-1])
    for k, link in enumerate(robot.link_names):
        for sign, of in ((1, heavier), (-1, robot)):
            i = of.link(link).inertia
            xx, xy, xz, _, yy, yz, _, _, zz = i.at_origin().ravel()
            difference[10 * k : 10 * k + 10] += sign * np.array([i.mass, *i.first_moment, xx, xy, yy, xz, yz, zz])
    expected = heavier.inverse_dynamics(q, qd, qdd, **motion) - more
    np.testing.assert_allclose(Y @ difference, expected, atol=1e-11 * np.abs(expected).max())
