"""What a verdict says: a row for every check of every part, the worst of them, what was not checked, and the causes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from loadpath.bounds.result import WorstCase
from loadpath.cached import cached_property
from loadpath.digits import life_words, percent
from loadpath.loads.breakdown.result import Contribution, LoadBreakdown, ranked
from loadpath.loads.resultants import effort_limits
from loadpath.loads.tip.spring import OnWheels
from loadpath.parts.load_cases import LoadCases, verdict_load_cases
from loadpath.parts.part import Check
from loadpath.parts.verdict import table, what_if
from loadpath.parts.verdict.basis import Basis, basis_of, causes_of
from loadpath.parts.verdict.limits import LABEL
from loadpath.parts.verdict.pedigree import rests_on
from loadpath.printable import printable
from loadpath.quantities.load_index import Cause, cause_label
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Bools
from loadpath.states import LoadCase
from loadpath.states.unknown import count_words

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

    from loadpath.parts.verdict.duties import Duty
    from loadpath.parts.verdict.exceptions import Exceptional
    from loadpath.parts.verdict.limits import TipError
    from loadpath.parts.verdict.what_if import Sensitivity
    from loadpath.quantities.table import RobotQuantities


Judge: TypeAlias = "Callable[[Any, tuple[Duty, ...], Asked, what_if.Payload | None], Verdict]"


@dataclass(frozen=True, eq=False)
class Asked:
    """What a verdict was asked for beside the motion."""

    case: LoadCase
    hours: float | None
    """Life that is asked for."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class VerdictRow(Check):
    """One check of one part: a demand against a capacity, and when and why it is decided.

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda()
    >>> row = arm.verdict(lp.Motion.swing(arm))["panda_joint1", "speed"]
    >>> row.part, round(row.demand, 6), row.capacity, row.unit, row.holds
    ('limits', 1.74, 2.175, 'rad/s', True)
    """

    part: str
    """The user's name of the part, or its kind; "limits" for those of the robot itself."""
    joint: str
    """Where it sits: a joint, a loop, a degree of freedom, a link of a flexible arm, a wheel."""
    kind: str = ""
    """Of the part, as "crossed roller bearing"."""
    case: str = ""
    """The exceptional case that it is of; nothing of the duty."""
    _of: Verdict | None = field(default=None)
    __eq__, __hash__ = object.__eq__, object.__hash__  # a row is itself, though others have the same numbers

    @property
    def is_load(self) -> bool:
        """Whether it is about a load: a speed or a position that is near its limit loads nothing."""
        return self.part != LABEL or self.check not in ("speed", "position")

    @property
    def words(self) -> str:
        """What was checked, and where: "speed limit of 'joint1'"."""
        words = table.row_words(self.part, self.joint, self.check, self.kind)
        return f"{words} in {self.case}" if self.case else words

    @property
    def named_check(self) -> str:
        """The check, with the exceptional case that it is of."""
        return f"{self.check} ({self.case})" if self.case else self.check

    @property
    def spread(self) -> float | None:
        """Standard deviation of its utilisation, of a verdict of `lp.uncertainty`; None where it is not known.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(1).with_limits({"joint1": lp.Limits(effort=10.0)})
        >>> held = ([[0.0]], [[0.0]], [[0.0]])
        >>> round(lp.uncertainty(arm, held, lp.Tolerances(0.03, 0.02)).verdict["joint1", "effort"].spread, 6)
        0.024525
        """
        return None if self.case else self._verdict.spreads.get((self.joint, self.part, self.check))

    @property
    def rests_on(self) -> str:
        """What of it is an estimate or a default, in words: "data estimated, by default reliability 0.9"; empty where
        nothing is known to be.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(1).with_limits({"joint1": lp.Limits(effort=30.0, guess=True)})
        >>> arm.verdict(lp.Motion.swing(arm))["joint1", "effort"].rests_on
        'limits are a guess'
        """
        return rests_on(self._verdict, self)

    @property
    def causes(self) -> dict[str, float]:
        """For each cause what it adds at the instant that decides, in the unit of a load; of a peak they sum to the
        demand, of a mean or a life to the load of that instant.
        """
        return {cause_label(cause): value for cause, value in causes_of(self._verdict, self).items()}

    def top(self, count: int = 3) -> list[Contribution]:
        """The causes that add most, largest magnitude first.

        >>> import loadpath as lp
        >>> arm = lp.catalog.panda()
        >>> row = arm.verdict(lp.Motion.swing(arm))["panda_joint2", "effort"]
        >>> [part.cause for part in row.top(2)]
        ['gravity panda_link6', 'gravity panda_link4']
        """
        return ranked(causes_of(self._verdict, self), count)

    @property
    def _verdict(self) -> Verdict:
        if self._of is None:
            raise ValueError(f"{self.words} belongs to no verdict")
        return self._of

    def __repr__(self) -> str:
        return printable(f"<{self}>")

    def __str__(self) -> str:
        """In words."""
        name = self.words
        life = "" if self.life_hours is None else f", life {life_words(self.life_hours)} h"
        if not self.checked:
            return f"{name}{life}: {self.note}" if self.note else f"{name}{life}"
        when = "" if self.at is None else f" at {table.when(self)}"
        demand, capacity, unit = table.shown_sizes(self)
        return f"{name}: {demand} of {capacity} {unit}, {percent(self.utilisation)}{life}{when}"


