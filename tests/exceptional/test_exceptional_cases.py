"""Exceptional cases of a verdict: their rows by hand, what they leave of the duty, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp

GEAR = lp.StrainWaveGear(
    ratio=100, rated_torque=67, rated_speed=209, rated_life=7000, average_torque=500, peak_torque=10,
    momentary_torque=600, average_input_speed=900, max_input_speed=1100, name="gear",
)
BRAKE = lp.Brake(holding_torque=40.0, response_time=0.0, on="joint", energy_per_stop=20.0, name="brake")
CASE = lp.ExceptionalCase


def flywheel(*parts: lp.Part) -> lp.Robot:
    """0.5 kg m^2 about an upright axis."""
    return lp.Robot("flywheel", (lp.Link("base"), lp.Link("rod", lp.Inertia.from_moments(1.0, iyy=0.5, izz=0.5))),
                    (lp.Joint("turn", "base", "rod", lp.Revolute((0, 0, 1))),)).with_parts({"turn": list(parts)})


def steady(speed: float) -> lp.Motion:
    return lp.Motion([0.0, 1.0], [[0.0], [speed]], [[speed], [speed]], [[0.0], [0.0]])


def test_a_stop_by_hand() -> None:
    """w^2 I / 2 in the brake, its torque in the gear, a peak of so many turns of the wave generator."""
    robot = flywheel(GEAR, BRAKE)
    found = robot.verdict(steady(8.0), hours=100, exceptions=[CASE("e-stop", "stop", at=0.5, count=300)])
    (case,) = found.exceptions
    heat = found["e-stop", "turn", "energy of a stop"]
    assert (heat.demand, heat.capacity) == (pytest.approx(16.0, rel=1e-9), 20.0) and heat.case == "e-stop"
    torque = found["e-stop", "turn", "momentary peak torque"]
    assert torque.demand == pytest.approx(40.0, rel=1e-9) and torque.capacity == 600.0
    assert sum(torque.causes.values()) == pytest.approx(40.0, rel=1e-9) and torque.top(1)[0].cause == "inertial turn"
    time = 8.0 * 0.5 / 40.0
    turns = 100 * 8.0 / (2 * np.pi) * time
    peaks = found["e-stop", "turn", "number of momentary peaks"]
    assert (peaks.demand, peaks.capacity) == (300.0, pytest.approx(1e4 / (2 * turns), rel=1e-6))
    assert {fact.words: fact.value for fact in case.facts}["stopping time"] == pytest.approx(time, rel=1e-9)
    assert case.holds and found.holds and found.outcome == "holds" and "1 exceptional case" in found.headline
    alone = robot.stop(steady(8.0), at=0.5)
    (same,) = [row for row in alone.checks if row.check == torque.check]
    assert same.note == torque.note and "of a stiff gear: one that gives way may bear twice" in torque.note
    assert np.array_equal(alone.heat, case.found.heat) and case.headline == alone.table().title


def test_what_nobody_said_of_emergencies_has_a_word_of_its_own() -> None:
    robot = flywheel(GEAR)
    duty = robot.verdict(steady(8.0), hours=100)
    assert duty.outcome == "holds, emergencies not given" and not duty.holds and duty.holds_in_duty
    assert [row.check for row in duty.not_given] == ["momentary peak torque"] and not duty.not_checked
    assert "1 emergency not given of" in duty.counts and str(duty).count("emergencies of the gears at") == 1
    some = robot.verdict(steady(8.0), hours=100, exceptions=[CASE("crash", "static", torques={"turn": 500.0})])
    assert some.holds and not some.not_given
    row = some["crash", "turn", "momentary peak torque"]
    assert (row.demand, row.utilisation) == (500.0, pytest.approx(500 / 600)) and "stiff" not in row.note
    with pytest.raises(ValueError, match="has no check 'momentary peak torque'"):
        some["turn", "momentary peak torque"]


def test_a_case_that_fails_is_the_verdicts() -> None:
    robot = flywheel(GEAR, BRAKE)
    cases = [CASE("stop", at=0.1), CASE("crash", "static", torques={"turn": 1e3})]
    found = robot.verdict(steady(10.0), exceptions=cases)
    assert [row.words for row in found.failing if row.case] == [
        "momentary peak torque of gear at 'turn' in crash", "energy of a stop of brake at 'turn' in stop",
    ]
    assert not found.holds and found.outcome == "does not hold" and [case.holds for case in found.exceptions] == [
        False, False]
    rows = {(row["exception"], row["check"]): row["utilisation"] for row in found.to_rows()}
    assert rows["stop", "energy of a stop"] == pytest.approx(25.0 / 20.0) and rows["", "repeated peak torque"] == 0.0
    assert [one["name"] for one in found.as_dict()["exceptions"]] == ["stop", "crash"]


def test_fatigue_means_and_temperatures_are_of_the_duty_alone() -> None:
    robot = flywheel(GEAR, BRAKE)
    duty = robot.verdict(steady(8.0), hours=100)
    found = robot.verdict(steady(8.0), hours=100, exceptions=[CASE("stop", at=0.1)])
    of_duty = {(row.joint, row.part, row.check): row.utilisation for row in found.of_duty}
    before = {(row.joint, row.part, row.check): row.utilisation for row in duty.checks if not row.not_given}
    assert of_duty == before
    assert {row.check for row in found.checks if row.case} == {
        "energy of a stop", "momentary peak torque", "largest input speed"}


def test_an_overload_at_rest_by_hand() -> None:
    """A push of 300 N down at the end of a rod of 1 m that lies flat, and 2 kg more there."""
    bearing = lp.CrossedRollerBearing(C=5300, C0=6070, dp=0.05, name="ring")
    arm = lp.catalog.planar(1).with_parts({"joint1": bearing})
    flat = CASE("push", "static", q=[0.0], external={"link1": lp.Wrench(force=(0, 0, -300), point=(1, 0, 0))})
    heavy = CASE("heavy", "static", q=[0.0], payload=2.0)
    found = arm.verdict(lp.Motion.swing(arm), exceptions=[flat, heavy])
    states = ([[0.0]], [[0.0]], [[0.0]])
    for name, robot, external in (("push", arm, flat.options["external"]),
                                  ("heavy", arm.with_payload(2.0), None)):
        alone = robot.verdict(states, external=external)["joint1", "static safety"]
        row = found[name, "joint1", "static safety"]
        assert row.demand == pytest.approx(alone.demand, rel=1e-12) and row.part == "ring"
    torques = dict(zip(("push", "heavy"), (one.found.gear_torques["joint1"] for one in found.exceptions), strict=True))
    assert torques == {"push": pytest.approx(300 + 9.81 / 2), "heavy": pytest.approx(2 * 9.81 + 9.81 / 2)}


def test_without_poses_it_is_each_pose_of_the_motion_at_rest() -> None:
    arm = lp.catalog.planar(2).with_parts({"joint1": GEAR})
    motion = lp.Motion.swing(arm, 21, 1.0)
    found = arm.verdict(motion, exceptions=[CASE("lean", "static", payload=3.0)])
    still = np.zeros_like(motion.q)
    held = np.abs(arm.with_payload(3.0).inverse_dynamics(motion.q, still, still)[:, 0]).max()
    assert found["lean", "joint1", "momentary peak torque"].demand == pytest.approx(held, rel=1e-12)


def test_from_each_cycle_or_from_one() -> None:
    robot = flywheel(GEAR, BRAKE)
    duty = lp.DutySpectrum([(steady(8.0), 0.5), (steady(4.0), 0.5)], names=["fast", "slow"])
    found = robot.verdict(duty, hours=100, exceptions=[CASE("stop", at=0.5), CASE("late", at=1.0, cycle="slow")])
    assert [(one.name, one.cycle) for one in found.exceptions] == [
        ("stop, fast", "fast"), ("stop, slow", "slow"), ("late", "slow")]
    energies = [found[one.name, "turn", "energy of a stop"].demand for one in found.exceptions]
    assert energies == pytest.approx([16.0, 4.0, 4.0], rel=1e-9) and found.holds
    with pytest.raises(lp.ModelError, match="there is no cycle 'pick'; there are 'fast', 'slow'"):
        robot.verdict(duty, exceptions=[CASE("stop", cycle="pick")])


def test_beams_bear_a_stop_too() -> None:
    tube = lp.Beam(lp.Tube(0.03, 0.003), lp.STEEL, end="tip_joint")
    arm = lp.catalog.planar(1).with_beams({"link1": tube})
    motion = lp.Motion.swing(arm, 21, 1.0)
    found = arm.verdict(motion, exceptions=[CASE("stop", at=0.5, brakes={"joint1": 200.0})])
    stop = arm.without_beams().stop(motion, at=0.5, brakes={"joint1": 200.0})
    row = found["stop", "link1", "yield"]
    assert row.demand == pytest.approx(arm.verdict(stop.motion)["link1", "yield"].demand, rel=1e-12)
    assert row.demand > 2 * found["link1", "yield"].demand
    assert not any(one.check == "fatigue" for one in found.checks if one.case)


def test_a_collision_is_that_of_the_robot_with_its_limits() -> None:
    arm = lp.catalog.planar(2).with_parts({"joint1": GEAR})
    motion = lp.Motion.through(arm, [[0, 0], [1.0, -0.5]], times=[0, 1.0])
    hit = {"at": 0.5, "stiffness": 75_000.0, "mass": 4.4, "force_limit": {"transient": 280.0}}
    alone = arm.collision(motion, **hit)
    found = arm.verdict(motion, exceptions=[CASE("hit", "collision", **hit)])
    row = found["hit", alone.contact.link, "transient contact force"]
    assert (row.demand, row.capacity) == (alone.peak_force, 280.0) and row.words.endswith("in hit")
    torque = found["hit", "joint1", "momentary peak torque"]
    assert torque.demand == pytest.approx(alone.gear_torques["joint1"], rel=1e-12)
    facts = {fact.words: fact.value for fact in found.exceptions[0].facts}
    assert facts["largest force"] == alone.peak_force and facts["energy given away"] == alone.transferred_energy
    with pytest.raises(lp.ModelError, match="a collision needs stiffness"):
        CASE("hit", "collision", at=0.5)


def test_a_jam_and_a_power_loss_are_those_of_the_robot() -> None:
    arm = lp.catalog.planar(2).with_parts({"joint1": GEAR})
    motion = lp.Motion.through(arm, [[0, 0], [1.0, -0.5]], times=[0, 1.0])
    brakes = {"joint1": 200.0, "joint2": 80.0}
    found = arm.verdict(motion, exceptions=[CASE("fails", "power loss", at=0.4, brakes=brakes),
                                            CASE("jams", "jam", joint="joint1", at=0.4, stiffness=3e4)])
    stop, jam = arm.stop(motion, at=0.4, brakes=brakes), arm.jam(motion, at=0.4, joint="joint1", stiffness=3e4)
    demand = found["fails", "joint1", "momentary peak torque"].demand
    assert demand == pytest.approx(stop.gear_torques["joint1"], rel=1e-12)
    demand = found["jams", "joint1", "momentary peak torque"].demand
    assert demand == pytest.approx(jam.gear_torques["joint1"], rel=1e-9)
    facts = {fact.words: fact.value for fact in found.exceptions[1].facts}
    assert facts["largest torque of the gear"] == jam.peak_torque
    with pytest.raises(lp.ModelError, match="a power loss takes no 'category'"):
        CASE("fails", "power loss", category=1)


def test_steady_wrenches_of_the_duty_act_in_a_case_that_takes_them() -> None:
    arm = lp.catalog.planar(2).with_parts({"joint1": GEAR})
    motion = lp.Motion.through(arm, [[0, 0], [1.0, -0.5]], times=[0, 1.0])
    push, none = {"link2": lp.Wrench(force=(0, 0, -40))}, {"link2": lp.Wrench()}
    brakes = {"joint1": 200.0, "joint2": 80.0}
    cases = [CASE("as it is", "static"), CASE("own", "static", external=none), CASE("stop", at=0.4, brakes=brakes),
             CASE("jams", "jam", joint="joint1", at=0.4, stiffness=3e4)]
    found = arm.verdict(motion, external=push, exceptions=cases)
    held = [one.found.gear_torques["joint1"] for one in found.exceptions]
    still = np.zeros_like(motion.q)
    for torque, external in zip(held, (push, none), strict=False):
        alone = np.abs(arm.inverse_dynamics(motion.q, still, still, external=external)[:, 0]).max()
        assert torque == pytest.approx(alone, rel=1e-12)
    assert held[2] == arm.stop(motion, at=0.4, brakes=brakes, external=push).gear_torques["joint1"]
    said = ["What acts from outside in the duty does not act in it." in one.notes for one in found.exceptions]
    assert said == [False, True, False, True]


def test_states_without_times_and_gaps_have_static_cases() -> None:
    arm = lp.catalog.planar(1).with_parts({"joint1": GEAR})
    q = np.array([[0.0], [np.nan], [1.0]])
    still = np.zeros_like(q)
    with pytest.warns(lp.ModelWarning, match="1 of 3 states is not a number"):
        found = arm.verdict((q, still, still), exceptions=[CASE("heavy", "static", payload=2.0)])
    assert found["heavy", "joint1", "momentary peak torque"].demand == pytest.approx(2.5 * 9.81, rel=1e-12)
    assert found.unknown_count == 1 and not found.holds and found.exceptions[0].headline == "2 poses of the motion"


def test_sensitivities_and_load_cases_are_of_the_duty() -> None:
    robot = flywheel(GEAR, BRAKE)
    found = robot.verdict(steady(8.0), exceptions=[CASE("stop", at=0.5)])
    assert len(found.sensitivity()) == len(found.of_duty)
    assert {case.sample for case in found.load_cases()} <= {0, 1}


@pytest.mark.parametrize(("make", "said"), [
    (lambda: CASE("", "stop"), "the name of an exceptional case is ''"),
    (lambda: CASE("x", "stopp"), "exceptional case 'x' is a 'stopp'; did you mean 'stop'"),
    (lambda: CASE("x", 3), "exceptional case 'x' is a 3"),  # type: ignore[arg-type]
    (lambda: CASE("x", "stop", catgory=1), "a stop takes no 'catgory'; did you mean 'category'"),
    (lambda: CASE("x", "stop", count=0), "count of exceptional case 'x' is 0"),
    (lambda: CASE("x", "stop", count=float("nan")), "count of exceptional case 'x'"),
])
def test_what_is_refused(make: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()  # type: ignore[operator]


@pytest.mark.parametrize(("case", "said"), [
    (CASE("x", at=3.0), "exceptional case 'x': stop: the instant 3 s is outside the motion"),
    (CASE("x", "static", q=[1.0, 2.0]), "exceptional case 'x': static: q is .*expected 1 finite numbers"),
    (CASE("x", "static", q=[[float("nan")]]), "expected 1 finite numbers"),
    (CASE("x", "static", torques={"tun": 1.0}), "exceptional case 'x': no joint 'tun'; did you mean 'turn'"),
    (CASE("x", "static", torques={"turn": -1.0}), "expected a magnitude"),
    (CASE("x", "static", link="rod"), "'link' says where a payload is"),
    (CASE("x", "static", external={"rd": lp.Wrench()}), "no link 'rd'; did you mean 'rod'"),
    (CASE("x", "static", qd=[1.0]), "speeds and accelerations are of given poses"),
])
def test_what_does_not_fit_the_robot_is_refused_with_the_name_of_the_case(case: lp.ExceptionalCase, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        flywheel(GEAR, BRAKE).verdict(steady(8.0), exceptions=[case])


def test_refused_together() -> None:
    robot, case = flywheel(GEAR, BRAKE), CASE("x", at=0.5)
    with pytest.raises(lp.ModelError, match="two exceptional cases are called 'x'"):
        robot.verdict(steady(8.0), exceptions=[case, case])
    with pytest.raises(TypeError, match="among the exceptional cases"):
        robot.verdict(steady(8.0), exceptions=["x"])
    with pytest.raises(lp.ModelError, match="a stop begins at an instant of a motion"):
        robot.verdict(([0.0], [1.0], [0.0]), exceptions=[case])
    with pytest.raises(ValueError, match="over= is a box"):
        robot.verdict(over=lp.Box(qd=0), exceptions=[case])
