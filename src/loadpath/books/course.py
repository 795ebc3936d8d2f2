"""The Lagrangian, and the one linear system, of the course notes on dynamics, under the letters of the source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from loadpath.books.book import Book
from loadpath.engine.arguments import DEFAULT
from loadpath.engine.quantity import Compiled, On, compiled_quantities
from loadpath.formulations import lagrangian_arrangements as lagrangian
from loadpath.formulations.lagrangian import speed_pairs
from loadpath.robot.mechanism import plain
from loadpath.scalars.types import Floats


class ThreeTerms(NamedTuple):
    """Equation (22): tau = M qdd + B [qd_j^2] + C [qd_j qd_k] + G, without friction."""

    M: Floats
    """(..., n, n): inertia matrix, rotors on its diagonal."""
    B: Floats
    """(..., n, n): of the squares of the speeds, centripetal forces."""
    C: Floats
    """(..., n, n (n - 1)): of their products, Coriolis forces; columns as in `speed_pairs()`."""


class TwoTerms(NamedTuple):
    """Equations (23), (24): tau = M qdd + C qd + G, without friction."""

    M: Floats
    """(..., n, n): inertia matrix, rotors on its diagonal."""
    C: Floats
    """(..., n, n): Coriolis and centripetal matrix."""


def _pairs(robot: Any, variant: object) -> Mapping[str, int]:
    return {"w": robot.n * (robot.n - 1)}


@dataclass(frozen=True, eq=False, repr=False)
class Course(Book):
    """The objects of the course notes: `robot.books.course`.

    From L = K - P the forces of the drives follow (4), friction F aside:

        tau_i = d/dt dL/dqd_i - dL/dq_i

    The notes arrange them as (22), squares and products of the speeds apart, and as (23), one matrix C(q, qd).

    Joints with quaternions: their speeds are no rates of coordinates. `dL_dq` is then the slope of L along a motion with
    unit speed i, and (4) has the term of Boltzmann and Hamel more (see `loadpath.formulations.lagrangian_arrangements`),
    which in (22) and (23) is in the coefficients.
    """

    source: ClassVar[str] = "Introduction to Robotics, MECEE 4602 (2019), notes on dynamics"

    K = Compiled(
        lagrangian.K,
        "(q),(n)->()",
        plain,
        """Kinetic energy (J) from the link Jacobians (37 to 39), rotors included; `robot.kinetic_energy`.

        >>> import loadpath as lp
        >>> float(lp.catalog.two_link().books.course.K([0, 0], [1, 0]).round(12))
        2.5
        """,
    )
    P = Compiled(
        lagrangian.P,
        "(q)->()",
        plain,
        """Potential energy (J) of the links that can move (12, 13, 34), zero at the world's origin;
        `robot.potential_energy`.

        >>> import loadpath as lp
        >>> float(lp.catalog.two_link().books.course.P([0, 0]).round(12))
        -29.4
        """,
    )
    L = Compiled(
        lagrangian.L,
        "(q),(n)->()",
        plain,
        """Lagrangian K - P (2, 15, 42), J.

        >>> import loadpath as lp
        >>> float(lp.catalog.two_link().books.course.L([0, 0], [1, 0]).round(12))
        31.9
        """,
    )
    dL_dq = Compiled(
        {DEFAULT: On(lagrangian.dL_dq, plain, 12)},
        "(q),(n)->(n)",
        plain,
        """Derivatives of L by the coordinates (16), (..., n): along a motion with unit speed i, which for joints with a
        quaternion is no derivative by a coordinate.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.course.dL_dq([1.5707963267948966, 0], [0, 0]).round(12).tolist()
        [-29.4, -9.8]
        """,
    )
    dL_dqd = Compiled(
        {DEFAULT: On(lagrangian.dL_dqd, plain, 24)},
        "(q),(n)->(n)",
        plain,
        """Derivatives of L by the speeds (17), (..., n): the generalized momenta M qd.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.course.dL_dqd([0, 0], [1, 0]).round(12).tolist()
        [5.0, 2.0]
        """,
    )
    three_terms = Compiled(
        {DEFAULT: On(lagrangian.three_terms, plain, 8)},
        "(q)->(n,n),(n,n),(n,w)",
        plain,
        """The arrangement (22): `.M` of the accelerations, `.B` of the squares of the speeds, `.C` of their products,
        whose columns are those of `speed_pairs()`.

        >>> import loadpath as lp
        >>> M, B, C = lp.catalog.two_link().books.course.three_terms([0, 1.5707963267948966])
        >>> (B.round(12) + 0.0).tolist(), (C.round(12) + 0.0).tolist()
        ([[0.0, -1.0], [1.0, 0.0]], [[-1.0, -1.0], [0.0, 0.0]])
        """,
        sizes=_pairs,
        wrap=lambda robot, *parts: ThreeTerms(*parts),
    )
    two_terms = Compiled(
        {DEFAULT: On(lagrangian.two_terms, plain, 8)},
        "(q),(n)->(n,n),(n,n)",
        plain,
        """The arrangement (23): `.M` of the accelerations, `.C` of the speeds; dM/dt - 2 C is skew-symmetric.

        >>> import loadpath as lp
        >>> M, C = lp.catalog.two_link().books.course.two_terms([0, 1.5707963267948966], [1, 2])
        >>> (C.round(12) + 0.0).tolist()
        [[-2.0, -3.0], [1.0, 0.0]]
        """,
        wrap=lambda robot, *parts: TwoTerms(*parts),
    )
    G = Compiled(
        {DEFAULT: On(lagrangian.G, plain, 24)},
        "(q)->(n)",
        plain,
        """Gravity load dP/dq (24), (..., n); `robot.gravity_forces`.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.course.G([1.5707963267948966, 0]).round(12).tolist()            # (27)
        [29.4, 9.8]
        """,
    )

    def speed_pairs(self) -> tuple[tuple[str, str], ...]:
        """The names of the two speeds of each column of `three_terms(q).C`.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.course.speed_pairs()
        (('joint1', 'joint2'), ('joint2', 'joint1'))
        """
        return tuple((self.dof_names[j], self.dof_names[k]) for j, k in speed_pairs(self.n))


# Docstrings of descriptors are not found by doctest; these are.
__test__ = {f"Course.{key}": value.__doc__ or "" for key, value in compiled_quantities(Course).items()}
