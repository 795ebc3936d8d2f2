"""WebAssembly modules run outside a browser, by Wasmtime: an engine that shares nothing with those of browsers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from loadpath.exports.webassembly.kernel import WebAssemblyKernel


def run(kernel: WebAssemblyKernel, *arrays: Any, count: int | None = None) -> list[np.ndarray]:
    """All results of a batch. Arguments have one leading axis, or none where they are one for all states."""
    given = [np.ascontiguousarray(array, float) for array in arrays]
    batched = [array.ndim > len(operand.shape) for array, operand in zip(given, kernel.inputs, strict=True)]
    states = count if count is not None else max(len(a) for a, many in zip(given, batched, strict=True) if many)
    instance, store, memory = _instance(kernel)
    at, places = _heap(kernel), []
    for array, operand, many in zip(given, kernel.inputs, batched, strict=True):
        places += [at, 8 * operand.size if many else 0]
        at += array.nbytes
    results = [np.full((states, *operand.shape), np.nan) for operand in kernel.outputs]
    targets = []
    for result in results:
        targets.append(at)
        at += result.nbytes
    missing = at - memory.data_len(store)
    if missing > 0:
        memory.grow(store, -(-missing // 65536))
    for array, place in zip(given, places[::2], strict=True):
        memory.write(store, array.tobytes(), place)
    instance.exports(store)["run"](store, states, *places, *targets)
    for result, place in zip(results, targets, strict=True):
        result[:] = np.frombuffer(memory.read(store, place, place + result.nbytes)).reshape(result.shape)
    return results


def _instance(kernel: WebAssemblyKernel) -> tuple[Any, Any, Any]:
    import wasmtime

    store = wasmtime.Store()
    module = wasmtime.Module(store.engine, kernel.module)
    linker = wasmtime.Linker(store.engine)
    for wanted in module.imports:
        function = _guarded(_LIBRARY.get(wanted.name) or getattr(math, wanted.name))
        linker.define(store, "math", wanted.name, wasmtime.Func(store, wanted.type, function))
    instance = linker.instantiate(store, module)
    return instance, store, instance.exports(store)["memory"]


def _heap(kernel: WebAssemblyKernel) -> int:
    import json

    start = kernel.module.rindex(b"\x08loadpath") + 9
    return int(json.loads(kernel.module[start:])["heap"])


def _guarded(function: Callable[..., float]) -> Callable[..., float]:
    """NaN where Python raises."""

    def call(*values: float) -> float:
        try:
            return float(function(*values))
        except (ValueError, OverflowError):
            return math.nan

    return call


_LIBRARY: dict[str, Callable[..., float]] = {"remainder": math.remainder, "hypot": math.hypot}
