"""Inertias of shapes: with MuJoCo, which integrates its own primitives and meshes, and over random points."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
from scipy.spatial import ConvexHull

import loadpath as lp
from differential.register import Compared, check
from differential.robots import Case, random_pose


def _geom(shape: lp.LinkShape) -> str:
    """A shape as MuJoCo writes it: half lengths, quaternions w first."""
    sizes = {
        lp.BoxShape: lambda s: ("box", np.array(s.size) / 2),
        lp.EllipsoidShape: lambda s: ("ellipsoid", s.radii),
        lp.SphereShape: lambda s: ("sphere", (s.radius,)),
        lp.CylinderShape: lambda s: ("cylinder", (s.radius, s.length / 2)),
        lp.CapsuleShape: lambda s: ("capsule", (s.radius, s.length / 2)),
    }
    if isinstance(shape, lp.MeshShape):
        words = 'type="mesh" mesh="m"'
    else:
        kind, size = sizes[type(shape)](shape)
        words = f'type="{kind}" size="{_words(size)}"'
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, np.array(shape.pose.rotation).reshape(-1))
    return f'<geom {words} pos="{_words(shape.pose.translation)}" quat="{_words(quaternion)}" density="1500"/>'


def _words(numbers: object) -> str:
    return " ".join(repr(float(x)) for x in np.asarray(numbers, dtype=float))


def by_mujoco(shapes: list[lp.LinkShape], mesh: str = "") -> lp.Inertia:
    """The inertia of shapes on one body, of 1500 kg/m^3."""
    asset = f'<asset><mesh name="m" file="{mesh}" inertia="exact"/></asset>' if mesh else ""
    text = (f'<mujoco><compiler boundmass="0" boundinertia="0"/>{asset}<worldbody><body name="b"><freejoint/>'
            f'{"".join(map(_geom, shapes))}</body></worldbody></mujoco>')
    model = mujoco.MjModel.from_xml_string(text)
    turned = np.zeros(9)
    mujoco.mju_quat2Mat(turned, model.body_iquat[1])
    axes = turned.reshape(3, 3)
    return lp.Inertia(model.body_mass[1], model.body_ipos[1], axes @ np.diag(model.body_inertia[1]) @ axes.T)


def random_solids(rng: np.random.Generator) -> list[lp.LinkShape]:
    a, b, c = rng.uniform(0.05, 0.4, 3)
    made = [
        lp.BoxShape((a, b, c)),
        lp.EllipsoidShape((a, b, c)),
        lp.SphereShape(a),
        lp.CylinderShape(a, b),
        lp.CapsuleShape(a, b),
    ]
    return [replace(shape, pose=random_pose(rng, 0.3)) for shape in made]


@check(
    "Inertia.box",
    "Inertia.cylinder",
    "Inertia.sphere",
    "Inertia.capsule",
    "Inertia.ellipsoid",
    "Robot.with_estimated_inertia",
    against="MuJoCo's inertias of its own geoms, of one body and of several welded",
    bound=1e-11,
)
def solids(case: Case) -> Iterator[Compared]:
    rng = case.rng("solids")
    shapes = random_solids(rng)
    box, ball, sphere, tube, pill = shapes
    made = [
        lp.Inertia.box(box.size, density=1500, pose=box.pose),
        lp.Inertia.ellipsoid(ball.radii, density=1500, pose=ball.pose),
        lp.Inertia.sphere(sphere.radius, density=1500, pose=sphere.pose),
        lp.Inertia.cylinder(tube.radius, tube.length, density=1500, pose=tube.pose),
        lp.Inertia.capsule(pill.radius, pill.length, density=1500, pose=pill.pose),
    ]
    for shape, body in zip(shapes, made, strict=True):
        yield from alike(body, by_mujoco([shape]))
    link = str(rng.choice(case.robot.link_names[1:]))
    links = tuple(replace(k, shapes=shapes) if k.name == link else k for k in case.robot.links)
    with warnings.catch_warnings(action="ignore"):  # random robots
        robot = replace(case.robot, links=links).with_estimated_inertia(1500, [link])
    yield from alike(robot.link(link).inertia, by_mujoco(shapes))


@check("Inertia.from_mesh", against="MuJoCo's exact inertia of the same mesh", bound=1e-5)  # MuJoCo reads float32
def meshes(case: Case) -> Iterator[Compared]:
    rng = case.rng("mesh")
    points = rng.normal(size=(20, 3)) * rng.uniform(0.05, 0.3, 3) + rng.normal(size=3)
    hull = ConvexHull(points)
    pose = random_pose(rng, 0.3)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hull.obj"
        write_hull(path, points, hull)
        body = lp.Inertia.from_mesh(path, density=1500, pose=pose)
        yield from alike(body, by_mujoco([lp.MeshShape(str(path), pose=pose)], str(path)))


def write_hull(path: Path, points: np.ndarray, hull: ConvexHull) -> None:
    """A convex hull as an OBJ file, its faces turned outwards by hand."""
    lines = [f"v {_words(point)}" for point in points]
    middle = points.mean(axis=0)
    for a, b, c in hull.simplices:
        out = np.dot(np.cross(points[b] - points[a], points[c] - points[a]), points[a] - middle) > 0
        lines.append(f"f {a + 1} {b + 1} {c + 1}" if out else f"f {a + 1} {c + 1} {b + 1}")
    path.write_text("\n".join(lines))


def alike(found: lp.Inertia, wanted: lp.Inertia) -> Iterator[Compared]:
    yield Compared(np.array(found.mass), np.array(wanted.mass), wanted.mass)
    yield Compared(np.array(found.center_of_mass), np.array(wanted.center_of_mass), 1.0)
    size = max(np.abs(np.array(wanted.tensor)).max(), 0.0)
    yield Compared(np.array(found.tensor), np.array(wanted.tensor), size)
