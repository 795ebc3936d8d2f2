"""Six wheels on rockers and bogies, on hills that are slippery in places and move: all that scrubs, hits and lifts."""

import numpy as np
import pytest
from scipy.interpolate import RectBivariateSpline

import loadpath as lp
from tests.mobile.linked import rocker_bogie

LINES = np.linspace(-4, 4, 33)


def on_moving_hills(seed):
    rng = np.random.default_rng(seed)
    a, b, c, d = rng.uniform(0.8, 2.0), rng.uniform(0, 3), rng.uniform(0.8, 2.0), rng.uniform(0, 3)
    heights = rng.choice([0.05, 0.1, 0.2]) * np.sin(a * LINES + b)[:, None] * np.cos(c * LINES + d)
    ice = lp.Patch(((-4, -4), (4, 0)), lp.WheelFriction(float(rng.choice([0.05, 0.1, 0.3]))))
    strip = lp.Patch(((0.3, 0), (0.8, 4)), lp.WheelFriction(0.2, rolling=0.02))
    motion = lp.GroundMotion(heave=lp.Sinusoid(1.2, 0.1), roll=lp.Sinusoid(0.5, 0.08), pitch=lp.Sinusoid(0.7, 0.05))
    ground = lp.Ground(surface=lp.HeightMap(LINES, LINES, heights, interpolation="cubic"), patches=[ice, strip],
                       motion=motion)
    friction = lp.WheelFriction(0.8, 0.9, float(rng.choice([0, 0.01])))
    rover = rocker_bogie(link_mass=1.0, ground=ground, friction=friction)
    rng.choice(4)
    pose = float(rng.uniform(-0.5, 0.5)), float(rng.uniform(-0.5, 0.5)), float(rng.uniform(-3, 3))
    return rover, pose


def driven(seed, duration):
    """All wheels at one rate, which on hills they cannot all follow without sliding."""
    rover, pose = on_moving_hills(seed)
    still = np.zeros(rover.n)
    rates = {name: (lambda t: 3 * t) for name in rover.contact_names}
    return rover.simulate(still, still, torque=still, pose=pose, duration=duration, sample_rate=50, wheel_rates=rates)


def test_what_hits_the_ground_beside_wheels_that_cannot_all_rest_stays_on_it():
    """After the impact at 0.044 s the contact approached the ground still, and hit it again without end."""
    run = driven(1, 0.06)
    assert run.times[-1] == pytest.approx(0.06)
    assert run.energy_drift < 1e-7
    assert [event.part for event in run.of_kind("impacts")].count("left rear") <= 3


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 3, 4])
def test_it_goes_on_for_a_second(seed):
    run = driven(seed, 1.0)
    assert run.times[-1] == pytest.approx(1.0)
    assert run.energy_drift < 1e-7


def test_cubic_maps_are_the_spline_that_scipy_has():
    rng = np.random.default_rng(5)
    x, y, z = np.sort(rng.uniform(-3, 3, 9)), np.linspace(-2, 2, 6), rng.normal(size=(9, 6))
    bumps, spline = lp.HeightMap(x, y, z, interpolation="cubic"), RectBivariateSpline(x, y, z)
    at = rng.uniform(x[0], x[-1], 200), rng.uniform(-2, 2, 200)
    found = bumps.shape(*at)
    for k, (i, j) in enumerate(((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))):
        wanted = spline.ev(*at, dx=i, dy=j)
        assert np.abs(found[:, k] - wanted).max() < 1e-12 * np.abs(wanted).max()
    assert np.isnan(bumps.shape(np.nan, 0.0)).all()
