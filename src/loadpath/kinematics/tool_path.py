"""Paths of a tool: straight lines from pose to pose, the corners between them sharp or rounded.

A path goes by one number, s: the distance along its lines (m), or the angle (rad) where only the orientation changes.
On a line the position is straight and the orientation turns about one axis of the tool, in proportion. A rounded corner
begins and ends at a distance r from it: the direction changes from that of one line or arc to that of the other by the
quintic step S of (s - start) / 2r, so that the path has continuous curvature, and nowhere goes faster than s does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from loadpath.cached import cached_property
from loadpath.engine.arguments import DEFAULT, Variant
from loadpath.motion.via_points import quintic_step
from loadpath.scalars.types import Floats

SAME = 1e-12
"""m and rad: poses that differ by less are the same."""


class PathPoints(NamedTuple):
    """Where a tool is on its path, and how that changes with s: linear first, then angular, in world axes."""

    position: Floats
    """(points, 3)."""
    rotation: Floats
    """(points, 3, 3)."""
    first: Floats
    """(points, 6): velocity per unit of the rate of s."""
    second: Floats
    """(points, 6): its derivative by s."""

    def row(self, k: int) -> PathPoints:
        """One of the points."""
        return PathPoints(*(part[k : k + 1] for part in self))


@dataclass(frozen=True, eq=False)
class Straight:
    """A line: unit direction (zero where the tool only turns), and the turn per s in the tool's axes."""

    length: float
    position: Floats
    rotation: Floats
    direction: Floats
    turn: Floats

    def at(self, x: Floats) -> PathPoints:
        """Points at distances from its beginning."""
        R = self.rotation @ turned(x[:, None] * self.turn)
        rates = np.concatenate([np.broadcast_to(self.direction, (len(x), 3)), R @ self.turn], axis=1)
        return PathPoints(self.position + x[:, None] * self.direction, R, rates, np.zeros((len(x), 6)))

    def part(self, begin: float, length: float) -> Straight:
        """Some of it."""
        at = self.at(np.array([begin]))
        return Straight(length, at.position[0], at.rotation[0], self.direction, self.turn)


@dataclass(frozen=True, eq=False)
class Arc:
    """A part of a circle: about `center`, from `out` (a vector of the radius' length) towards the unit vector `along`;
    the orientation turns as on a line.
    """

    length: float
    center: Floats
    out: Floats
    along: Floats
    rotation: Floats
    turn: Floats

    @property
    def radius(self) -> float:
        """m"""
        return float(np.linalg.norm(self.out))

    def at(self, x: Floats) -> PathPoints:
        """Points at distances from its beginning."""
        angle, r = x[:, None] / self.radius, self.radius
        sine, cosine = np.sin(angle), np.cos(angle)
        R = self.rotation @ turned(x[:, None] * self.turn)
        first = np.concatenate([cosine * self.along - sine * self.out / r, R @ self.turn], axis=1)
        second = np.concatenate([-sine * self.along / r - cosine * self.out / r**2, np.zeros((len(x), 3))], axis=1)
        return PathPoints(self.center + cosine * self.out + sine * r * self.along, R, first, second)

    def part(self, begin: float, length: float) -> Arc:
        """Some of it."""
        angle, r = begin / self.radius, self.radius
        out, along = self.out / r, self.along
        return Arc(length, self.center, r * (np.cos(angle) * out + np.sin(angle) * along),
                   np.cos(angle) * along - np.sin(angle) * out, self.at(np.array([begin])).rotation[0], self.turn)


