"""Meshes: read from every format, measured against closed forms, MuJoCo and trimesh; broken ones named."""

from __future__ import annotations

import io
import math
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path

import coal
import numpy as np
import pytest
import trimesh

import loadpath as lp
from loadpath.robot.estimated import drawn_shapes
from loadpath.robot.meshes import ENDINGS, read_mesh
from loadpath.robot.triangles import Triangles
from real_robots import REAL_ROBOTS


def brick(path: Path) -> Path:
    """A box of 0.2 x 0.3 x 0.5 m about (1, 2, 3), written by trimesh."""
    made = trimesh.creation.box((0.2, 0.3, 0.5), transform=trimesh.transformations.translation_matrix((1, 2, 3)))
    content = made.export(file_type=path.suffix[1:]) if path.suffix != ".gltf" else _gltf(made, path)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def _gltf(made: trimesh.Trimesh, path: Path) -> bytes:
    files = trimesh.exchange.gltf.export_gltf(made.scene())
    for name, content in files.items():
        (path.parent / name).write_bytes(content)
    return files["model.gltf"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format_gives_the_same_body(tmp_path: Path, ending: str) -> None:
    mesh = brick(tmp_path / f"brick{ending}")
    close = {"rel": 1e-6}  # of float32, or text of eight digits
    body = lp.Inertia.from_mesh(mesh, density=1000)
    assert body.mass == pytest.approx(30.0, **close)
    assert body.center_of_mass == pytest.approx((1, 2, 3), **close)
    assert np.diag(body.tensor) == pytest.approx([30 / 12 * (0.09 + 0.25), 30 / 12 * 0.29, 30 / 12 * 0.13], **close)


def test_a_box_of_triangles_has_the_inertia_of_a_box() -> None:
    shape = lp.BoxShape((0.2, 0.3, 0.5), pose=lp.Pose.from_xyz_rpy((1, 2, 3), (0.3, 0.2, 0.1)))
    found, exact = shape.triangles().solid, shape.inertia(1.0)
    assert found.volume == pytest.approx(0.03, rel=1e-13)
    assert found.centroid == pytest.approx(np.array([1, 2, 3]), rel=1e-13)
    assert found.tensor == pytest.approx(np.array(exact.tensor), abs=1e-12 * np.abs(exact.tensor).max())


@pytest.mark.parametrize(
    "shape",
    [lp.SphereShape(0.3), lp.EllipsoidShape((0.1, 0.2, 0.3)), lp.CylinderShape(0.1, 0.4), lp.CapsuleShape(0.1, 0.4)],
    ids=lambda shape: shape.kind,
)
def test_surfaces_are_closed_and_come_near_the_solid(shape: lp.LinkShape) -> None:
    surface = shape.triangles()
    assert surface.is_closed and surface._signed_volume > 0
    assert surface.solid.volume == pytest.approx(shape.volume, rel=0.03)
    assert surface.solid.volume < shape.volume  # corners on the solid
    assert surface.solid.tensor == pytest.approx(np.array(shape.inertia(1.0).tensor), rel=0.05)


def test_icospheres_converge_to_a_ball() -> None:
    errors = []
    for subdivisions in (1, 2, 3, 4):
        ball = trimesh.creation.icosphere(subdivisions=subdivisions, radius=0.5)
        found = Triangles(np.array(ball.vertices), np.array(ball.faces)).solid
        errors.append(abs(found.tensor[0, 0] - lp.Inertia.sphere(0.5, density=1.0).tensor[0][0]))
    assert np.array(errors[:-1]) / errors[1:] == pytest.approx(4.0, rel=0.1)  # the square of the edge


def test_solids_against_random_points() -> None:
    """The closed forms are the means over points inside."""
    rng = np.random.default_rng(1)
    points = rng.uniform(-1, 1, (400_000, 3)) * (0.2, 0.2, 0.3)
    x, y, z = points.T
    inside = {
        lp.CylinderShape(0.2, 0.5): (np.hypot(x, y) < 0.2) & (np.abs(z) < 0.25),
        lp.CapsuleShape(0.15, 0.25): np.hypot(np.hypot(x, y), np.maximum(np.abs(z) - 0.125, 0)) < 0.15,
        lp.EllipsoidShape((0.1, 0.2, 0.3)): (x / 0.1) ** 2 + (y / 0.2) ** 2 + (z / 0.3) ** 2 < 1,
    }
    for shape, taken in inside.items():
        kept = points[taken]
        assert shape.volume == pytest.approx(0.4 * 0.4 * 0.6 * taken.mean(), rel=0.01)
        body = shape.inertia(1 / shape.volume)
        moments = [(kept[:, 1] ** 2 + kept[:, 2] ** 2).mean(), (kept[:, 0] ** 2 + kept[:, 1] ** 2).mean()]
        assert [body.tensor[0][0], body.tensor[2][2]] == pytest.approx(moments, rel=0.01)


def test_a_mirrored_mesh_keeps_its_volume(tmp_path: Path) -> None:
    mesh = brick(tmp_path / "brick.stl")
    mirrored = lp.MeshShape(str(mesh), scale=(1.0, -1.0, 1.0))
    assert mirrored.triangles()._signed_volume == pytest.approx(0.03, rel=1e-6)
    assert mirrored.inertia(1000).center_of_mass == pytest.approx((1, -2, 3), rel=1e-6)
    small = lp.Inertia.from_mesh(mesh, density=1000, scale=(-0.1, -0.1, -0.1))
    assert small.mass == pytest.approx(0.03, rel=1e-6)
    assert small.center_of_mass == pytest.approx((-0.1, -0.2, -0.3), rel=1e-6)


def test_a_mesh_turned_inside_out_is_the_same_body() -> None:
    box = lp.BoxShape((1, 2, 3)).triangles()
    assert Triangles(box.vertices, box.faces[:, ::-1]).solid.tensor == pytest.approx(box.solid.tensor)


def test_a_hollow_inside_is_taken_off() -> None:
    outer, inner = lp.BoxShape((1, 1, 1)).triangles(), lp.BoxShape((0.5, 0.5, 0.5)).triangles()
    hollow = Triangles(np.concatenate([outer.vertices, inner.vertices]),
                       np.concatenate([outer.faces, inner.faces[:, ::-1] + 8]))
    assert hollow.is_closed
    assert hollow.solid.volume == pytest.approx(0.875)
    assert hollow.solid.tensor[0, 0] == pytest.approx((1 - 0.5**5) / 6)


def test_the_unit_of_a_dae_counts(tmp_path: Path) -> None:
    mesh = brick(tmp_path / "brick.dae")
    text = mesh.read_text()
    unit = '<asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis>'
    mesh.write_text(text.replace("<asset>", unit))
    assert "centimeter" in mesh.read_text()
    lower, upper = read_mesh(mesh).bounds
    assert (lower + upper) / 2 == pytest.approx([0.01, 0.02, 0.03], rel=1e-5)  # and no axis is turned


def test_colors_come_along(tmp_path: Path) -> None:
    made = trimesh.creation.box((1, 1, 1))
    made.visual.face_colors = np.tile([255, 0, 51, 255], (12, 1))
    path = tmp_path / "red.ply"
    path.write_bytes(made.export(file_type="ply"))
    colors = read_mesh(path).colors
    assert colors is not None and colors[0] == pytest.approx([1.0, 0.0, 0.2, 1.0])
    assert read_mesh(brick(tmp_path / "grey.stl")).colors is None


# Open, broken, missing


def open_box(tmp_path: Path) -> Path:
    made = trimesh.creation.box((1, 1, 1))
    made.update_faces(np.arange(12) > 1)
    path = tmp_path / "open.stl"
    path.write_bytes(made.export(file_type="stl"))
    return path


def test_an_open_mesh_is_refused_or_taken_as_its_hull(tmp_path: Path) -> None:
    path = open_box(tmp_path)
    with pytest.raises(lp.ModelError, match=r"open\.stl: the mesh bounds no volume: 4 of its edges .*if_open='hull'"):
        lp.Inertia.from_mesh(path, density=1000)
    with pytest.warns(lp.ModelWarning, match="that of its convex hull"):
        body = lp.Inertia.from_mesh(path, density=1000, if_open="hull")
    assert body.mass == pytest.approx(1000)
    assert body.center_of_mass == pytest.approx((0, 0, 0), abs=1e-12)
    with pytest.raises(ValueError, match="if_open is 'mend'"):
        lp.Inertia.from_mesh(path, density=1000, if_open="mend")  # type: ignore[arg-type]


def test_a_face_turned_round_is_seen() -> None:
    box = lp.BoxShape((1, 1, 1)).triangles()
    faces = box.faces.copy()
    faces[0] = faces[0][::-1]
    assert Triangles(box.vertices, faces).open_edges == 3


def test_a_sheet_with_two_sides_bounds_nothing() -> None:
    sheet = Triangles(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]]), np.array([[0, 1, 2], [0, 2, 1]]))
    with pytest.raises(lp.ModelError, match="flat sheet"):
        _ = sheet.solid
    with pytest.raises(lp.ModelError, match="flat"):
        _ = sheet.hull


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_broken_mesh_is_named(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"broken{ending}"
    for content in (b"", b"\x00\xff" * 50, b"<COLLADA>" + b"x" * 100, b"v 1 2\nf 1 2 3\n"):
        path.write_bytes(content)
        with pytest.raises(lp.ModelError, match=rf"broken\{ending}: the mesh .*export it anew"):
            read_mesh(path)


def test_missing_meshes_and_other_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(lp.ModelError, match="there is no such mesh file"):
        lp.MeshShape("package://arm/meshes/a.stl").triangles()
    with pytest.raises(lp.ModelError, match=r"meshes ending in '\.step' are not read"):
        read_mesh(tmp_path / "a.step")
    (tmp_path / "folder.stl").mkdir()
    with pytest.raises(lp.ModelError, match="this is no file"):
        read_mesh(tmp_path / "folder.stl")
    bomb = tmp_path / "bomb.dae"
    bomb.write_text('<!DOCTYPE x [<!ENTITY a "aaaa">]><COLLADA>&a;</COLLADA>')
    with pytest.raises(lp.ModelError, match="entities are refused"):
        read_mesh(bomb)


def test_entities_are_found_in_any_wrapping(tmp_path: Path) -> None:
    """In UTF-16, and in an archive that the reader of DAE would unpack, they were not seen."""
    plain = trimesh.creation.box().export(file_type="dae").decode().rpartition("?>")[2]
    hidden = '<!DOCTYPE x [<!ENTITY a "0">]>' + plain
    sound = tmp_path / "sound.dae"
    for start in ("", '<?xml version="1.0" encoding="utf-8"?>', "\ufeff<?xml version='1.0' encoding='UTF-8' ?>\n"):
        sound.write_text(start + plain, encoding="utf-8")
        assert len(read_mesh(sound).faces) == 12
    contents = {f"{name}.dae": (f'<?xml version="1.0" encoding="{name}"?>{hidden}').encode(name)
                for name in ("utf-16", "utf-16-le", "utf-32", "utf-7", "cp037")}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.dae", hidden)
    for name, content in (contents | {"archive.dae": packed.getvalue()}).items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(lp.ModelError, match=rf"{name}: the mesh is no XML in UTF-8; export it anew"):
            read_mesh(tmp_path / name)


def test_a_mesh_is_read_again_when_its_file_changes(tmp_path: Path) -> None:
    path = brick(tmp_path / "brick.stl")
    assert read_mesh(path) is read_mesh(path)
    first = read_mesh(path)
    path.write_bytes(trimesh.creation.icosphere().export(file_type="stl"))
    assert read_mesh(path) is not first


def test_meshes_in_archives_are_read_from_their_content(tmp_path: Path) -> None:
    content = brick(tmp_path / "brick.stl").read_bytes()
    assert lp.MeshShape("arm/meshes/brick.stl", content=content).volume == pytest.approx(0.03, rel=1e-6)


def test_a_picture_goes_without_what_is_missing(tmp_path: Path) -> None:
    missing = [lp.MeshShape(f"nowhere{k}.stl") for k in range(5)]
    arm = lp.Link("arm", shapes=[lp.BoxShape((1, 1, 1)), *missing])
    only_touched = lp.Link("hand", shapes=[lp.SphereShape(0.1, purpose="collision")])
    with pytest.warns(lp.ModelWarning, match="without 5 of the meshes: link 'arm': nowhere0.*and 2 more") as caught:
        drawn = drawn_shapes([arm, only_touched])
    assert len(caught) == 1
    assert [len(drawn[name]) for name in ("arm", "hand")] == [1, 1]
    assert drawn_shapes([only_touched], "visual")["hand"] == ()


def test_a_wrong_call_is_an_error(tmp_path: Path) -> None:
    for given in ({}, {"mass": 1.0, "density": 1.0}):
        with pytest.raises(ValueError, match="expected either mass="):
            lp.Inertia.box((1, 1, 1), **given)
    with pytest.raises(lp.ModelError, match="density of a sphere is -1"):
        lp.Inertia.sphere(0.1, density=-1)
    with pytest.raises(lp.ModelError, match=r"radius of a cylinder is -0\.1"):
        lp.Inertia.cylinder(-0.1, 1.0, mass=1.0)
    with pytest.raises(lp.ModelError, match="size of a box"):
        lp.Inertia.box((1, 1), mass=1.0)


# Estimated inertias


def bare_arm(*shapes: lp.LinkShape) -> lp.Robot:
    """A base, an arm that turns, and a cover that is welded to the arm: none has a mass."""
    links = (lp.Link("base", shapes=[lp.BoxShape((0.2, 0.2, 0.2))]), lp.Link("arm", shapes=shapes),
             lp.Link("cover", shapes=[lp.SphereShape(0.1)]))
    joints = (lp.Joint("hinge", "base", "arm", lp.Revolute((0, 1, 0))), lp.Joint("weld", "arm", "cover", lp.Fixed()))
    with warnings.catch_warnings(action="ignore", category=lp.ModelWarning):
        return lp.Robot("bare", links, joints)


def test_links_without_mass_get_the_inertia_of_their_shapes() -> None:
    box, seen = lp.BoxShape((0.4, 0.1, 0.1), pose=(0.2, 0, 0), purpose="collision"), lp.SphereShape(0.3)
    robot = bare_arm(box, seen)
    made = robot.with_estimated_inertia(1500)
    assert made.link("arm").inertia == lp.Inertia.box((0.4, 0.1, 0.1), density=1500, pose=(0.2, 0, 0))
    assert made.link("cover").inertia == lp.Inertia.sphere(0.1, density=1500)
    assert made.link("base").inertia.mass == pytest.approx(12)
    as_seen = robot.with_estimated_inertia(1500, purpose="visual")
    assert as_seen.link("arm").inertia == lp.Inertia.sphere(0.3, density=1500)


def test_what_is_welded_to_a_mass_is_counted_there() -> None:
    robot = bare_arm(lp.BoxShape((0.4, 0.1, 0.1))).with_inertias({"arm": lp.Inertia(2.0, (0.2, 0, 0), np.eye(3) / 9)})
    made = robot.with_estimated_inertia(1500)
    assert made.link("cover").inertia.is_zero and made.link("arm").inertia.mass == 2.0
    assert robot.with_estimated_inertia(1500, ["cover"]).link("cover").inertia.mass > 6
    by_link = robot.with_estimated_inertia({"cover": 1000, "base": 7850})
    assert by_link.link("base").inertia.mass == pytest.approx(62.8)
    assert by_link.link("cover").inertia.mass == pytest.approx(4 / 3 * math.pi)


def test_what_cannot_be_estimated_is_named(tmp_path: Path) -> None:
    robot = bare_arm()
    with pytest.raises(lp.ModelError, match="link 'arm' has no shape"):
        robot.with_estimated_inertia(1500, ["arm"])
    with pytest.raises(ValueError, match="no link 'arms'"):
        robot.with_estimated_inertia(1500, ["arms"])
    with pytest.raises(ValueError, match="expected several names"):
        robot.with_estimated_inertia(1500, "arm")
    with pytest.raises(lp.ModelError, match="density is 0"):
        robot.with_estimated_inertia(0)
    with pytest.raises(lp.ModelError, match=r"link 'arm': .*no such mesh"):
        bare_arm(lp.MeshShape("nowhere.stl")).with_estimated_inertia(1500)
    with pytest.warns(lp.ModelWarning, match=r"estimated from shapes:\n  link 'arm': .*convex hull") as caught:
        bare_arm(lp.MeshShape(str(open_box(tmp_path)))).with_estimated_inertia(1500)
    assert len(caught) == 1


# Real meshes


def test_real_meshes_are_placed_as_pinocchio_places_them() -> None:
    """Tiago's arm is drawn in DAE files that say y is up."""
    folder = REAL_ROBOTS["tiago_description/tiago"].parents[1]
    for name in ("meshes/torso/torso_lift_collision.dae", "meshes/head/head_1_collision.dae", "meshes/arm/arm_1.stl"):
        theirs = coal.MeshLoader().load(str(folder / name), np.ones(3))
        points = np.asarray(theirs.vertices())
        lower, upper = read_mesh(folder / name).bounds
        assert lower == pytest.approx(points.min(axis=0), abs=1e-6)
        assert upper == pytest.approx(points.max(axis=0), abs=1e-6)


def test_a_real_mesh_has_the_volume_that_trimesh_finds() -> None:
    path = REAL_ROBOTS["ur_description/ur5_robot"].parents[1] / "meshes/ur5/collision/forearm.stl"
    theirs = trimesh.load(path)
    assert read_mesh(path).is_closed == theirs.is_watertight
    found = read_mesh(path).solid
    assert found.volume == pytest.approx(theirs.volume, rel=1e-9)
    assert found.tensor == pytest.approx(np.array(theirs.moment_inertia), rel=1e-6, abs=1e-9 * found.tensor.max())
    assert replace(lp.MeshShape(str(path)), scale=(2, 2, 2)).volume == pytest.approx(8 * found.volume)
