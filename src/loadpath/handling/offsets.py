"""Where a payload's mass center is, and what one kilogram there adds to every load.

The wrench that moves a point mass at c is linear in 1, c and c c' (its mass, its first and its second moment): ten
numbers. Robots that carry one kilogram at ten places therefore give the loads of one kilogram at any place, as their
sum with Lagrange's weights of these places. A tensor that goes with the mass is the same in all ten.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.loads.payload import free_payload_name
from loadpath.parts.sizing.loads import Affine, SeatLoads, States, loads_of
from loadpath.parts.verdict.joint_loads import Source
from loadpath.robot import edit
from loadpath.robot.units import tried_loads
from loadpath.scalars.types import Floats, Ints

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loadpath.parts.verdict.duties import Duty
    from loadpath.quantities.table import RobotQuantities

_PAIRS = tuple(combinations_with_replacement(range(3), 2))
MOST_STATES = 200_000
AZIMUTHS = 8


def monomials(points: Floats) -> Floats:
    """(..., 10): 1, x, y, z and their products, of points (..., 3).

    >>> monomials(np.array([2.0, 3.0, 5.0])).tolist()
    [1.0, 2.0, 3.0, 5.0, 4.0, 6.0, 10.0, 9.0, 15.0, 25.0]
    """
    squares = np.stack([points[..., i] * points[..., j] for i, j in _PAIRS], axis=-1)
    return np.concatenate([np.ones((*points.shape[:-1], 1)), points, squares], axis=-1)


@dataclass(frozen=True, eq=False)
class Places:
    """Ten places that all others follow from, about as far apart as these are."""

    center: Floats
    """(3,): m."""
    reach: float

    @classmethod
    def around(cls, points: Floats) -> Places:
        """For points (..., 3)."""
        flat = points.reshape(-1, 3)
        low, high = flat.min(axis=0), flat.max(axis=0)
        return cls(0.5 * (low + high), 0.5 * float((high - low).max()) or 1.0)

    @property
    def nodes(self) -> Floats:
        """(10, 3): the middle, along each axis to both sides, and between each two axes."""
        unit = np.eye(3)
        return self.center + self.reach * np.concatenate(
            [np.zeros((1, 3)), unit, -unit, [unit[i] + unit[j] for i, j in _PAIRS if i != j]])

    def weights(self, points: Floats) -> Floats:
        """(..., 10): shares of the ten places in what a kilogram at each of the points adds; they sum to one.

        >>> where = Places(np.zeros(3), 0.5)
        >>> weights = where.weights(np.array([0.1, 0.2, 0.3]))
        >>> (weights @ where.nodes).round(12).tolist()
        [0.1, 0.2, 0.3]
        """
        found: Floats = monomials((points - self.center) / self.reach) @ self.inverse
        return found

    @property
    def inverse(self) -> Floats:
        """(10, 10): from monomials to weights."""
        return np.asarray(np.linalg.inv(monomials((self.nodes - self.center) / self.reach)), dtype=float)


@dataclass(frozen=True, eq=False)
class Tile:
    """Cells of a grid of offsets: axial and radial numbers, of one radial direction."""

    axial: Ints
    radial: Ints
    direction: int

    def quarters(self) -> list[Tile]:
        """Itself in four parts, or two of a single row."""
        return [Tile(a, r, self.direction) for a in _halves(self.axial) for r in _halves(self.radial)]


@dataclass(frozen=True, eq=False)
class Grid:
    """Axial and radial offsets, and the radial directions."""

    axial: Floats
    radial: Floats
    along: Floats
    """(3,)"""
    across: Floats
    """(directions, 3)"""

    @property
    def points(self) -> Floats:
        """(axial, radial, directions, 3): m."""
        found: Floats = (self.axial[:, None, None, None] * self.along
                         + self.radial[None, :, None, None] * self.across)
        return found

    def tiles(self, side: int) -> list[Tile]:
        """The whole grid in tiles of about so many cells a side, neighbours together."""
        rows, columns = (np.array_split(np.argsort(values, kind="stable"), -(-len(values) // side))
                         for values in (self.axial, self.radial))
        return [Tile(a, r, n) for n in range(len(self.across)) for a in rows for r in columns]

    def numbers(self, tile: Tile) -> Ints:
        """Of the cells of a tile, among all points in their order."""
        cells = tile.axial[:, None] * len(self.radial) + tile.radial
        return np.asarray((cells * len(self.across) + tile.direction).ravel(), dtype=np.intp)

    def hull(self, tile: Tile, places: Places) -> Floats:
        """(9, 10): weights in whose convex hull are those of all points of a tile.

        What a kilogram adds is a polynomial of the second degree of both offsets, and such a patch is within the hull
        of its control points in Bernstein's form: of L over (L0, L1) these are L0, (L0 + L1) / 2, L1, of its square
        L0 L0, L0 L1, L1 L1.
        """
        (L, LL), (R, RR) = (_controls(values[rows]) for values, rows in (
            (self.axial, tile.axial), (self.radial, tile.radial)))
        a, r, c = self.along, self.across[tile.direction], places.center
        x = L[:, None, None] * a + R[None, :, None] * r  # (3, 3, 3)
        products = np.stack([
            LL[:, None] * a[i] * a[j] + np.outer(L, R) * (a[i] * r[j] + a[j] * r[i]) + RR[None, :] * r[i] * r[j]
            - c[i] * x[..., j] - c[j] * x[..., i] + c[i] * c[j] for i, j in _PAIRS], axis=-1) / places.reach**2
        terms = np.concatenate([np.ones((3, 3, 1)), (x - c) / places.reach, products], axis=-1)
        found: Floats = (terms @ places.inverse).reshape(9, -1)
        return found


def _controls(values: Floats) -> tuple[Floats, Floats]:
    low, high = float(values.min()), float(values.max())
    return np.array([low, 0.5 * (low + high), high]), np.array([low * low, low * high, high * high])


def _halves(rows: Ints) -> list[Ints]:
    return [rows] if len(rows) < 2 else np.array_split(rows, 2)


@dataclass(frozen=True, eq=False)
class PayloadLoads:
    """The loads of a robot as affine functions of payloads at ten places and, last, of a unit of inertia."""

    robot: Any
    places: Places
    states: States
    tau: Affine
    """(n, states)."""
    seats: dict[str, SeatLoads]

    @classmethod
    def of(
        cls, robot: RobotQuantities, duties: tuple[Duty, ...], seats: Sequence[str], points: Floats, link: str | None,
        tensor: Floats | None, unit_tensor: Floats | None, caller: str,
    ) -> PayloadLoads:
        """`tensor` (m^2, about the mass center) goes with each kilogram, `unit_tensor` is the unit of inertia."""
        count = sum(map(len, duties))
        if count > MOST_STATES:
            raise ValueError(f"{caller}: {count:,} states: expected at most {MOST_STATES:,}; take fewer samples a "
                             "second")
        places, name = Places.around(points), free_payload_name(robot)
        own = np.zeros((3, 3)) if tensor is None else tensor
        bodies = [(node, own) for node in places.nodes]
        if unit_tensor is not None:
            bodies.append((places.nodes[0], own + unit_tensor))
        with tried_loads():
            units = [edit.with_payload(robot, 1.0, center, inertia, link, name=name) for center, inertia in bodies]
        sources = [Source(robot), *(Source(robot, unit, 1.0) for unit in units)]
        states, tau, carried = loads_of(sources, duties, seats, caller)
        if unit_tensor is not None:  # what it adds to the same mass without it
            for affine in (tau, *(array for seat in carried.values() for array in seat.arrays.values())):
                affine.slopes[-1] -= affine.slopes[0]
        return cls(robot, places, states, tau, carried)

    def weights(self, points: Floats) -> Floats:
        """(..., masses) of one kilogram at points (..., 3)."""
        found = self.places.weights(points)
        more = len(self.tau.slopes) - found.shape[-1]
        return np.concatenate([found, np.zeros((*found.shape[:-1], more))], axis=-1)

    def with_more(self, payload: Floats) -> PayloadLoads:
        """The loads of the robot with a payload (masses,), as affine functions of units of inertia alone."""

        def moved(affine: Affine) -> Affine:
            return Affine(affine.base + np.tensordot(payload, affine.slopes, axes=1), affine.slopes[-1:])

        seats = {}
        for name, seat in self.seats.items():
            arrays = {key: moved(affine) for key, affine in seat.arrays.items()}
            seats[name] = SeatLoads(seat.seat, self.robot, self.states, arrays)
        return PayloadLoads(self.robot, self.places, self.states, moved(self.tau), seats)


def azimuths(axial: Floats, radial: Floats | None, around: int) -> tuple[Floats, Floats]:
    """Unit vectors of radial offsets (directions, 3) and their angles: the one that is given, or so many all around.

    >>> azimuths(np.array([0.0, 0.0, 1.0]), None, 2)[0].round(12).tolist()
    [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]
    """
    if radial is not None:
        return radial[None], np.zeros(1)
    # Of the axes of the link, the one farthest from the axial direction tells where angles begin.
    first = np.eye(3)[int(np.argmin(np.abs(axial)))] if abs(axial[0]) > 1e-9 else np.eye(3)[0]
    first = first - (first @ axial) * axial
    first /= np.linalg.norm(first)
    second = np.cross(axial, first)
    angles: Floats = np.asarray(np.arange(around) * (2.0 * math.pi / around), dtype=float)
    found: Floats = np.cos(angles)[:, None] * first + np.sin(angles)[:, None] * second
    return found, angles
