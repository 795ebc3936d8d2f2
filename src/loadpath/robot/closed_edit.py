"""What becomes of drives, couplings and the start of the assembly when a closed robot gets fewer or more freedoms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.loops import Coupling
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import ArrayLike


def kept_drives(drives: Sequence[str], made: RobotModel) -> tuple[str, ...]:
    """The drives whose speeds are still there."""
    return tuple(name for name in drives if name in made.dof_names)


def kept_coordinates(robot: RobotModel, q: Sequence[float], made: RobotModel) -> tuple[float, ...]:
    """Those coordinates of a configuration that the robot made from it still has; none of none."""
    return tuple(x for name, x in zip(robot.coordinate_names, q, strict=False) if name in made.coordinate_names)


def locked_couplings(
    robot: RobotModel, couplings: Sequence[Coupling], joints: Mapping[str, ArrayLike]
) -> tuple[Coupling, ...]:
    """The couplings among the speeds that are left, with what the locked ones contribute in their offsets."""
    at: dict[str, float] = {}
    for name, value in joints.items():
        names = robot.coordinate_names[robot.q_slices[name]]
        at |= dict(zip(names, np.atleast_1d(np.asarray(value, dtype=float)).tolist(), strict=True))
    kept: list[Coupling] = []
    for coupling in couplings:
        frozen = [(name, factor) for name, factor in coupling.ratios if name in at]
        left = tuple((name, factor) for name, factor in coupling.ratios if name not in at)
        offset = coupling.offset - sum(factor * at[name] for name, factor in frozen)
        if any(factor for _, factor in left):
            kept.append(replace(coupling, ratios=left, offset=offset))
        elif abs(offset) > 1e-9 * max(abs(coupling.offset), *(abs(factor * at[name]) for name, factor in frozen), 1.0):
            values = ", ".join(f"{name} = {at[name]:g}" for name, _ in frozen)
            raise ModelError(f"coupling '{coupling.name}' is broken by locking all of its joints where they do not fit:"
                             f" {values} is {abs(offset):.3g} off")
    return tuple(kept)
