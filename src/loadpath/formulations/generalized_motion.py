"""The w_k, alpha_k, u_k, a_k of Lau's thesis (chapter 3): what a joint does to all links beyond it, joint by joint or
freedom by freedom, for joints of any kind. All vectors in world axes.

The thesis lets a joint turn about its point and then slide along the turned axes. Then the relative acceleration has
the term 2 w x u (3-6); a joint that slides along its parent's axes and then turns has none, and one whose speeds are
those of its own axes (a free joint) has it once. So here a joint's own product of speeds is taken from its class: from
the point of the link at its origin, whose relative velocity is u = L qd with w = A qd, the relative acceleration is

    a + gamma, alpha + beta     with a = L qdd, alpha = A qdd, beta = Adot qd, gamma = Ldot qd + w x u,

A, L being the columns of the joint's class and Adot, Ldot the rates of their components in the link's axes. All arms
start at this point, the displaced origin. A joint that slides on straight and turns about its own axis only has
neither beta nor gamma; Lau's has gamma = 2 w x u + w x (w x d) with d its slide.
"""

# ruff: noqa: E741  (I and l are the thesis's letters)
from __future__ import annotations

from typing import Literal, NamedTuple

from loadpath.mechanics.joint_motion import joint_columns, joint_rates
from loadpath.mechanics.kinematics import Placement
from loadpath.robot.mechanism import BASE, Body, Mechanism
from loadpath.scalars import Array, Scalar, array, cross, is_zero, scale, zeros

Kind = Literal["inertial", "centrifugal", "coriolis", "gravity", "external"]


class Cause(NamedTuple):
    """What a force is due to: the superscript of the thesis, with k and l numbers of movers.

    | thesis | kind | k, l |
    |---|---|---|
    | F^{k} | inertial | k |
    | F^{kk} | centrifugal | k, k |
    | F^{kl} | coriolis | k < l; k = l for a joint that turns and slides at once |
    | F^{g} | gravity | |
    | F^{m} | external | |
    """

    kind: Kind
    k: int | None = None
    l: int | None = None

    @property
    def movers(self) -> tuple[int, ...]:
        """k and l, those that there are."""
        return tuple(k for k in self[1:] if k is not None)


GRAVITY = Cause("gravity")
EXTERNAL = Cause("external")


class Mover(NamedTuple):
    """A joint, or one freedom of a joint, and its motion; world axes."""

    name: str
    body: int
    """The first link that it moves, or BASE for the motion of the base itself."""
    w: Array
    """Relative angular velocity, k_w^{k+1}."""
    alpha: Array
    """The part of the relative angular acceleration that qdd gives, k_alpha^{k+1}."""
    u: Array
    """Relative velocity of the origin of the link, k_u^{k+1}."""
    a: Array
    """The part of its relative acceleration that qdd gives, k_a^{k+1}."""
    origin: Array
    """Where the origin of the link is: all arms start there."""
    turns: bool
    """Whether it turns at all: known from the joint's class, not from the value of w."""


class Bias(NamedTuple):
    """Relative acceleration that a joint's own products of speeds give, world axes."""

    beta: Array
    """Angular."""
    gamma: Array
    """Of the link's origin."""


class Motions(NamedTuple):
    """Everything that moves, from the base outwards, and the joints' own products of speeds."""

    movers: tuple[Mover, ...]
    own: dict[Cause, Bias]
    """Of pairs within one joint, where there is any: centrifugal k, k and coriolis k, l."""


class Freedom(NamedTuple):
    """One freedom of one joint, per unit of the robot's speed that moves it; world axes."""

    name: str
    body: int
    number: int
    """Its number within the joint."""
    speed: int
    """Its number in qd; that of another joint's if it mimics it."""
    angular: Array
    linear: Array
    """Velocity of the link's origin."""
    origin: Array


def freedom_names(body: Body) -> list[str]:
    """A name for each freedom of a joint: the joint's own, with a suffix where there are several.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> freedom_names(plain(catalog.generalized(1)).bodies[0])[:2]
    ['joint1.vx', 'joint1.vy']
    """
    labels = body.motion.labels if body.motion.dof else ()
    return [f"{body.joint.name}.{label}" if label else body.joint.name for label in labels]


def speed_names(mechanism: Mechanism) -> list[str]:
    """A name for each speed of the robot: those of the freedoms of joints that mimic no other.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> speed_names(plain(catalog.lau_arm()))
    ['theta1', 'theta2', 'd2']
    """
    names = [""] * mechanism.n
    for body in mechanism.bodies:
        joint = body.joint  # of the robot: where frames are chosen for speed, `body.motion` may be another class
        if joint.mimic is None and joint.motion.dof:
            names[body.v] = [f"{joint.name}.{label}" if label else joint.name for label in joint.motion.labels]
    return names


