"""Force and torque at a joint by cause and by link: the terms of the closed form of Lau's thesis (chapter 3).

The force at joint i is the sum over the links j beyond it, and over what moves them,

    F_i = sum_j { sum_k F^{k,j} + sum_k F^{kk,j} + sum_{k<l} F^{kl,j} + F^{g,j} }                            (3-81)

with k and l joints, or single freedoms of joints, between the base and link j; the torque N_i likewise (3-90). A term
F^{..,j} is the same for all joints i, but for the axes that it is given in. Its torque about the origin of joint i is

    N_i^{..,j} = D x F^{..,j} + N^{..,j},         D from the origin of joint i to that of link j,

where N^{..,j}, about link j's own origin, is what is left of (3-96) to (3-99) without the lines that start with D.
So `Terms` keeps F^{..,j} and N^{..,j}; `by_link` and `at_joints` bring them to joints, without and with the sum over j.
"""

# ruff: noqa: E741  (I and l are the thesis's letters)
from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from loadpath.formulations.generalized_motion import (
    EXTERNAL,
    GRAVITY,
    Cause,
    Motions,
    Mover,
    by_freedom,
    by_joint,
    path,
)
from loadpath.mechanics.kinematics import Placement, base_placement, placements
from loadpath.mechanics.wrenches import External, Wrench, on_bodies
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, Scalar, array, cross, scale, zeros


class LinkInertia(NamedTuple):
    """Inertia of link j about its own origin, world axes."""

    mass: Scalar
    """M^{,j} (3-37)."""
    moment: Array
    """M^{,j} A p: mass times the vector to the mass center (3-38), so that a link without mass needs no division."""
    tensor: Array
    """A I^{,j} A^T (3-65); its off-diagonal entries are minus the products (3-67 prints plus; see errata)."""
    trace: Scalar
    origin: Array


def accelerated(link: LinkInertia, alpha: Array, a: Array, D_k: Array) -> Wrench:
    """What it takes to give a link the angular acceleration alpha about a point, which has the acceleration a; D_k from
    that point to the link's origin. Inertial force and torque (3-87, 3-96).

    >>> rod = LinkInertia(2.0, array([1.0, 0.0, 0.0]), zeros(3, 3), 0.0, zeros(3))        # 2 kg, 0.5 m along x
    >>> accelerated(rod, array([0.0, 0.0, 1.0]), zeros(3), zeros(3)).force.tolist()
    [0.0, 1.0, 0.0]
    """
    M, h, I = link.mass, link.moment, link.tensor
    at_origin = a + cross(alpha, D_k)
    return Wrench(scale(M, at_origin) + cross(alpha, h), cross(h, at_origin) + I @ alpha)


def turned(link: LinkInertia, w_k: Array, w_l: Array, D_l: Array) -> Wrench:
    """What the acceleration w_k x (w_l x r) of every point takes, r from a point that D_l leads from to the link's
    origin: centrifugal for k = l (3-88, 3-97), half the Coriolis force of two turning joints for k < l (3-89, 3-98a).

    >>> rod = LinkInertia(2.0, array([1.0, 0.0, 0.0]), zeros(3, 3), 0.0, zeros(3))        # 2 kg, 0.5 m along x
    >>> w = array([0.0, 0.0, 3.0])
    >>> turned(rod, w, w, zeros(3)).force.tolist()
    [-9.0, 0.0, 0.0]
    """
    M, h, I = link.mass, link.moment, link.tensor
    at_origin = cross(w_k, cross(w_l, D_l))
    force = scale(M, at_origin) + cross(w_k, cross(w_l, h))
    # From (2-86), with I of (3-65) for J: r x (w_k x (w_l x r)) = -1/2 tr(J) (w_l x w_k) + w_l x (J w_k).
    # Printed + [J - 1/2 tr(J)] (w_l x w_k), also in (3-70a), (3-98a); see errata.
    torque = cross(h, at_origin) + cross(w_l, I @ w_k)
    if w_k is not w_l:
        torque = torque - scale(0.5 * link.trace, cross(w_l, w_k))
    return Wrench(force, torque)


def _sum(*wrenches: Wrench) -> Wrench:
    force, torque = zeros(3), zeros(3)
    for f, n in wrenches:
        force, torque = force + f, torque + n
    return Wrench(force, torque)


