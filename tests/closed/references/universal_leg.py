"""A straight leg that hangs in a universal joint and ends in a ball: motion and forces in closed form.

Shared by the Stewart platform and the delta. The leg runs along s from B, the center of the universal joint, to A, the
center of the ball, at the distance L, which may change. Of the universal joint the first axis e, fixed in direction, is
held by the carrier; the second, y, is perpendicular to e and to the leg. So the leg turns with omega = s x s' +
sigma s, where sigma follows from omega . (e x y) = 0: the joint does not let it spin about the normal of its cross
(B. Dasgupta, T. S. Mruthyunjaya, A Newton-Euler formulation for the inverse dynamics of the Stewart platform
manipulator, Mechanism and Machine Theory 33 (1998), 1135-1152; their legs, with the spin kept and any mass center).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Piece:
    """One body of a leg. `center` is seen from B, or with `from_ball` from A, in the leg's axes (z along the leg, y the
    second axis of the universal joint); `tensor` about it, in the same axes.
    """

    mass: float
    center: Array
    tensor: Array
    from_ball: bool = False


@dataclass
class Leg:
    """A leg at an instant."""

    s: Array
    length: float
    length_rate: float
    length_acceleration: float
    R: Array
    """Axes of the leg, as columns in world axes."""
    omega: Array
    omegadot: Array
    normal: Array
    """e x y: the direction of the moment that the universal joint carries."""


def leg_motion(e: Array, B: Array, A: Array, velocities: tuple[Array, Array],
               accelerations: tuple[Array, Array]) -> Leg:
    """From the motions of both ends (velocities and accelerations of B and A)."""
    d, dd, ddd = A - B, velocities[1] - velocities[0], accelerations[1] - accelerations[0]
    L = float(np.linalg.norm(d))
    s = d / L
    Ld = float(s @ dd)
    sd = (dd - Ld * s) / L
    Ldd = float(s @ ddd + sd @ dd)
    sdd = (ddd - Ldd * s - 2.0 * Ld * sd) / L
    y = np.cross(s, e)
    y = y / np.linalg.norm(y)
    normal = np.cross(e, y)
    sigma = -float(np.cross(s, sd) @ normal) / float(s @ normal)
    omega = np.cross(s, sd) + sigma * s
    normal_rate = np.cross(e, np.cross(omega, y))
    without = np.cross(s, sdd) + sigma * sd
    sigmad = -float(omega @ normal_rate + without @ normal) / float(s @ normal)
    R = np.array([np.cross(y, s), y, s]).T
    return Leg(s, L, Ld, Ldd, R, omega, without + sigmad * s, normal)


@dataclass
class LegForces:
    """What the leg's own inertia and weight ask for, with the axial force on the ball still open."""

    across: Array
    """Force on the body at the ball, perpendicular to the leg."""
    moment: Array
    """Moment of the universal joint on the leg."""
    total: Array
    """Sum of m (a - g): force of the carrier on the leg = this + force on the body at the ball."""
    beyond_slide: float
    """s . sum of m (a - g) of the pieces that go with the ball: drive of a sliding leg = this + axial force."""


def leg_forces(leg: Leg, pieces: tuple[Piece, ...], B: Array, A: Array, accelerations: tuple[Array, Array],
               gravity: Array) -> LegForces:
    """From moments about B: -L s x f + M normal = h, whose part along s gives M, and the others the force across."""
    h, total, beyond = np.zeros(3), np.zeros(3), 0.0
    for piece in pieces:
        arm = leg.R @ piece.center
        origin, motion = (A, accelerations[1]) if piece.from_ball else (B, accelerations[0])
        a = motion + np.cross(leg.omegadot, arm) + np.cross(leg.omega, np.cross(leg.omega, arm))
        tensor = leg.R @ piece.tensor @ leg.R.T
        push = piece.mass * (a - gravity)
        h = h + np.cross(origin + arm - B, push) + tensor @ leg.omegadot + np.cross(leg.omega, tensor @ leg.omega)
        total = total + push
        if piece.from_ball:
            beyond += float(leg.s @ push)
    M = float(h @ leg.s) / float(leg.normal @ leg.s)
    across = np.cross((M * leg.normal - h) / leg.length, leg.s)
    return LegForces(across, M * leg.normal, total, beyond)
