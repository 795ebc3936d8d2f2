"""`robot.duty_map(motion)`: which part lives how long, and what holds, over payload and speed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import ArrayLike

from loadpath.handling.limits import DiagramLimit
from loadpath.handling.pictures import duty_figure
from loadpath.motion import DutySpectrum
from loadpath.parts.verdict.result import Verdict, VerdictRow
from loadpath.parts.verdict.what_if import again, carrying_link
from loadpath.printable import printable
from loadpath.progress import Report, reporting
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.robot.numbers import vector3
from loadpath.robot.units_of_text import in_si
from loadpath.scalars.types import Floats, Ints
from loadpath.states import StatesLike
from loadpath.tables import Table, data_frame, write_table

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

    from loadpath.quantities.table import RobotQuantities

SPEEDS = tuple(np.linspace(0.3, 1.2, 7).round(3).tolist())
MASSES = 7
MOST_CELLS = 100_000


@dataclass(frozen=True, eq=False, repr=False)
class DutyMap:
    """Life and utilisation over payload and speed, from `robot.duty_map`.

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda()
    >>> found = arm.duty_map(lp.Motion.swing(arm), [0.0, 4.0], [0.5, 1.0, 1.3])
    >>> found.utilisation.round(3).tolist()
    [[0.446, 0.8, 1.04], [0.761, 0.871, 1.04]]
    >>> found.limit(1, 1).words, found.holds.tolist()
    ("effort of 'panda_joint2'", [[True, True, False], [True, True, False]])
    """

    payload: Floats
    """(m,): kg in addition to what is carried."""
    speed: Floats
    """(s,): factors of the motion's speed."""
    life: Floats
    """(m, s): hours of the part that lives shortest; infinite where nothing wears, NaN where no life is known."""
    utilisation: Floats
    """(m, s): the largest of all checks that were made."""
    shortest: Ints
    """(m, s): number of the part that lives shortest among `limits`, -1 without a life."""
    worst: Ints
    """(m, s): number of the check that is used most among `limits`, -1 where none was made."""
    limits: tuple[DiagramLimit, ...]
    """Joint, part and check of all."""
    hours: float | None
    """The life that was asked for."""
    name: str
    link: str
    """The link that carries the payload."""
    not_checked: tuple[tuple[DiagramLimit, str], ...] = ()
    """Checks that could not be made, and why."""

    @property
    def holds(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """(m, s): whether no check that was made fails; what was not checked is in `not_checked`."""
        return np.asarray(self.utilisation <= 1.0)

    def limit(self, m: int, s: int) -> DiagramLimit:
        """What is used most in a cell."""
        if self.worst[m, s] < 0:
            raise ValueError("nothing could be checked there")
        return self.limits[int(self.worst[m, s])]

    def weakest(self, m: int, s: int) -> DiagramLimit:
        """What lives shortest in a cell."""
        if self.shortest[m, s] < 0:
            raise ValueError("no part has a life there: parts with ratings have one, robot.with_parts(...)")
        return self.limits[int(self.shortest[m, s])]

    def __repr__(self) -> str:
        known = self.life[np.isfinite(self.life)]
        lives = f", lives {known.min():.4g} to {known.max():.4g} h" if known.size else ""
        more = f"; {len(self.not_checked)} not checked" if self.not_checked else ""
        return printable(f"<duty map of '{self.name}': {len(self.payload)} payloads x {len(self.speed)} speeds, "
                         f"{int(self.holds.sum())} of {self.holds.size} hold{lives}{more}>")

    def _table(self) -> Table:
        lives = not np.isnan(self.life).all()
        rows = []
        for m, mass in enumerate(self.payload):
            cells = []
            for s in range(len(self.speed)):
                mark = "" if self.holds[m, s] else "!"
                cells.append(f"{self.life[m, s]:.4g}{mark}" if lives else f"{100 * self.utilisation[m, s]:.4g}{mark}")
            rows.append([f"{mass:.4g}", *cells])
        what = "Life of the weakest part (h)" if lives else "Largest utilisation (%)"
        return Table(f"{what} over payload and speed", ["payload (kg)", *(f"x {s:.4g}" for s in self.speed)], rows,
                     note="! : some check does not hold")

    def to_table(self) -> str:
        """Lives (without any: utilisations) over payloads (rows) and speeds (columns), as text; what does not hold is
        marked.
        """
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table().html()

    def _records(self) -> list[tuple[object, ...]]:
        found: list[tuple[object, ...]] = []
        for m, s in np.ndindex(self.life.shape):
            of = [self.limits[int(k)].words if k >= 0 else "" for k in (self.shortest[m, s], self.worst[m, s])]
            found.append((float(self.payload[m]), float(self.speed[s]), float(self.life[m, s]), of[0],
                          float(self.utilisation[m, s]), of[1]))
        return found

    def to_dataframe(self) -> DataFrame:
        """A pandas data frame with a row for each cell."""
        return data_frame(self._records(), COLUMNS)

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """The same as a CSV file; numbers in full."""
        return write_table(path, COLUMNS, self._records())

    def plot(self) -> Figure:
        """Lives (or utilisations) in colour over payload and speed, with the line up to which everything holds."""
        return duty_figure(self)


COLUMNS = ("payload", "speed", "life_hours", "weakest", "utilisation", "most_used")


@takes_loads
def duty_map(
    robot: RobotQuantities,
    motion: StatesLike | DutySpectrum,
    payloads: ArrayLike | None = None,
    speeds: ArrayLike | None = None,
    *,
    hours: float | None = None,
    link: str | None = None,
    center_of_mass: Sequence[float] | None = None,
    progress: bool | Report = False,
    **acting: Unpack[DriveLoadKeywords],
) -> DutyMap:
    """The life of the weakest part and the verdict over payloads (kg, in addition to what is carried) and factors of
    the motion's speed. See `DutyMap`.

    The payload is a point mass on `link` at `center_of_mass` (m, in its frame), as in `largest`; without `payloads`, up
    to the largest one at the motion's own speed. `hours` is the life that is asked for: with it, lives are among what
    holds or not. All else is as in `verdict`.

    Every cell is a verdict on the same states; the robot with one kilogram more is computed once for all masses, and at
    another speed only speeds and accelerations differ.

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda()
    >>> arm.duty_map(lp.Motion.swing(arm), [0.0, 3.0], [1.0])
    <duty map of 'panda': 2 payloads x 1 speeds, 2 of 2 hold>
    """
    now: Verdict = robot.verdict(motion, hours=hours, **acting)  # type: ignore[attr-defined]
    if now.unknown_count:
        raise ValueError(f"duty_map: {now.unknown_words}")
    if callable(now.asked.case.gravity):
        raise ValueError("duty_map: gravity is a function of time, which stays as it is where the motion takes less; "
                         "give it for each sample")
    center = None if center_of_mass is None else vector3(
        in_si(center_of_mass, ("length",), "center_of_mass"), "duty_map: center of mass")
    factors = _row(SPEEDS if speeds is None else speeds, "speeds", "factors of more than zero", ())
    if (factors <= 0).any():
        raise ValueError(f"duty_map: a speed is {factors.min():g}: expected factors of more than zero")
    if payloads is None:
        from_largest = robot.largest("payload", motion, hours=hours, link=link, center_of_mass=center, **acting).value  # type: ignore[attr-defined]
        size = sum(part.inertia.mass for part in now.robot.links) or 1.0
        most = from_largest if 0 < from_largest < math.inf else 0.1 * size
        payloads = np.linspace(0.0, 1.25 * most, MASSES)
    masses = _row(payloads, "payloads", "numbers of zero or more, kg", ("mass",))
    if (masses < 0).any():
        raise ValueError(f"duty_map: a payload is {masses.min():g} kg: expected zero or more")
    if masses.size * factors.size > MOST_CELLS:
        raise ValueError(f"duty_map: {masses.size} x {factors.size} cells: expected at most {MOST_CELLS:,}")
    return _map(now, masses, factors, link, center, progress)


def _map(
    now: Verdict, masses: Floats, factors: Floats, link: str | None, center: tuple[float, float, float] | None,
    progress: bool | Report,
) -> DutyMap:
    shape = masses.size, factors.size
    life, used = np.full(shape, np.nan), np.full(shape, np.nan)
    shortest, worst = np.full(shape, -1), np.full(shape, -1)
    numbers: dict[DiagramLimit, int] = {}

    def number(row: VerdictRow) -> int:
        return numbers.setdefault(_label(row), len(numbers))

    with reporting(progress, f"duty map of {now.name}") as report:
        for s, pace in enumerate(factors.tolist()):
            here = now if pace == 1.0 else again(now, pace=pace)
            # The robot with one kilogram more is the same at all speeds.
            object.__setattr__(here, "units", now.units) if here is not now else None
            for m, mass in enumerate(masses.tolist()):
                cell = again(here, mass=mass, link=link, center_of_mass=center) if mass else here
                if (row := cell.worst) is not None:
                    used[m, s], worst[m, s] = row.utilisation, number(row)
                if (row := cell.shortest_life) is not None and row.life_hours is not None:
                    life[m, s], shortest[m, s] = row.life_hours, number(row)
                report((s * len(masses) + m + 1) / life.size)
    unchecked = tuple((_label(row), row.note) for row in now.not_checked)
    return DutyMap(masses, factors, life, used, shortest, worst, tuple(numbers), now.hours, now.name,
                   carrying_link(now.subject, link, center), unchecked)


def _label(row: VerdictRow) -> DiagramLimit:
    return DiagramLimit(row.joint, row.part, row.check)


def _row(given: ArrayLike, name: str, expected: str, measures: tuple[str, ...]) -> Floats:
    try:
        found = np.atleast_1d(np.asarray(in_si(given, measures, name), dtype=float))
    except (TypeError, ValueError):
        raise ValueError(f"duty_map: {name} are {given!r}: expected {expected}") from None
    if found.ndim != 1 or not found.size or not np.isfinite(found).all():
        raise ValueError(f"duty_map: {name} are {given!r}: expected one row of {expected}")
    return found


