"""The Lagrange-Euler equations in trace form of the lecture notes, under their letters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from loadpath.books.book import Book, Constant, doctests, letter
from loadpath.formulations import lagrange_euler as trace_form

FEW_SPEEDS = trace_form.FORMULATION.compile_up_to
"""Programs of some objects grow so fast that only robots with so many are compiled."""


@dataclass(frozen=True, eq=False, repr=False)
class Lecture(Book):
    """The objects of the lecture notes on robot dynamics: `robot.books.lecture`.

    Link i is the child of joint i in the order of `robot.joints`, fixed ones too; indices j, k, m count the speeds. A_i
    is the pose of its frame in the frame of the base, which is the world's. Links are rigid, also those of an arm with
    beams, rotors and friction are not in the notes: tau = D thetaddot + h + c is `inverse_dynamics` without them.

    None of it takes `external=`, `base_velocity=` or `base_acceleration=`: the notes have none, the objects do not
    depend on them. `robot.inverse_dynamics(..., formulation="lagrange-euler")` is the sum that does.
    """

    source: ClassVar[str] = "lecture notes on robot dynamics: Lagrange-Euler in trace form"
    known_as: ClassVar[str] = "robot.books.lecture"
    places: ClassVar[Mapping[str, str]] = {
        "A": "A_i",
        "Q": "Q_j",
        "U": "U_ij",
        "U_jk": "U_ijk",
        "J": "J_i",
        "D": "D_ik",
        "h_ikm": "h_ikm",
        "h": "h_i",
        "c": "c_i",
    }

    @property
    def sizes(self) -> Mapping[str, int]:
        """What the letters in signatures stand for: `b` counts the links that a joint carries."""
        return {**super().sizes, "b": len(self.joints)}

    A = letter(
        trace_form.A,
        "(q)->(b,4,4)",
        """Homogeneous matrices of the links in the base's frame. (..., joints, 4, 4).

        >>> import loadpath as lp
        >>> lp.catalog.two_link(l1=1, l2=2).books.lecture.A([0, 0])[2, :, 3].tolist()
        [0.0, 0.0, -3.0, 1.0]
        """,
    )
    Q = letter(
        trace_form.Q,
        "(q)->(n,4,4)",
        """Matrices Q_j of the joints' twists in the frame before, dA/dq = Q A. (..., n, 4, 4). Constant in DH frames.

        >>> import loadpath as lp
        >>> lp.catalog.random_dh_arm(2, seed=1).books.lecture.Q([0.1, 0.2])[1, :2, :2].tolist()
        [[0.0, -1.0], [1.0, 0.0]]
        """,
    )
    U = letter(
        trace_form.U_ij,
        "(q)->(b,n,4,4)",
        """U_ij = dA_i/dq_j: derivatives of the homogeneous matrices. (..., joints, n, 4, 4).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.lecture.U([0.3, 0.4])[0, 1].any()                # joint 2 does not move link 1
        np.False_
        """,
    )
    U_jk = letter(
        trace_form.U_ijk,
        "(q)->(b,n,n,4,4)",
        """U_ijk = dU_ij/dq_k: second derivatives of the homogeneous matrices. (..., joints, n, n, 4, 4).

        >>> import loadpath as lp
        >>> U_jk = lp.catalog.two_link().books.lecture.U_jk([0.3, 0.4])
        >>> bool((U_jk[2, 0, 1] == U_jk[2, 1, 0]).all())
        True
        """,
        compile_up_to=FEW_SPEEDS,
    )
    J = Constant(
        trace_form.J,
        """Pseudo-inertias of the links in their frames, the integral of r r^T dm. (joints, 4, 4). Of no state.

        >>> import loadpath as lp
        >>> lp.catalog.two_link(m1=2, l1=0.5).books.lecture.J()[0, 0].tolist()           # a point mass on the x axis
        [0.5, 0.0, 0.0, 1.0]
        """,
    )
    D = letter(
        trace_form.D,
        "(q)->(n,n)",
        """Inertia matrix, D_ik = sum of Tr(U_jk J_j U_ji^T), of the links; `mass_matrix` has the rotors too.
        (..., n, n).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.lecture.D([0, 0]).round(12).tolist()
        [[5.0, 2.0], [2.0, 1.0]]
        """,
        compile_up_to=FEW_SPEEDS,
    )
    h_ikm = letter(
        trace_form.h,
        "(q)->(n,n,n)",
        """Coefficients of qdot_k qdot_m, sum of Tr(U_jkm J_j U_ji^T). (..., n, n, n).

        They are the Christoffel symbols of the first kind, symmetric in k and m, for joints whose speeds are rates of
        coordinates; within a joint of several freedoms whose speeds are not (spherical, free), they are not symmetric.

        >>> import loadpath as lp
        >>> float(lp.catalog.two_link().books.lecture.h_ikm([0, 1.5707963267948966])[1, 0, 0].round(12))  # m2 l1 l2 sin
        1.0
        """,
        compile_up_to=FEW_SPEEDS,
    )
    h = letter(
        trace_form.velocity_forces,
        "(q),(n)->(n)",
        """Coriolis and centrifugal forces, the sum of h_ikm qdot_k qdot_m. (..., n).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.lecture.h([0, 1.5707963267948966], [1, 0]).round(12).tolist()
        [0.0, 1.0]
        """,
        compile_up_to=FEW_SPEEDS,
    )
    c = letter(
        trace_form.c,
        "(q)->(n)",
        """Gravity loading: `gravity_forces`. (..., n).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.lecture.c([1.5707963267948966, 0]).round(12).tolist()
        [29.4, 9.8]
        """,
    )


__test__ = doctests(Lecture)
