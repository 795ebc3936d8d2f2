"""The accelerations and contact forces of a rover while every contact keeps doing what it does.

Which elements stick, which way the others slide and which contacts touch the ground is the `Mode`. Within one the
equations are linear in the unknown accelerations, holding forces and normal forces:

    M Udot + h = Q + D_stuck^T f - sum over sliding elements of mu N D^T d,      D_stuck Udot + Ddot U = 0,
    N = S (V Udot + v),

with d the direction of slip and S the share of the contacts in what the normal forces carry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.loads.wrench import Wrench
from loadpath.mobile.arrangement import Placed
from loadpath.mobile.contact_elements import Element, Elements
from loadpath.mobile.equations import BASE, RoverEquations, kernel
from loadpath.mobile.force_sharing import Shares, shares_of
from loadpath.mobile.kinematics import rows_along
from loadpath.mobile.normals import on_springs
from loadpath.mobile.wheel_drives import WheelDrives

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_RANK = 1e-9
_PASSES, _SETTLED = 40, 1e-12
SLOW = 1e-3
"""Slip (m/s) below which friction in the plane keeps to the direction it had at the last step, more and more: its own
direction would change too fast to follow, for no difference that matters at such speeds."""


@dataclass(frozen=True, eq=False)
class Mode:
    """What every element and contact does."""

    stuck: Bools
    """(elements,)."""
    direction: tuple[Floats, ...]
    """Of every element the direction in which it slides, a unit vector; of stuck ones, nothing of meaning."""
    touching: Bools
    """(contacts,)."""
    spinning: Floats
    """(contacts,): 1 or -1 where a wheel without spin inertia has lost its grip to its drive, else 0."""
    armed: Bools
    """(elements,): which sliding elements have moved fast enough since they began that stopping would be news."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What the solver keeps as long as it is the same."""
        return (self.stuck.tobytes(), self.touching.tobytes(), self.spinning.tobytes())


class Input(NamedTuple):
    """Where the rover is and what is done to it at one moment."""

    q: Floats
    qd: Floats
    heading: float
    U: Floats
    """(speeds,), given ones included."""
    given: Floats
    """(speeds,): accelerations of the speeds that are given."""
    tau: Floats
    wheel_torques: Floats
    angles: Floats
    """(steerable,)."""
    angle_rates: Floats


class Basis(NamedTuple):
    """The rows of the stuck elements as L B, over the free speeds."""

    L: Floats
    L_inverse: Floats
    B: Floats
    """Independent orthonormal rows."""
    numbers: NDArray[np.intp]
    """Which rows of D they are."""


class Outcome(NamedTuple):
    """Accelerations and forces."""

    Udot: Floats
    forces: Floats
    """(rows,): of all elements, holding or sliding."""
    limits: Floats
    """(elements,): most that each can hold, were it at rest."""
    shares: Shares
    """How far the stuck elements are from their limits."""
    normal: Floats
    sinkage: Floats
    """(contacts,): how far the base sinks in at each contact, in proportion: negative at those that are lifted."""
    vertical: Floats
    """(3,): F_z, N_x, N_y."""
    pull: Floats
    """(contacts,): longitudinal force of wheels without spin inertia."""
    reaction: Floats
    """(speeds,): force along every speed that is given or held, for it to be so."""
    applied: Floats
    """(speeds,): forces of external wrenches along every speed."""
    M: Floats
    D: Floats
    slip: Floats
    """(rows,): D U."""
    slip_rate: Floats
    """(rows,)."""
    placed: Placed
    consistent: bool
    """Whether all that stick can stick together."""


