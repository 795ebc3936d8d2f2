"""The pseudo-inertia of a body: the 4 x 4 matrix that is positive definite for real bodies and only for them.

    J = [ S   h ]      S = tr(I)/2 1 - I, the second moments of the mass; h = m c; I about the frame's origin
        [ h'  m ]

Positive definite means a positive mass, positive principal moments and the triangle inequality among them at once.

P. M. Wensing, S. Kim, J.-J. E. Slotine, Linear matrix inequalities for physically consistent inertial parameter
identification: a statistical perspective on the mass distribution, IEEE Robotics and Automation Letters 3 (2018),
60-67.
"""

from __future__ import annotations

import numpy as np

from loadpath.identification.parameters import TENSOR
from loadpath.scalars.types import Floats


def pseudo_inertia(ten: Floats) -> Floats:
    """The matrix of ten parameters.

    >>> pseudo_inertia(np.array([2.0, 1, 0, 0, 0.25, 0, 0.5, 0, 0, 0.75])).tolist()[0]
    [0.5, 0.0, 0.0, 1.0]
    """
    tensor = ten[np.array(TENSOR)]
    J = np.zeros((4, 4))
    J[:3, :3] = np.trace(tensor) / 2 * np.eye(3) - tensor
    J[:3, 3] = J[3, :3] = ten[1:4]
    J[3, 3] = ten[0]
    return J


def ten_parameters(J: Floats) -> Floats:
    """The ten parameters of a pseudo-inertia.

    >>> ten = np.array([2.0, 1, 0.5, 0, 0.1, 0.02, 0.6, 0, 0, 0.6])
    >>> bool(abs(ten_parameters(pseudo_inertia(ten)) - ten).max() < 1e-15)
    True
    """
    S = J[:3, :3]
    tensor = np.trace(S) * np.eye(3) - S
    upper = [tensor[0, 0], tensor[0, 1], tensor[1, 1], tensor[0, 2], tensor[1, 2], tensor[2, 2]]
    return np.array([J[3, 3], *J[:3, 3], *upper])


UNITS = np.stack([pseudo_inertia(unit) for unit in np.eye(10)])
"""(10, 4, 4): J is linear in the parameters, and these are its derivatives."""


def nearby_definite(J: Floats, least: float) -> Floats:
    """The matrix with its eigenvalues raised to `least` of their sum, where they are smaller."""
    values, vectors = np.linalg.eigh(J)
    floor = least * float(np.maximum(values, 0.0).sum())
    definite: Floats = vectors @ np.diag(np.maximum(values, floor)) @ vectors.T
    return J if values[0] >= floor else (definite + definite.T) / 2
