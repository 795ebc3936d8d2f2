"""Loads by cause of closed robots of beams: each cause is settled by what bends, and the causes sum to the wrenches."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from test_closed_elastic import LOAD, bar, cut_at, swing
from test_idle_freedoms import linkage, state

import loadpath as lp

SLIM = lp.Rod(0.002)
BASE = {"base_velocity": np.array([0.3, -0.2, 0.5, 0.4, -0.7, 0.6]),
        "base_acceleration": np.array([1.0, -2.0, 0.7, -0.9, 1.2, 0.8])}


@cache
def soft_pin() -> lp.Robot:
    """What no joint yields to is left to the rule of rigid links."""
    pin = lp.JointCompliance(radial=1e6, tilting=1e3)
    return lp.catalog.four_bar().with_beams(joint_compliance={"rocker_pin": pin})


def moving(arm: lp.Robot) -> tuple[np.ndarray, ...]:
    rates = np.random.default_rng(3).normal(size=(2, arm.mobility))
    return arm.home, *arm.complete(arm.home, *(dict(zip(arm.independent, part, strict=True)) for part in rates))


def six(wrenches: Any) -> np.ndarray:
    return np.concatenate([wrenches.force, wrenches.torque], axis=-1)


@pytest.mark.parametrize("by", ["freedom", "joint", "drive"])
@pytest.mark.parametrize("made", [bar, soft_pin, lambda: cut_at("C")])
def test_causes_sum_to_the_wrenches(made: Any, by: Any) -> None:
    arm = made()
    states, loads = moving(arm), {"external": LOAD, "gravity": (1.0, -9.0, 2.0), **BASE}
    found = arm.load_breakdown(*states, by=by, compiled=False, **loads)
    wanted = six(arm.joint_wrenches(*states, **loads))
    np.testing.assert_allclose(found.totals(), wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())
    for name in arm.independent:
        np.testing.assert_allclose(sum(found.drive(name).values()),
                                   arm.inverse_dynamics(*states, **loads)[arm.dof_names.index(name)], atol=1e-12)
    rigid = arm.without_beams().load_breakdown(*states, by=by, compiled=False, **loads)
    differ = np.abs(found.values - rigid.values).max()
    assert differ < 1e-10 if made not in (bar, soft_pin) else differ > 0.1  # the ring in space is determinate


@pytest.mark.parametrize("frame", ["world", "coupler"])
def test_axes_are_those_of_rigid_links(frame: str) -> None:
    own, other = (bar().load_breakdown(*moving(bar()), external=LOAD, frame=axes, compiled=False)
                  for axes in ("joint", frame))
    turned, same = (bar().without_beams().load_breakdown(*moving(bar()), external=LOAD, frame=axes, compiled=False)
                    for axes in (frame, "joint"))
    for joint in bar().closed_joint_names:  # each turns its joint's terms as one
        a, b = (np.concatenate([loads.total(joint).force, *loads.values[:, :3][list(loads.index.all_rows(joint))]])
                for loads in (other, own))
        np.testing.assert_allclose(np.linalg.norm(a.reshape(-1, 3), axis=1), np.linalg.norm(b.reshape(-1, 3), axis=1),
                                   atol=1e-12)
    determinate = np.abs(own.values - same.values).max(axis=-1) < 1e-13
    assert determinate.any()
    np.testing.assert_allclose(other.values[determinate], turned.values[determinate], atol=1e-12)


# By hand: a beam of length 2 a that is clamped at both ends, as two cantilevers that a weld joins in the middle


@cache
def clamped(a: float = 1.0) -> lp.Robot:
    """The foot of the left half turns about the beam, which the right half holds."""
    links = [lp.Link("ground"), lp.Link("left", lp.Inertia(1.0, tensor=np.eye(3))), lp.Link("right", lp.Inertia(1.0)),
             lp.Link("middle")]
    joints = [lp.Joint("left_foot", "ground", "left", lp.Revolute((1, 0, 0))),
              lp.Joint("right_foot", "ground", "right", lp.Fixed(), (2 * a, 0, 0)),
              lp.Joint("mark", "left", "middle", lp.Fixed(), (a, 0, 0))]
    tree = lp.Robot("clamped", tuple(links), tuple(joints)).with_gravity((0, 0, -9.81))
    closed = tree.with_loop("weld", "left", "right", motion=lp.Fixed(), at=(a, 0, 0), q=[0.0])
    return closed.with_beams({link: lp.Beam(SLIM, lp.STEEL, end="weld") for link in ("left", "right")},
                             inertia_from_beams=True)


def test_the_weight_of_half_a_clamped_beam_by_the_handbook() -> None:
    arm, span = clamped(), 2.0
    load = {"middle": lp.Wrench(force=(0, 0, -2.0))}
    found = arm.load_breakdown([0.0], [0.0], [0.0], external=load, compiled=False)
    w = 9.81 * lp.STEEL.density * SLIM.area
    near, far = 13 * w * span / 32, 3 * w * span / 32
    m_near, m_far = 11 * w * span**2 / 192, 5 * w * span**2 / 192
    for link, foot, other, sign in (("left", "left_foot", "right_foot", -1), ("right", "right_foot", "left_foot", 1)):
        for joint, force, moment, turn in ((foot, near, m_near, sign), (other, far, m_far, -sign)):
            carried = found.gravity[joint, link]
            np.testing.assert_allclose(carried.force, [0, 0, force], rtol=1e-5, atol=1e-9)
            np.testing.assert_allclose(carried.torque, [0, turn * moment, 0], rtol=1e-5, atol=1e-9)
    pushed = found.external["right_foot", "middle"]
    np.testing.assert_allclose(pushed.force, [0, 0, 1.0], rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(pushed.torque, [0, 2.0 * span / 8, 0], rtol=1e-5, atol=1e-9)
    rigid = arm.without_beams().load_breakdown([0.0], [0.0], [0.0], compiled=False).gravity["left_foot", "left"]
    assert abs(rigid.force[2] - near) > 0.1 * near


# What is made of them


def test_peaks_and_extremes_over_a_motion() -> None:
    arm, motion, load = bar(), swing(), {"external": LOAD}
    wrenches = six(arm.joint_wrenches(motion.q, motion.qd, motion.qdd, **load))
    peaks = arm.peak_loads(motion, **load)
    pin = arm.closed_joint_names.index("rocker_pin")
    np.testing.assert_allclose(peaks["rocker_pin", "torque_y"].maximum, wrenches[:, pin, 4].max(), rtol=1e-12)
    worst = peaks["rocker_pin", "torque_y"].peak
    assert sum(part.value for part in worst.top(count=None)) == pytest.approx(worst.value, rel=1e-10)
    reduced = arm.reduce_loads(motion, lp.LoadExtremes(), **load)
    np.testing.assert_allclose(reduced.largest.total("rocker_pin"), wrenches[:, pin].max(axis=0), atol=1e-12)
    assert "~ by beams and joint compliance" in str(peaks.to_table())


def test_the_payload_at_a_moment_that_only_bending_tells() -> None:
    arm, motion = bar(), swing()
    aside = (0.1, 0.0, 0.05)
    found = arm.max_payload(motion, {"rocker_pin": {"tilting_moment": 1.5}}, link="coupler", center_of_mass=aside,
                            model_limits=False)
    loaded = arm.with_payload(found.mass, aside, link="coupler")
    assert loaded.peak_loads(motion)["rocker_pin", "tilting_moment"].magnitude == pytest.approx(1.5, rel=1e-9)


def test_reactions_along_lines() -> None:
    arm, states = bar(), moving(bar())
    for joint in ("coupler_joint", "rocker_pin"):
        wrench = arm.joint_wrenches(*states, external=LOAD)[joint]
        e, r = np.array([1.0, 2.0, -2.0]) / 3, np.array([0.1, 0.2, -0.3])
        given = {"joint": joint, "external": LOAD}
        assert arm.force_along(*states, 6 * e, **given) == pytest.approx(e @ wrench.force, abs=1e-12)
        about = e @ (wrench.torque - np.cross(r, wrench.force))
        assert arm.torque_about(*states, 6 * e, point=r, **given) == pytest.approx(about, abs=1e-12)
        seen = arm.load_breakdown(*states, external=LOAD, frame="world", compiled=False).total(joint)
        assert arm.force_along(*states, e, axes="world", **given) == pytest.approx(e @ seen.force, abs=1e-12)
        assert arm.torque_about(*states, e, axes="world", **given) == pytest.approx(e @ seen.torque, abs=1e-12)
    with pytest.raises(ValueError, match="there is no joint 'elbow'"):
        arm.force_along(*states, [1, 0, 0], joint="elbow")


def test_a_preload_that_a_loop_is_to_carry() -> None:
    arm = bar().with_driven(*bar().dof_names)
    states = moving(arm)
    wanted = arm.joint_wrenches(*states)["rocker_pin"].force + np.array([5.0, 3.0, 0.0])
    preload = arm.preload_for({"rocker_pin": lp.Wrench(wanted, (np.nan,) * 3, axes="joint")}, *states)
    np.testing.assert_allclose(arm.joint_wrenches(*states, preload=preload)["rocker_pin"].force, wanted, atol=1e-9)
    parts = arm.load_breakdown(*states, preload=preload, compiled=False)
    np.testing.assert_allclose(parts.cause("rocker_pin", "preload").force, [5.0, 3.0, 0.0], atol=1e-9)


def test_a_report_says_what_settles_the_reactions() -> None:
    text = str(bar().report(swing(), external=LOAD, only=["mechanism", "causes", "beams"]).html)
    assert "settled by what bends" in text and "the links bend so that all loops stay closed" in text
    assert "equal compliances" not in text and "Displacement of" in text


def test_freedoms_without_a_drive_move_by_themselves_with_beams_too() -> None:
    rigid = linkage()
    arm = rigid.with_beams({"rocker": lp.Beam(lp.Rod(0.01), lp.STEEL, end="far")})
    wanted = six(rigid.joint_wrenches(*state(rigid)))  # statics gives them
    for spin in (5.0, -3.0, 40.0):
        q, qd, qdd = state(rigid, spin)
        np.testing.assert_allclose(six(arm.joint_wrenches(q, qd, qdd)), wanted, atol=1e-10)
        np.testing.assert_allclose(arm.load_breakdown(q, qd, qdd, compiled=False).totals(), wanted, atol=1e-10)


def test_what_is_not_kept_apart_is_said() -> None:
    stiffness = {"compliances": {"rocker_pin": 2.0}}
    for given, words in (({"by_link": True}, "leave by_link out"), (stiffness, "rigid links")):
        with pytest.raises(lp.ModelError, match=words):
            bar().load_breakdown(*moving(bar()), compiled=False, **given)


def test_joints_that_mimic_others_are_causes_of_their_own() -> None:
    """An isosceles crank whose second joint turns back twice as fast moves its tip along a line, on a slider."""
    turning, rod = lp.Revolute((0, 0, 1)), lp.Inertia(0.8, (0.2, 0.02, 0.01), np.diag([0.01, 0.02, 0.02]))
    links = [lp.Link("base"), *(lp.Link(name, rod) for name in ("crank", "arm", "slider"))]
    joints = [lp.Joint("root", "base", "crank", turning),
              lp.Joint("elbow", "crank", "arm", turning, (0.4, 0, 0), mimic=lp.Mimic("root", -2.0)),
              lp.Joint("slide", "base", "slider", lp.Prismatic((1, 0, 0)))]
    tree = lp.Robot("line", tuple(links), tuple(joints))
    closed = tree.with_loop("pin", "arm", "slider", motion=turning, at=(0.4, 0, 0), q=(0.5, 0.8 * np.cos(0.5)))
    arm = closed.with_beams({"crank": lp.Beam(SLIM, lp.STEEL, end="elbow"), "arm": lp.Beam(SLIM, lp.STEEL, end="pin")})
    assert arm.mobility == 1
    states, loads = moving(arm), {"external": {"arm": lp.Wrench(force=(1.0, 2.0, -3.0))}, **BASE}
    wanted = six(arm.joint_wrenches(*states, **loads))
    rigid = arm.without_beams().load_breakdown(*states, compiled=False, **loads)
    for by in ("freedom", "joint", "drive"):
        found = arm.load_breakdown(*states, by=by, compiled=False, **loads)
        np.testing.assert_allclose(found.totals(), wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())
        if by == "freedom":
            own = found.coriolis["pin", "root", "elbow"].torque, rigid.coriolis["pin", "root", "elbow"].torque
            assert np.abs(own[0] - own[1]).max() > 1e-3


def test_a_link_that_carries_both_sides_of_a_loop_bends_it_by_its_own_weight() -> None:
    """A parallelogram on a column, which is cut in two by where its upper bar is held; another arm stands on top."""
    hinge, rod = lp.Revolute((0, 1, 0)), lp.Inertia(0.8, (0.1, 0.02, 0.01), np.diag([0.01, 0.02, 0.02]))
    links = [lp.Link("base"), *(lp.Link(name, rod) for name in ("column", "lower", "upper", "coupler", "other"))]
    joints = [lp.Joint("turn", "base", "column", lp.Revolute((0, 0, 1))),
              lp.Joint("lower_root", "column", "lower", hinge, (0, 0, 0.2)),
              lp.Joint("upper_root", "column", "upper", hinge, (0, 0, 0.5)),
              lp.Joint("front", "lower", "coupler", hinge, (0.4, 0, 0)),
              lp.Joint("top", "column", "other", lp.Revolute((1, 0, 0)), (0, 0, 0.8))]
    tree = lp.Robot("column", tuple(links), tuple(joints))
    closed = tree.with_loop("pin", "coupler", "upper", motion=hinge, at=(0, 0, 0.3), on=(0.4, 0, 0), q=np.zeros(5))
    beams = {"column": lp.Beam(lp.Rod(0.01), lp.STEEL, end="top"), "upper": lp.Beam(SLIM, lp.STEEL, end="pin")}
    arm = closed.with_beams(beams, inertia_from_beams=True)
    states, loads = moving(arm), {"gravity": (1.0, 3.0, -9.0), **BASE}
    wanted = six(arm.joint_wrenches(*states, **loads))
    for by in ("freedom", "drive"):
        found = arm.load_breakdown(*states, by=by, compiled=False, **loads)
        np.testing.assert_allclose(found.totals(), wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())
        for link in ("column", "other"):
            assert np.abs(found.gravity["pin", link].torque).max() > 1e-4
    rigid = arm.without_beams().load_breakdown(*states, compiled=False, **loads)
    assert not rigid.gravity["pin", "column"].torque.any()


def test_wrenches_of_motions_and_simulations() -> None:
    rigid = lp.catalog.four_bar()
    arm = rigid.with_beams({"coupler": lp.Beam(lp.Rod(0.01), lp.STEEL, end="rocker_pin")})
    t = np.linspace(0, 1, 11)
    motion = rigid.motion(t, {"crank_joint": rigid.home[0] + 0.3 * np.sin(4 * t)})
    down = np.stack([3 * t, 0 * t, 0 * t - 9.81], axis=-1)
    still = np.zeros_like(motion.q)
    for found, expected in (
        (arm.joint_wrenches(motion, gravity=lambda at: (3 * at, 0, -9.81)),
         arm.joint_wrenches(motion.q, motion.qd, motion.qdd, gravity=down)),
        (arm.static_wrenches(motion, gravity=lambda at: (3 * at, 0, -9.81)),
         arm.joint_wrenches(motion.q, still, still, gravity=down)),
    ):
        np.testing.assert_array_equal(found.force, expected.force)
    fall = rigid.simulate(rigid.home, duration=0.05, gravity=(0, 0, -20.0))
    states = fall.q, fall.qd, fall.qdd
    np.testing.assert_array_equal(arm.joint_wrenches(fall).torque,
                                  arm.joint_wrenches(*states, gravity=(0, 0, -20.0)).torque)
    with pytest.raises(TypeError, match="joint_wrenches needs qd and qdd as well"):
        arm.joint_wrenches(motion.q)
