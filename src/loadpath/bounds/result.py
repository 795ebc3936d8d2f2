"""The largest value of a load over a box, where it is, what causes it, and what bounds it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.bounds.asked import OF_JOINTS, Sense
from loadpath.cached import cached_property
from loadpath.loads.breakdown.result import Contribution, LoadBreakdown, ranked
from loadpath.loads.peaks.result import causes_of
from loadpath.printable import printable
from loadpath.scalars.types import Floats
from loadpath.tables import Table

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

MANIFOLD = 1000.0
"""Gaps of so many times the value are said in its unit."""


@dataclass(frozen=True, eq=False, repr=False)
class WorstCase:
    """The largest value over a box of states that was computed, the state that attains it, and what bounds all."""

    name: str
    """Of the joint, the degree of freedom, the wheel or the rover."""
    quantity: str
    sense: Sense
    value: float
    """The largest value (for "min" the smallest, for "magnitude" that of the magnitude): attained at the state."""
    bound: float
    """No state of the box has a larger value (for "min" a smaller one). Infinite where nothing bounds it."""
    tolerance: float
    """Relative gap below which it counts as certified."""
    certified: bool
    """Whether the gap is below the tolerance."""
    q: Floats
    qd: Floats
    qdd: Floats
    largest_sample: float
    """The largest value (for "min" the smallest) among the samples, before any search."""
    samples: int
    boxes: int
    """Boxes of states that were bounded."""
    seconds: float
    unit: str = field(default="")
    dof_names: tuple[str, ...] = field(default=())
    also: Mapping[str, float] = field(default_factory=dict)
    """What else the box ranges over, by name: the payload, the motion of a rover's base."""
    robot: RobotQuantities | None = None
    """The robot, with the payload of that state."""
    acting: Mapping[str, object] = field(default_factory=dict)
    """What acts on it in addition, and how a rover's base moves in that state, as keywords."""

    @property
    def gap(self) -> float:
        """Between value and bound, in the unit of the value."""
        return abs(self.bound - self.value)

    @property
    def relative_gap(self) -> float:
        """The gap by the value; infinite by a value of zero."""
        return 0.0 if self.gap == 0.0 else self.gap / abs(self.value) if self.value else math.inf

    @property
    def ratio(self) -> float:
        """The bound by the value: 1.001 says that the largest load of all may be 0.1 % above the value. Not a number
        where the value is zero.
        """
        return self.bound / self.value if self.value else math.nan

    @property
    def state(self) -> tuple[Floats, Floats, Floats]:
        """q, qd and qdd that attain the value."""
        return self.q, self.qd, self.qdd

    @cached_property
    def breakdown(self) -> LoadBreakdown:
        """All joint wrenches by cause, in that state."""
        if self.robot is None or self.quantity not in (*OF_JOINTS, "drive"):
            raise ValueError(f"{self.quantity} of '{self.name}' is by the ground: rover.wheel_load_breakdown has its "
                             "causes")
        robot: Any = self.robot
        found: LoadBreakdown = robot.load_breakdown(*self.state, **self.acting, compiled=False)
        return found

    def top(self, count: int = 5) -> list[Contribution]:
        """The causes that add most to it, largest magnitude first. All causes together sum to the value, with the sign
        that the load has there: those of a resultant are measured along its direction.

        >>> import loadpath as lp
        >>> found = lp.catalog.planar(2).worst_case("joint1", "drive", over=lp.Box(qd=0), sense="max")
        >>> [(part.cause, round(part.value, 3)) for part in found.top(2)]
        [('gravity link2', 14.715), ('gravity link1', 4.905)]
        """
        loads = self.breakdown
        assert self.robot is not None
        causes: dict[Any, Any] = causes_of(self.robot, loads, self.name, self.quantity)
        return ranked(causes, count)

    def _verdict(self) -> str:
        what = "at least" if self.sense == "min" else "at most"
        if self.certified:
            return f"certified: {what} {self.bound:.6g} {self.unit} in every state of the box".replace("  ", " ")
        if not math.isfinite(self.bound):
            return "not certified: without a bound"
        gap = f"{100 * self.relative_gap:.3g} %" if self.relative_gap < MANIFOLD else f"{self.gap:.3g} {self.unit}"
        return f"not certified: {what} {self.bound:.6g} {self.unit}, a gap of {gap}"

    def _table(self) -> Table:
        word = {"magnitude": "largest magnitude", "max": "largest", "min": "smallest"}[self.sense]
        also = "".join(f"; {printable(name)} {x:.6g}" for name, x in self.also.items())
        title = (f"{self.quantity.replace('_', ' ')} of '{printable(self.name)}', {word}: {self.value:.6g} "
                 f"{self.unit}; {self._verdict()} ({self.boxes} boxes, {self.seconds:.2g} s; best of {self.samples} "
                 f"samples: {self.largest_sample:.6g}){also}")
        rows = [[printable(name), *(f"{x:.6g}" for x in row)]
                for name, *row in zip(self.dof_names, *self.state, strict=True)]
        return Table(title, ["degree of freedom", "q", "qd", "qdd"], rows)

    def to_table(self) -> str:
        """The value, the bound and the state as text."""
        table = self._table()
        return f"{table.title}\n{table.text()}"

    def to_dict(self) -> dict[str, object]:
        """Value, bound and state as plain numbers, for JSON: a bound that is none is None."""
        numbers = {"value": self.value, "bound": self.bound, "ratio": self.ratio, "largest_sample": self.largest_sample}
        return {
            "name": self.name, "quantity": self.quantity, "sense": self.sense, "unit": self.unit,
            **{name: x if np.isfinite(x) else None for name, x in numbers.items()},
            "tolerance": self.tolerance, "certified": self.certified, "boxes": self.boxes, "seconds": self.seconds,
            **{part: dict(zip(self.dof_names, values.tolist(), strict=True))
               for part, values in zip(("q", "qd", "qdd"), self.state, strict=True)},
            "also": dict(self.also),
        }

    def _repr_html_(self) -> str:
        return self._table().html()

    def __repr__(self) -> str:
        return (f"<worst case of '{printable(self.name)}': {self.quantity} {self.value:.6g} {self.unit}, "
                f"{self._verdict()}>")
