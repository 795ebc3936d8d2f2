"""The largest difference to what a peer computes from the same file, read by its own reader: torques, mass matrix and
reactions of a random motion, each relative to its largest entry.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin

from loadpath.algorithms.composite_body import mass_matrix
from loadpath.formulations import newton_euler
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from on_scalars import on_arrays


def bare(tree: RobotModel) -> RobotModel:
    """The open tree without mimics and friction, as Pinocchio computes it."""
    joints = (replace(j, mimic=None, viscous_friction=(), coulomb_friction=(), stribeck=()) for j in tree.joints)
    return replace(tree, joints=tuple(joints))


def against_pinocchio(path: Path, tree: RobotModel) -> float | None:
    """URDF, by Pinocchio's reader (urdfdom); None where the two count other freedoms."""
    robot, model = bare(tree), pin.buildModelFromUrdf(str(path))
    if model.nv != robot.n or set(model.names[1:]) != set(robot.v_slices) or not robot.n:
        return None
    random = np.random.default_rng(1)
    q, qd, qdd = (random.uniform(-1, 1, robot.n) for _ in range(3))
    theirs, v, a = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    order = np.zeros(robot.n, dtype=int)  # our speeds in theirs
    for name, joint in zip(model.names[1:], list(model.joints)[1:], strict=True):
        own = robot.q_slices[name].start
        order[own] = joint.idx_v
        angle = q[own]
        theirs[joint.idx_q : joint.idx_q + joint.nq] = angle if joint.nq == 1 else (np.cos(angle), np.sin(angle))
        v[joint.idx_v], a[joint.idx_v] = qd[own], qdd[own]
    data, mechanism = model.createData(), plain(robot)
    tau = pin.rnea(model, data, theirs, v, a)[order]
    reactions = {name: data.f[number].vector.copy() for number, name in enumerate(model.names) if number}
    force, torque = on_arrays(newton_euler.joint_wrenches, mechanism, q, qd, qdd)
    ours = {joint.name: np.concatenate([force[k], torque[k]]) for k, joint in enumerate(robot.joints)}
    mass = pin.crba(model, data, theirs)
    mass = np.triu(mass) + np.triu(mass, 1).T
    return max(
        relative(on_arrays(newton_euler.inverse_dynamics, mechanism, q, qd, qdd), tau),
        relative(on_arrays(mass_matrix, mechanism, q), mass[np.ix_(order, order)]),
        relative(np.array([ours[name] for name in reactions]), np.array(list(reactions.values()))),
    )


def against_drake(path: Path, tree: RobotModel) -> float | None:
    """SDF, by Drake's reader (libsdformat), where Drake is installed: torques and mass matrix."""
    try:
        from pydrake.multibody.parsing import Parser
    except ImportError:
        return None
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import MultibodyForces

    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(path))
    if tree.base.name != "world":
        body = plant.GetBodyByName(tree.base.name)
        plant.WeldFrames(plant.world_frame(), body.body_frame())
    plant.mutable_gravity_field().set_gravity_vector(list(tree.gravity))
    plant.Finalize()
    moving = {}
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        if joint.num_velocities():
            moving[joint.child_body().name()] = joint
    ours = {joint.child.rpartition("::")[2]: joint for joint in tree.joints if joint.motion.dof}
    if moving.keys() != ours.keys() or plant.num_velocities() != tree.n or tree.n != tree.nq or not tree.n:
        return None
    random = np.random.default_rng(1)
    q, qd, qdd = (random.uniform(-1, 1, tree.n) for _ in range(3))
    order = np.zeros(tree.n, dtype=int)
    for child, joint in moving.items():
        where = tree.v_slices[ours[child].name]
        order[where] = np.arange(joint.velocity_start(), joint.velocity_start() + joint.num_velocities())
    theirs = np.empty((3, tree.n))
    theirs[:, order] = q, qd, qdd
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, theirs[0])
    plant.SetVelocities(context, theirs[1])
    forces = MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, forces)
    tau = plant.CalcInverseDynamics(context, theirs[2], forces)[order]
    # Drake takes no dry friction from the file.
    robot = replace(tree, joints=tuple(replace(joint, coulomb_friction=()) for joint in tree.joints))
    mechanism = plain(robot)
    return max(
        relative(on_arrays(newton_euler.inverse_dynamics, mechanism, q, qd, qdd), tau),
        relative(on_arrays(mass_matrix, mechanism, q), plant.CalcMassMatrix(context)[np.ix_(order, order)]),
    )


def relative(found: np.ndarray, expected: np.ndarray) -> float:
    size = float(np.abs(expected).max(initial=0.0))
    return float(np.abs(np.asarray(found, float) - expected).max(initial=0.0)) / max(size, 1e-9)
