"""Whether a robot can be accelerated at all: no degree of freedom without inertia."""

from __future__ import annotations

import math

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
    # Any generic configuration shows it; this one has no special angles in it.
    q = array([0.3 + 0.7 * math.sin(1.0 + 2.0 * k) for k in range(robot.nq)])
    M = mass_matrix(mechanism, q)
    pivots = M.copy()
    for k in reversed(range(robot.n)):
        size = float(M[k, k])
        if size <= 0.0 or float(pivots[k, k]) <= _SINGULAR * size:
            name = robot.dof_names[k]
            mover = next(joint for joint, at in robot.v_slices.items() if at.start <= k < at.stop)
            link = robot.joint(mover).child
            raise ModelError(
                f"robot '{robot.name}': link '{link}' moves along '{name}' without inertia, so forces do not "
                f"determine its acceleration (pivot {float(pivots[k, k]):.3g} of the mass matrix): give the link mass "
                "and inertia, give the joint a rotor inertia, or lock it with robot.locked"
            )
        for i in range(k):
            factor = pivots[k, i] / pivots[k, k]
            for j in range(i + 1):
                pivots[i, j] = pivots[i, j] - factor * pivots[k, j]


def check_mass(robot: RobotModel, mechanism: Mechanism) -> None:
    """Refuse a robot that has no mass center because nothing that moves has mass."""
    moves = moving_bodies(mechanism)
    if not any(body.mass > 0 for body, moving in zip(mechanism.bodies, moves, strict=True) if moving):
        raise ModelError(f"robot '{robot.name}': no link that can move has mass, so there is no mass center")