@dataclass(frozen=True, eq=False)
class Corner:
    """A rounded corner between two pieces, from the same distance in front of it and behind it."""

    length: float
    """Twice the distance from the corner at which it begins."""
    pieces: tuple[Straight | Arc, Straight | Arc]

    @property
    def sharpness(self) -> float:
        """1/m: its curvature is not more."""
        before, after = self.pieces
        d, e = before.at(np.array([before.length])).first[0, :3], after.at(np.zeros(1)).first[0, :3]
        bends = [1 / piece.radius for piece in self.pieces if isinstance(piece, Arc)]
        return float(np.linalg.norm(e - d)) * 15 / 8 / self.length + max(bends, default=0.0)

    def at(self, x: Floats) -> PathPoints:
        """Points at distances from its beginning."""
        u = x / self.length
        S, rate, _ = quintic_step(u)
        rate = rate / self.length
        ahead = self.length * (2.5 * u**4 - 3 * u**5 + u**6)  # integral of S
        behind = x - ahead - self.length / 2
        before, after = self.pieces
        corner = after.at(np.zeros(1))
        a, b = before.at(before.length + behind), after.at(ahead)
        p = a.position + b.position - corner.position
        A, B = before.turn, after.turn
        later = turned(ahead[:, None] * B)
        R = corner.rotation[0] @ turned(behind[:, None] * A) @ later
        # In the tool's axes: what is left of the first turn, seen after the second, and the second.
        old = np.einsum("sji,j->si", later, A)
        w = (1 - S)[:, None] * old + S[:, None] * B
        wdot = rate[:, None] * (B - old) + (S * (1 - S))[:, None] * np.cross(old, B)
        d, e, less, more = a.first[:, :3], b.first[:, :3], (1 - S)[:, None], S[:, None]
        bend = rate[:, None] * (e - d) + less**2 * a.second[:, :3] + more**2 * b.second[:, :3]
        first = np.concatenate([less * d + more * e, np.einsum("sij,sj->si", R, w)], axis=1)
        second = np.concatenate([bend, np.einsum("sij,sj->si", R, wdot)], axis=1)
        return PathPoints(p, R, first, second)


Piece: TypeAlias = Straight | Corner | Arc


@dataclass(frozen=True, eq=False)
class ToolPath:
    """Pieces one after the other."""

    pieces: tuple[Piece, ...]
    corners: tuple[int, ...]
    """Numbers of the poses at which the path begins and ends."""

    @property
    def ends(self) -> Floats:
        """(pieces + 1,): where the pieces begin, and where the last ends."""
        return np.concatenate([[0.0], np.cumsum([piece.length for piece in self.pieces])])

    @property
    def length(self) -> float:
        """Of the whole."""
        return float(self.ends[-1])

    @property
    def sharpest(self) -> float:
        """1/m: the largest curvature of its corners."""
        found = [piece.sharpness for piece in self.pieces if isinstance(piece, Corner)]
        found += [1 / piece.radius for piece in self.pieces if isinstance(piece, Arc)]
        return max(found, default=0.0)

    def at(self, s: Floats) -> PathPoints:
        """Points of the path."""
        ends = self.ends
        which = np.clip(np.searchsorted(ends, s, side="right") - 1, 0, len(self.pieces) - 1)
        parts = [np.zeros((len(s), 3)), np.zeros((len(s), 3, 3)), np.zeros((len(s), 6)), np.zeros((len(s), 6))]
        for k, piece in enumerate(self.pieces):
            rows = which == k
            if rows.any():
                for whole, part in zip(parts, piece.at(s[rows] - ends[k]), strict=True):
                    whole[rows] = part
        return PathPoints(*parts)


def lines(targets: Floats) -> list[Straight]:
    """The lines between poses (poses, 4, 4)."""
    from scipy.spatial.transform import Rotation

    found = []
    for k in range(len(targets) - 1):
        start, end = targets[k], targets[k + 1]
        way = end[:3, 3] - start[:3, 3]
        turn = Rotation.from_matrix(start[:3, :3].T @ end[:3, :3]).as_rotvec()
        distance, angle = float(np.linalg.norm(way)), float(np.linalg.norm(turn))
        if distance <= SAME and angle <= SAME:
            raise ValueError(f"Motion.line: poses {k} and {k + 1} are the same: leave one out; motion.dwell(seconds) "
                             "waits")
        length = distance if distance > SAME else angle
        still = way if distance > SAME else np.zeros(3)
        found.append(Straight(length, start[:3, 3], start[:3, :3], still / length, turn / length))
    return found


