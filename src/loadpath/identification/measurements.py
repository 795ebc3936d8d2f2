"""Measured states in rows, checked: their shapes, and that every number is finite, naming row and joint if not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

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
