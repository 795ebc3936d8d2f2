"""The generalized manipulator of Lau's thesis, chapters 3 and 4, under the letters of the source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from loadpath.books.book import Book, Constant, doctests, letter
from loadpath.formulations import generalized_coefficients as coefficients
from loadpath.formulations import generalized_variables as variables


@dataclass(frozen=True, eq=False, repr=False)
class Lau(Book):
    """The objects of Lau's thesis: `robot.books.lau`.

    The dynamical model of chapter 4, one freedom at a time (4-98), with n the speeds in the order of `robot.dof_names`:

        tau_i = D_i + sum_k D_ik qdd_k + sum_k sum_l D_ikl qd_k qd_l + Ia_i qdd_i    (and friction of the drives)

    Chapter 3 writes the same forces as sums over causes k, l and links j. These terms, of all joints in all directions,
    are `robot.load_breakdown(q, qd, qdd, by="joint", by_link=True)`:

    | thesis | in the breakdown |
    |---|---|
    | F_i^{k,j}, N_i^{k,j} (3-81, 3-90) | cause "inertial" of joint k, from link j |
    | F_i^{kk,j}, N_i^{kk,j} | "centrifugal" of joint k, from link j |
    | F_i^{kl,j}, N_i^{kl,j} | "coriolis" of the joints k and l, from link j |
    | F_i^{g,j}, N_i^{g,j} | "gravity", from link j |

    Force and torque in any direction come from the same coefficients by a virtual joint that would slide along it or
    turn about it (end of chapter 4): `robot.force_along` and `robot.torque_about`.
    """

    source: ClassVar[str] = "T.-C. Lau, The Dynamics of the Generalized Manipulator (1985), chapter 4"
    places: ClassVar[Mapping[str, str]] = {
        "D_i": "(4-99), (4-102)",
        "D_ik": "(4-100), (4-103)",
        "D_ikl": "(4-101), (4-104), (4-105)",
        "Ia": "(4-98)",
        "s": "(4-1) to (4-3)",
        "delta": "(4-4), (4-5), figure 10",
        "mu": "(4-6), (4-7), figure 11",
        "deltas": "(4-4), (4-5)",
        "mus": "(4-6), (4-7)",
    }

    D_i = letter(
        coefficients.gravity_coefficients,
        "(q)->(n)",
        """Gravity coefficients: what each drive needs to hold the weight, (..., n). Equal to `robot.gravity_forces`.

        >>> import loadpath as lp
        >>> lp.catalog.planar(2, mass=2.0).books.lau.D_i([0, 0]).round(6).tolist()          # stretched out, 1 m a link
        [39.24, 9.81]
        """,
        compile_up_to=24,
    )
    D_ik = letter(
        coefficients.inertial_coefficients,
        "(q)->(n,n)",
        """Inertial coefficients: force of drive i per unit of acceleration k, (..., n, n). Of the links alone:
        with `Ia` on its diagonal it is `robot.mass_matrix`.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.lau.D_ik([0, 0]).round(12).tolist()
        [[5.0, 2.0], [2.0, 1.0]]
        """,
        compile_up_to=16,
    )
    D_ikl = letter(
        coefficients.velocity_coefficients,
        "(q)->(n,n,n)",
        """Velocity coefficients: force of drive i per product of the speeds k and l, (..., n, n, n). They are the same
        for k, l and l, k. D_ikk is centrifugal; D_ikl and D_ilk together are the Coriolis coefficient.

        They are the Christoffel symbols of the first kind of D_ik, where speeds are rates of coordinates:
        D_ikl = (dD_ik/dq_l + dD_il/dq_k - dD_kl/dq_i) / 2. Speeds of spherical and free joints are no such rates. There
        D_ikl are still the coefficients of the products of speeds, made symmetric in k and l, but no derivatives of
        D_ik alone.

        >>> import loadpath as lp
        >>> D_ikl = lp.catalog.two_link().books.lau.D_ikl([0, 1.5707963267948966])
        >>> float(D_ikl[0, 1, 1].round(12)), float(D_ikl[0, 0, 1].round(12)), float(D_ikl[1, 0, 0].round(12))
        (-1.0, -1.0, 1.0)
        """,
        compile_up_to=10,
    )

    Ia = Constant(
        coefficients.actuator_inertias,
        """Actuator inertias, of the rotors as felt at the joints, (n,).

        >>> import loadpath as lp
        >>> lp.catalog.puma560().books.lau.Ia().round(3).tolist()
        [0.784, 2.325, 0.577, 0.191, 0.171, 0.194]
        """,
    )

    s = letter(
        variables.selection_vectors,
        "(q)->(n,3)",
        """Selection vectors: the direction that each freedom turns about or slides along, (..., n, 3). It is in the
        frame of its joint after the motion.

        >>> import loadpath as lp
        >>> lp.catalog.lau_arm().books.lau.s([0.1, 0.2, 0.3]).tolist()              # about z, about y, along -x
        [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]
        """,
    )
    delta = letter(
        variables.rotations,
        "(q)->(n,3)",
        """Generalized rotations: how far a unit of each speed turns a link, (..., n, 3). They are in the axes of the
        link's frame. `robot.books.lau.delta(q, link)`; without a link, of the only end that the robot has.

        >>> import loadpath as lp
        >>> (lp.catalog.lau_arm().books.lau.delta([0, 0, 1], "rod") + 0.0).tolist()
        [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
        """,
        takes_link=True,
    )
    mu = letter(
        variables.displacements,
        "(q)->(n,3)",
        """Generalized displacements: how far a unit of each speed moves the origin of a link's frame, (..., n, 3).
        They are in the axes of that frame. `robot.books.lau.mu(q, link)`; without a link, of the only end that the
        robot has.

        >>> import loadpath as lp
        >>> (lp.catalog.lau_arm().books.lau.mu([0, 0, 1], "rod") + 0.0).tolist()
        [[-0.3, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]]
        """,
        takes_link=True,
    )
    deltas = letter(
        variables.all_rotations,
        "(q)->(l,n,3)",
        """Generalized rotations of all links, (..., links, n, 3), in the order of `robot.link_names`.

        >>> import loadpath as lp
        >>> lp.catalog.lau_arm().books.lau.deltas([0, 0, 1]).shape
        (4, 3, 3)
        """,
        compile_up_to=24,
    )
    mus = letter(
        variables.all_displacements,
        "(q)->(l,n,3)",
        """Generalized displacements of all links, (..., links, n, 3), in the order of `robot.link_names`.

        >>> import loadpath as lp
        >>> lp.catalog.lau_arm().books.lau.mus([0, 0, 1]).shape
        (4, 3, 3)
        """,
        compile_up_to=24,
    )


__test__ = doctests(Lau)
