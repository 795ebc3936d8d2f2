"""What the ground asks of a rover over its motions: ratings of the wheels, tipping over, slipping."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy  # its parts are imported where they are first used

from loadpath.errors import ModelError, ModelWarning
from loadpath.mobile.motions import base_rows
from loadpath.mobile.off_the_plane import OffThePlane
from loadpath.mobile.wheel_motors import MotorChecks
from loadpath.parts.fitting import WheelRating
from loadpath.parts.part import GROUND, Check, Instant, not_checked
from loadpath.robot.wheels.ground import Ground
from loadpath.scalars.types import Bools, Floats

if TYPE_CHECKING:
    from loadpath.mobile.loads import WheelLoads
    from loadpath.mobile.rover import Rover
    from loadpath.mobile.stability import Stability
    from loadpath.parts.verdict.duties import Duty

Found = list[tuple[str, str, str, Check]]
"""Where, the part's name, its kind, and the check."""

TIPPING, SLIP, FALLING, IMPACTS = "tipping over", "slip", "falling over", "impacts"

_ROLLS = 1e-6
"""m/s: slower is standing."""


def ground_checks(
    rover: Rover, duties: Sequence[Duty], bases: Sequence[Mapping[str, Any]], runs: Sequence[OffThePlane | None] = ()
) -> tuple[Found, tuple[Bools, ...]]:
    """All checks, and of each motion which states are not numbers. `runs` are what became of motions in which the base
    was a free body.
    """
    worst: dict[tuple[str, str], Check] = {}
    unknown = []
    radius = inner_radius(rover)
    slides = _friction_missing(rover)
    motors = MotorChecks(rover)
    for duty, base in zip(duties, bases, strict=True):
        bad = np.zeros(len(duty), dtype=bool)
        for block in duty.blocks():
            rows = slice(block.first, block.first + len(block))
            own = base_rows(base, rows, duty.states.shape)
            with warnings.catch_warnings():  # said of the whole in the end
                warnings.simplefilter("ignore", ModelWarning)
                standing = rover.stability(*block.arrays, **own)
                gripping = None if slides else rover.slip(*block.arrays, **own)
                rated = wheel_checks(rover, dict(rover.ratings), block.arrays, **own) if rover.ratings else []
                if motors.wheels:
                    motors.add(rover.wheel_loads(*block.arrays, **own), block)
            margin = np.broadcast_to(standing.margin, (len(block),))
            bad[rows] = np.isnan(margin)
            tipping = _tipping(margin, radius, duty, block.first)
            told = tipping.at is not None and not duty.carried and np.isfinite(margin[tipping.at.sample - block.first])
            if _keep(worst, (rover.name, TIPPING), tipping) and told and tipping.at is not None:
                at = np.array([tipping.at.sample - block.first])
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ModelWarning)
                    there = rover.stability(*(part[at] for part in block.arrays), **base_rows(own, at, (len(block),)))
                note = f"{tipping.note} ({_joules_and_degrees(there)} there)"
                worst[rover.name, TIPPING] = replace(tipping, note=note)
            if gripping is not None:
                for k, name in enumerate(rover.contact_names):
                    _keep(worst, (name, SLIP), _slipping(gripping, k, duty, block.first, len(block)))
            for name, check in rated:
                _keep(worst, (name, check.check), _placed(check, duty, block.first))
        unknown.append(bad)
    for duty, run in zip(duties, runs, strict=False):
        if run is not None:
            _of_run(worst, rover, run, duty, radius)
    labels = {name: rating.label for name, rating in rover.ratings}
    kinds = {rover.name: "base"}
    found: Found = [(name, labels.get(name, kinds.get(name, "wheel")), kinds.get(name, "wheel"), check)
                    for (name, _), check in worst.items()]
    found += [(name, label, "wheel drive", check) for name, label, check in motors.checks()]
    if slides:
        found.append((rover.name, "base", "base", not_checked(SLIP, slides)))
    return found, tuple(unknown)


