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


def test_parts_are_paired_by_their_place():
    """Gears of a joint with each other, whatever their names, in order; what one design alone has stays alone."""
    motion = lp.Motion.swing(lp.catalog.planar(2))
    numbers = {"rated_speed": 200, "rated_life": 7000}
    small = lp.StrainWaveGear(ratio=100, rated_torque=60, average_torque=70, peak_torque=150, name="size 25", **numbers)
    large = lp.StrainWaveGear(ratio=100, rated_torque=120, average_torque=140, peak_torque=300, name="size 32",
                              **numbers)
    ring = lp.CrossedRollerBearing(C=29e3, C0=40e3, dp=0.09, name="ring")
    arm = lp.catalog.planar(2)
    found = lp.compare(arm.with_parts({"joint1": [small]}), arm.with_parts({"joint1": [ring, large]}), motion,
                       hours=20_000)
    checks = {(row.part, row.check): row for row in found.checks}
    peak = checks["size 25, size 32", "repeated peak torque"]
    assert peak.first == pytest.approx(2 * peak.second, rel=1e-12)
    assert checks["ring", "life L10"].first != checks["ring", "life L10"].first  # a number in the second alone
    assert found.verdicts[0]["joint1", "size 25", "repeated peak torque"].utilisation == peak.first
    swapped = lp.compare(arm.with_parts({"joint1": [ring, large]}), arm.with_parts({"joint1": [small]}), motion)
    assert {row.part for row in swapped.checks} >= {"size 32, size 25", "ring"}


def test_duty_spectra_are_compared(found):
    arm = lp.catalog.planar(2)
    quick, slow = (lp.Motion.swing(arm, duration=duration) for duration in (1.0, 3.0))
    duty = lp.DutySpectrum([(quick, 0.25), (slow, 0.75)], names=["quick", "slow"])
    both = lp.compare(arm, arm.with_payload(0.5), duty)
    for robot, which in zip(both.robots, ("first", "second"), strict=True):
        peaks = robot.peak_loads(duty)
        assert getattr(both["joint1", "drive"], which) == peaks["joint1", "drive"].peak.value
    row = both["joint1", "drive"]
    assert sum(part.second for part in row.causes) == pytest.approx(row.second, rel=1e-9)
    assert "duty of 2 cycles, quick 25 %, slow 75 %" in both.report().html


def test_rovers_are_compared_with_their_wheels():
    def cart(mass):
        wheels = [lp.FixedWheel((x, y), 0.1) for x in (-0.6, 0.6) for y in (-0.5, 0.5)]
        base = lp.WheeledBase(mass=mass, center_of_mass=(0, 0, 0.2), inertia=[[5, 0, 0], [0, 5, 0], [0, 0, 5]],
                              wheels=wheels, friction=lp.WheelFriction(0.6))
        return base.carrying(lp.catalog.planar(2), at=(0, 0, 0.5))

    motion = lp.Motion.swing(lp.catalog.planar(2))
    light, heavy = cart(100.0), cart(200.0)
    both = lp.compare(light, heavy, motion, base={"acceleration": (0.3, 0.0)}, labels=("light", "heavy"))
    for rover, which in ((light, "first"), (heavy, "second")):
        peaks = rover.peak_loads(motion, acceleration=(0.3, 0.0))
        assert getattr(both["wheel1", "normal"], which) == peaks["wheel1", "normal"].peak.value
        verdict = rover.verdict(motion, acceleration=(0.3, 0.0))
        row = next(row for row in both.checks if row.check == "tipping over")
        assert getattr(row, which) == verdict["rover", "tipping over"].utilisation
    assert "heavy" in both.report().html
