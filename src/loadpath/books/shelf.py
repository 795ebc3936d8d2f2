"""The sources side by side: what `robot.books` is."""

from __future__ import annotations

from functools import cached_property

from loadpath.books.angeles import Angeles
from loadpath.books.course import Course
from loadpath.books.lau import Lau
from loadpath.robot.model import RobotModel


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
        return repr(self.angeles)
