"""Accelerations of rovers with wheels on links by hand, and as at the first moment of a simulation; given motions of
their robots, in which passive joints follow; ground that moves under them.
"""

from __future__ import annotations

import numpy as np
import pytest
from linked import axle, rocker_bogie, tractor, trailer, with_trailer
from numpy.testing import assert_allclose

import loadpath as lp

AHEAD = {"fl": 0.0, "fr": 0.0}
PUSH = {"rl": 150.0, "rr": 150.0}
PARTS = ("qdd", "acceleration", "normal", "longitudinal", "lateral")


def with_mast(**options):
    """The tractor with a trailer that carries a mast, which a drive turns."""
    own = trailer()
    mast = lp.Link("mast", lp.Inertia(60.0, (0.5, 0.1, 0.4), np.diag([4.0, 5, 6])))
    swivel = lp.Joint("slew", "trailer", "mast", lp.Revolute((0, 0, 1)), (-2.6, 0, 0.5))
    robot = lp.Robot("crane", (*own.links, mast), (*own.joints, swivel))
    robot = robot.with_drives({"slew": lp.Drive(ratio=50.0, rotor_inertia=1e-4)})
    return tractor(axle()).carrying(robot, at=(-0.8, 0, 0.4), **options)


def test_straight_on_with_wheels_that_spin() -> None:
    """a = F / (m_1 + m_2 + sum I / R^2), and the hitch pulls the trailer with what its mass takes."""
    spin, R = 1.5, 0.3
    wheels = [lp.FixedWheel((0, y), R, name=name, spin_inertia=spin) for y, name in ((0.7, "rl"), (-0.7, "rr"))]
    wheels += [lp.FixedWheel((2.5, y), R, name=name, spin_inertia=spin) for y, name in ((0.7, "fl"), (-0.7, "fr"))]
    base = lp.WheeledBase(mass=800, center_of_mass=(1.2, 0, 0.5), inertia=np.diag([200, 800, 900.0]),
                          wheels=[*wheels, *axle()], friction=lp.WheelFriction(0.8))
    rover = base.carrying(trailer(), at=(-0.8, 0, 0.4))
    found = rover.forward_dynamics([0.0], [0.0], [0.0], wheel_torques=PUSH)
    a = 1000.0 / (1100 + 4 * spin / R**2)
    assert_allclose(found.acceleration, (a, 0, 0), atol=1e-10)
    assert_allclose(found.qdd, 0, atol=1e-10)
    assert_allclose(found.longitudinal, [500 - spin / R**2 * a] * 2 + [-spin / R**2 * a] * 2 + [0, 0], atol=1e-9)
    hitch = rover.joint_wrenches([0.0], [0.0], [0.0], acceleration=(a, 0.0))
    assert_allclose(hitch.force[0, 0], 300 * a, rtol=1e-9)


def test_a_trailer_at_an_angle_by_equations_of_its_own() -> None:
    """Hitched on the axle, theta' = -(v/L) sin(theta) and d/dt (mu(theta) v^2 / 2) = F v; many states at once."""
    rover, F, L, d = with_trailer(hitch=(0.0, 0, 0.4)), 1000.0, 3.0, 2.6
    theta, v = np.array([0.6, -0.3, 1.0]), np.array([0.0, 2.0, -1.5])
    turns = -v / L * np.sin(theta)
    found = rover.forward_dynamics(theta[:, None], turns[:, None], np.zeros(1), velocity=(v, 0.0), wheel_torques=PUSH)
    c, s = np.cos(theta), np.sin(theta)
    mu = 800 + 300 * (c**2 + s**2 * (1 - d / L) ** 2) + 90 * s**2 / L**2
    slope = 2 * s * c * (300 * ((1 - d / L) ** 2 - 1) + 90 / L**2)
    a = (F - 0.5 * slope * turns * v) / mu
    assert_allclose(found.acceleration[:, 0], a, rtol=1e-9)
    assert_allclose(found.qdd[:, 0], -(a * s + v * c * turns) / L, atol=1e-9)
    for k in range(3):
        one = rover.simulate(theta[[k]], turns[[k]], velocity=(v[k], 0.0), wheel_torques=PUSH, steering=AHEAD,
                             duration=0.0)
        for name in PARTS:
            assert_allclose(getattr(found, name)[k], getattr(one, name)[0], rtol=1e-9, atol=1e-7)


