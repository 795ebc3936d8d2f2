"""Choices of a call for a flexible arm, checked: whole numbers, and the effects that are taken into account."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from loadpath.structure.beams.elastic_mechanism import EFFECTS, check_effects


def whole_number(value: object, what: str, least: int = 1) -> int:
    """A whole number, or an error that says what came.

    >>> whole_number(2.5, "'pieces'")
    Traceback (most recent call last):
    ValueError: 'pieces' is 2.5: expected a whole number, 1 or more
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{what} is {value!r}: expected a whole number, {least} or more")
    return int(value)


def chosen_effects(effects: Iterable[str] | str | None) -> tuple[str, ...]:
    """Effects in their usual order, all of them unless given; errors name what is none.

    >>> chosen_effects(["torsion", "bending"])
    ('bending', 'torsion')
    """
    if effects is None:
        return EFFECTS
    asked = (effects,) if isinstance(effects, str) else tuple(effects)
    check_effects(asked)
    return tuple(name for name in EFFECTS if name in asked)
