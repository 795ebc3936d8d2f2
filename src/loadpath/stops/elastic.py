"""Gears that give way in a stop: rotors and links move apart, and ring.

A gear with a stiffness is a spring between its rotor, at the angle theta of the joint, and its link, at q:

    M(q) q'' + h(q, q') = -T(delta)              delta = q - theta
    B theta'' = T(delta) + motor, brake, friction

with T piecewise linear and zero within the backlash, M without the rotors, B a rotor's inertia at the joint (after
Spong, "Modeling and control of elastic joint robots", 1987). Brake and friction are on the rotor's side; nothing damps
the springs. Where power is off, such a robot is one with two joints in place of each of these, theta and delta, which
`robot.simulate` moves as any other; where drives brake, theta follows their path.

Of two masses, a brake with the torque T_b on the rotor, and no load before, the gear of a stiff model bears
T_b J / (B + J), and this one twice as much if the rotor slips for half a period.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.fastest.result import Fastest
from loadpath.motion.motion import Motion
from loadpath.parts.fitting import parts_of
from loadpath.parts.gears.gear import Gear, torsion
from loadpath.parts.motors.brake import Brake
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose
from loadpath.robot.tree import model_warnings
from loadpath.scalars.types import Floats
from loadpath.simulate.result import Simulation
from loadpath.stops.power_off import Acting, PowerOff

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities
    from loadpath.quantities.wrench import Wrench

PERIODS, LONGEST = 2.0, 0.5
"""Periods of the slowest ringing, and s at most, that are looked at after all rotors rest."""
OF_A_PERIOD, MOST_SAMPLES = 60, 6_000
"""Samples in a period of the quickest ringing, and in all."""
RTOL, LONGEST_STEP = 1e-9, 3.0
"""Of the integration; its longest step, times the highest frequency."""
ON_A_PATH = 2000
"""Parts of a path along which drives brake."""
SLOPE = 1e-4
"""s: over which the rate of a gear's torque is taken."""


class Spring(NamedTuple):
    """The gear of a joint, in what is rad (m) and N m (N) there."""

    joint: str
    twists: Floats
    """Rising from zero: where the stiffness changes; without the backlash."""
    torques: Floats
    slope: float
    """Beyond the last of them."""
    half_play: float

    @classmethod
    def of(cls, joint: str, gear: Gear) -> Spring:
        """From the numbers of a catalogue, which are those of the gear's output."""
        assert gear.stiffness is not None
        pieces = gear.stiffness if isinstance(gear.stiffness, tuple) else (gear.stiffness,)
        ends = np.array([0.0, *(gear.stiffness_torques or ())])
        output = gear.output_ratio or 1.0
        play = gear.play if gear.play_field == "backlash" else 0.0
        return cls(joint, torsion(ends, pieces, gear.stiffness_torques or ()) / output, ends * output,
                   pieces[-1] * output**2, 0.5 * play / output)

    def torque(self, twist: Floats) -> Floats:
        """Of a twist, of its sign."""
        size = np.maximum(np.abs(twist) - self.half_play, 0.0)
        beyond = np.maximum(size - self.twists[-1], 0.0) * self.slope
        found: Floats = np.sign(twist) * (np.interp(size, self.twists, self.torques) + beyond)
        return found

    def twist(self, torque: float) -> float:
        """Of a torque, of its sign."""
        beyond = max(abs(torque) - self.torques[-1], 0.0) / self.slope
        size = float(np.interp(abs(torque), self.torques, self.twists)) + beyond + self.half_play
        return float(np.sign(torque) * size)

    @property
    def softest(self) -> float:
        """N m/rad: the lowest stiffness."""
        slopes = np.diff(self.torques) / np.diff(self.twists)
        return float(min([*slopes.tolist(), self.slope]))


class Found(NamedTuple):
    """The springs of a robot, and why other gears are stiff: sentences."""

    springs: tuple[Spring, ...]
    stiff: tuple[str, ...]


