"""One name, several meanings: what a quantity or method of a robot is with loops, with beams, with both, with neither.

A robot is one class; what is attached to it is data. Where loops or beams change what a name means, or make it mean
anything at all, the class has a `ByAttachment` under that name: its lines, of which the robot's data chooses one.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any, NamedTuple

from loadpath.cached import cached_property


class Attached(NamedTuple):
    """What is attached to a robot, as far as it changes what names mean."""

    loops: bool = False
    """Loops, couplings, or joints without a drive."""
    beams: bool = False
    """Beams, guides or compliant joints."""


def attached_to(robot: Any) -> Attached:
    """What is attached to a robot."""
    return Attached(robot.held_by_loops, robot.is_elastic)


def is_passive_chain(robot: Any) -> bool:
    """Whether joints without a drive are all that sets it apart from a tree."""
    return bool(robot.held_by_loops and not robot.closing_names)


def raise_from_within(robot: Any, name: str) -> None:
    """The error of a property that is there and raised an AttributeError itself. Python forgets it before it asks
    `__getattr__`, so the property is asked again.
    """
    line = inspect.getattr_static(type(robot), name, None)
    if isinstance(line, ByAttachment):
        line = line.of(robot)
    if isinstance(line, (property, cached_property)):
        line.__get__(robot, type(robot))


class ByAttachment:
    """A name whose line depends on what is attached: without any (`plain`), with `loops`, with `beams`, with `both`.

    With loops and beams those of `both` count, then those of `loops`; what has no line of its own is as without. A name
    without a line for a robot is no attribute of it.

    >>> from types import SimpleNamespace
    >>> class Robot(SimpleNamespace):
    ...     weight = ByAttachment(lambda robot: 1, loops=lambda robot: 2)
    ...     sag = ByAttachment(beams=lambda robot: 3)
    >>> Robot(held_by_loops=False, is_elastic=False).weight(), Robot(held_by_loops=True, is_elastic=False).weight()
    (1, 2)
    >>> hasattr(Robot(held_by_loops=False, is_elastic=False), "sag"), Robot(held_by_loops=False, is_elastic=True).sag()
    (False, 3)
    """

    def __init__(self, plain: Any = None, *, loops: Any = None, beams: Any = None, both: Any = None) -> None:
        self.plain, self.loops, self.beams, self.both = plain, loops, beams, both
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def line(self, attached: Attached) -> Any:
        """The line for what is attached; None if there is none."""
        both = self.both if attached.loops and attached.beams else None
        one = self.loops if attached.loops else self.beams if attached.beams else None
        found = next((line for line in (both, one) if line is not None), self.plain)
        return found.resolved() if hasattr(found, "resolved") else found

    def of(self, robot: Any) -> Any:
        """The line for a robot; None if there is none."""
        attached = attached_to(robot)
        found = self.line(attached)
        refused = attached.loops and getattr(found, "of_loops", False) and is_passive_chain(robot)
        return self.line(attached._replace(loops=False)) if refused else found

    def _of_class(self, line: Any, owner: type) -> Any:
        """A line as the class has it, which called with a robot is what the name means for that robot."""
        if hasattr(line, "bound_as"):
            line.attribute = self
            return line
        if not inspect.isfunction(line):
            return line.__get__(None, owner) if hasattr(line, "__get__") else line

        @functools.wraps(line)
        def call(robot: Any, *arguments: Any, **options: Any) -> Any:
            return self.__get__(robot, type(robot))(*arguments, **options)

        return call

    def __get__(self, robot: Any, owner: type) -> Any:
        if robot is None:
            attached = getattr(owner, "_stands_for", Attached())
            found = self.line(attached)
            if found is None:
                found = next(line for line in (self.loops, self.beams, self.both) if line is not None)
                found = found.resolved() if hasattr(found, "resolved") else found
            return self._of_class(found, owner)
        found = self.of(robot)
        if found is None:
            if hasattr(owner, "__getattr__"):  # in the words of the robot, through super() and through the class, too
                owner.__getattr__(robot, self.name)
            raise AttributeError(self.name)
        return found.bound_as(self, robot) if hasattr(found, "bound_as") else found.__get__(robot, owner)


def attach(owner: type, *, loops: type, beams: type, both: type) -> None:
    """Give a class the lines that loops, beams, and both bring: the public names that these classes have in addition to
    what they are made from together with it.
    """
    tables: dict[str, dict[str, Any]] = {"loops": {}, "beams": {}, "both": {}}
    for lines, table in zip(tables.values(), (loops, beams, both), strict=True):
        for part in reversed([part for part in table.__mro__ if part not in owner.__mro__]):
            lines |= {name: line for name, line in vars(part).items() if not name.startswith("_")}
    for name in dict.fromkeys(name for lines in tables.values() for name in lines):
        plain = inspect.getattr_static(owner, name, None)
        line = ByAttachment(plain, **{key: lines.get(name) for key, lines in tables.items()})
        line.__set_name__(owner, name)
        setattr(owner, name, line)


def line_of(robot: Any, name: object) -> Any:
    """What stands under a name in the class of a robot, for what is attached to it: `Compiled`, `Refused`, a function;
    None if it has no such name. Of a class (`lp.Robot`, `lp.ClosedRobot`), for what it stands for.
    """
    owner = robot if isinstance(robot, type) else type(robot)
    found = inspect.getattr_static(owner, name, None) if isinstance(name, str) else None
    if not isinstance(found, ByAttachment):
        return found
    return found.line(getattr(robot, "_stands_for", Attached())) if robot is owner else found.of(robot)


def lines_of(robot: Any) -> dict[str, Any]:
    """What stands under all names of the class of a robot, for what is attached to it; of a class as in `line_of`."""
    owner = robot if isinstance(robot, type) else type(robot)
    names = {name: None for part in reversed(owner.__mro__) for name in vars(part)}
    lines = {name: line_of(robot, name) for name in names}
    absent = [name for name, line in lines.items() if line is None]
    absent = [name for name in absent if isinstance(inspect.getattr_static(owner, name), ByAttachment)]
    return {name: line for name, line in lines.items() if name not in absent}
