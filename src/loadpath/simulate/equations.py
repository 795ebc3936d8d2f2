"""The differential equation that a simulation integrates: y = (q, qd, work of drives, heat, external work, heat of each
brake, heat of gears).

Dry friction, of joints, brakes and gears, makes it one of several. Each joint with friction slips one way, slips the
other, or sticks; what it does is its `Grip`, and as long as that does not change the equation is smooth.
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
from loadpath.simulate.power_off import PowerOff, felt, shares_at_rest
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
    """(n,): forces of dry friction, of brakes and of gears; of a sticking joint, the force that holds it."""
    slopes: Floats | None = None
    """(gears,): by how much their losses make the rotor felt more at the load."""


class Equations:
    """The equations of motion of a robot, of its drives and its surroundings."""

    def __init__(
        self, robot: RobotModel, external: Any = None, base: BaseInTime | None = None, power_off: PowerOff | None = None
    ) -> None:
        self._read(robot, CompiledMethod(robot, _Kernels.state_and_power_rates), external, base, power_off)
        self._rates = self._compiled_rates()
        held = bool(len(self.rubbing) or self.off.heats or len(self.off.possible))
        self._inverse = CompiledMethod(robot, _Kernels.mass_matrix_inverse) if held else None

    def _read(
        self, robot: RobotModel, method: CompiledMethod, external: Any, base: BaseInTime | None,
        power_off: PowerOff | None = None,
    ) -> None:
        """Sizes, friction and external wrenches; `method` is the compiled part that the wrenches go to."""
        self.robot, self.base = robot, base
        self.works = 3 if base is None else 4
        """Integrals after the state in y: work of drives, heat, external work, and that of a base that moves."""
        self.n, self.nq, self.nx = robot.n, robot.nq, robot.nq + robot.n
        self.friction = DryFriction(plain(robot))
        self.off = PowerOff(self.n) if power_off is None else power_off
        self.begin_piece(0.0)
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

    def begin_piece(self, t: float) -> None:
        """A piece of time begins: brakes that engage at its beginning hold from here on."""
        self.off.begin(t)
        self.coulomb_limits = self.friction.at_rest + self.off.at_rest()[1]
        self.rubbing = np.flatnonzero(self.coulomb_limits > 0)

    def dry(self, qd: Floats) -> Floats:
        """(n,): size of all dry friction at these speeds, but for what gears lose with their load."""
        sizes = self.friction.at(qd)
        return sizes + self.off.sizes if self.off.heats else sizes

    def evaluate(self, t: float, y: Floats, force: Force, grip: Grip) -> Evaluation:
        """The rate of y while joints slip and stick as `grip` says."""
        self.evaluations += 1
        nq, nx, end = self.nq, self.nx, self.nx + self.works
        q, qd = y[:nq], y[nq:nx]
        tau = force(t, q, qd)
        coulomb = self.coulomb_limits if self._inverse is None else self.dry(qd) * grip.direction
        rate = np.empty(len(y))
        self._rates(y[:nx], tau, coulomb, *self._loads_at(t, q, qd), out=(rate[:nx], rate[nx:end]))
        qdd, stuck, slopes = rate[nq:nx], grip.stuck, None
        if self._inverse is not None and (len(stuck) or len(self.off.geared)):
            W = self._inverse(q)
            if len(self.off.geared):
                slopes = self._lose(W, tau, rate, coulomb, grip)
            if len(stuck):
                columns = W[:, stuck]
                holding = np.linalg.solve(columns[stuck], qdd[stuck])
                qdd -= columns @ holding
                qdd[stuck] = 0.0
                coulomb[stuck] = holding
        if self.off.heats:
            self._heat(rate, qd, coulomb, grip)
        return Evaluation(rate, tau, coulomb, slopes)

    def _lose(self, W: Floats, tau: Floats, rate: Floats, coulomb: Floats, grip: Grip) -> Floats:
        """Take what gears lose into the rate and into the friction. Returns the slopes of it."""
        nq, nx, geared = self.nq, self.nx, self.off.geared
        free, stuck = rate[nq:nx], grip.stuck
        if len(stuck):  # the others move beside joints that are held
            free, W_moving = self._beside(W, free, stuck)
        else:
            W_moving = W
        lost = self.off.lost(W_moving, tau, free, grip.direction)
        rate[nq:nx] -= W[:, geared] @ lost.forces
        coulomb[geared] += lost.forces
        return lost.slopes

    def _beside(self, W: Floats, free: Floats, stuck: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Accelerations, and W, of the robot with some joints held."""
        share = np.linalg.solve(W[np.ix_(stuck, stuck)], W[stuck]).T
        return free - share @ free[stuck], W - share @ W[stuck]

    def _heat(self, rate: Floats, qd: Floats, coulomb: Floats, grip: Grip) -> None:
        """Power that brakes and gears turn into heat: that of gears is not in what the compiled part has lost."""
        end, braked = self.nx + self.works, self.off.braked
        along = grip.direction * qd  # smooth beyond the moment at which a joint stops, where the speed's size is not
        rate[end : end + len(braked)] = self.off.torques * along[braked]
        if len(self.off.geared):
            moving = grip.direction != 0
            more = float(((coulomb - self.dry(qd) * grip.direction) * qd)[moving].sum())
            rate[self.nx + 1] += more
            geared = self.off.geared
            idle = float((self.off.losses.no_load * along[geared]).sum()) if self.off.losses is not None else 0.0
            rate[-1] = more + idle

    def grip(self, t: float, y: Floats, force: Force) -> Grip:
        """Which joints slip and which stick: those at rest stick unless the forces on them exceed their friction."""
        qd = self.coordinates(y)[1]
        direction = np.where(self.coulomb_limits > 0, np.sign(qd), 0.0)
        if len(self.off.geared):
            direction[self.off.geared] = np.sign(qd[self.off.geared])
        resting = self.rubbing[qd[self.rubbing] == 0.0]
        nothing = np.empty(0, dtype=np.intp)
        if not len(resting):
            return Grip(direction, nothing)
        at = self.evaluate(t, y, force, Grip(direction, nothing))
        free = at.rate[self.nq : self.nx][resting]
        low, high = self._holds(at.tau)
        middle, limits = 0.5 * (low + high)[resting], 0.5 * (high - low)[resting]
        friction, moving = self._friction_at_rest(t, y, resting, free, middle, limits, at.slopes)
        slips = (np.abs(friction) >= limits) & (moving * friction > 1e-12 * np.abs(free).max() * limits)
        direction[resting[slips]] = np.sign(friction[slips])
        return Grip(direction, resting[~slips])

    def _holds(self, tau: Floats) -> tuple[Floats, Floats]:
        """(n,) each: between which forces joints at rest are held."""
        low, high = self.off.at_rest(tau)
        return low - self.friction.at_rest, high + self.friction.at_rest

    def _friction_at_rest(
        self, t: float, y: Floats, resting: NDArray[np.intp], free: Floats, middle: Floats, limits: Floats,
        slopes: Floats | None,
    ) -> tuple[Floats, Floats]:
        """Friction forces on joints at rest, less the middle of those that may hold them, and how the joints
        accelerate under them; without friction they would accelerate by `free`.
        """
        mobility = self._mobility(t, y)
        if slopes is not None:
            mobility = felt(mobility, self.off.geared, slopes)
        mobility = mobility[np.ix_(resting, resting)]
        free = free - mobility @ middle if middle.any() else free
        friction = box_forces(mobility, free, limits)
        return friction, free - mobility @ friction

    def _mobility(self, t: float, y: Floats) -> Floats:
        """(n, n): accelerations of the joints per unit of force along them."""
        assert self._inverse is not None
        result: Floats = self._inverse(y[: self.nq])
        return result

    def margins(self, t: float, y: Floats, force: Force, grip: Grip) -> Floats:
        """For each speed with dry friction what is left until it stops or breaks away; negative beyond.

        Of a slipping joint its speed, of a sticking one its friction less the force that holds it.
        """
        qd = self.coordinates(y)[1]
        margins: Floats = grip.direction[self.rubbing] * qd[self.rubbing]
        if len(grip.stuck):
            at = self.evaluate(t, y, force, grip)
            low, high = (each[grip.stuck] for each in self._holds(at.tau))
            middle, half = 0.5 * (low + high), 0.5 * (high - low)
            left = half * (1.0 + BREAKAWAY) - np.abs(at.coulomb[grip.stuck] - middle)
            margins[np.searchsorted(self.rubbing, grip.stuck)] = left
        return margins

    def brake_torques(self, at: Evaluation, grip: Grip) -> Floats:
        """(brakes,): with which torque each brake works, a magnitude; at rest, its share of what holds the joint."""
        brakes, off = self.off.brakes, self.off
        assert brakes is not None
        engaged = off.torques > 0
        static = np.where(engaged, brakes.static, 0.0)
        rests = np.isin(off.braked, grip.stuck)
        return np.where(rests, shares_at_rest(static, off.braked, at.coulomb, self.coulomb_limits), off.torques)

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
