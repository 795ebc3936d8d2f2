"""Loops and couplings of a URDF, in both spellings that there are for them.

URDF+ (Chignoli, Slotine, Wensing and Kim 2024, "URDF+: An Enhanced URDF for Robots with Kinematic Loops"):

    <loop name="pin" type="revolute">
      <predecessor link="coupler"> <origin xyz="0.4 0 0"/> </predecessor>
      <successor link="rocker"> <origin xyz="0.3 0 0"/> </successor>
      <axis xyz="0 1 0"/>
    </loop>
    <coupling name="belt">
      <predecessor link="motor"/> <successor link="wheel"/> <ratio value="0.5"/>
    </coupling>

and `independent="true|false"` of a `<joint>`, true if not written: those of a robot with loops are its drives. The
ratio is that of the turns: the joints between the common ancestor and the successor turn `ratio` times as far, in sum,
as those between it and the predecessor.

Of this library are a `<coupling>` of any speeds, with an offset if there is one,

    <coupling name="differential" offset="0.1"> <term speed="motor_a" factor="1"/> <term speed="wrist" factor="40"/> ...

and `near="..."` of a `<joint>`: its coordinates near a closed configuration, for a robot that is not closed when it is
not moved.

The proposal urdfdom#264: `<constraint name= type=>` with `<parent link=>`, `<parent_origin>`, `<parent_axis>`,
`<child link=>`, `<child_origin>` and, for a universal joint, `<child_axis>`; the type "link" is a weld, where a link
was cut in two. The axes of a universal joint are at right angles, each in the frame of its own link.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from loadpath.files.urdf.joints import GENERALIZED, JOINT_TYPES, motion_of, read_axes, read_freedoms, refuse_freedoms
from loadpath.files.urdf.words import placed, read_axis, read_origin, turn_z_to
from loadpath.files.vocabulary import Watch
from loadpath.files.xml_reading import Node
from loadpath.robot.joints import Fixed, Free, JointType, Prismatic, Revolute, Spherical, Universal
from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Joint
from loadpath.robot.pose import Pose

_LOOPS = tuple(word for word, kind in JOINT_TYPES.items() if kind is not Free)
_CONSTRAINTS = ("revolute", "prismatic", "universal", "spherical", "link")
_HELD: dict[str, Callable[[Vector3], JointType]] = {
    "revolute": Revolute,
    "prismatic": Prismatic,
    "spherical": lambda axis: Spherical(),
    "link": lambda axis: Fixed(),
}


def read_loop(node: Node, watch: Watch) -> Loop:
    """A `<loop>` of URDF+."""
    watch.look(node)
    kind = node.text("type")
    if kind not in (*_LOOPS, GENERALIZED):
        node.fail(f"type is '{kind}': expected one of {', '.join((*_LOOPS, GENERALIZED))}{_remedy(kind)}")
    first, second = _side(node, watch, "predecessor"), _side(node, watch, "successor")
    at, on = read_origin(first, watch), read_origin(second, watch)
    if kind == GENERALIZED:
        read = read_freedoms(node, watch)
        for freedom in read.nodes:
            if any(freedom.children(tag) for tag in ("limit", "dynamics", "drive")):
                freedom.fail("a joint that closes a loop has neither limits nor friction: take them out")
        motion: JointType = read.motion
    else:
        axes = read_axes(node, watch, kind)
        if kind == "planar":  # it slides across z and turns about it
            at, on = at @ turn_z_to(axes.axis), on @ turn_z_to(axes.axis)
        with placed(node):
            motion = motion_of(kind, axes)
        refuse_freedoms(node, kind, Fixed())
    with placed(node):
        return Loop(node.text("name"), first.text("link"), second.text("link"), motion, at, on)


def _remedy(kind: str) -> str:
    return "; a floating joint would hold nothing" if kind == "floating" else ""


def _side(node: Node, watch: Watch, tag: str) -> Node:
    side = node.needed_child(tag)
    watch.look(side)
    return side


def read_constraint(node: Node, watch: Watch) -> Loop:
    """A `<constraint>` as urdfdom#264 proposes it."""
    if node.children("predecessor") or node.children("successor"):
        node.fail("<constraint> with <predecessor> and <successor> is of a draft of URDF+: write it as "
                  '<loop type="revolute"> with an <axis>, or as <coupling> with a <ratio>')
    watch.look(node)
    written = node.text("type")
    kind = written.removesuffix("_joint")
    if kind not in _CONSTRAINTS:
        node.fail(f"type is '{written}': expected one of {', '.join(_CONSTRAINTS)}")
    parent, child = _side(node, watch, "parent"), _side(node, watch, "child")
    at, on = read_origin(node, watch, "parent_origin"), read_origin(node, watch, "child_origin")
    axis = read_axis(node, watch, "parent_axis", used=kind not in ("spherical", "link"))
    if kind == "universal":
        axes, on = _cross(axis, read_axis(node, watch, "child_axis"), on)
    elif kind in ("revolute", "prismatic") and node.child("child_axis") is not None:
        _refuse_second_axis(node, axis, read_axis(node, watch, "child_axis"), kind)
    with placed(node):
        motion = Universal(*axes) if kind == "universal" else _HELD[kind](axis)
        return Loop(node.text("name"), parent.text("link"), child.text("link"), motion, at, on)


