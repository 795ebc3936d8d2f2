"""The generalized variables of Lau's thesis (4-1 to 4-7): what a unit of each speed does to a link.

The selection vector s of a freedom is the direction that it turns about or slides along. In the axes of a link it turns
the link by delta = A^T s if it turns, else not at all, and displaces the link's origin by mu = A^T (s x d), or by
mu = A^T s if it slides. Joints that mimic others are added to those that they follow; a freedom that does not move the
link has zeros.
"""

from __future__ import annotations

from loadpath.formulations.generalized_coefficients import Displacement, displacement
from loadpath.formulations.generalized_motion import freedoms, path
from loadpath.mechanics.joint_motion import joint_columns
from loadpath.mechanics.kinematics import frame_placement, placements
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, zeros


def selection_vectors(mechanism: Mechanism, q: Array) -> Array:
    """s of every speed, (n, 3), in the frame of its joint after the motion, where the thesis writes it (4-1 to 4-3).

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import array
    >>> selection_vectors(plain(catalog.lau_arm()), array([0.1, 0.2, 0.3])).tolist()
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]
    """
    s = zeros(mechanism.n, 3)
    for body in mechanism.bodies:
        if body.joint.mimic is None and body.motion.dof:
            for k, (angular, linear) in enumerate(joint_columns(body, q)):
                s[body.v.start + k] = angular if body.motion.angular[k] else linear
    return s


def variables(mechanism: Mechanism, q: Array, link: str) -> list[Displacement]:
    """delta and mu of a link for every speed, in the axes of the link's frame, mu of its origin.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import array
    >>> [(found.mu + 0.0).tolist() for found in variables(plain(catalog.lau_arm()), array([0.0, 0.0, 1.0]), "rod")]
    [[-0.3, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]]
    """
    places = placements(mechanism, q)
    frame = mechanism.link_frames[link]
    at = frame_placement(mechanism, places, frame)
    inboard = set() if frame.body == BASE else set(path(mechanism, frame.body))
    found = [Displacement(zeros(3), zeros(3)) for _ in range(mechanism.n)]
    for freedom in freedoms(mechanism, q, places):
        if freedom.body in inboard:
            delta, mu = displacement(freedom.angular, freedom.linear, freedom.origin, at)
            before = found[freedom.speed]
            found[freedom.speed] = Displacement(before.delta + delta, before.mu + mu)
    return found


def rotations(mechanism: Mechanism, q: Array, link: str) -> Array:
    """delta of a link, (n, 3) (4-4, 4-5).

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import array
    >>> (rotations(plain(catalog.lau_arm()), array([0.0, 0.0, 1.0]), "rod") + 0.0).tolist()
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    return _rows([found.delta for found in variables(mechanism, q, link)])


def displacements(mechanism: Mechanism, q: Array, link: str) -> Array:
    """mu of a link, (n, 3) (4-6, 4-7).

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import array
    >>> displacements(plain(catalog.lau_arm()), array([0.0, 0.0, 1.0]), "rod")[1].tolist()
    [0.0, 0.0, 1.0]
    """
    return _rows([found.mu for found in variables(mechanism, q, link)])


def all_rotations(mechanism: Mechanism, q: Array) -> Array:
    """delta of all links, (links, n, 3).

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> all_rotations(plain(catalog.lau_arm()), zeros(3)).shape
    (4, 3, 3)
    """
    return _of_links(mechanism, [rotations(mechanism, q, link) for link in mechanism.link_frames])


def all_displacements(mechanism: Mechanism, q: Array) -> Array:
    """mu of all links, (links, n, 3).

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> all_displacements(plain(catalog.lau_arm()), zeros(3)).shape
    (4, 3, 3)
    """
    return _of_links(mechanism, [displacements(mechanism, q, link) for link in mechanism.link_frames])


def _rows(vectors: list[Array]) -> Array:
    result = zeros(len(vectors), 3)
    for k, v in enumerate(vectors):
        result[k] = v
    return result


def _of_links(mechanism: Mechanism, parts: list[Array]) -> Array:
    result = zeros(len(parts), mechanism.n, 3)
    for k, part in enumerate(parts):
        result[k] = part
    return result
