"""The largest slope, speed in a curve, payload and acceleration of a rover: by tipping exactly, by slipping bracketed.

Its ground's wrench depends on the slope by the weight alone, whose moment about an edge goes with the cosine and the
sine of the slope; on the speed in a curve of a given radius by a polynomial of the second degree. So the slope and the
speed at which the first edge lets go are roots in closed form. What the contacts hold by friction is shared among them
within their friction circles, which has no such form. Where wheels are on links friction turns these, too: roots are
those of friction shared without limits, unless contacts at their limit let an edge go before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast, overload

import numpy as np
from numpy.typing import NDArray

from loadpath.mobile.linked_state import weight_on_joints
from loadpath.mobile.motions import (
    BaseState,
    arm_states,
    as_numbers,
    base_components,
    base_state_of,
    refuse_ground,
)
from loadpath.mobile.stability import moments_without_limits, stability, until_tipping
from loadpath.mobile.standards.limit_map import LimitMap, limited
from loadpath.mobile.state import State, state_at
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import Joints, StatesLike, read_array, warn_of_unknown
from loadpath.states.reading import refuse_loads_of

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

HEADINGS = 72
"""Headings of a map where none are given: every five degrees."""


def largest_slope(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    slipping: bool = True,
    deflected: bool = False,
    **motion: Unpack[BaseState],
) -> LimitMap:
    """Largest slope (rad) on which the rover stands or moves as given, at a `heading`, and whether it tips or slips
    beyond it. Without a heading it is a map over 72 of them, on a last axis. The slope of its own ground does not
    count, its gravity and friction do; `slipping=False` looks at tipping alone, as a tilt table with stops does.

    >>> import loadpath as lp
    >>> feet = [lp.Support((x, y)) for x, y in ((0.4, 0.3), (-0.4, 0.3), (-0.4, -0.3), (0.4, -0.3))]
    >>> grip = lp.WheelFriction(0.7)
    >>> box = lp.WheeledBase(mass=50, center_of_mass=(0, 0, 0.5), wheels=feet, friction=grip).carrying()
    >>> box.largest_slope(heading=[0.0, np.pi / 2]).value.round(4).tolist()       # atan(0.7), atan(0.3 / 0.5)
    [0.6107, 0.5404]
    >>> box.largest_slope(heading=[0.0, np.pi / 2]).limit.tolist()
    ['slipping', 'tipping']
    """
    refuse_loads_of(q, "largest_slope", "tilts what is carried, too")
    refuse_ground(rover.ground, "largest_slope", "surface", "patches", "motion")
    given = base_state_of(rover, q, motion, "largest_slope")
    heading = given.pop("heading", None)
    _refuse_ground_state(given, "largest_slope")
    level = rover if not rover.ground.slope else rover.on(replace(rover.ground, slope=0.0))
    ahead = cast(BaseState, {**given, "heading": 0.0})
    state = state_at(level, q, qd, qdd, ahead, "largest_slope", deflected=deflected)
    arms = arm_states(level, q, qd, qdd)
    standing = stability(level, state, *arms[:2])
    mapped = heading is None
    psi: Floats = as_numbers(np.arange(HEADINGS) * (2 * np.pi / HEADINGS) if mapped else heading, "heading")
    moments, rows = moments_without_limits(state), standing.per_gravity
    center, mass, margin = standing.mass_center, standing.mass, standing.margin
    if mapped and state.batch:
        state, rows, moments = _with_axis(state), rows[..., None, :, :], moments[..., None, :]
        center, mass, margin = (part if part.ndim == core else np.expand_dims(part, part.ndim - core)
                                for part, core in ((center, 1), (mass, 0), (margin, 0)))
    shape = np.broadcast_shapes(state.batch, psi.shape)
    psi = np.broadcast_to(psi, shape)
    strength = level.ground.gravity
    there = ~np.isposinf(moments)
    upright = -strength * rows[..., 2]
    leaning = strength * (rows[..., 1] * np.sin(psi)[..., None] - rows[..., 0] * np.cos(psi)[..., None])
    with np.errstate(invalid="ignore"):
        slopes = _first_zero(moments - upright, upright, leaning)
    slopes = np.where(there, slopes, np.pi / 2)
    lost = np.where(np.isnan(margin) | np.isnan(psi), np.nan, 0.0)
    tips = slopes.min(axis=-1) + lost
    tips = np.where(tips >= np.pi / 2, np.inf, tips)

    flat = _Flat(state, shape, center, mass, psi)

    def tilted(slope: Floats, rows: NDArray[np.intp]) -> State:
        return flat.tilted(np.minimum(slope, np.pi / 2), rows, strength)

    result = limited(level, tips, tilted, slipping, scale=np.pi / 64,
                     quantity="slope", unit="rad", axis_name="heading" if psi.ndim else "",
                     axis=_axis(psi))
    warn_of_unknown(np.isnan(result.value), "largest_slope", "NaN there")
    steep = np.where(np.isnan(result.value), np.nan, np.minimum(result.value, np.pi / 2))
    return replace(result, value=steep)


def _refuse_ground_state(base: Mapping[str, Any], caller: str) -> None:
    """An error for ground that moves at the instant of a call, where the ground is sought to be at rest."""
    if given := [name for name in ("ground_state", "time") if base.get(name) is not None]:
        raise ValueError(f"{caller}: {given[0]} says how the ground moves: here it is at rest")


def _axis(values: Floats) -> Floats | None:
    """The values along the last axis, if they are the same in all rows."""
    if not values.ndim or not values.size:
        return None
    rows = values.reshape(-1, values.shape[-1])
    return rows[0].copy() if len(rows) and (rows == rows[0]).all() else None


def _first_zero(other: Floats, upright: Floats, leaning: Floats) -> Floats:
    """The first slope at which other + upright cos + leaning sin falls below zero: 0 where it is there already, a right
    angle where none does it.
    """
    size, turned = np.hypot(upright, leaning), np.arctan2(leaning, upright)
    share = np.where(size > 0, -other / np.where(size > 0, size, 1.0), np.where(other < 0, np.inf, -np.inf))
    zero = turned + np.arccos(np.clip(share, -1.0, 1.0))
    zero = np.where(share < -1, np.inf, zero)
    return np.asarray(np.where(other + upright < 0, 0.0, np.clip(zero, 0.0, np.pi / 2)))


def _with_axis(state: State) -> State:
    """The states with an axis of length one behind the batch axes."""

    def part(array: Floats | None) -> Floats | None:
        return array if array is None or array.ndim == 1 else array[..., None, :]

    names = ("force", "torque", "velocity", "acceleration", "steering", "mass_shift", "gravity", "heights")
    parts: dict[str, Any] = {name: part(getattr(state, name)) for name in names}
    return replace(state, linked=None if state.linked is None else state.linked.with_axis(), **parts)


class _Flat:
    """States in a row, whose weight turns with a slope."""

    def __init__(self, state: State, shape: tuple[int, ...], center: Floats, mass: Floats, heading: Floats) -> None:
        count = int(np.prod(shape, dtype=int))
        self.whole, self.count = state, count

        def rows(array: Floats, core: int) -> Floats:
            return np.broadcast_to(array, (*shape, *array.shape[array.ndim - core :])).reshape(
                count, *array.shape[array.ndim - core :])

        self.force, self.torque = rows(state.force, 1), rows(state.torque, 1)
        self.velocity, self.acceleration = rows(state.velocity, 1), rows(state.acceleration, 1)
        self.steering = None if state.steering is None else rows(state.steering, 1)
        self.heights = None if state.heights is None else rows(state.heights, 1)
        self.center, self.mass, self.heading = rows(center, 1), rows(mass, 0), rows(heading, 0)
        self.linked = None if state.linked is None else state.linked.rows(slice(None), shape, count)
        self.weight = None if self.linked is None else weight_on_joints(state.rover, self.linked)

    def tilted(self, slope: Floats, some: NDArray[np.intp], strength: float) -> State:
        """Some of them on slopes."""
        psi = self.heading[some]
        along, down = strength * np.sin(slope), strength * np.cos(slope)
        gravity = np.stack([-along * np.cos(psi), along * np.sin(psi), -down], axis=-1)
        level = np.array([0.0, 0.0, -strength])
        more = self.mass[some, None] * (level - gravity)
        linked = None
        if self.linked is not None and self.weight is not None:
            linked = self.linked.rows(some, (self.count,), self.count)
            linked = replace(linked, load=linked.load + (self.weight[some] @ (gravity - level)[..., None])[..., 0])
        return State(
            self.whole.rover, self.force[some] + more, self.torque[some] + np.cross(self.center[some], more),
            self.velocity[some], self.acceleration[some], None if self.steering is None else self.steering[some],
            gravity=gravity, heights=None if self.heights is None else self.heights[some], linked=linked,
        )


def largest_speed(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    radius: ArrayLike,
    slipping: bool = True,
    deflected: bool = False,
    **motion: Unpack[BaseState],
) -> LimitMap:
    """Largest speed (m/s) of the base frame's origin in curves of a radius (m, positive to the left, infinite straight
    on), and whether the rover tips or slips beyond it. The arms stand or move as given, and so does the base besides:
    `heading` on a slope, `acceleration` along the curve, but no `velocity`.

    >>> import loadpath as lp
    >>> wheels = [lp.FixedWheel((x, y), 0.1) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    >>> cart = lp.WheeledBase(mass=50, center_of_mass=(0, 0, 0.5), wheels=wheels).carrying()
    >>> curve = cart.largest_speed(radius=[2.0, -5.0], slipping=False)
    >>> [round(float(v**2), 6) for v in curve.value], curve.limit.tolist()                # g r t / 2h
    ([11.772, 29.43], ['tipping', 'tipping'])
    """
    if motion.get("velocity") is not None:
        raise ValueError("largest_speed: velocity is what is sought: give radius= alone")
    refuse_loads_of(q, "largest_speed", "moves what is carried faster, too")
    refuse_ground(rover.ground, "largest_speed", "surface", "patches", "motion")
    bend = as_numbers(radius, "radius")
    if (bend == 0).any():
        raise ValueError("largest_speed: a radius is 0: expected that of a curve (m), positive to the left")
    base = {name: part for name, part in base_state_of(rover, q, motion, "largest_speed").items() if name != "velocity"}
    _refuse_ground_state(base, "largest_speed")
    arms = arm_states(rover, q, qd, qdd, "largest_speed")
    turning = np.where(np.isinf(bend), 0.0, 1.0 / np.where(np.isinf(bend), 1.0, bend))

    def moving(speed: float) -> State:
        given = cast(BaseState, {**base, "velocity": (np.full(bend.shape, speed), speed * turning)})
        return state_at(rover, *arms, given, "largest_speed", deflected=deflected)

    # Wheels that follow the velocity are where they are at any speed but zero.
    slow, middle, fast = moving(1e-3), moving(1.0), moving(2.0)
    fit: Floats = np.asarray(np.linalg.inv(np.vander([1e-3, 1.0, 2.0], 3, increasing=True)), dtype=np.float64)
    each = [moments_without_limits(state) for state in (slow, middle, fast)]
    held = [np.where(np.isinf(one), 0.0, one) for one in each]
    constant, linear, square = (sum(fit[k, i] * held[i] for i in range(3)) for k in range(3))
    tips = np.where(np.isinf(each[1]), np.inf, _first_root(constant, linear, square)).min(axis=-1)
    tips = np.where(np.isnan(each[1]).any(axis=-1), np.nan, tips)
    shape = tips.shape
    states = _Polynomial(fit, (slow, middle, fast), shape, least=1e-3)
    result = limited(rover, tips, states.at, slipping, scale=0.1, quantity="speed",
                     unit="m/s", axis_name="radius" if bend.ndim else "", axis=_axis(np.broadcast_to(bend, shape)))
    warn_of_unknown(np.isnan(result.value), "largest_speed", "NaN there")
    return result


def _first_root(constant: Any, linear: Any, square: Any) -> Floats:
    """The first speed at which constant + linear v + square v^2 falls below zero; 0 where it is there already, infinite
    where none does it. Coefficients that are rounding are none.
    """
    size = np.abs(constant) + np.abs(linear) + np.abs(square)
    linear, square = (np.where(np.abs(part) < 1e-11 * size, 0.0, part) for part in (linear, square))
    inner = linear**2 - 4 * square * constant
    root = np.sqrt(np.maximum(inner, 0.0))
    # The root with the sign that does not cancel, and the other by their product.
    q = -0.5 * (linear + np.where(linear < 0, -root, root))
    with np.errstate(divide="ignore", invalid="ignore"):
        both = np.stack([np.where(square != 0, q / square, np.nan), np.where(q != 0, constant / q, np.nan)])
    both = np.where((inner >= 0) & (both > 0), both, np.inf)
    return np.asarray(np.where(constant < 0, 0.0, np.where(np.isnan(both), np.inf, both).min(axis=0)))


class _Polynomial:
    """States in a row whose ground's wrench and motion of the base are polynomials of something, from as many of them
    as there are coefficients; below `least` they are those there.
    """

    def __init__(self, fit: Floats, states: Sequence[State], shape: tuple[int, ...], least: float = 0.0) -> None:
        count = int(np.prod(shape, dtype=int))

        def rows(array: Floats) -> Floats:
            return np.broadcast_to(array, (*shape, array.shape[-1])).reshape(count, array.shape[-1])

        self.rover, self.least = states[0].rover, least
        each = [[rows(getattr(state, name)) for state in states] for name in
                ("force", "torque", "velocity", "acceleration")]
        self.terms = [[np.asarray(sum(a * part for a, part in zip(row, parts, strict=True))) for row in fit]
                      for parts in each]
        self.steering, self.gravity, self.heights = (
            None if part is None else rows(part) for part in (states[0].steering, states[0].gravity, states[0].heights))
        on_links = [state.linked.rows(slice(None), shape, count) for state in states if state.linked is not None]
        self.linked = on_links[0] if on_links else None
        self.on_joints = {name: [np.asarray(sum(a * getattr(one, name) for a, one in zip(row, on_links, strict=True)))
                                 for row in fit] for name in ("load", "qdd")} if on_links else {}

    def at(self, amount: Floats, some: NDArray[np.intp]) -> State:
        """Some of them with so much of it."""
        x = np.maximum(amount, self.least)[:, None]
        force, torque, velocity, acceleration = (
            sum((x**k * term[some] for k, term in enumerate(terms)), start=np.zeros(3)) for terms in self.terms)
        steering, gravity, heights = (None if part is None else part[some]
                                      for part in (self.steering, self.gravity, self.heights))
        linked = None
        if self.linked is not None:
            parts: dict[str, Any] = {name: sum((x**k * term[some] for k, term in enumerate(terms)), start=np.zeros(1))
                     for name, terms in self.on_joints.items()}
            linked = replace(self.linked.rows(some, (len(self.linked.q),), len(self.linked.q)), **parts)
        return State(self.rover, force, torque, velocity, acceleration, steering, gravity=gravity, heights=heights,
                     linked=linked)


_LINEAR = np.array([[1.0, 0.0], [-1.0, 1.0]])
"""Coefficients of a line from its values at 0 and 1."""


def grown(now: State, more: State, slipping: bool, scale: float, caller: str, **about: Any) -> LimitMap:
    """The map of how much a rover bears of what acts linearly, from the states without it and with one unit."""
    refuse_ground(now.rover.ground, caller, "surface", "patches", "motion")
    most = until_tipping(now, more, caller)
    return limited(now.rover, most, _Polynomial(_LINEAR, (now, more), most.shape).at, slipping, scale, **about)


@overload
def largest_payload(
    rover: Rover, q: StatesLike | None = ..., qd: ArrayLike | None = ..., qdd: ArrayLike | None = ..., *,
    link: str | None = ..., center_of_mass: Sequence[float] = ..., limits: Literal[False] = ...,
    **motion: Unpack[BaseState],
) -> Floats: ...
@overload
def largest_payload(
    rover: Rover, q: StatesLike | None = ..., qd: ArrayLike | None = ..., qdd: ArrayLike | None = ..., *,
    link: str | None = ..., center_of_mass: Sequence[float] = ..., limits: Literal[True],
    **motion: Unpack[BaseState],
) -> LimitMap: ...
def largest_payload(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    link: str | None = None,
    center_of_mass: Sequence[float] = (0.0, 0.0, 0.0),
    limits: bool = False,
    **motion: Unpack[BaseState],
) -> Floats | LimitMap:
    """Largest mass (kg) of a point payload on a link before the rover tips over in this motion, exactly: the
    ground's wrench is linear in it. Zero where it tips already, infinite where no mass takes it over. With
    `limits=True` it is an `lp.LimitMap`, in which slipping counts, and which says what limits it.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover()
    >>> most = rover.largest_payload([0, 0, 1.0], link="rod")
    >>> float(rover.with_payload(most, link="rod").stability([0, 0, 1.0]).margin.round(9)) + 0.0
    0.0
    """
    refuse_loads_of(q, "largest_payload")
    now = state_at(rover, q, qd, qdd, motion, "largest_payload")
    # One kilogram, by a name that no link has.
    name = "payload"
    while name in rover.link_names or f"{name}_joint" in rover.robot.joint_names:
        name += "_"
    loaded = rover.with_payload(1.0, center_of_mass, link=link, name=name)
    more = replace(state_at(loaded, q, qd, qdd, motion, "largest_payload"), rover=rover)
    if not limits and rover.linkage is None:
        return until_tipping(now, more, "largest_payload")
    own = sum(link.inertia.mass for link in rover.robot.links)
    most = grown(now, more, limits, 0.1 * own, "largest_payload", quantity="payload", unit="kg")
    return most if limits else most.value


@overload
def largest_acceleration(
    rover: Rover, q: StatesLike | None = ..., qd: ArrayLike | None = ..., qdd: ArrayLike | None = ..., *,
    direction: ArrayLike | None = ..., joints: ArrayLike | None = ..., limits: Literal[False] = ...,
    **motion: Unpack[BaseState],
) -> Floats: ...
@overload
def largest_acceleration(
    rover: Rover, q: StatesLike | None = ..., qd: ArrayLike | None = ..., qdd: ArrayLike | None = ..., *,
    direction: ArrayLike | None = ..., joints: ArrayLike | None = ..., limits: Literal[True],
    **motion: Unpack[BaseState],
) -> LimitMap: ...
def largest_acceleration(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    direction: ArrayLike | None = None,
    joints: ArrayLike | None = None,
    limits: bool = False,
    **motion: Unpack[BaseState],
) -> Floats | LimitMap:
    """How many units of acceleration more the rover bears before it tips over, exactly: of the base along
    `direction` (like (1, 0): m/s^2 forward), or of the robots' joints along `joints` (like qdd). Zero where it tips
    already, infinite where no acceleration that way takes it over. With `limits=True` it is an `lp.LimitMap`, in which
    slipping counts, and which says what limits it.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover()
    >>> most = rover.largest_acceleration([0, 0, 0.5], direction=(1, 0))               # g h_x / h_z
    >>> float(most.round(6)), bool(abs(most - 9.81 * 0.2 / 0.7 * 3) < 1e-9)
    (8.408571, True)
    """
    if (direction is None) == (joints is None):
        raise ValueError("give either direction=, of the base's acceleration, or joints=, of the joints'")
    refuse_loads_of(q, "largest_acceleration", "accelerates what is carried, too")
    motion = cast(BaseState, base_state_of(rover, q, motion))
    q, qd, qdd = arm_states(rover, q, qd, qdd)
    now = state_at(rover, q, qd, qdd, motion, "largest_acceleration")
    if direction is not None:
        given = motion.get("acceleration")
        change = base_components((0.0, 0.0) if given is None else given, "acceleration")
        more: BaseState = {**motion, "acceleration": change + base_components(direction, "direction")}
        faster = state_at(rover, q, qd, qdd, more, "largest_acceleration")
        if not limits and rover.linkage is None:
            return until_tipping(now, faster, "largest_acceleration")
        ahead = base_components(direction, "direction")
        flat = ahead.ndim > 1 and not ahead[..., 2].any()
        axis = _axis(np.arctan2(ahead[..., 1], ahead[..., 0])) if flat else None
        most = grown(now, faster, limits, 0.1, "largest_acceleration", quantity="acceleration", unit="m/s^2",
                     axis_name="" if axis is None else "direction", axis=axis)
        return most if limits else most.value
    along = as_numbers(read_array(Joints.of(rover), "joints", joints), "joints")
    if along.ndim == 0 or along.shape[-1] != rover.n:
        raise ValueError(f"joints has the shape {along.shape}: expected (..., {rover.n}), like qdd")
    joints_faster = state_at(rover, q, qd, np.asarray(qdd, dtype=float) + along, motion, "largest_acceleration")
    if not limits and rover.linkage is None:
        return until_tipping(now, joints_faster, "largest_acceleration")
    most = grown(now, joints_faster, limits, 0.1, "largest_acceleration", quantity="acceleration of joints",
                 unit="units")
    return most if limits else most.value
