"""Loads by cause in closed chains: every term of the tree, carried through the loops.

A cause loads the joints of the open tree as it always does, and the tree's joints would need forces along their freedoms
to hold against it. Passive joints have none to give: the loops do. All of this is linear, so each cause goes through the
loops by itself, with factors that all causes share, and what it does to the joints sums to the joint wrenches as the
causes of the tree do. Two things differ from a tree. A cause reaches every joint of the circuit that it loads, not only
those towards the base. And friction and rotors of passive joints, which act inside a drive elsewhere, load pins here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from loadpath.formulations.generalized_motion import freedom_names
from loadpath.loads.breakdown.circuits import Circuit, circuits
from loadpath.loads.breakdown.terms import KINDS, By, Kind, Row, Term, Wrenches, axes, motions_of, rows
from loadpath.mechanics.drives import friction_and_rotors, project
from loadpath.mechanics.kinematics import frame_placement, placements
from loadpath.mechanics.wrenches import External, Wrench
from loadpath.robot.closed_mechanism import ClosedMechanism
from loadpath.scalars import Array, array, zeros


class Source(NamedTuple):
    """A cause, as far as one link carries it where the links are kept apart: what goes through the loops as one."""

    kind: Kind
    names: tuple[str, ...]
    link: str | None
    tree: Mapping[int, Row]
    """What it is at the joints of the tree, by their numbers."""
    speed: int | None = None
    """Of friction and rotors."""


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


def speed_names(mechanism: ClosedMechanism) -> list[str]:
    """A name for each speed, as `dof_names` of the robot."""
    return [name for body in mechanism.bodies if body.joint.mimic is None for name in freedom_names(body)]


def arranged(mechanism: ClosedMechanism, table: Iterable[Row], *, preload: bool) -> Layout:
    """The sources behind the rows of the tree, those of the drives, and the rows that they have in the closed chain:
    only those that there can be, the same in all states.
    """
    sources = [*_of_tree(table), *_of_drives(mechanism), *([Source("preload", (), None, {})] if preload else [])]
    every = circuits(mechanism)
    reached = [[circuit for circuit in every if _reaches(mechanism, source, circuit)] for source in sources]
    found: list[ClosedRow] = []
    for i, body in enumerate(mechanism.bodies):
        here = [k for k, source in enumerate(sources)
                if i in source.tree or any(i in circuit.bodies for circuit in reached[k])]  # fmt: skip
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


def _of_drives(mechanism: ClosedMechanism) -> list[Source]:
    """Friction and rotors, one a speed: those of joints that mimic it among them."""
    rubbing, turning = set(), set()
    for body in mechanism.bodies:
        for k, speed in enumerate(range(mechanism.n)[body.v]):
            rubbing |= {speed} if body.joint.viscous_friction[k] or body.joint.coulomb_friction[k] else set()
            turning |= {speed} if body.joint.rotor_inertia[k] else set()
    names = speed_names(mechanism)
    found = [Source("friction", (names[k],), None, {}, k) for k in sorted(rubbing)]
    return found + [Source("rotor", (names[k],), None, {}, k) for k in sorted(turning)]


def _reaches(mechanism: ClosedMechanism, source: Source, circuit: Circuit) -> bool:
    driven, independent = circuit.speeds & {*mechanism.split.driven}, circuit.speeds & {*mechanism.split.independent}
    if source.kind == "preload":
        return driven != independent
    if source.speed is not None:
        # What acts inside a drive that nothing else shares the work of goes no farther.
        return source.speed in circuit.speeds and (source.speed not in independent or driven != independent)
    moved = {speed for i in source.tree for speed in range(mechanism.n)[mechanism.bodies[i].v]}
    return bool(circuit.bodies & source.tree.keys() or circuit.speeds & moved)


def _in_order(sources: list[Source], numbers: list[int]) -> list[int]:
    return sorted(numbers, key=lambda k: KINDS.index(sources[k].kind))


def _term(joint: str, source: Source) -> Term:
    return Term(joint, source.kind, source.names, source.link)


def closed_layout(
    mechanism: ClosedMechanism,
    *,
    by: By = "freedom",
    by_link: bool = False,
    external: Iterable[str] = (),
    base_velocity: bool = False,
    base_acceleration: bool = False,
    preload: bool = False,
) -> Layout:
    """What the rows of `load_terms` of a closed chain are the loads of. The mechanism is `closed_plain`."""
    anywhere = array([0.37 + 0.11 * (i % 7) for i in range(mechanism.nq)])
    still, given = zeros(mechanism.n), [zeros(6) if flag else None for flag in (base_velocity, base_acceleration)]
    motions = motions_of(mechanism, anywhere, still, still, placements(mechanism, anywhere), by, *given)
    table = rows(mechanism, motions, by_link=by_link, external=external, base_accelerates=base_acceleration)
    return arranged(mechanism, table, preload=preload)
