"""Many stops of single joints without power at once: each joint moves alone, all others stand.

Until the brake grips the joint coasts, step by step in time. From then on its speed only falls, so the speed itself
counts the steps: dt = dw / a, dq = w dw / a, and each stop ends exactly where the speed is zero. What gears lose is as
in `simulate` (`simulate/power_off.py`), with the rotor R, efficiencies f and b, and what acts before the gear, B:

    (M - R) a + h = X f  where the motor drives the load,  X / b  where the load drives the motor,  X = -R a - B.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.scalars.types import Bools, Floats
from loadpath.simulate.power_off import Brakes, GearLosses

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

COASTING, BRAKING = 60, 120
"""Steps until the brake grips, and from then on."""
BARELY = 1e-9
"""Of the speed at first: less is rest, where friction still has its direction."""


class Stopped(NamedTuple):
    """What came of stops, (stops,) each; NaN where the joint does not come to rest, or the brake does not hold it."""

    time: Floats
    """s."""
    way: Floats
    """rad or m, back and forth."""


@dataclass(frozen=True, eq=False)
class Alone:
    """One joint of a robot that moves while the others stand, and what stops it."""

    robot: RobotQuantities
    column: int
    before: float = 0.0
    """N m (N) at the joint of what brakes on the motor's side while it slips..."""
    beside: float = 0.0
    """... and of what brakes the joint itself."""
    holds_before: float = 0.0
    holds_beside: float = 0.0
    """The same at rest."""
    grips: float = 0.0
    """s: the last of its brakes."""
    no_load: float = 0.0
    rotor: float = 0.0
    forward: float = 1.0
    backward: float = 1.0

    @classmethod
    def of(cls, robot: RobotQuantities, column: int, brakes: Brakes, losses: GearLosses | None) -> Alone:
        """With the brakes of that joint, all of which grip when the last does, and what its gear loses."""
        mine = brakes.joints == column
        motor, joint = mine & brakes.on_motor, mine & ~brakes.on_motor
        words = {"before": brakes.sliding[motor].sum(), "beside": brakes.sliding[joint].sum(),
                 "holds_before": brakes.static[motor].sum(), "holds_beside": brakes.static[joint].sum(),
                 "grips": brakes.engages[mine].max(initial=0.0)}
        if losses is not None and column in losses.joints.tolist():
            k = losses.joints.tolist().index(column)
            words |= {"no_load": losses.no_load[k], "rotor": losses.rotor[k], "forward": losses.forward[k],
                      "backward": losses.backward[k]}
        return cls(robot, column, **{key: float(value) for key, value in words.items()})

    def stop(self, q: Floats, speed: Floats) -> Stopped:
        """From configurations (stops, n) at speeds (stops,) of the joint."""
        own = np.array(q[:, self.column])
        w, way, time = np.array(speed), np.zeros(len(q)), np.zeros(len(q))
        step = self.grips / COASTING
        for _ in range(COASTING if self.grips > 0 else 0):
            own, w, gone = self._coasted(q, own, w, step)
            way += gone
        time += self.grips
        return self._braked(q, own, w, time, way)

    def acceleration(self, q: Floats, own: Floats, w: Floats, gripped: bool) -> Floats:
        """(stops,): of the joint at a position and speed of its own, all others as in q."""
        there = np.array(q)
        there[:, self.column] = own
        M, h = self.inertia(there), self.load(there, w)
        sense = np.sign(w)
        shaft = sense * (self.no_load + (self.before if gripped else 0.0))
        beside = sense * (self.beside if gripped else 0.0)
        back = -(h + beside + shaft / self.backward) / (M - self.rotor + self.rotor / self.backward)
        X = -self.rotor * back - shaft
        drives = X * sense > 0
        forth = -(h + beside + shaft * self.forward) / (M - self.rotor + self.rotor * self.forward)
        found: Floats = np.where(drives, forth, back)
        return found

    def inertia(self, q: Floats) -> Floats:
        """(stops,): what a torque at the joint accelerates."""
        found: Floats = np.asarray(self.robot.mass_matrix(q))[:, self.column, self.column]
        return found

    def load(self, q: Floats, w: Floats | float) -> Floats:
        """(stops,): what it takes to go on at a speed: gravity, springs, friction."""
        speeds = np.zeros_like(q)
        speeds[:, self.column] = w
        found: Floats = np.asarray(self.robot.inverse_dynamics(q, speeds, np.zeros_like(q)))[:, self.column]
        return found

    def _coasted(self, q: Floats, own: Floats, w: Floats, step: float) -> tuple[Floats, Floats, Floats]:
        """Position and speed a step later, by the classic Runge-Kutta rule, and how far it went."""
        a1 = self.acceleration(q, own, w, False)
        a2 = self.acceleration(q, own + 0.5 * step * w, w + 0.5 * step * a1, False)
        a3 = self.acceleration(q, own + 0.5 * step * (w + 0.5 * step * a1), w + 0.5 * step * a2, False)
        a4 = self.acceleration(q, own + step * (w + 0.5 * step * a2), w + step * a3, False)
        moved = step * w + step**2 / 6 * (a1 + a2 + a3)
        return own + moved, w + step / 6 * (a1 + 2 * a2 + 2 * a3 + a4), np.abs(moved)

    def _braked(self, q: Floats, own: Floats, w: Floats, time: Floats, way: Floats) -> Stopped:
        """From when the brake grips until rest, by the same rule over the speed."""
        start = np.array(w)
        lost: Bools = np.zeros(len(q), dtype=bool)

        def rates(own: Floats, left: Floats) -> tuple[Floats, Floats]:
            """Of position and time by the speed."""
            a = self.acceleration(q, own, np.where(left > 0, left, BARELY) * start, True)
            lost[(a * start >= 0) & (start != 0)] = True
            a = np.where(a * start < 0, a, np.inf)
            return left * start / a, 1.0 / a

        step = -1.0 / BRAKING
        for k in range(BRAKING):
            left = np.full(len(q), 1.0 - k / BRAKING)
            by = step * start
            q1, t1 = rates(own, left)
            q2, t2 = rates(own + 0.5 * by * q1, left + 0.5 * step)
            q3, t3 = rates(own + 0.5 * by * q2, left + 0.5 * step)
            q4, t4 = rates(own + by * q3, np.maximum(left + step, 0.0))
            moved = by / 6 * (q1 + 2 * q2 + 2 * q3 + q4)
            own, way = own + moved, way + np.abs(moved)
            time = time + by / 6 * (t1 + 2 * t2 + 2 * t3 + t4)
        there = np.array(q)
        there[:, self.column] = own
        holds = (self.holds_before + self.no_load) / self.backward + self.holds_beside
        fails = lost | (np.abs(self.load(there, 0.0)) > holds)
        return Stopped(np.where(fails, np.nan, time), np.where(fails, np.nan, way))
