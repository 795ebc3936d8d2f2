"""Stopping time and distance of the first joints at thirds of speed, payload and extension (ISO 10218-1, Annex B)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from loadpath.datasheet.configurations import Ranges, extension
from loadpath.datasheet.with_drives import braking_limits, stops_by_drives
from loadpath.datasheet.without_power import Alone, Stopped
from loadpath.errors import ModelError
from loadpath.loads.resultants import effort_limits
from loadpath.parts.fitting import parts_of
from loadpath.parts.motors.brake import stops
from loadpath.parts.motors.motor import Motor, limit_at
from loadpath.quantities.carriers import drive_names
from loadpath.report.blocks import listed
from loadpath.report.peaks import speed_limits
from loadpath.robot.parts import Joint
from loadpath.scalars.types import Floats
from loadpath.simulate.power_off import BrakeLike, Brakes, GearLosses, read_brakes, read_losses
from loadpath.stops.power_off import brakes_for

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

SHARES = (1 / 3, 2 / 3, 1.0)
SENSES = (1.0, -1.0)
JOINTS = 3
DRAWN = 12_000
NEAR = 0.02
"""Of the reach: configurations whose extension is within this of a share of it have that extension."""
CLIMBERS = 16
NEVER = 1e12
"""A way that is longer than any: of those that never end, the one on which weight drives most is the longest."""

Loaded = Callable[[float], "RobotQuantities"]
"""The robot with a share of its rated payload."""


@dataclass(frozen=True, eq=False)
class JointStops:
    """How one joint stops that moves alone, in one category. Arrays are (extensions, loads, speeds)."""

    joint: str
    category: Literal[0, 1]
    turns: bool
    speed: float
    """rad/s or m/s at 100 %."""
    reach: float
    """m: the farthest that the tip gets from the joint's axis, 100 % of the extension."""
    extensions: tuple[float, ...]
    """Shares of the reach at which there are configurations."""
    loads: tuple[float, ...]
    """Shares of the payload."""
    speeds: tuple[float, ...]
    q: Floats
    """(extensions, n): where the stops begin: of all configurations drawn, those with the longest way."""
    directions: tuple[float, ...]
    """Of the speed, 1 or -1, by extensions."""
    time: Floats
    """s from the stop signal on; NaN where the joint does not stop."""
    distance: Floats
    """rad or m."""

    @property
    def arc(self) -> Floats:
        """m: how far the tip goes at the extension; of a joint that slides the distance itself."""
        radius = np.array(self.extensions) * self.reach
        found: Floats = self.distance * radius[:, None, None] if self.turns else self.distance
        return found


@dataclass(frozen=True, eq=False)
class Stopping:
    """The stopping tables of a robot, from `robot.datasheet().stopping`."""

    tip: str
    mass: float
    """kg: the payload at 100 %."""
    tables: tuple[JointStops, ...]
    left_out: tuple[str, ...]
    """What there is no table of, and what to give: a sentence each."""

    def __getitem__(self, key: tuple[str, int]) -> JointStops:
        """Of a joint and a category: `stopping["joint1", 0]`."""
        for table in self.tables:
            if (table.joint, table.category) == key:
                return table
        there = ", ".join(str((table.joint, table.category)) for table in self.tables)
        raise KeyError(f"no stops of joint and category {key}: there are {there or 'none'}")


@dataclass(frozen=True, eq=False)
class _Place:
    """A joint with the configurations at each extension."""

    joint: Joint
    column: int
    speed: float
    reach: float
    extensions: tuple[float, ...]
    q: tuple[Floats, ...]


