"""Every joint wrench by cause: `robot.load_breakdown(q, qd, qdd)`.

The wrench at a joint is a sum of terms, each with its cause: a joint that accelerates, one that turns, two that turn at
once, a link that weighs, a wrench from outside, the base that moves. A `LoadBreakdown` holds the terms of all joints in
one array and finds them by names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadpath.algorithms.load_terms import KINDS, Kind
from loadpath.loads.breakdown import plot as breakdown_plot
from loadpath.loads.breakdown import table as breakdown_table
from loadpath.loads.breakdown.drive import DRIVE, drive_parts
from loadpath.quantities.load_index import (
    AnyKind,
    Cause,
    Index,
    cause_label,
    check_count,
    component_number,
)
from loadpath.quantities.wrench import Axes, Wrench
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import known
from loadpath.scalars.types import Bools, Floats
from loadpath.states.unknown import not_finite, warn_of_unknown

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure


State = int | tuple[int, ...]
StateIndex = int | slice | tuple[int | slice, ...] | NDArray[np.generic]
"""What chooses states from a batch: a number, a slice, a tuple of them for several axes, an array of numbers or truths.
"""


class Contribution(NamedTuple):
    """What one cause adds to one component of one joint's load."""

    cause: str
    kind: AnyKind
    names: tuple[str, ...]
    value: float
    """N or N m."""
    state: tuple[int, ...]
    """Where in the batch; empty if there is but one state."""


def ranked(causes: Mapping[Cause, float], count: int) -> list[Contribution]:
    """What causes add, largest magnitude first, so many of them."""
    check_count(count)
    found = [Contribution(cause_label(cause), *cause, float(value), ()) for cause, value in causes.items()]
    return sorted(found, key=lambda part: -abs(part.value))[:count]


class OfKind:
    """The terms of one kind, found by names: `breakdown.inertial[joint, moving]`."""

    def __init__(self, breakdown: LoadBreakdown, kind: Kind) -> None:
        self._breakdown = breakdown
        self._kind = kind

    def __getitem__(self, names: tuple[str, ...]) -> Wrench:
        """The wrench of a cause at a joint: zero if it cannot reach the joint."""
        if not isinstance(names, tuple) or not names or not all(isinstance(name, str) for name in names):
            raise ValueError(f".{self._kind} is found by the names of a joint and a cause, not by {names!r}")
        index = self._breakdown.index
        joint = known(names[0], index.joint_names, "joint")
        cause, link = index.cause(self._kind, names[1:])
        return self._breakdown._wrench(index.rows(joint, cause, link))

    __iter__ = None

    def __repr__(self) -> str:
        return f"<the {self._kind} terms of {self._breakdown!r}>"


