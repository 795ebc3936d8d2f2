"""Contacts whose wheels turn about a vertical axis, over scalars: where they are and which rows they have, compiled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from loadpath.cached import cached_property
from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.mobile.normals import unit_shares
from loadpath.robot.wheels.contacts import Contact
from loadpath.scalars import Array, Scalar, array, cos, sin

if TYPE_CHECKING:
    from loadpath.mobile.contacts.elements import Elements

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class TurningContacts:
    """The contacts of a rover with its drives."""

    wheels: Sequence[Contact]
    looking: Matrix
    """(contacts, 2): forward directions of those that cannot be steered."""
    rows: Matrix
    """(rows, speeds): D where nothing turns."""
    turning: tuple[int, ...]
    """Which rows turn."""
    per_forward: Matrix
    """(3 turning, 2 contacts): these rows in the speeds of the base, of the forward directions."""
    tractions: Matrix
    """The same of the tractions that drives pull along."""
    casters: tuple[int, ...]
    """Contacts whose angles follow the motion."""

    @property
    def name(self) -> str:
        """For messages."""
        return "contacts of a rover"

    @property
    def n(self) -> int:
        """Degrees of freedom."""
        return len(self.turning)

    @cached_property
    def defined_by(self) -> tuple[object, ...]:
        """All that the program depends on."""
        return tuple(getattr(self, name) for name in self.__dataclass_fields__)

    @property
    def speeds(self) -> int:
        """Number of speeds."""
        return len(self.rows[0]) if self.rows else 3

    @property
    def sizes(self) -> Mapping[str, int]:
        """Of the rows of numbers."""
        contacts, u = len(self.wheels), self.speeds
        angles = sum(wheel.steerable for wheel in self.wheels)
        size = (len(self.rows) + len(self.tractions) // 3) * u + 6 * contacts + len(self.casters)
        return {"s": max(1, angles), "c": contacts, "g": size}


def contact_geometry(contacts: TurningContacts, angles: Array, velocity: Array, stiffness: Array) -> Array:
    """D and the tractions (..., speeds), normal forces and sinkages (contacts, 3) per unit of F_z, N_x, N_y, and the
    rates of the casters' angles, one after the other: at angles of the steerable wheels, a velocity of the base, and
    stiffnesses of the contacts, 0 of those that do not touch.
    """
    forward: list[tuple[Scalar, Scalar]] = []
    number = 0
    for wheel, (x, y) in zip(contacts.wheels, contacts.looking, strict=True):
        forward.append((cos(angles[number]), sin(angles[number])) if wheel.steerable else (x, y))
        number += wheel.steerable
    points = [wheel.contact_point(*angle) for wheel, angle in zip(contacts.wheels, forward, strict=True)]
    flat = array([part for angle in forward for part in angle])
    D = array([list(row) for row in contacts.rows])
    for i, row in zip(contacts.turning, _rows(contacts.per_forward, flat), strict=True):
        D[i, :3] = array(row)
    still: list[Scalar] = [0.0] * (contacts.speeds - 3)
    tractions = [part for row in _rows(contacts.tractions, flat) for part in (*row, *still)]
    S, sink = unit_shares(None, array([list(point) for point in points]), stiffness)
    rates = []
    for k in contacts.casters:
        (x, y), (c, s), (vx, vy, w) = contacts.wheels[k].position, forward[k], velocity
        rates.append(contacts.wheels[k].swivel_rate((vy + w * x) * c - (vx - w * y) * s, w))
    return array([*D.ravel(), *tractions, *S.ravel(), *sink.ravel(), *rates])


def _rows(matrix: Matrix, forward: Array) -> list[list[Scalar]]:
    each = [sum((a * x for a, x in zip(row, forward, strict=True) if a), 0.0) for row in matrix]
    return [each[i : i + 3] for i in range(0, len(each), 3)]


def _itself(contacts: TurningContacts) -> TurningContacts:
    return contacts


class _Kernels:
    contact_geometry = Compiled(
        contact_geometry,
        "(s),(3),(c)->(g)",
        _itself,
        "Where contacts are and which rows they have, of wheels that turn.",
        public_name="simulate",
    )


def turning_contacts(elements: Elements) -> TurningContacts:
    """The contacts of elements."""
    wheels = elements.wheels

    def numbers(matrix: object) -> Matrix:
        return tuple(tuple(float(x) for x in row) for row in matrix)  # type: ignore[attr-defined]

    return TurningContacts(
        wheels.wheels, numbers(wheels.at_rest.forward), numbers(elements._template), tuple(elements.turning.tolist()),
        numbers(elements._map.matrix), numbers(elements._pull_map.matrix), tuple(int(k) for k in elements.trailing),
    )


@lru_cache(maxsize=256)
def geometry_kernel(contacts: TurningContacts) -> CompiledMethod:
    """The compiled program."""
    return CompiledMethod(contacts, _Kernels.contact_geometry)


__all__ = ["TurningContacts", "contact_geometry", "geometry_kernel", "turning_contacts"]
