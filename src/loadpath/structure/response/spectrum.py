"""The response spectrum of a motion: how much an undamped vibration of one frequency makes of its accelerations.

An oscillator u'' + w^2 u = -a(t) that starts at rest has w^2 u(t) = -w Im[e^{iwt} C(t)] with C(t) the integral of
a(s) e^{-iws} up to t (Duhamel's integral), which is a sum of closed forms where a is straight between instants. A slow
acceleration gives w^2 u = -a. After the motion the size of the vibration is w |C|.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loadpath.scalars.types import Floats
from loadpath.structure.response.track import Track

FINE = 40
"""Instants in a period."""
MOST = 1_000_000


class Spectrum(NamedTuple):
    """Of every joint, (n,): NaN for one that has no acceleration."""

    peak: Floats
    """Largest w^2 u over the largest acceleration."""
    residual: Floats
    """Its size after the motion, over the same."""


def response_spectrum(track: Track, frequency: float) -> Spectrum:
    """Of a motion at one frequency (Hz).

    >>> from loadpath.motion.layout import numbered
    >>> from loadpath.structure.response.track import track_of
    >>> t = np.linspace(0, 1, 101)[:, None]                # a constant acceleration that sets in at once: twice as far
    >>> course = track_of(numbered(1), t[:, 0], t**2 / 2, t, np.ones_like(t))
    >>> float(response_spectrum(course, 3.0).peak[0].round(3))
    2.0
    """
    w = 2 * math.pi * frequency
    duration = float(track.t[-1] - track.t[0])
    extra = np.linspace(track.t[0], track.t[-1], int(min(MOST, FINE * frequency * duration)) + 2)
    edges = np.unique(np.concatenate([track.t, extra]))
    begin, end = track.at(edges[:-1])[2], track.at(edges[1:], before=True)[2]
    h = np.diff(edges)[:, None]
    t = (edges - edges[0])[:, None]
    # Integral of (a + (b - a) s / h) e^{-iw s} from 0 to h.
    x = w * h
    small = x < 1e-3
    safe = np.where(small, 1.0, x)
    once = np.where(small, 1 - 0.5j * x - x**2 / 6, 1j * (np.exp(-1j * safe) - 1) / safe)
    ramp = np.where(small, 0.5 - 1j * x / 3 - x**2 / 8,
                    (np.exp(-1j * safe) * (1 + 1j * safe) - 1) / safe**2)
    each = h * (begin * once + (end - begin) * ramp) * np.exp(-1j * w * t[:-1])
    C = np.concatenate([np.zeros((1, begin.shape[1])), np.cumsum(each, axis=0)])
    course = w * np.imag(np.exp(1j * w * t) * C)
    largest = np.maximum(np.abs(begin), np.abs(end)).max(axis=0)
    known = np.where(largest > 0, largest, np.nan)
    residual = w * np.abs(C[-1])
    return Spectrum(np.maximum(np.abs(course).max(axis=0), residual) / known, residual / known)
