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

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from loadpath.errors import IntegrationError, ModelError
from loadpath.robot.wheels.surface import HeightMap, Kerb, Ramp, SumOfSurfaces, Surface
from loadpath.scalars.types import Bools, Floats

ROUNDED = 0.02
"""A wheel is a thin disc whose edge is rounded: an ellipsoid with this share of its radius along the axle, so that the
point that touches the ground moves smoothly up to where it lies on its side."""
EDGE = 1e-3
"""m: radius of edges of kerbs and ramps where feet and body points slide over them."""
_ALONG = 1.0 - ROUNDED**2
_ITERATIONS, _EXACT = 50, 1e-14
_DIFFERENCE = 1e-5
"""m: of slopes, for the curvature of surfaces that only say their slopes."""
_NOWHERE = 1e3
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
        low: float = -np.inf, high: float = np.inf, *, through: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        along = np.array([np.cos(direction), np.sin(direction), 0.0])
        self.left = np.array([-along[1], along[0], 0.0])
        frame = np.stack([along, [0.0, 0.0, 1.0]])
        self._corners = np.array(corners, dtype=float).reshape(-1, 2) @ frame
        self._normals = np.array(normals, dtype=float) @ frame
        self.low, self.high = low, high
        first = self._corners[0] if len(corners) else np.array(through) @ frame
        on = np.concatenate([first[None], self._corners])
        self._offsets = (self._normals * on).sum(axis=-1)
        self._frame = frame

    def under(self, bodies: Bodies) -> Under:
        """The piece under bodies."""
        count = len(bodies.radius)
        normal_rate = np.zeros((count, 3))
        en = bodies.axle @ self._normals.T
        gaps = bodies.center @ self._normals.T - bodies.radius[:, None] * np.sqrt(1.0 - _ALONG * en * en)
        gaps = gaps - self._offsets
        side = gaps.argmax(axis=1)
        normal, offset = self._normals[side], self._offsets[side]
        for j in range(len(self._corners)):
            near = (side == j) | (side == j + 1)
            if near.any():
                self._at_corner(j, bodies, near, normal, offset, normal_rate)
        at = bodies.reach(normal) @ self.left
        return Under(normal, offset, normal_rate, np.minimum(at - self.low, self.high - at))

    def _at_corner(
        self, j: int, bodies: Bodies, near: Bools, normal: Floats, offset: Floats, normal_rate: Floats
    ) -> None:
        """The normals of those bodies that touch corner j, put in place."""
        N, T = self._normals[j], self._normals[j + 1]
        cosine = float(np.clip(N @ T, -1.0, 1.0))
        most = float(np.arccos(cosine))
        across = (T - cosine * N) / np.sin(most)
        those = bodies.some(near)
        rounded = np.where(those.radius > 0, 0.0, EDGE)
        corner = self._corners[j] - rounded[:, None] * (N + T) / (1.0 + cosine)
        arm = those.center - corner
        radius = those.radius

        def slopes(angle: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats]:
            n = np.cos(angle)[:, None] * N + np.sin(angle)[:, None] * across
            turned = np.cos(angle)[:, None] * across - np.sin(angle)[:, None] * N
            a, b = (those.axle * n).sum(axis=-1), (those.axle * turned).sum(axis=-1)
            S = np.sqrt(1.0 - _ALONG * a * a)
            S1 = -_ALONG * a * b / S
            S2 = _ALONG * (a * a - b * b) / S - S1 * S1 / S
            first = (arm * turned).sum(axis=-1) - radius * S1
            second = -(arm * n).sum(axis=-1) - radius * S2
            return n, turned, first, second, S, a, b

        low, high = np.zeros(len(arm)), np.full(len(arm), most)
        inside = (slopes(low)[2] > 0) & (slopes(high)[2] < 0)
        if not inside.any():
            return
        angle = np.clip(np.arctan2(arm @ across, arm @ N), low, high)
        for _ in range(_ITERATIONS):
            _, _, first, second, *_ = slopes(angle)
            low, high = np.where(first > 0, angle, low), np.where(first <= 0, angle, high)
            with np.errstate(divide="ignore", invalid="ignore"):
                new = angle - first / second
            new = np.where((new > low) & (new < high) & (second < 0), new, 0.5 * (low + high))
            moved = np.abs(new - angle)[inside].max()
            angle = np.where(inside, new, angle)
            if moved < _EXACT:
                break
        n, turned, _, second, S, a, b = slopes(angle)
        da, db = (those.axle_rate * n).sum(axis=-1), (those.axle_rate * turned).sum(axis=-1)
        dS = -_ALONG * a * da / S
        change = (those.center_rate * turned).sum(axis=-1) + radius * _ALONG * ((da * b + a * db) / S - a * b * dS / S**2)
        at = np.flatnonzero(near)[inside]
        normal[at], offset[at] = n[inside], ((n * corner).sum(axis=-1) + rounded)[inside]
        normal_rate[at] = (-(change / second)[:, None] * turned)[inside]


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
        """The piece under bodies."""
        at = bodies.center[:, :2].copy()
        left, J = self._missing(at, bodies)[:2]
        size = np.abs(left).max(initial=0.0)
        scale = 1.0 + float(np.abs(at).max(initial=0.0))
        for _ in range(_ITERATIONS):
            step = -np.linalg.solve(J, left[..., None])[..., 0]
            share = 1.0
            while share > 1e-3:
                tried = at + share * step
                left_tried, J_tried = self._missing(tried, bodies)[:2]
                size_tried = np.abs(left_tried).max(initial=0.0)
                if size_tried < size or size_tried < _EXACT * scale:
                    break
                share *= 0.5
            else:
                break
            at, left, J, size = tried, left_tried, J_tried, size_tried
            if np.abs(step).max(initial=0.0) < 1e-15 * scale or size < _EXACT * scale:
                break
        left, J, n, n_by, p, p_by, en, S = self._missing(at, bodies)
        hollow = (np.linalg.det(J) <= 0) | (J[:, 0, 0] >= 0)
        if size > 1e-9 * scale or hollow.any():
            raise IntegrationError(NARROW)
        # How r moves while the normal stays: with the center, and as the axle turns.
        e, edot = bodies.axle, bodies.axle_rate
        den = (edot * n).sum(axis=-1, keepdims=True)
        dS = -_ALONG * en * den / S
        Kn = n - _ALONG * en * e
        dK = -_ALONG * (den * e + en * edot)
        moved = bodies.center_rate - bodies.radius[:, None] * (dK - Kn * dS / S) / S
        change = np.einsum("kai,ki->ka", p_by, moved)
        rate = -np.linalg.solve(J, change[..., None])[..., 0]
        return Under(n, (n * p).sum(axis=-1), np.einsum("kai,ka->ki", n_by, rate), np.full(len(n), np.inf))

    def _missing(self, at: Floats, bodies: Bodies) -> tuple[Floats, ...]:
        """(k, 2): by how much r - p is not along the normal; its derivatives by (x, y); and what they are made of."""
        x, y = at[:, 0], at[:, 1]
        z, slopes, H = self.surface.height(x, y), self.surface.gradient(x, y), self._curvature(x, y)
        count = len(x)
        p = np.stack([x, y, z], axis=-1)
        p_by = np.zeros((count, 2, 3))
        p_by[:, 0, 0] = p_by[:, 1, 1] = 1.0
        p_by[:, :, 2] = slopes
        upright = np.concatenate([-slopes, np.ones((count, 1))], axis=-1)
        length = np.sqrt((upright * upright).sum(axis=-1, keepdims=True))
        n = upright / length
        upright_by = np.concatenate([-H, np.zeros((count, 2, 1))], axis=-1)
        n_by = (upright_by - np.einsum("kai,ki->ka", upright_by, n)[..., None] * n[:, None]) / length[..., None]
        e, R = bodies.axle, bodies.radius[:, None]
        en = (e * n).sum(axis=-1, keepdims=True)
        S = np.sqrt(1.0 - _ALONG * en * en)
        Kn = n - _ALONG * en * e
        r = bodies.center - R * Kn / S
        apart = r - p
        K_by = n_by - _ALONG * np.einsum("kai,ki->ka", n_by, e)[..., None] * e[:, None]
        S_by = np.einsum("kai,ki->ka", K_by, n) / S
        r_by = -R[..., None] * (K_by - Kn[:, None] * (S_by / S)[..., None]) / S[..., None]
        left = np.einsum("kai,ki->ka", p_by, apart)
        J = np.einsum("kai,kbi->kab", p_by, r_by - p_by) + H * apart[:, 2, None, None]
        return left, J, n, n_by, p, p_by, en, S

    def _curvature(self, x: Floats, y: Floats) -> Floats:
        """(k, 2, 2): second derivatives of the height."""
        exact = getattr(self.surface, "curvature", None)
        if exact is not None:
            return np.asarray(exact(x, y), dtype=float)
        d, gradient = _DIFFERENCE, self.surface.gradient
        H = np.stack([(gradient(x + d, y) - gradient(x - d, y)) / (2 * d),
                      (gradient(x, y + d) - gradient(x, y - d)) / (2 * d)], axis=-1)
        return 0.5 * (H + np.swapaxes(H, -1, -2))


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
                             f"({direction:.4g} and {part.direction:.4g} rad), and in time they have one: put them into "
                             "a cubic lp.HeightMap")
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
    lengths = [b - a for a, b in pairwise(places)]
    ends = [places[0] - 1.0, *places, places[-1] + 1.0]
    lines = []
    for a, b in pairwise(ends):
        third = (b - a) / 3
        z1, z2 = height(a + third), height(b - third)
        lines.append((2 * z1 - z2, 2 * z2 - z1))
    del lengths
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
    fan = [normals[0]]
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
        result.append(Prism(direction, mine, fan, low, high, through=corner))
        mine, fan = ([corner], [(-1.0, 0.0), after]) if after[1] > 1e-12 else ([], [after])
    result.append(Prism(direction, mine, fan, low, high, through=corners[-1]))
    return result


__all__ = ["EDGE", "ROUNDED", "Bodies", "Piece", "Prism", "Smooth", "Under", "pieces_of"]
