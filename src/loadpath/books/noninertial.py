"""The natural orthogonal complement on a noninertial base (Angeles, section 7.5.2 and the slides)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from loadpath.books.book import Book, Constant, doctests, letter
from loadpath.errors import ModelError
from loadpath.formulations import joint_constraints as constraints
from loadpath.formulations import link_twists as twists
from loadpath.formulations import noninertial_base as base
from loadpath.formulations import orthogonal_complement as complement
from loadpath.robot.edit import floating
from loadpath.robot.model import RobotModel


def _unused(name: str, names: tuple[str, ...]) -> str:
    """A name that is not among others."""
    return name if name not in names else _unused(f"{name}_", names)


@dataclass(frozen=True, eq=False, repr=False)
class Noninertial(Book):
    """The objects of the robot on a base that moves freely: `robot.books.angeles.noninertial`.

    Body 0 is the base, so vectors of twists and wrenches have 6 (joints + 1) entries. The speeds are [t_0; thetadot],
    the base's own twist (angular first, at its mass center, world axes) before those of the joints: 6 + n; that is what
    the columns of T stand for, and `v(q, qd)` gives them. q, qd and qdd are those of `robot.floating()`, whose free
    joint has the linear velocity first and in the base's axes. The base's motion is in qd and qdd, so nothing here
    takes `base_velocity=` or `base_acceleration=`.
    """

    source: ClassVar[str] = "J. Angeles, chapter 7: noninertial base"
    known_as: ClassVar[str] = "robot.books.angeles.noninertial"
    places: ClassVar[Mapping[str, str]] = {
        "T": "7.5.2, slides",
        "A_0": "7.5.2, slides",
        "T_prime": "7.5.2, slides",
        "T_dot": "7.5.2, slides",
        "K": "7.5.2, slides",
        "M": "(7.48)",
        "W": "(7.48)",
        "v": "slides",
        "t": "slides",
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
    }

    @classmethod
    def of_free(cls, robot: RobotModel) -> Self:
        """Of a robot set free; of the robot itself, where its base moves freely already."""
        first = [joint for joint in robot.joints if joint.parent == robot.base.name]
        if robot.base.inertia.is_zero and len(first) == 1 and first[0].motion.dof == 6:
            if any((*first[0].viscous_friction, *first[0].coulomb_friction, *first[0].reflected_inertia)):
                raise ModelError(f"robot '{robot.name}': the free joint '{first[0].name}' of its base has friction or "
                                 "a rotor, which the noninertial base of the source has not: take them off with "
                                 "robot.without_friction() and robot.without_rotors()")
            return cls.of(robot)
        welded = robot.base.inertia.is_zero and len(first) == 1 and first[0].motion.dof == 0
        names = () if robot.base.name == "world" and welded else robot.link_names  # `floating` replaces that weld
        return cls.of(floating(robot, _unused("floating_base", robot.joint_names), _unused("world", names)))

    @property
    def sizes(self) -> Mapping[str, int]:
        """Letters of signatures: `b` six a body, with the base; `c` without it; `o` speeds of the joints alone."""
        bodies = len(self.joints)
        return {**super().sizes, "b": 6 * bodies, "c": 6 * (bodies - 1), "o": self.n - 6}

    T = letter(
        base.noninertial_T,
        "(q)->(b,n)",
        """Twist-shaping matrix [[1, 0], [A_0, T']]: t = T [t_0; thetadot], K T = 0. (..., 6 (joints + 1), 6 + n).

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> bool((free.T(free.neutral())[:6, :6] == [[i == j for i in range(6)] for j in range(6)]).all())
        True
        """,
    )
    A_0 = letter(
        base.noninertial_A_0,
        "(q)->(c,6)",
        """Twists of the links per unit of the base's, blocks [[1, 0], [-[c_i - c_0]x, 1]]. (..., 6 joints, 6).
        Printed 0 in the slides.

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> (free.A_0(free.neutral())[3:6, 2] + 0.0).tolist()                           # to the rod's center
        [0.0, 0.5, 0.0]
        """,
    )
    T_prime = letter(
        base.noninertial_T_prime,
        "(q)->(c,o)",
        """Twists of the links per unit of the joints' speeds, T' of the slides. (..., 6 joints, n).

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> (free.T_prime(free.neutral())[:6, 0] + 0.0).tolist()
        [0.0, -1.0, 0.0, 0.0, 0.0, 0.5]
        """,
    )
    T_dot = letter(
        base.noninertial_Tdot,
        "(q),(n)->(b,n)",
        """Time derivative of T. (..., 6 (joints + 1), 6 + n).

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> free.T_dot(free.neutral(), [0] * 7).any()
        np.False_
        """,
    )
    K = letter(
        base.noninertial_K,
        "(q)->(c,b)",
        """Constraint matrix of the joints, the columns of the base's twist first: K t = 0. (..., 6 joints,
        6 (joints + 1)).

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> q = free.neutral()
        >>> float(abs(free.K(q) @ free.T(q)).max())
        0.0
        """,
    )
    M = letter(
        complement.M,
        "(q)->(b,b)",
        """Mass matrix of the uncoupled links, the base first. (..., 6 (joints + 1), 6 (joints + 1)).

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> free.M(free.neutral()).shape
        (18, 18)
        """,
    )
    W = letter(
        twists.W,
        "(q),(n)->(b,b)",
        """Angular velocities of the uncoupled links, diag([omega_i]x, 0). (..., 6 (joints + 1), 6 (joints + 1)).

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> float(free.W(free.neutral(), [0, 0, 0, 0, 0, 2, 0])[1, 0])                      # the base turns about z
        2.0
        """,
    )
    v = letter(
        base.noninertial_speeds,
        "(q),(n)->(n)",
        """The speeds [t_0; thetadot] that the columns of T stand for, from those of `robot.floating()`. (..., 6 + n).

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> free.v(free.neutral(), [1, 2, 3, 0, 0, 4, 5]).tolist()                          # angular velocity first
        [0.0, 0.0, 4.0, 1.0, 2.0, 3.0, 5.0]
        """,
    )
    t = letter(
        twists.t,
        "(q),(n)->(b)",
        """Twists of the base and all links. (..., 6 (joints + 1)).

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> q, qd = free.neutral(), [1, 2, 3, 0, 0, 4, 5]
        >>> bool(abs(free.t(q, qd) - free.T(q) @ free.v(q, qd)).max() < 1e-12)
        True
        """,
    )
    t_dot = letter(
        twists.t_dot,
        "(q),(n),(n)->(b)",
        """Rates of the twists of the base and all links. (..., 6 (joints + 1)).

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> free.t_dot(free.neutral(), [0, 0, 0, 0, 0, 1, 0], [1, 0, 0, 0, 0, 0, 0])[3:6].tolist()
        [1.0, 0.0, 0.0]
        """,
    )
    w_G = Constant(
        complement.w_G,
        """Wrenches of gravity on the base and the links. (6 (joints + 1),). They depend on no state.

        >>> import loadpath as lp
        >>> lp.catalog.planar(1).books.angeles.noninertial.w_G()[6:12].tolist()
        [0.0, 0.0, 0.0, 0.0, 0.0, -9.81]
        """,
    )
    w_A = letter(
        constraints.w_A,
        "(q),(n),(n)->(b)",
        """Active wrenches: of the drives, and the wrench that must act on the base. (..., 6 (joints + 1)). `external=`
        as in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> float(free.w_A(free.neutral(), [0] * 7, [0] * 7)[5].round(9))                           # holds the rod
        9.81
        """,
        takes_external=True,
    )
    w_D = letter(
        constraints.w_D,
        "(q),(n)->(b)",
        """Dissipative wrenches: friction of the joints on the base and the links. (..., 6 (joints + 1)).

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> free.w_D(free.neutral(), [1] * 7).any()                                                 # it has none
        np.False_
        """,
    )
    w_C = letter(
        constraints.w_C,
        "(q),(n),(n)->(b)",
        """Nonworking constraint wrenches on the base and the links: T^T w_C = 0. (..., 6 (joints + 1)). `external=` as
        in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> q = free.neutral()
        >>> bool(abs(free.T(q).T @ free.w_C(q, [1] * 7, [2] * 7)).max() < 1e-12)
        True
        """,
        takes_external=True,
    )
    multipliers = letter(
        base.noninertial_multipliers,
        "(q),(n),(n)->(c)",
        """The lambda of w_C = K^T lambda, six a joint, the shortest. (..., 6 joints). `external=` as in
        `inverse_dynamics`.

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> q = free.neutral()
        >>> left = free.K(q).T @ free.multipliers(q, [1] * 7, [2] * 7) - free.w_C(q, [1] * 7, [2] * 7)
        >>> bool(abs(left).max() < 1e-12)
        True
        """,
        takes_external=True,
    )
    tau = letter(
        base.noninertial_tau,
        "(q),(n),(n)->(n)",
        """Wrench on the base (moment, force, about its mass center), then the forces of the drives. (..., 6 + n).
        Of a robot left to itself the wrench is zero. `external=` as in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> float(free.tau(free.neutral(), [0] * 7, [0] * 7)[5].round(9))                           # holds the rod
        9.81
        """,
        takes_external=True,
    )
    gamma = letter(
        base.noninertial_gamma,
        "(q)->(n)",
        """Generalized forces of gravity, T^T w_G: on the base, then at the joints. (..., 6 + n).

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> float(free.gamma(free.neutral())[5].round(9))
        -9.81
        """,
    )
    delta = letter(
        base.noninertial_delta,
        "(q),(n)->(n)",
        """Generalized dissipative forces, T^T w_D: none on the base. (..., 6 + n).

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> free.delta(free.neutral(), [1] * 7)[:6].any()
        np.False_
        """,
    )
    I = letter(  # noqa: E741
        base.noninertial_I,
        "(q)->(n,n)",
        """Generalized inertia matrix T^T M T for the speeds [t_0; thetadot]. (..., 6 + n, 6 + n).

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> float(free.I(free.neutral())[3, 3].round(9))                                            # the rod's mass
        1.0
        """,
    )
    C = letter(
        base.noninertial_C,
        "(q),(n)->(n,n)",
        """Matrix of I vdot = C v + tau + gamma + delta, with v = [t_0; thetadot]. (..., 6 + n, 6 + n).

        >>> import loadpath as lp
        >>> free = lp.catalog.planar(1).books.angeles.noninertial
        >>> free.C(free.neutral(), [0] * 7).any()
        np.False_
        """,
    )


__test__ = doctests(Noninertial)
