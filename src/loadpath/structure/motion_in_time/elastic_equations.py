"""The differential equation of a flexible arm in time: y = (q, qd, a, a', work of drives, heat, external work)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadpath.algorithms import state_space
from loadpath.algorithms.coulomb import DryFriction
from loadpath.engine.arguments import Wrenches
from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.errors import ModelError
from loadpath.loads.tip.link_point import OnFixedBase
from loadpath.mechanics import springs
from loadpath.mechanics.drives import springs_of_drives
from loadpath.robot.drive_train.of_joint import refuse_springs
from loadpath.robot.mechanism import Mechanism, plain
from loadpath.robot.model import RobotModel
from loadpath.scalars import Array, Scalar
from loadpath.scalars.types import Floats
from loadpath.simulate.base_in_time import BaseInTime
from loadpath.simulate.drive import Force
from loadpath.simulate.equations import Equations, Evaluation, Grip
from loadpath.simulate.prescribed import Prescribed
from loadpath.structure.motion_in_time.assembly import Assembly, Dynamics, drive_constants
from loadpath.structure.motion_in_time.chain import Chain
from loadpath.structure.motion_in_time.kernels import motion_of

_SINGULAR = 1e-13
"""Smallest eigenvalue of the mass matrix, scaled to a diagonal of ones, that is more than rounding."""


def _spring_forces(mechanism: Mechanism, q: Array) -> tuple[Array, Scalar]:
    """What springs in parallel with the drives take from them, along each speed, and what they store."""
    stored: Scalar = 0.0
    for body in mechanism.bodies:
        stored = stored + springs.energy(body, q)
    return springs_of_drives(mechanism, q), stored


class _Kernels:
    spring_forces = Compiled(_spring_forces, "(q)->(n),()", plain, "Forces and energy of springs at joints.")
    coordinate_rate = Compiled(state_space.coordinate_rate, "(q),(n)->(q)", plain, "Rates of the coordinates.")


class ElasticEquations(Equations):
    """The equations of motion of a flexible arm, of its drives and its surroundings.

    Joints that stick or follow a law are held to given accelerations; the others and the elastic coordinates move
    freely. Elastic forces are -a, those of damping -D a'.
    """

    def __init__(
        self, arm: RobotModel, chain: Chain, external: Any, prescribed: Prescribed, base: BaseInTime | None = None
    ) -> None:
        from scipy.linalg.lapack import dposv

        refuse_springs(arm, "simulations with beams", lines_only=True)
        self._solve = dposv
        self.arm, self.chain, self.prescribed = arm, chain, prescribed
        self._read(arm, motion_of(chain), external, base)
        self._point = external.point if isinstance(external, OnFixedBase) else None
        self.rotors, self.viscous = drive_constants(plain(arm))
        self._friction_of_laws = DryFriction(plain(arm))
        sprung = any(any(joint.springs) for joint in arm.joints)
        self._springs = CompiledMethod(arm, _Kernels.spring_forces) if sprung else None
        self._rate_of_q = CompiledMethod(arm, _Kernels.coordinate_rate) if arm.nq != arm.n else None
        self._no_acceleration = np.zeros(arm.n)

    def begin_piece(self, t: float) -> None:
        """A piece of time begins: joints that move as given never stick."""
        super().begin_piece(t)
        self.coulomb_limits[self.prescribed.numbers] = 0.0
        self.rubbing = np.flatnonzero(self.coulomb_limits > 0)

    @property
    def spec(self) -> Wrenches:
        """The links that external wrenches act on."""
        return self._spec

    def use(self, basis: Floats) -> None:
        """The elastic coordinates: combinations (size, modes) of all."""
        self.assembly = Assembly(self.chain, basis, self._spec)
        self.assembly.gravity = self._gravity_at(0.0)
        self.modes = basis.shape[1]
        self.damping = np.zeros((self.modes, self.modes))
        self._size = self.n + self.modes
        self._unsolvable = np.full(self._size, np.nan)  # of a trial step far beyond: the integrator takes a shorter one
        self._diagonal = np.arange(self.n)

    def reduced(self, matrix: Floats) -> Floats:
        """A matrix (size, size) of the vibration model in the elastic coordinates."""
        basis = self.assembly.basis
        result: Floats = basis.T @ matrix @ basis
        return result

    def elastic(self, y: Floats) -> Floats:
        """(..., 2, modes): a and a' of y (..., size)."""
        return y[..., self.nx : self.nx + 2 * self.modes].reshape(*y.shape[:-1], 2, self.modes)

    def start_wrenches(self, q: Floats, qd: Floats) -> Callable[[Floats], tuple[Floats, ...]]:
        """The external wrenches at the start, a function of the elastic coordinates and their rates (2, modes)."""
        if self._point is not None:
            return lambda elastic: self._wrenches_at(0.0, q, qd, elastic)
        constant = self._wrenches(0.0, q, qd) if self._fixed is None else self._fixed
        return lambda elastic: constant

    def _wrenches_at(self, t: float, q: Floats, qd: Floats, elastic: Floats) -> tuple[Floats, ...]:
        """The external wrenches in a state: where they follow from a point of a link, the link is where it is bent."""
        if self._fixed is not None:
            return self._fixed
        if self._point is None:
            return self._wrenches(t, q, qd)
        return self._checked(t, self._point.wrenches(*self.assembly.link_motion(q, qd, elastic, self._point.link)))

    def _exerted(self, t: float, y: Floats) -> Any:
        q, qd = self.coordinates(y)
        if self._point is None:
            return self._external(t, q, qd)
        return self._point.wrenches(*self.assembly.link_motion(q, qd, self.elastic(y), self._point.link))

    def _gravity_at(self, t: float) -> Floats:
        """Gravity in the axes of the base, less what the base accelerates by."""
        own = np.array(self.robot.gravity, dtype=float)
        if self.base is None:
            return own
        velocity, acceleration = self.base.at(t)
        if velocity[3:].any() or acceleration[3:].any():
            raise ValueError(f"simulate: the base of robot '{self.robot.name}' turns at t = {t:.6g} s, and beams are "
                             "simulated on a base that moves without turning: without_beams().simulate(...) moves the "
                             "rigid robot; a further joint, prescribed, turns a flexible one")
        result: Floats = own - acceleration[:3]
        return result

    def dynamics(self, t: float, q: Floats, qd: Floats, elastic: Floats) -> Dynamics:
        """Mass matrix with the rotors, and bias forces; `elastic` (2, modes) are a and a'."""
        wrenches = self._wrenches_at(t, q, qd, elastic)
        if self.base is not None:
            self.assembly.gravity = self._gravity_at(t)
        found = self.assembly(q, qd, elastic, *wrenches)
        found.M[self._diagonal, self._diagonal] += self.rotors
        return found

    def evaluate(self, t: float, y: Floats, force: Force, grip: Grip) -> Evaluation:
        """The rate of y while joints slip and stick as `grip` says."""
        self.evaluations += 1
        n, nq, nx, m = self.n, self.nq, self.nx, self.modes
        q, qd, elastic = y[:nq], y[nq:nx], y[nx : nx + 2 * m].reshape(2, m)
        led = self.prescribed.numbers
        acceleration = self._no_acceleration
        if len(led):
            q, qd, acceleration = q.copy(), qd.copy(), np.zeros(n)
            q[self.prescribed.coordinates], qd[led], acceleration[led] = self.prescribed.at(t)
        tau = force(t, q, qd)
        at = self.dynamics(t, q, qd, elastic)
        viscous, coulomb = self.viscous * qd, self.friction.at(qd) * grip.direction
        heat = self.damping @ elastic[1]
        r = -at.bias  # forces less bias
        r[:n] += tau - viscous - coulomb
        if self._springs is not None:
            r[:n] -= self._springs(q)[0]
        r[n:] -= elastic[0] + heat
        rate = np.empty(len(y))
        if len(led) or len(grip.stuck):
            held = np.concatenate([led, grip.stuck])
            zdd, lacking = self._held_accelerations(at, r, held, acceleration)
            tau, count = tau.copy(), len(led)
            friction = self._friction_of_laws.at(qd)[led] * np.sign(qd[led])
            tau[led] += lacking[:count] + friction
            coulomb[led], coulomb[grip.stuck] = friction, -lacking[count:]
        else:
            _, zdd, info = self._solve(at.M, r)
            if info:
                zdd = self._unsolvable
        rate[:nq] = qd if self._rate_of_q is None else self._rate_of_q(q, qd)
        rate[nq:nx] = zdd[:n]
        rate[nx : nx + m] = elastic[1]
        rate[nx + m : nx + 2 * m] = zdd[n:]
        works = rate[nx + 2 * m :]
        works[:3] = tau @ qd, (viscous + coulomb) @ qd + heat @ elastic[1], at.external_power
        if self.base is not None:  # in the axes of the base, what it accelerates by is a further gravity
            more = self.assembly.gravity - self.robot.gravity
            works[3] = more @ self.assembly.linear_momentum(np.concatenate([qd, elastic[1]]))
        return Evaluation(rate, tau, coulomb)

    def _held_accelerations(
        self, at: Dynamics, r: Floats, held: NDArray[np.intp], acceleration: Floats
    ) -> tuple[Floats, Floats]:
        """All accelerations, where those of the joints `held` are given; and the forces lacking along these."""
        zdd = np.zeros(self._size)
        zdd[: self.n] = acceleration
        free = np.ones(self._size, dtype=bool)
        free[held] = False
        if free.any():
            rows = at.M[free]
            _, found, info = self._solve(rows[:, free], r[free] - rows[:, held] @ zdd[held])
            zdd[free] = np.nan if info else found
        return zdd, at.M[held] @ zdd - r[held]

    def _mobility(self, t: float, y: Floats) -> Floats:
        q, qd = self.coordinates(y)
        M = self.dynamics(t, q, qd, self.elastic(y)).M
        free = np.ones(self._size, dtype=bool)
        free[self.prescribed.numbers] = False
        inverse = np.zeros_like(M)
        inverse[np.ix_(free, free)] = np.linalg.inv(M[np.ix_(free, free)])
        return inverse[: self.n, : self.n]

    def check_masses(self, q: Floats, a: Floats) -> None:
        """Refuse an arm whose mass matrix is not positive where it starts."""
        at = self.dynamics(0.0, q, np.zeros(self.n), np.stack([a, np.zeros(self.modes)]))
        scale = np.sqrt(np.maximum(np.diag(at.M), 1e-300))
        least = float(np.linalg.eigvalsh(at.M / np.outer(scale, scale)).min(initial=1.0))
        if not least > _SINGULAR:
            raise ModelError(
                f"robot '{self.arm.name}': its mass matrix is not positive (smallest eigenvalue {least:.3g}, scaled): "
                "a link moves without inertia, or its inertia tensor is smaller than its beam's mass asks for; give "
                "the link the inertia of its beam (inertia_from_beams=True) or a tensor that a body can have, give the "
                "joint a rotor inertia, or lock it"
            )

    def energies(self, t: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
        """Kinetic energy, that of gravity and of joints' springs, and that of elastic parts at states (times, size)."""
        elastic = self.elastic(y)
        kinetic, gravity = np.empty(len(y)), np.empty(len(y))
        own = np.array(self.robot.gravity, dtype=float)
        for k, row in enumerate(y):
            q, qd = self.coordinates(row)
            at = self.dynamics(float(t[k]), q, qd, elastic[k])
            speeds = np.concatenate([qd, elastic[k, 1]])
            kinetic[k], gravity[k] = 0.5 * speeds @ at.M @ speeds, at.potentials.sum()
            if self.base is not None:
                self.assembly.gravity = own
                gravity[k] = self.assembly(q, qd, elastic[k]).potentials.sum()
            if self._springs is not None:
                gravity[k] += self._springs(q)[1]
        return kinetic, gravity, 0.5 * np.sum(elastic[:, 0] ** 2, axis=1)

    def all_coordinates(self, times: Floats, y: Floats, rates: Floats) -> Floats:
        """(times, size): the coordinates of the vibration model, those that the basis leaves out too, which follow the
        loads without inertia of their own (mode acceleration): the elastic forces are the coordinates themselves.
        """
        basis, elastic = self.assembly.basis, self.elastic(y)
        accelerations = rates[:, self.nx + self.modes : self.nx + 2 * self.modes]
        loads = self._loads(times, y, rates, elastic @ basis.T, accelerations @ basis.T)
        result: Floats = loads + (elastic[:, 0] - loads @ basis) @ basis.T
        return result

    def rigid_coordinates(self, times: Floats, y: Floats, rates: Floats) -> Floats:
        """(times, size): what the coordinates would be in quasi-static, small deflection under the motion of the joints
        alone.
        """
        size = self.chain.model.size
        return self._loads(times, y, rates, np.zeros((len(y), 2, size)), np.zeros((len(y), size)))

    def _loads(self, times: Floats, y: Floats, rates: Floats, elastic: Floats, accelerations: Floats) -> Floats:
        """(times, size): the loads along all coordinates of the vibration model."""
        everything = Assembly(self.chain, np.eye(self.chain.model.size), self._spec)
        result = np.empty(accelerations.shape)
        for k, row in enumerate(y):
            q, qd = self.coordinates(row)
            moving = np.concatenate([rates[k, self.nq : self.nx], accelerations[k]])
            wrenches = self._wrenches_at(float(times[k]), q, qd, self.elastic(row))
            everything.gravity = self._gravity_at(float(times[k]))
            result[k] = -everything.needed(q, qd, elastic[k], moving, *wrenches)[self.n :]
        return result
