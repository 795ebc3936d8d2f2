"""How a rover accelerates while its wheels roll without sliding: arm and base together, for one state or many.

In the speeds u = (v_x, v_y, w, qd) the equations are M udot + h = Q + C^T f, with the constraints C u = 0 of wheels
that hold across their rolling direction and f their lateral forces. That is the same as striking the forbidden
directions out of M. Wheels that spin add J b^T b to M, b being the row of their rate in u; drives of the wheels add
tau b^T to Q; rolling resistance is -mu_r N along the wheel's path, and N itself follows from udot, so it enters M, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loadpath.loads.wrench import Wrench
from loadpath.mobile.arrangement import Arrangement, Placed
from loadpath.mobile.equations import BASE, RoverEquations, equations_of
from loadpath.mobile.kinematics import across_rows, dot2, rotation_axis, rows_along
from loadpath.mobile.motions import as_numbers, base_components, velocity_at
from loadpath.mobile.normals import on_springs

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_RANK = 1e-9
_SLIDING = 1e-6
"""Speed across a wheel, as a share of its speed, from which on it does not roll but slides."""


@dataclass(frozen=True, eq=False)
class RoverAccelerations:
    """Accelerations of arm and base, and the forces that go with them, while no wheel slides.

    `qdd` (..., n) of the joints, `tau` (..., n) forces of their drives; `acceleration` (..., 3): rates of (v_x, v_y, w)
    in base axes. `normal`, `longitudinal`, `lateral` (..., contacts): forces (N) of the ground on every contact, as in
    `wheel_loads`; what several contacts could hold is shared in proportion to their normal forces. `tips_over` (...):
    some contact would have to pull.
    """

    qdd: Floats
    acceleration: Floats
    tau: Floats
    normal: Floats
    longitudinal: Floats
    lateral: Floats
    tips_over: Bools
    names: tuple[str, ...]


def rover_accelerations(
    rover: Rover,
    q: Any,
    qd: Any,
    *,
    velocity: Any = None,
    tau: Any = None,
    qdd: Any = None,
    wheel_torques: Any = None,
    heading: Any = None,
    steering: Any = None,
    external: Mapping[str, Wrench] | None = None,
) -> RoverAccelerations:
    """Accelerations for forces `tau` of the arm's drives, or for given accelerations `qdd` of its joints."""
    speeds = base_components((0.0, 0.0) if velocity is None else velocity, "velocity")
    qd = _joints(rover, qd, "qd")
    equations = equations_of(rover, q, qd, speeds, heading, external)
    wheels = rover.arrangement
    placed = wheels.placed(wheels.aligned(speeds) if steering is None else wheels.read_steering(steering))
    _refuse_sliding(rover, placed, speeds, steering)
    system = _System(rover, equations, placed, speeds, _torques(rover, wheel_torques))
    udot = system.with_tau(_joints(rover, tau, "tau")) if qdd is None else system.with_qdd(_joints(rover, qdd, "qdd"))
    return system.result(udot)


def _joints(rover: Rover, value: Any, what: str) -> Floats:
    array = np.zeros(rover.n) if value is None else as_numbers(value, what)
    if array.ndim == 0 or array.shape[-1] != rover.n:
        raise ValueError(f"{what} has the shape {array.shape}: expected (..., {rover.n})")
    return array


def _torques(rover: Rover, given: Any) -> Floats:
    """Torques (..., contacts) of the wheels' drives from a mapping by names, or an array over all contacts."""
    names = rover.contact_names
    if given is None:
        return np.zeros(len(names))
    if isinstance(given, Mapping):
        wrong = [name for name in given if name not in names]
        if wrong:
            raise ValueError(f"wheel_torques: no wheel '{wrong[0]}'; there are {', '.join(names)}")
        shape = np.broadcast_shapes(*(np.shape(value) for value in given.values()))
        torques = np.zeros((*shape, len(names)))
        for name, value in given.items():
            torques[..., names.index(name)] = as_numbers(value, f"wheel_torques of '{name}'")
    else:
        torques = as_numbers(given, "wheel_torques")
        if torques.ndim == 0 or torques.shape[-1] != len(names):
            raise ValueError(f"wheel_torques has the shape {torques.shape}: expected (..., {len(names)}), or a "
                             "mapping by names of wheels")  # fmt: skip
    refuse_torque_without_axle(rover, np.abs(torques).reshape(-1, len(names)).max(axis=0, initial=0.0) > 0)
    return torques


