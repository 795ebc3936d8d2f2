"""All that is wrong with a URDF file, not only the first thing: for those who want to mend it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.urdf_elements import read_joint, read_link
from loadpath.files.urdf_shapes import ShapeReader
from loadpath.files.urdf_vocabulary import urdf_watch
from loadpath.files.xml_node import Node
from loadpath.files.xml_reading import XmlElement
from loadpath.robot.parts import Joint, Link

T = TypeVar("T")


@dataclass(frozen=True)
class ReadableParts:
    """The links and joints of a file that can be read, and why the others cannot."""

    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    problems: tuple[str, ...]
    """A sentence each, with file, line and owner."""


def readable_parts(root: XmlElement, source: str, assets: Assets) -> ReadableParts:
    """What can be read of a file, element by element."""
    robot = Node(root, "robot", source)
    problems: list[str] = []
    watch = urdf_watch()
    _tried(lambda: watch.look(robot), problems)
    shapes = ShapeReader(robot, assets)
    links = _parts(robot, "link", lambda node: read_link(node, watch, shapes), problems)
    joints = _parts(robot, "joint", lambda node: read_joint(node, watch), problems)
    problems += _misplaced(robot, joints)
    return ReadableParts(tuple(links), tuple(joints), tuple(dict.fromkeys(problems)))


def _tried(read: Callable[[], T], problems: list[str]) -> T | None:
    try:
        return read()
    except ModelError as problem:
        problems.append(str(problem))
        return None


def _parts(robot: Node, tag: str, read: Callable[[Node], T], problems: list[str]) -> list[T]:
    found: list[T] = []
    first: dict[str, Node] = {}
    for node in robot.children(tag):
        name = _tried(lambda node=node: node.text("name"), problems)  # type: ignore[misc]
        owned = replace(node, owner=f"{tag} '{name}'")
        if name is not None and name in first:
            problems.append(f"{owned.place}: duplicate name: there is one already{first[name].line}")
            continue
        made = _tried(lambda owned=owned: read(owned), problems)  # type: ignore[misc]
        if made is not None:
            found.append(made)
        if name is not None:
            first[name] = owned
    return found


def _misplaced(robot: Node, joints: list[Joint]) -> Iterator[str]:
    """Joints whose links or whose mimicked joint are nowhere in the file, and links with two parents."""
    source = robot.source
    links = {node.element.attributes.get("name") for node in robot.children("link")}
    names = {node.element.attributes.get("name") for node in robot.children("joint")}
    lines = {node.element.attributes.get("name"): node.line for node in robot.children("joint")}
    parents: dict[str, str] = {}
    for joint in joints:
        place = f"{source}{lines[joint.name]}: joint '{joint.name}'"
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in links:
                yield f"{place}: its {role} link '{link}' is not there"
        if joint.mimic is not None and joint.mimic.joint not in names:
            yield f"{place} mimics the joint '{joint.mimic.joint}', which is not there"
        if joint.child in parents:
            yield f"{place}: link '{joint.child}' is the child of joint '{parents[joint.child]}' already"
        parents.setdefault(joint.child, joint.name)
    roots = [link for link in links if link is not None and link not in parents]
    if len(roots) > 1 and len(joints) == len(names):
        listed = ", ".join(f"'{link}'" for link in sorted(roots)[:8])
        said = f"{len(roots)} links have no parent ({listed}), but only the base may have none"
        yield f"{source}: the robot is in pieces: {said}"
