"""What a link looks like: solids and meshes in its frame, for pictures, volumes and estimated inertias. No equation of
motion depends on them, and robots that differ in them only are equal.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from loadpath.converted import Converted
from loadpath.errors import ModelError
from loadpath.robot import meshes, solids, triangles
from loadpath.robot.inertia import Inertia
from loadpath.robot.meshes import IfOpen
from loadpath.robot.numbers import Vector3, number, numbers, vector3
from loadpath.robot.pose import Pose, PoseLike, pose_of
from loadpath.robot.solids import Solid
from loadpath.robot.triangles import Triangles

Purpose: TypeAlias = Literal["visual", "collision"]
Color: TypeAlias = tuple[float, float, float, float]
"""Red, green, blue and opacity, each from 0 to 1."""
PURPOSES: tuple[Purpose, ...] = ("visual", "collision")


@dataclass(frozen=True, kw_only=True)
class LinkShape(ABC):
    """A shape in the frame of its link: the classes made from it say which. `pose` is that of the shape in the link's
    frame; `purpose` says whether it is to be seen or to be touched.
    """

    pose: Converted[Pose, PoseLike] = field(default_factory=Pose)  # type: ignore[arg-type]
    color: Color | None = None
    purpose: Purpose = "visual"
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "pose", pose_of(self.pose, f"pose of a {self.kind}"))
        if self.color is not None:
            color = numbers(self.color, f"color of a {self.kind}")
            color = (*color, 1.0) if len(color) == 3 else color
            if len(color) != 4 or not all(0.0 <= part <= 1.0 for part in color):
                raise ModelError(f"color of a {self.kind} is {self.color}: expected red, green, blue and opacity, each "
                                 "from 0 to 1")
            object.__setattr__(self, "color", color)
        if self.purpose not in PURPOSES:
            raise ModelError(f"purpose of a {self.kind} is {self.purpose!r}: expected 'visual' or 'collision'")

    @property
    @abstractmethod
    def kind(self) -> str:
        """What it is, in a word."""

    @abstractmethod
    def solid(self, if_open: IfOpen = "hull") -> Solid:
        """What it bounds, in its own frame. `if_open` says what to do about a mesh with holes."""

    @abstractmethod
    def surface(self) -> Triangles:
        """Its surface, in its own frame."""

    @property
    def volume(self) -> float:
        """Its volume (m^3); of a mesh with holes that of its convex hull, with a warning.

        >>> import loadpath as lp
        >>> round(lp.SphereShape(0.1).volume, 9)
        0.00418879
        """
        return self.solid().volume

    def inertia(self, density: float, if_open: IfOpen = "hull") -> Inertia:
        """Of a body of uniform density (kg/m^3) that fills it, in the frame of the link. A mesh with holes bounds no
        volume: its convex hull is taken, with a warning, or with `if_open="refuse"` it is an error.

        >>> import loadpath as lp
        >>> lp.BoxShape((0.2, 0.1, 0.1), pose=(0.1, 0, 0)).inertia(1000.0).center_of_mass
        (0.1, 0.0, 0.0)
        """
        return Inertia.of_solid(self.solid(if_open), self.kind, None, density, self.pose)

    def triangles(self) -> Triangles:
        """Its surface in the frame of the link, to be drawn.

        >>> import loadpath as lp
        >>> lower, upper = lp.BoxShape((0.2, 0.1, 0.1), pose=(0.1, 0, 0)).triangles().bounds
        >>> lower.round(12).tolist(), upper.round(12).tolist()
        ([0.0, -0.05, -0.05], [0.2, 0.05, 0.05])
        """
        return self.surface().placed(self.pose)

    def _sizes(self, **named: float) -> None:
        for part, value in named.items():
            size = number(value, f"{part} of a {self.kind}")
            if size < 0:
                raise ModelError(f"{part} of a {self.kind} is {size}: expected zero or more (m)")
            object.__setattr__(self, part, size)


@dataclass(frozen=True)
class BoxShape(LinkShape):
    """A box about its frame's origin; `size` is its whole length along x, y and z (m).

    >>> import loadpath as lp
    >>> lp.BoxShape((0.2, 0.1, 0.1), pose=(0.1, 0, 0)).pose.translation
    (0.1, 0.0, 0.0)
    """

    size: Vector3 = field(kw_only=False)

    kind = "box"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "size", _lengths(self.size, "size of a box"))

    def solid(self, if_open: IfOpen = "hull") -> Solid:
        return solids.box(*self.size)

    def surface(self) -> Triangles:
        return triangles.box(self.size)


@dataclass(frozen=True)
class EllipsoidShape(LinkShape):
    """An ellipsoid about its frame's origin; `radii` are its half axes along x, y and z (m).

    >>> import loadpath as lp
    >>> lp.EllipsoidShape((0.2, 0.1, 0.1)).radii
    (0.2, 0.1, 0.1)
    """

    radii: Vector3 = field(kw_only=False)

    kind = "ellipsoid"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "radii", _lengths(self.radii, "radii of an ellipsoid"))

    def solid(self, if_open: IfOpen = "hull") -> Solid:
        return solids.ellipsoid(*self.radii)

    def surface(self) -> Triangles:
        return triangles.ellipsoid(self.radii)


@dataclass(frozen=True)
class SphereShape(LinkShape):
    """A sphere about its frame's origin (m).

    >>> import loadpath as lp
    >>> lp.SphereShape(0.05).radius
    0.05
    """

    radius: float = field(kw_only=False)

    kind = "sphere"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._sizes(radius=self.radius)

    def solid(self, if_open: IfOpen = "hull") -> Solid:
        return solids.ellipsoid(self.radius, self.radius, self.radius)

    def surface(self) -> Triangles:
        return triangles.ellipsoid((self.radius, self.radius, self.radius))


@dataclass(frozen=True)
class CylinderShape(LinkShape):
    """A cylinder along z, about its frame's origin; `length` is the whole of it (m).

    >>> import loadpath as lp
    >>> lp.CylinderShape(radius=0.05, length=0.4).length
    0.4
    """

    radius: float = field(kw_only=False)
    length: float = field(kw_only=False)

    kind = "cylinder"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._sizes(radius=self.radius, length=self.length)

    def solid(self, if_open: IfOpen = "hull") -> Solid:
        return solids.cylinder(self.radius, self.length)

    def surface(self) -> Triangles:
        return triangles.cylinder(self.radius, self.length)


@dataclass(frozen=True)
class CapsuleShape(LinkShape):
    """A cylinder along z with half a ball at each end, about its frame's origin; `length` is that between the centers
    of the balls (m).

    >>> import loadpath as lp
    >>> lp.CapsuleShape(radius=0.05, length=0.4).radius
    0.05
    """

    radius: float = field(kw_only=False)
    length: float = field(kw_only=False)

    kind = "capsule"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._sizes(radius=self.radius, length=self.length)

    def solid(self, if_open: IfOpen = "hull") -> Solid:
        return solids.capsule(self.radius, self.length)

    def surface(self) -> Triangles:
        return triangles.capsule(self.radius, self.length)


@dataclass(frozen=True)
class MeshShape(LinkShape):
    """A mesh in a file: STL, OBJ, DAE, PLY, glTF. It is read when it is drawn or measured, not before.

    >>> import loadpath as lp
    >>> lp.MeshShape("forearm.stl", scale=(0.001, 0.001, 0.001)).scale    # drawn in mm
    (0.001, 0.001, 0.001)
    """

    file: str = field(kw_only=False)
    """Where it is; where it could not be found, as the robot's file names it."""
    scale: Converted[Vector3, ArrayLike] = field(default=(1.0, 1.0, 1.0), kw_only=False)  # type: ignore[arg-type]
    """By axis; a negative one mirrors."""
    content: bytes | None = field(default=None, repr=False, compare=False)
    """The bytes of a mesh that is in no file of its own, as in an archive; `file` then has its name and ending."""
    uri: str = field(default="", compare=False)
    """As the robot's file names it, like package://arm_description/meshes/forearm.stl."""

    kind = "mesh"

    def __post_init__(self) -> None:
        super().__post_init__()
        scale = vector3(self.scale, f"scale of the mesh '{self.file}'")
        if not all(scale):
            raise ModelError(f"scale of the mesh '{self.file}' is {scale}: expected numbers other than zero")
        object.__setattr__(self, "scale", scale)

    def solid(self, if_open: IfOpen = "hull") -> Solid:
        return meshes.solid_of_mesh(self.surface(), self.file, if_open)

    def surface(self) -> Triangles:
        return meshes.read_mesh(self.file, self.content).scaled(np.array(self.scale))


def _lengths(value: object, what: str) -> Vector3:
    found = vector3(value, what)
    if min(found) < 0 or not all(math.isfinite(entry) for entry in found):
        raise ModelError(f"{what} is {found}: expected zero or more (m)")
    return found
