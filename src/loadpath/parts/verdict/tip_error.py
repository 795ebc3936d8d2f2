"""How far the end of the arm is off because gears twist: their torsion times the columns of the Jacobian."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.parts.part import Instant
from loadpath.printable import printable
from loadpath.quantities.carriers import is_closed
from loadpath.robot.ends import link_or_only_end
from loadpath.scalars.types import Floats, Ints

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loadpath.parts.verdict.duties import Block
    from loadpath.parts.verdict.joint_loads import DriveLoads
    from loadpath.quantities.table import RobotQuantities


@dataclass(frozen=True, eq=False, repr=False)
class TipError:
    """The largest displacement of the end of the arm by the twist of all gears of known stiffness, m."""

    link: str
    size: float
    displacement: Floats
    """(3,): world axes, from where the motors' angles would put the link's origin to where it is."""
    by_joint: Mapping[str, Floats]
    """(3,) each: what the gear of each joint adds."""
    at: Instant
    motion: str = ""
    """Name of the motion in a spectrum."""

    def __repr__(self) -> str:
        worst = max(self.by_joint, key=lambda joint: float(np.linalg.norm(self.by_joint[joint])))
        when = f"{self.at.time:.4g} s" if not np.isnan(self.at.time) else f"state {self.at.sample}"
        when = f"{self.motion}, {when}" if self.motion else when
        return printable(f"<'{self.link}' is off by {1e3 * self.size:.4g} mm at {when}, most by the gear of '{worst}'>")


class TipWatch:
    """Takes in torques of gears, block by block, and keeps the largest displacement."""

    def __init__(self, robot: RobotQuantities) -> None:
        self.robot = robot
        self.gears = _gears(robot)
        self.link = ""
        if self.gears:
            try:
                self.link = link_or_only_end(robot, None)
            except ValueError:  # several ends: none of them is the tip
                self.gears = {}
        self.found: TipError | None = None

    def add(self, block: Block, known: Ints, drives: Mapping[str, DriveLoads]) -> None:
        """The states of a block that are numbers."""
        if not self.gears or not len(known):
            return
        columns = np.asarray(self.robot.jacobian(block.arrays[0][known], self.link))[:, :3]
        parts = {}
        for joint, gears in self.gears.items():
            passed = drives[joint].gear
            assert passed is not None
            k = self.robot.dof_names.index(joint)
            angle = sum(gear.torsion(passed / _output(gear)) / _output(gear) for gear in gears)
            # The output lags behind the input by what it passes on: the joint gives way against the drive's torque.
            parts[joint] = -columns[:, :, k] * np.asarray(angle)[:, None]
        total = sum(parts.values(), start=np.zeros((len(known), 3)))
        sizes = np.linalg.norm(total, axis=-1)
        row = int(sizes.argmax())
        if self.found is None or sizes[row] > self.found.size:
            at = Instant(block.duty.number, block.first + int(known[row]), float(block.t[known[row]]))
            own = {joint: part[row].copy() for joint, part in parts.items()}
            self.found = TipError(self.link, float(sizes[row]), total[row].copy(), own, at, block.duty.name)


def _gears(robot: RobotQuantities) -> dict[str, list[Any]]:
    """Gears of known stiffness by their joints; none of closed chains, where joints do not move alone."""
    found: dict[str, list[Any]] = {}
    if is_closed(robot):
        return found
    for joint, part in robot.parts:
        if callable(getattr(part, "torsion", None)) and getattr(part, "stiffness", None) and joint in robot.dof_names:
            found.setdefault(joint, []).append(part)
    return found


def _output(gear: Any) -> float:
    """rad of the gear's output per rad (m) of the joint."""
    return getattr(gear, "output_ratio", None) or 1.0
