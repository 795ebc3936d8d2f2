"""What can stick or give way under a rover, one by one: grip of a contact, rolling of a wheel, friction of a joint.

The speeds are U = (v_x, v_y, w, qd, rates of spinning wheels). An element has one or two rows D: its slip is D U, its
force f acts along D^T. At rest it holds with whatever force up to a limit; moving, it gives its friction against the
slip. The rows are those that wheels say (`robot.wheels.contacts`). Of a wheel whose rate is a speed of its own (it has
spin inertia, or its rate is given) they have a column for that. Any other wheel's rate gives way at once: its traction
is what drive and rolling resistance turn it with, and its rate is put in from its rolling.

- Grip: the rows of a contact's grip, but not the traction of a wheel without a rate of its own.
- Rolling resistance: the groups of rows of a wheel's resistance. Its force is mu_r N, at rest and moving.
- Coulomb friction of a joint: one row.
- Brake of a wheel: one row, its rate, which must be a speed of its own. Its limit is the brake's torque of the moment.

The pieces of a track have one rate, which is one speed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from loadpath.algorithms.coulomb import coulomb_limits
from loadpath.cached import kept
from loadpath.mobile.arrangement import Placed, Rows, dot2, rows_of
from loadpath.mobile.contacts.sharing import SOFT
from loadpath.mobile.equations import BASE
from loadpath.robot.drive_train.of_joint import refuse_stribeck
from loadpath.robot.mechanism import plain
from loadpath.robot.wheels.contacts import Row
from loadpath.scalars.types import Bools, Floats

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

Heat = Literal["sliding", "rolling", "joint", "brake"]
STIFF = 100.0
"""Stiffness of a brake at the rim, in stiffnesses of the same wheel's grip."""


@dataclass(frozen=True)
class Element:
    """Something that sticks or gives way."""

    heat: Heat
    """What the work of its friction becomes."""
    rows: slice
    """Which rows of D are its."""
    static: float
    """Limit at rest per unit of normal force, beside all patches; of joints, the limit itself; of brakes, 1 per unit of
    their torque."""
    kinetic: float
    """The same while it moves."""
    stiffness: float = 1.0
    """By which it shares what several could hold."""
    contact: int = -1
    """Number of its contact; -1 for joints and brakes."""
    joint: int = -1
    massless: bool = False
    """Whether it is the grip of a wheel that has its rate from its rolling alone."""
    with_axle: bool = False
    """Whether it is idle while its wheel spins without grip: grip itself, and what resists the axle."""
    axle: int = -1
    """Number of the wheel that it brakes (of a track, its first piece)."""

    @property
    def count(self) -> int:
        """Number of its rows."""
        return int(self.rows.stop - self.rows.start)

    @property
    def grips(self) -> bool:
        """Whether it is the grip of a contact."""
        return self.heat == "sliding"

    @property
    def rolls(self) -> bool:
        """Whether it is rolling resistance."""
        return self.heat == "rolling"


class Coefficients(NamedTuple):
    """Friction of all elements where the contacts stand."""

    static: Floats
    """(elements,): as `Element.static`, on the patches of the ground."""
    kinetic: Floats
    """(elements,): the same while they move."""
    contacts: Mapping[str, Floats]
    """`sliding`, `static`, `rolling`, each (contacts,)."""
    without: Bools
    """(elements,): which have none here: a patch without rolling resistance."""


@kept()
def _holding_joints(rover: Rover) -> Floats:
    """(n,): dry friction of the joints at rest."""
    return np.array(coulomb_limits(plain(rover.robot)))