def _refuse_second_axis(node: Node, axis: Vector3, second: Vector3, kind: str) -> None:
    """The axis of a hinge or a slide has the same numbers in both frames: another cannot be meant."""
    if not np.allclose(axis, second, atol=1e-6):
        node.fail(f"child_axis is {second}, parent_axis {axis}: a {kind} joint has one axis, given in both frames by "
                  "<parent_axis>; turn <child_origin> so that it agrees, and leave <child_axis> out")


def _cross(first: Vector3, second: Vector3, on: Pose) -> tuple[tuple[Vector3, Vector3], Pose]:
    """The axes of a universal joint and the frame of its child, turned so that at zero angles the axes cross at right
    angles.
    """
    a, b = np.array(first), np.array(second)
    across = b - (a @ b) * a
    if np.linalg.norm(across) < 1e-9:
        across = np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
    c = across / np.linalg.norm(across)
    turn = _smallest_turn(c, b)
    return (first, (float(c[0]), float(c[1]), float(c[2]))), on @ Pose(turn.tolist())


def _smallest_turn(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The rotation that takes one unit vector to another, not opposite to it."""
    v, c = np.cross(start, end), float(start @ end)
    skew = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    turn: np.ndarray = np.eye(3) + skew + skew @ skew / (1 + c)
    return turn


def read_coupling(node: Node, watch: Watch, joints: Sequence[Joint]) -> Coupling:
    """A `<coupling>` of URDF+ between the joints that move two links, or one of named speeds."""
    watch.look(node)
    if node.children("term"):
        return _read_terms(node, watch)
    first, second = _side(node, watch, "predecessor"), _side(node, watch, "successor")
    for side in (first, second):
        if read_origin(side, watch) != Pose():
            side.fail(f"<{side.tag}> of a <coupling> has an <origin>, which has no meaning there: take it out")
    ratio = node.needed_child("ratio")
    watch.look(ratio)
    value = ratio.number("value")
    if value == 0.0:
        ratio.fail("value of <ratio> is 0: expected the turns of the successor for one turn of the predecessor")
    before, after = _moving(node, first, joints), _moving(node, second, joints)
    common = {joint.name for joint in before} & {joint.name for joint in after}
    sides = [[joint for joint in side if joint.name not in common] for side in (before, after)]
    for side, moved in zip((first, second), sides, strict=True):
        if not any(joint.motion.dof for joint in moved):
            side.fail(f"no joint moves link '{side.text('link')}' against the link that both hang on: a coupling needs "
                      "one on either side")
    ratios: dict[str, float] = {}
    offset = 0.0
    for factor, moved in zip((value, -1.0), sides, strict=True):
        for joint in moved:
            if joint.motion.dof > 1:
                node.fail(f"joint '{joint.name}' between its links has {joint.motion.dof} degrees of freedom: a "
                          "coupling is one of joints with one; write it with robot.with_coupling")
            if joint.motion.dof:
                name, c, start = _source(joint, joints)
                ratios[name] = ratios.get(name, 0.0) + factor * c
                offset -= factor * start
    with placed(node):
        return Coupling(node.text("name"), tuple((name, c) for name, c in ratios.items() if c), offset)


def _read_terms(node: Node, watch: Watch) -> Coupling:
    """A `<coupling>` of any number of speeds, with a factor each: of this library."""
    for side in ("predecessor", "successor", "ratio"):
        if (found := node.child(side)) is not None:
            found.fail(f"<coupling> has both <term> and <{side}>: expected one way or the other")
    ratios = []
    for term in node.children("term"):
        watch.look(term)
        ratios.append((term.text("speed"), term.number("factor")))
    with placed(node):
        return Coupling(node.text("name"), tuple(ratios), node.number("offset", 0.0))


def _moving(node: Node, side: Node, joints: Sequence[Joint]) -> list[Joint]:
    """The joints between the base and a link, the base first."""
    by_child = {joint.child: joint for joint in joints}
    link, path = side.text("link"), list[Joint]()
    if link not in by_child and link not in {joint.parent for joint in joints}:
        side.fail(f"there is no link '{link}'")
    while link in by_child and len(path) <= len(joints):  # a circle is refused with the tree
        path.append(by_child[link])
        link = by_child[link].parent
    return path[::-1]


def _source(joint: Joint, joints: Sequence[Joint]) -> tuple[str, float, float]:
    """Which joint a joint follows in the end, with multiplier and offset; itself if it follows none."""
    by_name = {entry.name: entry for entry in joints}
    multiplier, offset = 1.0, 0.0
    for _ in range(len(joints)):
        if joint.mimic is None or joint.mimic.joint not in by_name:
            break
        offset += multiplier * joint.mimic.offset
        multiplier *= joint.mimic.multiplier
        joint = by_name[joint.mimic.joint]
    return joint.name, multiplier, offset


def read_independent(node: Node) -> bool | None:
    """Whether a `<joint>` is independent; None if it does not say."""
    if "independent" not in node.element.attributes:
        return None
    written = node.text("independent")
    if written.lower() not in ("true", "false"):
        node.fail(f"independent is '{written}': expected true or false")
    return written.lower() == "true"


def read_drives(nodes: Sequence[Node], joints: Sequence[Joint], watch: Watch) -> tuple[str, ...]:
    """The speeds that drive a robot with loops by URDF+: those of the joints not written `independent="false"`. None
    where no joint is written so: then they are chosen by rule.
    """
    said = [read_independent(node) for node in nodes]
    if False not in said:
        if True in said:
            watch.note('independent="true" is written and independent="false" is not, though loops make some joints '
                       "depend on others: the drives are chosen by rule, see robot.driven")
        return ()
    return tuple(
        f"{joint.name}.{label}" if label else joint.name
        for joint, value in zip(joints, said, strict=True)
        if value is not False and joint.mimic is None
        for label in joint.motion.labels
    )


def read_driven(root: Node, watch: Watch) -> tuple[str, ...]:
    """The speeds that `<driven> <term speed="..."/> ... </driven>` names, where some speeds of a joint are driven and
    others not, or their order is another one.
    """
    driven = root.child("driven")
    if driven is None:
        return ()
    watch.look(driven)
    for term in driven.children("term"):
        watch.look(term)
    return tuple(term.text("speed") for term in driven.children("term"))


def read_near(nodes: Sequence[Node], robot: RobotModel) -> tuple[float, ...]:
    """Coordinates near a closed configuration, where joints say theirs."""
    by_name = {node.text("name"): node for node in nodes}
    said = {name: node for name, node in by_name.items() if "near" in node.element.attributes}
    if not said:
        return ()
    found: list[float] = []
    for joint in robot.joints:
        if joint.mimic is None and joint.motion.dof:
            if joint.name not in said:
                by_name[joint.name].fail("near is written at other joints and not here: expected it at all that move")
            found += said[joint.name].numbers("near", joint.motion.coordinates)
    return tuple(found)
