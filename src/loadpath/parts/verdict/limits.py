"""The robot's own limits as checks: effort, speed and position of every degree of freedom that has one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.loads.resultants import effort_limits
from loadpath.motion.checks import tracks
from loadpath.parts.part import DRIVE, Check, Instant, not_checked
from loadpath.printable import printable
from loadpath.quantities.carriers import is_closed
from loadpath.robot.ends import link_or_only_end
from loadpath.scalars.types import Floats, Ints

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loadpath.closure.robot import ClosableRobot
    from loadpath.parts.verdict.duties import Block
    from loadpath.parts.verdict.joint_loads import DriveLoads
    from loadpath.quantities.table import RobotQuantities


LABEL = "limits"
"""What stands in the place of a part."""
LIMIT_SLACK = 1e-9
"""By so much, relatively, a limit may be exceeded and count as reached: that is rounding of motions made to limits."""


class OwnLimits:
    """Takes in states and forces of the drives, and gives a check for every limit that the model has."""

    def __init__(self, robot: ClosableRobot) -> None:
        self.robot = robot
        # Joints that mimic another have no drive, but speeds and positions of their own: they come last.
        self.tracks = sorted(tracks(robot), key=lambda track: track.joint.mimic is not None)
        limits = [track.joint.limits[track.k] for track in self.tracks]
        self.effort = np.append(effort_limits(robot), np.full(len(self.tracks) - robot.n, np.inf))
        speed = np.array([limit.velocity for limit in limits], dtype=float)
        self.speed = np.where(speed > 0, speed, np.inf)  # files write 0 where they know of no limit
        # Coordinates of joints with a quaternion are not what limits of position bound.
        plain = [track.coordinate is not None for track in self.tracks]
        self.lower = np.array([limit.lower if flat else -np.inf for limit, flat in zip(limits, plain, strict=True)])
        self.upper = np.array([limit.upper if flat else np.inf for limit, flat in zip(limits, plain, strict=True)])
        self.tau, self.qd = _Largest(robot.n), _Largest(len(self.tracks))
        self.beyond = _Largest(len(self.tracks))
        self.bounded = np.isfinite(self.lower) | np.isfinite(self.upper)

    def __bool__(self) -> bool:
        """Whether there is any limit."""
        return bool(np.isfinite(self.effort).any() or np.isfinite(self.speed).any() or self.bounded.any())

    @property
    def freedoms(self) -> set[str]:
        """Those that have any limit."""
        found = np.isfinite(self.effort) | np.isfinite(self.speed) | self.bounded
        return {track.label for track, has in zip(self.tracks, found, strict=True) if has}

    def add(self, block: Block, known: Ints, q: Floats, qd: Floats, tau: Floats) -> None:
        """The states of a block that are numbers."""
        if not len(known) or not self.tracks:
            return
        self.tau.add(np.abs(tau), block, known)
        self.qd.add(self._speeds(qd), block, known)
        position = self._positions(q)
        self.beyond.add(self._used(position), block, known, position)

    def used(self, q: Floats, qd: Floats) -> dict[str, Floats]:
        """(states, tracks) each: how much of its limits each speed and position uses, by the names of the checks."""
        return {"speed": self._speeds(qd) / self.speed, "position": self._used(self._positions(q))}

    def _speeds(self, qd: Floats) -> Floats:
        followed = np.array([abs(track.multiplier) for track in self.tracks])
        sizes: Floats = followed * np.abs(qd[:, [track.v for track in self.tracks]])
        return sizes

    def _positions(self, q: Floats) -> Floats:
        return np.stack([np.zeros(len(q)) if track.coordinate is None else
                         track.multiplier * q[:, track.coordinate] + track.offset
                         for track in self.tracks], axis=-1)

    def _used(self, position: Floats) -> Floats:
        """How much of its range each position uses: 1 at a bound, 0 in the middle (anywhere inside, of one bound)."""
        with np.errstate(invalid="ignore", over="ignore"):
            middle, half = 0.5 * (self.lower + self.upper), 0.5 * (self.upper - self.lower)
            both = np.abs(position - middle) / half
        one = np.where((position > self.upper) | (position < self.lower), np.inf, 0.0)
        fits = np.isfinite(self.lower) & np.isfinite(self.upper) & (half > 0)
        return np.where(fits, both, one)

    def checks(self) -> list[tuple[str, Check]]:
        """A check for each limit, with the name of its degree of freedom."""
        found = []
        for k, track in enumerate(self.tracks):
            name, turns = track.label, track.joint.motion.angular[track.k]
            if math.isfinite(self.effort[k]):
                unit = "N m" if turns else "N"
                found.append((name, self.tau.check("effort", k, float(self.effort[k]), unit, DRIVE)))
            if math.isfinite(self.speed[k]):
                unit = "rad/s" if turns else "m/s"
                found.append((name, self.qd.check("speed", k, float(self.speed[k]), unit)))
            if self.bounded[k]:
                found.append((name, self._position(k, "rad" if turns else "m")))
        return found

    def _position(self, k: int, unit: str) -> Check:
        """Distance from the middle of the range against half of the range; of one bound, the position against it."""
        low, high, used = float(self.lower[k]), float(self.upper[k]), float(self.beyond.most[k])
        reached = float(self.beyond.value[k])
        if self.beyond.at[k] is None:
            return not_checked("position", "no state is a number", unit)
        note = f"range {low:.6g} to {high:.6g} {unit}, reaches {reached:.6g}"
        if math.isfinite(low) and math.isfinite(high):
            half = 0.5 * (high - low)
            distance = abs(reached - 0.5 * (low + high))
            return Check("position", distance, half, unit, _at_most(used), self.beyond.at[k], note=note)
        bound = high if math.isfinite(high) else low
        return Check("position", reached, bound, unit, used, self.beyond.at[k], note=note)


class _Largest:
    """The largest of each of several numbers, and when it is reached."""

    def __init__(self, count: int) -> None:
        self.most, self.value = np.full(count, -np.inf), np.full(count, np.nan)
        self.at: list[Instant | None] = [None] * count

    def add(self, sizes: Floats, block: Block, known: Ints, values: Floats | None = None) -> None:
        rows = sizes.argmax(axis=0)
        for k in np.flatnonzero(sizes.max(axis=0) > self.most):
            row = int(rows[k])
            self.most[k] = sizes[row, k]
            self.value[k] = (sizes if values is None else values)[row, k]
            self.at[k] = Instant(block.duty.number, block.first + int(known[row]), float(block.t[known[row]]))

    def check(self, name: str, k: int, capacity: float, unit: str, along: str | None = None) -> Check:
        if self.at[k] is None:
            return not_checked(name, "no state is a number", unit)
        demand = float(self.most[k])
        return Check(name, demand, capacity, unit, _at_most(demand / capacity), self.at[k], along)


def _at_most(used: float) -> float:
    return 1.0 if 1.0 < used <= 1.0 + LIMIT_SLACK else used


# How far the end of the arm is off because gears twist: their torsion times the columns of the Jacobian.


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
