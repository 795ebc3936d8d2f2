"""How a rover moves while every contact keeps doing what it does, over scalars: one program, compiled.

The speeds are U, of which some are free and the others given. Within one way of sticking, sliding and touching

    M Udot + h = Q + D^T f + B^T g,    f = -(mu N + b) d,    N = S (V Udot + v),    B Udot = a,

with rows D of all elements, their friction f against directions of slip d (b of joints and brakes, mu N of contacts), B
what is held. The accelerations are sought along the motions Z that B leaves, Udot = a_0 + Z x: so that redundant
contacts are no matter here, and what they hold together, R = M Udot + h - Q - D^T f, follows; how they share it is
`sharing`'s.

All arrays come as rows of numbers one after the other, so that a call of one state costs little; `Layout` says where
they are. Which speeds are free and which rows belong to which contact is fixed before tracing: what a mode decides
comes as numbers, so that there is one program for all modes of a rover.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from loadpath.cached import cached_property
from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.mobile.contacts.sharing import HELD
from loadpath.mobile.equations import BASE, EquationsRow
from loadpath.scalars import Array, Scalar, array, cos, dot, sign, sin, sqrt, zeros

SLOW = 1e-3
"""Slip (m/s) in the plane that counts as slow: its direction may change at once."""
CREEP = 1e-8
"""Slip (m/s) in the plane within which friction goes over from the direction of the mode to that of the slip."""
_SMALL = 1e-300


class _Parts:
    """Where named parts are in a row of numbers."""

    def __init__(self, **shapes: tuple[int, ...]) -> None:
        self.at: dict[str, slice] = {}
        self.shape = shapes
        self.size = 0
        for name, shape in shapes.items():
            count = int(np.prod(shape, dtype=int))
            self.at[name] = slice(self.size, self.size + count)
            self.size += count

    def of(self, row: Array) -> list[Array]:
        """The parts of a row, in their shapes."""
        return [row[self.at[name]].reshape(shape) for name, shape in self.shape.items()]


@dataclass(frozen=True)
class Layout:
    """What is the same in all modes of a rover with its drives."""

    joints: int
    coordinates: int
    free: tuple[int, ...]
    """Which speeds are free."""
    spins: int
    """Wheels whose rates are speeds of their own."""
    contact_of_row: tuple[int, ...]
    """-1 of joints and brakes."""
    heat_of_row: tuple[int, ...]
    """Number of the work that its friction is."""
    elements: tuple[tuple[int, int, int, int], ...]
    """Of every element: its first row, the row after its last, its contact (-1 of joints and brakes), and the place in
    `pulled` of the wheel whose drive takes of its friction (-1 of none)."""
    pulled: tuple[int, ...]
    """Contacts whose drives pull along a traction without a rate of its own."""
    contacts: int
    casters: int
    works: int
    given_work: tuple[tuple[int, int], ...]
    """Of speeds that are given: number, and number of the work that holding them so is."""
    resisting: tuple[tuple[int, int, tuple[int, int]], ...]
    """Wheels with a given rate: contact, number of the speed, and the numbers of the works that their rolling
    resistance puts in and takes out."""
    driving: tuple[int, int, int]
    """Numbers of the works of drives of joints, of drives of wheels, and of viscous friction."""

    @property
    def name(self) -> str:
        """For messages."""
        return "contacts of a rover"

    @property
    def n(self) -> int:
        """Degrees of freedom."""
        return self.joints

    @cached_property
    def defined_by(self) -> tuple[object, ...]:
        """All that the program depends on."""
        return tuple(getattr(self, name) for name in self.__dataclass_fields__)

    @property
    def speeds(self) -> int:
        """Number of all speeds."""
        return BASE + self.joints + self.spins

    @cached_property
    def fixed(self) -> tuple[int, ...]:
        """Which speeds are given."""
        return tuple(i for i in range(self.speeds) if i not in self.free)

    @cached_property
    def equations(self) -> EquationsRow:
        """Of the equations of base and joints."""
        return EquationsRow(self.joints, self.coordinates)

    @cached_property
    def geometry(self) -> _Parts:
        """Rows D and tractions, normal forces and sinkages per unit of F_z, N_x, N_y, rates of the casters' angles."""
        u = self.speeds
        return _Parts(D=(len(self.contact_of_row), u), tractions=(len(self.pulled), u), S=(self.contacts, 3),
                      sink=(self.contacts, 3), casters=(self.casters,))

    @cached_property
    def given(self) -> _Parts:
        """Forces of drives of joints and of wheels along the speeds, the accelerations a_0, and forces along their
        tractions that drives ask for.
        """
        return _Parts(joints=(self.speeds,), wheels=(self.speeds,), first=(self.speeds,), asked=(len(self.pulled),))

    @cached_property
    def mode(self) -> _Parts:
        """What the mode decides: motions Z that are left, 1 for each column of it that is zero; forces along the given
        speeds per unit of R along the free ones, of what is held; friction coefficients of rows that slide on the
        ground, friction of others, directions of slip; pull of wheels without grip and torque of rolling resistance of
        wheels with a given rate, per unit of normal force; forces of what sticks by compliance per unit of R along the
        free speeds; limits at rest of all elements, those of contacts per unit of normal force. What stays the same in
        all modes follows: viscous friction of joints; of wheels that spin the inertia that resists acceleration, and
        angular momentum per unit of the rate, times the forward direction; how tractions answer forces of other rows.
        """
        f, r = len(self.free), len(self.contact_of_row)
        return _Parts(Z=(f, f), idle=(f,), holds=(len(self.fixed), f), rubbing=(r,), braking=(r,), direction=(r,),
                      pulling=(len(self.pulled),), resisting=(len(self.resisting),), shares=(r, f),
                      static=(len(self.elements),), viscous=(self.joints,), axles=(self.spins,), turns=(self.spins, 2),
                      answers=(len(self.pulled), r), nothing=(1,))

    @cached_property
    def result(self) -> _Parts:
        """Rates of pose, coordinates, speeds, casters and works: those of y in a simulation; and the forces: N,
        sinkages, F_z, N_x, N_y, slips, friction f, R; what is watched: slips along the directions of the mode, shares
        of the weight, forces of what sticks by compliance, and a number that is zero where they are within their
        limits; and how well the equations can be solved.
        """
        r = len(self.contact_of_row)
        return _Parts(pose=(BASE,), q=(self.coordinates,), Udot=(self.speeds,), casters=(self.casters,),
                      works=(self.works,), normal=(self.contacts,), sinkage=(self.contacts,), vertical=(3,), slip=(r,),
                      sliding=(r,), held=(self.speeds,), along=(len(self.elements),), loaded=(self.contacts,),
                      elastic=(r,), beyond=(1,), condition=(1,))

    @property
    def sizes(self) -> Mapping[str, int]:
        """Of the rows."""
        return {"u": self.speeds, "e": self.equations.size, "g": self.geometry.size, "d": self.given.size,
                "m": self.mode.size, "r": self.result.size}


