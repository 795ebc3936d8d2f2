"""One name, several meanings: what a quantity or method of a robot is with loops, with beams, on wheels, without any.

A robot is one class; what is attached to it is data. Where loops, beams or wheels change what a name means, or make it
mean anything at all, the class has a `ByAttachment` under that name: its lines, of which the robot's data chooses one.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from loadpath.cached import cached_property


class Attached(NamedTuple):
    """What is attached to a robot, as far as it changes what names mean."""

    loops: bool = False
    """Loops, couplings, or joints without a drive."""
    beams: bool = False
    """Beams, guides or compliant joints."""
    wheels: bool = False
    """Wheels and feet on which its base stands."""
    tyres: bool = False
    """Wheels that give way: they bring what beams bring, too."""


def attached_to(robot: Any) -> Attached:
    """What is attached to a robot."""
    base = robot.wheeled_base
    return Attached(robot.held_by_loops, robot.is_elastic, base is not None, base is not None and base.on_tyres)


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
    """A name whose line depends on what is attached: without any (`plain`), with `loops`, with `beams`, with `both`, on
    `wheels`.

    With loops and beams those of `both` count, then those of `loops`; what has no line of its own is as without. A name
    without a line for a robot is no attribute of it. On wheels a name without a line for these is what `carried` makes
    of it: that of the robots that the base carries.

    >>> from types import SimpleNamespace
    >>> class Robot(SimpleNamespace):
    ...     held_by_loops, is_elastic, wheeled_base = False, False, None
    ...     weight = ByAttachment(lambda robot: 1, loops=lambda robot: 2)
    ...     sag = ByAttachment(beams=lambda robot: 3)
    >>> Robot().weight(), Robot(held_by_loops=True).weight()
    (1, 2)
    >>> hasattr(Robot(), "sag"), Robot(is_elastic=True).sag()
    (False, 3)
    """

    carried: Callable[[Any, ByAttachment], Any] | None = None

    def __init__(
        self, plain: Any = None, *, loops: Any = None, beams: Any = None, both: Any = None, wheels: Any = None
    ) -> None:
        self.plain, self.loops, self.beams, self.both, self.wheels = plain, loops, beams, both, wheels
        self.name = ""
        if inspect.isfunction(plain):  # for those who look at the class
            functools.update_wrapper(self, plain, updated=())  # type: ignore[arg-type]

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def _chosen(self, attached: Attached) -> Any:
        beams = attached.beams or (attached.tyres and self.plain is None)
        wheels = self.wheels if attached.wheels else None
        both = self.both if attached.loops and beams else None
        one = self.loops if attached.loops else self.beams if beams else None
        chosen = next((line for line in (wheels, both, one) if line is not None), self.plain)
        return chosen.resolved() if hasattr(chosen, "resolved") else chosen

    def line(self, attached: Attached) -> Any:
        """The line for what is attached; None if there is none."""
        chosen = self._chosen(attached)
        return chosen.for_attached(attached) if hasattr(chosen, "for_attached") else chosen

    def of(self, robot: Any) -> Any:
        """The line for a robot; None if there is none."""
        attached = attached_to(robot)
        chosen = self._chosen(attached)
        if attached.loops and getattr(chosen, "of_loops", False) and is_passive_chain(robot):
            chosen = self._chosen(attached._replace(loops=False))
        return chosen.for_robot(robot) if hasattr(chosen, "for_robot") else chosen

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
                found = next(line for line in (self.loops, self.beams, self.both, self.wheels) if line is not None)
                found = found.resolved() if hasattr(found, "resolved") else found
            return self._of_class(found, owner)
        if self.carried is not None and robot.wheeled_base is not None:
            return self.carried(robot, self)
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


def attach_wheels(owner: type, table: type, carried: Callable[[Any, ByAttachment], Any], data: type) -> None:
    """Give a class the lines that wheels bring, the public names that a class (`table`) has in addition to it. On
    wheels each of its other public names, but for those of the `data`, is what `carried` makes of it.
    """
    parts = [part for part in reversed(table.__mro__) if part not in owner.__mro__]
    lines = {name: line for part in parts for name, line in vars(part).items()}
    others = {name: None for part in owner.__mro__ for name in vars(part) if not hasattr(data, name)}
    for name in [name for name in (lines | others) if not name.startswith("_")]:
        held = inspect.getattr_static(owner, name, None)
        if not isinstance(held, ByAttachment):
            held = ByAttachment(held)
            held.__set_name__(owner, name)
        held.wheels = lines.get(name)
        if held.wheels is None:
            held.carried = carried
        setattr(owner, name, held)


def line_of(robot: Any, name: object) -> Any:
    """What stands under a name in the class of a robot, for what is attached to it: `Compiled`, `Refused`, a function;
    None if it has no such name. Of a class (`lp.Robot`, `lp.ClosedRobot`), for what it stands for.
    """
    owner = robot if isinstance(robot, type) else type(robot)
    found: Any = inspect.getattr_static(owner, name, None) if isinstance(name, str) else None
    attached = getattr(robot, "_stands_for", Attached())
    if isinstance(found, ByAttachment):
        return found.line(attached) if robot is owner else found.of(robot)
    if hasattr(found, "for_attached"):
        return found.for_attached(attached) if robot is owner else found.for_robot(robot)
    return found


def is_of_beams(robot: Any, name: str) -> bool:
    """Whether a method is what beams bring to a robot."""
    found = inspect.getattr_static(type(robot), name, None)
    return isinstance(found, ByAttachment) and found.plain is None and found.beams is not None


def lines_of(robot: Any) -> dict[str, Any]:
    """What stands under all names of the class of a robot, for what is attached to it; of a class as in `line_of`."""
    owner = robot if isinstance(robot, type) else type(robot)
    names = {name: None for part in reversed(owner.__mro__) for name in vars(part)}
    lines = {name: line_of(robot, name) for name in names}
    absent = [name for name, line in lines.items() if line is None]
    absent = [name for name in absent if isinstance(inspect.getattr_static(owner, name), ByAttachment)]
    return {name: line for name, line in lines.items() if name not in absent}
