"""Where contacts touch the ground under a tilted base, and the rows of their normals, grips and rolling."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.errors import IntegrationError
from loadpath.mobile.contacts.elements import Element, Elements
from loadpath.mobile.equations import BASE
from loadpath.mobile.ground_wrench import SPATIAL
from loadpath.mobile.links import Hubs
from loadpath.mobile.spatial.contact_rows import rows_of_contacts
from loadpath.mobile.spatial.input import Input
from loadpath.mobile.spatial.patches import Frictions, frictions
from loadpath.mobile.spatial.suspension import SprungWheels
from loadpath.mobile.spatial.terrain import NOWHERE, Bodies, Piece, likeness, pieces_of
from loadpath.scalars.types import ArrayLike, Bools, Floats, Ints

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_TURNED = 0.3
"""Length of the part of an axis along the ground below which a point that touches takes another one."""
_INSIDE, _PRESSED = 1e-4, 0.02
"""m: depth from which on rigid contacts are inside a piece of ground, not on it; and contacts on springs, at least."""
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
    reach: Floats
    """(contacts,): m until the piece of ground ends to a side, negative beside it."""
    gap_rate: Floats
    points: Floats
    """(contacts, 3): where they touch."""
    forward: Floats
    left: Floats
    """(contacts, 6): rows along the ground, forward at right angles to the axle, in the velocity of the base."""
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

    @property
    def apart(self) -> Floats:
        """(contacts,): the gaps, far where a contact is beside its piece of ground."""
        return np.where(self.reach < 0, NOWHERE, self.gap)


class Contacts:
    """The wheels, feet and body points of one rover, each on every piece of the ground: what does not change. Wheels
    come first, then body points, on the first piece; then all of them on the next one. `point_friction` (static,
    sliding) is that of its body points.
    """

    def __init__(self, rover: Rover, elements: Elements, point_friction: tuple[float, float]) -> None:
        self.rover, self.elements, self.base = rover, elements, rover.base
        wheels, points = rover.base.wheels, rover.base.body_points
        surface = rover.ground.surface
        self.pieces: tuple[Piece, ...] = () if surface is None else pieces_of(surface)
        """Of uneven ground; none of a plane."""
        self.wheels, self.bodies = len(wheels), len(wheels) + len(points)
        self.count = self.bodies * max(len(self.pieces), 1)
        self.owner: Ints = np.arange(self.count) % self.bodies
        """(contacts,): number of the wheel, or of the body point after all wheels."""
        names = (*rover.contact_names, *(f"body point {k}" for k in range(1, len(points) + 1)))
        self.names = tuple(names[k] for k in self.owner)
        self._everywhere = np.full(self.count, np.inf)
        self._on_wheel = np.flatnonzero(self.owner < self.wheels)
        self.radius = self.of_wheels([getattr(wheel, "radius", 0.0) for wheel in wheels])
        self._center = np.zeros((self.count, 3))
        self._center[:, 2] = self.radius
        if points:
            on_point = self.owner >= self.wheels
            self._center[on_point] = np.array(points).reshape(-1, 3)[self.owner[on_point] - self.wheels]
        self._axle = np.zeros((self.count, 3))
        self._axle[:, 1] = 1.0
        self.sprung = SprungWheels(rover, self.owner, elements.size + MORE, likeness(self.pieces))
        self.springs: Bools = self.sprung.on_springs
        """(contacts,): which are on springs."""
        self._kind = np.stack([self.radius, self.springs & ~self.sprung.in_series, self.sprung.in_series,
                               np.zeros(self.count)], axis=1)
        self._placed: tuple[Floats, Floats, Floats, Floats] | None = None
        """Centers and axles where none is steered, and no hub moves."""
        self.restitution = self.of_wheels([wheel.restitution for wheel in wheels])
        self.compliance = self.of_wheels([wheel.yielding for wheel in wheels], 1.0)
        self.size = elements.size + MORE + len(self.sprung.columns)
        self._add_rows(point_friction)
        self._template = self._columns()
        spin_axles = rover.arrangement.at_home.forward[elements.spinning]
        self.spin_axle = np.stack([-spin_axles[:, 1], spin_axles[:, 0], 0 * spin_axles[:, 0]], axis=-1)
        """(spins, 3)."""
        self.extent = rover.arrangement.size
        """m: to weigh turning against moving."""
        self._beside = self.every
        self._frictions: dict[tuple[int, ...], Frictions] = {}
        self.under: tuple[int, ...] = ()
        self.stand_on(())

    def _add_rows(self, point_friction: tuple[float, float]) -> None:
        """Elements and rows of wheels on the first piece of ground, joints, body points; then those on other pieces."""
        elements, points = self.elements, self.bodies - self.wheels
        static, sliding = point_friction
        self.every: list[Element] = [*elements.all]
        rolled = elements.rolled
        contact, local = [rolled.contact], [rolled.local]
        self.rows, self._firsts = elements.count, [0]
        for first in range(0, self.count, self.bodies):
            if first:
                self._repeat(first)
                contact.append(rolled.contact + first)
                local.append(rolled.local)
            for k in range(points):
                at = slice(self.rows, self.rows + 2)
                self.every.append(Element("sliding", at, static, sliding, contact=first + self.wheels + k))
                self.rows += 2
                contact.append(np.full(2, first + self.wheels + k))
                local.append(np.eye(2))
        self._contact: Ints = np.concatenate(contact).astype(np.intp)
        self._local = np.concatenate(local)
        own = elements.contact_rows
        self._at: Ints = np.concatenate([np.arange(own), np.arange(elements.count, self.rows)]).astype(np.intp)
        """Rows of contacts among all, those of joints being in between."""

    def stand_on(self, under: tuple[int, ...]) -> None:
        """Contacts stand on patches of friction of these numbers from here on, -1 beside them; nothing: there are none.
        """
        if under not in self._frictions:
            self._frictions[under] = frictions(self, self._beside, under)
        self.under, self.friction = under, self._frictions[under]
        self.every = self.friction.every

    def _columns(self) -> Floats:
        """(rows, speeds): what rows have of spinning wheels and joints."""
        elements = self.elements
        result = np.zeros((self.rows, self.size))
        for i, (k, spin) in enumerate(zip(elements.rolled.contact, elements.rolled.spin, strict=True)):
            if spin and int(k) in elements.spin_at:
                result[[first + i for first in self._firsts], elements.spin_at[int(k)] + MORE] = spin
        for e in elements.all:
            if e.joint >= 0:
                result[e.rows.start, SPATIAL + e.joint] = 1.0
            elif e.axle >= 0:
                result[e.rows.start, elements.spin_at[e.axle] + MORE] = 1.0
        return result

    def _repeat(self, first: int) -> None:
        """The elements of the wheels once more, on another piece of ground."""
        self._firsts.append(self.rows)
        for e in self.elements.all:
            if e.contact >= 0:
                at = slice(self.rows + e.rows.start, self.rows + e.rows.stop)
                self.every.append(replace(e, rows=at, contact=first + e.contact, massless=False))
        self.rows += self.elements.contact_rows

    def of_wheels(self, values: ArrayLike, of_points: float = 0.0) -> Floats:
        """(contacts,): what contacts have of their wheels; body points have what is given."""
        each = np.full(self.bodies, of_points)
        each[: self.wheels] = values
        return each[self.owner]

    def by_body(self, values: Floats) -> Floats:
        """(..., bodies): sums of what contacts (..., contacts) have over the pieces of ground."""
        return np.asarray(values.reshape(*values.shape[:-1], -1, self.bodies).sum(axis=-2))

    def refuse_inside(self, t: float, touch: Touch) -> None:
        """An error for a contact that is inside a piece of ground: it came from the side, or is pressed in so far that
        the ground is not where its spring is.
        """
        if len(self.pieces) < 2:
            return
        pressed = np.where(self.springs, np.maximum(0.5 * self.radius, _PRESSED), _INSIDE)
        inside = np.flatnonzero(touch.apart < -pressed)
        if not len(inside):
            return
        k = int(inside[0])
        why = ("it came over its side (across=...), which has no face here; a kerb in that direction has one"
               if np.isfinite(touch.reach[k]) else
               "more than half of its radius, which it reaches so deep only if it is too soft for this ground or too "
               "fast: give it a larger stiffness or damping, a smaller step of the ground, or less speed"
               if self.springs[k] else "it was stepped over: give a smaller max_step=")
        raise IntegrationError(f"simulate: at t = {t:.6g} s '{self.names[k]}' is {-float(touch.gap[k]):.4g} m inside a "
                               f"kerb or ramp: {why}")

    @property
    def centers(self) -> Floats:
        """(bodies, 3): of wheels that look ahead, feet and body points, in base axes."""
        centers = self._center[: self.bodies].copy()
        centers[: self.wheels, :2] = self.rover.arrangement.at_home.points
        return centers

    @property
    def row_contacts(self) -> tuple[Ints, Ints, Floats]:
        """Rows of wheels and feet: their numbers among all, the wheels, and the directions that wheels say."""
        own = self.elements.own
        rows = np.concatenate([first + np.arange(len(own.contact)) for first in self._firsts])
        return rows, np.tile(own.contact, len(self._firsts)), np.tile(own.local, (len(self._firsts), 1))

    def choose(self, at: Input) -> None:
        """Other axes for points whose own is nearly along the normal: their friction is the same in all directions."""
        points = np.flatnonzero(self.radius == 0)
        if not len(points):
            return
        n = self._ground(at, *self.axles(at))[0][:, :3]
        for k in points:
            if np.sqrt(dot(*(cross(self._axle[k], n[k]),) * 2)) < _TURNED:
                self._axle[k] = np.eye(3)[int(np.abs(n[k]).argmin())]
                self._placed = None

    def axles(self, at: Input) -> tuple[Floats, Floats, Floats, Floats]:
        """Centers and axles (contacts, 3) at steering angles, and their rates."""
        if self._placed is not None:
            return self._placed
        wheels, angles, rates = self.rover.arrangement, at.angles, at.angle_rates
        center, axle = self._center.copy(), self._axle.copy()
        placed = wheels.placed(angles, at.q)
        on, wheeled = self._on_wheel, np.flatnonzero(self.radius > 0)
        center[on, :2] = placed.points[self.owner[on]]
        forward = placed.forward[self.owner[wheeled]]
        axle[wheeled, 0], axle[wheeled, 1] = -forward[:, 1], forward[:, 0]
        moves, turns = np.zeros(center.shape), np.zeros(axle.shape)
        for i, k in enumerate(wheels.steerable):
            if rates[i]:
                those = slice(k, None, self.bodies)
                turns[those, :2] = -rates[i] * placed.forward[k]
                moves[those, :2] = -wheels.wheels[k].trail * rates[i] * axle[those, :2]
        if self.rover.linkage is not None:
            self._put_on_links(self.rover.linkage.hubs(at.q), at, center, axle, moves, turns)
        elif not len(wheels.steerable) and not len(self.sprung.columns):
            self._placed = center, axle, moves, turns
        hubs, hub = self.sprung.of_hubs, self.sprung.hub
        center[hubs, 2] += self.sprung.hub_deflections(at.inner)[hub]
        moves[hubs, 2] += at.U[self.sprung.columns][hub]
        return center, axle, moves, turns

    def _put_on_links(
        self, hubs: Hubs, at: Input, center: Floats, axle: Floats, moves: Floats, turns: Floats
    ) -> None:
        """Centers and axles of wheels on links, and their rates against the base, in place."""
        those = np.flatnonzero([self.owner[k] < self.wheels and self._on_link[self.owner[k]]
                                for k in range(self.count)])
        of = self.owner[those]
        center[those] = hubs.center[of]
        rolls = self.radius[those] > 0
        left, ahead, steerable = cross(hubs.up, hubs.forward), hubs.forward.copy(), self.rover.arrangement.steerable
        steered = np.zeros(self.wheels)
        if len(steerable):  # about the z axes of the links
            c, s = np.cos(at.angles)[:, None], np.sin(at.angles)[:, None]
            f, a = hubs.forward[steerable], left[steerable]
            ahead[steerable], left[steerable] = c * f + s * a, c * a - s * f
            steered[steerable] = at.angle_rates
        axle[those[rolls]] = left[of[rolls]]
        moves[those] = (hubs.point_jacobian(hubs.center)[of] @ at.qd[:, None])[..., 0]
        turning = (hubs.J[of, 3:] @ at.qd[:, None])[..., 0]
        turns[those] = cross(turning, axle[those]) - steered[of, None] * ahead[of]

    @cached_property
    def _on_link(self) -> Bools:
        """(wheels,)."""
        return np.array([wheel.link is not None for wheel in self.base.wheels])

    def touch(self, at: Input) -> Touch:
        """The contacts of a base in a place, with its speeds."""
        c, e, cdot, edot = self.axles(at)
        (ground, reach), twist = self._ground(at, c, e, cdot, edot), at.U[:SPATIAL]
        body, rates = np.concatenate([c, e], axis=1), np.concatenate([cdot, edot], axis=1)
        hubs, columns = self.sprung.of_hubs, self.sprung.columns[self.sprung.hub]
        if len(hubs):
            self._kind[hubs, 3] = at.U[columns]
        links = None if self.rover.linkage is None else self.link_twists(at)
        if links is not None:
            twist = twist + (links[0] @ at.qd[:, None])[..., 0]
        found = rows_of_contacts(ground, body, rates, self._kind, twist)
        G, D, D_change = np.zeros((self.count, self.size)), self._template.copy(), np.zeros(self.rows)
        G[:, :SPATIAL] = found.normal
        G[hubs, columns] = found.normal[hubs, 2]
        rows, k, local = self._at, self._contact, self._local
        D[rows, :SPATIAL] = local[:, :1] * found.forward[k] + local[:, 1:] * found.left[k]
        if links is not None:
            of_joints, more = links
            joints = slice(SPATIAL, SPATIAL + self.rover.n)
            G[:, joints] = (found.normal[:, None] @ of_joints)[:, 0]
            D[rows, joints] = (D[rows, None, :SPATIAL] @ of_joints[k])[:, 0]
            each = np.stack([found.normal, found.forward, found.left], axis=1)
            found = found._replace(changes=found.changes + (each @ more[..., None])[..., 0])
        D_change[rows] = local[:, 0] * found.changes[k, 1] + local[:, 1] * found.changes[k, 2]
        pulls = np.zeros((len(self.elements.pulled), self.size))
        if len(pulls):
            those = self.elements.pulls
            k = those.contact
            if len(self.pieces) > 1:  # its rate is that on the piece where it is
                apart = np.where(reach < 0, NOWHERE, found.gap)
                k = k + self.bodies * apart.reshape(-1, self.bodies)[:, k].argmin(axis=0)
            pulls[:, :SPATIAL] = those.local[:, :1] * found.forward[k] + those.local[:, 1:] * found.left[k]
            if links is not None:
                pulls[:, SPATIAL : SPATIAL + self.rover.n] = (pulls[:, None, :SPATIAL] @ links[0][k])[:, 0]
        G, D, pulls = (at.forces_along(rows) for rows in (G, D, pulls))
        return Touch(found.gap, reach, found.gap_rate, found.points, found.forward, found.left, G, D,
                     found.changes[:, 0], D_change, pulls)

    def link_twists(self, at: Input) -> tuple[Floats, Floats]:
        """Of the links of all contacts against the base, at its origin: twists (contacts, 6, n) per unit of qd, and
        (contacts, 6) what speeds alone make of the acceleration of a point r of the link that moves with it, as a + w x
        r, but for the part w x dr/dt that the twist has.
        """
        assert self.rover.linkage is not None
        hubs = self.rover.linkage.hubs(at.q, at.qd)
        X, Y = np.zeros((self.count, SPATIAL, self.rover.n)), np.zeros((self.count, SPATIAL))
        on, of = self._on_wheel, self.owner[self._on_wheel]
        J, o = hubs.J[of], hubs.origin[of]
        X[on, :3] = J[:, :3] - np.swapaxes(cross(np.swapaxes(J[:, 3:], 1, 2), o[:, None]), 1, 2)
        X[on, 3:] = J[:, 3:]
        moving = (J @ at.qd[:, None])[..., 0]
        turned = hubs.bias[of, 3:]
        Y[on, :3] = hubs.bias[of, :3] - cross(moving[:, 3:], moving[:, :3]) - cross(turned, o)
        Y[on, 3:] = turned
        return X, Y

    def _ground(
        self, at: Input, c: Floats, e: Floats, cdot: Floats, edot: Floats
    ) -> tuple[Floats, Floats]:
        """(contacts, 7): normals of the ground in base axes, their rates, and n . r where the gap is zero; and
        (contacts,): until where the piece of ground reaches.
        """
        (origin, R), v, w, result = at.place, at.U[:3], at.U[3:SPATIAL], np.empty((self.count, 7))
        if not self.pieces:
            n = R[2]
            result[:, :3], result[:, 3:6], result[:, 6] = n, cross(n, w), -origin[2]
            return result, self._everywhere
        every = slice(self.bodies)
        bodies = Bodies(origin + c[every] @ R.T, e[every] @ R.T, self.radius[every],
                        (v + cross(w, c[every]) + cdot[every]) @ R.T, (cross(w, e[every]) + edot[every]) @ R.T)
        under = [piece.under(bodies) for piece in self.pieces]
        N, offset, Ndot, reach = (np.concatenate([each[k] for each in under]) for k in range(4))
        result[:, :3] = N @ R
        result[:, 3:6] = Ndot @ R + cross(result[:, :3], w)
        result[:, 6] = offset - N @ origin - np.where((reach < 0) & self.springs, NOWHERE, 0.0)
        return result, reach
