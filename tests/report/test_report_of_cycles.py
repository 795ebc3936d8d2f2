"""The report of a duty spectrum: one verdict over all cycles, facts and sections of each, power and energy of each."""

from __future__ import annotations

from html import unescape

import numpy as np
import pytest

import loadpath as lp
from loadpath.report import Table
from loadpath.report.supply import ELECTRICAL, Supply, supplies

HOME = [0.0, 0.5]


@pytest.fixture(scope="module")
def arm():
    gear = lp.StrainWaveGear(ratio=100, rated_torque=60, rated_speed=200, rated_life=7000, average_torque=80,
                             peak_torque=150, name="gear")
    drives = {name: lp.Drive(ratio=100, rotor_inertia=1e-5, efficiency=0.8, torque_constant=0.1, resistance=0.5)
              for name in ("joint1", "joint2")}
    return lp.catalog.planar(2).with_payload(1.0).with_drives(drives).with_parts({"joint1": [gear]})


@pytest.fixture(scope="module")
def spectrum(arm):
    quick = lp.Motion.through(arm, [HOME, [1.0, -0.5], HOME], times=[0, 0.5, 1.0])
    slow = lp.Motion.through(arm, [HOME, [-0.8, 0.8], HOME], times=[0, 2.0, 4.0])
    return lp.DutySpectrum([(quick, 0.7), (slow, 0.3)], names=["quick", "slow"])


@pytest.fixture(scope="module")
def page(arm, spectrum):
    return arm.report(spectrum, hours=20_000)


def titled(page, title):
    return next(section for section in page.sections if section.title == title)


def table(section, title):
    return next(block for block in section.blocks if isinstance(block, Table) and block.title == title)


def numbers(row):
    return [float((cell if isinstance(cell, str) else cell[0]).replace("\N{MINUS SIGN}", "-").replace(",", ""))
            for cell in row]


def test_one_verdict_over_all_cycles_and_sections_of_each(arm, spectrum, page):
    own = arm.verdict(spectrum, hours=20_000)
    assert page.verdict.summary == own.summary
    assert [row.utilisation for row in page.verdict.checks] == [row.utilisation for row in own.checks]
    titles = [section.title for section in page.sections]
    assert titles[:3] == ["Verdict", "Cycles", "What was computed"]
    assert [title for title in titles if title.startswith("quick: ")] == [
        title.replace("slow", "quick") for title in titles if title.startswith("slow: ")]
    text = unescape(page.html)
    assert "20,000 h" in text and "Duty of 2 cycles: quick 70 %, slow 30 %." in text and "several cycles" in text
    for row in own.ranked:  # each instant says in which cycle it is
        if row.at is not None and row.part == "gear":
            assert f"{spectrum.names[row.at.motion]}, {row.at.time:.3f} s" in text


def test_sections_of_a_cycle_are_those_of_its_motion_alone(arm, spectrum, page):
    for name, motion in zip(spectrum.names, spectrum.motions, strict=True):
        alone = arm.report(motion, only=["drives", "joints"], interactive=False)
        for section in alone.sections:
            both = titled(page, f"{name}: {section.title}")
            ours, theirs = ([block.rows for block in one.blocks if isinstance(block, Table)] for one in (both, section))
            assert ours == theirs


def test_shares_runs_and_who_decides(spectrum, page):
    rows = table(titled(page, "Cycles"), "Shares of the cycles").rows
    assert [row[0] for row in rows] == ["quick", "slow"]
    assert [row[1] for row in rows] == ["70 %", "30 %"]
    assert [float(row[2]) for row in rows] == pytest.approx(spectrum.repeats, rel=1e-3)
    ranked = [row for row in page.verdict.ranked if row.at is not None]
    assert [int(row[-3]) for row in rows] == [sum(one.at.motion == k for one in ranked) for k in range(2)]


def test_facts_that_differ_name_their_cycle(page):
    facts = dict(titled(page, "What was computed").blocks[0].rows)
    assert [line.partition(":")[0] for line in facts["Motion"]] == ["quick", "slow"]
    assert isinstance(facts["Gravity and mounting"], str)


