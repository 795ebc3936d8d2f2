"""Dates as time stamps, outliers by line, sample numbers as times, degrees without limits, noise of joints at rest."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import loadpath as lp
from loadpath.motion.logs.stamps import held_rows, read_stamps, single_outliers
from loadpath.motion.logs.table import read_date
from loadpath.motion.logs.text_files import _lines

ARM = lp.catalog.planar(2)
START = datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC)


def warned(call: Callable[[], lp.Motion]) -> tuple[lp.Motion, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        motion = call()
    return motion, [str(entry.message) for entry in caught]


def write(folder: Path, stamps: list[str], mark: str = ",", column: str = "timestamp") -> Path:
    file = folder / "log.csv"
    lines = [f"{stamp}{mark}{math.sin(k / 20):.12f}{mark}0" for k, stamp in enumerate(stamps)]
    if mark == ";":
        lines = [line.replace(".", ",") for line in lines]
    file.write_text("\n".join([mark.join([column, "joint1", "joint2"]), *lines]) + "\n")
    return file


def stamps(write_one: Callable[[datetime], str], count: int = 200) -> list[str]:
    """A hundred a second, over the end of a year."""
    return [write_one(START + timedelta(milliseconds=10 * k)) for k in range(count)]


@pytest.mark.parametrize("mark", [",", ";"])
@pytest.mark.parametrize("write_one", [
    lambda d: d.isoformat(),
    lambda d: d.isoformat().replace("+00:00", "Z"),
    lambda d: d.strftime("%Y-%m-%d %H:%M:%S.%f"),
    lambda d: d.strftime("%Y/%m/%d %H:%M:%S.%f"),
    lambda d: d.strftime("%Y-%m-%dT%H:%M:%S.%f000+0000"),
    lambda d: d.astimezone(timezone(timedelta(hours=-9, minutes=-30))).isoformat(),
    lambda d: '"' + d.isoformat() + '"',
    lambda d: d.strftime("%Y%m%dT%H%M%S.%fZ"),
])
def test_dates_are_seconds_from_the_first(tmp_path: Path, mark: str, write_one: Callable[[datetime], str]) -> None:
    motion, said = warned(lambda: lp.Motion.from_csv(write(tmp_path, stamps(write_one), mark), ARM))
    np.testing.assert_allclose(motion.t, np.arange(200) / 100, rtol=0, atol=1e-12)
    assert said == [] and "counted from the first, 2026" in " ".join(motion.notes)


def test_times_of_day_and_nanoseconds(tmp_path: Path) -> None:
    late = [10**7 * k + 123 * k**2 for k in range(40)]  # ns, uneven
    motion, _ = warned(lambda: lp.Motion.from_csv(write(tmp_path, [f"09:00:00.{ns:09d}" for ns in late]), ARM))
    np.testing.assert_allclose(motion.t, 1e-9 * np.array(late), rtol=1e-15)
    states = {"joint1": np.sin(np.arange(200) / 20), "joint2": 0.0}
    frame = pd.DataFrame({"timestamp": stamps(lambda d: d.isoformat()), **states})
    berlin = pd.date_range("2026-12-31 23:59:59", periods=200, freq="10ms", tz="Europe/Berlin")
    for one in (frame, frame.assign(timestamp=berlin), frame.assign(timestamp=berlin.tz_localize(None))):
        motion, _ = warned(lambda: lp.Motion.from_frame(one, ARM))  # noqa: B023
        np.testing.assert_allclose(motion.t, np.arange(200) / 100, rtol=0, atol=1e-12)


def test_times_of_day_pass_midnight(tmp_path: Path) -> None:
    motion, _ = warned(lambda: lp.Motion.from_csv(write(tmp_path, stamps(lambda d: d.strftime("%H:%M:%S.%f"))), ARM))
    np.testing.assert_allclose(motion.t, np.arange(200) / 100, rtol=0, atol=1e-9)


def test_a_log_with_dates_may_pause_for_most_of_a_day(tmp_path: Path) -> None:
    """Only times of day alone may be those of the next day."""
    texts = ["2026-05-04T00:00:00", "2026-05-04T20:00:00", "2026-05-05T01:00:00", "2026-05-07T01:00:00"]
    motion, _ = warned(lambda: lp.Motion.from_csv(write(tmp_path, texts), ARM))
    np.testing.assert_array_equal(motion.t, 3600.0 * np.array([0, 20, 25, 73]))


@pytest.mark.parametrize(("change", "words"), [
    (lambda texts: [*texts[:9], texts[9].removesuffix("+00:00"), *texts[10:]], "line 11, .*has not a time zone"),
    (lambda texts: [*texts[:9], "noon", *texts[10:]], "line 11, column 'timestamp': 'noon' is not a date"),
    (lambda texts: [*texts[:9], "2026-02-30T00:00:00+00:00", *texts[10:]], "line 11, .*2026-02-30.* is not a date"),
    (lambda texts: ["04.05.2026 12:00:00", *texts[1:]], "line 2, .*: dates are read like 2026-05-04T12"),
    (lambda texts: [*texts[:9], texts[3], *texts[10:]], "line 11, column 'timestamp': the time goes back"),
])
def test_dates_that_are_none_or_other_are_named_by_line(
    tmp_path: Path, change: Callable[[list[str]], list[str]], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        lp.Motion.from_csv(write(tmp_path, change(stamps(lambda d: d.isoformat()))), ARM)


def test_a_long_row_of_spaces_is_no_date_and_takes_no_time(tmp_path: Path) -> None:
    texts = stamps(lambda d: d.isoformat())
    texts[9] = "12:30:00" + " " * 200_000 + "x"
    with pytest.raises(ValueError, match=r"line 11, column 'timestamp': .* is not a date"):
        lp.Motion.from_csv(write(tmp_path, texts), ARM)
    assert read_date("12:30:00" + " " * 200_000 + "x") is None


def test_a_unit_is_text(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="units= has None for 'q': expected a unit like 'deg'"):
        lp.Motion.from_csv(write(tmp_path, stamps(lambda d: d.isoformat())), ARM, units={"q": None})  # type: ignore[dict-item]


def test_dates_have_no_unit(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"column 'time \[ms\]' has dates, like .* leave the unit out"):
        lp.Motion.from_csv(write(tmp_path, stamps(lambda d: d.isoformat()), column="time [ms]"), ARM)


def rows(values: np.ndarray, folder: Path, t: np.ndarray | None = None) -> Path:
    t = np.arange(len(values)) / 100 if t is None else t
    file = folder / "rows.csv"
    table = np.column_stack([t, values, np.zeros(len(values))])
    np.savetxt(file, table, delimiter=",", header="t,joint1,joint2", comments="")
    return file


def test_outliers_are_named_by_line(tmp_path: Path) -> None:
    values = np.sin(np.arange(300) / 20) + np.random.default_rng(0).normal(0, 1e-4, 300)
    values[[40, 150, 222]] += (0.5, -0.02, 3.0)
    motion, said = warned(lambda: lp.Motion.from_csv(rows(values, tmp_path), ARM))
    found = [text for text in said if "stands out" in text]
    assert len(found) == 1 and "line 42, column 'joint1': a single sample that stands out by 0.5 " in found[0]
    assert "and so line 152, line 224: an outlier?" in found[0] and any("stands out" in note for note in motion.notes)


@pytest.mark.parametrize("values", [
    np.sin(np.arange(300) / 20) + np.random.default_rng(0).normal(0, 1e-3, 300),
    np.repeat([0.0, 0.8, 0.0], 100),  # a gripper
    np.round(np.sin(np.arange(300) / 40), 2),  # an encoder
    np.interp(np.arange(300), [0, 100, 150, 299], [0.0, 0.5, 0.5, -1.0]),  # speeds that jump
    np.cumsum(np.cumsum(np.repeat([1e-4, 0.0, -1e-4, 1e-3], 75))),  # accelerations that jump
])
def test_what_is_no_outlier(tmp_path: Path, values: np.ndarray) -> None:
    _, said = warned(lambda: lp.Motion.from_csv(rows(values, tmp_path), ARM))
    assert not [text for text in said if "stands out" in text]


def test_a_sample_stands_out_of_a_cubic_by_itself() -> None:
    """Four samples about it give a cubic exactly, so what is left is the fault and nothing else."""
    k = np.arange(40.0)
    cubic = 0.3 - 0.02 * k + 1e-3 * k**2 - 2e-5 * k**3
    for at, size in ((3, 0.5), (17, -0.02), (36, 2e-4)):
        values = cubic.copy()
        values[at] += size
        samples, sizes = single_outliers(values)
        assert samples.tolist() == [at] and sizes == pytest.approx(abs(size), rel=1e-9)
    for size in (1.1e-4, 0.9e-4):  # below 1e-4 it does not matter
        values = cubic.copy()
        values[20] += size
        assert len(single_outliers(values)[0]) == (size > 1e-4)
    for count in (19, 20):  # of fewer nobody knows what is usual
        values = cubic[:count].copy()
        values[9] += 0.5
        assert len(single_outliers(values)[0]) == (count == 20)
    # A neighbour that is off by a part n, too: 5/9 n is what it leaves beside 1 - 2/3 n, of which a tenth is allowed.
    for n, found in ((-0.3, []), (-0.1, [20]), (0.1, [20]), (0.3, [])):
        for neighbour in (19, 21):
            values = cubic.copy()
            values[[20, neighbour]] += (0.5, 0.5 * n)
            assert single_outliers(values)[0].tolist() == found


def test_a_sample_stands_out_of_what_is_usual_by_ten_times() -> None:
    """k^4 is off the cubic by 4, everywhere: that is usual. Where the curve is straight, a sample must be off by 40."""
    values = 1e-3 * np.maximum(np.arange(120.0) - 40, 0) ** 4
    for size, found in ((38e-3, []), (42e-3, [20])):
        faulty = values.copy()
        faulty[20] += size
        assert single_outliers(faulty)[0].tolist() == found
    for count in (6, 7):  # of 120, more than one in twenty are noise
        faulty = values.copy()
        faulty[4 + 5 * np.arange(count)] += 1.0
        assert len(single_outliers(faulty)[0]) == (6 if count == 6 else 0)


@pytest.mark.parametrize("mark", [".", ","])
@pytest.mark.parametrize("zone", ["", "Z", "utc", "+05:30", "-0930", "+14"])
def test_dates_are_those_of_the_calendar(mark: str, zone: str) -> None:
    """Against datetime, in whole ns."""
    hours = {"+05:30": 5.5, "-0930": -9.5, "+14": 14.0}.get(zone, 0.0)
    rng = np.random.default_rng(8)
    first = datetime(1999, 12, 31, 23, 59, 58, tzinfo=timezone(timedelta(hours=hours)))
    begin = read_date("1999-12-31T23:59:58" + zone)
    utc = read_date("1999-12-31T12:00:00Z")
    assert begin is not None and utc is not None and begin.zoned == bool(zone) and begin.dated
    past_noon = first - datetime(1999, 12, 31, 12, tzinfo=UTC)
    assert begin.nanoseconds - utc.nanoseconds == round(past_noon / timedelta(seconds=1)) * 10**9
    for _ in range(30):
        later = timedelta(seconds=int(rng.integers(0, 10**9)), microseconds=int(rng.integers(0, 10**6)))
        moment = first + later
        found = read_date(moment.strftime(f"%Y-%m-%dT%H:%M:%S{mark}%f") + zone)
        assert found is not None
        assert found.nanoseconds - begin.nanoseconds == 1000 * (later // timedelta(microseconds=1))


def test_a_rhythm_is_known_by_fifty_changes() -> None:
    for changes, found in ((49, None), (50, (4, 0)), (51, (4, 0))):
        assert held_rows(np.repeat(np.arange(changes + 1.0) ** 2, 4)[:, None]) == found


def test_a_line_has_sixteen_million_characters_at_most() -> None:
    longest = 16 * 1024 * 1024
    assert [len(line.text) for line in _lines("m.csv", io.StringIO("x" * longest))] == [longest]
    with pytest.raises(ValueError, match=r"m\.csv: line 2 has more than 16,777,216 characters: is this a table\?"):
        list(_lines("m.csv", io.StringIO("t\n" + "x" * (longest + 1))))


def test_times_of_day_that_no_clock_shows_are_none() -> None:
    for text, seconds in (("24:00:00", 86400), ("23:59:60", 86400), ("0:00:00.000000001", 1e-9), ("7:05:09", 25509)):
        found = read_date(text)
        assert found is not None and found.nanoseconds == round(seconds * 1e9) and not (found.dated or found.zoned)
    for text in ("25:00:00", "23:60:00", "23:59:61", "2026-02-29T12:00:00", "12:30", "2026-05-04"):
        assert read_date(text) is None
    assert read_date("12:30:00".ljust(64)) is not None and read_date("12:30:00".ljust(65)) is None


def test_numbers_of_samples_as_times_are_asked_about(tmp_path: Path) -> None:
    values = 0.5 * np.sin(np.arange(500) / 40)
    for first in (0, 1):
        _, said = warned(lambda: lp.Motion.from_csv(rows(values, tmp_path, np.arange(500.0) + first), ARM))  # noqa: B023
        assert any(f"t counts {first}, {first + 1}, {first + 2}, ..." in text for text in said)
    slow = 1.5 * np.sin(np.arange(500) / 4)  # a log of one sample a second, at a tenth of the usual speed
    for t, q in ((np.arange(500.0), slow), (np.arange(500) / 125, values), (np.arange(500) + 0.5, values)):
        _, said = warned(lambda: lp.Motion.from_csv(rows(q, tmp_path, t), ARM))  # noqa: B023
        assert not any("t counts" in text for text in said)


def test_degrees_of_a_robot_without_limits_are_seen_from_the_speed(tmp_path: Path) -> None:
    turn = 180 - 180 * np.cos(np.linspace(0, np.pi, 200))  # once around in 2 s
    _, said = warned(lambda: lp.Motion.from_csv(rows(turn, tmp_path), ARM))
    assert any("joint 'joint1' moves at 28" in text and "rpm: degrees?" in text for text in said), said
    _, said = warned(lambda: lp.Motion.from_csv(rows(turn, tmp_path), ARM, degrees=True))
    assert not any("degrees?" in text for text in said)


@pytest.mark.parametrize("speed_noise", [0.0, 1e-3])
@pytest.mark.parametrize("rounding", [0.0, 1e-4])
def test_noise_of_a_joint_at_rest_is_no_contradiction(speed_noise: float, rounding: float) -> None:
    """0.1 mrad, as of UR's RTDE; a wrong sign, and speeds a fifth too large, are still seen beside it."""
    rng, t = np.random.default_rng(3), np.arange(1250) / 125
    q = np.column_stack([np.sin(t), np.full(1250, 0.3)]) + rng.normal(0, 1e-4, (1250, 2))
    q = np.round(q / rounding) * rounding if rounding else q
    qd = np.column_stack([np.cos(t), np.zeros(1250)]) + rng.normal(0, 1, (1250, 2)) * speed_noise

    def contradictions(factor: float) -> list[str]:
        _, said = warned(lambda: lp.Motion(t, q, factor * qd, np.zeros_like(qd), robot=ARM))
        return [text for text in said if "rates of its positions" in text]

    assert contradictions(1.0) == []
    for factor in (-1.0, 1.2, 180 / math.pi):
        assert [text for text in contradictions(factor) if "'joint1'" in text]


