"""Methods that are arithmetic around compiled quantities: all designs of a family go through them at once.

Such a method reads of its robot what is the same in all designs, and some compiled quantities. It is run on a
*stand-in*, the family's robot with the family's quantities in the place of its own, so that arrays in it have the
designs' axes in front.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

_LINE = "over_designs"
_FAMILY = "_stands_for_family"


class OverDesigns(NamedTuple):
    """What a method reads of the designs of a family."""

    quantities: tuple[str, ...]
    """Compiled quantities; nothing else that may differ between designs."""
    one_by_one: Callable[[Any, tuple[Any, ...], dict[str, Any]], bool]
    """Whether a call on a family, with these arguments and options, reads more, so that its designs go one by one."""


def over_designs(
    function: Callable[..., Any], *quantities: str,
    one_by_one: Callable[[Any, tuple[Any, ...], dict[str, Any]], bool] = lambda *_: False,
) -> None:
    """Says of a method that it reads of each design no more than these compiled quantities."""
    vars(function)[_LINE] = OverDesigns(quantities, one_by_one)


def over_designs_of(line: Any) -> OverDesigns | None:
    """What a method reads of designs, if it says so."""
    found: OverDesigns | None = getattr(line, _LINE, None)
    return found


def stand_in(robot: Any, family: Any, quantities: Iterable[str]) -> Any:
    """A robot with the quantities of a family in the place of its own."""
    made = object.__new__(type(robot))  # what it has computed of itself is computed again
    made.__setstate__(robot.__getstate__())
    made.__dict__[_FAMILY] = family
    made.__dict__.update({name: getattr(family, name) for name in quantities})
    return made


def family_behind(robot: Any) -> Any:
    """The family that a robot stands in for; None of others."""
    return robot.__dict__.get(_FAMILY)
