"""Duty spectra: shares of time, merged peaks, fatigue."""

import numpy as np
import pytest

import loadpath as lp

ARM = lp.catalog.planar(2)
PICK = lp.Motion.through(ARM, [[0, 0], [1, 0.5], [0, 0]], times=[0, 1, 2], rate=50)
PLACE = lp.Motion.through(ARM, [[0, 0], [-1, 0.5], [0, 0]], times=[5, 5.5, 6], rate=80).with_loads(
    [lp.Carried(2.0, from_=5.2, to=5.8, name="box")]
)
SPECTRUM = lp.DutySpectrum([(PICK, 0.75), (PLACE, 0.25)], names=["pick", "place"])


def test_means_are_weighed_by_shares_and_extremes_are_of_all():
    merged, pick, place = (ARM.peak_loads(states) for states in (SPECTRUM, PICK, PLACE))
    for name, quantity in (("joint1", "drive"), ("joint2", "tilting_moment"), ("joint2", "radial_force"),
                           ("joint1", "power"), ("tip_joint", "force_x")):
        both, a, b = (peaks[name, quantity] for peaks in (merged, pick, place))
        assert both.maximum == max(a.maximum, b.maximum) and both.minimum == min(a.minimum, b.minimum)
        assert both.mean == pytest.approx(0.75 * a.mean + 0.25 * b.mean, abs=1e-12)
        assert both.rms**2 == pytest.approx(0.75 * a.rms**2 + 0.25 * b.rms**2)
        assert both.cubic_mean**3 == pytest.approx(0.75 * a.cubic_mean**3 + 0.25 * b.cubic_mean**3)
    both, a, b = (peaks["joint1", "drive"] for peaks in (merged, pick, place))
    ways = [0.75 * pick["joint1", "speed"].mean_magnitude, 0.25 * place["joint1", "speed"].mean_magnitude]
    expected = (ways[0] * a.travel_cubic_mean**3 + ways[1] * b.travel_cubic_mean**3) / sum(ways)
    assert both.travel_cubic_mean**3 == pytest.approx(expected)
    assert merged.duration == SPECTRUM.duration == 4.0 and SPECTRUM.repeats == (1.5, 1.0)
    assert np.allclose(merged.work_done, 1.5 * pick.work_done + place.work_done)


def test_peaks_know_their_motion():
    peaks = ARM.peak_loads(SPECTRUM)
    peak, alone = peaks["joint1", "drive"].peak, ARM.peak_loads(PLACE)["joint1", "drive"].peak
    assert (peak.motion, peak.sample, peak.time, peak.value) == ("place", alone.sample, alone.time, alone.value)
    assert [part.cause for part in peak.top(3)] == [part.cause for part in alone.top(3)]
    assert sum(part.value for part in peak.top(100)) == pytest.approx(peak.value)
    assert "of 'place'" in repr(peak) and "s of place" in peaks.to_table()
    frame = peaks.to_dataframe().set_index(["name", "quantity"])
    assert frame.loc[("joint1", "drive"), "maximum_motion"] == "place"


def test_the_largest_payload_over_a_spectrum_is_the_least_of_its_motions():
    limits = {"joint1": 400.0, "joint2": 150.0}
    each = [ARM.max_payload(motion, limits) for motion in (PICK, PLACE)]
    whole = ARM.max_payload(SPECTRUM, limits)
    least = min(each, key=float)
    assert whole.mass == least.mass > 0 and whole.binding.motion == "place"
    assert whole.binding.sample == least.binding.sample and "of 'place'" in str(whole)


def test_samples_are_named_with_their_motion():
    states = ARM.peak_loads(SPECTRUM).states
    assert len(states) == len(PICK) + len(PLACE) and states.weights.sum() == pytest.approx(1.0)
    assert states.where(len(PICK) + 3) == f"sample 3 (t = {PLACE.t[3]:.6g} s) of 'place'"
    assert states.located(4).motion == "pick" and states.q.shape == (len(states), 2)


def test_fatigue_takes_a_spectrum_as_the_repeats_that_it_is():
    tube = lp.Beam(lp.Tube(0.03, 0.003), lp.STEEL, end="joint2")
    arm = lp.catalog.planar(2, mass=20.0).with_beams({"link1": tube})
    by_repeats = arm.fatigue([(PICK, 1.5), (PLACE, 1.0)], cycles=1e6, sections=5)
    by_share = arm.fatigue(SPECTRUM, cycles=1e6, sections=5)
    assert by_share.worst.damage == by_repeats.worst.damage > 0
    assert by_share.duration == by_repeats.duration == 4.0
    assert "carried box" in arm.fatigue(PLACE, sections=5).causes["link1"]


def test_repeats_and_shares_say_the_same():
    again = lp.DutySpectrum.of_repeats([(PICK, 3), (PLACE, 2)])
    assert again.shares == (0.75, 0.25) and again.repeats == (3.0, 2.0) and again.duration == 8.0
    assert again.names == ("motion 1", "motion 2") and again.loads == PLACE.loads and len(again) == 2
    thirds = lp.DutySpectrum([(PICK, 0.3333333), (PLACE, 0.6666667)])
    assert sum(thirds.shares) == 1.0


@pytest.mark.parametrize("parts, message", [
    ([(PICK, 0.5), (PLACE, 0.25)], "sum to 0.75: expected 1"),
    ([(PICK, 0.0), (PLACE, 1.0)], "share of motion 1 of a duty spectrum is 0"),
    ([(PICK, -0.5), (PLACE, 1.5)], "share of motion 1 of a duty spectrum is -0.5"),
    ([(PICK, float("nan"))], "expected a finite number"),
    ([], "a duty spectrum is a list of .motion, share."),
    ([PICK, PLACE], "a duty spectrum is a list"),
    ([([0.0], 1.0)], "motion 1 of a duty spectrum is a list: expected an lp.Motion"),
    ([(PICK.at(1.0), 1.0)], "motion 1 of a duty spectrum takes no time"),
])
def test_spectra_that_are_none(parts, message):
    with pytest.raises(ValueError, match=message):
        lp.DutySpectrum(parts)


def test_names_are_one_for_each():
    with pytest.raises(ValueError, match="expected one for each of its 2 motions, all different"):
        lp.DutySpectrum([(PICK, 0.5), (PLACE, 0.5)], names=["a", "a"])


@pytest.mark.parametrize("call", ["inverse_dynamics", "load_breakdown", "link_poses", "plot"])
def test_what_takes_one_motion_refuses_a_spectrum(call):
    with pytest.raises(ValueError, match=f"{call} takes one motion, not a duty spectrum of 2"):
        getattr(ARM, call)(SPECTRUM)


def test_more_refusals_of_spectra():
    with pytest.raises(ValueError, match="reduce_loads takes one motion, not a duty spectrum"):
        ARM.reduce_loads(SPECTRUM, lp.LoadMean())
    with pytest.raises(ValueError, match="a duty spectrum has its own qd and qdd"):
        ARM.peak_loads(SPECTRUM, np.zeros(2), np.zeros(2))
    with pytest.raises(ValueError, match=r"batch shapes do not go together.*external on tip. .7,."):
        ARM.peak_loads(SPECTRUM, external={"tip": lp.Wrench(force=np.zeros((7, 3)))})
