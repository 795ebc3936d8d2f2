"""Newton-Euler in maximal coordinates: every link a free body, every joint six equations, solved all at once.

A reference for closed chains that shares no equation with the library; it reads the robot's data only (links, joints,
loops, couplings). Motion: the pose of every link is a polynomial of time, p0 + p1 t + p2 t^2, a product of such
polynomials of 4 x 4 matrices along the tree; velocities and accelerations are read off its coefficients, so there is no
rule for a moving frame to get wrong. Forces: the unknowns are the six components of the wrench at every joint and loop
(force, torque; by the first link on the second, at the joint's origin, in the child's joint frame), the forces of the
drives and the multipliers of the couplings. The equations are Newton's and Euler's for every link but the root, and for
every freedom that the wrench along it is what drive, friction, rotor and coupling give (nothing in a loop).

Where they leave something open, the drives are those of the least sum of squares, then the wrenches are those of the
least sum of squares of all their components (N and N m; the forces of couplings on their joints count, too), or of the
least energy for given compliances. Null spaces are those of the singular value decomposition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

Array = np.ndarray
External = Mapping[str, tuple[Array, Array]]
RANK = 1e-9
"""A singular value below this part of the largest is none."""


# Polynomials of time: arrays (3, ...) of the coefficients of 1, t and t^2


def times(a: Array, b: Array) -> Array:
    """The product of two polynomials of matrices, cut after t^2."""
    return np.array([a[0] @ b[0], a[0] @ b[1] + a[1] @ b[0], a[0] @ b[2] + a[1] @ b[1] + a[2] @ b[0]])


def _still(matrix: Array) -> Array:
    return np.array([matrix, np.zeros_like(matrix), np.zeros_like(matrix)])


def _inverse(a: Array) -> Array:
    """Of a polynomial of poses: transpose of the rotation, and the translation by it."""
    result = np.zeros_like(a)
    turned = np.swapaxes(a[:, :3, :3], 1, 2)
    result[:, :3, :3] = turned
    result[:, :3, 3:] = -times(turned, a[:, :3, 3:])
    result[0, 3, 3] = 1.0
    return result


def tilde(v: Array) -> Array:
    """The matrix of the cross product with v."""
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _turn(axis: Sequence[float], angle: float, rate: float, acceleration: float) -> Array:
    k = tilde(np.asarray(axis, dtype=float))
    r = np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * (k @ k)
    return np.array([r, rate * k @ r, (acceleration * k @ r + rate**2 * k @ k @ r) / 2.0])


def _from_quaternion(quaternion: Array, omega: Array, omegadot: Array) -> Array:
    """A rotation by its quaternion x, y, z, w, with angular velocity and its rate in the turned axes."""
    x = np.asarray(quaternion, dtype=float)
    x = x / np.linalg.norm(x)
    v = tilde(x[:3])
    r = np.eye(3) + 2.0 * x[3] * v + 2.0 * v @ v
    w = tilde(omega)
    return np.array([r, r @ w, r @ (w @ w + tilde(omegadot)) / 2.0])


def _pose(rotation: Array | None = None, shift: Array | None = None) -> Array:
    result = _still(np.eye(4))
    if rotation is not None:
        result[:, :3, :3] = rotation
    if shift is not None:
        result[:, :3, 3] = shift
    return result


def _slide(axis: Sequence[float], x: float, xd: float, xdd: float) -> Array:
    return np.outer([x, xd, xdd / 2.0], np.asarray(axis, dtype=float))


def motion_polynomial(motion: Any, q: Array, qd: Array, qdd: Array) -> Array:  # noqa: PLR0911
    """Pose of a joint's child frame in its parent frame, to t^2."""
    kind = type(motion).__name__
    eye = np.eye(3)
    if kind == "Fixed":
        return _pose()
    if kind in ("Revolute", "Continuous"):
        return _pose(_turn(motion.axis, motion.zero + q[0], qd[0], qdd[0]))
    if kind == "Prismatic":
        return _pose(shift=_slide(motion.axis, q[0], qd[0], qdd[0]))
    if kind == "Helical":
        turn = _turn(motion.axis, motion.zero + q[0], qd[0], qdd[0])
        return _pose(turn, motion.pitch * _slide(motion.axis, q[0], qd[0], qdd[0]))
    if kind == "Cylindrical":
        return _pose(_turn(motion.axis, motion.zero + q[0], qd[0], qdd[0]), _slide(motion.axis, q[1], qd[1], qdd[1]))
    if kind == "Universal":
        first, second = (_turn(axis, q[k], qd[k], qdd[k]) for k, axis in enumerate((motion.first, motion.second)))
        return _pose(times(first, second))
    if kind == "Planar":
        shift = _slide(eye[0], q[0], qd[0], qdd[0]) + _slide(eye[1], q[1], qd[1], qdd[1])
        return _pose(_turn(eye[2], q[2], qd[2], qdd[2]), shift)
    if kind == "Translational":
        return _pose(shift=sum(_slide(eye[k], q[k], qd[k], qdd[k]) for k in range(3)))
    if kind == "Spherical":
        return _pose(_from_quaternion(q, qd, qdd))
    if kind == "Free":
        turn = _from_quaternion(q[3:], qd[3:], qdd[3:])
        r = turn[0]
        return _pose(turn, np.array([q[:3], r @ qd[:3], r @ (qdd[:3] + np.cross(qd[3:], qd[:3])) / 2.0]))
    if kind in ("PointOnLine", "PointOnPlane"):
        slides = motion._slides()  # in which order the coordinates come
        k = len(slides)
        shift = sum(_slide(axis, q[i], qd[i], qdd[i]) for i, axis in enumerate(slides))
        return _pose(_from_quaternion(q[k:], qd[k:], qdd[k:]), shift)
    raise TypeError(f"the reference has no {kind} joint in a tree")