@pytest.mark.parametrize(("position_noise", "speed_noise"), [(1e-4, 1e-3), (1e-4, 3e-3), (1e-3, 1e-4)])
def test_speeds_that_are_smoothed_contradict_no_positions(position_noise: float, speed_noise: float) -> None:
    """Ten seconds of a log without accelerations: noisy speeds drift by 0.3 mrad, also once they are smooth."""
    for seed in range(5):
        rng, t = np.random.default_rng(seed), np.arange(1250) / 125
        q = np.column_stack([np.sin(t), np.full(1250, 0.3)]) + rng.normal(0, position_noise, (1250, 2))
        qd = np.column_stack([np.cos(t), np.zeros(1250)]) + rng.normal(0, speed_noise, (1250, 2))
        motion, said = warned(lambda q=q, qd=qd, t=t: lp.Motion(t, q, qd, robot=ARM))  # type: ignore[misc]
        assert motion.smoothing is not None and motion.smoothing.what == "speeds"
        assert not any("rates of its positions" in text for text in [*said, *motion.problems(accelerations=False)])
        motion, said = warned(lambda q=q, qd=qd, t=t: lp.Motion(t, q, -qd, robot=ARM))  # type: ignore[misc]
        for sentences in (said, motion.problems()):
            assert any("'joint1': its speeds (qd) are not" in text and "the sign right?" in text for text in sentences)


