"""What every joint and drive has to carry over a motion: `robot.peak_loads(motion)`.

Everything is computed in blocks of states and reduced at once, so a million states take no more memory than the states
themselves. The breakdown by cause is made afterwards, for the states where the peaks are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadpath.cached import cached_property, kept
from loadpath.errors import warn
from loadpath.loads.breakdown.calculation import load_breakdown
from loadpath.loads.breakdown.drive import drive_parts
from loadpath.loads.breakdown.result import Contribution, LoadBreakdown, ranked
from loadpath.loads.peaks import table as peaks_table
from loadpath.loads.resultants import (
    OF_DRIVES,
    RESULTANTS,
    axes_of,
    direction,
    effort_limits,
    open_components,
    open_resultants,
    resultants,
    travel,
    unit_of,
)
from loadpath.motion.spectrum import DutySpectrum
from loadpath.printable import printable
from loadpath.quantities.carriers import carrier, drive_names
from loadpath.quantities.load_index import Cause
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.quantities.wrench import COMPONENTS
from loadpath.scalars.types import Bools, Floats
from loadpath.states import LoadCase, StateBatch, StatesLike
from loadpath.states.batch import WRENCH_BLOCK, states_of
from loadpath.states.unknown import count_words, not_finite, warn_of_unknown

if TYPE_CHECKING:
    from pandas import DataFrame

    from loadpath.quantities.table import RobotQuantities

# Extremes and means of many quantities at once, taken in block by block.

# Weights of states sum to one but for rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Statistics:
    """Extremes and means over all states, each an array with an entry for each quantity.

    Means weigh each state by its share of the time (trapezoid rule), or all the same if there are no times.
    """

    maximum: Floats
    minimum: Floats
    maximum_at: NDArray[np.intp]
    """Number of the first state in which it is."""
    minimum_at: NDArray[np.intp]
    mean: Floats
    mean_magnitude: Floats
    rms: Floats
    """Root of the mean square."""
    cubic_mean: Floats
    """Cube root of the mean of the magnitude's cube."""
    travel_cubic_mean: Floats
    """The same, each state weighed by the joint's speed too: (sum |n| t |x|^3 / sum |n| t)^(1/3). NaN for what does not
    travel."""

    @property
    def magnitude(self) -> Floats:
        """Largest magnitude."""
        return np.maximum(np.abs(self.maximum), np.abs(self.minimum))

    @property
    def magnitude_at(self) -> NDArray[np.intp]:
        """Number of the state in which that is."""
        return np.where(np.abs(self.maximum) >= np.abs(self.minimum), self.maximum_at, self.minimum_at)


class Accumulator:
    """Takes in values (states, ...) of quantities, and gives their statistics."""

    def __init__(self, shape: tuple[int, ...], exponent: float = 3.0) -> None:
        self.exponent = exponent
        self.maximum, self.minimum = np.full(shape, -np.inf), np.full(shape, np.inf)
        self.maximum_at, self.minimum_at = np.zeros(shape, dtype=np.intp), np.zeros(shape, dtype=np.intp)
        self.sums = np.zeros((5, *shape))  # value, magnitude, square, cube, cube by travel
        self.travelled = np.zeros(shape)
        self.weight = 0.0

    def add(self, values: Floats, weight: Floats, first: int | NDArray[np.intp], travel: Floats | None = None) -> None:
        """Values of states, with their weights and how fast each travels (states, ...). The states are numbered from
        `first` on, or as it says.
        """
        if not len(values):
            return
        numbers = first + np.arange(len(values)) if isinstance(first, int) else first
        self.weight += float(weight.sum())
        size, square = np.abs(values), values * values
        cube = size * square if self.exponent == 3 else size**self.exponent  # a product is much quicker than a power
        for k, part in enumerate((values, size, square, cube)):
            self.sums[k] += np.tensordot(weight, part, axes=1)
        if travel is not None:
            cube *= travel
            self.sums[4] += np.tensordot(weight, cube, axes=1)
            self.travelled += np.tensordot(weight, travel, axes=1)
        high, low = values.max(axis=0), values.min(axis=0)
        for best, best_at, here, new in (
            (self.maximum, self.maximum_at, high, high > self.maximum),
            (self.minimum, self.minimum_at, low, low < self.minimum),
        ):
            best[new] = here[new]
            for place in np.argwhere(new):  # in most blocks there are few
                at = tuple(place)
                best_at[at] = numbers[int(np.argmax(values[(slice(None), *at)] == here[at]))]

    @property
    def _share(self) -> float:
        """Of the weights of all states what was taken in; exactly 1 if nothing is missing."""
        return 1.0 if abs(self.weight - 1.0) < _ROUNDING else self.weight

    def result(self) -> Statistics:
        """What all values together give."""
        with np.errstate(invalid="ignore", divide="ignore"):
            mean, magnitude, square, cube = self.sums[:4] / self._share
        by_travel = self.sums[4]
        unknown = np.isnan(mean)  # quantities that are not there
        with np.errstate(invalid="ignore", divide="ignore"):
            by_travel = np.where(self.travelled > 0, by_travel / self.travelled, np.nan)
        blank = [np.where(unknown, np.nan, extreme) for extreme in (self.maximum, self.minimum)]
        return Statistics(
            blank[0],
            blank[1],
            self.maximum_at,
            self.minimum_at,
            mean,
            magnitude,
            np.sqrt(square),
            cube ** (1 / self.exponent),
            by_travel ** (1 / self.exponent),
        )


