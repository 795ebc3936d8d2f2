"""The table of `load_terms` for robots with many freedoms: formulas of one pair each, and the list of all pairs.

Humanoids have some ten thousand terms a state, too many to write out one after the other. All of them are of few forms:

- A term at joint i due to the speeds of two movers k, l is that of the links s beyond both as one body (`load_terms`).
  Their points have the acceleration w_k x y with y = v_l + w_l x r, so with p and Y the sums of y dm and of y r' dm

      force = 2 w_k x p,    torque = 2 (tr Y 1 - Y) w_k:

  the speed of l goes into twelve numbers (p, N = tr Y 1 - Y) of the pair (i, l), that of k into three, w_k in the axes
  of i. What is left of a term is their product, 24 operations.
- A term due to an acceleration is the momentum of the body s for the unit of its speed, times that.
- Others (weights, products of speeds within a joint) are wrenches that are moved to joint i.

Vectors are in world axes about one point, the origin of the first body, until they are seen from joint i.
"""

# ruff: noqa: E741  (l is the thesis's letter)
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from loadpath.algorithms.load_terms import LineSprings, Row, applied_at, axes, motions_of, rows
from loadpath.formulations.generalized_motion import Cause, Motions, freedoms, own_pairs, pair_products, path
from loadpath.formulations.generalized_terms import link_inertias
from loadpath.mechanics.drives import along_speeds, friction_forces, rotor_forces
from loadpath.mechanics.kinematics import base_placement, placements
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, Scalar, array, cross, scale, zeros

FRAME, INERTIA, TWIST, ITEM = 12, 10, 6, 27
"""Numbers of a frame (three rows of its rotation, its origin), of an inertia (mass, moment, six second moments), of a
twist (angular, linear), and of what joint i sees of a mover (the three columns of the matrix of p and N, w, wrench).
"""


@dataclass
class Pieces:
    """What the table of a mechanism is put together from, by numbers."""

    items: list[tuple[int, int, int]] = field(default_factory=list)
    """Joint i, mover l, and the body s of the links beyond both."""
    others: list[tuple[int, int]] = field(default_factory=list)
    """Joint i, and which wrench it feels: that against the weight of a body, after these those against external
    wrenches, after these those of `products`."""
    products: list[tuple[int, int]] = field(default_factory=list)
    """Body s, and the number of the pair of speeds of one joint that accelerates it."""
    bilinear: list[tuple[int, int, int]] = field(default_factory=list)
    """Items of l and of k, and the row of their product."""
    halves: list[tuple[int, int, int]] = field(default_factory=list)
    """The same of rows with half of it."""
    of_items: list[tuple[int, int]] = field(default_factory=list)
    """Items whose wrench is a row, and that."""
    of_others: list[tuple[int, int]] = field(default_factory=list)
    """Others whose wrench is a row, and that."""
    sums: list[tuple[int, int, int, int]] = field(default_factory=list)
    """Items l, k of one joint; the other wrench that comes in addition, or -1; and the row of both halves and that."""


def pieces(mechanism: Mechanism, external: Sequence[str] = ()) -> Pieces | None:
    """The pieces of the plain table: by freedom, summed over links; none for robots with springs on lines, or with
    freedoms that turn and slide at once, or turn about axes which that turns: their speeds would count twice.
    """
    anywhere = array([0.37 + 0.11 * (i % 7) for i in range(mechanism.nq)])
    places = placements(mechanism, anywhere)
    both = any(_is_something(of.angular) and _is_something(of.linear) for of in freedoms(mechanism, anywhere, places))
    if both or any(body.line_springs for body in mechanism.bodies):
        return None
    still = zeros(mechanism.n)
    motions = motions_of(mechanism, anywhere, still, still, places, "freedom", None, None)
    if any(motions.movers[cause.movers[0]].turns for cause in motions.own if cause.kind == "centrifugal"):
        return None
    listing = _Listing(mechanism, motions, external)
    for number, row in enumerate(rows(mechanism, motions, external=external)):
        listing.add(row, number)
    return listing.found


def _is_something(v: Array) -> bool:
    return any(abs(x) > 0 for x in v)


