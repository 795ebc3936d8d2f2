"""The wheels of a base as arrays: where they touch the ground, which way they roll, and the rows of what they hold.

What a wheel says of itself in its own axes (`robot.wheels.contacts`) stands here in those of the base, for all of them
together and at any steering angles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.mobile.links import Linkage
from loadpath.mobile.motions import Steering, as_numbers, by_names, velocity_at
from loadpath.mobile.springs import Springs
from loadpath.robot.wheels.base import BaseModel
from loadpath.robot.wheels.contacts import Contact, Row
from loadpath.scalars.types import Bools, Floats, Ints


class Placed(NamedTuple):
    """Contacts at given steering angles, in base axes; without batch axes where nothing can be steered."""

    points: Floats
    """(..., contacts, 2): where they touch the ground."""
    forward: Floats
    """(..., contacts, 2): unit vectors along which they roll."""
    pivots: Floats | None = None
    """(..., contacts, 2): where forces along the ground act, of wheels on links; None: at the positions on the base."""
    J: Floats | None = None
    """(..., contacts, 2, n): velocity of these against the base per unit of qd; None: all contacts are on the base."""

    @property
    def left(self) -> Floats:
        """(..., contacts, 2): unit vectors across, to the left: along the axles."""
        return np.stack([-self.forward[..., 1], self.forward[..., 0]], axis=-1)


class Rows(NamedTuple):
    """Rows of several contacts, one after the other."""

    contact: Ints
    """(k,): number of the contact."""
    local: Floats
    """(k, 2): parts along and across in the contact's axes."""
    spin: Floats
    """(k,): part of its rate."""

    def some(self, which: Sequence[int] | Ints) -> Rows:
        """Some of the rows."""
        those = np.asarray(which, dtype=np.intp)
        return Rows(self.contact[those], self.local[those], self.spin[those])

    def directions(self, placed: Placed) -> Floats:
        """(..., k, 2): the directions in base axes."""
        f = placed.forward[..., self.contact, :]
        a, b = self.local[:, 0], self.local[:, 1]
        return np.stack([a * f[..., 0] - b * f[..., 1], a * f[..., 1] + b * f[..., 0]], axis=-1)


class RowMap(NamedTuple):
    """Rows in the speeds of the base are linear in the forward directions of their contacts."""

    matrix: Floats
    """(3 k, 2 contacts)."""

    def rows(self, forward: Floats) -> Floats:
        """(k, 3): rows for directions (contacts, 2)."""
        result: Floats = (self.matrix @ forward.ravel()).reshape(-1, 3)
        return result


def rows_of(each: Sequence[tuple[int, Row]]) -> Rows:
    """Rows from pairs of the number of a contact and a row of it."""
    contact = np.array([k for k, _ in each], dtype=np.intp)
    local = np.array([(row.along, row.across) for _, row in each], dtype=float).reshape(-1, 2)
    return Rows(contact, local, np.array([row.spin for _, row in each], dtype=float))


def dot2(a: Floats, b: Floats) -> Floats:
    """Scalar products of vectors in the plane."""
    result: Floats = a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1]
    return result


def rows_along(directions: Floats, points: Floats) -> Floats:
    """Matrix (..., points, 3) from base speeds to the velocity of each point along its direction."""
    turning = points[..., 0] * directions[..., 1] - points[..., 1] * directions[..., 0]
    return np.concatenate([directions, np.broadcast_to(turning, directions.shape[:-1])[..., None]], axis=-1)


