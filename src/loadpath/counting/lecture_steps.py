"""The lecture's two methods step by step, to count them: FOR COUNTING ONLY.

The lecture says nothing of how it counts. These conventions reproduce its figures:

- 792 and 662: table 3.2 in link coordinates with full rotations (9 and 6), its two products of omega x z qdot not
  charged, p* brought into frame i+1 for the moment, tau as a full dot product, no viscous term; the four sums with the
  resting base are saved.
- 101,348 and 77,405: all products of the trace form as full 4 x 4 products (64 and 48), each trace as four of them and
  a sum (256 and 195), for every triple of D and of h, and D times qddot.
"""

from __future__ import annotations

from collections.abc import Callable

from loadpath.counting.tally import Tally, along_z, euler, scaled
from loadpath.scalars import Array, OperationCount, Scalar, array, cross, vector

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
