"""`loadpath convert`: formats by ending and by name, what is lost, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import loadpath as lp
from loadpath.cli import app


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["convert", *map(str, arguments)])


def refused(result: Result, words: str) -> None:
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith("loadpath: ") and result.stderr.count("\n") == 1 and words in result.stderr


def test_there_and_back(tmp_path: Path) -> None:
    first = run("panda", tmp_path / "panda.urdf")
    assert first.exit_code == 0 and "panda.urdf, URDF (" in " ".join(first.stdout.split()) and first.stderr == ""
    assert lp.load(tmp_path / "panda.urdf").joint_names == lp.catalog.panda().joint_names
    assert run(tmp_path / "panda.urdf", tmp_path / "panda.mjcf").exit_code == 0
    again = run(tmp_path / "panda.mjcf", tmp_path / "again.urdf")
    assert again.exit_code == 0
    panda, found = lp.catalog.panda(), lp.load(tmp_path / "again.urdf")
    assert (found.joint_names, found.link_names) == (panda.joint_names, panda.link_names)
    for link, other in zip(found.links, panda.links, strict=True):
        assert abs(link.inertia.at_origin() - other.inertia.at_origin()).max() < 1e-12
    for joint, second in zip(found.joints, panda.joints, strict=True):
        assert abs(joint.origin.matrix - second.origin.matrix).max() < 1e-12 and joint.limits == second.limits


def test_what_is_lost_is_on_stderr_or_in_json(tmp_path: Path) -> None:
    result = run("puma560", tmp_path / "p.urdf")
    assert result.exit_code == 0 and "lost: 'joint1', 'joint2'" in result.stderr
    found = json.loads(run("puma560", tmp_path / "p.urdf", "--json").stdout)
    assert found["format"] == "URDF" and found["robot"] == "puma560" and "rotor inertia" in found["lost"][0]


def test_the_format_by_name_and_standard_output(tmp_path: Path) -> None:
    text = run("planar:2", "-", "--to", "urdf")
    assert text.exit_code == 0 and text.stdout.startswith("<?xml") and "<robot name=" in text.stdout
    (tmp_path / "arm").write_text("old")
    assert run("planar:2", tmp_path / "arm", "--to", "URDF").exit_code == 0
    assert lp.load(tmp_path / "arm").n == 2
    refused(run("planar:2", "-"), "'-' does not say its format: expected a name that ends in .urdf (URDF)")
    refused(run("planar:2", tmp_path / "a.step"), "does not say its format")
    refused(run("planar:2", tmp_path / "a.urdf", "--to", "mjcf"), "ends as files of URDF do, and --to is mjcf")
    refused(run("planar:2", tmp_path / "a.urdf", "--to", "step"), "format 'step' is not known")
    refused(run("planar:2", "-", "--to", "urdf", "--json"), "--json and the robot would both go")


def test_wrong_files(tmp_path: Path) -> None:
    refused(run(tmp_path / "nowhere.urdf", tmp_path / "a.urdf"), "there is no such URDF file")
    refused(run("panda", tmp_path / "nowhere" / "a.urdf"), "there is no folder")
    refused(run("panda", tmp_path / "."), "does not say its format")
    refused(run("lau_rover", tmp_path / "a.urdf"), "is a rover")
    (tmp_path / "bad.urdf").write_text("<robot name='r'><link name='a'/><link name='b'/></robot>")
    refused(run(tmp_path / "bad.urdf", tmp_path / "a.urdf"), "is in pieces")
    assert not (tmp_path / "a.urdf").exists()


def test_xacro_and_strict(tmp_path: Path) -> None:
    text = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="side" default="left"/>'
    (tmp_path / "r.xacro").write_text(text + '<link name="$(arg side)"/></robot>')
    assert run(tmp_path / "r.xacro", tmp_path / "r.urdf", "--xacro", "side=right").exit_code == 0
    assert lp.load(tmp_path / "r.urdf").link_names == ("right",)
    refused(run(tmp_path / "r.xacro", tmp_path / "r.urdf", "--xacro", "side"), "expected 'yes', or a name and a value")
    with pytest.warns(lp.ModelWarning):
        lp.catalog.puma560().to_urdf(tmp_path / "p.urdf")
    refused(run(tmp_path / "p.urdf", tmp_path / "q.urdf", "--strict"), "triangle inequality")


SERVO = """
<mujoco model="servo">
  <worldbody>
    <body name="arm"> <joint name="hip" axis="0 1 0"/> <geom type="capsule" size="0.05 0.2"/> </body>
  </worldbody>
  <actuator> <position name="motor" joint="hip" kp="200"/> </actuator>
  <sensor> <jointpos joint="hip"/> </sensor>
</mujoco>"""


def test_what_of_a_file_was_not_read_is_said(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    (tmp_path / "servo.xml").write_text(SERVO)
    result = run(tmp_path / "servo.xml", tmp_path / "servo.urdf")
    notes = [line for line in result.stderr.splitlines() if line.startswith("note: not read: ")]
    assert result.exit_code == 0 and len(notes) == 3
    assert "actuators 'motor' follow a command" in notes[0] and "contacts" in notes[1] and "1 sensors" in notes[2]
    found = json.loads(run(tmp_path / "servo.xml", tmp_path / "servo.urdf", "--json").stdout)
    assert [f"note: not read: {words}" for words in found["left_out"]] == notes
    assert json.loads(run("panda", tmp_path / "p.urdf", "--json").stdout)["left_out"] == []


def test_what_is_lost_of_many_links_is_one_line(tmp_path: Path) -> None:
    """Forty links that MuJoCo would refuse."""
    result = run("planar:40", tmp_path / "arm.xml")
    assert result.exit_code == 0 and result.stderr.count("\n") == 1 and "and 31 more" in result.stderr


def test_tags_that_are_passed_over_are_listed(tmp_path: Path) -> None:
    link = "<link name='a'><visual><geometry><box size='1 1 1'/></geometry></visual></link>"
    (tmp_path / "a.urdf").write_text(f"<robot name='r'>{link}<gazebo/><gazebo/><transmission name='t'/></robot>")
    said = "left out, as URDF says nothing on the motion by them"
    found = json.loads(run(tmp_path / "a.urdf", tmp_path / "a.sdf", "--json").stdout)
    assert found["left_out"] == [f"2 <gazebo>, 1 <transmission>: {said}"]
    text = (tmp_path / "a.sdf").read_text().replace("</link>", "<sensor name='s' type='imu'/></link>", 1)
    (tmp_path / "b.sdf").write_text(text)
    assert "note: not read: 1 <sensor>: left out, as SDF" in run(tmp_path / "b.sdf", tmp_path / "b.urdf").stderr


def test_no_file_is_written_over_itself(tmp_path: Path) -> None:
    """Through a link neither: what is not read would be gone."""
    text = "<robot name='r'><!-- mine --><link name='a'/><gazebo/></robot>"
    (tmp_path / "a.urdf").write_text(text)
    (tmp_path / "b.urdf").symlink_to(tmp_path / "a.urdf")
    for name in ("a.urdf", "b.urdf"):
        refused(run(tmp_path / "a.urdf", tmp_path / name), "is the file that is read")
    assert (tmp_path / "a.urdf").read_text() == text
