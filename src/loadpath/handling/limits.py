"""The mass at which one limit is reached, of payloads at many places: of forces by division, of magnitudes by the
quadratic equation of `max_payload`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np

from loadpath.handling.offsets import PayloadLoads
from loadpath.loads.payload import SIGNED, SLACK, Limit, mass_to_length
from loadpath.quantities.wrench import COMPONENTS
from loadpath.scalars.types import Bools, Floats, Ints

_BLOCK = 4_000_000
"""Numbers that are looked at together."""
FOREMOST = 6
"""States that are kept of each payload that is looked at: the foremost."""
_NO_ROOM = 1e-12
"""Of a limit: so little of it is none."""
_ROUNDING = 1e-13


class DiagramLimit(NamedTuple):
    """What limits a payload: a check of a part, or a limit of the robot or of the call."""

    joint: str
    part: str
    """"limits" of those of the robot and of the call."""
    check: str
    """As "effort", "tilting_moment" or "life L10"."""

    @property
    def words(self) -> str:
        """In words."""
        return f"{self.check} of '{self.joint}'" if self.part == "limits" else (
            f"{self.check} of {self.part} at '{self.joint}'")


class Reached(NamedTuple):
    """Where limits are reached: (payloads,) each."""

    mass: Floats
    """kg; 0 where it is reached without any payload, infinite where no payload reaches it."""
    which: Ints
    """Number of the limit among `labels`."""
    sample: Ints
    """Number of the state, -1 of what is a mean over all states."""


class PayloadLimit(Protocol):
    """One limit, or several of one part."""

    @property
    def labels(self) -> tuple[DiagramLimit, ...]: ...

    @property
    def exceeded(self) -> int | None:
        """Number of the first state in which it is without any payload (-1 of a mean); None where it is not."""

    def reached(self, weights: Floats, most: Floats) -> Reached:
        """For payloads (payloads, masses) and masses beyond which nobody asks."""


@dataclass(frozen=True, eq=False)
class Bounded:
    """A force that stays between bounds. The reciprocal of the mass is the largest of linear functions of a payload's
    shares: of each state one to the upper and one to the lower bound.
    """

    labels: tuple[DiagramLimit, ...]
    rates: Floats
    """(masses, rows): 1 / kg."""
    samples: Ints
    """(rows,)"""
    exceeded: int | None

    @classmethod
    def of(cls, label: DiagramLimit, limit: Limit, start: Floats, slopes: Floats) -> Bounded:
        """From what it is without payload (states,), and what a kilogram of each mass adds (masses, states)."""
        slopes = np.where(np.abs(slopes) <= _ROUNDING * (np.abs(start) + np.abs(start + slopes)), 0.0, slopes)
        slack = SLACK * max(abs(bound) for bound in (limit.lower, limit.upper) if np.isfinite(bound))
        exceeded = (start > limit.upper + slack) | (start < limit.lower - slack)
        rates, samples = [], []
        for sign, bound in ((1.0, limit.upper), (-1.0, limit.lower)):
            if np.isfinite(bound):
                room = np.maximum(sign * (bound - start), _NO_ROOM * max(abs(bound), np.abs(start).max(initial=0.0)))
                some = np.flatnonzero((slopes != 0).any(axis=0))
                with np.errstate(divide="ignore"):
                    rates.append(sign * slopes[:, some] / np.maximum(room[some], 1e-300))
                samples.append(some)
        return cls((label,), np.concatenate(rates, axis=1), np.concatenate(samples), _first(exceeded))

    def reached(self, weights: Floats, most: Floats) -> Reached:
        """The largest of the rows, for each payload."""
        rate, row = np.zeros(len(weights)), np.zeros(len(weights), dtype=np.intp)
        step = max(1, _BLOCK // max(len(weights), 1))
        for first in range(0, self.rates.shape[1], step):
            here = weights @ self.rates[:, first: first + step]
            at = here.argmax(axis=1)
            best = here[np.arange(len(here)), at]
            more = best > rate
            rate[more], row[more] = best[more], first + at[more]
        with np.errstate(divide="ignore"):
            mass = np.where(rate > 0, 1.0 / rate, np.inf)
        sample = self.samples[row] if len(self.samples) else row
        return Reached(mass, np.zeros(len(mass), dtype=np.intp), sample)


@dataclass(frozen=True, eq=False)
class Length:
    """A magnitude of a vector that stays below a bound: a quadratic equation in each state."""

    labels: tuple[DiagramLimit, ...]
    start: Floats
    """(states, 3)"""
    slopes: Floats
    """(masses, states, 3)"""
    limit: float
    exceeded: int | None
    samples: Ints
    """(states,): their numbers."""
    slow = is_fixed = False

    @classmethod
    def of(cls, label: DiagramLimit, limit: float, start: Floats, slopes: Floats) -> Length:
        """Likewise."""
        size = _ROUNDING * np.linalg.norm(np.abs(start) + np.abs(start + slopes), axis=-1, keepdims=True)
        slopes = np.where(np.abs(slopes) <= size, 0.0, slopes)
        exceeded = np.linalg.norm(start, axis=-1) > limit * (1 + SLACK)
        return cls((label,), start, slopes, limit, _first(exceeded), np.arange(len(start)))

    def _sizes(self, masses: Floats) -> Floats:
        """(payloads, states): the squares of how much of the limit is used."""
        found = np.zeros((len(masses), len(self.start)))
        for k in range(3):
            found += (self.start[:, k] + masses @ self.slopes[:, :, k]) ** 2
        return found / self.limit**2 if self.limit else np.where(found > 0, np.inf, 0.0)

    def used(self, masses: Floats) -> tuple[Floats, Ints]:
        """(payloads,): the largest utilisation, of the one check that there is."""
        size = np.zeros(len(masses))
        step = max(1, _BLOCK // max(len(self.start), 1))
        for first in range(0, len(masses), step):
            size[first: first + step] = np.sqrt(self._sizes(masses[first: first + step]).max(axis=1))
        return size, np.zeros(len(masses), dtype=np.intp)

    def foremost(self, masses: Floats) -> Length | None:
        """The same in those states alone that are foremost for some of these payloads; None of few states."""
        if len(self.start) < 4 * FOREMOST:
            return None
        rows = np.unique(np.argpartition(-self._sizes(masses), FOREMOST, axis=1)[:, :FOREMOST])
        return replace(self, start=self.start[rows], slopes=self.slopes[:, rows], samples=self.samples[rows])

    def reached(self, weights: Floats, most: Floats) -> Reached:
        """The smallest root of all states, for each payload."""
        mass, sample = np.full(len(weights), np.inf), np.zeros(len(weights), dtype=np.intp)
        step = max(1, _BLOCK // max(3 * len(weights), 1))
        for first in range(0, len(self.start), step):
            some = slice(first, first + step)
            slope = np.tensordot(weights, self.slopes[:, some], axes=1)
            here = mass_to_length(self.limit, self.start[some], slope)
            at = here.argmin(axis=1)
            best = here[np.arange(len(here)), at]
            less = best < mass
            mass[less], sample[less] = best[less], first + at[less]
        return Reached(np.maximum(mass, 0.0), np.zeros(len(mass), dtype=np.intp), self.samples[sample])


def _first(exceeded: Bools) -> int | None:
    return int(exceeded.argmax()) if exceeded.any() else None


def limit_of(loads: PayloadLoads, limit: Limit) -> PayloadLimit:
    """A limit as `max_payload` takes it, of these loads."""
    label = DiagramLimit(limit.name, "limits", "effort" if limit.quantity == "drive" else limit.quantity)
    if limit.quantity == "drive":
        k = loads.robot.dof_names.index(limit.name)
        return Bounded.of(label, limit, loads.tau.base[k], loads.tau.slopes[:, k])
    of = loads.seats[limit.name]
    affine, axis = of.arrays["force" if "force" in limit.quantity else "torque"], of.seat.place.axis
    if limit.quantity in COMPONENTS:
        k = COMPONENTS.index(limit.quantity) % 3
        return Bounded.of(label, limit, affine.base[k], affine.slopes[:, k])
    start, slopes = affine.base.T, np.swapaxes(affine.slopes, 1, 2)
    if limit.quantity in SIGNED:
        return Bounded.of(label, limit, start @ axis, slopes @ axis)
    if limit.quantity in ("radial_force", "tilting_moment"):
        start, slopes = (vectors - (vectors @ axis)[..., None] * axis for vectors in (start, slopes))
    return Length.of(label, limit.upper, start, slopes)