OF_WHEELS, MARGIN = ("normal", "longitudinal", "lateral", "friction_used"), "margin"
"""Quantities of the contacts of a rover, and of its base."""
_GROUND_UNITS = {"normal": "N", "longitudinal": "N", "lateral": "N", "friction_used": "", MARGIN: "m"}
SLACK = 1e-6
"""Of an effort limit: by so much, relatively, it may be exceeded without a word."""


@dataclass(frozen=True, eq=False, repr=False)
class Peak:
    """An extreme of one quantity: its value, and the state in which it is reached."""

    name: str
    """Of the joint, or of the drive's degree of freedom."""
    quantity: str
    value: float
    sample: int
    """Number of the state; in a batch of several axes, counted through. `state` is its place there."""
    state: tuple[int, ...]
    time: float | None
    """s, if the states are a motion."""
    q: Floats
    qd: Floats
    qdd: Floats
    _case: LoadCase
    _of: PeakLoads
    _number: int
    motion: str = ""
    """Name of the motion in a duty spectrum; sample, state and time are those in it."""

    def __repr__(self) -> str:
        when = f"sample {self.sample}" if self.time is None else f"sample {self.sample}, t = {self.time:.6g} s"
        when += f" of '{printable(self.motion)}'" if self.motion else ""
        return f"<peak of '{printable(self.name)}': {self.quantity} {self.value:.6g} at {when}>"

    @cached_property
    def breakdown(self) -> LoadBreakdown:
        """All joint wrenches by cause, in this state."""
        return _breakdown_at(self._of, self._number)

    def top(self, count: int = 5) -> list[Contribution]:
        """The causes that add most to it, largest magnitude first. All causes together sum to `value`: those of a
        resultant are measured along its direction, those of a drive along its freedom, with friction and rotor.

        >>> import loadpath as lp
        >>> peaks = lp.catalog.planar(2).peak_loads(([0, 0], [0, 0], [0, 0]))       # both rods level
        >>> [(part.cause, round(part.value, 3)) for part in peaks["joint1", "drive"].peak.top(2)]
        [('gravity link2', 14.715), ('gravity link1', 4.905)]
        """
        return ranked(self._causes(), count)

    def _causes(self) -> dict[Cause, Any]:
        if self.quantity in ("speed", "acceleration", "power"):
            raise ValueError(f"the {self.quantity} of '{self.name}' is no load with causes; ask for its 'drive'")
        if self.quantity in _GROUND_UNITS:
            raise ValueError(f"{self.quantity} of '{self.name}' is by the ground: rover.wheel_load_breakdown has its "
                             "causes")
        return causes_of(self._of.robot, self.breakdown, self.name, self.quantity)


def causes_of(robot: RobotQuantities, loads: LoadBreakdown, name: str, quantity: str) -> dict[Cause, Any]:
    """What each cause adds to a quantity of a joint or drive in the one state of a breakdown."""
    if quantity == "drive":
        return drive_parts(loads, name)
    total = loads.total(name)
    axis = direction(carrier(robot, name), quantity, total.force, total.torque)
    return {cause: loads.sum_of(rows) @ axis for cause, rows in loads.index.of_joint(name).items()}


