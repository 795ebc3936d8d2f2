"""What motors and gears do over a motion: `robot.motor_loads(motion)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.loads.breakdown.calculation import load_breakdown
from loadpath.loads.breakdown.drive import drive_parts
from loadpath.loads.motors import table as motor_table
from loadpath.loads.motors.energy import DriveEnergy, EnergySums, Powers, motor_states_and_powers, powers
from loadpath.loads.motors.motor_side import Motors, gear_torque_loss, motor_side, motors_of
from loadpath.motion import Motion
from loadpath.printable import printable
from loadpath.quantities.carriers import drive_names
from loadpath.quantities.load_index import cause_label
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.robot.mechanism import plain
from loadpath.robot.numbers import known
from loadpath.scalars.types import Bools, Floats
from loadpath.states import LoadCase, StateBatch, StatesLike
from loadpath.states.batch import WRENCH_BLOCK, states_of
from loadpath.states.unknown import count_words, not_finite, warn_of_unknown

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

    from loadpath.quantities.table import RobotQuantities

@dataclass(frozen=True, eq=False, repr=False)
class MotorLoads:
    """Torque, speed, current and losses of every motor: arrays (..., drives), in the order of `drive_names`, with the
    batch axes of the states (the samples of a motion) in front. Torques and speeds are in the joint's positive sense,
    whatever the sign of the ratio. States that are not numbers are NaN and left out of peaks and means.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2).with_drives({"joint2": lp.Drive(ratio=50, rotor_inertia=1e-4, efficiency=0.8)})
    >>> loads = arm.motor_loads(lp.Motion.swing(arm))
    >>> loads.drive_names, loads.torque.shape == loads.speed.shape
    (('joint2',), True)
    """

    torque: Floats
    """N m (N of a linear motor), at the motor's shaft, what accelerates its rotor included."""
    speed: Floats
    """rad/s (m/s)."""
    gear_loss: Floats
    """W: what the gear turns into heat; never negative."""
    energies: tuple[DriveEnergy, ...]
    """Where the energy of each drive goes over the motion; of states without times, mean powers (W) in place of J."""
    motors: Motors
    robot: RobotQuantities
    states: StateBatch
    unknown: Bools
    """(states,): whether a state is not a number."""
    given: object
    """The motion, or what else was handed in."""
    case: LoadCase
    """What acts in addition."""

    @property
    def drive_names(self) -> tuple[str, ...]:
        """Degrees of freedom with a drive train."""
        return self.motors.drive_names

    @property
    def t(self) -> Floats | None:
        """(samples,), s, of a motion."""
        return self.states.t

    @cached_property
    def power(self) -> Floats:
        """W: mechanical power of the motors; negative where they brake."""
        return self.torque * self.speed

    @cached_property
    def current(self) -> Floats:
        """A; NaN where the torque constant is not known."""
        return self.torque / self.motors.torque_constant

    @cached_property
    def copper_loss(self) -> Floats:
        """W: resistance times current squared; NaN where they are not known."""
        return self.motors.resistance * self.current**2

    @cached_property
    def electrical_power(self) -> Floats:
        """W that the motors take from their supply, negative where they feed back: mechanical power and copper loss."""
        return self.power + self.copper_loss

    # Peaks and means

    @property
    def peak_torque(self) -> Floats:
        """(drives,): largest magnitude, N m."""
        return self._most(self.torque)

    @property
    def peak_at(self) -> tuple[int, ...]:
        """Number of the state in which each motor's torque is largest."""
        flat = np.abs(self._rows(self.torque))
        return tuple(int(k) for k in np.argmax(np.where(np.isnan(flat), -1.0, flat), axis=0))

    @property
    def peak_speed(self) -> Floats:
        """(drives,): largest magnitude, rad/s."""
        return self._most(self.speed)

    @property
    def peak_power(self) -> Floats:
        """(drives,): largest magnitude of the mechanical power, W."""
        return self._most(self.power)

    @property
    def peak_current(self) -> Floats:
        """(drives,): largest magnitude, A."""
        return self._most(self.current)

    @property
    def rms_torque(self) -> Floats:
        """(drives,): root of the mean square over time (of a batch without times: over all states), N m."""
        return self._rms(self.torque)

    @property
    def rms_current(self) -> Floats:
        """(drives,): likewise, A; what heats the motor."""
        return self._rms(self.current)

    # Brakes

    @cached_property
    def holding_torque(self) -> Floats:
        """(..., drives), N m at the shaft: what a brake there must hold in each pose at rest, against gravity, springs
        and external wrenches; friction and gear losses, which would help it, are left out.
        """
        held: Floats = forces_at_rest(self.robot, self.given, self.states, self.case)
        return self._shaped(held[:, list(self.motors.places)] / self.motors.ratio)

    @property
    def brake_share(self) -> Floats:
        """(drives,): largest share of its brake that holding takes, above 1 where it slips; NaN without a brake."""
        return self._most(self.holding_torque) / self.motors.brake

    # Causes

    def breakdown(self, drive: str, at: int | slice | None = None) -> dict[str, Floats]:
        """What every cause takes from the torque of a motor, N m: those of the drive divided by the gear ratio, and
        "gear losses". They sum to `torque`. Of all states (counted through), or of those that `at` picks.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_drives({"joint2": lp.Drive(ratio=50, rotor_inertia=1e-4, efficiency=0.8)})
        >>> loads = arm.motor_loads(lp.Motion.swing(arm))
        >>> parts = loads.breakdown("joint2", at=loads.peak_at[0])
        >>> list(parts)[-2:], bool(abs(sum(parts.values()) - loads.torque[loads.peak_at[0], 0]) < 1e-12)
        (['rotor joint2', 'gear losses joint2'], True)
        """
        known(drive, self.drive_names, "degree of freedom with a drive train")
        chosen = np.zeros(len(self.states), dtype=bool)
        chosen[slice(None) if at is None else at] = True
        places = np.flatnonzero(chosen)
        found: dict[str, Floats] = {}
        for block in self.states.blocks(WRENCH_BLOCK):
            local = np.flatnonzero(chosen[block.rows])
            if len(local):
                arrays = tuple(array[local] for array in block.arrays)
                case = block.case.of_states(local, (len(block),))
                there = np.isin(places, block.first + local)
                for cause, part in self._parts(drive, arrays, case, compiled=len(places) > 200).items():
                    # A load that only another motion of a spectrum carries is no cause here.
                    found.setdefault(cause, np.zeros(len(places)))[there] = part
        if isinstance(at, (int, np.integer)):
            return {cause: values[0] for cause, values in found.items()}
        return found

    def _parts(self, drive: str, states: tuple[Floats, ...], case: LoadCase, *, compiled: bool) -> dict[str, Floats]:
        robot, (q, qd, qdd) = self.robot, states
        loads = load_breakdown(robot, q, qd, qdd, **case.keywords, compiled=compiled)
        number, ratio = self.drive_names.index(drive), self.motors.ratio[self.drive_names.index(drive)]
        found = {cause_label(cause): part / ratio for cause, part in drive_parts(loads, drive).items()}
        tau = robot.inverse_dynamics(q, qd, qdd, **case.keywords)
        done = motor_side(robot, q, qd, qdd, tau, self.motors)
        found[f"gear losses {drive}"] = gear_torque_loss(self.motors, qd, qdd, tau, done)[..., number]
        return found

    # Tables and figures

    def powers(self) -> Powers:
        """Where the power of every drive goes in each state, W: see `Powers`."""
        return powers(self.robot, self.states, self.motors)

    def to_dataframe(self) -> DataFrame:
        """A pandas data frame with a row for each drive: peaks, means, energies."""
        return motor_table.dataframe(self)

    def to_table(self) -> str:
        """The same as text."""
        return motor_table.table(self).text()

    def _repr_html_(self) -> str:
        return motor_table.table(self).html()

    def plot(self) -> Figure:
        """A Plotly figure: torque, speed, mechanical power and losses of all motors over time."""
        return motor_table.figure(self)

    def __repr__(self) -> str:
        count = f"{len(self.states)} state{'s' if len(self.states) != 1 else ''}"
        over = count if self.states.duration is None else f"{self.states.duration:.6g} s"
        over += f" ({count_words(self.unknown)})" if self.unknown.any() else ""
        names = ", ".join(map(printable, self.drive_names))
        return f"<motor loads of '{printable(self.robot.name)}' over {over}: {names}>"

    # Numbers of all states

    def _rows(self, values: Floats) -> Floats:
        return values.reshape(len(self.states), len(self.drive_names))

    def _shaped(self, rows: Floats) -> Floats:
        return rows.reshape(*self.states.shape, len(self.drive_names))

    def _most(self, values: Floats) -> Floats:
        flat = np.abs(self._rows(values))
        result: Floats = np.where(np.isnan(flat).all(axis=0), np.nan, np.nanmax(np.nan_to_num(flat, nan=-1.0), axis=0))
        return result

    def _rms(self, values: Floats) -> Floats:
        rows, weight = self._rows(values), np.where(self.unknown, 0.0, self.states.weights)
        squares = np.where(self.unknown[:, None], 0.0, rows**2)
        result: Floats = np.sqrt(weight @ squares / weight.sum()) if weight.sum() else np.full(rows.shape[1], np.nan)
        return result


