"""What the numbers of a class measure, said where its fields are: `dp: float = field(metadata=measures("length"))`.

Project files are read with it: "36 mm" for a length, and nothing else. The units are in `robot/units_of_text.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TypeAlias

Measures: TypeAlias = "tuple[str | type, ...]"
"""What a number measures, one of several: first what it is at a joint that turns, then at one that slides, by turns. A
class stands for a table with its fields.
"""

_KEY = "measures"


def measures(*what: str | type) -> Mapping[str, Measures]:
    """Metadata of a field: what it measures. "plain number" is one without a unit; words and flags say nothing.

    >>> from dataclasses import dataclass, field
    >>> @dataclass
    ... class Spring:
    ...     stiffness: float = field(metadata=measures("torsional stiffness", "stiffness"))
    ...     name: str = ""
    >>> measured_by(Spring)
    {'stiffness': ('torsional stiffness', 'stiffness')}
    """
    return {_KEY: what}


def measured_by(kind: type) -> dict[str, Measures]:
    """What the fields of a dataclass measure, by the keys of its table: `from_` is `from` there."""
    assert is_dataclass(kind)
    return {part.name.removesuffix("_"): part.metadata[_KEY] for part in fields(kind) if _KEY in part.metadata}
