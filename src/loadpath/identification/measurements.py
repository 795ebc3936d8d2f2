"""Measured states in rows, checked: their shapes, and that every number is finite, naming row and joint if not; and
their rows of the regressor, compressed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.identification.base import BaseParameters
from loadpath.robot.arrays import batch_shape, refuse_lost_quaternions
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats
from loadpath.states import Joints, is_motion, read_arrays, read_states, refuse_external, refuse_moving_base


@dataclass(frozen=True, eq=False)
class Measurements:
    """Arrays (samples, nq) and (samples, n)."""

    q: Floats
    qd: Floats
    qdd: Floats
    tau: Floats | None = None

    def __len__(self) -> int:
        return len(self.q)

    def chunks(self, size: int) -> Iterator[Measurements]:
        """Rows a chunk at a time."""
        for start in range(0, len(self), size):
            at = slice(start, start + size)
            yield Measurements(self.q[at], self.qd[at], self.qdd[at], None if self.tau is None else self.tau[at])


def measurements(caller: str, robot: RobotModel, **given: Any) -> Measurements:
    """The arrays of a call, labels matched to the robot's names, leading axes broadcast and flattened into rows.

    >>> from loadpath.robot.catalog import planar
    >>> measurements("identify", planar(2), q=[[0, 1], [2, np.nan]], qd=[0, 0], qdd=[0, 0])
    Traceback (most recent call last):
    ValueError: identify: 'q' is nan in row 1 at joint 'joint2'
    """
    plain = read_arrays(Joints.of(robot), given, caller)
    arrays = {name: _array(caller, robot, name, value) for name, value in plain.items()}
    batch = batch_shape({name: a.shape[:-1] for name, a in arrays.items()}, caller)
    rows = {name: np.broadcast_to(a, (*batch, a.shape[-1])).reshape(-1, a.shape[-1]) for name, a in arrays.items()}
    for name, values in rows.items():
        bad = ~np.isfinite(values)
        if bad.any():
            row, column = (int(i) for i in np.argwhere(bad)[0])
            more = int(bad.sum()) - 1
            others = f", and {more} more of its numbers are not finite" if more else ""
            raise ValueError(f"{caller}: '{name}' is {values[row, column]} in row {row} at joint "
                             f"'{_joint(robot, name, column)}'{others}")
    refuse_lost_quaternions(robot, rows["q"], caller)
    return Measurements(**rows)


def motion_and_forces(caller: str, robot: RobotModel, q: Any, qd: Any, qdd: Any, tau: Any = None) -> dict[str, Any]:
    """What a call has given as `(q, qd, qdd, tau)`, as `(motion, tau)`, or as a simulation, which has its own tau."""
    if not is_motion(q):
        return {"q": q, "qd": qd, "qdd": qdd, "tau": tau}
    if qdd is not None or (qd is not None and tau is not None):
        raise ValueError(f"{caller}: a motion has its own qd and qdd: give it and the forces, (motion, tau)")
    refuse_moving_base(q, caller)
    refuse_external(q, caller)
    states = read_states(robot, q, caller=caller)
    forces = qd if qd is not None else tau if tau is not None else states.tau
    return {"q": states.q, "qd": states.qd, "qdd": states.qdd, "tau": forces}


def _array(caller: str, robot: RobotModel, name: str, value: Any) -> Floats:
    size = robot.nq if name == "q" else robot.n
    try:
        array: Floats = np.asarray(value, dtype=float)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"{caller}: '{name}' is not an array of numbers: {problem}") from problem
    if array.ndim < 1 or array.shape[-1] != size:
        raise ValueError(f"{caller}: '{name}' has the shape {array.shape}: expected (samples, {size})")
    return array


def _joint(robot: RobotModel, name: str, column: int) -> str:
    if name != "q":
        return robot.dof_names[column]
    return next(joint for joint, at in robot.q_slices.items() if at.start <= column < at.stop)


# Measurements of any length as a few small triangles: for each joint the QR factor of its rows.
#
# All that least squares needs of the rows Y x = tau of a joint is the triangle R of (1, Y, tau) = Q R, which can be
# updated chunk by chunk. Kept joint by joint, the joints can be weighted afterwards without going through the data
# again. The column of ones stands for an offset of the measured force: without its row and column, R is the triangle
# of what is left when the best offset is taken off, so a fit with offsets costs no more than one without.
#
# Noise that depends on the samples before it is made white by a filter of each joint's rows (see `least_squares`).

# Numbers of the full regressor in memory at a time: 32 MB.
_CHUNK = 4_000_000


@dataclass(frozen=True, eq=False)
class Compressed:
    """For every speed the triangle of the rows (1, base regressor, force) of all states."""

    base: BaseParameters
    samples: int
    """Rows of each joint that count."""
    factors: list[Floats]
    moves: tuple[bool, ...]
    """For every speed whether it moves at all."""
    offsets: bool = True
    """Whether the measured forces may have an offset."""

    @property
    def rows(self) -> list[Floats]:
        """For every speed a few rows (base regressor, force) that stand for all; the offset is out of them if there may
        be one.
        """
        return [R[int(self.offsets) :, 1:] for R in self.factors]

    @property
    def spent(self) -> int:
        """Rows of each joint that its offset takes."""
        return int(self.offsets)

    def squares(self, values: Floats) -> Floats:
        """For every speed the sum of the squared differences to the forces of these base parameters, with the best
        offset if there may be one.
        """
        return np.array([float(np.sum((R[:, :-1] @ values - R[:, -1]) ** 2)) for R in self.rows])

    def sizes(self, values: Floats) -> Floats:
        """For every speed the sum of the squared forces of these base parameters, about their mean if there may be an
        offset.
        """
        return np.array([float(np.sum((R[:, :-1] @ values) ** 2)) for R in self.rows])

    def forces(self) -> Floats:
        """For every speed the sum of the squared forces that were measured."""
        return np.array([float(np.sum(R[:, -1] ** 2)) for R in self.factors])

    def best_offsets(self, values: Floats) -> Floats:
        """For every speed the offset that fits best with these base parameters; zero if there may be none."""
        if not self.offsets:
            return np.zeros(len(self.factors))
        return np.array([(R[0, -1] - R[0, 1:-1] @ values) / R[0, 0] for R in self.factors])

    def offset_deviations(self, covariance: Floats, noise: Floats) -> Floats:
        """Standard deviations of the best offsets, from the covariance of the base parameters and the noise."""
        if not self.offsets:
            return np.zeros(len(self.factors))
        shares = np.array([R[0, 1:-1] / R[0, 0] for R in self.factors])
        alone = np.array([s / R[0, 0] for R, s in zip(self.factors, noise, strict=True)])
        return np.asarray(np.sqrt(alone**2 + np.einsum("kp,pq,kq->k", shares, covariance, shares)))


def compressed(
    base: BaseParameters,
    data: Measurements,
    *,
    offsets: bool = True,
    filters: Sequence[Floats] | None = None,
    progress: bool = False,
) -> Compressed:
    """The triangles of measurements; forces of drive parameters that are not sought are taken off the forces. `filters`
    as in `filtered_rows`.
    """
    n = base.robot.n
    factors = [np.zeros((0, base.number + 2)) for _ in range(n)]
    samples = 0
    for rows in filtered_rows(base, data, filters, progress=progress):
        samples += len(rows[0])
        factors = [_packed(np.vstack([R, more])) for R, more in zip(factors, rows, strict=True)]
    moves = ((data.qd != 0) | (data.qdd != 0)).any(axis=0)
    return Compressed(base, samples, factors, tuple(bool(m) for m in moves), offsets)


def filtered_rows(
    base: BaseParameters, data: Measurements, filters: Sequence[Floats] | None = None, *, progress: bool = False
) -> Iterator[list[Floats]]:
    """A chunk of states at a time, for every speed its rows (1, base regressor, force).

    `filters` are the coefficients a of each speed by which its rows become x_t - a_1 x_(t-1) - a_2 x_(t-2) - ...; all
    speeds lose as many rows at the beginning as the longest filter has coefficients.
    """
    n = base.robot.n
    filters = [np.zeros(0)] * n if filters is None else filters
    longest = max(len(a) for a in filters)
    before: list[Floats] = [np.zeros((0, base.number + 2)) for _ in range(n)]
    for chunk in _chunks(data, _rows_at_a_time(base), progress):
        Y, forces = base_rows(base, chunk)
        ones = np.ones(len(chunk))
        rows = [np.vstack([before[k], np.column_stack([ones, Y[:, k], forces[:, k]])]) for k in range(n)]
        before = [part[len(part) - longest :] for part in rows]
        yield [filtered(part, a, longest) for part, a in zip(rows, filters, strict=True)]


def filtered(rows: Floats, coefficients: Floats, longest: int) -> Floats:
    """x_t - a_1 x_(t-1) - a_2 x_(t-2) - ... of all rows but the first so many."""
    result = rows[longest:].copy()
    for i, a in enumerate(coefficients, start=1):
        result -= a * rows[longest - i : len(rows) - i]
    return result


def base_rows(base: BaseParameters, chunk: Measurements) -> tuple[Floats, Floats]:
    """The base regressor (states, n, number) and the forces that it has to explain."""
    Y = base.parameters.regressor(chunk.q, chunk.qd, chunk.qdd)[..., list(base.grouping.kept)]
    tau = np.zeros_like(chunk.qd) if chunk.tau is None else chunk.tau
    return Y, tau - base.parameters.known_forces(chunk.q, chunk.qd, chunk.qdd)


def fitted(base: BaseParameters, values: Floats, data: Measurements) -> Floats:
    """Forces (states, n) of the motion by these base parameters, without offsets."""
    parts = []
    for chunk in data.chunks(_rows_at_a_time(base)):
        Y, _ = base_rows(base, chunk)
        parts.append(Y @ values + base.parameters.known_forces(chunk.q, chunk.qd, chunk.qdd))
    return np.concatenate(parts)


def _rows_at_a_time(base: BaseParameters) -> int:
    return max(64, _CHUNK // (base.robot.n * len(base.parameters.names)))


def _packed(rows: Floats) -> Floats:
    """The R of a QR factorisation; columns without an entry (links that a joint does not carry) cost nothing."""
    used = np.flatnonzero(rows.any(axis=0))
    R = np.linalg.qr(rows[:, used], mode="r")
    result = np.zeros((len(R), rows.shape[1]))
    result[:, used] = R
    return result


def _chunks(data: Measurements, rows: int, progress: bool) -> Iterable[Measurements]:
    """The chunks, with a bar on the terminal if wanted."""
    if not progress:
        return data.chunks(rows)
    from rich.progress import track

    return track(data.chunks(rows), "regressor of the measurements", total=-(-len(data) // rows))