class ContactForces:
    """The equations of one rover, with its drives."""

    def __init__(
        self,
        rover: Rover,
        elements: Elements,
        drives: WheelDrives,
        free: Bools,
        external: Mapping[str, Wrench] | None,
        angles: Floats | None = None,
    ) -> None:
        """`free` tells which speeds are sought, `angles` the steering angles where they stay as they are."""
        self.rover, self.elements, self.drives = rover, elements, drives
        self.free = np.flatnonzero(free)
        self.fixed = np.flatnonzero(~free)
        self.external = external
        self._kernel = kernel(rover, "rover_equations")
        self._constant_D = None if angles is None else elements.matrix(angles)
        self._constant_placed = None if angles is None else rover.arrangement.placed(angles)
        self._kept: dict[Any, Any] = {}
        self._shares: dict[Any, Floats] = {}
        self.evaluations = 0

    # Pieces

    def _equations(self, at: Input, external: Mapping[str, Wrench] | None) -> RoverEquations:
        options: dict[str, Any] = {"external": external}
        if self.rover.ground.slope:
            options["heading"] = np.float64(at.heading)
        return RoverEquations(*self._kernel(at.q, at.qd, at.U[:BASE], **options))

    def _share(self, placed: Placed, touching: Bools) -> tuple[Floats, Floats]:
        """Normal forces and sinkage (contacts, 3) per unit of F_z, N_x, N_y."""
        key = ("share", touching.tobytes())
        if self._constant_placed is not None and key in self._kept:
            kept: tuple[Floats, Floats] = self._kept[key]
            return kept
        stiffness = touching / self.rover.arrangement.compliance
        unit = on_springs(placed.points, stiffness, np.eye(3))
        shared = unit.normal.T, unit.sinkage.T
        self._kept[key] = shared
        return shared

    def basis(self, D: Floats, mode: Mode) -> Basis:
        """The stuck elements' rows over the free speeds, made independent."""
        key = ("basis", mode.key)
        if self._constant_D is not None and key in self._kept:
            kept: Basis = self._kept[key]
            return kept
        stuck = [e for e, sticks in zip(self.elements.all, mode.stuck, strict=True) if sticks]
        numbers = np.array([row for e in stuck for row in range(e.rows.start, e.rows.stop)], dtype=np.intp)
        rows = D[np.ix_(numbers, self.free)]
        if rows.size:
            left, values, right = np.linalg.svd(rows, full_matrices=False)
            rank = int((values > _RANK * max(1.0, values[0])).sum())
            L, inverse = left[:, :rank] * values[:rank], (left[:, :rank] / values[:rank]).T
            basis = Basis(L, inverse, right[:rank], numbers)
        else:
            none = np.zeros((len(numbers), 0))
            basis = Basis(none, none.T, np.zeros((0, len(self.free))), numbers)
        self._kept[key] = basis
        return basis

    def placed(self, angles: Floats) -> Placed:
        """Where the contacts are."""
        return self._constant_placed or self.rover.arrangement.placed(angles)

    def matrix(self, angles: Floats) -> Floats:
        """D."""
        return self.elements.matrix(angles) if self._constant_D is None else self._constant_D

    def _inertia(self, at: Input, placed: Placed) -> tuple[Floats, Floats, Floats, Floats]:
        """M and h, and V and v of the normal forces, with the wheels that spin."""
        elements, n = self.elements, self.rover.n
        equations = self._equations(at, self.external)
        size, spins = elements.size, elements.spinning
        J = self.rover.arrangement.spin_inertia[spins]
        M, h, V = np.zeros((size, size)), np.zeros(size), np.zeros((3, size))
        M[: BASE + n, : BASE + n] = equations.mass_matrix
        M[range(BASE + n, size), range(BASE + n, size)] = J
        h[: BASE + n] = equations.bias
        V[:, : BASE + n], v = equations.vertical_matrix, equations.vertical_rest
        if len(spins):
            # d/dt (J b e), e = left the axle, which turns with the base.
            V[1:, BASE + n :] = J * placed.left[spins].T
            v[1:] -= placed.forward[spins].T @ (J * at.U[BASE + n :]) * at.U[2]
        return M, h, V, v

    def _pulls(self, at: Input, placed: Placed) -> tuple[Floats, Floats]:
        """Rows of the longitudinal forces of wheels without spin inertia, and what their drives ask for."""
        wheels, pulled = self.rover.arrangement, self.elements.pulled
        rows = np.zeros((len(pulled), self.elements.size))
        if len(pulled):
            rows[:, :BASE] = rows_along(wheels.grip(placed), wheels.pivots)[pulled]
        return rows, at.wheel_torques[pulled] / (wheels.radius * np.cos(wheels.roller_angle))[pulled]

    # All together

    def evaluate(self, at: Input, mode: Mode, *, exact: bool = False) -> Outcome:
        """Accelerations and forces in a state; `exact` for the best share of holding forces."""
        self.evaluations += 1
        elements, n = self.elements, self.rover.n
        placed, D = self.placed(at.angles), self.matrix(at.angles)
        M, h, V, v = self._inertia(at, placed)
        share, sink = self._share(placed, mode.touching)
        slip = D @ at.U
        change = elements.matrix_rate(at.angles, at.angle_rates) @ at.U if at.angle_rates.any() else np.zeros(len(slip))
        Q = np.zeros(elements.size)
        Q[BASE : BASE + n] = at.tau
        Q[BASE + n :] = at.wheel_torques[elements.spinning]
        pulled = elements.pulled
        pull_rows, asked = self._pulls(at, placed)
        lost = mode.spinning[pulled] != 0
        Q += pull_rows.T @ np.where(lost, 0.0, asked)

        solve = _Solve(self, at, mode, M, Q - h, V, v, D, change, share)
        friction = self.rover.frictions
        if lost.any():
            solve.add_pull(pulled[lost], pull_rows[lost], (mode.spinning * friction["sliding"])[pulled[lost]])
        solve.add_sliding(slip)
        pulling = self._with_massless(solve, mode, asked, lost)
        Udot, forces, normal = solve.Udot, solve.forces, solve.normal
        load = V @ Udot + v
        pull = np.zeros(len(normal))
        pull[pulled] = pulling
        limits = self._limits(normal, pull)
        shares = self._shared(D, mode, solve, limits, exact=exact)
        if len(solve.stuck_rows):
            forces[solve.stuck_rows] = shares.forces
            held = np.zeros(len(forces))
            held[solve.stuck_rows] = shares.forces
            pull[pulled] += self._along_grip(held)[pulled]  # resistance at rest is a force of the ground as well
        given = M @ Udot + h - Q - D.T @ forces
        if lost.any():
            given -= pull_rows[lost].T @ pull[pulled[lost]]
        reaction = np.zeros(elements.size)
        reaction[self.fixed] = given[self.fixed]
        applied = np.zeros(elements.size)
        if self.external:
            applied[: BASE + n] = self._equations(at, None).bias - h[: BASE + n]
        return Outcome(
            Udot, forces, limits, shares, normal, sink @ load, load, pull, reaction, applied, M, D, slip,
            D @ Udot + change, placed, solve.consistent,
        )  # fmt: skip

    def _with_massless(self, solve: _Solve, mode: Mode, asked: Floats, lost: Bools) -> Floats:
        """Solves, and returns the longitudinal forces of wheels without spin inertia. Where such a wheel slides
        sideways, its whole friction is mu N, so that what it pulls and what it holds across depend on each other.
        """
        pulled, friction = self.elements.pulled, self.rover.frictions
        sideways = [
            (i, e)
            for i, e in enumerate(self.elements.all)
            if e.massless and not mode.stuck[i] and mode.touching[e.contact] and not mode.spinning[e.contact]
        ]
        # Always from the same beginning: there may be two solutions, and it must not depend on what was asked before.
        strength = {i: e.kinetic for i, e in sideways}
        passed: dict[int, list[float]] = {i: [] for i, _ in sideways}
        for _ in range(_PASSES):
            solve.run(strength)
            along = self._along_grip(solve.forces)
            spun = (mode.spinning * friction["sliding"] * solve.normal)[pulled]
            pulling = np.where(lost, spun, asked + along[pulled])
            worst = 0.0
            for i, e in sideways:
                N = float(solve.normal[e.contact])
                if N <= 0:
                    continue  # beyond tipping or lifting, which is looked at next
                left = e.kinetic**2 - (pulling[int(np.flatnonzero(pulled == e.contact)[0])] / N) ** 2
                new = float(np.sqrt(max(left, 0.0)))
                worst = max(worst, abs(new - strength[i]))
                strength[i] = _ahead(passed[i], strength[i], new, e.kinetic)
            if worst < _SETTLED:
                break
        return pulling

    def _along_grip(self, forces: Floats) -> Floats:
        """(contacts,): what rolling resistance gives along the direction of grip of wheels without spin inertia; what
        resists slanting rollers turns the wheel, and its grip answers.
        """
        slant = self.rover.arrangement.roller_angle
        result = np.zeros(len(slant))
        for e in self.elements.all:
            if e.kind == "rolling" and e.count == 1:
                result[e.contact] += forces[e.rows.start] / np.cos(slant[e.contact])
            elif e.kind == "rollers":
                result[e.contact] += forces[e.rows.start] * np.tan(slant[e.contact])
        return result

    def _limits(self, normal: Floats, pull: Floats) -> Floats:
        pressed = np.maximum(normal, 0.0)
        limits = np.empty(len(self.elements.all))
        for i, e in enumerate(self.elements.all):
            limits[i] = e.static if e.kind == "joint" else e.static * pressed[e.contact]
            if e.massless:
                limits[i] = np.sqrt(max(limits[i] ** 2 - pull[e.contact] ** 2, 0.0))
        return limits

    def _shared(self, D: Floats, mode: Mode, solve: _Solve, limits: Floats, *, exact: bool) -> Shares:
        L = self.basis(D, mode).L
        stuck = [(i, e) for i, e in enumerate(self.elements.all) if mode.stuck[i]]
        which = np.array([i for i, e in stuck for _ in range(e.count)], dtype=np.intp)
        key = mode.key
        shares = shares_of(L, solve.held, which, limits, exact=exact, guess=self._shares.get(key))
        self._shares = {key: shares.forces}
        return shares


