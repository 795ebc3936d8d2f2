"""Running a formulation as it stands, without compiling it: on floats, NumPy batches or any other scalars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi
import numpy as np

from loadpath.mechanics.wrenches import Applied
from loadpath.robot.mechanism import Mechanism


def entries(values: Any) -> np.ndarray:
    """The last axis of an array as an object array of scalars: floats, or batches if there are more axes."""
    values = np.asarray(values)
    result = np.empty(values.shape[-1], dtype=object)
    for i in range(values.shape[-1]):
        result[i] = float(values[i]) if values.ndim == 1 else values[..., i]
    return result


def gathered(result: Any, batch: tuple[int, ...], dtype: type = float) -> np.ndarray:
    """An object array of scalars (or a single scalar) as a plain array with the batch axes in front."""
    if not (isinstance(result, np.ndarray) and result.dtype == object):
        return np.broadcast_to(np.asarray(result, dtype=dtype), batch).copy()
    plain = np.empty((*batch, *result.shape), dtype=dtype)
    for index in np.ndindex(result.shape):
        plain[(..., *index)] = result[index]
    return plain


def on_arrays(formulation: Callable[..., Any], mechanism: Mechanism, *arrays: Any, **options: Any) -> Any:
    """A formulation on arrays with the same batch axes in front (none: on floats); its results as plain arrays."""
    arrays = tuple(np.asarray(array) for array in arrays)
    batch = arrays[0].shape[:-1]
    dtype = complex if any(array.dtype.kind == "c" for array in arrays) else float
    result = formulation(mechanism, *(entries(array) for array in arrays), **options)
    if isinstance(result, tuple):
        return tuple(gathered(part, batch, dtype) for part in result)
    return gathered(result, batch, dtype)


def applied(force: Any, torque: Any, in_world_axes: bool = True) -> Applied:
    """An external wrench of scalars from arrays."""
    return Applied(entries(force), entries(torque), in_world_axes)


def on_symbols(formulation: Callable[..., Any], mechanism: Mechanism, *arrays: Any) -> np.ndarray:
    """A formulation traced on CasADi symbols and evaluated at one state; its result flat."""
    symbols = [casadi.SX.sym(f"x{k}", len(array)) for k, array in enumerate(arrays)]
    columns = []
    for symbol in symbols:
        column = np.empty(symbol.numel(), dtype=object)
        for i in range(symbol.numel()):
            column[i] = symbol[i]
        columns.append(column)
    result = formulation(mechanism, *columns)
    parts = result if isinstance(result, tuple) else (result,)
    flat = [entry for part in parts for entry in (part.ravel() if isinstance(part, np.ndarray) else [part])]
    function = casadi.Function("f", symbols, [casadi.vertcat(*flat)])
    return np.array(function(*arrays)).ravel()
