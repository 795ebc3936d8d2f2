"""What a URDF says of each speed of a joint: its limits, friction and drive.

URDF has `<limit>` and `<dynamics>` of a joint as a whole. Of this library are `<drive ratio= rotor_inertia=>` (or
`armature=`, felt at the joint), which others pass over, and, for a joint of several speeds, a `<freedom>` for each by
its label, with all three inside:

    <joint name="base" type="floating"> ...
      <freedom label="vx"> <limit lower="-1" upper="1" velocity="2" effort="50"/> <dynamics damping="0.1"/> </freedom>
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

from loadpath.files.urdf_places import placed
from loadpath.files.vocabulary import Watch
from loadpath.files.xml_node import Node
from loadpath.robot.joints import JointType
from loadpath.robot.parts import Limits

LARGEST = sys.float_info.max
"""What stands for an infinite limit, as readers in C++ do not know the word inf."""


@dataclass(frozen=True)
class Speeds:
    """For each speed of a joint what a file says of it."""

    limits: tuple[Limits, ...] = ()
    viscous: tuple[float, ...] = ()
    coulomb: tuple[float, ...] = ()
    ratio: tuple[float, ...] = ()
    rotor: tuple[float, ...] = ()
    armature: tuple[float, ...] = ()


def read_speeds(node: Node, watch: Watch, kind: str, motion: JointType) -> Speeds:
    """Limits, friction and drives of a joint that is not generalized."""
    labelled = node.children("freedom")
    dof = motion.dof
    if labelled and dof > 1:
        for tag in ("limit", "dynamics", "drive"):
            if (found := node.child(tag)) is not None:
                found.fail(f"<{tag}> beside <freedom label=...>: write it into the one for which it is")
        return speeds_of(_by_label(labelled, node, watch, motion), watch, kind)
    damping, friction = _dynamics(node, watch)
    limits = _limits(node, watch, kind)
    ratio, rotor, armature = _drive(node, watch)
    if dof > 1 and (damping or friction):
        watch.note(f"{node.owner}: damping {damping:g} and friction {friction:g} are taken for each of its "
                   f"{dof} speeds, as URDF does not say for which they are")
    if dof != 1 and (found := node.child("drive")) is not None:
        found.fail(f"<drive> of a {kind} joint does not say for which of its {dof} speeds it is: write it into a "
                   '<freedom label="...">')
    return Speeds(limits if dof == 1 else (), (damping,) * dof, (friction,) * dof, (ratio,) * dof, (rotor,) * dof,
                  (armature,) * dof)


def speeds_of(nodes: list[Node | None], watch: Watch, kind: str) -> Speeds:
    """What is written in the `<freedom>` of each speed; None where there is none."""
    limits, viscous, coulomb, drives = [], [], [], []
    for node in nodes:
        damping, friction = _dynamics(node, watch) if node is not None else (0.0, 0.0)
        found = _limits(node, watch, kind) if node is not None else ()
        limits.append(found[0] if found else Limits())
        viscous.append(damping)
        coulomb.append(friction)
        drives.append(_drive(node, watch) if node is not None else (1.0, 0.0, 0.0))
    return Speeds(tuple(limits), tuple(viscous), tuple(coulomb), *zip(*drives, strict=True))


def _by_label(nodes: list[Node], joint: Node, watch: Watch, motion: JointType) -> list[Node | None]:
    """The `<freedom>` of each speed, in the order of the speeds."""
    found: dict[str, Node] = {}
    for node in nodes:
        watch.look(node)
        label = node.text("label")
        if label not in motion.labels:
            node.fail(f"label of <freedom> is '{label}': the speeds of this joint are {', '.join(motion.labels)}")
        if label in found:
            node.fail(f"<freedom label=\"{label}\"> is there twice")
        found[label] = node
    return [found.get(label) for label in motion.labels]


def _dynamics(node: Node, watch: Watch) -> tuple[float, float]:
    """Damping and friction, zero if not given."""
    dynamics = node.child("dynamics")
    if dynamics is None:
        return 0.0, 0.0
    watch.look(dynamics)
    for part in ("damping", "friction"):
        if dynamics.number(part, 0.0) < 0:
            dynamics.fail(f"{part} is {dynamics.number(part, 0.0)}: expected zero or more")
    return dynamics.number("damping", 0.0), dynamics.number("friction", 0.0)


def _drive(node: Node, watch: Watch) -> tuple[float, float, float]:
    """Gear ratio, inertia of the rotor and armature, one and zeros if not given."""
    drive = node.child("drive")
    if drive is None:
        return 1.0, 0.0, 0.0
    watch.look(drive)
    for part in ("rotor_inertia", "armature"):
        if drive.number(part, 0.0) < 0:
            drive.fail(f"{part} is {drive.number(part, 0.0)}: expected zero or more")
    return drive.number("ratio", 1.0), drive.number("rotor_inertia", 0.0), drive.number("armature", 0.0)


def _limits(node: Node, watch: Watch, kind: str) -> tuple[Limits, ...]:
    limit = node.child("limit")
    if limit is None:
        if kind in ("revolute", "prismatic"):
            endless = "; one that turns without end is of the type 'continuous'" if kind == "revolute" else ""
            node.fail(f"a {kind} joint needs a <limit> with lower, upper, velocity and effort{endless}")
        return ()
    watch.look(limit)
    lower, upper = _bound(limit, "lower", 0.0), _bound(limit, "upper", 0.0)
    if kind == "continuous":
        lower, upper = -math.inf, math.inf
    elif kind not in ("fixed", "planar", "floating") and not {"lower", "upper"} & limit.element.attributes.keys():
        watch.note(f"{node.owner}: <limit> without lower and upper, which URDF takes for 0: it is not to move at all")
    velocity, effort = _bound(limit, "velocity"), _bound(limit, "effort")
    if kind == "fixed":
        return ()
    with placed(limit):
        return (Limits(lower, upper, velocity, effort),)


def _bound(limit: Node, part: str, default: float | None = None) -> float:
    """A limit, which may be infinite."""
    value = limit.number(part, default, infinite=True)
    return math.copysign(math.inf, value) if abs(value) >= LARGEST else value
