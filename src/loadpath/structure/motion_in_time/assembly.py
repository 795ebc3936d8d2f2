"""Mass matrix and bias forces of a flexible arm in its own coordinates: joints, and a few elastic ones.

Everything is in world axes about the world's origin: there a twist is the same all along a branch, so that the Jacobian
of a mass point is the sum of the columns on its path, and the mass matrix the sum of J^T I J over the mass points. The
elastic coordinates `a` are combinations of the strains of all steps, by constant matrices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.engine.arguments import DEFAULT, Variant, Wrenches
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars.types import Floats
from loadpath.structure.motion_in_time.chain import TWELVE, Chain
from loadpath.structure.motion_in_time.kernels import every_mass_point, every_rod_step, frames_of, motion_of


class Dynamics(NamedTuple):
    """M z'' + bias = forces, with z the joints' coordinates and the elastic ones; without elastic forces, rotors and
    friction.
    """

    M: Floats
    bias: Floats
    potential: float
    """J, of gravity."""
    external_power: float


class Assembly:
    """A chain with elastic coordinates a, of which eta = basis @ a."""

    def __init__(self, chain: Chain, basis: Floats, spec: Wrenches = ()) -> None:
        self.chain, self.basis = chain, basis
        self.n, self.modes = chain.n, basis.shape[1]
        self._frames = frames_of(chain)
        self._motion = motion_of(chain).compiled(Variant(DEFAULT, None, spec))
        self._step, self._point = every_rod_step.ufunc, every_mass_point.ufunc
        self._lengths = np.array([step.length for step in chain.steps])
        self._gravity = np.array(chain.arm.gravity, dtype=float)
        self._masses = np.array([point.mass for point in chain.points])
        self._moments = np.array([point.moment for point in chain.points])
        self._tensors = np.array([point.tensor for point in chain.points])
        self._strain_of_step: Floats = np.ascontiguousarray(chain.strain_matrices() @ basis)  # (steps, 12, modes)
        self._strain = self._strain_of_step.reshape(-1, self.modes)
        self._by_steps, by_columns = chain.paths
        self._J = np.zeros((len(chain.points), 6, self.n + self.modes))
        speeds = [speed for _, _, speed in chain.joint_columns]
        self._plain = speeds == list(range(self.n))
        self._to_speed = np.zeros((len(speeds), self.n))
        self._to_speed[np.arange(len(speeds)), speeds] = 1.0
        self._by_columns = by_columns[:, None, :]

    def __call__(self, q: Floats, qd: Floats, a: Floats, ad: Floats, *wrenches: Floats) -> Dynamics:
        """At one state; `wrenches` (links, 6) are the external ones."""
        n, J = self.n, self._J
        strain, rate = (self._strain @ a).reshape(-1, TWELVE), (self._strain @ ad).reshape(-1, TWELVE)
        turns, motions, columns = self._step(strain, rate, self._lengths)
        joints, carries, points, applied, power = self._motion(q, qd, turns, motions, *wrenches)
        inertias, bias, potential = self._point(points, self._gravity, self._masses, self._moments, self._tensors)
        own = self._by_columns * joints.T
        J[:, :, :n] = own if self._plain else own @ self._to_speed
        W = np.matmul(carries, np.matmul(columns.transpose(0, 2, 1), self._strain_of_step))
        J[:, :, n:] = (self._by_steps @ W.reshape(len(W), -1)).reshape(len(J), 6, self.modes)
        flat = J.reshape(-1, n + self.modes)
        M = flat.T @ np.matmul(inertias, J).reshape(flat.shape)
        return Dynamics(M, (bias - applied).reshape(-1) @ flat, float(potential.sum()), float(power))

    def places(self, q: Floats, a: Floats) -> tuple[Floats, Floats]:
        """Poses (..., links, 4, 4) of the link frames and the ends (..., steps, 3) of all steps, in the world."""
        strain = (a @ self._strain.T).reshape(*a.shape[:-1], -1, TWELVE)
        turns, motions, _ = self._step(strain, np.zeros_like(strain), self._lengths)
        poses, ends = self._frames(q, turns, np.ascontiguousarray(motions[..., 0, :]))
        return poses, ends


def drive_constants(mechanism: Mechanism) -> tuple[Floats, Floats]:
    """(n,) each: the rotors' reflected inertia and the viscous friction along every speed."""
    rotors, viscous = np.zeros(mechanism.n), np.zeros(mechanism.n)
    for body in mechanism.bodies:
        for k, number in enumerate(range(body.v.start, body.v.stop)):
            rotors[number] += body.multiplier**2 * body.joint.reflected_inertia[k]
            viscous[number] += body.multiplier**2 * body.joint.viscous_friction[k]
    return rotors, viscous
