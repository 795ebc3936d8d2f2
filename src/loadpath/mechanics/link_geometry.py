"""Links as the classical formulations see them: by their mass centers, and in their own (Denavit-Hartenberg) frames.

A `Body` has its frame at its joint and its inertia about that frame's origin. The sources give every link a frame of
its own instead, which may sit elsewhere on it (in a standard DH table: at the next joint), and central inertias.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.robot.mechanism import BASE, Body, Frame, Mechanism
from loadpath.scalars import (
    Array,
    Rotation,
    Scalar,
    array,
    compose,
    inertia_tensor,
    is_zero,
    outer,
    rotation_from_matrix,
)


class CentralInertia(NamedTuple):
    """Mass, mass center in body axes from the body's origin, inertia tensor about the mass center in body axes."""

    mass: Scalar
    rho: Array
    tensor: Array


def central_inertia(body: Body) -> CentralInertia:
    """The inertia of a body about its mass center; a massless body, which has none, is seen from its origin.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.two_link(m1=2, l1=0.5))
    >>> central_inertia(arm.bodies[0]).rho.tolist()
    [0.5, 0.0, 0.0]
    """
    if is_zero(body.mass):
        if not all(is_zero(x) for x in body.moment):
            raise ValueError(f"body '{body.name}' has a first moment but no mass, so it has no mass center: this "
                             "formulation wants the robot in its own frames, with inertias as given")
        return CentralInertia(0.0, array([0.0, 0.0, 0.0]), body.inertia)
    rho = array([x / body.mass for x in body.moment])
    return CentralInertia(body.mass, rho, body.inertia - inertia_tensor(outer(rho, body.moment)))


class LinkInFrame(NamedTuple):
    """Where joint i and link i are, in link frames. All constant."""

    parent: int
    """Number of link i-1, or BASE."""
    E: Rotation
    """From the axes before the joint's motion to those of frame i-1; none for DH frames."""
    e: Array
    """From the origin of frame i-1 to the joint, in frame i-1; zero for DH frames."""
    frame: Frame
    """Frame i on the body that the joint moves."""
    mass: Scalar
    s: Array
    """From the origin of frame i to the mass center, in frame i."""
    tensor: Array
    """Inertia about the mass center, in frame i."""


def links_in_frames(mechanism: Mechanism) -> list[LinkInFrame]:
    """Every body with the frame of the link that it carries (the frame of the body, if there is no such link).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> links = links_in_frames(plain(lp.catalog.random_dh_arm(2, seed=1)))
    >>> [link.e.tolist() for link in links]                # a DH frame sits on the next joint's axis
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    frames: list[Frame] = []
    links = []
    for i, body in enumerate(mechanism.bodies):
        frame = mechanism.link_frames.get(body.name, Frame(i))
        frames.append(frame if frame.body == i else Frame(i))
        before = Frame(BASE) if body.parent == BASE else frames[body.parent]
        mass, rho, tensor = central_inertia(body)
        back = frames[i].rotation.T
        links.append(
            LinkInFrame(
                parent=body.parent,
                E=_simplest(compose(before.rotation.T, body.turn)),
                e=before.rotation.T @ (body.arm - before.origin),
                frame=frames[i],
                mass=mass,
                s=back @ (rho - frames[i].origin),
                tensor=back.tensor(tensor),
            )
        )
    return links


def _simplest(rotation: Rotation) -> Rotation:
    """The same rotation without the rounding of its product, if it is numeric."""
    entries = rotation.matrix()
    if all(isinstance(entry, (int, float, np.number)) for entry in entries.flat):
        return rotation_from_matrix(entries.astype(float).tolist())
    return rotation


def lineage(mechanism: Mechanism) -> list[list[int]]:
    """For every body the bodies from the base out to itself: those whose joints move it.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> lineage(plain(lp.catalog.two_link()))
    [[0], [0, 1], [0, 1, 2]]
    """
    paths: list[list[int]] = []
    for i, body in enumerate(mechanism.bodies):
        paths.append([i] if body.parent == BASE else [*paths[body.parent], i])
    return paths