class Elements:
    """All elements of a rover. `given_rates` are numbers of the wheels whose rates are given, `braked` of those that
    have a brake. The contacts of a base that is not free have no elements, nor joints whose motion is given: all but
    the `driven_joints` (n,), which move under forces.
    """

    def __init__(
        self, rover: Rover, given_rates: set[int], braked: set[int] | frozenset[int] = frozenset(), *,
        driven_joints: bool | Bools, base_is_free: bool = True,
    ) -> None:
        wheels = self.wheels = rover.arrangement
        self.rover = rover
        axled = [int(k) for k in wheels.tractions.contact]
        self._add_spins([k for k in axled if wheels.axle_inertia[k] > 0 or k in given_rates])
        self.pulled = np.array([k for k in axled if k not in self.spin_at], dtype=np.intp)
        """Numbers of the wheels whose rates follow from their rolling."""
        self.trailing = wheels.swivelling
        self.all: list[Element] = []
        self._raw: list[tuple[int, Row]] = []
        self._effective: list[tuple[int, Row]] = []
        self._joints: list[tuple[int, int]] = []
        for k in range(len(wheels.wheels) if base_is_free else 0):
            self._add_grip(k)
            self._add_resistance(k, rate_is_given=k in given_rates)
        self.contact_rows = len(self._raw)
        if np.any(driven_joints):
            refuse_stribeck(rover.robot, "simulations of a rover")
            limits = np.where(driven_joints, _holding_joints(rover), 0.0)
            for joint, limit in enumerate(limits.tolist()):
                if limit > 0:
                    at = slice(self.contact_rows + len(self._joints), self.contact_rows + len(self._joints) + 1)
                    self._joints.append((at.start, BASE + joint))
                    self.all.append(Element("joint", at, limit, limit, joint=joint))
        self._add_brakes(braked if base_is_free else set())
        self.count = self.contact_rows + len(self._joints) + len(self._axles)
        self.own: Rows = rows_of(self._raw)
        """The rows of contacts as the wheels say them."""
        self.rolled: Rows = rows_of(self._effective)
        """The same with the rates put in of wheels whose rates follow from their rolling."""
        self._template = np.zeros((self.count, self.size))
        for i, (k, row) in enumerate(self._effective):
            if row.spin:
                self._template[i, self.spin_at[k]] = row.spin
        for i, column in [*self._joints, *self._axles]:
            self._template[i, column] = 1.0
        self.turning = np.array([i for i, (k, _) in enumerate(self._raw) if wheels.wheels[k].steerable], dtype=np.intp)
        """Numbers of the rows that turn with a steering angle."""
        if wheels.linkage is None:  # else rows are those of the base as a free body
            self._template[: self.contact_rows, :BASE] = wheels.in_base(self.rolled, wheels.at_rest)
        self._steered = self.rolled.some(self.turning)
        pulled = {int(k): row for k, row in zip(wheels.tractions.contact, range(len(axled)), strict=True)}
        self.pulls = wheels.tractions.some([pulled[int(k)] for k in self.pulled])
        """Tractions of the wheels in `pulled`."""
        self._coefficients: dict[tuple[int, ...], Coefficients] = {}
        if wheels.linkage is None:
            self._map = wheels.row_map(self._steered)
            self._pull_map = wheels.row_map(self.pulls)

    def _add_spins(self, spins: list[int]) -> None:
        """Rates of these wheels become speeds of their own; those of the pieces of a track, one."""
        wheels, first = self.wheels.wheels, BASE + self.rover.n
        leads = {wheels[k].track or str(k): k for k in reversed(spins)}
        self.spinning = np.array(sorted(leads.values()), dtype=np.intp)
        """Numbers of the wheels whose rates are speeds of their own; of a track, of its first piece."""
        self.size = first + len(self.spinning)
        columns = {int(k): first + i for i, k in enumerate(self.spinning)}
        self.spin_at = {k: columns[leads[wheels[k].track or str(k)]] for k in spins}
        """Where the rates of all that spin are among the speeds."""
        self.members = np.zeros((len(self.spinning), len(wheels)))
        """(spins, contacts): 1 where a contact has that rate."""
        for k, column in self.spin_at.items():
            self.members[column - first, k] = 1.0

    def _add_brakes(self, braked: set[int] | frozenset[int]) -> None:
        self._axles: list[tuple[int, int]] = []
        for k in (int(k) for k in self.spinning):
            column, wheel = self.spin_at[k], self.wheels.wheels[k]
            traction = wheel.traction()
            if traction is not None and any(self.spin_at[other] == column for other in braked):
                at = self.contact_rows + len(self._joints) + len(self._axles)
                stiffness = STIFF * traction.spin**2 / wheel.grip_yielding
                self._axles.append((at, column))
                self.all.append(Element("brake", slice(at, at + 1), 1.0, 1.0, stiffness, axle=k))

    def _add_grip(self, k: int) -> None:
        wheel, friction = self.wheels.wheels[k], self.rover.frictions
        static, kinetic = float(friction["static"][k]), float(friction["sliding"][k])
        most = max([static, *(patch.friction.static for patch in self.rover.ground.patches)])
        follows = wheel.traction() is not None and k not in self.spin_at
        rows = wheel.held() if follows else wheel.grip()
        if rows and most > 0:
            stiffness = 1.0 / wheel.grip_yielding
            self._add(k, rows, "sliding", static, kinetic, stiffness, massless=follows, with_axle=True)

    def _add_resistance(self, k: int, *, rate_is_given: bool) -> None:
        wheel, rolling = self.wheels.wheels[k], float(self.rover.frictions["rolling"][k])
        most = max([rolling, *(patch.friction.rolling for patch in self.rover.ground.patches)])
        for group in wheel.resistance() if most > 0 else ():
            inside = not any(row.on_ground for row in group)
            if not (inside and rate_is_given):  # else the drive takes it
                stiffness = 1.0 / (SOFT * wheel.grip_yielding)
                self._add(k, group, "rolling", rolling, rolling, stiffness, with_axle=inside)

    def _add(
        self, k: int, rows: tuple[Row, ...], heat: Heat, static: float, kinetic: float, stiffness: float, *,
        massless: bool = False, with_axle: bool = False,
    ) -> None:
        at = slice(len(self._raw), len(self._raw) + len(rows))
        traction = self.wheels.wheels[k].traction()
        for row in rows:
            self._raw.append((k, row))
            if row.spin and k not in self.spin_at and traction is not None:
                self._effective.append((k, row.while_rolling(traction)))
            else:
                self._effective.append((k, row))
        self.all.append(Element(heat, at, static, kinetic, stiffness, k, -1, massless, with_axle))

    def coefficients(self, under: tuple[int, ...] = ()) -> Coefficients:
        """Friction where the contacts stand on patches of these numbers, -1 beside them; nothing: beside all."""
        known = self._coefficients.get(under)
        if known is not None:
            return known
        contacts = {part: values.copy() for part, values in self.rover.frictions.items()}
        for k, number in enumerate(under):
            if number >= 0:
                for part, values in contacts.items():
                    values[k] = getattr(self.rover.ground.patches[number].friction, part)
        static, kinetic = np.array([e.static for e in self.all]), np.array([e.kinetic for e in self.all])
        for i, e in enumerate(self.all):
            if e.contact >= 0:
                names = ("rolling", "rolling") if e.rolls else ("static", "sliding")
                static[i], kinetic[i] = (contacts[name][e.contact] for name in names)
        found = self._coefficients[under] = Coefficients(static, kinetic, contacts, static == 0)
        return found

    def matrix(self, placed: Placed) -> Floats:
        """D (rows, speeds) with contacts in their places."""
        D = self._template.copy()
        D[self.turning, :BASE] = self._map.rows(placed.forward)
        return D

    def pull_matrix(self, placed: Placed) -> Floats:
        """Rows (pulled, speeds) of the tractions of the wheels in `pulled`."""
        rows = np.zeros((len(self.pulled), self.size))
        rows[:, :BASE] = self._pull_map.rows(placed.forward)
        return rows

    def slip_change(self, placed: Placed, rates: Floats, velocity: Floats) -> Floats:
        """(rows,): rate of D times U at rates (steerable,) of the steering angles, which turn the rows with f, l."""
        turned = np.zeros(placed.forward.shape)
        those = self.wheels.steerable
        turned[those, 0], turned[those, 1] = -rates * placed.forward[those, 1], rates * placed.forward[those, 0]
        result = np.zeros(self.count)
        result[self.turning] = self._map.rows(turned) @ velocity
        return result

    def in_wheel_axes(self, forces: Floats, pull: Floats, placed: Placed, axes: Placed) -> tuple[Floats, Floats]:
        """Longitudinal and lateral forces (..., contacts) of forces (..., rows) along all rows and of what wheels in
        `pulled` pull (..., contacts); the rows' directions are those of `placed`, the parts are along the `axes`.
        """
        vectors = np.zeros((*pull.shape, 2))
        for rows, along in ((self.own, forces[..., : self.contact_rows]), (self.pulls, pull[..., self.pulled])):
            each = along[..., None] * rows.directions(placed)
            for j, k in enumerate(rows.contact):
                vectors[..., k, :] += each[..., j, :]
        return dot2(vectors, axes.forward), dot2(vectors, axes.left)
