"""What an exceptional case loads: peaks by cause, torques of gears, and the checks of parts that it has to meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from loadpath.bounds.peaks import peak_loads
from loadpath.cached import cached_property
from loadpath.loads.peaks.result import PeakLoads
from loadpath.motion.motion import Motion
from loadpath.parts.motors.brake import Brake
from loadpath.parts.verdict.momentary import Event, momentary_verdict
from loadpath.parts.verdict.result import VerdictRow
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities
    from loadpath.quantities.wrench import Wrench


class Loaded:
    """What a stop, a collision and a jam have in common."""

    robot: RobotQuantities
    motion: Motion

    @property
    def loaded(self) -> tuple[RobotQuantities, Motion]:
        """The robot and the motion that have the loads: with gears that give way, what is beyond them."""
        return self.robot, self.motion

    @property
    def external(self) -> Mapping[str, Wrench] | None:
        """What acts on links from outside, at the times of the motion that has the loads."""
        return None

    @property
    def powered(self) -> bool:
        """Whether drives give some of the torques at the joints."""
        return True

    @property
    def elastic_joints(self) -> tuple[str, ...]:
        """Joints whose gears give way."""
        return ()

    @property
    def brake_heat(self) -> tuple[tuple[str, Brake, float], ...]:
        """Joints, brakes and the J that each turns into heat, of those that are parts."""
        return ()

    @cached_property
    def peaks(self) -> PeakLoads:
        """Peaks of all wrenches, drives and speeds on the way, by cause, as `robot.peak_loads` has them. Without power
        "drive" is what brakes, gears and friction bear at the joint; of a gear that gives way, what it gives to it.
        """
        robot, motion = self.loaded
        return peak_loads(robot, motion, external=self.external)

    @cached_property
    def event(self) -> Event:
        """For a verdict on momentary limits."""
        robot, motion = self.loaded
        return Event(robot, motion, LoadCase(external=self.external), self.gear_torques, self.brake_heat,
                     float(motion.t[-1] - motion.t[0]), powered=self.powered,
                     stiff=frozenset(name for name, _ in robot.parts) - frozenset(self.elastic_joints))

    @cached_property
    def checks(self) -> tuple[VerdictRow, ...]:
        """Checks of parts that a single case has to meet, worst first: static safety of bearings, bolts, momentary and
        emergency torque of gears, heat of brakes, speeds. Not those of a duty: lives, means, repeated peaks.
        """
        if not any(callable(getattr(part, "examiner", None)) for _, part in self.robot.parts):
            return ()
        rows = [row for row in momentary_verdict(self.event).checks if row.checked]
        return tuple(sorted(rows, key=lambda row: -row.utilisation))

    @cached_property
    def gear_torques(self) -> dict[str, float]:
        """N m (N): the largest that the gear of each drive gives to its joint, the rotor's inertia taken off. Of a
        brake on the joint's side it is too large: the gear does not bear that one's torque.
        """
        return largest_gear_torques(*self.loaded, self.external)


def largest_gear_torques(
    robot: RobotQuantities, motion: Motion, external: Mapping[str, Wrench] | None
) -> dict[str, float]:
    """N m (N): of every speed, what is to give it its accelerations, without its rotor."""
    tau = np.asarray(robot.inverse_dynamics(motion, external=external))
    rotors: Floats = np.zeros(robot.n)
    for joint in robot.joints:
        where = robot.v_slices.get(joint.name)
        if where is not None and joint.mimic is None:
            rotors[where] = joint.reflected_inertia
    largest = np.abs(tau - rotors * motion.qdd).max(axis=0)
    return dict(zip(robot.dof_names, largest.tolist(), strict=True))
