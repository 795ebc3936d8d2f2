"""Loads of all joints as affine functions of the masses that are chosen: L = L0 + sum of m_k U_k.

U_k is what one kilogram at the k-th joint adds. It is found by the loads of the robot with that kilogram, by the same
code that makes the loads of a verdict, so all that acts there is in L0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from loadpath.loads.motors.motor_side import Motors, motors_of
from loadpath.loads.resultants import resultants
from loadpath.parts.part import JointLoads
from loadpath.parts.rules import motor_at
from loadpath.parts.sizing.options import with_masses
from loadpath.parts.verdict.duties import Duty
from loadpath.parts.verdict.joint_loads import Drives, Seat, Source
from loadpath.scalars.types import Floats

MOST_STATES = 200_000
_NOTHING = 1e-11
"""What is less, relative to the largest, is rounding."""


@dataclass(frozen=True, eq=False)
class Affine:
    """A signal of the states (..., states) that depends on the masses: one without them, and one for each kilogram."""

    base: Floats
    slopes: Floats
    """(masses, ..., states)."""

    @classmethod
    def of(cls, values: Sequence[Floats]) -> Affine:
        """From the values without masses, and with one kilogram at each place by itself."""
        base, slopes = values[0], np.stack(values[1:]) - values[0]
        size = np.abs(base).max(initial=0.0) + np.abs(slopes).max(initial=0.0)
        slopes[np.abs(slopes).max(axis=tuple(range(1, slopes.ndim)), initial=0.0) <= _NOTHING * size] = 0.0
        return cls(base, slopes)

    def at(self, masses: Floats) -> Floats:
        """(designs, ..., states) of masses (designs, masses)."""
        found: Floats = self.base + np.tensordot(masses, self.slopes, axes=1)
        return found

    @property
    def felt(self) -> set[int]:
        """Numbers of the masses that change it."""
        return {int(k) for k in np.flatnonzero(self.slopes.any(axis=tuple(range(1, self.slopes.ndim))))}


@dataclass(frozen=True, eq=False)
class Piece:
    """States that follow each other in one motion."""

    motion: int
    first: int
    rows: slice


@dataclass(frozen=True, eq=False)
class Train:
    """What the drive train of a joint is with an option there."""

    motors: Motors | None
    number: int
    """Of the joint among these motors."""
    reflected: float
    """kg m^2: its rotor as felt at the joint."""


def train_of(robot: Any, name: str) -> Train | None:
    """The drive train that a robot has at a joint."""
    if name not in robot.dof_names or name not in robot.joint_names:
        return None
    motors = motors_of(robot) if robot.drive_trains else None
    known = motors is not None and name in motors.drive_names
    number = motors.drive_names.index(name) if motors is not None and known else 0
    return Train(motors if known else None, number, robot.joint(name).reflected_inertia[0])


class SeatLoads:
    """What a joint or loop carries, of any masses."""

    def __init__(self, seat: Seat, robot: Any, states: States, arrays: dict[str, Affine]) -> None:
        self.seat, self.states, self.arrays = seat, states, arrays
        self.position, self.speed, self.acceleration = seat.motion(robot, (states.q, states.qd, states.qdd))
        self.reflected = 0.0 if seat.freedom is None or seat.joint is None else seat.joint.reflected_inertia[0]

    @property
    def felt(self) -> set[int]:
        """Numbers of the masses that it feels."""
        return set().union(*(array.felt for array in self.arrays.values()))

    def of(
        self, masses: Floats, train: Train | None, *, wrench: bool = True, resolved: bool = True
    ) -> JointLoads:
        """The loads of some designs (designs, masses), one after the other: (designs x states,) each. Without `wrench`,
        forces and moments are left out, without `resolved` their parts along and across the axis.
        """
        count, states = len(masses), self.states
        size = count * len(states.t)

        def tiled(array: Floats) -> Floats:
            return np.broadcast_to(array, (count, len(array))).reshape(size)

        def signal(name: str) -> Floats | None:
            return self.arrays[name].at(masses).reshape(size) if name in self.arrays else None

        speed, acceleration = tiled(self.speed), tiled(self.acceleration)
        nothing = np.broadcast_to(np.nan, (size,))
        force = torque = np.broadcast_to(np.nan, (size, 3))
        along = np.broadcast_to(np.nan, (size, 4))
        if wrench and "force" in self.arrays:
            force, torque = (np.moveaxis(self.arrays[name].at(masses), 1, -1).reshape(size, 3)
                             for name in ("force", "torque"))
            if resolved:
                along = resultants(self.seat.place.axis[None], force[:, None], torque[:, None])[:, 0]
        drive, gear, inertia, motor = nothing, signal("gear"), signal("inertia"), None
        if gear is not None and train is not None:
            drive = gear + train.reflected * acceleration
            inertia = None if inertia is None else inertia + (train.reflected - self.reflected)
            if train.motors is not None:
                motor = motor_at(train.motors, train.number, drive, speed, acceleration)
        return JointLoads(0, 0, tiled(states.t), tiled(states.weights), tiled(self.position), speed, acceleration,
                          force, torque, along[:, 0], along[:, 1], along[:, 2], along[:, 3], drive, motor, gear,
                          signal("holding"), inertia)

    def pieces(self, loads: JointLoads) -> list[JointLoads]:
        """Loads of one design, motion by motion, as examiners take them in."""
        return [_piece(loads, piece) for piece in self.states.pieces]


def _piece(loads: JointLoads, piece: Piece) -> JointLoads:
    values: dict[str, Any] = {}
    for name, value in vars(loads).items():
        if isinstance(value, np.ndarray):
            values[name] = value[piece.rows]
    if loads.motor is not None:
        motor = loads.motor
        values["motor"] = replace(motor, torque=motor.torque[piece.rows], speed=motor.speed[piece.rows],
                                  current=motor.current[piece.rows])
    return replace(loads, motion=piece.motion, first=piece.first, **values)


@dataclass(frozen=True, eq=False)
class States:
    """All states of all motions, in the order of time."""

    q: Floats
    qd: Floats
    qdd: Floats
    t: Floats
    weights: Floats
    pieces: tuple[Piece, ...]


class Loads:
    """The loads of all joints that are judged, of a robot with a mass at each joint of `places`."""

    def __init__(self, robot: Any, duties: tuple[Duty, ...], places: Sequence[str], seats: Sequence[str]) -> None:
        count = sum(map(len, duties))
        if count > MOST_STATES:
            raise ValueError(f"size: {count:,} states: expected at most {MOST_STATES:,}; take fewer samples a second")
        self.places = tuple(places)
        nothing = dict.fromkeys(places, 0.0)
        self.robot = with_masses(robot, nothing)
        robots = [self.robot, *(with_masses(robot, {**nothing, place: 1.0}) for place in places)]
        found = loads_of([Source(one) for one in robots], duties, seats, "size")
        self.states, self.tau, self.seats = found


def loads_of(
    sources: Sequence[Source], duties: tuple[Duty, ...], seats: Sequence[str], caller: str
) -> tuple[States, Affine, dict[str, SeatLoads]]:
    """The states, and as affine functions of masses the forces of all drives (n, states) and what each seat carries:
    of a source without masses and one for each mass, with one kilogram of it.
    """
    robot = sources[0].robot
    made = [Seat(robot, name) for name in seats]
    states = _states(duties)
    found = [_values(source, duties, made) for source in sources]
    if not all(np.isfinite(array).all() for values, _ in found for array in values.values()):
        raise ValueError(f"{caller}: loads of robot '{robot.name}' are not numbers in some states: the motion has gaps "
                         "or what acts has")
    carried = {}
    for seat in made:
        arrays = {name: Affine.of([of_seats[seat.name][name] for _, of_seats in found])
                  for name in found[0][1][seat.name]}
        carried[seat.name] = SeatLoads(seat, robot, states, arrays)
    return states, Affine.of([values["tau"] for values, _ in found]), carried


def _states(duties: tuple[Duty, ...]) -> States:
    parts: list[list[Floats]] = [[], [], [], [], []]
    pieces, start = [], 0
    for duty in duties:
        for block in duty.blocks():
            for part, array in zip(parts, (*block.arrays, block.t, block.weight), strict=True):
                part.append(array)
            pieces.append(Piece(duty.number, block.first, slice(start, start + len(block))))
            start += len(block)
    q, qd, qdd, t, weights = (np.concatenate(part) for part in parts)
    return States(q, qd, qdd, t, weights, tuple(pieces))


def _values(
    source: Source, duties: tuple[Duty, ...], seats: Sequence[Seat]
) -> tuple[dict[str, Floats], dict[str, dict[str, Floats]]]:
    """Forces of the drives, and what each seat carries, states last."""
    drives = Drives(source, [seat for seat in seats if seat.freedom is not None])
    tau: list[Floats] = []
    of_seats: dict[str, dict[str, list[Floats]]] = {seat.name: {} for seat in seats}
    for duty in duties:
        for block in duty.blocks():
            known, keywords = np.arange(len(block)), block.case.keywords
            forces = source.drives(block.arrays, keywords)
            tau.append(forces.T)
            if not seats:
                continue
            force, torque = source.wrenches(block.arrays, keywords)
            seen = drives.of(block, known, forces)
            for seat in seats:
                mine: dict[str, Any] = {"force": force[:, seat.number].T, "torque": torque[:, seat.number].T}
                if (drive := seen.get(seat.name)) is not None:
                    mine |= {"gear": drive.gear, "holding": drive.holding, "inertia": drive.inertia}
                for name, array in mine.items():
                    if array is not None:
                        of_seats[seat.name].setdefault(name, []).append(np.asarray(array))
    return ({"tau": np.concatenate(tau, axis=1)},
            {name: {key: np.concatenate(parts, axis=-1) for key, parts in arrays.items()}
             for name, arrays in of_seats.items()})
