"""The coefficients of a load as a sum of cosines and powers, from its values on a grid: exact but for rounding."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from loadpath.bounds.powers import Monomials
from loadpath.bounds.variables import Variables
from loadpath.scalars.types import Bools, Floats, Ints

Complexes: TypeAlias = "NDArray[np.complex128]"

ROUNDING = 1e-9
"""Of the sum of all amplitudes: more than what rounding does to a value, to a coefficient and to a bound."""
NOTHING = 1e-4
"""Of the size of all loads of a robot: a load whose amplitudes are less in sum has the rounding of one with so much."""
LARGEST_GRID = 30_000_000
"""Values that are computed to find the coefficients, at most."""
MOST_MULTIPLES = 100_000
"""Of angles, and half as many cosines."""
SECOND_DEGREE = (-1.0, 0.0, 1.0)
"""Nodes of a slide."""


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
    size: float
    """Sum of all amplitudes of which rounding is a share, at least."""

    def with_variable(self, entry: int, factor: float) -> Expansion:
        """The same and `factor` times one more entry of the state."""
        functions, terms, modes = self.amplitudes.shape
        more = np.zeros((functions, 1, modes), dtype=complex)
        more[:, 0, ~self.multiples.any(axis=1)] = factor
        exponents = np.zeros((terms + 1, len(self.others) + 1), dtype=int)
        exponents[:terms, :-1], exponents[terms, -1] = self.exponents, 1
        amplitudes = np.concatenate([self.amplitudes, more], axis=1)
        return replace(self, others=(*self.others, entry), amplitudes=amplitudes, exponents=exponents)

    def fixed(self, entry: int, value: float) -> Expansion:
        """The same with one of the other variables at a value."""
        place = self.others.index(entry)
        weights = float(value) ** self.exponents[:, place]
        exponents, alike = np.unique(np.delete(self.exponents, place, axis=1), axis=0, return_inverse=True)
        amplitudes = np.zeros((len(self.amplitudes), len(exponents), len(self.multiples)), dtype=complex)
        for p, row in enumerate(alike.ravel()):
            amplitudes[:, row] += weights[p] * self.amplitudes[:, p]
        return replace(self, others=(*self.others[:place], *self.others[place + 1 :]), amplitudes=amplitudes,
                       exponents=exponents)

    def values(self, x: Floats) -> Floats:
        """(b, functions) at states (b, entries)."""
        turned = np.exp(1j * (x[:, list(self.angles)] @ self.multiples.T))
        sums = np.einsum("bm,fpm->bfp", turned, self.amplitudes).real
        found: Floats = np.einsum("bfp,bp->bf", sums, Monomials(self.exponents)(x[:, list(self.others)])[0])
        return found


Node: TypeAlias = "dict[int, float]"
"""Entries of a state with their values."""


@dataclass(frozen=True)
class Interpolated:
    """A polynomial from its values at nodes: each term its exponents, and the sum of values that is its coefficient."""

    nodes: list[Node]
    terms: list[tuple[dict[int, int], dict[int, float]]]

    def times(self, other: Interpolated) -> Interpolated:
        """All products: nodes and terms of one with each of the other."""
        count = len(other.nodes)
        nodes = [{**first, **second} for first in self.nodes for second in other.nodes]
        terms = [
            ({**first, **second}, {i * count + j: a * b for i, a in sum_a.items() for j, b in sum_b.items()})
            for first, sum_a in self.terms for second, sum_b in other.terms
        ]
        return Interpolated(nodes, terms)


def second_degree(entries: Sequence[int]) -> Interpolated:
    """Of entries together of second degree."""
    nodes: list[Node] = [{}]
    terms: list[tuple[dict[int, int], dict[int, float]]] = [({}, {0: 1.0})]
    forward: dict[int, int] = {}
    for i in entries:
        forward[i], backward = len(nodes), len(nodes) + 1
        nodes += [{i: 1.0}, {i: -1.0}]
        terms += [({i: 1}, {forward[i]: 0.5, backward: -0.5}),
                  ({i: 2}, {forward[i]: 0.5, backward: 0.5, 0: -1.0})]
    for i, j in itertools.combinations(entries, 2):
        terms.append(({i: 1, j: 1}, {len(nodes): 1.0, forward[i]: -1.0, forward[j]: -1.0, 0: 1.0}))
        nodes.append({i: 1.0, j: 1.0})
    return Interpolated(nodes, terms)


def _motion(speeds: Sequence[int], accelerations: Sequence[int]) -> Interpolated:
    found = second_degree(speeds)
    for i in accelerations:
        found.terms.append(({i: 1}, {len(found.nodes): 1.0, 0: -1.0}))
        found.nodes.append({i: 1.0})
    return found


def _payload(mass: int, center: Sequence[int]) -> Interpolated:
    """One, and the mass times what is of second degree in the center."""
    if mass < 0:
        return Interpolated([{}], [({}, {0: 1.0})])
    there = second_degree(center)
    nodes = [{mass: 0.0}, *({mass: 1.0, **node} for node in there.nodes)]
    terms: list[tuple[dict[int, int], dict[int, float]]] = [({}, {0: 1.0})]
    for exponents, weights in there.terms:
        of_mass = {1 + k: w for k, w in weights.items()}
        if rest := sum(weights.values()):
            of_mass[0] = -rest
        terms.append(({mass: 1, **exponents}, of_mass))
    return Interpolated(nodes, terms)


def expanded(
    values: Callable[[Floats], Floats],
    variables: Variables,
    low: Floats,
    high: Floats,
    size: float = 0.0,
    seconds: float = math.inf,
    degree: int = 2,
) -> Expansion | None:
    """The terms of functions of a state, for a box of states: `values` takes (b, entries) and returns (b, functions),
    of which `size` is a measure, and which are of a degree in each angle. None where they have too many terms, would
    take longer than `seconds`, or are no such sum.
    """
    around = 2 * degree + 1
    x = np.random.default_rng(1).uniform(low, high, (64, len(low)))
    there = values(x)
    scale = max(float(np.abs(there).max(initial=0.0)), 1e-9 * size)
    if not np.isfinite(scale):
        return None

    def counts(k: int) -> bool:
        """Whether any value depends on an entry, which is not what rounding makes of it."""
        if not high[k] > low[k]:
            return False
        moved = x.copy()
        moved[:, k] = np.random.default_rng(2).uniform(low[k], high[k], len(x))
        return bool(np.abs(values(moved) - there).max(initial=0.0) > 1e-12 * scale)

    largest = np.maximum(np.abs(low), np.abs(high))
    angles, slides = ([k for k in kind if counts(k)] for kind in (variables.angles, variables.slides))
    speeds, accelerations = ([k for k in kind if largest[k] > 0.0]
                             for kind in (variables.speeds, variables.accelerations))
    mass = variables.mass if variables.mass >= 0 and largest[variables.mass] > 0.0 else -1
    center = [k for k in variables.center if mass >= 0 and largest[k] > 0.0]
    interpolated = _motion(speeds, accelerations).times(_payload(mass, center))

    nodes = [2 * np.pi * np.arange(around) / around] * len(angles) + [np.array(SECOND_DEGREE)] * len(slides)
    count, functions = math.prod(map(len, nodes)), there.shape[1]
    if count * len(interpolated.nodes) * functions > LARGEST_GRID or around ** len(angles) > MOST_MULTIPLES:
        return None
    base = np.clip(0.0, low, high)
    base[[*variables.speeds, *variables.accelerations, *center]] = 0.0
    grid = np.tile(base, (count, 1))
    grid[:, [*angles, *slides]] = np.array(list(itertools.product(*nodes)), dtype=float).reshape(count, len(nodes))

    def at(node: Mapping[int, float]) -> Floats:
        states = grid.copy()
        states[:, list(node)] = list(node.values())
        return values(states)

    began = time.monotonic()
    samples: list[Floats] = []
    for node in interpolated.nodes:
        samples.append(at(node))
        if (time.monotonic() - began) * len(interpolated.nodes) / len(samples) > seconds:
            return None

    others = (*slides, *speeds, *accelerations, *((mass,) if mass >= 0 else ()), *center)
    every = np.array(list(itertools.product(*[np.fft.fftfreq(around, 1 / around)] * len(angles))), dtype=float)
    every = every.reshape(around ** len(angles), len(angles))
    # Of each multiple and its negative one is enough: that whose first number that is not zero is positive.
    half = np.array([next((m > 0 for m in row if m), True) for row in every])
    multiples = every[half]
    rows: list[tuple[Ints, Complexes]] = []
    for powers, weights in interpolated.terms:
        table = np.zeros((count, functions))
        for node_number, weight in weights.items():
            table += weight * samples[node_number]
        for degrees, coefficients in _coefficients(table, half, around, len(angles), len(slides)):
            degree_of = {**powers, **dict(zip(slides, degrees, strict=True))}
            rows.append((np.array([degree_of.get(k, 0) for k in others], dtype=int), coefficients))
    exponents = np.array([exponent for exponent, _ in rows], dtype=int).reshape(len(rows), len(others))
    amplitudes = np.stack([part for _, part in rows], axis=1)
    # Exact zeros of the equations are there as rounding: rows of nothing else are left out.
    monomials = Monomials(exponents)(largest[None, list(others)])[0][0]
    sizes = np.abs(amplitudes).max(axis=0) * monomials[:, None]
    total = max(float((np.abs(amplitudes).sum(axis=(0, 2)) * monomials).sum()), NOTHING * size)
    rows_kept = sizes.max(axis=1) > 1e-13 * total
    rows_kept[0] = True
    result = Expansion(tuple(angles), others, multiples, amplitudes[:, rows_kept], exponents[rows_kept], total)
    if np.abs(result.values(x) - there).max(initial=0.0) > 0.1 * ROUNDING * total:
        return None
    return result


def _coefficients(
    table: Floats, half: Bools, around: int, angles: int, slides: int
) -> list[tuple[tuple[int, ...], Complexes]]:
    """Of values (grid, functions): for each product of powers of the slides its degrees, and the amplitudes
    (functions, m) of the cosines of half of all multiples.
    """
    doubled = np.full(int(half.sum()), 2.0)
    doubled[0] = 1.0  # of the constant
    shape = (*[around] * angles, *[len(SECOND_DEGREE)] * slides, table.shape[1])
    values = table.reshape(shape)
    for axis in range(angles, angles + slides):
        minus, zero, plus = np.moveaxis(values, axis, 0)
        values = np.stack([zero, (plus - minus) / 2, (plus + minus) / 2 - zero], axis=axis)
    spectrum = np.fft.fftn(values, axes=range(angles)) / around**angles if angles else values + 0j
    spectrum = spectrum.reshape(len(half), *shape[angles:])[half]
    by_slides = np.moveaxis(spectrum, 0, -1)  # (3, ..., functions, m)
    return [(degrees, by_slides[degrees] * doubled) for degrees in itertools.product(*[range(3)] * slides)]


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
