"""States in the forms in which users hand them in, for tests: tables with their columns in another order, and an array
with the attributes by which one of xarray is recognised.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd


class DataArray:
    """Named axes, some of them with coordinates, as xarray's class of this name has them."""

    def __init__(self, values: Any, coords: dict[str, Any], dims: Sequence[str]) -> None:
        self.values, self.coords, self.dims = np.asarray(values), coords, tuple(dims)

    shape = property(lambda self: self.values.shape)
    ndim = property(lambda self: self.values.ndim)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.values, dtype=dtype)


def shuffled(names: Sequence[str]) -> list[int]:
    """Another order of all columns: the last one first."""
    return [len(names) - 1, *range(len(names) - 1)]


def frame(values: Any, names: Sequence[str]) -> pd.DataFrame:
    """Rows of states with named columns in another order."""
    order = shuffled(names)
    return pd.DataFrame(np.asarray(values)[:, order], columns=[names[k] for k in order])


def series(values: Any, names: Sequence[str]) -> pd.Series:
    """One state with names in another order."""
    order = shuffled(names)
    return pd.Series(np.asarray(values)[order], index=[names[k] for k in order])


def data_array(values: Any, names: Sequence[str]) -> DataArray:
    """The same with the joints on the last of two axes."""
    order = shuffled(names)
    return DataArray(np.asarray(values)[:, order], {"joint": np.array([names[k] for k in order])}, ("time", "joint"))