def _of_run(
    worst: dict[tuple[str, str], Check], rover: Rover, run: OffThePlane, duty: Duty, radius: float
) -> None:
    """What a run as a free body adds: that it left its stance, how near it was to falling over, impacts."""
    for key, check in worst.items():  # causes are of a base on the plane
        worst[key] = replace(check, along=None)
    leaves = run.leaves
    if leaves is not None:
        at = _instant(duty, leaves)
        worst[rover.name, TIPPING] = Check(TIPPING, radius, radius, "m", math.inf, at, note=run.words)
    now, flat = run.left_to_fall
    k = int(np.nanargmin(now - np.abs(flat)))
    demand, capacity = (math.degrees(float(part)) for part in (flat[k] - now[k], flat[k]))
    share = math.inf if run.falls is not None or not capacity > 0 else max(demand, 0.0) / capacity
    note = "how far it was turned from flat on the ground, of how far its mass center would be over an edge"
    _keep(worst, (rover.name, FALLING), Check(FALLING, max(demand, 0.0), capacity, "deg", share,
                                              Instant(duty.number, k, duty.time_of(k)), note=note))
    for k, name in enumerate(rover.contact_names):
        slides = np.flatnonzero(run.run.sliding[:, k] & (run.run.normal[:, k] > 0))
        key = name, SLIP
        if len(slides) and key in worst:
            said = f"slides at {run.run.times[slides[0]]:.4g} s"
            worst[key] = replace(worst[key], note="; ".join(part for part in (worst[key].note, said) if part))
    if run.impacts and (rover.ratings or rover.robot.parts):
        why = (f"{run.impact_words}: rigid contacts hit in no time, with a force of no finite size. The loads of "
               "wheels and joints are those before and after. Wheels with a stiffness and damping have them")
        worst[rover.name, IMPACTS] = not_checked(IMPACTS, why, "N s")


def _instant(duty: Duty, time: float) -> Instant:
    """The sample at or after a time."""
    times = np.array([duty.time_of(k) for k in range(len(duty))])
    k = min(int(np.searchsorted(times, time)), len(duty) - 1)
    return Instant(duty.number, k, duty.time_of(k))


def _placed(check: Check, duty: Duty, first: int) -> Check:
    """The check of a block with its instant in the whole motion."""
    if check.at is None:
        return check
    sample = first + check.at.sample
    return replace(check, at=Instant(duty.number, sample, duty.time_of(sample)))


def inner_radius(rover: Rover) -> float:
    """m: distance from the edges of the support polygon of the place that is farthest from all of them. Where wheels
    are on links, from the motions in which they tip, the loads on passive joints being those at rest at home.
    """
    if rover.linkage is not None:
        start, along = _at_home(rover)
    else:
        edges = rover.edges
        start, along = edges.start[edges.there], edges.along[edges.there]
    # Inside an edge by r: along x (point - start) >= r. The largest r over points x, y.
    rows = np.stack([along[:, 1], -along[:, 0], np.ones(len(along))], axis=-1)
    bound = along[:, 1] * start[:, 0] - along[:, 0] * start[:, 1]
    bounds = [(None, None), (None, None), (0, None)]
    solved = scipy.optimize.linprog([0.0, 0.0, -1.0], A_ub=rows, b_ub=bound, bounds=bounds)
    return float(solved.x[2])


def _at_home(rover: Rover) -> tuple[Floats, Floats]:
    """(edges, 2) each: beginnings and directions of the lines that the zero-moment point may not cross, wheels on links
    being at home on the level.
    """
    assert rover.linkage is not None
    corners = rover.on(Ground(gravity=rover.ground.gravity)).stability(rover.linkage.robot.home).support_polygon
    step = np.roll(corners, -1, axis=0) - corners
    return corners, step / np.linalg.norm(step, axis=-1, keepdims=True)


