"""How the load of a drive follows from the wrenches of its joints: along which directions, and what acts inside it."""

from __future__ import annotations

from typing import Any

from loadpath.robot.drive_train.springs import TorsionSpring
from loadpath.robot.model import RobotModel
from loadpath.scalars import zeros


def drives_of(robot: RobotModel) -> list[dict[str, Any]]:
    """For every degree of freedom: `along`, six numbers (force first) for each joint that its drive moves, whose
    product with the wrench of that joint counts; whether it `rubs`, its rotor `turns`, a torsion spring is `wound`. Of
    joints with several freedoms, whose directions change with the pose, nothing.

    >>> import loadpath as lp
    >>> drives_of(lp.catalog.planar(1))[0]["along"]
    [{'joint': 0, 'column': [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]}]
    """
    found: list[dict[str, Any]] = [
        {"along": [], "rubs": False, "turns": False, "wound": False} for _ in robot.dof_names
    ]
    for number, joint in enumerate(robot.joints):
        if joint.motion.dof != 1:
            continue
        own = found[robot.v_slices[joint.name].start]
        own["rubs"] |= bool(joint.viscous_friction[0] or joint.coulomb_friction[0] or joint.stribeck[0] is not None)
        own["turns"] |= bool(joint.reflected_inertia[0])
        own["wound"] |= any(isinstance(spring, TorsionSpring) for spring in joint.springs[0])
        angular, linear = joint.motion.subspace(zeros(joint.motion.coordinates))[0]
        factor = robot.mimic_of(joint).multiplier
        own["along"].append({"joint": number, "column": [factor * float(part) for part in (*linear, *angular)]})
    return found
