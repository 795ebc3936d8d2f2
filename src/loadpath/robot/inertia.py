"""The inertia of a rigid body: ten numbers, from a shape if need be, and the conditions that a real body meets."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadpath.converted import Converted
from loadpath.errors import ModelError
from loadpath.robot import meshes, solids
from loadpath.robot.numbers import LARGEST_LENGTH, Matrix3, Vector3, matrix3, number, shape_of, vector3, within
from loadpath.robot.pose import Pose, PoseLike, pose_of
from loadpath.scalars import array, point_tensor

_ZERO: Matrix3 = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
# Relative slack of the conditions: published tensors are rounded to a few digits.
_SLACK = 1e-9
_HERE = Pose()
_LARGEST_MASS, _LARGEST_MOMENT = 1e30, 1e60


def point_mass_tensor(mass: float, arm: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inertia tensor of a point mass at `arm`, about the origin (Steiner's term)."""
    return point_tensor(mass, array(arm.tolist())).astype(float)


@dataclass(frozen=True)
class Inertia:
    """Mass, mass center and inertia tensor *about the mass center*, all in the link's frame.

    >>> rod = Inertia(mass=3.0, center_of_mass=(0.5, 0, 0), tensor=np.diag([0, 0.25, 0.25]))
    >>> rod.at_origin().diagonal().tolist()
    [0.0, 1.0, 1.0]
    """

    mass: float = 0.0
    center_of_mass: Converted[Vector3, ArrayLike] = (0.0, 0.0, 0.0)  # type: ignore[assignment]
    tensor: Converted[Matrix3, ArrayLike] = _ZERO  # type: ignore[assignment]

    def __post_init__(self) -> None:
        mass = number(self.mass, "mass")
        if mass < 0:
            raise ModelError(f"mass is {mass}: expected zero or more")
        within(mass, _LARGEST_MASS, "mass", "kg")
        if len(shape_of(self.tensor, "inertia tensor")) == 1:
            raise ModelError(f"inertia tensor is {self.tensor}: expected 3 x 3; three moments go into "
                             "Inertia.from_moments(mass, center_of_mass, ixx=, iyy=, izz=)")
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = matrix3(self.tensor, "inertia tensor")
        scale = max(map(abs, (xx, xy, xz, yx, yy, yz, zx, zy, zz)))
        asymmetry = max(abs(xy - yx), abs(xz - zx), abs(yz - zy))
        if asymmetry > _SLACK * scale:
            raise ModelError(f"inertia tensor is not symmetric: it differs from its transpose by {asymmetry:.3g}")
        xy, xz, yz = (xy + yx) / 2, (xz + zx) / 2, (yz + zy) / 2
        within(scale, _LARGEST_MOMENT, "largest entry of the inertia tensor", "kg m^2")
        center = vector3(self.center_of_mass, "center of mass")
        within(max(center, key=abs), LARGEST_LENGTH, "a coordinate of the center of mass", "m")
        object.__setattr__(self, "mass", mass)
        object.__setattr__(self, "center_of_mass", center)
        object.__setattr__(self, "tensor", ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))

    @classmethod
    def about_origin(cls, mass: float, center_of_mass: ArrayLike = (0, 0, 0), tensor: ArrayLike = _ZERO) -> Inertia:
        """From a tensor about the frame's origin instead of the mass center."""
        c = np.array(vector3(center_of_mass, "center of mass"))
        about_center = np.array(matrix3(tensor, "inertia tensor")) - point_mass_tensor(number(mass, "mass"), c)
        return cls(mass, vector3(c, "center of mass"), about_center.tolist())

    @classmethod
    def from_moments(cls, mass: float, center_of_mass: ArrayLike = (0, 0, 0), *, ixx: float = 0, iyy: float = 0,
                     izz: float = 0, ixy: float = 0, ixz: float = 0, iyz: float = 0) -> Inertia:
        """From the six entries of the tensor about the mass center (ixy is the entry, minus the product)."""
        named = {"ixx": ixx, "iyy": iyy, "izz": izz, "ixy": ixy, "ixz": ixz, "iyz": iyz}
        xx, yy, zz, xy, xz, yz = (number(value, name) for name, value in named.items())
        return cls(mass, vector3(center_of_mass, "center of mass"), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))

    # From a shape. Each takes either the mass (kg) or the density (kg/m^3); `pose` is that of the shape in the frame.

    @classmethod
    def box(cls, size: ArrayLike, *, mass: float | None = None, density: float | None = None,
            pose: PoseLike = _HERE) -> Inertia:
        """A box about its frame's origin; `size` is its whole length along x, y and z (m).

        >>> Inertia.box((0.2, 0.1, 0.1), density=2700, pose=(0.1, 0, 0))
        Inertia(mass=5.4..., center_of_mass=(0.1, 0.0, 0.0), tensor=((0.009..., ...
        """
        return cls.of_solid(solids.box(*_sizes(size, "size of a box")), "box", mass, density, pose)

    @classmethod
    def cylinder(cls, radius: float, length: float, *, mass: float | None = None, density: float | None = None,
                 pose: PoseLike = _HERE) -> Inertia:
        """A cylinder along z about its frame's origin (m).

        >>> round(Inertia.cylinder(0.05, 0.4, mass=2.0).tensor[2][2], 12)
        0.0025
        """
        radius, length = _size(radius, "radius of a cylinder"), _size(length, "length of a cylinder")
        return cls.of_solid(solids.cylinder(radius, length), "cylinder", mass, density, pose)

    @classmethod
    def sphere(cls, radius: float, *, mass: float | None = None, density: float | None = None,
               pose: PoseLike = _HERE) -> Inertia:
        """A ball about its frame's origin (m).

        >>> round(Inertia.sphere(0.1, mass=2.0).tensor[0][0], 12)
        0.008
        """
        radius = _size(radius, "radius of a sphere")
        return cls.of_solid(solids.ellipsoid(radius, radius, radius), "sphere", mass, density, pose)

    @classmethod
    def capsule(cls, radius: float, length: float, *, mass: float | None = None, density: float | None = None,
                pose: PoseLike = _HERE) -> Inertia:
        """A cylinder along z with half a ball at each end, about its frame's origin; `length` is that between the
        centers of the balls (m).

        >>> Inertia.capsule(0.1, 0.0, mass=2.0) == Inertia.sphere(0.1, mass=2.0)
        True
        """
        radius, length = _size(radius, "radius of a capsule"), _size(length, "length of a capsule")
        return cls.of_solid(solids.capsule(radius, length), "capsule", mass, density, pose)

    @classmethod
    def ellipsoid(cls, radii: ArrayLike, *, mass: float | None = None, density: float | None = None,
                  pose: PoseLike = _HERE) -> Inertia:
        """An ellipsoid about its frame's origin; `radii` are its half axes along x, y and z (m).

        >>> round(Inertia.ellipsoid((0.1, 0.2, 0.3), mass=5.0).tensor[0][0], 12)
        0.13
        """
        found = solids.ellipsoid(*_sizes(radii, "radii of an ellipsoid"))
        return cls.of_solid(found, "ellipsoid", mass, density, pose)

    @classmethod
    def from_mesh(
        cls,
        path: str | PathLike[str],
        density: float | None = None,
        *,
        mass: float | None = None,
        scale: ArrayLike = 1.0,
        pose: PoseLike = _HERE,
        if_open: meshes.IfOpen = "refuse",
    ) -> Inertia:
        """A body of uniform density that fills a closed mesh: STL, OBJ, DAE, PLY, OFF, glTF (extra `meshes`).

        `scale` is one number or one each for x, y and z: 0.001 for a mesh that is drawn in millimetres. A mesh with
        holes bounds no volume and is refused; `if_open="hull"` takes its convex hull, with a warning. A casting that
        is hollow has a mesh of its inside too, or weighs less than what is computed here: then give the mass.

        >>> Inertia.from_mesh("forearm.stl", density=2700, scale=0.001)  # doctest: +SKIP
        Inertia(mass=3.2, ...)
        """
        by_axis = np.broadcast_to(np.asarray(scale, dtype=float), 3) if np.ndim(scale) == 0 else scale
        factors = np.array(vector3(by_axis, f"scale of the mesh '{fspath(path)}'"))
        surface = meshes.read_mesh(path).scaled(factors)
        found = meshes.solid_of_mesh(surface, fspath(path), if_open)
        return cls.of_solid(found, "mesh", mass, density, pose)

    @classmethod
    def of_solid(cls, solid: solids.Solid, what: str, mass: float | None, density: float | None,
                 pose: PoseLike = _HERE) -> Inertia:
        """A solid of uniform density; `what` names it in messages."""
        weighs = solids.mass_of(solid, mass, density, what)
        per_volume = weighs / solid.volume if solid.volume else 0.0
        tensor = per_volume * solid.tensor
        return cls(weighs, solid.centroid.tolist(), tensor.tolist()).seen_from(pose_of(pose, f"pose of a {what}"))

    def at_origin(self) -> NDArray[np.float64]:
        """Inertia tensor about the frame's origin."""
        return np.array(self.tensor) + point_mass_tensor(self.mass, np.array(self.center_of_mass))

    @property
    def first_moment(self) -> NDArray[np.float64]:
        """Mass times center of mass."""
        return self.mass * np.array(self.center_of_mass)

    @property
    def principal_moments(self) -> NDArray[np.float64]:
        """Principal moments about the mass center, in rising order."""
        return np.linalg.eigvalsh(np.array(self.tensor))

    @property
    def is_zero(self) -> bool:
        """Whether the body has neither mass nor inertia."""
        return self.mass == 0 and self.tensor == _ZERO

    def seen_from(self, pose: Pose) -> Inertia:
        """The same body in frame A, given in B; `pose` is that of B in A."""
        r = pose.R
        return Inertia(self.mass, pose.transform(self.center_of_mass).tolist(),
                       (r @ np.array(self.tensor) @ r.T).tolist())

    def __add__(self, other: Inertia) -> Inertia:
        """Two bodies welded together, both in the same frame."""
        mass = self.mass + other.mass
        if mass == 0:
            return Inertia(0.0, (0.0, 0.0, 0.0), (np.array(self.tensor) + np.array(other.tensor)).tolist())
        center = (self.first_moment + other.first_moment) / mass
        tensor = sum(
            (
                np.array(part.tensor) + point_mass_tensor(part.mass, np.array(part.center_of_mass) - center)
                for part in (self, other)
            ),
            np.zeros((3, 3)),
        )
        return Inertia(mass, center.tolist(), tensor.tolist())

    def faults(self) -> list[str]:
        """Conditions of a real body that these numbers break, each with the numbers; empty for a sound body.

        >>> Inertia.from_moments(1.0, ixx=1, iyy=1, izz=3).faults()
        ['triangle inequality of the principal moments broken: 1 + 1 < 3 (kg m^2)']
        """
        a, b, c = (float(x) for x in self.principal_moments)
        slack = _SLACK * max(abs(a), abs(c))
        if a < -slack:
            return [f"negative principal moment of inertia: {a:.6g}, {b:.6g}, {c:.6g} (kg m^2)"]
        found = []
        if a + b < c - slack:
            found.append(f"triangle inequality of the principal moments broken: {a:.6g} + {b:.6g} < {c:.6g} (kg m^2)")
        if self.mass == 0 and c > slack:
            found.append(f"inertia without mass: principal moments {a:.6g}, {b:.6g}, {c:.6g} (kg m^2)")
        return found


def _size(value: object, what: str) -> float:
    size = number(value, what)
    if size < 0:
        raise ModelError(f"{what} is {size}: expected zero or more (m)")
    return size


def _sizes(value: object, what: str) -> Vector3:
    x, y, z = vector3(value, what)
    return _size(x, what), _size(y, what), _size(z, what)
