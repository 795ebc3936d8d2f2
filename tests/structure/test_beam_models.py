"""Robots with beams: what is refused, what stays through edits, copies and pickles."""

from __future__ import annotations

import dataclasses
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from elastic_arms import WEIGHTLESS, random_rod_arm
from numpy.testing import assert_allclose

import loadpath as lp
from loadpath.structure.beams.skeleton import skeleton

TUBE = lp.Tube(0.02, 0.002)
BEAM = lp.Beam(TUBE, WEIGHTLESS, end="tip_joint")


def test_every_robot_method_works_and_edits_keep_the_beams() -> None:
    rigid = lp.catalog.planar(2)
    arm = rigid.with_beams({"link2": BEAM}, joint_compliance={"joint1": lp.JointCompliance(drive=1e4)})
    assert isinstance(arm, lp.Robot)
    q = [0.3, 0.4]
    assert_allclose(arm.gravity_forces(q), rigid.gravity_forces(q), rtol=1e-14)
    assert_allclose(arm.mass_matrix(q), rigid.mass_matrix(q), rtol=1e-14)
    for edited in (arm.with_payload(1.0), arm.with_gravity(1.6), arm.locked({"joint1": 0.2}), arm.floating(),
                   arm.without_friction(), arm.without_rotors(), arm.with_inertias({"link1": lp.Inertia(2.0)}),
                   arm.with_payload(1.0).without_payload()):
        assert isinstance(edited, lp.FlexibleRobot)
        assert edited.beams == arm.beams
        assert edited.joint_compliances == arm.joint_compliances
    assert arm.with_payload(1.0).without_payload() == arm


def test_equality_hash_and_pickles_know_the_beams() -> None:
    arm, same = (lp.catalog.planar(2).with_beams({"link2": BEAM}) for _ in range(2))
    other = lp.catalog.planar(2).with_beams({"link2": dataclasses.replace(BEAM, end_condition="pinned-pinned")})
    assert arm == same
    assert hash(arm) == hash(same)
    assert arm != other
    assert arm != lp.catalog.planar(2)
    assert lp.catalog.planar(2) != arm
    assert arm.defined_by == same.defined_by != other.defined_by
    back = pickle.loads(pickle.dumps(arm))
    assert back == arm
    assert_allclose(back.deflection([0.1, 0.2]).displacement, arm.deflection([0.1, 0.2]).displacement, rtol=1e-15)


def test_with_beams_again_replaces_those_named() -> None:
    first = lp.catalog.planar(2).with_beams({"link1": lp.Beam(TUBE, WEIGHTLESS, end="joint2"), "link2": BEAM})
    thick = lp.Beam(lp.Tube(0.05, 0.002), WEIGHTLESS, end="tip_joint")
    second = first.with_beams({"link2": thick})
    assert dict(second.beams) == {"link1": first.beams[0][1], "link2": thick}
    assert [link for link, _ in second.beams] == ["link1", "link2"]


