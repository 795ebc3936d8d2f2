"""The closed form of the generalized manipulator arranged as one table: at every joint, every cause, force and torque.

Summed over the links j (3-82 to 3-85, 3-91 to 3-94) a term of joint i needs no sum at all. The links beyond joint i
move as one body as far as the movers before joint i go, so the term is that of their composite inertia. If a mover lies
beyond joint i, only the links beyond the mover feel it: the term is the one at the next joint outwards, moved here.
With `by_link` a term starts at the link j whose mass carries it, as those of gravity and external wrenches always do.

So every term starts at one body, in whose axes it is computed, and is carried from joint to joint towards the base.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, get_args

from loadpath.algorithms.composite_body import composites
from loadpath.formulations.generalized_motion import Bias, Cause, Motions, Mover, by_freedom, by_joint, path
from loadpath.formulations.generalized_terms import LinkInertia, accelerated, causes_of_motion, term_of_motion
from loadpath.mechanics.drives import along_speeds, friction_forces, rotor_forces
from loadpath.mechanics.joint_motion import joint_placement
from loadpath.mechanics.kinematics import Placement, base_placement, frame_placement, placements
from loadpath.mechanics.springs import line_wrench
from loadpath.mechanics.wrenches import Applied, External, Wrench, on_body, towards_base
from loadpath.robot.mechanism import BASE, Body, Frame, Mechanism
from loadpath.scalars import Array, Scalar, array, cross, is_zero, zeros

Kind = Literal[
    "inertial", "centrifugal", "coriolis", "gravity", "external", "carried", "base", "spring", "friction", "rotor",
    "preload",
]
"""Loads that a motion carries come as external wrenches: see `carried`. The last three load joints of closed chains
only: see `loops/load_terms`."""
By = Literal["freedom", "joint"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class Term(NamedTuple):
    """What one row of the table is the load of.

    | kind | names |
    |---|---|
    | inertial | the freedom (or joint) that accelerates |
    | centrifugal | the freedom that moves |
    | coriolis | two freedoms, the one nearer to the base first; a joint twice if it turns and slides at once |
    | gravity | the link that weighs |
    | external | the link that the wrench is on |
    | carried | the load that a motion carries |
    | base | "inertial", "centrifugal", or "coriolis" and a freedom: what the moving base adds |
    | spring | the joint whose springs on a line pull past it; in closed chains also the freedom of a torsion spring |
    | friction, rotor | the freedom that rubs, or whose rotor accelerates: through loops it loads other joints |
    | preload | none: the forces that drives in excess of the freedoms exert against each other |
    """

    joint: str
    kind: Kind
    names: tuple[str, ...]
    link: str | None = None
    """The link whose mass carries the term (or that the external wrench is on); none for the sum over links."""


class LineSprings(NamedTuple):
    """In the place of a cause: the springs between a joint's two links."""

    body: int


class Row(NamedTuple):
    """A term with the numbers of its parts in the mechanism."""

    term: Term
    joint: int
    cause: Cause | LineSprings | str
    """Of motion and gravity; springs; or the link that an external wrench is on."""
    link: int | None
    """The body whose mass carries it, or that the external wrench is on; none for all beyond the joint."""


# Which terms there are


def rows(
    mechanism: Mechanism,
    motions: Motions,
    *,
    by_link: bool = False,
    external: Iterable[str] = (),
    base_accelerates: bool = False,
) -> list[Row]:
    """The rows of the table: only terms that there can be, the same in all states."""
    bodies = mechanism.bodies
    paths = [path(mechanism, j) for j in range(len(bodies))]
    causes = [
        _causes(motions, {BASE, *paths[j]}, base_accelerates) if _has_inertia(body) else []
        for j, body in enumerate(bodies)
    ]
    summed = [dict.fromkeys(own) for own in causes]
    if not by_link:
        for j in reversed(range(len(bodies))):
            if bodies[j].parent != BASE:
                summed[bodies[j].parent] |= summed[j]
    named = set(external)
    loaded = {link: frame.body for link, frame in mechanism.link_frames.items() if link in named}
    found = []
    for i, body in enumerate(bodies):
        beyond = [j for j in range(i, len(bodies)) if i in paths[j]]
        carriers: list[int | None] = [*beyond] if by_link else [None]
        here: list[tuple[Kind, tuple[str, ...], Cause | LineSprings | str, int | None]] = []
        for carrier in carriers:
            of_motion = summed[i] if carrier is None else causes[carrier]
            here += [(*_named(motions, cause), cause, carrier) for cause in of_motion]
        here += [("gravity", (bodies[j].name,), Cause("gravity"), j) for j in beyond if _has_weight(bodies[j])]
        here += [("external", (link,), link, j) for link, j in loaded.items() if j in beyond]
        if body.line_springs:
            here.append(("spring", (body.joint.name,), LineSprings(i), None))
        here.sort(key=lambda part: KINDS.index(part[0]))
        for kind, names, due_to, carrier in here:
            link = None if carrier is None else names[0] if kind == "external" else bodies[carrier].name
            found.append(Row(Term(body.joint.name, kind, names, link), i, due_to, carrier))
    return found


