"""Forces in the plane while contacts roll: what resists, what spins up wheels, what is left for grip to hold.

Written over scalars, once, for one state, for columns of many, and for the compiled wheel loads. Symbols as in the
errata's section 6.9: b the rate of a wheel, J its spin inertia (with the rotor of its drive by the ratio squared), tau
the torque of its drive, mu_r N its rolling resistance. With the rows of a wheel (`loadpath.robot.wheels.contacts`) and
f the forces along them,

    J db/dt = tau + sum over its rows of spin f,

which gives the force along the traction of a wheel whose torque is known, and the torque of one whose force is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from loadpath.mobile.arrangement import Rows, rows_of
from loadpath.robot.wheels.contacts import Contact, Row
from loadpath.scalars import Array, Scalar, array, cos, sign, sin, sqrt

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

Pair = tuple[Scalar, Scalar]
STILL = 1e-12
"""Share of the fastest speed at any contact below which a speed is rounding."""


@dataclass(frozen=True, eq=False)
class ContactModel:
    """The contacts of a rover and their friction coefficients, as plain numbers; infinite where friction is unknown."""

    wheels: Sequence[Contact]
    static: tuple[float, ...]
    sliding: tuple[float, ...]
    rolling: tuple[float, ...]
    size: float
    """A length of the base, to weigh turning against moving (m)."""


def contact_model(rover: Rover) -> ContactModel:
    """The contacts of a rover."""
    known = [rover.friction_of(name) for name in rover.contact_names]
    infinite = float("inf")
    return ContactModel(
        rover.base.wheels,
        tuple(infinite if f is None else f.static for f in known),
        tuple(infinite if f is None else f.sliding for f in known),
        tuple(0.0 if f is None else f.rolling for f in known),
        rover.arrangement.size,
    )


def headings(model: ContactModel, velocity: Array, steering: Array | None) -> list[Pair]:
    """Cosine and sine of the angle of every contact: at given steering angles, or aligned with the velocity."""
    result, number = [], 0
    for wheel in model.wheels:
        if wheel.steerable and steering is not None:
            result.append((cos(steering[number]), sin(steering[number])))
        else:
            result.append(wheel.aligned(*_at(wheel, velocity)))
        number += wheel.steerable
    return result


def points(model: ContactModel, heading: Sequence[Pair]) -> list[Pair]:
    """Where the contacts touch the ground."""
    return [wheel.contact_point(*angle) for wheel, angle in zip(model.wheels, heading, strict=True)]


def _at(wheel: Contact, motion: Array) -> Pair:
    """Velocity (or its rate) of a contact's position, in base axes."""
    (x, y), (vx, vy, w) = wheel.position, motion
    return vx - w * y, vy + w * x


def _in_axes(angle: Pair, vector: Pair) -> Pair:
    """A vector in base axes along a contact's own."""
    (c, s), (x, y) = angle, vector
    return c * x + s * y, c * y - s * x


class AtContact(NamedTuple):
    """The motion of a contact: velocity along its axes and rate, and the rates of change of these."""

    along: Scalar
    across: Scalar
    rate: Scalar

    def slip(self, row: Row) -> Scalar:
        """Of a row."""
        return row.along * self.along + row.across * self.across + row.spin * self.rate


def motion_at(wheel: Contact, angle: Pair, motion: Array) -> AtContact:
    """Motion of a contact that rolls; also for accelerations."""
    return rolling_at(wheel, *_in_axes(angle, _at(wheel, motion)))


def rolling_at(wheel: Contact, along: Scalar, across: Scalar) -> AtContact:
    """The same of one whose velocity along its axes is known."""
    row = wheel.traction()
    rate = 0.0 if row is None else (row.along * along + row.across * across) * (-1.0 / row.spin)
    return AtContact(along, across, rate)


@dataclass
class Known:
    """Forces that follow from motion and normal forces, before anything is shared; a list entry for each contact."""

    along: list[Scalar]
    """Force along the contact's forward axis (N)."""
    across: list[Scalar]
    torque: list[Scalar]
    """J db/dt - sum of spin f: what the drive must give besides what its traction asks for (N m)."""
    moving: list[list[Scalar]]
    """1 or 0 for each group of resistance: whether it rolls."""


