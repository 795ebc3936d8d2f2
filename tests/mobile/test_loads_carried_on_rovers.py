"""Loads that robots on a rover carry for a part of their motion, against rovers with the payload on."""

from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp

CENTER, TENSOR = (0.05, 0.02, 0.1), [[0.02, 0.001, 0.0], [0.001, 0.03, 0.002], [0.0, 0.002, 0.025]]
ROVER = lp.catalog.lau_rover(driven=True, friction=lp.WheelFriction(0.8))
HEAVY = ROVER.with_payload(2.0, CENTER, inertia=TENSOR, link="rod")
MOTION = lp.Motion.through(lp.catalog.lau_arm(), [[0, 0, 0.5], [1, 0.3, 0.7]], [0, 1], rate=20)
LOAD = lp.Carried(2.0, from_=0.3, to=0.7, link="rod", center_of_mass=CENTER, inertia=TENSOR, name="sample")
LOADED, WHEN = MOTION.with_loads([LOAD]), LOAD.at(MOTION.t)
DRIVING = {"velocity": np.linspace([0, 0], [1, 1], len(MOTION)), "acceleration": (0.3, 0.2)}


def either(heavy, light):
    return np.where(WHEN.reshape(-1, *[1] * (np.ndim(light) - 1)), heavy, light)


@pytest.mark.parametrize("base", [{}, DRIVING], ids=["standing", "driving"])
def test_wheels_tipping_and_ground_are_those_of_a_payload(base):
    found, heavy, light = (rover.wheel_loads(motion, **base)
                           for rover, motion in ((ROVER, LOADED), (HEAVY, MOTION), (ROVER, MOTION)))
    for part in ("normal", "longitudinal", "lateral"):
        assert np.abs(getattr(found, part) - either(getattr(heavy, part), getattr(light, part))).max() < 1e-11
    found, heavy, light = (rover.stability(motion, **base)
                           for rover, motion in ((ROVER, LOADED), (HEAVY, MOTION), (ROVER, MOTION)))
    for part in ("margin", "force_angle", "zero_moment_point"):  # the second by the mass center, with the load
        assert np.abs(getattr(found, part) - either(getattr(heavy, part), getattr(light, part))).max() < 1e-11


def test_a_slope_and_a_heading_count():
    base = {"heading": np.linspace(0, 2, len(MOTION)), "velocity": (0.5, 0.4)}
    ground = replace(ROVER.ground, slope=0.2)
    found, heavy, light = (replace(rover, ground=ground).ground_wrench(motion, **base)
                           for rover, motion in ((ROVER, LOADED), (HEAVY, MOTION), (ROVER, MOTION)))
    assert np.abs(found.torque - either(heavy.torque, light.torque)).max() < 1e-11
    assert np.abs(found.force - either(heavy.force, light.force)).max() < 1e-11


@pytest.mark.parametrize("call", [
    lambda: ROVER.largest_acceleration(LOADED, direction=(1, 0)),
    lambda: ROVER.largest_payload(LOADED, link="rod"),
    lambda: ROVER.forward_dynamics(LOADED, np.zeros(3)),
    lambda: ROVER.base_acceleration(LOADED),
    lambda: ROVER.roll(LOADED),
    lambda: ROVER.mass_matrix(LOADED),
    lambda: ROVER.mass_center(LOADED),
    lambda: ROVER.wheel_loads(LOADED, deflected=True),
])
def test_what_cannot_count_them_refuses(call):
    with pytest.raises(ValueError, match="the motion carries 'sample'"):
        call()
