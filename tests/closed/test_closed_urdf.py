"""Loops in URDF: what the two spellings of a loop give, against the same robot made by with_loop and with_coupling."""

from __future__ import annotations

import warnings
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import loadpath as lp
from loadpath.files.urdf.reading import parse_urdf, read_urdf

HERE = Path(__file__).parent / "urdf"
HINGE = lp.Revolute((0, 1, 0))

TREE = """<robot name="two">
  <link name="frame"/>
  <link name="a"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="ja" type="continuous"><parent link="frame"/><child link="a"/><axis xyz="0 0 1"/></joint>
  <joint name="jb" type="continuous"><origin xyz="0.3 0 0"/><parent link="frame"/><child link="b"/>
    <axis xyz="0 0 1"/></joint>
  {}
</robot>"""


def only_loop(text: str) -> lp.Loop:
    (loop,) = read_urdf(TREE.format(text)).loops
    return loop


def plus(kind: str, axis: str = "") -> str:
    return f"""<loop name="k" type="{kind}">
      <predecessor link="a"><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/></predecessor>
      <successor link="b"><origin xyz="-0.1 0 0" rpy="0 0.2 0"/></successor>{axis}</loop>"""


def constraint(kind: str, axes: str = "") -> str:
    return f"""<constraint name="k" type="{kind}"><parent link="a"/><child link="b"/>
      <parent_origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><child_origin xyz="-0.1 0 0" rpy="0 0.2 0"/>{axes}
      </constraint>"""


AT, ON = lp.Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)), lp.Pose.from_xyz_rpy((-0.1, 0, 0), (0, 0.2, 0))


@pytest.mark.parametrize("file", ["four_bar_plus", "four_bar_constraint"])
def test_a_four_bar_is_the_one_made_by_with_loop(file: str) -> None:
    read = lp.load(HERE / f"{file}.urdf")
    assert isinstance(read, lp.ClosedRobot)
    made = read.tree.with_loop("pin", "coupler", "rocker", motion=HINGE, at=(0.3, 0, 0), on=(0.25, 0, 0))
    assert read == (made.with_driven("crank_joint") if file == "four_bar_plus" else made)
    assert (read.mobility, read.driven, read.loop_names) == (1, ("crank_joint",), ("pin",))
    coupler, rocker = (dict(zip(read.link_names, read.link_poses(read.home), strict=True))[k]
                       for k in ("coupler", "rocker"))
    np.testing.assert_allclose(coupler @ [0.3, 0, 0, 1], rocker @ [0.25, 0, 0, 1], atol=1e-11)


def test_a_coupling_counts_all_joints_on_either_side() -> None:
    read = lp.load(HERE / "geared_wrist.urdf")
    assert isinstance(read, lp.ClosedRobot)
    ratios = {"motor_joint": 0.25, "wrist_joint": -1.0, "tool_joint": -1.0}
    assert read == read.tree.with_coupling(ratios, name="belt").with_driven("motor_joint", "tool_joint")


def test_a_coupling_of_a_mimic_is_one_of_what_it_follows() -> None:
    follower = """<link name="c"><inertial><mass value="1"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="jc" type="continuous"><parent link="frame"/><child link="c"/><axis xyz="0 0 1"/>
        <mimic joint="ja" multiplier="-2" offset="0.5"/></joint>
      <coupling name="gear"><predecessor link="c"/><successor link="b"/><ratio value="3"/></coupling>"""
    (coupling,) = read_urdf(TREE.format(follower)).couplings
    # 3 (-2 q_a + 0.5) - q_b = 0
    assert coupling == lp.Coupling("gear", (("ja", -6.0), ("jb", -1.0)), -1.5)


@pytest.mark.parametrize(
    ("text", "motion"),
    [
        (plus("revolute", '<axis xyz="0 2 0"/>'), lp.Revolute((0, 1, 0))),
        (plus("revolute"), lp.Revolute((1, 0, 0))),
        (plus("continuous", '<axis xyz="0 0 1"/>'), lp.Continuous((0, 0, 1))),
        (plus("prismatic", '<axis xyz="0 0 1"/>'), lp.Prismatic((0, 0, 1))),
        (plus("cylindrical", '<axis xyz="0 0 1"/>'), lp.Cylindrical((0, 0, 1))),
        (plus("spherical"), lp.Spherical()),
        (plus("fixed"), lp.Fixed()),
        (constraint("prismatic", '<parent_axis xyz="0 1 0"/><child_axis xyz="0 1 0"/>'), lp.Prismatic((0, 1, 0))),
        (constraint("spherical_joint"), lp.Spherical()),
        (constraint("link"), lp.Fixed()),
    ],
)
def test_types(text: str, motion: lp.Revolute) -> None:
    assert only_loop(text) == lp.Loop("k", "a", "b", motion, AT, ON)


def test_a_planar_loop_slides_across_its_axis() -> None:
    loop = only_loop(plus("planar", '<axis xyz="0 1 0"/>'))
    assert isinstance(loop.motion, lp.Planar)
    np.testing.assert_allclose(loop.at.R[:, 2], AT.R[:, 1], atol=1e-15)
    np.testing.assert_allclose(loop.on.R[:, 2], ON.R[:, 1], atol=1e-15)


@pytest.mark.parametrize(
    ("first", "second"), [((0, 0, 1), (0, 1, 0)), ((1, 0, 0), (1, 0, 0)), ((0, 0.6, 0.8), (1, 1, 0))]
)
def test_axes_of_a_universal_joint_cross_at_right_angles(first: tuple[float, ...], second: tuple[float, ...]) -> None:
    axes = "".join(f'<{tag} xyz="{" ".join(map(str, axis))}"/>'
                   for tag, axis in (("parent_axis", first), ("child_axis", second)))
    loop = only_loop(constraint("universal_joint", axes))
    assert isinstance(loop.motion, lp.Universal)
    b = np.array(second) / np.linalg.norm(second)
    for angles in ((0.0, 0.0), (0.4, -1.1)):
        turn = np.array(loop.motion.placement(np.array(angles))[0].matrix(), dtype=float)
        child = turn @ (loop.on.inverse() @ ON).R  # the axes that the file names, in the parent's
        assert abs(np.array(first) @ child @ b) < 1e-12


def test_plain_files_are_as_they_were_and_closed_ones_no_trees() -> None:
    assert type(lp.load(HERE.parents[1] / "bad_files" / "arm.urdf")) is lp.Robot
    with pytest.raises(lp.ModelError, match=r"has loops or couplings, 'pin', and is no tree: lp\.load reads it"):
        parse_urdf((HERE / "four_bar_plus.urdf").read_text())


def test_links_without_mass_may_be_held_by_a_loop() -> None:
    bare = (HERE / "four_bar_plus.urdf").read_text().replace('<mass value="1.2"/>', '<mass value="0"/>')
    light = bare.replace('ixx="3e-4" iyy="9e-3" izz="9e-3"', 'ixx="0" iyy="0" izz="0"')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = read_urdf(light)
        tree = {part.name: getattr(read.tree, part.name) for part in fields(lp.Robot)}
        robot = lp.ClosedRobot(**{**tree, "loops": read.loops})
        assert robot.tree.link("coupler").inertia.mass == 0.0
    with pytest.warns(lp.ModelWarning, match="link 'coupler': no mass, though joint 'coupler_joint' moves it"):
        read_urdf(light.split("<loop")[0] + "</robot>")
