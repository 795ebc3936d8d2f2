"""A base with robots on it, standing on the ground: `base.carrying(robot)`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError
from loadpath.loads.wrench import Wrench
from loadpath.mobile import kinematics
from loadpath.mobile.arrangement import Arrangement
from loadpath.mobile.base import WheeledBase
from loadpath.mobile.friction import WheelFriction
from loadpath.mobile.ground import Ground
from loadpath.mobile.motions import base_components
from loadpath.mobile.quantities import RoverQuantities
from loadpath.robot.model import Joint, Link, RobotModel

if TYPE_CHECKING:
    from loadpath.api import Robot

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Rover(RoverQuantities):
    """Robots on a wheeled base, on the ground.

    `q`, `qd`, `qdd` are those of the robots, in the order of `rover.robot.dof_names`. `velocity` of the base is (v, w)
    or (v_x, v_y, w): of the base frame's origin along the base's own axes (m/s), and about its z (rad/s); a tuple has
    the components (numbers or arrays), an array has them on its last axis. `acceleration` has the rates of these
    numbers. `heading` (rad) tells how the base stands on a slope: see `lp.Ground`. `steering` has the angles of steered
    wheels and casters against the base's x axis; left out, they follow the velocity. All of them have batch axes
    in front, which broadcast. External wrenches "in world axes" are in those of the base.

    >>> import loadpath as lp
    >>> lp.catalog.lau_rover()
    <Rover 'rover': 3 contacts, carrying 3 degrees of freedom>
    """

    base: WheeledBase
    robot: Robot
    """One robot whose root link is the base, without the wheels' freedoms."""
    ground: Ground

    # What compiled quantities ask of their subject

    @property
    def name(self) -> str:
        """Name of the base."""
        return self.base.name

    @property
    def n(self) -> int:
        """Degrees of freedom of the robots on the base."""
        return self.robot.n

    @property
    def nq(self) -> int:
        """Coordinates of the robots on the base."""
        return self.robot.nq

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links, the base first."""
        return self.robot.link_names

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Joints of the robots, their mounts among them."""
        return self.robot.joints

    def link(self, name: str) -> Link:
        """The link of that name."""
        return self.robot.link(name)

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """What the letters in signatures stand for: those of the robot, and `c` for the contacts."""
        return {**self.robot.sizes, "c": len(self.base.wheels)}

    @cached_property
    def code_key(self) -> str | None:
        """Rovers with equal ones share compiled code."""
        if self.robot.code_key is None:
            return None
        content = repr((self.robot.code_key, self.base, self.ground))
        return hashlib.sha256(content.encode()).hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for key, value in state.items():
            object.__setattr__(self, key, value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rover):
            return NotImplemented
        return (self.base, self.robot, self.ground) == (other.base, other.robot, other.ground)

    def __hash__(self) -> int:
        return hash((self.base, self.robot, self.ground))

    def __repr__(self) -> str:
        slope = f", on a slope of {self.ground.slope:.4g} rad" if self.ground.slope else ""
        return f"<Rover '{self.name}': {len(self.base.wheels)} contacts, carrying {self.n} degrees of freedom{slope}>"

    # Names, and parts seen otherwise

    @property
    def contact_names(self) -> tuple[str, ...]:
        """Names of the wheels and feet: columns of normals, forces and rates."""
        return self.base.contact_names

    @property
    def steerable_names(self) -> tuple[str, ...]:
        """Names of the wheels with a steering angle, casters among them: columns of `steering`."""
        return kinematics.steerable_names(self.arrangement)

    @cached_property
    def arrangement(self) -> Arrangement:
        """The contacts as arrays."""
        return Arrangement(self.base)

    @cached_property
    def planar(self) -> Robot:
        """The robot on a planar joint: x and y of the base in the frame of the ground (x uphill), its heading, and the
        robots' coordinates behind them. Its wheels hold it nowhere: that is left to constraints and contact forces.

        >>> import loadpath as lp
        >>> lp.catalog.lau_rover().planar.n
        6
        """
        from loadpath.mobile.mounting import on_planar_joint

        return on_planar_joint(self.robot, self.ground)

    def friction_of(self, contact: str) -> WheelFriction | None:
        """Friction at a contact: its own, else the ground's, else the base's."""
        if contact not in self.contact_names:
            raise ValueError(f"no contact '{contact}'; there are {', '.join(self.contact_names)}")
        wheel = self.base.wheels[self.contact_names.index(contact)]
        return wheel.friction or self.ground.friction or self.base.friction

    @cached_property
    def frictions(self) -> Mapping[str, Floats]:
        """Coefficients of all contacts by their names `sliding`, `static`, `rolling`, each (contacts,).

        >>> import loadpath as lp
        >>> lp.catalog.lau_rover().frictions["static"].tolist()
        [0.8, 0.8, 0.8]
        """
        each = [(contact, self.friction_of(contact)) for contact in self.contact_names]
        missing = [contact for contact, friction in each if friction is None]
        if missing:
            raise ModelError(f"rover '{self.name}': no friction is known of contact '{missing[0]}': give the wheel, "
                             "the ground or the base a friction=lp.WheelFriction(sliding=...)")  # fmt: skip
        return {part: np.array([getattr(f, part) for _, f in each]) for part in ("sliding", "static", "rolling")}

    @cached_property
    def rolling_friction(self) -> Floats:
        """Coefficients (contacts,) of rolling, zero where no friction is known."""
        known = [self.friction_of(contact) for contact in self.contact_names]
        return np.array([0.0 if friction is None else friction.rolling for friction in known])

    # Other rovers from this one

    def carrying(self, robot: RobotModel, at: Any = None, *, prefix: str | None = None) -> Rover:
        """The rover with one robot more on it: see `WheeledBase.carrying`. Its joints come behind those there are.

        >>> import loadpath as lp
        >>> lp.catalog.lau_rover().carrying(lp.catalog.two_link(), at=(0.3, 0, 0.2)).n
        5
        """
        from loadpath.mobile.mounting import welded

        return replace(self, robot=welded(self.robot, robot, at, prefix, self.ground))

    def on(self, ground: Ground) -> Rover:
        """The rover on another ground.

        >>> import loadpath as lp
        >>> lp.catalog.lau_rover().on(lp.Ground(slope=0.1)).ground.slope
        0.1
        """
        if not isinstance(ground, Ground):
            raise ValueError(f"ground is {ground!r}: expected an lp.Ground")
        return replace(self, robot=replace(self.robot, gravity=(0.0, 0.0, -ground.gravity)), ground=ground)

    def with_payload(
        self,
        mass: float,
        center_of_mass: Sequence[float] = (0.0, 0.0, 0.0),
        *,
        inertia: Any = None,
        link: str | None = None,
        name: str = "payload",
    ) -> Rover:
        """The rover carrying a payload on a link: see `Robot.with_payload`.

        >>> import loadpath as lp
        >>> lp.catalog.lau_rover().with_payload(2.0, link="rod").robot.link_names[-1]
        'payload'
        """
        loaded = self.robot.with_payload(mass, center_of_mass, inertia=inertia, link=link, name=name)
        return replace(self, robot=loaded)

    # Loads

    def ground_wrench(
        self,
        q: Any,
        qd: Any = None,
        qdd: Any = None,
        *,
        velocity: Any = None,
        acceleration: Any = None,
        heading: Any = None,
        external: Mapping[str, Wrench] | None = None,
    ) -> Wrench:
        """Force (N) and moment (N m) of the ground on the rover, for arm and base to move as they do: about the origin
        of the base frame, in its axes. Speeds and accelerations that are left out are zero.

        >>> import loadpath as lp
        >>> lp.catalog.lau_rover().ground_wrench([0, 0, 0.5]).force.round(9).tolist()      # 12 kg at rest
        [0.0, 0.0, 117.72]
        """
        still = np.zeros(self.n)
        options: dict[str, Any] = {"external": external}
        if velocity is not None or acceleration is not None:
            options["velocity"] = base_components((0.0, 0.0) if velocity is None else velocity, "velocity")
            change = (0.0, 0.0) if acceleration is None else acceleration
            options["acceleration"] = base_components(change, "acceleration")
        if self.ground.slope:
            options["heading"] = np.asarray(0.0 if heading is None else heading, dtype=float)
        force, torque = self.compiled_ground_wrench(
            q, still if qd is None else qd, still if qdd is None else qdd, **options
        )
        return Wrench(force, torque, axes="link")

    # How wheels and base move together

    def wheel_motion(self, velocity: Any, steering: Any = None) -> kinematics.WheelMotion:
        """Rate, steering angle and scrub of every wheel for a velocity of the base.

        >>> import loadpath as lp
        >>> motion = lp.catalog.lau_rover().wheel_motion((0.5, 1.0))
        >>> motion.rate[1:].round(9).tolist(), bool(motion.scrubs)         # (v -+ w d)/R
        ([2.0, 8.0], False)
        """
        return kinematics.wheel_motion(self.arrangement, base_components(velocity, "velocity"), steering)

    def base_motion(
        self, rates: Any, steering: Any = None, *, wheels: Sequence[str] | None = None
    ) -> kinematics.BaseMotion:
        """Velocity of the base from the rates of its wheels (rad/s), in the sense of least squares, with what each
        wheel slides all the same. `rates` are those of all wheels but casters, or of the `wheels` named. Steering
        angles are zero if they are not given.

        >>> import loadpath as lp
        >>> lp.catalog.lau_rover().base_motion([2.0, 8.0]).velocity.round(9).tolist()
        [0.5, 0.0, 1.0]
        """
        return kinematics.base_motion(self.arrangement, rates, steering, wheels)

    def constraint_matrix(self, steering: Any = None, *, rates: bool = False) -> Floats:
        """Nonholonomic constraints of wheels that roll and do not slide: A (v_x, v_y, w) = 0, (..., rows, 3), a row for
        each fixed or steered wheel and two for each foot. With `rates=True`, A (v_x, v_y, w, wheel rates) = 0, with
        columns for all wheels but casters and a row more for each of them.

        >>> import loadpath as lp
        >>> (lp.catalog.lau_rover().constraint_matrix() + 0.0).tolist()     # neither wheel lets O move sideways
        [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
        """
        return kinematics.constraint_matrix(self.arrangement, steering, rates=rates)

    def rotation_axis(self, steering: Any = None) -> kinematics.RotationAxis:
        """The axis about which the wheels let the base turn, if they have one in common.

        >>> import loadpath as lp
        >>> print(lp.catalog.lau_rover().rotation_axis())
        it can turn about any point of a line
        """
        return kinematics.rotation_axis(self.arrangement, steering)

    def instantaneous_axis(self, velocity: Any) -> Floats:
        """The point (..., 2) of the base frame about which a base with that velocity turns, at this instant.

        >>> import loadpath as lp
        >>> lp.catalog.lau_rover().instantaneous_axis((0.5, 1.0)).tolist()
        [0.0, 0.5]
        """
        return kinematics.axis_of(base_components(velocity, "velocity"))
