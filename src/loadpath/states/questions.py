"""Whether a single state is in degrees or millimetres: asked where a call is slow anyway.

A call of a compiled quantity with plain arrays goes straight into compiled code, where nothing can be asked. So the
*first* call of each quantity of a robot is looked at, later ones with lists, as people type them, and calls of
functions that read states in Python (`load_breakdown`, `motor_loads`). Motions are asked about where they are made.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from loadpath.engine.method import CompiledMethod
from loadpath.errors import warn
from loadpath.motion.checks import in_other_units
from loadpath.robot.model import RobotModel

_INSIDE = str(Path(__file__).parents[1])
_ON_THE_WAY = tuple(str(Path(_INSIDE, *way)) for way in (("engine",), ("states",), ("in_room",)))
"""What lies between a call and the question about it."""


def ask_at_first_call(method: CompiledMethod, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Look at the state of the first call of a quantity, if it is one and the call is not the library's own."""
    names = method.quantity.argument_names
    if "q" not in names or _called_from_inside():
        return
    given = {**dict(zip(names, arguments, strict=False)), **options}
    ask_about_state(method.robot, given.get("q"), given.get("qd"))


def ask_about_state(subject: Any, q: Any, qd: Any = None) -> None:
    """Warn, once a robot, of a single state that is far outside the limits, and would be inside in degrees.

    >>> import warnings
    >>> import loadpath as lp
    >>> with warnings.catch_warnings(record=True) as asked:
    ...     warnings.simplefilter("always")
    ...     tau = lp.catalog.ur5().inverse_dynamics([0, -90, 90, 0, 0, 0], [0] * 6, [0] * 6)
    >>> print(asked[0].message)
    robot 'ur5': joint 'shoulder_lift_joint' is at -90, outside its limits -6.28319 to 6.28319: degrees? (and 1 more)
    """
    if not isinstance(subject, RobotModel):
        return
    if questions := questions_of_state(subject, q, qd):
        more = f" (and {len(questions) - 1} more)" if len(questions) > 1 else ""
        warn(f"robot '{subject.name}': {questions[0]}{more}")


def questions_of_state(robot: RobotModel, q: Any, qd: Any = None) -> list[str]:
    """What is to be asked about a single state of plain numbers; nothing once a robot has been asked about."""
    if "_asked" in vars(robot) or not isinstance(q, (np.ndarray, list, tuple)):  # labelled ones may be in another order
        return []
    try:
        where = np.asarray(q, dtype=float)
        speeds = np.zeros(robot.n) if qd is None else np.asarray(qd, dtype=float)
    except (TypeError, ValueError):
        return []  # no plain numbers
    if where.shape != (robot.nq,) or speeds.shape != (robot.n,) or not np.isfinite([*where, *speeds]).all():
        return []
    questions = in_other_units(robot, where, speeds)
    if questions:
        vars(robot)["_asked"] = True
    return questions


def _called_from_inside() -> bool:
    """Whether the frame that called the quantity is one of the library."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_ON_THE_WAY):
        frame = frame.f_back
    return frame.f_code.co_filename.startswith(_INSIDE)
