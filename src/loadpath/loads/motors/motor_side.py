"""From the force of a drive at its joint to the shaft of its motor, block by block: `motor_side`.

`inverse_dynamics` gives the force tau at the joint, on the output side of the gear: what the links take, friction,
springs, and the rotor through its reflected inertia, as if the gear lost nothing. The rotor sits before the gear, so
the gear passes on

    tau_g = tau - N^2 J qdd                                                    (N ratio, J rotor inertia)

and takes for it, by the direction of its power (VDI 2241 and catalogues of gears alike: losses are a share of what goes
in),

    T_g = tau_g / (N e_f)   while the motor drives the load, tau_g qd > 0
    T_g = tau_g e_b / N     while the load drives the motor, tau_g qd < 0
    T_g = tau_g / N         at rest, where there is no power to lose

The motor gives T = T_g + N J qdd + T_0 sign(qd), with the no-load torque T_0 of the gear. All are in the joint's
positive sense, whatever the sign of the ratio.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from loadpath.closure.robot import ClosableRobot
from loadpath.errors import ModelError
from loadpath.quantities.carriers import driven
from loadpath.robot.drive_train.of_joint import has_motor
from loadpath.scalars.types import Floats


class MotorStates(NamedTuple):
    """What motors and gears do, each (..., drives), in the order of `drive_names`."""

    torque: Floats
    """N m (N of a linear motor), at the shaft, what accelerates the rotor included."""
    speed: Floats
    """rad/s (m/s)."""
    current: Floats
    """A; NaN where the torque constant is not known."""
    gear_loss: Floats
    """W, never negative."""
    copper_loss: Floats
    """W; NaN where torque constant or resistance are not known."""


@dataclass(frozen=True, eq=False)
class Motors:
    """The motors of a robot as arrays (drives,)."""

    drive_names: tuple[str, ...]
    places: tuple[int, ...]
    """Of each drive among the robot's speeds."""
    ratio: Floats
    """Without its sign."""
    rotor_inertia: Floats
    forward: Floats
    """Efficiency with the motor driving the load."""
    backward: Floats
    no_load_torque: Floats
    torque_constant: Floats
    """NaN where it is not known."""
    resistance: Floats
    brake: Floats


def motors_of(robot: ClosableRobot) -> Motors:
    """The motors of a robot: of every degree of freedom in `robot.drive_trains` that has a drive. Passive joints of
    closed chains, which may have rotors, have none.

    >>> import loadpath as lp
    >>> motors_of(lp.catalog.puma560()).ratio[:2].tolist()
    [62.6111, 107.815]
    """
    moved = driven(robot)
    trains = [(name, drive) for name, drive in robot.drive_trains if moved[robot.dof_names.index(name)]]
    with_motor = [joint.name for joint in robot.joints if has_motor(joint)]
    passive = [name for name in with_motor if not moved[robot.v_slices[name]].all()]
    if passive:
        raise ModelError(f"joint '{passive[0]}' of robot '{robot.name}' has a drive train, and it is passive, moved by "
                         "loops or couplings: robot.with_driven(...) says which joints have drives, and "
                         "robot.without_rotors() takes motors off")
    if not robot.drive_trains:
        raise ModelError(f"robot '{robot.name}' has no drive trains, so nothing is known of its motors: give them with "
                         f"robot.with_drives({{'{next(iter(robot.dof_names), 'joint1')}': lp.Drive(ratio=100, "
                         "rotor_inertia=2e-5, efficiency=0.8)})")
    names, drives = tuple(name for name, _ in trains), [drive for _, drive in trains]
    places = tuple(robot.dof_names.index(name) for name in names)

    def numbers(values: list[float | None], unknown: float) -> Floats:
        return np.array([unknown if value is None else value for value in values], dtype=float)

    return Motors(
        names,
        places,
        np.abs(numbers([drive.ratio for drive in drives], 1.0)),
        numbers([drive.rotor_inertia for drive in drives], 0.0),
        numbers([drive.efficiencies[0] for drive in drives], 1.0),
        numbers([drive.efficiencies[1] for drive in drives], 1.0),
        numbers([drive.no_load_torque for drive in drives], 0.0),
        numbers([drive.torque_constant for drive in drives], np.nan),
        numbers([drive.resistance for drive in drives], np.nan),
        numbers([drive.brake for drive in drives], np.nan),
    )


def motor_side(
    robot: ClosableRobot, q: Floats, qd: Floats, qdd: Floats, tau: Floats, motors: Motors | None = None
) -> MotorStates:
    """What the motors do for forces `tau` (..., n) of the drives at the joints, as `inverse_dynamics` gives them for q,
    qd, qdd: in the order of `motors_of(robot).drive_names`. `motors` saves reading them again for every block.

    >>> import numpy as np
    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1, gravity=0).with_drives({"joint1": lp.Drive(ratio=100, efficiency=(0.8, 0.7))})
    >>> still, speed = np.zeros(1), np.ones(1)
    >>> [round(float(motor_side(arm, still, speed, still, np.array([tau])).torque[0]), 9) for tau in (20.0, -20.0)]
    [0.25, -0.14]
    """
    known = motors_of(robot) if motors is None else motors
    places = list(known.places)
    joint_speed, acceleration = (np.asarray(x, dtype=float)[..., places] for x in (qd, qdd))
    N = known.ratio
    shaft = at_shaft(np.asarray(tau, dtype=float)[..., places], joint_speed, acceleration, N, known.rotor_inertia,
                     (known.forward, known.backward), known.no_load_torque)
    torque, speed = shaft.gear + shaft.rotor + shaft.idle, N * joint_speed
    gear_loss = (shaft.gear + shaft.idle) * speed - shaft.power
    current = torque / known.torque_constant
    return MotorStates(torque, speed, current, gear_loss, known.resistance * current**2)


class Shaft(NamedTuple):
    """Torques at a motor's shaft: what the gear takes, the rotor, the gear's own friction; and the power of the gear's
    output, W. They sum to what the motor gives.
    """

    gear: Floats
    rotor: Floats
    idle: Floats
    power: Floats


def at_shaft(
    tau: Floats, speed: Floats, acceleration: Floats, ratio: Any, rotor_inertia: Any, efficiency: Any, no_load: Any
) -> Shaft:
    """Of the force of a drive, the speed and the acceleration of its joint; `efficiency` has both directions."""
    forward, backward = efficiency
    rotor = rotor_inertia * ratio * acceleration
    through = tau - ratio * rotor
    power, gear = through * speed, through / ratio
    gear = np.where(power > 0, gear / forward, np.where(power < 0, gear * backward, gear))
    return Shaft(gear, rotor, no_load * np.sign(speed), power)


def gear_torque_loss(motors: Motors, qd: Floats, qdd: Floats, tau: Floats, states: MotorStates) -> Floats:
    """(..., drives): what the losses of the gears add to the torque of the motors, N m."""
    places = list(motors.places)
    lossless: Floats = np.asarray(tau, dtype=float)[..., places] / motors.ratio
    result: Floats = states.torque - lossless
    return result
