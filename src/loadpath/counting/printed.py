"""The counts of the sources, executed: their steps line by line as printed, and repaired.

>>> print(angeles(6))                                                  # (7.43)
800 multiplications, 646 additions
>>> for item, count in algorithm_7_4_1(6).rows.items():                # table 7.1
...     print(f"{item:9} {count.multiplications:4} {count.additions:4}")
Q           24    0
c           48   60
omega       48   30
cdot       120   96
omegadot    60   42
cddot      192  168
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from loadpath.counting.tally import Tally, along_z, euler, plus, scaled
from loadpath.scalars import Array, OperationCount, Scalar, array, cross, vector

# Algorithms 7.4.1 and 7.4.2 of Angeles step by step as printed, to count them: FOR COUNTING ONLY.
#
# As printed they give wrong torques (see the errata); what is counted here is what the source counted. They are run on
# counting scalars that are all general, so that every product and sum that a step writes down is tallied, under the
# convention of the source: a product is a multiplication, a sum or difference an addition; signs, sines, cosines and
# what is constant on a link are free; a change of coordinates takes 8 and 4 by (7.23) and (7.24); forming Q_i is
# charged 4 though that scheme uses none of them; the base is treated like any link.


@dataclass(frozen=True)
class Turn:
    """Q_i of a Denavit-Hartenberg joint: cosine and sine of theta, and the constants lambda and mu."""

    c: Scalar
    s: Scalar
    lam: Scalar
    mu: Scalar

    def outward(self, r: Array) -> Array:
        """Q^T r by (7.23): 8 multiplications, 4 additions."""
        w = r[0] * self.s - r[1] * self.c  # (7.23b)
        return vector(r[0] * self.c + r[1] * self.s, -(w * self.lam) + r[2] * self.mu, w * self.mu + r[2] * self.lam)

    def inward(self, v: Array) -> Array:
        """Q v by (7.24): 8 multiplications, 4 additions. Its rows 1 and 2 are printed with v_2 for v; see errata."""
        w = v[1] * self.lam - v[2] * self.mu  # (7.24b)
        return vector(v[0] * self.c - w * self.s, v[0] * self.s + w * self.c, v[1] * self.mu + v[2] * self.lam)


def _times_e(omega: Array, x: Scalar) -> Array:
    """omega x (x e_i) in F_i (7.30)."""
    return vector(x * omega[1], -(x * omega[0]), 0.0)


def _turn(tally: Tally) -> Turn:
    def update() -> Turn:
        turn = Turn(tally.scalar(), tally.scalar(), tally.scalar(), tally.scalar())
        _ = (turn.lam * turn.s, turn.mu * turn.s, turn.lam * turn.c, turn.mu * turn.c)
        return turn

    turn: Turn = tally.row("Q", update)
    return turn


@dataclass
class _State:
    """c, omega, cdot, omegadot, cddot of a link."""

    c: Array
    omega: Array
    cdot: Array
    omegadot: Array
    cddot: Array


def algorithm_7_4_1(n: int) -> Tally:
    """Outward recursions of an arm of n revolute joints: table 7.1.

    >>> print(algorithm_7_4_1(6).total)                                # 82 n, 66 n
    492 multiplications, 396 additions
    """
    tally = Tally()
    state = _State(*(tally.vector() for _ in range(5)))
    for _ in range(n):
        state = _outward_revolute(tally, state)
    return tally


def _outward_revolute(tally: Tally, before: _State) -> _State:
    turn = _turn(tally)
    rho, delta, thd, thdd = tally.vector(), tally.vector(), tally.scalar(), tally.scalar()
    c = tally.row("c", lambda: turn.outward(before.c + delta) + rho)
    omega = tally.row("omega", lambda: turn.outward(before.omega + along_z(thd)))

    def velocities() -> tuple[Array, Array, Array]:
        u, v = cross(before.omega, delta), cross(omega, rho)
        return u, v, turn.outward(before.cdot + u) + v

    u, v, cdot = tally.row("cdot", velocities)
    omegadot = tally.row(
        "omegadot", lambda: turn.outward(before.omegadot + _times_e(before.omega, thd) + along_z(thdd))
    )
    cddot = tally.row(
        "cddot",
        lambda: (
            turn.outward(before.cddot + cross(before.omegadot, delta) + cross(before.omega, u))
            + cross(omegadot, rho)
            + cross(omega, v)
        ),
    )
    return _State(c, omega, cdot, omegadot, cddot)


def outward_prismatic(printed: bool) -> Tally:
    """One prismatic step of algorithm 7.4.1, with the figures of the book (70, 53) or in the corrected form.

    The printed lines put [0, 0, bdot] in the wrong frame; the printed counts of u_i, c_i and cdot_i already belong to
    the corrected lines, that of cddot_i (20, 19) to the printed one; see errata.

    >>> print(outward_prismatic(printed=True).total)
    70 multiplications, 53 additions
    >>> print(outward_prismatic(printed=False).total)
    72 multiplications, 54 additions
    """
    tally = Tally()
    before = _State(*(tally.vector() for _ in range(5)))
    turn = _turn(tally)
    rho, delta, b, bd, bdd = tally.vector(), tally.vector(), tally.scalar(), tally.scalar(), tally.scalar()

    def position() -> tuple[Array, Array]:
        u = turn.outward(delta + along_z(b)) + rho
        return u, turn.outward(before.c) + u

    u, _ = tally.row("c", position)
    omega = tally.row("omega", lambda: turn.outward(before.omega))

    def velocity() -> tuple[Array, Array]:
        v = cross(omega, u)
        return v, turn.outward(before.cdot + along_z(bd)) + v

    v, _ = tally.row("cdot", velocity)
    omegadot = tally.row("omegadot", lambda: turn.outward(before.omegadot))
    if printed:
        w = along_z(bd)
        tally.row(
            "cddot",
            lambda: turn.outward(before.cddot) + cross(omegadot, u) + cross(omega, v + w + w) + along_z(bdd),
        )
    else:
        tally.row(
            "cddot",
            lambda: (
                turn.outward(before.cddot + _times_e(before.omega, bd + bd) + along_z(bdd))
                + cross(omegadot, u)
                + cross(omega, v)
            ),
        )
    return tally


def algorithm_7_4_2(n: int) -> Tally:
    """Inward recursions of n revolute joints line by line as printed (their frames do not fit): table 7.2.

    >>> print(algorithm_7_4_2(6).total)                                # 55 n - 22, 44 n - 14
    308 multiplications, 250 additions
    """
    tally = Tally()
    f = tally.row("1", lambda: scaled(tally.scalar(), tally.vector()) - tally.vector())
    n_i = tally.row("2", lambda: euler(tally) - tally.vector() + cross(tally.vector(), f))
    for _ in range(n - 1):
        turn = Turn(tally.scalar(), tally.scalar(), tally.scalar(), tally.scalar())
        f, n_i = _inward(tally, turn, f, n_i)
    return tally


def _inward(tally: Tally, turn: Turn, f: Array, n: Array) -> tuple[Array, Array]:
    """Rows 5, 6 and 7 of algorithm 7.4.2."""
    phi = tally.row("5", lambda: turn.inward(f))
    f_i = tally.row("6", lambda: scaled(tally.scalar(), tally.vector()) + phi)
    n_i = tally.row(
        "7",
        lambda: euler(tally) + cross(tally.vector(), f_i) + turn.inward(n) + cross(tally.vector(), phi),
    )
    return f_i, n_i


def inward_form_a(n: int) -> Tally:
    """The first repair of algorithm 7.4.2: phi = Q_{i+1} f_{i+1}, and tau_i = mu_i n_y + lambda_i n_z.

    >>> print(inward_form_a(6).total)                                  # 57 n - 22, 45 n - 14
    320 multiplications, 256 additions
    """
    tally = algorithm_7_4_2(n)  # the same lines, with Q_{i+1} for Q_i
    for _ in range(n):
        y, z, mu, lam = (tally.scalar() for _ in range(4))
        tally.row("tau", lambda mu=mu, lam=lam, y=y, z=z: mu * y + lam * z)  # type: ignore[misc]
    return tally


def inward_form_b(n: int) -> Tally:
    """The second repair: sums in F_{i+1}, then f_i <- Q_i f_i, n_i <- Q_i n_i; tau_i is the z component, free.

    >>> print(inward_form_b(6).total)                                  # 55 n - 6, 44 n - 6
    324 multiplications, 258 additions
    """
    tally = Tally()
    f, n_i = tally.vector(), tally.vector()
    for i in range(n):
        last = i == 0
        arm, mass, cddot = tally.vector(), tally.scalar(), tally.vector()
        rho, turn = tally.vector(), Turn(tally.scalar(), tally.scalar(), tally.scalar(), tally.scalar())
        before, moment = f, n_i  # of the last link: minus the external force at its mass center, and moment
        f_i = tally.row("f", lambda mass=mass, cddot=cddot, before=before: scaled(mass, cddot) + before)  # type: ignore[misc]
        lever = 0.0 if last else tally.row("n", lambda arm=arm, before=before: cross(arm, before))  # type: ignore[misc]

        def torque(moment: Array = moment, rho: Array = rho, f_i: Array = f_i, lever: Scalar = lever) -> Array:
            total: Array = euler(tally) + moment + cross(rho, f_i)
            return total if isinstance(lever, float) else total + lever

        torque_i = tally.row("n", torque)
        f = tally.row("turn", lambda turn=turn, f_i=f_i: turn.inward(f_i))  # type: ignore[misc]
        n_i = tally.row("turn", lambda turn=turn, torque_i=torque_i: turn.inward(torque_i))  # type: ignore[misc]
    return tally


def outward_needed(n: int) -> OperationCount:
    """Of algorithm 7.4.1 what torques need: neither c_i nor cdot_i (but its cross products) nor the products of Q_i.

    >>> print(outward_needed(6))                                       # 62 n, 46 n
    372 multiplications, 276 additions
    """
    rows = algorithm_7_4_1(n).rows
    needed = plus(plus(rows["omega"], rows["omegadot"]), rows["cddot"])
    return plus(needed, OperationCount(12 * n, 6 * n))  # omega x delta and omega x rho, tallied under cdot


def angeles(n: int) -> OperationCount:
    """Algorithms 7.4.1 and 7.4.2 as printed (7.43).

    >>> print(angeles(6))
    800 multiplications, 646 additions
    """
    return plus(algorithm_7_4_1(n).total, algorithm_7_4_2(n).total)


# The lecture's two methods step by step, to count them: FOR COUNTING ONLY.
#
# The lecture says nothing of how it counts. These conventions reproduce its figures:
#
# - 792 and 662: table 3.2 in link coordinates with full rotations (9 and 6), its two products of omega x z qdot not
#   charged, p* brought into frame i+1 for the moment, tau as a full dot product, no viscous term; the four sums with
#   the resting base are saved.
# - 101,348 and 77,405: all products of the trace form as full 4 x 4 products (64 and 48), each trace as four of them
#   and a sum (256 and 195), for every triple of D and of h, and D times qddot.


# The lecture: table 3.2


def table_3_2(n: int) -> Tally:
    """Table 3.2 for n rotational joints in link coordinates: 132 n, 111 n - 4.

    >>> print(table_3_2(6).total)
    792 multiplications, 662 additions
    """
    tally = Tally()
    omega: Array = vector(0.0, 0.0, 0.0)
    omegadot: Array = vector(0.0, 0.0, 0.0)
    vdot = tally.vector()
    for _ in range(n):
        omega, omegadot, vdot = _forward(tally, omega, omegadot, vdot)
    for _ in range(n):
        _backward(tally)
    return tally


def _forward(tally: Tally, omega: Array, omegadot: Array, vdot: Array) -> tuple[Array, Array, Array]:
    R, p, s = tally.matrix(), tally.vector(), tally.vector()
    qd, qdd = tally.scalar(), tally.scalar()
    resting = not hasattr(omega[0], "counter")

    def turned(v: Array) -> Array:
        result: Array = R @ v
        return result

    def speed() -> Array:
        total = omega + along_z(qd)  # z qdot: one sum; none where the base rests
        return turned(array([tally.scalar() for _ in range(3)]) if resting else total)

    omega_i = tally.row("omega", speed)
    # omega x z qdot: its two products are not charged, its sums (and that of z qddot) are.
    across = vector(tally.scalar(), tally.scalar(), 0.0)

    def acceleration() -> Array:
        total = omegadot + across + along_z(qdd)
        return turned(array([tally.scalar() for _ in range(3)]) if resting else total)

    omegadot_i = tally.row("omegadot", acceleration)
    vdot_i = tally.row("vdot", lambda: cross(omegadot_i, p) + cross(omega_i, cross(omega_i, p)) + turned(vdot))
    tally.row("a", lambda: cross(omegadot_i, s) + cross(omega_i, cross(omega_i, s)) + vdot_i)
    return omega_i, omegadot_i, vdot_i


def _backward(tally: Tally) -> None:
    R, p, s, a = tally.matrix(), tally.vector(), tally.vector(), tally.vector()
    f, n, z = tally.vector(), tally.vector(), tally.vector()
    F = tally.row("F", lambda: scaled(tally.scalar(), a))
    N = tally.row("N", lambda: euler(tally))
    tally.row("f", lambda: F + R @ f)
    moment = tally.row("n", lambda: R @ (n + cross(R @ p, f)) + cross(p + s, F) + N)
    tally.row("tau", lambda: moment[0] * z[0] + moment[1] * z[1] + moment[2] * z[2])


# The lecture: the trace form


def trace_form(n: int) -> Tally:
    """The Lagrange-Euler equations with full 4 x 4 products, step by step: 101,348 and 77,405 for n = 6.

    One product and one trace are executed on counting scalars, and charged wherever the sums of the lecture have them.

    >>> print(trace_form(6).total)
    101348 multiplications, 77405 additions
    """
    tally = Tally()
    product = _cost(lambda one: one.matrix(4) @ one.matrix(4))
    trace = _cost(lambda one: _trace([one.matrix(4) for _ in range(5)]))
    for i in range(n):
        for _ in range(i):
            tally.add("products of A", product)
    for i in range(n):
        for k in range(i, n):
            for j in range(k, n):
                tally.add("D", trace)
                tally.add("D", OperationCount(0, 1 if j > k else 0))  # the sum over j
                for _ in range(n):
                    tally.add("h", trace)
                    tally.add("h", OperationCount(0, 1 if j > k else 0))
    tally.row("D qddot", lambda: [tally.scalar() * tally.scalar() for _ in range(n * n)])
    return tally


def _cost(step: Callable[[Tally], Scalar]) -> OperationCount:
    one = Tally()
    step(one)
    return one.counter.count


def _trace(matrices: list[Array]) -> Scalar:
    """Tr of a product of five matrices: four products and three sums."""
    product = matrices[0]
    for matrix in matrices[1:]:
        product = product @ matrix
    return product[0, 0] + product[1, 1] + product[2, 2] + product[3, 3]


__all__ = [
    "Tally",
    "algorithm_7_4_1",
    "algorithm_7_4_2",
    "angeles",
    "inward_form_a",
    "inward_form_b",
    "outward_needed",
    "outward_prismatic",
    "table_3_2",
    "trace_form",
]
