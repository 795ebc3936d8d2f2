"""Two designs over one motion side by side: `lp.compare(first, second, motion)`. The peaks of every joint and drive,
the utilisation of every check, and the causes by which they differ.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.digits import percent
from loadpath.loads.peaks.result import PeakLoads, peak_loads
from loadpath.motion import DutySpectrum, Motion
from loadpath.parts.verdict.table import is_alarming
from loadpath.printable import printable, printable_lines
from loadpath.progress import each, part
from loadpath.quantities.table import R, R_co
from loadpath.quantities.wrench import Wrench
from loadpath.report.basis import mounting
from loadpath.report.blocks import MINUS, NONE, Block, Facts, Figure, Section, Table, Text, listed, number, seconds
from loadpath.report.closed import counts
from loadpath.report.collecting import collected_warnings, one_a_kind
from loadpath.report.fastest import Asked, fastest_compared, fastest_figure, fastest_section, found_on
from loadpath.report.report import Report
from loadpath.report.verdict import judged
from loadpath.robot.model import RobotModel
from loadpath.simulate.base_state import BaseState
from loadpath.states import LoadCase, MotionLike, as_motion
from loadpath.states.keywords import needs_robot

if TYPE_CHECKING:
    from pandas import DataFrame

    from loadpath.fastest.infeasible import NoMotionError
    from loadpath.fastest.result import Fastest
    from loadpath.parts.verdict.exceptions import ExceptionalCase
    from loadpath.parts.verdict.result import Verdict, VerdictRow

OF_WHEELS = ("normal",)
QUANTITIES = ("drive", "power", "axial_force", "radial_force", "tilting_moment", *OF_WHEELS)
WITHOUT_CAUSES = ("power", *OF_WHEELS)
SMALL = 1e-9
CHANGED = 0.01
"""A difference smaller than this share is called none."""
MOST_CAUSES = 3


class CauseChange(NamedTuple):
    """What a cause adds to a peak in both designs; of a cause that one of them has not, zero there."""

    cause: str
    first: float
    second: float

    @property
    def change(self) -> float:
        """Second less first."""
        return self.second - self.first


@dataclass(frozen=True, eq=False)
class Compared:
    """One quantity of one joint or drive in both designs: values of largest magnitude, with their signs."""

    name: str
    quantity: str
    unit: str
    first: float
    second: float
    first_time: float | None
    second_time: float | None
    _peaks: tuple[PeakLoads, PeakLoads]

    @property
    def change(self) -> float:
        """How much larger the second is in magnitude, as a share of the first; infinite where the first is zero."""
        a, b = abs(self.first), abs(self.second)
        return 0.0 if a < SMALL and b < SMALL else (b - a) / a if a >= SMALL else math.inf

    @cached_property
    def causes(self) -> list[CauseChange]:
        """All causes at the two peaks, each of its own instant: those of `first` sum to it, those of `second` to it.
        The largest change comes first. Power has none.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)
        >>> level = lp.Motion([0, 1], [[0, 0], [0, 0]], [[0, 0], [0, 0]], [[0, 0], [0, 0]], robot=arm)
        >>> row = lp.compare(arm, arm.with_payload(1.0), level)["joint1", "drive"]
        >>> [(part.cause, round(part.change, 3)) for part in row.causes[:1]]
        [('gravity payload', 19.62)]
        """
        if self.quantity in WITHOUT_CAUSES:
            return []
        parts: list[dict[str, float]] = []
        for peaks in self._peaks:
            every = peaks[self.name, self.quantity].peak.top(10**6)
            parts.append({part.cause: part.value for part in every})
        names = dict.fromkeys([*parts[0], *parts[1]])
        found = [CauseChange(name, parts[0].get(name, 0.0), parts[1].get(name, 0.0)) for name in names]
        return sorted(found, key=lambda part: -abs(part.change))


class ComparedCheck(NamedTuple):
    """The utilisation of one check in both designs; NaN where it was not made."""

    part: str
    """At that place; of parts with two names both, as "CSG-25, CSG-32"."""
    joint: str
    check: str
    first: float
    second: float


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Generic[R_co]):
    """Two designs over one motion. `rows` are loads, `checks` the utilisation of parts and limits; `print` shows a
    table, `report()` a page.
    """

    robots: tuple[R_co, R_co]
    motions: tuple[Motion | DutySpectrum, Motion | DutySpectrum]
    rows: tuple[Compared, ...]
    checks: tuple[ComparedCheck, ...]
    warnings: tuple[str, ...]
    labels: tuple[str, str]
    only_first: tuple[str, ...]
    """Joints that the second design does not have."""
    only_second: tuple[str, ...]
    verdicts: tuple[Verdict | None, Verdict | None]
    """On each design; None of one that has neither parts nor limits."""
    fastest: tuple[Fastest | NoMotionError, Fastest | NoMotionError] | None = None
    """The fastest motion of each on the path of its motion, or why there is none; None unless it was asked for."""

    def __getitem__(self, key: tuple[str, str]) -> Compared:
        name, quantity = key
        for row in self.rows:
            if (row.name, row.quantity) == (name, quantity):
                return row
        raise ValueError(f"no '{quantity}' of '{name}' in both designs; there are {', '.join(QUANTITIES)} of "
                         f"{listed(list(dict.fromkeys(row.name for row in self.rows)))}")

    __iter__ = None

    def to_dataframe(self) -> DataFrame:
        """A pandas data frame with a row for each quantity: both values, the change, the cause that changed most."""
        from pandas import DataFrame

        return DataFrame([
            {"name": row.name, "quantity": row.quantity, "unit": row.unit, "first": row.first, "second": row.second,
             "change": row.change, "mostly_from": row.causes[0].cause if row.causes else ""}
            for row in self.rows
        ])

    def __repr__(self) -> str:
        return printable(f"<comparison of '{self.labels[0]}' and '{self.labels[1]}': {len(self.rows)} loads, "
                         f"{len(self.checks)} checks>")

    def __str__(self) -> str:
        """The loads and checks as a table of text."""
        parts = [*self._verdict_lines(), ""]
        for table in self._tables():
            parts += [table.title, table.text(), ""]
        return printable_lines("\n".join(parts).rstrip())

    def _repr_html_(self) -> str:
        return "".join(table.html() for table in self._tables())

    def _verdict_lines(self) -> list[str]:
        """What the verdict on each design says, in one line each."""
        return [f"{label}: {'no parts and no limits to judge' if verdict is None else verdict.summary}"
                for label, verdict in zip(self.labels, self.verdicts, strict=True)]

    def report(self, title: str | None = None) -> Report:
        """The comparison as a page: `.save("compare.html")` or `.pdf`."""
        a, b = self.labels
        facts = [(label, f"{counts(robot)}, {number(sum(link.inertia.mass for link in robot.links))} kg; gravity "
                         f"{mounting(robot)}; {_over(motion)}")
                 for label, robot, motion in zip(self.labels, self.robots, self.motions, strict=True)]
        only = [f"Only {label} has {listed(list(names))}." for label, names in
                ((a, self.only_first), (b, self.only_second)) if names]
        said = [Text(line) for line in self._verdict_lines()]
        blocks: list[Block] = [*said, Facts("", facts), *(Text(text) for text in only), *self._tables()]
        first = Section(
            "Comparison", f"{a} and {b}, each over its motion.", blocks, self._figures(), list(self.warnings)
        )
        details = [Section("Causes that changed", CAUSES, [self._causes()])]
        for found, label, motion in zip(self.fastest or (), self.labels, self.motions, strict=False):
            details.append(fastest_section(found, motion.duration, f"Fastest motion of {label}"))
        return Report(title or f"{a} and {b}", "Two designs side by side.", [first, *details], self.warnings)

    def _figures(self) -> list[Figure]:
        figures = []
        for quantity, words in (("drive", "drive load"), ("tilting_moment", "tilting moment")):
            rows = [row for row in self.rows if row.quantity == quantity and math.isfinite(row.change)]
            sizes = [max(abs(row.first), abs(row.second)) for row in rows]
            rows = [row for row, size in zip(rows, sizes, strict=True) if size > CHANGED * max(sizes, default=0.0)]
            if rows:
                row = max(rows, key=lambda row: abs(row.change))
                note = f"{row.name}: {number(row.first)} and {number(row.second)} {row.unit}"
                figures.append(Figure(f"Largest change of a {words}", _percent(row.change), note))
        for label, verdict in zip(self.labels, self.verdicts, strict=True):
            if verdict is None:
                continue
            note = f"{verdict.counts}; {verdict.basis}"
            figures.append(Figure(f"Verdict on {label}", verdict.outcome, note, is_alarming(verdict)))
            if verdict.worst is not None:
                worst = verdict.worst
                figures.append(Figure(f"Limiting {label}", percent(worst.utilisation), worst.words, not worst.holds))
        for label, found in zip(self.labels, self.fastest or (), strict=False):
            figures.append(fastest_figure(label, found))
        return figures

    def _tables(self) -> list[Table]:
        a, b = self.labels
        rows: list[list[str | tuple[str, str]]] = [
            [row.name, row.quantity.replace("_", " "), row.unit, (number(row.first), seconds(row.first_time)),
             (number(row.second), seconds(row.second_time)), _percent(row.change), self._mostly(row)]
            for row in self.rows
        ]
        columns = ["joint", "quantity", "unit", a, b, "change", "mostly from"]
        note = "Values of largest magnitude with their times; the change is that of the magnitude."
        tables = [Table("Loads", columns, rows, note, left=3, right=1)]
        if self.checks:
            shares: list[list[str | tuple[str, str]]] = [
                [check.part, check.joint, check.check, _utilisation(check.first), _utilisation(check.second)]
                for check in sorted(self.checks, key=lambda check: -np.nanmax([check.first, check.second, -1.0]))
            ]
            tables.append(Table("Utilisation", ["part", "joint", "check", a, b], shares, left=3))
        if self.fastest is not None:
            tables.append(fastest_compared(self.labels, self.fastest))
        return tables

    def _mostly(self, row: Compared) -> str:
        if abs(row.change) < CHANGED or not row.causes:
            return ""
        part = row.causes[0]
        return f"{part.cause} ({_signed(part.change)})"

    def _causes(self) -> Table:
        rows: list[list[str | tuple[str, str]]] = []
        for row in self.rows:
            if abs(row.change) >= CHANGED:
                for k, part in enumerate(row.causes[:MOST_CAUSES]):
                    name, quantity = (row.name, row.quantity.replace("_", " ")) if k == 0 else ("", "")
                    rows.append(
                        [name, quantity, part.cause, number(part.first), number(part.second), _signed(part.change)]
                    )
        a, b = self.labels
        return Table("By cause", ["joint", "quantity", "cause", a, b, "change"], rows, left=3)


CAUSES = (
    "Of every load that differs by 1 % or more, the three causes that changed most, each at the instant of its own "
    "design's peak. All causes of a load sum to it, so their changes sum to the change of the load."
)


def _percent(change: float) -> str:
    if math.isinf(change):
        return "new"
    return "0 %" if abs(change) < 5e-4 else f"{'+' if change > 0 else MINUS}{abs(100 * change):.3g} %"


def _utilisation(share: float) -> str:
    return NONE if math.isnan(share) else percent(share)


def _signed(value: float) -> str:
    return f"+{number(value)}" if value > SMALL else number(value)


class Design(NamedTuple):
    """A robot or rover, what it does, and what acts on it."""

    subject: Any
    motion: Motion | MotionLike | DutySpectrum
    acting: Mapping[str, Any]
    """Keywords of its functions: `external`, and of a rover how its base moves."""
    exceptions: Sequence[ExceptionalCase] = ()


def compare(
    first: R,
    second: R,
    motion: Motion | MotionLike | DutySpectrum | None = None,
    second_motion: Motion | MotionLike | DutySpectrum | None = None,
    *,
    external: Mapping[str, Wrench] | None = None,
    hours: float | None = None,
    labels: Sequence[str] | None = None,
    fastest: Asked = False,
    base: BaseState | None = None,
) -> Comparison[R]:
    """Two designs over one motion or duty spectrum (without one, a swing of the first), or each over its own
    (`second_motion`): the peaks of the drives and bearings that both have, by joint names, the utilisation of their
    parts and limits, and the causes by which they differ. Parts are paired by their place: gears of a joint with each
    other, whatever their names. `external` acts on both; the bases of rovers move as `base` says, like
    `base={"acceleration": (0.5, 0)}`; `hours` is the life that parts shall have. `fastest=True` (or limits, as
    `robot.fastest` takes them) compares the fastest motions on the same path as well.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> found = lp.compare(arm, arm.with_payload(0.5), labels=("empty", "loaded"))
    >>> found["joint1", "drive"].change > 0.3
    True
    """
    for subject in (first, second):
        needs_robot(subject, "compare")
    motion = Motion.swing(first) if motion is None else motion
    acting = {**(base or {}), "external": external}
    designs = Design(first, motion, acting), Design(second, second_motion or motion, acting)
    return compared(*designs, hours, labels, fastest)


def compared(
    first: Design, second: Design, hours: float | None = None, labels: Sequence[str] | None = None,
    fastest: Asked = False,
) -> Comparison[Any]:
    """Two designs, each with what acts on it."""
    designs = (first, second)
    robots: tuple[Any, Any] = first.subject, second.subject
    motions = _read(first), _read(second)
    # A simulation of a rover has the motion of its base.
    moved: list[Any] = [
        one.motion if one.subject.on_wheels and hasattr(one.motion, "base_state") else own
        for one, own in zip(designs, motions, strict=True)
    ]
    cases = [LoadCase(one.acting.get("external")) for one in designs]
    with collected_warnings() as said:
        with part(0.5):
            peaks = tuple(_peaks(*one) for one in each(list(zip(designs, moved, cases, strict=True))))
        with part(0.4):
            found = [_judged(*one, hours) for one in each(list(zip(designs, moved, cases, strict=True)))]
    names = _labels(robots, labels)
    rows = []
    for quantity in QUANTITIES:
        there = [_names(part, quantity) for part in peaks]
        for name in (name for name in there[0] if name in there[1]):
            both = [part[name, quantity] for part in peaks]
            if any(math.isnan(part.magnitude) for part in both) or both[0].unit != both[1].unit:
                continue
            values = [part.peak for part in both]
            rows.append(Compared(name, quantity, both[0].unit, values[0].value, values[1].value, values[0].time,
                                 values[1].time, (peaks[0], peaks[1])))
    if not rows:
        names_of = [listed(_everything(part)) for part in peaks]
        raise ValueError(f"robots '{robots[0].name}' and '{robots[1].name}' have no joint or drive in common: "
                         f"{names_of[0]} and {names_of[1]}")
    order = {name: k for k, name in enumerate(_everything(peaks[0]))}
    rows.sort(key=lambda row: (order[row.name], QUANTITIES.index(row.quantity)))
    only = [tuple(name for name in a.joint_names if name not in b.joint_names) for a, b in (robots, robots[::-1])]
    quickest = None
    if fastest is not False:
        quickest = tuple(found_on(one.subject, one.motion, fastest, _given(one.acting)) for one in designs)
    return Comparison(robots, motions, tuple(row for row in rows if _carries(row)), tuple(_checks(*found)),
                      tuple(one_a_kind(said)), names, only[0], only[1], (found[0], found[1]),
                      None if quickest is None else (quickest[0], quickest[1]))


def _read(one: Design) -> Motion | DutySpectrum:
    if isinstance(one.motion, DutySpectrum):
        return one.motion
    return as_motion(one.subject, one.motion, "compare", counts_loads=True)


def _over(motion: Motion | DutySpectrum) -> str:
    """What a design does, in words."""
    if isinstance(motion, DutySpectrum):
        return f"duty of {len(motion)} cycles, {repr(motion).partition(': ')[2].rstrip('>')}"
    return f"motion of {motion.duration:.4g} s, {len(motion):,} samples"


def _names(peaks: PeakLoads, quantity: str) -> tuple[str, ...]:
    """What has such a quantity."""
    if quantity in OF_WHEELS:
        return peaks.contact_names
    return peaks.drive_names if quantity in ("drive", "power") else peaks.joint_names


def _everything(peaks: PeakLoads) -> list[str]:
    return list(dict.fromkeys((*peaks.joint_names, *peaks.dof_names, *peaks.contact_names)))


def _peaks(one: Design, motion: Any, case: LoadCase) -> PeakLoads:
    """Those of a robot; of one on wheels while its base moves."""
    if one.subject.on_wheels:
        return one.subject.peak_loads(motion, **_given(one.acting))  # type: ignore[no-any-return]
    return peak_loads(one.subject, motion, under=case)


def _judged(one: Design, motion: Any, case: LoadCase, hours: float | None) -> Verdict | None:
    if one.subject.on_wheels:
        return one.subject.verdict(motion, hours=hours, **_given(one.acting))  # type: ignore[no-any-return]
    return judged(one.subject, motion, case, hours, one.exceptions)


def _given(acting: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in acting.items() if value is not None}


def _checks(first: Verdict | None, second: Verdict | None) -> list[ComparedCheck]:
    """Checks of both, those of parts at the same place together."""
    shares, called = ([], [])
    for verdict in (first, second):
        rows = () if verdict is None else verdict.checks
        place = _places(rows)
        shares.append({(row.joint, place[row.joint, row.part], row.named_check): row.utilisation for row in rows})
        called.append({(row.joint, place[row.joint, row.part]): row.part for row in rows})
    found = []
    for key in dict.fromkeys([*shares[0], *shares[1]]):
        joint, slot, check = key
        names = dict.fromkeys(one[joint, slot] for one in called if (joint, slot) in one)
        found.append(ComparedCheck(", ".join(names), joint, check, *(share.get(key, math.nan) for share in shares)))
    return found


def _places(rows: Sequence[VerdictRow]) -> dict[tuple[str, str], tuple[str, int]]:
    """By joint and name of a part what it is, the last word of its kind, and the how many of those there it is: the
    first gear of joint2, whoever made it.
    """
    found: dict[tuple[str, str], tuple[str, int]] = {}
    count: dict[tuple[str, str], int] = {}
    for row in rows:
        if (row.joint, row.part) not in found:
            what = (row.kind or row.part).rpartition(" ")[2]
            k = count.get((row.joint, what), 0)
            found[row.joint, row.part], count[row.joint, what] = (what, k), k + 1
    return found


def _carries(row: Compared) -> bool:
    return max(abs(row.first), abs(row.second)) > SMALL


def _labels(robots: tuple[RobotModel, RobotModel], given: Sequence[str] | None) -> tuple[str, str]:
    if given is not None:
        if isinstance(given, str) or len(given) != 2:
            raise ValueError(f"labels are {given!r}: expected two names, like labels=('before', 'after')")
        return str(given[0]), str(given[1])
    a, b = (robot.name for robot in robots)
    return (a, b) if a != b else (f"{a} (first)", f"{b} (second)")
