"""Input shapers: impulses whose vibrations cancel each other (Singer and Seering 1990, Singhose 1994).

A motion that is convolved with impulses of sizes A_i at times t_i excites a mode by Sum A_i e^{(zeta w + i w_d) t_i} of
what it excited before: nothing, for the frequency and damping that the shaper is made for. The sizes add up to one, so
that the motion ends where it did.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from loadpath.scalars.types import Floats

ShaperName = Literal["zv", "zvd", "zvdd", "ei", "smooth"]
SHAPERS: tuple[ShaperName, ...] = ("zv", "zvd", "zvdd", "ei", "smooth")
INSENSITIVE = 0.05
"""Share of the vibration that an EI shaper leaves at its own frequency, to leave no more around it."""


class Impulses(NamedTuple):
    """Sizes that add up to one, and times (s) from zero on."""

    sizes: Floats
    times: Floats


def impulses(name: ShaperName, frequency: float, ratio: float) -> Impulses:
    """The impulses of a shaper for a mode with this natural frequency (Hz, undamped) and damping ratio.

    - "zv": two, half a period long; "zvd": three, a period, and flat around its frequency; "zvdd": four, one and a
      half.
    - "ei": three, a period: at its frequency 5 % of the vibration are left, and no more than that for frequencies some
      20 % off (exact without damping).

    >>> impulses("zv", 2.0, 0.0)
    Impulses(sizes=array([0.5, 0.5]), times=array([0.  , 0.25]))
    """
    root = math.sqrt(1 - ratio * ratio)
    K, half = math.exp(-ratio * math.pi / root), 0.5 / (frequency * root)
    if name == "ei":
        V = INSENSITIVE
        sizes = np.array([(1 + V) / 4, (1 - V) / 2 * K, (1 + V) / 4 * K * K])
    else:
        order = {"zv": 1, "zvd": 2, "zvdd": 3}[name]
        sizes = np.array([math.comb(order, k) * K**k for k in range(order + 1)])
    times: Floats = half * np.arange(len(sizes), dtype=float)
    return Impulses(sizes / sizes.sum(), times)


def left_over(found: Impulses, frequency: float, ratio: float) -> float:
    """Share of a vibration (Hz, ratio) that a shaper leaves, at the time of its last impulse.

    >>> round(left_over(impulses("zv", 2.0, 0.05), 2.0, 0.05), 12)
    0.0
    >>> round(left_over(impulses("zv", 2.0, 0.0), 2.2, 0.0), 3)
    0.156
    """
    w = 2 * math.pi * frequency
    power = complex(ratio * w, w * math.sqrt(1 - ratio * ratio))
    total = (found.sizes * np.exp(power * (found.times - found.times[-1]))).sum()
    return float(abs(total))
