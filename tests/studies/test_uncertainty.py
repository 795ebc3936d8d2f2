"""Spreads of utilisations: by hand, against robots drawn at random, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import loadpath as lp

EFFORT = ("joint1", "limits", "effort")


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    gear = lp.StrainWaveGear(ratio=100, rated_torque=60, rated_speed=200, rated_life=7000, average_torque=70,
                             peak_torque=150, name="gear")
    ring = lp.CrossedRollerBearing(C=29.1e3, C0=40e3, dp=0.07, name="ring")
    drives = {"joint1": lp.Drive(ratio=100, friction=lp.Friction(viscous=2.0, coulomb=4.0))}
    return lp.catalog.planar(2).with_payload(1.0).with_limits({"joint1": lp.Limits(effort=90.0)}).with_drives(
        drives).with_parts({"joint1": [ring, gear]})


def motion(arm: lp.Robot) -> lp.Motion:
    return lp.Motion.through(arm, [[0.0, 0.3], [1.2, -0.4], [0.2, 0.9]], [0.0, 0.7, 1.5])


def test_by_hand_of_a_rod_that_is_held() -> None:
    """m g c / capacity: 3 % of the mass, 0.01 m of 0.5 m, nothing else that counts."""
    rod = lp.catalog.planar(1).with_limits({"joint1": lp.Limits(effort=10.0)})
    found = lp.uncertainty(rod, ([[0.0]], [[0.0]], [[0.0]]), lp.Tolerances(mass=0.03, center=0.01))
    row = found[EFFORT]
    assert row.utilisation == pytest.approx(0.5 * 9.81 / 10)
    assert row.spread == pytest.approx(row.utilisation * math.hypot(0.03, 0.02), rel=1e-9)
    assert row.shares == pytest.approx({"link1.mass": 9 / 13, "link1_center_x": 4 / 13}, rel=1e-9)
    assert "joint1" in str(found) and "link1.mass 69 %" in str(found)


def test_robots_drawn_at_random_spread_as_much(arm: lp.Robot) -> None:
    """Within the error of so many draws: the deviation of a deviation is 1/sqrt(2 n) of it."""
    count = 4000
    found = lp.uncertainty(arm, motion(arm), lp.Tolerances(0.01, 0.001, 0.05, 0.002), hours=10_000)
    drawn = found.drawn(count, seed=3)
    seen = 0
    for row in found:
        values = drawn[row.joint, row.part, row.check]
        assert np.isfinite(values).all() and len(values) == count
        assert sum(row.shares.values()) == pytest.approx(1.0 if row.shares else 0.0)
        if row.spread > 1e-6 and row.check not in ("position",):
            assert values.std() == pytest.approx(row.spread, rel=5 / math.sqrt(2 * count)), row
            if row.part != "ring":  # whose tilting moment out of the plane is a magnitude near zero: it only grows
                assert values.mean() == pytest.approx(row.utilisation, abs=0.2 * row.spread), row
            seen += 1
    assert seen >= 5
    assert {key[1] for key in drawn} == {"ring", "gear", "limits"}
    speed = found["joint1", "limits", "speed"] if ("joint1", "limits", "speed") in drawn else None
    assert speed is None or list(speed.shares) == ["motion.speed"]


def test_a_section_for_the_report_and_what_is_refused(arm: lp.Robot) -> None:
    found = lp.uncertainty(arm, motion(arm), hours=10_000)
    page = arm.report(motion(arm), only=["uncertainty"], sections=[found.section()], interactive=False)
    assert [section.title for section in page.sections] == ["Uncertainty"]
    assert "masses 5 %, mass centers 5 mm along each axis, friction 30 %, pace of the motion 1 %" in page.html
    with pytest.raises(ValueError, match="no row"):
        found["joint1", "gear", "colour"]
    with pytest.raises(ValueError, match=r"mass of the tolerances is 1\.5"):
        lp.Tolerances(mass=1.5)
    with pytest.raises(ValueError, match="all tolerances are zero"):
        lp.uncertainty(arm, motion(arm), lp.Tolerances(0, 0, 0, 0))
    with pytest.raises(lp.ModelError, match="has loops"):
        lp.uncertainty(lp.catalog.four_bar(), lp.Motion.swing(lp.catalog.four_bar()))
    with pytest.raises(lp.ModelError, match="stands on wheels"):
        lp.uncertainty(lp.catalog.lau_rover(), motion(arm))
    with pytest.raises(ValueError, match="not a duty spectrum"):
        lp.uncertainty(arm, lp.DutySpectrum([(motion(arm), 1.0)]))
