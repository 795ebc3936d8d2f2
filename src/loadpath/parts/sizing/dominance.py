"""The rows of a table of aims that no other row is better than."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np

from loadpath.scalars.types import Bools, Floats, Ints

_BLOCK = 512


def front_of(aims: Floats) -> Ints:
    """Rows (designs, aims), all to be small, that no other row dominates; equal rows stay together. Rows with NaN are
    none of them.

    >>> front_of(np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 3.0], [2.0, 2.0], [4.0, 1.0]])).tolist()
    [0, 1, 3, 4]
    """
    known = np.flatnonzero(~np.isnan(aims).any(axis=1))
    values = aims[known]
    if values.shape[1] == 2:
        return np.sort(known[_of_two(values)])
    if values.shape[1] == 3:
        return np.sort(known[_of_three(values)])
    order = np.lexsort(values.T[::-1])  # whatever dominates a row comes before it
    chosen = np.zeros((0, values.shape[1]))
    kept: list[Ints] = []
    for first in range(0, len(order), _BLOCK):
        rows = order[first: first + _BLOCK]
        block = values[rows]
        alive = ~_dominated(block, chosen)
        rows, block = rows[alive], block[alive]
        alive = ~_dominated(block, block)
        rows, block = rows[alive], block[alive]
        kept.append(rows)
        chosen = np.concatenate([chosen, block])
    return np.sort(known[np.concatenate(kept)]) if kept else known


def _of_two(values: Floats) -> Bools:
    """Sorted by the first aim, those that are below all before them in the second."""
    order = np.lexsort((values[:, 1], values[:, 0]))
    first, second = values[order, 0], values[order, 1]
    least_before = np.concatenate([[np.inf], np.minimum.accumulate(second)[:-1]]) if len(order) else second
    better = second < least_before
    # Equal rows follow each other: each is as its leader.
    result = better.copy()
    same = np.concatenate([[False], (np.diff(first) == 0) & (np.diff(second) == 0)]) if len(order) else better
    leader = np.maximum.accumulate(np.where(same, 0, np.arange(len(order))))
    result = better[leader]
    found: Bools = np.zeros(len(values), dtype=bool)
    found[order] = result
    return found


def _of_three(values: Floats) -> Bools:
    """By the first aim; those of the second and third that no row before is below lie on stairs: with a larger second
    the third is smaller. (H. T. Kung, F. Luccio, F. P. Preparata, "On finding the maxima of a set of vectors", J. ACM
    22 (1975).)
    """
    order = np.lexsort((values[:, 2], values[:, 1], values[:, 0]))
    second: list[float] = []
    third: list[float] = []
    found: Bools = np.zeros(len(values), dtype=bool)
    before: list[float] | None = None
    kept = False
    for k, row in zip(order.tolist(), values[order].tolist(), strict=True):
        if row != before:  # equal rows follow each other: each is as the first of them
            before = row
            _, y, z = row
            at = bisect_right(second, y)
            kept = not (at and third[at - 1] <= z)
            if kept:
                start = end = bisect_left(second, y)
                while end < len(third) and third[end] >= z:
                    end += 1
                second[start:end], third[start:end] = [y], [z]
        found[k] = kept
    return found


def _dominated(rows: Floats, others: Floats) -> Bools:
    """Which rows are dominated by one of the others."""
    result: Bools = np.zeros(len(rows), dtype=bool)
    for start in range(0, len(others), 4 * _BLOCK):
        part = others[start: start + 4 * _BLOCK]
        at_least = np.ones((len(rows), len(part)), dtype=bool)
        better = np.zeros((len(rows), len(part)), dtype=bool)
        for k in range(rows.shape[1]):
            at_least &= part[None, :, k] <= rows[:, None, k]
            better |= part[None, :, k] < rows[:, None, k]
        result |= (at_least & better).any(axis=1)
    return result
