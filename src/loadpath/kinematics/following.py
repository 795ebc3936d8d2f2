"""Joints that follow a tool path exactly: configurations, and their first two derivatives from the Jacobian.

dq/ds = J^+ x', with x' the velocity of the tool along its path: of all joint speeds that move the tool that way the
smallest. Integrated by Runge and Kutta's method of order four, and brought back onto the path at every step by
Newton's. The accelerations are those of this law, its derivative (Golub and Pereyra 1973, for constant rank):

    qdd = J^+ (xdd - Jdot qd) + (1 - J^+ J) Jdot' (J^+)' qd.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.cached import cached_property
from loadpath.engine.arguments import DEFAULT, Variant
from loadpath.kinematics.tool_path import PathPoints, ToolPath
from loadpath.scalars.types import Floats

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
