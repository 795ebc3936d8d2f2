"""What a link can share with its parent: bodies that a joint's motion leaves as they are and that load none of its
speeds. A thin rod on a revolute axis is one: whether it turns with the child or stays with the parent changes nothing.

Everything is over any scalar: ten parameters are a vector, and the move to another frame is a 10 x 10 matrix.
"""

from __future__ import annotations

import numpy as np

from loadpath.identification.grouping import group
from loadpath.identification.parameters import TENSOR, DynamicParameters
from loadpath.quantities.table import RobotQuantities
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import JointType
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Joint, Link
from loadpath.scalars import Array, array, inertia_tensor, outer, scale, symmetric_product, zeros
from loadpath.scalars.types import Floats

PAIRS = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))
"""Rows and columns of the tensor's entries in the order of the parameters."""


def moved(R: Array, p: Array) -> Array:
    """Matrix that takes the ten parameters of a body from a frame with that pose to the frame that the pose is in.

    >>> point_mass = array([2, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    >>> (moved(array([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), array([3, 0, 0])) @ point_mass).tolist()
    [2, 6, 0, 0, 0, 0, 18, 0, 0, 18]
    """
    columns = []
    for k in range(10):
        ten = [int(i == k) for i in range(10)]
        m, c = ten[0], R @ array(ten[1:4])
        tensor = R @ array([[ten[TENSOR[i][j]] for j in range(3)] for i in range(3)]) @ R.T
        gained = inertia_tensor(outer(p, p) if m else symmetric_product(p, c))  # no halves: whole numbers stay whole
        columns.append([m, *(c + scale(m, p)), *((tensor + gained)[i, j] for i, j in PAIRS)])
    return array(columns).T


def shared(motion: JointType) -> Floats:
    """(10, k): a basis of what a joint with its axis on z lets a link share with its parent, in whole numbers."""
    found = np.zeros((10, 10))
    for k in range(10):
        ten = np.eye(10)[k]
        m, c, tensor = motion.shared_with_parent(float(ten[0]), ten[1:4], ten[np.array(TENSOR)])
        found[:, k] = [m, *c, *(tensor[i, j] for i, j in PAIRS)]
    distinct = found[:, np.abs(found).any(axis=0)]
    return np.unique(distinct, axis=1)


def loaded_on_ground(motion: JointType, gravity: Vector3) -> list[int]:
    """Which of the ten parameters, in the frame of a joint on the ground with gravity in it, load the joint at all.

    >>> from loadpath.robot.joints import Prismatic, Revolute
    >>> loaded_on_ground(Revolute(), (0.0, 0.0, -9.81)), loaded_on_ground(Prismatic(), (0.0, 0.0, -9.81))
    ([9], [0])
    """
    links = (Link("ground"), Link("link", Inertia.from_moments(1.0, ixx=0.3, iyy=0.4, izz=0.5)))
    alone = RobotQuantities("alone", links, (Joint("joint", "ground", "link", motion),), gravity)
    # The model is enough: too few states are asked for to compile anything.
    idle = group(DynamicParameters(alone), 1e-4).idle
    return [j - 10 for j in range(10, 20) if j not in idle]


def as_columns(matrix: Floats) -> Array:
    """A matrix of whole numbers as scalars that stay exact."""
    result = zeros(*matrix.shape)
    for index in np.ndindex(matrix.shape):
        result[index] = int(matrix[index])
    return result
