"""What the drives hold when the robot stands still in the poses of a motion: for brakes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.loads.states import BLOCK, states_of
from loadpath.motion import Motion
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase, StateBatch

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities


def forces_at_rest(robot: RobotQuantities, given: Any, states: StateBatch, case: LoadCase) -> Floats:
    """(states, n): forces of the drives in each pose at rest, against gravity, springs, external wrenches and the
    weight of what the motion carries. `given` are the states as they were handed in; the base stands still, too.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1)
    >>> motion = lp.Motion.swing(arm)
    >>> held = forces_at_rest(arm, motion, states_of(arm, "", motion), LoadCase())
    >>> bool(abs(held - arm.gravity_forces(motion.q)).max() < 1e-12)
    True
    """
    if hasattr(given, "motions"):  # a duty spectrum
        each = [(motion, states_of(robot, "motor_loads", motion, case=case)) for motion in given.motions]
        return np.concatenate([forces_at_rest(robot, motion, batch, case) for motion, batch in each])
    if getattr(given, "loads", ()):  # what is carried weighs, but is not accelerated
        still = np.zeros_like(np.asarray(given.qd, dtype=float))
        resting: Any = Motion.from_checked(given.t, given.q, still, still, given.robot)
        states = states_of(robot, "motor_loads", resting.with_loads(given.loads), case=case.at_rest)
    held, nothing = np.empty((len(states), robot.n)), np.zeros(robot.n)
    for block in states.blocks(BLOCK):
        held[block.rows] = robot.inverse_dynamics(block.arrays[0], nothing, nothing, **block.case.at_rest.keywords)
    return held