def _causes(motions: Motions, proximal: set[int], base_accelerates: bool) -> list[Cause]:
    moving = [k for k, mover in enumerate(motions.movers) if mover.body in proximal]
    found = causes_of_motion(motions, moving)
    if _has_base(motions) and not base_accelerates:
        found.remove(Cause("inertial", 0))
    return found


def _has_base(motions: Motions) -> bool:
    return bool(motions.movers) and motions.movers[0].body == BASE


def _named(motions: Motions, cause: Cause) -> tuple[Kind, tuple[str, ...]]:
    """Kind and names of a cause in the words of `Term`."""
    names = tuple(motions.movers[k].name for k in cause.movers)
    if cause.k == 0 and _has_base(motions):
        return "base", (cause.kind, *(names[1:] if cause.kind == "coriolis" else ()))
    return cause.kind, names if cause.kind == "coriolis" else names[:1]


def _has_weight(body: Body) -> bool:
    return not (is_zero(body.mass) and _is_nothing(body.moment))


def _has_inertia(body: Body) -> bool:
    return _has_weight(body) or not _is_nothing(body.inertia)


def _is_nothing(values: Array) -> bool:
    return all(is_zero(x) for x in values.flat)


# What moves


def motions_of(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    places: list[Placement],
    by: By,
    base_velocity: Array | None,
    base_acceleration: Array | None,
) -> Motions:
    if not isinstance(by, str) or by not in get_args(By):
        raise ValueError(f"by is {by!r}: expected 'freedom' or 'joint'")
    base = None
    if base_velocity is not None or base_acceleration is not None:
        v = zeros(6) if base_velocity is None else base_velocity
        vdot = zeros(6) if base_acceleration is None else base_acceleration
        # The root link's frame is at the world's; the linear velocity itself makes no force.
        base = Mover("base", BASE, v[3:], vdot[3:], v[:3], vdot[:3], zeros(3), turns=base_velocity is not None)
    return (by_freedom if by == "freedom" else by_joint)(mechanism, q, qd, qdd, places, base)


def layout(
    mechanism: Mechanism,
    *,
    by: By = "freedom",
    by_link: bool = False,
    external: Iterable[str] = (),
    base_velocity: bool = False,
    base_acceleration: bool = False,
) -> tuple[Term, ...]:
    """What the rows of `load_terms` are the loads of. The mechanism is `plain`.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> [(term.kind, *term.names) for term in layout(plain(catalog.planar(2))) if term.joint == "joint2"][2:]
    [('centrifugal', 'joint1'), ('centrifugal', 'joint2'), ('coriolis', 'joint1', 'joint2'), ('gravity', 'link2')]
    """
    anywhere = array([0.37 + 0.11 * (i % 7) for i in range(mechanism.nq)])
    still, given = zeros(mechanism.n), [zeros(6) if flag else None for flag in (base_velocity, base_acceleration)]
    motions = motions_of(mechanism, anywhere, still, still, placements(mechanism, anywhere), by, *given)
    table = rows(mechanism, motions, by_link=by_link, external=external, base_accelerates=base_acceleration)
    return tuple(row.term for row in table)


# The numbers


def _seen_from(at: Placement, motions: Motions, proximal: set[int]) -> Motions:
    """The motions of the bodies `proximal` in the axes of a body, arms from its origin; others are left as they are."""

    def seen(mover: Mover) -> Mover:
        if mover.body not in proximal:
            return mover
        w, alpha, u, a = (at.from_world(v) for v in (mover.w, mover.alpha, mover.u, mover.a))
        origin = at.from_world(mover.origin - at.origin)
        return mover._replace(w=w, alpha=alpha, u=u, a=a, origin=origin)

    own = {
        cause: Bias(at.from_world(bias.beta), at.from_world(bias.gamma))
        for cause, bias in motions.own.items()
        if motions.movers[cause.movers[0]].body in proximal
    }
    return Motions(tuple(map(seen, motions.movers)), own)


def _inertia(mass: Scalar, moment: Array, tensor: Array) -> LinkInertia:
    """An inertia about the origin of the axes that it is in."""
    return LinkInertia(mass, moment, tensor, tensor[0, 0] + tensor[1, 1] + tensor[2, 2], zeros(3))


