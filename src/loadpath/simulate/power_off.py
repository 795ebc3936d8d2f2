"""Brakes of joints, and gears that lose power: dry friction that switches, and dry friction that goes with the load.

Both act along the speeds of joints, against the motion, and hold at rest what they can. A brake has one torque while
it slips and another at rest, from the time on at which it engages. What a gear loses goes with what it passes on:

Of a drive with the torque tau at its motor (times the ratio), a rotor R (times the ratio squared), a brake b and what
it takes to turn the gear at all, b0, the gear gets X = tau - R qdd - (b + b0) sign(qd), and passes on

    tau_g = X eta_f    where the motor drives the load, X qd > 0
    tau_g = X / eta_b  where the load drives the motor, X qd < 0

so g = r X is lost on the way, a friction with r = 1 - eta_f or 1 - 1 / eta_b. X depends on the acceleration and thus on
g: with the inverse W of the mass matrix, (1 - R W r) X = tau - R qdd_0 - (b + b0) sign(qd), where qdd_0 is what the
joints would do without g. With r R taken from the mass matrix's diagonal that matrix stays symmetric and positive:
the rotor is felt at the load as R / eta.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from loadpath.errors import IntegrationError, ModelError
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import nearest, number
from loadpath.robot.parts import Fitted
from loadpath.scalars.types import Bools, Floats, Ints

BrakeLike: TypeAlias = "Fitted | float | Sequence[Fitted | float]"
"""An `lp.Brake`, or a number: N m (N) at the joint, from the beginning; or several of them."""


@dataclass(frozen=True, eq=False)
class Brakes:
    """Brakes of some joints, (brakes,) each; torques are those at the joint (N m, or N where it slides)."""

    names: tuple[str, ...]
    joints: Ints
    """Number of the speed that each acts on."""
    sliding: Floats
    """Torque while it slips."""
    static: Floats
    """Largest torque at rest."""
    engages: Floats
    """s."""
    on_motor: Bools
    """Whether it sits before the gear, whose losses then help it."""


@dataclass(frozen=True, eq=False)
class GearLosses:
    """Gears of some joints, (gears,) each."""

    joints: Ints
    rotor: Floats
    """kg m^2 at the joint: times the ratio squared."""
    forward: Floats
    """Efficiency with the motor driving the load."""
    backward: Floats
    """The same with the load driving the motor."""
    no_load: Floats
    """N m at the joint: what turning the gear takes, whatever it carries."""


class Lost(NamedTuple):
    """What gears lose at a moment."""

    forces: Floats
    """(gears,): against the motion; zero of joints at rest."""
    slopes: Floats
    """(gears,): r R, by which the rotor is felt more at the load."""


def read_brakes(robot: RobotModel, given: Mapping[str, BrakeLike] | None) -> Brakes | None:
    """Brakes by the names of degrees of freedom; the power fails at the beginning, and each grips after its response.
    """
    if not given:
        return None
    if not isinstance(given, Mapping):
        raise ValueError(f"simulate: 'brakes' is a {type(given).__name__}: expected a mapping from names of joints to "
                         "brakes, {'joint1': lp.Brake(...)}, or to torques at the joint")
    rows = [_brake(robot, name, one) for name, several in given.items()
            for one in (several if isinstance(several, (list, tuple)) else (several,))]
    names, joints, sliding, static, engages, on_motor = zip(*rows, strict=True)
    return Brakes(names, np.array(joints, dtype=np.intp), np.array(sliding), np.array(static), np.array(engages),
                  np.array(on_motor, dtype=bool))


def _brake(robot: RobotModel, name: str, brake: Any) -> tuple[str, int, float, float, float, bool]:
    if name not in robot.dof_names:
        raise ModelError(f"simulate: 'brakes' names '{name}', which is no degree of freedom of robot '{robot.name}'"
                         f"{nearest(str(name), robot.dof_names)}")
    k = robot.dof_names.index(name)
    if not hasattr(brake, "holding_torque"):
        torque = number(brake, f"simulate: the brake of '{name}'")
        if torque < 0:
            raise ValueError(f"simulate: the brake of '{name}' is {torque:g}: expected zero or more")
        return name, k, torque, torque, 0.0, False
    label = f"{brake.label} at '{name}'"
    static = brake.holding_torque
    sliding = static if brake.braking_torque is None else brake.braking_torque
    if sliding is None:
        raise ModelError(f"{label} has no torque: give holding_torque, and braking_torque if it is another while it "
                         "slips")
    if brake.response_time is None:
        raise ModelError(f"{label} has no response_time: until it grips, the joint goes on")
    ratio = 1.0
    if brake.on == "motor":
        train = dict(robot.drive_trains).get(name)
        ratio = abs(brake.ratio or (1.0 if train is None or train.ratio is None else train.ratio))
        if brake.ratio is None and train is None:
            raise ModelError(f"{label} sits on the motor, and no ratio is known: give ratio, or the joint a drive "
                             "train by robot.with_drives, or on='joint'")
    return (name, k, ratio * float(sliding), ratio * float(sliding if static is None else static),
            float(brake.response_time), brake.on == "motor")


def read_losses(robot: RobotModel, wanted: object) -> GearLosses | None:
    """The gears of the robot's drive trains that lose something."""
    if wanted is None or wanted is False:
        return None
    if wanted is not True:
        raise ValueError(f"simulate: 'gear_losses' is {wanted!r}: expected True or False")
    rows = []
    for name, train in robot.drive_trains:
        forward, backward = train.efficiencies
        no_load = abs(train.ratio or 1.0) * (train.no_load_torque or 0.0)
        if (forward, backward) == (1.0, 1.0) and not no_load:
            continue
        if backward <= 0:
            raise ModelError(f"simulate: the gear of '{name}' locks itself (efficiency {backward:g} when the load "
                             "drives it): a stiff one stops at once where its motor does. Give it an efficiency above "
                             "zero, or gear_losses=False")
        k = robot.dof_names.index(name)
        rows.append((k, _rotor(robot, k), forward, backward, no_load))
    if not rows:
        return None
    joints, *others = zip(*rows, strict=True)
    return GearLosses(np.array(joints, dtype=np.intp), *(np.array(each, dtype=float) for each in others))


