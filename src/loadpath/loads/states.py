"""The states over which loads are looked at: a motion or a batch, in blocks, each state with its share of the time."""

from __future__ import annotations

from numpy.typing import ArrayLike

from loadpath.errors import warn
from loadpath.motion.checks import outside_limits
from loadpath.motion.spectrum import DutySpectrum
from loadpath.robot.model import RobotModel
from loadpath.states import LoadCase, StateBatch, StatesLike, is_motion, read_states
from loadpath.states.spectrum import SpectrumBatch

BLOCK = 2048
"""States that are computed at once: their wrenches stay in the processor's cache."""


def states_of(
    robot: RobotModel,
    caller: str,
    states: StatesLike | DutySpectrum,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    case: LoadCase | None = None,
) -> StateBatch:
    """States of a robot from a motion or a simulation, from arrays q, qd, qdd whose leading axes broadcast, or from a
    tuple of these; or those of all motions of a duty spectrum. Positions and speeds outside the limits give a warning,
    unless the motion has given it itself.
    """
    if isinstance(states, DutySpectrum):
        if qd is not None or qdd is not None:
            raise ValueError(f"{caller}: a duty spectrum has its own qd and qdd: leave out 'qd' and 'qdd'")
        return SpectrumBatch(states, [states_of(robot, caller, motion, case=case) for motion in states.motions])
    if isinstance(states, (tuple, list)) and len(states) == 3 and qd is None and qdd is None:
        states, qd, qdd = states
    if not is_motion(states) and (qd is None or qdd is None):
        raise ValueError(f"{caller}: states are expected as a Motion, a simulation, or three arrays q, qd, qdd")
    loads = (LoadCase() if case is None else case).with_motion_of(states, robot, caller)
    batch = StateBatch(robot, read_states(robot, states, qd, qdd, caller=caller, counts_loads=True), loads, caller)
    if len(batch) == 0:
        raise ValueError(f"{caller}: there are no states: the batch has the shape {batch.shape}")
    if batch.t is not None and getattr(states, "robot", None) is None:
        for problem in outside_limits(robot, batch.t, batch.q, batch.qd):
            warn(problem)
    return batch
