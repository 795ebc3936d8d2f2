"""Vibration of closed robots of beams along motions: by the same arm without a loop, by the same ring cut elsewhere, by
deflections of slow motions; and motions of theirs that are shaped, poses that are compensated.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from rings import ring

import loadpath as lp
from loadpath.structure.response.closed_reduction import ClosedReduction, closed_reduction
from loadpath.structure.response.result import MotionResponse
from loadpath.structure.vibration.model import vibration_model

ROD = lp.Rod(0.006)
BEAMS = {"near": lp.Beam(ROD, lp.STEEL, end="elbow"), "far": lp.Beam(ROD, lp.STEEL, end="wrist")}
SOFT = {"shoulder": lp.JointCompliance(drive=4e3, damping=3.0)}


@cache
def bent_arm(*, closed: bool) -> lp.Robot:
    """An arm of two rods that turns about a skew axis and bends at the elbow. Its outer rod is welded to the stub
    there: by a joint, or it floats, and a loop welds it.
    """
    body = lp.Inertia(1.0, tensor=np.eye(3))  # until they have their beams'
    hand = lp.Inertia(0.4, (0.02, 0.01, 0.03), np.diag([1e-3, 2e-3, 1.5e-3]))
    stub = lp.Inertia(0.05, (0.01, 0, 0), np.diag([1e-4, 1e-4, 1e-4]))
    links = (lp.Link("ground"), lp.Link("near", body), lp.Link("stub", stub), lp.Link("far", body),
             lp.Link("hand", hand))
    held = (lp.Joint("float", "ground", "far", lp.Free()) if closed
            else lp.Joint("weld", "stub", "far", lp.Fixed(), (0.03, 0, 0)))
    joints = (lp.Joint("shoulder", "ground", "near", lp.Revolute((0.2, 0.3, 1.0)), (0.1, 0, 0.2)),
              lp.Joint("elbow", "near", "stub", lp.Revolute((0.3, 1.0, 0.4)), (0.4, 0, 0)), held,
              lp.Joint("wrist", "far", "hand", lp.Fixed(), (0.5, 0, 0)))
    robot = lp.Robot("arm", links, joints)
    if closed:
        robot = robot.with_loop("weld", "stub", "far", motion=lp.Fixed(), at=(0.03, 0, 0), on=np.eye(4))
        robot = robot.with_driven("shoulder", "elbow")
    return robot.with_beams(BEAMS, joint_compliance=SOFT, inertia_from_beams=True)


def turning(arm: lp.Robot, angles: dict[str, float], duration: float, samples: int = 26,
            start: float | None = None) -> lp.Motion:
    """Cycloids of joints, from rest to rest."""
    t = np.linspace(0, duration, samples)
    w = 2 * np.pi / duration
    unit = t / duration - np.sin(w * t) / (2 * np.pi), (1 - np.cos(w * t)) / duration, w * np.sin(w * t) / duration
    unit[1][[0, -1]] = 0.0
    parts = [{joint: angle * each for joint, angle in angles.items()} for each in unit]
    if not arm.held_by_loops:
        return lp.Motion(t, *(np.stack([*part.values()], axis=-1) for part in parts), robot=arm)
    for joint in angles:
        parts[0][joint] += arm.home[arm.coordinate_names.index(joint)] if start is None else start
    return arm.motion(t, *parts)


@cache
def bent_response(*, closed: bool) -> MotionResponse:
    arm = bent_arm(closed=closed)
    motion = turning(arm, {"shoulder": 1.2, "elbow": -1.5}, 0.5, start=0.0)
    return arm.respond(motion, damping=0.02, modes=6, link="hand", after=0.1, rate=1000)


def test_an_arm_that_a_loop_welds_vibrates_as_the_arm_that_is_one() -> None:
    found = tree, loop = [bent_response(closed=closed) for closed in (False, True)]
    np.testing.assert_allclose(loop.times, tree.times, atol=1e-12)
    np.testing.assert_allclose(loop.frequencies[[0, -1]], tree.frequencies[[0, -1]], rtol=1e-7)
    for what, room in (("displacement", 3e-4), ("rotation", 3e-4), ("vibration", 1e-3), ("quasi_static", 1e-4)):
        a, b = (getattr(each, what)["hand"] for each in found)
        np.testing.assert_allclose(b, a, atol=room * np.abs(a).max())
    assert loop.residual == pytest.approx(tree.residual, rel=1e-3)
    assert loop.settling_time(1e-4) == pytest.approx(tree.settling_time(1e-4), rel=1e-3)
    for joint in ("shoulder", "elbow", "weld", "wrist"):  # the weld is a joint of the one, the loop of the other
        for part in ("force", "torque"):
            a, b = (getattr(each.joint_wrenches[joint], part) for each in found)
            np.testing.assert_allclose(b, a, atol=5e-3 * np.abs(a).max())
    a, b = (each.stress(3) for each in found)
    for link in ("near", "far"):
        np.testing.assert_allclose(b.of(link).von_mises, a.of(link).von_mises, atol=1e-3 * a.von_mises.max())
    a, b = (each.section_history(3).moment for each in found)
    np.testing.assert_allclose(b, a, atol=1e-3 * np.abs(a).max())


def test_rates_of_what_follows_are_no_trifle(monkeypatch: pytest.MonkeyPatch) -> None:
    """So the comparison above is one of these, too."""
    wanted = bent_response(closed=True).displacement["hand"]  # before they are taken away
    monkeypatch.setattr(ClosedReduction, "_rates", lambda self, q, qd, qdd, F: (np.zeros_like(F), np.zeros_like(F)))
    without = bent_response.__wrapped__(closed=True).displacement["hand"]
    assert np.abs(without - wanted).max() > 3e-3 * np.abs(wanted).max()


HINGE = lp.Revolute((0, 0, 1))
JOINTS = {"A": HINGE, "B": lp.Universal((1, 0, 0), (0, 1, 0)), "C": lp.Spherical(), "D": HINGE}
GIVING = {"B": lp.JointCompliance(rotation=2e3, translation=2e5)}


def test_where_a_ring_is_cut_does_not_show_in_its_vibration() -> None:
    """Three rods in space, which the loop restricts: other combinations of them in every pose."""
    found = []
    for cut in "BD":
        arm = ring(JOINTS, cut, GIVING).with_driven("A")
        motion = turning(arm, {"A": 0.4}, 0.2, 11)
        found.append(arm.respond(motion, damping=0.02, modes=6, link="coupler", after=0.05, rate=1000))
    a, b = (each.displacement["coupler"] for each in found)
    np.testing.assert_allclose(b, a, atol=4e-4 * np.abs(a).max())
    a, b = (np.linalg.norm(each.joint_wrenches["A"].force, axis=1) for each in found)
    np.testing.assert_allclose(b, a, atol=2e-3 * a.max())


def test_mass_matrices_are_those_of_the_poses() -> None:
    """The loops' joints have rotors, and every combination is one."""
    arm = lp.catalog.four_bar().with_drives({"rocker_joint": lp.Drive(rotor_inertia=0.002, ratio=2.0)})
    arm = arm.with_driven("crank_joint")
    arm = arm.with_beams({"coupler": lp.Beam(lp.Rod(0.004), lp.STEEL, end="rocker_pin")}, inertia_from_beams=True)
    model = vibration_model(arm, ("bending", "torsion", "extension"), 3)
    q = arm.assemble({"crank_joint": arm.home[0] + np.array([0.0, 0.4])}).q
    small = closed_reduction(model, np.eye(model.size), q[:1])
    wanted = model.at(q).matrices()[0]
    np.testing.assert_allclose(small.masses(q), wanted, atol=1e-12 * np.abs(wanted).max())


