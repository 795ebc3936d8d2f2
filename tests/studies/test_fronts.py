"""Fronts against brute force: no other design is better in one aim and as good in all."""

from __future__ import annotations

import numpy as np
import pytest

from loadpath.studies.fronts import front_of


@pytest.mark.parametrize(("aims", "rows"), [(2, 10_000), (3, 2_000), (4, 1_000)])
def test_fronts_against_brute_force(aims: int, rows: int) -> None:
    """Many of the rows are equal in some aims."""
    rng = np.random.default_rng(aims)
    few = rows // 5
    values = np.concatenate([rng.uniform(size=(rows - few, aims)), rng.integers(0, 12, (few, aims)) / 12])
    values[rng.choice(len(values), 20, replace=False), 0] = np.nan
    dominated, columns = np.zeros(len(values), dtype=bool), np.ascontiguousarray(values.T)
    for k, row in enumerate(values):
        at_most = np.logical_and.reduce([column <= x for column, x in zip(columns, row, strict=True)])
        below = np.logical_or.reduce([column < x for column, x in zip(columns, row, strict=True)])
        dominated[k] = bool((at_most & below).any())
    expected = np.flatnonzero(~dominated & ~np.isnan(values).any(axis=1))
    np.testing.assert_array_equal(front_of(values), expected)


def test_equal_rows_stay_together() -> None:
    assert front_of(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [2.0, 2.0]])).tolist() == [0, 1, 2]
    assert front_of(np.zeros((3, 3))).tolist() == [0, 1, 2]