def _ahead(passed: list[float], old: float, new: float, most: float) -> float:
    """Where an iteration from an old value to a new one leads (Aitken), every other time; else the new value."""
    passed.append(old)
    if len(passed) % 2 == 0:
        first, second = passed[-2], old
        bend = new - 2 * second + first
        if bend and abs(new - second) < abs(second - first):
            return min(max(new - (new - second) ** 2 / bend, 0.0), most)
    return new


class _Solve:
    """The linear system of one state and mode."""

    def __init__(
        self, owner: ContactForces, at: Input, mode: Mode, M: Floats, right: Floats, V: Floats, v: Floats, D: Floats,
        change: Floats, share: Floats,
    ) -> None:  # fmt: skip
        self.owner, self.at, self.mode = owner, at, mode
        self.M, self.right, self.V, self.v, self.D, self.change, self.share = M, right, V, v, D, change, share
        self.per_normal = np.zeros((len(right), len(mode.touching)))
        self.constant = np.zeros(len(right))
        self.sliding: list[tuple[int, Element, Floats]] = []
        basis = owner.basis(D, mode)
        self.L, self.L_inverse, self.B, self.stuck_rows = basis

    def add_pull(self, contacts: NDArray[np.intp], rows: Floats, strength: Floats) -> None:
        """Forces along rows, in proportion to normal forces."""
        self.per_normal[:, contacts] += rows.T * strength

    def add_sliding(self, slip: Floats) -> None:
        """Elements that slide, and which way: along their slip, and as the mode says the less there is of it."""
        for i, e in enumerate(self.owner.elements.all):
            if self.mode.stuck[i]:
                continue
            d = self.mode.direction[i]
            if e.count == 2:
                s = slip[e.rows]
                speed = float(np.hypot(*s))
                s = s + max(SLOW - speed, 0.0) * d
                d = s / max(float(np.hypot(*s)), 1e-300)
            self.sliding.append((i, e, d))

    def run(self, strength: Mapping[int, float]) -> None:
        """Solve, with the friction of some elements other than their own."""
        owner, at, mode = self.owner, self.at, self.mode
        free, fixed = owner.free, owner.fixed
        per_normal, right = self.per_normal.copy(), self.right.copy()
        for i, e, d in self.sliding:
            push = self.D[e.rows].T @ d
            if e.kind == "joint":
                right -= e.kinetic * push
            elif mode.touching[e.contact] and not self._idle(e):
                per_normal[:, e.contact] -= strength.get(i, e.kinetic) * push
        Udot = np.zeros(len(right))
        Udot[fixed] = at.given[fixed]
        rest = self.v + self.V @ Udot
        G = per_normal @ self.share
        matrix = self.M[np.ix_(free, free)] - G[free] @ self.V[:, free]
        forces = right[free] - self.M[np.ix_(free, fixed)] @ Udot[fixed] + G[free] @ rest
        B = self.B
        solved = np.linalg.solve(matrix, np.column_stack([forces, B.T])) if len(free) else np.zeros((0, 1 + len(B)))
        self.held: Floats = np.zeros(len(B))
        self.consistent = True
        Udot[free] = solved[:, 0]
        if len(self.stuck_rows):
            # What the rows of D demand: D_free Udot_free = -(change + D_fixed Udot_fixed).
            demand = -(self.change + self.D[:, fixed] @ Udot[fixed])[self.stuck_rows]
            if len(B):
                wanted = self.L_inverse @ demand
                self.held = np.asarray(np.linalg.solve(B @ solved[:, 1:], wanted - B @ solved[:, 0]), dtype=float)
                Udot[free] += solved[:, 1:] @ self.held
                demand = demand - self.L @ wanted
            self.demand_left = demand
            self.consistent = bool(np.abs(demand).max() <= 1e-7 * (1.0 + np.abs(Udot).max()))
        self.Udot = Udot
        self.normal = self.share @ (self.V @ Udot + self.v)
        self.forces = np.zeros(len(self.D))
        for i, e, d in self.sliding:
            if e.kind == "joint":
                self.forces[e.rows] = -e.kinetic * d
            elif mode.touching[e.contact] and not self._idle(e):
                self.forces[e.rows] = -strength.get(i, e.kinetic) * self.normal[e.contact] * d

    def _idle(self, e: Element) -> bool:
        """Whether the wheel has lost its grip to its drive, which then takes all of it."""
        return bool(self.mode.spinning[e.contact]) and e.kind != "rollers"
