"""What smoothing did to a motion, in numbers and in words; and the filter that a user may ask for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadpath.robot.numbers import number
from loadpath.scalars.types import Floats


@dataclass(frozen=True)
class LowPass:
    """A filter for `smooth=`, without phase: of a frequency f it lets 1 / (1 + (f / cutoff)^6) through, `cutoff` in Hz.

    >>> import loadpath as lp
    >>> lp.LowPass(10.0)
    LowPass(cutoff=10.0)
    """

    cutoff: float

    def __post_init__(self) -> None:
        cutoff = number(self.cutoff, "cutoff")
        if not 0 < cutoff < math.inf:
            raise ValueError(f"cutoff is {cutoff:g}: expected a frequency (Hz), more than zero")
        object.__setattr__(self, "cutoff", cutoff)


@dataclass(frozen=True, eq=False, repr=False)
class Smoothing:
    """What was smoothed of a motion, an entry for each coordinate (or quaternion) that was.

    `what` is "positions" or "speeds", `names` are of coordinates, `units` theirs (empty if no robot is known), `cutoff`
    (Hz) is the frequency of which one half is left, `noise` what seems to be noise (standard deviation), `rms` and
    `largest` by how much samples were changed; of a quaternion as the angle of the turn.

    >>> import loadpath as lp
    >>> t = np.arange(0.0, 2.0, 0.01)
    >>> q = np.sin(3 * t)[:, None] + np.random.default_rng(0).normal(0, 1e-3, (200, 1))
    >>> smoothing = lp.Motion(t, q, smooth=True).smoothing
    >>> smoothing.names, bool(0.0008 < smoothing.rms[0] < 0.0012)
    (('joint1',), True)
    """

    what: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    cutoff: Floats
    noise: Floats
    rms: Floats
    largest: Floats
    chosen: bool
    """By cross-validation; otherwise the cut-off was given."""
    uncertain: str = ""
    """What is still uncertain, in words."""
    position_noise: tuple[float, ...] = ()
    """Of smoothed speeds: what seemed to be noise of their positions, which were smoothed with them."""

    def taken_off(self, dof_names: Sequence[str]) -> tuple[Floats, Floats]:
        """The noise of positions and of speeds that smoothing the speeds took off, for each degree of freedom."""
        noise: dict[str, tuple[float, float]] = {}
        if self.what == "speeds":
            noise = dict(zip(self.names, zip(self.position_noise, self.noise, strict=True), strict=True))
        positions, speeds = np.array([noise.get(name, (0.0, 0.0)) for name in dof_names]).reshape(-1, 2).T
        return positions, speeds

    def __repr__(self) -> str:
        return f"<smoothing: {self.sentences[0]}>"

    @property
    def summary(self) -> str:
        """In one sentence."""
        worst = int(np.argmax(self.largest))
        how = "by cross-validation" if self.chosen else "as asked"
        low, high = float(self.cutoff.min()), float(self.cutoff.max())
        band = f"{low:.2g} Hz" if high < 1.05 * low else f"{low:.2g} to {high:.2g} Hz"
        more = f" and {len(self.names) - 1} others" if len(self.names) > 1 else ""
        return (
            f"{self.what} were smoothed before they were differentiated, {how}: '{self.names[worst]}'{more}, cut-off "
            f"{band}, changed by {_with_unit(self.rms[worst], self.units[worst])} rms and at most "
            f"{_with_unit(self.largest[worst], self.units[worst])}{self.uncertain}"
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """The summary, and a sentence for each coordinate."""
        each = (
            f"'{name}': cut-off {cutoff:.2g} Hz, changed by {_with_unit(rms, unit)} rms, at most "
            f"{_with_unit(largest, unit)}"
            for name, unit, cutoff, rms, largest in zip(
                self.names, self.units, self.cutoff, self.rms, self.largest, strict=True
            )
        )
        return (self.summary[0].upper() + self.summary[1:] + ".", *(f"{sentence}." for sentence in each))


def _with_unit(value: float, unit: str) -> str:
    return f"{value:.2g} {unit}".rstrip()
