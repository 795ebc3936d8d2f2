"""Methods and functions that live in another room of the package, imported when one of them is first used."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any


class InRoom:
    """A method under its own name in a module, or in a class (`table`) of it; on first use it is replaced by the
    function itself. `purpose` is what the name is for (`engine/purpose.py`).

    >>> class Host:
    ...     dedent = InRoom("textwrap")
    >>> Host.dedent("  text")
    'text'
    >>> Host.__dict__["dedent"].__name__
    'dedent'
    """

    def __init__(self, module: str, table: str | None = None, *, purpose: str | None = None) -> None:
        self._module = module
        self._table = table
        self.purpose = purpose

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def resolved(self) -> Any:
        """What stands under the name in the module, or in a class of it."""
        module = importlib.import_module(self._module)
        if self._table is not None:
            return inspect.getattr_static(getattr(module, self._table), self._name)
        return getattr(module, self._name)

    def __get__(self, instance: object, owner: type) -> Any:
        function = self.resolved()
        if self.purpose is not None and inspect.isfunction(function):
            function.__dict__["purpose"] = self.purpose  # it takes the place of this line
        if self._owner.__dict__.get(self._name) is self:
            setattr(self._owner, self._name, function)
        return function.__get__(instance, owner)


def function_in_room(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is imported when the function is first called.

    >>> function_in_room("textwrap", "dedent")("  text")
    'text'
    """

    @functools.cache
    def function() -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(importlib.import_module(module), name)
        return found

    def call(*arguments: Any, **options: Any) -> Any:
        return function()(*arguments, **options)

    return call