STRAIGHT = 1e-6
"""Of three points: the sine of the angle between the ways to the second and the third."""


def arc_through(start: Floats, through: Floats, end: Floats) -> Arc:
    """From one pose (4, 4) to another on the circle through a point (3,) between them.

    >>> arc = arc_through(np.eye(4), np.array([1.0, 1.0, 0.0]), np.eye(4) + np.eye(4, k=3) * 2.0)
    >>> arc.center.round(12).tolist(), round(arc.length / np.pi, 12)
    ([1.0, 0.0, 0.0], 1.0)
    """
    from scipy.spatial.transform import Rotation

    a, b = through - start[:3, 3], end[:3, 3] - start[:3, 3]
    normal = np.cross(a, b)
    size = float(normal @ normal)
    if size <= (STRAIGHT**2) * float(a @ a) * float(b @ b) or not size > 0:
        raise ValueError("an arc goes through three points that are on one line, or the same: take a straight line")
    middle = np.cross(float(a @ a) * b - float(b @ b) * a, normal) / (2 * size)  # from the start to the center
    out, radius = -middle, float(np.linalg.norm(middle))
    along = np.cross(normal / np.sqrt(size), out / radius)
    angles = [float(np.arctan2((p + out) @ along, (p + out) @ out / radius)) % (2 * np.pi) for p in (a, b)]
    if angles[0] > angles[1]:  # the other way round
        along, angles = -along, [2 * np.pi - each for each in angles]
    length = angles[1] * radius
    turn = Rotation.from_matrix(start[:3, :3].T @ end[:3, :3]).as_rotvec()
    return Arc(length, start[:3, 3] + middle, out, along, start[:3, :3], turn / length)


def rounded(whole: Sequence[Straight | Arc], radius: float, first_pose: int = 0) -> ToolPath:
    """One path of lines and arcs, their corners rounded from this distance (m) on."""
    pieces: list[Piece] = []
    for k, piece in enumerate(whole):
        first, last = k == 0, k == len(whole) - 1
        between = f"from pose {first_pose + k} to {first_pose + k + 1}"
        if isinstance(piece, Straight) and not piece.direction.any():
            raise ValueError(f"Motion.line: {between} the tool only turns, so the corners there cannot be rounded: "
                             "stop at the poses (blend=None), or move as well")
        cut = radius * (2 - first - last)
        if cut > piece.length * (1 + 1e-12):
            raise ValueError(f"Motion.line: blend is {radius:g} m, too much for the line {between}, which is "
                             f"{piece.length:.6g} m long")
        if not first:
            pieces.append(Corner(2 * radius, (whole[k - 1], piece)))
        if piece.length - cut > 1e-12 * piece.length:
            pieces.append(piece.part(0.0 if first else radius, piece.length - cut))
    return ToolPath(tuple(pieces), (first_pose, first_pose + len(whole)))


