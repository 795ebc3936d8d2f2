"""Which designs of a space are looked at: a grid, points of a Latin hypercube or of a Sobol sequence, the pairs of
points that sensitivities need, own samples.

**Saltelli's pairs.** Of two independent points a and b (the halves of one point of a Sobol sequence in twice as many
dimensions) come d + 2 designs: a; a with one number after the other from b; b. They follow each other, so that the
first designs of a plan are a plan themselves.
"""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.cached import kept
from loadpath.scalars.types import Floats, Ints

GRID, LATIN, SOBOL, PAIRS, OWN = "grid", "Latin hypercube", "Sobol", "Saltelli's pairs", "own samples"
_MOST_DESIGNS = 10**12
_SEQUENCES = threading.local()
"""Of each thread the Sobol sequence that it drew from last."""


@dataclass(frozen=True)
class Sampling:
    """Which designs of a space are looked at."""

    kind: str = GRID
    count: int = 0
    seed: int = 0
    table: tuple[tuple[str, tuple[Any, ...]], ...] = ()

    def shares(self, numbers: Ints, dims: int) -> Floats:
        """(designs, dims): of a Latin hypercube or a Sobol sequence the points in the unit cube, by their numbers."""
        if self.kind == LATIN:
            found: Floats = _latin_hypercube(self, dims)[numbers]
            return found
        if self.kind == PAIRS:
            return _pairs(dims, self.seed, numbers)
        return _sobol(dims, self.seed, numbers)


@kept()
def _latin_hypercube(sampling: Sampling, dims: int) -> Floats:
    """All of its points: they hang together."""
    from scipy.stats import qmc

    return np.asarray(qmc.LatinHypercube(dims, seed=sampling.seed).random(sampling.count))


def _pairs(dims: int, seed: int, numbers: Ints) -> Floats:
    """Designs of Saltelli's plan: of each the pair that it is of, and how much of it is b."""
    of, kind = np.divmod(numbers, dims + 2)
    pairs, place = np.unique(of, return_inverse=True)
    points = _sobol(2 * dims, seed, pairs)[place]
    a, b = points[:, :dims], points[:, dims:]
    from_b = (kind[:, None] == np.arange(1, dims + 1)) | (kind[:, None] == dims + 1)
    return np.where(from_b, b, a)


def _sobol(dims: int, seed: int, numbers: Ints) -> Floats:
    """Points of a scrambled sequence."""
    from scipy.stats import qmc

    if not len(numbers):
        return np.zeros((0, dims))
    first, last = int(numbers.min()), int(numbers.max())
    # Going forward takes a time for each point, so a thread goes on where it was.
    known = _SEQUENCES.__dict__.setdefault("known", {})
    key = dims, seed
    sequence = known.pop(key, None)
    if sequence is None or sequence.num_generated > first:
        sequence = qmc.Sobol(dims, scramble=True, seed=seed)
    if sequence.num_generated < first:
        sequence.fast_forward(first - sequence.num_generated)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a part of a sequence is no power of two
        points: Floats = np.asarray(sequence.random(last - first + 1))
    known.clear()
    known[key] = sequence
    asked: Floats = points[numbers - first]
    return asked


def checked_count(count: object, caller: str, least: int = 1) -> int:
    """So many designs."""
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or not least <= count <= _MOST_DESIGNS:
        raise ValueError(f"{caller}: count is {count!r}: expected how many designs, {least} or more")
    return int(count)


def checked_seed(seed: object) -> int:
    """Of random numbers."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ValueError(f"seed is {seed!r}: expected a whole number, zero or more, so that the designs can be made "
                         "again")
    return int(seed)
