"""A quantity or method that a kind of robot refuses: asked for, it names the robot, the reason and what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from loadpath.errors import ModelError


class Refused:
    """In place of a method; a call of it, or an export, is an error. `of_loops`: loops and couplings are the reason,
    and open chains with joints without a drive have what any tree has.

    >>> class Linkage:
    ...     name = "bar"
    ...     fly = Refused("it has no wings: robot.walk()")
    >>> Linkage().fly(3)
    Traceback (most recent call last):
    loadpath.errors.ModelError: robot 'bar': fly is refused: it has no wings: robot.walk()
    """

    def __init__(self, why: str, *, of_loops: bool = False) -> None:
        self.why, self.of_loops = why, of_loops
        self.__doc__ = f"Refused: {why}."

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.__name__ = name

    def __get__(self, robot: Any, owner: type) -> Refused | Callable[..., NoReturn]:
        if robot is None:
            return self

        def refuse(*arguments: object, **options: object) -> NoReturn:
            self.refuse(robot)

        refuse.__name__ = refuse.__qualname__ = self.name
        refuse.__doc__ = self.__doc__
        return refuse

    def __call__(self, robot: Any, *arguments: object, **options: object) -> NoReturn:
        """As of any method of a class: `lp.ClosedRobot.step(robot, ...)`."""
        self.refuse(robot)

    def refuse(self, robot: Any) -> NoReturn:
        """The error."""
        raise ModelError(f"robot '{robot.name}': {self.name} is refused: {self.why}")
