"""Wheels and base: rates for a twist and back, what wheels forbid, arrangements that scrub."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rovers import random_base

import loadpath as lp


def rover(*wheels, at=(0.0, 0.0)):
    return lp.WheeledBase(mass=10, center_of_mass=(*at, 0.2), wheels=wheels).carrying()


def ackermann():
    front = [lp.SteeredWheel((0.6, y), 0.1, name=name, driven=False) for y, name in ((0.2, "left"), (-0.2, "right"))]
    rear = [lp.FixedWheel((0.0, y), 0.1) for y in (0.2, -0.2)]
    return rover(*front, *rear, at=(0.3, 0))


def mecanum():
    return rover(*(lp.MecanumWheel((x, y), 0.05, roller_angle=np.pi / 4 * (-1 if x * y > 0 else 1))
                   for x, y in ((0.2, 0.15), (0.2, -0.15), (-0.2, 0.15), (-0.2, -0.15))))


def test_thesis_equations_6_46_to_6_48():
    """R b1 = s csc(theta) w, R b2 = (s cot(theta) - d) w, R b3 = (s cot(theta) + d) w, at tan(theta) = s w/v."""
    s, d, R = 0.6, 0.3, 0.1
    v, w = np.random.default_rng(1).normal(size=(2, 30))
    motion = lp.catalog.lau_rover().wheel_motion((v, w))
    theta = motion.steering[:, 0]
    np.testing.assert_allclose(np.tan(theta), s * w / v, rtol=1e-12)
    expected = np.stack([s / np.sin(theta) * w, (s / np.tan(theta) - d) * w, (s / np.tan(theta) + d) * w], axis=-1) / R
    np.testing.assert_allclose(motion.rate, expected, rtol=1e-10)
    assert not motion.scrubs.any()
    # A sensor at the free spinning wheel, as the thesis proposes: its angle and rate give the motion back.
    back = lp.catalog.lau_rover().base_motion(motion.rate[:, :1], motion.steering, wheels=["wheel1"])
    np.testing.assert_allclose(back.velocity, np.stack([v, 0 * v, w], axis=-1), atol=1e-12)


def test_mecanum_equations():
    """b = (v_x -+ v_y -+ (l_x + l_y) w)/R, the textbook's four lines; and back."""
    vx, vy, w = 0.3, -0.2, 0.7
    motion = mecanum().wheel_motion((vx, vy, w))
    lengths = 0.2 + 0.15
    expected = [vx - vy - lengths * w, vx + vy + lengths * w, vx + vy - lengths * w, vx - vy + lengths * w]
    np.testing.assert_allclose(motion.rate, np.array(expected) / 0.05, rtol=1e-12)
    back = mecanum().base_motion(motion.rate)
    np.testing.assert_allclose(back.velocity, [vx, vy, w], atol=1e-12)
    assert back.scrub < 1e-12
    # Three wheels say it all; a fourth that disagrees makes them slide.
    off = mecanum().base_motion(motion.rate + np.array([0, 0, 0, 1.0]))
    assert off.scrub > 0.005
    assert mecanum().constraint_matrix().shape == (0, 3)
    assert int(mecanum().rotation_axis().mobility) == 3


def test_omni_wheels_around():
    three = rover(*(lp.OmniWheel((0.3 * np.cos(a), 0.3 * np.sin(a)), 0.05, direction=a + np.pi / 2)
                    for a in (0, 2 * np.pi / 3, 4 * np.pi / 3)))
    motion = three.wheel_motion((0.0, 0.0, 2.0))
    np.testing.assert_allclose(motion.rate, 0.3 * 2 / 0.05, rtol=1e-12)
    np.testing.assert_allclose(three.base_motion(motion.rate).velocity, [0, 0, 2], atol=1e-12)


def test_ackermann_steering():
    """Both front wheels point at right angles to the common axis on the rear axle's line."""
    car = ackermann()
    velocity = (1.0, 0.5)
    motion = car.wheel_motion(velocity)
    np.testing.assert_allclose(car.instantaneous_axis(velocity), [0, 2.0])
    np.testing.assert_allclose(np.tan(motion.steering), [0.6 / 1.8, 0.6 / 2.2], rtol=1e-12)
    assert not motion.scrubs
    axis = car.rotation_axis(motion.steering)
    assert int(axis.mobility) == 1 and bool(axis.exists)
    np.testing.assert_allclose(axis.point, [0, 2.0], atol=1e-9)
    # Parallel front wheels have no axis in common with the rear ones: they scrub.
    parallel = car.rotation_axis([0.3, 0.3])
    assert not parallel.exists and "scrub" in str(parallel)
    assert car.wheel_motion(velocity, [0.3, 0.3]).scrubs
    # Straight wheels: only straight on.
    straight = car.rotation_axis()
    assert int(straight.mobility) == 1 and np.isinf(straight.point).any() and str(straight) == "it can only go straight"
    np.testing.assert_allclose(np.abs(straight.twist), [1, 0, 0], atol=1e-12)
    # Backwards, steered wheels turn no further than a quarter turn.
    back = car.wheel_motion((-1.0, -0.5))
    np.testing.assert_allclose(back.steering, motion.steering, atol=1e-12)
    np.testing.assert_allclose(back.rate, -motion.rate, atol=1e-12)


