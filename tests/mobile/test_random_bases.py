"""Random bases under random laws: a few of them here, `python -m tests.mobile.random_bases` has as many as one likes.

Each was wrong once: corners that were stepped over, contacts that crept without end, searches that did not end.
"""

import numpy as np
import pytest
import random_bases
from carts import car
from random_bases import LAWS, run, run_limited

import loadpath as lp
from loadpath.mobile.corners import corners


@pytest.mark.parametrize("number", [10, 23, 41, 65, 101, 111, 319])
def test_it_rolls_without_slip_and_keeps_its_energy(number):
    assert run(number).faults() == []


def test_slow_sliding_is_followed_in_long_steps():
    """Two wheels with spin inertia and a base that begin to slide together: the directions of their friction come to
    rest in microseconds, which held the steps to 2e-5 s (27 s of computing for this one).
    """
    slides = random_bases.case(354)
    run = slides.rover.simulate(**slides.options)
    assert len(run.of_kind("slips")) == 2 and run.steps < 500 and run.energy_drift < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("number", [335, 343, 495, 555, 648, 726])
def test_slow_sliding_of_wheels_that_do_not_agree(number):
    verdict = run_limited(number)
    assert verdict.faults() == [], verdict.case


@pytest.mark.slow
@pytest.mark.parametrize("number", range(200))
def test_it_ends_in_time(number):
    verdict = run_limited(number)
    assert verdict.faults() == [], verdict.case


def test_parallel_front_wheels_steered_by_a_sine_say_nothing_absurd():
    """Their axles meet nowhere: one slips, of forces of the size of the weight."""
    steered = car(front=lp.SteeredWheel)
    run = steered.simulate(velocity=(1, 0), steering=dict.fromkeys(("fl", "fr"), lambda t: 0.2 * np.sin(3 * t)),
                           duration=0.3)
    assert run.of_kind("slips") and random_bases.absurd(steered, run) == [] and run.energy_drift < 1e-9


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_corners_of_laws_are_where_they_are(law):
    """Of the laws here only the delayed ramp has a corner; another one's is added to it."""
    smooth = corners(law(1.0), 0.0, 1.0)
    assert smooth == (pytest.approx([0.23], abs=1e-12) if law is random_bases.delayed else [])
    broken = corners(lambda t: law(1.0)(t) + 0.3 * abs(t - 0.61), 0.0, 1.0)
    assert min(np.abs(np.array(broken) - 0.61)) < 1e-12


def test_a_jump_is_no_corner():
    assert corners(lambda t: float(t > 0.3), 0.0, 1.0) == []


@pytest.mark.parametrize("kind", sorted(random_bases.KINDS))
def test_accelerations_from_rest_are_those_of_the_first_moment(kind):
    """As many torques as not are too little to move the base."""
    rng = np.random.default_rng(len(kind))
    for _number in range(9):
        wheels, _ = random_bases.KINDS[kind](rng, float(rng.choice([0.0, 0.02])))
        base = lp.WheeledBase(mass=60, center_of_mass=(*rng.uniform(-0.05, 0.05, 2), 0.2), inertia=np.diag([4.0, 6, 8]),
                              wheels=wheels, friction=lp.WheelFriction(0.9, rolling=0.02))
        rover = base.carrying(ground=lp.Ground(slope=float(rng.choice([0.0, 0.015]))))
        names = [name for name, wheel in zip(rover.contact_names, wheels, strict=True) if wheel.traction() is not None]
        torques = {name: float(rng.normal()) for name in names}
        angles = {name: float(rng.uniform(-1, 1)) for name in rover.steerable_names}
        heading = float(rng.uniform(-3, 3))
        first = rover.simulate(pose=(0, 0, heading), wheel_torques=torques, steering=angles, duration=0.0)
        found = rover.forward_dynamics(heading=heading, wheel_torques=torques,
                                       steering=[angles[name] for name in rover.steerable_names])
        np.testing.assert_allclose(found.acceleration, first.acceleration[0], atol=1e-9)
        np.testing.assert_allclose(found.normal, first.normal[0], atol=1e-7)