def coupled(*, mimic: bool) -> lp.Robot:
    """A joint that follows another, as a mimic or by a coupling."""
    robot = lp.catalog.planar(2, mass=2.0).with_drives({"joint1": lp.Drive(rotor_inertia=1e-4, ratio=50.0)})
    if mimic:
        joints = (replace(j, mimic=lp.Mimic("joint1", -0.5)) if j.name == "joint2" else j for j in robot.joints)
        robot = replace(robot, joints=tuple(joints))
    else:
        robot = robot.with_coupling({"joint1": 0.5, "joint2": 1.0}).with_driven("joint1")
    rods = {"link1": lp.Beam(lp.Rod(0.015), lp.STEEL, end="joint2"),
            "link2": lp.Beam(lp.Rod(0.012), lp.STEEL, end="tip_joint")}
    return robot.with_beams(rods, inertia_from_beams=True)


def test_a_coupling_vibrates_as_the_tree_in_which_the_joint_mimics() -> None:
    found = [arm.respond(turning(arm, {"joint1": 1.0}, 0.4, start=0.0), modes=4, after=0.1, rate=500)
             for arm in (coupled(mimic=True), coupled(mimic=False))]
    a, b = (each.frequencies[[0, -1]] for each in found)
    np.testing.assert_allclose(b, a, rtol=1e-6)
    for what in ("displacement", "vibration"):
        a, b = (getattr(each, what)["tip"] for each in found)
        np.testing.assert_allclose(b, a, atol=3e-4 * np.abs(a).max())
    for joint in ("joint1", "joint2"):
        a, b = (each.joint_wrenches[joint].torque for each in found)
        np.testing.assert_allclose(b, a, atol=2e-3 * np.abs(a).max())


