"""Link offsets in a URDF: a link whose frame is not that of its joint after the motion, as in standard DH tables.

URDF has no word for it, but it has welds: the joint moves a frame without mass, and a weld holds the link on it. So
every reader places the link right, and this one takes the two for one joint again where the weld says so:

    <joint name="joint1" type="revolute"> <child link="link1_at_joint1"/> ... </joint>
    <link name="link1_at_joint1"/>
    <joint name="link1_offset" type="fixed" link_offset="true">
      <parent link="link1_at_joint1"/> <child link="link1"/> <origin xyz="0.4 0 0"/>
    </joint>
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from loadpath.files.xml_node import Node
from loadpath.robot.joints import Fixed
from loadpath.robot.parts import Joint, Link


@dataclass(frozen=True)
class Parts:
    """Links and joints of a file with their elements."""

    links: list[Link]
    link_nodes: list[Node]
    joints: list[Joint]
    joint_nodes: list[Node]


def with_link_offsets(parts: Parts) -> Parts:
    """The same with every weld that is a link offset taken into the joint before it."""
    marked = [k for k, node in enumerate(parts.joint_nodes) if _is_marked(node)]
    if not marked:
        return parts
    joints = list(parts.joints)
    gone_links: set[str] = set()
    by_child = {joint.child: k for k, joint in enumerate(joints)}
    bare = {link.name for link in parts.links if link.inertia.is_zero and not link.shapes}
    for k in marked:
        node, weld = parts.joint_nodes[k], joints[k]
        if not isinstance(weld.motion, Fixed):
            node.fail('link_offset="true" is of a fixed joint, and this one moves')
        held = [joint.name for joint in joints if joint.parent == weld.parent]
        if weld.parent not in by_child or weld.parent not in bare or held != [weld.name]:
            node.fail(f"link_offset=\"true\", but its parent link '{weld.parent}' is more than a frame between two "
                      "joints: expected one without mass and shape, that a joint moves, with this child alone")
        before = by_child[weld.parent]
        moved = joints[before]
        joints[before] = replace(moved, child=weld.child, link_offset=moved.link_offset @ weld.origin)
        gone_links.add(weld.parent)
    kept = [k for k in range(len(joints)) if k not in marked]
    stay = [k for k, link in enumerate(parts.links) if link.name not in gone_links]
    return Parts(
        [parts.links[k] for k in stay],
        [parts.link_nodes[k] for k in stay],
        [joints[k] for k in kept],
        [parts.joint_nodes[k] for k in kept],
    )


def _is_marked(node: Node) -> bool:
    if "link_offset" not in node.element.attributes:
        return False
    written = node.text("link_offset")
    if written not in ("true", "false"):
        node.fail(f"link_offset is '{written}': expected true or false")
    return written == "true"
