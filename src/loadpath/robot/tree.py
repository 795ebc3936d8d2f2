"""Whether links and joints make a tree, in which order, and what is suspicious about them."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.inertia import Inertia
from loadpath.robot.numbers import nearest
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose
from loadpath.robot.units import unit_questions
from loadpath.scalars import Array, array
from loadpath.scalars.types import Floats

# Joints that move without inertia: robots whose mass matrix is singular in every configuration.
#
# A joint whose own links (the welded ones that it carries) have inertia along each of its speeds cannot be part of a
# singular mass matrix: of several moving joints, the one nearest to the base moves its links, and nothing undoes that.
# So one look at every joint settles it for nearly all robots. Only where the own links of a joint have none, the mass
# matrix is needed, at one configuration without special angles.


_SINGULAR, _ROUNDING = 1e-12, 1e-14
# A mass matrix of more speeds is not looked at: forward dynamics refuses what is singular in any case.
_MOST_SPEEDS = 300
_HERE = Pose()


def joints_without_inertia(links: Sequence[Link], joints: Sequence[Joint]) -> list[Joint]:
    """Joints (given with parents first) that neither inertia nor a rotor resists."""
    bodies = _carried(links, joints)
    if all(_resists(joint, bodies[joint.child]) for joint in joints if joint.motion.dof):
        return []
    return _without_pivot(joints, bodies)


def _carried(links: Sequence[Link], joints: Sequence[Joint]) -> dict[str, Inertia]:
    """For every link that a joint moves: all that is welded to it and itself, in the joint's frame after the motion."""
    inertia = {link.name: link.inertia for link in links}
    for joint in reversed(joints):
        if joint.motion.dof == 0 and not inertia[joint.child].is_zero:
            inertia[joint.parent] += _seen_from(joint.origin @ joint.link_offset, inertia[joint.child])
    return {j.child: _seen_from(j.link_offset, inertia[j.child]) for j in joints if j.motion.dof}


def _seen_from(pose: Pose, inertia: Inertia) -> Inertia:
    return inertia if pose == _HERE else inertia.seen_from(pose)


def _resists(joint: Joint, body: Inertia) -> bool:
    """Whether the own links of a joint, or its rotors, resist each of its speeds."""
    rotors = joint.reflected_inertia
    if all(rotor > 0 for rotor in rotors):
        return True
    if body.is_zero:
        return False
    motion, mass = joint.motion, body.mass
    subspace = motion.subspace(_generic(motion.neutral()))
    if len(subspace) == 1:
        return _resists_one(body, *subspace[0])
    columns, tensor = np.array([[*w, *v] for w, v in subspace], dtype=float), np.array(body.tensor)
    turning, c = columns[:, :3], np.array(body.center_of_mass)
    sliding = columns[:, 3:] + np.cross(turning, c)
    felt = mass * sliding @ sliding.T + turning @ tensor @ turning.T + np.diag(rotors)
    # What each speed could feel at most: the mass center as far from its axis as it is from the origin.
    most = mass * (columns[:, 3:] ** 2).sum(axis=1) + rotors
    most = most + (turning**2).sum(axis=1) * (np.abs(tensor).sum() + mass * float(c @ c))
    if not (most > 0).all():
        return False
    scaled = felt / np.sqrt(np.outer(most, most))
    return bool(np.linalg.eigvalsh(scaled)[0] > _SINGULAR)


def _resists_one(body: Inertia, angular: Array, linear: Array) -> bool:
    """The same for a joint with one speed, of which most are, without arrays: it is asked of every robot."""
    (wx, wy, wz), (vx, vy, vz), (x, y, z), t = angular, linear, body.center_of_mass, body.tensor
    sliding = (vx + wy * z - wz * y) ** 2 + (vy + wz * x - wx * z) ** 2 + (vz + wx * y - wy * x) ** 2
    turning = wx * wx * t[0][0] + wy * wy * t[1][1] + wz * wz * t[2][2]
    turning += 2 * (wx * wy * t[0][1] + wx * wz * t[0][2] + wy * wz * t[1][2])
    # At most: with the mass center as far from the axis as it is from the origin.
    at_most = sum(abs(entry) for row in t for entry in row) + body.mass * (x * x + y * y + z * z)
    most = body.mass * (vx * vx + vy * vy + vz * vz) + (wx * wx + wy * wy + wz * wz) * at_most
    return bool(body.mass * sliding + turning > _SINGULAR * most)


