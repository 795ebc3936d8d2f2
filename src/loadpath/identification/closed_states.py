"""Robots with loops: which of the tree's forces their drives feel, and random states in which the loops are closed.

The forces of the tree are linear in the parameters; those of the drives do the same work, T_D' tau_D = T' tau, with T
the natural orthogonal complement of the loops. So everything of a tree holds, seen through one matrix.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from loadpath.algorithms import regressor
from loadpath.algorithms.loops import driven
from loadpath.algorithms.loops.rows import constraint_rate
from loadpath.algorithms.loops.status import ENTRIES
from loadpath.closure.chain import uncompiled_rows
from loadpath.closure.freedoms import poses_nearby
from loadpath.closure.robot import ClosableRobot
from loadpath.engine.method import CompiledMethod
from loadpath.engine.program import Operand
from loadpath.engine.quantity import Compiled
from loadpath.engine.uncompiled import Uncompiled
from loadpath.quantities.closed import ClosedQuantities
from loadpath.robot.mechanism import plain
from loadpath.scalars.types import Floats
from loadpath.states.on_manifold import verdict

STATES_AT_ONCE = 4096
SPREAD = 1.0
"""rad, or of the robot's size: how far around home the random states are."""
_MORE = 1.5
"""So many times as many are looked for: some find no closed configuration."""


def felt(robot: ClosableRobot, q: Floats, forces: Floats) -> Floats:
    """Forces (states, n, columns) at the joints of the open tree as the forces of the drives that do the same."""
    if not robot.closing_names:
        return forces
    result = np.zeros(forces.shape)
    split, complement = robot.split, CompiledMethod(robot, ClosedQuantities.complement)
    for start in range(0, len(q), STATES_AT_ONCE):
        at = slice(start, start + STATES_AT_ONCE)
        T = np.asarray(complement.uncompiled(q[at]))
        on_independent = np.swapaxes(T, 1, 2) @ forces[at]
        if len(split.driven) > len(split.independent):
            drives = list(split.driven)
            result[at, drives] = np.linalg.pinv(np.swapaxes(T[:, drives], 1, 2)) @ on_independent
        else:
            result[at, list(split.independent)] = on_independent
    return result


def random_closed_states(
    robot: ClosableRobot, size: Floats, rate: float, count: int, seed: int
) -> tuple[tuple[Floats, Floats, Floats], Floats]:
    """Closed states q, qd, qdd around home, and the motions (states, n, freedoms) that the loops allow there,
    orthonormal in units of the sizes (n) of the speeds. `rate` is a typical one (1/s).
    """
    mechanism = plain(robot)
    q = poses_nearby(robot, int(_MORE * count), seed, SPREAD)
    held = robot.n - robot.mobility
    left, values, right = np.linalg.svd(uncompiled_rows(mechanism, q) * size)
    motions = np.swapaxes(right[:, held:], 1, 2)
    speeds, rates = np.random.default_rng(seed).normal(size=(2, len(q), robot.mobility, 1))
    qd = (motions @ speeds)[..., 0] * size * rate
    inputs = [Operand("q", (robot.nq,)), Operand("qd", (robot.n,))]
    rows = Uncompiled("rates", partial(constraint_rate, mechanism), inputs, [Operand("rates", (mechanism.rows,))])
    needed = np.swapaxes(left[:, :, :held], 1, 2) @ np.asarray(rows(q, qd))[..., None] / values[:, :held, None]
    following = np.swapaxes(right[:, :held], 1, 2) @ needed
    qdd = ((motions @ rates)[..., 0] * rate**2 - following[..., 0]) * size
    return (q, qd, qdd), motions


def _felt_by_drives(caller: str) -> Compiled:
    line = Compiled(
        driven.closed_drive_regressor(regressor.drive_regressor),
        "(q),(n),(n)->(n,d),(s)",
        plain,
        "What the drives feel, and the status of the states.",
        sizes=lambda robot, variant: {"s": ENTRIES},
        public_name=caller,
        verdict=verdict,
    )
    line.name = "drive_regressor"
    return line


_STATES = {caller: _felt_by_drives(caller) for caller in ("identify", "excitation")}


def refuse_impossible_states(robot: ClosableRobot, q: Floats, qd: Floats, qdd: Floats, caller: str) -> None:
    """Refuse states whose loops are open, and speeds and accelerations that loops do not allow."""
    for start in range(0, len(q) if robot.closing_names else 0, STATES_AT_ONCE):
        at = slice(start, start + STATES_AT_ONCE)
        CompiledMethod(robot, _STATES[caller]).uncompiled(q[at], qd[at], qdd[at])
