"""What is computed of a robot with loops alone, a line each, in addition to what any robot has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from loadpath.algorithms import loops
from loadpath.algorithms.loops import driven, reactions
from loadpath.algorithms.loops import forward_dynamics as forward
from loadpath.engine.attached import Attached
from loadpath.engine.quantity import Compiled
from loadpath.quantities.declared import compiled
from loadpath.quantities.loops import counts
from loadpath.quantities.table import RobotQuantities
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reduced, reframed
from loadpath.states.on_manifold import verdict

if TYPE_CHECKING:
    from loadpath.quantities.declared import Out
    from loadpath.scalars.types import ArrayLike, Floats
    from loadpath.states import StatesLike


class ClosedQuantities(RobotQuantities):
    """A robot with loops and its compiled quantities."""

    _stands_for = Attached(loops=True)

    @compiled(
        reactions.leverages,
        "(q)->(w,6)",
        reframed,
        choices={"compliances": ()},
        choice_readers={"compliances": reactions.read_compliances},
    )
    def reaction_leverages(
        self, q: StatesLike, *, compliances: Mapping[str, float | Sequence[float]] | None = None, out: Out = None
    ) -> Floats:
        """How much each component of the joint wrenches (..., joints, 6), forces before torques, is a matter of how
        stiff the joints are: 0 where statics alone gives it, up to 1. `joint_wrenches(...).determinate` is made of it.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> float(arm.reaction_leverages([0.2, -0.1]).max())
        0.0
        """

    @compiled(loops.constraint_jacobian, "(q)->(m,n)", plain)
    def constraint_jacobian(self, q: StatesLike, *, out: Out = None) -> Floats:
        """Matrix (m, n) of what the loops hold: relative speed of the second link against the first (m/s, rad/s) in
        each held direction, in the axes of the loop's frame `on`, per unit of each speed; then a row for each coupling.
        For motions of the closed robot `constraint_jacobian(q) @ qd` is zero.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> arm.constraint_jacobian([0.2, -0.1]).tolist()
        [[1.0, 2.0]]
        """

    @compiled(loops.held_directions, "(q)->(m,6)", plain)
    def loop_directions(self, q: StatesLike, *, out: Out = None) -> Floats:
        """The unit wrenches (m, 6), force before torque, that the rows of `constraint_jacobian` belong to: exerted by
        the first link of the loop on the second, at the origin and in the axes of its frame `on`. Zero for couplings.

        >>> import loadpath as lp
        >>> lp.catalog.four_bar().loop_directions(lp.catalog.four_bar().home).shape
        (5, 6)
        """

    @compiled(loops.closure_sizes, "(q)->(c,2)", plain, sizes=counts)
    def closure(self, q: StatesLike, *, out: Out = None) -> Floats:
        """How far loops and couplings are from closed, (..., loops and couplings, 2): by length (m) and by angle (rad),
        in the order of `loops`, then `couplings`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> arm.closure([0.2, 0.0]).tolist()
        [[0.0, 0.2]]
        """

    @compiled(driven.natural_complement, "(q)->(n,f),(s)", plain, sizes=counts, verdict=verdict)
    def complement(self, q: StatesLike, *, strict: bool = True, out: Out = None) -> Floats:
        """The natural orthogonal complement T (n, f) of the loops: all speeds per unit of each independent one, so that
        qd = T qd_I and constraint_jacobian(q) @ T = 0.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
        >>> arm.complement([0.2, -0.1]).tolist()
        [[1.0], [-0.5]]
        """

    @compiled(forward.driven_mass_matrix, "(q)->(f,f),(s)", reduced, sizes=counts, verdict=verdict)
    def driven_mass_matrix(self, q: StatesLike, *, strict: bool = True, out: Out = None) -> Floats:
        """Mass matrix (f, f) of the closed robot in its independent speeds (`robot.independent`): what they feel of all
        links, T'MT.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})       # the second link keeps level
        >>> arm.driven_mass_matrix([0.2, -0.2]).shape
        (1, 1)
        """

    @compiled(
        driven.driven_jacobian,
        "(q)->(6,f),(s)",
        plain,
        optional={"point": (3,)},
        takes_link=True,
        sizes=counts,
        verdict=verdict,
    )
    def driven_jacobian(
        self,
        q: StatesLike,
        link: str | None = None,
        *,
        point: ArrayLike | None = None,
        strict: bool = True,
        out: Out = None,
    ) -> Floats:
        """Jacobian (6, f) of a link, `robot.driven_jacobian(q, link)`: velocity of its frame's origin above its angular
        velocity, in world axes, per unit of each independent speed (`robot.independent`), the others following. With
        `point=`, (..., 3), of that point in the link's frame.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
        >>> arm.driven_jacobian([0.2, -0.2], "link2").round(9)[3:, 0].tolist()
        [0.0, 0.0, 0.0]
        """


# Docstrings of descriptors are not found by doctest; these are.
__test__ = {
    f"ClosedRobot.{key}": value.__doc__ or ""
    for key, value in vars(ClosedQuantities).items()
    if isinstance(value, Compiled)
}
