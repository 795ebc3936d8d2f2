"""What a robot does over its life: several motions, each with its share of the time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, Protocol

import numpy as np

from loadpath.motion.carried import Carried
from loadpath.robot.numbers import number
from loadpath.scalars.types import Floats

SLACK = 1e-6
"""By so much shares may miss one, as 1/3 with seven digits does; they are made to sum to one."""


class SampledMotion(Protocol):
    """A motion or a simulation: states with their times."""

    @property
    def q(self) -> Floats:
        """(samples, nq)."""

    @property
    def qd(self) -> Floats:
        """(samples, n)."""

    @property
    def qdd(self) -> Floats:
        """(samples, n)."""

    @property
    def times(self) -> Floats:
        """(samples,)."""


class DutySpectrum:
    """Motions with their shares of the running time, which sum to one.

    Means over a spectrum weigh each motion by its share, extremes are those of all. A share is one of time: a motion of
    2 s with the share 0.25 runs 15 minutes in every hour, that is 450 times. `of_repeats` has numbers of repetitions in
    place of shares. Pauses are motions too: `motion.dwell(seconds)`.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1)
    >>> quick = lp.Motion.through(arm, [[0], [1], [0]], times=[0, 0.5, 1])
    >>> slow = quick.scaled(duration=4.0)
    >>> spectrum = lp.DutySpectrum([(quick, 0.6), (slow, 0.4)], names=["quick", "slow"])
    >>> spectrum
    <duty spectrum: quick 60 %, slow 40 %>
    >>> spectrum.repeats, spectrum.duration                   # the rarest motion comes once
    ((6.0, 1.0), 10.0)
    >>> float(arm.peak_loads(spectrum)["joint1", "speed"].peak.value), arm.peak_loads(spectrum)["joint1", "speed"].peak.motion
    (3.75, 'quick')
    """  # noqa: E501

    motions: tuple[SampledMotion, ...]
    """Motions or simulations."""
    shares: tuple[float, ...]
    """Of the time, summing to one."""
    names: tuple[str, ...]
    """For messages and tables; "motion 1", "motion 2" unless given."""
    duration: float
    """s of one pass through the spectrum, in which each motion comes `repeats` times."""

    def __init__(self, parts: Sequence[tuple[SampledMotion, float]], names: Sequence[str] | None = None) -> None:
        motions, shares = _pairs(parts, "share")
        total = sum(shares)
        if abs(total - 1) > SLACK:
            raise ValueError(f"the shares of a duty spectrum sum to {total:.9g}: expected 1. Shares are of time; for "
                             "numbers of repetitions there is lp.DutySpectrum.of_repeats")
        exact = 1.0 if abs(total - 1) < 1e-12 else total  # 0.7, 0.2 and 0.1 stay what they are
        self._fill(motions, tuple(share / exact for share in shares), names, None)

    @classmethod
    def of_repeats(
        cls, parts: Sequence[tuple[SampledMotion, float]], names: Sequence[str] | None = None
    ) -> DutySpectrum:
        """Motions that come so often in one pass: 3 picks, then 1 tool change. Their shares follow from how long each
        takes.

        >>> import loadpath as lp
        >>> pick = lp.Motion.through(lp.catalog.planar(1), [[0], [1], [0]], times=[0, 1, 2])
        >>> lp.DutySpectrum.of_repeats([(pick, 3), (pick.scaled(duration=4), 1)]).shares
        (0.6, 0.4)
        """
        motions, repeats = _pairs(parts, "number of repeats")
        spans = [repeat * length for repeat, length in zip(repeats, _durations(motions), strict=True)]
        made = object.__new__(cls)
        made._fill(motions, tuple(span / sum(spans) for span in spans), names, sum(spans))
        return made

    def _fill(
        self,
        motions: tuple[SampledMotion, ...],
        shares: tuple[float, ...],
        names: Sequence[str] | None,
        duration: float | None,
    ) -> None:
        called = tuple(f"motion {k + 1}" for k in range(len(motions))) if names is None else tuple(map(str, names))
        if isinstance(names, str) or len(called) != len(motions) or len(set(called)) != len(called):
            raise ValueError(f"names of a duty spectrum are {names!r}: expected one for each of its {len(motions)} "
                             "motions, all different")
        lengths = _durations(motions)
        whole = max(length / share for length, share in zip(lengths, shares, strict=True))
        self.motions, self.shares, self.names = motions, shares, called
        self.duration = whole if duration is None else duration

    @property
    def repeats(self) -> tuple[float, ...]:
        """How often each motion comes in one pass; of shares so that the rarest comes once."""
        lengths = _durations(self.motions)
        return tuple(float(round(share * self.duration / length, 12)) for share, length in
                     zip(self.shares, lengths, strict=True))

    @property
    def loads(self) -> tuple[Carried, ...]:
        """What is carried in any of its motions."""
        return tuple(dict.fromkeys(load for motion in self.motions for load in getattr(motion, "loads", ())))

    def refuse(self, caller: str) -> NoReturn:
        """Refuse the spectrum where a function takes one motion."""
        raise ValueError(f"{caller or 'this function'} takes one motion, not a duty spectrum of {len(self)}: call it "
                         "for each of spectrum.motions; verdict, peak_loads, motor_loads and fatigue take a "
                         "spectrum")

    def __len__(self) -> int:
        return len(self.motions)

    def __iter__(self) -> Iterator[tuple[SampledMotion, float]]:
        return iter(zip(self.motions, self.shares, strict=True))

    def __repr__(self) -> str:
        parts = (f"{name} {100 * share:.3g} %" for name, share in zip(self.names, self.shares, strict=True))
        return f"<duty spectrum: {', '.join(parts)}>"


def _pairs(parts: Any, what: str) -> tuple[tuple[SampledMotion, ...], tuple[float, ...]]:
    """Motions and their numbers, more than zero each."""
    try:
        pairs = [tuple(part) for part in parts]
    except TypeError:
        pairs = []
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"a duty spectrum is a list of (motion, {what}), like [(pick, 0.7), (place, 0.3)]")
    motions, values = [], []
    for k, (motion, value) in enumerate(pairs):
        if not all(hasattr(motion, name) for name in ("q", "qd", "qdd", "times")):
            raise ValueError(f"motion {k + 1} of a duty spectrum is a {type(motion).__name__}: expected an lp.Motion "
                             "or a simulation")
        found = number(value, f"{what} of motion {k + 1} of a duty spectrum")
        if not found > 0:
            raise ValueError(f"{what} of motion {k + 1} of a duty spectrum is {found:g}: expected more than zero")
        motions.append(motion)
        values.append(found)
    for k, length in enumerate(_durations(motions)):
        if not length > 0:
            raise ValueError(f"motion {k + 1} of a duty spectrum takes no time: it has {len(motions[k].times)} samples")
    return tuple(motions), tuple(values)


def _durations(motions: Sequence[SampledMotion]) -> list[float]:
    """s each."""
    return [float(times[-1] - times[0]) if len(times) else 0.0 for times in (np.asarray(m.times) for m in motions)]