def motion_within_mode(
    layout: Layout, heading: Array, U: Array, equations: Array, geometry: Array, given: Array, mode: Array
) -> Array:
    """The `result` of a state."""
    D, tractions, S, sink, casters = layout.geometry.of(geometry)
    of_joints, of_wheels, first, asked = layout.given.of(given)
    Z, idle, holds, rubbing, braking, direction, pulling, resisting, shares, static, *constants, _ = (
        layout.mode.of(mode))
    viscous, axles, turns, answers = constants
    M, h, V, v, rates = _with_axles(layout, U, equations, axles, turns)
    free, pushed = list(layout.free), of_joints + of_wheels
    slip = D @ U
    toward = _directions(layout, slip, direction)
    # Friction per unit of the normal forces, P, and of F_z, N_x, N_y, G = P S; and friction that depends on neither.
    P, own = zeros(layout.speeds, layout.contacts), zeros(layout.speeds)
    for row, k, d, mu, b in zip(D, layout.contact_of_row, toward, rubbing, braking, strict=True):
        if k < 0:
            own = own - array([b * d * x for x in row])
        else:
            P[:, k] = P[:, k] - array([mu * d * x for x in row])
    for row, k, mu in zip(tractions, layout.pulled, pulling, strict=True):
        P[:, k] = P[:, k] + array([mu * x for x in row])
    G = P @ S
    A = M - G @ V
    right = pushed + own - h + G @ v - A @ first
    Z_t = Z.T
    reduced = Z_t @ A[free][:, free] @ Z
    for i, one in enumerate(idle):
        reduced[i, i] = reduced[i, i] + one
    x, condition = _solved(reduced, Z_t @ right[free])
    Udot = first.copy()
    Udot[free] = first[free] + Z @ x
    vertical = V @ Udot + v
    normal, sinkage = S @ vertical, sink @ vertical
    sliding = array([
        -b * d if k < 0 else -mu * d * normal[k]
        for k, d, mu, b in zip(layout.contact_of_row, toward, rubbing, braking, strict=True)
    ])
    R = M @ Udot + h - pushed - own - P @ normal
    works = _powers(layout, U, normal, slip, sliding, R, (of_joints, of_wheels, holds, resisting, viscous))
    for row, k, mu in zip(tractions, layout.pulled, pulling, strict=True):
        # Of a wheel that spins the rate is not known: only what it pulls counts.
        works[layout.driving[1]] = works[layout.driving[1]] + mu * normal[k] * dot(row, U)
    along = [_along(direction[a:b], slip[a:b]) for a, b, _, _ in layout.elements]
    weight = sum((N * sign(N) for N in normal), _SMALL)
    elastic = shares @ R[free]
    beyond = _beyond(layout, elastic, static, normal, asked + answers @ sliding)
    c, s = cos(heading[0]), sin(heading[0])
    pose = [c * U[0] - s * U[1], s * U[0] + c * U[1], U[2]]
    return array([*pose, *rates, *Udot, *casters, *works, *normal, *sinkage, *vertical, *slip, *sliding, *R,
                  *along, *(N / weight for N in normal), *elastic, beyond, condition])