def test_rockers_and_a_drive_beyond_its_grip() -> None:
    """On the plane all loads are those of statics; where a wheel spins, it pulls with its sliding friction."""
    rover = rocker_bogie(link_mass=2.0)
    push = rover.forward_dynamics(np.zeros(3), np.zeros(3), np.zeros(3), wheel_torques=np.ones(6))
    a = 6 * 1.0 / 0.1 / 48
    assert_allclose(push.acceleration, (a, 0, 0), atol=1e-9)
    assert_allclose(push.normal, rover.wheel_loads(np.zeros(3), acceleration=(a, 0.0)).normal, rtol=1e-7)
    assert not push.tips_over
    rover = rocker_bogie(link_mass=2.0, friction=lp.WheelFriction(0.2))
    spins = rover.forward_dynamics(np.zeros(3), np.zeros(3), np.zeros(3), wheel_torques=np.full(6, 20.0))
    first = rover.simulate(np.zeros(3), wheel_torques=dict.fromkeys(rover.contact_names, 20.0), duration=0.0)
    assert_allclose(spins.acceleration[0], 0.2 * 9.81, rtol=1e-9)
    assert_allclose(spins.acceleration, first.acceleration[0], atol=1e-9)


def test_rolling_resistance_and_dry_friction_hold_what_stands() -> None:
    """The trailer on a slope: what its rolling resistance takes less than what pulls it holds it."""
    base = tractor(axle(), friction=lp.WheelFriction(sliding=0.8, rolling=0.05))
    held, rolls = (base.carrying(trailer(), at=(-0.8, 0, 0.4), ground=lp.Ground(slope=slope)) for slope in (0.04, 0.08))
    assert_allclose(held.forward_dynamics([0.0], [0.0], [0.0]).acceleration, 0, atol=1e-9)
    g = 9.81 * (0.05 * np.cos(0.08) - np.sin(0.08))
    assert_allclose(rolls.forward_dynamics([0.0], [0.0], [0.0]).acceleration, (g, 0, 0), atol=1e-9)


def test_forces_that_given_accelerations_take_give_them() -> None:
    """A mast turns on the trailer: `base_acceleration` and `forward_dynamics` seek different accelerations."""
    rover = with_mast()
    q, qd, v = np.array([0.4, 0.3]), np.array([0.0, 0.5]), 1.0
    qd[0] = rover.roll(held(q, qd), velocity=(v, 0.0), wheel_rates={"rl": v / 0.3, "rr": v / 0.3}, times=[0.0]).qd[0, 0]
    moves = {"velocity": (v, 0.0), "wheel_torques": PUSH}
    asked = rover.base_acceleration(q, qd, [0.0, 2.0], **moves)
    back = rover.forward_dynamics(q, qd, asked.tau, **moves)
    assert asked.qdd[1] == 2.0 and abs(asked.qdd[0]) > 0.01 and asked.tau[0] == 0
    for name in PARTS:
        assert_allclose(getattr(back, name), getattr(asked, name), rtol=1e-9, atol=1e-8)
    own = rover.inverse_dynamics(q, qd, asked.qdd, velocity=(v, 0.0), acceleration=tuple(asked.acceleration))
    assert_allclose(own[1], asked.tau[1], rtol=1e-9)
    with pytest.raises(ValueError, match=r"qdd of 'yaw' is 3, and it is passive: it follows with"):
        rover.base_acceleration(q, qd, [3.0, 2.0], **moves)


def held(q, qd):
    """A motion whose driven joint turns evenly, and whose hitch stands."""
    t = np.array([0.0, 0.5])
    return lp.Motion(t, q + t[:, None] * qd * [0, 1], np.tile(qd * [0, 1], (2, 1)), np.zeros((2, 2)))


@pytest.mark.parametrize("v", [1.0, -1.0])
def test_rolled_along_a_tractrix(v: float) -> None:
    """tan(theta/2) falls as exp(-v t/L); the speed of the hitch at the start is found."""
    still = lp.Motion([0, 1.0], np.full((2, 1), 0.5), np.zeros((2, 1)), np.zeros((2, 1)))
    run = with_trailer(hitch=(0.0, 0.0, 0.4)).roll(
        still, velocity=(v, 0.0), wheel_rates={"rl": v / 0.3, "rr": v / 0.3}, sample_rate=5)
    assert_allclose(np.tan(run.q[:, 0] / 2), np.tan(0.25) * np.exp(-v * run.times / 3), rtol=1e-9)
    assert run.energy_drift < 1e-9


