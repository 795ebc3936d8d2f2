"""One freedom at a time (Lau's thesis, chapter 4): the closed form by selection vectors; reactions in any direction.

Per unit of its speed a freedom i turns link j by delta_i and displaces its origin by mu_i, in the axes of link j:

    delta = A^T s,  mu = A^T (s x d)  if it turns about s,  d from its axis to link j's origin               (4-5, 4-7)
    delta = 0,      mu = A^T s        if it slides along s                                                   (4-4, 4-6)

With them all combinations of turning and sliding joints have the same coefficients: D_i of gravity, D_ik of inertia,
D_ikl of products of speeds, and

    tau_i = D_i + sum_k D_ik qdd_k + sum_k sum_l D_ikl qd_k qd_l + Ia_i qdd_i.                                    (4-98)

D_ik is the mass matrix (without rotors), D_ikl are its Christoffel symbols. The thesis divides inertias by the mass,
K = I/M (4-19); here M is multiplied in, so that links without mass need no division.

Joints with several freedoms count as that many joints in turn, as in the thesis, if their speeds are the rates of
coordinates that act one after the other. Those of spherical and free joints are not; how their axes really move comes
from their class, and the difference acts on the links like an acceleration (`_excess`). Then D_ikl still gives the
forces of products of speeds, symmetric in k and l, but is no Christoffel symbol: speeds have no mass matrix to derive.
"""

# ruff: noqa: E741  (I and l are the thesis's letters)
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from loadpath.formulations.generalized_motion import Freedom, freedoms, pair_products, path
from loadpath.mechanics.drives import inside_drives
from loadpath.mechanics.kinematics import Placement, base_placement, frame_placement, placements
from loadpath.mechanics.springs import line_wrench
from loadpath.mechanics.wrenches import External, on_bodies
from loadpath.robot.mechanism import Body, Mechanism
from loadpath.scalars import Array, Scalar, array, cross, dot, scale, zeros


class Displacement(NamedTuple):
    """What a unit of something does to a link, in the link's axes."""

    delta: Array
    """Generalized rotation (4-4, 4-5)."""
    mu: Array
    """Generalized displacement of the link's origin (4-6, 4-7)."""


def displacement(angular: Array, linear: Array, origin: Array, link: Placement) -> Displacement:
    """delta and mu of a link for a unit of turning `angular` and sliding `linear` at `origin`, world axes.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> turntable = placements(plain(catalog.lau_arm(d0=0.0)), zeros(3))[1]      # its carriage, 0.3 m along y
    >>> displacement(array([0.0, 0.0, 1.0]), zeros(3), zeros(3), turntable).mu.tolist()
    [-0.3, 0.0, 0.0]
    """
    d = link.origin - origin
    return Displacement(link.from_world(angular), link.from_world(linear + cross(angular, d)))


def gravity_coefficient(body: Body, g: Array, i: Displacement) -> Scalar:
    """D_i^{,j}: what freedom i needs against the weight of link j; g in its axes.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> lift = Displacement(zeros(3), array([0.0, 1.0, 0.0]))
    >>> gravity_coefficient(plain(catalog.planar(1, mass=2.0)).bodies[0], array([0.0, -9.81, 0.0]), lift)
    19.62
    """
    # - M g . (mu + delta x p); printed with plus in (4-93), (4-97), (4-102), see errata.
    return -dot(g, scale(body.mass, i.mu) + cross(i.delta, body.moment))


class Load(NamedTuple):
    """What a link needs for a unit of something, at its origin, in its axes."""

    force: Array
    torque: Array

    def on(self, i: Displacement) -> Scalar:
        """What freedom i must supply of it."""
        return dot(i.delta, self.torque) + dot(i.mu, self.force)


def inertial_load(body: Body, k: Displacement) -> Load:
    """Force and torque that a link needs per unit acceleration of freedom k."""
    p = body.moment
    return Load(scale(body.mass, k.mu) + cross(k.delta, p), body.inertia @ k.delta + cross(p, k.mu))


def inertial_coefficient(body: Body, i: Displacement, k: Displacement) -> Scalar:
    """D_ik^{,j}: force on freedom i per unit acceleration of freedom k, of link j (4-103, its terms gathered by i).

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> turn = Displacement(array([0.0, 0.0, 1.0]), zeros(3))
    >>> round(inertial_coefficient(plain(catalog.planar(1)).bodies[0], turn, turn), 12)       # a rod: m l^2 / 3
    0.333333333333
    """
    return inertial_load(body, k).on(i)