def springs_of(robot: RobotQuantities, brakes: Mapping[str, Sequence[Any]]) -> Found:
    """The gears that give way."""
    springs: list[Spring] = []
    stiff: list[str] = []
    followed = {joint.mimic.joint for joint in robot.joints if joint.mimic is not None}
    for name, part in parts_of(robot):
        if not isinstance(part, Gear):
            continue
        why = _stiff(robot, name, part, brakes, followed)
        if why:
            stiff.append(f"The gear of '{name}' is rigid here, and may bear twice as much in a moment: {why}.")
        elif all(name != spring.joint for spring in springs):
            springs.append(Spring.of(name, part))
    return Found(tuple(springs), tuple(stiff))


def _stiff(
    robot: RobotQuantities, name: str, gear: Gear, brakes: Mapping[str, Sequence[Any]], followed: set[str]
) -> str:
    """Why a gear is stiff, if it is."""
    if gear.stiffness is None:
        return "no stiffness is given"
    if robot.closing_names:
        return "the robot has loops"
    joint = next((joint for joint in robot.joints if joint.name == name), None)
    if joint is None or joint.motion.dof != 1 or joint.mimic is not None or name in followed:
        return "it does not move along or about one axis, or is coupled to another"
    if not any(joint.reflected_inertia):
        return "its rotor's inertia is not known"
    if any(not isinstance(one, Brake) or one.on == "joint" for one in brakes.get(name, ())):
        return "its brake is on the joint's side"
    return ""


def with_rotors_apart(robot: RobotQuantities, names: Sequence[str]) -> RobotQuantities:
    """The robot with two joints in place of some: up to the rotor, under the old name, and through the gear."""
    links, joints = list(robot.links), []
    for joint in robot.joints:
        if joint.name not in names:
            joints.append(joint)
            continue
        rotor = f"{joint.name} (rotor)"
        links.append(Link(rotor))
        joints.append(replace(joint, child=rotor, link_offset=Pose(), limits=()))
        straight: Any = joint.motion
        if getattr(straight, "zero", 0.0):
            straight = replace(straight, zero=0.0)
        joints.append(Joint(gear_joint(joint.name), rotor, joint.child, straight, link_offset=joint.link_offset))
    known = robot.known_faults | set(model_warnings(links, joints))
    return replace(robot, links=tuple(links), joints=tuple(joints), parts=(), known_faults=known)


def gear_joint(name: str) -> str:
    """The joint of a gear's twist."""
    return f"{name} (gear)"


def without_rotors(robot: RobotQuantities, names: Sequence[str]) -> RobotQuantities:
    """The robot without rotors and friction of some joints: what is beyond their gears."""
    none: dict[str, Any] = {"rotor_inertia": (), "armature": (), "viscous_friction": (), "coulomb_friction": (),
                            "stribeck": ()}
    return replace(robot, joints=tuple(replace(joint, **none) if joint.name in names else joint
                                       for joint in robot.joints))


@dataclass(frozen=True, eq=False)
class Ringing:
    """A stop with gears that give way."""

    robot: RobotQuantities
    """What is beyond the gears."""
    motion: Motion
    """Of its links; time from the instant on, with some of the ringing after the stop."""
    joints: tuple[str, ...]
    """Whose gears give way."""
    torques: Floats
    """(samples, joints): what each gear gives to its joint, N m (N)."""
    simulation: Simulation | None
    """Of rotors and links, where power is off."""
    looked: float
    """How often it is looked at in a period of the quickest ringing."""


