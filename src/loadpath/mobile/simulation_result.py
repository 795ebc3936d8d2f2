"""What a simulation of a rover gives back: motion, forces, margins, energy, and the events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.mobile.events import EventKind, RoverEvent
from loadpath.mobile.motions import BaseState, motion_of_base
from loadpath.mobile.plot import simulation_figure
from loadpath.motion.motion import Motion
from loadpath.printable import printable
from loadpath.quantities.wrench import Wrench
from loadpath.robot.wheels.ground import Ground
from loadpath.scalars.types import Bools, Floats

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


@dataclass(frozen=True, eq=False, repr=False)
class RoverSimulation:
    """A simulated motion of a rover. The first axis of every array is that of `times`.

    >>> import loadpath as lp
    >>> arm = lp.catalog.lau_arm()
    >>> lp.catalog.lau_rover().roll(lp.Motion.through(arm, [[0, 0, 0.5], [1, 0, 0.5]], [0, 0.5], rate=50))
    <simulation of 'rover': 26 times up to 0.5 s, 5 events>
    """

    times: Floats
    """(times,), s."""
    q: Floats
    """(times, nq): coordinates of the robots."""
    qd: Floats
    """(times, n)."""
    qdd: Floats
    """(times, n)."""
    tau: Floats
    """(times, n): forces of the robots' drives; of a given motion, those that it takes."""
    pose: Floats
    """(times, 3): x, y (m) of the base frame in the frame of the ground, and the heading (rad)."""
    velocity: Floats
    """(times, 3): v_x, v_y (m/s) in base axes, w (rad/s)."""
    acceleration: Floats
    """(times, 3): rates of the velocity's numbers."""
    normal: Floats
    """(times, contacts): normal forces, N."""
    longitudinal: Floats
    """(times, contacts): forces of the ground along each contact's rolling direction, N."""
    lateral: Floats
    """(times, contacts): forces of the ground across it, to the left, N."""
    wheel_rates: Floats
    """(times, contacts): turn of the wheels, rad/s; of casters and feet zero."""
    wheel_torques: Floats
    """(times, contacts): torques of their drives, N m; of a wheel with a given rate, what that takes."""
    steering: Floats
    """(times, steerable): angles of steered wheels and casters."""
    sliding: Bools
    """(times, contacts): which contacts slide (or spin)."""
    lifted: Bools
    """(times, contacts): which contacts are off the ground."""
    margin: Floats
    """(times,): distance (m) of the zero-moment point from the nearest edge of the support polygon; negative beyond."""
    zero_moment_point: Floats
    """(times, 2), m, in the base frame."""
    kinetic: Floats
    """(times,), J."""
    potential: Floats
    """(times,), J."""
    drive_work: Floats
    """(times,): work of the robots' drives so far, J."""
    wheel_work: Floats
    """(times,): work of the wheels' drives so far, J."""
    external_work: Floats
    """(times,): work of external wrenches so far, J."""
    base_work: Floats
    """(times,): work of what moves a base whose motion is given, J."""
    sliding_heat: Floats
    """(times,): heat of sliding contacts so far, J."""
    rolling_heat: Floats
    """(times,): heat of rolling resistance so far, J."""
    joint_heat: Floats
    """(times,): heat of friction in the joints so far, J."""
    events: tuple[RoverEvent, ...]
    tipped: bool
    """Whether it ended because the rover begins to turn over an edge: from there on nothing is computed."""
    stopped: bool
    """Whether the condition `stop` ended it before its time."""
    contact_names: tuple[str, ...]
    contact_points: Floats
    """(times, contacts, 2): where the contacts are in the base frame."""
    name: str
    steps: int
    evaluations: int

    ground: Ground = field(default_factory=Ground)
    rocks: bool = False
    """Whether it ended because contacts lift though its energy cannot take it over: rocking is not simulated."""
    external: Mapping[str, Wrench] | None = None
    """The wrench on each link that had one, in base axes, the same at all times or (times, 3)."""
    dof_names: tuple[str, ...] | None = None
    """Of the columns of qd, qdd and tau: the rover's joints."""
    coordinate_names: tuple[str, ...] | None = None
    """Of the columns of q."""
    base_link: str = ""
    """The link of `rover.robot` that moves as `base_motion` says."""

    def __repr__(self) -> str:
        ends = ((self.tipped, ", tips over"), (self.rocks, ", begins to rock"), (self.stopped, ", stopped"))
        end = next((text for ended, text in ends if ended), "")
        count = len(self.events)
        return (
            f"<simulation of '{printable(self.name)}': {len(self.times)} times up to {self.times[-1]:.6g} s, {count} "
            f"event{'' if count == 1 else 's'}{end}>"
        )

    def of_kind(self, kind: EventKind) -> tuple[RoverEvent, ...]:
        """The events of one kind.

        >>> import loadpath as lp
        >>> cart = lp.catalog.lau_rover().base.carrying()
        >>> [event.part for event in cart.simulate(velocity=(0.1, 0), duration=2.0).of_kind("stops")]
        ['wheel1', 'wheel2', 'wheel3']
        """
        return tuple(event for event in self.events if event.kind == kind)

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("a simulation is not a sequence: take its parts by name, as in simulation.pose")

    @property
    def t(self) -> Floats:
        """The same as `times`, under the name that an `lp.Motion` has for it."""
        return self.times

    @property
    def energy_residual(self) -> Floats:
        """(times,): what does not balance, J: energy gained, less work put in, plus heat. Integration error alone."""
        gained = self.kinetic + self.potential
        put_in = self.drive_work + self.wheel_work + self.external_work + self.base_work
        heat = self.sliding_heat + self.rolling_heat + self.joint_heat
        balance: Floats = gained - put_in + heat
        residual: Floats = balance - balance[0]
        return residual

    @property
    def energy_drift(self) -> float:
        """Largest residual, relative to the largest energy that was turned over."""
        parts = (
            self.kinetic, self.potential - self.potential[0], self.drive_work, self.wheel_work, self.external_work,
            self.base_work, self.sliding_heat, self.rolling_heat, self.joint_heat,
        )
        turned_over = max(float(np.abs(part).max()) for part in parts)
        worst = float(np.abs(self.energy_residual).max())
        return worst / turned_over if turned_over > 1e-12 else worst

    @property
    def base_state(self) -> BaseState:
        """Velocity, acceleration, heading and steering of the base and the external wrenches, by the names of the
        arguments of `wheel_loads`.
        """
        parts = BaseState(velocity=self.velocity, acceleration=self.acceleration, heading=self.pose[:, 2])
        if self.steering.shape[1]:
            parts["steering"] = self.steering
        if self.external:
            parts["external"] = self.external
        return parts

    @property
    def base_motion(self) -> dict[str, Floats]:
        """Velocity and acceleration (times, 6) of the base, by the names of the arguments of `inverse_dynamics`; empty
        if it stands. On a slope there is no such motion for the robot alone: its gravity turns with the heading.

        >>> import loadpath as lp
        >>> rover = lp.catalog.lau_rover()
        >>> rolled = rover.simulate([0, 0, 0.5], [1, 0, 0], duration=0.1)
        >>> tau = rover.robot.inverse_dynamics(rolled)                  # base motion included
        >>> bool(abs(tau - rolled.tau).max() < 1e-6)
        True
        """
        if self.ground.slope:
            raise ValueError(f"the simulation is on a slope of {self.ground.slope:.4g} rad, and the robot's gravity "
                             "turns with the heading of its base: use the functions of the rover, or "
                             "simulation.motion for the joints alone")
        if not (self.velocity.any() or self.acceleration.any()):
            return {}
        return motion_of_base(self.velocity, self.acceleration)

    @property
    def motion(self) -> Motion:
        """The robots' motion, for loads, plots and files.

        >>> import loadpath as lp
        >>> swing = lp.catalog.lau_rover().simulate([0, 0, 0.5], [1, 0, 0], duration=0.1)
        >>> swing.motion
        <motion of 3 degrees of freedom: 11 samples from 0 to 0.1 s>
        """
        return Motion(self.times, self.q, self.qd, self.qdd)

    def plot(self) -> Figure:
        """A Plotly figure: the path with the support polygon, wheel loads, margin against tipping, and the events.

        >>> import loadpath as lp
        >>> cart = lp.catalog.lau_rover().base.carrying()
        >>> len(cart.simulate(velocity=(0.2, 0.5), duration=0.5).plot().data) > 5
        True
        """
        return simulation_figure(self)
