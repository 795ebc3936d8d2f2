"""Times in milliseconds are asked about; noisy positions get advice that helps, few samples other advice."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import loadpath as lp
from loadpath.motion.logs import table
from loadpath.motion.noise import noise_of

ARM = lp.catalog.ur5()
POINTS = [[0, -1.5, 1.5, -1.5, -1.5, 0], [1.4, -1, 1, -1.5, -1.5, 0.8], [0, -1.5, 1.5, -1.5, -1.5, 0]]
MOVE = lp.Motion.through(ARM, POINTS, acceleration=6, rate=125)


def said(*arrays: Any, robot: lp.Robot | None = ARM, smooth: bool | None = None) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        lp.Motion(*arrays, robot=robot, smooth=smooth)
    return [str(w.message) for w in found]


def test_milliseconds_are_asked_about() -> None:
    for arrays in ((1000 * MOVE.t, MOVE.q), (1000 * MOVE.t, MOVE.q, MOVE.qd / 1000, MOVE.qdd / 1e6)):
        (only,) = said(*arrays)
        assert only.startswith("the motion takes 2321.34 s in steps of 7.95 s")
        assert only.endswith("is t in milliseconds?")
    unlimited = lp.catalog.planar(2)
    t = np.linspace(0, 3000, 1000)
    q = np.column_stack([np.sin(t / 500), np.cos(t / 700)])
    assert any("milliseconds" in text for text in said(t, q, robot=unlimited))


@pytest.mark.parametrize(("unit", "factor"), [("microseconds", 1e6), ("nanoseconds", 1e9)])
def test_clocks_of_computers_are_asked_about(unit: str, factor: float) -> None:
    for arrays in ((factor * MOVE.t, MOVE.q), (factor * MOVE.t, MOVE.q, MOVE.qd / factor, MOVE.qdd / factor**2)):
        (only,) = said(*arrays)
        assert only.endswith(f"is t in {unit}?")


def test_times_since_1970_are_too_coarse_for_quick_samples() -> None:
    quick = MOVE.resampled(1000)
    (only,) = said(quick.t + 1.7e9, quick.q, quick.qd, quick.qdd)
    assert only.startswith("times near 1.7e+09 s are rounded to 2.4e-07 s, which in steps of 0.001 s shifts")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        between = lp.Motion(quick.t + 1.7e9, quick.q, quick.qd, quick.qdd).resampled(1370)
    off = np.abs(between.qdd - quick.at(np.clip(between.t - 1.7e9, 0, quick.t[-1])).qdd).max()
    assert off > 0.1 * np.abs(quick.qdd).max()  # the warning has a reason
    assert said(quick.t + 1000, quick.q, quick.qd, quick.qdd) == []
    slow = MOVE.resampled(50)
    assert said(slow.t + 1.7e9, slow.q, slow.qd, slow.qdd) == []
    t = 1.7e9 + np.arange(0.0, 100.0)
    assert said(t, 0.01 * np.ones((100, 6)) * np.arange(100)[:, None]) == []  # steady, once a second


@pytest.mark.parametrize("slower", [0.7, 1, 10, 100])
def test_slow_motions_are_not_asked_about(slower: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", lp.ModelWarning)
        if slower >= 1:
            lp.Motion(slower * MOVE.t, MOVE.q, robot=ARM)


def test_a_robot_that_stands_still_is_not_asked_about() -> None:
    t = np.arange(0.0, 3600.0, 10.0)
    assert said(t, np.tile(MOVE.q[0], (len(t), 1))) == []
    coarse = np.arange(0.0, 20.0, 1.0)  # few samples of a quick motion
    assert not any("milliseconds" in text for text in said(coarse, np.sin(coarse)[:, None] * np.ones(6)))


@pytest.mark.parametrize("rate", [125, 500])
def test_noise_is_measured_and_the_advice_helps(rate: int) -> None:
    name = ARM.dof_names[1]
    clean = MOVE.resampled(rate)
    q = clean.q + np.random.default_rng(0).normal(0, 2e-4, clean.q.shape)
    assert noise_of(clean.t, q).size == pytest.approx(2e-4, rel=0.2)
    assert noise_of(clean.t, q).there.all()
    texts = said(clean.t, q, smooth=False)
    assert len(texts) == 2  # speeds and accelerations, not one for each joint
    for text in texts:
        assert "(and 5 others)" in text
        assert "derived from noisy samples" in text
        assert "more samples a second would make it worse" in text
        assert "smooth=True, or smooth=lp.LowPass(cutoff)" in text
    (only,) = said(clean.t, q)
    assert only.startswith("positions were smoothed before they were differentiated, by cross-validation")
    if rate == 125:  # what the message says is done
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            motions = [lp.Motion(clean.t, q, robot=ARM, smooth=smooth) for smooth in (False, True, lp.LowPass(6.0))]
        true = ARM.peak_loads(MOVE)[name, "drive"].magnitude
        raw, *smoothed = [ARM.peak_loads(motion)[name, "drive"].magnitude for motion in motions]
        assert raw > 5 * true
        assert smoothed == pytest.approx([true, true], rel=0.01)


def test_rounded_positions_are_noisy_too() -> None:
    texts = said(MOVE.t, MOVE.q.round(3), smooth=False)
    assert texts
    assert all("derived from noisy samples" in text for text in texts)
    (only,) = said(MOVE.t, MOVE.q.round(3))
    assert only.startswith("positions were smoothed")


def test_noisy_speeds_are_named_as_such() -> None:
    qd = MOVE.qd + np.random.default_rng(0).normal(0, 5e-3, MOVE.qd.shape)
    texts = [text for text in said(MOVE.t, MOVE.q, qd, smooth=False) if "noisy" in text]
    assert texts
    assert "its accelerations had to be derived from noisy samples" in texts[0]
    assert "samples of qd are off by 0.005 rms" in texts[0]
    assert any(text.startswith("speeds were smoothed") for text in said(MOVE.t, MOVE.q, qd))


def test_few_samples_are_not_taken_for_noise() -> None:
    t = np.linspace(0, 3, 40)
    for frequency in (3.0, 6.0, 12.0):
        assert not noise_of(t, np.sin(frequency * t)[:, None]).there.any()
    (*_, last) = said(t, np.sin(14 * t)[:, None], robot=None)
    assert last.endswith("give them, or more samples")


@pytest.mark.parametrize("rate", [40, 125, 500, 2000])
@pytest.mark.parametrize("corners", [2, 5])
def test_a_trapezoidal_profile_is_not_taken_for_noise(rate: int, corners: int) -> None:
    """Its accelerations jump; more samples make that neither worse nor noise, and no smoothing is called for."""
    points = np.array(POINTS)[np.arange(corners) % 2]
    move = lp.Motion.through(ARM, points, acceleration=6, profile="trapezoidal").resampled(rate)
    for arrays in ((move.t, move.q), (move.t, move.q, move.qd)):
        texts = said(*arrays)
        assert not any("noisy" in text or "smoothed" in text or "faster than its limit" in text for text in texts)
        for text in texts:
            assert "do its accelerations jump, as in a trapezoidal profile?" in text
    q = move.q + np.random.default_rng(0).normal(0, 2e-3, move.q.shape)
    assert any("derived from noisy samples" in text for text in said(move.t, q, smooth=False))  # noise on top
    assert said(move.t, q)[0].startswith("positions were smoothed")


@pytest.mark.parametrize(("rate", "noise"), [(125, 2e-5), (500, 1e-6), (500, 2e-4)])
def test_noise_of_a_trapezoidal_profile_is_smoothed_too(rate: int, noise: float) -> None:
    # A log with six decimals of a trapezoidal move: its jumps hid the noise, and accelerations were 435 for 15.
    arm = lp.catalog.planar(2)
    motion = lp.Motion.through(arm, [[0, 0], [2.0, -0.8], [0, 0]], acceleration=15.0, velocity=3.0, rate=rate,
                               profile="trapezoidal")
    noisy = motion.q + np.random.default_rng(0).normal(0, noise, motion.q.shape)
    with pytest.warns(lp.ModelWarning, match=r"positions were smoothed .* is uncertain by up to") as caught:
        found = lp.Motion(motion.t, noisy, robot=arm)
    assert len(caught) == 1 and found.smoothing is not None and len(found.smoothing.names) == 2
    assert np.abs(found.qdd).max() < 1.2 * 15.0
    assert (found.qdd_error > np.abs(found.qdd).max(axis=0) - np.abs(motion.qdd).max(axis=0)).all()


def test_how_far_splines_overshoot_beside_jumps_is_told() -> None:
    arm = lp.catalog.planar(2)
    motion = lp.Motion.through(arm, [[0, 0], [2.0, -0.8], [0, 0]], acceleration=15.0, velocity=3.0, rate=500,
                               profile="trapezoidal")
    with pytest.warns(lp.ModelWarning, match="do its accelerations jump, as in a trapezoidal profile"):
        found = lp.Motion(motion.t, motion.q, robot=arm)
    assert found.smoothing is None
    overshoot = np.abs(found.qdd).max(axis=0) - np.abs(motion.qdd).max(axis=0)
    assert (overshoot > 0.05 * 6.0).all() and (found.qdd_error > overshoot).all()


TURN, SECOND, METER = 2 * np.pi, 1.0, 1.0
MINUTE, HOUR = 60 * SECOND, 3600 * SECOND
UNITS_BY_HAND = {
    # How many of them are how much of what: a full turn, a day, a metre, ...
    "s": {86400: (24 * HOUR, "s sec secs second seconds"), 86400e3: (24 * HOUR, "ms msec millisecond milliseconds"),
          86400e6: (24 * HOUR, "us µs μs usec microsecond microseconds"),
          86400e9: (24 * HOUR, "ns nsec nanosecond nanoseconds"), 1440: (24 * HOUR, "min minute minutes"),
          24: (24 * HOUR, "h")},
    "rad": {360: (TURN, "deg degs degree degrees °"), 400: (TURN, "grad"), 1: (TURN, "rev revs turn turns"),
            360 * 60: (TURN, "arcmin"), 360 * 3600: (TURN, "arcsec"), TURN: (TURN, "rad radian radians"),
            1000: (1.0, "mrad")},
    "m": {1: (METER, "m meter metre meters metres"), 100: (METER, "cm"), 1000: (METER, "mm"),
          10**6: (METER, "um µm μm"), 5000: (127 * METER, "in inch")},
    "N m": {1: (1.0, "Nm N·m"), 1000: (1.0, "mNm Nmm"), 100: (1.0, "Ncm"), 0.001: (1.0, "kNm")},
    "N": {1: (1.0, "N"), 0.001: (1.0, "kN"), 1000: (1.0, "mN")},
    "A": {1: (1.0, "A"), 1000: (1.0, "mA")},
    "kg": {1: (1.0, "kg"), 1000: (1.0, "g")},
}
RATES_BY_HAND = {  # of angles and lengths, per time
    ("rad", 1): {60: (TURN, "rpm 1/min rev/min turns/minute"), 360: (TURN, "dps deg/s °/sec"), 1: (TURN, "rps rev/s"),
                 360e-3: (TURN, "deg/ms"), 21600: (TURN, "deg/min arcmin/s")},
    ("rad", 2): {360: (TURN, "deg/s^2 deg/s² deg/s2 deg/s/s"), 3600: (TURN, "rev/min^2"),
                 1: (TURN, "turn/s^2")},
    ("m", 1): {1000: (1.0, "mm/s"), 60: (1.0, "m/min"), 3600: (1.0, "m/h"), 1e-3: (1.0, "m/ms")},
    ("m", 2): {1000: (1.0, "mm/s^2"), 3600: (1.0, "m/min^2"), 1e-6: (1.0, "m/ms^2")},
}


def test_every_unit_is_as_large_as_its_definition_says() -> None:
    by_name = {"s": table.SECONDS, "rad": table.quantity("rad"), "m": table.quantity("m"), **table.OTHERS}
    for quantity, sizes in UNITS_BY_HAND.items():
        said = {unit: whole / count for count, (whole, names) in sizes.items() for unit in names.split()}
        for unit, size in said.items():
            assert table.factor(unit, by_name[quantity]) == pytest.approx(size, rel=1e-14), (quantity, unit)
        assert {unit.lower().replace("·", "") for unit in said} == set(by_name[quantity].units), quantity
    for (coordinate, per_time), sizes in RATES_BY_HAND.items():
        for count, (whole, names) in sizes.items():
            for unit in names.split():
                of = table.quantity(coordinate, per_time)
                assert table.factor(unit, of) == pytest.approx(whole / count, rel=1e-14), unit
                assert table.factor(unit, table.quantity(coordinate, 3 - per_time)) is None, unit
    for strange in ("deg", "deg/kg", "deg/s^3", "kg/s", "deg/s/min", "s^-1"):
        assert table.factor(strange, table.quantity("rad", 1)) is None, strange
