"""Whether a robot can be accelerated at all: no degree of freedom without inertia."""

from __future__ import annotations

import math
from collections.abc import Sequence

from loadpath.algorithms.composite_body import mass_matrix
from loadpath.errors import ModelError
from loadpath.mechanics.kinematics import moving_bodies
from loadpath.robot.mechanism import Mechanism
from loadpath.robot.model import RobotModel
from loadpath.scalars import array

# A pivot this much smaller than the diagonal entry is rounding.
_SINGULAR = 1e-12


def check_movable(robot: RobotModel, mechanism: Mechanism) -> None:
    """Refuse a robot whose mass matrix is singular, naming the link that moves without inertia."""
    found = _without_inertia(mechanism, range(mechanism.n))
    if found is not None:
        k, pivot = found
        mover = next(joint for joint, at in robot.v_slices.items() if at.start <= k < at.stop)
        raise ModelError(
            f"robot '{robot.name}': link '{robot.joint(mover).child}' moves along '{robot.dof_names[k]}' without "
            f"inertia, so forces do not determine its acceleration (pivot {pivot:.3g} of the mass matrix): give the "
            "link mass and inertia, give the joint a rotor inertia, or lock it with robot.locked"
        )


def check_free(mechanism: Mechanism, free: Sequence[int], names: Sequence[str]) -> None:
    """Refuse speeds whose accelerations are to follow from forces where nothing resists them, the others being
    prescribed; `names` are those of all speeds.
    """
    found = _without_inertia(mechanism, free)
    if found is not None:
        k, pivot = found
        raise ModelError(
            f"'{names[k]}' moves without inertia while the accelerations of the other joints are prescribed or follow, "
            f"so its force does not determine its acceleration (pivot {pivot:.3g} of the mass matrix): prescribe its "
            "acceleration, or give the link mass and inertia, or the joint a rotor inertia"
        )


def _without_inertia(mechanism: Mechanism, speeds: Sequence[int]) -> tuple[int, float] | None:
    """The first of some speeds, from the last, along which nothing has inertia, and its pivot."""
    # Any generic configuration shows it; this one has no special angles in it.
    q = array([0.3 + 0.7 * math.sin(1.0 + 2.0 * k) for k in range(mechanism.nq)])
    M = mass_matrix(mechanism, q)
    if not all(isinstance(x, (int, float)) for x in M.flat):
        return None  # it depends on the design
    pivots = M.copy()
    chosen = list(speeds)
    for last in reversed(range(len(chosen))):
        k = chosen[last]
        size = float(M[k, k])
        if size <= 0.0 or float(pivots[k, k]) <= _SINGULAR * size:
            return k, float(pivots[k, k])
        for row, i in enumerate(chosen[:last]):
            factor = pivots[k, i] / pivots[k, k]
            for j in chosen[: row + 1]:
                pivots[i, j] = pivots[i, j] - factor * pivots[k, j]
    return None


def check_mass(robot: RobotModel, mechanism: Mechanism) -> None:
    """Refuse a robot that has no mass center because nothing that moves has mass."""
    moves = moving_bodies(mechanism)
    if not any(body.mass > 0 for body, moving in zip(mechanism.bodies, moves, strict=True) if moving):
        raise ModelError(f"robot '{robot.name}': no link that can move has mass, so there is no mass center")