def directions(motion: Any) -> list[tuple[Array, Array, bool]]:  # noqa: PLR0911
    """For each freedom of a joint its angular and linear direction, and whether they are fixed in the child's axes
    (else in the parent's).
    """
    kind = type(motion).__name__
    eye, none = np.eye(3), np.zeros(3)
    if kind == "Fixed":
        return []
    if kind in ("Revolute", "Continuous"):
        return [(np.array(motion.axis), none, True)]
    if kind == "Prismatic":
        return [(none, np.array(motion.axis), True)]
    if kind == "Helical":
        return [(np.array(motion.axis), motion.pitch * np.array(motion.axis), True)]
    if kind == "Cylindrical":
        return [(np.array(motion.axis), none, True), (none, np.array(motion.axis), True)]
    if kind == "Universal":
        return [(np.array(motion.first), none, False), (np.array(motion.second), none, True)]
    if kind == "Planar":
        return [(none, eye[0], False), (none, eye[1], False), (eye[2], none, True)]
    if kind == "Translational":
        return [(none, axis, False) for axis in eye]
    turns = [(axis, none, True) for axis in eye]
    if kind == "Spherical":
        return turns
    if kind == "Free":
        return [(none, axis, True) for axis in eye] + turns
    if kind in ("PointOnLine", "PointOnPlane"):
        return [*((none, np.array(axis), False) for axis in motion._slides()), *turns]
    raise TypeError(f"the reference has no {kind} joint")


@dataclass
class Held:
    """A joint or loop at an instant: which links it joins and its frame there, in the world."""

    name: str
    first: str
    second: str
    motion: Any
    speeds: slice | None
    """Where its speeds stand in qd; None in a loop."""
    multiplier: float
    origin: Array
    R: Array
    before: Array


@dataclass
class Body:
    """A link at an instant, in world axes: frame, twist of its origin and its rate."""

    p: Array
    R: Array
    v: Array
    omega: Array
    a: Array
    omegadot: Array


@dataclass
class Solution:
    """Forces of the drives (n,), accelerations (n,), and for all joints and loops force, torque (joints, 3) and which
    of the six components (force, torque) are determinate (joints, 6).
    """

    names: tuple[str, ...]
    tau: Array
    qdd: Array
    force: Array
    torque: Array
    determinate: Array
    residual: float
    """Largest force or torque (N, N m) that is left over: not zero if the motion breaks a constraint."""
    open_forces: int = field(default=0)
    """Number of independent self-stresses."""


