"""The sources side by side: what `robot.books` is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from loadpath.books.angeles import Angeles
from loadpath.books.book import Book, nearest, table
from loadpath.books.closed_angeles import ClosedAngeles
from loadpath.books.course import Course
from loadpath.books.lau import Lau
from loadpath.books.lecture import Lecture
from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.robot.model import RobotModel

BOOKS: Mapping[str, type[Book]] = {"angeles": Angeles, "course": Course, "lau": Lau, "lecture": Lecture}
"""The books by the names that they have on the shelf."""
WITH_LOOPS: Mapping[str, type[Book]] = {"angeles": ClosedAngeles}
"""Those that know robots with loops."""


class Books:
    """The objects of the sources for one robot, by source; printed, it is a table of all of them.

    >>> import loadpath as lp
    >>> arm = lp.catalog.two_link()
    >>> arm.books.angeles.T([0, 0]).shape                     # three bodies, two joint rates
    (18, 2)
    """

    def __init__(self, robot: RobotModel) -> None:
        self.robot = robot

    @cached_property
    def angeles(self) -> Angeles:
        """J. Angeles, chapter 7, and the slides on it: the natural orthogonal complement."""
        return (ClosedAngeles if self.robot.held_by_loops else Angeles).of(self.robot)

    @cached_property
    def lecture(self) -> Lecture:
        """The lecture notes: Lagrange-Euler in trace form."""
        self._refuse_loops("lecture")
        return Lecture.of(self.robot)

    def _refuse_loops(self, book: str) -> None:
        """For books that know no loops."""
        if self.robot.held_by_loops:
            raise ModelError(f"robot '{self.robot.name}' has loops, and the source of books.{book} has none: "
                             f"robot.tree.books.{book} has the objects of the open tree; books.angeles knows loops"
                             )

    @cached_property
    def lau(self) -> Lau:
        """Lau's thesis, chapters 3 and 4."""
        self._refuse_loops("lau")
        return Lau.of(self.robot)

    @cached_property
    def course(self) -> Course:
        """The course notes on dynamics."""
        self._refuse_loops("course")
        return Course.of(self.robot)

    def __repr__(self) -> str:
        lines = [f"The objects of the sources, for '{self.robot.name}'"]
        for name, book in BOOKS.items():
            lines += ["", f"books.{name}: {book.source}"]
            if self.robot.held_by_loops and name not in WITH_LOOPS:
                lines.append(f"  refused: it knows no loops; robot.tree.books.{name} has those of the open tree")
            else:
                known = WITH_LOOPS[name] if self.robot.held_by_loops else book
                lines += table(known.contents().values())
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