@pytest.mark.parametrize(
    ("beams", "words"),
    [
        ({"link1": lp.Beam(TUBE, WEIGHTLESS, end="joint9")}, "link 'link1'.*'joint9'.*child joints are joint2"),
        ({"tip": lp.Beam(TUBE, WEIGHTLESS, end="joint2")}, "link 'tip'.*no child joints"),
        ({"link1": lp.Beam(TUBE, WEIGHTLESS, end=(0, 0, 0))}, "link 'link1'.*same point.*length 0 m"),
        ({"base": lp.Beam(TUBE, WEIGHTLESS, end="joint1")}, "link 'base'.*same point"),
        ({"link1": [lp.Beam(TUBE, WEIGHTLESS, end="joint2")] * 2}, "link 'link1' has two beams to joint 'joint2'"),
        ({"link1": [lp.Beam(TUBE, WEIGHTLESS, end="joint2"), lp.Beam(TUBE, WEIGHTLESS, end=(1, 0, 0))]},
         "link 'link1' has two beams"),
        ({"link1": lp.Beam(TUBE, WEIGHTLESS, end="joint2", y_axis=(1, 0, 0))}, "link 'link1'.*lies along the beam"),
        ({"link1": TUBE}, "link 'link1'.*expected a Beam"),
        ({"link1": lp.Beam(TUBE, WEIGHTLESS, end="link2")}, "'link2' is a link, did you mean .* 'joint2'"),
    ],
)
def test_bad_beams_are_refused_by_link(beams: Any, words: str) -> None:
    with pytest.raises(lp.ModelError, match=words):
        lp.catalog.planar(2).with_beams(beams)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lp.Beam(TUBE, WEIGHTLESS), "has no end"),
        (lambda: lp.Beam(TUBE, end="joint2"), "needs a section and a material"),
        (lambda: lp.Beam("tube", WEIGHTLESS, end="joint2"), "section of a beam is 'tube'"),
        (lambda: lp.Beam(TUBE, "steel", end="joint2"), "material of a beam is 'steel'"),
        (lambda: lp.Beam(TUBE, WEIGHTLESS, end="j", end_condition="loose"), "end condition of a beam is 'loose'"),
        (lambda: lp.Beam(TUBE, WEIGHTLESS, end="j", end_condition=-1.0), "buckling length factor of a beam is -1.0"),
        (lambda: lp.Beam(TUBE, WEIGHTLESS, end="j", end_section=lp.Rod(0.01)), "cannot taper"),
        (lambda: lp.Beam(end="j", segments=[(0.5, TUBE, WEIGHTLESS), (0.4, TUBE, WEIGHTLESS)]), "add up to 0.9"),
        (lambda: lp.Beam(TUBE, WEIGHTLESS, end="j", segments=[(1.0, lp.Rod(0.01), WEIGHTLESS)]), "not both"),
        (lambda: lp.Beam(end="j", segments=[(0.5, TUBE)]), r"segment of a beam is \(0.5, .*expected \(share, section"),
        (lambda: lp.Beam(end="j", segments=5), "segments of a beam are 5"),
        (lambda: lp.JointCompliance(drive=-5.0), "drive stiffness of a joint is -5.0"),
        (lambda: lp.JointCompliance(tilting=0.0), "tilting stiffness of a joint is 0.0"),
    ],
)
def test_bad_parts_are_refused_by_number(make: Any, words: str) -> None:
    with pytest.raises(lp.ModelError, match=words):
        make()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lp.Material(210, 81), r"Young's modulus of material 'material' is 210 Pa: is it in Pa\?"),
        (lambda: lp.Material(210e9, 81e9, 7.85), r"density .* is 7.85 kg/m\^3"),
        (lambda: lp.Material(210e9, 81e9, 7850, 355), "yield strength .* is 355 Pa"),
        (lambda: lp.catalog.planar(2).with_beams({"link1": lp.Beam(lp.Rod(40), WEIGHTLESS, end="joint2")}),
         r"link 'link1', beam to 'joint2': it is 1 m long, and its section Rod\(radius=40.0\).*dimensions in m\?"),
        (lambda: lp.catalog.planar(2).with_beams({"link1": lp.Beam(TUBE, WEIGHTLESS, end=(600, 0, 0))}),
         r"it is 600 m long"),
    ],
)
def test_numbers_in_other_units_are_asked_about(make: Any, words: str) -> None:
    with pytest.warns(lp.ModelWarning, match=words):
        make()


def test_bad_names_and_joints_are_refused() -> None:
    robot = lp.catalog.planar(2)
    with pytest.raises(ValueError, match="no link 'lnk2'; did you mean 'link2'"):
        robot.with_beams({"lnk2": BEAM})
    with pytest.raises(ValueError, match="no joint 'joint7'"):
        robot.with_beams(joint_compliance={"joint7": lp.JointCompliance(drive=1.0)})
    with pytest.raises(lp.ModelError, match="joint 'tip_joint' is fixed"):
        robot.with_beams(joint_compliance={"tip_joint": lp.JointCompliance(drive=1.0)})
    with pytest.raises(lp.ModelError, match="joint 'tip_joint' has no single axis"):
        robot.with_beams(joint_compliance={"tip_joint": lp.JointCompliance(tilting=1.0)})
    with pytest.raises(lp.ModelError, match=r"joint 'joint1'.*3 numbers.*expected 1 or 2"):
        robot.with_beams(joint_compliance={"joint1": lp.JointCompliance(tilting=(1.0, 2.0, 3.0))})
    arm = robot.with_beams({"link2": BEAM})
    with pytest.raises(ValueError, match="'warping' is no effect"):
        arm.deflection([0, 0], effects=["warping"])
    with pytest.raises(ValueError, match="axes are 'tool'"):
        arm.deflection([0, 0], axes="tool")
    with pytest.raises(ValueError, match="'sections' is 1"):
        arm.stress([0, 0], sections=1)
    with pytest.raises(ValueError, match="has no beams"):
        robot.with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=1.0)}).stress([0, 0])
    with pytest.raises(lp.ModelError, match=r"link 'link2': stress.* need its extreme_y"):
        bare = lp.Section(1e-3, 1e-7, 1e-7, 2e-7)
        robot.with_beams({"link2": lp.Beam(bare, WEIGHTLESS, end="tip_joint")}).stress([0, 0])


