"""The inertia of a rigid body: ten numbers, and the conditions that a real body meets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadpath.errors import ModelError
from loadpath.robot.numbers import LARGEST_LENGTH, Matrix3, Vector3, matrix3, number, shape_of, vector3, within
from loadpath.robot.pose import Pose
from loadpath.scalars import array, point_tensor

_ZERO: Matrix3 = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
# Relative slack of the conditions: published tensors are rounded to a few digits.
_SLACK = 1e-9
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
    center_of_mass: Vector3 = (0.0, 0.0, 0.0)
    tensor: Matrix3 = _ZERO

    def __post_init__(self) -> None:
        mass = number(self.mass, "mass")
        if mass < 0:
            raise ModelError(f"mass is {mass}: expected zero or more")
        within(mass, _LARGEST_MASS, "mass", "kg")
        if len(shape_of(self.tensor, "inertia tensor")) == 1:
            raise ModelError(f"inertia tensor is {self.tensor}: expected 3 x 3; three moments go into "
                             "Inertia.from_moments(mass, center_of_mass, ixx=, iyy=, izz=)")  # fmt: skip
        tensor = np.array(matrix3(self.tensor, "inertia tensor"))
        scale = float(np.abs(tensor).max())
        asymmetry = float(np.abs(tensor - tensor.T).max())
        if asymmetry > _SLACK * scale:
            raise ModelError(f"inertia tensor is not symmetric: it differs from its transpose by {asymmetry:.3g}")
        tensor = (tensor + tensor.T) / 2
        within(scale, _LARGEST_MOMENT, "largest entry of the inertia tensor", "kg m^2")
        center = vector3(self.center_of_mass, "center of mass")
        within(max(center, key=abs), LARGEST_LENGTH, "a coordinate of the center of mass", "m")
        object.__setattr__(self, "mass", mass)
        object.__setattr__(self, "center_of_mass", center)
        object.__setattr__(self, "tensor", matrix3(tensor.tolist(), "inertia tensor"))

    @classmethod
    def about_origin(cls, mass: float, center_of_mass: ArrayLike = (0, 0, 0), tensor: ArrayLike = _ZERO) -> Inertia:
        """From a tensor about the frame's origin instead of the mass center."""
        c = np.array(vector3(center_of_mass, "center of mass"))
        about_center = np.array(matrix3(tensor, "inertia tensor")) - point_mass_tensor(number(mass, "mass"), c)
        return cls(mass, vector3(c, "center of mass"), about_center.tolist())

    @classmethod
    def from_moments(cls, mass: float, center_of_mass: ArrayLike = (0, 0, 0), *, ixx: float = 0, iyy: float = 0,
                     izz: float = 0, ixy: float = 0, ixz: float = 0, iyz: float = 0) -> Inertia:  # fmt: skip
        """From the six entries of the tensor about the mass center (ixy is the entry, minus the product)."""
        named = {"ixx": ixx, "iyy": iyy, "izz": izz, "ixy": ixy, "ixz": ixz, "iyz": iyz}
        xx, yy, zz, xy, xz, yz = (number(value, name) for name, value in named.items())
        return cls(mass, vector3(center_of_mass, "center of mass"), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))

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
                       (r @ np.array(self.tensor) @ r.T).tolist())  # fmt: skip

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