@cache
def four_bar() -> lp.Robot:
    ends = {"crank": "coupler_joint", "coupler": "rocker_pin", "rocker": "rocker_pin"}
    return lp.catalog.four_bar().with_beams(
        {link: lp.Beam(lp.Rod(0.004), lp.STEEL, end=end) for link, end in ends.items()}, inertia_from_beams=True)


def test_a_slow_motion_bends_as_deflection_says() -> None:
    arm = four_bar()
    motion = turning(arm, {"crank_joint": 0.6}, 1.5, 41)
    calm = arm.respond(motion, modes=3, link="coupler", after=0.0, loaded=False)
    wanted = arm.deflection(motion)["coupler"].displacement
    moved = np.array([np.interp(motion.t, calm.times, part) for part in calm.displacement["coupler"].T]).T
    np.testing.assert_allclose(moved, wanted, atol=3e-3 * np.abs(wanted).max())


def test_shaped_motions_of_the_drives_close_the_loops_and_leave_no_vibration() -> None:
    arm = four_bar()
    motion = turning(arm, {"crank_joint": 0.8}, 0.1, 31)
    calm = arm.shaped(motion, "zv", damping=0.01, modes=3, link="coupler")
    assert np.abs(arm.closure(calm.q)).max() < 1e-12
    half = 0.5 / (calm.frequency * np.sqrt(1 - calm.ratio**2))
    assert calm.longer == pytest.approx(half)
    drive = arm.coordinate_names.index("crank_joint")
    before, after = (np.interp(0.06, motion.t + delay, motion.q[:, drive]) for delay in (0.0, half))
    weight = 1 / (1 + np.exp(-calm.ratio * np.pi / np.sqrt(1 - calm.ratio**2)))
    assert np.interp(0.06, calm.t, calm.q[:, drive]) == pytest.approx(weight * before + (1 - weight) * after, abs=2e-4)
    np.testing.assert_allclose(calm.q[[0, -1]], motion.q[[0, -1]], atol=1e-12)
    assert calm.residual_after < 0.1 * calm.residual_before


def test_compensated_poses_close_the_loops_and_take_the_bent_link_where_it_should_be() -> None:
    arm = four_bar()
    target = arm.assemble({"crank_joint": arm.home[0] + np.array([0.0, 0.2])}).q
    load = {"coupler": lp.Wrench(force=(20.0, 0.0, -60.0))}
    found = arm.compensated(target, link="coupler", external=load)
    assert found.converged.all()
    assert np.abs(arm.closure(found.q)).max() < 1e-12
    place = arm.link_names.index("coupler")
    meant, taken = (arm.link_poses(q)[:, place, :3, 3] for q in (target, found.q))
    off = meant - taken - arm.deflection(found.q, external=load)["coupler"].displacement
    np.testing.assert_allclose(found.position_error, off, atol=1e-12)
    # One drive moves the link along one line, on which nothing is left.
    along = arm.driven_jacobian(target, "coupler")[:, :3, 0]
    sag = arm.deflection(target, external=load)["coupler"].displacement
    before, after = (np.abs(np.einsum("si,si->s", along, part)) for part in (sag, off))
    assert (after < 1e-3 * before).all()
    assert (before > 0).all()
    with pytest.raises(lp.ModelError, match=r"'four_bar' has loops: compensated\(iterate=True\) is for open arms"):
        arm.compensated(target, link="coupler", iterate=True)


def test_motions_that_do_not_close_the_loops_are_refused() -> None:
    arm = four_bar()
    t = np.linspace(0, 1, 11)
    still = np.zeros((11, 3))
    open_ = lp.Motion(t, arm.home + 0.1 * t[:, None] ** 3, still, still)
    for method in (arm.respond, arm.shaped):
        with pytest.raises(ValueError, match="the loops of 'four_bar' are open"):
            method(open_, link="coupler")
