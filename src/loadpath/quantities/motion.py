"""How a robot moves, a line each quantity: kinematics, momentum, operational space, steps in time, energies.

The third part of the table, after `forces.py` and `slopes.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, Unpack

from loadpath.algorithms import derivatives, energy, operational_space, time_stepping
from loadpath.algorithms import momentum as momenta
from loadpath.algorithms.movable import check_mass
from loadpath.closure.robot import ClosableRobot
from loadpath.errors import ModelError
from loadpath.mechanics import configuration, kinematics
from loadpath.mechanics.wrenches import BASE_MOTION, GRAVITY
from loadpath.quantities.declared import compiled
from loadpath.quantities.loops import WITH_STATUS, check_movable
from loadpath.quantities.slopes import SlopeQuantities
from loadpath.results import Momentum, existing_inertia
from loadpath.robot.mechanism import Mechanism, plain
from loadpath.robot.model import RobotModel
from loadpath.robot.reduction import reduced, reframed

if TYPE_CHECKING:
    from loadpath.quantities.declared import Out
    from loadpath.quantities.load_keywords import GravityKeywords, WrenchKeywords
    from loadpath.scalars.types import ArrayLike, Floats
    from loadpath.states import StatesLike

_POINT: dict[str, tuple[int | str, ...]] = {"point": (3,)}


def refuse_elastic(robot: RobotModel, what: str) -> NoReturn:
    """Refuse to move a robot with beams or compliant joints in time as if it were rigid."""
    beams, joints = robot.beams, robot.joint_compliances
    parts = []
    if beams:
        parts.append(f"beams ({', '.join(dict.fromkeys(link for link, _ in beams))})")
    if joints:
        parts.append(f"joint compliance ({', '.join(name for name, _ in joints)})")
    raise ModelError(
        f"robot '{robot.name}': {what} moves rigid links on stiff joints, and the robot has {' and '.join(parts)}, "
        f"which it would ignore. robot.simulate(...) moves the flexible arm, robot.without_beams().{what}(...) the "
        "rigid one; robot.deflection(simulation) and robot.stress(simulation) are of that motion"
    )


def check_steppable(robot: ClosableRobot, mechanism: Mechanism) -> None:
    """Refuse to step a robot that forces do not move, one that cannot move, and one that is not rigid."""
    if robot.is_elastic:
        refuse_elastic(robot, "step")
    if robot.closing_names and not robot.mobility:
        raise ModelError(f"robot '{robot.name}' cannot move: its loops leave no freedom")
    check_movable(robot, mechanism)


_ON_A_BASE_AT_REST = dict.fromkeys(
    BASE_MOTION, "its base stands still; robot.floating() has the speeds of its base among its own"
)


@dataclass(frozen=True, eq=False, repr=False)  # frozen for attributes that are no fields, too
class MotionQuantities(SlopeQuantities):
    """A robot and its compiled quantities."""

    # Motion

    @compiled(kinematics.link_poses, "(q)->(l,4,4)", plain, purpose="Where it is and how it moves")
    def link_poses(self, q: StatesLike, *, out: Out = None) -> Floats:
        """Homogeneous matrices of all link frames in the world, in the order of `link_names`.

        >>> import loadpath as lp
        >>> lp.catalog.panda().link_poses([0, 0, 0, 0, 0, 0, 0])[-1, :3, 3].round(4).tolist()
        [0.088, 0.0, 0.926]
        """

    @compiled(
        kinematics.jacobian,
        "(q)->(6,n)",
        plain,
        optional=_POINT,
        takes_link=True,
        purpose="Where it is and how it moves",
    )
    def jacobian(
        self, q: StatesLike, link: str | None = None, *, point: ArrayLike | None = None, out: Out = None
    ) -> Floats:
        """Jacobian of a link, `robot.jacobian(q, link)`: velocity of its frame's origin (three rows) above its angular
        velocity, in world axes, per unit of each speed. Without a link, of the only end that the robot has.
        With `point=`, (..., 3), of that point in the link's frame (m) instead of the frame's origin: that of a link's
        mass center, say.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2, length=1.0)
        >>> arm.jacobian([0, 0], "link2").shape
        (6, 2)
        >>> arm.jacobian([0, 0], "link2", point=arm.link("link2").inertia.center_of_mass)[2].tolist()
        [1.5, 0.5]
        """

    @compiled(
        derivatives.jacobian_dot,
        "(q),(n)->(6,n)",
        plain,
        optional=_POINT,
        takes_link=True,
        purpose="Where it is and how it moves",
        not_with=dict.fromkeys(
            BASE_MOTION, "it is of the speeds of the joints; link_accelerations has what a moving base adds"
        ),
    )
    def jacobian_dot(
        self, q: StatesLike, qd: ArrayLike, link: str | None = None, *, point: ArrayLike | None = None, out: Out = None
    ) -> Floats:
        """Time derivative of the Jacobian of a link, `robot.jacobian_dot(q, qd, link)`; with `point=`, (..., 3), of
        that point, which is fixed in the link's frame.

        >>> import loadpath as lp
        >>> lp.catalog.planar(2).jacobian_dot([0, 0], [1, 2], "link2").shape
        (6, 2)
        """

    @compiled(momenta.center_of_mass, "(q)->(3)", reframed, check=check_mass, purpose="Where it is and how it moves")
    def center_of_mass(self, q: StatesLike, *, out: Out = None) -> Floats:
        """Mass center, in the world, of the links that can move.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().center_of_mass([0, 0]).shape
        (3,)
        """

    @compiled(
        momenta.momentum,
        "(q),(n)->(3),(3)",
        reframed,
        wrap=lambda robot, linear, angular: Momentum(linear, angular),
        check=check_mass,
        purpose="Energy and momentum",
        not_with=_ON_A_BASE_AT_REST,
    )
    def momentum(self, q: StatesLike, qd: ArrayLike, *, out: Out = None) -> Momentum:
        """Momentum of the links, `.linear` and `.angular` (about the mass center), in world axes.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().momentum([0, 0], [1, 2]).linear.shape
        (3,)
        """

    @compiled(momenta.momentum_matrix, "(q)->(6,n)", reframed, check=check_mass, purpose="Energy and momentum")
    def momentum_matrix(self, q: StatesLike, *, out: Out = None) -> Floats:
        """Matrix from qd to the momentum: three rows of the linear, three of the angular about the mass center.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().momentum_matrix([0, 0]).shape
        (6, 2)
        """

    @compiled(
        operational_space.operational_space_mobility,
        "(q)->(6,6)",
        plain,
        optional=_POINT,
        takes_link=True,
        check=check_movable,
        loops=WITH_STATUS(),
        purpose="Matrices",
    )
    def operational_space_mobility(
        self,
        q: StatesLike,
        link: str | None = None,
        *,
        point: ArrayLike | None = None,
        strict: bool = True,
        out: Out = None,
    ) -> Floats:
        """Acceleration of a link (of its origin, then angular; world axes) per unit of wrench on it, the drives giving
        no force: J M^-1 J^T, with loops in the independent speeds. With `point=`, (..., 3), of that point in the link's
        frame, where the wrench acts too.

        >>> import loadpath as lp
        >>> lp.catalog.panda().operational_space_mobility([0.1] * 7).shape
        (6, 6)
        """

    @compiled(
        operational_space.operational_space_inertia,
        "(q)->(6,6)",
        plain,
        optional=_POINT,
        takes_link=True,
        wrap=existing_inertia,
        check=check_movable,
        loops=WITH_STATUS(),
        purpose="Matrices",
    )
    def operational_space_inertia(
        self,
        q: StatesLike,
        link: str | None = None,
        *,
        point: ArrayLike | None = None,
        strict: bool = True,
        out: Out = None,
    ) -> Floats:
        """Inertia felt at a link: wrench (force first, world axes, at its origin) per unit of acceleration, the inverse
        of the mobility. Where the link cannot move in every direction there is none, and the call is refused. `point=`
        as in `operational_space_mobility`.

        >>> import loadpath as lp
        >>> lp.catalog.panda().operational_space_inertia([0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.7]).shape
        (6, 6)
        """

    @compiled(configuration.integrate, "(q),(n)->(q)", plain, purpose="Coordinates")
    def integrate(self, q: ArrayLike, v: ArrayLike, *, out: Out = None) -> Floats:
        """Coordinates after one second at constant speeds v; after another time, give v times that. A sum, but for
        joints with a quaternion, whose speeds are constant in the child's axes.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().integrate([0.1, 0.2], [1, 2]).tolist()
        [1.1, 2.2]
        """

    @compiled(configuration.difference, "(q),(q)->(n)", plain, purpose="Coordinates")
    def difference(self, q: ArrayLike, to: ArrayLike, *, out: Out = None) -> Floats:
        """Constant speeds that lead from q to other coordinates in one second, quaternions the shorter way round.

        >>> import loadpath as lp
        >>> free = lp.catalog.panda().floating()
        >>> there = free.integrate(free.neutral(), [0.2] * 13)
        >>> bool((abs(free.difference(free.neutral(), there) - 0.2) < 1e-12).all())
        True
        """

    # Motion in time

    @compiled(
        time_stepping.runge_kutta_step,
        "(q),(n),(n),()->(q),(n)",
        reduced,
        optional=GRAVITY,
        takes_external=True,
        check=check_steppable,
        loops=WITH_STATUS(passive_chains=False),
        purpose="Forward dynamics",
        not_with=_ON_A_BASE_AT_REST,
    )
    def step(
        self,
        q: StatesLike,
        qd: ArrayLike,
        tau: ArrayLike,
        step: ArrayLike,
        *,
        strict: bool = True,
        out: Out = None,
        **acting: Unpack[WrenchKeywords],
    ) -> tuple[Floats, Floats]:
        """Coordinates and speeds one step of given length (s) later, by the method of Runge and Kutta: fourth order,
        with forces of the drives held over the step. Many steps: `rollout`; with error control: `simulate`. With loops,
        which are closed again to rounding at its end, forces are those at all joints, and dead points are passed.

        >>> import loadpath as lp
        >>> q, qd = lp.catalog.two_link().step([0.1, 0.2], [0, 0], [0, 0], 0.001)
        >>> bar = lp.catalog.four_bar()
        >>> q, qd = bar.step(bar.home, [0, 0, 0], [1.0, 0, 0], 0.001)
        >>> bool(bar.closure(q).max() < 1e-14)
        True
        """

    # Energy

    @compiled(
        energy.kinetic_energy,
        "(q),(n)->()",
        reframed,
        purpose="Energy and momentum",
        not_with=_ON_A_BASE_AT_REST,
    )
    def kinetic_energy(self, q: StatesLike, qd: ArrayLike, *, out: Out = None) -> Floats:
        """Kinetic energy (J), rotors included.

        >>> import loadpath as lp
        >>> float(lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1).kinetic_energy([0, 0], [1, 0]).round(12))
        2.5
        """

    @compiled(energy.potential_energy, "(q)->()", reframed, optional=GRAVITY, purpose="Energy and momentum")
    def potential_energy(self, q: StatesLike, *, out: Out = None, **acting: Unpack[GravityKeywords]) -> Floats:
        """Potential energy (J) of the links that can move, zero for mass at the world's origin.

        >>> import loadpath as lp
        >>> float(lp.catalog.two_link().with_gravity((0, 0, 0)).potential_energy([0.3, 0.4]))
        0.0
        """