def turned(vectors: Floats) -> Floats:
    """(..., 3, 3): rotations by rotation vectors (..., 3), after Rodrigues.

    >>> turned(np.array([0.0, 0.0, np.pi / 2])).round(12).tolist()
    [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    angle = np.linalg.norm(vectors, axis=-1)[..., None, None]
    K = np.cross(vectors[..., None, :], np.eye(3)).swapaxes(-1, -2)
    small = angle < 1e-4  # series, where the quotients lose their digits
    safe = np.where(small, 1.0, angle)
    a = np.where(small, 1 - angle**2 / 6, np.sin(safe) / safe)
    b = np.where(small, 0.5 - angle**2 / 24, 2 * np.sin(safe / 2) ** 2 / safe**2)
    rotations: Floats = np.eye(3) + a * K + b * (K @ K)
    return rotations


# Joints that follow a tool path exactly: configurations, and their first two derivatives from the Jacobian.
#
# dq/ds = J^+ x', with x' the velocity of the tool along its path: of all joint speeds that move the tool that way the
# smallest. Integrated by Runge and Kutta's method of order four, and brought back onto the path at every step by
# Newton's. The accelerations are those of this law, its derivative (Golub and Pereyra 1973, for constant rank):
#
#     qdd = J^+ (xdd - Jdot qd) + (1 - J^+ J) Jdot' (J^+)' qd.

LARGEST_STEP = 0.02
"""rad or m: of any joint in one step of the integration."""
NEAR_SINGULAR = 1e-4
"""A tool that moves so many times less than its joints, in the direction where it moves least, is at a singularity."""
ON_PATH, LAST, CORRECTIONS = 1e-13, 1e-7, 12
"""Of the robot's length, and rad: how near to the path is on it, how near it takes but one step of Newton's method
more, and how many there may be."""
POSSIBLE = 1e-6
"""Share of a velocity that joints cannot give, above which the tool cannot move that way."""


class OffPathError(Exception):
    """The joints cannot follow: where (s), why, and the configuration until which they could."""

    def __init__(self, s: float, why: str) -> None:
        super().__init__(why)
        self.s, self.why = s, why


@dataclass(frozen=True, eq=False)
class Follower:
    """A robot whose link follows paths; of six directions `rows` are held to the path."""

    robot: Any
    link: str
    rows: slice
    size: float
    """m: a length of the robot, so that metres and radians compare."""
    rank: int
    """How many of the rows joints can move by themselves."""
    lower: Floats
    upper: Floats
    """(n,): limits of the joints."""

    @cached_property
    def jacobian(self) -> Any:
        """The compiled Jacobian of the link, without what every call of a method looks at first."""
        return self.robot.jacobian.compiled(Variant(DEFAULT, self.link))

    @cached_property
    def scale(self) -> Floats:
        """(rows,)."""
        return np.repeat([1 / self.size, 1.0], 3)[self.rows]

    def jacobians(self, q: Floats) -> Floats:
        """(..., rows, n): of the rows that count, metres in lengths of the robot."""
        found: Floats = self.jacobian(q)[..., self.rows, :] * self.scale[:, None]
        return found

    def inverse(self, J: Floats, s: float) -> Floats:
        """The pseudoinverse of one Jacobian, or an error near a singularity."""
        U, sizes, V = np.linalg.svd(J, full_matrices=False)
        if not sizes[self.rank - 1] > NEAR_SINGULAR:
            raise OffPathError(s, "the arm is singular there (stretched out, or two of its axes in line): its joints "
                               "would have to move infinitely fast")
        r = self.rank
        found: Floats = (V[:r].T / sizes[:r]) @ U[:, :r].T
        return found

    def slope(self, q: Floats, velocity: Floats, s: float) -> Floats:
        """dq/ds, for a velocity (6,) of the tool along its path."""
        wanted = velocity[self.rows] * self.scale
        J = self.jacobians(q)
        found: Floats = self.inverse(J, s) @ wanted
        left = np.linalg.norm(J @ found - wanted)
        if left > POSSIBLE * np.linalg.norm(wanted):
            raise OffPathError(s, "its joints cannot move the tool that way (a line out of the plane of the arm, or an "
                               "orientation that it cannot keep; orientation='free' follows the positions alone)"
                               )
        return found

    def follow(self, path: ToolPath, s: Floats, start: Floats) -> Floats:
        """(points, nq): configurations at rising s, from the first one on."""
        at, between = path.at(s), path.at((s[:-1] + s[1:]) / 2)
        q = self.on_path(start, at.row(0), float(s[0]))
        found = [q]
        for k, (begin, end) in enumerate(zip(s[:-1].tolist(), s[1:].tolist(), strict=True)):
            if end > begin:
                slope = self.slope(q, at.first[k], begin)
                steps = math.ceil((end - begin) * float(np.abs(slope).max(initial=0.0)) / LARGEST_STEP)
                if steps <= 1:
                    q = self.stepped(q, begin, end, slope, (between.first[k], at.row(k + 1)))
                else:
                    q = self._in_steps(q, path, np.linspace(begin, end, steps + 1), slope)
            found.append(q)
        return np.array(found)

    def _in_steps(self, q: Floats, path: ToolPath, s: Floats, slope: Floats) -> Floats:
        """Several steps from the first s to the last."""
        at, between = path.at(s), path.at((s[:-1] + s[1:]) / 2)
        for k in range(len(s) - 1):
            q = self.stepped(q, float(s[k]), float(s[k + 1]), slope, (between.first[k], at.row(k + 1)))
            slope = self.slope(q, at.first[k + 1], float(s[k + 1]))
        return q

    def stepped(
        self, q: Floats, begin: float, end: float, slope: Floats, ahead: tuple[Floats, PathPoints]
    ) -> Floats:
        """One step of Runge and Kutta; `ahead` has the tool's velocity in the middle and all of it at the end."""
        h, (middle, goal) = end - begin, ahead
        k2 = self.slope(q + h / 2 * slope, middle, begin + h / 2)
        k3 = self.slope(q + h / 2 * k2, middle, begin + h / 2)
        k4 = self.slope(q + h * k3, goal.first[0], end)
        return self.on_path(q + h / 6 * (slope + 2 * k2 + 2 * k3 + k4), goal, end)

    def on_path(self, q: Floats, target: PathPoints, s: float) -> Floats:
        """The configuration nearby at which the tool is at a point of the path."""
        for _ in range(CORRECTIONS):
            off = self.off(q, target)
            size = float(np.abs(off).max())
            if size < ON_PATH:
                break
            q = q + self.inverse(self.jacobians(q), s) @ off
            if size < LAST:  # Newton's method squares it
                break
        else:
            raise OffPathError(s, "no configuration nearby reaches it")
        outside = (q < self.lower - 1e-9) | (q > self.upper + 1e-9)
        if outside.any():
            k = int(outside.argmax())
            raise OffPathError(s, f"joint '{self.robot.dof_names[k]}' is at {q[k]:.6g} there, outside its limits "
                               f"{self.lower[k]:.6g} to {self.upper[k]:.6g}")
        return q

    def off(self, q: Floats, target: PathPoints) -> Floats:
        """(rows,): from where the tool is to where it should be, metres in lengths of the robot."""
        pose = np.asarray(self.robot.link_poses(q))[self.robot.link_names.index(self.link)]
        R = target.rotation[0] @ pose[:3, :3].T
        # Twice the sine of the angle along the axis: the rotation vector, for small ones.
        turn = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
        found: Floats = np.concatenate([target.position[0] - pose[:3, 3], turn])[self.rows] * self.scale
        return found

    def rates(self, q: Floats, points: PathPoints, speed: Floats, acceleration: Floats) -> tuple[Floats, Floats]:
        """(points, n) each: joint speeds and accelerations where s has this speed and acceleration, (points,)."""
        first, second = (part[:, self.rows] * self.scale for part in (points.first, points.second))
        J = self.jacobians(q)
        U, sizes, V = np.linalg.svd(J, full_matrices=False)
        U, sizes, V = U[..., : self.rank], sizes[..., : self.rank], V[..., : self.rank, :]
        inverse = np.swapaxes(V, -1, -2) / sizes[..., None, :] @ np.swapaxes(U, -1, -2)
        slope = np.einsum("sij,sj->si", inverse, first)
        qd = slope * speed[:, None]
        Jdot = np.asarray(self.robot.jacobian_dot(q, slope, self.link))[..., self.rows, :] * self.scale[:, None]
        row = np.einsum("sij,sj->si", inverse, second - np.einsum("sij,sj->si", Jdot, slope))
        back = np.einsum("sji,sj->si", Jdot, np.einsum("sji,sj->si", inverse, slope))
        null = back - np.einsum("ski,sk->si", V, np.einsum("skj,sj->sk", V, back))
        return qd, slope * acceleration[:, None] + (row + null) * (speed**2)[:, None]
