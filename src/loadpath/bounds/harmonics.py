"""Sums of cosines of whole multiples of angles, times products of powers: what wrenches and drive forces of arms with
turning and sliding joints are, exactly.

Each link turns with a joint's angle, so with all else fixed a wrench is a trigonometric polynomial of second degree in
each angle, a polynomial of second degree in the position of each slide and in the speeds, of first degree in the
accelerations:

    F = sum over p of  y_1^e_p1 y_2^e_p2 ... S_p,    S_p = Re sum over m of C_pm exp(i k_m . a)

with angles a, and y all other variables. Values on a grid give all coefficients (`expanded`), to rounding.

Over a box with center a0, half widths h, each cosine is A cos(psi + d) with |d| <= w = |k| . h, where
psi = k . a0 + arg C. It is its value and its slope at the center, and a rest that is not larger than

    max(-A cos psi, 0) w^2 / 2 + |A sin psi| w^3 / 6.

A cosine near its top has nearly no rest, so the bound is sharp where the sum is largest. Slopes of all cosines are
summed before their magnitude is taken: what cancels does not count.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from loadpath.bounds.branch_and_bound import Bounded
from loadpath.cached import cached_property
from loadpath.scalars.types import Bools, Floats, Ints

Complexes = NDArray[np.complex128]

WIDE = 1.2
"""rad: cosines over more than this to each side are bounded as a whole, not by value and slope."""
ROUNDING = 1e-9
"""Of the sum of all amplitudes: more than what rounding does to a value, to a coefficient and to a bound."""
LARGEST_GRID = 30_000_000
"""Values that are computed to find the coefficients, at most."""
AT_ONCE = 16_384
"""Cosines that are computed at once: what stays near the processor."""
NODES, SECOND_DEGREE = 5, (-1.0, 0.0, 1.0)
"""Nodes for an angle, and those of a slide."""


@dataclass(frozen=True, eq=False)
class Harmonics:
    """A sum as above, of angles and of other variables, in that order, and bounds of it.

    `half` are half widths of variables that occur in one term alone and linearly, as accelerations do: over these the
    maximum is taken at once, at the end that the sign of its factor says, and a box has none of them.
    """

    multiples: Floats
    """(m, angles), whole numbers."""
    amplitudes: Complexes
    """(p, m)"""
    exponents: Ints
    """(p, others)"""
    half: Floats
    """(p,): half width of the linear variable of each term, zero of all others."""
    middle: Floats
    """(p,): its middle, one of all others."""
    slack: float
    """What is added to each bound: for rounding, and for what was left out."""
    slope_slack: Floats
    """(size,): the same of slopes."""

    @property
    def angles(self) -> int:
        """Number of angles, which come first."""
        return int(self.multiples.shape[1])

    @property
    def size(self) -> int:
        """Number of variables of a box."""
        return self.angles + int(self.exponents.shape[1])

    def bounds(self, low: Floats, high: Floats) -> Bounded:
        """Bounds and slopes over boxes (b, size)."""
        step = max(1, AT_ONCE // max(1, self.amplitudes.shape[1]))
        blocks = [self._bounds(low[k : k + step], high[k : k + step]) for k in range(0, len(low), step)]
        return Bounded(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))

    def _bounds(self, low: Floats, high: Floats) -> Bounded:  # noqa: PLR0915
        center, half = (low + high) / 2, (high - low) / 2
        a, h = center[:, : self.angles], half[:, : self.angles]
        y, k = center[:, self.angles :], half[:, self.angles :]
        size, wide, K = len(low), np.abs(self.multiples), self.multiples

        psi = a @ K.T
        c, s = np.cos(psi), np.sin(psi)
        w = h @ wide.T
        re, im = self.amplitudes.real, self.amplitudes.imag
        S = c @ re.T - s @ im.T  # (b, p)

        power = Powers(self.exponents, y, k)
        switched = np.flatnonzero(self.half > 0)
        sign = np.where(S[:, switched] >= 0, 1.0, -1.0)
        factor = power.value * self.middle
        factor[:, switched] += sign * self.half[switched]

        # All terms together at the center of the powers: value, slopes, and the rest of each cosine.
        both_re, both_im = factor @ re, factor @ im
        X, Y = c * both_re - s * both_im, c * both_im + s * both_re
        value, slope = X.sum(axis=1), -Y @ K
        narrow = w <= WIDE
        square = w * w / 2
        magnitude = np.hypot(both_re, both_im)
        rest = np.maximum(-X, 0.0) * square + np.abs(Y) * (square * w / 3)
        base = np.where(narrow, X + rest, magnitude).sum(axis=1)
        tilt_a = -np.where(narrow, Y, 0.0) @ K
        # The same with the squares of all cosines summed before their size is taken: what is sharper.
        pairs = (K[:, :, None] * K[:, None, :]).reshape(len(K), self.angles**2)
        bend = (X @ pairs).reshape(size, self.angles, self.angles)
        along, across = np.einsum("bjj->bj", bend), np.abs(bend)
        squares = (np.maximum(-along, 0.0) - np.abs(along)) * h * h + np.einsum("bij,bj->bi", across, h) * h
        cubes = (np.abs(Y) / 3 + np.abs(X) * w / 12) * square * w
        second = value + squares.sum(axis=1) / 2 + cubes.sum(axis=1)
        sharper = second + np.einsum("bj,bj->b", np.abs(slope), h) < base + np.einsum("bj,bj->b", np.abs(tilt_a), h)
        base, tilt_a = np.where(sharper, second, base), np.where(sharper[:, None], slope, tilt_a)

        # What changes with the powers.
        slope_error_a = (magnitude * np.minimum(w, 2.0)) @ wide
        tilt_y = np.einsum("bp,bpi->bi", S * self.middle, power.rate)
        slope_error_y = np.zeros_like(tilt_y)
        moving = np.flatnonzero((power.deviation > 0).any(axis=0))
        concerned = np.union1d(moving, switched)
        if len(concerned) and (len(moving) or h.any()):
            C = np.abs(self.amplitudes[concerned])
            r = np.minimum(square, 2 + w)
            rest_p = r @ C.T  # (b, concerned)
            slopes = self._slopes(c, s, concerned)  # (b, concerned, angles)
            reach = np.einsum("bpj,bj->bp", np.abs(slopes), h)
            of_moving, of_switched = np.searchsorted(concerned, moving), np.searchsorted(concerned, switched)
            if len(moving):
                middle = self.middle[moving]
                Sm, rate = S[:, moving] * middle, power.rate[:, moving]
                upward = np.where(self.squares[moving], np.maximum(Sm, 0.0), np.abs(Sm))
                base += (upward * power.rest[:, moving]).sum(axis=1)
                mixed = np.einsum("bpi,bpj->bij", rate * middle[:, None], slopes[:, of_moving])
                both = np.abs(mixed)
                base += np.einsum("bij,bi,bj->b", both, k, h)
                base += (np.abs(middle) * power.rest[:, moving] * reach[:, of_moving]).sum(axis=1)
                base += (np.abs(middle) * power.deviation[:, moving] * rest_p[:, of_moving]).sum(axis=1)
                slope_error_a += np.einsum("bij,bi->bj", both, k)
                slope_error_a += np.einsum("bp,bpj->bj", np.abs(middle) * power.rest[:, moving],
                                           np.abs(slopes[:, of_moving]))
                slope_error_a += (((np.abs(middle) * power.deviation[:, moving]) @ C[of_moving])
                                  * np.minimum(w, 2.0)) @ wide
                slope_error_y += np.einsum("bij,bj->bi", both, h)
                rate_error = power.rate_error[:, moving]
                slope_error_y += np.einsum("bp,bpi->bi", np.abs(Sm) + np.abs(middle) * reach[:, of_moving], rate_error)
                slope_error_y += np.einsum("bp,bpi->bi", np.abs(middle) * rest_p[:, of_moving],
                                           np.abs(rate) + rate_error)
            if len(switched):
                spread = reach[:, of_switched] + rest_p[:, of_switched]
                turns = np.maximum(spread - np.abs(S[:, switched]), 0.0) * self.half[switched]
                base += 2 * turns.sum(axis=1)
                steep = np.abs(slopes[:, of_switched]) + np.einsum(
                    "bm,pm,mj->bpj", np.minimum(w, 2.0), C[of_switched], wide, optimize=True)
                slope_error_a += np.einsum("bp,bpj->bj", np.where(turns > 0, 2 * self.half[switched], 0.0), steep)
        tilt = np.concatenate([tilt_a, tilt_y], axis=1)
        slope = np.concatenate([slope, tilt_y], axis=1)
        slope_error = np.concatenate([slope_error_a, slope_error_y], axis=1)
        plane = base + self.slack
        upper = plane + (np.abs(tilt) * half).sum(axis=1)
        # No cosine is above one: what counts in boxes that are wide.
        largest = (np.abs(power.value) + power.deviation) * np.abs(self.middle) + self.half
        upper = np.minimum(upper, largest @ np.abs(self.amplitudes).sum(axis=1) + self.slack)
        return Bounded(upper, plane, tilt, slope, slope_error + self.slope_slack, half * slope_error)

    def _slopes(self, c: Floats, s: Floats, terms: Ints) -> Floats:
        """(b, terms, angles): slopes of S of some terms."""
        by_sine, by_cosine = self._slope_amplitudes
        found: Floats = (s @ by_sine + c @ by_cosine).reshape(len(c), len(self.amplitudes), self.angles)[:, terms]
        return found

    @cached_property
    def _slope_amplitudes(self) -> tuple[Floats, Floats]:
        """(m, p angles): of the slopes by sines and by cosines."""
        K = self.multiples[:, None, :]
        shape = len(K), len(self.amplitudes) * self.angles
        by_sine, by_cosine = ((-part.T[:, :, None] * K).reshape(shape)
                              for part in (self.amplitudes.real, self.amplitudes.imag))
        return by_sine, by_cosine

    @property
    def squares(self) -> Bools:
        """Which terms have the square of one variable and nothing else."""
        found: Bools = (self.exponents == 2).any(axis=1) & (self.exponents.sum(axis=1) == 2)
        return found

    def factors(self, points: Floats) -> Floats:
        """(b, p): the sums S at points, the factors of the powers."""
        psi = points[:, : self.angles] @ self.multiples.T
        found: Floats = np.cos(psi) @ self.amplitudes.real.T - np.sin(psi) @ self.amplitudes.imag.T
        return found


class Powers:
    """Products of powers y^e over boxes with centers y and half widths k: (b, p)."""

    def __init__(self, exponents: Ints, y: Floats, k: Floats) -> None:
        self.value = _product(exponents, y)
        size, far = np.abs(y), np.abs(y) + k
        self.rate = _rates(exponents, y)
        """(b, p, others): derivatives at the center."""
        far_rate, rate_of_size = _rates(exponents, far), _rates(exponents, size)
        value_far, value_of_size = _product(exponents, far), _product(exponents, size)
        self.deviation = np.maximum(value_far - value_of_size, 0.0)
        """From the value at the center, at most."""
        self.rest = np.maximum(self.deviation - np.einsum("bpi,bi->bp", rate_of_size, k), 0.0)
        """From value and derivatives at the center, at most: the coefficients of all that is left are positive."""
        self.rate_error = np.maximum(far_rate - rate_of_size, 0.0)


def _product(exponents: Ints, y: Floats) -> Floats:
    result = np.ones((len(y), len(exponents)))
    for i in range(exponents.shape[1]):
        for degree in range(1, int(exponents[:, i].max(initial=0)) + 1):
            result[:, exponents[:, i] >= degree] *= y[:, i, None]
    return result


def _rates(exponents: Ints, y: Floats) -> Floats:
    result = np.zeros((len(y), *exponents.shape))
    for i in range(exponents.shape[1]):
        rows = np.flatnonzero(exponents[:, i])
        if len(rows):
            less = exponents[rows].copy()
            less[:, i] -= 1
            result[:, rows, i] = exponents[rows, i] * _product(less, y)
    return result


@dataclass(frozen=True, eq=False)
class Expansion:
    """The terms of one or more functions of a state x, all with the same multiples and exponents."""

    angles: tuple[int, ...]
    """Which entries of x are its angles."""
    others: tuple[int, ...]
    """Which are its other variables."""
    multiples: Floats
    amplitudes: Complexes
    """(functions, p, m)"""
    exponents: Ints

    def with_variable(self, entry: int, factor: float) -> Expansion:
        """The same and `factor` times one more entry of the state."""
        functions, terms, modes = self.amplitudes.shape
        more = np.zeros((functions, 1, modes), dtype=complex)
        more[:, 0, ~self.multiples.any(axis=1)] = factor
        exponents = np.zeros((terms + 1, len(self.others) + 1), dtype=int)
        exponents[:terms, :-1], exponents[terms, -1] = self.exponents, 1
        amplitudes = np.concatenate([self.amplitudes, more], axis=1)
        return replace(self, others=(*self.others, entry), amplitudes=amplitudes, exponents=exponents)


def expanded(  # noqa: PLR0915
    values: Callable[[Floats], Floats],
    positions: int,
    turning: Sequence[bool],
    low: Floats,
    high: Floats,
) -> Expansion | None:
    """The terms of functions of a state x = (positions, speeds, accelerations), for a box of states: `values` takes
    (b, 3 positions) and returns (b, functions). None where they have too many terms, or are no such sum.
    """
    rng = np.random.default_rng(1)
    fixed = np.clip(0.0, low, high)
    x = rng.uniform(low, high, (64, len(low)))
    there = values(x)
    scale = float(np.abs(there).max(initial=0.0))
    if not np.isfinite(scale):
        return None
    varied = [k for k in range(positions) if high[k] > low[k] and _depends(values, x, there, k, low, high, scale)]
    angles, slides = ([k for k in varied if turning[k] is kind] for kind in (True, False))
    speeds, accelerations = (
        [k for k in range(start, start + positions) if max(abs(low[k]), abs(high[k])) > 0.0]
        for start in (positions, 2 * positions)
    )
    terms = 1 + 2 * len(speeds) + len(speeds) * (len(speeds) - 1) // 2 + len(accelerations)
    functions = there.shape[1]
    if NODES ** len(angles) * 3 ** len(slides) * terms * functions > LARGEST_GRID:
        return None
    nodes = [2 * np.pi * np.arange(NODES) / NODES] * len(angles) + [np.array(SECOND_DEGREE)] * len(slides)
    grid = np.array(list(itertools.product(*nodes)), dtype=float).reshape(math.prod(map(len, nodes)), len(nodes))

    def at(**set_to: float) -> Floats:
        states = np.zeros((len(grid), len(low)))
        states[:, :positions] = fixed[:positions]
        states[:, [*angles, *slides]] = grid
        for name, value in set_to.items():
            states[:, int(name[1:])] = value
        return values(states)

    still = at()
    found: list[tuple[dict[int, int], Floats]] = [({}, still)]
    forward: dict[int, Floats] = {}
    for i in speeds:
        forward[i], backward = at(**{f"x{i}": 1.0}), at(**{f"x{i}": -1.0})
        found += [({i: 1}, (forward[i] - backward) / 2), ({i: 2}, (forward[i] + backward) / 2 - still)]
    for i, j in itertools.combinations(speeds, 2):
        both = at(**{f"x{i}": 1.0, f"x{j}": 1.0})
        found.append(({i: 1, j: 1}, both - forward[i] - forward[j] + still))
    found += [({i: 1}, at(**{f"x{i}": 1.0}) - still) for i in accelerations]

    others = (*slides, *speeds, *accelerations)
    place = {k: number for number, k in enumerate(others)}
    largest = np.maximum(np.abs(low), np.abs(high))
    shape = (*[NODES] * len(angles), *[3] * len(slides), functions)
    every = np.array(list(itertools.product(*[np.fft.fftfreq(NODES, 1 / NODES)] * len(angles))), dtype=float)
    every = every.reshape(NODES ** len(angles), len(angles))
    half = np.array([next((m > 0 for m in row if m), True) for row in every])
    multiples = every[half]
    doubled = np.where((multiples != 0).any(axis=1), 2.0, 1.0)
    rows: list[tuple[Ints, Complexes]] = []
    for powers, samples in found:
        table = samples.reshape(shape)
        for axis in range(len(angles), len(angles) + len(slides)):
            minus, zero, plus = np.moveaxis(table, axis, 0)
            table = np.stack([zero, (plus - minus) / 2, (plus + minus) / 2 - zero], axis=axis)
        coefficients = np.fft.fftn(table, axes=range(len(angles))) / NODES ** len(angles) if angles else table + 0j
        coefficients = coefficients.reshape(len(every), *shape[len(angles) :])[half]
        for degrees in itertools.product(*[range(3)] * len(slides)):
            exponent = np.zeros(len(others), dtype=int)
            for k, degree in {**powers, **dict(zip(slides, degrees, strict=True))}.items():
                exponent[place[k]] = degree
            part = coefficients[(slice(None), *degrees)].T * doubled  # (functions, m)
            rows.append((exponent, part))
    exponents = np.array([exponent for exponent, _ in rows], dtype=int).reshape(len(rows), len(others))
    amplitudes = np.stack([part for _, part in rows], axis=1)
    # Exact zeros of the equations are there as rounding: rows of nothing else are left out.
    weights = _product(exponents, largest[None, list(others)])[0]
    sizes = np.abs(amplitudes).max(axis=0) * weights[:, None]
    rows_kept = sizes.max(axis=1) > 1e-12 * sizes.sum()
    rows_kept[0] = True
    result = Expansion(tuple(angles), others, multiples, amplitudes[:, rows_kept], exponents[rows_kept])
    checked = _evaluated(result, x)
    total = float((np.abs(result.amplitudes).sum(axis=(0, 2)) * weights[rows_kept]).sum())
    if np.abs(checked - there).max(initial=0.0) > 0.1 * ROUNDING * total:
        return None
    return result


def _depends(
    values: Callable[[Floats], Floats], x: Floats, there: Floats, k: int, low: Floats, high: Floats, scale: float
) -> bool:
    moved = x.copy()
    moved[:, k] = np.random.default_rng(2).uniform(low[k], high[k], len(x))
    return bool(np.abs(values(moved) - there).max(initial=0.0) > 1e-12 * scale)


def _evaluated(expansion: Expansion, x: Floats) -> Floats:
    turned = np.exp(1j * (x[:, list(expansion.angles)] @ expansion.multiples.T))
    sums = np.einsum("bm,fpm->bfp", turned, expansion.amplitudes).real
    found: Floats = np.einsum("bfp,bp->bf", sums, _product(expansion.exponents, x[:, list(expansion.others)]))
    return found


def along_direction(amplitudes: Complexes, multiples: Floats, *, both_signs: bool) -> tuple[Complexes, Floats]:
    """The part of a vector (functions, p, m) along a direction that turns with one or two more angles, whose largest
    value over all directions is the vector's magnitude: (p, m'), and multiples (m', angles + more).

    Two functions: along (cos u, sin u). Three: along (cos v cos u, cos v sin u, sin v). One, of `both_signs`: times
    cos u, which is one at 0 and minus one at pi.
    """
    count = len(amplitudes)
    if count == 1 and not both_signs:
        return amplitudes[0], multiples

    def turned(by_cosine: Complexes, by_sine: Complexes, rows: Floats) -> tuple[Complexes, Floats]:
        one = np.ones((len(rows), 1))
        return (
            np.concatenate([(by_cosine - 1j * by_sine) / 2, (by_cosine + 1j * by_sine) / 2], axis=-1),
            np.concatenate([np.hstack([rows, one]), np.hstack([rows, -one])]),
        )

    first = amplitudes[0]
    found, rows = turned(first, amplitudes[1] if count > 1 else np.zeros_like(first), multiples)
    if count < 3:
        return found, rows
    third = np.concatenate([amplitudes[2], np.zeros_like(amplitudes[2])], axis=-1)
    straight = np.concatenate([np.hstack([multiples, np.zeros((len(multiples), 1))])] * 2)
    across = turned(found, np.zeros_like(found), rows)
    upward = turned(np.zeros_like(third), third, straight)
    return np.concatenate([across[0], upward[0]], axis=-1), np.concatenate([across[1], upward[1]])


def merged_modes(amplitudes: Complexes, multiples: Floats) -> tuple[Complexes, Floats]:
    """One column for each multiple and its negative, (p, m)."""
    sign = np.array([next((np.sign(m) for m in row if m), 1.0) for row in multiples])
    alike = np.where(sign < 0, np.conj(amplitudes), amplitudes)
    rows, place = np.unique(multiples * sign[:, None], axis=0, return_inverse=True)
    result = np.zeros((len(amplitudes), len(rows)), dtype=complex)
    for p, row in enumerate(alike):
        result[p] = np.bincount(place.ravel(), row.real, len(rows))
        result[p] += 1j * np.bincount(place.ravel(), row.imag, len(rows))
    return result, rows


def harmonics(
    expansion: Expansion, amplitudes: Complexes, multiples: Floats, low: Floats, high: Floats, leave_out: float,
    in_boxes: Collection[int] = (),
) -> tuple[Harmonics, tuple[int, ...], tuple[int, ...]]:
    """Bounds of a sum over the box of states, the entries of the state that its boxes have (after the angles, those of
    directions too), and those over which the maximum is taken at once, for each term (-1: none).
    `leave_out`: amplitudes that may be left out, in all; they count in full in each bound. Entries `in_boxes` are not
    taken at once.
    """
    others = np.array(expansion.others, dtype=int)
    largest = np.maximum(np.abs(low), np.abs(high))[others]
    exponents = expansion.exponents
    weights = _product(exponents, largest[None])[0]
    sizes = np.abs(amplitudes) * weights[:, None]
    columns = sizes.sum(axis=0)
    order = np.argsort(columns)
    gone = order[np.cumsum(columns[order]) <= leave_out]
    total, lost = float(sizes.sum()), np.abs(amplitudes[:, gone]).sum(axis=1)
    rates = _rates(exponents, largest[None])[0]  # (p, others)
    by_rate = (lost + ROUNDING * np.abs(amplitudes).sum(axis=1)) @ rates
    stay = np.setdiff1d(np.arange(len(multiples)), gone)
    amplitudes, multiples = amplitudes[:, stay], multiples[stay]

    alone = (exponents.sum(axis=1) == 1) & ((exponents > 0) @ (np.count_nonzero(exponents, axis=0) == 1))
    middle, half = np.ones(len(exponents)), np.zeros(len(exponents))
    taken = np.full(len(exponents), -1)
    for p in np.flatnonzero(alone):
        variable = int(np.argmax(exponents[p]))
        k = others[variable]
        if high[k] > low[k] and k not in in_boxes:
            middle[p], half[p], taken[p] = (low[k] + high[k]) / 2, (high[k] - low[k]) / 2, k
    gone_with = np.isin(others, taken[taken >= 0])
    lost_total = float(lost @ weights) + ROUNDING * total
    multiple_slack = np.full(multiples.shape[1], 2 * lost_total)
    made = Harmonics(
        multiples,
        amplitudes,
        np.where(taken[:, None] >= 0, 0, exponents)[:, ~gone_with],
        half,
        middle,
        lost_total,
        np.concatenate([multiple_slack, by_rate[~gone_with]]),
    )
    return made, tuple(others[~gone_with].tolist()), tuple(taken.tolist())


__all__ = ["Expansion", "Harmonics", "along_direction", "expanded", "harmonics", "merged_modes"]