class Start(NamedTuple):
    """The state of rotors and links at an instant of a motion."""

    links: RobotQuantities
    springs: tuple[Spring, ...]
    q: Floats
    qd: Floats
    twist: Floats
    """(springs,): q - theta."""
    rate: Floats
    at_q: tuple[int, ...]
    at_v: tuple[int, ...]

    @classmethod
    def of(
        cls, robot: RobotQuantities, springs: tuple[Spring, ...], motion: Motion, at: float,
        external: Mapping[str, Wrench] | None = None,
    ) -> Start:
        """Each gear is twisted by what it bears in the motion."""
        names = [spring.joint for spring in springs]
        links = without_rotors(robot, names)
        columns = tuple(robot.dof_names.index(name) for name in names)
        times = np.clip([at - SLOPE, at, at + SLOPE], motion.t[0], motion.t[-1])
        here = [motion.at(t) for t in times.tolist()]
        bears = [np.asarray(links.inverse_dynamics(one.q[0], one.qd[0], one.qdd[0], external=external)) for one in here]
        twists = np.array([[-spring.twist(float(tau[k])) for spring, k in zip(springs, columns, strict=True)]
                           for tau in bears])
        rate = (twists[2] - twists[0]) / max(times[2] - times[0], 1e-300)
        crossed = np.sign(twists[2]) != np.sign(twists[0])  # from one flank to the other
        return cls(links, springs, here[1].q[0], here[1].qd[0], twists[1], np.where(crossed, 0.0, rate),
                   tuple(robot.q_slices[name].start for name in names), columns)

    def restoring(self, twist: Floats) -> Floats:
        """(..., springs): T of twists."""
        return np.stack([spring.torque(twist[..., k]) for k, spring in enumerate(self.springs)], axis=-1)

    def frequencies(self, rotors: Floats) -> tuple[float, float]:
        """rad/s: the lowest of the links with all rotors held, and the highest with free ones."""
        from scipy.linalg import eigh

        columns = list(self.at_v)
        M = np.asarray(self.links.mass_matrix(self.q))[np.ix_(columns, columns)]
        soft = np.diag([spring.softest for spring in self.springs])
        low = eigh(soft, M, eigvals_only=True)
        hard = np.diag([spring.slope for spring in self.springs])
        both = np.linalg.inv(M) + np.diag(1.0 / rotors)  # of the twists, where links and rotors are free
        high = np.linalg.eigvals(both @ hard)
        return float(np.sqrt(low[0])), float(np.sqrt(np.abs(high).max()))

    def times(self, rest: float, low: float, high: float) -> Floats:
        """At which it is looked."""
        end = rest + min(PERIODS * 2 * np.pi / low, LONGEST)
        step = min(1e-3, 2 * np.pi / high / OF_A_PERIOD)
        return np.linspace(0.0, end, min(int(end / step) + 2, MOST_SAMPLES))


def ringing_without_power(
    robot: RobotQuantities, springs: tuple[Spring, ...], motion: Motion, at: float, off: PowerOff, rest: float
) -> Ringing:
    """A stop of category 0 that takes so long with stiff gears."""
    start = Start.of(robot, springs, motion, at, off.acting.external)
    names = [spring.joint for spring in springs]
    apart = with_rotors_apart(robot, names)
    q, qd, place_q, place_v = _spread(robot, apart)
    gears = [apart.dof_names.index(gear_joint(name)) for name in names]
    gears_q = [apart.q_slices[gear_joint(name)].start for name in names]
    rotors_v = [place_v[k] for k in start.at_v]
    q[place_q], qd[place_v] = start.q, start.qd
    q[gears_q], qd[gears] = start.twist, start.rate
    q[[place_q[k] for k in start.at_q]] -= start.twist
    qd[rotors_v] -= start.rate
    low, high = start.frequencies(_rotors(robot, names))

    def torque(t: float, q: Floats, qd: Floats) -> Floats:
        found = np.zeros(apart.n)
        found[gears] = -start.restoring(q[gears_q])
        return found

    times = start.times(rest, low, high)
    acting = Acting(off.acting.external, torque, LONGEST_STEP / high)
    run = PowerOff(apart, off.brakes, off.gear_losses, off.longest, acting).run(q, qd, times, RTOL)
    q_links, qd_links, qdd_links = (np.array(rows[:, place]) for rows, place in (
        (run.q, place_q), (run.qd, place_v), (run.qdd, place_v)))
    q_links[:, start.at_q] += run.q[:, gears_q]
    qd_links[:, start.at_v] += run.qd[:, gears]
    qdd_links[:, start.at_v] += run.qdd[:, gears]
    links = Motion.from_checked(run.times, q_links, qd_links, qdd_links, robot)
    return Ringing(start.links, links, tuple(names), -start.restoring(run.q[:, gears_q]), run,
                   looked_at(times, high))


def looked_at(times: Floats, high: float) -> float:
    """How often in a period of the quickest ringing.

    >>> looked_at(np.linspace(0.0, 1.0, 101), 20 * np.pi)
    10.0
    """
    return float(np.round(2 * np.pi / high / (times[1] - times[0]), 9))


