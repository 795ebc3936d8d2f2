"""The sources side by side: what `robot.books` is."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from loadpath.books.angeles import Angeles
from loadpath.books.book import Book, nearest, table
from loadpath.books.course import Course
from loadpath.books.lau import Lau
from loadpath.robot.model import RobotModel

if TYPE_CHECKING:
    from collections.abc import Mapping

BOOKS: Mapping[str, type[Book]] = {"angeles": Angeles, "lau": Lau, "course": Course}
"""The books by the names that they have on the shelf."""


class Books:
    """The objects of the sources for one robot, by source.

    >>> import loadpath as lp
    >>> arm = lp.catalog.two_link()
    >>> arm.books.angeles.T([0, 0]).shape                     # three bodies, two joint rates
    (18, 2)
    """

    def __init__(self, robot: RobotModel) -> None:
        self.robot = robot

    @cached_property
    def angeles(self) -> Angeles:
        """J. Angeles, chapter 7, and the lecture on it."""
        return Angeles.of(self.robot)

    @cached_property
    def lau(self) -> Lau:
        """Lau's thesis, chapters 3 and 4."""
        return Lau.of(self.robot)

    @cached_property
    def course(self) -> Course:
        """The course notes on dynamics."""
        return Course.of(self.robot)

    def __repr__(self) -> str:
        lines = [f"The objects of the sources, for '{self.robot.name}'"]
        for name, book in BOOKS.items():
            lines += ["", f"books.{name}: {book.source}", *table(book.contents().values())]
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        return Books, (self.robot,)

    if not TYPE_CHECKING:  # for those who run it; a type checker knows what there is

        def __getattr__(self, name: str) -> object:
            if name.startswith("_"):
                raise AttributeError(name)
            holding = [key for key, book in BOOKS.items() if name in book.places]
            if holding:
                where = " or ".join(f"robot.books.{key}.{name}" for key in holding)
                raise AttributeError(f"'{name}' is an object of a source: {where}", name=name, obj=self)
            raise AttributeError(f"there is no book '{name}'{nearest(name, BOOKS)}", name=name, obj=self)
