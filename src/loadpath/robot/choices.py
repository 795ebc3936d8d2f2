"""Options that take a set of names: a name, some names, or a mapping that changes the usual ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

Names: TypeAlias = Mapping[str, bool] | Iterable[str] | str | None
"""A name, several, or a mapping from names to whether they count, the others as usual; None: as usual."""


def chosen_names(given: object, known: Sequence[str], what: str, kind: str = "name") -> tuple[str, ...]:
    """The names chosen, in their own order; all of them unless given. Errors say what is none, and what there is.

    A mapping says which of the usual names count: `{"shear": False}` is all but shear.

    >>> chosen_names(["b", "a"], ("a", "b", "c"), "'parts'"), chosen_names({"b": False}, ("a", "b", "c"), "'parts'")
    (('a', 'b'), ('a', 'c'))
    >>> chosen_names({"b": "no"}, ("a", "b", "c"), "'parts'")
    Traceback (most recent call last):
    ValueError: 'parts' has 'no' for 'b': expected True or False; others than the names given stay as usual
    """
    if given is None:
        return tuple(known)
    if isinstance(given, str):
        given = (given,)
    if not isinstance(given, Iterable):
        raise ValueError(f"{what} is {given!r}: expected some of {_listed(known)}")
    asked = list(given)
    wrong = [name for name in asked if not isinstance(name, str) or name not in known]
    if wrong:
        raise ValueError(f"{what}: {wrong[0]!r} is no {kind}: there are {_listed(known)}")
    if not isinstance(given, Mapping):
        return tuple(name for name in known if name in asked)
    for name, value in given.items():
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"{what} has {value!r} for '{name}': expected True or False; others than the names given "
                             "stay as usual")
    return tuple(name for name in known if given.get(name, True))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