def _spread(robot: RobotQuantities, apart: RobotQuantities) -> tuple[Floats, Floats, list[int], list[int]]:
    """Room for a state of the robot with rotors apart, and where the coordinates and speeds of the robot are in it."""
    place_q = [apart.coordinate_names.index(name) for name in robot.coordinate_names]
    place_v = [apart.dof_names.index(name) for name in robot.dof_names]
    return np.array(apart.neutral()), np.zeros(apart.n), place_q, place_v


def _rotors(robot: RobotQuantities, names: Sequence[str]) -> Floats:
    """(names,): inertias at the joints."""
    return np.array([robot.joint(name).reflected_inertia[0] for name in names])


def path_of(braking: Fastest) -> Callable[[Floats], tuple[Floats, Floats, Floats]]:
    """q, qd and qdd over times (m,), at rest after the end: accelerations on straight lines between many samples, and
    what follows from them.
    """
    grid = np.linspace(0.0, braking.duration, ON_A_PATH + 1)
    q, qd, qdd = (np.array(each) for each in braking.at(grid))
    width = float(grid[1])

    def rows(t: Floats) -> tuple[Floats, Floats, Floats]:
        k = np.clip((t / width).astype(int), 0, ON_A_PATH - 1)
        rests = t > braking.duration
        h = np.where(rests, 0.0, t - grid[k])[:, None]
        k = np.where(rests, ON_A_PATH, k)
        slope = np.where(rests[:, None], 0.0, (qdd[np.minimum(k + 1, ON_A_PATH)] - qdd[k]) / width)
        moves = ~rests[:, None]
        return (q[k] + h * (qd[k] + h * (qdd[k] / 2 + h * slope / 6)), moves * (qd[k] + h * (qdd[k] + h * slope / 2)),
                moves * (qdd[k] + h * slope))

    return rows


def ringing_along(
    robot: RobotQuantities, springs: tuple[Spring, ...], motion: Motion, at: float, braking: Fastest
) -> Ringing:
    """Rotors follow the path on which drives brake, and then rest."""
    from scipy.integrate import solve_ivp

    start = Start.of(robot, springs, motion, at)
    columns, count = list(start.at_v), len(springs)
    low, high = start.frequencies(_rotors(robot, [spring.joint for spring in springs]))

    rotors = path_of(braking)

    def links(t: Floats, y: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """States of the links, and how they accelerate against the rotors; over times (m,) and y (m, 2 springs)."""
        q, qd, qdd = rotors(t)
        q[:, list(start.at_q)] += y[:, :count]
        qd[:, columns] += y[:, count:]
        needed = np.asarray(start.links.inverse_dynamics(q, qd, qdd))[:, columns]
        M = np.asarray(start.links.mass_matrix(q))[:, columns][:, :, columns]
        relative: Floats = np.asarray(
            np.linalg.solve(M, (-start.restoring(y[:, :count]) - needed)[..., None])[..., 0], dtype=float)
        qdd[:, columns] += relative
        return q, qd, qdd, relative

    def rate(t: float, y: Floats) -> Floats:
        return np.concatenate([y[count:], links(np.array([t]), y[None])[3][0]])

    times = start.times(braking.duration, low, high)
    halves = times <= braking.duration, times > braking.duration
    y, begin, found = np.concatenate([start.twist, start.rate]), 0.0, []
    for those, end in zip(halves, (braking.duration, float(times[-1])), strict=True):
        own = solve_ivp(rate, (begin, end), y, "DOP853", max_step=LONGEST_STEP / high, rtol=1e-8, atol=1e-12,
                        t_eval=np.append(times[those], end) if times[those][-1] < end else times[those])
        found.append(own.y.T[: those.sum()])
        y, begin = own.y[:, -1], float(np.nextafter(end, np.inf))
    states = np.concatenate(found)
    q, qd, qdd, _ = links(times, states)
    moved = Motion.from_checked(times, q, qd, qdd, robot)
    twists = states[:, :count]
    return Ringing(start.links, moved, tuple(spring.joint for spring in springs), -start.restoring(twists), None,
                   looked_at(times, high))