def freedoms(mechanism: Mechanism, q: Array, places: list[Placement]) -> list[Freedom]:
    """The freedoms of all joints from the base outwards; those of mimicking joints too, each a freedom of its own.

    >>> from loadpath.mechanics.kinematics import placements
    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> arm, q = plain(catalog.lau_arm()), array([0.0, 0.0, 1.0])
    >>> [(freedom.name, freedom.angular.tolist()) for freedom in freedoms(arm, q, placements(arm, q))][:2]
    [('theta1', [0.0, 0.0, 1.0]), ('theta2', [0.0, 1.0, 0.0])]
    """
    found = []
    for k, (body, at) in enumerate(zip(mechanism.bodies, places, strict=True)):
        columns = zip(freedom_names(body), joint_columns(body, q), strict=True)
        for m, (name, (angular, linear)) in enumerate(columns):
            found.append(Freedom(name, k, m, body.v.start + m, at.to_world(angular), at.to_world(linear), at.origin))
    return found


def own_products(body: Body, q: Array, x: Array, y: Array) -> Bias:
    """beta and gamma, in the link's axes, for the speeds x (of the moved axes) and y (of what moves them), each of the
    size of the joint: bilinear, and the joint's own beta and gamma for x = y = its speeds.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> free, speeds = plain(catalog.generalized(1)).bodies[0], array([2.0, 0.0, 0.0, 0.0, 0.0, 3.0])
    >>> own_products(free, array([0.0] * 6 + [1.0]), speeds, speeds).gamma.tolist()       # w x u
    [0.0, 6.0, 0.0]
    """
    first = body.v.start
    speeds = zeros(body.v.stop)
    speeds[first:] = y
    columns, rates = joint_columns(body, q), joint_rates(body, q, speeds)
    beta, gamma, w, u = zeros(3), zeros(3), zeros(3), zeros(3)
    for m, ((angular, linear), (angular_rate, linear_rate)) in enumerate(zip(columns, rates, strict=True)):
        beta = beta + scale(x[m], angular_rate)
        gamma = gamma + scale(x[m], linear_rate)
        w = w + scale(x[m], angular)
        u = u + scale(y[m], linear)
    return Bias(beta, gamma + cross(w, u))


def _unit(size: int, m: int) -> Array:
    return array([1.0 if i == m else 0.0 for i in range(size)])


def pair_products(body: Body, q: Array, m: int, n: int) -> Bias:
    """beta and gamma per product of the speeds of two freedoms of a joint, in the link's axes; m = n for a square.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> free = plain(catalog.generalized(1)).bodies[0]
    >>> pair_products(free, array([0.0] * 6 + [1.0]), 0, 5).gamma.tolist()        # vx wz: z x x = y
    [0.0, 1.0, 0.0]
    """
    dof = body.motion.dof
    beta, gamma = own_products(body, q, _unit(dof, m), _unit(dof, n))
    if m == n:
        return Bias(beta, gamma)
    other = own_products(body, q, _unit(dof, n), _unit(dof, m))
    return Bias(beta + other.beta, gamma + other.gamma)


class _Structure(NamedTuple):
    """What a joint's class makes zero wherever the joint is: no force of that kind is ever due to it."""

    turns: tuple[bool, ...]
    pairs: tuple[tuple[int, int], ...]
    """Pairs of its freedoms, m <= n, with products of their own."""


def _structure(body: Body) -> _Structure:
    # Seen at a state where nothing is zero by chance, on floats, so that it is the same for all states and scalars.
    dof, q = body.motion.dof, zeros(body.q.stop)
    for i in range(body.q.start, body.q.stop):
        q[i] = 0.37 + 0.11 * (i - body.q.start)
    turns = tuple(_is_something(angular) for angular, _ in joint_columns(body, q))
    pairs = [(m, n) for m in range(dof) for n in range(m, dof) if any(map(_is_something, pair_products(body, q, m, n)))]
    return _Structure(turns, tuple(pairs))


def own_pairs(body: Body) -> tuple[tuple[int, int], ...]:
    """Pairs of freedoms of a joint, m <= n, with products of their own: those of `pair_products` that are not zero."""
    return _structure(body).pairs


def _is_something(v: Array) -> bool:
    return not all(is_zero(x) for x in v)


