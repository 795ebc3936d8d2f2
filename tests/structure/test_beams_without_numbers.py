"""A state that is not a number is never the worst and never safe: results of beams name it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import loadpath as lp

NAN = np.nan
ROWS = np.array([[0.3, 0.1], [NAN, 0.1], [0.4, 0.1]])


@pytest.fixture(scope="module")
def arm() -> lp.FlexibleRobot:
    rod = lp.Tube(0.02, 0.002)
    beams = {"link1": lp.Beam(rod, lp.STEEL, end="joint2"), "link2": lp.Beam(rod, lp.STEEL, end="tip_joint")}
    return lp.catalog.planar(2).with_beams(beams, inertia_from_beams=True)


def only_warning(call, match: str):
    """What a call returns, which gives one warning and no other."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call()
    assert len(caught) == 1 and issubclass(caught[0].category, lp.ModelWarning), [str(w.message) for w in caught]
    assert match in str(caught[0].message), str(caught[0].message)
    return found


def test_results_name_them_and_leave_them_out_of_the_worst(arm) -> None:
    counted, bad = "1 of 3 states is not a number (1)", [False, True, False]
    stress = only_warning(lambda: arm.stress(ROWS), f"stress: {counted}")
    assert stress.unknown.tolist() == stress.yields.tolist() == bad
    assert stress.worst == arm.stress(ROWS[[0, 2]]).worst._replace(state=stress.worst.state)
    assert stress.of("link2").unknown.tolist() == bad
    safety = only_warning(lambda: arm.buckling_safety(ROWS), f"buckling_safety: {counted}")
    assert safety.unknown.tolist() == safety.fails.tolist() == bad
    assert safety.worst.state != (1,)
    assert only_warning(lambda: arm.deflection(ROWS), f"deflection: {counted}").unknown.tolist() == bad
    bent = only_warning(lambda: arm.deflection(ROWS, iterate=True), f"deflection: {counted}")
    assert (~bent.stable).tolist() == bent.unknown.tolist() == bad
    found = only_warning(lambda: arm.extremes(ROWS), f"extremes: {counted}")
    assert found.unknown.tolist() == bad
    assert found.worst_stress[1:] == stress.worst[1:]
    assert found.worst_stress.safety == pytest.approx(stress.worst.safety, rel=1e-14)  # rounded as the processor does
    assert only_warning(lambda: arm.compensated(ROWS), f"compensated: {counted}").unknown.tolist() == bad
    modes = only_warning(lambda: arm.natural_frequencies(ROWS, 2), f"natural_frequencies: {counted}")
    assert modes.unknown.tolist() == bad
    assert str(modes).endswith(f"; {counted}>")
    chart = only_warning(lambda: arm.frequency_map(q=ROWS), f"frequency_map: {counted}")
    assert chart.unknown.tolist() == bad
    assert counted in repr(chart) and counted in chart.plot().layout.title.text
    with pytest.warns(lp.ModelWarning, match="not a number"):
        assert arm.plot_safety(ROWS).layout.title.text.endswith(f"; {counted}")


@pytest.mark.parametrize("loads", [
    {"external": {"tip": lp.Wrench(force=(0.0, 0.0, NAN))}},
    {"base_acceleration": [NAN, 0, 0, 0, 0, 0]},
    {"base_velocity": [0, 0, 0, 0, 0, NAN]},
])
def test_loads_that_are_no_numbers(arm, loads) -> None:
    for ask in (arm.stress, arm.buckling_safety, arm.deflection, arm.extremes):
        assert bool(only_warning(lambda ask=ask: ask([0.3, 0.1], **loads), "the state is not a number").unknown)


def test_nothing_but_such_states(arm) -> None:
    none = ROWS[[1, 1]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, stress, safety = arm.extremes(none), arm.stress(none), arm.buckling_safety(none)
        chart = arm.frequency_map(q=none)
    assert np.isnan(found.tip.distance)
    assert found.tip.state == ()
    for ask in (lambda: found.worst_stress, lambda: found.worst_euler, lambda: found.worst_beam_column,
                lambda: stress.worst, lambda: safety.worst, lambda: chart.worst_q):
        with pytest.raises(ValueError, match=r"only (states|poses) that are not numbers"):
            ask()
    assert np.isnan(chart.lowest)
    assert "not numbers" in repr(chart)
    with pytest.raises(ValueError, match="no worst place: no states"):
        _ = arm.extremes(np.zeros((0, 2))).worst_stress


def test_clean_batches_say_nothing(arm) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ask in (arm.stress, arm.buckling_safety, arm.deflection, arm.extremes, arm.natural_frequencies):
            assert not ask(ROWS[[0, 2]]).unknown.any()
