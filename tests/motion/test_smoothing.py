"""Noisy samples are smoothed before they are differentiated: peaks come out right, clean samples stay as they are."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.stats import ortho_group

import loadpath as lp
from loadpath.motion.smoothing.operator import Smoother, chosen_cutoffs, noise_left
from real_robots import REAL_ROBOTS

NOISE = 2e-4
POINTS = [[0, -1.5, 1.5, -1.5, -1.5, 0], [1.4, -0.4, 0.6, -1.5, -1.5, 0.8], [0, -1.5, 1.5, -1.5, -1.5, 0]]


@functools.cache
def ur10() -> lp.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lp.load(REAL_ROBOTS["ur_description/ur10_robot"])


def cycle(rate: float, profile: Any = "quintic", acceleration: float = 4.125) -> lp.Motion:
    """The shoulder lifts with up to 132.6 N m."""
    arm = ur10()
    return lp.Motion.through(arm, POINTS, acceleration=acceleration, velocity=2.0, profile=profile).resampled(rate)


def peak(motion: lp.Motion) -> float:
    return float(np.abs(ur10().inverse_dynamics(motion)[:, 1]).max())


def read(*arrays: Any, robot: lp.Robot | None = None, **options: Any) -> tuple[lp.Motion, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        motion = lp.Motion(*arrays, robot=robot, **options)
    return motion, [str(one.message) for one in caught]


@pytest.mark.parametrize("rate", [125, 250, 500, 1000])
def test_a_noisy_cycle_of_a_ur10_gives_its_true_peak(rate: int) -> None:
    true = cycle(rate)
    assert peak(true) == pytest.approx(132.6, abs=0.1)
    for seed in range(3):
        q = true.q + np.random.default_rng(seed).normal(0, NOISE, true.q.shape)
        motion, said = read(true.t, q, robot=ur10())
        assert peak(motion) == pytest.approx(peak(true), rel=0.01)
        (only,) = said
        assert only.startswith("positions were smoothed before they were differentiated, by cross-validation: '")
        assert "and 5 others" in only
        assert "smooth=False leaves them as they are" in only
    raw, _ = read(true.t, q, robot=ur10(), smooth=False)
    assert peak(raw) > 5 * peak(true)
    assert (raw.q == q).all()
    assert raw.smoothing is None


@pytest.mark.parametrize("rate", [125, 1000])
def test_positions_in_steps_of_a_milliradian(rate: int) -> None:
    true = cycle(rate)
    motion, (only,) = read(true.t, true.q.round(3), robot=ur10())
    assert "positions were smoothed" in only
    assert peak(motion) == pytest.approx(peak(true), rel=0.02)
    assert motion.smoothing is not None
    assert motion.smoothing.rms == pytest.approx(1e-3 / np.sqrt(12), rel=0.2)  # of rounding


@pytest.mark.parametrize("rate", [125, 500, 1000])
def test_accelerations_that_jump_are_not_smeared(rate: int) -> None:
    """Of a trapezoidal profile with noise the plateaus stay; the jumps themselves take some hundredths of a second."""
    true = cycle(rate, "trapezoidal", 3.0)
    q = true.q + np.random.default_rng(0).normal(0, NOISE, true.q.shape)
    motion, said = read(true.t, q, robot=ur10())
    assert len(said) == 1
    assert "most at ends and where it jumps" in said[0]
    assert peak(motion) == pytest.approx(peak(true), rel=0.03)
    jumps = true.t[1:][np.abs(np.diff(true.qdd[:, 0])) > 0.5]
    far = np.abs(true.t[:, None] - np.array([0, *jumps, true.t[-1]])).min(axis=1) > 0.1
    assert far.mean() > 0.3
    assert np.abs(motion.qdd - true.qdd)[far].max() < 0.12 * np.abs(true.qdd).max()


def test_clean_samples_come_through_to_the_last_digit() -> None:
    for profile in ("quintic", "trapezoidal"):
        true = cycle(125, profile)
        motion, said = read(true.t, true.q, robot=ur10())
        assert motion.smoothing is None
        assert (motion.q == true.q).all()
        assert not any("smoothed" in text for text in said)
    single, _ = read(true.t, true.q.astype(np.float32), robot=ur10())
    assert single.smoothing is None


def test_only_noisy_joints_are_smoothed() -> None:
    t = np.arange(0, 2, 0.01)
    clean = np.column_stack([np.sin(3 * t), np.cos(2 * t), 0.3 + 0 * t])
    q = clean + np.array([0, 1e-3, 0]) * np.random.default_rng(1).normal(size=clean.shape)
    motion, _ = read(t, q, robot=lp.catalog.planar(3))
    assert motion.smoothing is not None
    assert motion.smoothing.names == ("joint2",)
    assert motion.smoothing.units == ("rad",)
    assert (motion.q[:, [0, 2]] == q[:, [0, 2]]).all()
    change = motion.q[:, 1] - q[:, 1]
    assert motion.smoothing.rms[0] == pytest.approx(np.sqrt(np.mean(change**2)))
    assert motion.smoothing.largest[0] == pytest.approx(np.abs(change).max())
    assert motion.smoothing.noise[0] == pytest.approx(1e-3, rel=0.2)
    assert motion.smoothing.sentences[1].startswith("'joint2': cut-off")
    assert len(motion.smoothing.sentences) == 2
    assert np.abs(motion.qdd[:, 1] + 4 * clean[:, 1]).max() < motion.qdd_error[1]
    assert motion.between(0.5, 1.0).smoothing is motion.smoothing


def test_noisy_speeds_are_smoothed_and_measured_accelerations_are_left_alone() -> None:
    true = cycle(250)
    rng = np.random.default_rng(2)
    q = true.q + rng.normal(0, NOISE, true.q.shape)
    qd = true.qd + rng.normal(0, 5e-3, true.qd.shape)
    motion, said = read(true.t, q, qd, robot=ur10())
    assert motion.smoothing is not None
    assert motion.smoothing.what == "speeds"
    assert motion.smoothing.units == ("rad/s",) * 6
    assert sum("speeds were smoothed" in text for text in said) == 1
    assert peak(motion) == pytest.approx(peak(true), rel=0.01)
    assert np.std(motion.q - true.q) < 0.5 * np.std(q - true.q)
    given, _ = read(true.t, q, qd, true.qdd, robot=ur10())
    assert given.smoothing is None
    assert (given.q == q).all()
    with pytest.raises(ValueError, match=r"smooth=True: speeds and accelerations are given.*motion\.smoothed\(\)"):
        lp.Motion(true.t, q, qd, true.qdd, robot=ur10(), smooth=True)
    assert peak(given.smoothed()) == pytest.approx(peak(true), rel=0.01)


def test_strict_changes_nothing() -> None:
    true = cycle(125)
    q = true.q + np.random.default_rng(0).normal(0, NOISE, true.q.shape)
    with pytest.raises(ValueError, match="derived from noisy samples"):
        lp.Motion(true.t, q, robot=ur10(), strict=True)
    assert lp.Motion(true.t, q, robot=ur10(), strict=True, smooth=True).smoothing is not None


@pytest.mark.parametrize(
    ("smooth", "words"),
    [
        ("much", "smooth is 'much': expected True, False, None"),
        (10.0, "smooth is 10.0: expected"),
        (lp.LowPass(80.0), r"a cut-off of 80 Hz for 100 samples a second: expected 0.167 to 45.5 Hz"),
        (lp.LowPass(0.01), "a cut-off of 0.01 Hz"),
    ],
)
def test_what_cannot_be_smoothed_so(smooth: Any, words: str) -> None:
    t = np.arange(0, 1, 0.01)
    with pytest.raises(ValueError, match=words):
        lp.Motion(t, np.sin(t)[:, None], smooth=smooth)


def test_too_few_samples_and_filters_without_meaning() -> None:
    with pytest.raises(ValueError, match="5 samples cannot be smoothed: expected 12 or more, or smooth=False"):
        lp.Motion(np.arange(5.0), np.arange(5.0)[:, None], smooth=True)
    for cutoff in (0.0, -1.0, np.inf, np.nan, "fast"):
        with pytest.raises(ValueError, match="cutoff"):
            lp.LowPass(cutoff)  # type: ignore[arg-type]


# Joints of several freedoms, loops


def tumbling(count: int) -> tuple[lp.Robot, lp.Motion]:
    links = (lp.Link("world"), lp.Link("body", lp.Inertia(1.0, tensor=np.eye(3))))
    robot = lp.Robot("free", links, (lp.Joint("j", "world", "body", lp.Free()),))
    t = np.linspace(0, 2, count)
    angle = np.sin(2 * t)
    q = np.column_stack([np.cos(t), 0 * t, t**2, 0 * t, np.sin(angle / 2), 0 * t, np.cos(angle / 2)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return robot, lp.Motion(t, q, robot=robot)


def test_a_floating_base_is_smoothed_on_the_sphere() -> None:
    robot, true = tumbling(401)
    rng = np.random.default_rng(3)
    q = true.q + rng.normal(0, 2e-4, true.q.shape)
    q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1, keepdims=True)
    q[100:200, 3:] *= -1  # the same rotations
    motion, _ = read(true.t, q, robot=robot)
    assert motion.smoothing is not None
    assert motion.smoothing.names == ("j.x", "j.y", "j.z", "j")
    assert motion.smoothing.units == ("m", "m", "m", "rad")
    assert np.allclose(np.linalg.norm(motion.q[:, 3:], axis=1), 1)
    inner = slice(40, -40)
    assert np.abs(motion.qdd - true.qdd)[inner].max() < 0.05 * np.abs(true.qdd).max()
    raw, _ = read(true.t, q, robot=robot, smooth=False)
    assert np.abs(raw.qdd - true.qdd)[inner].max() > 2 * np.abs(true.qdd).max()
    turned = ortho_group.rvs(3, random_state=0)
    turned *= np.linalg.det(turned)
    # Smoothing knows no directions: the body seen from a turned world is smoothed to the same motion.
    from scipy.spatial.transform import Rotation

    world = Rotation.from_matrix(turned)
    seen = np.column_stack([world.apply(q[:, :3]), (world * Rotation.from_quat(q[:, 3:])).as_quat()])
    again, _ = read(true.t, seen, robot=robot, smooth=lp.LowPass(5.0))
    first, _ = read(true.t, q, robot=robot, smooth=lp.LowPass(5.0))
    np.testing.assert_allclose(again.qd[:, 3:], first.qd[:, 3:], atol=1e-8)


def test_drives_of_closed_robots_are_smoothed_before_the_loops_are_closed() -> None:
    bar = lp.catalog.four_bar()
    t = np.arange(0, 2, 0.01)
    angle = bar.home[0] + 0.4 * np.sin(2 * t)
    true = bar.motion(t, angle[:, None])
    noisy = angle + np.random.default_rng(4).normal(0, 2e-4, len(t))
    with pytest.warns(lp.ModelWarning, match="positions were smoothed") as caught:
        motion = bar.motion(t, noisy[:, None])
    assert len(caught) == 1
    assert motion.smoothing is not None
    assert motion.smoothing.names == bar.driven
    assert np.abs(bar.closure(motion.q)).max() < 1e-10
    inner = slice(20, -20)
    assert np.abs(motion.qdd - true.qdd)[inner].max() < 0.05 * np.abs(true.qdd).max()
    whole = true.q + np.random.default_rng(5).normal(0, 2e-4, true.q.shape)
    every, _ = read(t, whole, robot=bar)
    assert np.abs(bar.closure(every.q)).max() < 1e-10
    assert np.abs(every.qdd - true.qdd)[inner].max() < 0.05 * np.abs(true.qdd).max()
    with pytest.raises(ValueError, match=r"smooth=True for a motion, which has all rates: t\.smoothed\(\) smooths it"):
        bar.motion(motion, smooth=True)


# The numbers of smoothing


def test_noise_that_is_left_is_that_of_many_draws() -> None:
    t = np.arange(4000) / 200
    noise = np.random.default_rng(0).normal(0, 1e-3, (4000, 8))
    smooth = Smoother(t).smoothed(noise, 8.0)
    inner = slice(300, -300)
    for order, found in ((1, np.gradient(smooth, t, axis=0)), (2, np.diff(smooth, 2, axis=0) * 200**2)):
        expected = noise_left(np.array([1e-3]), np.array([8.0]), 200.0, order)[0]
        assert found[inner].std() == pytest.approx(expected, rel=0.03)


def test_parabolas_are_not_changed_at_uneven_times() -> None:
    rng = np.random.default_rng(0)
    for t, bound in ((np.cumsum(rng.uniform(0.5, 1.5, 200)) / 67, 1e-9), (np.sort(rng.uniform(0, 3, 200)), 1e-5)):
        values = np.column_stack([np.ones(200), t, 5 * t**2 - t])
        np.testing.assert_allclose(Smoother(t).smoothed(values, 3.0), values, atol=bound)


def test_samples_at_uneven_times() -> None:
    t = np.sort(np.random.default_rng(0).uniform(0, 5, 600))  # some nearly the same
    assert np.diff(t).min() < 1e-3 * np.median(np.diff(t))
    q = np.column_stack([np.sin(t), np.cos(t)]) + np.random.default_rng(1).normal(0, NOISE, (600, 2))
    motion, _ = read(t, q)
    assert motion.smoothing is not None
    assert np.abs(motion.qdd[60:-60] + np.column_stack([np.sin(t), np.cos(t)])[60:-60]).max() < 0.05


@pytest.mark.parametrize("rate", [100, 1000])
@pytest.mark.parametrize("quantum", [1e-3, 2e-4])
def test_an_encoder_that_turns_slowly(rate: int, quantum: float) -> None:
    """Its steps are no noise that differs from sample to sample; derived as they are, they are 50 rad/s^2 at 1 kHz."""
    t = np.arange(0, 6, 1 / rate)
    s = np.clip((t - 1) / 3, 0, 1)
    q = 0.2 * (10 * s**3 - 15 * s**4 + 6 * s**5)
    qdd = 0.2 * (60 * s - 180 * s**2 + 120 * s**3) / 9
    motion, _ = read(t, (np.round(q / quantum) * quantum)[:, None])
    assert np.abs(motion.qdd).max() == pytest.approx(np.abs(qdd).max(), rel=0.02)
    assert np.abs(motion.q[:, 0] - q).max() < quantum
    gripper = np.where((t > 2) & (t < 4), 0.04, 0.0)[:, None]
    raw, _ = read(t, np.column_stack([q, gripper]))
    assert (raw.q[:, 1] == gripper[:, 0]).all()


def test_the_trace_by_random_signs_chooses_as_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    t = np.arange(390) / 100
    y = np.sin(4 * t)[:, None] + np.random.default_rng(0).normal(0, 1e-3, (390, 3))
    groups = [[0], [1], [2]]
    exact = chosen_cutoffs(Smoother(t), y, groups)
    monkeypatch.setattr("loadpath.motion.smoothing.operator.EXACT", 100)
    assert chosen_cutoffs(Smoother(t), y, groups) == pytest.approx(exact, rel=0.15)
