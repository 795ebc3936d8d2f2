"""States in calls of compiled quantities: `robot.inverse_dynamics(motion)`, or with labelled tables.

The engine sends every call here that is more than plain arrays, before NumPy or pandas sees it (set in
`api/robot.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from loadpath.engine.arguments import is_lazy, is_plain
from loadpath.engine.method import CompiledMethod
from loadpath.mechanics.load_case import BASE_MOTION
from loadpath.robot.arrays import array_of, same_rows
from loadpath.robot.model import RobotModel
from loadpath.states import mixed
from loadpath.states.carried import counted, placed, with_wrenches
from loadpath.states.effort import EFFORT, read_effort
from loadpath.states.load_case import LoadCase, external_of, refuse_moving_base
from loadpath.states.reading import (
    Joints,
    MotionLike,
    States,
    is_motion,
    loads_of,
    read_motion,
    refuse_loads_of,
    refuse_spectrum,
)

STATE = ("q", "qd", "qdd")
MASSLESS = frozenset((
    "link_poses", "jacobian", "jacobian_dot", "link_velocities", "link_accelerations", "coordinate_rate", "integrate",
    "difference", "constraint_jacobian", "loop_directions", "closure", "complement", "driven_jacobian",
    "reaction_leverages",
))
"""Quantities that no mass changes."""
AT_REST = frozenset(("static_wrenches",))
"""Quantities of robots that do not move."""


def read_call(
    method: CompiledMethod, arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments and keywords of a call with plain arrays in place of motions, labelled tables and masked arrays."""
    quantity, title = method.quantity, method.__name__
    names = [*quantity.argument_names, *(["link"] if quantity.takes_link else [])]
    if len(arguments) > len(names) and not (arguments and is_motion(arguments[0])):
        return arguments, options  # refused by the engine
    if quantity.by_name:
        options = mixed.read_call(method, names, arguments, options)
    joints = _joints_of(method.robot)
    first = cast(MotionLike, arguments[0] if arguments else options.get(names[0]))
    refuse_spectrum(first, title)
    if joints is not None and is_motion(first):
        _refuse_no_state(title, names)
        states = read_motion(joints, first, title, counts_loads=True)
        taken = [name for name in BASE_MOTION if name in quantity.optional]
        if taken:
            own = getattr(first, "base_motion", None) or {}
            options = options | {name: own[name] for name in taken if name in own and options.get(name) is None}
        elif "qd" in names and not joints.mounted:
            refuse_moving_base(first, title)
        if quantity.takes_external and options.get("external") is None and external_of(first):
            options = options | {"external": external_of(first)}
        if loads_of(first):
            options = _with_loads(method, first, states, dict(options))
        arguments, options = _with_motion(title, names, states, first, arguments[1:], dict(options))
    letters = quantity.signature.replace(" ", "").split("->")[0][1:-1].split("),(")
    known = {} if joints is None else {"q": joints.coordinate_names, "n": joints.dof_names}
    names_of = {name: known.get(letter) for name, letter in zip(quantity.argument_names, letters, strict=True)}
    by_name = {name: options[name] for name in EFFORT if isinstance(options.get(name), Mapping)}
    plain = {name: value for name, value in options.items() if name not in by_name}
    arguments, options = _plain(title, names_of | dict.fromkeys(quantity.optional), names, arguments, plain)
    if by_name or options.get("weights") is not None:
        options = options | read_effort(method, {**dict(zip(names, arguments, strict=False)), **options, **by_name})
    return arguments, options


def _with_loads(method: CompiledMethod, motion: Any, states: States, options: dict[str, Any]) -> dict[str, Any]:
    """The keywords with the wrenches of the loads that a motion carries; an error where these do not stand for them."""
    quantity, title = method.quantity, method.__name__
    names = quantity.argument_names
    if title in MASSLESS:
        return options
    if not quantity.takes_external or "q" not in names or title.endswith("derivatives"):
        refuse_loads_of(motion, title)
    if "qdd" not in names and not (title in AT_REST or (title == "bias_forces" and not method.robot.held_by_loops)):
        refuse_loads_of(motion, title, "finds accelerations, which depend on the mass of what is carried")
    still = np.zeros_like(np.asarray(states.qd, dtype=float))
    arrays = [np.asarray(states.q, dtype=float), *(np.asarray(getattr(states, name), dtype=float) if name in names
                                                   else still for name in ("qd", "qdd"))]
    if states.times is None or arrays[0].ndim != 2:
        refuse_loads_of(motion, title, "needs the times of a motion")
    robot = getattr(method.robot, "robot", method.robot)
    base = {name: options[name] for name in BASE_MOTION if options.get(name) is not None}
    case = LoadCase(options.get("external"), **base)
    if counted(case):
        return options
    loads = placed(loads_of(motion), robot, motion)
    found = with_wrenches(case, robot, loads, np.asarray(states.times), (arrays[0], arrays[1], arrays[2]))
    return options | {"external": found.external}


def _refuse_no_state(title: str, names: list[str]) -> None:
    """Refuse a motion where a quantity takes none of its arrays."""
    if names[0] not in STATE:
        raise ValueError(f"{title} takes {', '.join(names)} and no motion or simulation: make arrays of its q, qd, qdd"
                         )


def _joints_of(subject: Any) -> Joints | None:
    """The joints of a robot, or of the robots on a rover; None of what else may have compiled quantities."""
    return Joints.of(subject) if isinstance(subject, RobotModel) else None


def _with_motion(
    title: str, names: list[str], states: States, motion: Any, more: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The call with everything by keyword, and those parts of the motion that the quantity takes."""
    if options.get(names[0]) is motion:
        del options[names[0]]
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
    names_of: dict[str, tuple[str, ...] | None],
    names: list[str],
    arguments: tuple[Any, ...],
    options: dict[str, Any],
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The call with arrays in the robot's order. `names_of` has for each array the names that its labels may have."""
    given = {**dict(zip(names, arguments, strict=False)), **options}
    read = {name: value for name, value in given.items()
            if name in names_of and not is_plain(value) and not is_lazy(value)}
    same_rows(read, title)
    plain = {name: array_of(value, names_of[name], f"{title}: '{name}'") for name, value in read.items()}
    positional = tuple(plain.get(name, value) for name, value in zip(names, arguments, strict=False))
    return positional, {name: plain.get(name, value) for name, value in options.items()}
