"""Where the loads of a verdict come from: a robot, or a robot with any payload more at one place.

Forces, wrenches and the mass matrix are linear in the mass of a payload: (without) + m ((with 1 kg) - (without)). So
two compiled robots are enough for all masses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.cached import cached_property
from loadpath.quantities.carriers import is_closed
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities


class Source:
    """The loads of a robot, with `mass` kg more where `unit` carries 1 kg more."""

    def __init__(self, robot: RobotQuantities, unit: RobotQuantities | None = None, mass: float = 0.0) -> None:
        self.robot = robot
        self.unit = unit if mass else None
        self.mass = mass

    @cached_property
    def _columns(self) -> list[int]:
        """Where the joints and loops of the robot are among those of the one with more payload."""
        assert self.unit is not None
        names = self.unit.closed_joint_names
        return [names.index(name) for name in self.robot.closed_joint_names]

    def drives(self, arrays: tuple[Floats, ...], keywords: dict[str, Any]) -> Floats:
        """(states, n): forces of the drives."""
        tau = np.asarray(self.robot.inverse_dynamics(*arrays, **keywords))
        if self.unit is None:
            return tau
        more = np.asarray(self.unit.inverse_dynamics(*arrays, **keywords))
        return np.asarray(tau + self.mass * (more - tau))

    def wrenches(self, arrays: tuple[Floats, ...], keywords: dict[str, Any]) -> tuple[Floats, Floats]:
        """Forces and torques at all joints and loops, (states, joints, 3) each."""
        found = self.robot.joint_wrenches(*arrays, **keywords)
        force, torque = np.asarray(found.force), np.asarray(found.torque)
        if self.unit is None:
            return force, torque
        more = self.unit.joint_wrenches(*arrays, **keywords)
        force = force + self.mass * (np.asarray(more.force)[:, self._columns] - force)
        return force, torque + self.mass * (np.asarray(more.torque)[:, self._columns] - torque)

    def inertias(self, q: Floats) -> Floats | None:
        """(states, n): what a torque at each joint accelerates; None of closed chains, where all joints move."""
        if is_closed(self.robot):
            return None
        own = np.diagonal(np.asarray(self.robot.mass_matrix(q)), axis1=-2, axis2=-1)
        if self.unit is None:
            return own
        more = np.diagonal(np.asarray(self.unit.mass_matrix(q)), axis1=-2, axis2=-1)
        return np.asarray(own + self.mass * (more - own))
