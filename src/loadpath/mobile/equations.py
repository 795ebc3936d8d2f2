"""The equations of motion of a rover as arrays, for one state or many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loadpath.engine.quantity import Compiled, CompiledMethod
from loadpath.loads.wrench import Wrench
from loadpath.mobile import rover_dynamics
from loadpath.mobile.quantities import reduced_rover

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

Floats = NDArray[np.float64]

BASE = rover_dynamics.PLANAR
"""Speeds of the base in front of the joints'."""
_PLANE, _VERTICAL = [0, 1, 5], [2, 3, 4]


class Kernels:
    """The compiled parts."""

    rover_equations = Compiled(
        rover_dynamics.rover_equations,
        "(q),(n),(3)->(6,u),(6),(n,n),(n)",
        reduced_rover,
        "Matrix and rest of the ground's wrench, mass matrix and rest of the joints.",
        optional={"heading": ()},
        takes_external=True,
        sizes=lambda rover, variant: {"u": BASE + rover.n},
    )
    coordinate_rates = Compiled(
        rover_dynamics.coordinate_rates, "(q),(n)->(q)", reduced_rover, "Rates of the arms' coordinates."
    )
    normalised = Compiled(
        rover_dynamics.normalised, "(q)->(q)", reduced_rover, "The same coordinates, with unit quaternions."
    )


@dataclass(frozen=True, eq=False)
class RoverEquations:
    """M udot + h = forces along the speeds u = (v_x, v_y, w, qd), and what the normal forces have to carry."""

    wrench_matrix: Floats
    """(..., 6, 3 + n): ground wrench per unit of udot."""
    wrench_rest: Floats
    """(..., 6): ground wrench at udot = 0."""
    joint_matrix: Floats
    """(..., n, n)."""
    joint_rest: Floats
    """(..., n)."""

    @property
    def mass_matrix(self) -> Floats:
        """M (..., 3 + n, 3 + n), symmetric."""
        n = self.joint_matrix.shape[-1]
        result = np.empty((*self.wrench_matrix.shape[:-2], BASE + n, BASE + n))
        result[..., :BASE, :] = self.wrench_matrix[..., _PLANE, :]
        result[..., BASE:, :BASE] = np.swapaxes(self.wrench_matrix[..., _PLANE, BASE:], -1, -2)
        result[..., BASE:, BASE:] = self.joint_matrix
        return result

    @property
    def bias(self) -> Floats:
        """h (..., 3 + n): gravity and what depends on the speeds."""
        return np.concatenate([self.wrench_rest[..., _PLANE], self.joint_rest], axis=-1)

    @property
    def vertical_matrix(self) -> Floats:
        """(..., 3, 3 + n): F_z, N_x, N_y per unit of udot."""
        return self.wrench_matrix[..., _VERTICAL, :]

    @property
    def vertical_rest(self) -> Floats:
        """(..., 3): F_z, N_x, N_y at udot = 0."""
        return self.wrench_rest[..., _VERTICAL]


@lru_cache(maxsize=256)
def kernel(rover: Rover, name: str) -> CompiledMethod:
    """A compiled part of a rover."""
    return CompiledMethod(rover, getattr(Kernels, name))


def equations_of(
    rover: Rover, q: Any, qd: Any, velocity: Any, heading: Any = None, external: Mapping[str, Wrench] | None = None
) -> RoverEquations:
    """The equations at states; `velocity` has three components here."""
    options: dict[str, Any] = {"external": external}
    if rover.ground.slope:
        options["heading"] = np.asarray(0.0 if heading is None else heading, dtype=float)
    return RoverEquations(*kernel(rover, "rover_equations")(q, qd, velocity, **options))
