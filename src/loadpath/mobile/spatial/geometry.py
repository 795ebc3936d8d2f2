"""Where contacts touch the ground under a tilted base, and the rows of their normals, grips and rolling."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.mobile.contacts.elements import Element, Elements
from loadpath.mobile.equations import BASE
from loadpath.mobile.ground_wrench import SPATIAL
from loadpath.mobile.spatial.contact_rows import rows_of_contacts
from loadpath.mobile.spatial.input import Input, Place
from loadpath.scalars.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_TURNED = 0.3
"""Length of the part of an axis along the ground below which a point that touches takes another one."""
MORE = SPATIAL - BASE
"""Speeds that a free base has in addition to those on the plane."""


def cross(a: Floats, b: Floats) -> Floats:
    """Vector products of (..., 3)."""
    result = np.empty(np.broadcast_shapes(a.shape, b.shape))
    result[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    result[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    result[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return result


def dot(a: Floats, b: Floats) -> Floats:
    """Scalar products of (..., 3)."""
    result: Floats = a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]
    return result


def rotation_of(quaternion: Floats) -> Floats:
    """(3, 3) of x, y, z, w, which need not have the length one.

    >>> rotation_of(np.array([0.0, 0.0, 1.0, 1.0])).round(12).tolist()
    [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    x, y, z, w = (quaternion / np.sqrt(quaternion @ quaternion)).tolist()
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])


def turned_by(quaternion: Floats, angles: Floats) -> Floats:
    """The quaternion after a small rotation vector in base axes."""
    x, y, z, w = quaternion.tolist()
    a, b, c = (0.5 * angles).tolist()
    turned = np.array([
        x + w * a + y * c - z * b, y + w * b + z * a - x * c, z + w * c + x * b - y * a, w - x * a - y * b - z * c
    ])
    result: Floats = turned / np.sqrt(turned @ turned)
    return result


class Touch(NamedTuple):
    """The contacts of a base in one place, in base axes."""

    gap: Floats
    """(contacts,): distance from the ground, m; negative where a tyre is pressed in."""
    gap_rate: Floats
    points: Floats
    """(contacts, 3): where they touch."""
    G: Floats
    """(contacts, speeds)."""
    D: Floats
    """(rows, speeds)."""
    G_change: Floats
    """(contacts,): rate of G times U."""
    D_change: Floats
    """(rows,)."""
    pulls: Floats
    """(pulled, speeds): rows of the tractions of wheels whose rates follow from their rolling."""


