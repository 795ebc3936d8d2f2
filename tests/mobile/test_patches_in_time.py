"""Rovers that cross patches of friction: by hand in pieces, and against a block whose equations are written here."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import loadpath as lp

G = 9.81
DRY, ICE = lp.WheelFriction(0.6, 0.7), lp.WheelFriction(0.1, 0.15)


def block(patches, height=0.2, friction=DRY, ground=None, wheels=None, **options):
    places = {"fl": (0.5, 0.3), "fr": (0.5, -0.3), "rl": (-0.4, 0.3), "rr": (-0.4, -0.3)}
    feet = [lp.Support(at, name=name) for name, at in places.items()]
    base = lp.WheeledBase(mass=50, center_of_mass=(0, 0, height), inertia=np.diag([3.0, 4.0, 5.0]), friction=friction,
                          wheels=feet if wheels is None else wheels, **options)
    return base.carrying(ground=lp.Ground(patches=patches) if ground is None else ground)


def half(x, friction=ICE):
    """The ground beyond x."""
    return lp.Patch(((x, -50.0), (x + 100.0, 50.0)), friction)


def by_axle(mu_front, mu_rear, h=0.2, a=0.5, b=0.4):
    """Deceleration of a block that slides ahead, its load moving forward: N_f = m (g b + d h)/(a + b)."""
    m = 1.0
    matrix = np.array([[m, -mu_front, -mu_rear], [-m * h, a + b, 0.0], [0.0, 1.0, 1.0]])
    return np.linalg.solve(matrix, [0.0, m * G * b, m * G])[0]


def test_a_block_that_slides_onto_ice_stops_where_pieces_of_constant_friction_say():
    edge = 1.0
    run = block((half(edge),)).simulate(velocity=(4.0, 0.0), duration=9.0, sample_rate=5.0)
    speed, at, times, t = 4.0, 0.0, [], 0.0
    for until, d in ((edge - 0.5, by_axle(0.6, 0.6)), (edge + 0.4, by_axle(0.1, 0.6)), (math.inf, by_axle(0.1, 0.1))):
        after = math.sqrt(max(speed**2 - 2 * d * (until - at), 0.0))
        t += (speed - after) / d
        at += (speed**2 - after**2) / (2 * d)
        speed = after
        times.append(t)
    crossed = run.of_kind("crosses")
    assert [event.part for event in crossed] == ["fl", "fr", "rl", "rr"]
    np.testing.assert_allclose([event.time for event in crossed], np.repeat(times[:2], 2), atol=1e-8)
    assert run.pose[-1, 0] == pytest.approx(at, abs=1e-7) and np.abs(run.velocity[-1]).max() < 1e-20
    assert run.of_kind("sticks")[0].time == pytest.approx(times[2], abs=1e-7)
    assert run.energy_drift < 1e-9


def own_block(patches, pose, velocity, duration, feet, mu=0.6, mass=50.0, inertia=5.0):
    """The same with the mass center on the ground, equal loads: Newton and Euler in the ground's frame, each border an
    event."""
    N = mass * G / len(feet)

    def places(y):
        c, s = math.cos(y[2]), math.sin(y[2])
        arms = feet @ np.array([[c, s], [-s, c]])
        return arms, y[:2] + arms

    def rate(_, y):
        arms, _ = places(y)
        v = y[3:5] + y[5] * np.stack([-arms[:, 1], arms[:, 0]], axis=1)
        f = -(np.array(mus) * N / np.hypot(*v.T))[:, None] * v
        return [*y[3:], *(f.sum(axis=0) / mass), (arms[:, 0] * f[:, 1] - arms[:, 1] * f[:, 0]).sum() / inertia]

    def border(k, patch):
        def value(_, y):
            return float(patch.distance(*places(y)[1][k]))

        value.terminal = True
        return value

    c, s = math.cos(pose[2]), math.sin(pose[2])
    vx, vy, w = velocity
    y, t = np.array([*pose, c * vx - s * vy, s * vx + c * vy, w]), 0.0
    events = [border(k, patch) for patch in patches for k in range(len(feet))]
    while t < duration:
        ahead = y + 1e-9 * np.array([*y[3:], 0, 0, 0])
        mus = [next((p.friction.sliding for p in reversed(patches) if p.contains(*at)), mu) for at in places(ahead)[1]]
        found = solve_ivp(rate, (t, duration), y, "DOP853", rtol=1e-11, atol=1e-12, events=events, max_step=0.001)
        y, t = found.y[:, -1], float(found.t[-1])
        if t < duration:  # past the border
            y, t = y + 1e-9 * np.array(rate(t, y)), t + 1e-9
    return y


@pytest.mark.parametrize("seed", [0, 1, 5])
def test_split_friction_turns_a_block_as_its_own_equations_do(seed):
    rng = np.random.default_rng(seed)
    feet = np.array([[0.5, 0.3], [0.5, -0.3], [-0.5, 0.3], [-0.5, -0.3]])
    strip = lp.Patch(((-20.0, -0.05), (20.0, 20.0)), ICE)  # all to the left
    triangle = lp.Patch(tuple(map(tuple, rng.uniform(0.3, 2.0, (3, 2)) - (0, 1.2))), lp.WheelFriction(0.3))
    wheels = [lp.Support(tuple(at)) for at in feet]
    pose = (0.0, 0.0, float(rng.uniform(-0.3, 0.3)))
    velocity = (3.0, float(rng.uniform(-0.5, 0.5)), float(rng.uniform(-0.5, 0.5)))
    run = block((strip, triangle), height=0.0, wheels=wheels).simulate(pose=pose, velocity=velocity, duration=0.4)
    own = own_block((strip, triangle), pose, velocity, 0.4, feet)
    np.testing.assert_allclose(run.pose[-1], own[:3], atol=2e-8)
    assert run.energy_drift < 1e-9 and len(run.of_kind("crosses")) >= 2


def test_left_on_ice_right_on_the_dry_yaws_by_hand():
    """At first by (mu_r - mu_l) m g/2 d / I about the vertical, towards the side that grips."""
    left = lp.Patch(((-5.0, 0.0), (5.0, 5.0)), ICE)
    feet = [lp.Support((x, y)) for x in (0.5, -0.5) for y in (0.3, -0.3)]
    run = block((left,), height=0.0, wheels=feet).simulate(velocity=(3.0, 0.0), duration=0.1)
    assert run.acceleration[0, 2] == pytest.approx(-(0.6 - 0.1) * 50 * G / 2 * 0.3 / 5.0, rel=1e-12)
    assert run.acceleration[0, 0] == pytest.approx(-(0.6 + 0.1) / 2 * G, rel=1e-12)


@pytest.mark.parametrize("spin", [0.0, 0.05])
def test_a_strip_that_is_shorter_than_a_step_is_not_stepped_over(spin):
    """Wheels that roll freely lose mu_r m g x width in each strip, whatever the step."""
    sand = lp.WheelFriction(0.6, 0.7, rolling=0.2)
    strips = tuple(lp.Patch(((x, -5.0), (x + 0.003, 5.0)), sand) for x in (1.0, 2.0, 2.3))
    wheels = [lp.FixedWheel((x, y), 0.1, spin_inertia=spin) for x in (0.4, -0.4) for y in (0.2, -0.2)]
    run = block(strips, height=0.0, wheels=wheels).simulate(velocity=(3.0, 0.0), duration=1.5, sample_rate=10.0)
    mass = 50 + 4 * spin / 0.1**2
    after = math.sqrt(9.0 - 2 * 3 * 0.2 * 50 * G * 0.003 / mass)
    assert run.velocity[-1, 0] == pytest.approx(after, abs=1e-6 if spin else 1e-9)  # what slows down shifts the load
    assert len(run.of_kind("crosses")) == 24


def test_what_rolls_along_a_border_stays_on_its_side():
    left = lp.Patch(((-50.0, 0.0), (50.0, 5.0)), ICE)
    wheels = [lp.FixedWheel((-0.4, 0.3), 0.1), lp.FixedWheel((-0.4, -0.3), 0.1), lp.CasterWheel((0.5, 0.0), 0.1)]
    run = block((left,), wheels=wheels).simulate(velocity=(1.0, 0.0), duration=1.0)
    assert not run.events and run.velocity[-1, 0] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("spin", [0.0, 0.05])
def test_a_driven_wheel_spins_on_ice_and_grips_beyond(spin):
    """With a torque that dry ground holds and ice does not the base is pushed with mu N of the ice meanwhile."""
    ice = lp.Patch(((0.5, -5.0), (0.8, 5.0)), lp.WheelFriction(0.05))
    wheels = [lp.FixedWheel((-0.4, y), 0.1, name=name, driven=True, spin_inertia=spin)
              for name, y in (("l", 0.3), ("r", -0.3))]
    wheels.append(lp.CasterWheel((0.5, 0.0), 0.1, name="c"))
    torque = 6.0
    run = block((ice,), height=0.0, wheels=wheels).simulate(
        wheel_torques={"l": torque, "r": torque}, velocity=(1.0, 0.0), duration=1.2, sample_rate=100.0)
    kinds = [(event.part, event.kind) for event in run.events if event.part == "l"]
    assert kinds == [("l", "crosses"), ("l", "slips"), ("l", "crosses"), ("l", "sticks")]
    on = [event.time for event in run.events if event.part == "l" and event.kind == "crosses"]
    amid = int(np.searchsorted(run.times, np.mean(on)))
    pitch = 2 * (torque if spin else 0.0), 2 * (0.05 * 0.1 if spin else 0.0)  # what spins up presses
    N = (50 * G * 0.5 + pitch[0]) / (2 * 0.9 + pitch[1])
    assert run.acceleration[amid, 0] == pytest.approx(2 * 0.05 * N / 50, rel=1e-9)
    rolling = 2 * torque / 0.1 / (50 + 2 * spin / 0.1**2)
    assert run.acceleration[0, 0] == pytest.approx(rolling, rel=1e-9)
    assert run.acceleration[-1, 0] == pytest.approx(rolling, rel=1e-9)
    assert run.energy_drift < 1e-8


def test_a_patch_without_friction_carries_on():
    glass = lp.Patch(((0.7, -5.0), (100.0, 5.0)), lp.WheelFriction(0.0))
    run = block((glass,), height=0.0).simulate(velocity=(3.0, 0.0), duration=1.0)
    inside = run.pose[:, 0] > 1.2
    assert inside.any() and np.ptp(run.velocity[inside, 0]) < 1e-12 and run.energy_drift < 1e-9


def test_a_cart_parked_half_on_ice_slides_where_its_friction_does_not_hold():
    """All loads are the same: it holds as long as tan(slope) is below the mean of its coefficients."""
    for slope, holds in ((0.30, True), (0.45, False)):
        ground = lp.Ground(slope=slope, patches=(half(0.0),))
        run = block((), height=0.0, ground=ground, wheels=[lp.Support((x, y)) for x in (0.4, -0.4) for y in (0.3, -0.3)]
                    ).simulate(duration=0.2)
        assert bool(run.velocity[-1].any()) is not holds
