"""Where the power of a drive goes: into copper, gear, friction, the rotor, springs, and to the links.

All parts sum to the electrical power. What goes to the links accelerates and lifts them and works against external
wrenches; followers' rotors and, in closed chains, what goes through the loops are among it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.loads.motors.motor_side import Motors, MotorStates, motor_side
from loadpath.mechanics.drives import along_speeds, friction_forces, spring_forces
from loadpath.robot.mechanism import Mechanism, plain
from loadpath.scalars import Array, array
from loadpath.scalars.types import Floats
from loadpath.states import Block, StateBatch
from loadpath.states.batch import WRENCH_BLOCK

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities


class Powers(NamedTuple):
    """Powers (..., drives), W: copper + gear + rotor + friction + springs + links = electrical."""

    electrical: Floats
    """NaN, like copper, where torque constant or resistance are not known."""
    copper: Floats
    mechanical: Floats
    """At the motor's shaft: electrical without copper."""
    gear: Floats
    rotor: Floats
    """Into the kinetic energy of the rotor."""
    friction: Floats
    springs: Floats
    """Into the springs of the joint."""
    links: Floats


def _column(values: Floats) -> Array:
    """An array of scalars that are batches."""
    return array([values[..., k] for k in range(values.shape[-1])])


def powers_of_block(robot: RobotQuantities, mechanism: Mechanism, motors: Motors, block: Block) -> Powers:
    """Of one block of states; `motor_states_and_powers` without the first."""
    return motor_states_and_powers(robot, mechanism, motors, block)[1]


def motor_states_and_powers(
    robot: RobotQuantities, mechanism: Mechanism, motors: Motors, block: Block
) -> tuple[MotorStates, Powers]:
    """What the motors do in one block of states, and where their power goes."""
    q, qd, qdd = (np.asarray(part, dtype=float) for part in block.arrays)
    tau = robot.inverse_dynamics(q, qd, qdd, **block.case.keywords)
    done = motor_side(robot, q, qd, qdd, tau, motors)
    places = list(motors.places)
    shape, speed = done.torque.shape, qd[..., places]

    def along(forces: Array) -> Floats:
        picked = [np.broadcast_to(np.asarray(forces[k], dtype=float), shape[:-1]) for k in places]
        power: Floats = np.stack(picked, axis=-1) * speed
        return power

    scalars_q, scalars_qd = _column(q), _column(qd)
    friction = along(along_speeds(mechanism, lambda body: friction_forces(body, scalars_qd)))
    springs = along(along_speeds(mechanism, lambda body: spring_forces(body, scalars_q)))
    rotor = motors.rotor_inertia * motors.ratio**2 * qdd[..., places] * speed
    mechanical = done.torque * done.speed
    links = tau[..., places] * speed - rotor - friction - springs
    electrical = mechanical + done.copper_loss
    flows = Powers(electrical, done.copper_loss, mechanical, done.gear_loss, rotor, friction, springs, links)
    return done, flows


def powers(robot: RobotQuantities, states: StateBatch, motors: Motors) -> Powers:
    """Of all states, (..., drives) each."""
    mechanism = plain(robot)
    parts = [powers_of_block(robot, mechanism, motors, block) for block in states.blocks(WRENCH_BLOCK)]
    shape = (*states.shape, len(motors.drive_names))
    return Powers(*(np.concatenate(part).reshape(shape) for part in zip(*parts, strict=True)))


@dataclass(frozen=True)
class DriveEnergy:
    """Energies of one drive over a motion, J: electrical = copper + gear + rotor + friction + springs + links."""

    drive: str
    electrical: float
    """Taken from the supply, less what was fed back; NaN where torque constant or resistance are not known."""
    copper: float
    mechanical: float
    """At the motor's shaft."""
    gear: float
    rotor: float
    """Stored in the rotor at the end, less at the beginning."""
    friction: float
    springs: float
    """Stored in the springs at the end, less at the beginning."""
    links: float
    """Given to the links: to accelerate and lift them, and against external wrenches."""
    taken: float
    """Electrical energy while it was positive; without torque constant or resistance mechanical."""
    returned: float
    """The same while it was negative, as a positive number: what comes back, or must be burnt."""


class EnergySums:
    """Adds up the energies of all drives, block by block, by the trapezoid rule."""

    def __init__(self, motors: Motors, states: StateBatch) -> None:
        self._motors, self._states = motors, states
        self._sums = np.zeros((len(Powers._fields) + 2, len(motors.drive_names)))

    def add(self, found: Powers, rows: slice) -> None:
        """The powers of some states, each (states, drives)."""
        weight, motors = self._states.weights[rows], self._motors
        for k, part in enumerate(found):
            self._sums[k] += weight @ part
        flow = np.where(np.isnan(motors.resistance * motors.torque_constant), found.mechanical, found.electrical)
        self._sums[-2] += weight @ np.maximum(flow, 0.0)
        self._sums[-1] -= weight @ np.minimum(flow, 0.0)

    def result(self) -> tuple[DriveEnergy, ...]:
        """Of every drive; of states without times, mean powers. NaN where a state was not a number."""
        sums = self._sums * (1.0 if self._states.duration is None else self._states.duration)
        names = [part.name for part in fields(DriveEnergy)][1:]
        rows = [dict(zip(names, sums[:, k].tolist(), strict=True)) for k in range(sums.shape[1])]
        return tuple(DriveEnergy(name, **row) for name, row in zip(self._motors.drive_names, rows, strict=True))
