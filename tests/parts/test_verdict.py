"""The verdict: one-joint cases by hand, causes that sum to the demand, blocks, spectra, what is not checked."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from plain_parts import Coupling, Pin, Seen

import loadpath as lp
from loadpath.parts.verdict import duties

G = 9.81
LEVEL = ([0.0], [0.0], [0.0])


def rod(**parts: object) -> lp.Robot:
    """A rod of 1 m and 1 kg that turns in a vertical plane, level at 0."""
    return lp.catalog.planar(1).with_parts({"joint1": list(parts.values())} if parts else {})


def swinging(seconds: float = 1.0, samples: int = 401) -> lp.Motion:
    t = np.linspace(0.0, seconds, samples)
    q = 0.8 * np.sin(2 * np.pi * t / seconds)[:, None]
    return lp.Motion(t, q)


def test_a_level_rod_by_hand() -> None:
    found = rod(pin=Pin(20.0, life=1e4), coupling=Coupling(4.0)).verdict(LEVEL, hours=1.0)
    force, torque = found["joint1", "force"], found["joint1", "torque"]
    assert (force.demand, force.capacity, force.unit) == (pytest.approx(G), 20.0, "N")
    assert force.utilisation == pytest.approx(G / 20.0) and force.holds
    assert torque.demand == pytest.approx(G / 2) and torque.utilisation == pytest.approx(G / 8) and not torque.holds
    assert found["joint1", "life"].life_hours == pytest.approx(1e4 / G**3)
    assert found.worst is found["joint1", "torque"] is found.limiting
    assert not found.holds and found.failing == (torque,)
    assert torque.causes == {"gravity link1": pytest.approx(G / 2), "inertial joint1": 0.0, "centrifugal joint1": 0.0}


def test_causes_sum_to_the_demand_at_the_instant_that_decides() -> None:
    arm = lp.catalog.panda().with_payload(2.0).with_parts({"panda_joint4": [Pin(500.0), Coupling(80.0)]})
    hook = {"panda_link8": lp.Wrench(force=(10.0, -20.0, 5.0))}
    motion = lp.Motion.swing(arm, 101)
    found = arm.verdict(motion, external=hook)
    for row in (found["panda_joint4", "force"], found["panda_joint4", "torque"], found["panda_joint2", "effort"]):
        assert sum(row.causes.values()) == pytest.approx(row.demand, rel=1e-12)
        assert row.top(3)[0].value == max(row.causes.values(), key=abs)
    peak = arm.peak_loads(motion, external=hook)["panda_joint4", "force"]
    assert found["panda_joint4", "force"].demand == pytest.approx(peak.magnitude, rel=1e-12)
    assert found["panda_joint4", "force"].at.sample == peak.peak.sample
    assert found.causes(found.checks[0]) == found.checks[0].causes


def test_blocks_give_what_one_block_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    arm, motion = rod(pin=Pin(20.0), coupling=Coupling(4.0)), swinging()
    whole = arm.verdict(motion, hours=2.0)
    monkeypatch.setattr(duties, "WRENCH_BLOCK", 37)
    parts = arm.verdict(motion, hours=2.0)
    for one, other in zip(whole.checks, parts.checks, strict=True):
        assert one.at == other.at
        assert one.demand == pytest.approx(other.demand, rel=1e-13)
        assert one.utilisation == pytest.approx(other.utilisation, rel=1e-13)


def test_a_spectrum_is_weighed_by_hand() -> None:
    arm, slow, fast = rod(pin=Pin(20.0, life=1e4), coupling=Coupling(9.0)), swinging(4.0), swinging(1.0)
    each = [arm.verdict(motion) for motion in (slow, fast)]
    both = arm.verdict(SimpleNamespace(motions=(slow, fast), shares=(0.75, 0.25)))
    damage = [1 / found["joint1", "life"].life_hours for found in each]
    assert both["joint1", "life"].life_hours == pytest.approx(1 / (0.75 * damage[0] + 0.25 * damage[1]), rel=1e-12)
    heat = [found["joint1", "heat"].demand for found in each]
    assert both["joint1", "heat"].demand == pytest.approx(math.sqrt(0.75 * heat[0] ** 2 + 0.25 * heat[1] ** 2))
    assert both["joint1", "force"].demand == pytest.approx(each[1]["joint1", "force"].demand)
    assert both["joint1", "force"].at.motion == 1 and "motion 2" in str(both)
    assert sum(both["joint1", "force"].causes.values()) == pytest.approx(both["joint1", "force"].demand)


def test_what_is_not_checked_is_counted_and_nothing_is_claimed() -> None:
    found = rod(pin=Pin()).verdict(LEVEL)
    assert [row.note for row in found.not_checked] == ["not checked: no strength given"]
    assert not found.holds and not found.failing
    assert "1 not checked" in found.summary and "holds" not in repr(found).split(";")[0].replace("checked holds", "")
    assert "no strength given" in str(found) and "no strength given" in found._repr_html_()


def test_a_batch_without_times_says_so() -> None:
    found = rod(coupling=Coupling(4.0)).verdict([[0.0], [0.5]], [[0.0], [0.0]], [[0.0], [0.0]])
    assert [row.note for row in found.not_checked] == ["not checked: no times"]
    assert math.isnan(found["joint1", "torque"].at.time) and "state 0" in str(found["joint1", "torque"])


def test_states_that_are_not_numbers_are_counted_and_nothing_holds() -> None:
    q = np.array([[1.2], [np.nan], [0.0], [0.4]])
    arm = rod(pin=Pin(100.0, life=1e9), coupling=Coupling(100.0))
    with pytest.warns(lp.ModelWarning, match="1 of 4 states is not a number"):
        found = arm.verdict(q, np.zeros((4, 1)), np.zeros((4, 1)))
    assert found.unknown_count == 1 and not found.holds
    assert found["joint1", "torque"].at.sample == 2  # counted in the batch as given
    assert "not a number" in found.summary
    with pytest.warns(lp.ModelWarning):
        none = arm.verdict([[np.nan]], [[0.0]], [[0.0]])
    assert none.worst is None and not none.holds and "no state is a number" in none.not_checked[0].note


def test_limits_of_the_robot_are_rows() -> None:
    limits = (lp.Limits(-1.0, 3.0, velocity=2.0, effort=10.0),)
    joint = lp.Joint("j", "base", "arm", lp.Revolute((0, 1, 0)), limits=limits)
    robot = lp.Robot("one", (lp.Link("base"), lp.Link("arm", lp.Inertia(1.0, (1.0, 0, 0)))), (joint,))
    found = robot.verdict([[0.0], [2.5]], [[1.0], [-1.5]], [[0.0], [0.0]])
    assert found["j", "effort"].demand == pytest.approx(G) and found["j", "effort"].at.sample == 0
    assert found["j", "speed"].utilisation == pytest.approx(0.75)
    position = found["j", "position"]  # 1.5 from the middle, of 2
    assert (position.demand, position.capacity, position.utilisation) == (1.5, 2.0, 0.75)
    assert "range -1 to 3 rad, reaches 2.5" in position.note
    assert found.holds
    with pytest.raises(ValueError, match="speed limit of 'j' has no causes"):
        found["j", "speed"].top()


def test_nothing_to_judge_is_an_error() -> None:
    with pytest.raises(lp.ModelError, match="neither parts nor limits"):
        lp.catalog.planar(1).verdict(LEVEL)
    with pytest.raises(ValueError, match="hours is -1"):
        rod(pin=Pin(1.0)).verdict(LEVEL, hours=-1.0)
    with pytest.raises(ValueError, match="expected as a Motion"):
        rod(pin=Pin(1.0)).verdict([0.0])


def test_rows_are_found_by_names() -> None:
    found = rod(a=Pin(10.0, name="a"), b=Pin(20.0, name="b")).verdict(LEVEL)
    assert found["joint1", "b", "force"].capacity == 20.0
    with pytest.raises(ValueError, match="2 checks 'force', of a, b: name the part"):
        found["joint1", "force"]
    with pytest.raises(ValueError, match="nothing was checked at 'joint9'"):
        found["joint9", "force"]
    with pytest.raises(ValueError, match="'force' of a"):
        found["joint1", "speed"]


def test_tables_have_the_same_rows(tmp_path: object) -> None:
    found = rod(pin=Pin(), coupling=Coupling(4.0)).verdict(swinging(), hours=10.0)
    frame = found.to_dataframe()
    assert list(frame["check"]) == [row.check for row in found.checks]
    assert frame["cause"][2] == "inertial joint1"
    path = found.to_csv(tmp_path / "verdict.csv")
    lines = path.read_text().splitlines()
    assert lines[0].startswith("part,joint,check,demand,capacity,unit,utilisation,life_hours")
    assert len(lines) == len(found) + 1
    bars = found.plot().data[0]
    assert max(bars.x) == pytest.approx(100 * found.worst.utilisation)


def test_welds_loops_and_followers_of_closed_chains() -> None:
    bar = lp.catalog.four_bar().with_parts({"rocker_pin": Pin(1e3), "crank_joint": [Pin(1e3), Coupling(50.0)]})
    motion = lp.Motion.swing(bar, 51)
    found = bar.verdict(motion)
    peaks = bar.peak_loads(motion)
    assert found["rocker_pin", "force"].demand == pytest.approx(peaks["rocker_pin", "force"].magnitude, rel=1e-12)
    for row in (found["rocker_pin", "force"], found["crank_joint", "torque"]):
        assert sum(row.causes.values()) == pytest.approx(row.demand, rel=1e-9)
    arm = lp.catalog.planar(2).with_parts({"tip_joint": Pin(10.0)}).with_payload(1.0, link="tip")
    assert arm.verdict(([0, 0], [0, 0], [0, 0]))["tip_joint", "force"].demand == pytest.approx(G)


@pytest.mark.slow
def test_a_follower_has_a_row() -> None:
    hand = lp.catalog.panda(hand=True).with_parts({"panda_finger_joint2": [Pin(10.0)]})
    assert hand.verdict(lp.Motion.swing(hand, 11))["panda_finger_joint2", "force"].checked


def test_motion_of_a_loop_that_parts_see(monkeypatch: pytest.MonkeyPatch) -> None:
    bar = lp.catalog.four_bar().with_parts({"rocker_pin": Seen()})
    motion = lp.Motion.swing(bar, 101)
    monkeypatch.setattr(duties, "WRENCH_BLOCK", 20)
    Seen.blocks.clear()
    bar.verdict(motion)
    position, speed, acceleration = (np.concatenate([getattr(block, part) for block in Seen.blocks])
                                     for part in ("position", "speed", "acceleration"))
    assert position == pytest.approx(bar.loop_positions(motion.q)["rocker_pin"][:, 0], abs=1e-9)
    assert speed == pytest.approx(np.gradient(position, motion.t, edge_order=2), abs=2e-3)
    assert acceleration == pytest.approx(np.gradient(speed, motion.t, edge_order=2), abs=1e-2)
    assert np.abs(speed).max() > 1.0 and np.abs(acceleration).max() > 3.0


def test_limits_of_joints_that_mimic_another() -> None:
    arm = lp.catalog.panda(hand=True)
    finger = lp.Limits(0.0, 0.05, velocity=0.1, effort=20.0)
    joints = [replace(j, limits=(finger,), mimic=lp.Mimic("panda_finger_joint1", 2.0, 0.01))
              if j.name == "panda_finger_joint2" else j for j in arm.joints]
    found = replace(arm, joints=tuple(joints)).verdict(np.full(8, 0.03), np.full(8, 0.04), np.zeros(8))
    speed, position = found["panda_finger_joint2", "speed"], found["panda_finger_joint2", "position"]
    assert (speed.demand, speed.capacity, speed.unit) == (pytest.approx(2 * 0.04), 0.1, "m/s")
    assert position.utilisation == pytest.approx((2 * 0.03 + 0.01 - 0.025) / 0.025) and not position.holds
    assert not [row for row in found if row.joint == "panda_finger_joint2" and row.check == "effort"]  # it has no drive


def test_names_are_not_broken_in_the_table() -> None:
    arm, name = lp.catalog.two_link(), "shoulder_lift_of_the_left_arm"
    joints = tuple(replace(j, name=name, limits=(lp.Limits(-3, 3, 2.0, 50.0),)) if j.name == "joint1" else j
                   for j in arm.joints)
    flange = lp.BoltedFlange(bolts=4, circle=0.05, preload=6000, friction=0.12, proof_load=12000, normal=(1, 0, 0),
                             name="flange_of_the_left_arm_at_the_torso")
    found = replace(arm, joints=joints).with_parts({name: flange}).verdict([0.5, 0.2], [0.1, 0.2], [1.0, 2.0])
    rows = [line for line in str(found).splitlines()[3:] if line.startswith("shoulder")]
    assert len(rows) >= 6 and all(line.startswith(f"{name} ") for line in rows)
    assert sum(flange.name in line for line in rows) == 3
