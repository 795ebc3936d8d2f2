"""`robot.assemble`: configurations in which all loops are closed, for given coordinates of drives or poses of links.

Every row begins at `near`, its held coordinates put to the values given, and closes its loops by damped least squares
(`equations.py`). Rows that do not arrive, or arrive in another assembly mode than `near` has, are led there in small
steps of the held coordinates; those that still do not arrive begin again elsewhere. Along a path every row begins at
its predecessor (`path.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import DTypeLike, NDArray

from loadpath.closure.chain import LoopErrors, loop_errors, loop_lengths, ranges_of, size_of
from loadpath.closure.search import Search
from loadpath.in_text import parts
from loadpath.kinematics.closed.branches import Branches
from loadpath.kinematics.closed.closing import Closing, Targets
from loadpath.kinematics.closed.driven_values import DrivenLike, HeldCoordinates, held_coordinates
from loadpath.kinematics.closed.failures import report
from loadpath.kinematics.closed.path import Path, follow, is_path
from loadpath.kinematics.inverse import checked_poses
from loadpath.quantities.closed import ClosedQuantities
from loadpath.robot.arrays import array_of, batch_shape
from loadpath.robot.loops import CLOSED_WITHIN
from loadpath.scalars.types import ArrayLike, Bools, Floats

RESTARTS, MOST_WALKS = 20, 20_000
"""How often a row that has not arrived begins again, and how many walks that may be in all, one for each row at least.
"""
AT_ONCE = 64
"""Few rows begin again from many places at once: a small batch takes as long as one."""
STAGES = 12
"""Steps in which rows are led from `near` to the values that they are to have."""


@dataclass(frozen=True, eq=False)
class Assembly:
    """Closed configurations. Where `reached` is False, q is only the nearest one found."""

    q: Floats
    """(..., nq)."""
    reached: Bools
    """(...): whether all loops are closed and all links at their poses."""
    error: Floats
    """(...): what the worst loop (or link that has a pose to take) is apart, m."""
    rotation_error: Floats
    """(...): what the worst is turned, rad."""
    branch: NDArray[np.int64]
    """(...): a number for the assembly mode. Between configurations with different numbers there is a dead point, where
    the held coordinates do not determine the others. Configurations with the same number are in the same mode where
    every part of the mechanism has two modes, as in all linkages of four-bars and slider-cranks; parts with more than
    two (a Stewart platform: up to 40) have several modes to a number."""
    iterations: NDArray[np.int64]
    """(...): steps taken, over all starts; along a path of drives, in the last of them."""
    by_part: LoopErrors = field(repr=False)
    """The errors of each loop, coupling and link with a pose, by name."""

    def __repr__(self) -> str:
        return parts("Closed configurations, q in the order of robot.coordinate_names", {
            "q": (self.q, "rad or m"), "reached": (self.reached, ""), "error": (self.error, "m"),
            "rotation_error": (self.rotation_error, "rad"), "branch": (self.branch, "")})

    @property
    def position_error(self) -> Floats:
        """The same as `error`, by the name that the inverse kinematics of open arms has for it."""
        return self.error

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[np.generic]:
        """Its q, so that it can be given wherever coordinates are: `robot.gravity_forces(robot.assemble(...))`."""
        return np.array(self.q, dtype=dtype) if copy else np.asarray(self.q, dtype=dtype)


def assemble(
    robot: ClosedQuantities,
    driven: DrivenLike | None = None,
    near: ArrayLike | None = None,
    *,
    poses: Mapping[str, ArrayLike] | None = None,
    weights: ArrayLike | Mapping[str, ArrayLike] | None = None,
    path: bool | None = None,
    limits: bool = True,
    strict: bool = True,
    restarts: int = RESTARTS,
    seed: int = 0,
) -> Assembly:
    """Configurations that close all loops, with some coordinates or poses given, in batches.

    - `driven`: coordinates by the names of their speeds, `{"crank_joint": angles}`, of any joints, with drives or
      without; or an array (..., drives) in the order of `robot.driven`. They keep their values; all other joints move.
      A joint with a quaternion is given by its own name, with all its coordinates.
    - `near` (..., nq): where the search begins, and which assembly mode it keeps if it can; `robot.home` unless given.
      What is not determined stays near it. Angles come out within half a turn of it.
    - `poses`: of links in the world, `{"platform": (..., 4, 4)}`, in addition to driven coordinates or instead of them;
      `weights` (6) of their errors along and about the world's axes, for all links or by name: `(1, 1, 1, 0, 0, 0)` for
      positions only.
    - `path`: whether the rows, one axis of them, are a path: then each begins where the one before ended, and the
      assembly mode is kept, through dead points too. Unless it is given, rows of driven coordinates are a path if there
      are three or more and none changes by more than 0.25 rad, or a quarter of the robot's size, from row to row; those
      that cannot be reached along it are then looked for in other modes too.
    - `limits`: passive joints stay within their limits; False: limits do not count. The driven coordinates are yours
      and are taken as they are.
    - `strict`: raise a ValueError where a loop cannot be closed; False: a `ModelWarning`, and `reached` is False there.

    Loops are closed to rounding: below 1e-12 of the robot's size. Geometry that does not quite close, as rounded
    to five digits in a file (1.5708), counts as closed up to 2e-5.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> turn = bar.assemble({bar.driven[0]: bar.home[0] + np.linspace(0, 0.5, 20)})
    >>> turn.q.shape, bool(turn.reached.all()), bool(turn.error.max() < 1e-12)
    ((20, 3), True, True)
    """
    task = _Task(robot, driven, near, poses, weights, limits)
    search = Search(task.closing.step, np.array(task.near))
    sound = np.flatnonzero(task.sound)
    along = task.along(path)
    if along is not None:
        task.spread(search, sound[:1], restarts, seed)
        follow(task.closing, search, along)
    if not path:  # also where rows only look like a path
        task.spread(search, sound[~search.closed(CLOSED_WITHIN)[sound]], restarts, seed)
    task.settle(search, sound)
    search.q[~task.sound] = np.nan
    result = task.result(search, wrapped=along is None)
    report(robot, task, result, strict)
    return result


class _Task:
    """A call that has been read: one row for each configuration that is looked for."""

    def __init__(
        self,
        robot: ClosedQuantities,
        driven: DrivenLike | None,
        near: ArrayLike | None,
        poses: Mapping[str, ArrayLike] | None,
        weights: ArrayLike | Mapping[str, ArrayLike] | None,
        limits: bool,
    ) -> None:
        self.robot = robot
        self.limits = limits
        self.held: HeldCoordinates = held_coordinates(robot, driven, "assemble")
        targets = _targets(robot, poses)
        self.own_near = near is not None
        begin = _near(robot, near)
        shapes = {"driven": self.held.values.shape[:-1], "near": begin.shape[:-1]}
        shapes |= {f"pose of '{link}'": pose.shape[:-2] for link, pose in targets.items()}
        self.batch = batch_shape(shapes, "assemble")
        self.count = math.prod(self.batch)
        rows = (self.count,)
        self.near = np.broadcast_to(begin, (*self.batch, robot.nq)).reshape(*rows, robot.nq)
        self.one_near = begin.ndim == 1
        self.values = np.broadcast_to(self.held.values, (*self.batch, len(self.held.places)))
        self.values = self.values.reshape(*rows, len(self.held.places))
        self.start = self.near.copy()
        self.start[:, self.held.places] = self.values
        free = np.ones(robot.n)
        free[self.held.speeds] = 0.0
        stacked = None
        if targets:
            each = [np.broadcast_to(pose, (*self.batch, 4, 4)).reshape(*rows, 4, 4) for pose in targets.values()]
            stacked = np.stack(each, axis=1)
        self.closing = Closing(robot, free, Targets(tuple(targets), stacked, _weights(weights, tuple(targets))), limits)
        self.sound: Bools = np.asarray(np.isfinite(self.start).all(axis=1))
        if stacked is not None:
            self.sound &= np.isfinite(stacked).all(axis=(1, 2, 3))
        self.size = size_of(robot)
        self.ranges = ranges_of(robot)

    def along(self, path: bool | None) -> Path | None:
        """The path that the rows are, if they are one."""
        units = np.where(self.held.angular, 1.0, self.size)
        if path is None:
            path = len(self.batch) == 1 and self.one_near and not self.closing.targets.links
            path = path and bool(self.sound.all()) and is_path(self.values / units)
        elif path and len(self.batch) != 1:
            raise ValueError(f"assemble: path=True with the batch shape {self.batch}: expected one axis of rows, in "
                             "the order of the path")
        return Path(self.values, self.held.places, units, self.sound) if path else None

    def spread(self, search: Search, rows: NDArray[np.intp], restarts: int, seed: int) -> None:
        """Rows that have nothing to do with one another."""
        if not len(rows):
            return
        self.closing.close(search, rows, self.start[rows])
        if len(self.held.places):
            self._led(search, rows)
        rng = np.random.default_rng(seed)
        left, walks = restarts, 0
        while left > 0:
            missing = rows[~search.closed(CLOSED_WITHIN)[rows]]
            walks += len(missing)
            if not len(missing) or (left < restarts and walks > MOST_WALKS):
                return
            copies = min(left, max(1, AT_ONCE // len(missing)))
            missing = np.repeat(missing, copies)
            anywhere = self.ranges.anywhere(self.start[missing], rng)
            anywhere[:, self.held.places] = self.values[missing]
            self.closing.close(search, missing, anywhere)
            left -= copies

    def settle(self, search: Search, rows: NDArray[np.intp]) -> None:
        """Bring rows that did not arrive to the nearest configuration there is."""
        missing = rows[~search.closed(CLOSED_WITHIN)[rows]][:MOST_WALKS]
        search.settle(missing)

    def _led(self, search: Search, rows: NDArray[np.intp]) -> None:
        """Lead rows that did not arrive, or arrived in another mode, from `near` in small steps."""
        origin, where = (self.near[:1], np.zeros(len(rows), dtype=int)) if self.one_near else (self.near[rows], None)
        first = Search(self.closing.step, origin.copy())
        if self.closing.targets.links:
            return  # poses are not led
        self.closing.close(first, np.arange(len(origin)), origin)
        closed = first.closed(CLOSED_WITHIN)
        labels = self.branches.of(first.q)
        self.labels = np.zeros(self.count, dtype=np.int64)
        self.labels[rows] = self.branches.of(search.q[rows])
        place = where if where is not None else np.arange(len(rows))
        arrived = search.closed(CLOSED_WITHIN)[rows]
        other = self.labels[rows] != labels[place]
        again = np.flatnonzero((~arrived | other) & closed[place])
        if not len(again):
            return
        walked = Search(self.closing.step, first.q[place[again]])
        every = np.arange(len(again))
        begin, end = walked.q[:, self.held.places].copy(), self.values[rows[again]]
        alive = every
        for stage in range(1, STAGES + 1):
            q = walked.q[alive].copy()
            q[:, self.held.places] = begin[alive] + stage / STAGES * (end - begin)[alive]
            walked.error[:] = np.inf
            self.closing.close(walked, alive, q)
            alive = alive[walked.closed(CLOSED_WITHIN)[alive]]
        modes = self.branches.of(walked.q[alive])
        better = alive[~arrived[again[alive]] | (modes == labels[place[again[alive]]])]
        chosen = rows[again[better]]
        search.q[chosen], search.error[chosen] = walked.q[better], walked.error[better]
        search.iterations[rows[again]] += walked.iterations

    @property
    def branches(self) -> Branches:
        """Labels of assembly modes."""
        links = self.closing.targets.links
        return Branches.of_robot(self.robot, tuple(np.flatnonzero(self.closing.free).tolist()), links)

    def result(self, search: Search, *, wrapped: bool) -> Assembly:
        """What was found."""
        q = np.ascontiguousarray(self._near_turns(search.q) if wrapped else search.q)
        sizes = self.robot.closure(q)
        errors = loop_errors(self.robot, sizes, self.closing.targets.links, self.closing.target_errors(q))
        distance, angle = errors.distances.max(axis=1, initial=0.0), errors.angles.max(axis=1, initial=0.0)
        lengths = np.full(errors.distances.shape[1], self.size)
        own = loop_lengths(self.robot)
        lengths[: len(own)] = own
        near = (errors.distances <= CLOSED_WITHIN * lengths).all(axis=1)
        reached = self.sound & near & (angle <= CLOSED_WITHIN)
        branch = self.branches.of(q)
        return Assembly(
            q=q.reshape(*self.batch, self.robot.nq),
            reached=reached.reshape(self.batch),
            error=np.where(self.sound, distance, np.nan).reshape(self.batch),
            rotation_error=np.where(self.sound, angle, np.nan).reshape(self.batch),
            branch=branch.reshape(self.batch),
            iterations=search.iterations.reshape(self.batch),
            by_part=errors.shaped(self.batch),
        )

    def _near_turns(self, q: Floats) -> Floats:
        """The same with angles that have no limits within half a turn of where the search began."""
        turn = 2.0 * math.pi
        free = np.ones(self.robot.nq, dtype=bool)
        free[self.held.places] = False
        which = free & self.ranges.angular & ~np.isfinite(self.ranges.lower) & ~np.isfinite(self.ranges.upper)
        for coupling in self.robot.couplings:
            for dof, _ in coupling.ratios:
                which[self.robot.coordinate_names.index(dof)] = False  # a turn more is another position of the others
        moved = np.round((q - self.near) / turn)
        return np.where(which & np.isfinite(moved), q - turn * moved, q)


def _near(robot: ClosedQuantities, near: ArrayLike | None) -> Floats:
    if near is None:
        return robot.home
    start = np.asarray(array_of(near, robot.coordinate_names, "assemble: 'near'"), dtype=float)
    if start.ndim == 0 or start.shape[-1] != robot.nq:
        raise ValueError(f"assemble: 'near' has the shape {start.shape}: expected (..., {robot.nq})")
    return start


def _targets(robot: ClosedQuantities, poses: Mapping[str, ArrayLike] | None) -> dict[str, Floats]:
    found = {}
    for link, pose in (poses or {}).items():
        robot.link(link)
        found[link] = checked_poses(pose, "assemble", f"pose of '{link}'")
    return found


def _weights(weights: ArrayLike | Mapping[str, ArrayLike] | None, links: tuple[str, ...]) -> Floats:
    given = weights if isinstance(weights, Mapping) else dict.fromkeys(links, weights)
    unknown = [link for link in given if link not in links]
    if unknown:
        raise ValueError(f"assemble: 'weights' are given for '{unknown[0]}', which has no pose to take; there are "
                         f"{', '.join(links) or 'none'}")
    rows = []
    for link in links:
        value = given.get(link)
        row = np.ones(6) if value is None else np.asarray(value, dtype=float)
        if row.shape != (6,) or not np.isfinite(row).all() or (row < 0).any() or not row.any():
            raise ValueError(f"assemble: 'weights' of '{link}' are {value}: expected six numbers, zero or more, for "
                             "the errors along and about x, y and z, not all zero")
        rows.append(row)
    return np.array(rows).reshape(len(links), 6)
