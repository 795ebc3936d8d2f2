"""`robot.stop(motion, at=..., category=0|1|2)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from loadpath.errors import ModelError
from loadpath.fastest.asked import Given
from loadpath.fastest.result import Fastest
from loadpath.motion.motion import Motion
from loadpath.progress import Report, reporting
from loadpath.quantities.wrench import Wrench
from loadpath.robot.ends import loose_ends_of
from loadpath.robot.numbers import number
from loadpath.robot.units_of_text import in_si
from loadpath.scalars.types import Floats
from loadpath.simulate.power_off import BrakeLike
from loadpath.simulate.result import Simulation
from loadpath.stops.braking import braking, stands
from loadpath.stops.power_off import Acting, PowerOff, brakes_for
from loadpath.stops.reading import instants_of, motion_of
from loadpath.stops.result import By, Category, Stop, farthest, way_of

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

LONGEST = 10.0
LOOKED_AT, LOOKED_AT_RTOL = 100.0, 1e-6
"""Samples a second, and `rtol`, where only the worst instant is looked for."""
REST = 1e-5
"""s after braking: the sample that has what holds it."""


class _Asked(NamedTuple):
    """What is asked for, read."""

    robot: RobotQuantities
    motion: Motion
    category: Category
    power_off: PowerOff | None
    links: tuple[str, ...]
    limits: Given | None
    factor: float | Mapping[str, float]
    elastic: bool
    hold: bool
    external: Mapping[str, Wrench] | None


def stop(
    robot: RobotQuantities,
    motion: Motion | Simulation,
    at: float | str | Sequence[float] | Floats = "worst",
    *,
    category: Literal[0, 1, 2] = 0,
    brakes: Mapping[str, BrakeLike] | None = None,
    delay: float | Mapping[str, float] | None = None,
    gear_losses: bool = True,
    elastic: bool = True,
    hold: bool = True,
    external: Mapping[str, Wrench] | None = None,
    by: By = "distance",
    link: str | None = None,
    limits: Given | None = None,
    factor: float | Mapping[str, float] = 1.0,
    longest: float = LONGEST,
    progress: bool | Report = False,
) -> Stop:
    """A stop from an instant of a motion: how long it takes, how far joints and tip go, the heat of each brake, and the
    peaks of all loads on the way, by cause. See `Stop`.

    `at` is the instant (s); "worst" is the worst of all samples of the motion, an array of instants the worst of these,
    `by` the "distance" of the tip, the "time" or the "heat" of all brakes.

    - `category=0`: all drives are off at once. All joints move on together under gravity, springs, friction and the
      losses of their gears (`gear_losses`, in the direction of power), and brakes grip when they do.
    - `category=1`: the drives brake along the rest of the motion's path, as quickly as the limits let them (`limits`
      and `factor` as in `robot.fastest`: by default the robot's own efforts and speeds, and what its parts can take).
      Where it rests they hold until the brakes have gripped, and the power goes off; with `hold=False` it is off as
      soon as it rests, and the robot sags until they do (`sag` says how far it would).
    - `category=2`: the same, and the drives hold it.

    Loads are those of gears that give way and ring where a stiffness is known of them (`elastic`), else of stiff ones.

    `brakes` are those of joints, an `lp.Brake` or N m (N) at the joint, else those of `with_parts`; a `delay` (s), one
    or by joints, takes the place of their response times. `link` is the one whose way counts, unless given of all ends
    the one that goes farthest. `external` are wrenches on links that
    stay (category 0). `brakes={}` lets the robot fall; a joint at an end of its range ends the stop there (`end_stop`).
    What still moves after `longest` seconds without power is an error that names it.

    >>> import loadpath as lp
    >>> wheel = lp.catalog.planar(1, gravity=0)                                       # a rod: 1/3 kg m^2
    >>> turns = lp.Motion([0.0, 1.0], [[0.0], [6.0]], [[6.0], [6.0]], [[0.0], [0.0]])
    >>> found = wheel.stop(turns, at=0.5, brakes={"joint1": 20.0}, delay=0.05)
    >>> round(found.time, 9), round(float(found.moved[0]), 9), round(float(found.heat[0]), 9)  # 0.05 + I w / T, ...
    (0.15, 0.6, 6.0)
    """
    asked = _read(robot, motion, category, brakes, delay, gear_losses, link, limits, factor, longest, elastic, hold,
                  external)
    if by not in get_args(By):
        raise ValueError(f"stop: by is {by!r}: expected 'distance', 'time' or 'heat'")
    if by == "heat" and category == 2:
        raise ValueError("stop: of category 2, which the drives hold, there is no heat in brakes: by='time' or "
                         "'distance'")
    instants = instants_of(asked.motion, at, "stop")
    if isinstance(at, str) or np.ndim(at):
        sizes = np.empty(len(instants))
        with reporting(progress, f"stops of {robot.name}") as report:
            for k, t in enumerate(instants.tolist()):
                sizes[k] = _size(asked, t, by)
                report((k + 1) / len(instants))
        return _stop(asked, float(instants[sizes.argmax()]), by, instants, sizes)
    return _stop(asked, float(instants[0]), None, np.empty(0), np.empty(0))


def _read(
    robot: RobotQuantities, motion: Motion | Simulation, category: Category, brakes: Mapping[str, BrakeLike] | None,
    delay: float | Mapping[str, float] | None, gear_losses: object, link: str | None, limits: Given | None,
    factor: float | Mapping[str, float], longest: float, elastic: object,
    hold: object, external: Mapping[str, Wrench] | None,
) -> _Asked:
    if isinstance(category, bool) or category not in (0, 1, 2):
        raise ValueError(f"stop: category is {category!r}: expected 0 (drives off), 1 (braked by the drives, then off) "
                         "or 2 (braked and held)")
    motion = motion_of(robot, motion, "stop")
    if gear_losses not in (True, False):
        raise ValueError(f"stop: 'gear_losses' is {gear_losses!r}: expected True or False")
    for name, value in (("elastic", elastic), ("hold", hold)):
        if value not in (True, False):
            raise ValueError(f"stop: {name!r} is {value!r}: expected True or False")
    if external and category != 0:
        raise ModelError(f"stop: wrenches from outside (on {', '.join(map(repr, external))}) and category={category} "
                         "do not go together: the fastest braking along a path knows none; category=0 takes them")
    power_off = None
    if category != 2:
        most = number(in_si(longest, ("time",), "longest"), "stop: 'longest'")
        if most <= 0:
            raise ValueError(f"stop: 'longest' is {longest} s: expected more than zero")
        power_off = PowerOff(robot, brakes_for(robot, brakes, delay), bool(gear_losses), most,
                             Acting(constant(external)))
        if most <= power_off.grips.max(initial=0.0):
            raise ValueError(f"stop: 'longest' is {most:g} s, and a brake grips after {power_off.grips.max():g} s")
    elif brakes is not None or delay is not None:
        raise ValueError("stop: of category 2 the drives hold the robot: it takes no brakes or delay")
    links = loose_ends_of(robot) if link is None else (robot.link(link).name,)
    return _Asked(robot, motion, category, power_off, links, limits, factor, bool(elastic), bool(hold), external)


def constant(external: Mapping[str, Wrench] | None) -> Mapping[str, Wrench] | None:
    """Wrenches that are the same all the time, or an error."""
    for name, wrench in (external or {}).items():
        if not isinstance(wrench, Wrench) or wrench.force.ndim != 1 or wrench.torque.ndim != 1:
            raise ValueError(f"stop: 'external' on '{name}' is not one wrench, the same all the time: expected "
                             "lp.Wrench(force=(x, y, z))")
    return external or None


def _braked(asked: _Asked, t: float, *, final: bool) -> tuple[Fastest | None, Floats, Floats]:
    """How the drives brake, if they do, and the state from which the power is off."""
    here = asked.motion.at(t)
    if asked.category == 0:
        return None, here.q[0], here.qd[0]
    if stands(asked.motion, here.qd[0]):
        return None, here.q[0], np.zeros(asked.robot.n)
    found = braking(asked.robot, asked.motion, t, asked.limits, asked.factor, final=final)
    return found, found.at(found.duration)[0][0], np.zeros(asked.robot.n)


def _off(asked: _Asked, power_off: PowerOff) -> PowerOff:
    """How the power goes off: of category 1 after the brakes have gripped, unless it is not to wait for them."""
    return power_off.held if asked.category == 1 and asked.hold else power_off


def _size(asked: _Asked, t: float, by: By) -> float:
    """Of the stop from one instant, about."""
    braked, q, qd = _braked(asked, t, final=False)
    time, ways, heat = 0.0, [np.array(q)[None]], 0.0
    if braked is not None:
        time = braked.duration
        ways.insert(0, braked.at(np.linspace(0, time, 20))[0])
    if asked.power_off is not None:
        try:
            run, first = _off(asked, asked.power_off).coarse(q, qd, LOOKED_AT, LOOKED_AT_RTOL)
        except ModelError as why:
            raise ModelError(f"{why}; at t = {t:.6g} s of the motion") from why
        if by == "time":
            time += _off(asked, asked.power_off).rest(run, first)
        heat = 0.0 if run.joint_brake_heat is None else float(run.joint_brake_heat[-1].sum())
        ways.append(run.q[: first + 1])
    if by == "distance":
        way = np.concatenate(ways)
        return max(way_of(asked.robot, way, link) for link in asked.links)
    return time if by == "time" else heat


def _stop(asked: _Asked, t: float, by: By | None, instants: Floats, sizes: Floats) -> Stop:
    robot = asked.robot
    braked, q, qd = _braked(asked, t, final=True)
    pieces: list[tuple[Floats, Floats, Floats, Floats]] = []
    time = 0.0
    if braked is not None:
        time = braked.duration
        pieces.append((braked.motion.t, braked.motion.q, braked.motion.qd, braked.motion.qdd))
    simulation = None
    if asked.power_off is not None:
        simulation, rest = _off(asked, asked.power_off).whole(q, qd)
        later = REST if pieces else 0.0
        pieces.append((time + later + simulation.times, simulation.q, simulation.qd, simulation.qdd))
        time += rest
    else:
        still = np.zeros((2, robot.n))
        pieces.append((time + np.array([REST, 2 * REST]), np.stack([q, q]), still, still))
    t_all, q_all, qd_all, qdd_all = (np.concatenate(part) for part in zip(*pieces, strict=True))
    motion = Motion.from_checked(t_all, q_all, qd_all, qdd_all, robot)
    tip = farthest(robot, motion.q, asked.links)
    return Stop(robot, asked.category, t, time, motion, braked, simulation, tip, asked.motion, asked.power_off,
                asked.elastic, asked.hold, asked.external, by, instants, sizes)
