"""What joints, drives and wheels of a rover carry at most over a motion: `rover.peak_loads(motion)`."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from loadpath.api import Robot
from loadpath.bounds.box import Box
from loadpath.bounds.over import worst_states
from loadpath.bounds.peaks import refuse_both, without_means
from loadpath.errors import ModelError, ModelWarning
from loadpath.loads.peaks.result import OF_WHEELS, Accumulator, PeakLoads, Statistics
from loadpath.mobile.motions import BaseState, base_rows, base_state_of
from loadpath.mobile.on_base import MethodOnBase
from loadpath.motion.spectrum import DutySpectrum
from loadpath.progress import Report
from loadpath.quantities.wrench import Wrench
from loadpath.scalars.types import ArrayLike, Floats, Ints
from loadpath.states import StatesLike

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_BLOCK = 4096
"""States at a time."""


def peak_loads(
    rover: Rover,
    states: StatesLike | DutySpectrum | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    over: Box | Mapping[str, object] | None = None,
    seconds: float = 60.0,
    progress: bool | Report = False,
    life_exponent: float = 3.0,
    weights: ArrayLike | Mapping[str, ArrayLike] | None = None,
    preload: ArrayLike | Mapping[str, ArrayLike | Wrench] | None = None,
    **base: Unpack[BaseState],
) -> PeakLoads:
    """What every joint, drive and wheel has to carry over a motion, or over a batch of states: `Robot.peak_loads`, with
    the normal force, the friction and the share of it that is used of every contact, and the margin to tipping
    over, each with its instants. The motion of the base is as in `wheel_loads`; a simulation brings it. Over a box of
    states, `over=`, the base moves as that says, too.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover(driven=True)
    >>> swing = lp.Motion.through(lp.catalog.lau_arm(), [[0, 0, 0.5], [1, 0, 0.5]], [0, 0.5], rate=50)
    >>> peaks = rover.peak_loads(swing, velocity=(0.5, 0.0))
    >>> peaks["wheel2", "normal"].highest
    <peak of 'wheel2': normal 47.8478 at sample 12, t = 0.24 s>
    >>> peaks["rover", "margin"].lowest.time
    0.16
    """
    if over is not None:
        refuse_both("peak_loads", states, qd, qdd)
        worst = worst_states(rover, over, seconds, progress, "peak_loads", base)
        moving = {**base, **worst.base}
        peaks = peak_loads(rover, worst.q, worst.qd, worst.qdd, life_exponent=life_exponent, **moving)  # type: ignore[arg-type]
        return without_means(replace(peaks, worst_cases=worst.worst))
    attribute: Any = inspect.getattr_static(Robot, "peak_loads")
    of_robots = MethodOnBase(rover, attribute, attribute.__get__(rover.on_fixed_base, Robot))
    shares = {name: value for name, value in (("weights", weights), ("preload", preload)) if value is not None}
    if states is None and rover.nq:
        raise TypeError("peak_loads is of states: give a motion, arrays q, qd, qdd, or a box of states, over=")
    given = np.zeros(0) if states is None else states
    found: PeakLoads = of_robots(given, qd, qdd, life_exponent=life_exponent, **shares, **base)
    wheels, margin = _on_ground(rover, found, states, base, life_exponent)
    return replace(found, wheels=wheels, margin=margin, contact_names=rover.contact_names, base_name=rover.name)


def _on_ground(
    rover: Rover, peaks: PeakLoads, states: Any, given: Mapping[str, Any], exponent: float
) -> tuple[Statistics, Statistics]:
    """Extremes and means of the contacts, and of the margin."""
    wheels, margin = _Bounded((len(rover.contact_names), len(OF_WHEELS)), exponent), _Bounded((1,), exponent)
    for numbers, arrays, base in _blocks(rover, peaks, states, given):
        with warnings.catch_warnings():  # said of the robots already
            warnings.simplefilter("ignore", ModelWarning)
            loads, standing = rover.wheel_loads(*arrays, **base), rover.stability(*arrays, **base)
            try:
                used = rover.slip(*arrays, **base).ratio
            except ModelError:  # no friction is known
                used = np.full(loads.normal.shape, np.nan)
        count = len(numbers), len(rover.contact_names)
        parts = [np.broadcast_to(part, count) for part in (loads.normal, loads.longitudinal, loads.lateral, used)]
        least = np.broadcast_to(standing.margin, count[:1])
        known = ~np.isnan(least) & ~np.isnan(parts[0]).any(axis=-1)
        weight = peaks.states.weights[numbers][known]
        wheels.add(np.stack(parts, axis=-1)[known], weight, numbers[known])
        margin.add(least[known][:, None], weight, numbers[known])
    return wheels.result(), margin.result()


def _blocks(
    rover: Rover, peaks: PeakLoads, states: Any, given: Mapping[str, Any]
) -> Iterator[tuple[Ints, tuple[Floats, Floats, Floats], Any]]:
    """The states, a few thousand at a time, never of two motions: their numbers, the states of the robots, and how the
    base moves in them.
    """
    motions = states.motions if isinstance(states, DutySpectrum) else [states]
    parts = getattr(peaks.states, "parts", (peaks.states,))
    first = 0
    for motion, part in zip(motions, parts, strict=True):
        base = base_state_of(rover, motion, given, "peak_loads", knows_space=True)
        for start in range(0, len(part), _BLOCK):
            rows = slice(start, min(start + _BLOCK, len(part)))
            numbers = np.arange(first + rows.start, first + rows.stop)
            yield numbers, (part.q[rows], part.qd[rows], part.qdd[rows]), base_rows(base, rows, part.shape)
        first += len(part)


class _Bounded:
    """An accumulator that takes infinite values, too: friction asked of a wheel that nothing presses down."""

    def __init__(self, shape: tuple[int, ...], exponent: float) -> None:
        self.finite = Accumulator(shape, exponent)
        self.beyond: dict[float, Ints] = {sign: np.full(shape, -1, dtype=np.intp) for sign in (1.0, -1.0)}

    def add(self, values: Floats, weight: Floats, numbers: Ints) -> None:
        """The next states."""
        for sign, first in self.beyond.items():
            there = values == sign * np.inf
            new = there.any(axis=0) & (first < 0)
            first[new] = numbers[there.argmax(axis=0)][new]
        self.finite.add(np.where(np.isinf(values), 0.0, values), weight, numbers)

    def result(self) -> Statistics:
        """What all values together give."""
        found, high, low = self.finite.result(), self.beyond[1.0] >= 0, self.beyond[-1.0] >= 0
        some = high | low
        return replace(
            found,
            maximum=np.where(high, np.inf, found.maximum), minimum=np.where(low, -np.inf, found.minimum),
            maximum_at=np.where(high, self.beyond[1.0], found.maximum_at),
            minimum_at=np.where(low, self.beyond[-1.0], found.minimum_at),
            mean=np.where(some, np.where(low, -np.inf, np.inf), found.mean),
            **{part: np.where(some, np.inf, getattr(found, part))
               for part in ("mean_magnitude", "rms", "cubic_mean")},
        )
