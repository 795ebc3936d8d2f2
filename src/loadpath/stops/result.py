"""What a stop brings: how long, how far, which heat, and which loads by cause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from loadpath.bounds.peaks import peak_loads
from loadpath.cached import cached_property
from loadpath.fastest.result import Fastest
from loadpath.loads.peaks.result import PeakLoads
from loadpath.motion.motion import Motion
from loadpath.parts.fitting import parts_of
from loadpath.parts.gears.gear import Gear
from loadpath.parts.motors.brake import Brake
from loadpath.parts.verdict.result import Verdict, VerdictRow
from loadpath.parts.verdict.running import verdict
from loadpath.printable import printable
from loadpath.quantities.carriers import drive_names
from loadpath.scalars.types import Floats
from loadpath.simulate.result import Simulation
from loadpath.stops.power_off import units_of
from loadpath.tables import Table

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.quantities.table import RobotQuantities

Category = Literal[0, 1, 2]
By = Literal["distance", "time", "heat"]

OF_A_DUTY = ("average", "mean", "life", "output bearing: life", "RMS", "repeated", "acceleration torque", "number of",
             "winding", "overload", "energy", "holding", "continuous")
"""How checks of a duty begin, which a single stop does not meet."""
OF_DRIVES = ("effort", "peak torque", "peak current")
"""Checks of what a motor gives, which gives nothing without power."""


@dataclass(frozen=True, eq=False, repr=False)
class Stop:
    """A stop of a robot from an instant of a motion, from `robot.stop`. Its own time begins at that instant.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> swing = lp.Motion.swing(arm, duration=1.0)
    >>> found = arm.stop(swing, at=0.5, brakes={"joint1": 60.0, "joint2": 20.0})
    >>> found.category, found.at, bool(found.time > 0), found.simulation.energy_drift < 1e-9
    (0, 0.5, True, True)
    """

    robot: RobotQuantities
    category: Category
    at: float
    """s: the instant of the motion."""
    time: float
    """s from then until all joints rest, braking along the path included."""
    motion: Motion
    """All of it, with samples on both sides of what changes and one at rest after its end."""
    braking: Fastest | None
    """Of category 1 and 2: how the drives brake along the path. None also where the motion rests at that instant."""
    simulation: Simulation | None
    """Of category 0 and 1: what happens from when the power is off, with its energies; its times begin then."""
    tip: str
    """The link whose way is `tip_distance`: that of `link=`, else of all ends the one that goes farthest."""
    by: By | None = None
    """Of the worst of several instants, what it is the worst by."""
    instants: Floats = field(default_factory=lambda: np.empty(0))
    """Those that were looked at, s."""
    sizes: Floats = field(default_factory=lambda: np.empty(0))
    """(instants,): time (s), distance (m) or heat (J) of the stop from each, as closely as looking for it needs."""

    # How far

    @cached_property
    def moved(self) -> Floats:
        """(n,): where the joints are at the end, from where they were; rad or m."""
        found: Floats = np.asarray(self.robot.difference(self.motion.q[0], self.motion.q[-1]))
        return found

    @cached_property
    def travelled(self) -> Floats:
        """(n,): how far the joints go, back and forth; rad or m."""
        found: Floats = np.abs(np.asarray(self.robot.difference(self.motion.q[:-1], self.motion.q[1:]))).sum(axis=0)
        return found

    @cached_property
    def tip_distance(self) -> float:
        """m: the length of the way of the tip."""
        return way_of(self.robot, self.motion.q, self.tip)

    # What takes it up

    @property
    def brake_names(self) -> tuple[str, ...]:
        """Joints of the brakes, in the order of `heat`."""
        return () if self.simulation is None else self.simulation.joint_brake_names

    @property
    def heat(self) -> Floats:
        """(brakes,): what each brake turns into heat, J."""
        return np.empty(0) if self.simulation is None else self.simulation.joint_brake_heat[-1]

    # What it loads

    @cached_property
    def peaks(self) -> PeakLoads:
        """Peaks of all wrenches, drives and speeds during the stop, by cause, as `robot.peak_loads` has them; without
        power "drive" is what brakes, gears and friction bear at the joint.
        """
        return peak_loads(self.robot, self.motion)

    @cached_property
    def _judged(self) -> Verdict | None:
        parts = tuple((joint, self._asked(joint, part)) for joint, part in self.robot.parts)
        if not any(callable(getattr(part, "examiner", None)) for _, part in parts):
            return None
        return verdict(replace(self.robot, parts=parts), self.motion)

    def _asked(self, joint: str, part: Any) -> Any:
        """A gear that is asked for the torque of this stop as an emergency torque; another part as it is."""
        torque = self.gear_torques.get(joint, 0.0) if isinstance(part, Gear) else 0.0
        if not torque:
            return part
        torque /= part.output_ratio or 1.0
        return replace(part, emergency_torque=max(torque, part.emergency_torque or 0.0))

    @property
    def checks(self) -> tuple[VerdictRow, ...]:
        """Checks of parts that a single stop has to meet, worst first: static safety of bearings, bolts, momentary and
        emergency torque of gears (of the rigid robot), speeds. Not those of a duty: lives, means, repeated peaks.
        """
        if self._judged is None:
            return ()
        without = (*OF_A_DUTY, *(OF_DRIVES if self.category == 0 else ()))
        rows = [row for row in self._judged.checks if row.checked and row.life_hours is None and row.part != "limits"
                and not row.check.startswith(without)]
        return tuple(sorted(rows, key=lambda row: -row.utilisation))

    @cached_property
    def gear_torques(self) -> dict[str, float]:
        """N m (N): the largest that the gear of each drive gives to its joint, the rotor's inertia taken off. Of a
        brake on the joint's side it is too large: the gear does not bear that one's torque.
        """
        tau = np.asarray(self.robot.inverse_dynamics(self.motion))
        rotors = np.zeros(self.robot.n)
        for joint in self.robot.joints:
            where = self.robot.v_slices.get(joint.name)
            if where is not None and joint.mimic is None:
                rotors[where] = joint.reflected_inertia
        largest = np.abs(tau - rotors * self.motion.qdd).max(axis=0)
        return dict(zip(self.robot.dof_names, largest.tolist(), strict=True))

    @property
    def notes(self) -> tuple[str, ...]:
        """What it rests on, and what is left out: a sentence each."""
        found = [_RIGID]
        stiff = sorted({joint for joint, part in parts_of(self.robot)
                        if isinstance(part, Gear) and part.stiffness is not None})
        if stiff:
            found.append(f"A stiffness is known of the gears of {', '.join(stiff)}, and is not in these numbers.")
        if self.category == 1:
            found.append("Power is off when the robot rests, and it sags until its brakes grip: delay=0 has them grip "
                         "before.")
        if self.category == 0 and any(isinstance(part, Brake) and part.on == "joint" for _, part in self.robot.parts):
            found.append("Torques of gears have in them what brakes on the joint's side bear.")
        return tuple(found)

    # For readers

    def table(self) -> Table:
        """Joints with how far they go, the heat of their brakes, and their largest loads."""
        units = units_of(self.robot)
        heat: dict[str, float] = {}
        for name, value in zip(self.brake_names, self.heat.tolist(), strict=True):
            heat[name] = heat.get(name, 0.0) + value
        drives = drive_names(self.robot)
        rows = []
        for k, name in enumerate(self.robot.dof_names):
            largest, cause = "-", ""
            if name in drives:
                quantity = self.peaks[name, "drive"]
                top = quantity.peak.top(1) if quantity.magnitude > 0 else []
                largest = f"{quantity.magnitude:.4g} {quantity.unit}"
                cause = printable(top[0].cause) if top else ""
            rows.append([printable(name), f"{self.travelled[k]:.4g} {units[k]}",
                         f"{heat[name]:.4g} J" if name in heat else "-", largest, cause])
        return Table(self._headline, ["joint", "goes", "brake heat", "largest at the drive", "mostly from"], rows,
                     " ".join(self.notes), right=1)

    @property
    def _headline(self) -> str:
        worst = ""
        if self.by is not None:
            worst = f" (the largest {self.by} of {len(self.instants)} instants)"
        return (f"Stop of category {self.category} at t = {self.at:.6g} s{worst}: {1000 * self.time:.4g} ms, "
                f"'{printable(self.tip)}' goes {1000 * self.tip_distance:.4g} mm, {self.heat.sum():.4g} J in brakes")

    def to_table(self) -> str:
        """The same as text."""
        table = self.table()
        return f"{table.title}\n{table.text()}\n{table.note}"

    def plot(self) -> Figure:
        """Of what happens without power a simulation's figure, with its energies; of category 2 the motion's."""
        return self.motion.plot() if self.simulation is None or self.category != 0 else self.simulation.plot()

    def _repr_html_(self) -> str:
        return self.table().html()

    def __repr__(self) -> str:
        return printable(f"<stop of '{self.robot.name}', category {self.category}, at t = {self.at:.6g} s: "
                         f"{1000 * self.time:.4g} ms, {1000 * self.tip_distance:.4g} mm of '{self.tip}', "
                         f"{self.heat.sum():.4g} J in {len(self.brake_names)} brakes>")


_RIGID = ("Gears and links are rigid here: where a brake grips at once, a gear that gives way rings, and its momentary "
          "peak may be twice as large or more.")


def way_of(robot: RobotQuantities, q: Floats, link: str) -> float:
    """m: how far a link's frame goes over configurations (samples, nq)."""
    place = robot.link_names.index(link)
    where = np.asarray(robot.link_poses(q))[:, place, :3, 3]
    return float(np.linalg.norm(np.diff(where, axis=0), axis=1).sum())


def farthest(robot: RobotQuantities, q: Floats, links: tuple[str, ...]) -> str:
    """Which of the links goes farthest."""
    ways: Mapping[str, float] = {link: way_of(robot, q, link) for link in links}
    return max(ways, key=lambda link: ways[link])