def refuse_torque_without_axle(rover: Rover, turned: Bools) -> None:
    """An error where feet or casters are to be driven."""
    wrong = np.flatnonzero(turned & ~rover.arrangement.axled)
    if len(wrong):
        wheel = rover.base.wheels[wrong[0]]
        raise ValueError(f"wheel_torques: '{wheel.name}' is a {wheel.kind} and cannot be driven")


def _refuse_sliding(rover: Rover, placed: Placed, velocity: Floats, steering: Any) -> None:
    rows = across_rows(rover.arrangement, placed)
    if not rows.shape[-2]:
        return
    across = np.abs((rows @ velocity[..., None])[..., 0]).max(axis=-1)
    speed = np.hypot(np.hypot(velocity[..., 0], velocity[..., 1]), rover.arrangement.size * velocity[..., 2])
    slides = across > _SLIDING * speed
    if not np.any(slides):
        return
    at = tuple(int(i) for i in np.argwhere(slides)[0])
    told = f" at {list(at)}" if at else ""
    axis = rotation_axis(rover.arrangement, steering)
    why = f" ({axis})" if np.ndim(axis.mobility) == 0 and not axis.exists else ""
    raise ValueError(f"velocity {np.broadcast_to(velocity, (*slides.shape, 3))[at].tolist()}{told} makes wheels slide "
                     f"across their rolling direction{why}: these accelerations are those of wheels that roll; "
                     "rover.simulate can slide")  # fmt: skip


def rate_rows(wheels: Arrangement, placed: Placed) -> Floats:
    """Rows (..., contacts, 3) of the wheels' rates (rad/s) in the base's speeds; zero for casters and feet."""
    grip = wheels.grip(placed)
    rows = rows_along(grip, wheels.pivots) / (wheels.radius * dot2(grip, placed.forward))[..., None]
    return np.where(wheels.axled[:, None], rows, 0.0)


