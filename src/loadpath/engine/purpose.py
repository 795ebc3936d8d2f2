"""What a name of a robot is for: the heading that it stands under in the reference and on the page of combinations.

A line of a table says it, `Compiled(..., purpose="Matrices")`, `InRoom(..., purpose="Does it hold")`, or a method, by
`@purpose("Identification")`; else it is that of the class that holds the line, its `_purpose`. Names that only robots
with loops, or with beams, have are for these.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from loadpath.engine.attached import ByAttachment

OF_DATA = ("What it consists of", "What is attached to it", "Its freedoms")
PURPOSES = (
    *OF_DATA,
    "Forces of the drives",
    "Loads of every joint",
    "Does it hold",
    "Where it is and how it moves",
    "Forward dynamics",
    "Matrices",
    "Energy and momentum",
    "Derivatives",
    "Identification",
    "Coordinates",
    "Free bases",
    "Equations and their cost",
    "Other robots from this one",
    "To other tools",
    "To files",
)
"""Of any robot, in the order of the pages."""
WITH_LOOPS, WITH_BEAMS = "Robots with loops", "Arms with beams and compliant joints"

F = TypeVar("F", bound=Callable[..., Any])


def purpose(heading: str) -> Callable[[F], F]:
    """A method's purpose."""

    def mark(method: F) -> F:
        method.purpose = heading  # type: ignore[attr-defined]
        return method

    return mark


def purpose_of(owner: type, name: str) -> str:
    """What a name of a class of robots is for.

    >>> import loadpath as lp
    >>> [purpose_of(lp.Robot, name) for name in ("mass_matrix", "with_payload", "deflection", "n")]
    ['Matrices', 'Other robots from this one', 'Arms with beams and compliant joints', 'What it consists of']
    """
    held = inspect.getattr_static(owner, name, None)
    lines = (held.plain, held.loops, held.beams, held.both) if isinstance(held, ByAttachment) else (held,)
    marked = (getattr(line, "func", line) for line in lines)  # a property has the mark of its function
    said = next((found for line in marked if (found := getattr(line, "purpose", None))), None)
    if said is None and isinstance(held, ByAttachment) and held.plain is None:
        said = WITH_LOOPS if held.beams is None else WITH_BEAMS
    said = said or next((found for line in (lines[0], held) if (found := _of_holder(owner, name, line))), "")
    if said not in (*PURPOSES, WITH_LOOPS, WITH_BEAMS):
        raise ValueError(f"{owner.__name__}.{name} is for {said!r}: expected purpose= in its line, one of {PURPOSES}")
    return said


def _of_holder(owner: type, name: str, line: object) -> str | None:
    """The purpose of the class that holds a line."""
    for part in owner.__mro__:
        if vars(part).get(name, part) is line or (line is None and name in inspect.get_annotations(part)):
            return vars(part).get("_purpose")
    return None
