"""Meshes and packages are found where ROS, Gazebo and people put them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loadpath.files.assets import Assets
from loadpath.files.opening import open_robot
from loadpath.robot.shapes import MeshShape
from real_robots import REAL_ROBOTS, REFUSED

VARIABLES = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH", "COLCON_PREFIX_PATH", "GAZEBO_MODEL_PATH",
             "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH")


@pytest.fixture(autouse=True)
def no_ros(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)


def put(*paths: Path) -> Path:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("solid a")
    return paths[0]


@pytest.mark.parametrize(
    "uri",
    [
        "package://arm/meshes/a.stl",
        "package:///arm/meshes/a.stl",
        "PACKAGE://arm/meshes/a.stl",
        "model://arm/meshes/a.stl",
        "package://arm/meshes/../meshes/a.stl",
        "../meshes/a.stl",
        "..\\meshes\\a.stl",
        "package://arm\\meshes\\a.stl",
        "../meshes/./a.stl",
        "$(find arm)/meshes/a.stl",
        "package://arm/mesh%65s/a.stl",
    ],
)
def test_by_a_folder_of_that_name_around_the_file(tmp_path: Path, uri: str) -> None:
    mesh = put(tmp_path / "arm" / "meshes" / "a.stl")
    (tmp_path / "arm" / "urdf").mkdir()
    assert Assets.beside(tmp_path / "arm" / "urdf" / "arm.urdf").locate(uri) == str(mesh)


def test_absolute_paths(tmp_path: Path) -> None:
    mesh = put(tmp_path / "my meshes" / "a.stl")
    here = Assets.beside(tmp_path / "arm.urdf")
    for uri in (str(mesh), f"file://{mesh}", f"file://localhost{mesh}", f"file://{str(mesh).replace(' ', '%20')}"):
        assert here.locate(uri) == str(mesh)
    assert Assets().locate(f"file://{mesh}") == str(mesh)
    assert Assets().locate("a.stl") is None  # text has no folder
    assert here.locate("a\x00b.stl") is None and here.locate("") is None and here.locate("package://") is None


def test_beside_the_package_and_by_package_xml(tmp_path: Path) -> None:
    beside = put(tmp_path / "src" / "parts" / "a.stl")
    file = tmp_path / "src" / "arm" / "urdf" / "arm.urdf"
    put(file)
    assert Assets.beside(file).locate("package://parts/a.stl") == str(beside)
    renamed = put(tmp_path / "src" / "arm" / "meshes" / "b.stl")
    (tmp_path / "src" / "arm" / "package.xml").write_text("<package><name> arm_description </name></package>")
    assert Assets.beside(file).locate("package://arm_description/meshes/b.stl") == str(renamed)
    assert Assets.beside(file).package("arm_description") == str(tmp_path / "src" / "arm")
    assert Assets.beside(file).package("nothing") is None
    # A package whose folder has another name, without package.xml.
    assert Assets.beside(file).locate("package://whatever/meshes/b.stl") == str(renamed)


@pytest.mark.parametrize(
    ("variable", "place", "uri"),
    [
        ("ROS_PACKAGE_PATH", "parts", "package://parts/a.stl"),
        ("ROS_PACKAGE_PATH", "repository/parts", "package://parts/a.stl"),
        ("AMENT_PREFIX_PATH", "share/parts", "package://parts/a.stl"),
        ("CMAKE_PREFIX_PATH", "share/parts", "package://parts/a.stl"),
        ("GAZEBO_MODEL_PATH", "parts", "model://parts/a.stl"),
        ("GZ_SIM_RESOURCE_PATH", "parts", "model://parts/a.stl"),
    ],
)
def test_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, place: str, uri: str
) -> None:
    mesh = put(tmp_path / "workspace" / place / "a.stl")
    file = put(tmp_path / "elsewhere" / "arm.urdf")
    assert Assets.beside(file).locate(uri) is None
    monkeypatch.setenv(variable, os.pathsep.join(["/nowhere", str(tmp_path / "workspace")]))
    assert Assets.beside(file).locate(uri) == str(mesh)


def test_folders_that_are_given_come_first(tmp_path: Path) -> None:
    near, far = put(tmp_path / "arm" / "a.stl"), put(tmp_path / "far" / "arm" / "a.stl")
    uri = "package://arm/a.stl"
    assert Assets(tmp_path).locate(uri) == str(near)
    assert Assets(tmp_path, packages=(tmp_path / "far",)).locate(uri) == str(far)
    assert Assets(tmp_path, packages=(tmp_path / "far" / "arm",)).locate(uri) == str(far)
    assert Assets(tmp_path, named_packages={"arm": str(tmp_path / "far" / "arm")}).locate(uri) == str(far)


def test_a_mesh_that_is_missing_keeps_its_name() -> None:
    mesh = Assets().mesh("package://arm/a.stl", scale=(2, 2, 2), purpose="collision")
    assert (mesh.file, mesh.uri, mesh.content, mesh.scale) == ("package://arm/a.stl",) * 2 + (None, (2.0, 2.0, 2.0))


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_meshes_of_real_robots() -> None:
    """All are found but those that one maker left on his own machine."""
    missing, found = set(), 0
    for name in sorted(REAL_ROBOTS.keys() - REFUSED.keys())[::3]:
        for link in open_robot(REAL_ROBOTS[name]).tree.links:
            for shape in link.shapes:
                if isinstance(shape, MeshShape):
                    found += Path(shape.file).is_file()
                    missing |= {shape.uri} if not Path(shape.file).is_file() else set()
    assert found > 500
    assert all(uri.startswith("file:///usr/Romeo/") for uri in missing)
