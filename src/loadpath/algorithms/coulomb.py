"""Dry friction apart from everything else: a force against the speed, of constant size (Coulomb) or larger near
standstill (Stribeck), that at rest takes whatever value up to its size there keeps the joint at rest.

Forward dynamics takes it as a function of the speed alone, which is not enough where a joint comes to rest. Integration
in time takes it out of the robot with `without_coulomb` and puts it back as a force of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, Scalar, exp, is_zero, sign, zeros
from loadpath.scalars.types import Floats

AnyMechanism = TypeVar("AnyMechanism", bound=Mechanism)

SWEEPS = 10
"""Sweeps of the iteration in `held_over_step`; it starts from the solution if all joints stop."""


def coulomb_limits(mechanism: Mechanism) -> list[float]:
    """Dry friction at rest along each speed of the robot: what it takes to break away, of mimicking joints too."""
    return [float(size) for size in dry_friction(mechanism, zeros(mechanism.n))]


def dry_friction(mechanism: Mechanism, qd: Array) -> list[Scalar]:
    """Size of the dry friction along each speed of the robot while it moves at these speeds; at rest its limit.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import array
    >>> drive = lp.Drive(friction=lp.Friction(coulomb=2.0, static=3.0, stribeck_speed=0.1))
    >>> arm = plain(lp.catalog.planar(1).with_drives({"joint1": drive}))
    >>> dry_friction(arm, array([0.0])), round(dry_friction(arm, array([0.1]))[0], 9)
    ([3.0], 2.367879441)
    """
    sizes: list[Scalar] = [0.0] * mechanism.n
    for body in mechanism.bodies:
        for i, size in enumerate(body.joint.coulomb_friction):
            k, more = body.v.start + i, body.joint.stribeck[i]
            sizes[k] = sizes[k] + abs(body.multiplier) * size
            if more is not None:
                share = abs(body.multiplier) / more.speed * (qd[k] * sign(qd[k]))
                power = share * share if more.exponent == 2 else share
                sizes[k] = sizes[k] + abs(body.multiplier) * (more.static - size) * exp(-power)
    return sizes


class DryFriction:
    """The same of a robot as numbers, at once for all speeds."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.at_rest: Floats = np.array(coulomb_limits(mechanism))
        """(n,): friction at which each joint breaks away."""
        rows = [(body.v.start + i, abs(body.multiplier), joint.coulomb_friction[i], more)
                for body in mechanism.bodies for joint in (body.joint,)
                for i, more in enumerate(joint.stribeck) if more is not None]
        self._places = np.array([place for place, *_ in rows], dtype=np.intp)
        self._surplus = np.array([k * (more.static - size) for _, k, size, more in rows])
        self._per_speed = np.array([k / more.speed for _, k, _, more in rows])
        self._exponent = np.array([more.exponent for *_, more in rows])

    def at(self, qd: Floats) -> Floats:
        """(..., n): its size at these speeds."""
        if not len(self._places):
            return self.at_rest
        left = np.exp(-((self._per_speed * np.abs(qd[..., self._places])) ** self._exponent)) - 1.0
        sizes = np.broadcast_to(self.at_rest, qd.shape).copy()
        np.add.at(np.moveaxis(sizes, -1, 0), self._places, np.moveaxis(self._surplus * left, -1, 0))
        return sizes


def without_coulomb(mechanism: AnyMechanism) -> AnyMechanism:
    """The same robot without dry friction."""
    bodies = []
    for body in mechanism.bodies:
        dof = len(body.joint.coulomb_friction)
        joint = replace(body.joint, coulomb_friction=(0.0,) * dof, stribeck=(None,) * dof)
        bodies.append(replace(body, joint=joint))
    return replace(mechanism, bodies=tuple(bodies))


def rubbing_speeds(mechanism: Mechanism) -> list[int]:
    """Numbers of the speeds with dry friction."""
    return [k for k, limit in enumerate(dry_friction(mechanism, zeros(mechanism.n))) if not is_zero(limit)]


def nearest_to_rest(mechanism: Mechanism, qd: Array, A: Array, w: Array, start: Array) -> Array:
    """Friction (n) within its limits with the least f.A f / 2 - f.w, from the forces that would stop every joint."""
    rubbing, limits = rubbing_speeds(mechanism), dry_friction(mechanism, qd)
    size = [limits[k] for k in rubbing]
    f = [within(x, limit) for x, limit in zip(start, size, strict=True)]
    for _ in range(SWEEPS if len(rubbing) > 1 else 0):
        for i in range(len(rubbing)):
            left: Scalar = w[i]
            for j in range(len(rubbing)):
                left = left - A[i, j] * f[j]
            f[i] = within(f[i] + left / A[i, i], size[i])
    friction = zeros(mechanism.n)
    for k, force in zip(rubbing, f, strict=True):
        friction[k] = force
    return friction


def within(x: Scalar, limit: Scalar) -> Scalar:
    """x, but not beyond plus or minus the limit.

    >>> within(3.0, 2.0), within(0.5, 2.0)
    (2.0, 0.5)
    """
    above, below = x + limit, x - limit
    return 0.5 * (above * sign(above) - below * sign(below))
