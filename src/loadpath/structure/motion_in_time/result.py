"""What a simulation of a flexible arm gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loadpath.cached import cached_property
from loadpath.robot.ends import ends_of
from loadpath.scalars.types import Floats
from loadpath.simulate.result import Simulation
from loadpath.structure.choices import whole_number
from loadpath.structure.deflection import Deflection
from loadpath.structure.motion_in_time.assembly import link_poses
from loadpath.structure.motion_in_time.plot import motion_figure
from loadpath.structure.quantities import SECTIONS
from loadpath.structure.response.section_forces import section_map
from loadpath.structure.stress import Stress, sections_of

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.structure.motion_in_time.chain import Chain
    from loadpath.structure.quantities import ElasticQuantities

QUASI_STATIC = frozenset({
    "deflection", "stress", "buckling", "buckling_safety", "extremes", "fatigue", "respond", "compensated",
    "plot_deflection", "plot_safety", "bandwidth_check",
})
"""What takes motions for slow loads."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FlexibleSimulation(Simulation):
    """A simulated motion of a flexible arm. The first axis of every array is that of `times`.

    `q`, `qd` and `qdd` are of the joints (the motors' side of a compliant one); `potential` is the energy of gravity
    and of the elastic parts together, `tau` of a joint that follows a law what that takes.

    >>> import loadpath as lp
    >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
    >>> swing = arm.simulate([0.3], [0.0], duration=0.1)
    >>> swing.tip_position.shape, swing.elastic.shape
    ((11, 3), (11, 6))
    """

    arm: ElasticQuantities
    elastic: Floats
    """(times, modes): elastic coordinates; half the sum of their squares is the elastic energy (J)."""
    elastic_rate: Floats
    """(times, modes): their rates."""
    coordinates: Floats
    """(times, size): coordinates of `vibration.basis`, with what follows the loads at once (mode acceleration)."""
    calm_coordinates: Floats
    """(times, size): the same without any elastic motion, for the loads of the joints' motion alone."""
    strain_energy: Floats
    """(times,): elastic energy, J."""
    frequencies: Floats
    """(modes,), Hz: of the arm in the pose at the start with its joints held, as the elastic coordinates have them."""
    basis: Floats
    """(size, modes): coordinates of `vibration.basis` per unit of each elastic coordinate."""
    chain: Chain
    """What the equations were made of."""

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        ended = ", stopped" if self.stopped else ""
        span = f"{self.frequencies[0]:.4g} to {self.frequencies[-1]:.4g} Hz" if len(self.frequencies) else "none"
        return (
            f"<simulation of the flexible arm '{self.arm.name}': {len(self.times)} times up to {self.times[-1]:.6g} s"
            f"{ended}, {self.steps} steps, {len(self.frequencies)} elastic coordinates ({span}), energy drift "
            f"{self.energy_drift:.1e}>"
        )

    @property
    def torque(self) -> Floats:
        """(times, n): the same as `tau`."""
        return self.tau

    @cached_property
    def link_poses(self) -> Floats:
        """(times, links, 4, 4): where the link frames of the bent arm are."""
        return link_poses(self.chain, self.q, self.coordinates)

    @property
    def tip_position(self) -> Floats:
        """(times, 3), m: of the frame of the arm's only end."""
        ends = ends_of(self.arm)
        if len(ends) != 1:
            raise ValueError(f"the arm has {len(ends)} ends, {', '.join(ends[:8])}: use link_position('link')")
        return self.link_position(ends[0])

    def link_position(self, link: str) -> Floats:
        """(times, 3), m: of the frame of a link."""
        return self.link_poses[:, self.arm.link_names.index(self.arm.link(link).name), :3, 3]

    @cached_property
    def deflection(self) -> Deflection:
        """How far every link frame is from where it would be on the rigid arm with the same joint coordinates: world
        axes; `deflection.tip.displacement`, `deflection["link"].rotation` and so on are (times, 3).
        """
        from scipy.spatial.transform import Rotation

        rigid = np.asarray(self.arm.link_poses(self.q), dtype=float)
        turn = self.link_poses[..., :3, :3] @ np.swapaxes(rigid[..., :3, :3], -1, -2)
        rotation = Rotation.from_matrix(turn.reshape(-1, 3, 3)).as_rotvec().reshape(*turn.shape[:-2], 3)
        displacement = self.link_poses[..., :3, 3] - rigid[..., :3, 3]
        return Deflection(displacement, rotation, self.arm.link_names, ends_of(self.arm))

    def stress(self, sections: int = SECTIONS) -> Stress:
        """Stresses in the cross sections of `arm.stress`, (times, sections), with all elastic motion in them.

        The loads of the joints' motion are taken along the beams as `arm.stress` does, what the elastic motion adds by
        the polynomials of the elastic coordinates.
        """
        arm, chain = self.arm, self.chain
        if not arm.beams:
            raise ValueError(f"arm '{arm.name}' has no beams: there are no stresses")
        count = whole_number(sections, "'sections'", 2)
        per_coordinate = section_map(chain.model.at(self.q[:1]), count)
        more = np.einsum("sic,tc->tsi", per_coordinate, self.coordinates - self.calm_coordinates)
        axial, bending, shear, torsion, von_mises = arm.section_stresses_with(
            self.q, self.qd, self.qdd, more[..., :3], more[..., 3:], sections=count, external=self.external
        )
        return Stress(axial, bending, shear, torsion, von_mises, sections_of(arm, count))

    def plot(self, link: str | None = None) -> Figure:
        """A Plotly figure of the joints' coordinates and of the displacement of a link (the arm's only end, unless
        given) from where the rigid arm would have it.
        """
        return motion_figure(self, link)

    def check_use(self, caller: str) -> None:
        """Refuse to be taken for states where loads would be quasi-static ones of the joints' motion."""
        if caller not in QUASI_STATIC:
            return
        own = {"deflection": "deflection", "stress": "stress()"}.get(caller)
        instead = f"its own is simulation.{own}" if own else "simulation.deflection and simulation.stress() are its own"
        raise ValueError(
            f"{caller}: a simulation of a flexible arm has its elastic motion in it, and {caller} would take the "
            f"accelerations of its ringing joints for slow loads: {instead}; for the quasi-static one of the joints' "
            "motion give simulation.q, simulation.qd, simulation.qdd"
        )