def _with_axles(
    layout: Layout, U: Array, row: Array, axles: Array, turns: Array
) -> tuple[Array, Array, Array, Array, Array]:
    """M, h, V, v with the wheels that spin, and the rates of the coordinates: see `system.with_axles`."""
    parts, own, size = layout.equations, BASE + layout.joints, layout.speeds
    v = row[parts.v]
    M, h, V = zeros(size, size), zeros(size), zeros(3, size)
    M[:own, :own], h[:own], V[:, :own] = row[parts.M].reshape(own, own), row[parts.h], row[parts.V].reshape(3, own)
    for i, (inertia, (x, y)) in enumerate(zip(axles, turns, strict=True)):
        M[own + i, own + i] = inertia
        V[1, own + i], V[2, own + i] = -y, x
        v = v - array([0.0, x * (U[2] * U[own + i]), y * (U[2] * U[own + i])])
    return M, h, V, v, row[parts.rates]


def _directions(layout: Layout, slip: Array, direction: Array) -> Array:
    """Which way elements slide, s being their slip and d the direction of the mode: s/|s| beyond the slip of `CREEP`,
    and within it w/max(|w|, c) with w = s + c f d, where f falls from 1 to 0 and c is a quarter of that slip. That is d
    where there is no slip yet, has no gap, and hardly any friction pushes on what slips more: so motions come together,
    and an implicit method finds the next one. Backwards its length is less than 1: what would stop creeps there until
    it sticks.
    """
    result = direction.copy()
    for i, stop, _, _ in layout.elements:
        if stop - i != 2:
            continue
        s, d = slip[i : i + 2], direction[i : i + 2]
        left = _positive(1.0 - dot(s, s) / CREEP**2)
        c = CREEP / 4
        w = array([a + c * left * left * b for a, b in zip(s, d, strict=True)])
        size = c + _positive(sqrt(dot(w, w)) - c)
        result[i : i + 2] = array([a / size for a in w])
    return result


