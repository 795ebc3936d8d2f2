"""How many freedoms a robot with loops really has, and which speeds determine the others: by rank, numerically.

Rows of loops are counted at a closed configuration and at others around it, reached along the freedoms: what holds at
one pose alone (a dead point, a linkage stretched flat) is not a property of the mechanism. Nothing is
compiled for this.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from loadpath.closure.chain import (
    Ranges,
    column_scales,
    loop_lengths,
    mechanism_of,
    row_scales,
    size_of,
    uncompiled_errors,
    uncompiled_rows,
    uncompiled_step,
)
from loadpath.closure.robot import ClosableRobot
from loadpath.closure.search import Search
from loadpath.errors import ModelError
from loadpath.mechanics.configuration import integrate, normalised
from loadpath.robot.loops import CLOSED_WITHIN
from loadpath.robot.mechanism import Mechanism, Split
from loadpath.robot.model import RobotModel
from loadpath.scalars import array
from loadpath.scalars.types import Floats

APART = 2e-2
"""Frames farther apart than this, of the loop's length and in rad, were not meant to meet: coordinates with two digits
leave less.
"""
RANK = 2e-5
"""Singular values below this part of the largest are zero."""
STARTS = 24
"""Random starts, where a robot is not closed from the configuration that it is given."""
POSES, SPREAD = 8, 0.35
"""Closed configurations at which ranks are taken, and how far around home (rad, or of the size) they are looked for."""


@dataclass(frozen=True, eq=False)
class Freedoms:
    """What the ranks say."""

    rows: Floats
    """(poses, rows, n): of loops and couplings, without units."""
    rank: int
    motions: Floats
    """(poses, n, freedoms): orthonormal motions that the loops allow, at each pose where there are as many."""
    gap: tuple[float, float]
    """The smallest singular value that counts and the largest that does not, as parts of the largest."""


def closed_configuration(robot: RobotModel, near: Floats) -> Floats:
    """The closed configuration that is found from one nearby, or from anywhere; else an error that says how far off."""
    mechanism, size = mechanism_of(robot), size_of(robot)
    start = normalised(mechanism, array(near.tolist())).astype(float)
    if not mechanism.rows:
        return start
    _refuse_contradictions(robot, mechanism)
    ranges = Ranges(robot, size)
    search = Search(uncompiled_step(mechanism, size, np.ones(robot.n)), start[None].copy())
    _close(search, ranges.clipped(start)[None])
    if search.error[0] <= CLOSED_WITHIN:
        found: Floats = search.q[0]
        return found
    many = Search(search.step, np.repeat(start[None], STARTS, axis=0))
    rng = np.random.default_rng(0)
    _close(many, ranges.anywhere(many.q, rng))
    best = int(many.error.argmin())
    if many.error[best] <= CLOSED_WITHIN:
        closed = np.flatnonzero(many.error <= CLOSED_WITHIN)
        found = many.q[closed[np.abs(many.q[closed] - start).sum(axis=1).argmin()]]
        return found
    many.settle(np.arange(STARTS))
    best = int(many.error.argmin())
    nearest = many.q[best] if many.error[best] < search.error[0] else search.q[0]
    raise ModelError(_cannot_close(robot, mechanism, nearest, size) + _outside(ranges, start))


def _close(search: Search, q: Floats) -> None:
    rows = np.arange(len(q))
    search.walk(rows, q, hasty=False)


def _cannot_close(robot: RobotModel, mechanism: Mechanism, q: Floats, size: float) -> str:
    errors = uncompiled_errors(robot, mechanism, q[None])
    worst = int((errors.distances[0] / size + errors.angles[0]).argmax())
    kind = "loop" if worst < len(robot.loops) else "coupling"
    by = f"{errors.distances[0, worst]:.3g} m and {errors.angles[0, worst]:.3g} rad"
    return (
        f"robot '{robot.name}' cannot be assembled: {kind} '{errors.names[worst]}' stays {by} open in the nearest "
        "configuration found: check the frames of its loops and the limits of its joints, or give a configuration near "
        "a closed one with with_home(q)"
    )


def _outside(ranges: Ranges, start: Floats) -> str:
    """Which coordinates of a start are beyond their limits."""
    found = [f"'{name}' at {value:.6g}, limits {low:.6g} and {high:.6g}" for name, value, low, high in zip(
        ranges.robot.coordinate_names, start, ranges.lower, ranges.upper, strict=True)
        if value < low - CLOSED_WITHIN or value > high + CLOSED_WITHIN]
    return f"; this start is beyond limits: {', '.join(found)}" if found else ""


def refuse_apart(robot: RobotModel, loop: int, q: Floats) -> None:
    """Refuse a configuration that is given for a loop whose frames do not meet there."""
    errors = uncompiled_errors(robot, mechanism_of(robot), q[None])
    length, angle = errors.distances[0, loop], errors.angles[0, loop]
    if length > APART * loop_lengths(robot)[loop] or angle > APART:
        raise ModelError(
            f"loop '{robot.loops[loop].name}': its frames do not meet at the given q, they are {length:.3g} m and "
            f"{angle:.3g} rad apart there: correct 'at' and 'on', leave out 'on' (then it is where 'at' is), or "
            "leave out q and say where to look for a closed configuration with robot.with_home(q)"
        )


def _refuse_contradictions(robot: RobotModel, mechanism: Mechanism) -> None:
    """Couplings that cannot hold together, whatever the coordinates are."""
    if not len(mechanism.coupling_rows):
        return
    A = mechanism.coupling_positions.astype(float)
    b = mechanism.coupling_offsets.astype(float)
    left, values, _ = np.linalg.svd(A)
    rank = int((values > 1e-12 * values[0]).sum())
    for combination in left[:, rank:].T:
        off = float(combination @ b)
        if abs(off) > 1e-9 * max(1.0, float(np.abs(b).max())):
            share = np.abs(combination) > 1e-9
            names = [f"'{robot.couplings[k].name}'" for k in np.flatnonzero(share)]
            offsets = ", ".join(f"{b[k]:.6g}" for k in np.flatnonzero(share))
            raise ModelError(f"robot '{robot.name}': couplings {', '.join(names)} contradict each other: their ratios "
                             f"are multiples or sums of one another, their offsets ({offsets}) are not: correct the "
                             "offsets, or leave one of them out")


@lru_cache(maxsize=64)
def poses_nearby(robot: ClosableRobot, count: int = POSES, seed: int = 1, within: float | None = None) -> Floats:
    """(poses, nq): home, and closed configurations around it, reached along the freedoms; fewer, where some are not.
    `within`: anywhere up to so far from it (rad, or of the size).
    """
    mechanism, size = mechanism_of(robot), size_of(robot)
    home = robot.home
    if not mechanism.rows:
        return home[None]
    units = column_scales(mechanism, size)
    motions = null_space(_scaled(mechanism, size, home[None])[0])
    if not motions.shape[1]:
        return home[None]
    rng = np.random.default_rng(seed)
    steps = rng.normal(size=(count - 1, motions.shape[1])) @ motions.T
    steps *= units / np.maximum(np.abs(steps).max(axis=1, keepdims=True), 1e-12)
    steps *= SPREAD if within is None else within * rng.uniform(size=(count - 1, 1))
    starts = np.array([_moved(mechanism, home, step) for step in steps])
    search = Search(uncompiled_step(mechanism, size, np.ones(robot.n)), starts)
    _close(search, Ranges(robot, size).clipped(starts))
    found: Floats = np.concatenate([home[None], search.q[search.error <= CLOSED_WITHIN]])
    return found


@lru_cache(maxsize=64)
def freedoms_of(robot: ClosableRobot) -> Freedoms:
    """Rank and freedoms of a robot."""
    mechanism, size = mechanism_of(robot), size_of(robot)
    rows = _scaled(mechanism, size, poses_nearby(robot))
    if not mechanism.rows:
        every = np.eye(robot.n)[None]
        return Freedoms(rows, 0, every, (1.0, 0.0))
    values = np.linalg.svd(rows, compute_uv=False)
    parts = values / np.maximum(values[:, :1], 1e-300)
    ranks = (parts > RANK).sum(axis=1)
    rank = int(ranks.max())
    generic = np.flatnonzero(ranks == rank)
    motions = np.stack([null_space(rows[k], rank) for k in generic])
    counted = float(parts[generic, rank - 1].max()) if rank else 1.0
    dropped = float(parts[generic, rank].max()) if rank < parts.shape[1] else 0.0
    return Freedoms(rows, rank, motions, (counted, dropped))


def split_of(robot: ClosableRobot, wanted: tuple[int, ...]) -> Split:
    """Which speeds are driven, independent and dependent; `wanted` are the drives, none: the first that determine all
    others, those with coordinates of their own before the twists of quaternions.
    """
    motions = freedoms_of(robot).motions
    plain = [k for k, name in enumerate(robot.dof_names) if name in robot.coordinate_names]
    order = dict.fromkeys([*wanted, *plain, *range(robot.n)])
    independent: list[int] = []
    for k in order:
        if len(independent) == motions.shape[2]:
            break
        if determines(motions, [*independent, k]):
            independent.append(k)
    dependent = tuple(k for k in range(robot.n) if k not in independent)
    return Split(wanted or tuple(sorted(independent)), tuple(independent if wanted else sorted(independent)), dependent)


def determines(motions: Floats, speeds: list[int]) -> bool:
    """Whether speeds can be chosen independently of one another, at one of the poses at least."""
    values = np.linalg.svd(motions[:, speeds], compute_uv=False)
    return len(speeds) <= motions.shape[2] and bool((values[:, len(speeds) - 1] > 10 * RANK).any())


def null_space(matrix: Floats, rank: int | None = None) -> Floats:
    """(n, freedoms): orthonormal columns that a matrix takes to zero."""
    _, values, right = np.linalg.svd(matrix)
    if rank is None:
        rank = int((values > RANK * max(float(values.max(initial=0.0)), 1e-300)).sum())
    found: Floats = right[rank:].T
    return found


def _scaled(mechanism: Mechanism, size: float, q: Floats) -> Floats:
    J = uncompiled_rows(mechanism, q)
    found: Floats = J * row_scales(mechanism, size)[:, None] * column_scales(mechanism, size)
    return found


def _moved(mechanism: Mechanism, q: Floats, step: Floats) -> Floats:
    found: Floats = integrate(mechanism, array(q.tolist()), array(step.tolist())).astype(float)
    return found
