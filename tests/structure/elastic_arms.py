"""Arms for the tests of beams: cantilevers, and random arms of slender rods."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import loadpath as lp
from loadpath.scalars import array

WEIGHTLESS = lp.Material(200e9, 80e9, 0.0, 300e6, name="weightless")


def cantilever(
    section: Any,
    material: lp.Material = WEIGHTLESS,
    length: float = 1.0,
    *,
    gravity: Any = 0.0,
    inertia_from_beams: bool = False,
    **beam: Any,
) -> lp.FlexibleRobot:
    """One rod along the world's x at q = 0, z up, held at the origin: link frame x along it, y up, z = world -y."""
    robot = lp.catalog.planar(1, length=length, gravity=gravity)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        return robot.with_beams(
            {"link1": lp.Beam(section, material, end="tip_joint", **beam)}, inertia_from_beams=inertia_from_beams
        )


def slender(mass: float, end: np.ndarray) -> lp.Inertia:
    """A line of mass from the origin to a point."""
    length = np.linalg.norm(end)
    e = end / length
    return lp.Inertia(mass, (end / 2).tolist(), (mass * length**2 / 12 * (np.eye(3) - np.outer(e, e))).tolist())


def random_rotation(rng: np.random.Generator) -> Any:
    from scipy.spatial.transform import Rotation

    return Rotation.random(random_state=rng.integers(1 << 31)).as_matrix()


def random_rod_arm(links: int = 3, seed: int = 1, *, sliding: bool = True) -> lp.FlexibleRobot:
    """Rods in random directions, joints about random axes, one of them sliding; the masses lie on the rods' lines."""
    rng = np.random.default_rng(seed)
    material = lp.Material(70e9, 26e9, 2700.0, 250e6, name="light")
    sections = [
        lp.RectangularTube(0.04, 0.06, 0.003),
        lp.Tube(0.03, 0.002),
        lp.Bar(0.03, 0.02),
        lp.IBeam(0.05, 0.06, 0.005, 0.004),
    ]
    ends = [rng.uniform(0.3, 0.6) * v / np.linalg.norm(v) for v in rng.normal(size=(links, 3))]
    chain, joints = [lp.Link("base")], []
    beams = {}
    origin = lp.Pose(random_rotation(rng).tolist(), rng.normal(size=3).tolist())
    for i in range(links):
        axis = tuple(rng.normal(size=3))
        motion = lp.Prismatic(axis) if sliding and i == 1 else lp.Revolute(axis)
        section = sections[i % len(sections)]
        mass = material.density * section.area * float(np.linalg.norm(ends[i]))
        joints.append(lp.Joint(f"joint{i + 1}", chain[-1].name, f"link{i + 1}", motion, origin))
        chain.append(lp.Link(f"link{i + 1}", slender(mass, ends[i])))
        origin = lp.Pose(random_rotation(rng).tolist(), ends[i].tolist())
        beams[f"link{i + 1}"] = lp.Beam(section, material, end=f"joint{i + 2}" if i < links - 1 else "tip_joint")
    joints.append(lp.Joint("tip_joint", chain[-1].name, "tip", lp.Fixed(), origin))
    tip = lp.Link("tip", lp.Inertia(0.8, (0.02, 0.01, -0.03), np.diag([2e-3, 3e-3, 2.5e-3]).tolist()))
    return lp.Robot(f"rods{links}", (*chain, tip), tuple(joints)).with_beams(beams)


def as_scalars(values: Any) -> Any:
    """Floats for a formulation."""
    return array(np.asarray(values, dtype=float).tolist())