def _friction_missing(rover: Rover) -> str:
    """Why slip cannot be checked; nothing where it can."""
    try:
        _ = rover.frictions
    except ModelError as problem:
        return str(problem)
    return ""


def _tipping(margin: Any, radius: float, duty: Duty, first: int) -> Check:
    if np.isnan(margin).all():
        return not_checked(TIPPING, "no state is a number", "m")
    k = int(np.nanargmin(margin))
    least = float(margin[k])
    demand = max(radius - least, 0.0)
    at = Instant(duty.number, first + k, duty.time_of(first + k))
    note = f"least margin {least:.4g} m"
    return Check(TIPPING, demand, radius, "m", demand / radius, at, GROUND, note=note)


def _joules_and_degrees(standing: Stability) -> str:
    """The margins of one state in joules and degrees."""
    energy, tilt = (float(np.ravel(part)[0]) for part in (standing.energy_margin, np.degrees(standing.tilt_margin)))
    return f"{energy:.4g} J, {tilt:.3g}°"


def _slipping(found: Any, k: int, duty: Duty, first: int, count: int) -> Check:
    ratio = np.broadcast_to(found.ratio, (count, len(found.names)))[:, k]
    if np.isnan(ratio).all():
        return not_checked(SLIP, "no state is a number", "N")
    row = int(np.nanargmax(ratio))
    used, there = (float(np.broadcast_to(part, (count, len(found.names)))[row, k])
                   for part in (found.used, found.available))
    share = float(ratio[row])
    at = Instant(duty.number, first + row, duty.time_of(first + row))
    note = "nothing presses it to the ground" if math.isinf(share) else ""
    return Check(SLIP, used, there, "N", share, at, GROUND, note=note)


def _keep(worst: dict[tuple[str, str], Check], key: tuple[str, str], check: Check) -> bool:
    """The check of the largest utilisation; one that could be made before one that could not. Whether it is this."""
    old = worst.get(key)
    if old is None or not old.checked or (check.checked and check.utilisation > old.utilisation):
        worst[key] = check if check.checked or old is None else old
        return worst[key] is check
    return False


def wheel_checks(
    rover: Rover, ratings: Mapping[str, WheelRating], motion: Any = None, **base: Any
) -> list[tuple[str, Check]]:
    """Whether the wheels of a rover hold: pairs of a wheel and a check, in the order of the rover's contacts.

    `ratings` are by the names of the contacts. `motion` is a motion of the robots on the rover, a simulation, which
    brings the motion of the base, or a spectrum with `motions`; a base alone needs none. The motion of the base is
    `velocity=`, `acceleration=`, `heading=`, `steering=` as in `rover.wheel_loads`. States that are not numbers are
    left out, with a warning.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover(driven=True)
    >>> rating = lp.WheelRating(load=60.0, speed=2.0)
    >>> found = wheel_checks(rover, {"wheel1": rating}, [[0, 0, 0.5]], velocity=[[1.0, 0.0]])
    >>> [(wheel, check.check, check.holds) for wheel, check in found if check.checked]
    [('wheel1', 'load', True), ('wheel1', 'speed', True)]
    """
    for name, rating in ratings.items():
        if name not in rover.contact_names:
            raise ModelError(f"a rating is given for '{name}', which rover '{rover.name}' does not stand on; its "
                             f"contacts are {', '.join(rover.contact_names)}")
        if not isinstance(rating, WheelRating):
            raise ModelError(f"rating of '{name}' is {rating!r}: expected an lp.WheelRating(load=...)")
    motions = list(motion.motions) if hasattr(motion, "motions") else [motion]
    seen = [_Seen(k, getattr(each, "t", None), rover.wheel_loads(*_states(each), **base))
            for k, each in enumerate(motions)]
    rows = []
    for column, name in enumerate(rover.contact_names):
        if name in ratings:
            rows += [(name, check) for check in _checks(ratings[name], column, seen)]
    return rows