def test_a_link_lighter_than_its_beam_is_told_and_keeps_its_mass() -> None:
    with pytest.warns(lp.ModelWarning, match=r"link 'link1' weighs 1 kg, less than its beam.*2.466"):
        arm = lp.catalog.planar(1).with_beams({"link1": lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")})
    assert arm.link("link1").inertia.mass == 1.0
    assert sum(body.mass for body in skeleton(arm).mechanism.bodies) == pytest.approx(1.0, rel=1e-14)
    mast = lp.Robot("mast", (lp.Link("base"), lp.Link("top")),
                    (lp.Joint("weld", "base", "top", lp.Fixed(), lp.Pose(translation=(1.0, 0.0, 0.0))),))
    beam = {"base": lp.Beam(TUBE, lp.STEEL, end="weld")}
    with pytest.warns(lp.ModelWarning, match="link 'base' weighs 0 kg, less than its beam"):
        assert (mast.with_beams(beam).deflection([]).tip.displacement == 0).all()
    heavy = mast.with_beams(beam, inertia_from_beams=True)
    sag = heavy.deflection([], effects=["bending"]).tip.displacement[2]
    assert_allclose(sag, -9.81 * 7850 * TUBE.area / (8 * 210e9 * TUBE.second_moment_y), rtol=1e-12)


def test_inertia_from_beams_is_that_of_the_prism() -> None:
    bar = lp.Bar(0.04, 0.06)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arm = lp.catalog.planar(1, length=0.8).with_beams(
            {"link1": lp.Beam(bar, lp.ALUMINIUM, end="tip_joint")}, inertia_from_beams=True
        )
    inertia, m = arm.link("link1").inertia, 2700 * 0.04 * 0.06 * 0.8
    assert_allclose(inertia.mass, m, rtol=1e-14)
    assert_allclose(inertia.center_of_mass, (0.4, 0, 0), atol=1e-15)
    # Width along y (world up here), height along z.
    moments = m / 12 * np.array([0.04**2 + 0.06**2, 0.8**2 + 0.06**2, 0.8**2 + 0.04**2])
    assert_allclose(inertia.tensor, np.diag(moments), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("seed", range(4))
def test_the_skeleton_has_the_mass_of_the_links(seed: int) -> None:
    """Whatever is spread and lumped: the same mass, first moments and tensors, so the same wrenches at the joints."""
    from elastic_arms import as_scalars

    from loadpath.formulations import newton_euler

    robot = lp.catalog.random_tree(6, seed) if seed % 2 else lp.catalog.random_chain(5, seed)
    beams = {}
    for joint in robot.joints:
        if joint.parent != robot.base.name and joint.parent not in beams and np.linalg.norm(joint.origin.p) > 1e-3:
            beams[joint.parent] = lp.Beam(lp.Tube(0.02, 0.001), lp.ALUMINIUM, end=joint.name)
    assert beams
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        arm = robot.with_beams(beams)
    rng = np.random.default_rng(seed)
    q = robot.integrate(robot.neutral(), rng.uniform(-1, 1, robot.n))
    qd, qdd = rng.uniform(-1, 1, (2, robot.n))
    force, torque = newton_euler.joint_wrenches(skeleton(arm, 3).mechanism, *map(as_scalars, (q, qd, qdd)))
    rigid = robot.joint_wrenches(q, qd, qdd)
    assert_allclose(force.astype(float), rigid.force, rtol=1e-9, atol=1e-9)
    assert_allclose(torque.astype(float), rigid.torque, rtol=1e-9, atol=1e-9)


def test_what_hangs_on_a_link_is_held_by_the_nearest_section() -> None:
    robot = lp.catalog.planar(1, mass=1.0).with_payload(2.0, (0.3, 0.1, 0.0), link="link1", name="motor")
    arm = robot.with_beams({"link1": lp.Beam(TUBE, WEIGHTLESS, end="tip_joint")})
    EI, w = 200e9 * TUBE.second_moment_y, 9.81
    found = arm.deflection([0.0], effects=["bending"])
    a = 0.3
    deep = 2 * w * a**3 / (3 * EI)  # under the load itself
    middle = 1 * w * a**2 * (3 * 0.5 - a) / (6 * EI)  # the link's own mass, a lump at its middle
    slope = (
        2 * w * a**2 / (2 * EI) + w * (0.5 * a - a**2 / 2) / EI
    )  # the frame at the link's origin turns with the section
    assert_allclose(found["motor"].displacement[2], -(deep + middle) + slope * a, rtol=1e-9)
    tip = 2 * w * a**2 * (3 - a) / (6 * EI) + w * 0.5**2 * (3 - 0.5) / (6 * EI)
    assert_allclose(found["tip"].displacement[2], -tip, rtol=1e-9)
    with pytest.raises(ValueError, match="2 ends"):
        _ = found.tip


def test_random_arms_show_what_they_are() -> None:
    assert "beams: link1, link2, link3" in repr(random_rod_arm())
