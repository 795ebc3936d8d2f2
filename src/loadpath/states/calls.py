"""States in calls of compiled quantities: `robot.inverse_dynamics(motion)`, or with labelled tables.

The engine sends every call here that is more than plain arrays, before NumPy or pandas sees it (set in
`api/robot.py`).
"""

from __future__ import annotations

from typing import Any

from loadpath.engine.arguments import is_lazy, is_plain
from loadpath.engine.quantity import CompiledMethod
from loadpath.robot.arrays import array_of
from loadpath.robot.model import RobotModel
from loadpath.states.reading import Joints, States, is_motion, read_arrays, read_motion

STATE = ("q", "qd", "qdd")


def read_call(
    method: CompiledMethod, arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments and keywords of a call with plain arrays in place of motions, labelled tables and masked arrays."""
    quantity, title = method.quantity, method.__name__
    if not _needs_reading(arguments, options, (*quantity.argument_names, *quantity.optional)):
        return arguments, options  # what is not plain in it are wrenches, links or choices
    names = [*quantity.argument_names, *(["link"] if quantity.takes_link else [])]
    if len(arguments) > len(names) and not (arguments and is_motion(arguments[0])):
        return arguments, options  # refused by the engine
    joints = _joints_of(method.robot)
    first = arguments[0] if arguments else options.get(names[0])
    if joints is not None and names[0] == "q" and is_motion(first):
        states = read_motion(joints, first, title)
        arguments, options = _with_motion(title, names, states, first, arguments[1:], dict(options))
    cores = quantity.signature.split("->")[0].strip()[1:-1].split("),(")
    letters = dict(zip(quantity.argument_names, cores, strict=True))
    return _plain(title, joints, names, letters, arguments, options, tuple(quantity.optional))


def _joints_of(subject: Any) -> Joints | None:
    """The joints of a robot, or of the robots on a rover; None of what else may have compiled quantities."""
    robot = subject if isinstance(subject, RobotModel) else getattr(subject, "robot", None)
    return Joints.of(subject) if isinstance(robot, RobotModel) else None


def _needs_reading(arguments: tuple[Any, ...], options: dict[str, Any], arrays: tuple[str, ...]) -> bool:
    given = [*arguments, *(options[name] for name in options if name in arrays)]
    return not all(is_plain(value) or is_lazy(value) or type(value) in (str, type(None)) for value in given)


def _with_motion(
    title: str, names: list[str], states: States, motion: Any, more: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The call with everything by keyword, and those parts of the motion that the quantity takes."""
    if options.get("q") is motion:
        del options["q"]
    brought = {name: getattr(states, name) for name in STATE if name in names}
    others = [name for name in names if name not in brought]
    given = dict(zip(others, more, strict=False))
    twice = [f"'{name}'" for name in options if name in brought]
    if twice or len(more) > len(others):
        own, extra = ", ".join(brought), ", ".join(twice) or f"'{[*names, 'the last argument'][len(others) + 1]}'"
        raise ValueError(f"{title}: the {type(motion).__name__.lower()} has its own {own}: leave out {extra}")
    if "tau" in others and "tau" not in {**given, **options} and states.tau is not None:
        brought["tau"] = states.tau
    for name in given:
        if name in options:
            raise TypeError(f"{title} got '{name}' twice")
    return (), {**brought, **given, **options}


def _plain(
    title: str,
    joints: Joints | None,
    names: list[str],
    letters: dict[str, str],
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    optional: tuple[str, ...],
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    given = {**dict(zip(names, arguments, strict=False)), **options}
    read = {name: value for name, value in given.items()
            if (name in letters or name in optional) and not is_plain(value) and not is_lazy(value)}  # fmt: skip
    states = {name: value for name, value in read.items() if joints is not None and letters.get(name) in ("q", "n")}
    named = {} if joints is None else read_arrays(joints, states, title)
    plain = {name: array_of(value, None, f"{title}: '{name}'") for name, value in read.items() if name not in named}
    found = {**named, **plain}
    positional = tuple(found.get(name, value) for name, value in zip(names, arguments, strict=False))
    return positional, {name: found.get(name, value) for name, value in options.items()}

