"""Random robots for tests and benchmarks: chains, trees, arms with a full DH table; the same for the same seed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.dh import DHRow, from_dh
from loadpath.robot.inertia import Inertia, point_mass_tensor
from loadpath.robot.joints import (
    Continuous,
    Cylindrical,
    Fixed,
    Free,
    Generalized,
    Helical,
    JointType,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Revolute,
    Spherical,
    Translational,
    Universal,
    Z,
)
from loadpath.robot.model import STANDARD_GRAVITY, RobotModel
from loadpath.robot.numbers import Vector3, matrix3, vector3
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose
from loadpath.scalars import array, turn_about

JointChoice: TypeAlias = str | Sequence[str | type[JointType]] | None
Generator: TypeAlias = np.random.Generator

_TYPES: dict[str, type[JointType]] = {
    kind.__name__.lower(): kind
    for kind in (Fixed, Revolute, Continuous, Prismatic, Helical, Cylindrical, Universal, Planar, Translational,
                 Spherical, Free, PointOnLine, PointOnPlane, Generalized)
}


def random_chain(
    n: int, seed: int, joints: JointChoice = None, *, general: bool = False, drives: bool = False
) -> RobotModel:
    """A chain of n joints with random geometry and physically consistent inertias; the same for the same seed.

    `joints` chooses the types: none, revolute and prismatic ones at random; "all", every type in a random order, over
    again if n is larger; the name of a type like "revolute"; or a sequence of names or types, gone through in that
    order and over again.

    Links are placed by random modified DH parameters with joint axes on z. With `general=True` they have a random
    `origin`, `link_offset` and axis, and gravity has a random direction. With `drives=True` every joint has
    friction, a rotor and a gear.

    >>> random_chain(3, seed=1, joints=["revolute", "spherical"]).nq
    6
    >>> random_chain(5, seed=1) == random_chain(5, seed=1) != random_chain(5, seed=2)
    True
    """
    rng = _generator(seed)
    return _assemble(f"random_chain{n}", list(range(_count(n))), rng, joints=joints, general=general, drives=drives)


def random_tree(
    n: int, seed: int, joints: JointChoice = None, *, general: bool = False, drives: bool = False
) -> RobotModel:
    """A tree of n joints, each on a random earlier link; two branches at least if n > 1. Otherwise as `random_chain`.

    >>> tree = random_tree(12, seed=3, joints="all", general=True)
    >>> len({joint.parent for joint in tree.joints}) < len(tree.joints)
    True
    """
    rng = _generator(seed)
    parents = [int(rng.integers(0, i + 1)) for i in range(_count(n))]
    if n > 1 and len(set(parents)) == n:
        parents[-1] = 0
    return _assemble(f"random_tree{n}", parents, rng, joints=joints, general=general, drives=drives)


def random_dh_arm(n: int, seed: int) -> RobotModel:
    """A general n-revolute arm: every a, d and alpha of its standard DH table is nonzero, every inertia full.

    Gravity is along the base's -z. This is the arm for which the literature counts operations, where no zero
    or right angle saves any.

    >>> random_dh_arm(6, seed=1).n
    6
    """
    rng = _generator(seed)
    rows = []
    for _ in range(_count(n)):
        theta, alpha = rng.uniform(0.2, 1.3, 2) * rng.choice((-1, 1), 2)
        d, a = rng.uniform(0.1, 0.5, 2) * rng.choice((-1, 1), 2)
        body = random_inertia(rng)
        rows.append(DHRow(theta, d, a, alpha, mass=body.mass, center_of_mass=body.center_of_mass, inertia=body.tensor))
    return from_dh(rows, name=f"random_dh_arm{n}")


def random_inertia(rng: Generator) -> Inertia:
    """The inertia of a dozen random point masses: whatever they are, there is a body like it."""
    masses = rng.uniform(0.05, 0.3, 12)
    center = rng.uniform(-0.2, 0.2, 3)
    points = center + rng.normal(size=(12, 3)) * rng.uniform(0.03, 0.15, 3) @ _random_turn(rng)
    mass = float(masses.sum())
    centroid = masses @ points / mass
    tensor = sum((point_mass_tensor(m, p - centroid) for m, p in zip(masses, points, strict=True)), np.zeros((3, 3)))
    return Inertia(mass, vector3(centroid, "center of mass"), tensor.tolist())


def _generator(seed: object) -> np.random.Generator:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ModelError(f"seed is {seed!r}: expected a whole number from 0")
    return np.random.default_rng(int(seed))


def _count(n: int) -> int:
    if not isinstance(n, (int, np.integer)) or n < 1:
        raise ModelError(f"number of joints is {n!r}: expected a whole number from 1")
    return int(n)


def _assemble(
    name: str, parents: list[int], rng: Generator, *, joints: JointChoice, general: bool, drives: bool
) -> RobotModel:
    """Joint i moves link i + 1 against the link `parents[i]`."""
    links = [Link("base", random_inertia(rng))]
    made = []
    for i, (parent, kind) in enumerate(zip(parents, _types(joints, len(parents), rng), strict=True), start=1):
        motion = _random_motion(kind, rng, general)
        origin, offset = (_random_pose(rng), _random_pose(rng)) if general else (_random_dh_pose(rng), Pose())
        made.append(Joint(f"joint{i}", links[parent].name, f"link{i}", motion, origin, offset))
        links.append(Link(f"link{i}", random_inertia(rng)))
    gravity = vector3(9.81 * _random_direction(rng), "gravity") if general else STANDARD_GRAVITY
    if drives:  # last, so that the robot is otherwise the one without drives
        made = [_with_random_drive(joint, rng) for joint in made]
    return RobotModel(name, tuple(links), tuple(made), gravity)


def _types(joints: JointChoice, n: int, rng: Generator) -> list[type[JointType]]:
    if joints is None:
        return [(Revolute, Revolute, Prismatic)[k] for k in rng.integers(0, 3, n)]
    if not isinstance(joints, Iterable):
        raise ModelError(f"joints is {joints!r}: expected names of joint types, or 'all'")
    if isinstance(joints, str) and joints == "all":
        every = list(_TYPES.values())
        chosen = [every[k] for k in rng.permutation(len(every))]
    else:
        chosen = [_type(entry) for entry in ((joints,) if isinstance(joints, str) else joints)]
    if not chosen:
        raise ModelError("joints is empty: expected joint types to choose from")
    return [chosen[i % len(chosen)] for i in range(n)]


def _type(entry: str | type[JointType]) -> type[JointType]:
    kind = _TYPES.get(entry) if isinstance(entry, str) else entry
    if kind is None or kind not in _TYPES.values():
        raise ModelError(f"joint type is {entry!r}: expected one of {', '.join(_TYPES)}, or 'all'")
    return kind


def _random_motion(kind: type[JointType], rng: Generator, general: bool) -> JointType:
    axis = vector3(_random_direction(rng), "axis") if general else Z
    if kind is Helical:
        return Helical(axis, pitch=float(rng.uniform(0.05, 0.3)))
    if kind is Generalized:
        return _random_generalized(rng, general)
    if kind is Universal and general:
        return Universal(axis, vector3(_random_direction(rng), "axis"))
    if issubclass(kind, (Revolute, Prismatic, Cylindrical, PointOnLine)):
        return kind(axis)
    return kind()


def _random_generalized(rng: Generator, general: bool) -> Generalized:
    """One to six freedoms; with `general` in axes at right angles of any direction."""
    turns, slides = rng.permutation(3)[: rng.integers(0, 4)], rng.permutation(3)[: rng.integers(0, 4)]
    if not len(turns):
        slides = rng.permutation(3)[: max(len(slides), 1)]
    axes = (_random_turn(rng) if general else np.eye(3)).tolist()
    chosen = [("turn", axes[k]) for k in turns] + [("slide", axes[k]) for k in slides]
    return Generalized([(kind, (x, y, z)) for kind, (x, y, z) in chosen])


def _with_random_drive(joint: Joint, rng: Generator) -> Joint:
    def draw(low: float, high: float) -> tuple[float, ...]:
        return tuple(rng.uniform(low, high, joint.motion.dof).tolist())

    return replace(
        joint,
        viscous_friction=draw(0.1, 2.0),
        coulomb_friction=draw(0.1, 1.0),
        rotor_inertia=draw(1e-5, 1e-4),
        gear_ratio=draw(50.0, 120.0),
    )


def _random_direction(rng: Generator) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    direction = rng.normal(size=3)
    unit: np.ndarray[tuple[int], np.dtype[np.float64]] = direction / np.linalg.norm(direction)
    return unit


def _random_turn(rng: Generator) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    turn = turn_about(_random_direction(rng).tolist(), float(rng.uniform(-math.pi, math.pi)))
    matrix: np.ndarray[tuple[int, int], np.dtype[np.float64]] = turn.matrix().astype(float)
    return matrix


def _random_pose(rng: Generator) -> Pose:
    return Pose(matrix3(_random_turn(rng), "rotation"), vector3(rng.uniform(-0.4, 0.4, 3), "translation"))


def _random_dh_pose(rng: Generator) -> Pose:
    alpha, a, d = rng.uniform(-1.5, 1.5), *rng.uniform(-0.5, 0.5, 2)
    turn = turn_about((1.0, 0.0, 0.0), float(alpha))
    along_z = turn @ array([0.0, 0.0, float(d)])
    translation: Vector3 = (float(a), float(along_z[1]), float(along_z[2]))
    return Pose(turn.matrix().astype(float).tolist(), translation)
