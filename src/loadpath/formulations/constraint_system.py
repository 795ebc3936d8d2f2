"""All unknowns at once in one sparse linear system (course notes on dynamics, section 2.2, eqs. 44-49).

For every link the unknowns are the force f_i and the moment mu_i in its joint, the acceleration a_i of its frame and
a_ci of its mass center, its angular acceleration omegadot_i, and the joint acceleration qddot_i: 16 for a joint with
one speed. The equations are (44), (45), (47), (48), (49), and for each speed either a known acceleration or a known
force of its drive. If all accelerations are known, the solution is the inverse dynamics, if all forces are known, the
forward dynamics; some of each may be known as well.

The system is linear because the angular velocities are computed beforehand from (46); the notes list them among the
unknowns and leave a_i out, see errata. Frames are those of the notes: the frame of a link at its joint, after the
motion. mu_i is about its origin, I_i about the mass center, both in its axes; gravity is in (44), so the base has
a_0 = 0.

The notes have revolute joints in a chain. A joint that also slides adds its terms to (48), and with any freedoms the
axis z_i of (46), (47) becomes one column for each speed. In a tree the forces of all children stand in (44) and (45).

The system is solved over any scalar by elimination along the tree. Links whose acceleration is known are gone through
outwards, then all others inwards from the tips; with all accelerations known, this is the recursive algorithm of
section 2.3. For plain numbers, `solve_with_scipy` gives the whole to a sparse solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.formulations.formulation import Formulation, bias_from, gravity_from
from loadpath.formulations.moving_base import SPEEDS, moving_base, on_moving_base
from loadpath.mechanics.drives import at_joint_frames, drive_forces, rotor_forces
from loadpath.mechanics.joint_motion import joint_columns, joint_motion
from loadpath.mechanics.link_geometry import central_inertia
from loadpath.mechanics.wrenches import External, Wrench, on_bodies
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import (
    Array,
    MatrixRotation,
    Rotation,
    Scalar,
    array,
    cross,
    identity,
    is_zero,
    scale,
    skew,
    zeros,
)

QUANTITIES = ("f", "mu", "a", "a_c", "omegadot")


class System(NamedTuple):
    """A x = b, and an order in which it can be eliminated."""

    rows: list[dict[int, Scalar]]
    """Of A: the entries that are not plain zeros, by column."""
    b: list[Scalar]
    pivots: list[tuple[int, int]]
    """Row and column, in the order of elimination."""
    bodies: int
    speeds: int

    def column(self, quantity: str, i: int) -> int:
        """Where the unknown of link i begins in x: one of `QUANTITIES`, three entries each, or "qdd" of speed i."""
        if quantity == "qdd":
            return 15 * self.bodies + i
        return 15 * i + 3 * QUANTITIES.index(quantity)

    def row(self, equation: int, i: int) -> int:
        """Where equation (44), (45), (47), (48) or (49) of link i begins; 50 stands for what is known of speed i."""
        if equation == 50:
            return 15 * self.bodies + i
        return 15 * i + 3 * (44, 45, 48, 49, 47).index(equation)


class _Known(NamedTuple):
    """What is known of link i before anything is solved: the terms of (46)-(49) without accelerations, in its axes."""

    R: Rotation
    """^{i-1}R_i."""
    t: Array
    """^{i-1}t_i, from the origin of frame i-1 to that of frame i, in frame i-1."""
    columns: list[tuple[Array, Array]]
    """For each speed z_i, and the direction of the slide."""
    omega: Array
    g: Array
    """Gravity."""
    bias_angular: Array
    """(47) without omegadot_{i-1} and qddot_i."""
    bias_linear: Array
    """(48) without a_{i-1}, omegadot_{i-1} and qddot_i."""


def _known(mechanism: Mechanism, q: Array, qd: Array) -> list[_Known]:
    found: list[_Known] = []
    for body in mechanism.bodies:
        omega, g = zeros(3), mechanism.gravity
        if body.parent != BASE:
            omega, g = found[body.parent].omega, found[body.parent].g
        Q, b, w, wdot, u, udot = joint_motion(body, q, qd, zeros(mechanism.n))
        R = MatrixRotation(body.turn.matrix() @ Q.matrix())
        t = body.arm + body.turn @ b
        omega_p = R.T @ omega
        found.append(
            _Known(
                R=R,
                t=t,
                columns=joint_columns(body, q),
                omega=omega_p + w,  # (46)
                g=R.T @ g,
                bias_angular=cross(omega_p, w) + wdot,
                # a sliding joint adds 2 omega_{i-1} x zdot; (48) is printed for revolute ones only
                bias_linear=R.T @ cross(omega, cross(omega, t)) + scale(2.0, cross(omega_p, u)) + cross(w, u) + udot,
            )
        )
    return found


def system(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    known: Array,
    prescribed: Sequence[bool],
    external: External | None = None,
) -> System:
    """The linear system. For each speed `known` is its acceleration if it is `prescribed`, else its drive force.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.two_link())
    >>> still = array([0.0, 0.0])
    >>> made = system(arm, still, still, still, [True, True])
    >>> len(made.rows), made.column("qdd", 0), sum(len(row) for row in made.rows)      # mostly zeros
    (47, 45, 100)
    """
    links = _known(mechanism, q, qd)
    size = 15 * len(links) + mechanism.n
    made = System([{} for _ in range(size)], [0.0] * size, [], len(links), mechanism.n)
    children: list[list[int]] = [[] for _ in links]
    for i, body in enumerate(mechanism.bodies):
        if body.parent != BASE:
            children[body.parent].append(i)
    for i, (body, link, wrench) in enumerate(
        zip(mechanism.bodies, links, on_bodies(mechanism, q, external), strict=True)
    ):
        m, rho, inertia = central_inertia(body)
        one, omega = identity(3), link.omega
        # (44): f_i - sum R f_{i+1} - m a_ci = -m g - f_external
        row = made.row(44, i)
        _put(made, row, made.column("f", i), one)
        _put(made, row, made.column("a_c", i), scale(-m, one))
        _right(made, row, -scale(m, link.g) - wrench.force)
        # (45): mu_i + ci_t_i x f_i - sum (R mu_{i+1} + ci_t_{i+1} x R f_{i+1}) - I omegadot_i
        #       = omega_i x I omega_i - n_external
        row = made.row(45, i)
        _put(made, row, made.column("mu", i), one)
        _put(made, row, made.column("f", i), skew(-rho))
        _put(made, row, made.column("omegadot", i), -inertia)
        about_center = wrench.torque - cross(rho, wrench.force)
        _right(made, row, cross(omega, inertia @ omega) - about_center)
        for j in children[i]:
            R = links[j].R.matrix()
            _put(made, made.row(44, i), made.column("f", j), -R)
            _put(made, made.row(45, i), made.column("mu", j), -R)
            # ci_t_{i+1}: to the origin of frame i+1 (printed: i)
            _put(made, made.row(45, i), made.column("f", j), -(skew(links[j].t - rho) @ R))
        # (47) and (48)
        for equation, quantity, bias in ((47, "omegadot", link.bias_angular), (48, "a", link.bias_linear)):
            row = made.row(equation, i)
            _put(made, row, made.column(quantity, i), one)
            _right(made, row, bias)
            for k, (z, slide) in enumerate(link.columns, start=body.v.start):
                _put(made, row, made.column("qdd", k), -array([[x] for x in (z if equation == 47 else slide)]))
            if body.parent != BASE:
                back = link.R.matrix().T
                _put(made, row, made.column(quantity, body.parent), -back)
                if equation == 48:
                    _put(made, row, made.column("omegadot", body.parent), back @ skew(link.t))
        # (49)
        row = made.row(49, i)
        _put(made, row, made.column("a_c", i), one)
        _put(made, row, made.column("a", i), -one)
        _put(made, row, made.column("omegadot", i), skew(rho))
        _right(made, row, cross(omega, cross(omega, rho)))
    _put_known(made, mechanism, links, q, qd, known, prescribed)
    return made._replace(pivots=_order(made, mechanism, prescribed))


def _put_known(
    made: System,
    mechanism: Mechanism,
    links: list[_Known],
    q: Array,
    qd: Array,
    known: Array,
    prescribed: Sequence[bool],
) -> None:
    """For each speed: qddot = known, or z . mu + slide . f + rotor qddot = known - friction - springs."""
    still, unit = zeros(mechanism.n), array([1.0] * mechanism.n)
    for k in range(mechanism.n):
        made.b[made.row(50, k)] = known[k]
        if prescribed[k]:
            _put(made, made.row(50, k), made.column("qdd", k), array([[1.0]]))
    for i, body in enumerate(mechanism.bodies):
        inside, rotors = drive_forces(body, q, qd, still), rotor_forces(body, unit)
        for j, (z, slide) in enumerate(links[i].columns):
            k = body.v.start + j
            if not prescribed[k]:
                row = made.row(50, k)
                _put(made, row, made.column("mu", i), array([list(z)]))
                _put(made, row, made.column("f", i), array([list(slide)]))
                _put(made, row, made.column("qdd", k), array([[rotors[j]]]))
                made.b[row] = made.b[row] - inside[j]


def _put(made: System, row: int, column: int, entries: Array) -> None:
    for i, j in np.ndindex(entries.shape):
        if not is_zero(entries[i, j]):
            line = made.rows[row + i]
            line[column + j] = line[column + j] + entries[i, j] if column + j in line else entries[i, j]


def _right(made: System, row: int, entries: Array) -> None:
    for i, entry in enumerate(entries):
        made.b[row + i] = made.b[row + i] + entry


def _order(made: System, mechanism: Mechanism, prescribed: Sequence[bool]) -> list[tuple[int, int]]:
    """Pivots: what is prescribed; accelerations that follow from it, outwards; the rest from the tips inwards, where a
    speed follows when the last of the joints that have it (mimicking ones too) is reached.
    """
    pivots = [(made.row(50, k), made.column("qdd", k)) for k in range(mechanism.n) if prescribed[k]]
    follows: list[bool] = []
    for i, body in enumerate(mechanism.bodies):
        own = all(prescribed[k] for k in range(body.v.start, body.v.stop))
        follows.append(own and (body.parent == BASE or follows[body.parent]))
        if follows[i]:
            pivots += _three(made, (47, "omegadot"), (48, "a"), (49, "a_c"), of=i)
    waiting = [0] * mechanism.n
    for body in mechanism.bodies:
        for k in range(body.v.start, body.v.stop):
            waiting[k] += 1
    for i in reversed(range(len(mechanism.bodies))):
        if not follows[i]:
            pivots += _three(made, (49, "a_c"), (48, "a"), (47, "omegadot"), of=i)
        pivots += _three(made, (44, "f"), (45, "mu"), of=i)
        body = mechanism.bodies[i]
        for k in reversed(range(body.v.start, body.v.stop)):
            waiting[k] -= 1
            if not prescribed[k] and not waiting[k]:
                pivots.append((made.row(50, k), made.column("qdd", k)))
    return pivots


def _three(made: System, *pairs: tuple[int, str], of: int) -> list[tuple[int, int]]:
    return [(made.row(equation, of) + k, made.column(unknown, of) + k) for equation, unknown in pairs for k in range(3)]


# Solving it


def solve(made: System) -> Array:
    """x, by elimination in the order of the system's pivots; entries that are not there cost nothing.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm, still = plain(lp.catalog.two_link()), array([0.0, 0.0])
    >>> made = system(arm, still, still, array([1.0, 0.0]), [True, True])
    >>> x = solve(made)
    >>> round(x[made.column("mu", 0) + 2], 12)                                # the torque of joint 1
    5.0
    """
    rows = [dict(row) for row in made.rows]
    b = list(made.b)
    rows_with: dict[int, set[int]] = {}
    for r, row in enumerate(rows):
        for column in row:
            rows_with.setdefault(column, set()).add(r)
    done: list[tuple[int, int]] = []
    for r, c in made.pivots:
        pivot = rows[r].pop(c)
        if not _is_one(pivot):
            rows[r] = {column: entry / pivot for column, entry in rows[r].items()}
            b[r] = b[r] / pivot
        for column in rows[r]:
            rows_with[column].discard(r)
        rows_with[c].discard(r)
        for other in sorted(rows_with.pop(c)):
            factor = rows[other].pop(c)
            for column, entry in rows[r].items():
                term = factor * entry
                line = rows[other]
                line[column] = line[column] - term if column in line else -term
                rows_with[column].add(other)
            if not is_zero(b[r]):
                b[other] = b[other] - factor * b[r]
        done.append((r, c))
    x = zeros(len(b))
    for r, c in reversed(done):
        value = b[r]
        for column, entry in rows[r].items():
            if not is_zero(x[column]):
                value = value - entry * x[column]
        x[c] = value
    return x


def _is_one(x: Scalar) -> bool:
    return isinstance(x, (int, float)) and x == 1


def solve_with_scipy(made: System) -> NDArray[np.float64]:
    """x, by SciPy's sparse solver, for a system of plain numbers.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm, still = plain(lp.catalog.two_link()), array([0.0, 0.0])
    >>> made = system(arm, still, still, array([1.0, 0.0]), [False, False])
    >>> solve_with_scipy(made)[made.column("qdd", 0) :].round(12).tolist()
    [1.0, -2.0]
    """
    from scipy.sparse.linalg import spsolve

    A, b = matrix(made)
    found: NDArray[np.float64] = np.atleast_1d(spsolve(A.tocsc(), b))
    return found


def matrix(made: System) -> tuple[Any, NDArray[np.float64]]:
    """A as a sparse matrix of SciPy, and b, for a system of plain numbers.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm, still = plain(lp.catalog.two_link()), array([0.0, 0.0])
    >>> matrix(system(arm, still, still, still, [True, True]))[0].shape
    (47, 47)
    """
    from scipy.sparse import coo_matrix

    entries = [(r, c, float(entry)) for r, row in enumerate(made.rows) for c, entry in row.items()]
    r, c, values = zip(*entries, strict=True)
    return coo_matrix((values, (r, c)), shape=(len(made.b),) * 2), np.array([float(x) for x in made.b])


# The problems that it solves


class Solution(NamedTuple):
    """All accelerations and all drive forces."""

    qdd: Array
    tau: Array


def mixed_dynamics(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    known: Array,
    prescribed: Iterable[bool],
    external: External | None = None,
) -> Solution:
    """Accelerations and drive forces, where of each speed one of them is known: `known` is the acceleration of the
    speeds that are `prescribed`, the drive force of the others.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.two_link(gravity=0))
    >>> found = mixed_dynamics(arm, array([0.0, 0.0]), array([0.0, 0.0]), array([1.0, 0.0]), [True, False])
    >>> [round(x, 12) for x in (*found.qdd, *found.tau)]                  # joint 1 driven, joint 2 free
    [1.0, -2.0, 1.0, 0.0]
    """
    chosen = [bool(choice) for choice in prescribed]
    if len(chosen) != mechanism.n:
        raise ValueError(f"prescribed says of {len(chosen)} speeds whether their acceleration is known: expected "
                         f"{mechanism.n}")
    made = system(mechanism, q, qd, known, chosen, external)
    x = solve(made)
    start = made.column("qdd", 0)
    qdd = x[start : start + mechanism.n]
    tau = zeros(mechanism.n)
    for i, body in enumerate(mechanism.bodies):
        f, mu = (x[made.column(name, i) : made.column(name, i) + 3] for name in ("f", "mu"))
        drives = drive_forces(body, q, qd, qdd)
        for k, ((z, slide), drive) in enumerate(zip(joint_columns(body, q), drives, strict=True), start=body.v.start):
            tau[k] = tau[k] + z @ mu + slide @ f + drive  # lambda_i = z_i . mu_i, or z_i . f_i of a sliding joint
    for k, choice in enumerate(chosen):
        if not choice:
            tau[k] = known[k]
    return Solution(qdd, tau)


@on_moving_base
def inverse_dynamics(mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None = None) -> Array:
    """Drive forces: all accelerations are prescribed.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.two_link())
    >>> tau = inverse_dynamics(arm, array([0.0, 0.0]), array([0.0, 0.0]), array([1.0, 0.0]))
    >>> [round(x, 12) for x in tau]
    [5.0, 2.0]
    """
    return mixed_dynamics(mechanism, q, qd, qdd, [True] * mechanism.n, external).tau


def forward_dynamics(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Array:
    """Accelerations: all drive forces are known, and the acceleration of the base.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.two_link())
    >>> qdd = forward_dynamics(arm, array([1.5707963267948966, 0.0]), array([0.0, 0.0]), array([29.4, 19.6]))
    >>> [round(x, 12) for x in qdd]                                                             # (28)
    [-19.6, 49.0]
    """
    free = [False] * mechanism.n
    if base_velocity is None and base_acceleration is None:
        return mixed_dynamics(mechanism, q, qd, tau, free, external).qdd
    base = moving_base(mechanism, base_velocity, base_acceleration)
    prescribed = [True] * SPEEDS + free
    known = base.accelerations(tau)
    found = mixed_dynamics(base.mechanism, base.coordinates(q), base.speeds(qd), known, prescribed, external)
    return found.qdd[SPEEDS:]


@on_moving_base
def joint_wrenches(
    mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None = None
) -> tuple[Array, Array]:
    """f_i and mu_i of all joints.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> still = array([0.0, 0.0])
    >>> force, torque = joint_wrenches(plain(lp.catalog.two_link()), still, still, still)
    >>> force[0].tolist()                                                       # its x hangs down
    [-19.6, 0.0, 0.0]
    """
    made = system(mechanism, q, qd, qdd, [True] * mechanism.n, external)
    x = solve(made)
    starts = [(made.column("f", i), made.column("mu", i)) for i in range(len(mechanism.bodies))]
    return at_joint_frames(mechanism, q, [Wrench(x[f : f + 3], x[mu : mu + 3]) for f, mu in starts])


gravity_forces = gravity_from(inverse_dynamics)
bias_forces = bias_from(inverse_dynamics)

FORMULATION = Formulation(
    name="constraint-system",
    citation="the course notes, section 2.2",
    inverse_dynamics=inverse_dynamics,
    gravity_forces=gravity_forces,
    bias_forces=bias_forces,
    joint_wrenches=joint_wrenches,
    forward_dynamics=forward_dynamics,
)
