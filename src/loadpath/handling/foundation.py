"""`robot.foundation_loads(motion)`: what a robot exerts on its foundation, in service and in a stop."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from loadpath.motion import DutySpectrum
from loadpath.parts.verdict.duties import Duty, duties_of
from loadpath.printable import printable
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.quantities.wrench import COMPONENTS
from loadpath.robot.numbers import vector3
from loadpath.robot.units_of_text import in_si
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase, StatesLike
from loadpath.stops.result import Stop
from loadpath.tables import Table, data_frame, write_table

if TYPE_CHECKING:
    from pandas import DataFrame

    from loadpath.quantities.table import RobotQuantities

RESULTANTS = ("force", "vertical_force", "horizontal_force", "torque", "tilting_moment", "torsion_moment")
CAUSES = ("weight", "acceleration", "speed", "external and base motion")
SERVICE = "service"
Stops = Stop | Sequence[Stop] | Mapping[str, Stop] | None


@dataclass(frozen=True, eq=False)
class FoundationRow:
    """The largest of one quantity in one case, and what acts with it.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> row = arm.foundation_loads([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])["service", "torque_y"]
    >>> round(row.value, 3), round(row.wrench[2], 3)                 # two rods of 1 m and 1 kg level
    (19.62, -19.62)
    """

    case: str
    """"service", the name of a motion of a spectrum, or of a stop."""
    quantity: str
    value: float
    """N or N m; of components with their sign."""
    unit: str
    sample: int
    """Number of the state."""
    time: float
    """s; NaN of states without times."""
    wrench: tuple[float, float, float, float, float, float]
    """N, N m: all six components at that instant."""
    causes: Mapping[str, float]
    """What each cause adds to the value: they sum to it."""


@dataclass(frozen=True, eq=False, repr=False)
class FoundationLoads:
    """Forces and moments of a robot on its foundation, from `robot.foundation_loads`: at `point` of the root link's
    frame, in its axes. `vertical_force` is along gravity (positive downwards), `horizontal_force` and `tilting_moment`
    are magnitudes across and about what is across it, `torsion_moment` is about it.
    """

    name: str
    point: tuple[float, float, float]
    down: tuple[float, float, float]
    """Unit vector in which the weight acts."""
    rows: tuple[FoundationRow, ...]
    wrenches: Mapping[str, Floats] = field(repr=False)
    """By case, (states, 6): all of them."""
    times: Mapping[str, Floats] = field(repr=False)
    """By case, (states,): s."""
    notes: tuple[str, ...] = ()

    @property
    def cases(self) -> tuple[str, ...]:
        """Names of all cases."""
        return tuple(self.wrenches)

    def __iter__(self) -> Iterator[FoundationRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: tuple[str, str]) -> FoundationRow:
        """By case and quantity."""
        for row in self.rows:
            if (row.case, row.quantity) == key:
                return row
        raise ValueError(f"there is no row {key!r}: cases are {', '.join(self.cases)}; quantities "
                         f"{', '.join((*COMPONENTS, *RESULTANTS))}")

    def largest(self, quantity: str) -> FoundationRow:
        """The row of the case in which a quantity is largest.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)
        >>> arm.foundation_loads(lp.Motion.swing(arm)).largest("tilting_moment").case
        'service'
        """
        found = [row for row in self.rows if row.quantity == quantity]
        if not found:
            raise ValueError(f"there is no quantity {quantity!r}: there are {', '.join((*COMPONENTS, *RESULTANTS))}")
        return max(found, key=lambda row: abs(row.value))

    def __repr__(self) -> str:
        words = [f"{quantity.replace('_', ' ')} {abs(row.value):.4g} {row.unit} ({row.case})"
                 for quantity in ("force", "tilting_moment") for row in [self.largest(quantity)]]
        return printable(f"<foundation loads of '{self.name}': {len(self.cases)} cases, at most {', '.join(words)}>")

    def _table(self) -> Table:
        heads = ["case", "largest", "value", "unit", "time (s)", "Fx (N)", "Fy (N)", "Fz (N)", "Mx (N m)", "My (N m)",
                 "Mz (N m)", "mostly"]
        rows = []
        for row in self.rows:
            sense = math.copysign(1.0, row.value)
            most = max(row.causes, key=lambda cause: sense * row.causes[cause]) if row.value else ""
            when = f"state {row.sample}" if math.isnan(row.time) else f"{row.time:.4g}"
            rows.append([printable(row.case), row.quantity.replace("_", " "), f"{row.value:.5g}", row.unit, when,
                         *(f"{x:.5g}" for x in row.wrench), most])
        note = "; ".join(self.notes)
        return Table(f"Loads of '{self.name}' on its foundation", heads, rows, left=2, right=1, note=note)

    def to_table(self) -> str:
        """A row for the largest of each quantity in each case, with all six components of that instant, as text."""
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table().html()

    def _records(self) -> list[tuple[object, ...]]:
        return [(row.case, row.quantity, row.value, row.unit, row.sample, row.time, *row.wrench,
                 *(row.causes[cause] for cause in CAUSES)) for row in self.rows]

    def to_dataframe(self) -> DataFrame:
        """The same as a pandas data frame, with what each cause adds."""
        return data_frame(self._records(), COLUMNS)

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """The same as a CSV file; numbers in full."""
        return write_table(path, COLUMNS, self._records())


COLUMNS = ("case", "quantity", "value", "unit", "sample", "time", *COMPONENTS, *CAUSES)


@takes_loads
def foundation_loads(
    robot: RobotQuantities,
    motion: StatesLike | DutySpectrum,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    stops: Stops = None,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    **acting: Unpack[DriveLoadKeywords],
) -> FoundationLoads:
    """Forces and moments that the robot exerts on its foundation over a motion, a duty spectrum or a batch of states
    ("service"), and in `stops`, one of `robot.stop` or several, by names or "stop 1", ...: the largest of each
    component and of the resultants, with all that acts at that instant, and by cause. See `FoundationLoads`.

    They are at `point` (m) of the root link's frame, in its axes, and the negative of `base_wrench`. What acts on the
    robot is as in `peak_loads`; in a stop it is what the stop was given, and gears whose stiffness is known ring.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> swing = lp.Motion.swing(arm, duration=1.0)
    >>> stop = arm.stop(swing, at=0.5, brakes={"joint1": 60.0, "joint2": 20.0})
    >>> found = arm.foundation_loads(swing, stops={"emergency stop": stop})
    >>> found.cases, found.largest("tilting_moment").case
    (('service', 'emergency stop'), 'emergency stop')
    """
    case = acting["under"]
    named = _named(stops)
    duties = duties_of(robot, "foundation_loads", motion, qd, qdd, case)
    if not sum(map(len, duties)):
        raise ValueError("foundation_loads: there are no states")
    where = vector3(in_si(point, ("length",), "point"), "foundation_loads: point")
    gravity = np.asarray(robot.gravity, dtype=float)
    size = float(np.linalg.norm(gravity))
    down = gravity / size if size else np.array([0.0, 0.0, -1.0])
    parts: dict[str, tuple[Floats, Floats]] = {}
    for duty in duties:
        parts[duty.name or SERVICE] = _of_duty(robot, duty)
    for name, stop in named.items():
        if name in parts:
            raise ValueError(f"foundation_loads: two cases are called '{name}': give stops other names")
        if stop.robot is not robot and stop.robot.dof_names != robot.dof_names:
            raise ValueError(f"foundation_loads: the stop '{name}' is of robot '{stop.robot.name}', which has other "
                             "joints")
        moving, on = stop.loaded  # with gears that ring, where their stiffness is known
        outside = {"external": stop.external} if stop.external else {}
        parts[name] = on.t, _by_cause(moving, (on.q, on.qd, on.qdd), outside)
    rows: list[FoundationRow] = []
    wrenches, times = {}, {}
    for name, (t, causes) in parts.items():
        moved = causes.copy()
        moved[..., 3:] -= np.cross(where, causes[..., :3])
        times[name], wrenches[name] = t, moved.sum(axis=0)
        if not np.isfinite(wrenches[name]).all():
            raise ValueError(f"foundation_loads: the loads of '{name}' are not numbers in some states")
        rows += _rows(name, t, moved, down)
    notes = tuple(dict.fromkeys(f"{name}: {note}" for name, stop in named.items() for note in stop.notes))
    return FoundationLoads(robot.name, where, tuple(down.tolist()), tuple(rows), wrenches, times, notes)


def _named(stops: Stops) -> dict[str, Stop]:
    if stops is None:
        return {}
    if isinstance(stops, Stop):
        return {"stop": stops}
    named = dict(stops) if isinstance(stops, Mapping) else {f"stop {k + 1}": stop for k, stop in enumerate(stops)}
    for name, stop in named.items():
        if not isinstance(stop, Stop):
            raise ValueError(f"foundation_loads: '{name}' is {stop!r}: expected what robot.stop(...) gives")
    return named


def _of_duty(robot: Any, duty: Duty) -> tuple[Floats, Floats]:
    """Times (states,), and loads by cause (causes, states, 6)."""
    blocks = [(block.t, _by_cause(robot, block.arrays, _of_base(block.case))) for block in duty.blocks()]
    return np.concatenate([t for t, _ in blocks]), np.concatenate([causes for _, causes in blocks], axis=1)


def _of_base(case: LoadCase) -> dict[str, Any]:
    """What a base wrench depends on: how drives share the work is none of it."""
    return {name: value for name, value in case.keywords.items() if name not in ("weights", "preload")}


def _by_cause(robot: Any, states: tuple[Floats, Floats, Floats], keywords: dict[str, Any]) -> Floats:
    """(causes, states, 6): on the foundation. Loads are linear in weight, accelerations and what acts from outside, and
    of the second degree in speeds alone.
    """
    q, qd, qdd = states
    still = np.zeros_like(qd)
    gravity = {name: value for name, value in keywords.items() if name == "gravity"}

    def wrench(qd: Floats, qdd: Floats, given: dict[str, Any]) -> Floats:
        found = robot.base_wrench(q, qd, qdd, **given)
        return -np.concatenate([np.asarray(found.force), np.asarray(found.torque)], axis=-1)

    weight = wrench(still, still, gravity)
    faster, moving = wrench(qd, still, gravity) - weight, wrench(still, qdd, gravity) - weight
    whole = wrench(qd, qdd, keywords)
    return np.stack([weight, moving, faster, whole - weight - moving - faster])


def _rows(name: str, t: Floats, causes: Floats, down: Floats) -> Iterator[FoundationRow]:
    total = causes.sum(axis=0)
    force, torque = total[:, :3], total[:, 3:]
    vertical, torsion = force @ down, torque @ down
    across, tilting = force - vertical[:, None] * down, torque - torsion[:, None] * down
    none = np.zeros(3)

    def row(quantity: str, sizes: Floats, six: Any, unit: str) -> FoundationRow:
        k = int(np.argmax(np.abs(sizes)))
        along = six(k)
        added = {cause: float(causes[n, k] @ along) for n, cause in enumerate(CAUSES)}
        return FoundationRow(name, quantity, float(sizes[k]), unit, k, float(t[k]), tuple(total[k].tolist()), added)

    def unit(vector: Floats) -> Floats:
        size = float(np.linalg.norm(vector))
        return vector / size if size else vector

    for k, quantity in enumerate(COMPONENTS):
        yield row(quantity, total[:, k], lambda _, k=k: np.eye(6)[k], "N" if k < 3 else "N m")
    for quantity, vectors, first in (("force", force, True), ("horizontal_force", across, True),
                                     ("torque", torque, False), ("tilting_moment", tilting, False)):
        yield row(quantity, np.linalg.norm(vectors, axis=1),
                  lambda k, v=vectors, f=first: np.concatenate([unit(v[k]), none] if f else [none, unit(v[k])]),
                  "N" if first else "N m")
    yield row("vertical_force", vertical, lambda _: np.concatenate([down, none]), "N")
    yield row("torsion_moment", torsion, lambda _: np.concatenate([none, down]), "N m")
