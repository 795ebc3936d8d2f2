"""Bases that rock, tip and lift off on ground that moves, against hand formulas and equations in inertial space."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import loadpath as lp

G, M, B, H = 9.81, 20.0, 0.3, 0.6
INERTIA = M * (B**2 + H**2) / 3


def block(motion: lp.GroundMotion) -> lp.Rover:
    """2 B wide, 2 H high, on four feet that do not slide."""
    feet = [lp.Support((x, y)) for x in (B, -B) for y in (0.3, -0.3)]
    base = lp.WheeledBase(mass=M, center_of_mass=(0, 0, H), inertia=np.diag([INERTIA, INERTIA, 1.0]), wheels=feet,
                          friction=lp.WheelFriction(2.0))
    return base.carrying(ground=lp.Ground(motion=motion))


def test_a_block_on_an_accelerating_truck_tips_at_g_b_over_h():
    """At a = j t it begins to rock at t = g B/(H j); from there on about its rear edge."""
    j, begins = 20.0, G * B / (H * 20.0)
    run = block(lp.GroundMotion(surge=lambda t: (j * t**3 / 6, j * t * t / 2, j * t))).simulate(duration=0.5)
    assert run.of_kind("rocks")[0].time == pytest.approx(begins, abs=1e-8)

    def rate(t, y):
        c, s = np.cos(y[0]), np.sin(y[0])
        return [y[1], M * (j * t * (H * c + B * s) - G * (B * c - H * s)) / (INERTIA + M * (B**2 + H**2))]

    later = run.times > begins
    own = solve_ivp(rate, (begins, 0.5), [0.0, 0.0], t_eval=run.times[later], rtol=1e-10, atol=1e-13).y[0]
    assert -run.pitch[later] == pytest.approx(own, abs=1e-8) and own[-1] > 0.01
    assert run.energy_drift < 1e-9


def test_a_block_tips_on_a_pitching_deck_as_in_inertial_space():
    """With the front edge p of the deck and the angle a = pitch of the deck + own, about the edge:
    (I + m c^2) a'' = -m (p'' + g z) . d/da(Rot(a) c).
    """
    pitch = lp.Sinusoid(0.9, 0.3)
    run = block(lp.GroundMotion(pitch=pitch, about=(-2.0, 0.0, -1.0))).simulate(duration=0.5)
    begins = run.of_kind("rocks")[0].time

    def rot(a):
        return np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])

    def turned(a):
        return np.array([[-np.sin(a), np.cos(a)], [-np.cos(a), -np.sin(a)]])

    edge, center = np.array([B + 2.0, 1.0]), np.array([-B, H])

    def rate(t, y):
        deck, speed, change = pitch.derivatives(t)
        moved = change * turned(deck) @ edge - speed**2 * rot(deck) @ edge
        along = turned(deck + y[0]) @ center
        return [y[1], -M * (moved + np.array([0.0, G])) @ along / (INERTIA + M * (B**2 + H**2)) - change]

    later = run.times > begins
    own = solve_ivp(rate, (begins, 0.5), [0.0, 0.0], t_eval=run.times[later], rtol=1e-10, atol=1e-13).y[0]
    assert run.pitch[later] == pytest.approx(own, abs=1e-7) and own[-1] > 1e-3
    assert run.energy_drift < 1e-8


def test_a_shaker_throws_its_load_where_it_accelerates_down_faster_than_g():
    a, w = 0.02, 2 * np.pi * 5.0
    run = block(lp.GroundMotion(heave=lp.Sinusoid(a, 5.0))).simulate(duration=0.18)
    lifts = np.arcsin(G / (a * w * w)) / w
    z, v = a * np.sin(w * lifts), a * w * np.cos(w * lifts)
    lands = brentq(lambda t: z + v * (t - lifts) - 0.5 * G * (t - lifts) ** 2 - a * np.sin(w * t), 0.1, 0.2)
    assert [run.of_kind(kind)[0].time for kind in ("lifts", "lands")] == pytest.approx([lifts, lands], abs=1e-7)
    hit = v - G * (lands - lifts) - a * w * np.cos(w * lands)
    assert run.impact_heat[-1] == pytest.approx(0.5 * M * hit**2, rel=1e-6) and run.energy_drift < 1e-8


def test_wheels_that_spin_on_ground_that_turns_are_those_of_a_free_body():
    """Frictionless on a turntable, a cart keeps its straight line in inertial space."""
    wheels = [lp.CasterWheel((x, y), 0.1) for x in (0.35, -0.35) for y in (0.3, -0.3)]
    wheels[0] = lp.FixedWheel((0.35, 0.3), 0.1, spin_inertia=0.01, friction=lp.WheelFriction(0.0))
    base = lp.WheeledBase(mass=M, center_of_mass=(0, 0, 0.1), inertia=np.eye(3), wheels=wheels,
                          friction=lp.WheelFriction(0.0))
    rate = 0.7
    ground = lp.Ground(motion=lp.GroundMotion(yaw=lambda t: (rate * t, rate, 0.0)))
    run = base.carrying(ground=ground).simulate(velocity=(0.5, 0.0, 0.0), pose=(0.4, 0.0, 0.0), duration=0.4)
    turn = rate * run.times
    c, s = np.cos(turn), np.sin(turn)
    x, y = run.position[:, :2].T
    inertial = np.stack([c * x - s * y, s * x + c * y], axis=1)
    assert inertial == pytest.approx(np.outer(run.times, [0.5, 0.4 * rate]) + np.array([0.4, 0.0]), abs=1e-8)
    assert run.base_acceleration[:, :3] == pytest.approx(0.0, abs=1e-8)
