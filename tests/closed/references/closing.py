"""Closed configurations by a Newton method of its own: what each joint type asks of two poses, written out.

Shares no equation with the library: neither the assembly nor the held directions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from closed.references.maximal import Maximal, tilde

Array = np.ndarray
STEP = 1e-6


def asked(motion: Any, R: Array, b: Array) -> Array:
    """What a joint type asks of the pose (R, b) of its child frame in its parent frame to be zero (m, or sines)."""
    kind = type(motion).__name__
    same = [*(R - np.eye(3)).ravel()]
    axis = np.array(getattr(motion, "axis", (0.0, 0.0, 1.0)))
    off_line, parallel = tilde(axis) @ b, R @ axis - axis
    asks = {
        "Fixed": lambda: [*same, *b],
        "Revolute": lambda: [*parallel, *b],
        "Continuous": lambda: [*parallel, *b],
        "Prismatic": lambda: [*same, *off_line],
        "Cylindrical": lambda: [*parallel, *off_line],
        "Helical": lambda: [*parallel, *off_line, axis @ b - motion.pitch * (_angle(R, axis) - motion.zero)],
        "Universal": lambda: [np.array(motion.first) @ (R @ motion.second - motion.second), *b],
        "Spherical": lambda: [*b],
        "Planar": lambda: [*parallel, b[2]],
        "Translational": lambda: same,
        "PointOnLine": lambda: [*off_line],
        "PointOnPlane": lambda: [axis @ b],
    }
    return np.array(asks[kind]())


def _angle(R: Array, axis: Array) -> float:
    """Of a turn about the axis; for a pitch it counts within half a turn."""
    sine = axis @ np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2.0
    return float(np.arctan2(sine, (np.trace(R) - 1.0) / 2.0))


def open_by(model: Maximal, q: Array) -> Array:
    """How far all loops and couplings are from closed."""
    poses = model.poses(q)
    found = []
    for loop in model.loops:
        at, on = poses[loop.first] @ loop.at.matrix, poses[loop.second] @ loop.on.matrix
        between = np.linalg.inv(at) @ on
        found += [*asked(loop.motion, between[:3, :3], between[:3, 3])]
    for coupling in model.couplings:
        places = [q[model.robot.coordinate_names.index(name)] for name, _ in coupling.ratios]
        found.append(sum(c * x for (_, c), x in zip(coupling.ratios, places, strict=True)) - coupling.offset)
    return np.array(found)


def moved(robot: Any, q: Array, v: Array) -> Array:
    """Coordinates after a small motion; quaternions are turned by the rotation vector in their own axes."""
    result = np.array(q, dtype=float)
    for joint in robot.joints:
        if not joint.motion.dof or joint.mimic is not None:
            continue
        at, of = robot.q_slices[joint.name], robot.v_slices[joint.name]
        own, step = result[at], np.asarray(v, dtype=float)[of]
        if joint.motion.coordinates == joint.motion.dof:
            result[at] = own + step
            continue
        turn, k = step[-3:], len(own) - 4
        x, half = own[-4:], np.linalg.norm(turn) / 2.0
        part = turn * (np.sin(half) / (2.0 * half) if half > 1e-12 else 0.5)
        u, w = x[:3], x[3]
        c = np.cos(half)
        new = np.array([*(w * part + c * u + np.cross(u, part)), w * c - u @ part])
        slide = own[:k] + step[:k]
        if type(joint.motion).__name__ == "Free":
            y = tilde(u / np.linalg.norm(x))
            R = np.eye(3) + 2.0 * w / np.linalg.norm(x) * y + 2.0 * y @ y
            slide = own[:3] + R @ step[:3]
        result[at] = [*slide, *(new / np.linalg.norm(new))]
    return result


def closed(model: Maximal, q: Array, held: list[int] | None = None) -> Array:
    """The closed configuration near q, with the speeds `held` unmoved; raises ArithmeticError if none is found."""
    n = model.robot.n
    free = [k for k in range(n) if k not in (held or [])]
    for _ in range(60):
        gap = open_by(model, q)
        if np.abs(gap).max(initial=0.0) < 1e-13:
            return q
        J = np.array([(open_by(model, moved(model.robot, q, STEP * unit))
                       - open_by(model, moved(model.robot, q, -STEP * unit))) / (2.0 * STEP)
                      for unit in np.eye(n)[free]]).T
        step = np.zeros(n)
        step[free] = -np.linalg.lstsq(J, gap, rcond=1e-7)[0]
        q = moved(model.robot, q, step * min(1.0, 0.4 / max(np.abs(step).max(), 1e-300)))
    if np.abs(open_by(model, q)).max() < 1e-11:
        return q
    raise ArithmeticError(f"not closed: {np.abs(open_by(model, q)).max():.3g} is left")
