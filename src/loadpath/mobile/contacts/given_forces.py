"""The contact solver asked with the forces given: how arm and base accelerate while wheels roll and none slides.

Everything that grips holds, so that the equations of `system` have its rows for B; what rolls resists with mu_r N
against its motion, which is P N. The forces at the contacts then follow from the accelerations as in `given_motion`,
but for the torques of the drives, which are known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.mobile.arrangement import Placed, rows_of
from loadpath.mobile.contacts.given_motion import Loads, settle
from loadpath.mobile.contacts.least_motion import least_motion
from loadpath.mobile.contacts.plane import STILL, contact_model
from loadpath.mobile.contacts.sharing import groups_of
from loadpath.mobile.contacts.system import System, accelerations, with_axles
from loadpath.mobile.equations import BASE, RoverEquations
from loadpath.mobile.motions import velocity_at
from loadpath.mobile.normals import on_springs, supported
from loadpath.scalars.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_RANK = 1e-9
_ROUNDS = 40
_BLOCK = 4096
"""States that are looked at together."""


class Rolling:
    """A rover whose wheels roll, in states with batch axes."""

    def __init__(
        self, rover: Rover, equations: RoverEquations, placed: Placed, velocity: Floats, torques: Floats
    ) -> None:
        self.rover, self.equations, self.placed, self.velocity, self.torques = (
            rover, equations, placed, velocity, torques)
        wheels = rover.arrangement
        self.spinning = np.flatnonzero(wheels.axle_inertia)
        rates = wheels.rate_rows(placed)
        b = (rates[..., self.spinning, :] @ velocity[..., None])[..., 0]
        self.system = with_axles(
            equations, placed, self.spinning, wheels.axle_inertia[self.spinning],
            wheels.momentum_inertia[self.spinning], velocity[..., 2], b,
        )
        size = self.system.M.shape[-1]
        axles = {int(k): size - len(self.spinning) + i for i, k in enumerate(self.spinning)}
        # Torques of drives push along rates that are speeds of their own, or else along the traction that they turn.
        push = np.zeros((*np.broadcast_shapes(torques.shape[:-1], rates.shape[:-2]), size))
        for k in range(len(wheels.wheels)):
            if k in axles:
                push[..., axles[k]] = torques[..., k]
            else:
                push[..., :BASE] += torques[..., k, None] * rates[..., k, :]
        self.right = push - self.system.h
        self.B = self._held(axles, size)
        self.P, self.standing = self._resisting(axles, size)
        self.shape: tuple[int, ...] = ()
        self.over(self.right.shape[:-1])

    def over(self, shape: tuple[int, ...]) -> Rolling:
        """The same in states with more batch axes."""
        self.shape = np.broadcast_shapes(self.shape, shape)
        self.system = System(*(np.broadcast_to(p, (*self.shape, *p.shape[p.ndim - c :])) for p, c in
                               zip(self.system, (2, 1, 2, 1), strict=True)))
        self.right = np.broadcast_to(self.right, self.system.h.shape)
        self.tips = np.zeros(self.shape, dtype=bool)
        return self

    def _held(self, axles: dict[int, int], size: int) -> Floats:
        """Rows (..., rows, speeds) of all that grips, tractions of wheels that spin by themselves among them."""
        wheels = self.rover.arrangement
        each = list(zip(wheels.grips.contact, wheels.grips.spin, strict=True))
        those = [i for i, (k, spin) in enumerate(each) if not spin or int(k) in axles]
        rows = wheels.in_base(wheels.grips, self.placed)[..., those, :]
        B = np.zeros((*rows.shape[:-1], size))
        B[..., :BASE] = rows
        for j, i in enumerate(those):
            k, spin = each[i]
            if spin:
                B[..., j, axles[int(k)]] = spin
        return B

    def _resisting(self, axles: dict[int, int], size: int) -> tuple[Floats, list[_Standing]]:
        """Forces (..., speeds, contacts) of rolling resistance per unit of the normal forces; and what stands, and is
        held by it up to that.
        """
        wheels, velocity = self.rover.arrangement, self.velocity
        rates = wheels.rate_rows(self.placed)
        shape = np.broadcast_shapes(velocity.shape[:-1], rates.shape[:-2])
        P = np.zeros((*shape, size, len(wheels.wheels)))
        standing: list[_Standing] = []
        at = velocity_at(velocity, wheels.pivots)
        fastest = np.sqrt((at * at).sum(axis=(-2, -1)))
        for k, wheel in enumerate(wheels.wheels):
            friction = self.rover.rolling_friction[k]
            for group in wheel.resistance() if friction else ():
                rows = rows_of([(k, row) for row in group])
                base = wheels.in_base(rows, self.placed)
                turn = rows.spin[:, None] * rates[..., k, None, :]
                slip = ((base + turn) @ velocity[..., None])[..., 0]
                speed = np.sqrt((slip * slip).sum(axis=-1))
                moves = np.asarray(speed > STILL * fastest)
                D = np.zeros((*np.broadcast_shapes(shape, base.shape[:-2]), len(rows.spin), size))
                D[..., :BASE] = base if k in axles else base + turn
                if k in axles:
                    D[..., axles[k]] = rows.spin
                push = -friction * np.where(moves[..., None], slip / np.where(moves, speed, 1.0)[..., None], 0.0)
                P[..., k] += (push[..., None, :] @ D)[..., 0, :]
                if not moves.all():
                    standing.append(_Standing(k, friction, D, ~moves))
        return P, standing

    def stand_joints(self, limits: Floats, rests: Bools, rows: Floats) -> None:
        """Joints (..., n) that rest are held by their dry friction up to limits (n,); `rows` (..., n, speeds) are their
        speeds in those of the equations.
        """
        size, n = self.system.M.shape[-1], rows.shape[-1]
        for j in np.flatnonzero((limits > 0) & rests.reshape(-1, len(limits)).any(axis=0)):
            D = np.zeros((*rows.shape[:-2], 1, size))
            D[..., 0, BASE : BASE + n] = rows[..., j, :]
            self.standing.append(_Standing(-1, float(limits[j]), D, rests[..., j]))

    def accelerations(self, free: Bools, given: Floats) -> Floats:
        """Udot (..., speeds) where some speeds are free, forces of the drives `given` along all, accelerations where
        they are not.
        """
        wheels, (M, _, V, v) = self.rover.arrangement, self.system
        Udot = np.where(free, 0.0, np.broadcast_to(given, (*self.shape, M.shape[-1])))
        right = self.right + np.where(free, given, 0.0) - (M @ Udot[..., None])[..., 0]
        bias = v + (V @ Udot[..., None])[..., 0]
        B = np.broadcast_to(self.B, (*self.shape, *self.B.shape[-2:]))
        wanted = -(B @ Udot[..., None])[..., 0]
        P = np.broadcast_to(self.P, (*self.shape, *self.P.shape[-2:]))
        # A bad state stays the only one.
        good: Bools = np.asarray(np.isfinite(M).all(axis=(-2, -1)) & np.isfinite(right).all(axis=-1)
                                 & np.isfinite(bias).all(axis=-1) & np.isfinite(self.velocity).all(axis=-1)
                                 & np.isfinite(self.placed.forward).all(axis=(-2, -1)))
        sound = good[..., None]
        M = np.where(sound[..., None], M[..., free, :][..., :, free], np.eye(int(free.sum())))
        right, wanted, bias = (np.where(sound, part, 0.0) for part in (right[..., free], wanted, bias))
        V, P, B = (np.where(sound[..., None], part, 0.0) for part in (V[..., free], P[..., free, :], B[..., free]))
        B, wanted, idle = _independent(B, wanted)
        points = np.where(good[..., None, None], self.placed.points, wheels.pivots)
        stiffness = np.broadcast_to(1.0 / wheels.compliance, (*self.shape, len(wheels.wheels))).copy()
        for _ in wheels.wheels:
            S = np.swapaxes(on_springs(points[..., None, :, :], stiffness[..., None, :], np.eye(3)).normal, -1, -2)
            solved = accelerations(M, right, V, bias, P, S, B, wanted, idle)
            normal = (S @ ((V @ solved.Udot[..., None])[..., 0] + bias)[..., None])[..., 0]
            lifting = (normal < 0) & ~self.tips[..., None]
            if not lifting.any():
                break
            left = stiffness * ~lifting
            standing = supported(points, left > 0)
            self.tips |= ~standing
            stiffness = np.where(standing[..., None], left, stiffness)
        Udot[..., free] = solved.Udot
        if self.standing:
            normal = normal.copy()
            self._from_rest(free, (M, right, V, bias, P, S, B, wanted, idle), Udot, normal, good & ~self.tips)
        self.normal = np.where(sound, normal, np.nan)
        return np.where(sound, Udot, np.nan)

    def _from_rest(
        self, free: Bools, parts: tuple[Floats, ...], Udot: Floats, normal: Floats, those: Bools
    ) -> None:
        """Puts in accelerations and normal forces of states in which something stands: it stays where its rolling
        resistance or dry friction holds it, and starts against that where it does not, as friction leaves least motion.
        States in which the same stands are looked at together.
        """
        def row(part: Floats | Bools, core: int) -> Any:
            """With batch axes in one."""
            whole = np.broadcast_to(part, (*self.shape, *part.shape[part.ndim - core :]))
            return whole.reshape(count, *whole.shape[len(self.shape) :])

        count = int(np.prod(self.shape, dtype=int))

        rests = np.stack([row(each.rests, 0) for each in self.standing], axis=-1)
        each_part = [row(part, core) for part, core in zip(parts, (2, 1, 2, 1, 2, 2, 2, 1, 1), strict=True)]
        rows = [row(each.D, 2) for each in self.standing]
        speeds, pressed = (part.reshape(count, part.shape[-1]) for part in (Udot, normal))  # views
        at = np.flatnonzero(row(those, 0) & rests.any(axis=-1))
        pattern = np.concatenate([rests, each_part[-1] == 0], axis=-1)[at]
        patterns, of_state = np.unique(pattern, axis=0, return_inverse=True)
        for i, pattern in enumerate(patterns):
            stands = np.flatnonzero(pattern[: len(self.standing)])
            same = at[of_state.ravel() == i]
            for some in np.array_split(same, 1 + len(same) // _BLOCK):
                D = np.concatenate([rows[k][some] for k in stands], axis=-2)
                offset = (D[..., ~free] @ speeds[some][:, ~free, None])[..., 0]
                found, pressed[some] = _least_from_rest(
                    tuple(part[some] for part in each_part), D[..., free], offset, [self.standing[k] for k in stands],
                    pressed[some],
                )
                speeds[np.ix_(some, np.flatnonzero(free))] = found

    def loads(self, Udot: Floats) -> Loads:
        """Forces at the contacts, with batch axes in one row."""
        own, (M, h, _, _) = self.equations.bias.shape[-1], self.equations
        count = int(np.prod(self.shape, dtype=int))
        plane = (M[..., :BASE, :] @ Udot[..., :own, None])[..., 0] + h[..., :BASE]
        vertical = (self.system.V @ Udot[..., None])[..., 0] + self.system.v
        force = np.concatenate([plane[..., :2], vertical[..., :1]], axis=-1)
        torque = np.concatenate([vertical[..., 1:], plane[..., 2:]], axis=-1)

        def row(part: Floats, core: int = 1) -> Floats:
            return np.broadcast_to(part, (*self.shape, *part.shape[part.ndim - core :])).reshape(
                count, *part.shape[part.ndim - core :]
            )

        points, forward = (part if part.ndim == 2 else row(part, 2)
                           for part in (self.placed.points, self.placed.forward))
        placed = Placed(points, forward)
        wheels = self.rover.arrangement
        return settle(
            contact_model(self.rover), wheels, placed, self.rover.edges if wheels.fixed_points else None, row(force),
            row(torque), row(self.velocity), row(Udot[..., :BASE]), torques=row(self.torques), normal=row(self.normal),
            from_rest=True,
        )


class _Standing(NamedTuple):
    """Rolling resistance of a contact, or dry friction of a joint, where it stands."""

    contact: int
    """-1 for joints."""
    friction: float
    """Per unit of normal force; of joints, the limit itself."""
    D: Floats
    """(..., rows, speeds)."""
    rests: Bools
    """(...): whether it does."""


def _least_from_rest(
    parts: tuple[Floats, ...], D: Floats, offset: Floats, standing: list[_Standing], normal: Floats
) -> tuple[Floats, Floats]:
    """Accelerations and normal forces of states (s, ...), with rows D over the free speeds, and rates of slip `offset`
    at accelerations of zero, of what stands. The same rows are held in all of them.
    """
    M, right, V, v, P, S, B, wanted, idle = parts
    held = idle[0] == 0
    count, size = right.shape
    B_held = B[:, held]
    across = np.broadcast_to(np.eye(size), (count, size, size))
    if held.any():
        across = np.swapaxes(np.linalg.svd(B_held)[2][:, int(held.sum()) :], -1, -2)
    first = (wanted[:, None, held] @ B_held)[:, 0]  # its rows are orthonormal
    sizes = [each.D.shape[-2] for each in standing]
    groups = groups_of(np.repeat(np.arange(len(standing)), sizes), len(standing))
    friction = np.array([each.friction for each in standing])
    contacts = np.array([each.contact for each in standing])
    on_ground = contacts >= 0
    of_contact = (contacts[groups.of_row, None] == np.arange(normal.shape[-1])).astype(float)
    seen, turned = D @ across, np.swapaxes(across, -1, -2)
    start = offset + (D @ first[..., None])[..., 0]
    per = groups.of_row

    def once(N: Floats, of: Ints) -> tuple[Floats, Floats, Floats]:
        """Accelerations and normal forces of some states for friction under normal forces N; and the least motion."""
        m, r, rows, back = M[of], right[of], D[of], turned[of]
        limits = np.where(on_ground, friction * np.maximum(N[:, contacts], 0.0), friction)
        push = _times(back, r + _times(P[of], N) - _times(m, first[of]))
        begin = None if moves is None else moves[of]
        moved = least_motion(back @ m @ across[of], push, seen[of], start[of], groups, limits, begin,
                             near=begin is not None)
        sticks = moved.sticks[:, per]
        # What starts resists against its way: with mu_r N, which is P N, or as a joint does; what stays is held.
        way = friction[per] * moved.forces / np.maximum(groups.sizes(moved.forces), 1e-300)[:, per]
        way = np.where(sticks, 0.0, way)
        resists = P[of] + (np.swapaxes(rows, -1, -2) * way[:, None, :]) @ of_contact
        rubbed = r + ((way * ~on_ground[per])[:, None, :] @ rows)[:, 0]
        fixed, demand, loose = _independent(np.concatenate([B[of], rows * sticks[..., None]], axis=-2),
                                            np.concatenate([wanted[of], -offset[of] * sticks], axis=-1))
        Udot = accelerations(m, rubbed, V[of], v[of], resists, S[of], fixed, demand, loose).Udot
        return Udot, _times(S[of], _times(V[of], Udot) + v[of]), moved.accelerations

    moves: Floats | None = None
    """What moves along what is free, as found last."""
    N, solved, todo = normal.copy(), np.zeros((count, size)), np.arange(count)
    for _ in range(_ROUNDS):
        before = N[todo]
        solved[todo], N[todo], new = once(before, todo)
        if moves is None:
            moves = new
        moves[todo] = new
        apart = np.abs(N[todo] - before).max(axis=-1)
        todo = todo[apart > 1e-12 * np.maximum(np.abs(before).max(axis=-1), 1e-300)]
        if not len(todo):
            break
    return solved, N


def _times(matrix: Floats, vector: Floats) -> Floats:
    result: Floats = (matrix @ vector[..., None])[..., 0]
    return result


def _independent(B: Floats, wanted: Floats) -> tuple[Floats, Floats, Floats]:
    """Independent orthonormal rows for B, zero where it has fewer, what they are to be, and 1 where they are zero."""
    rank = min(B.shape[-2:])
    if not rank:
        return B[..., :0, :], wanted[..., :0], wanted[..., :0]
    left, values, right = np.linalg.svd(B, full_matrices=False)
    there = values > _RANK * np.maximum(1.0, values[..., :1])
    turned = (np.swapaxes(left, -1, -2) @ wanted[..., None])[..., 0]
    return (
        np.where(there[..., None], right, 0.0),
        np.where(there, turned / np.where(there, values, 1.0), 0.0),
        (~there).astype(float),
    )