def _along(direction: Array, slip: Array) -> Scalar:
    """How fast an element slides, negative where it has turned round."""
    along = dot(direction, slip)
    return along if len(slip) == 1 else sign(along) * sqrt(dot(slip, slip))


def _solved(A: Array, b: Array) -> tuple[Array, Scalar]:
    """x of A x = b by elimination in the order of the rows, and the sum of squares of how many times each pivot became
    smaller by it: large where that is not the order to go.
    """
    first, A, x, n = A.diagonal(), A.copy(), b.copy(), len(b)
    inverse: list[Scalar] = []
    lost: Scalar = 0.0
    for k in range(n):
        inverse.append(1.0 / A[k, k])
        for i in range(k + 1, n):
            factor = A[i, k] * inverse[k]
            for j in range(k + 1, n):
                A[i, j] = A[i, j] - factor * A[k, j]
            x[i] = x[i] - factor * x[k]
        lost = lost + (first[k] * inverse[k]) * (first[k] * inverse[k])
    for k in reversed(range(n)):
        for j in range(k + 1, n):
            x[k] = x[k] - A[k, j] * x[j]
        x[k] = inverse[k] * x[k]
    return x, lost


def _beyond(layout: Layout, forces: Array, static: Array, normal: Array, pulls: Array) -> Scalar:
    """By how much forces of elements are beyond what these can hold, their squares: zero where none is."""
    beyond: Scalar = 0.0
    for (first, stop, k, pulled), most in zip(layout.elements, static, strict=True):
        limit = most if k < 0 else most * _positive(normal[k])
        square = limit * limit
        if pulled >= 0:
            square = _positive(square - pulls[pulled] * pulls[pulled])
        beyond = beyond + _positive(dot(forces[first:stop], forces[first:stop]) - (1.0 + HELD) ** 2 * square)
    return beyond


def _positive(x: Scalar) -> Scalar:
    """x, or zero where it is negative."""
    return 0.5 * (x + x * sign(x))


def _powers(
    layout: Layout, U: Array, normal: Array, slip: Array, sliding: Array, R: Array,
    given: tuple[Array, Array, Array, Array, Array],
) -> Array:
    """Power into every one of the works, but for those of external wrenches and of ground that moves."""
    of_joints, of_wheels, holds, resisting, viscous = given
    works = zeros(layout.works)
    drives, wheels, joints = layout.driving
    works[drives], works[wheels] = dot(of_joints, U), dot(of_wheels, U)
    for f, s, heat in zip(sliding, slip, layout.heat_of_row, strict=True):
        works[heat] = works[heat] - f * s
    for friction, rate in zip(viscous, U[BASE:], strict=False):
        works[joints] = works[joints] + friction * rate * rate
    held = dict(zip(layout.fixed, holds, strict=True))
    for i, work in layout.given_work:
        reaction = R[i] - dot(held[i], R[list(layout.free)])
        works[work] = works[work] + reaction * U[i]
    for (k, i, both), torque in zip(layout.resisting, resisting, strict=True):
        for work in both:
            works[work] = works[work] + torque * _positive(normal[k]) * U[i] * sign(U[i])
    return works


def _itself(layout: Layout) -> Layout:
    return layout


class _Kernels:
    motion_within_mode = Compiled(
        motion_within_mode,
        "(1),(u),(e),(g),(d),(m)->(r)",
        _itself,
        "Accelerations and forces of a rover while every contact keeps doing what it does.",
        public_name="simulate",
    )


@lru_cache(maxsize=256)
def motion_kernel(layout: Layout) -> CompiledMethod:
    """The compiled program of a layout."""
    return CompiledMethod(layout, _Kernels.motion_within_mode)


__all__ = ["CREEP", "SLOW", "Layout", "motion_kernel", "motion_within_mode"]
