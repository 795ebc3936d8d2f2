"""Loads by cause in closed chains: every term of the tree, carried through the loops.

A cause loads the joints of the open tree as it always does, and these would need forces along their freedoms to hold
against it. Passive joints have none to give: the loops do. All of this is linear, so each cause goes through the loops
by itself, with factors that all causes share, and what the causes do to a joint sums to its wrench as in a tree. Two
things differ from a tree. A cause reaches every joint of the circuit that it loads, not only those towards the base.
And friction and rotors of passive joints, which act inside a drive elsewhere, load pins here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, get_args

from loadpath.algorithms.load_terms import KINDS, By, Kind, Row, Term, Wrenches, axes, motions_of, rows
from loadpath.algorithms.load_terms import load_terms as terms_of_tree
from loadpath.algorithms.loops.circuits import Circuit, circuits
from loadpath.algorithms.loops.completion import complement
from loadpath.algorithms.loops.drives import drive_forces, is_redundant
from loadpath.algorithms.loops.idle import with_idle_accelerations
from loadpath.algorithms.loops.motion_by_drive import Moved, MovedWrenches, moved_parts
from loadpath.algorithms.loops.reactions import Compliances, reactions
from loadpath.algorithms.loops.sparse import sparse_dot
from loadpath.algorithms.loops.status import status
from loadpath.formulations.generalized_motion import freedom_names
from loadpath.mechanics.drives import along_speeds, friction_forces, project, rotor_forces
from loadpath.mechanics.kinematics import frame_placement, placements
from loadpath.mechanics.springs import torsion_forces
from loadpath.mechanics.wrenches import External, Wrench
from loadpath.robot.drive_train.drive import TorsionSpring
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, Scalar, array, is_zero, zeros

ClosedBy = Literal["freedom", "joint", "drive"]
"""What movers are: single freedoms, joints, or independent speeds with all that they move through the loops."""


class Source(NamedTuple):
    """A cause, as far as one link carries it where the links are kept apart: what goes through the loops as one."""

    kind: Kind
    names: tuple[str, ...]
    link: str | None
    tree: Mapping[int, Row | None]
    """What it is at the joints of the tree, by their numbers; none where `moved` says it."""
    speed: int | None = None
    """Of friction, rotors and torsion springs."""
    moved: Moved | None = None
    """Of motion by drive."""


class ClosedRow(NamedTuple):
    """A row of the table: what a source does to a joint, or to a loop, by their numbers."""

    term: Term
    source: int
    joint: int | None
    loop: int | None


class Layout(NamedTuple):
    """All sources and all rows."""

    sources: list[Source]
    rows: list[ClosedRow]


def speed_names(mechanism: Mechanism) -> list[str]:
    """A name for each speed, as `dof_names` of the robot."""
    return [name for body in mechanism.bodies if body.joint.mimic is None for name in freedom_names(body)]


def arranged(
    mechanism: Mechanism, of_tree: Iterable[Source], *, preload: bool, bending: frozenset[int] = frozenset()
) -> Layout:
    """The sources of the tree, those of the drives, and the rows that they have in the closed chain: only those that
    there can be, the same in all states. `bending` are bodies that bend.
    """
    sources = [*of_tree, *_of_drives(mechanism), *([Source("preload", (), None, {})] if preload else [])]
    every = circuits(mechanism)
    reached = [[circuit for circuit in every if _reaches(mechanism, source, circuit)
                or _bends(mechanism, source, circuit, bending)] for source in sources]
    found: list[ClosedRow] = []
    for i, body in enumerate(mechanism.bodies):
        here = [k for k, source in enumerate(sources)
                if i in source.tree or any(i in circuit.bodies for circuit in reached[k])]
        found += [ClosedRow(_term(body.joint.name, sources[k]), k, i, None) for k in _in_order(sources, here)]
    for number, loop in enumerate(mechanism.loops):
        here = [k for k in range(len(sources)) if any(number in circuit.loops for circuit in reached[k])]
        found += [ClosedRow(_term(loop.name, sources[k]), k, None, number) for k in _in_order(sources, here)]
    return Layout(sources, found)


def _of_tree(table: Iterable[Row]) -> list[Source]:
    found: dict[tuple[Kind, tuple[str, ...], str | None], dict[int, Row]] = {}
    for row in table:
        found.setdefault((row.term.kind, row.term.names, row.term.link), {})[row.joint] = row
    return [Source(*key, joints) for key, joints in found.items()]


def _by_drive(mechanism: Mechanism, parts: Mapping[Moved, frozenset[int]]) -> list[Source]:
    names = speed_names(mechanism)
    found = []
    for part, joints in parts.items():
        drives = tuple(names[mechanism.split.independent[a]] for a in part.drives)
        kind: Kind = "base" if part.base else part.effect
        words = (part.effect, *drives) if part.base else drives
        link = None if part.carrier is None else mechanism.bodies[part.carrier].name
        found.append(Source(kind, words, link, dict.fromkeys(sorted(joints)), moved=part))
    return found


def _of_drives(mechanism: Mechanism) -> list[Source]:
    """Springs inside the drives, friction and rotors, one a speed: those of joints that mimic it among them."""
    rubbing, turning, springing = set(), set(), set()
    for body in mechanism.bodies:
        for k, speed in enumerate(range(mechanism.n)[body.v]):
            joint = body.joint
            rubs = joint.viscous_friction[k] or joint.coulomb_friction[k] or joint.stribeck[k]
            rubbing |= {speed} if rubs else set()
            springing |= {speed} if any(isinstance(each, TorsionSpring) for each in joint.springs[k]) else set()
            turning |= {speed} if joint.reflected_inertia[k] else set()
    names = speed_names(mechanism)
    found = [Source("spring", (names[k],), None, {}, k) for k in sorted(springing)]
    found += [Source("friction", (names[k],), None, {}, k) for k in sorted(rubbing)]
    return found + [Source("rotor", (names[k],), None, {}, k) for k in sorted(turning)]


def _reaches(mechanism: Mechanism, source: Source, circuit: Circuit) -> bool:
    driven, independent = circuit.speeds & {*mechanism.split.driven}, circuit.speeds & {*mechanism.split.independent}
    if source.kind == "preload":
        return driven != independent
    if source.speed is not None:
        # What acts inside a drive that nothing else shares the work of goes no farther.
        return source.speed in circuit.speeds and (source.speed not in independent or driven != independent)
    moved = {speed for i in source.tree for speed in range(mechanism.n)[mechanism.bodies[i].v]}
    return bool(circuit.bodies & source.tree.keys() or circuit.speeds & moved)


def _bends(mechanism: Mechanism, source: Source, circuit: Circuit, bending: frozenset[int]) -> bool:
    """Whether it bends a link that carries several sides of a circuit, and so moves them apart."""
    carriers = ({mechanism.bodies[i].parent for i in circuit.bodies} - circuit.bodies) & bending
    return bool(carriers & source.tree.keys() or (BASE in carriers and source.tree))


def _in_order(sources: list[Source], numbers: list[int]) -> list[int]:
    return sorted(numbers, key=lambda k: KINDS.index(sources[k].kind))


def _term(joint: str, source: Source) -> Term:
    return Term(joint, source.kind, source.names, source.link)


def closed_layout(
    mechanism: Mechanism,
    *,
    by: ClosedBy = "freedom",
    by_link: bool = False,
    external: Iterable[str] = (),
    base_velocity: bool = False,
    base_acceleration: bool = False,
    preload: bool = False,
    bending: frozenset[int] = frozenset(),
) -> Layout:
    """What the rows of `load_terms` of a closed chain are the loads of. The mechanism is `plain`; `bending` as
    in `arranged`.
    """
    anywhere = array([0.37 + 0.11 * (i % 7) for i in range(mechanism.nq)])
    still, given = zeros(mechanism.n), [zeros(6) if flag else None for flag in (base_velocity, base_acceleration)]
    motions = motions_of(mechanism, anywhere, still, still, placements(mechanism, anywhere), of_motions(by), *given)
    table = rows(mechanism, motions, by_link=by_link, external=external, base_accelerates=base_acceleration)
    of_tree = _of_tree(table)
    if by == "drive":
        moving = {"base_velocity": base_velocity, "base_acceleration": base_acceleration}
        of_tree = _with_drives(mechanism, of_tree, by_link, **moving)
    return arranged(mechanism, of_tree, preload=preload, bending=bending)


def of_motions(by: ClosedBy) -> By:
    """How the tree's own terms are kept apart."""
    if not isinstance(by, str) or by not in get_args(ClosedBy):
        raise ValueError(f"by is {by!r}: expected 'freedom', 'joint' or 'drive'")
    return "freedom" if by == "drive" else by


