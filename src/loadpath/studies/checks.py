"""Utilisations and lives of many designs at once: each check of a verdict by its rule, a reduction of a signal of the
loads (`parts/part.py`), over pairs of a design and a state. Where a check has no rule, designs are judged one by one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.loads.motors.motor_side import motors_of
from loadpath.loads.resultants import resultants
from loadpath.parts.fitting import parts_of
from loadpath.parts.part import Check, JointLoads, MotorSide, Rule
from loadpath.parts.rules import motor_at, used_by_rule
from loadpath.parts.verdict.duties import duties_of
from loadpath.parts.verdict.joint_loads import Drives, Seat, Source
from loadpath.parts.verdict.limits import LABEL, LIMIT_SLACK, OwnLimits
from loadpath.parts.verdict.result import Asked
from loadpath.parts.verdict.running import run as judged
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase
from loadpath.studies.signals import Case, Signals
from loadpath.studies.states import of_motion

LONGEST = 1 << 16
"""States of a motion whose loads are held at once."""
_AGREES = 1e-9


class OneByOneError(Exception):
    """The checks of these designs have no rules: why."""


@dataclass(frozen=True, eq=False)
class _Ruled:
    """A check of a part with its rule, as it came out for one design."""

    seat: Seat
    rule: Rule
    check: Check
    part: str
    speed: float
    """Mean of the speed's magnitude there."""


