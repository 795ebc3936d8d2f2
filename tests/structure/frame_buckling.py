"""Buckling of frames of finite elements (`frame_fe`): the textbooks' geometric stiffness of axial forces.

For frames that lie in a plane and buckle in it, the axial forces are all that counts (Przemieniecki, chapter 15).
Moments that make a frame leave its plane, and torques, are not in it: `lumped_chain` has these.
"""

from __future__ import annotations

import numpy as np
from frame_fe import Floats, Frame, element_stiffness
from scipy.linalg import eigh


def axial_forces(frame: Frame, load: Floats) -> list[float]:
    """Tension at the middle of every element, from the linear solution under nodal loads."""
    u = np.linalg.solve(frame.stiffness(), load)
    found = []
    for a, b, p, y in frame.beams:
        T, L = frame._axes(a, b, y)
        ends = T @ np.concatenate([frame.B(a) @ u, frame.B(b) @ u])
        found.append(float(element_stiffness(p, L)[6] @ ends))
    return found


def element_geometric(N: float, L: float) -> Floats:
    """12 x 12 of an element under tension N."""
    K = np.zeros((12, 12))
    for plane, s in (((1, 5, 7, 11), 1.0), ((2, 4, 8, 10), -1.0)):
        K[np.ix_(plane, plane)] += N / (30 * L) * np.array([
            [36, 3 * L * s, -36, 3 * L * s],
            [3 * L * s, 4 * L * L, -3 * L * s, -L * L],
            [-36, -3 * L * s, 36, -3 * L * s],
            [3 * L * s, -L * L, -3 * L * s, 4 * L * L],
        ])
    return K


def geometric_stiffness(frame: Frame, tensions: list[float]) -> Floats:
    """Of the whole frame."""
    K = np.zeros((frame.freedoms, frame.freedoms))
    for (a, b, _, y), N in zip(frame.beams, tensions, strict=True):
        T, L = frame._axes(a, b, y)
        B = np.vstack([frame.B(a), frame.B(b)])
        K += B.T @ T.T @ element_geometric(N, L) @ T @ B
    return K


def frame_factor(frame: Frame, load: Floats) -> float:
    """The factor on the loads at which the frame buckles."""
    K = frame.stiffness()
    values = eigh(-geometric_stiffness(frame, axial_forces(frame, load)), K, eigvals_only=True,
                  subset_by_index=(len(K) - 1, len(K) - 1))
    return 1 / float(values[0])
