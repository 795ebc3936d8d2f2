"""Beams in guides against finite elements with sliding constraints, in space, loaded by weight and motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from frame_with_guides import GuidedFrame
from numpy.testing import assert_allclose
from telescopes import STROKE, as_numbers, telescope

import loadpath as lp
from loadpath.scalars import array
from loadpath.structure.beams.skeleton import skeleton
from loadpath.structure.beams.stress_equations import section_actions
from loadpath.structure.stress import sections_of


def compare(arm: lp.FlexibleRobot, q: Any, qd: Any, qdd: Any, *, compiled: bool = False) -> GuidedFrame:
    """Displacement and rotation of every link frame, relative to the largest of all."""
    if compiled:
        found = arm.deflection(q, qd, qdd)
        ours = found.displacement, found.rotation
    else:
        ours = as_numbers(arm, q, qd, qdd)
    frame = GuidedFrame(arm, np.array(q), np.array(qd), np.array(qdd))
    expected = frame.deflection()
    for our, their in zip(ours, (expected[:, :3], expected[:, 3:]), strict=True):
        assert_allclose(our, their, rtol=0, atol=1e-8 * np.abs(their).max())
    return frame


@pytest.mark.parametrize("stages", [2, 3])
@pytest.mark.parametrize("seed", [1, 2])
def test_telescopes_in_space_at_ten_extensions(stages: int, seed: int) -> None:
    arm = telescope(stages, seed)
    rng = np.random.default_rng(seed)
    for k in range(10):
        slides = STROKE * rng.uniform(0, 1, stages - 1) if k > 1 else np.full(stages - 1, STROKE * k)
        q = np.concatenate([rng.uniform(-1, 1, 1), slides])
        compare(arm, q, *rng.uniform(-0.5, 0.5, (2, stages)), compiled=seed == 1)


@pytest.mark.parametrize(
    "case",
    [
        {"reverse": True, "guides": {"along": "front"}, "stepped": True},
        {"guides": {"torsion": "front"}, "inner_steps": True, "offset": -0.1},
    ],
    ids=str,
)
def test_telescopes_of_many_kinds(case: dict[str, Any]) -> None:
    arm = telescope(3, 5, **case)
    sign = -1.0 if case.get("reverse") else 1.0
    for slides in ((0.0, 3.0), (1.2, 0.7), (3.0, 0.4), (3.0, 3.0)):
        compare(arm, [0.4, sign * slides[0], sign * slides[1]], [0.3, -0.2, 0.5], [0.1, 0.4, -0.6])


def rail(motion: Any, guide: lp.Guide, *, outer: bool, inner: bool, seed: int = 3) -> lp.FlexibleRobot:
    """A girder that turns, something that slides along it, and a load on an arm across."""
    rng = np.random.default_rng(seed)
    links = (lp.Link("base"), lp.Link("girder", lp.Inertia(300.0, (2.0, 0.1, 0.0), (50 * np.eye(3)).tolist())),
             lp.Link("slider", lp.Inertia(60.0, (0.3, 0.1, -0.2), (5 * np.eye(3)).tolist())),
             lp.Link("load", lp.Inertia(80.0, (0.1, 0.3, 0.2), np.eye(3).tolist())))
    joints = (lp.Joint("turn", "base", "girder", lp.Revolute(tuple(rng.normal(size=3)))),
              lp.Joint("slide", "girder", "slider", motion, lp.Pose(translation=(0.5, 0.0, 0.3)),
                       limits=lp.Limits(lower=0.4, upper=2.5)),
              lp.Joint("hold", "slider", "load", lp.Revolute((0, 0, 1)),
                       lp.Pose(translation=(0.8, 0.4, 0.0))))
    beams = {}
    if outer:
        beams["girder"] = lp.Beam(lp.IBeam(0.2, 0.25, 0.015, 0.01), lp.STEEL, end=(4.0, 0, 0), y_axis=(0, 1, 0.4))
    if inner:
        beams["slider"] = lp.Beam(lp.Bar(0.05, 0.08), lp.ALUMINIUM, start=(-2.8, 0.02, 0), end=(1.0, 0.02, 0))
    return lp.Robot("rail", links, joints).with_beams(beams, guides={"slide": guide})


@pytest.mark.parametrize(
    ("guide", "outer", "inner"),
    [
        (lp.Guide(at=0.1, spacing=0.6), False, True),
        (lp.Guide(at=0.1, spacing=0.6, along="front", torsion="front"), True, True),
        (lp.Guide(at=0.2), True, True),
        (lp.Guide(at=0.1, spacing=0.6, pads_on="child"), True, False),
        (lp.Guide(at=-0.2, pads_on="child"), True, True),
        (lp.Guide(at=-0.2, pads_on="child"), False, True),
    ],
    ids=str,
)
def test_pads_and_carriages_on_either_link(guide: lp.Guide, outer: bool, inner: bool) -> None:
    arm = rail(lp.Prismatic((1, 0, 0)), guide, outer=outer, inner=inner)
    for slide in (0.4, 1.3, 2.5):
        compare(arm, [0.3, slide, -0.7], [0.5, 0.3, -0.2], [0.2, 0.4, 0.9])


def test_a_carriage_of_the_child_holds_a_beam_at_any_angle() -> None:
    guide = lp.Guide(at=0.0, pads_on="child")
    arm = rail(lp.Prismatic((1, 0, 0)), guide, outer=True, inner=False)
    across = lp.Beam(lp.Bar(0.05, 0.08), lp.ALUMINIUM, end=(0.5, 0.4, 0.1))
    compare(arm.with_beams({"slider": across}), [0.3, 1.1, -0.7], [0.5, 0.3, -0.2], [0.2, 0.4, 0.9])


def test_a_girder_on_the_ground() -> None:
    links = (lp.Link("ground"), lp.Link("trolley", lp.Inertia(50.0, (0, 0, -0.1), np.eye(3).tolist())))
    slide = lp.Joint("slide", "ground", "trolley", lp.Prismatic((0, 1, 0)), limits=lp.Limits(lower=0.5, upper=5.5))
    beam = lp.Beam(lp.IBeam(0.2, 0.25, 0.015, 0.01), lp.STEEL, start=(0.1, 0, 0), end=(0.1, 6, 0))
    guides = {"slide": lp.Guide(at=0.0, spacing=0.4, pads_on="child")}
    arm = lp.Robot("hoist", links, (slide,)).with_beams({"ground": beam}, guides=guides, inertia_from_beams=True)
    for q in (0.5, 2.0, 5.5):
        frame = compare(arm, [q], [0.4], [1.0])
        assert_allclose(arm.compliance([q]), frame.compliance("trolley"), rtol=0, atol=1e-12)
        section, weight = lp.IBeam(0.2, 0.25, 0.015, 0.01), 50.0 * 9.81
        EI, own = 210e9 * section.second_moment_y, 7850 * section.area * 9.81
        found = arm.deflection([q], effects=["bending"]).tip.displacement[2]
        # A cantilever with half the weight at each pad: its displacement is the mean of the two.
        at, half = np.array([q - 0.2, q + 0.2]), weight / 2
        bend = sum(half * min(a, b) ** 2 * (3 * max(a, b) - min(a, b)) / (6 * EI) for a in at for b in at) / 2
        bend += np.mean(own * at**2 * (6 * 36 - 4 * 6 * at + at**2) / (24 * EI))
        assert_allclose(found, -bend, rtol=1e-9)


def test_wrenches_and_compliance() -> None:
    arm = telescope(2, 7, offset=0.1)
    q, still = [0.3, 1.4], np.zeros(2)
    frame = GuidedFrame(arm, np.array(q), still, still)
    force = {"stage2": np.array([300.0, -200, 100, 10, 20, 30]), "hook": np.array([100.0, 300, -500, 50, -20, 40])}
    expected = frame.deflection(force)
    external = {link: lp.Wrench(tuple(w[:3]), tuple(w[3:])) for link, w in force.items()}
    found = arm.deflection(q, external=external)
    assert_allclose(found.displacement, expected[:, :3], rtol=0, atol=1e-9 * np.abs(expected[:, :3]).max())
    assert_allclose(found.rotation, expected[:, 3:], rtol=0, atol=1e-9 * np.abs(expected[:, 3:]).max())
    C, theirs = arm.compliance(q), frame.compliance("hook")
    size = np.sqrt(np.outer(np.diag(theirs), np.diag(theirs)))
    assert_allclose(C / size, theirs / size, rtol=0, atol=1e-8)
    assert_allclose(arm.stiffness(q) @ C, np.eye(6), atol=1e-8)


def test_forces_and_moments_of_sections_on_both_sides_of_every_pad() -> None:
    arm = telescope(3, 9, offset=0.12)
    for slides in ((0.7, 1.9), (2.6, 0.3)):
        q, qd, qdd = [0.3, *slides], [0.4, 0.2, -0.3], [0.5, -0.4, 0.2]
        frame = GuidedFrame(arm, np.array(q), np.array(qd), np.array(qdd), pieces=1)
        frame.deflection()
        state = (array(part) for part in (q, qd, qdd))
        force, moment = (part.astype(float) for part in section_actions(skeleton(arm), *state, sections=9))
        where = sections_of(arm, 9, q)
        checked = 0
        for link, along in frame.along.items():
            rows = [k for k, name in enumerate(where.links) if name == link]
            for x, _ in along:
                at = [k for k in rows if abs(where.positions[k] - x) < 1e-7]
                expected = [frame.actions(link, x, after) for after in (False, True)
                            if (x > 1e-9 or after) and (x < 4.0 - 1e-9 or not after)]
                for wanted in expected:
                    ours = [np.concatenate([force[k], moment[k]]) for k in at]
                    assert min(np.abs(our - wanted).max() for our in ours) < 1e-6 * np.abs(expected).max() + 1e-5
                    checked += 1
        assert checked > 30


def test_a_telescope_with_every_joint_locked() -> None:
    arm = telescope(2, 1)
    frozen = arm.locked(dict(zip(arm.dof_names, (0.3, 1.5), strict=True)))
    assert_allclose(frozen.deflection([]).tip.displacement, arm.deflection([0.3, 1.5]).tip.displacement, rtol=1e-9)
    assert frozen.stress([]).worst.safety == pytest.approx(arm.stress([0.3, 1.5]).worst.safety, rel=1e-9)


def test_the_warning_of_a_large_rotation_does_not_send_telescopes_to_what_refuses_them() -> None:
    arm = telescope(2, 1)
    push = {arm.link_names[-1]: lp.Wrench(force=(0, 0, -3e6))}
    with pytest.warns(lp.ModelWarning, match="not small, and iterate=True does not know guides"):
        arm.deflection([0.0, STROKE], external=push)


def test_the_step_of_the_iterated_deflection_is_refused_with_guides() -> None:
    arm = telescope(2, 1)
    with pytest.raises(lp.ModelError, match="bent_deflection does not know guides, and joint 'slide"):
        arm.c_source("bent_deflection")
