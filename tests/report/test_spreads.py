"""The spread beside each utilisation, on page and terminal; what it is not of; reports in notebooks."""

from __future__ import annotations

import re
from html import unescape

import pytest

import loadpath as lp
from loadpath.report import Table


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    ring = lp.CrossedRollerBearing(C=5300, C0=6070, dp=0.036)
    limits = {"joint1": lp.Limits(effort=60.0), "joint2": lp.Limits(effort=20.0)}
    return lp.catalog.planar(2).with_limits(limits).with_payload(1.0).with_parts({"joint2": [ring]})


@pytest.fixture(scope="module")
def found(arm: lp.Robot) -> lp.Uncertainty:
    return lp.uncertainty(arm, lp.Motion.swing(arm, 41), lp.Tolerances(mass=0.03, center=0.002), hours=1000)


def column(text: str, head: str) -> list[str]:
    rows = [re.split(r"  +", line.strip()) for line in text.splitlines()]
    heads = next(row for row in rows if head in row)
    return [row[heads.index(head)] for row in rows if len(row) >= len(heads)]


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_the_spread_stands_beside_each_utilisation(arm: lp.Robot, found: lp.Uncertainty) -> None:
    verdict = found.verdict
    for row in verdict.ranked:
        if row.utilisation > 0 and (row.joint, row.part, row.check) in verdict.spreads:
            assert row.spread == found[row.joint, row.part, row.check].spread
    page = arm.report(lp.Motion.swing(arm, 41), uncertainty=found, hours=1000, only=["verdict", "uncertainty"])
    assert [one.title for one in page.sections] == ["Verdict", "Uncertainty"]
    (checks,) = [block for block in page.sections[0].blocks if isinstance(block, Table) and block.title == "Checks"]
    place = checks.columns.index("spread")
    assert checks.columns[place - 1] == "utilisation"
    shown = {(row[1], row[0], row[2] if isinstance(row[2], str) else row[2][0]): row[place] for row in checks.rows}
    effort = found["joint2", "limits", "effort"].spread
    assert shown["joint2", "limits", "effort"] == f"\u00b1 {100 * effort:.1f} %"
    assert f"\u00b1 {100 * effort:.1f} %" in str(verdict) and "spread" in str(verdict)
    assert "spread" not in str(arm.verdict(lp.Motion.swing(arm, 41)))


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_what_it_is_not_of_is_refused(arm: lp.Robot, found: lp.Uncertainty) -> None:
    swing = lp.Motion.swing(arm, 41)
    with pytest.raises(ValueError, match="of another robot, motion or life: 'effort' of limits at 'joint"):
        arm.with_payload(2.0, name="more").report(swing, uncertainty=found, only=["verdict"], hours=1000)
    with pytest.raises(ValueError, match="this report is of a duty spectrum: ask for the robot, or for each motion"):
        arm.report(lp.DutySpectrum([(swing, 0.5), (swing.scaled(speed=0.5), 0.5)]), uncertainty=found)
    with pytest.raises(ValueError, match="this report is of rover 'rover'"):
        lp.catalog.lau_rover().report(uncertainty=found)


def test_a_notebook_shows_the_page_in_a_frame_without_access(arm: lp.Robot) -> None:
    page = arm.report(only=["overview"], title="<b>arm</b>", interactive=False)
    frame = page._repr_html_()
    assert frame.startswith("<iframe") and "allow-same-origin" not in frame and "<b>" not in frame.split("srcdoc")[0]
    assert unescape(re.search('srcdoc="([^"]*)"', frame)[1]) == page.html  # type: ignore[index]
    assert repr(page) == "<report '<b>arm</b>': Overview>"