@pytest.mark.parametrize("call", [
    lambda: lp.Motion.through([[0, 0]], [[1, 1]]),
    lambda: lp.Motion.swing([0, 0]),
    lambda: lp.Motion([0, 1], [[0], [1]], robot="ur5"),
])
def test_what_is_no_robot_is_refused_in_words(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"a motion needs the robot that moves, and got .* in its place"):
        call()


def held(between: list[int]) -> np.ndarray:
    """Rows of a column that changes after so many rows each time."""
    return np.repeat(np.arange(len(between) + 1.0) ** 2, [*between, 1])[:, None]


@pytest.mark.parametrize(("between", "found"), [
    ([4] * 60, (4, 0)),
    ([4] * 49, None),  # 48 times between changes: no rhythm yet
    ([4] * 51, (4, 0)),
    ([4] * 60 + [40] * 20, (4, 0)),  # the robot stands for a while
    ([4, 8] * 40, None),  # every eighth row is as usual as every fourth: no rhythm, though all are multiples of four
    ([4, 4, 8] * 40, None),
    ([4] * 30 + [40] * 25, None),  # it moves too rarely to tell
    ([4, 5, 3, 4] * 20, None),
    ([1] * 80, None),
    ([4] * 57 + [5] * 3, (4, 0)),
])
def test_when_rows_are_held(between: list[int], found: tuple[int, int] | None) -> None:
    assert held_rows(held(between)) == found


@pytest.mark.parametrize(("count", "step", "start"), [(80, 0.01014319, 0.00892484), (85, 0.0297511153, 0.000289233)])
def test_a_clock_that_the_fitted_step_just_misses_is_even(count: int, step: float, start: float) -> None:
    """Stamps cut to 10 ms whose step by least squares is off by half of what they leave open: the search goes on."""
    even = start + step * np.arange(count)
    cut = np.floor(even / 0.01) * 0.01
    found = read_stamps(cut, 1.0, np.zeros((count, 0)), lambda sample: f"line {sample}", "t").t
    assert found[1] - found[0] == pytest.approx(step, abs=0.01 / count)
    assert np.ptp(np.diff(found)) < 1e-12 and np.ptp(found - cut) <= 0.0100001
