"""Rows on beams: they are what `arm.extremes`, `arm.stress` and `arm.fatigue` say, of one motion or of several."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

import loadpath as lp
from loadpath.parts.structure import structure_checks

TUBE = lp.Tube(0.03, 0.003)


def arm(material=lp.STEEL, payload=40.0):
    robot = lp.catalog.planar(1, mass=5.0).with_payload(payload)
    return robot.with_beams({"link1": lp.Beam(TUBE, material, end="tip_joint")})


def checks(*arguments, **options):
    return {check.check: check for _, check in structure_checks(*arguments, **options)}


@pytest.fixture(scope="module")
def swing():
    return lp.Motion.through(arm(), [[0.0], [3.0], [0.0]], [0.0, 1.5, 3.0], rate=50)


def test_an_arm_without_loads_does_not_buckle_under_them(swing):
    """The loads as they are, once, of as many as one likes; beside it the arm that carries something."""
    still = lp.Motion(np.arange(4.0), np.zeros((4, 1)), np.zeros((4, 1)), np.zeros((4, 1)))
    found = checks(arm().with_gravity((0, 0, 0)), still, None)["buckling of the arm"]
    assert (found.demand, found.capacity, found.utilisation, found.holds) == (1.0, math.inf, 0.0, True)
    assert found.note == "nothing buckles"
    carrying = checks(arm(), swing, None)["buckling of the arm"]
    assert carrying.demand == 1.0 and carrying.utilisation == pytest.approx(1.0 / carrying.capacity)


def test_rows_are_those_of_the_arm(swing):
    robot = arm()
    found, extremes = checks(robot, swing, 1000.0, safety=1.5, buckling_safety=2.0), robot.extremes(swing)
    stress = robot.stress(swing).von_mises
    assert found["yield"].demand == pytest.approx(stress.max())
    assert found["yield"].capacity == pytest.approx(355e6 / 1.5)
    sample = int(stress.max(axis=1).argmax())
    assert stress[found["yield"].at.sample].max() == pytest.approx(stress[sample].max())
    assert found["yield"].at.time == swing.t[found["yield"].at.sample]
    assert found["buckling of the arm"].capacity == pytest.approx(extremes.buckling.factor / 2.0)
    assert found["beam-column"].utilisation == pytest.approx(2.0 / extremes.worst_beam_column.safety)
    damage = robot.fatigue(swing).worst.damage  # of one swing in 3 s: 1200 an hour
    assert found["fatigue"].utilisation == pytest.approx(1200 * 1000 * damage)
    assert found["fatigue"].life_hours == pytest.approx(1 / (1200 * damage))


def test_static_stress_by_hand():
    """40 kg at 1 m and a link of 5 kg: bending moment over section modulus, held still and level."""
    still = (np.array([[0.0]]), np.zeros((1, 1)), np.zeros((1, 1)))
    found = checks(arm(), still)
    moment = 9.81 * (40.0 * 1.0 + 5.0 * 0.5)
    modulus = math.pi / 4 * (0.03**4 - 0.027**4) / 0.03
    assert found["yield"].demand == pytest.approx(moment / modulus, rel=5e-3)  # without the little shear
    assert found["fatigue"].note == "not checked: states without times: give a motion"


def test_spectrum(swing):
    """Half the time the swing, half of it still: half the damage an hour, and the same worst stress."""
    rest = lp.Motion(swing.t, np.zeros_like(swing.q), robot=arm())
    spectrum = SimpleNamespace(motions=(rest, swing), shares=(0.5, 0.5))
    alone, mixed = checks(arm(), swing, 100.0), checks(arm(), spectrum, 100.0)
    assert mixed["yield"].demand == pytest.approx(alone["yield"].demand)
    assert mixed["yield"].at.motion == 1 and alone["yield"].at.motion == 0
    assert mixed["fatigue"].utilisation == pytest.approx(0.5 * alone["fatigue"].utilisation, rel=0.02)


def test_missing_strengths_are_not_checked(swing):
    plain = lp.Material(210e9, 81e9, 7850.0, name="unknown steel")
    found = checks(arm(plain), swing, 100.0)
    assert found["yield"].note == "not checked: no yield_strength of material 'unknown steel' given"
    assert found["fatigue"].note.startswith("not checked: no fatigue= of material 'unknown steel' given")
    assert checks(arm(plain), swing, 100.0, detail=lp.SNCurve.detail(71))["fatigue"].checked
    assert checks(arm(plain), swing, 100.0, detail={"link1": lp.SNCurve.detail(71)})["fatigue"].checked


def test_one_link_without_data_does_not_hide_the_others():
    robot = lp.catalog.planar(2, mass=5.0).with_beams({"link1": lp.Beam(TUBE, lp.TITANIUM, end="joint2"),
                                                       "link2": lp.Beam(TUBE, lp.STEEL, end="tip_joint")})
    motion = lp.Motion.through(robot, [[0.0, 0.0], [2.0, 1.0], [0.0, 0.0]], [0.0, 1.0, 2.0], rate=20)
    rows = [(link, check) for link, check in structure_checks(robot, motion, 10.0) if check.check == "fatigue"]
    assert [(link, check.checked) for link, check in rows] == [("link1", False), ("link2", True)]
    own = robot.fatigue(motion, detail={"link1": lp.SNCurve.detail(160)}).by_link["link2"]
    assert rows[1][1].life_hours == pytest.approx(own.life * 2.0 / 3600)


def test_without_hours_lives_are_told(swing):
    check = checks(arm(), swing)["fatigue"]
    assert math.isnan(check.utilisation) and check.life_hours > 0
    assert check.note.startswith("no hours are asked for")


@pytest.mark.slow
def test_stepped_beams(swing):
    stepped = lp.Beam(end="tip_joint", segments=[(0.4, TUBE, lp.STEEL), (0.6, lp.Tube(0.03, 0.002), lp.ALUMINIUM)])
    robot = lp.catalog.planar(1, mass=5.0).with_payload(40.0).with_beams({"link1": stepped})
    found, stress = checks(robot, swing), robot.stress(swing)
    assert found["yield"].utilisation == pytest.approx(1.0 / stress.worst.safety)


def test_robots_with_loops_are_judged_as_others():
    bar = lp.catalog.four_bar().with_payload(8.0, (0.1, 0, 0), link="coupler")
    robot = bar.with_beams({"coupler": lp.Beam(lp.Tube(0.01, 0.001), lp.STEEL, end=(0.2, 0, 0))})
    t = np.linspace(0, 1, 21)
    motion = bar.motion(t, {"crank_joint": bar.home[0] + 0.5 * np.sin(6 * t)})
    found = checks(robot, motion, 100.0, gravity=(0, 0, -30.0))
    assert list(found) == ["yield", "local buckling of thin walls", "beam-column", "buckling of the arm", "fatigue"]
    assert all(check.checked for check in found.values())
    heavy = robot.with_gravity((0, 0, -30.0))
    assert found["yield"].utilisation == pytest.approx(1 / heavy.stress(motion).worst.safety)
    assert found["buckling of the arm"].capacity == pytest.approx(heavy.buckling(motion).factor.min(), rel=1e-3)
    assert found["beam-column"].capacity == pytest.approx(heavy.buckling_safety(motion).safety.min(), rel=1e-3)
    assert found["fatigue"].life_hours == heavy.fatigue(motion).by_link["coupler"].life


def test_verdicts_on_robots_with_loops_and_beams_have_causes():
    ring = lp.CrossedRollerBearing(C=5300, C0=6070, dp=0.036)
    bar = lp.catalog.four_bar().with_limits({"crank_joint": {"effort": 30.0}}).with_parts({"crank_joint": [ring]})
    robot = bar.with_beams({"coupler": lp.Beam(lp.Rod(0.01), lp.STEEL, end=(0.2, 0, 0))})
    t = np.linspace(0, 1, 21)
    motion = bar.motion(t, {"crank_joint": bar.home[0] + 0.5 * np.sin(6 * t)})
    bent, rigid = robot.verdict(motion), bar.verdict(motion)
    drive = bent["crank_joint", "effort"]
    assert drive.causes == pytest.approx(rigid["crank_joint", "effort"].causes, rel=1e-6, abs=1e-9)
    assert drive.top(1)[0].cause in str(bent)
    loads = [row for row in bent if row.part == ring.label and row.at is not None and row.along is not None]
    assert loads and all(row.causes for row in loads)


def test_no_beams_no_rows():
    robot = lp.catalog.planar(1).with_beams({}, joint_compliance={"joint1": lp.JointCompliance(drive=2e4)})
    assert structure_checks(robot, (np.zeros((2, 1)),)) == []


def test_beams_of_two_arms_are_judged(tmp_path):
    """No end is meant where all beams are; each arm's stress is that of the arm alone, by hand at its root."""
    links, joints = [lp.Link("base")], []
    for side, y, mass in (("left", 0.2, 1.0), ("right", -0.2, 3.0)):
        links += [lp.Link(f"{side} arm", lp.Inertia(mass=1e-9)), lp.Link(f"{side} hand", lp.Inertia(mass=mass))]
        joints += [lp.Joint(f"{side} shoulder", "base", f"{side} arm", lp.Revolute((0, 1, 0)), (0, y, 0)),
                   lp.Joint(f"{side} wrist", f"{side} arm", f"{side} hand", lp.Fixed(), (0.6, 0, 0))]
    tube = lp.Tube(outer_radius=0.02, wall=0.002)
    beams = {f"{side} arm": lp.Beam(tube, lp.ALUMINIUM, end=f"{side} wrist") for side in ("left", "right")}
    with pytest.warns(lp.ModelWarning):  # arms without mass
        torso = lp.Robot("torso", tuple(links), tuple(joints)).with_beams(beams)
    still = lp.Motion(np.linspace(0, 1, 11), np.zeros((11, 2)), robot=torso)
    found = torso.verdict(still)
    modulus = np.pi / 4 * (0.02**4 - 0.018**4) / 0.02
    for side, mass in (("left", 1.0), ("right", 3.0)):
        row = found[f"{side} arm", "beam", "yield"]
        assert row.demand == pytest.approx(mass * 9.81 * 0.6 / modulus, rel=1e-6)
    torso.report(still, only=["verdict"]).save(tmp_path / "two_arms.html")
