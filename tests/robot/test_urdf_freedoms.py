"""Joints of chosen freedoms in URDF files: what is read, and what an error says."""

from __future__ import annotations

from pathlib import Path

import pytest

import loadpath as lp

BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def load(folder: Path, inside: str, kind: str = "generalized", more: str = "") -> lp.Robot:
    file = folder / "arm.urdf"
    file.write_text(f'''<robot name="arm"> <link name="base"/> <link name="a">{BODY}</link> <link name="b">{BODY}</link>
<joint name="hinge" type="continuous"> <parent link="base"/> <child link="b"/> <axis xyz="0 0 1"/> </joint>
<joint name="shoulder" type="{kind}"> <parent link="base"/> <child link="a"/> <origin xyz="0 0.3 0"/>
{inside}
</joint> {more} </robot>''')
    return lp.load(file)


def test_freedoms_with_limits_and_friction(tmp_path: Path) -> None:
    robot = load(tmp_path, """
      <freedom value="ry"> <limit lower="-1" upper="2" velocity="3" effort="4"/> <dynamics friction="6"/> </freedom>
      <freedom type="slide" xyz="-2 0 0"> <dynamics damping="5"/> </freedom>""")
    joint = robot.joint("shoulder")
    assert joint.motion == lp.Generalized(("ry", "-x"))
    assert joint.origin.translation == (0.0, 0.3, 0.0)
    assert joint.limits == (lp.Limits(-1.0, 2.0, 3.0, 4.0), lp.Limits())
    assert (joint.viscous_friction, joint.coulomb_friction) == ((0.0, 5.0), (6.0, 0.0))
    assert robot.dof_names == ("hinge", "shoulder.ry", "shoulder.x")


def test_a_loop_of_chosen_freedoms(tmp_path: Path) -> None:
    loop = ('<loop name="slot" type="generalized"> <predecessor link="a"/> <successor link="b"/> '
            '<freedom value="rz"/> <freedom value="x"/> </loop>')
    robot = load(tmp_path, '<freedom value="rz"/>', more=loop)
    assert robot.loops[0].motion == lp.Generalized(("rz", "x"))
    with pytest.raises(lp.ModelError, match="neither limits nor friction"):
        load(tmp_path, '<freedom value="rz"/>',
             more=loop.replace('"x"/>', '"x"> <dynamics damping="1"/> </freedom>'))


@pytest.mark.parametrize(
    ("inside", "line", "words"),
    [
        ("", 3, "needs a <freedom> for each way in which it moves"),
        ('<freedom value="yaw"/>', 4, "'yaw' is not one: expected 'rx', 'ry'"),
        ('<freedom value="rz x"/>', 4, "'rz x' is not one"),
        ('<freedom value="x"/> <freedom value="rz"/>', 3, "write ('rz', 'x')"),
        ('<freedom value="rz"/> <freedom value="-rz"/>', 3, "depend on each other"),
        ('<axis xyz="0 0 1"/> <freedom value="rz"/>', 4, "has no <axis>"),
        ('<limit velocity="1" effort="1"/> <freedom value="rz"/>', 4, "write it into the <freedom>"),
        ('<dynamics damping="1"/> <freedom value="rz"/>', 4, "write it into the <freedom>"),
        ('<mimic joint="hinge"/> <freedom value="rz"/> <freedom value="x"/>', 4, "with one freedom can follow"),
        ('<freedom type="twist" xyz="0 0 1"/>', 4, "has the type 'twist'"),
        ('<freedom type="turn" xyz="0 0 0"/>', 4, "not a zero vector"),
        ('<freedom type="turn"/>', 4, "no attribute 'xyz'"),
        ('<freedom value="rz" type="turn"/>', 4, "both value and type"),
        ("<freedom/>", 4, "neither value nor type"),
        ('<fredom value="rz"/>', 4, "did you mean <freedom>?"),
        ('<freedom value="rz"> <dynamics damping="-1"/> </freedom>', 4, "damping is -1"),
        ('<freedom value="rz"> <limit lower="2" upper="1" velocity="1" effort="1"/> </freedom>', 4, "lower limit 2"),
    ],
)
def test_errors_name_file_line_joint_and_value(tmp_path: Path, inside: str, line: int, words: str) -> None:
    with pytest.raises(lp.ModelError) as caught:
        load(tmp_path, inside)
    assert f"arm.urdf, line {line}: joint 'shoulder'" in str(caught.value)
    assert words in str(caught.value)


def test_a_freedom_in_another_joint_would_not_count(tmp_path: Path) -> None:
    with pytest.raises(lp.ModelError, match="<freedom> belongs to a joint of the type 'generalized'"):
        load(tmp_path, '<axis xyz="0 0 1"/> <freedom value="rz"/>', kind="continuous")
    with pytest.raises(lp.ModelError, match="point_on_plane, generalized"):
        load(tmp_path, "", kind="hinge")
