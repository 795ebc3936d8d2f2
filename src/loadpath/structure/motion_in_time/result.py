"""What a simulation of a flexible arm says of its links and sections, from the elastic coordinates that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.cached import cached_property
from loadpath.robot.ends import ends_of
from loadpath.scalars.types import Floats
from loadpath.simulate import result
from loadpath.simulate.result import Simulation
from loadpath.structure.checks import whole_number
from loadpath.structure.deflection import Deflection
from loadpath.structure.motion_in_time.assembly import link_poses
from loadpath.structure.motion_in_time.chain import Chain
from loadpath.structure.quantities import SECTIONS, ElasticQuantities
from loadpath.structure.response.section_forces import section_map
from loadpath.structure.stress import Stress, sections_of

if TYPE_CHECKING:

    class FlexibleSimulation(Simulation):
        """A simulation of a robot with beams: what it has for certain."""

        arm: ElasticQuantities
        chain: Chain

        @cached_property
        def deflection(self) -> Deflection: ...
        def stress(self, sections: int | None = None) -> Stress: ...

else:
    FlexibleSimulation = result.FlexibleSimulation


def link_poses_of(simulation: FlexibleSimulation) -> Floats:
    """(times, links, 4, 4): where the link frames of the bent arm are."""
    return link_poses(simulation.chain, simulation.q, simulation.coordinates)


def tip_position_of(simulation: FlexibleSimulation) -> Floats:
    """(times, 3), m: of the frame of the arm's only end."""
    ends = ends_of(simulation.arm)
    if len(ends) != 1:
        raise ValueError(f"the arm has {len(ends)} ends, {', '.join(ends[:8])}: use link_position('link')")
    return simulation.link_position(ends[0])


def deflection_of(simulation: FlexibleSimulation) -> Deflection:
    """How far every link frame is from where it would be on the rigid arm with the same joint coordinates."""
    from scipy.spatial.transform import Rotation

    arm, poses = simulation.arm, simulation.link_poses
    rigid = np.asarray(arm.link_poses(simulation.q), dtype=float)
    turn = poses[..., :3, :3] @ np.swapaxes(rigid[..., :3, :3], -1, -2)
    rotation = Rotation.from_matrix(turn.reshape(-1, 3, 3)).as_rotvec().reshape(*turn.shape[:-2], 3)
    return Deflection(poses[..., :3, 3] - rigid[..., :3, 3], rotation, arm.link_names, ends_of(arm))


def stress_of(simulation: FlexibleSimulation, sections: int | None) -> Stress:
    """Stresses in the cross sections of `arm.stress`, (times, sections), with all elastic motion in them."""
    arm = simulation.arm
    if not arm.beams:
        raise ValueError(f"arm '{arm.name}' has no beams: there are no stresses")
    count = whole_number(SECTIONS if sections is None else sections, "'sections'", 2)
    per_coordinate = section_map(simulation.chain.model.at(simulation.q[:1]), count)
    more = np.einsum("sic,tc->tsi", per_coordinate, simulation.coordinates - simulation.calm_coordinates)
    acted: dict[str, Any] = {"gravity": simulation.gravity, **simulation.base_motion}
    axial, bending, shear, torsion, von_mises = arm.section_stresses_with(
        simulation.q, simulation.qd, simulation.qdd, more[..., :3], more[..., 3:],
        sections=count, external=simulation.external, **acted,
    )
    return Stress(axial, bending, shear, torsion, von_mises, sections_of(arm, count))
