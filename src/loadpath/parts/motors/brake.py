"""Brakes: holding torque against gravity and payload, and energy of an emergency stop at any instant of a motion."""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from loadpath.errors import ModelError
from loadpath.parts.catalogue import check_name, check_not_negative, check_positive, compare, titled
from loadpath.parts.part import HOLDING, Check, JointLoads, Largest, Part, Place, Rule, not_checked
from loadpath.robot.drive_train.drive import Drive
from loadpath.robot.measures import measures
from loadpath.scalars.types import Floats

# An emergency stop by a brake: how much energy it takes, how far and how long the joint goes on.


class Stop(NamedTuple):
    """One stop."""

    energy: float
    """J, turned into heat by the brake; infinite where it never stops."""
    distance: float
    """rad or m from where the power failed, back and forth."""
    time: float
    """s from when the power failed."""
    driving: float
    """N m or N that gravity drives it on with."""


class Stops(NamedTuple):
    """Stops from many states, (samples,) each, as in `Stop`."""

    energy: Floats
    distance: Floats
    time: Floats
    driving: Floats

    def at(self, k: int) -> Stop:
        """One of them."""
        return Stop(*(float(part[k]) for part in self))


def stops(speed: Floats, holding: Floats, inertia: Floats, torque: float, delay: float) -> Stops:
    """Stops by a brake of a torque (N m or N at the joint) that grips `delay` seconds after the power fails.

    `holding` is what would hold the joint at rest, so gravity drives it with the negative of that. Until the brake
    grips it coasts: w1 = w - h delay / I. Then it is slowed down by (T - G) / I, where G is the part of gravity along
    the motion: the brake takes T times the way, I w1^2 / 2 * T / (T - G).

    >>> one = np.ones(1)
    >>> stops(2.0 * one, 0.0 * one, 3.0 * one, 12.0, 0.0).at(0)
    Stop(energy=6.0, distance=0.5, time=0.5, driving=-0.0)
    """
    gained = -holding / inertia * delay
    gripped = speed + gained
    coasted = np.abs(0.5 * (speed + gripped) * delay)
    turns_back = speed * gripped < 0  # there and back again: both ways count
    with np.errstate(divide="ignore", invalid="ignore"):
        both = (speed**2 + gripped**2) / (2.0 * np.abs(holding) / inertia)
        coasted = np.where(turns_back, both, coasted)
        driving = -holding * np.sign(gripped)
        slowing = (torque - driving) / inertia
        still = gripped == 0
        never = ~still & (slowing <= 0)
        way = np.where(still, 0.0, np.where(never, np.inf, gripped**2 / (2.0 * slowing)))
        lasting = np.where(still, 0.0, np.where(never, np.inf, np.abs(gripped) / slowing))
    # At rest, a brake that holds takes nothing, and one that does not never stops it.
    slips = still & (np.abs(holding) > torque)
    energy = np.where(slips, np.inf, torque * way)
    return Stops(energy, coasted + way, delay + lasting, np.where(still, np.abs(holding), driving))


HOLDS, STOP, ALL_STOPS = "holding torque", "energy of a stop", "energy of all stops"


