"""A closed configuration, and which speeds determine the others there: by rank, numerically."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError
from loadpath.mechanics.configuration import integrate, normalised
from loadpath.mechanics.kinematics import frame_placement, placements
from loadpath.robot.closed_mechanism import ClosedMechanism, Split
from loadpath.scalars import MatrixRotation, array

Floats = NDArray[np.float64]

NO_SPLIT = Split((), (), ())
CLOSED, STEPS, DIFFERENCE, RANK = 1e-12, 200, 1e-6, 1e-6


def residual(mechanism: ClosedMechanism, q: Floats) -> Floats:
    """(rows,): how far every held direction is from closed (m, rad), then the couplings."""
    bodies = placements(mechanism, array(q.tolist()))
    found: list[float] = []
    for loop in mechanism.loops:
        at, on = (frame_placement(mechanism, bodies, frame) for frame in (loop.at, loop.on))
        A, B = (np.array([row.astype(float) for row in placed.rows]) for placed in (at, on))
        Q = A.T @ B
        b = A.T @ (on.origin - at.origin).astype(float)
        turn, b_n = loop.motion.nearest(MatrixRotation(array(Q.tolist())), array(b.tolist()))
        E = turn.matrix().astype(float).T @ Q
        angle = np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]) * 2.0 / (1.0 + np.trace(E))
        shift = Q.T @ (b - b_n.astype(float))
        for torque, force in loop.motion.held(MatrixRotation(array(Q.tolist())), array(b.tolist())):
            found.append(float(torque.astype(float) @ angle + force.astype(float) @ shift))
    coupled = mechanism.coupling_positions.astype(float) @ q - mechanism.coupling_offsets.astype(float)
    return np.array([*found, *coupled])


def moved(mechanism: ClosedMechanism, q: Floats, v: Floats) -> Floats:
    """The configuration after a small motion."""
    result: Floats = integrate(mechanism, array(q.tolist()), array(v.tolist())).astype(float)
    return result


def rows(mechanism: ClosedMechanism, q: Floats) -> Floats:
    """(rows, n): rates of the residual per unit of each speed."""
    columns = [
        (residual(mechanism, moved(mechanism, q, DIFFERENCE * unit))
         - residual(mechanism, moved(mechanism, q, -DIFFERENCE * unit))) / (2 * DIFFERENCE)
        for unit in np.eye(mechanism.n)
    ]  # fmt: skip
    return np.array(columns).T.reshape(mechanism.rows, mechanism.n)


def closed_configuration(mechanism: ClosedMechanism, q: Floats, name: str) -> Floats:
    """The closed configuration that Newton's method finds from q."""
    q = normalised(mechanism, array(q.tolist())).astype(float)
    phi = residual(mechanism, q)
    for _ in range(STEPS):
        if not len(phi) or np.abs(phi).max() < CLOSED:
            return q
        step = np.linalg.lstsq(rows(mechanism, q), -phi, rcond=1e-9)[0]
        size = np.abs(step).max()
        q = moved(mechanism, q, step * min(1.0, 0.5 / size))
        phi = residual(mechanism, q)
    if np.abs(phi).max() < 1e-9:
        return q
    raise ModelError(f"robot '{name}': its loops cannot be closed from the given configuration: a held direction stays "
                     f"{np.abs(phi).max():.3g} off; give a configuration near a closed one with with_home(q)"
                     )  # fmt: skip


def split(mechanism: ClosedMechanism, q: Floats, wanted: tuple[int, ...]) -> Split:
    """Which speeds are driven and independent at a closed configuration; `wanted` are the drives, none: by order."""
    J = rows(mechanism, q)
    freedoms = mechanism.n - _rank(J)
    candidates = wanted or tuple(range(mechanism.n))
    independent: list[int] = []
    for k in (*candidates, *range(mechanism.n)):
        if len(independent) == freedoms:
            break
        trial = [*independent, k]
        others = [c for c in range(mechanism.n) if c not in trial]
        # Independent: none of them moves by the others alone being held.
        if k not in independent and _rank(J[:, others]) == len(others) - (freedoms - len(trial)):
            independent = trial
    dependent = tuple(k for k in range(mechanism.n) if k not in independent)
    return Split(wanted or tuple(independent), tuple(independent), dependent)


def _rank(matrix: Floats) -> int:
    if not matrix.size:
        return 0
    values = np.linalg.svd(matrix, compute_uv=False)
    return int((values > RANK * max(values[0], 1e-300)).sum())
