"""Where wheels, feet and body points meet uneven ground: normals, gaps and how the normals turn.

The ground is a union of pieces, and every contact is one of a wheel, foot or body point with one piece: a wheel that
stands on the road and against a kerb has two. A wheel is the ellipsoid of `geometry` (radius R, a thin disc about its
axle e), feet and body points are points. With its center c and K = 1 - a e e^T, it reaches r(n) = c - R K n/S,
S = sqrt(n K n), in the direction -n. A piece and a convex body are apart by

    gap = max over unit vectors n of   n . c - R S(n) - h(n),        h(n) = max of n . p over the piece,

and the n that it takes is the normal where they touch. Its rate follows from that condition, differentiated: it has the
curvature of the ground and of the wheel, and rigid contacts need it in their accelerations.

- Kerbs and ramps are prisms: a profile of straight lines along one direction. It is cut where it is hollow (foot of a
  ramp, of a kerb), so that every piece is convex: its sides have constant normals, on a crest the normal turns about
  the edge. Wheels meet edges as they are; for points edges are rounded with `EDGE`, or a normal would jump there.
- Cubic height maps and surfaces of one's own are smooth: h and n follow from the point (x, y) where both have a common
  normal. Their hollows must be wider than the wheel.

All of it is in the axes of the ground.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from loadpath.errors import IntegrationError, ModelError
from loadpath.mobile.spatial.contact_rows import ROUNDED
from loadpath.mobile.spatial.smooth_contact import SmoothContact, smooth_contacts
from loadpath.robot.wheels.surface import HeightMap, Kerb, Ramp, SumOfSurfaces, Surface
from loadpath.scalars.types import Bools, Floats, Ints

EDGE = 1e-3
"""m: radius of edges of kerbs and ramps where feet and body points slide over them."""
_ALONG = 1.0 - ROUNDED**2
_ITERATIONS, _EXACT = 50, 1e-14
_FAR, _FAR_OFF = 0.3, 0.05
"""Gap beyond which it is not asked whether a corner is nearer than the sides: of the radius, and m."""
_HIGH, _HIGH_UP = 1.0, 0.1
"""Gap beyond which a smooth surface is the plane that touches it: of the radius, and m."""
NOWHERE = 1e3
"""m: gap of a contact from a piece that does not reach to where it is."""


class Bodies(NamedTuple):
    """Wheels, feet and body points, (k, 3) but for the radii."""

    center: Floats
    axle: Floats
    radius: Floats
    """(k,): zero for points."""
    center_rate: Floats
    axle_rate: Floats

    def some(self, those: Bools) -> Bodies:
        """Some of them."""
        return Bodies(*(part[those] for part in self))

    def reach(self, n: Floats) -> Floats:
        """(k, 3): the points r(n)."""
        en = (self.axle * n).sum(axis=-1, keepdims=True)
        S = np.sqrt(1.0 - _ALONG * en * en)
        result: Floats = self.center - self.radius[:, None] * (n - _ALONG * en * self.axle) / S
        return result


class Under(NamedTuple):
    """What a piece of ground is under bodies: the gap is normal . r - offset."""

    normal: Floats
    """(k, 3): unit vectors out of the ground."""
    offset: Floats
    """(k,)."""
    normal_rate: Floats
    """(k, 3)."""
    reach: Floats
    """(k,): m until the piece ends to a side; infinite where it does not, negative where the body is beside it."""


class Piece(Protocol):
    """A piece of the ground."""

    def under(self, bodies: Bodies) -> Under:
        """The piece under bodies."""


class Prism:
    """A convex profile along a direction, from `low` to `high` across it, which goes down for good.

    `corners` (m, 2) have distance along the direction and height, along it; `normals` (m + 1, 2) those of the sides
    before, between and after them, which turn clockwise.

    >>> step = Prism(0.0, [(1.0, 0.1)], [(-1.0, 0.0), (0.0, 1.0)])
    >>> still = np.zeros((1, 3))
    >>> wheel = Bodies(np.array([[0.8, 0.0, 0.25]]), np.array([[0.0, 1.0, 0.0]]), np.array([0.2]), still, still)
    >>> step.under(wheel).normal.round(12).tolist()                            # at the edge of a kerb, 4 : 3
    [[-0.8, 0.0, 0.6]]
    """

    def __init__(
        self, direction: float, corners: Sequence[tuple[float, float]], normals: Sequence[tuple[float, float]],
        low: float = -np.inf, high: float = np.inf, *, through: tuple[float, float] = (0.0, 0.0), bend: float = 0.0,
    ) -> None:
        self.bend = bend
        """rad: how far the ground turns in all hollows before this piece."""
        along = np.array([np.cos(direction), np.sin(direction), 0.0])
        self.left = np.array([-along[1], along[0], 0.0])
        frame = np.stack([along, [0.0, 0.0, 1.0]])
        self._corners = np.array(corners, dtype=float).reshape(-1, 2) @ frame
        self._normals = np.array(normals, dtype=float) @ frame
        self.low, self.high = low, high
        first = self._corners[0] if len(corners) else np.array(through) @ frame
        on = np.concatenate([first[None], self._corners])
        self._offsets = (self._normals * on).sum(axis=-1)
        self._fans = [_Fan(corner, *self._normals[j : j + 2]) for j, corner in enumerate(self._corners)]

    def under(self, bodies: Bodies) -> Under:
        """The piece under bodies."""
        count = len(bodies.radius)
        normal_rate = np.zeros((count, 3))
        en = bodies.axle @ self._normals.T
        gaps = bodies.center @ self._normals.T - bodies.radius[:, None] * np.sqrt(1.0 - _ALONG * en * en)
        gaps = gaps - self._offsets
        side = gaps.argmax(axis=1)
        normal, offset = self._normals[side], self._offsets[side]
        if self._fans:
            near = np.flatnonzero(gaps.max(axis=1) < _FAR * bodies.radius + _FAR_OFF)
            for j, fan in enumerate(self._fans):
                beside = near[(side[near] == j) | (side[near] == j + 1)]
                for k in beside[fan.under(bodies, beside)].tolist():
                    normal[k], offset[k], normal_rate[k] = fan.touched(bodies, k)
        at = bodies.reach(normal) @ self.left
        return Under(normal, offset, normal_rate, np.minimum(at - self.low, self.high - at))


class _Fan:
    """The normals of a corner, from the side before it to that after."""

    def __init__(self, corner: Floats, before: Floats, after: Floats) -> None:
        cosine, turned = float(before @ after), np.cross(before, after)
        sine = math.sqrt(turned @ turned)
        self.most = math.atan2(sine, cosine)
        self.before, self.across = before, (after - cosine * before) / sine
        self.corner, self.inward = corner, (before + after) / (1.0 + cosine)

    def under(self, bodies: Bodies, those: Ints) -> Bools:
        """Whether some bodies touch the corner, not a side: the gap of `touched` is largest between these."""
        if not len(those):
            return np.zeros(0, dtype=bool)
        R = bodies.radius[those]
        arm = bodies.center[those] - self.corner + np.where(R > 0, 0.0, EDGE)[:, None] * self.inward
        e = bodies.axle[those]
        A, B, a0, b0 = arm @ self.before, arm @ self.across, e @ self.before, e @ self.across

        def slope(c: float, s: float) -> Floats:
            a, b = a0 * c + b0 * s, b0 * c - a0 * s
            return np.asarray(B * c - A * s + R * _ALONG * a * b / np.sqrt(1.0 - _ALONG * a * a))

        return np.asarray((slope(1.0, 0.0) > 0) & (slope(math.cos(self.most), math.sin(self.most)) < 0))

    def touched(self, bodies: Bodies, k: int) -> tuple[Floats, float, Floats]:
        """Normal, offset and rate of the normal where body k touches the corner.

        At the angle p from the side before, gap = A cos p + B sin p - R S(p), whose largest value is sought.
        """
        R = float(bodies.radius[k])
        rounded = 0.0 if R > 0 else EDGE
        arm = bodies.center[k] - self.corner + rounded * self.inward
        A, B = float(arm @ self.before), float(arm @ self.across)
        e, edot = bodies.axle[k], bodies.axle_rate[k]
        a0, b0 = float(e @ self.before), float(e @ self.across)

        def slopes(angle: float) -> tuple[float, float]:
            c, s = math.cos(angle), math.sin(angle)
            a, b = a0 * c + b0 * s, b0 * c - a0 * s
            S = math.sqrt(1.0 - _ALONG * a * a)
            S1 = -_ALONG * a * b / S
            return B * c - A * s - R * S1, -A * c - B * s - R * (_ALONG * (a * a - b * b) / S - S1 * S1 / S)

        low, high = 0.0, self.most
        angle = min(max(math.atan2(B, A), low), high)
        for _ in range(_ITERATIONS):
            first, second = slopes(angle)
            if first > 0:
                low = angle
            else:
                high = angle
            step = -first / second if second < 0 else math.inf
            if abs(step) < _EXACT:
                break
            angle = angle + step if low <= angle + step <= high else 0.5 * (low + high)
        second = slopes(angle)[1]
        c, s = math.cos(angle), math.sin(angle)
        n, turned = c * self.before + s * self.across, c * self.across - s * self.before
        a, b, da, db = (float(x @ y) for x in (e, edot) for y in (n, turned))
        S = math.sqrt(1.0 - _ALONG * a * a)
        dS = -_ALONG * a * da / S
        change = float(bodies.center_rate[k] @ turned) + R * _ALONG * ((da * b + a * db) / S - a * b * dS / S**2)
        return n, float(n @ (self.corner - rounded * self.inward)) + rounded, -(change / second) * turned


class Smooth:
    """A smooth surface.

    >>> class Bowl(Surface):
    ...     def height(self, x, y):
    ...         return (x**2 + y**2) / 2
    ...     def gradient(self, x, y):
    ...         return np.stack([x, y], axis=-1)
    >>> still = np.zeros((1, 3))
    >>> foot = Bodies(np.array([[0.6, 0.0, 0.5]]), np.array([[0.0, 1.0, 0.0]]), np.zeros(1), still, still)
    >>> Smooth(Bowl()).under(foot).normal.shape
    (1, 3)
    """

    def __init__(self, surface: Surface) -> None:
        self.surface = surface

    def under(self, bodies: Bodies) -> Under:
        """The piece under bodies; under those that are far above it, the plane that touches it there."""
        x, y = bodies.center[:, 0], bodies.center[:, 1]
        n = self.surface.normal(x, y)
        offset = (n * np.stack([x, y, self.surface.height(x, y)], axis=-1)).sum(axis=-1)
        gap = (n * bodies.reach(n)).sum(axis=-1) - offset
        result = Under(n, offset, np.zeros(n.shape), np.full(len(n), np.inf))
        near = gap <= _HIGH * bodies.radius + _HIGH_UP
        if near.any():
            for part, new in zip(result[:3], self._near(bodies.some(near), bodies.reach(n)[near, :2]), strict=True):
                part[near] = new
        return result

    def _near(self, bodies: Bodies, at: Floats) -> tuple[Floats, Floats, Floats]:
        """Normals, offsets and rates of the normals, from points (x, y) near those where bodies touch."""
        body = np.column_stack([bodies.center, bodies.axle, bodies.radius, bodies.center_rate, bodies.axle_rate])
        now = self._looked_at(at, body)
        size = np.abs(now.left).max(initial=0.0)
        scale = 1.0 + float(np.abs(at).max(initial=0.0))
        for _ in range(_ITERATIONS):
            if size < _EXACT * scale or np.abs(now.step).max(initial=0.0) < 1e-15 * scale:
                break
            share = 1.0
            while share > 1e-3:
                tried = at + share * now.step
                new = self._looked_at(tried, body)
                size_tried = np.abs(new.left).max(initial=0.0)
                if size_tried < size or size_tried < _EXACT * scale:
                    break
                share *= 0.5
            else:
                break
            at, now, size = tried, new, size_tried
        hollow = (now.bends[:, 0] <= 0) | (now.bends[:, 1] >= 0)
        if size > 1e-9 * scale or hollow.any():
            raise IntegrationError(NARROW)
        return now.normal, now.offset, now.normal_rate

    def _looked_at(self, at: Floats, body: Floats) -> SmoothContact:
        """Bodies (k, 13) at points (k, 2) of the surface."""
        x, y = at[:, 0], at[:, 1]
        ground = np.empty((len(at), 8))
        ground[:, :2], ground[:, 2:] = at, self.surface.shape(x, y)
        return smooth_contacts(ground, body)


NARROW = (
    "a wheel touches the ground at two points, or none was found where it touches: the ground has a hollow that is "
    "narrower than the wheel, or falls away. Give a smoother surface (a height map with wider lines), or smaller wheels"
)


# Pieces of surfaces


def pieces_of(surface: Surface) -> tuple[Piece, ...]:
    """The pieces of a surface; an error that names what simulations do not have.

    >>> len(pieces_of(Kerb(at=1.0, step=0.1))), len(pieces_of(Kerb(at=1.0, step=-0.1)))         # road and kerb
    (2, 2)
    """
    parts = surface.parts if isinstance(surface, SumOfSurfaces) else (surface,)
    for part in parts:
        if isinstance(part, HeightMap) and part.interpolation == "linear":
            raise ModelError("simulate: the ground has a linear height map, whose normal jumps at every line, and "
                             "wheels would hit every one of them: give it interpolation='cubic'")
    straight = [part for part in parts if isinstance(part, (Kerb, Ramp))]
    if not straight:
        return (Smooth(surface),)
    if len(straight) < len(parts):
        raise ModelError("simulate: the ground is the sum of a height map and of kerbs or ramps, and in time it is one "
                         "or the other: put all of it into a cubic lp.HeightMap, or leave one out")
    direction = straight[0].direction
    for part in straight[1:]:
        if abs(np.sin(part.direction - direction)) > 1e-12:
            raise ModelError("simulate: kerbs and ramps of the ground have several directions "
                             f"({direction:.4g} and {part.direction:.4g} rad), and in time they have one: put them "
                             "into a cubic lp.HeightMap")
    c, s = np.cos(direction), np.sin(direction)
    borders = [-np.inf, np.inf]
    for part in straight:
        if part.across is not None:
            reverse = np.cos(part.direction - direction) < 0
            borders += [-value for value in part.across] if reverse else list(part.across)
    sides = [(low, high) for low, high in pairwise(sorted(set(borders)))]
    pieces: list[Piece] = []
    for low, high in sides:
        middle = 0.5 * (low + high) if np.isfinite(low + high) else (
            high - 1.0 if np.isfinite(high) else low + 1.0 if np.isfinite(low) else 0.0)
        pieces += _chains(direction, low, high, *_profile(straight, (c, s), middle))
    return tuple(pieces)


def _profile(
    parts: Iterable[Kerb | Ramp], direction: tuple[float, float], side: float
) -> tuple[list[tuple[float, float]], tuple[float, float]]:
    """Corners (distance, height) along the direction, of a strip beside it; and slopes of the ground before the first
    and after the last.
    """
    c, s = direction
    parts = list(parts)

    def height(along: float) -> float:
        return float(sum(part.height(c * along - s * side, s * along + c * side) for part in parts))

    breaks = set()
    for part in parts:
        begin, over, _, end = part._rise()
        sign = 1.0 if np.cos(part.direction) * c + np.sin(part.direction) * s > 0 else -1.0
        breaks |= {sign * at for at in (begin, begin + over, end) if abs(at) < 1e5}
    places = sorted(breaks)
    ends = [places[0] - 1.0, *places, places[-1] + 1.0]
    lines = []
    for a, b in pairwise(ends):
        third = (b - a) / 3
        z1, z2 = height(a + third), height(b - third)
        lines.append((2 * z1 - z2, 2 * z2 - z1))
    corners: list[tuple[float, float]] = []
    for k, at in enumerate(places):
        before, after = lines[k][1], lines[k + 1][0]
        corners.append((at, before))
        if abs(after - before) > 1e-12:
            corners.append((at, after))
    first, last = lines[0], lines[-1]
    return corners, (first[1] - first[0], last[1] - last[0])


def _chains(
    direction: float, low: float, high: float, corners: list[tuple[float, float]], ends: tuple[float, float]
) -> list[Prism]:
    """Prisms of a profile, cut where it is hollow."""
    steps = [(1.0, ends[0]), *((b[0] - a[0], b[1] - a[1]) for a, b in pairwise(corners)), (1.0, ends[1])]
    normals = [(-dz / np.hypot(dx, dz), dx / np.hypot(dx, dz)) for dx, dz in steps]
    result: list[Prism] = []
    mine: list[tuple[float, float]] = []
    fan, turned = [normals[0]], 0.0
    for corner, before, after in zip(corners, normals[:-1], normals[1:], strict=True):
        bend = before[0] * after[1] - before[1] * after[0]
        if abs(bend) < 1e-12:
            continue
        if bend < 0:  # a crest
            mine.append(corner)
            fan.append(after)
            continue
        if fan[-1][1] > 1e-12:  # its end is cut off, inside the ground
            mine.append(corner)
            fan.append((1.0, 0.0))
        result.append(Prism(direction, mine, fan, low, high, through=corner, bend=turned))
        turned += math.atan2(bend, before[0] * after[0] + before[1] * after[1])
        mine, fan = ([corner], [(-1.0, 0.0), after]) if after[1] > 1e-12 else ([], [after])
    result.append(Prism(direction, mine, fan, low, high, through=corners[-1], bend=turned))
    return result


def likeness(pieces: Sequence[Piece]) -> Floats:
    """(pieces, pieces): scalar products of the normals that pieces have in the hollows between them; zero where there
    is none, or the ground turns by more than a right angle.

    >>> likeness(pieces_of(Ramp(at=1.0, slope=0.5))).round(3).tolist()
    [[1.0, 0.878], [0.878, 1.0]]
    """
    result = np.eye(max(len(pieces), 1))
    for i, a in enumerate(pieces):
        for j, b in enumerate(pieces):
            if i != j and isinstance(a, Prism) and isinstance(b, Prism) and (a.low, a.high) == (b.low, b.high):
                result[i, j] = max(math.cos(min(abs(a.bend - b.bend), 0.5 * math.pi)), 0.0)
    return result if np.linalg.eigvalsh(result)[0] > -1e-12 else np.eye(len(result))


__all__ = ["EDGE", "ROUNDED", "Bodies", "Piece", "Prism", "Smooth", "Under", "likeness", "pieces_of"]
