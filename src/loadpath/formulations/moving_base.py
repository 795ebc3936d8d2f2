"""Any formulation on a base that moves: the same robot with its base on a spherical joint whose motion is given.

The sources keep the base at rest. What they need is a joint more, not other equations:

- The base turns on a `Spherical` joint at the origin of its frame. Angular velocity and acceleration of the base are
  the speeds and accelerations of that joint, and its rows of the result are left out.
- The origin accelerates. To those on the base that is gravity of the other sign, so it is taken off gravity. Forces do
  not depend on a constant linear velocity.

The base's own inertia is felt by the joint that carries it, and by no other: here it is zero.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from loadpath.formulations.newton_euler import base_motion
from loadpath.mechanics.wrenches import BASE_MOTION, External
from loadpath.robot.joints import Spherical
from loadpath.robot.mechanism import BASE, Body, Frame, Mechanism
from loadpath.robot.parts import Joint
from loadpath.scalars import IDENTITY, Array, array, zeros

Result = TypeVar("Result", Array, tuple[Array, Array])

_CARRIER = Spherical()
SPEEDS = _CARRIER.dof
"""Speeds that the joint of the base adds in front of the robot's own."""


class MovingBase(NamedTuple):
    """A mechanism on a base that turns, and the motion of that base."""

    mechanism: Mechanism
    """With the joint of the base in front, under gravity as felt on the base."""
    omega: Array
    omegadot: Array

    def coordinates(self, q: Array) -> Array:
        """The robot's q after that of the base's joint, which has not turned yet."""
        return array([*_CARRIER.neutral(), *q])

    def speeds(self, qd: Array) -> Array:
        """The robot's qd after those of the base."""
        return array([*self.omega, *qd])

    def accelerations(self, qdd: Array) -> Array:
        """The robot's qdd after those of the base."""
        return array([*self.omegadot, *qdd])


def moving_base(mechanism: Mechanism, base_velocity: Array | None, base_acceleration: Array | None) -> MovingBase:
    """The mechanism on a base that moves as given: see `newton_euler.base_motion`.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> turning = moving_base(plain(lp.catalog.two_link()), array([0.0, 0.0, 0.0, 0.0, 0.0, 2.0]), None)
    >>> turning.mechanism.n, turning.omega.tolist()
    (5, [0.0, 0.0, 2.0])
    """
    motion = base_motion(mechanism, base_velocity, base_acceleration)
    bodies = [_carried_base(mechanism)]
    for body in mechanism.bodies:
        q, v = _after(body.q, _CARRIER.coordinates), _after(body.v, SPEEDS)
        bodies.append(replace(body, parent=body.parent + 1, q=q, v=v))
    carried = replace(
        mechanism,
        bodies=tuple(bodies),
        n=mechanism.n + SPEEDS,
        nq=mechanism.nq + _CARRIER.coordinates,
        gravity=-motion.oddot,
        link_frames={link: _one_further(frame) for link, frame in mechanism.link_frames.items()},
        # Without the joint of the base, so that its wrench is not reported.
        joint_frames={joint: _one_further(frame) for joint, frame in mechanism.joint_frames.items()},
    )
    return MovingBase(carried, motion.omega, motion.omegadot)


def _after(entries: slice, others: int) -> slice:
    return slice(entries.start + others, entries.stop + others)


def _one_further(frame: Frame) -> Frame:
    """The frame on the same body, which has moved up by one; on the base, which is body 0 now."""
    return replace(frame, body=frame.body + 1)


def _carried_base(mechanism: Mechanism) -> Body:
    """The base as a body without mass on its joint."""
    name = next((link for link, frame in mechanism.link_frames.items() if frame.body == BASE), "base")
    return Body(
        name=name,
        parent=BASE,
        turn=IDENTITY,
        arm=zeros(3),
        motion=_CARRIER,
        joint=Joint("moving base", "world", name, _CARRIER),
        q=slice(0, _CARRIER.coordinates),
        v=slice(0, SPEEDS),
        multiplier=1.0,
        offset=0.0,
        mass=0.0,
        moment=zeros(3),
        inertia=zeros(3, 3),
    )


def on_moving_base(equation: Callable[..., Result]) -> Callable[..., Result]:
    """The same equation of the inverse dynamics, of drive forces (n) or of joint wrenches, for a base that may move.

    >>> import loadpath as lp
    >>> from loadpath.formulations import luh
    >>> from loadpath.robot.mechanism import plain
    >>> still, falling = array([0.0, 0.0]), array([0.0, 0.0, -9.8, 0.0, 0.0, 0.0])
    >>> luh.inverse_dynamics(plain(lp.catalog.two_link()), still, still, still, base_acceleration=falling).tolist()
    [0.0, 0.0]
    """

    @functools.wraps(equation)
    def run(
        mechanism: Mechanism,
        q: Array,
        qd: Array,
        qdd: Array,
        external: External | None = None,
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
        **options: Any,
    ) -> Result:
        if base_velocity is None and base_acceleration is None:
            return equation(mechanism, q, qd, qdd, external, **options)
        base = moving_base(mechanism, base_velocity, base_acceleration)
        state = base.coordinates(q), base.speeds(qd), base.accelerations(qdd)
        found = equation(base.mechanism, *state, external, **options)
        return found if isinstance(found, tuple) else found[SPEEDS:]

    vars(run)["__signature__"] = _with_base_motion(inspect.signature(equation))
    return run


def _with_base_motion(signature: inspect.Signature) -> inspect.Signature:
    """The signature with the motion of the base after the mechanism, the state and the external wrenches."""
    own = list(signature.parameters.values())
    added = [inspect.Parameter(name, own[4].kind, default=None) for name in BASE_MOTION]
    return signature.replace(parameters=[*own[:5], *added, *own[5:]])
