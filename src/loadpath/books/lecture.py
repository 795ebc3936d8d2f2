"""The Lagrange-Euler equations in trace form of the lecture notes, under their letters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from loadpath.books.book import MOST_RESULTS, Book, Constant, doctests
from loadpath.engine.arguments import DEFAULT
from loadpath.engine.quantity import Compiled, On
from loadpath.formulations import lagrange_euler as trace_form
from loadpath.robot.mechanism import Mechanism, plain
from loadpath.scalars import Array


def _bodies(robot: Any, variant: object) -> Mapping[str, int]:
    """The letter `b` of signatures: links that a joint carries."""
    return {"b": len(robot.joints)}


def _D(mechanism: Mechanism, q: Array) -> Array:
    return trace_form.D(mechanism, q)


def _h_ikm(mechanism: Mechanism, q: Array) -> Array:
    return trace_form.h(mechanism, q)


def _c(mechanism: Mechanism, q: Array) -> Array:
    return trace_form.c(mechanism, q)


def _fast_growing(equation: Any) -> Mapping[str, On]:
    """An object whose program grows so fast that only small robots are compiled."""
    return {DEFAULT: On(equation, plain, trace_form.FORMULATION.compile_up_to)}


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

    A = Compiled(
        trace_form.A,
        "(q)->(b,4,4)",
        plain,
        """Homogeneous matrices of the links in the base's frame. (..., joints, 4, 4).

        >>> import loadpath as lp
        >>> lp.catalog.two_link(l1=1, l2=2).books.lecture.A([0, 0])[2, :, 3].tolist()
        [0.0, 0.0, -3.0, 1.0]
        """,
        sizes=_bodies,
        most_results=MOST_RESULTS,
    )
    Q = Compiled(
        trace_form.Q,
        "(q)->(n,4,4)",
        plain,
        """Matrices Q_j of the joints' twists in the frame before, dA/dq = Q A. (..., n, 4, 4). Constant in DH frames.

        >>> import loadpath as lp
        >>> lp.catalog.random_dh_arm(2, seed=1).books.lecture.Q([0.1, 0.2])[1, :2, :2].tolist()
        [[0.0, -1.0], [1.0, 0.0]]
        """,
        most_results=MOST_RESULTS,
    )
    U = Compiled(
        trace_form.U_ij,
        "(q)->(b,n,4,4)",
        plain,
        """U_ij = dA_i/dq_j: derivatives of the homogeneous matrices. (..., joints, n, 4, 4).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.lecture.U([0.3, 0.4])[0, 1].any()                # joint 2 does not move link 1
        np.False_
        """,
        sizes=_bodies,
        most_results=MOST_RESULTS,
    )
    U_jk = Compiled(
        _fast_growing(trace_form.U_ijk),
        "(q)->(b,n,n,4,4)",
        plain,
        """U_ijk = dU_ij/dq_k: second derivatives of the homogeneous matrices. (..., joints, n, n, 4, 4).

        >>> import loadpath as lp
        >>> U_jk = lp.catalog.two_link().books.lecture.U_jk([0.3, 0.4])
        >>> bool((U_jk[2, 0, 1] == U_jk[2, 1, 0]).all())
        True
        """,
        sizes=_bodies,
        most_results=MOST_RESULTS,
    )
    J = Constant(
        trace_form.J,
        """Pseudo-inertias of the links in their frames, the integral of r r^T dm. (joints, 4, 4). Of no state.

        >>> import loadpath as lp
        >>> lp.catalog.two_link(m1=2, l1=0.5).books.lecture.J()[0, 0].tolist()           # a point mass on the x axis
        [0.5, 0.0, 0.0, 1.0]
        """,
    )
    D = Compiled(
        _fast_growing(_D),
        "(q)->(n,n)",
        plain,
        """Inertia matrix, D_ik = sum of Tr(U_jk J_j U_ji^T), of the links; `mass_matrix` has the rotors too.
        (..., n, n).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.lecture.D([0, 0]).round(12).tolist()
        [[5.0, 2.0], [2.0, 1.0]]
        """,
    )
    h_ikm = Compiled(
        _fast_growing(_h_ikm),
        "(q)->(n,n,n)",
        plain,
        """Coefficients of qdot_k qdot_m, sum of Tr(U_jkm J_j U_ji^T). (..., n, n, n).

        They are the Christoffel symbols of the first kind, symmetric in k and m, for joints whose speeds are rates of
        coordinates; within a joint of several freedoms whose speeds are not (spherical, free), they are not symmetric.

        >>> import loadpath as lp
        >>> float(lp.catalog.two_link().books.lecture.h_ikm([0, 1.5707963267948966])[1, 0, 0].round(12))  # m2 l1 l2 sin
        1.0
        """,
        most_results=MOST_RESULTS,
    )
    h = Compiled(
        _fast_growing(trace_form.velocity_forces),
        "(q),(n)->(n)",
        plain,
        """Coriolis and centrifugal forces, the sum of h_ikm qdot_k qdot_m. (..., n).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.lecture.h([0, 1.5707963267948966], [1, 0]).round(12).tolist()
        [0.0, 1.0]
        """,
    )
    c = Compiled(
        _c,
        "(q)->(n)",
        plain,
        """Gravity loading: `gravity_forces`. (..., n).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.lecture.c([1.5707963267948966, 0]).round(12).tolist()
        [29.4, 9.8]
        """,
    )


__test__ = doctests(Lecture)