@takes_loads
def motor_loads(
    robot: RobotQuantities,
    states: StatesLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    **acting: Unpack[DriveLoadKeywords],
) -> MotorLoads:
    """What the motors do over a motion, or over a batch of states: torque, speed, power, current and losses on their
    side of the gears, for every degree of freedom in `robot.drive_trains` (see `with_drives`). Arguments are those of
    `peak_loads`.

    Efficiency acts by the direction of power: the motor gives more than the gear passes on where it drives the load,
    and holds back less where the load drives it. The rotor's inertia acts at the motor's shaft, friction and springs at
    the joint. See `loadpath.loads.motors.motor_side` for the equations.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1).with_drives({"joint1": lp.Drive(ratio=100, efficiency=0.7, torque_constant=0.1)})
    >>> loads = arm.motor_loads([0.0], [1.0], [0.0])           # a rod of 1 kg and 1 m is lifted: 4.905 N m
    >>> loads.torque.round(6).tolist(), loads.current.round(6).tolist(), loads.gear_loss.round(6).tolist()
    ([0.070071], [0.700714], [2.102143])
    """
    motors = motors_of(robot)
    if not motors.drive_names:
        raise ModelError(f"robot '{robot.name}' has rotors at passive joints only: its drives "
                         f"({', '.join(drive_names(robot)) or 'none'}) have no drive trains; give them with "
                         "robot.with_drives")
    case = acting["under"]
    every = states_of(robot, "motor_loads", states, qd, qdd, case)
    count = len(motors.drive_names)
    torque, speed, lost = (np.empty((len(every), count)) for _ in range(3))
    mechanism, sums = plain(robot), EnergySums(motors, every)
    for block in every.blocks(WRENCH_BLOCK):
        done, flows = motor_states_and_powers(robot, mechanism, motors, block)
        sums.add(flows, block.rows)
        torque[block.rows], speed[block.rows], lost[block.rows] = done.torque, done.speed, done.gear_loss
    unknown = not_finite(torque, 1)
    if unknown.any():
        torque[unknown] = speed[unknown] = lost[unknown] = np.nan
        warn_of_unknown(unknown.reshape(every.shape), "motor_loads", "left out")
    shape = (*every.shape, count)
    a, b, c = (part.reshape(shape) for part in (torque, speed, lost))
    return MotorLoads(a, b, c, sums.result(), motors, robot, every, unknown, states, case)


