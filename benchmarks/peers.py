"""The same robots here and in Pinocchio, each loaded from the same file by its own reader."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib.metadata import files
from pathlib import Path

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

import loadpath as lp

Array = NDArray[np.float64]


def urdf_files() -> dict[str, Path]:
    """The URDFs of example-robot-data, by "folder/file"."""
    found = {}
    for entry in sorted(files("example-robot-data") or []):
        if entry.suffix == ".urdf":
            folder = entry.parts[entry.parts.index("robots") + 1]
            found[f"{folder}/{entry.stem}"] = Path(str(entry.locate()))
    return found


def load(path: Path) -> lp.Robot:
    """The robot as inverse dynamics of Pinocchio sees it: without friction."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        return lp.load(path).without_friction()


@dataclass
class Peers:
    """One robot twice. `follow` takes our speeds to Pinocchio's, which knows nothing of mimics."""

    robot: lp.Robot
    model: pin.Model
    follow: Array
    offset: Array
    """Coordinates of Pinocchio's joints where ours are zero."""

    def __post_init__(self) -> None:
        self.data = self.model.createData()

    def coordinates(self, q: Array) -> Array:
        """Pinocchio's coordinates: a joint without limits has the cosine and sine of its angle."""
        angles = self.follow @ q + self.offset
        result = np.empty(self.model.nq)
        for joint in list(self.model.joints)[1:]:
            angle = angles[joint.idx_v]
            result[joint.idx_q : joint.idx_q + joint.nq] = angle if joint.nq == 1 else (np.cos(angle), np.sin(angle))
        return result

    def inverse_dynamics(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Pinocchio's forces for one of our states, in our order."""
        tau = pin.rnea(self.model, self.data, self.coordinates(q), self.follow @ qd, self.follow @ qdd)
        result: Array = self.follow.T @ tau
        return result


def peers(path: Path) -> Peers:
    """A robot in both libraries. Raises what either raises if it cannot load the file."""
    robot, model = load(path), pin.buildModelFromUrdf(str(path))
    return paired(robot, model)


def paired(robot: lp.Robot, model: pin.Model) -> Peers:
    """Joints of one degree of freedom, matched by name."""
    follow, offset = np.zeros((model.nv, robot.n)), np.zeros(model.nv)
    for joint, name in list(zip(model.joints, model.names, strict=True))[1:]:
        mimic = robot.mimic_of(robot.joint(name))
        follow[joint.idx_v, robot.v_slices[name]] = mimic.multiplier
        offset[joint.idx_v] = mimic.offset
    return Peers(robot, model, follow, offset)


def panda() -> Peers:
    """The Panda with its fingers locked: seven joints."""
    path = urdf_files()["panda_description/panda"]
    robot, model = load(path), pin.buildModelFromUrdf(str(path))
    fingers = [model.getJointId(name) for name in model.names if "finger" in name]
    return paired(robot.locked({"panda_finger_joint1": 0.0}), pin.buildReducedModel(model, fingers, pin.neutral(model)))


def states(robot: lp.Robot, count: int, seed: int = 1) -> tuple[Array, Array, Array]:
    """Random q, qd, qdd of a robot without quaternions."""
    random = np.random.default_rng(seed)
    return random.uniform(-2, 2, (count, robot.nq)), *random.uniform(-2, 2, (2, count, robot.n))
