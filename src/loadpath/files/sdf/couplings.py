"""Joints of SDF that follow others: `<mimic>`, and the type gearbox, which is a ratio of two joints and no joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from loadpath.files.sdf.frames import Frame, body_of, pose_between
from loadpath.files.sdf.graph import Edge
from loadpath.files.sdf.joints import ReadJoint
from loadpath.files.sdf.models import FoundJoint
from loadpath.files.sdf.values import number_in
from loadpath.files.urdf_places import placed
from loadpath.robot.loops import Coupling
from loadpath.robot.parts import Joint, Mimic


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


def gearbox(found: FoundJoint, read: ReadJoint, edges: Sequence[Edge], joints: Mapping[Frame, Joint]) -> Coupling:
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


def _turn(read: ReadJoint, axis: int, reference: Frame, body: Frame, edges: Sequence[Edge],
          joints: Mapping[Frame, Joint]) -> tuple[str, float]:
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