@dataclass(frozen=True, eq=False, repr=False)
class Quantity:
    """One quantity of one joint or drive over all states: `peaks["joint2", "radial_force"]`."""

    name: str
    quantity: str
    unit: str
    maximum: float
    minimum: float
    magnitude: float
    """Largest magnitude."""
    mean: float
    mean_magnitude: float
    rms: float
    cubic_mean: float
    travel_cubic_mean: float
    _of: PeakLoads
    _samples: tuple[int, int, int]
    bound: float | None = None
    """Over a box of states: what its magnitude is at most in all of them (of the margin: what it is at least). None of
    what was not bounded, and over states."""

    @cached_property
    def highest(self) -> Peak:
        """Where it is largest."""
        return self._of._peak(self, self.maximum, self._samples[0])

    @cached_property
    def lowest(self) -> Peak:
        """Where it is smallest (most negative)."""
        return self._of._peak(self, self.minimum, self._samples[1])

    @cached_property
    def peak(self) -> Peak:
        """Where its magnitude is largest; the value has its sign."""
        high = abs(self.maximum) >= abs(self.minimum)
        return self.highest if high else self.lowest

    def __repr__(self) -> str:
        return (
            f"<'{printable(self.name)}', {self.quantity}: {self.minimum:.6g} to {self.maximum:.6g} {self.unit}, "
            f"rms {self.rms:.6g}, cubic mean {self.cubic_mean:.6g}>"
        )


class WorstOf(Protocol):
    """The worst case of a load over a box of states: an `lp.WorstCase`."""

    @property
    def name(self) -> str:
        """Of the joint, drive, wheel or rover."""

    @property
    def quantity(self) -> str:
        """By its name here."""

    @property
    def sense(self) -> str:
        """"magnitude", "max" or "min"."""

    @property
    def value(self) -> float:
        """In the worst state that was found."""

    @property
    def bound(self) -> float:
        """No state of the box exceeds it."""

    @property
    def unit(self) -> str:
        """Of both."""

    @property
    def certified(self) -> bool:
        """Whether they are so near to each other that the one is proven by the other."""


