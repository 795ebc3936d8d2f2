"""Time stamps as clocks of computers write them: twice the same, rounded, jittering, since 1970, with gaps."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loadpath as lp

ARM = lp.catalog.planar(1)
EVEN = np.arange(400) / 125


def position(t: np.ndarray) -> np.ndarray:
    return np.sin(2 * t)


def read(path: Path, t: Any, q: Any, unit: str = "", **options: Any) -> tuple[lp.Motion, list[str]]:
    rows = "".join(f"{time},{float(x)!r}\n" for time, x in zip(t, q, strict=True))
    (path / "m.csv").write_text(f"t{unit},joint1\n{rows}")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        motion = lp.Motion.from_csv(path / "m.csv", ARM, **options)
    return motion, [str(one.message) for one in caught]


@pytest.mark.parametrize(("digits", "cut"), [(2, False), (2, True), (3, True)])
def test_rounded_stamps_of_an_even_clock_are_made_even(tmp_path: Path, digits: int, cut: bool) -> None:
    even = EVEN if digits == 2 else np.arange(400) / 333
    stamps = np.floor(even * 10**digits + 1e-9) / 10**digits if cut else even.round(digits)
    motion, said = read(tmp_path, [f"{x:.{digits}f}" for x in stamps], position(even))
    np.testing.assert_allclose(motion.t - motion.t[0], even, atol=1e-12)
    assert np.abs(motion.qdd[:, 0] + 4 * position(even))[20:-20].max() < 1e-3
    (only,) = said
    assert f"time stamps are rounded to {10.0**-digits:g} s" in only
    assert f"{1 / even[1]:.6g} samples a second" in only
    if digits == 2:
        assert "twice the same from line" in only
    with pytest.raises(ValueError, match=r"m\.csv: column 't': time stamps are rounded"):
        read(tmp_path, [f"{x:.{digits}f}" for x in stamps], position(even), strict=True)


def test_small_rounding_is_a_note_and_no_warning(tmp_path: Path) -> None:
    even = np.arange(300) / 333
    motion, said = read(tmp_path, [f"{x:.6f}" for x in even], position(even))
    assert said == []
    assert any("rounded to 1e-06 s" in note for note in motion.notes)
    np.testing.assert_allclose(motion.t, even, atol=1e-12)


def test_stamps_that_are_sound_stay_as_they_are(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for t in (EVEN, np.linspace(0, 3, 301), np.sort(rng.uniform(0, 3, 301)), np.arange(301.0), 5e3 + EVEN,
              np.cumsum(rng.integers(1, 9, 200)) * 0.01):
        motion, said = read(tmp_path, [repr(float(x)) for x in t], 0.1 * position(t / t[-1]))
        assert (motion.t == t).all()
        assert motion.notes == ()
        assert not any("stamps" in text for text in said)


def test_jitter_of_the_clock_is_told_from_jitter_of_the_samples(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    jittering = EVEN + rng.uniform(-2e-3, 2e-3, len(EVEN))
    false, said = read(tmp_path, map(repr, jittering.tolist()), position(EVEN))
    np.testing.assert_allclose(np.diff(false.t), 1 / 125, rtol=1e-12)
    assert len(said) == 1
    off = np.abs(jittering - false.t)
    assert f"time stamps jitter (by {off.max():.2g} s at line {2 + int(off.argmax())})" in said[0]
    assert "time stamps jitter" in said[0]
    assert "125 a second: the stamps were made even" in said[0]
    assert np.abs(false.qdd[:, 0] + 4 * position(EVEN))[20:-20].max() < 0.1
    true, said = read(tmp_path, map(repr, jittering.tolist()), position(jittering))
    assert (true.t == jittering).all()
    assert said == []


def test_rows_of_one_time_are_merged(tmp_path: Path) -> None:
    rows = np.sort(np.r_[np.arange(400), 50, 50, 200])
    q = position(EVEN[rows])
    q[51] += 0.003  # one of three
    motion, said = read(tmp_path, map(repr, EVEN[rows].tolist()), q, smooth=False)
    assert (motion.t == EVEN).all()
    assert motion.q[50, 0] == pytest.approx(position(EVEN[50]) + 0.001)
    words = "line 53, column 't': the same time as in line 52, 0.4 s, and so at 2 other places; rows of one time were"
    assert any(words in text for text in said)
    with pytest.raises(ValueError, match="line 53, column 't': the same time as in line 52"):
        read(tmp_path, map(repr, EVEN[rows].tolist()), q, strict=True)


def test_quaternions_of_one_time_are_merged_on_one_side(tmp_path: Path) -> None:
    links = (lp.Link("world"), lp.Link("body", lp.Inertia(1.0, tensor=np.eye(3))))
    ball = lp.Robot("ball", links, (lp.Joint("j", "world", "body", lp.Spherical()),))
    rows = [(0.1 * k, 0.0, 0.0, np.sin(0.05 * k), np.cos(0.05 * k)) for k in range(6)]
    rows.insert(3, (rows[2][0], *(-x for x in rows[2][1:])))  # the same rotation
    text = "t,j.qx,j.qy,j.qz,j.qw\n" + "\n".join(",".join(repr(float(x)) for x in row) for row in rows)
    (tmp_path / "m.csv").write_text(text)
    with pytest.warns(lp.ModelWarning, match="merged"):
        motion = lp.Motion.from_csv(tmp_path / "m.csv", ball)
    np.testing.assert_allclose(np.abs(motion.q[2]), [0, 0, np.sin(0.1), np.cos(0.1)], atol=1e-12)


def test_times_that_go_back_are_refused_by_line(tmp_path: Path) -> None:
    t = EVEN.copy()
    t[100] = 0.79
    words = r"m\.csv: line 102, column 't': the time goes back, from 0\.792 \(line 101\) to 0\.79: sort the rows"
    with pytest.raises(ValueError, match=words):
        read(tmp_path, map(repr, t.tolist()), position(EVEN))


@pytest.mark.parametrize(("unit", "factor"), [("ns", 10**9), ("us", 10**6), ("ms", 10**3), ("s", 1)])
@pytest.mark.parametrize("said_so", [True, False])
def test_times_since_1970_begin_at_zero(tmp_path: Path, unit: str, factor: int, said_so: bool) -> None:
    stamps = [str(1_700_000_000 * factor + (round(t * factor) if factor > 1 else t)) for t in EVEN]
    motion, said = read(tmp_path, stamps, position(EVEN), f" [{unit}]" if said_so else "")
    assert motion.t[0] == 0
    np.testing.assert_allclose(motion.t, EVEN, atol=3e-7)
    assert np.abs(motion.qdd[:, 0] + 4 * position(EVEN))[20:-20].max() < 1e-2
    assert any("times were counted from the first, 17" in note for note in motion.notes)
    assert said == []


@pytest.mark.parametrize("unit", ["ns", "us", "ms"])
def test_rounded_stamps_of_an_even_clock_are_recognised_in_any_unit(tmp_path: Path, unit: str) -> None:
    hundredths = {"ns": 10**7, "us": 10**4, "ms": 10}[unit]
    stamps = [round(100 * t) * hundredths for t in EVEN]
    motion, (only,) = read(tmp_path, stamps, position(EVEN), f" [{unit}]")
    assert "time stamps are rounded to 0.01 s, twice the same" in only
    np.testing.assert_allclose(motion.t, EVEN, atol=1e-12)


def test_times_that_begin_late_are_no_dates(tmp_path: Path) -> None:
    """200 s in any unit are 200 s, and a date in minutes is one."""
    for unit, per_second in (("ns", 10**9), ("us", 10**6), ("ms", 1000)):
        motion, _ = read(tmp_path, [round((200 + t) * per_second) for t in EVEN], position(EVEN), f" [{unit}]")
        np.testing.assert_allclose(motion.t, 200 + EVEN, atol=1e-9)
        assert not any("counted from the first" in note for note in motion.notes)
    motion, _ = read(tmp_path, [repr(28e6 + t) for t in range(10)], np.linspace(0, 0.1, 10), " [min]")
    np.testing.assert_allclose(motion.t, 60.0 * np.arange(10), atol=1e-6)


def test_gaps_in_which_the_robot_moved(tmp_path: Path) -> None:
    kept = np.r_[0:100, 150:400]
    _, said = read(tmp_path, map(repr, EVEN[kept].tolist()), position(EVEN[kept]))
    words = "line 102, column 't': 0.408 s without samples, from t = 0.792 s on, where steps of 0.008 s are usual"
    assert any(words in text for text in said)
    for kept_of_three, more in ((np.r_[0:80, 130:200, 290:400], " (and 1 more)"),
                                (np.r_[0:80, 130:200, 290:330, 355:400], " (and 2 more)")):
        _, said = read(tmp_path, map(repr, EVEN[kept_of_three].tolist()), position(EVEN[kept_of_three]))
        words = f"line 152, column 't': 0.728 s without samples{more}, from t = 1.592 s on"  # the longest
        assert any(words in text for text in said), said
    still = np.where(EVEN < 1.5, 0.1, 0.1 + 0.01 * np.maximum(EVEN - 1.5, 0) ** 3)
    _, said = read(tmp_path, map(repr, EVEN[kept].tolist()), still[kept])
    assert not any("without samples" in text for text in said)


def _jittering_log(folder: Path, stuck: bool) -> tuple[Path, lp.Motion]:
    arm = lp.catalog.planar(2)
    motion = lp.Motion.through(arm, [[0, 0.4], [1.5, 0.4], [0, 0.4]], acceleration=6.0, rate=125)
    draws = np.random.default_rng(0)
    t, q = motion.t.copy(), motion.q.copy()
    if stuck:
        t[50] = t[49]  # a clock that missed a tick
    else:
        t, q = np.sort(t + draws.normal(0, 1e-3, len(t))), q + draws.normal(0, 1e-4, q.shape)
    rows = [f"{a:.9f},{b:.9f},{c:.9f}" for a, (b, c) in zip(t, q, strict=True)]
    (folder / "m.csv").write_text("\n".join(["t,joint1,joint2", *rows]))
    return folder / "m.csv", motion


@pytest.mark.parametrize("stuck", [False, True])
def test_joints_that_stand_still_and_stamps_that_stick_do_not_hide_an_even_clock(tmp_path: Path, stuck: bool) -> None:
    file, motion = _jittering_log(tmp_path, stuck)
    with pytest.warns(lp.ModelWarning, match="but the positions are those of even samples"):
        found = lp.Motion.from_csv(file, lp.catalog.planar(2))
    assert len(found) == len(motion)
    assert abs(found.duration / motion.duration - 1) < (1e-4 if stuck else 1e-3)  # not 126 samples a second for 125.7
    assert np.abs(found.qdd - motion.qdd)[20:-20].max() < (0.1 if stuck else 1.0)


@pytest.mark.parametrize("twice", [[50], [0, 13, 77], range(100)])
def test_rows_that_were_written_twice_are_no_faster_clock(tmp_path: Path, twice: Any) -> None:
    """They were taken for stamps of 102 samples a second, rounded to 0.01 s, and all others were moved."""
    rows = np.sort([*range(100), *twice])
    motion, said = read(tmp_path, [f"{k / 100:.2f}" for k in rows], position(rows / 100))
    np.testing.assert_allclose(motion.t, np.arange(100) / 100, atol=1e-15)
    np.testing.assert_allclose(motion.q[:, 0], position(np.arange(100) / 100), atol=1e-12)
    words = ("rows of one time were merged", "2 rows at a time have the same states")
    assert any(word in text for text in said for word in words), said