class _Listing:
    """The rows of a table, one after the other, as pieces."""

    def __init__(self, mechanism: Mechanism, motions: Motions, external: Sequence[str]) -> None:
        self.movers, self.own = motions.movers, {cause: number for number, cause in enumerate(motions.own)}
        self.paths = [set(path(mechanism, j)) for j in range(len(mechanism.bodies))]
        self.external = {link: len(mechanism.bodies) + number for number, link in enumerate(external)}
        self.count = len(mechanism.bodies) + len(external)
        self.found = Pieces()
        self._items: dict[tuple[int, int], int] = {}
        self._products: dict[tuple[int, int], int] = {}

    def add(self, row: Row, number: int) -> None:
        """Add a row of the table."""
        cause, i = row.cause, row.joint
        assert not isinstance(cause, LineSprings)
        if isinstance(cause, str):
            self.found.of_others.append((self._other(i, self.external[cause]), number))
        elif cause.kind == "gravity":
            assert row.link is not None
            self.found.of_others.append((self._other(i, row.link), number))
        elif cause.kind == "inertial":
            self.found.of_items.append((self._item(i, cause.movers[0]), number))
        elif len({self.movers[k].body for k in cause.movers}) > 1:
            k, l = cause.movers
            self.found.bilinear.append((self._item(i, l), self._item(i, k), number))
        else:
            self._within_joint(i, cause, number)

    def _within_joint(self, i: int, cause: Cause, number: int) -> None:
        """A square of a speed, or a product of two speeds of one joint, whose order does not matter."""
        k, l = cause.movers[0], cause.movers[-1]
        product = self._product(i, l, self.own[cause]) if cause in self.own else -1
        if not (self.movers[k].turns and self.movers[l].turns):
            self.found.of_others.append((product, number))
        elif k == l and product < 0:
            self.found.halves.append((self._item(i, l), self._item(i, k), number))
        else:
            self.found.sums.append((self._item(i, l), self._item(i, k), product, number))

    def _start(self, i: int, mover: int) -> int:
        body = self.movers[mover].body
        return i if body in self.paths[i] else body

    def _item(self, i: int, mover: int) -> int:
        if (i, mover) not in self._items:
            self._items[i, mover] = len(self._items)
            self.found.items.append((i, mover, self._start(i, mover)))
        return self._items[i, mover]

    def _product(self, i: int, mover: int, own: int) -> int:
        key = self._start(i, mover), own
        if key not in self._products:
            self._products[key] = len(self._products)
            self.found.products.append(key)
        return self._other(i, self.count + self._products[key])

    def _other(self, i: int, wrench: int) -> int:
        self.found.others.append((i, wrench))
        return len(self.found.others) - 1


# What depends on the state


