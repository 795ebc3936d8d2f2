"""Files of xacro: macros, arguments, includes and packages without ROS, and what of them is refused."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path

import pytest

import loadpath as lp
from loadpath.files.xacro import refuse_escapes

pytest.importorskip("xacrodoc")

MACRO = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="length" value="0.4"/>
  <xacro:macro name="rod" params="name mass">
    <link name="${name}">
      <visual><geometry><mesh filename="package://arm_description/meshes/rod.stl"/></geometry></visual>
      <inertial> <origin xyz="0 0 ${length / 2}"/> <mass value="${mass}"/>
        <inertia ixx="${mass * length**2 / 12}" iyy="${mass * length**2 / 12}" izz="0.01" ixy="0" ixz="0" iyz="0"/>
      </inertial>
    </link>
  </xacro:macro>
</robot>"""
ARM = """<?xml version="1.0"?>
<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="prefix" default=""/>
  <xacro:arg name="mass" default="3"/>
  <xacro:include filename="$(find arm_description)/urdf/rod.xacro"/>
  <link name="$(arg prefix)base"/>
  <xacro:rod name="$(arg prefix)rod" mass="$(arg mass)"/>
  <joint name="$(arg prefix)hinge" type="continuous">
    <parent link="$(arg prefix)base"/> <child link="$(arg prefix)rod"/> <axis xyz="0 1 0"/>
  </joint>
</robot>"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The folder of a ROS package with an arm, named otherwise, as that of a repository."""
    root = tmp_path / "arm-ros2-main"
    for name, content in (
        ("package.xml", "<package> <name>arm_description</name> </package>"),
        ("urdf/rod.xacro", MACRO),
        ("urdf/arm.urdf.xacro", ARM),
        ("meshes/rod.stl", "solid rod"),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


def test_macros_arguments_includes_and_meshes(package: Path) -> None:
    file = package / "urdf" / "arm.urdf.xacro"
    robot = lp.load(file)
    rod = robot.link("rod")
    assert rod.inertia.mass == 3.0 and rod.inertia.center_of_mass == (0.0, 0.0, 0.2)
    assert rod.inertia.tensor[0][0] == pytest.approx(3 * 0.4**2 / 12, rel=1e-12)
    (shape,) = rod.shapes
    assert isinstance(shape, lp.MeshShape) and shape.file == str(package / "meshes" / "rod.stl")
    left = lp.load(file, xacro_arguments={"prefix": "left_", "mass": 2.5})
    assert left.link_names == ("left_base", "left_rod") and left.link("left_rod").inertia.mass == 2.5


def test_a_urdf_with_elements_of_xacro(package: Path) -> None:
    file = package / "urdf" / "arm.urdf"
    file.write_text(ARM)
    assert lp.load(file, xacro_arguments={"prefix": "a_"}).name == "arm"
    file.write_text("<robot name='plain'><!-- <xacro:arg name='x'/> --><link name='base'/></robot>")
    assert lp.load(file).name == "plain"
    with pytest.raises(ValueError, match="is not xacro: it takes no xacro_arguments"):
        lp.load(file, xacro_arguments={"prefix": "a_"})


def test_includes_from_the_folder_of_the_file(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = package / "urdf" / "arm.xacro"
    file.write_text(ARM.replace("$(find arm_description)/urdf/", ""))
    monkeypatch.chdir("/")
    assert lp.load(file).n == 1


def test_packages_are_told(package: Path, tmp_path: Path) -> None:
    lone = tmp_path / "elsewhere" / "arm.xacro"
    lone.parent.mkdir()
    lone.write_text(ARM)
    with pytest.raises(lp.ModelError, match=r"arm\.xacro: xacro: package 'arm_description' is not found"):
        lp.load(lone)
    assert lp.load(lone, package_paths=[package]).n == 1
    by_name = lp.load(lone, package_paths={"arm_description": package})
    (shape,) = by_name.link("rod").shapes
    assert isinstance(shape, lp.MeshShape) and Path(shape.file).is_file()
    with pytest.raises(ValueError, match=r"package_paths is .*: expected several folders"):
        lp.load(lone, package_paths=str(package))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('mass="$(arg mass)"', "", "Undefined parameters [mass]"),
        ("rod.xacro", "rood.xacro", "No such file or directory: "),
        ("$(arg prefix)base", "${nothing}", "name 'nothing' is not defined when evaluating expression 'nothing'"),
        ("$(arg prefix)base", "${1 / 0}", "division by zero"),
        ("$(arg prefix)base", "$(arg nothing)", "nothing"),
        ("</robot>", "<xacro:rood/></robot>", "rood"),
        ('<link name="$(arg prefix)base"/>', "<link/>", "(as xacro makes it), line"),
        ('xmlns:xacro="http://www.ros.org/wiki/xacro"', "", "unbound prefix"),
        ("<robot", "<!DOCTYPE r [<!ENTITY a 'b'>]><robot", "entity 'a' is defined here"),
        ("</robot>", "", "not well-formed XML"),
        ("</robot>", '<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/></robot>', "maximum recursion depth"),
    ],
)
def test_errors_name_the_file_and_what_xacro_said(package: Path, old: str, new: str, words: str) -> None:
    file = package / "urdf" / "arm.urdf.xacro"
    assert old in ARM
    file.write_text(ARM.replace(old, new, 1))
    with pytest.raises(lp.ModelError) as caught:
        lp.load(file)
    assert str(caught.value).startswith(str(file)) and words in str(caught.value), str(caught.value)
    file.write_text(ARM)
    assert lp.load(file).n == 1  # nothing of the error stays in xacro


def test_arguments_that_nobody_asks_for(package: Path) -> None:
    file = package / "urdf" / "arm.urdf.xacro"
    with pytest.raises(ValueError, match=r"has 'prefx', which the file does not ask for; it asks for 'mass', 'prefix'"):
        lp.load(file, xacro_arguments={"prefx": "a"})
    with pytest.raises(ValueError, match=r"expected names with texts or numbers"):
        lp.load(file, xacro_arguments={"prefix": ["a"]})


def test_without_xacrodoc(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacrodoc", None)
    with pytest.raises(lp.ModelError, match=r"takes xacrodoc: pip install 'loadpath\[xacro\]'"):
        lp.load(package / "urdf" / "arm.urdf.xacro")


ESCAPES = [
    "().__class__.__base__.__subclasses__()",
    "[x.__class__ for x in (1,)]",
    "(lambda: 1).__globals__",
    "(x for x in (1,)).gi_frame.f_back.f_builtins",
    "python.vars(python.type(python.type(1)))",
    "__import__('os').system('true')",
]


@pytest.mark.parametrize("expression", ESCAPES)
def test_ways_out_of_the_sandbox_are_refused(package: Path, expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[object] = []
    imported = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", lambda name, *a, **k: (ran.append(name), imported(name, *a, **k))[1])
    with pytest.raises(lp.ModelError, match="refused"):
        refuse_escapes(expression)
    text = '<robot name="${x}" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="a"/></robot>'
    (package / "bad.xacro").write_text(text.replace("x}", expression.replace("'", "&apos;") + "}"))
    with pytest.raises(lp.ModelError, match=r"bad\.xacro: xacro: the expression .* refused"):
        lp.load(package / "bad.xacro")
    assert "os" not in ran or "system" not in expression


def test_sound_expressions_are_not_refused() -> None:
    for expression in ("2 * pi * radius", "props.f_mass + a['b']", "xacro.load_yaml('a.yaml')", "1 +"):
        refuse_escapes(expression)
