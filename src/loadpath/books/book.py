"""What the sources share: a book is a robot that answers in the letters of one source.

To add an object: a line `name = letter(equation, signature, doc)` in the book's class (`Constant` where it
does not depend on the state, a method where it is no array), and its place in the source in `places`.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, overload

import numpy as np

from loadpath.engine.arguments import DEFAULT
from loadpath.engine.quantity import Compiled, Formulation, On
from loadpath.engine.refused import Refused
from loadpath.printable import printable
from loadpath.robot.drive_train.of_joint import refuse_springs
from loadpath.robot.mechanism import Mechanism, plain
from loadpath.robot.model import RobotModel
from loadpath.scalars import Array
from loadpath.tables import Table

if TYPE_CHECKING:
    from loadpath.scalars.types import Floats

MOST_RESULTS = 15_000
"""Objects with more numbers a state than this run uncompiled, on NumPy batches: compiling them would take minutes."""


class Entry(NamedTuple):
    """One object of a book."""

    call: str
    """How it is asked for."""
    place: str
    """Where it stands in the source."""
    meaning: str


def letter(
    equation: Formulation, signature: str, doc: str, *, compile_up_to: int | None = None, **options: Any
) -> Compiled:
    """An object of a book: an equation on the robot's own frames, under the letter of the source. Robots with more
    speeds than `compile_up_to` run it uncompiled; `options` are those of `Compiled`.
    """
    on = {DEFAULT: On(equation, plain, compile_up_to)}
    return Compiled(on, signature, plain, doc, most_results=MOST_RESULTS, **options)


class Constant:
    """An object of a book that does not depend on the state: `robot.books.lecture.J()`."""

    def __init__(self, equation: Callable[[Mechanism], Array], doc: str) -> None:
        self.equation = equation
        self.name = ""
        self.__doc__ = inspect.cleandoc(doc)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, book: None, owner: type) -> Constant: ...
    @overload
    def __get__(self, book: RobotModel, owner: type) -> Callable[[], Floats]: ...
    def __get__(self, book: RobotModel | None, owner: type) -> Constant | Callable[[], Floats]:
        if book is None:
            return self

        def numbers() -> Floats:
            found: Floats = self.equation(plain(book)).astype(np.float64)
            return found

        numbers.__name__ = numbers.__qualname__ = self.name
        numbers.__doc__ = self.__doc__
        return numbers


@dataclass(frozen=True, eq=False, repr=False)  # frozen for attributes that are no fields, too
class Book(RobotModel):
    """A robot seen through one source: its objects are methods under the source's letters, compiled and batched."""

    source: ClassVar[str] = ""
    """The source, in a line."""
    known_as: ClassVar[str] = "robot.books"
    """How users reach it, for messages."""
    places: ClassVar[Mapping[str, str]] = {}
    """Where each object stands in the source: equation, section or slide."""

    @classmethod
    def of(cls, robot: RobotModel) -> Self:
        """The robot as this source has it; of an arm with beams, its links taken as rigid."""
        refuse_springs(robot, "the sources' equations")
        return cls(**{part.name: getattr(robot, part.name) for part in fields(cls)})

    @classmethod
    def contents(cls) -> dict[str, Entry]:
        """Every object by its letter: the call, its place in the source, and the first sentence about it.

        >>> import loadpath as lp
        >>> print(lp.catalog.two_link().books.angeles.contents()["T"].call)
        T(q)
        """
        return {name: _entry(name, getattr(cls, name), place) for name, place in cls.places.items()}

    def __repr__(self) -> str:
        return "\n".join([printable(f"'{self.name}' by {self.source}"), *table(self.contents().values())])

    if not TYPE_CHECKING:  # for those who run it; a type checker knows what there is

        def __getattr__(self, name: str) -> object:
            if name.startswith("_"):
                raise AttributeError(name)
            raise AttributeError(f"{self.source}: there is no object '{name}'{nearest(name, self.places)}",
                                 name=name, obj=self)


def table(entries: Iterable[Entry]) -> list[str]:
    """Lines with a column each for call, place and meaning."""
    rows = [["", *entry] for entry in entries]
    return Table("", [""] * 4, rows, left=4).text(rule="").splitlines() if rows else []


def nearest(name: str, names: Iterable[str]) -> str:
    """Words that name what may have been meant, and what there is."""
    known = list(names)
    same = [other for other in known if other.lower() == name.lower()]
    close = same or difflib.get_close_matches(name[:60], known, n=1, cutoff=0.5)
    meant = f"; did you mean '{close[0]}'?" if close else ""
    return f"{meant or ';'} there are {', '.join(known)}"


def doctests(book: type[Book]) -> dict[str, str]:
    """The docstrings of a book's objects, which doctest does not find by itself: for `__test__` of its module."""
    found = {name: getattr(book, name) for name in book.places}
    descriptors = {name: made for name, made in found.items() if isinstance(made, (Compiled, Constant))}
    return {f"{book.__name__}.{name}": made.__doc__ or "" for name, made in descriptors.items()}


def _entry(name: str, made: Any, place: str) -> Entry:
    if isinstance(made, Refused):
        return Entry(name, place, f"refused: {made.why}")
    return Entry(f"{name}{_arguments(made)}", place, first_sentence(made.__doc__ or ""))


def _arguments(made: Any) -> str:
    """What a call of an object takes by place."""
    if isinstance(made, Constant):
        return "()"
    if not callable(made):  # a property: a book in the book
        return ""
    by_place = [p.name for p in inspect.signature(made).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    return f"({', '.join(name for name in by_place if name != 'self')})"


def first_sentence(text: str) -> str:
    """The beginning of a docstring, up to its first full stop, on one line."""
    paragraph = " ".join(inspect.cleandoc(text).split("\n\n")[0].split())
    return paragraph.split(". ")[0].rstrip(".")