def known_forces(
    model: ContactModel,
    heading: Sequence[Pair],
    normal: Sequence[Scalar],
    velocity: Array,
    acceleration: Array,
    *,
    carries: Sequence[Scalar] | None = None,
    torques: Sequence[Scalar] | None = None,
    from_rest: bool = True,
    motions: tuple[Sequence[AtContact], Sequence[AtContact]] | None = None,
) -> Known:
    """What resists rolling and spins up wheels. Wheels with a drive get the torque that is needed, unless `torques`
    are given; others have none. `carries` is 0 for contacts in the air, which nothing spins up. What is at rest but
    accelerates resists as well, unless `from_rest` is false. Where contacts are on links, `motions` has how each of
    them moves, and the rates of that.
    """
    speeds, starts = motions or (
        [motion_at(w, a, velocity) for w, a in zip(model.wheels, heading, strict=True)],
        [motion_at(w, a, acceleration) for w, a in zip(model.wheels, heading, strict=True)],
    )
    fastest, quickest = (_size(each) for each in (speeds, starts))
    known = Known([], [], [], [])
    for k, wheel in enumerate(model.wheels):
        carried = 1.0 if carries is None else carries[k]
        resists = _pressed(normal[k]) * model.rolling[k]
        along: Scalar = 0.0
        across: Scalar = 0.0
        torque: Scalar = carried * (wheel.axle_inertia * starts[k].rate) if wheel.axle_inertia else 0.0
        moving: list[Scalar] = []
        for group in wheel.resistance() if model.rolling[k] else ():
            direction, moves = _sense(group, speeds[k], fastest)
            if from_rest:
                begins, starting = _sense(group, starts[k], quickest)
                direction = [d + (1.0 - moves) * e for d, e in zip(direction, begins, strict=True)]
                moves = moves + (1.0 - moves) * starting
            moving.append(moves)
            for row, d in zip(group, direction, strict=True):
                f = -(resists * d)
                along, across, torque = along + row.along * f, across + row.across * f, torque - row.spin * f
        pulls = wheel.traction()
        if pulls is not None and (torques is not None or not wheel.driven):
            f = (torque if torques is None else torque - torques[k]) * (1.0 / pulls.spin)
            along, across = along + pulls.along * f, across + pulls.across * f
        known.along.append(along)
        known.across.append(across)
        known.torque.append(torque)
        known.moving.append(moving)
    return known


def _pressed(normal: Scalar) -> Scalar:
    """The normal force, zero where it would pull."""
    return 0.5 * (normal + sign(normal) * normal)


def _size(motions: Sequence[AtContact]) -> Scalar:
    total: Scalar = 0.0
    for at in motions:
        total = total + at.along * at.along + at.across * at.across
    return sqrt(total)


def _sense(group: Sequence[Row], at: AtContact, fastest: Scalar) -> tuple[list[Scalar], Scalar]:
    """Unit vector of the speeds along the rows of a group, and 1 if it moves; zeros if it does not, to rounding."""
    slips = [at.slip(row) for row in group]
    if len(slips) == 1:
        speed = sign(slips[0]) * slips[0]
        moves = sign(_pressed(speed - STILL * fastest))
        return [moves * sign(slips[0])], moves
    speed = sqrt(slips[0] * slips[0] + slips[1] * slips[1])
    moves = sign(_pressed(speed - STILL * fastest))
    by = moves / (speed + (1.0 - moves))
    return [slip * by for slip in slips], moves


def sum_of(model: ContactModel, heading: Sequence[Pair], along: Sequence[Scalar], across: Sequence[Scalar]) -> Array:
    """F_x, F_y, N_z of forces along the axes of the contacts, acting at their positions."""
    fx: Scalar = 0.0
    fy: Scalar = 0.0
    nz: Scalar = 0.0
    for wheel, (c, s), a, b in zip(model.wheels, heading, along, across, strict=True):
        (x, y), px, py = wheel.position, c * a - s * b, s * a + c * b
        fx, fy, nz = fx + px, fy + py, nz + x * py - y * px
    return array([fx, fy, nz])


# Rows that share what is left


class Carrying(NamedTuple):
    """Rows whose forces balance decides."""

    grip: Rows
    """What contacts hold, and the tractions of drives that give what is needed."""
    resting: Rows
    """What resists the rolling of wheels at rest; of a wheel without a drive together with its traction."""
    group: tuple[tuple[int, int], ...]
    """Of every row of `resting`: contact, and number of its group of resistance."""
    spin: tuple[float, ...]
    """Of every row of `resting`: torque on the drive of its wheel per unit of force."""


def carrying(model: ContactModel, *, drives: bool = True) -> Carrying:
    """Rows whose forces are open; without `drives`, the torques of all wheels are given."""
    grip: list[tuple[int, Row]] = []
    resting: list[tuple[int, Row]] = []
    group: list[tuple[int, int]] = []
    spin: list[float] = []
    for k, wheel in enumerate(model.wheels):
        traction = wheel.traction()
        open_ = drives and wheel.driven
        grip += [(k, row) for row in wheel.grip() if open_ or not row.spin]
        for g, rows in enumerate(wheel.resistance() if model.rolling[k] else ()):
            for row in rows:
                # What resists turns the wheel, too, and its traction answers.
                seen = row if open_ or traction is None else row.while_rolling(traction)
                if abs(seen.along) + abs(seen.across) > 1e-15:
                    resting.append((k, Row(seen.along, seen.across)))
                    group.append((k, g))
                    spin.append(row.spin)
    return Carrying(rows_of(grip), rows_of(resting), tuple(group), tuple(spin))
