"""Closed chains: against Pinocchio in a Python loop, against the open tree, and assembly in batches; one thread.

Pinocchio has forward dynamics with closures. It has no inverse dynamics of closed chains, so what its users write is
timed: its own recursion and constraint Jacobian, and NumPy to solve for the passive joints.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pinocchio as pin

import loadpath as lp
from benchmarks.peers import Array
from benchmarks.report import Row
from benchmarks.timing import best_times

BATCH = 1024
POSES = 100_000


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    repetitions = 3 if quick else 30
    return [_forward(repetitions), *_inverse(repetitions), _assembly(POSES // 10 if quick else POSES)]


def _states(robot: lp.ClosedRobot, count: int) -> tuple[Array, Array, Array]:
    """Closed states near home, and accelerations that go with them."""
    rng = np.random.default_rng(1)
    home = np.array([robot.home[robot.coordinate_names.index(name)] for name in robot.driven])
    q = robot.assemble(home + rng.uniform(-0.1, 0.1, (count, len(home))), path=False).q
    return q, *robot.complete(q, *rng.normal(size=(2, count, len(home))))


def _forward(repetitions: int) -> Row:
    robot = lp.catalog.stewart_platform().without_friction()
    q, qd, _ = _states(robot, BATCH)
    tau = np.zeros_like(qd)
    tau[:, list(robot.split.driven)] = 50.0
    peer = _Peer(robot)
    theirs = peer.arrays(q, qd, tau)
    error = np.abs(peer.forward(*(a[0] for a in theirs)) - robot.forward_dynamics(q[0], qd[0], tau[0])[peer.speeds])
    if not error.max() < 1e-8 * 100:
        raise RuntimeError(f"the peers compute different things: {error.max():.2g}")

    def loop() -> None:
        for k in range(BATCH):
            peer.forward(theirs[0][k], theirs[1][k], theirs[2][k])

    times = best_times({"ours": lambda: robot.forward_dynamics(q, qd, tau), "loop": loop}, repetitions)
    ours, loop_time = (1e9 * times[key] / BATCH for key in ("ours", "loop"))
    return Row(
        "Stewart platform, forward dynamics: Pinocchio's constraintDynamics in a Python loop / ours",
        loop_time / ours,
        at_least=10,
        remark=f"{loop_time:.0f} / {ours:.0f} ns a state",
    )


def _inverse(repetitions: int) -> list[Row]:
    robot = lp.catalog.parallelogram_palletizer().without_friction()
    q, qd, qdd = _states(robot, BATCH)
    tree, peer = robot.tree, _Peer(robot)
    theirs = peer.arrays(q, qd, qdd)
    error = np.abs(peer.inverse(*(a[0] for a in theirs)) - robot.inverse_dynamics(q[0], qd[0], qdd[0])[peer.speeds])
    if not error.max() < 1e-8:
        raise RuntimeError(f"the peers compute different things: {error.max():.2g}")

    def loop() -> None:
        for k in range(BATCH):
            peer.inverse(theirs[0][k], theirs[1][k], theirs[2][k])

    work = {
        "ours": lambda: robot.inverse_dynamics(q, qd, qdd),
        "tree": lambda: tree.inverse_dynamics(q, qd, qdd),
        "loop": loop,
    }
    times = best_times(work, repetitions)
    ours, open_, loop_time = (1e9 * times[key] / BATCH for key in ("ours", "tree", "loop"))
    return [
        Row(
            "Palletizer, inverse dynamics: closed / open tree",
            ours / open_,
            at_most=6,
            remark=f"{ours:.0f} / {open_:.0f} ns a state",
        ),
        Row(
            "Palletizer, inverse dynamics: Pinocchio's recursion and Jacobian, NumPy's solve, in a Python loop / ours",
            loop_time / ours,
            at_least=30,
            remark=f"{loop_time:.0f} / {ours:.0f} ns a state",
        ),
    ]


def _assembly(count: int) -> Row:
    robot = lp.catalog.delta()
    angles = robot.home[[robot.coordinate_names.index(name) for name in robot.driven]]
    angles = angles + np.random.default_rng(1).uniform(-0.5, 0.5, (count, 3))
    robot.assemble(angles[:10], path=False)  # compiles
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        found = robot.assemble(angles, path=False)
        best = min(best, time.process_time() - begin)
    if not found.reached.all():
        raise RuntimeError("not all poses were assembled")
    remark = "drives within 0.5 rad of home"
    return Row(f"Delta, {count:,} poses assembled", best, "s", at_most=count / POSES, remark=remark)


class _Peer:
    """A closed robot in Pinocchio: hinges that are held by points on their axes, balls by a point."""

    def __init__(self, robot: lp.ClosedRobot) -> None:
        self.robot, self.model = robot, pin.Model()
        self.model.gravity.linear = np.array(robot.gravity)
        bodies, offsets = {robot.base.name: 0}, {robot.base.name: pin.SE3.Identity()}
        order, at = [], [robot.base.name]
        while at:  # branch by branch, as Pinocchio wants it
            link = at.pop()
            order += [joint for joint in robot.joints if joint.child == link]
            at += [joint.child for joint in robot.joints if joint.parent == link]
        for joint in order:
            before = offsets[joint.parent] * pin.SE3(joint.origin.R, joint.origin.p)
            body = bodies[joint.parent]
            offset = pin.SE3(joint.link_offset.R, joint.link_offset.p)
            if not joint.motion.dof:
                bodies[joint.child], offsets[joint.child] = body, before * offset
            else:
                for k, part in enumerate(_joints(joint.motion)):
                    body = self.model.addJoint(body, part, before, f"{joint.name}/{k}")
                    before = pin.SE3.Identity()
                bodies[joint.child], offsets[joint.child] = body, offset
            inertia = robot.link(joint.child).inertia
            own = pin.Inertia(inertia.mass, np.array(inertia.center_of_mass), np.array(inertia.tensor))
            if bodies[joint.child]:
                self.model.appendBodyToJoint(bodies[joint.child], own, offsets[joint.child])
        moving = [joint for joint in order if joint.motion.dof]
        self.speeds = np.concatenate([np.r_[robot.v_slices[joint.name]] for joint in moving])
        self.places = np.concatenate([np.r_[robot.q_slices[joint.name]] for joint in moving])
        independent = np.isin(self.speeds, robot.split.independent)
        self.independent, self.dependent = np.flatnonzero(independent), np.flatnonzero(~independent)
        self.closures = pin.StdVec_RigidConstraintModel()
        for loop in robot.loops:
            shifts = [np.zeros(3)]
            if not isinstance(loop.motion, lp.Spherical):
                shifts.append(np.array(loop.motion.axis))
            for shift in shifts:
                ends: list[Any] = []
                for link, pose in ((loop.first, loop.at), (loop.second, loop.on)):
                    ends += [bodies[link], offsets[link] * pin.SE3(pose.R, pose.p) * pin.SE3(np.eye(3), shift)]
                kind = pin.ContactType.CONTACT_3D
                self.closures.append(pin.RigidConstraintModel(kind, self.model, *ends, pin.ReferenceFrame.LOCAL))
        self.data = self.model.createData()
        self.closure_data = pin.StdVec_RigidConstraintData()
        for closure in self.closures:
            self.closure_data.append(closure.createData())
        self.pairs = list(zip(self.closures, self.closure_data, strict=True))
        pin.initConstraintDynamics(self.model, self.data, self.closures, self.closure_data)
        self.settings = pin.ProximalSettings(1e-12, 1e-12, 20)

    def arrays(self, q: Array, qd: Array, third: Array) -> tuple[Array, Array, Array]:
        """Our arrays in their order."""
        a, b, c = q[:, self.places], qd[:, self.speeds], third[:, self.speeds]
        return np.ascontiguousarray(a), np.ascontiguousarray(b), np.ascontiguousarray(c)

    def forward(self, q: Array, v: Array, tau: Array) -> Array:
        """Accelerations of one state."""
        result: Array = pin.constraintDynamics(
            self.model, self.data, q, v, tau, self.closures, self.closure_data, self.settings
        )
        return result

    def inverse(self, q: Array, v: Array, a: Array) -> Array:
        """Forces of the drives of one state."""
        tau = pin.rnea(self.model, self.data, q, v, a)
        pin.computeJointJacobians(self.model, self.data, q)
        for closure, data in self.pairs:
            closure.calc(self.model, self.data, data)
        J = pin.getConstraintsJacobian(self.model, self.data, self.closures, self.closure_data)
        ratios = np.linalg.lstsq(J[:, self.dependent], -J[:, self.independent], rcond=None)[0]
        result = np.zeros(len(tau))
        result[self.independent] = tau[self.independent] + ratios.T @ tau[self.dependent]
        return result


def _joints(motion: Any) -> list[Any]:
    if isinstance(motion, lp.Spherical):
        return [pin.JointModelSpherical()]
    if isinstance(motion, lp.Prismatic):
        return [pin.JointModelPrismaticUnaligned(np.array(motion.axis))]
    if isinstance(motion, lp.Universal):
        return [pin.JointModelRevoluteUnaligned(np.array(axis)) for axis in (motion.first, motion.second)]
    return [pin.JointModelRevoluteUnaligned(np.array(motion.axis))]