def _rotor(robot: RobotModel, k: int) -> float:
    """Of speed k, at the joint."""
    name = robot.dof_names[k]
    for joint in robot.joints:
        where = robot.v_slices.get(joint.name)
        if where is not None and joint.mimic is None and where.start <= k < where.stop:
            return float(joint.reflected_inertia[k - where.start])
    raise ModelError(f"robot '{robot.name}' has no joint for '{name}'")


@dataclass(eq=False)
class PowerOff:
    """The brakes and gears of a robot, as they are in a piece of time."""

    n: int
    brakes: Brakes | None = None
    losses: GearLosses | None = None

    def __post_init__(self) -> None:
        none = np.empty(0, dtype=np.intp)
        self.braked = none if self.brakes is None else self.brakes.joints
        self.geared = none if self.losses is None else self.losses.joints
        self.heats = len(self.braked) + bool(len(self.geared))
        """Integrals that it adds to y: the heat of each brake, and that of all gears."""
        self._backward = np.ones(self.n)
        self._forward = np.ones(self.n)
        self._no_load = np.zeros(self.n)
        if self.losses is not None:
            self._backward[self.geared], self._forward[self.geared] = self.losses.backward, self.losses.forward
            self._no_load[self.geared] = self.losses.no_load
        self.begin(0.0)

    @property
    def possible(self) -> Ints:
        """Speeds that may be held by a brake or by what turning a gear takes, at any time."""
        return np.union1d(self.braked, np.flatnonzero(self._no_load > 0))

    @property
    def breaks(self) -> Floats:
        """Times at which brakes engage."""
        return np.empty(0) if self.brakes is None else np.unique(self.brakes.engages)

    def begin(self, t: float) -> None:
        """A piece of time begins, in which no brake engages."""
        self.torques = np.zeros(len(self.braked))
        """(brakes,): while they slip."""
        before, beside, held = np.zeros(self.n), np.zeros(self.n), np.zeros(self.n)
        self._rest = np.zeros(self.n)
        if self.brakes is not None:
            brakes = self.brakes
            engaged = brakes.engages <= t
            self.torques = np.where(engaged, brakes.sliding, 0.0)
            static = np.where(engaged, brakes.static, 0.0)
            np.add.at(before, self.braked[brakes.on_motor], self.torques[brakes.on_motor])
            np.add.at(beside, self.braked[~brakes.on_motor], self.torques[~brakes.on_motor])
            np.add.at(held, self.braked[brakes.on_motor], static[brakes.on_motor])
            np.add.at(self._rest, self.braked[~brakes.on_motor], static[~brakes.on_motor])
        self._before = before + self._no_load
        self.sizes = self._before + beside
        """(n,): dry friction while joints move."""
        self._held = held + self._no_load

    def at_rest(self, tau: Floats | None = None) -> tuple[Floats, Floats]:
        """(n,) each: the lowest and the highest force with which brakes and gears hold joints at rest, against motors
        that give tau. What is held by the motor's side is larger by what the gear loses on the way.
        """
        if tau is None or self.losses is None:
            half = self._held / self._backward + self._rest
            return -half, half
        most, least = tau + self._held, tau - self._held
        highest = np.where(most >= 0, most / self._backward, most * self._forward)
        lowest = np.where(least >= 0, least * self._forward, least / self._backward)
        return tau - highest - self._rest, tau - lowest + self._rest

    def lost(self, W: Floats, tau: Floats, free: Floats, direction: Floats) -> Lost:
        """What gears lose where their joints move; W (n, n) has accelerations per force, `free` (n,) those without."""
        gears = self.losses
        assert gears is not None
        joints = self.geared
        sense = direction[joints]
        own = W[np.ix_(joints, joints)]
        X0 = tau[joints] - gears.rotor * free[joints] - self._before[joints] * sense
        X: Floats = X0
        for _ in range(_MOST_CASES):
            r = np.where(sense == 0, 0.0, np.where(X * sense > 0, 1.0 - gears.forward, 1.0 - 1.0 / gears.backward))
            found: Floats = np.asarray(np.linalg.solve(np.eye(len(joints)) - gears.rotor[:, None] * own * r, X0))
            if ((found * sense > 0) == (X * sense > 0)).all():
                return Lost(r * found, r * gears.rotor)
            X = found
        raise IntegrationError("which of the gears their loads drive is not determined by efficiencies and inertias: "
                               "are efficiencies when the load drives them far below those of driving it?")


_MOST_CASES = 50


def felt(W: Floats, joints: Ints, slopes: Floats) -> Floats:
    """W with what gears lose: (M - diag(slopes))^-1 for W = M^-1, whatever its rank."""
    some = np.flatnonzero(slopes)
    if not len(some):
        return W
    columns = W[:, joints[some]]
    inner = np.eye(len(some)) - slopes[some, None] * columns[joints[some]]
    result: Floats = np.asarray(W + columns @ np.linalg.solve(inner, slopes[some, None] * columns.T))
    return result


def shares_at_rest(static: Floats, joints: Ints, holding: Floats, limits: Floats) -> Floats:
    """(brakes,): what each brake holds of a joint at rest, if all that hold it bear the same share of what they can."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(limits[joints] > 0, np.abs(holding[joints]) * static / limits[joints], 0.0)
    return found