@dataclass(frozen=True, eq=False, repr=False)
class LoadBreakdown:
    """The wrench at every joint, fixed ones too, as a sum of terms with their causes.

    Forces are in N and torques in N m, at the joint's origin, exerted by the parent on the child, as those of
    `joint_wrenches`: the terms of a joint sum to it. Axes are those of the child's joint frame, or those of `frame`.

    | | by | for |
    |---|---|---|
    | `.inertial[joint, moving]` | the degree of freedom that accelerates | qdd |
    | `.centrifugal[joint, moving]` | the degree of freedom that moves | qd squared |
    | `.coriolis[joint, moving, moving]` | two of them, in any order | products of two qd |
    | `.gravity[joint, link]` | the link that weighs | gravity |
    | `.external[joint, link]` | the link that it is on | `external=` |
    | `.carried[joint, load]` | the name of the load: its weight and its inertia | `motion.with_loads` |
    | `.base[joint, "inertial"]`, `[joint, "centrifugal"]`, `[joint, "coriolis", moving]` | | `base_velocity=` ... |

    Each is a `Wrench` with the batch axes in front, zero where the cause does not reach the joint. A breakdown
    by link takes the name of the link whose mass carries the term after the others, and without it is the sum.

    Friction, rotors and torsion springs act inside the drives and load no bearing: `.friction` and `.rotor`, (..., n),
    add to the part of the joint wrench along each degree of freedom what the drive needs. A spring on a line between
    two links is a cause "spring" of their joint's wrench. `.drive(name)` has all parts of a drive.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)                                       # 1 m and 1 kg a link, in the plane x, y
    >>> loads = arm.load_breakdown([0, 0], [2, 0], [0, 0])
    >>> loads.gravity["joint1", "link2"].torque.round(9).tolist()        # 9.81 N at 1.5 m
    [0.0, 0.0, 14.715]
    >>> loads.centrifugal["joint2", "joint1"].force.round(9).tolist()    # 1.5 m at 2 rad/s
    [-6.0, 0.0, 0.0]
    >>> print(loads.top("joint1", "torque_z", count=1)[0].cause)
    gravity link2
    """

    values: Floats
    """(..., terms, 6): force, then torque, of each of `index.terms`."""
    friction: Floats
    """(..., n): what friction takes from each drive."""
    rotor: Floats
    """(..., n): what it takes to turn each drive's rotor."""
    index: Index
    frame: str = "joint"
    time: Floats | None = None
    """Of the states, if they are a motion."""
    robot: RobotModel | None = None
    q: Floats | None = None
    """The states' coordinates, (..., nq)."""
    weights: Floats | None = None
    """(states,): share of each state in the means over a motion, in the blocks that `reduce_loads` makes of one."""
    drives: Floats | None = None
    """Of a closed chain, (..., sources, drives): what each of `index.sources` takes from each `index.drive_names`."""

    # One cause

    @property
    def inertial(self) -> OfKind:
        """What accelerations take, by the degree of freedom that accelerates."""
        return OfKind(self, "inertial")

    @property
    def centrifugal(self) -> OfKind:
        """What the square of one speed takes, by its degree of freedom."""
        return OfKind(self, "centrifugal")

    @property
    def coriolis(self) -> OfKind:
        """What the product of two speeds takes, by the two."""
        return OfKind(self, "coriolis")

    @property
    def gravity(self) -> OfKind:
        """What it takes to carry a link, by the link."""
        return OfKind(self, "gravity")

    @property
    def external(self) -> OfKind:
        """What it takes to hold against a wrench from outside, by the link that it is on."""
        return OfKind(self, "external")

    @property
    def carried(self) -> OfKind:
        """What it takes to carry and to move a load that is picked up in the motion, by its name."""
        return OfKind(self, "carried")

    @property
    def base(self) -> OfKind:
        """What the moving base adds: "inertial", "centrifugal", or "coriolis" with a degree of freedom."""
        return OfKind(self, "base")

    def cause(self, joint: str, kind: Kind, *names: str) -> Wrench:
        """The wrench of any cause at a joint, named as above: `loads.cause("pin", "gravity", "coupler")`. In closed
        chains also "friction" and "rotor", by degree of freedom, which load pins there, and "preload".

        >>> import loadpath as lp
        >>> loads = lp.catalog.planar(2).load_breakdown([0, 0], [0, 0], [0, 0])
        >>> loads.cause("joint1", "gravity", "link2").force.round(9).tolist()
        [0.0, 9.81, 0.0]
        """
        known(kind, KINDS, "kind of cause")
        return OfKind(self, kind)[(joint, *names)]

    def causes(self, joint: str) -> list[str]:
        """All causes that reach a joint, in words."""
        return [cause_label(cause) for cause in self.index.of_joint(joint)]

    # Sums

    def total(self, joint: str) -> Wrench:
        """The sum of all terms of a joint: its joint wrench."""
        return self._wrench(self.index.all_rows(joint))

    def totals(self) -> Floats:
        """The joint wrenches of all joints, (..., joints, 6), force first."""
        rows = [self.index.all_rows(joint) for joint in self.index.joint_names]
        result: Floats = np.zeros((*self.batch_shape, len(rows), 6), self.values.dtype)
        loaded = [joint for joint, found in enumerate(rows) if found]
        if loaded:
            # The rows of a joint follow each other; this is four times as fast as a sum over their axis.
            starts = [rows[joint][0] for joint in loaded]
            result[..., loaded, :] = np.add.reduceat(np.asarray(self.values), starts, axis=-2)
        return result

    def by_cause(self, joint: str) -> dict[str, Wrench]:
        """The wrench of every cause at a joint, by its words; a breakdown by link summed over the links."""
        return {cause_label(cause): self._wrench(rows) for cause, rows in self.index.of_joint(joint).items()}

    def drive(self, freedom: str) -> dict[str, Floats]:
        """What every cause takes from the drive of a degree of freedom, (...), friction, rotor, springs too; the sum
        is its force (N m or N) in `inverse_dynamics`. `top` and `plot` show it for the component "drive".

        >>> import loadpath as lp
        >>> arm = lp.catalog.puma560()
        >>> state = [0.1] * 6, [0.2] * 6, [0.3] * 6
        >>> parts = arm.load_breakdown(*state).drive("joint1")
        >>> parts["friction joint1"].round(3), parts["rotor joint1"].round(3)
        (np.float64(27.144), np.float64(0.235))
        >>> bool(abs(sum(parts.values()) - arm.inverse_dynamics(*state)[0]) < 1e-12)
        True
        """
        return {cause_label(cause): values for cause, values in drive_parts(self, freedom).items()}

    def by_kind(self, joint: str) -> dict[Kind, Wrench]:
        """The sums of all inertial, centrifugal, Coriolis, gravity, external and base terms of a joint; in closed
        chains of friction, rotors and preload too.
        """
        causes = self.index.of_joint(joint)
        rows = {kind: [r for (of, _), found in causes.items() if of == kind for r in found] for kind in KINDS}
        return {kind: self._wrench(found) for kind, found in rows.items() if found}

    def by_mover(self, joint: str) -> dict[str, Wrench]:
        """What each degree of freedom (or joint) that moves is the cause of at a joint: its inertial and centrifugal
        terms and half of each Coriolis term that it shares. With the other kinds these sum to the total.
        """
        six: dict[str, Any] = {}
        for (kind, names), rows in self.index.of_joint(joint).items():
            if kind in ("inertial", "centrifugal", "coriolis"):
                value = self.sum_of(rows)
                for name in names:
                    six[name] = six.get(name, 0.0) + value / len(names)
        return {name: self._as_wrench(six[name]) for name in self.index.movers if name in six}

    def by_carrier(self, joint: str) -> dict[str, Wrench]:
        """The sums of all terms of a joint by the link whose mass carries them (or that a wrench is on); of a breakdown
        by link only.
        """
        self._check_by_link()
        known(joint, self.index.joint_names, "joint")
        rows: dict[str, list[int]] = {}
        for row, term in enumerate(self.index.terms):
            if term.joint == joint and term.link is not None:
                rows.setdefault(term.link, []).append(row)
        return {link: self._wrench(rows[link]) for link in self.index.link_names if link in rows}

    def of_link(self, link: str) -> LoadBreakdown:
        """Only what the mass of one link (and the wrench on it) is the cause of; of a breakdown by link only."""
        self._check_by_link()
        known(link, self.index.link_names, "link")
        rows = [row for row, term in enumerate(self.index.terms) if term.link == link]
        index = replace(self.index, terms=tuple(self.index.terms[row] for row in rows))
        nothing = np.zeros_like(self.friction)  # inside the drives no link's mass acts
        drives = self.drives
        if drives is not None:
            kept = [k for k, (_, carrier) in enumerate(self.index.sources) if carrier == link]
            index = replace(index, sources=tuple(self.index.sources[k] for k in kept))
            drives = drives[..., kept, :]
        values = self.values[..., rows, :]
        return replace(self, values=values, index=index, friction=nothing, rotor=nothing, drives=drives)

    def _check_by_link(self) -> None:
        if not self.index.by_link:
            raise ValueError("this breakdown is summed over the links: ask for load_breakdown(..., by_link=True)")

    # States

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The batch axes of the states."""
        return tuple(self.values.shape[:-2])

    def at(self, state: StateIndex) -> LoadBreakdown:
        """The breakdown at some of the states: `state` indexes the batch axes."""
        time = self.time[state] if self.time is not None and len(self.batch_shape) == 1 else None
        q = None if self.q is None else np.broadcast_to(self.q, (*self.batch_shape, self.q.shape[-1]))[state]
        values, friction, rotor = (part[state] for part in (self.values, self.friction, self.rotor))
        weights = None if self.weights is None else self.weights[state]
        drives = None if self.drives is None else self.drives[state]
        here = replace(self, values=values, friction=friction, rotor=rotor, drives=drives)
        return replace(here, time=time, q=q, weights=weights)

    def one_state(self, state: State) -> tuple[LoadBreakdown, tuple[int, ...]]:
        """The breakdown at one state, and its place in the batch as a tuple."""
        place = state if isinstance(state, tuple) else (state,)
        if len(place) != len(self.batch_shape) or not all(isinstance(k, (int, np.integer)) for k in place):
            if not self.batch_shape:
                raise ValueError(f"state is {state!r}, but there is only one: leave it out")
            raise ValueError(f"state {state!r} is not one state of the batch {self.batch_shape}")
        return self.at(place), tuple(int(k) for k in place)

    def worst(self, joint: str, component: str | None = None) -> tuple[int, ...]:
        """The state with the largest load on a joint: of one component, of its "drive", or of the torque (the force, if
        there is no torque anywhere).

        >>> import loadpath as lp
        >>> lp.catalog.planar(1).load_breakdown([[1.5], [0.1], [0.7]], [0], [0]).worst("joint1", "torque_z")
        (1,)
        """
        if component is not None:
            parts = self.parts(joint, component).values()
            size = np.abs(sum((np.asarray(part) for part in parts), start=np.zeros(self.batch_shape)))
        else:
            total = np.asarray(self.sum_of(self.index.all_rows(joint)))
            size = np.linalg.norm(total[..., 3:], axis=-1)
            if not np.nanmax(size, initial=0.0) > 0:
                size = np.linalg.norm(total[..., :3], axis=-1)
        self._warn_of_unknown("worst")
        return _largest(size)

    @property
    def unknown(self) -> Bools:
        """Which states are not numbers, with the shape of the batch."""
        return not_finite(np.asarray(self.values), 2)

    def _warn_of_unknown(self, caller: str) -> None:
        every = bool(self.unknown.size and self.unknown.all())
        warn_of_unknown(self.unknown, caller, "nothing is known" if every else "left out")

    # What matters

    def top(self, joint: str, component: str, count: int = 5, *, state: State | None = None) -> list[Contribution]:
        """The causes that add most to one component of a joint's load, or to the "drive" of a degree of freedom,
        largest magnitude first.

        Of a batch: by the largest magnitude that each has in any state, with its value there; or at one `state`.

        >>> import loadpath as lp
        >>> loads = lp.catalog.panda().with_payload(3.0).load_breakdown([0, 0.5, 0, -1.5, 0, 2, 0], [0] * 7, [0] * 7)
        >>> [(part.cause, round(part.value, 2)) for part in loads.top("panda_joint2", "torque_z", count=2)]
        [('gravity payload', -20.47), ('gravity panda_link4', -12.0)]
        """
        check_count(count)
        here, place = (self, None) if state is None else self.one_state(state)
        here._warn_of_unknown("top")
        found = []
        for cause, part in here.parts(joint, component).items():
            values = np.asarray(part)
            where = _largest(np.abs(values))
            found.append(Contribution(cause_label(cause), *cause, float(values[where]), place or where))
        found.sort(key=lambda part: -abs(part.value) if part.value == part.value else np.inf)
        return found[:count]

    def to_table(self, joint: str | None = None, *, count: int | None = None, state: State | None = None) -> str:
        """A table as text, in N and N m. Of one joint: its causes, largest first, the `count` largest if that is given.
        Without a joint: the sums of the kinds for all joints. Of a batch, at one `state`, or at each joint's `worst`.

        >>> import loadpath as lp
        >>> print(lp.catalog.planar(1).load_breakdown([0], [1], [2]).to_table("joint1"))
        joint1              force_x  force_y  force_z  torque_x  torque_y  torque_z
        ---------------------------------------------------------------------------
        gravity link1         0.000    9.810    0.000     0.000     0.000     4.905
        inertial joint1       0.000    1.000    0.000     0.000     0.000     0.667
        centrifugal joint1   -0.500    0.000    0.000     0.000     0.000     0.000
        ---------------------------------------------------------------------------
        total                -0.500   10.810    0.000     0.000     0.000     5.572
        """
        return breakdown_table.table(self, joint, count, state)

    def _repr_html_(self) -> str:
        return breakdown_table.html_of(self)

    def to_dataframe(self) -> DataFrame:
        """A pandas data frame with a row for each state and term: the state (and the time, if known), joint, kind,
        cause, the link that carries it (if by link), and the six components.
        """
        return breakdown_table.dataframe(self)

    def plot(
        self, joint: str, component: str | None = None, *, time: ArrayLike | None = None, count: int = 8
    ) -> Figure:
        """A Plotly figure of what a joint's load is made of: stacked bars over the states of a motion, with the total
        as a line; all six components, one, or the "drive" of a degree of freedom. The `count` largest causes have a
        colour of their own, the sum of all others is "other". `time` (s) is the axis, unless the breakdown knows it;
        without, the number of the state.
        """
        return breakdown_plot.plot(self, joint, component, time, count)

    # Arrays

    def parts(self, joint: str, component: str) -> dict[Cause, Floats]:
        """What every cause adds to a component of a joint's load, or to a drive, (...)."""
        if component == DRIVE:
            return drive_parts(self, joint)
        number = component_number(component)
        return {cause: self.sum_of(rows)[..., number] for cause, rows in self.index.of_joint(joint).items()}

    def sum_of(self, rows: list[int]) -> Floats:
        """The sum of some rows of `values`, (..., 6)."""
        if len(rows) == 1:
            one: Floats = self.values[..., rows[0], :]
            return one
        in_a_row = bool(rows) and rows == list(range(rows[0], rows[-1] + 1))
        chosen: Floats = self.values[..., slice(rows[0], rows[-1] + 1) if in_a_row else rows, :]
        if rows and isinstance(chosen, np.ndarray):
            return np.add.reduceat(chosen, [0], axis=-2)[..., 0, :]  # much faster than a sum over this axis
        summed: Floats = chosen.sum(axis=-2)  # of a Dask array
        return summed

    def _wrench(self, rows: list[int]) -> Wrench:
        return self._as_wrench(self.sum_of(rows))

    def _as_wrench(self, six: Any) -> Wrench:
        axes: Axes = "joint" if self.frame == "joint" else "world" if self.frame == "world" else "other"
        return Wrench(six[..., :3], six[..., 3:], axes=axes)

    def __repr__(self) -> str:
        batch = f"{self.batch_shape} states" if self.batch_shape else "one state"
        by_link = ", by link" if self.index.by_link else ""
        return (
            f"<LoadBreakdown of {len(self.index.joint_names)} joints, {len(self.index.terms)} terms{by_link}, "
            f"{batch}, axes: {self.frame}>"
        )


def _largest(size: NDArray[Any]) -> tuple[int, ...]:
    """Where an array is largest, NaN left out."""
    if size.size == 0:
        raise ValueError("there are no states in this breakdown")
    place = int(np.argmax(np.where(np.isnan(size), -1.0, size)))
    return tuple(int(i) for i in np.unravel_index(place, size.shape))
