"""What the sources share: a book is a robot that answers in the letters of one source."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from typing import ClassVar, Self

from loadpath.engine.quantity import compiled_quantities
from loadpath.printable import printable
from loadpath.robot.model import RobotModel


@dataclass(frozen=True, eq=False, repr=False)  # frozen for attributes that are no fields, too
class Book(RobotModel):
    """A robot seen through one source: its objects are methods under the source's letters, compiled and batched."""

    source: ClassVar[str] = ""
    """The source, in a line."""

    @classmethod
    def of(cls, robot: RobotModel) -> Self:
        """The robot as this source has it."""
        return cls(**{part.name: getattr(robot, part.name) for part in fields(RobotModel)})

    def contents(self) -> dict[str, str]:
        """Every object by name, with the first sentence about it.

        >>> import loadpath as lp
        >>> "T" in lp.catalog.two_link().books.angeles.contents()
        True
        """
        return {name: _first_sentence(made.__doc__ or "") for name, made in compiled_quantities(type(self)).items()}

    def __repr__(self) -> str:
        lines = [f"'{printable(self.name)}' by {self.source}"]
        lines += [f"  {name:<14} {meaning}" for name, meaning in self.contents().items()]
        return "\n".join(lines)


def _first_sentence(text: str) -> str:
    """The beginning of a docstring, up to its first colon or full stop, on one line."""
    paragraph = " ".join(inspect.cleandoc(text).split("\n\n")[0].split())
    return paragraph.split(". ")[0].rstrip(".")
