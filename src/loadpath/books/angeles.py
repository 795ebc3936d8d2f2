"""The natural orthogonal complement of Angeles, chapter 7, and of the slides on it, under the letters of the source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from loadpath.books.book import Book, Constant, doctests, letter
from loadpath.books.noninertial import Noninertial
from loadpath.cached import cached_property
from loadpath.formulations import joint_constraints as constraints
from loadpath.formulations import link_twists as twists
from loadpath.formulations import orthogonal_complement as complement
from loadpath.mechanics.wrenches import BASE_MOTION, ON_BASE
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array

SOURCE = "J. Angeles, Fundamentals of Robotic Mechanical Systems, chapter 7; the slides on it"
MOVING_BASE: Mapping[str, tuple[int | str, ...]] = {"base_velocity": BASE_MOTION["base_velocity"]}


def _delta(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    return complement.delta(mechanism, qd)


@dataclass(frozen=True, eq=False, repr=False)
class Angeles(Book):
    """The objects of Angeles, chapter 7: `robot.books.angeles`.

    Vectors of twists and wrenches have six entries a joint, in the order of `robot.joints` (fixed ones too): angular
    before linear, moment before force, at the mass center of the joint's child link (a massless link's is its origin at
    the joint), in world axes. Matrices are made of blocks of six in the same order. Links are rigid, also those of an
    arm with beams.

    With `base_velocity=` and `base_acceleration=` the base moves, as in `inverse_dynamics`: what depends on that takes
    them. T, K, M, I, gamma and delta do not; C does not take them, because the equation that it stands in is that of a
    base at rest: `noninertial` has the one of a base that moves.
    """

    source: ClassVar[str] = SOURCE
    known_as: ClassVar[str] = "robot.books.angeles"
    places: ClassVar[Mapping[str, str]] = {
        "T": "(7.54)",
        "T_dot": "(7.56)",
        "K": "(7.50)",
        "M": "(7.48)",
        "W": "(7.48)",
        "t": "(7.54)",
        "t_dot": "(7.56)",
        "w_G": "(7.49)",
        "w_A": "(7.48)",
        "w_D": "(7.48)",
        "w_C": "(7.53)",
        "multipliers": "(7.53)",
        "tau": "slides",
        "gamma": "slides",
        "delta": "slides",
        "I": "(7.58)",
        "C": "(7.57)",
        "noninertial": "7.5.2, slides",
    }

    @property
    def sizes(self) -> Mapping[str, int]:
        """What the letters in signatures stand for: `b` has six entries a body, twists or wrenches."""
        return {**super().sizes, "b": 6 * len(self.joints)}

    # Kinematics

    T = letter(
        complement.T,
        "(q)->(b,n)",
        """Twist-shaping matrix, t = T thetadot: twists of all links per unit of each speed, K T = 0. (..., 6 joints,
        n).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.angeles.T([0, 0])[:6, 0].tolist()
        [0.0, -1.0, 0.0, 1.0, 0.0, 0.0]
        """,
    )
    T_dot = letter(
        twists.T_dot,
        "(q),(n)->(b,n)",
        """Time derivative of T. (..., 6 joints, n). `base_velocity=` as in `inverse_dynamics`: T turns with the base.

        >>> import loadpath as lp
        >>> float(lp.catalog.two_link().books.angeles.T_dot([0, 0], [1, 0])[5, 0])                 # centripetal
        1.0
        """,
        optional=MOVING_BASE,
    )
    K = letter(
        complement.K,
        "(q)->(b,b)",
        """Constraint matrix of the joints: K t = 0. (..., 6 joints, 6 joints), six rows a joint.

        Its rank is 6 joints less their freedoms. On a base that moves K t is not zero but what the base brings to the
        joints on it: `noninertial.K` has the columns of the base's twist.

        >>> import loadpath as lp
        >>> book, q = lp.catalog.stanford_arm().books.angeles, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
        >>> bool(abs(book.K(q) @ book.T(q)).max() < 1e-14)
        True
        """,
    )
    t = letter(
        twists.t,
        "(q),(n)->(b)",
        """Twists of all links, [omega; cdot] of each. (..., 6 joints). `base_velocity=` as in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.angeles.t([0, 0], [2, 0])[:6].tolist()
        [0.0, -2.0, 0.0, 2.0, 0.0, 0.0]
        """,
        optional=MOVING_BASE,
    )
    t_dot = letter(
        twists.t_dot,
        "(q),(n),(n)->(b)",
        """Rates of the twists of all links, T thetaddot + T_dot thetadot. (..., 6 joints). `base_velocity=` and
        `base_acceleration=` as in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.angeles.t_dot([0, 0], [2, 0], [0, 0])[3:6].tolist()        # v^2 / l
        [0.0, 0.0, 4.0]
        """,
        optional=BASE_MOTION,
    )

    # Inertia

    M = letter(
        complement.M,
        "(q)->(b,b)",
        """Mass matrix of the uncoupled links: diag(I_i, m_i 1), I_i about the mass center. (..., 6 joints, 6 joints).

        >>> import loadpath as lp
        >>> lp.catalog.two_link(m1=2).books.angeles.M([0, 0]).diagonal()[:6].tolist()              # a point mass
        [0.0, 0.0, 0.0, 2.0, 2.0, 2.0]
        """,
    )
    W = letter(
        twists.W,
        "(q),(n)->(b,b)",
        """Angular velocities of the uncoupled links: diag([omega_i]x, 0). (..., 6 joints, 6 joints).
        `base_velocity=` as in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> float(lp.catalog.two_link().books.angeles.W([0, 0], [1, 0])[2, 0])                    # about the world's -y
        1.0
        """,
        optional=MOVING_BASE,
    )

    # Wrenches on the links: M t_dot + W M t = w_A + w_G + w_D + w_C, and external ones

    w_G = Constant(
        complement.w_G,
        """Wrenches of gravity on the links, [0; m_i g] each. (6 joints,). They depend on no state.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.angeles.w_G()[:6].tolist()
        [0.0, 0.0, 0.0, 0.0, 0.0, -9.8]
        """,
    )
    w_A = letter(
        constraints.w_A,
        "(q),(n),(n)->(b)",
        """Active wrenches: what the drives exert on the links along the freedoms of the joints. (..., 6 joints).

        A joint acts on its link and, reversed, on the parent. A rotor's inertia is overcome inside the drive, so T^T
        w_A is tau less the rotors' part. A mimicking joint counts as driven. `external=`, `base_velocity=` and
        `base_acceleration=` as in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link()
        >>> book, q = arm.books.angeles, [1.0, 0.5]
        >>> bool(abs(book.T(q).T @ book.w_A(q, [1, 2], [3, 4]) - book.tau(q, [1, 2], [3, 4])).max() < 1e-12)
        True
        """,
        optional=ON_BASE,
        takes_external=True,
    )
    w_D = letter(
        constraints.w_D,
        "(q),(n)->(b)",
        """Dissipative wrenches: friction of the joints on the links, against their speeds. (..., 6 joints).

        >>> import loadpath as lp
        >>> book, q, qd = lp.catalog.puma560().books.angeles, [0.1] * 6, [1.0] * 6
        >>> bool(abs(book.T(q).T @ book.w_D(q, qd) - book.delta(q, qd)).max() < 1e-12)
        True
        """,
    )
    w_C = letter(
        constraints.w_C,
        "(q),(n),(n)->(b)",
        """Nonworking constraint wrenches on the links, w_C = K^T lambda: T^T w_C = 0. (..., 6 joints). `external=`,
        `base_velocity=` and `base_acceleration=` as in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> book, q = lp.catalog.two_link().books.angeles, [1.0, 0.5]
        >>> bool(abs(book.T(q).T @ book.w_C(q, [1, 2], [3, 4])).max() < 1e-12)
        True
        """,
        optional=ON_BASE,
        takes_external=True,
    )
    multipliers = letter(
        constraints.multipliers,
        "(q),(n),(n)->(b)",
        """The lambda of w_C = K^T lambda, six a joint. (..., 6 joints).

        K has not the rank of its rows, so lambda is not unique; this is the shortest, and w_C is unique. Of a revolute
        joint it is [e x n; f], of a prismatic one [n; e x f] (n about the parent's mass center), of any other one
        [n; f] in the axes of its joint frame: f and n being the force and moment that the joint carries across its
        freedoms, at its origin. Options as for `w_C`.

        >>> import loadpath as lp
        >>> book, q = lp.catalog.two_link().books.angeles, [1.0, 0.5]
        >>> left = book.K(q).T @ book.multipliers(q, [1, 2], [3, 4]) - book.w_C(q, [1, 2], [3, 4])
        >>> bool(abs(left).max() < 1e-12)
        True
        """,
        optional=ON_BASE,
        takes_external=True,
    )

    # The equations of motion: I thetaddot = C thetadot + tau + gamma + delta

    tau = letter(
        complement.inverse_dynamics,
        "(q),(n),(n)->(n)",
        """Generalized forces of the drives for a motion: tau = I thetaddot - C thetadot - gamma - delta. (..., n).

        With rotors, which the source has not, and wrenches w from outside it is `inverse_dynamics`: their part is
        added, and J^T w taken off. `external=`, `base_velocity=` and `base_acceleration=` as there.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.angeles.tau([0, 0], [0, 0], [1, 0]).round(12).tolist()
        [5.0, 2.0]
        """,
        optional=ON_BASE,
        takes_external=True,
    )
    gamma = letter(
        complement.gamma,
        "(q)->(n)",
        """Generalized forces of gravity, T^T w_G: minus `gravity_forces`. (..., n).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.angeles.gamma([1.5707963267948966, 0]).round(12).tolist()
        [-29.4, -9.8]
        """,
    )
    delta = letter(
        _delta,
        "(q),(n)->(n)",
        """Generalized dissipative forces, T^T w_D: friction, against the speeds. (..., n).

        >>> import loadpath as lp
        >>> bool(lp.catalog.puma560().books.angeles.delta([0] * 6, [1] * 6)[0] < 0)
        True
        """,
    )
    I = letter(  # noqa: E741
        complement.I,
        "(q)->(n,n)",
        """Generalized inertia matrix T^T M T, of the links; `mass_matrix` has the rotors too. (..., n, n).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.angeles.I([0, 0]).round(12).tolist()
        [[5.0, 2.0], [2.0, 1.0]]
        """,
    )
    C = letter(
        complement.C,
        "(q),(n)->(n,n)",
        """Matrix of I thetaddot = C thetadot + ..., -T^T (M T_dot + W M T): minus `coriolis_matrix`. (..., n, n).

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link()
        >>> bool((abs(arm.books.angeles.C([0, 1], [1, 2]) + arm.coriolis_matrix([0, 1], [1, 2])) < 1e-12).all())
        True
        """,
    )

    @cached_property
    def noninertial(self) -> Noninertial:
        """The same of the robot on a base that moves freely, whose twist is among the speeds: 6 (n + 1) twists.

        Its q and qd are those of `robot.floating()`, or of the robot itself where its base is free already.

        >>> import loadpath as lp
        >>> free = lp.catalog.two_link().books.angeles.noninertial
        >>> free.T(free.neutral()).shape                                                            # 6 (3 + 1), 6 + 2
        (24, 8)
        """
        return Noninertial.of_free(self)


__test__ = doctests(Angeles)
