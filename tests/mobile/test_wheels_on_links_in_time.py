"""Trailers, rockers and bogies in time: closed forms of rolling, equations of their own, and how they stand."""

from __future__ import annotations

import numpy as np
import pytest
from linked import axle, rocker_bogie, tractor, trailer, with_trailer
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import loadpath as lp

AHEAD = {"fl": 0.0, "fr": 0.0}


@pytest.mark.parametrize("v", [1.0, -1.0])
def test_a_trailer_hitched_on_the_axle_follows_a_tractrix(v: float) -> None:
    """theta' = -(v/L) sin(theta): tan(theta/2) falls as exp(-v t/L); backwards it grows, and the trailer jackknifes."""
    rover = with_trailer(hitch=(0.0, 0.0, 0.4))
    rates = {"rl": v / 0.3, "rr": v / 0.3}
    run = rover.simulate([0.5], [-(v / 3) * np.sin(0.5)], velocity=(v, 0.0), wheel_rates=rates, steering=AHEAD,
                         duration=1.0, sample_rate=10)
    assert_allclose(np.tan(run.q[:, 0] / 2), np.tan(0.25) * np.exp(-v * run.times / 3), rtol=1e-9)
    assert_allclose(run.pose[:, 0], v * run.times, atol=1e-9)
    assert_allclose(run.pose[:, 1:], 0.0, atol=1e-9)
    assert run.energy_drift < 1e-9


def test_a_trailer_under_torques_by_equations_of_its_own() -> None:
    """Straight on, theta' = -(v/L) sin(theta), and d/dt (mu(theta) v^2 / 2) = F v."""
    run = with_trailer().simulate([0.6], [0.0], wheel_torques={"rl": 150.0, "rr": 150.0}, steering=AHEAD, duration=1.0,
                                  sample_rate=10)
    m, mt, J, L, d, F = 800.0, 300.0, 90.0, 3.0, 2.6, 1000.0

    def rate(t, y):
        _, theta, v = y
        c, s, turns = np.cos(theta), np.sin(theta), -v / L * np.sin(theta)
        mu = m + mt * (c**2 + s**2 * (1 - d / L) ** 2) + J * s**2 / L**2
        slope = 2 * s * c * (mt * ((1 - d / L) ** 2 - 1) + J / L**2)
        return v, turns, (F - 0.5 * slope * turns * v) / mu

    own = solve_ivp(rate, (0, 1), (0.0, 0.6, 0.0), rtol=1e-11, atol=1e-12, t_eval=run.times).y
    assert_allclose(run.pose[:, 0], own[0], atol=1e-8)
    assert_allclose(run.q[:, 0], own[1], atol=1e-8)
    assert_allclose(run.velocity[:, 0], own[2], atol=1e-8)
    assert run.energy_drift < 1e-9


def test_two_trailers_behind_each_other() -> None:
    """Each hitched on the axle before it: theta_2' = -(v/L) (sin(theta_2) cos(theta_1) - sin(theta_1))."""
    first = trailer()
    links = [*first.links, lp.Link("second", lp.Inertia(200, (-2.6, 0, 0.3), np.diag([20, 60, 60.0])))]
    joints = [*first.joints, lp.Joint("yaw 2", "trailer", "second", lp.Revolute((0, 0, 1)), (-3, 0, 0))]
    train = lp.Robot("train", tuple(links), tuple(joints))
    more = [lp.FixedWheel((-3, y), 0.3, driven=False, name=f"second {y}", link="second") for y in (0.7, -0.7)]
    rover = tractor([*axle(), *more]).carrying(train, at=(0, 0, 0.4))
    v, L = 1.0, 3.0

    def rate(t, y):
        a, b = y
        return -v / L * np.sin(a), -v / L * (np.sin(b) * np.cos(a) - np.sin(a))

    start = np.array([0.5, -0.2])
    run = rover.simulate(start, rate(0, start), velocity=(v, 0.0), wheel_rates={"rl": v / 0.3, "rr": v / 0.3},
                         steering=AHEAD, duration=0.8, sample_rate=10)
    own = solve_ivp(rate, (0, 0.8), start, rtol=1e-12, atol=1e-13, t_eval=run.times).y
    assert_allclose(run.q, own.T, atol=1e-9)


def test_rockers_carry_in_time_what_they_carry_at_rest() -> None:
    rover = rocker_bogie(link_mass=2.0)
    run = rover.simulate([0, 0, 0], [0, 0, 0], wheel_torques=dict.fromkeys(rover.contact_names, 1.0), duration=0.3,
                         sample_rate=10)
    acceleration = 6 * 1.0 / 0.1 / 48
    assert_allclose(run.pose[:, 0], 0.5 * acceleration * run.times**2, atol=1e-9)
    assert_allclose(run.q, 0.0, atol=1e-9)
    still = rover.wheel_loads([0, 0, 0], acceleration=(acceleration, 0.0))
    assert_allclose(run.normal, np.broadcast_to(still.normal, run.normal.shape), rtol=1e-7)


def test_bogies_on_a_ramp_stand_as_the_ground_is() -> None:
    """Rolling freely onto it, with the impact of the front wheels at its foot: joints and pitch are those of standing
    there.
    """
    foot = lp.Ground(surface=lp.Ramp(at=0.52, slope=0.1, length=0.6))
    rover = rocker_bogie(link_mass=2.0, ground=foot, friction=lp.WheelFriction(0.4))
    run = rover.simulate([0, 0, 0], [0, 0, 0], velocity=(0.5, 0.0), duration=0.3, sample_rate=10)
    assert [event.kind for event in run.events] == ["impacts"] * 2
    stands = rover.wheel_loads(run.q[-1], position=run.pose[-1, :2], heading=run.pose[-1, 2]).state
    assert run.q[-1, 1] > 0.01
    assert_allclose(run.q[-1], stands.linked.q, atol=1e-9)
    assert_allclose(run.pitch[-1], stands.stance.pitch, atol=1e-9)
    assert run.energy_drift < 1e-7


def test_what_simulations_refuse() -> None:
    rover = with_trailer()
    with pytest.raises(lp.ModelError, match="cannot do with a base with fewer freedoms"):
        rover.simulate([0.0], [0.0], duration=0.1, freedoms=("x",))


@pytest.mark.slow
@pytest.mark.parametrize("surface", [
    lp.Ramp(at=0.8, slope=0.1, length=0.6, across=(0, 5)), lp.Kerb(at=0.8, step=0.02, across=(0, 5))])
def test_bogies_go_over_what_is_on_one_side_only(surface) -> None:
    """Six wheels, of which more grip than can at once: they scrub, hit and lift, and it goes on."""
    rover = rocker_bogie(link_mass=1.0, ground=lp.Ground(surface=surface))
    still = np.zeros(rover.n)
    run = rover.simulate(still, still, torque=still, velocity=(1.5, 0), pose=(0.1, 0, 0), duration=1.0, sample_rate=50)
    assert run.times[-1] == pytest.approx(1.0) and run.energy_drift < 1e-7 and run.of_kind("impacts")
    assert run.position[-1, 0] > 1.2 and run.position[-1, 2] > 0.005
