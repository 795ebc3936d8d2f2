"""Derived rates, their error estimates, and polynomials between samples, against SciPy and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import BPoly, make_interp_spline
from scipy.spatial.transform import Rotation

import loadpath as lp
from loadpath.motion.interpolation import of_unit_quaternion, quintic_between, speeds
from loadpath.robot.joints import Spherical


@pytest.mark.parametrize("samples", [41, 42])
def test_the_error_estimate_is_what_every_second_sample_gives(samples: int) -> None:
    t = np.linspace(0.0, 2.0, samples)
    q = np.column_stack([np.sin(3 * t), np.exp(t)])
    motion = lp.Motion(t, q)
    coarse = make_interp_spline(t[::2], q[::2], k=5)
    for order, values, error in ((1, motion.qd, motion.qd_error), (2, motion.qdd, motion.qdd_error)):
        np.testing.assert_allclose(error, np.abs(values[::2] - coarse(t[::2], order)).max(axis=0), rtol=1e-9)
    # It is on the careful side, though not by orders of magnitude more than the halved number of samples explains.
    true = np.abs(motion.qd - np.column_stack([3 * np.cos(3 * t), np.exp(t)])).max(axis=0)
    assert (true < motion.qd_error).all() and (motion.qd_error < 100 * true).all()


def test_the_error_estimate_of_accelerations_from_given_speeds() -> None:
    t = np.linspace(0.0, 2.0, 41)
    motion = lp.Motion(t, np.sin(3 * t)[:, None], 3 * np.cos(3 * t)[:, None])
    coarse = make_interp_spline(t[::2], motion.qd[::2], k=5)(t[::2], 1)
    np.testing.assert_allclose(motion.qdd_error, np.abs(motion.qdd[::2] - coarse).max(axis=0), rtol=1e-9)
    assert motion.qd_error.tolist() == [0.0]


def test_polynomials_between_samples_are_those_of_scipy() -> None:
    rng = np.random.default_rng(1)
    t = np.cumsum(rng.uniform(0.1, 1.0, 9))
    states = rng.normal(size=(3, 9, 4))
    times = np.sort(rng.uniform(t[0], t[-1], 200))
    k = np.searchsorted(t, times, side="right") - 1
    h = t[k + 1] - t[k]
    begin, end = ((states[0, i], states[1, i], states[2, i]) for i in (k, k + 1))
    found = quintic_between((times - t[k]) / h, h, begin, end)
    reference = BPoly.from_derivatives(t, np.moveaxis(states, 0, 1))
    for order, values in enumerate(found):
        expected = reference(times, order)
        np.testing.assert_allclose(values, expected, atol=1e-12 * np.abs(expected).max())


def test_speeds_of_a_quaternion_whose_length_changes() -> None:
    """A turn about a fixed axis, its quaternion stretched over time: speed and acceleration do not see the stretch."""
    t, step = np.linspace(0.0, 1.0, 11), 1e-4
    axis = np.array([2.0, -1.0, 2.0]) / 3

    def stretched(time: np.ndarray) -> np.ndarray:
        turn = Rotation.from_rotvec(np.outer(np.sin(time), axis)).as_quat()
        return turn * (1.0 + 0.3 * time + 0.2 * time**2)[:, None]

    rate = (stretched(t + step) - stretched(t - step)) / (2 * step)
    second = (stretched(t + step) - 2 * stretched(t) + stretched(t - step)) / step**2
    q, first, twice = of_unit_quaternion(stretched(t), rate, second)
    np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, atol=1e-15)
    np.testing.assert_allclose((q * first).sum(axis=1), 0.0, atol=1e-12)
    omega, alpha = speeds(Spherical(), q, first, twice)
    np.testing.assert_allclose(omega, np.outer(np.cos(t), axis), atol=1e-7)
    np.testing.assert_allclose(alpha, np.outer(-np.sin(t), axis), atol=1e-6)


def test_samples_are_met_to_the_last_digit() -> None:
    rng = np.random.default_rng(2)
    t = np.cumsum(rng.uniform(0.1, 1.0, 30))
    motion = lp.Motion.from_checked(t, *rng.normal(size=(3, 30, 2)), None)
    again = motion.at(t[:-1])
    for name in ("q", "qd", "qdd"):
        np.testing.assert_array_equal(getattr(again, name), getattr(motion, name)[:-1])


def test_resampling_keeps_the_grid_and_the_end() -> None:
    motion = lp.Motion.from_checked(np.array([1.0, 1.2, 1.5]), *np.zeros((3, 3, 1)), None)
    np.testing.assert_allclose(motion.resampled(7).t, [1.0, 1 + 1 / 7, 1 + 2 / 7, 1 + 3 / 7, 1.5], rtol=1e-15)
    np.testing.assert_allclose(motion.resampled(4).t, [1.0, 1.25, 1.5], rtol=1e-15)
    np.testing.assert_allclose(motion.resampled(1).t, [1.0, 1.5], rtol=1e-15)


def test_another_pace_scales_the_error_estimates() -> None:
    t = np.linspace(0.0, 2.0, 41)
    slow = lp.Motion(t, np.sin(3 * t)[:, None])
    fast = slow.scaled(speed=3.0)
    np.testing.assert_allclose(fast.qd_error, 3 * slow.qd_error)
    np.testing.assert_allclose(fast.qdd_error, 9 * slow.qdd_error)


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
@pytest.mark.parametrize(("samples", "degree"), [(2, 1), (3, 2), (4, 3), (5, 3), (6, 5), (7, 5)])
def test_few_samples_take_splines_of_lower_degree_but_of_no_even_one(samples: int, degree: int) -> None:
    """But for three samples, which are a parabola."""
    t = np.linspace(0.0, 1.0, samples) ** 1.5
    q = np.random.default_rng(3).normal(size=(samples, 2))
    motion = lp.Motion(t, q)
    spline = make_interp_spline(t, q, k=degree)
    np.testing.assert_allclose(motion.qd, spline(t, 1), atol=1e-10)
    np.testing.assert_allclose(motion.qdd, spline(t, 2) if degree > 1 else 0 * q, atol=1e-8)


@pytest.mark.parametrize("rate", [50, 125])
def test_a_trapezoid_between_its_samples_is_a_trapezoid(rate: int) -> None:
    arm, ends = lp.catalog.planar(2), [[0, 0], [1.0, -0.4], [0, 0]]
    coarse, fine = (lp.Motion.through(arm, ends, acceleration=15.0, velocity=3.0, rate=r, profile="trapezoidal")
                    for r in (rate, 1000))
    found = coarse.at(fine.t)
    np.testing.assert_allclose(found.q, fine.q, atol=1e-13)
    np.testing.assert_allclose(found.qd, fine.qd, atol=1e-11)
    assert np.abs(found.qdd).max() < 15.0 * (1 + 1e-9)  # a polynomial of degree five gives 20.6 at 125 Hz
    assert np.array_equal(coarse.at(coarse.t).q, coarse.q)
    np.testing.assert_allclose(coarse.at(coarse.t).qdd, coarse.qdd, atol=1e-9)
