"""A few elastic coordinates for many: the shapes that a moving arm takes on.

In the coordinates of `vibration.basis` the stiffness matrix is the identity, so a mass matrix is a sum of its modes y,
each weighted with 1 / omega^2: low modes count most. The modes of several poses, with the joints held and with the
joints free, and the shapes under gravity there, all weighted so, are put side by side; the singular vectors with the
largest singular values span them best. They are orthonormal: the elastic energy is half the sum of the squares of the
new coordinates too.
"""

from __future__ import annotations

import numpy as np

from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats
from loadpath.structure.motion_in_time.assembly import Assembly

POSES = 6
"""In addition to the pose at the start."""
AT_START = 10.0
"""Weight of the pose at the start."""


def reduced_basis(assembly: Assembly, q: Floats, rotors: Floats, count: int) -> Floats:
    """(size, count): the most important shapes of an arm near the pose q and over its workspace. `assembly` has all
    elastic coordinates.
    """
    columns = []
    for k, pose in enumerate([q, *_poses(assembly.chain.arm, q)]):
        columns.append((AT_START if k == 0 else 1.0) * _shapes_of(assembly, pose, rotors, count))
    left = np.linalg.svd(np.concatenate(columns, axis=1), full_matrices=False)[0]
    result: Floats = left[:, :count]
    # A sign that does not depend on the linear algebra library: the largest entry is positive.
    result = result * np.sign(np.take_along_axis(result, np.abs(result).argmax(axis=0)[None], axis=0))
    return result


def _shapes_of(assembly: Assembly, q: Floats, rotors: Floats, count: int) -> Floats:
    """(size, shapes) of one pose."""
    n = assembly.n
    at = assembly(q, np.zeros(n), np.zeros((2, assembly.modes)))
    M = at.M.copy()
    M[:n, :n] += np.diag(rotors)
    held = M[n:, n:]
    free = held - M[n:, :n] @ np.linalg.pinv(M[:n, :n], hermitian=True) @ M[:n, n:]
    found = []
    for matrix in (held, free):
        values, vectors = np.linalg.eigh(matrix)
        found.append(vectors[:, ::-1][:, :count] * np.sqrt(np.maximum(values[::-1][:count], 0.0)))
    sag = at.bias[n:] / max(float(np.linalg.norm(at.bias[n:])), 1e-300)
    found.append(sag[:, None] * np.sqrt(max(float(sag @ held @ sag), 0.0)))  # weighted like a mode of this shape
    return np.concatenate(found, axis=1)


def _poses(arm: RobotModel, q: Floats) -> list[Floats]:
    """Poses within the limits of the joints, the same ones every time; turning joints without limits turn freely, a
    slide without limits stays where it is.
    """
    random = np.random.default_rng(0)
    poses = []
    for _ in range(POSES):
        pose = q.copy()
        for name, where in arm.q_slices.items():
            joint = arm.joint(name)
            if joint.motion.dof != 1 or joint.motion.coordinates != 1:
                continue
            lower, upper = joint.limits[0].lower, joint.limits[0].upper
            share = random.uniform()
            if np.isfinite(lower) and np.isfinite(upper):
                pose[where] = lower + share * (upper - lower)
            elif joint.motion.angular[0]:
                pose[where] = np.pi * (2 * share - 1)
        poses.append(pose)
    return poses
