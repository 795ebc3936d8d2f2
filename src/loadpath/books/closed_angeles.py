"""The natural orthogonal complement of robots with loops, under the letters that it has for chains.

K has the rows of the loops' joints and of the couplings under those of the tree's joints; T has a column for each
independent speed (`robot.independent`). Then K T = 0, w_C = K^T lambda and I = T^T M T hold as in the source.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, Unpack, cast

import numpy as np

from loadpath.algorithms.loops import orthogonal_complement as closed_complement
from loadpath.algorithms.loops import status
from loadpath.algorithms.loops.checks import check_driven
from loadpath.books.angeles import SOURCE, Angeles
from loadpath.books.book import MOST_RESULTS, doctests
from loadpath.closure.robot import ClosableRobot
from loadpath.engine.arguments import DEFAULT
from loadpath.engine.quantity import Compiled, Formulation, On
from loadpath.errors import ModelError
from loadpath.formulations import moving_base
from loadpath.formulations import orthogonal_complement as tree
from loadpath.mechanics.drives import friction_and_rotors
from loadpath.mechanics.wrenches import BASE_MOTION, ON_BASE, External
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.robot.drive_train.of_joint import refuse_springs
from loadpath.robot.mechanism import Mechanism, Split, plain
from loadpath.robot.model import RobotModel
from loadpath.scalars import Array, zeros
from loadpath.states.on_manifold import verdict

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from loadpath.scalars.types import Floats
    from loadpath.states.reading import MotionLike

_MOST_SPEEDS = 20
"""Robots with more run uncompiled, as the formulation of the same name does."""
_RANK = 1e-10
"""Singular values of K below this part of the largest belong to directions that it does not hold."""
_LOADS: Mapping[str, tuple[int | str, ...]] = {**ON_BASE, "weights": ("a",), "preload": ("a",)}


def _letter(equation: Formulation, signature: str, doc: str, **options: Any) -> Compiled:
    """An object of a robot with loops; where its last result is the status of the state, the verdict reads it."""
    on = {DEFAULT: On(equation, plain, _MOST_SPEEDS, dict.fromkeys(BASE_MOTION, moving_base.SPEEDS))}
    judged = verdict if signature.endswith("(s)") else None
    return Compiled(on, signature, plain, doc, verdict=judged, most_results=MOST_RESULTS, **options)


def _with_status(equation: Callable[..., Array]) -> Callable[..., tuple[Array, Array]]:
    """The equation with the status of its state as a second result."""

    @functools.wraps(equation)
    def run(mechanism: Mechanism, q: Array, *rates: Array) -> tuple[Array, Array]:
        held = closed_complement.held_by_loops(mechanism, q)
        return equation(mechanism, q, *rates), status.status(mechanism, q, held, *rates)

    return run


def _w_A(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    weights: Array | None = None,
    preload: Array | None = None,
) -> tuple[Array, Array]:
    loads = external, base_velocity, base_acceleration
    tau, trust = closed_complement.inverse_dynamics(mechanism, q, qd, qdd, *loads, weights, preload)
    rotors = friction_and_rotors(mechanism, zeros(mechanism.n), qdd)
    return closed_complement.along_freedoms(mechanism, q, tau - rotors), trust


def _w_D(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    return closed_complement.along_freedoms(mechanism, q, tree.delta(mechanism, qd))


def _w_C(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    weights: Array | None = None,
    preload: Array | None = None,
) -> tuple[Array, Array]:
    loads = external, base_velocity, base_acceleration
    tau, trust = closed_complement.inverse_dynamics(mechanism, q, qd, qdd, *loads, weights, preload)
    return closed_complement.constraint_wrenches(mechanism, q, qd, qdd, tau, *loads), trust


@dataclass(frozen=True, eq=False, repr=False)
class ClosedAngeles(Angeles):
    """The objects of Angeles, chapter 7, of a robot with loops: `robot.books.angeles`.

    As for any robot, but for these: columns of T, and what is multiplied by T^T (I, C, gamma, delta), are those of the
    independent speeds, `robot.independent`; K and lambda have rows for the loops' held directions, the couplings and
    the joints that mimic others after six for each joint of the tree. q, qd and qdd are those of the tree and must be a
    state of the closed robot, or the call is refused, `strict=False` gives the numbers and a warning. M, W, t and t_dot
    are those of the tree for any speeds.
    """

    source: ClassVar[str] = f"{SOURCE}; with loops"

    closed: ClosableRobot = field(default=None)  # type: ignore[assignment]  # `of` gives it
    """The closed robot."""

    @classmethod
    def of(cls, robot: RobotModel) -> Self:
        """The closed robot as this source has it."""
        refuse_springs(robot, "the sources' equations")
        data = {part.name: getattr(robot, part.name) for part in fields(RobotModel)}
        return cls(**data, closed=cast(ClosableRobot, robot))

    @property
    def split(self) -> Split:
        """Which speeds are driven, independent, dependent."""
        return self.closed.split

    @property
    def independent(self) -> tuple[str, ...]:
        """Names of the speeds that determine all others: the columns of T."""
        return tuple(self.dof_names[k] for k in self.split.independent)

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the speeds that have a drive."""
        return tuple(self.dof_names[k] for k in self.split.driven)

    @property
    def mobility(self) -> int:
        """How many freedoms there are."""
        return len(self.split.independent)

    @property
    def sizes(self) -> Mapping[str, int]:
        """What the letters in signatures stand for: those of the closed robot, `b` six a body, `r` rows of K, `a`
        drives, `s` entries of a status.
        """
        sizes, bodies = self.closed.sizes, 6 * len(self.joints)
        rows = bodies + sizes["m"] + sum(joint.mimic is not None for joint in self.joints)
        return {**sizes, "b": bodies, "r": rows, "a": len(self.split.driven), "s": status.ENTRIES}

    @property
    def defined_by(self) -> tuple[object, ...]:
        """All data that the equations depend on."""
        return self.closed.defined_by

    T = _letter(
        _with_status(closed_complement.T),
        "(q)->(b,f),(s)",
        """Twist-shaping matrix, t = T thetadot_I: twists of all links per unit of each independent speed, K T = 0.
        (..., 6 joints, freedoms).

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})           # link 2 keeps level
        >>> bool(abs(arm.books.angeles.T([0.2, -0.2])[6:9]).max() < 1e-12)                     # it does not turn
        True
        """,
    )
    T_dot = _letter(
        _with_status(closed_complement.Tdot),
        "(q),(n)->(b,f),(s)",
        """Time derivative of T. (..., 6 joints, freedoms). It takes no base that moves: `robot.floating()` has the
        rates of such a base.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> arm.books.angeles.T_dot([0.2, -0.2], [1, -1]).shape
        (18, 1)
        """,
    )
    K = _letter(
        closed_complement.K,
        "(q)->(r,b)",
        """Constraint matrix: the tree's joints, six rows each, the loops' held directions, couplings, mimicking joints:
        K t = 0. (..., rows, 6 joints).

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> arm.books.angeles.K([0.2, -0.2]).shape                                              # one coupling
        (19, 18)
        """,
    )
    w_A = _letter(
        _w_A,
        "(q),(n),(n)->(b),(s)",
        """Active wrenches: what the drives exert on the links; passive joints exert none. (..., 6 joints). `external=`,
        `base_velocity=`, `base_acceleration=`, `weights=` and `preload=` as in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> arm.books.angeles.w_A([0.2, -0.2], [0, 0], [0, 0])[6:].any()                        # joint 1 is driven
        np.False_
        """,
        takes_external=True,
        optional=_LOADS,
        check=check_driven,
    )
    w_D = _letter(
        _w_D,
        "(q),(n)->(b)",
        """Dissipative wrenches: friction of the tree's joints on the links, against their speeds. (..., 6 joints).

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> arm.books.angeles.w_D([0.2, -0.2], [1, -1]).any()                                   # it has none
        np.False_
        """,
    )
    w_C = _letter(
        _w_C,
        "(q),(n),(n)->(b),(s)",
        """Constraint wrenches on the links, those of loops and couplings too, w_C = K^T lambda: T^T w_C = 0. (..., 6
        joints). Options as for `w_A`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> book, q = arm.books.angeles, [0.2, -0.2]
        >>> bool(abs(book.T(q).T @ book.w_C(q, [1, -1], [0, 0])).max() < 1e-12)
        True
        """,
        takes_external=True,
        optional=_LOADS,
        check=check_driven,
    )
    tau = _letter(
        closed_complement.inverse_dynamics,
        "(q),(n),(n)->(n),(s)",
        """Generalized forces of the drives for a motion, zero at passive joints: `inverse_dynamics`, with its options.
        (..., n).

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> arm.books.angeles.tau([0.2, -0.2], [0, 0], [0, 0])[1]
        np.float64(0.0)
        """,
        takes_external=True,
        optional=_LOADS,
        check=check_driven,
    )
    gamma = _letter(
        _with_status(closed_complement.gamma),
        "(q)->(f),(s)",
        """Generalized forces of gravity at the independent speeds, T^T w_G. (..., freedoms).

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> arm.books.angeles.gamma([0, 0]).round(3).tolist()               # a rod of 1 kg and 1 m, and 1 kg at its end
        [-14.715]
        """,
    )
    delta = _letter(
        _with_status(closed_complement.delta),
        "(q),(n)->(f),(s)",
        """Generalized dissipative forces at the independent speeds, of passive joints too. (..., freedoms).

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> arm.books.angeles.delta([0.2, -0.2], [1, -1]).tolist()
        [0.0]
        """,
    )
    I = _letter(  # noqa: E741
        _with_status(closed_complement.I),
        "(q)->(f,f),(s)",
        """Generalized inertia matrix T^T M T of the links; `driven_mass_matrix` has the rotors too. (..., freedoms,
        freedoms).

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> arm.books.angeles.I([0.2, -0.2]).round(6).tolist()                                  # 1/3 and 1 kg m^2
        [[1.333333]]
        """,
    )
    C = _letter(
        _with_status(closed_complement.C),
        "(q),(n)->(f,f),(s)",
        """Matrix of I thetaddot_I = C thetadot_I + ..., -T^T (M T_dot + W M T). (..., freedoms, freedoms).

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> arm.books.angeles.C([0.2, -0.2], [1, -1]).shape
        (1, 1)
        """,
    )

    @takes_loads
    def multipliers(  # type: ignore[override]  # of a tree they are compiled
        self,
        q: ArrayLike | MotionLike,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        strict: bool = True,
        **acting: Unpack[DriveLoadKeywords],
    ) -> Floats:
        """The lambda of w_C = K^T lambda: six a joint of the tree, one for each held direction of a loop, each coupling
        and each joint that mimics another. (..., rows of K). Options as for `w_C`.

        The shortest of all that give w_C, by least squares (NumPy): an overconstrained mechanism leaves lambda open,
        and the wrenches of its joints with it (`joint_wrenches` says which).

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> arm.books.angeles.multipliers([0.2, -0.2], [0, 0], [0, 0]).shape
        (19,)
        """
        state = (q, *(rate for rate in (qd, qdd) if rate is not None))  # a motion has its own
        wrenches = np.asarray(self.w_C(*state, strict=strict, under=acting["under"]))
        K = np.asarray(self.K(q), dtype=float)
        known = np.isfinite(K).all(axis=(-2, -1))
        K = np.where(known[..., None, None], K, 0.0)
        found = (np.linalg.pinv(K.mT, rcond=_RANK) @ wrenches[..., None])[..., 0]
        return np.where(known[..., None], found, np.nan).astype(wrenches.dtype)

    @property
    def noninertial(self) -> NoReturn:
        """Refused: `robot.floating().books.angeles` has the speeds of the base among its independent ones."""
        raise ModelError(f"robot '{self.name}': noninertial is refused: the source's T = [[1, 0], [A_0, T']] is that "
                         "of a chain, and this robot has loops: robot.floating().books.angeles has the base's six "
                         "speeds among its independent ones")


__test__ = doctests(ClosedAngeles)
