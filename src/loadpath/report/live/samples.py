"""Which samples of a motion go into the page: all, or of very long ones some, the peaks among them."""

from __future__ import annotations

import base64
from collections.abc import Iterable

import numpy as np

from loadpath.loads.peaks.result import PeakLoads
from loadpath.scalars.types import Floats, Ints

MOST_NUMBERS = 120_000
"""Of q, qd and qdd together, about 1 MB: of a robot of seven joints 5,700 samples."""


def kept_samples(peaks: PeakLoads, also: Iterable[int]) -> Ints:
    """Numbers of the samples: all, or spread evenly, with those of all peaks and those that are named."""
    count = len(peaks.states)
    most = MOST_NUMBERS // max(peaks.robot.nq + 2 * peaks.robot.n, 1)
    if count <= most:
        return np.arange(count)
    named = [np.array(list(also), dtype=np.intp)]
    for statistics in (peaks.components, peaks.resultants, peaks.drive, peaks.speed, peaks.power):
        named += [statistics.maximum_at.ravel(), statistics.minimum_at.ravel()]
    even = np.linspace(0, count - 1, most).round().astype(np.intp)
    return np.unique(np.concatenate([even, *named]))


def encoded(values: Floats) -> str:
    """Numbers as the page reads them: little-endian doubles in base64.

    >>> encoded(np.array([1.0]))
    'AAAAAAAA8D8='
    """
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode()
