"""Two designs side by side: the numbers are those of each, and changes of causes sum to the change."""

import pytest

import loadpath as lp
from loadpath.loads.peaks.result import peak_loads


@pytest.fixture(scope="module")
def found():
    arm = lp.catalog.planar(2)
    return lp.compare(arm, arm.with_payload(0.5), labels=("empty", "loaded"))


def test_values_are_those_of_each_design(found):
    for robot, own, which in zip(found.robots, found.motions, ("first", "second"), strict=True):
        peaks = robot.peak_loads(own)
        for row in found.rows:
            assert getattr(row, which) == peaks[row.name, row.quantity].peak.value


def test_changes_of_causes_sum_to_the_change(found):
    for row in found.rows:
        if row.quantity == "power":
            assert row.causes == []
            continue
        assert sum(part.first for part in row.causes) == pytest.approx(row.first, rel=1e-9, abs=1e-9)
        assert sum(part.second for part in row.causes) == pytest.approx(row.second, rel=1e-9, abs=1e-9)
    drive = found["joint1", "drive"]
    (payload,) = [part for part in drive.causes if part.cause == "gravity payload"]
    assert payload.first == 0.0 and abs(payload.second) > 1.0
    assert [abs(part.change) for part in drive.causes] == sorted(
        (abs(part.change) for part in drive.causes), reverse=True
    )


def test_it_is_shown_as_text_table_and_page(found):
    text = str(found)
    assert (
        "empty" in text
        and "gravity payload (+" in text
        and repr(found).startswith("<comparison of 'empty' and 'loaded'")
    )
    frame = found.to_dataframe()
    assert len(frame) == len(found.rows) and set(frame["quantity"]) >= {"drive", "radial_force"}
    report = found.report()
    assert [section.title for section in report.sections] == ["Comparison", "Causes that changed"]
    assert "Only loaded has &#39;payload_joint&#39;" in report.html and "gravity payload (+" in found._repr_html_()


def test_designs_that_cannot_be_compared():
    arm = lp.catalog.planar(2)
    with pytest.raises(ValueError, match="compare"):
        lp.compare(arm, lp.catalog.planar(3), lp.Motion.swing(arm))
    with pytest.raises(ValueError, match="labels are"):
        lp.compare(arm, arm, labels=("one",))
    with pytest.raises(ValueError, match="no 'weight' of 'joint1' in both designs"):
        lp.compare(arm, arm)["joint1", "weight"]


def test_the_same_design_twice_does_not_differ():
    arm = lp.catalog.planar(2)
    same = lp.compare(arm, arm)
    assert all(row.change == 0 for row in same.rows) and same.labels == ("planar2 (first)", "planar2 (second)")


def test_what_is_no_robot_is_refused_in_words():
    arm = lp.catalog.planar(2)
    with pytest.raises(lp.ModelError, match="compare takes a robot, not a list"):
        lp.compare([arm, arm], lp.Motion.swing(arm))
    with pytest.raises(lp.ModelError, match="compare takes a robot, not a str"):
        lp.compare(arm, "ur5")


def test_what_loops_and_beams_settle_together_is_so_through_functions_too():
    beam = lp.Beam(lp.Rod(0.008), lp.STEEL, end="rocker_pin")
    bar = lp.catalog.four_bar().with_beams({"coupler": beam})
    swing = lp.Motion.swing(bar)
    wrenches = bar.joint_wrenches(swing.q, swing.qd, swing.qdd)["rocker_pin"]
    for peaks in (bar.peak_loads(swing), peak_loads(bar, swing)):
        assert peaks["rocker_pin", "force_x"].maximum == pytest.approx(wrenches.force[:, 0].max(), rel=1e-12)
    assert all(row.change == 0 for row in lp.compare(bar, bar, swing).rows)
