"""Steered wheels on links: as those of the base where the link is fixed, and by a tractrix where it turns."""

from __future__ import annotations

import numpy as np
import pytest
from linked import tractor, trailer
from numpy.testing import assert_allclose

import loadpath as lp


def cart(*, link: bool):
    """Four wheels of 50 kg, the front ones steered, on the base or on a link that is welded to it."""
    where = {"link": "axle"} if link else {}
    wheels = [lp.FixedWheel((0, y), 0.1, name=name) for y, name in ((0.3, "rl"), (-0.3, "rr"))]
    wheels += [lp.SteeredWheel((0.1 if link else 1.0, y), 0.1, driven=False, name=name, **where)
               for y, name in ((0.3, "fl"), (-0.3, "fr"))]
    body = lp.Inertia(2.0, (0, 0, 0), 0.01 * np.eye(3))
    arm = lp.Robot("arm", [lp.Link("root"), lp.Link("axle", body), lp.Link("tip", lp.Inertia(1.0, (0.1, 0, 0)))],
                   [lp.Joint("weld", "root", "axle", lp.Fixed(), (0.9, 0, 0.1)),
                    lp.Joint("turn", "axle", "tip", lp.Revolute((0, 0, 1)))])
    return lp.WheeledBase(mass=50, center_of_mass=(0.4, 0, 0.3), inertia=np.diag([3.0, 4, 5]), wheels=wheels,
                          friction=lp.WheelFriction(0.8)).carrying(arm)


@pytest.fixture(scope="module")
def both():
    return cart(link=True), cart(link=False)


@pytest.mark.parametrize("steering", [None, [0.3, 0.25]])
def test_on_a_welded_link_as_on_the_base(both, steering) -> None:
    motion = {"velocity": (1.0, 0.3), "acceleration": (0.2, 0.1), "steering": steering}
    one, other = (rover.wheel_loads([0.2], [0.5], [0.1], **motion) for rover in both)
    for name in ("normal", "longitudinal", "lateral", "drive_torque", "forward"):
        assert_allclose(getattr(one, name), getattr(other, name), atol=1e-11)
    moves = [rover.wheel_motion((1.0, 0.3), steering, **more) for rover, more in zip(both, ({"q": [0.2]}, {}),
                                                                                    strict=True)]
    for name in ("rate", "steering", "scrub"):
        assert_allclose(getattr(moves[0], name), getattr(moves[1], name), atol=1e-12)
    assert moves[0].scrubs == (steering is not None)


def test_in_time_on_a_welded_link_as_on_the_base(both) -> None:
    """Wheels that turn into a curve together; one rover is simulated as a free body, the other on its plane."""
    def bend(t):
        return 0.4 * t

    steering = {name: lambda t, y=y: np.arctan(bend(t) / (1 - y * bend(t))) for name, y in (("fl", 0.3), ("fr", -0.3))}
    rates = {name: lambda t, y=y: 10 * (1 - y * bend(t)) for name, y in (("rl", 0.3), ("rr", -0.3))}
    one, other = (rover.simulate([0.2], [0.5], velocity=(1.0, 0.0), wheel_rates=rates, steering=steering, duration=0.2,
                                 sample_rate=20) for rover in both)
    for name in ("pose", "velocity", "q"):
        assert_allclose(getattr(one, name), getattr(other, name), atol=1e-9)
    assert_allclose(one.lateral, other.lateral, atol=1e-6)


def test_a_trailer_whose_wheel_is_steered() -> None:
    """At an angle d it leaves the trailer's angle a' = -v sin(a + d) / (L cos d): a tractrix of a + d."""
    d, start = 0.2, 0.4
    wheel = lp.SteeredWheel((-3.0, 0.0), 0.3, driven=False, name="t", link="trailer")
    truck = tractor([wheel]).carrying(trailer(), at=(0.0, 0, 0.4))
    rate = -np.sin(start + d) / (3 * np.cos(d))
    motion = truck.wheel_motion((1.0, 0.0), {"t": d}, q=[start], qd=[rate])
    assert_allclose(motion.scrub, 0, atol=1e-12)
    assert_allclose(truck.wheel_motion((1.0, 0.0), q=[start], qd=[rate]).steering[2], d, rtol=1e-12)
    assert not truck.slip([start], [rate], velocity=(1.0, 0.0)).sliding.any()
    run = truck.simulate([start], [rate], velocity=(1.0, 0.0), wheel_rates={"rl": 1 / 0.3, "rr": 1 / 0.3},
                         steering={"fl": 0.0, "fr": 0.0, "t": d}, duration=0.5, sample_rate=10)
    expected = np.tan((start + d) / 2) * np.exp(-run.times / (3 * np.cos(d)))
    assert_allclose(np.tan((run.q[:, 0] + d) / 2), expected, rtol=1e-8)


def test_casters_are_on_the_base() -> None:
    with pytest.raises(lp.ModelError, match="has an angle that follows the motion, which is known of wheels on the"):
        tractor([lp.CasterWheel((-3, 0), 0.3, name="x", link="trailer")]).carrying(trailer(), at=(-0.8, 0, 0.4))