def stopping(
    loaded: Loaded,
    mass: float,
    tip: str,
    speeds: Floats,
    *,
    brakes: Mapping[str, BrakeLike] | None = None,
    report: Callable[[float], None] = lambda share: None,
) -> Stopping:
    """Stops of the first three joints of an arm, of category 0 (drives off, brakes) and 1 (the drives brake, then the
    brakes hold): each joint alone at a share of its speed, all others standing.

    >>> import loadpath as lp
    >>> rod = lp.catalog.planar(1, gravity=0)                                                    # 1/3 kg m^2
    >>> found = stopping(lambda share: rod, 0.0, "tip", np.array([6.0]), brakes={"joint1": 20.0})
    >>> float(found["joint1", 0].time[0, 0, -1].round(9)), float(found["joint1", 0].distance[0, 0, -1].round(9))
    (0.1, 0.3)
    """
    robot = loaded(1.0)
    ranges = Ranges.of(robot)
    joints = _first_joints(robot, tip)
    loads = SHARES if mass > 0 else (1.0,)
    robots = [loaded(share) for share in loads]
    left_out: list[str] = []
    columns = {joint.name: robot.v_slices[joint.name].start for joint in joints}
    unknown = [name for name, column in columns.items() if not math.isfinite(speeds[column])]
    if unknown:
        left_out.append(f"Stops of {listed(unknown)}: no largest speed is known. Give one, "
                        f"robot.with_limits({{'{unknown[0]}': lp.Limits(velocity=...)}}), or a motor's max_speed.")
    places = [_place(robot, ranges, joint, columns[joint.name], float(speeds[columns[joint.name]]), tip)
              for joint in joints if joint.name not in unknown]
    losses, why = _losses(robot)
    left_out += why
    tables: list[JointStops] = []
    try:
        known = read_brakes(robot, brakes_for(robot, brakes, None))
    except ModelError as problem:
        known = None
        left_out += [f"Stops of category 0: {problem}".replace(": stop: ", ": ").rstrip(".") + "."] if places else []
    without_brake: list[str] = []
    without_limit: list[str] = []
    for k, place in enumerate(places):
        report(k / len(places))
        if known is not None and place.column in known.joints:
            tables.append(_without_power(place, loads, robots, known, losses))
        elif known is not None:
            without_brake.append(place.joint.name)
        report((k + 0.5) / len(places))
        if math.isfinite(_drive_torque(robot, place)):
            tables.append(_by_drives(place, loads, robots))
        else:
            without_limit.append(place.joint.name)
    if without_brake:
        left_out.append(f"Stops of category 0 of {listed(without_brake)}: there is no brake. Fit one, "
                        f"robot.with_parts({{'{without_brake[0]}': lp.Brake(...)}}).")
    if without_limit:
        left_out.append(f"Stops of category 1 of {listed(without_limit)}: nothing limits the drive. Give an effort, "
                        f"robot.with_limits({{'{without_limit[0]}': lp.Limits(effort=...)}}), or a motor.")
    report(1.0)
    return Stopping(tip, mass, tuple(tables), tuple(left_out))


def _first_joints(robot: RobotQuantities, tip: str) -> list[Joint]:
    """The first driven joints on the way to the tip."""
    on = {joint.child: joint for joint in robot.joints}
    chain, link = [], tip
    while link in on:
        chain.append(on[link])
        link = on[link].parent
    drives = drive_names(robot)
    return [joint for joint in reversed(chain) if joint.motion.dof == 1 and joint.mimic is None
            and joint.name in drives][:JOINTS]


def _losses(robot: RobotQuantities) -> tuple[GearLosses | None, list[str]]:
    try:
        return read_losses(robot, True), []
    except ModelError as problem:
        return None, [f"Losses of gears in stops: {problem}".rstrip(".") + "."]


def _place(robot: RobotQuantities, ranges: Ranges, joint: Joint, column: int, speed: float, tip: str) -> _Place:
    """Configurations at each extension, the farthest led on until nothing gets any farther."""
    q = ranges.draw(DRAWN)
    away = extension(robot, q, joint, tip)
    outermost = np.argsort(-away)[:CLIMBERS]
    q_far, far = ranges.climb(lambda q: extension(robot, q, joint, tip), q[outermost], (column,))
    q, away = np.concatenate([q, q_far]), np.concatenate([away, far])
    reach = float(away.max())
    extensions, of_each = [], []
    for share in SHARES:
        near = np.abs(away - share * reach) <= NEAR * reach
        if near.any():
            extensions.append(share)
            of_each.append(q[near])
    return _Place(joint, column, speed, reach, tuple(extensions), tuple(of_each))