def _with_drives(
    mechanism: Mechanism, of_tree: list[Source], by_link: bool, *, base_velocity: bool, base_acceleration: bool
) -> list[Source]:
    """The sources of motion by drive in place of those by freedom."""
    parts = moved_parts(mechanism, by_link=by_link, base_velocity=base_velocity, base_acceleration=base_acceleration)
    kept = ("gravity", "external", "spring")
    return [*_by_drive(mechanism, parts), *(source for source in of_tree if source.kind in kept)]


# The numbers

NOTHING = Wrench(zeros(3), zeros(3))


class _Loops:
    """What carries any source through the loops at one configuration, made once for all of them.

    Most sources load a few joints only. So the maps from forces and wrenches of the tree to multipliers and drives are
    made as matrices, whose columns for what a source does not load cost nothing.
    """

    def __init__(self, mechanism: Mechanism, q: Array, weights: Array | None, compliances: Compliances) -> None:
        self.mechanism, self.weights = mechanism, weights
        self.reactions = reactions(mechanism, q, compliances)
        n, count = mechanism.n, len(self.reactions.parts)
        self.shares = self._shares()
        nothing = [NOTHING for _ in mechanism.bodies]
        self.of_force = [self.reactions.multipliers(nothing, _unit(n, k)) for k in range(n)]
        """lambda for a unit of force that is missing at each speed."""
        self.of_load = [self._settled(_unit(count, r)) for r in range(count)]
        """lambda for a unit of B' C w0: what least sum of squares makes of the wrenches that the tree carries."""

    def _shares(self) -> list[Array]:
        """What each drive (n) gives of a unit of force at each speed."""
        mechanism, given, n = self.mechanism, self.reactions.given, self.mechanism.n
        if is_redundant(mechanism):
            return [drive_forces(mechanism, given, _unit(n, k), self.weights) for k in range(n)]
        shares = zeros(n, n)
        shares[:, list(mechanism.split.independent)] = complement(mechanism, given)
        return list(shares)

    def _settled(self, load: Array) -> Array:
        white = self.reactions.white
        if white is None:
            return zeros(len(load))
        return white.back(self.reactions.factors.remainder(-white.of_force(load)))

    def applied(self, tau: Array) -> Array:
        """Forces of the drives (n) for forces tau of the open tree."""
        return _sum(zeros(self.mechanism.n), zip(tau, self.shares, strict=True))

    def preloaded(self, preload: Array) -> Array:
        """Forces of the drives (n) that work against each other."""
        still = zeros(self.mechanism.n)
        return drive_forces(self.mechanism, self.reactions.given, still, self.weights, preload)

    def multipliers(self, of_tree: Mapping[int, Wrench], missing: Array) -> Array:
        """lambda for wrenches at some joints of the tree, and what the drives leave of its forces."""
        found = zeros(len(self.reactions.parts))
        found = _sum(found, zip(missing, self.of_force, strict=True))
        if self.reactions.white is None:
            return found
        names = {self.mechanism.bodies[i].joint.name: array([*wrench.force, *wrench.torque])
                 for i, wrench in of_tree.items()}
        loads = []
        for part in self.reactions.parts:
            load: Scalar = 0.0
            for joint in part.keys() & names.keys():
                load = load + sparse_dot(self.reactions.strain(joint, names[joint]), part[joint])
            loads.append(load)
        return _sum(found, zip(loads, self.of_load, strict=True))

    def added(self, name: str, multipliers: Array) -> Wrench:
        """What the multipliers add at a joint or loop."""
        parts = zip(multipliers, self.reactions.parts, strict=True)
        six = _sum(zeros(6), [(multiplier, part[name]) for multiplier, part in parts if name in part])
        return Wrench(six[:3], six[3:])


