"""Random designs of a six-joint arm, of robots with loops and of a rover against robots made with their numbers.

A few by default, a thousand behind `--slow`; arms with beams are in `test_beams.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import loadpath as lp
from loadpath.engine.arguments import Variant
from loadpath.engine.quantity import Compiled, quantities_of
from loadpath.robot.design import designed

pytestmark = [pytest.mark.filterwarnings("ignore::loadpath.ModelWarning"),
              pytest.mark.filterwarnings("ignore::loadpath.UncompiledWarning")]
MANY = pytest.param(1000, marks=pytest.mark.slow)


def drawn(family: Any, count: int, seed: int) -> Any:
    """The family with random numbers near the robot's own."""
    rng = np.random.default_rng(seed)
    return family.at({key: own * rng.uniform(0.8, 1.2, (count, *own.shape)) for key, own in family.values.items()})


def robot_of(family: Any, k: int) -> Any:
    """The robot of a design, which knows of no family."""
    given = {key: np.atleast_1d(values[k]).tolist() for key, values in family.values.items()}
    return designed(family.robot, given)


def parts(result: Any) -> list[np.ndarray]:
    if isinstance(result, (np.ndarray, float)):
        return [np.asarray(result)]
    if isinstance(result, tuple):
        return [part for each in result for part in parts(each)]
    if hasattr(result, "force"):
        return [result.force, result.torque]
    return [part for each in vars(result).values() for part in parts(each)] if hasattr(result, "__dict__") else []


def agrees(family: Any, name: str, arrays: list[np.ndarray], **options: Any) -> None:
    found = parts(getattr(family, name)(*arrays, **options))
    for k in range(len(family)):
        method = getattr(robot_of(family, k), name)
        ask = method if "derivatives" in name or name == "jacobian_dot" else method.uncompiled
        for part, wanted in zip(found, parts(ask(*arrays, **options)), strict=True):
            if wanted.dtype.kind == "f":
                largest = float(np.abs(wanted).max(initial=0.0))
                assert np.abs(part[k] - wanted).max(initial=0.0) <= 1e-13 * max(largest, 1e-3), (name, k)


@pytest.mark.parametrize("count", [5, MANY])
def test_a_six_joint_arm(count: int) -> None:
    arm = lp.catalog.random_dh_arm(6, seed=1).with_payload(2.0, (0.0, 0.05, 0.1))
    geared = {joint: lp.Drive(ratio=100.0, rotor_inertia=1e-4) for joint in arm.joint_names[:3]}
    family = drawn(arm.with_drives(geared).family([
        "gravity", "payload.mass", "payload.center_of_mass", "link2.length", "link3.length", "link2.mass",
        "link3.center_of_mass", "joint2.gear_ratio", "joint3.rotor_inertia", "joint5.origin",
    ]), count, 1)
    states = list(np.random.default_rng(2).normal(size=(3, 1, 6)))
    for name in ("inverse_dynamics", "joint_wrenches"):
        agrees(family, name, states)


def closed_states(robot: Any) -> dict[str, np.ndarray]:
    rng, driven = np.random.default_rng(3), len(robot.driven)
    q = np.array([robot.home, robot.home])
    qd, qdd = robot.complete(q, rng.normal(size=(2, driven)), rng.normal(size=(2, driven)))
    return {"q": q, "qd": qd, "qdd": qdd}


def numbers_of_links(robot: Any) -> list[str]:
    return [f"{link}.{part}" for link in robot.link_names[1:] for part in ("mass", "center_of_mass")]


@pytest.mark.parametrize("count", [3, MANY])
def test_a_four_bar(count: int) -> None:
    robot = lp.catalog.four_bar()
    family = drawn(robot.family([*numbers_of_links(robot), "gravity"]), count, 4)
    for name in ("inverse_dynamics", "joint_wrenches"):
        agrees(family, name, list(closed_states(robot).values()))


@pytest.mark.slow
@pytest.mark.parametrize("robot", [lp.catalog.four_bar(), lp.catalog.slider_crank(), lp.catalog.delta()],
                         ids=lambda robot: robot.name)
def test_every_quantity_of_robots_with_loops(robot: Any) -> None:
    family = drawn(robot.family([*numbers_of_links(robot)[:6], "gravity"]), 2, 5)
    states, rng = closed_states(robot), np.random.default_rng(6)
    left_out = {"closure", "step", "state_derivative", "force_along", "torque_about", "operational_space_inertia"}
    for name, quantity in quantities_of(robot).items():
        if name in left_out or (robot.n > 5 and "derivatives" in name):  # rounding alone, or with more arguments
            continue
        operands = getattr(robot, name).operands(Variant())[0]
        arrays = [states[o.name] if o.name in states else rng.normal(size=(2, *o.shape)) for o in operands]
        agrees(family, name, arrays, **({"link": robot.link_names[-1]} if quantity.takes_link else {}))


@pytest.mark.parametrize("count", [3, MANY])
def test_a_rover(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rover = lp.catalog.lau_rover(friction=lp.WheelFriction(0.6, 0.8, 0.01), driven=True)
    family = drawn(rover.family(["rover.mass", "rover.center_of_mass", "rod.mass", "carriage.mass"]), count, 7)
    q, moving = [[0.2, 0.3, 0.4]], {"velocity": (0.4, 0.1), "acceleration": (0.3, 0.0)}
    found = {part: getattr(family.wheel_loads(q, **moving), part) for part in ("normal", "lateral", "longitudinal")}
    stability = family.stability(q, **moving).margin
    force = family.ground_wrench(q, **moving).force
    monkeypatch.setattr(Compiled, "compiles", lambda *_: False)  # the rovers to compare with by their own equations
    for k in range(count):
        body = robot_of(family, k)
        anew = replace(rover, links=body.links, wheeled_base=rover._with_robot(body).wheeled_base)
        loads = anew.wheel_loads(q, **moving)
        for part, values in found.items():
            assert np.abs(values[k] - getattr(loads, part)).max() <= 1e-12 * float(np.abs(loads.normal).max())
        assert abs(stability[k] - anew.stability(q, **moving).margin).max() <= 1e-12
        assert np.abs(force[k] - anew.ground_wrench(q, **moving).force).max() <= 1e-12 * 200.0