@dataclass(frozen=True, eq=False, repr=False)
class PeakLoads:
    """What every joint and drive carries over a motion or a batch. Arrays are in the fields of each `Statistics`; by
    names, `peaks[joint, quantity]` gives a `Quantity` with its peaks, `peaks[joint, quantity].peak` a `Peak` with its
    time, pose and causes.

    | field | quantities | of |
    |---|---|---|
    | `components` | force_x ... torque_z (N, N m) | joints, fixed ones too: the joint wrench, by the parent on the child, at the joint's origin, in the child's joint frame |
    | `resultants` | axial_force, axial_torque: along the joint's axis, with sign; radial_force, tilting_moment: across it; force, torque: magnitudes | joints; NaN without a single axis (fixed, universal, planar, spherical, free ...) but for the last two |
    | `drive` | drive: torque or force of the drive, with friction and rotor (N m, N) | degrees of freedom |
    | `speed`, `acceleration`, `power` | rad/s or m/s, their rates, W | degrees of freedom |
    | `wheels` | normal, longitudinal, lateral (N), friction_used (share of what there is) | contacts of a rover, else None |
    | `margin` | margin (m) of the zero-moment point: `peaks["rover", "margin"].lowest` | the rover's base, else None |

    `work_done` and `work_returned` (n,) are the mechanical energy (J) that each drive gives and takes back, positive and
    negative; None without times. The axial torque of a turning joint and the axial force of a sliding one are what the
    drive holds; the bearing or guide carries what remains.
    """  # noqa: E501

    components: Statistics
    resultants: Statistics
    drive: Statistics
    speed: Statistics
    acceleration: Statistics
    power: Statistics
    work_done: Floats | None
    work_returned: Floats | None
    robot: RobotQuantities
    states: StateBatch
    unknown: Bools
    """(states,): which states are not numbers. They are left out; without them no work is known."""
    wheels: Statistics | None = None
    margin: Statistics | None = None
    contact_names: tuple[str, ...] = ()
    """Of the wheels and feet that a rover stands on."""
    base_name: str = ""
    worst_cases: tuple[WorstOf, ...] = ()
    """Over a box of states: the worst case of each load, with what bounds it. The states are those of these."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, then of the joints that close loops."""
        return self.robot.closed_joint_names

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Names of the degrees of freedom."""
        return self.robot.dof_names

    @property
    def drive_names(self) -> tuple[str, ...]:
        """Names of those that have a drive: all of a tree; of a closed chain some joints are passive."""
        return drive_names(self.robot)

    @cached_property
    def open(self) -> Mapping[tuple[str, str], bool]:
        """For every joint and loop, and every component and resultant of its wrench, whether rigid statics leaves any
        part of it open, in some of the states: then the rule of `joint_wrenches` settles it, or what bends. Nothing of
        a tree.
        """
        return open_resultants(self.robot, open_components(self.robot, self.states.q))

    @property
    def duration(self) -> float | None:
        """Of the motion, or of one pass through a spectrum, s; None for a batch."""
        return self.states.duration

    def __getitem__(self, key: tuple[str, str]) -> Quantity:
        if not (isinstance(key, tuple) and len(key) == 2 and all(isinstance(part, str) for part in key)):
            raise ValueError(f"peaks are found by two names, like ['{self.joint_names[0]}', 'radial_force'], not by "
                             f"{key!r}")
        name, quantity = key
        if quantity in OF_DRIVES:
            names: tuple[str, ...] = self.dof_names
            if quantity in ("drive", "power") and name in names and name not in self.drive_names:
                raise ValueError(f"joint '{name}' is passive: it has no {quantity}; the drives are "
                                 f"{', '.join(self.drive_names) or 'none'}")
            statistics: Statistics = getattr(self, quantity)
            place: tuple[int, ...] = ()
        elif quantity in (*COMPONENTS, *RESULTANTS):
            names = self.joint_names
            of = COMPONENTS if quantity in COMPONENTS else RESULTANTS
            statistics = self.components if quantity in COMPONENTS else self.resultants
            place = (of.index(quantity),)
        elif self.wheels is not None and self.margin is not None and quantity in (*OF_WHEELS, MARGIN):
            names = (self.base_name,) if quantity == MARGIN else self.contact_names
            statistics = self.margin if quantity == MARGIN else self.wheels
            place = () if quantity == MARGIN else (OF_WHEELS.index(quantity),)
        else:
            on_ground = () if self.wheels is None else (*OF_WHEELS, MARGIN)
            known = ", ".join((*COMPONENTS, *RESULTANTS, *OF_DRIVES, *on_ground))
            raise ValueError(f"no quantity '{quantity}'; there are {known}")
        if name not in names:
            what = "degree of freedom" if quantity in OF_DRIVES else "joint"
            what = "contact" if quantity in OF_WHEELS else "base" if quantity == MARGIN else what
            raise ValueError(f"no {what} '{name}'; there are {', '.join(names)}")
        at = (names.index(name), *place)
        values = {
            part: float(getattr(statistics, part)[at])
            for part in ("maximum", "minimum", "magnitude", "mean", "mean_magnitude", "rms", "cubic_mean",
                         "travel_cubic_mean")
        }
        samples = tuple(int(getattr(statistics, part)[at]) for part in ("maximum_at", "minimum_at", "magnitude_at"))
        unit = _GROUND_UNITS[quantity] if quantity in _GROUND_UNITS else unit_of(self.robot, name, quantity)
        least = "min" if quantity == MARGIN else "magnitude"
        bounds = [one.bound for one in self.worst_cases
                  if (one.name, one.quantity) == key and (one.sense != "min" or least == "min")]
        return Quantity(name, quantity, unit, **values, _of=self, _samples=cast(tuple[int, int, int], samples),
                        bound=bounds[0] if bounds else None)

    __iter__ = None

    def _peak(self, of: Quantity, value: float, sample: int) -> Peak:
        states = self.states
        if self.unknown.all():
            raise ValueError(f"{of.quantity.replace('_', ' ')} of '{of.name}' has no peak: no state is a number")
        if np.isnan(value) and of.quantity == "friction_used":
            raise ValueError(f"friction_used of '{of.name}' is not known: give the wheel, the ground or the base a "
                             "friction")
        if np.isnan(value):
            raise ValueError(f"joint '{of.name}' has no single axis, so it has no {of.quantity.replace('_', ' ')}")
        at, case = states.located(sample), states.case_of(sample)
        state = states.q[sample], states.qd[sample], states.qdd[sample]
        return Peak(of.name, of.quantity, value, at.sample, at.place, at.time, *state, case, self, sample, at.motion)

    def to_table(self) -> str:
        """Tables as text: the loads of the bearings, all components, the drives.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(1)
        >>> print(arm.peak_loads(lp.Motion.swing(arm, duration=1.0)).to_table())  # doctest: +ELLIPSIS
        Largest bearing loads, along and across the axis (N, N m)
        ...
        """
        return peaks_table.text(self)

    def _repr_html_(self) -> str:
        return peaks_table.html_of(self)

    def to_dataframe(self) -> DataFrame:
        """A pandas data frame with a row for each joint (or degree of freedom) and quantity."""
        return peaks_table.dataframe(self)

    def __repr__(self) -> str:
        states = f"{len(self.states)} state{'s' if len(self.states) != 1 else ''}"
        states = f"a box ({states})" if self.worst_cases else states
        over = states if self.duration is None else f"{self.duration:.6g} s"
        over += f" ({count_words(self.unknown)})" if self.unknown.any() else ""
        name = printable(self.robot.name)
        wheels = f", {len(self.contact_names)} contacts" if self.wheels is not None else ""
        return (f"<peak loads of '{name}' over {over}: {len(self.joint_names)} joints, {len(self.drive_names)} drives"
                f"{wheels}>")


@kept(maximum=100)
def _breakdown_at(peaks: PeakLoads, sample: int) -> LoadBreakdown:
    """All joint wrenches by cause in one of the states, which many peaks share."""
    states = peaks.states
    state = states.q[sample], states.qd[sample], states.qdd[sample]
    return load_breakdown(peaks.robot, *state, **states.case_of(sample).keywords, compiled=False)


@takes_loads
def peak_loads(
    robot: RobotQuantities,
    states: StatesLike | DutySpectrum,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    life_exponent: float = 3.0,
    **acting: Unpack[DriveLoadKeywords],
) -> PeakLoads:
    """The peaks of states: see `loadpath.bounds.peaks`, which also finds the worst of a box of them."""
    if not life_exponent >= 1:
        raise ValueError(f"life_exponent is {life_exponent}: expected 1 or more, like 3 or 10/3")
    case = acting["under"]
    every = states_of(robot, "peak_loads", states, qd, qdd, case)
    axes, joints = axes_of(robot), len(robot.closed_joint_names)
    shapes = {"components": (joints, 6), "resultants": (joints, 6), "drive": (robot.n,), "speed": (robot.n,),
              "acceleration": (robot.n,), "power": (robot.n,)}
    into = {name: Accumulator(shape, life_exponent) for name, shape in shapes.items()}
    done, returned = np.zeros(robot.n), np.zeros(robot.n)
    unknown = np.zeros(len(every), dtype=bool)
    for block in every.blocks(WRENCH_BLOCK):
        q, speed, acceleration = block.arrays
        weight, numbers = every.weights[block.rows], np.arange(block.first, block.first + len(block))
        wrenches = robot.joint_wrenches(*block.arrays, **block.case.keywords)
        tau = robot.inverse_dynamics(*block.arrays, **block.case.keywords)
        components = np.concatenate([wrenches.force, wrenches.torque], axis=-1)
        bad = not_finite(components, 2) | not_finite(tau, 1)
        if bad.any():
            unknown[numbers] = bad
            known = ~bad
            q, speed, acceleration, weight = q[known], speed[known], acceleration[known], weight[known]
            tau, components, numbers = tau[known], components[known], numbers[known]
        travelled = travel(robot, q, speed)[..., None]
        into["components"].add(components, weight, numbers, travelled)
        across = resultants(axes, components[..., :3], components[..., 3:])
        into["resultants"].add(across, weight, numbers, travelled)
        into["drive"].add(tau, weight, numbers, np.abs(speed))
        into["speed"].add(speed, weight, numbers)
        into["acceleration"].add(acceleration, weight, numbers)
        power = tau * speed
        into["power"].add(power, weight, numbers)
        done += weight @ np.maximum(power, 0.0)
        returned += weight @ np.minimum(power, 0.0)
    results: dict[str, Any] = {name: accumulator.result() for name, accumulator in into.items()}
    duration = every.duration
    if unknown.any():
        done, returned = np.full(robot.n, np.nan), np.full(robot.n, np.nan)
        warn_of_unknown(unknown.reshape(every.shape), "peak_loads", "left out")
    work = (None, None) if duration is None else (done * duration, returned * duration)
    peaks = PeakLoads(**results, work_done=work[0], work_returned=work[1], robot=robot, states=every, unknown=unknown)
    for problem in beyond_effort(robot, peaks):
        warn(problem)
    return peaks


def beyond_effort(robot: RobotQuantities, peaks: PeakLoads) -> list[str]:
    """Drives that give more than the model's effort limits, with the sample where it is most."""
    found = []
    for k, effort in enumerate(effort_limits(robot)):
        most = float(peaks.drive.magnitude[k])
        if most > effort * (1 + SLACK):
            name, sample = robot.dof_names[k], int(peaks.drive.magnitude_at[k])
            found.append(f"the drive of joint '{name}' would have to give {most:.6g} {unit_of(robot, name, 'drive')} "
                         f"at {peaks.states.where(sample)}, more than its limit {effort:.6g}")
    return found