def _generic(neutral: Sequence[float], first: int = 0) -> Array:
    """Coordinates without special angles; of a quaternion only its direction counts."""
    return array([x + 0.3 + 0.7 * math.sin(1.0 + 2.0 * (first + k)) for k, x in enumerate(neutral)])


# The mass matrix, where it is needed


def _without_pivot(joints: Sequence[Joint], bodies: Mapping[str, Inertia]) -> list[Joint]:
    own = [joint for joint in joints if joint.mimic is None and joint.motion.dof]
    start = dict(zip((j.name for j in own), np.cumsum([0, *(j.motion.dof for j in own)]).tolist(), strict=False))
    n = sum(joint.motion.dof for joint in own)
    if not 0 < n <= _MOST_SPEEDS:
        return []
    M, rounding = _mass_matrix(joints, bodies, start, n)
    pivots, found = M.copy(), []
    for k in reversed(range(n)):
        size, pivot = float(M[k, k]), float(pivots[k, k])
        if abs(pivot) <= max(_SINGULAR * abs(size), float(rounding[k])):
            found.append(next(joint for joint in reversed(own) if start[joint.name] <= k))
            continue
        pivots[:k, :k] -= np.outer(pivots[:k, k], pivots[k, :k]) / pivot
    return list(dict.fromkeys(reversed(found)))


def _mass_matrix(
    joints: Sequence[Joint], bodies: Mapping[str, Inertia], start: Mapping[str, int], n: int
) -> tuple[Floats, Floats]:
    """Sum of J' I J over the bodies, at a generic configuration, and what of its diagonal may be rounding."""
    by_name = {joint.name: joint for joint in joints}
    pose: dict[str, Pose] = {}
    twist: dict[str, Floats] = {}  # of each link, (6, n): angular velocity, velocity of the body's point at the origin
    M, largest = np.zeros((n, n)), np.zeros(n)
    for joint in joints:
        parent = pose.get(joint.parent, _HERE)
        J = twist.get(joint.parent, np.zeros((6, n)))
        leader, multiplier = joint, 1.0
        while leader.mimic is not None:
            multiplier *= leader.mimic.multiplier
            leader = by_name[leader.mimic.joint]
        q = _generic(joint.motion.neutral(), start.get(leader.name, 0))
        turn, shift = joint.motion.placement(joint.motion.normalised(q))
        at = parent @ joint.origin @ Pose(turn.matrix().astype(float).tolist(), shift.astype(float).tolist())
        if joint.motion.dof:
            J = J.copy()
            for k, (w, v) in enumerate(joint.motion.subspace(q)):
                angular = multiplier * at.R @ w.astype(float)
                linear = multiplier * at.R @ v.astype(float) - np.cross(angular, at.p)
                J[:, start[leader.name] + k] += np.concatenate([angular, linear])
            body = bodies[joint.child]
            c = at.transform(body.center_of_mass)
            speed = J[3:] + np.cross(J[:3], c, axisa=0, axisb=0, axisc=0)
            tensor = at.R @ np.array(body.tensor) @ at.R.T
            M += body.mass * speed.T @ speed + J[:3].T @ tensor @ J[:3]
            turned, moved = np.linalg.norm(J[:3], axis=0), np.linalg.norm(J[3:], axis=0)
            largest += body.mass * (moved + turned * np.linalg.norm(c)) ** 2 + turned**2 * np.abs(tensor).sum()
            rotors = multiplier**2 * np.array(joint.reflected_inertia)
            rows = np.arange(start[leader.name], start[leader.name] + joint.motion.dof)
            M[rows, rows] += rotors
        pose[joint.child], twist[joint.child] = at @ joint.link_offset, J
    return M, _ROUNDING * largest


_LOOP = "robot.with_loop(...), in URDF with <loop> in place of that <joint>"


def parents_first(robot: str, links: Iterable[Link], joints: Sequence[Joint]) -> tuple[Joint, ...]:
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


def check_mimics(joints: Sequence[Joint]) -> None:
    by_name = {joint.name: joint for joint in joints}
    for follower, followed in followed_joints(joints).items():
        dof = by_name[followed].motion.dof
        if dof != 1:
            raise ModelError(f"joint '{follower}' mimics '{followed}', which has {dof} degrees of freedom: only a "
                             "joint with one can be followed")


def followed_joints(joints: Sequence[Joint]) -> dict[str, str]:
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