def ingredients(
    mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None = None, *, frame: str = "joint"
) -> tuple[Array, ...]:
    """Frames (bodies, 12), in the axes that rows are asked for in, inertias of all beyond each body (bodies, 10), and
    wrenches against its weight and against external wrenches (bodies + wrenches, 6); twists of the movers for the unit
    of their speed (movers, 6), their speeds and accelerations (movers, 2);
    accelerations (own pairs, 6) by products of speeds; friction and rotors of the drives, each (n).
    """
    places = placements(mechanism, q)
    base, bodies = places[0].origin, mechanism.bodies
    gravity = base_placement(mechanism).to_world(mechanism.gravity)
    pulling = external or {}
    frames, inertias = zeros(len(bodies), FRAME), zeros(len(bodies), INERTIA)
    weights = zeros(len(bodies) + len(pulling), 6)
    turned = axes(mechanism, places, frame)
    world = [array([1.0 if k == r else 0.0 for k in range(3)]) for r in range(3)]
    for j, (at, link) in enumerate(zip(places, link_inertias(mechanism, places), strict=True)):
        D = at.origin - base
        for r in range(3):  # a direction of the world, in the axes asked for
            frames[j, 3 * r : 3 * r + 3] = turned(at, at.from_world(world[r]))
        frames[j, 9:] = D
        h = link.moment + scale(link.mass, D)
        weights[j] = array([*scale(link.mass, -gravity), *cross(h, -gravity)])
        S = [[(0.5 * link.trace if r == c else 0.0) - link.tensor[r, c] + D[r] * link.moment[c] + D[c] * h[r]
              for c in range(3)] for r in range(3)]
        inertias[j] = array([link.mass, *h, S[0][0], S[0][1], S[0][2], S[1][1], S[1][2], S[2][2]])
    for k, (name, wrench) in enumerate(pulling.items(), start=len(bodies)):
        at = places[mechanism.link_frames[name].body]
        f, torque = (at.to_world(part) for part in applied_at(at, mechanism.link_frames[name], wrench))
        weights[k] = array([*-f, *-(torque + cross(at.origin - base, f))])
    for j in reversed(range(len(bodies))):
        if bodies[j].parent != BASE:
            inertias[bodies[j].parent] = inertias[bodies[j].parent] + inertias[j]
    movers = freedoms(mechanism, q, places)
    twists, speeds = zeros(len(movers), TWIST), zeros(len(movers), 2)
    for k, mover in enumerate(movers):
        twists[k] = array([*mover.angular, *(mover.linear + cross(base - mover.origin, -mover.angular))])
        speeds[k] = array([qd[mover.speed], qdd[mover.speed]])
    products = []
    for i, body in enumerate(bodies):
        for m, n in own_pairs(body):
            product = qd[body.v.start + m] * qd[body.v.start + n]
            beta, gamma = (places[i].to_world(scale(product, part)) for part in pair_products(body, q, m, n))
            products.append([*beta, *(gamma + cross(base - places[i].origin, -beta))])
    friction = along_speeds(mechanism, lambda body: friction_forces(body, qd))
    rotor = along_speeds(mechanism, lambda body: rotor_forces(body, qdd))
    own = array(products) if products else zeros(0, 6)
    return frames, inertias, weights, twists, speeds, own, friction, rotor


# Formulas of one piece each


def momentum(inertia: Array, twist: Array) -> Array:
    """Wrench (6) that gives a body the acceleration `twist`, or its momentum for a velocity: force, then torque about
    the common point.
    """
    M, h, S, a, b = inertia[0], inertia[1:4], _second_moments(inertia), twist[:3], twist[3:]
    spin = scale(S[0, 0] + S[1, 1] + S[2, 2], a) - S @ a
    return array([*(scale(M, b) + cross(a, h)), *(cross(h, b) + spin)])


def seen(frame: Array, inertia: Array, twist: Array, speed: Array) -> Array:
    """What joint i sees of a mover that moves a body, in its axes about its origin: for twice its speed the matrix
    (6, 3) that gives w x p above N w for any w, column by column; its own w; and the wrench of its acceleration.
    """
    R, o, h, S = frame[:9].reshape(3, 3), frame[9:], inertia[1:4], _second_moments(inertia)
    both = momentum(inertia, twist)
    p, torque = both[:3], both[3:] - cross(o, both[:3])
    Y = zeros(3, 3)  # about the origin of i: the sum of y (r - o)' dm
    for c in range(3):
        Y[:, c] = scale(h[c], twist[3:]) + cross(twist[:3], S[:, c]) - scale(o[c], p)
    trace = Y[0, 0] + Y[1, 1] + Y[2, 2]
    N = array([[(trace - Y[r, c] if r == c else -Y[r, c]) for c in range(3)] for r in range(3)])
    force, twice = R.T @ p, 2.0 * speed[0]
    (x, y, z), turned = scale(twice, force), scale(twice, R.T @ N @ R)
    columns = [0.0, -z, y, *turned[:, 0], z, 0.0, -x, *turned[:, 1], -y, x, 0.0, *turned[:, 2]]
    return array([*columns, *scale(speed[0], R.T @ twist[:3]), *scale(speed[1], force), *scale(speed[1], R.T @ torque)])


def moved(frame: Array, wrench: Array) -> Array:
    """A wrench about the common point as joint i feels it."""
    R, o, f = frame[:9].reshape(3, 3), frame[9:], wrench[:3]
    return array([*(R.T @ f), *(R.T @ (wrench[3:] - cross(o, f)))])


def _second_moments(inertia: Array) -> Array:
    xx, xy, xz, yy, yz, zz = inertia[4:]
    rows: list[list[Scalar]] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return array(rows)