@dataclass(frozen=True, eq=False, repr=False)
class Verdict:
    """Does every part hold, for how long, what limits it, and what caused that?

    `checks` has a row for every check of every part, and for the robot's own limits; `print(verdict)` shows them as a
    table, the most utilised first. A check that could not be made is a row that says why, and a verdict with such rows
    does not claim that the robot holds; neither does one over states that are not numbers.

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda()
    >>> found = arm.verdict(lp.Motion.swing(arm))
    >>> found.worst
    <speed limit of 'panda_joint1': 1.74 of 2.175 rad/s, 80.0 % at 0.6466 s>
    >>> found.not_checked
    ()
    >>> found.headline
    'no limit exceeded over a demo swing of 1.293 s: 21 checks; no parts given'
    """

    checks: tuple[VerdictRow, ...]
    robot: RobotQuantities
    duties: tuple[Duty, ...]
    """The motions that it went through, with their shares."""
    asked: Asked
    unknown: tuple[Bools, ...]
    """Of each motion, (samples,): which states are not numbers. They are left out, and the verdict does not hold."""
    judge: Judge = field(repr=False)
    """What made it of a robot (or rover), its duties, what was asked and a payload more: asked again for what-ifs."""
    subject: RobotModel | OnWheels | None = None
    """The robot, or the rover that carries it."""
    tip_error: TipError | None = None
    """How far the end of the arm is off by the twist of gears whose stiffness is given."""
    on_ground: Callable[[VerdictRow], dict[Cause, float]] | None = field(default=None, repr=False)
    """Of a rover, what caused a row of its wheels or of its tipping over."""
    exceptions: tuple[Exceptional, ...] = ()
    """Exceptional cases, whose rows are among `checks` with their names; each has a verdict and more of its own."""
    spreads: Mapping[tuple[str, str, str], float] = field(default_factory=dict, repr=False)
    """Standard deviations of utilisations, by joint, part and check, where they are known: of `lp.uncertainty`."""
    worst_cases: tuple[WorstCase, ...] = ()
    """Over a box of states: the worst case of each load, with what bounds it in all of the box."""

    @property
    def effort_certified(self) -> bool | None:
        """Over a box of states, whether no drive exceeds its limit of effort in any of them; None over a motion, and
        where no limits are known.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_limits({"joint1": lp.Limits(effort=20.0)})
        >>> arm.verdict(over=lp.Box(qd=0)).effort_certified
        True
        """
        limits = dict(zip(self.robot.dof_names, effort_limits(self.robot).tolist(), strict=True))
        bounds = [(one.bound, limits[one.name]) for one in self.worst_cases if one.quantity == "drive"]
        known = [bound <= limit for bound, limit in bounds if math.isfinite(limit)]
        return all(known) if known else None

    def __post_init__(self) -> None:
        own = tuple(row if row.case else replace(row, _of=self) for row in self.checks)
        object.__setattr__(self, "checks", own)
        object.__setattr__(self, "subject", self.robot if self.subject is None else self.subject)

    @cached_property
    def basis(self) -> Basis:
        """What it rests on: which motion, whether parts were given, which numbers are guesses."""
        return basis_of(self)

    @cached_property
    def breakdowns(self) -> dict[tuple[int, int, bool], LoadBreakdown]:
        """Breakdowns by cause that were made, by motion, sample and whether of the same pose at rest."""
        return {}

    @cached_property
    def units(self) -> dict[Any, Any]:
        """The subject with one kilogram more, by link and mass center: made once, so that it is compiled once."""
        return {}

    # What it says

    @property
    def name(self) -> str:
        """Of the robot, or of the rover that carries it."""
        return str(getattr(self.subject, "name", self.robot.name))

    @property
    def hours(self) -> float | None:
        """Life that was asked for."""
        return self.asked.hours

    @cached_property
    def ranked(self) -> tuple[VerdictRow, ...]:
        """All rows that were checked, the most utilised first."""
        return tuple(sorted((row for row in self.checks if row.checked), key=lambda row: -row.utilisation))

    @property
    def worst(self) -> VerdictRow | None:
        """The row of the largest utilisation; None if nothing could be checked."""
        return self.ranked[0] if self.ranked else None

    @property
    def limiting(self) -> VerdictRow | None:
        """What limits first: the same as `worst`, the check that is reached first if all demands grow alike."""
        return self.worst

    @property
    def shortest_life(self) -> VerdictRow | None:
        """The row of the shortest life; None without any."""
        lives = [row for row in self.checks if row.life_hours is not None]
        return min(lives, key=lambda row: row.life_hours or 0.0) if lives else None

    @cached_property
    def of_duty(self) -> tuple[VerdictRow, ...]:
        """Rows of the motions themselves, without those of exceptional cases."""
        return tuple(row for row in self.checks if not row.case)

    @cached_property
    def not_checked(self) -> tuple[VerdictRow, ...]:
        """Rows of checks that could not be made; their notes say why and what to give."""
        return tuple(row for row in self.checks if not row.checked and row.life_hours is None and not row.not_given)

    @cached_property
    def not_given(self) -> tuple[VerdictRow, ...]:
        """Rows of emergencies that nobody described: of gears without an `emergency_torque`, where no `exceptions` are
        given either.
        """
        return tuple(row for row in self.checks if row.not_given)

    @cached_property
    def failing(self) -> tuple[VerdictRow, ...]:
        """Rows that were checked and do not hold, the most utilised first."""
        return tuple(row for row in self.ranked if not row.holds)

    @property
    def holds(self) -> bool:
        """Whether everything was checked and holds: no failing row, none that was not checked or is of an emergency
        that nobody described, no state that is not a number.
        """
        return self.holds_in_duty and not self.not_given

    @property
    def holds_in_duty(self) -> bool:
        """Whether everything holds but what is not known of emergencies."""
        return bool(self.ranked) and not (self.failing or self.not_checked or self.unknown_count)

    @property
    def unknown_count(self) -> int:
        """How many states are not numbers."""
        return int(sum(np.count_nonzero(bad) for bad in self.unknown))

    @property
    def open_count(self) -> int:
        """How many checks could not be made, those of emergencies included."""
        return len(self.not_checked) + len(self.not_given)

    @property
    def motions(self) -> int:
        """How many motions it went through."""
        return len(self.duties)

    def __len__(self) -> int:
        return len(self.checks)

    def __iter__(self) -> Iterator[VerdictRow]:
        return iter(self.checks)

    def __getitem__(self, key: tuple[str, ...]) -> VerdictRow:
        """A row by its joint and check, or by joint, part and check: `verdict["joint2", "life L10"]`. Of exceptional
        cases, their name comes first: `verdict["crash", "joint2", "static safety"]`.
        """
        if not (isinstance(key, tuple) and len(key) in (2, 3, 4) and all(isinstance(part, str) for part in key)):
            raise ValueError(f"rows are found by two names, joint and check, or three, joint, part and check; not by "
                             f"{key!r}")
        case = next((one for one in self.exceptions if one.name == key[0] and len(key) > 2), None)
        if case is not None:
            same = case.verdict.checks.index(case.verdict[key[1:]])
            return [row for row in self.checks if row.case == case.name][same]
        joint, check = key[0], key[-1]
        found = [row for row in self.of_duty if row.joint == joint and row.check == check
                 and (len(key) == 2 or key[1:-1] == (row.part,))]
        if len(found) == 1:
            return found[0]
        if found:
            raise ValueError(f"'{joint}' has {len(found)} checks '{check}', of {', '.join(row.part for row in found)}: "
                             "name the part, too")
        there = [f"'{row.check}' of {row.part}" for row in self.of_duty if row.joint == joint]
        if not there:
            joints = ", ".join(dict.fromkeys(row.joint for row in self.of_duty))
            raise ValueError(f"nothing was checked at '{joint}'; there are {joints}")
        asked = f"'{check}'" if len(key) == 2 else f"'{check}' of {key[1]}"
        raise ValueError(f"'{joint}' has no check {asked}; there are {', '.join(there)}")

    def causes(self, row: VerdictRow) -> dict[str, float]:
        """What each cause adds to a row at the instant that decides it: see `VerdictRow.causes`."""
        return row.causes

    def sensitivity(
        self,
        *,
        payload: bool = True,
        speed: bool = True,
        link: str | None = None,
        center_of_mass: Sequence[float] | None = None,
    ) -> Sensitivity:
        """How every utilisation changes with the payload (per kg more) and with the speed of the motion (per unit of
        its factor: 0.1 of it is ten per cent faster): see `loadpath.parts.verdict.what_if`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.panda()
        >>> slopes = arm.verdict(lp.Motion.swing(arm)).sensitivity()
        >>> round(slopes["panda_joint2", "effort"].payload, 4), round(slopes["panda_joint1", "speed"].speed, 4)
        (0.097, 0.8)
        """
        return what_if.sensitivity(self, payload=payload, speed=speed, link=link, center_of_mass=center_of_mass)

    def load_cases(self, count: int | None = None, *, frame: Literal["link", "world"] = "link") -> LoadCases:
        """Balanced load cases for finite-element models at the instants that decide, those of the most utilised rows
        first: see `Robot.load_cases`.
        """
        return verdict_load_cases(self, count, frame)

    # As text, tables and a figure

    @property
    def outcome(self) -> str:
        """What it comes to: "does not hold", "not known to hold", "holds", or "no limit exceeded", where the motion is
        a swing that nobody gave, no parts were given, or numbers are guesses.
        """
        return table.outcome(self)

    @property
    def counts(self) -> str:
        """How many checks there are, were exceeded, and could not be made."""
        return table.counts(self)

    @property
    def headline(self) -> str:
        """One line: the outcome, over which motion, how many checks, and what else it rests on. Reports, the viewer and
        the command line show the same.
        """
        return table.headline(self)

    @property
    def summary(self) -> str:
        """The headline, and the check that is worst."""
        return table.summary(self)

    def as_dict(self) -> dict[str, object]:
        """What it says as plain data, for JSON: `holds`, `outcome`, `headline`, `summary`, its `basis`, and rows."""
        return table.as_dict(self)

    def __repr__(self) -> str:
        return printable(f"<verdict on '{self.name}': {self.summary}>")

    def __str__(self) -> str:
        return table.text(self)

    def _repr_html_(self) -> str:
        return table.html_of(self)

    def to_table(self) -> str:
        """The rows as text, as `print` shows them."""
        return table.text(self)

    def to_dataframe(self) -> DataFrame:
        """A pandas data frame with a row for each check: part, joint, check, demand, capacity, unit, utilisation,
        life_hours, motion, sample, time (s), cause (the largest one), note.
        """
        return table.dataframe(self)

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """The same rows as a CSV file; numbers in full."""
        return table.write_csv(self, path)

    def to_rows(self) -> list[dict[str, str | float | None]]:
        """The same rows as plain dictionaries, as for JSON; what is not known is None."""
        return table.records(self)

    def plot(self) -> Figure:
        """Utilisations as bars, the largest first, with a line where parts just hold."""
        return table.plot(self)

    @property
    def unknown_words(self) -> str:
        """Which states are not numbers, in words; nothing where all are."""
        several = len(self.unknown) > 1
        words = [f"motion {k}: {count_words(bad)}" if several else count_words(bad)
                 for k, bad in enumerate(self.unknown) if bad.any()]
        return "; ".join(words)