class BlockChecks:
    """The checks of a robot and of all that differ from it in numbers that no part reads."""

    def __init__(self, robot: Any, motion: Any, hours: float | None) -> None:
        if robot.on_wheels or robot.held_by_loops or robot.beams:
            what = "wheels" if robot.on_wheels else "loops" if robot.held_by_loops else "beams"
            raise OneByOneError(f"robot '{robot.name}' has {what}")
        self.robot = robot
        (duty, *others) = duties_of(robot, "study", motion, None, None, LoadCase())
        if others or duty.carried or duty.states.case.given:
            raise OneByOneError("several motions, or a motion that carries loads")
        if len(duty) > LONGEST:
            raise OneByOneError(f"a motion of {len(duty)} samples")
        self.limits = OwnLimits(robot)
        self.seats: dict[str, Seat] = {}
        self.ruled: list[_Ruled] = []
        self.fixed: list[tuple[str, Check]] = []
        """Checks that no number of a design changes."""
        self.motors = motors_of(robot) if robot.drive_trains else None
        examined = []
        for name, part in parts_of(robot):
            seat = self.seats.setdefault(name, Seat(robot, name))
            examined.append((seat, part.label, part.examiner(seat.place)))
        drives = Drives(Source(robot), [seat for seat in self.seats.values() if seat.freedom is not None])
        speeds = dict.fromkeys(self.seats, 0.0)
        for block in duty.blocks():
            source = Source(robot)
            tau = source.drives(block.arrays, block.case.keywords)
            force, torque = source.wrenches(block.arrays, block.case.keywords)
            if not (np.isfinite(tau).all() and np.isfinite(force).all() and np.isfinite(torque).all()):
                raise OneByOneError("states that are not numbers")
            known = np.arange(len(block))
            self.limits.add(block, known, block.arrays[0], block.arrays[1], tau)
            seen = drives.of(block, known, tau)
            for seat, _, examiner in examined:
                loads = seat.loads(robot, block, known, force[:, seat.number], torque[:, seat.number],
                                   seen.get(seat.name))
                examiner.add(loads)
            for seat in self.seats.values():
                speed = seat.motion(robot, block.arrays)[1]
                speeds[seat.name] += float((np.abs(speed) * block.weight).sum())
        for seat, label, examiner in examined:
            checks = examiner.checks(hours)
            rules = getattr(examiner, "rules", {})
            for check in checks:
                if not check.checked and check.life_hours is None:
                    continue
                if check.check not in rules:
                    raise OneByOneError(f"'{check.check}' of joint '{seat.name}' is no reduction of its loads")
                self.ruled.append(_Ruled(seat, rules[check.check], check, label, speeds[seat.name]))
        self._take_limits()
        self.holds_at_rest = any(self._needs_holding(one) for one in self.ruled)
        self._check_against(judged(robot, (duty,), Asked(LoadCase(), hours)), motion)

    @property
    def names(self) -> set[str]:
        """Of the rows that there are: joint and check, and joint, part and check."""
        own = [(self.robot.dof_names[k], LABEL, "effort") for k in self.efforts]
        own += [(name, LABEL, check.check) for name, check in self.fixed]
        own += [(one.seat.name, one.part, one.check.check) for one in self.ruled]
        return {name for joint, part, check in own for name in (f"{joint}.{check}", f"{joint}.{part}.{check}")}

    def _take_limits(self) -> None:
        self.efforts = [k for k in range(self.robot.n) if math.isfinite(self.limits.effort[k])]
        self.fixed = [(name, check) for name, check in self.limits.checks() if check.check != "effort"]

    def _needs_holding(self, one: _Ruled) -> bool:
        """Whether its signal reads what the drive gives at rest."""
        few, three = np.ones(2), np.ones((2, 3))
        motor = None if self.motors is None else MotorSide(few, few, few, 1.0)
        loads = JointLoads(0, 0, few, few, few, few, few, three, three, few, few, few, few, few, motor, few)
        try:
            one.rule.signal(loads)
        except Exception:  # an examiner asks for what is not there in its own way
            return True
        return False

    def _check_against(self, verdict: Any, motion: Any) -> None:
        """One design by rules is as it is by the verdict, or designs are judged one by one."""
        states = of_motion(self.robot, motion, {})
        case = Case(self.robot, None, None, states, 1)
        found = self.of(Signals(case, slice(0, 1), slice(0, states.count)), states.weights_of(slice(0, states.count)))
        agree(found, verdict)

    def of(self, signals: Signals, weights: Floats) -> dict[str, Floats]:
        """`utilisation` and `life` of each design in a block that has all states, and the utilisation of each row."""
        count = signals.shape[0]
        worst, life = np.full(count, np.nan), np.full(count, np.nan)
        rows: dict[str, Floats] = {}
        tau = signals.wide(signals.tau) if self.efforts else None
        for k in self.efforts:
            assert tau is not None
            column = tau[..., k]
            most = np.maximum(column.max(axis=1), -column.min(axis=1)) / self.limits.effort[k]
            used = np.where((most > 1.0) & (most <= 1.0 + LIMIT_SLACK), 1.0, most)
            rows[f"{self.robot.dof_names[k]}.effort"] = rows[f"{self.robot.dof_names[k]}.{LABEL}.effort"] = used
            worst = np.fmax(worst, used)
        own_states = signals.case.states.own
        for name, check in [] if own_states else self.fixed:
            used = np.full(count, check.utilisation)
            if check.check == "speed" and signals.case.states.pace is not None:
                used = used * signals.case.states.pace[signals.designs]
                used = np.where((used > 1.0) & (used <= 1.0 + LIMIT_SLACK), 1.0, used)
            rows[f"{name}.{check.check}"] = rows[f"{name}.{LABEL}.{check.check}"] = used
            worst = np.fmax(worst, used)
        for row, used in self._of_own_states(signals).items() if own_states else ():
            rows[row] = used
            worst = np.fmax(worst, used)
        loads: dict[str, JointLoads] = {}
        for one in self.ruled:
            name = one.seat.name
            if name not in loads:
                loads[name] = self._loads(one.seat, signals, weights)
            used, hours = self._used(one, loads[name], signals, weights)
            row = f"{name}.{one.check.check}"  # of two parts it is asked for with the name of the part
            rows[row] = np.fmax(rows[row], used) if row in rows else used
            rows[f"{name}.{one.part}.{one.check.check}"] = used
            worst = np.fmax(worst, used)
            life = np.fmin(life, hours)
        nans = np.isnan(signals.wrenches[0]).any(axis=(1, 2, 3)) if self.ruled else (
            np.isnan(tau).any(axis=(1, 2)) if tau is not None else np.zeros(count, dtype=bool))
        nans = np.broadcast_to(nans, (count,))
        found = {"utilisation": np.where(nans, np.nan, worst), "life": np.where(nans, np.nan, life)}
        return found | {f"row {name}": np.where(nans, np.nan, used) for name, used in rows.items()}

    def _of_own_states(self, signals: Signals) -> dict[str, Floats]:
        """Of speeds and positions, where each design has states of its own."""
        pairs = signals.shape[0] * signals.shape[1]
        q, qd = (signals.wide(array).reshape(pairs, -1) for array in (signals.q, signals.qd))
        sizes = self.limits.used(q, qd)
        found = {}
        for name, check in self.fixed:
            k = next(i for i, track in enumerate(self.limits.tracks) if track.label == name)
            most = sizes[check.check][:, k].reshape(signals.shape).max(axis=1)
            used = np.where((most > 1.0) & (most <= 1.0 + LIMIT_SLACK), 1.0, most)
            found[f"{name}.{check.check}"] = found[f"{name}.{LABEL}.{check.check}"] = used
        return found

    def _used(self, one: _Ruled, loads: JointLoads, signals: Signals, weights: Floats) -> tuple[Floats, Floats]:
        """Utilisation and hours of a check, (designs,) each."""
        check, shape = one.check, signals.shape
        unloaded = check.life_hours is not None and check.demand == 0.0
        if one.rule.reduction == "life" and unloaded and one.speed > 0:
            raise OneByOneError(f"'{check.check}' of joint '{one.seat.name}' is not loaded")
        signal = np.broadcast_to(one.rule.signal(loads), (shape[0] * shape[1],)).reshape(shape)
        return used_by_rule(one.rule, check, one.speed, signal, loads.speed.reshape(shape), weights)

    def _loads(self, seat: Seat, signals: Signals, weights: Floats) -> JointLoads:
        """The loads of a joint, pairs in rows."""
        robot = self.robot
        pairs = signals.shape[0] * signals.shape[1]
        arrays = tuple(signals.wide(array).reshape(pairs, -1) for array in (signals.q, signals.qd, signals.qdd))
        force, torque = (signals.wide(part)[..., seat.number, :].reshape(pairs, 3) for part in signals.wrenches)
        position, speed, acceleration = seat.motion(robot, arrays)  # type: ignore[arg-type]
        along = resultants(seat.place.axis[None], force[:, None], torque[:, None])[:, 0]
        drive, gear, holding, motor = np.full(pairs, np.nan), None, None, None
        if seat.freedom is not None and seat.joint is not None:
            k = robot.dof_names.index(seat.name)
            tau = signals.wide(signals.tau).reshape(pairs, -1)
            drive = tau[:, k]
            gear = drive - seat.joint.reflected_inertia[0] * arrays[2][:, k]
            if self.holds_at_rest:
                holding = signals.wide(signals.holding).reshape(pairs, -1)[:, k]
            motor = self._motor(seat.name, arrays, tau)
        every = np.tile(weights, signals.shape[0])
        return JointLoads(0, 0, every, every, position, speed, acceleration, force, torque, along[:, 0], along[:, 1],
                          along[:, 2], along[:, 3], drive, motor, gear, holding)

    def _motor(self, name: str, arrays: Any, tau: Floats) -> MotorSide | None:
        if self.motors is None or name not in self.motors.drive_names:
            return None
        motors, k = self.motors, self.motors.drive_names.index(name)
        place = motors.places[k]
        return motor_at(motors, k, tau[:, place], arrays[1][:, place], arrays[2][:, place])


def agree(found: Mapping[str, Floats], verdict: Any) -> None:
    """An error where rules give one design something else than its verdict."""
    worst = verdict.worst
    expected = math.nan if worst is None else worst.utilisation
    life = min((row.life_hours for row in verdict.checks if row.life_hours is not None), default=math.nan)
    for name, value in (("utilisation", expected), ("life", life)):
        if not _alike(float(found[name][0]), value):
            raise OneByOneError(f"{name} by rules is {found[name][0]:g}, by the verdict {value:g}")


def _alike(one: float, other: float) -> bool:
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) == math.isnan(other)
    return one == other or abs(one - other) <= _AGREES * max(abs(one), abs(other))
