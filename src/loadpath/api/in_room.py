"""Methods and functions that live in another room of the package, imported when one of them is first used."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


class InRoom:
    """A method under its own name in a module; on first use it is replaced by the function itself.

    >>> class Host:
    ...     dedent = InRoom("textwrap")
    >>> Host.dedent("  text")
    'text'
    >>> Host.__dict__["dedent"].__name__
    'dedent'
    """

    def __init__(self, module: str) -> None:
        self._module = module

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, instance: object, owner: type) -> Any:
        function = getattr(importlib.import_module(self._module), self._name)
        if self._owner.__dict__.get(self._name) is self:
            setattr(self._owner, self._name, function)
        return function.__get__(instance, owner)


def function_in_room(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is imported when the function is first called.

    >>> function_in_room("textwrap", "dedent")("  text")
    'text'
    """

    def call(*arguments: Any, **options: Any) -> Any:
        return getattr(importlib.import_module(module), name)(*arguments, **options)

    return call