@dataclass(frozen=True)
class Brake(Part):
    """A brake by its catalogue numbers: torque in N m (force in N at a joint that slides), energy in J, time in s.

    | number | what is checked |
    |---|---|
    | `holding_torque` | what holds every pose of the motion at rest, with payload and springs, without friction |
    | `energy_per_stop` | the energy of the worst emergency stop: power fails at any instant of the motion |
    | `total_energy`, with `stops` | that energy times the stops expected in life |
    | `braking_torque` | torque while it slips, if it is not the holding torque |
    | `response_time` | until it grips; until then the joint coasts under gravity. The energy of stops needs it |

    It sits `on` the "motor", where the torque counts times the ratio, or on the "joint". The ratio is that of the
    drive train; `ratio` gives it where there is none, or where the joint never moves.

    A stop is that of one joint in its pose: inertia (the diagonal of the mass matrix, with carried loads) and the
    torque of gravity stay as they are when the power fails, other joints do not move, gears lose nothing. Then a brake
    of torque T stops the inertia I from the speed w against a torque G that drives it on: energy I w^2 / 2 times
    T / (T - G), by the balance of work. With T <= G it never stops.

    >>> import loadpath as lp
    >>> lp.Brake(holding_torque=1.8, energy_per_stop=120, on="motor", response_time=0.03).label
    'brake'
    """

    kind: ClassVar[str] = "brake"

    holding_torque: float | None = field(default=None, metadata=measures("torque", "force"))
    energy_per_stop: float | None = field(default=None, metadata=measures("energy"))
    total_energy: float | None = field(default=None, metadata=measures("energy"))
    on: Literal["motor", "joint"] = "motor"
    response_time: float | None = field(default=None, metadata=measures("time"))
    braking_torque: float | None = field(default=None, metadata=measures("torque", "force"))
    stops: float | None = field(default=None, metadata=measures("plain number"))
    ratio: float | None = field(default=None, metadata=measures("plain number"))
    name: str = ""

    def __post_init__(self) -> None:
        check_name(self)
        if self.on not in ("motor", "joint"):
            raise ModelError(f"on of {titled(self)} is {self.on!r}: expected 'motor' or 'joint'")
        check_positive(self, ("holding_torque", "energy_per_stop", "total_energy", "braking_torque", "stops"))
        check_not_negative(self, ("response_time",))
        if self.ratio is not None:
            if self.on == "joint":
                raise ModelError(f"{titled(self)} sits on the joint and has the ratio {self.ratio}: that is of brakes "
                                 "on the motor")
            check_positive(self, ("ratio",))

    def drive_data(self) -> Mapping[str, float]:
        """What it holds at the motor's shaft, and its ratio."""
        known = dict(Part.drive_data(self))
        if self.on == "motor" and self.holding_torque is not None:
            known["brake"] = self.holding_torque
        return known

    def with_drive_data(self, drive: Drive) -> Brake:
        """The brake with the torque that only its drive train has."""
        if self.on == "joint" or self.holding_torque is not None or not drive.brake:
            return self
        known = copy(self)  # with its source
        object.__setattr__(known, "holding_torque", drive.brake)
        return known

    def examiner(self, place: Place) -> BrakeExaminer:
        """Takes in the loads of the joint."""
        if not place.moves:
            raise ModelError(f"{titled(self)} sits at '{place.joint}', which does not move along or about one axis: "
                             "there is nothing to brake")
        return BrakeExaminer(self, place)