def test_some_sections_and_those_of_ones_own(arm, spectrum):
    mine = lp.report.Section("Mine", "of my own")
    made = arm.report(spectrum, only=["drives", "mine"], sections=[mine])
    assert [section.title for section in made.sections] == ["Cycles", "quick: Drives", "slow: Drives", "Mine"]
    with pytest.raises(ValueError, match=r"no section 'drivs'; did you mean 'drives'"):
        arm.report(spectrum, only=["drivs"])


def test_energy_is_the_work_against_gravity_and_the_losses(arm):
    """A motion from rest to rest: mechanical energy at the joints is the change of potential energy; electrical energy
    is that and what gear and copper take, as the motors' own sums say.
    """
    up = lp.Motion.through(arm, [[-1.0, 0.2], [0.9, -0.3]], times=[0, 1.0]).resampled(4001)
    peaks, tau = arm.peak_loads(up), np.asarray(arm.inverse_dynamics(up))
    motors = arm.motor_loads(up)
    found = supplies(peaks, up, tau, motors)
    joints, electrical = found["mechanical, at the joints"], found[ELECTRICAL]
    lifted = np.diff(np.asarray(arm.potential_energy(up.q))[[0, -1]])[0]
    assert joints.taken - joints.returned == pytest.approx(lifted, rel=1e-5)
    assert electrical.taken - electrical.returned == pytest.approx(
        sum(one.electrical for one in motors.energies), rel=1e-5)
    assert electrical.taken > joints.taken and electrical.peak == pytest.approx(
        np.asarray(motors.electrical_power).sum(axis=1).max())


def test_powers_between_samples_are_straight_lines():
    t, power = np.array([0.0, 2.0, 3.0]), np.array([[4.0, -2.0], [-4.0, 0.0], [-4.0, 2.0]])
    found = Supply.of(t, power)  # the sums 2, -4, -2: zero at 2/3 s
    assert found.taken == pytest.approx(2 / 3) and found.returned == pytest.approx(0.5 * 4 * 4 / 3 + 3.0)
    assert found.returned_singly == pytest.approx(0.5 * 1 * 4 + 4 + 2.0)
    assert found.mean == pytest.approx((found.taken - found.returned) / 3)
    assert (found.peak, found.most_returned, found.returned_time) == (2.0, 4.0, 2.0)


def test_a_rover_has_wheels_in_each_cycle(arm, spectrum):
    base = lp.WheeledBase(mass=200, center_of_mass=(0, 0, 0.2), inertia=np.diag([5.0, 5.0, 5.0]).tolist(), wheels=[
        lp.FixedWheel((x, y), 0.1) for x in (-0.6, 0.6) for y in (-0.5, 0.5)], friction=lp.WheelFriction(0.6))
    rover = base.carrying(arm, at=(0, 0, 0.5))
    made = rover.report(spectrum, acceleration=(0.3, 0.0), hours=20_000)
    assert {"quick: Wheels", "slow: Wheels"} <= {section.title for section in made.sections}
    assert made.verdict.summary == rover.verdict(spectrum, acceleration=(0.3, 0.0), hours=20_000).summary
    assert [section.title for section in rover.report(spectrum, only=["wheels"]).sections] == [
        "Cycles", "quick: Wheels", "slow: Wheels"]


def test_fatigue_is_of_all_cycles():
    tube = lp.Tube(outer_radius=0.02, wall=0.0015)
    bent = lp.catalog.planar(1).with_payload(1.0).with_beams(
        {"link1": lp.Beam(tube, lp.ALUMINIUM, end="tip_joint")})
    quick = lp.Motion.through(bent, [[0.0], [1.5], [0.0]], times=[0.0, 0.4, 0.8])
    both = lp.DutySpectrum([(quick, 0.5), (quick.scaled(duration=2.0), 0.5)])
    section = titled(bent.report(both, only=["fatigue"]), "Fatigue")
    worst = bent.fatigue(both).worst
    assert f"{worst.damage:.3g}" in {row[4] for row in section.blocks[0].rows}
    assert "A pass through all cycles" in section.lead