class Contacts:
    """The wheels, feet and body points of one rover: what does not change. `point_friction` (static, sliding) is that
    of its body points.
    """

    def __init__(self, rover: Rover, elements: Elements, point_friction: tuple[float, float]) -> None:
        self.rover, self.elements, self.base = rover, elements, rover.base
        wheels, points = rover.base.wheels, rover.base.body_points
        self.wheels, self.count = len(wheels), len(wheels) + len(points)
        self.names = (*rover.contact_names, *(f"body point {k}" for k in range(1, len(points) + 1)))
        self.radius = np.array([getattr(wheel, "radius", 0.0) for wheel in wheels] + [0.0] * len(points))
        self._center = np.zeros((self.count, 3))
        self._center[: self.wheels, 2] = self.radius[: self.wheels]
        self._center[self.wheels :] = np.array(points).reshape(-1, 3)
        self._axle = np.zeros((self.count, 3))
        self._axle[:, 1] = 1.0
        self.springs: Bools = np.array([wheel.stiffness is not None for wheel in wheels] + [False] * len(points))
        """(contacts,): which are on springs."""
        self._kind = np.stack([self.radius, self.springs], axis=1)
        self._placed: tuple[Floats, Floats, Floats, Floats] | None = None
        """Centers and axles where none is steered."""
        self.restitution = np.array([wheel.restitution for wheel in wheels] + [0.0] * len(points))
        self.compliance = np.array([wheel.yielding for wheel in wheels] + [1.0] * len(points))
        self.size = elements.size + MORE
        self.rows = elements.count + 2 * len(points)
        static, sliding = point_friction
        self.every: list[Element] = [*elements.all]
        for k in range(len(points)):
            at = slice(elements.count + 2 * k, elements.count + 2 * k + 2)
            self.every.append(Element("sliding", at, static, sliding, contact=self.wheels + k))
        rolled = elements.rolled
        more = np.repeat(np.arange(self.wheels, self.count), 2)
        self._contact: Ints = np.concatenate([rolled.contact, more]).astype(np.intp)
        self._local = np.concatenate([rolled.local, np.tile(np.eye(2), (len(points), 1))])
        own = elements.contact_rows
        self._at: Ints = np.concatenate([np.arange(own), np.arange(elements.count, self.rows)]).astype(np.intp)
        """Rows of contacts among all, those of joints being in between."""
        self._template = np.zeros((self.rows, self.size))
        for i, (k, spin) in enumerate(zip(rolled.contact, rolled.spin, strict=True)):
            if spin and int(k) in elements.spin_at:
                self._template[i, elements.spin_at[int(k)] + MORE] = spin
        for e in elements.all:
            if e.joint >= 0:
                self._template[e.rows.start, SPATIAL + e.joint] = 1.0
        spin_axles = rover.arrangement.at_rest.forward[elements.spinning]
        self.spin_axle = np.stack([-spin_axles[:, 1], spin_axles[:, 0], 0 * spin_axles[:, 0]], axis=-1)
        """(spins, 3)."""
        self.extent = rover.arrangement.size
        """m: to weigh turning against moving."""

    def choose_axes(self, place: Place) -> None:
        """Other axes for points whose own is nearly along the normal: their friction is the same in all directions."""
        n = place.rotation[2]
        for k in np.flatnonzero(self.radius == 0):
            if np.sqrt(dot(*(cross(self._axle[k], n),) * 2)) < _TURNED:
                self._axle[k] = np.eye(3)[int(np.abs(n).argmin())]
                self._placed = None

    def axles(self, at: Input) -> tuple[Floats, Floats, Floats, Floats]:
        """Centers and axles (contacts, 3) at steering angles, and their rates."""
        if self._placed is not None:
            return self._placed
        wheels, angles, rates = self.rover.arrangement, at.angles, at.angle_rates
        center, axle = self._center.copy(), self._axle.copy()
        placed = wheels.placed(angles)
        wheeled = np.flatnonzero(self.radius[: self.wheels] > 0)
        center[: self.wheels, :2] = placed.points
        axle[wheeled, 0], axle[wheeled, 1] = -placed.forward[wheeled, 1], placed.forward[wheeled, 0]
        moves, turns = np.zeros(center.shape), np.zeros(axle.shape)
        for i, k in enumerate(wheels.steerable):
            if rates[i]:
                turns[k, :2] = -rates[i] * placed.forward[k]
                trail = wheels.wheels[k].trail
                moves[k, :2] = -trail * rates[i] * axle[k, :2]
        if not len(wheels.steerable):
            self._placed = center, axle, moves, turns
        return center, axle, moves, turns

    def touch(self, at: Input) -> Touch:
        """The contacts of a base in a place, with its speeds."""
        c, e, cdot, edot = self.axles(at)
        ground, twist = self._ground(at, c, e), at.U[:SPATIAL]
        body, rates = np.concatenate([c, e], axis=1), np.concatenate([cdot, edot], axis=1)
        found = rows_of_contacts(ground, body, rates, self._kind, twist)
        G, D, D_change = np.zeros((self.count, self.size)), self._template.copy(), np.zeros(self.rows)
        G[:, :SPATIAL] = found.normal
        rows, k, local = self._at, self._contact, self._local
        D[rows, :SPATIAL] = local[:, :1] * found.forward[k] + local[:, 1:] * found.left[k]
        D_change[rows] = local[:, 0] * found.changes[k, 1] + local[:, 1] * found.changes[k, 2]
        pulls = np.zeros((len(self.elements.pulled), self.size))
        if len(pulls):
            those = self.elements.pulls
            k = those.contact
            pulls[:, :SPATIAL] = those.local[:, :1] * found.forward[k] + those.local[:, 1:] * found.left[k]
        return Touch(found.gap, found.gap_rate, found.points, G, D, found.changes[:, 0], D_change, pulls)

    def _ground(self, at: Input, c: Floats, e: Floats) -> Floats:
        """(contacts, 7): normals of the ground in base axes, their rates, and n . r where the gap is zero."""
        n, w, result = at.place.rotation[2], at.U[3:SPATIAL], np.empty((self.count, 7))
        result[:, :3], result[:, 3:6], result[:, 6] = n, cross(n, w), -at.place.position[2]
        return result
