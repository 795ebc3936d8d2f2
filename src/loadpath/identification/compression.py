"""Measurements of any length as a few small triangles: for each joint the QR factor of its rows.

All that least squares needs of the rows Y x = tau of a joint is the triangle R of (Y, tau) = Q R, which can be updated
chunk by chunk. Kept joint by joint, the joints can be weighted afterwards without going through the data again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loadpath.identification.base import BaseParameters
from loadpath.identification.measurements import Measurements
from loadpath.scalars.types import Floats

# Numbers of the full regressor in memory at a time: 32 MB.
_CHUNK = 4_000_000


@dataclass(frozen=True, eq=False)
class Compressed:
    """For every speed the triangle of the rows (base regressor, force) of all states."""

    base: BaseParameters
    samples: int
    factors: list[Floats]
    moves: tuple[bool, ...]
    """For every speed whether it moves at all."""

    def squares(self, values: Floats) -> Floats:
        """For every speed the sum of the squared differences to the forces of these base parameters."""
        return np.array([float(np.sum((R[:, :-1] @ values - R[:, -1]) ** 2)) for R in self.factors])

    def sizes(self, values: Floats) -> Floats:
        """For every speed the sum of the squared forces of these base parameters."""
        return np.array([float(np.sum((R[:, :-1] @ values) ** 2)) for R in self.factors])


def compressed(base: BaseParameters, data: Measurements, *, progress: bool = False) -> Compressed:
    """The triangles of measurements; forces of drive parameters that are not sought are taken off the forces."""
    n, size = base.robot.n, base.number + 1
    factors = [np.zeros((0, size)) for _ in range(n)]
    moves = np.zeros(n, dtype=bool)
    rows = max(64, _CHUNK // (n * len(base.parameters.names)))
    for chunk in _chunks(data, rows, progress):
        Y, forces = base_rows(base, chunk)
        moves |= (chunk.qd != 0).any(axis=0) | (chunk.qdd != 0).any(axis=0)
        for k in range(n):
            factors[k] = _packed(np.vstack([factors[k], np.column_stack([Y[:, k], forces[:, k]])]))
    return Compressed(base, len(data), factors, tuple(bool(m) for m in moves))


def base_rows(base: BaseParameters, chunk: Measurements) -> tuple[Floats, Floats]:
    """The base regressor (states, n, number) and the forces that it has to explain."""
    Y = base.parameters.regressor(chunk.q, chunk.qd, chunk.qdd)[..., list(base.grouping.kept)]
    tau = np.zeros_like(chunk.qd) if chunk.tau is None else chunk.tau
    return Y, tau - base.parameters.known_forces(chunk.qd, chunk.qdd)


def fitted(base: BaseParameters, values: Floats, data: Measurements) -> Floats:
    """Forces (states, n) of the motion by these base parameters."""
    rows = max(64, _CHUNK // (base.robot.n * len(base.parameters.names)))
    parts = []
    for chunk in data.chunks(rows):
        Y, _ = base_rows(base, chunk)
        parts.append(Y @ values + base.parameters.known_forces(chunk.qd, chunk.qdd))
    return np.concatenate(parts)


def _packed(rows: Floats) -> Floats:
    """The R of a QR factorisation; columns without an entry (links that a joint does not carry) cost nothing."""
    used = np.flatnonzero(rows.any(axis=0))
    R = np.linalg.qr(rows[:, used], mode="r")
    result = np.zeros((len(R), rows.shape[1]))
    result[:, used] = R
    return result


def _chunks(data: Measurements, rows: int, progress: bool):  # type: ignore[no-untyped-def]
    """The chunks, with a bar on the terminal if wanted."""
    if not progress:
        return data.chunks(rows)
    from rich.progress import track

    return track(data.chunks(rows), "regressor of the measurements", total=-(-len(data) // rows))
