"""Wheels that stand by their rolling resistance while others are driven, wheels on a slope: kinematics, and by hand.

Where no rim slides and no fixed wheel goes sideways, the rates of two wheels alone say how the base moves:
v = R (b_l + b_r)/2, w = R (b_r - b_l)/(2 d). Rolling resistance can change the forces of that, never the motion.
"""

import math

import numpy as np
import pytest
from carts import D, G, R, car, cart, differential
from rovers import random_base
from scipy.optimize import linprog

import loadpath as lp
from loadpath.mobile.contacts.sharing import friction_needed, groups_of


def quintic(end, duration=1.0):
    return lambda t: end * np.polyval([6, -15, 10, 0, 0, 0], min(max(t / duration, 0.0), 1.0))


LAWS = {
    "parabola": (lambda t: 2 * t * t, lambda t: 2 * t * t, 0.5),
    "two quintics": (quintic(2.0), quintic(3.0), 1.0),
    "one quintic": (quintic(0.0), quintic(1.0), 1.0),
    "delayed": (lambda t: 2 * max(t - 0.1, 0.0), lambda t: 2 * max(t - 0.1, 0.0), 0.5),
    "cosine": (lambda t: 1 - math.cos(3 * t), lambda t: 1 - math.cos(3 * t), 1.0),
}


@pytest.mark.parametrize("spin_inertia", [0.0, 0.02])
@pytest.mark.parametrize("law", LAWS)
def test_a_smooth_start_moves_the_base_as_its_rims_do(law, spin_inertia):
    left, right, duration = LAWS[law]
    run = differential(spin_inertia).simulate(wheel_rates={"rl": left, "rr": right}, duration=duration)
    a, b = np.array([left(t) for t in run.times]), np.array([right(t) for t in run.times])
    corner = 2e-6  # the rates of rates are differences over 1e-5 s
    np.testing.assert_allclose(run.velocity[:, 0], R * (a + b) / 2, atol=corner)
    np.testing.assert_allclose(run.velocity[:, 2], R * (b - a) / (2 * D), atol=corner)
    np.testing.assert_allclose(run.velocity[:, 1], 0.0, atol=1e-9)
    assert run.energy_drift < 1e-6 and not run.sliding.any()
    assert "c" in [event.part for event in run.of_kind("rolls")]


@pytest.mark.parametrize("spin_inertia", [0.0, 0.05])
@pytest.mark.parametrize("driven", [("rl",), ("rl", "rr")])
def test_four_fixed_wheels_follow_the_driven_ones(driven, spin_inertia):
    for rate, duration in ((lambda t: t * t, 0.5), (lambda t: 2 * t, 0.1)):
        run = car(spin_inertia).simulate(wheel_rates=dict.fromkeys(driven, rate), duration=duration)
        np.testing.assert_allclose(run.velocity[-1], [R * rate(duration), 0, 0], atol=1e-6)
        assert run.energy_drift < 1e-6 and not run.sliding.any()


@pytest.mark.parametrize("spin_inertia", [0.0, 0.05])
def test_one_driven_wheel_turns_the_base_within_its_grip(spin_inertia):
    """Its rim takes its side of the axle along; where the other side goes is a question of masses."""
    run = differential(spin_inertia).simulate(wheel_rates={"rl": lambda t: 2 * t}, duration=0.01)
    v, _, w = run.velocity[-1]
    assert v - D * w == pytest.approx(R * 0.02, abs=1e-9) and run.energy_drift < 1e-6
    # The axle does not slip sideways: m (v' - c w^2) and J w' + m c v w along (d, 1), which keeps v - d w, with
    # J about the middle of the axle and what resists the other wheel, at (0, -d), and the caster, at (1, 0).
    if not spin_inertia:
        m, c = 200, 0.2
        J = 50 + m * c * c
        other, caster = 0.01 * run.normal[-1, 1:]
        resists = -other * 2 * D - caster * (v * D + w) / np.hypot(v, w)
        turn = (resists - m * (2 * R - c * w * w) * D - m * c * v * w) / (m * D * D + J)
        assert run.acceleration[-1, 2] == pytest.approx(turn, rel=1e-6)