class _System:
    """The linear equations for udot, with their batch axes."""

    def __init__(
        self, rover: Rover, equations: RoverEquations, placed: Placed, velocity: Floats, torques: Floats
    ) -> None:
        self.rover, self.equations, self.placed, self.velocity = rover, equations, placed, velocity
        wheels, n = rover.arrangement, rover.n
        self.rates = rate_rows(wheels, placed)
        J = wheels.spin_inertia
        M, h = equations.mass_matrix, equations.bias
        spin = np.einsum("...ci,c,...cj->...ij", self.rates, J, self.rates)
        push = np.einsum("...c,...ci->...i", torques, self.rates)
        shape = np.broadcast_shapes(M.shape[:-2], spin.shape[:-2], push.shape[:-1])
        self.shape, self.torques = shape, torques
        self.M = np.broadcast_to(M, (*shape, BASE + n, BASE + n)).copy()
        self.M[..., :BASE, :BASE] += spin
        self.right = -np.broadcast_to(h, (*shape, BASE + n))
        self.right[..., :BASE] += push
        self.vertical, self.vertical_rest = self._vertical()
        across = across_rows(wheels, placed)
        self.C = np.zeros((*shape, across.shape[-2], BASE + n))
        self.C[..., :BASE] = across
        self.resisting, self.along = self._resisting()

    def _vertical(self) -> tuple[Floats, Floats]:
        """F_z, N_x, N_y per unit of udot, and at udot = 0, with what turning wheels add."""
        wheels, placed, e = self.rover.arrangement, self.placed, self.equations
        matrix = np.broadcast_to(e.vertical_matrix, (*self.shape, 3, BASE + self.rover.n)).copy()
        rest = np.broadcast_to(e.vertical_rest, (*self.shape, 3)).copy()
        J = wheels.spin_inertia[:, None]
        # d/dt (J b e), e = left the axle: J bdot e - J b w forward.
        matrix[..., 1:, :BASE] += np.einsum("...ci,...cj->...ij", J * placed.left, self.rates)
        b = np.einsum("...ci,...i->...c", self.rates, self.velocity)
        rest[..., 1:] -= np.einsum("...c,...ci->...i", b * self.velocity[..., 2:], J * placed.forward)
        return matrix, rest

    def _resisting(self) -> tuple[Floats, Floats]:
        """Forces along u (..., 3 + n, contacts) of rolling resistance per unit of the normal forces; and the same as
        forces (..., contacts, 2) along each contact's directions of grip and across it.
        """
        wheels, placed = self.rover.arrangement, self.placed
        rolls = wheels.axled | wheels.casters
        grip = wheels.grip(placed)
        rows = rows_along(grip, wheels.pivots)
        friction = np.where(rolls, self.rover.rolling_friction, 0.0)
        at = velocity_at(self.velocity, wheels.pivots)
        # R f cos(a) = mu N R: along a roller's axis, slanting by a, it takes more to turn the wheel.
        strength = -friction / np.cos(wheels.roller_angle) * np.sign(dot2(at, grip))
        each = strength[..., None] * rows
        across = np.zeros(strength.shape)
        if wheels.omni.any():
            # Rollers turn with what moves beside their axes, less what the rim does there. What resists them turns the
            # wheel as well, and its grip answers.
            beside = np.stack([-grip[..., 1], grip[..., 0]], axis=-1)
            slant = np.tan(wheels.roller_angle)
            turning = rows_along(beside, wheels.pivots) + slant[:, None] * rows
            speed = (turning @ self.velocity[..., None])[..., 0]
            across = -np.where(wheels.omni & (np.abs(speed) > 1e-12 * np.abs(at).max(axis=-1)), friction, 0.0)
            across = across * np.sign(speed)
            each = each + across[..., None] * turning
            strength = strength + slant * across
        forces = np.zeros((*self.shape, BASE + self.rover.n, len(rolls)))
        forces[..., :BASE, :] = np.swapaxes(each, -1, -2)
        return forces, np.stack(np.broadcast_arrays(strength, across), axis=-1)

    # Solving

    def with_tau(self, tau: Floats) -> Floats:
        """udot for forces of the arm's drives."""
        right = self.right.copy()
        right[..., BASE:] += tau
        return self._solved(slice(None), right, self.vertical_rest, np.zeros((*self.shape, BASE + self.rover.n)))

    def with_qdd(self, qdd: Floats) -> Floats:
        """udot for accelerations of the arm's joints."""
        given = np.zeros((*self.shape, BASE + self.rover.n))
        given[..., BASE:] = qdd
        right = self.right - (self.M @ given[..., None])[..., 0]
        rest = self.vertical_rest + (self.vertical @ given[..., None])[..., 0]
        return self._solved(slice(0, BASE), right, rest, given)

    def _solved(self, free: slice, right: Floats, rest: Floats, given: Floats) -> Floats:
        """udot with the entries `free` solved for, the others as given."""
        wheels = self.rover.arrangement
        stiffness = np.broadcast_to(1.0 / wheels.compliance, (*self.shape, len(wheels.compliance))).copy()
        vertical, M, C = self.vertical[..., free], self.M[..., free, free], self.C[..., free]
        resisting = self.resisting[..., free, :]
        udot = given.copy()
        self.tips = np.zeros(self.shape, dtype=bool)
        for _ in wheels.compliance:
            # N = share (vertical udot + rest)
            unit = on_springs(self.placed.points[..., None, :, :], stiffness[..., None, :], np.eye(3))
            share = np.swapaxes(unit.normal, -1, -2)
            matrix = M - resisting @ share @ vertical
            forces = right[..., free] + (resisting @ share @ rest[..., None])[..., 0]
            udot[..., free] = self._constrained(matrix, forces, C)
            load = (vertical @ udot[..., free, None])[..., 0] + rest
            self.normal = (share @ load[..., None])[..., 0]
            lifting = (self.normal < 0) & ~self.tips[..., None]
            if not lifting.any():
                break
            left = stiffness * ~lifting
            standing = supported(self.placed.points, left > 0)
            self.tips |= ~standing
            stiffness = np.where(standing[..., None], left, stiffness)
        return udot

    def _constrained(self, M: Floats, forces: Floats, C: Floats) -> Floats:
        # A bad row stays the only one.
        good: Bools = np.asarray(np.isfinite(M).all(axis=(-2, -1)) & np.isfinite(forces).all(axis=-1))
        M = np.where(good[..., None, None], M, np.eye(M.shape[-1]))
        columns = np.concatenate([forces[..., None], np.swapaxes(C, -1, -2)], axis=-1)
        solved = np.asarray(np.linalg.solve(M, np.where(good[..., None, None], columns, 0.0)), dtype=float)
        loose, per_force = solved[..., :1], solved[..., 1:]
        if C.shape[-2]:
            f = -np.linalg.pinv(C @ per_force, rcond=_RANK) @ (C @ loose)
            loose = loose + per_force @ f
        result: Floats = np.where(good[..., None], loose[..., 0], np.nan)
        return result

    # What comes of it

    def result(self, udot: Floats) -> RoverAccelerations:
        """Accelerations and forces."""
        wheels = self.rover.arrangement
        total = (self.M @ udot[..., None])[..., 0] - self.right  # what contacts (and drives of joints) give
        resisting = (self.resisting @ np.maximum(self.normal, 0.0)[..., None])[..., 0]
        held = (total - resisting)[..., :BASE]
        longitudinal, lateral = self._shared(held)
        J, R = wheels.spin_inertia, wheels.radius * np.cos(wheels.roller_angle)
        spun = (self.torques - J * (self.rates @ udot[..., :BASE, None])[..., 0]) / R
        pressed = np.maximum(self.normal, 0.0)
        pushed = np.where(wheels.axled, spun, 0.0) + self.along[..., 0] * pressed
        beside = self.along[..., 1] * pressed
        c, s = np.cos(wheels.roller_angle), np.sin(wheels.roller_angle)
        return RoverAccelerations(
            qdd=udot[..., BASE:],
            acceleration=udot[..., :BASE],
            tau=total[..., BASE:],
            normal=self.normal,
            longitudinal=longitudinal + c * pushed - s * beside,
            lateral=lateral + s * pushed + c * beside,
            tips_over=self.tips | (self.normal < 0).any(axis=-1),
            names=self.rover.contact_names,
        )

    def _shared(self, held: Floats) -> tuple[Floats, Floats]:
        """Forces of the constraints at each contact, along and across, with the least sum f^2/N."""
        wheels = self.rover.arrangement
        count = len(wheels.supports)
        numbers = np.concatenate([np.flatnonzero(wheels.holds_across), np.flatnonzero(wheels.supports)])
        rows = self.C[..., :BASE] / (1.0, 1.0, wheels.size)
        weights = np.maximum(self.normal[..., numbers], 0.0)
        good: Bools = np.asarray(np.isfinite(weights).all(axis=-1) & np.isfinite(held).all(axis=-1))
        weighted = np.where(good[..., None, None], rows * weights[..., None], 0.0)
        system = np.swapaxes(weighted, -1, -2) @ rows
        f = (weighted @ (np.linalg.pinv(system, rcond=_RANK) @ (held / (1.0, 1.0, wheels.size))[..., None]))[..., 0]
        f = np.where(good[..., None], f, np.nan)
        across, along = np.zeros((*self.shape, count)), np.zeros((*self.shape, count))
        sideways = int(wheels.holds_across.sum())
        across[..., numbers[:sideways]] = f[..., :sideways]
        along[..., numbers[sideways:]] = f[..., sideways:]
        return along, across


def supported(points: Floats, standing: Bools) -> Bools:
    """Whether the contacts that stand are three or more and not in a line."""
    weight = standing.astype(float)
    count = np.maximum(weight.sum(axis=-1), 1.0)[..., None]
    middle = (weight[..., None] * points).sum(axis=-2) / count
    offset = (points - middle[..., None, :]) * weight[..., None]
    xx, yy, xy = ((offset[..., i] * offset[..., j]).sum(axis=-1) for i, j in ((0, 0), (1, 1), (0, 1)))
    result: Bools = (standing.sum(axis=-1) >= 3) & (xx * yy - xy * xy > 1e-12 * (xx + yy) ** 2)
    return result
