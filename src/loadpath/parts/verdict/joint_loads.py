"""What the parts of a joint see of a block of states: `JointLoads`, from joint wrenches and forces of the drives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.loads.motors.motor_side import motor_side, motors_of
from loadpath.loads.resultants import resultants
from loadpath.motion.carried import Carried, carried_at
from loadpath.parts.fitting import place_of
from loadpath.parts.part import JointLoads, MotorSide, Place
from loadpath.quantities.carriers import drive_names, is_closed
from loadpath.robot.parts import Joint
from loadpath.scalars.types import Floats, Ints

if TYPE_CHECKING:
    from loadpath.parts.verdict.duties import Block
    from loadpath.quantities.table import RobotQuantities


# What the loads that a motion carries add to the inertia that a torque at each joint accelerates.
#
# Their wrenches are in all forces already; brakes that stop a joint and motors that are matched to an inertia need
# their mass as well.


def carried_inertias(robot: RobotQuantities, loads: tuple[Carried, ...], t: Floats, q: Floats) -> Floats:
    """(states, n): kg m^2 (kg of joints that slide), m |v_c|^2 + w . I w at a unit speed of each joint; zero where
    nothing is carried at these rising times.
    """
    found = np.zeros((len(q), robot.n))
    for link in dict.fromkeys(load.link for load in loads):
        assert link is not None
        for body, times in carried_at([load for load in loads if load.link == link], t).items():
            some = np.flatnonzero(times)
            if not len(some):
                continue
            columns = np.asarray(robot.jacobian(q[some], link))
            turned = np.asarray(robot.link_poses(q[some]))[:, robot.link_names.index(link), :3, :3]
            linear, angular = np.swapaxes(columns[:, :3], 1, 2), np.swapaxes(columns[:, 3:], 1, 2)
            arm = turned @ np.asarray(body.center_of_mass)
            moving = linear + np.cross(angular, arm[:, None])
            about = angular @ turned  # in the link's axes, as the tensor is
            turning = np.einsum("snk,kl,snl->sn", about, np.asarray(body.tensor), about)
            found[some] += times[some, None] * (body.mass * np.einsum("snk,snk->sn", moving, moving) + turning)
    return found


class DriveLoads(NamedTuple):
    """What the drive of a joint gives, (states,) each, as in `JointLoads`."""

    drive: Floats
    motor: MotorSide | None = None
    gear: Floats | None = None
    holding: Floats | None = None
    inertia: Floats | None = None


class Drives:
    """The drives of the joints that have parts: what they give, what their gears pass on, what holds them at rest."""

    def __init__(self, source: Source, seats: Sequence[Seat]) -> None:
        self.source, self.robot = source, source.robot
        self.seats = tuple(seats)
        self.motors = motors_of(self.robot) if seats and self.robot.drive_trains else None
        self.columns = [self.robot.dof_names.index(seat.name) for seat in seats]

    def of(self, block: Block, known: Ints, tau: Floats) -> dict[str, DriveLoads]:
        """By the names of the joints; `tau` are the forces of all drives in the states that are `known`."""
        if not self.seats:
            return {}
        q, qdd = block.arrays[0][known], block.arrays[2][known]
        still = np.zeros((len(q), self.robot.n))
        case = block.duty.case_at_rest(self.robot, block.first + known, q)
        holding = self.source.drives((q, still, still), case.keywords)
        inertia = self.source.inertias(q)
        if inertia is not None and block.duty.carried and block.duty.states.t is not None:
            times = block.duty.states.t[block.first + known]
            inertia = inertia + carried_inertias(self.robot, block.duty.carried, times, q)
        motors = self._motors(block, known, tau)
        found = {}
        for seat, k in zip(self.seats, self.columns, strict=True):
            assert seat.joint is not None
            gear = tau[:, k] - seat.joint.reflected_inertia[0] * qdd[:, k]
            own = None if inertia is None else inertia[:, k]
            found[seat.name] = DriveLoads(tau[:, k], motors.get(seat.name), gear, holding[:, k], own)
        return found

    def _motors(self, block: Block, known: Ints, tau: Floats) -> dict[str, MotorSide]:
        """What the motors do, of the joints that have a drive train."""
        if self.motors is None:
            return {}
        q, qd, qdd = (array[known] for array in block.arrays)
        done = motor_side(self.robot, q, qd, qdd, tau, self.motors)
        return {name: MotorSide(done.torque[:, k], done.speed[:, k], done.current[:, k], float(self.motors.ratio[k]))
                for k, name in enumerate(self.motors.drive_names)}


class Seat:
    """A joint or loop with parts: where it is in the arrays, and how its block of loads is made."""

    def __init__(self, robot: RobotQuantities, name: str) -> None:
        self.name, self.place = name, place_of(robot, name)
        self.number = robot.closed_joint_names.index(name)
        self.joint: Joint | None = robot.joint(name) if name in robot.joint_names else None
        self._last: tuple[int, float] | None = None
        self.freedom: str | None = None
        """The degree of freedom of its drive."""
        joint = self.joint
        if joint is not None and joint.motion.dof == 1 and joint.mimic is None and name in drive_names(robot):
            self.freedom = name

    def motion(self, robot: RobotQuantities, arrays: tuple[Floats, Floats, Floats]) -> tuple[Floats, Floats, Floats]:
        """Position, speed and acceleration along (about) the axis, (states,) each; zeros of what has none."""
        q, qd, qdd = arrays
        nothing = np.zeros(len(q))
        if not self.place.moves:
            return nothing, nothing, nothing
        if self.joint is None:
            return _of_loop(robot, self.name, self.place, arrays)
        speeds, coordinates = robot.v_slices[self.name], robot.q_slices[self.name]
        mimic = robot.mimic_of(self.joint)
        position = mimic.multiplier * q[:, coordinates.start] + mimic.offset
        return position, mimic.multiplier * qd[:, speeds.start], mimic.multiplier * qdd[:, speeds.start]

    def _carried_on(self, motion: int, position: Floats) -> Floats:
        """Angles of a loop, which are known but for whole turns, as they go on from those of the block before."""
        if self._last is not None and self._last[0] == motion:
            position = position + 2 * np.pi * np.round((self._last[1] - position[0]) / (2 * np.pi))
        self._last = motion, float(position[-1])
        return position

    def loads(
        self, robot: RobotQuantities, block: Block, known: Ints, force: Floats, torque: Floats, drive: DriveLoads | None
    ) -> JointLoads:
        """The block as the parts of this joint see it. `known` are the numbers of the states in the block that are
        numbers, without a gap, and all arrays are theirs.
        """
        arrays = block.arrays[0][known], block.arrays[1][known], block.arrays[2][known]
        position, speed, acceleration = self.motion(robot, arrays)
        if self.joint is None and self.place.turns:
            position = self._carried_on(block.duty.number, position)
        along = resultants(self.place.axis[None], force[:, None], torque[:, None])[:, 0]
        none = np.full(len(known), np.nan)
        given = DriveLoads(none) if drive is None else drive
        return JointLoads(
            motion=block.duty.number,
            first=block.first + int(known[0]),
            t=block.t[known],
            weight=block.weight[known],
            position=position,
            speed=speed,
            acceleration=acceleration,
            force=force,
            torque=torque,
            axial_force=along[:, 0],
            radial_force=along[:, 1],
            axial_torque=along[:, 2],
            tilting_moment=along[:, 3],
            drive=given.drive,
            motor=given.motor,
            gear=given.gear,
            holding=given.holding,
            inertia=given.inertia,
        )


def _of_loop(
    robot: RobotQuantities, name: str, place: Place, arrays: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats, Floats]:
    """Motion of the joint that closes a loop, from that of its two links. Accelerations along sliding axes are NaN."""
    q, qd, qdd = arrays
    loop = next(each for each in robot.loops if each.name == name)
    first, second = (robot.link_names.index(link) for link in (loop.first, loop.second))
    poses, moving = np.asarray(robot.link_poses(q)), robot.link_velocities(q, qd)
    R = poses[:, second, :3, :3] @ loop.on.R
    axis = R @ place.axis
    start = poses[:, first, :3, :3] @ loop.at.R
    if place.turns:
        turned = np.swapaxes(start, -1, -2) @ R  # about the axis by the angle: its skew part has the sine
        sine = 0.5 * np.stack([turned[:, 2, 1] - turned[:, 1, 2], turned[:, 0, 2] - turned[:, 2, 0],
                               turned[:, 1, 0] - turned[:, 0, 1]], axis=-1) @ place.axis
        cosine = 0.5 * (np.trace(turned, axis1=-2, axis2=-1) - 1.0)
        position = np.unwrap(np.arctan2(sine, cosine)) if len(q) else np.zeros(0)
        speed = np.einsum("sk,sk->s", axis, moving.angular[:, second] - moving.angular[:, first])
        gains = robot.link_accelerations(q, qd, qdd)
        # The axis moves with both links, and the relative turning is along it: no other terms.
        acceleration = np.einsum("sk,sk->s", axis, gains.angular[:, second] - gains.angular[:, first])
        return position, speed, acceleration
    there = [poses[:, k, :3, 3] + poses[:, k, :3, :3] @ frame.p for k, frame in ((first, loop.at), (second, loop.on))]
    position = np.einsum("sk,sk->s", axis, there[1] - there[0])
    velocity = [moving.linear[:, k] + np.cross(moving.angular[:, k], there[1] - poses[:, k, :3, 3])
                for k in (first, second)]
    return position, np.einsum("sk,sk->s", axis, velocity[1] - velocity[0]), np.full(len(q), np.nan)


# Where the loads of a verdict come from: a robot, or a robot with any payload more at one place.
#
# Forces, wrenches and the mass matrix are linear in the mass of a payload: (without) + m ((with 1 kg) - (without)). So
# two compiled robots are enough for all masses.


class Source:
    """The loads of a robot, with `mass` kg more where `unit` carries 1 kg more."""

    def __init__(self, robot: RobotQuantities, unit: RobotQuantities | None = None, mass: float = 0.0) -> None:
        self.robot = robot
        self.unit = unit if mass else None
        self.mass = mass

    @cached_property
    def _columns(self) -> list[int]:
        """Where the joints and loops of the robot are among those of the one with more payload."""
        assert self.unit is not None
        names = self.unit.closed_joint_names
        return [names.index(name) for name in self.robot.closed_joint_names]

    def drives(self, arrays: tuple[Floats, ...], keywords: dict[str, Any]) -> Floats:
        """(states, n): forces of the drives."""
        tau = np.asarray(self.robot.inverse_dynamics(*arrays, **keywords))
        if self.unit is None:
            return tau
        more = np.asarray(self.unit.inverse_dynamics(*arrays, **keywords))
        return np.asarray(tau + self.mass * (more - tau))

    def wrenches(self, arrays: tuple[Floats, ...], keywords: dict[str, Any]) -> tuple[Floats, Floats]:
        """Forces and torques at all joints and loops, (states, joints, 3) each."""
        found = self.robot.joint_wrenches(*arrays, **keywords)
        force, torque = np.asarray(found.force), np.asarray(found.torque)
        if self.unit is None:
            return force, torque
        more = self.unit.joint_wrenches(*arrays, **keywords)
        force = force + self.mass * (np.asarray(more.force)[:, self._columns] - force)
        return force, torque + self.mass * (np.asarray(more.torque)[:, self._columns] - torque)

    def inertias(self, q: Floats) -> Floats | None:
        """(states, n): what a torque at each joint accelerates; None of closed chains, where all joints move."""
        if is_closed(self.robot):
            return None
        own = np.diagonal(np.asarray(self.robot.mass_matrix(q)), axis1=-2, axis2=-1)
        if self.unit is None:
            return own
        more = np.diagonal(np.asarray(self.unit.mass_matrix(q)), axis1=-2, axis2=-1)
        return np.asarray(own + self.mass * (more - own))
