"""Offsets of the measured forces, noise that is neither white nor constant, noise in the states: found or said."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.signal import lfilter

import loadpath as lp
from loadpath.identification.least_squares import autoregressive
from loadpath.identification.plausibility import noise_in

ARM = lp.catalog.ur5()
STATES = 1500
TIMES = np.linspace(0, 20, STATES)
NOISE = np.array([2.0, 2.0, 1.5, 0.5, 0.5, 0.3])
OFFSETS = np.array([3.0, 0.0, -2.0, 0.0, 0.5, 0.0])


def _series() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    q, qd, qdd = np.zeros((3, STATES, 6))
    for k in range(1, 6):
        w, (a, b) = 2 * np.pi * k / 20, rng.normal(0, 0.5 / np.sqrt(k), (2, 6))
        s, c = np.sin(w * TIMES)[:, None], np.cos(w * TIMES)[:, None]
        q, qd, qdd = q + a * s + b * c, qd + w * (a * c - b * s), qdd - w * w * (a * s + b * c)
    return q, qd, qdd


Q, QD, QDD = _series()
TAU = ARM.inverse_dynamics(Q, QD, QDD)


def identified(tau: np.ndarray, *, states: Any = (Q, QD, QDD), **options: Any) -> tuple[lp.Identification, list[str]]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = lp.identify(ARM, *states, tau, **options)
    return result, [str(w.message) for w in found]


def white(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=TAU.shape)


def coloured(seed: int, memory: float) -> np.ndarray:
    """Of variance 1, each row `memory` times the one before and something new."""
    new = np.random.default_rng(seed).normal(size=(STATES + 300, 6))
    return np.asarray(lfilter([1], [1, -memory], new, axis=0)[300:] * np.sqrt(1 - memory**2))


def off(found: lp.Identification) -> np.ndarray:
    return np.asarray((found.least_squares - found.base.of(ARM)) / found.standard_deviations)


def test_offsets_are_found_and_leave_the_masses_alone() -> None:
    found, said = identified(TAU + OFFSETS + NOISE * white(3))
    assert said == []
    assert np.abs(off(found)).max() < 4  # of 60; 32 without offsets
    assert (np.abs(found.offsets - OFFSETS) < 3.5 * found.offset_deviations).all()
    np.testing.assert_allclose(found.noise, NOISE, rtol=0.1)
    of_robot = found.robot.inverse_dynamics(Q, QD, QDD)
    np.testing.assert_allclose(found.fitted_torque, of_robot + found.offsets, atol=1e-9)
    assert "offset" in str(found)


def test_least_squares_with_a_column_of_ones_for_each_joint_gives_the_same() -> None:
    """The offsets are taken out by the triangles; here they are columns like any other."""
    tau = TAU + OFFSETS + NOISE * white(4)
    found, _ = identified(tau, weights=NOISE)
    Y = found.base.regressor(Q, QD, QDD)
    ones = np.broadcast_to(np.eye(6), (STATES, 6, 6))
    A = (np.concatenate([Y, ones], axis=-1) / NOISE[:, None]).reshape(-1, found.base.number + 6)
    values = np.linalg.lstsq(A, (tau / NOISE).reshape(-1), rcond=None)[0]
    deviations = np.sqrt(np.diag(np.linalg.inv(A.T @ A)))
    np.testing.assert_allclose(found.least_squares, values[:-6], rtol=0, atol=1e-6 * np.abs(values).max())
    np.testing.assert_allclose(found.standard_deviations, deviations[:-6], rtol=1e-6)
    np.testing.assert_allclose(found.offset_deviations, deviations[-6:], rtol=1e-6)


def test_an_offset_that_is_not_sought_is_asked_about() -> None:
    found, said = identified(TAU + OFFSETS + NOISE * white(3), offsets=False)
    assert np.abs(off(found)).max() > 10
    assert len(said) == 1
    assert "the residual of 'shoulder_pan_joint' has a mean of 3.05" in said[0]
    assert "offsets=True seeks it" in said[0]
    assert not found.offsets.any()
    assert identified(TAU + NOISE * white(3), offsets=False)[1] == []  # there is none


def test_exact_forces_have_no_offset() -> None:
    found, said = identified(TAU)
    assert said == []
    assert np.abs(found.offsets).max() < 1e-9
    assert not found.correlation.any()


@pytest.mark.parametrize("memory", [0.5, 0.9])
def test_intervals_hold_for_coloured_noise(memory: float) -> None:
    """Nine in ten 95 % intervals at least; with independent rows taken for granted 58 % of memory 0.9."""
    runs = [identified(TAU + NOISE * coloured(seed, memory)) for seed in range(6)]
    z = np.abs([off(found) for found, _ in runs])
    assert 0.90 < np.mean(z < 1.96) < 0.99
    assert all(said == [] for _, said in runs)
    for found, _ in runs:
        np.testing.assert_allclose(found.correlation, memory, atol=0.15)
        np.testing.assert_allclose(found.noise, NOISE, rtol=0.35)


def test_intervals_hold_for_noise_that_grows_with_speed() -> None:
    runs = [identified(TAU + NOISE * white(seed) * (0.1 + 2 * np.abs(QD))) for seed in range(6)]
    assert 0.90 < np.mean(np.abs([off(found) for found, _ in runs]) < 1.96) < 0.99
    assert all(found.changing.all() for found, _ in runs)
    assert not identified(TAU + NOISE * white(7))[0].changing.any()


def test_rows_in_no_order_have_white_noise() -> None:
    order = np.random.default_rng(0).permutation(STATES)
    found, said = identified((TAU + NOISE * coloured(1, 0.9))[order], states=[a[order] for a in (Q, QD, QDD)])
    assert said == []
    assert np.abs(found.correlation).max() < 0.1


def test_a_process_of_second_order_is_found() -> None:
    noise = lfilter([1], [1, -1.2, 0.5], np.random.default_rng(0).normal(size=20_000))
    np.testing.assert_allclose(autoregressive(noise)[:2], [1.2, -0.5], atol=0.03)


def test_dependence_that_no_filter_explains_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loadpath.identification.least_squares.MOST_COEFFICIENTS", 0)
    _, said = identified(TAU + NOISE * coloured(1, 0.9))
    assert len(said) == 1
    assert "the residual of shoulder_pan_joint, shoulder_lift_joint" in said[0]
    assert "follows the rows before in a way that no short filter explains" in said[0]


@pytest.mark.parametrize("noise", [3e-4, 5e-4])
def test_accelerations_from_noisy_positions_are_asked_about(noise: float) -> None:
    q = Q + np.random.default_rng(5).normal(0, noise, Q.shape)
    qd = np.gradient(q, TIMES, axis=0)
    qdd = np.gradient(qd, TIMES, axis=0)
    found, said = identified(TAU + 0.1 * NOISE * white(1), states=(q, qd, qdd))
    assert np.abs(off(found)).max() > 5
    assert any("noise in the speeds and accelerations" in text or "are noisy" in text for text in said)


def test_noise_that_moves_nothing_is_not_asked_about() -> None:
    """A part in ten thousand of the accelerations, and forces that are known to a few percent."""
    size = np.sqrt(np.mean(QDD**2, axis=0))
    _, said = identified(TAU + NOISE * white(1), states=(Q, QD, QDD + 1e-4 * size * white(2)))
    assert said == []


@pytest.mark.parametrize("times", [0, 1, 2])
def test_noise_is_measured_whatever_its_colour(times: int) -> None:
    noise = np.random.default_rng(0).normal(size=(20_000, 2))
    for _ in range(times):
        noise = np.gradient(noise, axis=0)
    noise /= noise.std(axis=0)
    smooth = 10 * np.sin(np.linspace(0, 600, 20_000))[:, None]
    np.testing.assert_allclose(noise_in(smooth + noise), 1.0, rtol=0.12)
    assert noise_in(smooth).max() < 1e-3
    assert noise_in(np.sign(smooth)).max() < 0.02  # jumps are no noise


def test_offset_and_friction_of_one_direction_cannot_be_told_apart() -> None:
    arm = lp.catalog.planar(1)
    t = np.linspace(0, 6, 400)[:, None]
    q, qd, qdd = t + 0.3 * np.sin(3 * t), 1 + 0.9 * np.cos(3 * t), -2.7 * np.sin(3 * t)
    tau = arm.inverse_dynamics(q, qd, qdd)
    with pytest.raises(ValueError, match=r"not excited: .*fc1.*it would if the measured forces had no offset"):
        lp.identify(arm, q, qd, qdd, tau)
    lp.identify(arm, q, qd, qdd, tau, offsets=False)
