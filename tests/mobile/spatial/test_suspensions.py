"""Wheels on suspensions in time, against closed forms, statics, modes, and equations written apart."""

import numpy as np
import pytest

import loadpath as lp

G = 9.81
STOPS = {"bump_travel": 0.18, "bump_stop_stiffness": 2e5, "rebound_travel": 0.05, "rebound_stop_stiffness": 4e5}
KINDS = {
    "hubs with a mass": {"unsprung_mass": 40.0},
    "dampers": {},
    "tyres alone have dampers": {"damping": 0.0, "tyre_damping": 300.0},
    "no dampers": {"damping": 0.0},
    "hubs with a mass on rigid tyres": {"unsprung_mass": 40.0, "tyre": None},
    "rigid tyres": {"tyre": None},
    "rigid tyres without dampers": {"damping": 0.0, "tyre": None},
}


def car(center=(0.0, 0.0, 0.5), tyre=200e3, tyre_damping=0.0, wheel=lp.CasterWheel, bars=(), mass=1400.0, **parts):
    """Four equal wheels at (+-1.2, +-0.7)."""
    strut = lp.Suspension(**{"stiffness": 20e3, "damping": 1500.0, **parts})
    own = {} if tyre is None else {"stiffness": tyre, "damping": tyre_damping}
    wheels = [wheel((x, y), 0.3, suspension=strut, **own) for x in (-1.2, 1.2) for y in (-0.7, 0.7)]
    return lp.WheeledBase(mass=mass, center_of_mass=center, inertia=np.diag([400.0, 1500.0, 1700.0]), wheels=wheels,
                          friction=lp.WheelFriction(0.8), anti_roll_bars=bars).carrying()


def after_start(force=(0, 0, 0), torque=(0, 0, 0)):
    """A step right after the base has come to rest."""
    zero = np.zeros(3)
    return lambda t, state: {"rover": lp.Wrench(*((force, torque) if t > 0 else (zero, zero)))}


@pytest.mark.parametrize("kind", KINDS)
def test_a_base_begins_at_rest_as_in_statics_and_keeps_its_energy(kind):
    """Statics are of first order: a preload keeps the posture small."""
    rover = car(center=(0.01, 0.005, 0.5), preload=3000.0, **KINDS[kind])
    posture = rover.posture()
    run = rover.simulate(duration=0.2, external=after_start((0, 0, -3000.0), (200.0, 300.0, 0)))
    assert run.suspension_travel[0] == pytest.approx(posture.suspension, abs=1e-3)
    assert run.normal[0] == pytest.approx(posture.normal, rel=5e-3)
    assert abs(run.base_acceleration[0]).max() < 1e-9
    assert run.energy_drift < 1e-9 and not run.events and abs(run.base_velocity).max() > 0.1
    assert (run.damper_heat[-1] > 0) == (kind not in ("no dampers", "rigid tyres without dampers"))
