"""Which row of a breakdown holds what: terms by joint, kind and names, with errors that say what there is."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from loadpath.algorithms.load_terms import Kind, Term, layout
from loadpath.algorithms.loops.load_terms import closed_layout
from loadpath.algorithms.loops.status import ENTRIES
from loadpath.cached import cached_property
from loadpath.closure.robot import ClosableRobot
from loadpath.formulations.generalized_motion import freedom_names
from loadpath.mechanics.wrenches import BASE_MOTION
from loadpath.quantities.carriers import drive_names
from loadpath.quantities.wrench import COMPONENTS
from loadpath.robot.mechanism import plain
from loadpath.robot.numbers import known

AnyKind: TypeAlias = Kind
"""Kinds of terms, those of what acts inside a drive among them."""
Cause = tuple[Kind, tuple[str, ...]]
"""Kind and names of a term, as in `Term`, or what acts inside a drive and the name of its degree of freedom."""

OF_BASE = ("inertial", "centrifugal", "coriolis")


def cause_label(cause: Cause) -> str:
    """A cause in words.

    >>> cause_label(("coriolis", ("joint1", "joint4"))), cause_label(("base", ("centrifugal",)))
    ('coriolis joint1, joint4', 'base centrifugal')
    """
    kind, names = cause
    if kind == "base":
        return " ".join(("base", *names))
    return f"{kind} {', '.join(names)}" if names else kind


def component_number(name: str) -> int:
    """The number of a component, by its name."""
    if name not in COMPONENTS:
        raise ValueError(f"no component {name!r}; there are {', '.join(COMPONENTS)}")
    return COMPONENTS.index(name)


def check_count(count: int | None) -> None:
    """Refuse a number of causes below zero, by which slices would count from the end."""
    if count is not None and count < 0:
        raise ValueError(f"count is {count}: expected how many causes to show, zero or more")


@dataclass(frozen=True, eq=False)
class Index:
    """The rows of a breakdown of a robot."""

    terms: tuple[Term, ...]
    joint_names: tuple[str, ...]
    link_names: tuple[str, ...]
    movers: tuple[str, ...]
    """What can accelerate and move: freedoms, those of mimicking joints too, or joints."""
    by_link: bool
    with_themselves: frozenset[str] = frozenset()
    """Movers with several freedoms, which can have Coriolis terms with themselves: joints, where `movers` are."""
    sources: tuple[tuple[Cause, str | None], ...] = ()
    """Of a closed chain, what the rows of `LoadBreakdown.drives` are: causes, each with the link that carries it."""
    drive_names: tuple[str, ...] = ()
    """Of a closed chain, the degrees of freedom with a drive, in the order of the columns of `LoadBreakdown.drives`."""
    passive_names: tuple[str, ...] = ()
    """Of a closed chain, those without."""
    load_names: tuple[str, ...] = ()
    """Loads that the motion carries."""

    @cached_property
    def causes(self) -> dict[str, dict[Cause, list[int]]]:
        """For every joint its causes and the rows of each: one, or by link those of all links that carry it."""
        found: dict[str, dict[Cause, list[int]]] = {joint: {} for joint in self.joint_names}
        for row, term in enumerate(self.terms):
            found[term.joint].setdefault((term.kind, term.names), []).append(row)
        return found

    def of_joint(self, joint: str) -> dict[Cause, list[int]]:
        """The causes at a joint and their rows."""
        return self.causes[known(joint, self.joint_names, "joint")]

    def all_rows(self, joint: str) -> list[int]:
        """All rows of a joint; they follow each other."""
        return sorted(row for rows in self.of_joint(joint).values() for row in rows)

    def rows(self, joint: str, cause: Cause, link: str | None = None) -> list[int]:
        """The rows of a cause at a joint, none if it cannot reach it; of one link that carries it if that is named."""
        found = self.of_joint(joint).get(cause, [])
        if link is None:
            return found
        if not self.by_link:
            raise ValueError("this breakdown is summed over the links: ask for load_breakdown(..., by_link=True)")
        known(link, self.link_names, "link")
        return [row for row in found if self.terms[row].link == link]

    def cause(self, kind: Kind, names: Sequence[str]) -> tuple[Cause, str | None]:
        """A cause from the names that a caller gives, in any order, and the link that carries it if one is named."""
        wanted = {"coriolis": 2, "base": 2 if names and names[0] == "coriolis" else 1, "preload": 0}.get(kind, 1)
        if len(names) not in (wanted, wanted + 1):
            raise ValueError(f".{kind} is asked for by {_usage(kind)}: {1 + len(names)} names were given")
        chosen, link = tuple(names[:wanted]), names[wanted] if len(names) > wanted else None
        if kind in ("gravity", "external"):
            known(chosen[0], self.link_names, "link")
        elif kind == "carried":
            known(chosen[0], self.load_names, "carried load")
        elif kind == "spring":
            known(chosen[0], (*self.joint_names, *self.drive_names, *self.passive_names), "joint with a spring")
        elif kind in ("friction", "rotor"):
            known(chosen[0], (*self.drive_names, *self.passive_names), "degree of freedom of a closed chain")
        elif kind == "preload":
            pass
        elif kind == "base":
            known(chosen[0], OF_BASE, "effect of the base's motion")
            for name in chosen[1:]:
                self._known_mover(name)
        else:
            for name in chosen:
                self._known_mover(name)
            chosen = tuple(sorted(chosen, key=self.movers.index))
            if kind == "coriolis" and chosen[0] == chosen[1] not in self.with_themselves:
                raise ValueError(f"'{chosen[0]}' makes no Coriolis term with itself: its own is "
                                 f".centrifugal[joint, '{chosen[0]}']")
        return (kind, chosen), link

    def _known_mover(self, name: str) -> None:
        several = [mover for mover in self.movers if mover.startswith(f"{name}.")]
        if name not in self.movers and several:
            raise ValueError(f"joint '{name}' has several degrees of freedom, {', '.join(several)}: name one, or "
                             "ask for load_breakdown(..., by='joint')")
        known(name, self.movers, "moving joint or degree of freedom")


def _usage(kind: Kind) -> str:
    named = {
        "coriolis": "[joint, moving, moving]",
        "gravity": "[joint, link]",
        "external": "[joint, link]",
        "carried": "[joint, load]",
        "base": "[joint, 'inertial'], [joint, 'centrifugal'] or [joint, 'coriolis', moving]",
        "preload": "[joint]",
    }.get(kind, "[joint, moving]")
    return f"{named}, and by link with the name of the link that carries it after them"


@functools.lru_cache(maxsize=64)
def index_of(
    robot: ClosableRobot,
    by: Any = "freedom",
    by_link: bool = False,
    external: frozenset[str] = frozenset(),
    given: tuple[str, ...] = (),
) -> Index:
    """What the rows of `robot.load_terms` are; `given` are the base's motions that are given."""
    options: dict[str, Any] = {"by": by, "by_link": by_link, "external": external}
    options |= {name: name in given for name in BASE_MOTION}
    mechanism = plain(robot)
    moving = [body for body in mechanism.bodies if body.motion.dof]
    freedoms = [name for body in moving for name in freedom_names(body)]
    movers = [body.joint.name for body in moving] if by == "joint" else freedoms
    several = frozenset(body.joint.name for body in moving if by == "joint" and body.motion.dof > 1)
    names = robot.closed_joint_names, robot.link_names, tuple(movers), by_link, several
    if not robot.held_by_loops:
        return Index(layout(mechanism, **options), *names)
    bending = frozenset(mechanism.link_frames[link].body for link, _ in robot.beams)
    closed = closed_layout(mechanism, **options, preload="preload" in given, bending=bending)
    drives = drive_names(robot)
    if by == "drive":
        names = *names[:2], tuple(robot.dof_names[k] for k in mechanism.split.independent), *names[3:]
    return Index(
        tuple(row.term for row in closed.rows),
        *names,
        sources=tuple(((source.kind, source.names), source.link) for source in closed.sources),
        drive_names=drives,
        passive_names=tuple(name for name in robot.dof_names if name not in drives),
    )


def count_terms(robot: ClosableRobot, variant: Any) -> dict[str, int]:
    """The sizes of the signature of `load_terms` for a variant of it: `t` terms; of a closed chain also `u` sources,
    `a` drives and `s` entries of a status.
    """
    choices = dict(variant.choices)
    links = frozenset(link for link, _ in variant.external)
    by, by_link = choices.get("by", "freedom"), choices.get("by_link", False)
    index = index_of(robot, by, by_link, links, variant.given)
    return {"t": len(index.terms), "u": len(index.sources), "a": len(index.drive_names), "s": ENTRIES}
