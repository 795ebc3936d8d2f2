"""States in calls of compiled quantities: `robot.inverse_dynamics(motion)`, or with labelled tables.

The engine sends every call here that is more than plain arrays, before NumPy or pandas sees it (set in
`api/robot.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, cast

import numpy as np

from loadpath.engine.arguments import is_lazy, is_plain
from loadpath.engine.method import CompiledMethod
from loadpath.mechanics.wrenches import BASE_MOTION, ON_BASE
from loadpath.robot.arrays import array_of, same_rows
from loadpath.robot.model import RobotModel
from loadpath.states import mixed
from loadpath.states.carried import counted, placed, with_wrenches
from loadpath.states.effort import EFFORT, read_effort
from loadpath.states.load_case import NO_TIMES, LoadCase, external_of, refuse_moving_base
from loadpath.states.reading import (
    Joints,
    MotionLike,
    States,
    is_motion,
    loads_of,
    read_motion,
    refuse_loads_of,
    refuse_spectrum,
    times_of,
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


def plain_call(
    method: CompiledMethod, arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments and keywords of a call with plain arrays in place of motions, load cases, labelled tables and
    masked arrays.
    """
    quantity, names = method.quantity, method.quantity.names_in_place
    if len(arguments) > len(names) and not (arguments and is_motion(arguments[0])):
        return arguments, options  # refused by the engine
    if "under" in options:
        options = _with_case(method, options)
    if quantity.by_name:
        options = mixed.by_arrays(method, names, arguments, options)
    joints = Joints.of(method.robot) if isinstance(method.robot, RobotModel) else None
    first = cast(MotionLike, arguments[0] if arguments else options.get(names[0]))
    refuse_spectrum(first, method.__name__)
    if joints is not None and is_motion(first):
        arguments, options = _with_motion(method, joints, first, arguments[1:], dict(options))
    elif callable(options.get("gravity")):
        raise ValueError(f"{method.__name__}: {NO_TIMES}")
    return _without_labels(method, joints, arguments, options)


def _with_case(method: CompiledMethod, options: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords with the parts of a load case in its place."""
    quantity, parts = method.quantity, tuple(part.name for part in fields(LoadCase))
    takes = quantity.known_names.intersection(parts)
    if not takes:
        return dict(options)  # refused by the engine
    given = {name: value for name, value in options.items() if name in takes}
    others = {name: value for name, value in options.items() if name not in takes and name != "under"}
    case = LoadCase.of({**given, "under": options["under"]}, method.__name__, takes)
    return {**others, **{name: getattr(case, name) for name in takes}}


def _with_motion(
    method: CompiledMethod, joints: Joints, motion: MotionLike, more: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The call with everything by keyword: the arrays of the motion, and what acted in it."""
    title, names = method.__name__, method.quantity.names_in_place
    if names[0] not in STATE:
        raise ValueError(f"{title} takes {', '.join(names)} and no motion or simulation: make arrays of its q, qd, qdd"
                         )
    states = read_motion(joints, motion, title, counts_loads=True)
    options = _with_what_acted(method, joints, motion, options)
    if loads_of(motion):
        options = _with_loads(method, motion, states, options)
    return (), _with_arrays(title, names, states, motion, more, options)


def _with_what_acted(method: CompiledMethod, joints: Joints, motion: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The keywords with the wrenches, the motion of the base and the gravity of a simulation, where the quantity takes
    them and others are not given.
    """
    quantity, title = method.quantity, method.__name__
    moves = any(name in quantity.optional for name in BASE_MOTION)
    if not moves and "qd" in quantity.argument_names and not joints.mounted:
        refuse_moving_base(motion, title)
    acted: dict[str, Any] = dict(getattr(motion, "base_motion", None) or {}) if moves else {}
    acted |= {"gravity": getattr(motion, "gravity", None), "external": external_of(motion) or None}
    brought = {name: value for name, value in acted.items() if name in quantity.known_names and value is not None
               and options.get(name) is None}
    options |= brought
    if callable(options.get("gravity")):
        options["gravity"] = LoadCase(gravity=options["gravity"]).over(times_of(motion), title).gravity
    return options


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
    case = LoadCase(options.get("external"), **{name: options[name] for name in ON_BASE if name in options})
    if counted(case):
        return options
    loads = placed(loads_of(motion), robot, motion)
    found = with_wrenches(case, robot, loads, np.asarray(states.times), (arrays[0], arrays[1], arrays[2]))
    return options | {"external": found.external}


def _with_arrays(
    title: str, names: list[str], states: States, motion: Any, more: tuple[Any, ...], options: dict[str, Any]
) -> dict[str, Any]:
    """Everything by keyword: those arrays of a motion that the quantity takes, and what is given beside them."""
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
    return {**brought, **given, **options}


def _without_labels(
    method: CompiledMethod, joints: Joints | None, arguments: tuple[Any, ...], options: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The call with arrays in the robot's order, and those of drives where they are given by name."""
    quantity, title, names = method.quantity, method.__name__, method.quantity.names_in_place
    labels = _labels(quantity, joints)
    by_name = {name: options[name] for name in EFFORT if isinstance(options.get(name), Mapping)}
    options = {name: value for name, value in options.items() if name not in by_name}
    given = {**dict(zip(names, arguments, strict=False)), **options}
    read = {name: value for name, value in given.items()
            if name in labels and not is_plain(value) and not is_lazy(value)}
    same_rows(read, title)
    plain = {name: array_of(value, labels[name], f"{title}: '{name}'") for name, value in read.items()}
    arguments = tuple(plain.get(name, value) for name, value in zip(names, arguments, strict=False))
    options = {name: plain.get(name, value) for name, value in options.items()}
    if by_name or options.get("weights") is not None:
        options |= read_effort(method, {**dict(zip(names, arguments, strict=False)), **options, **by_name})
    return arguments, options


def _labels(quantity: Any, joints: Joints | None) -> dict[str, tuple[str, ...] | None]:
    """For each array of a quantity the names that its labels may have."""
    letters = quantity.signature.replace(" ", "").split("->")[0][1:-1].split("),(")
    known = {} if joints is None else {"q": joints.coordinate_names, "n": joints.dof_names}
    of_arguments = zip(quantity.argument_names, map(known.get, letters), strict=True)
    return {**dict(of_arguments), **dict.fromkeys(quantity.optional)}
