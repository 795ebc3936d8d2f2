"""What a stop brings: how long, how far, which heat, and which loads by cause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.fastest.result import Fastest
from loadpath.motion.motion import Motion
from loadpath.parts.motors.brake import Brake
from loadpath.printable import printable
from loadpath.quantities.carriers import drive_names
from loadpath.scalars.types import Floats
from loadpath.simulate.result import Simulation
from loadpath.stops.elastic import Found, Ringing, ringing_along, ringing_without_power, springs_of
from loadpath.stops.loaded import Loaded, largest_gear_torques
from loadpath.stops.power_off import PowerOff, ends_of_range, units_of
from loadpath.tables import Table

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.quantities.table import RobotQuantities
    from loadpath.quantities.wrench import Wrench

Category = Literal[0, 1, 2]
By = Literal["distance", "time", "heat"]


class EndStop(NamedTuple):
    """A joint at an end of its range."""

    joint: str
    position: float
    """rad or m."""
    speed: float
    """rad/s or m/s."""
    energy: float
    """J: kinetic energy of the whole robot."""


@dataclass(frozen=True, eq=False, repr=False)
class Stop(Loaded):
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
    before: Motion
    """The motion that is stopped."""
    power_off: PowerOff | None
    """Brakes and how the power fails."""
    elastic: bool = True
    """Whether gears give way of which a stiffness is known."""
    hold: bool = True
    """Of category 1, whether the drives hold until the brakes have gripped."""
    acting: Mapping[str, Wrench] | None = None
    """Wrenches on links from outside."""
    by: By | None = None
    """Of the worst of several instants, what it is the worst by."""
    instants: Floats = field(default_factory=lambda: np.empty(0))
    """Those that were looked at, s."""
    sizes: Floats = field(default_factory=lambda: np.empty(0))
    """(instants,): time (s), distance (m) or heat (J) of the stop from each, as closely as looking for it needs."""

    @property
    def powered(self) -> bool:
        """Of category 0 drives give nothing."""
        return self.category != 0

    @property
    def external(self) -> Mapping[str, Wrench] | None:
        """Wrenches on links from outside, the same all the time."""
        return self.acting

    @cached_property
    def end_stop(self) -> EndStop | None:
        """Where a joint came to an end of its range before the robot rested, which ends what is looked at."""
        run = self.simulation
        if run is None or not run.stopped:
            return None
        near = [(min(abs(run.q[-1, k] - low), abs(run.q[-1, k] - high)), name) for k, name, low, high in
                ends_of_range(self.robot)]
        name = min(near)[1]
        k = self.robot.v_slices[name].start
        return EndStop(name, float(run.q[-1, self.robot.q_slices[name].start]), float(run.qd[-1, k]),
                       float(run.kinetic[-1]))

    @cached_property
    def sag(self) -> float:
        """m: of category 1, how far the tip sags (or would) if the power goes off where the robot rests, until its
        brakes grip; 0 of others.
        """
        if self.category != 1 or self.power_off is None:
            return 0.0
        rest = self.braking.duration if self.braking is not None else 0.0
        q = self.motion.q[np.searchsorted(self.motion.t, rest)]
        run, _ = self.power_off.coarse(q, np.zeros(self.robot.n))
        return way_of(self.robot, run.q, self.tip)

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

    # What it loads

    @cached_property
    def _gears(self) -> Found:
        return springs_of(self.robot, {} if self.power_off is None else self.power_off.brakes)

    @cached_property
    def ringing(self) -> Ringing | None:
        """The stop with gears that give way, which has the loads; None where no stiffness is known, or is not asked
        for.
        """
        springs = self._gears.springs
        if not self.elastic or not springs or self.time <= 0:
            return None
        if self.braking is not None:
            return ringing_along(self.robot, springs, self.before, self.at, self.braking)
        if self.power_off is None or self.category != 0:
            return None
        return ringing_without_power(self.robot, springs, self.before, self.at, self.power_off, self.time)

    @property
    def loaded(self) -> tuple[RobotQuantities, Motion]:
        """The robot and the motion that have the loads: with gears that give way, what is beyond them."""
        return (self.robot, self.motion) if self.ringing is None else (self.ringing.robot, self.ringing.motion)

    @property
    def elastic_joints(self) -> tuple[str, ...]:
        """Joints whose gears give way."""
        return () if self.ringing is None else self.ringing.joints

    @cached_property
    def rigid_gear_torques(self) -> dict[str, float]:
        """N m (N): `gear_torques` with stiff gears."""
        robot = self.robot if self.ringing is None else self.ringing.robot
        return largest_gear_torques(robot, self.motion, self.external)

    @cached_property
    def gear_torques(self) -> dict[str, float]:
        """N m (N): the largest that the gear of each drive gives to its joint, without its rotor; of one whose
        stiffness is known, with its ringing. Of a brake on the joint's side it is too large: the gear does not bear
        that one's torque.
        """
        found = largest_gear_torques(*self.loaded, self.external)
        if self.ringing is not None:
            found |= dict(zip(self.ringing.joints, np.abs(self.ringing.torques).max(axis=0).tolist(), strict=True))
        return found

    @property
    def elastic_factors(self) -> dict[str, float]:
        """Of each gear that gives way, its largest torque over that of the same stop with stiff gears."""
        return {name: self.gear_torques[name] / max(self.rigid_gear_torques[name], 1e-300)
                for name in self.elastic_joints}

    # What takes it up

    @property
    def brake_names(self) -> tuple[str, ...]:
        """Joints of the brakes, in the order of `heat`."""
        return () if self.simulation is None else self.simulation.joint_brake_names

    @property
    def brake_heat(self) -> tuple[tuple[str, Brake, float], ...]:
        """Joints, brakes and the J that each turns into heat, of those that are an `lp.Brake`."""
        if self.power_off is None:
            return ()
        every = [(name, one) for name, several in self.power_off.brakes.items() for one in several]
        return tuple((name, one, heat) for (name, one), heat in zip(every, self.heat.tolist(), strict=True)
                     if isinstance(one, Brake))

    @property
    def heat(self) -> Floats:
        """(brakes,): what each brake turns into heat, J."""
        heat = None if self.simulation is None else self.simulation.joint_brake_heat
        return np.empty(0) if heat is None else heat[-1]

    @property
    def notes(self) -> tuple[str, ...]:
        """What it rests on, and what is left out: a sentence each."""
        found = []
        if self.ringing is not None:
            found.append(f"Gears of {', '.join(self.ringing.joints)} give way and ring, without damping.")
            found += self._gears.stiff
            if self.ringing.looked < OFTEN:
                found.append(f"The quickest ringing is looked at {self.ringing.looked:.2g} times in a period: its "
                             "peaks may be larger.")
        elif not self.elastic or not self._gears.springs:
            found += [_RIGID, *self._gears.stiff]
        if self.category == 1:
            found.append(f"The drives hold until the brakes have gripped; else it would sag {1000 * self.sag:.3g} mm."
                         if self.hold else
                         f"Power is off when the robot rests, and it sags {1000 * self.sag:.3g} mm until its brakes "
                         "grip: hold=True has the drives wait for them.")
        if self.end_stop is not None:
            found.append(f"'{self.end_stop.joint}' comes to the end of its range, {self.end_stop.position:.4g}, at "
                         f"{self.end_stop.speed:.4g} per s: what follows is not looked at.")
        every = [] if self.power_off is None else [one for several in self.power_off.brakes.values() for one in several]
        if self.category == 0 and any(not isinstance(one, Brake) or one.on == "joint" for one in every):
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


OFTEN = 10.0
"""Samples in a period of ringing: a peak between two of them is at most 5 % larger."""
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