def _states(motion: Any) -> tuple[Any, ...]:
    if motion is None:
        return ()
    return motion if isinstance(motion, tuple) and not hasattr(motion, "t") else (motion,)


@dataclass(frozen=True, eq=False)
class _Seen:
    """The loads of all wheels in one motion."""

    number: int
    times: Floats | None
    loads: WheelLoads

    def column(self, values: Floats, k: int) -> Floats:
        """(samples,): of one contact; NaN where the state is not a number."""
        return np.reshape(values, (-1, len(self.loads.names)))[:, k]

    @property
    def speeds(self) -> Floats:
        """(..., contacts): speed over the ground along the rolling direction, m/s."""
        free = self.loads.state.free
        if free is not None:
            v, w = free.velocity[..., None, :3], free.velocity[..., None, 3:]
            at = v + np.cross(w, free.frames[..., 3])
            return np.asarray(np.abs((at * free.frames[..., 0]).sum(axis=-1)))
        state, ahead = self.loads.state, self.loads.forward
        if state.linked is not None:
            along = (state.rover.arrangement.velocities(state.placed, state.speeds) * ahead).sum(axis=-1)
            return np.broadcast_to(np.abs(along), self.loads.normal.shape)
        x, y = self.loads.points[..., 0], self.loads.points[..., 1]
        vx, vy, w = (state.velocity[..., k, None] for k in range(3))
        along = (vx - w * y) * ahead[..., 0] + (vy + w * x) * ahead[..., 1]
        return np.broadcast_to(np.abs(along), self.loads.normal.shape)

    def at(self, sample: int) -> Instant:
        """The instant of a sample."""
        return Instant(self.number, sample, math.nan if self.times is None else float(self.times[sample]))


def _checks(rating: WheelRating, column: int, seen: list[_Seen]) -> list[Check]:
    """All checks of one wheel."""
    normal = [one.column(one.loads.normal, column) for one in seen]
    speeds = [one.column(one.speeds, column) for one in seen]
    rolling = [np.where(speed > _ROLLS, load, np.nan) for speed, load in zip(speeds, normal, strict=True)]
    sideways = [np.abs(one.column(one.loads.lateral, column)) for one in seen]
    torques = [np.abs(one.column(one.loads.drive_torque, column)) for one in seen]
    tips = any(one.loads.tips_over.any() for one in seen)
    found = [_check("load", "load", rating.load, "N", normal, seen),
             _check("load while rolling", "dynamic_load", rating.dynamic_load, "N", rolling, seen),
             _check("speed", "speed", rating.speed, "m/s", speeds, seen)]
    if rating.torque is not None:
        found.append(_check("torque", "torque", rating.torque, "N m", torques, seen))
    if rating.side_force is not None:
        found.append(_check("side force", "side_force", rating.side_force, "N", sideways, seen))
    return [_noted(check) for check in found] if tips else found


def _check(name: str, field: str, capacity: float | None, unit: str, values: list[Floats], seen: list[_Seen]) -> Check:
    """The largest value of all motions against what may be."""
    if capacity is None:
        return not_checked(name, f"no {field} given", unit)
    largest, at = -math.inf, None
    for one, row in zip(seen, values, strict=True):
        if np.isfinite(row).any():
            k = int(np.nanargmax(row))
            if row[k] > largest:
                largest, at = float(row[k]), one.at(k)
    if at is None:
        if name == "load while rolling":
            return Check(name, 0.0, capacity, unit, 0.0, note="does not roll")
        return not_checked(name, "no state is a number", unit)
    demand = max(largest, 0.0)
    return Check(name, demand, capacity, unit, demand / capacity, at, None if name == "speed" else GROUND)


def _noted(check: Check) -> Check:
    note = "; ".join(part for part in (check.note, "the rover tips over in this motion") if part)
    return Check(check.check, check.demand, check.capacity, check.unit, check.utilisation, check.at, check.along,
                 check.life_hours, note)