def _unit(size: int, k: int) -> Array:
    return array([1.0 if i == k else 0.0 for i in range(size)])


def _sum(start: Array, parts: Iterable[tuple[Scalar, Array]]) -> Array:
    """The start and all factors times arrays; plain zeros cost nothing."""
    total = start.copy()
    for factor, of in parts:
        if not is_zero(factor):
            for i, x in enumerate(of):
                total[i] = total[i] if is_zero(x) else total[i] + factor * x
    return total


def load_terms(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    weights: Array | None = None,
    preload: Array | None = None,
    *,
    by: ClosedBy = "freedom",
    by_link: bool = False,
    frame: str = "joint",
    compliances: Compliances = (),
) -> tuple[Array, ...]:
    """Force and torque of every row of `closed_layout`, (rows, 6), at the origin of its joint, exerted by the parent on
    the child (the first link on the second); friction and rotors of all speeds, each (n,). With loops also what each
    source takes from each drive, (sources, drives), and the status of the state. Axes and arguments as in
    `algorithms.load_terms.load_terms`, which is that of a tree; `weights` and `preload` (drives) as in `drive_forces`.
    """
    if mechanism.is_tree:
        choices: dict[str, Any] = {"by": by, "by_link": by_link, "frame": frame}
        return terms_of_tree(mechanism, q, qd, qdd, external, base_velocity, base_acceleration, **choices)
    places, external = placements(mechanism, q), external or {}
    given, qdd = qdd, with_idle_accelerations(mechanism, q, qd, qdd, external, base_velocity, base_acceleration)
    motions = motions_of(mechanism, q, qd, qdd, places, of_motions(by), base_velocity, base_acceleration)
    accelerates = base_acceleration is not None
    table = rows(mechanism, motions, by_link=by_link, external=external, base_accelerates=accelerates)
    sources_of_tree = _of_tree(table)
    if by == "drive":
        moving = {"base_velocity": base_velocity is not None, "base_acceleration": accelerates}
        sources_of_tree = _with_drives(mechanism, sources_of_tree, by_link, **moving)
    sources, table_of_joints = arranged(mechanism, sources_of_tree, preload=preload is not None)
    wrenches = Wrenches(mechanism, q, places, motions, external)
    friction = along_speeds(mechanism, lambda body: friction_forces(body, qd))
    rotor = along_speeds(mechanism, lambda body: rotor_forces(body, qdd))
    spring = along_speeds(mechanism, lambda body: [body.multiplier * force for force in torsion_forces(body, q)])
    inside = {"friction": friction, "rotor": rotor, "spring": spring}
    loops = _Loops(mechanism, q, weights, compliances)
    moved = MovedWrenches(mechanism, q, qd, qdd, loops.reactions.given, base_velocity, base_acceleration)
    drives = zeros(len(sources), len(mechanism.split.driven))
    of_tree: list[dict[int, Wrench]] = []
    of_loops: list[Array] = []
    for k, source in enumerate(sources):
        if source.moved is not None:
            at_joints = moved.of(source.moved)
            own = {i: at_joints[i] for i in source.tree}
        else:
            own = {i: wrenches.of(i, row.cause, row.link) for i, row in source.tree.items() if row is not None}
        tau = zeros(mechanism.n)
        for i, wrench in own.items():
            body = mechanism.bodies[i]
            for v, force in enumerate(project(body, q, *wrench), start=body.v.start):
                tau[v] = tau[v] + force
        if source.speed is not None:
            tau[source.speed] = inside[source.kind][source.speed]
        applied = loops.applied(tau) if source.kind != "preload" or preload is None else loops.preloaded(preload)
        drives[k] = applied[list(mechanism.split.driven)]
        of_tree.append(own)
        of_loops.append(loops.multipliers(own, tau - applied))
    turn = axes(mechanism, places, frame)
    at_loops = [frame_placement(mechanism, places, loop.on) for loop in mechanism.loops]
    values = zeros(len(table_of_joints), 6)
    for k, row in enumerate(table_of_joints):
        force, torque = loops.added(row.term.joint, of_loops[row.source])
        if row.joint is not None:
            before = of_tree[row.source].get(row.joint, NOTHING)
            force, torque = before.force + force, before.torque + torque
        at = at_loops[row.loop] if row.loop is not None else places[row.joint or 0]
        values[k, :3], values[k, 3:] = turn(at, force), turn(at, torque)
    return values, friction, rotor, drives, status(mechanism, q, loops.reactions.given, qd, given)
