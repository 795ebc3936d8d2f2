"""The differential equation of a closed chain: that of a tree, with its accelerations on the loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.mechanics.wrenches import BASE_MOTION
from loadpath.robot.model import RobotModel
from loadpath.robot.reduction import reduced
from loadpath.scalars.types import Floats
from loadpath.simulate import power_flow
from loadpath.simulate.base_in_time import BaseInTime
from loadpath.simulate.closed.manifold import Manifold
from loadpath.simulate.closed.sticking import holding_forces, shared_friction
from loadpath.simulate.drive import Force
from loadpath.simulate.equations import Equations, Evaluation, Grip, number_of_works
from loadpath.simulate.power_off import PowerOff

_RANK = 1e-9


class _Kernels:
    state_and_power_rates = Compiled(
        power_flow.state_and_power_rates,
        "(x),(n),(n)->(x),(w)",
        reduced,
        "Derivative of the state of a closed chain, and the power of drives, friction and external wrenches.",
        optional=BASE_MOTION,
        takes_external=True,
        sizes=number_of_works,
        public_name="simulate",
    )


class ClosedEquations(Equations):
    """The equations of motion of a closed chain, of its drives and its surroundings."""

    def __init__(
        self, robot: RobotModel, manifold: Manifold, external: Any, base: BaseInTime | None, *, redundant: bool,
        power_off: PowerOff | None = None,
    ) -> None:
        self.manifold = manifold
        self._redundant = redundant
        self._read(robot, CompiledMethod(robot, _Kernels.state_and_power_rates), external, base, power_off)
        self._rates = self._compiled_rates()

    def evaluate(self, t: float, y: Floats, force: Force, grip: Grip) -> Evaluation:
        """The rate of y while joints slip and stick as `grip` says."""
        self.evaluations += 1
        nq, nx = self.nq, self.nx
        q, qd = y[:nq], y[nq:nx]
        x = y[:nx]
        if self._redundant:
            # Rows that depend on each other only where the loops are closed would hold too much a little beside it.
            q = self.manifold.closed(q)
            x = np.concatenate([q, qd])
        tau = force(t, q, qd)
        coulomb, slopes = self.dry(qd) * grip.direction, None
        rate = np.empty(len(y))
        self._rates(x, tau, coulomb, *self._loads_at(t, q, qd), out=(rate[:nx], rate[nx : nx + self.works]))
        if len(grip.stuck) or len(self.off.geared):
            B = self.manifold.accelerations(q)
        if len(self.off.geared):
            slopes = self._lose(B.T @ B, tau, rate, coulomb, grip)
        if len(grip.stuck):
            qdd, stuck = rate[nq:nx], grip.stuck
            holding, u = holding_forces(B[:, stuck], qdd[stuck], self.coulomb_limits[stuck])
            qdd -= B.T @ u
            qdd[stuck] = 0.0
            coulomb[stuck] = holding
        if self.off.heats:
            self._heat(rate, qd, coulomb, grip)
        return Evaluation(rate, tau, coulomb, slopes)

    def _beside(self, W: Floats, free: Floats, stuck: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Accelerations, and W, with some joints held, more of them perhaps than there are freedoms."""
        share = (np.linalg.pinv(W[np.ix_(stuck, stuck)], rcond=_RANK, hermitian=True) @ W[stuck]).T
        return free - share @ free[stuck], W - share @ W[stuck]

    def _friction_at_rest(
        self, t: float, y: Floats, resting: NDArray[np.intp], free: Floats, middle: Floats, limits: Floats,
        slopes: Floats | None,
    ) -> tuple[Floats, Floats]:
        """Friction forces on joints at rest, less the middle of those that may hold them, and how the joints
        accelerate under them; without friction they would accelerate by `free`.
        """
        B, sizes = self.manifold.accelerations(y[: self.nq]), self.manifold.sizes[resting]
        if slopes is not None and slopes.any():  # the rotors are felt more: (1 - b P b')^-1 in the place of 1
            some = B[:, self.off.geared]
            B = np.linalg.cholesky(np.linalg.inv(np.eye(len(B)) - (some * slopes) @ some.T)).T @ B
        B = B[:, resting]
        return shared_friction(B, free - B.T @ (B @ middle), limits, sizes)
