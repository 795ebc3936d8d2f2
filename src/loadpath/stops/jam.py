"""`robot.jam(motion, at=..., joint=...)`: the rotor of a joint stops at once, and its link swings on the gear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.motion.layout import units_of
from loadpath.motion.motion import Motion
from loadpath.parts.fitting import parts_of
from loadpath.parts.gears.gear import Gear
from loadpath.printable import printable
from loadpath.progress import Report, reporting
from loadpath.quantities.carriers import drive_names
from loadpath.robot.numbers import known
from loadpath.scalars.types import Floats
from loadpath.simulate.result import Simulation
from loadpath.simulate.simulation import simulate
from loadpath.stops.elastic import Spring, without_rotors
from loadpath.stops.loaded import Loaded, largest_gear_torques
from loadpath.stops.reading import instants_of, motion_of, positive_of, torques_from, torques_of
from loadpath.tables import Table

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.quantities.table import RobotQuantities

SAMPLES = 400
"""Of a period of the link on its gear."""
RTOL, LOOKED_AT_RTOL = 1e-11, 1e-7


class _Asked(NamedTuple):
    robot: RobotQuantities
    links: RobotQuantities
    """Without the rotor that stops."""
    motion: Motion
    tau: Floats
    spring: Spring
    at_q: int
    at_v: int


@dataclass(frozen=True, eq=False, repr=False)
class Jam(Loaded):
    """A joint whose rotor stops at once, at an instant of a motion, from `robot.jam`. Its own time begins then.

    >>> import loadpath as lp
    >>> rod = lp.catalog.planar(1, gravity=0)
    >>> turns = lp.Motion([0.0, 1.0], [[0.0], [2.0]], [[2.0], [2.0]], [[0.0], [0.0]])
    >>> round(rod.jam(turns, at=0.5, joint="joint1", stiffness=3e4).peak_torque, 6)                     # w sqrt(k I)
    200.0
    """

    robot: RobotQuantities
    links: RobotQuantities
    """Without the rotor that stops."""
    at: float
    """s: the instant of the motion."""
    joint: str
    spring: Spring
    """The gear between the rotor and its link."""
    torques: Floats
    """(samples,): what the gear gives to its joint, N m (N)."""
    simulation: Simulation
    instants: Floats = field(default_factory=lambda: np.empty(0))
    """Those that were looked at, s."""
    sizes: Floats = field(default_factory=lambda: np.empty(0))
    """(instants,): the largest torque of a jam at each, about, N m (N)."""

    @cached_property
    def motion(self) -> Motion:  # type: ignore[override]
        """Of the robot's links, its time from the jam on."""
        run = self.simulation
        return Motion.from_checked(run.times, run.q, run.qd, run.qdd, self.robot)

    @property
    def loaded(self) -> tuple[RobotQuantities, Motion]:
        """What is beyond the gear."""
        return self.links, self.motion

    @property
    def elastic_joints(self) -> tuple[str, ...]:
        """The joint whose gear gives way."""
        return (self.joint,)

    @property
    def peak_torque(self) -> float:
        """The largest torque of the gear, N m (N)."""
        return float(np.abs(self.torques).max())

    @property
    def peak_time(self) -> float:
        """s from the jam to the largest torque."""
        return float(self.simulation.times[np.abs(self.torques).argmax()])

    @property
    def energy_drift(self) -> float:
        """Of the simulation."""
        return self.simulation.energy_drift

    @cached_property
    def gear_torques(self) -> dict[str, float]:
        """N m (N): the largest that the gear of each drive gives to its joint, without its rotor."""
        return largest_gear_torques(*self.loaded, None) | {self.joint: self.peak_torque}

    @property
    def notes(self) -> tuple[str, ...]:
        """What it rests on: a sentence each."""
        return ("Nothing damps the gear. The other drives go on with the torques of the motion; their gears and all "
                "links are rigid.",)

    def table(self) -> Table:
        """The largest loads of drives."""
        rows = []
        for name in drive_names(self.links):
            quantity = self.peaks[name, "drive"]
            top = quantity.peak.top(1) if quantity.magnitude > 0 else []
            rows.append([printable(name), f"{self.gear_torques[name]:.4g} {quantity.unit}",
                         printable(top[0].cause) if top else ""])
        return Table(self._headline, ["joint", "largest at the gear", "drive mostly from"], rows,
                     " ".join(self.notes), right=1)

    @property
    def _headline(self) -> str:
        worst = f" (the hardest of {len(self.instants)} instants)" if len(self.instants) else ""
        return (f"'{printable(self.joint)}' jams at t = {self.at:.6g} s{worst}: its gear bears {self.peak_torque:.4g} "
                f"after {1000 * self.peak_time:.4g} ms")

    def to_table(self) -> str:
        """The same as text."""
        table = self.table()
        return f"{table.title}\n{table.text()}\n{table.note}"

    def plot(self) -> Figure:
        """The torque of the gear over time."""
        from plotly.graph_objects import Figure

        figure = Figure()
        figure.add_scatter(x=1000 * self.simulation.times, y=self.torques, name=self.joint)
        figure.update_layout(title=self._headline, xaxis_title="time (ms)", yaxis_title="gear (N m, N)")
        return figure

    def _repr_html_(self) -> str:
        return self.table().html()

    def __repr__(self) -> str:
        unit = "N m" if units_of(self.robot).get(self.joint) == "rad" else "N"
        return printable(f"<jam of '{self.joint}' of '{self.robot.name}' at t = {self.at:.6g} s: "
                         f"{self.peak_torque:.4g} {unit} at its gear>")


