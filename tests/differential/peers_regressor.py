"""Pinocchio's regressor in our order of parameters, about the frames of our links."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from differential.robots import Case
from references.to_pinocchio import Peer


def to_joint_frame(offset: np.ndarray) -> np.ndarray:
    """(10, 10): parameters m, m c, I (Pinocchio's order) about a link's frame into those about its joint's."""
    pairs = [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]

    def pseudo(p: np.ndarray) -> np.ndarray:
        tensor = np.zeros((3, 3))
        for value, (i, j) in zip(p[4:], pairs, strict=True):
            tensor[i, j] = tensor[j, i] = value
        P = np.zeros((4, 4))
        P[:3, :3] = np.trace(tensor) / 2 * np.eye(3) - tensor
        P[:3, 3] = P[3, :3] = p[1:4]
        P[3, 3] = p[0]
        return P

    columns = []
    for unit in np.eye(10):
        P = offset @ pseudo(unit) @ offset.T
        tensor = np.trace(P[:3, :3]) * np.eye(3) - P[:3, :3]
        columns.append([P[3, 3], *P[:3, 3], *(tensor[i, j] for i, j in pairs)])
    return np.array(columns).T


def peers_regressor(case: Case, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, peer: Peer | None = None) -> np.ndarray:
    """Columns in the order of `robot.link_names`; those of the base are left at zero."""
    peer = peer or case.peer
    whole = pin.computeJointTorqueRegressor(peer.model, peer.data, peer.q(q), peer.v(qd), peer.v(qdd))
    whole = np.reshape(whole, (peer.model.nv, -1))
    parts = [np.zeros((peer.robot.n, 10))]
    for link in case.robot.link_names[1:]:
        body = peer.body_of[link] - 1
        own = peer.speeds.T @ whole[:, 10 * body : 10 * body + 10]
        parts.append(own @ to_joint_frame(peer.offset_of[link].homogeneous))
    return np.hstack(parts)