class Wrenches:
    """The wrench of any row, at its joint's origin in the axes of its joint's body."""

    def __init__(
        self, mechanism: Mechanism, q: Array, places: list[Placement], motions: Motions, external: External
    ) -> None:
        self.mechanism, self.places, self.external = mechanism, places, external
        self.joints = [joint_placement(body, q) for body in mechanism.bodies]
        self.paths = [path(mechanism, j) for j in range(len(mechanism.bodies))]
        self.motions = [_seen_from(at, motions, {BASE, *self.paths[j]}) for j, at in enumerate(places)]
        self.bodies = [_inertia(body.mass, body.moment, body.inertia) for body in mechanism.bodies]
        self.composites = [_inertia(*composite) for composite in composites(mechanism, self.joints)]
        self.gravity = base_placement(mechanism).to_world(mechanism.gravity)
        self.q = q
        self._found: dict[tuple[int, Cause | LineSprings | str, int | None], Wrench] = {}

    def of(self, i: int, cause: Cause | LineSprings | str, link: int | None) -> Wrench:
        if isinstance(cause, LineSprings):  # parent and child hold both ends: no other joint feels them
            pulled = line_wrench(self.mechanism.bodies[i], self.q)
            assert pulled is not None
            return Wrench(-pulled.force, -pulled.torque)
        key = (i, cause, link)
        if key not in self._found:
            start = link if link is not None else self._start(i, cause)
            self._found[key] = self._at(i, cause, link) if start == i else self._carried(i, start, cause, link)
        return self._found[key]

    def _start(self, i: int, cause: Cause | str) -> int:
        """Where the sum over links of a term starts: at the joint itself, or at the outermost mover beyond it."""
        last = self.motions[i].movers[cause.movers[-1]].body if isinstance(cause, Cause) else i
        return i if last == BASE or last in self.paths[i] else last

    def _carried(self, i: int, start: int, cause: Cause | str, link: int | None) -> Wrench:
        outwards = self.paths[start]
        child = outwards[outwards.index(i) + 1]
        return towards_base(self.mechanism.bodies[child], *self.joints[child], *self.of(child, cause, link))

    def _at(self, i: int, cause: Cause | str, link: int | None) -> Wrench:
        """A term at the body where it starts."""
        if isinstance(cause, str):
            frame = self.mechanism.link_frames[cause]
            f, n = applied_at(self.places[frame.body], frame, self.external[cause])
            return Wrench(-f, -n)
        inertia = self.composites[i] if link is None else self.bodies[i]
        if cause.kind == "gravity":
            return accelerated(inertia, zeros(3), -self.places[i].from_world(self.gravity), zeros(3))
        return term_of_motion(inertia, self.motions[i], cause)


def applied_at(at: Placement, frame: Frame, wrench: Applied) -> Wrench:
    """An external wrench on the link of a frame, at the origin and in the axes of its body, which is there."""
    if not wrench.in_world_axes:
        return on_body(frame, wrench.force, wrench.torque)
    f = at.from_world(wrench.force)
    return Wrench(f, at.from_world(wrench.torque) + cross(frame.origin, f))


def load_terms(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    *,
    by: By = "freedom",
    by_link: bool = False,
    frame: str = "joint",
) -> tuple[Array, Array, Array]:
    """Force and torque of every term of `layout`, (terms, 6), at the origin of its joint, exerted by the parent on the
    child; then what friction takes from the drives, (n,), and what their rotors do, (n,).

    Axes: of the child's joint frame, of the world (`frame="world"`), or of a link's frame (`frame` its name).
    The mechanism is `plain`. The base's motion is linear, then angular, of the root link's origin, in its axes.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(catalog.planar(2))
    >>> values, friction, rotor = load_terms(arm, zeros(2), zeros(2), zeros(2))
    >>> [round(float(y), 9) for y, term in zip(values[:, 1], layout(arm)) if term.joint == "joint1" and y]
    [9.81, 9.81]
    """
    places, external = placements(mechanism, q), external or {}
    motions = motions_of(mechanism, q, qd, qdd, places, by, base_velocity, base_acceleration)
    accelerates = base_acceleration is not None
    table = rows(mechanism, motions, by_link=by_link, external=external, base_accelerates=accelerates)
    wrenches = Wrenches(mechanism, q, places, motions, external)
    turn = axes(mechanism, places, frame)
    values = zeros(len(table), 6)
    for k, row in enumerate(table):
        force, torque = wrenches.of(row.joint, row.cause, row.link)
        values[k, :3], values[k, 3:] = turn(places[row.joint], force), turn(places[row.joint], torque)
    friction = along_speeds(mechanism, lambda body: friction_forces(body, qd))
    return values, friction, along_speeds(mechanism, lambda body: rotor_forces(body, qdd))


def axes(mechanism: Mechanism, places: list[Placement], frame: str) -> Callable[[Placement, Array], Array]:
    """A function that turns a vector in the axes of something with a place into those asked for."""
    if frame == "joint":
        return lambda of, v: v
    if frame == "world":
        return lambda of, v: of.to_world(v)
    at = frame_placement(mechanism, places, mechanism.link_frames[frame])
    return lambda of, v: at.from_world(of.to_world(v))
