"""Choices of a call for a flexible arm, checked: whole numbers, and the effects that are taken into account."""

from __future__ import annotations

import numpy as np

from loadpath.robot.numbers import Names, chosen_names
from loadpath.structure.beams.elastic_mechanism import EFFECTS

ALIKE = "with small displacements it is the same under all loads; deflection, stress and their kin take them"
"""Why loads are not taken, and what to do."""


def whole_number(value: object, what: str, least: int = 1) -> int:
    """A whole number, or an error that says what came.

    >>> whole_number(2.5, "'pieces'")
    Traceback (most recent call last):
    ValueError: 'pieces' is 2.5: expected a whole number, 1 or more
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{what} is {value!r}: expected a whole number, {least} or more")
    return int(value)


def chosen_effects(effects: Names) -> tuple[str, ...]:
    """Effects in their usual order, all of them unless given; a mapping changes those that it names.

    >>> chosen_effects(["torsion", "bending"]), chosen_effects({"shear": False})
    (('bending', 'torsion'), ('bending', 'torsion', 'extension', 'joints'))
    """
    return chosen_names(effects, EFFECTS, "'effects'", "effect of a flexible arm")
