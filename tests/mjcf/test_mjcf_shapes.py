"""Geoms as shapes of links: where MuJoCo has every vertex, in the frame of the mesh's own file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import loadpath as lp
from loadpath.files.assets import Assets
from loadpath.files.mjcf import read_mjcf

VERTICES = np.array([[0.1, 0.2, 0.3], [1.3, 0.1, 0.2], [0.2, 0.9, 0.1], [0.3, 0.2, 1.7]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
OBJ = "".join(f"v {x} {y} {z}\n" for x, y, z in VERTICES) + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in FACES)
INERTIAL = '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
BODY = """
<mujoco><compiler meshdir="meshes"/>
<asset><mesh name="part" {} {}/></asset>
<worldbody><body name="arm" pos="1 2 3" euler="20 30 40"><joint name="j" axis="0 1 0"/>{}
<geom type="mesh" mesh="part" pos="0.1 0.2 0.3" euler="10 50 20" rgba="1 0 0 0.5"/></body></worldbody></mujoco>"""
WAYS = {
    "plain": "",
    "scaled": 'scale="0.1 0.2 -0.3"',
    "moved": 'refpos="0.1 -0.2 0.3"',
    "moved and turned": 'refpos="0.1 -0.2 0.3" refquat="0.6 0.2 -0.5 0.4" scale="2 2 2"',
    "moved, turned, scaled by axis": 'refpos="0.1 -0.2 0.3" refquat="0.6 0.2 -0.5 0.4" scale="2 1 3"',
}


def in_mujoco(path: Path) -> np.ndarray:
    """Vertices of the model's one mesh, in the world, sorted."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.qpos[:] = 0.7
    mujoco.mj_forward(model, data)
    geom = int(np.flatnonzero(model.geom_type == int(mujoco.mjtGeom.mjGEOM_MESH))[0])
    found = data.geom_xpos[geom] + model.mesh_vert @ data.geom_xmat[geom].reshape(3, 3).T
    return _sorted(found)


def here(robot: lp.Robot) -> np.ndarray:
    """The same from the shape and the file that it names."""
    (shape,) = (shape for shape in robot.link("arm").shapes if shape.purpose == "visual")
    assert isinstance(shape, lp.MeshShape)
    text = shape.content.decode() if shape.content is not None else Path(shape.file).read_text()
    rows = [line.split()[1:] for line in text.splitlines() if line.startswith("v ")]
    vertices = np.array(rows, dtype=float) * shape.scale
    pose = robot.link_poses([0.7])[robot.link_names.index("arm")] @ shape.pose.matrix
    return _sorted(vertices @ pose[:3, :3].T + pose[:3, 3])


def _sorted(points: np.ndarray) -> np.ndarray:
    return points[np.lexsort(points.round(5).T)]


def files(folder: Path, **parts: Any) -> Path:
    (folder / "meshes").mkdir()
    (folder / "meshes" / "part.obj").write_text(OBJ)
    path = folder / "robot.xml"
    path.write_text(BODY.format(*parts.values()))
    return path


@pytest.mark.parametrize("inertial", [INERTIAL, ""], ids=["not read for its inertia", "read for its inertia"])
@pytest.mark.parametrize("way", WAYS)
def test_meshes_are_where_mujoco_has_them(tmp_path: Path, way: str, inertial: str) -> None:
    path = files(tmp_path, file='file="part.obj"', way=WAYS[way], inertial=inertial)
    robot = lp.load(path)
    np.testing.assert_allclose(here(robot), in_mujoco(path), atol=2e-6)  # MuJoCo has them in single precision
    (shape,) = (shape for shape in robot.link("arm").shapes if shape.purpose == "visual")
    assert shape.color == pytest.approx((1.0, 0.0, 0.0, 0.5), abs=1e-6)


def test_meshes_given_by_numbers_come_as_content(tmp_path: Path) -> None:
    numbers = f'vertex="{" ".join(map(str, VERTICES.ravel()))}" face="{" ".join(map(str, FACES.ravel()))}"'
    path = files(tmp_path, file=numbers, way="", inertial=INERTIAL)
    np.testing.assert_allclose(here(lp.load(path)), in_mujoco(path), atol=2e-6)


@pytest.mark.parametrize("inertial", [INERTIAL, ""])
def test_meshes_of_an_archive(tmp_path: Path, inertial: str) -> None:
    path = files(tmp_path, file='file="part.obj"', way="", inertial=inertial)
    members = {"arm/robot.xml": path.read_bytes(), "arm/meshes/part.obj": OBJ.encode()}
    tree = read_mjcf(path.read_bytes(), "arm.zip", assets=Assets(members=members, inside="arm")).tree
    (shape,) = (shape for shape in tree.link("arm").shapes if shape.purpose == "visual")
    assert isinstance(shape, lp.MeshShape) and shape.content == OBJ.encode()
    expected = lp.load(path).link("arm")
    assert tree.link("arm").inertia == expected.inertia
    np.testing.assert_allclose(shape.pose.matrix, expected.shapes[0].pose.matrix, atol=1e-12)


def test_what_is_seen_and_what_is_touched() -> None:
    text = """<mujoco><worldbody>
      <geom type="plane" size="1 1 1"/>
      <body name="both"><geom type="box" size="0.1 0.2 0.3"/></body>
      <body name="apart">
        <geom type="capsule" size="0.1 0.2" contype="0" conaffinity="0" group="2"/>
        <geom type="cylinder" size="0.1 0.2" group="3"/>
      </body>
    </worldbody></mujoco>"""
    tree = read_mjcf(text).tree
    assert [(shape.kind, shape.purpose) for shape in tree.link("both").shapes] == [
        ("box", "visual"),
        ("box", "collision"),
    ]
    assert [(shape.kind, shape.purpose) for shape in tree.link("apart").shapes] == [
        ("capsule", "visual"),
        ("cylinder", "collision"),
    ]
    assert not tree.link("world").shapes
    box, capsule = tree.link("both").shapes[0], tree.link("apart").shapes[0]
    assert isinstance(box, lp.BoxShape) and box.size == (0.2, 0.4, 0.6)
    assert isinstance(capsule, lp.CapsuleShape) and (capsule.radius, capsule.length) == (0.1, 0.4)


def test_meshes_are_written_as_they_were_read(tmp_path: Path) -> None:
    path = files(tmp_path, file='file="part.obj"', way=WAYS["scaled"], inertial=INERTIAL)
    robot = lp.load(path)
    again = tmp_path / "again.xml"
    robot.to_mjcf(again)
    np.testing.assert_allclose(in_mujoco(again), in_mujoco(path), atol=2e-6)
    np.testing.assert_allclose(here(lp.load(again)), here(robot), atol=1e-12)


def test_height_fields_and_solids_fitted_to_missing_meshes_are_no_shapes() -> None:
    text = """<mujoco><asset><hfield name="hills" nrow="2" ncol="2" size="1 1 1 1"/><mesh name="part" file="gone.stl"/>
      </asset><worldbody><geom type="hfield" hfield="hills"/>
      <body name="arm"><joint/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><geom type="box" mesh="part"/></body>
      </worldbody></mujoco>"""
    with pytest.warns(lp.ModelWarning, match=r"meshes 'gone.stl' are not there"):
        tree = read_mjcf(text).tree
    assert not tree.link("world").shapes and not tree.link("arm").shapes
