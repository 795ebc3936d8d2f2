"""`robot.complete`: all speeds and accelerations of a closed robot from those of its drives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from loadpath.algorithms.loops.closing_steps import row_scales
from loadpath.closure.chain import column_scales, loop_lengths, mechanism_of, size_of
from loadpath.closure.freedoms import RANK, determines, freedoms_of
from loadpath.errors import warn
from loadpath.in_text import parts
from loadpath.kinematics.closed.driven_values import DrivenLike, unknown_speed
from loadpath.kinematics.closed.kernels import compiled
from loadpath.kinematics.closed.rows import scaled_rows
from loadpath.quantities.closed import ClosedQuantities
from loadpath.robot.arrays import array_of, batch_shape, is_labelled, numbers
from loadpath.robot.loops import CLOSED_WITHIN, spins_of_rods
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.states.batch import place_of, state_array
from loadpath.states.on_manifold import DEAD
from loadpath.states.unknown import listed

CONSISTENT = 2e-5
"""Speeds that are given in addition may differ by this part from what the loops make of the others."""


class Completed(NamedTuple):
    """All speeds and accelerations."""

    qd: Floats
    """(..., n)."""
    qdd: Floats
    """(..., n)."""

    def __repr__(self) -> str:
        return parts("Speeds and accelerations, in the order of robot.dof_names", {
            "qd": (self.qd, "rad/s or m/s"), "qdd": (self.qdd, "rad/s^2 or m/s^2")})


def complete(
    robot: ClosedQuantities, q: ArrayLike, qd: DrivenLike, qdd: DrivenLike | None = None, *, strict: bool = True
) -> Completed:
    """All speeds (..., n) and accelerations (..., n) of closed states, from those of the drives.

    - `q` (..., nq): closed configurations, as `assemble` gives them.
    - `qd`, `qdd`: arrays (..., drives) in the order of `robot.driven`, or by name, `{"crank_joint": 2.0}`, of any
      speeds that determine the others, with drives or without. Without `qdd` they do not accelerate.

    More speeds than freedoms must agree with one another. Where the drives leave freedoms open, name other speeds too,
    as `robot.independent` has them. The spin of a rod with a ball at both ends need not be named: of all motions with
    the given speeds that with the least is taken (squares of all speeds, lengths in units of the robot's size), as
    `assemble` takes along a path; of accelerations as well. Forces do not depend on such an acceleration: they are
    those of the one that no force hinders.

    `strict=False` warns where states cannot be completed (loops open, dead points, speeds that contradict each other)
    instead of raising a ValueError; at dead points the numbers are NaN.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> qd, qdd = bar.complete(bar.home, {bar.driven[0]: 1.0})
    >>> qd.shape, bool(abs(bar.constraint_jacobian(bar.home) @ qd).max() < 1e-12)
    ((3,), True)
    """
    config = state_array(array_of(q, robot.coordinate_names, "complete: 'q'"), "q", robot.nq, "complete")
    names, speeds, idle = _given(robot, qd, "qd")
    if qdd is None:
        rates = np.zeros(len(names))
    else:
        others, rates, _ = _given(robot, qdd, "qdd")
        if set(others) != set(names):
            raise ValueError(f"complete: 'qd' has {', '.join(names)} and 'qdd' has {', '.join(others)}: expected the "
                             "same speeds")
        rates = rates[..., [others.index(name) for name in names]]
    batch_shape({"q": config.shape[:-1], "qd": speeds.shape[:-1], "qdd": rates.shape[:-1]}, "complete")
    found, off, dead = _solve(robot, config, names, speeds, rates, idle)
    _check(robot, config, found, off, dead, names, strict)
    return found


def _solve(
    robot: ClosedQuantities, q: Floats, names: list[str], qd: Floats, qdd: Floats, idle: list[int]
) -> tuple[Completed, tuple[Floats, Floats], Bools]:
    """All speeds and accelerations, by how much those given differ from them, and which states are dead points. The
    speeds with the numbers `idle` are not given, and as small as they can be.
    """
    at = [robot.dof_names.index(name) for name in names]
    inner = list(robot.split.independent)
    if set(inner) <= {*at, *idle}:
        speeds, rates, pivot = _by_independent(robot, q, at, qd, qdd, idle)
    else:
        speeds, rates, pivot = _by_others(robot, q, at, qd, qdd)
    with np.errstate(invalid="ignore"):
        speeds_off, rates_off = np.abs(speeds[..., at] - qd), np.abs(rates[..., at] - qdd)
        off = speeds_off.max(axis=-1, initial=0.0), rates_off.max(axis=-1, initial=0.0)
        dead = np.asarray(pivot < DEAD)
    return Completed(speeds, rates), off, np.broadcast_to(dead, speeds.shape[:-1])


def _by_independent(
    robot: ClosedQuantities, q: Floats, at: list[int], qd: Floats, qdd: Floats, idle: list[int]
) -> tuple[Floats, Floats, Floats]:
    """The same by the compiled completion from the independent speeds, where all but the idle ones are given."""
    inner = list(robot.split.independent)
    known, rods = ([place for place, k in enumerate(inner) if k in chosen] for chosen in (at, idle))
    given = [np.zeros((*part.shape[:-1], len(inner))) for part in (qd, qdd)]
    for values, part in zip(given, (qd, qdd), strict=True):
        values[..., known] = part[..., [at.index(inner[place]) for place in known]]
    completion = compiled(robot, "completion")
    speeds, rates, pivot = completion(q, *given)
    if rods:
        motions = np.swapaxes(compiled(robot, "complement")(q)[..., rods], -1, -2)
        speeds = _without(robot, motions, speeds)
        rates = _without(robot, motions, completion(q, speeds[..., inner], given[1])[1])
    return speeds, rates, pivot


def _without(robot: ClosedQuantities, motions: Floats, speeds: Floats) -> Floats:
    """The least speeds that differ from some by motions (..., some, n)."""
    units = column_scales(mechanism_of(robot), size_of(robot))
    rows = motions / units
    square = rows @ np.swapaxes(rows, -1, -2)
    shares = np.linalg.solve(square, rows @ (speeds / units)[..., None])
    return np.asarray(speeds - (np.swapaxes(motions, -1, -2) @ shares)[..., 0])


def _by_others(
    robot: ClosedQuantities, q: Floats, at: list[int], qd: Floats, qdd: Floats
) -> tuple[Floats, Floats, Floats]:
    """The same from other speeds than the independent ones, through all motions that the loops allow."""
    mechanism, size = mechanism_of(robot), size_of(robot)
    units = column_scales(mechanism, size)
    rank = freedoms_of(robot).rank
    J = scaled_rows(robot, q.reshape(-1, robot.nq)).reshape(*q.shape[:-1], -1, robot.n)
    motions = np.swapaxes(np.linalg.svd(J)[2][..., rank:, :], -2, -1)
    chosen = motions[..., at, :]
    values = np.linalg.svd(chosen, compute_uv=False)
    inverse = np.linalg.pinv(chosen)

    def through(given: Floats) -> Floats:
        found: Floats = np.einsum("...ij,...jk,...k->...i", motions, inverse, given / units[at])
        return found

    speeds = units * through(qd)
    rate = compiled(robot, "constraint_rate")(q, speeds) * np.array(row_scales(mechanism, size))
    drift = -np.einsum("...ij,...j->...i", np.linalg.pinv(J, rcond=RANK), rate)
    rates = units * (drift + through(qdd - units[at] * drift[..., at]))
    return speeds, rates, values[..., -1]


def _given(robot: ClosedQuantities, given: Any, what: str) -> tuple[list[str], Floats, list[int]]:
    """Names of speeds, their values (..., names), and numbers of those with which rods spin that need none."""
    title = f"complete: '{what}'"
    if isinstance(given, Mapping):
        names = list(given)
        for name in names:
            if name not in robot.dof_names:
                raise unknown_speed(robot, name, "complete")
        parts = [numbers(value, f"{title}, '{name}'") for name, value in given.items()]
        shape = batch_shape({name: part.shape for name, part in zip(names, parts, strict=True)}, "complete")
        values = np.stack([np.broadcast_to(part, shape) for part in parts], axis=-1) if parts else np.zeros(0)
    else:
        names = list(robot.driven)
        if is_labelled(given):
            given = array_of(given, names, title)
        values = numbers(given, title)
        if values.ndim == 0 or values.shape[-1] != len(names):
            raise ValueError(f"{title} has the shape {values.shape}: expected (..., {len(names)}), the drives "
                             f"{', '.join(names)} in this order; others by name")
    return names, values, _idle_speeds(robot, names, title)


def _idle_speeds(robot: ClosedQuantities, names: list[str], title: str) -> list[int]:
    """Numbers of further speeds that would determine the motion together with those named, if all of them are spins of
    rods; else an error that names the others.
    """
    motions = freedoms_of(robot).motions
    at = [robot.dof_names.index(name) for name in names]
    chosen: list[int] = []
    for k in at:
        if determines(motions, [*chosen, k]):
            chosen.append(k)
    more: list[int] = []
    for k in (*robot.split.independent, *range(robot.n)):
        if len(chosen) + len(more) < motions.shape[2] and determines(motions, [*chosen, *more, k]):
            more.append(k)
    spinning = spins_of_rods(robot, [robot.dof_names[k] for k in more])
    wanted = ", ".join(f"'{robot.dof_names[k]}'" for k in more if robot.dof_names[k] not in spinning)
    if not wanted:
        return more
    have = ", ".join(names) or "no speed"
    raise ValueError(f"{title}: {have} {'do' if len(names) > 1 else 'does'} not determine the motion of robot "
                     f"'{robot.name}', which has {motions.shape[2]} freedom{'s' if motions.shape[2] != 1 else ''}: "
                     f"give {wanted} too, by name")


def _check(
    robot: ClosedQuantities,
    q: Floats,
    found: Completed,
    off: tuple[Floats, Floats],
    dead: Bools,
    names: list[str],
    strict: bool,
) -> None:
    shape = found.qd.shape[:-1]
    sizes = robot.closure(q)
    lengths = loop_lengths(robot)
    with np.errstate(invalid="ignore"):
        parted = np.maximum(sizes[..., 0] / lengths, sizes[..., 1])
        opened = np.broadcast_to((parted > CLOSED_WITHIN).any(axis=-1), shape)
        dead = np.asarray(dead & ~opened)
        contrary = [
            values > CONSISTENT * np.maximum(np.abs(part).max(axis=-1, initial=0.0), 1e-3)
            for values, part in zip(off, found, strict=True)
        ]
    problems: list[tuple[Bools, str]] = []
    if opened.any():
        at = np.unravel_index(int(np.argmax(parted)), parted.shape)
        loop = [*(part.name for part in robot.loops), *(part.name for part in robot.couplings)][int(at[-1])]
        problems.append((opened, f"the loops are open, '{loop}' by {sizes[(*at, 0)]:.3g} m and {sizes[(*at, 1)]:.3g} "
                         "rad: close them with robot.assemble(..., near=q)"))
    if dead.any():
        problems.append((dead, f"this is a dead point, where {', '.join(names)} {'do' if len(names) > 1 else 'does'} "
                         "not determine the motion: move away from it, or give other speeds by name"))
    for values, amount, what in zip(contrary, off, ("speeds", "accelerations"), strict=True):
        which = values & ~opened & ~dead
        if which.any():
            worst, free = float(np.max(np.where(which, amount, 0.0))), len(robot.split.independent)
            given, has = ", ".join(names), f"robot '{robot.name}' has {free} freedom{'s' if free != 1 else ''}"
            words = (f"the {what} of {given} contradict each other by {worst:.3g}: {has}: leave some out, as all but "
                     f"{', '.join(robot.independent)}")
            if not free:
                words = f"the {what} of {given} are up to {worst:.3g}, and {has}: its loops hold it, so all are zero"
            problems.append((np.asarray(which), words))
    for which, words in problems:
        places = [place_of(int(k), shape) for k in np.flatnonzero(which)]
        where = f" in {len(places)} of {which.size} states ({listed(places, len(places))})" if shape else ""
        if strict:
            raise ValueError(f"complete{where}: {words}")
        warn(f"complete{where}: {words}")
    if dead.any():
        for part in found:
            part[dead] = np.nan
