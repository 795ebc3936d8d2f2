"""A formulation is data: its name, its source, and the functions that the source gives. What a source leaves out
follows from what it gives, in the same way for all of them:

- gravity forces are the inverse dynamics at rest,
- bias forces are the inverse dynamics without accelerations,
- accelerations solve M qdd = tau - bias, where the source gives a mass matrix M.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, ltdl, zeros

Equation = Callable[..., Array]
WrenchEquation = Callable[..., tuple[Array, Array]]


@dataclass(frozen=True)
class Formulation:
    """One way to the dynamics. Functions take a mechanism and arrays of scalars of any kind."""

    name: str
    citation: str
    inverse_dynamics: Equation
    gravity_forces: Equation
    bias_forces: Equation
    joint_wrenches: WrenchEquation | None = None
    mass_matrix: Equation | None = None
    coriolis_matrix: Equation | None = None
    forward_dynamics: Equation | None = None
    compile_up_to: int | None = None
    """Robots with more degrees of freedom than this run it uncompiled: its program grows too fast. None: no limit."""


def gravity_from(inverse_dynamics: Equation) -> Equation:
    """The gravity forces of a formulation: its inverse dynamics at rest.

    >>> import loadpath as lp
    >>> from loadpath.formulations import luh
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import array
    >>> [round(x, 12) for x in luh.gravity_forces(plain(lp.catalog.two_link()), array([1.5707963267948966, 0.0]))]
    [29.4, 9.8]
    """

    def gravity_forces(mechanism: Mechanism, q: Array) -> Array:
        """Forces of the drives that hold the robot still against gravity."""
        still = zeros(mechanism.n)
        return inverse_dynamics(mechanism, q, still, still)

    return _of_module(inverse_dynamics, gravity_forces)


def bias_from(inverse_dynamics: Equation) -> Equation:
    """The bias forces of a formulation: its inverse dynamics without accelerations.

    >>> import loadpath as lp
    >>> from loadpath.formulations import luh
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import array
    >>> arm, q, qd = plain(lp.catalog.two_link(gravity=0)), array([0.0, 1.5707963267948966]), array([1.0, 2.0])
    >>> [round(x, 12) for x in luh.bias_forces(arm, q, qd)]
    [-8.0, 1.0]
    """

    def bias_forces(
        mechanism: Mechanism,
        q: Array,
        qd: Array,
        external: External | None = None,
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
    ) -> Array:
        """Forces of the drives for qdd = 0."""
        return inverse_dynamics(mechanism, q, qd, zeros(mechanism.n), external, base_velocity, base_acceleration)

    return _of_module(inverse_dynamics, bias_forces)


def accelerations_from(inverse_dynamics: Equation, mass_matrix: Equation) -> Equation:
    """The forward dynamics of a formulation: M qdd = tau - bias(q, qd), friction and rotors included.

    >>> import loadpath as lp
    >>> from loadpath.formulations import lagrange_euler
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import array
    >>> arm = plain(lp.catalog.two_link(gravity=0))
    >>> lagrange_euler.forward_dynamics(arm, array([0.0, 0.0]), array([0.0, 0.0]), array([5.0, 2.0])).tolist()
    [1.0, 0.0]
    """

    def forward_dynamics(
        mechanism: Mechanism,
        q: Array,
        qd: Array,
        tau: Array,
        external: External | None = None,
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
    ) -> Array:
        """Accelerations for given forces of the drives."""
        still = zeros(mechanism.n)
        bias = inverse_dynamics(mechanism, q, qd, still, external, base_velocity, base_acceleration)
        return ltdl(mass_matrix(mechanism, q)).solve(tau - bias)

    return _of_module(mass_matrix, forward_dynamics)


def _of_module(given: Equation, made: Equation) -> Equation:
    """The derived function under the module of the given one, where it is found by its name as any other."""
    made.__module__, made.__qualname__ = given.__module__, made.__name__
    return made
