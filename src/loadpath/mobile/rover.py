"""A base with robots on it, standing on the ground: `base.carrying(robot)`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Never, Unpack, cast

import numpy as np

from loadpath.api import Robot
from loadpath.api.kinds import Kind
from loadpath.cached import cached_property, kept
from loadpath.engine.arguments import DEFAULT
from loadpath.engine.attached import Attached, attach_wheels
from loadpath.engine.over_designs import over_designs
from loadpath.engine.refused import Refused
from loadpath.errors import ModelError
from loadpath.in_room import InRoom
from loadpath.mobile import kinematics, moving
from loadpath.mobile.arrangement import Arrangement
from loadpath.mobile.base_in_space import moves_or_is_uneven
from loadpath.mobile.families import family as rover_family
from loadpath.mobile.families import reads_more
from loadpath.mobile.fastest import fastest, from_planar
from loadpath.mobile.linearization import linearize
from loadpath.mobile.links import Linkage
from loadpath.mobile.load_slopes import wheel_load_derivatives
from loadpath.mobile.loads import Split, WheelLoads, warn_of_unsupplied, wheel_loads
from loadpath.mobile.motions import (
    MOVES_BY,
    BaseState,
    arm_states,
    as_numbers,
    base_components,
    base_state_of,
    in_space,
    unknown_heading,
)
from loadpath.mobile.mounting import mounted, on_planar_joint, welded
from loadpath.mobile.on_base import carried
from loadpath.mobile.posture import posture
from loadpath.mobile.quantities import RoverQuantities
from loadpath.mobile.ride import ride_modes
from loadpath.mobile.simulate import roll
from loadpath.mobile.slip import Slip, slip
from loadpath.mobile.stability import Stability, stability
from loadpath.mobile.standards import Standards
from loadpath.mobile.standards.largest import largest_acceleration, largest_payload, largest_slope, largest_speed
from loadpath.mobile.state import is_uneven, state_at
from loadpath.mobile.support import Edges, edges_of
from loadpath.mobile.verdict import verdict
from loadpath.mobile.wheel_breakdown import wheel_load_breakdown
from loadpath.mobile.wheel_peaks import peak_loads
from loadpath.mobile.worst_case import worst_case
from loadpath.parts.fitting import with_parts, without_parts
from loadpath.parts.verdict import largest as how_far
from loadpath.quantities.wrench import Wrench
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Fitted
from loadpath.robot.pose import PoseLike
from loadpath.robot.wheels.base import BaseModel, under_body
from loadpath.robot.wheels.ground import Ground, WheelFriction
from loadpath.robot.wheels.ground_motion import GroundState
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.simulate import simulate
from loadpath.states import StatesLike, refuse_keywords, warn_of_unknown
from loadpath.states.reading import loads_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from loadpath.equations import Choice, Letters
    from loadpath.handling import duty as duty_maps
    from loadpath.mobile.symbols import RoverInSymbols
    from loadpath.parts.fitting import WheelRating
    from loadpath.structure import compensation, deflection, extremes, pictures
    from loadpath.structure import stress as stresses
    from loadpath.structure.fatigue import assessment
    from loadpath.structure.response import frequency_response, respond, shaped
    from loadpath.structure.vibration import bandwidth, buckling, frequencies, frequency_map
    from loadpath.viewer.view import view as in_browser

    R = TypeVar("R")

    def _on_base(of_robot: Callable[..., R]) -> Callable[..., R]: ...


@dataclass(frozen=True, kw_only=True)
class WheeledBase(BaseModel):
    """A rigid body on wheels and feet, three or more, not in a line.

    The base frame lies on the ground: x forward, y left, z up. `mass` (kg), `center_of_mass` (m, in the base frame) and
    `inertia` (kg m^2, 3 x 3, about the mass center, in base axes) are those of the whole body with its wheels.
    `friction` is that of all contacts that have none of their own; without any, slip cannot be asked for, and nothing
    resists rolling. Contacts without a name are called wheel1, wheel2, ... in the order given. With `guess=True` all of
    these are guesses, and a verdict says so. `body_points` (m, in the base frame) are where its body hits the ground if
    it rolls over in a simulation.

    >>> import loadpath as lp
    >>> cart = lp.WheeledBase(mass=40, center_of_mass=(0.2, 0, 0.3),
    ...                       wheels=[lp.CasterWheel((0.6, 0), 0.1), lp.FixedWheel((0, 0.3), 0.1),
    ...                               lp.FixedWheel((0, -0.3), 0.1)])
    >>> cart.contact_names
    ('wheel1', 'wheel2', 'wheel3')
    >>> lp.WheeledBase(mass=40, center_of_mass=(0, 0, 0.3), wheels=[lp.FixedWheel((0, y), 0.1) for y in (-1, 0, 1)])
    Traceback (most recent call last):
    loadpath.errors.ModelError: base 'rover': its contacts lie in a line, (0.0, -1.0) to (0.0, 1.0): it would fall over
    """

    def carrying(
        self,
        robot: RobotModel | None = None,
        at: PoseLike | None = None,
        *,
        prefix: str | None = None,
        ground: Ground | None = None,
    ) -> Rover:
        """The base with a robot mounted on it, on level ground unless one is given; without a robot, the base alone.

        `at` is the pose of the robot's own base link in the base frame: an `lp.Pose`, a 4 x 4 matrix or a position. For
        several robots, call `carrying` of the rover again. `prefix` goes before the names of the robot's links and
        joints; without one, its own name does where names would be taken twice.

        >>> import loadpath as lp
        >>> rover = lp.catalog.lau_rover().base.carrying(lp.catalog.two_link(), at=(0.2, 0, 0.4))
        >>> rover.n, rover.robot.link_names[0]
        (2, 'rover')
        """
        ground = Ground() if ground is None else ground
        if not isinstance(ground, Ground):
            raise ModelError(f"ground is {ground!r}: expected a Ground like lp.Ground(slope=0.1)")
        return Rover(self, mounted(self, robot, at, prefix, ground), ground)


class _RoverKind(Kind):
    """The class of `Rover`: it makes robots of a base and a robot."""

    def __call__(cls, *values: Any, **named: Any) -> Any:  # noqa: N805  # of a class of classes
        return Robot(**_data(*values, **named)) if cls is Rover else type.__call__(cls, *values, **named)

    @property
    def __signature__(cls) -> inspect.Signature:  # noqa: N805
        return inspect.signature(_data).replace(return_annotation=inspect.Signature.empty)


class Rover(RoverQuantities, Robot, metaclass=_RoverKind):  # whose names may mean other things
    """Robots on a wheeled base, on the ground: a robot whose root link is the base, with all that robots have.

    `q`, `qd`, `qdd` are those of the robots, in the order of `dof_names`; an `lp.Motion` or a simulation in
    place of `q` brings all three. `velocity` of the base is (v, w)
    or (v_x, v_y, w): of the base frame's origin along the base's own axes (m/s), and about its z (rad/s); a tuple has
    the components (numbers or arrays), an array has them on its last axis. `acceleration` has the rates of these
    numbers. `heading` (rad) is how the base stands on a slope: see `lp.Ground`. `steering` has the angles of steered
    wheels and casters against the base's x axis, in the order of `steerable_names` or by names (others zero); left out,
    they follow the velocity. All of them have batch axes
    in front, which broadcast. External wrenches "in world axes" are in those of the base.

    What a robot has and a rover does not change is that of the robots on the base, while it moves as given:
    `joint_wrenches`, `load_breakdown`, `inverse_dynamics`, ... take `velocity=`, `acceleration=` and `heading=`;
    edits (`locked`, `with_limits`, ...) give a rover again. Of what bends (`deflection`, ...) displacements "in world
    axes" are in those of the base frame before the base gives way. The base itself is rigid; so are its wheels, unless
    they have a `stiffness`: see `loadpath.mobile.on_base`.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover()
    >>> rover
    <Rover 'rover': 3 contacts, carrying 3 degrees of freedom>
    >>> isinstance(rover, lp.Robot), rover.locked({"theta2": 0.1}).n
    (True, 2)
    >>> rover.joint_wrenches([0, 0, 0.5], [0, 0, 0], [0, 0, 0], velocity=(1.0, 0.2)).force.shape
    (4, 3)
    """

    _stands_for, _told_by = Attached(wheels=True), ("wheels",)

    if TYPE_CHECKING:
        wheeled_base: WheeledBase  # it has them all
        ground: Ground
        ratings: tuple[tuple[str, WheelRating], ...]

        @property
        def base(self) -> WheeledBase:  # type: ignore[override]
            """What it stands on: the body that is the root link of its robots, with its wheels and feet."""

        @property
        def on_fixed_base(self) -> Robot:  # type: ignore[override]
            """The robots that it carries, the base at rest."""

    def __init__(
        self,
        base: BaseModel | None = None,
        robot: Robot | None = None,
        ground: Ground | None = None,
        ratings: tuple[tuple[str, Fitted], ...] = (),
        **others: object,
    ) -> None:
        super().__init__(**_data(base, robot, ground, ratings, **others))

    @property
    def robot(self) -> Robot:
        """One robot whose root link is the base, without the wheels' freedoms; its own gravity is that of level ground.
        """
        return self.on_fixed_base if not self.ground.slope else _under(self, (0.0, 0.0, -self.ground.gravity))

    def facing(self, heading: ArrayLike) -> Robot:
        """The robots on the base at rest, under gravity as it acts on it with a heading (rad): one robot whose root
        link is the base. Of several headings, the first.

        >>> import loadpath as lp
        >>> [round(g, 3) for g in lp.catalog.lau_rover().on(lp.Ground(slope=0.3)).facing(0.0).gravity]
        [-2.899, 0.0, -9.372]
        """
        facing = float(next(iter(np.ravel(as_numbers(heading, "heading"))), 0.0)) if self.ground.slope else 0.0
        x, y, z = self.ground.gravity_in_base(facing).tolist()
        return _under(self, (x, y, z))

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
        return Arrangement(self.base, self.linkage)

    @cached_property
    def linkage(self) -> Linkage | None:
        """The contacts on links of its robots, and the passive joints; None where all contacts are on the base."""
        return Linkage(self) if self.base.on_links else None

    @property
    def standards(self) -> Standards:
        """Tests after standards and practice, one call each: `tilt_table`, `rollover_threshold`, `crane_stability`,
        `outrigger_pressure`, `braking`, `cornering`, `parking_slope`, `emergency_stop`, `kerb`.

        >>> import loadpath as lp
        >>> lp.catalog.lau_rover().standards.cornering([0, 0, 0.5], speed=0.5, radius=1.0).title
        'cornering'
        """
        return Standards(self)

    @cached_property
    def planar(self) -> Robot:
        """The robot on a planar joint: x and y of the base in the frame of the ground (x uphill), its heading, and the
        robots' coordinates after them. Its wheels hold it nowhere: that is left to constraints and contact forces.

        >>> import loadpath as lp
        >>> lp.catalog.lau_rover().planar.n
        6

        Its equations in symbols are those of base and robots together, and what its first joint carries is the wrench
        of the ground:

        >>> found = lp.catalog.lau_rover().planar.equations(parameters="symbols")
        >>> found.wrenches_by_cause["ground_joint"]["gravity",].force[2]
        g*(m1 + m3 + m5)
        """
        return on_planar_joint(self.robot, self.ground)

    def friction_of(self, contact: str) -> WheelFriction | None:
        """Friction at a contact: its own, else the ground's, else the base's.

        >>> import loadpath as lp
        >>> lp.catalog.lau_rover(friction=lp.WheelFriction(0.6)).friction_of("wheel1").sliding
        0.6
        """
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
                             "the ground or the base a friction=lp.WheelFriction(sliding=...)")
        return {part: np.array([getattr(f, part) for _, f in each]) for part in ("sliding", "static", "rolling")}

    @cached_property
    def rolling_friction(self) -> Floats:
        """Coefficients (contacts,) of rolling, zero where no friction is known."""
        known = [self.friction_of(contact) for contact in self.contact_names]
        return np.array([0.0 if friction is None else friction.rolling for friction in known])

    # Other rovers from this one

    family = rover_family

    def carrying(self, robot: RobotModel, at: PoseLike | None = None, *, prefix: str | None = None) -> Rover:
        """The rover with one robot more on it: see `WheeledBase.carrying`. Its joints come after those there are.

        >>> import loadpath as lp
        >>> lp.catalog.lau_rover().carrying(lp.catalog.two_link(), at=(0.3, 0, 0.2)).n
        5
        """
        carrying: Rover = self._with_robot(welded(self.base, self.on_fixed_base, robot, at, prefix, self.ground))
        return carrying

    def on(self, ground: Ground) -> Rover:
        """The rover on another ground.

        >>> import loadpath as lp
        >>> lp.catalog.lau_rover().on(lp.Ground(slope=0.1)).ground.slope
        0.1
        """
        if not isinstance(ground, Ground):
            raise ValueError(f"ground is {ground!r}: expected an lp.Ground")
        return replace(self, ground=ground)

    if TYPE_CHECKING:
        view = in_browser
    else:
        view = InRoom("loadpath.viewer.view")

    # Loads

    def ground_wrench(
        self,
        q: StatesLike | None = None,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        velocity: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        heading: ArrayLike | None = None,
        position: ArrayLike | None = None,
        time: ArrayLike | None = None,
        ground_state: GroundState | None = None,
        heights: ArrayLike | Mapping[str, ArrayLike] | None = None,
        external: Mapping[str, Wrench] | None = None,
        deflected: bool = False,
        **others: Never,
    ) -> Wrench:
        """Force (N) and moment (N m) of the ground on the rover, for arm and base to move as they do: about the origin
        of the base frame, in its axes. Speeds and accelerations that are left out are zero. In place of q, qd, qdd a
        motion of the robots may stand, or a simulation, which brings the motion of the base as well. Ground that moves
        does so at `time` (s), or as `ground_state` says, and counts where the base stands, `position` (x, y) in the
        frame of the ground (its origin, unless given). `deflected` is as in `wheel_loads`.

        >>> import loadpath as lp
        >>> float(lp.catalog.lau_rover().ground_wrench([0, 0, 0.5]).force[2].round(9))      # 12 kg at rest
        117.72
        """
        refuse_keywords("ground_wrench", others, MOVES_BY)
        given = {"velocity": velocity, "acceleration": acceleration, "heading": heading, "position": position,
                 "time": time, "ground_state": ground_state, "heights": heights, "external": external}
        if deflected or is_uneven(self, given):
            found = state_at(self, q, qd, qdd, cast(BaseState, given), "ground_wrench", deflected=deflected,
                             knows_space=True)
            return Wrench(found.force, found.torque, axes="link")
        base = base_state_of(self, q, given, "ground_wrench", knows_space=True)
        if base.get("in_space") is not None:
            wrench = base["in_space"].wrench
            return Wrench(wrench[..., :3], wrench[..., 3:], axes="link")
        velocity, acceleration, heading = (base.get(name) for name in ("velocity", "acceleration", "heading"))
        states = arm_states(self, q, qd, qdd, "ground_wrench")
        options: dict[str, Any] = {"external": base.get("external")}
        moves = moves_or_is_uneven(self.ground, base)
        if moves or velocity is not None or acceleration is not None:
            options["velocity"] = base_components((0.0, 0.0) if velocity is None else velocity, "velocity")
            change = (0.0, 0.0) if acceleration is None else acceleration
            options["acceleration"] = base_components(change, "acceleration")
        if moves:
            options["in_space"] = in_space(self.ground, base).row
        elif self.ground.slope or heading is not None:
            options["heading"] = as_numbers(0.0 if heading is None else heading, "heading")
        force, torque = self.compiled_ground_wrench(*states, **options)
        if heading is not None:
            force, torque = force + unknown_heading(heading), torque + unknown_heading(heading)
        return Wrench(force, torque, axes="link")

    @cached_property
    def edges(self) -> Edges:
        """Edges of the support polygon, casters at the angle 0."""
        return edges_of(self.arrangement.at_rest.points)

    def wheel_loads(
        self,
        q: StatesLike | None = None,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        split: Split = "compliance",
        deflected: bool = False,
        **motion: Unpack[BaseState],
    ) -> WheelLoads:
        """Normal and friction forces of the ground at every contact, for arm and base to move as they do. The motion of
        the base is `velocity=`, `acceleration=`, `heading=`, `steering=`, and `external=` has wrenches on links. States
        of the robots are arrays, speeds zero if left out, or a motion; a simulation brings the motion of the base, too.
        A base without robots needs none.

        Three contacts carry what balance says; more share it by their stated compliances, and may lift
        (`loadpath.mobile.normals`). How friction is shared is always an assumption: by the stated `grip_compliance`, or
        in proportion to the normal forces with `split="load"`, each contact within its friction where there is such a
        share (`loadpath.mobile.contacts.sharing`).

        `deflected=True` takes the mass of flexible robots where their beams and joints let it sag to, and that of a
        base on tyres (wheels with a `stiffness`) where these let it tilt to: in small deflections, see `deflection`.

        >>> import loadpath as lp
        >>> rover = lp.catalog.lau_rover(driven=True)
        >>> loads = rover.wheel_loads([0, 0, 0.5], velocity=(1.0, 0.0), acceleration=(0.5, 0.0))
        >>> float(loads.normal.sum().round(9)), float(loads.force[:, 0].sum().round(9))        # 12 kg
        (117.72, 6.0)
        """
        state = state_at(self, q, qd, qdd, motion, "wheel_loads", deflected=deflected, knows_space=True)
        loads = wheel_loads(self, state, split)
        warn_of_unknown(loads.unknown, "wheel_loads", "NaN there, and counted as tipping over: "
                        "see loads.unknown")
        warn_of_unsupplied(loads, "wheel_loads")
        return loads

    def stability(
        self,
        q: StatesLike | None = None,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        deflected: bool = False,
        **motion: Unpack[BaseState],
    ) -> Stability:
        """Zero-moment point, and how far the rover is from tipping over: by distance, by the force-angle measure, in
        joules and by the tilt of the ground. `deflected` is as in `wheel_loads`.

        >>> import loadpath as lp
        >>> standing = lp.catalog.lau_rover().stability([0, 0, 0.5])
        >>> standing.zero_moment_point.round(9).tolist(), bool(standing.tips_over)
        ([0.2, 0.025], False)
        >>> standing.edge, float(standing.margin.round(4))
        (('wheel1', 'wheel2'), 0.1565)
        >>> float(standing.energy_margin.round(3)), float(np.degrees(standing.tilt_margin).round(2))     # J, degrees
        (5.608, 33.85)
        """
        state = state_at(self, q, qd, qdd, motion, "stability", deflected=deflected, knows_space=True)
        found = stability(self, state, *arm_states(self, q, qd, qdd)[:2], q if loads_of(q) else None)
        warn_of_unknown(found.unknown, "stability", "NaN there, and counted as tipping over: "
                        "see stability.unknown")
        return found

    def slip(
        self,
        q: StatesLike | None = None,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        split: Split = "compliance",
        deflected: bool = False,
        **motion: Unpack[BaseState],
    ) -> Slip:
        """Friction used against friction available, wheel by wheel (friction circle). A contact slips only where no
        share of the forces keeps all of them within their friction. `deflected` is as in `wheel_loads`.

        >>> import loadpath as lp
        >>> hard = lp.catalog.lau_rover(driven=True).slip([0, 0, 0.5], velocity=(1.0, 0.0), acceleration=(-6.0, 0.0))
        >>> hard.slips.tolist(), hard.worst
        ([False, True, True], 'wheel3')
        """
        state = state_at(self, q, qd, qdd, motion, "slip", deflected=deflected, knows_space=True)
        found = slip(self, state, wheel_loads(self, state, split))
        warn_of_unknown(found.unknown, "slip", "all contacts counted as slipping there: see slip.unknown")
        warn_of_unsupplied(found.loads, "slip")
        return found

    def equations(
        self,
        formulation: str = DEFAULT,
        parameters: Choice | None = None,
        *,
        letters: Letters | None = None,
        shapes: bool = True,
    ) -> RoverInSymbols:
        """Equations of motion as SymPy expressions, base and robots together, in the speeds (v_x, v_y, w, qd) of
        `mass_matrix`: with what the ground must give, the normal forces, and of a base like that of Lau's thesis its
        C11 ... C33. `rover.robot.equations()` are those of the robots on a base at rest. Arguments are as in
        `Robot.equations`.

        >>> import loadpath as lp
        >>> found = lp.catalog.lau_rover().equations(parameters="symbols")
        >>> found.qd, found.mass_matrix[0, 0]
        ((v_x, v_y, w, qd1, qd2, qd3), m1 + m3 + m5)
        >>> found["C13"].value
        -F_y + N1*mu*sin(theta)
        """
        from loadpath.mobile.symbols import rover_equations_in_symbols

        return rover_equations_in_symbols(self, formulation, parameters, letters, shapes=shapes)

    wheel_load_breakdown = wheel_load_breakdown
    wheel_load_derivatives = wheel_load_derivatives
    peak_loads = peak_loads  # type: ignore[assignment]
    worst_case = worst_case  # type: ignore[assignment]
    fastest = fastest  # type: ignore[assignment]
    from_planar = from_planar
    posture = posture
    ride_modes = ride_modes
    forward_dynamics = moving.forward_dynamics  # type: ignore[assignment]
    linearize = linearize  # type: ignore[assignment]
    base_acceleration = moving.base_acceleration
    mass_matrix = moving.mass_matrix  # type: ignore[assignment]
    simulate = simulate
    roll = roll
    wheel_motion = kinematics.wheel_motion
    base_motion = kinematics.base_motion
    constraint_matrix = kinematics.constraint_matrix
    rotation_axis = kinematics.rotation_axis
    instantaneous_axis = kinematics.instantaneous_axis
    largest_payload = largest_payload
    largest_acceleration = largest_acceleration
    largest_slope = largest_slope
    largest_speed = largest_speed
    verdict = verdict  # type: ignore[assignment]
    size = Refused("what is chosen loads wheels and ground, too: rover.on_fixed_base.size(...) judges the robots on a "  # type: ignore[assignment]
                   "base at rest, lp.study a rover design by design")
    datasheet = Refused("wheels reach and stop otherwise: rover.on_fixed_base.datasheet(...) is of a base at rest")  # type: ignore[assignment]
    stop = Refused("wheels have brakes in rover.simulate; rover.on_fixed_base.stop(...) is of a base at rest")  # type: ignore[assignment]
    jam = Refused("wheels may lift and slip: rover.on_fixed_base.jam(...) is of a base at rest")  # type: ignore[assignment]
    collision = Refused("the base would give way and its wheels slip: rover.on_fixed_base.collision(...) is of a base "  # type: ignore[assignment]
                        "at rest, which is harder")
    payload_diagram = Refused("it may tip or slip before its robots are at a limit: rover.largest_payload(...) has all "  # type: ignore[assignment]
                              "of that for a payload, rover.on_fixed_base.payload_diagram(...) is of a base held")
    foundation_loads = Refused("a base on wheels has no foundation: rover.wheel_loads has what each wheel carries, "  # type: ignore[assignment]
                               "rover.on_fixed_base.foundation_loads(...) is of the base held")
    static_compliance = Refused("wheels and tyres give way, too: rover.compliance(q, link) is of all, "  # type: ignore[assignment]
                                "rover.on_fixed_base.static_compliance(...) of the robots on a base that is held")
    with_parts = with_parts
    without_parts = without_parts
    without_beams = inspect.getattr_static(Robot, "without_beams")

    if not TYPE_CHECKING:  # of any robot, which take the motion of a base on wheels
        largest, report = how_far.largest, inspect.getattr_static(Robot, "report")
        duty_map = InRoom("loadpath.handling.duty", purpose="Does it hold")
    else:  # these, and what is that of the robots under the motion of the base: see `on_base`
        largest, report = _on_base(how_far.largest), _on_base(Robot.report)
        duty_map = _on_base(duty_maps.duty_map)
        bandwidth_check = _on_base(bandwidth.bandwidth_check)
        buckling = _on_base(buckling.buckling)
        buckling_safety = _on_base(stresses.buckling_safety)
        compensated = _on_base(compensation.compensated)
        deflection = _on_base(deflection.deflection)
        extremes = _on_base(extremes.extremes)
        fatigue = _on_base(assessment.fatigue)
        frequency_map = _on_base(frequency_map.frequency_map)
        frequency_response = _on_base(frequency_response.frequency_response)
        natural_frequencies = _on_base(frequencies.natural_frequencies)
        plot_deflection = _on_base(pictures.plot_deflection)
        plot_safety = _on_base(pictures.plot_safety)
        respond = _on_base(respond.respond)
        shaped = _on_base(shaped.shaped)
        stress = _on_base(stresses.stress)


def _data(
    base: BaseModel | None = None,
    robot: Robot | None = None,
    ground: Ground | None = None,
    ratings: tuple[tuple[str, Fitted], ...] = (),
    **others: object,
) -> dict[str, Any]:
    """The data of a rover: of a base and one robot whose root link is the base, without the wheels' freedoms; or of all
    data of a robot on wheels, of which a base or a robot that is given replaces its share.
    """
    data: dict[str, Any] = {**others, **({} if base is None else {"wheeled_base": base, "name": base.name})}
    stands_on = data.get("wheeled_base")
    if base is None and robot is None and stands_on is None and "links" in data:  # of a subclass, without wheels
        return data
    if not isinstance(stands_on, BaseModel):
        raise ModelError("a rover stands on an lp.WheeledBase; rover.robot is the robot on it by itself")
    if robot is None and "links" not in data:
        robot = mounted(stands_on, None, None, None, Ground())
    if robot is not None:
        data = {part.name: getattr(robot, part.name) for part in fields(RobotModel)} | {"name": stands_on.name}
        data["wheeled_base"] = under_body(stands_on, robot.links[0].inertia)
    return data | {"ground": ground, "ratings": ratings}


@kept(maximum=8)  # headings on a slope
def _under(rover: Rover, gravity: Vector3) -> Robot:
    """The robots on the base at rest, under another gravity."""
    return rover.on_fixed_base if gravity == rover.gravity else replace(rover.on_fixed_base, gravity=gravity)


over_designs(Rover.wheel_loads, "compiled_ground_wrench", one_by_one=reads_more)
over_designs(Rover.slip, "compiled_ground_wrench", one_by_one=reads_more)
attach_wheels(Robot, Rover, carried, RobotModel)
