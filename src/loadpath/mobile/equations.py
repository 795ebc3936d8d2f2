"""The equations of motion of a rover as arrays, for one state or many."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.mobile import ground_wrench, tipping
from loadpath.mobile.quantities import reduced_rover, reframed_rover
from loadpath.quantities.wrench import Wrench
from loadpath.scalars.types import Floats
from loadpath.simulate.closed.manifold import Directions

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


BASE = ground_wrench.PLANAR
"""Speeds of the base in front of the joints'."""


class EquationsRow:
    """Where the parts of `equations_row` are in it: M, h, V, v, and the rates of the coordinates."""

    def __init__(self, n: int, nq: int) -> None:
        u = self.speeds = BASE + n
        ends = np.cumsum([0, u * u, u, 3 * u, 3, nq]).tolist()
        self.M, self.h, self.V, self.v, self.rates = (slice(*each) for each in itertools.pairwise(ends))
        self.size: int = ends[-1]

    def equations(self, row: Floats) -> RoverEquations:
        """M, h, V, v of rows (..., size)."""
        batch = row.shape[:-1]
        M, V = (row[..., part].reshape(*batch, rows, self.speeds)
                for part, rows in ((self.M, self.speeds), (self.V, 3)))
        return RoverEquations(M, row[..., self.h], V, row[..., self.v])


class Kernels:
    """The compiled parts."""

    equations_row = Compiled(
        ground_wrench.equations_row,
        "(q),(u),(1)->(r)",
        reduced_rover,
        "Mass matrix and bias forces of base and joints, matrix and bias of what the normal forces carry, and rates of "
        "the coordinates, all in one row, which one state has soonest.",
        optional={"in_space": (15,)},
        takes_external=True,
        sizes=lambda rover, variant: {"u": BASE + rover.n, "r": EquationsRow(rover.n, rover.nq).size},
        public_name="forward_dynamics",
    )
    free_equations = Compiled(
        ground_wrench.free_equations,
        "(q),(n),(6),(3)->(u,u),(u)",
        reduced_rover,
        "Mass matrix and bias forces of a base that is a free body, and of its joints.",
        takes_external=True,
        sizes=lambda rover, variant: {"u": ground_wrench.SPATIAL + rover.n},
        public_name="simulate",
    )
    coordinate_rates = Compiled(
        ground_wrench.coordinate_rates, "(q),(n)->(q)", reduced_rover, "Rates of the arms' coordinates."
    )
    whole_motion = Compiled(
        tipping.whole_motion,
        "(q),(n),(6)->(),(3),(3)",
        reframed_rover,
        "Kinetic energy, momentum and angular momentum of base and robots together: `stability` has what follows.",
        public_name="stability",
    )
    whole_inertia = Compiled(
        tipping.whole_inertia, "(q)->(3,3)", reframed_rover, "Inertia of base and robots as one rigid body."
    )
    normalised = Compiled(
        ground_wrench.normalised, "(q)->(q)", reduced_rover, "The same coordinates, with unit quaternions."
    )


class RoverEquations(NamedTuple):
    """M udot + h = forces along the speeds u = (v_x, v_y, w, qd), and what the normal forces have to carry."""

    mass_matrix: Floats
    """M (..., 3 + n, 3 + n), symmetric."""
    bias: Floats
    """h (..., 3 + n): gravity and what depends on the speeds."""
    vertical_matrix: Floats
    """(..., 3, 3 + n): F_z, N_x, N_y per unit of udot."""
    vertical_bias: Floats
    """(..., 3): F_z, N_x, N_y at udot = 0."""

    def along(self, directions: Directions) -> RoverEquations:
        """The equations in the speeds of the base and those of the joints along directions."""
        M, h, V, v = self
        E = directions.speeds
        shape = np.broadcast_shapes(h.shape[:-1], E.shape[:-2])
        M, h, V = (np.array(np.broadcast_to(part, (*shape, *part.shape[part.ndim - core :])))
                   for part, core in ((M, 2), (h, 1), (V, 2)))
        back = np.swapaxes(E, -1, -2)
        M[..., :, BASE:] = M[..., :, BASE:] @ E
        M[..., BASE:, :] = back @ M[..., BASE:, :]
        h[..., BASE:] = (back @ h[..., BASE:, None])[..., 0]
        V[..., BASE:] = V[..., BASE:] @ E
        return RoverEquations(M, h, V, v)


@lru_cache(maxsize=256)
def kernel(rover: Rover, name: str) -> CompiledMethod:
    """A compiled part of a rover."""
    return CompiledMethod(rover, getattr(Kernels, name))


def equations_of(
    rover: Rover,
    q: Any,
    qd: Any,
    velocity: Any,
    heading: Any = None,
    external: Mapping[str, Wrench] | None = None,
    in_space: Floats | None = None,
) -> RoverEquations:
    """The equations at states; `velocity` has three components here. `in_space` (..., 15) is where the ground moves:
    see `loadpath.mobile.base_in_space`.
    """
    options: dict[str, Any] = {"external": external}
    if in_space is not None:
        options["in_space"] = in_space
    q, qd, velocity, turned = (np.asarray(part, dtype=float)
                              for part in (q, qd, velocity, 0.0 if heading is None else heading))
    shape = np.broadcast_shapes(qd.shape[:-1], velocity.shape[:-1])
    speeds = np.concatenate([np.broadcast_to(part, (*shape, part.shape[-1])) for part in (velocity, qd)], axis=-1)
    row = kernel(rover, "equations_row")(q, speeds, turned[..., None], **options)
    return EquationsRow(rover.n, rover.nq).equations(row)
