"""MJCF that is refused: broken, hostile, or with parts that move the model and have no counterpart; each by name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import loadpath as lp
from loadpath.files.assets import Assets
from loadpath.files.mjcf import read_mjcf

BODY = """<body name="b"><joint name="j"/><geom size="0.1"/><site name="s"/></body>"""


def model(inside: str = BODY, after: str = "", before: str = "") -> str:
    return f"<mujoco>{before}<worldbody>{inside}</worldbody>{after}</mujoco>"


TENDON = """<tendon><spatial name="cable" {}><site site="s"/><site site="t"/></spatial></tendon>"""
TWO = BODY + """<body name="c" pos="0 0 1"><joint name="k"/><geom size="0.1"/><site name="t"/></body>"""
CASES = {
    "fluid": (model(before='<option density="1.2"/>'), "a fluid of density 1.2"),
    "gravcomp": (model(BODY.replace('name="b"', 'name="b" gravcomp="1"')), "gravcomp of body 'b' takes gravity off"),
    "spring of a ball": (
        model(BODY.replace('name="j"', 'name="j" type="ball" stiffness="2"')),
        "joint 'j': stiffness 2 of a ball",
    ),
    "spring of a tendon": (model(TWO, TENDON.format('stiffness="5"')), "tendon 'cable' has stiffness"),
    "damping of a tendon": (model(TWO, TENDON.format('damping="5"')), "tendon 'cable' has damping"),
    "cable": (
        model(TWO, TENDON.format("") + "<actuator><motor name='pull' tendon='cable'/></actuator>"),
        "actuators 'pull' pull on cables",
    ),
    "muscle": (
        model(TWO, "<actuator><muscle name='biceps' joint='j' lengthrange='0 1'/></actuator>"),
        "muscles 'biceps' pull on the links",
    ),
    "polynomial": (
        model(TWO, "<equality><joint name='cam' joint1='j' joint2='k' polycoef='0 1 0.5 0 0'/></equality>"),
        "equality 'cam': polycoef is 0 1 0.5 0 0",
    ),
    "mocap": (
        model(
            BODY + "<body name='hand' mocap='true'/>", "<equality><weld name='grip' body1='b' body2='hand'/></equality>"
        ),
        "equality 'grip': it ties the model to mocap body 'hand'",
    ),
    "flex": (
        model(
            BODY
            + "<flexcomp name='cloth' type='grid' count='3 3 1' spacing='0.1 0.1 0.1' radius='0.01' dim='2' mass='1'/>"
        ),
        "deformable body",
    ),
    "no mass": (
        model("<body name='b'><joint/></body>"),
        "MuJoCo's compiler refuses it: mass and inertia of moving bodies",
    ),
    "unknown word": (model("<body name='b'><joynt/></body>"), "arm.xml, line 1: MuJoCo's compiler refuses it: .*joynt"),
    "broken": ("<mujoco><worldbody></mujoco>", "arm.xml, line 1: not well-formed XML"),
    "entities": ("<!DOCTYPE m [<!ENTITY a 'b'>]><mujoco/>", "XML entities and external references are refused"),
    "empty": ("", "the file is empty"),
    "URDF": ("<robot name='r'><link name='a'/></robot>", r"the root element is <robot> \(this is URDF\)"),
    "copies": (
        model(f"<replicate count='1000'><replicate count='1000'>{BODY}</replicate></replicate>"),
        "makes more than",
    ),
    "sizes": (model(before="<size nuser_body='999999999'/>"), "which no robot needs"),
    "include of a text": (model("<include file='other.xml'/>"), "a text alone includes no files"),
}


@pytest.mark.parametrize("name", CASES)
def test_refused_with_a_reason(name: str) -> None:
    text, reason = CASES[name]
    with pytest.raises(lp.ModelError, match=reason) as caught:
        read_mjcf(text, "arm.xml")
    assert str(caught.value).startswith("arm.xml")


def test_springs_and_damping_that_are_not_linear() -> None:
    text = model(BODY.replace('name="j"', 'name="j" stiffness="2 1"'))
    with pytest.raises(lp.ModelError, match=r"MuJoCo's compiler refuses it|not linear"):
        read_mjcf(text, "arm.xml")


def test_everything_that_is_wrong_is_named_at_once() -> None:
    text = model(BODY.replace('name="b"', 'name="b" gravcomp="0.5"'), before='<option viscosity="0.1"/>')
    with pytest.raises(lp.ModelError, match=r"(?s)fluid.*gravcomp"):
        read_mjcf(text, "arm.xml")


def test_constraints_that_are_off_are_left_out_with_a_word() -> None:
    text = model(TWO, "<equality><weld name='later' body1='b' body2='c' active='false'/></equality>")
    with pytest.warns(lp.ModelWarning, match="equality 'later' is switched off"):
        assert not read_mjcf(text, "arm.xml").loops


MESHED = """<mujoco><asset><mesh name="shell" file="shell.stl"/></asset><worldbody><body name="arm"><joint name="j"/>
  {}<geom type="mesh" mesh="shell" pos="0.1 0 0" euler="0 0 90" contype="0" conaffinity="0"/></body>
  </worldbody></mujoco>"""


def test_a_missing_mesh_is_a_warning_where_the_inertia_is_given() -> None:
    text = MESHED.format('<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>')
    with pytest.warns(lp.ModelWarning, match=r"arm.xml: meshes 'shell.stl' are not there"):
        tree = read_mjcf(text, "arm.xml").tree
    (shape,) = tree.link("arm").shapes
    assert isinstance(shape, lp.MeshShape) and shape.file == "shell.stl"
    assert shape.pose.translation == (0.1, 0.0, 0.0) and abs(shape.pose.R[1, 0] - 1) < 1e-15


def test_a_missing_mesh_is_an_error_where_the_inertia_comes_from_it() -> None:
    with pytest.raises(
        lp.ModelError, match=r"body 'arm': its inertia comes from the mesh 'shell.stl', which is not there"
    ):
        read_mjcf(MESHED.format(""), "arm.xml")


def test_circles_of_includes(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.xml").write_text(f"<mujoco><include file='{other}.xml'/></mujoco>")
    path = tmp_path / "a.xml"
    with pytest.raises(lp.ModelError, match="includes itself"):
        read_mjcf(path.read_bytes(), str(path), assets=Assets.beside(path))


def test_without_mujoco(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mujoco", None)
    with pytest.raises(ImportError, match=re.escape("pip install loadpath[mjcf]")):
        read_mjcf(model())


def test_what_mujoco_would_print_is_a_warning_and_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.warns(lp.ModelWarning, match="MuJoCo: XML contains a 'NaN'"):
        read_mjcf(model(BODY.replace('size="0.1"', 'size="0.1" margin="nan"')), "arm.xml")
    assert not list(tmp_path.iterdir()) and not capfd.readouterr().err


def test_files_that_include_others_twice_each(tmp_path: Path) -> None:
    """Two to the power of the depth of them would be read."""
    for k in range(30):
        (tmp_path / f"{k}.xml").write_text(
            f"<mujoco><include file='{k + 1}.xml'/><include file='{k + 1}.xml'/></mujoco>"
        )
    (tmp_path / "30.xml").write_text("<mujoco/>")
    path = tmp_path / "0.xml"
    with pytest.raises(lp.ModelError, match="put together from more than 500 files"):
        read_mjcf(path.read_bytes(), str(path), assets=Assets.beside(path))
