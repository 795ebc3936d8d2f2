"""Results that are kept with the object they belong to, and go when it goes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def kept(function: Callable[[T], R]) -> Callable[[T], R]:
    """A function of one object that is computed once for each; a cache of its own would keep the objects alive.

    >>> class Model:
    ...     pass
    >>> @kept
    ... def constants(model):
    ...     print("computed")
    ...     return 7
    >>> model = Model()
    >>> constants(model), constants(model)
    computed
    (7, 7)
    """
    name = f"_kept_{function.__module__}_{function.__qualname__}"

    @functools.wraps(function)
    def found(of: T) -> R:
        if name not in of.__dict__:
            of.__dict__[name] = function(of)
        result: R = of.__dict__[name]
        return result

    return found
