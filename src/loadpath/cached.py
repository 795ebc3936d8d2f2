"""`cached_property` without a lock, as Python has it from 3.12 on.

That of Python 3.11 holds one lock for all instances while it computes: a process that is forked while another thread is
in there has the lock and not the thread, and waits for ever. Two threads may compute a value twice; it is the same.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

__all__ = ["cached_property"]

if TYPE_CHECKING or sys.version_info >= (3, 12):
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
