"""What is known of each speed, by name: its acceleration or the force of its drive, as mixed dynamics takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from loadpath.engine.arguments import is_lazy
from loadpath.engine.method import CompiledMethod
from loadpath.printable import printable
from loadpath.robot.arrays import array_of, batch_shape
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import nearest
from loadpath.states.reading import is_motion

ACCELERATIONS, FORCES = BY_NAME = ("accelerations", "forces")
"""Keywords of a call that name speeds."""


class Mix(NamedTuple):
    """What is known of all speeds."""

    known: Any
    """(..., n): the acceleration of the speeds that are prescribed, the drive force of the others."""
    prescribed: tuple[str, ...]
    """Names of the speeds whose acceleration is known, in the robot's order."""


def read_mix(robot: RobotModel, accelerations: object, forces: object, caller: str) -> Mix:
    """Accelerations and forces by the names of speeds, or of joints with several of them, every speed exactly once.

    >>> from loadpath.robot.catalog import two_link
    >>> read_mix(two_link(), {"joint1": 0.5}, {"joint2": [1.0, 2.0]}, "mixed_dynamics")
    Mix(known=array([[0.5, 1. ],
           [0.5, 2. ]]), prescribed=('joint1',))
    """
    found: dict[str, tuple[str, Any]] = {}
    for keyword, given in zip(BY_NAME, (accelerations, forces), strict=True):
        for name, value in _entries(robot, keyword, given, caller):
            if name in found:
                first = found[name][0]
                both = first != keyword
                twice = "an acceleration and a force: give one of them" if both else f"two values in '{keyword}'"
                raise ValueError(f"{caller}: '{printable(name)}' has {twice}")
            found[name] = keyword, value
    missing = [name for name in robot.dof_names if name not in found]
    if missing:
        listed = ", ".join(f"'{printable(name)}'" for name in missing[:6]) + (" ..." if len(missing) > 6 else "")
        has = "has" if len(missing) == 1 else "have"
        raise ValueError(
            f"{caller}: {listed} {has} neither an acceleration nor a force: name each speed of robot '{robot.name}' in "
            "accelerations= or in forces= (0 for a drive that gives no force)"
        )
    prescribed = tuple(name for name in robot.dof_names if found[name][0] == ACCELERATIONS)
    return Mix(_stacked([found[name][1] for name in robot.dof_names]), prescribed)


def _entries(robot: RobotModel, keyword: str, given: object, caller: str) -> list[tuple[str, Any]]:
    """Values by the names of single speeds."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise ValueError(f"{caller}: '{keyword}' is a {type(given).__name__}: expected a mapping from the names of "
                         "speeds to numbers, like {'joint1': 0.5}")
    single, several = set(robot.dof_names), _several(robot)
    found: list[tuple[str, Any]] = []
    for name, entry in given.items():
        what = f"{caller}: {keyword}['{printable(name)}']"
        if name not in single and name not in several:
            raise ValueError(f"{what}: {_unknown(robot, name)}")
        value = entry if is_lazy(entry) else _numbers(entry, what)
        if name in single:
            found.append((name, value))
            continue
        own = several[name]
        if value.ndim and value.shape[-1] != len(own):
            raise ValueError(f"{what} has the shape {value.shape}: joint '{printable(name)}' has {len(own)} speeds, so "
                             f"expected (..., {len(own)}) or one number for all of them")
        found += [(speed, value[..., k] if value.ndim else value) for k, speed in enumerate(own)]
    batch_shape({str(name): value.shape for name, value in found}, caller)
    return found


def _several(robot: RobotModel) -> dict[str, Sequence[str]]:
    """Names of the speeds of joints that have more than one."""
    joints = [joint for joint in robot.joints if joint.motion.dof > 1]
    return {joint.name: robot.dof_names[robot.v_slices[joint.name]] for joint in joints}


def _unknown(robot: RobotModel, name: object) -> str:
    """Why a name is none of a speed."""
    for joint in robot.joints:
        if joint.name == name and joint.mimic is not None:
            followed = robot.mimic_of(joint).joint
            return f"joint '{printable(joint.name)}' mimics '{printable(followed)}': name '{printable(followed)}'"
        if joint.name == name:
            return f"joint '{printable(joint.name)}' is fixed and has no speed"
    return f"robot '{robot.name}' has no such speed{nearest(str(name), (*robot.dof_names, *_several(robot)))}"


def _numbers(value: object, what: str) -> Any:
    try:
        array = np.asarray(array_of(value, None, what))
    except (TypeError, ValueError) as problem:
        raise ValueError(f"{what} is not an array of numbers: {problem}") from problem
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise ValueError(f"{what} is {value!r}: expected numbers" if array.dtype.kind in "OUS" else
                         f"{what} has the dtype {array.dtype}: expected float64 or float32")
    return array


def _stacked(values: list[Any]) -> Any:
    if not values:
        return np.zeros(0)
    # Numbers by themselves do not make wide floats of narrow ones.
    arrays = [value for value in values if value.ndim] or values
    kind = np.result_type(*(value.dtype for value in arrays), np.float32)
    return np.stack(np.broadcast_arrays(*values), axis=-1).astype(kind, copy=False)


def by_arrays(
    method: CompiledMethod, names: Sequence[str], arguments: tuple[Any, ...], options: dict[str, Any]
) -> dict[str, Any]:
    """The keywords of a call of mixed dynamics with arrays in place of names; as given where the arrays are given."""
    title = method.__name__
    brought = 1 if arguments and is_motion(arguments[0]) else 0  # qd
    direct = "known" in options or len(arguments) + brought == len(names)
    by_name = [keyword for keyword in BY_NAME if options.get(keyword) is not None]
    if direct and by_name:
        raise ValueError(f"{title}: '{by_name[0]}' and 'known' say the same: give one of them")
    if direct:
        return {name: value for name, value in options.items() if name not in BY_NAME}
    if "prescribed" in options:
        raise ValueError(f"{title}: 'prescribed' goes with the array 'known': leave it out, accelerations= names what "
                         "is prescribed")
    known, prescribed = read_mix(method.robot, options.get(ACCELERATIONS), options.get(FORCES), title)
    states = {name: array.shape[:-1] for name, array in zip(names, arguments, strict=False)
              if isinstance(array, np.ndarray) and array.ndim}
    batch_shape({**states, "accelerations and forces": known.shape[:-1]}, title)  # in the user's words, not 'known'
    others = {name: value for name, value in options.items() if name not in BY_NAME}
    return others | {"known": known, "prescribed": prescribed}
