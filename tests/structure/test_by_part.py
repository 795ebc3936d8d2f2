"""What each beam and compliant joint gives of the tip's displacement: the whole is their sum, each is the arm with that
part alone."""

import numpy as np
import pytest

import loadpath as lp
from loadpath.project.template import outstretched_moments, tube_radius

TUBE = lp.Tube(0.03, 0.003)


def arm():
    """In space, with a compliant joint, a payload off the tip, and one link that is rigid."""
    bare = lp.catalog.panda().with_payload(2.0, center_of_mass=(0.05, 0, 0.1))
    beams = {"panda_link2": lp.Beam(TUBE, lp.STEEL, end="panda_joint3"),
             "panda_link4": lp.Beam(TUBE, lp.ALUMINIUM, end="panda_joint5")}
    joints = {"panda_joint2": lp.JointCompliance(drive=1e5),
              "panda_joint4": lp.JointCompliance(drive=2e4, tilting=1e5)}
    return bare, beams, joints


def test_parts_add_up_and_each_is_the_arm_with_that_part_alone():
    bare, beams, joints = arm()
    states = np.random.default_rng(3).uniform(-1, 1, (3, 5, 7))
    whole = bare.with_beams(beams, joint_compliance=joints)
    sag = whole.deflection(*states)
    found = sag.by_part()
    assert list(found.beams) == list(beams) and list(found.joints) == list(joints)
    scale = np.abs(sag.tip.displacement).max()
    total = sum(found.beams.values()) + sum(found.joints.values())
    assert np.allclose(total, sag.tip.displacement, rtol=0, atol=1e-12 * scale)
    for link, beam in beams.items():
        alone = bare.with_beams({link: beam}).deflection(*states).tip.displacement
        assert np.allclose(found.beams[link], alone, rtol=0, atol=1e-12 * scale)
    for joint, compliance in joints.items():
        alone = bare.with_beams(joint_compliance={joint: compliance}).deflection(*states).tip.displacement
        assert np.allclose(found.joints[joint], alone, rtol=0, atol=1e-12 * scale)
    along = found.along(sag.tip.displacement)
    assert np.allclose(sum(along.values()), np.linalg.norm(sag.tip.displacement, axis=-1))


def test_a_frame_in_the_middle_has_only_what_is_before_it():
    bare, beams, joints = arm()
    sag = bare.with_beams(beams, joint_compliance=joints).deflection(np.full(7, 0.3))
    found = sag.by_part("panda_link3")
    assert list(found.beams) == ["panda_link2"] and list(found.joints) == ["panda_joint2"]
    total = found.beams["panda_link2"] + found.joints["panda_joint2"]
    assert np.allclose(total, sag["panda_link3"].displacement, atol=1e-15)


def test_a_cantilever_by_hand():
    """A clamped link of 1 m under its own end load F: F L^3 / 3 EI."""
    rod = lp.Rod(0.01)
    links = (lp.Link("base"), lp.Link("link1"), lp.Link("tip", lp.Inertia(1.0)))
    joints = (lp.Joint("joint1", "base", "link1", lp.Revolute((0, 1, 0))),
              lp.Joint("tip_joint", "link1", "tip", lp.Fixed(), (1, 0, 0)))
    one = lp.Robot("one", links, joints).with_beams({"link1": lp.Beam(rod, lp.STEEL, end="tip_joint")})
    moved = one.deflection([0.0], effects=["bending"]).by_part().beams["link1"]
    assert moved[2] == pytest.approx(-9.81 / (3 * 210e9 * rod.second_moment_y), rel=1e-9)


def test_what_is_no_sum_is_refused():
    bare, beams, _ = arm()
    with pytest.raises(ValueError, match="without iterate"):
        bare.with_beams(beams).deflection(np.zeros(7), iterate=True).by_part()
    bar = lp.catalog.four_bar()
    stiff = bar.with_beams({"crank": lp.Beam(TUBE, lp.STEEL, end="coupler_joint")})
    with pytest.raises(lp.ModelError, match="loops"):
        stiff.deflection(bar.home).by_part("crank")


def test_guessed_tubes_follow_the_load_not_the_length():
    arm = lp.catalog.planar(3, length=0.5, mass=2.0)
    moments = outstretched_moments(arm, payload=3.0)
    # By hand: of link k the masses beyond at their mass centers, and the payload at the tip.
    g, reach = 9.81, {"link1": 1.5, "link2": 1.0, "link3": 0.5}
    for k, (link, far) in enumerate(reach.items()):
        by_hand = g * (3.0 * far + sum(2.0 * (0.25 + 0.5 * i) for i in range(3 - k)))
        assert moments[link] == pytest.approx(by_hand, rel=1e-9)
    radii = [tube_radius(moments[link], 0.5) for link in reach]
    assert radii[0] > radii[1] > radii[2]
    inertia = np.pi * 0.1 * radii[0] ** 4
    assert moments["link1"] * 0.5**2 / (2 * 70e9 * inertia) <= 0.5 / 1000 * (1 + 1e-9)
