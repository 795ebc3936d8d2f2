"""From the joints of an SDF file, which may close loops, to a tree of links and the joints that close it.

The tree takes the joints in the order of the file; a joint between links that are joined already closes a loop. The
world is the base if a joint leads to it. Otherwise the base is the link that no joint carries, and of several the
canonical one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from loadpath.errors import ModelError
from loadpath.files.sdf.frames import SdfFrame, body_of, pose_between
from loadpath.files.sdf.joints import Axis, ReadJoint
from loadpath.files.sdf.models import FoundJoint
from loadpath.files.sdf.words import number_in
from loadpath.files.urdf.words import placed
from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.parts import Joint, Limits, Mimic


@dataclass(frozen=True)
class Edge:
    """A joint of the tree, and whether the tree passes it from its child to its parent."""

    joint: ReadJoint
    reverse: bool

    @property
    def ends(self) -> tuple[SdfFrame, SdfFrame]:
        """The parent and the child in the tree."""
        joint = self.joint
        return (joint.child, joint.parent) if self.reverse else (joint.parent, joint.child)

    def as_joint(self) -> Joint:
        """The joint of the robot; a mimic is set where all joints are known."""
        joint, (parent, child) = self.joint, self.ends
        axes = joint.in_order(self.reverse)
        motion = joint.motion(self.reverse)
        each: tuple[Axis, ...] = axes if axes else (Axis((0.0, 0.0, 1.0)),) * motion.dof
        with placed(joint.node):
            return Joint(
                joint.name,
                parent.name,
                child.name,
                motion,
                pose_between(parent, joint.frame),
                pose_between(joint.frame, child),
                viscous_friction=tuple(axis.damping for axis in each),
                coulomb_friction=tuple(axis.friction for axis in each),
                rotor_inertia=() if joint.gear_ratio is None else (joint.rotor_inertia,) * motion.dof,
                gear_ratio=() if joint.gear_ratio is None else (joint.gear_ratio,) * motion.dof,
                limits=tuple(axis.limits for axis in each),
                springs=tuple(() if axis.spring is None else (axis.spring,) for axis in each),
                armature=(joint.rotor_inertia,) * motion.dof if joint.gear_ratio is None else (),
            )


@dataclass(frozen=True)
class Graph:
    """A tree, its base, and what closes it."""

    base: SdfFrame
    edges: tuple[Edge, ...]
    closing: tuple[ReadJoint, ...]


def spanning_tree(model: str, links: Iterable[SdfFrame], joints: Iterable[ReadJoint], world: SdfFrame,
                  canonical: SdfFrame | None) -> Graph:
    """The tree of links, and the joints left over."""
    links, joints = list(links), list(joints)
    grounded = any(world in (joint.parent, joint.child) for joint in joints)
    bodies = [world, *links] if grounded else links
    group = {body: body for body in bodies}

    def leader(body: SdfFrame) -> SdfFrame:
        while group[body] is not body:
            group[body] = group[group[body]]
            body = group[body]
        return body

    carried: set[SdfFrame] = set()
    used: list[ReadJoint] = []
    # First the joints that carry a link that no other carries, then those that must be passed backwards.
    for backwards in (False, True):
        for joint in joints:
            apart = leader(joint.parent) is not leader(joint.child)
            if apart and not joint.closes and (backwards or (joint.child not in carried and joint.child is not world)):
                group[leader(joint.child)] = leader(joint.parent)
                carried.add(joint.child)
                used.append(joint)
    base = world if grounded else _base(links, carried, canonical)
    pieces = [body.name for body in bodies if leader(body) is not leader(base)]
    if pieces:
        first = ", ".join(f"'{name}'" for name in pieces[:4])
        raise ModelError(f"model '{model}' is in pieces: no joint leads from '{base.name}' to {first}"
                         f"{' and more' if len(pieces) > 4 else ''}; a robot is one tree of links, so join them, or "
                         "leave the others out")
    edges = _outwards(base, used)
    order = {joint.frame: number for number, joint in enumerate(joints)}
    edges.sort(key=lambda edge: order[edge.joint.frame])
    left = tuple(joint for joint in joints if joint not in used)
    return Graph(base, tuple(edges), left)


def _base(links: list[SdfFrame], carried: set[SdfFrame], canonical: SdfFrame | None) -> SdfFrame:
    free = [link for link in links if link not in carried]
    if canonical in free or not free:
        return canonical or links[0]
    return free[0]


def _outwards(base: SdfFrame, joints: list[ReadJoint]) -> list[Edge]:
    """The joints of a tree with their directions away from the base."""
    at: dict[SdfFrame, list[ReadJoint]] = {}
    for joint in joints:
        at.setdefault(joint.parent, []).append(joint)
        at.setdefault(joint.child, []).append(joint)
    edges: list[Edge] = []
    reached, waiting = {base}, [base]
    while waiting:
        body = waiting.pop()
        for joint in at.get(body, []):
            reverse = joint.child is body
            other = joint.parent if reverse else joint.child
            if other not in reached:
                reached.add(other)
                waiting.append(other)
                edges.append(Edge(joint, reverse))
    return edges


def as_loop(joint: ReadJoint, notes: list[str]) -> Loop:
    """A joint that closes a loop: it has no coordinates, so neither limits nor forces of its own."""
    for axis in joint.axes:
        if axis.acts or axis.mimic is not None:
            what = "<mimic>" if axis.mimic is not None else "<dynamics>"
            joint.node.fail(f"it closes a loop, and {what} about it would not count: put it before the other joints of "
                            "the loop in the file, so that one of those closes it")
        if axis.limits != Limits():
            notes.append(f"{joint.node.owner}: it closes a loop, where limits are not used")
    if joint.rotor_inertia:
        joint.node.fail("it closes a loop, and a rotor at it would not count: put it before the other joints of the "
                        "loop in the file, so that one of those closes it")
    with placed(joint.node):
        return Loop(
            joint.name,
            joint.parent.name,
            joint.child.name,
            joint.motion(),
            pose_between(joint.parent, joint.frame),
            pose_between(joint.child, joint.frame),
        )


# Joints of SDF that follow others: `<mimic>`, and the type gearbox, which is a ratio of two joints and no joint.


def speed_name(edge: Edge, joint: Joint, axis: int) -> str:
    """The name of the speed about an axis of a joint."""
    labels = joint.motion.labels
    place = len(labels) - 1 - axis if edge.reverse else axis
    return f"{joint.name}.{labels[place]}" if labels[place] else joint.name


def with_mimics(edges: Sequence[Edge], joints: Sequence[Joint]) -> tuple[list[Joint], list[Coupling]]:
    """The joints that follow others: as mimics where both have one freedom, else coupled."""
    by_frame = {edge.joint.frame: (edge, joint) for edge, joint in zip(edges, joints, strict=True)}
    made, couplings = list(joints), list[Coupling]()
    for number, (edge, joint) in enumerate(zip(edges, joints, strict=True)):
        for axis, entry in enumerate(edge.joint.axes):
            if (mimic := entry.mimic) is None:
                continue
            if mimic.joint not in by_frame:
                mimic.node.fail(f"it follows '{mimic.joint.name}', which has no coordinate to follow")
            leading, leader = by_frame[mimic.joint]
            if mimic.axis >= leader.motion.dof or not leading.joint.axes:
                mimic.node.fail(f"it follows axis {mimic.axis + 1} of joint '{leader.name}', which has "
                                f"{len(leading.joint.axes)} axes")
            with placed(mimic.node):
                if joint.motion.dof == leader.motion.dof == 1 and not mimic.coupling:
                    made[number] = replace(joint, mimic=Mimic(leader.name, mimic.multiplier, mimic.offset))
                else:
                    ratios = ((speed_name(edge, joint, axis), 1.0),
                              (speed_name(leading, leader, mimic.axis), -mimic.multiplier))
                    name = mimic.coupling or f"{joint.name}_mimic{axis + 1}"
                    couplings.append(Coupling(name, ratios, mimic.offset))
    return made, couplings


def gearbox(found: FoundJoint, read: ReadJoint, edges: Sequence[Edge], joints: Mapping[SdfFrame, Joint]) -> Coupling:
    """The ratio of a gearbox: with angles from the reference body to the parent, about `<axis>`, and to the child,
    about `<axis2>`, the second is minus the ratio times the first.
    """
    node = found.node
    named = node.child("gearbox_reference_body")
    if named is None:
        node.fail("a gearbox needs a <gearbox_reference_body>, against which its two links turn")
    reference = body_of(found.scope.find(named.content(), named, "gearbox_reference_body"))
    ratio = number_in(node, "gearbox_ratio", 1.0)
    first = _turn(read, 0, reference, read.parent, edges, joints)
    second = _turn(read, 1, reference, read.child, edges, joints)
    with placed(node):
        return Coupling(read.name, ((second[0], second[1]), (first[0], ratio * first[1])))


def _turn(read: ReadJoint, axis: int, reference: SdfFrame, body: SdfFrame, edges: Sequence[Edge],
          joints: Mapping[SdfFrame, Joint]) -> tuple[str, float]:
    """The joint between the reference body and one of the links, and the sign of its angle about the given axis."""
    for edge in edges:
        joint = edge.joint
        if {joint.parent, joint.child} == {reference, body} and joint.kind in ("revolute", "continuous"):
            own = joint.axes[0].direction
            given = pose_between(joint.frame, read.frame).R @ np.array(read.axes[axis].direction)
            along = float(np.array(own) @ given)
            if abs(along) > 1 - 1e-9:
                forward = 1.0 if joint.child is body else -1.0
                return joints[joint.frame].name, forward * (1.0 if along > 0 else -1.0)
    read.node.fail(f"the gearbox turns '{body.name}' against '{reference.name}' about <axis{'2' if axis else ''}>, and "
                   "no revolute joint about that axis joins the two: expected one")
