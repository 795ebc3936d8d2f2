"""Robots with loops along a path: the path is that of their independent coordinates, and the loops close all others.

With z(s) on the path, q' = T(q) z' and q'' = T(q) z'' + (what the loops add with z'): the completion that gives all
speeds and accelerations gives the derivatives by arc length, at nodes by the compiled kernel, over intervals by its own
rows on jets. What is missing there is where all coordinates are within an interval. They are the one solution of
dq/dp = T(q) dz/dp through the closed configuration in its middle; so any box that q_middle + half of the interval times
the range of dq/dp over the box does not leave encloses it (Picard and Lindeloef).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.fastest.closing_jets import Loops
from loadpath.fastest.grid import Grid
from loadpath.fastest.jets import Jet
from loadpath.fastest.path import Path
from loadpath.kinematics.closed.closing import closed_nearby
from loadpath.motion.motion import Motion
from loadpath.scalars.types import ArrayLike, Floats


@dataclass(frozen=True, eq=False)
class Closing:
    """How the joints of a closed robot follow from its path."""

    robot: Any
    near: Floats
    """(nq,): closed, where the path begins or near to it."""

    @property
    def names(self) -> tuple[str, ...]:
        """The coordinates that the path has."""
        found: tuple[str, ...] = self.robot.independent
        return found

    def along(self, grid: Grid) -> tuple[Floats, Floats, Floats]:
        """All coordinates (intervals, nodes, nq), and all speeds and accelerations by arc length at the nodes."""
        z = grid.q.reshape(-1, grid.q.shape[-1])
        try:
            q = self.robot.assemble(self._by_name(z), near=self.near, path=True).q
        except ValueError as problem:
            raise ModelError(f"fastest: the loops of robot '{self.robot.name}' do not stay closed along the path: "
                             f"{problem}") from problem
        return self._all(q, grid.first.reshape(z.shape), grid.second.reshape(z.shape), grid.q.shape[:2])

    def beside(self, near: Floats, z: Floats, rate: Floats, bend: Floats) -> tuple[Floats, Floats, Floats]:
        """All coordinates, speeds and accelerations (samples, ...) of the path's, near configurations (samples, nq)."""
        q = near.copy()
        q[:, self._places] = z
        return self._all(closed_nearby(self.robot, q), rate, bend, z.shape[:1])

    def _all(
        self, q: Floats, rate: Floats, bend: Floats, shape: tuple[int, ...]
    ) -> tuple[Floats, Floats, Floats]:
        try:
            first, second = self.robot.complete(q, self._by_name(rate), self._by_name(bend))
        except ValueError as problem:
            raise ModelError(f"fastest: {problem}") from problem
        return q.reshape(*shape, -1), first.reshape(*shape, -1), second.reshape(*shape, -1)

    def _by_name(self, values: Floats) -> dict[str, Floats]:
        return {name: values[:, k] for k, name in enumerate(self.names)}

    @property
    def _places(self) -> list[int]:
        return [self.robot.coordinate_names.index(name) for name in self.names]

    # Ranges

    def jets(
        self, z: Sequence[Sequence[Jet]], first: Sequence[Jet], second: Sequence[Jet], middle: Floats, half: Floats
    ) -> tuple[list[Jet], list[Jet], list[Jet]]:
        """Jets of all coordinates, speeds and accelerations by arc length over intervals, from those of the path and
        its derivatives by its parameter `z`, and by arc length; from configurations (intervals, nq) in the middle of
        intervals with half lengths (intervals,) of the parameter.
        """
        loops = Loops(self.robot, middle)
        q = loops.enclosed(z, self._places, half)
        return q, *loops.completed(q, first, second)[:2]


# Paths


def closed_path(robot: Any, path: Path | Motion | ArrayLike, others: tuple[Any, ...] = ()) -> tuple[Path, Closing]:
    """The path of a closed robot in its independent coordinates, and how the others follow. A path, a motion or points
    may have all coordinates, too: then it begins in the first of its configurations.
    """
    _refuse(robot)
    names, every = robot.independent, robot.coordinate_names
    places = [every.index(name) for name in names]
    near = robot.home
    if isinstance(path, Motion):
        near, way = path.q[0].copy(), Path.of_columns(path, places, [robot.dof_names.index(name) for name in names])
    elif isinstance(path, Path):
        way = path
        if way.n == robot.nq and way.n != len(names):
            near = way.at(way.breaks[:1], np.array([0]), 0)[0][0]
            way = replace(way, coefficients=way.coefficients[..., places])
    else:
        points = np.asarray(path, dtype=float)
        whole = points.ndim == 2 and points.shape[1] == robot.nq != len(names)
        near = points[0].copy() if whole else near
        way = Path.through(points[:, places] if whole else points)
    if way.n != len(names):
        raise ValueError(f"the path has {way.n} coordinates, and robot '{robot.name}', which is closed, has "
                         f"{len(names)} independent ones: {', '.join(names)} (or all {len(every)})")
    for other in others:
        if tuple(other.closing_names) != tuple(robot.closing_names) or np.abs(other.closure(robot.home)).max() > OPEN:
            raise ModelError(f"fastest: robot '{other.name}' of 'also' has not the loops of '{robot.name}': on one "
                             "motion both would have to be closed")
    begin = dict(zip(names, way.at(way.breaks[:1], np.array([0]), 0)[0][0].tolist(), strict=True))
    try:
        near = robot.assemble(begin, near=near).q
    except ValueError as problem:
        raise ModelError(f"fastest: the loops of robot '{robot.name}' cannot be closed where the path begins: "
                         f"{problem}") from problem
    return way, Closing(robot, near)


OPEN = 1e-6
"""m, rad"""


def _refuse(robot: Any) -> None:
    """What is not known along a path of a closed robot."""
    for name in robot.independent:
        if name not in robot.coordinate_names:
            raise ModelError(f"fastest: '{name}' is a freedom of the closed robot '{robot.name}' without a coordinate "
                             "of its own (a quaternion, or a rod that spins between two balls): take an lp.Universal "
                             "at one of its ends, or hold it with robot.locked({...})")
        if name not in robot.driven:
            raise ModelError(f"fastest: no drive moves the freedom '{name}' of the closed robot '{robot.name}', so its "
                             "motion is not for a timing to choose: with_driven(...) drives it, locked({...}) holds it")
    driven = set(robot.driven)
    redundant = len(driven) > len(robot.independent)
    for joint in robot.joints:
        rubs = any(joint.viscous_friction) or any(joint.coulomb_friction) or any(joint.stribeck)
        if rubs and (redundant or not any(name in driven for name in _dofs(robot, joint.name))):
            why = "has more drives than freedoms" if redundant else f"'{joint.name}' has no drive"
            raise ModelError(f"fastest: joint '{joint.name}' of the closed robot '{robot.name}' has friction, and "
                             f"{why}: along a path friction is known at drives, one for each freedom; "
                             "lp.Drive(friction=lp.Friction()) for it leaves it out")


def _dofs(robot: Any, joint: str) -> list[str]:
    """Names of the speeds of a joint."""
    found: list[str] = list(robot.dof_names[robot.v_slices[joint]])
    return found
