"""Sums of cosines of whole multiples of angles, times products of powers: what wrenches and drive forces of arms with
turning and sliding joints are, exactly.

Each link turns with a joint's angle, so with all else fixed a wrench is a trigonometric polynomial of second degree in
each angle, a polynomial of second degree in the position of each slide and in the speeds, of first degree in the
accelerations:

    F = sum over p of  y_1^e_p1 y_2^e_p2 ... S_p,    S_p = Re sum over m of C_pm exp(i k_m . a)

with angles a, and y all other variables. Values on a grid give all coefficients, to rounding: see
`loadpath.bounds.expansion`.

Over a box with center a0, half widths h, each cosine is A cos(psi + d) with |d| <= w = |k| . h, where
psi = k . a0 + arg C. It is its value and its slope at the center, and a rest that is not larger than

    max(-A cos psi, 0) w^2 / 2 + |A sin psi| w^3 / 6.

A cosine near its top has nearly no rest, so the bound is sharp where the sum is largest. Slopes of all cosines are
summed before their magnitude is taken: what cancels does not count.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from loadpath.bounds.branch_and_bound import Bounded
from loadpath.bounds.expansion import ROUNDING, Complexes, Expansion
from loadpath.bounds.powers import Monomials, Powers
from loadpath.cached import cached_property
from loadpath.scalars.types import Bools, Floats, Ints

WIDE = 1.2
"""rad: cosines over more than this to each side are bounded as a whole, not by value and slope."""
AT_ONCE = 16_384
"""Cosines that are computed at once: what stays near the processor."""


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

        power = Powers(self._monomials, y, k)
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
    def _monomials(self) -> Monomials:
        return Monomials(self.exponents)

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
    weights = Monomials(exponents)(largest[None])[0][0]
    sizes = np.abs(amplitudes) * weights[:, None]
    columns = sizes.sum(axis=0)
    order = np.argsort(columns)
    gone = order[np.cumsum(columns[order]) <= leave_out]
    total, lost = max(float(sizes.sum()), expansion.size), np.abs(amplitudes[:, gone]).sum(axis=1)
    rates = Monomials(exponents)(largest[None])[1][0]  # (p, others)
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
    multiple_slack = np.full(multiples.shape[1], np.abs(multiples).max(initial=2.0) * lost_total)
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
