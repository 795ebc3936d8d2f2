"""What a simulation gives back: the motion, the forces, where the energy went, and what happened.

There is one class of results. What loops, beams and wheels bring in addition is None where a robot has none of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.cached import cached_property
from loadpath.in_room import function_in_room
from loadpath.motion.motion import Motion
from loadpath.printable import printable
from loadpath.quantities.wrench import Wrench
from loadpath.robot.model import RobotModel
from loadpath.robot.wheels.ground import Ground
from loadpath.scalars.types import Bools, Floats
from loadpath.simulate.base_state import BaseState, FreeBase
from loadpath.simulate.events import DeadPoint, EventKind, RoverEvent
from loadpath.simulate.plots import figure

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    absent: Any
else:
    absent = None
    """Of what a robot has not."""

_BEAMS = "loadpath.structure.motion_in_time.result"
_link_poses = function_in_room(_BEAMS, "link_poses_of")
_deflection = function_in_room(_BEAMS, "deflection_of")
_stress = function_in_room(_BEAMS, "stress_of")
_tip_position = function_in_room(_BEAMS, "tip_position_of")
_on_wheels = function_in_room("loadpath.mobile.plot", "simulation_figure")
_motion_of_base = function_in_room("loadpath.mobile.motions", "motion_of_base")
_in_space = function_in_room("loadpath.mobile.motions", "in_space")

QUASI_STATIC = frozenset({
    "deflection", "stress", "buckling", "buckling_safety", "extremes", "fatigue", "respond", "compensated",
    "plot_deflection", "plot_safety", "bandwidth_check",
})
"""What takes motions for slow loads."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Simulation:
    """A simulated motion. The first axis of every array is that of `times`.

    >>> import loadpath as lp
    >>> lp.catalog.planar(2).simulate([0, 0], [0, 0], duration=1.0)  # doctest: +ELLIPSIS
    <simulation of 'planar2': 101 times up to 1 s, ... steps>

    `closure`, `dead_points` and `bifurcations` are there with loops:

    >>> swing = lp.catalog.four_bar()
    >>> turn = swing.simulate(swing.home, [0, 0, 0], duration=0.1)
    >>> turn.closure.shape, turn.dead_points
    ((11,), ())

    With beams or compliant joints `q`, `qd` and `qdd` are of the joints (the motors' side of a compliant one);
    `potential` is the energy of gravity and of the elastic parts together, `tau` of a joint that follows a law what
    that takes:

    >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
    >>> bent = arm.simulate([0.3], [0.0], duration=0.1)
    >>> bent.tip_position.shape, bent.elastic.shape
    ((11, 3), (11, 6))

    On wheels `q`, `qd`, `qdd` and `tau` are those of the robots on the base:

    >>> swing = lp.Motion.through(lp.catalog.lau_arm(), [[0, 0, 0.5], [1, 0, 0.5]], [0, 0.5], rate=50)
    >>> lp.catalog.lau_rover().roll(swing)  # doctest: +ELLIPSIS
    <simulation of 'rover': 26 times up to 0.5 s, ... steps, 5 events>
    """

    times: Floats
    """(times,), s."""
    q: Floats
    """(times, nq): coordinates; quaternions are units."""
    qd: Floats
    """(times, n): speeds."""
    qdd: Floats
    """(times, n): accelerations."""
    tau: Floats
    """(times, n): forces of the drives; of a given motion, those that it takes."""
    friction: Floats = absent
    """(times, n): forces of viscous and Coulomb friction against which the drives work; of a joint at rest, the
    force that holds it. Not of robots on wheels."""
    sticking: Bools = absent
    """(times, n): whether Coulomb friction holds the joint still. Not of robots on wheels, whose events say so."""
    joint_brake_names: tuple[str, ...] = ()
    """Of the joints that have `brakes`, in the order of the next two."""
    joint_brake_torques: Floats = absent
    """(times, brakes): torque with which each works, at the joint, a magnitude; at rest its share of what holds."""
    joint_brake_heat: Floats = absent
    """(times, brakes): what each has turned into heat so far, J: a part of `dissipated`."""
    gear_heat: Floats = absent
    """(times,): what gears have lost so far, J, with `gear_losses`: a part of `dissipated`."""
    kinetic: Floats
    """(times,): kinetic energy, J."""
    potential: Floats
    """(times,): potential energy, J."""
    drive_work: Floats
    """(times,): work that the drives have done so far, J."""
    dissipated: Floats
    """(times,): what friction and dampers have turned into heat so far, J."""
    external_work: Floats
    """(times,): work that external wrenches have done so far, J."""
    base_work: Floats = absent
    """(times,): work of what moves a base whose motion is given, J. Of a robot that is not on wheels: of the forces of
    inertia and of what has changed of gravity; its energies are those in the axes of the base, under its own gravity.
    """
    base_velocity: Floats = absent
    """(times, 6): of a base whose motion is given, or that is a free body on its wheels, linear first, in its axes."""
    base_acceleration: Floats = absent
    """(times, 6): the same."""
    gravity: Floats = absent
    """(times, 3): where it was given, or a base on wheels turns on a slope, in the axes of the base."""
    name: str = ""
    """Of the robot."""
    dof_names: tuple[str, ...]
    """Names of the n speeds."""
    coordinate_names: tuple[str, ...]
    """Of the columns of q."""
    steps: int
    """Steps that the integrator took."""
    evaluations: int
    """How often it evaluated the equations of motion."""
    stopped: bool = False
    """Whether the condition `stop` ended it before its time."""
    external: Mapping[str, Wrench] | None = None
    """The `lp.Wrench` on each link that had one, the same at all times or (times, 3), on wheels in base axes; functions
    that take the simulation for states take these with it."""

    # Loops

    dead_points: tuple[DeadPoint, ...] = ()
    """Dead points that were passed: of every joint where there is one freedom, of the drives where there are more."""
    closure: Floats = absent
    """(times,): largest distance of a loop from closed, m; angles times the size of the robot."""
    bifurcations: tuple[float, ...] = ()
    """Times (s) at which the mechanism could have gone on in more than one way; only with `strict=False`."""

    # Beams and compliant joints

    arm: RobotModel = absent
    """The robot with its beams."""
    elastic: Floats = absent
    """(times, modes): elastic coordinates; half the sum of their squares is the elastic energy (J)."""
    elastic_rate: Floats = absent
    """(times, modes): their rates."""
    coordinates: Floats = absent
    """(times, size): coordinates of `vibration.basis`, with what follows the loads at once (mode acceleration)."""
    calm_coordinates: Floats = absent
    """(times, size): the same without any elastic motion, for the loads of the joints' motion alone."""
    strain_energy: Floats = absent
    """(times,): elastic energy, J."""
    frequencies: Floats = absent
    """(modes,), Hz: of the arm in the pose at the start with its joints held, as the elastic coordinates have them."""
    basis: Floats = absent
    """(size, modes): coordinates of `vibration.basis` per unit of each elastic coordinate."""
    chain: object = None
    """What the equations of the elastic arm were made of."""

    # Wheels

    pose: Floats = absent
    """(times, 3): x, y (m) of the base frame in the frame of the ground, and the heading (rad)."""
    velocity: Floats = absent
    """(times, 3): v_x, v_y (m/s) in base axes, w (rad/s)."""
    acceleration: Floats = absent
    """(times, 3): rates of the velocity's numbers."""
    normal: Floats = absent
    """(times, contacts): normal forces, N."""
    longitudinal: Floats = absent
    """(times, contacts): forces of the ground along each contact's rolling direction, N."""
    lateral: Floats = absent
    """(times, contacts): forces of the ground across it, to the left, N."""
    wheel_rates: Floats = absent
    """(times, contacts): turn of the wheels, rad/s; of casters and feet zero."""
    wheel_torques: Floats = absent
    """(times, contacts): torques of their drives and brakes, N m; of a wheel with a given rate, what that takes."""
    brake_torques: Floats = absent
    """(times, contacts): those of the wheels' brakes among them, N m."""
    drive_limited: Bools = absent
    """(times, contacts): whether the `drive` of a wheel was at its limit: it gave less than was asked for, or a given
    rate took more than it has."""
    steering: Floats = absent
    """(times, steerable): angles of steered wheels and casters."""
    sliding: Bools = absent
    """(times, contacts): which contacts slide (or spin)."""
    lifted: Bools = absent
    """(times, contacts): which contacts are off the ground."""
    margin: Floats = absent
    """(times,): distance (m) of the zero-moment point from the nearest edge of the support polygon; negative beyond."""
    zero_moment_point: Floats = absent
    """(times, 2), m, in the base frame."""
    wheel_work: Floats = absent
    """(times,): work of the wheels' drives so far, J."""
    sliding_heat: Floats = absent
    """(times,): heat of sliding contacts so far, J; with the next three it is `dissipated`."""
    rolling_heat: Floats = absent
    """(times,): heat of rolling resistance so far, J."""
    brake_heat: Floats = absent
    """(times,): what brakes of wheels that slip have turned into heat, J."""
    joint_heat: Floats = absent
    """(times,): heat of friction in the joints so far, J."""
    impact_heat: Floats = absent
    """(times,): what impacts have turned into heat so far, J; of a base that leaves the ground."""
    damper_heat: Floats = absent
    """(times,): heat of the dampers of wheels on springs so far, J."""
    position: Floats = absent
    """(times, 3): of the base frame in the frame of the ground, m: x, y, and how high it is above the plane."""
    quaternion: Floats = absent
    """(times, 4): x, y, z, w of its rotation there."""
    suspension_travel: Floats = absent
    """(times, contacts): deflection of the suspensions from their design position, bump positive, m; 0 of contacts that
    have none. Of rovers with suspensions."""
    suspension_force: Floats = absent
    """(times, contacts): force with which spring, stops and damper press hub and base apart, N, without what anti-roll
    bars do; 0 of contacts without suspension. Of rovers with suspensions."""
    body_forces: Floats = absent
    """(times, body points): normal forces at the body points of a base that rolls over, N."""
    ground_forces: Floats = absent
    """(times, 6): of a base that was a free body: force of the ground on it and moment about its origin, of wheels,
    feet and body points together, in base axes."""
    contact_frames: Floats = absent
    """(times, contacts, 3, 4): of such a base, the directions forward, to the left and along the normal of the ground,
    and the point that touches, in base axes."""
    contact_forces: Floats = absent
    """(times, contacts, 3): of such a base, force of the ground on each contact, in base axes, N."""
    wheel_accelerations: Floats = absent
    """(times, contacts): of such a base, rates of `wheel_rates`, rad/s^2."""
    events: tuple[RoverEvent, ...] = ()
    tipped: bool = False
    """Whether the base falls over; where it cannot be simulated as a free body, whether it begins to."""
    rocks: bool = False
    """Whether contacts lift so that the base turns over an edge, and it does not fall over."""
    contact_names: tuple[str, ...] = ()
    contact_points: Floats = absent
    """(times, contacts, 2): where the contacts are in the base frame."""
    ground: Ground = absent
    base_link: str = ""
    """The link of the robot that moves as `base_motion` says."""

    def __repr__(self) -> str:
        ends = ((self.tipped, ", tips over"), (self.rocks, ", rocks"), (self.stopped, ", stopped"))
        end = next((text for ended, text in ends if ended), "")
        more = ""
        if self.frequencies is not None:
            span = f"{self.frequencies[0]:.4g} to {self.frequencies[-1]:.4g} Hz" if len(self.frequencies) else "none"
            more = f", {len(self.frequencies)} elastic coordinates ({span}), energy drift {self.energy_drift:.1e}"
        if self.pose is not None:
            count = len(self.events)
            more += f", {count} event{'' if count == 1 else 's'}"
        return (
            f"<simulation of '{printable(self.name)}': {len(self.times)} times up to {self.times[-1]:.6g} s{end}, "
            f"{self.steps} steps{more}>"
        )

    def __iter__(self) -> Iterator[object]:
        raise TypeError("a simulation is not a sequence: take its parts by name, as in simulation.q")

    def plot(self, link: str | None = None) -> Figure:
        """A Plotly figure: positions, speeds, forces of the drives, and where the energy went; with beams also how far
        a link (the arm's only end, unless given) is from where the rigid arm would have it. On wheels: the path with
        the support polygon, wheel loads, margin against tipping, and the events.

        >>> import loadpath as lp
        >>> figure = lp.catalog.planar(2).simulate([0, 0], [0, 0], duration=0.2).plot()
        >>> [axis.title.text for axis in figure.select_yaxes()]
        ['position (rad, m)', 'speed (rad/s, m/s)', 'drive (N m, N)', 'energy (J)']
        >>> cart = lp.catalog.lau_rover().base.carrying()
        >>> len(cart.simulate(velocity=(0.2, 0.5), duration=0.5).plot().data) > 5
        True
        """
        shown: Figure = figure(self, link) if self.pose is None else _on_wheels(self)
        return shown

    @property
    def t(self) -> Floats:
        """The same as `times`, under the name that an `lp.Motion` has for it."""
        return self.times

    @property
    def torque(self) -> Floats:
        """(times, n): the same as `tau`."""
        return self.tau

    @property
    def motion(self) -> Motion:
        """The robot's motion, for loads, plots and files.

        >>> import loadpath as lp
        >>> swing = lp.catalog.lau_rover().simulate([0, 0, 0.5], [1, 0, 0], duration=0.1)
        >>> swing.motion
        <motion of 3 degrees of freedom: 11 samples from 0 to 0.1 s>
        """
        return Motion(self.times, self.q, self.qd, self.qdd)

    # Energy

    @property
    def energy(self) -> Floats:
        """(times,): kinetic and potential energy together, J."""
        return self.kinetic + self.potential

    @property
    def _works(self) -> list[Floats]:
        works = (self.drive_work, self.wheel_work, self.external_work, self.base_work)
        return [work for work in works if work is not None]

    @property
    def _heats(self) -> list[Floats]:
        every = (self.sliding_heat, self.rolling_heat, self.joint_heat, self.brake_heat, self.impact_heat,
                 self.damper_heat)
        parts = [heat for heat in every if heat is not None]
        return parts or [self.dissipated]

    @property
    def energy_residual(self) -> Floats:
        """(times,): what does not balance, J: energy gained, less work put in, plus heat. Integration error alone."""
        gained = self.energy - self.energy[0]
        put_in = sum(work - work[0] for work in self._works)
        residual: Floats = gained - put_in + sum(heat - heat[0] for heat in self._heats)
        return residual

    @property
    def energy_drift(self) -> float:
        """Largest residual, relative to the largest energy that was turned over: kinetic, potential, work or heat; of a
        robot that stands, where that is nothing but rounding, relative to 1e-12 of the potential energy.
        """
        swings = (self.kinetic, self.potential - self.potential[0], *self._works, *self._heats)
        turned_over = max(*(float(np.abs(part).max()) for part in swings), 1e-12 * float(np.abs(self.potential).max()))
        worst = float(np.abs(self.energy_residual).max())
        return worst / turned_over if turned_over > 0 else worst

    # Beams and compliant joints

    def _check_elastic(self, what: str) -> None:
        if self.elastic is None:
            raise AttributeError(f"simulation.{what} is of robots with beams or compliant joints: robot.{what} takes "
                                 "the simulation of a rigid one")

    @cached_property
    def link_poses(self) -> Floats:
        """(times, links, 4, 4): where the link frames of the bent arm are."""
        self._check_elastic("link_poses")
        poses: Floats = _link_poses(self)
        return poses

    @property
    def tip_position(self) -> Floats:
        """(times, 3), m: of the frame of the arm's only end."""
        self._check_elastic("tip_position")
        position: Floats = _tip_position(self)
        return position

    def link_position(self, link: str) -> Floats:
        """(times, 3), m: of the frame of a link of the bent arm."""
        self._check_elastic("link_position")
        return self.link_poses[:, self.arm.link_names.index(self.arm.link(link).name), :3, 3]

    @cached_property
    def deflection(self) -> object:
        """How far every link frame is from where it would be on the rigid arm with the same joint coordinates, as
        `arm.deflection` has it: world axes; `deflection.tip.displacement`, `deflection["link"].rotation` and so on are
        (times, 3).
        """
        self._check_elastic("deflection")
        found: object = _deflection(self)
        return found

    def stress(self, sections: int | None = None) -> object:
        """Stresses in the cross sections of `arm.stress`, (times, sections), with all elastic motion in them.

        The loads of the joints' motion are taken along the beams as `arm.stress` does, what the elastic motion adds by
        the polynomials of the elastic coordinates.
        """
        self._check_elastic("stress")
        found: object = _stress(self, sections)
        return found

    def check_use(self, caller: str) -> None:
        """Refuse to be taken for states where loads would be quasi-static ones of the joints' motion."""
        if self.elastic is None or caller not in QUASI_STATIC:
            return
        own = {"deflection": "deflection", "stress": "stress()"}.get(caller)
        instead = f"its own is simulation.{own}" if own else "simulation.deflection and simulation.stress() are its own"
        raise ValueError(
            f"{caller}: a simulation of a flexible arm has its elastic motion in it, and {caller} would take the "
            f"accelerations of its ringing joints for slow loads: {instead}; for the quasi-static one of the joints' "
            "motion give simulation.q, simulation.qd, simulation.qdd"
        )

    # Wheels, and other bases that move

    def of_kind(self, kind: EventKind) -> tuple[RoverEvent, ...]:
        """The events of one kind.

        >>> import loadpath as lp
        >>> cart = lp.catalog.lau_rover().base.carrying()
        >>> [event.part for event in cart.simulate(velocity=(0.1, 0), duration=2.0).of_kind("stops")]
        ['wheel1', 'wheel2', 'wheel3']
        """
        return tuple(event for event in self.events if event.kind == kind)

    @property
    def base_state(self) -> BaseState:
        """Velocity, acceleration, heading and steering of a base on wheels and the external wrenches, by the names of
        the arguments of `wheel_loads`.
        """
        if self.pose is None:
            raise AttributeError("simulation.base_state is of robots on wheels")
        parts = BaseState(velocity=self.velocity, acceleration=self.acceleration, heading=self.pose[:, 2])
        if self.ground.plane is not self.ground:
            parts["position"], parts["time"] = self.pose[:, :2], self.t
        if self.steering.shape[1]:
            parts["steering"] = self.steering
        if self.external:
            parts["external"] = self.external
        if self.base_velocity is not None:
            parts["in_space"] = FreeBase(
                self.gravity, self.base_velocity, self.base_acceleration, self.ground_forces, self.contact_frames,
                self.normal, self.longitudinal, self.lateral, self.wheel_torques, self.wheel_rates,
                self.wheel_accelerations, self.sliding, self.contact_forces,
            )
        return parts

    @property
    def pitch(self) -> Floats:
        """(times,): rad, how far the x axis of the base dips below the plane of the ground: positive nose down."""
        x, y, z, w = self._quaternions()
        angle: Floats = np.arcsin(np.clip(2 * (y * w - x * z), -1.0, 1.0))
        return angle

    @property
    def roll(self) -> Floats:
        """(times,): rad, how far the base has turned about its own x axis: positive with its left side up.

        >>> import loadpath as lp
        >>> cart = lp.catalog.lau_rover().base.carrying()
        >>> run = cart.simulate(velocity=(0.1, 0), duration=0.1)
        >>> float(abs(run.roll).max()), float(abs(run.pitch).max())           # it stays on its wheels
        (0.0, 0.0)
        """
        x, y, z, w = self._quaternions()
        angle: Floats = np.arctan2(2 * (y * z + x * w), 1 - 2 * (x * x + y * y))
        return angle

    def _quaternions(self) -> Floats:
        if self.quaternion is None:
            raise AttributeError("simulation.pitch and simulation.roll are of robots on wheels")
        return self.quaternion.T

    @property
    def base_motion(self) -> dict[str, Floats]:
        """Velocity and acceleration (times, 6) of the base, by the names of the arguments of `inverse_dynamics`; empty
        if it stands. On a slope gravity turns with the heading of the base: `gravity` has it then.

        >>> import loadpath as lp
        >>> rover = lp.catalog.lau_rover()
        >>> rolled = rover.simulate([0, 0, 0.5], [1, 0, 0], duration=0.1)
        >>> tau = rover.robot.inverse_dynamics(rolled)                  # base motion included
        >>> bool(abs(tau - rolled.tau).max() < 1e-6)
        True
        """
        if self.pose is None or self.base_velocity is not None:
            moves = {"base_velocity": self.base_velocity, "base_acceleration": self.base_acceleration}
            return {name: part for name, part in moves.items() if part is not None}
        if self.ground.motion is not None:
            _, velocity, acceleration = _in_space(self.ground, self.base_state)
            return {"base_velocity": velocity, "base_acceleration": acceleration}
        if not (self.velocity.any() or self.acceleration.any()):
            return {}
        of_wheels: dict[str, Floats] = _motion_of_base(self.velocity, self.acceleration)
        return of_wheels


# What a simulation is of, for those who ask for it by these names


class _Kind(type):
    """The class of such classes: a simulation is an instance while it has what the field `_of` says."""

    _of: str

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, Simulation) and getattr(value, cls._of) is not None


class ClosedSimulation(Simulation, metaclass=_Kind):
    """An `lp.Simulation` of a robot with loops.

    >>> import loadpath as lp
    >>> swing = lp.catalog.four_bar()
    >>> isinstance(swing.simulate(swing.home, [0, 0, 0], duration=0.1), lp.ClosedSimulation)
    True
    """

    _of = "closure"


class FlexibleSimulation(Simulation, metaclass=_Kind):
    """An `lp.Simulation` of a robot with beams or compliant joints."""

    _of = "elastic"


class RoverSimulation(Simulation, metaclass=_Kind):
    """An `lp.Simulation` of robots on wheels.

    >>> import loadpath as lp
    >>> cart = lp.catalog.lau_rover().base.carrying()
    >>> isinstance(cart.simulate(velocity=(0.1, 0), duration=0.1), lp.RoverSimulation)
    True
    """

    _of = "pose"