def _pair(link: LinkInertia, motions: Motions, cause: Cause) -> Wrench:
    """F^{kl,j} and its torque for k < l."""
    k, l = cause.movers
    first, second = motions.movers[k], motions.movers[l]
    D_k, D_l = link.origin - first.origin, link.origin - second.origin
    if first.body != second.body:
        # (3-89, 3-98a): 2 M w_k x (u_l + w_l x r). Printed with the factor 1 - delta_kl only in (3-20); see errata.
        slid = accelerated(link, zeros(3), cross(first.w, second.u), D_l)
        f, n = _sum(slid, turned(link, first.w, second.w, D_l)) if second.turns else slid
        return Wrench(scale(2.0, f), scale(2.0, n))
    # Two freedoms of one joint: neither carries the other, but for what their class says.
    parts = []
    if first.turns and second.turns:
        parts += [turned(link, first.w, second.w, D_k), turned(link, second.w, first.w, D_k)]
    if cause in motions.own:
        parts.append(accelerated(link, *motions.own[cause], D_k))
    return _sum(*parts)


def causes_of_motion(motions: Motions, moving: list[int]) -> list[Cause]:
    """What there is at a link that the movers `moving` move, gravity apart; the same in all states.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> arm, q = plain(catalog.lau_arm()), array([0.0, 0.0, 1.0])
    >>> motions = by_freedom(arm, q, zeros(3), zeros(3), placements(arm, q))
    >>> [cause.movers for cause in causes_of_motion(motions, [0, 1, 2]) if cause.kind == "coriolis"]
    [(0, 1), (0, 2), (1, 2)]
    """
    movers = motions.movers

    def interact(k: int, l: int) -> bool:
        if movers[k].body != movers[l].body:
            return movers[k].turns
        return (movers[k].turns and movers[l].turns) or Cause("coriolis", k, l) in motions.own

    inertial = [Cause("inertial", k) for k in moving]
    squares = [Cause("centrifugal", k, k) for k in moving]
    centrifugal = [square for square in squares if movers[square.movers[0]].turns or square in motions.own]
    coriolis = []
    for k in moving:
        if Cause("coriolis", k, k) in motions.own:
            coriolis.append(Cause("coriolis", k, k))
        coriolis += [Cause("coriolis", k, l) for l in moving if k < l and interact(k, l)]
    return inertial + centrifugal + coriolis


def term_of_motion(link: LinkInertia, motions: Motions, cause: Cause) -> Wrench:
    """One of these terms, about the link's origin, world axes."""
    k, l = cause.movers[0], cause.movers[-1]
    if k < l:
        return _pair(link, motions, cause)
    mover = motions.movers[k]
    D_k = link.origin - mover.origin
    if cause.kind == "inertial":
        return accelerated(link, mover.alpha, mover.a, D_k)
    parts = [turned(link, mover.w, mover.w, D_k)] if cause.kind == "centrifugal" and mover.turns else []
    if cause in motions.own:  # for a Coriolis term of a joint with itself (3-98b)
        parts.append(accelerated(link, *motions.own[cause], D_k))
    return _sum(*parts)


def _link_terms(link: LinkInertia, motions: Motions, moving: list[int], gravity: Array) -> dict[Cause, Wrench]:
    """All terms of one link, about its origin, world axes."""
    terms = {cause: term_of_motion(link, motions, cause) for cause in causes_of_motion(motions, moving)}
    # What the joint must supply; (3-75), (3-78), (3-89), (3-99) print the load, with plus; see errata.
    terms[GRAVITY] = accelerated(link, zeros(3), -gravity, zeros(3))
    return terms


