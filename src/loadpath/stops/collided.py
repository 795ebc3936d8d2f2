"""What a collision brings: the force over time, its peak, the energy that goes over, and which loads by cause."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.motion.motion import Motion
from loadpath.parts.part import Instant
from loadpath.parts.verdict.result import VerdictRow
from loadpath.printable import printable
from loadpath.quantities.carriers import drive_names
from loadpath.quantities.wrench import Wrench
from loadpath.scalars.types import Bools, Floats
from loadpath.simulate.result import Simulation
from loadpath.stops.contact import Contact
from loadpath.stops.loaded import Loaded
from loadpath.stops.reading import positive_of
from loadpath.tables import Table

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.quantities.table import RobotQuantities

TRANSIENT = 0.5
"""s: what lasts longer is quasi-static (ISO/TS 15066:2016, 5.5.4)."""
KINDS = ("transient", "quasi-static")


class ContactLimits(NamedTuple):
    """What a contact may do, as the caller says."""

    force: Mapping[str, float]
    """N, of the kinds that have one."""
    pressure: Mapping[str, float]
    """Pa."""
    area: float | None
    """m^2."""

    @classmethod
    def read(cls, force: object, pressure: object, area: object) -> ContactLimits:
        """From what the caller gave."""
        found = cls(_by_kind(force, "force_limit", "force"), _by_kind(pressure, "pressure_limit", "stress"),
                    None if area is None else positive_of("collision", area, "area", "area"))
        if found.pressure and found.area is None:
            raise ValueError("collision: a 'pressure_limit' needs the 'area' (m^2) over which the contact presses")
        return found


def _by_kind(value: object, name: str, measure: str) -> Mapping[str, float]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        return dict.fromkeys(KINDS, positive_of("collision", value, name, measure))
    wrong = [key for key in value if key not in KINDS]
    if wrong:
        raise ValueError(f"collision: {name!r} has {wrong[0]!r}: expected 'transient', 'quasi-static' or both")
    return {key: positive_of("collision", one, f"{name} ({key})", measure) for key, one in value.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Collision(Loaded):
    """A collision of a robot at an instant of a motion, from `robot.collision`. Its own time begins with the contact.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> swing = lp.Motion.swing(arm, duration=1.0)
    >>> hit = arm.collision(swing, at=0.5, stiffness=50_000.0, force_limit={"transient": 280.0})
    >>> hit.holds, hit.energy_drift < 1e-8, hit.contact_time < 0.1
    (False, True, True)
    """

    robot: RobotQuantities
    at: float
    """s: the instant of the motion."""
    contact: Contact
    """Where, along what, and the spring."""
    speed: float
    """m/s: of the point along the direction where the contact begins."""
    reflected_mass: float
    """kg: 1 / (n . J M^-1 J^T n), what the point weighs along the direction, rotors included."""
    limits: ContactLimits
    category: int | None
    reacts: float | None
    """s after the contact begins: when the drives react; None if they do not."""
    simulations: tuple[tuple[float, Simulation], ...]
    """What happens, piece by piece, with the times at which they begin; of what is hit, the last coordinate is its way
    times the root of its mass.
    """
    instants: Floats = field(default_factory=lambda: np.empty(0))
    """Those that were looked at, s."""
    sizes: Floats = field(default_factory=lambda: np.empty(0))
    """(instants,): the largest force of a collision at each, about, N."""

    # Over time

    @cached_property
    def _states(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Times, and states of the robot and of what is hit."""
        parts = [(begin + run.times, run.q, run.qd, run.qdd) for begin, run in self.simulations]
        t, q, qd, qdd = (np.concatenate(each) for each in zip(*parts, strict=True))
        for (begin, _), (before, run) in zip(self.simulations[1:], self.simulations, strict=False):
            k = int(np.searchsorted(t, begin))  # forces jump: a moment before
            if len(run.times) > 1 and t[k] == before + run.times[-1]:
                t[k] -= min(1e-9, 0.5 * (t[k] - t[k - 1]))
        return t, q, qd, qdd

    @property
    def times(self) -> Floats:
        """(samples,), s."""
        return self._states[0]

    @cached_property
    def motion(self) -> Motion:  # type: ignore[override]
        """Of the robot, its time from the contact on."""
        t, q, qd, qdd = self._states
        n = self.robot.n
        return Motion.from_checked(t, q[:, : self.robot.nq], qd[:, :n], qdd[:, :n], self.robot)

    @cached_property
    def _pressed(self) -> tuple[Floats, Floats, Floats]:
        _, q, qd, _ = self._states
        return self.contact.pressed(q, qd)

    @cached_property
    def force(self) -> Floats:
        """(samples,): of the contact, N."""
        return self.contact.force(*self._pressed[:2])

    @property
    def penetration(self) -> Floats:
        """(samples,): how far the spring is pressed in, m; 0 where nothing touches."""
        found: Floats = np.maximum(self._pressed[0], 0.0)
        return found

    @cached_property
    def body_distance(self) -> Floats:
        """(samples,): how far what is hit has gone, m; 0 of what is clamped."""
        _, q, _, _ = self._states
        return self.contact.scale * q[:, -1] if self.contact.moves else np.zeros(len(q))

    @property
    def external(self) -> Mapping[str, Wrench]:
        """The wrench of the contact on the link, at the times of the motion."""
        return {self.contact.link: Wrench(force=-self.force[:, None] * self.contact.direction, point=self._pressed[2])}

    # How hard

    @property
    def peak_force(self) -> float:
        """The largest force, N."""
        return float(self.force.max())

    @property
    def peak_time(self) -> float:
        """s from the begin of the contact to the largest force."""
        return float(self.times[self.force.argmax()])

    @property
    def peak_penetration(self) -> float:
        """m."""
        return float(self.penetration.max())

    @property
    def contact_time(self) -> float:
        """s from the begin of the contact to when it lets go for the first time; infinite where it does not."""
        touches: Bools = np.asarray(self.force > 0)
        first = int(touches.argmax())
        apart = np.flatnonzero(~touches[first:])
        if not touches.any():
            return 0.0
        if not len(apart):
            return float(self.times[-1]) if self.simulations[-1][1].stopped else math.inf
        return float(self.times[first + apart[0]])

    @property
    def impulse(self) -> float:
        """N s: of the force over all of the time."""
        return float(np.trapezoid(self.force, self.times))

    # Energy

    @cached_property
    def work(self) -> Floats:
        """(samples,): what the robot has given to spring and body, J."""
        found, before = [], 0.0
        for _, run in self.simulations:
            found.append(before - run.external_work)
            before = float(found[-1][-1])
        return np.concatenate(found)

    @property
    def transferred_energy(self) -> float:
        """J: the most that the robot has given away at any time, to the spring, its damper and what is hit."""
        return float(self.work.max())

    @property
    def spring_energy(self) -> float:
        """J: the most that the spring holds, k p^2 / 2."""
        return 0.5 * self.contact.stiffness * self.peak_penetration**2

    @property
    def energy_drift(self) -> float:
        """What does not balance, over the kinetic energy of the robot: of all pieces, what is hit among it."""
        residual = max(float(np.abs(run.energy_residual).max()) for _, run in self.simulations)
        whole = max(float(run.kinetic.max()) for _, run in self.simulations)
        return residual / max(whole, 1e-300)

    # Against limits

    @cached_property
    def contact_checks(self) -> tuple[VerdictRow, ...]:
        """Force and pressure against the limits that were given, worst first: "transient" is what happens in the first
        0.5 s, "quasi-static" what lasts longer.
        """
        found = []
        late = self.times > TRANSIENT
        for kind, those in zip(KINDS, (~late, late), strict=True):
            k = int(np.where(those, self.force, -1.0).argmax())
            largest = float(self.force[k]) if those.any() else 0.0
            at = Instant(0, k, float(self.times[k])) if those.any() else None
            for what, demand, limits, unit in (
                ("force", largest, self.limits.force, "N"),
                ("pressure", largest / (self.limits.area or math.inf), self.limits.pressure, "Pa"),
            ):
                if kind in limits:
                    found.append(VerdictRow(
                        check=f"{kind} contact {what}", demand=demand, capacity=limits[kind], unit=unit,
                        utilisation=demand / limits[kind], at=at, part="contact", joint=self.contact.link,
                        kind="contact"))
        return tuple(sorted(found, key=lambda row: -row.utilisation))

    @property
    def checks(self) -> tuple[VerdictRow, ...]:
        """Those of the contact, and of the parts of the robot that a single case has to meet, worst first."""
        return tuple(sorted((*self.contact_checks, *super().checks), key=lambda row: -row.utilisation))

    @property
    def holds(self) -> bool | None:
        """Whether all checks hold; None where nothing is checked."""
        rows = self.checks
        return all(row.holds for row in rows) if rows else None

    @property
    def notes(self) -> tuple[str, ...]:
        """What it rests on, and what is left out: a sentence each."""
        found = ["Gears and links are rigid here: the robot hits with all of its rotors."]
        if not any(any(joint.reflected_inertia) for joint in self.robot.joints):
            found.append("No rotor inertia is known: the robot hits too softly, and fast wrists fly too fast.")
        if self.category is None:
            found.append("The drives do not react: they go on with the torques of the motion.")
        elif self.reacts is None:
            found.append("The contact's torques stay below the threshold: the drives do not react.")
        if not self.contact.moves:
            found.append("What is hit is clamped.")
        return tuple(found)

    # For readers

    def table(self) -> Table:
        """The numbers of the contact, its limits, and the largest loads of drives."""
        rows = [["speed", f"{self.speed:.4g} m/s", ""], ["reflected mass", f"{self.reflected_mass:.4g} kg", ""],
                ["peak force", f"{self.peak_force:.4g} N", f"after {1000 * self.peak_time:.4g} ms"],
                ["penetration", f"{1000 * self.peak_penetration:.4g} mm", ""],
                ["energy given away", f"{self.transferred_energy:.4g} J", ""]]
        rows += [[row.check, f"{row.demand:.4g} {row.unit}",
                  f"{100 * row.utilisation:.3g} % of {row.capacity:.4g} {row.unit}"] for row in self.contact_checks]
        for name in self.robot.dof_names:
            if name in drive_names(self.robot):
                quantity = self.peaks[name, "drive"]
                top = quantity.peak.top(1) if quantity.magnitude > 0 else []
                rows.append([f"drive of {printable(name)}", f"{quantity.magnitude:.4g} {quantity.unit}",
                             f"mostly {printable(top[0].cause)}" if top else ""])
        return Table(self._headline, ["", "value", "note"], rows, " ".join(self.notes), right=1)

    @property
    def _headline(self) -> str:
        worst = f" (the hardest of {len(self.instants)} instants)" if len(self.instants) else ""
        return (f"Collision of '{printable(self.contact.link)}' at t = {self.at:.6g} s{worst}: {self.peak_force:.4g} N "
                f"after {1000 * self.peak_time:.4g} ms, at {self.speed:.4g} m/s with {self.reflected_mass:.4g} kg")

    def to_table(self) -> str:
        """The same as text."""
        table = self.table()
        return f"{table.title}\n{table.text()}\n{table.note}"

    def plot(self) -> Figure:
        """Force, penetration and energy given away over time, with the limits of the force."""
        from plotly.subplots import make_subplots

        figure = make_subplots(rows=3, cols=1, shared_xaxes=True, vertical_spacing=0.04)
        for row, (name, values, unit) in enumerate((
            ("force", self.force, "N"), ("penetration", 1000 * self.penetration, "mm"), ("given away", self.work, "J"),
        ), 1):
            figure.add_scatter(x=1000 * self.times, y=values, name=name, row=row, col=1)
            figure.update_yaxes(title_text=f"{name} ({unit})", row=row, col=1)
        end = 1000 * float(self.times[-1])
        for kind, limit in self.limits.force.items():
            begin, last = (0.0, min(end, 1000 * TRANSIENT)) if kind == KINDS[0] else (1000 * TRANSIENT, end)
            if last > begin:
                figure.add_scatter(x=[begin, last], y=[limit, limit], name=f"{kind} limit", mode="lines",
                                   line={"dash": "dash"}, row=1, col=1)
        figure.update_xaxes(title_text="time (ms)", row=3, col=1)
        figure.update_layout(title=self._headline, height=640)
        return figure

    def _repr_html_(self) -> str:
        return self.table().html()

    def __repr__(self) -> str:
        return printable(f"<collision of '{self.contact.link}' of '{self.robot.name}' at t = {self.at:.6g} s: "
                         f"{self.peak_force:.4g} N, {1000 * self.peak_penetration:.4g} mm, "
                         f"{self.transferred_energy:.4g} J>")
