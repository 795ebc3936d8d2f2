"""What is computed once for each object, and goes when it goes: `cached_property`, and `kept` of functions.

Neither has a lock. `cached_property` of Python 3.11 holds one for all instances while it computes, later ones do not: a
process that is forked while another thread is in there has the lock and not the thread, and waits for ever. Two threads
may compute a value twice; it is the same.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

__all__ = ["cached_property", "kept"]

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")

if TYPE_CHECKING:
    from builtins import property as cached_property  # which protocols with properties match
elif sys.version_info >= (3, 12):
    from functools import cached_property
else:
    _MISSING = object()

    class cached_property(functools.cached_property):  # in its place
        """A property that is computed once for each instance."""

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__.get(self.attrname, _MISSING)
            if value is _MISSING:
                value = instance.__dict__[self.attrname] = self.func(instance)
            return value


def kept(maximum: int = 1) -> Callable[[Callable[Concatenate[T, P], R]], Callable[Concatenate[T, P], R]]:
    """A function of an object, and of what can be a key, that is computed once for each: the last `maximum` results
    are kept in the object, since a cache of its own would keep the objects alive.

    The dictionary of results is replaced, never changed, so that threads may come and go.

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
