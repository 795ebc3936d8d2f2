"""Paths of a tool: straight lines from pose to pose, the corners between them sharp or rounded.

A path goes by one number, s: the distance along its lines (m), or the angle (rad) where only the orientation changes.
On a line the position is straight and the orientation turns about one axis of the tool, in proportion. A rounded corner
begins and ends at a distance r from it: the direction changes from that of one line to that of the other by the
quintic step S of (s - start) / 2r, so that the path has continuous curvature, and nowhere goes faster than s does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

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


@dataclass(frozen=True, eq=False)
class Corner:
    """A rounded corner between two lines, which meet in `position` and `rotation`."""

    length: float
    """Twice the distance from the corner at which it begins."""
    position: Floats
    rotation: Floats
    directions: tuple[Floats, Floats]
    turns: tuple[Floats, Floats]

    def at(self, x: Floats) -> PathPoints:
        """Points at distances from its beginning."""
        u = x / self.length
        S, rate, _ = quintic_step(u)
        rate = rate / self.length
        after = self.length * (2.5 * u**4 - 3 * u**5 + u**6)  # integral of S
        before = x - after - self.length / 2
        (d, e), (A, B) = self.directions, self.turns
        p = self.position + before[:, None] * d + after[:, None] * e
        later = turned(after[:, None] * B)
        R = self.rotation @ turned(before[:, None] * A) @ later
        # In the tool's axes: what is left of the first turn, seen after the second, and the second.
        old = np.einsum("sji,j->si", later, A)
        w = (1 - S)[:, None] * old + S[:, None] * B
        wdot = rate[:, None] * (B - old) + (S * (1 - S))[:, None] * np.cross(old, B)
        first = np.concatenate([d + S[:, None] * (e - d), np.einsum("sij,sj->si", R, w)], axis=1)
        second = np.concatenate([rate[:, None] * (e - d), np.einsum("sij,sj->si", R, wdot)], axis=1)
        return PathPoints(p, R, first, second)


Piece: TypeAlias = Straight | Corner


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
        found = [float(np.linalg.norm(piece.directions[1] - piece.directions[0])) * 15 / 8 / piece.length
                 for piece in self.pieces if isinstance(piece, Corner)]
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


def rounded(lines_: list[Straight], radius: float) -> ToolPath:
    """One path of all lines, their corners rounded from this distance (m) on."""
    pieces: list[Piece] = []
    for k, line in enumerate(lines_):
        first, last = k == 0, k == len(lines_) - 1
        if not line.direction.any():
            raise ValueError(f"Motion.line: from pose {k} to {k + 1} the tool only turns, so the corners there cannot "
                             "be rounded: stop at the poses (blend=None), or move as well")
        cut = radius * (2 - first - last)
        if cut > line.length * (1 + 1e-12):
            raise ValueError(f"Motion.line: blend is {radius:g} m, too much for the line from pose {k} to {k + 1}, "
                             f"which is {line.length:.6g} m long")
        begin = 0.0 if first else radius
        if not first:
            before = lines_[k - 1]
            pieces.append(Corner(2 * radius, line.position, line.rotation, (before.direction, line.direction),
                                 (before.turn, line.turn)))
        if line.length - cut > 1e-12 * line.length:
            at = line.at(np.array([begin]))
            pieces.append(Straight(line.length - cut, at.position[0], at.rotation[0], line.direction, line.turn))
    return ToolPath(tuple(pieces), (0, len(lines_)))


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
