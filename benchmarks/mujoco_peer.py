"""MuJoCo: the same Panda, body by body from our model, without contacts, damping and armature.

`mj_inverse` and `mj_forward` take one state at a time, so they are called in a loop, which is how one uses them from
Python. What does not belong to the dynamics of the joints (contacts, limits, sensors) is switched off.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

import loadpath as lp
from benchmarks.peers import Array, panda
from benchmarks.peers import states as random_states
from benchmarks.timing import best_times


def to_mujoco(robot: lp.Robot) -> Any:
    """The robot as an `mujoco.MjModel`; its joints are hinges, slides and welds."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.gravity = robot.gravity
    spec.option.disableflags |= _flags(
        "CONTACT", "CONSTRAINT", "LIMIT", "SENSOR", "ACTUATION", "EQUALITY", "FRICTIONLOSS"
    )
    bodies = {robot.base.name: spec.worldbody}
    kinds = {lp.Revolute: mujoco.mjtJoint.mjJNT_HINGE, lp.Continuous: mujoco.mjtJoint.mjJNT_HINGE,
             lp.Prismatic: mujoco.mjtJoint.mjJNT_SLIDE}
    for joint in robot.joints:
        placed = joint.origin @ joint.link_offset
        body = bodies[joint.parent].add_body(name=joint.child, pos=placed.p, quat=_quaternion(placed.R))
        bodies[joint.child] = body
        back = joint.link_offset.inverse()
        if not isinstance(joint.motion, lp.Fixed):
            if type(joint.motion) not in kinds or getattr(joint.motion, "zero", 0.0):
                raise ValueError(f"joint '{joint.name}' is a {joint.motion}: not needed here so far")
            axis = back.R @ np.array(joint.motion.axis)
            body.add_joint(name=joint.name, type=kinds[type(joint.motion)], axis=axis, pos=back.p)
        inertia = robot.link(joint.child).inertia
        if not inertia.mass:
            continue  # a frame only
        body.mass, body.ipos = inertia.mass, inertia.center_of_mass
        t = np.array(inertia.tensor)
        body.fullinertia = [t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2]]
        body.explicitinertial = True
    return spec.compile()


def _flags(*names: str) -> int:
    return int(sum(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}") for name in names))


def _quaternion(rotation: Array) -> Array:
    """w, x, y, z of a rotation matrix."""
    result = np.empty(4)
    mujoco.mju_mat2Quat(result, rotation.ravel())
    return result


def measure(states: int = 4096, repetitions: int = 15) -> dict[str, float]:
    """Nanoseconds per state of ours and of MuJoCo's, in one run; an error where they do not agree to 1e-9.

    "The call alone" is without handing over states and results.
    """
    robot = panda().robot
    model = to_mujoco(robot)
    data = mujoco.MjData(model)
    q, qd, qdd = random_states(robot, states)
    tau, reached = np.empty_like(qd), np.empty_like(qd)

    def inverse() -> None:
        for k in range(states):
            data.qpos, data.qvel, data.qacc = q[k], qd[k], qdd[k]
            mujoco.mj_inverse(model, data)
            tau[k] = data.qfrc_inverse

    def forward() -> None:
        for k in range(states):
            data.qpos, data.qvel, data.qfrc_applied = q[k], qd[k], tau[k]
            mujoco.mj_forward(model, data)
            reached[k] = data.qacc

    inverse()
    forward()
    for ours, theirs in (
        (robot.inverse_dynamics(q, qd, qdd), tau),
        (robot.forward_dynamics(q, qd, tau), reached),
    ):
        error = np.abs(ours - theirs).max() / np.abs(theirs).max()
        if not error < 1e-9:
            raise RuntimeError(f"the peers compute different things: they differ by {error:.2g}")
    out = np.empty_like(qd)
    seconds = best_times(
        {
            "inverse dynamics, ours": lambda: robot.inverse_dynamics(q, qd, qdd, out=out),
            "inverse dynamics, MuJoCo": inverse,
            "forward dynamics, ours": lambda: robot.forward_dynamics(q, qd, tau, out=out),
            "forward dynamics, MuJoCo": forward,
        },
        repetitions,
    )
    alone = best_times(
        {
            "inverse dynamics, MuJoCo, the call alone": lambda: mujoco.mj_inverse(model, data),
            "forward dynamics, MuJoCo, the call alone": lambda: mujoco.mj_forward(model, data),
        },
        repetitions,
    )
    times = {name: 1e9 * best / states for name, best in seconds.items()}
    return times | {name: 1e9 * best for name, best in alone.items()}