def velocity_load(body: Body, k: Displacement, l: Displacement) -> Load:
    """Force and torque that a link needs per product of the speeds k and l, l not before k on the way outwards."""
    I, p = body.inertia, body.moment
    trace = I[0, 0] + I[1, 1] + I[2, 2]
    # + M delta_k . (mu_l x mu_i) + p . (delta_l x (delta_k x mu_i)) in (4-104)
    force = scale(body.mass, cross(k.delta, l.mu)) + cross(cross(p, l.delta), k.delta)
    # Printed + delta_i . [K - 1/2 tr(K)] (delta_l x delta_k), also in (4-55), (4-57), (4-61), (4-87); see errata.
    turning = cross(l.delta, I @ k.delta) - scale(0.5 * trace, cross(l.delta, k.delta))
    # + p . (delta_i x (mu_l x delta_k)) in (4-104)
    return Load(force, turning + cross(cross(l.mu, k.delta), p))


def velocity_coefficient(body: Body, i: Displacement, k: Displacement, l: Displacement) -> Scalar:
    """D_ikl^{,j} for l not before k on the way outwards (4-104, its terms gathered by i): force on freedom i per
    product of speeds.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> turn, slide = Displacement(array([0.0, 0.0, 1.0]), zeros(3)), Displacement(zeros(3), array([1.0, 0.0, 0.0]))
    >>> velocity_coefficient(plain(catalog.planar(1)).bodies[0], slide, turn, turn)       # centripetal: -m l/2
    -0.5
    """
    return velocity_load(body, k, l).on(i)


class Coefficients(NamedTuple):
    """The dynamical model (4-98), by the robot's speeds: mimicking joints are added to those that they follow."""

    D_i: Array
    """(n,), gravity."""
    D_ik: Array
    """(n, n), inertia of the links."""
    D_ikl: Array
    """(n, n, n), symmetric in the last two: centrifugal for k = l, half the Coriolis coefficient otherwise."""
    Ia: Array
    """(n,), actuator inertia: of the rotors as felt at the joints. It is not in the links' inertias here, so not
    counted twice, as (3-65) with (4-98) would; see errata.
    """


def _excess(body: Body, q: Array, k: Freedom, l: Freedom, joint: Placement, link: Placement) -> Displacement:
    """Acceleration of a link per product of the speeds of two freedoms of one joint, beyond what it would be if the
    first of them carried the second, as (4-104) takes it; `body` and `joint` are those of that joint.
    """
    beta, gamma = pair_products(body, q, k.number, l.number)
    if k.number == l.number:
        in_turn = Displacement(zeros(3), cross(k.angular, k.linear))
    else:
        in_turn = Displacement(cross(k.angular, l.angular), scale(2.0, cross(k.angular, l.linear)))
    beta, gamma = joint.to_world(beta) - in_turn.delta, joint.to_world(gamma) - in_turn.mu
    return displacement(beta, gamma, joint.origin, link)


class _Link(NamedTuple):
    """Link j, and what moves it from the base outwards, as seen in its axes."""

    number: int
    body: Body
    at: Placement
    moving: list[Freedom]
    displacements: list[Displacement]


def _links(mechanism: Mechanism, q: Array, places: list[Placement]) -> list[_Link]:
    found = []
    all_freedoms = freedoms(mechanism, q, places)
    for j, (body, at) in enumerate(zip(mechanism.bodies, places, strict=True)):
        inboard = set(path(mechanism, j))
        moving = [freedom for freedom in all_freedoms if freedom.body in inboard]
        found.append(_Link(j, body, at, moving, [displacement(f.angular, f.linear, f.origin, at) for f in moving]))
    return found


def _of_pair(
    mechanism: Mechanism,
    q: Array,
    places: list[Placement],
    link: _Link,
    k: int,
    l: int,
) -> Load:
    """What link j needs per product of the speeds of two freedoms k <= l that move it; the same for l, k (4-105)."""
    first, second = link.moving[k], link.moving[l]
    needed = velocity_load(link.body, link.displacements[k], link.displacements[l])
    joint = mechanism.bodies[first.body]
    if first.body == second.body and joint.motion.dof > 1:
        excess = _excess(joint, q, first, second, places[first.body], link.at)
        share = 1.0 if k == l else 0.5
        more = inertial_load(link.body, excess)
        needed = Load(needed.force + scale(share, more.force), needed.torque + scale(share, more.torque))
    return needed


