"""The differential equation that a simulation integrates: y = (q, qd, work of drives, heat, external work).

Coulomb friction makes it one of several. Each joint with friction slips one way, slips the other, or sticks; what it
does is its `Grip`, and as long as that does not change the equation is smooth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.algorithms import composite_body
from loadpath.algorithms.coulomb import DryFriction
from loadpath.algorithms.movable import check_movable
from loadpath.engine.arguments import DEFAULT, Variant, external_wrenches
from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.mechanics.wrenches import BASE_MOTION
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.robot.reduction import reduced
from loadpath.scalars.types import Floats
from loadpath.simulate import power_flow
from loadpath.simulate.base_in_time import BaseInTime
from loadpath.simulate.drive import Force
from loadpath.simulate.friction import box_forces
from loadpath.states import wrenches_over


def number_of_works(robot: object, variant: Variant) -> dict[str, int]:
    """How many integrals of power there are after the state in y: three, and that of a base which moves."""
    return {"w": 4 if variant.given else 3}


BREAKAWAY = 1e-9
"""Share by which the force on a sticking joint must exceed its friction: more than rounding, less than matters."""


class _Kernels:
    """The compiled parts, under names of their own."""

    state_and_power_rates = Compiled(
        power_flow.state_and_power_rates,
        "(x),(n),(n)->(x),(w)",
        reduced,
        "Derivative of the state, and the power of drives, friction and external wrenches.",
        optional=BASE_MOTION,
        takes_external=True,
        sizes=number_of_works,
        check=check_movable,
    )
    mass_matrix_inverse = Compiled(
        composite_body.mass_matrix_inverse, "(q)->(n,n)", reduced, "Inverse of the mass matrix.", check=check_movable
    )


class Grip(NamedTuple):
    """What Coulomb friction does at every speed."""

    direction: Floats
    """(n,): 1 or -1 where friction acts against that direction; 0 where a joint sticks or has no friction."""
    stuck: NDArray[np.intp]
    """Numbers of the speeds that friction holds at zero."""


class Evaluation(NamedTuple):
    """The equation at one moment."""

    rate: Floats
    tau: Floats
    coulomb: Floats
    """(n,): forces of Coulomb friction; of a sticking joint, the force that holds it."""


class Equations:
    """The equations of motion of a robot, of its drives and its surroundings."""

    def __init__(self, robot: RobotModel, external: Any = None, base: BaseInTime | None = None) -> None:
        self._read(robot, CompiledMethod(robot, _Kernels.state_and_power_rates), external, base)
        self._rates = self._compiled_rates()
        self._inverse = CompiledMethod(robot, _Kernels.mass_matrix_inverse) if len(self.rubbing) else None

    def _read(self, robot: RobotModel, method: CompiledMethod, external: Any, base: BaseInTime | None) -> None:
        """Sizes, friction and external wrenches; `method` is the compiled part that the wrenches go to."""
        self.robot, self.base = robot, base
        self.works = 3 if base is None else 4
        """Integrals after the state in y: work of drives, heat, external work, and that of a base that moves."""
        self.n, self.nq, self.nx = robot.n, robot.nq, robot.nq + robot.n
        self.friction = DryFriction(plain(robot))
        self.coulomb_limits = self.friction.at_rest
        self.rubbing = np.flatnonzero(self.coulomb_limits > 0)
        self._method = method
        self._external = external
        first = external(0.0, robot.neutral(), np.zeros(robot.n)) if callable(external) else external
        self._spec, wrenches = external_wrenches(self._method, first)
        self._fixed: tuple[Floats, ...] | None = None  # the wrenches, where they are the same at all times
        if not callable(external):
            constant = self._single(wrenches, 0.0)
            self._fixed = () if constant is None else (constant,)
        self.evaluations = 0

    def _compiled_rates(self) -> np.ufunc:
        given = () if self.base is None else tuple(BASE_MOTION)
        return self._method.compiled(Variant(DEFAULT, None, self._spec, given))

    def _loads_at(self, t: float, q: Floats, qd: Floats) -> tuple[Floats, ...]:
        """Motion of the base and external wrenches, as the compiled rates take them."""
        wrenches = self._wrenches(t, q, qd) if self._fixed is None else self._fixed
        return wrenches if self.base is None else (*self.base.at(t), *wrenches)

    def coordinates(self, y: Floats) -> tuple[Floats, Floats]:
        """q and qd of y."""
        return y[: self.nq], y[self.nq : self.nx]

    def evaluate(self, t: float, y: Floats, force: Force, grip: Grip) -> Evaluation:
        """The rate of y while joints slip and stick as `grip` says."""
        self.evaluations += 1
        q, qd = y[: self.nq], y[self.nq : self.nx]
        tau = force(t, q, qd)
        coulomb = self.coulomb_limits if self._inverse is None else self.friction.at(qd) * grip.direction
        rate = np.empty(len(y))
        self._rates(y[: self.nx], tau, coulomb, *self._loads_at(t, q, qd), out=(rate[: self.nx], rate[self.nx :]))
        if len(grip.stuck) and self._inverse is not None:
            qdd, stuck = rate[self.nq : self.nx], grip.stuck
            columns = self._inverse(q)[:, stuck]
            holding = np.linalg.solve(columns[stuck], qdd[stuck])
            qdd -= columns @ holding
            qdd[stuck] = 0.0
            coulomb[stuck] = holding
        return Evaluation(rate, tau, coulomb)

    def grip(self, t: float, y: Floats, force: Force) -> Grip:
        """Which joints slip and which stick: those at rest stick unless the forces on them exceed their friction."""
        qd = self.coordinates(y)[1]
        direction = np.where(self.coulomb_limits > 0, np.sign(qd), 0.0)
        resting = self.rubbing[qd[self.rubbing] == 0.0]
        nothing = np.empty(0, dtype=np.intp)
        if not len(resting):
            return Grip(direction, nothing)
        free = self.evaluate(t, y, force, Grip(direction, nothing)).rate[self.nq : self.nx][resting]
        limits = self.coulomb_limits[resting]
        friction, moving = self._friction_at_rest(t, y, resting, free)
        slips = (np.abs(friction) >= limits) & (moving * friction > 1e-12 * np.abs(free).max() * limits)
        direction[resting[slips]] = np.sign(friction[slips])
        return Grip(direction, resting[~slips])

    def _friction_at_rest(self, t: float, y: Floats, resting: NDArray[np.intp], free: Floats) -> tuple[Floats, Floats]:
        """Friction forces on joints at rest, which would accelerate by `free` without them, and how they accelerate."""
        mobility = self._mobility(t, y)[np.ix_(resting, resting)]
        friction = box_forces(mobility, free, self.coulomb_limits[resting])
        return friction, free - mobility @ friction

    def _mobility(self, t: float, y: Floats) -> Floats:
        """(n, n): accelerations of the joints per unit of force along them."""
        assert self._inverse is not None
        result: Floats = self._inverse(y[: self.nq])
        return result

    def margins(self, t: float, y: Floats, force: Force, grip: Grip) -> Floats:
        """For each speed with Coulomb friction what is left until it stops or breaks away; negative beyond.

        Of a slipping joint its speed, of a sticking one its friction less the force that holds it.
        """
        qd = self.coordinates(y)[1]
        margins: Floats = grip.direction[self.rubbing] * qd[self.rubbing]
        if len(grip.stuck):
            holding = self.evaluate(t, y, force, grip).coulomb[grip.stuck]
            left = self.coulomb_limits[grip.stuck] * (1.0 + BREAKAWAY) - np.abs(holding)
            margins[np.searchsorted(self.rubbing, grip.stuck)] = left
        return margins

    def external_over(self, samples: Sequence[tuple[float, Floats]]) -> Mapping[str, Any] | None:
        """The external wrenches at samples t, y: as given, or of a function (samples, 3)."""
        if not callable(self._external):
            return self._external or None
        return wrenches_over([self._exerted(t, y.copy()) for t, y in samples])  # the function may change what it gets

    def _exerted(self, t: float, y: Floats) -> Any:
        """What acts on the links, by a function."""
        return self._external(t, *self.coordinates(y))

    def _wrenches(self, t: float, q: Floats, qd: Floats) -> tuple[Floats, ...]:
        return self._checked(t, self._external(t, q.copy(), qd.copy()))

    def _checked(self, t: float, external: Any) -> tuple[Floats, ...]:
        """Wrenches as the compiled part takes them, on the links that they acted on at the start."""
        spec, wrenches = external_wrenches(self._method, external)
        if spec != self._spec:
            raise ValueError(f"simulate: 'external' acts on {[link for link, _ in spec]} at t = {t:.6g} s, but on "
                             f"{[link for link, _ in self._spec]} at the start: name the same links in the same axes "
                             "at all times")
        single = self._single(wrenches, t)
        return () if single is None else (single,)

    def _single(self, wrenches: Any, t: float) -> Floats | None:
        if wrenches is None:
            return None
        array = np.asarray(wrenches, dtype=float)
        if array.ndim != 2 or not np.isfinite(array).all():
            raise ValueError(f"simulate: 'external' at t = {t:.6g} s is not one finite wrench for each link: expected "
                             "force and torque of the shape (3,)")
        return array