class BrakeExaminer:
    """Takes in what holds a joint at rest, its speed and its inertia, block by block."""

    def __init__(self, brake: Brake, place: Place) -> None:
        self.brake, self.place = brake, place
        self.ratio = 1.0 if brake.on == "joint" else brake.ratio
        """None until it is known."""
        self.held, self.worst = Largest(), Largest()
        self.stop: Stop | None = None
        self.waiting: list[JointLoads] = []
        """Blocks whose ratio is not known yet: the joint stands still in them."""

    @property
    def rules(self) -> dict[str, Rule]:
        """How its checks follow from the loads, as far as the ratio is known."""
        if self.ratio is None:
            return {}
        found = {HOLDS: Rule("largest", self.holding, 1.0 / self.ratio)}
        if self._torque is not None and self.brake.response_time is not None:
            energy = Rule("largest", partial(self._energies, self._torque * self.ratio, self.brake.response_time))
            found |= {STOP: energy, ALL_STOPS: replace(energy, factor=self.brake.stops or 1.0)}
        return found

    def add(self, loads: JointLoads) -> None:
        """The next block."""
        if loads.holding is None or not len(loads.t) or np.isnan(loads.holding).all():
            return
        self.held.add(self.holding(loads), loads)
        if self.ratio is None and loads.motor is not None:
            self.ratio = loads.motor.ratio_to(loads.speed)
        if loads.inertia is None or self._torque is None or self.brake.response_time is None:
            return
        if self.ratio is None:
            if loads.motor is not None:
                self.waiting.append(loads)
            return
        for block in (*self.waiting, loads):
            self._stop(block, self._torque * self.ratio, self.brake.response_time)
        self.waiting = []

    def holding(self, loads: JointLoads) -> Floats:
        """What it holds at rest, at the joint, a magnitude, of every sample."""
        assert loads.holding is not None
        return np.abs(loads.holding)

    @property
    def _torque(self) -> float | None:
        """What it brakes with, on its own side."""
        return self.brake.holding_torque if self.brake.braking_torque is None else self.brake.braking_torque

    @staticmethod
    def _energies(torque: float, delay: float, loads: JointLoads) -> Floats:
        """J, of a stop from every sample."""
        assert loads.holding is not None and loads.inertia is not None
        return stops(loads.speed, loads.holding, loads.inertia, torque, delay).energy

    def _stop(self, loads: JointLoads, torque: float, delay: float) -> None:
        assert loads.holding is not None and loads.inertia is not None
        found = stops(loads.speed, loads.holding, loads.inertia, torque, delay)
        if self.worst.add(found.energy, loads):
            self.stop = found.at(int(np.argmax(found.energy)))

    def checks(self, required_hours: float | None) -> list[Check]:
        """Holding torque, energy of the worst stop and of all of them."""
        energy = self._energy()
        return [self._holding(), energy, *self._total(energy)]

    def _why_not(self) -> str:
        if self.held.at is None:
            return f"joint '{self.place.joint}' has no drive, or what holds it is not known"
        if self.ratio is None:
            return "no ratio known: give ratio, or the joint a drive train by robot.with_drives"
        return ""

    @property
    def _unit(self) -> str:
        return "N m" if self.place.turns or self.brake.on == "motor" else "N"

    def _holding(self) -> Check:
        check, why = HOLDS, self._why_not()
        if why:
            return not_checked(check, why, self._unit)
        assert self.ratio is not None
        note = f"{self.held.value:.4g} {'N m' if self.place.turns else 'N'} at the joint" if self.ratio != 1.0 else ""
        return compare(check, self.held.value / self.ratio, self.brake.holding_torque, self._unit, "holding_torque",
                       self.held.at, HOLDING, note)

    def _energy(self) -> Check:
        check, why = STOP, self._why_not()
        if not why and self._torque is None:
            why = "no holding_torque or braking_torque given"
        if not why and self.brake.response_time is None:
            why = "no response_time given: until it grips, the joint coasts"
        if not why and self.stop is None:
            why = "the joint's inertia is not known (nor is that of closed chains)"
        if why or self.stop is None:
            return not_checked(check, why, "J")
        stop, turned = self.stop, self.place.turns
        distance = f"{math.degrees(stop.distance):.3g} degrees" if turned else f"{1000 * stop.distance:.3g} mm"
        note = f"stops within {distance} and {stop.time:.3g} s"
        if math.isinf(stop.energy):
            note = f"never stops: gravity drives it on with {stop.driving:.4g} {'N m' if turned else 'N'} at the joint"
        return compare(check, stop.energy, self.brake.energy_per_stop, "J", "energy_per_stop", self.worst.at,
                       note=note)

    def _total(self, energy: Check) -> list[Check]:
        brake, check = self.brake, ALL_STOPS
        if brake.total_energy is None and brake.stops is None:
            return []
        if brake.total_energy is None or brake.stops is None:
            missing = "total_energy" if brake.total_energy is None else "stops"
            return [not_checked(check, f"no {missing} given", "J")]
        if self.stop is None:
            return [not_checked(check, energy.note.removeprefix("not checked: "), "J")]
        return [compare(check, brake.stops * self.stop.energy, brake.total_energy, "J", "total_energy", self.worst.at,
                        note=f"{brake.stops:g} stops, each as the worst")]