def test_skid_steer_scrubs_and_says_so():
    skid = rover(*(lp.FixedWheel((x, y), 0.1) for x in (0.3, -0.3) for y in (0.2, -0.2)))
    motion = skid.wheel_motion((0.0, 1.0))
    assert motion.scrubs
    np.testing.assert_allclose(motion.scrub, [0.3, 0.3, -0.3, -0.3])
    axis = skid.rotation_axis()
    assert int(axis.mobility) == 1 and np.isinf(axis.point).any()
    # Its wheels turn against each other: the best fit turns on the spot, all wheels sliding sideways.
    turned = skid.base_motion([-1.0, 1.0, -1.0, 1.0])
    assert turned.velocity[2] > 0 and turned.scrub > 0.01
    np.testing.assert_allclose(turned.velocity[:2], 0, atol=1e-12)


def test_feet_hold_everything():
    stand = rover(lp.Support((0.3, 0.2)), lp.Support((0.3, -0.2)), lp.FixedWheel((-0.3, 0), 0.1))
    assert int(stand.rotation_axis().mobility) == 0
    assert stand.wheel_motion((0.1, 0.0)).scrubs
    assert stand.constraint_matrix().shape == (5, 3)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), contacts=st.integers(3, 6))
def test_allowed_motions_roll_and_come_back(seed, contacts):
    """Motions in the null space of the constraints do not scrub; with their rates they are in that of the larger."""
    moved = random_base(seed, contacts, kinds=("fixed", "caster", "trailing", "omni", "mecanum")).carrying()
    A = moved.constraint_matrix()
    _, values, rows = np.linalg.svd(np.vstack([A, np.zeros((3, 3))]))
    free = rows[(values > 1e-9).sum() :]
    assert len(free) == int(moved.rotation_axis().mobility)
    if not len(free):
        return
    velocity = np.random.default_rng(seed).normal(size=len(free)) @ free
    motion = moved.wheel_motion(velocity)
    axled = moved.arrangement.axled
    fixed = moved.arrangement.holds_across
    np.testing.assert_allclose(motion.scrub[fixed], 0.0, atol=1e-9)
    larger = moved.constraint_matrix(rates=True)
    np.testing.assert_allclose(larger @ np.concatenate([velocity, motion.rate[axled]]), 0.0, atol=1e-9)


def test_trailing_caster_swivels_until_it_trails():
    """Held still, a caster's contact moves with the swivel so that it does not slide; aligned, it keeps its angle."""
    cart = rover(lp.CasterWheel((0.6, 0), 0.1, trail=0.1), lp.FixedWheel((0, 0.3), 0.1), lp.FixedWheel((0, -0.3), 0.1),
                 at=(0.2, 0))
    velocity = (0.5, 0.2)
    angle, dt, h = 2.0, 1e-3, 0.0
    for _ in range(4000):
        h = cart.wheel_motion(velocity, [angle]).swivel[0]
        angle += h * dt
    # Steady: the contact's own velocity is along the wheel: u . (v + w x r) with r at the trailing contact.
    point = np.array([0.6, 0]) - 0.1 * np.array([np.cos(angle), np.sin(angle)])
    contact = np.array([0.5 - 0.2 * point[1], 0.2 * point[0]])
    assert abs(h) < 1e-6
    assert contact @ (-np.sin(angle), np.cos(angle)) == pytest.approx(0.0, abs=1e-6)


def test_axis_of_motions():
    cart = lp.catalog.lau_rover()
    axes = cart.instantaneous_axis(np.array([(1.0, 0, 0), (0, 0, 0), (0, 1.0, 2.0), (-1.0, 0, 0)]))
    assert axes[0].tolist() == [0, np.inf] and np.isnan(axes[1]).all()
    assert axes[2].tolist() == [-0.5, 0] and axes[3].tolist() == [0, -np.inf]


def test_bad_rows_stay_alone():
    car = ackermann()
    steering = np.array([(0.1, 0.1), (np.nan, 0.1), (0.0, 0.0)])
    axis = car.rotation_axis(steering)
    assert axis.mobility.tolist() == [0, 0, 1]
    rates = np.ones((3, 4))
    back = car.base_motion(rates, steering)
    assert np.isnan(back.velocity[1]).all() and np.isfinite(back.velocity[[0, 2]]).all()
