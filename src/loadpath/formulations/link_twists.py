"""Twists of all links and their rates from the state of the robot, on a base at rest or one that moves: t of (7.54),
tdot of (7.56), and what is made of them (Angeles, section 7.5).

Everything is in world axes, which coincide with those of the root link at that instant, and about mass centers, as in
`orthogonal_complement`. On a base that moves, the robot is seen on a joint more (`moving_base`), whose block and
columns are left out of the results; the linear motion of the base adds to all links alike.
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.formulations import orthogonal_complement as complement
from loadpath.formulations.moving_base import SPEEDS, moving_base
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, zeros


class State(NamedTuple):
    """A state of the robot as its equations are asked: on its own, or with the joint of the moving base in front."""

    mechanism: Mechanism
    q: Array
    qd: Array
    qdd: Array
    bodies: int
    """How many bodies are in front of the robot's own."""
    speeds: int
    """How many speeds are in front of the robot's own."""

    def own_rows(self, blocks: Array) -> Array:
        """The rows of the robot's own bodies, of six a body."""
        found: Array = blocks[6 * self.bodies :]
        return found


def on_base(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    base_velocity: Array | None,
    base_acceleration: Array | None,
) -> State:
    """The state on its base."""
    if base_velocity is None and base_acceleration is None:
        return State(mechanism, q, qd, qdd, 0, 0)
    base = moving_base(mechanism, base_velocity, base_acceleration)
    return State(base.mechanism, base.coordinates(q), base.speeds(qd), base.accelerations(qdd), 1, SPEEDS)


def t(mechanism: Mechanism, q: Array, qd: Array, base_velocity: Array | None = None) -> Array:
    """Twists [omega_i; cdot_i] of all links, (6n) (7.54).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import array
    >>> t(plain(lp.catalog.two_link()), array([0.0, 0.0]), array([2.0, 0.0]))[:6].tolist()
    [0.0, -2.0, 0.0, 2.0, 0.0, 0.0]
    """
    state = on_base(mechanism, q, qd, zeros(mechanism.n), base_velocity, None)
    found = state.own_rows(_product(complement.T(state.mechanism, state.q), state.qd))
    return found if base_velocity is None else _carried(found, base_velocity)


def t_dot(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Array:
    """Rates [omegadot_i; cddot_i] of the twists of all links, (6n): T thetaddot + Tdot thetadot (7.56).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import array
    >>> arm, still = plain(lp.catalog.two_link()), array([0.0, 0.0])
    >>> t_dot(arm, still, array([2.0, 0.0]), still)[:6].tolist()                        # towards the axis, v^2 / l
    [0.0, 0.0, 0.0, 0.0, 0.0, 4.0]
    """
    state = on_base(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    shape, rate = complement.T(state.mechanism, state.q), complement.Tdot(state.mechanism, state.q, state.qd)
    found = state.own_rows(_product(shape, state.qdd) + _product(rate, state.qd))
    return found if base_acceleration is None else _carried(found, base_acceleration)


def T_dot(mechanism: Mechanism, q: Array, qd: Array, base_velocity: Array | None = None) -> Array:
    """Time derivative of T, (6n, speeds); on a base that turns, T turns with it.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import array
    >>> T_dot(plain(lp.catalog.two_link()), array([0.0, 0.0]), array([1.0, 0.0]))[:6, 0].tolist()    # centripetal
    [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    """
    state = on_base(mechanism, q, qd, zeros(mechanism.n), base_velocity, None)
    return state.own_rows(complement.Tdot(state.mechanism, state.q, state.qd))[:, state.speeds :]


def W(mechanism: Mechanism, q: Array, qd: Array, base_velocity: Array | None = None) -> Array:
    """diag([omega_i]x, 0), (6n, 6n).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import array
    >>> W(plain(lp.catalog.two_link()), array([0.0, 0.0]), array([1.0, 0.0]))[2, 0]    # turns about the world's -y
    1.0
    """
    return complement.W(mechanism, t(mechanism, q, qd, base_velocity))


def _product(matrix: Array, values: Array) -> Array:
    """A product that is zero where there are no values."""
    result: Array = matrix @ values if len(values) else zeros(len(matrix))
    return result


def _carried(twists: Array, of_base: Array) -> Array:
    """The twists (rates) of all links with the linear velocity (acceleration) of the base added."""
    result = twists.copy()
    for start in range(3, len(result), 6):
        result[start : start + 3] = result[start : start + 3] + of_base[:3]
    return result
