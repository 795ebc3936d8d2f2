"""Gravity and masses as arguments of exports: the same as the robot that has them."""

from __future__ import annotations

import casadi
import numpy as np
import pytest

import loadpath as lp
from loadpath.exports.request import request
from loadpath.formulations.table import FORMULATIONS
from references.to_pinocchio import random_state

INERTIA = np.array([[0.3, 0.01, 0.02], [0.01, 0.2, 0.0], [0.02, 0.0, 0.25]])
CENTER = (0.01, 0.02, 0.1)
CASES = [(0.7, (1.0, 2.0, -9.0)), (12.0, (0.0, 0.0, 0.0)), (0.0, (0.0, 0.0, -9.81))]


def loaded(robot: lp.Robot, mass: float, gravity: tuple[float, ...] | None = None, link: str | None = None) -> lp.Robot:
    made = robot.with_payload(mass, CENTER, inertia=INERTIA * mass, link=link or robot.link_names[-1])
    return made if gravity is None else made.with_gravity(gravity)


def evaluated(robot: lp.Robot, name: str, keys: list[str], *given: object, **options: object) -> list[np.ndarray]:
    found = robot.casadi_function(name, parameters=keys, **options)(*given)
    return [np.array(part) for part in (found if isinstance(found, tuple) else (found,))]


def expected(robot: lp.Robot, name: str, *given: np.ndarray, **options: object) -> list[np.ndarray]:
    asked = request(robot, name, **options)
    found = asked.quantity.uncompiled(robot, asked.variant)(*given)
    return [np.asarray(part) for part in (found if isinstance(found, tuple) else (found,))]


def compare(found: list[np.ndarray], wanted: list[np.ndarray]) -> None:
    for result, right in zip(found, wanted, strict=True):
        np.testing.assert_allclose(
            result.ravel(), right.ravel(), rtol=1e-12, atol=1e-12 * max(1.0, np.abs(right).max())
        )


@pytest.mark.parametrize(
    "name", ["inverse_dynamics", "joint_wrenches", "mass_matrix", "base_wrench", "potential_energy"]
)
@pytest.mark.parametrize("seed", range(2))
def test_payload_and_gravity_on_random_trees(name: str, seed: int) -> None:
    robot = lp.catalog.random_tree(5, seed) if seed else lp.catalog.random_chain(4, 3, joints="all", drives=True)
    rng = np.random.default_rng(seed)
    link = robot.link_names[2]
    nominal = loaded(robot, 2.0, link=link)
    function = nominal.casadi_function(name, parameters=["payload.mass", "gravity"])
    for mass, gravity in CASES:
        q, qd, tau = random_state(robot, rng)
        given = [q, qd, tau][: function.n_in() - 2]
        found = function(*given, mass, gravity)
        compare(
            [np.array(part) for part in (found if isinstance(found, tuple) else (found,))],
            expected(loaded(robot, mass, gravity, link), name, *given),
        )


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_every_formulation_takes_them(formulation: str) -> None:
    robot = lp.catalog.random_chain(3, 5)
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 3))
    found = evaluated(
        loaded(robot, 2.0), "inverse_dynamics", ["gravity", "payload.mass"], q, qd, qdd, (1.0, 2.0, -9.0), 0.7,
        formulation=formulation,
    )
    compare(found, expected(loaded(robot, 0.7, (1.0, 2.0, -9.0)), "inverse_dynamics", q, qd, qdd))


def test_any_link_and_the_base() -> None:
    robot = lp.catalog.puma560().with_inertias({"base": lp.Inertia(4.0, (0.1, 0, 0))})
    heavier = {
        name: lp.Inertia(3 * i.mass, i.center_of_mass, (3 * np.array(i.tensor)).tolist())
        for name in ("base", "link3")
        for i in [robot.link(name).inertia]
    }
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 6))
    masses = [3 * robot.link(name).inertia.mass for name in heavier]
    for name in ("base_wrench", "inverse_dynamics", "joint_wrenches"):
        found = evaluated(robot, name, ["base.mass", "link3.mass"], q, qd, qdd, *masses)
        compare(found, expected(robot.with_inertias(heavier), name, q, qd, qdd))


def test_a_closed_chain() -> None:
    bar = lp.catalog.four_bar()
    q = bar.home
    qd, qdd = bar.complete(q, np.array([1.5]), np.array([-2.0]))
    heavy = bar.with_payload(3.0, (0.1, 0.0, 0.0), link="coupler").with_gravity((0.0, -9.0, 1.0))
    nominal = bar.with_payload(0.0, (0.1, 0.0, 0.0), link="coupler")
    for name in ("inverse_dynamics", "joint_wrenches"):
        found = evaluated(nominal, name, ["payload.mass", "gravity"], q, qd, qdd, 3.0, (0.0, -9.0, 1.0))
        compare(found[:-1], expected(heavy, name, q, qd, qdd)[:-1])


def test_one_constant_is_one_derivative() -> None:
    """Torques are linear in the payload's mass: their slope is the same everywhere, and twice as large is twice."""
    tau = lp.catalog.planar(2).with_payload(1.0).casadi_function("gravity_forces", parameters=["payload.mass"])
    mass = casadi.SX.sym("m")
    slope = casadi.Function("s", [mass], [casadi.jacobian(tau([0.3, 0.4], mass), mass)])
    np.testing.assert_allclose(slope(0.0).full(), slope(7.0).full())
    assert np.abs(slope(0.0).full()).max() > 1


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (["payload.mas"], r"no parameter 'payload.mas'; did you mean 'payload.mass'\?"),
        (["gravity", "gravity"], "has more than once: 'gravity'"),
        ("gravity", "expected several names"),
        ([7], "no parameter 7"),
    ],
)
def test_mistakes(keys: list[str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        lp.catalog.two_link().with_payload(1.0).wasm("inverse_dynamics", parameters=keys)


def test_inertia_without_mass_has_none_in_proportion() -> None:
    with pytest.warns(lp.ModelWarning, match="inertia without mass"):
        robot = lp.catalog.two_link().with_inertias({"link2": lp.Inertia(0.0, tensor=np.eye(3).tolist())})
    with pytest.raises(ValueError, match="link 'link2' has inertia without mass"):
        robot.c_source("inverse_dynamics", parameters=["link2.mass"])


def test_what_is_no_parameter_of_beams_is_refused_by_name() -> None:
    tube = lp.Beam(lp.Tube(outer_radius=0.04, wall=0.003), lp.STEEL, end="joint2")
    arm = lp.catalog.planar(2).with_beams({"link1": tube})
    with pytest.raises(ValueError, match=r"did you mean 'link1\.beam\.section\.wall'"):
        arm.wasm("compliance", parameters=["link1.beam.section.walls"])
    arm.wasm("inverse_dynamics", parameters=["gravity"])  # of the rigid arm
