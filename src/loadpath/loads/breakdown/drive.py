"""What the force of a drive is made of: the loads of its joint along its degree of freedom, and what friction, rotor
and torsion springs take. These act inside the drive and load no bearing, so they are no part of the joint wrench.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.quantities.load_index import Cause
from loadpath.robot.drive_train.drive import TorsionSpring
from loadpath.robot.numbers import known
from loadpath.scalars import array

if TYPE_CHECKING:
    from loadpath.loads.breakdown.result import LoadBreakdown

DRIVE = "drive"
"""Asked for in the place of a component."""


def drive_parts(breakdown: LoadBreakdown, freedom: str) -> dict[Cause, Any]:
    """For every cause what it takes from the drive of a degree of freedom, (...); all together are its force in
    `inverse_dynamics`. Joints that mimic it are moved by the same drive.
    """
    if breakdown.drives is not None:
        return _through_loops(breakdown, freedom)
    robot = breakdown.robot
    if robot is None or breakdown.q is None or breakdown.frame != "joint":
        raise ValueError("parts of a drive are found in a breakdown of states, in the axes of the joints: leave out "
                         "frame=, and take no means")
    place = robot.dof_names.index(known(freedom, robot.dof_names, "degree of freedom with a drive"))
    found: dict[Cause, Any] = {}
    wound: list[Any] = []
    rubs = turns = False
    for joint in robot.joints:
        speeds = robot.v_slices[joint.name] if joint.motion.dof else slice(0, 0)
        if not speeds.start <= place < speeds.stop:
            continue
        freedom_of_joint = place - speeds.start
        rubs |= bool(joint.viscous_friction[freedom_of_joint] or joint.coulomb_friction[freedom_of_joint])
        rubs |= joint.stribeck[freedom_of_joint] is not None
        turns |= bool(joint.reflected_inertia[freedom_of_joint])
        mimic = robot.mimic_of(joint)
        own = mimic.multiplier * breakdown.q[..., robot.q_slices[joint.name]] + mimic.offset
        coordinates = array([own[..., k] for k in range(own.shape[-1])])
        angular, linear = joint.motion.subspace(coordinates)[freedom_of_joint]
        column = [(k, part) for k, part in enumerate((*linear, *angular)) if np.any(part)]
        for cause, rows in breakdown.index.of_joint(joint.name).items():
            six = breakdown.sum_of(rows)
            along = sum((six[..., k] * part for k, part in column), start=np.zeros(breakdown.batch_shape))
            found[cause] = found.get(cause, 0.0) + mimic.multiplier * along
        for spring in joint.springs[freedom_of_joint]:
            if isinstance(spring, TorsionSpring):
                force = spring.stiffness * (own[..., freedom_of_joint] - spring.rest) - spring.preload
                wound.append(mimic.multiplier * force)
    if wound:
        spring_cause: Cause = "spring", (freedom,)
        found[spring_cause] = found.get(spring_cause, 0.0) + sum(wound)
    if rubs:
        found["friction", (freedom,)] = breakdown.friction[..., place]
    if turns:
        found["rotor", (freedom,)] = breakdown.rotor[..., place]
    return found


def _through_loops(breakdown: LoadBreakdown, freedom: str) -> dict[Cause, Any]:
    """Of a closed chain: what comes through the loops is not along the joint's own freedom alone, so each cause has its
    part of each drive in the breakdown itself.
    """
    index, drives = breakdown.index, breakdown.drives
    assert drives is not None
    if freedom in index.passive_names:
        raise ValueError(f"joint '{freedom}' is passive: it has no drive; the drives are "
                         f"{', '.join(index.drive_names) or 'none'}")
    place = index.drive_names.index(known(freedom, index.drive_names, "degree of freedom with a drive"))
    found: dict[Cause, Any] = {}
    for row, (cause, _) in enumerate(index.sources):
        part = drives[..., row, place]
        found[cause] = found[cause] + part if cause in found else part
    return found
