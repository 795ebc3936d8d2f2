"""The worst of a rover over a box: its bounds against many states, through its own functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import loadpath as lp
from loadpath.scalars.types import Floats

BOX = lp.Box(q={"theta1": (-1, 1), "theta2": (-1, 1), "d2": (0.2, 0.6)}, qd=(-1, 1), qdd=(-1, 1),
             velocity=[(0, 1), (-0.5, 0.5)], acceleration=[(-1, 1), (-1, 1)])


def sampled(rover: lp.Rover, count: int = 8_000) -> tuple[Any, ...]:
    """Wheel loads, stability and joint wrenches of many states of the box."""
    rng = np.random.default_rng(0)
    x = rng.uniform(*BOX.of(rover), (count, 9))
    base: dict[str, Floats] = {"velocity": rng.uniform([0, -0.5], [1, 0.5], (count, 2)),
                               "acceleration": rng.uniform(-1, 1, (count, 2))}
    states = x[:, :3], x[:, 3:6], x[:, 6:]
    return rover.wheel_loads(*states, **base), rover.stability(*states, **base), rover.joint_wrenches(*states, **base)


def moving(found: lp.WorstCase) -> dict[str, list[float]]:
    return {part: [found.also[f"{part} {k}"] for k in ("v_x", "v_y", "w")] for part in ("velocity", "acceleration")}


def test_wheels_margin_and_joints_of_a_rover() -> None:
    rover = lp.catalog.lau_rover(driven=True)
    loads, standing, wrenches = sampled(rover)
    most, least = (rover.worst_case("wheel1", "normal", over=BOX, sense=sense) for sense in ("max", "min"))
    assert most.certified and least.certified
    assert loads.normal[:, 0].max() <= most.value <= most.bound
    assert loads.normal[:, 0].min() >= least.value >= least.bound
    assert rover.wheel_loads(*most.state, **moving(most)).normal[0] == pytest.approx(most.value)
    margin = rover.worst_case("rover", "margin", over=BOX, tolerance=1e-2)
    assert margin.certified and standing.margin.min() >= margin.value >= margin.bound
    assert rover.stability(*margin.state, **moving(margin)).margin == pytest.approx(margin.value)
    force = rover.worst_case("theta1", "radial_force", over=BOX, seconds=1.0)  # whether it is certified or not
    assert np.hypot(*wrenches["theta1"].force[:, :2].T).max() <= force.bound
    assert force.value == pytest.approx(sum(part.value for part in force.top(1000)))


def test_a_cart_that_brakes_by_hand() -> None:
    """m (g b -+ a h) / (2 L) on each of two wheels in front and behind; the margin is b - a h / g."""
    m, h, b, a, g = 60.0, 0.3, 0.4, 2.0, 9.81
    wheels = [lp.FixedWheel(position=(x, y), radius=0.1) for x in (b, -b) for y in (-0.3, 0.3)]
    cart = lp.WheeledBase(mass=m, center_of_mass=(0, 0, h), wheels=wheels).carrying()
    box = lp.Box(acceleration=[(-a, a), 0])
    front = cart.worst_case("wheel1", "normal", over=box, sense="max")
    assert front.certified and front.value == pytest.approx(m * (g * b + a * h) / (4 * b))
    assert front.also["acceleration v_x"] == -a
    margin = cart.worst_case(cart.name, "margin", over=lp.Box(acceleration=[(-8, 8), 0]))
    assert margin.certified and margin.value == pytest.approx(b - 8 * h / g)
    tips = cart.worst_case(cart.name, "margin", over=lp.Box(acceleration=[(-20, 20), 0]))
    assert tips.value == pytest.approx(b - 20 * h / g) and tips.value < 0
    with pytest.raises(lp.ModelError, match="contacts lift off"):  # in most states of the box
        cart.worst_case("wheel1", "normal", over=lp.Box(acceleration=[(19, 20), 0]))
    lifts = cart.worst_case("wheel1", "normal", over=lp.Box(acceleration=[(-14, 14), 0]), sense="max")
    assert not lifts.certified and lifts.bound == np.inf


def test_what_is_no_box_of_a_rover() -> None:
    rover = lp.catalog.lau_rover()
    rest = {"q": BOX.q, "qd": 0}
    for what, over, options, words in (
        (("wheel1", "lateral"), rest, {}, "nothing bounds over a box"),
        (("wheel9", "normal"), rest, {}, "no contact 'wheel9'"),
        (("rover", "margin"), rest, {"sense": "max"}, "of the margin there is the least"),
        (("wheel1", "normal"), {**rest, "velocity": [(0, 1), 0]}, {"velocity": (1, 0)}, "leave out one"),
        (("wheel1", "normal"), {**rest, "velocity": 1.0}, {}, "expected 3 ranges"),
        (("theta1", "drive"), rest, {"velocity": np.zeros((5, 2))}, "over a box it is one motion"),
    ):
        with pytest.raises(ValueError, match=words):
            rover.worst_case(*what, over=over, **options)
    with pytest.raises(ValueError, match="has none: base_velocity="):
        rover.robot.worst_case("theta1", "drive", over=lp.Box(**rest, velocity=[0, 0]))


def test_peaks_and_verdict_of_a_rover_over_a_box() -> None:
    rover = lp.catalog.lau_rover(driven=True)
    box = lp.Box(q={"theta1": (-0.5, 0.5), "theta2": 0, "d2": 0.5}, qd=0, acceleration=[(-1, 1), 0])
    peaks = rover.peak_loads(over=box, seconds=60)
    wheel = peaks["wheel1", "normal"]
    assert wheel.bound is not None and wheel.maximum <= wheel.bound <= 1.01 * wheel.maximum
    assert peaks["rover", "margin"].bound == pytest.approx(peaks["rover", "margin"].minimum, rel=0.01)
    assert "Over the box of states" in peaks.to_table()
    found = rover.verdict(over=box, seconds=60)
    assert "of a box" in found.headline
    assert {one.quantity for one in found.worst_cases} >= {"normal", "margin", "drive"}
