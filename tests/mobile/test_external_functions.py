"""External wrenches on a simulated rover as functions of time and state."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from loadpath.mobile.wheel_drives import RoverState


def cart(**friction: float) -> lp.Rover:
    wheels = [lp.FixedWheel((x, y), 0.1, driven=False) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    return lp.WheeledBase(mass=40, center_of_mass=(0, 0, 0.2), inertia=np.diag([1.0, 1.0, 2.0]), wheels=wheels,
                          friction=lp.WheelFriction(0.8, **friction)).carrying()


def test_a_function_that_gives_the_same_is_the_same() -> None:
    rover = lp.catalog.lau_rover()
    push = {"rod": lp.Wrench(force=(4.0, 1.0, -2.0), torque=(0.1, 0.2, 0.3)), "rover": lp.Wrench(force=(3.0, 0.0, 0.0))}
    start = {"q": [0.1, 0.2, 0.5], "qd": [0.3, 0.0, 0.1], "duration": 0.2, "velocity": (0.3, 0.2), "max_step": 0.01}
    constant = rover.simulate(**start, external=push)
    for function in (lambda t, q, qd: push, lambda t, state: push, lambda *given: push):
        found = rover.simulate(**start, external=function)
        assert np.abs(found.pose - constant.pose).max() < 1e-12
        assert np.abs(found.external_work - constant.external_work).max() < 1e-12
        assert found.energy_drift < 1e-7
    swing = lp.Motion.through(lp.catalog.lau_arm(), [[0, 0, 0.5], [1, 0, 0.5]], [0, 0.3], rate=50)
    rolled, by_function = (rover.roll(swing, external=given) for given in (push, lambda t, q, qd: push))
    assert np.abs(rolled.pose - by_function.pose).max() < 1e-8


def test_momentum_of_a_push_and_energy() -> None:
    def push(t: float, q: np.ndarray, qd: np.ndarray) -> dict[str, lp.Wrench]:
        return {"rover": lp.Wrench(force=(60 * np.sin(np.pi * t), 0.0, 0.0))}

    out = cart().simulate(duration=1.0, external=push)
    assert 40 * out.velocity[-1, 0] == pytest.approx(60 * 2 / np.pi, rel=1e-8)  # the impulse
    assert out.external_work[-1] == pytest.approx(0.5 * 40 * out.velocity[-1, 0] ** 2, rel=1e-8)
    assert out.energy_drift < 1e-8


def test_a_function_of_the_state_is_drag() -> None:
    drag = lambda t, state: {"rover": lp.Wrench(force=(-8 * state.velocity[0], 0, 0))}  # noqa: E731
    out = cart().simulate(duration=2.0, velocity=(1.0, 0.0), external=drag)
    assert out.velocity[-1, 0] == pytest.approx(np.exp(-8 / 40 * 2), rel=1e-8)
    assert out.external_work[-1] == pytest.approx(-out.kinetic[0] * (1 - np.exp(-0.8)), rel=1e-7)


def test_a_push_that_grows_starts_the_cart_when_rolling_resistance_lets_go() -> None:
    rover = cart(rolling=0.02)  # holds 0.02 * 40 * 9.81 = 7.848 N
    out = rover.simulate(duration=1.0, external=lambda t, q, qd: {"rover": lp.Wrench(force=(10 * t, 0.0, 0.0))})
    assert out.of_kind("rolls")[0].time == pytest.approx(0.7848, abs=1e-6)
    assert out.velocity[-1, 0] == pytest.approx(10 * (1 - 0.7848) ** 2 / 2 / 40, rel=1e-6)


@pytest.mark.parametrize(("external", "words"), [
    (lambda t, state: 5, r"'external' at t = 0 s is a int: expected a mapping"),
    (5, r"'external' is a int: expected a mapping from link names .* or a function of t, q and qd"),
    (lambda t, state: {"rover": lp.Wrench(force=(np.nan, 0, 0))}, r"at t = 0 s is not one finite wrench"),
    ({"rover": lp.Wrench(force=(np.nan, 0, 0))}, r"'external' is not one finite wrench"),
    ({"rover": lp.Wrench(force=np.zeros((3, 3)))}, r"'external' is not one finite wrench"),
    (lambda t, state: {"rover": lp.Wrench(force=(1, 0, 0))} if t < 0.5 else {}, r"acts on \[\] at t = 0\.5.* on \['r"),
    (lambda t, state: {"wing": lp.Wrench(force=(1, 0, 0))}, r"no link 'wing'"),
])
def test_refusals(external, words) -> None:
    with pytest.raises(ValueError, match=words):
        cart().simulate(duration=1.0, external=external)


def test_a_function_cannot_change_the_state_that_it_is_given() -> None:
    """Several functions share one state, so it is read-only; q and qd of a torque function are copies."""

    def stops_the_cart(t: float, state: RoverState) -> dict[str, lp.Wrench]:
        state.velocity[:] = 0.0
        return {"rover": lp.Wrench()}

    with pytest.raises(ValueError, match="read-only"):
        cart().simulate(duration=0.1, velocity=(1.0, 0.0), external=stops_the_cart)
