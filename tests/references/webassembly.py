"""WebAssembly modules run outside a browser, by Wasmtime: an engine that shares nothing with those of browsers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from loadpath.engine.program import Operand
from loadpath.exports.webassembly.kernel import WebAssemblyKernel


def run(kernel: WebAssemblyKernel, *arrays: Any, count: int | None = None) -> list[np.ndarray]:
    """All results of a batch. Arguments have one leading axis, or none where they are one for all states."""
    return run_module(kernel.module, kernel.inputs, kernel.outputs, *arrays, count=count)


def run_module(
    module: bytes, inputs: Sequence[Operand], outputs: Sequence[Operand], *arrays: Any, count: int | None = None
) -> list[np.ndarray]:
    """The same of a module."""
    given = [np.array(array, float, order="C") for array in arrays]
    batched = [array.ndim > len(operand.shape) for array, operand in zip(given, inputs, strict=True)]
    states = count if count is not None else max(len(a) for a, many in zip(given, batched, strict=True) if many)
    instance, store, memory = _instance(module)
    at, places = heap(module), []
    for array, operand, many in zip(given, inputs, batched, strict=True):
        places += [at, 8 * operand.size if many else 0]
        at += array.nbytes
    results = [np.full((states, *operand.shape), np.nan) for operand in outputs]
    targets = []
    for result in results:
        targets.append(at)
        at += result.nbytes
    missing = at + len(GUARD) - memory.data_len(store)
    if missing > 0:
        memory.grow(store, -(-missing // 65536))
    for array, place in zip(given, places[::2], strict=True):
        memory.write(store, array.tobytes(), place)
    memory.write(store, GUARD, at)
    instance.exports(store)["run"](store, states, *places, *targets)
    for result, place in zip(results, targets, strict=True):
        result[:] = np.frombuffer(memory.read(store, place, place + result.nbytes)).reshape(result.shape)
    assert memory.read(store, at, at + len(GUARD)) == GUARD, "written beyond the results"
    for array, place in zip(given, places[::2], strict=True):
        assert memory.read(store, place, place + array.nbytes) == array.tobytes(), "an argument was changed"
    return results


GUARD = b"nothing may be written here"


def _instance(module: bytes) -> tuple[Any, Any, Any]:
    import wasmtime

    store = wasmtime.Store()
    compiled = wasmtime.Module(store.engine, module)
    linker = wasmtime.Linker(store.engine)
    for wanted in compiled.imports:
        linker.define(store, "math", str(wanted.name), wasmtime.Func(store, wanted.type, _library(str(wanted.name))))
    instance = linker.instantiate(store, compiled)
    return instance, store, instance.exports(store)["memory"]


def description(module: bytes) -> dict[str, Any]:
    """What a module says of itself."""
    found: dict[str, Any] = json.loads(module[module.rindex(b"\x08loadpath") + 9 :])
    return found


def heap(module: bytes) -> int:
    """Where the caller's arrays may begin."""
    return int(description(module)["heap"])


def _library(name: str) -> Callable[..., float]:
    """A function of the C library: NumPy's, which neither raises nor warns; else Python's, with NaN where it raises."""
    function = getattr(np, _NUMPY.get(name, name), None) if name != "remainder" else None  # NumPy's is another

    def call(*values: float) -> float:
        try:
            with np.errstate(all="ignore"):
                return float((function or getattr(math, name))(*values))
        except ValueError:
            return math.nan

    return call


_NUMPY = {name: f"arc{name[1:]}" for name in ("asin", "acos", "atan", "atan2", "asinh", "acosh", "atanh")}
_NUMPY["pow"] = "power"