@dataclass(frozen=True)
class Arrangement:
    """The contacts of a base, some of which may be on links of its robots."""

    base: BaseModel
    linkage: Linkage | None = None

    @property
    def wheels(self) -> Sequence[Contact]:
        """The contacts."""
        return self.base.wheels

    def each(self, part: str) -> Floats:
        """A number of every contact (contacts,)."""
        return np.array([float(getattr(wheel, part)) for wheel in self.wheels])

    @cached_property
    def pivots(self) -> Floats:
        """(contacts, 2)."""
        self._refuse_links()
        return self.base.positions

    def _refuse_links(self) -> None:
        """Where wheels on links are depends on the joints of the robots."""
        if self.linkage is not None:
            wheel = next(wheel for wheel in self.wheels if wheel.link is not None)
            raise ModelError(f"base '{self.base.name}': {wheel.kind} '{wheel.name}' is on link '{wheel.link}', and "
                             "what is asked for knows wheels on the base only; of wheels on links there are "
                             "wheel_loads, stability, wheel_load_breakdown, verdict, report, wheel_motion, "
                             "constraint_matrix (with q=) and simulate")

    @property
    def speeds(self) -> int:
        """Speeds that rows of contacts have: three of the base, and those of the joints where wheels are on links."""
        return 3 if self.linkage is None else 3 + self.linkage.rover.n

    @cached_property
    def steerable(self) -> Ints:
        """Numbers of the contacts with a steering angle."""
        return np.flatnonzero([wheel.steerable for wheel in self.wheels])

    @cached_property
    def steered(self) -> Bools:
        """Which have a steering drive."""
        return np.array([wheel.steered_by_drive for wheel in self.wheels])

    @cached_property
    def swivelling(self) -> Ints:
        """Numbers of the contacts whose angle follows the motion with a rate of its own."""
        return np.flatnonzero([wheel.swivels for wheel in self.wheels])

    @cached_property
    def fixed_points(self) -> bool:
        """Whether the contacts stay where they are: none trails, none is on a link."""
        return self.linkage is None and not any(wheel.trail for wheel in self.wheels)

    @cached_property
    def grips(self) -> Rows:
        """All rows that contacts grip."""
        return rows_of([(k, row) for k, wheel in enumerate(self.wheels) for row in wheel.grip()])

    @cached_property
    def held(self) -> Rows:
        """Rows that contacts hold whatever their drives do: those of their grip that do not turn the wheel. The last of
        each contact first, then what some of them hold besides.
        """
        each = [list(wheel.held()) for wheel in self.wheels]
        ranks = range(max(map(len, each), default=0))
        return rows_of([(k, rows[-1 - r]) for r in ranks for k, rows in enumerate(each) if r < len(rows)])

    @cached_property
    def tractions(self) -> Rows:
        """The rows along which drives push, of all contacts that have one."""
        found = [(k, wheel.traction()) for k, wheel in enumerate(self.wheels)]
        return rows_of([(k, row) for k, row in found if row is not None])

    @cached_property
    def axled(self) -> Bools:
        """Which have an axle that a drive can turn."""
        result = np.zeros(len(self.wheels), dtype=bool)
        result[self.tractions.contact] = True
        return result

    @cached_property
    def holds_across(self) -> Bools:
        """Which hold some direction whatever their drives do."""
        return np.array([bool(wheel.held()) for wheel in self.wheels])

    @cached_property
    def driven(self) -> Bools:
        """Which have a drive or brake."""
        return np.array([wheel.driven for wheel in self.wheels])

    @cached_property
    def axle_inertia(self) -> Floats:
        """(contacts,): what resists angular acceleration of the axle, geared rotors included."""
        return self.each("axle_inertia")

    @cached_property
    def momentum_inertia(self) -> Floats:
        """(contacts,): angular momentum along the axle per unit of the rate."""
        return self.each("momentum_inertia")

    @cached_property
    def compliance(self) -> Floats:
        """(contacts,)."""
        return self.each("yielding")

    @cached_property
    def grip_compliance(self) -> Floats:
        """(contacts,)."""
        return self.each("grip_yielding")

    @cached_property
    def springs(self) -> Springs:
        """What the base rests on, tyres and suspensions of all contacts."""
        return Springs(self.base)

    @cached_property
    def size(self) -> float:
        """Root mean square distance of the contacts from their middle: a length to weigh turning against moving."""
        points = self.pivots if self.linkage is None else self.linkage.hubs(self.linkage.robot.home).center[:, :2]
        return float(np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()))

    @cached_property
    def at_rest(self) -> Placed:
        """With every steering angle zero."""
        return self.placed(np.zeros(len(self.steerable)))

    @cached_property
    def at_home(self) -> Placed:
        """The same with the joints of the robots at home, where wheels are on links."""
        if self.linkage is None:
            return self.at_rest
        return self.placed(np.zeros(len(self.steerable)), self.linkage.robot.home)

    # Steering

    def read_steering(self, steering: Steering) -> Floats:
        """Steering angles as an array (..., steerable); from a mapping by names of wheels, zero where not named."""
        count = len(self.steerable)
        steering = by_names(steering)
        if isinstance(steering, Mapping):
            return self._steering_by_names(steering)
        angles = as_numbers(steering, "steering")
        if angles.ndim == 0 or angles.shape[-1] != count:
            names = ", ".join(f"'{self.base.contact_names[k]}'" for k in self.steerable) or "none"
            raise ValueError(f"steering has the shape {angles.shape}: expected (..., {count}), an angle to the base's "
                             f"x axis for each wheel that can be steered ({names})")
        return angles

    def _steering_by_names(self, steering: Mapping[str, Any]) -> Floats:
        names = [self.base.contact_names[k] for k in self.steerable]
        wrong = [name for name in steering if name not in names]
        if wrong:
            raise ValueError(f"steering names '{wrong[0]}'; there are {', '.join(names) or 'none that can be steered'}")
        given = {name: as_numbers(value, f"steering of '{name}'") for name, value in steering.items()}
        angles = np.zeros((*np.broadcast_shapes(*(value.shape for value in given.values())), len(names)))
        for name, value in given.items():
            angles[..., names.index(name)] = value
        return angles

    def aligned(self, velocity: Floats, q: Floats | None = None) -> Floats:
        """Steering angles (..., steerable) of wheels that roll with their pivots, 0 for pivots at rest. Where wheels
        are on links, `velocity` (..., 3 + n) may have the speeds of the joints, whose coordinates are q, else those at
        home; angles of such wheels are against the x axes of their links.
        """
        if self.linkage is not None and any(self.wheels[k].link is not None for k in self.steerable):
            at = self._seen_from_links(velocity, q)
        else:
            at = velocity_at(velocity[..., :3], self.base.positions[self.steerable])
        angles = np.empty(at.shape[:-1])
        for i, k in enumerate(self.steerable):
            c, s = self.wheels[k].aligned(at[..., i, 0], at[..., i, 1])
            angles[..., i] = np.arctan2(s, c)
        return angles

    def _seen_from_links(self, velocity: Floats, q: Floats | None) -> Floats:
        """(..., steerable, 2): velocities of pivots in the axes of their links."""
        assert self.linkage is not None
        missing = self.speeds - velocity.shape[-1]
        speeds = np.concatenate([velocity, np.zeros((*velocity.shape[:-1], missing))], axis=-1)
        straight = self.placed(np.zeros(len(self.steerable)), self.linkage.robot.home if q is None else q)
        at = self.velocities(straight, speeds)[..., self.steerable, :]
        axes = straight.forward[..., self.steerable, :], straight.left[..., self.steerable, :]
        return np.stack([dot2(at, axis) for axis in axes], axis=-1)

    def swivel_rates(self, placed: Placed, velocity: Floats) -> Floats:
        """Rates (..., steerable) of angles that follow the motion, against the base; 0 for others."""
        across = dot2(self.velocities(placed, velocity), placed.left)
        rates = np.zeros((*across.shape[:-1], len(self.steerable)))
        for i, k in enumerate(self.steerable):
            rates[..., i] = self.wheels[k].swivel_rate(across[..., k], velocity[..., 2])
        return rates

    @cached_property
    def _looking(self) -> Floats:
        """(contacts, 2): rolling directions of wheels that cannot be steered; of others, forward."""
        direction = self.each("direction")
        return np.stack([np.cos(direction), np.sin(direction)], axis=-1)

    def placed(self, steering: Floats, q: Floats | None = None) -> Placed:
        """Where the contacts are and which way they roll at steering angles (..., steerable); of wheels on links at
        coordinates (..., nq) of the robots as well.
        """
        if self.linkage is not None:
            return self._placed_on_links(steering, q)
        forward = np.empty((*steering.shape[:-1], len(self.wheels), 2))
        forward[...] = self._looking
        if len(self.steerable):
            forward[..., self.steerable, 0], forward[..., self.steerable, 1] = np.cos(steering), np.sin(steering)
        if self.fixed_points:
            return Placed(self.pivots, forward)
        points = np.empty(forward.shape)
        points[...] = self.pivots
        for k, wheel in enumerate(self.wheels):
            if wheel.trail:
                points[..., k, 0], points[..., k, 1] = wheel.contact_point(forward[..., k, 0], forward[..., k, 1])
        return Placed(points, forward)

    def _placed_on_links(self, steering: Floats, q: Floats | None) -> Placed:
        if q is None or self.linkage is None:
            self._refuse_links()
        assert self.linkage is not None
        hubs = self.linkage.hubs(np.asarray(q, dtype=float))
        shape = np.broadcast_shapes(steering.shape[:-1], hubs.center.shape[:-2])
        forward = np.array(np.broadcast_to(hubs.forward[..., :2], (*shape, len(self.wheels), 2)))
        if len(self.steerable):
            ahead, left = (part[..., self.steerable, :2] for part in (hubs.forward, hubs.left))
            forward[..., self.steerable, :] = np.cos(steering)[..., None] * ahead + np.sin(steering)[..., None] * left
        forward /= np.linalg.norm(forward, axis=-1, keepdims=True)
        points = np.array(np.broadcast_to(hubs.center[..., :2], forward.shape))
        for k, wheel in enumerate(self.wheels):
            if wheel.trail:
                points[..., k, 0], points[..., k, 1] = wheel.contact_point(forward[..., k, 0], forward[..., k, 1])
        ground = hubs.center - self.linkage.radius[:, None] * hubs.up
        return Placed(points, forward, hubs.center[..., :2], hubs.point_jacobian(ground)[..., :2, :])

    def velocities(self, placed: Placed, speeds: Floats) -> Floats:
        """(..., contacts, 2): velocities of the pivots in base axes, for speeds (..., 3) of the base; where wheels are
        on links, (..., 3 + n) with those of the joints.
        """
        if placed.J is None or placed.pivots is None:
            return velocity_at(speeds, self.pivots)
        turned = speeds[..., 2, None, None] * np.stack([-placed.pivots[..., 1], placed.pivots[..., 0]], axis=-1)
        moved = (placed.J @ speeds[..., None, 3:, None])[..., 0]
        result: Floats = speeds[..., None, :2] + turned + moved
        return result

    # Rows in the speeds of the base

    def in_base(self, rows: Rows, placed: Placed) -> Floats:
        """(..., k, 3): the rows in the base's speeds v_x, v_y, w; forces act at the contacts' positions. Where wheels
        are on links, (..., k, 3 + n) in the speeds of the joints as well.
        """
        if placed.J is None or placed.pivots is None:
            return rows_along(rows.directions(placed), self.pivots[rows.contact])
        directions = rows.directions(placed)
        shape = np.broadcast_shapes(directions.shape[:-1], (*placed.pivots.shape[:-2], len(rows.contact)))
        base = rows_along(np.broadcast_to(directions, (*shape, 2)), placed.pivots[..., rows.contact, :])
        joints = (directions[..., None, :] @ placed.J[..., rows.contact, :, :])[..., 0, :]
        return np.concatenate([base, np.broadcast_to(joints, (*shape, joints.shape[-1]))], axis=-1)

    def row_map(self, rows: Rows) -> RowMap:
        """How rows in the speeds of the base depend on the forward directions of the contacts."""
        contacts, count = len(self.wheels), len(rows.contact)
        matrix = np.empty((count * 3, contacts * 2))
        for i in range(contacts * 2):
            unit = np.zeros(contacts * 2)
            unit[i] = 1.0
            matrix[:, i] = self.in_base(rows, Placed(self.pivots, unit.reshape(contacts, 2))).ravel()
        return RowMap(matrix)

    def rate_rows(self, placed: Placed) -> Floats:
        """Rows (..., contacts, 3) of the wheels' rates (rad/s) in the base's speeds, while their traction does not
        slip; zero for contacts without an axle. Without batch axes where no such wheel can be steered.
        """
        return self._steady_rates if self.turns_no_traction else self._rate_rows(placed)

    @cached_property
    def turns_no_traction(self) -> bool:
        """Whether no wheel with an axle can be steered, nor is on a link."""
        return self.linkage is None and not any(self.wheels[k].steerable for k in self.tractions.contact)

    @cached_property
    def _steady_rates(self) -> Floats:
        return self._rate_rows(self.at_rest)

    def _rate_rows(self, placed: Placed) -> Floats:
        base = self.in_base(self.tractions, placed)
        rows = np.zeros((*base.shape[:-2], len(self.wheels), base.shape[-1]))
        rows[..., self.tractions.contact, :] = -base / self.tractions.spin[:, None]
        return rows
