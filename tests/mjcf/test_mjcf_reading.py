"""What is read from MJCF, by hand: names, limits, drives, zero offsets, frames, switched-off parts."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from mjcf_texts import ARM, FREE_BODIES, SEVERAL_JOINTS

import loadpath as lp
from loadpath.api.robot import as_robot
from loadpath.files.assets import Assets
from loadpath.files.mjcf import read_mjcf
from loadpath.robot.joints import Continuous, Fixed, Free, Prismatic, Revolute, Spherical, Translational


def test_names_are_kept_and_the_world_is_the_base() -> None:
    tree = read_mjcf(ARM).tree
    assert tree.name == "arm"
    assert tree.link_names == ("world", "base", "shoulder", "upper", "fore", "hand", "tool", "tip")
    assert tree.joint_names == ("base_weld", "pan", "lift", "slide", "wrist", "tool_weld", "tip_weld")
    assert tree.gravity == (0.3, -0.2, -9.7)


def test_limits_drives_and_springs() -> None:
    tree = read_mjcf(ARM).tree
    pan, lift, slide, wrist = (tree.joint(name) for name in ("pan", "lift", "slide", "wrist"))
    assert isinstance(pan.motion, Revolute) and pan.limits[0].lower == pytest.approx(math.radians(-120))
    assert pan.limits[0].effort == 100.0  # gear 50 times a control of 2
    assert lift.limits[0].effort == 30.0 and isinstance(lift.motion, Continuous)
    assert pan.motion.zero == pytest.approx(-math.radians(15))
    (spring,) = lift.springs[0]
    assert isinstance(spring, lp.TorsionSpring)
    assert spring.stiffness == 12.0 and spring.rest == pytest.approx(math.radians(30))
    assert isinstance(slide.motion, Prismatic) and (slide.limits[0].lower, slide.limits[0].upper) == (-0.1, 0.5)
    assert isinstance(wrist.motion, Spherical) and wrist.armature == (0.01,) * 3
    assert pan.armature == (0.8,) and pan.viscous_friction == (0.4,) and pan.coulomb_friction == (0.3,)


def test_inertias_of_plates_are_read_as_they_are() -> None:
    """Of a thin plate one moment is the sum of the others, which MuJoCo refuses: numbers by hand, about turned axes."""
    c, s = math.cos(0.4), math.sin(0.4)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    tensor = turn @ np.diag([0.01, 0.03, 0.02]) @ turn.T
    whole = " ".join(repr(float(tensor[place])) for place in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    text = f"""<mujoco><worldbody>
      <body name="turned"><joint name="a"/>
        <inertial pos="0.1 0 0" quat="0.5 0.5 0.5 0.5" mass="2" diaginertia="0.01 0.02 0.03"/>
        <body name="whole"><joint name="b"/><inertial pos="0 0.2 0" mass="3" fullinertia="{whole}"/></body>
        <body name="usual"><joint name="c"/><inertial pos="0 0 0" mass="4" diaginertia="0.02 0.03 0.04"/></body>
      </body></worldbody></mujoco>"""
    links = {link.name: link.inertia for link in read_mjcf(text).tree.links}
    # Its x axis lies along y of the body, its y along z, its z along x.
    np.testing.assert_allclose(links["turned"].tensor, np.diag([0.03, 0.01, 0.02]), atol=1e-15)
    np.testing.assert_allclose(links["whole"].tensor, tensor, atol=1e-15)
    np.testing.assert_allclose(links["usual"].tensor, np.diag([0.02, 0.03, 0.04]), atol=1e-15)
    assert [links[name].mass for name in ("turned", "whole", "usual")] == [2.0, 3.0, 4.0]
    assert links["turned"].center_of_mass == pytest.approx((0.1, 0.0, 0.0))


def test_several_joints_of_one_body_are_a_chain_without_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot = as_robot(read_mjcf(SEVERAL_JOINTS).tree)
        lighter = robot.with_gravity((0, 0, -1.6))
    assert lighter.joint_names == ("x", "z", "pitch", "hip_a", "hip_b", "hip_c", "way", "foot_slide", "ankle")
    assert "cart.x" in robot.link_names and robot.link("cart").inertia.mass == pytest.approx(5.0)
    assert robot.joint("pitch").origin.translation == pytest.approx((0.1, 0.0, -0.2))


def test_the_wrench_is_the_same_before_and_after_a_massless_link() -> None:
    robot = as_robot(read_mjcf(SEVERAL_JOINTS).tree)
    q = robot.neutral()
    force = robot.joint_wrenches(q, np.zeros(robot.n), np.zeros(robot.n)).force
    first, last = (np.linalg.norm(force[robot.joint_names.index(name)]) for name in ("x", "pitch"))
    assert first == pytest.approx(last, rel=1e-12)
    assert first == pytest.approx(7.5 * 9.81, rel=1e-12)


def test_free_bodies_stand_beside_one_another() -> None:
    tree = read_mjcf(FREE_BODIES).tree
    assert isinstance(tree.joint("root").motion, Free)
    # Friction of a free body acts along the axes of the world: a slide in these, and a ball.
    assert isinstance(tree.joint("loose").motion, Translational)
    assert isinstance(tree.joint("loose.turn").motion, Spherical)
    assert tree.joint("loose").coulomb_friction == (0.1,) * 3 and tree.joint("loose.turn").armature == (0.2,) * 3
    assert isinstance(tree.joint("post_weld").motion, Fixed)
    assert "body4" in tree.link_names and "body4_hinge" in tree.joint_names  # without names in the file


def test_what_is_left_out_is_noted() -> None:
    notes = " ".join(read_mjcf(ARM).notes)
    assert "controllers are no part of the robot" in notes and "contacts" in notes


def test_sites_that_nothing_uses_are_frames() -> None:
    text = ARM.replace("</worldbody>", "</worldbody><sensor><force site='tip'/></sensor>")
    assert "tip" not in read_mjcf(text).tree.link_names
    robot = as_robot(read_mjcf(ARM).tree)
    hand = robot.link_poses(robot.neutral())[robot.link_names.index("hand")]
    tip = robot.link_poses(robot.neutral())[robot.link_names.index("tip")]
    np.testing.assert_allclose(tip, hand @ lp.Pose(translation=(0.12, 0.0, 0.01)).matrix, atol=1e-15)


def test_joints_that_follow_others() -> None:
    text = """
    <mujoco><compiler angle="radian"/><worldbody>
      <body name="a"><joint name="a" ref="0.1"/><geom size="0.1"/></body>
      <body name="b" pos="1 0 0"><joint name="b" ref="0.2"/><geom size="0.1"/></body>
      <body name="c" pos="2 0 0"><joint name="c"/><geom size="0.1"/></body>
    </worldbody>
    <equality><joint joint1="b" joint2="a" polycoef="0.3 -2 0 0 0"/><joint joint1="c" polycoef="0.7 0 0 0 0"/>
    </equality></mujoco>"""
    tree = read_mjcf(text).tree
    # q_b - 0.2 = 0.3 - 2 (q_a - 0.1)
    assert tree.joint("b").mimic == lp.Mimic("a", -2.0, 0.2 + 0.3 + 2 * 0.1)
    assert isinstance(tree.joint("c").motion, Fixed) and tree.n == 1
    assert tree.joint("c").origin.R[1, 1] == pytest.approx(math.cos(0.7))


def test_what_follows_a_held_joint_is_held() -> None:
    text = """
    <mujoco><compiler angle="radian"/><worldbody>
      <body name="a"><joint name="a"/><geom size="0.1"/></body>
      <body name="b" pos="1 0 0"><joint name="b"/><geom size="0.1"/></body>
      <body name="c" pos="2 0 0"><joint name="c"/><geom size="0.1"/></body>
    </worldbody>
    <equality><joint joint1="c" joint2="b" polycoef="0 3 0 0 0"/><joint joint1="b" joint2="a" polycoef="0.1 2 0 0 0"/>
      <joint joint1="a" polycoef="0.2 0 0 0 0"/></equality></mujoco>"""
    tree = read_mjcf(text).tree
    assert tree.n == 0
    for name, angle in (("a", 0.2), ("b", 0.5), ("c", 1.5)):
        assert tree.joint(name).origin.R[1, 1] == pytest.approx(math.cos(angle), abs=1e-15)
    twice = text.replace('joint1="a" polycoef', 'joint1="c" polycoef')
    with pytest.raises(lp.ModelError, match="joint 'c' is held by one equality and follows joint 'b' by another"):
        read_mjcf(twice)


def test_inertias_that_no_body_has_are_kept_with_a_warning() -> None:
    text = """<mujoco><worldbody><body name="arm"><joint name="j"/>
      <inertial mass="1" pos="0 0 0.1" diaginertia="0.1 0.1 0.9"/></body></worldbody></mujoco>"""
    with pytest.warns(lp.ModelWarning, match=r"arm.xml: link 'arm': triangle inequality .* 0.1 \+ 0.1 < 0.9"):
        tree = read_mjcf(text, "arm.xml").tree
    assert np.diag(tree.link("arm").inertia.tensor).tolist() == [0.1, 0.1, 0.9]
    with pytest.raises(lp.ModelError, match="triangle inequality"):
        read_mjcf(text, "arm.xml", strict=True)


def test_files_that_include_others(tmp_path: Path) -> None:
    part = """<mujocoinclude><body name="arm"><joint name="j"/><geom size="0.1" mass="1"/></body></mujocoinclude>"""
    main = """<mujoco><worldbody><include file="parts/arm.xml"/></worldbody></mujoco>"""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.xml").write_text(part)
    path = tmp_path / "main.xml"
    path.write_text(main)
    assert read_mjcf(main, str(path), assets=Assets.beside(path)).tree.joint_names == ("j",)
    # Text that is in no file, as of a compressed one, finds what lies around it; an archive its own members.
    assert read_mjcf(main, "main.xml.gz", assets=Assets.beside(path)).tree.joint_names == ("j",)
    archive = Assets(members={"robot/main.xml": main.encode(), "robot/parts/arm.xml": part.encode()}, inside="robot")
    assert read_mjcf(main, "robot.zip", assets=archive).tree.joint_names == ("j",)


def test_models_that_are_attached_and_copied(tmp_path: Path) -> None:
    (tmp_path / "arms").mkdir()
    arm = """<mujoco model="sub"><compiler meshdir="shapes"/><asset><mesh name="m" file="gone.stl"/></asset><worldbody>
      <body name="arm"><joint name="j"/><inertial mass="1" pos="0 0 1" diaginertia="1 1 1"/><geom type="mesh" mesh="m"/>
      </body></worldbody></mujoco>"""
    (tmp_path / "arms" / "arm.xml").write_text(arm)
    main = """<mujoco><asset><model name="sub" file="arms/arm.xml"/></asset><worldbody>
      <frame pos="1 0 0"><attach model="sub" body="arm" prefix="left_"/></frame>
      <replicate count="3" offset="0 1 0"><body name="post"><joint name="p"/><geom size="0.1"/></body></replicate>
    </worldbody></mujoco>"""
    path = tmp_path / "main.xml"
    path.write_text(main)
    with pytest.warns(lp.ModelWarning, match=r"gone.stl' are not there"):
        robot = lp.load(path)
    assert robot.joint_names == ("left_j", "p0", "p1", "p2")
    assert robot.joint("left_j").origin.translation == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "utf-8-sig"])
def test_encodings_that_mujoco_does_not_know(encoding: str) -> None:
    text = ARM.strip().replace("<mujoco", "<!-- é --><mujoco", 1)
    named = "" if encoding == "utf-8-sig" else f" encoding='{encoding}'"
    data = f"<?xml version='1.0'{named}?>\r\n{text}".encode(encoding)
    assert read_mjcf(data).tree == read_mjcf(ARM).tree
    renamed = data.decode(encoding).replace("fore", "förder").encode(encoding)
    assert "förder" in read_mjcf(renamed).tree.link_names


@pytest.mark.parametrize(("contype", "said"), [("1", True), ("0", False)])
def test_contacts_are_left_out_with_a_note_only_where_there_can_be_any(contype: str, said: bool) -> None:
    geom = f'<geom size="0.1" contype="{contype}" conaffinity="1"/>'
    notes = read_mjcf(f'<mujoco><worldbody><body name="b"><joint/>{geom}</body></worldbody></mujoco>').notes
    assert any(note.startswith("contacts: left out") for note in notes) == said
