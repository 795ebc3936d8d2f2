"""Beams in guides against formulas; locking, pickling, refusals, pictures."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from elastic_arms import WEIGHTLESS
from numpy.testing import assert_allclose
from telescopes import as_numbers, telescope

import loadpath as lp
from loadpath.scalars import array
from loadpath.structure.beams.deflection_equations import small_deflection
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.beams.skeleton import skeleton
from loadpath.structure.stress import sections_of

G = 9.81
E = WEIGHTLESS.youngs_modulus


def boom(guide: Any, *, payload: float = 500.0, ratio: float = 1.5, limits: Any = None, **beam: Any) -> Any:
    """A weightless boom of 4 m along x, and in it an inner beam of 4 m whose front end is the hook."""
    links = (lp.Link("base"), lp.Link("outer"), lp.Link("inner"), lp.Link("hook", lp.Inertia(payload)))
    joints = (
        lp.Joint("luff", "base", "outer", lp.Revolute((0, -1, 0))),
        lp.Joint("slide", "outer", "inner", lp.Prismatic((1, 0, 0)), lp.Pose(translation=(4, 0, 0)),
                 limits=limits or lp.Limits(lower=0, upper=3.5)),
        lp.Joint("tip", "inner", "hook", lp.Fixed()),
    )
    outer = lp.Section(0.01, 6e-5, 4e-5, 1e-5, extreme_y=0.1, extreme_z=0.15, torsion_modulus=1e-4)
    inner = replace(outer, second_moment_y=6e-5 / ratio)
    chosen = {"outer": lp.Beam(outer, WEIGHTLESS, end="slide")}
    chosen["inner"] = lp.Beam(inner, WEIGHTLESS, start=(-4, 0, 0), end=(0, 0, 0), guide=guide, **beam)
    return lp.Robot("boom", links, joints).with_beams(chosen)


def sag(arm: lp.FlexibleRobot, extension: float) -> float:
    return -float(arm.deflection([0.0, extension], effects=["bending"])["hook"].displacement[2])


def test_a_boom_with_a_carriage_at_its_tip() -> None:
    """The numbers of a review: 10.2, 14.0 and 26.2 mm with the inner beam clamped at its start, as it was."""
    load = 4.05e-3 * 3 * E * 6e-5 / 4**3
    arm = boom(lp.Guide(at=0.0), payload=load / G, ratio=6.15 / 4.05)
    for extension, expected in ((0.0, 4.05e-3), (1.0, 7.94e-3), (3.0, 22.6e-3)):
        assert_allclose(sag(arm, extension), expected, rtol=2e-3)


def cantilever_sag(at: float, load: float, place: float, EI: float) -> float:
    near, far = min(at, place), max(at, place)
    bend = near**2 * (3 * far - near) / 6 if at <= place else place**2 * (3 * at - place) / 6
    return load * bend / EI


def test_two_pads_make_an_overhanging_beam_on_a_cantilever() -> None:
    arm, load = boom(lp.Guide(front=0.0, tail=-3.8)), 500 * G
    outer, inner = E * 6e-5, E * 4e-5
    for out in np.linspace(0.0, 3.5, 10):
        overlap, tail = 3.8 - out, 0.2 + out
        front_force, tail_force = load * (overlap + out) / overlap, load * out / overlap
        at_front, at_tail = (cantilever_sag(x, front_force, 4.0, outer) - cantilever_sag(x, tail_force, tail, outer)
                             for x in (4.0, tail))
        overhang = load * out**2 * (overlap + out) / (3 * inner)
        expected = at_front + (at_front - at_tail) / overlap * out + overhang
        assert_allclose(sag(arm, float(out)), expected, rtol=1e-12)
        # The moment is largest at the front pad in the inner beam, and in the outer one at its start.
        stress = arm.stress([0.0, out])
        front = np.abs(stress.sections.positions - (4.0 - out)) < 1e-6
        assert_allclose(stress.of("inner").bending.max(), load * out * 0.15 / 4e-5, rtol=1e-9, atol=1.0)
        assert front.sum() >= 2
        assert_allclose(stress.of("outer").bending.max(), load * (4 + out) * 0.15 / 6e-5, rtol=1e-9)


def test_pad_forces_are_seen_in_the_shear_of_the_outer_beam() -> None:
    arm, load = boom(lp.Guide(front=0.0, tail=-3.8)), 500 * G
    force, _ = arm.section_actions([0.0, 1.3], [0.0, 0.0], [0.0, 0.0])
    where = arm.stress([0.0, 1.3]).sections
    overlap = 3.8 - 1.3
    outer = np.array(where.links) == "outer"
    between = outer & (where.positions > 1.5 + 1e-6) & (where.positions < 4 - 1e-6)
    before = outer & (where.positions < 1.5 - 1e-6)
    assert_allclose(force[between, 2], -load * (overlap + 1.3) / overlap, rtol=1e-9)
    assert_allclose(force[before, 2], -load, rtol=1e-9)


def test_what_carries_along_and_about_the_slide() -> None:
    """Lifted upright the weight of the hook goes down the inner beam to the pad that carries along; a torque twists it
    up to the one that carries torsion.
    """
    arm = {place: boom(lp.Guide(front=0.0, tail=-3.8, along=place, torsion=place)) for place in ("tail", "front")}
    up, out, EA, GJ = np.pi / 2, 1.0, E * 0.01, WEIGHTLESS.shear_modulus * 1e-5
    weight, twist = 500 * G, {"hook": lp.Wrench(torque=(0, 0, 100.0))}
    for place, length, tip in (("tail", 3.8, 1.2), ("front", 1.0, 4.0)):
        found = arm[place].deflection([up, out], effects=["extension", "torsion"], external=twist)["hook"]
        assert_allclose(found.displacement[2], -weight * (length + tip) / EA, rtol=1e-9)
        assert_allclose(found.rotation[2], 100.0 * (length + tip) / GJ, rtol=1e-9)


def test_the_drive_of_a_slide_gives_way_along_it() -> None:
    arm = boom(lp.Guide(front=0.0, tail=-3.8))
    soft = arm.with_beams(joint_compliance={"slide": lp.JointCompliance(drive=2e5)})
    state = [np.pi / 2, 1.0]
    more = soft.deflection(state)["hook"].displacement - arm.deflection(state)["hook"].displacement
    assert_allclose(more, [0, 0, -500 * G / 2e5], atol=1e-12)
    both = arm.with_beams(joint_compliance={"slide": lp.JointCompliance(drive=2e5, tilting=1e5)})
    with pytest.raises(lp.ModelError, match=r"joint 'slide' has a guide .* and a compliance other than that of its"):
        both.deflection(state)


def test_figure_four_of_the_thesis() -> None:
    """A rod that slides in a carriage on a turntable: what is free of it follows d2."""
    rod, material = lp.Rod(0.01), lp.Material(E, 80e9, 2000.0, 300e6)
    robot = lp.catalog.lau_arm()
    tip = lp.Joint("tip_joint", "rod", "tip", lp.Fixed(), lp.Pose(translation=(1, 0, 0)))
    robot = replace(robot, links=(*robot.links, lp.Link("tip", lp.Inertia(5.0))), joints=(*robot.joints, tip))
    beam = lp.Beam(rod, material, end=(1, 0, 0))
    with pytest.raises(lp.ModelError, match=r"link 'rod' slides along its own beam by joint 'd2'"):
        robot.with_beams({"rod": beam})
    arm = robot.with_beams({"rod": replace(beam, guide=lp.Guide(at=0.0))}, inertia_from_beams=True)
    EI, mu = E * rod.second_moment_y, 2000.0 * rod.area
    for d2 in (0.0, 0.3, 0.8):
        found, a = arm.deflection([0.0, 0.0, d2], effects=["bending"]), 1 - d2
        assert_allclose(found["tip"].displacement[2], -G * (5 * a**3 / 3 + mu * a**4 / 8) / EI, rtol=1e-12)
        assert_allclose(found["rod"].displacement[2], -G * mu * d2**4 / 8 / EI, rtol=1e-10, atol=1e-18)
        moment, modulus = G * (5 * a + mu * a**2 / 2), np.pi * 0.01**3 / 4
        assert_allclose(arm.stress([0, 0, d2]).bending.max(), moment / modulus, rtol=1e-9)


def test_a_beam_in_two_equal_segments_is_one() -> None:
    arm = telescope(2, 4)
    halves = {}
    for link, beam in arm.beams:
        section, material = beam.segments[0].section, beam.segments[0].material
        parts = [(0.35, section, material), (0.65, section, material)]
        halves[link] = replace(beam, section=None, material=None, end_section=None, segments=parts)
    cut = arm.with_beams(halves)
    state = [0.3, 1.7], [0.2, 0.5], [0.4, -0.3]
    assert_allclose(as_numbers(cut, *state)[0], as_numbers(arm, *state)[0], rtol=1e-10, atol=1e-15)


def test_a_taper_that_no_pad_passes() -> None:
    """The foot of a boom may taper; it is compared with many steps."""
    thick, thin = lp.RectangularTube(0.2, 0.4, 0.008), lp.RectangularTube(0.2, 0.3, 0.008)
    arm = telescope(2, None, mass=0.0)
    beams = dict(arm.beams)
    foot = lp.Beam(segments=[lp.Segment(0.05, thick, lp.STEEL, thin), (0.95, thin, lp.STEEL)], end=(4, 0, 0))
    steps = [(0.05 / 60, thick.towards(thin, (k + 0.5) / 60), lp.STEEL) for k in range(60)]
    stepped = lp.Beam(segments=[*steps, (0.95, thin, lp.STEEL)], end=(4, 0, 0))
    tips = []
    for beam in (foot, stepped):
        elastic = skeleton(arm.with_beams({"stage1": beam}, inertia_from_beams=True))
        state = array([0.2, 1.0]), array([0.3, 0.1]), array([0.1, 0.2])
        found = small_deflection(elastic, *state, effects=EFFECTS, axes="world", without_driven=False)
        tips.append(found[0][-1].astype(float))
    assert_allclose(tips[0], tips[1], rtol=1e-6, atol=1e-12)
    straight = lp.Beam(thin, lp.STEEL, end=(4, 0, 0))
    thin_arm = arm.with_beams({"stage1": straight}, inertia_from_beams=True)
    thinner = thin_arm.deflection([0.2, 1.0], [0.3, 0.1], [0.1, 0.2])
    assert abs(thinner.displacement[-1, 2] / tips[0][2] - 1) > 1e-3
    tapered = replace(beams["stage2"], end_section=lp.RectangularTube(0.1, 0.2, 0.006), segments=())
    with pytest.raises(lp.ModelError, match=r"a pad passes over the beam of 'stage2' from 0 to 4 m, where its section"):
        arm.with_beams({"stage2": tapered})


def test_locked_at_an_extension() -> None:
    arm = telescope(3, 6)
    state = [0.3, 1.3, 2.1]
    locked = arm.locked({"slide1": 1.3})
    for now, q in ((locked, [0.3, 2.1]), (locked.locked({"slide2": 2.1}), [0.3])):
        found = as_numbers(now, q, np.zeros(len(q)), np.zeros(len(q)))[0]
        expected = as_numbers(arm, state, np.zeros(3), np.zeros(3))[0]
        assert_allclose(found, expected, rtol=1e-12, atol=1e-16)
        assert pickle.loads(pickle.dumps(now)) == now
    assert locked.with_payload(10.0).placed_guides[0].guide.resolved is not None
    ends_at_the_slide = boom(lp.Guide(front=0.0, tail=-3.8))
    at, still = ends_at_the_slide.stress([0.2, 1.2]), ends_at_the_slide.locked({"slide": 1.2}).stress([0.2])
    assert_allclose(still.worst[:2], at.worst[:2], rtol=1e-10)
    assert_allclose(sag(ends_at_the_slide, 1.2), -ends_at_the_slide.locked({"slide": 1.2}).deflection(
        [0.0], effects=["bending"])["hook"].displacement[2], rtol=1e-12)


def test_stages_that_follow_each_other() -> None:
    arm = telescope(3, 8)
    slides = [replace(j, mimic=lp.Mimic("slide1", 0.8, 0.1)) if j.name == "slide2" else j for j in arm.joints]
    together = replace(arm, joints=tuple(slides))
    found = as_numbers(together, [0.3, 1.5], [0.1, 0.2], [0.3, 0.5])
    expected = as_numbers(arm, [0.3, 1.5, 1.3], [0.1, 0.2, 0.16], [0.3, 0.5, 0.4])
    assert_allclose(found[0], expected[0], rtol=1e-12, atol=1e-16)


def test_edits_keep_guides() -> None:
    arm = telescope(2, 3)
    assert pickle.loads(pickle.dumps(arm)) == arm
    assert hash(pickle.loads(pickle.dumps(arm))) == hash(arm)
    other = arm.with_beams({"stage2": replace(dict(arm.beams)["stage2"], guide=lp.Guide(front=0.0, tail=-3.5))})
    assert other != arm
    assert other.deflection([0.1, 1.0]).displacement[-1, 2] != arm.deflection([0.1, 1.0]).displacement[-1, 2]
    for edited in (arm.with_payload(5.0), arm.with_gravity(1.6), arm.without_friction(), arm.floating()):
        assert isinstance(edited, lp.FlexibleRobot)
        assert len(edited.placed_guides) == 1
    assert not arm.without_beams().placed_guides
    base = lp.catalog.lau_rover().base
    on_wheels = base.carrying(telescope(2), at=(0, 0, 0.5)).deflection([0.1, 1.0])
    assert_allclose(on_wheels.displacement[-1], telescope(2).deflection([0.1, 1.0]).displacement[-1], rtol=1e-9)


def test_batches_and_states_that_are_not_numbers() -> None:
    arm = boom(lp.Guide(front=0.0, tail=-3.8))
    q = np.array([[0.1, 0.3], [0.2, np.nan], [0.4, 2.9]])
    with pytest.warns(lp.ModelWarning, match="1 of 3 states"):
        found = arm.deflection(q)
    assert found.unknown.tolist() == [False, True, False]
    assert_allclose(found.displacement[2], arm.deflection(q[2]).displacement)
    with pytest.warns(lp.ModelWarning):
        worst = arm.stress(q).of("inner").worst
    assert worst.state == (2,)
    assert worst.position == pytest.approx(4.0 - 2.9)
    target = arm.compensated([0.2, 1.5])
    assert target.converged


def test_buckling_of_a_beam_follows_its_free_length() -> None:
    arm = boom(lp.Guide(at=0.0))
    up = [[np.pi / 2, 0.5], [np.pi / 2, 2.0]]
    still = np.zeros((2, 2))
    _, use, _ = arm.section_buckling(up, still, still)
    where = sections_of(arm, 9, up)
    inner = np.array(where.links) == "inner"
    P = np.pi**2 * E * 4e-5 / (2 * np.array([3.5, 2.0])) ** 2  # the longer side of the carriage, clamped and free
    GA = 5 / 6 * WEIGHTLESS.shear_modulus * 0.01
    assert_allclose(use[:, inner].max(axis=-1), 500 * G / (P / (1 + P / GA)), rtol=1e-9)
    assert_allclose(where.critical_loads[:, inner].T, np.broadcast_to(P / (1 + P / GA), (inner.sum(), 2)), rtol=1e-12)


REFUSED = [
    (lp.Guide, "expected front= and tail="),
    (lambda: lp.Guide(front=0.0), "expected front= and tail="),
    (lambda: lp.Guide(at=0.0, front=1.0), "not both"),
    (lambda: lp.Guide(at=0.0, spacing=0.0), "spacing of a guide is 0 m: expected more than zero"),
    (lambda: lp.Guide(at=0.0, along="front"), "a carriage has one contact"),
    (lambda: lp.Guide(front=0.0, tail=-1.0, pads_on="child"), "a telescope has its front pad on the parent"),
    (lambda: lp.Guide(at=0.0, pads_on="both"), "'pads_on' of a guide is 'both': expected 'parent' or 'child'"),
    (lambda: lp.Guide(at="middle"), "'at' of a guide is 'middle': expected a number"),
    (lambda: boom("pads"), "guide of a beam is 'pads': expected a Guide"),
    (lambda: boom(lp.Guide(front=0.5, tail=-3.8)), "front pad is beyond the end of the beam of 'outer' by 0.5 m"),
    (lambda: boom(lp.Guide(front=0.0, tail=-4.5)), "tail pad is before the start of the beam of 'outer' by 0.5 m"),
    (lambda: boom(lp.Guide(front=0.0, tail=-3.0)),
     "at the extension 3.5 m the overlap, from the tail to the front pad, is -0.5 m: expected more than zero. The "
     "joint's limits are 0 to 3.5 m"),
    (lambda: boom(lp.Guide(front=0.0, tail=0.0)), "overlap"),
    (lambda: boom(None), "link 'inner' slides along its own beam by joint 'slide'"),
    (lambda: boom(None).with_beams(guides={"luff": lp.Guide(at=0.0)}), "slides along its own beam"),
    (lambda: telescope(2).with_beams(guides={"luff": lp.Guide(at=0.0)}), "joint 'luff' has a guide, but is revolute"),
    (lambda: telescope(2).with_beams(guides={"slide1": lp.Guide(at=0.0)}), "joint 'slide1' has two guides"),
    (lambda: telescope(2).with_beams(guides={"slide1": "pads"}), "its guide is 'pads': expected a Guide"),
    (lambda: boom(lp.Guide(front=0.0, tail=-3.8)).deflection([0.0, 3.9]),
     "joint 'slide' at 3.9 m: the overlap, from the tail to the front pad, is -0.1 m"),
    (lambda: boom(lp.Guide(front=0.0, tail=-3.8)).stress([[0.0, 1.0], [0.0, -0.2], [0.0, -0.1]]),
     "joint 'slide' at -0.2 m in state 1 (2 of 3 states): the front pad is beyond the end of the beam of 'inner' by"),
    (lambda: boom(lp.Guide(front=0.0, tail=-3.8)).deflection([0.0, 1.0], iterate=True),
     "deflection(iterate=True) does not know guides, and joint 'slide' has one"),
    (lambda: boom(lp.Guide(front=0.0, tail=-3.8)).compensated([0.0, 1.0], iterate=True), "does not know guides"),
]


@pytest.mark.parametrize(("ask", "words"), REFUSED)
def test_refused(ask: Any, words: str) -> None:
    with pytest.raises(lp.ModelError, match=re.escape(words)):
        ask()


def test_beams_that_cannot_slide() -> None:
    arm = boom(lp.Guide(front=0.0, tail=-3.8))
    slanted = replace(dict(arm.beams)["inner"], start=(-4, 0.1, 0))
    with pytest.raises(lp.ModelError, match=r"the beam of 'inner' is at 1.432 degrees to the slide"):
        arm.with_beams({"inner": slanted})
    inner = dict(arm.beams)["inner"]
    with pytest.raises(lp.ModelError, match=r"link 'inner' has 2 beams; a link that slides in a guide"):
        arm.with_beams({"inner": [inner, replace(inner, end=(0, 1, 0), start=None, guide=None)]})
    base = lp.Beam(lp.Rod(0.05), lp.STEEL, end=(1, 0, 0), guide=lp.Guide(at=0.0))
    with pytest.raises(lp.ModelError, match="has a guide, but no joint carries the link"):
        lp.catalog.planar(1).with_beams({"base": base})
    rigid = lp.Robot("r", (lp.Link("a"), lp.Link("b")), (lp.Joint("j", "a", "b", lp.Prismatic((1, 0, 0))),))
    with pytest.raises(lp.ModelError, match="neither 'a' nor 'b' has a beam that could slide"):
        rigid.with_beams(guides={"j": lp.Guide(at=0.0)})


def test_compiled_answers_are_not_numbers_where_nothing_holds() -> None:
    arm = boom(lp.Guide(front=0.0, tail=-3.8))
    with np.errstate(invalid="ignore"):
        found = arm.compliance([[0.0, 1.0], [0.0, 3.9], [0.0, -0.1], [0.0, 0.0]])
    assert np.isfinite(found).all((-1, -2)).tolist() == [True, False, False, True]


def test_pictures() -> None:
    arm = boom(lp.Guide(front=0.0, tail=-3.8))
    figure = arm.plot_deflection([0.4, 1.0])
    pads = next(trace for trace in figure.data if trace.name == "pads")
    assert set(pads.text) == {f"{pad} of joint 'slide'" for pad in ("tail pad", "front pad")}
    assert_allclose(np.hypot(pads.x, pads.z), [1.2, 4.0], rtol=0.1)
    safety = arm.plot_safety([[0.4, 1.0], [0.4, 3.0]], against="yield")
    assert "state 1" in safety.layout.title.text


def test_a_quill_across_its_arm_slides_in_a_nut_that_is_welded_to_the_arm() -> None:
    """F a^2 (a + l) / 3EI of the quill beyond its pads; the message of the guide on the arm itself says how."""
    section, rod = lp.RectangularTube(0.08, 0.06, 0.004), lp.Rod(0.008)
    links = [lp.Link("column"), *(lp.Link(name, lp.Inertia(0.1)) for name in ("arm", "nut", "quill"))]
    turn = lp.Joint("turn", "column", "arm", lp.Revolute((0, 0, 1)))
    weld = lp.Joint("weld", "arm", "nut", lp.Fixed(), lp.Pose(translation=(0.25, 0, 0)))

    def slide(parent: str, origin: lp.Pose) -> lp.Joint:
        down = lp.Prismatic((0, 0, -1))
        return lp.Joint("slide", parent, "quill", down, origin, limits=lp.Limits(lower=0, upper=0.2))

    quill = lp.Beam(rod, lp.STEEL, start=(0, 0, 0.3), end=(0, 0, -0.05), guide=lp.Guide(at=0.0, spacing=0.06))
    direct = lp.Robot("scara", [links[0], links[1], links[3]], [turn, slide("arm", weld.origin)])
    with pytest.raises(lp.ModelError, match=r"90 degrees to the slide.*weld a link without a beam there"):
        direct.with_beams({"arm": lp.Beam(section, lp.ALUMINIUM, end="slide"), "quill": quill})
    arm = lp.Robot("scara", links, [turn, weld, slide("nut", lp.Pose())]).with_beams(
        {"arm": lp.Beam(section, lp.ALUMINIUM, end="weld"), "quill": quill}, inertia_from_beams=True
    )
    force = 50.0
    push = {"quill": lp.Wrench(force=(0, force, 0))}
    moved = arm.deflection([0.0, 0.2], external=push, effects=["bending", "torsion"])["quill"].displacement[1]
    a, span, E, G = 0.2 - 0.03, 0.06, lp.STEEL.youngs_modulus, lp.ALUMINIUM.shear_modulus
    own = force * a**2 * (a + span) / (3 * E * rod.second_moment_y)
    bent = force * 0.25**3 / (3 * lp.ALUMINIUM.youngs_modulus * section.second_moment_z)
    twisted = force * 0.2**2 * 0.25 / (G * section.torsion_constant)
    assert moved == pytest.approx(own + bent + twisted, rel=1e-9)
