"""What a caller holds: coordinates of drives, or of any other joints, by name or in the order of the drives."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from loadpath.quantities.closed import ClosedQuantities
from loadpath.robot.arrays import array_of, batch_shape, is_labelled, numbers
from loadpath.scalars.types import ArrayLike, Floats

DrivenLike: TypeAlias = Mapping[str, ArrayLike] | ArrayLike
"""Values by the names of speeds, or an array (..., drives) in the order of `robot.driven`, those with a coordinate of
their own."""


class HeldCoordinates(NamedTuple):
    """Coordinates that keep the values given."""

    places: NDArray[np.intp]
    """(held,): which coordinates."""
    values: Floats
    """(..., held)."""
    speeds: NDArray[np.intp]
    """Which speeds belong to them."""
    angular: NDArray[np.bool_]
    """(held,): whether they are angles; those of quaternions are not."""


def held_coordinates(robot: ClosedQuantities, driven: DrivenLike | None, caller: str) -> HeldCoordinates:
    """The coordinates that are given, or an error that names what is wrong with them."""
    if driven is None:
        driven = {}
    given = _by_name(robot, driven, caller)
    places: list[int] = []
    speeds: list[int] = []
    values: list[Floats] = []
    shapes: dict[str, tuple[int, ...]] = {}
    angular: list[bool] = []
    for name, value in given.items():
        q, v, turns = _place(robot, name, caller)
        numeric = numbers(value, f"{caller}: '{name}'")
        if len(q) > 1:
            if numeric.ndim == 0 or numeric.shape[-1] != len(q):
                raise ValueError(f"{caller}: '{name}' has the shape {numeric.shape}: expected (..., {len(q)}), the "
                                 f"coordinates {', '.join(robot.coordinate_names[k] for k in q)}")
        else:
            numeric = numeric[..., None]
        twice = set(q) & set(places)
        if twice:
            raise ValueError(f"{caller}: '{robot.coordinate_names[min(twice)]}' is given twice")
        places += q
        speeds += v
        angular += turns
        values.append(numeric)
        shapes[name] = numeric.shape[:-1]
    batch = batch_shape(shapes, caller) if shapes else ()
    stacked = np.concatenate([np.broadcast_to(x, (*batch, x.shape[-1])) for x in values], axis=-1) if values else \
        np.zeros((0,))
    return HeldCoordinates(
        np.array(places, dtype=np.intp), stacked, np.array(speeds, dtype=np.intp), np.array(angular, dtype=bool)
    )


def _by_name(robot: ClosedQuantities, driven: Any, caller: str) -> dict[str, Any]:
    if isinstance(driven, Mapping):
        return dict(driven)
    names = tuple(name for name in robot.driven if name in robot.coordinate_names)  # not those of a floating base
    plain = array_of(driven, names, f"{caller}: 'driven'") if is_labelled(driven) else driven
    array = numbers(plain, f"{caller}: 'driven'")
    if array.ndim == 0 or array.shape[-1] != len(names):
        example = "{" + ", ".join(f"'{name}': ..." for name in names[:2]) + (", ..." if len(names) > 2 else "") + "}"
        raise ValueError(f"{caller}: 'driven' has the shape {array.shape}: expected (..., {len(names)}), the drives "
                         f"{', '.join(names)} in this order, or {example}")
    return {name: array[..., k] for k, name in enumerate(names)}


def _place(robot: ClosedQuantities, name: object, caller: str) -> tuple[list[int], list[int], list[bool]]:
    """Coordinates and speeds of a name: of one speed with its coordinate, or of a whole joint."""
    if name in robot.dof_names and name in robot.coordinate_names:
        speed = robot.dof_names.index(str(name))
        return [robot.coordinate_names.index(str(name))], [speed], [_turns(robot, speed)]
    joints = {joint.name: joint for joint in robot.joints}
    if isinstance(name, str) and name in joints:
        joint = joints[name]
        if joint.mimic is not None:
            raise ValueError(f"{caller}: joint '{name}' follows '{joint.mimic.joint}': give that one")
        if joint.motion.dof:
            q, v = robot.q_slices[name], robot.v_slices[name]
            whole = joint.motion.coordinates == joint.motion.dof
            turns = list(joint.motion.angular) if whole else [False] * joint.motion.coordinates
            return list(range(q.start, q.stop)), list(range(v.start, v.stop)), turns
        raise ValueError(f"{caller}: joint '{name}' is fixed and has no coordinate")
    if name in robot.dof_names:
        joint_name = str(name).rpartition(".")[0]
        raise ValueError(f"{caller}: '{name}' is the speed of a joint with a quaternion, and no coordinate: give "
                         f"'{joint_name}' with all its coordinates")
    loop = next((loop.name for loop in robot.loops if loop.name == name), None)
    if loop is not None:
        raise ValueError(f"{caller}: '{loop}' closes a loop and has no coordinate of its own: give coordinates of the "
                         f"tree's joints, {', '.join(robot.dof_names)}")
    raise unknown_speed(robot, name, caller)


def unknown_speed(robot: ClosedQuantities, name: object, caller: str) -> ValueError:
    """An error that names the speeds there are."""
    near = difflib.get_close_matches(str(name)[:200], robot.dof_names, 1)
    meant = f" (did you mean '{near[0]}'?)" if near else ""
    return ValueError(f"{caller}: robot '{robot.name}' has no speed '{name}'{meant}; there are "
                      f"{', '.join(robot.dof_names)}")


def _turns(robot: ClosedQuantities, speed: int) -> bool:
    for joint in robot.joints:
        if joint.mimic is None and joint.motion.dof:
            k = speed - robot.v_slices[joint.name].start
            if 0 <= k < joint.motion.dof:
                return bool(joint.motion.angular[k])
    return True
