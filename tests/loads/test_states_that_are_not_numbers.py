"""A state that is not a number is neither safe nor unsafe: it is left out of peaks and extremes, which say so."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import loadpath as lp

ARM = lp.catalog.planar(2)
GOOD = np.linspace(-1, 1, 12).reshape(6, 2)
BAD = GOOD.copy()
BAD[2, 1] = np.nan
BAD[4, 0] = np.nan
KNOWN = [0, 1, 3, 5]
STILL = np.zeros(2)
WORDS = r"2 of 6 states are not numbers \(2, 4\)"


def test_peaks_are_those_of_the_known_states() -> None:
    with pytest.warns(lp.ModelWarning, match=f"peak_loads: {WORDS}: left out") as said:
        found = ARM.peak_loads((BAD, STILL, STILL))
    assert len(said) == 1
    known = ARM.peak_loads((GOOD[KNOWN], STILL, STILL))
    assert found.unknown.tolist() == [False, False, True, False, True, False]
    for part in ("components", "resultants", "drive", "power"):
        for number in ("maximum", "minimum", "mean", "rms", "cubic_mean"):
            ours, theirs = (getattr(getattr(peaks, part), number) for peaks in (found, known))
            assert np.allclose(ours, theirs, rtol=1e-12, atol=1e-15, equal_nan=True)
    assert found["joint1", "drive"].peak.sample in KNOWN
    assert (np.array(KNOWN)[known.drive.magnitude_at] == found.drive.magnitude_at).all()
    assert found.to_table().startswith("2 of 6 states are not numbers (2, 4): left out")
    assert "are not numbers (2, 4)" in repr(found)
    assert "not numbers" not in known.to_table()


def test_peaks_of_no_known_state_say_so() -> None:
    with pytest.warns(lp.ModelWarning, match=r"peak_loads: 3 of 3 states are not numbers \(0, 1, 2\)"):
        found = ARM.peak_loads((np.full((3, 2), np.nan), STILL, STILL))
    assert np.isnan(found.drive.maximum).all()
    assert np.isnan(found.drive.magnitude).all()
    assert found.to_table().startswith("3 of 3 states")
    with pytest.raises(ValueError, match="drive of 'joint1' has no peak: no state is a number"):
        found["joint1", "drive"].peak  # noqa: B018


def test_work_is_not_known_where_samples_are_not() -> None:
    simulation = ARM.simulate([0.3, 0.2], [0, 0], duration=0.1, sample_rate=50)
    simulation.qdd[2] = np.nan
    with pytest.warns(lp.ModelWarning, match="1 of 6 states"):
        found = ARM.peak_loads(simulation)
    assert found.work_done is not None
    assert np.isnan(found.work_done).all()


def test_the_worst_state_and_the_largest_causes_leave_them_out() -> None:
    loads = ARM.load_breakdown(BAD, STILL, STILL)
    assert loads.unknown.tolist() == [False, False, True, False, True, False]
    with pytest.warns(lp.ModelWarning, match=f"worst: {WORDS}: left out"):
        assert loads.worst("joint1", "torque_z")[0] in KNOWN
    with pytest.warns(lp.ModelWarning, match=f"top: {WORDS}"):
        found = loads.top("joint1", "torque_z", 1)
    assert np.isfinite(found[0].value)
    lost = ARM.load_breakdown(np.full((2, 2), np.nan), STILL, STILL)
    with pytest.warns(lp.ModelWarning, match=r"2 of 2 states are not numbers \(0, 1\): nothing is known"):
        assert any(np.isnan(part.value) for part in lost.top("joint1", "torque_z", 20))


def test_extremes_and_histograms_say_what_they_leave_out() -> None:
    states = BAD, np.zeros((6, 2)), np.zeros((6, 2))
    with pytest.warns(lp.ModelWarning, match=f"reduce_loads: {WORDS}: left out of the extremes"):
        found = ARM.reduce_loads(states, lp.LoadExtremes(), block=2)
    assert found.unknown == (2, 4)
    *_, largest_at = found
    assert len(found) == 4  # as before
    assert int(largest_at.total("joint1")[5]) in KNOWN
    with pytest.warns(lp.ModelWarning, match="left out of the histogram"):
        counts = ARM.reduce_loads(states, lp.LoadHistogram("joint1", "torque_z", [-1e3, 0, 1e3]), block=4)
    assert counts.sum() == 4


def test_known_states_give_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ARM.peak_loads((GOOD, STILL, STILL))
        loads = ARM.load_breakdown(GOOD, STILL, STILL)
        loads.worst("joint1")
        loads.top("joint1", "torque_z")
        extremes = ARM.reduce_loads((GOOD, np.zeros((6, 2)), np.zeros((6, 2))), lp.LoadExtremes())
    assert not found.unknown.any()
    assert not loads.unknown.any()
    assert extremes.unknown == ()


def test_a_payload_for_states_that_are_not_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match=r"not finite at state 2"):
        ARM.max_payload((BAD, STILL, STILL), {"joint1": 100.0})


def test_rollouts_that_grow_without_bound_say_so() -> None:
    starts = np.array([[0.1, 0.0], [0.2, 0.0], [0.3, 0.1]])

    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return np.where(np.arange(3)[:, None] == 1, 1e3 * qd**3 + 1.0, 0.0)

    with np.errstate(all="ignore"), pytest.warns(
        lp.ModelWarning, match=r"rollout: 1 of 3 states is not a number \(1\): the first by t = .*shorter step than"
    ):
        found = ARM.rollout(starts, [0, 0], torque, step=0.05, steps=60, every=2)
    assert np.isfinite(found.q[:, [0, 2]]).all()
