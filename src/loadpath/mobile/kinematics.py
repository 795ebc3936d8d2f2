"""How wheels and base move together: rates and steering angles for a base twist, and back; what the wheels forbid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from loadpath.in_text import named_rows
from loadpath.mobile.arrangement import Arrangement, Placed, Rows, dot2, rows_of
from loadpath.mobile.motions import Steering, base_components
from loadpath.robot.arrays import numbers
from loadpath.robot.wheels.contacts import Row
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.states import unknown_states

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

# Singular values below this part of the largest are zero: wheels whose axles meet to this accuracy roll together.
_RANK = 1e-9


@dataclass(frozen=True, eq=False)
class WheelMotion:
    """How every contact moves for a motion of the base; columns follow `names`.

    `rate` (..., contacts): turn of the wheel about its axle (rad/s), positive forward; 0 for feet.
    `steering` (..., steerable): angles of steered wheels and casters, in the order of `steerable_names`.
    `swivel` (..., steerable): rate of a trailing caster's angle against the base (rad/s); 0 for others.
    `scrub` (..., contacts): speed (m/s) to the left with which the contact slides across its rolling direction because
    it cannot roll there; of a foot, the speed with which it is dragged.
    """

    rate: Floats
    steering: Floats
    swivel: Floats
    scrub: Floats
    names: tuple[str, ...]
    steerable_names: tuple[str, ...]

    def __repr__(self) -> str:
        said = named_rows("Motion of every contact", self.names, {"rate (rad/s)": self.rate, "scrub (m/s)": self.scrub})
        if not self.steerable_names:
            return said
        steered = {"angle (rad)": self.steering, "swivel (rad/s)": self.swivel}
        return f"{said}\n{named_rows('Steering', self.steerable_names, steered)}"

    @property
    def scrubs(self) -> Bools:
        """Whether any contact slides, beyond rounding, or is not known to roll."""
        speed = np.abs(self.scrub).max(axis=-1)
        result: Bools = ~(speed <= 1e-9 * (1e-300 + np.abs(self.rate).max(axis=-1) + speed))
        return result

    @property
    def unknown(self) -> Bools:
        """(...): states that are not numbers; they count as scrubbing."""
        return unknown_states(self.scrub, self.rate)


def wheel_motion(
    rover: Rover, velocity: ArrayLike, steering: Steering = None, *, q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
) -> WheelMotion:
    """Rate, steering angle and scrub of every wheel for a velocity of the base. Where wheels are on links (trailers),
    q and qd are those of the robots; without qd these stand.

    >>> import loadpath as lp
    >>> motion = lp.catalog.lau_rover().wheel_motion((0.5, 1.0))
    >>> motion.rate[1:].round(9).tolist(), bool(motion.scrubs)         # (v -+ w d)/R
    ([2.0, 8.0], False)
    """
    wheels, velocity = rover.arrangement, base_components(velocity, "velocity")
    at = _coordinates(rover, q, "wheel_motion")
    if rover.linkage is not None:
        velocity = _with_joints(velocity, np.zeros(rover.n) if qd is None else numbers(qd, "qd"))
    elif qd is not None:
        raise ValueError("wheel_motion: qd is given, and all wheels of the rover are on its base: leave it out")
    angles = wheels.aligned(velocity, at) if steering is None else wheels.read_steering(steering)
    placed = wheels.placed(angles, at)
    shape = np.broadcast_shapes(velocity.shape[:-1], angles.shape[:-1], placed.forward.shape[:-2])
    return WheelMotion(
        rate=_rates(wheels, placed, velocity),
        steering=np.broadcast_to(angles, (*shape, angles.shape[-1])),
        swivel=wheels.swivel_rates(placed, velocity),
        scrub=scrub(wheels, placed, velocity),
        names=wheels.base.contact_names,
        steerable_names=steerable_names(wheels),
    )


def _rates(wheels: Arrangement, placed: Placed, velocity: Floats) -> Floats:
    """Rates (..., contacts) of wheels that roll: along + across + spin b = 0 of the row by which each rolls."""
    rolling = _rolling(wheels)
    speed = dot2(wheels.velocities(placed, velocity)[..., rolling.contact, :], rolling.directions(placed))
    rates = np.zeros((*speed.shape[:-1], len(wheels.wheels)))
    rates[..., rolling.contact] = -speed / rolling.spin
    return rates


def _rolling(wheels: Arrangement) -> Rows:
    """The rows by which wheels with a rate roll."""
    found = [(k, wheel.rolls_by()) for k, wheel in enumerate(wheels.wheels)]
    return rows_of([(k, row) for k, row in found if row is not None])


def scrub(wheels: Arrangement, placed: Placed, velocity: Floats) -> Floats:
    """Speeds (..., contacts) with which contacts slide because they cannot roll so: see `WheelMotion`."""
    at = wheels.velocities(placed, velocity)
    result = np.zeros(np.broadcast_shapes(at.shape[:-1], placed.forward.shape[:-1]))
    for k, wheel in enumerate(wheels.wheels):
        rows = rows_of([(k, row) for row in wheel.scrubs_along()])
        slip = dot2(at[..., [k] * len(rows.contact), :], rows.directions(placed))
        if len(rows.contact) == 1:
            result[..., k] = slip[..., 0]
        elif len(rows.contact) == 2:
            result[..., k] = np.hypot(slip[..., 0], slip[..., 1])
    return result


def _placed(wheels: Arrangement, steering: Steering, q: Floats | None = None) -> Placed:
    """Where the contacts are at given steering angles; at zero if none are given."""
    if wheels.linkage is not None:
        still = np.zeros(len(wheels.steerable))
        return wheels.placed(still if steering is None else wheels.read_steering(steering), q)
    return wheels.at_rest if steering is None else wheels.placed(wheels.read_steering(steering))


def _coordinates(rover: Rover, q: ArrayLike | None, caller: str) -> Floats | None:
    """Coordinates of the robots, where wheels are on links, which they must be given for."""
    if rover.linkage is None:
        if q is not None:
            raise ValueError(f"{caller}: q is given, and all wheels of the rover are on its base: leave it out")
        return None
    if q is None:
        raise ValueError(f"{caller}: wheels of rover '{rover.name}' are on links: give q=, the coordinates of its "
                         "robots")
    given = numbers(q, "q")
    if given.shape[-1:] != (rover.nq,):
        raise ValueError(f"{caller}: q has the shape {given.shape}: expected (..., {rover.nq})")
    return given


def _with_joints(velocity: Floats, qd: Floats) -> Floats:
    """(..., 3 + n)."""
    shape = np.broadcast_shapes(velocity.shape[:-1], qd.shape[:-1])
    return np.concatenate([np.broadcast_to(part, (*shape, part.shape[-1])) for part in (velocity, qd)], axis=-1)


def steerable_names(wheels: Arrangement) -> tuple[str, ...]:
    """Names of the contacts with a steering angle."""
    return tuple(wheels.base.contact_names[k] for k in wheels.steerable)


# What the wheels forbid


def constraint_rows(wheels: Arrangement, placed: Placed) -> Floats:
    """Constraints (..., rows, 3): no velocity along what contacts hold whatever their drives do."""
    return wheels.in_base(wheels.held, placed)


def constraint_matrix(
    rover: Rover, steering: Steering = None, *, rates: bool = False, q: ArrayLike | None = None
) -> Floats:
    """Nonholonomic constraints of wheels that roll and do not slide: A (v_x, v_y, w) = 0, (..., rows, 3), a row for
    each fixed or steered wheel and two for each foot. With `rates=True`, A (v_x, v_y, w, wheel rates) = 0, with
    columns for all wheels but casters and a row more for each of them. Where wheels are on links, at coordinates q of
    the robots, A (v_x, v_y, w, qd) = 0 and A (v_x, v_y, w, qd, wheel rates) = 0.

    >>> import loadpath as lp
    >>> (lp.catalog.lau_rover().constraint_matrix() + 0.0).tolist()     # neither wheel lets O move sideways
    [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
    """
    wheels = rover.arrangement
    placed = _placed(wheels, steering, _coordinates(rover, q, "constraint_matrix"))
    across = constraint_rows(wheels, placed)
    if not rates:
        return across
    traction = wheels.tractions
    rolling, count = wheels.in_base(traction, placed), len(traction.contact)
    turn = np.broadcast_to(np.diag(traction.spin), (*rolling.shape[:-1], count))
    none = np.zeros((*across.shape[:-1], count))
    return np.concatenate(
        [np.concatenate([across, none], axis=-1), np.concatenate([rolling, turn], axis=-1)], axis=-2
    )


@dataclass(frozen=True, eq=False)
class RotationAxis:
    """The vertical axis about which the base can turn without scrubbing, from the directions of its wheels.

    `mobility` (...): how many independent motions the wheels allow: 3 any, 2 turning about any point of a line (the
    common axle of a differential drive), 1 a single axis, 0 none: wherever it turns, wheels scrub.
    `point` (..., 2): the axis in the base frame where there is exactly one; infinite, along the axles, where the base
    can only go straight; NaN where there is none or no single one.
    `twist` (..., 3): that one motion, as (v_x, v_y, w) with the length 1 (turning weighed with the size of the base).

    What no wheel holds is not always driven. `driven` (...): how many of these motions the drives decide: fewer than
    `mobility` where the driven wheels, or the rollers on them, all pull in directions that leave a motion to itself.
    `undriven` (..., 3): that motion, as `twist`, where it is one; NaN where there is none or more than one.
    """

    mobility: NDArray[np.int_]
    point: Floats
    twist: Floats
    driven: NDArray[np.int_]
    undriven: Floats

    @property
    def exists(self) -> Bools:
        """Whether the base can move without scrubbing at all."""
        result: Bools = self.mobility > 0
        return result

    def __str__(self) -> str:
        if np.ndim(self.mobility):
            return f"axes of rotation of {self.mobility.shape} arrangements"
        meaning = {3: "no wheel holds the base: it can turn about any point",
                   2: "it can turn about any point of a line",
                   0: "the axles have no point in common: the base cannot move without its wheels "
                   "scrubbing"}
        if int(self.mobility) == 1:
            free = "it can only go straight" if np.isinf(self.point).any() else f"it turns about {_place(self.point)}"
        else:
            free = meaning[int(self.mobility)]
        loose = self.loose_words()
        if loose and int(self.mobility) == 3:
            return f"no wheel holds the base, and {loose}"
        return f"{free}, but {loose}" if loose else free

    def loose_words(self) -> str:
        """What of the base's motion is neither held nor driven, in words; empty where drives decide all of it, or where
        there are none.
        """
        mobility, driven = int(self.mobility), int(self.driven)
        if not 0 < driven < mobility:
            return ""
        if mobility - driven > 1:
            return f"its drives decide {driven} of {mobility} motions alone"
        point = axis_of(self.undriven)
        if np.isinf(point).any():
            x, y = self.undriven[:2] / np.hypot(*self.undriven[:2]) + 0.0
            return f"no drive moves it along ({x:.4g}, {y:.4g})"
        return f"no drive turns it about {_place(point)}"


def _place(point: Floats) -> str:
    return str((np.round(point, 9) + 0.0).tolist())


def rotation_axis(rover: Rover, steering: Steering = None) -> RotationAxis:
    """The axis about which the wheels let the base turn, if they have one in common.

    >>> import loadpath as lp
    >>> print(lp.catalog.lau_rover().rotation_axis())
    it can turn about any point of a line
    """
    wheels = rover.arrangement
    placed = _placed(wheels, steering)
    held = constraint_rows(wheels, placed)
    drives = wheels.in_base(wheels.tractions, placed)[..., wheels.driven[wheels.tractions.contact], :]
    mobility, twist = _free_motions(held, wheels.size)
    left, undriven = _free_motions(np.concatenate([held, drives], axis=-2), wheels.size)
    single = (mobility == 1)[..., None]
    one_left = (left == 1)[..., None] & (mobility > left)[..., None]
    return RotationAxis(
        mobility,
        np.where(single, axis_of(twist), np.nan),
        np.where(single, twist, np.nan),
        mobility - left,
        np.where(one_left, undriven, np.nan),
    )


def _free_motions(rows: Floats, size: float) -> tuple[NDArray[np.int_], Floats]:
    """How many motions (...) rows (..., k, 3) leave free, and the freest of them (..., 3)."""
    matrix = rows * (1.0, 1.0, 1.0 / size)
    if matrix.shape[-2] < 3:
        padding = [(0, 0)] * (matrix.ndim - 2) + [(0, 3 - matrix.shape[-2]), (0, 0)]
        matrix = np.pad(matrix, padding)
    # A bad row must not spoil the others: it has no axis.
    good: Bools = np.asarray(np.isfinite(matrix).all(axis=(-2, -1), keepdims=True))
    _, values, vectors = np.linalg.svd(np.where(good, matrix, 1.0), full_matrices=False)
    free = 3 - (values > _RANK * max(1.0, float(values.max(initial=0.0)))).sum(axis=-1)
    free = np.where(good[..., 0, 0], free, 0)
    last = vectors[..., 2, :]  # of the smallest singular value
    w = np.where(np.abs(last[..., 2]) < _RANK, 0.0, last[..., 2] / size)
    return free, np.stack([last[..., 0], last[..., 1], w], axis=-1)


def axis_of(velocity: Floats) -> Floats:
    """The point (..., 2) of the plane that is at rest for base speeds (..., 3): (-v_y, v_x)/w. For a base that goes
    straight it is infinitely far to its left; for one at rest there is none: NaN.
    """
    vx, vy, w = (velocity[..., k] for k in range(3))
    turned = np.stack([0.0 - vy, vx], axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        point = turned / w[..., None]
        far = np.where(np.abs(turned) > 0, np.copysign(np.inf, turned), 0.0)
    straight = (w == 0) & (turned != 0).any(axis=-1)
    return np.where(straight[..., None], far, np.where((w == 0)[..., None], np.nan, point))


def instantaneous_axis(rover: Rover, velocity: ArrayLike) -> Floats:
    """The point (..., 2) of the base frame about which a base with that velocity turns, at this instant.

    >>> import loadpath as lp
    >>> lp.catalog.lau_rover().instantaneous_axis((0.5, 1.0)).tolist()
    [0.0, 0.5]
    """
    return axis_of(base_components(velocity, "velocity"))


# From wheels to base


@dataclass(frozen=True, eq=False)
class BaseMotion:
    """The motion of a base that fits rates of its wheels best.

    `velocity` (..., 3): v_x, v_y (m/s), w (rad/s) in base axes. `residual` (..., contacts, 2): velocity (m/s) with
    which each wheel slides forward and to the left all the same; zero where the wheels agree with each other.
    """

    velocity: Floats
    residual: Floats
    names: tuple[str, ...]

    @property
    def scrub(self) -> Floats:
        """Largest sliding speed (...) of a wheel, m/s."""
        result: Floats = np.hypot(self.residual[..., 0], self.residual[..., 1]).max(axis=-1)
        return result


def base_motion(
    rover: Rover, rates: ArrayLike, steering: Steering = None, *, wheels: Sequence[str] | None = None
) -> BaseMotion:
    """Velocity of the base from the rates of its wheels (rad/s), in the sense of least squares, with what each
    wheel slides all the same. `rates` are those of all wheels but casters, or of the `wheels` named. Steering
    angles are zero if they are not given.

    >>> import loadpath as lp
    >>> lp.catalog.lau_rover().base_motion([2.0, 8.0]).velocity.round(9).tolist()
    [0.5, 0.0, 1.0]
    """
    arrangement = rover.arrangement
    numbers = np.flatnonzero(arrangement.axled) if wheels is None else _numbers_of(arrangement, wheels)
    called = [arrangement.base.contact_names[k] for k in numbers]
    turns, turning = _checked_rates(rates, called), _rows_with_rates(arrangement, numbers)
    if steering is None and any(arrangement.wheels[k].steerable and not arrangement.axled[k] for k in numbers):
        raise ValueError("to use the rate of a caster, give its angle in steering=")
    # Across: what contacts hold, always; what a wheel whose angle is measured cannot roll along, too.
    across = [(k, row) for k, wheel in enumerate(arrangement.wheels)
              for row in (wheel.scrubs_along() if k in numbers else wheel.held())]
    every = rows_of([*turning, *across])
    right = np.zeros((*turns.shape[:-1], len(every.contact)))
    right[..., : len(numbers)] = -turns * rows_of(turning).spin
    rows = arrangement.in_base(every, _placed(arrangement, steering))
    velocity, errors = _fitted(rows, right, arrangement.size, called)
    residual = np.zeros((*errors.shape[:-1], len(arrangement.wheels), 2))
    for j, k in enumerate(every.contact):
        residual[..., k, :] += errors[..., j, None] * every.local[j]
    return BaseMotion(velocity, residual, arrangement.base.contact_names)


def _numbers_of(wheels: Arrangement, names: Sequence[str]) -> NDArray[np.intp]:
    """Numbers of the contacts with these names."""
    known = wheels.base.contact_names
    if isinstance(names, Mapping):
        raise ValueError("base_motion: 'wheels' is a mapping: expected names of wheels in the order of their rates")
    names = [names] if isinstance(names, str) else names
    if wrong := [entry for entry in names if entry not in known]:
        raise ValueError(f"no wheel '{wrong[0]}'; there are {', '.join(known)}")
    return np.array([known.index(entry) for entry in names], dtype=np.intp)


def _checked_rates(rates: ArrayLike, called: Sequence[str]) -> Floats:
    turns = np.asarray(rates, dtype=float)
    if turns.ndim == 0 or turns.shape[-1] != len(called):
        raise ValueError(f"rates have the shape {turns.shape}: expected (..., {len(called)}), one for each of "
                         f"{', '.join(called)}")
    return turns


def _rows_with_rates(wheels: Arrangement, numbers: NDArray[np.intp]) -> list[tuple[int, Row]]:
    """The rows by which these wheels roll."""
    rows = []
    for k in numbers.tolist():
        row = wheels.wheels[k].rolls_by()
        if row is None:
            raise ValueError(f"'{wheels.base.contact_names[k]}' is a {wheels.wheels[k].kind} and has no rate")
        rows.append((k, row))
    return rows


def _fitted(rows: Floats, right: Floats, size: float, called: Sequence[str]) -> tuple[Floats, Floats]:
    """Base speeds (..., 3) with rows (..., k, 3) @ speeds = right (..., k) in the sense of least squares, each row
    weighed alike, and what is left of each row (..., k).
    """
    shape = np.broadcast_shapes(rows.shape[:-2], right.shape[:-1])
    rows, right = np.broadcast_to(rows, (*shape, *rows.shape[-2:])), np.broadcast_to(right, (*shape, right.shape[-1]))
    scaled = rows * (1.0, 1.0, 1.0 / size)
    good = np.isfinite(scaled).all(axis=(-2, -1), keepdims=True)  # a bad row must not spoil the others
    scaled = np.where(good, scaled, np.eye(scaled.shape[-2], 3))
    if (np.linalg.matrix_rank(scaled, tol=_RANK) < 3).any():
        raise ValueError(f"the rates of {', '.join(called)} do not determine how the base moves: give more wheels, or "
                         "the steering angles")
    solution = np.where(good, np.linalg.pinv(scaled) @ right[..., None], np.nan)
    velocity = solution[..., 0] * (1.0, 1.0, 1.0 / size)
    return velocity, (rows @ velocity[..., None])[..., 0] - right
