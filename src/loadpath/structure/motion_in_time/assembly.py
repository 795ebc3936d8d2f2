"""Mass matrix and bias forces of a flexible arm in its own coordinates: joints, and a few elastic ones.

Everything is in world axes about the world's origin: there a twist is the same all along a branch, so that the Jacobian
of a mass point is the sum of the columns on its path, and the mass matrix the sum of J^T I J over the mass points. The
elastic coordinates `a` are combinations of the strains of all steps, by constant matrices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.engine.arguments import DEFAULT, Variant, Wrenches
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars.types import Floats
from loadpath.structure.motion_in_time.chain import ON_BODY, TWELVE, Chain
from loadpath.structure.motion_in_time.kernels import every_mass_point, every_rod_step, motion_of


class Dynamics(NamedTuple):
    """M z'' + bias = forces, with z the joints' coordinates and the elastic ones; without elastic forces, rotors and
    friction.
    """

    M: Floats
    bias: Floats
    potentials: Floats
    """(mass points,), J, of gravity."""
    external_power: float


class Assembly:
    """A chain with elastic coordinates a, of which eta = basis @ a."""

    def __init__(self, chain: Chain, basis: Floats, spec: Wrenches = ()) -> None:
        self.chain, self.basis = chain, basis
        self.n, self.modes = chain.n, basis.shape[1]
        self._motion = motion_of(chain).compiled(Variant(DEFAULT, None, spec))
        self._step, self._point = every_rod_step.ufunc, every_mass_point.ufunc
        self._lengths = np.array([step.length for step in chain.steps])
        self.gravity = np.array(chain.arm.gravity, dtype=float)
        """In the axes of the base; it may change between two calls."""
        self._masses = np.array([point.mass for point in chain.points])
        self._moments = np.array([point.moment for point in chain.points])
        self._tensors = np.array([point.tensor for point in chain.points])
        self._strain_of_step: Floats = np.ascontiguousarray(chain.strain_matrices() @ basis)  # (steps, 12, modes)
        self._strain = np.ascontiguousarray(self._strain_of_step.reshape(-1, self.modes).T)
        self._paths = np.concatenate(chain.paths, axis=1)
        steps, points, size = len(chain.steps), len(chain.points), self.n + self.modes
        # Columns of steps above those of joints, in all coordinates; products of J with inertias and with the bias.
        self._columns = np.zeros((steps + len(chain.joint_columns), 6, size))
        self._of_steps = self._columns[:steps, :, self.n :]
        self._joint_rows = steps + np.arange(len(chain.joint_columns))
        self._joint_speeds = np.array([speed for _, _, speed in chain.joint_columns], dtype=np.intp)
        self._products = np.zeros((points, 6, size + 1))
        self._with_inertia, self._with_bias = self._products[:, :, :size], self._products[:, :, size]
        self._applies = bool(spec)
        self._no_wrenches = (np.zeros((len(spec), 6)),) if spec else ()

    def __call__(self, q: Floats, qd: Floats, elastic: Floats, *wrenches: Floats) -> Dynamics:
        """At one state; `elastic` (2, modes) are the elastic coordinates and their rates, `wrenches` (links, 6) the
        external ones, none unless given.
        """
        J, inertias, bias, potentials, power = self._jacobians(q, qd, elastic, *wrenches)
        np.matmul(inertias, J, out=self._with_inertia)
        self._with_bias[:] = bias
        size = self._products.shape[2] - 1
        both = J.reshape(-1, size).T @ self._products.reshape(-1, size + 1)
        return Dynamics(both[:, :size], both[:, size], potentials, power)

    def link_motion(self, q: Floats, qd: Floats, elastic: Floats, link: str) -> tuple[Floats, Floats, Floats, Floats]:
        """Of the frame of a link: its axes (3, 3) and origin, velocity of the origin and angular velocity; world axes.
        """
        frame = self.chain.mechanism.link_frames[link]
        by, origin = frame.rotation.matrix().astype(float), frame.origin.astype(float)
        if frame.body == BASE:
            return by, origin, np.zeros(3), np.zeros(3)
        strain, rate = (elastic @ self._strain).reshape(2, -1, TWELVE)
        turns, motions, _ = self._step(strain, rate, self._lengths)
        points = self._motion(q, qd, turns, motions, *self._no_wrenches)[2]
        at = points[next(k for k, p in enumerate(self.chain.points) if p.step == ON_BODY and p.body == frame.body)]
        R, x, w, v = at[:3], at[3], at[4], at[5]
        arm = R @ origin
        return R @ by, x + arm, v + np.cross(w, arm), w

    def linear_momentum(self, speeds: Floats) -> Floats:
        """(3,): of all mass points together, at the state of the last call."""
        result: Floats = self._with_inertia[:, :3].sum(axis=0) @ speeds
        return result

    def needed(self, q: Floats, qd: Floats, elastic: Floats, accelerations: Floats, *wrenches: Floats) -> Floats:
        """(n + modes,): the forces along all coordinates that such a motion needs, without rotors and friction."""
        J, inertias, bias, _, _ = self._jacobians(q, qd, elastic, *wrenches)
        wrench = np.einsum("pij,pj->pi", inertias, J @ accelerations) + bias
        result: Floats = wrench.reshape(-1) @ J.reshape(wrench.size, -1)
        return result

    def _jacobians(
        self, q: Floats, qd: Floats, elastic: Floats, *wrenches: Floats
    ) -> tuple[Floats, Floats, Floats, Floats, float]:
        """Of the mass points: Jacobians (points, 6, n + modes), inertias (points, 6, 6), wrenches while speeds are
        steady (points, 6), potential energies; and the power of the external wrenches.
        """
        strain, rate = (elastic @ self._strain).reshape(2, -1, TWELVE)
        turns, motions, columns = self._step(strain, rate, self._lengths)
        joints, carries, points, applied, power = self._motion(q, qd, turns, motions, *(wrenches or self._no_wrenches))
        inertias, bias, potentials = self._point(points, self.gravity, self._masses, self._moments, self._tensors)
        np.matmul(carries, np.matmul(columns.transpose(0, 2, 1), self._strain_of_step), out=self._of_steps)
        self._columns[self._joint_rows, :, self._joint_speeds] = joints
        J = (self._paths @ self._columns.reshape(len(self._columns), -1)).reshape(len(points), 6, -1)
        return J, inertias, bias - applied if self._applies else bias, potentials, power


def link_poses(chain: Chain, q: Floats, eta: Floats) -> Floats:
    """Poses (..., links, 4, 4) of the link frames in the world, for coordinates (..., size) of the vibration model."""
    strain = np.einsum("kic,...c->...ki", chain.strain_matrices(), eta)
    turns, motions, _ = every_rod_step.ufunc(strain, np.zeros_like(strain), [step.length for step in chain.steps])
    points = motion_of(chain).ufunc(q, np.zeros(chain.n), turns, motions)[2]
    row_of = {point.body: k for k, point in enumerate(chain.points) if point.step == ON_BODY}
    poses = np.zeros((*eta.shape[:-1], len(chain.link_names), 4, 4))
    poses[..., 3, 3] = 1.0
    for k, frame in enumerate(chain.mechanism.link_frames.values()):
        R, x = np.eye(3), np.zeros(3)
        if frame.body != BASE:
            at = points[..., row_of[frame.body], :, :]
            R, x = at[..., :3, :], at[..., 3, :]
        poses[..., k, :3, :3] = R @ frame.rotation.matrix().astype(float)
        poses[..., k, :3, 3] = x + R @ frame.origin.astype(float)
    return poses


def drive_constants(mechanism: Mechanism) -> tuple[Floats, Floats]:
    """(n,) each: the rotors' reflected inertia and the viscous friction along every speed."""
    rotors, viscous = np.zeros(mechanism.n), np.zeros(mechanism.n)
    for body in mechanism.bodies:
        for k, number in enumerate(range(body.v.start, body.v.stop)):
            rotors[number] += body.multiplier**2 * body.joint.reflected_inertia[k]
            viscous[number] += body.multiplier**2 * body.joint.viscous_friction[k]
    return rotors, viscous
