"""JavaScript run outside a browser, by QuickJS: an engine that shares nothing with those of browsers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from loadpath.engine.program import Operand


class JavaScriptError(Exception):
    """What a script threw."""


class Script:
    """A script with a function in it."""

    def __init__(self, source: str) -> None:
        import quickjs

        self._error = quickjs.JSException
        self._context = quickjs.Context()
        self._context.eval(source)

    def call(self, function: str, outputs: Sequence[Operand], *arrays: Any, count: int = 1) -> list[np.ndarray]:
        """The function on flat arrays of so many states: all results, each (count, ...)."""
        given = [f"new Float64Array([{', '.join(map(_written, np.ravel(array)))}])" for array in arrays]
        sizes = [count * operand.size for operand in outputs]
        code = f"""(() => {{
            const results = [{", ".join(f"new Float64Array({size}).fill(NaN)" for size in sizes)}];
            {function}({", ".join([*given, "...results", str(count)])});
            return results.map((r) => Array.from(r, (x) => Object.is(x, -0) ? "-0" : String(x)).join(" ")).join(";");
        }})()"""
        try:
            text = str(self._context.eval(code))
        except self._error as problem:
            raise JavaScriptError(str(problem)) from None
        return [
            np.array([float(x) for x in part.split()]).reshape(count, *operand.shape)
            for part, operand in zip(text.split(";"), outputs, strict=True)
        ]


def _written(x: float) -> str:
    return repr(float(x)) if math.isfinite(x) else "NaN" if math.isnan(x) else f"{'-' if x < 0 else ''}Infinity"