def _drive_torque(robot: RobotQuantities, place: _Place) -> float:
    """N m (N) at the joint: what its drive gives at most, of its effort limit and its motor."""
    name = place.joint.name
    found = float(effort_limits(robot)[place.column])
    trains = dict(robot.drive_trains)
    for joint, part in parts_of(robot):
        if joint == name and isinstance(part, Motor) and name in trains:
            ratio = abs(trains[name].ratio or 1.0)
            peak = limit_at(part.peak_torque, part.intermittent_curve, np.array(place.speed * ratio))
            if peak is not None:
                found = min(found, ratio * float(peak))
    return found


Robots = Sequence["RobotQuantities"]


def _without_power(
    place: _Place, loads: tuple[float, ...], robots: Robots, brakes: Brakes, losses: GearLosses | None
) -> JointStops:
    """Category 0: with each load."""
    alone = [Alone.of(each, place.column, brakes, losses) for each in robots]
    torque = alone[-1].before / alone[-1].backward + alone[-1].beside
    q, directions = _worst(place, alone[-1], torque, alone[-1].grips)
    return _table(place, 0, loads, q, directions, [each.stop for each in alone])


def _by_drives(place: _Place, loads: tuple[float, ...], robots: Robots) -> JointStops:
    """Category 1: with each load."""
    q, directions = _worst(place, Alone(robots[-1], place.column), _drive_torque(robots[-1], place), 0.0)
    every = [partial(stops_by_drives, each, braking_limits(each), place.column) for each in robots]
    return _table(place, 1, loads, q, directions, every)


def _worst(place: _Place, alone: Alone, torque: float, delay: float) -> tuple[Floats, tuple[float, ...]]:
    """Of the configurations at each extension the one with the longest way, as it is of a constant weight, at full
    speed and load, and the direction of the speed; of several alike the first.
    """
    chosen, directions = [], []
    for q in place.q:
        weight, inertia = alone.load(q, 0.0), alone.inertia(q)
        both = [stops(sense * np.full(len(q), place.speed), weight, inertia, torque, delay) for sense in SENSES]
        ways = np.stack([np.where(np.isfinite(one.distance), one.distance, NEVER + one.driving) for one in both])
        sense, row = np.unravel_index(int(np.argmax(ways)), ways.shape)
        chosen.append(q[row])
        directions.append(SENSES[int(sense)])
    return np.array(chosen), tuple(directions)


def _table(
    place: _Place, category: Literal[0, 1], loads: tuple[float, ...], q: Floats, directions: tuple[float, ...],
    stop: Sequence[Callable[[Floats, Floats], Stopped]],
) -> JointStops:
    """Stops from these configurations, with what computes them for each load."""
    shape = (len(q), len(loads), len(SHARES))
    time, way = np.empty(shape), np.empty(shape)
    starts = np.repeat(q, len(SHARES), axis=0)
    speeds = np.outer(directions, place.speed * np.array(SHARES)).ravel()
    for n, of_load in enumerate(stop):
        found = of_load(starts, speeds)
        time[:, n], way[:, n] = found.time.reshape(-1, len(SHARES)), found.way.reshape(-1, len(SHARES))
    return JointStops(place.joint.name, category, bool(place.joint.motion.angular[0]), place.speed, place.reach,
                      place.extensions, loads, SHARES, q, directions, time, way)


def largest_speeds(robot: RobotQuantities) -> Floats:
    """(n,): the largest speed of each joint, of its limit and its motor; infinite where neither is known.

    >>> import loadpath as lp
    >>> largest_speeds(lp.catalog.panda()).round(3).tolist()[:2]
    [2.175, 2.175]
    """
    found = speed_limits(robot)
    trains = dict(robot.drive_trains)
    for joint, part in parts_of(robot):
        if isinstance(part, Motor) and joint in trains and joint in robot.dof_names:
            curve = part.intermittent_curve
            most = min(part.max_speed or math.inf, math.inf if curve is None else curve[-1][0])
            k = robot.dof_names.index(joint)
            found[k] = min(found[k], most / abs(trains[joint].ratio or 1.0))
    return found
