"""Options that cannot hold whatever is chosen at the other joints: found before the search, so that it need not try.

The loads of a joint are affine functions of the masses that are chosen, L = L0 + sum of m_k U_k, and each mass lies
between that of the lightest and of the heaviest option. So every sample of a force or torque lies in an interval, and
a check that grows with its magnitude is at least what it is with the value of that interval nearest to zero, sample by
sample. Where that exceeds a limit, all combinations with the option do. What it leaves out (wrenches of bearings,
examiners without rules) is left to the search. Fewer options leave smaller intervals: it is done until none goes.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.parts.part import JointLoads, MotorSide
from loadpath.parts.rules import motor_at
from loadpath.parts.sizing.loads import Affine, SeatLoads, Train
from loadpath.parts.sizing.stations import Ruled, Station
from loadpath.parts.verdict.limits import LABEL, LIMIT_SLACK
from loadpath.scalars.types import Bools, Floats

if TYPE_CHECKING:
    from loadpath.parts.sizing.search import Tree

BY_MAGNITUDE = ("gear", "holding", "drive", "motor", "inertia")
"""Loads whose intervals are known."""
SCALES = (0.0, 0.5, 1.0, 1.5)


class Bound(NamedTuple):
    """The least utilisation of an option, and which check it is of."""

    size: float
    label: tuple[str, str]


def hopeless(tree: Tree) -> list[tuple[int, int, Bound]]:
    """Level, number and least utilisation of options that cannot hold, until no more are found."""
    stations = {station.name: station for level in tree.stations for station in level}
    alive: list[Bools] = [np.ones(len(several), dtype=bool) for several in tree.options]
    found: list[tuple[int, int, Bound]] = []
    while True:
        low, high = (np.array([of(masses[some]) for masses, some in zip(tree.masses, alive, strict=True)])
                     for of in (np.min, np.max))
        more = [(level, int(number), bound) for level, joint in enumerate(tree.joints) if joint in stations
                for number in np.flatnonzero(alive[level])
                if (bound := least(stations[joint], int(number), low, high)).size > 1.0 + LIMIT_SLACK]
        found += more
        for level, number, _ in more:
            alive[level][number] = False
        if not more or not all(some.any() for some in alive):
            return found


def least(station: Station, number: int, low: Floats, high: Floats) -> Bound:
    """What a joint uses at least with one of its options, of all masses between two."""
    bounds = [_effort(station, number, low, high)]
    if station.loads is not None:
        for judge in station.judges[number]:
            loads = _nearest_loads(station.loads, station.variants[number].train, low, high)
            bounds += [Bound(float(judge.by_rule(one.rule, one.check, loads, 1)[0]),
                             (judge.part.label, one.check.check))
                       for one in judge.ruled if _grows(one, loads)]
    return max(bounds, key=lambda bound: bound.size)


def _effort(station: Station, number: int, low: Floats, high: Floats) -> Bound:
    if station.effort is None:
        return Bound(0.0, ("", ""))
    tau, acceleration, reflected, limit = station.effort
    train = station.variants[number].train
    more = 0.0 if train is None else (train.reflected - reflected) * acceleration
    ends = [end + more for end in _ends(tau, low, high)]
    return Bound(float(np.abs(_nearest(*ends)).max() / limit), (LABEL, "effort"))


def _ends(signal: Affine, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The interval of each sample."""
    several = [bound.reshape(-1, *[1] * (signal.slopes.ndim - 1)) * signal.slopes for bound in (low, high)]
    return signal.base + np.minimum(*several).sum(axis=0), signal.base + np.maximum(*several).sum(axis=0)


def _nearest(low: Floats, high: Floats) -> Floats:
    """Of each interval what is nearest to zero."""
    return np.where(low > 0, low, np.where(high < 0, high, 0.0))


def _nearest_loads(seat: SeatLoads, train: Train | None, low: Floats, high: Floats) -> JointLoads:
    """Loads of one design, each sample of each with the least magnitude that it has with any masses between two."""
    loads = seat.of(low[None], train, wrench=False)
    values: dict[str, Any] = {}
    for name in ("holding", "inertia"):
        if name in seat.arrays:
            ends = _ends(seat.arrays[name], low, high)
            more = train.reflected - seat.reflected if name == "inertia" and train is not None else 0.0
            values[name] = _nearest(ends[0] + more, ends[1] + more)
    if "gear" in seat.arrays:
        ends = _ends(seat.arrays["gear"], low, high)
        values["gear"] = _nearest(*ends)
        if train is not None:
            drives = [end + train.reflected * seat.acceleration for end in ends]
            values["drive"] = _nearest(drives[0], drives[1])
            if train.motors is not None:
                both = [motor_at(train.motors, train.number, drive, seat.speed, seat.acceleration) for drive in drives]
                torque, current = (_nearest(*np.sort([getattr(one, part) for one in both], axis=0))
                                   for part in ("torque", "current"))
                values["motor"] = replace(both[0], torque=torque, current=current)
    return replace(loads, **values)


def _grows(one: Ruled, loads: JointLoads) -> bool:
    """Whether a check grows with the magnitude of the one load that it reads, and does not care for its sign."""
    if len(one.reads) != 1 or not one.reads <= set(BY_MAGNITUDE) or one.rule.reduction == "average":
        return False
    (name,) = one.reads
    value = getattr(loads, name)
    signals = [np.asarray(one.rule.signal(replace(loads, **{name: _scaled(value, scale)}))) for scale in SCALES]
    other = np.asarray(one.rule.signal(replace(loads, **{name: _scaled(value, -1.0)})))
    slack = 1e-12 * max(float(np.abs(signals[-1]).max(initial=0.0)), 1e-300)
    rises = all((b >= a - slack).all() for a, b in pairwise(signals))
    even = bool(np.allclose(other, signals[2], rtol=1e-12, atol=slack))
    return rises and (even or name == "inertia") and bool((signals[0] >= -slack).all())


def _scaled(value: Any, scale: float) -> Any:
    if isinstance(value, MotorSide):
        return replace(value, torque=scale * value.torque, current=scale * value.current)
    return scale * value
