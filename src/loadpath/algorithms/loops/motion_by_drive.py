"""Motion by drive: what each independent speed of a closed chain does, with all the joints that it moves.

In a closed chain the other joints follow: qd = T qd_I, and qdd = T qdd_I + g(qd), where g is quadratic in qd. So the
wrenches of the open tree in this motion, linear in qdd and quadratic in qd, are sums of a part for each acceleration
(inertial), for the square of each speed (centrifugal) and for each product of two of them (Coriolis), counted with the
motion of all joints that follow. The parts of products are found by difference: both together less each alone.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Literal, NamedTuple

from loadpath.algorithms.loops.circuits import circuits
from loadpath.algorithms.loops.completion import Constraints, complement, completed
from loadpath.algorithms.loops.rows import constraint_rate
from loadpath.formulations.generalized_motion import path
from loadpath.formulations.newton_euler import inward, outward
from loadpath.mechanics.wrenches import Wrench
from loadpath.robot.mechanism import Body, Mechanism
from loadpath.scalars import Array, is_zero, scale, zeros

Effect = Literal["inertial", "centrifugal", "coriolis"]


class Moved(NamedTuple):
    """What moves: up to two of the independent speeds, by their numbers among these, or the base and one of them."""

    effect: Effect
    drives: tuple[int, ...]
    base: bool = False
    carrier: int | None = None
    """The body whose mass carries it, where the links are kept apart."""


def moved_parts(
    mechanism: Mechanism, *, by_link: bool, base_velocity: bool, base_acceleration: bool
) -> dict[Moved, frozenset[int]]:
    """Everything that moves, each with the joints of the tree that it can load."""
    count = len(mechanism.split.independent)
    parts = [Moved("inertial", (a,)) for a in range(count)]
    parts += [Moved("centrifugal", (a,)) for a in range(count)]
    parts += [Moved("coriolis", pair) for pair in combinations(range(count), 2)]
    if base_velocity or base_acceleration:
        parts += [Moved("inertial", (), base=True)] if base_acceleration else []
        parts += [Moved("centrifugal", (), base=True), *(Moved("coriolis", (a,), base=True) for a in range(count))]
    found: dict[Moved, frozenset[int]] = {}
    for part in parts:
        moved = _carriers(mechanism, part)
        for carried in [[j] for j in moved] if by_link else [moved]:
            joints = frozenset(i for j in carried for i in path(mechanism, j))
            if joints:
                found[part._replace(carrier=carried[0] if by_link else None)] = joints
    return found


def _carriers(mechanism: Mechanism, part: Moved) -> list[int]:
    """The bodies with mass that all movers of a part move."""
    of_drives = [_following(mechanism, mechanism.split.independent[a]) for a in part.drives]
    found = []
    for j, body in enumerate(mechanism.bodies):
        speeds = {v for i in path(mechanism, j) for v in range(mechanism.n)[mechanism.bodies[i].v]}
        if _has_inertia(body) and all(speeds & following for following in of_drives):
            found.append(j)
    return found


def _following(mechanism: Mechanism, speed: int) -> set[int]:
    """A speed and those that it moves through loops."""
    for circuit in circuits(mechanism):
        if speed in circuit.speeds:
            return {speed, *(circuit.speeds & {*mechanism.split.dependent})}
    return {speed}


def _has_inertia(body: Body) -> bool:
    return not all(is_zero(x) for x in (body.mass, *body.moment, *body.inertia.flat))


def _massless(body: Body) -> Body:
    return replace(body, mass=0.0, moment=zeros(3), inertia=zeros(3, 3))


class MovedWrenches:
    """The wrenches of the open tree (in the bodies' axes at their origins) for each part of the motion."""

    def __init__(
        self,
        mechanism: Mechanism,
        q: Array,
        qd: Array,
        qdd: Array,
        given: Constraints,
        base_velocity: Array | None,
        base_acceleration: Array | None,
    ) -> None:
        self.mechanism, self.q, self.given = mechanism, q, given
        self.base_velocity, self.base_acceleration = base_velocity, base_acceleration
        own = mechanism.split.independent
        columns = complement(mechanism, given).T
        self.speeds = [scale(qd[k], column) for k, column in zip(own, columns, strict=True)]
        self.accelerations = [scale(qdd[k], column) for k, column in zip(own, columns, strict=True)]
        self.weightless = replace(mechanism, gravity=zeros(3))
        self._found: dict[tuple[tuple[int, ...], bool, int | None], list[Wrench]] = {}

    def of(self, part: Moved) -> list[Wrench]:
        """At all joints."""
        if part.effect == "inertial":
            qdd = zeros(self.mechanism.n) if part.base else self.accelerations[part.drives[0]]
            return self._run(
                part.carrier, zeros(self.mechanism.n), qdd, None, self.base_acceleration if part.base else None
            )
        both = self._turning(part.drives, part.base, part.carrier)
        if part.effect == "centrifugal":
            return both
        alone = [self._turning((a,), False, part.carrier) for a in part.drives]
        alone += [self._turning((), True, part.carrier)] if part.base else []
        for other in alone:
            both = [Wrench(a.force - b.force, a.torque - b.torque) for a, b in zip(both, other, strict=True)]
        return both

    def _turning(self, drives: tuple[int, ...], base: bool, carrier: int | None) -> list[Wrench]:
        """For some of the speeds, none of the independent ones accelerating."""
        key = drives, base, carrier
        if key not in self._found:
            qd = zeros(self.mechanism.n)
            for a in drives:
                qd = qd + self.speeds[a]
            nothing = zeros(len(self.mechanism.split.independent))
            qdd = completed(self.mechanism, self.given, nothing, constraint_rate(self.mechanism, self.q, qd))
            velocity = (zeros(6) if self.base_velocity is None else self.base_velocity) if base else None
            self._found[key] = self._run(carrier, qd, qdd, velocity, None)
        return self._found[key]

    def _run(
        self, carrier: int | None, qd: Array, qdd: Array, velocity: Array | None, acceleration: Array | None
    ) -> list[Wrench]:
        mechanism = self.weightless
        if carrier is not None:
            own = (body if j == carrier else _massless(body) for j, body in enumerate(mechanism.bodies))
            mechanism = replace(mechanism, bodies=tuple(own))
        links = outward(mechanism, self.q, qd, qdd, velocity, acceleration)
        return inward(mechanism, links, [Wrench(zeros(3), zeros(3)) for _ in mechanism.bodies])
