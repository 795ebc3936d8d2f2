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

from loadpath.scalars.types import Floats, Ints

GRID, LATIN, SOBOL, PAIRS, OWN = "grid", "Latin hypercube", "Sobol", "Saltelli's pairs", "own samples"
DRAWN = "corners and draws"
MOST_SCATTERED = 10
"""Parameters, of whose ranges all corners are looked at."""
_MOST_DESIGNS = 10**12
_FAR = 4096
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
        """(designs, dims): points in the unit cube by their numbers, of what has some."""
        if self.kind == DRAWN:
            return _drawn(self, dims, numbers)
        if self.kind == LATIN:
            return _latin_hypercube(self, dims, numbers)
        if self.kind == PAIRS:
            return _pairs(dims, self.seed, numbers)
        return _sobol(dims, self.seed, numbers)


def _drawn(sampling: Sampling, dims: int, numbers: Ints) -> Floats:
    """All corners of the unit cube, then points of a Sobol sequence."""
    corners = 2**dims
    bits = (numbers[:, None] >> np.arange(dims)) & 1
    drawn = numbers >= corners
    shares = bits.astype(float)
    shares[drawn] = _sobol(dims, sampling.seed, numbers[drawn] - corners)
    return shares


def _latin_hypercube(sampling: Sampling, dims: int, numbers: Ints) -> Floats:
    """Each parameter takes all parts of its range in an order of its own, and a number somewhere in the part. Both
    follow from the design's number, so that nothing is held: the order is a network of Feistel's of four rounds, a
    permutation of the numbers below a power of four, walked until the number is below the count.
    """
    count = sampling.count
    bits = np.uint64(max(1, -(-(count - 1).bit_length() // 2)))
    mask = np.uint64((1 << int(bits)) - 1)
    found = np.empty((len(numbers), dims))
    for k in range(dims):
        keys = _mixed(np.arange(5, dtype=np.uint64) + np.uint64(8 * k), _mixed(np.uint64(sampling.seed), np.uint64(1)))
        place = numbers.astype(np.uint64)
        rest = np.arange(len(place))
        while len(rest):
            left, right = place[rest] >> bits, place[rest] & mask
            for key in keys[:4]:
                left, right = right, left ^ (_mixed(right, key) & mask)
            place[rest] = (left << bits) | right
            rest = rest[place[rest] >= count]
        inside = (_mixed(place, keys[4]) >> np.uint64(11)) * 2.0**-53
        found[:, k] = np.minimum((place + inside) / count, np.nextafter(1.0, 0.0))
    return found


def _mixed(numbers: Any, key: Any) -> Any:
    """Numbers of 64 bits, each mixed with a key (the finalizer of SplitMix64)."""
    with np.errstate(over="ignore"):
        x = numbers + key * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


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
    if not len(numbers):
        return np.zeros((0, dims))
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    found: Floats = np.empty((len(numbers), dims))
    # Points that are far from each other are not made with all between them.
    for rows in np.split(np.arange(len(order)), np.flatnonzero(np.diff(ordered) > _FAR) + 1):
        first, last = int(ordered[rows[0]]), int(ordered[rows[-1]])
        found[order[rows]] = _sobol_from(dims, seed, first, last)[ordered[rows] - first]
    return found


def _sobol_from(dims: int, seed: int, first: int, last: int) -> Floats:
    """All points of a scrambled sequence from one to another."""
    from scipy.stats import qmc

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
    return points


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
