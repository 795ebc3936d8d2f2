"""Results taken apart into numbers and words: arrays, tuples, mappings, dataclasses, objects with properties."""

from __future__ import annotations

import datetime
import functools
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import PurePath
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

import loadpath as lp

from .states import arm_of, is_robot

DEEP = 6
"""Levels that are looked into."""
NOT_LOOKED_INTO = (FunctionType, MethodType, ModuleType, functools.partial, type, PurePath, datetime.date)
UNSEEN = {
    "digest", "defined_by", "known_faults", "robot", "arm", "rover",  # which sources and which robot a result is of
    "shapes",  # read from meshes
    "model", "chain", "course",  # how a robot was cut into elements and modes, whose signs are free
    "phase",  # of complex numbers, which are compared: that of zero is noise
}
"""Fields that are not compared."""
Leaf = tuple[str, Any]


def leaves(value: Any, path: str = "", depth: int = 0) -> Iterator[Leaf]:
    """Numbers as arrays of floats and words as strings, with the path that leads to each."""
    if value is None or depth > DEEP or isinstance(value, NOT_LOOKED_INTO):
        return
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, (bool, int, float, complex, np.generic)) or _is_numeric(value):
        yield from _of_array(np.asarray(value), path)
    elif is_robot(value):
        if depth == 0:  # else it is the robot that the result is of
            yield from _of_robot(value, path)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from leaves(part, f"{path}[{key}]", depth + 1)
    elif isinstance(value, (tuple, list, set, frozenset)):
        yield from _of_sequence(value, path, depth)
    elif type(value).__module__.split(".")[0] == "loadpath":  # else of another library
        for name in _public_fields(value):
            try:
                part = getattr(value, name)
            except Exception as problem:  # what a result does not have, and says so
                yield f"{path}.{name}", f"{type(problem).__name__}: {problem}"
            else:
                yield from leaves(part, f"{path}.{name}", depth + 1)


def _is_numeric(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype != object


def _of_array(array: Any, path: str) -> Iterator[Leaf]:
    if np.iscomplexobj(array):
        yield f"{path}.real", array.real.astype(float)
        yield f"{path}.imag", array.imag.astype(float)
    elif array.dtype.kind in "biuf":
        yield path, array.astype(float)
    elif array.dtype.kind == "U":
        yield path, " ".join(array.ravel().tolist())


def _of_sequence(value: Any, path: str, depth: int) -> Iterator[Leaf]:
    if hasattr(value, "_fields"):
        for name in value._fields:
            yield from leaves(getattr(value, name), f"{path}.{name}", depth + 1)
        return
    parts = sorted(value, key=str) if isinstance(value, (set, frozenset)) else value
    if parts and all(isinstance(part, str) for part in parts):
        yield path, "; ".join(parts)
        return
    try:
        array = np.asarray(parts, dtype=float)
    except (TypeError, ValueError):
        for k, part in enumerate(parts):
            yield from leaves(part, f"{path}[{k}]", depth + 1)
    else:
        yield path, array


def _public_fields(value: Any) -> list[str]:
    """Fields of a dataclass and properties, or what an object holds."""
    kind = type(value)
    names = [field.name for field in fields(value)] if is_dataclass(value) else list(getattr(value, "__dict__", ()))
    names += [name for name, _ in inspect.getmembers_static(kind, _is_property)]
    return [name for name in dict.fromkeys(names) if not name.startswith("_") and name not in UNSEEN]


def _is_property(part: object) -> bool:
    return isinstance(part, (property, functools.cached_property))


def _of_robot(robot: Any, path: str) -> Iterator[Leaf]:
    """Of a robot that is a result: its sizes and names, and the drive forces that hold it at home."""
    yield f"{path}.kind", " ".join(kind.__name__ for kind in (lp.Robot, lp.FlexibleRobot, lp.ClosedRobot, lp.Rover)
                                   if isinstance(robot, kind))
    arm = arm_of(robot)
    for name in ("n", "nq", "dof_names", "coordinate_names", "link_names", "joint_names", "gravity"):
        yield from leaves(getattr(arm, name), f"{path}.{name}")
    yield f"{path}.masses", np.array([link.inertia.mass if link.inertia else 0.0 for link in arm.links], dtype=float)
    at = np.asarray(arm.home if isinstance(arm, lp.ClosedRobot) else arm.neutral())
    still = np.zeros(arm.n)
    try:
        yield f"{path}.held", np.asarray(arm.inverse_dynamics.uncompiled(at, still, still), dtype=float)
    except Exception as problem:
        yield f"{path}.held", f"{type(problem).__name__}: {problem}"
