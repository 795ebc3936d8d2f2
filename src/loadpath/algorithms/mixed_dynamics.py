"""Mixed dynamics: of each speed either the acceleration is prescribed or the force of its drive is given.

With the speeds split into those with prescribed accelerations (p) and those with given forces (f), the equations of
motion read

    [tau_p]   [M_pp  M_pf] [qdd_p]   [h_p]
    [tau_f] = [M_fp  M_ff] [qdd_f] + [h_f]

and M_ff qdd_f = tau_f - (h + M qdd with qdd_f = 0)_f. With all accelerations prescribed this is the inverse dynamics,
with all forces given the forward dynamics; in between, hybrid dynamics in the words of Featherstone (Rigid Body
Dynamics Algorithms, section 9.2).
"""

from __future__ import annotations

from collections.abc import Sequence

from loadpath.algorithms import articulated_body, composite_body
from loadpath.algorithms.movable import check_free
from loadpath.algorithms.state_space import LONGEST_COMPOSITE, longest_path
from loadpath.formulations import constraint_system
from loadpath.formulations.generalized_motion import speed_names
from loadpath.formulations.moving_base import SPEEDS, moving_base
from loadpath.formulations.newton_euler import inverse_dynamics
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, array, is_zero, ltdl, zeros

# As LONGEST_COMPOSITE, where some accelerations are prescribed, which takes one more inverse dynamics (counted on
# general revolute arms with the prescribed joints first, last and in turn: equal between 16 and 25 joints).
LONGEST_MIXED = 19


def by_partition(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    known: Array,
    prescribed: Sequence[bool],
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array]:
    """Accelerations and drive forces, by the mass matrix of the speeds whose forces are given.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> arm, still = plain(catalog.two_link(gravity=0)), array([0.0, 0.0])
    >>> qdd, tau = by_partition(arm, still, still, array([1.0, 0.0]), [True, False])      # joint 2 swings freely
    >>> [round(x, 12) for x in (*qdd, *tau)]
    [1.0, -2.0, 1.0, 0.0]
    """
    n = mechanism.n
    free = [k for k in range(n) if not prescribed[k]]
    qdd = array([known[k] if prescribed[k] else 0.0 for k in range(n)]) if n else zeros(0)
    tau = inverse_dynamics(mechanism, q, qd, qdd, external, base_velocity, base_acceleration)
    if not free:
        return qdd, tau
    M = composite_body.mass_matrix(mechanism, q)
    M_ff, missing = zeros(len(free), len(free)), zeros(len(free))
    for i, row in enumerate(free):
        missing[i] = known[row] - tau[row]
        for j, column in enumerate(free):
            M_ff[i, j] = M[row, column]
    found = ltdl(M_ff).solve(missing)
    for i, k in enumerate(free):
        qdd[k], tau[k] = found[i], known[k]
    for row in range(n):
        if prescribed[row]:
            for i, k in enumerate(free):
                if not is_zero(M[row, k]):
                    tau[row] = tau[row] + M[row, k] * found[i]
    return qdd, tau


def by_articulated_bodies(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    known: Array,
    prescribed: Sequence[bool],
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array]:
    """Accelerations and drive forces, by articulated bodies whose joints give way where forces are given: the cost
    grows linearly with the joints. No joint may mimic another.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> arm, still = plain(catalog.two_link(gravity=0)), array([0.0, 0.0])
    >>> qdd, tau = by_articulated_bodies(arm, still, still, array([1.0, 0.0]), [True, False])
    >>> [round(x, 12) for x in (*qdd, *tau)]
    [1.0, -2.0, 1.0, 0.0]
    """
    n, free = mechanism.n, [not choice for choice in prescribed]
    given = array([known[k] if prescribed[k] else 0.0 for k in range(n)])
    case = external, base_velocity, base_acceleration
    qdd = articulated_body.accelerations(mechanism, q, qd, given, known, free, *case)
    tau = known.copy() if all(free) else inverse_dynamics(mechanism, q, qd, qdd, *case)
    for k in range(n):
        if free[k]:
            tau[k] = known[k]
    return qdd, tau


def mixed_dynamics(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    known: Array,
    prescribed: Sequence[str] = (),
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array]:
    """Accelerations and drive forces, each (n,), by the route that takes fewer operations: `known` is the acceleration
    of the speeds that are `prescribed`, by their names, and the drive force of the others.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> arm, still = plain(catalog.two_link()), array([0.0, 0.0])
    >>> qdd, tau = mixed_dynamics(arm, still, still, array([1.0, 0.0]), ["joint1", "joint2"])
    >>> [round(x, 12) for x in tau]
    [5.0, 2.0]
    """
    chosen = chosen_speeds(mechanism, prescribed)
    coupled = any(body.joint.mimic is not None for body in mechanism.bodies)
    longest = LONGEST_MIXED if prescribed else LONGEST_COMPOSITE
    short = all(chosen) or longest_path(mechanism) <= longest
    solve = by_partition if coupled or short else by_articulated_bodies
    return solve(mechanism, q, qd, known, chosen, external, base_velocity, base_acceleration)


def by_linear_system(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    known: Array,
    prescribed: Sequence[str] = (),
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array]:
    """The same from the one linear system of all unknowns, forces and accelerations of the links among them.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> arm, still = plain(catalog.two_link()), array([0.0, 0.0])
    >>> qdd, tau = by_linear_system(arm, still, still, array([1.0, 0.0]), ["joint1", "joint2"])
    >>> [round(x, 12) for x in tau]
    [5.0, 2.0]
    """
    chosen = chosen_speeds(mechanism, prescribed)
    if base_velocity is None and base_acceleration is None:
        found = constraint_system.mixed_dynamics(mechanism, q, qd, known, chosen, external)
        return found.qdd, found.tau
    base = moving_base(mechanism, base_velocity, base_acceleration)
    state = base.coordinates(q), base.speeds(qd), base.accelerations(known)
    found = constraint_system.mixed_dynamics(base.mechanism, *state, [True] * SPEEDS + chosen, external)
    return found.qdd[SPEEDS:], found.tau[SPEEDS:]


def chosen_speeds(mechanism: Mechanism, prescribed: Sequence[str]) -> list[bool]:
    """For every speed whether its acceleration is prescribed, or an error where a name or an inertia is missing.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> chosen_speeds(plain(catalog.two_link()), ["joint2"])
    [False, True]
    """
    names = speed_names(mechanism)
    unknown = [name for name in prescribed if name not in names]
    if unknown or isinstance(prescribed, str):
        raise ValueError(f"'prescribed' names {prescribed if isinstance(prescribed, str) else unknown[0]!r}: expected "
                         f"some of {', '.join(names)}")
    check_free(mechanism, [k for k, name in enumerate(names) if name not in prescribed], names)
    return [name in prescribed for name in names]