# What the drives hold when the robot stands still in the poses of a motion: for brakes.

def forces_at_rest(robot: RobotQuantities, given: Any, states: StateBatch, case: LoadCase) -> Floats:
    """(states, n): forces of the drives in each pose at rest, against gravity, springs, external wrenches and the
    weight of what the motion carries. `given` are the states as they were handed in; the base stands still, too.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1)
    >>> motion = lp.Motion.swing(arm)
    >>> held = forces_at_rest(arm, motion, states_of(arm, "", motion), LoadCase())
    >>> bool(abs(held - arm.gravity_forces(motion.q)).max() < 1e-12)
    True
    """
    if hasattr(given, "motions"):  # a duty spectrum
        each = [(motion, states_of(robot, "motor_loads", motion, case=case)) for motion in given.motions]
        return np.concatenate([forces_at_rest(robot, motion, batch, case) for motion, batch in each])
    if getattr(given, "loads", ()):  # what is carried weighs, but is not accelerated
        still = np.zeros_like(np.asarray(given.qd, dtype=float))
        resting: Any = Motion.from_checked(given.t, given.q, still, still, given.robot)
        states = states_of(robot, "motor_loads", resting.with_loads(given.loads), case=case.at_rest)
    held, nothing = np.empty((len(states), robot.n)), np.zeros(robot.n)
    for block in states.blocks(WRENCH_BLOCK):
        held[block.rows] = robot.inverse_dynamics(block.arrays[0], nothing, nothing, **block.case.at_rest.keywords)
    return held
