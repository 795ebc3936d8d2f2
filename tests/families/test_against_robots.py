"""Families against robots that are made with the same numbers: every quantity, on robots with every kind of joint."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import loadpath as lp
from loadpath.algorithms import composite_body
from loadpath.engine.quantity import quantities_of
from loadpath.formulations import newton_euler
from loadpath.robot.design import designed
from loadpath.robot.mechanism import plain
from loadpath.robot.parameters import Parameter, parameters_of
from loadpath.scalars import array


def robots() -> dict[str, lp.Robot]:
    """With every kind of joint, a free base, friction, rotors, gears, springs, joints that follow others."""
    geared = lp.catalog.puma560().with_payload(2.0, (0.0, 0.1, 0.05)).with_drives({
        "joint2": lp.Drive(ratio=100.0, rotor_inertia=2e-4, friction=lp.Friction(viscous=2.0, coulomb=3.0)),
        "joint3": lp.Drive(spring=lp.TorsionSpring(20.0, 0.1, 1.0),
                           friction=lp.Friction(coulomb=2.0, static=4.0, stribeck_speed=0.1)),
        "joint5": lp.Drive(spring=lp.LineSpring((0, 0, 0.3), (0.1, 0.2, 0), 300.0, 0.1, 5.0)),
    })
    return {
        "chain": lp.catalog.random_chain(4, 3, joints="all", drives=True),
        "tree": lp.catalog.random_tree(5, 2, joints="all"),
        "free": lp.catalog.random_tree(3, 1).floating(),
        "geared": geared,
        "mimic": lp.catalog.panda(hand=True),
    }


ROBOTS = robots()


def scattered(parameter: Parameter, rng: np.random.Generator) -> list[float]:
    """Other numbers, zeros of the robot among them."""
    own = np.array(parameter.nominal)
    part = parameter.key.rpartition(".")[2]
    if part == "inertia":
        own = own + 0.1 * np.abs(own).max() * rng.uniform(-1, 1, 6) + 0.01 * np.array([1.0, 0, 0, 1, 0, 1])
    elif parameter.least == 0.0 or part == "gear_ratio":
        own = own * rng.uniform(0.5, 1.5, own.shape) + 0.1 * rng.uniform(0, 1, own.shape)
        if part == "coulomb_friction":
            own = np.minimum(own, 3.0)
    else:
        own = own + 0.2 * rng.uniform(-1, 1, own.shape)
    return [float(x) for x in own]


def designs(robot: lp.Robot, keys: Any, count: int, seed: int) -> tuple[Any, list[dict[str, list[float]]]]:
    """A family with designs of random numbers, and these numbers."""
    rng = np.random.default_rng(seed)
    found = parameters_of(robot, keys)
    each = [{parameter.key: scattered(parameter, rng) for parameter in found} for _ in range(count)]
    values = {p.key: np.array([one[p.key] for one in each]).reshape(count, *p.shape) for p in found}
    return robot.family(values), each


def arguments(robot: lp.Robot, method: Any, rng: np.random.Generator) -> list[Any]:
    """Random arrays of the shapes that a quantity takes."""
    sizes = {**robot.sizes}
    given = []
    for core in method.quantity.signature.replace(" ", "").split("->")[0][1:-1].split("),("):
        shape = [sizes[d] if d in sizes else int(d) for d in core.split(",") if d]
        drawn = rng.uniform(-1, 1, (2, *shape))
        given.append(drawn + 0.1 if core == "q" else drawn)
    return given


def parts(result: Any) -> list[np.ndarray]:
    if isinstance(result, np.ndarray) or np.isscalar(result):
        return [np.asarray(result)]
    if isinstance(result, tuple):
        return [part for each in result for part in parts(each)]
    return [np.asarray(result.force), np.asarray(result.torque)] if hasattr(result, "force") else [
        np.asarray(getattr(result, name)) for name in result.__dataclass_fields__
        if isinstance(getattr(result, name), np.ndarray)]


def assert_same(found: Any, expected: Any, what: str, bound: float = 1e-13) -> None:
    for a, b in zip(parts(found), parts(expected), strict=True):
        assert a.shape == b.shape, what
        scale = np.abs(b).max(initial=1e-300)
        assert np.abs(a - b).max(initial=0.0) <= bound * scale, (what, np.abs(a - b).max() / scale)


def reference(robot: lp.Robot, quantity: str) -> Any:
    """The formulation itself, but for derivatives, which are those of a recorded program."""
    method = getattr(robot, quantity)
    return method if "derivatives" in quantity or quantity == "jacobian_dot" else method.uncompiled


MOTION = ("inverse_dynamics", "joint_wrenches", "mass_matrix")


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_all_numbers_of_a_robot(name: str) -> None:
    robot = ROBOTS[name]
    family, each = designs(robot, "all", 3, 1)
    rng = np.random.default_rng(2)
    for quantity in MOTION:
        given = arguments(robot, getattr(robot, quantity), rng)
        found = parts(getattr(family, quantity)(*given))
        for k, numbers in enumerate(each):
            expected = getattr(designed(robot, numbers), quantity).uncompiled(*given)
            assert_same(tuple(part[k] for part in found), tuple(parts(expected)), f"{quantity} of {name}, design {k}")


CHOSEN = {
    "chain": ["gravity"],
    "geared": ["payload.mass", "payload.center_of_mass", "payload.inertia", "link2.length", "joint2.gear_ratio",
               "joint2.rotor_inertia", "joint2.coulomb_friction", "joint3.spring.stiffness", "joint4.viscous_friction",
               "joint5.spring.on_child", "joint5.spring.preload", "gravity"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tree", "geared"])
@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning", "ignore::loadpath.UncompiledWarning")
def test_every_quantity(name: str) -> None:
    robot = ROBOTS[name]
    keys = CHOSEN.get(name, ["gravity", *(f"{robot.link_names[2]}.{p}" for p in ("mass", "center_of_mass", "inertia")),
                             f"{robot.joint_names[1]}.origin", f"{robot.joint_names[2]}.origin.rpy"])
    family, each = designs(robot, keys, 2, 3)
    rng = np.random.default_rng(4)
    asked = 0
    for quantity, line in quantities_of(robot).items():
        method = getattr(robot, quantity)
        given = arguments(robot, method, rng)
        options = {"link": robot.link_names[-1]} if line.takes_link else {}
        made = [designed(robot, numbers) for numbers in each]
        try:
            dense = {"packed": False} if line.packed is not None and "derivatives" in quantity else {}
            expected = [parts(reference(one, quantity)(*given, **options, **dense)) for one in made]
        except (ValueError, lp.ModelError) as refusal:  # this robot has none, and so has the family
            with pytest.raises(type(refusal)):
                getattr(family, quantity)(*given, **options)
            continue
        found = parts(getattr(family, quantity)(*given, **options))
        for k, right in enumerate(expected):
            assert_same(tuple(part[k] for part in found), tuple(right), f"{quantity} of {name}", 1e-11)
        asked += 1
    assert asked > 25


@pytest.mark.slow
@pytest.mark.parametrize("robot", [lp.catalog.panda(), lp.catalog.random_dh_arm(6, seed=1)], ids=["panda", "6R"])
@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_a_thousand_designs(robot: lp.Robot) -> None:
    """All numbers at random, against the formulation on floats, of robots made of them in their own frames."""
    family, each = designs(robot, "all", 1000, 5)
    q, qd, qdd = np.random.default_rng(6).uniform(-1, 1, (3, robot.n))
    found = [parts(family.inverse_dynamics(q, qd, qdd)), parts(family.joint_wrenches(q, qd, qdd)),
             parts(family.mass_matrix(q))]
    state = [array(x.tolist()) for x in (q, qd, qdd)]
    for k, numbers in enumerate(each):
        made = plain(designed(robot, numbers))  # in its own frames, its inertias as they are
        expected = [(newton_euler.inverse_dynamics(made, *state),), newton_euler.joint_wrenches(made, *state),
                    (composite_body.mass_matrix(made, state[0]),)]
        for one, right in zip(found, expected, strict=True):
            assert_same(tuple(part[k] for part in one), tuple(x.astype(float) for x in right), f"design {k}")
