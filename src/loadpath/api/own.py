"""A quantity of one's own: a function of the equations, made batched and compiled as the library's are."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

from loadpath.engine.quantity import Compiled
from loadpath.errors import ModelError
from loadpath.robot.mechanism import Mechanism, plain
from loadpath.robot.model import RobotModel

_SIGNATURE = re.compile(r"\([a-z0-9,]*\)(,\([a-z0-9,]*\))*->\([a-z0-9,]*\)(,\([a-z0-9,]*\))*")


def quantity(function: Callable[..., object], signature: str) -> Compiled:
    """A function of a mechanism and arrays of scalars as a quantity of robots: `made(robot, q)` takes and broadcasts
    batches, compiles on its first call for a robot, and is a ufunc from then on.

    `function(mechanism, q, ...)` is written as the library's own are, with `loadpath.scalars` for what is more than
    sums and products; it may use the functions of `loadpath.mechanics` and `loadpath.formulations`. `signature` has the
    core shapes as for NumPy's ufuncs: `q` stands for the number of coordinates, `n` of speeds, `j` of joints, `l` of
    links. In a class made from `lp.Robot` it is a method, which can be exported as all others.

    >>> import loadpath as lp
    >>> from loadpath.mechanics.kinematics import link_poses
    >>> def reach(mechanism, q):
    ...     x, y, z = link_poses(mechanism, q)[-1][:3, 3]
    ...     return lp.scalars.sqrt(x * x + y * y + z * z)
    >>> tip = quantity(reach, "(q)->()")
    >>> tip(lp.catalog.planar(2), [[0.0, 0.0], [0.3, 3.141592653589793]]).round(12).tolist()
    [2.0, 0.0]
    """
    if not callable(function):
        raise ModelError(f"a quantity is made of {function!r}: expected a function of a mechanism and arrays")
    text = str(signature).replace(" ", "")
    if not _SIGNATURE.fullmatch(text):
        raise ModelError(f"signature of a quantity is {signature!r}: expected core shapes like '(q),(n)->(n)'")
    name = getattr(function, "__name__", "")
    made = Compiled(function, text, _mechanism, inspect.getdoc(function) or "A quantity of one's own.")
    made.name = name if name.isidentifier() else "own_quantity"
    _ = made.argument_names  # refused here if the function takes fewer
    return made


def _mechanism(robot: RobotModel) -> Mechanism:
    if not isinstance(robot, RobotModel):
        raise ModelError(f"a quantity of one's own is asked of {robot!r}: expected a robot")
    return plain(robot.on_fixed_base)
