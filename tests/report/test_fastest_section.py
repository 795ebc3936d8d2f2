"""Fastest motions in reports and comparisons: the same numbers, and in words why there is none."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from loadpath.report.blocks import Chart, Table

ARM = lp.catalog.planar(2)
LIMITS = {"torque": 60.0, "speed": 3.0}
MOTION = lp.Motion.through(ARM, [[0.0, 0.3], [0.9, 0.6]], times=[0, 2])


def test_a_report_with_the_fastest_motion() -> None:
    page = ARM.report(MOTION, only=["fastest motion"], fastest=LIMITS)
    (section,) = page.sections
    found = ARM.fastest(MOTION, LIMITS)
    assert section.title == "Fastest motion"
    assert section.figures[0].value == f"{found.duration:.4g} s"
    assert section.figures[0].note == "the motion takes 2 s"
    chart, table = (next(block for block in section.blocks if isinstance(block, kind)) for kind in (Chart, Table))
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows] == [str(limit) for limit in found.limits]
    assert isinstance(chart, Chart)
    strip = [trace for trace in chart.traces if trace["yaxis"] == "y3"]
    assert [trace["name"] for trace in strip] == [stretch.limit for stretch in found.rules if stretch.limit]
    assert strip[0]["x"][0] == 0.0
    assert strip[-1]["x"][1] == pytest.approx(found.duration)
    drawn = chart.traces[0]
    assert np.trapezoid(drawn["y"], drawn["x"]) == pytest.approx(found.s[-1], rel=1e-3)
    assert "Fastest motion" in page.html
    assert not any(one.title == "Fastest motion" for one in ARM.report(MOTION).sections)


def test_a_report_says_why_there_is_none() -> None:
    page = ARM.report(MOTION, only=["fastest motion"], fastest={"torque": 5.0})
    (section,) = page.sections
    assert section.figures[0].alarming
    tables = [block for block in section.blocks if isinstance(block, Table)]
    assert [table.title for table in tables] == ["Exceeded at rest", "These leave nothing between them"]
    assert tables[0].rows[0][0] == "torque of 'joint1'"


def test_two_designs_by_their_fastest_motions() -> None:
    heavy = ARM.with_payload(1.0)
    found = lp.compare(ARM, heavy, MOTION, labels=("empty", "loaded"), fastest=LIMITS)
    durations = [robot.fastest(MOTION, LIMITS).duration for robot in (ARM, heavy)]
    assert found.fastest is not None
    assert [each.duration for each in found.fastest] == durations  # type: ignore[union-attr]
    assert durations[1] > durations[0]
    assert "Fastest motion" in str(found)
    titles = [section.title for section in found.report().sections]
    assert titles[-2:] == ["Fastest motion of empty", "Fastest motion of loaded"]
    none = lp.compare(ARM, heavy, MOTION, fastest={"torque": 20.0})
    assert isinstance(none.fastest, tuple)
    assert isinstance(none.fastest[1], lp.NoMotionError)
    assert "none" in str(none)
    assert none.report().sections


def test_what_acts_beside_is_refused() -> None:
    with pytest.raises(ValueError, match="external"):
        ARM.report(MOTION, fastest=LIMITS, external={"link2": ((1.0, 0, 0), (0, 0, 0))})


WHEELS = [lp.FixedWheel((x, y), 0.1) for x in (0.3, -0.3) for y in (0.3, -0.3)]
ROVER = lp.WheeledBase(mass=60, center_of_mass=(0, 0, 0.25), inertia=np.diag([2.0, 3.0, 4.0]), wheels=WHEELS,
                       friction=lp.WheelFriction(sliding=0.6, static=0.8, rolling=0.01)).carrying(ARM, at=(0, 0, 0.4))


def test_a_rover_that_stands() -> None:
    """Within its own limits of wheels, with its heading; while its base moves there is none by this path."""
    limits = {**LIMITS, "margin": 0.05}
    sloping = ROVER.on(lp.Ground(slope=0.2))
    for rover, words in ((ROVER, {}), (sloping, {"heading": 1.5})):
        page = rover.report(MOTION, only=["fastest motion"], fastest=limits, **words)
        found = rover.fastest(MOTION, limits, **words)
        assert page.sections[0].figures[0].value == f"{found.duration:.4g} s"
        assert page.sections[0].figures[0].note == "the motion takes 2 s"
    both = lp.compare(ROVER, sloping, MOTION, fastest=limits)
    assert [each.duration for each in both.fastest or ()] == [
        rover.fastest(MOTION, limits).duration for rover in (ROVER, sloping)]
    with pytest.raises(ValueError, match="velocity"):
        ROVER.report(MOTION, fastest=limits, velocity=(0.5, 0.0))
    run = lp.catalog.lau_rover(driven=True)
    driven = run.simulate([0.0, 0.0, 0.3], duration=0.1, velocity=(0.5, 0.0))
    with pytest.raises(ValueError, match="moves the base"):
        run.report(driven, fastest=True)
