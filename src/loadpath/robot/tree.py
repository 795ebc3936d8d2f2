"""Whether links and joints make a tree, in which order, and what is suspicious about them."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from loadpath.errors import ModelError
from loadpath.robot.names import nearest
from loadpath.robot.parts import Joint, Link
from loadpath.robot.singular import joints_without_inertia
from loadpath.robot.units import unit_questions

_LOOP = "robot.with_loop(...), in URDF with <loop> in place of that <joint>"


def parents_first(robot: str, links: Iterable[Link], joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
    """The joints, each after the joint that moves its parent, otherwise in the given order; checks the tree."""
    names = _unique((link.name for link in links), f"robot '{robot}': two links are named")
    _unique((joint.name for joint in joints), f"robot '{robot}': two joints are named")
    if not names:
        raise ModelError(f"robot '{robot}' has no links")
    parent_joint: dict[str, Joint] = {}
    for joint in joints:
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in names:
                raise ModelError(f"joint '{joint.name}': its {role} link '{link}' is not there{nearest(link, names)}")
        if joint.parent == joint.child:
            raise ModelError(f"joint '{joint.name}' joins link '{joint.child}' to itself")
        if joint.child in parent_joint:
            raise ModelError(f"link '{joint.child}' has two parents, by the joints "
                             f"'{parent_joint[joint.child].name}' and '{joint.name}': a robot is a tree; leave one of "
                             f"them out and close the loop with {_LOOP}")
        parent_joint[joint.child] = joint
    roots = [link for link in names if link not in parent_joint]
    if len(roots) > 1:
        raise ModelError(f"robot '{robot}' is in pieces: the links {', '.join(repr(r) for r in roots)} have no parent, "
                         "but only the base may have none")
    children: dict[str, list[int]] = {}
    for index, joint in enumerate(joints):
        children.setdefault(joint.parent, []).append(index)
    order: list[int] = []
    ready = sorted(children.get(roots[0], [])) if roots else []
    while ready:
        index = heapq.heappop(ready)
        order.append(index)
        for child in children.get(joints[index].child, []):
            heapq.heappush(ready, child)
    if len(order) < len(joints):
        looped = sorted({joints[i].name for i in range(len(joints))} - {joints[i].name for i in order})
        raise ModelError(f"robot '{robot}': the joints {', '.join(repr(j) for j in looped)} form a loop or hang on one:"
                         f" a robot is a tree; leave one of them out and close the loop with {_LOOP}")
    return tuple(joints[i] for i in order)


def _unique(names: Iterable[str], complaint: str) -> dict[str, None]:
    seen: dict[str, None] = {}
    for entry in names:
        if entry in seen:
            raise ModelError(f"{complaint} '{entry}'")
        seen[entry] = None
    return seen


def check_mimics(joints: tuple[Joint, ...]) -> None:
    by_name = {joint.name: joint for joint in joints}
    for follower, followed in followed_joints(joints).items():
        dof = by_name[followed].motion.dof
        if dof != 1:
            raise ModelError(f"joint '{follower}' mimics '{followed}', which has {dof} degrees of freedom: only a "
                             "joint with one can be followed")


def followed_joints(joints: tuple[Joint, ...]) -> dict[str, str]:
    """For each mimicking joint, the independent joint that it follows in the end; each chain is walked once."""
    by_name = {joint.name: joint for joint in joints}
    ends: dict[str, str] = {}
    for follower in joints:
        joint, chain = follower, {follower.name: None}
        while joint.mimic is not None and joint.name not in ends:
            if joint.mimic.joint not in by_name:
                raise ModelError(f"joint '{joint.name}' mimics the joint '{joint.mimic.joint}', which is not there"
                                 f"{nearest(joint.mimic.joint, by_name)}")
            joint = by_name[joint.mimic.joint]
            if joint.name in chain:
                raise ModelError(f"joint '{joint.name}' follows itself: {' -> '.join([*chain, joint.name])}")
            chain[joint.name] = None
        end = ends.get(joint.name, joint.name)
        ends.update({name: end for name in chain if name != end})
    return ends


def faults_of_links(links: Iterable[Link]) -> list[str]:
    """What is wrong with the inertias, each sentence naming the link, the condition and the numbers."""
    return [f"link '{link.name}': {fault}" for link in links for fault in link.inertia.faults()]


def massless_clusters(links: Iterable[Link], joints: Iterable[Joint]) -> list[tuple[Joint, list[str]]]:
    """Where a joint moves nothing that has mass: the joint, and the links it moves that are welded together."""
    mass = {link.name: link.inertia.mass for link in links}
    joints = tuple(joints)
    welded: dict[str, list[str]] = {}
    for joint in joints:
        if joint.motion.dof == 0:
            welded.setdefault(joint.parent, []).append(joint.child)
    found = []
    for joint in joints:
        if joint.motion.dof:
            cluster = {joint.child: None}
            waiting = [joint.child]
            while waiting:
                new = [link for link in welded.get(waiting.pop(), []) if link not in cluster]
                cluster.update(dict.fromkeys(new))
                waiting += new
            if not any(mass.get(link) for link in cluster):
                found.append((joint, list(cluster)))
    return found


def model_warnings(links: Iterable[Link], joints: Iterable[Joint], *, closed: bool = False) -> list[str]:
    """What is suspicious though it is kept as given: inertias no real body has, joints that move no mass or that no
    inertia resists, and numbers that look like ones in another unit. In a `closed` chain loops hold what has no mass of
    its own, so nothing is said of it.
    """
    links, joints = tuple(links), tuple(joints)
    massless = massless_clusters(links, joints) if not closed else []
    found = faults_of_links(links)
    found += [f"link '{joint.child}': no mass, though joint '{joint.name}' moves it" for joint, _ in massless]
    try:
        ordered = parents_first("", links, joints)
        check_mimics(ordered)  # a circle of mimics would be walked for ever
    except ModelError:  # reported when the robot is made
        return found
    known = {joint.name for joint, _ in massless}
    found += [
        f"link '{joint.child}': neither inertia nor a rotor resists joint '{joint.name}', which moves it, so forces do "
        "not determine its acceleration"
        for joint in (joints_without_inertia(links, ordered) if not closed else [])
        if joint.name not in known
    ]
    return found + unit_questions(links, ordered)