def test_a_mast_that_turns_moves_the_rover_under_it() -> None:
    """At every sample of `roll` the accelerations are those of the state."""
    rover, q, t = with_mast(), np.array([0.5, 0.0]), np.linspace(0, 0.2, 5)
    turn = np.stack([0 * t, 1.5 * t**2], axis=1)
    motion = lp.Motion(t, q + turn, np.stack([0 * t, 3 * t], axis=1), np.stack([0 * t, 3 + 0 * t], axis=1))
    run = rover.roll(motion, times=[0.0, 0.1, 0.2], steering=AHEAD)
    assert abs(run.q[-1, 0] - 0.5) > 1e-5 and abs(run.pose[-1, 0]) > 1e-5 and run.energy_drift < 1e-9
    again = rover.base_acceleration(run.q, run.qd, run.qdd * [0, 1], velocity=run.velocity, heading=run.pose[:, 2],
                                    steering=AHEAD)
    for name in (*PARTS, "tau"):
        assert_allclose(getattr(again, name), getattr(run, name), rtol=1e-7, atol=1e-6)


def test_on_a_deck_that_accelerates() -> None:
    """Free wheels: the deck slides away under it. Locked ones, and a push: as on ground at rest under the apparent
    gravity.
    """
    a, g = 1.2, 9.81
    deck = lp.Ground(motion=lp.GroundMotion(surge=lambda t: (0.5 * a * t**2, a * t, a)))
    rover = with_trailer(ground=deck)
    free = rover.simulate([0.0], duration=0.2, sample_rate=10, steering=AHEAD)
    assert_allclose(free.velocity[:, 0], -a * free.times, atol=1e-9)
    assert free.energy_drift < 1e-9
    tilted = with_trailer(ground=lp.Ground(slope=np.arctan(a / g), gravity=np.hypot(a, g)))
    both = [one.simulate([0.4], wheel_torques=PUSH, duration=0.3, sample_rate=10, steering=AHEAD)
            for one in (rover, tilted)]
    for name in ("pose", "q", "qd", "normal", "lateral", "qdd"):
        assert_allclose(getattr(both[0], name), getattr(both[1], name), rtol=1e-7, atol=1e-6)
    for moves in ({"time": 0.1}, {"ground_state": lp.GroundState(acceleration=(a, 0, 0))}):
        at = rover.forward_dynamics([0.4], wheel_torques=PUSH, steering=AHEAD, **moves)
        assert_allclose(at.acceleration, both[0].acceleration[0], atol=1e-9)
        assert_allclose(at.normal, both[0].normal[0], rtol=1e-9)


def test_on_a_deck_that_rolls() -> None:
    """About the ship's axis: the energy balances, and the loads are those of statics in the same state."""
    deck = lp.Ground(motion=lp.GroundMotion(roll=lambda t: (0.1 * np.sin(t), 0.1 * np.cos(t), -0.1 * np.sin(t)),
                                            pitch=lambda t: (0.05 * t**2, 0.1 * t, 0.1)))
    rover = with_trailer(ground=deck)
    run = rover.simulate([0.3], wheel_torques=PUSH, duration=0.5, sample_rate=4, steering=AHEAD)
    assert run.energy_drift < 1e-7
    state = {"velocity": run.velocity, "acceleration": run.acceleration, "heading": run.pose[:, 2],
             "position": run.pose[:, :2], "time": run.times, "steering": AHEAD}
    loads = rover.wheel_loads(run.q, run.qd, run.qdd, **state)
    assert_allclose(loads.normal.sum(axis=1), run.normal.sum(axis=1), rtol=1e-7)
    assert_allclose(loads.normal[:, 4:].sum(axis=1), run.normal[:, 4:].sum(axis=1), rtol=1e-6)


def test_what_accelerations_refuse() -> None:
    rover = with_trailer(pitch=True)
    with pytest.raises(ValueError, match=r"'t[lr]' of rover .* is .* above the ground with its joints"):
        rover.forward_dynamics([0.0, 0.1])
    with pytest.raises(ValueError, match="makes wheels slide across"):
        rover.forward_dynamics([0.3, 0.0], velocity=(1.0, 0.0))
    with pytest.raises(ValueError, match=r"qd moves contact 't[lr]' .* off the ground"):
        rover.forward_dynamics([0.0, 0.0], [0.0, 0.5])
    with pytest.raises(ValueError, match="the motion moves 'yaw', which is passive and follows"):
        with_trailer().roll(lp.Motion([0, 0.1], [[0.0], [0.1]], np.ones((2, 1)), np.zeros((2, 1))))
    with pytest.warns(lp.ModelWarning, match="NaN there"):
        unknown = rover.forward_dynamics([[0.0, np.nan], [0.0, 0.0]])
    assert np.isnan(unknown.acceleration[0]).all() and np.isfinite(unknown.normal[1]).all()
    assert unknown.tips_over.tolist() == [True, False]
