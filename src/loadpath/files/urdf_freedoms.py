"""Joints of chosen freedoms in a URDF: an extension of this library, for which URDF has no word.

    <joint name="shoulder" type="generalized">
      <parent link="turntable"/> <child link="rod"/> <origin xyz="0 0.3 0"/>
      <freedom value="ry"> <limit lower="-1" upper="1" velocity="2" effort="50"/> </freedom>
      <freedom value="-x"> <dynamics damping="5"/> </freedom>
    </joint>

Each `<freedom>` is a word of `lp.Generalized`, "rx", "ry", "rz", "x", "y", "z", with a minus sign for the opposite
direction, or a kind with an axis in the joint frame, `<freedom type="turn" xyz="0 0.6 0.8"/>` or `type="slide"`. They
stand in the order in which the joint moves: turns, then slides along the turned axes. `<limit>` and `<dynamics>` are
those of the freedom. A `<loop>` of the type "generalized" has freedoms too, without these.
"""

from __future__ import annotations

from dataclasses import dataclass

from loadpath.files.urdf_places import placed
from loadpath.files.vocabulary import Watch
from loadpath.files.xml_node import Node
from loadpath.robot.joints import Generalized, JointType
from loadpath.robot.joints.freedom import FreedomLike

GENERALIZED = "generalized"
_KINDS = ("turn", "slide")


@dataclass(frozen=True)
class ReadFreedoms:
    """The motion that the `<freedom>` elements of a joint or loop make, and the elements."""

    motion: Generalized
    nodes: tuple[Node, ...]


def read_freedoms(node: Node, watch: Watch) -> ReadFreedoms:
    """The freedoms of a joint or loop of the type "generalized"."""
    if (axis := node.child("axis")) is not None:
        axis.fail('a generalized joint has no <axis>: its directions are those of <freedom value="rz"/> and the like')
    nodes = node.children("freedom")
    if not nodes:
        node.fail('a generalized joint needs a <freedom> for each way in which it moves, like <freedom value="rz"/>')
    for entry in nodes:
        watch.look(entry)
    given = tuple(_freedom(entry) for entry in nodes)
    for entry, freedom in zip(nodes, given, strict=True):
        with placed(entry):
            Generalized((freedom,))  # an error in one of them is reported at its line
    with placed(node):
        return ReadFreedoms(Generalized(given), tuple(nodes))


def _freedom(node: Node) -> FreedomLike:
    written = node.element.attributes
    if "value" in written:
        for other in ("type", "xyz"):
            if other in written:
                node.fail(f'<freedom> has both value and {other}: expected value="rz", or type="turn" and xyz="0 0 1"')
        return node.text("value").strip()
    kind = node.text("type") if "type" in written else None
    if kind not in _KINDS:
        said = "has neither value nor type" if kind is None else f"has the type '{kind}'"
        node.fail(f'<freedom> {said}: expected value="rz" and the like, or type="turn" or "slide" with xyz="0 0 1"')
    return kind, node.vector("xyz")


def refuse_freedoms(node: Node, kind: str, motion: JointType) -> None:
    """An error for `<freedom>` in a joint of another type, where it would not count; with a label it tells what belongs
    to one of several speeds (see `urdf_speeds`).
    """
    for entry in node.children("freedom"):
        if "label" in entry.element.attributes and motion.dof > 1:
            continue
        entry.fail(f"<freedom> belongs to a joint of the type '{GENERALIZED}', and this one is '{kind}'")
