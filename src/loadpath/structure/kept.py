"""Results that are kept with the object they belong to, and go when it goes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")


def kept(maximum: int = 1) -> Callable[[Callable[Concatenate[T, P], R]], Callable[Concatenate[T, P], R]]:
    """A function of an object, and of what can be a key, that is computed once for each: the last `maximum` results
    are kept in the object, since a cache of its own would keep the objects alive.

    There is no lock: a process that is forked while another thread is in there would wait for ever. The dictionary of
    results is replaced, never changed, so that threads may come and go; two may compute a result twice, one is kept.

    >>> class Model:
    ...     pass
    >>> @kept(maximum=2)
    ... def power(model, n):
    ...     print("computed")
    ...     return 7**n
    >>> model = Model()
    >>> power(model, 1), power(model, 1)
    computed
    (7, 7)
    >>> [power(model, n) for n in (2, 3, 2)]        # the first goes when the third comes
    computed
    computed
    [49, 343, 49]
    """

    def decorate(function: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[T, P], R]:
        name = f"_kept_{function.__module__}_{function.__qualname__}"

        @functools.wraps(function)
        def found(of: T, /, *key: P.args, **named: P.kwargs) -> R:
            place = (*key, *named.items())
            results: dict[tuple[object, ...], R] = of.__dict__.get(name, {})
            if place in results:
                return results[place]
            value = function(of, *key, **named)
            others = dict(of.__dict__.get(name, {}))
            value = others.pop(place, value)  # of a thread that was quicker
            last = list(others.items())[max(0, len(others) + 1 - maximum) :]
            of.__dict__[name] = {**dict(last), place: value}
            return value

        return found

    return decorate
