"""A robot that was read from MJCF beside MuJoCo's own model of the same file: the same motion in both conventions, and
the largest differences of poses, mass properties, torques, mass matrix and reactions.

| quantity | MuJoCo | here |
|---|---|---|
| quaternion | w, x, y, z | x, y, z, w |
| velocity of a free body | world axes, angular in its own | both in its own axes |
| reaction | `cfrc_int`: about the mass center of the tree, world axes, torque first | at the joint, in its axes |

Contacts, limits, dry friction and equality constraints are switched off in MuJoCo: the open tree is compared.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import mujoco
import numpy as np

from loadpath.algorithms.composite_body import mass_matrix
from loadpath.files.mjcf.joints import names_of
from loadpath.files.mjcf.remembered import remembered_in
from loadpath.foreign.mujoco_compiler import sent_model
from loadpath.foreign.mujoco_model import model_of
from loadpath.formulations import newton_euler
from loadpath.mechanics.kinematics import link_poses
from loadpath.robot.joints import Translational
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from on_scalars import on_arrays


@dataclass(frozen=True)
class Differences:
    """The largest differences, each relative to the largest entry."""

    mass_properties: float
    poses: float
    torques: float
    mass_matrix: float
    reactions: float

    @property
    def largest(self) -> float:
        return max(getattr(self, part.name) for part in fields(self))


def open_tree(tree: RobotModel) -> RobotModel:
    """The tree without mimics and dry friction, as MuJoCo computes it with constraints off."""
    joints = tuple(replace(joint, mimic=None, coulomb_friction=(), stribeck=()) for joint in tree.joints)
    return replace(tree, joints=joints)


class Beside:
    """A tree and MuJoCo's model of it, with bodies and joints of the same names."""

    def __init__(self, tree: RobotModel, model: Any) -> None:
        self.tree, self.model = open_tree(tree), model
        off = mujoco.mjtDisableBit
        for flag in (off.mjDSBL_CONTACT, off.mjDSBL_LIMIT, off.mjDSBL_FRICTIONLOSS, off.mjDSBL_EQUALITY):
            model.opt.disableflags |= int(flag)
        self.data = mujoco.MjData(model)
        sent = model_of(sent_model(model))
        names = names_of(sent, remembered_in(sent.custom, "text"))
        self.joint_of = dict(enumerate(names.joints))
        moved_by = {joint.child: joint.name for joint in self.tree.joints}
        self.last = {body: moved_by[name] for body, name in enumerate(names.bodies) if name in moved_by}
        # Free joints that are two, as their friction acts along the axes of the world.
        free = [k for k, name in self.joint_of.items() if isinstance(self.tree.joint(name).motion, Translational)]
        self.split = {k: f"{self.joint_of[k]}.turn" for k in free}

    # The same motion twice

    def state(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A random motion, put into MuJoCo's data and given in our coordinates."""
        model, data, tree = self.model, self.data, self.tree
        q, qd, qdd = np.zeros(tree.nq), np.zeros(tree.n), np.zeros(tree.n)
        for joint in range(model.njnt):
            name = self.joint_of[joint]
            at, v = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
            if not tree.joint(name).motion.dof:
                continue
            own, speeds = tree.q_slices[name], tree.v_slices[name]
            kind = int(model.jnt_type[joint])
            if joint in self.split:
                own = slice(own.start, tree.q_slices[self.split[joint]].stop)
                speeds = slice(speeds.start, tree.v_slices[self.split[joint]].stop)
            width = speeds.stop - speeds.start
            rate, change = rng.normal(size=width), rng.normal(size=width)
            if kind in (0, 1):
                quaternion = rng.normal(size=4)
                quaternion /= np.linalg.norm(quaternion)
                place = rng.normal(size=3) if kind == 0 else np.zeros(0)
                q[own] = np.concatenate([place, quaternion])
                x, y, z, w = quaternion
                data.qpos[at : at + len(place) + 4] = [*place, w, x, y, z]
                turn = _matrix(w, x, y, z)
                theirs, theirs_change = rate.copy(), change.copy()
                if kind == 0 and joint not in self.split:
                    theirs[:3] = turn @ rate[:3]
                    theirs_change[:3] = turn @ (change[:3] + np.cross(rate[3:], rate[:3]))
            else:
                value = rng.uniform(-1.5, 1.5)
                q[own], data.qpos[at] = value, value
                theirs, theirs_change = rate, change
            qd[speeds], qdd[speeds] = rate, change
            data.qvel[v : v + width], data.qacc[v : v + width] = theirs, theirs_change
        return q, qd, qdd

    def speeds(self) -> np.ndarray:
        """The matrix from our speeds to MuJoCo's; its transpose takes forces back."""
        model, tree = self.model, self.tree
        found = np.zeros((model.nv, tree.n))
        for joint in range(model.njnt):
            name, v = self.joint_of[joint], int(model.jnt_dofadr[joint])
            if not tree.joint(name).motion.dof:
                continue
            own = tree.v_slices[name]
            if joint in self.split:
                own = slice(own.start, tree.v_slices[self.split[joint]].stop)
            block = np.eye(own.stop - own.start)
            if int(model.jnt_type[joint]) == 0 and joint not in self.split:
                block[:3, :3] = _matrix(*self.data.qpos[int(model.jnt_qposadr[joint]) + 3 :][:4])
            found[v : v + len(block), own] = block
        return found

    # What they compute

    def differences(self, rng: np.random.Generator, states: int = 2) -> Differences:
        model, data, tree = self.model, self.data, self.tree
        mechanism = plain(tree)
        worst = np.zeros(5)
        worst[0] = self.mass_properties()
        for _ in range(states):
            q, qd, qdd = self.state(rng)
            mujoco.mj_inverse(model, data)
            mujoco.mj_rnePostConstraint(model, data)
            T = self.speeds()
            torques = on_arrays(newton_euler.inverse_dynamics, mechanism, q, qd, qdd)
            worst[2] = max(worst[2], _relative(torques, T.T @ data.qfrc_inverse))
            worst[3] = max(
                worst[3], _relative(on_arrays(mass_matrix, mechanism, q), T.T @ self._their_mass_matrix() @ T)
            )
            worst[1] = max(worst[1], self._poses(on_arrays(link_poses, mechanism, q)))
            force, torque = on_arrays(newton_euler.joint_wrenches, mechanism, q, qd, qdd)
            worst[4] = max(worst[4], self._reactions(force, torque))
        return Differences(*(float(entry) for entry in worst))

    def _their_mass_matrix(self) -> np.ndarray:
        found = np.zeros((self.model.nv, self.model.nv))
        for k, unit in enumerate(np.eye(self.model.nv)):
            column = np.zeros(self.model.nv)
            mujoco.mj_mulM(self.model, self.data, column, unit)
            found[:, k] = column
        return found

    def mass_properties(self) -> float:
        worst = 0.0
        for body, name in self.last.items():
            child = self.tree.link(self.tree.joint(name).child).inertia
            turn = _matrix(*self.model.body_iquat[body])
            tensor = turn @ np.diag(self.model.body_inertia[body]) @ turn.T
            if not child.mass and not self.model.body_mass[body]:
                continue  # where the mass center of nothing is, does not matter
            worst = max(worst, abs(child.mass - self.model.body_mass[body]) / max(child.mass, 1e-300))
            worst = max(worst, _relative(np.array(child.tensor), tensor))
            worst = max(worst, float(np.abs(np.array(child.center_of_mass) - self.model.body_ipos[body]).max()))
        return worst

    def _poses(self, poses: np.ndarray) -> float:
        worst = 0.0
        for body, name in self.last.items():
            pose = poses[self.tree.link_names.index(self.tree.joint(name).child)]
            worst = max(worst, float(np.abs(pose[:3, :3] - self.data.xmat[body].reshape(3, 3)).max()))
            worst = max(worst, float(np.abs(pose[:3, 3] - self.data.xpos[body]).max()))
        return worst

    def _reactions(self, force: np.ndarray, torque: np.ndarray) -> float:
        model, data = self.model, self.data
        ours, theirs = [], []
        for body, name in self.last.items():
            joint = self.tree.joint(name)
            turn = data.xmat[body].reshape(3, 3)
            count = int(model.body_jntnum[body])
            last = int(model.body_jntadr[body]) + count - 1
            anchor = model.jnt_pos[last] if count and int(model.jnt_type[last]) else np.zeros(3)
            origin = data.xpos[body] + turn @ anchor
            if not joint.motion.dof and count:  # a held joint is a weld: its axes are turned with it
                continue
            moment, push = data.cfrc_int[body][:3], data.cfrc_int[body][3:]
            moment = moment + np.cross(data.subtree_com[model.body_rootid[body]] - origin, push)
            theirs.append(np.concatenate([turn.T @ push, turn.T @ moment]))
            k = self.tree.joint_names.index(name)
            ours.append(np.concatenate([force[k], torque[k]]))
        return _relative(np.array(ours), np.array(theirs)) if ours else 0.0


def _relative(found: np.ndarray, expected: np.ndarray) -> float:
    size = float(np.abs(expected).max(initial=0.0))
    return float(np.abs(np.asarray(found, float) - expected).max(initial=0.0)) / max(size, 1e-12)


def _matrix(w: float, x: float, y: float, z: float) -> np.ndarray:
    found = np.zeros(9)
    mujoco.mju_quat2Mat(found, np.array([w, x, y, z], dtype=float))
    return found.reshape(3, 3)
