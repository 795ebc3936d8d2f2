"""The same robot in Pinocchio, if that is installed: what `loadpath bench` is compared with."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

import loadpath as lp
from loadpath.scalars.types import Floats

CLOSE = 1e-9
"""Torques of both may differ by so much, relatively: else it is not the same robot that is timed."""


class Twin(NamedTuple):
    """Functions of the robot in Pinocchio, for one state, by the names that they have here."""

    version: str
    functions: Mapping[str, Callable[[], object]]


def twin_of(robot: lp.Robot, state: tuple[Floats, ...]) -> tuple[Twin | None, str | None]:
    """The robot in Pinocchio in a state, or why there is no comparison."""
    try:
        pin = importlib.import_module("pinocchio")
    except ImportError:
        return None, "Pinocchio is not installed, so nothing is compared with it: pip install pin"
    if type(robot) is not lp.Robot or any(joint.mimic is not None or joint.motion.dof > 1 for joint in robot.joints):
        return None, "Pinocchio is compared on robots of joints with one freedom, without loops, mimics and beams"
    bare = robot.without_friction().without_rotors().without_springs()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        try:
            model = pin.buildModelFromXML(bare.to_urdf())
        except (ValueError, RuntimeError) as problem:
            return None, f"Pinocchio does not take this robot: {problem}"
    model.gravity.linear = np.array(robot.gravity)
    data = model.createData()
    q, qd, qdd = _matched(bare, model, state)
    order = [bare.dof_names.index(name) for name in list(model.names)[1:]]
    theirs, ours = pin.rnea(model, data, q, qd, qdd), np.asarray(bare.inverse_dynamics(*state))[order]
    if np.abs(theirs - ours).max() > CLOSE * max(1.0, float(np.abs(ours).max())):
        return None, "Pinocchio computes other torques for this robot: nothing is compared"
    tau = theirs.copy()
    functions: dict[str, Callable[[], object]] = {
        "inverse_dynamics": lambda: pin.rnea(model, data, q, qd, qdd),
        "forward_dynamics": lambda: pin.aba(model, data, q, qd, tau),
        "mass_matrix": lambda: pin.crba(model, data, q),
        "gravity_forces": lambda: pin.computeGeneralizedGravity(model, data, q),
        "link_poses": lambda: pin.forwardKinematics(model, data, q),
    }
    return Twin(str(pin.__version__), functions), None


def _matched(robot: lp.Robot, model: Any, state: tuple[Floats, ...]) -> tuple[Floats, Floats, Floats]:
    """The state in Pinocchio's order; a joint without limits has the cosine and sine of its angle there."""
    q, qd, qdd = state
    coordinates, speeds, rates = np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv)
    for name, joint in zip(list(model.names)[1:], list(model.joints)[1:], strict=True):
        k = robot.dof_names.index(name)
        own = [q[k]] if joint.nq == 1 else [np.cos(q[k]), np.sin(q[k])]
        coordinates[joint.idx_q : joint.idx_q + joint.nq] = own
        speeds[joint.idx_v], rates[joint.idx_v] = qd[k], qdd[k]
    return coordinates, speeds, rates
