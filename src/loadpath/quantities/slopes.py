"""Derivatives of forces and accelerations, a line each: the second part of the table, after `forces.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from loadpath.algorithms.derivatives import forward_dynamics_second_derivatives
from loadpath.algorithms.inverse_dynamics_second_slopes import second_slopes
from loadpath.algorithms.joint_wrench_slopes import joint_wrench_slopes
from loadpath.algorithms.loops import derivatives
from loadpath.algorithms.loops.checks import check_driven, check_moved
from loadpath.engine.arguments import DEFAULT
from loadpath.engine.quantity import On
from loadpath.mechanics.wrenches import ON_BASE
from loadpath.quantities.declared import compiled
from loadpath.quantities.forces import ForceQuantities
from loadpath.quantities.loops import WITH_EFFORT, WITH_STATUS, check_movable
from loadpath.results import (
    ForwardDynamicsDerivatives,
    ForwardDynamicsSecondDerivatives,
    InverseDynamicsDerivatives,
    InverseDynamicsSecondDerivatives,
    JointWrenchDerivatives,
)
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reduced, reframed

if TYPE_CHECKING:
    from loadpath.engine.packed import Packed
    from loadpath.quantities.declared import Out, Packable
    from loadpath.quantities.load_keywords import DriveLoadKeywords, LoadKeywords
    from loadpath.scalars.types import ArrayLike, Floats
    from loadpath.states import StatesLike


@dataclass(frozen=True, eq=False, repr=False)  # frozen for attributes that are no fields, too
class SlopeQuantities(ForceQuantities):
    """A robot and its compiled quantities."""

    @compiled(
        derivatives.inverse_dynamics_derivatives,
        "(q),(n),(n)->(n,n),(n,n),(n,n)",
        reduced,
        optional=ON_BASE,
        takes_external=True,
        check=check_driven,
        loops=WITH_EFFORT(signature="(q),(n),(n)->(n,f),(n,f),(n,f)"),
        wrap=lambda robot, *parts: InverseDynamicsDerivatives(*parts),
        purpose="Derivatives",
        packed=False,
    )
    def inverse_dynamics_derivatives(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        packed: bool = False,
        strict: bool = True,
        out: Out = None,
        **acting: Unpack[DriveLoadKeywords],
    ) -> Packable[InverseDynamicsDerivatives, InverseDynamicsDerivatives]:
        """Derivatives of `inverse_dynamics` by q, qd and qdd: `.q`, `.qd`, `.qdd`. By q they are by a small motion with
        the meaning of qd, so they hold through quaternions. By inertial parameters: `regressor`.

        With loops, along the motions that these allow, each (n, f), by the coordinates, speeds and accelerations of
        `robot.independent`, in that order. Each of these changes by itself, and all that depends on them follows (as
        `complete` gives it): by a coordinate, the independent speeds and accelerations keep their values and the
        dependent ones change. Rows of passive joints are zero. Options as in `inverse_dynamics`.

        With `packed=True` only the entries that can be other than zero, each once: `.values` (..., k), `.index` with
        the place of each entry in them (-1: always zero), `.dense()`. That is quicker for robots with several limbs.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().inverse_dynamics_derivatives([0, 0], [1, 2], [3, 4]).q.shape
        (2, 2)
        >>> belt = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> belt.inverse_dynamics_derivatives([0.2, -0.1], [1, -0.5], [0, 0]).q.shape
        (2, 1)
        """

    @compiled(
        joint_wrench_slopes,
        "(q),(n),(n)->(j,3,n),(j,3,n),(j,3,n),(j,3,n),(j,3,n),(j,3,n)",
        reframed,
        optional=ON_BASE,
        takes_external=True,
        check=check_moved,
        wrap=lambda robot, *parts: JointWrenchDerivatives.of(*parts),
        purpose="Derivatives",
        packed=False,
    )
    def joint_wrench_derivatives(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        packed: bool = False,
        out: Out = None,
        **acting: Unpack[LoadKeywords],
    ) -> Packable[JointWrenchDerivatives, JointWrenchDerivatives]:
        """Derivatives of `joint_wrenches` by q, qd and qdd: `.q`, `.qd`, `.qdd`, each with `.force` and `.torque`,
        (..., joints, 3, n), in the joint frames of `joint_wrenches`, which go along with their links. By q as in
        `inverse_dynamics_derivatives`, `packed=True` too: a joint's wrench depends on the joints before and beyond it.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)                             # stretched out along x, 1 m and 1 kg a link
        >>> found = arm.joint_wrench_derivatives([0, 0], [0, 0], [0, 0])
        >>> found.q.torque.shape, found.qdd.torque[0, 2].round(9).tolist()         # about the axis: the mass matrix
        ((3, 3, 2), [2.666666667, 0.833333333])
        """

    @compiled(
        derivatives.forward_dynamics_derivatives,
        "(q),(n),(n)->(n,n),(n,n),(n,n)",
        reduced,
        optional=ON_BASE,
        takes_external=True,
        loops=WITH_STATUS(signature="(q),(n),(n)->(n,f),(n,f),(n,n)", passive_chains=False),
        wrap=lambda robot, *parts: ForwardDynamicsDerivatives(*parts),
        check=check_movable,
        purpose="Derivatives",
        packed=False,
    )
    def forward_dynamics_derivatives(
        self,
        q: StatesLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        packed: bool = False,
        strict: bool = True,
        out: Out = None,
        **acting: Unpack[LoadKeywords],
    ) -> Packable[ForwardDynamicsDerivatives, ForwardDynamicsDerivatives]:
        """Derivatives of `forward_dynamics` by q, qd and tau: `.q`, `.qd`, `.tau`.

        With loops, along the motions that these allow: `.q` and `.qd`, each (n, f), of all accelerations by the
        coordinates and speeds of `robot.independent`, while the dependent ones follow; `.tau` (n, n), by the forces at
        all joints, passive ones too. Rows of `robot.independent` alone are those of the equations of motion in these.
        `packed=True` as in `inverse_dynamics_derivatives`.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().forward_dynamics_derivatives([0, 0], [1, 2], [3, 4]).tau.shape
        (2, 2)
        >>> belt = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> belt.forward_dynamics_derivatives([0.2, -0.1], [1, -0.5], [0, 0]).q.shape
        (2, 1)
        """

    @compiled(
        second_slopes,
        "(q),(n),(n)->(n,n,n),(n,n,n),(n,n,n),(n,n,n)",
        reduced,
        optional=ON_BASE,
        takes_external=True,
        wrap=lambda robot, *parts: InverseDynamicsSecondDerivatives(*parts),
        purpose="Derivatives",
        packed=True,
    )
    def inverse_dynamics_second_derivatives(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        packed: bool = True,
        out: Out = None,
        **acting: Unpack[LoadKeywords],
    ) -> Packable[Packed[InverseDynamicsSecondDerivatives], InverseDynamicsSecondDerivatives]:
        """Second derivatives of `inverse_dynamics`, packed (see `inverse_dynamics_derivatives`) unless `packed=False`:
        `.q_q`, `.q_qd`, `.qd_qd` and `.q_qdd` of `.index` and of `.dense()`, each (n, n, n). Entry [i, j, k] is of
        force i by entry j of the first argument, then by entry k of the second. Those by qd and qdd, and by qdd twice,
        are zero.
        `.qd_qd` is symmetric in j and k, `.q_qdd` in i and k (the change of the mass matrix with q_j), `.q_q` in j and
        k but for two speeds of one joint with a quaternion, since turns do not commute; equal entries are stored once.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)
        >>> found = arm.inverse_dynamics_second_derivatives([0.1, 0.5], [1, 2], [3, 4])
        >>> found.values.shape, found.dense().q_q.shape
        ((10,), (2, 2, 2))
        """

    @compiled(
        {DEFAULT: On(forward_dynamics_second_derivatives, reduced, compile_up_to=12)},
        "(q),(n),(n)->(n,n,n),(n,n,n),(n,n,n),(n,n,n)",
        reduced,
        optional=ON_BASE,
        takes_external=True,
        wrap=lambda robot, *parts: ForwardDynamicsSecondDerivatives(*parts),
        check=check_movable,
        purpose="Derivatives",
    )
    def forward_dynamics_second_derivatives(
        self, q: StatesLike, qd: ArrayLike, tau: ArrayLike, *, out: Out = None, **acting: Unpack[LoadKeywords]
    ) -> ForwardDynamicsSecondDerivatives:
        """Second derivatives of `forward_dynamics`: `.q_q`, `.q_qd`, `.qd_qd` and `.q_tau`, each (..., n, n, n), with
        the order of `inverse_dynamics_second_derivatives`. Those by qd and tau, and by tau twice, are zero.

        >>> import loadpath as lp
        >>> lp.catalog.planar(2).forward_dynamics_second_derivatives([0.1, 0.5], [1, 2], [3, 4]).q_tau.shape
        (2, 2, 2)
        """

    @compiled(
        derivatives.forward_dynamics_parameter_derivatives,
        "(q),(n),(n)->(n,p)",
        plain,
        optional=ON_BASE,
        takes_external=True,
        check=check_movable,
        loops=WITH_STATUS(passive_chains=False),
        purpose="Derivatives",
        packed=False,
    )
    def forward_dynamics_parameter_derivatives(
        self,
        q: StatesLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        packed: bool = False,
        strict: bool = True,
        out: Out = None,
        **acting: Unpack[LoadKeywords],
    ) -> Packable[Floats, Floats]:
        """Derivatives (n, 10 links) of `forward_dynamics`, all accelerations, by the inertial parameters of all links,
        in the order of `regressor`, at a given state.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().forward_dynamics_parameter_derivatives([0, 0], [1, 2], [3, 4]).shape
        (2, 40)
        """
