"""The Lagrangian, and the one linear system, of the course notes on dynamics, under the letters of the source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Unpack

from loadpath.books.book import Book, doctests
from loadpath.books.linear_system import LinearSystem, linear_system
from loadpath.engine.arguments import DEFAULT
from loadpath.engine.quantity import Compiled, On
from loadpath.formulations import lagrangian as energies
from loadpath.formulations import lagrangian_arrangements as lagrangian
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.robot.mechanism import plain
from loadpath.scalars.types import ArrayLike, Floats

if TYPE_CHECKING:
    pass


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

    Joints with quaternions: their speeds are no rates of coordinates. `dL_dq` is then the slope of L along a motion
    with unit speed i, and (4) has the term of Boltzmann and Hamel more (it stands in
    `loadpath.formulations.lagrangian_arrangements`), which in (22) and (23) is in the coefficients.
    """

    source: ClassVar[str] = "Introduction to Robotics, MECEE 4602 (2019), notes on dynamics"
    places: ClassVar[Mapping[str, str]] = {
        "K": "(5), (29), (37) to (41)",
        "P": "(12), (13), (34)",
        "L": "(2), (15), (42)",
        "dL_dq": "(16)",
        "dL_dqd": "(17)",
        "three_terms": "(22)",
        "speed_pairs": "(22)",
        "two_terms": "(23), (24), (43)",
        "G": "(24)",
        "system": "section 2.2, (44) to (49)",
    }

    K = Compiled(
        lagrangian.K,
        "(q),(n)->()",
        plain,
        """Kinetic energy (J), from the link Jacobians, rotors included. Equal to `robot.kinetic_energy`.

        >>> import loadpath as lp
        >>> float(lp.catalog.two_link().books.course.K([0, 0], [1, 0]).round(12))
        2.5
        """,
    )
    P = Compiled(
        energies.P,
        "(q)->()",
        plain,
        """Potential energy (J) of the links that can move, zero at the world's origin. Equal to
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
        """Lagrangian K - P (J).

        >>> import loadpath as lp
        >>> float(lp.catalog.two_link().books.course.L([0, 0], [1, 0]).round(12))
        31.9
        """,
    )
    dL_dq = Compiled(
        {DEFAULT: On(lagrangian.dL_dq, plain, 12)},
        "(q),(n)->(n)",
        plain,
        """Derivatives of L by the coordinates, (..., n). They are along a motion with unit speed i, which for joints
        with a quaternion is no derivative by a coordinate.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.course.dL_dq([1.5707963267948966, 0], [0, 0]).round(12).tolist()
        [-29.4, -9.8]
        """,
    )
    dL_dqd = Compiled(
        {DEFAULT: On(lagrangian.dL_dqd, plain, 16)},
        "(q),(n)->(n)",
        plain,
        """Derivatives of L by the speeds, the generalized momenta M qd, (..., n).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.course.dL_dqd([0, 0], [1, 0]).round(12).tolist()
        [5.0, 2.0]
        """,
    )
    three_terms = Compiled(
        {DEFAULT: On(lagrangian.three_terms, plain, 8)},
        "(q)->(n,n),(n,n),(n,w)",
        plain,
        """Three terms: `.M` of the accelerations, `.B` of the squares of the speeds, `.C` of their products. The
        columns of C are those of `speed_pairs()`.

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
        """Two terms: `.M` of the accelerations, `.C` of the speeds. dM/dt - 2 C is skew-symmetric.

        >>> import loadpath as lp
        >>> M, C = lp.catalog.two_link().books.course.two_terms([0, 1.5707963267948966], [1, 2])
        >>> (C.round(12) + 0.0).tolist()
        [[-2.0, -3.0], [1.0, 0.0]]
        """,
        wrap=lambda robot, *parts: TwoTerms(*parts),
    )
    G = Compiled(
        {DEFAULT: On(energies.G, plain, 24)},
        "(q)->(n)",
        plain,
        """Gravity load dP/dq, (..., n). Equal to `robot.gravity_forces`.

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
        return tuple((self.dof_names[j], self.dof_names[k]) for j, k in energies.speed_pairs(self.n))

    @takes_loads
    def system(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        accelerations: Mapping[str, float] | None = None,
        forces: Mapping[str, float] | None = None,
        **acting: Unpack[LoadKeywords],
    ) -> LinearSystem:
        """The one linear system of all forces and accelerations, for one state. Of each speed either the acceleration
        or the force of the drive is given, by name as in `robot.mixed_dynamics`, which solves batches; other options as
        there. `.unknowns`, `.matrix` (sparse), `.right_side`, `.solve()`: see `lp.LinearSystem`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link()
        >>> system = arm.books.course.system([0, 0], [0, 0], accelerations={"joint1": 0}, forces={"joint2": 0})
        >>> system
        <LinearSystem of robot 'two_link': 47 equations, 47 unknowns, 100 entries>
        >>> round(system.solve()["f.link1.x"], 12)                          # it hangs: x is down
        -19.6
        """
        options = {"accelerations": accelerations, "forces": forces, "under": acting["under"]}
        return linear_system(self, q, qd, options)


__test__ = doctests(Course)
