"""What a robot is asked for and does not have: words that say which other object has it, and how to get that."""

from __future__ import annotations

import importlib
import inspect

from loadpath.engine.attached import ByAttachment
from loadpath.robot.model import RobotModel


def missing(robot: RobotModel, name: str) -> str:
    """The words of an AttributeError.

    >>> import loadpath as lp
    >>> missing(lp.catalog.planar(2), "deflection")
    "robot 'planar2' is rigid and has no 'deflection': give it beams or joint compliance, robot.with_beams(...)"
    """
    # Not robot.name, which may be what is missing while a robot is being unpickled.
    title = robot.__dict__.get("name", "")
    if not name.startswith("_"):
        importlib.import_module("loadpath.mobile")  # which says what wheels bring
    line = inspect.getattr_static(type(robot), name, None)
    if isinstance(line, ByAttachment) and line.beams is not None and not robot.is_elastic:
        return f"robot '{title}' is rigid and has no '{name}': give it beams or joint compliance, robot.with_beams(...)"
    if isinstance(line, ByAttachment) and line.wheels is not None:
        return (
            f"robot '{title}' stands on no wheels and has no '{name}': put it on a base, "
            "lp.WheeledBase(...).carrying(robot)"
        )
    if isinstance(line, ByAttachment) and line.loops is not None:
        return (
            f"robot '{title}' is an open chain, all of its joints driven, and has no '{name}': close it with "
            "robot.with_loop(...) or robot.with_coupling({...})"
        )
    return f"'{type(robot).__name__}' object has no attribute '{name}'"

