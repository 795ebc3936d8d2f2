"""A formulation without compiling it: run on NumPy batches as its scalars, one block of states after the other.

For formulations whose programs grow like the fourth power of the robot, so that compiling them would take minutes.
Arguments, results, dtypes and errors are those of the compiled functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadpath.engine.program import Operand
from loadpath.scalars import Array

STATES_AT_ONCE = 4096
"""States of a block: a formulation holds thousands of intermediate values, each an array of this length."""
RESULTS_AT_ONCE = 8_000_000
"""Results of a block: with thousands of results a state there are fewer states in it."""


class Uncompiled:
    """A function of arrays with leading batch axes, from a formulation of scalars.

    >>> from loadpath.scalars import array
    >>> f = Uncompiled("f", lambda x: array([x[0] * x[1], 1.0]), [Operand("x", (2,))], [Operand("y", (2,))])
    >>> f(np.array([[2.0, 3.0], [4.0, 5.0]])).tolist()
    [[6.0, 1.0], [20.0, 1.0]]
    """

    def __init__(
        self, name: str, run: Callable[..., Any], inputs: Sequence[Operand], outputs: Sequence[Operand]
    ) -> None:
        self.name = name
        self.run = run
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)

    def __call__(self, *arrays: Any, out: Any = None, dtype: Any = None, **options: Any) -> Any:
        if options:
            raise TypeError(f"{self.name} runs uncompiled here and takes no '{next(iter(options))}', only 'out' and "
                            "'dtype'")
        given = [np.asarray(array) for array in arrays]
        kind = _dtype(given, dtype)
        batches = [a.shape[: a.ndim - len(o.shape)] for a, o in zip(given, self.inputs, strict=True)]
        batch = np.broadcast_shapes(*batches)
        count = int(np.prod(batch, dtype=int))
        rows = [
            np.broadcast_to(a, (*batch, *o.shape)).reshape(count, *o.shape).astype(np.float64, copy=False)
            for a, o in zip(given, self.inputs, strict=True)
        ]
        results = self._room(out, kind, batch, count, given)
        with np.errstate(all="ignore"):
            results_of_state = sum(operand.size for operand in self.outputs)
            step = max(1, min(STATES_AT_ONCE, RESULTS_AT_ONCE // max(1, results_of_state)))
            for start in range(0, count, step):
                part = slice(start, start + step)
                self._block([row[part] for row in rows], [result[part] for result in results])
        shaped = [r.reshape((*batch, *o.shape)) for r, o in zip(results, self.outputs, strict=True)]
        return self._given_back(shaped, out)

    def _room(
        self, out: Any, kind: np.dtype[Any], batch: tuple[int, ...], count: int, given: list[NDArray[Any]]
    ) -> list[NDArray[Any]]:
        """Arrays for the results: those of the caller where they can be written as they are, else others."""
        targets: tuple[Any, ...] = out if isinstance(out, tuple) else (out,) * (out is not None)
        targets = targets if len(targets) == len(self.outputs) else (None,) * len(self.outputs)
        found = []
        for target, operand in zip(targets, self.outputs, strict=True):
            fits = type(target) is np.ndarray and target.shape == (*batch, *operand.shape) and target.dtype == kind
            if fits and target.flags.carray and not any(np.may_share_memory(target, array) for array in given):
                found.append(target.reshape(count, *operand.shape))
            else:
                found.append(self._reserved(count, operand, kind))
        return found

    def _reserved(self, count: int, operand: Operand, kind: np.dtype[Any]) -> NDArray[Any]:
        return np.empty((count, *operand.shape), kind)

    def _block(self, inputs: list[NDArray[Any]], outputs: list[NDArray[Any]]) -> None:
        scalars = [_entries(array, operand) for array, operand in zip(inputs, self.inputs, strict=True)]
        found = self.run(*scalars)
        parts = found if isinstance(found, tuple) else (found,)
        for part, operand, into in zip(parts, self.outputs, outputs, strict=True):
            if operand.shape == ():
                into[...] = part[()] if isinstance(part, np.ndarray) and part.dtype == object else part
                continue
            columns = into.reshape(len(into), operand.size).T
            for column, entry in zip(columns, np.ravel(part), strict=True):
                column[...] = entry

    def _given_back(self, results: list[NDArray[Any]], out: Any) -> Any:
        if out is not None:
            targets = out if isinstance(out, tuple) else (out,)
            if len(targets) != len(results):
                raise ValueError(f"{self.name}: 'out' has {len(targets)} arrays: expected {len(results)}")
            given = [result if target is None else target for target, result in zip(targets, results, strict=True)]
            for target, result in zip(given, results, strict=True):
                if not np.may_share_memory(target, result):  # else it was written there
                    target[...] = result
            results = given
        elif all(result.ndim == 0 for result in results):
            results = [result[()] for result in results]
        return results[0] if len(results) == 1 else tuple(results)


def _dtype(arrays: list[NDArray[Any]], wanted: Any) -> np.dtype[Any]:
    """float32 where all arguments fit into it, as NumPy chooses among the loops of a ufunc; else float64."""
    if wanted is not None:
        kind: np.dtype[Any] = np.dtype(wanted)
        if kind not in (np.dtype(np.float32), np.dtype(np.float64)):
            raise TypeError(f"dtype is {kind}: expected float64 or float32")
        return kind
    single = all(np.can_cast(array.dtype, np.float32) for array in arrays)
    return np.dtype(np.float32 if single else np.float64)


def _entries(array: NDArray[Any], operand: Operand) -> Any:
    """The states of one argument: an object array of its core shape whose entries are batches."""
    if operand.shape == ():
        return array
    result: Array = np.empty(operand.size, dtype=object)
    for k, column in enumerate(array.reshape(len(array), operand.size).T):
        result[k] = column
    return result.reshape(operand.shape)
