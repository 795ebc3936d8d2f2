"""Wheels on springs in time, against closed forms: quarter and half car, statics, driving, energy."""

import numpy as np
import pytest

import loadpath as lp
from loadpath.mobile.tyres import base_compliance

G = 9.81
M, K, C = 40.0, 2e4, 150.0
FRICTION = lp.WheelFriction(0.8)


def cart(center=(0.0, 0.0, 0.3), c=C, wheel=lp.CasterWheel, **parts) -> lp.Rover:
    """Four equal wheels at (+-0.5, +-0.3) of the radius 0.1."""
    wheels = [wheel((x, y), 0.1, stiffness=K, damping=c) for x in (-0.5, 0.5) for y in (-0.3, 0.3)]
    return lp.WheeledBase(mass=M, center_of_mass=center, inertia=np.diag([2.0, 3.0, 4.0]), wheels=wheels,
                          friction=FRICTION, **parts).carrying()


def after_start(force=(0, 0, 0), torque=(0, 0, 0)):
    """A step right after the base has come to rest."""
    zero = np.zeros(3)
    return lambda t, state: {"rover": lp.Wrench(*((force, torque) if t > 0 else (zero, zero)))}


def test_a_quarter_car_sinks_and_rings_as_in_closed_form():
    run = cart().simulate(duration=0.3, external=after_start(force=(0, 0, -100.0)), rtol=1e-9)
    w, zeta = np.sqrt(4 * K / M), 4 * C / (2 * np.sqrt(4 * K * M))
    damped = w * np.sqrt(1 - zeta**2)
    t = run.times
    ring = np.exp(-zeta * w * t) * (np.cos(damped * t) + zeta * w / damped * np.sin(damped * t))
    assert run.position[:, 2] == pytest.approx(-M * G / (4 * K) - 100 / (4 * K) * (1 - ring), abs=1e-8)
    assert run.energy_drift < 1e-7 and not run.events and run.damper_heat[-1] > 0
    assert run.normal.sum(axis=1)[0] == pytest.approx(M * G)


def test_a_half_car_pitches_at_its_frequency():
    """I + 0: no force along the ground; the wheels roll under their axles, so that the weight tips with h - R."""
    h = 0.3
    run = cart(c=0.0).simulate(duration=0.3, external=after_start(torque=(0, 1.0, 0)), rtol=1e-9)
    stiffness = 4 * K * 0.5**2 - M * G * (h - 0.1)
    w = np.sqrt(stiffness / 3.0)
    assert run.pitch == pytest.approx((1 - np.cos(w * run.times)) / stiffness, abs=2e-8)
    assert run.energy_drift < 1e-7


def test_a_base_stands_on_its_tyres_as_in_statics():
    rover = cart(center=(0.05, 0.02, 0.3))
    run = rover.simulate(duration=0.05)
    z, a, b = (base_compliance(rover) @ [0, 0, -M * G, -M * G * 0.02, M * G * 0.05, 0])[[2, 3, 4]]
    assert [run.position[-1, 2], run.roll[-1], run.pitch[-1]] == pytest.approx([z, a, b], rel=2e-2)
    assert run.position[-1] == pytest.approx(run.position[0], abs=1e-9) and abs(run.base_velocity).max() < 1e-9
    loads = rover.wheel_loads([])
    assert run.normal[-1] == pytest.approx(loads.normal, rel=5e-3)


def test_a_driven_cart_accelerates_and_squats():
    rover = cart(wheel=lp.FixedWheel)
    run = rover.simulate(velocity=(1.0, 0.0), duration=1.0, wheel_torques={"wheel1": 5.0, "wheel2": 5.0})
    assert run.velocity[-1, 0] == pytest.approx(1.0 + 2 * 5.0 / 0.1 / M, abs=1e-3)
    # The drives push at the ground, 0.3 m below the mass center.
    assert run.pitch[-1] == pytest.approx(-100 * 0.3 / (4 * K * 0.25), rel=2e-2)
    assert run.energy_drift < 1e-7


def test_a_base_thrown_up_flies_and_lands_on_its_springs():
    def up(t, state):
        return {"rover": lp.Wrench(force=(0, 0, 3 * M * G if 0 < t < 0.1 else 0.0))}

    run = cart(c=1500.0).simulate(velocity=(0.5, 0.2), duration=0.9, external=up, max_step=0.01)
    flies = run.lifted.all(axis=1) & (run.times > 0.11)
    speed = np.einsum("tij,tj->ti", _rotations(run), run.base_velocity[:, :3])[flies]
    t = run.times[flies]
    assert flies.sum() > 10
    assert speed[:, 2] == pytest.approx(speed[0, 2] - G * (t - t[0]), abs=1e-6)
    assert {event.kind for event in run.events} >= {"lifts", "lands"}
    assert run.energy_drift < 1e-6 and run.position[-1, 2] == pytest.approx(-M * G / (4 * K), abs=1e-4)


def _rotations(run):
    from loadpath.mobile.spatial.geometry import rotation_of

    return np.array([rotation_of(q) for q in run.quaternion])


@pytest.mark.parametrize(
    ("wheel", "message"),
    [
        ({"stiffness": K}, "its damping is not known: give damping="),
        ({"stiffness": K, "damping": 1.0, "grip_stiffness": 1e5}, "has a grip_stiffness, and simulate has wheels on"),
    ],
)
def test_what_is_not_known_of_tyres_in_time_is_refused(wheel, message):
    wheels = [lp.FixedWheel(at, 0.1, **wheel) for at in ((0, 0.3), (0, -0.3), (0.6, 0))]
    base = lp.WheeledBase(mass=M, center_of_mass=(0.2, 0, 0.3), wheels=wheels, friction=FRICTION).carrying()
    with pytest.raises(lp.ModelError, match=message):
        base.simulate(duration=0.1)


def test_a_base_on_springs_needs_all_of_its_freedoms():
    with pytest.raises(lp.ModelError, match="cannot do with a base with fewer freedoms"):
        cart().simulate(duration=0.1, freedoms="x")