def by_freedom(
    mechanism: Mechanism, q: Array, qd: Array, qdd: Array, places: list[Placement], base: Mover | None = None
) -> Motions:
    """Every freedom of every joint as a mover of its own; `base` in front of them, if the base moves.

    >>> from loadpath.mechanics.kinematics import placements
    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> arm, q, rates = plain(catalog.generalized(1)), array([0.0] * 6 + [1.0]), array([1.0] * 6)
    >>> motions = by_freedom(arm, q, rates, rates, placements(arm, q))
    >>> [motions.movers[k].name for k in next(iter(motions.own))[1:]]        # a free joint's vx comes with its wy
    ['joint1.vx', 'joint1.wy']
    """
    movers, own = [] if base is None else [base], dict[Cause, Bias]()
    structures = [_structure(body) for body in mechanism.bodies]
    first = dict[int, int]()
    for freedom in freedoms(mechanism, q, places):
        first.setdefault(freedom.body, len(movers))
        speed, acceleration = qd[freedom.speed], qdd[freedom.speed]
        movers.append(
            Mover(
                freedom.name,
                freedom.body,
                w=scale(speed, freedom.angular),
                alpha=scale(acceleration, freedom.angular),
                u=scale(speed, freedom.linear),
                a=scale(acceleration, freedom.linear),
                origin=freedom.origin,
                turns=structures[freedom.body].turns[freedom.number],
            )
        )
    for i, (body, structure) in enumerate(zip(mechanism.bodies, structures, strict=True)):
        for m, n in structure.pairs:
            product = qd[body.v.start + m] * qd[body.v.start + n]
            beta, gamma = pair_products(body, q, m, n)
            cause = Cause("centrifugal" if m == n else "coriolis", first[i] + m, first[i] + n)
            own[cause] = Bias(places[i].to_world(scale(product, beta)), places[i].to_world(scale(product, gamma)))
    return Motions(tuple(movers), own)


def by_joint(
    mechanism: Mechanism, q: Array, qd: Array, qdd: Array, places: list[Placement], base: Mover | None = None
) -> Motions:
    """Every joint that moves as one mover, as in the thesis: the sum of its freedoms.

    A joint's own products are centrifugal between freedoms that turn (or that slide), Coriolis between one that turns
    and one that slides.

    >>> from loadpath.mechanics.kinematics import placements
    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> arm, q, rates = plain(catalog.generalized(1)), array([0.0] * 6 + [1.0]), array([1.0] * 6)
    >>> motions = by_joint(arm, q, rates, rates, placements(arm, q))
    >>> [mover.name for mover in motions.movers], list(motions.own)
    (['joint1'], [Cause(kind='coriolis', k=0, l=0)])
    """
    movers, own = [] if base is None else [base], dict[Cause, Bias]()
    for i, (body, at) in enumerate(zip(mechanism.bodies, places, strict=True)):
        if not body.motion.dof:
            continue
        k, structure, angular = len(movers), _structure(body), body.motion.angular
        columns, speeds, accelerations = joint_columns(body, q), qd[body.v], qdd[body.v]
        movers.append(
            Mover(
                body.joint.name,
                i,
                w=at.to_world(_combined(speeds, [c[0] for c in columns])),
                alpha=at.to_world(_combined(accelerations, [c[0] for c in columns])),
                u=at.to_world(_combined(speeds, [c[1] for c in columns])),
                a=at.to_world(_combined(accelerations, [c[1] for c in columns])),
                origin=at.origin,
                turns=any(structure.turns),
            )
        )
        turning, sliding = (_only(speeds, [flag == kind for flag in angular]) for kind in (True, False))
        if any(angular[m] == angular[n] for m, n in structure.pairs):
            same = [own_products(body, q, part, part) for part in (turning, sliding)]
            own[Cause("centrifugal", k, k)] = _in_world(at, same)
        if any(angular[m] != angular[n] for m, n in structure.pairs):
            mixed = [own_products(body, q, turning, sliding), own_products(body, q, sliding, turning)]
            own[Cause("coriolis", k, k)] = _in_world(at, mixed)
    return Motions(tuple(movers), own)


def _combined(factors: Array, vectors: list[Array]) -> Array:
    total = zeros(3)
    for factor, v in zip(factors, vectors, strict=True):
        total = total + scale(factor, v)
    return total


def _only(speeds: Array, chosen: list[bool]) -> Array:
    kept: list[Scalar] = [speed if choose else 0.0 for speed, choose in zip(speeds, chosen, strict=True)]
    return array(kept)


def _in_world(at: Placement, parts: list[Bias]) -> Bias:
    beta, gamma = zeros(3), zeros(3)
    for part in parts:
        beta, gamma = beta + part.beta, gamma + part.gamma
    return Bias(at.to_world(beta), at.to_world(gamma))


def path(mechanism: Mechanism, body: int) -> list[int]:
    """The bodies from the base to a body, itself included.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> path(plain(catalog.planar(3)), 2)
    [0, 1, 2]
    """
    found = []
    while body != BASE:
        found.append(body)
        body = mechanism.bodies[body].parent
    return found[::-1]