@pytest.mark.parametrize(("off", "turned"), [(0.0, 0.0), (1e-6, 0.0), (1e-2, 0.0), (0.0, 1e-6), (1e-2, 1e-2)])
def test_steered_wheels_with_rates_or_angles_that_do_not_quite_agree(off, turned):
    radius = 1 / math.tan(0.3)
    fl, fr = math.atan2(1, radius - D) + turned, math.atan2(1, radius + D)
    left, right = radius - D, radius + D
    ways = {"rl": left * (1 + off), "rr": right, "fl": math.hypot(1, left), "fr": math.hypot(1, right)}
    rates = {name: (lambda t, way=way: 0.5 * t * way / radius / R) for name, way in ways.items()}
    run = car(front=lp.SteeredWheel).simulate(wheel_rates=rates, steering={"fl": fl, "fr": fr}, duration=1.0)
    np.testing.assert_allclose(run.velocity[-1], [0.5, 0, 0.5 / radius], atol=1e-6)
    assert run.energy_drift < 1e-6


# A slope


@pytest.mark.parametrize("heading", [math.pi / 2, math.pi / 2 + 0.01, -math.pi / 2, 1.2])
@pytest.mark.parametrize("friction", [0.48, 0.44, 0.4, 0.3, 0.2])
def test_a_cart_across_a_slope_slides_as_soon_as_friction_does_not_hold(heading, friction):
    """m a = m g sin s - mu m g cos s across its wheels; along them nothing holds it. It does not turn: its mass center
    is in the middle, and the sum of the moments of mu N about it is zero.
    """
    slope, duration = 0.43, 0.5
    run = cart(friction, lp.Ground(slope=slope)).simulate(pose=(0, 0, heading), duration=duration)
    pull = G * math.sin(slope) * np.array([-math.cos(heading), math.sin(heading)])  # along the base's axes
    holds = friction * G * math.cos(slope)
    across = math.copysign(max(abs(pull[1]) - holds, 0.0), pull[1])
    np.testing.assert_allclose(run.velocity[-1], [pull[0] * duration, across * duration, 0], atol=2e-8)
    assert bool(run.sliding.any()) == (abs(pull[1]) > holds)
    assert run.energy_drift < 1e-9 or np.abs(run.velocity).max() < 1e-12


