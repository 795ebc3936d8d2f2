"""The table of compiled quantities of a robot, `RobotQuantities`, and its last part, a line each: statics, reactions in
any direction, links on a base that moves, and the base that nobody holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from loadpath.algorithms import directed_reaction as reaction
from loadpath.algorithms import free_base, link_motion
from loadpath.algorithms.loops import reactions
from loadpath.algorithms.loops.checks import check_moved
from loadpath.engine.quantity import compiled_quantities
from loadpath.formulations import newton_euler
from loadpath.mechanics.wrenches import BASE_MOTION, GRAVITY, ON_BASE
from loadpath.quantities.declared import compiled
from loadpath.quantities.link_motions import FreeBaseMotion, LinkMotions, check_free
from loadpath.quantities.loops import WITH_REACTIONS, WITH_WRENCHES, check_held_still, wrenches_of
from loadpath.quantities.motion import MotionQuantities
from loadpath.quantities.wrench import Wrench
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reduced, reframed

if TYPE_CHECKING:
    from loadpath.quantities.declared import Out
    from loadpath.quantities.load_keywords import DriveLoadKeywords, LoadKeywords, RestingLoadKeywords
    from loadpath.quantities.wrench import JointWrenches
    from loadpath.scalars.types import ArrayLike, Floats
    from loadpath.states import StatesLike
    from loadpath.states.load_case import LoadCase


@dataclass(frozen=True, eq=False, repr=False)  # frozen for attributes that are no fields, too
class RobotQuantities(MotionQuantities):
    """A robot with all of its compiled quantities."""

    @compiled(
        reactions.static_wrenches,
        "(q)->(j,3),(j,3)",
        reframed,
        optional=GRAVITY,
        takes_external=True,
        check=check_held_still,
        wrap=wrenches_of,
        loops=WITH_WRENCHES(signature="(q)->(w,3),(w,3)"),
        purpose="Loads of every joint",
        not_with=dict.fromkeys(BASE_MOTION, "all is at rest; joint_wrenches is of any motion"),
    )
    def static_wrenches(
        self,
        q: StatesLike,
        *,
        compliances: Mapping[str, float | Sequence[float]] | None = None,
        strict: bool = True,
        out: Out = None,
        **acting: Unpack[RestingLoadKeywords],
    ) -> JointWrenches:
        """Force (N) and torque (N m) at every joint, and loop, of the robot at rest, under gravity and `external=`; as
        in `joint_wrenches`: at the joint's origin, in the child's joint frame, by the parent on the child.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)                             # stretched out along x, 1 m and 1 kg a link
        >>> hook = {"tip": lp.Wrench(force=(0, 0, -100))}
        >>> float(arm.static_wrenches([0, 0], external=hook)["joint1"].torque[2].round(9))
        219.62
        """

    @compiled(
        newton_euler.base_wrench,
        "(q),(n),(n)->(3),(3)",
        reduced,
        optional=ON_BASE,
        takes_external=True,
        wrap=lambda robot, force, torque: Wrench(force, torque, axes="link"),
        purpose="Loads of every joint",
    )
    def base_wrench(
        self, q: StatesLike, qd: ArrayLike, qdd: ArrayLike, *, out: Out = None, **acting: Unpack[LoadKeywords]
    ) -> Wrench:
        """Force (N) and torque (N m) that the surroundings must exert on the root link, at the origin and in the axes
        of its frame, to hold the robot in this motion: what a foundation, a vehicle or a ship's deck carries. Weight
        and inertia of the root link itself are in it; wrenches in `external=` are not, they help. `base_velocity=`
        and `base_acceleration=` as in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1)
        >>> arm.base_wrench([0, 0], [0, 0], [0, 0]).force.round(12).tolist()
        [0.0, 0.0, 19.6]
        """

    @compiled(
        reaction.force_along,
        "(q),(n),(n),(3)->()",
        reframed,
        optional=ON_BASE,
        choices={"joint": None, "axes": "joint"},
        takes_external=True,
        check=check_moved,
        wrap=lambda robot, value: value,
        loops=WITH_REACTIONS(),
        purpose="Loads of every joint",
    )
    def force_along(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        direction: ArrayLike,
        *,
        joint: str | None = None,
        axes: str = "joint",
        compliances: Mapping[str, float | Sequence[float]] | None = None,
        strict: bool = True,
        out: Out = None,
        **acting: Unpack[DriveLoadKeywords],
    ) -> Floats:
        """Force (N) at a joint along any direction, `robot.force_along(q, qd, qdd, direction, joint="joint2")`, exerted
        by the parent on the child. `direction` is (..., 3), of any length, in the child's joint frame, or with
        `axes="world"` in world axes. `external=`, `base_velocity=` and `base_acceleration=` as in `inverse_dynamics`.
        Also of loops, by the first link on the second, in the loop's frame `on`; options as in `joint_wrenches`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)                             # stretched out along x, 1 m and 1 kg a link
        >>> float(arm.force_along([0, 0], [0, 0], [0, 0], [0, 2, 0], joint="joint2").round(9))          # y is up there
        9.81
        """

    @compiled(
        reaction.torque_about,
        "(q),(n),(n),(3)->()",
        reframed,
        optional={"point": (3,), **ON_BASE},
        choices={"joint": None, "axes": "joint"},
        takes_external=True,
        check=check_moved,
        wrap=lambda robot, value: value,
        loops=WITH_REACTIONS(),
        purpose="Loads of every joint",
    )
    def torque_about(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        direction: ArrayLike,
        *,
        point: ArrayLike | None = None,
        joint: str | None = None,
        axes: str = "joint",
        compliances: Mapping[str, float | Sequence[float]] | None = None,
        strict: bool = True,
        out: Out = None,
        **acting: Unpack[DriveLoadKeywords],
    ) -> Floats:
        """Torque (N m) at a joint about any line, `robot.torque_about(q, qd, qdd, direction, joint="joint2")`, exerted
        by the parent on the child. The line goes through the joint's origin or through `point=`, (..., 3), counted
        from there; `direction` is of any length; both are in the child's joint frame, or with `axes="world"` in world
        axes. `external=`, `base_velocity=` and `base_acceleration=` as in `inverse_dynamics`; loops as in
        `force_along`.

        >>> import loadpath as lp
        >>> arm, still = lp.catalog.planar(2), [0, 0]              # stretched out along x, 1 m and 1 kg a link
        >>> float(arm.torque_about(still, still, still, [0, 0, 1], joint="joint1").round(9))
        19.62
        >>> float(arm.torque_about(still, still, still, [0, 0, 1], joint="joint1", point=[0.5, 0, 0]).round(9))
        9.81
        """

    # Links on a base that moves

    @compiled(
        link_motion.link_velocities,
        "(q),(n)->(l,3),(l,3)",
        plain,
        optional={"base_velocity": (6,)},
        wrap=lambda robot, linear, angular: LinkMotions(linear, angular, robot.link_names),
        purpose="Where it is and how it moves",
    )
    def link_velocities(
        self, q: StatesLike, qd: ArrayLike, *, base_velocity: ArrayLike | None = None, out: Out = None
    ) -> LinkMotions:
        """Velocity (m/s) of the origin of every link's frame and angular velocity (rad/s), `.linear` and `.angular`,
        each (..., links, 3), in world axes; `base_velocity=` as in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)
        >>> arm.link_velocities([0, 0], [1, 0])["tip"].linear.round(12).tolist()
        [0.0, 0.0, 2.0]
        """

    @compiled(
        link_motion.link_accelerations,
        "(q),(n),(n)->(l,3),(l,3)",
        plain,
        optional=BASE_MOTION,
        wrap=lambda robot, linear, angular: LinkMotions(linear, angular, robot.link_names),
        purpose="Where it is and how it moves",
    )
    def link_accelerations(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        base_velocity: ArrayLike | None = None,
        base_acceleration: ArrayLike | None = None,
        out: Out = None,
    ) -> LinkMotions:
        """Acceleration (m/s^2, of the motion alone, without gravity) of the origin of every link's frame and angular
        acceleration (rad/s^2), `.linear` and `.angular`, each (..., links, 3), in world axes; `base_velocity=` and
        `base_acceleration=` as in `inverse_dynamics`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)
        >>> arm.link_accelerations([0, 0], [1, 0], [3, 0])["tip"].linear.round(12).tolist()
        [-2.0, 0.0, 6.0]
        """

    # The base that nobody holds

    @compiled(
        free_base.free_base_motion,
        "(q),(n),(n)->(6),(6)",
        reduced,
        optional={"momentum": (6,)},
        takes_external=True,
        wrap=lambda robot, velocity, acceleration: FreeBaseMotion(velocity, acceleration),
        check=check_free,
        purpose="Free bases",
    )
    def free_base_motion(
        self,
        q: StatesLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        external: Mapping[str, Wrench] | None = None,
        momentum: ArrayLike | None = None,
        under: LoadCase | None = None,
        out: Out = None,
    ) -> FreeBaseMotion:
        """How the root link moves if nothing holds it, as in space, while the joints move as given: `.velocity` and
        `.acceleration`, each (..., 6), of the root link's origin, then angular, in the root link's axes; to be handed
        on as `base_velocity=` and `base_acceleration=`. The whole has the momentum `momentum=`, (..., 6): linear, and
        angular about its mass center, in the root link's axes; none if not given. Gravity lets the whole fall, which
        the arm does not feel.

        >>> import loadpath as lp
        >>> arm = lp.catalog.random_chain(3, 1)
        >>> free = arm.free_base_motion([0.1, 0.2, 0.3], [1, 2, 3], [4, 5, 6])
        >>> motion = {"base_velocity": free.velocity, "base_acceleration": free.acceleration}
        >>> bool((abs(arm.base_wrench([0.1, 0.2, 0.3], [1, 2, 3], [4, 5, 6], **motion).force) < 1e-9).all())
        True
        """

    @compiled(
        free_base.generalized_jacobian,
        "(q)->(6,n)",
        plain,
        optional={"point": (3,)},
        takes_link=True,
        check=check_free,
        purpose="Free bases",
    )
    def generalized_jacobian(
        self, q: StatesLike, link: str | None = None, *, point: ArrayLike | None = None, out: Out = None
    ) -> Floats:
        """Jacobian of a link, `robot.generalized_jacobian(q, link)`, of a robot that floats without momentum (Umetani
        and Yoshida): velocity of its frame's origin above its angular velocity, in the root link's axes, per unit of
        each joint's speed. It counts that the base gives way; the root link has one too. `point=` as in `jacobian`.

        >>> import loadpath as lp
        >>> arm = lp.catalog.random_chain(3, 1)
        >>> held, free = arm.jacobian([0, 0, 0]), arm.generalized_jacobian([0, 0, 0])
        >>> bool(abs(held - free).max() > 0.1)
        True
        """


# A class made from the table, for what gives the robot back that it was given.
if TYPE_CHECKING:
    from typing_extensions import TypeVar

    R = TypeVar("R", bound=RobotQuantities, default=RobotQuantities)
    R_co = TypeVar("R_co", bound=RobotQuantities, default=RobotQuantities, covariant=True)
else:
    from typing import TypeVar

    R, R_co = TypeVar("R"), TypeVar("R_co")

# Docstrings of descriptors are not found by doctest; these are.
__test__ = {f"Robot.{key}": value.__doc__ or "" for key, value in compiled_quantities(RobotQuantities).items()}
