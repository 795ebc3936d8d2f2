"""A payload diagram: the largest mass over where its mass center is, and what limits it there."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from loadpath.handling.limits import DiagramLimit
from loadpath.handling.pictures import diagram_figure
from loadpath.printable import printable
from loadpath.scalars.types import ArrayLike, Floats, Ints
from loadpath.tables import Table, data_frame, write_table

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

ROWS = 11
"""Of a table: as many axial and radial offsets are shown at most."""


@dataclass(frozen=True, eq=False, repr=False)
class PayloadDiagram:
    """The largest mass (kg) over the offset of its mass center from the flange, from `robot.payload_diagram`.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> level = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]
    >>> offsets, directions = ([0.0], [0.0, 0.5]), ("y", "x")
    >>> found = arm.payload_diagram(*level, offsets=offsets, directions=directions, limits={"joint1": 100.0})
    >>> found.mass.round(4).tolist()                               # (100 - 2 x 9.81) / (9.81 (2 + radial offset))
    [[4.0968, 3.2775]]
    >>> found.limit(0, 1).words
    "effort of 'joint1'"
    """

    axial: Floats
    """(a,): m along `directions[0]`, from the origin of `link`."""
    radial: Floats
    """(r,): m across it."""
    mass: Floats
    """(a, r): kg in addition to what is carried; 0 where a limit is exceeded without any, infinite where no payload
    brings one nearer. Of radial offsets all around the axial direction, that of the worst."""
    which: Ints
    """(a, r): number of what limits it among `limits`."""
    sample: Ints
    """(a, r): number of the state in which it does, counted through all motions; -1 of means and lives."""
    azimuth: Floats
    """(a, r): rad, of the worst radial direction."""
    limits: tuple[DiagramLimit, ...]
    """All that were looked at: joint, part and check of each."""
    link: str
    """The link that carries the payload, in whose frame offsets are."""
    directions: tuple[Floats, Floats | None]
    """Unit vectors of axial and radial offsets; None: all around."""
    name: str
    """Of the robot."""
    carried: float = 0.0
    """kg that the robot carries already: `mass` is in addition to it."""
    not_checked: tuple[tuple[DiagramLimit, str], ...] = ()
    """What could not be checked, and why."""

    def limit(self, a: int, r: int) -> DiagramLimit:
        """What limits the payload of a cell.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)
        >>> level = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]
        >>> arm.payload_diagram(*level, offsets=([0.0], [0.0]), limits={"joint1": 100.0}).limit(0, 0).joint
        'joint1'
        """
        if math.isinf(self.mass[a, r]):
            raise ValueError(f"no payload at {self.axial[a]:g} m, {self.radial[r]:g} m brings any limit nearer")
        return self.limits[int(self.which[a, r])]

    @property
    def shares(self) -> dict[DiagramLimit, float]:
        """The share of the cells that each limit limits, the largest first."""
        bound = np.isfinite(self.mass)
        counts = np.bincount(self.which[bound], minlength=len(self.limits))
        ranked = sorted(np.flatnonzero(counts).tolist(), key=lambda k: -counts[k])
        return {self.limits[k]: float(counts[k]) / self.mass.size for k in ranked}

    def __repr__(self) -> str:
        return printable(f"<{self}>")

    def __str__(self) -> str:
        """In words."""
        cells = f"{len(self.axial)} x {len(self.radial)} offsets on '{self.link}'"
        finite = self.mass[np.isfinite(self.mass)]
        if not finite.size:
            return f"payload diagram of '{self.name}': {cells}, no payload brings any limit nearer"
        by = ", ".join(f"{100 * share:.3g} % by {limit.words}" for limit, share in list(self.shares.items())[:3])
        more = f"; {len(self.not_checked)} not checked" if self.not_checked else ""
        return (f"payload diagram of '{self.name}': {cells}, {finite.min():.4g} to {self.mass.max():.4g} kg, limited "
                f"{by}{more}")

    def _table(self) -> Table:
        rows = []
        a, r = (_some(len(values)) for values in (self.axial, self.radial))
        for i in a:
            rows.append([f"{self.axial[i]:.4g}", *(f"{self.mass[i, j]:.4g}" for j in r)])
        heads = ["axial (m)", *(f"{self.radial[j]:.4g}" for j in r)]
        left = [limit.words for limit in self.shares]
        return Table(f"Largest mass (kg) over axial and radial offset (m) of its center; limited by {', '.join(left)}",
                     heads, rows)

    def to_table(self) -> str:
        """Masses over axial (rows) and radial offsets (columns), as text; at most 11 of each."""
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table().html()

    def _records(self) -> list[tuple[float, float, float, str, str, str, int, float]]:
        found = []
        for i, j in np.ndindex(self.mass.shape):
            by = self.limits[int(self.which[i, j])] if np.isfinite(self.mass[i, j]) else DiagramLimit("", "", "")
            found.append((float(self.axial[i]), float(self.radial[j]), float(self.mass[i, j]), *by,
                          int(self.sample[i, j]), float(self.azimuth[i, j])))
        return found

    def to_dataframe(self) -> DataFrame:
        """A pandas data frame with a row for each cell."""
        return data_frame(self._records(), COLUMNS)

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """The same as a CSV file; numbers in full."""
        return write_table(path, COLUMNS, self._records())

    def plot(self, masses: float | Sequence[float] | None = None) -> Figure:
        """Curves of constant mass over axial and radial offset, as data sheets print them, on regions in the colour of
        what limits them.
        """
        return diagram_figure(self, masses)

    def largest_inertia(
        self, masses: ArrayLike | None = None, center_of_mass: Sequence[float] = (0.0, 0.0, 0.0),
        *, tensor: ArrayLike | None = None,
    ) -> InertiaDiagram:
        """The largest moment of inertia (kg m^2, about its mass center) of a payload with each of these masses, whose
        mass center is at `center_of_mass` (m, frame of the link): of a body of the same inertia about all axes, or the
        factor of a `tensor` (3 x 3, axes of the link).

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(1, gravity=0)
        >>> turning = [0.0], [0.0], [2.0]                              # rad/s^2: (1/3 + m + I) 2 = 10
        >>> found = arm.payload_diagram(*turning, offsets=([0.0], [0.0]), limits={"joint1": 10.0})
        >>> found.largest_inertia([0.0, 1.0, 4.0]).inertia.round(6).tolist()
        [4.666667, 3.666667, 0.666667]
        """
        if self._inertia is None:
            raise ValueError("a payload diagram that was read or made by hand has no robot: robot.payload_diagram(...)")
        return self._inertia(masses, center_of_mass, tensor)

    _inertia: Callable[..., InertiaDiagram] | None = field(default=None)


COLUMNS = ("axial", "radial", "mass", "joint", "part", "check", "sample", "azimuth")


@dataclass(frozen=True, eq=False, repr=False)
class InertiaDiagram:
    """The largest moment of inertia over the mass of a payload, from `PayloadDiagram.largest_inertia`."""

    mass: Floats
    """(m,): kg."""
    inertia: Floats
    """(m,): kg m^2; NaN where the mass by itself is too much, infinite where no inertia brings a limit nearer."""
    which: Ints
    """(m,): number of what limits it among `limits`; of NaN what limits the mass."""
    limits: tuple[DiagramLimit, ...]
    link: str
    center_of_mass: tuple[float, float, float]

    def __repr__(self) -> str:
        known = self.inertia[np.isfinite(self.inertia)]
        span = f"{known.min():.4g} to {known.max():.4g} kg m^2" if known.size else "none is bounded"
        return printable(f"<largest inertia of payloads on '{self.link}': {len(self.mass)} masses, {span}>")

    def _rows(self) -> list[tuple[float, float, str, str, str]]:
        return [(float(m), float(j), *(self.limits[int(k)] if not math.isinf(j) else DiagramLimit("", "", "")))
                for m, j, k in zip(self.mass, self.inertia, self.which, strict=True)]

    def _table(self) -> Table:
        rows = [[f"{m:.6g}", f"{j:.6g}", printable(joint), printable(part), printable(check)]
                for m, j, joint, part, check in self._rows()]
        return Table("Largest inertia over mass", ["mass (kg)", "inertia (kg m^2)", "joint", "part", "check"], rows,
                     left=0, right=3)

    def to_table(self) -> str:
        """A row for each mass, as text."""
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table().html()

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """The same as a CSV file; numbers in full."""
        return write_table(path, ("mass", "inertia", "joint", "part", "check"), self._rows())


def _some(count: int) -> list[int]:
    """Numbers from the first to the last, some of many."""
    return sorted(set(np.linspace(0, count - 1, min(count, ROWS)).round().astype(int).tolist()))
