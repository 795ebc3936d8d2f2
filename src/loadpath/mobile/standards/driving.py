"""Braking, cornering, kerbs, parking on a slope, emergency stops: tipping and slipping at the limit of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.mobile.equations import kernel
from loadpath.mobile.motions import arm_states
from loadpath.mobile.stability import stability
from loadpath.mobile.standards.largest import grown
from loadpath.mobile.standards.limit_map import LimitMap, friction_is_known
from loadpath.mobile.standards.reading import at_least, least_at
from loadpath.mobile.standards.result import StandardRow, StandardTest
from loadpath.mobile.state import state_at
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import StatesLike

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_STATICS = "practice: statics of a rigid rover on point contacts"
_NO_FRICTION = "no friction is known of the contacts: give the base or the ground friction=lp.WheelFriction(...)"


def _rows(
    demand: float, unit: str, of: Callable[[bool], LimitMap], rover: Rover, clause: str, assumption: str,
    numbers: Mapping[str, float | str], factor: float = 1.0,
) -> list[StandardRow]:
    """A demand against what tips, and what slips, where that can be known."""
    tips, which = least_at(of(False).value)
    found = [StandardRow("tips over", demand, factor * tips, unit, clause, assumption, {**numbers, **which})]
    if friction_is_known(rover):
        both = of(True)
        slides, which = least_at(np.where(both.limit == "tipping", np.inf, both.value))
        at = np.unravel_index(int(np.argmin(both.value)), both.value.shape) if not math.isnan(slides) else ()
        how = {"limited by": str(both.limit[at]), "contact": str(both.where[at])} if math.isfinite(slides) else {}
        found.append(StandardRow("slips", demand, factor * slides, unit, clause,
                                 f"{assumption}; friction shared among the contacts as well as can be",
                                 {**numbers, **which, **how}))
    else:
        found.append(StandardRow("slips", demand, math.nan, unit, clause, _NO_FRICTION, numbers))
    return found


def braking(
    rover: Rover,
    q: StatesLike | None = None,
    *,
    speed: float,
    deceleration: float,
    distance: float | None = None,
    heading: ArrayLike | None = None,
    backward: bool = False,
) -> StandardTest:
    """The rover drives at a speed (m/s) and brakes with a deceleration (m/s^2), forward or backward: does it tip, do
    its wheels slip? With a `distance` (m), does it stop within: v^2 / 2a, without the time until brakes act.

    >>> import loadpath as lp
    >>> wheels = [lp.FixedWheel((x, y), 0.1) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    >>> grip = lp.WheelFriction(0.7)
    >>> cart = lp.WheeledBase(mass=50, center_of_mass=(0, 0, 0.8), wheels=wheels, friction=grip).carrying()
    >>> test = cart.standards.braking(speed=2.0, deceleration=4.0, distance=0.6)
    >>> [(row.test, round(row.limit, 3), row.passes) for row in test]       # g 0.4 / 0.8; tips before it slips; 0.6 m
    [('tips over', 4.905, True), ('slips', inf, True), ('stopping distance', 0.6, True)]
    """
    v = at_least(speed, "speed", "m/s", above=True)
    a = at_least(deceleration, "deceleration", "m/s^2", above=True)
    sign = 1.0 if not backward else -1.0

    def most(slipping: bool) -> LimitMap:
        steady: Any = {"velocity": (sign * v, 0.0), "heading": heading, "acceleration": (0.0, 0.0)}
        slowing: Any = {**steady, "acceleration": (-sign, 0.0)}
        now, more = (state_at(rover, q, None, None, given, "braking") for given in (steady, slowing))
        return grown(now, more, slipping, 0.1, "braking", quantity="deceleration", unit="m/s^2")

    rows = _rows(a, "m/s^2", most, rover, _STATICS, "Steady deceleration, arms held, wheels braked as they are driven",
                 {"speed (m/s)": v})
    if distance is not None:
        within = at_least(distance, "distance", "m", above=True)
        rows.append(StandardRow("stopping distance", v * v / (2 * a), within, "m",
                                "after ISO 3691-4, 4.2, in its purpose: the distance is the caller's",
                                "v^2 / 2a at once, without a time to react", {"speed (m/s)": v}))
    return StandardTest("braking", rover.name, tuple(rows))


def cornering(
    rover: Rover, q: StatesLike | None = None, *, speed: float, radius: float, heading: ArrayLike | None = None
) -> StandardTest:
    """The rover goes through a curve of a radius (m) to either side at a speed (m/s): does it tip, do wheels slip? Of a
    rigid one with the track t it tips at v^2 = g r t / 2h.

    >>> import loadpath as lp
    >>> wheels = [lp.FixedWheel((x, y), 0.1) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    >>> cart = lp.WheeledBase(mass=50, center_of_mass=(0, 0, 0.5), wheels=wheels).carrying()
    >>> round(cart.standards.cornering(speed=2.0, radius=2.0)["tips over"].limit ** 2, 6)
    11.772
    """
    v = at_least(speed, "speed", "m/s", above=True)
    r = at_least(radius, "radius", "m", above=True)
    arms = None if q is None else np.asarray(q, dtype=float)[..., None, :]
    facing: Any = {} if heading is None else {"heading": heading}

    def most(slipping: bool) -> LimitMap:
        return rover.largest_speed(arms, radius=np.array([r, -r]), slipping=slipping, **facing)

    return StandardTest("cornering", rover.name, tuple(_rows(
        v, "m/s", most, rover, _STATICS, "Steady turn to the left and to the right, arms held; wheels do not give way "
        "(rollover_threshold counts that they do)", {"radius (m)": r})))


def parking_slope(
    rover: Rover, q: StatesLike | None = None, *, slope: float, heading: ArrayLike | None = None
) -> StandardTest:
    """The rover is parked on a slope (rad), brakes on, at a heading or at all of them: does it tip, slide, roll away?

    >>> import loadpath as lp
    >>> feet = [lp.Support((x, y)) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    >>> grip = lp.WheelFriction(0.5)
    >>> box = lp.WheeledBase(mass=50, center_of_mass=(0, 0, 0.5), wheels=feet, friction=grip).carrying()
    >>> test = box.standards.parking_slope(slope=0.3)
    >>> [round(float(np.tan(row.limit)), 4) for row in test]                                 # 0.3 / 0.5, friction 0.5
    [0.6, 0.5]
    """
    steep = at_least(slope, "slope", "rad")
    if steep >= math.pi / 2:
        raise ValueError(f"slope is {steep:g} rad: expected less than a right angle; {steep:g} degrees are "
                         f"{math.radians(steep):.4g} rad")

    def most(slipping: bool) -> LimitMap:
        return rover.largest_slope(q, heading=heading, slipping=slipping)

    return StandardTest("parking slope", rover.name, tuple(_rows(
        steep, "rad", most, rover,
        "after ISO 3691-4, 4.2: stationary on the gradient that the maker specifies, which is the caller's",
        "At rest, arms held, driven wheels braked", {"grade": math.tan(steep)})))


def emergency_stop(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    *,
    speed: float,
    deceleration: float,
    slope: float = 0.0,
    heading: ArrayLike | None = None,
    arm_deceleration: ArrayLike | None = None,
    stops_dead: bool = False,
) -> StandardTest:
    """The rover drives at a speed (m/s) on a slope (rad) at a heading (all of them, if none is given) while its arms
    move with `qd`, and everything stops: the base with a deceleration (m/s^2), the joints with `arm_deceleration` (like
    qd; else in the same time as the base). What tips or slips is found by how much harder it could stop. With
    `stops_dead=True` a row more: could the energy of the motion lift it over an edge, the base stopped at once?

    >>> import loadpath as lp
    >>> wheels = [lp.FixedWheel((x, y), 0.1) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    >>> cart = lp.WheeledBase(mass=50, center_of_mass=(0, 0, 0.8), wheels=wheels).carrying()
    >>> down = cart.standards.emergency_stop(speed=1.0, deceleration=2.0, slope=0.1, heading=np.pi)
    >>> g = 9.81                                                          # (g cos 0.4 - g sin 0.8) / 0.8
    >>> bool(abs(down["tips over"].limit - g * (np.cos(0.1) * 0.5 - np.sin(0.1))) < 1e-9)
    True
    """
    v = at_least(speed, "speed", "m/s")
    a = at_least(deceleration, "deceleration", "m/s^2", above=True)
    steep = at_least(slope, "slope", "rad")
    ramp = rover.on(replace(rover.ground, slope=steep))
    facing = np.linspace(0.0, 2 * np.pi, 73)[:-1] if heading is None else np.asarray(heading, dtype=float)
    facing = facing if steep or heading is not None else np.asarray(0.0)
    states = arm_states(ramp, q, qd, None, "emergency_stop")
    arms, rates = (np.asarray(part, dtype=float) for part in states[:2])
    if arm_deceleration is not None:
        slowing = -np.sign(rates) * np.abs(np.asarray(arm_deceleration, dtype=float))
    elif not rates.any():
        slowing = np.zeros_like(rates)
    elif v == 0:
        raise ValueError("emergency_stop: the base stands while joints move: give their arm_deceleration=")
    else:
        slowing = -rates * (a / v)
    if facing.ndim and arms.ndim > 1:
        arms, rates, slowing = (part[..., None, :] if part.ndim > 1 else part for part in (arms, rates, slowing))
    driving: Any = {"velocity": (v, 0.0), "heading": facing}

    def most(slipping: bool) -> LimitMap:
        braking: Any = {**driving, "acceleration": (-a, 0.0)}
        now = state_at(ramp, arms, rates, np.zeros_like(rates), driving, "emergency_stop")
        more = state_at(ramp, arms, rates, slowing, braking, "emergency_stop")
        return grown(now, more, slipping, 0.1, "emergency_stop", quantity="stop", unit="times")

    about: dict[str, float | str] = {"speed (m/s)": v, "slope (rad)": steep}
    rows = _rows(a, "m/s^2", most, ramp, _STATICS, "Base and joints slow down steadily and together", about, factor=a)
    if stops_dead:
        standing = ramp.stability(arms, rates, **driving)
        work, moving, _ = standing.over_edges
        left, which = least_at(standing.energy_margin)
        k = np.unravel_index(int(np.argmin(work - moving)), work.shape) if not math.isnan(left) else ()
        rows.append(StandardRow(
            "falls if it stops dead", float(moving[k]) if k else math.nan, float(work[k]) if k else math.nan, "J",
            "Messuri and Klein's energy stability margin, less the kinetic energy",
            "All kinetic energy goes into turning over the edge as one rigid body, an upper bound", {**about, **which}))
    return StandardTest("emergency stop", rover.name, tuple(rows))


def kerb(
    rover: Rover,
    q: StatesLike | None = None,
    *,
    height: float,
    speed: float = 0.0,
    force: float | None = None,
    backward: bool = False,
) -> StandardTest:
    """The rover meets a kerb of a height (m) across its path, forward or backward, all wheels of that end at once.

    - climbs: the horizontal force that takes these wheels, of the radius R, up its corner,
      N sqrt(2 R h - h^2) / (R - h), against `force` (N), or what the friction of the other driven wheels holds;
    - tips while it stands with these wheels on the kerb, and while they have dropped by its height;
    - trips, if it hits the kerb at `speed` (m/s) and does not climb: the end stops dead, the rest turns over it with
      the angular momentum that it had, (m v h)^2 / 2 I, against the work over the edge.

    >>> import loadpath as lp
    >>> wheels = [lp.FixedWheel((x, y), 0.1, driven=x < 0) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    >>> grip = lp.WheelFriction(0.8)
    >>> cart = lp.WheeledBase(mass=50, center_of_mass=(0, 0, 0.5), wheels=wheels, friction=grip).carrying()
    >>> test = cart.standards.kerb(height=0.02, speed=0.5)
    >>> round(test["climbs"].demand, 4), round(test["climbs"].limit, 2)              # 245.25 N x 0.75, 0.8 x 245.25 N
    (183.9375, 196.2)
    """
    h = at_least(height, "height", "m", above=True)
    v = at_least(speed, "speed", "m/s")
    sign = -1.0 if backward else 1.0
    loads = rover.wheel_loads(q)
    points = sign * loads.points[..., 0]
    if points.ndim > 1:
        raise ValueError("kerb: casters with a trail and wheels on links are at other places from state to state: ask "
                         "for one at a time")
    first = points > points.max() - 1e-6 * rover.arrangement.size
    other = ~first
    if not other.any():
        raise ValueError("kerb: all contacts are in one line across the path")
    normal = loads.normal.reshape(-1, len(first))
    carried = normal[:, first].sum(axis=-1)
    climbs = _climb(rover, normal, first, other, h, force)
    k = int(np.argmax(climbs["demand"] - climbs["limit"])) if not np.isnan(normal).any() else 0
    length = float(points[first].mean() - points[other].max())
    rows = [StandardRow(
        "climbs", float(climbs["demand"][k]), float(climbs["limit"][k]), "N",
        "practice: statics of a wheel at a corner",
        "All wheels of the end climb together, slowly, pushed by the others; rigid round wheels on a sharp corner",
        {"normal force of the end (N)": float(carried[k]), "work to lift it (J)": float(carried[k]) * h},
    )]
    pitch = math.asin(min(h / length, 1.0))
    for name, back in (("tips with the end on the kerb", sign > 0), ("tips with the end dropped", sign < 0)):
        tilt, which = least_at(rover.largest_slope(q, heading=0.0 if back else np.pi, slipping=False).value)
        rows.append(StandardRow(name, pitch, tilt, "rad", _STATICS,
                                "The base pitches by the height over the distance of the ends, at rest",
                                {"distance of the ends (m)": length, **which}))
    if v:
        trips, which = least_at(_tripping_speed(rover, q, first, sign))
        rows.append(StandardRow(
            "trips", v, trips, "m/s", "practice: angular momentum about the edge is conserved in a plastic impact",
            "The end stops dead at the ground, base and arms turn over it as one rigid body", which))
    return StandardTest("kerb", rover.name, tuple(rows))


def _climb(
    rover: Rover, normal: Floats, first: Any, other: Any, h: float, force: float | None
) -> dict[str, Floats]:
    """Force that each state asks for, and that there is."""
    wheels = rover.base.wheels
    asked = np.zeros(len(normal))
    for k in np.flatnonzero(first):
        R = float(getattr(wheels[int(k)], "radius", 0.0))
        asked += normal[:, k] * (math.sqrt(2 * R * h - h * h) / (R - h) if h < R else math.inf)
    if force is not None:
        there = np.full(len(normal), at_least(force, "force", "N"))
    elif not friction_is_known(rover):
        there = np.full(len(normal), np.nan)
    else:
        pushes = other & rover.arrangement.driven
        there = normal[:, pushes] @ rover.frictions["static"][pushes]
    return {"demand": np.asarray(asked), "limit": np.asarray(there)}


def _tripping_speed(rover: Rover, q: StatesLike | None, first: Any, sign: float) -> Floats:
    """m/s at which an end that stops dead turns the rest over it: sqrt(2 I W) / m h, W the work over the edge."""
    if rover.linkage is not None:
        raise ValueError(f"kerb: speed is given, and rover '{rover.name}' has wheels on links: how it trips is known "
                         "of wheels on the base, leave speed out; rover.simulate(...) over an lp.Kerb knows both")
    arms = arm_states(rover, q, None, None, "kerb")
    state = state_at(rover, q, None, None, {"velocity": (sign, 0.0)}, "kerb")
    standing = stability(rover, state, *arms[:2])
    positions = rover.arrangement.pivots
    names = {rover.contact_names[k] for k in np.flatnonzero(first)}
    over = [k for k, edge in enumerate(standing.edges) if set(edge) <= names]
    if not over:
        raise ValueError("kerb: the contacts of that end are no edge of the support polygon, but a corner: it would "
                         "turn sideways, too; the tripping speed is not known")
    work = standing.over_edges[0][..., over[0]]
    center, mass = standing.mass_center, standing.mass
    x = float(positions[first, 0].mean())
    inertia = np.asarray(kernel(rover, "whole_inertia").uncompiled(np.asarray(arms[0], dtype=float)))
    # About the y axis through the origin, then through the edge at (x, 0).
    about = inertia[..., 1, 1] - 2 * mass * center[..., 0] * x + mass * x * x
    return np.asarray(np.sqrt(2 * about * np.maximum(work, 0.0)) / (mass * center[..., 2]))
