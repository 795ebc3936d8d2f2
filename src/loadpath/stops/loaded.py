"""What an exceptional case loads: peaks by cause, torques of gears, and the checks of parts that it has to meet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.bounds.peaks import peak_loads
from loadpath.cached import cached_property
from loadpath.loads.peaks.result import PeakLoads
from loadpath.motion.motion import Motion
from loadpath.parts.gears.gear import Gear
from loadpath.parts.verdict.result import Verdict, VerdictRow
from loadpath.parts.verdict.running import verdict

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities
    from loadpath.quantities.wrench import Wrench

OF_A_DUTY = ("average", "mean", "life", "output bearing: life", "RMS", "repeated", "acceleration torque", "number of",
             "winding", "overload", "energy", "holding", "continuous")
"""How checks of a duty begin, which a single case does not meet."""
OF_DRIVES = ("effort", "peak torque", "peak current")
"""Checks of what a motor gives, which gives nothing without power."""


class Loaded:
    """What a stop, a collision and a jam have in common."""

    robot: RobotQuantities
    motion: Motion

    @property
    def external(self) -> Mapping[str, Wrench] | None:
        """What acts on links from outside, at the times of the motion."""
        return None

    @property
    def powered(self) -> bool:
        """Whether drives give some of the torques at the joints."""
        return True

    @cached_property
    def peaks(self) -> PeakLoads:
        """Peaks of all wrenches, drives and speeds on the way, by cause, as `robot.peak_loads` has them; without power
        "drive" is what brakes, gears and friction bear at the joint.
        """
        return peak_loads(self.robot, self.motion, external=self.external)

    @cached_property
    def _judged(self) -> Verdict | None:
        parts = tuple((joint, self._asked(joint, part)) for joint, part in self.robot.parts)
        if not any(callable(getattr(part, "examiner", None)) for _, part in parts):
            return None
        return verdict(replace(self.robot, parts=parts), self.motion, external=self.external)

    def _asked(self, joint: str, part: Any) -> Any:
        """A gear that is asked for the torque of this case as an emergency torque; another part as it is."""
        torque = self.gear_torques.get(joint, 0.0) if isinstance(part, Gear) else 0.0
        if not torque:
            return part
        torque /= part.output_ratio or 1.0
        return replace(part, emergency_torque=max(torque, part.emergency_torque or 0.0))

    @property
    def checks(self) -> tuple[VerdictRow, ...]:
        """Checks of parts that a single case has to meet, worst first: static safety of bearings, bolts, momentary and
        emergency torque of gears (of the rigid robot), speeds. Not those of a duty: lives, means, repeated peaks.
        """
        if self._judged is None:
            return ()
        without = (*OF_A_DUTY, *(() if self.powered else OF_DRIVES))
        rows = [row for row in self._judged.checks if row.checked and row.life_hours is None and row.part != "limits"
                and not row.check.startswith(without)]
        return tuple(sorted(rows, key=lambda row: -row.utilisation))

    @cached_property
    def gear_torques(self) -> dict[str, float]:
        """N m (N): the largest that the gear of each drive gives to its joint, the rotor's inertia taken off. Of a
        brake on the joint's side it is too large: the gear does not bear that one's torque.
        """
        tau = np.asarray(self.robot.inverse_dynamics(self.motion, external=self.external))
        rotors = np.zeros(self.robot.n)
        for joint in self.robot.joints:
            where = self.robot.v_slices.get(joint.name)
            if where is not None and joint.mimic is None:
                rotors[where] = joint.reflected_inertia
        largest = np.abs(tau - rotors * self.motion.qdd).max(axis=0)
        return dict(zip(self.robot.dof_names, largest.tolist(), strict=True))
