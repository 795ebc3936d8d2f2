"""From the joint frames of links to world axes: twists, momenta and inertias of elastic models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.cached import kept
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.structure.beams.piece_constants import Mass
from loadpath.structure.quantities import at_once

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities


def moved_by(twist: Floats, at: Floats, axes: Floats, own: Floats) -> Floats:
    """(modes, points, 3): what lies before a piece moves its start and turns it by twists (modes, 6); on top of that
    its own shape (points, 3, modes) in beam axes.
    """
    moved = twist[:, None, :3] + np.cross(twist[:, None, 3:], at[None])
    result: Floats = moved + np.einsum("ij,xjm->mxi", axes, own)
    return result


def frames_of_joints(arm: ElasticQuantities, q: ArrayLike, *, cut: bool = False) -> tuple[Floats, Floats, Floats]:
    """Rotations (..., links, 3, 3) and origins (..., links, 3) of the links' joint frames in the world; and the origins
    of the link frames. `cut`: the arm is the tree of a robot with loops, for which nothing is compiled for few states.
    """
    poses = np.asarray(at_once(arm.link_poses, q) if cut else arm.link_poses(q), dtype=float)
    frames = poses @ _offsets(arm)
    return frames[..., :3, :3], frames[..., :3, 3], poses[..., :3, 3]


@kept()
def _offsets(arm: ElasticQuantities) -> Floats:
    """(links, 4, 4): the joint frame of each link in its link frame."""
    carrying = {joint.child: joint.link_offset.inverse().matrix for joint in arm.joints}
    return np.array([carrying.get(name, np.eye(4)) for name in arm.link_names])


def product(A: Floats, B: Floats) -> Floats:
    """Products of matrices (states, i, j) with others (states, j, k), or with one (1, j, k) for all."""
    if len(B) > 1:
        return A @ B
    result: Floats = (A.reshape(-1, A.shape[-1]) @ B[0]).reshape(*A.shape[:-1], B.shape[-1])
    return result


def carried_inertias(inertias: Floats, R: Floats, p: Floats) -> Floats:
    """Spatial inertias (..., bodies, 6, 6) in world axes about the world's origin."""
    X = np.zeros((*R.shape[:-2], 6, 6))  # takes a twist about the world's origin to one in link axes
    back = np.swapaxes(R, -1, -2)
    X[..., :3, :3] = X[..., 3:, 3:] = back
    X[..., :3, 3:] = -back @ skew(p)
    result: Floats = np.swapaxes(X, -1, -2) @ inertias @ X
    return result


def skew(v: Floats) -> Floats:
    """Matrices (..., 3, 3) of the cross products with vectors."""
    result = np.zeros((*v.shape, 3))
    result[..., 0, 1], result[..., 0, 2], result[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    return result - np.swapaxes(result, -1, -2)


def spatial(mass: Mass) -> Floats:
    """6 x 6: what a velocity of the origin and an angular velocity give of momentum and angular momentum."""
    result = np.zeros((6, 6))
    result[:3, :3] = mass.mass * np.eye(3)
    result[3:, :3] = skew(mass.moment)
    result[:3, 3:] = result[3:, :3].T
    result[3:, 3:] = mass.tensor
    return result