def jam(
    robot: RobotQuantities,
    motion: Motion | Simulation,
    at: float | str | Sequence[float] | Floats = "worst",
    *,
    joint: str,
    stiffness: float | None = None,
    progress: bool | Report = False,
) -> Jam:
    """The rotor of a joint stops at once at an instant of a motion, as where a motor or the input of its gear seizes:
    its link swings on the gear, and all others move on under their drives' torques of the motion. Peaks of all loads on
    the way, by cause. See `Jam`.

    `at` is the instant (s); "worst" is the one with the largest torque of the gear of all samples, an array of instants
    the worst of these. How the gear gives way is known of it (`stiffness` and backlash of the part), unless `stiffness`
    is given, N m/rad (N/m) at the joint: of a shaft, or whatever seizes. A stiff joint that stops at once would take an
    infinite torque, and is refused.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> found = arm.jam(lp.Motion.swing(arm, 21, 1.0), joint="joint2", stiffness="20000 N m/rad")
    >>> found.peak_torque > 50, len(found.instants)
    (True, 21)
    """
    motion = motion_of(robot, motion, "jam")
    asked = _read(robot, motion, joint, stiffness)
    instants = instants_of(motion, at, "jam")
    if not (isinstance(at, str) or np.ndim(at)):
        return _jam(asked, float(instants[0]), np.empty(0), np.empty(0))
    sizes = np.empty(len(instants))
    with reporting(progress, f"jams of {robot.name}") as report:
        for k, t in enumerate(instants.tolist()):
            sizes[k] = np.abs(_run(asked, t, LOOKED_AT_RTOL, SAMPLES // 10)[1]).max()
            report((k + 1) / len(instants))
    return _jam(asked, float(instants[sizes.argmax()]), instants, sizes)


def _read(robot: RobotQuantities, motion: Motion, joint: str, stiffness: object) -> _Asked:
    known(joint, robot.dof_names, f"degree of freedom of robot '{robot.name}'")
    place = robot.q_slices.get(joint)
    if place is None or place.stop - place.start != 1:
        raise ModelError(f"jam: '{joint}' is one of several degrees of freedom of a joint: a rotor belongs to a joint "
                         "that turns or slides along one axis")
    if stiffness is not None:
        slides = not robot.joint(joint).motion.angular[0]
        measure = "stiffness" if slides else "torsional stiffness"
        spring = Spring(joint, np.zeros(1), np.zeros(1), positive_of("jam", stiffness, "stiffness", measure), 0.0)
    else:
        gears = [part for name, part in parts_of(robot) if name == joint and isinstance(part, Gear)
                 and part.stiffness is not None]
        if not gears:
            raise ModelError(f"jam: no stiffness is known of a gear at '{joint}', and a stiff joint that stops at once "
                             "takes an infinite torque: give stiffness= (N m/rad), or fit a gear that has one")
        spring = Spring.of(joint, gears[0])
    return _Asked(robot, without_rotors(robot, [joint]), motion, torques_of(robot, motion), spring, place.start,
                  robot.v_slices[joint].start)


def _run(asked: _Asked, at: float, rtol: float, samples: int) -> tuple[Simulation, Floats]:
    """What happens, and the torque of the gear over time."""
    here, spring, k = asked.motion.at(at), asked.spring, asked.at_v
    given = torques_from(asked.robot, asked.motion, asked.tau, at)
    q, qd = here.q[0], here.qd[0]
    rests = q[asked.at_q] + spring.twist(float(np.asarray(asked.links.inverse_dynamics(here))[0, k]))

    def torque(t: float, q: Floats, qd: Floats) -> Floats:
        found = np.array(given(t))
        found[k] = -spring.torque(q[asked.at_q] - rests)
        return found

    inertia = float(np.asarray(asked.links.mass_matrix(q))[k, k])
    period = 2 * np.pi * np.sqrt(inertia / spring.softest)
    if spring.half_play and abs(qd[k]) > 0:
        period += min(4 * spring.half_play / abs(qd[k]), period)
    run = simulate(asked.links, q, qd, torque, times=np.linspace(0.0, period, samples + 1), rtol=rtol,
                   max_step=period / 20)
    return run, -spring.torque(run.q[:, asked.at_q] - rests)


def _jam(asked: _Asked, at: float, instants: Floats, sizes: Floats) -> Jam:
    run, torques = _run(asked, at, RTOL, SAMPLES)
    return Jam(asked.robot, asked.links, at, asked.spring.joint, asked.spring, torques, run, instants, sizes)
