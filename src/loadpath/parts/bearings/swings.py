"""How far a joint swings between its reversals: small oscillation wears bearings in a way that no rating covers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from loadpath.parts.part import JointLoads
from loadpath.scalars.types import Floats


@dataclass(eq=False)
class Swings:
    """Adds up the travel of a joint, swing by swing from one reversal to the next."""

    critical: float
    """rad (of slides m): swings below it are small."""
    turning: bool = True
    """Else it slides."""
    largest: float = 0.0
    """rad: the largest swing that has ended."""
    small: float = 0.0
    """rad/s: mean speed by swings below the critical angle that have ended."""
    total: float = 0.0
    """rad/s: mean speed by all travel."""
    known: bool = False
    """Whether there were samples one after the other in time; of single states nothing is known of swings."""
    _motion: int | None = None
    _last: float = 0.0
    """rad: where the last sample was."""
    _open: float = 0.0
    """rad: how far the swing went that has not ended yet, with its sense."""
    _open_speed: float = 0.0

    def add(self, loads: JointLoads) -> None:
        """The next block of samples."""
        if not len(loads.position) or np.isnan(loads.t[0]):
            return
        self.known |= len(loads.position) > 1 or loads.motion == self._motion
        if loads.motion != self._motion:
            self.end()
            self._motion, self._last = loads.motion, float(loads.position[0])
        speeds = np.abs(loads.speed) * loads.weight
        self.total += float(speeds.sum())
        steps = np.concatenate([[self._open], np.diff(loads.position, prepend=self._last)])
        speeds = np.concatenate([[self._open_speed], speeds])
        self._last = float(loads.position[-1])
        moving = np.flatnonzero(steps)
        turning = moving[1:][np.diff(np.sign(steps[moving])) != 0]
        edges = np.concatenate([[0], turning])
        swings, speeds = np.add.reduceat(steps, edges), np.add.reduceat(speeds, edges)
        self._ended(np.abs(swings[:-1]), speeds[:-1])
        self._open, self._open_speed = float(swings[-1]), float(speeds[-1])

    def end(self) -> None:
        """The last swing ends with its motion."""
        self._ended(np.abs([self._open]), np.array([self._open_speed]))
        self._open = self._open_speed = 0.0

    def _ended(self, swings: Floats, speeds: Floats) -> None:
        self.small += float(speeds[swings < self.critical].sum())
        self.largest = max(self.largest, float(swings.max(initial=0.0)))

    @property
    def named(self) -> str:
        """The user's word for what is critical."""
        return "critical_angle" if self.turning else "critical_stroke"

    def said(self, swing: float) -> str:
        """A swing in words: degrees, or mm."""
        return f"{math.degrees(swing):.3g} deg" if self.turning else f"{1e3 * swing:.3g} mm"

    @property
    def small_share(self) -> float:
        """Share of the travel that lies in small swings."""
        return self.small / self.total if self.total > 0 else 0.0