def gravity_coefficients(mechanism: Mechanism, q: Array) -> Array:
    """D_i of all links together, (n,) (4-99).

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> gravity_coefficients(plain(catalog.two_link()), array([0.0, 0.0])).tolist()
    [0.0, 0.0]
    """
    D_i, gravity = zeros(mechanism.n), base_placement(mechanism).to_world(mechanism.gravity)
    for link in _links(mechanism, q, placements(mechanism, q)):
        g = link.at.from_world(gravity)
        for freedom, row in zip(link.moving, link.displacements, strict=True):
            D_i[freedom.speed] = D_i[freedom.speed] + gravity_coefficient(link.body, g, row)
    return D_i


def inertial_coefficients(mechanism: Mechanism, q: Array) -> Array:
    """D_ik of all links together, (n, n) (4-100).

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> found = inertial_coefficients(plain(catalog.two_link()), array([0.0, 0.0]))
    >>> [[round(entry, 12) for entry in row] for row in found]
    [[5.0, 2.0], [2.0, 1.0]]
    """
    D_ik = zeros(mechanism.n, mechanism.n)
    for link in _links(mechanism, q, placements(mechanism, q)):
        for column, second in enumerate(link.moving):
            k, needed = second.speed, inertial_load(link.body, link.displacements[column])
            for row, first in enumerate(link.moving[: column + 1]):
                i, value = first.speed, needed.on(link.displacements[row])
                D_ik[i, k] = D_ik[i, k] + value
                if row != column:
                    D_ik[k, i] = D_ik[k, i] + value
    return D_ik


def velocity_coefficients(mechanism: Mechanism, q: Array) -> Array:
    """D_ikl of all links together, (n, n, n), the same for k and l exchanged (4-101, 4-105).

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> D_ikl = velocity_coefficients(plain(catalog.two_link()), array([0.0, 1.5707963267948966]))
    >>> round(D_ikl[0, 1, 1], 12), round(D_ikl[1, 0, 0], 12)                                     # (22): -s2 and s2
    (-1.0, 1.0)
    """
    n, places = mechanism.n, placements(mechanism, q)
    D_ikl = zeros(n, n, n)
    for link in _links(mechanism, q, places):
        speeds = [freedom.speed for freedom in link.moving]
        for k, k_speed in enumerate(speeds):
            for l, l_speed in enumerate(speeds[k:], start=k):
                needed = _of_pair(mechanism, q, places, link, k, l)
                for i, row in zip(speeds, link.displacements, strict=True):
                    value = needed.on(row)
                    D_ikl[i, k_speed, l_speed] = D_ikl[i, k_speed, l_speed] + value
                    if k != l:
                        D_ikl[i, l_speed, k_speed] = D_ikl[i, l_speed, k_speed] + value
    return D_ikl


def actuator_inertias(mechanism: Mechanism) -> Array:
    """Ia_i, (n,): of the rotors as felt at the joints.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> actuator_inertias(plain(catalog.two_link())).tolist()
    [0.0, 0.0]
    """
    Ia = zeros(mechanism.n)
    for body in mechanism.bodies:
        for m, inertia in enumerate(body.joint.reflected_inertia, start=body.v.start):
            Ia[m] = Ia[m] + body.multiplier * body.multiplier * inertia
    return Ia


def coefficients(mechanism: Mechanism, q: Array) -> Coefficients:
    """D_i, D_ik, D_ikl and Ia of the model (4-98) to (4-105).

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> model = coefficients(plain(catalog.two_link()), array([0.0, 0.0]))
    >>> [[round(entry, 12) for entry in row] for row in model.D_ik]
    [[5.0, 2.0], [2.0, 1.0]]
    """
    return Coefficients(
        gravity_coefficients(mechanism, q),
        inertial_coefficients(mechanism, q),
        velocity_coefficients(mechanism, q),
        actuator_inertias(mechanism),
    )