def test_friction_that_is_needed_is_the_least_there_is():
    """The smallest r with L^T f = load, |f_i| <= r l_i, is a linear program where every group has one row."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        count, rank = int(rng.integers(3, 8)), int(rng.integers(1, 4))
        L, limit = rng.standard_normal((count, rank)), rng.uniform(0.01, 2, count)
        _compare(L, limit, L.T @ rng.standard_normal(count))
    # Two pairs of wheels, each loaded alike, a pull through the middle but for rounding: many motions are the least.
    rows = np.array([[-0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [-0.5, -0.5]])
    for least in (0.0, -9.5e-15, 1e-12, 1e-6):
        _compare(rows, np.array([16.3, 6.0, 16.3, 6.0]), np.array([51.1, least]))


def _compare(L, limit, load):
    count, one = len(limit), np.eye(len(limit))
    needed = friction_needed(L, groups_of(np.arange(count), count), limit, load)
    best = linprog(
        np.append(np.zeros(count), 1.0), A_ub=np.block([[one, -limit[:, None]], [-one, -limit[:, None]]]),
        b_ub=np.zeros(2 * count), A_eq=np.c_[L.T, np.zeros(L.shape[1])], b_eq=load, bounds=[(None, None)] * (count + 1),
    )
    assert needed.factor == pytest.approx(best.fun, rel=1e-6)
    assert needed.moves.any()
    np.testing.assert_allclose(L.T @ needed.forces, load, atol=1e-9 * np.abs(load).max())
    # A guess of what moves, right or wrong, leads to the same.
    for moves in (needed.moves, ~needed.moves, np.arange(count) % 2 == 0):
        near = friction_needed(L, groups_of(np.arange(count), count), limit, load, moves)
        assert near.factor == pytest.approx(needed.factor, rel=1e-8)
        assert near.moves.any()
        np.testing.assert_allclose(L.T @ near.forces, load, atol=1e-9 * np.abs(load).max())


# Casters


def on_casters(arm, x):
    """The base of the guide."""
    wheels = [
        lp.FixedWheel((0.0, 0.3), 0.1, name="left"), lp.FixedWheel((0.0, -0.3), 0.1, name="right"),
        lp.CasterWheel((0.4, 0.0), 0.05, trail=0.03, name="front"),
        lp.CasterWheel((-0.4, 0.0), 0.05, trail=0.03, name="rear"),
    ]
    base = lp.WheeledBase(mass=60, center_of_mass=(0, 0, 0.25), inertia=np.diag([2.0, 3.0, 4.0]), wheels=wheels,
                          friction=lp.WheelFriction(sliding=0.6, static=0.8, rolling=0.01))
    return base.carrying(arm, at=(x, 0, 0.4))


@pytest.mark.parametrize(("moved", "duration"), [(slice(None), 3.0), (slice(1), 3.0)])
def test_a_gentle_motion_of_the_arm_tips_nothing(moved, duration):
    """With an arm of 18 kg. A wheel that passes through rest while a caster stands turns round; as long as both were
    held together, 10^15 N did it and lifted the others.
    """
    arm, end = lp.catalog.ur5(), np.zeros(6)
    end[moved] = 1.0
    rover = on_casters(arm, 0.1)
    run = rover.roll(lp.Motion.through(arm, [np.zeros(6), end], [0, duration], rate=100), duration=1.5)
    assert not run.tipped and run.energy_drift < 1e-6
    # With the base held: what it accelerates by is too little to matter.
    held = rover.stability(run.motion)
    np.testing.assert_allclose(run.margin, held.margin, atol=0.02)
    assert run.normal.min() > 90 and np.abs(run.velocity[:, 1]).max() < 1e-9


def test_casters_that_have_hardly_swivelled_do_not_hold_a_turn():
    """The base only turns, so little that casters hardly swivel: their rolling resistance has no arm about the axis of
    the turn. As long as they held it, 6e5 N did it, and the run ended with changes of contacts without end.
    """
    arm = lp.catalog.ur5()
    pose = np.array([0.0, -1.2, 1.0, -0.5, 0.2, 0.8])
    motion = lp.Motion.through(arm, [pose, pose + np.eye(6)[0]], [0, 2.2], rate=100)
    run = on_casters(arm, 0.0).roll(motion, duration=0.3)
    assert not run.tipped and run.energy_drift < 1e-6
    assert np.hypot(run.longitudinal, run.lateral).max() < 0.6 * 250
    assert run.velocity[-1, 2] < 0 and np.abs(run.velocity[:, 1]).max() < 1e-9  # against the arm's turn


# All kinds of wheels


@pytest.mark.parametrize("seed", [0, 1, 5, 8, 9, 13])
def test_wheels_of_all_kinds_start_smoothly(seed):
    """Some wheels are driven with a smooth rate, others resist or brake: what is told to hold does not slide."""
    rng = np.random.default_rng(seed)
    rolling = float(rng.choice([0.002, 0.01]))
    base = random_base(seed, friction=lp.WheelFriction(sliding=0.5, static=0.7, rolling=rolling))
    rover = base.carrying(ground=lp.Ground(slope=float(rng.choice([0.0, 0.1]))))
    axled = [name for name, wheel in zip(rover.contact_names, base.wheels, strict=True) if wheel.traction() is not None]
    rate = quintic(float(rng.uniform(-3, 3)), 0.5)
    driven = [name for name in axled if rng.random() < 0.6]
    run = rover.simulate(wheel_rates=dict.fromkeys(driven, rate), pose=(0, 0, rng.uniform(-3, 3)), duration=0.6)
    assert run.energy_drift < 1e-6
    for k, name in enumerate(rover.contact_names):
        wheel = base.wheels[k]
        if name not in driven or wheel.steerable or run.sliding[:, k].any() or run.lifted[:, k].any():
            continue
        turn, (x, y) = wheel.direction, wheel.position
        vx, vy = run.velocity[:, 0] - y * run.velocity[:, 2], run.velocity[:, 1] + x * run.velocity[:, 2]
        along, across = math.cos(turn) * vx + math.sin(turn) * vy, math.cos(turn) * vy - math.sin(turn) * vx
        for row in wheel.grip():
            slip = row.along * along + row.across * across + row.spin * run.wheel_rates[:, k]
            np.testing.assert_allclose(slip, 0.0, atol=1e-6)
