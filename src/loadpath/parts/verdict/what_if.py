"""What if it carried more, or moved faster? The same states judged again, with a payload added or at another pace.

Slopes are differences of exact evaluations: by payload one-sided, of second order, (-3 u(0) + 4 u(h) - u(2h)) / 2h with
h a thousandth of the robot's mass, so that they are those of *more* payload; by speed central, of the factor 1 +- 1e-3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from loadpath.loads.payload import free_payload_name
from loadpath.printable import printable
from loadpath.robot.units import tried_loads
from loadpath.tables import Table, data_frame

if TYPE_CHECKING:
    from pandas import DataFrame

    from loadpath.parts.verdict.result import Verdict

MASS_STEP = 1e-3
"""Of the robot's mass."""
SPEED_STEP = 1e-3
ROUNDING = 1e-13
"""Of a utilisation."""


class Slope(NamedTuple):
    """How a utilisation changes."""

    joint: str
    part: str
    check: str
    utilisation: float
    payload: float
    """Per kg of payload; NaN if it was not asked for, or the row was not checked."""
    speed: float
    """Per unit of the speed's factor."""


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity:
    """Slopes of all utilisations, in the order of the verdict's rows: `slopes["joint2", "effort"].payload`.

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda()
    >>> slopes = arm.verdict(lp.Motion.swing(arm)).sensitivity(payload=False)
    >>> round(slopes["panda_joint1", "speed"].speed, 6)
    0.8
    """

    slopes: tuple[Slope, ...]
    mass_step: float
    """kg, of the differences."""
    speed_step: float

    def __iter__(self) -> Iterator[Slope]:
        return iter(self.slopes)

    def __len__(self) -> int:
        return len(self.slopes)

    def __getitem__(self, key: tuple[str, ...]) -> Slope:
        """By joint and check, or joint, part and check."""
        found = [slope for slope in self.slopes if key in ((slope.joint, slope.check), slope[:3])]
        if len(found) != 1:
            raise ValueError(f"{len(found)} rows are {key!r}: expected joint and check, or joint, part and check")
        return found[0]

    def _table(self) -> Table:
        ranked = sorted(self.slopes, key=lambda slope: (math.isnan(slope.utilisation), -slope.utilisation))
        rows = [
            [printable(slope.joint), printable(slope.part), printable(slope.check),
             *("" if math.isnan(x) else f"{x:.4g}" for x in slope[3:])]
            for slope in ranked
        ]
        return Table("Slopes of the utilisations", _COLUMNS, rows, left=3)

    def __str__(self) -> str:
        return self._table().text(rule="")

    def __repr__(self) -> str:
        return f"<slopes of {len(self)} utilisations>"

    def _repr_html_(self) -> str:
        return self._table().html()

    def to_dataframe(self) -> DataFrame:
        """A pandas data frame with a row for each check."""
        return data_frame(self.slopes, Slope._fields)


_COLUMNS = ["joint", "part", "check", "used", "per kg", "per speed"]


def sensitivity(
    verdict: Verdict,
    *,
    payload: bool = True,
    speed: bool = True,
    link: str | None = None,
    center_of_mass: Sequence[float] | None = None,
) -> Sensitivity:
    """Slopes of all utilisations. The payload is a point mass on `link` at `center_of_mass` (m, in its frame): without
    them at the mass center of the payload that there is, else at the origin of the arm's end. Rows of exceptional cases
    are left out.
    """
    step = MASS_STEP * sum(part.inertia.mass for part in verdict.robot.links)
    nothing = [math.nan] * len(verdict.of_duty)
    by_mass, by_speed = nothing, nothing
    if payload and step > 0:
        at = [_used(verdict, again(verdict, mass=k * step, link=link, center_of_mass=center_of_mass)) for k in (1, 2)]
        by_mass = [_slope(4 * (one - row.utilisation) - (two - row.utilisation), 2 * step)
                   for row, one, two in zip(verdict.of_duty, *at, strict=True)]
    if speed:
        ends = [_used(verdict, again(verdict, pace=1 + sign * SPEED_STEP)) for sign in (-1, 1)]
        by_speed = [_slope(high - low, 2 * SPEED_STEP) for low, high in zip(*ends, strict=True)]
    slopes = [Slope(row.joint, row.part, row.check, row.utilisation, mass, pace)
              for row, mass, pace in zip(verdict.of_duty, by_mass, by_speed, strict=True)]
    return Sensitivity(tuple(slopes), step, SPEED_STEP)


def _slope(difference: float, step: float) -> float:
    """A difference over its step; one of rounding is none."""
    return 0.0 if abs(difference) < ROUNDING else difference / step


def _used(verdict: Verdict, other: Verdict) -> list[float]:
    """Utilisations of another verdict in the order of this one's rows; NaN where it has no such row."""
    found = {(row.joint, row.part, row.check): row.utilisation for row in other.of_duty}
    return [found.get((row.joint, row.part, row.check), math.nan) for row in verdict.of_duty]


def again(
    verdict: Verdict,
    *,
    mass: float = 0.0,
    pace: float = 1.0,
    link: str | None = None,
    center_of_mass: Sequence[float] | None = None,
) -> Verdict:
    """The verdict on the same states with a payload added, or at another pace."""
    more = None
    if mass:
        key = link, None if center_of_mass is None else tuple(float(x) for x in center_of_mass)
        if key not in verdict.units:
            verdict.units[key] = heavier(verdict.subject, 1.0, link, center_of_mass)
        more = Payload(verdict.units[key], mass, heavier(verdict.subject, mass, link, center_of_mass))
    duties = verdict.duties
    if pace != 1.0:
        duties = tuple(duty.at_pace(verdict.robot, pace) for duty in duties)
    return verdict.judge(verdict.subject, duties, verdict.asked, more)


class Payload(NamedTuple):
    """A payload more: the robot (or rover) with 1 kg of it, its mass in kg, and the robot with all of it."""

    unit: Any
    mass: float
    actual: Any


def carrying_link(subject: Any, link: str | None, center_of_mass: Sequence[float] | None) -> str:
    """The link that a payload more is on."""
    before = getattr(subject, "robot", subject)
    made = heavier(subject, 1.0, link, center_of_mass)
    after = getattr(made, "robot", made)
    return str(next(joint.parent for joint in after.joints if joint.child not in before.link_names))


def heavier(subject: Any, mass: float, link: str | None, center_of_mass: Sequence[float] | None) -> Any:
    """The robot, or rover, with a point mass more: by a name that no link has."""
    robot = getattr(subject, "robot", subject)
    if link is None and center_of_mass is None and "payload" in robot.link_names:
        link, center_of_mass = "payload", robot.link("payload").inertia.center_of_mass
    center = (0.0, 0.0, 0.0) if center_of_mass is None else center_of_mass
    with tried_loads():
        return subject.with_payload(mass, center, link=link, name=free_payload_name(robot))
