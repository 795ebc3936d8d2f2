"""Rainflow against ASTM E1049 and pyLife's four-point rule, time at level by hand, spectra of joints."""

from __future__ import annotations

import csv
from types import SimpleNamespace

import numpy as np
import pytest

import loadpath as lp
from loadpath.structure.fatigue.damage import rainflow as four_point


def test_the_example_of_the_standard() -> None:
    found = lp.rainflow([-2, 1, -3, 5, -1, 3, -4, 4, -2])  # ASTM E1049-85 (2017), figure 6
    counts = {size: found.counts[found.ranges == size].sum() for size in range(1, 11)}
    assert counts == {1: 0, 2: 0, 3: 0.5, 4: 1.5, 5: 0, 6: 0.5, 7: 0, 8: 1.0, 9: 0.5, 10: 0}
    closed = found.ranges[found.counts == 1.0]
    assert closed.tolist() == [4.0] and found.means[found.counts == 1.0].tolist() == [1.0]  # E-F, -1 to 3


def test_the_three_point_rule_counts_what_the_four_point_rule_counts() -> None:
    pytest.importorskip("pylife")
    series = np.random.default_rng(3).normal(size=400).cumsum()
    one, other = lp.rainflow(series), four_point(series, "once")
    for size in np.unique(np.round(other.ranges, 9)):
        mine, theirs = (found.counts[np.abs(found.ranges - size) < 1e-8].sum() for found in (one, other))
        assert mine == theirs
    assert one.counts.sum() == other.counts.sum()


@pytest.mark.parametrize(
    ("series", "total"), [([], 0.0), ([1.0], 0.0), ([2.0, 2.0, 2.0], 0.0), ([0, 1], 0.5), ([0, 1, 1, 0], 1.0)]
)
def test_short_series(series: list[float], total: float) -> None:
    assert lp.rainflow(series).counts.sum() == total


def test_bad_series_are_refused() -> None:
    with pytest.raises(ValueError, match="1 of 3 samples are not numbers, the first is sample 1"):
        lp.rainflow([0.0, np.nan, 1.0])
    with pytest.raises(ValueError, match="one series"):
        lp.rainflow(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="rising numbers"):
        lp.time_at_level([0.0], None, [1.0, 0.0])
    with pytest.raises(ValueError, match="does not rise"):
        lp.time_at_level([0.0, 1.0], [1.0, 0.0], [0.0, 1.0])


def test_time_at_level_by_hand() -> None:
    t = np.array([0.0, 1.0, 3.0, 4.0])  # shares of the steps: 0.5, 1.5, 1.5, 0.5
    assert lp.time_at_level([5.0, 1.0, 1.0, 9.0], t, [0, 2, 6, 10]).tolist() == [3.0, 0.5, 0.5]
    assert lp.time_at_level([5.0, 1.0, 1.0, 9.0], None, [0, 2, 6, 9]).tolist() == [0.5, 0.25, 0.25]


def test_spectra_of_joints(tmp_path: object) -> None:
    arm = lp.catalog.planar(2)
    motion = lp.Motion.through(arm, [[0, 0], [1, -1], [0.2, 0.3], [0, 0]], times=[0, 1, 2, 3])
    spectra = arm.load_spectra(motion, quantities=["torque_z", "radial_force", "drive"], classes=8)
    series = arm.joint_wrenches(motion)["joint1"].torque[:, 2]
    mine = spectra["joint1", "torque_z"]
    assert mine.shares == pytest.approx(lp.time_at_level(series, motion.t, mine.levels) / motion.duration)
    whole = lp.rainflow(series)
    assert (mine.cycles.ranges * mine.cycles.counts).sum() == pytest.approx((whole.ranges * whole.counts).sum())
    assert ("tip_joint", "radial_force") not in [(one.joint, one.quantity) for one in spectra]
    rows = list(csv.DictReader(spectra.to_csv(tmp_path / "levels.csv").open()))
    assert sum(float(row["share"]) for row in rows if row["joint"] == "joint2" and row["quantity"] == "drive") == (
        pytest.approx(1.0)
    )
    assert len(list(csv.DictReader(spectra.cycles_to_csv(tmp_path / "cycles.csv").open()))) == sum(
        len(one.cycles.counts) for one in spectra
    )
    both = arm.load_spectra(SimpleNamespace(motions=(motion, motion), shares=(0.5, 0.5), repeats=(2.0, 3.0)),
                            joints=["joint1"], quantities=["torque_z"], classes=8)
    assert both["joint1", "torque_z"].cycles.counts.sum() == pytest.approx(5 * whole.counts.sum())
    with pytest.raises(ValueError, match="has no radial force"):
        arm.load_spectra(motion, joints=["tip_joint"])
    with pytest.raises(ValueError, match="did you mean 'torque_z'"):
        arm.load_spectra(motion, quantities=["torque_q"])
