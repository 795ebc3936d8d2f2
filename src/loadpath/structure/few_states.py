"""Calls of compiled methods with few states, which would not repay compiling."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from loadpath.engine.method import CompiledMethod

FEW = 500
"""States up to which nothing is compiled."""


def at_once(method: Callable[..., Any], *arrays: Any, **options: Any) -> Any:
    """The call of a compiled method: of few states by the formulation itself, which would not repay compiling."""
    rows = max((math.prod(np.shape(array)[:-1]) for array in arrays), default=1)
    wrenches = (options.get("external") or {}).values()
    rows = max(rows, *(math.prod(wrench.force.shape[:-1]) for wrench in wrenches), 1)
    if rows <= FEW and isinstance(method, CompiledMethod):  # else a subclass has put its own in front
        return method.uncompiled(*arrays, **options)
    return method(*arrays, **options)