class Maximal:
    """A robot with loops as free bodies."""

    def __init__(self, robot: Any) -> None:
        self.robot = robot
        self.loops = tuple(getattr(robot, "loops", ()))
        self.couplings = tuple(getattr(robot, "couplings", ()))
        self.names = tuple(joint.name for joint in robot.joints) + tuple(loop.name for loop in self.loops)
        self._frames = [(joint.origin.matrix, joint.link_offset.matrix) for joint in robot.joints]
        self.moving = [link.name for link in robot.links[1:]]

    # Kinematics

    def polynomials(
        self,
        q: Array,
        qd: Array,
        qdd: Array,
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
    ) -> dict[str, Array]:
        """The pose of every link in the world, to t^2."""
        v = np.zeros(6) if base_velocity is None else np.asarray(base_velocity, dtype=float)
        a = np.zeros(6) if base_acceleration is None else np.asarray(base_acceleration, dtype=float)
        w = tilde(v[3:])
        turn = np.array([np.eye(3), w, (w @ w + tilde(a[3:])) / 2.0])
        poses = {self.robot.links[0].name: _pose(turn, np.array([np.zeros(3), v[:3], a[:3] / 2.0]))}
        for joint, (origin, offset) in zip(self.robot.joints, self._frames, strict=True):
            carried = origin @ motion_polynomial(joint.motion, *self._coordinates(joint, q, qd, qdd)) @ offset
            poses[joint.child] = times(poses[joint.parent], carried)
        return poses

    def poses(self, q: Array) -> dict[str, Array]:
        """4 x 4 matrices of all links."""
        still = np.zeros(self.robot.n)
        poses = {self.robot.links[0].name: np.eye(4)}
        for joint, (origin, offset) in zip(self.robot.joints, self._frames, strict=True):
            moved = motion_polynomial(joint.motion, *self._coordinates(joint, q, still, still))[0]
            poses[joint.child] = poses[joint.parent] @ origin @ moved @ offset
        return poses

    def _coordinates(self, joint: Any, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
        if joint.motion.dof == 0:
            return np.zeros(0), np.zeros(0), np.zeros(0)
        at, of = self.robot.q_slices[joint.name], self.robot.v_slices[joint.name]
        if joint.mimic is None:
            return np.asarray(q)[at], np.asarray(qd)[of], np.asarray(qdd)[of]
        mimic = self.robot.mimic_of(joint)
        k = mimic.multiplier
        return k * np.asarray(q)[at] + mimic.offset, k * np.asarray(qd)[of], k * np.asarray(qdd)[of]

    def bodies(self, poses: Mapping[str, Array]) -> dict[str, Body]:
        """Frames, twists and accelerations of all links."""
        found = {}
        for name, pose in poses.items():
            R = pose[0, :3, :3]
            spin = pose[1, :3, :3] @ R.T
            # R'' R^T = [omegadot] + [omega]^2, of which the second part is symmetric
            rate = 2.0 * pose[2, :3, :3] @ R.T
            rate = (rate - rate.T) / 2.0
            found[name] = Body(pose[0, :3, 3], R, pose[1, :3, 3], _axial(spin), 2.0 * pose[2, :3, 3], _axial(rate))
        return found

    def held(self, poses: Mapping[str, Array]) -> list[Held]:
        """All joints and loops in the order of `names`."""
        result = []
        for joint in self.robot.joints:
            frame = poses[joint.child][0] @ np.linalg.inv(joint.link_offset.matrix)
            before = poses[joint.parent][0] @ joint.origin.matrix
            speeds = self.robot.v_slices[joint.name] if joint.motion.dof else None
            multiplier = 1.0 if joint.mimic is None else self.robot.mimic_of(joint).multiplier
            result.append(Held(joint.name, joint.parent, joint.child, joint.motion, speeds, multiplier,
                               frame[:3, 3], frame[:3, :3], before[:3, :3]))
        for loop in self.loops:
            frame, before = poses[loop.second][0] @ loop.on.matrix, poses[loop.first][0] @ loop.at.matrix
            result.append(Held(loop.name, loop.first, loop.second, loop.motion, None, 1.0,
                               frame[:3, 3], frame[:3, :3], before[:3, :3]))
        return result

    def constraint_rows(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
        """For the loops and couplings: speeds and their rates along the held directions, zero on the manifold: what
        is left of the relative twist of each loop (and of its rate) after the freedoms are taken out.
        """
        poses = self.polynomials(q, qd, qdd)
        bodies = self.bodies(poses)
        speed, rate = [], []
        for entry in self.held(poses)[len(self.robot.joints) :]:
            twist, twist_rate = _relative(entry, bodies)
            S, Sdot = _subspace(entry, bodies)
            thetadot, *_ = np.linalg.lstsq(S, twist, rcond=None) if S.size else (np.zeros(0),)
            held = _complement(S)
            speed += list(held.T @ twist)
            rate += list(held.T @ (twist_rate - Sdot @ thetadot))
        for ratios in self._coupling_rows():
            speed.append(float(ratios @ qd))
            rate.append(float(ratios @ qdd))
        return np.array(speed), np.array(rate)

    def jacobian(self, q: Array) -> Array:
        """(rows, n): the speeds of `constraint_rows` per unit of each qd."""
        still = np.zeros(self.robot.n)
        return np.array([self.constraint_rows(q, unit, still)[0] for unit in np.eye(self.robot.n)]).T

    def complete(self, q: Array, independent: Sequence[int], qd: Array, qdd: Array) -> tuple[Array, Array]:
        """All speeds and accelerations from those of the independent ones."""
        n, own = self.robot.n, list(independent)
        others = [k for k in range(n) if k not in own]
        J = self.jacobian(q)
        speeds = np.zeros(n)
        speeds[own] = qd
        speeds[others] = np.linalg.lstsq(J[:, others], -J[:, own] @ np.asarray(qd), rcond=None)[0]
        bias = self.constraint_rows(q, speeds, np.zeros(n))[1]
        rates = np.zeros(n)
        rates[own] = qdd
        rates[others] = np.linalg.lstsq(J[:, others], -bias - J[:, own] @ np.asarray(qdd), rcond=None)[0]
        return speeds, rates

    def _coupling_rows(self) -> list[Array]:
        rows = []
        for coupling in self.couplings:
            row = np.zeros(self.robot.n)
            for name, ratio in coupling.ratios:
                row[self.robot.dof_names.index(name)] += ratio
            rows.append(row)
        return rows

    # Forces

    def _wrench_columns(self, held: Sequence[Held], bodies: Mapping[str, Body]) -> Array:
        """(6 links, 6 joints): force and torque on every moving link, about its mass center in world axes, per unit
        of every wrench component.
        """
        row = {name: 6 * k for k, name in enumerate(self.moving)}
        A = np.zeros((6 * len(row), 6 * len(held)))
        for k, joint in enumerate(held):
            for link, sign in ((joint.second, 1.0), (joint.first, -1.0)):
                if link not in row:
                    continue
                arm = joint.origin - self._center(bodies, link)
                i, j = row[link], 6 * k
                A[i : i + 3, j : j + 3] += sign * joint.R
                A[i + 3 : i + 6, j : j + 3] += sign * tilde(arm) @ joint.R
                A[i + 3 : i + 6, j + 3 : j + 6] += sign * joint.R
        return A

    def _center(self, bodies: Mapping[str, Body], link: str) -> Array:
        body = bodies[link]
        return body.p + body.R @ np.array(self.robot.link(link).inertia.center_of_mass)

    def _applied(self, bodies: Mapping[str, Body], external: External | None) -> Array:
        """(6 links,): weight and external wrenches (at the link's origin, in world axes), about the mass centers."""
        total = np.zeros(6 * len(self.moving))
        for k, name in enumerate(self.moving):
            body = bodies[name]
            total[6 * k : 6 * k + 3] += self.robot.link(name).inertia.mass * np.array(self.robot.gravity)
            if external and name in external:
                force, torque = (np.asarray(part, dtype=float) for part in external[name])
                total[6 * k : 6 * k + 3] += force
                total[6 * k + 3 : 6 * k + 6] += torque + np.cross(body.p - self._center(bodies, name), force)
        return total

    def _inertial(self, bodies: Mapping[str, Body]) -> Array:
        """(6 links,): rates of momentum and of angular momentum about the mass centers."""
        total = np.zeros(6 * len(self.moving))
        for k, name in enumerate(self.moving):
            body, inertia = bodies[name], self.robot.link(name).inertia
            arm = body.R @ np.array(inertia.center_of_mass)
            tensor = body.R @ np.array(inertia.tensor) @ body.R.T
            a = body.a + np.cross(body.omegadot, arm) + np.cross(body.omega, np.cross(body.omega, arm))
            total[6 * k : 6 * k + 3] = inertia.mass * a
            total[6 * k + 3 : 6 * k + 6] = tensor @ body.omegadot + np.cross(body.omega, tensor @ body.omega)
        return total

    def _freedoms(self, held: Sequence[Held], bodies: Mapping[str, Body]) -> tuple[Array, Array]:
        """Wrench components along the freedoms: (n, 6 joints) of the tree's speeds, (m, 6 joints) of the loops'."""
        tree, loops = np.zeros((self.robot.n, 6 * len(held))), []
        for k, joint in enumerate(held):
            S = _subspace(joint, bodies)[0]
            power = np.vstack([S[3:], S[:3]]).T  # of force and torque, per freedom
            if joint.speeds is not None:
                tree[joint.speeds, 6 * k : 6 * k + 6] += joint.multiplier * power
            elif joint.motion.dof:
                rows = np.zeros((joint.motion.dof, 6 * len(held)))
                rows[:, 6 * k : 6 * k + 6] = power
                loops.append(rows)
        return tree, np.vstack(loops) if loops else np.zeros((0, 6 * len(held)))

    def _per_speed(self, part: str) -> Array:
        """Friction or rotor of each speed, with those of the joints that mimic (squared multiplier)."""
        total = np.zeros(self.robot.n)
        for joint in self.robot.joints:
            if joint.motion.dof:
                k = 1.0 if joint.mimic is None else self.robot.mimic_of(joint).multiplier
                total[self.robot.v_slices[joint.name]] += k * k * np.array(getattr(joint, part))
        return total

    def drive_losses(self, qd: Array) -> Array:
        """Friction (n,): viscous and Coulomb."""
        coulomb = np.zeros(self.robot.n)
        for joint in self.robot.joints:
            if joint.motion.dof:
                k = 1.0 if joint.mimic is None else self.robot.mimic_of(joint).multiplier
                own = k * np.asarray(qd)[self.robot.v_slices[joint.name]]
                coulomb[self.robot.v_slices[joint.name]] += k * np.array(joint.coulomb_friction) * np.sign(own)
        return self._per_speed("viscous_friction") * np.asarray(qd) + coulomb

    def inverse(
        self,
        q: Array,
        qd: Array,
        qdd: Array,
        driven: Sequence[int],
        *,
        external: External | None = None,
        weights: Array | None = None,
        preload: Array | None = None,
        compliance: Array | None = None,
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
    ) -> Solution:
        """Drives and reactions for a motion on the manifold. `driven`: numbers of the speeds with a drive. `weights`
        (n,) of the drives where there are more than needed; `preload` (n,): the drives are those nearest to it.
        `compliance` (joints, 6): of force and torque.
        """
        n = self.robot.n
        poses = self.polynomials(q, qd, qdd, base_velocity, base_acceleration)
        bodies, held = self.bodies(poses), self.held(poses)
        along_tree, along_loops = self._freedoms(held, bodies)
        couplings = self._coupling_rows()
        own = list(driven)
        wrenches, drives, multipliers = 6 * len(held), len(own), len(couplings)
        links = 6 * len(self.moving)
        A = np.zeros((links + n + len(along_loops), wrenches + drives + multipliers))
        b = np.zeros(len(A))
        A[:links, :wrenches] = self._wrench_columns(held, bodies)
        b[:links] = self._inertial(bodies) - self._applied(bodies, external)
        speeds = slice(links, links + n)
        A[speeds, :wrenches] = along_tree
        A[[links + k for k in own], range(wrenches, wrenches + drives)] = -1.0
        for k, row in enumerate(couplings):
            A[speeds, wrenches + drives + k] = -row
        b[speeds] = -self.drive_losses(qd) - self._per_speed("reflected_inertia") * np.asarray(qdd)
        A[links + n :, :wrenches] = along_loops
        x, null = _all_solutions(A, b)
        # least drives first
        weight = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
        wanted = np.zeros(n) if preload is None else np.asarray(preload, dtype=float)
        scaled, target = weight[own, None] * null[wrenches : wrenches + drives], weight[own] * wanted[own]
        x, null = _least(x, null, scaled, weight[own] * x[wrenches : wrenches + drives] - target)
        # then the reactions
        root = np.ones(wrenches) if compliance is None else np.sqrt(np.asarray(compliance, dtype=float)).reshape(-1)
        determinate = np.abs(null[:wrenches]).max(axis=1, initial=0.0) < 1e-9
        count = np.linalg.matrix_rank(null[:wrenches], tol=1e-9) if null.size else 0
        # a coupling counts with the forces that it puts on its joints
        coupled = np.diag([np.linalg.norm(row) for row in couplings]).reshape(multipliers, multipliers)
        at = slice(wrenches + drives, None)
        effect = np.vstack([root[:, None] * null[:wrenches], coupled @ null[at]])
        x, null = _least(x, null, effect, np.concatenate([root * x[:wrenches], coupled @ x[at]]))
        tau = np.zeros(n)
        tau[own] = x[wrenches : wrenches + drives]
        parts = x[:wrenches].reshape(-1, 2, 3)
        return Solution(self.names, tau, np.asarray(qdd, dtype=float), parts[:, 0], parts[:, 1],
                        determinate.reshape(-1, 6), float(np.abs(A @ x - b).max()), int(count))

    def forward(self, q: Array, qd: Array, tau: Array, *, external: External | None = None) -> Solution:
        """Accelerations and reactions for given forces on all speeds, from the whole system at once: unknowns are the
        accelerations of all links, of all joints and loops, the wrenches and the multipliers.
        """
        n = self.robot.n
        poses = self.polynomials(q, qd, np.zeros(n))
        bodies, held = self.bodies(poses), self.held(poses)
        for body in bodies.values():  # accelerations are unknown
            body.a, body.omegadot = np.zeros(3), np.zeros(3)
        along_tree, along_loops = self._freedoms(held, bodies)
        couplings = self._coupling_rows()
        links, wrenches, loop_speeds = 6 * len(self.moving), 6 * len(held), len(along_loops)
        sizes = np.cumsum([0, links, n, loop_speeds, wrenches, len(couplings)])
        a, s, t, w, m = (slice(*pair) for pair in pairwise(sizes))
        rows: list[tuple[Array, Array]] = []

        def equations(count: int, right: Array, **parts: Array) -> None:
            block = np.zeros((count, sizes[-1]))
            for name, part in parts.items():
                block[:, {"a": a, "s": s, "t": t, "w": w, "m": m}[name]] = part
            rows.append((block, right))

        mass = self._mass(bodies)
        bias = self._inertial(bodies) - self._applied(bodies, external)
        equations(links, -bias, a=mass, w=-self._wrench_columns(held, bodies))
        start = 0
        for joint in held:
            S, Sdot = _subspace(joint, bodies)
            twist, twist_rate = _relative(joint, bodies)
            on_links = self._relative_columns(joint, bodies)
            if joint.speeds is not None:
                own = np.zeros((6, n))
                own[:, joint.speeds] = joint.multiplier * S
                speeds = joint.multiplier * np.asarray(qd)[joint.speeds]
                equations(6, Sdot @ speeds - twist_rate, a=on_links, s=-own)
            elif joint.motion.dof:
                own = np.zeros((6, loop_speeds))
                own[:, start : start + joint.motion.dof] = S
                start += joint.motion.dof
                equations(6, Sdot @ np.linalg.lstsq(S, twist, rcond=None)[0] - twist_rate, a=on_links, t=-own)
            else:
                equations(6, -twist_rate, a=on_links)
        rotors = np.diag(self._per_speed("reflected_inertia"))
        coupled = np.array(couplings).reshape(-1, n)
        equations(n, np.asarray(tau) - self.drive_losses(qd), w=along_tree, s=rotors, m=-coupled.T)
        equations(loop_speeds, np.zeros(loop_speeds), w=along_loops)
        equations(len(couplings), np.zeros(len(couplings)), s=coupled)
        A, b = np.vstack([block for block, _ in rows]), np.concatenate([right for _, right in rows])
        # Links without mass and light ones beside heavy ones: rows of one size, columns of one size.
        down = np.abs(A).max(axis=1)
        down[down == 0.0] = 1.0
        A, b = A / down[:, None], b / down
        x, null = _all_solutions(A, b)
        determinate = np.abs(null[w]).max(axis=1, initial=0.0) < 1e-9
        size = np.linalg.norm(coupled, axis=1)
        x, null = _least(x, null, np.vstack([null[w], size[:, None] * null[m]]), np.concatenate([x[w], size * x[m]]))
        parts = x[w].reshape(-1, 2, 3)
        return Solution(self.names, np.asarray(tau, dtype=float), x[s], parts[:, 0], parts[:, 1],
                        determinate.reshape(-1, 6), float(np.abs(A @ x - b).max()), null.shape[1])

    def _mass(self, bodies: Mapping[str, Body]) -> Array:
        """(6 links, 6 links): from acceleration of the origin and angular acceleration, world axes."""
        M = np.zeros((6 * len(self.moving), 6 * len(self.moving)))
        for k, name in enumerate(self.moving):
            body, inertia = bodies[name], self.robot.link(name).inertia
            arm, i = body.R @ np.array(inertia.center_of_mass), 6 * k
            M[i : i + 3, i : i + 3] = inertia.mass * np.eye(3)
            M[i : i + 3, i + 3 : i + 6] = -inertia.mass * tilde(arm)
            M[i + 3 : i + 6, i + 3 : i + 6] = body.R @ np.array(inertia.tensor) @ body.R.T
        return M

    def _relative_columns(self, joint: Held, bodies: Mapping[str, Body]) -> Array:
        """(6, 6 links): rate of the relative twist (angular, linear) per unit of the links' accelerations."""
        result = np.zeros((6, 6 * len(self.moving)))
        for link, sign in ((joint.second, 1.0), (joint.first, -1.0)):
            if link in self.moving:
                i = 6 * self.moving.index(link)
                result[:3, i + 3 : i + 6] += sign * joint.R.T
                result[3:, i : i + 3] += sign * joint.R.T
                result[3:, i + 3 : i + 6] -= sign * joint.R.T @ tilde(joint.origin - bodies[link].p)
        return result

    # Energy

    def energy(self, q: Array, qd: Array) -> tuple[float, float]:
        """Kinetic energy of links and rotors, potential energy in gravity (J), of the moving links."""
        bodies = self.bodies(self.polynomials(q, qd, np.zeros(self.robot.n)))
        kinetic = float(self._per_speed("reflected_inertia") @ np.asarray(qd) ** 2) / 2.0
        potential = 0.0
        for name in self.moving:
            body, inertia = bodies[name], self.robot.link(name).inertia
            arm = body.R @ np.array(inertia.center_of_mass)
            v = body.v + np.cross(body.omega, arm)
            tensor = body.R @ np.array(inertia.tensor) @ body.R.T
            kinetic += float(inertia.mass * v @ v + body.omega @ tensor @ body.omega) / 2.0
            potential -= inertia.mass * float(np.array(self.robot.gravity) @ (body.p + arm))
        return kinetic, potential

    def power(self, q: Array, qd: Array, qdd: Array) -> float:
        """d/dt of the energy of links and rotors (W), from the rates of momentum."""
        bodies = self.bodies(self.polynomials(q, qd, qdd))
        rate, weight = self._inertial(bodies), self._applied(bodies, None)
        total = float((self._per_speed("reflected_inertia") * np.asarray(qdd)) @ np.asarray(qd))
        for k, name in enumerate(self.moving):
            body = bodies[name]
            arm = body.R @ np.array(self.robot.link(name).inertia.center_of_mass)
            v = body.v + np.cross(body.omega, arm)
            part = (rate - weight)[6 * k : 6 * k + 6]
            total += float(part[:3] @ v + part[3:] @ body.omega)
        return total


def _axial(skew: Array) -> Array:
    return np.array([skew[2, 1] - skew[1, 2], skew[0, 2] - skew[2, 0], skew[1, 0] - skew[0, 1]]) / 2.0


def _relative(joint: Held, bodies: Mapping[str, Body]) -> tuple[Array, Array]:
    """Twist of the second link against the first (angular, linear, at the joint's origin, in child axes) and the rate
    of its components.
    """
    one, two = bodies[joint.first], bodies[joint.second]
    omega = two.omega - one.omega
    r1, r2 = joint.origin - one.p, joint.origin - two.p
    v2 = two.v + np.cross(two.omega, r2)  # of the point of the second link
    v1 = one.v + np.cross(one.omega, r1)  # of the point of the first that is there
    a2 = two.a + np.cross(two.omegadot, r2) + np.cross(two.omega, np.cross(two.omega, r2))
    # rate of v1, whose point goes with the second link
    a1 = one.a + np.cross(one.omegadot, r1) + np.cross(one.omega, v2 - one.v)
    slip = v2 - v1
    angular = two.omegadot - one.omegadot - np.cross(two.omega, omega)
    linear = a2 - a1 - np.cross(two.omega, slip)
    twist = np.concatenate([joint.R.T @ omega, joint.R.T @ slip])
    return twist, np.concatenate([joint.R.T @ angular, joint.R.T @ linear])


def _subspace(joint: Held, bodies: Mapping[str, Body]) -> tuple[Array, Array]:
    """(6, freedoms): angular and linear velocity per freedom in child axes, and its rate."""
    back = joint.R.T @ joint.before
    omega = joint.R.T @ (bodies[joint.second].omega - bodies[joint.first].omega)
    S, rate = [], []
    for angular, linear, in_child in directions(joint.motion):
        if in_child:
            S.append(np.concatenate([angular, linear]))
            rate.append(np.zeros(6))
        else:
            S.append(np.concatenate([back @ angular, back @ linear]))
            rate.append(np.concatenate([-np.cross(omega, back @ angular), -np.cross(omega, back @ linear)]))
    return np.array(S).reshape(-1, 6).T, np.array(rate).reshape(-1, 6).T


def _complement(S: Array) -> Array:
    """(6, held): an orthonormal basis of what S leaves."""
    if not S.size:
        return np.eye(6)
    return np.linalg.svd(S)[0][:, S.shape[1] :]


def _all_solutions(A: Array, b: Array) -> tuple[Array, Array]:
    """One solution of A x = b (least squares) and a basis of the null space."""
    u, sigma, vt = np.linalg.svd(A)
    rank = int((sigma > RANK * sigma[0]).sum())
    return vt[:rank].T @ ((u[:, :rank].T @ b) / sigma[:rank]), vt[rank:].T


def _least(x: Array, null: Array, effect: Array, value: Array) -> tuple[Array, Array]:
    """x + null z with the least |value + effect z|, and the null space that is left."""
    if not null.size:
        return x, null
    if not effect.size:
        return x, null
    u, sigma, vt = np.linalg.svd(effect)
    rank = int((sigma > RANK * max(1.0, sigma[0])).sum())
    z = -vt[:rank].T @ ((u[:, :rank].T @ value) / sigma[:rank])
    return x + null @ z, null @ vt[rank:].T
