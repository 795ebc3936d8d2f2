"""Wrenches: a force and a torque with a stated point and stated axes, never six bare numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from loadpath import html
from loadpath.cached import cached_property
from loadpath.converted import Converted
from loadpath.in_text import named_rows, parts, vectors
from loadpath.quantities.transport import crossed, rotation_and_origin, turned_back
from loadpath.robot.arrays import array_of
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.pose import Pose
from loadpath.scalars.types import ArrayLike, Bools, Floats

Axes = Literal["world", "link", "joint", "other"]
AXES: tuple[Axes, ...] = get_args(Axes)
COMPONENTS = ("force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z")
"""Names of the six components of a wrench, where they stand in one row."""
_ZERO = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Wrench(Measured):
    """A force (N) and a torque (N m) about the point where the force acts; each (..., 3).

    As an external wrench it acts *on* a link, at the origin of the link's frame, with components in world axes
    or, with `axes="link"`, in the axes of the link's frame. A joint wrench has `axes="joint"`: it acts at the
    joint's origin and is in the child link's joint frame, which need not be the link's own frame. `axes="other"` is a
    frame that only the caller knows.

    `point` (m) is where it acts if not at that origin: seen from the origin, in the wrench's own axes. `at` gives the
    same wrench about another point, `in_frame` in the axes of another frame; neither changes what it does to a body.
    A single force is copied; arrays of many are kept as they are, without a copy.

    >>> Wrench(force=(0, 0, -50)).torque
    array([0., 0., 0.])
    >>> Wrench(force=(0, 0, -50), point=(2, 0, 0)).at((0, 0, 0)).torque
    array([  0., 100.,   0.])
    """

    # All three made arrays below
    force: Converted[NDArray[np.float64], ArrayLike] = field(default=_ZERO, metadata=measures("force"))  # type: ignore[arg-type]
    torque: Converted[NDArray[np.float64], ArrayLike] = field(default=_ZERO, metadata=measures("torque"))  # type: ignore[arg-type]
    axes: Axes = "world"
    point: Converted[NDArray[np.float64], ArrayLike] = field(default=_ZERO, metadata=measures("length"))  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        for part in ("force", "torque", "point"):
            object.__setattr__(self, part, _vectors(getattr(self, part), f"{part} of a wrench"))
        try:
            np.broadcast_shapes(self.force.shape, self.torque.shape, self.point.shape)
        except ValueError:
            shapes = f"{self.force.shape} and {self.torque.shape}"
            what = "force and torque"
            if self.point.ndim > 1:
                what, shapes = "force, torque and point", f"{self.force.shape}, {self.torque.shape}, {self.point.shape}"
            raise ValueError(f"{what} of a wrench have the shapes {shapes}, which do not go together") from None
        if self.axes not in AXES:
            known = ", ".join(repr(name) for name in AXES[:-1])
            raise ValueError(f"axes of a wrench are {self.axes!r}: expected {known} or {AXES[-1]!r}")

    def __repr__(self) -> str:
        where = {"world": "world axes", "link": "axes of the link", "joint": "axes of the joint", "other": "other axes"}
        pieces = {"force": (self.force, "N"), "torque": (self.torque, "N m")}
        if np.any(self.point != 0.0):
            pieces["point"] = self.point, "m"
        return parts(f"Wrench in {where[self.axes]}", pieces)

    def at(self, point: ArrayLike) -> Wrench:
        """The same wrench about another point, (..., 3), in the same frame: its torque changes by the moment of
        the force. Coordinates are those of the frame, so `.at((0, 0, 0))` always leads to the frame's origin.

        >>> Wrench(force=(0, 10, 0)).at((1, 0, 0)).torque
        array([  0.,   0., -10.])
        """
        to = _vectors(point, "point of a wrench")
        if isinstance(to, np.ndarray) and isinstance(self.point, np.ndarray) and np.array_equal(to, self.point):
            return self
        return replace(self, torque=self.torque + crossed(self.point - to, self.force), point=to)

    def in_frame(self, pose: Pose | ArrayLike, axes: Axes = "other") -> Wrench:
        """The same wrench in the axes of another frame, about the same point, whose coordinates become those of that
        frame: add `.at((0, 0, 0))` to have it about the frame's origin. `pose` is the pose of the new frame in the
        present one: an `lp.Pose`, 4 x 4 matrices, or 3 x 3 rotations if both have one origin. `axes` says what
        frame that is, where it is a link's or a joint's or the world's.

        >>> quarter = [[0, -1, 0, 2], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]      # turned about z, 2 m along x
        >>> there = Wrench(force=(0, 10, 0)).in_frame(quarter)
        >>> there.force, there.point
        (array([10.,  0.,  0.]), array([0., 2., 0.]))
        >>> there.at((0, 0, 0)).torque
        array([  0.,   0., -20.])
        """
        rotation, origin = rotation_and_origin(pose)
        return Wrench(
            turned_back(rotation, self.force),
            turned_back(rotation, self.torque),
            axes,
            turned_back(rotation, self.point - origin),
        )

    def power(self, velocity: ArrayLike, angular_velocity: ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
        """What the wrench delivers (W) to a body of which the wrench's point moves with that velocity (m/s, rad/s), in
        the wrench's axes.

        >>> float(Wrench(force=(3, 0, 0), torque=(0, 0, 2)).power((1, 0, 0), (0, 0, 5)))
        13.0
        """
        v, omega = _vectors(velocity, "velocity"), _vectors(angular_velocity, "angular velocity")
        watts: Floats = (self.force * v).sum(axis=-1) + (self.torque * omega).sum(axis=-1)
        return watts

    def __neg__(self) -> Wrench:
        """The opposite: what the body exerts in return."""
        return replace(self, force=-self.force, torque=-self.torque)

    def __add__(self, other: Wrench) -> Wrench:
        """Both together: about the same point, in the same axes.

        >>> (Wrench(force=(1, 0, 0)) + Wrench(torque=(0, 0, 2))).torque
        array([0., 0., 2.])
        """
        if not isinstance(other, Wrench):
            return NotImplemented
        if self.axes != other.axes:
            raise ValueError(f"one wrench is in the axes {self.axes!r}, the other in {other.axes!r}: bring one of them "
                             "into the other's with `in_frame`")
        if not _same(self.point, other.point):
            raise ValueError("the wrenches act at different points: bring one of them to the other's with `at`")
        return replace(self, force=self.force + other.force, torque=self.torque + other.torque)

    def __sub__(self, other: Wrench) -> Wrench:
        """The first without the second."""
        return self + -other if isinstance(other, Wrench) else NotImplemented


def _vectors(value: Any, what: str) -> Any:
    value = array_of(value, ("x", "y", "z"), what)
    if not (hasattr(value, "dtype") and hasattr(value, "shape")):  # Dask and JAX arrays stay what they are
        try:
            value = np.asarray(value)
        except ValueError:
            raise ValueError(f"{what} has parts of different lengths: expected numbers of the shape (..., 3)") from None
    if value.dtype.kind not in "biuf" or value.ndim == 0 or value.shape[-1] != 3:
        raise ValueError(f"{what} has the shape {value.shape} and dtype {value.dtype}: "
                         "expected real numbers of the shape (..., 3)")
    if value.dtype.kind != "f":
        return value.astype(float)
    # One wrench is often made from an array that is used again for the next; those of many states stay where they are.
    return value.copy() if type(value) is np.ndarray and value.ndim == 1 else value


def _same(one: Any, other: Any) -> bool:
    """Whether two points are one, within rounding."""
    one, other = np.asarray(one), np.asarray(other)
    return bool(np.allclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True))


@dataclass(frozen=True, eq=False)
class JointWrenches:
    """Force and torque at every joint, each (..., joints, 3): at the joint's origin, in the child link's joint
    frame, exerted by the parent on the child. Joints are in the order of `joint_names`, fixed ones too.
    """

    force: NDArray[np.float64]
    torque: NDArray[np.float64]
    joint_names: tuple[str, ...]

    def __getitem__(self, joint: str) -> Wrench:
        """The wrench at one joint, by its name."""
        if joint not in self.joint_names:
            raise ValueError(f"no joint '{joint}'; there are {', '.join(self.joint_names)}")
        k = self.joint_names.index(joint)
        return Wrench(self.force[..., k, :], self.torque[..., k, :], axes="joint")

    @property
    def determinate(self) -> Bools:
        """(..., joints, 6): which components, forces before torques, follow from statics alone: of a tree all of them.
        """
        return np.ones((*self.force.shape[:-1], 6), dtype=bool)

    def _repr_html_(self) -> str:
        batch = self.force.shape[:-2]
        six = np.concatenate([self.force, self.torque], axis=-1).reshape(-1, len(self.joint_names), 6)
        largest = float(np.nanmax(np.abs(six), initial=0.0))
        six = np.where(np.abs(six) < 1e-13 * largest, 0.0, six)  # rounding is no load
        columns = ["joint", *(f"{name} ({'N' if k < 3 else 'N m'})" for k, name in enumerate(COMPONENTS))]
        rows = [[name, *map(html.ranged, six[:, k].T)] for k, name in enumerate(self.joint_names)]
        over = f", smallest to largest over {batch} states" if batch else ""
        return html.table(f"Joint wrenches, in the child's joint frame{over}", columns, rows)

    def __repr__(self) -> str:
        columns = {**vectors("force", "N", self.force), **vectors("torque", "N m", self.torque)}
        return named_rows("Joint wrenches, in the child's joint frame", self.joint_names, columns)

    __iter__ = None  # a joint wrench is found by its name; `force, torque = ...` would mistake names for numbers


DETERMINATE = 1e-9
"""Components whose leverage is less follow from statics alone. Leverages go from 0 to 1; their rounding is 1e-16, and
the five digits of a file (1.5708), by which axes are not quite parallel, leave 1e-11 to 1e-10.
"""
LARGE, FEW = 1500, 1000
"""Leverages of a robot with more components times held directions than this, at up to so many states, are not
compiled: of an engine with eight pistons that takes minutes, and the states themselves a second.
"""


def leverages_of(robot: Any, q: Any) -> NDArray[np.float64]:
    """`robot.reaction_leverages(q)`, compiled where that pays."""
    large = 6 * robot.sizes["w"] * robot.sizes["m"] > LARGE and robot.mobility > robot.gruebler
    method = robot.reaction_leverages
    found = method.uncompiled(q) if large and math.prod(np.shape(q)[:-1]) <= FEW else method(q)
    return np.asarray(found)


@dataclass(frozen=True, eq=False, repr=False)
class ClosedJointWrenches(JointWrenches):
    """Force and torque at every joint of a closed robot, those of its loops after those of its tree. The wrench of a
    loop is exerted by its first link on the second, at the origin and in the axes of its frame `on`.
    """

    robot: Any = field(default=None, repr=False)
    q: Any = field(default=None, repr=False)

    @cached_property
    def determinate(self) -> Bools:
        """(..., joints, 6): which components, forces before torques, follow from statics alone. The others depend on
        how stiff the joints are, and are given for joints that are all equally stiff unless said otherwise.
        """
        if self.q is None:
            raise ValueError("determinate: which components statics gives is not computed from lazy arrays; compute "
                             "the states first, or call robot.reaction_leverages(q) < 1e-9")
        found: Bools = leverages_of(self.robot, self.q) < DETERMINATE
        return np.broadcast_to(found, (*self.force.shape[:-1], 6))
