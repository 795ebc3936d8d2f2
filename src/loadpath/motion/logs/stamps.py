"""Time stamps as clocks of computers write them: twice the same, rounded, jittering, since 1970. They are put right
where it is certain how, and every change is reported with the line where it begins.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from loadpath.motion.noise import noise_of
from loadpath.scalars.types import Floats, Ints

SINCE_1970 = 1e8
"""s: stamps beyond are counted from some year, not from the beginning of the log."""
FINEST = 1e-6
"""Part of a step by which stamps may be off an even grid without a word."""
MUCH = 0.01
"""Part of a step by which stamps are moved with a warning."""
COARSEST = 10.0
"""Steps that stamps may be rounded to."""
FEWEST_EVEN = 50
FEWEST_JITTERING = 100
"""Samples by which an even clock is recognised."""
SMOOTHER = 3.0
"""Times as smooth positions must be at even times before jittering stamps are not believed."""
NO_ROUGHER = 0.7
"""Of what joints that do not decide, those that hardly move, may seem rougher by the other clock."""
CERTAIN = 3.0
"""Standard deviations of the fitted step within which a whole number of samples a second is taken instead."""
ENOUGH_SAMPLES = 20_000
"""Samples that are looked at for that."""
GAP = 20.0
"""Steps without a sample that are reported."""
MOVED = 1e-3
"""rad, m: of a coordinate over a time without samples."""
TOO_LARGE = {1e17: ("ns", 1e-9), 1e14: ("us", 1e-6), 1e11: ("ms", 1e-3)}
"""Stamps since 1970 that cannot be seconds (the year 5138), and what they are then."""


class Stamps(NamedTuple):
    """Rising times (s); for each row of the log its sample (rows of the same time share one); what was done, and what
    of it deserves a warning.
    """

    t: Floats
    sample: Ints | None
    notes: list[str]
    problems: list[str]


def read_stamps(
    t: Floats, unit: float | None, q: Floats, place: Callable[[int], str], column: str
) -> Stamps:
    """Times (s) of a log from its stamps. `unit` (s) is known or None, `place` says where a sample stands."""
    notes: list[str] = []
    problems: list[str] = []
    backwards = np.flatnonzero(np.diff(t) < 0)
    if backwards.size:
        k = int(backwards[0])
        raise ValueError(f"{place(k + 1)}, column '{column}': the time goes back, from {t[k]:.12g} ({place(k)}) to "
                         f"{t[k + 1]:.12g}: sort the rows, or cut the log there")
    quantum = _resolution(t)
    if unit is None:
        name, unit = next((known for least, known in TOO_LARGE.items() if t[0] >= least), ("s", 1.0))
        if unit != 1.0:
            notes.append(f"column '{column}': stamps of {t[0]:.4g} are since 1970 in {name}, and were converted to s")
    if t[0] * unit >= SINCE_1970:
        notes.append(f"column '{column}': times were counted from the first, {f'{t[0]:.6f}'.rstrip('0').rstrip('.')}")
        t = t - t[0]
    t, quantum = t * unit if unit != 1.0 else t, quantum * unit
    steps = np.diff(t)
    standing = np.flatnonzero(steps == 0)
    even = None if _written_twice(q, standing) else _even(t, quantum)
    if even is not None and (standing.size or np.abs(t - even).max() > FINEST * (even[1] - even[0])):
        step, moved = even[1] - even[0], float(np.abs(t - even).max())
        twice = f", twice the same from {place(int(standing[0]) + 1)} on" if standing.size else ""
        (problems if standing.size or moved > MUCH * step else notes).append(
            f"column '{column}': time stamps are rounded to {quantum:.3g} s{twice}; they are those of {1 / step:.6g} "
            f"samples a second, and were made even (moved by up to {moved:.2g} s)"
        )
        return Stamps(even, None, notes, problems)
    sample = np.concatenate([[0], np.cumsum(steps > 0)])
    rising = t[np.concatenate([[True], steps > 0])]
    smooth = _jittering(t, q, rising, sample if standing.size else None)
    if smooth is not None:
        worst = int(np.abs(t - smooth).argmax())
        rate = 1 / (smooth[1] - smooth[0])
        problems.append(f"column '{column}': time stamps jitter (by {abs(t - smooth).max():.2g} s at "
                        f"{place(worst)}), but the positions are those of even samples, {rate:.6g} a second: the "
                        "stamps were made even")
        return Stamps(smooth, None, notes, problems)
    if not standing.size:
        problems += _gap(t, q, place, column)
        return Stamps(t, None, notes, problems)
    k = int(standing[0])
    more = f", and so at {standing.size - 1} other places" if standing.size > 1 else ""
    problems.append(f"{place(k + 1)}, column '{column}': the same time as in {place(k)}, {t[k]:.9g} s{more}; rows of "
                    "one time were merged into their mean")
    problems += _gap(rising, merged(q, sample), lambda j: place(int(np.searchsorted(sample, j))), column)
    return Stamps(rising, sample, notes, problems)


def merged(values: Floats, sample: Ints | None) -> Floats:
    """Rows of one sample as their mean.

    >>> merged(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 1])).tolist()
    [[1.0], [3.0]]
    """
    if sample is None:
        return values
    first = np.flatnonzero(np.diff(sample, prepend=-1))
    sums = np.add.reduceat(values, first, axis=0)
    result: Floats = sums / np.diff(first, append=len(sample))[:, None]
    return result


def _written_twice(q: Floats, standing: Ints) -> bool:
    """Whether rows of one time are the same row again, of a robot that moves before and after: no clock does that.

    >>> q = np.array([[0.0], [1.0], [1.0], [2.0], [3.0]])
    >>> _written_twice(q, np.array([1])), _written_twice(q, np.array([2])), _written_twice(q, np.array([], dtype=int))
    (True, False, False)
    """
    changed = np.concatenate([[True], (np.diff(q, axis=0) != 0).any(axis=1), [True]])  # before each row, and at the end
    return bool(standing.size) and bool((~changed[standing + 1] & changed[standing] & changed[standing + 2]).all())


def _resolution(t: Floats) -> float:
    """The power of ten that all stamps are multiples of, or how far numbers there are apart."""
    largest = float(np.abs(t).max())
    apart = 2 * float(np.spacing(largest)) if largest > 0 else 1e-300
    for digits in range(-9, 10):  # from whole seconds in ns
        scaled = t * 10.0**digits
        if (np.abs(scaled - np.round(scaled)) <= 4 * np.spacing(np.abs(scaled).max())).all():
            return max(10.0**-digits, apart)
    return apart


def _even(t: Floats, quantum: float) -> Floats | None:
    """Even times that give these stamps when they are rounded (or cut) to the quantum, if there are such."""
    if len(t) < FEWEST_EVEN or t[-1] <= t[0]:
        return None
    k = np.arange(len(t))
    allowed = quantum * (1 + 1e-6) + 4 * float(np.spacing(np.abs(t).max()))
    step = _fitted_step(k, t)
    spread = 2 * quantum / len(t)  # of the step that the stamps leave open
    low, high = step - spread, step + spread
    for _ in range(50):  # how far stamps are off is convex in the step: thirds of an interval
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if np.ptp(t - k * left) < np.ptp(t - k * right):
            high = right
        else:
            low = left
    step = (low + high) / 2
    rate = round(1 / step) if step > 0 else 0
    if rate > 0 and np.ptp(t - k / rate) <= allowed:
        step = 1 / rate
    if not 0 < quantum <= COARSEST * step or np.ptp(t - k * step) > allowed:
        return None
    even: Floats = t[0] + k * step
    return even


def _fitted_step(k: Ints, t: Floats) -> float:
    """By least squares."""
    return float(((k - k.mean()) * (t - t.mean())).sum() / np.square(k - k.mean()).sum())


def _jittering(t: Floats, q: Floats, rising: Floats, sample: Ints | None) -> Floats | None:
    """Even times, if the stamps jitter about these and the positions are much smoother over them. The stamps as they
    are stand for `rising` times, with rows of one `sample` merged. A joint that hardly moves has the same noise by
    both clocks: it does not decide.
    """
    count = len(t)
    if count < FEWEST_JITTERING or not q.shape[1]:
        return None
    k = np.arange(count)
    step = _fitted_step(k, t)
    off = t - k * step
    off -= off.mean()
    jitter = float(np.abs(off).max())
    if not FINEST * step < jitter < step:
        return None
    rate = round(1 / step)
    scatter = float(off.std()) * math.sqrt(12 / count) / count  # of the fitted step
    if rate > 0 and abs(1 / rate - step) < CERTAIN * scatter:
        step = 1 / rate
    even: Floats = t[0] + k * step
    some = slice(0, ENOUGH_SAMPLES)
    moving = np.ptp(q[some], axis=0) > 0
    if not moving.any():
        return None
    given = noise_of(rising[some], merged(q, sample)[some][:, moving]).size
    better = noise_of(even[some], q[some][:, moving]).size
    if not (given > SMOOTHER * better).any() or (given < NO_ROUGHER * better).any():
        return None
    return even


def _gap(t: Floats, q: Floats, place: Callable[[int], str], column: str) -> list[str]:
    """A sentence about the longest time without samples in which the robot moved."""
    steps = np.diff(t)
    if len(t) < FEWEST_EVEN:
        return []
    usual = float(np.median(steps))
    long = (steps > GAP * usual) & (np.abs(np.diff(q, axis=0)).max(axis=1, initial=0.0) > MOVED)
    if not long.any():
        return []
    k = int(np.where(long, steps, 0.0).argmax())
    more = f" (and {long.sum() - 1} more)" if long.sum() > 1 else ""
    return [f"{place(k + 1)}, column '{column}': {steps[k]:.3g} s without samples{more}, from t = {t[k]:.6g} s on, "
            f"where steps of {usual:.3g} s are usual: what the robot did there is not known"]


# Rows that repeat the one before: a logger that is quicker than the robot writes every sample several times.


FEWEST_CHANGES = 50
"""Changes by which a rhythm is recognised."""
REGULAR_CHANGES = 0.9
"""Part of the times between changes, while there are any, that must be the same."""


def held_rows(values: Floats) -> tuple[int, int] | None:
    """How many rows at a time are the same in all columns, and the first row that is new; None if they are not held.

    >>> held_rows(np.repeat(np.arange(100.0) ** 2, 4)[2:, None])
    (4, 2)
    >>> held_rows(np.arange(100.0)[:, None])
    """
    if not values.shape[1]:
        return None
    changes = 1 + np.flatnonzero((np.diff(values, axis=0) != 0).any(axis=1))
    if len(changes) < FEWEST_CHANGES:
        return None
    between = np.diff(changes)
    count = int(np.median(between))
    moving = between[between <= 2 * count]
    if count < 2 or np.mean(moving == count) < REGULAR_CHANGES or len(moving) < FEWEST_CHANGES - 1:
        return None
    first = int(np.bincount(changes % count, minlength=count).argmax())
    return (count, first) if np.mean(changes % count == first) >= REGULAR_CHANGES else None


# Single samples that stand out from those beside them: lost bits, a jump of a sensor for one sample.


FEWEST_BESIDE = 20
"""Samples by which what is usual is known."""
FAR_OFF = 10.0
"""Times as far off as 95 of 100 samples are at most."""
ALONE = 0.1
"""Part of it by which its neighbours may be off what a single sample makes of them."""
SMALLEST_JUMP = 1e-4
"""rad, m: smaller ones do not matter."""
MOST_OUTLIERS = 0.05
"""Of all samples: more that stand out are noise."""
NAMED = 5


def outliers(q: Floats, columns: Sequence[str], place: Callable[[int], str]) -> list[str]:
    """A sentence for each column with outliers, by the lines where they are.

    >>> smooth = np.sin(np.arange(50) / 10)
    >>> smooth[20] += 0.3
    >>> outliers(smooth[:, None], ["elbow"], lambda sample: f"line {sample + 2}")[0][:66]
    "line 22, column 'elbow': a single sample that stands out by 0.3 fr"
    """
    found = []
    for column, values in zip(columns, q.T, strict=True):
        samples, size = single_outliers(values)
        if not len(samples):
            continue
        others = [place(int(k)) for k in samples[1 : 1 + NAMED]]
        more = len(samples) - 1 - len(others)
        also = f", and so {', '.join(others)}{f' and {more} more' if more else ''}" if others else ""
        found.append(f"{place(int(samples[0]))}, column '{column}': a single sample that stands out by {size[0]:.3g} "
                     f"from those beside it{also}: an outlier? Smoothing spreads it; mend it in the log")
    return found


def single_outliers(values: Floats) -> tuple[Ints, Floats]:
    """Numbers of the samples that stand out, and by how much. A sample is held against the cubic through two on each
    side: one that is off alone is off by h, its neighbours by -2/3 h, which neither steps (-1) nor bends (-1/2) are.
    """
    none = np.zeros(0, dtype=np.intp), np.zeros(0)
    if len(values) < FEWEST_BESIDE:
        return none
    off = values[2:-2] - (4 * (values[1:-3] + values[3:-1]) - values[:-4] - values[4:]) / 6
    size = np.abs(off)
    inner = np.flatnonzero(size[1:-1] > SMALLEST_JUMP) + 1
    beside = np.maximum(np.abs(off[inner - 1] + off[inner] * 2 / 3), np.abs(off[inner + 1] + off[inner] * 2 / 3))
    alone = inner[beside < ALONE * size[inner]]
    if not len(alone) or len(alone) > MOST_OUTLIERS * len(values):
        return none
    others = np.ones(len(size), dtype=bool)  # what no such sample has touched says what is usual
    for shift in range(-2, 3):
        others[np.clip(alone + shift, 0, len(size) - 1)] = False
    usual = float(np.quantile(size[others], 0.95)) if others.any() else np.inf
    alone = alone[size[alone] > FAR_OFF * usual]
    return alone + 2, size[alone]
