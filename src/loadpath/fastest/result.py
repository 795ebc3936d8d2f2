"""The fastest motion on a path: how long it takes, which limit rules where, how much of each is used, what it costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.errors import warn
from loadpath.fastest.chart import chart
from loadpath.fastest.limits import Name
from loadpath.fastest.means import Means
from loadpath.fastest.path import Path
from loadpath.fastest.search import Found
from loadpath.fastest.timing import Timing
from loadpath.motion import checks
from loadpath.motion.motion import Motion
from loadpath.printable import printable
from loadpath.scalars.types import ArrayLike, Floats, Ints
from loadpath.tables import Table

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.quantities.table import RobotQuantities

RATE = 500.0
"""Samples a second of its `motion`."""
RULES = 0.999
"""A limit of which so much is used rules."""
WITHIN = 1e-7
HIGHER = 1.1
"""Times a limit, for what it costs."""


class Stretch(NamedTuple):
    """A part of the motion in which one limit rules: from time to time, from s to s; "" where none does."""

    limit: str
    begin: float
    end: float
    s_begin: float
    s_end: float


@dataclass(frozen=True, eq=False, repr=False)
class Fastest:
    """The fastest motion of a robot on a path within limits, from `robot.fastest`.

    Arrays over intervals of the path have the axes (intervals, limits), limits in the order of `limits`. On an interval
    s'' is constant, where s is the arc length of the path in joint space.

    >>> import loadpath as lp
    >>> rod = lp.catalog.planar(1, gravity=0)
    >>> found = rod.fastest([[0.0], [1.0]], limits={"acceleration": 4.0, "speed": 1.0})      # 1/4 + 3/4 + 1/4 s
    >>> round(found.duration, 3), found.certificate <= 1.0001
    (1.25, True)
    """

    robot: RobotQuantities
    found: Found = field(repr=False)
    left_out: tuple[str, ...] = ()
    """Checks of parts that are of the largest of a load and are no limits here: they depend on several loads at once,
    or are not convex. `robot.verdict(found.motion)` makes them, and those of means and lives.
    """

    # What it is

    @cached_property
    def timing(self) -> Timing:
        """When it is where."""
        return Timing(self.found)

    @property
    def path(self) -> Path:
        """What it goes along."""
        return self.found.problem.path

    @property
    def duration(self) -> float:
        """s, rests on the way included."""
        return self.timing.duration

    @property
    def limits(self) -> tuple[Name, ...]:
        """What limits it: kind, name, capacity and unit of each."""
        return self.found.problem.names

    @property
    def t(self) -> Floats:
        """(intervals + 1,): when it goes on from each point of its grid."""
        found: Floats = self.timing.leaves
        return found

    @property
    def s(self) -> Floats:
        """(intervals + 1,): arc length there, in joint space (rad, m)."""
        return self.found.grid.s

    @property
    def speed(self) -> Floats:
        """(intervals + 1,): ds/dt there."""
        found: Floats = np.sqrt(self.found.solution.x)
        return found

    # Limits

    @property
    def utilisation(self) -> Floats:
        """(intervals, limits): of each limit the largest share that is used at the nodes of each interval."""
        return self.found.used

    @property
    def bound(self) -> Floats:
        """(intervals, limits): what the utilisation exceeds nowhere on the interval, between its nodes either: from
        ranges of the second derivative of each load, see `loadpath.fastest.jets`.
        """
        return self.found.bound

    @property
    def certificate(self) -> float:
        """No limit is used by more than this at any instant of the motion."""
        return float(self.bound.max())

    @cached_property
    def ruling(self) -> Ints:
        """(intervals,): the limit that is used most on each; -1 where none is reached."""
        used = self.found.used.copy()
        whole = [isinstance(limits, Means) for limits in self.found.problem.limits for _ in limits.names]
        used[:, whole] -= (1 - RULES) / 2  # means of the whole motion rule where nothing else does
        found = used.argmax(axis=1)
        return np.where(used[np.arange(len(used)), found] >= RULES, found, -1)

    @property
    def rules(self) -> list[Stretch]:
        """Which limit rules where, in the order of time."""
        found: list[Stretch] = []
        t, s = self.timing, self.s
        for k, limit in enumerate(self.ruling.tolist()):
            name = str(self.limits[limit]) if limit >= 0 else ""
            begin, end = float(t.leaves[k]), float(t.arrives[k + 1])
            if found and found[-1].limit == name and abs(found[-1].end - begin) < 1e-9:
                found[-1] = found[-1]._replace(end=end, s_end=float(s[k + 1]))
            else:
                found.append(Stretch(name, begin, end, float(s[k]), float(s[k + 1])))
        return found

    @cached_property
    def costs(self) -> dict[str, float]:
        """s: by how much the motion would be shorter if one limit were 10 % higher, for each that rules anywhere.

        >>> import loadpath as lp
        >>> rod = lp.catalog.planar(1, gravity=0)
        >>> found = rod.fastest([[0.0], [1.0]], limits={"acceleration": 4.0, "speed": 1.0})
        >>> round(found.costs["speed of 'joint1'"], 3), round(found.costs["acceleration of 'joint1'"], 3)
        (0.066, 0.023)
        """
        here = self.found.within(self.found.tight)
        if not here.possible:
            return {}
        saved = {}
        for k in np.unique(self.ruling[self.ruling >= 0]).tolist():
            higher = np.ones(len(self.limits))
            higher[k] = HIGHER
            other = self.found.within(self.found.tight + 1 - higher)
            if other.possible:
                saved[str(self.limits[k])] = Timing(here).duration - Timing(other).duration
        return dict(sorted(saved.items(), key=lambda item: -item[1]))

    # States

    def at(self, t: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """q, qd and qdd, (times, n) each, at any times of the motion, exactly as it was certified: not interpolated
        between samples. Where the acceleration jumps it is the one that begins.
        """
        times = np.atleast_1d(np.asarray(t, dtype=float))
        if not ((times >= 0) & (times <= self.duration)).all():
            raise ValueError(f"a time is outside the motion, 0 to {self.duration:.6g} s")
        return self.timing.states(times)

    def sampled(self, each: int) -> tuple[Floats, Floats, Floats]:
        """q, qd and qdd, (intervals * each, n): so many instants of each interval, from its beginning to its end, but
        for a ten millionth of it: where a joint turns back, its dry friction has one sense within the interval and
        either at the end.
        """
        which = np.repeat(np.arange(len(self.found.durations)), each)
        share = np.linspace(WITHIN, 1 - WITHIN, each)
        return self.timing.within(which, (self.found.durations[:, None] * share).ravel())

    @cached_property
    def motion(self) -> Motion:
        """The motion in samples, 500 a second or more, for all that takes an `lp.Motion`."""
        t = self.timing.instants(RATE)
        motion = Motion.from_checked(t, *self.timing.states(t), self.robot)
        motion._with(source="the fastest motion on a path")
        return motion

    # For readers

    def table(self) -> Table:
        """Limits with what is used of them, how long they rule, and what they cost."""
        title = (f"{self.duration:.6g} s along {self.s[-1]:.4g} rad (m) of joints; every limit is used by "
                 f"{self.certificate:.6f} at most, between points, too")
        costs = self.costs
        used = self.utilisation.max(axis=0)
        shares = dict.fromkeys(map(str, self.limits), 0.0)
        for stretch in self.rules:
            if stretch.limit:
                shares[stretch.limit] += stretch.end - stretch.begin
        rows = [[printable(str(name)), f"{name.capacity:.6g} {name.unit}", f"{used[k]:.4f}",
                 f"{shares[str(name)]:.3f}", f"{costs[str(name)]:.4f}" if str(name) in costs else "-"]
                for k, name in enumerate(self.limits)]
        return Table(title, ["limit", "capacity", "used", "rules (s)", "10 % more saves (s)"], rows)

    def to_table(self) -> str:
        """The same as text."""
        table = self.table()
        return f"{table.title}\n{table.text()}"

    def plot(self) -> Figure:
        """Speed along the path and utilisation over time, with a strip of the limit that rules."""
        return chart(self)

    def _repr_html_(self) -> str:
        return self.table().html()

    def __repr__(self) -> str:
        return (f"<fastest motion of '{printable(self.robot.name)}': {self.duration:.6g} s, {len(self.limits)} limits, "
                f"used by {self.certificate:.6f} at most>")


def warned_of_positions(found: Fastest) -> Fastest:
    """The result, after a warning where the path leaves the limits of position."""
    robot = found.robot
    t = found.t
    q, qd, _ = found.timing.states(t)
    for problem in checks.outside_limits(robot, t, q, np.zeros_like(qd)):
        warn(problem)
    return found