def inverse_dynamics(mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None = None) -> Array:
    """Forces of the drives from the coefficients (4-98), less what external wrenches give, plus friction.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> still = array([0.0, 0.0])
    >>> [round(tau, 12) for tau in inverse_dynamics(plain(catalog.two_link()), still, still, array([1.0, 0.0]))]
    [5.0, 2.0]
    """
    model = coefficients(mechanism, q)
    tau: Array = model.D_i + model.D_ik @ qdd + inside_drives(mechanism, q, qd, qdd)  # with Ia_i qdd_i
    for k in range(mechanism.n):
        for l in range(mechanism.n):
            tau = tau + scale(qd[k] * qd[l], model.D_ikl[:, k, l])
    if external:
        applied = on_bodies(mechanism, q, external)
        for link, (f, n) in zip(_links(mechanism, q, placements(mechanism, q)), applied, strict=True):
            for freedom, row in zip(link.moving, link.displacements, strict=True):
                tau[freedom.speed] = tau[freedom.speed] - dot(row.mu, f) - dot(row.delta, n)
    return tau


def reaction_component(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    joint: str,
    direction: Sequence[Scalar],
    kind: Literal["force", "torque"] = "force",
    *,
    point: Sequence[Scalar] | None = None,
    external: External | None = None,
) -> Scalar:
    """Force at a joint along any direction, or torque about any line, by a virtual joint there (end of chapter 4): i in
    (4-98) is a joint that would slide along `direction`, or turn about it, while k and l are the real joints.

    `direction` is a unit vector (another length multiplies the answer) and `point`, which the line of a torque goes
    through, a place (m); both in the child's joint frame, `point` from its origin, where it lies if not given. Given is
    what the parent exerts on the child, as by `joint_wrenches`.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> arm, still = plain(catalog.planar(2)), zeros(2)              # stretched out along x, 1 m and 1 kg a link
    >>> round(reaction_component(arm, still, still, still, "joint1", (0.0, 1.0, 0.0)), 9)             # y is up
    19.62
    >>> round(reaction_component(arm, still, still, still, "joint1", (0.0, 0.0, 1.0), "torque"), 9)
    19.62
    >>> middle = (1.0, 0.0, 0.0)
    >>> round(reaction_component(arm, still, still, still, "joint1", (0.0, 0.0, 1.0), "torque", point=middle), 9)
    0.0
    """
    if joint not in mechanism.joint_frames:
        raise ValueError(f"there is no joint {joint!r}; there are {', '.join(mechanism.joint_frames)}")
    if kind not in ("force", "torque"):
        raise ValueError(f"kind is {kind!r}: expected 'force' or 'torque'")
    s, where = (array(list(v)) for v in (direction, (0.0, 0.0, 0.0) if point is None else point))
    if s.shape != (3,) or where.shape != (3,):
        raise ValueError(f"direction has {len(s)} entries and point {len(where)}: expected three each")
    places = placements(mechanism, q)
    frame = mechanism.joint_frames[joint]
    at = frame_placement(mechanism, places, frame)
    s, where = at.to_world(s), at.origin + at.to_world(where)
    angular, linear = (zeros(3), s) if kind == "force" else (s, zeros(3))
    gravity = base_placement(mechanism).to_world(mechanism.gravity)
    applied = on_bodies(mechanism, q, external)
    total: Scalar = 0.0
    for link in _links(mechanism, q, places):
        if frame.body not in path(mechanism, link.number):
            continue
        virtual = displacement(angular, linear, where, link.at)
        total = total + gravity_coefficient(link.body, link.at.from_world(gravity), virtual)
        for k, (first, row) in enumerate(zip(link.moving, link.displacements, strict=True)):
            total = total + inertial_coefficient(link.body, virtual, row) * qdd[first.speed]
            for l, second in enumerate(link.moving[k:], start=k):
                value = _of_pair(mechanism, q, places, link, k, l).on(virtual)
                times = 1.0 if k == l else 2.0
                total = total + times * value * (qd[first.speed] * qd[second.speed])
        f, n = applied[link.number]
        total = total - dot(virtual.mu, f) - dot(virtual.delta, n)
    pulled = line_wrench(mechanism.bodies[frame.body], q)
    if pulled is not None:  # springs take their part past the joint
        body = places[frame.body]
        f = body.to_world(pulled.force)
        about = body.to_world(pulled.torque) + cross(body.origin - where, f)
        total = total - dot(linear, f) - dot(angular, about)
    return total