@dataclass(frozen=True, eq=False)
class Terms:
    """Every term of the closed form. Bodies are numbered as in the mechanism, movers as in `movers`."""

    mechanism: Mechanism
    places: list[Placement]
    movers: tuple[Mover, ...]
    """What moves: joints or freedoms, from the base outwards; a `Cause` has k and l as numbers in it."""
    of_links: list[dict[Cause, Wrench]]
    """For every link j, F^{..,j} and N^{..,j} about its own origin, world axes; its keys are the same in all states."""

    def name(self, cause: Cause) -> str:
        """The cause in words: the kind and the names of what moves."""
        moving = dict.fromkeys(self.movers[k].name for k in cause[1:] if k is not None)
        return " ".join([cause.kind, *moving])

    def at_joint(self, i: int, j: int, cause: Cause) -> Wrench:
        """One term, i_F^{..,j} and i_N^{..,j}: force and torque at joint i in the axes of its link, about its origin,
        exerted by the parent on the child. Zero if link j is not beyond joint i, or not beyond what moves.
        """
        wrench = self.of_links[j].get(cause)
        if wrench is None or i not in path(self.mechanism, j):
            return Wrench(zeros(3), zeros(3))
        return self._in_axes_of(i, self._about(i, self.places[j].origin, wrench))

    def by_link(self) -> dict[tuple[int, int, Cause], Wrench]:
        """All terms by joint i, link j beyond it and cause, as `at_joint` gives them."""
        pairs = ((i, j) for j in range(len(self.of_links)) for i in path(self.mechanism, j))
        return {(i, j, cause): self.at_joint(i, j, cause) for i, j in sorted(pairs) for cause in self.of_links[j]}

    def at_joints(self) -> list[dict[Cause, Wrench]]:
        """For every joint i the sum over links of each cause (3-82 to 3-85, 3-91 to 3-94); axes and origin of its link.

        The same numbers as the sum of `by_link`, added from the tips inwards, which costs fewer operations.
        """
        sums = [dict(terms) for terms in self.of_links]
        for j in reversed(range(len(sums))):
            i = self.mechanism.bodies[j].parent
            if i != BASE:
                for cause, wrench in sums[j].items():
                    moved = self._about(i, self.places[j].origin, wrench)
                    sums[i][cause] = _sum(sums[i][cause], moved) if cause in sums[i] else moved
        return [{cause: self._in_axes_of(i, w) for cause, w in terms.items()} for i, terms in enumerate(sums)]

    def gravity_by_link(self, i: int) -> dict[int, Wrench]:
        """The gravity term of joint i split by the links j that weigh (3-85, 3-94)."""
        return {j: self.at_joint(i, j, GRAVITY) for j in range(len(self.of_links)) if i in path(self.mechanism, j)}

    def totals(self) -> list[Wrench]:
        """Force and torque at every joint, the sum of all terms (3-81, 3-90); axes and origin of its link.

        The causes are added first, then the links: the same sum as in the thesis in another order.
        """
        sums = [[_sum(*terms.values())] for terms in self.of_links]
        beyond: list[list[Wrench]] = [[] for _ in sums]
        for j, [wrench] in enumerate(sums):
            for i in path(self.mechanism, j):
                beyond[i].append(self._about(i, self.places[j].origin, wrench))
        return [self._in_axes_of(i, _sum(*wrenches)) for i, wrenches in enumerate(beyond)]

    def _about(self, i: int, origin: Array, wrench: Wrench) -> Wrench:
        """The wrench about `origin`, about the origin of joint i instead."""
        D = origin - self.places[i].origin
        return Wrench(wrench.force, wrench.torque + cross(D, wrench.force))

    def _in_axes_of(self, i: int, wrench: Wrench) -> Wrench:
        at = self.places[i]
        return Wrench(at.from_world(wrench.force), at.from_world(wrench.torque))


def link_inertias(mechanism: Mechanism, places: list[Placement]) -> list[LinkInertia]:
    """The inertias of all links in world axes.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(catalog.planar(1))                     # along x
    >>> link_inertias(arm, placements(arm, zeros(1)))[0].moment.tolist()
    [0.5, 0.0, 0.0]
    """
    found = []
    for body, at in zip(mechanism.bodies, places, strict=True):
        A, I = array([list(row) for row in at.rows]), body.inertia
        trace = I[0, 0] + I[1, 1] + I[2, 2]
        found.append(LinkInertia(body.mass, at.to_world(body.moment), A @ I @ A.T, trace, at.origin))
    return found


def terms(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    *,
    by: Literal["joint", "freedom"] = "joint",
    base: Mover | None = None,
) -> Terms:
    """Every term of the closed form, by joints that move or by their single freedoms.

    `base` is the motion of a base that is not at rest, a mover like the joints with BASE for its body; its `a` is the
    acceleration of the base's origin.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> state = array([0.1, 0.2, 0.3]), array([1.0, 2.0, 3.0]), array([3.0, 2.0, 1.0])
    >>> found = terms(plain(catalog.planar(3)), *state)
    >>> [found.name(cause) for cause in found.of_links[1]][2:]     # of the second link, so of two joints
    ['centrifugal joint1', 'centrifugal joint2', 'coriolis joint1 joint2', 'gravity']
    >>> whole = sum(wrench.force[1] for wrench in found.at_joints()[0].values())
    >>> bool(abs(whole - found.totals()[0].force[1]) < 1e-12)
    True
    """
    places = placements(mechanism, q)
    motions = (by_freedom if by == "freedom" else by_joint)(mechanism, q, qd, qdd, places, base)
    gravity = base_placement(mechanism).to_world(mechanism.gravity)
    of_links = []
    for j, link in enumerate(link_inertias(mechanism, places)):
        inboard = {BASE, *path(mechanism, j)}
        moving = [k for k, mover in enumerate(motions.movers) if mover.body in inboard]
        of_links.append(_link_terms(link, motions, moving, gravity))
    if external:
        for at, own, (f, n) in zip(places, of_links, on_bodies(mechanism, q, external), strict=True):
            own[EXTERNAL] = Wrench(-at.to_world(f), -at.to_world(n))
    return Terms(mechanism, places, motions.movers, of_links)
