"""What a robot does from when its drives are off until all of its joints rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.errors import ModelError
from loadpath.parts.fitting import parts_of
from loadpath.parts.motors.brake import Brake
from loadpath.robot.numbers import known, number
from loadpath.robot.units_of_text import in_si
from loadpath.scalars.types import Bools, Floats
from loadpath.simulate.power_off import BrakeLike, read_brakes
from loadpath.simulate.result import Simulation
from loadpath.simulate.simulation import simulate

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

FIRST = 0.25
"""s after the last brake grips: how long is looked at first."""
RATE, FINE = 1000.0, 200
"""Samples a second of what is found; parts of the interval in which it comes to rest."""
RTOL = 1e-10
AT_REST, NO_ACCELERATION = 1e-10, 1e-6
"""rad/s (m/s) and rad/s^2 (m/s^2) of a joint that nothing holds: less is rest."""

BrakesGiven = Mapping[str, "BrakeLike"]


class Acting(NamedTuple):
    """What else acts while the power is off."""

    external: Any = None
    """Wrenches on links, as `robot.simulate` takes them."""
    torque: Any = None
    """Torques at joints, a function of t, q and qd."""
    max_step: float | None = None
    resting: int | None = None
    """How many speeds, the first ones, are to come to rest; None: all."""


class PowerOff(NamedTuple):
    """How the power fails: the same from every instant."""

    robot: RobotQuantities
    brakes: Mapping[str, list[Any]]
    gear_losses: bool
    longest: float
    """s: what still moves then does not stop."""
    acting: Acting = Acting()

    @property
    def grips(self) -> Floats:
        """When brakes grip, s after the power fails."""
        found = read_brakes(self.robot, self.brakes)
        return np.empty(0) if found is None else np.unique(found.engages)

    def run(self, q: Floats, qd: Floats, times: Floats, rtol: float, after: float = 0.0) -> Simulation:
        """From a state, `after` so many seconds without power."""
        brakes = {name: [_later(one, after) for one in several] for name, several in self.brakes.items()}
        return simulate(self.robot, q, qd, times=times, brakes=brakes, gear_losses=self.gear_losses or None, rtol=rtol,
                        external=self.acting.external, torque=self.acting.torque, max_step=self.acting.max_step,
                        stop=range_left(self.robot, q))

    @property
    def held(self) -> PowerOff:
        """The same with brakes that have gripped when the power goes off."""
        return self._replace(brakes={name: [_delayed(one, 0.0) for one in several]
                                     for name, several in self.brakes.items()})

    def at_rest(self, run: Simulation) -> Bools:
        """(times, those that count): which joints rest."""
        return at_rest(run)[:, : self.acting.resting]

    def coarse(self, q: Floats, qd: Floats, rate: float = RATE, rtol: float = RTOL) -> tuple[Simulation, int]:
        """A run until all rests, and the number of the first sample from which on it does."""
        grips = self.grips
        duration = float(grips.max(initial=0.0)) + FIRST
        while True:
            duration = min(duration, self.longest)
            times = np.linspace(0.0, duration, int(duration * rate) + 2)
            found = self.run(q, qd, np.union1d(times, grips[grips <= duration]), rtol)
            if found.stopped:
                return found, len(found.times) - 1
            still: Bools = np.asarray(self.at_rest(found).all(axis=1))
            if still[-1]:
                moving = np.flatnonzero(~still)
                return found, int(moving[-1]) + 1 if len(moving) else 0
            if duration >= self.longest:
                raise self._never(found)
            duration *= 2

    def whole(self, q: Floats, qd: Floats, more: Floats | None = None) -> tuple[Simulation, float]:
        """The run, with samples where it changes, at `more` times and one at rest after its end, and when it is at
        rest, s.
        """
        found, first = self.coarse(q, qd)
        rest = self.rest(found, first)
        after = 0.0 if found.stopped else 1.0 / RATE
        grid = np.arange(1, int(rest * RATE) + 1) / RATE
        changes = np.concatenate([self.grips, [rest], np.empty(0) if more is None else more])
        changes = changes[(changes > 0) & (changes <= rest)]
        inner = np.unique(np.concatenate([grid[grid < rest], changes, self.grips - BEFORE, [0.0, rest - BEFORE]]))
        inner = inner[(inner == 0) | ((inner > BEFORE / 2) & (inner <= rest))]
        return self.run(q, qd, np.append(inner, rest + after) if rest + after > inner[-1] else inner, RTOL), rest

    def rest(self, found: Simulation, first: int) -> float:
        """When the last joint comes to rest, s: in the interval before the first sample from which on all do, looked at
        more closely, and from the last sample on in which one moves, slowed down as there.
        """
        if first == 0 or found.stopped:
            return float(found.times[first])
        begin, end = found.times[first - 1], found.times[first]
        close = self.run(found.q[first - 1], found.qd[first - 1], np.linspace(0.0, end - begin, FINE + 1), RTOL, begin)
        moves = ~self.at_rest(close)
        rows = np.flatnonzero(moves.any(axis=1))
        last = min(int(rows[-1]) if len(rows) else 0, FINE - 1)
        speed = close.qd[last, : self.acting.resting]
        slowing = -close.qdd[last, : self.acting.resting] * np.sign(speed)
        some = moves[last] & (slowing > 0)
        left = float((np.abs(speed[some]) / slowing[some]).max(initial=0.0))
        return float(begin + close.times[last] + min(left, close.times[last + 1] - close.times[last]))

    def _never(self, found: Simulation) -> ModelError:
        moves = ~self.at_rest(found)[-1]
        names = [f"'{name}' ({speed:.3g} of {unit}/s)" for name, speed, unit, one in zip(
            found.dof_names, found.qd[-1], units_of(self.robot), moves, strict=False) if one]
        return ModelError(f"stop: robot '{self.robot.name}' does not come to rest within {self.longest:g} s after the "
                          f"power fails: {', '.join(names)} still move{'s' if len(names) == 1 else ''}. Give "
                          f"{'it a brake' if len(names) == 1 else 'them brakes'} that can hold gravity, or longest=")


BEFORE = 1e-7
"""s: so much before forces jump there is a sample."""


def at_rest(run: Simulation) -> Bools:
    """(times, n): which joints rest: held by friction or a brake, or with nothing that moves them."""
    unmoved = (np.abs(run.qd) <= AT_REST) & (np.abs(run.qdd) <= NO_ACCELERATION)
    found: Bools = np.logical_or(run.sticking, unmoved)
    return found


def ends_of_range(robot: RobotQuantities) -> list[tuple[int, str, float, float]]:
    """Coordinates with an end stop: their number, name and range."""
    found = []
    for joint in robot.joints:
        at = robot.q_slices.get(joint.name)
        if at is None or joint.mimic is not None or joint.motion.dof != 1 or at.stop - at.start != 1:
            continue
        for limits in joint.limits:
            if np.isfinite(limits.lower) or np.isfinite(limits.upper):
                found.append((at.start, joint.name, limits.lower, limits.upper))
    return found


def range_left(robot: RobotQuantities, q: Floats) -> Callable[[float, Floats, Floats], float] | None:
    """What is left until the first joint is at an end of its range; of joints that begin within theirs."""
    inside = [(k, low, high) for k, _, low, high in ends_of_range(robot) if low < q[k] < high]
    if not inside:
        return None
    columns = [k for k, _, _ in inside]
    low, high = np.array([each[1] for each in inside]), np.array([each[2] for each in inside])
    return lambda t, q, qd: float(np.minimum(q[columns] - low, high - q[columns]).min())


def units_of(robot: RobotQuantities) -> list[str]:
    """rad or m, of each speed."""
    return ["rad" if turns else "m" for joint in robot.joints if joint.mimic is None for turns in joint.motion.angular]


def brakes_for(
    robot: RobotQuantities, given: BrakesGiven | None, delay: float | Mapping[str, float] | None,
    call: str = "stop",
) -> Mapping[str, list[Any]]:
    """The brakes of joints: those given, else those among the robot's parts; each with its delay."""
    if given is None:
        fitted: dict[str, list[Any]] = {}
        for name, part in parts_of(robot):
            if isinstance(part, Brake):
                fitted.setdefault(name, []).append(part)
        found: Mapping[str, list[Any]] = fitted
    elif isinstance(given, Mapping):
        found = {name: list(one) if isinstance(one, (list, tuple)) else [one] for name, one in given.items()}
    else:
        raise ValueError(f"{call}: 'brakes' is a {type(given).__name__}: expected a mapping from names of joints to "
                         "brakes, {'joint1': lp.Brake(...)}, or to torques at the joint")
    if not found and given is None:
        raise ModelError(f"{call}: robot '{robot.name}' has no brakes, and without power it would not come to rest: "
                         "fit some, robot.with_parts({'joint1': lp.Brake(...)}), or give brakes={'joint1': 50.0}, N m "
                         "at the joint; brakes={} lets it fall")
    read_brakes(robot, {name: [_delayed(one, 0.0) for one in several] for name, several in found.items()})
    if delay is None:
        return found
    delays = dict(delay) if isinstance(delay, Mapping) else dict.fromkeys(found, delay)
    for name, value in delays.items():
        known(name, tuple(found), "brake (delay)")
        delays[name] = number(in_si(value, ("time",), "delay"), f"{call}: the delay of the brake of '{name}'")
        if delays[name] < 0:
            raise ValueError(f"{call}: the delay of the brake of '{name}' is {value} s: expected zero or more")
    return {name: [_delayed(one, delays[name]) for one in several] if name in delays else several
            for name, several in found.items()}


def _delayed(one: Any, delay: float) -> Any:
    """A brake that grips after so many seconds."""
    if isinstance(one, Brake):
        return replace(one, response_time=delay)
    if isinstance(one, (int, float, np.number)) and one > 0 and np.isfinite(one):
        return Brake(holding_torque=float(one), response_time=delay, on="joint")
    return one


def _later(one: Any, after: float) -> Any:
    if after <= 0 or not isinstance(one, Brake) or one.response_time is None:
        return one
    return replace(one, response_time=max(0.0, one.response_time - after))
