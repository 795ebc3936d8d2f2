"""What happens once in a while: an emergency stop, a collision, an overload. It meets momentary limits, not a duty's.

An event is states of a robot with what acts in them, and what is known of it beside: torques that gears bear (more than
those of stiff gears, as a rule), the heat of brakes, how often it comes. The states go past the examiners of all parts
as those of a duty do; of their checks those stay that a single event has to meet.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from loadpath.errors import ModelWarning
from loadpath.parts.catalogue import compare
from loadpath.parts.fitting import parts_of
from loadpath.parts.gears.gear import AS_GIVEN, Gear
from loadpath.parts.motors.brake import Brake
from loadpath.parts.motors.motor import Motor
from loadpath.parts.verdict.duties import duties_of
from loadpath.parts.verdict.limits import LABEL
from loadpath.parts.verdict.result import Asked, Verdict, VerdictRow
from loadpath.parts.verdict.running import row_of, run
from loadpath.states import LoadCase

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

OF_A_DUTY = ("average", "mean", "life", "output bearing: life", "RMS", "repeated", "acceleration torque", "winding",
             "overload", "energy", "holding", "continuous", "torsion", "fatigue", "inertia ratio")
"""How checks of a duty begin, which a single event does not meet."""
OF_PEAKS = ("repeated peak torque", "acceleration torque")
"""Checks of a gear's largest torque: its instant is that of what an event brings."""
COUNTED = "number of"
SPEEDS = ("rad/s", "m/s")
STIFF = "of a stiff gear: one that gives way may bear twice as much in a moment"
HEAT, ALL_HEAT = "energy of a stop", "energy of all stops"


@dataclass(frozen=True, eq=False)
class Event:
    """Something that happens to a robot once in a while."""

    robot: RobotQuantities
    states: Any
    """A motion, or arrays (q, qd, qdd)."""
    case: LoadCase = field(default_factory=LoadCase)
    """What acts."""
    torques: Mapping[str, float] = field(default_factory=dict)
    """N m (N) that the gear of each joint gives to it at most."""
    heat: tuple[tuple[str, Brake, float], ...] = ()
    """J that each brake turns into heat."""
    duration: float | None = None
    """s."""
    count: float | None = None
    """How often it happens in life."""
    powered: bool = True
    """Whether the drives have power."""
    typed: frozenset[str] = frozenset()
    """Joints whose torque is what the user says, not that of the states."""
    stiff: frozenset[str] = frozenset()
    """Joints whose gears are stiff in it, though it rings."""


def momentary_verdict(event: Event) -> Verdict:
    """The verdict on an event: static safety of bearings, bolts, momentary and emergency torque of gears, stress and
    buckling of beams, the heat of brakes, ends of the joints' ranges. Not what a duty meets: lives, means, repeated
    peaks, temperatures, accuracy.
    """
    robot = event.robot
    speeds = {} if event.duration is None else _speeds(event)
    parts = tuple((joint, _asked(event, joint, part, speeds)) for joint, part in robot.parts)
    duties = duties_of(robot, "verdict", event.states, None, None, event.case)
    found = run(replace(robot, parts=parts), duties, Asked(duties[0].case, None))
    rows = [*_momentary(event, found), *_heat(event)]
    return replace(found, checks=tuple(rows))


def _speeds(event: Event) -> dict[str, float]:
    """The largest speed of each joint, rad/s (m/s)."""
    robot, (duty,) = event.robot, duties_of(event.robot, "verdict", event.states, None, None, event.case)
    return {name: float(abs(duty.states.qd[:, k]).max()) for k, name in enumerate(robot.dof_names)}


def _asked(event: Event, joint: str, part: Any, speeds: Mapping[str, float]) -> Any:
    """A gear that is asked for what this event brings; another part as it is."""
    torque = abs(event.torques.get(joint, 0.0)) if isinstance(part, Gear) else 0.0
    if not torque:
        return part
    output = part.output_ratio or 1.0
    asked = {"emergency_torque": torque / output, "emergency_count": event.count,
             "emergency_speed": speeds.get(joint, 0.0) * output or None, "emergency_time": event.duration or None}
    known = {one.name for one in fields(part)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # what is asked of its ratings was asked when it was made
        return replace(part, **{name: value for name, value in asked.items() if name in known and value is not None})


def _momentary(event: Event, found: Verdict) -> Iterable[VerdictRow]:
    """The rows that a single event has to meet."""
    largest = {(row.joint, row.part): row for row in found.checks if row.check in OF_PEAKS}
    stiff = {(joint, part.label) for joint, part in parts_of(event.robot)
             if isinstance(part, Gear) and joint in event.stiff}
    for row in found.checks:
        if row.check.startswith(OF_A_DUTY) or row.life_hours is not None or row.not_given:
            continue
        if row.part == LABEL and row.check != "position":
            continue
        if row.kind == Motor.kind and not event.powered and "speed" not in row.check:
            continue
        if row.unit in SPEEDS and row.demand == 0.0:  # at rest
            continue
        peak = largest.get((row.joint, row.part))
        if row.check.startswith(COUNTED):
            few = peak is not None and peak.checked and event.torques[row.joint] <= _torque_at_joint(event, peak)
            if event.count is None or few:  # peaks that may come in every cycle are not counted
                continue
        if row.note == AS_GIVEN and peak is not None and row.joint not in event.typed:
            row = replace(row, at=peak.at, along=peak.along, note="")  # noqa: PLW2901
        if (row.joint, row.part) in stiff and row.checked and "torque" in row.check:
            row = replace(row, note="; ".join(filter(None, (row.note, STIFF))))  # noqa: PLW2901
        yield row


def _torque_at_joint(event: Event, peak: VerdictRow) -> float:
    """The limit of a repeated peak, at the joint."""
    gears = [part for joint, part in event.robot.parts if joint == peak.joint and isinstance(part, Gear)]
    return peak.capacity * (gears[0].output_ratio or 1.0)


def _heat(event: Event) -> Iterable[VerdictRow]:
    """What brakes turn into heat, against what they may."""
    for joint, brake, energy in event.heat:
        if brake.energy_per_stop is None and brake.total_energy is None and not _is_fitted(event.robot, joint, brake):
            continue
        check = compare(HEAT, energy, brake.energy_per_stop, "J", "energy_per_stop")
        yield row_of(joint, brake.label, brake.kind, check)
        if event.count is not None and brake.total_energy is not None:
            every = compare(ALL_HEAT, event.count * energy, brake.total_energy, "J", "total_energy",
                            note=f"{event.count:g} times")
            yield row_of(joint, brake.label, brake.kind, every)


def _is_fitted(robot: RobotQuantities, joint: str, brake: Brake) -> bool:
    return any(name == joint and isinstance(part, Brake) and part.label == brake.label for name, part in robot.parts)
