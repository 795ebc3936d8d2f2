"""Dead points: configurations where the drives do not determine the motion, where loops lose their hold, or where a
link loses a freedom. Each has a margin without units, 1 far from it and 0 at it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from loadpath.closure.chain import column_scales, loop_lengths, mechanism_of, size_of
from loadpath.closure.freedoms import RANK, freedoms_of, poses_nearby
from loadpath.errors import warn
from loadpath.kinematics.closed.rows import scaled_rows
from loadpath.quantities.closed import ClosedQuantities
from loadpath.robot.arrays import array_of
from loadpath.robot.loops import CLOSED_WITHIN
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.states.batch import place_of, state_array, state_words
from loadpath.states.unknown import count_words

THRESHOLD = 1e-4
STILL, STEP = 1e-6, 1e-3
SHARE = 0.1
"""Joints that move by less than this part of the one that moves most are not named."""
_AXES = ("along x", "along y", "along z", "about x", "about y", "about z")


@dataclass(frozen=True, eq=False)
class Singularities:
    """How far configurations are from dead points. Margins are without units, between 0 (there) and 1."""

    drive: Floats
    """(...): of the drives: the least part that they have in any motion that the loops allow, against that around home;
    0 where the robot can move while they stand, so that they neither determine nor hold it."""
    loops: Floats
    """(...): of the loops: their least hold, against that around home; 0 where they lose one and let the robot move in
    one way more, as linkages that lie flat do."""
    platform: Floats | None
    """(...): of a link: the least that it moves in any motion, against that around home; 0 where it loses a freedom,
    and carries loads in that direction without the drives. None if no link was asked for."""
    motion: Floats
    """(..., n): the motion in which the drives take least part, speeds of the largest 1 (rad/s, or m/s over the robot's
    size): at a dead point of the drives, what moves while they stand."""
    lost: Floats | None
    """(..., 6): the velocity of the link, linear before angular in world axes (unit: the robot's size a second, rad/s),
    that is hardest to give it: at a dead point of the link, the one that it cannot have."""
    threshold: float
    _robot: ClosedQuantities = field(repr=False)
    _link: str | None = field(repr=False)

    @property
    def dead(self) -> Bools:
        """(...): which states are at a dead point of any kind: a margin is below the threshold, or not a number."""
        found = ~(self.drive >= self.threshold) | ~(self.loops >= self.threshold)
        return np.asarray(found if self.platform is None else found | ~(self.platform >= self.threshold))

    @property
    def unknown(self) -> Bools:
        """(...): which states are not numbers. They count as dead."""
        return np.asarray(np.isnan(self.drive))

    def words(self) -> list[str]:
        """A sentence for each dead point: which state, which kind, what moves."""
        found = [count_words(self.unknown)] if self.unknown.any() else []
        for number in np.flatnonzero(self.dead & ~self.unknown):
            place = place_of(int(number), self.dead.shape)
            where = state_words(place)
            if not self.loops[place] >= self.threshold:
                found.append(f"{_named(self.loops[place])} of the loops{where}: they hold one direction less, and "
                             "the robot can leave in another way")
            if not self.drive[place] >= self.threshold:
                drives = ", ".join(self._robot.driven)
                found.append(f"{_named(self.drive[place])} of the drive{where}: while {drives} "
                             f"{'stands' if len(self._robot.driven) == 1 else 'stand'} still, "
                             f"{_moving(self._robot, self.motion[place])} can move")
            if self.platform is not None and self.lost is not None and not self.platform[place] >= self.threshold:
                found.append(f"{_named(self.platform[place])} of link '{self._link}'{where}: it cannot move "
                             f"{_direction(self.lost[place])}, and carries loads there without the drives")
        return found


def singularities(
    robot: ClosedQuantities, q: ArrayLike, link: str | None = None, *, threshold: float = THRESHOLD
) -> Singularities:
    """How far closed configurations (..., nq) are from dead points: of the drives, of the loops and, with `link`, of
    that link (a platform, a gripper). `.dead` says which states are at one, with a margin below `threshold`, and
    `.words()` what happens there.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> found = bar.singularities(bar.home)
    >>> bool(found.dead), bool(found.drive > 0.01)
    (False, True)
    """
    config = state_array(array_of(q, robot.coordinate_names, "singularities: 'q'"), "q", robot.nq, "singularities")
    if link is not None:
        robot.link(link)
    batch, rows = config.shape[:-1], config.reshape(-1, robot.nq)
    known = np.asarray(np.isfinite(rows).all(axis=1))
    n = robot.n
    drive, loops, platform = (np.full(len(rows), np.nan) for _ in range(3))
    motion, lost = np.full((len(rows), n), np.nan), np.full((len(rows), 6), np.nan)
    if not known.all():
        warn(f"singularities: {count_words(np.asarray(~known).reshape(batch))}, and counted as dead")
    if known.any():
        _refuse_open(robot, rows, known, batch)
        parts = _margins(robot, rows[known], link)
        for into, values in zip((drive, loops, platform, motion, lost), parts, strict=True):
            into[known] = values
    return Singularities(
        drive.reshape(batch),
        loops.reshape(batch),
        None if link is None else platform.reshape(batch),
        motion.reshape(*batch, n),
        None if link is None else lost.reshape(*batch, 6),
        threshold,
        robot,
        link,
    )


def _refuse_open(robot: ClosedQuantities, q: Floats, known: Bools, batch: tuple[int, ...]) -> None:
    """Configurations with open loops have no dead points: they are none of the closed robot's."""
    sizes = np.zeros((len(q), len(robot.loops) + len(robot.couplings), 2))
    sizes[known] = robot.closure(q[known])
    parted = np.maximum(sizes[..., 0] / loop_lengths(robot), sizes[..., 1])
    if not (parted > CLOSED_WITHIN).any():
        return
    state, part = (int(k) for k in np.unravel_index(int(parted.argmax()), parted.shape))
    name = [*(loop.name for loop in robot.loops), *(coupling.name for coupling in robot.couplings)][part]
    raise ValueError(f"singularities: the loops of '{robot.name}' are open{state_words(place_of(state, batch))}, "
                     f"'{name}' by {sizes[state, part, 0]:.3g} m and {sizes[state, part, 1]:.3g} rad: close them with "
                     "robot.assemble(..., near=q)")


class _Usual(NamedTuple):
    """The largest of each measure around home."""

    drive: float
    loops: float


@lru_cache(maxsize=64)
def _usual(robot: ClosedQuantities) -> _Usual:
    motions, loops = _allowed(scaled_rows(robot, poses_nearby(robot)), freedoms_of(robot).rank)
    if not motions.shape[2]:
        return _Usual(1.0, float(loops.max()))
    values = np.linalg.svd(motions[:, _held(robot)], compute_uv=False)
    return _Usual(float(values[:, motions.shape[2] - 1].max()), float(loops.max()))


def _held(robot: ClosedQuantities) -> list[int]:
    """Speeds that are to determine the motion: the drives, and others where these are too few."""
    return sorted({*robot.split.driven, *robot.split.independent})


def _margins(robot: ClosedQuantities, q: Floats, link: str | None) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    rank, usual = freedoms_of(robot).rank, _usual(robot)
    motions, loops = _allowed(scaled_rows(robot, q), rank)
    loops = np.minimum(loops / max(usual.loops, 1e-300), 1.0)
    _, values, right = np.linalg.svd(motions[:, _held(robot)])
    freedoms = motions.shape[2]
    drive = np.minimum(values[:, freedoms - 1] / max(usual.drive, 1e-300), 1.0) if freedoms else np.ones(len(q))
    motion = np.einsum("kij,kj->ki", motions, right[:, -1]) if freedoms else np.zeros((len(q), robot.n))
    drive = np.minimum(drive, loops)  # what the loops let go, drives that were enough before do not hold
    for k in np.flatnonzero(loops < STILL):
        more, _ = _allowed(scaled_rows(robot, q[k : k + 1]), rank - 1)
        motion[k] = more[0] @ np.linalg.svd(more[0, _held(robot)])[2][-1]
    largest = np.abs(motion).argmax(axis=1)
    motion = motion / np.where(freedoms, np.take_along_axis(motion, largest[:, None], axis=1), 1.0)
    platform, lost = np.ones(len(q)), np.zeros((len(q), 6))
    if link is not None and freedoms:
        platform, lost = _of_link(robot, q, link, motions)
    return drive, loops, platform, motion, lost


def _allowed(J: Floats, rank: int) -> tuple[Floats, Floats]:
    """Motions that the loops allow (states, n, freedoms), and the loops' least hold as a part of the largest."""
    if not J.shape[1]:
        return np.repeat(np.eye(J.shape[2])[None], len(J), axis=0), np.ones(len(J))
    _, values, right = np.linalg.svd(J)
    least = values[:, rank - 1] / np.maximum(values[:, 0], 1e-300) if rank else np.ones(len(J))
    return np.swapaxes(right[:, rank:], 1, 2), least


def _of_link(robot: ClosedQuantities, q: Floats, link: str, motions: Floats) -> tuple[Floats, Floats]:
    generic = poses_nearby(robot)
    rank = freedoms_of(robot).rank
    usual = np.linalg.svd(_velocities(robot, generic, link, _allowed(scaled_rows(robot, generic), rank)[0]))[1]
    count = int((usual > 100 * RANK * np.maximum(usual[:, :1], RANK)).sum(axis=1).max())
    left, values, right = np.linalg.svd(_velocities(robot, q, link, motions))
    if not count:
        return np.ones(len(q)), np.zeros((len(q), 6))
    most = max(float(usual[:, count - 1].max()), 1e-300)
    margins, lost = np.minimum(values[:, count - 1] / most, 1.0), left[:, :, count - 1]
    still = np.flatnonzero(margins < STILL)
    if len(still):
        # A velocity of zero has no direction: that which the link has a little further on is the one that it loses.
        further = np.einsum("kij,kj->ki", motions[still], right[still, count - 1])
        lost[still] = _further_on(robot, q[still], further, link, count)
    return margins, lost


def _further_on(robot: ClosedQuantities, q: Floats, motion: Floats, link: str, count: int) -> Floats:
    """The velocity of a link that is hardest to give it, a small motion further on."""
    step = STEP * motion * column_scales(mechanism_of(robot), size_of(robot))
    moved = robot.integrate(q, step)
    motions, _ = _allowed(scaled_rows(robot, moved), freedoms_of(robot).rank)
    found: Floats = np.linalg.svd(_velocities(robot, moved, link, motions))[0][:, :, count - 1]
    return found


def _velocities(robot: ClosedQuantities, q: Floats, link: str, motions: Floats) -> Floats:
    """(states, 6, freedoms): of a link, for each motion."""
    size = size_of(robot)
    J = robot.jacobian(q, link) / np.repeat([size, 1.0], 3)[:, None]
    found: Floats = (J * column_scales(mechanism_of(robot), size)) @ motions
    return found


def _named(margin: float) -> str:
    return f"dead point (margin {margin:.2g})"


def _moving(robot: ClosedQuantities, motion: Floats) -> str:
    """The joints that move, with their speeds against the largest."""
    order = np.argsort(-np.abs(motion))
    named = [k for k in order if np.abs(motion[k]) > SHARE][:6]
    return ", ".join(f"{robot.dof_names[k]} ({motion[k]:+.2f})" for k in named)


def _direction(twist: Floats) -> str:
    """A velocity in words: along or about an axis of the world where it is one."""
    k = int(np.abs(twist).argmax())
    if np.abs(twist[k]) > 0.999:
        return _AXES[k]
    return "with the velocity (" + ", ".join(f"{x:.2f}" for x in twist) + ")"
